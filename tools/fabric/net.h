/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network of the fabric simulator: packets, ports with their queues, and the
 * topology that connects the ports.  Level: test.
 */
#ifndef UET_FABRIC_NET_H
#define UET_FABRIC_NET_H

#include "core/shim.h"
#include "rng.h"

struct fab;
struct fab_params;

#define FAB_NONE	U32_MAX		/* no packet, flow or channel */
#define FAB_HEADER	64		/* header bytes of a data packet */
#define FAB_CONTROL	64		/* bytes of a packet without payload */
#define FAB_PDS_MAX	32		/* bytes of a PDS header: ACK_CC */

#define FAB_HOSTS_MAX	131072
#define FAB_RAILS_MAX	16
#define FAB_FAULTS_MAX	64
#define FAB_TIERS_MAX	3
#define FAB_BUNDLE_MAX	64

/**
 * struct fab_shape - a Clos network
 * @tiers: 2, or 3 with cores
 * @pods: pods; 1 with two tiers
 * @tors: ToR switches per pod
 * @hosts: hosts per ToR
 * @aggs: switches above the ToRs of a pod, each linked to each of them
 * @ups: cores above each agg; a core is linked to one agg of each pod
 * @tor_bundle: parallel links between a ToR and an agg
 * @agg_bundle: parallel links between an agg and a core
 * @gpus: hosts of a server, each on a ToR of its own (rail-optimised); 1: neighbours
 *	share a ToR
 */
struct fab_shape {
	u32 tiers;
	u32 pods;
	u32 tors;
	u32 hosts;
	u32 aggs;
	u32 ups;
	u32 tor_bundle;
	u32 agg_bundle;
	u32 gpus;
};

/**
 * struct fab_tier_cfg - the switches of a tier and the links below them
 * @mbps: rate of a link, Mb/s
 * @wire_ps: propagation delay of a link, ps
 * @switch_ps: time that a packet needs to cross a switch, ps
 * @up_bytes: capacity of the queues of uplinks, bytes; 0: that of the run
 * @down_bytes: the same of downlinks
 */
struct fab_tier_cfg {
	u32 mbps;
	u64 wire_ps;
	u64 switch_ps;
	u32 up_bytes;
	u32 down_bytes;
};

/* Kinds of nodes. */
enum fab_tier {
	FAB_T_HOST,
	FAB_T_TOR,
	FAB_T_AGG,
	FAB_T_CORE,
};

/* The cables, by the node at their lower end; the receive path of a host; a switch. */
enum fab_cable {
	FAB_CABLE_HOST,
	FAB_CABLE_TOR,
	FAB_CABLE_AGG,
	FAB_CABLE_NR,
	FAB_RECEIVER = FAB_CABLE_NR,
	FAB_SWITCH,
};

#define FAB_WAY_UP	0x01	/* towards the cores */
#define FAB_WAY_DOWN	0x02	/* towards the hosts */

/**
 * struct fab_fault - a cable that is slower than the others, loses packets, or is dead; a
 *	slow host; or a switch that is off
 * @cable: kind of cable, FAB_RECEIVER, or FAB_SWITCH
 * @tier: tier of a switch
 * @ways: faulty directions, FAB_WAY_*
 * @rail: plane of the cable
 * @node: number of the lower node, or of the switch, in its plane
 * @up: number of the uplink of that node
 * @percent: remaining percentage of the rate; 0: dead, without notification
 * @is_scaled: the queue and its marks shrink with the rate
 * @loss_ppm: packets that the cable loses at random, of a million
 * @bleaches: the cable clears the ECN field of packets
 * @from: begin of the fault, ps since the start of the run
 * @until: end of the fault, ps since the start of the run; UET_NEVER
 * @mtbf: the fault comes and goes: mean time without it, ps; 0: it stays
 * @outage: how long it lasts each time, ps
 * @rng: random times without the fault
 */
struct fab_fault {
	enum fab_cable cable;
	enum fab_tier tier;
	u32 ways;
	u32 rail;
	u32 node;
	u32 up;
	u32 percent;
	bool is_scaled;
	u32 loss_ppm;
	bool bleaches;
	u64 from;
	u64 until;
	u64 mtbf;
	u64 outage;
	struct fab_rng rng;
};

const char *fab_fault_read(struct fab_fault *fault, const char *text);
const char *fab_slow_host_read(struct fab_fault *fault, const char *text);
const char *fab_reboot_read(struct fab_fault *fault, const char *text);
bool fab_fault_exists(const struct fab_params *par,
		      const struct fab_fault *fault);
const char *fab_fault_object(const struct fab_fault *fault);
void fab_faults_begin(struct fab *fab);
void fab_fault_event(struct fab *fab, u32 arg);

#define FAB_P_DATA	0x01	/* may be trimmed, low priority */
#define FAB_P_CE	0x02
#define FAB_P_TRIMMED	0x04
#define FAB_P_LASTHOP	0x08	/* trimmed at the last hop */
#define FAB_P_URGENT	0x10	/* data of the urgent class */
#define FAB_P_LOST	0x20	/* its switch went off while it was being sent */
#define FAB_P_BLEACHED	0x40	/* not ECN-capable any more: switches do not mark it */

/**
 * struct fab_packet - a packet, in one cache line
 * @next: next packet in a queue or in the free list
 * @prev: previous packet in a queue
 * @port: port that sends or last sent the packet
 * @chan: channel of the packet
 * @flow: flow of the payload
 * @dst: destination host
 * @bytes: bytes on the wire
 * @payload: payload bytes; for a trimmed packet, the original value
 * @ev: entropy value
 * @flags: FAB_P_*
 * @rail: plane of the packet
 * @pds: PDS header in wire format
 */
struct fab_packet {
	u32 next;
	u32 prev;
	u32 port;
	u32 chan;
	u32 flow;
	u32 dst;
	u16 bytes;
	u16 payload;
	u16 ev;
	u8 flags;
	u8 rail;
	u8 pds[FAB_PDS_MAX];
};

static_assert(sizeof(struct fab_packet) == 64);

/* Reserved address space, in packets; memory is allocated on first use. */
#define FAB_PACKETS_MAX	(1ULL << 25)

u32 fab_packet_new(struct fab *fab);
void fab_packet_free(struct fab *fab, u32 pkt);
void fab_packets_fini(struct fab *fab);

/* Queues of a port in strict priority; the first has the highest priority. */
enum fab_class {
	FAB_C_CONTROL,
	FAB_C_URGENT,
	FAB_C_DATA,
	FAB_C_NR,
};

/**
 * struct fab_queue - packets that wait in a port
 * @head: oldest packet, FAB_NONE if the queue is empty
 * @tail: youngest packet
 * @bytes: bytes of all queued packets and of the packet being sent
 */
struct fab_queue {
	u32 head;
	u32 tail;
	u32 bytes;
};

/**
 * struct fab_link - what ports of the same kind have in common
 * @byte_ps: time per byte, ps
 * @queue_bytes: capacity of a queue for data, bytes; a control queue has twice as much
 * @ecn_low: queue length above which packets may be marked, bytes
 * @ecn_high: queue length above which all packets are marked, bytes
 * @delay_ps: from the last bit sent to the arrival in a queue of the next node, ps
 * @full_lane: lane for the duration of a full packet
 * @control_lane: lane for the duration of a control packet
 * @delay_lane: lane for @delay_ps
 * @loss_ppm: packets lost at random, of a million
 * @is_dead: all packets are lost
 * @bleaches: the ECN field of packets is cleared
 */
struct fab_link {
	u32 byte_ps;
	u32 queue_bytes;
	u32 ecn_low;
	u32 ecn_high;
	u64 delay_ps;
	u8 full_lane;
	u8 control_lane;
	u8 delay_lane;
	bool is_dead;
	bool bleaches;
	u32 loss_ppm;
};

/* Kinds of links: a cable and a direction; then two for each fault. */
#define FAB_LINK(cable, is_down)	(2 * (cable) + (is_down))
#define FAB_LINKS_MAX			(2 * (FAB_CABLE_NR + FAB_FAULTS_MAX))

/**
 * struct fab_port - one direction of a cable, with its queues
 * @queue: queues, by class
 * @sending: packet that is being sent, or FAB_NONE
 * @peer: number of the node at the other end, in its tier and plane
 * @tier: tier of @peer, enum fab_tier
 * @is_nic: port of a host: data comes from channels
 * @is_off: the switch of the port is off
 * @is_paused: PFC: the port sends control packets only
 * @run: NIC: control packets sent since the last data packet
 * @link: number of its struct fab_link
 * @rail: plane of the port
 */
struct fab_port {
	struct fab_queue queue[FAB_C_NR];
	u32 sending;
	u32 peer;
	u8 tier;
	bool is_nic;
	bool is_off;
	bool is_paused;
	u8 run;
	u8 link;
	u8 rail;
} __aligned(64);

static_assert(sizeof(struct fab_port) == 64);
static_assert(FAB_LINKS_MAX <= U8_MAX);

void fab_port_send(struct fab *fab, u32 port, u32 pkt);
void fab_port_start(struct fab *fab, u32 port);
void fab_port_off(struct fab *fab, u32 port);
void fab_port_sent(struct fab *fab, u32 port);
u32 fab_port_control(struct fab *fab, struct fab_port *port);

const char *fab_pfc_read(struct fab_params *par, const char *text);
void fab_pfc_init(struct fab *fab);
bool fab_pfc_hold(struct fab *fab, u32 pkt);
void fab_pfc_release(struct fab *fab, u32 pkt);
void fab_pfc_event(struct fab *fab, u32 arg);
void fab_pfc_count(struct fab *fab);
void fab_pfc_fini(struct fab *fab);

/**
 * struct fab_plane - the network of one rail
 * @nic: number of the first NIC port, which belongs to host 0
 * @tor: first port of the ToRs: per ToR the hosts, then the links to the aggs
 * @agg: first port of the aggs: per agg the links to the ToRs of its pod, then those to
 *	its cores
 * @core: first port of the cores: per core the links to the pods
 * @salt: index of the first salt: ToRs, then aggs, then cores
 */
struct fab_plane {
	u32 nic;
	u32 tor;
	u32 agg;
	u32 core;
	u32 salt;
};

u32 fab_shape_hosts(const struct fab_shape *shape);
u32 fab_shape_tor_ports(const struct fab_shape *shape);
u32 fab_shape_agg_ports(const struct fab_shape *shape);
u32 fab_shape_place(const struct fab_shape *shape, u32 host);
u32 fab_shape_host(const struct fab_shape *shape, u32 place);
bool fab_shape_fat_tree(struct fab_shape *shape, u32 tiers, u32 hosts,
			u32 oversub);
void fab_tiers_set(struct fab_params *par, u32 mbps, u64 wire_ps);
u64 fab_base_rtt(const struct fab_params *par);
u64 fab_bdp(const struct fab_params *par);
void fab_links_init(struct fab *fab);
void fab_link_fault(struct fab *fab, u32 nr, const struct fab_fault *fault);
void fab_shape_build(struct fab *fab);
void fab_port_name(const struct fab *fab, u32 port, char name[40]);
u32 fab_route(const struct fab *fab, const struct fab_port *port,
	      const struct fab_packet *p);

#endif
