/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set-up that the example programs share: an endpoint that waits, an endpoint that
 * begins and its peer, one completion, a question and its answer, and the end.
 *
 * Each program needs a FEP and job 1 on each node, see ueadm(8).  Link with -luet.
 */
#ifndef UET_EXAMPLE_COMMON_H
#define UET_EXAMPLE_COMMON_H

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uet.h>

#define JOB	1

/* End the program with the reason if the call has failed. */
static inline void must(struct uet *u, long ret)
{
	if (ret < 0)
		errx(1, "%s", uet_strerror(u));
}

/* The endpoint FA/PIDonFEP; @fa "*": of the only FEP that the job has here. */
static inline struct sockaddr_uet address(const char *fa, int pid)
{
	char text[UET_ADDR_SIZE], why[UET_ERROR_SIZE];
	struct sockaddr_uet addr;

	snprintf(text, sizeof(text), "%s/%d", fa, pid);
	if (uet_addr_parse(&addr, text, why))
		errx(2, "%s", why);
	return addr;
}

/* Open an endpoint that others know by its address. */
static inline struct uet *open_at(int type, const char *fa, int pid)
{
	struct sockaddr_uet me = address(fa, pid);
	const struct uet_attr attr = { .type = type, .job = JOB, .local = &me };
	char why[UET_ERROR_SIZE];
	struct uet *u = uet_open(&attr, why);

	if (!u)
		errx(1, "%s", why);
	return u;
}

static inline uint32_t add_peer(struct uet *u, const struct sockaddr_uet *addr)
{
	uint32_t peer = uet_peer_add(u, addr);

	if (!peer)
		errx(1, "%s", uet_strerror(u));
	return peer;
}

/* Open an endpoint at any free address.  @peer: gets the number of the peer. */
static inline struct uet *open_to(int type, const char *fa, int pid, uint32_t *peer)
{
	const struct uet_attr attr = { .type = type, .job = JOB };
	struct sockaddr_uet to = address(fa, pid);
	char why[UET_ERROR_SIZE];
	struct uet *u = uet_open(&attr, why);

	if (!u)
		errx(1, "%s", why);
	*peer = add_peer(u, &to);
	return u;
}

/* Wait for one completion; its error is for the caller to check. */
static inline struct uet_completion wait_completion(struct uet *u)
{
	struct uet_completion done;

	must(u, uet_wait(u, &done, 1, -1));
	return done;
}

/* The same for an operation that has to succeed. */
static inline struct uet_completion must_complete(struct uet *u)
{
	struct uet_completion done = wait_completion(u);
	char text[UET_ERROR_SIZE];

	if (done.error)
		errx(1, "%s", uet_completion_text(&done, text, sizeof(text)));
	return done;
}

/* Register memory.  Return: its key. */
static inline __u64 mem_reg(struct uet *u, volatile void *memory, size_t length,
			    uint32_t access)
{
	__u64 key;

	must(u, uet_mem_reg(u, (void *)memory, length, access, 0, &key));
	return key;
}

/* Ask the peer for the key of its memory, or for anything else. */
static inline void ask(struct uet *u, uint32_t peer, void *answer, size_t len)
{
	must(u, uet_send(u, peer, "please", 6, 0, 0));
	must(u, uet_recv(u, answer, len, 0, NULL, NULL));
}

/* Answer the sender of the next message. */
static inline void answer(struct uet *u, const void *what, size_t len)
{
	struct sockaddr_uet from;

	must(u, uet_recv(u, NULL, 0, 0, NULL, &from));
	must(u, uet_send(u, add_peer(u, &from), what, len, 0, 0));
}

/* Receive a message that says only that the peer has ended. */
static inline void wait_for_end(struct uet *u)
{
	must(u, uet_recv(u, NULL, 0, 0, NULL, NULL));
}

/* Send such a message. */
static inline void send_end(struct uet *u, uint32_t peer)
{
	must(u, uet_send(u, peer, NULL, 0, 0, 0));
}

/* Close the endpoint when all messages were answered. */
static inline void finish(struct uet *u)
{
	must(u, uet_finish(u));
	uet_close(u);
}

#endif
