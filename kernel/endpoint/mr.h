/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions: parts of the memory of a process, or of a user in the kernel, that peers may
 * access, by a key, through the endpoint of registration.
 *
 * A region is found under RCU. An access to its pages holds one of its references, and its
 * deregistration waits for all of them. After that returns, no packet changes its pages.
 */
#ifndef UET_MR_H
#define UET_MR_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "core/ses/amo.h"

struct bio_vec;
struct uet_cqe;
struct uet_domain;
struct uet_ep_key;
struct uet_ep_table;
struct uet_mr;
struct uet_mr_reg;
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

/* Kinds of operations of peers on memory; an atomic operation without a result is a write. */
enum uet_mr_use {
	UET_MR_USE_WRITE,
	UET_MR_USE_FETCH,
	UET_MR_USE_READ,
	UET_MR_USES,
};

/**
 * struct uet_mr_uses - operations that UET_IOC_MR_COUNTS has not returned yet
 * @nr: their number, by kind
 */
struct uet_mr_uses {
	atomic64_t nr[UET_MR_USES];
};

/**
 * struct uet_mr_space - the regions of a socket or of a domain
 * @mrs: registered regions, struct uet_mr by RKEY; added and removed by ioctl(), looked
 *	up under RCU
 * @nr_mrs: number of regions in @mrs
 * @sources: memory that peers read for one operation, struct uet_mr by a random RKEY.
 *	uet_mr_get() looks here for the READ of a peer only: no key that a process names
 *	reaches it
 * @lock: protects the fields below; taken with BH disabled
 * @socks: sockets that find the regions, uet_sock.mr.on_space
 * @changed: struct uet_mr_watch of regions whose mapping has changed, until
 *	UET_IOC_MR_CHANGED returns them
 * @generation: number of such changes, modulo 2^32; read without the lock
 */
struct uet_mr_space {
	struct xarray mrs;
	atomic_t nr_mrs;
	struct xarray sources;
	spinlock_t lock;
	struct list_head socks;
	struct list_head changed;
	u32 generation;
};

/* For the owner, in process context; @what names the place in the text of UET_LAST_ERROR. */
int uet_mr_register(struct uet_sock *us, struct uet_mr_reg *reg, u32 rights, u64 base);
int uet_mr_register_pages(struct uet_sock *us, struct uet_mr_reg *reg, u32 rights, u64 base,
			  struct page **pages);
int uet_mr_ioctl_reg(struct uet_sock *us, void *arg);
int uet_mr_ioctl_dereg(struct uet_sock *us, void *arg);
int uet_mr_invalidate(struct uet_sock *us, u64 key);
int uet_mr_ioctl_changed(struct uet_sock *us, void *arg);
int uet_mr_ioctl_counts(struct uet_sock *us, void *arg);
int uet_mr_refer(struct uet_sock *us, const char *what, u32 right, u64 len, u8 align,
		 struct uet_mr_ref *ref);

/* Memory of one operation; it is pinned in process context, sleeping, and put in any. */
int uet_mr_own_init(void);
void uet_mr_own_fini(void);
int uet_mr_own(struct uet_sock *us, const char *what, u64 addr, u64 len, struct uet_mr_ref *ref);
int uet_mr_own_source(struct uet_sock *us, const char *what, u64 addr, u64 len,
		      struct uet_mr_ref *ref);
int uet_mr_own_kernel(struct uet_sock *us, const char *what, u64 addr, u64 len,
		      struct uet_mr_ref *ref);
struct page *uet_mr_kernel_page(const void *at);
void uet_mr_own_get(const struct uet_mr_ref *ref);
void uet_mr_own_share(const struct uet_mr_ref *ref);
void uet_mr_own_put(struct uet_sock *us, const struct uet_mr_ref *ref, struct uet_cqe *cqe);

/* For packets and posted receives; @skb starts at the payload. */
void uet_mr_count(struct uet_sock *us, struct uet_mr *mr, enum uet_mr_use use);
struct uet_mr *uet_mr_get(struct uet_sock *us, u64 key, u32 right, u64 offset, u64 len, u8 *rc);
void uet_mr_release(struct uet_mr *mr);
u32 uet_mr_segments(const struct uet_mr *mr, u64 offset, u32 len, struct bio_vec *to, u32 max);
bool uet_mr_is_aligned(const struct uet_mr *mr, u64 offset, u8 size);
int uet_mr_write(const struct uet_mr *mr, u64 offset, const struct sk_buff *skb, u32 len);
void uet_mr_read(const struct uet_mr *mr, u64 offset, void *to, u32 len);
int uet_mr_atomic(const struct uet_mr *mr, u64 offset, const struct uet_amo_op *op,
		  const struct sk_buff *skb, u64 *old);
u8 uet_mr_apply(struct uet_sock *us, const struct uet_mr_ref *ref, const struct uet_amo_op *op,
		const struct sk_buff *skb, u64 *old);
bool uet_mr_put(struct uet_sock *us, const struct uet_mr_ref *ref, u64 offset,
		const struct sk_buff *skb, u32 len, bool is_value);

/* Spaces and domains, in process context, except uet_domain_put() */
void uet_mr_space_init(struct uet_mr_space *space);
void uet_mr_space_join(struct uet_mr_space *space, struct uet_sock *us);
void uet_mr_space_leave(struct uet_sock *us);
struct uet_domain *uet_domain_alloc(void);
void uet_domain_unuse(struct uet_domain *domain);
int uet_domain_use(struct uet_domain *domain, struct uet_sock *us);
int uet_domain_fd_make(bool is_cloexec);
int uet_domain_join(struct uet_sock *us, int fd);
void uet_domain_leave(struct uet_sock *us);
void uet_domain_put(struct uet_domain *domain);

/* Optimized keys: found under RCU, else in process context */
int uet_mr_key_init(struct rhashtable *small_keys);
void uet_mr_key_purge(struct uet_sock *us);
bool uet_mr_key_find(struct uet_ep_table *tab, const struct uet_ep_key *name, u16 *ri, u64 *key);

#endif
