// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of an operation through libuet beside the same system calls without it: a put and
 * a tagged send of 64 bytes from one network namespace to another one, from the call to
 * the completion.  Prints the median in nanoseconds of CLOCK_MONOTONIC for each way.
 * One process has both ends, so nothing waits for a scheduler.  Started by run.
 * Level: test.
 *
 * usage: call_cost JOB NETNS FABRIC-ADDRESS NETNS FABRIC-ADDRESS
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <uet.h>

#include "ends.h"
#include "times.h"
#include "uet_cq.h"
#include "uetcmsg.h"

#define SAMPLES	1001
#define WARM	100
#define SIZE	64
#define KEY	7
#define TAG	0x11

/* An end: its handle, and the ring of a socket without a handle. */
static struct uet *from, *to;
static struct uet_cq ring;
static uint32_t peer, raw_peer;
static char payload[SIZE], memory[SIZE];

static struct uet *handle(uint32_t job, const struct sockaddr_uet *addr)
{
	const struct uet_attr attr = {
		.flags = UET_OPEN_NO_ENV, .job = job, .local = addr,
	};
	char why[UET_ERROR_SIZE];
	struct uet *u = uet_open(&attr, why);

	if (!u)
		errx(2, "%s", why);
	return u;
}

static void must(struct uet *u, long ret)
{
	if (ret < 0)
		errx(2, "%s", uet_strerror(u));
}

/* ------------------------------------------------------- without the library */

static void raw_open(uint32_t job, const struct sockaddr_uet *addr,
		     const struct sockaddr_uet *target)
{
	struct uet_peer number = { .addr = *target };
	struct sockaddr_uet me = *addr;
	int fd = socket(addr->suet_family, SOCK_RDM | SOCK_CLOEXEC, 0);

	me.suet_job = number.addr.suet_job = job;
	if (fd < 0 || bind(fd, (struct sockaddr *)&me, sizeof(me)) ||
	    uet_cq_open(&ring, fd, 64) || uet_ioctl(fd, UET_IOC_PEER, &number))
		err(2, "socket");
	raw_peer = number.peer;
}

static void raw_do(uint8_t opcode, int type, const void *argument, size_t len)
{
	const struct uet_op op = { .opcode = opcode, .flags = UET_OP_COMPLETE };
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
	struct iovec iov = { payload, SIZE };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
	};
	const struct uet_completion *done;

	add_cmsg(&msg, UET_CMSG_OP, &op, sizeof(op));
	add_cmsg(&msg, type, argument, len);
	add_cmsg(&msg, UET_CMSG_PEER, &raw_peer, sizeof(raw_peer));
	if (sendmsg(ring.fd, &msg, MSG_NOSIGNAL) < 0)
		err(2, "sendmsg");
	while (!(done = uet_cq_peek(&ring)))
		uet_cq_wait(&ring, -1);
	if (done->error)
		errx(2, "an operation has failed: %s", strerror(done->error));
	uet_cq_next(&ring);
}

static void raw_put(void)
{
	const struct uet_rma at = { .key = KEY };

	raw_do(UET_OP_WRITE, UET_CMSG_RMA, &at, sizeof(at));
}

static void raw_tsend(void)
{
	const uint64_t tag = TAG;

	raw_do(UET_OP_TAGGED_SEND, UET_CMSG_TAG, &tag, sizeof(tag));
}

/* ------------------------------------------------------------------ with it */

static void completion(void)
{
	struct uet_completion done;

	must(from, uet_wait(from, &done, 1, -1));
	if (done.error)
		errx(2, "an operation has failed: %s", strerror(done.error));
}

static void put(void)
{
	must(from, uet_put(from, peer, (struct uet_rma){ KEY, 0 }, payload, SIZE,
			   UET_F_COMPLETE, 1));
	completion();
}

static void put_wait(void)
{
	must(from, uet_put(from, peer, (struct uet_rma){ KEY, 0 }, payload, SIZE,
			   UET_F_WAIT, 0));
}

static void tsend(void)
{
	must(from, uet_tsend(from, peer, TAG, payload, SIZE, UET_F_COMPLETE, 1));
	completion();
}

static void tsend_wait(void)
{
	must(from, uet_tsend(from, peer, TAG, payload, SIZE, UET_F_WAIT, 0));
}

/* The receive of a tagged send, which does not count. */
static void receive_post(void)
{
	struct uet_completion done[8];

	while (uet_poll(to, done, 8))
		;
	must(to, uet_post(to, 0, TAG, 0, (struct uet_local){ KEY, 0, SIZE },
			  UET_RECV_TAGGED, 1));
}

static uint64_t cost(void (*run)(void), bool is_received)
{
	static uint64_t samples[SAMPLES];
	uint64_t start;

	for (int i = -WARM; i < SAMPLES; i++) {
		if (is_received)
			receive_post();
		start = now_ns();
		run();
		if (i >= 0)
			samples[i] = now_ns() - start;
	}
	return times_median(samples, SAMPLES);
}

/* The clock itself has a cost, which is in each figure. */
static void nothing(void)
{
}

static void row(const char *name, uint64_t raw, uint64_t lib, uint64_t wait)
{
	printf("%-12s %9llu %9llu %7.1f %% %12llu\n", name, (unsigned long long)raw,
	       (unsigned long long)lib, 100.0 * lib / raw - 100,
	       (unsigned long long)wait);
}

int main(int argc, char **argv)
{
	struct sockaddr_uet source, target;
	uint64_t clock, raw, lib, wait;
	__u64 key = KEY;
	uint32_t job;

	if (argc != 6)
		errx(2, "usage: call_cost JOB NETNS FABRIC-ADDRESS NETNS FABRIC-ADDRESS");
	job = atoi(argv[1]);
	target = address(argv[5], 21);
	enter(argv[4]);
	to = handle(job, &target);
	must(to, uet_mem_reg(to, memory, SIZE, UET_MR_WRITE, UET_MR_FIXED_KEY, &key));
	enter(argv[2]);
	source = address(argv[3], 20);
	from = handle(job, &source);
	peer = uet_peer_add(from, &target);
	must(from, peer ? 0 : -1);
	source.suet_pid = 22;
	raw_open(job, &source, &target);
	clock = cost(nothing, false);
	raw = cost(raw_put, false) - clock;
	lib = cost(put, false) - clock;
	wait = cost(put_wait, false) - clock;
	row("put", raw, lib, wait);
	raw = cost(raw_tsend, true) - clock;
	lib = cost(tsend, true) - clock;
	wait = cost(tsend_wait, true) - clock;
	row("tagged send", raw, lib, wait);
	return 0;
}
