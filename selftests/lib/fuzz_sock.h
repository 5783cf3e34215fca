/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame around the calls of fuzz_calls.h: threads and the descriptors they share,
 * pointers that may be bad, the pattern all messages are made of, and the judgement of
 * each call: did it end, and with an errno that it may have?  Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_SOCK_H
#define UET_SELFTESTS_FUZZ_SOCK_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/uet.h>

#include "fuzz.h"

#define SLOTS		10
#define MESSAGE_MAX	(1u << 20)
#define PATTERN		(2 * MESSAGE_MAX)
#define CALL_SECONDS	20
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/**
 * struct thread - one of those that call
 * @id: of the thread
 * @rand: its numbers
 * @call: the call it is in, one of enum call_kind, or -1
 * @began: when that began, seconds
 * @has_ended: it makes no more calls
 * @is_bad: a pointer of the call is bad
 * @may_be_524: the call may fail with the kernel's own ENOTSUPP
 * @epoll, @pipe, @unix_pair: descriptors of its own
 * @control: space for control messages
 * @buf: space for messages, and no memory behind it
 */
struct thread {
	pthread_t id;
	struct fuzz_rand rand;
	atomic_int call;
	atomic_long began;
	atomic_bool has_ended;
	bool is_bad, may_be_524;
	int epoll, pipe[2], unix_pair[2];
	uint64_t control[64];
	uint8_t *buf;
};

/* A call that is made so often, compared with others. */
struct fuzz_call {
	void (*call)(struct thread *t);
	unsigned int weight;
};

/* Make one of @nr calls. */
static inline void fuzz_call_one(struct thread *t, const struct fuzz_call *calls,
				 unsigned int nr)
{
	unsigned int i, sum = 0, at;

	for (i = 0; i < nr; i++)
		sum += calls[i].weight;
	at = fuzz_below(&t->rand, sum);
	for (i = 0; at >= calls[i].weight; i++)
		at -= calls[i].weight;
	calls[i].call(t);
}

static atomic_int slots[SLOTS];
static uint32_t own_fa, peer_fa;
static const uint8_t *pattern;
static int pattern_fd;
static atomic_ulong nr_calls, nr_done, nr_received, nr_checked,
		    nr_completed;

/* ------------------------------------------------------------------- errnos */

/*
 * Errnos that an earlier failed message may have left for the next call; EFAULT is a wrong
 * key of its target's memory.
 */
#define LATE	ECONNREFUSED, ECANCELED, ETIMEDOUT, ECONNRESET, ENOBUFS, \
		ECONNABORTED, EPROTO, EACCES, EOPNOTSUPP, EMSGSIZE, EREMOTEIO, \
		EFAULT

/* Errnos of binding, also when connect or send binds. */
#define BINDING	EINVAL, EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, \
		ENOENT, ENOMEM, ESTALE, EOPNOTSUPP

#define SENDING	EAGAIN, E2BIG, EPIPE, EDESTADDRREQ, ENETDOWN, EHOSTUNREACH, ENOSPC, \
		BINDING, LATE
#define RECEIVING EAGAIN, EIO, EINVAL, ENOMEM, LATE

enum call_kind {
	C_SOCKET, C_CLOSE, C_DUP, C_PASS, C_FORK, C_BIND, C_CONNECT, C_NAME,
	C_SEND, C_RECV, C_SPLICE, C_MMAP, C_SETSOCKOPT, C_GETSOCKOPT, C_IOCTL, C_SUBMIT,
	C_FCNTL, C_POLL, C_EPOLL, C_SHUTDOWN, C_NEVER,
};

/* Besides EBADF and EINTR, which any call may return. */
static const struct {
	const char *name;
	short errnos[32];
} call_table[] = {
	[C_SOCKET] = { "socket", { ESOCKTNOSUPPORT, EPROTONOSUPPORT, EINVAL } },
	[C_CLOSE] = { "close", { 0 } },
	[C_DUP] = { "dup", { 0 } },
	[C_PASS] = { "SCM_RIGHTS", { EAGAIN, ETOOMANYREFS } },
	[C_FORK] = { "fork", { EAGAIN } },
	[C_BIND] = { "bind", { BINDING } },
	[C_CONNECT] = { "connect", { BINDING } },
	[C_NAME] = { "getsockname", { ENOTCONN, EINVAL } },
	[C_SEND] = { "send", { SENDING } },
	[C_RECV] = { "recv", { RECEIVING } },
	[C_SPLICE] = { "splice", { SENDING, EIO } },
	[C_MMAP] = { "mmap", { ENODEV, EINVAL, ENXIO } },
	[C_SETSOCKOPT] = { "setsockopt", {
		EINVAL, ENOPROTOOPT, EPERM, EDOM, ENODEV, EOPNOTSUPP, ENOMEM,
		ENOENT, ENOTCONN, EBUSY, ESTALE, E2BIG } },
	[C_GETSOCKOPT] = { "getsockopt", {
		EINVAL, ENOPROTOOPT, ENOTCONN, EOPNOTSUPP, ERANGE, ENODATA,
		EACCES } },
	[C_IOCTL] = { "ioctl", { EBUSY, EEXIST, ENOENT, ENOTCONN, ENOMEM,
		ENOTTY, EINVAL, ENODEV, EPERM, EOPNOTSUPP, EACCES, EAGAIN,
		ESHUTDOWN, EAFNOSUPPORT, ENOMSG, ENXIO, E2BIG } },
	[C_SUBMIT] = { "UET_IOC_SUBMIT or SQ_POLL", {
		ENOTTY, EINVAL, EAGAIN, ENOMEM, ENXIO, EBUSY, LATE } },
	[C_FCNTL] = { "fcntl", { EINVAL } },
	[C_POLL] = { "poll", { 0 } },
	[C_EPOLL] = { "epoll", { EEXIST, ENOENT, EINVAL, EPERM } },
	[C_SHUTDOWN] = { "shutdown", { EINVAL, EAGAIN, LATE } },
	[C_NEVER] = { "listen, accept or socketpair", { EOPNOTSUPP } },
};

static bool may_fail_with(const struct thread *t, enum call_kind kind,
			  int error)
{
	unsigned int i;

	if (error == EBADF || error == EINTR)
		return true;
	if (error == EFAULT && t->is_bad)
		return true;
	if (error == 524)
		return t->may_be_524;
	for (i = 0; i < NR(call_table[kind].errnos); i++)
		if (call_table[kind].errnos[i] == error)
			return true;
	return false;
}

/* -------------------------------------------------------------------- calls */

static long now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void begin_call(struct thread *t, enum call_kind kind)
{
	atomic_store(&t->began, now_seconds());
	atomic_store(&t->call, kind);
	atomic_fetch_add(&nr_calls, 1);
}

static long end_call(struct thread *t, enum call_kind kind, long ret)
{
	int error = errno;

	atomic_store(&t->call, -1);
	if (ret >= 0)
		atomic_fetch_add(&nr_done, 1);
	else if (!may_fail_with(t, kind, error))
		fuzz_fail("%s fails with errno %d (%s)%s",
			  call_table[kind].name, error, strerror(error),
			  t->is_bad ? ", a pointer was bad" : "");
	return ret;
}

/* Arguments are made first: making them is no part of the call. */
#define CALL(t, kind, expr) ({						\
	begin_call(t, C_##kind);					\
	end_call(t, C_##kind, (expr)); })

/* A call that takes so long in spite of signals and time-outs hangs. */
static inline void check_progress(struct thread *t)
{
	static unsigned long scale;
	long began = atomic_load(&t->began);
	int call = atomic_load(&t->call);

	if (!scale)
		scale = fuzz_setting("UET_TEST_SCALE", 1);
	if (call >= 0 && now_seconds() - began > (long)(CALL_SECONDS * scale) &&
	    atomic_load(&t->began) == began)
		fuzz_fail("%s hangs", call_table[call].name);
}

static atomic_int *any_slot(struct thread *t)
{
	return &slots[fuzz_below(&t->rand, SLOTS)];
}

static int any_fd(struct thread *t)
{
	return atomic_load(any_slot(t));
}

static inline void put_slot(struct thread *t, int fd)
{
	int none = -1;

	if (fd >= 0 && !atomic_compare_exchange_strong(any_slot(t), &none, fd))
		CALL(t, CLOSE, close(fd));
}

static inline void set_timeout(int fd, int name, unsigned int usec)
{
	struct timeval tv = { .tv_usec = usec };

	setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv));
}

/*
 * @good, or sometimes an address where nothing is, or after a few bytes: of our
 * buffer if @good is in it, else of the pattern, into which none may write.
 */
static void *pointer(struct thread *t, const void *good)
{
	const uint8_t *p = good;

	if (!fuzz_one_in(&t->rand, 100))
		return (void *)good;
	t->is_bad = true;
	switch (fuzz_below(&t->rand, 5)) {
	case 0: return NULL;
	case 1: return (void *)8;
	case 2: return (void *)0xffffffff81000000;
	}
	p = p >= t->buf && p < t->buf + MESSAGE_MAX ? t->buf + MESSAGE_MAX :
						      pattern + PATTERN;
	return (void *)(p - fuzz_below(&t->rand, 64));
}

/* Does a call wait for as long as this option says? */
static bool waits(int level, int name)
{
	return level == SOL_SOCKET &&
	       (name == SO_LINGER || name == SO_RCVTIMEO_OLD ||
		name == SO_SNDTIMEO_OLD || name == SO_RCVTIMEO_NEW ||
		name == SO_SNDTIMEO_NEW);
}

/* ------------------------------------------------------------------ pattern */

/* Each word: its own place in the low half, and a mixture of it. */
static void make_pattern(void)
{
	uint64_t *words;
	uint32_t i;

	pattern_fd = memfd_create("pattern", 0);
	if (pattern_fd < 0 || ftruncate(pattern_fd, PATTERN))
		fuzz_fail("memfd_create: %s", strerror(errno));
	words = mmap(NULL, PATTERN + 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		     pattern_fd, 0);
	if (words == MAP_FAILED)
		fuzz_fail("mmap: %s", strerror(errno));
	for (i = 0; i < PATTERN / 8; i++)
		words[i] = (uint64_t)(i * 0x9e3779b1u ^ i >> 3) << 32 | i;
	/* Receiving into it is what a bad pointer is for. */
	mprotect(words, PATTERN, PROT_READ);
	pattern = (void *)words;
}

/* Any @len bytes of it; calls only read them. */
static uint8_t *piece(struct thread *t, size_t len)
{
	return (uint8_t *)pattern + fuzz_below(&t->rand, PATTERN - len);
}

/* The piece of the pattern that @bytes begins with: how many of @len, and where it is. */
static size_t find_piece(const uint8_t *bytes, size_t len, size_t *at)
{
	size_t skip, same, longest = 0;
	uint32_t index;

	for (skip = 0; skip < 8; skip++) {
		memcpy(&index, bytes + skip, sizeof(index));
		if (index >= PATTERN / 8 || index * 8ul < skip)
			continue;
		for (same = 0; same < len; same++)
			if (index * 8ul - skip + same >= PATTERN ||
			    pattern[index * 8ul - skip + same] != bytes[same])
				break;
		if (same > longest) {
			longest = same;
			*at = index * 8ul - skip;
		}
	}
	return longest;
}

/* Received bytes are a piece of the pattern; a piece too short to check is accepted. */
static void check_piece(struct thread *t, const uint8_t *bytes, size_t len)
{
	size_t same, at = 0, next = 0;

	if (!len)
		return;
	atomic_fetch_add(&nr_received, 1);
	if (len < 16 || t->is_bad)
		return;
	atomic_fetch_add(&nr_checked, 1);
	same = find_piece(bytes, len, &at);
	if (same == len)
		return;
	if (len - same >= 16)
		find_piece(bytes + same, len - same, &next);
	fuzz_fail("%zu bytes received that nobody has sent: %zu from %zu, then from %zu",
		  len, same, at, next);
}

/* ------------------------------------------------------------------- set-up */

static void set_up_thread(struct thread *t, uint32_t seed)
{
	t->rand = fuzz_rand(seed);
	t->call = -1;
	t->epoll = epoll_create1(0);
	t->buf = mmap(NULL, MESSAGE_MAX + 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t->epoll < 0 || t->buf == MAP_FAILED || pipe2(t->pipe, O_NONBLOCK) ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, t->unix_pair))
		fuzz_fail("set-up: %s", strerror(errno));
	mprotect(t->buf + MESSAGE_MAX, 4096, PROT_NONE);
}

#endif
