// SPDX-License-Identifier: GPL-2.0
/*
 * Probes by UET: requests over each path, some at a time, and their outcomes.
 */
#define _GNU_SOURCE	/* ppoll() */
#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include <linux/uet_nl.h>

#include "check_probe.h"

#define PROBE_MS	1000000ULL
#define PROBE_WAIT	(1500 * PROBE_MS)	/* for the last answer */
/* A FEP gives 1000 answers per second to packets without a PDC. */
#define PROBE_GAP	(2 * PROBE_MS)
#define PROBE_PENDING	48			/* below all limits of the kernel */

/**
 * struct probe - a run
 * @question: what is asked
 * @paths: the paths, used in turn
 * @nr: number of paths
 * @first: sequence number of the first request
 * @sent: requests so far
 * @pending: those without an outcome
 */
struct probe {
	const struct uea_question *question;
	struct uea_path *paths;
	size_t nr;
	uint32_t first;
	unsigned int sent;
	unsigned int pending;
};

/**
 * uea_probe_now() - the time
 *
 * Return: nanoseconds of a clock that is never set.
 */
uint64_t uea_probe_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * PROBE_MS + now.tv_nsec;
}

/**
 * uea_probe_addr() - an address for a socket
 * @addr: filled in
 * @text: IPv4 or IPv6 address
 * @port: UDP port
 *
 * Return: length of @addr; 0: @text is no address.
 */
socklen_t uea_probe_addr(union uea_sockaddr *addr, const char *text,
			 unsigned int port)
{
	memset(addr, 0, sizeof(*addr));
	if (inet_pton(AF_INET, text, &addr->v4.sin_addr) == 1) {
		addr->v4.sin_family = AF_INET;
		addr->v4.sin_port = htons(port);
		return sizeof(addr->v4);
	}
	if (inet_pton(AF_INET6, text, &addr->v6.sin6_addr) != 1)
		return 0;
	addr->v6.sin6_family = AF_INET6;
	addr->v6.sin6_port = htons(port);
	return sizeof(addr->v6);
}

static int send_one(struct uea_ctx *ctx, struct probe *probe)
{
	const struct uea_question *question = probe->question;
	struct uea_path *path = &probe->paths[probe->sent % probe->nr];
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh = uea_nl_request(ctx, buf, UET_CMD_PING);
	union uea_sockaddr addr;
	int status;

	mnl_attr_put_strz(nlh, UET_A_PING_FEP, uea_text_of(path->fep, "name"));
	uea_probe_addr(&addr, path->peer, 0);
	if (addr.sa.sa_family == AF_INET)
		mnl_attr_put(nlh, UET_A_PING_ADDR4, 4, &addr.v4.sin_addr);
	else
		mnl_attr_put(nlh, UET_A_PING_ADDR6, 16, &addr.v6.sin6_addr);
	mnl_attr_put_u32(nlh, UET_A_PING_IFINDEX, path->ifindex);
	if (question->attr)
		mnl_attr_put_u32(nlh, question->attr,
				 question->values[probe->sent / probe->nr]);
	if (question->attr == UET_A_PING_JOB)
		mnl_attr_put_u32(nlh, UET_A_PING_READ, 0);
	else if (question->attr && path->nr_own)
		mnl_attr_put_u32(nlh, UET_A_PING_JOB, path->jobs[0]);
	status = uea_nl_send(ctx, nlh);
	if (status)
		return status;
	if (!probe->sent)
		probe->first = nlh->nlmsg_seq;
	probe->sent++;
	probe->pending++;
	path->sent += !question->attr;
	return UEA_OK;
}

static void outcome_cb(const struct nlmsghdr *nlh, bool is_refused, void *data)
{
	struct probe *probe = data;
	uint32_t nr = nlh->nlmsg_seq - probe->first;
	struct json_object *record;
	struct uea_path *path;

	if (nr >= probe->sent || !probe->pending)
		return;
	path = &probe->paths[nr % probe->nr];
	probe->pending--;
	/* Refused: the reason is one of the other findings. */
	if (is_refused) {
		path->sent -= !probe->question->attr;
		return;
	}
	record = uea_record(uea_ping.fields, nlh);
	probe->question->answer(path, nr / probe->nr, record);
	json_object_put(record);
}

/* Wait for the kernel until @until; UEA_OK also if nothing came. */
static int take(struct uea_ctx *ctx, struct probe *probe, uint64_t until)
{
	struct pollfd fd = {
		.fd = mnl_socket_get_fd(ctx->nl), .events = POLLIN,
	};
	uint64_t now = uea_probe_now();
	uint64_t ns = until > now ? until - now : 0;
	struct timespec wait = {
		.tv_sec = ns / (1000 * PROBE_MS),
		.tv_nsec = ns % (1000 * PROBE_MS),
	};
	char buf[UEA_NL_BUF];

	if (ppoll(&fd, 1, &wait, NULL) <= 0)
		return UEA_OK;
	return uea_nl_take(ctx, uea_nl_request(ctx, buf, UET_CMD_PING),
			   outcome_cb, probe);
}

/**
 * uea_probe_uet() - send requests over paths
 * @ctx: run
 * @paths: the paths; NO_OPs are added to their number
 * @nr: number of paths, not 0
 * @question: the requests
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_probe_uet(struct uea_ctx *ctx, struct uea_path *paths, size_t nr,
		  const struct uea_question *question)
{
	struct probe probe = { .question = question, .paths = paths, .nr = nr };
	size_t all = question->each * nr;
	uint64_t end = uea_probe_now() + PROBE_WAIT, next = 0, now;
	int status = UEA_OK;
	bool may_send;

	uea_quiet(true);
	while (!status && (now = uea_probe_now()) < end &&
	       (probe.pending || probe.sent < all)) {
		may_send = probe.sent < all &&
			   probe.pending < PROBE_PENDING;
		if (may_send && now >= next) {
			status = send_one(ctx, &probe);
			end = now + PROBE_WAIT;
			next = now + PROBE_GAP;
		}
		if (!status)
			status = take(ctx, &probe, may_send ? next : end);
	}
	uea_quiet(false);
	return status;
}
