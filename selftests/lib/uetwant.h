/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields that a dissector must show for a packet, as lines "NUMBER FIELD VALUE" in
 * the notation of "tshark -T fields": taken from the structs the packet was encoded
 * from, not from its bytes, so that codec and dissector are held against each other.
 * Derived values are computed here once more.  Level: test.
 */
#ifndef UET_SELFTESTS_UETWANT_H
#define UET_SELFTESTS_UETWANT_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/ses/amo.h"
#include "core/wire/wire.h"

/**
 * struct want - a list of expectations being written
 * @file: where to
 * @nr: number of the packet they are about
 */
struct want {
	FILE *file;
	unsigned int nr;
};

static inline void want_dec(struct want *w, const char *field, int64_t value)
{
	fprintf(w->file, "%u uet.%s %" PRId64 "\n", w->nr, field, value);
}

static inline void want_hex(struct want *w, const char *field, int digits,
			    uint64_t value)
{
	fprintf(w->file, "%u uet.%s 0x%0*" PRIx64 "\n", w->nr, field, digits,
		value);
}

static inline void want_text(struct want *w, const char *field,
			     const char *value)
{
	fprintf(w->file, "%u uet.%s %s\n", w->nr, field, value);
}

static inline void want_bytes(struct want *w, const char *field,
			      const u8 *bytes, size_t len)
{
	if (!len)
		return;
	fprintf(w->file, "%u uet.%s ", w->nr, field);
	while (len--)
		fprintf(w->file, "%02x", *bytes++);
	fprintf(w->file, "\n");
}

/* ----------------------------------------------------------------- PDS */

static inline void want_destination(struct want *w, bool syn, u32 psn,
				    u16 dpdcid, u8 pdc_info, u16 psn_offset)
{
	if (!syn) {
		want_dec(w, "pds.dpdcid", dpdcid);
		return;
	}
	want_hex(w, "pds.pdc_info", 4, pdc_info);
	want_dec(w, "pds.use_rsv_pdc", pdc_info >> 3);
	want_dec(w, "pds.psn_offset", psn_offset);
	want_dec(w, "pds.start_psn", (u32)(psn - psn_offset));
}

static inline void want_req(struct want *w, const struct uet_pds_hdr *hdr)
{
	const struct uet_req *req = &hdr->u.req;

	want_dec(w, "pds.flags.retx", !!(hdr->flags & UET_F_RETX));
	want_dec(w, "pds.flags.ar", !!(hdr->flags & UET_F_AR));
	want_dec(w, "pds.flags.syn", !!(hdr->flags & UET_F_SYN));
	want_dec(w, "pds.clear_psn_offset", req->clear_off);
	want_dec(w, "pds.clear_psn", (u32)(req->psn + req->clear_off));
	want_dec(w, "pds.psn", req->psn);
	want_dec(w, "pds.spdcid", req->spdcid);
	want_destination(w, hdr->flags & UET_F_SYN, req->psn, req->dpdcid,
			 req->pdc_info, req->psn_offset);
	if (uet_wire_ty(hdr->type)->has_cc) {
		want_dec(w, "pds.ccc_id", req->ccc_id);
		want_dec(w, "pds.credit_target", req->credit_target);
	}
}

static inline void want_sacked(struct want *w, u32 base, u64 bitmap)
{
	const char *comma = "";
	u32 i;

	want_hex(w, "pds.sack_bitmap", 16, bitmap);
	if (!bitmap)
		return;
	fprintf(w->file, "%u uet.pds.sacked_psn ", w->nr);
	for (i = 0; i < 64; i++) {
		if (bitmap >> i & 1) {
			fprintf(w->file, "%s%u", comma, (u32)(base + i));
			comma = ",";
		}
	}
	fprintf(w->file, "\n");
}

static inline void want_cc_state(struct want *w, const struct uet_ack *ack)
{
	const struct uet_ack_nscc *nscc = &ack->state.nscc;
	u16 time = nscc->service_time;

	switch (ack->cc_type) {
	case UET_CC_NSCC:
		want_dec(w, "pds.service_time", time);
		if (time != UET_SERVICE_TIME_NONE &&
		    time != UET_SERVICE_TIME_OVER)
			want_dec(w, "pds.service_time_ns",
				 time * UET_SERVICE_TIME_NS);
		want_dec(w, "pds.restore_cwnd", nscc->restore_cwnd);
		want_dec(w, "pds.rcv_cwnd_pend", nscc->rcv_cwnd_pend);
		want_dec(w, "pds.rcvd_bytes", nscc->rcvd_bytes);
		want_dec(w, "pds.ooo_count", nscc->ooo_count);
		break;
	case UET_CC_CREDIT:
		want_dec(w, "pds.credit", ack->state.credit.credit);
		want_dec(w, "pds.ooo_count", ack->state.credit.ooo_count);
		break;
	default:
		want_bytes(w, "pds.cc_state", ack->state.raw, 8);
	}
}

static inline void want_ack_cc(struct want *w, u8 type,
			       const struct uet_ack *ack)
{
	bool is_ccx = type == UET_TY_ACK_CCX;

	want_dec(w, is_ccx ? "pds.ccx_type" : "pds.cc_type", ack->cc_type);
	want_hex(w, "pds.cc_flags", 2, ack->cc_flags);
	want_dec(w, "pds.mpr", ack->mpr);
	want_dec(w, "pds.mpr_psns", ack->mpr * UET_MPR_UNIT);
	want_dec(w, "pds.sack_psn_offset", ack->sack_off);
	want_dec(w, "pds.sack_psn", (u32)(ack->cack_psn + ack->sack_off));
	want_sacked(w, ack->cack_psn + ack->sack_off, ack->sack_bitmap);
	if (is_ccx)
		want_bytes(w, "pds.cc_state", ack->state.raw, 16);
	else
		want_cc_state(w, ack);
}

static inline void want_ack(struct want *w, const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;

	want_dec(w, "pds.flags.m", !!(hdr->flags & UET_F_M));
	want_dec(w, "pds.flags.retx", !!(hdr->flags & UET_F_RETX));
	want_dec(w, "pds.flags.p", !!(hdr->flags & UET_F_P));
	want_dec(w, "pds.flags.req", (hdr->flags & UET_F_REQ_MASK) >> 1);
	if (hdr->flags & UET_F_P) {
		want_hex(w, "pds.probe_opaque", 4, ack->probe_opaque);
	} else {
		want_dec(w, "pds.ack_psn_offset", ack->ack_off);
		want_dec(w, "pds.ack_psn", (u32)(ack->cack_psn + ack->ack_off));
	}
	want_dec(w, "pds.cack_psn", ack->cack_psn);
	want_dec(w, "pds.spdcid", ack->spdcid);
	want_dec(w, "pds.dpdcid", ack->dpdcid);
	if (hdr->type != UET_TY_ACK)
		want_ack_cc(w, hdr->type, ack);
}

static inline void want_nack(struct want *w, const struct uet_pds_hdr *hdr)
{
	static const char * const classes[] = {
		[UET_NC_ILLEGAL] = "reserved", [UET_NC_NORMAL] = "NORMAL",
		[UET_NC_PDC_ERR] = "PDC_ERR", [UET_NC_PDC_FATAL] = "PDC_FATAL",
	};
	const struct uet_nack *nack = &hdr->u.nack;
	bool is_rudi = hdr->flags & UET_F_NT;

	want_dec(w, "pds.flags.m", !!(hdr->flags & UET_F_M));
	want_dec(w, "pds.flags.retx", !!(hdr->flags & UET_F_RETX));
	want_dec(w, "pds.flags.nt", is_rudi);
	want_hex(w, "pds.nack_code", 2, nack->code);
	want_text(w, "pds.nack_class",
		  classes[uet_wire_nack(nack->code)->class]);
	want_hex(w, "pds.vendor_code", 2, nack->vendor);
	want_dec(w, is_rudi ? "pds.nack_pkt_id" : "pds.nack_psn", nack->psn);
	want_dec(w, "pds.spdcid", nack->spdcid);
	want_dec(w, "pds.dpdcid", nack->dpdcid);
	want_hex(w, "pds.nack_payload", 8, nack->payload);
	if (nack->code == UET_NACK_ROD_OOO)
		want_dec(w, "pds.expected_psn", nack->payload);
	if (nack->code == UET_NACK_NEW_START_PSN)
		want_dec(w, "pds.start_psn", nack->payload);
	if (hdr->type == UET_TY_NACK_CCX) {
		want_dec(w, "pds.nccx_type", nack->ccx[0] >> 4);
		want_bytes(w, "pds.nccx_state", nack->ccx, 16);
	}
}

static inline void want_cp_payload(struct want *w, u8 ctl,
				   const struct uet_cp *cp)
{
	want_hex(w, "pds.cp_payload", 8, cp->payload);
	switch (ctl) {
	case UET_CP_ACK_REQUEST:
		want_dec(w, "pds.message_id", cp->payload & UET_CP_PL_MSG_ID);
		break;
	case UET_CP_CLEAR_COMMAND:
	case UET_CP_CLEAR_REQUEST:
		want_dec(w, "pds.clear_psn", cp->payload);
		break;
	case UET_CP_PROBE:
		want_dec(w, "pds.sack_psn", cp->payload);
		break;
	case UET_CP_CREDIT:
		want_dec(w, "pds.credit", cp->payload >> 8);
		break;
	case UET_CP_CREDIT_REQUEST:
		want_dec(w, "pds.ccc_id", cp->payload >> 24);
		want_dec(w, "pds.credit_target",
			 cp->payload & UET_CP_PL_TARGET);
		break;
	case UET_CP_NEGOTIATION:
		if ((cp->payload & UET_CP_PL_NEG_TLV) != UET_CP_NEG_ON_OFF)
			break;
		want_dec(w, "pds.neg_type", 1);
		want_dec(w, "pds.neg_length", 2);
		want_hex(w, "pds.neg_mask", 8, cp->neg_mask);
		break;
	}
}

static inline void want_cp(struct want *w, const struct uet_pds_hdr *hdr,
			   size_t len)
{
	const struct uet_cp *cp = &hdr->u.cp;

	want_dec(w, "pds.flags.isrod", !!(hdr->flags & UET_F_ISROD));
	want_dec(w, "pds.flags.retx", !!(hdr->flags & UET_F_RETX));
	want_dec(w, "pds.flags.ar", !!(hdr->flags & UET_F_AR));
	want_dec(w, "pds.flags.syn", !!(hdr->flags & UET_F_SYN));
	want_hex(w, "pds.probe_opaque", 4, cp->probe_opaque);
	want_dec(w, "pds.psn", cp->psn);
	want_dec(w, "pds.spdcid", cp->spdcid);
	want_destination(w, hdr->flags & UET_F_SYN, cp->psn, cp->dpdcid,
			 cp->pdc_info, cp->psn_offset);
	if (len != UET_CP_SHORT_LEN)
		want_cp_payload(w, hdr->next_hdr, cp);
}

/* A PDS header of @len bytes; @raw are the flags on the wire, reserved too. */
static inline void want_pds(struct want *w, const struct uet_pds_hdr *hdr,
			    u8 raw, size_t len)
{
	u8 kind = uet_wire_ty(hdr->type)->kind;

	want_dec(w, "pds.type", hdr->type);
	want_dec(w, kind == UET_TK_CP ? "pds.ctl_type" : "pds.next_hdr",
		 hdr->next_hdr);
	want_hex(w, "pds.flags", 4, raw);
	switch (kind) {
	case UET_TK_REQ:
		want_req(w, hdr);
		break;
	case UET_TK_ACK:
		want_ack(w, hdr);
		break;
	case UET_TK_NACK:
		want_nack(w, hdr);
		break;
	case UET_TK_CP:
		want_cp(w, hdr, len);
		break;
	case UET_TK_RUDI:
		if (hdr->type == UET_TY_RUDI_RESP)
			want_dec(w, "pds.flags.m", !!(hdr->flags & UET_F_M));
		want_dec(w, "pds.flags.retx", !!(hdr->flags & UET_F_RETX));
		want_dec(w, "pds.pkt_id", hdr->u.rudi.pkt_id);
		break;
	}
}

/* ----------------------------------------------------------------- SES */

static inline void want_rdv(struct want *w, const struct uet_ses_rdv *rdv)
{
	want_dec(w, "ses.rdv.eager_length", rdv->eager_length);
	want_dec(w, "ses.rdv.ri_generation", rdv->ri_gen);
	want_dec(w, "ses.rdv.pid", rdv->pid);
	want_dec(w, "ses.rdv.ri", rdv->ri);
	want_hex(w, "ses.rdv.offset", 16, rdv->offset);
	want_hex(w, "ses.rdv.key", 16, rdv->key);
}

static inline void want_amo(struct want *w, u8 ext,
			    const struct uet_ses_amo *amo)
{
	want_hex(w, "ses.amo.opcode", 2, amo->opcode);
	want_hex(w, "ses.amo.datatype", 2, amo->datatype);
	want_hex(w, "ses.amo.control", 2, amo->control);
	want_dec(w, "ses.amo.cacheable", amo->control & 1);
	want_dec(w, "ses.amo.coherent", amo->control >> 1 & 1);
	if (ext == UET_EXT_CSWAP) {
		want_bytes(w, "ses.amo.compare", amo->compare, 16);
		want_bytes(w, "ses.amo.swap", amo->swap, 16);
	}
}

static inline void want_ses_common(struct want *w,
				   const struct uet_ses_req *req)
{
	want_hex(w, "ses.opcode", 2, req->opcode);
	want_dec(w, "ses.version", req->version);
	want_dec(w, "ses.dc", req->dc);
	want_dec(w, "ses.ie", req->ie);
	want_dec(w, "ses.rel", req->rel);
	if (req->form != UET_SES_SMALL)
		want_dec(w, "ses.hd", req->hd);
	want_dec(w, "ses.eom", req->eom);
	want_dec(w, "ses.som", req->som);
	if (uet_wire_ses_req_nh(req) == UET_NH_REQ_STD)
		want_dec(w, "ses.message_id", req->msg_id);
	want_dec(w, "ses.request_length", req->request_length);
	want_dec(w, "ses.ri_generation", req->ri_gen);
	want_dec(w, "ses.job", req->job);
	want_dec(w, "ses.pid", req->pid);
	want_dec(w, "ses.ri", req->ri);
}

/* The words in the middle, whose use the form tells. */
static inline void want_ses_form(struct want *w, const struct uet_ses_req *req)
{
	bool has_tokens = req->form == UET_SES_DEFER ||
			  req->form == UET_SES_RTR;
	bool is_rma = req->opcode >= UET_OP_WRITE &&
		      req->opcode <= UET_OP_FETCHING_ATOMIC;
	bool is_medium = req->form == UET_SES_MEDIUM;

	if (req->form != UET_SES_DEFER && !(is_medium && req->hd))
		want_hex(w, "ses.buffer_offset", 16, req->offset);
	if (req->form == UET_SES_SMALL)
		return;
	want_dec(w, "ses.initiator", req->initiator);
	if (req->form != UET_SES_RTR)
		want_hex(w, is_rma ? "ses.memory_key" : "ses.match_bits", 16,
			 req->match);
	if (has_tokens) {
		want_hex(w, "ses.initiator_token", 8, req->init_token);
		want_hex(w, "ses.target_token", 8, req->tgt_token);
	}
	if (req->form == UET_SES_STD_NOSOM ||
	    (req->form == UET_SES_DEFER && !req->som)) {
		want_dec(w, "ses.payload_length", req->payload_length);
		want_dec(w, "ses.message_offset", req->message_offset);
	} else if (!is_medium || req->hd) {
		want_hex(w, "ses.header_data", 16, req->header_data);
	}
}

static inline void want_ses_req(struct want *w, const struct uet_ses_req *req)
{
	want_ses_common(w, req);
	want_ses_form(w, req);
	if (req->ext == UET_EXT_RDV)
		want_rdv(w, &req->x.rdv);
	else if (req->ext != UET_EXT_NONE)
		want_amo(w, req->ext, &req->x.amo);
}

/* The first operand in the payload of an atomic, in network order. */
static inline void want_operand(struct want *w,
				const struct uet_ses_req *req, const u8 *at,
				size_t len)
{
	static const u8 sizes[UET_DT_NR] = {
		1, 1, 2, 2, 4, 4, 8, 8, [UET_DT_FLOAT] = 4, [UET_DT_DOUBLE] = 8,
		[UET_DT_BF16] = 2, [UET_DT_FP16] = 2,
	};
	u8 type = req->x.amo.datatype;

	if (req->ext != UET_EXT_AMO || type >= UET_DT_NR || !sizes[type] ||
	    len < sizes[type])
		return;
	want_hex(w, "ses.amo.operand", 16,
		 uet_amo_get(at, sizes[type], (struct uet_amo_form){}));
}

static inline void want_ses_rsp(struct want *w, const struct uet_ses_rsp *rsp)
{
	want_dec(w, "ses.rsp.list", rsp->list);
	want_hex(w, "ses.rsp.opcode", 2, rsp->opcode);
	want_dec(w, "ses.version", rsp->version);
	want_hex(w, "ses.rsp.return_code", 2, rsp->rc);
	want_dec(w, "ses.job", rsp->job);
	if (rsp->form != UET_RSP_FORM_SMALL) {
		want_dec(w, "ses.message_id", rsp->msg_id);
		want_dec(w, "ses.rsp.modified_length", rsp->modified_length);
	}
	if (rsp->form == UET_RSP_FORM_PLAIN) {
		want_dec(w, "ses.ri_generation", rsp->ri_gen);
		return;
	}
	want_dec(w, "ses.payload_length", rsp->payload_length);
	if (rsp->form == UET_RSP_FORM_SMALL) {
		want_dec(w, "ses.rsp.original_psn", rsp->orig_psn);
		return;
	}
	want_dec(w, "ses.rsp.read_message_id", rsp->read_msg_id);
	want_dec(w, "ses.message_offset", rsp->message_offset);
}

/* -------------------------------------------------------- what is around */

static inline void want_tss(struct want *w, const struct uet_tss_hdr *tss)
{
	want_dec(w, "tss.type", UET_TY_TSS);
	want_dec(w, "tss.sp", tss->has_ssi);
	want_dec(w, "tss.an", tss->an);
	want_dec(w, "tss.sdi", tss->sdi);
	if (tss->has_ssi)
		want_dec(w, "tss.ssi", tss->ssi);
	want_dec(w, "tss.epoch", tss->epoch);
	want_dec(w, "tss.tsc", (int64_t)tss->tsc);
}

#endif /* UET_SELFTESTS_UETWANT_H */
