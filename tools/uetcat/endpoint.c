// SPDX-License-Identifier: GPL-2.0
/*
 * The sockets of uetcat: opening, binding, and explaining the kernel's
 * refusals.  Level: tool.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "uet_family.h"
#include "uetcat.h"

/**
 * endpoint_fail() - report a failure with the kernel's reason
 * @fd: socket, or -1
 * @what: what failed; errno tells how
 *
 * Return: -1.
 */
int endpoint_fail(int fd, const char *what)
{
	char why[256] = "";
	socklen_t len = sizeof(why) - 1;
	int err = errno;

	/* A time-out is no refusal, so the text would be from an earlier refusal. */
	if (err == EAGAIN)
		warn_user("%s: nothing has moved for too long", what);
	else if (getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len) || !*why)
		warn_user("%s: %s", what, strerror(err));
	else
		warn_user("%s (%s)", why, strerror(err));
	return -1;
}

/**
 * endpoint_set_wait() - set how long a call waits
 * @fd: socket
 * @option: SO_SNDTIMEO or SO_RCVTIMEO
 * @seconds: 0: for ever
 *
 * Return: 0, or -1 after printing the reason.
 */
int endpoint_set_wait(int fd, int option, uint32_t seconds)
{
	struct timeval tv = { .tv_sec = seconds };

	if (setsockopt(fd, SOL_SOCKET, option, &tv, sizeof(tv)))
		return endpoint_fail(fd, "setting the time-out");
	return 0;
}

static int endpoint_set(int fd, const struct options *o)
{
	int size = o->buffer;

	if (endpoint_set_wait(fd, SO_SNDTIMEO, o->timeout) ||
	    endpoint_set_wait(fd, SO_RCVTIMEO, o->timeout))
		return -1;
	if (o->buffer &&
	    (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ||
	     setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size))))
		return endpoint_fail(fd, "setting the buffers");
	return 0;
}

/**
 * endpoint_open() - a socket with its options
 * @o: command line
 *
 * Return: file descriptor, or -1 after printing the reason.
 */
int endpoint_open(const struct options *o)
{
	int family = uet_family();
	int fd;

	if (!family) {
		warn_user("the uet module is not loaded (modprobe uet)");
		return -1;
	}
	fd = socket(family, SOCK_RDM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return endpoint_fail(fd, "socket");
	if (endpoint_set(fd, o)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Fill in a fabric address, "10.0.0.1" or "fe80::1%eth0". */
static int address_parse(struct sockaddr_uet *addr, const char *text)
{
	char host[INET6_ADDRSTRLEN];
	size_t len = strcspn(text, "%");

	if (inet_pton(AF_INET, text, &addr->suet_fa4) == 1)
		return 0;
	addr->suet_flags |= UET_ADDR_IPV6;
	if (len >= sizeof(host))
		goto bad;
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(AF_INET6, host, addr->suet_fa6) != 1)
		goto bad;
	if (!text[len])
		return 0;
	addr->suet_scope_id = if_nametoindex(text + len + 1);
	if (addr->suet_scope_id)
		return 0;
	warn_user("%s: there is no network device %s", text, text + len + 1);
	return -1;
bad:
	warn_user("%s is not an IPv4 or IPv6 address", text);
	return -1;
}

static int address_make(struct sockaddr_uet *addr, const struct options *o,
			const char *text)
{
	memset(addr, 0, sizeof(*addr));
	addr->suet_family = uet_family();
	addr->suet_version = UET_ADDR_VERSION;
	addr->suet_job = o->job;
	return text ? address_parse(addr, text) : 0;
}

/**
 * endpoint_bind() - take an address
 * @fd: socket
 * @o: command line; a listener's address is given, a sender's is any
 *
 * Return: 0, or -1 after printing the reason.
 */
int endpoint_bind(int fd, const struct options *o)
{
	struct sockaddr_uet addr;

	if (address_make(&addr, o, o->local))
		return -1;
	addr.suet_pid = o->listen ? o->pid : UET_PID_ANY;
	addr.suet_ri = o->listen ? o->ri : 0;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return endpoint_fail(fd, "bind");
	return 0;
}

/**
 * endpoint_connect() - set the destination
 * @fd: socket
 * @o: command line
 *
 * Return: 0, or -1 after printing the reason.
 */
int endpoint_connect(int fd, const struct options *o)
{
	struct sockaddr_uet addr;

	if (address_make(&addr, o, o->remote))
		return -1;
	addr.suet_pid = o->pid;
	addr.suet_ri = o->ri;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return endpoint_fail(fd, "connect");
	return 0;
}

/**
 * endpoint_is_same() - do two messages come from the same sender?
 * @a: address of one
 * @b: address of the other
 *
 * Return: true if so.
 */
bool endpoint_is_same(const struct sockaddr_uet *a,
		      const struct sockaddr_uet *b)
{
	return !memcmp(a, b, sizeof(*a));
}
