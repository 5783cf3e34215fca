// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of memory regions and of WRITE on them: what can be registered, that
 * exactly the bytes that were sent arrive where they belong, what a peer must not
 * do, and what happens to a region whose owner unmaps, forks, deregisters or
 * is killed.  Started by sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "uetlock.h"
#include "uetrma.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)

#define REG(addr_, length_, key_, access_, flags_) {				\
		.flags = (flags_), .addr = (addr_), .length = (length_),	\
		.key = (key_), .access = (access_),				\
	}

/* ------------------------------------------------------------ registration */

TEST(reg__of_an_unbound_socket_is_refused)
{
	int fd = us_socket();
	uint64_t key;

	EXPECT_FAILS(us_try_reg(fd, us_map(PAGE), PAGE, UET_MR_WRITE, &key),
		     ENOTCONN);
	EXPECT(us_explains(fd, "not bound"));
}

TEST(reg__of_bad_arguments_is_refused)
{
	static uint8_t buf[PAGE];
	const struct {
		struct uet_mr_reg reg;
		const char *text;
	} bad[] = {
		{ REG(0, PAGE, 0, UET_MR_WRITE, 0x2a), "flags 0x20" },
		{ REG(0, PAGE, 0, 0x80, 0), "access 0x80" },
		{ REG(0, 0, 0, UET_MR_WRITE, 0), "length 0" },
		{ REG(0, UET_MR_LENGTH_MAX + 1, 0, UET_MR_WRITE, 0),
		  "length 68719476737" },
		{ REG(-(uint64_t)PAGE, PAGE, 0, UET_MR_WRITE, 0), "wrap around" },
		{ REG(0, PAGE, 5, UET_MR_WRITE, 0), "UET_MR_FIXED_KEY" },
		{ REG(0, PAGE, UET_MR_KEY_MAX + 1, UET_MR_WRITE, UET_MR_FIXED_KEY), "key 0x1000000000000" },
	};
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_mr_reg reg;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		reg = bad[i].reg;
		if (!reg.addr)
			reg.addr = (uintptr_t)buf;
		EXPECT_FAILS(uet_ioctl(fd, UET_IOC_MR_REG, &reg), EINVAL);
		EXPECT(us_explains(fd, bad[i].text));
	}
	EXPECT_FAILS(ioctl(fd, UET_IOC_MR_REG, (void *)8), EFAULT);
	EXPECT_FAILS(ioctl(fd, UET_IOC_MR_DEREG, (void *)8), EFAULT);
}

TEST(reg__of_memory_that_cannot_be_written_is_refused)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t *p = us_map(3 * PAGE);
	uint64_t key;

	ASSERT_SYS(mprotect(p + PAGE, PAGE, PROT_READ));
	EXPECT_FAILS(us_try_reg(fd, p, 3 * PAGE, UET_MR_WRITE, &key), EFAULT);
	EXPECT(us_explains(fd, "cannot be written"));
	ASSERT_SYS(munmap(p + PAGE, PAGE));
	EXPECT_FAILS(us_try_reg(fd, p, 3 * PAGE, UET_MR_WRITE, &key), EFAULT);
	EXPECT_EQ(us_try_reg(fd, p, PAGE, UET_MR_WRITE, &key), 0);
}

TEST(reg__checks_fixed_keys)
{
	struct uet_mr_reg reg = {
		.length = PAGE, .key = 0xffffffffffff, .access = UET_MR_WRITE,
		.flags = UET_MR_FIXED_KEY,
	};
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t *p = us_map(PAGE);
	uint64_t a, b;

	a = us_reg(fd, p, PAGE, UET_MR_WRITE);
	b = us_reg(fd, p, PAGE, UET_MR_WRITE);
	EXPECT(a != b);
	EXPECT(a <= UET_MR_KEY_MAX && b <= UET_MR_KEY_MAX);
	reg.addr = (uintptr_t)p;
	EXPECT_EQ(uet_ioctl(fd, UET_IOC_MR_REG, &reg), 0);
	EXPECT_EQ(reg.key, 0xffffffffffff);
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_MR_REG, &reg), EEXIST);
	EXPECT(us_explains(fd, "key 0xffffffffffff is in use"));
	EXPECT_EQ(us_dereg(fd, reg.key), 0);
	EXPECT_FAILS(us_dereg(fd, reg.key), ENOENT);
	EXPECT(us_explains(fd, "names no region"));
	EXPECT_EQ(uet_ioctl(fd, UET_IOC_MR_REG, &reg), 0);
}

TEST(reg__counts_for_the_memlock_limit)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t *p = us_map(16 * PAGE);
	uint64_t key, other;

	/* The kernel counts two pages more for each region. */
	us_limit_memlock(10 * PAGE);
	EXPECT_FAILS(us_try_reg(fd, p, 9 * PAGE, UET_MR_WRITE, &key), ENOMEM);
	EXPECT(us_explains(fd, "RLIMIT_MEMLOCK"));
	key = us_reg(fd, p, 8 * PAGE, UET_MR_WRITE);
	EXPECT_FAILS(us_try_reg(fd, p, 1, UET_MR_WRITE, &other), ENOMEM);
	EXPECT_EQ(us_dereg(fd, key), 0);
	/* A region that was deregistered no longer counts: on close(), too. */
	key = us_reg(fd, p, 8 * PAGE, UET_MR_WRITE);
	ASSERT_SYS(close(fd));
	fd = us_endpoint(0, UET_PID_ANY, 0);
	us_reg(fd, p, 8 * PAGE, UET_MR_WRITE);
}

/* ----------------------------------------------------------------- writing */

/*
 * Put the message made from @seed there, and wait until it is.  @flags: 0, or
 * UET_OP_RUDI to go without a PDC
 */
static struct uet_completion put_how(int fd, uint64_t key, uint64_t offset,
				     uint32_t seed, size_t len,
				     const uint64_t *hdata, uint32_t flags)
{
	struct us_rma rma = {
		UET_OP_WRITE, seed, { key, offset }, hdata, NULL, flags, NULL,
	};
	uint8_t *buf = us_message(seed, len);

	EXPECT_EQ(us_rma(fd, &rma, buf, len), len);
	free(buf);
	return us_completion(fd);
}

static struct uet_completion put(int fd, uint64_t key, uint64_t offset,
				 uint32_t seed, size_t len,
				 const uint64_t *hdata)
{
	return put_how(fd, key, offset, seed, len, hdata, 0);
}

/* As put(), with success. */
static struct uet_completion put_done(int fd, uint64_t key, uint64_t offset,
				      uint32_t seed, size_t len,
				      const uint64_t *hdata)
{
	struct uet_completion rec = put(fd, key, offset, seed, len, hdata);

	us_expect_done(&rec, seed, 1, len);
	return rec;
}

TEST(write__puts_its_bytes_and_no_others)
{
	static const size_t lens[] = { 0, 1, 7, MTU - 1, MTU, MTU + 1,
				       3 * MTU + 11 };
	static const size_t starts[] = { 0, 1, PAGE - 1, PAGE, 2 * PAGE + 77 };
	struct us_pair p = us_pair();
	const size_t space = 8 * PAGE, lead = 123;
	uint8_t *mem = us_map(space + PAGE);
	struct uet_completion rec;
	uint64_t key = us_reg(p.rx, mem + lead, space, UET_MR_WRITE);

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (size_t j = 0; j < sizeof(starts) / sizeof(starts[0]); j++) {
			size_t len = lens[i], at = lead + starts[j];

			memset(mem, 0xa5, space + PAGE);
			rec = put_done(p.tx, key, starts[j], 7 + i, len, NULL);
			EXPECT_EQ(rec.opcode, UET_OP_WRITE);
			EXPECT(us_is_filled(mem, 0xa5, at));
			EXPECT(us_matches(mem + at, 7 + i, 0, len));
			EXPECT(us_is_filled(mem + at + len, 0xa5,
					 space + PAGE - at - len));
		}
	}
	EXPECT_FAILS(recv(p.rx, mem, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(write__puts_a_megabyte_in_either_mode)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct us_pair p;
	uint8_t *mem;
	uint64_t key;

	for (size_t i = 0; i < 2; i++) {
		p = us_pair_of(types[i]);
		mem = us_map(2 * MIB);
		key = us_reg(p.rx, mem + 1, 2 * MIB - 1, UET_MR_WRITE);
		put_done(p.tx, key, 999, 3, MIB, NULL);
		EXPECT(us_matches(mem + 1000, 3, 0, MIB));
		EXPECT(us_is_filled(mem, 0, 1000));
		EXPECT(us_is_filled(mem + 1000 + MIB, 0, MIB - 1000));
	}
}

TEST(write__with_completion_data_is_reported)
{
	static const size_t lens[] = { 0, 100, 5 * MTU };
	const uint64_t hdata = 0x123456789abcdef0;
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(8 * PAGE);
	uint64_t key = us_reg(p.rx, mem, 8 * PAGE, UET_MR_WRITE);
	struct us_ctx_msg m;
	struct uet_ctx ctx;
	char byte;

	us_want_ctx(p.rx);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		put_done(p.tx, key, 5, 9, lens[i], &hdata);
		EXPECT_EQ(us_recv_ctx(p.rx, &m, &byte, 1, 0), 0);
		ctx = us_ctx(&m);
		EXPECT_EQ(ctx.opcode, UET_OP_WRITE);
		EXPECT_EQ(ctx.flags, UET_CTX_HDATA);
		EXPECT_EQ(ctx.header_data, hdata);
		EXPECT_EQ(ctx.length, lens[i]);
		EXPECT_EQ(ctx.match, 0);
		EXPECT_EQ(ctx.delivery, UET_DELIVERY_RUD);
		EXPECT(us_matches(mem + 5, 9, 0, lens[i]));
	}
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
}

/* A reader that does not read holds up those who want to tell it something. */
TEST(write__is_independent_of_the_reader)
{
	const uint64_t hdata = 1;
	struct us_pair p = us_pair();
	struct us_rma rma = { .opcode = UET_OP_WRITE, .hdata = &hdata };
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t *mem = us_map(PAGE);
	uint32_t told = 0, got = 0;
	char byte;

	us_set_buf(p.rx, SO_RCVBUF, 1);
	us_set_timeout(p.tx, SO_SNDTIMEO, 30000);
	rma.at.key = us_reg(p.rx, mem, PAGE, UET_MR_WRITE);
	for (; told < 60; told++)
		EXPECT_EQ(us_rma(p.tx, &rma, "x", 1), 1);
	/* A write without completion data needs no space. */
	ASSERT_SYS(us_connect(other, &to));
	put_done(other, rma.at.key, 8, 3, 100, NULL);
	/* And of the others none is lost. */
	while (got < told) {
		EXPECT_EQ(recv(p.rx, &byte, 1, 0), 0);
		got++;
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
}

/*
 * Refused writes suspend their sender, so those behind them are sent in one burst.  The
 * device may lose one of the burst: see sock_api.sh.
 */
TEST(refused_writes__do_not_lock_out_a_lost_one)
{
	enum { ROUNDS = 40, COUNT = 200 };
	const uint64_t hdata = 1;
	struct us_rma rma = { .opcode = UET_OP_WRITE, .hdata = &hdata };
	uint8_t *mem = us_map(PAGE);
	struct us_pair p;
	char byte;

	for (int round = 0; round < ROUNDS; round++) {
		p = us_pair();
		us_set_buf(p.rx, SO_RCVBUF, 1);
		us_set_timeout(p.rx, SO_RCVTIMEO, 10000);
		rma.at.key = us_reg(p.rx, mem, PAGE, UET_MR_WRITE);
		for (int i = 0; i < COUNT; i++)
			EXPECT_EQ(us_rma(p.tx, &rma, "x", 1), 1);
		for (int i = 0; i < COUNT; i++)
			ASSERT_EQ(recv(p.rx, &byte, 1, 0), 0);
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
		ASSERT_SYS(close(p.tx));
		ASSERT_SYS(close(p.rx));
	}
}

TEST(seqpacket__keeps_writes_among_messages)
{
	enum { COUNT = 200 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	uint8_t *mem = us_map(PAGE);
	struct us_rma rma = { .opcode = UET_OP_WRITE };
	uint64_t i, got;
	struct us_ctx_msg m;
	struct uet_ctx ctx;

	us_want_ctx(p.rx);
	rma.at.key = us_reg(p.rx, mem, PAGE, UET_MR_WRITE);
	rma.hdata = &i;
	for (i = 0; i < COUNT; i++) {
		if (i % 2)
			EXPECT_EQ(us_rma(p.tx, &rma, &i, sizeof(i)), sizeof(i));
		else
			EXPECT_EQ(send(p.tx, &i, sizeof(i), 0), sizeof(i));
	}
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(us_recv_ctx(p.rx, &m, &got, sizeof(got), 0),
			  i % 2 ? 0 : sizeof(got));
		ctx = us_ctx(&m);
		ASSERT_EQ(i % 2 ? ctx.header_data : got, i);
	}
}

TEST(send__takes_completion_data)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	const uint64_t hdata = 0xfedcba9876543210;
	struct us_control c;
	struct us_ctx_msg m;
	struct us_pair p;
	char byte;

	for (size_t i = 0; i < 3; i++) {
		p = us_pair_of(types[i]);
		us_want_ctx(p.rx);
		c.len = 0;
		us_add_cmsg(&c, UET_CMSG_HDATA, &hdata, sizeof(hdata));
		EXPECT_EQ(us_send_control(p.tx, &c, "x", 1), 1);
		EXPECT_EQ(us_recv_ctx(p.rx, &m, &byte, 1, 0), 1);
		EXPECT_EQ(us_ctx(&m).flags, UET_CTX_HDATA);
		EXPECT_EQ(us_ctx(&m).header_data, hdata);
	}
}

/* -------------------------------------------------------- what must not be */

static void expect_refused(const struct uet_completion *rec, uint8_t rc)
{
	EXPECT_EQ(rec->rc, rc);
	EXPECT_EQ(rec->error, rc == US_RC_OP_VIOLATION ? EACCES : EFAULT);
	EXPECT_EQ(rec->length, 0);
}

/* As put(), in vain. */
static void put_refused(int fd, uint64_t key, uint64_t offset, size_t len,
			uint8_t rc)
{
	struct uet_completion rec = put(fd, key, offset, 1, len, NULL);

	expect_refused(&rec, rc);
}

TEST(write__beyond_the_region_is_refused)
{
	static const struct { uint64_t offset; size_t len; } bad[] = {
		{ 100, 1 }, { 99, 2 }, { 101, 0 }, { 0, 101 },
		{ UINT64_MAX, 1 }, { UINT64_MAX - 1, 2 }, { 1ull << 32, 1 },
	};
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(PAGE);
	uint64_t key = us_reg(p.rx, mem, 100, UET_MR_WRITE);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_refused(p.tx, key, bad[i].offset, bad[i].len, US_RC_BAD_ADDR);
	}
	EXPECT(us_is_filled(mem, 0, PAGE));
	put_done(p.tx, key, 100, 1, 0, NULL);
}

/* The first packets of a message that is too long may arrive. */
TEST(write__past_the_end_of_the_region_stops_there)
{
	struct us_pair p = us_pair();
	struct uet_completion rec;
	uint8_t *mem = us_map(4 * PAGE);
	uint64_t key = us_reg(p.rx, mem, 2 * MTU, UET_MR_WRITE);

	rec = put(p.tx, key, 0, 1, 64 * MTU, NULL);
	EXPECT_EQ(rec.rc, US_RC_BAD_ADDR);
	EXPECT_EQ(rec.error, EFAULT);
	EXPECT(us_is_filled(mem + 2 * MTU, 0, 4 * PAGE - 2 * MTU));
	put_done(p.tx, key, 0, 1, 2 * MTU, NULL);
	EXPECT(us_matches(mem, 1, 0, 2 * MTU));
}

TEST(write__needs_key_endpoint_and_access)
{
	struct us_pair p = us_pair();
	int other = us_endpoint(1, UET_PID_ANY, 0);
	uint8_t *mem = us_map(PAGE);
	uint64_t key = us_reg(p.rx, mem, PAGE, UET_MR_WRITE);
	uint64_t foreign = us_reg(other, mem, PAGE, UET_MR_WRITE);
	uint64_t atomic = us_reg(p.rx, mem, PAGE, UET_MR_ATOMIC);

	put_refused(p.tx, key ^ 1, 0, 10, US_RC_BAD_MKEY);
	put_refused(p.tx, key | 1ull << 62, 0, 10, US_RC_BAD_MKEY);
	put_refused(p.tx, foreign, 0, 10, US_RC_BAD_MKEY);
	put_refused(p.tx, atomic, 0, 10, US_RC_OP_VIOLATION);
	EXPECT(us_is_filled(mem, 0, PAGE));
	EXPECT_EQ(us_dereg(p.rx, key), 0);
	put_refused(p.tx, key, 0, 10, US_RC_BAD_MKEY);
	EXPECT(us_is_filled(mem, 0, PAGE));
}

TEST(op__of_memory_needs_its_control_messages)
{
	struct uet_op put_op = us_op(UET_OP_WRITE, 1);
	struct uet_op send_op = us_op(UET_OP_SEND, 1);
	const struct uet_rma at = { 1, 2 };
	const uint64_t hdata = 1;
	struct us_pair p = us_pair();
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, &put_op, sizeof(put_op));
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "WRITE) without UET_CMSG_RMA"));
	us_add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	us_add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "UET_CMSG_RMA is there twice"));
	c.len = 0;
	us_add_cmsg(&c, UET_CMSG_OP, &send_op, sizeof(send_op));
	us_add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "SEND) with UET_CMSG_RMA"));
	c.len = 0;
	us_add_cmsg(&c, UET_CMSG_HDATA, &hdata, 4);
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "UET_CMSG_HDATA has 4 bytes, not 8"));
	us_expect_none(p.tx);
}

/* ------------------------------------------------------------------- RUDI */

/* Memory that may be written twice. */
static uint64_t reg_idempotent(int fd, void *addr, size_t len)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = len, .access = UET_MR_WRITE,
		.flags = UET_MR_IDEMPOTENT_SAFE,
	};

	ASSERT_SYS(uet_ioctl(fd, UET_IOC_MR_REG, &reg));
	EXPECT(reg.key & UET_MR_KEY_IDEMPOTENT_SAFE);
	return reg.key;
}

/* As put(), without a PDC. */
static struct uet_completion put_rudi(int fd, uint64_t key, uint64_t offset,
				      uint32_t seed, size_t len)
{
	return put_how(fd, key, offset, seed, len, NULL, UET_OP_RUDI);
}

/* As put_rudi(), in vain. */
static void put_rudi_refused(int fd, uint64_t key, uint64_t offset, size_t len,
			     uint8_t rc)
{
	struct uet_completion rec = put_rudi(fd, key, offset, 1, len);

	expect_refused(&rec, rc);
}

TEST(rudi__puts_bytes_without_a_pdc)
{
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 5 * MTU + 3, MIB };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct uet_completion rec;
	struct us_pair p;
	uint8_t *mem;
	uint64_t key;

	for (size_t t = 0; t < 2; t++) {
		p = us_pair_of(types[t]);
		mem = us_map(2 * MIB);
		key = reg_idempotent(p.rx, mem, 2 * MIB);
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			rec = put_rudi(p.tx, key, 77, 5 + i, lens[i]);
			us_expect_done(&rec, 5 + i, 1, lens[i]);
			EXPECT_EQ(rec.delivery, UET_DELIVERY_RUDI);
			EXPECT(us_matches(mem + 77, 5 + i, 0, lens[i]));
		}
		EXPECT(us_is_filled(mem, 0, 77));
		EXPECT(us_is_filled(mem + 77 + MIB, 0, MIB - 77));
		/* Such memory can be written by other ways, too. */
		rec = put_done(p.tx, key, 0, 99, 3 * MTU, NULL);
		EXPECT_EQ(rec.delivery, t ? UET_DELIVERY_ROD : UET_DELIVERY_RUD);
		EXPECT(us_matches(mem, 99, 0, 3 * MTU));
	}
}

TEST(rudi__writes_many_at_once)
{
	enum { COUNT = 100, LEN = 20000 };
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(COUNT * LEN), *data;
	struct us_rma rma = { .opcode = UET_OP_WRITE, .flags = UET_OP_RUDI };
	struct uet_completion rec;
	uint32_t i, done;

	rma.at.key = reg_idempotent(p.rx, mem, COUNT * LEN);
	for (i = 0; i < COUNT; i++) {
		data = us_message(i, LEN);
		rma.cookie = i;
		rma.at.offset = i * LEN;
		EXPECT_EQ(us_rma(p.tx, &rma, data, LEN), LEN);
		free(data);
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	for (done = 0; done < COUNT; done += rec.count) {
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.error, 0);
	}
	for (i = 0; i < COUNT; i++)
		EXPECT(us_matches(mem + i * LEN, i, 0, LEN));
}

TEST(rudi__forbidden_operations_are_refused)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(PAGE);
	uint64_t key = reg_idempotent(p.rx, mem, 100);
	uint64_t plain = us_reg(p.rx, mem, 100, UET_MR_WRITE);

	put_rudi_refused(p.tx, key ^ 1, 0, 10, US_RC_BAD_MKEY);
	put_rudi_refused(p.tx, plain | UET_MR_KEY_IDEMPOTENT_SAFE, 0, 10,
			 US_RC_BAD_MKEY);
	put_rudi_refused(p.tx, key, 99, 2, US_RC_BAD_ADDR);
	put_rudi_refused(p.tx, key, 0, 5 * MTU, US_RC_BAD_ADDR);
	EXPECT(us_is_filled(mem, 0, PAGE));
	EXPECT_EQ(us_dereg(p.rx, key & UET_MR_KEY_MAX), -1);
	EXPECT_EQ(us_dereg(p.rx, key), 0);
	put_rudi_refused(p.tx, key, 0, 10, US_RC_BAD_MKEY);
}

TEST(rudi__is_for_writes_that_may_be_repeated)
{
	struct uet_op send_op = { .opcode = UET_OP_SEND, .flags = UET_OP_RUDI };
	struct uet_mr_reg reg = {
		.length = PAGE, .access = UET_MR_WRITE | UET_MR_ATOMIC,
		.flags = UET_MR_IDEMPOTENT_SAFE,
	};
	struct us_rma rma = { .opcode = UET_OP_WRITE, .flags = UET_OP_RUDI };
	const uint64_t hdata = 1;
	struct us_pair p = us_pair();
	struct us_control c = { .len = 0 };

	reg.addr = (uintptr_t)us_map(PAGE);
	EXPECT_FAILS(uet_ioctl(p.rx, UET_IOC_MR_REG, &reg), EINVAL);
	EXPECT(us_explains(p.rx, "UET_MR_IDEMPOTENT_SAFE"));
	us_add_cmsg(&c, UET_CMSG_OP, &send_op, sizeof(send_op));
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "UET_OP_RUDI is for UET_OP_READ, and UET_OP_WRITE"));
	rma.at.key = 5;
	EXPECT_FAILS(us_rma(p.tx, &rma, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "key 0x5 without UET_MR_KEY_IDEMPOTENT_SAFE"));
	rma.at.key |= UET_MR_KEY_IDEMPOTENT_SAFE;
	rma.hdata = &hdata;
	EXPECT_FAILS(us_rma(p.tx, &rma, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "without UET_CMSG_HDATA"));
	us_expect_none(p.tx);
}

/* --------------------------------------------------- what owners do to them */

TEST(region__that_was_unmapped_changes_nothing)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(16 * PAGE);
	uint64_t key = us_reg(p.rx, mem, 16 * PAGE, UET_MR_WRITE);
	uint8_t *next;

	ASSERT_SYS(munmap(mem, 16 * PAGE));
	next = us_map(16 * PAGE);
	put_done(p.tx, key, 0, 1, 16 * PAGE, NULL);
	EXPECT(us_is_filled(next, 0, 16 * PAGE));
}

TEST(region__stays_its_owners_over_fork)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(4 * PAGE);
	uint64_t key = us_reg(p.rx, mem, 4 * PAGE, UET_MR_WRITE);
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_SYS(pid);
	if (!pid) {
		memset(mem, 1, 4 * PAGE);
		_exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(us_is_filled(mem, 0, 4 * PAGE));
	put_done(p.tx, key, 0, 1, 4 * PAGE, NULL);
	EXPECT(us_matches(mem, 1, 0, 4 * PAGE));
}

TEST(region__of_huge_pages)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(8 * MIB);
	uint64_t key;

	madvise(mem, 8 * MIB, MADV_HUGEPAGE);
	memset(mem, 0, 8 * MIB);
	key = us_reg(p.rx, mem, 8 * MIB, UET_MR_WRITE);
	put_done(p.tx, key, 2 * MIB - 5, 1, MIB, NULL);
	EXPECT(us_matches(mem + 2 * MIB - 5, 1, 0, MIB));
}

TEST(region__is_one_of_many_of_a_socket)
{
	enum { COUNT = 1000 };
	static uint64_t keys[COUNT];
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(PAGE);
	uint32_t i;

	for (i = 0; i < COUNT; i++)
		keys[i] = us_reg(p.rx, mem + i, 1, UET_MR_WRITE);
	for (i = 0; i < COUNT; i += 7) {
		put_done(p.tx, keys[i], 0, i, 1, NULL);
		EXPECT_EQ(mem[i], us_byte(i, 0));
	}
	for (i = 0; i < COUNT; i += 2)
		ASSERT_SYS(us_dereg(p.rx, keys[i]));
}

/* When deregistration returns nobody writes there any more. */
TEST(region__is_quiet_once_deregistered)
{
	struct us_pair p = us_pair();
	struct us_rma rma = { .opcode = UET_OP_WRITE };
	uint8_t *mem = us_map(64 * PAGE), *data = us_message(1, 64 * PAGE);
	struct uet_completion rec;
	int round, i;

	for (round = 0; round < 20; round++) {
		rma.at.key = us_reg(p.rx, mem, 64 * PAGE, UET_MR_WRITE);
		for (i = 0; i < 4; i++)
			EXPECT_EQ(us_rma(p.tx, &rma, data, 64 * PAGE),
				  64 * PAGE);
		ASSERT_SYS(us_dereg(p.rx, rma.at.key));
		memset(mem, 0, 64 * PAGE);
		for (i = 0; i < 4; i += rec.count)
			rec = us_completion(p.tx);
		EXPECT(us_is_filled(mem, 0, 64 * PAGE));
	}
}

TEST(region__goes_with_its_socket)
{
	struct us_pair p;
	struct us_rma rma = { .opcode = UET_OP_WRITE };
	uint8_t *mem = us_map(64 * PAGE), *data = us_message(1, 64 * PAGE);
	struct uet_completion rec;
	int round;

	for (round = 0; round < 10; round++) {
		p = us_pair();
		rma.at.key = us_reg(p.rx, mem, 64 * PAGE, UET_MR_WRITE);
		EXPECT_EQ(us_rma(p.tx, &rma, data, 64 * PAGE), 64 * PAGE);
		ASSERT_SYS(close(p.rx));
		memset(mem, 0, 64 * PAGE);
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.count, 1);
		EXPECT(us_is_filled(mem, 0, 64 * PAGE));
		ASSERT_SYS(close(p.tx));
	}
}

HARNESS_MAIN()
