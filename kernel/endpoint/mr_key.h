/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys of memory regions: assignment of keys, and the optimized keys by which a
 * small request finds its region.
 */
#ifndef UET_MR_KEY_H
#define UET_MR_KEY_H

#include <linux/rhashtable.h>
#include <linux/types.h>

struct uet_ep_key;
struct uet_mr;
struct uet_mr_reg;
struct uet_sock;
struct uet_ep_table;

int uet_mr_key_init(struct rhashtable *small_keys);

/* For the owner, in process context. */
int uet_mr_key_check(struct uet_sock *us, const struct uet_mr_reg *reg);
int uet_mr_key_insert(struct uet_sock *us, struct uet_mr_reg *reg,
		      struct uet_mr *mr, u64 *key);
int uet_mr_key_insert_source(struct uet_sock *us, struct uet_mr *mr, u64 *key);
void uet_mr_key_release(struct uet_sock *us, u64 key);
void uet_mr_key_purge(struct uet_sock *us);

/* By packets, under rcu_read_lock(). */
bool uet_mr_key_find(struct uet_ep_table *tab, const struct uet_ep_key *name,
		     u16 *ri, u64 *key);

#endif
