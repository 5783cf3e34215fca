/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of UET per network namespace: the lists of the configuration, and the counters.
 */
#ifndef UET_NET_H
#define UET_NET_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <net/net_namespace.h>

#include "stats.h"

struct uet_port_guard;

/**
 * struct uet_net - UET in one network namespace
 * @net: the namespace
 * @cfg_mutex: serialises configuration (rails, FEPs, jobs)
 * @cfg_seq: number of configuration changes, never 0, by which a dump detects an
 *	interruption; written under @cfg_mutex, READ_ONCE in dumps
 * @rails: struct uet_rail, RCU list, written under @cfg_mutex
 * @feps: struct uet_fep, RCU list, written under @cfg_mutex
 * @jobs: struct uet_job, RCU list, written under @cfg_mutex
 * @stats: per-CPU counters
 * @dead: @stats is freed after a grace period, and code without a FEP must not count;
 *	written in netns_exit(), READ_ONCE in native_drop()
 * @nr_wants_trimmed: number of FEPs that receive trimmed packets, under @cfg_mutex
 * @sds: struct uet_sd, RCU list, written under @cfg_mutex
 * @port_guard: UDP ports that unprivileged sockets cannot send to; RCU pointer, written
 *	under @cfg_mutex, NULL without FEPs that use UDP
 *
 * Lock order: genl's mutex -> rtnl -> @cfg_mutex, and lock_sock() of an AF_UET
 * socket -> @cfg_mutex.  The netdev notifier takes @cfg_mutex inside rtnl, so
 * code that holds @cfg_mutex must not take rtnl.  Handlers that access netdevs take rtnl
 * first.  Opening a carrier under @cfg_mutex is allowed, because carriers need no rtnl.
 */
struct uet_net {
	struct net *net;
	struct mutex cfg_mutex;
	unsigned int cfg_seq;
	struct list_head rails;
	struct list_head feps;
	struct list_head jobs;
	struct uet_stats __percpu *stats;
	bool dead;
	unsigned int nr_wants_trimmed;
	struct list_head sds;
	struct uet_port_guard __rcu *port_guard;
};

extern unsigned int uet_net_id;

struct uet_net *uet_net(const struct net *net);
void uet_net_changed(struct uet_net *un);

#endif
