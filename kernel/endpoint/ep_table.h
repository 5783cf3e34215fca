/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The endpoints of a FEP by their address, and the optimized keys of their memory
 * regions.  A look-up runs under RCU and takes no reference; an insertion decides
 * which of two endpoints gets an address.
 */
#ifndef UET_EP_TABLE_H
#define UET_EP_TABLE_H

#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "core/wire/wire.h"

struct uet_sock;

/**
 * struct uet_ep_key - finds a bound endpoint
 * @job: JobID of a relative address, 0 for an absolute one
 * @pid: PIDonFEP
 * @ri: Resource Index
 */
struct uet_ep_key {
	u32 job;
	u16 pid;
	u16 ri;
};

/**
 * struct uet_ep_table - the endpoints of one FEP
 * @eps: struct uet_ep_key -> struct uet_sock
 * @scopes: jobs and PIDonFEPs that have endpoints, so that a NACK names the part of an
 *	address that is unknown
 * @lock: serialises changes of @eps and @scopes; process context only
 * @by_number: the endpoints in the order of their bind(), for dumps
 * @next: number for the next endpoint, under the lock of @by_number
 * @small_keys: optimized keys of the endpoints' memory regions, see mr_key.c
 */
struct uet_ep_table {
	struct rhashtable eps;
	struct rhashtable scopes;
	spinlock_t lock;
	struct xarray by_number;
	u32 next;
	struct rhashtable small_keys;
};

struct uet_ep_table *uet_ep_table_alloc(void);
void uet_ep_table_fini(struct uet_ep_table *tab);
int uet_ep_table_add(struct uet_ep_table *tab, struct uet_sock *us);
void uet_ep_table_del(struct uet_ep_table *tab, struct uet_sock *us);
struct uet_sock *uet_ep_of_host(void);
struct uet_sock *uet_ep_table_find(struct uet_ep_table *tab,
			      const struct uet_ep_key *key);
enum uet_rc uet_ep_table_why_none(struct uet_ep_table *tab,
				const struct uet_ep_key *key);
bool uet_ep_table_has(struct uet_ep_table *tab, const struct uet_ep_key *key);
u32 uet_ep_table_nr_eps(struct uet_ep_table *tab, const struct uet_ep_key *key);

#endif
