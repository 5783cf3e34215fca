// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of operations on AF_UET sockets: what a sendmsg() may ask for by control
 * messages and what it is told otherwise, and NO_OP.  How operations end is
 * cq.c's.  Started by sock_api.sh, see uetsock.h for what it needs.
 * Level: test.
 */
#define _GNU_SOURCE
#include "uetop.h"

static const int reliable[] = { SOCK_RDM, SOCK_SEQPACKET };

/* -------------------------------------------------------- what is refused */

/**
 * struct form - control messages of a sendmsg() that is refused
 * @op: of the first UET_CMSG_OP
 * @level: of the first control message
 * @type: of the first control message
 * @len: of the first control message, cmsg_len
 * @total: msg_controllen
 * @text: in UET_LAST_ERROR
 *
 * The second control message is a good UET_CMSG_OP.
 */
struct form {
	struct uet_op op;
	int level, type;
	size_t len, total;
	const char *text;
};

#define OP_LEN		CMSG_LEN(sizeof(struct uet_op))
#define OP_SPACE	CMSG_SPACE(sizeof(struct uet_op))
#define GOOD		{ .opcode = UET_OP_SEND }

static const struct form forms[] = {
	{ GOOD, SOL_UET, UET_CMSG_OP, OP_LEN - 1, OP_SPACE, "has 15 bytes, not 16" },
	{ GOOD, SOL_UET, UET_CMSG_OP, CMSG_LEN(0), OP_SPACE, "has 0 bytes" },
	{ GOOD, SOL_UET, UET_CMSG_OP, OP_LEN, OP_SPACE - 1, "has length 32" },
	{ GOOD, SOL_UET, UET_CMSG_OP, 3, OP_SPACE, "has length 3" },
	{ GOOD, SOL_UET, UET_CMSG_OP, OP_LEN, 15, "15 bytes are no control" },
	{ GOOD, SOL_UET, UET_CMSG_CTX, OP_LEN, OP_SPACE,
	  "level 290 type 1 is not known" },
	{ GOOD, SOL_SOCKET, UET_CMSG_OP, OP_LEN, OP_SPACE,
	  "level 1 type 2 is not known" },
	{ GOOD, SOL_UET, UET_CMSG_OP, OP_LEN, 2 * OP_SPACE, "is there twice" },
	{ { .opcode = UET_OP_SEND, .flags = 0x81 }, SOL_UET, UET_CMSG_OP, OP_LEN,
	  OP_SPACE, "flags 0x81, known are 0x1f" },
	{ { .opcode = UET_OP_SEND, .reserved = { 1 } }, SOL_UET, UET_CMSG_OP,
	  OP_LEN, OP_SPACE, "reserved is not 0" },
	{ { .opcode = UET_OP_SEND, .reserved = { [5] = 1 } }, SOL_UET,
	  UET_CMSG_OP, OP_LEN, OP_SPACE, "reserved is not 0" },
};

static ssize_t send_form(int fd, const struct form *form)
{
	static const struct uet_op good = GOOD;
	union {
		char bytes[2 * OP_SPACE];
		struct cmsghdr align;
	} control;
	struct cmsghdr *second = (void *)&control.bytes[OP_SPACE];
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = form->total,
	};

	memset(&control, 0, sizeof(control));
	control.align.cmsg_len = form->len;
	control.align.cmsg_level = form->level;
	control.align.cmsg_type = form->type;
	memcpy(CMSG_DATA(&control.align), &form->op, sizeof(form->op));
	second->cmsg_len = OP_LEN;
	second->cmsg_level = SOL_UET;
	second->cmsg_type = UET_CMSG_OP;
	memcpy(CMSG_DATA(second), &good, sizeof(good));
	return sendmsg(fd, &msg, 0);
}

TEST(op__of_a_bad_form_is_refused)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	struct us_pair p;
	char byte;

	for (size_t t = 0; t < 3; t++) {
		p = us_pair_of(types[t]);
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
			EXPECT_FAILS(send_form(p.tx, &forms[i]), EINVAL);
			EXPECT(us_explains(p.tx, forms[i].text));
		}
		EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	}
}

TEST(op__of_an_opcode_that_cannot_be_sent_is_refused)
{
	struct us_pair p = us_pair();
	struct uet_op op;
	char text[32];

	for (int i = 0; i < 256; i++) {
		if (i == UET_OP_SEND || i == UET_OP_NO_OP ||
		    i == UET_OP_WRITE || i == UET_OP_ATOMIC ||
		    i == UET_OP_TAGGED_SEND ||
		    i == UET_OP_READ || i == UET_OP_FETCHING_ATOMIC ||
		    i == UET_OP_TSEND_ATOMIC ||
		    i == UET_OP_TSEND_FETCH_ATOMIC ||
		    i == UET_OP_DEFERRABLE_SEND ||
		    i == UET_OP_DEFERRABLE_TSEND ||
		    i == UET_OP_RENDEZVOUS_SEND ||
		    i == UET_OP_RENDEZVOUS_TSEND)
			continue;
		op = us_op(i, 1);
		EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0),
			     EOPNOTSUPP);
		snprintf(text, sizeof(text), "opcode %d (", i);
		EXPECT(us_explains(p.tx, text));
	}
	op = us_op(UET_OP_DEFERRABLE_RTR, 1);
	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "opcode 12 (DEFERRABLE_RTR) cannot be sent"));
	us_expect_none(p.tx);
}

TEST(op__of_a_datagram_is_a_plain_send)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	struct uet_op op = { .opcode = UET_OP_NO_OP };

	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, NULL, 0, 0), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "opcode 0 (NO_OP) is no datagram"));
	EXPECT_FAILS(us_post(p.tx, 1, 1, 0), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "nobody answers a datagram"));
	op.opcode = UET_OP_SEND;
	EXPECT_EQ(us_send_op(p.tx, &op, NULL, "x", 1, 0), 1);
	EXPECT_EQ(recv(p.rx, &(char){ 0 }, 1, 0), 1);
	us_expect_none(p.tx);
}

/* ------------------------------------------------------------------- NO_OP */

TEST(no_op__is_answered_and_not_delivered)
{
	struct uet_completion rec;
	struct us_pair p;
	char byte;

	for (size_t t = 0; t < 2; t++) {
		p = us_pair_of(reliable[t]);
		EXPECT_EQ(us_post_no_op(p.tx, 42, 0), 0);
		rec = us_completion(p.tx);
		us_expect_done(&rec, 42, 1, 0);
		EXPECT_EQ(rec.opcode, UET_OP_NO_OP);
		EXPECT_EQ(rec.delivery, t ? UET_DELIVERY_ROD :
					    UET_DELIVERY_RUD);
		EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	}
}

TEST(no_op__needs_no_endpoint)
{
	struct sockaddr_uet to = us_addr(1, 4000, 4000);
	struct uet_op op = us_op(UET_OP_NO_OP, 7);
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_completion rec;

	EXPECT_EQ(us_send_op(fd, &op, &to, NULL, 0, 0), 0);
	rec = us_completion(fd);
	us_expect_done(&rec, 7, 1, 0);
}

TEST(no_op__has_no_payload)
{
	struct us_pair p = us_pair();
	struct uet_op op = us_op(UET_OP_NO_OP, 7);

	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "xy", 2, 0), EINVAL);
	EXPECT(us_explains(p.tx, "a NO_OP has no payload, not 2 bytes"));
	us_expect_none(p.tx);
}

TEST(no_op__without_completion_is_silent)
{
	struct us_pair p = us_pair();
	struct uet_op op = { .opcode = UET_OP_NO_OP, .cookie = 9 };

	EXPECT_EQ(us_send_op(p.tx, &op, NULL, NULL, 0, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	us_expect_none(p.tx);
}

HARNESS_MAIN()
