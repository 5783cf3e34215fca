// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that let an application wait in silence, from the counters: peers
 * that read the specification differently, or have another configuration.  The
 * counters never return to 0, so these findings are hints.
 */
#include <string.h>

#include <linux/uet_nl.h>

#include "check.h"

#define REFUSED_FIX	"ueadm pdc show; interop.rst has the settings for foreign peers"

/**
 * struct refusal - a counter, and what it means if it is not 0
 * @kind: kind of the counter
 * @name: name of the counter
 * @wrong: text behind the value
 */
struct refusal {
	const char *kind;
	const char *name;
	const char *wrong;
};

static const struct refusal refusals[] = {
	{
		"drops", "no-pdc-space",
		"PDCs of peers were refused, because peers open more PDCs than this host gives them: the quota of its user namespace, or the pool of the FEP; sysctl net.uet.user_max_pdc_pages, parameter max_targets of the module",
	}, {
		"mib", "rtr-refused",
		"restart requests were refused by peers, which had deferred a message",
	}, {
		"drops", "ses-bad-token",
		"restart requests or restarts of peers named no deferred message",
	}, {
		"drops", "read-unknown",
		"packets with data of peers were for no READ that waits",
	}, {
		"drops", "read-wrong",
		"packets with data of peers were not what a READ requested",
	}, {
		"mib", "rx-clear-nack",
		"NACKs in clear came to FEPs with security: peers without the key, or forged; at most one for each PDC that opens had an effect",
	},
};

static uint64_t counter_of(struct json_object *counters,
			   const struct refusal *refusal)
{
	struct json_object *counter;
	size_t i;

	for (i = 0; (counter = uea_nth(counters, i)); i++)
		if (!strcmp(uea_text_of(counter, "kind"), refusal->kind) &&
		    !strcmp(uea_text_of(counter, "name"), refusal->name))
			return uea_number_of(counter, "value");
	return 0;
}

/**
 * uea_check_refusals() - refusals that an application waits behind
 * @check: run
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_check_refusals(struct uea_check *check)
{
	struct json_object *counters;
	uint64_t value;
	size_t i;
	int status = uea_dump(check->ctx, &uea_stats, &counters);

	for (i = 0; !status && i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		value = counter_of(counters, &refusals[i]);
		if (value)
			uea_found(check, UEA_HINT, refusals[i].name, REFUSED_FIX,
				  "%ju %s", (uintmax_t)value,
				  refusals[i].wrong);
	}
	json_object_put(counters);
	return status;
}
