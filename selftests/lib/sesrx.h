/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests for the tests of the receiving half of SES: the parts of a message in
 * packets of 1024 bytes.
 */
#ifndef UET_SELFTESTS_SESRX_H
#define UET_SELFTESTS_SESRX_H

#include "core/ses/ses.h"
#include "utest.h"

#define MTU	1024

/* The request of the piece at @offset of a message of @total bytes. */
static inline struct uet_ses_req req_piece(u32 total, u32 offset, u32 len)
{
	return (struct uet_ses_req){
		.form = offset ? UET_SES_STD_NOSOM : UET_SES_STD,
		.opcode = UET_OP_SEND, .rel = true, .msg_id = 5,
		.som = !offset, .eom = (u64)offset + len == total,
		.job = 7, .pid = 3, .ri = 2, .initiator = 9,
		.hd = !offset, .header_data = offset ? 0 : 4711,
		.message_offset = offset, .payload_length = offset ? len : 0,
		.request_length = total,
	};
}

#endif
