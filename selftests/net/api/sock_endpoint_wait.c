// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of UET_ENDPOINT_WAIT: messages to an endpoint that does not exist yet wait for
 * it, whole and in order, and fail when it does not come in time.  Started by
 * sock_flow.sh, also on a device that loses packets; see uetsock.h.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/ioctl.h>

#include "uetop.h"

#define KIB	1024
#define PID	77
#define RI	5
#define LONG_MS	60000	/* longer than any test takes */

static int set_wait(int fd, uint32_t ms)
{
	return setsockopt(fd, SOL_UET, UET_ENDPOINT_WAIT, &ms, sizeof(ms));
}

static uint32_t get_wait(int fd)
{
	socklen_t len = sizeof(uint32_t);
	uint32_t ms = ~0u;

	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_ENDPOINT_WAIT, &ms, &len));
	return ms;
}

/* A socket that waits so long, connected to an endpoint that does not exist. */
static int sender(int type, uint32_t ms)
{
	struct sockaddr_uet to = us_addr(1, PID, RI);
	int fd = us_endpoint_of(type, 0, UET_PID_ANY, 0);

	ASSERT_SYS(set_wait(fd, ms));
	ASSERT_SYS(us_connect(fd, &to));
	return fd;
}

/* Long enough that the target has refused the message. */
static void let_it_be_refused(void)
{
	poll(NULL, 0, 30);
}

/* A message arrives, the endpoint goes, and another message is sent. */
static void post_after_close(int tx, int rx)
{
	ASSERT_EQ(us_post(tx, 1, 100, 0), 100);
	us_expect(rx, 1, 100);
	EXPECT_EQ(us_completion(tx).error, 0);
	close(rx);
	ASSERT_EQ(us_post(tx, 2, 100, 0), 100);
}

TEST(wait__options_have_their_ranges)
{
	int fd = us_socket(), dgram = us_socket_of(SOCK_DGRAM);

	EXPECT_EQ(get_wait(fd), 0);
	EXPECT_EQ(set_wait(fd, UET_ENDPOINT_WAIT_MAX), 0);
	EXPECT_EQ(get_wait(fd), UET_ENDPOINT_WAIT_MAX);
	EXPECT_FAILS(set_wait(fd, UET_ENDPOINT_WAIT_MAX + 1), EINVAL);
	EXPECT(us_explains(fd, "UET_ENDPOINT_WAIT must be 0 to 3600000 ms, not 3600001"));
	EXPECT_EQ(get_wait(fd), UET_ENDPOINT_WAIT_MAX);
	EXPECT_FAILS(set_wait(dgram, 1), EOPNOTSUPP);
	EXPECT(us_explains(dgram, "UET_ENDPOINT_WAIT: nobody answers a datagram"));
}

/* Short ones and one that is streamed. */
static void messages_wait(int type)
{
	static const size_t sizes[] = { 0, 1, 100, 4096, 20000, 300 * KIB };
	static uint8_t buf[400 * KIB];
	int tx = sender(type, LONG_MS), rx;
	unsigned int i;
	ssize_t sum = 0;
	pid_t pid;

	us_set_buf(tx, SO_SNDBUF, 64 * KIB);
	pid = CHILD({
		for (i = 0; i < 6; i++)
			EXPECT_EQ(us_send(tx, i, sizes[i], 0), (ssize_t)sizes[i]);
	});
	let_it_be_refused();
	rx = us_endpoint(1, PID, RI);
	us_set_buf(rx, SO_RCVBUF, 1024 * KIB);
	for (i = 0; i < 6 && type == SOCK_SEQPACKET; i++)
		us_expect(rx, i, sizes[i]);
	for (i = 0; i < 6 && type == SOCK_RDM; i++)
		sum += recv(rx, buf, sizeof(buf), 0);
	if (type == SOCK_RDM)
		EXPECT_EQ(sum, 1 + 100 + 4096 + 20000 + 300 * KIB);
	harness_join(pid);
	EXPECT_EQ(shutdown(tx, SHUT_WR), 0);
}

TEST(wait__messages_arrive)
{
	messages_wait(SOCK_RDM);
}

TEST(wait__ordered_messages_arrive_in_order)
{
	messages_wait(SOCK_SEQPACKET);
}

TEST(wait__many_messages_arrive_in_order)
{
	int tx = sender(SOCK_SEQPACKET, LONG_MS), rx, i;

	for (i = 0; i < 200; i++)
		ASSERT_EQ(us_send(tx, i, 1000, 0), 1000);
	let_it_be_refused();
	rx = us_endpoint(1, PID, RI);
	for (i = 0; i < 200; i++)
		us_expect(rx, i, 1000);
}

TEST(wait__an_endpoint_that_does_not_come_is_reported)
{
	struct uet_completion rec;
	int tx = sender(SOCK_RDM, 50);

	ASSERT_EQ(us_post(tx, 7, 100, 0), 100);
	rec = us_completion(tx);
	EXPECT_EQ(rec.cookie, 7);
	EXPECT_EQ(rec.error, ECONNREFUSED);
	/* Without a completion at a later call. */
	ASSERT_EQ(us_send(tx, 0, 100, 0), 100);
	EXPECT_FAILS(shutdown(tx, SHUT_WR), ECONNREFUSED);
	EXPECT(us_explains(tx, "message of 100 bytes in job 1 to "));
	EXPECT(us_explains(tx, "/77/5: no endpoint with that PIDonFEP (bad-pid)"));
}

TEST(wait__without_it_a_message_fails_at_once)
{
	int tx = sender(SOCK_RDM, LONG_MS);

	ASSERT_SYS(set_wait(tx, 0));
	ASSERT_EQ(us_post(tx, 7, 100, 0), 100);
	EXPECT_EQ(us_completion(tx).error, ECONNREFUSED);
}

/* Only unordered messages can wait for an endpoint that comes a second time. */
TEST(wait__an_endpoint_comes_again)
{
	int tx = sender(SOCK_RDM, LONG_MS), rx = us_endpoint(1, PID, RI);

	post_after_close(tx, rx);
	let_it_be_refused();
	us_expect_none(tx);
	rx = us_endpoint(1, PID, RI);
	us_expect(rx, 2, 100);
	EXPECT_EQ(us_completion(tx).error, 0);
}

TEST(wait__ordered_messages_do_not_wait_for_it_again)
{
	int tx = sender(SOCK_SEQPACKET, LONG_MS), rx = us_endpoint(1, PID, RI);

	post_after_close(tx, rx);
	EXPECT_EQ(us_completion(tx).error, ECONNREFUSED);
}

TEST(wait__messages_can_be_taken_back)
{
	struct uet_send_cancel cancel = { .cookie = 3, .flags = UET_CANCEL_COOKIE };
	int tx = sender(SOCK_RDM, LONG_MS);

	ASSERT_EQ(us_post(tx, 3, 100, 0), 100);
	let_it_be_refused();
	/* A message that is being sent again cannot be taken back. */
	WAIT_FOR(uet_ioctl(tx, UET_IOC_SEND_CANCEL, &cancel) == 1);
	EXPECT_EQ(us_completion(tx).error, ECANCELED);
}

/* A closed socket with messages that wait leaves nothing behind. */
TEST(wait__a_sender_may_go)
{
	struct linger linger = { .l_onoff = 1 };
	int tx = sender(SOCK_RDM, LONG_MS);

	ASSERT_SYS(setsockopt(tx, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	ASSERT_EQ(us_post(tx, 4, 100, 0), 100);
	let_it_be_refused();
	close(tx);
}

HARNESS_MAIN()
