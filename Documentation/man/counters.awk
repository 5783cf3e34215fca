# SPDX-License-Identifier: GPL-2.0
#
# Writes the page uet-counters(7): each counter and each reason to drop a packet, with its
# meaning, from the tables that the kernel is built from.
#
# usage: awk -f counters.awk kernel/core/mib.def kernel/core/drop.def

function escaped(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	return text
}

# A comment of the table as a heading, without names of files.
function heading(text)
{
	sub(/^\/\* */, "", text)
	sub(/ *\*\/$/, "", text)
	sub(/^[a-z_]+\.c[:,]? */, "", text)
	return toupper(substr(text, 1, 1)) substr(text, 2)
}

# An entry: MACRO(NAME, "word", "meaning")
function entry(line,	part)
{
	split(line, part, "\"")
	if (part[2] == "not-dropped")
		return
	print ".TP\n.B " escaped(part[2])
	print toupper(substr(part[4], 1, 1)) escaped(substr(part[4], 2)) "."
}

BEGIN {
	print ".\\\" SPDX-License-Identifier: GPL-2.0"
	print ".TH UET\\-COUNTERS 7 2026-11 \"UET for Linux\" \"Miscellaneous\""
	print ".SH NAME"
	print "uet\\-counters \\- counters of UET, and reasons to drop a packet"
	print ".SH DESCRIPTION"
	print ".B ueadm stats"
	print "shows these counters. They count from the creation of the network namespace on,"
	print "and are never reset."
	print "In OpenMetrics"
	print "(\\fBueadm stats \\-\\-openmetrics\\fP, \\fBuet\\-exporter\\fP) a counter"
	print ".I name"
	print "is"
	print ".BI uet_ name _total"
	print "with underscores for dashes, and a reason is the label"
	print ".B reason"
	print "of"
	print ".BR uet_dropped_packets_total ."
	print ".SH COUNTERS"
}

/^UET_MIB\(/ { entry($0) }

/^UET_DROP\(/ && !drops++ {
	print ".SH REASONS TO DROP A PACKET"
	print "Each reason is used at one place of the code. A word in parentheses is the"
	print "section of the specification (UE 1.0.1)."
	print "The tracepoint \\fBuet:uet_drop\\fP"
	print "has each drop with its reason, and, as far as the packet was read, peer, rail and"
	print "PSN."
	print "Drops are counted for each namespace and, without the reason, for each FEP, but not for"
	print "peers and jobs:"
	print "the addresses of most dropped packets are not verified, so that anyone could count"
	print "against any peer, and most are dropped before their job is known."
}

/^UET_DROP\(/ {
	if (title != "")
		print ".SS " escaped(title)
	title = ""
	entry($0)
}

/^\/\* .*\*\/$/ && !/SPDX/ { title = heading($0) }

END {
	print ".SH SEE ALSO"
	print ".BR ueadm (8),"
	print ".BR ueadm\\-check (8),"
	print ".BR uet\\-exporter (8),"
	print ".BR uet (7)"
}
