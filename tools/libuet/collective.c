// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Executing a collective operation.  Its messages go over a socket of their own, so that
 * no receive of the application takes them, and are matched by tags: the number of the
 * operation, the rank that sends, the number of the message.
 *
 * The first operation of a handle begins with a barrier, in which a rank whose endpoint
 * does not exist yet is tried again.  From then on a rank without an endpoint has gone.
 * A rank that waits for a message probes the sender from time to time; when it finds that
 * the sender has gone, it tells all other ranks, because they may wait for each other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "collective.h"

#define PROBE_MS	1000	/* between two probes of a rank whose message is missing */

/* Highest bits of tags: number of the operation; the tag 0 tells of a failure. */
#define SEQUENCE_SHIFT	40
#define SEQUENCES	0xffffff
#define FAILURE_TAG	0
#define FAILURE_COOKIE	UET_COOKIE_MAX

/* Completion data of that message: number of the operation, errno, rank that has failed. */
#define FAILURE(sequence, error, rank)	((sequence) | (uint64_t)(error) << 16 | (rank))

#define LISTEN_MS	200	/* for the reason why a rank has gone */

static int post_tagged(struct uet *u, uint64_t cookie, const struct post *p)
{
	struct uet_recv_post post = {
		.cookie = cookie, .match = p->tag, .length = p->length,
		.offset = p->length ? (uintptr_t)p->to : 0,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE |
			 (p->length ? UET_RECV_ADDR : 0),
	};

	return uet_ioctl(u->control, UET_IOC_RECV_POST, &post);
}

int libuet_control_open(struct uet *u, uint32_t ri, int job_fd)
{
	const struct post failure = { .tag = FAILURE_TAG };
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
		return libuet_refuse(u, errno, "second socket: UET_JOB_FD: %s",
				     strerror(errno));
	if (bind(u->control, (struct sockaddr *)&me, sizeof(me)))
		return libuet_refuse(u, errno, "second socket: bind to suet_ri %u: %s", ri,
				     strerror(errno));
	if (post_tagged(u, FAILURE_COOKIE, &failure))
		return libuet_failed(u, "UET_IOC_RECV_POST");
	return 0;
}

/* The operation has failed for good: @rank is the one at fault.  Return: -1. */
static int fail(struct uet *u, uint32_t rank, int error, const char *reason)
{
	struct schedule *s = u->schedule;

	/* The first reason stands, unless another rank has the cause. */
	if (s->is_over && !u->is_told)
		return -1;
	s->is_over = true;
	u->culprit = rank;
	/* ETIMEDOUT is for the time of the caller. */
	return libuet_refuse(u, error == ETIMEDOUT ? ECONNRESET : error, "%s: rank %u %s",
			     s->call.name, rank, reason);
}

static int fail_errno(struct uet *u, const char *call)
{
	char reason[96];
	int error = errno;

	snprintf(reason, sizeof(reason), "(this one): %s: %s", call, strerror(error));
	return fail(u, u->rank, error, reason);
}

/* Send to the control socket of a rank.  @tag and @data: NULL, or of the message */
static ssize_t transmit(struct uet *u, uint32_t rank, struct uet_op op, const uint64_t *tag,
			const uint64_t *data, const char *from, size_t length)
{
	const struct uet_rma nowhere = { .key = UET_MR_KEY_MAX };
	struct iovec iov = { (void *)from, length };
	union libuet_control control;
	struct msghdr msg = {
		.msg_name = &u->addrs[rank], .msg_namelen = sizeof(u->addrs[rank]),
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
	};

	libuet_cmsg(&msg, UET_CMSG_OP, &op, sizeof(op));
	if (tag)
		libuet_cmsg(&msg, UET_CMSG_TAG, tag, sizeof(*tag));
	else
		libuet_cmsg(&msg, UET_CMSG_RMA, &nowhere, sizeof(nowhere));
	if (data)
		libuet_cmsg(&msg, UET_CMSG_HDATA, data, sizeof(*data));
	return sendmsg(u->control, &msg, MSG_NOSIGNAL);
}

/* Tell all other ranks.  One that is not reached finds out that this rank has gone. */
static void tell_failure(struct uet *u)
{
	/* With completions, so that the failure of one message does not stop the next. */
	const struct uet_op op = { .opcode = UET_OP_TAGGED_SEND, .flags = UET_OP_COMPLETE };
	const uint64_t tag = FAILURE_TAG,
		       data = FAILURE(u->schedule->sequence, u->error, u->culprit);
	uint32_t rank;

	for (rank = 0; rank < u->size; rank++)
		if (rank != u->rank)
			transmit(u, rank, op, &tag, &data, NULL, 0);
}

/*
 * Fail if another rank has failed in this operation, or earlier.  A later failure leaves
 * this operation as it is: whoever has begun a later one has sent all its messages.
 */
static int heed(struct uet *u, const struct schedule *s)
{
	uint32_t ahead = ((u->told >> SEQUENCE_SHIFT) - (s->sequence >> SEQUENCE_SHIFT)) &
			 SEQUENCES;

	if (!u->told || (ahead && ahead < SEQUENCES / 2))
		return 0;
	u->is_told = true;
	return fail(u, (uint16_t)u->told, u->told >> 16 & SEQUENCES,
		    "has failed, says another rank");
}

static int has_received(struct uet *u, struct schedule *s,
			const struct uet_completion *done)
{
	const struct post *post;
	char reason[96];

	if (done->cookie == FAILURE_COOKIE) {
		u->told = done->header_data;
		return heed(u, s);
	}
	post = &s->posts[done->cookie];
	if (done->error && done->error != EMSGSIZE)
		return fail(u, post->rank, done->error, strerror(done->error));
	if (done->error || done->length != post->length) {
		snprintf(reason, sizeof(reason),
			 "has sent %llu bytes, not %zu: its arguments are others",
			 (unsigned long long)done->msg_length, post->length);
		return fail(u, post->rank, EPROTO, reason);
	}
	s->has_come[done->cookie % AHEAD] = true;
	return 0;
}

/* @done is the end of a probe: every answer but one is that of an endpoint. */
static int has_probed(struct uet *u, struct schedule *s, const struct uet_completion *done)
{
	uint32_t rank = (uint32_t)done->cookie;

	s->is_asking = false;
	/* The message that was waited for may have come before the answer. */
	if (s->taken == s->posted || s->has_come[s->taken % AHEAD] ||
	    s->posts[s->taken].rank != rank || (done->rc && done->error != ECONNREFUSED))
		return 0;
	return fail(u, rank, done->error, done->error == ECONNREFUSED ?
		    "has no endpoint any more" : "does not answer");
}

static int has_sent(struct uet *u, struct schedule *s, const struct uet_completion *done)
{
	char text[UET_ERROR_SIZE - 64], at[UET_ADDR_SIZE];

	s->ended += done->count;
	s->is_refused = done->error == ECONNREFUSED && !u->is_met;
	if (!done->error || s->is_refused)
		return 0;
	if (done->error == EMSGSIZE)
		return fail(u, (uint32_t)done->cookie, EPROTO,
			    "expects a shorter message: its arguments are others");
	return fail(u, (uint32_t)done->cookie, done->error,
		    libuet_describe(done, uet_addr_text(&u->addrs[done->cookie], at,
							sizeof(at)),
				    text, sizeof(text)));
}

static int take_completions(struct uet *u, struct schedule *s)
{
	struct uet_completion done;
	union {
		char bytes[CMSG_SPACE(sizeof(done))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int ret = 0;

	while (!ret && recvmsg(u->control, &msg, MSG_ERRQUEUE) >= 0) {
		memcpy(&done, CMSG_DATA(&control.cmsg), sizeof(done));
		msg.msg_controllen = sizeof(control);
		if (done.flags & UET_COMPLETION_RECV)
			ret = has_received(u, s, &done);
		else if (done.opcode == UET_OP_WRITE)
			ret = has_probed(u, s, &done);
		else
			ret = has_sent(u, s, &done);
	}
	return ret;
}

static void probe(struct uet *u, struct schedule *s, uint32_t rank)
{
	const struct uet_op op = {
		.cookie = rank, .opcode = UET_OP_WRITE, .flags = UET_OP_COMPLETE,
	};

	s->is_asking = transmit(u, rank, op, NULL, NULL, NULL, 0) >= 0;
}

static int timed_out(struct uet *u, const struct schedule *s)
{
	uint32_t rank = s->at < s->nr_steps ? s->steps[s->at].rank : u->rank;
	char at[UET_ADDR_SIZE];

	if (s->is_refused)
		return libuet_refuse(u, ETIMEDOUT, "%s: rank %u has no endpoint at %s",
				     s->call.name, rank,
				     uet_addr_text(&u->addrs[rank], at, sizeof(at)));
	if (s->at < s->nr_steps && s->steps[s->at].is_take)
		return libuet_refuse(u, ETIMEDOUT, "%s: no message of rank %u",
				     s->call.name, rank);
	return libuet_refuse(u, ETIMEDOUT, "%s: messages were not taken yet", s->call.name);
}

/* Wait for a completion, or for space to send.  @asked: rank to probe, if nothing comes */
static int wait_for(struct uet *u, struct schedule *s, short events, int64_t deadline,
		    const uint32_t *asked)
{
	struct pollfd p = { .fd = u->control, .events = events };
	int left = libuet_left(deadline), ret;

	ret = poll(&p, 1, left < 0 || left > PROBE_MS ? PROBE_MS : left);
	if (ret < 0)
		return libuet_failed(u, "poll");
	if (!ret && !libuet_left(deadline))
		return timed_out(u, s);
	if (!ret && asked && !s->is_asking && u->is_met)
		probe(u, s, *asked);
	return take_completions(u, s);
}

static int post_ahead(struct uet *u, struct schedule *s)
{
	for (; s->posted < s->nr_posts && s->posted < s->taken + AHEAD; s->posted++) {
		s->has_come[s->posted % AHEAD] = false;
		if (post_tagged(u, s->posted, &s->posts[s->posted]))
			return fail_errno(u, "UET_IOC_RECV_POST");
	}
	return 0;
}

static int take(struct uet *u, struct schedule *s, const struct step *step,
		int64_t deadline)
{
	if (post_ahead(u, s))
		return -1;
	/* A receive whose message is there already has ended. */
	if (take_completions(u, s))
		return -1;
	while (!s->has_come[s->taken % AHEAD])
		if (wait_for(u, s, 0, deadline, &step->rank))
			return -1;
	if (step->to)
		libuet_combine(s->call.type, s->call.op, step->to, step->from,
			       step->length);
	s->taken++;
	return 0;
}

/* A message without space at the receiver stays here until it is wanted. */
static int send_once(struct uet *u, struct schedule *s, const struct step *step,
		     int64_t deadline)
{
	const struct uet_op op = {
		.cookie = step->rank, .flags = UET_OP_COMPLETE,
		.opcode = step->length > UET_KEPT_MAX ? UET_OP_DEFERRABLE_TSEND :
							UET_OP_TAGGED_SEND,
	};

	while (transmit(u, step->rank, op, &step->tag, NULL, step->from, step->length) < 0) {
		if (errno != EAGAIN)
			return fail_errno(u, "sendmsg");
		if (wait_for(u, s, POLLOUT, deadline, NULL))
			return -1;
	}
	s->begun++;
	return 0;
}

static int wait_for_answers(struct uet *u, struct schedule *s, int64_t deadline)
{
	while (s->ended != s->begun)
		if (wait_for(u, s, 0, deadline, NULL))
			return -1;
	return 0;
}

/* In the meeting each message is answered before the next, or sent again. */
static int meet(struct uet *u, struct schedule *s, const struct step *step,
		int64_t deadline)
{
	for (;;) {
		if (!s->is_begun && send_once(u, s, step, deadline))
			return -1;
		s->is_begun = true;
		if (wait_for_answers(u, s, deadline))
			return -1;
		s->is_begun = false;
		if (!s->is_refused)
			return 0;
		if (!libuet_left(deadline))
			return timed_out(u, s);
		libuet_pause(deadline);
	}
}

static int execute(struct uet *u, struct schedule *s, int64_t deadline)
{
	const struct step *step;
	int ret;

	if (heed(u, s) || post_ahead(u, s))
		return -1;
	for (; s->at < s->nr_steps; s->at++) {
		if (s->meeting && s->at == s->meeting)
			u->is_met = true;
		step = &s->steps[s->at];
		if (step->is_take)
			ret = take(u, s, step, deadline);
		else if (s->at < s->meeting)
			ret = meet(u, s, step, deadline);
		else
			ret = send_once(u, s, step, deadline);
		if (ret)
			return -1;
	}
	u->is_met = true;
	return wait_for_answers(u, s, deadline);
}

void libuet_collective_end(struct uet *u)
{
	if (!u->schedule)
		return;
	libuet_plan_free(u->schedule);
	free(u->schedule);
	u->schedule = NULL;
}

static int start(struct uet *u, const struct call *call)
{
	struct schedule *s = calloc(1, sizeof(*s));

	if (!s)
		return libuet_refuse(u, ENOMEM, "%s: no memory", call->name);
	s->call = *call;
	s->rank = u->rank;
	s->size = u->size;
	s->sequence = (uint64_t)(u->sequence % SEQUENCES + 1) << SEQUENCE_SHIFT;
	u->schedule = s;
	if (!u->is_met)
		libuet_plan_meeting(s);
	if (call->length || call->plan == libuet_plan_barrier)
		call->plan(s);
	if (!s->is_short) {
		u->sequence++;
		return 0;
	}
	libuet_collective_end(u);
	return libuet_refuse(u, ENOMEM, "%s: no memory for its messages", call->name);
}

/* A rank that has gone may have told why. */
static void listen_for_reason(struct uet *u)
{
	int64_t deadline = libuet_deadline(LISTEN_MS);
	struct pollfd p = { .fd = u->control };
	int left;

	while (!u->is_told && (left = libuet_left(deadline))) {
		if (poll(&p, 1, left) < 0)
			libuet_pause(deadline);
		take_completions(u, u->schedule);
	}
}

/* All memory of the application and of the operation is free afterwards. */
static void give_up(struct uet *u)
{
	if (u->error == ECONNREFUSED)
		listen_for_reason(u);
	if (!u->is_told)
		tell_failure(u);
	libuet_close_socket(u->control);
	u->control = -1;
	u->failed = u->error;
	libuet_collective_end(u);
}

/*
 * Execute a collective operation, or go on with it after a time-out or a signal.  Return:
 * 0; -1 with errno.
 */
int libuet_collective(struct uet *u, const struct call *call, int timeout)
{
	int64_t deadline = libuet_deadline(timeout);

	if (u->failed)
		return libuet_refuse(u, u->failed,
				     "%s: an earlier collective operation has failed",
				     call->name);
	if (u->size > 1 && u->control < 0)
		return libuet_refuse(u, EOPNOTSUPP,
				     "%s: the handle was opened with UET_OPEN_NO_BARRIER",
				     call->name);
	if (u->schedule && memcmp(&u->schedule->call, call, sizeof(*call)))
		return libuet_refuse(u, EBUSY,
				     "%s: %s has not ended: call it again with the same arguments",
				     call->name, u->schedule->call.name);
	if (!u->schedule && start(u, call))
		return -1;
	if (!execute(u, u->schedule, deadline)) {
		libuet_collective_end(u);
		return 0;
	}
	if (u->schedule->is_over)
		give_up(u);
	errno = u->error;
	return -1;
}
