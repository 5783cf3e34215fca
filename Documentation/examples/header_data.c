// SPDX-License-Identifier: GPL-2.0
/*
 * The context of a message: the sender adds eight bytes of completion data to each
 * message, and the receiver reads them in a control message, with the length and
 * the delivery mode.  The sockets are SOCK_SEQPACKET, so the order stays.
 *
 *	node2$ header_data
 *	node1$ header_data 10.0.0.2
 */
#include "common.h"

#define PID	29	/* PIDonFEP of the receiver */
#define COUNT	3

static void send_all(int fd, const char *fa)
{
	struct message m;
	__u64 i;

	connect_to(fd, fa, PID);
	for (i = 0; i < COUNT; i++) {
		message_init(&m, "hello", 5);
		add_op(&m, UET_OP_SEND, 0, 0);
		add_control(&m, UET_CMSG_HDATA, &i, sizeof(i));
		if (sendmsg(fd, &m.msg, 0) < 0)
			fail(fd, "send");
	}
	if (shutdown(fd, SHUT_WR))
		fail(fd, "end");
	printf("%d messages sent\n", COUNT);
}

static void receive_one(int fd)
{
	struct uet_ctx ctx;
	struct message m;
	char buf[16];

	message_init(&m, buf, sizeof(buf));
	m.msg.msg_controllen = sizeof(m.control);
	if (recvmsg(fd, &m.msg, 0) < 0)
		fail(fd, "receive");
	memcpy(&ctx, CMSG_DATA(&m.control.align), sizeof(ctx));
	printf("%u bytes, completion data %llu, %s\n", ctx.length,
	       ctx.header_data,
	       ctx.delivery == UET_DELIVERY_ROD ? "ordered" : "unordered");
}

static void receive_all(int fd)
{
	int on = 1, i;

	if (setsockopt(fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		fail(fd, "ask for contexts");
	bind_to(fd, NULL, PID);
	for (i = 0; i < COUNT; i++)
		receive_one(fd);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_SEQPACKET);

	if (argc > 1)
		send_all(fd, argv[1]);
	else
		receive_all(fd);
	return 0;
}
