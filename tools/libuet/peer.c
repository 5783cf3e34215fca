// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Peers: ranks and other endpoints as numbers of the kernel, and waiting for an endpoint
 * that may not exist yet.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "handle.h"
#include "uet_why.h"

uint32_t uet_rank(const struct uet *u)
{
	return u->rank;
}

uint32_t uet_size(const struct uet *u)
{
	return u->size;
}

uint32_t uet_peer(struct uet *u, uint32_t rank)
{
	if (u->peers && rank < u->size)
		return u->peers[rank];
	libuet_refuse(u, EINVAL, u->peers ? "uet_peer: rank %u is not below the size %u" :
		      "uet_peer: rank %u: the handle was opened without peers, size %u",
		      rank, u->size);
	return 0;
}

int uet_peer_rank(struct uet *u, uint32_t peer)
{
	uint32_t rank;

	/* The kernel counts up, so the ranks are usually in order. */
	if (u->peers && peer - u->peers[0] < u->size && u->peers[peer - u->peers[0]] == peer)
		return peer - u->peers[0];
	for (rank = 0; u->peers && rank < u->size; rank++)
		if (u->peers[rank] == peer)
			return rank;
	return libuet_refuse(u, ENOENT, "uet_peer_rank: peer %u has no rank", peer);
}

uint32_t uet_peer_add(struct uet *u, const struct sockaddr_uet *addr)
{
	struct uet_peer peer = { .addr = *addr };

	if (!peer.addr.suet_job)
		peer.addr.suet_job = u->job;
	if (!uet_ioctl(u->fd, UET_IOC_PEER, &peer) || errno == EEXIST)
		return peer.peer;
	libuet_failed(u, "UET_IOC_PEER");
	return 0;
}

/* The address of a peer, or its number if the module cannot tell.  Return: @text. */
const char *libuet_peer_name(struct uet *u, uint32_t peer, char text[UET_ADDR_SIZE])
{
	struct uet_peer named = { .peer = peer };

	if (uet_ioctl(u->fd, UET_IOC_PEER_ADDR, &named) ||
	    !uet_addr_text(&named.addr, text, UET_ADDR_SIZE))
		snprintf(text, UET_ADDR_SIZE, "peer %u", peer);
	return text;
}

/* The probe that is in flight to a peer, or NULL. */
static struct probe *find_probe(struct uet *u, uint32_t peer)
{
	size_t i;

	for (i = 0; i < u->nr_probes; i++)
		if (u->probes[i].peer == peer)
			return &u->probes[i];
	return NULL;
}

int uet_peer_remove(struct uet *u, uint32_t peer)
{
	struct probe *probe;
	__u32 number = peer;

	if (ioctl(u->fd, UET_IOC_PEER_REMOVE, &number))
		return libuet_failed(u, "UET_IOC_PEER_REMOVE");
	probe = find_probe(u, peer);
	if (probe)
		libuet_probe_ended(u, probe->cookie);
	return 0;
}

/* Forget the probe with this cookie, if there is one. */
void libuet_probe_ended(struct uet *u, uint64_t cookie)
{
	size_t i;

	for (i = 0; i < u->nr_probes; i++)
		if (u->probes[i].cookie == cookie)
			u->probes[i] = u->probes[--u->nr_probes];
}

/*
 * A write of no bytes to a region that does not exist: an endpoint answers that it has no
 * such region, and its process notices nothing.
 */
static int begin_probe(struct uet *u, uint32_t peer, int64_t deadline, uint64_t cookie,
		       struct uet_completion *done)
{
	const struct uet_request r = {
		.peer = peer, .opcode = UET_OP_WRITE, .flags = UET_F_WAIT | UET_F_NOWAIT,
		.rma = { .key = UET_MR_KEY_MAX },
	};
	struct probe *more = realloc(u->probes, (u->nr_probes + 1) * sizeof(*more));

	if (!more)
		return libuet_refuse(u, ENOMEM, "uet_wait_peer: no memory for peer %u", peer);
	u->probes = more;
	while (libuet_begin(u, &r, cookie)) {
		if (errno != EAGAIN)
			return -1;
		if (!libuet_left(deadline))
			return libuet_refuse(u, ETIMEDOUT,
					     "uet_wait_peer: peer %u: the send buffer has no space",
					     peer);
		/* Unread completions may be what has no space. */
		if (libuet_await(u, 0, libuet_deadline(RETRY_MS), done) < 0)
			return -1;
	}
	more[u->nr_probes++] = (struct probe){ cookie, peer };
	return 0;
}

/*
 * Send a probe and wait for its end, or for that of a probe that an earlier call has given
 * up.  Return: as libuet_await().
 */
static int probe(struct uet *u, uint32_t peer, int64_t deadline,
		 struct uet_completion *done)
{
	const struct probe *early;
	uint64_t cookie;

	/* An answer that came between the calls says nothing about now. */
	if (libuet_take(u, 0, done) < 0)
		return -1;
	early = find_probe(u, peer);
	cookie = early ? early->cookie : libuet_own_cookie(u);
	if (!early && begin_probe(u, peer, deadline, cookie, done))
		return -1;
	return libuet_await(u, cookie, deadline, done);
}

/* Let messages that begin from now on wait so long for their endpoint. */
int libuet_set_wait(struct uet *u, uint32_t ms)
{
	if (setsockopt(u->fd, SOL_UET, UET_ENDPOINT_WAIT, &ms, sizeof(ms)))
		return libuet_failed(u, "setsockopt");
	return 0;
}

/* Probe until there is an endpoint.  Probes do not wait themselves. */
static int await_endpoint(struct uet *u, uint32_t peer, int timeout)
{
	int64_t deadline = libuet_deadline(timeout);
	char who[UET_ADDR_SIZE], why[UET_WHY_SIZE] = "no answer";
	struct uet_completion done;
	int ret;

	libuet_peer_name(u, peer, who);
	for (;;) {
		ret = probe(u, peer, deadline, &done);
		if (ret < 0)
			return -1;
		if (ret && done.error != ECONNREFUSED)
			break;
		if (ret)
			uet_why(&done, why);
		if (!libuet_left(deadline))
			return libuet_refuse(u, ETIMEDOUT,
					     "uet_wait_peer: %s has no endpoint after %d ms: %s",
					     who, timeout, why);
		libuet_pause(deadline);
	}
	/* Each other answer is one of an endpoint. */
	if (!done.error || done.rc)
		return 0;
	return libuet_refuse(u, done.error, "uet_wait_peer: %s: %s", who,
			     uet_why(&done, why));
}

int uet_wait_peer(struct uet *u, uint32_t peer, int timeout)
{
	int ret, error;

	if (!u->wait)
		return await_endpoint(u, peer, timeout);
	if (libuet_set_wait(u, 0))
		return -1;
	ret = await_endpoint(u, peer, timeout);
	error = errno;
	if (setsockopt(u->fd, SOL_UET, UET_ENDPOINT_WAIT, &u->wait, sizeof(u->wait)))
		return libuet_failed(u, "setsockopt");
	errno = error;
	return ret;
}
