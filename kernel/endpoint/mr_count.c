// SPDX-License-Identifier: GPL-2.0
/*
 * UET_IOC_MR_COUNTS: the number of operations of peers on a region, or addressed to a
 * socket.  Most of these operations are no messages.
 */
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/uet.h>

#include "ep.h"
#include "mr.h"
#include "mr_count.h"
#include "mr_region.h"

/**
 * uet_mr_count() - count an operation of a peer
 * @us: socket to which it was addressed
 * @mr: its region, whose pages the caller may still access
 * @use: its kind
 */
void uet_mr_count(struct uet_sock *us, struct uet_mr *mr, enum uet_mr_use use)
{
	/* A rendezvous message is read by its receiver, without a request of its owner. */
	if (mr->is_own)
		return;
	/* The bytes are in memory before the operation is counted. */
	smp_mb__before_atomic();
	atomic64_inc(&mr->uses.nr[use]);
	atomic64_inc(&us->mr_uses.nr[use]);
	/* Pairs with the xchg() in uet_mr_ioctl_counts(): it finds the count, or we wake. */
	smp_mb__after_atomic();
	if (!READ_ONCE(us->has_mr_uses) && !xchg(&us->has_mr_uses, 1))
		uet_sock_wake(&us->sk, EPOLLPRI);
}

static void mrcount_take(struct uet_mr_uses *uses, struct uet_mr_counts *counts)
{
	counts->writes = atomic64_xchg(&uses->nr[UET_MR_USE_WRITE], 0);
	counts->fetches = atomic64_xchg(&uses->nr[UET_MR_USE_FETCH], 0);
	counts->reads = atomic64_xchg(&uses->nr[UET_MR_USE_READ], 0);
}

static void mrcount_give_back(struct uet_mr_uses *uses,
			      const struct uet_mr_counts *counts)
{
	atomic64_add(counts->writes, &uses->nr[UET_MR_USE_WRITE]);
	atomic64_add(counts->fetches, &uses->nr[UET_MR_USE_FETCH]);
	atomic64_add(counts->reads, &uses->nr[UET_MR_USE_READ]);
}

static int mrcount_return(struct uet_mr_uses *uses, struct uet_mr_counts *counts,
			  void __user *arg)
{
	mrcount_take(uses, counts);
	if (!copy_to_user(arg, counts, sizeof(*counts)))
		return 0;
	mrcount_give_back(uses, counts);
	return -EFAULT;
}

/**
 * uet_mr_ioctl_counts() - UET_IOC_MR_COUNTS: operations of peers since the last call
 * @us: socket
 * @arg: user's struct uet_mr_counts
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT: nothing was returned; -ENOTCONN; -ENOENT: no such region.
 */
int uet_mr_ioctl_counts(struct uet_sock *us, void __user *arg)
{
	struct uet_mr_counts counts;
	struct uet_mr *mr;
	int err;
	u8 rc;

	if (copy_from_user(&counts, arg, sizeof(counts)))
		return -EFAULT;
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_MR_COUNTS: the socket is not bound");
	xchg(&us->has_mr_uses, 0);	/* Pairs with uet_mr_count(). */
	if (counts.key == UET_MR_ALL)
		return mrcount_return(&us->mr_uses, &counts, arg);
	mr = uet_mr_get(us, counts.key, 0, 0, 0, &rc);
	if (!mr)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_MR_COUNTS: key 0x%llx names no region of this socket",
				       counts.key);
	err = mrcount_return(&mr->uses, &counts, arg);
	uet_mr_release(mr);
	return err;
}
