/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions: parts of a process's memory that peers may access, by a key,
 * through the endpoint of registration.
 *
 * A region is found and accessed under RCU, and its pages are unpinned after a
 * grace period. After a deregistration returns, no packet changes its pages.
 */
#ifndef UET_MR_H
#define UET_MR_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "core/ses/amo.h"

struct uet_mr;
struct uet_sock;

/**
 * struct uet_mr_ref - a place in a memory region that may be deregistered
 * @key: key of the region
 * @id: unique id of the region, because its key may be reused
 * @offset: offset of the first byte in the region
 */
struct uet_mr_ref {
	u64 key;
	u64 id;
	u64 offset;
};

/* For the owner, in process context. */
int uet_mr_ioctl_reg(struct uet_sock *us, void __user *arg);
int uet_mr_ioctl_dereg(struct uet_sock *us, void __user *arg);
void uet_mr_purge(struct uet_sock *us);
int uet_mr_refer(struct uet_sock *us, const char *what, u64 len, u8 align,
		 struct uet_mr_ref *ref);

/* mr_map.c: which memory can be registered */
int uet_mr_check_map(struct uet_sock *us, unsigned long addr, u64 len);
int uet_mr_check_page(struct page *page);

/* For packets and posted receives, under rcu_read_lock(). */
const struct uet_mr *uet_mr_find(struct uet_sock *us, u64 key);
u8 uet_mr_check(const struct uet_mr *mr, u64 offset, u32 len, u32 access);
bool uet_mr_is_aligned(const struct uet_mr *mr, u64 offset, u8 size);
int uet_mr_write(const struct uet_mr *mr, u64 offset, const struct sk_buff *skb,
		 u32 len);
void uet_mr_read(const struct uet_mr *mr, u64 offset, void *to, u32 len);
int uet_mr_atomic(const struct uet_mr *mr, u64 offset,
		  const struct uet_amo_op *op, const struct sk_buff *skb,
		  u64 *old);
u8 uet_mr_apply(struct uet_sock *us, const struct uet_mr_ref *ref,
		const struct uet_amo_op *op, const struct sk_buff *skb,
		u64 *old);
bool uet_mr_put(struct uet_sock *us, const struct uet_mr_ref *ref, u64 offset,
		const struct sk_buff *skb, u32 len, bool is_value);

#endif
