// SPDX-License-Identifier: GPL-2.0
/*
 * Secure domains that cannot work: without a key in use, shut, or with other
 * keys than their peers.  The keys of a peer are not known; but all packets
 * from a peer with another key fail to open.
 */
#include <linux/uet_nl.h>

#include "check.h"

static void check_keys(struct uea_check *check, struct json_object *sd,
		       const char *object)
{
	char fix[UEA_CHECK_TEXT];
	struct json_object *key;
	size_t i;

	for (i = 0; (key = uea_each(sd, "keys", i)); i++) {
		if (uea_has(key, "used"))
			return;
	}
	snprintf(fix, sizeof(fix),
		 "ueadm sd key %1$s an 0 file FILE && ueadm sd use %1$s an 0",
		 uea_text_of(sd, "name"));
	uea_found(check, UEA_ERROR, object, fix,
		  "no key is in use: its FEPs send nothing");
}

/* Number of packets that the domain's keys have opened. */
static uint64_t opened_by(struct json_object *sd)
{
	struct json_object *key;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; (key = uea_each(sd, "keys", i)); i++)
		sum += uea_number_of(key, "opened");
	return sum;
}

static void check_peers(struct uea_check *check, struct json_object *sd,
			const char *object)
{
	uint64_t fails = uea_number_of(sd, "auth-fails");
	uint64_t refused = uea_number_of(sd, "refused");
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "ueadm sd show %s, here and at the peers, and sha256sum of the key files",
		 uea_text_of(sd, "name"));
	if (opened_by(sd)) {
		if (fails)
			uea_found(check, UEA_HINT, object, fix,
				  "%ju packets had a wrong ICV: a peer with another key, or forged",
				  (uintmax_t)fails);
		return;
	}
	if (fails)
		uea_found(check, UEA_ERROR, object, fix,
			  "none of %ju packets could be opened: the peers have another key, or another mode",
			  (uintmax_t)fails);
	else if (refused)
		uea_found(check, UEA_ERROR, object, fix,
			  "all of %ju packets were refused for their security header: the peers have another mode, number of the key, or epoch",
			  (uintmax_t)refused);
}

/**
 * uea_check_sds() - check that FEPs in secure domains can communicate
 * @check: run
 */
void uea_check_sds(struct uea_check *check)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct json_object *sd;
	size_t i;

	for (i = 0; (sd = uea_nth(check->sds, i)); i++) {
		if (!uea_number_of(sd, "feps"))
			continue;
		snprintf(object, sizeof(object), "sd %s",
			 uea_text_of(sd, "name"));
		if (uea_has(sd, "shut")) {
			snprintf(fix, sizeof(fix),
				 "ueadm sd add NAME sdi N ..., for FEPs with another key, instead of %s",
				 uea_text_of(sd, "name"));
			uea_found(check, UEA_ERROR, object, fix,
				  "fail-limit was reached: the domain is shut down");
		}
		check_keys(check, sd, object);
		check_peers(check, sd, object);
	}
}
