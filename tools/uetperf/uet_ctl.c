// SPDX-License-Identifier: GPL-2.0
/*
 * Control messages of uetperf over UET, on a separate ordered endpoint.  Each
 * message is stored until its sender's next message is requested.  Also the
 * meeting of ranks that are started in any order.  Level: tool.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net_uet.h"

static ssize_t ctl_put(struct uet *u, int to, const struct ctl *ctl,
		       struct uet_control *control)
{
	struct sockaddr_uet addr = u->peers[to];
	struct ctl mine = *ctl;
	struct iovec iov = { &mine, sizeof(mine) };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control ? control->bytes : NULL,
		.msg_controllen = control ? control->len : 0,
	};

	addr.suet_ri++;
	mine.magic = CTL_MAGIC;
	mine.from = u->net.o->rank;
	return sendmsg(u->ctl, &msg, MSG_NOSIGNAL);
}

/**
 * uet_ctl_send() - send a control message
 * @net: transport
 * @to: rank
 * @ctl: message
 *
 * Return: 0, or -1 after printing the reason.
 */
int uet_ctl_send(struct net *net, int to, const struct ctl *ctl)
{
	struct uet *u = uet_of(net);

	if (ctl_put(u, to, ctl, NULL) < 0)
		return uet_fail(u->ctl, "sending a control message");
	return 0;
}

static int ctl_keep(struct uet *u, const struct ctl *ctl)
{
	struct waiting **at = &u->waiting[ctl->from];
	struct waiting *w = malloc(sizeof(*w));

	if (!w) {
		warn_user("no memory for a control message");
		return -1;
	}
	w->ctl = *ctl;
	w->next = NULL;
	while (*at)
		at = &(*at)->next;
	*at = w;
	return 0;
}

/* Receive the next control message.  Return: 1, 0 after a time-out, or -1. */
static int ctl_take(struct uet *u, struct ctl *ctl)
{
	ssize_t len = recv(u->ctl, ctl, sizeof(*ctl), MSG_TRUNC);

	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len < 0)
		return uet_fail(u->ctl, "waiting for another rank");
	if (len != sizeof(*ctl) || ctl->magic != CTL_MAGIC ||
	    ctl->from >= (uint32_t)u->net.o->ranks) {
		warn_user("uet: a message that is not uetperf's was ignored");
		return 1;
	}
	if (ctl->kind == CTL_FAILED) {
		warn_user("uet: the server at %s has failed, and has printed the reason",
			  fa_of(u->net.o, ctl->from));
		return -1;
	}
	if (ctl->kind == CTL_BUSY) {
		u->busy = ctl->from;
		warn_user("uet: the server at %s is busy with the client at %.*s; waiting",
			  fa_of(u->net.o, ctl->from), (int)sizeof(ctl->value),
			  (const char *)ctl->value);
		return 1;
	}
	if (ctl->kind != CTL_ALIVE && ctl_keep(u, ctl))
		return -1;
	return 1;
}

/*
 * Time-out.  A rank that was met gets a message, which is refused if the rank
 * has exited.  A rank that was never met may not have been started, or waits for its
 * turn.  Only the client of one server waits for its turn: two clients that each have a
 * server would wait for each other.
 */
static int ctl_doubt(struct uet *u, int from)
{
	const struct ctl alive = { .kind = CTL_ALIVE };

	if (u->has_met)
		return uet_ctl_send(&u->net, from, &alive);
	if (u->busy && u->nr_servers == 1)
		return uet_server_probe(u);
	warn_user("uet: rank %d is not there: nothing came for %u s%s", from,
		  u->net.o->timeout, u->busy ? "; a server is busy" : "");
	return -1;
}

/**
 * uet_ctl_recv() - wait for the next control message of a rank
 * @net: transport
 * @from: rank
 * @ctl: returns it
 *
 * Other ranks may be busy for long, so there is no time limit for a
 * rank that was met.
 *
 * Return: 0, or -1 after printing the reason.
 */
int uet_ctl_recv(struct net *net, int from, struct ctl *ctl)
{
	struct uet *u = uet_of(net);
	struct waiting *w;
	int ret;

	while (!(w = u->waiting[from])) {
		ret = ctl_take(u, ctl);
		if (ret < 0 || (!ret && ctl_doubt(u, from)))
			return -1;
	}
	u->waiting[from] = w->next;
	*ctl = w->ctl;
	free(w);
	return 0;
}

/* --------------------------------------------------------------- the start */

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

/* One attempt. Return: 0, an errno of the completion, or -1. */
static int hello_once(struct uet *u, const struct ctl *ctl)
{
	const struct uet_op op = {
		.opcode = UET_OP_SEND, .flags = UET_OP_COMPLETE,
	};
	struct uet_control control = { .len = 0 };
	struct pollfd pfd = { .fd = u->ctl };
	int error = 0, ret;

	uet_control_add(&control, UET_CMSG_OP, &op, sizeof(op));
	if (ctl_put(u, 0, ctl, &control) < 0)
		return uet_fail(u->ctl, "looking for rank 0");
	ret = poll(&pfd, 1, u->net.o->timeout * 1000);
	if (ret > 0)
		ret = uet_records_read(u, u->ctl, &error);
	if (ret > 0)
		return error;
	errno = EAGAIN;
	return ret ? -1 : uet_fail(u->ctl, "looking for rank 0");
}

/* Rank 0 may not be ready yet; that of a client is, for the ranks of servers. */
static int hello(struct uet *u, const struct ctl *ctl)
{
	uint64_t end = now_ns() + u->net.o->timeout * 1000000000ull;
	int error;

	while ((error = hello_once(u, ctl)) > 0) {
		if (u->net.o->is_served || now_ns() >= end) {
			warn_user("uet: rank 0 is not there: %s",
				  strerror(error));
			return -1;
		}
		nap();
	}
	return error;
}

/*
 * All ranks must run the same measurement, or they would wait for each other
 * forever.
 */
static uint64_t fingerprint(const struct options *o)
{
	uint64_t x = o->pattern - patterns;
	int i;

	x = x * 31 + (o->op - op_kinds);
	x = x * 31 + o->ranks;
	x = x * 31 + o->parallel;
	x = x * 31 + o->is_verified + 2 * o->has_tcp + 4 * o->has_uet;
	x = x * 31 + o->window;
	x = x * 31 + o->iterations;
	x = x * 31 + o->bytes;
	x = x * 31 + o->seconds;
	x = x * 31 + o->warmup;
	for (i = 0; i < o->nr_sizes; i++)
		x = x * 31 + o->sizes[i];
	return x;
}

static int start_zero(struct uet *u)
{
	struct ctl ctl, go = { .kind = CTL_GO };
	const struct options *o = u->net.o;
	int rank, ret = 0;

	for (rank = 1; rank < o->ranks; rank++) {
		if (uet_ctl_recv(&u->net, rank, &ctl))
			return -1;
		if (ctl.kind == CTL_HELLO && ctl.value[0] == fingerprint(o))
			continue;
		warn_user("rank %d was started with other options", rank);
		go.value[0] = 1;
		ret = -1;
	}
	u->has_met = true;
	for (rank = 1; rank < o->ranks; rank++)
		if (uet_ctl_send(&u->net, rank, &go))
			return -1;
	return ret;
}

/**
 * uet_ctl_start() - meet the others
 * @u: rank, whose endpoints are there
 *
 * All endpoints exist when rank 0 has a greeting from every rank and
 * every rank has one from rank 0.
 *
 * Return: 0, or -1 after printing the reason.
 */
int uet_ctl_start(struct uet *u)
{
	struct ctl ctl = {
		.magic = CTL_MAGIC, .kind = CTL_HELLO,
		.value = { fingerprint(u->net.o) },
	};

	if (!u->net.o->rank)
		return start_zero(u);
	if (hello(u, &ctl))
		return -1;
	u->has_met = true;
	if (uet_ctl_recv(&u->net, 0, &ctl))
		return -1;
	if (ctl.kind == CTL_GO && !ctl.value[0])
		return 0;
	warn_user("not all ranks were started with the same options");
	return -1;
}
