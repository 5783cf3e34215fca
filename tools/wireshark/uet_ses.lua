-- SPDX-License-Identifier: GPL-2.0
--
-- The SES header for uet.lua: requests in all forms with their extension,
-- responses, and the data behind either, held against the lengths in front.
--
-- Spec: UE 1.0.1 3.4, Figures 3-9 to 3-20.

local uet = ...
if type(uet) ~= "table" then
	return -- a part of uet.lua only
end

local codes, f = uet.codes, uet.fields.f
local names = codes.names
local band, rshift = bit.band, bit.rshift

local PAYLOAD_MAX = 8192

-- Whatever stands behind the last header.
local function show_payload(p, at, len)
	local there = p:range(at, len)

	if there:len() > 0 then
		p.tree:add(f["payload"], there)
	end
	p:derive(p.tree, "payload_length", there, len)
end

local function show_ignored(p, at)
	local there = p:range(at, p.last - at)

	if there:len() > 0 then
		p.tree:add(f["ignored"], there)
	end
end

-- The form follows from next_hdr, opcode and som; no field tells it.
local function request_form(header, opcode, is_som)
	if header.form then
		return header.form
	end
	for _, form in ipairs({ "defer", "rtr" }) do
		if opcode.forms and opcode.forms[form] then
			return form
		end
	end
	return is_som and "std" or "nosom"
end

-- What the first twelve bytes can get wrong, or nil.
local function request_fault(r)
	if r.version ~= 0 then
		return "ses-bad-version"
	elseif not r.opcode.forms then
		return "ses-reserved-opcode"
	elseif not r.opcode.forms[r.form] then
		return "ses-opcode-form"
	elseif (r.form == "medium" or r.form == "small") and
	       not (r.is_som and r.is_eom) or r.opcode.single and not r.is_som then
		return "ses-not-single"
	end
end

local tail = {
	header_data = { { 32, 8, "ses.header_data" } },
	segment = {
		{ 34, 2, "ses.payload_length" },
		{ 36, 4, "ses.message_offset" },
	},
}

-- Documentation/spec/stream.rst: what match bits and header data of a stream's message are.
local STREAM_RI = 0xffe
local stream_high = {
	OPEN = { { 0, 2, "ses.stream.from_port" }, { 2, 2, "ses.stream.to_port" } },
	DATA = { { 0, 4, "ses.stream.offset" } },
	FIN = { { 0, 4, "ses.stream.offset" } },
	RESET = { { 0, 4, "ses.stream.code" } },
}

local function show_stream(p, tree, match, data)
	local kind = names.stream_type[band(p:uint(match, 1), 0x0f)] or "unknown"
	local sub = tree:add(f["ses.stream"], p:range(match, 8))

	sub:append_text(": " .. kind)
	p:show(sub, match, {
		{ 0, 1, "ses.stream.version" },
		{ 0, 1, "ses.stream.type" },
		{ 1, 4, "ses.stream.to" },
		{ 4, 4, "ses.stream.from" },
	})
	p:show(sub, data, stream_high[kind] or {})
	p:show(sub, data, { { 4, 4, "ses.stream.edge" } })
	p:say("stream %s", kind)
	if kind == "OPEN" then
		p:say("%d>%d", p:uint(data, 2), p:uint(data + 2, 2))
	elseif stream_high[kind] then
		p:say("%d", p:uint(data, 4))
	end
end

-- UE 1.0.1 Figures 3-9 to 3-14, behind the common part.
local function show_request_rest(p, tree, at, r)
	local key = r.opcode.keyed and "ses.memory_key" or "ses.match_bits"

	if r.form == "small" then
		p:show(tree, at, { { 12, 8, "ses.buffer_offset" } })
		return
	elseif r.form == "medium" then
		p:show(tree, at, {
			{ 12, 8, r.has_hd and "ses.header_data" or
				"ses.buffer_offset" },
			{ 20, 4, "ses.initiator" },
			{ 24, 8, key },
		})
		if r.is_of_stream then
			show_stream(p, tree, at + 24, at + 12)
		end
		return
	end
	p:show(tree, at, r.form == "defer" and {
		{ 12, 4, "ses.initiator_token" },
		{ 16, 4, "ses.target_token" },
	} or { { 12, 8, "ses.buffer_offset" } })
	p:show(tree, at, { { 20, 4, "ses.initiator" } })
	p:show(tree, at, r.form == "rtr" and {
		{ 24, 4, "ses.initiator_token" },
		{ 28, 4, "ses.target_token" },
	} or { { 24, 8, key } })
	r.has_segment = r.form == "nosom" or r.form == "defer" and not r.is_som
	p:show(tree, at, r.has_segment and tail.segment or tail.header_data)
	if r.is_of_stream and r.is_som then
		show_stream(p, tree, at + 24, at + 32)
	end
	p:show(tree, at, { { 40, 4, "ses.request_length" } })
	r.request_length = p:uint(at + 40, 4)
	if r.has_segment then
		r.segment = band(p:uint(at + 34, 2), 0x3fff)
		r.offset = p:uint(at + 36, 4)
	end
end

-- UE 1.0.1 Figure 3-15; return its length, or nil if it is not whole.
local function show_rendezvous(p, tree, at, r)
	local sub = tree:add(f["ses.rdv"], p:range(at, 24))

	if not p:complete(sub, at, 24, "truncated-ses-rendezvous") then
		return nil
	end
	p:show(sub, at, {
		{ 0, 4, "ses.rdv.eager_length" },
		{ 4, 1, "ses.rdv.ri_generation" },
		{ 5, 3, "ses.rdv.pid" },
		{ 5, 3, "ses.rdv.ri" },
		{ 8, 8, "ses.rdv.offset" },
		{ 16, 8, "ses.rdv.key" },
	})
	r.total = p:uint(at, 4)
	p:say("eager=%d", r.total)
	if r.total > r.request_length then
		p:drop(sub, "ses-rendezvous-eager")
	end
	return 24
end

-- UE 1.0.1 Figures 3-16 and 3-17.
local function show_atomic(p, tree, at, r)
	local sub = tree:add(f["ses.amo"], p:range(at, 4))

	if not p:complete(sub, at, 4, "truncated-ses-atomic") then
		return nil
	end
	local atomic = codes.atomics[p:uint(at, 1)]
	p:show(sub, at, {
		{ 0, 1, "ses.amo.opcode" },
		{ 1, 1, "ses.amo.datatype" },
		{ 2, 1, "ses.amo.control" },
		{ 2, 1, "ses.amo.cacheable" },
		{ 2, 1, "ses.amo.coherent" },
	})
	p:say("%s %s", names.amo_opcode[p:uint(at, 1)],
		names.datatype[p:uint(at + 1, 1)])
	if not atomic then
		p:drop(sub, "ses-reserved-atomic")
		return nil
	elseif not atomic.swap then
		r.operand_size = codes.operand_sizes[p:uint(at + 1, 1)]
		return 4
	end
	r.has_data = false
	sub:set_len(p:range(at, 36):len())
	p:show(sub, at, {
		{ 4, 16, "ses.amo.compare" },
		{ 20, 16, "ses.amo.swap" },
	})
	return p:complete(sub, at, 36, "truncated-ses-cswap") and 36 or nil
end

local extensions = { rdv = show_rendezvous, amo = show_atomic }

-- Does this packet's share of the message lie inside the message?
local function segment_fault(r, segment)
	local last = r.offset + segment

	if r.is_som and r.offset ~= 0 then
		return "ses-som-offset"
	elseif not r.is_som and r.offset == 0 and not r.opcode.partial then
		return "ses-nosom-zero"
	elseif last > r.total then
		return "ses-data-beyond"
	elseif (r.is_eom or r.opcode.single) and last ~= r.total and
	       not r.opcode.partial then
		return "ses-eom-early"
	end
end

-- How header and packet contradict each other, or nil.
local function data_fault(r, remaining)
	local segment = r.has_data and remaining or 0

	if not r.has_data and remaining > 0 then
		return "ses-data-unexpected"
	end
	if r.has_segment then
		if r.has_data and r.segment ~= remaining then
			return "ses-data-mismatch"
		end
		segment = r.segment
	end
	if segment > PAYLOAD_MAX then
		return "ses-data-oversized"
	end
	return (r.has_data or r.has_segment) and segment_fault(r, segment)
end

local function show_request_data(p, tree, at, r)
	local remaining = p.last - at
	local fault = not p.is_uncertain and data_fault(r, remaining)

	if p.is_uncertain then
		remaining = math.min(remaining, r.segment or r.total)
	elseif fault then
		p:drop(tree, fault)
	end
	p:say("len=%d", remaining)
	if r.has_segment then
		p:say("offset=%d", r.offset)
	end
	if r.request_length ~= remaining then
		p:say("request=%d", r.request_length)
	end
	if r.operand_size and r.operand_size <= remaining then
		-- Operands are in network order.
		p:show(tree, at, { { 0, r.operand_size, "ses.amo.operand" } })
	end
	show_payload(p, at, remaining)
end

-- The first twelve bytes, the same in every form, as a table.
local function show_request_common(p, tree, at, header)
	local flags = p:uint(at + 1, 1)
	local code = band(p:uint(at, 1), 0x3f)
	local is_std = p.next_hdr == 3
	local r = {
		opcode = codes.opcodes[code] or {},
		version = rshift(flags, 6),
		is_som = band(flags, 0x01) ~= 0,
		is_eom = band(flags, 0x02) ~= 0,
		has_hd = band(flags, 0x04) ~= 0,
		request_length = band(p:uint(at + 2, 2), 0x3fff),
		offset = 0,
	}

	r.is_of_stream = r.opcode.name == "TAGGED_SEND" and r.has_hd and
		band(p:uint(at + 10, 2), 0x0fff) == STREAM_RI
	r.form = request_form(header, r.opcode, r.is_som)
	r.has_data = r.opcode.data
	p:show(tree, at, {
		{ 0, 1, "ses.opcode" },
		{ 1, 1, "ses.version" },
		{ 1, 1, "ses.dc" },
		{ 1, 1, "ses.ie" },
		{ 1, 1, "ses.rel" },
	})
	if r.form ~= "small" then
		p:show(tree, at, { { 1, 1, "ses.hd" } })
	end
	p:show(tree, at, {
		{ 1, 1, "ses.eom" },
		{ 1, 1, "ses.som" },
		{ 2, 2, is_std and "ses.message_id" or
			"ses.request_length:14" },
		{ 4, 1, "ses.ri_generation" },
		{ 5, 3, "ses.job" },
		{ 8, 2, "ses.pid" },
		{ 10, 2, "ses.ri" },
	})
	tree:append_text(": " .. names.opcode[code])
	p:say("| %s%s%s", names.opcode[code], r.is_som and " som" or "",
		r.is_eom and " eom" or "")
	if is_std then
		p:say("mid=%d", p:uint(at + 2, 2))
	end
	return r
end

local function dissect_request(p, at, header)
	local tree = p.tree:add(f["ses"], p:range(at, header.len))

	if not p:complete(tree, at, 12, "truncated-ses-common") then
		return
	end
	local r = show_request_common(p, tree, at, header)
	local fault = request_fault(r)
	if fault then
		p:drop(tree, fault)
		return
	elseif not p:complete(tree, at, header.len, header.truncated) then
		return
	end
	show_request_rest(p, tree, at, r)
	r.total = r.request_length
	at = at + header.len
	if r.opcode.ext then
		local len = extensions[r.opcode.ext](p, tree, at, r)
		if not len then
			return
		end
		at = at + len
	end
	show_request_data(p, tree, at, r)
end

-- UE 1.0.1 Tables 3-11 to 3-13.
local response_rows = {
	plain = {
		{ 2, 2, "ses.message_id" },
		{ 4, 1, "ses.ri_generation" },
		{ 5, 3, "ses.job" },
		{ 8, 4, "ses.rsp.modified_length" },
	},
	data = {
		{ 2, 2, "ses.message_id" },
		{ 5, 3, "ses.job" },
		{ 8, 2, "ses.rsp.read_message_id" },
		{ 10, 2, "ses.payload_length" },
		{ 12, 4, "ses.rsp.modified_length" },
		{ 16, 4, "ses.message_offset" },
	},
	small = {
		{ 2, 2, "ses.payload_length" },
		{ 5, 3, "ses.job" },
		{ 8, 4, "ses.rsp.original_psn" },
	},
}

local function show_response_data(p, tree, at, form)
	local stated = p:uint(at + (form == "data" and 10 or 2), 2)
	local offset = form == "data" and p:uint(at + 16, 4) or 0

	at = at + (form == "data" and 20 or 12)
	local remaining = p.last - at
	if p.is_uncertain then
		remaining = math.min(remaining, band(stated, 0x3fff))
	elseif band(stated, 0x3fff) ~= remaining then
		p:drop(tree, "ses-response-mismatch")
	elseif remaining > PAYLOAD_MAX then
		p:drop(tree, "ses-response-oversized")
	elseif offset + remaining > 0xffffffff then
		p:drop(tree, "ses-response-beyond")
	end
	p:say("len=%d", remaining)
	show_payload(p, at, remaining)
end

local function dissect_response(p, at, header)
	local tree = p.tree:add(f["ses"], p:range(at, header.len))

	if not p:complete(tree, at, header.len, header.truncated) then
		return
	end
	local code, status = p:uint(at, 1), p:uint(at + 1, 1)
	local opcode = codes.responses[band(code, 0x3f)]
	p:show(tree, at, {
		{ 0, 1, "ses.rsp.list" },
		{ 0, 1, "ses.rsp.opcode" },
		{ 1, 1, "ses.version" },
		{ 1, 1, "ses.rsp.return_code" },
	})
	p:show(tree, at, response_rows[header.form])
	local text = names.response[band(code, 0x3f)] .. " RC_" ..
		names.return_code[band(status, 0x3f)]
	tree:append_text(": " .. text)
	p:say("| %s", text)
	if header.form ~= "small" then
		p:say("mid=%d", p:uint(at + 2, 2))
	end
	if rshift(status, 6) ~= 0 then
		p:drop(tree, "ses-response-version")
	elseif not (opcode and opcode.forms[header.form]) then
		p:drop(tree, "ses-response-opcode")
	elseif header.form == "plain" then
		show_ignored(p, at + header.len)
	else
		show_response_data(p, tree, at, header.form)
	end
end

-- What the PDS header announces stands at AT.
return function(p, at)
	if p.ses.kind == "request" then
		dissect_request(p, at, p.ses)
	elseif p.ses.kind == "response" then
		dissect_response(p, at, p.ses)
	else
		show_ignored(p, at)
	end
end
