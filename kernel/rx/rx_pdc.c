// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the PDC of a packet by the local PDCID or by the fields of a SYN, which may open a PDC.
 * If there is no PDC, or the PDC has closed, it chooses the drop reason and the NACK for the
 * sender. A NACK in clear to a FEP with security may be forged: it becomes the UET_LAST_ERROR
 * of its socket, and makes a PDC that opens begin at another PSN once.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.12.7, uet-wire 2.16, 2.18, 4.4.
 */
#include <linux/skbuff.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"
#include "tss/tss.h"

/* Unlock the PDC of the packet before. */
void uet_rx_burst_release(struct uet_rx_burst *burst)
{
	struct uet_pdc_entry *pe = burst ? burst->pe : NULL;

	if (!pe)
		return;
	burst->pe = NULL;
	uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
}

/* The PDC of a packet, locked, if the packet before had the same; another one is unlocked. */
static struct uet_pdc_entry *rx_burst_lock(struct uet_rx *rx, u16 pdcid)
{
	struct uet_pdc_entry *pe = rx->burst ? rx->burst->pe : NULL;

	if (pe && pe->id == pdcid) {
		rx->burst->pe = NULL;
		return pe;
	}
	uet_rx_burst_release(rx->burst);
	return NULL;
}

/* Unlock the PDC of a request, now or after later packets. */
void uet_rx_burst_unlock(struct uet_rx *rx, struct uet_pdc_entry *pe)
{
	if (rx->burst && uet_pdc_answers_can_wait(pe->pdc))
		rx->burst->pe = pe;
	else
		uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
}

/* Answer a packet without a PDC with a NACK, if it has a PSN. */
enum uet_drop uet_rx_refuse(struct uet_rx *rx, u8 code, enum uet_drop why)
{
	struct uet_pdc_tx tx;

	if (!uet_pds_reply_no_pdc(&rx->hdr, &rx->in, code, &tx))
		return why;
	return uet_rx_reply(rx, &tx, UET_NACK_LEN, why);
}

/* A closed PDC that failed: only the failure remains to be reported to the peer. */
static bool rx_has_failed(const struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return uet_pdc_state(pe->pdc) == UET_PDC_ST_ERROR;
}

/* Return: the locked PDC, or NULL if there is no memory for its window. */
static struct uet_pdc_entry *rx_awake(struct uet_pdc_entry *pe, enum uet_drop *why)
{
	if (likely(uet_pdc_entry_awake(pe)))
		return pe;
	uet_pdc_entry_unlock(pe);
	*why = UET_DROP_NO_MEMORY;
	return NULL;
}

/*
 * An ACK_REQUEST of an initiator that has not learnt our PDCID. Maybe no SYN of it has arrived:
 * INV_DPDCID would end a PDC that its next SYN can open.
 */
static bool rx_asks_unlearnt(const struct uet_rx *rx)
{
	return uet_wire_ty(rx->hdr.type)->kind == UET_TK_CP &&
	       rx->hdr.next_hdr == UET_CP_ACK_REQUEST && !rx->hdr.u.cp.dpdcid;
}

/*
 * Find and lock the PDC of a packet without SYN, or answer the packet. The core compares the
 * peer's PDCID. A packet for the PDC of another peer is not answered here, but by
 * uet_rx_input().
 */
struct uet_pdc_entry *uet_rx_find_id(struct uet_rx *rx, u16 dpdcid, enum uet_drop *why)
{
	struct uet_pdc_entry *pe = rx_burst_lock(rx, dpdcid);
	u8 code = UET_NACK_INV_DPDCID;

	if (pe)
		return pe;
	pe = uet_pdc_table_find(rx->fep->pdcs, dpdcid);
	if (pe && !uet_fa_equal(&pe->peer, &rx->from)) {
		*why = UET_DROP_PDCID_MISMATCH;
		return NULL;
	}
	if (pe) {
		rx->now = uet_pdc_entry_lock_at(pe, rx->now);
		if (!pe->dead)
			return rx_awake(pe, why);
		if (rx_has_failed(pe))
			code = UET_NACK_CLOSING_IN_ERR;
		uet_pdc_entry_unlock(pe);
	}
	*why = UET_DROP_NO_PDC;
	if (code != UET_NACK_INV_DPDCID || !rx_asks_unlearnt(rx))
		*why = uet_rx_refuse(rx, code, UET_DROP_NO_PDC);
	return NULL;
}

/*
 * The same for a control packet. With dpdcid 0 it is of an initiator that has not learnt our
 * PDCID. Its own PDCID finds the PDC then, as in a SYN.
 */
struct uet_pdc_entry *uet_rx_find_cp(struct uet_rx *rx, enum uet_drop *why)
{
	const struct uet_syn_key key = {
		.peer = rx->from,
		.spdcid = rx->hdr.u.cp.spdcid,
	};
	u16 id = rx->hdr.u.cp.dpdcid;
	struct uet_pdc_entry *pe;

	if (!id) {
		pe = uet_pdc_table_target(rx->fep->pdcs, &key);
		id = pe ? pe->id : 0;
	}
	return uet_rx_find_id(rx, id, why);
}

/*
 * A closed PDC is still in the table under the key of a SYN. The SYN either opens a new PDC or
 * is a late copy of a SYN of the closed PDC. A late copy has the first start PSN or the start
 * PSN that this end chose, and must not be executed again. After an orderly close no sender
 * waits for an answer. After a failure the sender may still wait, and each of its SYNs restarts
 * TIME_WAIT. Return: UET_DROP_NONE to open a new PDC; NO_PDC: notify the sender of the failure.
 */
static enum uet_drop rx_late_syn(struct uet_pdc_entry *pe, u32 start_psn, u64 now)
	__must_hold(&pe->lock)
{
	if (start_psn != pe->start_psn && start_psn != pe->syn_psn) {
		uet_pdc_entry_unlist(pe);
		return UET_DROP_NONE;
	}
	if (!rx_has_failed(pe))
		return UET_DROP_DUPLICATE;
	uet_pdc_entry_time_wait(pe, now);
	return UET_DROP_NO_PDC;
}

/*
 * A SYN with the key of a PDC that lives, and another Start_PSN. A PENDING target has no
 * Start_PSN yet. Return: WAIT and REPLACE as the core decides.
 */
static enum uet_rival rx_rival(struct uet_rx *rx, struct uet_pdc_entry *pe, u32 start_psn)
	__must_hold(&pe->lock)
{
	if (start_psn == pe->start_psn || start_psn == pe->syn_psn ||
	    uet_pdc_state(pe->pdc) == UET_PDC_ST_PENDING)
		return UET_RIVAL_REFUSE;
	return uet_pdc_rx_rival(pe->pdc, rx->now);
}

/*
 * Return: the PDC, locked and not closed; or NULL with @why: UET_DROP_NONE to open a new PDC,
 * or the drop reason of a late copy.
 */
static struct uet_pdc_entry *rx_syn_look_up(struct uet_rx *rx, const struct uet_syn_key *key,
					    u32 start_psn, enum uet_drop *why)
{
	struct uet_pdc_entry *pe = uet_pdc_table_target(rx->fep->pdcs, key);
	enum uet_rival rival;

	*why = UET_DROP_NONE;
	if (!pe)
		return NULL;
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	if (!pe->dead) {
		if (!rx_awake(pe, why))
			return NULL;
		rival = rx_rival(rx, pe, start_psn);
		if (rival == UET_RIVAL_REFUSE)
			return pe;
		uet_pdc_entry_run(pe, UET_RUN_NOW);
		if (rival == UET_RIVAL_REPLACE)
			uet_pdc_entry_kill(pe);
		else
			*why = UET_DROP_BAD_SYN;
		return NULL;
	}
	*why = rx_late_syn(pe, start_psn, rx->now);
	uet_pdc_entry_unlock(pe);
	/* With this NACK code the sender does not try another PDC. */
	if (*why == UET_DROP_NO_PDC)
		*why = uet_rx_refuse(rx, UET_NACK_CLOSING_IN_ERR, *why);
	return NULL;
}

/* Find and lock the PDC of a packet with SYN, or open one. */
struct uet_pdc_entry *uet_rx_find_syn(struct uet_rx *rx, enum uet_drop *why)
{
	struct uet_pdc_open open = { .role = UET_PDC_TARGET };
	struct uet_syn_key key = { .peer = rx->from };
	struct uet_pdc_entry *pe;

	uet_rx_burst_release(rx->burst);
	*why = UET_DROP_BAD_SYN;
	if (!uet_pds_opens_pdc(&rx->hdr, &open.mode, &open.peer_pdcid, &open.start_psn))
		return NULL;
	open.is_reserved = uet_pds_wants_reserved(&rx->hdr);
	if (unlikely(rx->fep->cfg.sd))
		uet_sd_start(rx->fep->cfg.sd, &rx->from, rx->tss, &open);
	key.spdcid = open.peer_pdcid;
	pe = rx_syn_look_up(rx, &key, open.start_psn, why);
	if (pe || *why)
		return pe;
	pe = uet_pdc_entry_accept(rx->fep, &key, &open);
	if (IS_ERR(pe)) {
		*why = uet_rx_refuse(rx, UET_NACK_NO_PDC_AVAIL, open.is_reserved ?
				     UET_DROP_NO_RSV_PDC_SPACE : UET_DROP_NO_PDC_SPACE);
		return NULL;
	}
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	return rx_awake(pe, why);
}

/* The code of a packet in clear is a hint for a person, and no more. */
static void refused_explain(const struct uet_rx *rx, const struct uet_pds_pkt *pkt, u8 code)
{
	struct uet_tx_message *tm;
	struct uet_ses_tx *tx;

	if (!pkt || uet_ses_is_read_rsp(pkt))
		return;
	tx = pkt->msg;
	tm = container_of(tx, struct uet_tx_message, ses);
	uet_sock_explain(tm->us, 0, "message of %u bytes waits: a NACK in clear, code %s, came from the address of its target, and FEP %s accepts sealed packets only",
			 uet_ses_tx_length(tx), uet_wire_nack(code)->name,
			 rx->fep->cfg.name);
}

static void refused_retry(const struct uet_rx *rx, struct uet_pdc_entry *pe,
			  const struct uet_pds_hdr *hdr)
	__must_hold(&pe->lock)
{
	u32 start_psn;

	if (pe->role != UET_PDC_INITIATOR)
		return;
	start_psn = uet_pdc_table_start_psn(rx->fep->pdcs, &pe->key,
					    UET_PDC_START_EXPECTED);
	uet_pdc_start_retry(pe->pdc, hdr, start_psn, rx->now);
}

/*
 * Note a NACK in clear to a FEP with security; the packet starts at the carrier header. A peer
 * that cannot open or does not accept a sealed SYN has no other way to say so. The packet is
 * dropped. The first one for a PDC that opens makes this PDC begin at another PSN.
 */
void uet_rx_clear_nack(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct uet_pdc_entry *pe;
	struct uet_pds_hdr hdr;
	size_t used;

	if (uet_wire_pds_decode(rx->skb->data + head_len,
				skb_headlen(rx->skb) - head_len, &hdr, &used) ||
	    uet_wire_ty(hdr.type)->kind != UET_TK_NACK ||
	    hdr.flags & UET_F_NT)
		return;
	uet_mib_inc(rx->fep->un, UET_MIB_RX_CLEAR_NACK);
	pe = uet_pdc_table_find(rx->fep->pdcs, hdr.u.nack.dpdcid);
	if (!pe || !uet_fa_equal(&pe->peer, &rx->from))
		return;
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	if (!pe->dead && uet_pdc_entry_awake(pe)) {
		refused_explain(rx, uet_pdc_pkt_of_nack(pe->pdc, &hdr),
				hdr.u.nack.code);
		refused_retry(rx, pe, &hdr);
	}
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}
