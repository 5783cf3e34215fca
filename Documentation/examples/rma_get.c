// SPDX-License-Identifier: GPL-2.0
/*
 * Remote memory: the owner registers memory and tells the reader its key and
 * length, the reader fetches the bytes and learns by a completion that they are
 * there.
 *
 *	node2$ rma_get
 *	node1$ rma_get 10.0.0.2
 *
 * A FEP and job 1 have to be there on both nodes, see ueadm(8).  IPv4 only.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define PID	27	/* PIDonFEP of the owner */
#define RI	1

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

/* Read from memory of the connected peer into that of @local. */
static void get(int fd, __u64 key, const struct uet_local *local)
{
	const struct uet_op op = {
		.opcode = UET_OP_READ, .flags = UET_OP_COMPLETE,
	};
	const struct uet_rma rma = { .key = key };
	union {
		char bytes[CMSG_SPACE(sizeof(op)) + CMSG_SPACE(sizeof(rma)) +
			   CMSG_SPACE(sizeof(*local))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = { .msg_control = &control };

	add_control(&msg, UET_CMSG_OP, &op, sizeof(op));
	add_control(&msg, UET_CMSG_RMA, &rma, sizeof(rma));
	add_control(&msg, UET_CMSG_LOCAL, local, sizeof(*local));
	if (sendmsg(fd, &msg, 0) < 0)
		fail("read");
}

/* Wait for the completion. Return: bytes that are there. */
static unsigned int completion(int fd)
{
	struct uet_completion done;
	union {
		char bytes[CMSG_SPACE(sizeof(done))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	/* Nothing is asked for: completions are an error to poll(). */
	struct pollfd pfd = { .fd = fd };

	if (poll(&pfd, 1, -1) < 0 || recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		fail("receive the completion");
	memcpy(&done, CMSG_DATA(&control.cmsg), sizeof(done));
	errno = done.error;
	if (errno)
		fail("read");
	return done.length;
}

static void reader(int fd, const char *fa)
{
	static char memory[1 << 16];
	/* Access 0: nobody else gets at it. */
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct sockaddr_uet to = address(fa);
	struct uet_local local = { 0 };
	__u64 where[2];		/* key and length, of the same byte order */
	unsigned int len;

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    ioctl(fd, UET_IOC_MR_REG, &reg) || send(fd, "where?", 6, 0) < 0)
		fail("set-up");
	if (recv(fd, where, sizeof(where), 0) != sizeof(where))
		fail("receive the key");
	local.key = reg.key;
	local.length = where[1];
	get(fd, where[0], &local);
	len = completion(fd);
	printf("%u bytes read: %.*s\n", len, (int)len, memory);
	if (send(fd, "thank you", 9, 0) < 0 || shutdown(fd, SHUT_WR))
		fail("end");
}

static void owner(int fd)
{
	static char memory[] = "kept far away";
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = strlen(memory),
		.access = UET_MR_READ,
	};
	struct sockaddr_uet me = address(NULL), from;
	socklen_t len = sizeof(from);
	__u64 where[2];

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) ||
	    ioctl(fd, UET_IOC_MR_REG, &reg))
		fail("set-up");
	where[0] = reg.key;
	where[1] = reg.length;
	if (recvfrom(fd, NULL, 0, 0, (struct sockaddr *)&from, &len) < 0 ||
	    sendto(fd, where, sizeof(where), 0, (struct sockaddr *)&from,
		   len) < 0)
		fail("telling the key");
	/* The memory has to stay until then. */
	if (recv(fd, NULL, 0, 0) < 0)
		fail("receive");
	printf("it was read\n");
}

int main(int argc, char **argv)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0)
		fail("socket");
	if (argc > 1)
		reader(fd, argv[1]);
	else
		owner(fd);
	return 0;
}
