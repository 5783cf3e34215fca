// SPDX-License-Identifier: GPL-2.0
/*
 * Options: one that has to be chosen when the handle is opened, the limits that its
 * socket has afterwards, and the text that explains a refused call of the kernel.
 *
 *	node1$ options
 */
#include "common.h"

static unsigned int get(struct uet *u, int level, int option)
{
	unsigned int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(uet_fd(u), level, option, &value, &len))
		err(1, "getsockopt");
	return value;
}

int main(void)
{
	const struct uet_attr attr = { .job = JOB, .generation = UET_GEN_BUFFER };
	__u32 generations = UET_GEN_POSTED;
	char why[UET_ERROR_SIZE];
	socklen_t len = sizeof(why);
	struct uet *u = uet_open(&attr, why);

	if (!u)
		errx(1, "%s", why);
	printf("Payload MTU %u bytes\n", get(u, SOL_UET, UET_PAYLOAD_MTU));
	printf("send buffer %u bytes\n", get(u, SOL_SOCKET, SO_SNDBUF));
	printf("receive buffer %u bytes\n", get(u, SOL_SOCKET, SO_RCVBUF));
	printf("generation %u\n", get(u, SOL_UET, UET_RI_GENERATION));

	/* Refused, because the socket is bound. */
	if (!setsockopt(uet_fd(u), SOL_UET, UET_GENERATION, &generations,
			sizeof(generations)) ||
	    getsockopt(uet_fd(u), SOL_UET, UET_LAST_ERROR, why, &len))
		errx(1, "UET_LAST_ERROR");
	printf("refused: %s\n", why);
	uet_close(u);
	return 0;
}
