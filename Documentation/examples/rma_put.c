// SPDX-License-Identifier: GPL-2.0
/*
 * Write remote memory: the target registers memory and sends its key to the writer.
 * The writer puts bytes into the memory, and completion data reports to the target
 * that all bytes are there.
 *
 *	node2$ rma_put
 *	node1$ rma_put 10.0.0.2 "some text"
 */
#include "common.h"

#define PID	23	/* PIDonFEP of the target */
#define OFFSET	100	/* offset of the text in the region, bytes */

/* Write to memory of the connected peer, which receives @note. */
static void put(int fd, __u64 key, __u64 offset, const char *text, __u64 note)
{
	const struct uet_rma rma = { .key = key, .offset = offset };
	struct message m;

	message_init(&m, text, strlen(text));
	add_op(&m, UET_OP_WRITE, 0, 0);
	add_control(&m, UET_CMSG_RMA, &rma, sizeof(rma));
	add_control(&m, UET_CMSG_HDATA, &note, sizeof(note));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "write");
}

static void writer(int fd, const char *fa, const char *text)
{
	__u64 key;

	connect_to(fd, fa, PID);
	ask(fd, &key, sizeof(key));
	put(fd, key, OFFSET, text, 2026);
	if (shutdown(fd, SHUT_WR))	/* fails if the target refuses it */
		fail(fd, "write");
	printf("written\n");
}

/* Wait for the completion data of a write. */
static struct uet_ctx written(int fd)
{
	struct uet_ctx ctx;
	union {
		char bytes[CMSG_SPACE(sizeof(ctx))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	if (recvmsg(fd, &msg, 0) < 0)
		fail(fd, "receive");
	memcpy(&ctx, CMSG_DATA(&control.cmsg), sizeof(ctx));
	return ctx;
}

static void target(int fd)
{
	static char memory[1 << 16];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
		.access = UET_MR_WRITE,
	};
	struct uet_ctx ctx;
	int on = 1;

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg) ||
	    setsockopt(fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		fail(fd, "set-up");
	answer(fd, &reg.key, sizeof(reg.key));
	ctx = written(fd);
	printf("%u bytes, completion data %llu: %s\n", ctx.length,
	       ctx.header_data, memory + OFFSET);
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
