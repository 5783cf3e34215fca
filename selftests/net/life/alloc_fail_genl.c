// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink requests to the module with each allocation that they reach failing
 * once: a request that is refused has changed nothing, one that is granted has
 * done all of it and was told, and afterwards the same request works.  failnth.h
 * has the sweep; started by alloc_fail.sh in a namespace with a dummy device
 * fa0, see uetsock.h for the rest.  Level: test.
 */
#include <net/if.h>

#include "failnth.h"
#include "genl.h"
#include "uetsock.h"

/*
 * Objects of this test, each on the one before it: rail fa0, FEP "failing",
 * job 99.  A listener has their events allocated as well.
 */

#define JOB_ID	99

enum object { RAIL, FEP, JOB, OBJECTS };

static const struct {
	uint8_t add, del, get;
} commands[OBJECTS] = {
	[RAIL] = { UET_CMD_RAIL_NEW, UET_CMD_RAIL_DEL, UET_CMD_RAIL_GET },
	[FEP] = { UET_CMD_FEP_NEW, UET_CMD_FEP_DEL, UET_CMD_FEP_GET },
	[JOB] = { UET_CMD_JOB_NEW, UET_CMD_JOB_DEL, UET_CMD_JOB_GET },
};

static int listener, asking;
static struct nlreq request;
static struct genl_answer answer;
/* Objects of each dump before anything failed. */
static int nr_before[UET_CMD_MAX + 1];

static void put_rail(struct nlreq *req, bool is_add)
{
	nlreq_put_u32(req, UET_A_RAIL_IFINDEX, if_nametoindex("fa0"));
	if (is_add)
		nlreq_put_u32(req, UET_A_RAIL_PLANE, 9);
}

static void put_fep(struct nlreq *req, bool is_add)
{
	struct in_addr addr;

	nlreq_put_string(req, UET_A_FEP_NAME, "failing");
	if (!is_add)
		return;
	inet_pton(AF_INET, "10.0.0.1", &addr);
	nlreq_put(req, UET_A_FEP_ADDR4, &addr, sizeof(addr));
	nlreq_put_u32(req, UET_A_FEP_MTU, 1024);
	nlreq_put_u32(req, UET_A_FEP_IFINDEX, if_nametoindex("fa0"));
}

static void put_job(struct nlreq *req, bool is_add)
{
	nlreq_put_u32(req, UET_A_JOB_ID, JOB_ID);
	if (is_add)
		nlreq_put_string(req, UET_A_JOB_FEP, "failing");
}

static void begin(struct nlreq *req, enum object what, uint8_t cmd)
{
	static void (*const put[])(struct nlreq *req, bool is_add) = {
		[RAIL] = put_rail, [FEP] = put_fep, [JOB] = put_job,
	};

	genl_begin(req, genl_family, cmd, NLM_F_ACK);
	put[what](req, cmd == commands[what].add);
}

/* A request in which nothing is to fail. */
static int plain(enum object what, uint8_t cmd)
{
	struct nlreq req;
	int fd = nlreq_open(NETLINK_GENERIC);
	struct genl_answer got;

	begin(&req, what, cmd);
	got = genl_ask(fd, &req, NULL);
	close(fd);
	return got.error;
}

static bool is_there(enum object what)
{
	int err = plain(what, commands[what].get);

	EXPECT(!err || err == ENOENT);
	return !err;
}

static int count(uint8_t cmd)
{
	struct nlreq req;
	int fd = nlreq_open(NETLINK_GENERIC);
	struct genl_answer got;

	genl_begin(&req, genl_family, cmd, NLM_F_DUMP);
	got = genl_ask(fd, &req, NULL);
	close(fd);
	EXPECT_EQ(got.error, 0);
	return got.messages;
}

static void genl_set_up(void)
{
	int fd = nlreq_open(NETLINK_GENERIC);

	genl_resolve(fd);
	close(fd);
	listener = genl_listen();
	nr_before[UET_CMD_RAIL_GET] = count(UET_CMD_RAIL_GET);
	nr_before[UET_CMD_FEP_GET] = count(UET_CMD_FEP_GET);
	nr_before[UET_CMD_JOB_GET] = count(UET_CMD_JOB_GET);
	nr_before[UET_CMD_SD_GET] = count(UET_CMD_SD_GET);
	nr_before[UET_CMD_STATS_GET] = count(UET_CMD_STATS_GET);
	fail_open();
}

static void expect_as_before(void)
{
	EXPECT_EQ(count(UET_CMD_RAIL_GET), nr_before[UET_CMD_RAIL_GET]);
	EXPECT_EQ(count(UET_CMD_FEP_GET), nr_before[UET_CMD_FEP_GET]);
	EXPECT_EQ(count(UET_CMD_JOB_GET), nr_before[UET_CMD_JOB_GET]);
	EXPECT_EQ(count(UET_CMD_SD_GET), nr_before[UET_CMD_SD_GET]);
}

/* Return: was there an event, or ENOBUFS, which says that there was one? */
static bool was_told(void)
{
	char event[sizeof(struct nlreq)];

	return recv(listener, event, sizeof(event), MSG_DONTWAIT) >= 0 ||
	       errno == ENOBUFS;
}

/* Everything that @what needs is there, and itself if the test deletes it. */
static void prepare(enum object what, uint8_t cmd)
{
	enum object i;

	for (i = RAIL; i < what; i++)
		EXPECT_EQ(plain(i, commands[i].add), 0);
	if (cmd != commands[what].add)
		EXPECT_EQ(plain(what, commands[what].add), 0);
	while (was_told())
		;
	asking = nlreq_open(NETLINK_GENERIC);
	begin(&request, what, cmd);
}

static int call_genl(void)
{
	answer = genl_ask(asking, &request, NULL);
	return -answer.error;
}

/* The answer is true, and the event was sent.  A lost answer says nothing. */
static void check_added(enum object what, int ret)
{
	if (answer.is_unknown)
		return;
	EXPECT_EQ(was_told(), !ret);
	EXPECT_EQ(is_there(what), !ret);
}

static void check_deleted(enum object what, int ret)
{
	if (answer.is_unknown)
		return;
	EXPECT_EQ(was_told(), !ret);
	EXPECT_EQ(is_there(what), !!ret);
}

static void undo_genl(void)
{
	int i, err;

	close(asking);
	for (i = JOB; i >= RAIL; i--) {
		err = plain(i, commands[i].del);
		EXPECT(!err || err == ENOENT);
	}
}

#define GENL_CHANGE(fn, what, cmd, verify, error)			\
	static void prepare_##fn(void) { prepare(what, cmd); }		\
	static void check_##fn(int ret) { verify(what, ret); }		\
	TEST(genl__##fn)						\
	{								\
		static const struct fail_op op = {			\
			.name = #fn, .prepare = prepare_##fn,		\
			.call = call_genl, .check = check_##fn,		\
			.undo = undo_genl, .also = error };		\
		genl_set_up();						\
		fail_sweep(&op);					\
		expect_as_before();					\
	}

/* It is what the kernel says when it has no memory for another socket. */
GENL_CHANGE(rail_add, RAIL, UET_CMD_RAIL_NEW, check_added, 0)
GENL_CHANGE(rail_del, RAIL, UET_CMD_RAIL_DEL, check_deleted, 0)
GENL_CHANGE(fep_add, FEP, UET_CMD_FEP_NEW, check_added, ENFILE)
GENL_CHANGE(fep_del, FEP, UET_CMD_FEP_DEL, check_deleted, 0)
GENL_CHANGE(job_add, JOB, UET_CMD_JOB_NEW, check_added, 0)
GENL_CHANGE(job_del, JOB, UET_CMD_JOB_DEL, check_deleted, 0)

static uint32_t window_seen;

static void fep_seen(const struct nlmsghdr *nlh)
{
	window_seen = genl_u32(genl_find_in(nlh, UET_A_FEP_WINDOW));
}

/* A setting, and the first DSCP for trimmed packets, which needs a hook. */
static void prepare_fep_set(void)
{
	uint8_t dscp = 20;

	prepare(FEP, UET_CMD_FEP_SET);
	nlreq_put_u32(&request, UET_A_FEP_WINDOW, 512);
	nlreq_put(&request, UET_A_FEP_DSCP_TRIMMED, &dscp, sizeof(dscp));
}

static void check_fep_set(int ret)
{
	struct nlreq req;
	int fd;

	if (answer.is_unknown)
		return;
	EXPECT_EQ(was_told(), !ret);
	fd = nlreq_open(NETLINK_GENERIC);
	begin(&req, FEP, UET_CMD_FEP_GET);
	EXPECT_EQ(genl_ask(fd, &req, fep_seen).error, 0);
	EXPECT_EQ(window_seen, ret ? 256 : 512);
	close(fd);
}

TEST(genl__fep_set_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "fep_set", .prepare = prepare_fep_set,
		.call = call_genl, .check = check_fep_set, .undo = undo_genl,
	};

	genl_set_up();
	fail_sweep(&op);
	expect_as_before();
}

static void check_answered(int ret)
{
	if (!ret)
		EXPECT_EQ(answer.messages, 1);
	close(asking);
}

/* Get requests of what is there as long as the test runs. */
static void sweep_get(const char *name, void (*prepare_get)(void))
{
	const struct fail_op op = {
		.name = name, .prepare = prepare_get, .call = call_genl,
		.check = check_answered,
	};

	fail_sweep(&op);
}

#define GENL_GET(fn, what)						\
	static void prepare_##fn(void)					\
	{								\
		asking = nlreq_open(NETLINK_GENERIC);					\
		begin(&request, what, commands[what].get);		\
	}								\
	TEST(genl__##fn)						\
	{								\
		enum object i;						\
		genl_set_up();						\
		for (i = RAIL; i < OBJECTS; i++)			\
			ASSERT_EQ(plain(i, commands[i].add), 0);	\
		sweep_get(#fn, prepare_##fn);				\
		undo_genl();						\
		expect_as_before();					\
	}

GENL_GET(rail_get, RAIL)
GENL_GET(fep_get, FEP)
GENL_GET(job_get, JOB)

static void prepare_stats_get(void)
{
	uint8_t kind = UET_COUNTER_KIND_MIB;

	asking = nlreq_open(NETLINK_GENERIC);
	genl_begin(&request, genl_family, UET_CMD_STATS_GET, NLM_F_ACK);
	nlreq_put(&request, UET_A_STATS_KIND, &kind, sizeof(kind));
	nlreq_put_string(&request, UET_A_STATS_NAME, "rx-packets");
}

TEST(genl__stats_get_survives_no_memory)
{
	genl_set_up();
	sweep_get("stats_get", prepare_stats_get);
}

static void prepare_features_get(void)
{
	asking = nlreq_open(NETLINK_GENERIC);
	genl_begin(&request, genl_family, UET_CMD_FEATURES_GET, NLM_F_ACK);
}

TEST(genl__features_get_survives_no_memory)
{
	genl_set_up();
	sweep_get("features_get", prepare_features_get);
}

static void prepare_ep_get(void)
{
	asking = nlreq_open(NETLINK_GENERIC);
	genl_begin(&request, genl_family, UET_CMD_EP_GET, NLM_F_ACK);
	nlreq_put_string(&request, UET_A_EP_FEP, "fep1");
	nlreq_put_u32(&request, UET_A_EP_JOB, atoi(us_env("UET_JOB")));
	nlreq_put_u16(&request, UET_A_EP_PID, 77);
	nlreq_put_u16(&request, UET_A_EP_RI, 5);
}

TEST(genl__ep_get_survives_no_memory)
{
	int fd;

	genl_set_up();
	fd = us_endpoint(0, 77, 5);
	sweep_get("ep_get", prepare_ep_get);
	close(fd);
}

static uint32_t pdc_id;
static char pdc_fep[16];

static void pdc_seen(const struct nlmsghdr *nlh)
{
	const struct nlattr *fep = genl_find_in(nlh, UET_A_PDC_FEP);

	pdc_id = genl_u32(genl_find_in(nlh, UET_A_PDC_ID));
	snprintf(pdc_fep, sizeof(pdc_fep), "%s", (const char *)(fep + 1));
}

static void prepare_pdc_get(void)
{
	asking = nlreq_open(NETLINK_GENERIC);
	genl_begin(&request, genl_family, UET_CMD_PDC_GET, NLM_F_ACK);
	nlreq_put_string(&request, UET_A_PDC_FEP, pdc_fep);
	nlreq_put_u32(&request, UET_A_PDC_ID, pdc_id);
}

/* Two endpoints with a PDC between them, which stays. */
static struct us_pair pair_with_pdc(void)
{
	struct us_pair p = us_pair();

	EXPECT_EQ(us_send(p.tx, 1, 10, 0), 10);
	us_expect(p.rx, 1, 10);
	return p;
}

TEST(genl__pdc_get_survives_no_memory)
{
	struct nlreq req;
	int fd = nlreq_open(NETLINK_GENERIC);

	genl_set_up();
	pair_with_pdc();
	genl_begin(&req, genl_family, UET_CMD_PDC_GET, NLM_F_DUMP);
	EXPECT_EQ(genl_ask(fd, &req, pdc_seen).error, 0);
	ASSERT(pdc_id);
	sweep_get("pdc_get", prepare_pdc_get);
}

/* A new FEP asks itself; its name is the first attribute as everywhere. */
static void prepare_ping(void)
{
	struct in_addr addr;

	prepare(FEP, UET_CMD_PING);
	inet_pton(AF_INET, "10.0.0.1", &addr);
	nlreq_put(&request, UET_A_PING_ADDR4, &addr, sizeof(addr));
}

/*
 * An accepted ping has an outcome, with or without memory for packets; the outcome may
 * have come before the answer.
 */
static void check_ping(int ret)
{
	char outcome[sizeof(struct nlreq)];

	if (!ret && !answer.messages)
		EXPECT_GE(recv(asking, outcome, sizeof(outcome), 0), 0);
}

TEST(genl__ping_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "ping", .prepare = prepare_ping, .call = call_genl,
		.check = check_ping, .undo = undo_genl,
		/* A route look-up does not tell why there is none. */
		.also = EHOSTUNREACH,
	};

	genl_set_up();
	fail_sweep(&op);
	expect_as_before();
}

/*
 * Secure domains: "sealing", with a key that can be set, used and forgotten, and
 * in use by nobody.  Nobody is told of them.
 */

#define KEY_BYTES	32

static void begin_sd(struct nlreq *req, uint8_t cmd)
{
	genl_begin(req, genl_family, cmd, NLM_F_ACK);
	nlreq_put_string(req, UET_A_SD_NAME, "sealing");
	if (cmd == UET_CMD_SD_NEW)
		nlreq_put_u32(req, UET_A_SD_SDI, 7);
}

static void put_key(struct nlreq *req)
{
	uint8_t an = 0, key[KEY_BYTES];

	memset(key, 0x5a, sizeof(key));
	nlreq_put(req, UET_A_SD_AN, &an, sizeof(an));
	nlreq_put(req, UET_A_SD_KEY, key, sizeof(key));
}

static int ask_sd(struct nlreq *req, void (*see)(const struct nlmsghdr *nlh))
{
	int fd = nlreq_open(NETLINK_GENERIC);
	struct genl_answer got = genl_ask(fd, req, see);

	close(fd);
	return got.error;
}

static int plain_sd(uint8_t cmd)
{
	struct nlreq req;

	begin_sd(&req, cmd);
	return ask_sd(&req, NULL);
}

static int plain_key(void)
{
	struct nlreq req;

	begin_sd(&req, UET_CMD_SD_SET);
	put_key(&req);
	return ask_sd(&req, NULL);
}

static bool has_key;

static void sd_seen(const struct nlmsghdr *nlh)
{
	has_key = genl_find_in(nlh, UET_A_SD_SA);
}

static bool key_is_there(void)
{
	struct nlreq req;

	begin_sd(&req, UET_CMD_SD_GET);
	EXPECT_EQ(ask_sd(&req, sd_seen), 0);
	return has_key;
}

static void undo_sd(void)
{
	int err;

	close(asking);
	err = plain_sd(UET_CMD_SD_DEL);
	EXPECT(!err || err == ENOENT);
}

static void prepare_sd_new(void)
{
	asking = nlreq_open(NETLINK_GENERIC);
	begin_sd(&request, UET_CMD_SD_NEW);
}

static void check_sd_new(int ret)
{
	int err = plain_sd(UET_CMD_SD_GET);

	if (!answer.is_unknown)
		EXPECT_EQ(err, ret ? ENOENT : 0);
}

static void prepare_sd_del(void)
{
	EXPECT_EQ(plain_sd(UET_CMD_SD_NEW), 0);
	EXPECT_EQ(plain_key(), 0);
	asking = nlreq_open(NETLINK_GENERIC);
	begin_sd(&request, UET_CMD_SD_DEL);
}

static void check_sd_del(int ret)
{
	int err = plain_sd(UET_CMD_SD_GET);

	if (!answer.is_unknown)
		EXPECT_EQ(err, ret ? 0 : ENOENT);
}

/* Without memory for the derived key, no key is left behind. */
static void prepare_sd_key(void)
{
	EXPECT_EQ(plain_sd(UET_CMD_SD_NEW), 0);
	asking = nlreq_open(NETLINK_GENERIC);
	begin_sd(&request, UET_CMD_SD_SET);
	put_key(&request);
}

static void check_sd_key(int ret)
{
	if (!answer.is_unknown)
		EXPECT_EQ(key_is_there(), !ret);
}

static void prepare_sd_forget(void)
{
	uint8_t an = 0;

	prepare_sd_key();
	EXPECT_EQ(plain_key(), 0);
	begin_sd(&request, UET_CMD_SD_SET);
	nlreq_put(&request, UET_A_SD_FORGET, &an, sizeof(an));
}

static void check_sd_forget(int ret)
{
	if (!answer.is_unknown)
		EXPECT_EQ(key_is_there(), !!ret);
}

static void prepare_sd_get(void)
{
	EXPECT_EQ(plain_sd(UET_CMD_SD_NEW), 0);
	EXPECT_EQ(plain_key(), 0);
	asking = nlreq_open(NETLINK_GENERIC);
	begin_sd(&request, UET_CMD_SD_GET);
}

static void check_sd_get(int ret)
{
	if (!ret)
		EXPECT_EQ(answer.messages, 1);
}

#define GENL_SD(fn)							\
	TEST(genl__##fn)						\
	{								\
		static const struct fail_op op = {			\
			.name = #fn, .prepare = prepare_##fn,		\
			.call = call_genl, .check = check_##fn,		\
			.undo = undo_sd };				\
		genl_set_up();						\
		fail_sweep(&op);					\
		expect_as_before();					\
	}

GENL_SD(sd_new)
GENL_SD(sd_key)
GENL_SD(sd_forget)
GENL_SD(sd_get)
GENL_SD(sd_del)

/* A FEP in a domain with a key, for which that of its address is made. */
static void prepare_sealed_fep(void)
{
	uint8_t protect = 2;

	EXPECT_EQ(plain_sd(UET_CMD_SD_NEW), 0);
	EXPECT_EQ(plain_key(), 0);
	prepare(FEP, UET_CMD_FEP_NEW);
	nlreq_put(&request, UET_A_FEP_PROTECT, &protect, sizeof(protect));
	nlreq_put_string(&request, UET_A_FEP_SD, "sealing");
}

static void check_sealed_fep(int ret)
{
	check_added(FEP, ret);
}

static void undo_sealed_fep(void)
{
	undo_genl();
	EXPECT_EQ(plain_sd(UET_CMD_SD_DEL), 0);
}

TEST(genl__sealed_fep_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "sealed_fep", .prepare = prepare_sealed_fep,
		.call = call_genl, .check = check_sealed_fep,
		.undo = undo_sealed_fep, .also = ENFILE,
	};

	genl_set_up();
	fail_sweep(&op);
	expect_as_before();
}

static uint8_t dump_cmd;
static int dump_messages;

static void prepare_dump(void)
{
	asking = nlreq_open(NETLINK_GENERIC);
	genl_begin(&request, genl_family, dump_cmd, NLM_F_DUMP);
}

/* PDCs come and go with their time. */
static void check_dumped(int ret)
{
	if (!ret && dump_cmd != UET_CMD_PDC_GET)
		EXPECT_EQ(answer.messages, dump_messages);
	close(asking);
}

#define GENL_DUMP(fn, cmd)						\
	TEST(genl__##fn)						\
	{								\
		static const struct fail_op op = {			\
			.name = #fn, .prepare = prepare_dump,		\
			.call = call_genl, .check = check_dumped };	\
		genl_set_up();						\
		pair_with_pdc();					\
		dump_cmd = cmd;						\
		dump_messages = count(cmd);				\
		ASSERT(dump_messages);					\
		fail_sweep(&op);					\
	}

GENL_DUMP(rail_dump, UET_CMD_RAIL_GET)
GENL_DUMP(fep_dump, UET_CMD_FEP_GET)
GENL_DUMP(job_dump, UET_CMD_JOB_GET)
GENL_DUMP(ep_dump, UET_CMD_EP_GET)
GENL_DUMP(pdc_dump, UET_CMD_PDC_GET)
GENL_DUMP(stats_dump, UET_CMD_STATS_GET)

TEST(genl__sd_dump_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "sd_dump", .prepare = prepare_dump, .call = call_genl,
		.check = check_dumped,
	};

	genl_set_up();
	ASSERT_EQ(plain_sd(UET_CMD_SD_NEW), 0);
	ASSERT_EQ(plain_key(), 0);
	dump_cmd = UET_CMD_SD_GET;
	dump_messages = count(dump_cmd);
	ASSERT(dump_messages);
	fail_sweep(&op);
	ASSERT_EQ(plain_sd(UET_CMD_SD_DEL), 0);
}

HARNESS_MAIN()
