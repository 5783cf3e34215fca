// SPDX-License-Identifier: GPL-2.0
/*
 * A socket that has little closes, and takes back its messages, while other sockets of
 * the same FEPs have PDCs and deferred messages; a socket is bound while nearly all
 * addresses are in use.  The task is named "closer" and "binder" meanwhile, by which
 * close_steps.sh finds its steps.  UET_OTHERS: number of PDCs and of messages of the
 * others.  See uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "uetpost.h"

#define KIB	1024
#define MIB	(1024 * 1024)

static int others(void)
{
	const char *text = getenv("UET_OTHERS");

	return text ? atoi(text) : 10;
}

/* Send a message that waits for a receive: there is no space, so it is suspended. */
static void defer(int fd, uint64_t cookie)
{
	struct uet_op op = us_op(UET_OP_DEFERRABLE_TSEND, cookie);
	uint64_t tag = 0x77;
	struct us_control c = { .len = 0 };
	char byte = 0;

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	EXPECT_EQ(us_send_control(fd, &c, &byte, 1), 1);
}

/* PDCs from sockets of fep1 to a socket of fep2, and messages that are suspended. */
static void make_others(void)
{
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct sockaddr_uet to;
	int rx, tx;

	for (int i = 0; i < others(); i++)
		defer(p.tx, i);
	us_settle(p.tx);
	rx = us_endpoint(1, UET_PID_ANY, 0);
	to = us_name(rx);
	for (int i = 0; i < others(); i++) {
		tx = us_endpoint(0, UET_PID_ANY, 0);
		ASSERT_SYS(us_connect(tx, &to));
		EXPECT_EQ(us_send(tx, i, 100, 0), 100);
		us_expect(rx, i, 100);
	}
}

/* A PDC, a deferred message, and a message of which a part has arrived. */
TEST(close__steps_depend_on_the_socket_alone)
{
	struct us_pair deferring, stuck;
	struct uet_send_cancel ask = {
		.cookie = 5, .flags = UET_CANCEL_COOKIE,
	};

	make_others();
	deferring = us_full_pair_of(SOCK_SEQPACKET);
	defer(deferring.tx, 5);
	defer(deferring.tx, 6);
	us_settle(deferring.tx);
	stuck = us_pair();
	us_set_buf(stuck.rx, SO_RCVBUF, 64 * KIB);
	EXPECT_EQ(us_post(stuck.tx, 5, 2 * MIB, 0), 2 * MIB);
	WAIT_FOR(us_queued(stuck.rx, SIOCINQ) > 0);

	ASSERT_SYS(prctl(PR_SET_NAME, "closer"));
	EXPECT_EQ(uet_ioctl(deferring.tx, UET_IOC_SEND_CANCEL, &ask), 1);
	EXPECT_EQ(close(deferring.tx), 0);
	EXPECT_EQ(close(stuck.rx), 0);
	EXPECT_EQ(close(deferring.rx), 0);
	ASSERT_SYS(prctl(PR_SET_NAME, "closed"));

	/* Its receiver is gone, so the message ends. */
	EXPECT_EQ(us_completion(stuck.tx).error != 0, 1);
}

/* All Resource Indexes of a PIDonFEP, then one, then none. */
TEST(bind__does_not_try_addresses_in_use)
{
	struct rlimit files = { .rlim_cur = 5000, .rlim_max = 5000 };
	struct sockaddr_uet addr = us_addr(0, 7, 0);
	int first = -1, fd = -1, last = us_socket(), none = us_socket();

	ASSERT_SYS(setrlimit(RLIMIT_NOFILE, &files));
	for (int ri = 1; ri <= UET_RINDEX_MAX; ri++) {
		addr.suet_ri = ri;
		fd = us_socket();
		ASSERT_SYS(us_bind(fd, &addr));
		if (ri == 77)
			first = fd;
	}
	EXPECT_EQ(close(first), 0);
	addr.suet_ri = 0;
	ASSERT_SYS(prctl(PR_SET_NAME, "binder"));
	EXPECT_EQ(us_bind(last, &addr), 0);
	EXPECT_FAILS(us_bind(none, &addr), EADDRINUSE);
	ASSERT_SYS(prctl(PR_SET_NAME, "bound"));
	addr = us_name(last);
	EXPECT_EQ(addr.suet_ri, 77);
	EXPECT(us_explains(none, "all that fit are in use"));
}

HARNESS_MAIN()
