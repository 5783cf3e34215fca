// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of the model for a PDC with congestion control.  While the context forbids
 * sending, or while other PDCs wait for their quantum, the PDC sends no new packet.
 * The PDC sends everything that the context permits.  The model trusts the context's
 * send permission; other tests check the contexts.
 *
 * Spec: UE 1.0.1 3.5.15, 3.6.12.4.  Level: test.
 */
#include "model.h"

/**
 * model_cc_before() - record the permission before a packet is polled
 * @m: model
 *
 * Sending changes the permission, so the permission is recorded before.
 */
void model_cc_before(struct model *m)
{
	const struct uet_ccc *ccc = m->open.ccc;

	m->cc.may_send = !ccc || (ccc->state == UET_CCC_READY &&
				  (m->cc.quantum || !ccc->nr_waiting));
	m->cc.had_probed = !ccc || ccc->nscc.has_probed;
}

/**
 * model_cc_see_req() - check the permission of a sent request
 * @m: model
 * @out: record of the request before this transmission
 *
 * Retransmissions of lost packets bypass the window.
 */
void model_cc_see_req(struct model *m, const struct model_out *out)
{
	MODEL_RULE(m, m->cc.may_send || out->sends,
		   "congestion control does not let a new packet go");
	if (m->cc.quantum)
		m->cc.quantum--;
}

/**
 * model_cc_see_probe() - note after a poll whether the context demands a Probe
 * @m: model
 */
void model_cc_see_probe(struct model *m)
{
	if (!m->cc.had_probed && m->open.ccc->nscc.has_probed)
		m->cc.wants_probe = true;
}

/**
 * model_cc_holds() - does congestion control hold back the next packet?
 * @m: model with a packet to send, called when nothing was sent
 *
 * Control packets bypass congestion control, but packets queued before them do not.
 *
 * Return: true if so.
 */
bool model_cc_holds(const struct model *m)
{
	s64 nr;

	if (m->cc.may_send)
		return false;
	for (nr = m->tx.una; nr < m->tx.nxt; nr++)
		if (m->tx.out[nr].again)
			return m->tx.out[nr].kind == MODEL_REQ;
	return m->tx.nxt < m->tx.write_seq &&
	       m->tx.out[m->tx.nxt].kind == MODEL_REQ;
}
