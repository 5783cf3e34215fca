-- SPDX-License-Identifier: GPL-2.0
--
-- What the numbers of a UET packet mean, for uet.lua: packet types, next
-- headers, opcodes and their properties, and the names of all codes.  It is the
-- twin of kernel/core/wire/wire_codes.h and wire_tab.c; selftests/unit holds the two
-- against each other.  Where bytes are found in a packet is not known here.
--
-- Spec: UE 1.0.1 3.4, 3.5.10, 3.5.12.7, 3.5.16.

local codes = {}

local function set(...)
	local members = {}
	for _, member in ipairs({ ... }) do
		members[member] = true
	end
	return members
end

-- { "A", "B" } as { [0] = "A", [1] = "B" }
local function from_zero(list)
	local shifted = {}
	for position, name in ipairs(list) do
		shifted[position - 1] = name
	end
	return shifted
end

-- Names for all values to last: those of known, each a string or a row with a
-- name; then those of ranges { first, last, name }; the rest is reserved.
local function names(last, known, ranges)
	local all = {}
	for code = 0, last do
		local row = known[code]
		all[code] = type(row) == "table" and row.name or row
	end
	for _, range in ipairs(ranges or {}) do
		for code = range[1], range[2] do
			all[code] = all[code] or range[3]
		end
	end
	for code = 0, last do
		all[code] = all[code] or "reserved"
	end
	return all
end

-- UE 1.0.1 Table 3-16; len without extension.
codes.next_headers = {
	[0] = { name = "NONE" },
	[1] = { name = "REQUEST_SMALL", kind = "request", form = "small",
		len = 20, truncated = "truncated-ses-small" },
	[2] = { name = "REQUEST_MEDIUM", kind = "request", form = "medium",
		len = 32, truncated = "truncated-ses-medium" },
	[3] = { name = "REQUEST_STD", kind = "request",
		len = 44, truncated = "truncated-ses-standard" },
	[4] = { name = "RESPONSE", kind = "response", form = "plain",
		len = 12, truncated = "truncated-ses-response" },
	[5] = { name = "RESPONSE_DATA", kind = "response", form = "data",
		len = 20, truncated = "truncated-ses-response-data" },
	[6] = { name = "RESPONSE_DATA_SMALL", kind = "response", form = "small",
		len = 12, truncated = "truncated-ses-response-small" },
}

local to_request = set(1, 2, 3)
local forward = set(1, 2, 3, 5, 6)
local to_response = set(4, 5, 6)
local backward = set(0, 4, 5, 6)

-- UE 1.0.1 3.5.10.2: bits of the prologue; the packet type tells which it has.
codes.flag_masks = {
	isrod = 0x20, m = 0x20, retx = 0x10, ar = 0x08, p = 0x08, nt = 0x08,
	syn = 0x04, req = 0x06,
}

local flags = {
	request = { "retx", "ar", "syn" },
	ack = { "m", "retx", "p", "req" },
	nack = { "m", "retx", "nt" },
	cp = { "isrod", "retx", "ar", "syn" },
}

-- UE 1.0.1 Table 3-32; next: which next headers are legal, all without it.
codes.types = {
	[1] = { name = "TSS" },
	[2] = { name = "RUD_REQ", kind = "request", len = 12, next = forward,
		flags = flags.request, truncated = "truncated-request" },
	[3] = { name = "ROD_REQ", kind = "request", len = 12, next = forward,
		flags = flags.request, truncated = "truncated-request" },
	[4] = { name = "RUDI_REQ", kind = "rudi", len = 8, next = to_request,
		flags = { "retx" }, truncated = "truncated-rudi" },
	[5] = { name = "RUDI_RESP", kind = "rudi", len = 8, next = to_response,
		flags = { "m", "retx" }, truncated = "truncated-rudi" },
	[6] = { name = "UUD_REQ", kind = "uud", len = 4, next = to_request,
		flags = {}, truncated = "truncated-uud" },
	[7] = { name = "ACK", kind = "ack", len = 12, next = backward,
		flags = flags.ack, truncated = "truncated-ack" },
	[8] = { name = "ACK_CC", kind = "ack", len = 32, next = backward,
		flags = flags.ack, truncated = "truncated-ack-cc" },
	[9] = { name = "ACK_CCX", kind = "ack", len = 40, next = backward,
		flags = flags.ack, truncated = "truncated-ack-ccx" },
	[10] = { name = "NACK", kind = "nack", len = 16,
		flags = flags.nack, truncated = "truncated-nack" },
	[11] = { name = "CP", kind = "cp", len = 16,
		flags = flags.cp, truncated = "truncated-cp" },
	[12] = { name = "NACK_CCX", kind = "nack", len = 32,
		flags = flags.nack, truncated = "truncated-nack-ccx" },
	[13] = { name = "RUD_CC_REQ", kind = "request", len = 16,
		next = forward, flags = flags.request,
		truncated = "truncated-request-cc" },
	[14] = { name = "ROD_CC_REQ", kind = "request", len = 16,
		next = forward, flags = flags.request,
		truncated = "truncated-request-cc" },
}

-- UE 1.0.1 Tables 3-38 and 3-66; syn: may open a PDC; psn: takes one.
codes.controls = {
	[0] = { name = "NOOP", syn = true, psn = true },
	[1] = { name = "ACK_REQUEST" },
	[2] = { name = "CLEAR_COMMAND" },
	[3] = { name = "CLEAR_REQUEST" },
	[4] = { name = "CLOSE_COMMAND", psn = true },
	[5] = { name = "CLOSE_REQUEST", psn = true },
	[6] = { name = "PROBE" },
	[7] = { name = "CREDIT" },
	[8] = { name = "CREDIT_REQUEST" },
	[9] = { name = "NEGOTIATION", syn = true, psn = true },
}

-- UE 1.0.1 Tables 3-58 and 3-59; class: what it does to the PDC.
local function nacks(class, list)
	for code, name in pairs(list) do
		codes.nacks[code] = { name = name, class = class }
	end
end

codes.nacks = {}
nacks("NORMAL", {
	[0x01] = "TRIMMED", [0x02] = "TRIMMED_LASTHOP", [0x03] = "TRIMMED_ACK",
	[0x04] = "NO_PDC_AVAIL", [0x05] = "NO_CCC_AVAIL", [0x06] = "NO_BITMAP",
	[0x07] = "NO_PKT_BUFFER", [0x08] = "NO_GTD_DEL_AVAIL",
	[0x09] = "NO_SES_MSG_AVAIL", [0x0a] = "NO_RESOURCE",
	[0x0b] = "PSN_OOR_WINDOW", [0x0d] = "ROD_OOO", [0x12] = "PKT_NOT_RCVD",
	[0x14] = "ACK_WITH_DATA", [0x17] = "NEW_START_PSN",
	[0x18] = "RCVD_SES_PROCG", [0x1a] = "RCVR_INFER_LOSS",
	[0xfd] = "EXP_NACK_NORMAL",
})
nacks("PDC_ERR", { [0x15] = "INVALID_SYN", [0xfe] = "EXP_NACK_ERR" })
nacks("PDC_FATAL", {
	[0x0e] = "INV_DPDCID", [0x0f] = "PDC_HDR_MISMATCH", [0x10] = "CLOSING",
	[0x11] = "CLOSING_IN_ERR", [0x13] = "GTD_RESP_UNAVAIL",
	[0x16] = "PDC_MODE_MISMATCH", [0x19] = "UNEXP_EVENT",
	[0xff] = "EXP_NACK_FATAL",
})

-- UE 1.0.1 Table 3-17.  forms: header layouts the opcode may use; data: message
-- bytes follow; single: one packet; partial: may end before request_length;
-- keyed: the 64 bits that others match on are a memory key.
local std = set("std", "nosom")
local std_medium = set("std", "nosom", "medium")
local any = set("std", "nosom", "medium", "small")

codes.opcodes = {
	[0x00] = { name = "NO_OP", forms = std, single = true },
	[0x01] = { name = "WRITE", forms = any, data = true, keyed = true },
	[0x02] = { name = "READ", forms = any, keyed = true },
	[0x03] = { name = "ATOMIC", forms = any, ext = "amo", data = true,
		partial = true, keyed = true },
	[0x04] = { name = "FETCHING_ATOMIC", forms = any, ext = "amo",
		data = true, partial = true, keyed = true },
	[0x05] = { name = "SEND", forms = std_medium, data = true },
	[0x06] = { name = "RENDEZVOUS_SEND", forms = std, ext = "rdv",
		data = true },
	[0x07] = { name = "DATAGRAM_SEND", forms = std_medium, data = true,
		single = true },
	[0x08] = { name = "DEFERRABLE_SEND", forms = set("defer"), data = true,
		partial = true },
	[0x09] = { name = "TAGGED_SEND", forms = std_medium, data = true },
	[0x0a] = { name = "RENDEZVOUS_TSEND", forms = std, ext = "rdv",
		data = true },
	[0x0b] = { name = "DEFERRABLE_TSEND", forms = set("defer"), data = true,
		partial = true },
	[0x0c] = { name = "DEFERRABLE_RTR", forms = set("rtr") },
	[0x0d] = { name = "TSEND_ATOMIC", forms = std_medium, ext = "amo",
		data = true, partial = true },
	[0x0e] = { name = "TSEND_FETCH_ATOMIC", forms = std_medium, ext = "amo",
		data = true, partial = true },
	[0x0f] = { name = "MSG_ERROR", forms = std, partial = true },
}

-- UE 1.0.1 Table 3-18; forms: response layouts that may carry it.
codes.responses = {
	[0] = { name = "DEFAULT", forms = set("plain") },
	[1] = { name = "RESPONSE", forms = set("plain") },
	[2] = { name = "W_DATA", forms = set("data", "small") },
	[3] = { name = "NO_RESPONSE", forms = set("plain") },
}

-- UE 1.0.1 Table 3-21; swap: both operands are in the extension.
codes.atomics = {}
for code, name in pairs(from_zero({
	"MIN", "MAX", "SUM", "DIFF", "PROD", "LOR", "LAND", "BOR", "BAND",
	"LXOR", "BXOR", "READ", "WRITE", "CSWAP", "CSWAP_NE", "CSWAP_LE",
	"CSWAP_LT", "CSWAP_GE", "CSWAP_GT", "MSWAP", "INVAL",
})) do
	local swap = name == "MSWAP" or name:find("^CSWAP") ~= nil
	codes.atomics[code] = { name = name, swap = swap }
end

-- UE 1.0.1 Tables 3-19 and 3-22.
local return_codes = from_zero({
	"NULL", "OK", "BAD_GENERATION", "DISABLED", "DISABLED_GEN", "NO_MATCH",
	"UNSUPPORTED_OP", "UNSUPPORTED_SIZE", "AT_INVALID", "AT_PERM",
	"AT_ATS_ERROR", "AT_NO_TRANS", "AT_OUT_OF_RANGE", "HOST_POISONED",
	"HOST_UNSUCCESS_CMPL", "AMO_UNSUPPORTED_OP", "AMO_UNSUPPORTED_DT",
	"AMO_UNSUPPORTED_SIZE", "AMO_UNALIGNED", "AMO_FP_NAN",
	"AMO_FP_UNDERFLOW", "AMO_FP_OVERFLOW", "AMO_FP_INEXACT",
	"PERM_VIOLATION", "OP_VIOLATION", "BAD_INDEX", "BAD_PID", "BAD_JOB_ID",
	"BAD_MKEY", "BAD_ADDR", "CANCELLED", "UNDELIVERABLE", "UNCOR",
	"UNCOR_TRNSNT", "TOO_LONG", "INITIATOR_ERROR", "DROPPED",
})
return_codes[0x3e] = "EXTENDED"

local datatypes = from_zero({
	"INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64",
	"UINT64", "INT128", "UINT128", "FLOAT", "DOUBLE", "FLOAT_COMPLEX",
	"DOUBLE_COMPLEX", "LONG_DOUBLE", "LDOUBLE_COMPLEX", "BF16", "FP16",
})

-- Bytes of an operand of each type that fits 64 bits.
codes.operand_sizes = from_zero({
	1, 1, 2, 2, 4, 4, 8, 8, false, false, 4, 8, false, false, false, false,
	2, 2,
})

-- Value strings by field.
codes.names = {
	type = names(31, codes.types),
	next_hdr = names(15, codes.next_headers),
	ctl_type = names(15, codes.controls),
	req = from_zero({ "NO_REQUEST", "REQ_CLEAR", "REQ_CLOSE", "reserved" }),
	cc_type = names(15, from_zero({ "NSCC", "CREDIT" }),
		{ { 14, 15, "proprietary" } }),
	nack_code = names(255, codes.nacks),
	opcode = names(63, codes.opcodes,
		{ { 0x30, 0x3e, "vendor" }, { 0x3f, 0x3f, "extended" } }),
	list = from_zero({ "EXPECTED", "OVERFLOW", "vendor", "vendor" }),
	response = names(63, codes.responses, { { 0x30, 0x3f, "vendor" } }),
	return_code = names(63, return_codes, { { 0x30, 0x37, "vendor" } }),
	amo_opcode = names(255, codes.atomics, { { 0xe0, 0xfe, "vendor" } }),
	datatype = names(255, datatypes, { { 0xe0, 0xfe, "vendor" } }),
	neg_type = { [1] = "PDS_NEG_ON_OFF" },
	stream_type = { [1] = "OPEN", [2] = "ACCEPT", [3] = "DATA", [4] = "WINDOW", [5] = "FIN",
		[6] = "RESET", [7] = "PROBE", [15] = "EXTENSION" },
	stream_code = from_zero({ "closed", "refused", "busy", "unknown", "protocol",
		"no memory", "version" }),
	cause = { [1] = "RTO", [2] = "SACK", [3] = "NACK" },
	crc_status = { [0] = "bad", [1] = "good", [2] = "unverified" },
}

return codes
