// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for the data of outgoing messages.  Short pieces are parts of a page that is
 * shared with other pieces of the task.  A long piece has pages to itself.  When its data
 * is acknowledged, the socket keeps it as a spare for the next message: fresh pages are
 * cleared first, which costs as much as the copy into them.  A spare holds data of its own
 * socket only, and packets refer to no more than what was written since.
 *
 * The spares of a socket are charged, and no larger than SO_SNDBUF.  A socket that sends
 * no long messages any more gives them up after one to two SPARES_IDLE.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "chunk.h"
#include "endpoint/endpoint.h"

#define SPARES_IDLE	HZ

static struct workqueue_struct *spares_wq;

/**
 * uet_chunk_init() - set up memory for messages
 *
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int __init uet_chunk_init(void)
{
	spares_wq = alloc_workqueue("uet_spares", WQ_UNBOUND, 0);
	return spares_wq ? 0 : -ENOMEM;
}

/**
 * uet_chunk_fini() - undo uet_chunk_init()
 *
 * Context: Process, module unload; no sockets exist.
 */
void uet_chunk_fini(void)
{
	destroy_workqueue(spares_wq);
}

static struct uet_chunk *chunk_new(struct sock *sk, struct page *page, u32 offset)
{
	struct uet_chunk *chunk = kmalloc(sizeof(*chunk), sk->sk_allocation);

	if (!chunk)
		return NULL;
	chunk->page = page;
	chunk->data = page_address(page) + offset;
	chunk->start = 0;
	chunk->is_whole = false;
	return chunk;
}

/*
 * A part of the task's page, of at least min(@bytes, PAGE_SIZE) bytes, so that a packet of
 * UET_MTU_MAX bytes spans few chunks: see uet_tx_message_put_bytes().
 */
static struct uet_chunk *chunk_share(struct sock *sk, u32 bytes)
{
	struct page_frag *frag = sk_page_frag(sk);
	struct uet_chunk *chunk;

	if (!skb_page_frag_refill(min_t(u32, bytes, PAGE_SIZE), frag,
				  sk->sk_allocation))
		return NULL;
	chunk = chunk_new(sk, frag->page, frag->offset);
	if (!chunk)
		return NULL;
	chunk->len = min(bytes, frag->size - frag->offset);
	get_page(frag->page);
	frag->offset += chunk->len;
	return chunk;
}

/* Return: NULL without contiguous pages; the caller uses smaller pieces then. */
static struct uet_chunk *chunk_alloc_whole(struct sock *sk)
{
	gfp_t gfp = (sk->sk_allocation & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP |
		    __GFP_NOWARN | __GFP_NORETRY;
	struct page *page = alloc_pages(gfp, get_order(UET_CHUNK_WHOLE));
	struct uet_chunk *chunk;

	if (!page)
		return NULL;
	chunk = chunk_new(sk, page, 0);
	if (!chunk) {
		put_page(page);
		return NULL;
	}
	chunk->len = UET_CHUNK_WHOLE;
	chunk->is_whole = true;
	return chunk;
}

static void chunk_free(struct uet_chunk *chunk)
{
	put_page(chunk->page);
	kfree(chunk);
}

/* Free all spares. */
static void spares_drop(struct uet_sock *us)
{
	struct uet_spares *spares = &us->spares;
	struct uet_chunk *chunk, *next;
	LIST_HEAD(freed);
	u32 bytes;

	spin_lock_bh(&spares->lock);
	list_splice_init(&spares->list, &freed);
	bytes = spares->bytes;
	WRITE_ONCE(spares->bytes, 0);
	spin_unlock_bh(&spares->lock);
	list_for_each_entry_safe(chunk, next, &freed, link)
		chunk_free(chunk);
	uet_mem_uncharge_tx(us, bytes);
}

/* The pending work holds a reference to the socket. */
static void spares_watch(struct uet_sock *us)
{
	sock_hold(&us->sk);
	if (!queue_delayed_work(spares_wq, &us->spares.work, SPARES_IDLE))
		sock_put(&us->sk);
}

static void spares_work(struct work_struct *work)
{
	struct uet_sock *us = container_of(to_delayed_work(work), struct uet_sock,
					   spares.work);

	if (READ_ONCE(us->spares.is_used)) {
		WRITE_ONCE(us->spares.is_used, false);
		spares_watch(us);
	} else {
		spares_drop(us);
	}
	sock_put(&us->sk);
}

/* The oldest spare, if no packet refers to its page. */
static struct uet_chunk *spare_take(struct uet_sock *us)
{
	struct uet_spares *spares = &us->spares;
	struct uet_chunk *chunk;

	if (!READ_ONCE(spares->bytes))
		return NULL;
	spin_lock_bh(&spares->lock);
	chunk = list_first_entry_or_null(&spares->list, struct uet_chunk, link);
	if (chunk && page_ref_count(chunk->page) == 1) {
		list_del(&chunk->link);
		WRITE_ONCE(spares->bytes, spares->bytes - UET_CHUNK_WHOLE);
		spares->is_used = true;
	} else {
		chunk = NULL;
	}
	spin_unlock_bh(&spares->lock);
	if (chunk)
		uet_mem_uncharge_tx(us, UET_CHUNK_WHOLE);
	return chunk;
}

/* Return: true if the socket keeps @chunk. */
static bool spare_keep(struct uet_sock *us, struct uet_chunk *chunk)
{
	struct uet_spares *spares = &us->spares;
	struct sock *sk = &us->sk;

	if (!chunk->is_whole || READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN ||
	    READ_ONCE(spares->bytes) + UET_CHUNK_WHOLE > READ_ONCE(sk->sk_sndbuf) ||
	    !uet_mem_charge_tx(us, UET_CHUNK_WHOLE))
		return false;
	spin_lock_bh(&spares->lock);
	list_add_tail(&chunk->link, &spares->list);
	WRITE_ONCE(spares->bytes, spares->bytes + UET_CHUNK_WHOLE);
	spin_unlock_bh(&spares->lock);
	if (!delayed_work_pending(&spares->work))
		spares_watch(us);
	return true;
}

/*
 * Memory for data of a message.
 * @bytes: number of bytes that follow in the message
 *
 * Context: Process, may sleep.
 * Return: a chunk of up to @bytes bytes with unknown contents, not in a list; at least
 *	PAGE_SIZE bytes, or all; NULL without memory.
 */
struct uet_chunk *uet_chunk_alloc(struct uet_sock *us, u32 bytes)
{
	struct uet_chunk *chunk = NULL;

	if (bytes >= UET_CHUNK_WHOLE) {
		chunk = spare_take(us);
		if (!chunk)
			chunk = chunk_alloc_whole(&us->sk);
	}
	return chunk ? : chunk_share(&us->sk, bytes);
}

/*
 * Free data of a message, or keep its memory as spares.
 * @chunks: list of the data, empty afterwards
 *
 * Context: Any, no PDC lock held.
 * Return: number of bytes of the data.
 */
u32 uet_chunks_free(struct uet_sock *us, struct list_head *chunks)
{
	struct uet_chunk *chunk, *next;
	u32 bytes = 0;

	list_for_each_entry_safe(chunk, next, chunks, link) {
		bytes += chunk->len;
		if (chunk->page && !spare_keep(us, chunk))
			chunk_free(chunk);
	}
	INIT_LIST_HEAD(chunks);
	return bytes;
}

/**
 * uet_spares_open() - set up a socket without spares
 * @us: socket
 */
void uet_spares_open(struct uet_sock *us)
{
	spin_lock_init(&us->spares.lock);
	INIT_LIST_HEAD(&us->spares.list);
	INIT_DELAYED_WORK(&us->spares.work, spares_work);
}

/**
 * uet_spares_close() - free the spares of a socket that is closed
 * @us: socket, shut down
 *
 * A message that ends at the same time may leave one; it is freed as at an idle socket.
 *
 * Context: Process.
 */
void uet_spares_close(struct uet_sock *us)
{
	if (cancel_delayed_work(&us->spares.work))
		sock_put(&us->sk);
	spares_drop(us);
}
