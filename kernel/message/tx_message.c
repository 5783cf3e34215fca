// SPDX-License-Identifier: GPL-2.0
/*
 * Outgoing messages: storage of their data between sendmsg() and the last
 * acknowledgement, and the memory charged to their socket. The data is in
 * slices of pages that packets refer to without copying. The pages are the
 * kernel's or, with MSG_ZEROCOPY, the sender's; the data of a short message
 * follows the message structure. SES cuts messages into packets, tx.c builds
 * the packets, zcopy.c tracks when a sender's pages are unused.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "chunk.h"
#include "endpoint/endpoint.h"
#include "msg.h"
#include "zcopy.h"

/* A message of up to this many bytes uses a single allocation. */
#define TXM_SHORT	128

/**
 * struct txm_short - a short message with its data
 * @tm: the message
 * @chunk: its only chunk
 * @bytes: its data
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

/**
 * uet_tx_message_charge() - charge bytes to a socket's send buffer
 * @us: socket
 * @bytes: bytes that one uet_tx_message_fill() will supply
 * @force: also if the send buffer is full
 *
 * A send buffer that is not full accepts any amount, so a message of up to
 * SO_SNDBUF bytes is accepted whenever poll() reports EPOLLOUT.
 *
 * Context: lock_sock() held, so that senders cannot all use the same space.
 * Return: 0; -EAGAIN: the send buffer is full; -ENOBUFS: uet_mem is used up, or
 *	TXM_CHARGE_MAX is reached.
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

/**
 * uet_tx_message_refund() - uncharge bytes of uet_tx_message_charge()
 * @us: socket, referenced
 * @bytes: number of bytes
 */
void uet_tx_message_refund(struct uet_sock *us, u32 bytes)
{
	uet_mem_uncharge_tx(us, bytes);
	/* Never the last reference: the socket holds one until it is freed. */
	WARN_ON_ONCE(refcount_sub_and_test(bytes, &us->sk.sk_wmem_alloc));
}

/**
 * uet_tx_message_alloc() - allocate a message without data
 * @us: sending endpoint, bound
 * @length: final length of the message, bytes
 *
 * Context: Process, may sleep.
 * Return: the message with one reference, or NULL without memory.
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
	sock_hold(&us->sk);
	refcount_add(TXM_OVERHEAD, &us->sk.sk_wmem_alloc);
	return tm;
}

/**
 * uet_tx_message_exclude() - do not count a message without bytes in the send buffer
 * @tm: message, private
 *
 * It waits at its receiver for as long as that likes, and must not keep other messages out
 * of the send buffer.  Its memory stays charged.
 *
 * Context: Process.
 */
void uet_tx_message_exclude(struct uet_tx_message *tm)
{
	tm->is_excluded = true;
	WARN_ON_ONCE(refcount_sub_and_test(TXM_OVERHEAD, &tm->us->sk.sk_wmem_alloc));
}

/**
 * uet_tx_message_get() - take a reference
 * @tm: message
 */
void uet_tx_message_get(struct uet_tx_message *tm)
{
	refcount_inc(&tm->refs);
}

/**
 * uet_tx_message_put() - drop a reference
 * @tm: message; freed with its data at the last reference
 *
 * Context: Any, no PDC lock held.
 */
void uet_tx_message_put(struct uet_tx_message *tm)
{
	struct sock *sk = &tm->us->sk;
	u32 bytes;

	if (!refcount_dec_and_test(&tm->refs))
		return;
	bytes = uet_chunks_free(tm->us, &tm->chunks);
	if (tm->is_excluded)
		uet_mem_uncharge_tx(tm->us, TXM_OVERHEAD);
	else
		bytes += TXM_OVERHEAD;
	uet_tx_message_refund(tm->us, bytes);
	uet_mr_own_put(tm->us, &tm->local, NULL);
	if (tm->cqe)
		uet_cqe_free(tm->us, tm->cqe);
	if (tm->zc)
		uet_zcopy_free(tm->zc);
	if (tm->defer)
		tm->free_defer(tm);
	kfree(tm);
	sk->sk_write_space(sk);
	sock_put(sk);
}

/* The chunk for the next of @bytes. Return: NULL without memory. */
static struct uet_chunk *txm_get_chunk(struct uet_tx_message *tm, u32 bytes)
{
	struct txm_short *ts;

	if (tm->ses.length > TXM_SHORT)
		return uet_chunk_alloc(tm->us, bytes);
	ts = container_of(tm, struct txm_short, tm);
	ts->chunk.data = ts->bytes;
	ts->chunk.len = bytes;
	return &ts->chunk;
}

/* Copy some bytes. Return: number of bytes, or a negative errno. */
static int txm_copy(struct uet_tx_message *tm, struct iov_iter *from, u32 bytes,
		    struct list_head *chunks)
{
	struct uet_chunk *chunk = txm_get_chunk(tm, bytes);

	if (!chunk)
		return -ENOMEM;
	list_add_tail(&chunk->link, chunks);
	if (!copy_from_iter_full(chunk->data, chunk->len, from))
		return -EFAULT;
	return chunk->len;
}

/* Does a page continue a slice in the same allocation? */
static bool txm_continues(const struct uet_chunk *chunk,
			  const struct page *page, u32 offset)
{
	return !offset && chunk->data + chunk->len == page_address(page) &&
	       compound_head(page) == compound_head(chunk->page);
}

/*
 * Add a part of a page of the sender; its reference passes to the message.
 * Return: 0 or -ENOMEM.
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
 * Pin pages of the sender for reading only: a write to a page that is shared
 * with others goes to a copy of the page.
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
			err = txm_take_page(tm, pages[i], offset, len,
					    chunks);
		offset = 0;
	}
	return err ? : got;
}

/**
 * uet_tx_message_fill() - copy data of the sender, or pin its pages
 * @tm: message; with @tm->zc its data is in one user buffer
 * @from: source, has @bytes bytes
 * @bytes: number of bytes, charged by uet_tx_message_charge(); a multiple of
 *	the Payload MTU except at the end of the message, so that no packet
 *	spans two calls and all supplied bytes can be sent and freed
 * @chunks: empty list; gets the data, for uet_tx_message_append()
 *
 * Context: Process, may sleep and fault.
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
	uet_chunks_free(tm->us, chunks);
	uet_tx_message_refund(tm->us, bytes);
	if (got == -ENOMEM)
		return uet_sock_refuse(tm->us, got, "sendmsg: no memory for %u bytes",
				       left);
	return uet_sock_refuse(tm->us, got, "sendmsg: the buffer cannot be read");
}

/**
 * uet_tx_message_append() - append data to a message
 * @tm: message
 * @chunks: from uet_tx_message_fill(), ownership passes
 *
 * The last bytes of the message clear @attended.
 *
 * Context: Lock of the PDC held, or the message not yet given to a PDC.
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
 * The chunk with byte @offset. Packets are built in order or retransmitted from
 * slightly earlier offsets, so the walk from the last chunk takes few steps.
 */
static struct uet_chunk *txm_find_chunk(struct uet_tx_message *tm, u32 offset)
{
	struct uet_chunk *chunk = tm->hint;

	if (!chunk)
		chunk = list_first_entry_or_null(&tm->chunks, struct uet_chunk,
						 link);
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
static void txm_add_frag(struct sk_buff *skb, const struct uet_chunk *chunk,
			 u32 skip, u32 len)
{
	const u8 *page = page_address(chunk->page);

	BUILD_BUG_ON(TXM_SHORT > UET_TX_COPY);
	get_page(chunk->page);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, chunk->page,
			chunk->data - page + skip, len, len);
}

/**
 * uet_tx_message_put_bytes() - add data of a message to a packet, or to a run
 * @tm: message
 * @skb: gets a copy of the data if it has space for all of it, else page
 *	fragments that refer to the data
 * @offset: offset of the first byte in the message
 * @len: length, bytes; of a packet at most UET_MTU_MAX
 * @nr: number of packets, all of the same length
 *
 * Slices are PAGE_SIZE or more, except the last slice of a
 * uet_tx_message_fill() and, for the sender's pages, also the first. A packet
 * therefore needs at most UET_MTU_MAX / PAGE_SIZE + 2 slices.  A run may need more than
 * a socket buffer has.
 *
 * Context: Lock of the PDC held.
 * Return: number of bytes; less than @len if the message does not contain them (any
 *	more), or if they need too many slices.
 */
u32 uet_tx_message_put_bytes(struct uet_tx_message *tm, struct sk_buff *skb,
			     u32 offset, u32 len, u32 nr)
{
	bool is_copied = uet_tx_has_space(skb, len);
	struct uet_chunk *chunk;
	u32 skip, here, left;

	BUILD_BUG_ON(UET_MTU_MAX / PAGE_SIZE + 2 > MAX_SKB_FRAGS);

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
	if (tm->zc && len && !is_copied)
		uet_zcopy_add(tm->zc, skb, (len - left) / (len / nr));
	return len - left;
}

/**
 * uet_tx_message_acked() - detach acknowledged data
 * @tm: message
 * @freed: gets the data, for uet_tx_message_uncharge()
 *
 * Context: Lock of the PDC held.
 * Return: number of bytes.
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

/**
 * uet_tx_message_uncharge() - free and uncharge data of uet_tx_message_acked()
 * @tm: message, referenced
 * @freed: the data
 *
 * Context: Any, no PDC lock held.
 */
void uet_tx_message_uncharge(struct uet_tx_message *tm, struct list_head *freed)
{
	struct sock *sk = &tm->us->sk;

	if (list_empty(freed))
		return;
	uet_tx_message_refund(tm->us, uet_chunks_free(tm->us, freed));
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
 * close() puts the FEP after it has shut the socket down, and the FEP is freed by RCU.
 * Pages of a message may come back later; then nobody can read the text any more.
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

/**
 * uet_tx_message_explain() - set UET_LAST_ERROR for a failed message
 * @tm: message, done
 * @error: negative errno of the message, or UET_SOCK_MESSAGE_REPORTED
 *
 * Return: @error.
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

/**
 * uet_tx_message_finish() - finish a message that SES has returned
 * @tm: message; the reference of the PDC is dropped
 *
 * The message ends now, or when no packet refers to its sender's pages any
 * more.
 *
 * Context: Any, no PDC lock held.
 */
void uet_tx_message_finish(struct uet_tx_message *tm)
{
	if (!tm->zc || uet_zcopy_put(tm->zc))
		uet_tx_message_end(tm);
}

/* Return: true if the message had pages of its sender. */
static bool txm_give_pages_back(struct uet_tx_message *tm)
{
	if (!tm->zc)
		return false;
	uet_zcopy_free(tm->zc);
	tm->zc = NULL;
	return true;
}

/*
 * Report the result once: a sender that attends the message reads the result
 * itself, else the completion reports it, else a failure goes to the socket.
 * A failure of a cancelled message is not reported to the socket. If the message
 * had pages of its sender, the completion always tells that they are free.
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

/*
 * Count the message as ended. Return: true if a thread may wait for this end: a
 * flush for the last message, a sender for the message that it attends, or in
 * ROD a sender until a PDC has no messages.
 */
static bool txm_uncount(struct uet_tx_message *tm)
{
	struct uet_sock *us = tm->us;

	return atomic_dec_and_test(&us->tx_pending) || tm->attended ||
	       tm->is_ordered;
}

/*
 * End a message.
 *
 * A completion, if requested, reports success or failure. Otherwise a failure
 * is reported to the socket, unless a sender still attends the message or has
 * cancelled it.
 *
 * Context: Any, no PDC lock held.
 */
void uet_tx_message_end(struct uet_tx_message *tm)
{
	/* Unpin first: a notified sender may pin as much again. */
	bool had_pages = txm_give_pages_back(tm);

	/* A flush that finds no pending message must see their results. */
	txm_report(tm, had_pages);
	if (txm_uncount(tm))
		uet_sock_wake_senders(tm->us);
	uet_tx_message_put(tm);
}
