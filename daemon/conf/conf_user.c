// SPDX-License-Identifier: GPL-2.0
/*
 * Sections [user NAME]: the JobIDs that a user may give to jobs made over the bus, and
 * that no other user may.  A node knows the jobs of other nodes only by such sections.
 * Level: tool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet.h>

#include "conf.h"

static bool read_ids(struct uetd_user *user, const char *value)
{
	unsigned long first, last;
	char rest;

	if (sscanf(value, "%lu - %lu %c", &first, &last, &rest) != 2 ||
	    !first || first > last || last > UET_JOBID_MAX)
		return false;
	user->first = first;
	user->last = last;
	return true;
}

static void read_key(struct uetd_user *user, const struct uetd_section *section,
		     const struct uetd_entry *entry, struct uetd_diag *diag)
{
	if (strcmp(entry->key, "job-ids"))
		uetd_conf_error(diag, section, entry->key, "unknown key");
	else if (!read_ids(user, entry->value))
		uetd_conf_error(diag, section, entry->key,
				"must be FIRST-LAST, numbers from 1 to %u, not \"%s\"",
				UET_JOBID_MAX, entry->value);
}

/* A JobID has one user, and a user one section. */
static void check(const struct uetd_conf *conf, const struct uetd_user *user,
		  struct uetd_diag *diag)
{
	const struct uetd_user *other;
	size_t i;

	for (i = 0; i < conf->nr_users; i++) {
		other = &conf->users[i];
		if (other->uid == user->uid)
			uetd_conf_error(diag, user->section, NULL,
					"user %u has another section",
					user->uid);
		else if (user->first <= other->last && other->first <= user->last)
			uetd_conf_error(diag, user->section, "job-ids",
					"JobIDs %u to %u are those of user %u",
					other->first, other->last, other->uid);
	}
}

/**
 * uetd_conf_user() - read a section [user NAME]
 * @conf: the user is added
 * @section: the section
 * @name: NAME
 * @diag: receives errors
 */
void uetd_conf_user(struct uetd_conf *conf, const struct uetd_section *section,
		    const char *name, struct uetd_diag *diag)
{
	struct uetd_user user = { .section = section };
	const char *wrong = uetd_value_user(name, &user.uid);
	unsigned int before = diag->nr;
	size_t i;

	if (wrong) {
		uetd_conf_error(diag, section, NULL, "a user must be %s, not \"%s\"",
				wrong, name);
		return;
	}
	for (i = 0; i < section->nr; i++)
		read_key(&user, section, &section->entries[i], diag);
	if (!uetd_raw_entry(section, "job-ids"))
		uetd_conf_error(diag, section, NULL, "job-ids is missing");
	if (diag->nr != before)
		return;
	check(conf, &user, diag);
	conf->users = uetd_grow(conf->users, conf->nr_users, sizeof(user));
	conf->users[conf->nr_users++] = user;
}
