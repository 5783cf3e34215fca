// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a FEP that change at run time: PDC parameters, DSCPs and the header format.
 * A change is validated and published as a whole.  A PDC copies its parameters when it is
 * opened, so a change affects later PDCs only.  DSCPs are looked up for each packet, the
 * header format for each message.
 * Spec: UE 1.0.1 Table 3-28, 3.6.4.4, 3.6.4.7.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/pds/pdc_param.h"
#include "core/pds/rudi.h"
#include "event.h"
#include "fep.h"
#include "net.h"

/**
 * uet_fep_settings_trim() - check whether settings name a DSCP of trimmed packets
 * @settings: settings of a FEP
 *
 * Return: true if the FEP receives trimmed packets.
 */
bool uet_fep_settings_trim(const struct uet_fep_settings *settings)
{
	return settings->dscp_trimmed != UET_DSCP_NONE ||
	       settings->dscp_trimmed_lasthop != UET_DSCP_NONE;
}

static bool fep_is_class(const struct uet_fep_settings *settings, u8 dscp)
{
	int i;

	for (i = 0; i < UET_CLASS_NR; i++) {
		if (settings->dscp[i] == dscp)
			return true;
	}
	return false;
}

/**
 * uet_fep_settings_check() - check the consistency of settings
 * @settings: settings, each within its own limits
 * @extack: reason of a failure
 *
 * Only the DSCP identifies a trimmed packet, so no complete packet may use this DSCP.
 *
 * Return: 0 or -EINVAL.
 * Spec: UE 1.0.1 3.6.4.7.
 */
int uet_fep_settings_check(const struct uet_fep_settings *settings,
			   struct netlink_ext_ack *extack)
{
	const char *wrong = uet_pdc_param_order(&settings->pdc);

	if (!wrong)
		wrong = uet_fep_cc_check(settings);
	if (wrong) {
		extack->_msg = wrong;
		return -EINVAL;
	}
	if (fep_is_class(settings, settings->dscp_trimmed)) {
		NL_SET_ERR_MSG(extack, "fep: dscp-trimmed must differ from dscp-request, dscp-retx and dscp-control");
		return -EINVAL;
	}
	if (fep_is_class(settings, settings->dscp_trimmed_lasthop)) {
		NL_SET_ERR_MSG(extack, "fep: dscp-trimmed-lasthop must differ from dscp-request, dscp-retx and dscp-control");
		return -EINVAL;
	}
	if (settings->dscp_trimmed == settings->dscp_trimmed_lasthop &&
	    settings->dscp_trimmed != UET_DSCP_NONE) {
		NL_SET_ERR_MSG(extack, "fep: dscp-trimmed and dscp-trimmed-lasthop must differ");
		return -EINVAL;
	}
	return 0;
}

/**
 * uet_fep_settings() - current settings
 * @fep: FEP
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held, or @fep not published.
 * Return: the settings, never NULL, valid while the lock is held.
 */
const struct uet_fep_settings *uet_fep_settings(const struct uet_fep *fep)
{
	return rcu_dereference_check(fep->settings,
				     lockdep_is_held(&fep->un->cfg_mutex));
}

/**
 * uet_fep_settings_dup() - allocate settings to be published
 * @settings: checked settings
 *
 * Context: Process, may sleep.
 * Return: a copy with one reference; NULL: out of memory.
 */
struct uet_fep_settings *
uet_fep_settings_dup(const struct uet_fep_settings *settings)
{
	struct uet_fep_settings *copy = kmemdup(settings, sizeof(*copy),
						GFP_KERNEL_ACCOUNT);

	if (!copy)
		return NULL;
	copy->pdc.has_cc = uet_fep_has_contexts(copy);
	refcount_set(&copy->refs, 1);
	return copy;
}

/**
 * uet_fep_settings_get() - current settings, for a user that keeps them
 * @fep: FEP
 *
 * Return: the settings, with a reference for the caller.
 */
struct uet_fep_settings *uet_fep_settings_get(const struct uet_fep *fep)
{
	struct uet_fep_settings *settings;

	rcu_read_lock();
	/* Settings without a reference were replaced meanwhile. */
	do {
		settings = rcu_dereference(fep->settings);
	} while (!refcount_inc_not_zero(&settings->refs));
	rcu_read_unlock();
	return settings;
}

/**
 * uet_fep_settings_put() - drop a reference
 * @settings: settings
 */
void uet_fep_settings_put(struct uet_fep_settings *settings)
{
	if (refcount_dec_and_test(&settings->refs))
		kfree_rcu(settings, rcu);
}

/**
 * uet_fep_pdc_cfg() - copy the parameters for a new PDC
 * @fep: FEP
 * @cfg: filled in
 */
void uet_fep_pdc_cfg(const struct uet_fep *fep, struct uet_pdc_cfg *cfg)
{
	rcu_read_lock();
	*cfg = rcu_dereference(fep->settings)->pdc;
	rcu_read_unlock();
}

/**
 * uet_fep_paces_credit() - check whether new PDCs report demand to the pacer
 * @fep: FEP
 *
 * Return: true if the settings include credit.
 */
bool uet_fep_paces_credit(const struct uet_fep *fep)
{
	bool paces;

	rcu_read_lock();
	paces = uet_fep_settings_is_paced(rcu_dereference(fep->settings));
	rcu_read_unlock();
	return paces;
}

/**
 * uet_fep_rudi_cfg() - derive the RUDI parameters for a new peer
 * @fep: FEP
 * @cfg: filled in; the caller uses this copy for the allocation and for the
 *	initialisation, because settings may change in between
 *
 * RUDI uses the PDC parameters that apply without a PDC.  A PDC may wait for a slow
 * reader without a limit.  A RUDI request has no reader, so its NACK retransmissions are
 * limited.
 *
 * Spec: UE 1.0.1 Table 3-28.
 */
void uet_fep_rudi_cfg(const struct uet_fep *fep, struct uet_rudi_cfg *cfg)
{
	struct uet_pdc_cfg pdc;

	uet_fep_pdc_cfg(fep, &pdc);
	cfg->window = pdc.window;
	cfg->rto_init_ns = pdc.rto_init_ns;
	cfg->rto_max_ns = pdc.rto_max_ns;
	cfg->max_rto_retx = pdc.max_rto_retx;
	cfg->nack_retx_ns = pdc.nack_retx_ns;
	cfg->nack_retx_max_ns = pdc.nack_retx_max_ns;
	cfg->max_nack_retx = min(pdc.max_nack_retx,
				 uet_rudi_cfg_default.max_nack_retx);
}

/**
 * uet_fep_has_short_headers() - check whether new messages may use medium and small
 * headers
 * @fep: FEP
 *
 * Return: true if the setting is "headers optimized".
 */
bool uet_fep_has_short_headers(const struct uet_fep *fep)
{
	bool has_short;

	rcu_read_lock();
	has_short = rcu_dereference(fep->settings)->headers ==
		    UET_HEADERS_OPTIMIZED;
	rcu_read_unlock();
	return has_short;
}

/**
 * uet_fep_amo_form() - form of the atomic operations of a FEP
 * @fep: FEP
 *
 * Return: the form that the settings "amo-host" and "mswap-xor" choose.
 */
struct uet_amo_form uet_fep_amo_form(const struct uet_fep *fep)
{
	const struct uet_pdc_cfg *cfg;
	struct uet_amo_form form;

	rcu_read_lock();
	cfg = &rcu_dereference(fep->settings)->pdc;
	form.is_host = cfg->amo_host;
	form.is_xor = cfg->mswap_xor;
	rcu_read_unlock();
	return form;
}

/**
 * uet_fep_job() - JobID of a request
 * @fep: FEP that received it
 * @job: JobID in the packet
 *
 * Context: Softirq.
 * Return: @job, or for 0 what the setting "job-zero" names.
 */
u32 uet_fep_job(const struct uet_fep *fep, u32 job)
{
	return likely(job) ? job : uet_fep_settings(fep)->pdc.job_zero;
}

/**
 * uet_fep_has_bursts() - check whether packets may cross the stack as one
 * @fep: FEP
 *
 * Return: true unless the setting "burst" is 0.
 */
bool uet_fep_has_bursts(const struct uet_fep *fep)
{
	bool has_bursts;

	rcu_read_lock();
	has_bursts = rcu_dereference(fep->settings)->pdc.burst;
	rcu_read_unlock();
	return has_bursts;
}

/**
 * uet_fep_publish() - replace the settings of a FEP
 * @fep: FEP
 * @settings: from uet_fep_settings_dup(); the FEP takes over the reference
 *
 * Context: Process context, uet_net.cfg_mutex and uet_net.rail_mutex held.
 */
void uet_fep_publish(struct uet_fep *fep, struct uet_fep_settings *settings)
{
	struct uet_fep_settings *old;

	old = rcu_replace_pointer(fep->settings, settings,
				  lockdep_is_held(&fep->un->cfg_mutex));
	uet_fep_settings_put(old);
	uet_event_fep(fep, false);
}
