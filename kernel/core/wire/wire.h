/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packet codec: one host-order struct per header, and functions that decode bytes into the
 * struct and encode it again.  No code overlays structs on packet bytes, and only wire_*.c
 * contains header offsets.  A decoder checks each length and each combination of fields once,
 * and returns a drop reason.  It keeps no state and does not judge sequence numbers.
 *
 *  - Any context; buffers need no alignment.
 *  - Decode zeroes the struct, ignores reserved bits, and reads @len bytes at most, up to the
 *    end of the packet without trailer.  On success *consumed is the length of the header, on
 *    error untouched.
 *  - Encode writes reserved bits as 0 and returns the header length; 0 when @space is too small,
 *    a field does not fit or the combination is illegal.  UET_*_MAX_LEN always suffice.  Fields
 *    that the header form does not have are ignored.
 *  - Decode accepts everything that encode produces and yields the same struct.
 *
 * Spec: UE 1.0.1 3.4, 3.5.10, 3.6.9, 3.7.11.  Level: core L1.
 */
#ifndef UET_CORE_WIRE_H
#define UET_CORE_WIRE_H

#include "core/shim.h"
#include "wire_codes.h"
#include "wire_tab.h"

/* ------------------------------------------------------------------ PDS */

/*
 * struct uet_req - RUD and ROD request, with or without CC state (UE 1.0.1 Tables 3-33 and 3-34)
 * @clear_off: CLEAR_PSN = @psn + @clear_off; never positive; 0 counts as -1
 * @pdc_info: UET_PDC_INFO_*, 4 bits; SYN set only
 * @psn_offset: @psn - Start_PSN, 12 bits; SYN set only
 * @credit_target: backlog for which the sender demands credit, 24 bits; *_CC_REQ only
 */
struct uet_req {
	s16 clear_off;
	u32 psn;
	u16 spdcid;
	u16 dpdcid;
	u8 pdc_info;
	u16 psn_offset;
	u8 ccc_id;
	u32 credit_target;
};

/*
 * struct uet_ack_nscc - ack_cc_state of cc_type UET_CC_NSCC (UE 1.0.1 Table 3-74)
 * @service_time: time in the destination, units of 128 ns; UET_SERVICE_TIME_*
 * @rcv_cwnd_pend: receiver penalty, 0..127
 * @rcvd_bytes: new data received on the PDC, units of 256 bytes, 24 bits, wraps
 */
struct uet_ack_nscc {
	u16 service_time;
	bool restore_cwnd;
	u8 rcv_cwnd_pend;
	u32 rcvd_bytes;
	u16 ooo_count;
};

/**
 * struct uet_ack_credit - ack_cc_state of cc_type UET_CC_CREDIT (UE 1.0.1 Table 3-75)
 * @credit: 24 bits
 * @ooo_count: momentary out-of-order count or UET_OOO_COUNT_NONE
 */
struct uet_ack_credit {
	u32 credit;
	u16 ooo_count;
};

/*
 * struct uet_ack - ACK, ACK_CC and ACK_CCX (UE 1.0.1 Tables 3-35 to 3-37)
 * @ack_off: ACK_PSN = @cack_psn + @ack_off; flag P clear only
 * @probe_opaque: copied from the Probe; flag P set only
 * @cc_type: UET_CC_*, or ccx_type of an ACK_CCX; 4 bits; as all below, not in a plain ACK
 * @cc_flags: 4 bits, none defined: send 0, ignore
 * @mpr: MP_RANGE in units of UET_MPR_UNIT
 * @sack_off: bitmap base PSN = @cack_psn + @sack_off
 * @sack_bitmap: bit i (0 least significant) set: base + i received
 * @state: of an ACK_CC by @cc_type, of unknown ones 8 bytes of raw; of an ACK_CCX 16 bytes
 *	of raw, in wire order
 */
struct uet_ack {
	s16 ack_off;
	u16 probe_opaque;
	u32 cack_psn;
	u16 spdcid;
	u16 dpdcid;
	u8 cc_type;
	u8 cc_flags;
	u8 mpr;
	s16 sack_off;
	u64 sack_bitmap;
	union {
		struct uet_ack_nscc nscc;
		struct uet_ack_credit credit;
		u8 raw[16];
	} state;
};

/*
 * struct uet_nack - NACK and NACK_CCX (UE 1.0.1 Tables 3-40 and 3-41)
 * @code: unknown codes are delivered, see uet_wire_nack()
 * @psn: refused PSN, or pkt_id of the refused RUDI packet (flag NT)
 * @spdcid: of the sender of the NACK; 0 without a PDC, and with NT
 * @dpdcid: spdcid of the refused packet; 0 with NT
 * @payload: by code: Start_PSN, Expected_PSN, else 0
 * @ccx: NACK_CCX only: nccx_type in the high nibble of the first byte, then state
 */
struct uet_nack {
	u8 code;
	u8 vendor;
	u32 psn;
	u16 spdcid;
	u16 dpdcid;
	u32 payload;
	u8 ccx[16];
};

/*
 * struct uet_cp - control packet, its subtype in next_hdr (UE 1.0.1 Tables 3-38, 3-66)
 * @probe_opaque: PROBE: value to be echoed
 * @psn: see uet_wire_ctl(): next PSN, queried PSN, or 0
 * @pdc_info: UET_PDC_INFO_*, 4 bits; SYN set only
 * @psn_offset: @psn - Start_PSN, 12 bits; SYN set only
 * @payload: by subtype, UET_CP_PL_*; 0 if the sender used the 12-byte form
 * @neg_mask: NEGOTIATION whose payload is UET_CP_NEG_ON_OFF: feature mask
 */
struct uet_cp {
	u16 probe_opaque;
	u32 psn;
	u16 spdcid;
	u16 dpdcid;
	u8 pdc_info;
	u16 psn_offset;
	u32 payload;
	u32 neg_mask;
};

/**
 * struct uet_rudi - RUDI request and response (UE 1.0.1 Table 3-39)
 * @pkt_id: unique at the sender while outstanding, echoed by the response
 */
struct uet_rudi {
	u32 pkt_id;
};

/**
 * struct uet_pds_hdr - any PDS header (UE 1.0.1 3.5.10)
 * @type: enum uet_ty, selects the member of @u; a UUD_REQ has none
 * @next_hdr: enum uet_nh; for UET_TY_CP the ctl_type, enum uet_ctl
 * @flags: UET_F_*; bits reserved for @type read as 0
 * @u: PDCIDs are those of the sender, never 0 except in a NACK, and of the receiver
 */
struct uet_pds_hdr {
	u8 type;
	u8 next_hdr;
	u8 flags;
	union {
		struct uet_req req;
		struct uet_ack ack;
		struct uet_nack nack;
		struct uet_cp cp;
		struct uet_rudi rudi;
	} u;
};

/* 0..31, not validated: tells a security header (UET_TY_TSS) from a PDS header. */
static inline u8 uet_wire_type(const u8 *buf)
{
	return buf[0] >> 3;
}

enum uet_drop uet_wire_pds_decode(const u8 *buf, size_t len,
				  struct uet_pds_hdr *hdr, size_t *consumed);
size_t uet_wire_pds_encode(const struct uet_pds_hdr *hdr, u8 *buf, size_t space);

/* ------------------------------------------------------------------ SES */

/* Layout of a SES request; the first four share next_hdr UET_NH_REQ_STD. */
enum uet_ses_form {
	UET_SES_STD,		/* som set: header_data */
	UET_SES_STD_NOSOM,	/* som clear: payload_length, message_offset */
	UET_SES_DEFER,		/* restart tokens instead of buffer_offset */
	UET_SES_RTR,		/* restart tokens instead of match_bits */
	UET_SES_MEDIUM,
	UET_SES_SMALL,
	UET_SES_FORM_NR,
};

/* Extension header behind a SES request. */
enum uet_ses_ext {
	UET_EXT_NONE,
	UET_EXT_RDV,
	UET_EXT_AMO,
	UET_EXT_CSWAP,		/* atomic operation with two operands */
};

/*
 * struct uet_ses_rdv - rendezvous extension (UE 1.0.1 Figure 3-15)
 * @pid: PIDonFEP to read from, 12 bits
 * @ri: resource index to read from, 12 bits
 */
struct uet_ses_rdv {
	u32 eager_length;
	u8 ri_gen;
	u16 pid;
	u16 ri;
	u64 offset;
	u64 key;
};

/*
 * struct uet_ses_amo - atomic and compare-and-swap extensions (UE 1.0.1 Figures 3-16 and 3-17)
 * @datatype: enum uet_dt, not validated
 * @control: UET_AMO_CTL_* and vendor bits
 * @compare: UET_EXT_CSWAP: compare value or mask, 128 bits big-endian; @swap likewise
 */
struct uet_ses_amo {
	u8 opcode;
	u8 datatype;
	u8 control;
	u8 compare[16];
	u8 swap[16];
};

/*
 * struct uet_ses_req - any SES request header (UE 1.0.1 Figures 3-9 to 3-17)
 * @dc: delivery complete: answer once the data is globally visible
 * @ie: initiator error: the payload is unusable
 * @hd: header data present; not in SMALL
 * @ext: enum uet_ses_ext, which member of @x is valid
 * @msg_id: 0 = not valid; not in MEDIUM and SMALL
 * @ri_gen: generation of the resource index, 0 = unused
 * @job: 24 bits
 * @pid: PIDonFEP of the target, 12 bits
 * @ri: resource index, or the 12-bit RKEY of an optimized key
 * @offset: buffer_offset; STD, STD_NOSOM, RTR, SMALL, and MEDIUM without hd
 * @initiator: initiator id; not in SMALL
 * @match: match bits or memory key; not in RTR and SMALL
 * @header_data: completion data, meaningful with hd; STD, DEFER with som, RTR, MEDIUM with hd
 * @payload_length: message bytes of this packet, 14 bits; som clear only (STD_NOSOM, DEFER)
 * @message_offset: offset of these bytes in the message; som clear only
 * @request_length: bytes of the whole message; 14 bits in MEDIUM and SMALL
 * @init_token: restart token of the sender of the deferrable send; DEFER, RTR
 * @tgt_token: restart token of the target of the deferrable send; DEFER, RTR
 */
struct uet_ses_req {
	u8 form;
	u8 opcode;
	u8 version;
	bool dc;
	bool ie;
	bool rel;
	bool hd;
	bool eom;
	bool som;
	u8 ext;
	u16 msg_id;
	u8 ri_gen;
	u32 job;
	u16 pid;
	u16 ri;
	u64 offset;
	u32 initiator;
	u64 match;
	u64 header_data;
	u16 payload_length;
	u32 message_offset;
	u32 request_length;
	u32 init_token;
	u32 tgt_token;
	union {
		struct uet_ses_rdv rdv;
		struct uet_ses_amo amo;
	} x;
};

/* Layout of a SES response, one per next_hdr. */
enum uet_rsp_form {
	UET_RSP_FORM_PLAIN,	/* UET_NH_RSP */
	UET_RSP_FORM_DATA,	/* UET_NH_RSP_DATA */
	UET_RSP_FORM_SMALL,	/* UET_NH_RSP_DATA_SMALL */
	UET_RSP_FORM_NR,
};

/*
 * struct uet_ses_rsp - any SES response header (UE 1.0.1 Tables 3-11 to 3-13)
 * @list: enum uet_list, 2 bits
 * @rc: enum uet_rc, 6 bits; reserved codes are delivered
 * @msg_id: PLAIN: of the request; DATA: of the response, in practice of the request, may be 0
 * @ri_gen: current generation; PLAIN
 * @modified_length: bytes of target memory changed; PLAIN, DATA
 * @payload_length: data bytes of this packet, 14 bits; DATA, SMALL
 * @message_offset: offset of these bytes in the message; DATA
 * @read_msg_id: message id of the read request; DATA
 * @orig_psn: PSN of the read request; SMALL
 * @data: no field of the header: of callers that pass the response on with its data
 */
struct uet_ses_rsp {
	u8 form;
	u8 list;
	u8 opcode;
	u8 version;
	u8 rc;
	u16 msg_id;
	u8 ri_gen;
	u32 job;
	u32 modified_length;
	u16 payload_length;
	u32 message_offset;
	u16 read_msg_id;
	u32 orig_psn;
	const u8 *data;
};

/* 0..63, not validated: limits the length of a header whose bytes are not all there. */
static inline u8 uet_wire_ses_opcode(const u8 *buf)
{
	return buf[0] & UET_OP_EXTENDED;
}

enum uet_drop uet_wire_ses_req_decode(u8 next_hdr, const u8 *buf, size_t len,
				      struct uet_ses_req *req, size_t *consumed);
size_t uet_wire_ses_req_encode(const struct uet_ses_req *req, u8 *buf, size_t space);
u8 uet_wire_ses_req_nh(const struct uet_ses_req *req);
u8 uet_wire_amo_ext(u8 opcode);
size_t uet_wire_ext_len(u8 ext);
enum uet_drop uet_wire_ses_payload(const struct uet_ses_req *req, size_t remaining, size_t *len);

enum uet_drop uet_wire_ses_rsp_decode(u8 next_hdr, const u8 *buf, size_t len,
				      struct uet_ses_rsp *rsp, size_t *consumed);
size_t uet_wire_ses_rsp_encode(const struct uet_ses_rsp *rsp, u8 *buf, size_t space);
u8 uet_wire_ses_rsp_nh(const struct uet_ses_rsp *rsp);
enum uet_drop uet_wire_ses_rsp_payload(const struct uet_ses_rsp *rsp,
				       size_t remaining, size_t *len);

/* ------------------------------------------------------------------- runs */

/**
 * struct uet_run_form - places in the SES header of packets that may be a run
 * @len: length of the header, bytes
 * @length: of payload_length
 * @offset: of message_offset
 */
struct uet_run_form {
	u8 len;
	u8 length;
	u8 offset;
};

const struct uet_run_form *uet_wire_run_form(u8 next_hdr);
void uet_wire_req_next(u8 *buf, const struct uet_req *req, u32 message_offset);
bool uet_wire_may_skip(const u8 *buf, u32 len);
void uet_wire_req_skip(u8 *buf, u32 n);

/*
 * struct uet_wire_run - consecutive packets of a message, or of the data of a READ
 * @psn: of the last one, as @clear_psn and @offset, its message_offset
 * @tgt_token: restart token of the target; 0 without one
 * @len: bytes of the message in each, or that each requests; 0: no packet yet
 * @payload: of each, bytes: @len, or 0
 * @next_hdr: UET_NH_REQ_STD or UET_NH_RSP_DATA
 * @head: PDS and SES header of the first one
 */
struct uet_wire_run {
	u32 psn;
	u32 clear_psn;
	u32 offset;
	u32 request_length;
	u32 tgt_token;
	u16 len;
	u16 payload;
	u16 msg_id;
	u8 pds_len;
	u8 head_len;
	u8 next_hdr;
	u8 head[UET_REQ_CC_LEN + UET_SES_STD_LEN];
};

bool uet_wire_run_begin(struct uet_wire_run *run, const struct uet_pds_hdr *hdr,
			const struct uet_ses_req *req, u32 payload, const u8 *head);
bool uet_wire_run_begin_data(struct uet_wire_run *run, const struct uet_pds_hdr *hdr,
			     const struct uet_ses_rsp *rsp, u32 total, const u8 *head);
bool uet_wire_run_pdcid(const u8 *head, u32 len, u16 *dpdcid);
bool uet_wire_run_next(struct uet_wire_run *run, const u8 *head, u32 n);

/* ------------------------------------- security, entropy and CRC trailer */

/*
 * struct uet_tss_hdr - security header (UE 1.0.1 Table 3-90)
 * @an: association number: which of two keys, 0 or 1
 * @sdi: secure domain identifier, 24 bits
 * @tsc: packet counter, 48 bits
 */
struct uet_tss_hdr {
	bool has_ssi;
	u8 an;
	u32 sdi;
	u32 ssi;
	u16 epoch;
	u64 tsc;
};

enum uet_drop uet_wire_tss_decode(const u8 *buf, size_t len,
				  struct uet_tss_hdr *tss, size_t *consumed);
size_t uet_wire_tss_encode(const struct uet_tss_hdr *tss, u8 *buf, size_t space);
size_t uet_wire_entropy_encode(u16 ev, u8 *buf, size_t space);

static inline enum uet_drop uet_wire_entropy_decode(const u8 *buf, size_t len, u16 *ev,
						    size_t *consumed)
{
	if (len < UET_ENTROPY_LEN)
		return UET_DROP_TRUNC_ENTROPY;
	*ev = get_unaligned_be16(buf);
	*consumed = UET_ENTROPY_LEN;
	return UET_DROP_NONE;
}

/* The CRC-32C in the last UET_CRC_LEN bytes, most significant byte first (UE 1.0.1 3.5.25). */
static inline u32 uet_wire_crc_get(const u8 *trailer)
{
	return get_unaligned_be32(trailer);
}

static inline void uet_wire_crc_put(u32 crc, u8 *trailer)
{
	put_unaligned_be32(crc, trailer);
}

#endif /* UET_CORE_WIRE_H */
