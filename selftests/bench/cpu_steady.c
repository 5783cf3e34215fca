// SPDX-License-Identifier: GPL-2.0
/*
 * A library for LD_PRELOAD that marks for cpu_lines.c what uetperf measures.  uetperf reads
 * /proc/uptime when its warm-up is over, and again when its last message has arrived; at
 * each an instruction without effect is executed that no compiler makes.  Level: test.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
	static bool has_begun;

	if (strcmp(path, "/proc/uptime"))
		return next(path, mode);
	if (has_begun)
		asm volatile("xchg %rcx, %rcx");
	else
		asm volatile("xchg %rdx, %rdx");
	has_begun = true;
	return next(path, mode);
}
