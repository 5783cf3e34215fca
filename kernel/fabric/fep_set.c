// SPDX-License-Identifier: GPL-2.0
/*
 * What can be changed while a FEP lives: the parameters of its PDCs, its DSCPs
 * and its choice of headers, checked as a whole and then published as a whole.  A
 * PDC copies its parameters when it is opened, so that a change reaches those
 * opened later only; a DSCP is looked up for each packet, the headers for each
 * message.
 * Spec: UE 1.0.1 Table 3-28, 3.6.4.4, 3.6.4.7.  Level: shell.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/pds/pdc_param.h"
#include "core/pds/rudi.h"
#include "event.h"
#include "fep.h"
#include "net.h"

/**
 * uet_fep_settings_trim() - are there trimmed packets to be recognised?
 * @settings: of a FEP
 *
 * Context: Any.
 * Return: true if so.
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
 * uet_fep_settings_check() - does each of them go with the others?
 * @settings: each within its own limits
 * @extack: says why not
 *
 * A packet is known to be trimmed by its DSCP alone, so no packet that is whole
 * may have that.
 *
 * Context: Any.
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
 * uet_fep_settings() - the settings in force
 * @fep: FEP
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held, or nobody else has @fep.
 * Return: never NULL; valid as long as that lasts.
 */
const struct uet_fep_settings *uet_fep_settings(const struct uet_fep *fep)
{
	return rcu_dereference_check(fep->settings,
				     lockdep_is_held(&fep->un->cfg_mutex));
}

/**
 * uet_fep_pdc_cfg() - the parameters of a PDC opened now
 * @fep: FEP
 * @cfg: filled in; what is allocated and what is initialised must be by the
 *	same, whatever changes meanwhile
 *
 * Context: Any.
 */
void uet_fep_pdc_cfg(const struct uet_fep *fep, struct uet_pdc_cfg *cfg)
{
	const struct uet_fep_settings *settings;

	rcu_read_lock();
	settings = rcu_dereference(fep->settings);
	*cfg = settings->pdc;
	cfg->has_cc = settings->cc != UET_CC_ALGO_NONE;
	rcu_read_unlock();
}

/**
 * uet_fep_paces_credit() - do PDCs opened now hear of demand?
 * @fep: FEP
 *
 * Context: Any.
 * Return: true if so.
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
 * uet_fep_rudi_cfg() - the parameters of RUDI towards a peer asked now
 * @fep: FEP
 * @cfg: filled in; what is allocated and what is initialised must be by the
 *	same, whatever changes meanwhile
 *
 * They are those of a PDC that have a meaning without one.  Where a PDC waits
 * for a reader for ever, a request does not: no reader is behind it.
 *
 * Context: Any.
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
 * uet_fep_has_short_headers() - may its messages have medium and small headers?
 * @fep: FEP
 *
 * Context: Any.
 * Return: true with headers optimized.
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
 * uet_fep_publish() - put settings in force
 * @fep: FEP
 * @settings: checked, allocated; the FEP owns them from now on
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_fep_publish(struct uet_fep *fep, struct uet_fep_settings *settings)
{
	struct uet_fep_settings *old;

	old = rcu_replace_pointer(fep->settings, settings,
				  lockdep_is_held(&fep->un->cfg_mutex));
	kfree_rcu(old, rcu);
	uet_event_fep(fep, false);
}
