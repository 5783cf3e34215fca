// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_rx.c: the requests that a receiver supports, in messages, datagrams and
 * idempotent operations, and the codes that refuse others.
 */
#include "sesrx.h"

/* ------------------------------------------------------------------ what is served */

TEST(ses_rx_supported__supported_opcodes_are_accepted)
{
	struct uet_ses_req req = req_piece(1, 0, 1);
	unsigned int op;

	for (op = 0; op < UET_OP_NR; op++) {
		req.opcode = op;
		switch (op) {
		case UET_OP_NO_OP:
		case UET_OP_WRITE:
		case UET_OP_READ:
		case UET_OP_ATOMIC:
		case UET_OP_FETCHING_ATOMIC:
		case UET_OP_SEND:
		case UET_OP_DEFERRABLE_SEND:
		case UET_OP_MSG_ERROR:
		case UET_OP_TAGGED_SEND:
		case UET_OP_TSEND_ATOMIC:
		case UET_OP_TSEND_FETCH_ATOMIC:
		case UET_OP_DEFERRABLE_TSEND:
		case UET_OP_DEFERRABLE_RTR:
		case UET_OP_RENDEZVOUS_SEND:
		case UET_OP_RENDEZVOUS_TSEND:
			EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
			break;
		default:
			EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE),
				  UET_RC_UNSUPPORTED_OP);
		}
	}
}

TEST(ses_rx_supported__ie_and_version_are_refused)
{
	struct uet_ses_req req = req_piece(1, 0, 1);

	req.dc = true;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
	req.ie = true;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_INITIATOR_ERROR);
	req.version = 1;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_UNCOR);
}

TEST(ses_rx_supported__reassembly_needs_a_message_id)
{
	struct uet_ses_req req = req_piece(1, 0, 1);

	req.msg_id = 0;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
	req = req_piece(2 * MTU, 0, MTU);
	req.msg_id = 0;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_UNCOR);
	req = req_piece(2 * MTU, MTU, MTU);
	req.msg_id = 0;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_UNCOR);
}

/* The code of an unsupported operation comes before that of a malformed header. */
TEST(ses_rx_supported__malformed_requests_have_their_own_codes)
{
	struct uet_ses_req req = { .opcode = 0x30, .som = true, .eom = true };

	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_SES_RESERVED_OPCODE),
		  UET_RC_UNSUPPORTED_OP);
	req.opcode = UET_OP_FETCHING_ATOMIC;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_SES_RESERVED_AMO),
		  UET_RC_AMO_UNSUPPORTED_OP);
	req.opcode = UET_OP_SEND;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_SES_EOM_EARLY),
		  UET_RC_UNCOR);
	req.ie = true;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_SES_EOM_EARLY),
		  UET_RC_INITIATOR_ERROR);
	req.version = 1;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_SES_BAD_VERSION),
		  UET_RC_UNCOR);
	req = (struct uet_ses_req) {};
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_TRUNC_SES_COMMON),
		  UET_RC_UNCOR);
}

TEST(ses_rx_datagram__is_one_packet_of_a_send)
{
	struct uet_ses_req req = req_piece(1, 0, 1);
	unsigned int op;

	for (op = 0; op < UET_OP_NR; op++) {
		req.opcode = op;
		EXPECT_EQ(uet_ses_rx_datagram(&req),
			  op == UET_OP_DATAGRAM_SEND || op == UET_OP_SEND ?
			  UET_DROP_NONE : UET_DROP_SES_BAD_OP);
	}
	req.opcode = UET_OP_DATAGRAM_SEND;
	req.ie = true;
	EXPECT_EQ(uet_ses_rx_datagram(&req), UET_DROP_SES_BAD_OP);
	req = req_piece(2 * MTU, 0, MTU);
	EXPECT_EQ(uet_ses_rx_datagram(&req), UET_DROP_SES_NOT_SINGLE);
	req = req_piece(2 * MTU, MTU, MTU);
	EXPECT_EQ(uet_ses_rx_datagram(&req), UET_DROP_SES_NOT_SINGLE);
}

/* ------------------------------------------------------------------- RUDI */

TEST(ses_rx_rudi__idempotent_opcodes_are_accepted)
{
	struct uet_ses_req req = { .som = true, .eom = true };
	u32 op;

	for (op = 0; op < UET_OP_NR; op++) {
		req.opcode = (u8)op;
		req.match = UET_KEY_IDEMPOTENT_SAFE;
		switch (op) {
		case UET_OP_NO_OP:
			EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OK);
			break;
		case UET_OP_READ:
		case UET_OP_WRITE:
			EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OK);
			/* Memory that cannot bear being written twice. */
			req.match = ~UET_KEY_IDEMPOTENT_SAFE;
			EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OP_VIOLATION);
			break;
		default:
			EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OP_VIOLATION);
		}
	}
}

/* Completion data would be delivered twice. */
TEST(ses_rx_rudi__write_with_completion_data_is_refused)
{
	struct uet_ses_req req = {
		.opcode = UET_OP_WRITE, .som = true, .eom = true, .hd = true,
		.match = UET_KEY_IDEMPOTENT_SAFE,
	};

	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OP_VIOLATION);
	req.opcode = UET_OP_READ;
	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OK);
}

/* Its key is looked up first. */
TEST(ses_rx_rudi__small_request_is_no_exception)
{
	struct uet_ses_req req = {
		.opcode = UET_OP_WRITE, .form = UET_SES_SMALL,
		.som = true, .eom = true, .match = UET_KEY_OPTIMIZED | 1,
	};

	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OP_VIOLATION);
	req.match |= UET_KEY_IDEMPOTENT_SAFE;
	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_OK);
}

TEST(ses_rx_rudi__flags_come_first)
{
	struct uet_ses_req req = { .opcode = UET_OP_NO_OP, .ie = true };

	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_INITIATOR_ERROR);
	req.version = 1;
	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_NONE), UET_RC_UNCOR);
}

TEST(ses_rx_rudi__malformed_requests_have_their_own_codes)
{
	struct uet_ses_req req = { .opcode = 0x30, .som = true, .eom = true };

	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_SES_RESERVED_OPCODE),
		  UET_RC_OP_VIOLATION);
	/* The key is not known. */
	req.opcode = UET_OP_WRITE;
	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_TRUNC_SES_STD), UET_RC_UNCOR);
	req.ie = true;
	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_SES_EOM_EARLY),
		  UET_RC_INITIATOR_ERROR);
	req = (struct uet_ses_req) {};
	EXPECT_EQ(uet_ses_rx_rudi(&req, UET_DROP_TRUNC_SES_COMMON),
		  UET_RC_UNCOR);
}
