// SPDX-License-Identifier: GPL-2.0
/*
 * A received packet: its origin, framing, protection and SES header, the reply to one without a
 * PDC, and its end. All packets end in one function, which counts the drop reason, traces and
 * frees. A reply is never longer than the packet and replies are rate-limited, so that forged
 * packets cannot cause a flood.
 *
 * A NACK in clear to a FEP with security may be forged: it becomes the UET_LAST_ERROR of its
 * socket, and makes a PDC that opens begin at another PSN once.
 * Spec: UE 1.0.1 3.4, 3.4.3, 3.5.10.1, uet-wire 1.4, 1.6, 1.9, 4.4.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"
#include "tss/tss.h"

/* Replies to packets without a PDC, per FEP: 1000 per second, burst of 64. */
#define RX_REPLY_EVERY_NS	NSEC_PER_MSEC
#define RX_REPLY_BURST		64

/* Length after the carrier header, bytes; 0 if that is incomplete. */
static u32 rx_bytes(const struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;

	return rx->ip_len > head_len ? rx->ip_len - head_len : 0;
}

/* Note source address and IP-level information of a packet or burst, and count. */
void uet_rx_set_origin(struct uet_rx *rx)
{
	const struct sk_buff *skb = rx->skb;
	struct uet_net *un = rx->fep->un;
	u8 tos;

	if (rx->fep->cfg.fa.family == AF_INET) {
		rx->from = uet_fa_v4(ip_hdr(skb)->saddr);
		tos = ipv4_get_dsfield(ip_hdr(skb));
	} else {
		rx->from = uet_fa_v6(&ipv6_hdr(skb)->saddr, skb->skb_iif);
		tos = ipv6_get_dsfield(ipv6_hdr(skb));
	}
	rx->ip_len = uet_burst_bytes(skb, rx->fep->head_len);
	if (skb_is_gso(skb))
		rx->ip_len += rx->count * rx->fep->cfg.protect_len;
	rx->in.ce = INET_ECN_is_ce(tos);
	rx->in.bytes = skb->len + UET_RX_NOMINAL;
	uet_mib_add(un, UET_MIB_RX_PACKETS, rx->count);
	uet_mib_add(un, UET_MIB_RX_BYTES, rx_bytes(rx));
	if (rx->in.ce)
		uet_mib_add(un, UET_MIB_RX_CE, rx->count);
}

/* The rail of a FEP on which @dev is, and its slot; NULL: none. */
struct uet_rail *uet_rx_find_rail(const struct uet_fep *fep, const struct net_device *dev,
				  int *slot)
{
	struct uet_rail *rail;

	for (*slot = 0; *slot < fep->cfg.nr_rails; ++*slot) {
		rail = rcu_dereference(fep->rail[*slot]);
		if (rail && rail->dev == dev)
			return rail;
	}
	return NULL;
}

/*
 * Check rail and IP header of a packet or burst. A FEP receives on its rails, and on loopback
 * the packets this host sends itself.
 */
enum uet_drop uet_rx_check_origin(const struct uet_rx *rx)
{
	bool is_v4 = rx->fep->cfg.fa.family == AF_INET;
	struct uet_rail *rail;
	int slot;

	rail = uet_rx_find_rail(rx->fep, rx->dev, &slot);
	if (rail)
		uet_rail_count_rx(rail, rx->count, rx_bytes(rx));
	else if (!(rx->dev->flags & IFF_LOOPBACK))
		return UET_DROP_RAIL_NOT_OURS;
	if (is_v4 ? IPCB(rx->skb)->frag_max_size : IP6CB(rx->skb)->flags & IP6SKB_FRAGMENTED)
		return UET_DROP_FRAGMENT;
	if (is_v4 && ip_hdr(rx->skb)->ihl != sizeof(struct iphdr) / 4)
		return UET_DROP_IP_OPTIONS;
	return UET_DROP_NONE;
}

/*
 * Check the carrier framing. Leaves the carrier header and up to @bytes after it in the linear
 * part. uet-wire 1.4.
 */
enum uet_drop uet_rx_check_framing(struct uet_rx *rx, u32 bytes)
{
	u32 head_len = rx->fep->head_len;
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	why = uet_rx_check_origin(rx);
	if (why)
		return why;
	/* IP validated only its own header of the native form. */
	if (skb->len < head_len)
		return UET_DROP_TRUNC_ENTROPY;
	if (!pskb_may_pull(skb, min(skb->len, head_len + bytes)))
		return UET_DROP_NO_MEMORY;
	rx->in.ev = get_unaligned_be16(skb->data);
	return UET_DROP_NONE;
}

/* The code of a packet in clear is a hint for a person, and no more. */
static void refused_explain(const struct uet_rx *rx, const struct uet_pds_pkt *pkt, u8 code)
{
	struct uet_tx_message *tm;
	struct uet_ses_tx *tx;

	if (!pkt || uet_ses_is_read_rsp(pkt))
		return;
	tx = pkt->msg;
	tm = container_of(tx, struct uet_tx_message, ses);
	uet_sock_explain(tm->us, 0, "message of %u bytes waits: a NACK in clear, code %s, came from the address of its target, and FEP %s accepts sealed packets only",
			 uet_ses_tx_length(tx), uet_wire_nack(code)->name,
			 rx->fep->cfg.name);
}

static void refused_retry(const struct uet_rx *rx, struct uet_pdc_entry *pe,
			  const struct uet_pds_hdr *hdr)
	__must_hold(&pe->lock)
{
	u32 start_psn;

	if (pe->role != UET_PDC_INITIATOR)
		return;
	start_psn = uet_pdc_table_start_psn(rx->fep->pdcs, &pe->key,
					    UET_PDC_START_EXPECTED);
	uet_pdc_start_retry(pe->pdc, hdr, start_psn, rx->now);
}

/*
 * Note a NACK in clear to a FEP with security; the packet starts at the carrier header. A peer
 * that cannot open or does not accept a sealed SYN has no other way to say so. The packet is
 * dropped. The first one for a PDC that opens makes this PDC begin at another PSN.
 */
static noinline void rx_clear_nack(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct uet_pdc_entry *pe;
	struct uet_pds_hdr hdr;
	size_t used;

	if (uet_wire_pds_decode(rx->skb->data + head_len,
				skb_headlen(rx->skb) - head_len, &hdr, &used) ||
	    uet_wire_ty(hdr.type)->kind != UET_TK_NACK ||
	    hdr.flags & UET_F_NT)
		return;
	uet_mib_inc(rx->fep->un, UET_MIB_RX_CLEAR_NACK);
	pe = uet_pdc_table_find(rx->fep->pdcs, hdr.u.nack.dpdcid);
	if (!pe || !uet_fa_equal(&pe->peer, &rx->from))
		return;
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	if (!pe->dead && uet_pdc_entry_awake(pe)) {
		refused_explain(rx, uet_pdc_pkt_of_nack(pe->pdc, &hdr),
				hdr.u.nack.code);
		refused_retry(rx, pe, &hdr);
	}
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/*
 * Open a packet for a FEP in a secure domain; no field is trusted before. The carrier header is
 * in the linear part, with what follows of a PDS header. On success the packet starts at the
 * PDS header, without ICV.
 */
enum uet_drop uet_rx_open(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	/* Require a non-empty packet after the carrier header. */
	if (skb->len <= head_len)
		return UET_DROP_TRUNC_TSS;
	why = uet_tss_policy(true, uet_wire_type(skb->data + head_len), false);
	if (why == UET_DROP_TSS_CLEAR)
		rx_clear_nack(rx);
	if (!why)
		why = uet_sd_open(rx->fep, &rx->from, skb, rx->tss);
	if (why)
		return why;
	if (!pskb_may_pull(skb, min_t(u32, skb->len, UET_PDS_MAX_LEN)))
		return UET_DROP_NO_MEMORY;
	return UET_DROP_NONE;
}

/*
 * Check that the packet is complete and addressed to this FEP. Leaves the packet starting at
 * the PDS header, which is in the linear part, without trailer. uet-wire 1.9.
 */
enum uet_drop uet_rx_check(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	why = uet_rx_check_framing(rx, UET_PDS_MAX_LEN);
	if (why)
		return why;
	if (unlikely(rx->fep->cfg.sd))
		return uet_rx_open(rx);
	if (skb->len > head_len &&
	    uet_wire_type(skb->data + head_len) == UET_TY_TSS)
		return UET_DROP_TSS_UNSUPPORTED;
	if (rx->fep->cfg.crc) {
		why = uet_crc_check(rx->fep, &rx->from, skb);
		if (why)
			return why;
	}
	__skb_pull(skb, head_len);
	return UET_DROP_NONE;
}

/*
 * Pull the SES header into the linear part, and no more: payload that is pulled too would have
 * to be copied from two pieces.
 */
bool uet_rx_pull_ses(const struct uet_rx *rx)
{
	const struct uet_nh_prop *nh = uet_wire_nh(rx->hdr.next_hdr);
	struct sk_buff *skb = rx->skb;
	u32 len = nh->len;

	if (!pskb_may_pull(skb, min(skb->len, len)))
		return false;
	if (nh->kind != UET_NK_REQ || skb->len <= len ||
	    uet_wire_op(uet_wire_ses_opcode(skb->data))->ext == UET_EXT_NONE)
		return true;
	return pskb_may_pull(skb, min(skb->len, len + UET_EXT_CSWAP_LEN));
}

/* Decode the request a packet carries, and leave the packet at the payload of @len bytes. */
enum uet_drop uet_rx_request(struct uet_rx *rx, struct uet_ses_req *req, size_t *len)
{
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;
	size_t used;

	why = uet_wire_ses_req_decode(rx->hdr.next_hdr, skb->data,
				      skb_headlen(skb), req, &used);
	if (why)
		return why;
	req->job = uet_fep_job(rx->fep, req->job);
	__skb_pull(skb, used);
	why = uet_wire_ses_payload(req, skb->len, len);
	if (!why)
		uet_ses_rx_mark_end(req, *len, rx->fep->cfg.mtu);
	return why;
}

/*
 * Decode the response a packet carries, NULL if it has none, and leave the packet at the data
 * of @len bytes.
 */
enum uet_drop uet_rx_response(struct uet_rx *rx, struct uet_ses_rsp *space,
			      struct uet_ses_rsp **rsp, size_t *len)
{
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;
	size_t used;

	*rsp = NULL;
	if (rx->hdr.next_hdr == UET_NH_NONE)
		return UET_DROP_NONE;
	why = uet_wire_ses_rsp_decode(rx->hdr.next_hdr, skb->data,
				      skb_headlen(skb), space, &used);
	if (!why)
		why = uet_wire_ses_rsp_payload(space, skb->len - used, len);
	if (!why)
		__skb_pull(skb, used);
	*rsp = space;
	return why;
}

/*
 * Answer a packet that has no PDC; @len: of the reply from the PDS header on, bytes. Return:
 * @why, or UET_DROP_RATE_LIMIT.
 */
enum uet_drop uet_rx_reply(struct uet_rx *rx, const struct uet_pdc_tx *tx,
			   u32 len, enum uet_drop why)
{
	len += rx->fep->cfg.protect_len;
	if (len > rx_bytes(rx))
		return why;
	if (!uet_limit_pass(&rx->fep->replies, rx->now, RX_REPLY_EVERY_NS,
			    RX_REPLY_BURST))
		return UET_DROP_RATE_LIMIT;
	uet_tx_reply(rx->fep, &rx->from, tx, NULL);
	return why;
}

/* End of each packet: count, trace and free. */
void uet_rx_end(struct uet_rx *rx, enum uet_drop why)
{
	struct uet_fep *fep = rx->fep;

	if (why) {
		uet_drop_count(fep->un, why);
		uet_mib_inc(fep->un, UET_MIB_RX_DROPS);
		uet_traffic_add(&fep->traffic, UET_TRAFFIC_DROPS, 1);
		trace_uet_drop(fep, &rx->from, rx->dev, &rx->hdr, why,
			       rx->ip_len, false);
	}
	if (rx->is_kept)
		return;
	if (why)
		kfree_skb(rx->skb);
	else
		consume_skb(rx->skb);
}

/* Hand the packet over to a socket, without its device, dst and conntrack. */
void uet_rx_keep(struct uet_rx *rx)
{
	rx->is_kept = true;
	uet_skb_strip(rx->skb);
}
