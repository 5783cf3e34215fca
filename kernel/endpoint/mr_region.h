/* SPDX-License-Identifier: GPL-2.0 */
/* The pages of a memory region, for the files mr*.c of this folder only. */
#ifndef UET_MR_REGION_H
#define UET_MR_REGION_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/uet.h>

#include "mr.h"

struct uet_mr_reg;
struct uet_mr_watch;
struct uet_sock;

/**
 * struct uet_mr - a memory region; immutable, but for @uses, while packets may access it
 * @key: memory key, with UET_MR_KEY_*; its RKEY part is the index of the region
 * @id: unique number, never reused
 * @base: offset by which requests name the first byte
 * @length: length, bytes
 * @rights: UET_MR_WRITE, UET_MR_READ, UET_MR_ATOMIC, UET_MR_LOCAL_WRITE
 * @start: offset of the first byte in the first page
 * @nr_pages: number of @pages, all pinned
 * @pages: the pages
 * @pin: account charged for RLIMIT_MEMLOCK
 * @is_own: region of one operation, which mr_own.c ends
 * @is_kernel: memory of the kernel: its user keeps the pages, which are not pinned
 * @users: regions with a key: one for the key, one for each packet and each thread that
 *	accesses the pages
 * @unused: completed when @users is 0
 * @uses: operations of peers, for UET_IOC_MR_COUNTS
 * @watch: UET_MR_WATCH: notices that the mapping changes; else NULL
 * @rcu: for kfree_rcu()
 */
struct uet_mr {
	u64 key;
	u64 id;
	u64 base;
	u64 length;
	u32 rights;
	u32 start;
	unsigned long nr_pages;
	struct page **pages;
	struct mmpin pin;
	bool is_own;
	bool is_kernel;
	refcount_t users;
	struct completion unused;
	struct uet_mr_uses uses;
	struct uet_mr_watch *watch;
	struct rcu_head rcu;
};

/* Does anybody store data there?  Else the process need not be able to write the pages. */
static inline bool uet_mr_is_storable(const struct uet_mr *mr)
{
	return mr->rights & (UET_MR_WRITE | UET_MR_ATOMIC | UET_MR_LOCAL_WRITE);
}

/* mr.c, mr_access.c */
void uet_mr_wait(struct uet_mr *mr);
struct uet_mr *uet_mr_find(struct uet_sock *us, u64 key);

/* mr_pin.c */
int uet_mr_check_map(struct uet_sock *us, const char *what, unsigned long addr, u64 len,
		     bool is_source);
int uet_mr_pin(struct uet_sock *us, const char *what, struct uet_mr *mr,
	       unsigned long addr, u64 len);
void uet_mr_unpin(struct uet_mr *mr);
bool uet_mr_try_unpin(struct uet_mr *mr);

/* mr_key.c */
int uet_mr_key_check(struct uet_sock *us, const struct uet_mr_reg *reg);
int uet_mr_key_insert(struct uet_sock *us, struct uet_mr_reg *reg, struct uet_mr *mr);
int uet_mr_key_insert_source(struct uet_sock *us, struct uet_mr *mr);
void uet_mr_key_release(struct uet_sock *us, u64 key);

#endif
