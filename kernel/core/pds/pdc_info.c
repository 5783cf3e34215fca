// SPDX-License-Identifier: GPL-2.0
/*
 * Read-only views of a PDC: parameters, the snapshot for dumps, and the counters.
 * Level: core L4.
 */
#include "pdc.h"

static const char * const info_error_names[] = {
	[UET_PDC_OK]		= "none",
	[UET_PDC_ERR_TIMEOUT]	= "timeout",
	[UET_PDC_ERR_NACK]	= "fatal-nack",
	[UET_PDC_ERR_NACK_RETX]	= "nack-retries",
	[UET_PDC_ERR_PROTOCOL]	= "protocol",
	[UET_PDC_ERR_ABORT]	= "abort",
	[UET_PDC_ERR_TOO_BIG]	= "too-big",
	[UET_PDC_ERR_LOCAL]	= "local-memory-gone",
};

/*
 * uet_pdc_error_name() - name of an error, "unknown" if out of range
 */
const char *uet_pdc_error_name(enum uet_pdc_error error)
{
	return (u32)error < ARRAY_SIZE(info_error_names) ? info_error_names[error] : "unknown";
}

/*
 * uet_pdc_get_info() - take a snapshot
 */
void uet_pdc_get_info(const struct uet_pdc *pdc, struct uet_pdc_info *info)
{
	memset(info, 0, sizeof(*info));
	info->role = pdc->role;
	info->mode = pdc->mode;
	info->state = pdc->state;
	info->error = pdc->error;
	info->local_pdcid = pdc->local_pdcid;
	info->peer_pdcid = pdc->peer_pdcid;
	info->start_psn = pdc->start_psn;
	info->next_psn = pdc->tx.write_seq;
	info->tx_base_psn = pdc->tx.una;
	info->rx_cack_psn = pdc->rx.cack;
	info->clear_psn = pdc->tx.una - 1;
	info->inflight_pkts = pdc->tx.nr_sent;
	info->peer_mpr_pkts = pdc->tx.mpr_pkts;
	info->srtt_ns = pdc->tx.rtt.srtt_ns;
	info->rto_ns = uet_pdc_rto(pdc);
	info->stats = pdc->stats;
	info->peer_features = pdc->peer_features;
	info->is_reserved = pdc->is_reserved;
	info->nack_code = pdc->nack_code;
	info->opened_ns = pdc->opened_ns;
	info->heard_ns = pdc->heard_ns;
}

/*
 * uet_pdc_stats() - the live counters
 */
const struct uet_pdc_stats *uet_pdc_stats(const struct uet_pdc *pdc)
{
	return &pdc->stats;
}

/*
 * uet_pdc_state() - the current state
 */
enum uet_pdc_state uet_pdc_state(const struct uet_pdc *pdc)
{
	return pdc->state;
}

/*
 * uet_pdc_cfg_peer_timeout() - uet_pdc_peer_timeout() from parameters
 */
u64 uet_pdc_cfg_peer_timeout(const struct uet_pdc_cfg *cfg)
{
	u64 silent_ns = cfg->peer_timeout_ns;

	if (!silent_ns)
		silent_ns = (cfg->max_rto_retx + 1) * cfg->rto_max_ns;
	return max(cfg->idle_ns, silent_ns);
}

/*
 * uet_pdc_peer_timeout() - how long may the peer take before SES gives up, ns?
 *
 * A peer with our parameters retransmits for so long.  No less than the idle time of a PDC.
 */
u64 uet_pdc_peer_timeout(const struct uet_pdc *pdc)
{
	return uet_pdc_cfg_peer_timeout(pdc->cfg);
}

/*
 * uet_pdc_rto_max() - longest interval between two transmissions of a packet, ns
 */
u64 uet_pdc_rto_max(const struct uet_pdc *pdc)
{
	return pdc->cfg->rto_max_ns;
}

/*
 * uet_pdc_max_ack_data() - bytes of a read that an ACK carries (Max_ACK_Data_Size)
 */
u32 uet_pdc_max_ack_data(const struct uet_pdc *pdc)
{
	return pdc->cfg->max_ack_data;
}

/*
 * uet_pdc_first_psn() - the Start_PSN of both directions
 *
 * A secure target may demand another one until the PDC is established; all PSNs change by
 * the same number then.
 */
u32 uet_pdc_first_psn(const struct uet_pdc *pdc)
{
	return pdc->start_psn;
}
