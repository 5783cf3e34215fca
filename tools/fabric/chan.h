/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints of the fabric simulator.  A channel is a PDC with its congestion control
 * context.  A host owns the NICs and the pacer that its channels share.
 * Level: test.
 */
#ifndef UET_FABRIC_CHAN_H
#define UET_FABRIC_CHAN_H

#include <stdio.h>

#include "core/cms/cc_pacer.h"
#include "core/cms/ccc.h"
#include "core/cms/ev.h"
#include "core/pds/pds.h"

struct fab;
struct fab_port;

/**
 * struct fab_path_kind - a policy to choose entropy values
 * @name: name on the command line
 * @policy: enum uet_ev_policy
 * @ring: number of values that REPS stores
 * @acks_each: the policy learns only if each packet has its own ACK
 */
struct fab_path_kind {
	const char *name;
	u8 policy;
	u8 ring;
	bool acks_each;
};

/**
 * struct fab_cc_kind - a combination of congestion control algorithms
 * @name: name on the command line
 * @window: enum uet_cc_window
 * @grant: enum uet_cc_grant
 * @htsim: UET_HTSIM_*, deviations of htsim to apply
 * @is_strict: without departures of this project from the specification
 * @is_roce: no PDCs, but RoCE connections with DCQCN
 */
struct fab_cc_kind {
	const char *name;
	u8 window;
	u8 grant;
	u32 htsim;
	bool is_strict;
	bool is_roce;
};

/**
 * struct fab_cms - congestion control and path selection of a channel
 * @ccc: context of this channel only
 * @sel: selector of entropy values
 * @penalty: penalty memory of @sel
 */
struct fab_cms {
	struct uet_ccc ccc;
	struct uet_ev_sel sel;
	u8 penalty[];
};

void fab_path_names(FILE *out);
void fab_cc_names(FILE *out);
const struct fab_path_kind *fab_path_find(const char *name);
const struct fab_cc_kind *fab_cc_find(const char *name);
void fab_cms_init(struct fab *fab);
struct fab_cms *fab_cms_new(struct fab *fab);
size_t fab_cms_size(const struct fab *fab);

/**
 * struct fab_pacer - pacer that grants the credit of a host
 * @pacer: one pacer for all NICs of the host
 * @timer: time of the next timer event, ps; UET_NEVER
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
 * @src: place of the initiator
 * @dst: place of the target
 * @class: class of its data: 0 urgent, else 1
 * @ready: next channel of @src that waits for a NIC
 * @is_ready: the channel is in the list of waiting channels
 * @is_ripe: an event occurred since the initiator last had nothing to send
 * @is_busy: the channel has data to send, and counts for its host
 * @is_fresh: no packet was passed to the PDC yet
 * @is_closed: all flows are complete; there is no PDC any more
 * @left: flows that are not complete
 * @head: flow whose bytes are sent next, FAB_NONE
 * @tail: flow that was started last
 * @pdc: initiator and target; NULL until needed
 * @timer: time of the next timer event of each end, ps; UET_NEVER
 * @sent_ns: send time of each packet, modulo 2^32, at PSN modulo the window; 0: the
 *	packet was retransmitted
 * @cms: congestion control of the initiator
 * @source: state of @src in the pacer of @dst
 */
struct fab_chan {
	u32 src;
	u32 dst;
	u32 ready;
	u8 class;
	bool is_ready;
	bool is_ripe;
	bool is_busy;
	bool is_fresh;
	bool is_closed;
	u32 left;
	u32 head;
	u32 tail;
	struct uet_pdc *pdc[2];
	u64 timer[2];
	u32 *sent_ns;
	struct fab_cms *cms;
	struct uet_pacer_flow source;
};

u32 fab_chan_get(struct fab *fab, u32 src, u32 dst, u8 class);
void fab_chan_open(struct fab *fab, u32 chan);
void fab_chan_add(struct fab *fab, u32 chan, u32 flow);
u32 fab_chan_pull(struct fab *fab, u32 chan, u8 rail);
void fab_chan_work(struct fab *fab, u32 chan);
void fab_chan_timer(struct fab *fab, u32 arg);
void fab_chan_count(struct fab *fab, const struct fab_chan *ch);
struct uet_pdc *fab_chan_target(struct fab *fab, u32 chan,
				const struct uet_pds_hdr *hdr, u64 now);
void fab_chan_answer(struct fab *fab, u32 chan, u64 now);
void fab_chan_rx(struct fab *fab, u32 pkt);

/* Time of the PDC clock, ns. */
u64 fab_ns(const struct fab *fab);

/* Classes of data of a host. */
enum fab_urgency {
	FAB_URGENT,
	FAB_NORMAL,
	FAB_URGENCY_NR,
};

/**
 * struct fab_host - channels of a host that wait for an idle NIC, by class
 * @first: channel that is served next, FAB_NONE
 * @last: channel that is served last
 * @busy: number of channels with data to send
 */
struct fab_host {
	u32 first[FAB_URGENCY_NR];
	u32 last[FAB_URGENCY_NR];
	u32 busy;
};

/**
 * struct fab_receiver - what a slow host has not taken in yet
 * @head: oldest packet, FAB_NONE
 * @tail: youngest packet
 * @bytes: bytes of all of them
 * @percent: rate at which the host takes in data, percent of that of its links
 */
struct fab_receiver {
	u32 head;
	u32 tail;
	u32 bytes;
	u32 percent;
};

void fab_receivers_init(struct fab *fab);
void fab_receiver_rate(struct fab *fab, u32 place, u32 percent);
void fab_receive(struct fab *fab, u32 pkt);
void fab_receiver_event(struct fab *fab, u32 place);

void fab_host_ready(struct fab *fab, u32 chan);
u32 fab_host_next(struct fab *fab, struct fab_port *port, u32 host);
void fab_host_control(struct fab *fab, u32 host, u32 pkt);

#endif
