// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Peers of an endpoint: from addresses to the numbers of its socket, and back.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "endpoint.h"

/**
 * struct number - a node of the tree lf_ep.numbers
 * @peer: number of the peer
 * @addr: its address
 */
struct number {
	uint32_t peer;
	fi_addr_t addr;
};

static int compare(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->peer < y->peer ? -1 : x->peer > y->peer;
}

/* Several addresses may be one peer: the first one is its source address. */
static int remember(struct lf_ep *ep, uint32_t peer, fi_addr_t addr)
{
	struct number *number, **found;

	if (!(ep->caps & FI_SOURCE))
		return 0;
	number = malloc(sizeof(*number));
	if (!number)
		return -FI_ENOMEM;
	*number = (struct number){ peer, addr };
	found = tsearch(number, &ep->numbers, compare);
	if (!found || *found != number)
		free(number);
	return found ? 0 : -FI_ENOMEM;
}

static void forget(struct lf_ep *ep, uint32_t peer)
{
	const struct number key = { .peer = peer };
	struct number **found = tfind(&key, &ep->numbers, compare), *number;

	if (!found)
		return;
	number = *found;
	tdelete(&key, &ep->numbers, compare);
	free(number);
}

static int make_space(struct lf_ep *ep, fi_addr_t addr)
{
	size_t space = ep->nr_peers ? ep->nr_peers : 64;
	struct lf_peer *peers;

	if (addr < ep->nr_peers)
		return 0;
	while (space <= addr)
		space *= 2;
	peers = realloc(ep->peers, space * sizeof(*peers));
	if (!peers)
		return -FI_ENOMEM;
	memset(peers + ep->nr_peers, 0, (space - ep->nr_peers) * sizeof(*peers));
	ep->peers = peers;
	ep->nr_peers = space;
	return 0;
}

/* The number of an address: a new one, or the one that it has. */
static int number_of(const struct lf_ep *ep, const struct sockaddr_uet *addr, uint32_t *peer)
{
	struct uet_peer arg = { .addr = *addr };

	if (ioctl(ep->fd, UET_IOC_PEER, &arg) && errno != EEXIST)
		return -errno;
	*peer = arg.peer;
	return 0;
}

/* The two numbers of a peer; the second one if this side may begin RMA. */
static int number_both(const struct lf_ep *ep, const struct lf_name *name,
		       struct lf_peer *peer)
{
	struct sockaddr_uet addr;
	int ret;

	lf_name_to_sockaddr(name, ep->domain->family, &addr);
	addr.suet_scope_id = ep->domain->place.scope_id;
	ret = number_of(ep, &addr, &peer->message);
	if (ret || !(ep->caps & (FI_RMA | FI_ATOMIC)) || !(ep->caps & (FI_READ | FI_WRITE)))
		return ret;
	addr.suet_ri += LF_RI_MEMORY;
	addr.suet_initiator = 0;
	return number_of(ep, &addr, &peer->memory);
}

int lf_ep_add_peer(struct lf_ep *ep, fi_addr_t addr, const struct lf_name *name)
{
	int ret;

	pthread_mutex_lock(&ep->lock);
	ret = make_space(ep, addr);
	if (!ret)
		ret = number_both(ep, name, &ep->peers[addr]);
	if (!ret)
		ret = remember(ep, ep->peers[addr].message, addr);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

static bool is_shared(const struct lf_ep *ep, uint32_t number)
{
	size_t i;

	for (i = 0; i < ep->nr_peers; i++)
		if (ep->peers[i].message == number)
			return true;
	return false;
}

void lf_ep_del_peer(struct lf_ep *ep, fi_addr_t addr)
{
	struct lf_peer gone;

	pthread_mutex_lock(&ep->lock);
	if (addr < ep->nr_peers && ep->peers[addr].message) {
		gone = ep->peers[addr];
		ep->peers[addr] = (struct lf_peer){ 0, 0 };
		if (!is_shared(ep, gone.message)) {
			forget(ep, gone.message);
			ioctl(ep->fd, UET_IOC_PEER_REMOVE, &gone.message);
			if (gone.memory)
				ioctl(ep->fd, UET_IOC_PEER_REMOVE, &gone.memory);
		}
	}
	pthread_mutex_unlock(&ep->lock);
}

uint32_t lf_ep_peer(const struct lf_ep *ep, fi_addr_t addr)
{
	return addr < ep->nr_peers ? ep->peers[addr].message : 0;
}

uint32_t lf_ep_memory_peer(const struct lf_ep *ep, fi_addr_t addr)
{
	return addr < ep->nr_peers ? ep->peers[addr].memory : 0;
}

fi_addr_t lf_ep_source(const struct lf_ep *ep, uint32_t peer)
{
	const struct number key = { .peer = peer };
	struct number **found;

	if (!(ep->caps & FI_SOURCE) || !peer)
		return FI_ADDR_NOTAVAIL;
	found = tfind(&key, &ep->numbers, compare);
	return found ? (*found)->addr : FI_ADDR_NOTAVAIL;
}

void lf_ep_free_peers(struct lf_ep *ep)
{
	tdestroy(ep->numbers, free);
	free(ep->peers);
}
