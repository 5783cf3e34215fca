// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas of user namespaces: root of a user namespace creates FEPs, rails, jobs and
 * secure domains without any privilege on the host, and peers open PDCs with these
 * FEPs.  A quota limits the number of objects of each kind, and the memory of these
 * PDCs.  Sysctls of the host, net.uet.user_max_*, are the limits.
 *
 * A user namespace may contain others, and a user may create several.  So a quota
 * counts for all user namespaces of an unprivileged user.  If root of the host has
 * created a user namespace, as container managers do, it has a quota of its own, with
 * those in it.  The initial user namespace has no quota.
 *
 * Beside the quotas, PDCs of peers have at most half of the memory of the host.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "base/base.h"
#include "net.h"

/* Default limits: a container of many NICs, with many jobs. */
#define QUOTA_FEPS		64
#define QUOTA_RAILS		64
#define QUOTA_JOBS		4096
#define QUOTA_SDS		64

/* Divisors of the memory of the host: share of a quota, and of the host. */
#define QUOTA_PAGES_SHARE	16
#define QUOTA_HOST_SHARE	2

/*
 * struct uet_quota - objects of a user, or of a user namespace that root has created
 * @list: entry in quotas, under quota_mutex
 * @top: the user namespace below the initial one; NULL: all those that @uid has created
 * @nr_nets: network namespaces that use the quota, under quota_mutex
 * @nr: objects by enum uet_quota_kind
 * @pages: pages of PDCs that peers have opened
 */
struct uet_quota {
	struct list_head list;
	const struct user_namespace *top;
	kuid_t uid;
	unsigned int nr_nets;
	atomic_t nr[UET_QUOTA_KINDS];
	atomic_t pages;
};

static LIST_HEAD(quotas);
static DEFINE_MUTEX(quota_mutex);
static atomic_t quota_host_pages;
static int quota_max_host_pages;
static int quota_max_pages;
static int quota_max[UET_QUOTA_KINDS] = {
	[UET_QUOTA_FEP] = QUOTA_FEPS,
	[UET_QUOTA_RAIL] = QUOTA_RAILS,
	[UET_QUOTA_JOB] = QUOTA_JOBS,
	[UET_QUOTA_SD] = QUOTA_SDS,
};

static const char *const quota_texts[UET_QUOTA_KINDS] = {
	[UET_QUOTA_FEP] = "fep: this user namespace has as many as sysctl net.uet.user_max_feps of the host allows",
	[UET_QUOTA_RAIL] = "rail: this user namespace has as many as sysctl net.uet.user_max_rails of the host allows",
	[UET_QUOTA_JOB] = "job: this user namespace has as many as sysctl net.uet.user_max_jobs of the host allows",
	[UET_QUOTA_SD] = "sd: this user namespace has as many as sysctl net.uet.user_max_sds of the host allows",
};

#define QUOTA_SYSCTL(name, value) {			\
	.procname = name,				\
	.data = value,					\
	.maxlen = sizeof(int),				\
	.mode = 0644,					\
	.proc_handler = proc_dointvec_minmax,		\
	.extra1 = SYSCTL_ZERO,				\
	.extra2 = SYSCTL_INT_MAX,			\
}

static struct ctl_table_header *quota_sysctls;
static struct ctl_table quota_table[] = {
	QUOTA_SYSCTL("user_max_feps", &quota_max[UET_QUOTA_FEP]),
	QUOTA_SYSCTL("user_max_rails", &quota_max[UET_QUOTA_RAIL]),
	QUOTA_SYSCTL("user_max_jobs", &quota_max[UET_QUOTA_JOB]),
	QUOTA_SYSCTL("user_max_sds", &quota_max[UET_QUOTA_SD]),
	QUOTA_SYSCTL("user_max_pdc_pages", &quota_max_pages),
	{ }
};

/**
 * uet_quota_init() - register the sysctls
 * Return: 0 or -ENOMEM.
 */
int uet_quota_init(void)
{
	quota_max_pages = min_t(unsigned long, INT_MAX, totalram_pages() / QUOTA_PAGES_SHARE);
	quota_max_host_pages = min_t(unsigned long, INT_MAX, totalram_pages() / QUOTA_HOST_SHARE);
	quota_sysctls = uet_register_sysctls(&init_net, quota_table);
	return quota_sysctls ? 0 : -ENOMEM;
}

/**
 * uet_quota_fini() - unregister the sysctls; no namespace is left
 */
void uet_quota_fini(void)
{
	unregister_net_sysctl_table(quota_sysctls);
}

/* Find or make the quota of @top or, without it, of @uid.  Return: NULL: out of memory. */
static struct uet_quota *quota_get(const struct user_namespace *top, kuid_t uid)
{
	struct uet_quota *quota;

	lockdep_assert_held(&quota_mutex);
	list_for_each_entry(quota, &quotas, list) {
		if (quota->top == top && uid_eq(quota->uid, uid))
			return quota;
	}
	quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
	if (!quota)
		return NULL;
	quota->top = top;
	quota->uid = uid;
	list_add(&quota->list, &quotas);
	return quota;
}

/*
 * uet_quota_open() - find the quota of a new namespace
 *
 * The namespace keeps its user namespace, and that the ones around it.  Context: Process.
 * Return: 0 or -ENOMEM.
 */
int uet_quota_open(struct uet_net *un)
{
	const struct user_namespace *top = un->net->user_ns;
	kuid_t uid;

	if (top == &init_user_ns)
		return 0;
	/* The outermost one but the initial one. */
	while (top->parent != &init_user_ns)
		top = top->parent;
	uid = top->owner;
	if (!uid_eq(uid, GLOBAL_ROOT_UID))
		top = NULL;

	mutex_lock(&quota_mutex);
	un->quota = quota_get(top, uid);
	if (un->quota)
		un->quota->nr_nets++;
	mutex_unlock(&quota_mutex);
	return un->quota ? 0 : -ENOMEM;
}

/*
 * uet_quota_close() - end the use of a quota by a namespace without objects
 * Context: Process.
 */
void uet_quota_close(struct uet_net *un)
{
	struct uet_quota *quota = un->quota;

	if (!quota)
		return;
	mutex_lock(&quota_mutex);
	if (!--quota->nr_nets) {
		list_del(&quota->list);
		kfree(quota);
	}
	mutex_unlock(&quota_mutex);
}

/* Return: false, without a change, if @used would be above @max. */
static bool quota_add(atomic_t *used, u32 amount, int max)
{
	int old = atomic_read(used);

	do {
		if ((s64)old + amount > max)
			return false;
	} while (!atomic_try_cmpxchg(used, &old, old + amount));
	return true;
}

/*
 * uet_quota_take() - count an object
 * Return: 0; -ENOSPC: the quota is used up.
 */
int uet_quota_take(struct uet_net *un, enum uet_quota_kind kind, struct netlink_ext_ack *extack)
{
	if (!un->quota || quota_add(&un->quota->nr[kind], 1, READ_ONCE(quota_max[kind])))
		return 0;
	if (extack)
		extack->_msg = quota_texts[kind];
	return -ENOSPC;
}

/*
 * uet_quota_give() - an object of uet_quota_take() has ended
 */
void uet_quota_give(struct uet_net *un, enum uet_quota_kind kind)
{
	if (un->quota)
		atomic_dec(&un->quota->nr[kind]);
}

/*
 * uet_quota_take_pages() - count memory of a PDC that a peer opens
 * Return: false if the quota or the share of the host is used up.
 */
bool uet_quota_take_pages(struct uet_net *un, u32 pages)
{
	if (!quota_add(&quota_host_pages, pages, quota_max_host_pages))
		return false;
	if (!un->quota || quota_add(&un->quota->pages, pages, READ_ONCE(quota_max_pages)))
		return true;
	atomic_sub(pages, &quota_host_pages);
	return false;
}

/*
 * uet_quota_give_pages() - a PDC of uet_quota_take_pages() has ended
 *
 * The host still counts them until uet_quota_free_pages().
 */
void uet_quota_give_pages(struct uet_net *un, u32 pages)
{
	if (un->quota)
		atomic_sub(pages, &un->quota->pages);
}

/*
 * uet_quota_free_pages() - memory of uet_quota_take_pages() is free
 */
void uet_quota_free_pages(u32 pages)
{
	atomic_sub(pages, &quota_host_pages);
}
