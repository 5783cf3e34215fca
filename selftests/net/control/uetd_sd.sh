#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Secure domains that uetd keeps, on two nodes that share nothing but a key file and
# the time: keys take over from one another while messages are under way, uetd may
# die, a node may lose its kernel's memory, files may change, and nothing is lost;
# a key that is revoked is gone for good, and a file that is not private is none.
#
#	node1 r0 ----- r0 node2
#
# clock: virtual; size: check; takes: 50 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/uetd_run.sh"

# Long enough for a machine that is busy, too.
period=$((4 + 4 * SCALE))
overlap=$((1 + SCALE))
# By node: packets refused that are no fault of keys.
refused=([1]=0 [2]=0)

# renew_key: a new key, into the key files of both nodes, at a stroke
renew_key()
{
	local n

	genkey key
	for n in 1 2; do
		cp "$TMP/key" "$TMP/key$n.new"
		chown 65534 "$TMP/key$n.new"
		mv "$TMP/key$n.new" "$TMP/key$n"
	done
}

# conf NODE
conf()
{
	write_conf "$1" '[rail r0]\nplane = 0' \
		"[sd s]\\nsdi = 7\\nkey-file = $TMP/key$1" \
		"rotation = ${period}s\\noverlap = ${overlap}s" \
		"[fep fep0]\\naddr = $(fa "$1")\\nrails = r0\\nsd = s" \
		'[job 1]\nfeps = fep0'
}

# in_use NODE WHAT: number, check or epoch of the key in use
in_use()
{
	[[ $(ue "$1" -j sd show s) =~ \"used\":true,[^\}]*\"$2\":([0-9]+) ]] &&
		echo "${BASH_REMATCH[1]}"
}

in_use_is()
{
	compare "$(in_use "$1" "$2")" "$3" "$4"
}

# in_use_is_not NODE WHAT VALUE: but another
in_use_is_not()
{
	local value

	value=$(in_use "$1" "$2") && [ "$value" != "$3" ]
}

# next_rotation NODE: another key is in use, of which there is some time left
next_rotation()
{
	local number

	number=$(in_use "$1" number)
	wait_for "node $1: the key after $number comes into use" $((3 * period / SCALE)) \
		in_use_is "$1" number -gt "$number"
}

# has_keys NODE: one of them in use
has_keys()
{
	[[ $(ue "$1" -j sd show s) =~ \"used\":true ]]
}

has_no_keys()
{
	! [[ $(ue "$1" -j sd show s) =~ \"keys\": ]]
}

# keyless: packets that either node had no key for
keyless()
{
	local reasons='tss-no-key|tss-key-wait|tss-epoch|tss-tx-no-key'

	echo $(($(drops 1 "$reasons") + $(drops 2 "$reasons")))
}

# count_refused NODE: for a wrong ICV, in clear, or come before
count_refused()
{
	drops "$1" 'tss-auth|tss-clear|tss-replay'
}

# nothing_refused TEXT: since the beginning, but for what is known
nothing_refused()
{
	local n

	for n in 1 2; do
		assert_eq "$1: node $n: all packets come sealed and with a good ICV" \
			"$(count_refused "$n")" "${refused[$n]}"
		note "node $n: $(reasons_in "$(stats "$n")" | tr '\n' ' ')"
	done
}

# keys_hidden: of what anybody may read
keys_hidden()
{
	local text key

	key=$(< "$TMP/key")
	text=$(ue 1 -j sd show; ue 1 showconf; dmesg; cat "$TMP/manager.out" \
		"$TMP"/uetd?.err "$TMP"/uetd?.out)
	assert_eq "no key is told" "$(occurrences "$text" "${key:4:12}")" 0
}

# bad_file TEXT REGEX: a key file that is refused at the start
bad_file()
{
	local out

	if out=$(on 1 uetd -c "$TMP/uetd1.conf" --once 2>&1); then
		not_ok "$1: uetd refuses the key file"
	else
		assert_match "$1: uetd refuses the key file" "$out" "key-file: $TMP/key1: $2"
	fi
	assert_eq "$1: nothing is made" "$(ue 1 -j sd show)" '[]'
}

setup_fabric --rails 1 --bare
start_manager
renew_key
conf 1
conf 2

chmod 644 "$TMP/key1"
bad_file "readable by others" 'users other than its owner have access, mode 0644'
chown 4711 "$TMP/key1"
chmod 600 "$TMP/key1"
bad_file "somebody else's" 'belongs to user 4711, not to root or user 0'
mv "$TMP/key1" "$TMP/real"
ln -s real "$TMP/key1"
bad_file "a symbolic link" 'is a symbolic link'
renew_key

# From nothing, one after the other.
start_uetd 1
check "node 1: uetd is ready" busywait 30 was_reported 'notify READY=1' 1
start_uetd 2
check "node 2: uetd is ready" busywait 30 was_reported 'notify READY=1' 2
check "the state has it" was_reported 'notify STATUS=rails 1, feps 1, jobs 1, sds 1' 2
for line in 'UET_OBJECT=sd s' 'UET_VERB=add' 'UET_VERB=set key' \
	'UET_VERB=use key' 'MESSAGE=sd s: use key [0-9]+, association number [01], until .* UTC'; do
	check "the journal has $line" was_reported "journal $line" 2
done
for n in 1 2; do
	assert_eq "node $n: nobody but root may look into its memory" \
		"$(stat -c %u "/proc/${PID[uetd$n]}/status")" 0
done
transfer "a transfer" 1 2 5 -n 4 -s 100000
assert_eq "both nodes know the key by the same check" "$(in_use 1 check)" \
	"$(in_use 2 check)"

assert_match "a clock that nobody looks after is a hint where uetd rotates keys" \
	"$(ue 1 -o check)" \
	'^hint: host: the clock is not synchronised: hosts that rotate keys by time'

# Turns, while messages are under way.
sink rx 2 6 -E
source_to tx 1 2 6 -E -n 1000000 -s 4096 -g 10 -P "$TMP/tx.sent"
wait_for "traffic flows between the nodes" 60 progress_is tx -ge 3
first=$(in_use 1 number)
lost=$(keyless)
for turn in 1 2 3; do
	next_rotation 1
	traffic_goes_on "turn $turn"
done
check "node 2 has had as many" busywait 30 in_use_is 2 number -ge $((first + 3))
assert_eq "no packet was lost for want of a key" "$(keyless)" "$lost"

# Its death, at a time when it has little to do for a while.
next_rotation 1
number=$(in_use 1 number)
nothing_refused "turns"
stop uetd1 KILL
traffic_goes_on "its death"
listen
start_uetd 1
check "uetd comes back after its death" busywait 30 told 'notify READY=1'
check "the new uetd goes on from the key that is due" in_use_is 1 number -ge "$number"
if [ "$number" != "$(in_use 1 number)" ]; then
	# A node without uetd goes on with the key behind the same number.
	note "a slow machine: it was away over a turn"
	for n in 1 2; do refused[n]=$(count_refused $n); done
fi
next_rotation 1
traffic_goes_on "its return"
kill -TERM "${PID[tx]}"
check "the sender ends well" finish tx
check "no message is lost" finish rx
assert_eq "no message has failed" "$(counter 1 msg-failed)" 0
nothing_refused "its return"

# A node that has lost all comes back into the period, in an epoch of it.
next_rotation 2
stop uetd2 TERM
must ue 2 reset
assert_eq "node 2 has no domain" "$(ue 2 -j sd show)" '[]'
listen
start_uetd 2
check "node 2 is made again" busywait 30 told 'notify READY=1'
assert_eq "the epoch lies in the period of its key" \
	"$(($(in_use 2 epoch) / 8))" "$(($(in_use 2 number) % 8192))"
transfer "to who came back" 1 2 5 -n 4 -s 100000
transfer "from who came back" 2 1 5 -n 4 -s 100000
nothing_refused "return"

# Another file: its keys take their turn.
next_rotation 1
check=$(in_use 1 check)
renew_key
for n in 1 2; do kill -HUP "${PID[uetd$n]}"; done
for n in 1 2; do
	check "node $n: the other file has its turn" \
		busywait $((3 * period / SCALE)) in_use_is_not $n check "$check"
done
assert_eq "both nodes use keys of one file" "$(in_use 1 check)" "$(in_use 2 check)"
transfer "under another file" 1 2 5 -n 4 -s 100000
nothing_refused "another file"

# Revoked.
check "a ping passes under another file" on 1 ueadm ping fep0 "$(fa 2)" count 1
listen
for n in 1 2; do check "node $n: the secure domain can be revoked" ue $n sd revoke s; done
if on 1 ueadm ping fep0 "$(fa 2)" count 1 > "$TMP/why" 2>&1; then
	not_ok "nothing leaves a node without a key"
	diag < "$TMP/why"
else
	ok "nothing leaves a node without a key"
fi
# By the next turn uetd would have set another one.
for n in 1 2; do
	check "node $n: uetd reports that its key is revoked" \
		busywait $((3 * period / SCALE)) told \
		"journal MESSAGE=sd s: waiting: the key of $TMP/key$n is revoked, there must be another one"
done
for n in 1 2; do
	reload $n "the same file"
	assert_match "node $n: no key comes back by itself" \
		"$(ue $n -j sd show s)" '"epoch-age":16,.*"revoked":\[[0-9]+'
	check "node $n: no key of the domain is there" has_no_keys $n
	assert_match "node $n: people are shown that" "$(ue $n sd show s)" \
		'cluster +- +revoked '
done
renew_key
for n in 1 2; do
	kill -HUP "${PID[uetd$n]}"
	check "node $n: a new one is taken" busywait 30 has_keys $n
done
transfer "under the new key" 1 2 5 -n 4 -s 100000

keys_hidden
for n in 1 2; do
	kill -TERM "${PID[uetd$n]}"
	check "node $n: uetd ends without an error" finish "uetd$n"
done
check "domain and keys stay" has_keys 1
check "another uetd without root finds nothing wrong" on 1 setpriv --reuid 65534 \
	--clear-groups --inh-caps=-all,+net_admin \
	--ambient-caps=-all,+net_admin uetd -c "$TMP/uetd1.conf" --once
finish_tests
