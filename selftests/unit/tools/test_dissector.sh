#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/wireshark/uet.lua against the core: tshark reads captures whose packets
# were encoded by the core from random values (dissector_packets.c), and every
# field it shows must be what was sent, no more and no less; where a packet is
# malformed, it must give the reason the core gives.  Then packets cut at every
# length and noise: no error of the script, no reason that is not there.
#
# UTEST_SEED=N repeats the random values of a run (1).
# UTEST_ROUNDS=N packets of each kind in each encapsulation (4)
#
# size: all

set -u

here=$(cd "$(dirname "$0")" && pwd)
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
packets=$here/dissector_packets
scripts=tools/wireshark
codes=kernel/core/wire/wire_codes.h
seed=${UTEST_SEED:-1}
if ! command -v tshark > /dev/null || ! [ -x "$packets" ]; then
	echo "1..0 # SKIP no tshark or no $packets: make deps unit-tests"
	exit 0
fi

. selftests/lib/tap.sh

# check TEXT COMMAND...: a fact; what COMMAND prints says why it does not hold
check()
{
	local text=$1 out
	shift

	if out=$("$@"); then
		ok "$text"
	else
		not_ok "$text"
		head -n 12 <<< "$out" | diag
	fi
}

# equal GOT WANT
equal()
{
	[ "$1" = "$2" ] && return
	printf 'got:  %s\nwant: %s\n' "$1" "$2"
	return 1
}

# empty FILE
empty()
{
	! [ -s "$1" ] && return
	cat "$1"
	return 1
}

# run_tshark OPTION...: with the script, and without the user's settings
run_tshark()
{
	"${user[@]}" env HOME="$tmp" WIRESHARK_CONFIG_DIR="$tmp" \
		tshark "$@" -X lua_script:"$tmp/uet.lua" 2>> "$tmp/stderr"
}

# dissect NAME OPTION...: a capture
dissect()
{
	run_tshark -n -r "$tmp/$1.pcap" "${@:2}"
}

# The entropy in the source port is no reason to think of another protocol.
entropy=(-o udp.try_heuristic_first:TRUE)

# columns NAME FIELD...: lines "NUMBER FIELD VALUE" of what is shown, in order
# of the packets.  Newer versions write flags as words and bytes with colons.
columns()
{
	local name=$1 options=() field
	shift

	for field in frame.number "$@"; do
		options+=(-e "$field")
	done
	dissect "$name" "${entropy[@]}" -T fields "${options[@]}" \
		-E occurrence=a -E aggregator=, |
		awk -F '\t' -v fields="$*" '
			BEGIN { split(fields, names, " ") }
			{
				for (i = 2; i <= NF; i++) {
					if ($i == "")
						continue
					if ($i ~ /^[0-9a-f:]*$/)
						gsub(":", "", $i)
					sub("^True$", 1, $i)
					sub("^False$", 0, $i)
					print $1, names[i - 1], $i
				}
			}'
}

# differences NAME: what NAME.got and NAME.want disagree on, behind the label of
# the packet; the files are lists of lines in any order
differences()
{
	awk -v want="$tmp/$1.want" '
		FILENAME == want && $2 == "label" {
			number = $1
			sub(/^[0-9]+ label /, "")
			label[number] = $0
			next
		}
		FILENAME == want { missing[$0] = 1; next }
		$0 in missing { delete missing[$0]; next }
		{ print label[$1] ": not to be there: " $0 }
		END {
			for (line in missing) {
				split(line, part, " ")
				print label[part[1]] ": missing: " line
			}
		}' "$tmp/$1.want" "$tmp/$1.got" | sort
}

# compare NAME FIELD...: of these fields, what is shown is what is wanted, and
# the script does not fail
compare()
{
	columns "$@" _ws.expert.message > "$tmp/all"
	grep 'Lua Error' "$tmp/all" > "$tmp/$1.errors"
	grep -v ' _ws.expert.message ' "$tmp/all" > "$tmp/$1.got"
	differences "$1" > "$tmp/$1.diff"
	check "$1: $(grep -c ' label ' "$tmp/$1.want") packets have no error" \
		empty "$tmp/$1.errors"
}

# of_label LABEL FILE: the lines about it, of which there should be none
of_label()
{
	awk -v label="$1: " 'index($0, label) == 1 { print; bad = 1 }
		END { exit bad }' "$2"
}

# labels NAME: a fact for each kind of packet in a capture that was compared
labels()
{
	local label

	while read -r label; do
		check "$1: each field of \"$label\" is right" of_label "$label" "$tmp/$1.diff"
	done < <(sed -n 's/^[0-9]* label //p' "$tmp/$1.want" | sort -u)
}

# enum_names FIELD ENUM PREFIX: lines "FIELD NUMBER NAME" from the core's header
enum_names()
{
	local name value

	awk -v enum="$2" -v prefix="$3" '
		$1 == "enum" { is_in = $2 == enum }
		is_in && index($1, prefix) == 1 && $2 == "=" {
			name = substr($1, length(prefix) + 1)
			if (name !~ /_(NR|FIRST)$|^(NR|TYPE_MAX)$/ &&
			    (enum == "uet_amo" || name != "MAX"))
				print name, $3
		}' "$codes" |
		while IFS=' ,' read -r name value; do
			printf '%s 0x%x %s\n' "$1" "$value" "$name"
		done
}

# value_names FIELD: the same from the script, without what has no name
value_names()
{
	grep "^$1 " "$tmp/values" |
		grep -vE ' (vendor|proprietary|reserved)$'
}

# same_lines FILE1 FILE2: in any order
same_lines()
{
	! diff <(sort "$1") <(sort "$2") | grep '^[<>]'
}

# info NAME TEXT: the info column of the golden packet NAME
info()
{
	local number

	number=$(sed -n "s/^\([0-9]*\) label $1\$/\1/p" \
		"$tmp/golden.want")
	check "info: $1 has its line" equal "$(sed -n "${number}p" "$tmp/info")" "$2"
}

# shown OPTION...: numbers of the packets that are UET by these preferences
shown()
{
	dissect preferences -Y uet -T fields -e frame.number "$@" | xargs
}

# crc_of NUMBER OPTION...: status of its trailer, what it should be, and reason
# to drop the packet
crc_of()
{
	local number=$1
	shift

	dissect preferences -Y "frame.number == $number" -T fields \
		-E "separator=;" -e uet.crc.status -e uet.crc.computed \
		-e uet.drop "$@"
}

tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
cp "$scripts"/*.lua "$tmp"

# As root, newer versions of tshark do not run scripts and older ones warn.
user=()
if [ "$(id -u)" -eq 0 ]; then
	user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
	chmod 755 "$tmp"
fi

[ -n "${UTEST_SEED-}" ] || note "UTEST_SEED=$seed"
"$packets" "$tmp" "$seed" "${UTEST_ROUNDS:-4}" || exit 1
run_tshark -G values | awk -F '\t' '$2 ~ /^uet\./ {
	print $2, $3 ~ /^0x/ ? $3 : sprintf("0x%x", $3), $4 }' > "$tmp/values"
# What follows from other packets has tests of its own, at the end.
mapfile -t fields < <(run_tshark -G fields | awk -F '\t' '
	$1 == "F" && $3 ~ /^uet\./ && $4 != "FT_NONE" { print $3 }' | sort -u |
	grep -vE '^uet\.(stream|retx\..*|duplicate|pds\.relative_.*|ses\.stream\..*)$')

# Names of codes.
for field in uet.pds.{type,next_hdr,ctl_type,nack_code} uet.ses.opcode; do
	check "the values of $field have the names of the core" same_lines <(grep "^$field " "$tmp/names") \
		<(grep "^$field " "$tmp/values")
done
while read -r field enum prefix; do
	check "the values of $field have the names of the core" same_lines <(value_names "$field") \
		<(enum_names "$field" "$enum" "$prefix")
done <<- END
	uet.pds.cc_type uet_cc_type UET_CC_
	uet.ses.rsp.list uet_list UET_LIST_
	uet.ses.rsp.opcode uet_rsp UET_RSP_
	uet.ses.rsp.return_code uet_rc UET_RC_
	uet.ses.amo.opcode uet_amo UET_AMO_
	uet.ses.amo.datatype uet_dt UET_DT_
END

# Every field of every packet.
for name in golden nacks random; do
	compare "$name" "${fields[@]}"
	labels "$name"
done

# The reason to drop malformed packets, and none for those only seen in part.
for name in codes short cut noise; do
	compare "$name" uet.drop
	check "$name: the script gives the same reasons as the core" empty "$tmp/$name.diff"
done

# Only headers were captured: is there a trailer?
compare partly uet.payload_length uet.crc.status uet.drop
labels partly
check "partly: a payload that the capture cuts off is no note" equal \
	"$(grep -c 'The capture holds a part' "$tmp/all")" 0

# All that the script declares is in one of these captures or of those below.
check "fields: all ${#fields[@]} were shown" same_lines \
	<(printf '%s\n' "${fields[@]}" |
		grep -vxE 'uet\.(crc\.computed|burst\.count|(request|answer)_(in|time))') \
	<(cut -d ' ' -f 2 "$tmp"/{golden,random,short}.got | sort -u)

# The summary of each packet in one line.
dissect golden "${entropy[@]}" -o 'gui.column.format:"Info","%i"' |
	sed 's/ *$//' > "$tmp/info"
info 'whole udp ipv4' 'RUD_REQ AR SYN PSN=73728 SPDCID=257 [duplicate] | SEND som eom mid=1 len=8'
info 'whole native ipv4' 'RUD_REQ AR SYN PSN=73728 SPDCID=257 | SEND som eom mid=1 len=8'
info ack_plain 'ACK CACK=270544960 ACK_PSN=270544962 SPDCID=258 DPDCID=772'
info ack_cc_nscc 'ACK_CC M CACK=270544960 ACK_PSN=270544958 SPDCID=258 DPDCID=772 SACK=270544944,270545007'
info nack_rod_ooo 'NACK ROD_OOO PSN=16909060 SPDCID=4386 DPDCID=13124'
info cp_negotiation 'CP NEGOTIATION ISROD AR SYN PSN=16909060 SPDCID=4386'
info ack_m_retx_clear 'ACK M RETX REQ_CLEAR CACK=610839776 ACK_PSN=610808610 SPDCID=13398 DPDCID=30874 [truncated-ses-response]'
info ses_write_nosom 'UUD_REQ | WRITE eom mid=4660 len=0 offset=2003195204 request=2575857510 [ses-data-mismatch]'
info rsp_plain 'ACK CACK=0 ACK_PSN=0 SPDCID=1 DPDCID=0 | RESPONSE RC_AT_PERM mid=4660'
info tss_ssi 'TSS SDI=1 AN=0'

# Packets 1 and 3 have the port and protocol of the specification, 2 and 4
# another; 5 has a good CRC, 6 zeroes in its place; the entropy of 7 is the port
# of another protocol.
check "preferences: without one, four packets are UET" equal "$(shown)" "1 3 5 6"
check "preferences: any entropy shows one packet more" equal "$(shown "${entropy[@]}")" "1 3 5 6 7"
check "preferences: another port is taken" equal "$(shown -o uet.port:5000)" "2 3"
check "preferences: without a port, native IP is left" equal "$(shown -o uet.port:0)" "3"
check "preferences: another protocol is taken" equal \
	"$(shown -o uet.protocol:254)" "1 4 5 6"
check "preferences: CRC auto shows a good one" equal "$(crc_of 5)" "1;;"
check "preferences: CRC auto needs none" equal "$(crc_of 1)" ";;"
check "preferences: CRC auto takes a wrong one for data" equal "$(crc_of 6)" ";;ses-data-beyond"
check "preferences: CRC on shows a good one" equal "$(crc_of 5 -o uet.crc:on)" "1;;"
check "preferences: CRC on shows a wrong one" equal "$(crc_of 6 -o uet.crc:on)" \
	"0;$(sed -n 's/^6 computed //p' "$tmp/preferences.want");crc"
check "preferences: CRC on shows the rest of a packet with a wrong one" equal "$(
	dissect preferences -Y 'frame.number == 6 && uet.ses.opcode' \
		-o uet.crc:on -T fields -e frame.number)" 6
check "preferences: CRC on reports that a CRC is missing" equal \
	"$(crc_of 1 -o uet.crc:on | cut -d ';' -f 1,3)" "0;crc"
check "preferences: CRC off takes all for data" equal "$(crc_of 5 -o uet.crc:off)" \
	";;ses-data-beyond"

# Request and answer, in a capture that is read twice.
check "exchange: packets show their answers and requests" equal "$(
	dissect exchange "${entropy[@]}" -2 -T fields -e uet.answer_in \
		-e uet.request_in -e uet.answer_time | tr '\t' ,)" "$(
	printf '%s\n' 4,, 5,, 6,, ,1,3.000000000 ,2,3.000000000 \
		,3,3.000000000 ,,)"

# streams: number, stream, PSN, CACK_PSN and ACK_PSN from Start_PSN on, why a packet was sent
# again, where it was sent before, spurious, duplicate; also when the file is read twice.
cat > "$tmp/streams" <<- END
	1 0 0 - - - - - -
	2 0 1 - - - - - -
	3 0 - 4294967295 0 - - - -
	4 0 2 - - - - - -
	5 0 3 - - - - - -
	6 0 4 - - - - - -
	7 0 - 1 4 - - - -
	8 0 2 - - SACK 4 - -
	9 0 5 - - - - - -
	10 0 5 - - - - - -
	11 0 5 - - NACK 9 - -
	12 0 6 - - - - - -
	13 0 6 - - RTO 12 - -
	14 0 - 6 6 - - - -
	15 0 6 - - RTO 13 yes -
	16 0 7 - - - - - -
	17 0 7 - - - - - yes
	18 0 0 - - - - - -
	19 1 0 - - - - - -
	20 1 - 0 0 - - - -
	21 2 0 - - - - - -
	22 2 0 - - - - - -
	23 2 0 - - - - - -
END
for passes in '' -2; do
	dissect streams "${entropy[@]}" $passes -T fields -E separator=, \
		-e frame.number -e uet.stream -e uet.pds.relative_psn \
		-e uet.pds.relative_cack_psn -e uet.pds.relative_ack_psn \
		-e uet.retx.cause -e uet.retx.frame -e uet.retx.spurious \
		-e uet.duplicate |
		awk -F, 'BEGIN { split("RTO SACK NACK", cause, " ") }
		{
			$6 = $6 == "" ? "" : cause[$6]
			for (i = 8; i <= 9; i++)
				sub(/^(1|True)$/, "yes", $i)
			for (i = 1; i <= NF; i++)
				printf "%s%s", $i == "" ? "-" : $i,
					i < NF ? " " : "\n"
		}' > "$tmp/streams.got"
	check "streams${passes:+, read twice}: each packet has its stream and cause" diff "$tmp/streams" "$tmp/streams.got"
done
check "streams: a filter finds one stream" equal "$(dissect streams "${entropy[@]}" \
	-Y 'uet.stream == 1' -T fields -e frame.number | xargs)" "19 20"
check "streams: a filter finds a cause" equal "$(dissect streams "${entropy[@]}" \
	-Y 'uet.retx.cause == "SACK" || uet.duplicate' -T fields -e frame.number |
	xargs)" "8 17"
check "streams: the info column has the cause" equal "$(dissect streams "${entropy[@]}" \
	-Y 'frame.number == 15' -T fields -e _ws.col.Info)" \
	"RUD_REQ RETX PSN=106 SPDCID=3 DPDCID=9 [again: RTO] [spurious] [truncated-ses-common]"
check "streams: time since it was sent before" equal "$(dissect streams \
	"${entropy[@]}" -Y 'frame.number == 13' -T fields -e uet.retx.time)" 1.000000000

# Messages of a stream: OPEN, ACCEPT, DATA, RESET.
check "messages: each message of a stream has its type, ids, ports, offsets and reason" equal "$(
	dissect messages "${entropy[@]}" -T fields -e uet.ses.stream.type \
		-e uet.ses.stream.to -e uet.ses.stream.from -e uet.ses.stream.from_port \
		-e uet.ses.stream.to_port -e uet.ses.stream.offset -e uet.ses.stream.code \
		-e uet.ses.stream.edge | tr '\t' ,)" \
	"1,0x00000000,0x01234567,40000,80,,,1000
2,0x01234567,0x0fedcba9,,,,,2000
3,0x01234567,0x0fedcba9,,,3000,,4000
6,0x01234567,0x00000000,,,,2,0"
check "messages: the info column says what they are" equal "$(
	dissect messages "${entropy[@]}" -T fields -e _ws.col.Info |
		grep -o 'stream [A-Z]* *[0-9>]*' | sed 's/ *$//')" \
	"stream OPEN 40000>80
stream ACCEPT
stream DATA 3000
stream RESET 2"

for form in '' _native; do
	check "burst$form: each packet is shown" equal "$(
		dissect burst$form "${entropy[@]}" -T fields -e uet.burst.count \
			-e uet.entropy -e uet.pds.psn -e uet.drop | tr '\t' ';')" \
		"12;$(seq -s , 11 22);5,6,7$(printf ',4294967294,4294967295,0%.0s' 1 2 3);"
	check "burst$form: packets of a run have their headers" equal "$(
		dissect burst$form "${entropy[@]}" -T fields \
			-e uet.pds.clear_psn_offset -e uet.ses.message_offset \
			-e uet.payload | tr '\t' ';' |
			sed -E 's/([0-9a-f]{2})\1{299}/\1/g')" \
		"-3,-4,-5,-3,-4,-5,-3,-4,-5;$(printf '900,1200,1500%s' , , ';')03,04,05,09,0a,0b"
	check "sealed_burst$form: each packet is shown" equal "$(
		dissect sealed_burst$form "${entropy[@]}" -T fields -e uet.burst.count \
			-e uet.entropy -e uet.tss.sdi -e uet.tss.tsc -e uet.drop |
			tr '\t' ';')" \
		"3;11,12,13;7,7,7;100,101,102;"
done

check "stderr: tshark prints nothing" empty "$tmp/stderr"

tap_end
