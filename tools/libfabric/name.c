// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Addresses of endpoints: between users, sockets, and names of hosts.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"
#include "provider.h"

_Static_assert(sizeof(struct lf_name) == 32, "an address has 32 bytes");

void lf_name_of_place(struct lf_name *name, const struct lf_place *place)
{
	memset(name, 0, sizeof(*name));
	name->version = LF_NAME_VERSION;
	name->flags = place->is_ipv6 ? LF_NAME_IPV6 : 0;
	name->job = htonl(place->job);
	memcpy(name->fa, place->fa, sizeof(name->fa));
}

void lf_name_to_sockaddr(const struct lf_name *name, int family, struct sockaddr_uet *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->suet_family = (__kernel_sa_family_t)family;
	addr->suet_version = UET_ADDR_VERSION;
	addr->suet_job = ntohl(name->job);
	addr->suet_pid = ntohs(name->pid);
	addr->suet_ri = ntohs(name->ri);
	addr->suet_initiator = ntohl(name->initiator);
	if (name->flags & LF_NAME_IPV6) {
		addr->suet_flags = UET_ADDR_IPV6;
		memcpy(addr->suet_fa6, name->fa, sizeof(addr->suet_fa6));
	} else {
		memcpy(&addr->suet_fa4, name->fa, sizeof(addr->suet_fa4));
	}
}

void lf_name_from_sockaddr(struct lf_name *name, const struct sockaddr_uet *addr)
{
	memset(name, 0, sizeof(*name));
	name->version = LF_NAME_VERSION;
	name->pid = htons(addr->suet_pid);
	name->ri = htons(addr->suet_ri);
	name->job = htonl(addr->suet_job);
	name->initiator = htonl(addr->suet_initiator);
	if (addr->suet_flags & UET_ADDR_IPV6) {
		name->flags = LF_NAME_IPV6;
		memcpy(name->fa, addr->suet_fa6, sizeof(addr->suet_fa6));
	} else {
		memcpy(name->fa, &addr->suet_fa4, sizeof(addr->suet_fa4));
	}
}

static void set_service(struct lf_name *name, uint16_t service, uint16_t pid)
{
	uint16_t ri = 1 + service % LF_RI_MAX;

	name->pid = htons(pid);
	name->ri = htons(ri);
	name->initiator = htonl(UET_INITIATOR_ID(pid, ri));
}

static int set_node(struct lf_name *name, const char *node)
{
	bool is_ipv6 = name->flags & LF_NAME_IPV6;
	struct addrinfo hints = {
		.ai_family = is_ipv6 ? AF_INET6 : AF_INET, .ai_socktype = SOCK_DGRAM,
	};
	struct addrinfo *found;

	if (getaddrinfo(node, NULL, &hints, &found))
		return -FI_ENODATA;
	memset(name->fa, 0, sizeof(name->fa));
	if (is_ipv6)
		memcpy(name->fa, &((struct sockaddr_in6 *)found->ai_addr)->sin6_addr, 16);
	else
		memcpy(name->fa, &((struct sockaddr_in *)found->ai_addr)->sin_addr, 4);
	freeaddrinfo(found);
	return 0;
}

int lf_name_service(const char *text, long *number)
{
	return *text ? lf_number("service", text, 0, 65535, number) : -FI_EINVAL;
}

int lf_name_resolve(struct lf_name *name, const char *node, const char *service,
		    uint16_t pid)
{
	long number;

	if (service) {
		if (lf_name_service(service, &number))
			return -FI_ENODATA;
		set_service(name, (uint16_t)number, pid);
	}
	return node ? set_node(name, node) : 0;
}

size_t lf_name_size(uint32_t format)
{
	return format == FI_SOCKADDR_IN ? sizeof(struct sockaddr_in) :
					  sizeof(struct lf_name);
}

void lf_name_pack(const struct lf_name *name, uint32_t format, void *bytes)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };

	if (format != FI_SOCKADDR_IN) {
		memcpy(bytes, name, sizeof(*name));
		return;
	}
	if (name->ri)
		sin.sin_port = htons((uint16_t)(ntohs(name->ri) - 1));
	memcpy(&sin.sin_addr, name->fa, sizeof(sin.sin_addr));
	memcpy(bytes, &sin, sizeof(sin));
}

static int unpack_in(struct lf_name *name, const void *bytes, const struct lf_place *place)
{
	struct sockaddr_in sin;

	memcpy(&sin, bytes, sizeof(sin));
	if (sin.sin_family != AF_INET || place->is_ipv6)
		return -FI_EINVAL;
	lf_name_of_place(name, place);
	memcpy(name->fa, &sin.sin_addr, sizeof(sin.sin_addr));
	set_service(name, ntohs(sin.sin_port), lf_place_pid(place));
	return 0;
}

int lf_name_unpack(struct lf_name *name, uint32_t format, const void *bytes,
		   const struct lf_place *place)
{
	if (format == FI_SOCKADDR_IN)
		return unpack_in(name, bytes, place);
	memcpy(name, bytes, sizeof(*name));
	if (name->version != LF_NAME_VERSION || name->flags & ~LF_NAME_IPV6 ||
	    name->reserved || ntohs(name->pid) > UET_PIDONFEP_MAX ||
	    ntohs(name->ri) > LF_RI_MAX) {
		LF_WARN(AV, "an address is not one of provider uet\n");
		return -FI_EINVAL;
	}
	return 0;
}

const char *lf_name_print(const struct lf_name *name, char *text)
{
	char fa[INET6_ADDRSTRLEN];

	inet_ntop(name->flags & LF_NAME_IPV6 ? AF_INET6 : AF_INET, name->fa, fa, sizeof(fa));
	snprintf(text, LF_NAME_TEXT, "%s/%u/%u", fa, ntohs(name->pid), ntohs(name->ri));
	return text;
}
