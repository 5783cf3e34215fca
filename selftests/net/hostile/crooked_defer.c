// SPDX-License-Identifier: GPL-2.0
/*
 * Deferrable sends to a peer that defers them as no honest one would: each ends,
 * once, and says why.  Started by crooked.sh, which has such a peer, see uetsock.h
 * for what it needs.  Level: test.
 */
#include <unistd.h>

#include "uetrma.h"

/* Send to a peer that need not exist, and return how it ended. */
static struct uet_completion try_defer(const char *text)
{
	struct uet_op op = us_op(UET_OP_DEFERRABLE_SEND, 5);
	struct sockaddr_uet to = us_addr(1, 5, 1);
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_completion rec;

	ASSERT_SYS(us_connect(fd, &to));
	EXPECT_EQ(us_send_op(fd, &op, NULL, text, strlen(text), 0),
		  strlen(text));
	rec = us_completion(fd);
	EXPECT_EQ(rec.cookie, 5);
	EXPECT_EQ(rec.count, 1);
	EXPECT_EQ(rec.length, 0);
	us_expect_none(fd);
	EXPECT_EQ(shutdown(fd, SHUT_WR), 0);
	ASSERT_SYS(close(fd));
	return rec;
}

/* It is asked again after a while, and answers no more. */
TEST(defer__by_a_peer_that_goes_away_times_out)
{
	struct uet_completion rec = try_defer("hello");

	EXPECT_EQ(rec.error, ETIMEDOUT);
	EXPECT_EQ(rec.rc, 0);
}

/* A requested message may not be deferred again, or it would count as sent. */
TEST(defer__by_a_peer_that_does_it_twice_fails)
{
	struct uet_completion rec = try_defer("hello");

	EXPECT_EQ(rec.error, EPROTO);
	EXPECT_EQ(rec.rc, 0);
}

/* The next ordered message waits until the PDC that closes has no message left. */
TEST(defer__while_the_pdc_closes_wakes_the_message_behind)
{
	struct uet_op first = us_op(UET_OP_SEND, 4);
	struct uet_op op = us_op(UET_OP_DEFERRABLE_SEND, 5);
	int fd = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0);
	struct sockaddr_uet to = us_addr(1, 5, 1);

	ASSERT_SYS(us_connect(fd, &to));
	us_set_timeout(fd, SO_SNDTIMEO, 60000);
	ASSERT_EQ(us_send_op(fd, &first, NULL, "first", 5, 0), 5);
	EXPECT_EQ(us_completion(fd).error, 0);
	ASSERT_EQ(us_send_op(fd, &op, NULL, "deferred", 8, 0), 8);
	/* The peer asks for the close meanwhile, and defers the message later. */
	usleep(50000);
	EXPECT_EQ(send(fd, "behind", 6, 0), 6);
	ASSERT_SYS(close(fd));
}

HARNESS_MAIN()
