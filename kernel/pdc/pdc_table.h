/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PDCs of a FEP by local PDCID, by the fields of a SYN, and by the pair of endpoints that
 * they serve; its peers; the limits on PDCs; RUDI by peer; deferred messages by restart token.
 *
 * A look-up runs under RCU, takes no reference, and may find a PDC that is dead.  An insertion
 * decides which of two objects gets a key.
 */
#ifndef UET_PDC_TABLE_H
#define UET_PDC_TABLE_H

#include <linux/rhashtable.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "base/base.h"
#include "core/pds/pds.h"
#include "core/wire/wire.h"
#include "fabric/fabric.h"

struct uet_pdc_entry;
struct uet_rudi_entry;

/**
 * enum uet_pool - pool that a PDC is charged to
 * @UET_POOL_COMMON: for all PDCs
 * @UET_POOL_RESERVED: for packets with use_rsv_pdc and sockets with UET_RESERVED_PDC; smaller,
 *	and available when the common pool is exhausted
 * @UET_POOLS: their number
 */
enum uet_pool {
	UET_POOL_COMMON,
	UET_POOL_RESERVED,
	UET_POOLS,
};

/**
 * struct uet_pools - PDC pools of a FEP
 * @un: namespace of the FEP, whose quota counts the memory of target PDCs
 * @max_targets: maximum of target PDCs by pool, mem_units, derived from the memory of
 *	the machine; immutable
 * @initiators: initiator PDCs by pool, with the shares of jobs and of users
 * @nr_targets: charged target PDCs by pool, mem_units; under uet_pdc_peers.lock
 */
struct uet_pools {
	struct uet_net *un;
	u32 max_targets[UET_POOLS];
	struct uet_shares initiators[UET_POOLS];
	u32 nr_targets[UET_POOLS];
};

/* Peers without a PDC that a FEP remembers. */
#define UET_PDC_PEERS_IDLE_MAX	256

/**
 * struct uet_pdc_peer - a fabric address that has a PDC with the FEP, or had one lately
 * @node: entry in uet_pdc_peers.by_fa
 * @idle: position in uet_pdc_peers.idle while @nr_pdcs is 0; under uet_pdc_peers.lock
 * @nr_pdcs: PDCs in the tables of the FEP; written under uet_pdc_peers.lock
 * @is_known: it has answered, or this node has opened a PDC to it: it is remembered
 * @heard_ns: when its last packet was accepted, as the PDCs have reported, monotonic, ns;
 *	0: never
 * @srtt_ns: round trip time of the PDC that has heard it last, ns; 0: unknown
 * @nr_targets: charged target PDCs by pool, mem_units; under uet_pdc_peers.lock
 * @refs: one for the tables, one for each PDC
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
	u32 nr_targets[UET_POOLS];
	struct uet_traffic traffic;
	refcount_t refs;
	struct rcu_head rcu;
};

/**
 * struct uet_pdc_peers - the peers of a FEP
 * @lock: protects the fields below; taken with BH disabled, inside the lock of a PDC
 * @by_fa: struct uet_fa -> struct uet_pdc_peer, read under RCU
 * @by_number: the same by number, for dumps, read under RCU
 * @idle: peers without a PDC, the one that had one last at the end
 */
struct uet_pdc_peers {
	spinlock_t lock;
	struct rhashtable by_fa;
	struct xarray by_number;
	u32 next_number;
	struct list_head idle;
	u32 nr_idle;
};

/**
 * struct uet_syn_key - finds the target PDC of a packet with SYN (2.18)
 * @spdcid: PDCID of the sender
 */
struct uet_syn_key {
	struct uet_fa peer;
	u32 spdcid;
};

/**
 * struct uet_peer_key - finds the initiator PDC from one socket to one endpoint
 * @pid: PIDonFEP of the destination
 * @ri: Resource Index of the destination
 * @mode: enum uet_pdc_mode; the type of the sending socket decides it
 * @is_reserved: request the reserved pool
 * @cookie: uet_sock.cookie of the sending endpoint
 *
 * A local initiator PDC serves one pair of endpoints, so a slow reader delays only its
 * own senders.  The choice is local (uet-wire 2.18) and invisible on the wire.
 */
struct uet_peer_key {
	struct uet_fa peer;
	u32 job;
	u16 pid;
	u16 ri;
	u32 rel;
	u16 mode;
	u16 is_reserved;
	u64 cookie;
};

/* Pairs of endpoints whose latest PSN is remembered; a power of 2. */
#define UET_PDC_TABLE_FORMER	256

/**
 * struct uet_pdc_table - the tables of one FEP
 * @ids: local PDCID -> struct uet_pdc_entry, cyclic allocation, so an id is reused
 *	only after all other ids
 * @targets: struct uet_syn_key -> struct uet_pdc_entry
 * @initiators: struct uet_peer_key -> struct uet_pdc_entry
 * @former_psn: by the hash of a struct uet_peer_key: PSN behind those of the latest
 *	initiator PDC that has left @initiators; pairs with one hash share an entry
 * @rudis: struct uet_fa -> struct uet_rudi_entry
 * @tokens: restart token without its random bits -> struct uet_tx_message; look-up and
 *	removal under the lock of @tokens
 * @sweep: takes the windows of idle PDCs back; queued while there are any
 */
struct uet_pdc_table {
	struct xarray ids;
	u32 next_id;
	struct rhashtable targets;
	struct rhashtable initiators;
	u32 former_psn[UET_PDC_TABLE_FORMER];
	struct uet_pools pools;
	struct uet_pdc_peers peers;
	struct rhashtable rudis;
	struct uet_shares rudi_shares;
	struct xarray tokens;
	u32 next_token;
	struct delayed_work sweep;
};

int uet_pdc_table_init(struct uet_pdc_table *tab, struct uet_net *un);
struct uet_pdc_table *uet_pdc_table_alloc(struct uet_net *un);
void uet_pdc_table_fini(struct uet_pdc_table *tab);

int uet_pdc_table_new_id(struct uet_pdc_table *tab, u16 *id, gfp_t gfp);
void uet_pdc_table_free_id(struct uet_pdc_table *tab, u16 id);
int uet_pdc_table_add(struct uet_pdc_table *tab, struct uet_pdc_entry *pe);
void uet_pdc_table_hide(struct uet_pdc_table *tab, struct uet_pdc_entry *pe);
void uet_pdc_table_del(struct uet_pdc_table *tab, struct uet_pdc_entry *pe);
struct uet_pdc_entry *uet_pdc_table_find(struct uet_pdc_table *tab, u16 pdcid);
struct uet_pdc_entry *uet_pdc_table_target(struct uet_pdc_table *tab,
				       const struct uet_syn_key *key);
struct uet_pdc_entry *uet_pdc_table_initiator(struct uet_pdc_table *tab,
					  const struct uet_peer_key *key);
u32 uet_pdc_table_start_psn(const struct uet_pdc_table *tab, const struct uet_peer_key *key,
			    enum uet_pdc_start start);

struct uet_pdc_peer *uet_pdc_peer_join(struct uet_pdc_peers *peers,
				       const struct uet_fa *fa, gfp_t gfp);
void uet_pdc_peer_leave(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer);
void uet_pdc_peer_put(struct uet_pdc_peer *peer);
struct uet_pdc_peer *uet_pdc_peer_find(struct uet_pdc_peers *peers, const struct uet_fa *fa);

int uet_pools_take_target(struct uet_pdc_table *tab, const struct uet_fa *fa,
			  u32 mem_units, enum uet_pool wanted, struct uet_pdc_peer **peer);
void uet_pools_give_target(struct uet_pdc_table *tab, struct uet_pdc_peer *peer,
			   u32 mem_units, enum uet_pool pool);
void uet_pools_free_target(u32 mem_units);

/* Tables of RUDI: rudi.c */
int uet_rudi_table_init(struct uet_pdc_table *tab);
void uet_rudi_table_fini(struct uet_pdc_table *tab);

#endif
