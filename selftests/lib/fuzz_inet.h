/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AF_INET and AF_INET6 sockets for the socket fuzzer, and addresses of IP for sockets of
 * any family.  Sockets of AF_INET share the endpoints of job 1 with those of AF_UET;
 * those of AF_INET6 are of job 3, whose fabric addresses end like the IPv4 ones.  For
 * fuzz_sock.h's threads.  Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_INET_H
#define UET_SELFTESTS_FUZZ_INET_H

#include <arpa/inet.h>
#include <netinet/in.h>

#include "fuzz_sock.h"

union inet_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	uint8_t bytes[40];
};

/* Of an endpoint that may exist, or one that is damaged. */
static inline union inet_address make_inet(struct thread *t, bool is_own,
					   socklen_t *len)
{
	union inet_address a = { .in.sin_family = AF_INET };
	uint32_t fa = is_own || fuzz_one_in(&t->rand, 3) ? own_fa : peer_fa;

	*len = sizeof(a.in);
	a.in.sin_port = htons(fuzz_below(&t->rand, 3) + !is_own);
	a.in.sin_addr.s_addr = fa;
	if (fuzz_one_in(&t->rand, 3)) {
		*len = sizeof(a.in6);
		a.in6.sin6_family = AF_INET6;
		inet_pton(AF_INET6, "fd00::", &a.in6.sin6_addr);
		a.in6.sin6_addr.s6_addr[15] = ntohl(fa);
	}
	if (fuzz_one_in(&t->rand, 16))
		a.any.sa_family = AF_UNSPEC;
	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, a.bytes, sizeof(a.bytes));
	if (fuzz_one_in(&t->rand, 16))
		*len = fuzz_one_in(&t->rand, 2) ?
			fuzz_below(&t->rand, sizeof(a) + 1) : fuzz_edge(&t->rand);
	return a;
}

static inline void set_inet(struct thread *t, int fd, int name, uint32_t value)
{
	CALL(t, SETSOCKOPT, setsockopt(fd, SOL_UET, name, pointer(t, &value),
				       sizeof(value)));
}

static inline void bind_inet(struct thread *t, int fd)
{
	socklen_t len;
	union inet_address a = make_inet(t, true, &len);

	CALL(t, BIND, bind(fd, pointer(t, &a), len));
}

static inline void open_inet(struct thread *t)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	int family = fuzz_one_in(&t->rand, 3) ? AF_INET6 : AF_INET;
	int fd = CALL(t, SOCKET, socket(family, types[fuzz_below(&t->rand, 3)],
					IPPROTO_UET));

	if (fd < 0)
		return;
	set_timeout(fd, SO_SNDTIMEO, 20000);
	set_timeout(fd, SO_RCVTIMEO, 20000);
	if (family == AF_INET6)
		set_inet(t, fd, UET_JOB, 3);
	else if (fuzz_one_in(&t->rand, 2))
		set_inet(t, fd, UET_JOB, fuzz_below(&t->rand, 3));
	if (fuzz_one_in(&t->rand, 4))
		set_inet(t, fd, UET_PIDONFEP, fuzz_below(&t->rand, 4));
	if (fuzz_one_in(&t->rand, 2))
		bind_inet(t, fd);
	put_slot(t, fd);
}

static inline void send_inet(struct thread *t)
{
	size_t len = fuzz_below(&t->rand, 9000);
	uint8_t *bytes = piece(t, len);
	socklen_t addr_len;
	union inet_address a = make_inet(t, false, &addr_len);
	int flags = MSG_NOSIGNAL;

	if (fuzz_one_in(&t->rand, 2))
		flags |= MSG_DONTWAIT;
	CALL(t, SEND, sendto(any_fd(t), pointer(t, bytes), len, flags,
			     pointer(t, &a), addr_len));
}

static inline void call_inet(struct thread *t)
{
	socklen_t len;
	union inet_address a;

	switch (fuzz_below(&t->rand, 8)) {
	case 0:
	case 1:
	case 2:
		open_inet(t);
		break;
	case 3:
		bind_inet(t, any_fd(t));
		break;
	case 4:
		a = make_inet(t, false, &len);
		CALL(t, CONNECT, connect(any_fd(t), pointer(t, &a), len));
		break;
	default:
		send_inet(t);
	}
}

#endif
