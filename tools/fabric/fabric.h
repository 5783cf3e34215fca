/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fabric simulator: hosts that run the PDCs of uet.ko, connected by Clos networks
 * of store-and-forward switches with ECN, trimming and multipath, on simulated time in
 * picoseconds.  Its purpose is the evaluation of congestion control, so the simulator
 * scales to many hosts.  Bad links are simulated by tools/sim instead.
 * Documentation/fabric.rst is the user's view.  Level: test.
 *
 *	main.c		runs, one per seed
 *	options.c	command line		usage.c	   help text
 *	run.c		one run: set up, events, end
 *	clock.c		event queue		rng.h	   random numbers
 *	arena.c		memory of many objects
 *	shape.c		Clos networks, routes	topo.c	   networks from a file
 *	link.c		rates, delays, marks	port.c	   queues: trimming, priority
 *	pfc.c		pauses
 *	fault.c		links and switches that fail	receiver.c slow hosts
 *	host.c		NIC: selection of the next packet
 *	chan.c		sender of a PDC		chan_rx.c  arriving packets
 *	roce.c		RoCE connections	dcqcn.c	   their rate
 *	flow.c		messages and triggers
 *	cms.c		congestion control contexts	pacer.c	   credit of hosts
 *	setting.c	parameters of the PDCs and contexts by name
 *	matrix.c	connection matrices	pattern.c  generated flows
 *	result.c	output of results	trace.c	   output over time
 *	gates.c		required results
 */
#ifndef UET_FABRIC_H
#define UET_FABRIC_H

#include "core/pds/pds.h"
#include "core/wire/wire.h"
#include "arena.h"
#include "chan.h"
#include "clock.h"
#include "flow.h"
#include "net.h"
#include "rng.h"
#include "roce.h"
#include "trace.h"

#define FAB_NS		1000ULL		/* picoseconds */
#define FAB_US		1000000ULL
#define FAB_EPOCH	(1000000 * FAB_US)	/* simulated start time of a run */

#define FAB_PATHS_MAX	4096
#define FAB_SETTINGS_MAX	64

/**
 * struct fab_setting - a parameter of the PDCs or contexts that differs from its default
 * @what: number of the parameter, see setting.c
 * @value: value, in the unit of the parameter
 */
struct fab_setting {
	u32 what;
	u64 value;
};

/**
 * struct fab_params - parameters of a run, without its flows
 * @shape: network of each rail
 * @rails: planes; a host has a NIC in each
 * @tier: switches and links, by tier
 * @packet: bytes of a full packet on the wire, header included
 * @trims: full queues trim packets instead of dropping them
 * @has_pfc: ports pause instead of losing data; without trimming
 * @pfc_xoff: bytes from a cable above which its port pauses; 0: one BDP
 * @pfc_xon: bytes at which the port goes on
 * @pfc_headroom: bytes that are stored beyond @pfc_xoff; FAB_NONE: as many as needed
 * @queue_pkts: capacity of a queue in full packets; 0: one BDP, without trimming five
 * @ecn_low: queue length, in full packets, above which packets may be marked; 0: a
 *	fifth of the BDP
 * @ecn_high: queue length above which all packets are marked; 0: four fifths.  If
 *	equal to @ecn_low, no random number is drawn
 * @ecn_max: part of the packets that is marked at @ecn_high, percent; all above
 * @paths: entropy values of a channel
 * @path: policy to choose the entropy value
 * @freeze_ns: time after a loss in which REPS draws no new value, ns
 * @cc: algorithms that limit the data in flight
 * @window_pct: size of the constant window, hundredths of a BDP
 * @ack_bytes: received bytes that trigger an ACK; 0: every packet triggers an ACK
 * @rto_ns: RTO_Init_Time, ns
 * @reorder_ns: reorder-min of the PDCs, ns; 0: 1.125 times the least round trip
 * @tail_ns: Tail_Loss_Time, ns; 0: three base RTTs
 * @credit_run: bytes of credit that a source gets in a turn; 0: a quantum
 * @credit_rate: part of the rate that is granted as credit, thousandths
 * @keeps_start: first windows do not depend on the number of destinations
 * @track: PSNs tracked by a PDC; 0: as many as needed
 * @is_cold: PDCs are opened by the first packets of the first flow
 * @has_own_pdcs: each flow has a PDC of its own, as if each message had a socket of its own
 * @setting: other parameters of PDCs and contexts
 * @nr_settings: number of these
 * @short_bytes: flows up to this size are urgent, bytes
 * @urgent_prio: flows of a matrix with a prio below this are urgent
 * @host_buffer: bytes that a slow host stores
 * @loss_ppm: data packets that are lost on the cables of their sources, of a million
 * @link_loss_ppm: packets of all kinds that each link loses, of a million
 * @jitter_us: these cables delay data packets by a random time of up to twice this, us,
 *	except every fifth, which overtakes
 * @faults: faulty cables, slow hosts, and switches that are off
 * @nr_faults: number of these
 * @settle_us: simulated time from which delays and queues are measured, us
 * @seed: seed of all random choices
 * @end_us: simulated time after which the run ends, us
 */
struct fab_params {
	struct fab_shape shape;
	u32 rails;
	struct fab_tier_cfg tier[FAB_TIERS_MAX];
	u32 packet;
	bool trims;
	bool has_pfc;
	u32 pfc_xoff;
	u32 pfc_xon;
	u32 pfc_headroom;
	u32 queue_pkts;
	u32 ecn_low;
	u32 ecn_high;
	u32 ecn_max;
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
	bool has_own_pdcs;
	struct fab_setting setting[FAB_SETTINGS_MAX];
	u32 nr_settings;
	u64 short_bytes;
	u32 urgent_prio;
	u32 host_buffer;
	u32 loss_ppm;
	u32 link_loss_ppm;
	u32 jitter_us;
	struct fab_fault faults[FAB_FAULTS_MAX];
	u32 nr_faults;
	u64 settle_us;
	u64 seed;
	u64 end_us;
};

void fab_params_default(struct fab_params *par);

void fab_setting_names(FILE *out);
const char *fab_setting_read(struct fab_params *par, const char *word,
			     char why[160]);
void fab_settings_pdc(const struct fab_params *par, struct uet_pdc_cfg *cfg);
void fab_settings_cms(const struct fab_params *par,
		      const struct uet_pdc_cfg *pdc, struct uet_cc_cfg *cc,
		      struct uet_ev_cfg *ev);

/**
 * struct fab_count - counters of a run
 * @packets: packets with payload sent for the first time
 * @resent: packets retransmitted
 * @trims: packets trimmed
 * @drops: packets dropped at a full queue
 * @host_drops: packets dropped by hosts whose buffer was full
 * @dead: packets lost on dead links, in switches that are off, or by chance
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
 * @pauses: pause frames of PFC
 * @paused_ps: time that ports paused, sum of all, ps
 * @queue_max: maximum length of a data queue, bytes
 */
struct fab_count {
	u64 packets;
	u64 resent;
	u64 trims;
	u64 drops;
	u64 host_drops;
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
	u64 pauses;
	u64 paused_ps;
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
 * @queue_bytes: capacity of a data queue, bytes, unless its link has another
 * @ecn_low: queue length above which packets may be marked, bytes
 * @ecn_high: queue length above which all packets are marked, bytes
 * @settled: time from which delays and queues are measured, ps
 * @link: kinds of links, FAB_LINK() and those with faults
 * @port: all ports
 * @nr_ports: number of ports
 * @plane: planes, by rail
 * @salt: hash salt, by switch
 * @pkt: memory of all packets
 * @nr_pkts: number of packets ever allocated
 * @free: first free packet
 * @pfc: stored bytes of each cable, by port; NULL: no PFC
 * @pfc_from: port on whose cable a stored packet came, by packet
 * @host: hosts, by place
 * @receiver: buffers of hosts, by place; NULL: no host is ever slow
 * @pdc_mem: memory of PDCs
 * @cms_mem: memory of congestion control
 * @sent_mem: memory of send times
 * @chan: channels
 * @roce: RoCE connections in place of PDCs, by channel; NULL: PDCs
 * @nr_chans: number of channels
 * @chan_map: hash table of channels by addresses
 * @map_space: size of @chan_map
 * @flow: flows
 * @nr_flows: number of flows
 * @trigger: triggers, by number
 * @nr_triggers: number of triggers; 0: no flow waits for another
 * @left: number of incomplete flows that have an end
 * @bytes: bytes of all flows that have an end
 * @acked: acknowledged bytes of these, and of all flows without
 * @cfg: parameters of all PDCs
 * @cc: constants of all contexts
 * @ev: configuration of the entropy selectors
 * @idle_ccc: context of all targets
 * @pacer: pacers, by host; NULL: credit is not used
 * @count: counters
 * @trace: output over time; NULL
 * @watch: called from time to time; may set @why; NULL
 * @watch_arg: for @watch
 * @why: reason why the run ended early; NULL
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
	struct fab_link link[FAB_LINKS_MAX];
	struct fab_port *port;
	u32 nr_ports;
	struct fab_plane plane[FAB_RAILS_MAX];
	u32 *salt;
	struct fab_packet *pkt;
	u32 nr_pkts;
	u32 free;
	struct fab_pfc *pfc;
	u32 *pfc_from;
	struct fab_host *host;
	struct fab_receiver *receiver;
	struct fab_arena pdc_mem;
	struct fab_arena cms_mem;
	struct fab_arena sent_mem;
	struct fab_chan *chan;
	struct fab_roce *roce;
	u32 nr_chans;
	u32 *chan_map;
	u32 map_space;
	struct fab_flow *flow;
	u32 nr_flows;
	struct fab_trigger *trigger;
	u32 nr_triggers;
	u32 left;
	u64 bytes;
	u64 acked;
	struct uet_pdc_cfg cfg;
	struct uet_cc_param cc;
	struct uet_ev_cfg ev;
	struct uet_ccc idle_ccc;
	struct fab_pacer *pacer;
	struct fab_count count;
	struct fab_trace *trace;
	void (*watch)(struct fab *fab, void *arg);
	void *watch_arg;
	const char *why;
};

void fab_init(struct fab *fab, const struct fab_params *par);
bool fab_run(struct fab *fab);
void fab_fini(struct fab *fab);
void *fab_grow(void *array, u32 nr, size_t size);

#endif
