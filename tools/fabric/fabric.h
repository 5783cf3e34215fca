/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fabric simulator: hosts that run the PDCs of uet.ko, connected by Clos networks
 * of store-and-forward switches with ECN, trimming and multipath, on simulated time in
 * picoseconds.  Its purpose is the evaluation of congestion control, so the simulator
 * scales to many hosts.  Bad links are simulated by tools/sim instead.
 * Documentation/fabric.rst is the user's view.  Level: test.
 *
 *	main.c		command line		options.c  options
 *	run.c		one run: set up, events, end
 *	clock.c		event queue		rng.h	   random numbers
 *	shape.c		Clos networks, routes
 *	port.c		queues and links: ECN, trimming, priority
 *	fault.c		links that are slow or dead
 *	host.c		NIC: selection of the next packet
 *	chan.c		sender of a PDC		chan_rx.c  arriving packets
 *	flow.c		messages and triggers
 *	cms.c		congestion control contexts	pacer.c	   credit of hosts
 *	matrix.c	connection matrices	pattern.c  generated flows
 *	result.c	output of results
 *	gates.c		required results
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
#define FAB_EPOCH	(1000000 * FAB_US)	/* simulated start time of a run */

#define FAB_PATHS_MAX	4096

/**
 * struct fab_params - parameters of a run, without its flows
 * @shape: network of each rail
 * @rails: planes; a host has a NIC in each
 * @mbps: rate of a link, Mb/s
 * @wire_ps: propagation delay of a link, ps
 * @packet: bytes of a full packet on the wire, header included
 * @trims: full queues trim packets instead of dropping them
 * @queue_pkts: capacity of a queue in full packets; 0: one BDP, without trimming five
 * @ecn_low: queue length, in full packets, above which packets may be marked; 0: a
 *	fifth of the BDP
 * @ecn_high: queue length above which all packets are marked; 0: four fifths.  If
 *	equal to @ecn_low, no random number is drawn
 * @paths: entropy values of a channel
 * @path: policy to choose the entropy value
 * @freeze_ns: time after a loss in which REPS draws no new value, ns
 * @cc: algorithms that limit the data in flight
 * @window_pct: size of the constant window, hundredths of a BDP
 * @ack_bytes: received bytes that trigger an ACK; 0: every packet triggers an ACK
 * @rto_ns: RTO_Init_Time, ns
 * @reorder_ns: reorder-min of the PDCs, ns; 0: the least round trip
 * @tail_ns: Tail_Loss_Time, ns; 0: three base RTTs
 * @credit_run: bytes of credit that a source gets in a turn; 0: a quantum
 * @credit_rate: part of the rate that is granted as credit, thousandths
 * @keeps_start: first windows do not depend on the number of destinations
 * @track: PSNs tracked by a PDC; 0: as many as needed
 * @is_cold: PDCs are opened by the first packets of the first flow
 * @faults: faulty cables
 * @nr_faults: number of faulty cables
 * @settle_us: simulated time from which delays and queues are measured, us
 * @seed: seed of all random choices
 * @end_us: simulated time after which the run is aborted, us
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
	u64 freeze_ns;
	const struct fab_cc_kind *cc;
	u32 window_pct;
	u32 ack_bytes;
	u64 rto_ns;
	u64 reorder_ns;
	u64 tail_ns;
	u32 credit_run;
	u32 credit_rate;
	bool keeps_start;
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
 * struct fab_count - counters of a run
 * @packets: packets with payload sent for the first time
 * @resent: packets retransmitted
 * @trims: packets trimmed
 * @drops: packets dropped at a full queue
 * @dead: packets lost on a dead link
 * @marks: packets marked Congestion Experienced
 * @acks: ACKs sent
 * @nacks: NACKs sent
 * @credits: Credit control packets sent
 * @controls: other control packets sent
 * @syn_trims: trimmed packets that were not answered, because they had SYN
 * @losses: packets that PDCs marked lost without a NACK
 * @needless: packets that arrived more than once
 * @rtos: time-outs of PDCs
 * @rtts: round trips measured
 * @delay_ns: sum of the measured round trips in excess of the idle network, ns
 * @queue_max: maximum length of a data queue, bytes
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
	u64 needless;
	u64 rtos;
	u64 rtts;
	u64 delay_ns;
	u32 queue_max;
};

/**
 * struct fab - a run
 * @par: parameters of the run
 * @clock: time and events
 * @rng: random number generator
 * @nr_hosts: number of hosts
 * @base_rtt: round trip of a full packet in the empty network, ps
 * @bdp: bandwidth-delay product, bytes
 * @queue_bytes: capacity of a data queue, bytes; a control queue holds twice as much
 * @ecn_low: queue length above which packets may be marked, bytes
 * @ecn_high: queue length above which all packets are marked, bytes
 * @settled: time from which delays and queues are measured, ps
 * @wire_lane: lane for the propagation delay of a link
 * @port: all ports
 * @nr_ports: number of ports
 * @plane: planes, by rail
 * @salt: hash salt, by switch
 * @pkt: memory of all packets
 * @nr_pkts: number of packets ever allocated
 * @free: first free packet
 * @host: hosts, by number
 * @chan: channels
 * @nr_chans: number of channels
 * @chan_map: hash table of channels by addresses
 * @map_space: size of @chan_map
 * @flow: flows
 * @nr_flows: number of flows
 * @trigger: triggers, by number
 * @nr_triggers: number of triggers; 0: no flow waits for another
 * @left: number of incomplete flows
 * @cfg: parameters of all PDCs
 * @cc: constants of all contexts
 * @ev: configuration of the entropy selectors
 * @idle_ccc: context of all targets
 * @pacer: pacers, by host; NULL: credit is not used
 * @count: counters
 * @why: reason why the run failed; NULL
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
