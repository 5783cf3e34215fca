# SPDX-License-Identifier: GPL-2.0
#
# First inputs of the fuzz targets: headers that other implementations produced
# (wire_golden.def), packets built from these headers, and random sequences of
# events.  Scripts of this folder source this file in the top folder, with $seed set.
# shellcheck shell=bash disable=SC2154 # seed

golden=selftests/lib/wire_golden.def

# vectors KIND: "name hex" of each golden header of that kind
vectors()
{
	sed -n "s/^GOLDEN(\([a-z0-9_]*\), $1, \"\([0-9a-f]*\)\".*/\1 \2/p" \
		"$golden"
}

# seed_file FILE HEX: write the bytes to the file
seed_file()
{
	local hex=$2 bytes=''

	while [ -n "$hex" ]; do
		bytes+="\\x${hex:0:2}"
		hex=${hex:2}
	done
	printf '%b' "$bytes" > "$1"
}

# seed_packets DIR: every PDS header that may carry a SES header, with a SES header
# behind
seed_packets()
{
	local pds_name pds ses_name ses form

	while read -r pds_name pds; do
		seed_file "$1/$pds_name" "00$pds"
	done < <(vectors pds)
	pds=$(vectors pds | sed -n 's/^rud_first //p')
	while read -r ses_name ses; do
		for form in 00 0142420000; do
			seed_file "$1/$ses_name-$form" "$form$pds$ses"
		done
	done < <(vectors 3)
	ses=$(vectors 3 | sed -n 's/^ses_send //p')
	seed_file "$1/whole-udp" "02$pds${ses}5545547565744b416438b8a8"
	seed_file "$1/whole-native" "0342420000$pds${ses}5545547565744b416eb91d15"
}

# seed_runs DIR: a packet in the middle of a WRITE, without and with the fields of
# congestion control, of a READ, and of its data; one or ten packets follow; nothing, and
# one byte, is changed
seed_runs()
{
	local ids=fffd0000006400070008 ses=0108000500000007000300020000000000000064
	local data=0201000500000007000504000010000000000400

	ses+=000000090000000000000abc000004000000040000100000
	seed_file "$1/run" "1180$ids${ses}0000000000"
	seed_file "$1/run-first" "1180$ids${ses/#0108/010d}0000000002"
	seed_file "$1/run-of-ten" "1180$ids${ses}0000000009"
	seed_file "$1/run-cc" "6980${ids}0100004d${ses}00"
	seed_file "$1/run-changed" "1180$ids${ses}00000000000340"
	seed_file "$1/run-read" "1180${ids}02${ses#01}0000000009"
	seed_file "$1/run-data" "1280$ids$data$(printf '00%.0s' {1..28})09"
	seed_file "$1/run-data-cc" "6a80${ids}0100004d$data$(printf '00%.0s' {1..24})09"
}

# seed_events DIR: long sequences of events, so that a short run reaches deep states;
# the lengths differ because fuzz_pdc_model uses the length
seed_events()
{
	local i n bytes

	RANDOM=$seed
	for i in {1..32}; do
		bytes=''
		for ((n = 0; n < 400 + 37 * i; n++)); do
			printf -v bytes '%s%02x' "$bytes" $((RANDOM & 255))
		done
		seed_file "$1/events-$i" "$bytes"
	done
}

# seed_corpus TARGET DIR: first inputs in the input format of the target
seed_corpus()
{
	local nh name hex kind=''

	case $1 in
	fuzz_wire_pds)		kind=pds ;;
	fuzz_wire_tss)		kind=tss ;;
	fuzz_wire_entropy)	kind=entropy ;;
	fuzz_wire_packet)	seed_packets "$2" ;;
	fuzz_wire_run)		seed_runs "$2" ;;
	fuzz_pdc|fuzz_pdc_model|fuzz_rudi|fuzz_wire_stream)	seed_events "$2" ;;
	fuzz_wire_ses_req|fuzz_wire_ses_rsp)
		for nh in 1 2 3 4 5 6; do
			while read -r name hex; do
				seed_file "$2/$name" "0$nh$hex"
			done < <(vectors $nh)
		done ;;
	esac
	[ -n "$kind" ] || return 0
	while read -r name hex; do
		seed_file "$2/$name" "$hex"
	done < <(vectors "$kind")
}
