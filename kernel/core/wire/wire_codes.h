/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code values and sizes of the UET wire format: names and values only.  wire_tab.c says which
 * combinations are legal, and wire_*.c holds the byte positions.
 * Spec: UE 1.0.1 3.4 (SES), 3.5 (PDS), 3.7.11 (TSS).  Level: core L1.
 */
#ifndef UET_CORE_WIRE_CODES_H
#define UET_CORE_WIRE_CODES_H

/* Encapsulation defaults, UE 1.0.1 Table 3-28. */
enum {
	UET_PORT_DEFAULT	= 4793,	/* UDP_Dest_Port */
	UET_IPPROTO_DEFAULT	= 253,	/* IP_Proto_Nxt_Hdr, RFC 3692 */
	UET_SEGMENT_MIN		= 256,	/* payload of a full packet of any peer */
	UET_MTU_MIN		= 1024,	/* payload MTU of our FEPs */
	UET_MTU_DEFAULT		= 4096,
	UET_MTU_MAX		= 8192,
};

/* Header sizes in bytes. */
enum {
	UET_ENTROPY_LEN		= 4,
	UET_CRC_LEN		= 4,
	UET_ICV_LEN		= 16,
	UET_TSS_LEN		= 12,
	UET_TSS_SSI_LEN		= 16,
	UET_PROLOGUE_LEN	= 2,
	UET_REQ_LEN		= 12,
	UET_REQ_CC_LEN		= 16,
	UET_ACK_LEN		= 12,
	UET_ACK_CC_LEN		= 32,
	UET_ACK_CCX_LEN		= 40,
	UET_NACK_LEN		= 16,
	UET_NACK_CCX_LEN	= 32,
	UET_CP_LEN		= 16,
	UET_CP_SHORT_LEN	= 12,	/* accepted, never sent */
	UET_CP_NEG_LEN		= 20,	/* with a PDS_NEG_ON_OFF payload */
	UET_RUDI_LEN		= 8,
	UET_UUD_LEN		= 4,
	UET_PDS_MAX_LEN		= UET_ACK_CCX_LEN,
	UET_SES_COMMON_LEN	= 12,
	UET_SES_STD_LEN		= 44,
	UET_SES_MEDIUM_LEN	= 32,
	UET_SES_SMALL_LEN	= 20,
	UET_EXT_RDV_LEN		= 24,
	UET_EXT_AMO_LEN		= 4,
	UET_EXT_CSWAP_LEN	= 36,
	UET_AMO_OPERANDS_LEN	= UET_EXT_CSWAP_LEN - UET_EXT_AMO_LEN,
	UET_SES_REQ_MAX_LEN	= UET_SES_STD_LEN + UET_EXT_CSWAP_LEN,
	UET_SES_RSP_LEN		= 12,
	UET_SES_RSP_DATA_LEN	= 20,
	UET_SES_RSP_SMALL_LEN	= 12,
	UET_SES_RSP_MAX_LEN	= UET_SES_RSP_DATA_LEN,
};

/* Field limits. */
enum {
	UET_JOB_MAX		= 0xffffff,
	UET_PID_MAX		= 0xfff,
	UET_RI_MAX		= 0xfff,
	UET_SDI_MAX		= 0xffffff,
	UET_PSN_OFFSET_MAX	= 0xfff,
	UET_LEN14_MAX		= 0x3fff,	/* payload_length */
	UET_CREDIT_MAX		= 0xffffff,
	UET_RCVD_BYTES_MAX	= 0xffffff,	/* units of 256 bytes */
	UET_CWND_PEND_MAX	= 127,
	UET_MPR_UNIT		= 128,		/* PSNs per unit of mpr */
};

/* Packet types, UE 1.0.1 Table 3-32; 0 and 15-31 are reserved. */
enum uet_ty {
	UET_TY_TSS		= 1,	/* security header, no packet type of PDS */
	UET_TY_RUD_REQ		= 2,
	UET_TY_ROD_REQ		= 3,
	UET_TY_RUDI_REQ		= 4,
	UET_TY_RUDI_RESP	= 5,
	UET_TY_UUD_REQ		= 6,
	UET_TY_ACK		= 7,
	UET_TY_ACK_CC		= 8,
	UET_TY_ACK_CCX		= 9,
	UET_TY_NACK		= 10,
	UET_TY_CP		= 11,
	UET_TY_NACK_CCX		= 12,
	UET_TY_RUD_CC_REQ	= 13,
	UET_TY_ROD_CC_REQ	= 14,
	UET_TY_NR		= 32,
};

/* pds.next_hdr, UE 1.0.1 Table 3-16; 7-15 are reserved. */
enum uet_nh {
	UET_NH_NONE		= 0,
	UET_NH_REQ_SMALL	= 1,
	UET_NH_REQ_MEDIUM	= 2,
	UET_NH_REQ_STD		= 3,
	UET_NH_RSP		= 4,
	UET_NH_RSP_DATA		= 5,
	UET_NH_RSP_DATA_SMALL	= 6,
	UET_NH_NR		= 16,
};

/* Prologue flags; a bit's meaning depends on the packet type. */
enum uet_pds_flag {
	UET_F_RETX		= 0x10,	/* all but UUD: retransmission */
	UET_F_AR		= 0x08,	/* request, CP: ACK demanded now */
	UET_F_SYN		= 0x04,	/* request, CP: PDC not confirmed */
	UET_F_ISROD		= 0x20,	/* CP: the PDC is ROD */
	UET_F_M			= 0x20,	/* ACK, NACK, RUDI_RESP: CE seen */
	UET_F_P			= 0x08,	/* ACK: answers a Probe */
	UET_F_NT		= 0x08,	/* NACK: refuses a RUDI request */
	UET_F_REQ_MASK		= 0x06,	/* ACK: one of UET_F_REQ_* or 0 */
	UET_F_REQ_CLEAR		= 0x02,	/* Table 3-44 REQ_CLEAR */
	UET_F_REQ_CLOSE		= 0x04,	/* Table 3-44 REQ_CLOSE */
};

/* pdc_info nibble of a SYN packet; any other bit is reserved. */
enum {
	UET_PDC_INFO_RSV	= 0x8,	/* use_rsv_pdc */
	UET_PDC_INFO_MAX	= 0xf,
};

/* Control packet types, UE 1.0.1 Table 3-38; 10-15 are reserved. */
enum uet_ctl {
	UET_CP_NOOP		= 0,
	UET_CP_ACK_REQUEST	= 1,
	UET_CP_CLEAR_COMMAND	= 2,
	UET_CP_CLEAR_REQUEST	= 3,
	UET_CP_CLOSE_COMMAND	= 4,
	UET_CP_CLOSE_REQUEST	= 5,
	UET_CP_PROBE		= 6,
	UET_CP_CREDIT		= 7,
	UET_CP_CREDIT_REQUEST	= 8,
	UET_CP_NEGOTIATION	= 9,
	UET_CP_NR		= 16,
};

/* Parts of a control packet's payload word, UE 1.0.1 Tables 3-64 to 3-66. */
#define UET_CP_PL_MSG_ID	0x0000ffffU	/* ACK_REQUEST */
#define UET_CP_PL_CREDIT	0xffffff00U	/* CREDIT */
#define UET_CP_PL_CCC_ID	0xff000000U	/* CREDIT_REQUEST */
#define UET_CP_PL_TARGET	0x00ffffffU	/* CREDIT_REQUEST */
#define UET_CP_PL_NEG_TLV	0xffff0000U	/* NEGOTIATION: type, length */
#define UET_CP_NEG_ON_OFF	0x01020000U	/* PDS_NEG_ON_OFF, 2 words */

/* ack.cc_type, UE 1.0.1 Table 3-48; 2-13 reserved, 14-15 proprietary. */
enum uet_cc_type {
	UET_CC_NSCC		= 0,
	UET_CC_CREDIT		= 1,
	UET_CC_TYPE_MAX		= 15,
};

/* CC field values with a special meaning. */
enum {
	UET_SERVICE_TIME_NONE	= 0,		/* not valid */
	UET_SERVICE_TIME_OVER	= 0xffff,	/* more than 8.388 ms */
	UET_SERVICE_TIME_NS	= 128,		/* unit */
	UET_OOO_COUNT_NONE	= 0xffff,	/* not provided */
};

/* NACK codes, UE 1.0.1 Table 3-58. */
enum uet_nack_code {
#define UET_NACK(name, code, class, syn_sent, open, rod, rudi)		\
	UET_NACK_##name = (code),
#include "core/nack.def"
#undef UET_NACK
};

/* SES request opcodes, UE 1.0.1 Table 3-17. */
enum uet_opcode {
#define UET_OPCODE(name, code, forms, ext, flags) UET_OP_##name = (code),
#include "core/opcode.def"
#undef UET_OPCODE
	UET_OP_VENDOR_FIRST		= 0x30,
	UET_OP_EXTENDED			= 0x3f,
	UET_OP_NR			= 64,
};

/* SES response opcodes, UE 1.0.1 Table 3-18. */
enum uet_rsp {
	UET_RSP_DEFAULT		= 0x00,
	UET_RSP_RESPONSE	= 0x01,
	UET_RSP_W_DATA		= 0x02,
	UET_RSP_NO_RESPONSE	= 0x03,
	UET_RSP_VENDOR_FIRST	= 0x30,
	UET_RSP_MAX		= 0x3f,
};

/* ses.list of a response, UE 1.0.1 Table 3-11; 2-3 are vendor-specific. */
enum uet_list {
	UET_LIST_EXPECTED	= 0,
	UET_LIST_OVERFLOW	= 1,
	UET_LIST_MAX		= 3,
};

/* SES return codes, UE 1.0.1 Table 3-19. */
enum uet_rc {
	UET_RC_NULL			= 0x00,
	UET_RC_OK			= 0x01,
	UET_RC_BAD_GENERATION		= 0x02,
	UET_RC_DISABLED			= 0x03,
	UET_RC_DISABLED_GEN		= 0x04,
	UET_RC_NO_MATCH			= 0x05,
	UET_RC_UNSUPPORTED_OP		= 0x06,
	UET_RC_UNSUPPORTED_SIZE		= 0x07,
	UET_RC_AT_INVALID		= 0x08,
	UET_RC_AT_PERM			= 0x09,
	UET_RC_AT_ATS_ERROR		= 0x0a,
	UET_RC_AT_NO_TRANS		= 0x0b,
	UET_RC_AT_OUT_OF_RANGE		= 0x0c,
	UET_RC_HOST_POISONED		= 0x0d,
	UET_RC_HOST_UNSUCCESS_CMPL	= 0x0e,
	UET_RC_AMO_UNSUPPORTED_OP	= 0x0f,
	UET_RC_AMO_UNSUPPORTED_DT	= 0x10,
	UET_RC_AMO_UNSUPPORTED_SIZE	= 0x11,
	UET_RC_AMO_UNALIGNED		= 0x12,
	UET_RC_AMO_FP_NAN		= 0x13,
	UET_RC_AMO_FP_UNDERFLOW		= 0x14,
	UET_RC_AMO_FP_OVERFLOW		= 0x15,
	UET_RC_AMO_FP_INEXACT		= 0x16,
	UET_RC_PERM_VIOLATION		= 0x17,
	UET_RC_OP_VIOLATION		= 0x18,
	UET_RC_BAD_INDEX		= 0x19,
	UET_RC_BAD_PID			= 0x1a,
	UET_RC_BAD_JOB_ID		= 0x1b,
	UET_RC_BAD_MKEY			= 0x1c,
	UET_RC_BAD_ADDR			= 0x1d,
	UET_RC_CANCELLED		= 0x1e,
	UET_RC_UNDELIVERABLE		= 0x1f,
	UET_RC_UNCOR			= 0x20,
	UET_RC_UNCOR_TRNSNT		= 0x21,
	UET_RC_TOO_LONG			= 0x22,
	UET_RC_INITIATOR_ERROR		= 0x23,
	UET_RC_DROPPED			= 0x24,
	UET_RC_VENDOR_FIRST		= 0x30,
	UET_RC_EXTENDED			= 0x3e,
	UET_RC_MAX			= 0x3f,
};

/* Atomic opcodes, UE 1.0.1 Table 3-21; 0x15-0xdf reserved, 0xe0 up vendor. */
enum uet_amo {
	UET_AMO_MIN		= 0x00,
	UET_AMO_MAX		= 0x01,
	UET_AMO_SUM		= 0x02,
	UET_AMO_DIFF		= 0x03,
	UET_AMO_PROD		= 0x04,
	UET_AMO_LOR		= 0x05,
	UET_AMO_LAND		= 0x06,
	UET_AMO_BOR		= 0x07,
	UET_AMO_BAND		= 0x08,
	UET_AMO_LXOR		= 0x09,
	UET_AMO_BXOR		= 0x0a,
	UET_AMO_READ		= 0x0b,
	UET_AMO_WRITE		= 0x0c,
	UET_AMO_CSWAP		= 0x0d,
	UET_AMO_CSWAP_NE	= 0x0e,
	UET_AMO_CSWAP_LE	= 0x0f,
	UET_AMO_CSWAP_LT	= 0x10,
	UET_AMO_CSWAP_GE	= 0x11,
	UET_AMO_CSWAP_GT	= 0x12,
	UET_AMO_MSWAP		= 0x13,
	UET_AMO_INVAL		= 0x14,
	UET_AMO_NR		= 0x15,
};

/* Atomic datatypes, UE 1.0.1 Table 3-22; 0xe0-0xfe are vendor-specific. */
enum uet_dt {
	UET_DT_INT8		= 0x00,
	UET_DT_UINT8		= 0x01,
	UET_DT_INT16		= 0x02,
	UET_DT_UINT16		= 0x03,
	UET_DT_INT32		= 0x04,
	UET_DT_UINT32		= 0x05,
	UET_DT_INT64		= 0x06,
	UET_DT_UINT64		= 0x07,
	UET_DT_INT128		= 0x08,
	UET_DT_UINT128		= 0x09,
	UET_DT_FLOAT		= 0x0a,
	UET_DT_DOUBLE		= 0x0b,
	UET_DT_FLOAT_COMPLEX	= 0x0c,
	UET_DT_DOUBLE_COMPLEX	= 0x0d,
	UET_DT_LONG_DOUBLE	= 0x0e,
	UET_DT_LDOUBLE_COMPLEX	= 0x0f,
	UET_DT_BF16		= 0x10,
	UET_DT_FP16		= 0x11,
	UET_DT_NR		= 0x12,
};

/* Semantic control of an atomic, UE 1.0.1 Table 3-23; others reserved. */
enum {
	UET_AMO_CTL_CACHEABLE	= 0x01,
	UET_AMO_CTL_COHERENT	= 0x02,
};

/* Bits of a memory key, UE 1.0.1 Table 2-13. */
#define UET_KEY_IDEMPOTENT_SAFE	0x8000000000000000ULL	/* RUDI allowed */
#define UET_KEY_OPTIMIZED	0x4000000000000000ULL	/* fits a SMALL header */
#define UET_KEY_SMALL_RKEY	0x0000000000000fffULL	/* RKEY of such a key */

#endif /* UET_CORE_WIRE_CODES_H */
