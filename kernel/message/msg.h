/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages as the shell keeps them: the core's bookkeeping plus the bytes, the
 * socket they belong to and the memory they are charged for.  This is all that
 * sockets and PDCs exchange.  Level: shell.
 */
#ifndef UET_MSG_H
#define UET_MSG_H

#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/uio.h>

#include "core/ses/match.h"
#include "core/ses/ses.h"
#include "base/fa.h"
#include "endpoint/mr.h"

struct uet_chunk;
struct uet_cqe;
struct uet_recv;
struct uet_rxdefer;
struct uet_rxrdv;
struct uet_sock;
struct uet_txdefer;
struct uet_zcopy;

/**
 * struct uet_txmsg - a message on its way out
 * @ses: what SES knows; under the lock of the PDC it is queued on
 * @us: sending endpoint; the message holds a sock reference
 * @refs: one that uet_txmsg_alloc() gives and uet_txmsg_end() drops, one for
 *	a sender that is still supplying bytes
 * @chunks: the bytes, struct uet_chunk in ascending order; appended by the
 *	sender, the acknowledged prefix freed by uet_txmsg_acked()
 * @hint: where uet_txmsg_put_bytes() looked last, NULL or in @chunks
 * @cqe: its completion, or NULL if it needs none; set before it is given to a
 *	PDC, taken by uet_txmsg_end(), freed with the message if it never is
 * @amo: where @ses.amo points to
 * @local: where what comes back goes to; immutable
 * @zc: MSG_ZEROCOPY: @chunks are pages of the sender, NULL: they are copies; set
 *	before the first bytes, freed by uet_txmsg_end()
 * @attended: a sender is still supplying bytes and will see how it ends
 * @path_mtu: with UET_PDC_ERR_TOO_BIG, MTU of the widest path
 * @done: SES has returned it: @ses does not change any more, no bytes are taken;
 *	set by uet_txmsg_set_done(), READ_ONCE by a sender that waits
 * @defer: of a deferrable message what there is besides, else NULL; immutable once
 *	it is sent
 * @rtr: of UET_OP_DEFERRABLE_RTR the message that is asked for, one reference;
 *	immutable
 * @rdv: of the READ of a rendezvous message of a peer that message, one reference;
 *	immutable
 *
 * @chunks, @hint, @attended, @path_mtu and @done are under the lock of the PDC once the
 * message was given to uet_kpdc_send(); before that they are the sender's, after
 * @done they belong to uet_txmsg_finish() and uet_txmsg_end().
 */
struct uet_txmsg {
	struct uet_ses_tx ses;
	struct uet_sock *us;
	refcount_t refs;
	struct list_head chunks;
	struct uet_chunk *hint;
	struct uet_cqe *cqe;
	struct uet_ses_amo amo;
	struct uet_mr_ref local;
	struct uet_zcopy *zc;
	bool attended;
	u32 path_mtu;
	bool done;
	struct uet_txdefer *defer;
	struct uet_rxmsg *rtr;
	struct uet_rxmsg *rdv;
};

/**
 * struct uet_rxmsg - a message on its way in
 * @ses: what SES knows; under the lock of the PDC while incomplete.  What is
 *	set by the first packet is read without it: that does not change
 * @us: receiving endpoint; the message holds a sock reference
 * @refs: one for the PDC, from uet_rxmsg_admit(); one for each delivery that was
 *	collected under the PDC lock and not made yet; one for the socket's
 *	queue; one for a reader at work
 * @from: fabric address of the sender
 * @delivery: UET_DELIVERY_*; set before the first delivery
 * @length: bytes of the whole message that are to be read, immutable; 0 in RMA
 * @window: bytes that may arrive beyond what was read, immutable; less than
 *	@length makes a streamed message
 * @reserved: bytes of sk_rmem_alloc this message holds; immutable once not 0
 * @is_direct: its packets go to the memory of @recv as they come, under the lock
 *	of the PDC, and are not delivered; immutable once the PDC has the message
 * @defer: of a message that was deferred what there is besides, else NULL; immutable
 * @rdv: of a rendezvous message of which something is read what there is besides,
 *	else NULL; immutable
 *
 * @skbs: pieces that were delivered and not read, ascending offset
 * @link: position in uet_sock.rx_ready, empty when not queued, which it is from
 *	the first news on until a reader has seen its end
 * @got: bytes delivered so far
 * @read: bytes the application has taken, or nobody wants; READ_ONCE by
 *	uet_rxmsg_accepts()
 * @error: errno: the rest will never come
 * @is_busy: a reader is at work on it
 * @is_unwanted: nobody will read the rest: delivered bytes are dropped
 * @is_complete: every byte was delivered
 * @recv: posted receive that has taken it, until that ends; of a message that
 *	@is_direct it does not change before the PDC has given the message up
 * @placing: how many are copying delivered bytes to the memory of @recv, which
 *	does not end before they have
 * @um: its place among the unexpected messages, where it is while it is queued and
 *	nothing of it was read
 *
 * From @skbs on, under uet_sock.rx_lock.
 */
struct uet_rxmsg {
	struct uet_ses_rx ses;
	struct uet_sock *us;
	refcount_t refs;
	struct uet_fa from;
	u8 delivery;
	u32 length;
	u32 window;
	u32 reserved;
	bool is_direct;
	struct uet_rxdefer *defer;
	struct uet_rxrdv *rdv;

	struct sk_buff_head skbs;
	struct list_head link;
	u32 got;
	u32 read;
	int error;
	bool is_busy;
	bool is_unwanted;
	bool is_complete;
	struct uet_recv *recv;
	u32 placing;
	struct uet_match_msg um;
};

/**
 * struct uet_skb_cb - what a received packet carries through the stack
 * @seg: its place in its message
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
 * uet_txmsg_set_done() - note that SES has returned a message
 * @tm: message
 *
 * Context: Lock of the PDC held, in the same critical section as the
 *	uet_ses_reap() or uet_ses_fail() that returned it.
 */
static inline void uet_txmsg_set_done(struct uet_txmsg *tm)
{
	/* Pairs with uet_txmsg_is_done(): how it ended is in @ses. */
	smp_store_release(&tm->done, true);
}

/**
 * uet_txmsg_is_done() - has SES returned the message?
 * @tm: message
 *
 * Context: Any.
 * Return: true if how it ended can be read in @tm->ses.
 */
static inline bool uet_txmsg_is_done(const struct uet_txmsg *tm)
{
	return smp_load_acquire(&tm->done);	/* uet_txmsg_set_done() */
}

/* Outgoing: by the socket, in process context. */
struct uet_txmsg *uet_txmsg_alloc(struct uet_sock *us, u32 length);
bool uet_txmsg_charge(struct uet_sock *us, u32 bytes, bool force);
void uet_txmsg_refund(struct uet_sock *us, u32 bytes);
void uet_txmsg_get(struct uet_txmsg *tm);
void uet_txmsg_put(struct uet_txmsg *tm);
int uet_txmsg_fill(struct uet_txmsg *tm, struct iov_iter *from, u32 bytes,
		   struct list_head *chunks);

/* Outgoing: by the PDC, under its lock. */
bool uet_txmsg_append(struct uet_txmsg *tm, struct list_head *chunks);
int uet_txmsg_put_bytes(struct uet_txmsg *tm, struct sk_buff *skb, u32 offset,
			u32 len);
u32 uet_txmsg_acked(struct uet_txmsg *tm, struct list_head *freed);

/* Outgoing: by the PDC, without its lock. */
void uet_txmsg_uncharge(struct uet_txmsg *tm, struct list_head *freed);
int uet_txmsg_explain(struct uet_txmsg *tm, int error);
void uet_txmsg_finish(struct uet_txmsg *tm);
void uet_txmsg_end(struct uet_txmsg *tm);

/**
 * enum uet_turn - is it a message's turn to begin?
 * @UET_TURN_EARLY: no, packets before it are missing
 * @UET_TURN_NEXT: yes, all that precedes it on its PDC is there
 * @UET_TURN_OVERTAKEN: long since, later messages of its PDC have begun
 */
enum uet_turn { UET_TURN_EARLY, UET_TURN_NEXT, UET_TURN_OVERTAKEN };

/* Incoming: by the PDC, in softirq. */
struct uet_rxmsg *uet_rxmsg_admit(struct uet_sock *us,
				  const struct uet_ses_req *req,
				  const struct uet_fa *from,
				  enum uet_turn turn);
struct uet_rxmsg *uet_rxmsg_admit_rma(struct uet_sock *us,
				      const struct uet_fa *from);
bool uet_rxmsg_is_half_free(const struct uet_sock *us);
void uet_rxmsg_room(const struct uet_sock *us, u32 *used, u32 *size);
bool uet_rxmsg_would_stream(const struct uet_sock *us, u32 length);
bool uet_rxmsg_reserve(struct uet_rxmsg *rm);
bool uet_rxmsg_reserve_note(struct uet_rxmsg *rm, enum uet_turn turn);
bool uet_rxmsg_accepts(const struct uet_rxmsg *rm, u32 offset, u32 len);
bool uet_rxmsg_is_streamed(const struct uet_rxmsg *rm);
bool uet_rxmsg_is_orphan(const struct uet_rxmsg *rm);
void uet_rxmsg_deliver(struct uet_rxmsg *rm, struct list_head *segs);
void uet_rxmsg_fail(struct uet_rxmsg *rm, int error);

/* Incoming: by the socket. */
bool uet_rxmsg_has_news(const struct uet_rxmsg *rm);
void uet_rxmsg_read_to(struct uet_rxmsg *rm, u32 pos);

/* Incoming: by either. */
void uet_rxmsg_get(struct uet_rxmsg *rm);
void uet_rxmsg_put(struct uet_rxmsg *rm);
void uet_rxmsg_unqueue(struct uet_rxmsg *rm);

#endif
