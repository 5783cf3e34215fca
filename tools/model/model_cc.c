// SPDX-License-Identifier: GPL-2.0
/*
 * What the model asks of a PDC with congestion control: nothing new is sent while the
 * context does not let it or others wait for their turn, and what it lets is sent.
 * Contexts have no model of their own: what they say is believed, and whether that
 * is sane is for those to check who have the contexts.
 *
 * Spec: UE 1.0.1 3.5.15, 3.6.12.4.  Level: test.
 */
#include "model.h"

/**
 * model_cc_before() - a packet is about to be asked for
 * @m: model
 *
 * Who sends changes what the context says, so it is asked before.
 */
void model_cc_before(struct model *m)
{
	const struct uet_ccc *ccc = m->open.ccc;

	m->cc.may_send = !ccc || (ccc->state == UET_CCC_READY &&
				  (m->cc.quantum || !ccc->nr_waiting));
	m->cc.had_probed = !ccc || ccc->nscc.has_probed;
}

/**
 * model_cc_see_req() - a request is sent
 * @m: model
 * @out: what is kept of it, before this transmission
 *
 * What is taken for lost goes again whatever the window is.
 */
void model_cc_see_req(struct model *m, const struct model_out *out)
{
	MODEL_RULE(m, m->cc.may_send || out->sends,
		   "congestion control does not let a new packet go");
	if (m->cc.quantum)
		m->cc.quantum--;
}

/**
 * model_cc_see_probe() - a packet was asked for: does the context want a Probe?
 * @m: model
 */
void model_cc_see_probe(struct model *m)
{
	if (!m->cc.had_probed && m->open.ccc->nscc.has_probed)
		m->cc.wants_probe = true;
}

/**
 * model_cc_holds() - does congestion control keep the next packet back?
 * @m: model that has something to send, asked when nothing was sent
 *
 * Control packets are not controlled, but what waits before them is.
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
