/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles: named defaults for the settings of a FEP towards other implementations, one
 * list for ueadm and uetd.  Words and values are those of "ueadm fep add" and of
 * uetd.conf(5).  A setting that is given has precedence.
 */
#ifndef UET_PROFILES_H
#define UET_PROFILES_H

#include <stddef.h>
#include <string.h>

#define UET_PROFILE_NAMES	"reference|suet"
#define UET_PROFILE_CHOICE	"reference or suet"

/**
 * struct uet_profile_setting - a setting of a profile
 * @word: its word; NULL behind the last
 * @value: its value
 */
struct uet_profile_setting {
	const char *word;
	const char *value;
};

/**
 * struct uet_profile - a profile
 * @name: its name
 * @settings: its settings
 */
struct uet_profile {
	const char *name;
	struct uet_profile_setting settings[7];
};

static const struct uet_profile uet_profiles[] = {
	/* Implementations built from the consortium's public reference provider. */
	{ "reference", {
		{ "encap", "native" }, { "mtu", "1024" },
		{ "headers", "standard" },
	} },
	/* SUET over the UDP provider of libfabric: 1472 bytes less 56 of headers. */
	{ "suet", {
		{ "protect", "none" }, { "mtu", "1416" },
		{ "headers", "standard" }, { "amo-host", "yes" },
		{ "ack-clears", "yes" }, { "fixed-port", "yes" },
	} },
};

/* Return: the profile, or NULL. */
static inline const struct uet_profile *uet_profile_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(uet_profiles) / sizeof(uet_profiles[0]); i++)
		if (!strcmp(uet_profiles[i].name, name))
			return &uet_profiles[i];
	return NULL;
}

#endif
