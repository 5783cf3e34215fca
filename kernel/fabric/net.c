// SPDX-License-Identifier: GPL-2.0
/*
 * UET state of a network namespace: look-up, the counter of configuration changes, and
 * the sysctls. config/netns.c creates and destroys the state.
 */
#include <linux/uet.h>
#include <net/netns/generic.h>

#include "net.h"

/* The place of struct uet_net in a namespace; config/netns.c registers it. */
unsigned int uet_net_id __read_mostly;

/**
 * uet_net() - the UET state of a namespace
 * @net: the namespace
 *
 * Context: Any, while the module is loaded and @net is referenced.
 * Return: the UET state; NULL while @net is being created or after its creation
 *	failed.  Only the netdev notifier can get NULL.
 */
struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, uet_net_id);
}

/**
 * uet_net_changed() - count a change of the configuration
 * @un: namespace
 */
void uet_net_changed(struct uet_net *un)
{
	/*
	 * Pairs with the atomic_read() in uet_nl_dump_begin().  An odd number is never
	 * 0, which would disable the consistency check of dumps.
	 */
	atomic_add(2, &un->cfg_seq);
}

static const unsigned int net_job_max = UET_JOBID_MAX;

/**
 * uet_net_sysctls_add() - register the sysctls of a namespace
 * @un: namespace; all zero but un->net
 *
 * Root of the user namespace that owns the network namespace may write them.
 *
 * Context: Process.
 * Return: 0 or -ENOMEM.
 */
int uet_net_sysctls_add(struct uet_net *un)
{
	un->sysctl_table[0] = (struct ctl_table){
		.procname = "default_job",
		.data = &un->default_job,
		.maxlen = sizeof(un->default_job),
		.mode = 0644,
		.proc_handler = proc_douintvec_minmax,
		.extra1 = SYSCTL_ZERO,
		.extra2 = (void *)&net_job_max,
	};
	un->sysctl_table[1] = (struct ctl_table){
		.procname = "private_traffic",
		.data = &un->private_traffic,
		.maxlen = sizeof(un->private_traffic),
		.mode = 0644,
		.proc_handler = proc_douintvec_minmax,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_ONE,
	};
	un->sysctls = register_net_sysctl(un->net, "net/uet", un->sysctl_table);
	return un->sysctls ? 0 : -ENOMEM;
}

/**
 * uet_net_sysctls_del() - unregister the sysctls of a namespace
 * @un: namespace
 *
 * Context: Process.
 */
void uet_net_sysctls_del(struct uet_net *un)
{
	unregister_net_sysctl_table(un->sysctls);
}
