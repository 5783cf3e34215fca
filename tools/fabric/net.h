/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network of the fabric simulator: packets, ports with their queues, and
 * the shape that joins them.  Level: test.
 */
#ifndef UET_FABRIC_NET_H
#define UET_FABRIC_NET_H

#include "core/shim.h"

struct fab;
struct fab_params;

#define FAB_NONE	U32_MAX		/* no packet, flow or channel */
#define FAB_HEADER	64		/* bytes in front of a payload */
#define FAB_CONTROL	64		/* bytes of any other packet */
#define FAB_PDS_MAX	32		/* bytes of a PDS header: ACK_CC */

#define FAB_HOSTS_MAX	65536
#define FAB_RAILS_MAX	8
#define FAB_FAULTS_MAX	64

/**
 * struct fab_shape - a Clos network
 * @tiers: 2, or 3 with cores
 * @pods: pods; 1 with two tiers
 * @tors: ToR switches of a pod
 * @hosts: hosts of a ToR
 * @aggs: switches above the ToRs of a pod, each with a link to each of them
 * @ups: cores above each of these; a core has a link to one of each pod
 */
struct fab_shape {
	u32 tiers;
	u32 pods;
	u32 tors;
	u32 hosts;
	u32 aggs;
	u32 ups;
};

/**
 * struct fab_fault - a cable that is not as good as the others
 * @above_agg: between an agg and a core, else between a ToR and an agg
 * @rail: of which plane
 * @node: number of the lower switch in its plane
 * @up: number of its uplink
 * @percent: of the rate that is left; 0 it is dead, and nobody knows
 */
struct fab_fault {
	bool above_agg;
	u32 rail;
	u32 node;
	u32 up;
	u32 percent;
};

#define FAB_P_DATA	0x01	/* may be trimmed, low priority */
#define FAB_P_CE	0x02
#define FAB_P_TRIMMED	0x04
#define FAB_P_LASTHOP	0x08	/* trimmed in front of the receiver */

/**
 * struct fab_packet - a packet, in one cache line
 * @next: in a queue, or among those that are free
 * @prev: in a queue
 * @port: that it leaves or has left by
 * @chan: channel it belongs to
 * @flow: whose payload it has
 * @dst: host it is for
 * @bytes: on the wire
 * @payload: of these, payload; what it was, when trimmed
 * @ev: entropy value
 * @flags: FAB_P_*
 * @rail: plane it is in
 * @pds: PDS header, as it is on the wire
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

/* Classes of service.  The first is served first, whatever waits in others. */
enum fab_class {
	FAB_C_CONTROL,
	FAB_C_DATA,
	FAB_C_NR,
};

/**
 * struct fab_queue - packets that wait in a port
 * @head: oldest, FAB_NONE if there is none
 * @tail: youngest
 * @bytes: of all of them and of the one that is being sent
 */
struct fab_queue {
	u32 head;
	u32 tail;
	u32 bytes;
};

/* Where the cable of a port leads. */
enum fab_tier {
	FAB_T_HOST,
	FAB_T_TOR,
	FAB_T_AGG,
	FAB_T_CORE,
};

/**
 * struct fab_port - one direction of a cable, and the queues in front of it
 * @queue: by class
 * @sending: packet that is being sent, or FAB_NONE
 * @peer: number of the node at the other end, in its tier and plane
 * @byte_ps: time a byte takes; a fault makes it more
 * @tier: of @peer, enum fab_tier
 * @is_nic: of a host: its data comes from channels
 * @is_dead: what leaves by it gets lost
 * @run: NIC: control packets sent since the last one of data
 * @full_lane: of a full packet's time
 * @control_lane: of a control packet's time
 * @rail: plane
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

/**
 * struct fab_plane - the network of one rail
 * @nic: number of its first port, that of host 0's NIC
 * @tor: of its first port of a ToR: to its hosts, then to the aggs
 * @agg: of an agg: to the ToRs of its pod, then to its cores
 * @core: of a core: to the pods
 * @salt: of its first switch, ToRs, then aggs, then cores
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
