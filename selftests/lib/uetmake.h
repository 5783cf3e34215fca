/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many objects of each kind, by netlink: object I of a kind is "xI", job 1 + I or the
 * dummy netdev 1000 + I.  Each request returns 0 or its errno.  Level: test.
 */
#ifndef UET_SELFTESTS_UETMAKE_H
#define UET_SELFTESTS_UETMAKE_H

#include "uetns.h"

#define MAKE_DUMMY	1000	/* ifindex of the first dummy */
#define MAKE_JOB	1	/* JobID of the first job */

static int make_fd;		/* netlink socket in the namespace */
static uint16_t make_family;	/* the number of "uet" */

static inline void make_begin(struct nlreq *req, uint8_t cmd)
{
	nlreq_begin_genl(req, make_family, cmd, 0);
}

static inline int make_ask(struct nlreq *req)
{
	return nlreq_ask(make_fd, req, NULL);
}

static inline void make_put_name(struct nlreq *req, uint16_t type, int i)
{
	char name[16];

	snprintf(name, sizeof(name), "x%d", i);
	nlreq_put_string(req, type, name);
}

static inline int make_dummy(int i)
{
	struct ifinfomsg ifi = { .ifi_index = MAKE_DUMMY + i };
	int fd = nlreq_open(NETLINK_ROUTE), error;
	struct nlattr *nest;
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi,
		    sizeof(ifi));
	nest = nlreq_nest(&req, IFLA_LINKINFO);
	nlreq_put_string(&req, IFLA_INFO_KIND, "dummy");
	nlreq_nest_end(&req, nest);
	error = nlreq_ask(fd, &req, NULL);
	close(fd);
	return error;
}

/* The netdev must exist. */
static inline int make_rail(int i)
{
	struct nlreq req;

	make_begin(&req, UET_CMD_RAIL_NEW);
	nlreq_put_u32(&req, UET_A_RAIL_IFINDEX, MAKE_DUMMY + i);
	nlreq_put_u32(&req, UET_A_RAIL_PLANE, 0);
	return make_ask(&req);
}

static inline int unmake_rail(int i)
{
	struct nlreq req;

	make_begin(&req, UET_CMD_RAIL_DEL);
	nlreq_put_u32(&req, UET_A_RAIL_IFINDEX, MAKE_DUMMY + i);
	return make_ask(&req);
}

/* At 127.0.0.2 and following, on loopback, which must be a rail. */
static inline int make_fep(int i)
{
	struct in_addr addr = { .s_addr = htonl(INADDR_LOOPBACK + 1 + i) };
	struct nlreq req;

	make_begin(&req, UET_CMD_FEP_NEW);
	make_put_name(&req, UET_A_FEP_NAME, i);
	nlreq_put(&req, UET_A_FEP_ADDR4, &addr, sizeof(addr));
	nlreq_put_u32(&req, UET_A_FEP_IFINDEX, UETNS_LO_IFINDEX);
	return make_ask(&req);
}

static inline int unmake_fep(int i)
{
	struct nlreq req;

	make_begin(&req, UET_CMD_FEP_DEL);
	make_put_name(&req, UET_A_FEP_NAME, i);
	return make_ask(&req);
}

static inline int make_sd(int i)
{
	uint8_t mode = UET_SD_MODE_DIRECT;
	struct nlreq req;

	make_begin(&req, UET_CMD_SD_NEW);
	make_put_name(&req, UET_A_SD_NAME, i);
	nlreq_put_u32(&req, UET_A_SD_SDI, i);
	nlreq_put(&req, UET_A_SD_MODE, &mode, sizeof(mode));
	return make_ask(&req);
}

static inline int unmake_sd(int i)
{
	struct nlreq req;

	make_begin(&req, UET_CMD_SD_DEL);
	make_put_name(&req, UET_A_SD_NAME, i);
	return make_ask(&req);
}

/* With "fep0", which must exist. */
static inline int make_job(int i)
{
	struct nlreq req;

	make_begin(&req, UET_CMD_JOB_NEW);
	nlreq_put_u32(&req, UET_A_JOB_ID, MAKE_JOB + i);
	nlreq_put_string(&req, UET_A_JOB_FEP, "fep0");
	return make_ask(&req);
}

static inline int unmake_job(int i)
{
	struct nlreq req;

	make_begin(&req, UET_CMD_JOB_DEL);
	nlreq_put_u32(&req, UET_A_JOB_ID, MAKE_JOB + i);
	return make_ask(&req);
}

#endif
