// SPDX-License-Identifier: GPL-2.0
/*
 * UET state of a network namespace: created empty with the namespace or at module load,
 * and destroyed in dependency order (jobs, FEPs, secure domains, rails).
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
 * No AF_UET socket exists at this point, because sockets hold the namespace and the
 * module.  Idle PDCs may exist; deleting their FEP frees them.  Their memory is freed
 * after a grace period, but no RCU callback accesses @un.
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
	 * Softirq code may still count.  FEPs of other namespaces may still deliver
	 * packets to this namespace.  Pairs with the READ_ONCE() in native_drop().
	 */
	WRITE_ONCE(un->dead, true);
	synchronize_rcu();
	free_percpu(un->stats);
}

/* A pernet device: a namespace that ends calls exit before its netdevs go. */
static struct pernet_operations netns_ops = {
	.init = netns_init,
	.exit = netns_exit,
	.id = &uet_net_id,
	.size = sizeof(struct uet_net),
};

/**
 * uet_config_follow_netns() - create the state of every namespace
 *
 * Context: Process context, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_config_follow_netns(void)
{
	return register_pernet_device(&netns_ops);
}

/**
 * uet_config_ignore_netns() - destroy the state of every namespace
 *
 * Context: Process context, module unload; no socket, genl operation or netdev
 *	event is possible.
 */
void uet_config_ignore_netns(void)
{
	unregister_pernet_device(&netns_ops);
}
