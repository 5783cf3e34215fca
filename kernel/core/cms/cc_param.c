// SPDX-License-Identifier: GPL-2.0
/*
 * Derivation of the NSCC constants from link rate and base round trip, in integers.  All gains
 * were tuned on a network of 100 Gb/s and 12 us and scale with the BDP.  The limits below keep
 * every product of the per-ACK path within 64 bits.
 *
 * Implements UE 1.0.1 Table 3-77.  Level: core L3.
 */
#include "cc_param.h"

/* BDP in bytes and round trip of the network on which the constants were tuned. */
#define REF_BDP		150000
#define REF_RTT_NS	12000

#define RATE_MAX_MBPS	12800000
#define RTT_MAX_NS	1000000000
#define MTU_MIN		256
#define MTU_MAX		16384

#define BURST_MAX	1048576

static_assert(UET_CC_BDP_MAX == 256 * REF_BDP);

/* Largest alpha x target: keeps the product with NSCC_GAIN_BYTES_MAX within 64 bits. */
#define GAIN_MAX	(1ULL << 50)

/* Bytes that htsim subtracts from an MTU, see UET_HTSIM_MSS. */
#define HTSIM_HEADER	64

/*
 * uet_cc_cfg_init() - default configuration: NSCC on 100 Gb/s and 12 us with trimming
 */
void uet_cc_cfg_init(struct uet_cc_cfg *cfg)
{
	*cfg = (struct uet_cc_cfg) {
		.window = UET_WINDOW_NSCC,
		.grant = UET_GRANT_NONE,
		.has_trim = true,
		.shares_start = true,
		.has_quick_adapt = true,
		.adapts = true,
		.rate_mbps = 100000,
		.base_rtt_ns = REF_RTT_NS,
		.mtu = 4096,
		.base_window_ns = 10000000000ULL,
		.htsim = UET_HTSIM_DEFAULT,
	};
}

/* Bytes that a link carries in a time, at most U32_MAX. */
u32 uet_cc_bytes(u32 rate_mbps, u32 ns)
{
	return (u32)min_t(u64, div_u64((u64)rate_mbps * ns, 8000), U32_MAX);
}

/* The longest burst: the line must not be blocked longer than this. */
#define BURST_NS	60000

/* 1.5 BDP, and two bursts, because one leaves while the other is answered. */
u32 uet_cc_max_window(const struct uet_cc_param *param, u32 bdp)
{
	return max(bdp + bdp / 2, param->cfg.mtu) + 2 * param->burst;
}

static const char *param_check(const struct uet_cc_cfg *cfg)
{
	if (cfg->window >= UET_WINDOW_NR)
		return "window: no such algorithm";
	if (cfg->grant >= UET_GRANT_NR)
		return "grant: no such algorithm";
	if (!cfg->rate_mbps || cfg->rate_mbps > RATE_MAX_MBPS)
		return "rate must be 1..12800000 Mb/s";
	if (cfg->base_rtt_ns < 128 || cfg->base_rtt_ns > RTT_MAX_NS)
		return "base RTT must be 128..1000000000 ns";
	if (cfg->mtu < MTU_MIN || cfg->mtu > MTU_MAX)
		return "MTU must be 256..16384 bytes";
	if (cfg->target_ns > RTT_MAX_NS)
		return "target delay must be at most 1000000000 ns";
	if (cfg->near_zero_ns > RTT_MAX_NS)
		return "delay that counts as none must be at most 1000000000 ns";
	if (cfg->drop_bdp > 100)
		return "drop threshold must be at most 100 BDP";
	if (cfg->ack_gen_trigger > 1048576)
		return "ACK trigger must be at most 1048576 bytes";
	if (cfg->burst > BURST_MAX)
		return "burst must be at most 1048576 bytes";
	if (cfg->cwnd > 3 * UET_CC_BDP_MAX / 2)
		return "constant window must be at most 57600000 bytes";
	if (cfg->cwnd && cfg->cwnd < cfg->mtu)
		return "constant window must be at least one MTU";
	if (uet_cc_bytes(cfg->rate_mbps, cfg->base_rtt_ns) > UET_CC_BDP_MAX)
		return "rate x base RTT must be at most 38400000 bytes";
	return NULL;
}

/*
 * alpha = 4 a MTU / 12 us; the target cancels out of the published formula.  The increase of a
 * round trip is therefore proportional to the square of the round trip; a context that adapts
 * limits it to half a BDP.
 */
static void param_gains(struct uet_cc_param *param)
{
	u64 size = param->cfg.mtu, bdp = param->bdp;

	if (param->cfg.htsim & UET_HTSIM_MSS)
		size -= HTSIM_HEADER;
	param->alpha = (u32)div_u64((size * bdp << 18) + REF_BDP / 2, REF_BDP * REF_RTT_NS);
	param->alpha = min_t(u64, param->alpha,
			     div_u64(param->cfg.adapts ? bdp << 15 : GAIN_MAX,
				     param->cfg.target_ns));
	param->fi = (u32)div_u64(5 * size * bdp, REF_BDP);
	param->fi_scale = (u32)div_u64(bdp << 14, REF_BDP);
	if (param->cfg.adapts)
		param->fi_scale = min(param->fi_scale, 1U << 16);
	/* 0.15 = 3 / 20. */
	param->eta = (u32)div_u64((3 * size * bdp) << 8, 20 * REF_BDP);
}

static void param_derive(struct uet_cc_param *param)
{
	struct uet_cc_cfg *cfg = &param->cfg;
	u32 rtt = cfg->base_rtt_ns;

	if (!param->has_target)
		cfg->target_ns = cfg->has_trim ? rtt - rtt / 4 : rtt;
	if (!param->has_near_zero)
		cfg->near_zero_ns = max_t(u32, 1000, rtt / 16);
	param->bdp = min_t(u32, uet_cc_bytes(cfg->rate_mbps, rtt), UET_CC_BDP_MAX);
	param->burst = min(uet_cc_bytes(cfg->rate_mbps, BURST_NS), cfg->burst);
	param->max_wnd = uet_cc_max_window(param, param->bdp);
	param_gains(param);
	param->adjust_bytes = 8 * cfg->mtu;
	param->adjust_period_ns = rtt;
	param->qa_threshold_ns = cfg->has_trim ? U64_MAX : (u64)(cfg->drop_bdp - 1) * rtt;
}

/*
 * uet_cc_derive() - derive the constants of a network (UE 1.0.1 Table 3-77); zeros are defaults
 * Return: NULL, or a text that names the parameter and the violated limit; then @param stays.
 */
const char *uet_cc_derive(struct uet_cc_param *param, const struct uet_cc_cfg *cfg)
{
	const char *error = param_check(cfg);

	if (error)
		return error;
	memset(param, 0, sizeof(*param));
	param->cfg = *cfg;
	param->has_target = cfg->target_ns;
	param->has_near_zero = cfg->near_zero_ns;
	if (!cfg->drop_bdp)
		param->cfg.drop_bdp = 5;
	if (!cfg->ack_gen_trigger)
		param->cfg.ack_gen_trigger = 16384;
	param_derive(param);
	return NULL;
}

/*
 * uet_cc_set_rate() - as uet_cc_derive(), for the same network at another rate
 */
const char *uet_cc_set_rate(struct uet_cc_param *param, u32 rate_mbps)
{
	struct uet_cc_cfg cfg = param->cfg;

	cfg.rate_mbps = rate_mbps;
	if (!param->has_target)
		cfg.target_ns = 0;
	if (!param->has_near_zero)
		cfg.near_zero_ns = 0;
	return uet_cc_derive(param, &cfg);
}

/* For a path with another base RTT, up to 2^31 ns; the BDP is limited to UET_CC_BDP_MAX. */
void uet_cc_scale(struct uet_cc_param *param, const struct uet_cc_param *network, u32 base_rtt_ns)
{
	*param = *network;
	param->cfg.base_rtt_ns = base_rtt_ns;
	param_derive(param);
}
