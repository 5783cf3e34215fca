// SPDX-License-Identifier: GPL-2.0
/*
 * Round trips of tagged messages through the submission and completion ring, as a
 * library sends them: for each message one UET_IOC_SUBMIT, which posts the receive of
 * the answer, too.  An end waits in poll(), or looks at its ring and lets others run.
 * Prints median and mean in nanoseconds.  Started by run and fabric.  Level: test.
 *
 * usage: ring_peer poll|spin FROM TO JOB SIZE COUNT	measures
 *	  ring_peer -l poll|spin FROM TO JOB SIZE COUNT	is the other end
 */
#include <arpa/inet.h>
#include <err.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "times.h"
#include "uet_cq.h"
#include "uet_sq.h"

#define PID	77
#define TAG	0x1234567890
#define ENTRIES	16

/**
 * struct end - one end
 * @fd: socket, bound
 * @peer: number of the other end
 * @sq: submission ring
 * @cq: completion ring
 * @buf: space for a message to send and one to receive
 * @key: region of @buf
 * @size: of messages, bytes
 * @spins: it waits without poll()
 */
struct end {
	int fd;
	uint32_t peer;
	struct uet_sq sq;
	struct uet_cq cq;
	char *buf;
	uint64_t key;
	size_t size;
	bool spins;
};

static struct uet_sq_entry *next_entry(const struct end *e, int kind)
{
	struct uet_sq_entry *entry = uet_sq_next(&e->sq);

	if (!entry)
		errx(1, "the submission ring is full");
	entry->kind = kind;
	return entry;
}

static void push_recv(struct end *e)
{
	struct uet_sq_entry *entry = next_entry(e, UET_SQ_RECV);

	entry->recv = (struct uet_recv_post){
		.size = sizeof(entry->recv),
		.match = TAG,
		.key = e->key,
		.offset = e->size,
		.length = e->size,
		.initiator = e->peer,
		.flags = UET_RECV_TAGGED | UET_RECV_PEER,
	};
	uet_sq_push(&e->sq);
}

static void push_send(struct end *e)
{
	struct uet_sq_entry *entry = next_entry(e, UET_SQ_OP);

	entry->peer = e->peer;
	entry->send.op.opcode = UET_OP_TAGGED_SEND;
	entry->send.tag = TAG;
	entry->send.length = e->size;
	if (e->size <= UET_SQ_INLINE_MAX) {
		entry->flags = UET_SQ_INLINE;
		memcpy(entry->send.data, e->buf, e->size);
	} else {
		entry->send.addr = (uintptr_t)e->buf;
	}
	uet_sq_push(&e->sq);
}

static void submit(const struct end *e)
{
	while (uet_sq_waiting(&e->sq))
		if (uet_sq_submit(&e->sq) < 0)
			err(1, "UET_IOC_SUBMIT");
}

static void await_message(struct end *e)
{
	const struct uet_completion *done;

	while (!(done = uet_cq_peek(&e->cq))) {
		if (e->spins)
			sched_yield();
		else if (uet_cq_wait(&e->cq, -1) < 0)
			err(1, "poll");
	}
	if (done->error || done->length != e->size)
		errx(1, "a receive of %zu bytes ends with %u bytes: %s", e->size,
		     done->length, strerror(done->error));
	uet_cq_next(&e->cq);
}

static void measure(struct end *e, unsigned int count)
{
	unsigned int i, warmup = count / 10 + 1;
	uint64_t *ns = calloc(warmup + count, sizeof(*ns)), sum = 0;

	if (!ns)
		err(1, "calloc");
	for (i = 0; i < warmup + count; i++) {
		ns[i] = now_ns();
		push_recv(e);
		push_send(e);
		submit(e);
		await_message(e);
		ns[i] = now_ns() - ns[i];
		sum += i < warmup ? 0 : ns[i];
	}
	printf("%ju %ju\n", (uintmax_t)times_median(ns + warmup, count),
	       (uintmax_t)sum / count);
	free(ns);
}

static void answer(struct end *e, unsigned int count)
{
	unsigned int i, warmup = count / 10 + 1;

	push_recv(e);
	submit(e);
	puts("ready");
	fflush(stdout);
	for (i = 0; i < warmup + count; i++) {
		await_message(e);
		push_recv(e);
		push_send(e);
		submit(e);
	}
}

static struct sockaddr_uet address(const char *fa, uint32_t job)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET,
		.suet_version = UET_ADDR_VERSION,
		.suet_pid = PID,
		.suet_ri = 1,
		.suet_job = job,
	};

	if (inet_pton(AF_INET, fa, &addr.suet_fa4) != 1)
		errx(2, "'%s' is no address", fa);
	return addr;
}

static void open_end(struct end *e, const char *from, const char *to, uint32_t job)
{
	struct sockaddr_uet me = address(from, job);
	struct uet_peer peer = { .addr = address(to, job) };
	struct uet_mr_reg reg = { .length = 2 * e->size, .access = UET_MR_WRITE };

	e->buf = calloc(2, e->size);
	if (!e->buf)
		err(1, "calloc");
	reg.addr = (uintptr_t)e->buf;
	e->fd = socket(AF_UET, SOCK_RDM, 0);
	if (e->fd < 0 || bind(e->fd, (struct sockaddr *)&me, sizeof(me)))
		err(1, "bind");
	if (uet_ioctl(e->fd, UET_IOC_PEER, &peer))
		err(1, "UET_IOC_PEER");
	if (uet_ioctl(e->fd, UET_IOC_MR_REG, &reg))
		err(1, "UET_IOC_MR_REG");
	if (uet_cq_open(&e->cq, e->fd, ENTRIES) || uet_sq_open(&e->sq, e->fd, ENTRIES))
		err(1, "cannot make the rings");
	e->peer = peer.peer;
	e->key = reg.key;
}

int main(int argc, char **argv)
{
	bool is_listener = argc > 1 && !strcmp(argv[1], "-l");
	struct end e = { .fd = -1 };

	argv += is_listener;
	if (argc - is_listener != 7)
		errx(2, "usage: ring_peer [-l] poll|spin FROM TO JOB SIZE COUNT");
	e.spins = !strcmp(argv[1], "spin");
	e.size = atoi(argv[5]);
	open_end(&e, argv[2], argv[3], atoi(argv[4]));
	if (is_listener)
		answer(&e, atoi(argv[6]));
	else
		measure(&e, atoi(argv[6]));
	close(e.fd);
	return 0;
}
