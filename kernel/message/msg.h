/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages in the shell: the core's bookkeeping plus the data, the socket they
 * belong to and the memory they are charged to. Sockets and PDCs exchange
 * nothing else.
 */
#ifndef UET_MSG_H
#define UET_MSG_H

#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/uio.h>

#include "base/base.h"
#include "core/ses/match.h"
#include "core/ses/ses.h"
#include "endpoint/endpoint.h"

struct uet_chunk;
struct uet_cqe;
struct uet_posted_recv;
struct uet_rx_deferrable;
struct uet_rx_message;
struct uet_rx_rdv;
struct uet_sock;
struct uet_tx_deferrable;
struct uet_zcopy;

/**
 * struct uet_tx_message - an outgoing message
 * @ses: SES state; under the lock of the PDC that queues the message
 * @us: sending endpoint; the message holds a sock reference
 * @fa: fabric address of the target; immutable once the message is sent
 * @refs: one from uet_tx_message_alloc() to uet_tx_message_end(), one for a sender
 *	that is still supplying bytes
 * @chunks: the bytes, struct uet_chunk in ascending order; appended by the
 *	sender, the acknowledged prefix freed by uet_tx_message_acked()
 * @hint: last chunk that uet_tx_message_put_bytes() used, or NULL
 * @cqe: completion of the message; NULL: none required; set before
 *	uet_pdc_entry_send(), consumed by uet_tx_message_end(), else freed with the
 *	message
 * @amo: storage of @ses.amo
 * @local: local memory for returned data, or of a rendezvous message; immutable; holds
 *	a reference to memory that was named by its address
 * @zc: MSG_ZEROCOPY: @chunks are pages of the sender, NULL: they are copies; set
 *	before the first bytes, freed by uet_tx_message_end()
 * @is_excluded: the message does not count in the send buffer; immutable
 * @attended: a sender is still supplying bytes and will get the result
 * @is_ordered: the message is on a PDC of mode ROD; immutable
 * @path_mtu: with UET_PDC_ERR_TOO_BIG, largest path MTU, bytes
 * @done: SES has returned the message: @ses is constant, no bytes are accepted;
 *	set by uet_tx_message_set_done(), READ_ONCE by a sender that waits
 * @defer: state of a deferrable message, else NULL; immutable after
 *	uet_pdc_entry_send()
 * @free_defer: frees @defer with the message
 * @rtr: for UET_OP_DEFERRABLE_RTR, the requested message, one reference; immutable
 * @rdv: for the READ of a rendezvous message of a peer, the rendezvous message, one
 *	reference; immutable
 *
 * @chunks, @hint, @attended, @path_mtu and @done are under the lock of the PDC
 * after uet_pdc_entry_send(). Before, they belong to the sender; after @done,
 * to uet_tx_message_finish() and uet_tx_message_end().
 */
struct uet_tx_message {
	struct uet_ses_tx ses;
	struct uet_sock *us;
	struct uet_fa fa;
	refcount_t refs;
	struct list_head chunks;
	struct uet_chunk *hint;
	struct uet_cqe *cqe;
	struct uet_ses_amo amo;
	struct uet_mr_ref local;
	struct uet_zcopy *zc;
	bool is_excluded;
	bool attended;
	bool is_ordered;
	u32 path_mtu;
	bool done;
	struct uet_tx_deferrable *defer;
	void (*free_defer)(struct uet_tx_message *tm);
	struct uet_rx_message *rtr;
	struct uet_rx_message *rdv;
};

/**
 * struct uet_rx_message_ops - operations of a deferred or rendezvous message
 * @claim: a posted receive has matched the message, which has left the unexpected
 *	messages; returns true if the bytes are still to arrive, false if they have
 *	arrived like the bytes of other messages.  rx_lock held
 * @is_known: the header of the unexpected message is known, so that it can be peeked
 *	at; NULL: always.  rx_lock held
 * @end: the message has failed before it was readable; NULL: nothing to do.  Any
 *	context; the lock of the PDC may be held, in ROD and in bursts
 * @free: the last reference was dropped.  Any context
 */
struct uet_rx_message_ops {
	bool (*claim)(struct uet_rx_message *rm);
	bool (*is_known)(const struct uet_rx_message *rm);
	void (*end)(struct uet_rx_message *rm);
	void (*free)(struct uet_rx_message *rm);
};

/**
 * struct uet_rx_message - an incoming message
 * @ses: SES state; under the lock of the PDC while incomplete.  Fields that the first
 *	packet sets are constant and read without the lock
 * @us: receiving endpoint; the message holds a sock reference
 * @on_ep: position in uet_ep_links.arriving, under uet_ep_links.lock
 * @is_linked: the message was added to uet_ep_links.arriving; immutable once the PDC has
 *	the message
 * @pdcid: local PDCID of the PDC on which the linked message arrives; immutable
 * @seen: bytes that had arrived at @seen_ns; both under uet_ep_links.lock, except that a
 *	packet that finds no memory resets @seen_ns; READ_ONCE by
 *	uet_rx_message_is_stalled()
 * @seen_ns: since when enough bytes are to arrive, ns; 0: since the next look
 * @refs: one for the PDC, from uet_rx_message_admit(); one for each delivery
 *	collected under the PDC lock and not yet made; one for the socket's
 *	queue; one for an active reader; one for each struct uet_rx_take
 * @from: fabric address of the sender
 * @delivery: UET_DELIVERY_*; set before the first delivery
 * @length: readable bytes of the complete message, immutable; 0 in RMA
 * @window: maximum of accepted and unread bytes, immutable; a message with @window
 *	less than @length is streamed
 * @reserved: bytes reserved in sk_rmem_alloc; immutable once not 0
 * @fills_gap: @reserved is reserved in uet_sock.rx_gap_bytes as well
 * @is_kept: nothing is reserved, because the receive buffer was full: the message counts in
 *	uet_sock.nr_envelopes; immutable
 * @charged: memory charged to the socket, bytes; under the lock of the PDC, before the
 *	message starts under rx_lock
 * @most: memory to charge when all of the message is there, bytes; as @charged
 * @came: packet buffers that came so far, bytes; under the lock of the PDC
 * @truesize: largest packet buffer so far, bytes; under the lock of the PDC
 * @is_placed: packets are copied to the memory of @recv on arrival, under the lock of
 *	the PDC, and not delivered; immutable once the PDC has the message
 * @ops: operations of a deferred or rendezvous message, else NULL; immutable
 * @defer: state of a deferred message, else NULL; immutable
 * @rdv: state of a rendezvous message with data to read, else NULL; immutable
 * @read_rc: for a rendezvous message, return code of a refused READ, else UET_RC_NULL;
 *	set before the end of the receive, which reports the code
 * @skbs: delivered and unread pieces, ascending offset
 * @link: position in uet_sock.rx_ready or uet_sock.rx_claimed; empty when not queued;
 *	queued from the first report until a reader has seen the end
 * @got: bytes delivered so far
 * @read: bytes that the application has read or discarded; READ_ONCE by
 *	uet_rx_message_accepts()
 * @error: errno of a message whose rest will not arrive; 0: none
 * @is_busy: a reader is copying the message
 * @is_unwanted: no reader remains; delivered bytes are dropped
 * @is_complete: all bytes are delivered
 * @recv: posted receive that has matched the message, until the receive ends; if
 *	@is_placed, constant until the PDC has released the message
 * @placing: number of contexts that are copying delivered bytes to the memory of @recv;
 *	the receive ends only after all of them have finished
 * @match_entry: entry in the unexpected messages, claimed or not, while the message is
 *	queued and completely unread
 *
 * The fields from @skbs on are under uet_sock.rx_lock.
 */
struct uet_rx_message {
	struct uet_ses_rx ses;
	struct uet_sock *us;
	struct list_head on_ep;
	bool is_linked;
	u16 pdcid;
	u32 seen;
	u64 seen_ns;
	refcount_t refs;
	struct uet_fa from;
	u8 delivery;
	u32 length;
	u32 window;
	u32 reserved;
	bool fills_gap;
	bool is_kept;
	u32 charged;
	u32 most;
	u32 came;
	u32 truesize;
	bool is_placed;
	const struct uet_rx_message_ops *ops;
	struct uet_rx_deferrable *defer;
	struct uet_rx_rdv *rdv;
	u8 read_rc;

	struct sk_buff_head skbs;
	struct list_head link;
	u32 got;
	u32 read;
	int error;
	bool is_busy;
	bool is_unwanted;
	bool is_complete;
	struct uet_posted_recv *recv;
	u32 placing;
	struct uet_match_msg match_entry;
};

/**
 * struct uet_skb_cb - per-packet data of a received packet
 * @seg: position of the packet in its message
 *
 * After rx.c has accepted a packet, skb->data points at the payload and
 * skb->len is seg.len (headers pulled, trailer trimmed).
 */
struct uet_skb_cb {
	struct uet_ses_seg seg;
};

static inline struct uet_skb_cb *uet_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct uet_skb_cb) > sizeof(skb->cb));
	return (struct uet_skb_cb *)skb->cb;
}

static inline struct sk_buff *uet_seg_skb(struct uet_ses_seg *seg)
{
	return container_of((void *)seg, struct sk_buff, cb);
}

/**
 * uet_skb_strip() - drop the references of the receive path from a packet
 * @skb: received packet, before it enters the queue of a socket
 *
 * Context: Softirq.
 */
static inline void uet_skb_strip(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;
}

/* Maximum payload that is copied, bytes: copying is cheaper than a page reference. */
#define UET_TX_COPY	256

/*
 * Check whether a payload can be copied into a packet.
 * Return: true if the linear part has space for the payload and a trailer.
 */
static inline bool uet_tx_has_space(const struct sk_buff *skb, u32 len)
{
	return len + UET_ICV_LEN <= skb_tailroom(skb);
}

/**
 * uet_tx_message_set_done() - mark a message that SES has returned
 * @tm: message
 *
 * Context: Lock of the PDC held, in the same critical section as the
 *	uet_ses_reap() or uet_ses_fail() that returned it.
 */
static inline void uet_tx_message_set_done(struct uet_tx_message *tm)
{
	/* Pairs with uet_tx_message_is_done(): the result is in @ses. */
	smp_store_release(&tm->done, true);
}

/**
 * uet_tx_message_is_done() - check whether SES has returned a message
 * @tm: message
 *
 * Return: true if the result in @tm->ses is valid.
 */
static inline bool uet_tx_message_is_done(const struct uet_tx_message *tm)
{
	return smp_load_acquire(&tm->done);	/* uet_tx_message_set_done() */
}

/* Outgoing: for the socket, in process context. */
struct uet_tx_message *uet_tx_message_alloc(struct uet_sock *us, u32 length);
int uet_tx_message_charge(struct uet_sock *us, u32 bytes, bool force);
void uet_tx_message_refund(struct uet_sock *us, u32 bytes);
void uet_tx_message_exclude(struct uet_tx_message *tm);
void uet_tx_message_get(struct uet_tx_message *tm);
void uet_tx_message_put(struct uet_tx_message *tm);
int uet_tx_message_fill(struct uet_tx_message *tm, struct iov_iter *from,
			u32 bytes, struct list_head *chunks);

/* Outgoing: for the PDC, under its lock. */
bool uet_tx_message_append(struct uet_tx_message *tm, struct list_head *chunks);
u32 uet_tx_message_put_bytes(struct uet_tx_message *tm, struct sk_buff *skb,
			     u32 offset, u32 len, u32 nr);
u32 uet_tx_message_acked(struct uet_tx_message *tm, struct list_head *freed);

/* Outgoing: for the PDC, without its lock. */
void uet_tx_message_uncharge(struct uet_tx_message *tm,
			     struct list_head *freed);
int uet_tx_message_explain(struct uet_tx_message *tm, int error);
void uet_tx_message_finish(struct uet_tx_message *tm);
void uet_tx_message_end(struct uet_tx_message *tm);

/**
 * enum uet_order - position of a message's first packet in the PSN order
 * @UET_ORDER_AHEAD: earlier packets of its PDC are missing
 * @UET_ORDER_IN_ORDER: all earlier packets of its PDC have arrived
 * @UET_ORDER_FILLS_GAP: later messages of its PDC have already started
 */
enum uet_order { UET_ORDER_AHEAD, UET_ORDER_IN_ORDER, UET_ORDER_FILLS_GAP };

/* Incoming: for the PDC, in softirq. */
struct uet_rx_message *uet_rx_message_admit(struct uet_sock *us,
					    const struct uet_ses_req *req,
					    const struct uet_fa *from,
					    enum uet_order order);
bool uet_rx_message_charge(struct uet_rx_message *rm, u32 bytes);
struct uet_rx_message *uet_rx_message_admit_rma(struct uet_sock *us,
						const struct uet_fa *from);
bool uet_rx_message_is_half_free(const struct uet_sock *us);
void uet_rx_message_space(const struct uet_sock *us, u32 *used, u32 *size);
bool uet_rx_message_hold_run(struct uet_rx_message *rm, u32 truesize);
bool uet_rx_message_hold_all(struct uet_rx_message *rm);
bool uet_rx_message_hold(struct uet_rx_message *rm, const struct sk_buff *skb,
			 u32 len);
bool uet_rx_message_would_stream(const struct uet_sock *us, u32 length);
bool uet_rx_message_reserve(struct uet_rx_message *rm);
bool uet_rx_message_reserve_note(struct uet_rx_message *rm,
				 enum uet_order order);
bool uet_rx_message_accepts(const struct uet_rx_message *rm, u32 offset,
			    u32 len);
bool uet_rx_message_is_streamed(const struct uet_rx_message *rm);
bool uet_rx_message_is_orphan(const struct uet_rx_message *rm);
void uet_rx_message_deliver(struct uet_rx_message *rm, struct list_head *segs);
void uet_rx_message_fail(struct uet_rx_message *rm, int error);

/* Incoming: for the socket. */
bool uet_rx_message_has_report(const struct uet_rx_message *rm);
void uet_rx_message_read_to(struct uet_rx_message *rm, u32 pos);

/* Incoming: for both. */
void uet_rx_message_get(struct uet_rx_message *rm);
void uet_rx_message_put(struct uet_rx_message *rm);
void uet_rx_message_link(struct uet_rx_message *rm, u16 pdcid);
bool uet_rx_message_is_stalled(const struct uet_rx_message *rm, u64 since);
bool uet_rx_message_find_stalled(struct uet_sock *us, u64 since, u64 now,
				 unsigned int *left, u16 *pdcid);
bool uet_rx_message_unlink_first(struct uet_sock *us, u16 *pdcid);
void uet_rx_message_unqueue(struct uet_rx_message *rm);

#endif
