// SPDX-License-Identifier: GPL-2.0
/*
 * Ports of the fabric simulator, and the memory of packets.  A port sends one
 * packet at a time, control before data, and stores it whole before it goes on.
 * Data that finds its queue full is trimmed or dropped, either the packet that
 * came or the youngest one there, which is left to chance; data that leaves is
 * marked by what it leaves behind.
 *
 * Spec: UE 1.0.1 3.6.4 (ECN), 4.1 (trimming).  Level: test.
 */
#include <sys/mman.h>

#include "fabric.h"

/* fab_port.sending while it is looked for. */
#define PORT_CHOOSES	(FAB_NONE - 1)

/* Packets there is address space for; memory is taken as they are used. */
#define PORT_PACKETS	(1U << 25)

/**
 * fab_packet_new() - memory for a packet
 * @fab: run
 *
 * Return: its number; its contents are void.
 */
u32 fab_packet_new(struct fab *fab)
{
	u32 pkt = fab->free;

	if (pkt != FAB_NONE) {
		fab->free = fab->pkt[pkt].next;
		return pkt;
	}
	if (!fab->pkt) {
		fab->pkt = mmap(NULL, PORT_PACKETS * sizeof(*fab->pkt),
				PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				-1, 0);
		if (fab->pkt == MAP_FAILED)
			abort();
	}
	if (fab->nr_pkts == PORT_PACKETS)
		abort();
	return fab->nr_pkts++;
}

/**
 * fab_packet_free() - a packet has arrived or was lost
 * @fab: run
 * @pkt: its number
 */
void fab_packet_free(struct fab *fab, u32 pkt)
{
	fab->pkt[pkt].next = fab->free;
	fab->free = pkt;
}

/**
 * fab_packets_fini() - return the memory of all packets
 * @fab: run
 */
void fab_packets_fini(struct fab *fab)
{
	if (fab->pkt)
		munmap(fab->pkt, PORT_PACKETS * sizeof(*fab->pkt));
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

/* The bytes of the packet count until it has been sent. */
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

static void port_drop(struct fab *fab, u32 pkt)
{
	fab->count.drops++;
	fab_packet_free(fab, pkt);
}

static void port_send_control(struct fab *fab, struct fab_port *port, u32 pkt)
{
	struct fab_queue *q = &port->queue[FAB_C_CONTROL];

	if (!port->is_nic &&
	    q->bytes + fab->pkt[pkt].bytes > 2 * fab->queue_bytes)
		port_drop(fab, pkt);
	else
		queue_add(fab, q, pkt);
}

/* UE 1.0.1 4.1: what is left of it tells the receiver, and is in a hurry. */
static void port_overflow(struct fab *fab, struct fab_port *port, u32 pkt)
{
	struct fab_packet *p = &fab->pkt[pkt];

	if (!fab->par.trims) {
		port_drop(fab, pkt);
		return;
	}
	fab->count.trims++;
	p->flags = (p->flags & FAB_P_CE) | FAB_P_TRIMMED |
		   (port->tier == FAB_T_HOST ? FAB_P_LASTHOP : 0);
	p->bytes = FAB_CONTROL;
	port_send_control(fab, port, pkt);
}

static void port_send_data(struct fab *fab, struct fab_port *port, u32 pkt)
{
	struct fab_queue *q = &port->queue[FAB_C_DATA];
	u32 victim = pkt;

	if (q->bytes + fab->pkt[pkt].bytes > fab->queue_bytes) {
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
 * fab_port_send() - a packet comes to a port that is to send it
 * @fab: run
 * @port: number of the port
 * @pkt: packet; the port's from now on
 */
void fab_port_send(struct fab *fab, u32 port, u32 pkt)
{
	struct fab_port *p = &fab->port[port];

	fab->pkt[pkt].port = port;
	if (fab->pkt[pkt].flags & FAB_P_DATA)
		port_send_data(fab, p, pkt);
	else
		port_send_control(fab, p, pkt);
	if (p->sending == FAB_NONE)
		fab_port_start(fab, port);
}

/* What a switch sends next; FAB_NONE if nothing waits. */
static u32 port_next(struct fab *fab, struct fab_port *port)
{
	struct fab_queue *q = port->queue;

	if (q[FAB_C_CONTROL].head != FAB_NONE)
		return queue_take(fab, &q[FAB_C_CONTROL]);
	if (q[FAB_C_DATA].head != FAB_NONE)
		return queue_take(fab, &q[FAB_C_DATA]);
	return FAB_NONE;
}

/**
 * fab_port_start() - begin to send what waits
 * @fab: run
 * @nr: number of a port that sends nothing
 */
void fab_port_start(struct fab *fab, u32 nr)
{
	struct fab_port *port = &fab->port[nr];
	u8 lane = FAB_LANES;
	u32 pkt, bytes;

	/* What is asked for may come with a control packet that wants to go. */
	port->sending = PORT_CHOOSES;
	pkt = port->is_nic ?
		fab_host_next(fab, port, nr - fab->plane[port->rail].nic) :
		port_next(fab, port);
	port->sending = pkt;
	if (pkt == FAB_NONE)
		return;
	bytes = fab->pkt[pkt].bytes;
	fab->pkt[pkt].port = nr;
	if (bytes == fab->par.packet)
		lane = port->full_lane;
	else if (bytes == FAB_CONTROL)
		lane = port->control_lane;
	fab_after(&fab->clock, lane, (u64)bytes * port->byte_ps, FAB_EV_SENT,
		  nr);
}

/**
 * fab_port_control() - take the oldest control packet of a NIC
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
 * UE 1.0.1 3.6.4: by what is left behind, none below low, all above high.  What is
 * in front of a host that paces says nothing of the way there.
 */
static bool port_marks(struct fab *fab, const struct fab_port *port, u32 left)
{
	if (left <= fab->ecn_low || (fab->pacer && port->tier == FAB_T_HOST))
		return false;
	return left > fab->ecn_high ||
	       fab_below(&fab->rng, fab->ecn_high - fab->ecn_low) <
	       left - fab->ecn_low;
}

/**
 * fab_port_sent() - the last bit of a packet has left
 * @fab: run
 * @nr: number of the port
 */
void fab_port_sent(struct fab *fab, u32 nr)
{
	struct fab_port *port = &fab->port[nr];
	struct fab_queue *q = port->queue;
	u32 pkt = port->sending;
	struct fab_packet *p = &fab->pkt[pkt];

	port->sending = FAB_NONE;
	if (!(p->flags & FAB_P_DATA)) {
		q[FAB_C_CONTROL].bytes -= p->bytes;
	} else if (!port->is_nic) {
		q[FAB_C_DATA].bytes -= p->bytes;
		if (!(p->flags & FAB_P_CE) &&
		    port_marks(fab, port, q[FAB_C_DATA].bytes)) {
			p->flags |= FAB_P_CE;
			fab->count.marks++;
		}
	}
	if (port->is_dead) {
		fab->count.dead++;
		fab_packet_free(fab, pkt);
	} else {
		fab_after(&fab->clock, fab->wire_lane, fab->par.wire_ps,
			  FAB_EV_ARRIVE, pkt);
	}
	fab_port_start(fab, nr);
}
