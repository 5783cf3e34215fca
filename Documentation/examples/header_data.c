// SPDX-License-Identifier: GPL-2.0
/*
 * The context of a message: the sender adds eight bytes of completion data to each
 * message, and the receiver reads them with the length and the delivery mode.  The
 * sockets are SOCK_SEQPACKET, so the order stays.
 *
 *	node2$ header_data
 *	node1$ header_data 10.0.0.2
 */
#include "common.h"

#define PID	29	/* PIDonFEP of the receiver */
#define COUNT	3

static void send_all(const char *fa)
{
	const struct iovec iov = { "hello", 5 };
	struct uet_request send = {
		.opcode = UET_OP_SEND, .flags = UET_F_HDATA, .iov = &iov, .iov_count = 1,
	};
	struct uet *u = open_to(SOCK_SEQPACKET, fa, PID, &send.peer);

	for (; send.header_data < COUNT; send.header_data++)
		must(u, uet_request(u, &send));
	printf("%d messages sent\n", COUNT);
	finish(u);
}

static void receive_all(void)
{
	struct uet *u = open_at(SOCK_SEQPACKET, "*", PID);
	struct uet_ctx ctx;
	char buf[16];
	int i;

	for (i = 0; i < COUNT; i++) {
		must(u, uet_recv(u, buf, sizeof(buf), 0, &ctx, NULL));
		printf("%u bytes, completion data %llu, %s\n", ctx.length,
		       ctx.header_data,
		       ctx.delivery == UET_DELIVERY_ROD ? "ordered" : "unordered");
	}
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		send_all(argv[1]);
	else
		receive_all();
	return 0;
}
