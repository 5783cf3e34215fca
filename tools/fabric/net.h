/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network of the fabric simulator: packets, ports with their queues, and the
 * topology that connects the ports.  Level: test.
 */
#ifndef UET_FABRIC_NET_H
#define UET_FABRIC_NET_H

#include "core/shim.h"

struct fab;
struct fab_params;

#define FAB_NONE	U32_MAX		/* no packet, flow or channel */
#define FAB_HEADER	64		/* header bytes of a data packet */
#define FAB_CONTROL	64		/* bytes of a packet without payload */
#define FAB_PDS_MAX	32		/* bytes of a PDS header: ACK_CC */

#define FAB_HOSTS_MAX	65536
#define FAB_RAILS_MAX	8
#define FAB_FAULTS_MAX	64

/**
 * struct fab_shape - a Clos network
 * @tiers: 2, or 3 with cores
 * @pods: pods; 1 with two tiers
 * @tors: ToR switches per pod
 * @hosts: hosts per ToR
 * @aggs: switches above the ToRs of a pod, each with a link to each of them
 * @ups: cores above each agg; a core has a link to one agg of each pod
 */
struct fab_shape {
	u32 tiers;
	u32 pods;
	u32 tors;
	u32 hosts;
	u32 aggs;
	u32 ups;
};

/* The cables, by the node at their lower end. */
enum fab_cable {
	FAB_CABLE_HOST,
	FAB_CABLE_TOR,
	FAB_CABLE_AGG,
};

#define FAB_WAY_UP	0x01	/* towards the cores */
#define FAB_WAY_DOWN	0x02	/* towards the hosts */

/**
 * struct fab_fault - a cable that is slower than the others, or dead
 * @cable: kind of cable
 * @ways: faulty directions, FAB_WAY_*
 * @rail: plane of the cable
 * @node: number of the lower node in its plane
 * @up: number of the uplink of that node
 * @percent: remaining percentage of the rate; 0: dead, without notification
 * @from: begin of the fault, ps since the start of the run
 * @until: end of the fault, ps since the start of the run; UET_NEVER
 */
struct fab_fault {
	enum fab_cable cable;
	u32 ways;
	u32 rail;
	u32 node;
	u32 up;
	u32 percent;
	u64 from;
	u64 until;
};

const char *fab_fault_read(struct fab_fault *fault, const char *text);
bool fab_fault_exists(const struct fab_params *par,
		      const struct fab_fault *fault);
void fab_faults_init(struct fab *fab);
void fab_fault_event(struct fab *fab, u32 arg);

#define FAB_P_DATA	0x01	/* may be trimmed, low priority */
#define FAB_P_CE	0x02
#define FAB_P_TRIMMED	0x04
#define FAB_P_LASTHOP	0x08	/* trimmed at the last hop */

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

u32 fab_packet_new(struct fab *fab);
void fab_packet_free(struct fab *fab, u32 pkt);
void fab_packets_fini(struct fab *fab);

/* Classes of service in strict priority; the first class has the highest priority. */
enum fab_class {
	FAB_C_CONTROL,
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

/* Kind of node at the other end of a port's cable. */
enum fab_tier {
	FAB_T_HOST,
	FAB_T_TOR,
	FAB_T_AGG,
	FAB_T_CORE,
};

/**
 * struct fab_port - one direction of a cable, with its queues
 * @queue: queues, by class
 * @sending: packet that is being sent, or FAB_NONE
 * @peer: number of the node at the other end, in its tier and plane
 * @byte_ps: time per byte, ps; increased by a fault
 * @tier: tier of @peer, enum fab_tier
 * @is_nic: port of a host: data comes from channels
 * @is_dead: all packets sent by the port are lost
 * @run: NIC: control packets sent since the last data packet
 * @full_lane: lane for the duration of a full packet
 * @control_lane: lane for the duration of a control packet
 * @rail: plane of the port
 */
struct fab_port {
	struct fab_queue queue[FAB_C_NR];
	u32 sending;
	u32 peer;
	u32 byte_ps;
	u8 tier;
	bool is_nic;
	bool is_dead;
	u8 run;
	u8 full_lane;
	u8 control_lane;
	u8 rail;
} __aligned(64);

void fab_port_send(struct fab *fab, u32 port, u32 pkt);
void fab_port_start(struct fab *fab, u32 port);
void fab_port_sent(struct fab *fab, u32 port);
u32 fab_port_control(struct fab *fab, struct fab_port *port);
void fab_port_rate(struct fab *fab, u32 port, u32 percent);

/**
 * struct fab_plane - the network of one rail
 * @nic: number of the first NIC port, which belongs to host 0
 * @tor: first port of the ToRs: per ToR the hosts, then the aggs
 * @agg: first port of the aggs: per agg the ToRs of its pod, then its cores
 * @core: first port of the cores: per core the pods
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
bool fab_shape_fat_tree(struct fab_shape *shape, u32 tiers, u32 hosts,
			u32 oversub);
u64 fab_base_rtt(const struct fab_params *par);
u64 fab_bdp(const struct fab_params *par);
void fab_shape_build(struct fab *fab);
u32 fab_route(const struct fab *fab, const struct fab_port *port,
	      const struct fab_packet *p);

#endif
