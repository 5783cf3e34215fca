// SPDX-License-Identifier: GPL-2.0
/*
 * Path state of a PDC.  A router that cannot forward a packet because of its size reports the MTU
 * by ICMP.  The report is a hint: it can be forged, and a FEP cannot send packets smaller than
 * its Payload MTU requires.  The PDC avoids the rail for PATH_HINT_NS.  If no other rail is left,
 * the PDC continues to use the rail.  If the PDC then fails because the peer does not answer, the
 * hint selects the error code.  A hint is accepted only if it quotes a packet that is in flight.
 * Spec: uet-wire 1.6 (a packet must fit the path).
 */
#include <linux/slab.h>

#include "net.h"
#include "path.h"
#include "rail.h"

/* Lifetime of a hint, ns: longer than the default of the longest time-out. */
#define PATH_HINT_NS	(10ULL * NSEC_PER_SEC)

/*
 * uet_path_init() - initialise the zeroed path state of a new PDC of @fep
 * Return: 0; -ENOMEM.
 */
int uet_path_init(struct uet_path *path, const struct uet_fep *fep, gfp_t gfp)
{
	path->rail = kcalloc(fep->cfg.nr_rails, sizeof(*path->rail), gfp);
	if (!path->rail)
		return -ENOMEM;
	path->nr_rails = fep->cfg.nr_rails;
	return 0;
}

/*
 * uet_path_fini() - release the routes of a zeroed or initialised path that no sender uses any
 * more
 */
void uet_path_fini(struct uet_path *path)
{
	while (path->nr_rails)
		uet_path_set_route(&path->rail[--path->nr_rails], NULL, 0);
	kfree(path->rail);
}

/*
 * uet_path_route() - the route that is cached for a rail, if it is still valid
 *
 * As that of a socket it needs no memory per CPU, of which a host with many rails and CPUs would
 * take more than for the PDC itself.
 * Context: rcu_read_lock() held.
 * Return: the route without a reference, or NULL.
 */
struct dst_entry *uet_path_route(struct uet_path_rail *rail)
{
	struct dst_entry *dst = rcu_dereference(rail->route);

	return dst && dst_check(dst, READ_ONCE(rail->cookie)) ? dst : NULL;
}

/*
 * uet_path_set_route() - cache a route, whose reference the path takes over; NULL: none
 */
void uet_path_set_route(struct uet_path_rail *rail, struct dst_entry *dst, u32 cookie)
{
	WRITE_ONCE(rail->cookie, cookie);
	dst_release(xchg((__force struct dst_entry **)&rail->route, dst));
}

/*
 * uet_path_hint() - record that the path over rail @slot exceeded its MTU, @mtu bytes
 */
void uet_path_hint(struct uet_path *path, int slot, u32 mtu)
{
	WRITE_ONCE(path->rail[slot].mtu, mtu);
	WRITE_ONCE(path->rail[slot].hinted_ns, uet_now_ns());
	WRITE_ONCE(path->hinted, READ_ONCE(path->hinted) | BIT(slot));
}

/*
 * uet_path_avoid() - bit i: rail i has a hint that is not older than PATH_HINT_NS
 *
 * Expires older hints.
 */
unsigned long uet_path_avoid(struct uet_path *path)
{
	unsigned long hinted = READ_ONCE(path->hinted), left = hinted;
	u64 now;
	int i;

	if (likely(!hinted))
		return 0;
	now = uet_now_ns();
	for_each_set_bit(i, &hinted, path->nr_rails) {
		if (uet_ns_since(now, READ_ONCE(path->rail[i].hinted_ns)) > PATH_HINT_NS)
			left &= ~BIT(i);
	}
	if (left != hinted)
		WRITE_ONCE(path->hinted, left);
	return left;
}

/*
 * uet_path_pmtu() - largest path MTU, bytes, if all paths are too small for uet_fep.min_mtu
 * @path: NULL: consider the MTUs of the rails only
 * Context: rcu_read_lock() held.
 * Return: 0 if a usable rail has no hint, or no rail is up.
 */
u32 uet_path_pmtu(const struct uet_fep *fep, struct uet_path *path)
{
	unsigned long hinted = path ? uet_path_avoid(path) : 0;
	struct uet_rail *rail;
	u32 width = 0;
	int i;

	for (i = 0; i < fep->cfg.nr_rails; i++) {
		rail = rcu_dereference(fep->rail[i]);
		switch (uet_fep_rail_state(fep, rail)) {
		case UET_RAIL_STATE_MTU:
			width = max(width, READ_ONCE(rail->dev->mtu));
			break;
		case UET_RAIL_STATE_USABLE:
			if (!(hinted & BIT(i)))
				return 0;
			width = max(width, READ_ONCE(path->rail[i].mtu));
			break;
		default:
			break;
		}
	}
	return width;
}
