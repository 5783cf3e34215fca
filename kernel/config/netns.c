// SPDX-License-Identifier: GPL-2.0
/*
 * The life of UET in a network namespace: made empty when the namespace or the module
 * comes, and taken down in dependency order (jobs, FEPs, secure domains, rails) when
 * either goes.
 */
#include "config.h"
#include "fabric/fabric.h"
#include "features.h"
#include "tss/tss.h"

static int __net_init netns_init(struct net *net)
{
	struct uet_net *un = uet_net(net);
	int err;

	un->net = net;
	un->cfg_seq = 1;
	mutex_init(&un->cfg_mutex);
	INIT_LIST_HEAD(&un->rails);
	INIT_LIST_HEAD(&un->feps);
	INIT_LIST_HEAD(&un->jobs);
	INIT_LIST_HEAD(&un->sds);
	un->stats = uet_stats_alloc();
	if (!un->stats)
		return -ENOMEM;

	err = uet_features_proc_add(net);
	if (err)
		goto err_stats;
	return 0;

err_stats:
	free_percpu(un->stats);
	return err;
}

/*
 * No AF_UET socket is left here: sockets hold the namespace and the module.
 * PDCs can be, with nothing to send; they end with their FEP.  Their memory
 * is freed after a grace period, but none of what runs then looks at @un.
 */
static void __net_exit netns_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_features_proc_del(net);

	mutex_lock(&un->cfg_mutex);
	uet_job_flush(un);
	uet_config_flush_feps(un);
	uet_sd_flush(un);
	uet_config_flush_rails(un);
	mutex_unlock(&un->cfg_mutex);

	/*
	 * The counters outlive everything that still counts in softirq.  FEPs of
	 * other namespaces may keep packets coming to us: pairs with the
	 * READ_ONCE() in native_drop().
	 */
	WRITE_ONCE(un->dead, true);
	synchronize_rcu();
	free_percpu(un->stats);
}

static struct pernet_operations netns_ops = {
	.init = netns_init,
	.exit = netns_exit,
};

/**
 * uet_config_follow_netns() - begin to follow namespaces
 *
 * Context: Process context, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_config_follow_netns(void)
{
	return uet_net_register(&netns_ops);
}

/**
 * uet_config_ignore_netns() - take down the state of every namespace
 *
 * Context: Process context, module unload; no socket, genl operation or netdev
 *	event can come any more.
 */
void uet_config_ignore_netns(void)
{
	unregister_pernet_device(&netns_ops);
}
