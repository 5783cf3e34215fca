// SPDX-License-Identifier: GPL-2.0
/*
 * The life of UET in a network namespace: made empty when the namespace or the
 * module comes, torn down in dependency order (jobs, FEPs, rails) when either
 * goes.  What the configuration means is in rail.c, fep.c and job.c.
 * Level: shell.
 */
#include <net/netns/generic.h>

#include "netlink/features.h"
#include "fep.h"
#include "job.h"
#include "net.h"
#include "rail.h"
#include "tss/sd.h"

static unsigned int net_id __read_mostly;

/**
 * uet_net() - the UET state of a namespace
 * @net: the namespace
 *
 * Context: Any, while the module is loaded and @net is referenced.
 * Return: its state; NULL only while @net is being made or could not be made,
 *	which netdev events see and nobody else.
 */
struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, net_id);
}

/**
 * uet_net_changed() - note that the configuration has changed
 * @un: namespace
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_net_changed(struct uet_net *un)
{
	unsigned int seq = un->cfg_seq + 1;

	lockdep_assert_held(&un->cfg_mutex);

	/* Pairs with the READ_ONCE() in uet_nl_dump_begin(); 0 would switch
	 * the check off.
	 */
	WRITE_ONCE(un->cfg_seq, seq ? seq : 1);
}

static int __net_init net_init(struct net *net)
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
static void __net_exit net_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_features_proc_del(net);

	mutex_lock(&un->cfg_mutex);
	uet_job_flush(un);
	uet_fep_flush(un);
	uet_sd_flush(un);
	uet_rail_flush(un);
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

/* A pernet device: it goes before the netdevs of a dying namespace do. */
static struct pernet_operations net_ops = {
	.init = net_init,
	.exit = net_exit,
	.id = &net_id,
	.size = sizeof(struct uet_net),
};

/**
 * uet_net_init() - begin to follow namespaces
 *
 * Context: Process context, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_net_init(void)
{
	return register_pernet_device(&net_ops);
}

/**
 * uet_net_fini() - tear down every namespace's state
 *
 * Context: Process context, module unload; no socket, genl operation or netdev
 *	event can come any more.
 */
void uet_net_fini(void)
{
	unregister_pernet_device(&net_ops);
}
