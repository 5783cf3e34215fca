// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of short headers and optimized keys: every operation that may have one
 * does what it does with a standard header, and an optimized key is of one
 * PIDonFEP, found by nobody else, and gone with its region.  Started by headers.sh,
 * which looks at the wire, see uetsock.h and uetjob.h for what it needs.
 * Level: test.
 */
#define _GNU_SOURCE
#include "uetjob.h"
#include "uetpost.h"

#define PAGE	4096
#define MTU	4096

#define RKEY(key)	((key) & UET_MR_OPTIMIZED_KEY_MAX)

/* Return codes, UE 1.0.1 Table 3-19. */
#define RC_PERM_VIOLATION	0x17
#define RC_BAD_PID		0x1a

/* Register a page or so with flags; returns 0, -1 with errno. */
static int try_reg(int fd, void *addr, size_t len, uint32_t access,
		   uint32_t flags, uint64_t *key)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = len, .access = access,
		.flags = flags, .key = flags & UET_MR_FIXED_KEY ? *key : 0,
	};

	if (uet_ioctl(fd, UET_IOC_MR_REG, &reg))
		return -1;
	*key = reg.key;
	return 0;
}

static uint64_t reg_small(int fd, void *addr, size_t len, uint32_t access,
			  uint32_t flags)
{
	uint64_t key = 0;

	ASSERT_SYS(try_reg(fd, addr, len, access, flags | UET_MR_OPTIMIZED,
			   &key));
	return key;
}

/* The same with a key of the caller's. */
static int try_fixed(int fd, void *addr, uint64_t key)
{
	return try_reg(fd, addr, 1, UET_MR_WRITE,
		       UET_MR_FIXED_KEY | UET_MR_OPTIMIZED, &key);
}

/* Write the message made from @seed, and return how it ended. */
static struct uet_completion put(int fd, uint64_t key, uint64_t offset,
				 uint32_t seed, size_t len,
				 const uint64_t *hdata, uint8_t flags)
{
	struct us_rma rma = {
		.opcode = UET_OP_WRITE, .cookie = seed, .at = { key, offset },
		.hdata = hdata, .flags = flags,
	};
	uint8_t *buf = us_message(seed, len);

	EXPECT_EQ(us_rma(fd, &rma, buf, len), len);
	free(buf);
	return us_completion(fd);
}

/* A write that is executed; where, is looked at. */
static void expect_put(int fd, uint64_t key, uint8_t *mem, uint64_t offset,
		       size_t len, const uint64_t *hdata, uint8_t flags)
{
	struct uet_completion rec = put(fd, key, offset, len, len, hdata, flags);

	us_expect_done(&rec, len, 1, len);
	EXPECT(us_matches(mem + offset, len, 0, len));
}

static void expect_refused(int fd, uint64_t key, uint64_t offset, uint8_t flags,
			   uint8_t rc, int error)
{
	struct uet_completion rec = put(fd, key, offset, 5, 6, NULL, flags);

	EXPECT_EQ(rec.rc, rc);
	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.length, 0);
}

/* Read into a region of one's own, and look at what has come. */
static void expect_get(int fd, uint64_t key, const uint8_t *mem, size_t len,
		       uint8_t flags)
{
	uint8_t *ours = us_map(len + PAGE);
	uint64_t mine = us_reg(fd, ours, len + PAGE, 0);
	const struct uet_local local = { mine, 3, len };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .cookie = len, .at = { key, 7 },
		.flags = flags, .local = &local,
	};
	struct uet_completion rec;

	EXPECT_EQ(us_rma(fd, &rma, NULL, 0), 0);
	rec = us_completion(fd);
	us_expect_done(&rec, len, 1, len);
	EXPECT_EQ(memcmp(ours + 3, mem + 7, len), 0);
	EXPECT(us_is_filled(ours, 0, 3));
	EXPECT(us_is_filled(ours + 3 + len, 0, PAGE - 3));
	ASSERT_SYS(us_dereg(fd, mine));
	munmap(ours, len + PAGE);
}

static void expect_message(int fd, int opcode, uint32_t seed, size_t len,
			   uint64_t hdata)
{
	uint8_t *buf = us_alloc(2 * MTU);
	struct us_ctx_msg m;
	struct uet_ctx ctx;

	EXPECT_EQ(us_recv_ctx(fd, &m, buf, 2 * MTU, 0),
		  opcode == UET_OP_WRITE ? 0 : len);
	ctx = us_ctx(&m);
	EXPECT_EQ(ctx.opcode, opcode);
	EXPECT_EQ(ctx.length, len);
	EXPECT_EQ(!!(ctx.flags & UET_CTX_HDATA), !!hdata);
	EXPECT_EQ(ctx.header_data, hdata);
	if (opcode != UET_OP_WRITE)
		EXPECT(us_matches(buf, seed, 0, len));
	free(buf);
}

static void send_hdata(int fd, uint32_t seed, size_t len, uint64_t hdata)
{
	const struct uet_op op = us_op(UET_OP_SEND, seed);
	uint8_t *buf = us_message(seed, len);
	struct us_control c = { .len = 0 };
	struct uet_completion rec;

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	if (hdata)
		us_add_cmsg(&c, UET_CMSG_HDATA, &hdata, sizeof(hdata));
	EXPECT_EQ(us_send_control(fd, &c, buf, len), len);
	rec = us_completion(fd);
	us_expect_done(&rec, seed, 1, len);
	free(buf);
}

/* ------------------------------------------------------------------ the wire */

/* Each has a length of its own, by which headers.sh finds it. */
static void send_each(int type)
{
	struct us_pair p = us_pair_of(type);
	uint8_t *buf = us_message(103, 103);
	struct uet_completion rec;

	us_want_ctx(p.rx);
	send_hdata(p.tx, 101, 101, 0);
	expect_message(p.rx, UET_OP_SEND, 101, 101, 0);
	send_hdata(p.tx, 102, 102, 77);
	expect_message(p.rx, UET_OP_SEND, 102, 102, 77);
	EXPECT_EQ(us_send_tag(p.tx, 0xabcdef, 103, NULL, buf, 103), 103);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 103, 1, 103);
	expect_message(p.rx, UET_OP_TAGGED_SEND, 103, 103, 0);
	send_hdata(p.tx, 1, MTU, 0);
	expect_message(p.rx, UET_OP_SEND, 1, MTU, 0);
	send_hdata(p.tx, 2, MTU + 1, 99);
	expect_message(p.rx, UET_OP_SEND, 2, MTU + 1, 99);
	send_hdata(p.tx, 3, 0, 0);
	expect_message(p.rx, UET_OP_SEND, 3, 0, 0);
	free(buf);
}

static void write_each(int type)
{
	static const uint64_t hdata = 0x1122334455667788;
	struct us_pair p = us_pair_of(type);
	uint8_t *mem = us_map(4 * PAGE);
	uint64_t plain = us_reg(p.rx, mem, 4 * PAGE, UET_MR_WRITE);
	uint64_t small = reg_small(p.rx, mem, 4 * PAGE,
				   UET_MR_WRITE | UET_MR_ATOMIC, 0);

	us_want_ctx(p.rx);
	expect_put(p.tx, plain, mem, 5000, 104, NULL, 0);
	expect_put(p.tx, plain, mem, 0, 105, &hdata, 0);
	expect_message(p.rx, UET_OP_WRITE, 0, 105, hdata);
	expect_put(p.tx, plain, mem, 8, 106, &hdata, 0);
	expect_message(p.rx, UET_OP_WRITE, 0, 106, hdata);
	expect_put(p.tx, small, mem, PAGE - 1, 107, NULL, 0);
	expect_put(p.tx, small, mem, 0, 108, &hdata, 0);
	expect_message(p.rx, UET_OP_WRITE, 0, 108, hdata);
	expect_put(p.tx, small, mem, 3, MTU, NULL, 0);
	expect_put(p.tx, small, mem, 3, 2 * MTU + 1, NULL, 0);
	expect_put(p.tx, small, mem, 0, 0, NULL, 0);
}

static void read_each(int type)
{
	static const size_t lens[] = { 0, 1, 10, 16, 17, 4000, MTU, MTU + 1,
				       3 * MTU };
	struct us_pair p = us_pair_of(type);
	uint8_t *mem = us_map(4 * PAGE);
	uint64_t plain = us_reg(p.rx, mem, 4 * PAGE, UET_MR_READ);
	uint64_t small = reg_small(p.rx, mem, 4 * PAGE, UET_MR_READ, 0);

	for (size_t i = 0; i < 4 * PAGE; i++)
		mem[i] = us_byte(1, i);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		expect_get(p.tx, plain, mem, lens[i], 0);
		expect_get(p.tx, small, mem, lens[i], 0);
	}
}

TEST(form__of_each_operation_carries_its_bytes)
{
	send_each(SOCK_RDM);
	write_each(SOCK_RDM);
	read_each(SOCK_RDM);
}

TEST(form__of_each_operation_in_order_carries_its_bytes)
{
	send_each(SOCK_SEQPACKET);
	write_each(SOCK_SEQPACKET);
	read_each(SOCK_SEQPACKET);
}

TEST(form__of_datagrams_carries_their_bytes)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet to = us_name(p.rx);
	int fd = us_endpoint_of(SOCK_DGRAM, 0, UET_PID_ANY, 0);

	us_want_ctx(p.rx);
	ASSERT_SYS(us_connect(fd, &to));
	EXPECT_EQ(us_send(fd, 9, 109, 0), 109);
	expect_message(p.rx, UET_OP_DATAGRAM_SEND, 9, 109, 0);
}

TEST(form__without_a_pdc_carries_its_bytes)
{
	const uint32_t safe = UET_MR_IDEMPOTENT_SAFE;
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(4 * PAGE);
	uint64_t key = reg_small(p.rx, mem, 4 * PAGE,
				 UET_MR_WRITE | UET_MR_READ, safe), plain = 0;

	ASSERT_SYS(try_reg(p.rx, mem, 4 * PAGE, UET_MR_WRITE | UET_MR_READ, safe,
			   &plain));
	EXPECT(key & UET_MR_KEY_IDEMPOTENT_SAFE);
	expect_put(p.tx, key, mem, 9, 110, NULL, UET_OP_RUDI);
	expect_put(p.tx, plain, mem, 9, 111, NULL, UET_OP_RUDI);
	expect_put(p.tx, key, mem, 9, 2 * MTU, NULL, UET_OP_RUDI);
	expect_get(p.tx, key, mem, 10, UET_OP_RUDI);
	expect_get(p.tx, plain, mem, 4000, UET_OP_RUDI);
	expect_get(p.tx, key, mem, 3 * MTU, UET_OP_RUDI);
}

/*
 * That the key of a request says so is not enough; a small one does not even show
 * what it says.
 */
TEST(form__without_a_pdc_needs_leave)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(PAGE);
	uint64_t key = reg_small(p.rx, mem, PAGE, UET_MR_WRITE, 0);
	struct uet_completion rec;

	key |= UET_MR_KEY_IDEMPOTENT_SAFE;
	rec = put(p.tx, key, 0, 1, 10, NULL, UET_OP_RUDI);
	EXPECT(rec.rc == US_RC_OP_VIOLATION || rec.rc == US_RC_BAD_MKEY);
	EXPECT(rec.error == EACCES || rec.error == EFAULT);
	EXPECT(us_is_filled(mem, 0, PAGE));
}

/* Many at once, some of which the others overtake: each gets its own bytes. */
TEST(form__many_reads_at_once_get_their_bytes)
{
	enum { COUNT = 500, LEN = 1000 };
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(COUNT * LEN), *ours = us_map(COUNT * LEN);
	uint64_t keys[2] = {
		us_reg(p.rx, mem, COUNT * LEN, UET_MR_READ),
		reg_small(p.rx, mem, COUNT * LEN, UET_MR_READ, 0),
	};
	uint64_t mine = us_reg(p.tx, ours, COUNT * LEN, 0);
	struct uet_local local = { mine, 0, 0 };
	struct us_rma rma = { .opcode = UET_OP_READ, .local = &local };
	struct uet_completion rec;
	uint32_t i;

	for (i = 0; i < COUNT * LEN; i++)
		mem[i] = us_byte(1, i);
	for (i = 0; i < COUNT; i++) {
		rma.cookie = i;
		rma.at = (struct uet_rma){ keys[i % 2], i * LEN };
		local.offset = i * LEN;
		local.length = i % 3 ? LEN : 8;
		EXPECT_EQ(us_rma(p.tx, &rma, NULL, 0), 0);
	}
	for (i = 0; i < COUNT; i += rec.count) {
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.error, 0);
	}
	for (i = 0; i < COUNT; i++) {
		size_t len = i % 3 ? LEN : 8;

		EXPECT(us_matches(ours + i * LEN, 1, i * LEN, len));
		EXPECT(us_is_filled(ours + i * LEN + len, 0, LEN - len));
	}
}

/* ------------------------------------------------------------ optimized keys */

TEST(key__is_chosen)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(PAGE);
	uint64_t a = reg_small(p.rx, mem, PAGE, UET_MR_WRITE, 0);
	uint64_t b = reg_small(p.rx, mem, PAGE, 0, UET_MR_IDEMPOTENT_SAFE);

	EXPECT_EQ(a & ~UET_MR_OPTIMIZED_KEY_MAX, UET_MR_KEY_OPTIMIZED);
	EXPECT_EQ(b & ~UET_MR_OPTIMIZED_KEY_MAX,
		  UET_MR_KEY_OPTIMIZED | UET_MR_KEY_IDEMPOTENT_SAFE);
	EXPECT_NE(RKEY(a), RKEY(b));
	EXPECT_FAILS(us_dereg(p.rx, RKEY(a)), ENOENT);
	EXPECT_FAILS(us_dereg(p.rx, a | UET_MR_KEY_IDEMPOTENT_SAFE), ENOENT);
	EXPECT_EQ(us_dereg(p.rx, a), 0);
	EXPECT_FAILS(us_dereg(p.rx, a), ENOENT);
}

TEST(key__of_the_caller_is_taken)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet at = us_name(p.rx);
	int ri = us_endpoint(1, at.suet_pid, 77);
	int pid = us_endpoint(1, at.suet_pid ^ 1, 77);
	int fep = us_endpoint(0, at.suet_pid, 77);
	uint8_t *mem = us_map(PAGE);
	uint64_t key = 0x123;

	EXPECT_EQ(try_fixed(p.rx, mem, 0), 0);
	EXPECT_EQ(try_fixed(p.rx, mem, 0xfff), 0);
	EXPECT_FAILS(try_fixed(p.rx, mem, 0x1000), EINVAL);
	EXPECT(us_explains(p.rx, "key 0x1000 is above 0xfff"));
	EXPECT_FAILS(try_fixed(p.rx, mem, UET_MR_KEY_OPTIMIZED | 5), EINVAL);
	EXPECT_FAILS(try_fixed(p.rx, mem, 0xfff), EEXIST);
	EXPECT(us_explains(p.rx, "key 0xfff is in use"));
	/* It is one of the PIDonFEP. */
	EXPECT_FAILS(try_fixed(ri, mem, 0xfff), EEXIST);
	EXPECT_EQ(try_fixed(pid, mem, 0xfff), 0);
	EXPECT_EQ(try_fixed(fep, mem, 0xfff), 0);
	/* Another's cannot be taken away. */
	EXPECT_FAILS(us_dereg(ri, UET_MR_KEY_OPTIMIZED | 0xfff), ENOENT);
	EXPECT_FAILS(try_fixed(ri, mem, 0xfff), EEXIST);
	/* On one socket it excludes others with the same RKEY, and they it. */
	ASSERT_SYS(try_reg(p.rx, mem, 1, 0, UET_MR_FIXED_KEY, &key));
	EXPECT_FAILS(try_fixed(p.rx, mem, 0x123), EEXIST);
	EXPECT_EQ(try_fixed(ri, mem, 0x123), 0);
	key = 0xfff;
	EXPECT_FAILS(try_reg(p.rx, mem, 1, 0, UET_MR_FIXED_KEY, &key), EEXIST);
	/* A key that was given back can be assigned again. */
	EXPECT_EQ(us_dereg(p.rx, UET_MR_KEY_OPTIMIZED | 0xfff), 0);
	EXPECT_EQ(try_fixed(ri, mem, 0xfff), 0);
	ASSERT_SYS(close(ri));
	EXPECT_EQ(try_fixed(p.rx, mem, 0xfff), 0);
}

TEST(key__has_all_12_bits)
{
	enum { ALL = UET_MR_OPTIMIZED_KEY_MAX + 1 };
	static bool seen[ALL];
	struct us_pair p = us_pair();
	struct sockaddr_uet at = us_name(p.rx);
	int other = us_endpoint(1, at.suet_pid, 78);
	uint8_t *mem = us_map(PAGE);
	uint64_t key = 0;

	for (int i = 0; i < ALL; i++) {
		key = reg_small(i % 2 ? p.rx : other, mem, 1, UET_MR_WRITE, 0);
		EXPECT(!seen[RKEY(key)]);
		seen[RKEY(key)] = true;
	}
	EXPECT_FAILS(try_reg(p.rx, mem, 1, 0, UET_MR_OPTIMIZED, &(uint64_t){ 0 }),
		     ENOSPC);
	EXPECT(us_explains(p.rx, "all 4096 optimized keys of job 1 pid"));
	EXPECT_EQ(us_dereg(p.rx, key), 0);
	EXPECT_EQ(reg_small(other, mem, 1, 0, 0), key);
	/* There are others than optimized ones. */
	us_reg(p.rx, mem, 1, 0);
	ASSERT_SYS(close(other));
	reg_small(p.rx, mem, 1, 0, 0);
}

TEST(key__permits_no_more_than_its_region)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(2 * PAGE);
	uint64_t get_key = reg_small(p.rx, mem, PAGE, UET_MR_READ, 0);
	uint64_t put_key = reg_small(p.rx, mem, PAGE, UET_MR_WRITE, 0);
	uint64_t free_key = UET_MR_KEY_OPTIMIZED | 1;
	struct sockaddr_uet at = us_name(p.rx);
	char byte;

	while (RKEY(free_key) == RKEY(get_key) || RKEY(free_key) == RKEY(put_key))
		free_key++;
	expect_refused(p.tx, get_key, 0, 0, US_RC_OP_VIOLATION, EACCES);
	expect_refused(p.tx, put_key, PAGE - 5, 0, US_RC_BAD_ADDR, EFAULT);
	expect_refused(p.tx, put_key, UINT64_MAX, 0, US_RC_BAD_ADDR, EFAULT);
	expect_refused(p.tx, free_key, 0, 0, US_RC_BAD_MKEY, EFAULT);
	/* Not even in a short header, what is reserved in a key. */
	expect_refused(p.tx, put_key | 1ull << 12, 0, 0, US_RC_BAD_MKEY, EFAULT);
	expect_refused(p.tx, put_key | 1ull << 48, 0, 0, US_RC_BAD_MKEY, EFAULT);
	expect_refused(p.tx, RKEY(put_key), 0, 0, US_RC_BAD_MKEY, EFAULT);
	EXPECT_EQ(us_dereg(p.rx, put_key), 0);
	expect_refused(p.tx, put_key, 0, 0, US_RC_BAD_MKEY, EFAULT);
	at.suet_pid ^= 0x800;
	ASSERT_SYS(us_connect(p.tx, &at));
	expect_refused(p.tx, get_key, 0, 0, RC_BAD_PID, ECONNREFUSED);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT(us_is_filled(mem, 0, 2 * PAGE));
}

/* Memory of another endpoint is written only while it has the key. */
TEST(key__belongs_to_its_present_owner)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet at = us_name(p.rx);
	int other = us_endpoint(1, at.suet_pid, 79);
	uint8_t *mem = us_map(PAGE), *theirs = us_map(PAGE);
	uint64_t key = UET_MR_KEY_OPTIMIZED | 9, rkey = 9;

	ASSERT_SYS(try_reg(p.rx, mem, PAGE, UET_MR_WRITE,
			   UET_MR_FIXED_KEY | UET_MR_OPTIMIZED, &rkey));
	EXPECT_EQ(rkey, key);
	expect_put(p.tx, key, mem, 0, 20, NULL, 0);
	ASSERT_SYS(close(p.rx));
	rkey = 9;
	ASSERT_SYS(try_reg(other, theirs, PAGE, UET_MR_WRITE,
			   UET_MR_FIXED_KEY | UET_MR_OPTIMIZED, &rkey));
	memset(mem, 0, PAGE);
	at = us_name(other);
	ASSERT_SYS(us_connect(p.tx, &at));
	expect_put(p.tx, key, theirs, 0, 30, NULL, 0);
	EXPECT(us_is_filled(mem, 0, PAGE));
}

TEST(key__of_an_absolute_address_is_its_own)
{
	struct sockaddr_uet addr = us_addr(1, 3000, 30);
	uint8_t *mem = us_map(PAGE), *theirs = us_map(PAGE);
	int rx = us_socket(), rel = us_endpoint(1, 3000, 31);
	int tx = us_endpoint(0, UET_PID_ANY, 0);
	uint64_t key = 4;

	addr.suet_flags |= UET_ADDR_ABSOLUTE;
	ASSERT_SYS(us_bind(rx, &addr));
	ASSERT_SYS(try_reg(rx, mem, PAGE, UET_MR_WRITE,
			   UET_MR_FIXED_KEY | UET_MR_OPTIMIZED, &key));
	/* The relative ones are others. */
	EXPECT_EQ(try_fixed(rel, theirs, 4), 0);
	ASSERT_SYS(us_connect(tx, &addr));
	expect_put(tx, key, mem, 0, 20, NULL, 0);
	EXPECT(us_is_filled(theirs, 0, PAGE));
}

/* ------------------------------------------------------------------- others */

/* Ann's memory, whose keys Bob knows: they are no more than 12 bits. */
TEST(other__users_do_not_reach_a_region)
{
	uint32_t ann = uj_job("UET_JOB_ANN"), bob = uj_job("UET_JOB_BOB");
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	uint8_t *mem = us_map(PAGE);
	struct sockaddr_uet to;
	int rel = uj_endpoint(ANN, ann, 1, 500, 50), abs = us_socket(), fd;

	to = uj_addr(ann, 1, 501, 51);
	to.suet_flags = UET_ADDR_ABSOLUTE;
	uj_become(ANN, ANN);
	ASSERT_SYS(us_bind(abs, &to));
	for (uint64_t i = 0; i < 8; i++) {
		EXPECT_EQ(try_fixed(rel, mem, i), 0);
		EXPECT_EQ(try_fixed(abs, mem, i), 0);
	}
	uj_become(0, 0);
	for (size_t t = 0; t < 2; t++) {
		fd = uj_endpoint_of(types[t], BOB, bob, 0, UET_PID_ANY, 0);
		for (uint64_t i = 0; i < 8; i++) {
			to = uj_addr(bob, 1, 500, 50);
			ASSERT_SYS(us_connect(fd, &to));
			expect_refused(fd, UET_MR_KEY_OPTIMIZED | i, 0, 0,
				       RC_BAD_PID, ECONNREFUSED);
			to = uj_addr(bob, 1, 501, 51);
			to.suet_flags = UET_ADDR_ABSOLUTE;
			ASSERT_SYS(us_connect(fd, &to));
			expect_refused(fd, UET_MR_KEY_OPTIMIZED | i, 0, 0,
				       RC_PERM_VIOLATION, EACCES);
		}
	}
	EXPECT(us_is_filled(mem, 0, PAGE));
	/* Nor does he stand in her way, with the same numbers in his job. */
	fd = uj_endpoint(BOB, bob, 1, 500, 50);
	EXPECT_EQ(try_fixed(fd, us_map(PAGE), 3), 0);
	fd = uj_endpoint(ANN, ann, 0, UET_PID_ANY, 0);
	to = uj_addr(ann, 1, 500, 50);
	ASSERT_SYS(us_connect(fd, &to));
	expect_refused(fd, UET_MR_KEY_OPTIMIZED | 9, 0, 0, US_RC_BAD_MKEY,
		       EFAULT);
	put(fd, UET_MR_KEY_OPTIMIZED | 3, 0, 1, 1, NULL, 0);
	EXPECT_EQ(mem[0], us_byte(1, 0));
}

HARNESS_MAIN()
