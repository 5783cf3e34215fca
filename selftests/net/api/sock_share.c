// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of regions that live long: whether a watched one says that its mapping has
 * changed, once and only then, and regions that several sockets share.  Started by
 * sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "uetlock.h"
#include "uetpost.h"

#define PAGE	4096

/* ------------------------------------------------------------------- watching */

static const struct uet_cq_ring_head *ring_of(int fd)
{
	struct uet_cq_ring ring = { .entries = 16 };
	void *head;

	ASSERT_SYS(uet_ioctl(fd, UET_IOC_CQ_RING, &ring));
	head = mmap(NULL, ring.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT(head != MAP_FAILED);
	return head;
}

static uint32_t generation(const struct uet_cq_ring_head *head)
{
	return __atomic_load_n(&head->mr_generation, __ATOMIC_ACQUIRE);
}

static uint64_t watch(int fd, void *addr, size_t len)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = len, .flags = UET_MR_WATCH,
	};

	if (uet_ioctl(fd, UET_IOC_MR_REG, &reg) && errno == EOPNOTSUPP)
		SKIP("the kernel tells modules nothing about mappings");
	ASSERT(reg.key);
	return reg.key;
}

static void expect_changed(int fd, uint64_t key)
{
	uint64_t changed = 0;

	EXPECT_EQ(ioctl(fd, UET_IOC_MR_CHANGED, &changed), 0);
	EXPECT_EQ(changed, key);
}

static void expect_none_changed(int fd)
{
	uint64_t changed;

	EXPECT_FAILS(ioctl(fd, UET_IOC_MR_CHANGED, &changed), ENOENT);
}

/* Use of the memory, fork() and permissions leave the pages. */
TEST(watch__says_nothing_while_the_mapping_stays)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0), status;
	const struct uet_cq_ring_head *head = ring_of(fd);
	uint8_t *mem = us_map(8 * PAGE), *other = us_map(PAGE);
	pid_t child;

	memset(mem, 1, 4 * PAGE);
	watch(fd, mem + PAGE, 6 * PAGE);
	memset(mem, 2, 8 * PAGE);
	child = fork();
	ASSERT_SYS(child);
	if (!child) {
		memset(mem, 3, 8 * PAGE);
		_exit(0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	memset(mem, 4, 8 * PAGE);
	ASSERT_SYS(mprotect(mem, 8 * PAGE, PROT_READ));
	ASSERT_SYS(mprotect(mem, 8 * PAGE, PROT_READ | PROT_WRITE));
	ASSERT_SYS(munmap(other, PAGE));
	EXPECT_EQ(generation(head), 0);
	expect_none_changed(fd);
}

/* Also of memory that was shared with a child before, whose pages pinning replaces. */
TEST(watch__says_what_has_changed)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0), pipes[2];
	const struct uet_cq_ring_head *head = ring_of(fd);
	uint8_t *mem[4];
	uint64_t key[4];
	pid_t child;
	char byte;

	ASSERT_SYS(pipe(pipes));
	for (int i = 0; i < 4; i++) {
		mem[i] = us_map(4 * PAGE);
		memset(mem[i], 1, 4 * PAGE);
	}
	child = fork();
	ASSERT_SYS(child);
	if (!child)
		_exit(read(pipes[0], &byte, 1));
	for (int i = 0; i < 4; i++)
		key[i] = watch(fd, mem[i], 4 * PAGE);
	EXPECT_EQ(generation(head), 0);
	ASSERT_SYS(madvise(mem[0] + PAGE, PAGE, MADV_DONTNEED));
	EXPECT_EQ(generation(head), 1);
	expect_changed(fd, key[0]);
	expect_none_changed(fd);
	/* Each is told once. */
	ASSERT_SYS(munmap(mem[0], 4 * PAGE));
	EXPECT_EQ(generation(head), 1);
	ASSERT_SYS(munmap(mem[1] + 3 * PAGE, PAGE));
	ASSERT(mremap(mem[2], 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		      us_map(4 * PAGE)) != MAP_FAILED);
	EXPECT_EQ(generation(head), 3);
	expect_changed(fd, key[1]);
	ASSERT_SYS(us_dereg(fd, key[2]));
	expect_none_changed(fd);
	ASSERT_SYS(us_dereg(fd, key[3]));
	ASSERT_SYS(munmap(mem[3], 4 * PAGE));
	EXPECT_EQ(generation(head), 3);
	expect_none_changed(fd);
	ASSERT_EQ(write(pipes[1], "x", 1), 1);
	ASSERT_EQ(waitpid(child, NULL, 0), child);
}

/*
 * Pinning replaces pages that a child has, so they are pinned twice. The kernel counts two
 * pages more for each region.
 */
TEST(watch__pages_count_once)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0), pipes[2];
	uint8_t *mem = us_map(8 * PAGE);
	uint64_t key, all, more;
	pid_t child;
	char byte;

	ASSERT_SYS(pipe(pipes));
	us_limit_memlock(10 * PAGE);
	for (int i = 0; i < 20; i++) {
		memset(mem, i, 8 * PAGE);
		child = fork();
		ASSERT_SYS(child);
		if (!child)
			_exit(read(pipes[0], &byte, 1));
		key = watch(fd, mem, 4 * PAGE);
		ASSERT_SYS(us_dereg(fd, key));
		ASSERT_EQ(write(pipes[1], "x", 1), 1);
		ASSERT_EQ(waitpid(child, NULL, 0), child);
	}
	ASSERT_SYS(us_try_reg(fd, mem, 8 * PAGE, 0, &all));
	EXPECT_FAILS(us_try_reg(fd, mem, PAGE, 0, &more), ENOMEM);
}

TEST(watch__a_later_ring_says_it)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t *mem = us_map(PAGE);
	uint64_t key = watch(fd, mem, PAGE);

	ASSERT_SYS(munmap(mem, PAGE));
	EXPECT_EQ(generation(ring_of(fd)), 1);
	EXPECT_FAILS(ioctl(fd, UET_IOC_MR_CHANGED, NULL), EFAULT);
	expect_changed(fd, key);
	expect_none_changed(fd);
	ASSERT_SYS(us_dereg(fd, key));
}

/* Nothing is left of it when the socket goes before the memory, or the process. */
TEST(watch__ends_with_its_socket_or_process)
{
	uint8_t *mem = us_map(PAGE);
	int fd = us_endpoint(0, UET_PID_ANY, 0), status;
	pid_t child;

	watch(fd, mem, PAGE);
	ASSERT_SYS(close(fd));
	ASSERT_SYS(munmap(mem, PAGE));
	fd = us_endpoint(0, UET_PID_ANY, 0);
	child = fork();
	ASSERT_SYS(child);
	if (!child) {
		watch(fd, us_map(PAGE), PAGE);
		_exit(0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		EXPECT_EQ(generation(ring_of(fd)), 1);
}

/* -------------------------------------------------------------------- domains */

static int domain(int fd)
{
	int dom = ioctl(fd, UET_IOC_DOMAIN_OPEN, UET_DOMAIN_CLOEXEC);

	ASSERT_SYS(dom);
	return dom;
}

static int join(int fd, int dom)
{
	return setsockopt(fd, SOL_UET, UET_DOMAIN_FD, &dom, sizeof(dom));
}

/* An endpoint on the second FEP that shares the regions of a domain. */
static int member(int dom)
{
	struct sockaddr_uet addr = us_addr(1, UET_PID_ANY, 0);
	int fd = us_socket_of(SOCK_RDM);

	ASSERT_SYS(join(fd, dom));
	ASSERT_SYS(us_bind(fd, &addr));
	return fd;
}

static void write_to(int fd, int to, uint64_t key, const char *text, uint32_t error)
{
	struct us_rma rma = { .opcode = UET_OP_WRITE, .cookie = 5, .at = { key, 10 } };
	struct sockaddr_uet addr = us_name(to);
	struct uet_completion rec;

	ASSERT_SYS(us_connect(fd, &addr));
	EXPECT_EQ(us_rma(fd, &rma, text, 5), 5);
	rec = us_completion(fd);
	EXPECT_EQ(rec.error, error);
}

TEST(domain__bad_requests_are_explained)
{
	int fd = us_socket(), dom = domain(fd), pipes[2];
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)us_map(PAGE), .length = PAGE,
		.flags = UET_MR_OPTIMIZED,
	};

	ASSERT_SYS(pipe(pipes));
	EXPECT_FAILS(ioctl(fd, UET_IOC_DOMAIN_OPEN, 2), EINVAL);
	EXPECT(us_explains(fd, "UET_IOC_DOMAIN_OPEN: flags 0x2"));
	EXPECT_FAILS(join(fd, 999), EBADF);
	EXPECT(us_explains(fd, "UET_DOMAIN_FD: 999 is no descriptor of a domain"));
	EXPECT_FAILS(join(fd, pipes[0]), EINVAL);
	EXPECT_FAILS(join(fd, fd), EINVAL);
	ASSERT_SYS(join(fd, dom));
	ASSERT_SYS(join(fd, -1));
	fd = member(dom);
	EXPECT_FAILS(join(fd, -1), EINVAL);
	EXPECT(us_explains(fd, "cannot change once the socket is bound"));
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_MR_REG, &reg), EINVAL);
	EXPECT(us_explains(fd, "UET_MR_OPTIMIZED in a domain"));
}

TEST(domain__has_a_limit)
{
	struct rlimit files = { UET_DOMAIN_LIMIT + 64, UET_DOMAIN_LIMIT + 64 };
	int dom = domain(us_socket()), fds[UET_DOMAIN_LIMIT], more;

	ASSERT_SYS(setrlimit(RLIMIT_NOFILE, &files));
	for (int i = 0; i < UET_DOMAIN_LIMIT; i++) {
		fds[i] = us_socket();
		ASSERT_SYS(join(fds[i], dom));
	}
	more = us_socket();
	EXPECT_FAILS(join(more, dom), EUSERS);
	EXPECT(us_explains(more, "UET_DOMAIN_FD: the domain has 1024 sockets"));
	ASSERT_SYS(join(fds[0], -1));
	ASSERT_SYS(join(more, dom));
	EXPECT_FAILS(join(fds[0], dom), EUSERS);
	ASSERT_SYS(close(fds[1]));
	ASSERT_SYS(join(fds[0], dom));
}

/* Any member registers, uses and deregisters; the memory counts once. */
TEST(domain__members_share_regions)
{
	enum { LEN = 8 * PAGE };
	int tx = us_endpoint(0, UET_PID_ANY, 0), dom = domain(tx);
	int a = member(dom), b = member(dom), alone = us_endpoint(1, UET_PID_ANY, 0);
	uint8_t *mem = us_map(LEN);
	uint64_t key, more;

	us_limit_memlock(LEN + 3 * PAGE);
	key = us_reg(a, mem, LEN, UET_MR_WRITE);
	EXPECT_FAILS(us_try_reg(b, mem, PAGE, 0, &more), ENOMEM);
	write_to(tx, a, key, "hello", 0);
	EXPECT(!memcmp(mem + 10, "hello", 5));
	write_to(tx, b, key, "world", 0);
	EXPECT(!memcmp(mem + 10, "world", 5));
	write_to(tx, alone, key, "other", EFAULT);
	/* For a receive of another member. */
	struct us_mem place = { mem, LEN, key };
	struct uet_recv_post post = us_want_plain(1, &place);
	struct sockaddr_uet to = us_name(b);

	ASSERT_SYS(us_recv_post(b, &post));
	ASSERT_SYS(us_connect(tx, &to));
	EXPECT_EQ(us_send(tx, 7, 5000, 0), 5000);
	us_expect_recv(b, 1, mem, 7, 5000);
	ASSERT_SYS(us_dereg(b, key));
	write_to(tx, a, key, "other", EFAULT);
	key = us_reg(b, mem, LEN, UET_MR_WRITE);
	ASSERT_SYS(us_dereg(a, key));
}

/* They end with the last member and the last descriptor. */
TEST(domain__ends_with_its_last_user)
{
	enum { LEN = 8 * PAGE };
	int tx = us_endpoint(0, UET_PID_ANY, 0), dom = domain(tx);
	int a = member(dom), b = member(dom);
	uint8_t *mem = us_map(LEN);
	uint64_t key, more;

	us_limit_memlock(LEN + 3 * PAGE);
	key = us_reg(a, mem, LEN, UET_MR_WRITE);
	ASSERT_SYS(close(a));
	write_to(tx, b, key, "hello", 0);
	ASSERT_SYS(close(b));
	EXPECT_FAILS(us_try_reg(tx, mem, PAGE, 0, &more), ENOMEM);
	a = member(dom);
	write_to(tx, a, key, "again", 0);
	ASSERT_SYS(close(dom));
	write_to(tx, a, key, "still", 0);
	ASSERT_SYS(close(a));
	ASSERT_SYS(us_try_reg(tx, mem, LEN, 0, &more));
}

/* A change is counted in the rings of all members, and told once. */
TEST(domain__members_see_each_change)
{
	int dom = domain(us_socket()), a = member(dom), b = member(dom);
	const struct uet_cq_ring_head *ring[2] = { ring_of(a), ring_of(b) };
	uint8_t *mem = us_map(PAGE);
	uint64_t key = watch(a, mem, PAGE);

	ASSERT_SYS(munmap(mem, PAGE));
	EXPECT_EQ(generation(ring[0]), 1);
	EXPECT_EQ(generation(ring[1]), 1);
	expect_changed(b, key);
	expect_none_changed(a);
}

HARNESS_MAIN()
