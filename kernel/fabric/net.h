/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per network namespace state: the roots of the configuration and the counters.
 * Level: shell.
 */
#ifndef UET_NET_H
#define UET_NET_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <net/net_namespace.h>

#include "stats.h"

/**
 * struct uet_net - UET in one network namespace
 * @net: the namespace
 * @cfg_mutex: serialises configuration (rails, FEPs, jobs)
 * @cfg_seq: counts changes of the configuration, never 0, so that a dump can
 *	tell it was interrupted; written under @cfg_mutex, READ_ONCE in dumps
 * @rails: struct uet_rail, RCU list, written under @cfg_mutex
 * @feps: struct uet_fep, RCU list, written under @cfg_mutex
 * @jobs: struct uet_job, RCU list, written under @cfg_mutex
 * @stats: per-CPU counters
 * @dead: @stats goes after a grace period, without FEPs nobody may count;
 *	written in netns_exit(), READ_ONCE in native_drop()
 * @nr_wants_trimmed: FEPs that want trimmed packets, under @cfg_mutex
 * @sds: struct uet_sd, RCU list, written under @cfg_mutex
 *
 * Order: genl's mutex -> rtnl -> @cfg_mutex, and lock_sock() of an AF_UET
 * socket -> @cfg_mutex.  The netdev notifier takes @cfg_mutex inside rtnl, so
 * nothing under it may take rtnl; handlers that look at netdevs take rtnl
 * first.  Opening a carrier under it is fine: that needs no rtnl.
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
};

struct uet_net *uet_net(const struct net *net);
void uet_net_changed(struct uet_net *un);
int uet_net_register(struct pernet_operations *ops);

#endif
