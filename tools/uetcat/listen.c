// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving half of uetcat: takes messages in any order and writes their
 * data at the right place: directly into a seekable file, else through a
 * bounded store of early data.  Level: tool.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uetcat.h"

/*
 * Limit of early data.  Messages overtake each other only within the sender's
 * data in flight, a few MiB.
 */
#define EARLY_MAX	(64u << 20)

/**
 * struct early - data that arrived before the data in front of it
 * @next: next in ascending offset
 * @offset: in the stream
 * @len: bytes, behind this structure
 */
struct early {
	struct early *next;
	uint64_t offset;
	size_t len;
	char data[];
};

/**
 * struct sink - the output, and the stream that goes there
 * @o: command line
 * @fd: socket, bound
 * @out: output
 * @is_seekable: @out can be written anywhere
 * @base: where in the output the present stream begins
 * @buf: space for a message
 * @size: of @buf
 * @from: sender of the present stream
 * @has_sender: @from is valid
 * @got: bytes of the stream received
 * @end: length of the stream, UINT64_MAX while unknown
 * @early: not written yet
 * @early_bytes: data in @early
 * @written: bytes of the stream written without a gap; not with @is_seekable
 * @others: messages of other senders, ignored
 * @tally: count of received data
 */
struct sink {
	const struct options *o;
	int fd;
	int out;
	bool is_seekable;
	uint64_t base;
	char *buf;
	size_t size;
	struct sockaddr_uet from;
	bool has_sender;
	uint64_t got, end;
	struct early *early;
	size_t early_bytes;
	uint64_t written;
	uint64_t others;
	struct tally tally;
};

/* ------------------------------------------------------------------- output */

static int sink_fail_output(const struct sink *s)
{
	warn_user("writing %s: %s", s->o->file ? s->o->file : "standard output",
		  strerror(errno));
	return -1;
}

/* Write at the end, or at @offset of the output if it is seekable. */
static int sink_write(const struct sink *s, const char *data, size_t len,
		      uint64_t offset)
{
	ssize_t n;

	while (len) {
		n = s->is_seekable ? pwrite(s->out, data, len, offset) :
				     write(s->out, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sink_fail_output(s);
		data += n;
		offset += n;
		len -= n;
	}
	return 0;
}

static int sink_store(struct sink *s, const char *data, size_t len,
		      uint64_t offset)
{
	struct early **at = &s->early, *e;

	if (len > EARLY_MAX - s->early_bytes) {
		warn_user("more than %u bytes came before byte %" PRIu64 " of the stream",
			  EARLY_MAX, s->written);
		return -1;
	}
	e = malloc(sizeof(*e) + len);
	if (!e) {
		warn_user("no memory for %zu bytes", len);
		return -1;
	}
	e->offset = offset;
	e->len = len;
	memcpy(e->data, data, len);
	while (*at && (*at)->offset < offset)
		at = &(*at)->next;
	e->next = *at;
	*at = e;
	s->early_bytes += len;
	return 0;
}

/* Write stored data that has become contiguous. */
static int sink_drain(struct sink *s)
{
	struct early *e;
	int ret = 0;

	while (!ret && (e = s->early) && e->offset == s->written) {
		ret = sink_write(s, e->data, e->len, 0);
		s->written += e->len;
		s->early_bytes -= e->len;
		s->early = e->next;
		free(e);
	}
	return ret;
}

static int sink_put(struct sink *s, const char *data, size_t len,
		    uint64_t offset)
{
	if (s->is_seekable)
		return sink_write(s, data, len, s->base + offset);
	if (offset != s->written)
		return sink_store(s, data, len, offset);
	if (sink_write(s, data, len, 0))
		return -1;
	s->written += len;
	return sink_drain(s);
}

/* ------------------------------------------------------------------ streams */

/* Without -w: for a new stream for ever, within one as long as senders may be silent. */
static int sink_set_wait(const struct sink *s, uint32_t seconds)
{
	if (s->o->timeout || s->o->raw)
		return 0;
	return endpoint_set_wait(s->fd, SO_RCVTIMEO, seconds);
}

/* Return: 0, or -1: the time to wait cannot be set. */
static int stream_begin(struct sink *s)
{
	s->has_sender = false;
	s->got = 0;
	s->written = 0;
	s->end = UINT64_MAX;
	return sink_set_wait(s, 0);
}

static bool stream_is_complete(const struct sink *s)
{
	return s->got == s->end;
}

/* A message of the present stream.  Return: 0, or -1 if the message is invalid. */
static int stream_message(struct sink *s, size_t len)
{
	struct head head;
	uint64_t offset;

	if (len < sizeof(head))
		goto bad;
	memcpy(&head, s->buf, sizeof(head));
	len -= sizeof(head);
	offset = be64toh(head.offset);
	if (ntohl(head.magic) != HEAD_MAGIC ||
	    offset > INT64_MAX - s->base - len)
		goto bad;
	switch (ntohl(head.kind)) {
	case HEAD_DATA:
		break;
	case HEAD_END:
		if (len || s->end != UINT64_MAX || offset < s->got)
			goto bad;
		s->end = offset;
		return 0;
	case HEAD_FAILED:
		warn_user("the sender failed, %" PRIu64 " bytes of its stream came: %.*s",
			  s->got, (int)len, s->buf + sizeof(head));
		return -1;
	case HEAD_IDLE:
		return 0;
	default:
		goto bad;
	}
	if (offset + len > s->end || len > s->end - s->got)
		goto bad;
	s->got += len;
	tally_message(&s->tally, len);
	return sink_put(s, s->buf + sizeof(head), len, offset);
bad:
	warn_user("a message is not uetcat's; is the sender using -R?");
	return -1;
}

static int raw_message(struct sink *s, size_t len)
{
	uint64_t offset = s->tally.bytes;

	tally_message(&s->tally, len);
	return sink_write(s, s->buf, len, s->base + offset);
}

/* A message in the buffer: of the present stream, the first of one, or ignored. */
static int stream_take(struct sink *s, const struct sockaddr_uet *from, size_t len)
{
	if (!s->has_sender) {
		s->from = *from;
		s->has_sender = true;
		if (sink_set_wait(s, SENDER_SILENT))
			return -1;
	} else if (!endpoint_is_same(&s->from, from)) {
		s->others++;
		return 0;
	}
	return stream_message(s, len);
}

/* ----------------------------------------------------------------- messages */

/* Space for the next message. Return: 0, or -1. */
static int sink_fit(struct sink *s)
{
	/* Without a buffer nothing is copied; only the length is returned. */
	ssize_t len = recv(s->fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
	char *buf;

	if (len < 0 && errno == EAGAIN && s->has_sender && !s->o->timeout) {
		warn_user("the sender has been silent for %u s, %" PRIu64 " bytes of its stream came",
			  SENDER_SILENT, s->got);
		return -1;
	}
	if (len < 0)
		return endpoint_fail(s->fd, "receive");
	if ((size_t)len <= s->size)
		return 0;
	buf = realloc(s->buf, len);
	if (!buf) {
		warn_user("no memory for a message of %zd bytes", len);
		return -1;
	}
	s->buf = buf;
	s->size = len;
	return 0;
}

static int sink_receive(struct sink *s)
{
	struct sockaddr_uet from;
	socklen_t from_len = sizeof(from);
	ssize_t len;

	if (sink_fit(s))
		return -1;
	len = recvfrom(s->fd, s->buf, s->size, MSG_TRUNC,
		       (struct sockaddr *)&from, &from_len);
	if (len < 0)
		return endpoint_fail(s->fd, "receive");
	if ((size_t)len > s->size) {
		warn_user("a message of %zd bytes was cut", len);
		return -1;
	}
	if (s->o->raw)
		return raw_message(s, len);
	return stream_take(s, &from, len);
}

static bool sink_has_enough(const struct sink *s)
{
	return s->o->count && s->tally.messages >= s->o->count;
}

static int sink_run(struct sink *s)
{
	if (stream_begin(s))
		return -1;
	while (!sink_has_enough(s)) {
		if (sink_receive(s))
			return -1;
		if (!stream_is_complete(s))
			continue;
		if (!s->o->keep)
			break;
		s->base += s->got;
		if (stream_begin(s))
			return -1;
	}
	return 0;
}

/* -------------------------------------------------------------------- frame */

static int sink_open(struct sink *s)
{
	const struct options *o = s->o;
	struct stat st;

	if (o->file) {
		s->out = open(o->file,
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (s->out < 0) {
			warn_user("%s: %s", o->file, strerror(errno));
			return -1;
		}
		s->is_seekable = !fstat(s->out, &st) && S_ISREG(st.st_mode);
	}
	s->size = sizeof(struct head) + SIZE_DEFAULT;
	s->buf = malloc(s->size);
	if (!s->buf) {
		warn_user("no memory for messages");
		return -1;
	}
	s->fd = endpoint_open(o);
	return s->fd < 0 ? -1 : endpoint_bind(s->fd, o);
}

static int sink_close(struct sink *s)
{
	struct early *e;
	int ret = 0;

	while ((e = s->early)) {
		s->early = e->next;
		free(e);
	}
	free(s->buf);
	if (s->fd >= 0)
		close(s->fd);
	if (s->o->file && s->out >= 0 && close(s->out))
		ret = sink_fail_output(s);
	return ret;
}

/**
 * listen_streams() - receive a stream, or several
 * @o: command line
 *
 * Return: 0 when all of it is written, or -1 after printing the reason.
 */
int listen_streams(const struct options *o)
{
	struct sink s = { .o = o, .out = STDOUT_FILENO, .fd = -1 };
	int ret;

	ret = sink_open(&s);
	if (!ret)
		ret = sink_run(&s);
	if (s.others)
		warn_user("%" PRIu64 " messages of other senders were ignored",
			  s.others);
	if (o->verbose)
		tally_print(&s.tally, "received");
	if (sink_close(&s))
		ret = -1;
	return ret;
}
