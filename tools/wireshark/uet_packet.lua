-- SPDX-License-Identifier: GPL-2.0
--
-- The packet that uet.lua and its parts hand on: its bytes, how many of them
-- there are, the tree, and words for the info column.  Everything that reads or
-- shows bytes goes through here, so that a packet cut anywhere is shown up to
-- there and never asked for more.

local uet = ...
if type(uet) ~= "table" then
	return -- a part of uet.lua only
end

local f, expert = uet.fields.f, uet.fields.expert

local Packet = {}
Packet.__index = Packet

-- A packet of FULL bytes, as far as TVB has them; NR tells the packets of a burst apart.
-- Bytes from last on are not part of it (so the trailer is cut off), bytes from have on are
-- not there.
function Packet.new(tvb, pinfo, tree, full, nr)
	return setmetatable({
		tvb = tvb, pinfo = pinfo, tree = tree, words = {}, full = full,
		id = pinfo.number * 256 + (nr or 0),
		last = full, have = math.min(tvb:captured_len(), full),
	}, Packet)
end

function Packet:fits(at, len)
	return at + len <= self.have
end

-- Those of LEN bytes that are there.
function Packet:range(at, len)
	at = math.min(at, self.have)
	return self.tvb(at, math.max(0, math.min(len, self.have - at)))
end

function Packet:uint(at, len)
	return self.tvb(at, len):uint()
end

-- One more word for the info column.
function Packet:say(...)
	self.words[#self.words + 1] = string.format(...)
end

-- Add rows { offset, length, name } as far as the packet reaches.
function Packet:show(tree, at, rows)
	for _, row in ipairs(rows) do
		if self:fits(at + row[1], row[2]) then
			tree:add(f[row[3]], self.tvb(at + row[1], row[2]))
		end
	end
end

-- Add a value that is not in the packet but follows from the bytes WHERE.
function Packet:derive(tree, name, where, value)
	return tree:add(f[name], where, value):set_generated()
end

-- The first reason counts: a receiver stops there.
function Packet:drop(tree, reason)
	if self.dropped then
		return
	end
	self.dropped = reason
	tree:add(f["drop"], reason):set_generated()
	tree:add_proto_expert_info(expert.drop,
		"A receiver drops this: " .. reason)
end

function Packet:cut_short(tree)
	if not self.is_cut then
		self.is_cut = true
		tree:add_proto_expert_info(expert.partial)
	end
end

-- Are all LEN bytes of a header there?  If not, is it the packet's fault?  That
-- is not known while what looks like a trailer may be a part of the header.
function Packet:complete(tree, at, len, reason)
	if at + len > (self.is_uncertain and self.full or self.last) then
		self:drop(tree, reason)
	elseif not self:fits(at, len) then
		self:cut_short(tree)
	end
	return self:fits(at, len)
end

-- ------------------------------------------------- requests and their answers
--
-- A request is named by its sender, the sender's PDCID and the PSN; an answer
-- repeats the last two.  Of several requests by one name the last one before
-- the answer was answered; of several answers the first one counts.

local sent, answers, questions = {}, {}, {}

function Packet.forget_all()
	sent, answers, questions = {}, {}, {}
end

local function exchange_name(address, pdcid, psn)
	return string.format("%s/%d/%d", tostring(address), pdcid, psn)
end

function Packet:note_request(tree, pdcid, psn)
	local name = exchange_name(self.pinfo.src, pdcid, psn)

	if not self.pinfo.visited then
		sent[name] = {
			id = self.id, number = self.pinfo.number,
			time = self.pinfo.rel_ts,
		}
	end
	if answers[self.id] then
		tree:add(f["answer_in"], answers[self.id]):set_generated()
	end
end

function Packet:note_answer(tree, pdcid, psn)
	local number = self.pinfo.number

	if not self.pinfo.visited then
		local name = exchange_name(self.pinfo.dst, pdcid, psn)
		local request = sent[name]
		if request then
			questions[self.id] = request
			answers[request.id] = answers[request.id] or number
		end
	end
	local request = questions[self.id]
	if request then
		local spent = self.pinfo.rel_ts - request.time
		local seconds = math.floor(spent)
		tree:add(f["request_in"], request.number):set_generated()
		tree:add(f["answer_time"], NSTime.new(seconds,
			math.floor((spent - seconds) * 1e9))):set_generated()
	end
end

return Packet
