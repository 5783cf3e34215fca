// SPDX-License-Identifier: GPL-2.0
/*
 * The genetlink family "uet" spoken raw, without ueadm: every operation with each
 * attribute missing, cut short and out of range, with attributes it does not know, and
 * with random ones.  Each refused request must be refused with an errno and a text
 * (NLMSGERR_ATTR_MSG), and must change nothing.  Each test has a network namespace of
 * its own with only loopback in it; needs root and the module, nothing else.  Level:
 * test.
 */
#define _GNU_SOURCE
#include "uetns.h"

#define FUZZ_MESSAGES	5000

/* The answer: errors as they are, and how many messages before the end. */
struct answer {
	int error;
	char text[160];
	int messages;
	size_t bytes;
};

static int nl_fd;
static uint16_t nl_family;

/* The groups, in an order of our own, and what they are called. */
enum { MGMT, RAIL, PDC, NR_GROUPS };

static const char *const nl_group_names[NR_GROUPS] = {
	UET_MCGRP_MGMT, UET_MCGRP_RAIL, UET_MCGRP_PDC,
};
static uint32_t nl_groups[NR_GROUPS];

static const struct nlattr *next_attr(const struct nlattr *attr, size_t *left)
{
	size_t step = NLA_ALIGN(attr->nla_len);

	*left = *left > step ? *left - step : 0;
	return (const void *)((const char *)attr + step);
}

#define for_each_attr(attr, first, left)				\
	for ((attr) = (first);						\
	     (left) >= NLA_HDRLEN && (attr)->nla_len >= NLA_HDRLEN &&	\
	     (attr)->nla_len <= (left);					\
	     (attr) = next_attr(attr, &(left)))

static void read_error(const struct nlmsghdr *nlh, struct answer *answer)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	const struct nlattr *attr, *first = (const void *)(err + 1);
	size_t left = nlh->nlmsg_len - NLMSG_LENGTH(sizeof(*err));

	answer->error = -err->error;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for_each_attr(attr, first, left) {
		if (attr->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(answer->text, sizeof(answer->text), "%s",
				 (const char *)(attr + 1));
	}
}

/* Send a request and read all that comes back; a message per @seen, if any. */
static struct answer ask(struct nlreq *req,
			 void (*seen)(const struct nlmsghdr *nlh))
{
	static uint32_t seq;
	static char buf[65536];
	struct answer answer = { .error = 0 };
	const struct nlmsghdr *nlh;
	ssize_t left;

	req->nlh.nlmsg_seq = ++seq;
	ASSERT_EQ(send(nl_fd, req, req->nlh.nlmsg_len, 0), req->nlh.nlmsg_len);
	for (;;) {
		left = recv(nl_fd, buf, sizeof(buf), 0);
		ASSERT_SYS(left);
		for (nlh = (void *)buf; NLMSG_OK(nlh, left);
		     nlh = NLMSG_NEXT(nlh, left)) {
			if (nlh->nlmsg_seq != seq)
				continue;
			if (nlh->nlmsg_type == NLMSG_ERROR) {
				read_error(nlh, &answer);
				return answer;
			}
			if (nlh->nlmsg_type == NLMSG_DONE)
				return answer;
			answer.messages++;
			answer.bytes += nlh->nlmsg_len;
			if (seen)
				seen(nlh);
		}
	}
}

static void group_seen(const struct nlattr *part, size_t left)
{
	const char *name = "";
	uint32_t id = 0;
	int i;

	for_each_attr(part, part, left) {
		if (part->nla_type == CTRL_ATTR_MCAST_GRP_ID)
			id = *(const uint32_t *)(part + 1);
		if (part->nla_type == CTRL_ATTR_MCAST_GRP_NAME)
			name = (const char *)(part + 1);
	}
	for (i = 0; i < NR_GROUPS; i++)
		if (!strcmp(name, nl_group_names[i]))
			nl_groups[i] = id;
}

static void family_seen(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr, *group;
	const struct nlattr *first = (const void *)
		((const char *)NLMSG_DATA(nlh) + GENL_HDRLEN);
	size_t left = nlh->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);
	size_t inner;

	for_each_attr(attr, first, left) {
		if ((attr->nla_type & NLA_TYPE_MASK) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		inner = attr->nla_len - NLA_HDRLEN;
		for_each_attr(group, attr + 1, inner)
			group_seen(group + 1, group->nla_len - NLA_HDRLEN);
	}
}

static int open_netlink(void)
{
	int fd = nlreq_open(NETLINK_GENERIC), on = 1;

	uetns_explain(fd);
	ASSERT_SYS(setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on,
			      sizeof(on)));
	return fd;
}

/* A namespace of our own and a netlink socket in it. */
static void set_up(void)
{
	struct nlreq req;
	int i;

	close(uetns_enter(&nl_family));
	nl_fd = open_netlink();
	nlreq_begin_genl(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	nlreq_put_string(&req, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME);
	ASSERT_EQ(ask(&req, family_seen).error, 0);
	for (i = 0; i < NR_GROUPS; i++)
		ASSERT(nl_groups[i]);
}

/* One attribute of a request that is accepted as it is. */
struct attr {
	uint16_t type;
	bool is_string;
	uint16_t len;
	const void *data;
	bool is_needed;
};

/* An operation, and a request for it that is accepted. */
struct op {
	const char *name;
	uint8_t cmd;
	uint16_t max;
	struct attr attrs[12];
};

#define U8(v)	false, sizeof(uint8_t), &(const uint8_t){ v }
#define U16(v)	false, sizeof(uint16_t), &(const uint16_t){ v }
#define U32(v)	false, sizeof(uint32_t), &(const uint32_t){ v }
#define U64(v)	false, sizeof(uint64_t), &(const uint64_t){ v }
#define STR(v)	true, sizeof(v), v

static const uint8_t loopback4[] = { 127, 0, 0, 1 };

static const struct op op_rail_new = {
	"rail-new", UET_CMD_RAIL_NEW, UET_A_RAIL_PLANE, {
		{ UET_A_RAIL_IFINDEX, U32(UETNS_LO_IFINDEX), true },
		{ UET_A_RAIL_PLANE, U32(7), true },
	}
};

static const struct op op_rail_set = {
	"rail-set", UET_CMD_RAIL_SET, UET_A_RAIL_INGRESS, {
		{ UET_A_RAIL_IFINDEX, U32(UETNS_LO_IFINDEX), true },
		{ UET_A_RAIL_INGRESS, U8(1), true },
	}
};

static const struct op op_fep_new = {
	"fep-new", UET_CMD_FEP_NEW, UET_A_FEP_MAX, {
		{ UET_A_FEP_NAME, STR("fep0"), true },
		{ UET_A_FEP_ADDR4, false, sizeof(loopback4), loopback4, true },
		{ UET_A_FEP_MTU, U32(4096), false },
		{ UET_A_FEP_PORT, U16(4793), false },
		{ UET_A_FEP_PROTECT, U8(UET_PROTECT_CRC), false },
		{ UET_A_FEP_DSCP_REQUEST, U8(10), false },
		{ UET_A_FEP_IFINDEX, U32(UETNS_LO_IFINDEX), true },
		{ UET_A_FEP_WINDOW, U32(512), false },
		{ UET_A_FEP_RTO_INIT_NS, U64(1000000), false },
		{ UET_A_FEP_ACK_PER_PKT, U8(1), false },
	}
};

static const struct op op_fep_set = {
	"fep-set", UET_CMD_FEP_SET, UET_A_FEP_MAX, {
		{ UET_A_FEP_NAME, STR("fep0"), true },
		{ UET_A_FEP_DSCP_REQUEST, U8(11), false },
		{ UET_A_FEP_DSCP_TRIMMED, U8(20), false },
		{ UET_A_FEP_DSCP_TRIMMED_LASTHOP, U8(21), false },
		{ UET_A_FEP_WINDOW, U32(1024), false },
		{ UET_A_FEP_ACK_GEN_TRIGGER, U32(4096), false },
		{ UET_A_FEP_RTO_INIT_NS, U64(5000000), false },
		{ UET_A_FEP_RTO_MAX_NS, U64(6000000), false },
		{ UET_A_FEP_MAX_RTO_RETX, U32(3), false },
		{ UET_A_FEP_ACK_ON_ECN, U8(0), false },
	}
};

static const struct op op_fep_new_native = {
	"fep-new native", UET_CMD_FEP_NEW, UET_A_FEP_MAX, {
		{ UET_A_FEP_NAME, STR("fep0"), true },
		{ UET_A_FEP_ADDR4, false, sizeof(loopback4), loopback4, true },
		{ UET_A_FEP_IFINDEX, U32(UETNS_LO_IFINDEX), true },
		{ UET_A_FEP_ENCAP, U8(UET_ENCAP_NATIVE), false },
		{ UET_A_FEP_PROTO, U8(254), false },
	}
};

static const struct op op_job_new = {
	"job-new", UET_CMD_JOB_NEW, UET_A_JOB_FEP, {
		{ UET_A_JOB_ID, U32(1), true },
		{ UET_A_JOB_NAME, STR("train"), false },
		{ UET_A_JOB_UID, U32(0), false },
		{ UET_A_JOB_GID, U32(0), false },
		{ UET_A_JOB_PID_MIN, U16(1), false },
		{ UET_A_JOB_PID_MAX, U16(9), false },
		{ UET_A_JOB_FEP, STR("fep0"), true },
	}
};

static const struct op op_rail_get = {
	"rail-get", UET_CMD_RAIL_GET, UET_A_RAIL_IFINDEX,
	{ { UET_A_RAIL_IFINDEX, U32(UETNS_LO_IFINDEX), true } }
};

static const struct op op_fep_get = {
	"fep-get", UET_CMD_FEP_GET, UET_A_FEP_NAME,
	{ { UET_A_FEP_NAME, STR("fep0"), true } }
};

static const struct op op_job_get = {
	"job-get", UET_CMD_JOB_GET, UET_A_JOB_ID,
	{ { UET_A_JOB_ID, U32(1), true } }
};

static const struct op op_stats_get = {
	"stats-get", UET_CMD_STATS_GET, UET_A_STATS_NAME, {
		{ UET_A_STATS_KIND, U8(UET_COUNTER_KIND_MIB), true },
		{ UET_A_STATS_NAME, STR("rx-packets"), true },
	}
};

static const struct op op_features_get = {
	"features-get", UET_CMD_FEATURES_GET, UET_A_FEATURES_CAPABILITY,
	{ { UET_A_FEATURES_CAPABILITY, STR("rud"), false } }
};

static const struct op op_ep_get = {
	"ep-get", UET_CMD_EP_GET, UET_A_EP_ABSOLUTE, {
		{ UET_A_EP_FEP, STR("fep0"), true },
		{ UET_A_EP_JOB, U32(1), true },
		{ UET_A_EP_PID, U16(1), true },
		{ UET_A_EP_RI, U16(1), true },
	}
};

static const struct op op_pdc_get = {
	"pdc-get", UET_CMD_PDC_GET, UET_A_PDC_ID, {
		{ UET_A_PDC_FEP, STR("fep0"), true },
		{ UET_A_PDC_ID, U32(1), true },
	}
};

static const struct op op_pdc_del = {
	"pdc-del", UET_CMD_PDC_DEL, UET_A_PDC_ID, {
		{ UET_A_PDC_FEP, STR("fep0"), true },
		{ UET_A_PDC_ID, U32(1), true },
	}
};

static const struct op op_job_del = {
	"job-del", UET_CMD_JOB_DEL, UET_A_JOB_ID,
	{ { UET_A_JOB_ID, U32(1), true } }
};

static const struct op op_fep_del = {
	"fep-del", UET_CMD_FEP_DEL, UET_A_FEP_NAME,
	{ { UET_A_FEP_NAME, STR("fep0"), true } }
};

static const struct op op_rail_del = {
	"rail-del", UET_CMD_RAIL_DEL, UET_A_RAIL_IFINDEX,
	{ { UET_A_RAIL_IFINDEX, U32(UETNS_LO_IFINDEX), true } }
};

/* In an order in which each can succeed. */
static const struct op *const all_ops[] = {
	&op_rail_new, &op_rail_set, &op_fep_new, &op_fep_set, &op_job_new,
	&op_rail_get, &op_fep_get, &op_job_get, &op_stats_get,
	&op_features_get, &op_ep_get, &op_pdc_get, &op_pdc_del,
	&op_job_del, &op_fep_del, &op_fep_new_native, &op_fep_del, &op_rail_del,
};

#define NR_OPS		(sizeof(all_ops) / sizeof(all_ops[0]))

static const uint8_t dumps[] = {
	UET_CMD_RAIL_GET, UET_CMD_FEP_GET, UET_CMD_JOB_GET, UET_CMD_EP_GET,
	UET_CMD_PDC_GET, UET_CMD_STATS_GET, UET_CMD_CCC_GET,
	UET_CMD_PDC_HISTORY_GET, UET_CMD_FEP_TRAFFIC_GET,
	UET_CMD_JOB_TRAFFIC_GET, UET_CMD_PEER_GET,
};

static struct answer ask_op(const struct op *op)
{
	const struct attr *attr;
	struct nlreq req;

	nlreq_begin_genl(&req, nl_family, op->cmd, 0);
	for (attr = op->attrs; attr->type; attr++)
		nlreq_put(&req, attr->type, attr->data, attr->len);
	return ask(&req, NULL);
}

/* There are neither endpoints nor PDCs here: nothing to find. */
static bool finds_nothing(const struct op *op)
{
	return op == &op_ep_get || op == &op_pdc_get || op == &op_pdc_del;
}

static void expect_done(const struct op *op)
{
	struct answer answer = ask_op(op);
	int error = finds_nothing(op) ? ENOENT : 0;

	HARNESS_CHECK(answer.error == error, "%s: errno %d: %s", op->name,
		      answer.error, answer.text);
}

/* Refused with an errno and a text; *what and *number say what was wrong. */
static void expect_refused(struct nlreq *req, const struct op *op,
			   const char *what, int number)
{
	struct answer answer = ask(req, NULL);

	HARNESS_CHECK(answer.error, "%s: accepted with %s %d", op->name, what,
		      number);
	HARNESS_CHECK(!answer.error || answer.text[0],
		      "%s: errno %d without a text with %s %d", op->name,
		      answer.error, what, number);
}

/* The attributes of @op but one. */
static void put_others(struct nlreq *req, const struct op *op,
		       const struct attr *without)
{
	const struct attr *attr;

	nlreq_begin_genl(req, nl_family, op->cmd, 0);
	for (attr = op->attrs; attr->type; attr++) {
		if (attr != without)
			nlreq_put(req, attr->type, attr->data, attr->len);
	}
}

static int count(uint8_t cmd)
{
	struct nlreq req;
	struct answer answer;

	nlreq_begin_genl(&req, nl_family, cmd, 0);
	req.nlh.nlmsg_flags |= NLM_F_DUMP;
	answer = ask(&req, NULL);
	EXPECT_EQ(answer.error, 0);
	return answer.messages;
}

static void expect_objects(int rails, int feps, int jobs)
{
	EXPECT_EQ(count(UET_CMD_RAIL_GET), rails);
	EXPECT_EQ(count(UET_CMD_FEP_GET), feps);
	EXPECT_EQ(count(UET_CMD_JOB_GET), jobs);
}

TEST(netlink__every_operation_succeeds)
{
	size_t i;

	set_up();

	for (i = 0; i < NR_OPS; i++)
		expect_done(all_ops[i]);

	expect_objects(0, 0, 0);
}

TEST(netlink__every_dump_ends)
{
	size_t i;

	set_up();
	expect_done(&op_rail_new);
	expect_done(&op_fep_new);
	expect_done(&op_job_new);

	for (i = 0; i < sizeof(dumps); i++)
		count(dumps[i]);

	expect_objects(1, 1, 1);
	EXPECT_EQ(count(UET_CMD_EP_GET), 0);
	EXPECT_EQ(count(UET_CMD_PDC_GET), 0);
	EXPECT_GE(count(UET_CMD_STATS_GET), 100);
}

TEST(netlink__each_attribute_missing_is_explained)
{
	const struct attr *attr;
	struct nlreq req;
	size_t i;

	set_up();

	for (i = 0; i < NR_OPS; i++) {
		for (attr = all_ops[i]->attrs; attr->type; attr++) {
			if (!attr->is_needed)
				continue;
			put_others(&req, all_ops[i], attr);
			expect_refused(&req, all_ops[i], "no attribute",
				       attr->type);
		}
	}

	expect_objects(0, 0, 0);
}

TEST(netlink__each_attribute_cut_short_is_explained)
{
	const struct attr *attr;
	struct nlreq req;
	size_t i;

	set_up();

	for (i = 0; i < NR_OPS; i++) {
		for (attr = all_ops[i]->attrs; attr->type; attr++) {
			put_others(&req, all_ops[i], attr);
			nlreq_put(&req, attr->type, attr->data, attr->len - 1);
			/* A string without its zero is a string. */
			if (!attr->is_string)
				expect_refused(&req, all_ops[i],
					       "short attribute", attr->type);
			put_others(&req, all_ops[i], attr);
			nlreq_put(&req, attr->type, attr->data, 0);
			expect_refused(&req, all_ops[i], "empty attribute",
				       attr->type);
		}
	}
}

TEST(netlink__unknown_attributes_are_explained)
{
	struct nlreq req;
	uint16_t type;
	size_t i;

	set_up();

	for (i = 0; i < NR_OPS; i++) {
		for (type = all_ops[i]->max + 1; type < 64; type++) {
			put_others(&req, all_ops[i], NULL);
			nlreq_put_u32(&req, type, 1);
			expect_refused(&req, all_ops[i], "attribute", type);
		}
	}

	expect_objects(0, 0, 0);
}

TEST(netlink__unknown_commands_are_refused)
{
	struct nlreq req;
	int cmd;

	set_up();

	for (cmd = UET_CMD_MAX + 1; cmd < 256; cmd++) {
		nlreq_begin_genl(&req, nl_family, cmd, 0);
		EXPECT_EQ(ask(&req, NULL).error, EOPNOTSUPP);
	}
	nlreq_begin_genl(&req, nl_family, UET_CMD_RAIL_NTF, 0);
	EXPECT_EQ(ask(&req, NULL).error, EOPNOTSUPP);
}

/* An operation with one attribute replaced by a value it must not have. */
static void expect_bad_value(const struct op *op, uint16_t type,
			     const void *data, size_t len)
{
	const struct attr *attr;
	struct nlreq req;

	for (attr = op->attrs; attr->type && attr->type != type; attr++)
		;
	put_others(&req, op, attr);
	nlreq_put(&req, type, data, len);
	expect_refused(&req, op, "value of attribute", type);
}

#define BAD(op, type, value) do {					\
	const __typeof__(value) _value = (value);			\
	expect_bad_value(op, type, &_value, sizeof(_value));		\
} while (0)

#define BAD_NAME(op, type, name) \
	expect_bad_value(op, type, name, strlen(name) + 1)

TEST(netlink__values_out_of_range_are_explained)
{
	set_up();
	expect_done(&op_rail_new);

	BAD(&op_rail_new, UET_A_RAIL_IFINDEX, (uint32_t)0);
	BAD(&op_rail_new, UET_A_RAIL_IFINDEX, (uint32_t)99999);
	BAD(&op_rail_new, UET_A_RAIL_IFINDEX, UINT32_MAX);
	BAD(&op_rail_set, UET_A_RAIL_IFINDEX, (uint32_t)99999);
	BAD(&op_rail_set, UET_A_RAIL_INGRESS, (uint8_t)2);
	BAD(&op_fep_new, UET_A_FEP_ADDR4, htonl(0x0a000001));
	BAD(&op_fep_new, UET_A_FEP_ADDR4, (uint32_t)0);
	BAD(&op_fep_new, UET_A_FEP_ADDR4, htonl(0xe0000001));
	BAD(&op_fep_new, UET_A_FEP_ADDR4, UINT32_MAX);
	BAD(&op_fep_new, UET_A_FEP_MTU, (uint32_t)0);
	BAD(&op_fep_new, UET_A_FEP_MTU, (uint32_t)1023);
	BAD(&op_fep_new, UET_A_FEP_MTU, (uint32_t)512);
	BAD(&op_fep_new, UET_A_FEP_MTU, (uint32_t)16384);
	BAD(&op_fep_new, UET_A_FEP_MTU, (uint32_t)0x10400);
	BAD(&op_fep_new, UET_A_FEP_PORT, (uint16_t)0);
	BAD(&op_fep_new, UET_A_FEP_PROTECT, (uint8_t)2);
	BAD(&op_fep_new, UET_A_FEP_ENCAP, (uint8_t)2);
	BAD(&op_fep_new, UET_A_FEP_HEADERS, (uint8_t)2);
	BAD(&op_fep_new_native, UET_A_FEP_PROTO, (uint8_t)0);
	BAD(&op_fep_new_native, UET_A_FEP_PROTO, (uint8_t)17);
	BAD(&op_fep_new_native, UET_A_FEP_PORT, (uint16_t)4793);
	BAD(&op_fep_new, UET_A_FEP_DSCP_REQUEST, (uint8_t)64);
	BAD(&op_fep_new, UET_A_FEP_IFINDEX, (uint32_t)0);
	BAD(&op_fep_new, UET_A_FEP_IFINDEX, (uint32_t)99999);
	BAD(&op_fep_new, UET_A_FEP_IFINDEX, UINT32_MAX);
	BAD_NAME(&op_fep_new, UET_A_FEP_NAME, "");
	BAD_NAME(&op_fep_new, UET_A_FEP_NAME, "a b");
	BAD_NAME(&op_fep_new, UET_A_FEP_NAME, "a/b");
	BAD_NAME(&op_fep_new, UET_A_FEP_NAME, "a\n");
	BAD_NAME(&op_fep_new, UET_A_FEP_NAME, "sixteen-letters-");

	BAD(&op_fep_new, UET_A_FEP_WINDOW, (uint32_t)300);
	BAD(&op_fep_new, UET_A_FEP_RTO_INIT_NS, (uint64_t)999);
	/* Its maximum is two seconds. */
	BAD(&op_fep_new, UET_A_FEP_RTO_INIT_NS, (uint64_t)2000000001);
	BAD(&op_fep_new, UET_A_FEP_ACK_PER_PKT, (uint8_t)2);

	expect_done(&op_fep_new);
	BAD(&op_fep_set, UET_A_FEP_DSCP_TRIMMED, (uint8_t)64);
	BAD(&op_fep_set, UET_A_FEP_DSCP_TRIMMED, (uint8_t)11);
	BAD(&op_fep_set, UET_A_FEP_DSCP_TRIMMED, (uint8_t)21);
	BAD(&op_fep_set, UET_A_FEP_WINDOW, (uint32_t)2048);
	BAD(&op_fep_set, UET_A_FEP_RTO_MAX_NS, (uint64_t)4999999);
	BAD(&op_fep_set, UET_A_FEP_MAX_RTO_RETX, (uint32_t)0);
	BAD_NAME(&op_fep_set, UET_A_FEP_NAME, "nosuch");
	BAD(&op_fep_set, UET_A_FEP_MTU, (uint32_t)1024);
	BAD(&op_job_new, UET_A_JOB_ID, (uint32_t)0);
	BAD(&op_job_new, UET_A_JOB_ID, (uint32_t)0x1000000);
	BAD(&op_job_new, UET_A_JOB_UID, UINT32_MAX);
	BAD(&op_job_new, UET_A_JOB_GID, UINT32_MAX);
	BAD(&op_job_new, UET_A_JOB_PID_MIN, (uint16_t)10);
	BAD(&op_job_new, UET_A_JOB_PID_MIN, (uint16_t)4096);
	BAD(&op_job_new, UET_A_JOB_PID_MAX, (uint16_t)4096);
	BAD_NAME(&op_job_new, UET_A_JOB_FEP, "nosuch");
	BAD_NAME(&op_job_new, UET_A_JOB_FEP, "");
	BAD_NAME(&op_job_new, UET_A_JOB_NAME, "a b");
	BAD_NAME(&op_stats_get, UET_A_STATS_NAME, "nosuch");
	BAD_NAME(&op_features_get, UET_A_FEATURES_CAPABILITY, "nosuch");
	expect_objects(1, 1, 0);
}

TEST(netlink__lists_have_limits)
{
	struct nlreq req;
	int i;

	set_up();
	expect_done(&op_rail_new);

	put_others(&req, &op_fep_new, NULL);
	nlreq_put_u32(&req, UET_A_FEP_IFINDEX, UETNS_LO_IFINDEX);
	expect_refused(&req, &op_fep_new, "the same rail", 2);
	nlreq_put_u32(&req, UET_A_FEP_IFINDEX, UETNS_LO_IFINDEX + 1);
	expect_refused(&req, &op_fep_new, "rails", 3);

	expect_done(&op_fep_new);
	put_others(&req, &op_job_new, NULL);
	nlreq_put(&req, UET_A_JOB_FEP, "fep0", 5);
	expect_refused(&req, &op_job_new, "the same fep", 2);
	for (i = 0; i < UET_JOB_FEPS_MAX; i++)
		nlreq_put(&req, UET_A_JOB_FEP, "fep0", 5);
	expect_refused(&req, &op_job_new, "feps", i + 2);
	expect_objects(1, 1, 0);
}

TEST(netlink__objects_in_use_stay)
{
	struct answer answer;

	set_up();
	expect_done(&op_rail_new);
	expect_done(&op_fep_new);
	expect_done(&op_job_new);

	answer = ask_op(&op_rail_del);
	EXPECT_EQ(answer.error, EBUSY);
	EXPECT(strstr(answer.text, "fep"));
	answer = ask_op(&op_fep_del);
	EXPECT_EQ(answer.error, EBUSY);
	EXPECT(strstr(answer.text, "job"));
	answer = ask_op(&op_rail_new);
	EXPECT_EQ(answer.error, EEXIST);
	EXPECT(answer.text[0]);
	answer = ask_op(&op_fep_new);
	EXPECT_EQ(answer.error, EEXIST);
	EXPECT(answer.text[0]);
	answer = ask_op(&op_job_new);
	EXPECT_EQ(answer.error, EEXIST);
	EXPECT(answer.text[0]);
	expect_objects(1, 1, 1);
}

TEST(netlink__taken_port_is_explained)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(4793),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct answer answer;

	set_up();
	close(fd);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ASSERT_SYS(fd);
	ASSERT_SYS(bind(fd, (void *)&addr, sizeof(addr)));
	expect_done(&op_rail_new);

	answer = ask_op(&op_fep_new);
	EXPECT_EQ(answer.error, EADDRINUSE);
	EXPECT(strstr(answer.text, "port"));
	close(fd);
	expect_objects(1, 0, 0);
	expect_done(&op_fep_new);
}

TEST(netlink__changes_need_privilege)
{
	static const struct op *const changes[] = {
		&op_rail_new, &op_rail_set, &op_fep_new, &op_fep_set,
		&op_job_new, &op_rail_del, &op_fep_del, &op_job_del,
	};
	size_t i;

	set_up();
	expect_done(&op_rail_new);
	expect_done(&op_fep_new);
	expect_done(&op_job_new);

	ASSERT_SYS(setresuid(65534, 65534, 65534));
	close(nl_fd);
	nl_fd = open_netlink();
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		EXPECT_EQ(ask_op(changes[i]).error, EPERM);
	expect_done(&op_rail_get);
	expect_done(&op_fep_get);
	expect_done(&op_job_get);
	expect_objects(1, 1, 1);
}

/* The command of the next event. */
static int next_event(int fd)
{
	struct nlreq event;

	ASSERT_SYS(recv(fd, &event, sizeof(event), 0));
	EXPECT_EQ(event.nlh.nlmsg_type, nl_family);
	return ((struct genlmsghdr *)event.body)->cmd;
}

static int listen_to(int group)
{
	int fd = open_netlink();

	ASSERT_SYS(setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
			      &nl_groups[group], sizeof(nl_groups[group])));
	return fd;
}

/* An event is there before the request that caused it is answered. */
static bool hears_more(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

TEST(netlink__changes_are_sent_to_their_groups)
{
	int mgmt, rail, pdc;

	set_up();
	mgmt = listen_to(MGMT);
	rail = listen_to(RAIL);
	pdc = listen_to(PDC);

	expect_done(&op_rail_new);
	EXPECT_EQ(next_event(rail), UET_CMD_RAIL_NTF);
	expect_done(&op_rail_set);
	EXPECT_EQ(next_event(rail), UET_CMD_RAIL_NTF);
	expect_done(&op_fep_new);
	EXPECT_EQ(next_event(mgmt), UET_CMD_FEP_NTF);
	expect_done(&op_fep_set);
	EXPECT_EQ(next_event(mgmt), UET_CMD_FEP_NTF);
	expect_done(&op_job_new);
	EXPECT_EQ(next_event(mgmt), UET_CMD_JOB_NTF);
	expect_done(&op_job_del);
	EXPECT_EQ(next_event(mgmt), UET_CMD_JOB_DEL_NTF);
	expect_done(&op_fep_del);
	EXPECT_EQ(next_event(mgmt), UET_CMD_FEP_DEL_NTF);
	expect_done(&op_rail_del);
	EXPECT_EQ(next_event(rail), UET_CMD_RAIL_DEL_NTF);
	EXPECT(!hears_more(mgmt));
	EXPECT(!hears_more(rail));
	EXPECT(!hears_more(pdc));
}

static uint64_t fuzz_state = 1;

static uint32_t fuzz_number(uint32_t below)
{
	fuzz_state = fuzz_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (fuzz_state >> 33) % below;
}

static void put_random(struct nlreq *req)
{
	uint8_t data[64];
	size_t i, len = fuzz_number(sizeof(data));

	for (i = 0; i < len; i++)
		data[i] = fuzz_number(4) ? fuzz_number(256) : 0;
	nlreq_put(req, fuzz_number(24), data, len);
}

TEST(netlink__random_requests_are_explained)
{
	const char *seed = getenv("UTEST_SEED");
	struct answer answer;
	struct nlreq req;
	int i, nr;

	set_up();
	fuzz_state = seed ? strtoull(seed, NULL, 0) : 1;

	for (i = 0; i < FUZZ_MESSAGES; i++) {
		nlreq_begin_genl(&req, nl_family, 1 + fuzz_number(UET_CMD_MAX), 0);
		for (nr = fuzz_number(6); nr; nr--)
			put_random(&req);
		answer = ask(&req, NULL);
		ASSERT(!answer.error || answer.error == EOPNOTSUPP ||
		       answer.text[0]);
	}
}

HARNESS_MAIN()
