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
 * @addr: its address; of several the first one, which is the source of its messages
 * @uses: addresses with this number
 */
struct number {
	uint32_t peer;
	fi_addr_t addr;
	size_t uses;
};

static int compare(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->peer < y->peer ? -1 : x->peer > y->peer;
}

static struct number *find(const struct lf_ep *ep, uint32_t peer)
{
	const struct number key = { .peer = peer };
	struct number **found = tfind(&key, &ep->numbers, compare);

	return found ? *found : NULL;
}

/* Several addresses may be one peer. */
static int remember(struct lf_ep *ep, uint32_t peer, fi_addr_t addr)
{
	struct number *number = find(ep, peer);

	if (number) {
		number->uses++;
		return 0;
	}
	number = malloc(sizeof(*number));
	if (!number)
		return -FI_ENOMEM;
	*number = (struct number){ peer, addr, 1 };
	if (tsearch(number, &ep->numbers, compare))
		return 0;
	free(number);
	return -FI_ENOMEM;
}

static fi_addr_t first_addr(const struct lf_ep *ep, uint32_t peer)
{
	fi_addr_t addr = 0;

	while (ep->peers[addr].message != peer)
		addr++;
	return addr;
}

/* An address has its number no longer.  Return: true, no address has it. */
static bool forget(struct lf_ep *ep, uint32_t peer, fi_addr_t addr)
{
	struct number *number = find(ep, peer);

	if (--number->uses) {
		if (number->addr == addr)
			number->addr = first_addr(ep, peer);
		return false;
	}
	tdelete(number, &ep->numbers, compare);
	free(number);
	return true;
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

	if (uet_ioctl(ep->fd, UET_IOC_PEER, &arg) && errno != EEXIST)
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

static void remove_numbers(const struct lf_ep *ep, const struct lf_peer *peer)
{
	if (peer->message)
		ioctl(ep->fd, UET_IOC_PEER_REMOVE, &peer->message);
	if (peer->memory)
		ioctl(ep->fd, UET_IOC_PEER_REMOVE, &peer->memory);
}

static int add_peer(struct lf_ep *ep, fi_addr_t addr, const struct lf_name *name)
{
	struct lf_peer peer = { 0, 0 };
	int ret = number_both(ep, name, &peer);

	if (!ret)
		ret = remember(ep, peer.message, addr);
	if (!ret)
		ep->peers[addr] = peer;
	else if (!find(ep, peer.message))
		remove_numbers(ep, &peer);
	return ret;
}

int lf_ep_add_peer(struct lf_ep *ep, fi_addr_t addr, const struct lf_name *name)
{
	int ret;

	pthread_mutex_lock(&ep->lock);
	ret = make_space(ep, addr);
	/* An insertion while the endpoint is being enabled may have been first. */
	if (!ret && !ep->peers[addr].message)
		ret = add_peer(ep, addr, name);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

void lf_ep_del_peer(struct lf_ep *ep, fi_addr_t addr)
{
	struct lf_peer gone;

	pthread_mutex_lock(&ep->lock);
	if (addr < ep->nr_peers && ep->peers[addr].message) {
		gone = ep->peers[addr];
		ep->peers[addr] = (struct lf_peer){ 0, 0 };
		if (forget(ep, gone.message, addr))
			remove_numbers(ep, &gone);
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
	const struct number *number;

	if (!(ep->caps & FI_SOURCE) || !peer)
		return FI_ADDR_NOTAVAIL;
	number = find(ep, peer);
	return number ? number->addr : FI_ADDR_NOTAVAIL;
}

void lf_ep_free_peers(struct lf_ep *ep)
{
	tdestroy(ep->numbers, free);
	free(ep->peers);
	ep->numbers = NULL;
	ep->peers = NULL;
	ep->nr_peers = 0;
}
