// SPDX-License-Identifier: GPL-2.0
/*
 * SES headers of the packets of a message and of the responses to them, and the result
 * of a message as an errno and a text, from core/result.def.  wire_ses.c encodes headers,
 * and PDS decides when to send responses.
 *
 * Implements UE 1.0.1 3.4, 3.4.3, Figures 3-9 to 3-17, Tables 3-10 and 3-19.
 * Level: core L5.
 */
#include "ses.h"

/* Has the key OPTIMIZED, and are its reserved bits 0 (UE 1.0.1 Table 2-13)? */
bool uet_ses_key_is_small(u64 key)
{
	return (key & ~(UET_KEY_IDEMPOTENT_SAFE | UET_KEY_SMALL_RKEY)) == UET_KEY_OPTIMIZED;
}

/*
 * uet_ses_form() - the shortest header that has all fields of a message, set except @tx.form
 * A message of one packet with a length of up to 14 bits may be MEDIUM: no message id, and
 * either completion data or an offset, which share one field.  It may be SMALL for memory
 * whose key fits in the Resource Index field, without completion data.  Atomics stay standard:
 * no public source shows an extension behind a short header.  The missing message id is no
 * loss: a MSG_ERROR only ends messages of several packets, and every answer contains the PSN
 * (UE 1.0.1 Tables 3-10 and 3-17, Figures 3-13 and 3-14; uet-wire 3.4, 3.5).
 */
u8 uet_ses_form(const struct uet_ses_tx *tx)
{
	const struct uet_op_prop *op = uet_wire_op(tx->opcode);

	if (tx->length > tx->mtu || tx->length > UET_LEN14_MAX)
		return UET_SES_STD;
	if (!(op->forms & BIT(UET_SES_MEDIUM)) || op->ext != UET_EXT_NONE)
		return UET_SES_STD;
	if (tx->has_hdata)
		return tx->offset ? UET_SES_STD : UET_SES_MEDIUM;
	return op->forms & BIT(UET_SES_SMALL) &&
	       uet_ses_key_is_small(tx->match) ? UET_SES_SMALL : UET_SES_MEDIUM;
}

static void ses_form_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	req->form = tx->form;
	if (tx->form == UET_SES_SMALL) {
		req->ri = tx->match & UET_KEY_SMALL_RKEY;
		return;
	}
	req->hd = tx->has_hdata;
	req->header_data = tx->has_hdata ? tx->header_data : 0;
}

/* UE 1.0.1 Figures 3-11 and 3-12; a message is restarted from its beginning. */
static void ses_defer_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	bool is_rtr = req->opcode == UET_OP_DEFERRABLE_RTR;

	if (!is_rtr && !uet_ses_is_deferrable(req->opcode))
		return;
	req->form = is_rtr ? UET_SES_RTR : UET_SES_DEFER;
	req->init_token = tx->tokens.init;
	req->tgt_token = tx->tokens.tgt;
	if (!is_rtr)
		return;
	/* The initiator of the restart request is the target of the message. */
	swap(req->init_token, req->tgt_token);
	req->request_length = tx->tokens.length;
}

/* UE 1.0.1 Figure 3-15: in every packet. */
static void ses_rdv_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	if (!uet_ses_is_rendezvous(req->opcode))
		return;
	req->ext = UET_EXT_RDV;
	req->x.rdv = tx->rdv.at;
	req->x.rdv.eager_length = tx->length;
}

/*
 * uet_ses_tx_request() - build the SES header of a packet (UE 1.0.1 Figures 3-9 to 3-17)
 */
void uet_ses_tx_request(const struct uet_ses_tx *tx, const struct uet_pds_pkt *pkt,
			struct uet_ses_req *req)
{
	memset(req, 0, sizeof(*req));
	/*
	 * In a message with a length, only a MSG_ERROR and the last packet of a deferred message
	 * have no payload.  So a MSG_ERROR needs no flag in the slots of PDS.
	 */
	req->opcode = !pkt->len && tx->length && !tx->is_deferred ? UET_OP_MSG_ERROR : tx->opcode;
	req->som = pkt->flags & UET_PKT_SOM;
	req->eom = pkt->flags & UET_PKT_EOM;
	req->rel = tx->to.rel;
	req->msg_id = tx->msg_id;
	req->ri_gen = tx->ri_gen;
	req->job = tx->to.job;
	req->pid = tx->to.pid;
	req->ri = tx->to.ri;
	req->initiator = tx->to.initiator;
	req->offset = tx->offset;
	req->match = tx->match;
	req->request_length = uet_ses_tx_length(tx);
	if (tx->amo) {
		req->ext = uet_wire_amo_ext(tx->amo->opcode);
		req->x.amo = *tx->amo;
	}
	if (req->ext == UET_EXT_CSWAP)
		req->request_length = UET_AMO_OPERANDS_LEN;
	if (uet_ses_is_short(tx)) {
		ses_form_request(tx, req);
	} else if (req->som) {
		req->form = UET_SES_STD;
		req->hd = tx->has_hdata;
		req->header_data = tx->has_hdata ? tx->header_data : 0;
	} else {
		req->form = UET_SES_STD_NOSOM;
		req->payload_length = pkt->len;
		req->message_offset = pkt->offset;
	}
	ses_defer_request(tx, req);
	ses_rdv_request(tx, req);
}

/*
 * uet_ses_read_rsp_header() - SES header of a packet with uet_ses_is_read_rsp()
 */
void uet_ses_read_rsp_header(const struct uet_pds_pkt *pkt, struct uet_ses_rsp *rsp)
{
	const struct uet_ses_read_rsp *read_rsp = pkt->msg;

	*rsp = read_rsp->rsp;
	rsp->message_offset = pkt->offset;
}

/*
 * uet_ses_rsp_default() - response to an accepted packet (uet-wire 3.14): RC_OK, not guaranteed
 */
void uet_ses_rsp_default(struct uet_ses_rsp *rsp, const struct uet_ses_req *req)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_DEFAULT;
	rsp->rc = UET_RC_OK;
	rsp->msg_id = req->msg_id;
	rsp->job = req->job;
	rsp->modified_length = req->request_length;
}

/*
 * uet_ses_rsp_error() - response to a refused packet (UE 1.0.1 3.4.3.3), of guaranteed delivery
 */
void uet_ses_rsp_error(struct uet_ses_rsp *rsp, const struct uet_ses_req *req, u8 rc)
{
	uet_ses_rsp_default(rsp, req);
	rsp->opcode = UET_RSP_RESPONSE;
	rsp->rc = rc;
	rsp->modified_length = 0;
}

/*
 * uet_ses_rsp_data() - the response with @len bytes to a packet that requests data
 * @rsp: result; the caller sets @rsp.data
 * @psn: of the packet; identifies the request in a form without message ids
 *
 * Else both ids name the request: a target has no id of its own for a response, and some
 * initiators look the request up by the first (UE 1.0.1 Tables 3-12 and 3-13, uet-wire 2.32).
 */
void uet_ses_rsp_data(struct uet_ses_rsp *rsp, const struct uet_ses_req *req, u32 psn, u32 len)
{
	bool is_std = req->form == UET_SES_STD || req->form == UET_SES_STD_NOSOM;

	memset(rsp, 0, sizeof(*rsp));
	rsp->form = is_std ? UET_RSP_FORM_DATA : UET_RSP_FORM_SMALL;
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_W_DATA;
	rsp->rc = UET_RC_OK;
	rsp->job = req->job;
	rsp->payload_length = len;
	if (is_std) {
		rsp->msg_id = req->msg_id;
		rsp->read_msg_id = req->msg_id;
		rsp->message_offset = uet_ses_req_offset(req);
		rsp->modified_length = req->request_length;
	} else {
		rsp->orig_psn = psn;
	}
}

/*
 * uet_ses_rsp_taken() - the response to a packet of read data
 * @tx: message that requested the data; NULL: there is none
 *
 * modified_length is the length of the message that requested the data (uet-wire 2.32, 3.14),
 * whether the data was used or not: its sender could not act on it.
 */
void uet_ses_rsp_taken(struct uet_ses_rsp *rsp, const struct uet_ses_rsp *data,
		       const struct uet_ses_tx *tx)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_DEFAULT;
	rsp->rc = UET_RC_OK;
	rsp->msg_id = data->msg_id ? data->msg_id : data->read_msg_id;
	rsp->job = data->job;
	rsp->modified_length = tx ? tx->read.want : data->modified_length;
}

/*
 * uet_ses_rsp_none() - response to a packet of an unfinished message (uet-wire 3.14, no answer yet)
 */
void uet_ses_rsp_none(struct uet_ses_rsp *rsp, const struct uet_ses_req *req)
{
	uet_ses_rsp_default(rsp, req);
	rsp->opcode = UET_RSP_NO_RESPONSE;
	rsp->modified_length = 0;
}

/*
 * uet_ses_rsp_final() - final response, for uet_ses_read_rsp_queue() (UE 1.0.1 Table 3-12)
 * @modified_length: bytes of the message that were placed
 */
void uet_ses_rsp_final(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		       u8 rc, u32 modified_length)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->form = UET_RSP_FORM_DATA;
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_W_DATA;
	rsp->rc = rc;
	rsp->job = req->job;
	rsp->msg_id = req->msg_id;
	rsp->read_msg_id = req->msg_id;
	rsp->modified_length = modified_length;
}

/*
 * uet_ses_rsp_deferred() - the response to a packet of a deferred message: nothing is kept
 */
void uet_ses_rsp_deferred(struct uet_ses_rsp *rsp, const struct uet_ses_req *req)
{
	uet_ses_rsp_error(rsp, req, UET_RC_OK);
	rsp->list = UET_LIST_OVERFLOW;
}

/*
 * How a message can end: the specification's name of a return code, errno, and a text for people.
 */
struct ses_result {
	const char *name;
	int error;
	const char *text;
};

#define UET_RESULT_PDC(id, error, text)
#define UET_RESULT_RC(id, code, name, error, text)	\
	[UET_RC_##id] = { name, -(error), text },

/* A code without a row is reserved or vendor-specific. */
static const struct ses_result ses_rc_tab[UET_RC_MAX + 1] = {
#include "core/result.def"
};

#undef UET_RESULT_PDC
#undef UET_RESULT_RC

#define UET_RESULT_RC(id, code, name, error, text)
#define UET_RESULT_PDC(id, error, text)	\
	[UET_PDC_ERR_##id] = { NULL, -(error), text },

static const struct ses_result ses_pdc_tab[] = {
	[UET_PDC_OK] = { NULL, 0, "" },
#include "core/result.def"
};

#undef UET_RESULT_PDC
#undef UET_RESULT_RC

static const struct ses_result ses_unknown = {
	"reserved", -EREMOTEIO, "an unknown return code"
};

static const struct ses_result *ses_rc_result(u8 rc)
{
	return rc < ARRAY_SIZE(ses_rc_tab) && ses_rc_tab[rc].name ?
	       &ses_rc_tab[rc] : &ses_unknown;
}

static const struct ses_result *ses_pdc_result(enum uet_pdc_error error)
{
	return (u32)error < ARRAY_SIZE(ses_pdc_tab) ? &ses_pdc_tab[error] : &ses_unknown;
}

/*
 * uet_ses_errno() - result of a returned message, see result.def; 0: the target has all of it
 */
int uet_ses_errno(const struct uet_ses_tx *tx)
{
	int error = ses_pdc_result(tx->error)->error;

	if (!error)
		error = ses_rc_result(tx->rc)->error;
	if (!error && tx->is_aborted)
		error = -ECANCELED;
	return error;
}

/*
 * uet_ses_why() - why a returned message has failed: a static string
 */
const char *uet_ses_why(const struct uet_ses_tx *tx)
{
	if (tx->error)
		return ses_pdc_result(tx->error)->text;
	if (tx->rc == UET_RC_OK && tx->is_aborted)
		return "taken back";
	return ses_rc_result(tx->rc)->text;
}

/*
 * uet_ses_reported_rc() - first return code of a returned message other than success, or
 * UET_RC_OK
 * UET_RC_NULL if the target has not answered all of it: the PDC failed, or it was aborted.
 */
u8 uet_ses_reported_rc(const struct uet_ses_tx *tx)
{
	if (tx->rc == UET_RC_OK && (tx->error || tx->is_aborted))
		return UET_RC_NULL;
	return tx->rc;
}

/*
 * uet_ses_executed() - bytes of a returned message that were executed; of a read, received
 * Spec: UE 1.0.1 Table 3-11 (modified_length), uet-wire 3.14.
 */
u32 uet_ses_executed(const struct uet_ses_tx *tx)
{
	u8 rc = uet_ses_reported_rc(tx);

	if (tx->opcode == UET_OP_READ)
		return rc == UET_RC_OK ? tx->read.got : 0;
	return rc == UET_RC_NULL ? 0 : tx->executed;
}

/* Does a process get ECONNREFUSED for it: is the endpoint not there? */
bool uet_ses_rc_is_absent(u8 rc)
{
	return ses_rc_result(rc)->error == -ECONNREFUSED;
}

/*
 * uet_ses_rc_name() - name of any return code; "reserved" for codes without a meaning here
 */
const char *uet_ses_rc_name(u8 rc)
{
	return ses_rc_result(rc)->name;
}
