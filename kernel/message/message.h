/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages in the shell: the core's bookkeeping plus the data, the socket they belong to and
 * the memory they are charged to.  Sockets and PDCs exchange nothing else.  Also posted
 * receives, the peers and the generation of a socket, and read responses.
 *
 * The lock of a PDC protects a message while SES has it, uet_sock.rx_lock what the socket has
 * of it.  Functions that end a message or a receive run in any context but hard interrupt.
 */
#ifndef UET_MESSAGE_H
#define UET_MESSAGE_H

#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/uio.h>

#include "base/base.h"
#include "core/ses/match.h"
#include "core/ses/ses.h"
#include "endpoint/endpoint.h"

struct uet_chunk;
struct uet_rx_message;
struct uet_rx_deferrable;
struct uet_rx_rdv;
struct uet_tx_deferrable;
struct uet_tx_message;
struct uet_zcopy;

/* ------------------------------------------------------------------ outgoing messages */

/**
 * struct uet_tx_message_ops - operations of a deferrable message, or of one of the kernel
 * @ended: SES has returned the message; true: it goes on, or was ended here.  No PDC lock held
 * @free: the last reference was dropped.  Any context, no PDC lock held
 */
struct uet_tx_message_ops {
	bool (*ended)(struct uet_tx_message *tm);
	void (*free)(struct uet_tx_message *tm);
};

/*
 * struct uet_tx_message - an outgoing message
 * @us: sending endpoint; the message holds a sock reference
 * @owner: socket that packets belong to: that of @us, or, with @ops, that of a stream, with a
 *	reference, which is told the end
 * @fa: fabric address of the target; immutable once the message is sent
 * @refs: one from uet_tx_message_alloc() to the end of the message, one for a sender that is
 *	still supplying bytes
 * @chunks: the bytes, struct uet_chunk in ascending order; appended by the sender, the
 *	acknowledged prefix freed by uet_tx_message_acked()
 * @hint: last chunk used, or NULL
 * @cqe: completion of the message; NULL: none required; set before uet_pdc_entry_send(),
 *	consumed by the end of the message, else freed with it
 * @local: local memory for returned data, or of a rendezvous message; immutable; holds a
 *	reference to memory that was named by its address
 * @zc: MSG_ZEROCOPY: @chunks are pages of the sender, NULL: they are copies; set before the
 *	first bytes
 * @is_excluded: the message does not count in the send buffer; immutable
 * @attended: a sender is still supplying bytes and will get the result
 * @is_ordered: the message is on a PDC of mode ROD; immutable
 * @path_mtu: with UET_PDC_ERR_TOO_BIG, largest path MTU, bytes
 * @done: SES has returned the message: @ses is constant, no bytes are accepted; set by
 *	uet_tx_message_set_done(), READ_ONCE by a sender that waits
 * @ops: NULL: those of an ordinary message; immutable after uet_pdc_entry_send()
 * @defer: with @ops, state of a deferrable message
 * @serves: with @ops, message of a peer that a restart request or a READ is for, one reference
 * @skb: with @ops, buffer with the bytes of a stream, or NULL
 *
 * @chunks, @hint, @attended, @path_mtu and @done are under the lock of the PDC
 * after uet_pdc_entry_send(). Before, they belong to the sender; after @done, to
 * uet_tx_message_finish().
 */
struct uet_tx_message {
	struct uet_ses_tx ses;
	struct uet_sock *us;
	struct sock *owner;
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
	const struct uet_tx_message_ops *ops;
	union {
		struct uet_tx_deferrable *defer;
		struct uet_rx_message *serves;
		struct sk_buff *skb;
	};
};

/*
 * uet_tx_message_set_done() - mark a message in the critical section in which SES returned it
 */
static inline void uet_tx_message_set_done(struct uet_tx_message *tm)
{
	/* Pairs with uet_tx_message_is_done(): the result is in @ses. */
	smp_store_release(&tm->done, true);
}

static inline bool uet_tx_message_is_done(const struct uet_tx_message *tm)
{
	return smp_load_acquire(&tm->done);	/* uet_tx_message_set_done() */
}

static inline void uet_tx_message_get(struct uet_tx_message *tm)
{
	refcount_inc(&tm->refs);
}

int uet_tx_message_init(void);
void uet_tx_message_fini(void);
void uet_spares_open(struct uet_sock *us);
void uet_spares_watch(struct uet_sock *us);
void uet_spares_close(struct uet_sock *us);

/* For the socket, in process context. */
struct uet_tx_message *uet_tx_message_alloc(struct uet_sock *us, u32 length);
int uet_tx_message_charge(struct uet_sock *us, u32 bytes, bool force);
void uet_tx_message_refund(struct uet_sock *us, u32 bytes);
void uet_tx_message_exclude(struct uet_tx_message *tm);
void uet_tx_message_put(struct uet_tx_message *tm);
int uet_tx_message_fill(struct uet_tx_message *tm, struct iov_iter *from,
			u32 bytes, struct list_head *chunks);
struct page *uet_tx_message_page(struct uet_sock *us);
int uet_tx_message_refer(struct uet_tx_message *tm, struct sk_buff *skb);
int uet_zcopy_begin(struct uet_tx_message *tm, const struct iov_iter *from, u32 length);

/* For the PDC, under its lock. */
bool uet_tx_message_append(struct uet_tx_message *tm, struct list_head *chunks);
u32 uet_tx_message_put_bytes(struct uet_tx_message *tm, struct sk_buff *skb,
			     u32 offset, u32 len, u32 nr);
u32 uet_tx_message_acked(struct uet_tx_message *tm, struct list_head *freed);

/* For the PDC, without its lock. */
void uet_tx_message_uncharge(struct uet_tx_message *tm, struct list_head *freed);
int uet_tx_message_explain(struct uet_tx_message *tm, int error);
void uet_tx_message_finish(struct uet_tx_message *tm);

/* Maximum payload that is copied, bytes: copying is cheaper than a page reference. */
#define UET_TX_COPY	256

/* Has the linear part space for a payload and a trailer? */
static inline bool uet_tx_has_space(const struct sk_buff *skb, u32 len)
{
	return len + UET_ICV_LEN <= skb_tailroom(skb);
}

/* ------------------------------------------------------------------ incoming messages */

/**
 * struct uet_rx_message_ops - operations of a deferred or rendezvous message
 * @claim: a posted receive has matched the message, which has left the unexpected messages;
 *	returns true if the bytes are still to arrive, false if they have arrived like those of
 *	other messages.  rx_lock held
 * @is_known: the header of the unexpected message is known, so that it can be peeked at; NULL:
 *	always.  rx_lock held
 * @end: the message has failed before it was readable; NULL: nothing to do.  Any context; the
 *	lock of the PDC may be held, in ROD and in bursts
 * @free: the last reference was dropped.  Any context
 */
struct uet_rx_message_ops {
	bool (*claim)(struct uet_rx_message *rm);
	bool (*is_known)(const struct uet_rx_message *rm);
	void (*end)(struct uet_rx_message *rm);
	void (*free)(struct uet_rx_message *rm);
};

/*
 * struct uet_rx_message - an incoming message
 * @ses: SES state; under the lock of the PDC while incomplete.  Fields that the first packet
 *	sets are constant and read without the lock
 * @us: receiving endpoint; the message holds a sock reference
 * @on_ep: position in uet_ep_links.arriving, under uet_ep_links.lock
 * @is_linked: the message was added to uet_ep_links.arriving; immutable once the PDC has the
 *	message
 * @pdcid: local PDCID of the PDC on which the linked message arrives; immutable
 * @seen: bytes that had arrived at @seen_ns; both under uet_ep_links.lock, except that a packet
 *	that finds no memory resets @seen_ns
 * @seen_ns: since when enough bytes are to arrive, ns; 0: since the next look
 * @refs: one for the PDC, one for each delivery collected under the PDC lock and not yet made,
 *	one for the socket's queue, which a reader that has claimed the message uses, one for
 *	each struct uet_rx_take
 * @delivery: UET_DELIVERY_*; set before the first delivery
 * @length: readable bytes of the complete message, immutable; 0 in RMA
 * @window: maximum of accepted and unread bytes, immutable; a message with @window less than
 *	@length is streamed
 * @reserved: bytes reserved in sk_rmem_alloc; immutable once not 0
 * @fills_gap: @reserved is reserved in uet_sock.rx.gap_bytes as well
 * @is_kept: nothing is reserved, because the receive buffer was full: the message counts in
 *	uet_sock.env.nr; immutable
 * @charged: memory charged to the socket, bytes; under the lock of the PDC, before the message
 *	starts under rx_lock
 * @most: memory to charge when all of the message is there, bytes; as @charged
 * @came: packet buffers that came so far, bytes; under the lock of the PDC, as @truesize
 * @truesize: largest packet buffer so far, bytes
 * @is_placed: packets are copied to the memory of @recv on arrival, under the lock of the PDC,
 *	and not delivered; immutable once the PDC has the message
 * @ops: operations of a deferred or rendezvous message, else NULL; immutable
 * @rdv: for a rendezvous message with data to read, else NULL; immutable
 * @read_rc: for a rendezvous message, return code of a refused READ, else UET_RC_NULL; set
 *	before the end of the receive, which reports the code
 * @skbs: delivered and unread, ascending offset
 * @link: position in uet_sock.rx.ready or uet_sock.rx.claimed; empty when not queued; queued
 *	from the first report until a reader has seen the end; then in uet_sock.rx.done
 * @read: bytes that the application has read or discarded; READ_ONCE by
 *	uet_rx_message_accepts()
 * @error: errno of a message whose rest will not arrive; 0: none
 * @is_busy: a reader is copying the message
 * @is_unwanted: no reader remains; delivered bytes are dropped
 * @recv: posted receive that has matched the message, until the receive ends; if @is_placed,
 *	constant until the PDC has released the message
 * @placing: number of contexts that are copying delivered bytes to the memory of @recv; the
 *	receive ends only after all of them have finished
 * @match_entry: entry in the unexpected messages, claimed or not, while the message is queued
 *	and completely unread
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

/*
 * uet_skb_strip() - drop the references of the receive path before a socket has a packet
 */
static inline void uet_skb_strip(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;
}

/* Is a message read while it arrives, so that each part is delivered once it is in order? */
static inline bool uet_rx_message_is_streamed(const struct uet_rx_message *rm)
{
	return rm->window < rm->length;
}

/* Is the endpoint of a message closed, so that the message fails with UET_RC_CANCELLED? */
static inline bool uet_rx_message_is_orphan(const struct uet_rx_message *rm)
{
	/* Pairs with the WRITE_ONCE() in uet_sock_purge(). */
	return READ_ONCE(rm->us->rx.is_closed);
}

static inline void uet_rx_message_get(struct uet_rx_message *rm)
{
	refcount_inc(&rm->refs);
}

/**
 * enum uet_order - position of a message's first packet in the PSN order
 * @UET_ORDER_AHEAD: earlier packets of its PDC are missing
 * @UET_ORDER_IN_ORDER: all earlier packets of its PDC have arrived
 * @UET_ORDER_FILLS_GAP: later messages of its PDC have already started
 */
enum uet_order { UET_ORDER_AHEAD, UET_ORDER_IN_ORDER, UET_ORDER_FILLS_GAP };

/* For the PDC, in softirq. */
struct uet_rx_message *uet_rx_message_admit(struct uet_sock *us, const struct uet_ses_req *req,
					    const struct uet_fa *from, enum uet_order order);
bool uet_rx_message_charge(struct uet_rx_message *rm, u32 bytes);
struct uet_rx_message *uet_rx_message_admit_rma(struct uet_sock *us, const struct uet_fa *from);
void uet_rx_message_space(const struct uet_sock *us, u32 *used, u32 *size);
bool uet_rx_message_hold_run(struct uet_rx_message *rm, u32 truesize);
bool uet_rx_message_hold_all(struct uet_rx_message *rm);
bool uet_rx_message_hold(struct uet_rx_message *rm, const struct sk_buff *skb, u32 len);
bool uet_rx_message_would_stream(const struct uet_sock *us, u32 length);
bool uet_rx_message_reserve(struct uet_rx_message *rm);
bool uet_rx_message_reserve_note(struct uet_rx_message *rm, enum uet_order order);
bool uet_rx_message_accepts(const struct uet_rx_message *rm, u32 offset, u32 len);
void uet_rx_message_deliver(struct uet_rx_message *rm, struct list_head *segs);
void uet_rx_message_fail(struct uet_rx_message *rm, int error);
void uet_rx_message_link(struct uet_rx_message *rm, u16 pdcid);
bool uet_rx_message_unlink_first(struct uet_sock *us, u16 *pdcid);
void uet_rx_message_put(struct uet_rx_message *rm);
void uet_rx_message_free(struct uet_rx_message *rm);

/* For the socket, with rx_lock held. */
bool uet_rx_done_add(struct uet_rx_message *rm);
bool uet_rx_message_has_report(const struct uet_rx_message *rm);
void uet_rx_message_read_to(struct uet_rx_message *rm, u32 pos);
void uet_rx_message_unqueue(struct uet_rx_message *rm);

/* For the socket, without rx_lock. */
void uet_rx_done_drop(struct uet_sock *us);

/* Generations. */
u8 uet_gen_check(struct uet_sock *us, const struct uet_ses_req *req,
		 bool *is_strict, u8 *ri_gen);
bool uet_gen_wants_recv(const struct uet_sock *us, const struct uet_ses_req *req);
bool uet_gen_disable(struct uet_sock *us, const struct uet_ses_req *req,
		     bool *is_strict, u8 *ri_gen);
int uet_gen_set(struct uet_sock *us, u32 value);
int uet_gen_set_pause(struct uet_sock *us, u32 value);
u32 uet_gen_get(struct uet_sock *us);

/* -------------------------------------------------------------------- posted receives */

/*
 * struct uet_posted_recv - a posted receive; immutable except @at, and, while a receive with
 *	@min_free waits, @place, @length and @start
 * @claim: number of the claim of the message; 0: @at decides. A receive for a claim never waits
 * @cqe: completion of the receive; NULL: none, the receive discards a message
 * @length: of @place, bytes; 0: @place is unused
 * @start: offset of @place in the memory that was posted, bytes
 * @min_free: UET_RECV_MULTI: the receive takes no more messages when less is left, bytes; else
 *	0
 * @may_cut: a longer message is truncated, else refused
 *
 * A waiting receive belongs to uet_sock.match, then to the message that takes it,
 * uet_rx_message.recv, or to its canceller. It ends exactly once, by uet_posted_recv_end().
 */
struct uet_posted_recv {
	struct uet_match_recv at;
	u64 claim;
	struct uet_cqe *cqe;
	struct uet_mr_ref place;
	u64 length;
	u32 start;
	u32 min_free;
	bool may_cut;
};

/* Has the socket ever posted a receive, so that messages without one are unexpected? */
static inline bool uet_recv_is_used(const struct uet_sock *us)
{
	return READ_ONCE(us->match.nr_indexed);
}

/* Does a message of this length, bytes, fit, or may it be truncated? */
static inline bool uet_recv_fits(const struct uet_posted_recv *recv, u32 length)
{
	return recv->may_cut || length <= recv->length;
}

/* For the owner of the socket, in process context. */
int uet_posted_recv_check(struct uet_sock *us, const char *call, u32 flags,
			  const struct uet_recv_post *want);
void uet_posted_recv_want(struct uet_match_recv *at, const struct uet_recv_post *want);
int uet_posted_recv_prepare(struct uet_sock *us, u64 ignore);
void uet_posted_recv_unprepare(struct uet_sock *us, int prepared);
struct uet_posted_recv *uet_posted_recv_discard(const struct uet_match_recv *at);
int uet_posted_recv_post(struct uet_sock *us, const struct uet_recv_post *post);
int uet_posted_recv_ioctl_post(struct uet_sock *us, void *arg);
int uet_posted_recv_ioctl_posts(struct uet_sock *us, void *arg);
int uet_posted_recv_ioctl_cancel(struct uet_sock *us, void *arg);
void uet_posted_recv_cancel_all(struct uet_sock *us);
void uet_posted_recv_close(struct uet_sock *us);

/* For messages. */
void uet_posted_recv_again(struct uet_sock *us, struct uet_posted_recv *recv);
struct uet_posted_recv *uet_posted_recv_part(struct uet_sock *us, struct uet_posted_recv *recv,
					     u32 length);
struct uet_posted_recv *
uet_posted_recv_take(struct uet_sock *us, const struct uet_match_key *match_key, u32 length);
int uet_posted_recv_put(struct uet_sock *us, const struct uet_posted_recv *recv,
			u32 offset, const struct sk_buff *skb, u32 len);
void uet_posted_recv_end(struct uet_sock *us, struct uet_posted_recv *recv,
			 const struct uet_rx_message *rm, int error);

/**
 * struct uet_rx_take - work to be done without rx_lock; on the stack
 * @rm: message, one reference; NULL: no receive takes or refuses a message
 * @skbs: delivered packets of the message, for its receive or to be freed
 * @refused: receives too short for the message, struct uet_match_recv.link
 * @is_placing: a receive has taken the message, and waits for uet_rx_match_take()
 *
 * @rm owns exactly one reference, from uet_rx_match_offer(), uet_rx_match_use() or
 * uet_rx_match_go_on() until uet_rx_match_take(), which drops it. The reference is independent
 * of the reference of the caller, and of the reference of the list that the message leaves.
 */
struct uet_rx_take {
	struct uet_rx_message *rm;
	struct sk_buff_head skbs;
	struct list_head refused;
	bool is_placing;
};

struct uet_rx_message *uet_rx_match_admit(struct uet_sock *us, const struct uet_ses_req *req,
					  const struct uet_fa *from);
void uet_rx_match_placed(struct uet_rx_message *rm);

/* With rx_lock held; uet_rx_match_take() follows without it. */
void uet_rx_take_init(struct uet_rx_take *take);
bool uet_rx_match_offer(struct uet_rx_message *rm, struct uet_rx_take *take);
void uet_rx_match_go_on(struct uet_rx_message *rm, struct uet_rx_take *take);
bool uet_rx_match_find(struct uet_sock *us, const struct uet_match_recv *at,
		       struct uet_rx_message **rm);
struct uet_rx_message *uet_rx_match_find_claim(struct uet_sock *us, u64 claim);
struct uet_posted_recv *uet_rx_match_use(struct uet_rx_message *rm,
					 struct uet_posted_recv *recv,
					 struct uet_rx_take *take);
void uet_rx_match_feed(struct uet_sock *us);
void uet_rx_match_add(struct uet_rx_message *rm);
void uet_rx_match_list(struct uet_rx_message *rm);
struct uet_posted_recv *uet_rx_match_settle(struct uet_rx_message *rm);
void uet_rx_match_take(struct uet_rx_take *take);

/* ------------------------------------------------------------------ peers of a socket */

/* Under lock_sock(). */
int uet_peer_add(struct uet_sock *us, const struct uet_sock_dest *dest,
		 u32 initiator, u32 *number);
int uet_peer_remove(struct uet_sock *us, u32 number);
bool uet_peer_dest(const struct uet_sock *us, u32 number, struct uet_sock_dest *dest);

/* With rx_lock held. */
u32 uet_peer_find(const struct uet_sock *us, const struct uet_fa *fa, u32 initiator);
void uet_peer_note(struct uet_rx_message *rm);

bool uet_peer_exists(const struct uet_sock *us, u32 number);
void uet_peers_close(struct uet_sock *us);

/* --------------------------------------------------------------------- read responses */

/*
 * struct uet_read_rsp_msg - read responses whose requests followed each other
 * @ses: SES state; under the lock of the PDC while SES has the responses
 * @us: endpoint of the memory region, one sock reference
 * @bytes: charged to uet_sock.read_rsp_bytes
 * @page_bytes: data in each page but the last, bytes: that of whole packets
 * @nr_pages: 0: a response without data
 */
struct uet_read_rsp_msg {
	struct uet_ses_read_rsp ses;
	struct uet_sock *us;
	u32 bytes;
	u32 page_bytes;
	u32 nr_pages;
	struct page *pages[];
};

struct uet_read_rsp_msg *uet_read_rsp_copy(struct uet_sock *us, const struct uet_mr *mr,
					   u64 offset, u32 len, u32 nr);
u32 uet_read_rsp_put_bytes(const struct uet_read_rsp_msg *read_rsp,
			   struct sk_buff *skb, u32 at, u32 len);
void uet_read_rsp_free(struct uet_read_rsp_msg *read_rsp);
void uet_read_rsp_free_all(struct list_head *read_rsps);

#endif
