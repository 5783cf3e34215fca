/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The handle of libuet, and the functions by which the files of the library use each
 * other.  No other file includes this header.  Level: tool.
 */
#ifndef LIBUET_HANDLE_H
#define LIBUET_HANDLE_H

#include <stdbool.h>

#include "uet.h"
#include "uet_cq.h"

/* First cookie of operations that the library waits for; the next ones are 2, 4, ...
 * above it, so that no completion reports two of them together.
 */
#define COOKIE_OWN	(UET_COOKIE_MAX + 2)

#define RETRY_MS	10	/* between two attempts to reach an endpoint */

struct call;
struct schedule;

/**
 * union libuet_control - control messages of a sendmsg()
 * @bytes: the messages
 * @align: alignment of @bytes
 */
union libuet_control {
	char bytes[256];
	struct cmsghdr align;
};

/**
 * struct probe - an operation of uet_wait_peer() that has not ended
 * @cookie: its cookie
 * @peer: where it goes
 */
struct probe {
	uint64_t cookie;
	uint32_t peer;
};

/**
 * struct uet - a handle
 * @fd: socket
 * @job: JobID
 * @wait: ms that messages wait for an endpoint: UET_ENDPOINT_WAIT
 * @rank: of this process
 * @size: number of ranks
 * @addrs: address of each rank; NULL if there are none
 * @peers: number of each rank
 * @cq: completion ring; not mapped if cq.shared is NULL
 * @backlog: completions taken from the ring by a call that waited for another one
 * @backlog_first: first of them that was not returned
 * @backlog_end: behind the last of them
 * @backlog_size: records that @backlog can hold
 * @awaited: operations that the library has waited for
 * @probes: those of uet_wait_peer() that have not ended; the kernel cannot cancel them
 * @nr_probes: their number
 * @late: errno of an operation without completion that was not reported yet, or 0
 * @late_text: its text of the kernel
 * @control: socket of the collective operations, or -1
 * @schedule: the collective operation that has not ended, or NULL
 * @sequence: number of collective operations that were begun
 * @is_met: all ranks have had endpoints
 * @failed: errno of the collective operation that has failed, or 0
 * @culprit: the rank that is at fault
 * @told: what another rank has told of a failure, or 0
 * @is_told: that is why the operation has failed
 * @error: errno of the last failure
 * @call: prefix of the kernel's texts for that call; NULL: @text is the reason
 * @text: its reason
 */
struct uet {
	int fd;
	uint32_t job;
	uint32_t wait;
	uint32_t rank, size;
	struct sockaddr_uet *addrs;
	uint32_t *peers;
	struct uet_cq cq;
	struct uet_completion *backlog;
	size_t backlog_first, backlog_end, backlog_size;
	uint32_t awaited;
	struct probe *probes;
	size_t nr_probes;
	int late;
	char late_text[UET_ERROR_SIZE];
	int control;
	struct schedule *schedule;
	uint32_t sequence;
	bool is_met;
	int failed;
	uint32_t culprit;
	uint64_t told;
	bool is_told;
	int error;
	const char *call;
	char text[UET_ERROR_SIZE];
};

/* error.c */
int libuet_refuse(struct uet *u, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int libuet_failed(struct uet *u, const char *call);
int libuet_late(struct uet *u);
bool libuet_take_late(struct uet *u);

/* addr.c */
int libuet_addr_parse(struct sockaddr_uet *addr, const char *text, int family,
		      char *error);

/* clock.c */
int64_t libuet_deadline(int timeout);
int libuet_left(int64_t deadline);
void libuet_pause(int64_t deadline);

/* names.c: uet_completion_text() with the name of the other end, or "" */
const char *libuet_describe(const struct uet_completion *done, const char *at, char *text,
			    size_t size);

/* peer.c */
const char *libuet_peer_name(struct uet *u, uint32_t peer, char text[UET_ADDR_SIZE]);
int libuet_set_wait(struct uet *u, uint32_t ms);
void libuet_probe_ended(struct uet *u, uint64_t cookie);

/* complete.c */
int libuet_take(struct uet *u, uint64_t cookie, struct uet_completion *done);
int libuet_await(struct uet *u, uint64_t cookie, int64_t deadline,
		 struct uet_completion *done);

/* open.c */
void libuet_close_socket(int fd);

/* send.c */
void libuet_cmsg(struct msghdr *msg, int type, const void *data, size_t length);
uint64_t libuet_own_cookie(struct uet *u);
int libuet_begin(struct uet *u, const struct uet_request *request, uint64_t cookie);

/* collective.c */
int libuet_control_open(struct uet *u, uint32_t ri, int job_fd);
int libuet_collective(struct uet *u, const struct call *call, int timeout);
void libuet_collective_end(struct uet *u);

#endif
