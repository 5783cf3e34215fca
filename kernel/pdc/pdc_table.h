/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PDCs of a FEP by local PDCID, by the fields of a SYN, and by the pair of
 * endpoints that they serve; RUDI by peer; deferred messages by restart token.  A
 * look-up runs under RCU and takes no reference; an insertion decides which of two
 * objects gets a key.
 */
#ifndef UET_PDC_TABLE_H
#define UET_PDC_TABLE_H

#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "base/base.h"
#include "core/wire/wire.h"
#include "pdc_peer.h"
#include "pool.h"

struct uet_pdc_entry;
struct uet_rudi_entry;

/* Pairs of endpoints whose latest PSN is remembered; a power of 2. */
#define UET_PDC_TABLE_FORMER	256

/**
 * struct uet_syn_key - finds the target PDC of a packet with SYN (2.18)
 * @peer: source fabric address
 * @spdcid: PDCID of the sender
 */
struct uet_syn_key {
	struct uet_fa peer;
	u32 spdcid;
};

/**
 * struct uet_peer_key - finds the initiator PDC from one socket to one endpoint
 * @peer: fabric address of the destination
 * @job: JobID
 * @pid: PIDonFEP of the destination
 * @ri: Resource Index of the destination
 * @rel: relative addressing
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

/**
 * struct uet_pdc_table - the tables of one FEP
 * @ids: local PDCID -> struct uet_pdc_entry, cyclic allocation, so an id is reused
 *	only after all other ids
 * @next_id: start of the next allocation; under the lock of @ids
 * @targets: struct uet_syn_key -> struct uet_pdc_entry
 * @initiators: struct uet_peer_key -> struct uet_pdc_entry
 * @former_psn: by the hash of a struct uet_peer_key: PSN behind those of the latest
 *	initiator PDC that has left @initiators; pairs with one hash share an entry
 * @pools: limits on the number of PDCs
 * @peers: peers with PDCs, or with PDCs lately
 * @rudis: struct uet_fa -> struct uet_rudi_entry
 * @rudi_shares: limit on the number of @rudis
 * @tokens: restart token without its random bits -> struct uet_tx_message; look-up and
 *	removal under the lock of @tokens
 * @next_token: start of the next allocation; under the lock of @tokens
 * @sweep: takes the windows of idle PDCs back, pdc_memory.c; queued while there are any
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

/* Peers a FEP has requests by RUDI to, or had lately. */
#define UET_PDC_TABLE_RUDIS_MAX	1024

struct uet_pdc_table *uet_pdc_table_alloc(struct uet_net *un);
void uet_pdc_table_fini(struct uet_pdc_table *tab);
void uet_pdc_memory_sweep(struct work_struct *work);

/* PDCs.  Look-ups: under rcu_read_lock(). */
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
u32 uet_pdc_table_start_psn(const struct uet_pdc_table *tab,
			    const struct uet_peer_key *key,
			    enum uet_pdc_start start);

/* Requests by RUDI. */
int uet_pdc_table_add_rudi(struct uet_pdc_table *tab, struct uet_rudi_entry *re);
void uet_pdc_table_del_rudi(struct uet_pdc_table *tab, struct uet_rudi_entry *re);
void uet_pdc_table_charge_rudi(struct uet_pdc_table *tab, struct uet_rudi_entry *re,
			       const struct uet_share_owner *owner);
struct uet_rudi_entry *uet_pdc_table_rudi(struct uet_pdc_table *tab,
				      const struct uet_fa *peer);

#endif
