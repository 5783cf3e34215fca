// SPDX-License-Identifier: GPL-2.0
/*
 * Write remote memory without a PDC (RUDI): the target registers memory that may be
 * written twice without harm, and keeps no state of the writer.  The writer waits
 * for the completion and then reports to the target.
 *
 *	node2$ rma_rudi
 *	node1$ rma_rudi 10.0.0.2 "some text"
 */
#include "common.h"

#define PID	34	/* PIDonFEP of the target */

static void writer(int fd, const char *fa, const char *text)
{
	struct uet_rma rma = { .offset = 0 };
	struct message m;

	connect_to(fd, fa, PID);
	ask(fd, &rma.key, sizeof(rma.key));
	message_init(&m, text, strlen(text));
	add_op(&m, UET_OP_WRITE, UET_OP_RUDI | UET_OP_COMPLETE, 0);
	add_control(&m, UET_CMSG_RMA, &rma, sizeof(rma));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "write");
	printf("%u bytes written\n", must_complete(fd).length);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void target(int fd)
{
	static char memory[4096];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
		.access = UET_MR_WRITE, .flags = UET_MR_IDEMPOTENT_SAFE,
	};

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	/* The key has UET_MR_KEY_IDEMPOTENT_SAFE, which the writer needs. */
	answer(fd, &reg.key, sizeof(reg.key));
	if (recv(fd, NULL, 0, 0) < 0)
		fail(fd, "receive");
	printf("there is: %s\n", memory);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 2)
		writer(fd, argv[1], argv[2]);
	else
		target(fd);
	return 0;
}
