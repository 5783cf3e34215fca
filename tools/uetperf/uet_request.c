// SPDX-License-Identifier: GPL-2.0
/*
 * The client of servers: rank 0 asks the server at each other address to start the ranks
 * there, with its own command line.  Level: tool.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "net_uet.h"

static struct sockaddr_uet server_address(const struct uet *u, int rank)
{
	struct sockaddr_uet addr = u->peers[rank];

	addr.suet_pid = u->net.o->pid;
	addr.suet_ri = SERVER_RI(u->net.o);
	return addr;
}

static int request_send(struct uet *u, int rank, const struct uet_control *control)
{
	const struct options *o = u->net.o;
	struct request request = {
		.magic = CTL_MAGIC, .rank = rank, .words_len = o->words_len,
	};
	struct sockaddr_uet addr = server_address(u, rank);
	struct iovec iov = {
		&request, offsetof(struct request, words) + o->words_len,
	};
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = (void *)control->bytes, .msg_controllen = control->len,
	};

	memcpy(request.words, o->words, o->words_len);
	if (sendmsg(u->ctl, &msg, MSG_NOSIGNAL) < 0)
		return uet_fail(u->ctl, "asking a server");
	return 0;
}

static int server_ask(struct uet *u, int rank)
{
	const struct options *o = u->net.o;
	const struct uet_op op = {
		.opcode = UET_OP_SEND, .flags = UET_OP_COMPLETE,
	};
	struct uet_control control = { .len = 0 };
	struct pollfd pfd = { .fd = u->ctl };
	int error = 0, ret;

	uet_control_add(&control, UET_CMSG_OP, &op, sizeof(op));
	if (request_send(u, rank, &control))
		return -1;
	/* No rank sends anything before it was asked for. */
	do {
		ret = poll(&pfd, 1, o->timeout * 1000);
		if (ret > 0)
			ret = uet_records_read(u, u->ctl, &error);
	} while (!ret && pfd.revents & POLLERR);
	if (ret < 0)
		return -1;
	if (ret && !error)
		return 0;
	warn_user("uet: no server at %s, job %u, PIDonFEP %u, Resource Index %u: %s",
		  fa_of(o, rank), o->job, o->pid, SERVER_RI(o),
		  ret ? strerror(error) : "it does not answer");
	return -1;
}

/* Is a lower rank at the same address? */
static bool is_asked(const struct options *o, int rank)
{
	for (int i = 0; i < rank; i++)
		if (!strcmp(fa_of(o, i), fa_of(o, rank)))
			return true;
	return false;
}

/**
 * uet_servers_ask() - let the servers start all ranks that are not started here
 * @u: rank 0, whose endpoints are there
 *
 * Return: 0, or -1 after printing the reason.
 */
int uet_servers_ask(struct uet *u)
{
	const struct options *o = u->net.o;

	for (int rank = 1; rank < o->ranks; rank++) {
		if (o->is_here[rank] || is_asked(o, rank))
			continue;
		if (server_ask(u, rank))
			return -1;
		u->nr_servers++;
	}
	return 0;
}

/**
 * uet_server_probe() - send a message to the busy server, which is refused if the server
 *	has exited
 * @u: rank 0
 *
 * Return: 0, or -1 after printing the reason.
 */
int uet_server_probe(struct uet *u)
{
	const struct ctl alive = { .magic = CTL_MAGIC, .kind = CTL_ALIVE };
	const struct sockaddr_uet addr = server_address(u, u->busy);

	if (sendto(u->ctl, &alive, sizeof(alive), MSG_NOSIGNAL,
		   (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		return uet_fail(u->ctl, "waiting for a server");
	return 0;
}
