// SPDX-License-Identifier: GPL-2.0
/*
 * Sections [peer NAME]: a fabric address of another node, and for each rail the
 * address by which the rail reaches that node; and the check of peers against
 * the other objects.  Level: tool.
 */
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "model/index.h"

/* Reads "RAIL ADDRESS", with any blanks.  Return: NULL, or the expected form. */
static const char *read_via(struct uetd_peer *peer, const char *text)
{
	char rail[UETD_RAIL_NAME_MAX + 2], addr[64], rest;
	const char *wrong;

	if (sscanf(text, "%16s %63s %c", rail, addr, &rest) != 2)
		return "RAIL ADDRESS[, RAIL ADDRESS...]";
	if (peer->nr_vias == UETD_VIAS_MAX)
		return "8 ways at most";
	wrong = uetd_value_name(rail, UETD_RAIL_NAME_MAX,
				peer->rail[peer->nr_vias]);
	if (!wrong)
		wrong = uetd_value_addr(addr, &peer->via[peer->nr_vias]);
	peer->nr_vias++;
	return wrong;
}

static const char *read_vias(struct uetd_peer *peer, const char *value)
{
	char copy[256], *rest = copy, *one;
	const char *wrong = NULL;

	snprintf(copy, sizeof(copy), "%s", value);
	while (!wrong && (one = strsep(&rest, ",")))
		wrong = read_via(peer, one);
	return wrong;
}

static void read_key(struct uetd_peer *peer, const struct uetd_section *section,
		     const struct uetd_entry *entry, struct uetd_diag *diag)
{
	const char *wrong;

	if (!strcmp(entry->key, "addr")) {
		wrong = uetd_value_addr(entry->value, &peer->addr);
	} else if (!strcmp(entry->key, "via")) {
		wrong = read_vias(peer, entry->value);
	} else {
		uetd_conf_error(diag, section, entry->key, "unknown key");
		return;
	}
	if (wrong)
		uetd_conf_error(diag, section, entry->key,
				"must be %s, not \"%s\"", wrong, entry->value);
}

/**
 * uetd_conf_peer() - read a section [peer NAME]
 * @conf: the peer is added
 * @section: the section
 * @name: NAME
 * @diag: receives errors
 */
void uetd_conf_peer(struct uetd_conf *conf, const struct uetd_section *section,
		    const char *name, struct uetd_diag *diag)
{
	static const char *const needed[] = { "addr", "via" };
	struct uetd_model *model = &conf->model;
	struct uetd_peer peer = { .section = section };
	const char *wrong;
	size_t i;

	wrong = uetd_value_name(name, UET_NAME_LEN_MAX, peer.name);
	if (wrong) {
		uetd_conf_error(diag, section, NULL, "a peer must have %s",
				wrong);
		return;
	}
	for (i = 0; i < section->nr; i++)
		read_key(&peer, section, &section->entries[i], diag);
	for (i = 0; i < 2; i++) {
		if (!uetd_raw_entry(section, needed[i]))
			uetd_conf_error(diag, section, NULL, "%s is missing",
					needed[i]);
	}
	model->peers = uetd_grow(model->peers, model->nr_peers, sizeof(peer));
	model->peers[model->nr_peers++] = peer;
}

static void check_vias(const struct uetd_lookup *lookup,
		       const struct uetd_peer *peer, struct uetd_diag *diag)
{
	unsigned int i, k;

	for (i = 0; i < peer->nr_vias; i++) {
		if (!uetd_index_find(&lookup->rails, peer->rail[i]))
			uetd_conf_error(diag, peer->section, "via",
					"there is no [rail %s]", peer->rail[i]);
		if (peer->via[i].family != peer->addr.family)
			uetd_conf_error(diag, peer->section, "via",
					"the address of rail %s must be of the family of addr",
					peer->rail[i]);
		for (k = 0; k < i; k++) {
			if (!strcmp(peer->rail[k], peer->rail[i]))
				uetd_conf_error(diag, peer->section, "via",
						"%s is there twice",
						peer->rail[i]);
		}
	}
}

/**
 * uetd_conf_check_peers() - check peers against each other and the rails
 * @model: all objects
 * @lookup: the same
 * @diag: receives errors
 */
void uetd_conf_check_peers(const struct uetd_model *model,
			   const struct uetd_lookup *lookup,
			   struct uetd_diag *diag)
{
	struct uetd_index addrs = UETD_INDEX(struct uetd_peer, addr,
					     uetd_index_addr);
	const struct uetd_peer *peer, *first;
	size_t i;

	for (i = 0; i < model->nr_peers; i++) {
		peer = &model->peers[i];
		if (!peer->addr.family)
			continue;
		check_vias(lookup, peer, diag);
		if (uetd_addr_is_link_local(&peer->addr))
			uetd_conf_error(diag, peer->section, "addr",
					"is link-local: there is no route to it");
		first = uetd_index_add(&addrs, peer);
		if (first != peer)
			uetd_conf_error(diag, peer->section, "addr",
					"is that of [peer %s]", first->name);
	}
	uetd_index_free(&addrs);
}
