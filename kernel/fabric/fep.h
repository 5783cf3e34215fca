/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FEPs: fabric endpoints.  A FEP has one fabric address, one Payload MTU, one or more
 * rails and the carrier that receives its packets.  The FEP owns the tables of its PDCs
 * and of the endpoints bound to the FEP.
 */
#ifndef UET_FEP_H
#define UET_FEP_H

#include <linux/atomic.h>
#include <linux/if.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <uapi/linux/uet_nl.h>

#include "base/base.h"
#include "core/cms/ev.h"
#include "core/pds/pds.h"
#include "core/ses/amo.h"

struct net_device;
struct netlink_ext_ack;
struct sk_buff;
struct socket;
struct uet_carrier;
struct uet_cc_cfg;
struct uet_ep_table;
struct uet_fep;
struct uet_fep_cms;
struct uet_net;
struct uet_pdc_table;
struct uet_rail;
struct uet_rudi_cfg;
struct uet_sd;

#define UET_NAME_MAX		(UET_NAME_LEN_MAX + 1)	/* including the NUL */
#define UET_DSCP_MAX		63			/* 6 bits */

/* Packet class, which selects the DSCP.  Spec: UE 1.0.1 3.6.4.7. */
enum uet_class {
	UET_CLASS_REQUEST,	/* sent for the first time */
	UET_CLASS_RETX,
	UET_CLASS_CONTROL,	/* ACK, NACK or control packet */
	UET_CLASS_NR,
};

/* Counters of a FEP, a job or a peer. */
enum uet_traffic_counter {
	UET_TRAFFIC_PDCS,		/* opened or accepted */
	UET_TRAFFIC_FAILED_PDCS,
	UET_TRAFFIC_TX_MESSAGES,	/* answered with success */
	UET_TRAFFIC_FAILED_MESSAGES,
	UET_TRAFFIC_TX_BYTES,		/* of TX_MESSAGES */
	UET_TRAFFIC_TX_PACKETS,		/* requests sent for the first time */
	UET_TRAFFIC_TX_RETX,		/* requests sent again */
	UET_TRAFFIC_RX_MESSAGES,	/* delivered to a socket */
	UET_TRAFFIC_RX_BYTES,		/* of requests accepted, and read from peers */
	UET_TRAFFIC_RX_PACKETS,		/* new requests */
	UET_TRAFFIC_RX_DUPS,		/* requests received again */
	UET_TRAFFIC_TIMEOUTS,		/* of retransmissions */
	UET_TRAFFIC_DROPS,		/* packets not used or not sent; FEPs only */
	UET_TRAFFIC_NR,
};

/**
 * struct uet_traffic - what a FEP, a job or a peer has sent and received
 * @n: by enum uet_traffic_counter
 *
 * PDCs count under their locks, and add what is new when somebody asks and when they end, see
 * pdc/pdc_traffic.c.
 */
struct uet_traffic {
	atomic64_t n[UET_TRAFFIC_NR];
};

static inline void uet_traffic_add(struct uet_traffic *traffic,
				   enum uet_traffic_counter which, u64 n)
{
	atomic64_add(n, &traffic->n[which]);
}

/* A message was sent without a PDC. */
static inline void uet_traffic_sent(struct uet_traffic *traffic, u32 bytes)
{
	uet_traffic_add(traffic, UET_TRAFFIC_TX_MESSAGES, 1);
	uet_traffic_add(traffic, UET_TRAFFIC_TX_BYTES, bytes);
}

/* A message was received without a PDC. */
static inline void uet_traffic_received(struct uet_traffic *traffic, u32 bytes)
{
	uet_traffic_add(traffic, UET_TRAFFIC_RX_MESSAGES, 1);
	uet_traffic_add(traffic, UET_TRAFFIC_RX_BYTES, bytes);
}

/*
 * struct uet_fep_cfg - configuration of a FEP
 * @name: unique in the namespace, as @fa
 * @mtu: Payload MTU, UET_MTU_MIN to UET_MTU_MAX bytes; 0: to be chosen
 * @port: UDP port, host order (UDP_Dest_Port); 0 without UDP
 * @crc: append and require the UET CRC (UET_Data_Protect 1)
 * @ifindex: interface indexes of the rails
 * @nr_rails: their number
 * @proto: IP protocol: UDP, or the protocol of native IP (IP_Proto_Nxt_Hdr)
 * @sd: secure domain, or NULL; with a secure domain the FEP seals all packets and
 *	drops unsealed packets
 * @protect_len: length of the CRC, or of the security header and the ICV, bytes per
 *	packet; set by uet_config_add_fep()
 */
struct uet_fep_cfg {
	char name[UET_NAME_MAX];
	struct uet_fa fa;
	u16 mtu;
	u16 port;
	bool crc;
	int ifindex[UET_FEP_RAILS_MAX];
	u8 nr_rails;
	enum uet_encap encap;
	u8 proto;
	struct uet_sd *sd;
	u16 protect_len;
};

/*
 * struct uet_fep_settings - parameters of a FEP that can change at run time
 * @pdc: parameters of new PDCs; @pdc.has_cc: contexts are needed
 * @dscp: DSCP of sent packets, by enum uet_class, 6 bits each
 * @dscp_trimmed: DSCP of packets trimmed by a switch, or UET_DSCP_NONE
 * @dscp_trimmed_lasthop: DSCP of packets trimmed by the last switch, or UET_DSCP_NONE
 * @headers: header format of new messages, enum uet_headers
 * @cc: algorithm of new congestion control contexts, enum uet_cc_algo
 * @paths: path policy of new congestion control contexts, enum uet_paths
 * @refs: one for the FEP, one for each PDC opened with them
 *
 * Immutable once published.  A change publishes a new object, so a reader under RCU never
 * observes part of a change.
 */
struct uet_fep_settings {
	struct uet_pdc_cfg pdc;
	u8 dscp[UET_CLASS_NR];
	u8 dscp_trimmed;
	u8 dscp_trimmed_lasthop;
	u8 headers;
	u8 cc;
	u8 paths;
	refcount_t refs;
	struct rcu_head rcu;
};

/**
 * struct uet_fep_rcv - the receive path above the carrier
 * @packet: receive a packet or a burst; @skb begins with the carrier header, and
 *	skb_network_header() is its IP header; consumes @skb
 * @trimmed: receive a packet trimmed by a switch, like @packet; nack_code is the code
 *	of the NACK to send
 * @icmp: receive an ICMP error; @skb begins with the quoted IP header, and offset is
 *	the offset of the carrier header, bytes; does not consume @skb
 *
 * Context of each: softirq, rcu_read_lock() held.
 */
struct uet_fep_rcv {
	void (*packet)(struct uet_fep *fep, struct sk_buff *skb);
	void (*trimmed)(struct uet_fep *fep, struct sk_buff *skb, u8 nack_code);
	void (*icmp)(struct uet_fep *fep, struct sk_buff *skb, u32 offset);
};

/*
 * struct uet_gone_rail - what a FEP knows of a rail that is gone
 * @name: last name of the netdev
 */
struct uet_gone_rail {
	char name[IFNAMSIZ];
	u32 plane;
};

/*
 * struct uet_fep - a fabric endpoint
 * @number: index in uet_net.feps while listed; not used again soon
 * @by_fa: entry in uet_net.feps_by_fa, RCU
 * @ending: entry in uet_net.ending, once the FEP is not listed any more
 * @cfg: immutable once published
 * @min_mtu: minimum MTU of a netdev for a full packet, bytes; grows with the first setting that
 *	makes headers longer; written under uet_net.rail_mutex, READ_ONCE elsewhere
 * @rail: rails in the order of cfg.ifindex; NULL: removed, or beyond cfg.nr_rails; RCU pointers,
 *	written under uet_net.rail_mutex
 * @usable: bit i: rail[i] may carry packets; written under uet_net.rail_mutex, READ_ONCE in
 *	uet_fep_slot_of()
 * @carrier: open from before publication until deletion
 * @head_len: length of the carrier header, bytes; immutable
 * @udp: socket bound to {FA, port} with UDP encapsulation; the carrier writes @udp when it opens
 *	and closes
 * @pmtu_sk: socket for packets larger than the path MTU that IP learnt from ICMP, see carrier.c;
 *	RCU pointer, written like @udp
 * @rcv: handlers of the packets that the carrier receives; immutable
 * @pdcs: table of PDCs, owned by pdc/
 * @eps: table of endpoints, owned by endpoint/
 * @cms: congestion control contexts and the pacer, owned by cms/
 * @settings: RCU pointer, never NULL, written under both mutexes of uet_net; freed with the FEP,
 *	or a grace period after its replacement
 * @wants_trimmed: the FEP is counted in uet_net.nr_wants_trimmed; under uet_net.cfg_mutex
 * @replies: rate limit of answers to packets without a PDC
 * @early_bytes: memory of the requests that rx/ keeps until earlier ones arrive, bytes
 * @refs: one for uet_net.feps, one for each PDC, RUDI peer, bound endpoint and job
 * @dead: no new PDC or endpoint; written under uet_net.cfg_mutex, READ_ONCE elsewhere
 * @pings: number of netlink ping requests without a result
 * @gone_rail: the rails that are gone, by slot; written under uet_net.rail_mutex before the rail
 *	leaves @rail
 * @traffic: counters, as far as they were collected from PDCs
 *
 * Deletion: config/life.c unlists the FEP, sets @dead, closes the carrier, waits for a grace
 * period (no more packets), kills RUDI requests and PDCs, waits for another one, shuts the pacer
 * and destroys the tables.  The last uet_fep_put() frees the FEP, @pdcs, @eps and @cms after
 * another grace period.
 */
struct uet_fep {
	u32 number;
	struct hlist_node by_fa;
	struct list_head ending;
	struct uet_net *un;
	struct uet_fep_cfg cfg;
	u32 min_mtu;
	struct uet_rail __rcu *rail[UET_FEP_RAILS_MAX];
	unsigned long usable;
	const struct uet_carrier *carrier;
	u32 head_len;
	struct socket *udp;
	struct sock __rcu *pmtu_sk;
	const struct uet_fep_rcv *rcv;
	struct uet_pdc_table *pdcs;
	struct uet_ep_table *eps;
	struct uet_fep_cms *cms;
	struct uet_fep_settings __rcu *settings;
	bool wants_trimmed;
	struct uet_limit replies;
	atomic_t early_bytes;
	refcount_t refs;
	bool dead;
	struct rcu_head rcu;
	atomic_t pings;
	struct uet_gone_rail gone_rail[UET_FEP_RAILS_MAX];
	struct uet_traffic traffic;
};

void uet_fep_choose_mtu(struct uet_net *un, struct uet_fep_cfg *cfg,
			const struct uet_fep_settings *settings);
int uet_fep_check(struct uet_net *un, const struct uet_fep_cfg *cfg,
		  const struct uet_fep_settings *settings, struct netlink_ext_ack *extack);
struct uet_fep *uet_fep_alloc(struct uet_net *un, const struct uet_fep_cfg *cfg,
			      const struct uet_fep_settings *settings);
int uet_fep_list(struct uet_fep *fep, struct netlink_ext_ack *extack);
void uet_fep_unlist(struct uet_fep *fep);
struct uet_fep *uet_fep_find(struct uet_net *un, const char *name);
int uet_fep_raise_min_mtu(struct uet_fep *fep, const struct uet_fep_settings *settings,
			  struct netlink_ext_ack *extack);
struct uet_fep *uet_fep_find_fa(struct uet_net *un, const struct uet_fa *fa);
struct uet_fep *uet_fep_find_rail(struct uet_net *un, const struct uet_rail *rail);
int uet_fep_cfg_of_dev(const struct net_device *dev, struct uet_fep_cfg *cfg);
void uet_fep_get(struct uet_fep *fep);
void uet_fep_put(struct uet_fep *fep);
bool uet_fep_refresh_rail(struct uet_fep *fep, struct uet_rail *rail);
bool uet_fep_forget_rail(struct uet_fep *fep, struct uet_rail *rail);
enum uet_rail_state uet_fep_rail_state(const struct uet_fep *fep, const struct uet_rail *rail);
int uet_fep_slot_of(const struct uet_fep *fep, u8 lane, unsigned long avoid);

/* fep_set.c */
int uet_fep_settings_check(const struct uet_fep_settings *settings, struct netlink_ext_ack *extack);
bool uet_fep_settings_trim(const struct uet_fep_settings *settings);
bool uet_fep_settings_is_paced(const struct uet_fep_settings *settings);
const struct uet_fep_settings *uet_fep_settings(const struct uet_fep *fep);
struct uet_fep_settings *uet_fep_settings_dup(const struct uet_fep_settings *settings);
struct uet_fep_settings *uet_fep_settings_get(const struct uet_fep *fep);
void uet_fep_settings_put(struct uet_fep_settings *settings);
void uet_fep_pdc_cfg(const struct uet_fep *fep, struct uet_pdc_cfg *cfg);
void uet_fep_rudi_cfg(const struct uet_fep *fep, struct uet_rudi_cfg *cfg);
bool uet_fep_paces_credit(const struct uet_fep *fep);
struct uet_amo_form uet_fep_amo_form(const struct uet_fep *fep);
u32 uet_fep_job(const struct uet_fep *fep, u32 job);
void uet_fep_publish(struct uet_fep *fep, struct uet_fep_settings *settings);
u8 uet_fep_paths(const struct uet_fep_settings *settings);
void uet_fep_cc_cfg(const struct uet_fep_settings *settings, u32 rate_mbps, u32 mtu,
		    struct uet_cc_cfg *cfg);
u8 uet_fep_cc_algo(const struct uet_cc_cfg *cfg);
u32 uet_fep_cc_speed(const struct uet_fep *fep, u32 base_rtt_ns);
u32 uet_fep_cc_rate(const struct uet_fep *fep, const struct uet_pdc_cfg *pdc);
u16 uet_fep_cc_mtu(const struct uet_fep *fep, bool has_credit);

/* May new messages use medium and small headers? */
static inline bool uet_fep_has_short_headers(const struct uet_fep *fep)
{
	u8 headers;

	rcu_read_lock();
	headers = rcu_dereference(fep->settings)->headers;
	rcu_read_unlock();
	return headers == UET_HEADERS_OPTIMIZED;
}

/* May packets cross the stack as one? */
static inline bool uet_fep_has_bursts(const struct uet_fep *fep)
{
	bool has_bursts;

	rcu_read_lock();
	has_bursts = rcu_dereference(fep->settings)->pdc.burst;
	rcu_read_unlock();
	return has_bursts;
}

/* Length of a packet without PDS, SES and payload, bytes, as the peer counts them. */
static inline u16 uet_fep_overhead(const struct uet_fep *fep)
{
	return fep->head_len + fep->cfg.protect_len;
}

/* The rail of a packet with entropy value @ev, as uet_fep_slot_of(). */
static inline int uet_fep_pick_slot(const struct uet_fep *fep, u16 ev, unsigned long avoid)
{
	return uet_fep_slot_of(fep, uet_ev_lane(ev), avoid);
}

#endif
