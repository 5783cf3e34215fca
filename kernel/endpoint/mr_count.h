/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of operations of peers on memory: of each region, and of each socket.
 */
#ifndef UET_MR_COUNT_H
#define UET_MR_COUNT_H

#include <linux/atomic.h>

struct uet_mr;
struct uet_sock;

/**
 * enum uet_mr_use - kind of an operation of a peer on memory
 * @UET_MR_USE_WRITE: a write, or an atomic operation without a result
 * @UET_MR_USE_FETCH: an atomic operation with a result
 * @UET_MR_USE_READ: a read
 * @UET_MR_USES: number of kinds
 */
enum uet_mr_use {
	UET_MR_USE_WRITE,
	UET_MR_USE_FETCH,
	UET_MR_USE_READ,
	UET_MR_USES,
};

/**
 * struct uet_mr_uses - operations that no call has returned yet
 * @nr: number of them, by enum uet_mr_use
 */
struct uet_mr_uses {
	atomic64_t nr[UET_MR_USES];
};

void uet_mr_count(struct uet_sock *us, struct uet_mr *mr, enum uet_mr_use use);
int uet_mr_ioctl_counts(struct uet_sock *us, void __user *arg);

#endif
