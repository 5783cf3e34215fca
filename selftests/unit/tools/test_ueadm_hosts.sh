#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "ueadm job run" over several hosts, without a kernel: which hosts it finds in lists,
# files and the environment of Slurm, how it divides the ranks, what it tells the agents,
# and what becomes of their output, their failures and of signals.  The remote shell is a
# double of agent, which speaks their language.  selftests/net/api/job_hosts.sh has the
# agents themselves.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

ueadm=${UEADM:-build/ueadm}
tap_needs "$ueadm" tools
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset SLURM_JOB_NODELIST SLURM_STEP_NUM_TASKS SLURM_TASKS_PER_NODE SLURM_PROCID SLURM_NTASKS

# The double: its host hN has the address 10.0.0.N, others have 10.0.1.N for any N; each
# has two PIDonFEPs more than it needs.
cat > "$tmp/shell" <<'X'
#!/bin/bash
# HOST ueadm job run --agent
get() { IFS= read -rd '' "$1"; }
get_words()
{
	local -n words=$1
	local nr i

	get nr || exit 9
	for ((i = 0; i < nr; i++)); do get "words[$i]"; done
}
host=$1
shift
[ "$*" = "ueadm job run --agent" ] || exit 8
[ "$host" != dead ] || exit 7
get_words job
[ "$host" != strange ] || { echo "welcome to strange"; exit 0; }
case $host in
h*)	address=10.0.0.${host#h} ;;
*)	address=10.0.1.$(($(cksum <<< "$host" | cut -d ' ' -f 1) % 254 + 1)) ;;
esac
echo "uet-agent 1 77 10 13 $address"
get first && get nr && get size && get peers && get directory || exit 6
get_words variables
get_words command
echo "$host job ${job[*]}"
echo "$host ranks $first $nr $size $peers $directory ${command[*]}"
printf '%s\n' "${variables[@]}" | grep '^WORD=' | sed "s/^/$host /"
case "${command[0]} $host" in
"fail h2") exit 5 ;;
"halves "*) printf 'one '; sleep 0.2; printf 'line\n'; exit 0 ;;
"wait "*|"fail "*) ;;
*) exit 0 ;;
esac
echo "$host waits"
IFS= read -rN 1 byte && { printf '%s got %d\n' "$host" "'$byte"; exit 0; }
echo "$host end of input"
exit 1
X
chmod +x "$tmp/shell"

# prints TEXT STATUS OUTPUT ARGS...: sorted lines
prints()
{
	local text=$1 expected=$2 output=$3 got out
	shift 3

	out=$("$ueadm" job run --ssh "$tmp/shell" "$@" 2>&1)
	got=$?
	out=$(sort <<< "$out" | sed "s|$PWD|DIR|")
	if [ "$got" = "$expected" ] && [ "$out" = "$output" ]; then
		ok "$text: the hosts get the right lines"
	else
		not_ok "$text: the hosts get the right lines"
		note "status $got, should be $expected; output:"
		diag <<< "$out"
	fi
}

# refused TEXT STATUS REGEX ARGS...: the last line of what is said
refused()
{
	local text=$1 expected=$2 regex=$3 got out
	shift 3

	out=$("$ueadm" job run --ssh "$tmp/shell" "$@" 2>&1)
	got=$?
	if [ "$got" = "$expected" ] && [[ $(tail -n 1 <<< "$out") =~ $regex ]]; then
		ok "$text: ueadm fails and says why"
	else
		not_ok "$text: ueadm fails and says why"
		note "status $got, should be $expected; output:"
		diag <<< "$out"
	fi
}

# hosts TEXT LIST: "host:processes" of each agent, of this job
hosts()
{
	local text=$1 expected=$2 out
	shift 2

	out=$("$ueadm" job run --ssh "$tmp/shell" "$@" -- true 2>&1 |
		sed -n 's/^\([^ ]*\) ranks \([0-9]*\) \([0-9]*\) .*/\2 \1:\3/p' |
		sort -n | cut -d' ' -f2 | tr '\n' ' ')
	if [ "$out" = "$expected " ]; then
		ok "$text: each host gets its ranks"
	else
		not_ok "$text: each host gets its ranks"
		note "is '$out', should be '$expected '"
	fi
}

WORD=there prints "ranks, addresses, directory and variables" 0 \
'h1 WORD=there
h1 job name x id 5
h1 ranks 0 2 3 10.0.0.1/10,10.0.0.1/11,10.0.0.2/10 DIR prog -n a b
h2 WORD=there
h2 job name x id 5
h2 ranks 2 1 3 10.0.0.1/10,10.0.0.1/11,10.0.0.2/10 DIR prog -n a b' \
	--hosts h1:2,h2 -n 3 name x id 5 -- prog -n a b
prints "a job that is there" 0 \
'h1 job job 5
h1 ranks 0 1 1 10.0.0.1/10 DIR true' --hosts h1 job 5 -- true
prints "lines stay whole" 0 \
'h1 job id 5
h1 ranks 0 1 2 10.0.0.1/10,10.0.0.2/10 DIR halves
h2 job id 5
h2 ranks 1 1 2 10.0.0.1/10,10.0.0.2/10 DIR halves
one line
one line' --hosts h1,h2 id 5 -- halves
prints "one that fails ends the others" 5 \
'h1 end of input
h1 job id 5
h1 ranks 0 1 2 10.0.0.1/10,10.0.0.2/10 DIR fail
h1 waits
h2 job id 5
h2 ranks 1 1 2 10.0.0.1/10,10.0.0.2/10 DIR fail' --hosts h1,h2 id 5 -- fail

ids=$("$ueadm" job run --ssh "$tmp/shell" --hosts h1,h2 -- true |
	sed -n 's/^h. job id //p' | sort -u)
if [[ $ids =~ ^[0-9]{7,8}$ ]] && [ "$ids" -ge 8388608 ] && [ "$ids" -le 16777215 ]; then
	ok "all hosts get one JobID that nobody chose"
else
	not_ok "all hosts get one JobID that nobody chose: $ids"
fi

printf '%s\n' '# comment' 'h1 slots=3' '' '  h2	# another' > "$tmp/hosts"
hosts "a file" 'h1:3 h2:1' --hostfile "$tmp/hosts"
printf '\357\273\277h1:3\r\nh2 slots=2 max_slots=8\nh1\nn[08-10]x[1,2]:2' > "$tmp/hosts"
hosts "a file of another launcher is read" \
	'h1:4 h2:2 n08x1:2 n08x2:2 n09x1:2 n09x2:2 n10x1:2 n10x2:2' --hostfile "$tmp/hosts"
printf '%s\n' 'fd00::1 slots=2' '[fd00::2]:3' '[fd00::4] slots=2' 'me@fd00::3' > "$tmp/hosts"
hosts "a file has IPv6 addresses" 'fd00::1:2 fd00::2:3 fd00::4:2 me@fd00::3:1' --hostfile "$tmp/hosts"
hosts "a list has IPv6 addresses" 'fd00::1:1 fd00::2:4 fe80::1%eth0:1' \
	--hosts 'fd00::1,[fd00::2]:4,fe80::1%eth0'
hosts "a list has ranges" 'h1:2 h2:2 h9:1' --hosts 'h[1-2]:2,h9'
printf '%s\n' 'h1 slots=3' '  h2' > "$tmp/hosts"
hosts "only as many hosts as it takes" 'h1:2' --hostfile "$tmp/hosts" -n 2
export SLURM_JOB_NODELIST='h[1-3,07],h9'
hosts "nodes of Slurm" 'h1:1 h2:1 h3:1 h07:1 h9:1'
SLURM_TASKS_PER_NODE='2(x3),1,4' hosts "and their tasks" 'h1:2 h2:2 h3:2 h07:1 h9:4'
SLURM_TASKS_PER_NODE='2(x3),1,4' hosts "or fewer" 'h1:2 h2:1' -n 3
SLURM_TASKS_PER_NODE='2(x3' refused "bad tasks" 1 \
	'SLURM_TASKS_PER_NODE="2\(x3" is not N\(xM\),... for 5 nodes' -- true
hosts "a list goes before them" 'h4:1' --hosts h4
SLURM_STEP_NUM_TASKS=8 refused "each task of a step would start all" 1 \
	'this is one of 8 tasks of srun' -- true
PMIX_RANK=3 PMIX_NAMESPACE=slurm.pmix.5.0 SLURM_STEP_NUM_TASKS=8 refused \
	"each task of a step with PMIx would start all" 1 'this is one of 8 tasks of srun' -- true
OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=2 PMIX_NAMESPACE=99 refused \
	"each process of mpirun would start all" 1 \
	'this is one of 4 processes of mpirun \(OMPI_COMM_WORLD_RANK=2\), .* run it once: ueadm job run -n 4' \
	-- true
PMIX_RANK=0 PMIX_NAMESPACE=prterun-h1-9@1 refused "each process of prun would start all" 1 \
	'this is one of several processes of prun \(PMIX_RANK=0\)' -- true
PMI_RANK=0 PMI_SIZE=1 hosts "the only process of mpiexec starts all" 'h1:1 h2:1 h3:1 h07:1 h9:1'
SLURM_PROCID=0 SLURM_NTASKS=5 hosts "the script of a batch starts all" \
	'h1:1 h2:1 h3:1 h07:1 h9:1'
for list in 'h[1' 'h[1-' 'h[3-1]' 'h[a]' 'h[1]x[2' 'h[]' 'h[1' 'h,' '-x' 'h;x'; do
	SLURM_JOB_NODELIST=$list refused "bad nodes: $list" 1 '^ueadm: job: SLURM_JOB_NODELIST: ' \
		-- true
done
unset SLURM_JOB_NODELIST

refused "a name that is an option" 1 '--hosts: "-oX" is not the name of a host' \
	--hosts h1,-oX -- true
refused "no name" 1 '--hosts: "" is not the name' --hosts h1,,h2 -- true
refused "no processes" 1 'host "h1": the number of processes must be 1 to 1024' \
	--hosts h1:0 -- true
refused "no number" 1 'host "h1": the number of processes must' --hosts h1:x -- true
echo 'h1 cpus=3' > "$tmp/hosts"
refused "a word of a file" 1 'hosts:1: "cpus=3" is not slots=N' \
	--hostfile "$tmp/hosts" -- true
echo '#' > "$tmp/hosts"
refused "an empty file" 1 'it names no host' --hostfile "$tmp/hosts" -- true
refused "more than the hosts may have" 1 \
	'-n 3 is more than the 2 processes that the hosts may have' \
	--hosts h1,h2 -n 3 -- true
refused "more than there are PIDonFEPs" 1 \
	'host h1: 5 processes need PIDs up to 14, but job 77 has them to 13' \
	--hosts h1:5 -- true
refused "a host that is dead" 1 'host dead: .* has ended before the job was there' \
	--hosts h1,dead -- true
refused "a host that says something else" 1 \
	'host strange: "welcome to strange" is not what' --hosts strange -- true
out=$("$ueadm" job run --ssh /nonexistent --hosts h1 -- true 2>&1)
if [ $? -eq 1 ] && grep -q 'job: "/nonexistent" (No such file' <<< "$out"; then
	ok "a remote shell that is missing is named"
else
	not_ok "a remote shell that is missing is named: $out"
fi

"$ueadm" job run --ssh "$tmp/shell" --hosts h1,h2 -- wait > "$tmp/out" &
pid=$!
for ((i = 0; i < 500; i++)); do
	[ "$(grep -c waits "$tmp/out")" -lt 2 ] || break
	sleep 0.02
done
kill -USR1 $pid
wait $pid
status=$?
if [ $status -eq 0 ] && [ "$(grep -c 'got 10$' "$tmp/out")" -eq 2 ]; then
	ok "a signal goes to all hosts"
else
	not_ok "a signal goes to all hosts"
	diag < "$tmp/out"
fi
tap_end
