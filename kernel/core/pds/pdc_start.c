// SPDX-License-Identifier: GPL-2.0
/*
 * The Start_PSN of a secure PDC.  A recorded SYN must not open a PDC a second
 * time, so the target chooses the Start_PSN: always, at the cost of a round
 * trip, or only if the Start_PSN of the SYN is below the Expected_PSN.  Until a
 * SYN with a valid Start_PSN arrives the target is PENDING.  The caller manages
 * keys and the Expected_PSN of the security domain.  A PDC without security
 * accepts any Start_PSN and ignores NACKs that demand another.
 *
 * A secure PDC is limited to 2^31 PSNs (Limit_PSN_Range), so that a recorded
 * PSN is not used again.
 *
 * Implements UE 1.0.1 3.5.8.2 with security, NEW_START_PSN of 3.5.12.7,
 * New_PDC_Time and Limit_PSN_Range of Table 3-28.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"
#include "core/tss/tss.h"

/*
 * Changes of Start_PSN that an initiator accepts.  A correct target needs
 * fewer; the limit ends the exchange with a faulty target.
 */
#define START_SHIFTS_MAX	4

/* A secure initiator begins below 2^31. */
#define START_SECURE_MAX	0x7fffffffU
/* Distance from the PSNs of the former PDC of the pair, UE 1.0.1 3.5.8.2. */
#define START_DISTANCE		0x10000

/**
 * uet_pdc_first_psn() - the Start_PSN of a PDC
 * @pdc: PDC
 *
 * A secure target may demand another Start_PSN until the PDC is established; all PSNs
 * change by the same number then.
 *
 * Return: PSN of the first packet of both directions.
 */
u32 uet_pdc_first_psn(const struct uet_pdc *pdc)
{
	return pdc->start_psn;
}

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

/*
 * Open a PDC, or leave its target PENDING.
 * Spec: UE 1.0.1 3.5.8.2: RANDOM_1RTT_START refuses the first Start_PSN in any
 *	case.
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

/*
 * Check the Start_PSN of a SYN.
 *
 * New_PDC_Time restarts with each refused SYN.  The sender queues the packets
 * with the demanded Start_PSN behind all packets with the old one.  On a slow
 * path the first of them can therefore arrive more than New_PDC_Time after the
 * first refusal.  A recorded SYN does not reach this function: its TSC was
 * used.
 *
 * Return: false if the Start_PSN is refused; a NACK with the valid one is
 *	pending then.
 * Spec: UE 1.0.1 3.5.8.2.
 */
bool uet_pdc_start_rx_syn(struct uet_pdc *pdc, u32 start_psn,
			  const struct uet_pdc_echo *echo, u64 now)
{
	if (!uet_pdc_allows(pdc, UET_PDC_EV_STARTED))
		return true;
	if (!start_fits(pdc, start_psn)) {
		pdc->new_at = now + pdc->cfg->new_pdc_ns;
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

/* New_PDC_Time ran out. */
void uet_pdc_start_expire(struct uet_pdc *pdc, u64 now)
{
	if (uet_pdc_event(pdc, UET_PDC_EV_NEW_TIME, now))
		pdc->stats.start_expired++;
}

/* All packets get new PSNs, and count as never sent. */
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
		slot->nacks_in_row = 0;
		slot->backoff_until = 0;
		slot->bypass_cc = false;
		uet_pdc_cc_queue(pdc, slot, 1, now);
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

static void start_move(struct uet_pdc *pdc, u32 shift, u64 now)
{
	start_shift(pdc, shift, now);
	uet_pdc_rx_init(pdc);
	pdc->tx.reorder_at = UET_NEVER;
	pdc->tx.pause.opens = 0;
	uet_pdc_rto_restart(pdc, now);
}

/*
 * Adopt the Start_PSN that the target demands.
 *
 * The target refuses each packet of the first window, so the NACK arrives many
 * times.  Earlier refusals for lack of resources no longer count.
 *
 * Spec: UE 1.0.1 3.5.12.7: shift all queued packets and send them with SYN.
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
	start_move(pdc, shift, now);
}

/**
 * uet_pdc_start_psn() - Start_PSN that an initiator proposes
 * @start: PLAIN for any PSN, else the PSN is below 2^31
 * @random: fresh random number
 * @former: last PSN of the former PDC of the same pair of endpoints, if known
 *
 * A member of a secure domain that has no Expected_PSN may compare with 0, and
 * in serial arithmetic the PSNs from 2^31 on are below 0.
 *
 * Return: Start_PSN, 2^16 or more away from @former.
 * Spec: UE 1.0.1 3.5.8.2.
 */
u32 uet_pdc_start_psn(enum uet_pdc_start start, u32 random, u32 former)
{
	s32 ahead;

	if (start != UET_PDC_START_PLAIN)
		random &= START_SECURE_MAX;
	ahead = uet_psn_diff(random, former);
	/* The changed bit leaves the PSN below 2^31. */
	return ahead > -START_DISTANCE && ahead < START_DISTANCE ?
	       random ^ 0x40000000U : random;
}

/**
 * uet_pdc_start_retry() - a SYN was refused by a packet that nobody has sealed
 * @pdc: PDC of a secure domain
 * @hdr: decoded header of the NACK, possibly forged
 * @start_psn: from uet_pdc_start_psn() and a fresh random number
 * @now: monotonic time, ns
 *
 * A peer that cannot open a SYN, or has no PDC to seal an answer for, answers in
 * clear.  Each such NACK may be forged, so a PDC obeys one of them, with a
 * Start_PSN of its own choice: a Start_PSN that the packet names could let packets
 * of the former PDC pass for those of this one.  The caller runs the run loop
 * next.
 *
 * Return: true if the packets of @pdc are sent again from @start_psn on.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.12.7.
 */
bool uet_pdc_start_retry(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			 u32 start_psn, u64 now)
{
	if (pdc->was_retried || pdc->start == UET_PDC_START_PLAIN ||
	    pdc->state != UET_PDC_ST_SYN_SENT ||
	    hdr->u.nack.code != UET_NACK_NEW_START_PSN ||
	    hdr->flags & UET_F_NT || !uet_pdc_slot_is_out(pdc, hdr->u.nack.psn))
		return false;
	pdc->was_retried = true;
	start_move(pdc, start_psn - pdc->start_psn, now);
	return true;
}

/**
 * uet_pdc_next_expected_psn() - the Expected_PSN once this PDC is over
 * @pdc: secure target that was opened
 *
 * A SYN recorded from this PDC contains its Start_PSN.  Any other recorded
 * packet has a PSN that was, or could have been, received.  All these PSNs are
 * below the result.  With a lower Expected_PSN a delayed packet could be
 * mistaken for a packet of the next PDC with the same PDCIDs.  The caller keeps
 * the latest value per sender.
 *
 * Return: a PSN; no later PDC of the sender may start below it.
 * Spec: UE 1.0.1 3.5.8.2.
 */
u32 uet_pdc_next_expected_psn(const struct uet_pdc *pdc)
{
	return uet_psn_later(pdc->start_psn + 1,
			     pdc->rx.end + pdc->cfg->window);
}

/*
 * PSNs that this end may still use.
 * Return: number of PSNs; U32_MAX without security: unlimited.
 * Spec: UE 1.0.1 Table 3-28, Limit_PSN_Range.
 */
u32 uet_pdc_psn_left(const struct uet_pdc *pdc)
{
	if (pdc->start == UET_PDC_START_PLAIN)
		return U32_MAX;
	return uet_tss_psn_left(pdc->start_psn, pdc->tx.write_seq);
}
