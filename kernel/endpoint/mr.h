/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions: parts of a process's memory that peers may access, by a key,
 * through the endpoint of registration.
 *
 * A region is found under RCU. An access to its pages holds one of its references, and its
 * deregistration waits for all of them. After that returns, no packet changes its pages.
 */
#ifndef UET_MR_H
#define UET_MR_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "core/ses/amo.h"

struct uet_cqe;
struct uet_mr;
struct uet_sock;

/*
 * A right of a region besides those of peers, UET_MR_WRITE, UET_MR_READ and UET_MR_ATOMIC:
 * its owner's receives and operations store data there.
 */
#define UET_MR_LOCAL_WRITE	0x100

/**
 * struct uet_mr_ref - a place in memory
 * @key: key of the region, which may be deregistered
 * @id: unique id of the region, because its key may be reused
 * @offset: offset of the first byte in the region
 * @own: memory of one operation, see mr_own.c, referenced; @id is unused, and
 *	@key but for uet_mr_own_source(); NULL: registered memory
 */
struct uet_mr_ref {
	u64 key;
	u64 id;
	u64 offset;
	struct uet_mr *own;
};

/* For the owner, in process context. */
int uet_mr_ioctl_reg(struct uet_sock *us, void __user *arg);
int uet_mr_ioctl_dereg(struct uet_sock *us, void __user *arg);
int uet_mr_ioctl_changed(struct uet_sock *us, void __user *arg);
int uet_mr_refer(struct uet_sock *us, const char *what, u32 right, u64 len, u8 align,
		 struct uet_mr_ref *ref);

/* mr_own.c: memory of one operation */
int uet_mr_own_init(void);
void uet_mr_own_fini(void);
int uet_mr_own(struct uet_sock *us, const char *what, u64 addr, u64 len,
	       struct uet_mr_ref *ref);
int uet_mr_own_source(struct uet_sock *us, const char *what, u64 addr, u64 len,
		      struct uet_mr_ref *ref);
void uet_mr_own_get(const struct uet_mr_ref *ref);
void uet_mr_own_share(const struct uet_mr_ref *ref);
void uet_mr_own_put(struct uet_sock *us, const struct uet_mr_ref *ref,
		    struct uet_cqe *cqe);

/* mr_map.c: which memory can be registered */
int uet_mr_check_map(struct uet_sock *us, const char *what, unsigned long addr,
		     u64 len, bool is_source);
int uet_mr_check_pages(struct page **pages, unsigned long nr);

/* For packets and posted receives. */
struct uet_mr *uet_mr_get(struct uet_sock *us, u64 key, u32 right, u64 offset, u64 len,
			  u8 *rc);
void uet_mr_release(struct uet_mr *mr);
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
