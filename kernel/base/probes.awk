# SPDX-License-Identifier: GPL-2.0
#
# Writes a macro for each probe that compiles.
#
# usage: awk -f probes.awk probes.def -	the messages of the compiler are the second input

BEGIN {
	print "/* SPDX-License-Identifier: GPL-2.0 */"
	print "/* Written by the build from probes.def, for the headers of one kernel. */"
}

FNR == NR {
	if (match($0, /^PROBE\([A-Z0-9_]+/)) {
		names[++count] = substr($0, 7, RLENGTH - 6)
		at[FNR] = names[count]
	}
	next
}

# gcc names the function before its messages, which may be about lines of headers.
/ In function .probe_/ {
	function_name = $0
	sub(/.*probe_/, "", function_name)
	sub(/[^A-Z0-9_].*/, "", function_name)
	next
}

/ error: / {
	name = function_name
	if (match($0, /probes\.def:[0-9]+:/))
		name = at[substr($0, RSTART + 11, RLENGTH - 12)]
	if (name == "") {
		print > "/dev/stderr"
		is_bad = 1
	}
	failed[name] = 1
}

END {
	if (!("NOTHING" in failed)) {
		print "uet: the compiler says nothing about kernel/base/probes.def" > "/dev/stderr"
		is_bad = 1
	} else if ("GENL_OP_POLICY" in failed) {
		print "uet: error: this kernel is too old: the module needs the network " \
			"stack of Linux 5.10 or newer: see README.md" > "/dev/stderr"
		is_bad = 1
	}
	for (i = 1; i <= count; i++)
		if (!(names[i] in failed))
			print "#define UET_HAS_" names[i]
	exit is_bad
}
