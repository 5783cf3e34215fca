// SPDX-License-Identifier: GPL-2.0
/*
 * The sending half of uetcat: cuts its input into messages, marks the end of
 * the stream, and waits until every message was acknowledged.  Level: tool.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "uetcat.h"

/**
 * struct source - a stream on its way out
 * @o: command line
 * @in: input
 * @fd: socket, connected
 * @block: space for one message's data
 * @tally: count of sent data
 */
struct source {
	const struct options *o;
	int in;
	int fd;
	char *block;
	struct tally tally;
};

static ssize_t source_put(const struct source *s, enum head_kind kind,
			  const void *data, size_t len, int flags)
{
	struct head head = {
		.magic = htonl(HEAD_MAGIC),
		.kind = htonl(kind),
		.offset = htobe64(s->tally.bytes),
	};
	struct iovec iov[] = {
		{ &head, s->o->raw ? 0 : sizeof(head) },
		{ (void *)data, len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	return sendmsg(s->fd, &msg, MSG_NOSIGNAL | flags);
}

static int source_send(const struct source *s, enum head_kind kind, size_t len)
{
	if (source_put(s, kind, s->block, len, 0) < 0)
		return endpoint_fail(s->fd, "send");
	return 0;
}

/* Wait for input.  Return: 0, or -1: the listener cannot be told that it is late. */
static int source_wait(struct source *s)
{
	struct pollfd in = { .fd = s->in, .events = POLLIN };

	if (s->o->raw)
		return 0;
	while (!poll(&in, 1, SENDER_IDLE * 1000))
		if (source_send(s, HEAD_IDLE, 0))
			return -1;
	return 0;
}

/* Fill the block, or less at the end. Return: bytes, or -1. */
static ssize_t source_read(struct source *s)
{
	size_t got = 0;
	ssize_t n;

	while (got < s->o->size) {
		if (source_wait(s))
			return -1;
		n = read(s->in, s->block + got, s->o->size - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			warn_user("reading %s: %s",
				  s->o->file ? s->o->file : "standard input",
				  strerror(errno));
			return -1;
		}
		if (!n)
			break;
		got += n;
	}
	return got;
}

static int source_run(struct source *s)
{
	const struct options *o = s->o;
	ssize_t n;

	while (!o->count || s->tally.messages < o->count) {
		n = source_read(s);
		if (n < 0)
			return -1;
		if (!n)
			break;
		if (source_send(s, HEAD_DATA, n))
			return -1;
		tally_message(&s->tally, n);
	}
	if (!o->raw && source_send(s, HEAD_END, 0))
		return -1;
	/* The kernel has all messages; wait for their completions. */
	if (shutdown(s->fd, SHUT_WR))
		return endpoint_fail(s->fd, "waiting for the answers");
	return 0;
}

/* Tell the listener, which would wait, why no more data comes; if it can be told. */
static void source_give_up(const struct source *s)
{
	const char *why = last_warning();

	if (!s->o->raw)
		source_put(s, HEAD_FAILED, why, strlen(why), MSG_DONTWAIT);
}

static int source_open(struct source *s)
{
	const struct options *o = s->o;

	if (o->file) {
		s->in = open(o->file, O_RDONLY | O_CLOEXEC);
		if (s->in < 0) {
			warn_user("%s: %s", o->file, strerror(errno));
			return -1;
		}
	}
	s->block = malloc(o->size);
	if (!s->block) {
		warn_user("no memory for messages of %u bytes", o->size);
		return -1;
	}
	s->fd = endpoint_open(o);
	if (s->fd < 0)
		return -1;
	if (o->local && endpoint_bind(s->fd, o))
		return -1;
	return endpoint_connect(s->fd, o);
}

/**
 * send_stream() - send a stream
 * @o: command line
 *
 * Return: 0 when the listener has all of it, or -1 after printing the reason.
 */
int send_stream(const struct options *o)
{
	struct source s = { .o = o, .in = STDIN_FILENO, .fd = -1 };
	int ret;

	ret = source_open(&s);
	if (!ret) {
		ret = source_run(&s);
		if (ret)
			source_give_up(&s);
	}
	if (o->verbose)
		tally_print(&s.tally, "sent");
	if (s.fd >= 0)
		close(s.fd);
	free(s.block);
	return ret;
}
