// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring: one request at a time, submitted and awaited by the bare system calls.
 * A real program uses liburing and keeps many requests in flight; the calls on the
 * socket are the same.
 *
 *	node2$ io_uring
 *	node1$ io_uring 10.0.0.2
 */
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"

#define PID	40	/* PIDonFEP of the receiver */

static struct io_uring_params params;
static struct io_uring_sqe *sqes;
static char *rings;	/* both queues, by IORING_FEAT_SINGLE_MMAP */
static int ring;

static unsigned int *word(unsigned int offset)
{
	return (unsigned int *)(rings + offset);
}

static void open_ring(void)
{
	size_t size, sq_size;

	ring = syscall(SYS_io_uring_setup, 1, &params);
	if (ring < 0)
		err(1, "io_uring_setup");
	size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	sq_size = params.sq_off.array + params.sq_entries * sizeof(__u32);
	if (size < sq_size)
		size = sq_size;
	rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		     IORING_OFF_SQ_RING);
	sqes = mmap(NULL, params.sq_entries * sizeof(*sqes),
		    PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (rings == MAP_FAILED || sqes == MAP_FAILED)
		err(1, "mmap");
}

/* Submit one request and wait for it.  Return: bytes, or negative errno. */
static int request(int opcode, int fd, void *buf, size_t len)
{
	unsigned int tail = *word(params.sq_off.tail);
	struct io_uring_cqe *cqes = (void *)(rings + params.cq_off.cqes), *cqe;
	unsigned int head = *word(params.cq_off.head);

	sqes[0] = (struct io_uring_sqe) {
		.opcode = opcode, .fd = fd, .addr = (unsigned long)buf,
		.len = len,
	};
	word(params.sq_off.array)[tail & (params.sq_entries - 1)] = 0;
	__atomic_store_n(word(params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		    NULL, 0) < 0)
		err(1, "io_uring_enter");
	cqe = &cqes[head & (params.cq_entries - 1)];
	__atomic_store_n(word(params.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return cqe->res;
}

static void sender(const char *fa)
{
	struct sockaddr_uet to = address(fa, PID);
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	char buf[] = "hello";

	/* The request has no address and no control message. */
	to.suet_job = JOB;
	if (connect(uet_fd(u), (struct sockaddr *)&to, sizeof(to)))
		err(1, "connect");
	printf("%d bytes sent\n", request(IORING_OP_SEND, uet_fd(u), buf, 5));
	finish(u);
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	char buf[16] = "";
	int ret = request(IORING_OP_RECV, uet_fd(u), buf, sizeof(buf));

	printf("%d bytes received: %s\n", ret, buf);
	uet_close(u);
}

int main(int argc, char **argv)
{
	open_ring();
	if (argc > 1)
		sender(argv[1]);
	else
		receiver();
	return 0;
}
