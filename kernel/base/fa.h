/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fabric addresses: comparison, hashing and conversion.  A fabric address is the IPv4 or
 * IPv6 address that identifies a FEP on the fabric (UE 1.0.1 3.4.1).
 */
#ifndef UET_FA_H
#define UET_FA_H

#include <linux/in6.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <net/ipv6.h>

/**
 * struct uet_fa - a fabric address
 * @family: AF_INET or AF_INET6; AF_UNSPEC: none
 * @scope_id: interface index of a link-local IPv6 address, else 0
 * @v4: IPv4 address with AF_INET, network byte order
 * @v6: IPv6 address with AF_INET6
 *
 * Padding and unused bytes are zero, because the struct is a hash key.
 */
struct uet_fa {
	u32 family;
	u32 scope_id;
	union {
		__be32 v4;
		struct in6_addr v6;
	};
};

static inline bool uet_fa_equal(const struct uet_fa *a, const struct uet_fa *b)
{
	return a->family == b->family && a->scope_id == b->scope_id &&
	       ipv6_addr_equal(&a->v6, &b->v6);
}

static inline struct uet_fa uet_fa_v4(__be32 addr)
{
	struct uet_fa fa = { .family = AF_INET, .v6 = {} };

	fa.v4 = addr;
	return fa;
}

static inline struct uet_fa uet_fa_v6(const struct in6_addr *addr, u32 scope_id)
{
	struct uet_fa fa = { .family = AF_INET6, .v6 = *addr };

	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		fa.scope_id = scope_id;
	return fa;
}

#define UET_FA_TEXT	48	/* bytes of uet_fa_print() */

/* For people, without the interface of a link-local address.  Return: @text. */
static inline const char *uet_fa_print(const struct uet_fa *fa, char *text)
{
	if (fa->family == AF_INET)
		snprintf(text, UET_FA_TEXT, "%pI4", &fa->v4);
	else
		snprintf(text, UET_FA_TEXT, "%pI6c", &fa->v6);
	return text;
}

/* Multicast, broadcast and unspecified addresses do not identify a single FEP. */
static inline bool uet_fa_is_unicast(const struct uet_fa *fa)
{
	if (fa->family == AF_INET)
		return !ipv4_is_zeronet(fa->v4) && !ipv4_is_multicast(fa->v4) &&
		       !ipv4_is_lbcast(fa->v4);
	return !ipv6_addr_any(&fa->v6) && !ipv6_addr_is_multicast(&fa->v6);
}

/*
 * A link-local destination requires a local FEP on the same link: a FEP without a link
 * cannot state the link for the answer.
 */
static inline bool uet_fa_is_on_link(const struct uet_fa *to, const struct uet_fa *own)
{
	if (to->family != AF_INET6 || !(ipv6_addr_type(&to->v6) & IPV6_ADDR_LINKLOCAL))
		return true;
	return to->scope_id && to->scope_id == own->scope_id;
}

#endif
