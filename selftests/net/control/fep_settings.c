// SPDX-License-Identifier: GPL-2.0
/*
 * The settings of a FEP over netlink, one by one: each is told with its default
 * and its width, takes every value up to its limits and none beyond, and what
 * is refused changes nothing.  Each test has a network namespace of its own;
 * needs root and the module.  Level: test.
 */
#define _GNU_SOURCE
#include "uetns.h"

#define MS		1000000ULL
#define DAY		(86400000 * MS)

/* A setting: its attribute, its bytes, its limits, its default. */
static const struct setting {
	uint16_t type, len;
	uint64_t min, max, value;
} settings[] = {
	{ UET_A_FEP_WINDOW, 4, 128, 1024, 256 },
	{ UET_A_FEP_DEFAULT_MPR, 4, 1, 255, 1 },
	{ UET_A_FEP_MPR_ZERO, 4, 0, 127, 0 },
	{ UET_A_FEP_BURST, 4, 0, 65000, 65000 },
	{ UET_A_FEP_REORDER_MIN_NS, 8, 0, DAY, MS / 10 },
	{ UET_A_FEP_CC_STRICT, 1, 0, 1, 0 },
	{ UET_A_FEP_CREDIT_RUN, 4, 0, 1 << 30, 0 },
	{ UET_A_FEP_CREDIT_RATE, 4, 500, 1000, 990 },
	{ UET_A_FEP_ACK_GEN_TRIGGER, 4, 1, 1048576, 16384 },
	{ UET_A_FEP_ACK_GEN_MIN_ADD, 4, 0, 65536, 1024 },
	{ UET_A_FEP_ACK_DELAY_NS, 8, 0, DAY, MS / 2 },
	{ UET_A_FEP_RTO_MAX_NS, 8, 1000, DAY, 2000 * MS },
	{ UET_A_FEP_RTO_INIT_NS, 8, 1000, DAY, 20 * MS },
	{ UET_A_FEP_MAX_RTO_RETX, 4, 1, 15, 8 },
	{ UET_A_FEP_PEER_TIMEOUT_NS, 8, 0, DAY, 300000 * MS },
	{ UET_A_FEP_NACK_RETX_MAX_NS, 8, 1000, DAY, 16 * MS },
	{ UET_A_FEP_NACK_RETX_NS, 8, 1000, DAY, MS },
	{ UET_A_FEP_MAX_NACK_RETX, 4, 0, 31, 31 },
	{ UET_A_FEP_CLOSE_REQ_NS, 8, 1000, DAY, 1000 * MS },
	{ UET_A_FEP_IDLE_NS, 8, 0, DAY, 30000 * MS },
	{ UET_A_FEP_TARGET_IDLE_NS, 8, 0, DAY, 90000 * MS },
	{ UET_A_FEP_SYN_RETX_SAFETY_NS, 8, 1000, DAY, 2000 * MS },
	{ UET_A_FEP_ACK_CLEARS, 1, 0, 1, 0 },
	{ UET_A_FEP_AMO_HOST, 1, 0, 1, 0 },
	{ UET_A_FEP_MSWAP_XOR, 1, 0, 1, 0 },
	{ UET_A_FEP_FIXED_PORT, 1, 0, 1, 0 },
	{ UET_A_FEP_JOB_ZERO, 4, 0, 16777215, 0 },
	{ UET_A_FEP_ORPHAN_NS, 8, 0, DAY, 60000 * MS },
	{ UET_A_FEP_ACK_ON_ECN, 1, 0, 1, 1 },
	{ UET_A_FEP_ACK_PER_PKT, 1, 0, 1, 0 },
	{ UET_A_FEP_HEADERS, 1, 0, 1, UET_HEADERS_STANDARD },
	{ UET_A_FEP_MAX_ACK_DATA, 4, 0, 16, 16 },
	{ UET_A_FEP_CC, 1, 0, 4, UET_CC_ALGO_NSCC },
	{ UET_A_FEP_PATHS, 1, 0, 5, UET_PATHS_AUTO },
	{ UET_A_FEP_CC_BASE_RTT_NS, 8, 128, 1000 * MS, MS / 10 },
	{ UET_A_FEP_CC_TARGET_NS, 8, 0, 1000 * MS, 0 },
	{ UET_A_FEP_CWND, 4, 0, 57600000, 0 },
	/* 0 is the DSCP of everything else, and no two can be the same. */
	{ UET_A_FEP_DSCP_TRIMMED, 1, 1, 63, UET_DSCP_NONE },
	{ UET_A_FEP_DSCP_TRIMMED_LASTHOP, 1, 2, 62, UET_DSCP_NONE },
};

#define NR_SETTINGS	((int)(sizeof(settings) / sizeof(settings[0])))

static int nl_fd;
static uint16_t nl_family;

static void begin(struct nlreq *req, uint8_t cmd)
{
	nlreq_begin_genl(req, nl_family, cmd, 0);
	nlreq_put_string(req, UET_A_FEP_NAME, "fep0");
}

static void set_up(void)
{
	nl_fd = uetns_enter(&nl_family);
	uetns_add_fep(nl_fd, nl_family);
}

/* Return: 0 or an errno. */
static int set(const struct setting *setting, uint64_t value)
{
	struct nlreq req;

	begin(&req, UET_CMD_FEP_SET);
	nlreq_put(&req, setting->type, &value, setting->len);
	return nlreq_ask(nl_fd, &req, NULL);
}

static void expect_told(const struct setting *setting, uint64_t value)
{
	struct nlreply reply;
	const void *payload;
	uint64_t told = 0;
	struct nlreq req;

	begin(&req, UET_CMD_FEP_GET);
	ASSERT_EQ(nlreq_ask(nl_fd, &req, &reply), 0);
	payload = nlreq_find(&reply.last.nlh, GENL_HDRLEN, setting->type);
	ASSERT(payload);
	EXPECT_EQ(((const struct nlattr *)payload - 1)->nla_len,
		  NLA_HDRLEN + setting->len);
	memcpy(&told, payload, setting->len);
	HARNESS_CHECK(told == value, "setting %u is %llu, not %llu",
		      setting->type, (unsigned long long)told,
		      (unsigned long long)value);
}

static void expect_refused(const struct setting *setting, uint64_t value)
{
	int error = set(setting, value);

	HARNESS_CHECK(error == ERANGE, "setting %u to %llu: errno %d",
		      setting->type, (unsigned long long)value, error);
	expect_told(setting, setting->value);
}

TEST(settings__have_defaults)
{
	int i;

	set_up();

	for (i = 0; i < NR_SETTINGS; i++)
		expect_told(&settings[i], settings[i].value);
}

/* In the order of the table a maximum is there before what it limits. */
TEST(settings__reach_their_limits)
{
	int i;

	set_up();

	for (i = 0; i < NR_SETTINGS; i++) {
		EXPECT_EQ(set(&settings[i], settings[i].max), 0);
		expect_told(&settings[i], settings[i].max);
	}
	for (i = NR_SETTINGS - 1; i >= 0; i--) {
		EXPECT_EQ(set(&settings[i], settings[i].min), 0);
		expect_told(&settings[i], settings[i].min);
	}
}

TEST(settings__end_there)
{
	const struct setting *setting;
	int i;

	set_up();

	for (i = 0; i < NR_SETTINGS; i++) {
		setting = &settings[i];
		if (setting->value == UET_DSCP_NONE) {
			expect_refused(setting, 64);
			expect_refused(setting, 254);
			continue;
		}
		expect_refused(setting, setting->max + 1);
		if (setting->min)
			expect_refused(setting, setting->min - 1);
		if (setting->len > 1)
			expect_refused(setting, setting->len == 4 ? UINT32_MAX :
								    UINT64_MAX);
	}
	expect_refused(&settings[0], 384);
}

/* All of a request or nothing: the last of its attributes is wrong. */
TEST(settings__change_together_or_not_at_all)
{
	uint64_t too_long = DAY + 1;
	struct nlreq req;

	set_up();

	begin(&req, UET_CMD_FEP_SET);
	nlreq_put_u32(&req, UET_A_FEP_WINDOW, 1024);
	nlreq_put(&req, UET_A_FEP_IDLE_NS, &too_long, sizeof(too_long));
	EXPECT_EQ(nlreq_ask(nl_fd, &req, NULL), ERANGE);
	expect_told(&settings[0], 256);
}

TEST(settings__leave_the_identity_of_a_fep)
{
	static const uint16_t fixed[] = {
		UET_A_FEP_ADDR4, UET_A_FEP_SCOPE_ID, UET_A_FEP_MTU,
		UET_A_FEP_IFINDEX,
	};
	struct nlreq req;
	size_t i;

	set_up();

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		begin(&req, UET_CMD_FEP_SET);
		nlreq_put_u32(&req, UET_A_FEP_WINDOW, 512);
		nlreq_put_u32(&req, fixed[i], 1024);
		EXPECT_EQ(nlreq_ask(nl_fd, &req, NULL), EOPNOTSUPP);
	}
	begin(&req, UET_CMD_FEP_SET);
	nlreq_put_u16(&req, UET_A_FEP_PORT, 4793);
	EXPECT_EQ(nlreq_ask(nl_fd, &req, NULL), EOPNOTSUPP);
	begin(&req, UET_CMD_FEP_SET);
	nlreq_put(&req, UET_A_FEP_PROTECT, "\0", 1);
	EXPECT_EQ(nlreq_ask(nl_fd, &req, NULL), EOPNOTSUPP);
	expect_told(&settings[0], 256);
}

HARNESS_MAIN()
