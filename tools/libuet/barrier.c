// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The barrier: in round k each rank sends a message to the rank 2^k behind it, and waits
 * for that of the rank 2^k before it; after log2(size) rounds each rank knows that all
 * have come.  The messages go over a socket of their own, so that no receive of the
 * application takes them.  A rank whose endpoint does not exist yet is tried again.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "handle.h"

/**
 * struct note - the message; network order
 * @generation: number of the barrier
 * @round: k
 */
struct note {
	uint32_t generation;
	uint32_t round;
};

/**
 * struct round - one round of a barrier
 * @k: its number
 * @generation: of the barrier
 * @to: rank that gets the message
 * @from: rank whose message is waited for
 * @is_sent: @to has the message
 * @is_under_way: the message was not answered yet
 */
struct round {
	uint32_t k, generation, to, from;
	bool is_sent, is_under_way;
};

int libuet_control_open(struct uet *u, uint32_t ri, int job_fd)
{
	struct sockaddr_uet me;
	uint32_t i;

	if (uet_address(u, &me))
		return -1;
	for (i = 0; i < u->size; i++) {
		u->addrs[i].suet_ri = ri;
		u->addrs[i].suet_initiator = 0;
	}
	me.suet_ri = ri;
	me.suet_initiator = 0;
	u->control = socket(me.suet_family, SOCK_RDM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (u->control < 0)
		return libuet_failed(u, "socket");
	if (job_fd && setsockopt(u->control, SOL_UET, UET_JOB_FD, &job_fd, sizeof(job_fd)))
		return libuet_refuse(u, errno, "barrier: UET_JOB_FD: %s", strerror(errno));
	if (bind(u->control, (struct sockaddr *)&me, sizeof(me)))
		return libuet_refuse(u, errno, "barrier: bind to suet_ri %u: %s", ri,
				     strerror(errno));
	return 0;
}

static bool is_seen(const struct uet *u, const struct round *r)
{
	return (int32_t)(u->seen[r->k] - r->generation) >= 0;
}

static void take_notes(struct uet *u)
{
	struct note note;

	while (recv(u->control, &note, sizeof(note), MSG_TRUNC) == sizeof(note)) {
		note.generation = ntohl(note.generation);
		note.round = ntohl(note.round);
		if (note.round < BARRIER_ROUNDS &&
		    (int32_t)(note.generation - u->seen[note.round]) > 0)
			u->seen[note.round] = note.generation;
	}
}

static int send_note(struct uet *u, struct round *r)
{
	struct note note = { htonl(r->generation), htonl(r->k) };
	struct uet_op op = {
		.cookie = ++u->attempts, .opcode = UET_OP_SEND, .flags = UET_OP_COMPLETE,
	};
	union {
		char bytes[CMSG_SPACE(sizeof(op))];
		struct cmsghdr cmsg;
	} control = { .cmsg = { CMSG_LEN(sizeof(op)), SOL_UET, UET_CMSG_OP } };
	struct iovec iov = { &note, sizeof(note) };
	struct msghdr msg = {
		.msg_name = &u->addrs[r->to], .msg_namelen = sizeof(u->addrs[r->to]),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.cmsg), &op, sizeof(op));
	if (sendmsg(u->control, &msg, MSG_NOSIGNAL) < 0)
		return libuet_refuse(u, errno, "uet_barrier: message to rank %u: %s", r->to,
				     strerror(errno));
	r->is_under_way = true;
	return 0;
}

static const char *address(const struct uet *u, uint32_t rank, char text[UET_ADDR_SIZE])
{
	return uet_addr_text(&u->addrs[rank], text, UET_ADDR_SIZE);
}

/* Read completions.  Those of earlier attempts, after a time-out, are ignored. */
static int take_completions(struct uet *u, struct round *r)
{
	char text[UET_ERROR_SIZE - 64], at[UET_ADDR_SIZE];
	struct uet_completion done;
	union {
		char bytes[CMSG_SPACE(sizeof(done))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	while (recvmsg(u->control, &msg, MSG_ERRQUEUE) >= 0) {
		memcpy(&done, CMSG_DATA(&control.cmsg), sizeof(done));
		msg.msg_controllen = sizeof(control);
		/* Successful neighbours are reported together. */
		if (u->attempts - done.cookie >= done.count)
			continue;
		r->is_under_way = false;
		r->is_sent = !done.error;
		if (done.error && done.error != ECONNREFUSED)
			return libuet_refuse(u, done.error, "uet_barrier: rank %u: %s",
					     r->to,
					     libuet_describe(&done,
							     address(u, r->to, at),
							     text, sizeof(text)));
	}
	return 0;
}

static int timed_out(struct uet *u, const struct round *r)
{
	char at[UET_ADDR_SIZE];

	if (!r->is_sent)
		return libuet_refuse(u, ETIMEDOUT, "uet_barrier: rank %u has no endpoint at %s",
				     r->to, address(u, r->to, at));
	return libuet_refuse(u, ETIMEDOUT, "uet_barrier: no message of rank %u in round %u",
			     r->from, r->k);
}

static int do_round(struct uet *u, struct round *r, int64_t deadline)
{
	struct pollfd p = { .fd = u->control, .events = POLLIN };
	int left;

	while (!r->is_sent || !is_seen(u, r)) {
		left = libuet_left(deadline);
		if (!r->is_sent && !r->is_under_way && send_note(u, r))
			return -1;
		if (poll(&p, 1, left) < 0)
			return libuet_failed(u, "poll");
		take_notes(u);
		if (take_completions(u, r))
			return -1;
		if (!left && (!r->is_sent || !is_seen(u, r)))
			return timed_out(u, r);
		if (!r->is_sent && !r->is_under_way)
			libuet_pause(deadline);
	}
	return 0;
}

int uet_barrier(struct uet *u, int timeout)
{
	int64_t deadline = libuet_deadline(timeout);
	struct round r = { .generation = u->generation + 1 };
	uint32_t step;

	if (u->size > 1 && u->control < 0)
		return libuet_refuse(u, EOPNOTSUPP,
				     "uet_barrier: the handle was opened with UET_OPEN_NO_BARRIER");
	for (step = 1; step < u->size; step *= 2) {
		r.to = (u->rank + step) % u->size;
		r.from = (u->rank + u->size - step) % u->size;
		r.is_sent = r.is_under_way = false;
		if (do_round(u, &r, deadline))
			return -1;
		r.k++;
	}
	u->generation++;
	return 0;
}
