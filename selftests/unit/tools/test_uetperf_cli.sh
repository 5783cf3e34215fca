#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line of uetperf, without a kernel that knows UET: wrong words end with
# status 2, the argument and its limit, and the usage; right ones with status 1, for
# want of the module.  Measurements are tested in selftests/net.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

uetperf=${UETPERF:-build/uetperf}
tap_needs "$uetperf" tools

# ends STATUS REGEX WORDS...: what uetperf prints, on stdout with status 0, else
# on stderr, matches REGEX
ends()
{
	local status=$1 regex=$2 out err got
	shift 2

	err=$("$uetperf" "$@" 2>&1 > /dev/null < /dev/null)
	got=$?
	out=''
	[ "$status" -ne 0 ] || out=$("$uetperf" "$@" 2> /dev/null < /dev/null)
	[ "$status" -eq 0 ] && [ -z "$err" ] && err=$out out=''
	if [[ $got = "$status" && $err =~ $regex && -z $out ]]; then
		ok "\"uetperf $*\" says what it should"
	else
		not_ok "\"uetperf $*\" says what it should"
		note "status $got, should be $status; text should match: $regex"
		diag <<< "$err$out"
	fi
}

# wrong REGEX WORDS...: status 2, what is wrong, and the usage
wrong()
{
	local regex=$1
	shift
	ends 2 "^uetperf: .*$regex.*usage: uetperf" "$@"
}

two=(--fork --peers '10.0.0.1,10.0.0.2')

ends 0 '^usage: uetperf PATTERN .*allreduce .*--peers' --help
ends 0 '^usage: uetperf PATTERN' -h
ends 0 '^uetperf [0-9]+\.[0-9]+\.[0-9]+$' -V
ends 0 '^uetperf [0-9]+\.[0-9]+\.[0-9]+$' --version

wrong 'which pattern'
wrong "'fast' is not a pattern" fast "${two[@]}"
wrong "'lat' is one word too many" bw lat "${two[@]}"
wrong '--quick is not an option' bw --quick
wrong '--size needs a value' bw --size
wrong '--peers is missing' bw --fork
wrong '--peers ten: not an IPv4' bw --fork --peers 10.0.0.1,ten
wrong '--rank is missing' bw --peers 10.0.0.1,10.0.0.2
wrong '--rank, --client and --fork' bw "${two[@]}" --rank 1
wrong '--rank, --client and --fork' bw "${two[@]}" --client
wrong '--client: servers are asked over UET' bw --client --peers 10.0.0.1,10.0.0.2 \
	--peer tcp --no-uet
wrong '--parallel 0: not a number in 1\.\.128' bw -P 0
wrong '--parallel 129: not a number in 1\.\.128' bw --parallel 129
wrong '--parallel 2: only bw, rate and bidir have streams, lat has not' lat "${two[@]}" \
	-P 2
wrong '--parallel 86: with 4 ranks beyond 256' bw "${two[@]}" --ranks 4 -P 86
wrong '--pid 4090: with 8 ranks beyond 4095' bw "${two[@]}" -P 4 --pid 4090
wrong '--interval 0: not a number in 1\.\.3600' bw -i 0
wrong '--interval 3601: not a number in 1\.\.3600' bw --interval 3601
wrong '--interval: not with --csv' bw "${two[@]}" -i 1 --csv
wrong '-x is not an option' bw -x
wrong '-i needs a value' bw -i
wrong '--peers is missing: which is the address of the server' serve
wrong '--peers: a server has one address, not 2' serve --peers 10.0.0.1,10.0.0.2
for word in '--size 64' '--client' '-P 2' '-i 1' '--verify' '--rank 1' '--json'; do
	read -ra words <<< "$word"
	case ${words[0]} in -P) name=parallel ;; -i) name=interval ;; *) name=${words[0]#--} ;; esac
	wrong "--$name: a server has it from its clients" serve --peers 10.0.0.1 "${words[@]}"
done
wrong '--rank 2: not in 0\.\.1' bw --peers 10.0.0.1,10.0.0.2 --rank 2
UET_PEERS=10.0.0.1/5,10.0.0.2 wrong 'UET_PEERS: 10.0.0.2: not FA/PID' bw
UET_PEERS=10.0.0.1/5,10.0.0.2/5 wrong 'UET_PEERS without UET_SIZE' bw
UET_PEERS=10.0.0.1/5,10.0.0.2/5 UET_SIZE=3 \
	wrong 'UET_PEERS has 2 addresses, UET_SIZE is 3' bw
UET_PEERS=10.0.0.1/5,10.0.0.2/5 UET_SIZE=2 UET_RANK=x \
	wrong 'UET_RANK=x: not a number in 0\.\.255' bw
# PIDonFEPs from that of the launcher on, unless --pid says another one, also 0.
export UET_PEERS=10.0.0.1/4095,10.0.0.2/4095 UET_SIZE=2 UET_RANK=0 UET_JOB=1 UET_JOB_FD=9
wrong '--pid 4095: with 2 ranks beyond 4095' bw
for pid in 0 5; do
	ends 1 'uetperf: .*(AF_UET|socket|module|protocol)' bw --pid $pid
done
unset UET_PEERS UET_SIZE UET_RANK UET_JOB UET_JOB_FD
wrong '--rank -1: not a number in 0\.\.255' bw --rank -1
wrong '--ranks 1: not a number in 2\.\.256' bw "${two[@]}" --ranks 1
wrong '--ranks 257: not a number in 2\.\.256' bw "${two[@]}" --ranks 257
wrong '--ranks 3: bw takes an even number' bw "${two[@]}" --ranks 3
wrong '--ranks 4: lat takes 2\.\.2' lat "${two[@]}" --ranks 4
wrong '--ranks 1: incast takes 2\.\.256' incast --fork --peers 10.0.0.1
wrong '--job 0: not a number in 1\.\.16777215' bw --job 0
wrong '--pid 4095: with 2 ranks beyond 4095' bw "${two[@]}" --pid 4095
wrong '--ri 4094: not a number in 1\.\.4093' bw --ri 4094
wrong '--port 65535: with 2 ranks beyond 65535' bw "${two[@]}" --port 65535
wrong '--op fly: not one of send write atomic' bw --op fly
wrong '--size 0: not a number in 1\.\.268435456' bw --size 0
wrong '--size 1G: not a number' bw --size 64,1G
wrong '--size 64: not a number in 128' bw --size 128..64
wrong '--size 4KK: not a number' bw --size 4KK
wrong '--size 12: --op atomic takes a multiple of 8' bw "${two[@]}" --op atomic \
	--size 8,12
wrong '--size 15: allreduce takes 8 bytes for each rank, 16' allreduce \
	"${two[@]}" --size 15
wrong '--size 100: allgather takes a multiple of 8' allgather "${two[@]}" \
	--size 100
wrong '--op write: allreduce is made of messages' allreduce "${two[@]}" \
	--op write
wrong '--window 8193: not a number in 1\.\.8192' bw --window 8193
wrong '--iterations many: not a number' bw --iterations many
wrong '--iterations, --bytes and --seconds' bw "${two[@]}" --bytes 1 --seconds 1
wrong '--iterations 99999999: lat keeps the time of each' lat "${two[@]}" \
	--iterations 99999999
wrong '--seconds 0: not a number in 1\.\.86400' bw --seconds 0
wrong '--histogram: bw has no latencies' bw "${two[@]}" --histogram
wrong '--peer sctp: not tcp' bw --peer sctp
wrong '--no-uet: without --peer tcp' bw "${two[@]}" --no-uet

# A command line that a server would not take whole.
mapfile -t words < <(yes -- --verify | head -n 2000)
out=$("$uetperf" bw --client --peers 10.0.0.1,10.0.0.2 "${words[@]}" 2>&1)
if [[ $?$out = 2uetperf:\ --client:\ the\ command\ line\ is\ longer\ than\ 16384\ bytes* ]]; then
	ok "uetperf refuses 2000 words for a server"
else
	not_ok "uetperf refuses 2000 words for a server"
	diag <<< "${out:0:200}"
fi

if ! [ -e /proc/net/uet/features ]; then
	ends 1 '^uetperf: rank [01]: the uet module is not loaded' \
		alltoall "${two[@]}" --size 64..1M,3K --verify
	ends 1 '^uetperf: rank [0-3]: the uet module is not loaded' \
		rate "${two[@]}" -P 2 -i 1 --json
	ends 1 '^uetperf: the uet module is not loaded' serve --peers 10.0.0.1 --ri 4093
fi

tap_end
