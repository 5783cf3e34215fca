// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control contexts of which the network does not do what they need: it does not
 * mark, or marks too early.  What a context has counted since it began is the evidence.
 */
#include <linux/uet_nl.h>

#include "check.h"

/* Fewer ACKs, or fewer losses, say nothing about a network. */
#define CC_ACKS		1000
#define CC_LOSSES	10

/* Packets are lost, and nothing says so before. */
static void check_signs(struct uea_check *check, struct json_object *fep,
			struct json_object *ccc, const char *object)
{
	uint64_t losses = uea_number_of(ccc, "losses");

	if (uea_number_of(ccc, "marked") || uea_number_of(ccc, "trims") || losses < CC_LOSSES)
		return;
	uea_found(check, UEA_HINT, object,
		  "ECN at the queues of each port on the path; devices that clear ECN bits",
		  "%ju packets were lost, and none of %ju ACKs is marked%s: queues of the path drop and do not mark, or packets are lost without a queue",
		  (uintmax_t)losses, (uintmax_t)uea_number_of(ccc, "acks"),
		  json_object_object_get(fep, "dscp-trimmed") ? ", and no packet was trimmed" : "");
}

/* A mark without a queue slows a sender for nothing. */
static void check_threshold(struct uea_check *check, struct json_object *ccc,
			    const char *object)
{
	uint64_t acks = uea_number_of(ccc, "acks"), marked = uea_number_of(ccc, "marked");

	if (10 * marked < 9 * acks ||
	    4 * uea_number_of(ccc, "delay-ns") > uea_number_of(ccc, "base-rtt-ns"))
		return;
	uea_found(check, UEA_WARNING, object,
		  "the ECN threshold of each port on the path: a fifth of the bandwidth-delay product, or more",
		  "%ju of %ju ACKs are marked, but packets wait in no queue: a switch marks too early",
		  (uintmax_t)marked, (uintmax_t)acks);
}

/**
 * uea_check_congestion() - does the network do what congestion control needs?
 * @check: run
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_check_congestion(struct uea_check *check)
{
	struct json_object *cccs = NULL, *ccc, *fep;
	char object[UEA_CHECK_TEXT];
	int status = uea_dump(check->ctx, &uea_ccc, &cccs);
	size_t i;

	for (i = 0; !status && (ccc = uea_nth(cccs, i)); i++) {
		fep = uea_check_fep(check, uea_text_of(ccc, "fep"));
		if (!fep || uea_number_of(ccc, "acks") < CC_ACKS ||
		    !uea_number_of(ccc, "base-rtt-ns"))
			continue;
		snprintf(object, sizeof(object), "peer %s", uea_text_of(ccc, "peer"));
		check_signs(check, fep, ccc, object);
		check_threshold(check, ccc, object);
	}
	json_object_put(cccs);
	return status;
}
