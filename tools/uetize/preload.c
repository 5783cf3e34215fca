// SPDX-License-Identifier: GPL-2.0
/*
 * libuetize.so, which uetize(1) loads into a program: a TCP socket of the program becomes a
 * stream of UET. An address that the rules do not name, or that no FEP can reach, gets a TCP
 * socket after all, in the place of the other one; the second case is reported, or refused
 * with UETIZE_REQUIRE.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>

#define EXPORT	__attribute__((visibility("default")))

/* Longest text of a rule. */
#define RULE_MAX	64

/* The functions that these stand before. */
#define REAL(name)	((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static bool is_required(void)
{
	return getenv("UETIZE_REQUIRE");
}

static void report(const char *what, const struct sockaddr *addr, int error)
{
	const union address *a = (const union address *)addr;
	char text[INET6_ADDRSTRLEN] = "";

	if (a)
		inet_ntop(a->any.sa_family, a->any.sa_family == AF_INET ?
			  (const void *)&a->in.sin_addr : (const void *)&a->in6.sin6_addr,
			  text, sizeof(text));
	fprintf(stderr, "uetize: %s %s: %s%s\n", what, text, strerror(error),
		is_required() ? "" : "; TCP is used");
}

/* -------------------------------------------------------------------------- rules */

/* Call @matches for each part of a list, separated by commas. No list: true. */
static bool any_of(const char *list, bool (*matches)(const char *, const union address *),
		   const union address *addr)
{
	char part[RULE_MAX];
	size_t len;

	if (!list || !*list)
		return true;
	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		snprintf(part, sizeof(part), "%.*s", (int)len, list);
		if (matches(part, addr))
			return true;
	}
	return false;
}

static bool port_matches(const char *range, const union address *addr)
{
	unsigned int first, last, port = ntohs(addr->in.sin_port);
	int nr = sscanf(range, "%u-%u", &first, &last);

	if (nr < 2)
		last = first;
	return nr > 0 && port >= first && port <= last;
}

static bool bits_equal(const unsigned char *a, const unsigned char *b, unsigned int bits)
{
	unsigned int bytes = bits / 8, rest = bits % 8;

	return !memcmp(a, b, bytes) && (!rest || !((a[bytes] ^ b[bytes]) >> (8 - rest)));
}

/* @net: address, with or without "/LENGTH". An IPv4 address may be inside one of IPv6. */
static bool net_matches(const char *net, const union address *addr)
{
	const unsigned char *has = (const unsigned char *)&addr->in.sin_addr;
	unsigned char want[sizeof(struct in6_addr)];
	int family = addr->any.sa_family;
	char text[RULE_MAX];
	unsigned int bits;

	if (family == AF_INET6) {
		has = addr->in6.sin6_addr.s6_addr;
		if (IN6_IS_ADDR_V4MAPPED(&addr->in6.sin6_addr)) {
			family = AF_INET;
			has += 12;
		}
	}
	bits = family == AF_INET ? 32 : 128;
	snprintf(text, sizeof(text), "%s", net);
	net = strchr(text, '/');
	if (net) {
		if (sscanf(net, "/%u", &bits) != 1 || bits > (family == AF_INET ? 32 : 128))
			return false;
		text[net - text] = 0;
	}
	return inet_pton(family, text, want) == 1 && bits_equal(has, want, bits);
}

static bool is_any(const union address *addr)
{
	return addr->any.sa_family == AF_INET ? addr->in.sin_addr.s_addr == INADDR_ANY :
						IN6_IS_ADDR_UNSPECIFIED(&addr->in6.sin6_addr);
}

static bool rules_name(const struct sockaddr *addr)
{
	const union address *a = (const union address *)addr;

	return (!a->in.sin_port || any_of(getenv("UETIZE_PORTS"), port_matches, a)) &&
	       (is_any(a) || any_of(getenv("UETIZE_TO"), net_matches, a));
}

/* ------------------------------------------------------------------------ sockets */

static bool is_inet(const struct sockaddr *addr, socklen_t len)
{
	return addr && ((addr->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) ||
			(addr->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6)));
}

static int get_int(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value;

	return getsockopt(fd, level, name, &value, &len) ? -1 : value;
}

static bool is_stream(int fd)
{
	return get_int(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_UET &&
	       get_int(fd, SOL_SOCKET, SO_TYPE) == SOCK_STREAM;
}

static const struct {
	int level;
	int name;
} copied[] = {
	{ SOL_SOCKET, SO_REUSEADDR },
	{ SOL_SOCKET, SO_REUSEPORT },
	{ SOL_SOCKET, SO_KEEPALIVE },
	{ IPPROTO_TCP, TCP_NODELAY },
	{ IPPROTO_TCP, TCP_KEEPIDLE },
	{ IPPROTO_TCP, TCP_KEEPINTVL },
	{ IPPROTO_TCP, TCP_KEEPCNT },
	{ IPPROTO_IPV6, IPV6_V6ONLY },
};

/* Put a TCP socket with the options of @fd in its place. */
static int become_tcp(int fd)
{
	int family = get_int(fd, SOL_SOCKET, SO_DOMAIN);
	int flags = fcntl(fd, F_GETFD), mode = fcntl(fd, F_GETFL);
	int tcp = REAL(socket)(family, SOCK_STREAM, IPPROTO_TCP);
	unsigned int i;
	int value, ret;

	if (tcp < 0)
		return -1;
	for (i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		value = get_int(fd, copied[i].level, copied[i].name);
		if (value >= 0)
			setsockopt(tcp, copied[i].level, copied[i].name, &value, sizeof(value));
	}
	fcntl(tcp, F_SETFL, mode);
	ret = dup3(tcp, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
	close(tcp);
	return ret < 0 ? -1 : 0;
}

/* The FEPs do not know the address: use TCP, unless that is forbidden. Return: 0 for TCP. */
static int fall_back(int fd, const char *call, const struct sockaddr *addr)
{
	int error = errno;

	if (error == ENOENT)
		fprintf(stderr, "uetize: %s: no job: set UET_JOB, or net.uet.default_job\n", call);
	if (error != ENETUNREACH && error != EADDRNOTAVAIL)
		return -1;
	report(call, addr, error);
	errno = error;
	return is_required() ? -1 : become_tcp(fd);
}

static void set_job(int fd)
{
	const char *text = getenv("UET_JOB");
	int job = text ? atoi(text) : 0;

	if (job && setsockopt(fd, SOL_UET, UET_JOB, &job, sizeof(job)))
		fprintf(stderr, "uetize: UET_JOB %s: %s\n", text, strerror(errno));
}

EXPORT int socket(int domain, int type, int protocol)
{
	int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC), fd;

	if ((domain != AF_INET && domain != AF_INET6) || kind != SOCK_STREAM ||
	    (protocol && protocol != IPPROTO_TCP))
		return REAL(socket)(domain, type, protocol);
	fd = REAL(socket)(domain, type, IPPROTO_UET);
	if (fd >= 0) {
		set_job(fd);
		return fd;
	}
	if (errno != EPROTONOSUPPORT && errno != ESOCKTNOSUPPORT)
		return -1;
	report("socket", NULL, errno);
	return is_required() ? -1 : REAL(socket)(domain, type, protocol);
}

EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	int ret;

	if (!is_inet(addr, len) || !is_stream(fd))
		return REAL(connect)(fd, addr, len);
	if (!rules_name(addr))
		return become_tcp(fd) ? -1 : REAL(connect)(fd, addr, len);
	ret = REAL(connect)(fd, addr, len);
	return ret && !fall_back(fd, "connect", addr) ? REAL(connect)(fd, addr, len) : ret;
}

EXPORT int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	int ret;

	if (!is_inet(addr, len) || !is_stream(fd))
		return REAL(bind)(fd, addr, len);
	if (!rules_name(addr))
		return become_tcp(fd) ? -1 : REAL(bind)(fd, addr, len);
	ret = REAL(bind)(fd, addr, len);
	return ret && !fall_back(fd, "bind", addr) ? REAL(bind)(fd, addr, len) : ret;
}
