# SPDX-License-Identifier: GPL-2.0
#
# For scripts that start VMs: when such a script ends, in whatever way, its VMs end, although
# processes between the script and a VM know nothing of its end.  A child holds one end of
# a pipe and dies with the script; each vm/run below it inherits the other end, whose number
# is in VM_LIFELINE, and ends when it can be read.
# shellcheck shell=bash

lifeline()
{
	local fifo fd

	fifo=$(mktemp -u) && mkfifo "$fifo" || exit 2
	setpriv --pdeathsig KILL sleep infinity > "$fifo" 2> /dev/null &
	# It is not one of the jobs that the script waits for.
	disown
	exec {fd}< "$fifo"
	rm "$fifo"
	export VM_LIFELINE="${VM_LIFELINE-} $fd"
}

lifeline
