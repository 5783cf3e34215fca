/* SPDX-License-Identifier: GPL-2.0 */
/*
 * End points of the fabric simulator: channels, which are PDCs with the choice
 * of their paths and their congestion control, and hosts, whose NICs they
 * share. Level: test.
 */
#ifndef UET_FABRIC_CHAN_H
#define UET_FABRIC_CHAN_H

#include "../../kernel/core/ev_sel.h"
#include "../../kernel/core/pds.h"

struct fab;
struct fab_port;
struct uet_nack;
struct uet_pds_hdr;

/**
 * struct fab_path_kind - a way to choose entropy values
 * @name: on the command line
 * @way: enum uet_ev_way
 * @ring: values that REPS remembers
 * @acks_each: it learns nothing unless each packet has its ACK
 */
struct fab_path_kind {
	const char *name;
	u8 way;
	u8 ring;
	bool acks_each;
};

const struct fab_path_kind *fab_path_find(const char *name);
struct uet_ev_sel *fab_path_init(struct fab *fab);
u16 fab_path_next(const struct fab *fab, struct uet_ev_sel *sel);
void fab_path_feedback(const struct fab *fab, struct uet_ev_sel *sel, u16 ev,
		       enum uet_ev_fate fate);

/**
 * struct fab_ack - what an ACK tells congestion control
 * @hdr: the ACK, which its PDC has believed
 * @bytes: nominal bytes newly received
 * @rtt_ns: a round trip, without service time; 0 not measured
 * @ce: the packet it names was marked
 */
struct fab_ack {
	const struct uet_pds_hdr *hdr;
	u32 bytes;
	u64 rtt_ns;
	bool ce;
};

/**
 * struct fab_cc_kind - an algorithm of congestion control
 * @name: on the command line
 * @window: enum uet_cc_window
 * @htsim: UET_HTSIM_*, ways of htsim that it has
 */
struct fab_cc_kind {
	const char *name;
	u8 window;
	u32 htsim;
};

struct cms;

const struct fab_cc_kind *fab_cc_find(const char *name);
struct cms *fab_cc_init(const struct fab *fab, u32 psn, u64 now);
void fab_cc_new_data(struct cms *cms, u64 bytes, u64 now);
bool fab_cc_may_send(const struct cms *cms);
bool fab_cc_sent(struct cms *cms, u32 psn, u32 bytes, u64 now);
void fab_cc_acked(struct cms *cms, const struct fab_ack *ack, u64 now);
void fab_cc_nacked(struct cms *cms, const struct uet_pds_hdr *hdr, u64 now);
void fab_cc_lost(struct cms *cms, u32 psn, u64 now);

/**
 * struct fab_sent - what is remembered of a packet in flight, by PSN
 * @psn: its PSN
 * @ns: when its last transmission began, modulo 2^32
 * @ev: with which entropy value
 * @bytes: on the wire
 * @sends: transmissions, saturating
 * @nacked: a NACK came for this transmission
 */
struct fab_sent {
	u32 psn;
	u32 ns;
	u16 ev;
	u16 bytes;
	u8 sends;
	bool nacked;
};

/**
 * struct fab_chan - a PDC from one host to another, both of its ends
 * @src: host of the initiator
 * @dst: host of the target
 * @ready: next channel of @src that wants to send
 * @is_ready: it is in that list
 * @resends: the initiator may have something to send that SES has handed down
 * @stuck: a packet waits for the PSN window
 * @is_fresh: nothing was sent yet
 * @owed: packets found lost and not sent again yet, which they may be whatever
 *	the window; a few too many after a time-out that lost none
 * @lost: packets the initiator had found lost when it was asked last
 * @head: flow whose bytes are next, FAB_NONE
 * @tail: flow that began last
 * @pdc: initiator and target; NULL until needed
 * @timer: of either, ps at which an event is due; UET_NEVER
 * @rcvd: rcvd_bytes of the newest ACK
 * @sent: packets in flight, at PSN modulo the window
 * @path: choice of entropy values
 * @cc: congestion control
 */
struct fab_chan {
	u32 src;
	u32 dst;
	u32 ready;
	bool is_ready;
	bool resends;
	bool stuck;
	bool is_fresh;
	u32 owed;
	u64 lost;
	u32 head;
	u32 tail;
	struct uet_pdc *pdc[2];
	u64 timer[2];
	u32 rcvd;
	struct fab_sent *sent;
	struct uet_ev_sel *path;
	struct cms *cc;
};

u32 fab_chan_get(struct fab *fab, u32 src, u32 dst);
void fab_chan_open(struct fab *fab, u32 chan);
void fab_chan_add(struct fab *fab, u32 chan, u32 flow);
u32 fab_chan_pull(struct fab *fab, u32 chan, u8 rail);
bool fab_chan_wants(const struct fab *fab, const struct fab_chan *ch);
void fab_chan_arm(struct fab *fab, u32 chan, enum uet_pdc_role role);
void fab_chan_timer(struct fab *fab, u32 arg);
void fab_chan_control(struct fab *fab, u32 chan, enum uet_pdc_role role,
		      const struct uet_pdc_tx *tx);
void fab_chan_losses(struct fab *fab, struct fab_chan *ch);
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
