// SPDX-License-Identifier: GPL-2.0
/*
 * Links of the fabric simulator: rate, delay, queue and marks of each kind of link, what
 * a fault changes of them, and the base RTT and BDP that follow.  Base RTT and BDP are
 * those of the longest path; the BDP is that of the link of a host.  Level: test.
 */
#include "fabric.h"

/**
 * fab_tiers_set() - give all links of a network the same rate and delay
 * @par: parameters of the run
 * @mbps: rate, Mb/s
 * @wire_ps: propagation delay, ps
 */
void fab_tiers_set(struct fab_params *par, u32 mbps, u64 wire_ps)
{
	u32 i;

	for (i = 0; i < FAB_TIERS_MAX; i++)
		par->tier[i] = (struct fab_tier_cfg) {
			.mbps = mbps, .wire_ps = wire_ps,
		};
}

static u32 link_byte_ps(const struct fab_tier_cfg *tier)
{
	return 8000000 / tier->mbps;
}

/**
 * fab_base_rtt() - round trip of a full packet and its ACK in an idle network
 * @par: parameters
 *
 * Return: ps.
 */
u64 fab_base_rtt(const struct fab_params *par)
{
	const struct fab_tier_cfg *tier;
	u32 tiers = par->shape.tiers, i;
	u64 rtt = 0;

	for (i = 0; i < tiers; i++) {
		tier = &par->tier[i];
		rtt += 2 * (u64)(par->packet + FAB_CONTROL) *
		       link_byte_ps(tier);
		rtt += 4 * tier->wire_ps;
		rtt += (i == tiers - 1 ? 2 : 4) * tier->switch_ps;
	}
	return rtt;
}

/**
 * fab_bdp() - bytes that the link of a host carries in a base RTT
 * @par: parameters
 *
 * Return: bytes.
 */
u64 fab_bdp(const struct fab_params *par)
{
	return fab_base_rtt(par) / link_byte_ps(&par->tier[0]);
}

static void link_lanes(struct fab *fab, struct fab_link *link)
{
	struct fab_clock *clock = &fab->clock;

	link->delay_lane = fab_lane(clock, link->delay_ps);
	link->full_lane = fab_lane(clock, (u64)fab->par.packet * link->byte_ps);
	link->control_lane = fab_lane(clock, (u64)FAB_CONTROL * link->byte_ps);
}

/* Queue and marks of a link; a queue of another size keeps the proportions. */
static void link_queue(struct fab *fab, struct fab_link *link, u32 bytes)
{
	link->queue_bytes = bytes ? bytes : fab->queue_bytes;
	link->ecn_low = fab->ecn_low;
	link->ecn_high = fab->ecn_high;
	if (!bytes)
		return;
	link->ecn_low = (u64)fab->ecn_low * bytes / fab->queue_bytes;
	link->ecn_high = (u64)fab->ecn_high * bytes / fab->queue_bytes;
}

/**
 * fab_links_init() - set up the kinds of links, without faults
 * @fab: run whose default queues are known
 *
 * The cable below a switch has the rate and delay of the tier of that switch.  A packet
 * crosses the switch that it arrives at.
 */
void fab_links_init(struct fab *fab)
{
	const struct fab_tier_cfg *tier = fab->par.tier;
	struct fab_link *up, *down;
	u32 i;

	for (i = 0; i < fab->par.shape.tiers; i++) {
		up = &fab->link[FAB_LINK(i, false)];
		down = &fab->link[FAB_LINK(i, true)];
		up->byte_ps = link_byte_ps(&tier[i]);
		up->delay_ps = tier[i].wire_ps + tier[i].switch_ps;
		down->byte_ps = up->byte_ps;
		down->delay_ps = tier[i].wire_ps +
				 (i ? tier[i - 1].switch_ps : 0);
		link_queue(fab, up, i ? tier[i - 1].up_bytes : 0);
		link_queue(fab, down, tier[i].down_bytes);
		up->loss_ppm = fab->par.link_loss_ppm;
		down->loss_ppm = fab->par.link_loss_ppm;
		link_lanes(fab, up);
		link_lanes(fab, down);
	}
}

/**
 * fab_link_fault() - derive a kind of link from a healthy one
 * @fab: run
 * @nr: number of the new kind
 * @fault: what is wrong
 *
 * @nr is even for the upward direction of the cable and odd for the other.
 */
void fab_link_fault(struct fab *fab, u32 nr, const struct fab_fault *fault)
{
	struct fab_link *link = &fab->link[nr];
	u32 percent = fault->percent;

	*link = fab->link[FAB_LINK(fault->cable, nr & 1)];
	if (fault->loss_ppm)
		link->loss_ppm = fault->loss_ppm;
	link->is_dead = !percent;
	link->bleaches = fault->bleaches;
	if (!percent)
		return;
	link->byte_ps = link->byte_ps * 100 / percent;
	if (fault->is_scaled) {
		link->queue_bytes = max(link->queue_bytes * percent / 100,
					fab->par.packet);
		link->ecn_low = link->ecn_low * percent / 100;
		link->ecn_high = link->ecn_high * percent / 100;
	}
	link_lanes(fab, link);
}
