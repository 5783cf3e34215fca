/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shares of net.uet.uet_mem, by user: a user may have at most four times what the limit has
 * free, as with the limits of base/shares.h.  Here the amounts change with each message, so
 * that they are counted on each CPU, and the free part is that of the kernel's accounting.
 */
#ifndef UET_MEM_USER_H
#define UET_MEM_USER_H

#include <linux/percpu_counter.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/* A CPU adds its count to the sum when it has this many bytes. */
#define UET_MEM_USER_BATCH	(64 << 10)

/**
 * struct uet_mem_user - the memory of all sockets of a user
 * @node: entry of the table of users, under its lock
 * @uid: user of the host, by uet_share_user()
 * @refs: sockets, under the lock of the table
 * @bytes: memory that is charged to the sockets
 */
struct uet_mem_user {
	struct hlist_node node;
	kuid_t uid;
	unsigned int refs;
	struct percpu_counter bytes;
};

struct uet_mem_user *uet_mem_user_get(kuid_t uid);
void uet_mem_user_put(struct uet_mem_user *user);
bool uet_mem_user_may_grow(struct uet_mem_user *user, s64 old, s64 bytes, s64 free);

/* Count memory of a user. */
static inline void uet_mem_user_add(struct uet_mem_user *user, s64 bytes)
{
	percpu_counter_add_batch(&user->bytes, bytes, UET_MEM_USER_BATCH);
}

#endif
