/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fabric simulator: hosts whose PDCs are those of uet.ko, joined by Clos
 * networks of store-and-forward switches with ECN, trimming and multipath, on
 * simulated time of picoseconds.  It is to judge congestion control, so it is
 * made for many hosts; tools/sim is the one that is made for bad links.
 * Documentation/fabric.rst is the user's view.  Level: test.
 *
 *	main.c		command line		options.c  its words
 *	run.c		one run: set up, events, end
 *	clock.c		event queue		rng.h	   random numbers
 *	shape.c		Clos networks, routes
 *	port.c		queues and links: ECN, trimming, priority
 *	host.c		NIC: whose packet is next
 *	chan.c		sender of a PDC		chan_rx.c  what arrives for it
 *	flow.c		messages and triggers
 *	cms.c		congestion control contexts	pacer.c	   credit of hosts
 *	matrix.c	connection matrices	pattern.c  generated ones
 *	result.c	one line of figures
 *	gates.c		figures it has to meet
 */
#ifndef UET_FABRIC_H
#define UET_FABRIC_H

#include "core/pds/pds.h"
#include "core/wire/wire.h"
#include "chan.h"
#include "clock.h"
#include "flow.h"
#include "net.h"
#include "rng.h"

#define FAB_NS		1000ULL		/* picoseconds */
#define FAB_US		1000000ULL
#define FAB_EPOCH	(1000000 * FAB_US)	/* when a run begins */

#define FAB_PATHS_MAX	4096

/**
 * struct fab_params - all there is to know about a run, but for its flows
 * @shape: network of each rail
 * @rails: planes; a host has a NIC in each
 * @mbps: rate of a link
 * @wire_ps: time a bit takes through a link
 * @packet: bytes of a full packet on the wire, header included
 * @trims: full queues trim, else they drop
 * @queue_pkts: full packets a queue holds; 0: one BDP, without trimming five
 * @ecn_low: full packets left behind from which on packets may be marked; 0: a
 *	fifth of the BDP
 * @ecn_high: from which on all are; 0: four fifths.  The same as @ecn_low: no
 *	dice are thrown
 * @paths: entropy values of a channel
 * @path: how one is chosen
 * @cc: how much may be in flight
 * @window_pct: of the constant window, hundredths of a BDP
 * @ack_bytes: bytes received that make an ACK; 0 any packet makes one
 * @rto_ns: RTO_Init_Time
 * @track: PSNs tracked by a PDC; 0 as many as needed
 * @is_cold: PDCs are opened by the first packets of the first flow
 * @faults: bad cables
 * @nr_faults: how many
 * @settle_us: simulated time from which on delays and queues are measured
 * @seed: of every random choice
 * @end_us: simulated time after which the run is given up
 */
struct fab_params {
	struct fab_shape shape;
	u32 rails;
	u32 mbps;
	u64 wire_ps;
	u32 packet;
	bool trims;
	u32 queue_pkts;
	u32 ecn_low;
	u32 ecn_high;
	u32 paths;
	const struct fab_path_kind *path;
	const struct fab_cc_kind *cc;
	u32 window_pct;
	u32 ack_bytes;
	u64 rto_ns;
	u32 track;
	bool is_cold;
	struct fab_fault faults[FAB_FAULTS_MAX];
	u32 nr_faults;
	u64 settle_us;
	u64 seed;
	u64 end_us;
};

void fab_params_default(struct fab_params *par);

/**
 * struct fab_count - what happened in a run
 * @packets: packets with payload sent for the first time
 * @resent: sent again
 * @trims: packets trimmed
 * @drops: packets that met a full queue and were not
 * @dead: packets lost on a dead link
 * @marks: packets marked Congestion Experienced
 * @acks: ACKs sent
 * @nacks: NACKs sent
 * @credits: Credit control packets sent
 * @controls: other control packets sent
 * @syn_trims: trimmed packets that nobody answered, since they had SYN
 * @losses: packets that PDCs have found lost without a NACK
 * @rtos: time-outs of PDCs
 * @rtts: round trips measured
 * @delay_ns: sum of what each was longer than that of an idle network
 * @queue_max: most bytes there ever were in a queue of data
 */
struct fab_count {
	u64 packets;
	u64 resent;
	u64 trims;
	u64 drops;
	u64 dead;
	u64 marks;
	u64 acks;
	u64 nacks;
	u64 credits;
	u64 controls;
	u64 syn_trims;
	u64 losses;
	u64 rtos;
	u64 rtts;
	u64 delay_ns;
	u32 queue_max;
};

/**
 * struct fab - a run
 * @par: its parameters
 * @clock: time and events
 * @rng: random numbers
 * @nr_hosts: hosts
 * @base_rtt: round trip of a full packet in the empty network, ps
 * @bdp: bytes
 * @queue_bytes: what a data queue holds; of control twice as much
 * @ecn_low: bytes left behind from which on packets may be marked
 * @ecn_high: from which on all are
 * @settled: ps from which on delays and queues are measured
 * @wire_lane: lane of a link's delay
 * @port: all ports
 * @nr_ports: how many
 * @plane: by rail
 * @salt: by switch
 * @pkt: memory of all packets
 * @nr_pkts: packets that ever were
 * @free: first packet that is free
 * @host: by number
 * @chan: channels
 * @nr_chans: how many
 * @chan_map: channels by addresses, a hash table
 * @map_space: of it
 * @flow: flows
 * @nr_flows: how many
 * @trigger: triggers, by number
 * @nr_triggers: how many; 0: no flow waits for another
 * @left: flows that are not complete
 * @cfg: parameters of all PDCs
 * @cc: constants of all contexts
 * @ev: how entropy values are chosen
 * @idle_ccc: context of all targets
 * @pacer: by host; NULL: nobody needs credit
 * @count: what happened
 * @why: why the run failed; NULL
 */
struct fab {
	struct fab_params par;
	struct fab_clock clock;
	struct fab_rng rng;
	u32 nr_hosts;
	u64 base_rtt;
	u64 bdp;
	u32 queue_bytes;
	u32 ecn_low;
	u32 ecn_high;
	u64 settled;
	u8 wire_lane;
	struct fab_port *port;
	u32 nr_ports;
	struct fab_plane plane[FAB_RAILS_MAX];
	u32 *salt;
	struct fab_packet *pkt;
	u32 nr_pkts;
	u32 free;
	struct fab_host *host;
	struct fab_chan *chan;
	u32 nr_chans;
	u32 *chan_map;
	u32 map_space;
	struct fab_flow *flow;
	u32 nr_flows;
	struct fab_trigger *trigger;
	u32 nr_triggers;
	u32 left;
	struct uet_pdc_cfg cfg;
	struct uet_cc_param cc;
	struct uet_ev_cfg ev;
	struct uet_ccc idle_ccc;
	struct fab_pacer *pacer;
	struct fab_count count;
	const char *why;
};

void fab_init(struct fab *fab, const struct fab_params *par);
bool fab_run(struct fab *fab);
void fab_fini(struct fab *fab);
void *fab_grow(void *array, u32 nr, size_t size);

#endif
