// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink's ping spoken raw, as netlink.c does it with what changes the
 * configuration: each attribute missing, cut short, out of range or unknown is
 * refused with an errno and a text, nothing is sent then, and what is accepted
 * has one outcome.  Each test has a network namespace of its own with only
 * loopback in it, and a FEP on that, which asks itself.  Level: test.
 */
#define _GNU_SOURCE
#include "uetns.h"

static int nl_fd;
static uint16_t nl_family;
static const struct in_addr loopback4 = { .s_addr = 0x0100007f };

/* The answer to the last request. */
static int nl_error;
static char nl_text[160];
static struct nlreq outcome;
static int outcomes;

static void set_up(void)
{
	nl_fd = uetns_enter(&nl_family);
	uetns_explain(nl_fd);
	uetns_add_fep(nl_fd, nl_family);
}

/* With CAP_NETLINK_ACK the attributes stand right behind the error. */
static void take_error(const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	const char *text = NULL;

	nl_error = -err->error;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		text = nlreq_find(nlh, sizeof(*err), NLMSGERR_ATTR_MSG);
	snprintf(nl_text, sizeof(nl_text), "%s", text ? text : "");
}

static void take(const struct nlmsghdr *nlh, bool *is_answered)
{
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		take_error(nlh);
		*is_answered = true;
	} else if (nlh->nlmsg_type == nl_family) {
		ASSERT(nlh->nlmsg_len <= sizeof(outcome));
		memcpy(&outcome, nlh, nlh->nlmsg_len);
		outcomes++;
	}
}

/* Return: an answer was among what could be read. */
static bool read_some(int flags)
{
	static char buf[16384];
	const struct nlmsghdr *nlh;
	bool is_answered = false;
	ssize_t left;

	left = recv(nl_fd, buf, sizeof(buf), flags);
	if (left < 0 && flags)
		return false;
	ASSERT_SYS(left);
	for (nlh = (void *)buf; NLMSG_OK(nlh, left);
	     nlh = NLMSG_NEXT(nlh, left))
		take(nlh, &is_answered);
	return is_answered;
}

static void ask(struct nlreq *req)
{
	ASSERT_EQ(send(nl_fd, req, req->nlh.nlmsg_len, 0), req->nlh.nlmsg_len);
	while (!read_some(0))
		;
}

/* The attributes of a request that is accepted. */
static const struct attr {
	uint16_t type;
	const void *data;
	size_t len;
	bool is_string;
	bool is_needed;
} attrs[] = {
	{ UET_A_PING_FEP, "fep0", 5, true, true },
	{ UET_A_PING_ADDR4, &loopback4, sizeof(loopback4), false, true },
	{ UET_A_PING_JOB, &(const uint32_t){ 1 }, 4, false, false },
};

#define NR_ATTRS	(sizeof(attrs) / sizeof(attrs[0]))

/* All attributes but those of a type. */
static void begin(struct nlreq *req, uint16_t without)
{
	size_t i;

	nlreq_begin_genl(req, nl_family, UET_CMD_PING, 0);
	req->nlh.nlmsg_seq = 100;
	for (i = 0; i < NR_ATTRS; i++)
		if (attrs[i].type != without)
			nlreq_put(req, attrs[i].type, attrs[i].data,
				  attrs[i].len);
}

static void expect_refused(struct nlreq *req, const char *what, int number)
{
	ask(req);
	HARNESS_CHECK(nl_error, "accepted with %s %d", what, number);
	HARNESS_CHECK(nl_text[0], "errno %d without a text with %s %d",
		      nl_error, what, number);
	EXPECT_EQ(outcomes, 0);
}

/* Another value, in the place of those of @without. */
static void bad(uint16_t without, uint16_t type, const void *data, size_t len,
		int error)
{
	struct nlreq req;

	begin(&req, without);
	nlreq_put(&req, type, data, len);
	expect_refused(&req, "a bad value of", type);
	EXPECT_EQ(nl_error, error);
}

#define BAD(type, value, error) do {					\
	const __typeof__(value) _value = (value);			\
	bad(type, type, &_value, sizeof(_value), error);		\
} while (0)

TEST(netlink_ping__attributes_missing_or_short_are_explained)
{
	struct nlreq req;
	size_t i;

	set_up();

	for (i = 0; i < NR_ATTRS; i++) {
		begin(&req, attrs[i].type);
		if (attrs[i].is_needed)
			expect_refused(&req, "no attribute", attrs[i].type);
		begin(&req, attrs[i].type);
		nlreq_put(&req, attrs[i].type, attrs[i].data, 0);
		expect_refused(&req, "empty attribute", attrs[i].type);
		/* A string without its zero is a string. */
		if (attrs[i].is_string)
			continue;
		begin(&req, attrs[i].type);
		nlreq_put(&req, attrs[i].type, attrs[i].data,
			  attrs[i].len - 1);
		expect_refused(&req, "short attribute", attrs[i].type);
	}
}

/* Attributes that only the kernel sends, and unknown ones, are refused. */
TEST(netlink_ping__unknown_attributes_are_explained)
{
	struct nlreq req;
	uint16_t type;

	set_up();

	for (type = UET_A_PING_JOB + 1; type < UET_A_PING_MAX + 8; type++) {
		if (type >= UET_A_PING_IFINDEX && type <= UET_A_PING_READ)
			continue;
		begin(&req, 0);
		nlreq_put_u32(&req, type, 1);
		expect_refused(&req, "attribute", type);
	}
}

TEST(netlink_ping__values_out_of_range_are_explained)
{
	struct in6_addr v6;

	set_up();

	bad(UET_A_PING_FEP, UET_A_PING_FEP, "nosuch", 7, ENOENT);
	bad(UET_A_PING_FEP, UET_A_PING_FEP, "", 1, EINVAL);
	bad(UET_A_PING_FEP, UET_A_PING_FEP, "sixteen-letters-", 17, EINVAL);
	BAD(UET_A_PING_ADDR4, (uint32_t)0, EINVAL);
	BAD(UET_A_PING_ADDR4, htonl(0xe0000001), EINVAL);
	BAD(UET_A_PING_ADDR4, UINT32_MAX, EINVAL);
	BAD(UET_A_PING_SCOPE_ID, (uint32_t)UETNS_LO_IFINDEX, EINVAL);
	BAD(UET_A_PING_JOB, (uint32_t)0x1000000, EINVAL);
	BAD(UET_A_PING_IFINDEX, (uint32_t)0, ENODEV);
	BAD(UET_A_PING_IFINDEX, (uint32_t)0x7fffffff, ENODEV);
	/* Both addresses, and one of the other family. */
	bad(0, UET_A_PING_ADDR6, &in6addr_loopback, 16, EINVAL);
	bad(UET_A_PING_ADDR4, UET_A_PING_ADDR6, &in6addr_loopback, 16,
	    EAFNOSUPPORT);
	bad(UET_A_PING_ADDR4, UET_A_PING_ADDR6, &in6addr_any, 16, EINVAL);
	inet_pton(AF_INET6, "ff02::1", &v6);
	bad(UET_A_PING_ADDR4, UET_A_PING_ADDR6, &v6, 16, EINVAL);
}

TEST(netlink_ping__needs_privilege)
{
	struct nlreq req;

	set_up();
	ASSERT_SYS(setresuid(65534, 65534, 65534));
	close(nl_fd);
	nl_fd = nlreq_open(NETLINK_GENERIC);

	begin(&req, 0);
	ask(&req);

	EXPECT_EQ(nl_error, EPERM);
}

/* The outcome comes before the acknowledgment or behind it. */
TEST(netlink_ping__has_one_outcome)
{
	const char *rc;
	struct nlreq req;

	set_up();

	begin(&req, 0);
	ask(&req);
	ASSERT_EQ(nl_error, 0);
	while (!outcomes)
		read_some(0);

	ASSERT_EQ(outcomes, 1);
	EXPECT_EQ(outcome.nlh.nlmsg_seq, req.nlh.nlmsg_seq);
	rc = nlreq_find(&outcome.nlh, GENL_HDRLEN, UET_A_PING_RC);
	ASSERT(rc);
	EXPECT(!strcmp(rc, "ok"));
	EXPECT(!nlreq_find(&outcome.nlh, GENL_HDRLEN, UET_A_PING_ERROR));
	EXPECT(nlreq_find(&outcome.nlh, GENL_HDRLEN, UET_A_PING_RTT_NS));
	EXPECT(nlreq_find(&outcome.nlh, GENL_HDRLEN, UET_A_PING_RETX));
	EXPECT(!nlreq_find(&outcome.nlh, GENL_HDRLEN, UET_A_PING_CE));
	nlreq_begin_genl(&req, nl_family, UET_CMD_FEP_DEL, 0);
	nlreq_put_string(&req, UET_A_FEP_NAME, "fep0");
	EXPECT_EQ(nlreq_ask(nl_fd, &req, NULL), 0);
	read_some(MSG_DONTWAIT);
	EXPECT_EQ(outcomes, 1);
}

HARNESS_MAIN()
