// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of operations that are taken back: by cookie and by destination, before they
 * were begun, in their middle, while they wait for data or to be sent again, and when
 * it is too late.  Started by sock_flow.sh; see uetsock.h.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define PAGE	4096
#define KIB	1024
#define MIB	(1024 * 1024)

static int cancel(int fd, uint64_t cookie)
{
	struct uet_send_cancel ask = {
		.cookie = cookie, .flags = UET_CANCEL_COOKIE,
	};

	return uet_ioctl(fd, UET_IOC_SEND_CANCEL, &ask);
}

static int cancel_peer(int fd, const struct sockaddr_uet *addr)
{
	struct uet_send_cancel ask = {
		.flags = UET_CANCEL_PEER, .addr = *addr,
	};

	return uet_ioctl(fd, UET_IOC_SEND_CANCEL, &ask);
}

static void expect_cancelled(int fd, uint64_t cookie)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.cookie, cookie);
	EXPECT_EQ(rec.count, 1);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT_EQ(rec.rc, 0);
	EXPECT_EQ(rec.length, 0);
}

/*
 * A pair whose sender stands still: message 0, streamed at the receiver, nobody
 * reads, and is longer than the PDC has packets; what is sent next is not begun.
 */
static struct us_pair stuck_pair(int type)
{
	struct us_pair p = us_pair_of(type);

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	EXPECT_EQ(us_post(p.tx, 0, 2 * MIB, 0), 2 * MIB);
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	return p;
}

TEST(cancel__unsent_messages_are_taken_back)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct us_pair p;
	char byte;

	for (int i = 0; i < 2; i++) {
		p = stuck_pair(types[i]);
		for (int k = 1; k < 5; k++)
			EXPECT_EQ(us_post(p.tx, k, 1000 + k, 0), 1000 + k);
		EXPECT_EQ(cancel(p.tx, 3), 1);
		expect_cancelled(p.tx, 3);
		EXPECT_FAILS(cancel(p.tx, 3), ENOENT);
		EXPECT(us_explains(p.tx, "no such operation"));
		EXPECT_EQ(cancel(p.tx, 1), 1);
		expect_cancelled(p.tx, 1);
		us_expect(p.rx, 0, 2 * MIB);
		if (types[i] == SOCK_SEQPACKET) {
			us_expect(p.rx, 2, 1002);
			us_expect(p.rx, 4, 1004);
		} else {
			EXPECT_EQ(recv(p.rx, &byte, 1, MSG_TRUNC) +
				  recv(p.rx, &byte, 1, MSG_TRUNC), 2006);
		}
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
		EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
		WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	}
}

/* All with the cookie, and one that waits behind them goes on. */
TEST(cancel__takes_back_all_with_the_cookie)
{
	struct us_pair p = stuck_pair(SOCK_SEQPACKET);

	for (int k = 0; k < 6; k++)
		EXPECT_EQ(us_post(p.tx, 7 + k % 2, 1000, 0), 1000);
	EXPECT_EQ(cancel(p.tx, 7), 3);
	for (int k = 0; k < 3; k++)
		expect_cancelled(p.tx, 7);
	us_expect(p.rx, 0, 2 * MIB);
	for (int k = 0; k < 3; k++)
		us_expect(p.rx, 8, 1000);
}

/* Its receiver is told, as it is of a message that is given up. */
TEST(cancel__partly_sent_message_is_given_up)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	uint8_t *buf = us_alloc(2 * MIB);
	struct us_pair p;
	ssize_t len;

	for (int i = 0; i < 2; i++) {
		p = stuck_pair(types[i]);
		EXPECT_EQ(cancel(p.tx, 0), 1);
		do {
			len = recv(p.rx, buf, 2 * MIB, MSG_DONTWAIT);
		} while (len > 0 || (len < 0 && errno == EAGAIN));
		EXPECT_FAILS(len, EIO);
		expect_cancelled(p.tx, 0);
		EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100);
		us_expect(p.rx, 1, 100);
	}
}

TEST(cancel__interrupts_a_blocked_sender)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet to = us_name(p.rx);
	pid_t child;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	child = CHILD({
		EXPECT_FAILS(us_send(p.tx, 1, 4 * MIB, 0), ECANCELED);
		EXPECT_EQ(us_events(p.tx) & POLLERR, 0);
	});
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	EXPECT_EQ(cancel_peer(p.tx, &to), 1);
	/* The bytes that arrived are read before the error is reported. */
	WAIT_FOR(recv(p.rx, (char[PAGE]){ 0 }, PAGE, MSG_DONTWAIT) < 0 &&
		 errno == EIO);
	harness_join(child);
}

TEST(cancel__completed_message_is_not_found)
{
	struct us_pair p = us_pair();

	EXPECT_EQ(us_post(p.tx, 5, 100, 0), 100);
	us_expect(p.rx, 5, 100);
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	EXPECT_FAILS(cancel(p.tx, 5), ENOENT);
	EXPECT_EQ(us_completion(p.tx).error, 0);
}

/* To one of two destinations, those without completion too. */
TEST(cancel__selects_by_destination)
{
	struct us_pair p = stuck_pair(SOCK_RDM);
	int other = us_endpoint(1, UET_PID_ANY, 0);
	struct sockaddr_uet to = us_name(p.rx), elsewhere = us_name(other);
	struct uet_op op = us_op(UET_OP_SEND, 9);
	struct uet_send_cancel both = {
		.cookie = 9, .flags = UET_CANCEL_COOKIE | UET_CANCEL_PEER,
		.addr = elsewhere,
	};

	us_set_buf(other, SO_RCVBUF, 64 * KIB);
	EXPECT_EQ(us_send_op(p.tx, &op, &elsewhere, us_message(9, 2 * MIB),
			     2 * MIB, 0), 2 * MIB);
	WAIT_FOR(us_queued(other, SIOCINQ) > 0);
	EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100);
	EXPECT_EQ(us_post(p.tx, 2, 100, 0), 100);
	EXPECT_EQ(us_post(p.tx, 9, 100, 0), 100);
	EXPECT_EQ(cancel_peer(p.tx, &to), 4);
	for (int k = 0; k < 2; k++)
		EXPECT_EQ(us_completion(p.tx).error, ECANCELED);
	WAIT_FOR(recv(p.rx, (char[PAGE]){ 0 }, PAGE, MSG_DONTWAIT) < 0 &&
		 errno == EIO);
	EXPECT_EQ(us_completion(p.tx).error, ECANCELED);
	us_expect_none(p.tx);
	EXPECT_FAILS(cancel_peer(p.tx, &to), ENOENT);
	/* The other one is still there. */
	EXPECT_EQ(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &both), 1);
	WAIT_FOR(recv(other, (char[PAGE]){ 0 }, PAGE, MSG_DONTWAIT) < 0 &&
		 errno == EIO);
	expect_cancelled(p.tx, 9);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* A message to be sent again counts as not begun. */
TEST(cancel__refused_message_is_taken_back)
{
	struct sockaddr_uet addr = us_addr(1, UET_PID_ANY, 0);
	int tx = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0);
	uint32_t on = UET_GEN_BUFFER, off = 0;
	int rx = us_socket(), left = 2, n;
	char byte;

	ASSERT_SYS(setsockopt(rx, SOL_UET, UET_GENERATION, &on, sizeof(on)));
	ASSERT_SYS(setsockopt(rx, SOL_UET, UET_PAUSE, &on, sizeof(on)));
	ASSERT_SYS(us_bind(rx, &addr));
	addr = us_name(rx);
	ASSERT_SYS(us_connect(tx, &addr));
	for (int k = 0; k < 10; k++)
		EXPECT_EQ(us_post(tx, k % 5, 100, 0), 100);
	/* Until they are refused, what is on its way cannot be taken back. */
	while (left) {
		WAIT_FOR((n = cancel(tx, 2)) > 0);
		left -= n;
	}
	expect_cancelled(tx, 2);
	expect_cancelled(tx, 2);
	ASSERT_SYS(setsockopt(rx, SOL_UET, UET_PAUSE, &off, sizeof(off)));
	for (int k = 0; k < 10; k++)
		if (k % 5 != 2)
			us_expect(rx, k % 5, 100);
	EXPECT_EQ(shutdown(tx, SHUT_WR), 0);
	EXPECT_FAILS(recv(rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(cancel__invalid_requests_are_explained)
{
	struct us_pair p = us_pair();
	struct uet_send_cancel ask = { .cookie = 1 };
	int fd = us_socket();

	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), EINVAL);
	EXPECT(us_explains(p.tx, "flags are 0, not of 0x3"));
	ask.flags = 4;
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), EINVAL);
	ask.flags = UET_CANCEL_PEER;
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), EINVAL);
	EXPECT(us_explains(p.tx, "cookie 0x1 is not 0"));
	ask.cookie = 0;
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), EAFNOSUPPORT);
	EXPECT(us_explains(p.tx, "UET_IOC_SEND_CANCEL: suet_family 0"));
	ask.flags = UET_CANCEL_COOKIE;
	ask.addr.suet_pid = 1;
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), EINVAL);
	EXPECT(us_explains(p.tx, "addr is not 0"));
	EXPECT_FAILS(cancel(p.tx, 1), ENOENT);
	EXPECT_FAILS(cancel(fd, 1), ENOTCONN);
	EXPECT_FAILS(ioctl(p.tx, UET_IOC_SEND_CANCEL, (void *)8), EFAULT);
}

HARNESS_MAIN()
