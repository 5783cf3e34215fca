/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of round trips, of all answers to a ping or of those by one rail.
 */
#ifndef UEADM_PING_SUM_H
#define UEADM_PING_SUM_H

#include <net/if.h>
#include <stdint.h>

struct json_object;

/**
 * struct ping_sum - answers
 * @dev: netdev of a rail they came by
 * @ifindex: of the netdev
 * @answered: how many
 * @sum_ns: of round trips
 * @min_ns: shortest round trip
 * @max_ns: longest round trip
 */
struct ping_sum {
	char dev[IF_NAMESIZE];
	uint32_t ifindex;
	uint64_t answered, sum_ns, min_ns, max_ns;
};

void uea_ping_add(struct ping_sum *sum, uint64_t ns);
void uea_ping_numbers(struct json_object *to, const struct ping_sum *sum);
void uea_ping_print(const struct ping_sum *sum);

#endif
