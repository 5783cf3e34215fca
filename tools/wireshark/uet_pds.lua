-- SPDX-License-Identifier: GPL-2.0
--
-- The PDS header for uet.lua: prologue, flags and what each packet type puts
-- behind them, with the PSNs that are given as offsets made absolute.
--
-- Spec: UE 1.0.1 3.5.10, 3.5.16, 3.6.9.

local uet = ...
if type(uet) ~= "table" then
	return -- a part of uet.lua only
end

local codes, f, expert = uet.codes, uet.fields.f, uet.fields.expert
local stream = uet.stream
local names, masks = codes.names, codes.flag_masks
local band, rshift = bit.band, bit.rshift

-- PSNs wrap.
local function psn_add(psn, offset)
	return (psn + offset) % 0x100000000
end

-- The 16 bits that are dpdcid or, with SYN, about a PDC to be opened.  Return dpdcid or
-- nil, and Start_PSN or nil.
local function show_destination(p, tree, at)
	if not p.is.syn then
		p:show(tree, at, { { 10, 2, "pds.dpdcid" } })
		p:say("DPDCID=%d", p:uint(at + 10, 2))
		return p:uint(at + 10, 2), nil
	end
	p:show(tree, at, {
		{ 10, 2, "pds.pdc_info" },
		{ 10, 2, "pds.use_rsv_pdc" },
		{ 10, 2, "pds.psn_offset" },
	})
	local offset = band(p:uint(at + 10, 2), 0x0fff)
	local start = psn_add(p:uint(at + 4, 4), -offset)
	p:derive(tree, "pds.start_psn", p.tvb(at + 10, 2), start)
	return nil, start
end

-- UE 1.0.1 Tables 3-33 and 3-34.
local function show_request(p, tree, at)
	local psn, pdcid = p:uint(at + 4, 4), p:uint(at + 8, 2)

	p:show(tree, at, { { 2, 2, "pds.clear_psn_offset" } })
	p:derive(tree, "pds.clear_psn", p.tvb(at + 2, 2),
		psn_add(psn, p.tvb(at + 2, 2):int()))
	p:show(tree, at, {
		{ 4, 4, "pds.psn" },
		{ 8, 2, "pds.spdcid" },
	})
	p:say("PSN=%d SPDCID=%d", psn, pdcid)
	local dpdcid, start = show_destination(p, tree, at)
	if p.type.len == 16 then
		p:show(tree, at, {
			{ 12, 1, "pds.ccc_id" },
			{ 13, 3, "pds.credit_target" },
		})
	end
	if pdcid == 0 then
		p:drop(tree, "pdcid-zero")
	end
	p:note_request(tree, pdcid, psn)
	stream.request(p, tree, psn, pdcid, dpdcid, start)
end

-- As many as an info column has space for.
local SACK_RUNS = 4

-- The bits of a SACK as PSNs: each one an item, runs of them in the text.  Return the
-- PSNs.
local function show_sacked(p, tree, at, base_psn)
	local bitmap = tree:add(f["pds.sack_bitmap"], p.tvb(at, 8))
	local words = { [0] = p:uint(at + 4, 4), p:uint(at, 4) }
	local psns, runs, first = {}, {}, nil

	for i = 0, 64 do
		local is_set = i < 64 and band(rshift(words[math.floor(i / 32)],
			i % 32), 1) == 1
		local psn = psn_add(base_psn, i)
		if is_set then
			p:derive(bitmap, "pds.sacked_psn", p.tvb(at, 8), psn)
			psns[#psns + 1] = psn
			first = first or psn
		elseif first then
			local last = psn_add(psn, -1)
			runs[#runs + 1] = first == last and tostring(first) or
				first .. "-" .. last
			first = nil
		end
	end
	if #runs > 0 then
		bitmap:append_text(": " .. table.concat(runs, ", "))
		p:say("SACK=%s%s", table.concat(runs, ",", 1,
			math.min(#runs, SACK_RUNS)),
			#runs > SACK_RUNS and ",..." or "")
	end
	return psns
end

local cc_state = {
	-- UE 1.0.1 Table 3-74
	[0] = {
		{ 24, 2, "pds.service_time" },
		{ 26, 1, "pds.restore_cwnd" },
		{ 26, 1, "pds.rcv_cwnd_pend" },
		{ 27, 3, "pds.rcvd_bytes" },
		{ 30, 2, "pds.ooo_count" },
	},
	-- UE 1.0.1 Table 3-75
	[1] = {
		{ 24, 3, "pds.credit" },
		{ 30, 2, "pds.ooo_count" },
	},
}

-- Return the PSNs that the SACK names.
local function show_ack_state(p, tree, at)
	local is_ccx = p.type.len == 40
	local cc_type = rshift(p:uint(at + 12, 1), 4)
	local rows = not is_ccx and cc_state[cc_type]

	p:show(tree, at, {
		{ 12, 1, is_ccx and "pds.ccx_type" or "pds.cc_type" },
		{ 12, 1, "pds.cc_flags" },
		{ 13, 1, "pds.mpr" },
	})
	p:derive(tree, "pds.mpr_psns", p.tvb(at + 13, 1),
		p:uint(at + 13, 1) * 128)
	local base_psn = psn_add(p:uint(at + 4, 4), p.tvb(at + 14, 2):int())
	p:show(tree, at, { { 14, 2, "pds.sack_psn_offset" } })
	p:derive(tree, "pds.sack_psn", p.tvb(at + 14, 2), base_psn)
	local sacked = show_sacked(p, tree, at + 16, base_psn)
	p:show(tree, at, rows or { { 24, is_ccx and 16 or 8, "pds.cc_state" } })

	local time = p:uint(at + 24, 2)
	if rows == cc_state[0] and time ~= 0 and time ~= 0xffff then
		p:derive(tree, "pds.service_time_ns", p.tvb(at + 24, 2),
			time * 128)
	end
	return sacked
end

-- UE 1.0.1 Tables 3-35 to 3-37.
local function show_ack(p, tree, at)
	local cack, psn, sacked = p:uint(at + 4, 4), nil, {}
	local spdcid, dpdcid = p:uint(at + 8, 2), p:uint(at + 10, 2)

	p:say("CACK=%d", cack)
	if p.is.p then
		p:show(tree, at, { { 2, 2, "pds.probe_opaque" } })
	else
		psn = psn_add(cack, p.tvb(at + 2, 2):int())
		p:show(tree, at, { { 2, 2, "pds.ack_psn_offset" } })
		p:derive(tree, "pds.ack_psn", p.tvb(at + 2, 2), psn)
		p:say("ACK_PSN=%d", psn)
		p:note_answer(tree, dpdcid, psn)
	end
	p:show(tree, at, {
		{ 4, 4, "pds.cack_psn" },
		{ 8, 2, "pds.spdcid" },
		{ 10, 2, "pds.dpdcid" },
	})
	p:say("SPDCID=%d DPDCID=%d", spdcid, dpdcid)
	if p.type.len > 12 then
		sacked = show_ack_state(p, tree, at)
	end
	stream.ack(p, tree, cack, psn, sacked, spdcid, dpdcid)
	if spdcid == 0 then
		p:drop(tree, "pdcid-zero")
	end
end

local NEW_START_PSN, ROD_OOO = 0x17, 0x0d

-- UE 1.0.1 Tables 3-40 and 3-41.
local function show_nack(p, tree, at)
	local code, psn = p:uint(at + 2, 1), p:uint(at + 4, 4)
	local dpdcid = p:uint(at + 10, 2)
	local class = codes.nacks[code] and codes.nacks[code].class

	p:show(tree, at, { { 2, 1, "pds.nack_code" } })
	p:derive(tree, "pds.nack_class", p.tvb(at + 2, 1),
		class or "reserved")
	p:show(tree, at, {
		{ 3, 1, "pds.vendor_code" },
		{ 4, 4, p.is.nt and "pds.nack_pkt_id" or "pds.nack_psn" },
		{ 8, 2, "pds.spdcid" },
		{ 10, 2, "pds.dpdcid" },
		{ 12, 4, "pds.nack_payload" },
	})
	if code == NEW_START_PSN or code == ROD_OOO then
		p:derive(tree, code == ROD_OOO and "pds.expected_psn" or
			"pds.start_psn", p.tvb(at + 12, 4), p:uint(at + 12, 4))
	end
	if p.type.len == 32 then
		p:show(tree, at, {
			{ 16, 1, "pds.nccx_type" },
			{ 16, 16, "pds.nccx_state" },
		})
	end
	tree:add_proto_expert_info(expert.nack,
		"Packet refused: " .. names.nack_code[code])
	p:say("%s %s=%d SPDCID=%d DPDCID=%d", names.nack_code[code],
		p.is.nt and "PKT_ID" or "PSN", psn, p:uint(at + 8, 2), dpdcid)
	if not p.is.nt then
		p:note_answer(tree, dpdcid, psn)
		stream.nack(p, tree, psn, code == NEW_START_PSN,
			p:uint(at + 8, 2), dpdcid)
	end
end

-- UE 1.0.1 Tables 3-64 to 3-66, by control type.
local cp_payload = {
	[1] = { { 14, 2, "pds.message_id" } },
	[2] = { { 12, 4, "pds.clear_psn" } },
	[3] = { { 12, 4, "pds.clear_psn" } },
	[6] = { { 12, 4, "pds.sack_psn" } },
	[7] = { { 12, 3, "pds.credit" } },
	[8] = { { 12, 1, "pds.ccc_id" }, { 13, 3, "pds.credit_target" } },
}

local NEGOTIATION = 9

-- Some senders stop behind 12 bytes; return how long this one is.
local function show_cp_payload(p, tree, at)
	if p.last - at == 12 then
		return 12
	end
	p:show(tree, at, { { 12, 4, "pds.cp_payload" } })
	p:show(tree, at, cp_payload[p.next_hdr] or {})
	if p.next_hdr ~= NEGOTIATION or p:uint(at + 12, 2) ~= 0x0102 then
		return 16
	end
	p:show(tree, at, {
		{ 12, 1, "pds.neg_type" },
		{ 13, 1, "pds.neg_length" },
		{ 16, 4, "pds.neg_mask" },
	})
	p:complete(tree, at, 20, "truncated-cp-negotiation")
	return 20
end

-- UE 1.0.1 Table 3-38.
local function show_cp(p, tree, at)
	local control = codes.controls[p.next_hdr]
	local psn, pdcid = p:uint(at + 4, 4), p:uint(at + 8, 2)

	p:show(tree, at, {
		{ 2, 2, "pds.probe_opaque" },
		{ 4, 4, "pds.psn" },
		{ 8, 2, "pds.spdcid" },
	})
	p:say("PSN=%d SPDCID=%d", psn, pdcid)
	local dpdcid, start = show_destination(p, tree, at)
	if p.is.syn and not control.syn then
		p:drop(tree, "cp-syn-illegal")
	elseif pdcid == 0 then
		p:drop(tree, "pdcid-zero")
	end
	if control.psn then
		p:note_request(tree, pdcid, psn)
	end
	stream.request(p, tree, control.psn and psn or nil, pdcid, dpdcid, start)
	return show_cp_payload(p, tree, at)
end

-- UE 1.0.1 Table 3-39.
local function show_rudi(p, tree, at)
	p:show(tree, at, { { 4, 4, "pds.pkt_id" } })
	p:say("PKT_ID=%d", p:uint(at + 4, 4))
end

local show_pds = {
	request = show_request, ack = show_ack, nack = show_nack, cp = show_cp,
	rudi = show_rudi, uud = function() end,
}

-- The seven flag bits mean what the packet type makes of them.
local function show_flags(p, tree, at)
	local where = p.tvb(at, 2)
	local item = tree:add(f["pds.flags"], where)

	p.is = {}
	for _, name in ipairs(p.type.flags or {}) do
		local value = band(p:uint(at, 2), masks[name])
		item:add(f["pds.flags." .. name], where)
		if value ~= 0 then
			local text = name == "req" and names.req[value / 2] or
				name:upper()
			p.is[name] = true
			p:say("%s", text)
			item:append_text(" " .. text)
		end
	end
	if p.is.retx then
		item:add_proto_expert_info(expert.retx)
	end
end

-- UE 1.0.1 3.5.10.2: what the prologue alone can get wrong, or nil.
local function prologue_fault(p, code)
	if not p.type.kind then
		return code == 1 and "tss-inside" or "bad-type"
	elseif p.type.kind == "cp" then
		return not codes.controls[p.next_hdr] and "reserved-ctl-type"
	elseif p.type.next and not p.type.next[p.next_hdr] then
		return codes.next_headers[p.next_hdr] and "illegal-next-hdr" or
			"reserved-next-hdr"
	end
end

-- Return where the SES header begins, or nil where none can follow.
local function dissect_pds(p, at)
	local tree = p.tree:add(f["pds"], p:range(at, 2))

	if not p:complete(tree, at, 2, "truncated-prologue") then
		return nil
	end
	local word = p:uint(at, 2)
	local code = rshift(word, 11)
	p.type = codes.types[code] or {}
	p.next_hdr = band(rshift(word, 7), 0xf)
	local is_cp = p.type.kind == "cp"

	tree:append_text(": " .. names.type[code])
	p:say("%s", names.type[code])
	if is_cp then
		tree:append_text(" " .. names.ctl_type[p.next_hdr])
		p:say("%s", names.ctl_type[p.next_hdr])
	end
	p:show(tree, at, {
		{ 0, 2, "pds.type" },
		{ 0, 2, is_cp and "pds.ctl_type" or "pds.next_hdr" },
	})
	show_flags(p, tree, at)
	local fault = prologue_fault(p, code)
	if fault then
		p:drop(tree, fault)
		return nil
	end
	local len = p.type.len
	if is_cp and p.last - at == 12 then
		len = 12
	end
	tree:set_len(p:range(at, len):len())
	if not p:complete(tree, at, len, p.type.truncated) then
		return nil
	end
	-- A wrong CRC is no reason to show less.
	local before = p.dropped
	len = show_pds[p.type.kind](p, tree, at) or len
	tree:set_len(p:range(at, len):len())
	-- In these the field announces nothing.
	local announces = not is_cp and p.type.kind ~= "nack"
	p.ses = codes.next_headers[announces and p.next_hdr or 0]
	return p.dropped == before and p:fits(at, len) and at + len or nil
end

return dissect_pds
