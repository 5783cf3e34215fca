// SPDX-License-Identifier: GPL-2.0
/*
 * The life of rails, FEPs and namespaces.
 *
 * The administrator creates and removes rails, and a netdev notifier follows their netdevs.  Link
 * down makes a rail unusable but does not remove it.  Unregistration of the netdev removes the
 * rail.
 *
 * A FEP consists of parts of all folders.  Its deletion frees everything that depends on it.
 *
 * The UET state of a network namespace is created empty with the namespace or at module load, and
 * destroyed in dependency order (jobs, FEPs, secure domains, rails).  /proc/net/uet/features shows
 * the capabilities of the module to programs without netlink, one "key: value" per line.
 */
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uet.h>

#include "base/base.h"
#include "carrier/carrier.h"
#include "cms/cms.h"
#include "config.h"
#include "core/wire/wire.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "pdc/pdc.h"
#include "rx/rx.h"
#include "socket/socket.h"
#include "stream/stream.h"
#include "tss/tss.h"

/* -------------------------------------------------------------------- rails */

/* Context: uet_net.rail_mutex held.  Return: NULL with an extack message. */
static struct uet_rail *rail_find(struct uet_net *un, int ifindex, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = uet_rail_find(un, ifindex);

	lockdep_assert_held(&un->rail_mutex);
	if (!rail)
		NL_SET_ERR_MSG(extack, "rail: netdev is not a rail");
	return rail;
}

/*
 * uet_config_add_rail() - make a netdev of the namespace a rail
 * @speed_mbps: from uet_rail_read_speed()
 * Context: Process context, rtnl and uet_net.rail_mutex held.  rtnl prevents that @dev is
 *	unregistered before the rail is in uet_net.rails.
 * Return: 0, -EEXIST, -ENOSPC: the quota is used up, -ENOMEM.
 */
int uet_config_add_rail(struct uet_net *un, struct net_device *dev, u32 plane,
			u32 speed_mbps, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail;
	int err;

	ASSERT_RTNL();
	lockdep_assert_held(&un->rail_mutex);

	if (uet_rail_find(un, dev->ifindex))
		return uet_refuse(extack, -EEXIST, "rail: netdev is a rail already");

	err = uet_quota_take(un, UET_QUOTA_RAIL, extack);
	if (err)
		return err;
	rail = uet_rail_alloc(un, dev, plane, speed_mbps);
	if (!rail || xa_insert(&un->rails, dev->ifindex, rail, GFP_KERNEL)) {
		if (rail)
			uet_rail_free(rail);
		uet_quota_give(un, UET_QUOTA_RAIL);
		return uet_refuse(extack, -ENOMEM, "rail: out of memory");
	}
	uet_net_changed(un);
	uet_event_rail(rail, false);
	return 0;
}

static void rail_remove(struct uet_rail *rail)
{
	unsigned long number;
	struct uet_fep *fep;

	lockdep_assert_held(&rail->un->rail_mutex);

	uet_ingress_set(rail, false, NULL);
	xa_erase(&rail->un->rails, rail->ifindex);
	xa_for_each(&rail->un->feps, number, fep)
		if (uet_fep_forget_rail(fep, rail))
			uet_ccc_entry_update_rates(fep);
	uet_net_changed(rail->un);
	uet_event_rail(rail, true);
	uet_quota_give(rail->un, UET_QUOTA_RAIL);
	uet_rail_free(rail);
}

/*
 * uet_config_del_rail() - remove a rail
 * Context: Process context, uet_net.rail_mutex held.
 * Return: 0, -ENOENT, -EBUSY while a FEP uses the rail.
 */
int uet_config_del_rail(struct uet_net *un, int ifindex, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = rail_find(un, ifindex, extack);
	struct uet_fep *fep;

	if (!rail)
		return -ENOENT;
	fep = uet_fep_find_rail(un, rail);
	if (fep) {
		uet_extack_fmt(extack, "rail: a fep uses it",
			       "rail: fep %s uses it", fep->cfg.name);
		return -EBUSY;
	}
	rail_remove(rail);
	return 0;
}

/*
 * uet_config_set_ingress() - deliver UET packets from the ingress hook of a netdev, before IP,
 * or not
 * Context: Process context, uet_net.rail_mutex held.
 * Return: 0; -ENOENT; -ENOMEM; -EOPNOTSUPP: the kernel has no ingress hook.
 */
int uet_config_set_ingress(struct uet_net *un, int ifindex, bool on, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = rail_find(un, ifindex, extack);
	bool was_on;
	int err;

	if (!rail)
		return -ENOENT;
	was_on = rail->is_ingress;
	err = uet_ingress_set(rail, on, extack);
	if (!err && was_on != on)
		uet_event_rail(rail, false);
	return err;
}

/* Remove all rails.  Context: uet_net.rail_mutex held. */
static void config_flush_rails(struct uet_net *un)
{
	unsigned long ifindex;
	struct uet_rail *rail;

	xa_for_each(&un->rails, ifindex, rail)
		rail_remove(rail);
}

/* Handle a change of the link state, the MTU or the speed of the netdev. */
static void rail_refresh(struct uet_rail *rail, unsigned long event)
{
	unsigned long number;
	struct uet_fep *fep;

	if (event == NETDEV_UP || event == NETDEV_CHANGE)
		uet_rail_update_speed(rail);
	if (uet_rail_refresh(rail) || event == NETDEV_CHANGEMTU)
		uet_event_rail(rail, false);
	xa_for_each(&rail->un->feps, number, fep)
		if (uet_fep_refresh_rail(fep, rail))
			uet_ccc_entry_update_rates(fep);
}

static int rail_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct uet_net *un = uet_net(dev_net(dev));
	struct uet_rail *rail;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_UNREGISTER:
		break;
	default:
		return NOTIFY_DONE;
	}

	/*
	 * If the creation of a namespace fails, its loopback device is unregistered,
	 * possibly before the UET state exists.
	 */
	if (!un)
		return NOTIFY_DONE;

	/* Never cfg_mutex: its holder may wait for a grace period. */
	mutex_lock(&un->rail_mutex);
	rail = uet_rail_find(un, dev->ifindex);
	if (rail && event == NETDEV_UNREGISTER)
		rail_remove(rail);
	else if (rail)
		rail_refresh(rail, event);
	mutex_unlock(&un->rail_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block rail_notifier = {
	.notifier_call = rail_netdev_event,
};

/**
 * uet_config_follow_netdevs() - register the netdev notifier, after uet_config_follow_netns()
 * Return: 0 or a negative errno.
 */
int uet_config_follow_netdevs(void)
{
	return register_netdevice_notifier(&rail_notifier);
}

/**
 * uet_config_ignore_netdevs() - unregister the netdev notifier
 *
 * Removes all rails: unregistering a notifier replays NETDEV_UNREGISTER for each netdev.
 */
void uet_config_ignore_netdevs(void)
{
	unregister_netdevice_notifier(&rail_notifier);
}

/* --------------------------------------------------------------------- FEPs */

/* Check @cfg and set its protect_len, and its mtu if that is 0. Return: 0 or a negative errno. */
static int config_check_fep(struct uet_net *un, struct uet_fep_cfg *cfg,
			    const struct uet_fep_settings *settings, struct netlink_ext_ack *extack)
{
	bool is_v6 = cfg->fa.family == AF_INET6;

	if (cfg->sd && cfg->sd->core.cfg.is_v6 != is_v6)
		return uet_refuse(extack, -EINVAL,
				  "fep: the sd is for addresses of the other family");
	if (cfg->sd)
		cfg->protect_len = uet_sd_overhead(cfg->sd);
	else
		cfg->protect_len = cfg->crc ? UET_CRC_LEN : 0;
	if (!cfg->mtu)
		uet_fep_choose_mtu(un, cfg, settings);
	return uet_fep_check(un, cfg, settings, extack);
}

/*
 * An unlisted FEP with the parts of all folders; NULL: out of memory.  A counted FEP is
 * uncounted by config_free_fep().
 */
static struct uet_fep *config_make_fep(struct uet_net *un, const struct uet_fep_cfg *cfg,
				       const struct uet_fep_settings *settings)
{
	struct uet_fep *fep = uet_history_make(un) ? NULL : uet_fep_alloc(un, cfg, settings);

	if (!fep)
		return NULL;
	fep->carrier = uet_carrier_of(cfg->encap);
	fep->head_len = fep->carrier->head_len;
	fep->rcv = &uet_rx_rcv;
	fep->cms = uet_fep_cms_alloc(fep);
	if (!fep->cms)
		goto err_fep;
	fep->eps = uet_ep_table_alloc();
	if (!fep->eps)
		goto err_fep;
	fep->pdcs = uet_pdc_table_alloc(un);
	if (!fep->pdcs)
		goto err_eps;
	return fep;

err_eps:
	uet_ep_table_fini(fep->eps);
err_fep:
	uet_fep_put(fep);
	return NULL;
}

static void config_free_fep(struct uet_fep *fep)
{
	uet_pdc_table_fini(fep->pdcs);
	uet_ep_table_fini(fep->eps);
	uet_quota_give(fep->un, UET_QUOTA_FEP);
	uet_fep_put(fep);
}

static int config_open_fep(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fep);
	int err = uet_trim_want(fep, uet_fep_settings_trim(settings), extack);

	if (err)
		return err;
	err = uet_carrier_open(fep, extack);
	if (err)
		uet_trim_want(fep, false, NULL);
	return err;
}

static int config_list_fep(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	struct uet_net *un = fep->un;
	int err;

	mutex_lock(&un->rail_mutex);
	err = uet_fep_list(fep, extack);
	if (!err) {
		uet_net_changed(un);
		uet_event_fep(fep, false);
	}
	mutex_unlock(&un->rail_mutex);
	return err;
}

/*
 * Free a FEP and everything on it.  Possible concurrent users, and the step that ends
 * each of them:
 *
 * - The receive path finds the FEP through the carrier, and trimmed packets and dumps
 *   find it in uet_net.  config_shut_fep() hides the FEP from them, and the grace period
 *   after it waits for them.
 * - config_abort_feps() kills PDCs and RUDI requests.  The grace period after it waits for
 *   senders and timers in the middle of a run, and uet_pdc_entry_wait() for workers.
 * - The pacer timer has no PDC left to grant credit to.
 * - A socket holds its job, and a job prevents the deletion of its FEPs.
 * - The netlink ping holds uet_net.cfg_mutex.
 *
 * The caller waits, so that the FEPs of many namespaces share the grace periods.
 */
static void config_shut_fep(struct uet_fep *fep)
{
	WRITE_ONCE(fep->dead, true);
	uet_trim_want(fep, false, NULL);
	uet_carrier_close(fep);
}

/* Unlist a FEP, with its event, and shut it. */
static void config_hide_fep(struct uet_fep *fep)
{
	struct uet_net *un = fep->un;

	lockdep_assert_held(&un->cfg_mutex);

	mutex_lock(&un->rail_mutex);
	uet_event_fep(fep, true);
	uet_fep_unlist(fep);
	uet_net_changed(un);
	mutex_unlock(&un->rail_mutex);
	config_shut_fep(fep);
}

/*
 * Abort PDCs and RUDI requests of the FEPs in uet_net.ending, a grace period after
 * config_shut_fep() of each of them.
 * Context: Process context, uet_net.cfg_mutex held; waits for no grace period.
 * Return: true if there are FEPs; the caller waits for a grace period then.
 */
static bool config_abort_feps(struct uet_net *un)
{
	struct uet_fep *fep;

	list_for_each_entry(fep, &un->ending, ending) {
		uet_rudi_entry_kill_all(fep);
		uet_pdc_entry_kill_all(fep);
	}
	return !list_empty(&un->ending);
}

/*
 * Free the FEPs in uet_net.ending, a grace period and uet_pdc_entry_wait() after
 * config_abort_feps().
 * Context: Process context, uet_net.cfg_mutex held.
 */
static void config_free_feps(struct uet_net *un)
{
	struct uet_fep *fep, *next;

	list_for_each_entry_safe(fep, next, &un->ending, ending) {
		list_del(&fep->ending);
		uet_fep_pacer_shut(&fep->cms->pacer);
		if (fep->carrier->free)
			fep->carrier->free(fep);
		if (fep->cfg.sd)
			uet_sd_unuse_fep(fep->cfg.sd);
		config_free_fep(fep);
	}
}

/* Free the FEPs in uet_net.ending. */
static void config_end_feps(struct uet_net *un)
{
	synchronize_net();
	config_abort_feps(un);
	synchronize_net();
	uet_pdc_entry_wait();
	config_free_feps(un);
}

/*
 * uet_config_add_fep() - create a FEP, each field of @cfg within its range
 * @settings: checked settings
 *
 * All checks precede the first allocation.
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; the error of uet_fep_check(); -EINVAL: the secure domain has the other address
 *	family; -ENOSPC: the quota is used up; -ENOMEM; or the error of uet_carrier_open():
 *	-EADDRINUSE if another socket has the port, -EBUSY if the kernel has a handler for the IP
 *	protocol.
 */
int uet_config_add_fep(struct uet_net *un, const struct uet_fep_cfg *cfg,
		       const struct uet_fep_settings *settings, struct netlink_ext_ack *extack)
{
	struct uet_fep_cfg full = *cfg;
	struct uet_fep *fep;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	mutex_lock(&un->rail_mutex);
	err = config_check_fep(un, &full, settings, extack);
	mutex_unlock(&un->rail_mutex);
	if (!err)
		err = uet_quota_take(un, UET_QUOTA_FEP, extack);
	if (err)
		return err;
	fep = config_make_fep(un, &full, settings);
	if (!fep) {
		uet_quota_give(un, UET_QUOTA_FEP);
		return uet_refuse(extack, -ENOMEM, "fep: out of memory");
	}
	err = config_open_fep(fep, extack);
	if (err) {
		config_free_fep(fep);
		return err;
	}
	if (full.sd)
		uet_sd_use_fep(full.sd, fep);
	err = config_list_fep(fep, extack);
	if (err) {
		config_shut_fep(fep);
		list_add_tail(&fep->ending, &un->ending);
		config_end_feps(un);
	}
	return err;
}

/*
 * uet_config_del_fep() - delete a FEP
 *
 * Messages of closed sockets that are still in flight are lost.
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -ENOENT; -EBUSY while a job uses the FEP.
 */
int uet_config_del_fep(struct uet_net *un, const char *name, struct netlink_ext_ack *extack)
{
	struct uet_fep *fep;
	struct uet_job *job;
	unsigned long id;

	lockdep_assert_held(&un->cfg_mutex);

	fep = uet_fep_find(un, name);
	if (!fep)
		return uet_refuse(extack, -ENOENT, "fep: no such fep");
	xa_for_each(&un->jobs, id, job) {
		if (!uet_job_has_fep(job, fep))
			continue;
		uet_extack_fmt(extack, "fep: a job uses it", "fep: job %u uses it", job->cfg.id);
		return -EBUSY;
	}
	config_hide_fep(fep);
	config_end_feps(un);
	return 0;
}

/*
 * Begin the end of all FEPs, after the last job.
 * Context: Process context, uet_net.cfg_mutex held; waits for no grace period.
 */
static void config_hide_feps(struct uet_net *un)
{
	unsigned long number;
	struct uet_fep *fep;

	xa_for_each(&un->feps, number, fep)
		config_hide_fep(fep);
}

/*
 * uet_config_set_fep() - change the settings of a FEP
 * @settings: complete settings, checked
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -ENOMEM or -EINVAL without a change.
 */
int uet_config_set_fep(struct uet_fep *fep, const struct uet_fep_settings *settings,
		       struct netlink_ext_ack *extack)
{
	struct uet_fep_settings *new;
	u32 min_mtu;
	int err;

	lockdep_assert_held(&fep->un->cfg_mutex);

	new = uet_fep_settings_dup(settings);
	if (!new)
		return uet_refuse(extack, -ENOMEM, "fep: out of memory");
	mutex_lock(&fep->un->rail_mutex);
	min_mtu = fep->min_mtu;
	err = uet_fep_raise_min_mtu(fep, new, extack);
	if (!err)
		err = uet_trim_want(fep, uet_fep_settings_trim(new), extack);
	if (!err)
		uet_fep_publish(fep, new);
	else
		WRITE_ONCE(fep->min_mtu, min_mtu);
	mutex_unlock(&fep->un->rail_mutex);
	if (err)
		uet_fep_settings_put(new);
	return err;
}

/* --------------------------------------------------------------- namespaces */

static const char * const features_capabilities[] = {
#define UET_FEATURE(name, use)	name,
#include "features.def"
#undef UET_FEATURE
};

/* Does the kernel have what a capability needs? */
static bool features_has_kernel(const char *capability)
{
	return UET_HAS_ZEROCOPY || strcmp(capability, "zerocopy");
}

/*
 * uet_features_capability() - capability number @index, or NULL after the last one
 */
const char *uet_features_capability(unsigned int index)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(features_capabilities); i++)
		if (features_has_kernel(features_capabilities[i]) && !index--)
			return features_capabilities[i];
	return NULL;
}

static int features_show(struct seq_file *seq, void *v)
{
	const char *capability;
	unsigned int i;

	seq_puts(seq, "version: " UET_VERSION "\n");
	seq_printf(seq, "family: %d\n", uet_sock_family());
	seq_printf(seq, "sol: %d\n", SOL_UET);
	seq_puts(seq, "wire-version: " UET_WIRE_VERSION "\n");
	seq_printf(seq, "port: %d\n", UET_PORT_DEFAULT);
	seq_puts(seq, "capabilities:");
	for (i = 0; (capability = uet_features_capability(i)); i++)
		seq_printf(seq, " %s", capability);
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
	config_hide_feps(un);
	mutex_lock(&un->rail_mutex);
	config_flush_rails(un);
	mutex_unlock(&un->rail_mutex);
	mutex_unlock(&un->cfg_mutex);
}

/* Return: whether the namespace has FEPs. */
static bool __net_exit netns_abort(struct uet_net *un)
{
	bool has_feps;

	mutex_lock(&un->cfg_mutex);
	has_feps = config_abort_feps(un);
	mutex_unlock(&un->cfg_mutex);
	return has_feps;
}

static void __net_exit netns_free(struct uet_net *un)
{
	mutex_lock(&un->cfg_mutex);
	config_free_feps(un);
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
