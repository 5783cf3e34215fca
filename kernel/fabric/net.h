/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of UET per network namespace: the objects of the configuration, and the counters.
 */
#ifndef UET_NET_H
#define UET_NET_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sysctl.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "base/base.h"
#include "stats.h"

struct uet_history;
struct uet_port_guard;
struct uet_quota;

/* Buckets of uet_net.feps_by_fa, as a power of two. */
#define UET_NET_FEPS_BITS	6

/**
 * struct uet_net - UET in one network namespace
 * @net: the namespace
 * @cfg_mutex: serialises configuration (FEPs, jobs, secure domains).  It may be held
 *	over a grace period, so no code takes it under rtnl
 * @rail_mutex: protects @rails, the rails of FEPs and what the netdev notifier changes.
 *	The notifier takes it under rtnl, so no code waits for a grace period, for
 *	userspace, for rtnl or for the lock of a netdev while it holds @rail_mutex
 * @cfg_seq: odd number that grows with each configuration change, by which a dump
 *	detects an interruption
 * @rails: struct uet_rail by ifindex, written under @rail_mutex, read under RCU
 * @feps: struct uet_fep by number, in the order of their creation; written under both
 *	mutexes, read under RCU
 * @next_fep: number for the next FEP, under both mutexes
 * @ending: struct uet_fep, unlisted FEPs that are not freed yet, under @cfg_mutex
 * @feps_by_fa: the FEPs in @feps by fabric address, RCU, written with @feps
 * @fep_seed: of the hash of @feps_by_fa, random; immutable
 * @jobs: struct uet_job by JobID, written under @cfg_mutex, read under RCU
 * @stats: per-CPU counters
 * @nr_native: number of FEPs with native encapsulation, under @cfg_mutex
 * @nr_wants_trimmed: number of FEPs that receive trimmed packets, under @cfg_mutex
 * @sds: struct uet_sd by number, in the order of their creation; written under
 *	@cfg_mutex, read under RCU
 * @next_sd: number for the next domain, under @cfg_mutex
 * @port_guard: UDP ports that unprivileged sockets cannot send to; RCU pointer, written
 *	under @cfg_mutex, NULL without FEPs that use UDP
 * @quota: limits of the user namespace, NULL for the initial one; immutable
 * @default_job: JobID of AF_INET and AF_INET6 sockets that name no job, 0 for none;
 *	sysctl net.uet.default_job
 * @private_traffic: not everybody may see the counters of FEPs and jobs; sysctl
 *	net.uet.private_traffic
 * @history: PDCs that failed last; written once, before the first FEP is listed; NULL before
 * @collected: when the counters of FEPs, jobs and peers were collected, jiffies, under
 *	@cfg_mutex
 * @sysctl_table: the sysctls of the namespace; immutable
 * @sysctls: their registration; immutable
 *
 * Lock order: lock_sock() of an AF_UET socket -> @cfg_mutex -> @rail_mutex, and
 * rtnl -> lock of a netdev -> @rail_mutex.
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
	struct ctl_table sysctl_table[2 + UET_SYSCTL_ENDS];
	struct ctl_table_header *sysctls;
};

extern unsigned int uet_net_id;

struct uet_net *uet_net(const struct net *net);
int uet_net_sysctls_add(struct uet_net *un);
void uet_net_sysctls_del(struct uet_net *un);
void uet_net_changed(struct uet_net *un);

#endif
