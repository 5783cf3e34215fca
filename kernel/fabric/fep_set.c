// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a FEP that change at run time: PDC parameters, DSCPs, the header format and
 * congestion control, whose core parameters follow from the settings and the speed of the rails.
 * A change is validated and published as a whole.  A PDC copies its parameters when it is opened,
 * so a change affects later PDCs only.  DSCPs are looked up for each packet, the header format for
 * each message.  cms/ccc_entry.c owns the contexts.
 * Spec: UE 1.0.1 Table 3-28, 3.6.4.4, 3.6.4.7, 3.6.12.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/cms/cc_param.h"
#include "core/cms/cc_pkt.h"
#include "core/cms/ev.h"
#include "core/pds/pdc_param.h"
#include "core/pds/rudi.h"
#include "core/ses/ses.h"
#include "fep.h"
#include "net.h"
#include "rail.h"

/*
 * Assumed speed of a rail that reports none, Mb/s.  One that is too high only makes the
 * largest window larger; one that is too low limits the traffic.
 */
#define FEP_CC_RATE	100000U

/* Largest rate that core/cms/cc_param.c accepts, Mb/s. */
#define FEP_CC_RATE_MAX	12800000ULL

/* The core and netlink use the same numbers. */
static_assert((int)UET_PATHS_SINGLE == UET_EV_SINGLE);
static_assert((int)UET_PATHS_OBLIVIOUS == UET_EV_OBLIVIOUS);
static_assert((int)UET_PATHS_REPS == UET_EV_REPS);
static_assert((int)UET_PATHS_MAP == UET_EV_MAP);
static_assert((int)UET_PATHS_MIXED == UET_EV_MIXED);
static_assert((int)UET_PATHS_AUTO == UET_EV_POLICY_NR);

/* Window and grant algorithms of each cc setting. */
static const struct {
	u8 window;
	u8 grant;
} fep_cc_algos[] = {
	[UET_CC_ALGO_NONE] = { UET_WINDOW_NONE, UET_GRANT_NONE },
	[UET_CC_ALGO_CONST] = { UET_WINDOW_CONST, UET_GRANT_NONE },
	[UET_CC_ALGO_NSCC] = { UET_WINDOW_NSCC, UET_GRANT_NONE },
	[UET_CC_ALGO_RCCC] = { UET_WINDOW_NONE, UET_GRANT_RCCC },
	[UET_CC_ALGO_NSCC_RCCC] = { UET_WINDOW_NSCC, UET_GRANT_RCCC },
};

/*
 * uet_fep_settings_trim() - does a FEP receive trimmed packets?
 */
bool uet_fep_settings_trim(const struct uet_fep_settings *settings)
{
	return settings->dscp_trimmed != UET_DSCP_NONE ||
	       settings->dscp_trimmed_lasthop != UET_DSCP_NONE;
}

/* Sum of the speeds that the drivers of these rails report, Mb/s. */
static u64 fep_cc_sum(const struct uet_fep *fep, unsigned long slots)
{
	const struct uet_rail *rail;
	u64 sum = 0;
	u32 speed;
	int i;

	rcu_read_lock();
	for_each_set_bit(i, &slots, fep->cfg.nr_rails) {
		rail = rcu_dereference(fep->rail[i]);
		if (!rail)
			continue;
		speed = READ_ONCE(rail->speed_mbps);
		sum += speed ? speed : FEP_CC_RATE;
	}
	rcu_read_unlock();
	return sum;
}

/*
 * uet_fep_cc_speed() - sum of the speeds of the rails of a FEP, Mb/s, not 0
 *
 * The sum covers the usable rails, or all rails while no rail is usable.  Drivers may report a
 * speed above the limit of the core, so the sum is clamped.
 */
u32 uet_fep_cc_speed(const struct uet_fep *fep, u32 base_rtt_ns)
{
	u64 most = div64_u64(UET_CC_BDP_MAX * 8000ULL, base_rtt_ns);
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	u64 sum = fep_cc_sum(fep, READ_ONCE(fep->usable));

	if (!sum)
		sum = fep_cc_sum(fep, GENMASK(fep->cfg.nr_rails - 1, 0));
	return min3(sum ? sum : (u64)FEP_CC_RATE, most, FEP_CC_RATE_MAX);
}

/*
 * uet_fep_cc_rate() - line rate of a FEP, all rails together, Mb/s, not 0
 *
 * A configured rate overrides the speeds that drivers report, and is not clamped.
 */
u32 uet_fep_cc_rate(const struct uet_fep *fep, const struct uet_pdc_cfg *pdc)
{
	return pdc->cc_rate_mbps ? pdc->cc_rate_mbps : uet_fep_cc_speed(fep, pdc->cc_base_rtt_ns);
}

/*
 * uet_fep_cc_cfg() - fill in the configuration of a context
 * @rate_mbps: line rate
 * @mtu: nominal size of a full packet, bytes
 */
void uet_fep_cc_cfg(const struct uet_fep_settings *settings, u32 rate_mbps,
		    u32 mtu, struct uet_cc_cfg *cfg)
{
	const struct uet_pdc_cfg *pdc = &settings->pdc;

	uet_cc_cfg_init(cfg);
	cfg->window = fep_cc_algos[settings->cc].window;
	cfg->grant = fep_cc_algos[settings->cc].grant;
	if (pdc->cc_strict) {
		cfg->htsim = 0;
		cfg->shares_start = false;
		cfg->adapts = false;
	}
	cfg->has_trim = uet_fep_settings_trim(settings);
	cfg->rate_mbps = rate_mbps;
	cfg->base_rtt_ns = pdc->cc_base_rtt_ns;
	cfg->mtu = mtu;
	cfg->target_ns = pdc->cc_target_ns;
	cfg->ack_gen_trigger = pdc->ack_gen_trigger;
	cfg->burst = pdc->burst;
	cfg->cwnd = pdc->cwnd ? max(pdc->cwnd, mtu) : 0;
}

/*
 * uet_fep_paths() - enum uet_ev_policy of the contexts of a FEP
 */
u8 uet_fep_paths(const struct uet_fep_settings *settings)
{
	return settings->paths == UET_PATHS_AUTO ? UET_EV_REPS : settings->paths;
}

/*
 * Without window, credit and paths that learn a PDC chooses values as well as a context does,
 * for less.
 */
static bool fep_has_contexts(const struct uet_fep_settings *settings)
{
	return settings->cc != UET_CC_ALGO_NONE ||
	       (settings->paths != UET_PATHS_AUTO && settings->paths != UET_PATHS_OBLIVIOUS);
}

/* Do settings allow contexts?  Return: NULL, or a static error text. */
static const char *fep_cc_check(const struct uet_fep_settings *settings)
{
	u32 rate = settings->pdc.cc_rate_mbps;
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_fep_cc_cfg(settings, rate ? rate : 1, UET_MTU_MIN, &cfg);
	if (!uet_cc_derive(&param, &cfg))
		return NULL;
	return "fep: cc-rate x cc-base-rtt must be at most 38400000 bytes";
}

/*
 * uet_fep_cc_mtu() - nominal size of a full packet, bytes
 * @has_credit: the PDS header carries the credit demand
 */
u16 uet_fep_cc_mtu(const struct uet_fep *fep, bool has_credit)
{
	return uet_cc_nominal(uet_fep_overhead(fep) +
			      (has_credit ? UET_REQ_CC_LEN : UET_REQ_LEN) +
			      UET_SES_STD_LEN + fep->cfg.mtu);
}

/*
 * uet_fep_settings_is_paced() - does a FEP use credit and its headers, as a source and as a
 * destination?
 */
bool uet_fep_settings_is_paced(const struct uet_fep_settings *settings)
{
	return fep_cc_algos[settings->cc].grant == UET_GRANT_RCCC;
}

/*
 * uet_fep_cc_algo() - the cc setting, enum uet_cc_algo, of uet_fep_cc_cfg()
 */
u8 uet_fep_cc_algo(const struct uet_cc_cfg *cfg)
{
	u8 algo = ARRAY_SIZE(fep_cc_algos) - 1;

	while (algo && (fep_cc_algos[algo].window != cfg->window ||
			fep_cc_algos[algo].grant != cfg->grant))
		algo--;
	return algo;
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

/*
 * uet_fep_settings_check() - are settings consistent, each within its own limits?
 *
 * Only the DSCP identifies a trimmed packet, so no complete packet may use this DSCP.
 * Return: 0 or -EINVAL.
 * Spec: UE 1.0.1 3.6.4.7.
 */
int uet_fep_settings_check(const struct uet_fep_settings *settings, struct netlink_ext_ack *extack)
{
	const char *wrong = uet_pdc_param_order(&settings->pdc);

	if (!wrong)
		wrong = fep_cc_check(settings);
	if (wrong) {
		extack->_msg = wrong;
		return -EINVAL;
	}
	if (fep_is_class(settings, settings->dscp_trimmed))
		return uet_refuse(extack, -EINVAL,
				  "fep: dscp-trimmed must differ from dscp-request, dscp-retx and dscp-control");
	if (fep_is_class(settings, settings->dscp_trimmed_lasthop))
		return uet_refuse(extack, -EINVAL,
				  "fep: dscp-trimmed-lasthop must differ from dscp-request, dscp-retx and dscp-control");
	if (settings->dscp_trimmed == settings->dscp_trimmed_lasthop &&
	    settings->dscp_trimmed != UET_DSCP_NONE)
		return uet_refuse(extack, -EINVAL,
				  "fep: dscp-trimmed and dscp-trimmed-lasthop must differ");
	return 0;
}

/*
 * uet_fep_settings() - current settings, never NULL, valid while the lock is held
 * Context: rcu_read_lock() or uet_net.cfg_mutex held, or @fep not published.
 */
const struct uet_fep_settings *uet_fep_settings(const struct uet_fep *fep)
{
	return rcu_dereference_check(fep->settings, lockdep_is_held(&fep->un->cfg_mutex));
}

/*
 * uet_fep_settings_dup() - a copy of checked settings, to be published, with one reference
 * Context: Process, may sleep.
 * Return: NULL: out of memory.
 */
struct uet_fep_settings *uet_fep_settings_dup(const struct uet_fep_settings *settings)
{
	struct uet_fep_settings *copy = kmemdup(settings, sizeof(*copy), GFP_KERNEL_ACCOUNT);

	if (!copy)
		return NULL;
	copy->pdc.has_cc = fep_has_contexts(copy);
	refcount_set(&copy->refs, 1);
	return copy;
}

/*
 * uet_fep_settings_get() - current settings, with a reference for the caller
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

/*
 * uet_fep_settings_put() - drop a reference
 */
void uet_fep_settings_put(struct uet_fep_settings *settings)
{
	if (refcount_dec_and_test(&settings->refs))
		kfree_rcu(settings, rcu);
}

/*
 * uet_fep_pdc_cfg() - copy the parameters for a new PDC
 */
void uet_fep_pdc_cfg(const struct uet_fep *fep, struct uet_pdc_cfg *cfg)
{
	rcu_read_lock();
	*cfg = rcu_dereference(fep->settings)->pdc;
	rcu_read_unlock();
}

/*
 * uet_fep_paces_credit() - do new PDCs report demand to the pacer?
 */
bool uet_fep_paces_credit(const struct uet_fep *fep)
{
	bool paces;

	rcu_read_lock();
	paces = uet_fep_settings_is_paced(rcu_dereference(fep->settings));
	rcu_read_unlock();
	return paces;
}

/*
 * uet_fep_rudi_cfg() - derive the RUDI parameters for a new peer
 *
 * The caller uses this copy for the allocation and for the initialisation, because settings may
 * change in between.  RUDI uses the PDC parameters that apply without a PDC.  A PDC may wait for
 * a slow reader without a limit.  A RUDI request has no reader, so its NACK retransmissions are
 * limited.
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
	cfg->max_nack_retx = min(pdc.max_nack_retx, uet_rudi_cfg_default.max_nack_retx);
}

/*
 * uet_fep_amo_form() - form of atomic operations, by the settings "amo-host" and "mswap-xor"
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

/*
 * uet_fep_job() - JobID of a request: @job, or for 0 what the setting "job-zero" names
 * Context: Softirq.
 */
u32 uet_fep_job(const struct uet_fep *fep, u32 job)
{
	return likely(job) ? job : uet_fep_settings(fep)->pdc.job_zero;
}

/*
 * uet_fep_publish() - replace the settings of a FEP
 * @settings: from uet_fep_settings_dup(); the FEP takes over the reference
 * Context: Process context, uet_net.cfg_mutex and uet_net.rail_mutex held.
 */
void uet_fep_publish(struct uet_fep *fep, struct uet_fep_settings *settings)
{
	struct uet_fep_settings *old;

	old = rcu_replace_pointer(fep->settings, settings, lockdep_is_held(&fep->un->cfg_mutex));
	uet_fep_settings_put(old);
	uet_event_fep(fep, false);
}
