// SPDX-License-Identifier: GPL-2.0
/*
 * Makes and removes network namespaces, again and again until it is stopped, and prints
 * how often.  Level: test.
 *
 * usage: netns_load COUNT empty|fep	COUNT namespaces each time; with loopback as a rail
 *					and a FEP on it, or without
 */
#define _GNU_SOURCE
#include "uetns.h"

#include <fcntl.h>
#include <sys/resource.h>

static int open_ns(void)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	ASSERT_SYS(fd);
	return fd;
}

static void make(int *ns, int count, bool with_fep)
{
	uint16_t family;
	int i, fd;

	for (i = 0; i < count; i++) {
		fd = uetns_enter(&family);
		if (with_fep)
			uetns_add_fep(fd, family);
		close(fd);
		ns[i] = open_ns();
	}
}

int main(int argc, char **argv)
{
	int count = argc < 3 ? 0 : atoi(argv[1]), home, i;
	struct rlimit files = { count + 64, count + 64 };
	unsigned int cycles;
	int *ns;

	if (count < 1)
		return 2;
	ns = calloc(count, sizeof(*ns));
	home = open_ns();
	ASSERT_SYS(setrlimit(RLIMIT_NOFILE, &files));
	for (cycles = 1; ; cycles++) {
		make(ns, count, !strcmp(argv[2], "fep"));
		printf("made %d, cycle %u\n", count, cycles);
		fflush(stdout);
		ASSERT_SYS(setns(home, CLONE_NEWNET));
		for (i = 0; i < count; i++)
			close(ns[i]);
	}
}
