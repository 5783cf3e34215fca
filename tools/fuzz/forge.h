/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forged packets, made by the input of a fuzzer from packets that were sent:
 * one field is changed, or a request becomes a NACK or a control packet about
 * the request.  Such packets are similar to valid ones and pass the first
 * checks.
 * Level: test.
 */
#ifndef UET_TOOLS_FORGE_H
#define UET_TOOLS_FORGE_H

#include "core/pds/pds.h"
#include "fuzz.h"

/* Near a real PSN, a window away from it, or anywhere. */
static inline u32 forge_psn(struct fuzz_input *in, u32 psn, u32 window)
{
	u32 how = fuzz_take(in, 1);

	if (how < 0x80)
		return psn + how % 8 - 4;
	if (how < 0xc0)
		return psn + (s8)fuzz_take(in, 1);
	if (how < 0xd8)
		return psn + window + how % 4 - 2;
	if (how < 0xf0)
		return psn - window + how % 4 - 2;
	return how < 0xf8 ? psn + (s16)fuzz_take(in, 2) : fuzz_take(in, 4);
}

static inline void forge_in_req(struct fuzz_input *in, struct uet_pds_hdr *hdr,
				u32 window)
{
	struct uet_req *req = &hdr->u.req;

	switch (fuzz_take(in, 1) % 6) {
	case 0:
		req->psn = forge_psn(in, req->psn, window);
		break;
	case 1:
		req->clear_off = (s16)fuzz_take(in, 2);
		break;
	case 2:
		req->psn_offset = fuzz_take(in, 2) & UET_PSN_OFFSET_MAX;
		break;
	case 3:
		req->spdcid++;
		break;
	case 4:
		req->dpdcid++;
		break;
	case 5:
		hdr->type = UET_TY_RUD_REQ + UET_TY_ROD_REQ - hdr->type;
		break;
	}
}

static inline void forge_in_ack(struct fuzz_input *in, struct uet_pds_hdr *hdr,
				u32 window)
{
	struct uet_ack *ack = &hdr->u.ack;

	switch (fuzz_take(in, 1) % 8) {
	case 0:
		ack->cack_psn = forge_psn(in, ack->cack_psn, window);
		break;
	case 1:
		ack->ack_off += (s8)fuzz_take(in, 1);
		break;
	case 2:
		ack->sack_off += (s8)fuzz_take(in, 1);
		break;
	case 3:
		ack->sack_bitmap = (u64)fuzz_take(in, 4) << 32;
		ack->sack_bitmap |= fuzz_take(in, 4);
		break;
	case 4:
		ack->mpr = (u8)fuzz_take(in, 1);
		break;
	case 5:
		ack->spdcid = fuzz_take(in, 1) & 1 ? 0 : ack->spdcid + 1;
		break;
	case 6:
		hdr->type = UET_TY_ACK + fuzz_take(in, 1) % 3;
		break;
	case 7:
		hdr->next_hdr = UET_NH_NONE;
		break;
	}
}

static inline void forge_in_cp(struct fuzz_input *in, struct uet_pds_hdr *hdr,
			       u32 window)
{
	struct uet_cp *cp = &hdr->u.cp;

	switch (fuzz_take(in, 1) % 4) {
	case 0:
		hdr->next_hdr = fuzz_take(in, 1) % UET_CP_NR;
		break;
	case 1:
		cp->psn = forge_psn(in, cp->psn, window);
		break;
	case 2:
		cp->payload = forge_psn(in, cp->payload, window);
		break;
	case 3:
		cp->spdcid++;
		break;
	}
}

/* Forge a NACK of a packet in flight. */
static inline void forge_nack(struct fuzz_input *in, struct uet_pdc_tx *tx,
			      u32 window)
{
	struct uet_nack nack = {
		.spdcid = tx->hdr.u.req.dpdcid,
		.dpdcid = tx->hdr.u.req.spdcid,
	};
	u32 how = fuzz_take(in, 1);

	nack.code = fuzz_take(in, 1) % 0x20;
	nack.psn = forge_psn(in, tx->hdr.u.req.psn, window);
	nack.payload = forge_psn(in, nack.psn, window);
	nack.code |= how < 16 ? 0xe0 : 0;
	if ((how & 1) || (tx->hdr.flags & UET_F_SYN))
		nack.spdcid = 0;
	tx->kind = UET_TX_NACK;
	tx->hdr.type = UET_TY_NACK;
	tx->hdr.flags = how & 2 ? UET_F_RETX : 0;
	tx->hdr.u.nack = nack;
}

/* Forge a control packet from a request. */
static inline void forge_cp(struct fuzz_input *in, struct uet_pdc_tx *tx,
			    u32 window)
{
	struct uet_req req = tx->hdr.u.req;
	struct uet_cp cp = {
		.spdcid = req.spdcid,
		.dpdcid = req.dpdcid,
		.psn_offset = req.psn_offset,
		.probe_opaque = req.psn & 0xffff,
	};

	cp.psn = forge_psn(in, req.psn, window);
	cp.payload = forge_psn(in, req.psn, window);
	tx->kind = UET_TX_CP;
	tx->hdr.type = UET_TY_CP;
	tx->hdr.next_hdr = fuzz_take(in, 1) % UET_CP_NR;
	tx->hdr.u.cp = cp;
}

/**
 * forge_packet() - turn a packet into a forged packet
 * @in: selects the changes
 * @tx: the packet
 * @window: a difference of PSNs that is worth trying
 *
 * Return: true if the result is an answer; it goes to the source of @tx.
 */
static inline bool forge_packet(struct fuzz_input *in, struct uet_pdc_tx *tx,
				u32 window)
{
	enum uet_pdc_tx_kind was = tx->kind;
	u32 how = fuzz_take(in, 1);

	if (tx->kind == UET_TX_REQ && how % 4 == 0)
		forge_nack(in, tx, window);
	else if (tx->kind == UET_TX_REQ && how % 4 == 1)
		forge_cp(in, tx, window);
	else if (tx->kind == UET_TX_REQ)
		forge_in_req(in, &tx->hdr, window);
	else if (tx->kind == UET_TX_ACK)
		forge_in_ack(in, &tx->hdr, window);
	else if (tx->kind == UET_TX_CP)
		forge_in_cp(in, &tx->hdr, window);
	else
		tx->hdr.u.nack.code = (u8)fuzz_take(in, 1);
	if (how & 0x80)
		tx->hdr.flags ^= 1 << fuzz_take(in, 1) % 7;
	return was == UET_TX_REQ && tx->kind == UET_TX_NACK;
}

#endif /* UET_TOOLS_FORGE_H */
