/* SPDX-License-Identifier: GPL-2.0 */
/*
 * End points of the fabric simulator: channels, which are PDCs and the congestion
 * control contexts they are given, and hosts, whose NICs and pacers they share.
 * Level: test.
 */
#ifndef UET_FABRIC_CHAN_H
#define UET_FABRIC_CHAN_H

#include "core/cms/cc_pacer.h"
#include "core/cms/ccc.h"
#include "core/cms/ev_sel.h"
#include "core/pds/pds.h"

struct fab;
struct fab_port;

/**
 * struct fab_path_kind - a way to choose entropy values
 * @name: on the command line
 * @policy: enum uet_ev_policy
 * @ring: values that REPS remembers
 * @acks_each: it learns nothing unless each packet has its ACK
 */
struct fab_path_kind {
	const char *name;
	u8 policy;
	u8 ring;
	bool acks_each;
};

/**
 * struct fab_cc_kind - algorithms of congestion control
 * @name: on the command line
 * @window: enum uet_cc_window
 * @grant: enum uet_cc_grant
 * @htsim: UET_HTSIM_*, ways of htsim that they have
 */
struct fab_cc_kind {
	const char *name;
	u8 window;
	u8 grant;
	u32 htsim;
};

/**
 * struct fab_cms - congestion control and paths of a channel
 * @ccc: context, which the channel shares with no other
 * @sel: choice of entropy values
 * @penalty: for @sel
 */
struct fab_cms {
	struct uet_ccc ccc;
	struct uet_ev_sel sel;
	u8 penalty[];
};

const struct fab_path_kind *fab_path_find(const char *name);
const struct fab_cc_kind *fab_cc_find(const char *name);
void fab_cms_init(struct fab *fab);
struct fab_cms *fab_cms_new(struct fab *fab);

/**
 * struct fab_pacer - credit that a host hands out
 * @pacer: for all its NICs together
 * @timer: ps at which an event is due; UET_NEVER
 */
struct fab_pacer {
	struct uet_pacer pacer;
	u64 timer;
};

void fab_pacers_init(struct fab *fab);
void fab_pacer_demand(struct fab *fab, u32 chan);
void fab_pacer_timer(struct fab *fab, u32 host);

/**
 * struct fab_chan - a PDC from one host to another, both of its ends
 * @src: host of the initiator
 * @dst: host of the target
 * @ready: next channel of @src that waits for a NIC
 * @is_ready: it is in that list
 * @is_ripe: something has happened since the initiator had nothing to send
 * @is_fresh: no packet was handed down yet
 * @head: flow whose bytes are next, FAB_NONE
 * @tail: flow that began last
 * @pdc: initiator and target; NULL until needed
 * @timer: of either, ps at which an event is due; UET_NEVER
 * @sent_ns: when a packet was sent that was sent once, modulo 2^32, at PSN modulo
 *	the window; 0: it was sent more often
 * @cms: of the initiator
 * @source: what the pacer of @dst knows of @src
 */
struct fab_chan {
	u32 src;
	u32 dst;
	u32 ready;
	bool is_ready;
	bool is_ripe;
	bool is_fresh;
	u32 head;
	u32 tail;
	struct uet_pdc *pdc[2];
	u64 timer[2];
	u32 *sent_ns;
	struct fab_cms *cms;
	struct uet_pacer_flow source;
};

u32 fab_chan_get(struct fab *fab, u32 src, u32 dst);
void fab_chan_open(struct fab *fab, u32 chan);
void fab_chan_add(struct fab *fab, u32 chan, u32 flow);
u32 fab_chan_pull(struct fab *fab, u32 chan, u8 rail);
void fab_chan_work(struct fab *fab, u32 chan);
void fab_chan_timer(struct fab *fab, u32 arg);
void fab_chan_fini(struct fab_chan *ch);
struct uet_pdc *fab_chan_target(struct fab *fab, u32 chan,
				const struct uet_pds_hdr *hdr, u64 now);
void fab_chan_answer(struct fab *fab, u32 chan, u64 now);
void fab_chan_rx(struct fab *fab, u32 pkt);

/* The clock of a PDC, ns. */
u64 fab_ns(const struct fab *fab);

/**
 * struct fab_host - what waits in a host, for whichever of its NICs is idle
 * @first: channel whose turn it is, FAB_NONE
 * @last: channel whose turn is the last
 */
struct fab_host {
	u32 first;
	u32 last;
};

void fab_host_ready(struct fab *fab, u32 chan);
u32 fab_host_next(struct fab *fab, struct fab_port *port, u32 host);
void fab_host_control(struct fab *fab, u32 host, u32 pkt);

#endif
