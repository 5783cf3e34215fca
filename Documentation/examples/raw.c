// SPDX-License-Identifier: GPL-2.0
/*
 * The raw calls, without libuet: sockets, a message with a control message, and the
 * completion ring.  The sender reads completions from memory that the kernel shares
 * with the process, and needs no system call for a completion that is there.
 * <uet_cq.h> has the same steps as functions.
 *
 *	node2$ raw
 *	node1$ raw 10.0.0.2
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define PID	30	/* PIDonFEP of the receiver */
#define RI	1	/* its Resource Index */
#define COUNT	1000
#define WINDOW	16

/* End the program.  The kernel may have a text for the refused call. */
static void fail(int fd, const char *what)
{
	char why[256] = "";
	socklen_t len = sizeof(why) - 1;

	getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len);
	err(1, "%s: %s", what, why);
}

/* The receiver; @fa NULL: on the only FEP that the job has here. */
static struct sockaddr_uet address(const char *fa)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = JOB, .suet_pid = PID, .suet_ri = RI,
	};

	if (fa && inet_pton(AF_INET, fa, &addr.suet_fa4) != 1)
		errx(2, "%s is not an IPv4 address", fa);
	return addr;
}

/* Send a message; its completion will have that cookie. */
static void send_with_cookie(int fd, __u64 cookie)
{
	const struct uet_op op = {
		.cookie = cookie, .opcode = UET_OP_SEND, .flags = UET_OP_COMPLETE,
	};
	union {
		char bytes[CMSG_SPACE(sizeof(op))];
		struct cmsghdr cmsg;
	} control = { .cmsg = { CMSG_LEN(sizeof(op)), SOL_UET, UET_CMSG_OP } };
	struct iovec iov = { "hello", 5 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.cmsg), &op, sizeof(op));
	if (sendmsg(fd, &msg, 0) < 0)
		fail(fd, "send");
}

static struct uet_cq_ring_head *make_ring(int fd)
{
	struct uet_cq_ring ring = { .size = sizeof(ring), .entries = WINDOW };
	void *head;

	if (ioctl(fd, UET_IOC_CQ_RING, &ring))
		fail(fd, "make the ring");
	head = mmap(NULL, ring.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		fail(fd, "map the ring");
	return head;
}

/* Consume all records.  Return: number of operations that they report. */
static unsigned int consume(struct uet_cq_ring_head *ring)
{
	const char *first = (const char *)(ring + 1);
	const struct uet_completion *done;
	__u32 tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	__u32 head = ring->head;
	unsigned int count = 0;

	for (; head != tail; head++) {
		done = (const void *)(first + (head & (ring->entries - 1)) * ring->entry_size);
		if (done->error) {
			errno = done->error;
			err(1, "message %llu", done->cookie);
		}
		count += done->count;
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return count;
}

static void send_all(int fd, const char *fa)
{
	struct uet_cq_ring_head *ring = make_ring(fd);
	struct pollfd pfd = { .fd = fd };	/* POLLERR: a record */
	const struct sockaddr_uet to = address(fa);
	unsigned int sent = 0, done = 0;

	/* An unbound socket is bound to the job of the peer. */
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail(fd, "connect");
	while (done < COUNT) {
		if (sent < COUNT && sent - done < WINDOW)
			send_with_cookie(fd, sent++);
		else if (poll(&pfd, 1, -1) < 0)
			err(1, "poll");
		done += consume(ring);
	}
	printf("%u messages completed\n", done);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void receive_all(int fd)
{
	const struct sockaddr_uet me = address(NULL);
	unsigned int count = 0;
	char buf[16];

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail(fd, "bind");
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		count++;
	printf("%u messages received\n", count);
}

int main(int argc, char **argv)
{
	/* A program for every machine reads the number in /proc/net/uet/features. */
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0)
		err(1, "socket");
	if (argc > 1)
		send_all(fd, argv[1]);
	else
		receive_all(fd);
	return 0;
}
