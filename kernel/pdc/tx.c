// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit path: converts packets of the core into socket buffers and passes them to the carrier.
 * Headers are in the linear part. A short payload is copied after them; a longer payload is
 * referenced as page fragments of the message. The core decides which packet is sent and when;
 * carrier.c handles addresses, rails and the trailer.
 *
 * BH is disabled.  A request is built under the lock of its PDC, or of the RUDI requests to the
 * peer; packets are sent without a lock, under rcu_read_lock().
 * Spec: UE 1.0.1 3.5.10, 3.4 (layout by core/wire).
 */
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc.h"
#include "tss/tss.h"

/* Return: length of the SES header, bytes, 0 if it cannot be encoded. */
static size_t tx_put_ses(const struct uet_pdc_tx *tx, u8 *buf)
{
	struct uet_ses_req req __uninitialized;
	struct uet_ses_rsp rsp;

	if (tx->kind == UET_TX_ACK)
		return uet_wire_ses_rsp_encode(&tx->rsp, buf, UET_SES_RSP_MAX_LEN);
	if (uet_ses_is_read_rsp(&tx->pkt)) {
		uet_ses_read_rsp_header(&tx->pkt, &rsp);
		return uet_wire_ses_rsp_encode(&rsp, buf, UET_SES_RSP_MAX_LEN);
	}
	uet_ses_tx_request(tx->pkt.msg, &tx->pkt, &req);
	return uet_wire_ses_req_encode(&req, buf, UET_SES_REQ_MAX_LEN);
}

static bool tx_put_headers(struct sk_buff *skb, const struct uet_pdc_tx *tx)
{
	u8 *buf = skb_tail_pointer(skb);
	size_t pds, ses = 0;

	pds = uet_wire_pds_encode(&tx->hdr, buf, UET_PDS_MAX_LEN);
	if (!pds)
		return false;
	if (tx->kind == UET_TX_REQ ||
	    (tx->kind == UET_TX_ACK && tx->hdr.next_hdr != UET_NH_NONE)) {
		ses = tx_put_ses(tx, buf + pds);
		if (!ses)
			return false;
	}
	skb_put(skb, pds + ses);
	if (tx->kind == UET_TX_ACK && tx->rsp.data)
		skb_put_data(skb, tx->rsp.data, tx->rsp.payload_length);
	return true;
}

/* Length of the linear part, bytes. */
static u32 tx_linear(const struct uet_pdc_tx *tx)
{
	if (tx->kind != UET_TX_REQ || tx->pkt.len > UET_TX_COPY)
		return UET_TX_LINEAR;
	return UET_TX_LINEAR + tx->pkt.len;
}

/*
 * Add bytes of the packet, and of those behind it, to @nr packets at @skb. Return: number of
 * bytes added, fewer than @len without memory.
 */
static u32 tx_put_bytes(struct sk_buff *skb, const struct uet_pds_pkt *pkt, u32 len, u32 nr)
{
	const struct uet_read_rsp_msg *read_rsp;

	if (!uet_ses_is_read_rsp(pkt))
		return uet_tx_message_put_bytes(container_of(pkt->msg, struct uet_tx_message,
							     ses),
						skb, pkt->offset, len, nr);
	read_rsp = container_of(pkt->msg, struct uet_read_rsp_msg, ses);
	return uet_read_rsp_put_bytes(read_rsp, skb, pkt->offset -
				      read_rsp->ses.rsp.message_offset, len);
}

/* Add zeroes, for the probe of a path. */
static void tx_put_zeroes(struct sk_buff *skb, u32 len)
{
	struct page *page = ZERO_PAGE(0);
	u32 part;
	int i;

	for (i = 0; len; i++, len -= part) {
		part = min_t(u32, len, PAGE_SIZE);
		get_page(page);
		skb_add_rx_frag(skb, i, page, 0, part, 0);
	}
}

static bool tx_put_payload(struct sk_buff *skb, const struct uet_pdc_tx *tx)
{
	const struct uet_pds_pkt *pkt = &tx->pkt;

	if (!pkt->len || pkt->flags & UET_PKT_BARE)
		return true;
	if (tx->hdr.type != UET_TY_RUDI_REQ || !uet_rudi_user_req_of(pkt))
		return tx_put_bytes(skb, pkt, pkt->len, 1) == pkt->len;
	tx_put_zeroes(skb, pkt->len);
	return true;
}

/*
 * The linear part is a page fragment, as in a packet from a device: allocating, clearing and
 * freeing it is cheaper than for separate memory.
 */
static struct sk_buff *tx_alloc(u32 linear)
{
	u32 size = SKB_DATA_ALIGN(linear) + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	void *head = napi_alloc_frag(size);
	struct sk_buff *skb;

	if (!head)
		return NULL;
	skb = napi_build_skb(head, size);
	if (!skb) {
		skb_free_frag(head);
		return NULL;
	}
	skb_reserve(skb, UET_TX_HEADROOM);
	return skb;
}

/*
 * The socket of the message that a packet carries a part of; NULL: the kernel sends it.
 * Messages and read responses end after their packets were sent.
 */
static struct sock *tx_owner(const struct uet_pdc_tx *tx)
{
	if (tx->kind != UET_TX_REQ)
		return NULL;
	if (uet_ses_is_read_rsp(&tx->pkt))
		return &container_of(tx->pkt.msg, struct uet_read_rsp_msg, ses)->us->sk;
	if (tx->hdr.type == UET_TY_RUDI_REQ && uet_rudi_user_req_of(&tx->pkt))
		return NULL;
	return container_of(tx->pkt.msg, struct uet_tx_message, ses)->owner;
}

static void tx_put_cb(struct sk_buff *skb, const struct uet_pdc_tx *tx, u16 ev)
{
	struct uet_tx_skb_cb *cb = uet_tx_skb_cb(skb);

	cb->sk = tx_owner(tx);
	cb->ev = ev;
	if (tx->kind != UET_TX_REQ)
		cb->class = UET_CLASS_CONTROL;
	else
		cb->class = tx->is_retx ? UET_CLASS_RETX : UET_CLASS_REQUEST;
}

/*
 * Return: @skb, ready for the carrier; NULL if it could not be built, which is counted. @skb
 * may be NULL then.
 */
static struct sk_buff *tx_finish(struct uet_fep *fep, const struct uet_pdc_tx *tx,
				 struct sk_buff *skb, bool is_built)
{
	if (!is_built) {
		kfree_skb(skb);
		uet_drop_count(fep->un, UET_DROP_NO_MEMORY);
		uet_mib_inc(fep->un, UET_MIB_TX_DROPS);
		uet_traffic_add(&fep->traffic, UET_TRAFFIC_DROPS, 1);
		return NULL;
	}
	tx_put_cb(skb, tx, tx->ev);
	return skb;
}

/*
 * The packet, starting at the PDS header, uet_tx_skb_cb() filled in; NULL without memory, which
 * is counted.
 */
struct sk_buff *uet_tx_build(struct uet_fep *fep, const struct uet_pdc_tx *tx)
{
	struct sk_buff *skb = tx_alloc(tx_linear(tx));

	return tx_finish(fep, tx, skb, skb && tx_put_headers(skb, tx) &&
			 (tx->kind != UET_TX_REQ || tx_put_payload(skb, tx)));
}

/* Bytes behind the headers of a packet of a run. */
static u32 tx_unit(const struct uet_pdc_tx *tx)
{
	return tx->pkt.flags & UET_PKT_BARE ? 0 : tx->pkt.len;
}

static void tx_put_next_headers(struct sk_buff *skb, const struct uet_pdc_tx *tx,
				const struct sk_buff *like)
{
	uet_wire_req_next(skb_put_data(skb, like->data, like->len - tx_unit(tx)),
			  &tx->hdr.u.req, tx->pkt.offset);
}

/* A packet that continues the one before, with a socket buffer of its own. */
static struct sk_buff *tx_build_next(struct uet_fep *fep, const struct uet_pdc_tx *tx,
				     const struct sk_buff *like)
{
	struct sk_buff *skb = tx_alloc(tx_linear(tx));

	if (skb)
		tx_put_next_headers(skb, tx, like);
	return tx_finish(fep, tx, skb, skb && (!tx_unit(tx) || tx_put_payload(skb, tx)));
}

/* Headers as those of @like, and payloads. Return: number of packets, at most @nr. */
static u32 tx_put_several(struct sk_buff *skb, const struct uet_pdc_tx *tx,
			  const struct sk_buff *like, u32 nr)
{
	u32 unit = tx_unit(tx), len;

	tx_put_next_headers(skb, tx, like);
	if (!unit)
		return nr;
	len = tx_put_bytes(skb, &tx->pkt, nr * unit, nr);
	if (len < nr * unit && pskb_trim(skb, like->len - unit + rounddown(len, unit)))
		return 0;
	return len / unit;
}

/*
 * Build a run of at most @n packets.  It has fewer if they leave over several rails, or if
 * their payloads are in too many pieces. Return: number of packets; 0: none is built, which is
 * not counted.
 */
static u32 tx_build_several(struct uet_fep *fep, struct uet_path *path,
			    struct uet_pdc_tx *tx, const struct sk_buff *like,
			    const u16 *ev, u32 n, struct sk_buff_head *skbs)
{
	u32 unit = tx_unit(tx);
	u32 nr = uet_burst_run_fit(fep, path, ev, n, like->len - unit, unit);
	struct uet_pdc_tx step = *tx;
	struct sk_buff *skb;
	u32 i;

	if (nr < 2)
		return 0;
	skb = tx_alloc(UET_TX_LINEAR + uet_burst_run_space(nr));
	if (!skb)
		return 0;
	uet_pdc_tx_step(&step, ev[0]);
	nr = tx_put_several(skb, &step, like, nr);
	if (!nr) {
		kfree_skb(skb);
		return 0;
	}
	if (nr > 1)
		uet_burst_run_set(skb, ev, nr, unit);
	for (i = 0; i < nr; i++)
		uet_pdc_tx_step(tx, ev[i]);
	tx_put_cb(skb, tx, ev[0]);
	__skb_queue_tail(skbs, skb);
	return nr;
}

/* May packets like this one share a socket buffer?  Short payloads are copied. */
static bool tx_may_share(const struct uet_pdc_tx *tx)
{
	return tx->pkt.flags & UET_PKT_BARE || tx->pkt.len > UET_TX_COPY;
}

/*
 * Build packets that continue the one before.  A packet for which there is no memory is counted
 * as dropped.
 * @tx: packet descriptor of the core of the packet before; at the end that of the last one
 * @like: the packet before, from uet_tx_build()
 * @ev: entropy values of the @n packets from uet_pdc_poll_tx_run()
 *
 * Return: true if the order of @ev may have changed.
 */
bool uet_tx_build_run(struct uet_fep *fep, struct uet_path *path, struct uet_pdc_tx *tx,
		      const struct sk_buff *like, u16 *ev, u32 n, struct sk_buff_head *skbs)
{
	bool may_share = n > 1 && tx_may_share(tx);
	bool is_sorted = may_share && uet_burst_sort(fep, path, ev, n);
	struct sk_buff *skb;
	u32 i, nr;

	for (i = 0; i < n; i += nr) {
		nr = 0;
		if (may_share)
			nr = tx_build_several(fep, path, tx, like, ev + i, n - i, skbs);
		if (nr)
			continue;
		nr = 1;
		uet_pdc_tx_step(tx, ev[i]);
		skb = tx_build_next(fep, tx, like);
		if (skb)
			__skb_queue_tail(skbs, skb);
	}
	return is_sorted;
}

/* The netdev on which the carrier sends packets with this entropy value, or NULL. */
static const struct net_device *tx_dev(const struct uet_fep *fep, struct uet_path *path, u16 ev)
{
	int slot = uet_fep_pick_slot(fep, ev, path ? uet_path_avoid(path) : 0);
	struct uet_rail *rail;

	rail = slot < 0 ? NULL : rcu_dereference(fep->rail[slot]);
	return rail ? rail->dev : NULL;
}

static void tx_trace_run(const struct uet_fep *fep, const struct uet_fa *to,
			 struct uet_path *path, struct sk_buff *skb)
{
	const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(skb);
	u32 len = cb->nr ? skb_headlen(skb) + cb->unit : skb->len, i;
	struct uet_pds_hdr hdr = {};
	u16 ev = cb->ev;
	size_t used;

	if (uet_wire_pds_decode(skb->data, skb_headlen(skb), &hdr, &used))
		return;
	for (i = 0; i < uet_tx_skb_nr(skb); i++) {
		if (cb->nr)
			ev = uet_burst_entry_ev(skb_tail_pointer(skb), i);
		trace_uet_pkt_tx(fep, to, tx_dev(fep, path, ev), &hdr, ev, len);
		hdr.u.req.psn++;
	}
}

static noinline void tx_trace(const struct uet_fep *fep, const struct uet_fa *to,
			      struct uet_path *path, struct sk_buff *skb)
{
	struct sk_buff *packet;

	if (!skb_is_gso(skb)) {
		tx_trace_run(fep, to, path, skb);
		return;
	}
	skb_walk_frags(skb, packet)
		tx_trace_run(fep, to, path, packet);
}

/* uet_carrier_xmit(), tracing a drop with the header of the first packet. */
static noinline enum uet_drop tx_xmit_traced(struct uet_fep *fep, const struct uet_fa *to,
					     struct uet_path *path, struct sk_buff *skb,
					     u32 len)
{
	const struct sk_buff *first = skb_is_gso(skb) ? skb_shinfo(skb)->frag_list : skb;
	const struct net_device *dev = tx_dev(fep, path, uet_tx_skb_cb(skb)->ev);
	struct uet_pds_hdr hdr = {};
	enum uet_drop why;
	size_t used;

	uet_wire_pds_decode(first->data, skb_headlen(first), &hdr, &used);
	why = uet_carrier_xmit(fep, to, path, skb);
	if (why)
		trace_uet_drop(fep, to, dev, &hdr, why, len, true);
	return why;
}

static enum uet_drop tx_one(struct uet_fep *fep, const struct uet_fa *to,
			    struct uet_path *path, struct sk_buff *skb)
{
	u32 count = uet_burst_count(skb);
	u32 len = uet_burst_bytes(skb, 0) + count * fep->cfg.protect_len;
	enum uet_drop why;

	if (trace_uet_pkt_tx_enabled())
		tx_trace(fep, to, path, skb);
	why = trace_uet_drop_enabled() ? tx_xmit_traced(fep, to, path, skb, len) :
	      uet_carrier_xmit(fep, to, path, skb);
	if (!why) {
		uet_mib_add(fep->un, UET_MIB_TX_PACKETS, count);
		uet_mib_add(fep->un, UET_MIB_TX_BYTES, len);
		if (count > 1) {
			uet_mib_inc(fep->un, UET_MIB_TX_BURSTS);
			uet_mib_add(fep->un, UET_MIB_TX_BURST_PACKETS, count);
		}
		return UET_DROP_NONE;
	}
	uet_drop_add(fep->un, why, count);
	uet_mib_add(fep->un, UET_MIB_TX_DROPS, count);
	uet_traffic_add(&fep->traffic, UET_TRAFFIC_DROPS, count);
	return why;
}

/*
 * Send packets in bursts.
 * @skbs: from uet_tx_build() and uet_tx_build_run(), in order; empty afterwards
 * @burst: most bytes of a burst; U32_MAX: only the setting of the FEP limits it
 */
void uet_tx_send(struct uet_fep *fep, const struct uet_fa *to,
		 struct uet_path *path, struct sk_buff_head *skbs, u32 burst)
{
	struct sk_buff *skb;

	while (!skb_queue_empty(skbs)) {
		skb = uet_burst_next(fep, path, skbs, burst);
		if (skb)
			tx_one(fep, to, path, skb);
	}
}

/*
 * uet_tx_reply() - answer a packet that belongs to no PDC
 * @tx: from uet_pds_reply_no_pdc() or uet_rudi_reply(); not a request
 * @read_rsp: data of the answer, consumed; or NULL
 */
void uet_tx_reply(struct uet_fep *fep, const struct uet_fa *to, const struct uet_pdc_tx *tx,
		  struct uet_read_rsp_msg *read_rsp)
{
	struct sk_buff *skb = uet_tx_build(fep, tx);

	if (skb && read_rsp) {
		uet_read_rsp_put_bytes(read_rsp, skb, 0, read_rsp->ses.rsp.payload_length);
		uet_tx_skb_cb(skb)->sk = &read_rsp->us->sk;
	}
	if (skb)
		tx_one(fep, to, NULL, skb);
	if (read_rsp)
		uet_read_rsp_free(read_rsp);
}

/**
 * uet_tx_dgram_begin() - write the headers of a datagram (UUD, UE 1.0.1 3.5.10.12)
 * @skb: empty, with a linear part of UET_TX_LINEAR bytes; the payload follows as page fragments
 * @msg: the message, of one packet; message id 0
 * Return: false if the message cannot be encoded.
 */
bool uet_tx_dgram_begin(struct sk_buff *skb, const struct uet_ses_tx *msg)
{
	const struct uet_pds_pkt pkt = {
		.len = msg->length,
		.flags = UET_PKT_SOM | UET_PKT_EOM,
	};
	/* The PDS header contains only the next-header type. */
	struct uet_pds_hdr hdr = { .type = UET_TY_UUD_REQ };
	struct uet_ses_req req;
	size_t pds, ses;
	u8 *buf;

	skb_reserve(skb, UET_TX_HEADROOM);
	buf = skb_tail_pointer(skb);
	uet_ses_tx_request(msg, &pkt, &req);
	hdr.next_hdr = uet_wire_ses_req_nh(&req);
	pds = uet_wire_pds_encode(&hdr, buf, UET_PDS_MAX_LEN);
	ses = uet_wire_ses_req_encode(&req, buf + pds, UET_SES_REQ_MAX_LEN);
	if (!pds || !ses)
		return false;
	skb_put(skb, pds + ses);
	return true;
}

/*
 * uet_tx_dgram_send() - send a datagram, with a new entropy value
 * @skb: from uet_tx_dgram_begin(), with its payload; charged to its socket; consumed
 * Return: UET_DROP_NONE, or the counted reason why no rail could send it.
 */
enum uet_drop uet_tx_dgram_send(struct uet_fep *fep, const struct uet_fa *to,
				struct sk_buff *skb)
{
	enum uet_drop why;

	uet_tx_skb_cb(skb)->sk = skb->sk;
	uet_tx_skb_cb(skb)->ev = get_random_u32_below(U16_MAX) + 1;
	uet_tx_skb_cb(skb)->class = UET_CLASS_REQUEST;
	why = tx_one(fep, to, NULL, skb);
	if (!why)
		uet_mib_inc(fep->un, UET_MIB_TX_UUD);
	return why;
}
