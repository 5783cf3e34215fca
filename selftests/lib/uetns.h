/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network namespace of a test's own, with nothing but loopback in it, and the
 * family "uet" of netlink there; on request a FEP that reaches itself.  For tests
 * that speak netlink; needs root and the module, else they are skipped.
 * Level: test.
 */
#ifndef UET_SELFTESTS_UETNS_H
#define UET_SELFTESTS_UETNS_H

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <linux/uet_nl.h>

#include "nlreq.h"

#define UETNS_LO_IFINDEX	1

static inline void uetns_loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ASSERT_SYS(fd);
	ASSERT_SYS(ioctl(fd, SIOCSIFFLAGS, &ifr));
	close(fd);
}

/* Enter it. Return: a netlink socket; @family: the number of "uet". */
static inline int uetns_enter(uint16_t *family)
{
	int fd;

	if (unshare(CLONE_NEWNET))
		SKIP("needs root");
	uetns_loopback_up();
	fd = nlreq_open(NETLINK_GENERIC);
	*family = nlreq_family(fd, UET_FAMILY_NAME);
	if (!*family)
		SKIP("the uet module is not loaded");
	return fd;
}

/* Errors come with their text, and without the request. */
static inline void uetns_explain(int fd)
{
	int on = 1;

	ASSERT_SYS(setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on,
			      sizeof(on)));
	ASSERT_SYS(setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on,
			      sizeof(on)));
}

/* "fep0" at 127.0.0.1, on loopback, with nothing said of its settings. */
static inline void uetns_add_fep(int fd, uint16_t family)
{
	struct in_addr addr = { .s_addr = htonl(INADDR_LOOPBACK) };
	struct nlreq req;

	nlreq_begin_genl(&req, family, UET_CMD_RAIL_NEW, 0);
	nlreq_put_u32(&req, UET_A_RAIL_IFINDEX, UETNS_LO_IFINDEX);
	nlreq_put_u32(&req, UET_A_RAIL_PLANE, 0);
	ASSERT_EQ(nlreq_ask(fd, &req, NULL), 0);
	nlreq_begin_genl(&req, family, UET_CMD_FEP_NEW, 0);
	nlreq_put_string(&req, UET_A_FEP_NAME, "fep0");
	nlreq_put(&req, UET_A_FEP_ADDR4, &addr, sizeof(addr));
	nlreq_put_u32(&req, UET_A_FEP_IFINDEX, UETNS_LO_IFINDEX);
	ASSERT_EQ(nlreq_ask(fd, &req, NULL), 0);
}

#endif
