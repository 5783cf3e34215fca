/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole UET packets for tests: drawn at random but legal, or parsed from bytes
 * in the order a receiver does.  Either way the bytes and the structs that the
 * codec makes of them stand side by side.  How a packet travels and what is
 * expected of its reader are not known here.  Level: test.
 */
#ifndef UET_SELFTESTS_UETSAMPLE_H
#define UET_SELFTESTS_UETSAMPLE_H

#include "core/wire/wire.h"
#include "fuzz.h"

#define SAMPLE_MAX	9000

/**
 * struct sample_kind - which packets to draw
 * @type: enum uet_ty
 * @next_hdr: enum uet_nh; of a CP enum uet_ctl
 * @form: of the SES header, if there is one: enum uet_ses_form or uet_rsp_form
 * @opcode: in it: enum uet_opcode or enum uet_rsp
 * @label: their name in test results
 */
struct sample_kind {
	u8 type;
	u8 next_hdr;
	u8 form;
	u8 opcode;
	char label[48];
};

/**
 * struct sample - a packet
 * @bytes: from the PDS or security header to the last payload byte
 * @len: of them
 * @data_at: where the headers end
 * @pds_len: bytes of the PDS header, 0: none was read
 * @ses: enum uet_nh_kind of what was read behind it
 * @why: UET_DROP_NONE, or what the codec has against the packet
 * @is_secure: a security header and bytes that mean nothing; nothing else
 * @tss: security header
 * @pds: PDS header
 * @req: SES header if @ses is UET_NK_REQ
 * @rsp: SES header if @ses is UET_NK_RSP
 */
struct sample {
	u8 bytes[SAMPLE_MAX];
	size_t len;
	size_t data_at;
	size_t pds_len;
	u8 ses;
	enum uet_drop why;
	bool is_secure;
	struct uet_tss_hdr tss;
	struct uet_pds_hdr pds;
	struct uet_ses_req req;
	struct uet_ses_rsp rsp;
};

/* The header behind a PDS header; in NACK and CP the field is no next_hdr. */
static inline u8 sample_ses_kind(const struct uet_pds_hdr *pds)
{
	u8 kind = uet_wire_ty(pds->type)->kind;

	if (kind == UET_TK_NACK || kind == UET_TK_CP)
		return UET_NK_NONE;
	return uet_wire_nh(pds->next_hdr)->kind;
}

static inline void sample_must(bool holds, const struct sample_kind *kind)
{
	if (holds)
		return;
	fprintf(stderr, "no packet: type %u, next_hdr %u, form %u, opcode %u\n",
		kind->type, kind->next_hdr, kind->form, kind->opcode);
	exit(1);
}

/* ----------------------------------------------------------------- kinds */

#define SAMPLE_KINDS_MAX	160

static inline void sample_label(struct sample_kind *kind, const char *layer,
				const char *name, const char *form)
{
	snprintf(kind->label, sizeof(kind->label), "%s %s%s%s", layer, name,
		 *form ? " " : "", form);
}

/* Each packet type and control type; return how many. */
static inline unsigned int sample_pds_kinds(struct sample_kind *kinds)
{
	unsigned int nr = 0;

	for (u8 type = 0; type < UET_TY_NR; type++) {
		struct sample_kind *kind = &kinds[nr];

		*kind = (struct sample_kind){ .type = type };
		switch (uet_wire_ty(type)->kind) {
		case UET_TK_ILLEGAL:
		case UET_TK_CP:
			continue;
		case UET_TK_REQ:
		case UET_TK_RUDI:
		case UET_TK_UUD:
			kind->next_hdr = type == UET_TY_RUDI_RESP ?
					 UET_NH_RSP : UET_NH_REQ_STD;
			kind->opcode = type == UET_TY_RUDI_RESP ?
				       UET_RSP_DEFAULT : UET_OP_WRITE;
		}
		sample_label(kind, "pds", uet_wire_ty(type)->name, "");
		nr++;
	}
	for (u8 ctl = 0; ctl < UET_CP_NR; ctl++) {
		if (!uet_wire_ctl(ctl)->is_legal)
			continue;
		kinds[nr] = (struct sample_kind){
			.type = UET_TY_CP, .next_hdr = ctl };
		sample_label(&kinds[nr++], "cp", uet_wire_ctl(ctl)->name, "");
	}
	kinds[nr] = (struct sample_kind){ .type = UET_TY_TSS };
	sample_label(&kinds[nr++], "tss", "secure", "");
	return nr;
}

/* Each opcode in each form it may have; return how many. */
static inline unsigned int sample_request_kinds(struct sample_kind *kinds)
{
	static const char * const forms[UET_SES_FORM_NR] = {
		"std", "nosom", "defer", "rtr", "medium", "small",
	};
	static const u8 types[] = {
		UET_TY_RUD_REQ, UET_TY_ROD_REQ, UET_TY_RUDI_REQ,
		UET_TY_UUD_REQ, UET_TY_RUD_CC_REQ, UET_TY_ROD_CC_REQ,
	};
	unsigned int nr = 0;

	for (int i = 0; i < UET_OP_NR * UET_SES_FORM_NR; i++) {
		struct uet_ses_req req = { .form = i % UET_SES_FORM_NR };
		const struct uet_op_prop *op;

		op = uet_wire_op((u8)(i / UET_SES_FORM_NR));
		/* A message of one packet has no second one. */
		if (!(op->forms & BIT(req.form)) ||
		    (op->flags & UET_OPF_SINGLE &&
		     req.form == UET_SES_STD_NOSOM))
			continue;
		kinds[nr] = (struct sample_kind){
			.type = types[nr % ARRAY_SIZE(types)],
			.next_hdr = uet_wire_ses_req_nh(&req),
			.form = req.form,
			.opcode = (u8)(i / UET_SES_FORM_NR),
		};
		sample_label(&kinds[nr++], "ses", op->name, forms[req.form]);
	}
	return nr;
}

/* Each response, on packets that carry one; return how many. */
static inline unsigned int sample_response_kinds(struct sample_kind *kinds)
{
	static const u8 responses[][4] = {
		{ UET_TY_ACK, UET_NH_RSP, UET_RSP_FORM_PLAIN,
		  UET_RSP_DEFAULT },
		{ UET_TY_ACK_CC, UET_NH_RSP, UET_RSP_FORM_PLAIN,
		  UET_RSP_RESPONSE },
		{ UET_TY_ACK_CCX, UET_NH_RSP, UET_RSP_FORM_PLAIN,
		  UET_RSP_NO_RESPONSE },
		{ UET_TY_ACK, UET_NH_RSP_DATA, UET_RSP_FORM_DATA,
		  UET_RSP_W_DATA },
		{ UET_TY_RUD_REQ, UET_NH_RSP_DATA, UET_RSP_FORM_DATA,
		  UET_RSP_W_DATA },
		{ UET_TY_RUDI_RESP, UET_NH_RSP_DATA_SMALL,
		  UET_RSP_FORM_SMALL, UET_RSP_W_DATA },
		{ UET_TY_ROD_CC_REQ, UET_NH_RSP_DATA_SMALL,
		  UET_RSP_FORM_SMALL, UET_RSP_W_DATA },
	};

	for (size_t i = 0; i < ARRAY_SIZE(responses); i++) {
		kinds[i] = (struct sample_kind){
			.type = responses[i][0], .next_hdr = responses[i][1],
			.form = responses[i][2], .opcode = responses[i][3],
		};
		sample_label(&kinds[i], "ses",
			     uet_wire_nh(kinds[i].next_hdr)->name,
			     uet_wire_ty(kinds[i].type)->name);
	}
	return ARRAY_SIZE(responses);
}

/* Every kind of packet; @kinds has space for SAMPLE_KINDS_MAX. */
static inline unsigned int sample_all_kinds(struct sample_kind *kinds)
{
	unsigned int nr = sample_pds_kinds(kinds);

	nr += sample_request_kinds(kinds + nr);
	return nr + sample_response_kinds(kinds + nr);
}

/* --------------------------------------------------------------- parsing */

static inline enum uet_drop sample_parse_ses(struct sample *s)
{
	size_t left = s->len - s->data_at, used = 0, data;
	const u8 *at = s->bytes + s->data_at;
	u8 kind = sample_ses_kind(&s->pds);
	enum uet_drop why;

	if (kind == UET_NK_NONE)
		return UET_DROP_NONE;
	if (kind == UET_NK_REQ)
		why = uet_wire_ses_req_decode(s->pds.next_hdr, at, left,
					      &s->req, &used);
	else
		why = uet_wire_ses_rsp_decode(s->pds.next_hdr, at, left,
					      &s->rsp, &used);
	if (why)
		return why;
	s->ses = kind;
	s->data_at += used;
	if (kind == UET_NK_REQ)
		return uet_wire_ses_payload(&s->req, left - used, &data);
	return uet_wire_ses_rsp_payload(&s->rsp, left - used, &data);
}

/* Read @len bytes at @bytes as far as they are legal. */
static inline void sample_parse(struct sample *s, const u8 *bytes, size_t len)
{
	s->len = len;
	s->data_at = s->pds_len = 0;
	s->ses = UET_NK_NONE;
	memmove(s->bytes, bytes, len);
	s->is_secure = len && uet_wire_type(bytes) == UET_TY_TSS;
	if (s->is_secure) {
		s->why = uet_wire_tss_decode(bytes, len, &s->tss, &s->data_at);
		return;
	}
	s->why = uet_wire_pds_decode(bytes, len, &s->pds, &s->pds_len);
	if (s->why)
		return;
	s->data_at = s->pds_len;
	s->why = sample_parse_ses(s);
}

/* --------------------------------------------------------------- drawing */

static inline bool sample_coin(struct fuzz_rand *r)
{
	return fuzz_one_in(r, 2);
}

static inline u64 sample_u64(struct fuzz_rand *r)
{
	return (u64)fuzz_edge(r) << 32 | fuzz_edge(r);
}

/* One of the set bits of @mask. */
static inline u8 sample_bit(struct fuzz_rand *r, u32 mask)
{
	u8 bit;

	do {
		bit = (u8)fuzz_below(r, 32);
	} while (!(mask & BIT(bit)));
	return bit;
}

static inline u16 sample_pdcid(struct fuzz_rand *r)
{
	u16 pdcid = (u16)fuzz_edge(r);

	return pdcid ? pdcid : 1;
}

static inline void sample_draw_req(struct fuzz_rand *r, struct uet_req *req)
{
	req->clear_off = (s16)fuzz_edge(r);
	req->psn = fuzz_edge(r);
	req->spdcid = sample_pdcid(r);
	req->dpdcid = (u16)fuzz_edge(r);
	req->pdc_info = (u8)fuzz_below(r, 16);
	req->psn_offset = fuzz_edge(r) & UET_PSN_OFFSET_MAX;
	req->ccc_id = (u8)fuzz_edge(r);
	req->credit_target = fuzz_edge(r) & UET_CREDIT_MAX;
}

static inline void sample_draw_cc_state(struct fuzz_rand *r,
					struct uet_ack *ack)
{
	struct uet_ack_nscc *nscc = &ack->state.nscc;

	switch (ack->cc_type) {
	case UET_CC_NSCC:
		nscc->service_time = (u16)fuzz_edge(r);
		nscc->restore_cwnd = sample_coin(r);
		nscc->rcv_cwnd_pend = fuzz_u32(r) & UET_CWND_PEND_MAX;
		nscc->rcvd_bytes = fuzz_edge(r) & UET_RCVD_BYTES_MAX;
		nscc->ooo_count = (u16)fuzz_edge(r);
		break;
	case UET_CC_CREDIT:
		ack->state.credit.credit = fuzz_edge(r) & UET_CREDIT_MAX;
		ack->state.credit.ooo_count = (u16)fuzz_edge(r);
		break;
	default:
		fuzz_fill(r, ack->state.raw, 8);
	}
}

static inline void sample_draw_ack(struct fuzz_rand *r, u8 type,
				   struct uet_ack *ack)
{
	ack->ack_off = (s16)fuzz_edge(r);
	ack->probe_opaque = (u16)fuzz_edge(r);
	ack->cack_psn = fuzz_edge(r);
	ack->spdcid = sample_pdcid(r);
	ack->dpdcid = (u16)fuzz_edge(r);
	ack->cc_type = (u8)fuzz_below(r, sample_coin(r) ? 2 : 16);
	ack->cc_flags = (u8)fuzz_below(r, 16);
	ack->mpr = (u8)fuzz_edge(r);
	ack->sack_off = (s16)fuzz_edge(r);
	ack->sack_bitmap = sample_u64(r);
	if (type == UET_TY_ACK_CC)
		sample_draw_cc_state(r, ack);
	else
		fuzz_fill(r, ack->state.raw, 16);
}

static inline void sample_draw_nack(struct fuzz_rand *r, struct uet_nack *nack)
{
	nack->code = (u8)fuzz_below(r, sample_coin(r) ? 0x1c : 0x100);
	nack->vendor = (u8)fuzz_edge(r);
	nack->psn = fuzz_edge(r);
	nack->spdcid = (u16)fuzz_edge(r);
	nack->dpdcid = (u16)fuzz_edge(r);
	nack->payload = fuzz_edge(r);
	fuzz_fill(r, nack->ccx, sizeof(nack->ccx));
}

static inline void sample_draw_cp(struct fuzz_rand *r, struct uet_pds_hdr *pds)
{
	struct uet_cp *cp = &pds->u.cp;

	if (!uet_wire_ctl(pds->next_hdr)->may_syn)
		pds->flags &= ~UET_F_SYN;
	cp->probe_opaque = (u16)fuzz_edge(r);
	cp->psn = fuzz_edge(r);
	cp->spdcid = sample_pdcid(r);
	cp->dpdcid = (u16)fuzz_edge(r);
	cp->pdc_info = (u8)fuzz_below(r, 16);
	cp->psn_offset = fuzz_edge(r) & UET_PSN_OFFSET_MAX;
	cp->payload = fuzz_edge(r);
	cp->neg_mask = fuzz_edge(r);
	if (pds->next_hdr == UET_CP_NEGOTIATION && sample_coin(r))
		cp->payload = UET_CP_NEG_ON_OFF | (cp->payload & 0xffff);
}

static inline void sample_draw_pds(struct fuzz_rand *r,
				   const struct sample_kind *kind,
				   struct uet_pds_hdr *pds)
{
	memset(pds, 0, sizeof(*pds));
	pds->type = kind->type;
	pds->next_hdr = kind->next_hdr;
	pds->flags = fuzz_u32(r) & uet_wire_ty(kind->type)->flags;
	switch (uet_wire_ty(kind->type)->kind) {
	case UET_TK_REQ:
		sample_draw_req(r, &pds->u.req);
		break;
	case UET_TK_ACK:
		sample_draw_ack(r, kind->type, &pds->u.ack);
		break;
	case UET_TK_NACK:
		sample_draw_nack(r, &pds->u.nack);
		break;
	case UET_TK_CP:
		sample_draw_cp(r, pds);
		break;
	case UET_TK_RUDI:
		pds->u.rudi.pkt_id = fuzz_edge(r);
		break;
	}
}

static inline void sample_draw_ext(struct fuzz_rand *r,
				   struct uet_ses_req *req)
{
	struct uet_ses_amo *amo = &req->x.amo;

	req->ext = uet_wire_op(req->opcode)->ext;
	if (req->ext == UET_EXT_RDV) {
		req->x.rdv.ri_gen = (u8)fuzz_edge(r);
		req->x.rdv.pid = fuzz_edge(r) & UET_PID_MAX;
		req->x.rdv.ri = fuzz_edge(r) & UET_RI_MAX;
		req->x.rdv.offset = sample_u64(r);
		req->x.rdv.key = sample_u64(r);
	} else if (req->ext == UET_EXT_AMO) {
		amo->opcode = (u8)fuzz_below(r, UET_AMO_NR);
		amo->datatype = (u8)fuzz_edge(r);
		amo->control = (u8)fuzz_edge(r);
		fuzz_fill(r, amo->compare, sizeof(amo->compare));
		fuzz_fill(r, amo->swap, sizeof(amo->swap));
		if (amo->opcode >= UET_AMO_CSWAP &&
		    amo->opcode <= UET_AMO_MSWAP)
			req->ext = UET_EXT_CSWAP;
	}
}

/* Lengths that go together; return how much data follows the header. */
static inline size_t sample_draw_lengths(struct fuzz_rand *r,
					 struct uet_ses_req *req)
{
	const struct uet_op_prop *op = uet_wire_op(req->opcode);
	bool has_data = op->flags & UET_OPF_DATA && req->ext != UET_EXT_CSWAP;
	bool is_short = req->form == UET_SES_MEDIUM ||
			req->form == UET_SES_SMALL;
	bool has_segment = req->form == UET_SES_STD_NOSOM ||
			   (req->form == UET_SES_DEFER && !req->som);
	size_t len = has_data ? fuzz_below(r, 40) : 0;
	u32 total;

	if (has_data && fuzz_one_in(r, 40))
		len = 1000 + fuzz_below(r, UET_MTU_MAX - 999);
	total = (u32)len;
	if (has_segment) {
		req->payload_length = has_data ? (u16)len :
				      (u16)fuzz_below(r, UET_MTU_MAX + 1);
		req->message_offset = 1 + fuzz_edge(r) / 2;
		total = req->message_offset + req->payload_length;
	}
	if (!req->eom || op->flags & UET_OPF_PARTIAL || !has_data)
		total += has_segment && !has_data && req->eom ? 0 :
			 fuzz_below(r, 5000);
	req->request_length = is_short ? total & UET_LEN14_MAX : total;
	if (req->ext == UET_EXT_RDV) {
		req->x.rdv.eager_length = total;
		req->request_length = total + fuzz_below(r, 1 << 30);
	}
	return len;
}

/* Return how much data follows the header. */
static inline size_t sample_draw_ses_req(struct fuzz_rand *r,
					 const struct sample_kind *kind,
					 struct uet_ses_req *req)
{
	bool is_short = kind->form == UET_SES_MEDIUM ||
			kind->form == UET_SES_SMALL;
	bool is_single = uet_wire_op(kind->opcode)->flags & UET_OPF_SINGLE;

	memset(req, 0, sizeof(*req));
	req->form = kind->form;
	req->opcode = kind->opcode;
	req->dc = sample_coin(r);
	req->ie = sample_coin(r);
	req->rel = sample_coin(r);
	req->hd = kind->form != UET_SES_SMALL && sample_coin(r);
	req->eom = is_short || is_single || sample_coin(r);
	req->som = is_short || is_single || kind->form == UET_SES_STD ||
		   (kind->form != UET_SES_STD_NOSOM && sample_coin(r));
	req->msg_id = (u16)fuzz_edge(r);
	req->ri_gen = (u8)fuzz_edge(r);
	req->job = fuzz_edge(r) & UET_JOB_MAX;
	req->pid = fuzz_edge(r) & UET_PID_MAX;
	req->ri = fuzz_edge(r) & UET_RI_MAX;
	req->offset = sample_u64(r);
	req->initiator = fuzz_edge(r);
	req->match = sample_u64(r);
	req->header_data = sample_u64(r);
	req->init_token = fuzz_edge(r);
	req->tgt_token = fuzz_edge(r);
	sample_draw_ext(r, req);
	return sample_draw_lengths(r, req);
}

/* Return how much data, or padding, follows the header. */
static inline size_t sample_draw_ses_rsp(struct fuzz_rand *r,
					 const struct sample_kind *kind,
					 struct uet_ses_rsp *rsp)
{
	size_t len = fuzz_below(r, fuzz_one_in(r, 40) ? UET_MTU_MAX + 1 : 40);

	memset(rsp, 0, sizeof(*rsp));
	rsp->form = kind->form;
	rsp->opcode = kind->opcode;
	rsp->list = (u8)fuzz_below(r, UET_LIST_MAX + 1);
	rsp->rc = (u8)fuzz_below(r, UET_RC_MAX + 1);
	rsp->msg_id = (u16)fuzz_edge(r);
	rsp->ri_gen = (u8)fuzz_edge(r);
	rsp->job = fuzz_edge(r) & UET_JOB_MAX;
	rsp->modified_length = fuzz_edge(r);
	rsp->message_offset = fuzz_edge(r) - UET_MTU_MAX;
	rsp->read_msg_id = (u16)fuzz_edge(r);
	rsp->orig_psn = fuzz_edge(r);
	if (rsp->message_offset > U32_MAX - UET_MTU_MAX)
		rsp->message_offset -= UET_MTU_MAX;
	if (kind->form == UET_RSP_FORM_PLAIN)
		return sample_coin(r) ? 0 : len % 16;
	rsp->payload_length = (u16)len;
	return len;
}

static inline void sample_draw_tss(struct fuzz_rand *r, struct sample *s)
{
	s->tss = (struct uet_tss_hdr){
		.has_ssi = sample_coin(r),
		.an = (u8)fuzz_below(r, 2),
		.sdi = fuzz_edge(r) & UET_SDI_MAX,
		.ssi = fuzz_edge(r),
		.epoch = (u16)fuzz_edge(r),
		.tsc = sample_u64(r) >> 16,
	};
	s->is_secure = true;
	s->data_at = uet_wire_tss_encode(&s->tss, s->bytes, SAMPLE_MAX);
	s->len = s->data_at + 20 + fuzz_below(r, 60);
	fuzz_fill(r, s->bytes + s->data_at, s->len - s->data_at);
}

/* A legal packet of @kind; only a bug of this file makes it anything else. */
static inline void sample_draw(struct fuzz_rand *r,
			       const struct sample_kind *kind,
			       struct sample *s)
{
	size_t data = 0, ses_len = 0;

	s->is_secure = false;
	s->why = UET_DROP_NONE;
	s->ses = UET_NK_NONE;
	s->pds_len = 0;
	if (kind->type == UET_TY_TSS) {
		sample_draw_tss(r, s);
		return;
	}
	sample_draw_pds(r, kind, &s->pds);
	s->pds_len = uet_wire_pds_encode(&s->pds, s->bytes, SAMPLE_MAX);
	sample_must(s->pds_len, kind);
	s->ses = sample_ses_kind(&s->pds);
	if (s->ses == UET_NK_REQ) {
		data = sample_draw_ses_req(r, kind, &s->req);
		ses_len = uet_wire_ses_req_encode(&s->req,
						  s->bytes + s->pds_len, 100);
		sample_must(ses_len, kind);
	} else if (s->ses == UET_NK_RSP) {
		data = sample_draw_ses_rsp(r, kind, &s->rsp);
		ses_len = uet_wire_ses_rsp_encode(&s->rsp,
						  s->bytes + s->pds_len, 100);
		sample_must(ses_len, kind);
	} else if (sample_coin(r)) {
		data = 4 + fuzz_below(r, 12);
	}
	s->data_at = s->pds_len + ses_len;
	s->len = s->data_at + data;
	fuzz_fill(r, s->bytes + s->data_at, data);
}

#endif /* UET_SELFTESTS_UETSAMPLE_H */
