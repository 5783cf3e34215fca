// SPDX-License-Identifier: GPL-2.0
/*
 * Read-only views of a PDC: parameters, the snapshot for dumps, the counters, and the
 * invariants that tests, the simulator and debug builds check after every event.
 *
 * Spec: none of the wire; the invariants are those of pdc.h.  Level: core L4.
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

/**
 * uet_pdc_error_name() - name of an error, "unknown" if out of range
 */
const char *uet_pdc_error_name(enum uet_pdc_error error)
{
	return (u32)error < ARRAY_SIZE(info_error_names) ?
	       info_error_names[error] : "unknown";
}

/**
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

/**
 * uet_pdc_stats() - the live counters
 */
const struct uet_pdc_stats *uet_pdc_stats(const struct uet_pdc *pdc)
{
	return &pdc->stats;
}

/**
 * uet_pdc_state() - the current state
 */
enum uet_pdc_state uet_pdc_state(const struct uet_pdc *pdc)
{
	return pdc->state;
}

/**
 * uet_pdc_cfg_peer_timeout() - uet_pdc_peer_timeout() from parameters
 */
u64 uet_pdc_cfg_peer_timeout(const struct uet_pdc_cfg *cfg)
{
	u64 silent_ns = cfg->peer_timeout_ns;

	if (!silent_ns)
		silent_ns = (cfg->max_rto_retx + 1) * cfg->rto_max_ns;
	return max(cfg->idle_ns, silent_ns);
}

/**
 * uet_pdc_peer_timeout() - how long may the peer take before SES gives up, ns?
 *
 * A peer with our parameters retransmits for so long.  No less than the idle time of a PDC.
 */
u64 uet_pdc_peer_timeout(const struct uet_pdc *pdc)
{
	return uet_pdc_cfg_peer_timeout(pdc->cfg);
}

/**
 * uet_pdc_rto_max() - longest interval between two transmissions of a packet, ns
 */
u64 uet_pdc_rto_max(const struct uet_pdc *pdc)
{
	return pdc->cfg->rto_max_ns;
}

/**
 * uet_pdc_max_ack_data() - bytes of a read that an ACK carries (Max_ACK_Data_Size)
 */
u32 uet_pdc_max_ack_data(const struct uet_pdc *pdc)
{
	return pdc->cfg->max_ack_data;
}

/**
 * uet_pdc_first_psn() - the Start_PSN of both directions
 *
 * A secure target may demand another one until the PDC is established; all PSNs change by
 * the same number then.
 */
u32 uet_pdc_first_psn(const struct uet_pdc *pdc)
{
	return pdc->start_psn;
}

/* Sums over all slots, compared with the counters of the send half. */
struct info_sums {
	u32 used;
	u32 sent;
	u32 lost;
	u32 asks;
	u32 probes;
};

/* A PSN limits the states that its packet may be in. */
static bool info_slot_fits(const struct uet_pdc_txh *tx, u32 psn, u8 state)
{
	if (uet_psn_before(psn, tx->una))
		return state == UET_SLOT_DONE;
	if (!uet_psn_before(psn, tx->nxt))
		return state == UET_SLOT_READY;
	if (psn == tx->una && state == UET_SLOT_DONE)
		return false;
	return state != UET_SLOT_FREE && state != UET_SLOT_READY;
}

static const char *info_sum_slots(const struct uet_pdc *pdc, struct info_sums *sums)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	const struct uet_pdc_slot *slot;
	const char *what;
	u32 i, nr = uet_pdc_has_window(pdc) ? pdc->cfg->window : 0;

	for (i = 0; i < nr; i++) {
		slot = &tx->slots[i];
		if (slot->state == UET_SLOT_FREE)
			continue;
		sums->used++;
		if (!uet_psn_within(slot->psn, tx->una_reported,
				    tx->write_seq) ||
		    uet_pdc_slot(pdc, slot->psn) != slot)
			return "a used slot is outside una_reported..write_seq";
		if (!uet_pdc_is_over(pdc) &&
		    !info_slot_fits(tx, slot->psn, slot->state))
			return "slot state does not fit its PSN";
		sums->sent += slot->state == UET_SLOT_SENT;
		sums->lost += slot->state == UET_SLOT_LOST;
		sums->asks += slot->asks;
		sums->probes += slot->is_probe;
		if (slot->asks && slot->state != UET_SLOT_SACKED)
			return "an ACK_REQUEST is pending for a packet not SACKED";
		if (slot->is_probe && slot->state != UET_SLOT_SENT)
			return "a probe is not in flight";
		what = uet_pdc_cc_check(pdc, slot);
		if (what)
			return what;
	}
	return NULL;
}

static const char *info_check_lists(const struct uet_pdc_txh *tx)
{
	const struct uet_pdc_slot *slot, *prev = NULL;
	u32 n = 0;

	list_for_each_entry(slot, &tx->sent, link) {
		if (slot->state != UET_SLOT_SENT || n++ == tx->nr_sent)
			return "the list of sent packets is wrong";
		if (prev && !uet_psn_before(prev->xmit, slot->xmit))
			return "sent packets are not in order of sending";
		prev = slot;
	}
	if (n != tx->nr_sent)
		return "nr_sent is wrong";
	prev = NULL;
	n = 0;
	list_for_each_entry(slot, &tx->lost, link) {
		if (slot->state != UET_SLOT_LOST || n++ == tx->nr_lost)
			return "the list of lost packets is wrong";
		if (prev && !uet_psn_before(prev->psn, slot->psn))
			return "lost packets are not in PSN order";
		prev = slot;
	}
	return n == tx->nr_lost ? NULL : "nr_lost is wrong";
}

static const char *info_check_tx(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	struct info_sums sums = { 0 };
	const char *what;

	if (tx->write_seq - tx->una_reported > pdc->cfg->window)
		return "more packets than slots";
	if (tx->una - tx->una_reported > tx->write_seq - tx->una_reported ||
	    tx->nxt - tx->una > tx->write_seq - tx->una)
		return "una_reported, una, nxt, write_seq are not in order";
	if (!uet_pdc_is_over(pdc) && !uet_psn_before(tx->cack, tx->una))
		return "CACK_PSN received is beyond una";
	if (!uet_psn_before(tx->clear_sent, tx->una))
		return "CLEAR_PSN sent is beyond una";
	what = info_sum_slots(pdc, &sums);
	if (what)
		return what;
	if (sums.used != tx->write_seq - tx->una_reported)
		return "a packet has no slot";
	if (sums.sent != tx->nr_sent || sums.lost != tx->nr_lost ||
	    sums.asks != tx->nr_ack_requests ||
	    sums.probes != tx->pause.inflight)
		return "counts of the send half are wrong";
	if (sums.sent && tx->rto_at == UET_NEVER && !uet_pdc_is_over(pdc))
		return "packets in flight without a time-out";
	return info_check_lists(tx);
}

static const char *info_check_maps(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u32 first = rx->cack + 1, all = first + pdc->cfg->window;

	if (uet_psn_map_next_clear(&rx->rcvd, first, rx->base) != rx->base)
		return "a PSN below base is missing";
	if (rx->base != rx->end && uet_psn_map_test(&rx->rcvd, rx->base) &&
	    !uet_pdc_is_over(pdc))
		return "base was received";
	if (uet_psn_map_next_set(&rx->rcvd, rx->end, all) != all)
		return "a PSN beyond end was received";
	if (uet_psn_map_count(&rx->rcvd, rx->base, rx->end) != rx->nr_ooo)
		return "nr_ooo is wrong";
	if (uet_psn_map_count(&rx->gtd, first, rx->end) != rx->nr_gtd ||
	    bitmap_weight(rx->gtd.bits, rx->gtd.size) != rx->nr_gtd)
		return "nr_gtd is wrong";
	if (uet_psn_map_count(&rx->own, first, rx->end) != rx->nr_own ||
	    bitmap_weight(rx->own.bits, rx->own.size) != rx->nr_own)
		return "nr_own is wrong";
	if (rx->base != first && !uet_psn_map_test(&rx->gtd, first) &&
	    !uet_pdc_rx_is_untold(pdc, first))
		return "CACK_PSN lags behind without a reason";
	return NULL;
}

static const char *info_check_rx(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u32 first = rx->cack + 1;

	if (rx->base - first > rx->end - first ||
	    rx->end - first > pdc->cfg->window)
		return "cack, base, end are not in order";
	if (!uet_psn_before(rx->clear, rx->base))
		return "CLEAR_PSN received is beyond base";
	if (uet_pdc_has_window(pdc))
		return info_check_maps(pdc);
	if (rx->end != first || rx->nr_ooo || rx->nr_gtd || rx->nr_own ||
	    rx->nr_nacks)
		return "packets or answers are pending without a window";
	return NULL;
}

/*
 * Walk all slots, for tests and debug builds; false: @what names an invariant that does not
 * hold.
 */
bool uet_pdc_check(const struct uet_pdc *pdc, const char **what)
{
	const char *wrong = info_check_tx(pdc);
	bool is_error = pdc->state == UET_PDC_ST_ERROR;
	bool has_error = pdc->error != UET_PDC_OK;

	if (!wrong)
		wrong = info_check_rx(pdc);
	if (!wrong && is_error != has_error)
		wrong = "error and state do not fit";
	if (wrong)
		*what = wrong;
	return !wrong;
}
