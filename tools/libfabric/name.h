/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The address of an endpoint as libfabric's users exchange it: 32 bytes that mean the
 * same on every machine, or a struct sockaddr_in for users that know nothing else.
 * Level: tool.
 */
#ifndef UET_LF_NAME_H
#define UET_LF_NAME_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/uet.h>

#include "place.h"

#define LF_NAME_VERSION	1
#define LF_NAME_IPV6	0x01		/* flags */
#define LF_NAME_TEXT	96		/* bytes of lf_name_print() */

/*
 * An endpoint with remote memory has a second socket for it.  Its Resource Index follows
 * from that of the first one, which is in the lower half.
 */
#define LF_RI_MAX	2047
#define LF_RI_MEMORY	2048

/**
 * struct lf_name - address of an endpoint, integers in network order
 * @version: LF_NAME_VERSION
 * @flags: LF_NAME_*
 * @pid: PIDonFEP
 * @ri: Resource Index; 0 in the source address of fi_getinfo(): any, with any PIDonFEP
 * @reserved: zero
 * @job: JobID
 * @initiator: initiator id
 * @fa: fabric address, the IPv4 address in the first bytes
 */
struct lf_name {
	uint8_t version;
	uint8_t flags;
	uint16_t pid;
	uint16_t ri;
	uint16_t reserved;
	uint32_t job;
	uint32_t initiator;
	uint8_t fa[16];
};

/* The address of a place, with any PIDonFEP and Resource Index. */
void lf_name_of_place(struct lf_name *name, const struct lf_place *place);

/* From and to the address of a socket.  @family: the number of AF_UET. */
void lf_name_to_sockaddr(const struct lf_name *name, int family, struct sockaddr_uet *addr);
void lf_name_from_sockaddr(struct lf_name *name, const struct sockaddr_uet *addr);

/* The number of a service.  Return: 0, or a negative FI_* error. */
int lf_name_service(const char *text, long *number);

/*
 * From node and service, either may be NULL: the endpoint of a FEP that has no other
 * address.  @name has the job and the default PIDonFEP, and of a missing node the FA.
 * Return: 0, or a negative FI_* error.
 */
int lf_name_resolve(struct lf_name *name, const char *node, const char *service,
		    uint16_t pid);

/* The bytes of a name in an address format, for users.  Return: their number. */
size_t lf_name_size(uint32_t format);
void lf_name_pack(const struct lf_name *name, uint32_t format, void *bytes);
/* @place completes what the format lacks.  Return: 0, or a negative FI_* error. */
int lf_name_unpack(struct lf_name *name, uint32_t format, const void *bytes,
		   const struct lf_place *place);

/* For people, as FA/PID/RI. */
const char *lf_name_print(const struct lf_name *name, char *text);

#endif
