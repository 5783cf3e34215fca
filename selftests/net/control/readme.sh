#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# README.md's lines for two machines, as they are written there; only the address is that
# of the node.  Then its examples of output: what the commands print has their form.
#
#	node1 10.0.0.1 eth0 ------ eth0 10.0.0.2 node2
#	               eth1 ------ eth1                 for the examples
#
# clock: virtual; size: check; takes: 20 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"
. "$REPO/selftests/lib/readme.sh"

me=net/control/readme

# line BEGINNING NODE: README's only line that begins so, with the address of the node
line()
{
	readme_lines $me "$1" | sed "s/10\.0\.0\.1/10.0.0.$2/"
}

# run_line NODE BEGINNING [ADDRESS OF]: a shell of the node executes it
run_line()
{
	local command

	command=$(line "$2" "${3-$1}")
	check "README's \"$command\" works on node $1" \
		on "$1" bash -ec "cd $TMP/$1; $command"
}

# is_listening NODE
is_listening()
{
	ue "$1" ep show | grep -q fep0
}

has_pdc()
{
	ue 1 pdc show | grep -q ESTABLISHED
}

# links NAME...: veths between the nodes
links()
{
	local name

	for name; do
		must ip link add "$name" netns "${NS[1]}" type veth \
			peer name "$name" netns "${NS[2]}"
		must ip -n "${NS[1]}" link set "$name" up
		must ip -n "${NS[2]}" link set "$name" up
	done
}

two_machines()
{
	local node

	links eth0
	for node in 1 2; do
		mkdir "$TMP/$node"
		must ip -n "${NS[$node]}" link del fa0
		must ip -n "${NS[$node]}" addr add "10.0.0.$node/24" dev eth0
		run_line $node "ueadm rail add"
		run_line $node "ueadm fep add"
		run_line $node "ueadm job add"
	done
	head -c 300000 /dev/urandom > "$TMP/2/file"
	start listener 1 bash -ec "cd $TMP/1; $(line 'uetcat -l' 1)"
	wait_for "README's \"uetcat -l\" listens" 30 is_listening 1
	run_line 2 "uetcat 10.0.0.1 <" 1
	check "README's \"uetcat -l\" ends well" finish listener
	check "the received file is the one that was sent" cmp "$TMP/2/file" "$TMP/1/received"
}

# two_rails: as in the examples
two_rails()
{
	local node peer rail

	links eth1
	for node in 1 2; do
		peer=$((3 - node))
		must ue $node reset
		must ip -n "${NS[$node]}" addr flush dev eth0
		ip -n "${NS[$node]}" -batch - <<-X || die "cannot address the rails"
			link add fa0 type dummy
			link set fa0 up
			addr add 10.0.0.$node/32 dev fa0
			link set eth0 mtu 4500
			link set eth1 mtu 4500
			addr add 10.64.0.$node/24 dev eth0
			addr add 10.65.0.$node/24 dev eth1
			route add 10.0.0.$peer nexthop via 10.64.0.$peer dev eth0 nexthop via 10.65.0.$peer dev eth1
		X
		for rail in 0 1; do
			must ue $node rail add eth$rail plane $rail
		done
		must ue $node fep add fep0 addr 10.0.0.$node rails eth0,eth1
		must ue $node job add 1 feps fep0
	done
}

# form: stdin without its numbers, and with columns one blank apart
form()
{
	sed -E 's/(^| )(-|[0-9][^ ,]*)( |$)/\1V\3/g; s/(^| )(-|[0-9][^ ,]*)( |$)/\1V\3/g
		s/[0-9]+([.:][0-9]+)*/N/g; s/  +/ /g'
}

# has_form BEGINNING: README's command prints on node 1 what README shows, besides hints about
# the host, a VM whose clock nobody sets
has_form()
{
	local command out

	command=$(readme_lines $me "# $1")
	out=$(on 1 bash -c "${command#\# }" 2>&1 | sed '/^hint: host: /,+1d')
	assert_eq "README's \"${command#\# }\" prints what the example shows" \
		"$(form <<< "$out")" "$(readme_output "$1" | form)"
}

examples()
{
	must ip -n "${NS[2]}" link set eth1 mtu 1500
	has_form "ueadm check peer"
	must ip -n "${NS[2]}" link set eth1 mtu 4500
	has_form "ueadm ping"
	start listener 2 uetcat -l
	wait_for "uetcat listens on node 2" 30 is_listening 2
	# A sender that waits for more to send keeps its PDC.
	must mkfifo "$TMP/data"
	start sender 1 bash -c "exec uetcat 10.0.0.2 < $TMP/data"
	exec {data}> "$TMP/data"
	echo data >&"$data"
	wait_for "uetcat has a PDC" 30 has_pdc
	has_form "ueadm top peer"
}

add_node 1
add_node 2
two_machines
two_rails
examples
finish_tests
