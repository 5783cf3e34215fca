// SPDX-License-Identifier: GPL-2.0
/*
 * ICMP errors for packets of a FEP: a router reports that a packet exceeds the MTU of
 * its next hop.  A report is accepted as a hint (fabric/path.c) only if it quotes a
 * packet in flight on a PDC.
 * Spec: uet-wire 1.6 (a packet must fit the path).
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <net/ip.h>

#include "base/base.h"
#include "carrier/carrier.h"
#include "core/wire/psn.h"
#include "fabric/fabric.h"
#include "pdc/pdc.h"
#include "rx.h"

/*
 * Return: the MTU that an ICMP error reports, bytes; 0: none. The ICMP header precedes the
 * quoted packet, because the stack has pulled the header.
 */
static u32 rxicmp_mtu(const struct uet_fep *fep, const struct sk_buff *skb)
{
	const struct icmp6hdr *icmp6 = (void *)(skb->data - sizeof(*icmp6));
	const struct icmphdr *icmp = (void *)(skb->data - sizeof(*icmp));

	if (fep->cfg.fa.family == AF_INET)
		return icmp->type == ICMP_DEST_UNREACH &&
		       icmp->code == ICMP_FRAG_NEEDED ?
		       ntohs(icmp->un.frag.mtu) : 0;
	return icmp6->icmp6_type == ICMPV6_PKT_TOOBIG ?
	       ntohl(icmp6->icmp6_mtu) : 0;
}

static bool rxicmp_waits_for(struct uet_pdc_entry *pe, u32 psn)
{
	struct uet_pdc_info info;

	uet_pdc_entry_lock(pe);
	uet_pdc_get_info(pe->pdc, &info);
	uet_pdc_entry_unlock(pe);
	return !uet_psn_before(psn, info.tx_base_psn) &&
	       uet_psn_before(psn, info.next_psn);
}

/*
 * Return: the PDC that sent the quoted request and has no answer to it, or NULL. As many bytes
 * are read as of a trimmed packet, which is enough for any request.
 */
static struct uet_pdc_entry *rxicmp_find_pdc(struct uet_fep *fep, const u8 *buf,
					     const struct uet_fa *peer)
{
	struct uet_pdc_entry *pe;
	struct uet_pds_hdr hdr;
	size_t used;

	if (uet_wire_pds_decode(buf, UET_TRIM_LEN, &hdr, &used) ||
	    uet_wire_ty(hdr.type)->kind != UET_TK_REQ)
		return NULL;
	pe = uet_pdc_table_find(fep->pdcs, hdr.u.req.spdcid);
	if (!pe || !uet_fa_equal(&pe->peer, peer) ||
	    !rxicmp_waits_for(pe, hdr.u.req.psn))
		return NULL;
	return pe;
}

/*
 * Process an ICMP error. @skb starts at the quoted IP header, as err_handler() gets it; @offset
 * is that of the carrier header, bytes. Planes are not connected, so the error arrives on the
 * rail of the quoted packet.
 */
void uet_rx_icmp(struct uet_fep *fep, struct sk_buff *skb, u32 offset)
{
	u32 head_len = fep->head_len;
	u32 mtu = rxicmp_mtu(fep, skb), list;
	struct uet_pdc_entry *pe;
	struct uet_fa peer;
	u8 buf[UET_TRIM_LEN];
	int slot;

	if (!mtu || mtu >= READ_ONCE(fep->min_mtu) ||
	    skb_copy_bits(skb, offset + head_len, buf, UET_TRIM_LEN))
		return;
	list = uet_burst_list_len(buf);
	if (list && skb_copy_bits(skb, offset + head_len + list, buf,
				  UET_TRIM_LEN))
		return;
	/* The destination of the quoted packet. */
	if (fep->cfg.fa.family == AF_INET)
		peer = uet_fa_v4(((const struct iphdr *)skb->data)->daddr);
	else
		peer = uet_fa_v6(&((const struct ipv6hdr *)skb->data)->daddr, fep->cfg.fa.scope_id);
	pe = rxicmp_find_pdc(fep, buf, &peer);
	if (!pe || !uet_rx_find_rail(fep, skb->dev, &slot))
		return;
	uet_path_hint(&pe->path, slot, mtu);
	uet_mib_inc(fep->un, UET_MIB_PMTU_EXCEEDED);
}
