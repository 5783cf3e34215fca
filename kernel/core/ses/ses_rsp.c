// SPDX-License-Identifier: GPL-2.0
/*
 * SES responses: the responses of a target to a packet, and their meaning to
 * the sender as an errno.  One table has every return code.  wire_ses.c encodes
 * responses, and PDS decides when to send them.
 *
 * Implements UE 1.0.1 3.4.3 and Table 3-19.  Level: core L5.
 */
#include "ses.h"

/**
 * struct ses_rc_prop - properties of a return code
 * @name: name in the specification, lower case, without the prefix
 * @error: negative errno for the sender of the message
 */
struct ses_rc_prop {
	const char *name;
	int error;
};

/* A code without a row is reserved or vendor-specific. */
static const struct ses_rc_prop ses_rc_tab[UET_RC_MAX + 1] = {
	[UET_RC_NULL]			= { "null", 0 },
	[UET_RC_OK]			= { "ok", 0 },
	[UET_RC_BAD_GENERATION]		= { "bad-generation", -ESTALE },
	[UET_RC_DISABLED]		= { "disabled", -ENOBUFS },
	[UET_RC_DISABLED_GEN]		= { "disabled-gen", -ENOBUFS },
	[UET_RC_NO_MATCH]		= { "no-match", -ENOMSG },
	[UET_RC_UNSUPPORTED_OP]		= { "unsupported-op", -EOPNOTSUPP },
	[UET_RC_UNSUPPORTED_SIZE]	= { "unsupported-size", -EMSGSIZE },
	[UET_RC_AT_INVALID]		= { "at-invalid", -EFAULT },
	[UET_RC_AT_PERM]		= { "at-perm", -EACCES },
	[UET_RC_AT_ATS_ERROR]		= { "at-ats-error", -EFAULT },
	[UET_RC_AT_NO_TRANS]		= { "at-no-trans", -EFAULT },
	[UET_RC_AT_OUT_OF_RANGE]	= { "at-out-of-range", -EFAULT },
	[UET_RC_HOST_POISONED]		= { "host-poisoned", -EIO },
	[UET_RC_HOST_UNSUCCESS_CMPL]	= { "host-unsuccess-cmpl", -EIO },
	[UET_RC_AMO_UNSUPPORTED_OP]	= { "amo-unsupported-op", -EOPNOTSUPP },
	[UET_RC_AMO_UNSUPPORTED_DT]	= { "amo-unsupported-dt", -EOPNOTSUPP },
	[UET_RC_AMO_UNSUPPORTED_SIZE]	= { "amo-unsupported-size", -EMSGSIZE },
	[UET_RC_AMO_UNALIGNED]		= { "amo-unaligned", -EINVAL },
	[UET_RC_AMO_FP_NAN]		= { "amo-fp-nan", -EDOM },
	[UET_RC_AMO_FP_UNDERFLOW]	= { "amo-fp-underflow", -ERANGE },
	[UET_RC_AMO_FP_OVERFLOW]	= { "amo-fp-overflow", -ERANGE },
	[UET_RC_AMO_FP_INEXACT]		= { "amo-fp-inexact", -ERANGE },
	[UET_RC_PERM_VIOLATION]		= { "perm-violation", -EACCES },
	[UET_RC_OP_VIOLATION]		= { "op-violation", -EACCES },
	[UET_RC_BAD_INDEX]		= { "bad-index", -ECONNREFUSED },
	[UET_RC_BAD_PID]		= { "bad-pid", -ECONNREFUSED },
	[UET_RC_BAD_JOB_ID]		= { "bad-job-id", -ECONNREFUSED },
	[UET_RC_BAD_MKEY]		= { "bad-mkey", -EFAULT },
	[UET_RC_BAD_ADDR]		= { "bad-addr", -EFAULT },
	[UET_RC_CANCELLED]		= { "cancelled", -ECANCELED },
	[UET_RC_UNDELIVERABLE]		= { "undeliverable", -ECONNREFUSED },
	[UET_RC_UNCOR]			= { "uncor", -EREMOTEIO },
	[UET_RC_UNCOR_TRNSNT]		= { "uncor-trnsnt", -EREMOTEIO },
	[UET_RC_TOO_LONG]		= { "too-long", -EMSGSIZE },
	[UET_RC_INITIATOR_ERROR]	= { "initiator-error", -EREMOTEIO },
	[UET_RC_DROPPED]		= { "dropped", -EREMOTEIO },
	[UET_RC_EXTENDED]		= { "extended", -EREMOTEIO },
};

static int ses_rc_errno(u8 rc)
{
	if (rc < ARRAY_SIZE(ses_rc_tab) && ses_rc_tab[rc].name)
		return ses_rc_tab[rc].error;
	return -EREMOTEIO;
}

static int ses_pdc_errno(enum uet_pdc_error error)
{
	switch (error) {
	case UET_PDC_OK:
		return 0;
	case UET_PDC_ERR_TIMEOUT:
		return -ETIMEDOUT;
	case UET_PDC_ERR_NACK:
		return -ECONNRESET;
	case UET_PDC_ERR_NACK_RETX:
		return -ENOBUFS;
	case UET_PDC_ERR_PROTOCOL:
		return -EPROTO;
	case UET_PDC_ERR_ABORT:
		return -ECONNABORTED;
	case UET_PDC_ERR_TOO_BIG:
		return -EMSGSIZE;
	case UET_PDC_ERR_LOCAL:
		return -EFAULT;
	}
	return -EREMOTEIO;
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
 *	-EOPNOTSUPP, -EMSGSIZE, -ENOMSG, -EREMOTEIO and others of ses_rc_tab if
 *	the target refused the message; -ECANCELED if the message was aborted.
 */
int uet_ses_errno(const struct uet_ses_tx *tx)
{
	int error = ses_pdc_errno(tx->error);

	if (!error)
		error = ses_rc_errno(tx->rc);
	if (!error && tx->is_aborted)
		error = -ECANCELED;
	return error;
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
	return ses_rc_errno(rc) == -ECONNREFUSED;
}

/**
 * uet_ses_rc_name() - name of a return code
 * @rc: enum uet_rc, any value
 *
 * Return: a static string; "reserved" for codes without a meaning here.
 */
const char *uet_ses_rc_name(u8 rc)
{
	if (rc < ARRAY_SIZE(ses_rc_tab) && ses_rc_tab[rc].name)
		return ses_rc_tab[rc].name;
	return "reserved";
}
