// SPDX-License-Identifier: GPL-2.0
/*
 * Clos networks of the fabric simulator: the number of switches and links, the cabling,
 * and the routing.  A switch forwards a packet down if the destination is below, else
 * up by a hash of channel, entropy value and switch; the same hash selects a link of a
 * bundle.  Hosts are numbered by server and known to the network by their place, which
 * is the order of their ToRs.  Level: test.
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
 * fab_shape_tor_ports() - number of ports of a ToR
 * @s: network
 *
 * Return: the number.
 */
u32 fab_shape_tor_ports(const struct fab_shape *s)
{
	return s->hosts + s->aggs * s->tor_bundle;
}

/**
 * fab_shape_agg_ports() - number of ports of an agg
 * @s: network
 *
 * Return: the number.
 */
u32 fab_shape_agg_ports(const struct fab_shape *s)
{
	return s->tors * s->tor_bundle + s->ups * s->agg_bundle;
}

/**
 * fab_shape_place() - where the network has a host
 * @s: network
 * @host: number of the host
 *
 * Return: its place, which is its number if a server is one host.
 */
u32 fab_shape_place(const struct fab_shape *s, u32 host)
{
	u32 pod = host / (s->tors * s->hosts), at = host % (s->tors * s->hosts);
	u32 server = at / s->gpus, tor = server / s->hosts * s->gpus;

	return (pod * s->tors + tor + at % s->gpus) * s->hosts +
	       server % s->hosts;
}

/**
 * fab_shape_host() - the host at a place
 * @s: network
 * @place: the place
 *
 * Return: number of the host.
 */
u32 fab_shape_host(const struct fab_shape *s, u32 place)
{
	u32 pod = place / (s->tors * s->hosts);
	u32 tor = place / s->hosts % s->tors;
	u32 server = tor / s->gpus * s->hosts + place % s->hosts;

	return pod * s->tors * s->hosts + server * s->gpus + tor % s->gpus;
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
			.tor_bundle = 1,
			.agg_bundle = 1,
			.gpus = 1,
		};
		if (fab_shape_hosts(shape) >= hosts)
			return fab_shape_hosts(shape) <= FAB_HOSTS_MAX;
	}
	return false;
}

static void shape_port(struct fab *fab, u32 nr, u8 rail, enum fab_tier tier,
		       u32 peer)
{
	const struct fab_queue empty = { FAB_NONE, FAB_NONE, 0 };
	struct fab_port *port = &fab->port[nr];

	*port = (struct fab_port) {
		.queue = { empty, empty, empty },
		.sending = FAB_NONE,
		.peer = peer,
		.tier = tier,
		.rail = rail,
	};
}

static void shape_set_link(struct fab *fab, u32 first, u32 nr, u32 cable,
			   bool is_down)
{
	u32 i;

	for (i = 0; i < nr; i++)
		fab->port[first + i].link = FAB_LINK(cable, is_down);
}

static void shape_tors(struct fab *fab, u8 rail)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 ups = s->aggs * s->tor_bundle, t, i, host, pod, first;
	struct fab_plane *plane = &fab->plane[rail];

	for (t = 0; t < s->pods * s->tors; t++) {
		pod = t / s->tors;
		first = plane->tor + t * fab_shape_tor_ports(s);
		for (i = 0; i < s->hosts; i++) {
			host = t * s->hosts + i;
			shape_port(fab, plane->nic + host, rail, FAB_T_TOR, t);
			fab->port[plane->nic + host].is_nic = true;
			shape_port(fab, first + i, rail, FAB_T_HOST, host);
		}
		shape_set_link(fab, first, s->hosts, FAB_CABLE_HOST, true);
		for (i = 0; i < ups; i++)
			shape_port(fab, first + s->hosts + i, rail, FAB_T_AGG,
				   pod * s->aggs + i / s->tor_bundle);
		shape_set_link(fab, first + s->hosts, ups, FAB_CABLE_TOR,
			       false);
	}
}

static void shape_aggs(struct fab *fab, u8 rail)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 downs = s->tors * s->tor_bundle, ups = s->ups * s->agg_bundle;
	struct fab_plane *plane = &fab->plane[rail];
	u32 a, i, first;

	for (a = 0; a < s->pods * s->aggs; a++) {
		first = plane->agg + a * (downs + ups);
		for (i = 0; i < downs; i++)
			shape_port(fab, first + i, rail, FAB_T_TOR,
				   a / s->aggs * s->tors + i / s->tor_bundle);
		shape_set_link(fab, first, downs, FAB_CABLE_TOR, true);
		for (i = 0; i < ups; i++)
			shape_port(fab, first + downs + i, rail, FAB_T_CORE,
				   a % s->aggs * s->ups + i / s->agg_bundle);
		shape_set_link(fab, first + downs, ups, FAB_CABLE_AGG, false);
	}
}

static void shape_cores(struct fab *fab, u8 rail)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 downs = s->pods * s->agg_bundle, c, i, first;
	struct fab_plane *plane = &fab->plane[rail];

	for (c = 0; c < s->aggs * s->ups; c++) {
		first = plane->core + c * downs;
		for (i = 0; i < downs; i++)
			shape_port(fab, first + i, rail, FAB_T_AGG,
				   i / s->agg_bundle * s->aggs + c / s->ups);
		shape_set_link(fab, first, downs, FAB_CABLE_AGG, true);
	}
}

/* Number the ports of a plane from @port on, and its switches from @salt on. */
static void shape_number(struct fab *fab, u8 rail, u32 *port, u32 *salt)
{
	const struct fab_shape *s = &fab->par.shape;
	struct fab_plane *plane = &fab->plane[rail];

	plane->salt = *salt;
	plane->nic = *port;
	plane->tor = plane->nic + fab_shape_hosts(s);
	plane->agg = plane->tor + s->pods * s->tors * fab_shape_tor_ports(s);
	plane->core = plane->agg + s->pods * s->aggs * fab_shape_agg_ports(s);
	*port = plane->core + s->aggs * s->ups * s->pods * s->agg_bundle;
	*salt += s->pods * (s->tors + s->aggs) + s->aggs * s->ups;
}

/**
 * fab_shape_build() - create the ports of all planes
 * @fab: run with its parameters
 */
void fab_shape_build(struct fab *fab)
{
	u32 salts = 0, i;
	u8 rail;

	for (rail = 0; rail < fab->par.rails; rail++)
		shape_number(fab, rail, &fab->nr_ports, &salts);
	fab->port = fab_map(fab->nr_ports * sizeof(*fab->port));
	fab->salt = malloc(salts * sizeof(*fab->salt));
	if (!fab->salt)
		abort();
	for (rail = 0; rail < fab->par.rails; rail++) {
		shape_tors(fab, rail);
		shape_aggs(fab, rail);
		if (fab->par.shape.tiers == 3)
			shape_cores(fab, rail);
	}
	for (i = 0; i < salts; i++)
		fab->salt[i] = fab_rand(&fab->rng);
}

/**
 * fab_port_name() - name of a port, such as "0:tor3>agg1"
 * @fab: run
 * @nr: number of the port
 * @name: result: rail, node, and what the port leads to; a link of a bundle has its
 *	number behind a dot
 */
void fab_port_name(const struct fab *fab, u32 nr, char name[40])
{
	const struct fab_shape *s = &fab->par.shape;
	const struct fab_port *port = &fab->port[nr];
	const struct fab_plane *plane = &fab->plane[port->rail];
	u32 tor_ports = fab_shape_tor_ports(s), at, i;
	u32 agg_ports = fab_shape_agg_ports(s), rail = port->rail;

	if (nr < plane->tor) {
		at = nr - plane->nic;
		snprintf(name, 40, "%u:host%u>tor%u", rail,
			 fab_shape_host(s, at), port->peer);
	} else if (nr < plane->agg) {
		at = nr - plane->tor;
		i = at % tor_ports;
		if (i < s->hosts)
			snprintf(name, 40, "%u:tor%u>host%u", rail,
				 at / tor_ports,
				 fab_shape_host(s, port->peer));
		else
			snprintf(name, 40, "%u:tor%u>agg%u.%u", rail,
				 at / tor_ports, port->peer,
				 (i - s->hosts) % s->tor_bundle);
	} else if (nr < plane->core) {
		at = nr - plane->agg;
		i = at % agg_ports;
		if (i < s->tors * s->tor_bundle)
			snprintf(name, 40, "%u:agg%u>tor%u.%u", rail,
				 at / agg_ports, port->peer, i % s->tor_bundle);
		else
			snprintf(name, 40, "%u:agg%u>core%u.%u", rail,
				 at / agg_ports, port->peer,
				 (i - s->tors * s->tor_bundle) % s->agg_bundle);
	} else {
		at = nr - plane->core;
		snprintf(name, 40, "%u:core%u>agg%u.%u", rail,
			 at / (s->pods * s->agg_bundle), port->peer,
			 at % s->agg_bundle);
	}
}

/* Select one of @n links of a switch for a packet. */
static u32 route_hash(const struct fab *fab, const struct fab_packet *p,
		      u32 nr_switch, u32 n)
{
	const struct fab_plane *plane = &fab->plane[p->rail];
	u64 flow = (u64)p->chan << 32 ^ (u64)p->dst << 16 ^ p->ev;
	u64 salt = fab->salt[plane->salt + nr_switch];

	return fab_scale(fab_mix(flow * 0x9e3779b97f4a7c15ULL + salt), n);
}

/* Select a link of the bundle to the lower neighbour number @i of a switch. */
static u32 route_down(const struct fab *fab, const struct fab_packet *p,
		      u32 nr_switch, u32 i, u32 bundle)
{
	return bundle == 1 ? i :
	       i * bundle + route_hash(fab, p, nr_switch, bundle);
}

static u32 route_tor(const struct fab *fab, u32 tor, const struct fab_packet *p)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 first = fab->plane[p->rail].tor + tor * fab_shape_tor_ports(s);

	if (p->dst / s->hosts == tor)
		return first + p->dst % s->hosts;
	return first + s->hosts +
	       route_hash(fab, p, tor, s->aggs * s->tor_bundle);
}

static u32 route_agg(const struct fab *fab, u32 agg, const struct fab_packet *p)
{
	const struct fab_shape *s = &fab->par.shape;
	u32 first = fab->plane[p->rail].agg + agg * fab_shape_agg_ports(s);
	u32 nr_switch = s->pods * s->tors + agg;
	u32 tor = p->dst / s->hosts;

	if (tor / s->tors == agg / s->aggs)
		return first + route_down(fab, p, nr_switch, tor % s->tors,
					  s->tor_bundle);
	return first + s->tors * s->tor_bundle +
	       route_hash(fab, p, nr_switch, s->ups * s->agg_bundle);
}

static u32 route_core(const struct fab *fab, u32 core,
		      const struct fab_packet *p)
{
	const struct fab_shape *s = &fab->par.shape;

	return fab->plane[p->rail].core + core * s->pods * s->agg_bundle +
	       route_down(fab, p, s->pods * (s->tors + s->aggs) + core,
			  p->dst / (s->hosts * s->tors), s->agg_bundle);
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
	switch (port->tier) {
	case FAB_T_TOR:
		return route_tor(fab, port->peer, p);
	case FAB_T_AGG:
		return route_agg(fab, port->peer, p);
	default:
		return route_core(fab, port->peer, p);
	}
}
