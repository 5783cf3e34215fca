-- SPDX-License-Identifier: GPL-2.0
--
-- PDCs as streams for uet.lua: a number for each, PSNs counted from Start_PSN, and what
-- the packets of a capture tell of a packet that is sent again: where it was sent before,
-- what made its sender send it again, and whether that was needed.
--
-- A sender names a PDC by its own PDCID, its peer by another one.  So each end of a stream
-- is named by the two addresses and the PDCID of the first; a packet with both PDCIDs
-- joins the ends.  A SYN with another Start_PSN begins another stream.
--
-- Spec: UE 1.0.1 3.5.8, 3.5.11, 3.5.12.

local uet = ...
if type(uet) ~= "table" then
	return -- a part of uet.lua only
end

local f, expert = uet.fields.f, uet.fields.expert
local names = uet.codes.names

local RTO, SACK, NACK = 1, 2, 3

-- Of the capture: the ends of streams by name, how many streams there are, how many
-- packets were read, and what was found out about each packet.
local ends, nr_streams, nr_packets, results

local Stream = {}

function Stream.forget_all()
	ends, nr_streams, nr_packets, results = {}, 0, 0, {}
end
Stream.forget_all()

-- PSNs wrap: how far a is ahead of b; negative: behind.
local function psn_diff(a, b)
	return (a - b + 0x80000000) % 0x100000000 - 0x80000000
end

local function end_name(from, to, pdcid)
	return string.format("%s/%s/%d", tostring(from), tostring(to), pdcid)
end

-- What is known of the packets of one sender: first PSN, packets by PSN, the PSNs that
-- were acknowledged and refused, the last one of those that a SACK names.
local function new_direction(start)
	return { base = start, sent = {}, acked = {}, refused = {} }
end

local function new_stream(start)
	nr_streams = nr_streams + 1
	return { index = nr_streams - 1, start = start, directions = {} }
end

local function direction(stream, from)
	local name = tostring(from)
	if not stream.directions[name] then
		stream.directions[name] = new_direction(stream.start)
	end
	return stream.directions[name]
end

-- The stream of a packet.  PDCIDs are used again: of two ends the later stream is meant.
local function find_stream(p, spdcid, dpdcid, start)
	local src, dst = p.pinfo.src, p.pinfo.dst
	local mine = end_name(src, dst, spdcid)
	local its = dpdcid and dpdcid ~= 0 and end_name(dst, src, dpdcid)
	local stream = ends[mine]

	if start and stream and stream.is_moved then
		stream.start, stream.directions, stream.is_moved = start, {}, false
	elseif start and (not stream or stream.start ~= start) then
		stream = new_stream(start)
	end
	local other = its and ends[its]
	if other and (not stream or other.index > stream.index) then
		stream = other
	end
	stream = stream or new_stream()
	ends[mine] = stream
	if its then
		ends[its] = stream
	end
	return stream
end

-- Why a packet was sent again after it had been sent at BEFORE, an event or nil; nil if
-- nothing in the capture says so.
local function cause_of(dir, psn, before)
	local at = before and before.event or 0

	if (dir.refused[psn] or 0) > at then
		return NACK
	elseif dir.high and dir.high_at > at and psn_diff(dir.high, psn) > 0 then
		return SACK
	end
	return before and RTO
end

local function is_acked(dir, psn)
	return dir.acked[psn] or (dir.cack and psn_diff(psn, dir.cack) <= 0)
end

local function relative(dir, psn)
	return dir.base and (psn - dir.base) % 0x100000000
end

local function begin(p, spdcid, dpdcid, start)
	nr_packets = nr_packets + 1
	local stream = find_stream(p, spdcid, dpdcid, start)
	results[p.id] = { stream = stream.index }
	return stream, results[p.id]
end

local function analyse_request(p, is_retx, psn, spdcid, dpdcid, start)
	local stream, result = begin(p, spdcid, dpdcid, start)
	if not psn then
		return
	end
	local dir = direction(stream, p.pinfo.src)
	local before = dir.sent[psn]

	dir.base = dir.base or psn
	result.psn = relative(dir, psn)
	if is_retx then
		result.before = before
		result.cause = cause_of(dir, psn, before)
		result.is_spurious = is_acked(dir, psn)
	else
		result.is_duplicate = before ~= nil
	end
	dir.sent[psn] = {
		event = nr_packets, number = p.pinfo.number, time = p.pinfo.rel_ts,
	}
end

local function show_time(tree, name, seconds)
	local whole = math.floor(seconds)

	tree:add(f[name], NSTime.new(whole,
		math.floor((seconds - whole) * 1e9))):set_generated()
end

-- A mark of the packet, in the line of the list as well.
local function mark(p, tree, field, name)
	p:say("[%s]", name)
	tree:add(f[field], true):set_generated()
	tree:add_proto_expert_info(expert[name])
end

local function show_retx(p, tree, result)
	local cause = result.cause and names.cause[result.cause]

	if cause then
		p:say("[again: %s]", cause)
		tree:add(f["retx.cause"], result.cause):set_generated()
	end
	if result.before then
		tree:add(f["retx.frame"], result.before.number):set_generated()
		show_time(tree, "retx.time", p.pinfo.rel_ts - result.before.time)
	end
	if result.is_spurious then
		mark(p, tree, "retx.spurious", "spurious")
	end
end

-- The number of the stream, and the PSNs of this packet.
local function show(p, tree)
	local result = results[p.id]
	if not result then
		return
	end
	tree:add(f["stream"], result.stream):set_generated()
	for name, value in pairs {
		relative_psn = result.psn, relative_cack_psn = result.cack,
		relative_ack_psn = result.ack,
	} do
		tree:add(f["pds." .. name], value):set_generated()
	end
	show_retx(p, tree, result)
	if result.is_duplicate then
		mark(p, tree, "duplicate", "duplicate")
	end
end

-- A request or control packet.  psn is nil for one without a PSN of its own, start is
-- that of a SYN, else nil.
function Stream.request(p, tree, psn, spdcid, dpdcid, start)
	if not p.pinfo.visited and spdcid ~= 0 then
		analyse_request(p, p.is.retx, psn, spdcid, dpdcid, start)
	end
	show(p, tree)
end

local function note_acked(dir, psn)
	dir.acked[psn] = true
	if psn_diff(psn, dir.cack) > 0 then
		dir.high_at = nr_packets
		if not dir.high or psn_diff(psn, dir.high) > 0 then
			dir.high = psn
		end
	end
end

-- ack is nil for the answer to a Probe; sacked are the PSNs that a SACK names.
function Stream.ack(p, tree, cack, ack, sacked, spdcid, dpdcid)
	if not p.pinfo.visited and spdcid ~= 0 then
		local stream, result = begin(p, spdcid, dpdcid)
		local dir = direction(stream, p.pinfo.dst)

		if not dir.cack or psn_diff(cack, dir.cack) > 0 then
			dir.cack = cack
		end
		for _, psn in ipairs(sacked) do
			note_acked(dir, psn)
		end
		if ack then
			note_acked(dir, ack)
		end
		result.cack = relative(dir, cack)
		result.ack = ack and relative(dir, ack)
	end
	show(p, tree)
end

-- is_move: the target demands another Start_PSN.
function Stream.nack(p, tree, psn, is_move, spdcid, dpdcid)
	if not p.pinfo.visited and dpdcid ~= 0 then
		local stream, result
		if spdcid ~= 0 then
			stream, result = begin(p, spdcid, dpdcid)
		else
			nr_packets = nr_packets + 1
			stream = ends[end_name(p.pinfo.dst, p.pinfo.src, dpdcid)]
			result = stream and { stream = stream.index }
			results[p.id] = result
		end
		if stream then
			local dir = direction(stream, p.pinfo.dst)
			dir.refused[psn] = nr_packets
			stream.is_moved = stream.is_moved or is_move
			result.psn = relative(dir, psn)
		end
	end
	show(p, tree)
end

return Stream
