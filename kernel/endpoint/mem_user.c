// SPDX-License-Identifier: GPL-2.0
/*
 * Users with sockets, and the memory of their sockets.  A socket belongs to the user who
 * created it; the user ids of the user namespaces of a user count as this user.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "ep.h"
#include "mem_user.h"

/*
 * A user with less than this gets more whatever is free: some messages in flight for a
 * socket or two.  The hard limit of net.uet.uet_mem still counts.
 */
#define MEM_USER_MIN	(128 * UET_MTU_MAX)

static DEFINE_HASHTABLE(mem_users, 8);
static DEFINE_SPINLOCK(mem_users_lock);

/* Return: the user with one more reference, or NULL. */
static struct uet_mem_user *mem_user_find(kuid_t uid)
{
	struct uet_mem_user *user;

	lockdep_assert_held(&mem_users_lock);
	hash_for_each_possible(mem_users, user, node, __kuid_val(uid)) {
		if (!uid_eq(user->uid, uid))
			continue;
		user->refs++;
		return user;
	}
	return NULL;
}

static void mem_user_free(struct uet_mem_user *user)
{
	percpu_counter_destroy(&user->bytes);
	kfree(user);
}

/* Return: a user with one reference, not in the table; NULL: out of memory. */
static struct uet_mem_user *mem_user_alloc(kuid_t uid)
{
	struct uet_mem_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->uid = uid;
	user->refs = 1;
	if (!percpu_counter_init(&user->bytes, 0, GFP_KERNEL_ACCOUNT))
		return user;
	kfree(user);
	return NULL;
}

/*
 * Get the account of a user.
 * @uid: user of the host, by uet_share_user()
 *
 * Context: Process, sleeps.
 * Return: the account with one reference; NULL: out of memory.
 */
struct uet_mem_user *uet_mem_user_get(kuid_t uid)
{
	struct uet_mem_user *user, *new;

	spin_lock_bh(&mem_users_lock);
	user = mem_user_find(uid);
	spin_unlock_bh(&mem_users_lock);
	if (user)
		return user;
	new = mem_user_alloc(uid);
	if (!new)
		return NULL;
	spin_lock_bh(&mem_users_lock);
	user = mem_user_find(uid);
	if (!user)
		hash_add(mem_users, &new->node, __kuid_val(uid));
	spin_unlock_bh(&mem_users_lock);
	if (!user)
		return new;
	mem_user_free(new);
	return user;
}

/* Drop the reference of a socket. */
void uet_mem_user_put(struct uet_mem_user *user)
{
	bool is_last;

	spin_lock_bh(&mem_users_lock);
	is_last = !--user->refs;
	if (is_last)
		hash_del(&user->node);
	spin_unlock_bh(&mem_users_lock);
	if (is_last)
		mem_user_free(user);
}

/*
 * Is there place for more memory in the share of a user?
 * @old: part of the memory of the user, bytes
 * @free: what the limit has free, bytes; negative above the limit
 *
 * Return: false if the user would have more than the share.
 */
bool uet_mem_user_may_grow(struct uet_mem_user *user, s64 old, s64 bytes, s64 free)
{
	s64 used = percpu_counter_read_positive(&user->bytes) - old;

	return used < MEM_USER_MIN ||
	       used + bytes <= UET_SHARES_FACTOR * (free + old - bytes);
}
