// SPDX-License-Identifier: GPL-2.0
/*
 * What a PDC knows of its ways to the peer.  A router that cannot forward a
 * packet for its size says so by ICMP.  That is a hint, never an order: it can
 * be forged, and a FEP cannot send smaller packets than its Payload MTU wants.
 * For a while the PDC prefers its other rails.  If none is left it goes on as if
 * nothing had been said; and should it then end because nobody answers, the
 * hint says why.  A hint is believed only if it quotes a packet that the PDC is
 * waiting to be answered.
 * Spec: uet-wire 1.6 (a packet must fit the path).  Level: shell.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <net/ip.h>

#include "carrier/carrier.h"
#include "core/wire/psn.h"
#include "base/fa.h"
#include "pdc/pdc_entry.h"
#include "net.h"
#include "path.h"
#include "rail.h"

/* Longer than the longest time-out is by default. */
#define PATH_HINT_NS	(10ULL * NSEC_PER_SEC)

/**
 * uet_path_init() - the ways of a new PDC
 * @path: zeroed
 * @gfp: how to allocate
 *
 * Context: As @gfp says.
 * Return: 0 or -ENOMEM, and then nothing is left.
 */
int uet_path_init(struct uet_path *path, gfp_t gfp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(path->route); i++) {
		if (dst_cache_init(&path->route[i], gfp)) {
			uet_path_fini(path);
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * uet_path_fini() - give the routes back
 * @path: zeroed or in use until now
 *
 * Context: Any, nobody sends any more.
 */
void uet_path_fini(struct uet_path *path)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(path->route); i++)
		dst_cache_destroy(&path->route[i]);
}

/**
 * uet_path_hint() - a way is too narrow
 * @path: the ways of a PDC
 * @slot: the rail, by its place in the FEP
 * @mtu: how wide it is, bytes
 *
 * Context: Any.
 */
void uet_path_hint(struct uet_path *path, int slot, u32 mtu)
{
	WRITE_ONCE(path->mtu[slot], mtu);
	WRITE_ONCE(path->hinted_ns[slot], ktime_get_ns());
	WRITE_ONCE(path->hinted, READ_ONCE(path->hinted) | BIT(slot));
}

/**
 * uet_path_avoid() - which ways are better not taken?
 * @path: the ways of a PDC
 *
 * Forgets what was said too long ago.
 *
 * Context: Any.
 * Return: bit i: rail i of the FEP.
 */
unsigned long uet_path_avoid(struct uet_path *path)
{
	unsigned long hinted = READ_ONCE(path->hinted), left = hinted;
	u64 now;
	int i;

	if (likely(!hinted))
		return 0;
	now = ktime_get_ns();
	for_each_set_bit(i, &hinted, UET_FEP_RAILS_MAX) {
		if (now - READ_ONCE(path->hinted_ns[i]) > PATH_HINT_NS)
			left &= ~BIT(i);
	}
	if (left != hinted)
		WRITE_ONCE(path->hinted, left);
	return left;
}

/**
 * uet_path_pmtu() - how wide is the widest way, if none is wide enough?
 * @fep: local FEP
 * @path: the ways of a PDC, or NULL: the rails alone
 *
 * Context: rcu_read_lock() held.
 * Return: bytes, less than uet_fep.min_mtu; 0 if a way is wide enough for all
 *	that is known, or no rail is up.
 */
u32 uet_path_pmtu(const struct uet_fep *fep, struct uet_path *path)
{
	unsigned long hinted = path ? uet_path_avoid(path) : 0;
	struct uet_rail *rail;
	u32 width = 0;
	int i;

	for (i = 0; i < UET_FEP_RAILS_MAX; i++) {
		rail = rcu_dereference(fep->rail[i]);
		switch (uet_fep_rail_state(fep, rail)) {
		case UET_RAIL_STATE_MTU:
			width = max(width, READ_ONCE(rail->dev->mtu));
			break;
		case UET_RAIL_STATE_USABLE:
			if (!(hinted & BIT(i)))
				return 0;
			width = max(width, READ_ONCE(path->mtu[i]));
			break;
		default:
			break;
		}
	}
	return width;
}

/*
 * The MTU an ICMP error tells of, 0 if it tells of none.  It stands in front of
 * the packet it quotes, where the stack has pulled it.
 */
static u32 path_icmp_mtu(const struct uet_fep *fep, const struct sk_buff *skb)
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

/* To whom the quoted packet was sent. */
static struct uet_fa path_icmp_peer(const struct uet_fep *fep,
				    const struct sk_buff *skb)
{
	if (fep->cfg.fa.family == AF_INET)
		return uet_fa_v4(((const struct iphdr *)skb->data)->daddr);
	return uet_fa_v6(&((const struct ipv6hdr *)skb->data)->daddr,
			 fep->cfg.fa.scope_id);
}

static bool path_waits_for(struct uet_pdc_entry *pe, u32 psn)
{
	struct uet_pdc_info info;

	uet_pdc_entry_lock(pe);
	uet_pdc_get_info(pe->pdc, &info);
	uet_pdc_entry_unlock(pe);
	return !uet_psn_before(psn, info.tx_base_psn) &&
	       uet_psn_before(psn, info.next_psn);
}

/*
 * The PDC that sent the quoted request and has no answer to it, or NULL.  As much
 * is looked at as of a trimmed packet, which is enough for any request.
 */
static struct uet_pdc_entry *path_find_pdc(struct uet_fep *fep, const u8 *buf,
					   const struct uet_fa *peer)
{
	struct uet_pdc_entry *pe;
	struct uet_pds_hdr hdr;
	size_t used;

	if (uet_wire_pds_decode(buf, UET_TRIM_LEN, &hdr, &used) ||
	    uet_wire_ty(hdr.type)->kind != UET_TK_REQ)
		return NULL;
	pe = uet_table_pdc(&fep->table, hdr.u.req.spdcid);
	if (!pe || !uet_fa_equal(&pe->peer, peer) ||
	    !path_waits_for(pe, hdr.u.req.psn))
		return NULL;
	return pe;
}

/* The rail on which @dev is, or -1. */
static int path_slot_of(const struct uet_fep *fep, const struct net_device *dev)
{
	struct uet_rail *rail;
	int i;

	for (i = 0; i < UET_FEP_RAILS_MAX; i++) {
		rail = rcu_dereference(fep->rail[i]);
		if (rail && rail->dev == dev)
			return i;
	}
	return -1;
}

/**
 * uet_path_icmp() - an ICMP error came for a packet of a FEP
 * @fep: FEP
 * @skb: from the quoted IP header on, as err_handler() gets it
 * @offset: where in it the header of the carrier begins
 *
 * Planes do not meet, so the error comes in by the rail the packet has left by.
 *
 * Context: Softirq, rcu_read_lock() held.
 */
void uet_path_icmp(struct uet_fep *fep, struct sk_buff *skb, u32 offset)
{
	u32 head_len = fep->carrier->head_len;
	u32 mtu = path_icmp_mtu(fep, skb);
	struct uet_pdc_entry *pe;
	struct uet_fa peer;
	u8 buf[sizeof(union uet_carrier_head) + UET_TRIM_LEN];
	int slot;

	if (!mtu || mtu >= READ_ONCE(fep->min_mtu) ||
	    skb_copy_bits(skb, offset, buf, head_len + UET_TRIM_LEN))
		return;
	peer = path_icmp_peer(fep, skb);
	pe = path_find_pdc(fep, buf + head_len, &peer);
	slot = path_slot_of(fep, skb->dev);
	if (!pe || slot < 0)
		return;
	uet_path_hint(&pe->path, slot, mtu);
	uet_mib_inc(fep->un, UET_MIB_PMTU_EXCEEDED);
}
