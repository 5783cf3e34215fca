-- SPDX-License-Identifier: GPL-2.0
--
-- A dissector of UET for Wireshark and tshark, 4.0 or newer: both forms of
-- encapsulation, every header, the CRC trailer, and what an engineer would else
-- compute: absolute PSNs, the packets a SACK names, which packet an ACK answers
-- and how long that took.  Where a receiver drops a packet, uet.drop gives the
-- reason by the name that "ueadm stats" counts it under.
--
--	tshark -X lua_script:tools/wireshark/uet.lua -r build/demo.pcap
--	tshark -X lua_script:tools/wireshark/uet.lua -r FILE \
--		-o uet.crc:on -Y 'uet.pds.flags.retx == 1 || uet.drop'
--
-- To have it always, put the files of this folder where Wireshark looks for
-- personal Lua plugins (Help, About, Folders).  Nothing is guessed: UDP packets
-- are UET by their port, IP packets by their protocol number, both preferences.
-- As the UDP source port is entropy, one packet in 400 looks like another
-- protocol's; -o udp.try_heuristic_first:TRUE has the destination port decide.
-- Secure packets are shown up to where they are encrypted.
--
-- uet.stream numbers the PDCs, uet.pds.relative_psn counts from Start_PSN, and a packet that
-- is sent again says where it was sent before and what made its sender send it again:
--
--	tshark -X lua_script:tools/wireshark/uet.lua -r FILE -Y 'uet.stream == 3'
--	tshark ... -Y 'uet.retx.cause == "SACK" || uet.retx.spurious || uet.duplicate'
--
-- This file has the encapsulation: preferences, entropy and security header,
-- CRC.  Beside it: uet_codes (numbers and rules), uet_fields, uet_packet (safe
-- access), uet_stream, uet_pds, uet_ses.
--
-- Spec: UE 1.0.1 3.4, 3.5.10, 3.5.25, 3.7.11, Table 3-31.

-- A Wireshark that brings a UET dissector of its own has the name taken.
local uet = { prefix = Dissector.get("uet") and "uet_linux" or "uet" }

local folder = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""
local function part(name)
	return assert(loadfile(folder .. "uet_" .. name .. ".lua"))(uet)
end

uet.codes = part("codes")
uet.fields = part("fields")
local Packet = part("packet")
uet.stream = part("stream")
local dissect_pds = part("pds")
local dissect_ses = part("ses")

local f, expert = uet.fields.f, uet.fields.expert
local band, bxor, rshift = bit.band, bit.bxor, bit.rshift

local proto = Proto(uet.prefix, "Ultra Ethernet Transport")
proto.fields = f
proto.experts = expert

local CRC_AUTO, CRC_ON, CRC_OFF = 0, 1, 2

proto.prefs.port = Pref.uint("UDP port", 4793,
	"Destination port of the UDP form; 0: none")
proto.prefs.protocol = Pref.uint("IP protocol", 253,
	"Protocol number of the native IP form; 0: none")
proto.prefs.crc = Pref.enum("CRC trailer", CRC_AUTO,
	"auto: the last four bytes are one if they are the right CRC", {
		{ 1, "auto", CRC_AUTO },
		{ 2, "on", CRC_ON },
		{ 3, "off", CRC_OFF },
	}, true)

-- --------------------------------------------------------------- CRC trailer

local CRC_LEN, ICV_LEN = 4, 16
local CRC_BAD, CRC_GOOD, CRC_UNVERIFIED = 0, 1, 2

-- CRC-32C, bits reflected, a byte at a time.
local crc_table = {}
for byte = 0, 255 do
	local crc = byte
	for _ = 1, 8 do
		crc = bxor(rshift(crc, 1), band(crc, 1) * 0x82f63b78)
	end
	crc_table[byte] = crc
end

local function crc_update(crc, bytes)
	for i = 1, #bytes do
		crc = bxor(rshift(crc, 8),
			crc_table[band(bxor(crc, bytes:byte(i)), 0xff)])
	end
	return crc
end

-- Of the IP and UDP headers in front.
local header_fields = {
	ipv4 = { Field.new("ip.src"), Field.new("ip.dst") },
	ipv6 = { Field.new("ipv6.src"), Field.new("ipv6.dst") },
	udp_length = Field.new("udp.length"),
}

-- The innermost of several, as there are in tunnels.
local function innermost(extract)
	local all = { extract() }
	return all[#all]
end

-- The addresses as they are in the IP header, or nil.
local function address_bytes(pinfo)
	for _, version in ipairs({ "ipv4", "ipv6" }) do
		local from = innermost(header_fields[version][1])
		local to = innermost(header_fields[version][2])
		if from and to and from.value == pinfo.net_src then
			return from.range:raw() .. to.range:raw()
		end
	end
end

local function be16(...)
	local bytes = ""
	for _, value in ipairs({ ... }) do
		bytes = bytes .. string.char(rshift(value, 8),
			band(value, 0xff))
	end
	return bytes
end

-- UE 1.0.1 3.5.25: from the IP source address to the last payload byte, the UDP
-- checksum taken as 0; nil if a part of that is not there.
local function compute_crc(p)
	local addresses = address_bytes(p.pinfo)
	if not addresses or p.have < p.last then
		return nil
	end
	local crc = crc_update(0xffffffff, addresses)
	if not p.is_native then
		crc = crc_update(crc, be16(p.pinfo.src_port, p.pinfo.dst_port,
			8 + p.last, 0))
	end
	crc = crc_update(crc, p.tvb:raw(0, p.last - CRC_LEN))
	return bxor(crc, 0xffffffff) % 0x100000000
end

-- Number of the first packet whose CRC was good.  Where the capture holds only
-- the headers of a packet behind that one, its trailer is taken for granted.
local first_good

function proto.init()
	first_good = nil
	Packet.forget_all()
	uet.stream.forget_all()
end

local function has_trailer(p, crc, is_good)
	if proto.prefs.crc == CRC_ON or is_good then
		return true
	end
	return not crc and first_good and first_good < p.pinfo.number
end

-- Find the trailer, show it, and cut it off.
local function take_crc(p)
	if proto.prefs.crc == CRC_OFF or p.is_of_burst then
		return
	end
	if p.last < CRC_LEN then
		if proto.prefs.crc == CRC_ON then
			p:drop(p.tree, "crc")
		end
		return
	end
	local at = p.last - CRC_LEN
	local crc = compute_crc(p)
	local is_good = crc and crc == p:uint(at, CRC_LEN)
	if is_good then
		first_good = math.min(first_good or p.pinfo.number,
			p.pinfo.number)
	end
	p.is_uncertain = proto.prefs.crc == CRC_AUTO and not crc
	if not has_trailer(p, crc, is_good) then
		return
	end
	p:show(p.tree, at, { { 0, CRC_LEN, "crc" } })
	p:derive(p.tree, "crc.status", p:range(at, CRC_LEN),
		not crc and CRC_UNVERIFIED or is_good and CRC_GOOD or CRC_BAD)
	if crc and not is_good then
		p:derive(p.tree, "crc.computed", p:range(at, CRC_LEN), crc)
		p.tree:add_proto_expert_info(expert.crc)
		p:drop(p.tree, "crc")
	end
	p.last = at
	p.have = math.min(p.have, at)
end

-- ------------------------------------------------------------- encapsulation

-- UE 1.0.1 Table 3-90: what follows is encrypted, up to the ICV.
local function dissect_tss(p, at)
	local has_ssi = band(p:uint(at, 1), 0x04) ~= 0
	local len = has_ssi and 16 or 12
	local tree = p.tree:add(f["tss"], p:range(at, len))

	p:say("TSS")
	p:show(tree, at, {
		{ 0, 1, "tss.type" },
		{ 0, 1, "tss.sp" },
		{ 0, 1, "tss.an" },
		{ 1, 3, "tss.sdi" },
	})
	if not p:complete(tree, at, 12, "truncated-tss") or
	   not p:complete(tree, at, len, "truncated-tss-ssi") then
		return
	end
	p:show(tree, at, has_ssi and { { 4, 4, "tss.ssi" } } or {})
	p:show(tree, at + len - 8, {
		{ 0, 2, "tss.epoch" },
		{ 2, 6, "tss.tsc" },
	})
	p:say("SDI=%d AN=%d", p:uint(at + 1, 3), band(p:uint(at, 1), 1))
	at = at + len
	local icv = p.last - ICV_LEN
	if icv >= at then
		p:show(p.tree, icv, { { 0, ICV_LEN, "tss.icv" } })
		p.have = math.min(p.have, icv)
	end
	if p.have > at then
		p.tree:add(f["tss.encrypted"], p:range(at, p.have - at))
	end
end

-- Return where the PDS or security header begins.
local function dissect_entropy(p)
	if not p.is_native then
		return 0
	end
	if not p:complete(p.tree, 0, 4, "truncated-entropy") then
		return nil
	end
	p:show(p.tree, 0, { { 0, 2, "entropy" } })
	return 4
end

local function dissect_packet(p)
	local start = p.is_native and 4 or 0
	local is_secure = p:fits(start, 1) and
		rshift(p:uint(start, 1), 3) == 1

	if not is_secure then
		take_crc(p)
	end
	local at = dissect_entropy(p)
	if not at then
		return
	elseif is_secure then
		dissect_tss(p, at)
		return
	end
	at = dissect_pds(p, at)
	if at then
		dissect_ses(p, at)
	end
end

-- The UDP length tells what a packet was before a switch trimmed it.
local function original_length(tvb, is_native)
	local field = not is_native and innermost(header_fields.udp_length)
	local stated = field and field.value - 8 or 0

	return math.max(stated, tvb:reported_len())
end

-- Show a packet. Return its line for the info column.
local function show_packet(p)
	dissect_packet(p)
	if p.dropped then
		p:say("[%s]", p.dropped)
	end
	if p.full > p.tvb:reported_len() then
		p.tree:add_proto_expert_info(expert.trimmed)
		p:say("[trimmed]")
	end
	local summary = table.concat(p.words, " ")
	p.tree:append_text(": " .. summary)
	return summary
end

-- A burst is on no wire: a host captured it on its way between netdevs.  The list
-- in front says how long the packets are; none has its CRC yet.  Packets of a run have
-- no headers of their own, if they are not sealed: kernel/carrier/burst.h.
local BURST_LIST, BURST_CONTINUES = 0xf8, 0x8000
local LIST_LEN, ENTRY_LEN, TSS_LEN_AT = 8, 4, 3
-- Sealed packets: bytes of the ICV, and alignment of what is sealed.
local ICV_LEN, SEAL_ALIGN = 16, 16
-- Places in the headers of a run: PDS, then those of each SES header, by next_hdr.
local CLEAR_OFF, PSN = 2, 4
local RUN_PLACES = {
	[3] = { payload_length = 46, message_offset = 48, len = 56 },
	[5] = { payload_length = 22, message_offset = 28, len = 32 },
}

local function list_len(count)
	return LIST_LEN + ENTRY_LEN * count
end

local function is_burst(tvb)
	return tvb:captured_len() >= LIST_LEN and tvb(0, 1):uint() == BURST_LIST and
		tvb:captured_len() >= list_len(tvb(1, 1):uint())
end

-- Add to a number in network order; value is above -256.
local function add_at(bytes, at, size, value)
	for i = at + size - 1, at, -1 do
		local sum = bytes:get_index(i) + value
		bytes:set_index(i, sum % 256)
		value = math.floor(sum / 256)
	end
end

-- The packet of a run behind the one whose bytes are in last; payload is its own.  Returns
-- nothing if last has no headers of a run.
local function run_packet(last, payload)
	local headers = last:len() - payload:len()
	local word = last:get_index(0) * 256 + last:get_index(1)
	local places = RUN_PLACES[math.floor(word / 128) % 16]
	if not places or headers < places.len then
		return nil
	end
	local at = places.payload_length
	local len = last:get_index(at) % 64 * 256 + last:get_index(at + 1)
	local bytes = last:subset(0, headers)
	if payload:len() > 0 then
		bytes = bytes .. payload
	end
	add_at(bytes, CLEAR_OFF, 2, -1)
	add_at(bytes, PSN, 4, 1)
	add_at(bytes, places.message_offset, 4, len)
	return bytes
end

-- Show packet number i of a burst, which has len bytes; entry is that in the list.
local function show_of_burst(packet, pinfo, root, range, len, i, entry)
	local tree = root:add(proto, range)
	local p = Packet.new(packet, pinfo, tree, len, i)

	tree:add(f["entropy"], entry(2, 2))
	p.is_of_burst = true
	return show_packet(p)
end

-- The packets of a burst that is sealed, each in a place of its own.
local function dissect_sealed(tvb, pinfo, root, count, tss_len)
	local at, pad, len, summary = list_len(count), -tss_len % SEAL_ALIGN, 0, nil

	for i = 1, count do
		local entry = tvb(list_len(i - 1), ENTRY_LEN)
		if entry(0, 2):uint() < BURST_CONTINUES then
			len = entry(0, 2):uint()
		end
		local sealed = tss_len + len + ICV_LEN
		local here = math.min(sealed, tvb:captured_len() - at - pad)
		if here <= 0 then
			break
		end
		local range = tvb(at + pad, here)
		local shown = show_of_burst(range:tvb(), pinfo, root, range, sealed, i, entry)
		summary = summary or shown
		at = at + pad + sealed + -(pad + sealed) % SEAL_ALIGN
	end
	return summary
end

-- The packets of a burst in clear.
local function dissect_clear(tvb, pinfo, root, count)
	local at, summary, last = list_len(count), nil, nil

	for i = 1, count do
		local entry = tvb(list_len(i - 1), ENTRY_LEN)
		local len = entry(0, 2):uint()
		local continues = len >= BURST_CONTINUES
		len = len % BURST_CONTINUES
		local here = math.min(len, tvb:captured_len() - at)
		local is_bare = continues and len == 0
		if (here <= 0 and not is_bare) or
			(continues and (here < len or not last)) then
			break
		end
		local range = is_bare and entry or tvb(at, here)
		local packet
		if continues then
			last = run_packet(last, is_bare and ByteArray.new() or range:bytes())
			if not last then
				break
			end
			packet = last:tvb("Packet of a run")
		else
			last = here == len and range:bytes() or nil
			packet = range:tvb()
		end
		local shown = show_of_burst(packet, pinfo, root, range,
			continues and last:len() or len, i, entry)
		summary = summary or shown
		at = at + len
	end
	return summary
end

local function dissect_burst(tvb, pinfo, root)
	local count, tss_len = tvb(1, 1):uint(), tvb(TSS_LEN_AT, 1):uint()
	local list = root:add(proto, tvb(0, list_len(count)))
	local summary

	list:add(f["burst.count"], tvb(1, 1))
	if tss_len > 1 then
		summary = dissect_sealed(tvb, pinfo, root, count, tss_len)
	else
		summary = dissect_clear(tvb, pinfo, root, count)
	end
	pinfo.cols.info = string.format("burst of %d: %s", count, summary or "")
	list:append_text(string.format(", burst of %d packets", count))
end

-- What is behind the entropy header, if the form has one. Returns nothing if there is
-- nothing.
local function behind_entropy(tvb, is_native)
	if not is_native then
		return tvb
	end
	return tvb:captured_len() > 4 and tvb(4):tvb() or nil
end

local function dissect(tvb, pinfo, root, is_native)
	local burst = behind_entropy(tvb, is_native)

	pinfo.cols.protocol = "UET"
	if burst and is_burst(burst) then
		dissect_burst(burst, pinfo, root)
		return tvb:captured_len()
	end
	local p = Packet.new(tvb, pinfo, root:add(proto, tvb()),
		original_length(tvb, is_native))

	p.is_native = is_native
	pinfo.cols.info = show_packet(p)
	return tvb:captured_len()
end

function proto.dissector(tvb, pinfo, root)
	return dissect(tvb, pinfo, root, false)
end

-- Not a guess: the destination port decides, as always.  But Wireshark asks for
-- the lower of two ports first, and the source port is entropy, which may be
-- the port of another protocol.  udp.try_heuristic_first has this asked before.
proto:register_heuristic("udp", function(tvb, pinfo, root)
	if pinfo.dst_port ~= proto.prefs.port then
		return false
	end
	dissect(tvb, pinfo, root, false)
	return true
end)

-- Stands for the other form in the table of IP protocols.
local native = Proto(uet.prefix .. "_native",
	"Ultra Ethernet Transport, native IP")

function native.dissector(tvb, pinfo, root)
	return dissect(tvb, pinfo, root, true)
end

-- --------------------------------------------------------------- preferences

-- Where each is known now, to be taken out when the preference changes.
local entries = {
	{ pref = "port", table = "udp.port", dissector = proto },
	{ pref = "protocol", table = "ip.proto", dissector = native },
}

local function register()
	for _, entry in ipairs(entries) do
		local wanted = proto.prefs[entry.pref]
		local dissectors = DissectorTable.get(entry.table)
		if wanted ~= entry.now then
			if entry.now and entry.now ~= 0 then
				dissectors:remove(entry.now, entry.dissector)
			end
			if wanted ~= 0 then
				dissectors:add(wanted, entry.dissector)
			end
			entry.now = wanted
		end
	end
end

proto.prefs_changed = register
register()
