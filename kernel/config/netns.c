// SPDX-License-Identifier: GPL-2.0
/*
 * UET state of a network namespace: created empty with the namespace or at module load,
 * and destroyed in dependency order (jobs, FEPs, secure domains, rails).  Also the list of
 * capabilities of the module, which /proc/net/uet/features shows to programs without netlink, one
 * "key: value" per line.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uet.h>

#include "config.h"
#include "core/wire/wire.h"
#include "fabric/fabric.h"
#include "pdc/pdc.h"
#include "socket/socket.h"
#include "stream/stream.h"
#include "tss/tss.h"

static const char * const features_capabilities[] = {
#define UET_FEATURE(name, use)	name,
#include "features.def"
#undef UET_FEATURE
};

/*
 * uet_features_capability() - capability number @index, or NULL after the last one
 */
const char *uet_features_capability(unsigned int index)
{
	return index < ARRAY_SIZE(features_capabilities) ? features_capabilities[index] : NULL;
}

static int features_show(struct seq_file *seq, void *v)
{
	unsigned int i;

	seq_puts(seq, "version: " UET_VERSION "\n");
	seq_printf(seq, "family: %d\n", uet_sock_family());
	seq_printf(seq, "sol: %d\n", SOL_UET);
	seq_puts(seq, "wire-version: " UET_WIRE_VERSION "\n");
	seq_printf(seq, "port: %d\n", UET_PORT_DEFAULT);
	seq_puts(seq, "capabilities:");
	for (i = 0; i < ARRAY_SIZE(features_capabilities); i++)
		seq_printf(seq, " %s", features_capabilities[i]);
	seq_putc(seq, '\n');
	return 0;
}

static int features_proc_add(struct net *net)
{
	struct proc_dir_entry *dir;

	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;

	dir = proc_net_mkdir(net, "uet", net->proc_net);
	if (!dir)
		return -ENOMEM;
	if (proc_create_net_single("features", 0444, dir, features_show, NULL))
		return 0;
	remove_proc_subtree("uet", net->proc_net);
	return -ENOMEM;
}

static const unsigned int netns_job_max = UET_JOBID_MAX;

/* Root of the user namespace that owns the network namespace may write them. */
static int netns_add_sysctls(struct uet_net *un)
{
	un->sysctl_table[0] = (struct ctl_table){
		.procname = "default_job",
		.data = &un->default_job,
		.maxlen = sizeof(un->default_job),
		.mode = 0644,
		.proc_handler = proc_douintvec_minmax,
		.extra1 = SYSCTL_ZERO,
		.extra2 = (void *)&netns_job_max,
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
	un->sysctls = uet_register_sysctls(un->net, un->sysctl_table);
	return un->sysctls ? 0 : -ENOMEM;
}

static int __net_init netns_init(struct net *net)
{
	struct uet_net *un = uet_net(net);
	int err;

	un->net = net;
	atomic_set(&un->cfg_seq, 1);
	mutex_init(&un->cfg_mutex);
	mutex_init(&un->rail_mutex);
	xa_init_flags(&un->rails, XA_FLAGS_ACCOUNT);
	xa_init_flags(&un->feps, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	hash_init(un->feps_by_fa);
	un->fep_seed = get_random_u32();
	INIT_LIST_HEAD(&un->ending);
	xa_init_flags(&un->jobs, XA_FLAGS_ACCOUNT);
	xa_init_flags(&un->sds, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	err = uet_quota_open(un);
	if (err)
		return err;
	err = -ENOMEM;
	un->stats = alloc_percpu_gfp(struct uet_stats, GFP_KERNEL_ACCOUNT);
	if (!un->stats)
		goto err_quota;

	err = netns_add_sysctls(un);
	if (err)
		goto err_stats;
	err = features_proc_add(net);
	if (err)
		goto err_sysctls;
	return 0;

err_sysctls:
	unregister_net_sysctl_table(un->sysctls);
err_stats:
	free_percpu(un->stats);
err_quota:
	uet_quota_close(un);
	return err;
}

/*
 * Stop receiving.  No AF_UET socket exists at this point, because sockets hold the
 * namespace and the module.  Idle PDCs may exist.  The core of namespaces waits for a
 * grace period between this function and netns_exit_batch().
 */
static void __net_exit netns_pre_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_stream_ep_wait();
	mutex_lock(&un->cfg_mutex);
	uet_job_flush(un);
	uet_config_hide_feps(un);
	mutex_lock(&un->rail_mutex);
	uet_config_flush_rails(un);
	mutex_unlock(&un->rail_mutex);
	mutex_unlock(&un->cfg_mutex);
}

/* Return: whether the namespace has FEPs. */
static bool __net_exit netns_abort(struct uet_net *un)
{
	bool has_feps;

	mutex_lock(&un->cfg_mutex);
	has_feps = uet_config_abort_feps(un);
	mutex_unlock(&un->cfg_mutex);
	return has_feps;
}

static void __net_exit netns_free(struct uet_net *un)
{
	mutex_lock(&un->cfg_mutex);
	uet_config_free_feps(un);
	uet_sd_flush(un);
	mutex_unlock(&un->cfg_mutex);
	uet_history_free(un);
	free_percpu(un->stats);
	uet_quota_close(un);
}

/*
 * Namespaces that end together share one grace period, and those without FEPs need none.
 * It waits for run loops, which count.  The memory of PDCs is freed after another one, but
 * no RCU callback accesses struct uet_net.
 */
static void __net_exit netns_exit_batch(struct list_head *nets)
{
	bool has_feps = false;
	struct net *net;

	list_for_each_entry(net, nets, exit_list) {
		remove_proc_subtree("uet", net->proc_net);
		unregister_net_sysctl_table(uet_net(net)->sysctls);
		has_feps |= netns_abort(uet_net(net));
	}
	if (has_feps) {
		synchronize_net();
		uet_pdc_entry_wait();
	}
	list_for_each_entry(net, nets, exit_list)
		netns_free(uet_net(net));
}

/* A pernet device: a namespace that ends calls exit before its netdevs go. */
static struct pernet_operations netns_ops = {
	.init = netns_init,
	.pre_exit = netns_pre_exit,
	.exit_batch = netns_exit_batch,
	.id = &uet_net_id,
	.size = sizeof(struct uet_net),
};

/**
 * uet_config_follow_netns() - create the state of every namespace
 * Return: 0 or -ENOMEM.
 */
int uet_config_follow_netns(void)
{
	int err = uet_quota_init();

	if (err)
		return err;
	err = register_pernet_device(&netns_ops);
	if (err)
		uet_quota_fini();
	return err;
}

/**
 * uet_config_ignore_netns() - destroy the state of every namespace
 *
 * No socket, genl operation or netdev event is possible.
 */
void uet_config_ignore_netns(void)
{
	unregister_pernet_device(&netns_ops);
	uet_quota_fini();
}
