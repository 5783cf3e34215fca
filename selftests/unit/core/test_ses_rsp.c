// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_hdr.c: the responses of a target, and the meaning of return
 * codes and PDC errors to a sender, over every value they can have.
 * Level: test.
 */
#include "core/ses/ses.h"
#include "utest.h"

static const struct uet_ses_req rsp_req = {
	.form = UET_SES_STD, .opcode = UET_OP_SEND, .som = true, .eom = true,
	.rel = true, .msg_id = 0x1234, .job = 0xabcdef, .pid = 5, .ri = 6,
	.ri_gen = 9, .request_length = 77777,
};

TEST(ses_rsp__default_response_is_ok)
{
	struct uet_ses_rsp rsp;

	memset(&rsp, 0xff, sizeof(rsp));
	uet_ses_rsp_default(&rsp, &rsp_req);

	EXPECT_EQ(rsp.form, UET_RSP_FORM_PLAIN);
	EXPECT_EQ(rsp.list, UET_LIST_EXPECTED);
	EXPECT_EQ(rsp.opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(rsp.rc, UET_RC_OK);
	EXPECT_EQ(rsp.version, 0);
	EXPECT_EQ(rsp.msg_id, 0x1234);
	EXPECT_EQ(rsp.job, 0xabcdefu);
	EXPECT_EQ(rsp.modified_length, 77777u);
}

TEST(ses_rsp__error_modifies_nothing)
{
	struct uet_ses_rsp rsp;

	uet_ses_rsp_error(&rsp, &rsp_req, UET_RC_BAD_INDEX);

	EXPECT_EQ(rsp.opcode, UET_RSP_RESPONSE);
	EXPECT_EQ(rsp.rc, UET_RC_BAD_INDEX);
	EXPECT_EQ(rsp.msg_id, 0x1234);
	EXPECT_EQ(rsp.modified_length, 0u);
}

TEST(ses_rsp__both_can_be_sent)
{
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp rsp;

	uet_ses_rsp_default(&rsp, &rsp_req);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&rsp, buf, sizeof(buf)),
		  (size_t)UET_SES_RSP_LEN);
	uet_ses_rsp_error(&rsp, &rsp_req, UET_RC_DROPPED);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&rsp, buf, sizeof(buf)),
		  (size_t)UET_SES_RSP_LEN);
}

TEST(ses_errno__every_return_code_has_one)
{
	struct uet_ses_tx tx = { .error = UET_PDC_OK };
	unsigned int rc;

	for (rc = 0; rc < 256; rc++) {
		tx.rc = rc;
		if (rc == UET_RC_NULL || rc == UET_RC_OK)
			EXPECT_EQ(uet_ses_errno(&tx), 0);
		else
			EXPECT_LT(uet_ses_errno(&tx), 0);
	}
}

TEST(ses_errno__return_codes_map_to_documented_errnos)
{
	static const struct {
		u8 rc;
		int error;
	} row[] = {
		{ UET_RC_BAD_JOB_ID, -ECONNREFUSED },
		{ UET_RC_BAD_PID, -ECONNREFUSED },
		{ UET_RC_BAD_INDEX, -ECONNREFUSED },
		{ UET_RC_UNDELIVERABLE, -ECONNREFUSED },
		{ UET_RC_PERM_VIOLATION, -EACCES },
		{ UET_RC_OP_VIOLATION, -EACCES },
		{ UET_RC_UNSUPPORTED_OP, -EOPNOTSUPP },
		{ UET_RC_UNSUPPORTED_SIZE, -EMSGSIZE },
		{ UET_RC_TOO_LONG, -EMSGSIZE },
		{ UET_RC_NO_MATCH, -ENOMSG },
		{ UET_RC_CANCELLED, -ECANCELED },
		{ UET_RC_UNCOR, -EREMOTEIO },
		{ UET_RC_DROPPED, -EREMOTEIO },
		{ 0x25, -EREMOTEIO },
		{ UET_RC_VENDOR_FIRST, -EREMOTEIO },
		{ 0xff, -EREMOTEIO },
	};
	struct uet_ses_tx tx = { .error = UET_PDC_OK };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		tx.rc = row[i].rc;
		EXPECT_EQ(uet_ses_errno(&tx), row[i].error);
	}
}

TEST(ses_errno__death_of_the_pdc_comes_first)
{
	struct uet_ses_tx tx = { .rc = UET_RC_BAD_PID, .is_aborted = true };

	tx.error = UET_PDC_ERR_TIMEOUT;
	EXPECT_EQ(uet_ses_errno(&tx), -ETIMEDOUT);
	tx.error = UET_PDC_ERR_NACK;
	EXPECT_EQ(uet_ses_errno(&tx), -ECONNRESET);
	tx.error = UET_PDC_ERR_NACK_RETX;
	EXPECT_EQ(uet_ses_errno(&tx), -ENOBUFS);
	tx.error = UET_PDC_ERR_PROTOCOL;
	EXPECT_EQ(uet_ses_errno(&tx), -EPROTO);
	tx.error = UET_PDC_ERR_ABORT;
	EXPECT_EQ(uet_ses_errno(&tx), -ECONNABORTED);
	tx.error = UET_PDC_ERR_TOO_BIG;
	EXPECT_EQ(uet_ses_errno(&tx), -EMSGSIZE);
	tx.error = UET_PDC_OK;
	EXPECT_EQ(uet_ses_errno(&tx), -ECONNREFUSED);
	tx.rc = UET_RC_OK;
	EXPECT_EQ(uet_ses_errno(&tx), -ECANCELED);
}

TEST(ses_executed__response_sets_executed_bytes)
{
	struct uet_ses_tx tx = { .rc = UET_RC_OK, .executed = 100 };

	EXPECT_EQ(uet_ses_reported_rc(&tx), UET_RC_OK);
	EXPECT_EQ(uet_ses_executed(&tx), 100u);
	tx.rc = UET_RC_TOO_LONG;
	EXPECT_EQ(uet_ses_reported_rc(&tx), UET_RC_TOO_LONG);
	EXPECT_EQ(uet_ses_executed(&tx), 100u);
	/* The answer came, whatever became of the PDC. */
	tx.error = UET_PDC_ERR_ABORT;
	EXPECT_EQ(uet_ses_reported_rc(&tx), UET_RC_TOO_LONG);
}

TEST(ses_executed__is_nothing_without_an_answer)
{
	struct uet_ses_tx lost = {
		.rc = UET_RC_OK, .executed = 100, .error = UET_PDC_ERR_TIMEOUT,
	};
	struct uet_ses_tx given_up = {
		.rc = UET_RC_OK, .executed = 100, .is_aborted = true,
	};

	EXPECT_EQ(uet_ses_reported_rc(&lost), UET_RC_NULL);
	EXPECT_EQ(uet_ses_executed(&lost), 0u);
	EXPECT_EQ(uet_ses_reported_rc(&given_up), UET_RC_NULL);
	EXPECT_EQ(uet_ses_executed(&given_up), 0u);
}

TEST(ses_why__has_a_text_for_each_failure)
{
	struct uet_ses_tx tx = { .rc = UET_RC_BAD_PID };

	EXPECT_STREQ(uet_ses_why(&tx), "no endpoint with that PIDonFEP");
	tx.error = UET_PDC_ERR_TIMEOUT;
	EXPECT_STREQ(uet_ses_why(&tx), "no answer for as long as peer-timeout");
	tx = (struct uet_ses_tx){ .rc = UET_RC_OK, .is_aborted = true };
	EXPECT_STREQ(uet_ses_why(&tx), "taken back");
	tx.rc = 0x31;
	EXPECT_STREQ(uet_ses_why(&tx), "an unknown return code");
	for (tx.error = UET_PDC_ERR_TIMEOUT; tx.error <= UET_PDC_ERR_LOCAL; tx.error++)
		EXPECT_TRUE(*uet_ses_why(&tx));
}

TEST(ses_rc_name__unknown_codes_are_reserved)
{
	u32 rc;

	EXPECT_STREQ(uet_ses_rc_name(UET_RC_OK), "ok");
	EXPECT_STREQ(uet_ses_rc_name(UET_RC_BAD_JOB_ID), "bad-job-id");
	EXPECT_STREQ(uet_ses_rc_name(UET_RC_DROPPED), "dropped");
	EXPECT_STREQ(uet_ses_rc_name(0x25), "reserved");
	EXPECT_STREQ(uet_ses_rc_name(UET_RC_MAX), "reserved");
	EXPECT_STREQ(uet_ses_rc_name(0xff), "reserved");
	for (rc = UET_RC_MAX; rc < 256; rc++)
		EXPECT_STREQ(uet_ses_rc_name((u8)rc), "reserved");
}

/* --------------------------------------------------------------------- data */

TEST(ses_rsp_data__names_the_message)
{
	struct uet_ses_req req = {
		.form = UET_SES_STD_NOSOM, .opcode = UET_OP_READ,
		.msg_id = 88, .job = 7, .message_offset = 4096,
		.payload_length = 100, .request_length = 4196,
	};
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp rsp;

	uet_ses_rsp_data(&rsp, &req, 333, 100);

	EXPECT_EQ(rsp.form, UET_RSP_FORM_DATA);
	EXPECT_EQ(rsp.opcode, UET_RSP_W_DATA);
	EXPECT_EQ(rsp.rc, UET_RC_OK);
	EXPECT_EQ(rsp.read_msg_id, 88);
	EXPECT_EQ(rsp.msg_id, 88);
	EXPECT_EQ(rsp.message_offset, 4096);
	EXPECT_EQ(rsp.payload_length, 100);
	EXPECT_EQ(rsp.job, 7);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&rsp, buf, sizeof(buf)),
		  (size_t)UET_SES_RSP_DATA_LEN);
}

/* Forms without a message id are answered by PSN. */
TEST(ses_rsp_data__names_the_packet)
{
	struct uet_ses_req req = {
		.form = UET_SES_MEDIUM, .opcode = UET_OP_READ, .som = true,
		.eom = true, .job = 7, .request_length = 10,
	};
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp rsp;

	uet_ses_rsp_data(&rsp, &req, 333, 10);

	EXPECT_EQ(rsp.form, UET_RSP_FORM_SMALL);
	EXPECT_EQ(rsp.orig_psn, 333);
	EXPECT_EQ(rsp.payload_length, 10);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&rsp, buf, sizeof(buf)),
		  (size_t)UET_SES_RSP_SMALL_LEN);
}

TEST(ses_rsp_taken__is_a_default_response)
{
	const struct uet_ses_tx tx = { .length = 9000, .read.want = 9000 };
	struct uet_ses_rsp data = {
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		.msg_id = 9, .read_msg_id = 88, .job = 7,
		.payload_length = 500, .modified_length = 8000,
	};
	struct uet_ses_rsp rsp;

	uet_ses_rsp_taken(&rsp, &data, &tx);

	EXPECT_EQ(rsp.form, UET_RSP_FORM_PLAIN);
	EXPECT_EQ(rsp.opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(rsp.rc, UET_RC_OK);
	EXPECT_EQ(rsp.msg_id, 9);
	/* The length of the read, not that of the packet. */
	EXPECT_EQ(rsp.modified_length, 9000);
	/* Data for no message repeats what its header says of the message. */
	data.msg_id = 0;
	uet_ses_rsp_taken(&rsp, &data, NULL);
	EXPECT_EQ(rsp.msg_id, 88);
	EXPECT_EQ(rsp.modified_length, 8000);
}

TEST(ses_errno__read_errors_set_errno_and_executed_bytes)
{
	struct uet_ses_tx tx = { .rc = UET_RC_OK, .opcode = UET_OP_READ };

	tx.read.got = 100;
	EXPECT_EQ(uet_ses_executed(&tx), 100);
	tx.error = UET_PDC_ERR_LOCAL;
	EXPECT_EQ(uet_ses_errno(&tx), -EFAULT);
	EXPECT_EQ(uet_ses_executed(&tx), 0);
	tx.error = UET_PDC_OK;
	tx.rc = UET_RC_BAD_ADDR;
	EXPECT_EQ(uet_ses_executed(&tx), 0);
}
