// SPDX-License-Identifier: GPL-2.0
/*
 * Hosts of the fabric simulator: selection of the next packet of a NIC.  Channels with
 * data wait in one list of their class for all NICs of their host; urgent channels go
 * first.  A channel supplies one packet per round.  The packet is built when its first
 * bit is sent, so the host adds no queueing delay.  While control packets wait, ten of
 * them are sent between two data packets.
 * Level: test.
 */
#include "fabric.h"

#define HOST_CONTROL_RUN	10

static void host_append(struct fab *fab, struct fab_host *host, u32 chan)
{
	struct fab_chan *ch = &fab->chan[chan];

	ch->is_ready = true;
	ch->ready = FAB_NONE;
	if (host->first[ch->class] == FAB_NONE)
		host->first[ch->class] = chan;
	else
		fab->chan[host->last[ch->class]].ready = chan;
	host->last[ch->class] = chan;
}

/**
 * fab_host_ready() - queue a channel that may have data to send
 * @fab: run
 * @chan: number of the channel
 */
void fab_host_ready(struct fab *fab, u32 chan)
{
	struct fab_chan *ch = &fab->chan[chan];
	u32 rail, nic;

	if (ch->is_ready || !ch->is_ripe)
		return;
	host_append(fab, &fab->host[ch->src], chan);
	for (rail = 0; rail < fab->par.rails; rail++) {
		nic = fab->plane[rail].nic + ch->src;
		if (fab->port[nic].sending == FAB_NONE)
			fab_port_start(fab, nic);
	}
}

/* Get a data packet from the next channel of a class that has data. */
static u32 host_data_of(struct fab *fab, struct fab_host *host, u32 class,
			u8 rail)
{
	struct fab_chan *ch;
	u32 chan, pkt;

	while (host->first[class] != FAB_NONE) {
		chan = host->first[class];
		ch = &fab->chan[chan];
		host->first[class] = ch->ready;
		ch->is_ready = false;
		pkt = fab->roce ? fab_roce_pull(fab, chan) :
				  fab_chan_pull(fab, chan, rail);
		if (ch->is_ripe)
			host_append(fab, host, chan);
		if (pkt != FAB_NONE)
			return pkt;
	}
	return FAB_NONE;
}

static u32 host_data(struct fab *fab, u32 nr, u8 rail)
{
	u32 class, pkt = FAB_NONE;

	for (class = 0; class < FAB_URGENCY_NR && pkt == FAB_NONE; class++)
		pkt = host_data_of(fab, &fab->host[nr], class, rail);
	return pkt;
}

/**
 * fab_host_next() - select the next packet of a NIC
 * @fab: run
 * @port: idle NIC
 * @host: host of the NIC
 *
 * Return: a packet, or FAB_NONE.
 */
u32 fab_host_next(struct fab *fab, struct fab_port *port, u32 host)
{
	bool has_control = port->queue[FAB_C_CONTROL].head != FAB_NONE;
	u32 pkt;

	if (!port->is_paused && (!has_control || port->run >= HOST_CONTROL_RUN)) {
		pkt = host_data(fab, host, port->rail);
		port->run = 0;
		if (pkt != FAB_NONE)
			return pkt;
	}
	port->run++;
	return fab_port_control(fab, port);
}

/**
 * fab_host_control() - send a control packet
 * @fab: run
 * @host: host
 * @pkt: packet; owned by the NIC of its rail from now on
 */
void fab_host_control(struct fab *fab, u32 host, u32 pkt)
{
	fab_port_send(fab, fab->plane[fab->pkt[pkt].rail].nic + host, pkt);
}
