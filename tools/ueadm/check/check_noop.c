// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of a NO_OP by RUDI, by the core.
 */
#include "check_noop.h"
#include "core/wire/wire.h"

/* Packet numbers that no ping of a FEP has soon. */
#define NOOP_FIRST	0xfffffff0

/**
 * uea_noop_encode() - PDS and SES headers of a NO_OP by RUDI
 * @buf: filled in
 * @space: size of @buf, bytes
 * @nr: number of the packet, 0 to 15
 *
 * Return: number of bytes.
 */
size_t uea_noop_encode(uint8_t *buf, size_t space, unsigned int nr)
{
	struct uet_pds_hdr pds = {
		.type = UET_TY_RUDI_REQ, .next_hdr = UET_NH_REQ_STD,
		.u.rudi.pkt_id = NOOP_FIRST + nr,
	};
	struct uet_ses_req ses = {
		.form = UET_SES_STD, .opcode = UET_OP_NO_OP,
		.som = true, .eom = true,
	};
	size_t len = uet_wire_pds_encode(&pds, buf, space);

	return len + uet_wire_ses_req_encode(&ses, buf + len, space - len);
}
