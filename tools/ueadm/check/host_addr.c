// SPDX-License-Identifier: GPL-2.0
/*
 * IP addresses of this host: whether it has one, and the command that adds it.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

#include "ueadm.h"

static bool is_equal(const struct sockaddr *one, const char *addr,
		     uint32_t scope)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)one;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)one;
	char text[INET6_ADDRSTRLEN] = "";

	if (one->sa_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
	else if (one->sa_family == AF_INET6 &&
		 (!scope || v6->sin6_scope_id == scope))
		inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
	return !strcmp(text, addr);
}

/**
 * uea_is_local() - whether a netdev of this host has an address
 * @addr: the address, as inet_ntop() writes it
 * @scope: index of the netdev; 0: any
 *
 * Return: true if so, also while the address is tentative, and when it cannot be known.
 */
bool uea_is_local(const char *addr, uint32_t scope)
{
	struct ifaddrs *all, *one;
	bool is_found = false;

	if (getifaddrs(&all))
		return true;
	for (one = all; one && !is_found; one = one->ifa_next)
		is_found = one->ifa_addr && is_equal(one->ifa_addr, addr, scope);
	freeifaddrs(all);
	return is_found;
}

/**
 * uea_addr_command() - the command that gives this host an address
 * @buf: text
 * @size: space
 * @addr: the address
 * @scope: index of the netdev of a link-local address; 0: the address may be on any, and
 *	goes to the loopback device
 */
void uea_addr_command(char *buf, size_t size, const char *addr, uint32_t scope)
{
	char dev[IF_NAMESIZE];

	if (!scope || !if_indextoname(scope, dev))
		snprintf(buf, size, "ip address add %s/%d dev lo", addr,
			 strchr(addr, ':') ? 128 : 32);
	else
		snprintf(buf, size, "ip address add %s/64 dev %s", addr, dev);
}
