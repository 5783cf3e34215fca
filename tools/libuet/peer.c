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
	if (!ioctl(u->fd, UET_IOC_PEER, &peer) || errno == EEXIST)
		return peer.peer;
	libuet_failed(u, "UET_IOC_PEER");
	return 0;
}

int uet_peer_remove(struct uet *u, uint32_t peer)
{
	__u32 number = peer;

	if (ioctl(u->fd, UET_IOC_PEER_REMOVE, &number))
		return libuet_failed(u, "UET_IOC_PEER_REMOVE");
	return 0;
}

/*
 * A write of no bytes to a region that does not exist: an endpoint answers that it has no
 * such region, and its process notices nothing.
 */
static int probe(struct uet *u, uint32_t peer, struct uet_completion *done)
{
	const struct uet_request r = {
		.peer = peer, .opcode = UET_OP_WRITE, .flags = UET_F_WAIT,
		.rma = { .key = UET_MR_KEY_MAX },
	};

	return libuet_begin(u, &r) || libuet_await(u, done) ? -1 : 0;
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
	char text[UET_ERROR_SIZE];
	struct uet_completion done;

	for (;;) {
		if (probe(u, peer, &done))
			return -1;
		if (done.error != ECONNREFUSED)
			break;
		if (!libuet_left(deadline))
			return libuet_refuse(u, ETIMEDOUT,
					     "uet_wait_peer: peer %u has no endpoint after %d ms: %s",
					     peer, timeout, uet_rc_name(done.rc));
		libuet_pause(deadline);
	}
	/* Each other answer is one of an endpoint. */
	if (!done.error || done.rc)
		return 0;
	return libuet_refuse(u, done.error, "uet_wait_peer: peer %u: %s", peer,
			     uet_completion_text(&done, text, sizeof(text)));
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
