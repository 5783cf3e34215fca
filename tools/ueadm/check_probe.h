/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of "ueadm check": packets to a peer over one rail, and their answers.
 */
#ifndef UEADM_CHECK_PROBE_H
#define UEADM_CHECK_PROBE_H

#include <net/if.h>
#include <netinet/in.h>

#include "check.h"

/**
 * struct uea_path - a peer, as a FEP reaches it over one of its rails
 * @fep: record of the FEP
 * @peer: fabric address
 * @dev: netdev of the rail
 * @ifindex: of the rail
 * @sent: UET requests sent
 * @answered: those with an answer
 * @retx: how often they were sent again
 * @icmp_small: answers to small ICMP packets
 * @icmp_full: answers to ICMP packets as long as the longest packet of the FEP
 * @icmp_sent: packets of either kind
 */
struct uea_path {
	struct json_object *fep;
	const char *peer;
	char dev[IF_NAMESIZE];
	unsigned int ifindex;
	unsigned int sent;
	unsigned int answered;
	unsigned int retx;
	unsigned int icmp_small;
	unsigned int icmp_full;
	unsigned int icmp_sent;
};

/* An address of either family. */
union uea_sockaddr {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* check_probe.c */
int uea_probe_uet(struct uea_ctx *ctx, struct uea_path *paths, size_t nr,
		  unsigned int each);
uint64_t uea_probe_now(void);
socklen_t uea_probe_addr(union uea_sockaddr *addr, const char *text,
			 unsigned int port);

/* check_icmp.c */
void uea_probe_icmp(struct uea_path *path);

/* check_crc.c */
bool uea_probe_crc(struct uea_ctx *ctx, const struct uea_path *path,
		   bool has_crc);

#endif
