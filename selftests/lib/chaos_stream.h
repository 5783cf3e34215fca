/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls that make streams and connections of them.  The sockets are among the others
 * of a process, so all calls of fuzz_calls.h and chaos_calls.h meet them, too.  For
 * chaos_calls.h.  Level: test.
 */
#ifndef UET_SELFTESTS_CHAOS_STREAM_H
#define UET_SELFTESTS_CHAOS_STREAM_H

#include <netinet/tcp.h>

#include "fuzz_calls.h"

#define STREAM_PORT	2000
#define STREAM_PORTS	3

/* How many connections were accepted. */
static atomic_ulong nr_accepted;

/* A port of few, any address or one of a FEP; or one that is damaged. */
static inline union inet_address stream_address(struct thread *t, int family, bool is_own,
						socklen_t *len)
{
	union inet_address a = { .any.sa_family = family };
	uint32_t fa = is_own || fuzz_one_in(&t->rand, 2) ? own_fa : peer_fa;
	bool is_any = is_own && fuzz_one_in(&t->rand, 2);

	a.in.sin_port = htons(STREAM_PORT + fuzz_below(&t->rand, STREAM_PORTS));
	if (family == AF_INET6) {
		*len = sizeof(a.in6);
		if (fuzz_one_in(&t->rand, 2)) {
			inet_pton(AF_INET6, "::ffff:0.0.0.0", &a.in6.sin6_addr);
			memcpy(&a.in6.sin6_addr.s6_addr[12], &fa, sizeof(fa));
		} else if (!is_any) {
			inet_pton(AF_INET6, "fd00::", &a.in6.sin6_addr);
			a.in6.sin6_addr.s6_addr[15] = ntohl(fa);
		}
	} else {
		*len = sizeof(a.in);
		a.in.sin_addr.s_addr = is_any ? INADDR_ANY : fa;
	}
	if (fuzz_one_in(&t->rand, 16))
		fuzz_damage(&t->rand, a.bytes, sizeof(a.bytes));
	return a;
}

static inline void set_number_option(struct thread *t, int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, pointer(t, &value), sizeof(value));
}

/* Few of them would find a free place. */
static inline void replace_slot(struct thread *t, int fd)
{
	int old;

	if (fd < 0)
		return;
	old = atomic_exchange(any_slot(t), fd);
	if (old >= 0)
		close(old);
}

/* Calls on it wait, or do not; a call that waits is interrupted. */
static inline int open_stream(struct thread *t, int *family)
{
	int type = SOCK_STREAM | (fuzz_one_in(&t->rand, 2) ? SOCK_NONBLOCK : 0), fd;

	*family = fuzz_one_in(&t->rand, 3) ? AF_INET6 : AF_INET;
	fd = socket(*family, type, IPPROTO_UET);
	if (fuzz_one_in(&t->rand, 2))
		set_number_option(t, fd, SOL_UET, UET_JOB,
				  *family == AF_INET6 ? 3 : 1 + fuzz_below(&t->rand, 2));
	if (fuzz_one_in(&t->rand, 2))
		set_number_option(t, fd, SOL_SOCKET, SO_REUSEPORT, 1);
	if (fuzz_one_in(&t->rand, 4))
		set_number_option(t, fd, SOL_SOCKET, SO_RCVBUF,
				  2048 << fuzz_below(&t->rand, 10));
	return fd;
}

static inline void open_listener(struct thread *t)
{
	int family, fd = open_stream(t, &family);
	union inet_address a;
	socklen_t len;

	a = stream_address(t, family, true, &len);
	bind(fd, pointer(t, &a), len);
	listen(fd, fuzz_below(&t->rand, 8));
	replace_slot(t, fd);
}

static inline void open_client(struct thread *t)
{
	int family, fd = open_stream(t, &family);
	union inet_address a;
	socklen_t len;

	a = stream_address(t, family, false, &len);
	if (fuzz_one_in(&t->rand, 4))
		bind(fd, pointer(t, &a), len);
	connect(fd, pointer(t, &a), len);
	replace_slot(t, fd);
}

/* A socket that listens, if there is one, or any. */
static inline int find_listener(struct thread *t)
{
	unsigned int start = fuzz_below(&t->rand, SLOTS);

	for (unsigned int i = 0; i < SLOTS; i++) {
		int fd = slots[(start + i) % SLOTS], listens = 0;
		socklen_t len = sizeof(listens);

		if (!getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) && listens)
			return fd;
	}
	return any_fd(t);
}

static inline void call_accept(struct thread *t)
{
	struct sockaddr_storage addr;
	socklen_t len = fuzz_below(&t->rand, sizeof(addr));
	int flags = fuzz_one_in(&t->rand, 2) ? SOCK_NONBLOCK : 0, fd;

	fd = accept4(find_listener(t), pointer(t, &addr), pointer(t, &len), flags);
	if (fd >= 0)
		atomic_fetch_add(&nr_accepted, 1);
	replace_slot(t, fd);
}

/* Options of TCP and of IP, those that exist and others; a linger of no time is a reset. */
static inline void call_stream_option(struct thread *t)
{
	static const int levels[] = { IPPROTO_TCP, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6 };
	int level = levels[fuzz_below(&t->rand, NR(levels))];
	int name = fuzz_below(&t->rand, 48), fd = any_fd(t);
	struct linger linger = { .l_onoff = fuzz_below(&t->rand, 2) };
	socklen_t len = fuzz_below(&t->rand, sizeof(t->control));

	switch (fuzz_below(&t->rand, 4)) {
	case 0:
		setsockopt(fd, SOL_SOCKET, SO_LINGER, pointer(t, &linger), sizeof(linger));
		break;
	case 1:
		getsockopt(fd, level, name, pointer(t, t->control), pointer(t, &len));
		break;
	case 2:
		set_number_option(t, fd, IPPROTO_TCP, fuzz_one_in(&t->rand, 2) ?
				  TCP_NODELAY : TCP_CORK, fuzz_below(&t->rand, 2));
		break;
	default:
		set_number_option(t, fd, level, name, fuzz_edge(&t->rand));
	}
}

static inline void call_stream(struct thread *t)
{
	int fd = any_fd(t);

	switch (fuzz_below(&t->rand, 8)) {
	case 0:
		open_listener(t);
		break;
	case 1:
	case 2:
		open_client(t);
		break;
	case 3:
	case 4:
		call_accept(t);
		break;
	case 5:
		call_stream_option(t);
		break;
	case 6:
		listen(fd, fuzz_edge(&t->rand));
		break;
	default:
		shutdown(fd, fuzz_below(&t->rand, 3));
	}
}

#endif
