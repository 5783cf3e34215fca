// SPDX-License-Identifier: GPL-2.0
/*
 * Where the PSNs of a secure PDC begin.  A recorded SYN must not open a PDC a
 * second time, so the target names the Start_PSN: always, at the price of a
 * round trip, or only when it is below the next one it expects.  Until then the
 * target is PENDING.  Keys and the Expected_PSN of a security domain belong to
 * the caller; a PDC without security takes any Start_PSN and obeys no NACK that
 * names another.
 *
 * A secure PDC also ends: it has 2^31 PSNs (Limit_PSN_Range), so that one that was
 * recorded does not come again.
 *
 * Implements UE 1.0.1 3.5.8.2 with security, NEW_START_PSN of 3.5.12.7,
 * New_PDC_Time and Limit_PSN_Range of Table 3-28.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"
#include "core/tss/tss.h"

/* Shifts an initiator goes along with; no honest target needs so many. */
#define START_SHIFTS_MAX	4

static bool start_fits(const struct uet_pdc *pdc, u32 start_psn)
{
	switch (pdc->start) {
	case UET_PDC_START_RANDOM:
		return start_psn == pdc->expected_psn;
	case UET_PDC_START_EXPECTED:
		return !uet_psn_before(start_psn, pdc->expected_psn);
	case UET_PDC_START_PLAIN:
		break;
	}
	return true;
}

/**
 * uet_pdc_start_init() - the first event of a PDC
 * @pdc: PDC, set up
 * @open: its identity
 * @now: monotonic time, ns
 *
 * Context: Any.
 * Spec: UE 1.0.1 3.5.8.2: RANDOM_1RTT_START always sends the initiator back.
 */
void uet_pdc_start_init(struct uet_pdc *pdc, const struct uet_pdc_open *open,
			u64 now)
{
	bool waits = open->start == UET_PDC_START_RANDOM;

	pdc->start = open->start;
	pdc->expected_psn = open->expected_psn;
	pdc->new_at = UET_NEVER;
	if (open->role == UET_PDC_TARGET &&
	    (waits || !start_fits(pdc, open->start_psn)))
		uet_pdc_event(pdc, UET_PDC_EV_OPEN_PENDING, now);
	else
		uet_pdc_event(pdc, UET_PDC_EV_OPEN, now);
}

/**
 * uet_pdc_start_rx_syn() - a SYN arrived at a PDC that may be PENDING
 * @pdc: target
 * @start_psn: Start_PSN of the SYN
 * @echo: the packet, for its NACK
 * @now: monotonic time, ns
 *
 * New_PDC_Time counts from the last refused SYN.  The packets at the named
 * Start_PSN are sent behind all those at the old one, so on a slow path the
 * first of them can arrive more than New_PDC_Time after the first refusal.  A
 * recorded SYN does not get here: its TSC was used.
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: false if its Start_PSN is refused; a NACK that names the right one is
 *	owed then.
 * Spec: UE 1.0.1 3.5.8.2.
 */
bool uet_pdc_start_rx_syn(struct uet_pdc *pdc, u32 start_psn,
			  const struct uet_pdc_echo *echo, u64 now)
{
	if (!uet_pdc_allows(pdc, UET_PDC_EV_STARTED))
		return true;
	if (!start_fits(pdc, start_psn)) {
		pdc->new_at = now + pdc->cfg.new_pdc_ns;
		uet_pdc_pend_nack(pdc, echo, UET_NACK_NEW_START_PSN,
				  pdc->expected_psn);
		return false;
	}
	pdc->start_psn = start_psn;
	pdc->new_at = UET_NEVER;
	uet_pdc_tx_init(pdc);
	uet_pdc_rx_init(pdc);
	uet_pdc_event(pdc, UET_PDC_EV_STARTED, now);
	return true;
}

/**
 * uet_pdc_start_expire() - New_PDC_Time ran out
 * @pdc: PENDING target
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_start_expire(struct uet_pdc *pdc, u64 now)
{
	if (uet_pdc_event(pdc, UET_PDC_EV_NEW_TIME, now))
		pdc->stats.start_expired++;
}

/* All packets get new PSNs, as if none had ever been sent. */
static void start_shift(struct uet_pdc *pdc, u32 shift, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 psn;

	for (psn = tx->una_reported; psn != tx->write_seq; psn++) {
		slot = uet_pdc_slot(pdc, psn);
		uet_pdc_slot_free(pdc, slot);
		slot->state = UET_SLOT_READY;
		slot->psn += shift;
		slot->sends = 0;
		slot->nacks = 0;
		slot->bypass_cc = false;
		uet_pdc_cc_queue(pdc, slot, now);
	}
	tx->una_reported += shift;
	tx->una += shift;
	tx->nxt = tx->una;
	tx->write_seq += shift;
	tx->cack += shift;
	tx->clear_sent += shift;
	tx->ar_psn += shift;
	tx->reorder_window_psn += shift;
	pdc->start_psn += shift;
}

/**
 * uet_pdc_start_obey() - the target names the Start_PSN it wants
 * @pdc: secure initiator in SYN_SENT
 * @start_psn: the Start_PSN
 * @now: monotonic time, ns
 *
 * Each packet of the first window is refused, so the answer comes many times.
 * Refusals for want of space that came before it count no more.
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.7: shift all queued packets, send them with SYN.
 */
void uet_pdc_start_obey(struct uet_pdc *pdc, u32 start_psn, u64 now)
{
	u32 shift = start_psn - pdc->start_psn;

	if (!shift)
		return;
	if (pdc->shifts++ == START_SHIFTS_MAX) {
		uet_pdc_fail(pdc, UET_PDC_ERR_NACK_RETX,
			     UET_NACK_NEW_START_PSN, now);
		return;
	}
	start_shift(pdc, shift, now);
	uet_pdc_rx_init(pdc);
	pdc->tx.reorder_at = UET_NEVER;
	pdc->tx.pause.opens = 0;
	uet_pdc_rto_restart(pdc, now);
}

/**
 * uet_pdc_next_expected_psn() - the Expected_PSN once this PDC is over
 * @pdc: secure target that was opened
 *
 * A SYN recorded from this PDC tells its Start_PSN, and any other packet a PSN
 * that was received or could have been: all are below the result.  Otherwise a
 * packet that was held back could pass for one of the next PDC with these
 * PDCIDs.  The caller keeps the latest one per sender.
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: a PSN; below it no PDC of the sender may start.
 * Spec: UE 1.0.1 3.5.8.2.
 */
u32 uet_pdc_next_expected_psn(const struct uet_pdc *pdc)
{
	return uet_psn_later(pdc->start_psn + 1,
			     pdc->rx.end + pdc->cfg.window);
}

/**
 * uet_pdc_psn_left() - PSNs that this end may still use
 * @pdc: PDC
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: how many; U32_MAX without security: any number.
 * Spec: UE 1.0.1 Table 3-28, Limit_PSN_Range.
 */
u32 uet_pdc_psn_left(const struct uet_pdc *pdc)
{
	if (pdc->start == UET_PDC_START_PLAIN)
		return U32_MAX;
	return uet_tss_psn_left(pdc->start_psn, pdc->tx.write_seq);
}
