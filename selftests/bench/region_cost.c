// SPDX-License-Identifier: GPL-2.0
/*
 * Measures registration and deregistration of memory: prints the median in nanoseconds
 * of CLOCK_MONOTONIC for each length, in pages of 4 KiB and in huge pages.  Started by
 * regions.  Level: test.
 *
 * usage: region_cost FABRIC-ADDRESS JOB
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "times.h"
#include "uet_ioctl.h"

#define SAMPLES	301
#define HUGE	(2ul << 20)

/* Memory that begins with a huge page, all of it written once. */
static void *map(int advice)
{
	char *mem = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		err(2, "mmap");
	mem += -(uintptr_t)mem % HUGE;
	if (madvise(mem, HUGE, advice))
		err(2, "madvise");
	return memset(mem, 1, HUGE);
}

static void measure(int fd, void *mem, size_t len, const char *pages)
{
	static uint64_t reg_ns[SAMPLES], dereg_ns[SAMPLES];
	uint64_t begin, middle;

	for (int i = 0; i < SAMPLES; i++) {
		struct uet_mr_reg reg = {
			.addr = (uintptr_t)mem, .length = len,
			.access = UET_MR_WRITE | UET_MR_READ,
		};

		begin = now_ns();
		if (uet_ioctl(fd, UET_IOC_MR_REG, &reg))
			err(2, "UET_IOC_MR_REG");
		middle = now_ns();
		if (ioctl(fd, UET_IOC_MR_DEREG, &reg.key))
			err(2, "UET_IOC_MR_DEREG");
		reg_ns[i] = middle - begin;
		dereg_ns[i] = now_ns() - middle;
	}
	printf("%-8zu  %-6s  %10llu  %10llu\n", len, pages,
	       (unsigned long long)times_median(reg_ns, SAMPLES),
	       (unsigned long long)times_median(dereg_ns, SAMPLES));
}

int main(int argc, char **argv)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_pid = UET_PID_ANY,
	};
	int fd = socket(AF_UET, SOCK_RDM, 0);
	void *small, *huge;

	if (argc != 3 || inet_pton(AF_INET, argv[1], &addr.suet_fa4) != 1)
		errx(2, "usage: region_cost FABRIC-ADDRESS JOB");
	addr.suet_job = atoi(argv[2]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(2, "bind");
	small = map(MADV_NOHUGEPAGE);
	huge = map(MADV_HUGEPAGE);
	printf("%-8s  %-6s  %10s  %10s\n", "bytes", "pages", "register",
	       "deregister");
	for (size_t len = 4096; len <= 1 << 20; len *= 16) {
		measure(fd, small, len, "4 KiB");
		measure(fd, huge, len, "2 MiB");
	}
	return 0;
}
