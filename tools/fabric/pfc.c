// SPDX-License-Identifier: GPL-2.0
/*
 * Priority flow control of the fabric simulator.  A node counts the data that it stores
 * by the cable on which the data came.  Above a threshold (XOFF) it sends a pause frame
 * to the port at the other end, which then sends control packets only; at or below a
 * lower one (XON) it lets the port go on.  The headroom takes what arrives until then.
 *
 * Spec: IEEE 802.1Q, clause 36.  Level: test.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "../lib/number.h"
#include "fabric.h"

#define PFC_BYTES_MAX	(1U << 30)

/**
 * struct fab_pfc - a cable in one direction: what the node at its end stores
 * @held: stored bytes that came on the cable
 * @is_told: the port at the other end was told to pause
 * @since: time since the port pauses, ps
 */
struct fab_pfc {
	u32 held;
	bool is_told;
	u64 since;
};

/**
 * fab_pfc_read() - parse thresholds such as "200K,100K,64K", or "auto"
 * @par: parameters of a run, result
 * @text: the text
 *
 * Return: NULL, or what is wrong with the text.
 */
const char *fab_pfc_read(struct fab_params *par, const char *text)
{
	u32 *value[] = { &par->pfc_xoff, &par->pfc_xon, &par->pfc_headroom };
	char copy[80], *rest = copy, *word;
	u64 bytes;
	u32 i;

	par->has_pfc = true;
	par->trims = false;
	if (!strcmp(text, "auto"))
		return NULL;
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return "longer than 79 characters";
	for (i = 0; i < ARRAY_SIZE(value); i++) {
		word = strtok_r(i ? NULL : copy, ",", &rest);
		if (!word || !number_read(word, true, i < 2, PFC_BYTES_MAX, &bytes))
			return "not auto or XOFF,XON,HEADROOM, bytes up to 1G";
		*value[i] = bytes;
	}
	if (strtok_r(NULL, ",", &rest))
		return "more than XOFF,XON,HEADROOM";
	return par->pfc_xon > par->pfc_xoff ? "XON is above XOFF" : NULL;
}

/**
 * fab_pfc_init() - set up PFC, if the run has it
 * @fab: run whose ports are known
 */
void fab_pfc_init(struct fab *fab)
{
	struct fab_params *par = &fab->par;

	if (!par->has_pfc)
		return;
	if (!par->pfc_xoff) {
		par->pfc_xoff = fab->bdp;
		par->pfc_xon = fab->bdp / 2;
		par->pfc_headroom = FAB_NONE;
	}
	fab->pfc = calloc(fab->nr_ports, sizeof(*fab->pfc));
	if (!fab->pfc)
		abort();
	fab->pfc_from = fab_map(FAB_PACKETS_MAX * sizeof(*fab->pfc_from));
}

/* A pause frame waits for a packet that is being sent. Return: ps. */
static u64 pfc_frame_ps(const struct fab *fab, u32 port)
{
	const struct fab_link *link = &fab->link[fab->port[port].link];

	return (u64)(fab->par.packet + FAB_CONTROL) * link->byte_ps + link->delay_ps;
}

/*
 * The default is the least headroom that loses nothing: what is on the cable until the
 * frame has arrived, the packet that its port has just begun, and the one that was over
 * the threshold.
 */
static u32 pfc_headroom(const struct fab *fab, u32 port)
{
	const struct fab_link *link = &fab->link[fab->port[port].link];

	if (fab->par.pfc_headroom != FAB_NONE)
		return fab->par.pfc_headroom;
	return (pfc_frame_ps(fab, port) + link->delay_ps) / link->byte_ps +
	       2 * fab->par.packet;
}

static void pfc_tell(struct fab *fab, u32 port, bool pauses)
{
	fab->pfc[port].is_told = pauses;
	fab->count.pauses += pauses;
	fab_at(&fab->clock, fab->clock.now + pfc_frame_ps(fab, port), FAB_EV_PFC,
	       2 * port + pauses);
}

/**
 * fab_pfc_hold() - a node stores a data packet that arrived
 * @fab: run with PFC
 * @pkt: packet; its port is that which has sent it
 *
 * Return: false if there is no space.
 */
bool fab_pfc_hold(struct fab *fab, u32 pkt)
{
	const struct fab_packet *p = &fab->pkt[pkt];
	struct fab_pfc *pfc = &fab->pfc[p->port];
	u32 held = pfc->held + p->bytes, over;

	if (held > fab->par.pfc_xoff) {
		over = held - fab->par.pfc_xoff;
		if (!pfc->is_told)
			pfc_tell(fab, p->port, true);
		if (over > pfc_headroom(fab, p->port))
			return false;
	}
	pfc->held = held;
	fab->pfc_from[pkt] = p->port;
	return true;
}

/**
 * fab_pfc_release() - a node does not store a packet any more
 * @fab: run with PFC
 * @pkt: packet that was stored, if it is a data packet
 */
void fab_pfc_release(struct fab *fab, u32 pkt)
{
	u32 from = fab->pfc_from[pkt];
	struct fab_pfc *pfc = &fab->pfc[from];

	if (!(fab->pkt[pkt].flags & FAB_P_DATA))
		return;
	pfc->held -= fab->pkt[pkt].bytes;
	if (pfc->is_told && pfc->held <= fab->par.pfc_xon)
		pfc_tell(fab, from, false);
}

/**
 * fab_pfc_event() - a pause frame has arrived
 * @fab: run with PFC
 * @arg: twice the number of the port, plus 1 if the port pauses
 */
void fab_pfc_event(struct fab *fab, u32 arg)
{
	struct fab_port *port = &fab->port[arg / 2];
	struct fab_pfc *pfc = &fab->pfc[arg / 2];

	port->is_paused = arg & 1;
	if (port->is_paused) {
		pfc->since = fab->clock.now;
		return;
	}
	fab->count.paused_ps += fab->clock.now - pfc->since;
	if (port->sending == FAB_NONE)
		fab_port_start(fab, arg / 2);
}

/**
 * fab_pfc_count() - count the pauses that have not ended
 * @fab: run that ends
 */
void fab_pfc_count(struct fab *fab)
{
	u32 i;

	for (i = 0; fab->pfc && i < fab->nr_ports; i++)
		if (fab->port[i].is_paused)
			fab->count.paused_ps += fab->clock.now - fab->pfc[i].since;
}

/**
 * fab_pfc_fini() - free the memory of PFC
 * @fab: run
 */
void fab_pfc_fini(struct fab *fab)
{
	if (!fab->pfc)
		return;
	free(fab->pfc);
	munmap(fab->pfc_from, FAB_PACKETS_MAX * sizeof(*fab->pfc_from));
}
