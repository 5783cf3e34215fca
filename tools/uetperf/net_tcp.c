// SPDX-License-Identifier: GPL-2.0
/*
 * TCP as a transport, for comparison: a connection from each rank to each other
 * rank.  Messages, whose length both ends know, go one way; counts of received
 * messages return.  Such a count corresponds to a UET completion.  Control
 * messages are sent between the phases.  Level: tool.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "uetperf.h"

/**
 * struct out - the connection to a rank
 * @fd: -1: none
 * @head: first bytes of the message on its way
 * @head_len: how many
 * @data: the others
 * @len: of the message
 * @sent: bytes the kernel has; @len when it has all
 * @count: received part of the next count
 * @count_len: bytes of it
 */
struct out {
	int fd;
	char head[PAYLOAD_HEAD];
	size_t head_len;
	const char *data;
	size_t len, sent;
	uint64_t count;
	size_t count_len;
};

/**
 * struct in - the connection from a rank
 * @fd: -1: none
 * @buf: space for a message
 * @got: bytes of the next message
 * @taken: messages of this phase
 */
struct in {
	int fd;
	char *buf;
	size_t got;
	uint64_t taken;
};

/**
 * struct tcp - the connections of a rank
 * @net: the generic part
 * @listener: socket
 * @space: for a message, bytes
 * @phase: present one
 * @next: rank that is looked at first for a message
 * @only: the only rank that sends, -1: several
 * @out: to the others, by rank
 * @in: from the others, by rank
 */
struct tcp {
	struct net net;
	int listener;
	size_t space;
	struct phase phase;
	int next, only;
	struct out out[RANKS_MAX];
	struct in in[RANKS_MAX];
};

static struct tcp *tcp_of(struct net *net)
{
	return (struct tcp *)net;
}

static int tcp_fail(const char *what, int rank)
{
	if (errno == EAGAIN)
		warn_user("tcp: %s rank %d: nothing has moved for too long",
			  what, rank);
	else
		warn_user("tcp: %s rank %d: %s", what, rank, strerror(errno));
	return -1;
}

static int tcp_fail_end(int rank)
{
	warn_user("tcp: rank %d is gone", rank);
	return -1;
}

/* ------------------------------------------------------------- connections */

static socklen_t address_make(const struct options *o, int rank,
			      struct sockaddr_storage *addr)
{
	const char *fa = fa_of(o, rank), *dev = strchr(fa, '%');
	struct sockaddr_in6 *six = (void *)addr;
	struct sockaddr_in *four = (void *)addr;
	char host[INET6_ADDRSTRLEN];

	memset(addr, 0, sizeof(*addr));
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(fa, "%"), fa);
	if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(o->port + rank);
		return sizeof(*four);
	}
	inet_pton(AF_INET6, host, &six->sin6_addr);
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(o->port + rank);
	six->sin6_scope_id = dev ? if_nametoindex(dev + 1) : 0;
	return sizeof(*six);
}

static int connection_set(const struct options *o, int fd, int rank)
{
	struct timeval tv = { .tv_sec = o->timeout };
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)))
		return tcp_fail("options of the connection with", rank);
	return 0;
}

static int listener_open(struct tcp *t)
{
	const struct options *o = t->net.o;
	struct sockaddr_storage addr;
	socklen_t len = address_make(o, o->rank, &addr);
	struct timeval tv = { .tv_sec = o->timeout };
	int on = 1;

	t->listener = socket(addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->listener < 0 ||
	    setsockopt(t->listener, SOL_SOCKET, SO_REUSEADDR, &on,
		       sizeof(on)) ||
	    setsockopt(t->listener, SOL_SOCKET, SO_RCVTIMEO, &tv,
		       sizeof(tv)) ||
	    bind(t->listener, (struct sockaddr *)&addr, len) ||
	    listen(t->listener, RANKS_MAX)) {
		warn_user("tcp: listening at %s port %u: %s",
			  fa_of(o, o->rank), o->port + o->rank,
			  strerror(errno));
		return -1;
	}
	return 0;
}

/* The other rank may not listen yet. */
static int connection_try(struct tcp *t, int to, uint64_t end)
{
	struct sockaddr_storage addr;
	socklen_t len = address_make(t->net.o, to, &addr);
	int fd;

	for (;;) {
		fd = socket(addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return tcp_fail("socket for", to);
		if (!connect(fd, (struct sockaddr *)&addr, len))
			return fd;
		close(fd);
		if (errno != ECONNREFUSED || now_ns() >= end)
			return tcp_fail("connecting to", to);
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
}

static int connect_to(struct tcp *t, int to)
{
	const struct options *o = t->net.o;
	uint64_t end = now_ns() + o->timeout * 1000000000ull;
	uint32_t me = o->rank;

	t->out[to].fd = connection_try(t, to, end);
	if (t->out[to].fd < 0 || connection_set(o, t->out[to].fd, to))
		return -1;
	if (send(t->out[to].fd, &me, sizeof(me), MSG_NOSIGNAL) != sizeof(me))
		return tcp_fail("greeting", to);
	return 0;
}

static int accept_one(struct tcp *t)
{
	const struct options *o = t->net.o;
	uint32_t from = 0;
	int fd = accept4(t->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return tcp_fail("waiting for the others at", o->rank);
	if (connection_set(o, fd, o->rank) ||
	    recv(fd, &from, sizeof(from), MSG_WAITALL) != sizeof(from) ||
	    from >= (uint32_t)o->ranks || t->in[from].fd >= 0) {
		warn_user("tcp: a connection does not come from a rank");
		close(fd);
		return -1;
	}
	t->in[from].fd = fd;
	t->in[from].buf = malloc(t->space);
	if (t->in[from].buf)
		return 0;
	warn_user("no memory for messages of %zu bytes", t->space);
	return -1;
}

static int tcp_connect(struct tcp *t)
{
	const struct options *o = t->net.o;
	int rank;

	if (listener_open(t))
		return -1;
	for (rank = 0; rank < o->ranks; rank++)
		if (rank != o->rank && connect_to(t, rank))
			return -1;
	for (rank = 0; rank < o->ranks - 1; rank++)
		if (accept_one(t))
			return -1;
	return barrier(&t->net, NULL);
}

static void tcp_close(struct net *net)
{
	struct tcp *t = tcp_of(net);

	for (int rank = 0; rank < RANKS_MAX; rank++) {
		if (t->out[rank].fd >= 0)
			close(t->out[rank].fd);
		if (t->in[rank].fd >= 0)
			close(t->in[rank].fd);
		free(t->in[rank].buf);
	}
	if (t->listener >= 0)
		close(t->listener);
	free(t);
}

static struct net *tcp_open(const struct options *o, size_t space)
{
	struct tcp *t = calloc(1, sizeof(*t));

	if (!t) {
		warn_user("no memory for connections");
		return NULL;
	}
	t->net.ops = &net_tcp;
	t->net.o = o;
	t->net.packet = UINT32_MAX;
	t->space = space;
	t->listener = -1;
	for (int rank = 0; rank < RANKS_MAX; rank++)
		t->out[rank].fd = t->in[rank].fd = -1;
	if (!tcp_connect(t))
		return &t->net;
	tcp_close(&t->net);
	return NULL;
}

/* ----------------------------------------------------------------- sending */

static bool out_is_busy(const struct out *out)
{
	return out->sent < out->len;
}

/* Send the rest.  Return: 0: all was sent, 1: not all, -1: failed. */
static int out_push(struct tcp *t, int to, int flags)
{
	struct out *out = &t->out[to];
	struct iovec iov[2];
	struct msghdr msg = { .msg_iov = iov };
	size_t skip;
	ssize_t n;

	while (out_is_busy(out)) {
		msg.msg_iovlen = 0;
		if (out->sent < out->head_len)
			iov[msg.msg_iovlen++] = (struct iovec){
				out->head + out->sent,
				out->head_len - out->sent,
			};
		skip = out->sent > out->head_len ?
		       out->sent - out->head_len : 0;
		iov[msg.msg_iovlen++] = (struct iovec){
			(void *)(out->data + skip),
			out->len - out->head_len - skip,
		};
		n = sendmsg(out->fd, &msg, MSG_NOSIGNAL | flags);
		if (n < 0 && errno == EAGAIN && flags)
			return 1;
		if (n < 0)
			return tcp_fail("sending to", to);
		out->sent += n;
	}
	return 0;
}

/* Send everything before waiting for something else. */
static int out_push_all(struct tcp *t)
{
	for (int rank = 0; rank < t->net.o->ranks; rank++)
		if (out_push(t, rank, 0))
			return -1;
	return 0;
}

static int tcp_post(struct net *net, const struct post *p)
{
	struct tcp *t = tcp_of(net);
	struct out *out = &t->out[p->to];
	int ret = out_push(t, p->to, MSG_DONTWAIT);

	if (ret)
		return ret;
	if (p->head_len)
		memcpy(out->head, p->head, p->head_len);
	out->head_len = p->head_len;
	out->data = p->data;
	out->len = p->len;
	out->sent = 0;
	return out_push(t, p->to, MSG_DONTWAIT) < 0 ? -1 : 0;
}

/* Return: whether the peer has acknowledged messages, or -1. */
static int counts_read(struct tcp *t, int to)
{
	struct out *out = &t->out[to];
	char *count = (char *)&out->count;
	int news = 0;
	ssize_t n;

	for (;;) {
		n = recv(out->fd, count + out->count_len,
			 sizeof(out->count) - out->count_len, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			return news;
		if (n < 0)
			return tcp_fail("counts of", to);
		if (!n)
			return tcp_fail_end(to);
		out->count_len += n;
		if (out->count_len < sizeof(out->count))
			continue;
		out->count_len = 0;
		t->net.done[to] = out->count;
		news = 1;
	}
}

static bool sends_to(const struct tcp *t, int to)
{
	const struct pattern *p = t->net.o->pattern;

	return to != t->net.o->rank && p->sends && p->sends(t->net.o->rank, to);
}

static int tcp_reap(struct net *net)
{
	struct tcp *t = tcp_of(net);
	int rank, ret, news = 0;

	if (!t->phase.is_counted)
		return 0;
	for (rank = 0; rank < net->o->ranks; rank++) {
		if (!sends_to(t, rank))
			continue;
		ret = counts_read(t, rank);
		if (ret < 0)
			return -1;
		news |= ret;
	}
	return news;
}

/* --------------------------------------------------------------- receiving */

/* Acknowledge to the sender twice per window, and the last message. */
static int count_tell(struct tcp *t, int from)
{
	struct in *in = &t->in[from];
	uint64_t each = (t->phase.window + 1) / 2;

	in->taken++;
	if (!t->phase.is_counted ||
	    (in->taken % each && in->taken != t->phase.expected))
		return 0;
	if (send(in->fd, &in->taken, sizeof(in->taken), MSG_NOSIGNAL) !=
	    sizeof(in->taken))
		return tcp_fail("counts for", from);
	return 0;
}

/* Return: 1 if there is a whole message, 0 if not, -1 on failure. */
static int in_pull(struct tcp *t, int from, size_t want, int flags)
{
	struct in *in = &t->in[from];
	ssize_t n;

	while (in->got < want) {
		n = recv(in->fd, in->buf + in->got, want - in->got, flags);
		if (n < 0 && errno == EAGAIN && flags)
			return 0;
		if (n < 0)
			return tcp_fail("receiving from", from);
		if (!n)
			return tcp_fail_end(from);
		in->got += n;
	}
	in->got = 0;
	return count_tell(t, from) ? -1 : 1;
}

static bool sends_to_me(const struct tcp *t, int from)
{
	const struct pattern *p = t->net.o->pattern;

	if (from == t->net.o->rank || (t->only >= 0 && t->only != from) ||
	    (t->phase.is_counted && t->in[from].taken >= t->phase.expected))
		return false;
	return !p->sends || p->sends(from, t->net.o->rank);
}

/* Poll all connections once.  Return: 1, 0, -1. */
static int tcp_look(struct tcp *t, struct arrival *a)
{
	int i, ret, ranks = t->net.o->ranks, wanted = a->from;

	for (i = 0; i < ranks; i++) {
		int from = wanted < 0 ? (t->next + i) % ranks : wanted;

		if (wanted < 0 && !sends_to_me(t, from))
			continue;
		ret = in_pull(t, from, a->want, MSG_DONTWAIT);
		if (ret > 0) {
			a->from = from;
			a->len = a->want;
			a->data = t->in[from].buf;
			t->next = from + 1;
		}
		if (ret || wanted >= 0)
			return ret;
	}
	return 0;
}

static int tcp_wait(struct net *net)
{
	struct tcp *t = tcp_of(net);
	struct pollfd pfds[2 * RANKS_MAX];
	int rank, ret, nr = 0;

	for (rank = 0; rank < net->o->ranks; rank++) {
		bool is_busy = out_is_busy(&t->out[rank]);

		if (sends_to_me(t, rank))
			pfds[nr++] = (struct pollfd){
				.fd = t->in[rank].fd, .events = POLLIN,
			};
		if (is_busy || sends_to(t, rank))
			pfds[nr++] = (struct pollfd){
				.fd = t->out[rank].fd,
				.events = POLLIN | (is_busy ? POLLOUT : 0),
			};
	}
	ret = poll(pfds, nr, net->o->timeout * 1000);
	if (!ret)
		errno = EAGAIN;
	if (ret <= 0)
		return tcp_fail("waiting on", net->o->rank);
	for (rank = 0; rank < net->o->ranks; rank++)
		if (out_push(t, rank, MSG_DONTWAIT) < 0)
			return -1;
	return 0;
}

/* The only rank that sends to this one, or -1. */
static int only_sender(const struct tcp *t)
{
	int rank, only = -1;

	for (rank = 0; rank < t->net.o->ranks; rank++) {
		if (!sends_to_me(t, rank))
			continue;
		if (only >= 0)
			return -1;
		only = rank;
	}
	return only;
}

static int tcp_recv(struct net *net, struct arrival *a, bool may_wait)
{
	struct tcp *t = tcp_of(net);
	int ret, rank, is_busy = 0;

	t->only = -1;
	for (rank = 0; may_wait && rank < net->o->ranks; rank++)
		is_busy |= out_is_busy(&t->out[rank]);
	/* With nothing else to do: one blocking call, like UET. */
	if (may_wait && !is_busy && a->from < 0)
		a->from = only_sender(t);
	t->only = a->from;
	if (may_wait && !is_busy && a->from >= 0) {
		a->len = a->want;
		a->data = t->in[a->from].buf;
		return in_pull(t, a->from, a->want, 0);
	}
	while (!(ret = tcp_look(t, a)) && may_wait)
		if (tcp_wait(net))
			return -1;
	return ret;
}

/* -------------------------------------------------------- control messages */

static int tcp_ctl_send(struct net *net, int to, const struct ctl *ctl)
{
	struct tcp *t = tcp_of(net);
	struct ctl mine = *ctl;

	mine.magic = CTL_MAGIC;
	mine.from = net->o->rank;
	if (out_push_all(t))
		return -1;
	if (send(t->out[to].fd, &mine, sizeof(mine), MSG_NOSIGNAL) !=
	    sizeof(mine))
		return tcp_fail("control message to", to);
	return 0;
}

static int tcp_ctl_recv(struct net *net, int from, struct ctl *ctl)
{
	struct tcp *t = tcp_of(net);
	ssize_t n;

	if (out_push_all(t))
		return -1;
	/* The other rank may be busy; if it has exited, the connection ends. */
	do {
		n = recv(t->in[from].fd, ctl, sizeof(*ctl), MSG_WAITALL);
	} while (n < 0 && errno == EAGAIN);
	if (n < 0)
		return tcp_fail("control message of", from);
	if (!n)
		return tcp_fail_end(from);
	if (n == sizeof(*ctl) && ctl->magic == CTL_MAGIC)
		return 0;
	warn_user("tcp: rank %d has sent unexpected data", from);
	return -1;
}

static int tcp_begin(struct net *net, const struct phase *phase)
{
	struct tcp *t = tcp_of(net);

	t->phase = *phase;
	t->only = -1;
	memset(net->done, 0, sizeof(net->done));
	for (int rank = 0; rank < net->o->ranks; rank++)
		t->in[rank].taken = 0;
	return 0;
}

/* Segments of all connections of this rank; each of them is about what it has sent. */
static uint64_t tcp_retransmissions(struct net *net, uint64_t *whose)
{
	struct tcp *t = tcp_of(net);
	struct tcp_info info;
	uint64_t all = 0;
	socklen_t len;

	*whose = 0;
	for (int i = 0; i < 2 * net->o->ranks; i++) {
		int fd = i % 2 ? t->in[i / 2].fd : t->out[i / 2].fd;

		len = sizeof(info);
		if (fd >= 0 && !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
			all += info.tcpi_total_retrans;
	}
	return all;
}

const struct net_ops net_tcp = {
	.name = "tcp",
	.has_memory = false,
	.open = tcp_open,
	.close = tcp_close,
	.ctl_send = tcp_ctl_send,
	.ctl_recv = tcp_ctl_recv,
	.begin = tcp_begin,
	.post = tcp_post,
	.recv = tcp_recv,
	.reap = tcp_reap,
	.wait = tcp_wait,
	.retransmissions = tcp_retransmissions,
};
