// SPDX-License-Identifier: GPL-2.0
/*
 * Network of the simulator.  Each node has one cable to the plane of each rail.
 * A frame waits in the queue of the uplink of its sender, and crosses the plane
 * with the delay and jitter of the rail, where it may be lost, duplicated or
 * corrupted.  Then the frame waits in the queue of the downlink of its
 * receiver.  Queues drop at the tail.
 * Level: test.
 */
#include "sim.h"

/*
 * Bytes of a frame on a link besides its payload: Ethernet with FCS, preamble
 * and gap (38), IPv4 (20), UDP (8).
 */
#define NET_OVERHEAD	(38 + 20 + 8)

/* Bytes at the start of a frame that contain its headers, approximately. */
#define NET_HEADERS	64u

/**
 * sim_nominal_bytes() - nominal packet size for congestion accounting
 * @len: bytes of PDS header and all behind it
 *
 * Return: bytes: the UDP length plus 40.  Spec: UE 1.0.1 3.6.12.
 */
u32 sim_nominal_bytes(u32 len)
{
	return len + 8 + 40;
}

/**
 * sim_frame_new() - allocate a frame
 * @sim: the run
 * @space: capacity, bytes
 *
 * Return: the frame, empty.
 */
struct sim_frame *sim_frame_new(struct sim *sim, u32 space)
{
	struct sim_frame *frame = malloc(sizeof(*frame) + space);

	if (!frame)
		abort();
	memset(frame, 0, sizeof(*frame));
	list_add_tail(&frame->link, &sim->frames);
	return frame;
}

/**
 * sim_frame_free() - free a frame that has arrived or was lost
 * @frame: the frame
 */
void sim_frame_free(struct sim_frame *frame)
{
	list_del(&frame->link);
	free(frame);
}

static bool net_is_black(const struct sim *sim, u8 node, u8 rail)
{
	const struct sim_blackout *dark = &sim->par.blackout;

	return dark->len_ns && node == dark->node && dark->rails & BIT(rail) &&
	       sim->now >= dark->start_ns &&
	       sim->now - dark->start_ns < dark->len_ns;
}

/*
 * UE 1.0.1 4.1: a trimmed request overtakes all other frames: it takes no time
 * in the queue.
 */
static bool net_trim(struct sim *sim, struct sim_frame *frame)
{
	u8 type = uet_wire_type(frame->data);

	if (!sim->par.trims || uet_wire_ty(type)->kind != UET_TK_REQ)
		return false;
	if (!frame->trimmed)
		sim->count.trimmed++;
	frame->trimmed = true;
	frame->len = min(frame->len, (u32)UET_TRIM_LEN);
	return true;
}

/*
 * Queue a frame on a link.  Return: false if the queue is full; @out is the
 * time when the last bit has left.
 */
static bool net_queue(struct sim *sim, struct sim_link *link,
		      struct sim_frame *frame, u64 *out)
{
	u64 ns_per_byte_x1000 = 8000 * SIM_S / sim->par.rate_bps;
	u64 start = max(link->busy_ns, sim->now);
	u64 wait = start - sim->now;
	u64 backlog = wait * 1000 / ns_per_byte_x1000;

	if (backlog + frame->len > sim->par.queue_bytes) {
		*out = sim->now;
		if (net_trim(sim, frame))
			return true;
		sim->count.tail_dropped++;
		return false;
	}
	if (sim->par.ecn_bytes && backlog > sim->par.ecn_bytes && !frame->ce) {
		frame->ce = true;
		sim->count.ce++;
	}
	*out = start + (frame->len + NET_OVERHEAD) * ns_per_byte_x1000 / 1000;
	link->busy_ns = *out;
	return true;
}

static void net_lose(struct sim *sim, struct sim_frame *frame)
{
	u8 type = uet_wire_type(frame->data);

	sim_note(sim, "net %u->%u lost", frame->from, frame->to);
	sim->count.lost++;
	if (uet_wire_ty(type)->kind == UET_TK_REQ)
		sim->count.lost_req++;
	if (type == UET_TY_RUDI_REQ)
		sim->count.rudi_lost++;
	sim_frame_free(frame);
}

/* The frame has crossed the plane and enters the downlink of its receiver. */
static void net_arrive(struct sim *sim, void *arg)
{
	struct sim_frame *frame = arg;
	u64 out;

	if (net_is_black(sim, frame->to, frame->rail)) {
		net_lose(sim, frame);
	} else if (!net_queue(sim, &sim->node[frame->to].down[frame->rail],
			      frame, &out)) {
		sim_note(sim, "net %u->%u queue full", frame->from, frame->to);
		sim_frame_free(frame);
	} else {
		sim_at(sim, out, sim_node_rx, frame);
	}
}

static void net_cross(struct sim *sim, struct sim_frame *frame, u64 out)
{
	u64 at = out + sim->par.delay_ns[frame->rail];

	if (sim->par.jitter_ns)
		at += sim_below(&sim->rng, sim->par.jitter_ns + 1);
	if (sim_chance(&sim->rng, sim->par.reorder_ppm))
		at += sim->par.reorder_ns;
	sim_at(sim, at, net_arrive, frame);
}

static void net_double(struct sim *sim, struct sim_frame *frame, u64 out)
{
	struct sim_frame *copy = sim_frame_new(sim, frame->len);
	struct list_head link = copy->link;

	memcpy(copy, frame, sizeof(*frame) + frame->len);
	copy->link = link;
	sim->count.dup++;
	net_cross(sim, copy, out);
}

/* Invert one to four bits of the first @len bytes. */
static void net_mangle(struct sim *sim, struct sim_frame *frame, u32 len)
{
	u32 n = sim_between(&sim->rng, 1, 4);

	while (n--)
		frame->data[sim_below(&sim->rng, len)] ^=
			1 << sim_below(&sim->rng, 8);
}

/**
 * sim_net_send() - send a frame of a node
 * @sim: the run
 * @frame: complete except for the rail, which its entropy value selects; the
 *	network owns the frame from now on
 */
void sim_net_send(struct sim *sim, struct sim_frame *frame)
{
	if (sim->secure) {
		frame = sim_secure_seal(sim, frame);
		sim_secure_attack(sim, frame);
	}
	sim_net_carry(sim, frame);
}

/**
 * sim_net_carry() - carry a frame through the network
 * @sim: the run
 * @frame: as for sim_net_send(), sealed if the run seals packets
 */
void sim_net_carry(struct sim *sim, struct sim_frame *frame)
{
	u64 out;

	frame->rail = uet_ev_lane(frame->ev) * sim->par.rails / UET_EV_LANES;
	sim->count.sent++;
	if (!net_queue(sim, &sim->node[frame->from].up[frame->rail], frame,
		       &out)) {
		sim_note(sim, "net %u->%u queue full", frame->from, frame->to);
		sim_frame_free(frame);
		return;
	}
	if (net_is_black(sim, frame->from, frame->rail) ||
	    sim_chance(&sim->rng, sim->par.loss_ppm)) {
		net_lose(sim, frame);
		return;
	}
	if (sim_chance(&sim->rng, sim->par.dup_ppm))
		net_double(sim, frame, out);
	if (sim_chance(&sim->rng, sim->par.corrupt_ppm)) {
		net_mangle(sim, frame, frame->len);
		frame->corrupt = true;
		sim->count.corrupt++;
	}
	if (sim_chance(&sim->rng, sim->par.forge_ppm)) {
		net_mangle(sim, frame, min(frame->len, NET_HEADERS));
		sim->count.forged++;
	}
	net_cross(sim, frame, out);
}
