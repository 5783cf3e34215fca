// SPDX-License-Identifier: GPL-2.0
/*
 * Selects a mutant when a test program begins and bounds its run: a mutant that loops
 * ends the program after UET_MUTANT_MS milliseconds of CPU time.
 * Level: test.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "mutant.h"

unsigned int uet_mutant;
unsigned char uet_mutants_reached[UET_MUTANTS_MAX];

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void mutant_select(void)
{
	unsigned long ms = number("UET_MUTANT_MS");
	struct itimerval end = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 },
	};

	uet_mutant = number("UET_MUTANT");
	if (ms)
		setitimer(ITIMER_VIRTUAL, &end, NULL);
}

__attribute__((destructor)) static void mutant_write_reached(void)
{
	const char *name = getenv("UET_MUTANTS_REACHED");
	FILE *f = name ? fopen(name, "wb") : NULL;
	uint64_t ms = (uint64_t)clock() * 1000 / CLOCKS_PER_SEC;

	if (!f)
		return;
	fwrite(&ms, sizeof(ms), 1, f);
	fwrite(uet_mutants_reached, 1, sizeof(uet_mutants_reached), f);
	fclose(f);
}
