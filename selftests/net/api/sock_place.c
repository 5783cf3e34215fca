// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of memory that receives and operations name by its address: what can be
 * named, that data of each kind goes there and nowhere else, that the memory counts
 * for RLIMIT_MEMLOCK until its completion and no longer, and that a new mapping at
 * the address gets nothing.  Started by sock_api.sh, see uetsock.h for what it needs.
 * Level: test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_ether.h>
#include <sys/wait.h>

#include "uetlock.h"
#include "uetpost.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)
#define ROUNDS	20

static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };

/* A receive of any source for untagged messages. */
static struct uet_recv_post at(uint64_t cookie, const void *addr, size_t len)
{
	return (struct uet_recv_post){
		.cookie = cookie, .offset = (uintptr_t)addr, .length = len,
		.flags = UET_RECV_ANY_SOURCE | UET_RECV_ADDR,
	};
}

static int post_at(int fd, uint64_t cookie, const void *addr, size_t len)
{
	struct uet_recv_post post = at(cookie, addr, len);

	return us_recv_post(fd, &post);
}

TEST(addr__of_bad_memory_is_refused)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem mem = us_mem(fd, PAGE);
	struct uet_recv_post post = at(1, mem.buf, PAGE);
	uint8_t *gap = us_map(3 * PAGE);

	ASSERT_SYS(munmap(gap + PAGE, PAGE));
	ASSERT_SYS(mprotect(gap + 2 * PAGE, PAGE, PROT_READ));
	post.key = mem.key;
	EXPECT_FAILS(us_recv_post(fd, &post), EINVAL);
	EXPECT(us_explains(fd, "with UET_RECV_ADDR"));
	EXPECT_FAILS(post_at(fd, 1, gap, PAGE + 1), EFAULT);
	EXPECT(us_explains(fd, "UET_IOC_RECV_POST: nothing is mapped"));
	EXPECT_FAILS(post_at(fd, 1, gap + 2 * PAGE, 1), EFAULT);
	EXPECT(us_explains(fd, "cannot be written"));
	EXPECT_FAILS(post_at(fd, 1, NULL, 1), EFAULT);
	EXPECT_FAILS(post_at(fd, 1, (void *)-(uintptr_t)PAGE, PAGE), EINVAL);
	EXPECT(us_explains(fd, "wrap around"));
	EXPECT_FAILS(post_at(fd, 1, gap, UET_MR_LENGTH_MAX + 1), EINVAL);
	EXPECT(us_explains(fd, "is not in 1.."));
	us_expect_none(fd);
	EXPECT_EQ(post_at(fd, 1, NULL, 0), 0);
}

/* At any address and of any length: the bytes around it are as they were. */
TEST(addr__gets_the_bytes_of_a_message)
{
	static const size_t lens[] = { 0, 1, MTU - 1, MTU + 1, 100001 };
	uint8_t *mem = us_map(128 * 1024);
	size_t len, from;
	struct us_pair p;

	for (int i = 0; i < 2 * 5; i++) {
		p = us_pair_of(types[i / 5]);
		len = lens[i % 5];
		from = 4000 + i;
		memset(mem, 0xee, 128 * 1024);
		ASSERT_SYS(post_at(p.rx, i, mem + from, len));
		EXPECT_EQ(us_send(p.tx, i, len, 0), len);
		us_expect_recv(p.rx, i, mem + from, i, len);
		EXPECT(us_is_filled(mem, 0xee, from));
		EXPECT(us_is_filled(mem + from + len, 0xee,
				    128 * 1024 - from - len));
	}
}

/* Posted before or after its message; the rest of a long one is cut off. */
TEST(addr__gets_an_unexpected_message)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	uint8_t *mem = us_map(4 * PAGE);
	struct uet_recv_post post = at(2, mem + 7, 5000);
	struct uet_completion rec;

	EXPECT_EQ(us_send(p.tx, 1, 9000, 0), 9000);
	EXPECT_EQ(us_send(p.tx, 2, 9000, 0), 9000);
	us_wait_unread(p.rx, 9000);
	ASSERT_SYS(post_at(p.rx, 1, mem + 5, 9000));
	us_expect_recv(p.rx, 1, mem + 5, 1, 9000);
	memset(mem, 0, 4 * PAGE);
	post.flags |= UET_RECV_TRUNC;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	rec = us_expect_recv(p.rx, 2, mem + 7, 2, 5000);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_TRUNC);
	EXPECT(us_is_filled(mem + 5007, 0, 4 * PAGE - 5007));
}

/* Some bytes are pushed, the others are read: with a receive, and before it. */
TEST(addr__gets_a_rendezvous)
{
	const size_t len = 100001, eager = 5000;
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, 9);
	uint8_t *src = us_message(3, len), *mem = us_map(len + PAGE);
	struct uet_completion rec;
	struct uet_local local;
	struct us_control c;
	struct us_pair p;

	for (int i = 0; i < 4; i++) {
		p = us_receiving_pair_of(types[i / 2]);
		local = (struct uet_local){
			us_reg(p.tx, src, len, UET_MR_READ), 0, len };
		c.len = 0;
		us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
		us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
		memset(mem, 0, len + PAGE);
		if (i % 2)
			ASSERT_SYS(post_at(p.rx, i, mem + 9, len));
		EXPECT_EQ(us_send_control(p.tx, &c, src, eager), eager);
		if (!(i % 2))
			ASSERT_SYS(post_at(p.rx, i, mem + 9, len));
		us_expect_recv(p.rx, i, mem + 9, 3, len);
		rec = us_completion(p.tx);
		us_expect_done(&rec, 9, 1, len);
		EXPECT(us_is_filled(mem + 9 + len, 0, PAGE - 9));
	}
}

/*
 * Messages lie one behind the other. Each is reported when it has arrived, and the
 * memory no longer counts once the last completion is read.
 */
TEST(addr__takes_several_messages)
{
	enum { COUNT = 4, LEN = 2 * PAGE };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	uint8_t *mem = us_map(16 * PAGE);
	struct uet_recv_post post = at(7, mem + 3, COUNT * LEN);
	struct uet_completion rec;

	post.flags |= UET_RECV_MULTI;
	post.min_free = LEN;
	us_limit_memlock(12 * PAGE);
	for (int i = 0; i < ROUNDS * COUNT; i++) {
		if (i % COUNT == 0)
			ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(us_send(p.tx, i, LEN, 0), LEN);
		rec = us_completion(p.rx);
		us_expect_done(&rec, 7, 1, LEN);
		EXPECT_EQ(rec.offset, i % COUNT * LEN);
		EXPECT_EQ(rec.flags & UET_COMPLETION_LAST,
			  i % COUNT == COUNT - 1 ? UET_COMPLETION_LAST : 0);
		EXPECT(us_matches(mem + 3 + rec.offset, i, 0, LEN));
	}
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_send(p.tx, 1, LEN, 0), LEN);
	rec = us_completion(p.rx);
	us_expect_done(&rec, 7, 1, LEN);
	ASSERT_SYS(us_recv_cancel(p.rx, 7));
	rec = us_completion(p.rx);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT(rec.flags & UET_COMPLETION_LAST);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_none(p.rx);
}

/* So much can be pinned now: what had a completion is not pinned any more. */
static void expect_unpinned(int fd, void *mem, size_t len)
{
	uint64_t key;

	ASSERT_SYS(us_try_reg(fd, mem, len, 0, &key));
	ASSERT_SYS(ioctl(fd, UET_IOC_MR_DEREG, &key));
}

/*
 * Once a completion is read, the memory of its receive does not count: of one that
 * got a message and of one that was cancelled.
 */
TEST(addr__counts_for_the_memlock_limit_until_its_completion)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(16 * PAGE);
	uint64_t key;

	/* The kernel counts two pages more each time. */
	us_limit_memlock(10 * PAGE);
	for (int i = 0; i < ROUNDS; i++) {
		expect_unpinned(p.rx, mem, 8 * PAGE);
		ASSERT_SYS(post_at(p.rx, 2, mem, 8 * PAGE));
		EXPECT_FAILS(us_try_reg(p.rx, mem, 1, 0, &key), ENOMEM);
		if (i % 2) {
			EXPECT_EQ(us_send(p.tx, i, 5000, 0), 5000);
			us_expect_recv(p.rx, 2, mem, i, 5000);
		} else {
			ASSERT_SYS(us_recv_cancel(p.rx, 2));
			us_expect_no_recv(p.rx, 2, ECANCELED);
		}
	}
}

/* A closed socket leaves nothing pinned, a refused call nothing at all. */
TEST(addr__is_given_up_with_its_socket)
{
	uint8_t *mem = us_map(16 * PAGE);
	struct uet_recv_post post;
	uint64_t key;
	int fd;

	us_limit_memlock(10 * PAGE);
	for (int i = 0; i < ROUNDS; i++) {
		fd = us_endpoint(0, UET_PID_ANY, 0);
		WAIT_FOR(!us_try_reg(fd, mem, 8 * PAGE, 0, &key));
		ASSERT_SYS(ioctl(fd, UET_IOC_MR_DEREG, &key));
		ASSERT_SYS(post_at(fd, 1, mem, 8 * PAGE));
		ASSERT_SYS(close(fd));
	}
	fd = us_endpoint(0, UET_PID_ANY, 0);
	ASSERT_SYS(shutdown(fd, SHUT_RD));
	post = at(1, mem, 8 * PAGE);
	for (int i = 0; i < ROUNDS; i++)
		WAIT_FOR(us_recv_post(fd, &post) && errno == ESHUTDOWN);
}

/* The message goes to the pages that were there: who has unmapped them loses it. */
TEST(addr__of_memory_that_is_mapped_anew_stays_the_old)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(4 * PAGE), *again;
	struct uet_completion rec;

	ASSERT_SYS(post_at(p.rx, 1, mem, 4 * PAGE));
	ASSERT_SYS(munmap(mem, 4 * PAGE));
	again = mmap(mem, 4 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT(again == mem);
	EXPECT_EQ(us_send(p.tx, 4, 4 * PAGE, 0), 4 * PAGE);
	rec = us_completion(p.rx);
	us_expect_done(&rec, 1, 1, 4 * PAGE);
	EXPECT(us_is_filled(again, 0, 4 * PAGE));
}

/* A child that goes meanwhile takes nothing along. */
TEST(addr__of_a_process_that_forks_stays_valid)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(4 * PAGE);
	pid_t child;

	ASSERT_SYS(post_at(p.rx, 1, mem, 4 * PAGE));
	child = fork();
	ASSERT_SYS(child);
	if (!child) {
		mem[0] = 1;
		_exit(0);
	}
	ASSERT_SYS(waitpid(child, NULL, 0));
	EXPECT_EQ(us_send(p.tx, 6, 4 * PAGE, 0), 4 * PAGE);
	us_expect_recv(p.rx, 1, mem, 6, 4 * PAGE);
}

/* It ends while a message arrives: once, and with its socket. */
TEST(addr__ends_in_the_middle_of_a_message)
{
	const size_t len = 4 << 20;
	uint8_t *mem = us_map(len);
	struct us_pair p;

	for (int i = 0; i < ROUNDS; i++) {
		p = us_pair_of(types[i % 2]);
		ASSERT_SYS(post_at(p.rx, 1, mem, len));
		EXPECT_EQ(us_send(p.tx, i, len, MSG_DONTWAIT), len);
		ASSERT_SYS(close(p.rx));
		ASSERT_SYS(close(p.tx));
	}
}

/* ------------------------------------------------- results of own operations */

/* Ask for @len bytes of the peer's region, to be put at @addr. */
static ssize_t read_to(int fd, uint64_t key, const void *addr, size_t len,
		       uint8_t flags)
{
	const struct uet_local local = { 0, (uintptr_t)addr, len };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .cookie = 7, .at = { key, 0 },
		.flags = UET_OP_LOCAL_ADDR | flags, .local = &local,
	};

	return us_rma(fd, &rma, NULL, 0);
}

TEST(local__of_bad_memory_is_refused)
{
	struct uet_op op = us_op(UET_OP_SEND, 7);
	struct uet_local local = { 1, 0, 1 };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .flags = UET_OP_LOCAL_ADDR,
		.local = &local,
	};
	struct us_pair p = us_pair();

	op.flags |= UET_OP_LOCAL_ADDR;
	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0), EINVAL);
	EXPECT(us_explains(p.tx, "which has no UET_CMSG_LOCAL"));
	op.flags = UET_OP_LOCAL_ADDR;
	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0), EINVAL);
	EXPECT(us_explains(p.tx, "without UET_OP_COMPLETE"));
	EXPECT_FAILS(us_rma(p.tx, &rma, NULL, 0), EINVAL);
	EXPECT(us_explains(p.tx, "key 0x1 is not 0, with UET_OP_LOCAL_ADDR"));
	EXPECT_FAILS(read_to(p.tx, 1, NULL, 1, 0), EFAULT);
	EXPECT(us_explains(p.tx, "UET_CMSG_LOCAL: nothing is mapped at"));
	us_expect_none(p.tx);
}

TEST(local__gets_the_bytes_of_a_read)
{
	static const size_t lens[] = { 0, 1, MTU + 1, 100001 };
	uint8_t *theirs = us_message(5, 100001), *mem = us_map(128 * 1024);
	const uint64_t safe = UET_MR_KEY_IDEMPOTENT_SAFE;
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)theirs, .length = 100001,
		.access = UET_MR_READ, .flags = UET_MR_IDEMPOTENT_SAFE,
	};
	struct uet_completion rec;
	struct us_pair p;
	size_t len;

	for (int i = 0; i < 3 * 4; i++) {
		p = us_pair_of(types[i / 4 % 2]);
		reg.key = 0;
		ASSERT_SYS(uet_ioctl(p.rx, UET_IOC_MR_REG, &reg));
		EXPECT(reg.key & safe);
		len = lens[i % 4];
		memset(mem, 0xee, 128 * 1024);
		EXPECT_EQ(read_to(p.tx, reg.key, mem + 77, len,
				  i < 8 ? 0 : UET_OP_RUDI), 0);
		rec = us_completion(p.tx);
		us_expect_done(&rec, 7, 1, len);
		EXPECT(us_is_filled(mem, 0xee, 77));
		EXPECT(us_matches(mem + 77, 5, 0, len));
		EXPECT(us_is_filled(mem + 77 + len, 0xee,
				    128 * 1024 - 77 - len));
	}
}

TEST(local__gets_the_value_of_an_atomic)
{
	struct us_pair p = us_pair();
	uint64_t *theirs = (void *)us_map(PAGE), value = 5;
	uint64_t *mem = (void *)us_map(PAGE);
	struct uet_local local = { 0, (uintptr_t)&mem[3], 8 };
	struct uet_atomic sum = { .op = UET_AMO_SUM,
				  .datatype = UET_DT_UINT64 };
	struct us_rma rma = {
		.opcode = UET_OP_FETCHING_ATOMIC, .cookie = 7,
		.at = { us_reg(p.rx, theirs, PAGE, UET_MR_ATOMIC), 0 },
		.atomic = &sum, .flags = UET_OP_LOCAL_ADDR, .local = &local,
	};
	struct uet_completion rec;

	*theirs = 40;
	EXPECT_EQ(us_rma(p.tx, &rma, &value, 8), 8);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 7, 1, 8);
	EXPECT_EQ(mem[3], 40);
	EXPECT_EQ(*theirs, 45);
	local.offset += 4;
	EXPECT_FAILS(us_rma(p.tx, &rma, &value, 8), EINVAL);
	EXPECT(us_explains(p.tx, "not aligned to the value of 8 bytes"));
}

/* ------------------------------------------------------ rendezvous messages */

static void post_plain(int fd, const struct us_mem *mem)
{
	struct uet_recv_post post = us_want_plain(1, mem);

	ASSERT_SYS(us_recv_post(fd, &post));
}

/* Offer @len bytes at @addr, and push the first @eager of them. */
static ssize_t meet_from(int fd, const void *addr, size_t len, size_t eager)
{
	const struct uet_local local = { 0, (uintptr_t)addr, len };
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, 9);
	struct us_control c = { .len = 0 };

	op.flags |= UET_OP_LOCAL_ADDR;
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	return us_send_control(fd, &c, eager ? addr : NULL, eager);
}

TEST(source__of_bad_memory_is_refused)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(2 * PAGE);

	ASSERT_SYS(mprotect(mem + PAGE, PAGE, PROT_NONE));
	EXPECT_FAILS(meet_from(p.tx, mem, PAGE + 1, 0), EFAULT);
	EXPECT(us_explains(p.tx, "cannot be read"));
	EXPECT_FAILS(meet_from(p.tx, NULL, 1, 0), EFAULT);
	EXPECT(us_explains(p.tx, "nothing is mapped"));
	EXPECT_FAILS(meet_from(p.tx, mem, 1ull << 32, 0), EINVAL);
	EXPECT(us_explains(p.tx, "length 4294967296 is above"));
	EXPECT_FAILS(meet_from(p.tx, (void *)-(uintptr_t)PAGE, PAGE, 0), EINVAL);
	us_expect_none(p.tx);
}

/* Also from memory that the process itself cannot write. */
TEST(source__is_read_by_the_receiver)
{
	static const size_t lens[] = { 0, 1, MTU + 1, 100001 };
	struct uet_completion rec;
	struct us_mem mem;
	struct us_pair p;
	uint8_t *src;

	for (int i = 0; i < 2 * 2 * 4; i++) {
		size_t len = lens[i % 4], eager = i / 4 % 2 ? len / 2 : 0;

		p = us_receiving_pair_of(types[i / 8]);
		mem = us_mem(p.rx, 128 * 1024);
		src = us_map(128 * 1024);
		for (size_t at = 0; at < len; at++)
			src[77 + at] = us_byte(3, at);
		ASSERT_SYS(mprotect(src, 128 * 1024, PROT_READ));
		if (i % 2)
			post_plain(p.rx, &mem);
		EXPECT_EQ(meet_from(p.tx, src + 77, len, eager), eager);
		if (!(i % 2))
			post_plain(p.rx, &mem);
		us_expect_recv(p.rx, 1, mem.buf, 3, len);
		rec = us_completion(p.tx);
		us_expect_done(&rec, 9, 1, len);
	}
}

/* ---------------------------------------------- memory that may only be read */

/* Memory of a file that this process has opened to be read; the file is @fd. */
static uint8_t *map_read_only(int *fd)
{
	char path[] = "/tmp/sock_place-XXXXXX";
	int writer = mkstemp(path);
	uint8_t *mem;

	ASSERT_SYS(writer);
	for (int i = 0; i < PAGE; i++)
		ASSERT_EQ(write(writer, "s", 1), 1);
	*fd = open(path, O_RDONLY);
	ASSERT_SYS(*fd);
	ASSERT_SYS(close(writer));
	ASSERT_SYS(unlink(path));
	mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, *fd, 0);
	ASSERT(mem != MAP_FAILED);
	return mem;
}

static uint32_t read_error(int fd, uint64_t key, uint8_t *to)
{
	EXPECT_EQ(read_to(fd, key, to, 8, 0), 0);
	return us_completion(fd).error;
}

/* The key in a packet of the first tenth of a second: the one by which the peer can read. */
static uint64_t key_of_source(int capture, int fd)
{
	uint8_t packets[16][2048], *to = us_map(PAGE);
	ssize_t len[16], at;
	uint64_t key = 0;
	int i, nr = 0;

	nanosleep(&(struct timespec) { .tv_nsec = 100000000 }, NULL);
	while (nr < 16 && (len[nr] = recv(capture, packets[nr], 2048, MSG_DONTWAIT)) >= 0)
		nr++;
	for (i = 0; i < nr; i++)
		for (at = 0; at + 8 <= len[i]; at++) {
			memcpy(&key, packets[i] + at, 8);
			key = be64toh(key);
			if (key > UINT32_MAX && key <= UET_MR_KEY_MAX &&
			    !read_error(fd, key, to))
				return key;
		}
	EXPECT(!"a packet has the key");
	return 0;
}

static uint32_t change_error(int fd, int opcode, uint64_t key)
{
	struct uet_atomic sum = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	struct us_rma rma = {
		.opcode = opcode, .cookie = 7, .at = { key, 0 },
		.atomic = opcode == UET_OP_ATOMIC ? &sum : NULL,
	};
	uint64_t value = 1;

	EXPECT_EQ(us_rma(fd, &rma, &value, 8), 8);
	return us_completion(fd).error;
}

/* Results of own operations do not go where @key leads. */
static void expect_no_result_at(int fd, uint64_t key, uint64_t theirs)
{
	const struct uet_local local = { key, 0, 8 };
	struct uet_atomic sum = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .cookie = 7, .at = { theirs, 0 },
		.local = &local,
	};
	uint64_t value = 1;

	EXPECT_FAILS(us_rma(fd, &rma, NULL, 0), EFAULT);
	EXPECT(us_explains(fd, "names no region of this socket"));
	rma.opcode = UET_OP_FETCHING_ATOMIC;
	rma.atomic = &sum;
	EXPECT_FAILS(us_rma(fd, &rma, &value, 8), EFAULT);
	EXPECT(us_explains(fd, "names no region of this socket"));
}

/*
 * The memory of a rendezvous may be a file that the process can only read.  Its key is in
 * the request, so the process may learn it: no call and no peer stores anything there.
 */
TEST(source__that_is_read_only_stays_unchanged)
{
	int capture = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), file;
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	uint8_t *src = map_read_only(&file), bytes[PAGE];
	uint64_t *theirs = (void *)us_map(PAGE), key, their_key;
	struct us_mem stolen = { src, PAGE, 0 };
	struct uet_recv_post post;
	struct sockaddr_uet back;
	socklen_t len = sizeof(back);

	ASSERT_SYS(capture);
	ASSERT_SYS(getsockname(p.tx, (struct sockaddr *)&back, &len));
	ASSERT_SYS(connect(p.rx, (struct sockaddr *)&back, len));
	their_key = us_reg(p.rx, theirs, PAGE, UET_MR_READ | UET_MR_ATOMIC);
	EXPECT_EQ(meet_from(p.tx, src, PAGE, 0), 0);
	key = key_of_source(capture, p.rx);
	ASSERT(key);

	stolen.key = key;
	post = us_want(1, 0x77, &stolen);
	EXPECT_FAILS(us_recv_post(p.tx, &post), EFAULT);
	EXPECT(us_explains(p.tx, "names no region of this socket"));
	post = us_want_plain(1, &stolen);
	EXPECT_FAILS(us_recv_post(p.tx, &post), EFAULT);
	expect_no_result_at(p.tx, key, their_key);
	EXPECT_FAILS(us_dereg(p.tx, key), ENOENT);
	EXPECT_GT(change_error(p.rx, UET_OP_WRITE, key), 0);
	EXPECT_GT(change_error(p.rx, UET_OP_ATOMIC, key), 0);

	ASSERT_EQ(pread(file, bytes, PAGE, 0), PAGE);
	EXPECT(us_is_filled(bytes, 's', PAGE));
	ASSERT_SYS(close(capture));
}

/* A message that was read, one that was cancelled and one whose peer has gone. */
TEST(source__counts_for_the_memlock_limit_until_its_completion)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 8 * PAGE);
	struct uet_send_cancel cancel = { .cookie = 9,
					  .flags = UET_CANCEL_COOKIE };
	uint8_t *src = us_message(3, 8 * PAGE);
	struct uet_completion rec;

	/* A message at any offset, and the two pages that the kernel counts more. */
	us_limit_memlock((9 + 2) * PAGE);
	for (int i = 0; i < ROUNDS; i++) {
		expect_unpinned(p.tx, src, 8 * PAGE);
		post_plain(p.rx, &mem);
		EXPECT_EQ(meet_from(p.tx, src, 8 * PAGE, 0), 0);
		us_expect_recv(p.rx, 1, mem.buf, 3, 8 * PAGE);
		rec = us_completion(p.tx);
		us_expect_done(&rec, 9, 1, 8 * PAGE);
	}
	for (int i = 0; i < ROUNDS; i++) {
		expect_unpinned(p.tx, src, 8 * PAGE);
		EXPECT_EQ(meet_from(p.tx, src, 8 * PAGE, 0), 0);
		us_settle(p.tx);
		EXPECT_EQ(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &cancel), 1);
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.cookie, 9);
		EXPECT_EQ(rec.error, ECANCELED);
	}
	EXPECT_EQ(meet_from(p.tx, src, 8 * PAGE, 0), 0);
	ASSERT_SYS(close(p.rx));
	rec = us_completion(p.tx);
	EXPECT_GT(rec.error, 0);
}

/* Its sender closes while it waits, and while it is read. */
TEST(source__is_given_up_with_its_socket)
{
	uint8_t *src = us_message(3, MIB), *all;
	struct us_mem mem;
	struct us_pair p;
	uint64_t key;

	/* One message and one region. */
	us_limit_memlock(2 * (MIB + 2 * PAGE));
	for (int i = 0; i < ROUNDS; i++) {
		p = us_receiving_pair_of(types[i % 2]);
		mem = us_mem(p.rx, MIB - PAGE);
		if (i / 2 % 2)
			post_plain(p.rx, &mem);
		WAIT_FOR(!meet_from(p.tx, src, MIB - PAGE, 0));
		ASSERT_SYS(close(p.tx));
		ASSERT_SYS(close(p.rx));
		ASSERT_SYS(munmap(mem.buf, mem.len));
	}
	p = us_pair();
	all = us_map(2 * MIB);
	WAIT_FOR(us_try_reg(p.tx, all, 2 * MIB, 0, &key) == 0);
}

/* A completion that was read: of a read that succeeded, and of one that failed. */
TEST(local__counts_for_the_memlock_limit_until_its_completion)
{
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(16 * PAGE), *theirs = us_message(5, PAGE);
	uint64_t key = us_reg(p.rx, theirs, PAGE, UET_MR_READ);
	struct uet_completion rec;

	us_limit_memlock(14 * PAGE);
	for (int i = 0; i < ROUNDS; i++) {
		expect_unpinned(p.tx, mem, 8 * PAGE);
		EXPECT_EQ(read_to(p.tx, key + i % 2, mem, i % 2 ? 8 * PAGE : PAGE,
				  0), 0);
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.error, i % 2 ? EFAULT : 0);
	}
}

/* ------------------------------------------- memory that may not be pinned */

static void limit_all(int fd)
{
	uint64_t key;

	us_limit_memlock(0);
	EXPECT_FAILS(us_try_reg(fd, us_map(PAGE), 1, 0, &key), ENOMEM);
	EXPECT(us_explains(fd, "1 pages are above RLIMIT_MEMLOCK"));
}

/* Receives, sends and rendezvous: posted before their message, or after it. */
TEST(copied__messages_arrive_when_nothing_may_be_pinned)
{
	static const size_t lens[] = { 1, MTU - 1, MTU + 1, 100001 };
	uint8_t *mem = us_map(128 * 1024), *src = us_message(3, 100001);
	struct uet_completion rec;
	struct us_pair p;

	limit_all(us_endpoint(0, UET_PID_ANY, 0));
	for (int i = 0; i < 4 * 8; i++) {
		size_t len = lens[i % 4], from = 4000 + i;
		bool is_met = i / 4 % 2, is_late = i / 8 % 2;

		p = us_receiving_pair_of(types[i / 16]);
		memset(mem, 0xee, 128 * 1024);
		if (!is_late)
			ASSERT_SYS(post_at(p.rx, i, mem + from, len));
		if (is_met)
			EXPECT_EQ(meet_from(p.tx, src, len, len / 3), len / 3);
		else
			EXPECT_EQ(us_send(p.tx, 3, len, 0), len);
		if (is_late)
			ASSERT_SYS(post_at(p.rx, i, mem + from, len));
		us_expect_recv(p.rx, i, mem + from, 3, len);
		EXPECT(us_is_filled(mem, 0xee, from));
		EXPECT(us_is_filled(mem + from + len, 0xee,
				    128 * 1024 - from - len));
		if (is_met) {
			rec = us_completion(p.tx);
			us_expect_done(&rec, 9, 1, len);
		}
	}
}

/* Only what arrived is copied: the process may use what it has got already. */
TEST(copied__messages_leave_earlier_ones_alone)
{
	enum { COUNT = 4, LEN = 3000 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	uint8_t *mem = us_map(16 * PAGE);
	struct uet_recv_post post = at(7, mem + 3, COUNT * LEN + 5);
	struct uet_completion rec;

	limit_all(p.rx);
	post.flags |= UET_RECV_MULTI | UET_RECV_TRUNC;
	post.min_free = LEN;
	for (int i = 0; i < ROUNDS * COUNT; i++) {
		if (i % COUNT == 0) {
			memset(mem, 0xee, 16 * PAGE);
			ASSERT_SYS(us_recv_post(p.rx, &post));
		}
		EXPECT_EQ(us_send(p.tx, i, LEN, 0), LEN);
		rec = us_completion(p.rx);
		us_expect_done(&rec, 7, 1, LEN);
		EXPECT_EQ(rec.offset, i % COUNT * LEN);
		EXPECT(us_matches(mem + 3 + rec.offset, i, 0, LEN));
		memset(mem + 3 + rec.offset, 0xee, LEN);
		EXPECT(us_is_filled(mem, 0xee, 16 * PAGE));
	}
}

TEST(copied__results_of_operations_are_exact)
{
	static const size_t lens[] = { 1, MTU + 1, 100001 };
	uint8_t *theirs = us_message(5, 100001), *mem = us_map(128 * 1024);
	struct us_pair p = us_pair();
	uint64_t key = us_reg(p.rx, theirs, 100001, UET_MR_READ);
	struct uet_completion rec;

	limit_all(p.tx);
	for (int i = 0; i < 3; i++) {
		memset(mem, 0xee, 128 * 1024);
		EXPECT_EQ(read_to(p.tx, key, mem + 50 + i, lens[i], 0), 0);
		rec = us_completion(p.tx);
		us_expect_done(&rec, 7, 1, lens[i]);
		EXPECT(us_matches(mem + 50 + i, 5, 0, lens[i]));
		EXPECT(us_is_filled(mem, 0xee, 50 + i));
		EXPECT(us_is_filled(mem + 50 + i + lens[i], 0xee, PAGE));
	}
	EXPECT_EQ(read_to(p.tx, key + 1, mem, 5000, 0), 0);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.error, EFAULT);
}

/* Memory that went meanwhile, or became that of a file, gets nothing. */
TEST(copied__to_memory_that_is_gone_fails)
{
	struct us_pair p = us_pair();
	struct uet_completion rec;
	uint8_t *mem;
	int file = memfd_create("file", 0);

	ASSERT_SYS(file);
	ASSERT_SYS(ftruncate(file, 4 * PAGE));
	limit_all(p.rx);
	for (int i = 0; i < 2; i++) {
		mem = us_map(4 * PAGE);
		ASSERT_SYS(post_at(p.rx, 1, mem, 4 * PAGE));
		ASSERT_SYS(munmap(mem, 4 * PAGE));
		if (i)
			ASSERT(mmap(mem, 4 * PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_FIXED, file, 0) == mem);
		EXPECT_EQ(us_send(p.tx, 4, 4 * PAGE, 0), 4 * PAGE);
		rec = us_completion(p.rx);
		EXPECT_EQ(rec.error, EFAULT);
		EXPECT_EQ(rec.length, 0);
		if (i)
			EXPECT(us_is_filled(mem, 0, 4 * PAGE));
	}
	/* Memory of a file is pinned, or not named by its address. */
	EXPECT_FAILS(post_at(p.rx, 1, mem, 4 * PAGE), ENOMEM);
	EXPECT(us_explains(p.rx, "4 pages are above RLIMIT_MEMLOCK"));
}

HARNESS_MAIN()
