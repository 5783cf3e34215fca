// SPDX-License-Identifier: GPL-2.0
/*
 * Check of each header that the real PDC sends against the tables of spec.h: the packet
 * type, its flags, and the fields that the code of a NACK or the type of a control
 * packet determines.  The other files of the model check when a packet may be sent, and
 * the fields that depend on the state of the PDC.
 *
 * The other files use the numbers of the core, which must be those of the specification;
 * the assertions below compare them.
 *
 * Spec: UE 1.0.1 3.5.10, 3.5.12.7, 3.5.16.  Level: test.
 */
#include "model.h"

#define SAME(core, spec) _Static_assert((int)(core) == (int)(spec), #core)

SAME(UET_TY_RUD_REQ, SPEC_RUD_REQ);
SAME(UET_TY_ROD_REQ, SPEC_ROD_REQ);
SAME(UET_TY_ACK, SPEC_ACK);
SAME(UET_TY_ACK_CC, SPEC_ACK_CC);
SAME(UET_TY_NACK, SPEC_NACK);
SAME(UET_TY_CP, SPEC_CP);
SAME(UET_TY_RUD_CC_REQ, SPEC_RUD_CC_REQ);
SAME(UET_TY_ROD_CC_REQ, SPEC_ROD_CC_REQ);

SAME(UET_F_ISROD, SPEC_F_ISROD);
SAME(UET_F_M, SPEC_F_M);
SAME(UET_F_RETX, SPEC_F_RETX);
SAME(UET_F_AR, SPEC_F_AR);
SAME(UET_F_P, SPEC_F_P);
SAME(UET_F_NT, SPEC_F_NT);
SAME(UET_F_SYN, SPEC_F_SYN);
SAME(UET_F_REQ_MASK, SPEC_F_REQ);
SAME(UET_F_REQ_CLEAR, SPEC_F_REQ_CLEAR);
SAME(UET_F_REQ_CLOSE, SPEC_F_REQ_CLOSE);

/* Table 3-66 */
SAME(UET_CP_NOOP, 0);
SAME(UET_CP_ACK_REQUEST, 1);
SAME(UET_CP_CLEAR_COMMAND, 2);
SAME(UET_CP_CLEAR_REQUEST, 3);
SAME(UET_CP_CLOSE_COMMAND, 4);
SAME(UET_CP_CLOSE_REQUEST, 5);
SAME(UET_CP_PROBE, 6);
SAME(UET_CP_NEGOTIATION, 9);

/* Table 3-58 */
SAME(UET_NACK_NO_GTD_DEL_AVAIL, 0x08);
SAME(UET_NACK_PSN_OOR_WINDOW, SPEC_NACK_PSN_OOR_WINDOW);
SAME(UET_NACK_ROD_OOO, 0x0d);
SAME(UET_NACK_INV_DPDCID, SPEC_NACK_INV_DPDCID);
SAME(UET_NACK_CLOSING, 0x10);
SAME(UET_NACK_CLOSING_IN_ERR, 0x11);
SAME(UET_NACK_PKT_NOT_RCVD, 0x12);
SAME(UET_NACK_INVALID_SYN, SPEC_NACK_INVALID_SYN);
SAME(UET_NACK_PDC_MODE_MISMATCH, 0x16);
SAME(UET_NACK_NEW_START_PSN, SPEC_NACK_NEW_START_PSN);
SAME(UET_NACK_UNEXP_EVENT, 0x19);

/* Tables 3-16, 3-18, 3-19 */
SAME(UET_NH_NONE, SPEC_NH_NONE);
SAME(UET_RSP_DEFAULT, SPEC_RSP_DEFAULT);
SAME(UET_RSP_NO_RESPONSE, SPEC_RSP_NO_RESPONSE);
SAME(UET_RC_OK, SPEC_RC_OK);

static void wire_see_flags(const struct model *m, const struct uet_pds_hdr *hdr)
{
	const struct spec_type *row = &spec_types[hdr->type];

	MODEL_RULE(m, row->name, "packet type %u is reserved", hdr->type);
	MODEL_RULE(m, !(hdr->flags & ~row->flags),
		   "flags %#x of a %s: some are reserved (%s)", hdr->flags,
		   row->name, row->cite);
}

/* Table 3-44: only a target may demand something in an ACK. */
static void wire_see_ack(const struct model *m, const struct uet_pds_hdr *hdr)
{
	MODEL_RULE(m, m->open.role == UET_PDC_TARGET ||
		   !(hdr->flags & SPEC_F_REQ),
		   "an initiator demands %#x in an ACK", hdr->flags);
}

static void wire_see_nack(const struct model *m, const struct uet_pds_hdr *hdr)
{
	const struct uet_nack *nack = &hdr->u.nack;
	const struct spec_nack *row = &spec_nacks[nack->code];

	MODEL_RULE(m, row->name, "NACK code %#x is reserved", nack->code);
	/* choices.rst, "TRIMMED_ACK" */
	MODEL_RULE(m, nack->code != SPEC_NACK_TRIMMED_ACK,
		   "1.0.3 reserves TRIMMED_ACK");
	MODEL_RULE(m, !(hdr->flags & SPEC_F_NT), "a PDC refuses a RUDI packet");
	MODEL_RULE(m, row->payload != SPEC_PAYLOAD_ZERO || !nack->payload,
		   "payload %#x of %s must be 0 (%s)", nack->payload, row->name,
		   row->cite);
	MODEL_RULE(m, !row->no_pdc || !nack->spdcid,
		   "spdcid %#x of %s must be 0 (%s)", nack->spdcid, row->name,
		   row->cite);
	MODEL_EQ(m, "vendor_code", nack->vendor, 0);
}

static bool wire_may_send(const struct model *m, enum spec_sender sender)
{
	return sender == SPEC_EITHER ||
	       (sender == SPEC_INITIATOR) == (m->open.role == UET_PDC_INITIATOR);
}

static void wire_see_cp(const struct model *m, const struct uet_pds_hdr *hdr)
{
	const struct spec_ctl *row = &spec_ctls[hdr->next_hdr & 15];
	const struct uet_cp *cp = &hdr->u.cp;
	u8 opens = SPEC_F_SYN | SPEC_F_ISROD;

	MODEL_RULE(m, row->name, "control type %u is reserved", hdr->next_hdr);
	MODEL_RULE(m, wire_may_send(m, row->sender),
		   "%s is for the other end (%s)", row->name, row->cite);
	MODEL_RULE(m, !!(hdr->flags & SPEC_F_AR) == row->ar,
		   "AR of %s must be %d (%s)", row->name, row->ar, row->cite);
	MODEL_RULE(m, row->syn || !(hdr->flags & opens),
		   "%s opens no PDC: flags %#x (%s)", row->name, hdr->flags,
		   row->cite);
	MODEL_RULE(m, row->psn != SPEC_PSN_ZERO || !cp->psn,
		   "%s has a PSN (%s)", row->name, row->cite);
	MODEL_RULE(m, row->psn == SPEC_PSN_NEXT || !(hdr->flags & SPEC_F_RETX),
		   "%s takes no PSN and is no retransmission (%s)", row->name,
		   row->cite);
	MODEL_RULE(m, row->payload != SPEC_CP_NOTHING || !cp->payload,
		   "%s has a payload (%s)", row->name, row->cite);
	MODEL_RULE(m, row->payload == SPEC_CP_SACK_PSN || !cp->probe_opaque,
		   "%s has a probe_opaque (%s)", row->name, row->cite);
}

/**
 * model_see_wire() - check the header of a sent packet against the tables
 * @m: model
 * @tx: the packet
 */
void model_see_wire(const struct model *m, const struct uet_pdc_tx *tx)
{
	wire_see_flags(m, &tx->hdr);
	switch (tx->kind) {
	case UET_TX_REQ:
		break;
	case UET_TX_ACK:
		wire_see_ack(m, &tx->hdr);
		break;
	case UET_TX_NACK:
		wire_see_nack(m, &tx->hdr);
		break;
	case UET_TX_CP:
		wire_see_cp(m, &tx->hdr);
		break;
	}
}
