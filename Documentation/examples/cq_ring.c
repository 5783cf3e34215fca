// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: the sender reads completions from memory that the kernel
 * shares with the process, and needs no system call for a completion that is there.
 * <uet_cq.h> has the same steps as functions.
 *
 *	node2$ cq_ring
 *	node1$ cq_ring 10.0.0.2
 */
#include <sys/mman.h>

#include "common.h"

#define PID	30	/* PIDonFEP of the receiver */
#define COUNT	1000
#define WINDOW	16

static struct uet_cq_ring_head *make_ring(int fd)
{
	struct uet_cq_ring ring = { .entries = WINDOW };
	void *head;

	if (ioctl(fd, UET_IOC_CQ_RING, &ring))
		fail(fd, "make the ring");
	head = mmap(NULL, ring.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		fail(fd, "map the ring");
	return head;
}

/* Consume all records.  Return: number of operations that they report. */
static unsigned int consume(struct uet_cq_ring_head *ring)
{
	const struct uet_completion *first = (void *)(ring + 1), *done;
	__u32 tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	__u32 head = ring->head;
	unsigned int count = 0;

	for (; head != tail; head++) {
		done = first + (head & (ring->entries - 1));
		if (done->error) {
			fprintf(stderr, "message %llu: %s\n", done->cookie,
				strerror(done->error));
			exit(1);
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
	unsigned int sent = 0, done = 0;
	struct message m;

	connect_to(fd, fa, PID);
	while (done < COUNT) {
		if (sent < COUNT && sent - done < WINDOW) {
			message_init(&m, "hello", 5);
			add_op(&m, UET_OP_SEND, UET_OP_COMPLETE, sent++);
			if (sendmsg(fd, &m.msg, 0) < 0)
				fail(fd, "send");
		} else if (poll(&pfd, 1, -1) < 0) {
			fail(fd, "poll");
		}
		done += consume(ring);
	}
	printf("%u messages completed\n", done);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);
	unsigned int count = 0;
	char buf[16];

	if (argc > 1) {
		send_all(fd, argv[1]);
		return 0;
	}
	bind_to(fd, NULL, PID);
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		count++;
	printf("%u messages received\n", count);
	return 0;
}
