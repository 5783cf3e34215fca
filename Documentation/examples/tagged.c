// SPDX-License-Identifier: GPL-2.0
/*
 * Tagged messages: the receiver posts a receive for one tag and another for a
 * range of them, the sender sends in the other order, and each message goes to
 * memory of its own.  Cookies tell which receive has its message.
 *
 *	node2$ tagged
 *	node1$ tagged 10.0.0.2
 *
 * A FEP and job 1 have to be there on both nodes, see ueadm(8).  IPv4 only.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define PID	28	/* PIDonFEP of the receiver */
#define RI	1
#define SIZE	4096	/* bytes for each message */
#define RECEIVES 2

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

static void send_tagged(int fd, __u64 tag, const char *text)
{
	const struct uet_op op = { .opcode = UET_OP_TAGGED_SEND };
	union {
		char bytes[CMSG_SPACE(sizeof(op)) + CMSG_SPACE(sizeof(tag))];
		struct cmsghdr cmsg;
	} control;
	struct iovec iov = { (void *)text, strlen(text) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
	};

	add_control(&msg, UET_CMSG_OP, &op, sizeof(op));
	add_control(&msg, UET_CMSG_TAG, &tag, sizeof(tag));
	if (sendmsg(fd, &msg, 0) < 0)
		fail("send");
}

static void sender(int fd, const char *fa)
{
	struct sockaddr_uet to = address(fa);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail("connect");
	send_tagged(fd, 0x2aa, "pears");
	send_tagged(fd, 0x100, "an apple");
	if (shutdown(fd, SHUT_WR))
		fail("send");
	printf("sent\n");
}

/* Wait for the completion of a receive. */
static struct uet_completion completion(int fd)
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
		fail("receive a completion");
	memcpy(&done, CMSG_DATA(&control.cmsg), sizeof(done));
	if (!done.error)
		return done;
	fprintf(stderr, "receive %llu: %s\n", done.cookie,
		strerror(done.error));
	exit(1);
}

static void receiver(int fd)
{
	static char memory[RECEIVES][SIZE];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct uet_recv_post posts[RECEIVES] = {
		{ .match = 0x100 },
		{ .match = 0x200, .ignore = 0xff },	/* 0x200 to 0x2ff */
	};
	struct uet_completion done[RECEIVES], one;
	struct sockaddr_uet me = address(NULL);
	int i;

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) ||
	    ioctl(fd, UET_IOC_MR_REG, &reg))
		fail("set-up");
	for (i = 0; i < RECEIVES; i++) {
		posts[i].cookie = i;
		posts[i].key = reg.key;
		posts[i].offset = i * SIZE;
		posts[i].length = SIZE;
		posts[i].flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE;
		if (ioctl(fd, UET_IOC_RECV_POST, &posts[i]))
			fail("post a receive");
	}
	for (i = 0; i < RECEIVES; i++) {
		one = completion(fd);	/* in any order */
		done[one.cookie] = one;
	}
	for (i = 0; i < RECEIVES; i++)
		printf("receive %d, tag 0x%llx: %.*s\n", i, done[i].match,
		       (int)done[i].length, memory[i]);
}

int main(int argc, char **argv)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0)
		fail("socket");
	if (argc > 1)
		sender(fd, argv[1]);
	else
		receiver(fd);
	return 0;
}
