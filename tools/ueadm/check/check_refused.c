// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that let an application wait in silence, from the counters: peers
 * that read the specification differently, or have another configuration.  The
 * counters never return to 0, so these findings are hints.
 */
#include <string.h>

#include <linux/uet_nl.h>

#include "check.h"

#define HOLDERS		3	/* peers that are named */
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
		"drops", UEA_CHECK_NO_PDC,
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

/* How many PDCs each peer has opened at each FEP, as "PEER at fep NAME". */
static struct json_object *count_held(struct json_object *pdcs)
{
	struct json_object *held = json_object_new_object(), *pdc;
	char key[UEA_CHECK_TEXT];
	size_t i;

	for (i = 0; pdcs && (pdc = uea_nth(pdcs, i)); i++) {
		if (strcmp(uea_text_of(pdc, "role"), "target"))
			continue;
		snprintf(key, sizeof(key), "%s at fep %s", uea_text_of(pdc, "peer"),
			 uea_text_of(pdc, "fep"));
		json_object_object_add(held, key,
				       json_object_new_int64(uea_number_of(held, key) + 1));
	}
	return held;
}

/**
 * uea_check_holders() - the peers that have opened most PDCs here
 * @check: run
 * @buf: filled with text for the end of a finding; "": the user may not see PDCs
 * @size: size of @buf
 */
void uea_check_holders(const struct uea_check *check, char *buf, size_t size)
{
	struct json_object *held = count_held(check->pdcs);
	char most[UEA_CHECK_TEXT];
	size_t used = 0;
	int n;

	*buf = 0;
	for (n = 0; n < HOLDERS && json_object_object_length(held) && used < size; n++) {
		*most = 0;
		json_object_object_foreach(held, key, value) {
			if (!*most || json_object_get_int64(value) > (int64_t)uea_number_of(held, most))
				snprintf(most, sizeof(most), "%s", key);
		}
		used += snprintf(buf + used, size - used, "%s%s has %ju",
				 n ? ", " : "; ", most, (uintmax_t)uea_number_of(held, most));
		json_object_object_del(held, most);
	}
	json_object_put(held);
}

/**
 * uea_check_refusals() - refusals that an application waits behind
 * @check: run
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_check_refusals(struct uea_check *check)
{
	char holders[2 * UEA_CHECK_TEXT];
	struct json_object *counters;
	uint64_t value;
	size_t i;
	int status = uea_dump(check->ctx, &uea_stats, &counters);

	for (i = 0; !status && i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		value = counter_of(counters, &refusals[i]);
		if (!value)
			continue;
		*holders = 0;
		if (!strcmp(refusals[i].name, UEA_CHECK_NO_PDC))
			uea_check_holders(check, holders, sizeof(holders));
		uea_found(check, UEA_HINT, refusals[i].name, REFUSED_FIX, "%ju %s%s",
			  (uintmax_t)value, refusals[i].wrong, holders);
	}
	json_object_put(counters);
	return status;
}
