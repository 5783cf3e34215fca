/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of the specification that the model judges a PDC by: numbers, flags, NACK
 * codes and control packets.  They are typed from the text of the specification and
 * use no definition of the core, so a number or a rule that the core misreads differs
 * here.  Each row has the section that it comes from; messages of the model name it.
 * The model states each deviation by choice, with its row in
 * Documentation/spec/choices.rst, where it applies the deviation.
 *
 * test_model_spec.c compares these tables with those of the core.
 *
 * Spec: UE 1.0.1 3.5.10, 3.5.12, 3.5.16, Tables 3-16, 3-18, 3-32 to 3-44, 3-58, 3-66.
 * Level: test.
 */
#ifndef UET_MODEL_SPEC_H
#define UET_MODEL_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 3.5.10.6: unit of mpr, in PSNs. */
#define SPEC_MPR_UNIT		128
/* Table 3-74: unit of rcvd_bytes, in bytes, and its range of 24 bits. */
#define SPEC_RCVD_UNIT		256
#define SPEC_RCVD_MAX		0xffffff
/* 3.5.10.6: PSNs that a SACK bitmap covers. */
#define SPEC_SACK_BITS		64
/* Table 3-28: the value of Max_NACK_Retx_Cnt that means no limit. */
#define SPEC_NACK_RETX_NO_LIMIT	31

/* 3.5.10.2: the flags; each packet type has its own meanings of the same bits. */
enum spec_flag {
	SPEC_F_ISROD = 0x20,
	SPEC_F_M = 0x20,
	SPEC_F_RETX = 0x10,
	SPEC_F_AR = 0x08,
	SPEC_F_P = 0x08,
	SPEC_F_NT = 0x08,
	SPEC_F_SYN = 0x04,
	SPEC_F_REQ = 0x06,
	SPEC_F_REQ_CLEAR = 0x02,	/* Table 3-44: 1 */
	SPEC_F_REQ_CLOSE = 0x04,	/* Table 3-44: 2 */
};

/**
 * struct spec_type - a packet type, Table 3-32
 * @name: its name; NULL: reserved
 * @len: bytes of its PDS header
 * @flags: bits that have a meaning
 * @cite: section
 */
struct spec_type {
	const char *name;
	uint8_t len;
	uint8_t flags;
	const char *cite;
};

#define SPEC_FLAGS_REQ	(SPEC_F_RETX | SPEC_F_AR | SPEC_F_SYN)
#define SPEC_FLAGS_ACK	(SPEC_F_M | SPEC_F_RETX | SPEC_F_P | SPEC_F_REQ)
#define SPEC_FLAGS_NACK	(SPEC_F_M | SPEC_F_RETX | SPEC_F_NT)
#define SPEC_FLAGS_CP	(SPEC_F_ISROD | SPEC_F_RETX | SPEC_F_AR | SPEC_F_SYN)

enum spec_type_code {
	SPEC_TSS = 1, SPEC_RUD_REQ = 2, SPEC_ROD_REQ = 3, SPEC_RUDI_REQ = 4,
	SPEC_RUDI_RESP = 5, SPEC_UUD_REQ = 6, SPEC_ACK = 7, SPEC_ACK_CC = 8,
	SPEC_ACK_CCX = 9, SPEC_NACK = 10, SPEC_CP = 11, SPEC_NACK_CCX = 12,
	SPEC_RUD_CC_REQ = 13, SPEC_ROD_CC_REQ = 14,
};

static const struct spec_type spec_types[32] = {
	[2] = { "RUD_REQ", 12, SPEC_FLAGS_REQ, "3.5.10.3" },
	[3] = { "ROD_REQ", 12, SPEC_FLAGS_REQ, "3.5.10.3" },
	[4] = { "RUDI_REQ", 8, SPEC_F_RETX, "3.5.10.9" },
	[5] = { "RUDI_RESP", 8, SPEC_F_M | SPEC_F_RETX, "3.5.10.9" },
	[6] = { "UUD_REQ", 4, 0, "3.5.10.12" },
	[7] = { "ACK", 12, SPEC_FLAGS_ACK, "3.5.10.5" },
	[8] = { "ACK_CC", 32, SPEC_FLAGS_ACK, "3.5.10.6" },
	[9] = { "ACK_CCX", 40, SPEC_FLAGS_ACK, "3.5.10.7" },
	[10] = { "NACK", 16, SPEC_FLAGS_NACK, "3.5.10.10" },
	[11] = { "CP", 16, SPEC_FLAGS_CP, "3.5.10.8" },
	[12] = { "NACK_CCX", 32, SPEC_FLAGS_NACK, "3.5.10.11" },
	[13] = { "RUD_CC_REQ", 16, SPEC_FLAGS_REQ, "3.5.10.4" },
	[14] = { "ROD_CC_REQ", 16, SPEC_FLAGS_REQ, "3.5.10.4" },
};

/* Effect of a NACK on its PDC, Table 3-58. */
enum spec_class {
	SPEC_RESERVED,
	SPEC_NORMAL,
	SPEC_PDC_ERR,
	SPEC_PDC_FATAL,
};

/* Duty of the source that receives a NACK, Table 3-59. */
enum spec_action {
	SPEC_NONE,		/* the NACK is dropped and the timer keeps running */
	SPEC_RETX,		/* the same PSN on the same PDC, at once */
	SPEC_RETX_WAIT,		/* the same, after NACK_Retx_Time */
	SPEC_RETX_AHEAD,	/* the same PSN, if it is beyond CACK_PSN */
	SPEC_GO_BACK,		/* the PSN in the payload and all behind it */
	SPEC_SHIFT,		/* all PSNs, from the Start_PSN in the payload */
	SPEC_RETRY,		/* the request, on a new PDC */
	SPEC_CLOSE,		/* close the PDC in error */
};

/* Contents of the payload of a NACK, 3.5.10.10. */
enum spec_payload {
	SPEC_PAYLOAD_ZERO,
	SPEC_PAYLOAD_EXPECTED_PSN,
	SPEC_PAYLOAD_START_PSN,
};

/**
 * struct spec_nack - a NACK code, Table 3-58
 * @name: its name without UET_; NULL: reserved
 * @class: effect on the PDC
 * @action: duty of the source
 * @no_pdc: no PDC exists for the refused packet, so spdcid is 0, 3.5.10.10
 * @payload: contents of the payload
 * @cite: section
 */
struct spec_nack {
	const char *name;
	enum spec_class class;
	enum spec_action action;
	bool no_pdc;
	enum spec_payload payload;
	const char *cite;
};

#define SPEC_N(name, action, cite) \
	{ name, SPEC_NORMAL, action, false, SPEC_PAYLOAD_ZERO, cite }
#define SPEC_N_NO_PDC(name, action, cite) \
	{ name, SPEC_NORMAL, action, true, SPEC_PAYLOAD_ZERO, cite }
#define SPEC_E(name, action, cite) \
	{ name, SPEC_PDC_ERR, action, false, SPEC_PAYLOAD_ZERO, cite }
#define SPEC_F(name, action, cite) \
	{ name, SPEC_PDC_FATAL, action, false, SPEC_PAYLOAD_ZERO, cite }

/*
 * NACK_Retx_Time, 3.5.12.7: the codes that refuse for a lack of resources wait for it;
 * a trimmed packet is sent again at once, 4.1.
 */
static const struct spec_nack spec_nacks[256] = {
	[0x01] = SPEC_N("TRIMMED", SPEC_RETX, "Table 3-58, 4.1"),
	[0x02] = SPEC_N("TRIMMED_LASTHOP", SPEC_RETX, "Table 3-58, 4.1"),
	[0x03] = SPEC_N("TRIMMED_ACK", SPEC_RETX, "Table 3-58"),
	[0x04] = SPEC_N_NO_PDC("NO_PDC_AVAIL", SPEC_RETRY, "Table 3-58, 3.5.8.2"),
	[0x05] = SPEC_N_NO_PDC("NO_CCC_AVAIL", SPEC_RETRY, "Table 3-58, 3.5.8.2"),
	[0x06] = SPEC_N_NO_PDC("NO_BITMAP", SPEC_RETRY, "Table 3-58, 3.5.8.2"),
	[0x07] = SPEC_N("NO_PKT_BUFFER", SPEC_RETX_WAIT, "Table 3-58"),
	[0x08] = SPEC_N("NO_GTD_DEL_AVAIL", SPEC_RETX_WAIT, "Table 3-58"),
	[0x09] = SPEC_N("NO_SES_MSG_AVAIL", SPEC_RETX_WAIT, "Table 3-58"),
	[0x0a] = SPEC_N("NO_RESOURCE", SPEC_RETX_WAIT, "Table 3-58"),
	[0x0b] = SPEC_N("PSN_OOR_WINDOW", SPEC_RETX_AHEAD, "Table 3-58, 3.5.12.2"),
	[0x0d] = { "ROD_OOO", SPEC_NORMAL, SPEC_GO_BACK, false,
		   SPEC_PAYLOAD_EXPECTED_PSN, "Table 3-58, 3.5.21" },
	[0x0e] = { "INV_DPDCID", SPEC_PDC_FATAL, SPEC_RETRY, true,
		   SPEC_PAYLOAD_ZERO, "Table 3-58, 3.5.16.4" },
	[0x0f] = SPEC_F("PDC_HDR_MISMATCH", SPEC_RETRY, "Table 3-58, 3.5.16.4"),
	[0x10] = SPEC_F("CLOSING", SPEC_RETRY, "Table 3-58, 3.5.8.3"),
	[0x11] = SPEC_F("CLOSING_IN_ERR", SPEC_CLOSE, "Table 3-58, 3.5.8.3"),
	[0x12] = SPEC_N("PKT_NOT_RCVD", SPEC_RETX, "Table 3-58, 3.5.12.5"),
	[0x13] = SPEC_F("GTD_RESP_UNAVAIL", SPEC_CLOSE, "Table 3-58, 3.5.12.5"),
	[0x14] = SPEC_N("ACK_WITH_DATA", SPEC_RETX, "Table 3-58, 3.5.12.5"),
	[0x15] = SPEC_E("INVALID_SYN", SPEC_CLOSE, "Table 3-58, 3.5.8.2"),
	[0x16] = SPEC_F("PDC_MODE_MISMATCH", SPEC_CLOSE, "Table 3-58"),
	[0x17] = { "NEW_START_PSN", SPEC_NORMAL, SPEC_SHIFT, false,
		   SPEC_PAYLOAD_START_PSN, "Table 3-58, 3.5.8.2" },
	[0x18] = SPEC_N("RCVD_SES_PROCG", SPEC_NONE, "Table 3-58, 3.5.12.5"),
	[0x19] = SPEC_F("UNEXP_EVENT", SPEC_CLOSE, "Table 3-58, 3.5.16.4"),
	[0x1a] = SPEC_N("RCVR_INFER_LOSS", SPEC_RETX, "Table 3-58"),
	[0xfd] = SPEC_N("EXP_NACK_NORMAL", SPEC_RETX, "Table 3-58"),
	[0xfe] = SPEC_E("EXP_NACK_ERR", SPEC_RETX, "Table 3-58"),
	[0xff] = SPEC_F("EXP_NACK_FATAL", SPEC_CLOSE, "Table 3-58"),
};

enum spec_nack_code {
	SPEC_NACK_TRIMMED_ACK = 0x03, SPEC_NACK_PSN_OOR_WINDOW = 0x0b,
	SPEC_NACK_INV_DPDCID = 0x0e, SPEC_NACK_INVALID_SYN = 0x15,
	SPEC_NACK_NEW_START_PSN = 0x17,
};

/* End that may send a control packet, Table 3-66. */
enum spec_sender {
	SPEC_EITHER,
	SPEC_INITIATOR,
	SPEC_TARGET,
};

/* Contents of the field psn of a control packet, Table 3-38. */
enum spec_psn {
	SPEC_PSN_ZERO,
	SPEC_PSN_NEXT,		/* the packet takes the next PSN of its direction */
	SPEC_PSN_ASKED,		/* the PSN that the packet asks about */
};

/* Contents of the payload of a control packet, Table 3-66. */
enum spec_cp_payload {
	SPEC_CP_NOTHING,
	SPEC_CP_MESSAGE_ID,	/* in the low 16 bits, or 0 */
	SPEC_CP_CLEAR_PSN,
	SPEC_CP_UNCLEARED_PSN,
	SPEC_CP_SACK_PSN,
	SPEC_CP_CREDIT_VALUE,	/* bits 31 to 8 */
	SPEC_CP_CREDIT_DEMAND,	/* ccc_id in bits 31 to 24, credit_target below */
	SPEC_CP_FEATURES,
};

/**
 * struct spec_ctl - a type of control packet, Table 3-66
 * @name: its name; NULL: reserved
 * @sender: end that may send it
 * @ar: it demands an ACK
 * @syn: it may open a PDC
 * @psn: contents of psn
 * @payload: contents of the payload
 * @cite: section
 */
struct spec_ctl {
	const char *name;
	enum spec_sender sender;
	bool ar;
	bool syn;
	enum spec_psn psn;
	enum spec_cp_payload payload;
	const char *cite;
};

static const struct spec_ctl spec_ctls[16] = {
	[0] = { "NOOP", SPEC_EITHER, true, true, SPEC_PSN_NEXT,
		SPEC_CP_NOTHING, "3.5.16" },
	[1] = { "ACK_REQUEST", SPEC_EITHER, true, false, SPEC_PSN_ASKED,
		SPEC_CP_MESSAGE_ID, "3.5.16" },
	[2] = { "CLEAR_COMMAND", SPEC_EITHER, false, false, SPEC_PSN_ZERO,
		SPEC_CP_CLEAR_PSN, "3.5.16.3" },
	[3] = { "CLEAR_REQUEST", SPEC_EITHER, false, false, SPEC_PSN_ZERO,
		SPEC_CP_UNCLEARED_PSN, "3.5.16.3" },
	[4] = { "CLOSE_COMMAND", SPEC_INITIATOR, true, false, SPEC_PSN_NEXT,
		SPEC_CP_NOTHING, "3.5.16.4" },
	[5] = { "CLOSE_REQUEST", SPEC_TARGET, true, false, SPEC_PSN_NEXT,
		SPEC_CP_NOTHING, "3.5.16.4" },
	[6] = { "PROBE", SPEC_EITHER, true, false, SPEC_PSN_ZERO,
		SPEC_CP_SACK_PSN, "3.5.16" },
	[7] = { "CREDIT", SPEC_EITHER, false, false, SPEC_PSN_ZERO,
		SPEC_CP_CREDIT_VALUE, "Table 3-64" },
	[8] = { "CREDIT_REQUEST", SPEC_EITHER, false, false, SPEC_PSN_ZERO,
		SPEC_CP_CREDIT_DEMAND, "Table 3-65" },
	[9] = { "NEGOTIATION", SPEC_EITHER, true, true, SPEC_PSN_NEXT,
		SPEC_CP_FEATURES, "3.5.16.7" },
};

/**
 * struct spec_rsp - a response opcode, Table 3-18
 * @name: its name without UET_; NULL: reserved
 * @is_gtd: its delivery is guaranteed: stored until cleared, 3.4.3.3
 * @cite: section
 */
struct spec_rsp {
	const char *name;
	bool is_gtd;
	const char *cite;
};

static const struct spec_rsp spec_rsps[64] = {
	[0] = { "DEFAULT", false, "Table 3-18, 3.4.3.3" },
	[1] = { "RESPONSE", true, "Table 3-18, 3.4.3.3" },
	[2] = { "W_DATA", true, "Table 3-18, 3.4.3.3" },
	[3] = { "NO_RESPONSE", false, "Table 3-18, 3.4.3.3" },
};

enum spec_rsp_code {
	SPEC_RSP_DEFAULT = 0,
	SPEC_RSP_NO_RESPONSE = 3,
};

/* Table 3-19 */
#define SPEC_RC_OK		1

/* Table 3-16 */
#define SPEC_NH_NONE		0

/* 3.5.16: the control packet takes a PSN. */
static inline bool spec_takes_psn(uint8_t ctl)
{
	return ctl < 16 && spec_ctls[ctl].name &&
	       spec_ctls[ctl].psn == SPEC_PSN_NEXT;
}

/* 3.4.3.3: an opcode that Table 3-18 leaves free has no exception, so it is stored. */
static inline bool spec_is_gtd(uint8_t rsp_opcode)
{
	return rsp_opcode != SPEC_RSP_DEFAULT &&
	       rsp_opcode != SPEC_RSP_NO_RESPONSE;
}

#endif /* UET_MODEL_SPEC_H */
