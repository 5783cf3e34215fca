// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of how AF_UET sockets wait and end: time-outs, signals, epoll, full
 * buffers and back-pressure, shutdown(), close() and errors that come late, with
 * several processes at one socket.  Started by sock_api.sh, see uetsock.h for
 * what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/epoll.h>

#include "uetsock.h"

#define KIB	1024
#define MIB	(1024 * KIB)

/* The bytes that the kernel has charged to the receive buffer. */
static int charged(int fd)
{
	uint32_t mem[SK_MEMINFO_VARS];
	socklen_t len = sizeof(mem);

	ASSERT_SYS(getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len));
	return mem[SK_MEMINFO_RMEM_ALLOC];
}

static int events(int fd)
{
	struct pollfd p = { .fd = fd,
			    .events = POLLIN | POLLOUT | POLLRDHUP };

	ASSERT_SYS(poll(&p, 1, 0));
	return p.revents;
}

static void nothing(int signal)
{
	(void)signal;
}

/* Interrupt calls, do not restart them. */
static void catch(int signal)
{
	struct sigaction action = { .sa_handler = nothing };

	ASSERT_SYS(sigaction(signal, &action, NULL));
}

/* Small buffers, and messages until no more fits anywhere. Returns how many. */
static int fill(struct us_pair *p, int size)
{
	int n = 0, idle = 0;

	us_set_buf(p->rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p->tx, SO_SNDBUF, 64 * KIB);
	/* Full is when it stays full. */
	while (idle < 50) {
		if (us_send(p->tx, n, size, MSG_DONTWAIT) == size) {
			n++;
			idle = 0;
		} else {
			EXPECT_EQ(errno, EAGAIN);
			poll(NULL, 0, 4);
			idle++;
		}
	}
	return n;
}

/* A process that reads @count messages of @size bytes. */
static pid_t reader(int fd, int count, int size)
{
	return CHILD({
		uint8_t *buf = us_alloc(size + 1);

		for (int i = 0; i < count; i++)
			EXPECT_EQ(recv(fd, buf, size + 1, 0), size);
	});
}

/* ------------------------------------------------- time-outs and signals */

TEST(recv__times_out)
{
	struct us_pair p = us_pair();
	char byte;

	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	us_set_timeout(p.rx, SO_RCVTIMEO, 50);
	EXPECT_FAILS(recv(p.rx, &byte, 1, 0), EAGAIN);
	ASSERT_SYS(fcntl(p.rx, F_SETFL, O_NONBLOCK));
	EXPECT_FAILS(recv(p.rx, &byte, 1, 0), EAGAIN);
}

TEST(recv__is_interrupted)
{
	struct us_pair p = us_pair();
	pid_t parent = getpid(), child;
	char byte;

	catch(SIGUSR1);
	child = CHILD({
		/* Until it is seen: the first may come before the recv(). */
		while (!kill(parent, SIGUSR1))
			poll(NULL, 0, 5);
	});
	EXPECT_FAILS(recv(p.rx, &byte, 1, 0), EINTR);
	kill(child, SIGKILL);
}

TEST(send__times_out_when_full)
{
	struct us_pair p = us_pair();
	int n = fill(&p, 10 * KIB);
	pid_t child;

	us_set_timeout(p.tx, SO_SNDTIMEO, 50);
	EXPECT_FAILS(us_send(p.tx, 0, 10 * KIB, 0), EAGAIN);
	/* Nothing is lost by that. */
	child = reader(p.rx, n, 10 * KIB);
	us_set_timeout(p.tx, SO_SNDTIMEO, 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	harness_join(child);
}

TEST(send__is_interrupted_when_full)
{
	struct us_pair p = us_pair();
	pid_t parent = getpid(), child;

	fill(&p, 10 * KIB);
	catch(SIGUSR1);
	child = CHILD({
		while (!kill(parent, SIGUSR1))
			poll(NULL, 0, 5);
	});
	EXPECT_FAILS(us_send(p.tx, 0, 10 * KIB, 0), EINTR);
	kill(child, SIGKILL);
}

TEST(send__may_not_wait_for_a_long_message)
{
	struct us_pair p = us_pair();

	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	EXPECT_EQ(us_send(p.tx, 0, 64 * KIB, MSG_DONTWAIT), 64 * KIB);
	EXPECT_FAILS(us_send(p.tx, 0, 64 * KIB + 1, MSG_DONTWAIT), EMSGSIZE);
	EXPECT(us_explains(p.tx, "longer than SO_SNDBUF 65536"));
}

TEST(send__interrupted_in_mid_message_gives_it_up)
{
	struct us_pair p = us_pair();
	uint8_t *buf = us_alloc(4 * MIB);
	int ended[2];
	pid_t child;
	ssize_t n;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	ASSERT_SYS(pipe(ended));
	child = CHILD({
		catch(SIGUSR1);
		EXPECT_FAILS(us_send(p.tx, 1, 4 * MIB, 0), EINTR);
		EXPECT_EQ(write(ended[1], "", 1), 1);
		/* The socket is still good. */
		EXPECT_EQ(us_send(p.tx, 2, 10, 0), 10);
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	});
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 32 * KIB);
	kill(child, SIGUSR1);
	/* A sender that need not wait does not look for signals: read later. */
	EXPECT_EQ(read(ended[0], buf, 1), 1);
	do {
		n = recv(p.rx, buf, 4 * MIB, 0);
	} while (n > 10);
	if (n != 10) {
		EXPECT_EQ(errno, EIO);
		EXPECT(us_explains(p.rx, "gave it up"));
		us_expect(p.rx, 2, 10);
	}
	harness_join(child);
}

TEST(send__timed_out_in_mid_message_gives_it_up)
{
	struct us_pair p = us_pair();
	uint8_t *buf = us_alloc(4 * MIB);
	ssize_t n;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	us_set_timeout(p.tx, SO_SNDTIMEO, 100);
	EXPECT_FAILS(us_send(p.tx, 1, 4 * MIB, 0), EAGAIN);
	us_set_timeout(p.rx, SO_RCVTIMEO, 1000);
	do {
		n = recv(p.rx, buf, 4 * MIB, 0);
	} while (n > 0);
	EXPECT_EQ(n, -1);
	EXPECT_EQ(errno, EIO);
}

/* ----------------------------------------------------------- back-pressure */

static void expect_bounded(struct us_pair p, int most)
{
	int n = fill(&p, 10 * KIB);
	pid_t child;

	EXPECT_GT(n, 8);
	EXPECT_LE(charged(p.rx), most);
	EXPECT_LE(us_queued(p.tx, SIOCOUTQ), 128 * KIB);
	child = reader(p.rx, n, 10 * KIB);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	harness_join(child);
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	WAIT_FOR(charged(p.rx) == 0);
}

/* Two CPUs deliver packets in another order: messages that fill gaps have as much again. */
TEST(buffers__are_a_bound_and_lose_nothing)
{
	bool is_in_order = sysconf(_SC_NPROCESSORS_ONLN) == 1;

	expect_bounded(us_pair(), is_in_order ? 64 * KIB : 2 * 64 * KIB);
}

TEST(buffers__are_a_bound_for_ordered_messages)
{
	expect_bounded(us_pair_of(SOCK_SEQPACKET), 64 * KIB);
}

TEST(buffers__of_a_slow_reader_hold_up_its_senders_only)
{
	struct us_pair slow = us_pair();
	int other = us_endpoint(1, UET_PID_ANY, 0);
	struct sockaddr_uet to = us_name(other);
	uint8_t *buf = us_message(3, 10 * KIB);

	fill(&slow, 10 * KIB);
	us_set_buf(slow.tx, SO_SNDBUF, 512 * KIB);
	EXPECT_EQ(sendto(slow.tx, buf, 10 * KIB, 0, (void *)&to, sizeof(to)),
		  10 * KIB);
	us_expect(other, 3, 10 * KIB);
}

TEST(buffers__take_a_message_of_their_own_size)
{
	struct us_pair p = us_pair();

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(us_send(p.tx, i, 64 * KIB, 0), 64 * KIB);
	for (int i = 0; i < 3; i++)
		us_expect(p.rx, i, 64 * KIB);
}

TEST(buffers__of_the_least_size_work)
{
	struct us_pair p = us_pair();
	pid_t child;

	us_set_buf(p.rx, SO_RCVBUF, 2);
	us_set_buf(p.tx, SO_SNDBUF, 2);
	child = CHILD({
		EXPECT_EQ(us_send(p.tx, 1, 100 * KIB, 0), 100 * KIB);
	});
	us_expect(p.rx, 1, 100 * KIB);
	harness_join(child);
}

/* --------------------------------------------------------------- readiness */

TEST(poll__follows_messages)
{
	struct us_pair p = us_pair();
	char byte;

	EXPECT_EQ(events(p.rx), POLLOUT);
	EXPECT_EQ(send(p.tx, "x", 1, 0), 1);
	WAIT_FOR(events(p.rx) == (POLLIN | POLLOUT));
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 1);
	EXPECT_EQ(events(p.rx), POLLOUT);
}

TEST(poll__promises_room_for_a_message)
{
	struct us_pair p = us_pair();
	int n = fill(&p, 10 * KIB);
	pid_t child;

	EXPECT_EQ(events(p.tx), 0);
	child = reader(p.rx, n + 1, 10 * KIB);
	WAIT_FOR(events(p.tx) == POLLOUT);
	EXPECT_EQ(us_send(p.tx, 0, 10 * KIB, MSG_DONTWAIT), 10 * KIB);
	harness_join(child);
}

TEST(epoll__wakes_reader_and_writer)
{
	struct us_pair p = us_pair();
	struct epoll_event in = { .events = EPOLLIN | EPOLLET };
	struct epoll_event out = { .events = EPOLLOUT | EPOLLET }, got;
	int n = fill(&p, 10 * KIB), ep = epoll_create1(0);
	pid_t child;

	ASSERT_SYS(ep);
	ASSERT_SYS(epoll_ctl(ep, EPOLL_CTL_ADD, p.tx, &out));
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
	child = reader(p.rx, n, 10 * KIB);
	EXPECT_EQ(epoll_wait(ep, &got, 1, -1), 1);
	EXPECT_EQ(got.events, EPOLLOUT);
	harness_join(child);

	ASSERT_SYS(epoll_ctl(ep, EPOLL_CTL_DEL, p.tx, NULL));
	ASSERT_SYS(epoll_ctl(ep, EPOLL_CTL_ADD, p.rx, &in));
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
	EXPECT_EQ(send(p.tx, "x", 1, 0), 1);
	EXPECT_EQ(epoll_wait(ep, &got, 1, -1), 1);
	EXPECT_EQ(got.events, EPOLLIN);
}

TEST(epoll__wakes_a_writer_that_was_refused)
{
	struct us_pair p = us_pair();
	struct epoll_event out = { .events = EPOLLOUT | EPOLLET }, got;
	int n, ep = epoll_create1(0);
	pid_t child;

	ASSERT_SYS(ep);
	ASSERT_SYS(epoll_ctl(ep, EPOLL_CTL_ADD, p.tx, &out));
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 1);
	n = fill(&p, 10 * KIB);
	child = reader(p.rx, n, 10 * KIB);
	EXPECT_EQ(epoll_wait(ep, &got, 1, -1), 1);
	EXPECT_EQ(got.events, EPOLLOUT);
	harness_join(child);
}

TEST(epoll__does_not_wake_a_writer_with_space)
{
	struct us_pair p = us_pair();
	struct epoll_event out = { .events = EPOLLOUT | EPOLLET }, got;
	int ep = epoll_create1(0);
	char byte;

	ASSERT_SYS(ep);
	ASSERT_SYS(epoll_ctl(ep, EPOLL_CTL_ADD, p.tx, &out));
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 1);
	EXPECT_EQ(send(p.tx, "x", 1, 0), 1);
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 1);
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
}

/* ------------------------------------------------------------- late errors */

TEST(error__of_an_unknown_endpoint_comes_late)
{
	struct sockaddr_uet to = us_addr(1, 4000, 4000);
	int fd = us_endpoint(0, UET_PID_ANY, 0), err = 0;
	socklen_t len = sizeof(err);

	EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	WAIT_FOR(events(fd) & POLLERR);
	EXPECT(us_explains(fd, "in job"));
	EXPECT(us_explains(fd, "/4000/4000: no endpoint with that "));
	EXPECT_FAILS(recv(fd, &err, 1, 0), ECONNREFUSED);
	EXPECT_EQ(events(fd) & POLLERR, 0);
	EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	WAIT_FOR(events(fd) & POLLERR);
	ASSERT_SYS(getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len));
	EXPECT_EQ(err, ECONNREFUSED);
}

TEST(error__of_one_message_does_not_stop_another)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet to = us_addr(1, 4000, 4000);

	EXPECT_EQ(sendto(p.tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	WAIT_FOR(events(p.tx) & POLLERR);
	EXPECT_FAILS(us_send(p.tx, 1, 100, 0), ECONNREFUSED);
	EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100);
	us_expect(p.rx, 1, 100);
}

TEST(error__ends_a_streamed_message_early)
{
	struct us_pair p = us_pair();

	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	close(p.rx);
	EXPECT_FAILS(us_send(p.tx, 1, 4 * MIB, 0), ECONNREFUSED);
	EXPECT(us_explains(p.tx, "message of 4194304 bytes"));
	/* Told by the call, so not told again. */
	EXPECT_EQ(events(p.tx) & POLLERR, 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* ------------------------------------------------------ shutdown and close */

TEST(shutdown__ends_sending)
{
	struct us_pair p = us_pair();
	pid_t child;
	int status;

	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_FAILS(send(p.tx, "x", 1, MSG_NOSIGNAL), EPIPE);
	EXPECT(us_explains(p.tx, "shut down"));
	child = CHILD({ send(p.tx, "x", 1, 0); });
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	/* The other direction goes on. */
	EXPECT_EQ(events(p.tx), POLLOUT);
	EXPECT_FAILS(shutdown(p.tx, 3), EINVAL);
}

TEST(shutdown__waits_for_the_answers)
{
	struct us_pair p = us_pair();
	int n = fill(&p, 10 * KIB);
	pid_t child;

	us_set_timeout(p.tx, SO_SNDTIMEO, 50);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	ASSERT_SYS(fcntl(p.tx, F_SETFL, O_NONBLOCK));
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	child = reader(p.rx, n, 10 * KIB);
	WAIT_FOR(!shutdown(p.tx, SHUT_WR));
	/* A message that has ended is uncharged next. */
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	harness_join(child);
}

TEST(shutdown__reports_the_first_failure)
{
	struct sockaddr_uet to = us_addr(1, 4000, 4000);
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_FAILS(shutdown(fd, SHUT_WR), ECONNREFUSED);
	EXPECT_EQ(shutdown(fd, SHUT_WR), 0);
}

TEST(shutdown__ends_receiving)
{
	struct us_pair p = us_pair();
	uint8_t byte;

	EXPECT_EQ(us_send(p.tx, 7, 1, 0), 1);
	WAIT_FOR(events(p.rx) & POLLIN);
	EXPECT_EQ(shutdown(p.rx, SHUT_RD), 0);
	EXPECT(events(p.rx) & POLLRDHUP);
	/* Earlier messages can be read, later ones are refused. */
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 1);
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 0);
	EXPECT_EQ(us_send(p.tx, 8, 1, 0), 1);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), ECONNREFUSED);
	EXPECT_EQ(shutdown(p.rx, SHUT_RDWR), 0);
	EXPECT(events(p.rx) & POLLHUP);
}

TEST(shutdown__of_both_directions_frees_the_address)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet addr = us_name(p.rx);
	int heir = dup(p.rx), next = us_socket();

	ASSERT_SYS(heir);
	EXPECT_FAILS(bind(next, (void *)&addr, sizeof(addr)), EADDRINUSE);
	EXPECT_EQ(shutdown(p.rx, SHUT_RDWR), 0);
	ASSERT_SYS(close(p.rx));
	EXPECT_EQ(us_send(p.tx, 7, 1, 0), 1);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), ECONNREFUSED);
	EXPECT_EQ(bind(next, (void *)&addr, sizeof(addr)), 0);
	EXPECT_EQ(shutdown(heir, SHUT_RDWR), 0);
	ASSERT_SYS(close(heir));
	EXPECT_FAILS(bind(us_socket(), (void *)&addr, sizeof(addr)), EADDRINUSE);
}

TEST(shutdown__wakes_a_reader)
{
	struct us_pair p = us_pair();
	pid_t child = CHILD({
		char byte;

		EXPECT_EQ(recv(p.rx, &byte, 1, 0), 0);
	});

	EXPECT_EQ(shutdown(p.rx, SHUT_RD), 0);
	harness_join(child);
}

TEST(close__lets_messages_arrive)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);

	for (int i = 0; i < 4; i++)
		EXPECT_EQ(us_send(p.tx, i, 300 * KIB, 0), 300 * KIB);
	close(p.tx);
	for (int i = 0; i < 4; i++)
		us_expect(p.rx, i, 300 * KIB);
}

TEST(close__may_wait_for_messages)
{
	struct us_pair p = us_pair();
	struct linger on = { .l_onoff = 1, .l_linger = 100 };
	pid_t child = reader(p.rx, 4, 300 * KIB);

	ASSERT_SYS(setsockopt(p.tx, SOL_SOCKET, SO_LINGER, &on, sizeof(on)));
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(us_send(p.tx, i, 300 * KIB, 0), 300 * KIB);
	/* When it returns, the reader has them, if perhaps not read them yet. */
	EXPECT_EQ(close(p.tx), 0);
	harness_join(child);
}

TEST(close__refuses_messages_under_way)
{
	struct us_pair p = us_pair();
	pid_t child;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	child = CHILD({
		close(p.rx);
		EXPECT_FAILS(us_send(p.tx, 1, 4 * MIB, 0), ECANCELED);
	});
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 32 * KIB);
	close(p.rx);
	harness_join(child);
}

/* -------------------------------------------------------- several processes */

TEST(readers__share_a_socket)
{
	enum { READERS = 4, EACH = 50 };
	struct us_pair p = us_pair();
	pid_t child[READERS];
	int i;

	for (i = 0; i < READERS; i++)
		child[i] = reader(p.rx, EACH, 5000);
	for (i = 0; i < READERS * EACH; i++)
		EXPECT_EQ(us_send(p.tx, i, 5000, 0), 5000);
	for (i = 0; i < READERS; i++)
		harness_join(child[i]);
}

TEST(readers__of_streamed_messages_do_not_mix_them)
{
	enum { READERS = 3 };
	struct us_pair p = us_pair();
	pid_t child[READERS];
	int i;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	for (i = 0; i < READERS; i++)
		child[i] = CHILD({ us_expect(p.rx, 8, 500 * KIB); });
	for (i = 0; i < READERS; i++)
		EXPECT_EQ(us_send(p.tx, 8, 500 * KIB, 0), 500 * KIB);
	for (i = 0; i < READERS; i++)
		harness_join(child[i]);
}

TEST(writers__share_a_socket)
{
	enum { WRITERS = 4, EACH = 50 };
	struct us_pair p = us_pair();
	pid_t child[WRITERS], sink = reader(p.rx, WRITERS * EACH, 5000);
	int i;

	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	for (i = 0; i < WRITERS; i++)
		child[i] = CHILD({
			for (int k = 0; k < EACH; k++)
				EXPECT_EQ(us_send(p.tx, k, 5000, 0), 5000);
		});
	for (i = 0; i < WRITERS; i++)
		harness_join(child[i]);
	harness_join(sink);
}

TEST(fork__leaves_the_socket_to_both)
{
	struct us_pair p = us_pair();
	pid_t child = CHILD({
		close(p.rx);
		EXPECT_EQ(us_send(p.tx, 1, 10, 0), 10);
	});

	harness_join(child);
	us_expect(p.rx, 1, 10);
	EXPECT_EQ(us_send(p.tx, 2, 10, 0), 10);
	us_expect(p.rx, 2, 10);
}

HARNESS_MAIN()
