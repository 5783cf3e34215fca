// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what memory of a process can be a region and of what the process then
 * does with it: huge pages and odd edges, shared memory and files, fork(),
 * munmap(), mremap() and deregistration under traffic, and a sudden end of
 * either side.  Bytes go where the region is and nowhere else, and what was
 * locked is given back.  Started by sock_api.sh, see uetsock.h for what it needs.
 * Level: test.
 *
 * Environment: UET_DISK, a directory of a file system on a block device.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "uetlock.h"
#include "uetpost.h"
#include "uetside.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)
#define HUGE	(2 * MIB)

static const uint32_t none[] = { 0 }, no_memory[] = { EFAULT, 0 };

/* How many of @count completions were errors, each of them one of @errors, up to a 0? */
static uint32_t failures(int fd, uint32_t count, const uint32_t *errors)
{
	const uint32_t *error;
	struct uet_completion rec;
	uint32_t done, failed = 0;

	for (done = 0; done < count; done += rec.count) {
		rec = us_completion(fd);
		if (!rec.error)
			continue;
		for (error = errors; *error && *error != rec.error; error++)
			;
		EXPECT_EQ(rec.error, *error);
		failed++;
	}
	return failed;
}

static void *map_or_skip(size_t len, int prot, int flags, int fd,
			 const char *why)
{
	void *p = mmap(NULL, len, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		SKIP(why);
	return p;
}

/* ------------------------------------------------------------------- pages */

static void reserve_huge(int pages)
{
	FILE *file = fopen("/proc/sys/vm/nr_hugepages", "w");

	if (!file || fprintf(file, "%d\n", pages) < 0 || fclose(file))
		SKIP("no huge pages can be reserved here");
}

/* Writes and reads across the border of two huge pages, at odd places. */
static void cross_border(uint8_t *mem, size_t len, size_t border)
{
	const size_t lead = 5;
	struct side s;

	memset(mem, 0xa5, len);
	s = side_of(mem + lead, len - lead);
	put_now(&s, border - lead - MIB / 2 - 3, 1, MIB + 1);
	EXPECT(us_matches(mem + border - MIB / 2 - 3, 1, 0, MIB + 1));
	EXPECT(us_is_filled(mem, 0xa5, border - MIB / 2 - 3));
	EXPECT(us_is_filled(mem + border + MIB / 2 - 2, 0xa5,
			    len - border - MIB / 2 + 2));
	get_now(&s, border - lead - 1000, 5000);
	EXPECT(!memcmp(s.back + border - lead - 1000, mem + border - 1000,
		       5000));
	side_close(&s, len - lead);
}

TEST(huge__pages_that_were_reserved)
{
	uint8_t *mem;
	pid_t pid;

	reserve_huge(8);
	mem = map_or_skip(2 * HUGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
			  "no memory for two huge pages");
	cross_border(mem, 2 * HUGE, HUGE);
	/* The pages of a child are its own. */
	us_reg(us_endpoint(0, UET_PID_ANY, 0), mem, 2 * HUGE, 0);
	pid = CHILD(memset(mem, 1, HUGE));
	harness_join(pid);
	EXPECT(us_is_filled(mem, 0xa5, PAGE));
	munmap(mem, 2 * HUGE);
	reserve_huge(0);
}

/* Bytes of huge pages that a range of this process has, of those made by itself. */
static long huge_bytes(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kib, sum = 0;

	if (!file)
		SKIP("this kernel does not tell about huge pages");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %ld kB", &kib) == 1)
			sum += kib * 1024;
	fclose(file);
	return sum;
}

TEST(huge__pages_that_come_by_themselves)
{
	uint8_t *space = us_map(4 * HUGE), *mem;
	struct side s;

	mem = (uint8_t *)(((uintptr_t)space + HUGE - 1) & -(uintptr_t)HUGE);
	madvise(mem, 2 * HUGE, MADV_HUGEPAGE);
	memset(mem, 0xa5, 2 * HUGE);
	if (huge_bytes() < 2 * HUGE)
		SKIP("no transparent huge pages here");
	cross_border(mem, 2 * HUGE, HUGE);
	/* A huge page is taken apart under its region. */
	memset(mem, 0xa5, 2 * HUGE);
	s = side_of(mem, 2 * HUGE);
	ASSERT_SYS(munmap(mem + 4 * PAGE, PAGE));
	ASSERT_SYS(mprotect(mem + 9 * PAGE, PAGE, PROT_READ));
	put_now(&s, 0, 2, 20 * PAGE);
	EXPECT(us_matches(mem, 2, 0, 4 * PAGE));
	EXPECT(us_matches(mem + 5 * PAGE, 2, 5 * PAGE, 15 * PAGE));
	EXPECT(us_is_filled(mem + 20 * PAGE, 0xa5, PAGE));
}

/* Bytes from @start to @end of @mem are a region: it is they that are written. */
static void check_edges(struct side *s, uint8_t *mem, size_t start, size_t end)
{
	struct uet_completion rec;
	size_t len = end - start;

	memset(mem, 0xa5, 4 * PAGE);
	s->key = us_reg(s->p.rx, mem + start, len, ANY_ACCESS);
	put_now(s, 0, 3, len);
	EXPECT(us_matches(mem + start, 3, 0, len));
	EXPECT(us_is_filled(mem, 0xa5, start));
	EXPECT(us_is_filled(mem + end, 0xa5, 4 * PAGE - end));
	get_now(s, len - 1, 1);
	EXPECT_EQ(s->back[len - 1], mem[end - 1]);
	put(s, len - 1, 4, 2);
	rec = us_completion(s->p.tx);
	EXPECT_EQ(rec.rc, US_RC_BAD_ADDR);
	EXPECT_EQ(mem[end], 0xa5);
}

TEST(edge__of_a_region_is_exact_at_every_offset)
{
	uint8_t *mem = us_map(4 * PAGE);
	struct side s = side_of(mem, 4 * PAGE);

	/* Each place with a fourth of the others. */
	for (size_t i = 0; i < 16; i++)
		for (size_t j = i % 4; j < 16; j += 4)
			check_edges(&s, mem, PAGE - 8 + i, 3 * PAGE - 8 + j);
}

/* ------------------------------------------------------- fork() and others */

/* The process that registers gets pages of its own, which nobody else sees. */
TEST(fork__before_registration_keeps_pages_apart)
{
	uint8_t *mem = us_map(4 * PAGE);
	int go[2];
	struct side s;
	pid_t pid;
	char byte;

	memset(mem, 0xa5, 4 * PAGE);
	ASSERT_SYS(pipe(go));
	pid = CHILD(EXPECT_EQ(read(go[0], &byte, 1), 1);
		    EXPECT(us_is_filled(mem, 0xa5, 4 * PAGE)));
	s = side_of(mem, 4 * PAGE);
	put_now(&s, 0, 9, 4 * PAGE);
	ASSERT_EQ(write(go[1], "x", 1), 1);
	harness_join(pid);
	EXPECT(us_matches(mem, 9, 0, 4 * PAGE));
}

/* Both write to what was one page; the region goes on to be the parent's. */
TEST(fork__keeps_the_region_when_both_write)
{
	uint8_t *mem = us_map(4 * PAGE);
	int go[2], gone[2];
	struct side s;
	pid_t pid;
	char byte;

	memset(mem, 0xa5, 4 * PAGE);
	ASSERT_SYS(pipe(go));
	ASSERT_SYS(pipe(gone));
	s = side_of(mem, 4 * PAGE);
	pid = CHILD(EXPECT(us_is_filled(mem, 0xa5, 4 * PAGE));
		    memset(mem, 1, 2 * PAGE);
		    ASSERT_EQ(write(gone[1], "x", 1), 1);
		    EXPECT_EQ(read(go[0], &byte, 1), 1);
		    EXPECT(us_is_filled(mem, 1, 2 * PAGE));
		    EXPECT(us_is_filled(mem + 2 * PAGE, 0xa5, 2 * PAGE)));
	memset(mem + PAGE, 2, 2 * PAGE);
	ASSERT_EQ(read(gone[0], &byte, 1), 1);
	get_now(&s, 0, 4 * PAGE);
	EXPECT(!memcmp(s.back, mem, 4 * PAGE));
	put_now(&s, 10, 10, 4 * PAGE - 20);
	EXPECT(us_matches(mem + 10, 10, 0, 4 * PAGE - 20));
	ASSERT_EQ(write(go[1], "x", 1), 1);
	harness_join(pid);
	put_now(&s, 0, 11, 4 * PAGE);
	EXPECT(us_matches(mem, 11, 0, 4 * PAGE));
}

/* The socket is both's: who closes first takes nothing from the other. */
TEST(fork__and_the_parent_deregisters)
{
	uint8_t *mem = us_map(4 * PAGE);
	struct side s = side_of(mem, 4 * PAGE);
	uint64_t key = s.key;
	pid_t pid;

	pid = CHILD(s.key = us_reg(s.p.rx, mem, 4 * PAGE, ANY_ACCESS);
		    put_now(&s, 0, 12, 4 * PAGE);
		    EXPECT(us_matches(mem, 12, 0, 4 * PAGE));
		    EXPECT_EQ(us_dereg(s.p.rx, key), 0));
	harness_join(pid);
	EXPECT(us_is_filled(mem, 0, 4 * PAGE));
	EXPECT_FAILS(us_dereg(s.p.rx, key), ENOENT);
}

TEST(fork__of_memory_that_children_do_not_get)
{
	uint8_t *mem = us_map(4 * PAGE);
	struct side s = side_of(mem, 4 * PAGE);
	unsigned char in[4];
	pid_t pid;

	ASSERT_SYS(madvise(mem, 4 * PAGE, MADV_DONTFORK));
	pid = CHILD(EXPECT_FAILS(mincore(mem, 4 * PAGE, in), ENOMEM));
	harness_join(pid);
	put_now(&s, 0, 13, 4 * PAGE);
	EXPECT(us_matches(mem, 13, 0, 4 * PAGE));
}

/* A new mapping at the address of a region is not a part of the region. */
TEST(unmap__under_traffic_keeps_the_region)
{
	enum { LEN = 64 * PAGE, COUNT = 8, PAGES = 2 * (64 + 2) };
	uint8_t *mem = us_map(LEN), *next, *more = us_map(PAGE);
	struct side s;

	us_limit_memlock(PAGES * PAGE);
	s = side_of(mem, LEN);
	for (uint32_t i = 1; i <= COUNT; i++)
		put(&s, 0, i, LEN);
	ASSERT_SYS(munmap(mem, LEN));
	next = mmap(mem, LEN, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT(next == mem);
	memset(next, 0xa5, LEN);
	EXPECT_EQ(failures(s.p.tx, COUNT, none), 0);
	put_now(&s, 0, 14, LEN);
	get_now(&s, 0, LEN);
	EXPECT(us_matches(s.back, 14, 0, LEN));
	EXPECT(us_is_filled(next, 0xa5, LEN));
	/* It is locked as long as it is a region. */
	EXPECT_FAILS(try_reg(s.p.rx, more, 1), ENOMEM);
	ASSERT_SYS(us_dereg(s.p.rx, s.key));
	EXPECT_EQ(try_reg(s.p.rx, next, LEN), 0);
}

TEST(remap__takes_the_region_along)
{
	const size_t len = 16 * PAGE;
	uint8_t *space = us_map(2 * len), *mem = us_map(len), *moved, *next;
	struct side s = side_of(mem, len);

	for (uint32_t i = 1; i <= 4; i++)
		put(&s, 0, i, len);
	moved = mremap(mem, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		       space + PAGE);
	ASSERT(moved == space + PAGE);
	next = mmap(mem, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT(next == mem);
	EXPECT_EQ(failures(s.p.tx, 4, none), 0);
	put_now(&s, 0, 15, len);
	EXPECT(us_matches(moved, 15, 0, len));
	EXPECT(us_is_filled(next, 0, len));
	EXPECT(us_is_filled(space, 0, PAGE));
}

/* Pages that the owner gives up are the region's alone. */
TEST(advise__that_pages_are_not_needed)
{
	uint8_t *mem = us_map(4 * PAGE);
	struct side s = side_of(mem, 4 * PAGE);

	put_now(&s, 0, 16, 4 * PAGE);
	ASSERT_SYS(madvise(mem + PAGE, PAGE, MADV_DONTNEED));
	EXPECT(us_is_filled(mem + PAGE, 0, PAGE));
	get_now(&s, 0, 4 * PAGE);
	EXPECT(us_matches(s.back, 16, 0, 4 * PAGE));
	put_now(&s, 0, 17, 4 * PAGE);
	EXPECT(us_matches(mem, 17, 0, PAGE));
	EXPECT(us_is_filled(mem + PAGE, 0, PAGE));
	EXPECT(us_matches(mem + 2 * PAGE, 17, 2 * PAGE, 2 * PAGE));
}

TEST(protect__is_for_the_owner)
{
	uint8_t *mem = us_map(4 * PAGE);
	struct side s = side_of(mem, 4 * PAGE);

	ASSERT_SYS(mprotect(mem, 4 * PAGE, PROT_READ));
	put_now(&s, 0, 18, 4 * PAGE);
	EXPECT(us_matches(mem, 18, 0, 4 * PAGE));
	ASSERT_SYS(mprotect(mem, 4 * PAGE, PROT_NONE));
	get_now(&s, 0, 4 * PAGE);
	EXPECT(us_matches(s.back, 18, 0, 4 * PAGE));
}

/* ----------------------------------------------------------- deregistration */

/* The pages are unpinned when the call returns, and it has not slept for that. */
TEST(dereg__does_not_wait)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t *mem = us_map(16 * PAGE);
	struct rusage before, after;

	memset(mem, 1, 16 * PAGE);
	us_limit_memlock(18 * PAGE);
	ASSERT_SYS(getrusage(RUSAGE_SELF, &before));
	for (int i = 0; i < 100; i++)
		ASSERT_SYS(us_dereg(fd, us_reg(fd, mem, 16 * PAGE, ANY_ACCESS)));
	ASSERT_SYS(getrusage(RUSAGE_SELF, &after));
	EXPECT_LE(after.ru_nvcsw - before.ru_nvcsw, 10);
}

/*
 * Bytes put there later are not visible to peers. There are more than softirqs handle
 * before they let the process go on.
 */
TEST(dereg__while_it_is_read_hides_later_bytes)
{
	const size_t len = 8 * MIB;
	uint8_t *mem = us_map(len);
	struct side s = side_of(mem, len);
	uint32_t failed = 0;

	for (int round = 0; round < 3; round++) {
		memset(mem, 0x11, len);
		memset(s.back, 0x33, len);
		for (int i = 0; i < 4; i++)
			get(&s, 0, len);
		ASSERT_SYS(us_dereg(s.p.rx, s.key));
		memset(mem, 0x22, len);
		failed += failures(s.p.tx, 4, no_memory);
		EXPECT(!memchr(s.back, 0x22, len));
		s.key = us_reg(s.p.rx, mem, len, ANY_ACCESS);
	}
	EXPECT_GT(failed, 0);
}

/* Wait until something comes to memory that was zeroes. */
static void wait_written(const uint8_t *buf, size_t len)
{
	while (us_is_filled(buf, 0, len))
		sched_yield();
}

/*
 * Messages that go to posted receives stop short of it. They are longer than a window,
 * so that also on one CPU others run before the last packet is sent.
 */
TEST(dereg__while_a_message_goes_there_stops_it)
{
	enum { LEN = 1024 * PAGE };
	struct us_pair p = us_pair();
	struct uet_recv_post post;
	struct uet_completion rec;
	uint32_t failed = 0;
	struct us_mem mem;
	pid_t child;

	for (int round = 0; round < 10; round++) {
		mem = us_mem(p.rx, LEN);
		post = us_want_plain(round, &mem);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		child = CHILD(EXPECT_EQ(us_post(p.tx, round, LEN, 0), LEN));
		wait_written(mem.buf, PAGE);
		ASSERT_SYS(us_dereg(p.rx, mem.key));
		memset(mem.buf, 0xa5, LEN);
		rec = us_completion(p.rx);
		EXPECT_EQ(rec.cookie, round);
		EXPECT(!rec.error || rec.error == EFAULT);
		failed += !!rec.error;
		rec = us_completion(p.tx);
		EXPECT(!rec.error || rec.error == ECANCELED);
		harness_join(child);
		EXPECT(us_is_filled(mem.buf, 0xa5, LEN));
		munmap(mem.buf, LEN);
	}
	EXPECT_GT(failed, 0);
}

/* --------------------------------------------------------------- sudden end */

enum { VICTIM_LEN = 64 * PAGE, VICTIM_PAGES = 64 + 2, VICTIM_POSTS = 50 };

/* Data that a process reports before it is killed. */
struct victim {
	pid_t pid;
	struct sockaddr_uet addr;
	uint64_t key;
};

/* It may lock this region and nothing besides. */
static void victim_live(int fd, int tell)
{
	struct victim v = { .addr = us_name(fd) };
	struct us_mem mem = { us_map(VICTIM_LEN), VICTIM_LEN, 0 };
	struct uet_recv_post post;

	us_limit_memlock(VICTIM_PAGES * PAGE);
	mem.key = us_reg(fd, mem.buf, mem.len, ANY_ACCESS);
	EXPECT_FAILS(try_reg(fd, mem.buf, 1), ENOMEM);
	v.key = mem.key;
	post = us_want_plain(1, &mem);
	for (int i = 0; i < VICTIM_POSTS; i++)
		ASSERT_SYS(us_recv_post(fd, &post));
	ASSERT_EQ(write(tell, &v, sizeof(v)), sizeof(v));
}

/* Start a target. */
static struct victim victim(void)
{
	struct victim v;
	int told[2];
	pid_t pid;

	ASSERT_SYS(pipe(told));
	pid = CHILD(victim_live(us_endpoint(1, UET_PID_ANY, 0), told[1]);
		    pause());
	close(told[1]);
	ASSERT_EQ(read(told[0], &v, sizeof(v)), sizeof(v));
	close(told[0]);
	v.pid = pid;
	return v;
}

static void victim_kill(const struct victim *v)
{
	int status;

	ASSERT_SYS(kill(v->pid, SIGKILL));
	ASSERT_EQ(waitpid(v->pid, &status, 0), v->pid);
	EXPECT(WIFSIGNALED(status));
}

/* Begin an operation of a kind on a victim. */
static void attack(const struct side *s, int opcode)
{
	if (opcode == UET_OP_WRITE)
		put(s, 0, 1, VICTIM_LEN);
	else if (opcode == UET_OP_READ)
		get(s, 0, VICTIM_LEN);
	else
		EXPECT_EQ(us_post(s->p.tx, 1, VICTIM_LEN, 0), VICTIM_LEN);
}

/* Every operation ends once, and the memory of the dead is free. */
TEST(kill__the_target_ends_each_operation_once)
{
	static const int opcodes[] = { UET_OP_WRITE, UET_OP_READ, UET_OP_SEND };
	/* The target was killed before the operation, or in the middle of it. */
	static const uint32_t errors[][4] = {
		{ ECONNREFUSED, ECANCELED, EFAULT },
		{ ECONNREFUSED, EFAULT },
		{ ECONNREFUSED, ECANCELED },
	};
	struct uet_completion rec;
	struct victim v;

	for (size_t i = 0; i < 6; i++) {
		struct side s = { .p = us_pair_of(i < 3 ? SOCK_RDM :
							 SOCK_SEQPACKET) };
		const int opcode = opcodes[i % 3];
		uint32_t done;

		/* Not accounted: this process may lock what it likes. */
		s.back = us_map(VICTIM_LEN);
		s.local = us_reg(s.p.tx, s.back, VICTIM_LEN, 0);
		v = victim();
		s.key = v.key;
		ASSERT_SYS(us_connect(s.p.tx, &v.addr));
		for (int n = 0; n < 8; n++)
			attack(&s, opcode);
		rec = us_completion(s.p.tx);
		EXPECT_EQ(rec.error, 0);
		done = rec.count;
		victim_kill(&v);
		failures(s.p.tx, 8 - done, errors[i % 3]);
		/* Not before: failures alike are told as one. */
		attack(&s, opcode);
		rec = us_completion(s.p.tx);
		EXPECT_EQ(rec.error, ECONNREFUSED);
		us_expect_none(s.p.tx);
		side_close(&s, VICTIM_LEN);
	}
	v = victim();
	victim_kill(&v);
}

/* Writes, and sends what nobody reads to its end. */
static void victim_attack(const struct sockaddr_uet *to, uint64_t key, int tell)
{
	struct side s = { .p.tx = us_endpoint(0, UET_PID_ANY, 0), .key = key };
	const size_t len = 16 * MIB;

	victim_live(s.p.tx, tell);
	ASSERT_SYS(us_connect(s.p.tx, to));
	for (int i = 0; i < 8; i++)
		put(&s, 0, 1, VICTIM_LEN);
	send(s.p.tx, us_map(len), len, 0);
}

static struct victim attacker(const struct sockaddr_uet *to, uint64_t key)
{
	struct victim v;
	int told[2];
	pid_t pid;

	ASSERT_SYS(pipe(told));
	pid = CHILD(victim_attack(to, key, told[1]));
	close(told[1]);
	ASSERT_EQ(read(told[0], &v, sizeof(v)), sizeof(v));
	close(told[0]);
	v.pid = pid;
	return v;
}

/* Read on until there is no more. Return: errno. */
static int read_to_the_end(int fd, void *buf, size_t len)
{
	ssize_t got;

	WAIT_FOR((got = recv(fd, buf, len, MSG_DONTWAIT)) < 0 &&
		 errno != EAGAIN);
	return errno;
}

/* A message whose sender is gone ends, and what that has locked is free. */
TEST(kill__the_initiator_ends_its_messages)
{
	int rx = us_endpoint(1, UET_PID_ANY, 0);
	struct sockaddr_uet to = us_name(rx);
	uint8_t *mem = us_map(VICTIM_LEN), buf[PAGE];
	uint64_t key = us_reg(rx, mem, VICTIM_LEN, ANY_ACCESS);
	struct victim v;

	us_set_buf(rx, SO_RCVBUF, 65536);
	for (int round = 0; round < 3; round++) {
		v = attacker(&to, key);
		EXPECT_GT(recv(rx, buf, 1, MSG_PEEK), 0);
		victim_kill(&v);
		EXPECT_EQ(read_to_the_end(rx, buf, sizeof(buf)), EIO);
	}
	EXPECT(us_matches(mem, 1, 0, VICTIM_LEN));
}

HARNESS_MAIN()
