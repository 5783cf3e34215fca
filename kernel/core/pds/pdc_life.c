// SPDX-License-Identifier: GPL-2.0
/*
 * Creation, Start_PSN, window and closing of a PDC.  pdc_sm.c has the states.
 *
 * Implements UE 1.0.1 3.5.8.2, 3.5.8.3 (close), 3.5.11 (state of a PDC), NEW_START_PSN and
 * INVALID_SYN of 3.5.12.7, and Limit_PSN_Range of Table 3-28.  Level: core L4.
 */
#include "pdc.h"
#include "core/tss/tss.h"

/* PSNs kept for messages that were begun, if PSNs end at all. */
#define LIFE_PSN_RESERVE	(1U << 30)

/*
 * A correct target needs fewer changes of Start_PSN; the limit ends the exchange with a
 * faulty one.
 */
#define START_SHIFTS_MAX	4

/* A secure initiator begins below 2^31. */
#define START_SECURE_MAX	0x7fffffffU
/* Distance from the PSNs of the former PDC of the pair, UE 1.0.1 3.5.8.2. */
#define START_DISTANCE		0x10000

/*
 * The NOOP leaves at once, after one RTO and after three.  All three and their answers have
 * to be lost before a forged SYN replaces a PDC whose peer lives.
 */
#define RIVAL_RTOS	4

/**
 * uet_pdc_size() - memory of one PDC without its window, bytes
 *
 * The block needs the alignment of a pointer or u64.
 */
size_t uet_pdc_size(void)
{
	return sizeof(struct uet_pdc);
}

static void life_init_tx(struct uet_pdc *pdc)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	tx->una_reported = pdc->start_psn;
	tx->una = pdc->start_psn;
	tx->nxt = pdc->start_psn;
	tx->write_seq = pdc->start_psn;
	tx->cack = pdc->start_psn - 1;
	tx->clear_sent = pdc->start_psn - 1;
	tx->ar_psn = pdc->start_psn - UET_PDC_WINDOW_MAX;
	tx->reorder_window_psn = pdc->start_psn;
	tx->mpr_pkts = pdc->cfg->default_mpr * UET_MPR_UNIT;
	tx->xmit = 1;
	tx->rto_at = UET_NEVER;
	tx->reorder_at = UET_NEVER;
	tx->backoff_at = UET_NEVER;
	tx->tail.at = UET_NEVER;
	INIT_LIST_HEAD(&tx->sent);
	INIT_LIST_HEAD(&tx->lost);
}

static void life_init_rx(struct uet_pdc *pdc)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	rx->cack = pdc->start_psn - 1;
	rx->clear = pdc->start_psn - 1;
	rx->ar_psn = pdc->start_psn - 1;
	rx->base = pdc->start_psn;
	rx->end = pdc->start_psn;
	rx->ooo_base = pdc->start_psn - 1;
	rx->none_psn = pdc->start_psn - 1;
	rx->lent_psn = pdc->start_psn;
	rx->ack_at = UET_NEVER;
	rx->gtd_at = UET_NEVER;
}

/*
 * A recorded SYN must not open a secure PDC a second time, so the target chooses the Start_PSN:
 * always, at the cost of a round trip, or only if that of the SYN is below the Expected_PSN.
 * Until a SYN with a valid Start_PSN arrives the target is PENDING.  The caller manages keys and
 * the Expected_PSN of the security domain.  A PDC without security accepts any Start_PSN and
 * ignores NACKs that demand another.
 */
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

/* RANDOM_1RTT_START refuses the first Start_PSN in any case. */
static void start_init(struct uet_pdc *pdc, const struct uet_pdc_open *open, u64 now)
{
	bool waits = open->start == UET_PDC_START_RANDOM;

	pdc->start = open->start;
	pdc->expected_psn = open->expected_psn;
	pdc->new_at = UET_NEVER;
	if (open->role == UET_PDC_TARGET && (waits || !start_fits(pdc, open->start_psn)))
		uet_pdc_event(pdc, UET_PDC_EV_OPEN_PENDING, now);
	else
		uet_pdc_event(pdc, UET_PDC_EV_OPEN, now);
}

/*
 * uet_pdc_init() - open one end of a PDC, without a window
 * @cfg: valid parameters; they outlive the PDC, unchanged
 *
 * An initiator sends its first packet with SYN as soon as SES hands one down.  For a
 * target, the caller passes the SYN packet to uet_pdc_rx_req() next.
 */
void uet_pdc_init(struct uet_pdc *pdc, const struct uet_pdc_cfg *cfg,
		  const struct uet_pdc_open *open, u64 now)
{
	memset(pdc, 0, sizeof(*pdc));
	pdc->cfg = cfg;
	pdc->role = open->role;
	pdc->mode = open->mode;
	pdc->local_pdcid = open->local_pdcid;
	pdc->peer_pdcid = open->peer_pdcid;
	pdc->start_psn = open->start_psn;
	pdc->is_reserved = open->is_reserved;
	pdc->is_answer = open->is_answer;
	pdc->credit.paces = open->paces_credit;
	pdc->active_ns = now;
	pdc->opened_ns = now;
	pdc->close_at = UET_NEVER;
	pdc->orphan_at = UET_NEVER;
	if (cfg->has_cc) {
		pdc->cc.ccc = open->ccc;
		pdc->cc.overhead = open->overhead + (uet_ccc_advertises(open->ccc) ?
						     UET_REQ_CC_LEN : UET_REQ_LEN);
	}
	uet_ev_init(&pdc->ev, open->seed, open->mode == UET_PDC_RUD);
	life_init_tx(pdc);
	life_init_rx(pdc);
	start_init(pdc, open, now);
}

/*
 * UE 1.0.1 3.5.8.2: check the Start_PSN of a SYN; false: refused, with a NACK.
 * New_PDC_Time restarts with each refused SYN: the sender queues the packets with the
 * demanded Start_PSN behind all packets with the old one, so on a slow path the first of
 * them can arrive more than New_PDC_Time after the first refusal.  A recorded SYN does not
 * get here: its TSC was used.
 */
bool uet_pdc_start_rx_syn(struct uet_pdc *pdc, u32 start_psn, const struct uet_pdc_echo *echo,
			  u64 now)
{
	if (!uet_pdc_allows(pdc, UET_PDC_EV_STARTED))
		return true;
	if (!start_fits(pdc, start_psn)) {
		pdc->new_at = now + pdc->cfg->new_pdc_ns;
		uet_pdc_pend_nack(pdc, echo, UET_NACK_NEW_START_PSN, pdc->expected_psn);
		return false;
	}
	pdc->start_psn = start_psn;
	pdc->new_at = UET_NEVER;
	life_init_tx(pdc);
	life_init_rx(pdc);
	uet_pdc_event(pdc, UET_PDC_EV_STARTED, now);
	return true;
}

/* All packets get new PSNs, and count as never sent. */
static void start_shift(struct uet_pdc *pdc, u32 shift, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 psn;

	uet_pdc_slot_expand(pdc, tx->una_reported, tx->write_seq);
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
		if (pdc->cc.ccc)
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
	life_init_rx(pdc);
	pdc->tx.reorder_at = UET_NEVER;
	pdc->tx.pause.opens = 0;
	uet_pdc_rto_restart(pdc, now);
}

/*
 * UE 1.0.1 3.5.12.7: shift all queued packets and send them with SYN.  The target refuses
 * each packet of the first window, so the NACK arrives many times.
 */
void uet_pdc_start_obey(struct uet_pdc *pdc, u32 start_psn, u64 now)
{
	u32 shift = start_psn - pdc->start_psn;

	if (!shift)
		return;
	if (pdc->shifts++ == START_SHIFTS_MAX) {
		uet_pdc_fail(pdc, UET_PDC_ERR_NACK_RETX, UET_NACK_NEW_START_PSN, now);
		return;
	}
	start_move(pdc, shift, now);
}

/*
 * uet_pdc_start_psn() - Start_PSN that an initiator proposes, 2^16 or more away from @former
 * @former: last PSN of the former PDC of the same pair of endpoints, if known
 *
 * With security it is below 2^31: a member of a secure domain that has no Expected_PSN may
 * compare with 0, and in serial arithmetic the PSNs from 2^31 on are below 0.
 */
u32 uet_pdc_start_psn(enum uet_pdc_start start, u32 random, u32 former)
{
	s32 ahead;

	if (start != UET_PDC_START_PLAIN)
		random &= START_SECURE_MAX;
	ahead = uet_psn_diff(random, former);
	/* The changed bit leaves the PSN below 2^31. */
	return ahead > -START_DISTANCE && ahead < START_DISTANCE ? random ^ 0x40000000U : random;
}

/*
 * uet_pdc_start_retry() - a SYN was refused by a packet that nobody has sealed
 * @start_psn: from uet_pdc_start_psn() and a fresh random number
 *
 * A peer that cannot open a SYN, or has no PDC to seal an answer for, answers in clear.
 * Each such NACK may be forged, so a PDC obeys one of them, with a Start_PSN of its own
 * choice: a Start_PSN that the packet names could let packets of the former PDC pass for
 * those of this one.  Return: true if the packets are sent again from @start_psn on.
 */
bool uet_pdc_start_retry(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u32 start_psn, u64 now)
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

/*
 * uet_pdc_next_expected_psn() - no later PDC of the sender may start below this PSN
 *
 * A SYN recorded from this secure target contains its Start_PSN.  Any other recorded packet
 * has a PSN that was, or could have been, received.  All these are below the result.  With
 * a lower Expected_PSN a delayed packet could pass for one of the next PDC with the same
 * PDCIDs.
 */
u32 uet_pdc_next_expected_psn(const struct uet_pdc *pdc)
{
	return uet_psn_later(pdc->start_psn + 1, pdc->rx.end + pdc->cfg->window);
}

/*
 * Limit_PSN_Range: PSNs that this end may still use.  A secure PDC is limited to 2^31 PSNs, so
 * that a recorded PSN is not used again.
 */
u32 uet_pdc_psn_left(const struct uet_pdc *pdc)
{
	if (pdc->start == UET_PDC_START_PLAIN)
		return U32_MAX;
	return uet_tss_psn_left(pdc->start_psn, pdc->tx.write_seq);
}

/* Packets of the peer that were accepted as packets of this PDC. */
static u64 rival_heard(const struct uet_pdc *pdc)
{
	const struct uet_pdc_stats *stats = &pdc->stats;

	return stats->rx_req + stats->rx_dup + stats->rx_ooo + stats->rx_ack +
	       stats->rx_nack + stats->rx_cp;
}

/* Packets in flight are retransmitted, and ask as well as a NOOP does. */
static void rival_probe(struct uet_pdc *pdc, u64 now)
{
	pdc->rival.until = now + RIVAL_RTOS * uet_pdc_rto(pdc);
	pdc->rival.heard = rival_heard(pdc);
	if (pdc->tx.una == pdc->tx.write_seq && uet_pdc_allows(pdc, UET_PDC_EV_TX))
		uet_pdc_tx_add_cp(pdc, UET_CP_NOOP, now);
}

/*
 * uet_pdc_rx_rival() - a SYN with another Start_PSN than that of this open target arrived
 *
 * Its sender may have restarted and forgotten the PDC, or the SYN may be late or forged.  The
 * peer of the PDC decides: a NOOP is sent, retransmitted as any packet.  A peer that still has
 * the PDC answers it, and the SYN is refused.  A PDC without a packet from its peer for several
 * time-outs is replaced.
 */
enum uet_rival uet_pdc_rx_rival(struct uet_pdc *pdc, u64 now)
{
	if (!uet_pdc_has_window(pdc))
		return UET_RIVAL_WAIT;
	if (!pdc->rival.until) {
		rival_probe(pdc, now);
		return UET_RIVAL_WAIT;
	}
	if (rival_heard(pdc) != pdc->rival.heard) {
		pdc->rival.until = 0;
		return UET_RIVAL_REFUSE;
	}
	return now < pdc->rival.until ? UET_RIVAL_WAIT : UET_RIVAL_REPLACE;
}

/*
 * uet_pdc_takes_messages() - may SES start a new message on this PDC?
 *
 * Not once the PDC is closing or over, or a secure PDC has used half of its PSNs.  Messages
 * in progress go on as long as uet_pdc_tx_space() is true.
 */
bool uet_pdc_takes_messages(const struct uet_pdc *pdc)
{
	return !pdc->close_wanted && uet_pdc_psn_left(pdc) > LIFE_PSN_RESERVE &&
	       (pdc->state == UET_PDC_ST_SYN_SENT ||
		pdc->state == UET_PDC_ST_ESTABLISHED ||
		pdc->state == UET_PDC_ST_NEW_ESTABLISHED);
}

/*
 * uet_pdc_hold() - record whether SES has unfinished messages
 *
 * While held, the PDC does not close, even on request: the message may have bytes that do
 * not exist yet, or wait for a late response.  A held PDC that receives nothing during its
 * idle time sends a NOOP: it shows the peer that this end is alive, and its answer or
 * time-out shows whether the peer is.
 */
void uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now)
{
	if (pdc->tx.has_work && !held)
		pdc->active_ns = now;
	pdc->tx.has_work = held;
}

/*
 * uet_pdc_close() - request an orderly close
 *
 * An initiator finishes its pending packets, then closes.  A target requests the close from
 * the initiator.
 */
void uet_pdc_close(struct uet_pdc *pdc, u64 now)
{
	if (uet_pdc_event(pdc, UET_PDC_EV_CLOSE, now))
		pdc->will_close = true;
}

/*
 * uet_pdc_close_by() - abort the PDC in uet_pdc_tick() if it is not over at this time
 *
 * A peer that refuses each packet for lack of resources, but answers, would otherwise keep
 * the PDC and its messages alive without limit.
 */
void uet_pdc_close_by(struct uet_pdc *pdc, u64 at)
{
	pdc->orphan_at = at;
}

/*
 * uet_pdc_abort() - close at once, without the peer
 *
 * Every outstanding packet fails with UET_PDC_ERR_ABORT.  The peer times out.
 */
void uet_pdc_abort(struct uet_pdc *pdc, u64 now)
{
	uet_pdc_fail(pdc, UET_PDC_ERR_ABORT, 0, now);
}

/*
 * uet_pdc_is_dead() - is the PDC over, with no answer pending?
 *
 * The caller takes what uet_pdc_poll_up() still yields before it frees the memory.
 */
bool uet_pdc_is_dead(const struct uet_pdc *pdc)
{
	return uet_pdc_is_over(pdc) && !uet_pdc_has_answer(pdc);
}

/*
 * Restart Close_REQ_Time, if it runs, of a target whose peer is active.  An initiator that
 * acknowledged CLOSE_REQUEST only has to finish its message, which may take the idle time
 * of the target.
 */
void uet_pdc_close_later(struct uet_pdc *pdc, u64 now)
{
	bool acked = pdc->tx.una == pdc->tx.write_seq;

	if (pdc->close_at == UET_NEVER)
		return;
	pdc->close_at = now + (acked ? max(pdc->cfg->close_req_ns,
					   pdc->cfg->target_idle_ns) :
				       pdc->cfg->close_req_ns);
}

/*
 * The window is the memory for packets in flight, fifteen times the rest of a PDC.  The owner
 * lends it to a PDC that is used, and takes it back from an idle one, which knows its PSNs, its
 * timers and its counters.  What a packet was answered with is lost: a duplicate up to CACK_PSN
 * gets the default response.  So a window stays while a packet that got UET_NO_RESPONSE may be
 * asked about.
 */
static size_t window_bitmap_size(const struct uet_pdc_cfg *cfg)
{
	return BITS_TO_LONGS(cfg->window) * sizeof(unsigned long);
}

/*
 * uet_pdc_window_size() - memory of the window of a PDC, bytes
 *
 * The block needs the alignment of a pointer or u64.
 */
size_t uet_pdc_window_size(const struct uet_pdc_cfg *cfg)
{
	return cfg->window * (sizeof(struct uet_pdc_slot) + sizeof(struct uet_pdc_rxslot)) +
	       3 * window_bitmap_size(cfg) +
	       (cfg->has_cc ? cfg->window * sizeof(struct uet_cc_pkt) +
			      sizeof(struct uet_cc_ack) : 0) +
	       sizeof(struct uet_pdc_answers);
}

static void *window_cut(void **block, size_t size)
{
	void *part = *block;

	*block += size;
	return part;
}

static void window_cut_map(struct uet_psn_map *map, void **block, const struct uet_pdc_cfg *cfg)
{
	uet_psn_map_init(map, window_cut(block, window_bitmap_size(cfg)), cfg->window);
}

/*
 * uet_pdc_window_lend() - give a PDC its window
 * @window: uet_pdc_window_size() bytes, any contents; the PDC uses them until
 *	uet_pdc_window_reclaim() or its end
 */
void uet_pdc_window_lend(struct uet_pdc *pdc, void *window)
{
	const struct uet_pdc_cfg *cfg = pdc->cfg;
	u32 nr = cfg->window, i;

	UET_ASSERT(!uet_pdc_has_window(pdc));
	memset(window, 0, uet_pdc_window_size(cfg));
	pdc->tx.slots = window_cut(&window, nr * sizeof(*pdc->tx.slots));
	if (cfg->has_cc) {
		pdc->cc.pkts = window_cut(&window, nr * sizeof(*pdc->cc.pkts));
		pdc->cc.ack = window_cut(&window, sizeof(*pdc->cc.ack));
	}
	window_cut_map(&pdc->rx.rcvd, &window, cfg);
	window_cut_map(&pdc->rx.gtd, &window, cfg);
	window_cut_map(&pdc->rx.own, &window, cfg);
	pdc->rx.slots = window_cut(&window, nr * sizeof(*pdc->rx.slots));
	pdc->rx.answers = window_cut(&window, sizeof(*pdc->rx.answers));
	pdc->rx.lent_psn = pdc->rx.base;
	for (i = 0; i < nr; i++)
		INIT_LIST_HEAD(&pdc->tx.slots[i].link);
}

/* The sender may ask again for the UET_NO_RESPONSE of a packet. */
static bool window_keeps_none(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return uet_psn_after(rx->none_psn, rx->clear) &&
	       !uet_psn_before(rx->none_psn, rx->base - pdc->cfg->window);
}

static bool window_is_idle(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return tx->una_reported == tx->write_seq && rx->base == rx->end &&
	       rx->base == rx->cack + 1 && rx->ack_at == UET_NEVER &&
	       !rx->sack_pending && !uet_pdc_has_answer(pdc) && !window_keeps_none(pdc);
}

/*
 * uet_pdc_window_idle_since() - when the PDC last needed its window
 *
 * UET_NEVER: it has none, or needs it.
 */
u64 uet_pdc_window_idle_since(const struct uet_pdc *pdc)
{
	if (!uet_pdc_has_window(pdc) || !window_is_idle(pdc))
		return UET_NEVER;
	return pdc->active_ns;
}

/*
 * uet_pdc_window_reclaim() - take the window of an idle PDC back
 *
 * Without a window the PDC drops packets for lack of memory, and has no space for messages.
 * The owner lends one before uet_pdc_tick().
 */
void *uet_pdc_window_reclaim(struct uet_pdc *pdc)
{
	void *window = pdc->tx.slots;

	UET_ASSERT(uet_pdc_window_idle_since(pdc) != UET_NEVER);
	pdc->tx.slots = NULL;
	pdc->cc.pkts = NULL;
	pdc->cc.ack = NULL;
	pdc->rx.rcvd.bits = NULL;
	pdc->rx.gtd.bits = NULL;
	pdc->rx.own.bits = NULL;
	pdc->rx.slots = NULL;
	pdc->rx.answers = NULL;
	pdc->rx.lent_psn = pdc->rx.base;
	return window;
}
