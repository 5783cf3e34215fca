/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The peers of a FEP, for administrators: what was sent to each and received from it, and
 * when it was last heard.  A peer is a fabric address that has a PDC with the FEP, or had
 * one lately.
 */
#ifndef UET_PDC_PEER_H
#define UET_PDC_PEER_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "base/base.h"
#include "fabric/fabric.h"

/* Peers without a PDC that a FEP remembers. */
#define UET_PDC_PEERS_IDLE_MAX	256

/**
 * struct uet_pdc_peer - a peer of a FEP
 * @fa: its fabric address; immutable
 * @node: entry in uet_pdc_peers.by_fa
 * @number: its number in uet_pdc_peers.by_number
 * @idle: position in uet_pdc_peers.idle while @nr_pdcs is 0; under uet_pdc_peers.lock
 * @nr_pdcs: PDCs in the tables of the FEP; written under uet_pdc_peers.lock
 * @is_known: it has answered, or this node has opened a PDC to it: it is remembered
 * @heard_ns: when its last packet was accepted, as the PDCs have reported, monotonic, ns;
 *	0: never
 * @srtt_ns: round trip time of the PDC that has heard it last, ns; 0: unknown
 * @traffic: counters
 * @refs: one for the tables, one for each PDC
 * @rcu: for kfree_rcu()
 */
struct uet_pdc_peer {
	struct uet_fa fa;
	struct rhash_head node;
	u32 number;
	struct list_head idle;
	u32 nr_pdcs;
	bool is_known;
	u64 heard_ns;
	u64 srtt_ns;
	struct uet_traffic traffic;
	refcount_t refs;
	struct rcu_head rcu;
};

/**
 * struct uet_pdc_peers - the peers of a FEP
 * @lock: protects the fields below; taken with BH disabled, inside the lock of a PDC
 * @by_fa: struct uet_fa -> struct uet_pdc_peer, read under RCU
 * @by_number: the same by number, for dumps, read under RCU
 * @next_number: start of the next allocation
 * @idle: peers without a PDC, the one that had one last at the end
 * @nr_idle: their number, at most UET_PDC_PEERS_IDLE_MAX
 */
struct uet_pdc_peers {
	spinlock_t lock;
	struct rhashtable by_fa;
	struct xarray by_number;
	u32 next_number;
	struct list_head idle;
	u32 nr_idle;
};

int uet_pdc_peers_init(struct uet_pdc_peers *peers);
void uet_pdc_peers_fini(struct uet_pdc_peers *peers);
struct uet_pdc_peer *uet_pdc_peer_join(struct uet_pdc_peers *peers,
				       const struct uet_fa *fa, gfp_t gfp);
void uet_pdc_peer_leave(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer);
void uet_pdc_peer_put(struct uet_pdc_peer *peer);
struct uet_pdc_peer *uet_pdc_peer_find(struct uet_pdc_peers *peers,
				       const struct uet_fa *fa);

#endif
