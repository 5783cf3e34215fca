#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The CNI plugin behind Debian's plugin macvlan: two pods on two nodes get rails, a FEP and a
# job, and send a file to each other.  What fails leaves nothing, says why, and in the form
# that a runtime reads.
#
#	pod1 net0 ~ node1 r0 --- r0 node2 ~ net0 pod2
#
# clock: virtual; size: check; takes: 4 s; limit: 120 s

. "$(dirname "$0")/../lib.sh"

plugins=/usr/lib/cni
uet=$REPO/build/uet-cni

[ -x $plugins/macvlan ] || {
	echo "1..0 # SKIP no $plugins/macvlan: apt install containernetworking-plugins"
	exit 0
}

# cni COMMAND POD PLUGIN < CONFIGURATION: one call of a runtime, on the node of the pod
cni()
{
	local command=$1 pod=$2 plugin=$3

	on "$pod" env CNI_COMMAND="$command" CNI_CONTAINERID="pod$pod" CNI_IFNAME=net0 \
		CNI_NETNS="/run/netns/${NS[pod$pod]}" CNI_PATH=$plugins "$plugin"
}

# conf TYPE [MEMBERS]: a configuration
conf()
{
	printf '{"cniVersion":"1.0.0","name":"fabric","type":"%s"%s}' "$1" "${2:+,$2}"
}

macvlan_conf()
{
	conf macvlan "\"master\":\"r0\",\"mode\":\"bridge\",\"ipam\":{\"type\":\"static\",
		\"addresses\":[{\"address\":\"10.64.0.10$1/24\"}]}"
}

# uet_conf POD MEMBERS: one of uet, with the result of macvlan
uet_conf()
{
	conf uet "$2,\"prevResult\":$(cat "$TMP/macvlan$1")"
}

# pod_has TEXT OBJECT REGEX: what ueadm shows of pod1
pod_has()
{
	assert_match "$1" "$(ueadm -n "${NS[pod1]}" -j "$2" show)" "$3"
}

# refused TEXT REGEX MEMBERS: ADD fails with an error that matches
refused()
{
	local out

	out=$(uet_conf 1 "$3" | cni ADD 1 "$uet")
	assert_eq "$1: the plugin ends ADD with an error" $? 1
	assert_match "$1: the runtime reads why" "$out" "$2"
}

setup_fabric --bare
whole='"fep":{"mtu":2048,"cc":"nscc"},"job":{"id":7,"uid":0,"pids":"0-99"}'
for n in 1 2; do
	NS[pod$n]=pod$n-$$
	must ip netns add "${NS[pod$n]}"
	must ip -n "${NS[pod$n]}" link set lo up
	macvlan_conf $n | cni ADD $n $plugins/macvlan > "$TMP/macvlan$n" ||
		die "macvlan: $(cat "$TMP/macvlan$n")"
done

refused "an unknown setting" 'unknown word: \\"colour\\"' '"fep":{"colour":"red"}'
refused "a setting that is a list" '"code":7.*cc must be a string or a number' '"fep":{"cc":[]}'
refused "a rail that is not there" '"code":100.*net9' '"fep":{"rails":"net0,net9"}'
refused "a plane out of range" '"code":100.*plane' '"plane":-1'
refused "a job without a FEP" '"code":7.*a job needs a fep' '"job":{"id":7}'
refused "a plane that is a word" '"code":7.*plane must be of type int' '"plane":"a"'
pod_has "what was refused has left no rail" rail '^\[\]$'

for n in 1 2; do
	uet_conf $n "$whole" | cni ADD $n "$uet" > "$TMP/result$n"
	assert_eq "ADD succeeds in pod$n" $? 0
	assert_eq "ADD passes on the result of macvlan in pod$n" \
		"$(gojq -S -c . < "$TMP/result$n")" "$(gojq -S -c . < "$TMP/macvlan$n")"
done
pod_has "the netdev is a rail" rail '"dev":"net0"'
pod_has "the FEP has the address of the netdev" fep '"addr":"10.64.0.101".*"mtu":2048'
pod_has "the job has what the configuration says" job '"id":7.*"pid-min":0,"pid-max":99'
out=$(uet_conf 1 "$whole" | cni ADD 1 "$uet")
assert_eq "a second ADD fails" $? 1
pod_has "a second ADD leaves what the first has made" job '"id":7'
check "CHECK finds everything" cni CHECK 1 "$uet" <<< "$(uet_conf 1 "$whole")"

head -c 300000 /dev/urandom > "$TMP/file"
nsenter --net="/run/netns/${NS[pod2]}" uetcat -j 7 -l > "$TMP/received" &
listener=$!
check "pod1 sends a file" nsenter --net="/run/netns/${NS[pod1]}" \
	uetcat -j 7 10.64.0.102 < "$TMP/file"
wait $listener
assert_eq "pod2 has received the file" "$(sha256sum < "$TMP/received")" \
	"$(sha256sum < "$TMP/file")"

must ueadm -n "${NS[pod1]}" job del 7
out=$(uet_conf 1 "$whole" | cni CHECK 1 "$uet")
assert_match "CHECK says that the job is gone" "$out" '"code":101.*no such job'
check "DEL succeeds when a part is gone" cni DEL 1 "$uet" <<< "$(uet_conf 1 "$whole")"
pod_has "DEL removes the FEP" fep '^\[\]$'
pod_has "DEL removes the rail" rail '^\[\]$'
check "DEL succeeds again" cni DEL 1 "$uet" <<< "$(uet_conf 1 "$whole")"
must ip netns del "${NS[pod2]}"
check "DEL succeeds without the namespace" cni DEL 2 "$uet" <<< "$(uet_conf 2 "$whole")"
unset "NS[pod2]"
check "STATUS says that the plugin can work" cni STATUS 1 "$uet" <<< "$(conf uet)"
check "the plugin has nothing to collect, and GC succeeds" cni GC 1 "$uet" <<< "$(conf uet)"
assert_match "VERSION lists versions" "$(cni VERSION 1 "$uet" <<< '{}')" '"1.0.0"'
out=$(printf '{"cniVersion":"9.0.0","type":"uet"}' | cni ADD 1 "$uet")
assert_match "a version of the future is refused" "$out" 'cniVersion 9.0.0 is not supported'
out=$(echo nonsense | cni ADD 1 "$uet")
assert_match "what is not JSON is refused" "$out" '"code":6'
finish_tests
