// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options: one option that has to be set before bind(), the limits that the
 * socket has afterwards, and the text that explains a refused call.
 *
 *	node1$ options
 */
#include "common.h"

static unsigned int get(int fd, int level, int option)
{
	unsigned int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, level, option, &value, &len))
		fail(fd, "getsockopt");
	return value;
}

int main(void)
{
	int fd = open_socket(SOCK_RDM);
	struct sockaddr_uet me = address(NULL, UET_PID_ANY);
	__u32 generations = UET_GEN_BUFFER;
	char why[256];
	socklen_t len = sizeof(why);

	if (setsockopt(fd, SOL_UET, UET_GENERATION, &generations,
		       sizeof(generations)))
		fail(fd, "use generations");
	me.suet_ri = 0;		/* the kernel chooses */
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail(fd, "bind");

	printf("Payload MTU %u bytes\n", get(fd, SOL_UET, UET_PAYLOAD_MTU));
	printf("send buffer %u bytes\n", get(fd, SOL_SOCKET, SO_SNDBUF));
	printf("receive buffer %u bytes\n", get(fd, SOL_SOCKET, SO_RCVBUF));
	printf("generation %u\n", get(fd, SOL_UET, UET_RI_GENERATION));

	/* Refused, because the socket is bound. */
	if (!setsockopt(fd, SOL_UET, UET_GENERATION, &generations,
			sizeof(generations)) ||
	    getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len))
		fail(fd, "UET_LAST_ERROR");
	printf("refused: %s\n", why);
	return 0;
}
