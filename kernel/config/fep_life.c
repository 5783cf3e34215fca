// SPDX-License-Identifier: GPL-2.0
/*
 * Creation, change and deletion of FEPs.  A FEP consists of parts of all folders.  Its
 * deletion frees everything that depends on it.
 */
#include <linux/slab.h>

#include "base/base.h"
#include "carrier/carrier.h"
#include "cms/cms.h"
#include "config.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "pdc/pdc.h"
#include "rx/rx.h"
#include "tss/tss.h"

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
 * - uet_config_abort_feps() kills PDCs and RUDI requests.  The grace period after it waits for
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
bool uet_config_abort_feps(struct uet_net *un)
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
 * uet_config_abort_feps().
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_config_free_feps(struct uet_net *un)
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
	uet_config_abort_feps(un);
	synchronize_net();
	uet_pdc_entry_wait();
	uet_config_free_feps(un);
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
void uet_config_hide_feps(struct uet_net *un)
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
