/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FEPs: fabric endpoints.  A FEP has one fabric address, one Payload MTU, one
 * or more rails and the carrier its packets arrive on; it owns the tables
 * of its PDCs and of the endpoints bound to it.  Level: shell.
 */
#ifndef UET_FEP_H
#define UET_FEP_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <uapi/linux/uet_nl.h>

#include "base/base.h"
#include "core/pds/pds.h"

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

#define UET_NAME_MAX		(UET_NAME_LEN_MAX + 1)	/* with the zero */
#define UET_DSCP_MAX		63			/* 6 bits */

/**
 * enum uet_class - what a packet is, for its DSCP
 * @UET_CLASS_REQUEST: a request sent for the first time
 * @UET_CLASS_RETX: a request sent again
 * @UET_CLASS_CONTROL: ACK, NACK or control packet
 * @UET_CLASS_NR: how many there are
 *
 * Spec: UE 1.0.1 3.6.4.7.
 */
enum uet_class {
	UET_CLASS_REQUEST,
	UET_CLASS_RETX,
	UET_CLASS_CONTROL,
	UET_CLASS_NR,
};

/**
 * struct uet_fep_cfg - what a FEP is configured with
 * @name: for people, unique in the namespace
 * @fa: fabric address, unique in the namespace
 * @mtu: Payload MTU: 1024, 2048, 4096 or 8192 bytes
 * @port: UDP port, host order (UDP_Dest_Port); 0 without UDP
 * @crc: append and require the UET CRC (UET_Data_Protect 1)
 * @ifindex: rails, 0 = none
 * @encap: in which form IP carries its packets
 * @proto: IP protocol: UDP, or that of the native form (IP_Proto_Nxt_Hdr)
 * @sd: secure domain: packets are sealed, and only sealed ones taken; or NULL
 * @protect_len: bytes that the CRC, or the security header and the ICV, add to a
 *	packet; set by uet_config_add_fep()
 */
struct uet_fep_cfg {
	char name[UET_NAME_MAX];
	struct uet_fa fa;
	u16 mtu;
	u16 port;
	bool crc;
	int ifindex[UET_FEP_RAILS_MAX];
	enum uet_encap encap;
	u8 proto;
	struct uet_sd *sd;
	u16 protect_len;
};

/**
 * struct uet_fep_settings - what can be changed while a FEP lives
 * @pdc: parameters of PDCs opened from now on
 * @dscp: of packets sent, by enum uet_class, 6 bits each
 * @dscp_trimmed: of packets a switch has trimmed, or UET_DSCP_NONE
 * @dscp_trimmed_lasthop: of packets the last switch has trimmed, or
 *	UET_DSCP_NONE
 * @headers: enum uet_headers, of messages sent from now on
 * @cc: enum uet_cc_algo, of congestion control contexts made from now on
 * @paths: enum uet_paths, of the same
 * @rcu: frees it
 *
 * Immutable once published.  A change makes a new one, so that a reader, under
 * RCU, sees all of a change or nothing of it.
 */
struct uet_fep_settings {
	struct uet_pdc_cfg pdc;
	u8 dscp[UET_CLASS_NR];
	u8 dscp_trimmed;
	u8 dscp_trimmed_lasthop;
	u8 headers;
	u8 cc;
	u8 paths;
	struct rcu_head rcu;
};

/**
 * struct uet_fep_rcv - the receive path above the carrier
 * @packet: a packet with the header of the carrier in front, whose IP header is where
 *	skb_network_header() says; consumes @skb
 * @trimmed: the same for a packet that a switch has trimmed; nack_code is that of
 *	the NACK
 * @icmp: an ICMP error, from the quoted IP header on; offset is that of the header of
 *	the carrier in it, bytes; does not consume @skb
 *
 * Softirq, rcu_read_lock() held.
 */
struct uet_fep_rcv {
	void (*packet)(struct uet_fep *fep, struct sk_buff *skb);
	void (*trimmed)(struct uet_fep *fep, struct sk_buff *skb, u8 nack_code);
	void (*icmp)(struct uet_fep *fep, struct sk_buff *skb, u32 offset);
};

/**
 * struct uet_fep - a fabric endpoint
 * @list: in uet_net.feps, RCU
 * @un: namespace
 * @cfg: immutable once published
 * @min_mtu: MTU a netdev must have to carry a full packet, bytes; grows with the
 *	first setting that makes headers longer, under uet_net.cfg_mutex, READ_ONCE
 *	elsewhere
 * @rail: the rails, in the order of cfg.ifindex, NULL once gone; RCU pointers,
 *	written under uet_net.cfg_mutex
 * @usable: bit i: packets may leave on rail[i]; written under
 *	uet_net.cfg_mutex, READ_ONCE in uet_fep_pick_slot()
 * @carrier: of cfg.encap; open from before publication until the FEP is killed
 * @head_len: length of the carrier's header, bytes; immutable
 * @udp: with UDP the socket bound to {FA, port}, written by the carrier when it
 *	opens and closes
 * @pmtu_sk: a socket in whose name IP sends packets that are larger than what ICMP
 *	made it believe of the path, see carrier.c; RCU pointer, written like
 *	@udp
 * @rcv: takes the packets that the carrier receives; immutable
 * @pdcs: the PDCs, of pdc/
 * @eps: the endpoints, of endpoint/
 * @cms: congestion control contexts and the pacer, of cms/
 * @settings: RCU pointer, never NULL, written under uet_net.cfg_mutex; freed
 *	with the FEP or, when replaced, after a grace period
 * @wants_trimmed: counted in uet_net.nr_wants_trimmed; under uet_net.cfg_mutex
 * @replies: limits answers to packets that belong to no PDC
 * @refs: one for the list, one for each PDC, peer asked by RUDI, bound endpoint
 *	and job
 * @dead: no new PDC or endpoint; written under uet_net.cfg_mutex, READ_ONCE
 * @rcu: frees it
 * @pings: requests of netlink's ping that have no outcome yet
 *
 * End: config/fep_life.c unlists the FEP, sets @dead, closes the carrier (no more
 * packets), kills RUDI requests and PDCs, shuts the pacer, and destroys the tables
 * after a grace period.  The last uet_fep_put() frees the memory, with that of @pdcs,
 * @eps and @cms, after another grace period.
 */
struct uet_fep {
	struct list_head list;
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
	refcount_t refs;
	bool dead;
	struct rcu_head rcu;
	atomic_t pings;
};

int uet_fep_check(struct uet_net *un, const struct uet_fep_cfg *cfg,
		  const struct uet_fep_settings *settings,
		  struct netlink_ext_ack *extack);
struct uet_fep *uet_fep_alloc(struct uet_net *un, const struct uet_fep_cfg *cfg,
			      const struct uet_fep_settings *settings);
struct uet_fep *uet_fep_find(struct uet_net *un, const char *name);
int uet_fep_raise_min_mtu(struct uet_fep *fep,
			  const struct uet_fep_settings *settings,
			  struct netlink_ext_ack *extack);
struct uet_fep *uet_fep_find_fa(struct uet_net *un, const struct uet_fa *fa);
struct uet_fep *uet_fep_find_rail(struct uet_net *un,
				  const struct uet_rail *rail);
void uet_fep_get(struct uet_fep *fep);
void uet_fep_put(struct uet_fep *fep);
bool uet_fep_refresh_rail(struct uet_fep *fep, struct uet_rail *rail);
bool uet_fep_forget_rail(struct uet_fep *fep, struct uet_rail *rail);
void uet_fep_forget_rails(struct uet_fep *fep);
enum uet_rail_state uet_fep_rail_state(const struct uet_fep *fep,
				       const struct uet_rail *rail);
int uet_fep_pick_slot(const struct uet_fep *fep, u16 ev, unsigned long avoid);

/* fep_set.c */
int uet_fep_settings_check(const struct uet_fep_settings *settings,
			   struct netlink_ext_ack *extack);
bool uet_fep_settings_trim(const struct uet_fep_settings *settings);
const struct uet_fep_settings *uet_fep_settings(const struct uet_fep *fep);
void uet_fep_pdc_cfg(const struct uet_fep *fep, struct uet_pdc_cfg *cfg);
bool uet_fep_paces_credit(const struct uet_fep *fep);
void uet_fep_rudi_cfg(const struct uet_fep *fep, struct uet_rudi_cfg *cfg);
bool uet_fep_has_short_headers(const struct uet_fep *fep);
void uet_fep_publish(struct uet_fep *fep, struct uet_fep_settings *settings);

/* fep_cc.c */
bool uet_fep_settings_is_paced(const struct uet_fep_settings *settings);
const char *uet_fep_cc_check(const struct uet_fep_settings *settings);
void uet_fep_cc_cfg(const struct uet_fep_settings *settings, u32 rate_mbps,
		    u32 mtu, struct uet_cc_cfg *cfg);
u8 uet_fep_cc_algo(const struct uet_cc_cfg *cfg);
u32 uet_fep_cc_speed(const struct uet_fep *fep, u32 base_rtt_ns);
u32 uet_fep_cc_rate(const struct uet_fep *fep, const struct uet_pdc_cfg *pdc);
u16 uet_fep_cc_mtu(const struct uet_fep *fep, bool has_credit);
u16 uet_fep_overhead(const struct uet_fep *fep);

#endif
