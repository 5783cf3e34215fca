// SPDX-License-Identifier: GPL-2.0
/*
 * Objects for charges.sh: makes COUNT of a kind, or as many as the kernel grants, and
 * says how many and why no more.  All its own memory is there before, and it leaves its
 * cgroup before it writes: the cgroup is full.  Level: test.
 *
 * usage: charge rails|feps|sds|jobs COUNT	in this network namespace
 *	  charge pdcs COUNT ADDR TO		from an own fabric address to another, whose
 *						endpoints have PIDonFEP 100 and following
 *	  charge rings|regions|receives COUNT ADDR	of endpoints at an own fabric address
 * The sockets keep this memory until the program is stopped.
 * UET_CGROUP: the cgroup.procs to which it moves at the end.
 */
#define _GNU_SOURCE
#include "uetmake.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "uet_ioctl.h"
#include "uetarg.h"

#define PID_FIRST	100
#define REGION		(2 << 20)	/* bytes */

static const char *from, *to;
static int outside;	/* cgroup.procs of another cgroup */

/* Job 1 is there. */
static int make_next_job(int i)
{
	return make_job(i + 1);
}

/* Opened by a message of a socket of its own. */
static int make_pdc(int i)
{
	struct sockaddr_uet mine = arg_address(from, UET_PID_ANY, 0);
	struct sockaddr_uet peer = arg_address(to, PID_FIRST + i, 1);
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0 || bind(fd, (void *)&mine, sizeof(mine)) ||
	    sendto(fd, "x", 1, 0, (void *)&peer, sizeof(peer)) != 1)
		return errno;
	return 0;
}

/* A ring belongs to a socket. */
static int make_ring(int i)
{
	struct uet_cq_ring ring = { .entries = UET_CQ_RING_LIMIT };

	return uet_ioctl(arg_endpoint(from, UET_PID_ANY, i), UET_IOC_CQ_RING, &ring) ? errno : 0;
}

static int own_endpoint(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = arg_endpoint(from, UET_PID_ANY, 0);
	return fd;
}

/* All of the same memory: the pages do not count, what describes them does. */
static int make_region(int i)
{
	static void *memory;
	struct uet_mr_reg reg = { .length = REGION };

	if (!i)
		memory = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.addr = (uintptr_t)memory;
	return uet_ioctl(own_endpoint(), UET_IOC_MR_REG, &reg) ? errno : 0;
}

static int make_receive(int i)
{
	struct uet_recv_post post = {
		.cookie = i, .flags = UET_RECV_ANY_SOURCE | UET_RECV_ADDR,
	};

	return uet_ioctl(own_endpoint(), UET_IOC_RECV_POST, &post) ? errno : 0;
}

static const struct {
	const char *name;
	int (*make)(int i);
} kinds[] = {
	{ "rails", make_rail }, { "feps", make_fep }, { "sds", make_sd },
	{ "jobs", make_next_job }, { "pdcs", make_pdc }, { "rings", make_ring },
	{ "regions", make_region }, { "receives", make_receive },
};

static void make_all(int (*make)(int i), int count)
{
	int error = 0, i;
	static char out[128];

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	for (i = 0; i < count && !error; i++)
		error = make(i);
	ASSERT_EQ(write(outside, "0", 1), 1);
	printf("made %d: %s\n", error ? i - 1 : i, error ? strerrorname_np(error) : "all");
	fflush(stdout);
	if (from)
		pause();
}

int main(int argc, char **argv)
{
	struct rlimit files = { 4096, 4096 };
	unsigned int k;

	if (argc < 3)
		return 2;
	from = argc >= 4 ? argv[3] : NULL;
	to = argc == 5 ? argv[4] : NULL;
	outside = open(getenv("UET_CGROUP") ? : "", O_WRONLY);
	ASSERT_SYS(outside);
	ASSERT_SYS(setrlimit(RLIMIT_NOFILE, &files));
	make_fd = nlreq_open(NETLINK_GENERIC);
	make_family = nlreq_family(make_fd, UET_FAMILY_NAME);
	ASSERT_SYS(mlockall(MCL_CURRENT | MCL_FUTURE));
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		if (!strcmp(argv[1], kinds[k].name))
			make_all(kinds[k].make, atoi(argv[2]));
	}
	return 0;
}
