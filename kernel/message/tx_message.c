// SPDX-License-Identifier: GPL-2.0
/*
 * Outgoing messages: storage of their data between sendmsg() and the last acknowledgement, and
 * the memory charged to their socket. The data is in slices of pages that packets refer to
 * without copying. SES cuts messages into packets, tx.c builds the packets.
 *
 * Short pieces are parts of a page that is shared with other pieces of the task; the data of a
 * short message follows the message structure.  A long piece has pages to itself.  When its data
 * is acknowledged, the socket keeps it as a spare for the next message: fresh pages are cleared
 * first, which costs as much as the copy into them.  A spare holds data of its own socket only, or
 * of the streams of its endpoint, and packets refer to no more than what was written since.  The
 * spares of a socket are charged, and no larger than SO_SNDBUF.  A socket that sends no long
 * messages any more gives them up after one to two SPARES_IDLE.
 *
 * With MSG_ZEROCOPY the pages are the sender's.  Such a message ends when it is answered and no
 * packet refers to the pages, whichever is later.  A packet releases the pages when a network
 * device has sent it, or when the stack replaces the pages by copies, as for every consumer that
 * could read the pages later, such as a receiver on this host.
 * Spec: Documentation/networking/msg_zerocopy.rst of the kernel.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "cms/cms.h"
#include "fabric/fabric.h"
#include "message.h"

#define SPARES_IDLE	HZ

/* Most bytes of the spares of an endpoint of the kernel: its send buffer is for many streams. */
#define SPARES_MAX	SZ_4M

/*
 * struct uet_chunk - contiguous data of a message
 * @page: first page of the allocation with the data, one reference; NULL: the data is in the
 *	allocation of the message
 * @start: offset of the first byte in the message; set by uet_tx_message_append()
 * @len: length, bytes, not 0
 * @is_whole: the data has the allocation to itself, UET_PIECE bytes
 */
struct uet_chunk {
	struct list_head link;
	struct page *page;
	u8 *data;
	u32 start;
	u32 len;
	bool is_whole;
};

/**
 * struct uet_zcopy - the pinned pages of a message
 * @pages: referred to by packets, with the context that counts these packets. The reference
 *	count has one reference of the message and one of each packet
 * @tm: the message; once given to a PDC or to RUDI, it exists until all references are dropped
 * @pin: account charged for RLIMIT_MEMLOCK
 * @work: ends the message when a packet, in any context, drops the last reference
 */
struct uet_zcopy {
	struct uet_ubuf pages;
	struct uet_tx_message *tm;
	struct mmpin pin;
	struct work_struct work;
};

/* A message of up to this many bytes uses a single allocation. */
#define TXM_SHORT	128

/*
 * struct txm_short - a short message with its only chunk and its data
 */
struct txm_short {
	struct uet_tx_message tm;
	struct uet_chunk chunk;
	u8 bytes[TXM_SHORT];
};

/*
 * Overhead of a message. Even messages without data fill a send buffer by it,
 * so that their number is limited.
 */
#define TXM_OVERHEAD	(sizeof(struct uet_tx_message) + sizeof(struct uet_chunk))

/*
 * Most bytes that are charged to a socket, half of what sk_wmem_alloc can count.  Each
 * streaming sender exceeds SO_SNDBUF by a piece, and a socket may have thousands.
 */
#define TXM_CHARGE_MAX	BIT(30)

/* Pages of a sender that are pinned at a time. */
#define TXM_PAGES	16

/* Ends messages with pages of their sender, and frees spares. */
static struct workqueue_struct *txm_wq;

/**
 * uet_tx_message_init() - at module load: 0 or -ENOMEM
 */
int __init uet_tx_message_init(void)
{
	txm_wq = alloc_workqueue("uet_tx", WQ_UNBOUND, 0);
	return txm_wq ? 0 : -ENOMEM;
}

/**
 * uet_tx_message_fini() - at module unload, without sockets
 */
void uet_tx_message_fini(void)
{
	destroy_workqueue(txm_wq);
}

/* ---------------------------------------------------------- memory for data, and spares */

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
 * A part of the task's page, of at least min(@bytes, UET_PIECE_MIN) bytes, so that a packet of
 * UET_MTU_MAX bytes spans few chunks: see uet_tx_message_put_bytes().
 */
static struct uet_chunk *chunk_share(struct sock *sk, u32 bytes)
{
	struct page_frag *frag = sk_page_frag(sk);
	struct uet_chunk *chunk;

	if (!skb_page_frag_refill(min_t(u32, bytes, UET_PIECE_MIN), frag, sk->sk_allocation))
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
	struct page *page = alloc_pages(gfp, UET_PIECE_ORDER);
	struct uet_chunk *chunk;

	if (!page)
		return NULL;
	chunk = chunk_new(sk, page, 0);
	if (!chunk) {
		put_page(page);
		return NULL;
	}
	chunk->len = UET_PIECE;
	chunk->is_whole = true;
	return chunk;
}

static void chunk_free(struct uet_chunk *chunk)
{
	put_page(chunk->page);
	kfree(chunk);
}

static void spares_drop(struct uet_sock *us)
{
	struct uet_spares *spares = &us->tx.spares;
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

/*
 * uet_spares_watch() - free what the socket keeps for the next messages when it is not used
 *
 * The pending work holds a reference to the socket.
 */
void uet_spares_watch(struct uet_sock *us)
{
	if (delayed_work_pending(&us->tx.spares.work))
		return;
	sock_hold(&us->sk);
	if (!queue_delayed_work(txm_wq, &us->tx.spares.work, SPARES_IDLE))
		sock_put(&us->sk);
}

static void spares_work(struct work_struct *work)
{
	struct uet_sock *us = container_of(to_delayed_work(work), struct uet_sock, tx.spares.work);

	uet_rx_done_drop(us);
	if (READ_ONCE(us->tx.spares.is_used)) {
		WRITE_ONCE(us->tx.spares.is_used, false);
		uet_spares_watch(us);
	} else {
		spares_drop(us);
	}
	sock_put(&us->sk);
}

/* The oldest spare, if no packet refers to its page. */
static struct uet_chunk *spare_take(struct uet_sock *us)
{
	struct uet_spares *spares = &us->tx.spares;
	struct uet_chunk *chunk;

	if (!READ_ONCE(spares->bytes))
		return NULL;
	spin_lock_bh(&spares->lock);
	chunk = list_first_entry_or_null(&spares->list, struct uet_chunk, link);
	if (chunk && page_ref_count(chunk->page) == 1) {
		list_del(&chunk->link);
		WRITE_ONCE(spares->bytes, spares->bytes - UET_PIECE);
		spares->is_used = true;
	} else {
		chunk = NULL;
	}
	spin_unlock_bh(&spares->lock);
	if (chunk)
		uet_mem_uncharge_tx(us, UET_PIECE);
	return chunk;
}

/* Return: true if the socket keeps @chunk. */
static bool spare_keep(struct uet_sock *us, struct uet_chunk *chunk)
{
	struct uet_spares *spares = &us->tx.spares;
	struct sock *sk = &us->sk;
	u32 most = READ_ONCE(sk->sk_sndbuf);

	if (us->ops)
		most = min(most, SPARES_MAX);
	if (!chunk->is_whole || READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN ||
	    READ_ONCE(spares->bytes) + UET_PIECE > most ||
	    !uet_mem_charge_tx(us, UET_PIECE))
		return false;
	spin_lock_bh(&spares->lock);
	list_add_tail(&chunk->link, &spares->list);
	WRITE_ONCE(spares->bytes, spares->bytes + UET_PIECE);
	/* The work may be that of messages that were read, and due. */
	spares->is_used = true;
	spin_unlock_bh(&spares->lock);
	uet_spares_watch(us);
	return true;
}

/*
 * Return: a chunk of up to @bytes bytes with unknown contents, at least UET_PIECE_MIN bytes, or
 * all; NULL without memory.
 */
static struct uet_chunk *chunk_alloc(struct uet_sock *us, u32 bytes)
{
	struct uet_chunk *chunk = NULL;

	if (bytes >= UET_PIECE) {
		chunk = spare_take(us);
		if (!chunk)
			chunk = chunk_alloc_whole(&us->sk);
	}
	return chunk ? : chunk_share(&us->sk, bytes);
}

/* Free data of a message, or keep its memory as spares.  Return: number of bytes. */
static u32 chunks_free(struct uet_sock *us, struct list_head *chunks)
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

/*
 * uet_spares_open() - set up a socket without spares
 */
void uet_spares_open(struct uet_sock *us)
{
	spin_lock_init(&us->tx.spares.lock);
	INIT_LIST_HEAD(&us->tx.spares.list);
	INIT_DELAYED_WORK(&us->tx.spares.work, spares_work);
}

/*
 * uet_spares_close() - free the spares of a socket that is shut down
 *
 * A message that ends at the same time may leave one; it is freed as at an idle socket.
 */
void uet_spares_close(struct uet_sock *us)
{
	if (cancel_delayed_work(&us->tx.spares.work))
		sock_put(&us->sk);
	spares_drop(us);
}

/* -------------------------------------------------------------------------- messages */

/* Return: true: the last reference is gone, and the caller must end the message. */
static bool zcopy_put(struct uet_zcopy *zc)
{
	return refcount_dec_and_test(&zc->pages.ubuf.refcnt);
}

static void zcopy_free(struct uet_zcopy *zc)
{
	mm_unaccount_pinned_pages(&zc->pin);
	kfree(zc);
}

/*
 * uet_tx_message_charge() - charge bytes that one uet_tx_message_fill() will supply to a
 *	socket's send buffer
 * @force: also if the send buffer is full
 *
 * A send buffer that is not full accepts any amount, so a message of up to SO_SNDBUF bytes is
 * accepted whenever poll() reports EPOLLOUT. lock_sock() is held, so that senders cannot all
 * use the same space.
 * Return: 0; -EAGAIN: the send buffer is full; -ENOBUFS: uet_mem is used up, or TXM_CHARGE_MAX
 *	is reached.
 */
int uet_tx_message_charge(struct uet_sock *us, u32 bytes, bool force)
{
	struct sock *sk = &us->sk;

	if (!force && !uet_sock_has_space(us))
		return -EAGAIN;
	if (refcount_read(&sk->sk_wmem_alloc) + bytes > TXM_CHARGE_MAX)
		return uet_sock_refuse(us, -ENOBUFS, "sendmsg: %u bytes more would exceed 1 GiB of the send buffer",
				       bytes);
	if (!uet_mem_charge_tx(us, bytes))
		return uet_sock_refuse(us, -ENOBUFS, "sendmsg: net.uet.uet_mem has no place for %u bytes",
				       bytes);
	refcount_add(bytes, &sk->sk_wmem_alloc);
	return 0;
}

/*
 * uet_tx_message_refund() - uncharge bytes of uet_tx_message_charge()
 */
void uet_tx_message_refund(struct uet_sock *us, u32 bytes)
{
	uet_mem_uncharge_tx(us, bytes);
	/* Never the last reference: the socket holds one until it is freed. */
	WARN_ON_ONCE(refcount_sub_and_test(bytes, &us->sk.sk_wmem_alloc));
}

/*
 * uet_tx_message_alloc() - a message without data, with one reference; NULL without memory
 * @length: final length of the message, bytes
 */
struct uet_tx_message *uet_tx_message_alloc(struct uet_sock *us, u32 length)
{
	size_t size = length > TXM_SHORT ? sizeof(struct uet_tx_message) :
					     sizeof(struct txm_short);
	struct uet_tx_message *tm;

	BUILD_BUG_ON(offsetof(struct txm_short, tm));
	if (!uet_mem_charge_tx(us, TXM_OVERHEAD))
		return NULL;
	tm = kzalloc(size, us->sk.sk_allocation);
	if (!tm) {
		uet_mem_uncharge_tx(us, TXM_OVERHEAD);
		return NULL;
	}
	tm->ses.length = length;
	tm->ses.mtu = us->fep->cfg.mtu;
	tm->ses.opcode = UET_OP_SEND;
	INIT_LIST_HEAD(&tm->ses.link);
	INIT_LIST_HEAD(&tm->chunks);
	refcount_set(&tm->refs, 1);
	tm->attended = length != 0;
	tm->us = us;
	tm->owner = &us->sk;
	sock_hold(&us->sk);
	refcount_add(TXM_OVERHEAD, &us->sk.sk_wmem_alloc);
	return tm;
}

/*
 * uet_tx_message_exclude() - do not count a message without bytes in the send buffer
 *
 * It waits at its receiver for as long as that likes, and must not keep other messages out of
 * the send buffer.  Its memory stays charged.
 */
void uet_tx_message_exclude(struct uet_tx_message *tm)
{
	tm->is_excluded = true;
	WARN_ON_ONCE(refcount_sub_and_test(TXM_OVERHEAD, &tm->us->sk.sk_wmem_alloc));
}

/*
 * uet_tx_message_put() - drop a reference; the last one frees the message and its data, with no
 *	PDC lock held
 */
void uet_tx_message_put(struct uet_tx_message *tm)
{
	struct sock *sk = &tm->us->sk;
	u32 bytes;

	if (!refcount_dec_and_test(&tm->refs))
		return;
	bytes = chunks_free(tm->us, &tm->chunks);
	if (tm->is_excluded)
		uet_mem_uncharge_tx(tm->us, TXM_OVERHEAD);
	else
		bytes += TXM_OVERHEAD;
	uet_tx_message_refund(tm->us, bytes);
	uet_mr_own_put(tm->us, &tm->local, NULL);
	if (tm->cqe)
		uet_cqe_free(tm->us, tm->cqe);
	if (tm->zc)
		zcopy_free(tm->zc);
	if (tm->ops)
		tm->ops->free(tm);
	kfree(tm);
	sk->sk_write_space(sk);
	sock_put(sk);
}

/* Return: number of bytes, or a negative errno. */
static int txm_copy(struct uet_tx_message *tm, struct iov_iter *from, u32 bytes,
		    struct list_head *chunks)
{
	struct uet_chunk *chunk;
	struct txm_short *ts;

	if (tm->ses.length > TXM_SHORT) {
		chunk = chunk_alloc(tm->us, bytes);
		if (!chunk)
			return -ENOMEM;
	} else {
		ts = container_of(tm, struct txm_short, tm);
		chunk = &ts->chunk;
		chunk->data = ts->bytes;
		chunk->len = bytes;
	}
	list_add_tail(&chunk->link, chunks);
	if (!copy_from_iter_full(chunk->data, chunk->len, from))
		return -EFAULT;
	return chunk->len;
}

/* Does a page continue a slice in the same allocation? */
static bool txm_continues(const struct uet_chunk *chunk, struct page *page, u32 offset)
{
	return !offset && chunk->data + chunk->len == page_address(page) &&
	       compound_head(page) == compound_head(chunk->page);
}

/*
 * A part of a page; its reference passes to the message.  Return: 0 or -ENOMEM.
 */
static int txm_take_page(struct uet_tx_message *tm, struct page *page,
			 u32 offset, u32 len, struct list_head *chunks)
{
	struct uet_chunk *chunk = NULL;

	if (!list_empty(chunks))
		chunk = list_last_entry(chunks, struct uet_chunk, link);
	if (chunk && txm_continues(chunk, page, offset)) {
		chunk->len += len;
		put_page(page);
		return 0;
	}
	chunk = kzalloc(sizeof(*chunk), tm->us->sk.sk_allocation);
	if (!chunk) {
		put_page(page);
		return -ENOMEM;
	}
	chunk->page = page;
	chunk->data = page_address(page) + offset;
	chunk->len = len;
	list_add_tail(&chunk->link, chunks);
	return 0;
}

/*
 * Pin pages of the sender for reading only: a write to a page that is shared with others goes
 * to a copy of the page.
 * Return: number of bytes, or a negative errno.
 */
static int txm_take(struct uet_tx_message *tm, struct iov_iter *from, u32 bytes,
		    struct list_head *chunks)
{
	struct page *pages[TXM_PAGES];
	ssize_t got, left;
	size_t offset;
	u32 i, len;
	int err = 0;

	got = iov_iter_get_pages2(from, pages, bytes, TXM_PAGES, &offset);
	if (got <= 0)
		return -EFAULT;
	for (i = 0, left = got; left; i++, left -= len) {
		len = min_t(size_t, left, PAGE_SIZE - offset);
		if (err)
			put_page(pages[i]);
		else
			err = txm_take_page(tm, pages[i], offset, len, chunks);
		offset = 0;
	}
	return err ? : got;
}

/*
 * uet_tx_message_fill() - copy data of the sender, or pin its pages
 * @bytes: of @from, charged by uet_tx_message_charge(); a multiple of the Payload MTU except at
 *	the end of the message, so that no packet spans two calls and all supplied bytes can be sent
 *	and freed
 * @chunks: empty list; gets the data, for uet_tx_message_append()
 * Return: 0; -EFAULT or -ENOMEM, and @bytes are uncharged then.
 */
int uet_tx_message_fill(struct uet_tx_message *tm, struct iov_iter *from,
			u32 bytes, struct list_head *chunks)
{
	u32 left = bytes;
	int got;

	while (left) {
		got = tm->zc ? txm_take(tm, from, left, chunks) :
			       txm_copy(tm, from, left, chunks);
		if (got < 0)
			goto err_chunks;
		left -= got;
		cond_resched();
	}
	return 0;

err_chunks:
	chunks_free(tm->us, chunks);
	uet_tx_message_refund(tm->us, bytes);
	if (got == -ENOMEM)
		return uet_sock_refuse(tm->us, got, "sendmsg: no memory for %u bytes", left);
	return uet_sock_refuse(tm->us, got, "sendmsg: the buffer cannot be read");
}

/*
 * uet_tx_message_append() - append data of uet_tx_message_fill() to a message
 *
 * The last bytes of the message clear @attended.
 * Return: false if the message has ended; @chunks remain with the caller.
 */
bool uet_tx_message_append(struct uet_tx_message *tm, struct list_head *chunks)
{
	struct uet_chunk *chunk;

	if (tm->done)
		return false;
	list_for_each_entry(chunk, chunks, link) {
		chunk->start = tm->ses.avail;
		tm->ses.avail += chunk->len;
	}
	list_splice_tail_init(chunks, &tm->chunks);
	if (tm->ses.avail == tm->ses.length)
		WRITE_ONCE(tm->attended, false);
	return true;
}

/*
 * uet_tx_message_page() - UET_PIECE bytes of a message that was acknowledged, with a reference,
 *	for uet_tx_message_refer(); NULL: there are none
 */
struct page *uet_tx_message_page(struct uet_sock *us)
{
	struct uet_chunk *chunk = spare_take(us);
	struct page *page = chunk ? chunk->page : NULL;

	kfree(chunk);
	return page;
}

/*
 * uet_tx_message_refer() - supply all bytes of a message from the page fragments of a buffer,
 *	which does not change until the message has ended; in any context but hard interrupt
 * Return: 0; -EAGAIN, -ENOBUFS, -ENOMEM.
 */
int uet_tx_message_refer(struct uet_tx_message *tm, struct sk_buff *skb)
{
	const skb_frag_t *frag;
	struct txm_short *ts;
	LIST_HEAD(chunks);
	int i, err;

	err = uet_tx_message_charge(tm->us, skb->len, false);
	if (!err && skb->len <= TXM_SHORT) {
		ts = container_of(tm, struct txm_short, tm);
		ts->chunk.data = ts->bytes;
		ts->chunk.len = skb->len;
		list_add_tail(&ts->chunk.link, &chunks);
		uet_tx_message_append(tm, &chunks);
		return skb_copy_bits(skb, 0, ts->bytes, skb->len);
	}
	for (i = 0; !err && i < skb_shinfo(skb)->nr_frags; i++) {
		frag = &skb_shinfo(skb)->frags[i];
		get_page(skb_frag_page(frag));
		err = txm_take_page(tm, skb_frag_page(frag), skb_frag_off(frag),
				    skb_frag_size(frag), &chunks);
		if (err) {
			chunks_free(tm->us, &chunks);
			uet_tx_message_refund(tm->us, skb->len);
		} else if (skb_frag_size(frag) == UET_PIECE) {
			list_last_entry(&chunks, struct uet_chunk, link)->is_whole = true;
		}
	}
	if (!err)
		uet_tx_message_append(tm, &chunks);
	return err;
}

/*
 * The chunk with byte @offset. Packets are built in order or retransmitted from slightly
 * earlier offsets, so the walk from the last chunk takes few steps.
 */
static struct uet_chunk *txm_find_chunk(struct uet_tx_message *tm, u32 offset)
{
	struct uet_chunk *chunk = tm->hint;

	if (!chunk)
		chunk = list_first_entry_or_null(&tm->chunks, struct uet_chunk, link);
	while (chunk && offset < chunk->start) {
		if (list_is_first(&chunk->link, &tm->chunks))
			return NULL;
		chunk = list_prev_entry(chunk, link);
	}
	while (chunk && offset - chunk->start >= chunk->len) {
		if (list_is_last(&chunk->link, &tm->chunks))
			return NULL;
		chunk = list_next_entry(chunk, link);
	}
	tm->hint = chunk;
	return chunk;
}

/* Not for data of a short message: packets have space for a copy. */
static void txm_add_frag(struct sk_buff *skb, const struct uet_chunk *chunk, u32 skip, u32 len)
{
	const u8 *page = page_address(chunk->page);

	BUILD_BUG_ON(TXM_SHORT > UET_TX_COPY);
	get_page(chunk->page);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, chunk->page,
			chunk->data - page + skip, len, len);
}

/*
 * uet_tx_message_put_bytes() - add data of a message to a packet, or to a run
 * @skb: gets a copy of the data if it has space for all of it, else page fragments
 * @len: length, bytes; of a packet at most UET_MTU_MAX
 * @nr: number of packets, all of the same length
 *
 * Slices are UET_PIECE_MIN or more, except the last slice of a uet_tx_message_fill() and, for the
 * sender's pages, also the first. A packet therefore needs at most UET_PIECES_PER_PACKET
 * slices.  A run may need more than a socket buffer has.
 * Return: number of bytes; less than @len if the message does not contain them (any more), or
 *	if they need too many slices.
 */
u32 uet_tx_message_put_bytes(struct uet_tx_message *tm, struct sk_buff *skb,
			     u32 offset, u32 len, u32 nr)
{
	bool is_copied = uet_tx_has_space(skb, len);
	struct uet_chunk *chunk;
	u32 skip, here, left;

	BUILD_BUG_ON(UET_PIECES_PER_PACKET > MAX_SKB_FRAGS);

	for (left = len; left; left -= here) {
		chunk = txm_find_chunk(tm, offset);
		if (!chunk || skb_shinfo(skb)->nr_frags >= MAX_SKB_FRAGS)
			break;
		skip = offset - chunk->start;
		here = min(left, chunk->len - skip);
		if (is_copied)
			skb_put_data(skb, chunk->data + skip, here);
		else
			txm_add_frag(skb, chunk, skip, here);
		offset += here;
	}
	if (tm->zc && len && !is_copied) {
		skb_zcopy_set(skb, &tm->zc->pages.ubuf, NULL);
		uet_mib_add(uet_net(sock_net(&tm->us->sk)), UET_MIB_TX_ZEROCOPY,
			    (len - left) / (len / nr));
	}
	return len - left;
}

/*
 * uet_tx_message_acked() - move acknowledged data to @freed, for uet_tx_message_uncharge();
 *	number of bytes
 */
u32 uet_tx_message_acked(struct uet_tx_message *tm, struct list_head *freed)
{
	struct uet_chunk *chunk, *next;
	u32 bytes = 0;

	list_for_each_entry_safe(chunk, next, &tm->chunks, link) {
		if (tm->ses.acked - chunk->start < chunk->len)
			break;
		if (tm->hint == chunk)
			tm->hint = NULL;
		bytes += chunk->len;
		list_move_tail(&chunk->link, freed);
	}
	return bytes;
}

/*
 * uet_tx_message_uncharge() - free and uncharge data of uet_tx_message_acked(), without a PDC
 *	lock
 */
void uet_tx_message_uncharge(struct uet_tx_message *tm, struct list_head *freed)
{
	struct sock *sk = &tm->us->sk;

	if (list_empty(freed))
		return;
	uet_tx_message_refund(tm->us, chunks_free(tm->us, freed));
	/*
	 * A streaming sender is limited to one piece in flight, see sock_io.c.
	 * Pairs with the WRITE_ONCE() in uet_tx_message_append().
	 */
	if (READ_ONCE(tm->attended))
		uet_sock_wake_senders(tm->us);
	else
		sk->sk_write_space(sk);
}

#define TXM_FAILED	"message of %u bytes in job %u to %s/%u/%u: "

/*
 * close() puts the FEP after it has shut the socket down, and the FEP is freed by RCU. Pages of
 * a message may come back later; then nobody can read the text any more.
 */
static int txm_explain_size(struct uet_tx_message *tm, int error)
{
	const struct uet_ses_tx *tx = &tm->ses;
	const struct uet_sock *us = tm->us;
	char fa[UET_FA_TEXT];

	rcu_read_lock();
	if (READ_ONCE(us->sk.sk_shutdown) != SHUTDOWN_MASK)
		uet_sock_explain(tm->us, error, TXM_FAILED "FEP %s needs MTU %u, the path has %u",
				 uet_ses_tx_length(tx), tx->to.job,
				 uet_fa_print(&tm->fa, fa), tx->to.pid,
				 tx->to.ri, us->fep->cfg.name,
				 READ_ONCE(us->fep->min_mtu), tm->path_mtu);
	rcu_read_unlock();
	return error;
}

/*
 * uet_tx_message_explain() - set UET_LAST_ERROR for a failed message; returns @error
 * @error: negative errno of the message, or UET_SOCK_MESSAGE_REPORTED
 */
int uet_tx_message_explain(struct uet_tx_message *tm, int error)
{
	const struct uet_ses_tx *tx = &tm->ses;
	char fa[UET_FA_TEXT];

	if (tx->error == UET_PDC_ERR_TOO_BIG)
		return txm_explain_size(tm, error);
	return uet_sock_explain(tm->us, error, TXM_FAILED "%s (%s)",
				uet_ses_tx_length(tx), tx->to.job,
				uet_fa_print(&tm->fa, fa), tx->to.pid,
				tx->to.ri, uet_ses_why(tx),
				tx->error ? uet_pdc_error_name(tx->error) :
					   uet_ses_rc_name(tx->rc));
}

/*
 * Report the result once: a sender that attends the message reads the result itself, else the
 * completion reports it, else a failure goes to the socket. A failure of a cancelled message is
 * not reported to the socket. If the message had pages of its sender, the completion always
 * tells that they are free.
 */
static void txm_report(struct uet_tx_message *tm, bool had_pages)
{
	struct uet_sock *us = tm->us;
	int error = uet_ses_errno(&tm->ses);

	if (tm->attended && !had_pages)
		return;
	if (tm->cqe) {
		/* The text is there when the completion is. */
		if (error && !tm->ses.is_aborted)
			uet_tx_message_explain(tm, UET_SOCK_MESSAGE_REPORTED);
		uet_cqe_fill(tm->cqe, &tm->ses);
		uet_mr_own_put(us, &tm->local, tm->cqe);
		tm->local.own = NULL;
		tm->cqe = NULL;
		return;
	}
	if (!error || tm->ses.is_aborted)
		return;
	if (uet_sock_set_error(us, error))
		uet_tx_message_explain(tm, error);
}

static void txm_end(struct uet_tx_message *tm)
{
	struct uet_sock *us = tm->us;
	bool had_pages = tm->zc;

	/* Unpin first: a notified sender may pin as much again. */
	if (had_pages)
		zcopy_free(tm->zc);
	tm->zc = NULL;
	/* A flush that finds no pending message must see their results. */
	txm_report(tm, had_pages);
	/*
	 * A thread may wait for this end: a flush for the last message, a sender for the message
	 * that it attends, or in ROD a sender until a PDC has no messages.
	 */
	if (atomic_dec_and_test(&us->tx.pending) || tm->attended || tm->is_ordered)
		uet_sock_wake_senders(us);
	uet_tx_message_put(tm);
}

/*
 * uet_tx_message_finish() - finish a message that SES has returned, with the reference of the
 *	PDC
 *
 * It ends now, or when no packet refers to its sender's pages any more.
 */
void uet_tx_message_finish(struct uet_tx_message *tm)
{
	if (!tm->zc || zcopy_put(tm->zc))
		txm_end(tm);
}

/* ---------------------------------------------------------------------- MSG_ZEROCOPY */

static void zcopy_end(struct work_struct *work)
{
	txm_end(container_of(work, struct uet_zcopy, work)->tm);
}

/* A packet releases the pages. */
static void zcopy_complete(struct sk_buff *skb, struct ubuf_info *ubuf, bool success)
{
	struct uet_zcopy *zc = container_of(ubuf, struct uet_zcopy, pages.ubuf);

	if (skb)
		uet_host_limit_leave(skb);
	if (!success)
		uet_mib_inc(uet_net(sock_net(&zc->tm->us->sk)), UET_MIB_TX_ZEROCOPY_COPIED);
	if (zcopy_put(zc))
		queue_work(txm_wq, &zc->work);
}

static const struct ubuf_info_ops zcopy_ops = {
	.complete = zcopy_complete,
};

/* With many small buffers a packet would need too many fragments. */
static bool zcopy_fits(const struct iov_iter *from, u32 length)
{
	return UET_HAS_ZEROCOPY && length >= UET_ZEROCOPY_MIN && user_backed_iter(from) &&
	       iov_iter_single_seg_count(from) >= length;
}

/*
 * uet_zcopy_begin() - send a message from the pages of its sender, if that pays and is possible
 * Return: 0; -ENOMEM, also above RLIMIT_MEMLOCK.
 */
int uet_zcopy_begin(struct uet_tx_message *tm, const struct iov_iter *from, u32 length)
{
	struct uet_zcopy *zc;

	if (!zcopy_fits(from, length))
		return 0;
	zc = kzalloc(sizeof(*zc), tm->us->sk.sk_allocation);
	if (!zc)
		return uet_sock_refuse(tm->us, -ENOMEM, "sendmsg: no memory");
	if (mm_account_pinned_pages(&zc->pin, length)) {
		kfree(zc);
		return uet_sock_refuse(tm->us, -ENOMEM, "sendmsg: %u bytes by MSG_ZEROCOPY are above RLIMIT_MEMLOCK",
				       length);
	}
	uet_ubuf_set_ops(&zc->pages.ubuf, &zcopy_ops);
	refcount_set(&zc->pages.ubuf.refcnt, 1);
	uet_ubuf_set_flags(&zc->pages.ubuf);
	zc->tm = tm;
	INIT_WORK(&zc->work, zcopy_end);
	tm->zc = zc;
	return 0;
}
