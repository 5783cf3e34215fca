/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to the generic netlink family "uet": a grammar that makes ones which
 * may succeed, and the damage that is done to them, piece by piece, before they
 * are written.  fuzz_genl.c sends them and judges the answers, chaos.c only sends them.
 * Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_GENL_H
#define UET_SELFTESTS_FUZZ_GENL_H

#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stddef.h>

#include <linux/uet_nl.h>

#include "fuzz.h"

#define ITEMS_MAX	32
#define ITEM_BYTES	512
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static _Thread_local struct fuzz_rand rnd;
static uint16_t family;
static int netdev[3];

/* ------------------------------------------------------------------ grammar */

enum kind {
	K_NUMBER, K_NAME, K_IFINDEX, K_ADDR, K_MTU, K_TEXT, K_FLAG, K_WINDOW,
	K_KEY,
};

/* An attribute: what it holds, and in how many of 8 requests it is. */
struct attr {
	uint16_t type;
	uint8_t odds;
	enum kind kind;
	uint8_t bytes;
	uint32_t min, max;
};

#define NUMBER(bytes, min, max)	K_NUMBER, bytes, min, max
#define OTHER(kind)		K_##kind, 0, 0, 0

/* The object that a request makes or deletes: the letter is that of its keys. */
struct op {
	uint8_t cmd;
	char makes, deletes;
	bool has_dump;
	uint16_t key;
	struct attr attrs[42];
};

/* Settings of a FEP, most of them legal by themselves. */
#define FEP_SETTINGS							\
	{ UET_A_FEP_DSCP_REQUEST, 2, NUMBER(1, 0, 63) },		\
	{ UET_A_FEP_DSCP_RETX, 2, NUMBER(1, 0, 63) },			\
	{ UET_A_FEP_DSCP_CONTROL, 2, NUMBER(1, 0, 63) },		\
	{ UET_A_FEP_DSCP_TRIMMED, 1, NUMBER(1, 0, 64) },		\
	{ UET_A_FEP_DSCP_TRIMMED_LASTHOP, 1, NUMBER(1, 0, 64) },	\
	{ UET_A_FEP_WINDOW, 1, OTHER(WINDOW) },				\
	{ UET_A_FEP_DEFAULT_MPR, 1, NUMBER(4, 1, 255) },		\
	{ UET_A_FEP_MPR_ZERO, 1, NUMBER(4, 0, 127) },			\
	{ UET_A_FEP_BURST, 1, NUMBER(4, 0, 65000) },			\
	{ UET_A_FEP_CC_STRICT, 1, NUMBER(1, 0, 2) },			\
	{ UET_A_FEP_CREDIT_RATE, 1, NUMBER(4, 499, 1001) },		\
	{ UET_A_FEP_CREDIT_RUN, 1, NUMBER(4, 0, 10000000) },		\
	{ UET_A_FEP_PEER_TIMEOUT_NS, 1, NUMBER(8, 0, 2000000000) },	\
	{ UET_A_FEP_REORDER_MIN_NS, 1, NUMBER(8, 0, 1000000) },	\
	{ UET_A_FEP_ACK_GEN_TRIGGER, 1, NUMBER(4, 1, 1048577) },	\
	{ UET_A_FEP_ACK_DELAY_NS, 1, NUMBER(8, 0, 100000000) },		\
	{ UET_A_FEP_RTO_INIT_NS, 1, NUMBER(8, 1000, 100000000) },	\
	{ UET_A_FEP_RTO_MAX_NS, 1, NUMBER(8, 100000000, 2000000000) },	\
	{ UET_A_FEP_MAX_NACK_RETX, 1, NUMBER(4, 0, 32) },		\
	{ UET_A_FEP_ACK_PER_PKT, 1, NUMBER(1, 0, 1) },			\
	{ UET_A_FEP_ACK_CLEARS, 1, NUMBER(1, 0, 1) },			\
	{ UET_A_FEP_AMO_HOST, 1, NUMBER(1, 0, 1) },			\
	{ UET_A_FEP_MSWAP_XOR, 1, NUMBER(1, 0, 2) },			\
	{ UET_A_FEP_FIXED_PORT, 1, NUMBER(1, 0, 1) },			\
	{ UET_A_FEP_JOB_ZERO, 1, NUMBER(4, 0, 16777216) },		\
	{ UET_A_FEP_SYN_RETX_SAFETY_NS, 1, NUMBER(8, 1000, 2000000000) },	\
	{ UET_A_FEP_HEADERS, 1, NUMBER(1, 0, 1) },			\
	{ UET_A_FEP_CC, 1, NUMBER(1, 0, 2) },				\
	{ UET_A_FEP_PATHS, 1, NUMBER(1, 0, 4) },			\
	{ UET_A_FEP_CC_RATE, 1, NUMBER(4, 0, 12800001) },		\
	{ UET_A_FEP_CC_BASE_RTT_NS, 1, NUMBER(8, 128, 10000001) }

static const struct op ops[] = {
	{ UET_CMD_RAIL_NEW, 'r', 0, false, UET_A_RAIL_IFINDEX, {
		{ UET_A_RAIL_IFINDEX, 8, OTHER(IFINDEX) },
		{ UET_A_RAIL_PLANE, 8, NUMBER(4, 0, 3) } } },
	{ UET_CMD_RAIL_DEL, 0, 'r', false, UET_A_RAIL_IFINDEX, {
		{ UET_A_RAIL_IFINDEX, 8, OTHER(IFINDEX) } } },
	{ UET_CMD_RAIL_GET, 0, 0, true, UET_A_RAIL_IFINDEX, {
		{ UET_A_RAIL_IFINDEX, 8, OTHER(IFINDEX) } } },
	{ UET_CMD_FEP_NEW, 'f', 0, false, UET_A_FEP_NAME, {
		{ UET_A_FEP_NAME, 8, OTHER(NAME) },
		{ UET_A_FEP_ADDR4, 8, OTHER(ADDR) },
		{ UET_A_FEP_MTU, 4, OTHER(MTU) },
		{ UET_A_FEP_PORT, 3, NUMBER(2, 4792, 4795) },
		{ UET_A_FEP_PROTECT, 4, NUMBER(1, 0, 2) },
		{ UET_A_FEP_SD, 1, OTHER(NAME) },
		FEP_SETTINGS,
		{ UET_A_FEP_IFINDEX, 8, OTHER(IFINDEX) },
		{ UET_A_FEP_IFINDEX, 2, OTHER(IFINDEX) },
		{ UET_A_FEP_ENCAP, 3, NUMBER(1, 0, 1) },
		{ UET_A_FEP_PROTO, 1, NUMBER(1, 252, 254) } } },
	{ UET_CMD_FEP_SET, 0, 0, false, UET_A_FEP_NAME, {
		{ UET_A_FEP_NAME, 8, OTHER(NAME) },
		FEP_SETTINGS } },
	{ UET_CMD_FEP_DEL, 0, 'f', false, UET_A_FEP_NAME, {
		{ UET_A_FEP_NAME, 8, OTHER(NAME) } } },
	{ UET_CMD_FEP_GET, 0, 0, true, UET_A_FEP_NAME, {
		{ UET_A_FEP_NAME, 8, OTHER(NAME) } } },
	{ UET_CMD_JOB_NEW, 'j', 0, false, UET_A_JOB_ID, {
		{ UET_A_JOB_ID, 8, NUMBER(4, 1, 6) },
		{ UET_A_JOB_NAME, 4, OTHER(NAME) },
		{ UET_A_JOB_UID, 2, NUMBER(4, 0, 2) },
		{ UET_A_JOB_GID, 2, NUMBER(4, 0, 2) },
		{ UET_A_JOB_PID_MIN, 2, NUMBER(2, 0, 2) },
		{ UET_A_JOB_PID_MAX, 2, NUMBER(2, 2, 4095) },
		{ UET_A_JOB_FEP, 8, OTHER(NAME) },
		{ UET_A_JOB_FEP, 2, OTHER(NAME) } } },
	{ UET_CMD_JOB_DEL, 0, 'j', false, UET_A_JOB_ID, {
		{ UET_A_JOB_ID, 8, NUMBER(4, 1, 6) } } },
	{ UET_CMD_JOB_GET, 0, 0, true, UET_A_JOB_ID, {
		{ UET_A_JOB_ID, 8, NUMBER(4, 1, 6) } } },
	{ UET_CMD_EP_GET, 0, 0, true, 0, {
		{ UET_A_EP_FEP, 8, OTHER(NAME) },
		{ UET_A_EP_JOB, 8, NUMBER(4, 1, 6) },
		{ UET_A_EP_PID, 8, NUMBER(2, 0, 3) },
		{ UET_A_EP_RI, 8, NUMBER(2, 1, 2) },
		{ UET_A_EP_ABSOLUTE, 2, OTHER(FLAG) } } },
	{ UET_CMD_PDC_GET, 0, 0, true, 0, {
		{ UET_A_PDC_FEP, 8, OTHER(NAME) },
		{ UET_A_PDC_ID, 8, NUMBER(4, 1, 65535) } } },
	{ UET_CMD_PDC_DEL, 0, 0, false, 0, {
		{ UET_A_PDC_FEP, 8, OTHER(NAME) },
		{ UET_A_PDC_ID, 8, NUMBER(4, 1, 65535) } } },
	{ UET_CMD_PDC_HISTORY_GET, 0, 0, true, 0, {
		{ UET_A_PDC_FEP, 8, OTHER(NAME) },
		{ UET_A_PDC_ID, 8, NUMBER(4, 1, 65535) } } },
	{ UET_CMD_FEP_TRAFFIC_GET, 0, 0, true, 0, {
		{ UET_A_TRAFFIC_FEP, 8, OTHER(NAME) } } },
	{ UET_CMD_JOB_TRAFFIC_GET, 0, 0, true, 0, {
		{ UET_A_TRAFFIC_JOB, 8, NUMBER(4, 1, 6) } } },
	{ UET_CMD_PEER_GET, 0, 0, true, 0, {
		{ UET_A_TRAFFIC_FEP, 8, OTHER(NAME) },
		{ UET_A_TRAFFIC_PEER4, 8, OTHER(ADDR) } } },
	{ UET_CMD_CCC_GET, 0, 0, true, 0, {
		{ UET_A_CCC_FEP, 8, OTHER(NAME) },
		{ UET_A_CCC_PEER4, 8, OTHER(ADDR) } } },
	{ UET_CMD_STATS_GET, 0, 0, true, 0, {
		{ UET_A_STATS_KIND, 8, NUMBER(1, 0, 1) },
		{ UET_A_STATS_NAME, 8, OTHER(TEXT) } } },
	{ UET_CMD_FEATURES_GET, 0, 0, false, 0, {
		{ UET_A_FEATURES_CAPABILITY, 4, OTHER(TEXT) } } },
	{ UET_CMD_PING, 0, 0, false, 0, {
		{ UET_A_PING_FEP, 8, OTHER(NAME) },
		{ UET_A_PING_ADDR4, 8, OTHER(ADDR) },
		{ UET_A_PING_JOB, 2, NUMBER(4, 0, 0x1000000) },
		{ UET_A_PING_IFINDEX, 2, OTHER(IFINDEX) } } },
	{ UET_CMD_SD_NEW, 's', 0, false, UET_A_SD_NAME, {
		{ UET_A_SD_NAME, 8, OTHER(NAME) },
		{ UET_A_SD_SDI, 8, NUMBER(4, 1, 0x1000000) },
		{ UET_A_SD_MODE, 3, NUMBER(1, 0, 3) },
		{ UET_A_SD_CLIENT, 1, OTHER(FLAG) },
		{ UET_A_SD_IPV6, 1, OTHER(FLAG) },
		{ UET_A_SD_SSI, 3, NUMBER(4, 0, 3) },
		{ UET_A_SD_REKEY_MASK, 1, NUMBER(8, 0, 255) },
		{ UET_A_SD_REKEY_SHIFT, 1, NUMBER(1, 0, 48) },
		{ UET_A_SD_EPOCH_AGE, 2, NUMBER(2, 0, 20) },
		{ UET_A_SD_SEAL_LIMIT, 1, NUMBER(8, 0, 100) },
		{ UET_A_SD_FAIL_LIMIT, 1, NUMBER(8, 0, 3) } } },
	{ UET_CMD_SD_SET, 0, 0, false, UET_A_SD_NAME, {
		{ UET_A_SD_NAME, 8, OTHER(NAME) },
		{ UET_A_SD_AN, 8, NUMBER(1, 0, 1) },
		{ UET_A_SD_KEY, 8, OTHER(KEY) },
		{ UET_A_SD_EPOCH, 4, NUMBER(2, 0, 3) },
		{ UET_A_SD_TSC, 2, NUMBER(8, 0, 100) } } },
	{ UET_CMD_SD_SET, 0, 0, false, UET_A_SD_NAME, {
		{ UET_A_SD_NAME, 8, OTHER(NAME) },
		{ UET_A_SD_USE, 5, NUMBER(1, 0, 1) },
		{ UET_A_SD_FORGET, 1, NUMBER(1, 0, 1) },
		{ UET_A_SD_EPOCH, 1, NUMBER(2, 0, 6) } } },
	{ UET_CMD_SD_DEL, 0, 's', false, UET_A_SD_NAME, {
		{ UET_A_SD_NAME, 8, OTHER(NAME) } } },
	{ UET_CMD_SD_GET, 0, 0, true, UET_A_SD_NAME, {
		{ UET_A_SD_NAME, 8, OTHER(NAME) } } },
	{ UET_CMD_RAIL_SET, 0, 0, false, UET_A_RAIL_IFINDEX, {
		{ UET_A_RAIL_IFINDEX, 8, OTHER(IFINDEX) },
		{ UET_A_RAIL_INGRESS, 8, NUMBER(1, 0, 1) } } },
};

static const char *const names[] = { "f0", "f1", "f2", "fep-three" };
static const char *const texts[] = { "rx-packets", "crc", "rud", "udp", "" };
static const char *const addrs[] = {
	"127.0.0.1", "10.0.0.1", "10.64.0.1", "::1", "fd00::1", "fd00:64::1",
};

static inline const struct op *op_of(uint8_t cmd)
{
	const struct op *op;

	for (op = ops; op < ops + NR(ops); op++)
		if (op->cmd == cmd)
			return op;
	return NULL;
}

/* ----------------------------------------------------------------- requests */

/* An attribute of a request; @claim: the length it says it has, if not 0. */
struct item {
	uint16_t type, len, claim;
	uint8_t bytes[ITEM_BYTES];
};

struct request {
	uint16_t type, flags, reserved;
	uint8_t cmd, version;
	int longer;		/* bytes more than there are, in nlmsg_len */
	/* as it is sent */
	const struct nlmsghdr *nlh;
	/* what came back */
	unsigned int errors, dones, objects;
	int error;
	char text[128];
	unsigned int nr;
	struct item items[ITEMS_MAX];
};

static void set_text(struct item *item, const char *text)
{
	item->len = strlen(text) + 1;
	memcpy(item->bytes, text, item->len);
}

/* The attributes for addresses have the same numbers in all sets. */
static void set_addr(struct item *item)
{
	const char *text = addrs[fuzz_below(&rnd, NR(addrs))];

	_Static_assert((int)UET_A_PING_ADDR4 == (int)UET_A_FEP_ADDR4 &&
		       (int)UET_A_PING_ADDR6 == (int)UET_A_FEP_ADDR6, "sets");
	item->type = strchr(text, ':') ? UET_A_FEP_ADDR6 : UET_A_FEP_ADDR4;
	item->len = inet_pton(AF_INET, text, item->bytes) == 1 ? 4 : 16;
	if (item->len == 16)
		inet_pton(AF_INET6, text, item->bytes);
}

/* Numbers are in host order, which is that of the only machine here. */
static void set_number(struct item *item, uint64_t value, unsigned int bytes)
{
	memcpy(item->bytes, &value, bytes);
	item->len = bytes;
}

static void add_item(struct request *req, const struct attr *attr)
{
	struct item *item = &req->items[req->nr];

	if (req->nr == ITEMS_MAX)
		return;
	req->nr++;
	memset(item, 0, sizeof(*item));
	item->type = attr->type;
	switch (attr->kind) {
	case K_NUMBER:
		set_number(item, attr->min + fuzz_below(&rnd, attr->max -
							attr->min + 1),
			   attr->bytes);
		break;
	case K_NAME:
		set_text(item, names[fuzz_below(&rnd, NR(names))]);
		break;
	case K_TEXT:
		set_text(item, texts[fuzz_below(&rnd, NR(texts))]);
		break;
	case K_IFINDEX:
		set_number(item, netdev[fuzz_below(&rnd, NR(netdev))], 4);
		break;
	case K_MTU:
		set_number(item, 1024 << fuzz_below(&rnd, 4), 4);
		break;
	case K_WINDOW:
		set_number(item, 128 << fuzz_below(&rnd, 4), 4);
		break;
	case K_ADDR:
		set_addr(item);
		break;
	case K_KEY:	/* one of a few, or none, so that they come again */
		item->len = 32;
		memset(item->bytes, fuzz_below(&rnd, 6), item->len);
		break;
	case K_FLAG:
		break;
	}
}

/* A request that may well succeed. */
static void make_request(struct request *req)
{
	const struct op *op = &ops[fuzz_below(&rnd, NR(ops))];
	const struct attr *attr;

	memset(req, 0, offsetof(struct request, items));
	req->type = family;
	req->flags = NLM_F_REQUEST | NLM_F_ACK;
	req->cmd = op->cmd;
	req->version = UET_FAMILY_VERSION;
	if (op->has_dump && fuzz_one_in(&rnd, 3))
		req->flags |= NLM_F_DUMP;
	for (attr = op->attrs; attr->type; attr++)
		if (fuzz_below(&rnd, 8) < attr->odds)
			add_item(req, attr);
}

/* ------------------------------------------------------------------- damage */

/* Wrap the payload into as many attributes as there is space for. */
static void damage_nest(struct item *item)
{
	unsigned int most = fuzz_one_in(&rnd, 4) ? 100 : 2;
	unsigned int depth = 1 + fuzz_below(&rnd, most);
	struct nlattr nla;

	while (depth-- && item->len + NLA_HDRLEN <= ITEM_BYTES) {
		nla.nla_len = item->len + NLA_HDRLEN;
		nla.nla_type = fuzz_below(&rnd, 24) |
			       (fuzz_one_in(&rnd, 2) ? NLA_F_NESTED : 0);
		if (fuzz_one_in(&rnd, 16))
			nla.nla_len = fuzz_edge(&rnd);
		memmove(item->bytes + NLA_HDRLEN, item->bytes, item->len);
		memcpy(item->bytes, &nla, NLA_HDRLEN);
		item->len += NLA_HDRLEN;
	}
	if (fuzz_one_in(&rnd, 2))
		item->type |= NLA_F_NESTED;
	if (fuzz_one_in(&rnd, 4))
		item->len -= fuzz_below(&rnd, item->len);
}

static void damage_length(struct item *item)
{
	uint16_t len = fuzz_one_in(&rnd, 2) ? fuzz_below(&rnd, item->len + 1) :
					      fuzz_below(&rnd, ITEM_BYTES);

	if (len > item->len)
		fuzz_fill(&rnd, item->bytes + item->len, len - item->len);
	item->len = len;
}

static void damage_value(struct item *item)
{
	uint32_t edge = fuzz_edge(&rnd);

	if (item->len && fuzz_one_in(&rnd, 2))
		fuzz_damage(&rnd, item->bytes, item->len);
	else
		memcpy(item->bytes, &edge, item->len < 4 ? item->len : 4);
	/* A string without its end. */
	if (item->len && fuzz_one_in(&rnd, 4))
		item->bytes[item->len - 1] = 'x';
}

static void damage_type(struct item *item)
{
	static const uint16_t flags[] = {
		NLA_F_NESTED, NLA_F_NET_BYTEORDER,
		NLA_F_NESTED | NLA_F_NET_BYTEORDER,
	};

	if (fuzz_one_in(&rnd, 2))
		item->type ^= flags[fuzz_below(&rnd, NR(flags))];
	else
		item->type = fuzz_one_in(&rnd, 4) ? fuzz_edge(&rnd) :
						    fuzz_below(&rnd, 40);
}

/* An attribute more: the same again, one of any set, or nobody's. */
static void damage_by_adding(struct request *req)
{
	const struct op *op = &ops[fuzz_below(&rnd, NR(ops))];
	unsigned int nr;

	if (req->nr == ITEMS_MAX)
		return;
	if (req->nr && fuzz_one_in(&rnd, 2)) {
		req->items[req->nr] = req->items[fuzz_below(&rnd, req->nr)];
		req->nr++;
		return;
	}
	for (nr = 0; op->attrs[nr].type; nr++)
		;
	add_item(req, &op->attrs[fuzz_below(&rnd, nr)]);
	if (fuzz_one_in(&rnd, 4))
		req->items[req->nr - 1].type = fuzz_below(&rnd, 64);
}

static void damage_item(struct request *req)
{
	struct item *item = &req->items[fuzz_below(&rnd, req->nr)];
	struct item *other = &req->items[fuzz_below(&rnd, req->nr)];
	struct item copy;

	switch (fuzz_below(&rnd, 8)) {
	case 0:
		*item = req->items[--req->nr];
		break;
	case 1:
		damage_nest(item);
		break;
	case 2:
		damage_length(item);
		break;
	case 3:
		damage_type(item);
		break;
	case 4:
		copy = *item;
		*item = *other;
		*other = copy;
		break;
	case 5:
		item->claim = fuzz_one_in(&rnd, 2) ? fuzz_below(&rnd, 64) :
						     fuzz_edge(&rnd) | 1;
		break;
	default:
		damage_value(item);
	}
}

static void damage_header(struct request *req)
{
	static const uint16_t types[] = {
		0, NLMSG_NOOP, NLMSG_ERROR, NLMSG_DONE, NLMSG_OVERRUN, 0xfffe,
	};

	switch (fuzz_below(&rnd, 8)) {
	case 0:
		req->cmd = fuzz_one_in(&rnd, 2) ? fuzz_below(&rnd, 32) :
						  fuzz_below(&rnd, 256);
		break;
	case 1:
		req->version = fuzz_below(&rnd, 256);
		break;
	case 2:
		req->reserved = fuzz_edge(&rnd);
		break;
	case 3:
		req->flags ^= NLM_F_DUMP;
		break;
	case 4:
		req->flags ^= 1 << fuzz_below(&rnd, 16);
		break;
	case 5:
		req->flags = fuzz_u32(&rnd);
		break;
	case 6:
		req->type = types[fuzz_below(&rnd, NR(types))];
		break;
	default:
		req->longer = fuzz_below(&rnd, 24) - 8;
	}
}

static void damage(struct request *req)
{
	unsigned int times = 1 + fuzz_below(&rnd, 3);

	while (times--) {
		if (fuzz_one_in(&rnd, 6))
			damage_header(req);
		else if (fuzz_one_in(&rnd, 4) || !req->nr)
			damage_by_adding(req);
		else
			damage_item(req);
	}
}

/* Write a request at @at; returns where it ends. */
static uint8_t *encode(struct request *req, uint8_t *at, uint32_t seq)
{
	struct nlmsghdr *nlh = (void *)at;
	struct genlmsghdr *genl = NLMSG_DATA(nlh);
	const struct item *item;
	struct nlattr *nla = (void *)(at + NLMSG_LENGTH(GENL_HDRLEN));

	for (item = req->items; item < req->items + req->nr; item++) {
		memset(nla, 0, NLA_ALIGN(NLA_HDRLEN + item->len));
		nla->nla_type = item->type;
		nla->nla_len = item->claim ? : NLA_HDRLEN + item->len;
		memcpy(nla + 1, item->bytes, item->len);
		nla = (void *)((char *)nla + NLA_ALIGN(NLA_HDRLEN + item->len));
	}
	*nlh = (struct nlmsghdr){
		.nlmsg_len = (uint8_t *)nla - at + req->longer,
		.nlmsg_type = req->type, .nlmsg_flags = req->flags,
		.nlmsg_seq = seq,
	};
	*genl = (struct genlmsghdr){ req->cmd, req->version, req->reserved };
	req->nlh = nlh;
	return (uint8_t *)nla;
}

#endif
