-- SPDX-License-Identifier: GPL-2.0
--
-- Every field that uet.lua can show, by its filter name without the prefix, and
-- the remarks it can make.  Where they stand in a packet is the business of
-- uet_pds.lua and uet_ses.lua, and of uet.lua for what surrounds these two.

local uet = ...
if type(uet) ~= "table" then
	return -- a part of uet.lua only
end

local prefix, names = uet.prefix, uet.codes.names
local masks = uet.codes.flag_masks
local DEC, HEX = base.DEC, base.HEX

local f = {}

-- NAME is the filter name; what follows a colon tells apart fields that share
-- one because they mean the same in different places.
local function field(name, kind, label, ...)
	local abbrev = prefix .. "." .. name:gsub(":.*", "")
	f[name] = ProtoField[kind](abbrev, label, ...)
end

field("drop", "string", "A receiver drops this")
field("entropy", "uint16", "Entropy")
field("burst.count", "uint8", "Packets of the burst")
field("payload", "bytes", "Payload")
field("payload_length", "uint32", "Payload length")
field("ignored", "bytes", "Bytes without a meaning")
field("crc", "uint32", "CRC", HEX)
field("crc.status", "uint8", "CRC status", DEC, names.crc_status)
field("crc.computed", "uint32", "Computed CRC", HEX)
field("request_in", "framenum", "Answers the packet in frame", base.NONE,
	frametype.ACK)
field("answer_in", "framenum", "Answered in frame", base.NONE, frametype.ACK)
field("answer_time", "relative_time", "Time since the packet answered")

field("stream", "uint32", "Stream, a PDC")
field("retx.cause", "uint8", "Sent again because of", DEC, names.cause)
field("retx.frame", "framenum", "Sent before in frame", base.NONE,
	frametype.RETRANS_PREV)
field("retx.time", "relative_time", "Time since it was sent before")
field("retx.spurious", "bool", "It had been acknowledged before")
field("duplicate", "bool", "The same packet was captured before")

field("tss", "none", "TSS header")
field("tss.type", "uint8", "Type", DEC, names.type, 0xf8)
field("tss.sp", "bool", "Source identifier present", 8, nil, 0x04)
field("tss.an", "uint8", "Association number", DEC, nil, 0x01)
field("tss.sdi", "uint24", "Secure domain identifier")
field("tss.ssi", "uint32", "Source identifier")
field("tss.epoch", "uint16", "Epoch")
field("tss.tsc", "uint64", "Counter")
field("tss.encrypted", "bytes", "Encrypted packet")
field("tss.icv", "bytes", "Integrity check value")

field("pds", "none", "PDS header")
field("pds.type", "uint16", "Type", DEC, names.type, 0xf800)
field("pds.next_hdr", "uint16", "Next header", DEC, names.next_hdr, 0x0780)
field("pds.ctl_type", "uint16", "Control type", DEC, names.ctl_type, 0x0780)
field("pds.flags", "uint16", "Flags", HEX, nil, 0x007f)
field("pds.flags.retx", "bool", "Retransmission", 16, nil, masks.retx)
field("pds.flags.ar", "bool", "ACK requested", 16, nil, masks.ar)
field("pds.flags.syn", "bool", "SYN", 16, nil, masks.syn)
field("pds.flags.isrod", "bool", "PDC is ROD", 16, nil, masks.isrod)
field("pds.flags.m", "bool", "Congestion mark seen", 16, nil, masks.m)
field("pds.flags.p", "bool", "Answers a Probe", 16, nil, masks.p)
field("pds.flags.req", "uint16", "Request to the receiver", DEC, names.req,
	masks.req)
field("pds.flags.nt", "bool", "Refuses a RUDI packet", 16, nil, masks.nt)
field("pds.clear_psn_offset", "int16", "CLEAR_PSN offset")
field("pds.clear_psn", "uint32", "CLEAR_PSN")
field("pds.psn", "uint32", "PSN")
field("pds.start_psn", "uint32", "Start_PSN")
field("pds.relative_psn", "uint32", "PSN, from Start_PSN on")
field("pds.relative_cack_psn", "uint32", "CACK_PSN, from Start_PSN on")
field("pds.relative_ack_psn", "uint32", "ACK_PSN, from Start_PSN on")
field("pds.spdcid", "uint16", "Source PDCID")
field("pds.dpdcid", "uint16", "Destination PDCID")
field("pds.pdc_info", "uint16", "PDC info", HEX, nil, 0xf000)
field("pds.use_rsv_pdc", "bool", "From the reserved pool", 16, nil, 0x8000)
field("pds.psn_offset", "uint16", "PSN offset", DEC, nil, 0x0fff)
field("pds.ccc_id", "uint8", "CCC ID")
field("pds.credit_target", "uint24", "Credit target")
field("pds.ack_psn_offset", "int16", "ACK_PSN offset")
field("pds.ack_psn", "uint32", "ACK_PSN")
field("pds.probe_opaque", "uint16", "Probe opaque", HEX)
field("pds.cack_psn", "uint32", "CACK_PSN")
field("pds.cc_type", "uint8", "CC type", DEC, names.cc_type, 0xf0)
field("pds.ccx_type", "uint8", "CCX type", DEC, nil, 0xf0)
field("pds.cc_flags", "uint8", "CC flags", HEX, nil, 0x0f)
field("pds.mpr", "uint8", "Maximum PSN range")
field("pds.mpr_psns", "uint32", "Maximum PSN range in packets")
field("pds.sack_psn_offset", "int16", "SACK_PSN offset")
field("pds.sack_psn", "uint32", "SACK_PSN")
field("pds.sack_bitmap", "uint64", "SACK bitmap", HEX)
field("pds.sacked_psn", "uint32", "PSN received")
field("pds.service_time", "uint16", "Service time")
field("pds.service_time_ns", "uint32", "Service time in ns")
field("pds.restore_cwnd", "bool", "Restore cwnd", 8, nil, 0x80)
field("pds.rcv_cwnd_pend", "uint8", "Receiver penalty", DEC, nil, 0x7f)
field("pds.rcvd_bytes", "uint24", "Received, units of 256 bytes")
field("pds.ooo_count", "uint16", "Out-of-order count")
field("pds.credit", "uint24", "Credit")
field("pds.cc_state", "bytes", "CC state")
field("pds.nack_code", "uint8", "NACK code", HEX, names.nack_code)
field("pds.nack_class", "string", "Error class")
field("pds.vendor_code", "uint8", "Vendor code", HEX)
field("pds.nack_psn", "uint32", "PSN refused")
field("pds.nack_pkt_id", "uint32", "RUDI packet refused")
field("pds.nack_payload", "uint32", "NACK payload", HEX)
field("pds.expected_psn", "uint32", "Expected_PSN")
field("pds.nccx_type", "uint8", "NCCX type", DEC, nil, 0xf0)
field("pds.nccx_state", "bytes", "NCCX type and state")
field("pds.cp_payload", "uint32", "Payload", HEX)
field("pds.message_id", "uint16", "Message id")
field("pds.neg_type", "uint8", "Negotiation type", DEC, names.neg_type)
field("pds.neg_length", "uint8", "Negotiation length in words")
field("pds.neg_mask", "uint32", "Feature mask", HEX)
field("pds.pkt_id", "uint32", "Packet id")

field("ses", "none", "SES header")
field("ses.opcode", "uint8", "Opcode", HEX, names.opcode, 0x3f)
field("ses.version", "uint8", "Version", DEC, nil, 0xc0)
field("ses.dc", "bool", "Delivery complete", 8, nil, 0x20)
field("ses.ie", "bool", "Initiator error", 8, nil, 0x10)
field("ses.rel", "bool", "Relative addressing", 8, nil, 0x08)
field("ses.hd", "bool", "Header data present", 8, nil, 0x04)
field("ses.eom", "bool", "End of message", 8, nil, 0x02)
field("ses.som", "bool", "Start of message", 8, nil, 0x01)
field("ses.message_id", "uint16", "Message id")
field("ses.request_length:14", "uint16", "Request length", DEC, nil, 0x3fff)
field("ses.request_length", "uint32", "Request length")
field("ses.ri_generation", "uint8", "Resource index generation")
field("ses.job", "uint24", "JobID")
field("ses.pid", "uint16", "PIDonFEP", DEC, nil, 0x0fff)
field("ses.ri", "uint16", "Resource index", DEC, nil, 0x0fff)
field("ses.buffer_offset", "uint64", "Buffer offset", HEX)
field("ses.initiator", "uint32", "Initiator")
field("ses.match_bits", "uint64", "Match bits", HEX)
field("ses.memory_key", "uint64", "Memory key", HEX)
field("ses.header_data", "uint64", "Header data", HEX)
field("ses.payload_length", "uint16", "Payload length", DEC, nil, 0x3fff)
field("ses.message_offset", "uint32", "Message offset")
field("ses.initiator_token", "uint32", "Initiator restart token", HEX)
field("ses.target_token", "uint32", "Target restart token", HEX)
field("ses.stream", "none", "Stream")
field("ses.stream.version", "uint8", "Version", DEC, nil, 0xf0)
field("ses.stream.type", "uint8", "Type", DEC, names.stream_type, 0x0f)
field("ses.stream.to", "uint32", "Connection id of the receiver", HEX, nil, 0xfffffff0)
field("ses.stream.from", "uint32", "Connection id of the sender", HEX, nil, 0x0fffffff)
field("ses.stream.from_port", "uint16", "Port of the sender")
field("ses.stream.to_port", "uint16", "Port of the receiver")
field("ses.stream.offset", "uint32", "Offset")
field("ses.stream.code", "uint32", "Reason", DEC, names.stream_code)
field("ses.stream.edge", "uint32", "Window edge")
field("ses.rdv", "none", "Rendezvous extension")
field("ses.rdv.eager_length", "uint32", "Eager length")
field("ses.rdv.ri_generation", "uint8", "Resource index generation")
field("ses.rdv.pid", "uint24", "PIDonFEP to read from", DEC, nil, 0xfff000)
field("ses.rdv.ri", "uint24", "Resource index to read from", DEC, nil,
	0x000fff)
field("ses.rdv.offset", "uint64", "Read buffer offset", HEX)
field("ses.rdv.key", "uint64", "Read memory key", HEX)
field("ses.amo", "none", "Atomic extension")
field("ses.amo.opcode", "uint8", "Atomic opcode", HEX, names.amo_opcode)
field("ses.amo.datatype", "uint8", "Datatype", HEX, names.datatype)
field("ses.amo.control", "uint8", "Semantic control", HEX)
field("ses.amo.cacheable", "bool", "Cacheable", 8, nil, 0x01)
field("ses.amo.coherent", "bool", "CPU coherent", 8, nil, 0x02)
field("ses.amo.compare", "bytes", "Compare value or mask")
field("ses.amo.swap", "bytes", "Swap value")
field("ses.amo.operand", "uint64", "First operand", HEX)
field("ses.rsp.list", "uint8", "List", DEC, names.list, 0xc0)
field("ses.rsp.opcode", "uint8", "Response opcode", HEX, names.response, 0x3f)
field("ses.rsp.return_code", "uint8", "Return code", HEX, names.return_code,
	0x3f)
field("ses.rsp.modified_length", "uint32", "Modified length")
field("ses.rsp.read_message_id", "uint16", "Message id of the read request")
field("ses.rsp.original_psn", "uint32", "PSN of the read request")

local expert = {
	drop = ProtoExpert.new(prefix .. ".expert.drop",
		"A receiver drops this", expert.group.PROTOCOL,
		expert.severity.WARN),
	crc = ProtoExpert.new(prefix .. ".expert.crc", "CRC is wrong",
		expert.group.CHECKSUM, expert.severity.ERROR),
	partial = ProtoExpert.new(prefix .. ".expert.partial",
		"The capture holds a part of the packet only",
		expert.group.UNDECODED, expert.severity.CHAT),
	trimmed = ProtoExpert.new(prefix .. ".expert.trimmed",
		"Trimmed: the packet was longer when it was sent",
		expert.group.SEQUENCE, expert.severity.NOTE),
	retx = ProtoExpert.new(prefix .. ".expert.retx", "Retransmission",
		expert.group.SEQUENCE, expert.severity.NOTE),
	spurious = ProtoExpert.new(prefix .. ".expert.spurious",
		"Spurious retransmission: the packet had been acknowledged",
		expert.group.SEQUENCE, expert.severity.NOTE),
	duplicate = ProtoExpert.new(prefix .. ".expert.duplicate",
		"Duplicate: the same packet was captured before",
		expert.group.SEQUENCE, expert.severity.NOTE),
	nack = ProtoExpert.new(prefix .. ".expert.nack", "Packet refused",
		expert.group.SEQUENCE, expert.severity.NOTE),
}

return { f = f, expert = expert }
