// SPDX-License-Identifier: GPL-2.0
/*
 * How long an operation of rtnetlink takes: a netdev gets one MTU, then another.  Prints
 * the median, the 99th of a hundred and the longest, in microseconds.  Level: test.
 *
 * usage: rtnl_latency IFINDEX SECONDS
 */
#include "nlreq.h"

#include <net/if.h>

#include "times.h"

#define SAMPLES_MAX	1000000

static uint64_t set_mtu(int fd, int ifindex, uint32_t mtu)
{
	struct ifinfomsg ifi = { .ifi_index = ifindex };
	uint64_t begin = now_ns();
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	nlreq_put_u32(&req, IFLA_MTU, mtu);
	ASSERT_EQ(nlreq_ask(fd, &req, NULL), 0);
	return now_ns() - begin;
}

int main(int argc, char **argv)
{
	static uint64_t took[SAMPLES_MAX];
	uint64_t end = now_ns();
	size_t count;
	int fd;

	if (argc != 3)
		return 2;
	end += atoi(argv[2]) * 1000000000ull;
	fd = nlreq_open(NETLINK_ROUTE);
	for (count = 0; count < SAMPLES_MAX && now_ns() < end; count++)
		took[count] = set_mtu(fd, atoi(argv[1]), 1400 + count % 2);
	times_sort(took, count);
	printf("%.0f %.0f %.0f\n", took[count / 2] / 1e3,
	       took[count * 99 / 100] / 1e3, took[count - 1] / 1e3);
	return 0;
}
