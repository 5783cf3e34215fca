// SPDX-License-Identifier: GPL-2.0
/*
 * Calls on sockets with each allocation that they reach failing once: a call that
 * fails leaves the socket as it was.  Messages are in alloc_fail_message.c.  failnth.h
 * has the sweep; started by alloc_fail.sh, see uetsock.h for what it needs.
 * Level: test.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "failsock.h"

static int sock = -1, epoll;
static struct sockaddr_uet own, peer;

static void close_sock(void)
{
	close(sock);
	sock = -1;
}

static int call_socket(void)
{
	sock = socket(AF_UET, SOCK_RDM, 0);
	return result(sock);
}

static void check_socket(int ret)
{
	if (ret >= 0)
		close_sock();
}

TEST(sock__socket_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "socket", .call = call_socket, .check = check_socket,
		.also = ENFILE,
	};

	fail_open();
	fail_sweep(&op);
}

static void prepare_sock(void)
{
	sock = us_socket();
}

static int call_bind(void)
{
	return result(us_bind(sock, &own));
}

/* A socket that could not be bound is as it was, and can be. */
static void check_bound(int ret)
{
	EXPECT_EQ(us_name(sock).suet_job, ret ? 0 : own.suet_job);
	if (ret)
		EXPECT_EQ(us_bind(sock, &own), 0);
}

TEST(sock__bind_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "bind", .prepare = prepare_sock, .call = call_bind,
		.check = check_bound, .undo = close_sock,
	};

	own = us_addr(0, 8, 8);
	fail_open();
	fail_sweep(&op);
}

static int call_connect(void)
{
	return result(us_connect(sock, &peer));
}

static void check_connected(int ret)
{
	EXPECT_EQ(us_name(sock).suet_job, ret ? 0 : peer.suet_job);
	if (ret)
		EXPECT_EQ(us_connect(sock, &peer), 0);
}

TEST(sock__connect_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "connect", .prepare = prepare_sock,
		.call = call_connect, .check = check_connected,
		.undo = close_sock,
	};

	/* The other job has two FEPs, so the address would have to name one. */
	peer = us_addr(0, 9, 9);
	peer.suet_job = atoi(us_env("UET_JOB_ONE"));
	fail_open();
	fail_sweep(&op);
}

static int call_setsockopt(void)
{
	uint32_t value = 5;

	return result(setsockopt(sock, SOL_UET, UET_INITIATOR, &value,
				 sizeof(value)));
}

/* Also what the option is now: that call can fail as well. */
static int call_getsockopt(void)
{
	uint32_t value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(sock, SOL_UET, UET_INITIATOR, &value, &len))
		return -errno;
	return value == 0 && len == sizeof(value) ? 0 : -EPROTO;
}

static int call_last_error(void)
{
	char text[256];
	socklen_t len = sizeof(text);

	return result(getsockopt(sock, SOL_UET, UET_LAST_ERROR, text, &len));
}

static void sweep_sock(const char *name, int (*call)(void))
{
	const struct fail_op op = {
		.name = name, .prepare = prepare_sock, .call = call,
		.undo = close_sock,
	};

	fail_open();
	fail_sweep(&op);
}

TEST(sock__options_survive_no_memory)
{
	sweep_sock("setsockopt", call_setsockopt);
	sweep_sock("getsockopt", call_getsockopt);
	sweep_sock("UET_LAST_ERROR", call_last_error);
}

static int call_ring(void)
{
	struct uet_cq_ring ring = { .entries = 64 };
	void *at;

	if (uet_ioctl(sock, UET_IOC_CQ_RING, &ring))
		return -errno;
	at = mmap(NULL, ring.length, PROT_READ, MAP_SHARED, sock, 0);
	if (at == MAP_FAILED)
		return -errno;
	return result(munmap(at, ring.length));
}

static int call_sq_ring(void)
{
	struct uet_sq_ring ring = { .entries = 64 };
	void *at;

	if (uet_ioctl(sock, UET_IOC_SQ_RING, &ring))
		return -errno;
	at = mmap(NULL, ring.length, PROT_READ, MAP_SHARED, sock, ring.offset);
	if (at == MAP_FAILED)
		return -errno;
	return result(munmap(at, ring.length));
}

TEST(sock__rings_survive_no_memory)
{
	sweep_sock("UET_IOC_CQ_RING", call_ring);
	sweep_sock("UET_IOC_SQ_RING", call_sq_ring);
}

static int call_poll(void)
{
	struct pollfd fds = { .fd = sock, .events = POLLIN | POLLOUT };

	return result(poll(&fds, 1, 0));
}

static void prepare_epoll(void)
{
	prepare_sock();
	epoll = epoll_create1(0);
	ASSERT_SYS(epoll);
}

static int call_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT };

	return result(epoll_ctl(epoll, EPOLL_CTL_ADD, sock, &event));
}

static void check_epoll(int ret)
{
	struct epoll_event event;

	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), !ret);
}

static void undo_epoll(void)
{
	close(epoll);
	close_sock();
}

TEST(sock__poll_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "epoll_ctl", .prepare = prepare_epoll,
		.call = call_epoll, .check = check_epoll, .undo = undo_epoll,
	};

	sweep_sock("poll", call_poll);
	fail_sweep(&op);
}

/* One message is unread, another one not even answered. */
static void prepare_close(void)
{
	new_pair();
	EXPECT_EQ(send(pair.tx, sent, size, 0), size);
	WAIT_FOR(us_queued(pair.rx, SIOCINQ) == (int)size);
	EXPECT_EQ(send(pair.tx, sent, size, 0), size);
}

static int call_shutdown(void)
{
	return result(shutdown(pair.tx, SHUT_RDWR));
}

static int call_close(void)
{
	if (close(pair.rx))
		return -errno;
	return result(close(pair.tx));
}

TEST(sock__shutdown_and_close_survives_no_memory)
{
	static const struct fail_op ops[] = { {
		.name = "shutdown", .prepare = prepare_close,
		.call = call_shutdown, .undo = close_pair,
		.may_have_none = true,
	}, {
		.name = "close", .prepare = prepare_close, .call = call_close,
		.may_have_none = true,
	} };

	set_size(64 * KIB);
	fail_open();
	fail_sweep(&ops[0]);
	fail_sweep(&ops[1]);
}

static int job_fd;

static int call_job_open(void)
{
	struct uet_job_open open = { .job = own.suet_job };

	job_fd = uet_ioctl(sock, UET_IOC_JOB_OPEN, &open);
	return result(job_fd);
}

/* It is a descriptor by which one can bind. */
static void check_job_open(int ret)
{
	if (ret < 0)
		return;
	EXPECT_EQ(setsockopt(sock, SOL_UET, UET_JOB_FD, &job_fd, 4), 0);
	EXPECT_EQ(us_bind(sock, &own), 0);
	close(job_fd);
}

static void prepare_job_fd(void)
{
	prepare_sock();
	ASSERT_SYS(call_job_open());
}

static int call_job_fd(void)
{
	return result(setsockopt(sock, SOL_UET, UET_JOB_FD, &job_fd, 4));
}

/* A job that was not granted to the socket does not name its job. */
static void check_job_fd(int ret)
{
	struct sockaddr_uet any = own;

	any.suet_job = 0;
	if (ret < 0)
		EXPECT_FAILS(us_bind(sock, &any), EINVAL);
	else
		EXPECT_EQ(us_bind(sock, &any), 0);
	close(job_fd);
}

static uint8_t memory[2 * 4096] __attribute__((aligned(4096)));
static int domain_fd;

static int call_domain_open(void)
{
	domain_fd = ioctl(sock, UET_IOC_DOMAIN_OPEN, 0);
	return result(domain_fd);
}

static int reg_mr(uint32_t flags)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)memory, .length = 2 * 4096, .flags = flags,
	};

	return result(uet_ioctl(sock, UET_IOC_MR_REG, &reg));
}

static int call_watch(void)
{
	return reg_mr(UET_MR_WATCH);
}

static void check_domain_open(int ret)
{
	if (ret < 0)
		return;
	EXPECT_EQ(setsockopt(sock, SOL_UET, UET_DOMAIN_FD, &domain_fd, 4), 0);
	EXPECT_EQ(us_bind(sock, &own), 0);
	EXPECT_EQ(reg_mr(0), 0);
	close(domain_fd);
}

static void prepare_watch(void)
{
	prepare_sock();
	ASSERT_SYS(us_bind(sock, &own));
}

static void check_watch(int ret)
{
	if (ret < 0)
		EXPECT_EQ(call_watch(), 0);
}

TEST(sock__domains_survive_no_memory)
{
	static const struct fail_op open = {
		.name = "UET_IOC_DOMAIN_OPEN", .prepare = prepare_sock,
		.call = call_domain_open, .check = check_domain_open,
		.undo = close_sock, .also = ENFILE,
	};

	own = us_addr(0, 8, 8);
	fail_open();
	fail_sweep(&open);
}

TEST(sock__watched_regions_survive_no_memory)
{
	static const struct fail_op watch = {
		.name = "UET_IOC_MR_REG, UET_MR_WATCH", .prepare = prepare_watch,
		.call = call_watch, .check = check_watch, .undo = close_sock,
	};

	own = us_addr(0, 8, 8);
	fail_open();
	prepare_watch();
	if (call_watch() == -EOPNOTSUPP)
		SKIP("the kernel tells modules nothing about mappings");
	close_sock();
	fail_sweep(&watch);
}

TEST(sock__job_descriptors_survive_no_memory)
{
	static const struct fail_op open = {
		.name = "UET_IOC_JOB_OPEN", .prepare = prepare_sock,
		.call = call_job_open, .check = check_job_open,
		.undo = close_sock, .also = ENFILE,
	};
	static const struct fail_op give = {
		.name = "UET_JOB_FD", .prepare = prepare_job_fd,
		.call = call_job_fd, .check = check_job_fd, .undo = close_sock,
	};

	own = us_addr(0, 8, 8);
	fail_open();
	fail_sweep(&open);
	fail_sweep(&give);
}

HARNESS_MAIN()
