/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions: parts of a process's memory that peers may access, by a key,
 * through the endpoint they were registered on.  Level: shell.
 *
 * A region is found and accessed under RCU, and its pages are given back after a
 * grace period: when a deregistration returns, nothing changes them any more.
 */
#ifndef UET_MR_H
#define UET_MR_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "core/amo.h"

struct uet_mr;
struct uet_sock;

/* By the owner, in process context. */
int uet_mr_ioctl_reg(struct uet_sock *us, void __user *arg);
int uet_mr_ioctl_dereg(struct uet_sock *us, void __user *arg);
void uet_mr_purge(struct uet_sock *us);

/* By packets and by posted receives, under rcu_read_lock(). */
const struct uet_mr *uet_mr_find(struct uet_sock *us, u64 key);
int uet_mr_own(struct uet_sock *us, u64 key, u64 offset, u64 len,
	       const struct uet_mr **mr);
u8 uet_mr_check(const struct uet_mr *mr, u64 offset, u32 len, u32 access);
bool uet_mr_is_aligned(const struct uet_mr *mr, u64 offset, u8 size);
int uet_mr_write(const struct uet_mr *mr, u64 offset, const struct sk_buff *skb,
		 u32 len);
int uet_mr_atomic(const struct uet_mr *mr, u64 offset,
		  const struct uet_amo_op *op, const struct sk_buff *skb);

#endif
