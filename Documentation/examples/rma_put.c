// SPDX-License-Identifier: GPL-2.0
/*
 * Remote memory: the target registers memory and tells the writer its key, the
 * writer puts bytes there, and completion data tells the target that they are.
 *
 *	node2$ rma_put
 *	node1$ rma_put 10.0.0.2 "some text"
 *
 * A FEP and job 1 have to be there on both nodes, see ueadm(8).  IPv4 only.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define PID	23	/* PIDonFEP of the target */
#define RI	1
#define OFFSET	100	/* where in the region the text goes */

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_uet address(const char *fa)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = JOB, .suet_pid = PID, .suet_ri = RI,
	};

	if (fa && inet_pton(AF_INET, fa, &addr.suet_fa4) != 1) {
		fprintf(stderr, "%s is not an IPv4 address\n", fa);
		exit(2);
	}
	return addr;
}

static void add_control(struct msghdr *msg, int type, const void *data,
			size_t len)
{
	struct cmsghdr *cmsg = msg->msg_control + msg->msg_controllen;

	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

/* Write to memory of the connected peer; it is told @note. */
static void put(int fd, __u64 key, __u64 offset, const char *text, __u64 note)
{
	const struct uet_op op = { .opcode = UET_OP_WRITE };
	const struct uet_rma rma = { .key = key, .offset = offset };
	union {
		char bytes[CMSG_SPACE(sizeof(op)) + CMSG_SPACE(sizeof(rma)) +
			   CMSG_SPACE(sizeof(note))];
		struct cmsghdr cmsg;
	} control;
	struct iovec iov = { (void *)text, strlen(text) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
	};

	add_control(&msg, UET_CMSG_OP, &op, sizeof(op));
	add_control(&msg, UET_CMSG_RMA, &rma, sizeof(rma));
	add_control(&msg, UET_CMSG_HDATA, &note, sizeof(note));
	if (sendmsg(fd, &msg, 0) < 0)
		fail("write");
}

static void writer(int fd, const char *fa, const char *text)
{
	struct sockaddr_uet to = address(fa);
	__u64 key;

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    send(fd, "key, please", 11, 0) < 0)
		fail("asking for the key");
	if (recv(fd, &key, sizeof(key), 0) != sizeof(key))
		fail("receive the key");
	put(fd, key, OFFSET, text, 2026);
	if (shutdown(fd, SHUT_WR))	/* fails if the target refuses it */
		fail("write");
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
		fail("receive");
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
	struct sockaddr_uet me = address(NULL), from;
	socklen_t len = sizeof(from);
	struct uet_ctx ctx;
	int on = 1;

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) ||
	    ioctl(fd, UET_IOC_MR_REG, &reg) ||
	    setsockopt(fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		fail("set-up");
	if (recvfrom(fd, NULL, 0, 0, (struct sockaddr *)&from, &len) < 0 ||
	    sendto(fd, &reg.key, sizeof(reg.key), 0, (struct sockaddr *)&from,
		   len) < 0)
		fail("telling the key");
	ctx = written(fd);
	printf("%u bytes, completion data %llu: %s\n", ctx.length,
	       ctx.header_data, memory + OFFSET);
}

int main(int argc, char **argv)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0)
		fail("socket");
	if (argc > 2)
		writer(fd, argv[1], argv[2]);
	else
		target(fd);
	return 0;
}
