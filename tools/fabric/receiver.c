// SPDX-License-Identifier: GPL-2.0
/*
 * Slow hosts of the fabric simulator: a host that takes in data at a part of the rate of
 * its links.  Other data waits in a buffer of the host, and is lost if the buffer is
 * full, or pauses the port in front of the host with PFC.  ACKs say how full the buffer is, as those of a slow reader do.  Control
 * packets and trimmed packets do not wait.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/**
 * fab_receivers_init() - give all hosts a buffer; no effect if they have one
 * @fab: run whose network is built
 */
void fab_receivers_init(struct fab *fab)
{
	u32 i;

	if (fab->receiver)
		return;
	fab->receiver = malloc(fab_shape_hosts(&fab->par.shape) *
			       sizeof(*fab->receiver));
	if (!fab->receiver)
		abort();
	for (i = 0; i < fab_shape_hosts(&fab->par.shape); i++)
		fab->receiver[i] = (struct fab_receiver) {
			.head = FAB_NONE, .tail = FAB_NONE, .percent = 100,
		};
}

/**
 * fab_receiver_rate() - change the rate at which a host takes in data
 * @fab: run
 * @place: place of the host
 * @percent: percent of the rate of its links, from the next packet on
 */
void fab_receiver_rate(struct fab *fab, u32 place, u32 percent)
{
	fab->receiver[place].percent = percent;
}

static void receiver_deliver(struct fab *fab, u32 pkt)
{
	if (fab->roce)
		fab_roce_rx(fab, pkt);
	else
		fab_chan_rx(fab, pkt);
}

/* Begin to take in the oldest packet. */
static void receiver_start(struct fab *fab, u32 place)
{
	struct fab_receiver *r = &fab->receiver[place];
	u64 time = (u64)fab->pkt[r->head].bytes *
		   fab->link[FAB_LINK(FAB_CABLE_HOST, true)].byte_ps;

	fab_at(&fab->clock, fab->clock.now +
	       time * 100 / (r->percent * fab->par.rails), FAB_EV_HOST, place);
}

/**
 * fab_receive() - a packet arrived at its destination host
 * @fab: run
 * @pkt: packet
 */
void fab_receive(struct fab *fab, u32 pkt)
{
	struct fab_packet *p = &fab->pkt[pkt];
	struct fab_receiver *r;

	if (!fab->receiver || !(p->flags & FAB_P_DATA)) {
		receiver_deliver(fab, pkt);
		return;
	}
	r = &fab->receiver[p->dst];
	if (r->percent == 100 && r->head == FAB_NONE) {
		receiver_deliver(fab, pkt);
		return;
	}
	if (r->bytes + p->bytes > fab->par.host_buffer ||
	    (fab->pfc && !fab_pfc_hold(fab, pkt))) {
		fab->count.host_drops++;
		fab_packet_free(fab, pkt);
		return;
	}
	r->bytes += p->bytes;
	p->next = FAB_NONE;
	if (r->head != FAB_NONE) {
		fab->pkt[r->tail].next = pkt;
		r->tail = pkt;
		return;
	}
	r->head = pkt;
	r->tail = pkt;
	receiver_start(fab, p->dst);
}

/**
 * fab_receiver_event() - a host has taken in a packet
 * @fab: run
 * @place: place of the host
 */
void fab_receiver_event(struct fab *fab, u32 place)
{
	struct fab_receiver *r = &fab->receiver[place];
	u32 pkt = r->head;

	r->head = fab->pkt[pkt].next;
	r->bytes -= fab->pkt[pkt].bytes;
	if (fab->pfc)
		fab_pfc_release(fab, pkt);
	if (r->head != FAB_NONE)
		receiver_start(fab, place);
	receiver_deliver(fab, pkt);
}
