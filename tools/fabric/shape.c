// SPDX-License-Identifier: GPL-2.0
/*
 * Clos networks of the fabric simulator: the number of switches and links, the cabling,
 * and the routing.  A switch forwards a packet down if the destination is below, else
 * up by a hash of channel, entropy value and switch.  Base RTT and BDP are those of the
 * longest path.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/**
 * fab_shape_hosts() - number of hosts of a network
 * @shape: network
 *
 * Return: the number.
 */
u32 fab_shape_hosts(const struct fab_shape *shape)
{
	return shape->pods * shape->tors * shape->hosts;
}

/**
 * fab_shape_fat_tree() - compute the smallest regular network for a number of hosts
 * @shape: result
 * @tiers: 2 or 3
 * @hosts: minimum number of hosts, not 0
 * @oversub: hosts of a ToR per uplink, not 0
 *
 * With three tiers the network is the k-ary fat tree; ToRs have more hosts if they are
 * oversubscribed.  With two tiers each ToR has a link to each spine, and there are
 * twice as many ToRs as a ToR has uplinks.
 *
 * Return: false if the network would have more than FAB_HOSTS_MAX hosts.
 */
bool fab_shape_fat_tree(struct fab_shape *shape, u32 tiers, u32 hosts,
			u32 oversub)
{
	u32 half;

	for (half = 1; half <= 128; half++) {
		*shape = (struct fab_shape) {
			.tiers = tiers,
			.pods = tiers == 3 ? 2 * half : 1,
			.tors = tiers == 3 ? half : 2 * half,
			.hosts = half * oversub,
			.aggs = half,
			.ups = tiers == 3 ? half : 0,
		};
		if (fab_shape_hosts(shape) >= hosts)
			return fab_shape_hosts(shape) <= FAB_HOSTS_MAX;
	}
	return false;
}

static u32 shape_hops(const struct fab_shape *shape)
{
	return 2 * shape->tiers;
}

static u32 shape_byte_ps(const struct fab_params *par)
{
	return 8000000 / par->mbps;
}

/**
 * fab_base_rtt() - round trip of a full packet and its ACK in an idle network
 * @par: parameters
 *
 * Return: ps.
 */
u64 fab_base_rtt(const struct fab_params *par)
{
	u64 both = (u64)(par->packet + FAB_CONTROL) * shape_byte_ps(par);

	return shape_hops(&par->shape) * (2 * par->wire_ps + both);
}

/**
 * fab_bdp() - bytes that a link carries in a base RTT
 * @par: parameters
 *
 * Return: bytes.
 */
u64 fab_bdp(const struct fab_params *par)
{
	return fab_base_rtt(par) / shape_byte_ps(par);
}

static void shape_port(struct fab *fab, u32 nr, u8 rail, enum fab_tier tier,
		       u32 peer)
{
	const struct fab_queue empty = { FAB_NONE, FAB_NONE, 0 };
	struct fab_port *port = &fab->port[nr];

	*port = (struct fab_port) {
		.queue = { empty, empty },
		.sending = FAB_NONE,
		.peer = peer,
		.byte_ps = shape_byte_ps(&fab->par),
		.tier = tier,
		.rail = rail,
	};
}

static void shape_tors(struct fab *fab, u8 rail)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 ports = s->hosts + s->aggs, t, i, host, pod;
	struct fab_plane *plane = &fab->plane[rail];

	for (t = 0; t < s->pods * s->tors; t++) {
		pod = t / s->tors;
		for (i = 0; i < s->hosts; i++) {
			host = t * s->hosts + i;
			shape_port(fab, plane->nic + host, rail, FAB_T_TOR, t);
			fab->port[plane->nic + host].is_nic = true;
			shape_port(fab, plane->tor + t * ports + i, rail,
				   FAB_T_HOST, host);
		}
		for (i = 0; i < s->aggs; i++)
			shape_port(fab, plane->tor + t * ports + s->hosts + i,
				   rail, FAB_T_AGG, pod * s->aggs + i);
	}
}

static void shape_aggs(struct fab *fab, u8 rail)
{
	const struct fab_shape *s = &fab->par.shape;
	struct fab_plane *plane = &fab->plane[rail];
	u32 ports = s->tors + s->ups, a, i;

	for (a = 0; a < s->pods * s->aggs; a++) {
		for (i = 0; i < s->tors; i++)
			shape_port(fab, plane->agg + a * ports + i, rail,
				   FAB_T_TOR, a / s->aggs * s->tors + i);
		for (i = 0; i < s->ups; i++)
			shape_port(fab, plane->agg + a * ports + s->tors + i,
				   rail, FAB_T_CORE, a % s->aggs * s->ups + i);
	}
}

static void shape_cores(struct fab *fab, u8 rail)
{
	const struct fab_shape *s = &fab->par.shape;
	struct fab_plane *plane = &fab->plane[rail];
	u32 c, pod;

	for (c = 0; c < s->aggs * s->ups; c++)
		for (pod = 0; pod < s->pods; pod++)
			shape_port(fab, plane->core + c * s->pods + pod, rail,
				   FAB_T_AGG, pod * s->aggs + c / s->ups);
}

/* Number the ports of a plane from @port on, and its switches from @salt on. */
static void shape_number(struct fab *fab, u8 rail, u32 *port, u32 *salt)
{
	const struct fab_shape *s = &fab->par.shape;
	struct fab_plane *plane = &fab->plane[rail];

	plane->salt = *salt;
	plane->nic = *port;
	plane->tor = plane->nic + fab_shape_hosts(s);
	plane->agg = plane->tor + s->pods * s->tors * (s->hosts + s->aggs);
	plane->core = plane->agg + s->pods * s->aggs * (s->tors + s->ups);
	*port = plane->core + s->aggs * s->ups * s->pods;
	*salt += s->pods * (s->tors + s->aggs) + s->aggs * s->ups;
}

/**
 * fab_port_rate() - change the rate of a port, from its next packet on
 * @fab: run
 * @port: number of the port
 * @percent: rate, percent of that of all links; 0: all packets are lost
 */
void fab_port_rate(struct fab *fab, u32 port, u32 percent)
{
	struct fab_port *p = &fab->port[port];

	p->is_dead = !percent;
	p->byte_ps = shape_byte_ps(&fab->par) * 100 / (percent ? percent : 100);
	p->full_lane = fab_lane(&fab->clock,
				(u64)fab->par.packet * p->byte_ps);
	p->control_lane = fab_lane(&fab->clock, (u64)FAB_CONTROL * p->byte_ps);
}

/**
 * fab_shape_build() - create the ports of all planes
 * @fab: run with its parameters
 */
void fab_shape_build(struct fab *fab)
{
	u32 salts = 0, i;
	size_t size;
	u8 rail;

	for (rail = 0; rail < fab->par.rails; rail++)
		shape_number(fab, rail, &fab->nr_ports, &salts);
	size = fab->nr_ports * sizeof(*fab->port);
	fab->port = aligned_alloc(__alignof__(*fab->port), size);
	fab->salt = malloc(salts * sizeof(*fab->salt));
	if (!fab->port || !fab->salt)
		abort();
	for (rail = 0; rail < fab->par.rails; rail++) {
		shape_tors(fab, rail);
		shape_aggs(fab, rail);
		if (fab->par.shape.tiers == 3)
			shape_cores(fab, rail);
	}
	for (i = 0; i < salts; i++)
		fab->salt[i] = fab_rand(&fab->rng);
	fab->wire_lane = fab_lane(&fab->clock, fab->par.wire_ps);
	for (i = 0; i < fab->nr_ports; i++)
		fab_port_rate(fab, i, 100);
}

/* Select one of @n uplinks of a switch for a packet. */
static u32 route_up(const struct fab *fab, const struct fab_packet *p,
		    u32 nr_switch, u32 n)
{
	const struct fab_plane *plane = &fab->plane[p->rail];
	u64 flow = (u64)p->chan << 32 | p->dst << 16 | p->ev;
	u64 salt = fab->salt[plane->salt + nr_switch];

	return fab_scale(fab_mix(flow * 0x9e3779b97f4a7c15ULL + salt), n);
}

static u32 route_tor(const struct fab *fab, u32 tor, const struct fab_packet *p)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 first = fab->plane[p->rail].tor + tor * (s->hosts + s->aggs);

	if (p->dst / s->hosts == tor)
		return first + p->dst % s->hosts;
	return first + s->hosts + route_up(fab, p, tor, s->aggs);
}

static u32 route_agg(const struct fab *fab, u32 agg, const struct fab_packet *p)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 first = fab->plane[p->rail].agg + agg * (s->tors + s->ups);
	u32 tor = p->dst / s->hosts;

	if (tor / s->tors == agg / s->aggs)
		return first + tor % s->tors;
	return first + s->tors + route_up(fab, p, s->pods * s->tors + agg,
					  s->ups);
}

/**
 * fab_route() - select the next port of a packet
 * @fab: run
 * @port: port that has sent the packet, not towards a host
 * @p: packet
 *
 * Return: number of a port of the switch behind @port.
 */
u32 fab_route(const struct fab *fab, const struct fab_port *port,
	      const struct fab_packet *p)
{
	const struct fab_shape *s = &fab->par.shape;

	switch (port->tier) {
	case FAB_T_TOR:
		return route_tor(fab, port->peer, p);
	case FAB_T_AGG:
		return route_agg(fab, port->peer, p);
	default:
		return fab->plane[p->rail].core + port->peer * s->pods +
		       p->dst / (s->hosts * s->tors);
	}
}
