// SPDX-License-Identifier: GPL-2.0
/*
 * SES responses: the responses of a target to a packet, and their meaning to
 * the sender as an errno and a text, from core/result.def.  wire_ses.c encodes
 * responses, and PDS decides when to send them.
 *
 * Implements UE 1.0.1 3.4.3 and Table 3-19.  Level: core L5.
 */
#include "ses.h"

/**
 * struct ses_result - how a message can end
 * @name: name of a return code in the specification, lower case, without the prefix
 * @error: negative errno for the sender of the message
 * @text: reason, for people
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
	return (u32)error < ARRAY_SIZE(ses_pdc_tab) ? &ses_pdc_tab[error] :
						      &ses_unknown;
}

/**
 * uet_ses_rsp_default() - build the response to an accepted packet
 * @rsp: result
 * @req: request of the packet
 *
 * Spec: uet-wire 3.14: UET_DEFAULT_RESPONSE with RC_OK and modified_length =
 *	request_length, not guaranteed.
 */
void uet_ses_rsp_default(struct uet_ses_rsp *rsp,
			 const struct uet_ses_req *req)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->form = UET_RSP_FORM_PLAIN;
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_DEFAULT;
	rsp->rc = UET_RC_OK;
	rsp->msg_id = req->msg_id;
	rsp->job = req->job;
	rsp->modified_length = req->request_length;
}

/**
 * uet_ses_rsp_error() - build the response to a refused packet
 * @rsp: result
 * @req: request of the packet
 * @rc: the reason, enum uet_rc
 *
 * Spec: UE 1.0.1 3.4.3.3, uet-wire 3.14: UET_RESPONSE with the code and
 *	modified_length 0; guaranteed delivery.
 */
void uet_ses_rsp_error(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		       u8 rc)
{
	uet_ses_rsp_default(rsp, req);
	rsp->opcode = UET_RSP_RESPONSE;
	rsp->rc = rc;
	rsp->modified_length = 0;
}

/**
 * uet_ses_rsp_data() - build the response to a packet that requests data
 * @rsp: result; the caller sets @rsp.data
 * @req: request of the packet
 * @psn: PSN of the packet
 * @len: bytes of data in the response
 *
 * In a form without message ids the PSN identifies the request.  Else both ids
 * name the request: a target has no id of its own for a response, and some
 * initiators look the request up by the first id.
 *
 * Spec: UE 1.0.1 Tables 3-12 and 3-13, uet-wire 2.32.
 */
void uet_ses_rsp_data(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		      u32 psn, u32 len)
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

/**
 * uet_ses_rsp_taken() - build the response to a packet of read data
 * @rsp: result
 * @data: SES header of the packet
 * @tx: message that requested the data; NULL: there is none
 *
 * As for any request, modified_length is the request_length, here that of the
 * message that requested the data.  The response does not depend on whether the
 * data was used: the sender of the data could not act on it.
 *
 * Spec: uet-wire 2.32, 3.14: a default response.
 */
void uet_ses_rsp_taken(struct uet_ses_rsp *rsp, const struct uet_ses_rsp *data,
		       const struct uet_ses_tx *tx)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->form = UET_RSP_FORM_PLAIN;
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_DEFAULT;
	rsp->rc = UET_RC_OK;
	rsp->msg_id = data->msg_id ? data->msg_id : data->read_msg_id;
	rsp->job = data->job;
	rsp->modified_length = tx ? tx->read.want : data->modified_length;
}

/**
 * uet_ses_errno() - result of a message as an errno
 * @tx: message returned by uet_ses_reap() or uet_ses_fail()
 *
 * Return: 0 if the target has the whole message; -ETIMEDOUT, -ECONNRESET,
 *	-ENOBUFS, -EPROTO, -ECONNABORTED, -EMSGSIZE if the PDC failed; -EPROTO
 *	if the read data differs from the data requested, -EFAULT if the memory
 *	for it is gone; -ECONNREFUSED if the address has no endpoint, -EACCES,
 *	-EOPNOTSUPP, -EMSGSIZE, -ENOMSG, -EREMOTEIO and others of result.def if
 *	the target refused the message; -ECANCELED if the message was aborted.
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

/**
 * uet_ses_why() - why a message has failed
 * @tx: message that uet_ses_errno() has an error for
 *
 * Context: Any.
 * Return: a static string, such as "no endpoint with that PIDonFEP".
 */
const char *uet_ses_why(const struct uet_ses_tx *tx)
{
	if (tx->error)
		return ses_pdc_result(tx->error)->text;
	if (tx->rc == UET_RC_OK && tx->is_aborted)
		return "taken back";
	return ses_rc_result(tx->rc)->text;
}

/**
 * uet_ses_reported_rc() - return code of a message
 * @tx: message returned by uet_ses_reap() or uet_ses_fail()
 *
 * Return: enum uet_rc: the first code other than success; UET_RC_OK;
 *	UET_RC_NULL if the target has not answered the whole message, because
 *	the PDC failed or the sender aborted the message.
 */
u8 uet_ses_reported_rc(const struct uet_ses_tx *tx)
{
	if (tx->rc == UET_RC_OK && (tx->error || tx->is_aborted))
		return UET_RC_NULL;
	return tx->rc;
}

/**
 * uet_ses_executed() - number of bytes that the target has executed
 * @tx: message returned by uet_ses_reap() or uet_ses_fail()
 *
 * Return: bytes: the whole message if the target reported success only; 0 if it
 *	has not answered; for a read the bytes received, 0 if the read was
 *	refused.
 * Spec: UE 1.0.1 Table 3-11 (modified_length), uet-wire 3.14.
 */
u32 uet_ses_executed(const struct uet_ses_tx *tx)
{
	u8 rc = uet_ses_reported_rc(tx);

	if (tx->opcode == UET_OP_READ)
		return rc == UET_RC_OK ? tx->read.got : 0;
	return rc == UET_RC_NULL ? 0 : tx->executed;
}

/*
 * Does a return code say that the endpoint is not there?
 * Return: true if a process gets ECONNREFUSED for it.
 */
bool uet_ses_rc_is_absent(u8 rc)
{
	return ses_rc_result(rc)->error == -ECONNREFUSED;
}

/**
 * uet_ses_rc_name() - name of a return code
 * @rc: enum uet_rc, any value
 *
 * Return: a static string; "reserved" for codes without a meaning here.
 */
const char *uet_ses_rc_name(u8 rc)
{
	return ses_rc_result(rc)->name;
}
