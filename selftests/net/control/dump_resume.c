// SPDX-License-Identifier: GPL-2.0
/*
 * Dumps of several messages while objects are deleted: after each recv() the objects told
 * so far are deleted.  The dump tells each object once nevertheless, whatever the position
 * of the others was.  Each test has a network namespace of its own; needs root and the
 * module.  Level: test.
 */
#define _GNU_SOURCE
#include "uetmake.h"

#include <linux/uet.h>

#define NR_MAX	100

/* A kind of object: object I of a test is made by add(I) and told as number I. */
struct kind {
	uint8_t cmd;
	int nr;
	int (*add)(int i);
	int (*del)(int i);
	int (*number)(const struct nlmsghdr *nlh);
};

static int ep_fds[NR_MAX];

/* The number in the name of an object; -1 of one that the test did not make. */
static int name_number(const struct nlmsghdr *nlh, uint16_t type)
{
	const char *name = nlreq_find(nlh, GENL_HDRLEN, type);

	ASSERT(name);
	return *name == 'x' ? atoi(name + 1) : -1;
}

static int rail_number(const struct nlmsghdr *nlh)
{
	const uint32_t *ifindex = nlreq_find(nlh, GENL_HDRLEN, UET_A_RAIL_IFINDEX);

	ASSERT(ifindex);
	return *ifindex - MAKE_DUMMY;
}

static int fep_number(const struct nlmsghdr *nlh)
{
	return name_number(nlh, UET_A_FEP_NAME);
}

static int sd_number(const struct nlmsghdr *nlh)
{
	return name_number(nlh, UET_A_SD_NAME);
}

static int job_number(const struct nlmsghdr *nlh)
{
	const uint32_t *id = nlreq_find(nlh, GENL_HDRLEN, UET_A_JOB_ID);

	ASSERT(id);
	return *id - MAKE_JOB;
}

static int ep_add(int i)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET,
		.suet_version = UET_ADDR_VERSION,
		.suet_job = MAKE_JOB,
		.suet_pid = 1,
		.suet_ri = i + 1,
		.suet_fa4 = htonl(INADDR_LOOPBACK),
	};

	ep_fds[i] = socket(AF_UET, SOCK_RDM, 0);
	ASSERT_SYS(ep_fds[i]);
	return bind(ep_fds[i], (const void *)&addr, sizeof(addr)) ? errno : 0;
}

static int ep_del(int i)
{
	return close(ep_fds[i]);
}

static int ep_number(const struct nlmsghdr *nlh)
{
	const uint16_t *ri = nlreq_find(nlh, GENL_HDRLEN, UET_A_EP_RI);

	ASSERT(ri);
	return *ri - 1;
}

static int dummy_rail_add(int i)
{
	int error = make_dummy(i);

	return error ? error : make_rail(i);
}

static void set_up(void)
{
	make_fd = uetns_enter(&make_family);
	uetns_add_fep(make_fd, make_family);
}

/* Objects that have been told, and how often. */
static int told[NR_MAX];

/* Take the messages of one recv(). Return: the dump has ended. */
static bool take(const struct kind *kind, const char *buf, ssize_t left)
{
	const struct nlmsghdr *nlh;
	int i;

	for (nlh = (const void *)buf; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left)) {
		if (nlh->nlmsg_type == NLMSG_DONE)
			return true;
		ASSERT(nlh->nlmsg_type == make_family);
		i = kind->number(nlh);
		if (i >= 0 && i < kind->nr)
			told[i]++;
	}
	return false;
}

static void delete_told(const struct kind *kind, bool *is_deleted)
{
	int i;

	for (i = 0; i < kind->nr; i++) {
		if (!told[i] || is_deleted[i])
			continue;
		ASSERT_EQ(kind->del(i), 0);
		is_deleted[i] = true;
	}
}

/* Return: number of recv() that it took. */
static int dump_and_delete(const struct kind *kind, bool *is_deleted)
{
	int fd = nlreq_open(NETLINK_GENERIC), batches = 0;
	bool is_done = false;
	struct nlreq req;
	char buf[4096];
	ssize_t len;

	make_begin(&req, kind->cmd);
	req.nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	ASSERT_EQ(send(fd, &req, req.nlh.nlmsg_len, 0), req.nlh.nlmsg_len);
	while (!is_done) {
		len = recv(fd, buf, sizeof(buf), 0);
		ASSERT_SYS(len);
		is_done = take(kind, buf, len);
		delete_told(kind, is_deleted);
		batches++;
	}
	close(fd);
	return batches;
}

static void check_kind(const struct kind *kind)
{
	bool is_deleted[NR_MAX] = { };
	int missing = 0, twice = 0, i;

	for (i = 0; i < kind->nr; i++)
		ASSERT_EQ(kind->add(i), 0);
	EXPECT(dump_and_delete(kind, is_deleted) > 3);
	for (i = 0; i < kind->nr; i++) {
		missing += !told[i];
		twice += told[i] > 1;
	}
	EXPECT_EQ(missing, 0);
	EXPECT_EQ(twice, 0);
}

TEST(dump__of_rails_tells_each_once_while_others_go)
{
	set_up();
	check_kind(&(struct kind){ UET_CMD_RAIL_GET, NR_MAX, dummy_rail_add, unmake_rail,
				   rail_number });
}

TEST(dump__of_feps_tells_each_once_while_others_go)
{
	set_up();
	check_kind(&(struct kind){ UET_CMD_FEP_GET, 24, make_fep, unmake_fep,
				   fep_number });
}

TEST(dump__of_sds_tells_each_once_while_others_go)
{
	set_up();
	check_kind(&(struct kind){ UET_CMD_SD_GET, NR_MAX, make_sd, unmake_sd,
				   sd_number });
}

TEST(dump__of_jobs_tells_each_once_while_others_go)
{
	set_up();
	check_kind(&(struct kind){ UET_CMD_JOB_GET, NR_MAX, make_job, unmake_job,
				   job_number });
}

TEST(dump__of_endpoints_tells_each_once_while_others_go)
{
	set_up();
	ASSERT_EQ(make_job(0), 0);
	check_kind(&(struct kind){ UET_CMD_EP_GET, NR_MAX, ep_add, ep_del,
				   ep_number });
}

HARNESS_MAIN()
