// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control settings of a FEP: derivation of the core parameters from the
 * administrator's settings and the speed of the rails, and validation of the derived
 * parameters.  cms/ccc_entry.c owns the contexts.
 * Spec: UE 1.0.1 3.6.12.
 */
#include <linux/rcupdate.h>

#include "core/cms/cc_param.h"
#include "core/cms/cc_pkt.h"
#include "core/cms/ev.h"
#include "core/ses/ses.h"
#include "fep.h"
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

/* Sum of the speeds that the drivers of these rails report, Mb/s. */
static u64 fep_cc_sum(const struct uet_fep *fep, unsigned long slots)
{
	const struct uet_rail *rail;
	u64 sum = 0;
	u32 speed;
	int i;

	rcu_read_lock();
	for_each_set_bit(i, &slots, UET_FEP_RAILS_MAX) {
		rail = rcu_dereference(fep->rail[i]);
		if (!rail)
			continue;
		speed = READ_ONCE(rail->speed_mbps);
		sum += speed ? speed : FEP_CC_RATE;
	}
	rcu_read_unlock();
	return sum;
}

/**
 * uet_fep_cc_speed() - sum of the speeds of the rails of a FEP
 * @fep: FEP
 * @base_rtt_ns: base round trip time, ns
 *
 * The sum covers the usable rails, or all rails while no rail is usable.  Drivers may
 * report a speed above the limit of the core, so the sum is clamped.  A configured rate
 * is not clamped.
 *
 * Return: Mb/s, not 0.
 */
u32 uet_fep_cc_speed(const struct uet_fep *fep, u32 base_rtt_ns)
{
	u64 most = div64_u64(UET_CC_BDP_MAX * 8000ULL, base_rtt_ns);
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	u64 sum = fep_cc_sum(fep, READ_ONCE(fep->usable));

	if (!sum)
		sum = fep_cc_sum(fep, GENMASK(UET_FEP_RAILS_MAX - 1, 0));
	return min3(sum ? sum : (u64)FEP_CC_RATE, most, FEP_CC_RATE_MAX);
}

/**
 * uet_fep_cc_rate() - line rate of a FEP, all rails together
 * @fep: FEP
 * @pdc: current PDC parameters of @fep
 *
 * A configured rate overrides the speeds that drivers report.
 *
 * Return: Mb/s, not 0.
 */
u32 uet_fep_cc_rate(const struct uet_fep *fep, const struct uet_pdc_cfg *pdc)
{
	return pdc->cc_rate_mbps ? pdc->cc_rate_mbps :
				   uet_fep_cc_speed(fep, pdc->cc_base_rtt_ns);
}

/**
 * uet_fep_cc_cfg() - fill in the configuration of a context
 * @settings: settings of the FEP
 * @rate_mbps: line rate, Mb/s
 * @mtu: nominal size of a full packet, bytes
 * @cfg: result
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

/**
 * uet_fep_paths() - how the contexts of a FEP choose entropy values
 * @settings: settings of the FEP
 *
 * Return: enum uet_ev_policy.
 */
u8 uet_fep_paths(const struct uet_fep_settings *settings)
{
	return settings->paths == UET_PATHS_AUTO ? UET_EV_REPS : settings->paths;
}

/*
 * Do settings need contexts?  Without window, credit and paths that learn a PDC chooses
 * values as well as a context does, for less.
 * @settings: settings of a FEP
 */
bool uet_fep_has_contexts(const struct uet_fep_settings *settings)
{
	return settings->cc != UET_CC_ALGO_NONE ||
	       (settings->paths != UET_PATHS_AUTO && settings->paths != UET_PATHS_OBLIVIOUS);
}

/*
 * Check whether settings allow contexts.
 * @settings: settings of a FEP, each within its own limits
 *
 * Return: NULL, or a static error text.
 */
const char *uet_fep_cc_check(const struct uet_fep_settings *settings)
{
	u32 rate = settings->pdc.cc_rate_mbps;
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_fep_cc_cfg(settings, rate ? rate : 1, UET_MTU_MIN, &cfg);
	if (!uet_cc_derive(&param, &cfg))
		return NULL;
	return "fep: cc-rate x cc-base-rtt must be at most 38400000 bytes";
}

/**
 * uet_fep_overhead() - length of a packet without PDS, SES and payload
 * @fep: FEP
 *
 * Return: bytes, as the peer counts them.
 */
u16 uet_fep_overhead(const struct uet_fep *fep)
{
	return fep->head_len + fep->cfg.protect_len;
}

/**
 * uet_fep_cc_mtu() - nominal size of a full packet
 * @fep: FEP
 * @has_credit: the PDS header carries the credit demand
 *
 * Return: bytes.
 */
u16 uet_fep_cc_mtu(const struct uet_fep *fep, bool has_credit)
{
	return uet_cc_nominal(uet_fep_overhead(fep) +
			      (has_credit ? UET_REQ_CC_LEN : UET_REQ_LEN) +
			      UET_SES_STD_LEN + fep->cfg.mtu);
}

/**
 * uet_fep_settings_is_paced() - check whether settings include credit
 * @settings: settings of a FEP
 *
 * Return: true if the FEP uses credit and its headers, as a source and as a
 *	destination.
 */
bool uet_fep_settings_is_paced(const struct uet_fep_settings *settings)
{
	return fep_cc_algos[settings->cc].grant == UET_GRANT_RCCC;
}

/**
 * uet_fep_cc_algo() - map a configuration to a cc setting
 * @cfg: filled in by uet_fep_cc_cfg()
 *
 * Return: enum uet_cc_algo.
 */
u8 uet_fep_cc_algo(const struct uet_cc_cfg *cfg)
{
	u8 algo = ARRAY_SIZE(fep_cc_algos) - 1;

	while (algo && (fep_cc_algos[algo].window != cfg->window ||
			fep_cc_algos[algo].grant != cfg->grant))
		algo--;
	return algo;
}
