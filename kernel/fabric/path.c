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
