// SPDX-License-Identifier: GPL-2.0
/*
 * The model of a secure start: a target that demands a Start_PSN, and an initiator
 * that restarts at the demanded PSN.  Until both agree, the target has received no
 * packet, and packets of the initiator count as never sent.  A new Start_PSN therefore
 * only changes the PSN of number 1.
 *
 * Spec: UE 1.0.1 3.5.8.2, 3.5.12.7, New_PDC_Time of Table 3-28.  Level: test.
 */
#include "model.h"

/* Maximum number of restarts of an initiator. */
#define START_SHIFTS	4

static bool start_is_right(const struct model *m, u32 start_psn)
{
	if (m->open.start == UET_PDC_START_RANDOM)
		return start_psn == m->open.expected_psn;
	if (m->open.start == UET_PDC_START_EXPECTED)
		return (s32)(start_psn - m->open.expected_psn) >= 0;
	return true;
}

/**
 * model_start_init() - initialise the secure start of a new PDC
 * @m: model, initialised
 * @now: time, ns
 */
void model_start_init(struct model *m, u64 now)
{
	m->new_at = UET_NEVER;
	if (m->open.role != UET_PDC_TARGET)
		return;
	/* The first Start_PSN never equals a random one: the packet may be a recording. */
	m->is_pending = m->open.start == UET_PDC_START_RANDOM ||
			!start_is_right(m, m->open.start_psn);
	if (m->is_pending)
		m->new_at = now + m->cfg.new_pdc_ns;
}

/**
 * model_is_unlearnt() - is a packet of an initiator that has not learnt our PDCID?
 * @m: model
 * @from: addressing of the packet
 *
 * 3.5.8.2: a request carries SYN then; by choice (choices.rst) a control packet without SYN
 * has dpdcid 0.
 *
 * Return: true for such a control packet.
 */
bool model_is_unlearnt(const struct model *m, const struct model_from *from)
{
	return from->is_cp && !(from->flags & UET_F_SYN) && !from->dpdcid &&
	       m->open.role == UET_PDC_TARGET;
}

/**
 * model_start_rx() - check the Start_PSN of a request or control packet
 * @m: model
 * @from: addressing of the packet
 * @echo: fields for its NACK; the number is not valid yet
 *
 * Return: UET_DROP_NONE: the PDC is open from now on; else the reason to drop.
 */
enum uet_drop model_start_rx(struct model *m, const struct model_from *from,
			     const struct model_echo *echo, u64 now)
{
	struct model_nack nack = {
		.echo = *echo,
		.psn = from->psn,
		.payload = m->open.expected_psn,
		.code = UET_NACK_NEW_START_PSN,
	};
	u32 start_psn = from->psn - from->psn_offset;

	if (!m->is_pending)
		return UET_DROP_NONE;
	if (from->spdcid != m->peer)
		return UET_DROP_PDCID_MISMATCH;
	if (!(from->flags & UET_F_SYN))
		return from->dpdcid == m->open.local_pdcid ||
		       model_is_unlearnt(m, from) ?
		       UET_DROP_BAD_STATE : UET_DROP_PDCID_MISMATCH;
	if (!start_is_right(m, start_psn)) {
		m->new_at = now + m->cfg.new_pdc_ns;
		model_pend_nack(m, &nack);
		return UET_DROP_BAD_SYN;
	}
	m->open.start_psn = start_psn;
	m->is_pending = false;
	m->new_at = UET_NEVER;
	return UET_DROP_NONE;
}

/**
 * model_start_tick() - end a target that waited too long for its Start_PSN
 * @m: model
 * @now: time, ns
 */
void model_start_tick(struct model *m, u64 now)
{
	if (m->over || m->new_at > now)
		return;
	model_finish(m);
	m->stats.start_expired++;
}

/**
 * model_start_obey() - restart at the Start_PSN that the target demands
 * @m: model of an initiator that no target has accepted yet
 * @start_psn: demanded Start_PSN
 * @now: time, ns
 */
void model_start_obey(struct model *m, u32 start_psn, u64 now)
{
	struct model_out *out;
	s64 nr;

	if (start_psn == m->open.start_psn)
		return;
	if (m->shifts++ == START_SHIFTS) {
		model_fail(m, UET_PDC_ERR_NACK_RETX, UET_NACK_NEW_START_PSN);
		return;
	}
	m->open.start_psn = start_psn;
	for (nr = m->tx.una; nr < m->tx.nxt; nr++) {
		out = &m->tx.out[nr];
		out->sends = 0;
		out->nacks = 0;
		out->has = false;
		out->again = false;
		out->may = false;
	}
	m->tx.nxt = m->tx.una;
	m->tx.opens = 0;
	m->tx.progress_ns = now;
}
