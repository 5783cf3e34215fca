// SPDX-License-Identifier: GPL-2.0
/*
 * Ports of the fabric simulator, and the memory of packets.  A port sends one packet at
 * a time, control before data, and forwards a packet only after its last bit arrived.
 * Without PFC, if a data queue is full, either the arriving packet or the youngest queued packet is
 * trimmed or dropped, chosen at random.  A data packet is marked at departure according
 * to the queue length that remains.
 *
 * Spec: UE 1.0.1 3.6.4 (ECN), 4.1 (trimming).  Level: test.
 */
#include <sys/mman.h>

#include "fabric.h"

/* Value of fab_port.sending while the next packet is selected. */
#define PORT_CHOOSES	(FAB_NONE - 1)

/**
 * fab_packet_new() - allocate a packet
 * @fab: run
 *
 * Return: number of the packet; its contents are undefined.
 */
u32 fab_packet_new(struct fab *fab)
{
	u32 pkt = fab->free;

	if (pkt != FAB_NONE) {
		fab->free = fab->pkt[pkt].next;
		return pkt;
	}
	if (!fab->pkt)
		fab->pkt = fab_map(FAB_PACKETS_MAX * sizeof(*fab->pkt));
	if (fab->nr_pkts == FAB_PACKETS_MAX)
		abort();
	return fab->nr_pkts++;
}

/**
 * fab_packet_free() - free a packet
 * @fab: run
 * @pkt: number of the packet
 */
void fab_packet_free(struct fab *fab, u32 pkt)
{
	fab->pkt[pkt].next = fab->free;
	fab->free = pkt;
}

/**
 * fab_packets_fini() - free the memory of all packets
 * @fab: run
 */
void fab_packets_fini(struct fab *fab)
{
	if (fab->pkt)
		munmap(fab->pkt, FAB_PACKETS_MAX * sizeof(*fab->pkt));
}

static void queue_add(struct fab *fab, struct fab_queue *q, u32 pkt)
{
	struct fab_packet *p = &fab->pkt[pkt];

	p->next = FAB_NONE;
	p->prev = q->tail;
	if (q->tail == FAB_NONE)
		q->head = pkt;
	else
		fab->pkt[q->tail].next = pkt;
	q->tail = pkt;
	q->bytes += p->bytes;
}

/* The bytes of the packet stay in the queue length until the packet was sent. */
static u32 queue_take(struct fab *fab, struct fab_queue *q)
{
	u32 pkt = q->head;

	q->head = fab->pkt[pkt].next;
	if (q->head == FAB_NONE)
		q->tail = FAB_NONE;
	else
		fab->pkt[q->head].prev = FAB_NONE;
	return pkt;
}

static u32 queue_take_tail(struct fab *fab, struct fab_queue *q)
{
	u32 pkt = q->tail;

	q->tail = fab->pkt[pkt].prev;
	if (q->tail == FAB_NONE)
		q->head = FAB_NONE;
	else
		fab->pkt[q->tail].next = FAB_NONE;
	q->bytes -= fab->pkt[pkt].bytes;
	return pkt;
}

static void port_drop(struct fab *fab, const struct fab_port *port, u32 pkt)
{
	fab->count.drops++;
	if (fab->trace)
		fab_trace_count(fab, port, FAB_TRACE_DROPS);
	fab_packet_free(fab, pkt);
}

static void port_lose(struct fab *fab, u32 pkt)
{
	fab->count.dead++;
	fab_packet_free(fab, pkt);
}

static void port_send_control(struct fab *fab, struct fab_port *port, u32 pkt)
{
	struct fab_queue *q = &port->queue[FAB_C_CONTROL];

	if (!port->is_nic &&
	    q->bytes + fab->pkt[pkt].bytes >
	    2 * fab->link[port->link].queue_bytes)
		port_drop(fab, port, pkt);
	else
		queue_add(fab, q, pkt);
}

/* Return: class of a data packet with @flags. */
static enum fab_class port_class(u8 flags)
{
	return flags & FAB_P_URGENT ? FAB_C_URGENT : FAB_C_DATA;
}

/* UE 1.0.1 4.1: the trimmed header reports the loss and goes to the control queue. */
static void port_overflow(struct fab *fab, struct fab_port *port, u32 pkt)
{
	struct fab_packet *p = &fab->pkt[pkt];

	if (!fab->par.trims) {
		port_drop(fab, port, pkt);
		return;
	}
	fab->count.trims++;
	if (fab->trace)
		fab_trace_count(fab, port, FAB_TRACE_TRIMS);
	p->flags = (p->flags & (FAB_P_CE | FAB_P_BLEACHED)) | FAB_P_TRIMMED |
		   (port->tier == FAB_T_HOST ? FAB_P_LASTHOP : 0);
	p->bytes = FAB_CONTROL;
	port_send_control(fab, port, pkt);
}

static void port_send_data(struct fab *fab, struct fab_port *port, u32 pkt)
{
	struct fab_queue *q = &port->queue[port_class(fab->pkt[pkt].flags)];
	u32 victim = pkt;

	if (fab->pfc && !fab_pfc_hold(fab, pkt)) {
		port_drop(fab, port, pkt);
		return;
	}
	if (!fab->pfc && q->bytes + fab->pkt[pkt].bytes >
	    fab->link[port->link].queue_bytes) {
		if (q->tail != FAB_NONE && fab_rand(&fab->rng) & 1)
			victim = queue_take_tail(fab, q);
		port_overflow(fab, port, victim);
		if (victim == pkt)
			return;
	}
	queue_add(fab, q, pkt);
	if (fab->clock.now >= fab->settled)
		fab->count.queue_max = max(fab->count.queue_max, q->bytes);
}

/**
 * fab_port_send() - pass a packet to a port for sending
 * @fab: run
 * @port: number of the port
 * @pkt: packet; owned by the port from now on
 */
void fab_port_send(struct fab *fab, u32 port, u32 pkt)
{
	struct fab_port *p = &fab->port[port];

	if (p->is_off) {
		port_lose(fab, pkt);
		return;
	}
	if (fab->pkt[pkt].flags & FAB_P_DATA)
		port_send_data(fab, p, pkt);
	else
		port_send_control(fab, p, pkt);
	if (p->sending == FAB_NONE)
		fab_port_start(fab, port);
}

/* Select the next packet of a switch port; FAB_NONE if no packet waits. */
static u32 port_next(struct fab *fab, struct fab_port *port)
{
	u32 classes = port->is_paused ? FAB_C_URGENT : FAB_C_NR, class;

	for (class = 0; class < classes; class++)
		if (port->queue[class].head != FAB_NONE)
			return queue_take(fab, &port->queue[class]);
	return FAB_NONE;
}

/**
 * fab_port_start() - start to send the next packet
 * @fab: run
 * @nr: number of an idle port
 */
void fab_port_start(struct fab *fab, u32 nr)
{
	struct fab_port *port = &fab->port[nr];
	const struct fab_link *link;
	u8 lane = FAB_LANES;
	u32 pkt, bytes;

	/* Polling a channel may also queue a control packet at this port. */
	port->sending = PORT_CHOOSES;
	pkt = port->is_nic ?
		fab_host_next(fab, port, nr - fab->plane[port->rail].nic) :
		port_next(fab, port);
	port->sending = pkt;
	if (pkt == FAB_NONE)
		return;
	bytes = fab->pkt[pkt].bytes;
	fab->pkt[pkt].port = nr;
	link = &fab->link[port->link];
	if (bytes == fab->par.packet)
		lane = link->full_lane;
	else if (bytes == FAB_CONTROL)
		lane = link->control_lane;
	fab_after(&fab->clock, lane, (u64)bytes * link->byte_ps, FAB_EV_SENT,
		  nr);
}

/**
 * fab_port_off() - the switch of a port goes off and loses all packets of the port
 * @fab: run
 * @nr: number of the port
 */
void fab_port_off(struct fab *fab, u32 nr)
{
	struct fab_port *port = &fab->port[nr];
	u32 class, pkt;

	port->is_off = true;
	for (class = 0; class < FAB_C_NR; class++) {
		while (port->queue[class].head != FAB_NONE) {
			pkt = queue_take_tail(fab, &port->queue[class]);
			if (fab->pfc)
				fab_pfc_release(fab, pkt);
			port_lose(fab, pkt);
		}
	}
	if (port->sending != FAB_NONE)
		fab->pkt[port->sending].flags |= FAB_P_LOST;
}

/**
 * fab_port_control() - remove the oldest control packet of a NIC
 * @fab: run
 * @port: NIC
 *
 * Return: the packet, or FAB_NONE.
 */
u32 fab_port_control(struct fab *fab, struct fab_port *port)
{
	struct fab_queue *q = &port->queue[FAB_C_CONTROL];

	return q->head == FAB_NONE ? FAB_NONE : queue_take(fab, q);
}

/*
 * UE 1.0.1 3.6.4: marks by the remaining queue length: none below low, all above high.
 * With a pacer, the queue in front of the host is not marked, because that queue does
 * not show congestion of the path.
 */
static bool port_marks(struct fab *fab, const struct fab_port *port, u32 left)
{
	const struct fab_link *link = &fab->link[port->link];

	if (left <= link->ecn_low || (fab->pacer && port->tier == FAB_T_HOST))
		return false;
	return left > link->ecn_high ||
	       fab_below(&fab->rng, link->ecn_high - link->ecn_low) <
	       (u64)(left - link->ecn_low) * fab->par.ecn_max / 100;
}

/* No random number is drawn unless one is needed: runs keep their numbers. */
static bool port_chance(struct fab *fab, u32 ppm)
{
	return ppm && fab_below(&fab->rng, 1000000) < ppm;
}

/* Return: is a packet lost that a port has sent? */
static bool port_loses(struct fab *fab, const struct fab_port *port,
		       const struct fab_packet *p)
{
	const struct fab_link *link = &fab->link[port->link];

	return link->is_dead || p->flags & FAB_P_LOST ||
	       port_chance(fab, link->loss_ppm) ||
	       (port->is_nic && p->flags & FAB_P_DATA &&
		port_chance(fab, fab->par.loss_ppm));
}

/* Return: ps. */
static u64 port_jitter(struct fab *fab)
{
	if (!fab_below(&fab->rng, 5))
		return 0;
	return fab_below(&fab->rng, 2000 * fab->par.jitter_us) * (FAB_US / 1000);
}

/**
 * fab_port_sent() - complete the transmission of a packet
 * @fab: run
 * @nr: number of the port
 */
void fab_port_sent(struct fab *fab, u32 nr)
{
	struct fab_port *port = &fab->port[nr];
	const struct fab_link *link = &fab->link[port->link];
	u32 pkt = port->sending;
	struct fab_packet *p = &fab->pkt[pkt];
	struct fab_queue *q;

	port->sending = FAB_NONE;
	if (fab->trace)
		fab_trace_sent(fab, port, p->bytes);
	if (!(p->flags & FAB_P_DATA)) {
		port->queue[FAB_C_CONTROL].bytes -= p->bytes;
	} else if (!port->is_nic) {
		q = &port->queue[port_class(p->flags)];
		q->bytes -= p->bytes;
		if (fab->pfc)
			fab_pfc_release(fab, pkt);
		if (!(p->flags & (FAB_P_CE | FAB_P_BLEACHED)) && port_marks(fab, port, q->bytes)) {
			p->flags |= FAB_P_CE;
			fab->count.marks++;
			if (fab->trace)
				fab_trace_count(fab, port, FAB_TRACE_MARKS);
		}
	}
	if (link->bleaches)
		p->flags = (p->flags & ~FAB_P_CE) | FAB_P_BLEACHED;
	if (port_loses(fab, port, p)) {
		port_lose(fab, pkt);
	} else if (fab->par.jitter_us && port->is_nic && p->flags & FAB_P_DATA) {
		fab_at(&fab->clock, fab->clock.now + link->delay_ps + port_jitter(fab),
		       FAB_EV_ARRIVE, pkt);
	} else {
		fab_after(&fab->clock, link->delay_lane, link->delay_ps,
			  FAB_EV_ARRIVE, pkt);
	}
	fab_port_start(fab, nr);
}
