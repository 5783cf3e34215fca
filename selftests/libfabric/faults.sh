#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Open MPI when something breaks: a peer that is gone, a rank that is killed, a rail that
# goes down and comes back, a daemon uetd that is killed and started again.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
/usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where" || needs mpi4py python3-mpi4py

setup_fabric --nodes 2
mpi_set_up

# crashes OUTPUT: of mpirun
crashes()
{
	grep -c "exited on signal 11" <<< "$1"
}

out=$(mpi 2 /usr/bin/python3 "$LF_DIR/mpi_gone.py" 2>&1)
assert_match "the sockets of a rank are shut down" "$out" "shut down: [1-9]"
assert_eq "a message to it returns an error to each other rank" \
	"$(grep -c '^rank [012]: ' <<< "$out")" 3
assert_eq "no rank crashes by injected messages" "$(crashes "$out")" 0

out=$(mpi 2 /usr/bin/python3 "$LF_DIR/mpi_killed.py" 2>&1)
status=$?
assert_match "a rank is killed" "$out" "a rank kills itself"
assert_match "the others are ended, with an error" "$status" "^[1-9]"
assert_eq "none of the ranks crashes" "$(crashes "$out")" 0

# begin_messages, end_messages TEXT: around a disturbance
begin_messages()
{
	: > "$TMP/ops"
	mpi 1 /usr/bin/python3 "$LF_DIR/mpi_ops.py" 10 > "$TMP/ops" 2>&1 &
	PID[ops]=$!
	busywait 60 rings_are 1
}

end_messages()
{
	wait "${PID[ops]}"
	assert_eq "$1" "$?" 0
	unset "PID[ops]"
}

# rings_are COUNT: at least so many steps have ended
rings_are()
{
	compare "$(grep -c "ring ok" "$TMP/ops")" -ge "$1"
}

begin_messages
must ip -n "${NS[1]}" link set r1 down
check "messages go on over the other rail" busywait 60 rings_are 3
must ip -n "${NS[1]}" link set r1 up
end_messages "a rail goes down and comes back: no message is lost"

# keeps_fabric NODE: its uetd has the configuration of its file
keeps_fabric()
{
	start "uetd$1" "$1" uetd -c "$TMP/uetd$1.conf"
	busywait 60 grep -qs "configured: rails" "$TMP/uetd$1.err"
}

for node in 1 2; do
	must ue $node config save file "$TMP/uetd$node.conf"
	check "node $node: uetd has the configuration" keeps_fabric $node
done
begin_messages
for node in 1 2; do
	stop uetd$node KILL
	check "node $node: uetd has it again" keeps_fabric $node
done
check "both uetd are killed and start again: messages go on" busywait 60 rings_are 5
end_messages "both uetd are killed and start again: no message is lost"
stop uetd1
stop uetd2
finish_tests
