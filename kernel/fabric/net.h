/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of UET per network namespace: the objects of the configuration, counters (net.c), and
 * quotas of user namespaces (quota.c).  Events report creation, change and deletion of rails,
 * FEPs and jobs, and state changes of PDCs; netlink/ subscribes to them.
 */
#ifndef UET_NET_H
#define UET_NET_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/sysctl.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "base/base.h"
#include "core/pds/pds.h"
#include "core/wire/wire.h"

struct netlink_ext_ack;
struct uet_fep;
struct uet_history;
struct uet_job;
struct uet_pdc_entry;
struct uet_port_guard;
struct uet_quota;
struct uet_rail;

/* Buckets of uet_net.feps_by_fa, as a power of two. */
#define UET_NET_FEPS_BITS	6

enum uet_mib {
#define UET_MIB(name, text, doc) UET_MIB_##name,
#include "core/mib.def"
#undef UET_MIB
	UET_MIB_NR,
};

/**
 * struct uet_stats - per-CPU counters of a namespace
 * @mib: counters by enum uet_mib
 * @drop: dropped packets, received or unsendable, by enum uet_drop
 */
struct uet_stats {
	u64 mib[UET_MIB_NR];
	u64 drop[UET_DROP_NR];
};

/*
 * struct uet_net - UET in one network namespace
 * @cfg_mutex: serialises configuration (FEPs, jobs, secure domains).  It may be held over a grace
 *	period, so no code takes it under rtnl
 * @rail_mutex: protects @rails, the rails of FEPs and what the netdev notifier changes. The
 *	notifier takes it under rtnl, so no code waits for a grace period, for userspace, for rtnl
 *	or for the lock of a netdev while it holds @rail_mutex
 * @cfg_seq: odd number that grows with each configuration change, by which a dump detects an
 *	interruption
 * @rails: struct uet_rail by ifindex, written under @rail_mutex, read under RCU
 * @feps: struct uet_fep by number, in the order of their creation; written under both mutexes,
 *	read under RCU
 * @next_fep: number for the next FEP, under both mutexes
 * @feps_by_fa: the FEPs in @feps by fabric address, RCU, written with @feps
 * @fep_seed: of the hash of @feps_by_fa, random; immutable
 * @ending: struct uet_fep, unlisted FEPs that are not freed yet, under @cfg_mutex
 * @jobs: struct uet_job by JobID, written under @cfg_mutex, read under RCU
 * @nr_native: number of FEPs with native encapsulation, under @cfg_mutex
 * @nr_wants_trimmed: number of FEPs that receive trimmed packets, under @cfg_mutex
 * @sds: struct uet_sd by number, in the order of their creation; written under @cfg_mutex, read
 *	under RCU
 * @next_sd: number for the next domain, under @cfg_mutex
 * @port_guard: UDP ports that unprivileged sockets cannot send to; RCU pointer, written under
 *	@cfg_mutex, NULL without FEPs that use UDP
 * @quota: limits of the user namespace, NULL for the initial one; immutable
 * @default_job: JobID of AF_INET and AF_INET6 sockets that name no job, 0 for none; sysctl
 * @private_traffic: not everybody may see the counters of FEPs and jobs; sysctl
 * @history: PDCs that failed last; written once, before the first FEP is listed; NULL before
 * @collected: when the counters of FEPs, jobs and peers were collected, jiffies, under @cfg_mutex
 * @sysctl_table: the sysctls of the namespace; immutable, as @sysctls
 *
 * Lock order: lock_sock() of an AF_UET socket -> @cfg_mutex -> @rail_mutex, and rtnl -> lock of a
 * netdev -> @rail_mutex.
 */
struct uet_net {
	struct net *net;
	struct mutex cfg_mutex;
	struct mutex rail_mutex;
	atomic_t cfg_seq;
	struct xarray rails;
	struct xarray feps;
	u32 next_fep;
	DECLARE_HASHTABLE(feps_by_fa, UET_NET_FEPS_BITS);
	u32 fep_seed;
	struct list_head ending;
	struct xarray jobs;
	struct uet_stats __percpu *stats;
	unsigned int nr_native;
	unsigned int nr_wants_trimmed;
	struct xarray sds;
	u32 next_sd;
	struct uet_port_guard __rcu *port_guard;
	struct uet_quota *quota;
	u32 default_job;
	u32 private_traffic;
	struct uet_history *history;
	unsigned long collected;
	struct ctl_table sysctl_table[3];
	struct ctl_table_header *sysctls;
};

extern unsigned int uet_net_id;

struct uet_net *uet_net(const struct net *net);
void uet_net_changed(struct uet_net *un);

/* Counters may be increased in any context. */
static inline void uet_mib_add(struct uet_net *un, enum uet_mib which, u64 n)
{
	this_cpu_add(un->stats->mib[which], n);
}

static inline void uet_mib_inc(struct uet_net *un, enum uet_mib which)
{
	uet_mib_add(un, which, 1);
}

/* UET_DROP_NONE is not counted. */
static inline void uet_drop_add(struct uet_net *un, enum uet_drop why, u32 count)
{
	if (why != UET_DROP_NONE)
		this_cpu_add(un->stats->drop[why], count);
}

static inline void uet_drop_count(struct uet_net *un, enum uet_drop why)
{
	uet_drop_add(un, why, 1);
}

u64 uet_stats_sum(const u64 __percpu *counter);

/* Action argument of a notifier call, with its data. */
enum uet_event {
	UET_EVENT_RAIL,		/* created or changed; struct uet_rail */
	UET_EVENT_RAIL_DEL,	/* is being deleted */
	UET_EVENT_FEP,		/* created or changed; struct uet_fep */
	UET_EVENT_FEP_DEL,	/* about to be deleted */
	UET_EVENT_JOB,		/* created; struct uet_job */
	UET_EVENT_JOB_DEL,	/* about to be deleted */
	UET_EVENT_PDC,		/* changed its state; struct uet_pdc_event_data */
};

/*
 * struct uet_pdc_event_data - state change of a PDC
 * @info: new state
 */
struct uet_pdc_event_data {
	const struct uet_fep *fep;
	const struct uet_pdc_entry *pe;
	const struct uet_pdc_info *info;
};

void uet_event_rail(const struct uet_rail *rail, bool is_deleted);
void uet_event_fep(const struct uet_fep *fep, bool is_deleted);
void uet_event_job(const struct uet_job *job, bool is_deleted);
void uet_event_pdc(const struct uet_fep *fep, const struct uet_pdc_entry *pe,
		   const struct uet_pdc_info *info);
int uet_event_subscribe(struct notifier_block *config, struct notifier_block *pdc);
void uet_event_unsubscribe(struct notifier_block *config, struct notifier_block *pdc);

/* Kinds of objects with a limit. */
enum uet_quota_kind {
	UET_QUOTA_FEP,
	UET_QUOTA_RAIL,
	UET_QUOTA_JOB,
	UET_QUOTA_SD,
	UET_QUOTA_KINDS
};

int uet_quota_init(void);
void uet_quota_fini(void);
int uet_quota_open(struct uet_net *un);
void uet_quota_close(struct uet_net *un);
int uet_quota_take(struct uet_net *un, enum uet_quota_kind kind, struct netlink_ext_ack *extack);
void uet_quota_give(struct uet_net *un, enum uet_quota_kind kind);
bool uet_quota_take_pages(struct uet_net *un, u32 pages);
void uet_quota_give_pages(struct uet_net *un, u32 pages);
void uet_quota_free_pages(u32 pages);

#endif
