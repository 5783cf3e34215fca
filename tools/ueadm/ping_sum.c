// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of a ping's round trips, and output of the shortest, the mean and the
 * longest round trip, for programs and for people.
 */
#include "ping_sum.h"
#include "ueadm.h"

/**
 * uea_ping_add() - one more answer
 * @sum: sum
 * @ns: round trip, nanoseconds
 */
void uea_ping_add(struct ping_sum *sum, uint64_t ns)
{
	if (!sum->answered++ || ns < sum->min_ns)
		sum->min_ns = ns;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
	sum->sum_ns += ns;
}

/**
 * uea_ping_numbers() - the times as keys of an object
 * @to: JSON object
 * @sum: sum; without an answer there are no times
 */
void uea_ping_numbers(struct json_object *to, const struct ping_sum *sum)
{
	if (!sum->answered)
		return;
	json_object_object_add(to, "rtt-min-ns",
			       json_object_new_uint64(sum->min_ns));
	json_object_object_add(to, "rtt-avg-ns",
			       json_object_new_uint64(sum->sum_ns /
						      sum->answered));
	json_object_object_add(to, "rtt-max-ns",
			       json_object_new_uint64(sum->max_ns));
}

static double ms(uint64_t ns)
{
	return ns / 1e6;
}

/**
 * uea_ping_print() - the times as a line
 * @sum: sum, of one answer at least
 */
void uea_ping_print(const struct ping_sum *sum)
{
	printf("rtt min/avg/max = %.3f/%.3f/%.3f ms\n", ms(sum->min_ns),
	       ms(sum->sum_ns / sum->answered), ms(sum->max_ns));
}
