// SPDX-License-Identifier: GPL-2.0
/*
 * Sections [sd NAME]: a secure domain and the location of its key; the check of
 * domains against the other objects; and reading of keys.  Keys are in separate
 * files, because configuration files are world-readable.  Level: tool.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/uet_nl.h>

#include "conf.h"
#include "model/index.h"
#include "keyfile.h"
#include "number.h"
#include "model/secret.h"
#include "core/tss/tss.h"
#include "uet_names.h"

#define SDI_MAX		0xffffff
#define OVERLAP_DEFAULT	60
#define ROTATION_MIN	2
#define ROTATION_MAX	31622400	/* a leap year */

static_assert((int)UET_SD_MODE_DIRECT == (int)UET_TSS_DIRECT);
static_assert((int)UET_SD_MODE_CLUSTER == (int)UET_TSS_CLUSTER);
static_assert((int)UET_SD_MODE_SERVER == (int)UET_TSS_SERVER);

/**
 * struct sd_key - a key of a section [sd NAME]
 * @word: the key
 * @read: reads the value; returns NULL, or the expected form of an invalid value
 */
struct sd_key {
	const char *word;
	const char *(*read)(struct uetd_sd *sd, const char *value);
};

static const char *read_sdi(struct uetd_sd *sd, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, SDI_MAX, &number);

	sd->rules.sdi = number;
	return wrong;
}

static const char *read_mode(struct uetd_sd *sd, const char *value)
{
	unsigned int number;
	const char *wrong = uetd_value_choice(value, uet_sd_mode_names,
					      &number);

	sd->rules.mode = number;
	return wrong;
}

static const char *read_switch(const char *value, bool *is_on)
{
	static const char *const words[] = { "no", "yes", NULL };
	unsigned int number;
	const char *wrong = uetd_value_choice(value, words, &number);

	*is_on = number;
	return wrong;
}

static const char *read_client(struct uetd_sd *sd, const char *value)
{
	return read_switch(value, &sd->rules.is_client);
}

static const char *read_ipv6(struct uetd_sd *sd, const char *value)
{
	return read_switch(value, &sd->rules.is_v6);
}

static const char *read_ssi(struct uetd_sd *sd, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, UINT32_MAX, &number);

	sd->rules.has_ssi = true;
	sd->rules.ssi = number;
	return wrong;
}

static const char *read_rekey_mask(struct uetd_sd *sd, const char *value)
{
	return uetd_value_number(value, 0, UET_TSS_TSC_END - 1,
				 &sd->rules.rekey_mask);
}

static const char *read_rekey_shift(struct uetd_sd *sd, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, 47, &number);

	sd->rules.rekey_shift = number;
	return wrong;
}

static const char *read_epoch_age(struct uetd_sd *sd, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, INT16_MAX, &number);

	sd->rules.epoch_age = number;
	return wrong;
}

static const char *read_seal_limit(struct uetd_sd *sd, const char *value)
{
	return uetd_value_number(value, 1, UET_TSS_TSC_END,
				 &sd->rules.seal_limit);
}

static const char *read_fail_limit(struct uetd_sd *sd, const char *value)
{
	return uetd_value_number(value, 1, UINT64_MAX, &sd->rules.fail_limit);
}

static const char *read_key_file(struct uetd_sd *sd, const char *value)
{
	if (*value != '/' || strlen(value) >= sizeof(sd->key_file) ||
	    value[strlen(value) - 1] == '/')
		return "the name of a file from / on";
	strcpy(sd->key_file, value);
	return NULL;
}

static const char *read_credential(struct uetd_sd *sd, const char *value)
{
	if (!*value || strchr(value, '/') ||
	    strlen(value) >= sizeof(sd->credential) || *value == '.')
		return "the name of a credential";
	strcpy(sd->credential, value);
	return NULL;
}

static const char *read_seconds(const char *value, uint64_t min, uint64_t max,
				uint32_t *seconds)
{
	static char must_be[96];
	uint64_t ns;

	if (number_read_time(value, &ns) && ns % 1000000000 == 0 &&
	    ns / 1000000000 >= min && ns / 1000000000 <= max) {
		*seconds = ns / 1000000000;
		return NULL;
	}
	snprintf(must_be, sizeof(must_be),
		 "a time with its unit in whole seconds, from %us to %us",
		 (unsigned int)min, (unsigned int)max);
	return must_be;
}

static const char *read_rotation(struct uetd_sd *sd, const char *value)
{
	return read_seconds(value, ROTATION_MIN, ROTATION_MAX, &sd->rotation);
}

static const char *read_overlap(struct uetd_sd *sd, const char *value)
{
	return read_seconds(value, ROTATION_MIN / 2, ROTATION_MAX / 2,
			    &sd->overlap);
}

static const char *read_epoch(struct uetd_sd *sd, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, UINT16_MAX, &number);

	sd->epoch = number;
	return wrong;
}

static const struct sd_key sd_keys[] = {
	{ "sdi", read_sdi },
	{ "mode", read_mode },
	{ "client", read_client },
	{ "ipv6", read_ipv6 },
	{ "ssi", read_ssi },
	{ "rekey-mask", read_rekey_mask },
	{ "rekey-shift", read_rekey_shift },
	{ "epoch-age", read_epoch_age },
	{ "seal-limit", read_seal_limit },
	{ "fail-limit", read_fail_limit },
	{ "key-file", read_key_file },
	{ "credential", read_credential },
	{ "rotation", read_rotation },
	{ "overlap", read_overlap },
	{ "epoch", read_epoch },
	{ NULL, NULL },
};

/**
 * uetd_conf_rules() - default rules of a domain
 * @rules: filled in with the kernel's defaults
 * @mode: UET_SD_MODE_*
 */
void uetd_conf_rules(struct uetd_rules *rules, uint8_t mode)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	*rules = (struct uetd_rules) {
		.mode = mode,
		.rekey_mask = mode == UET_SD_MODE_CLUSTER ? cfg.rekey_mask : 0,
		.rekey_shift = cfg.rekey_shift,
		.epoch_age = cfg.epoch_age,
		.seal_limit = cfg.seal_limit,
		.fail_limit = cfg.fail_limit,
	};
}

static void read_entry(struct uetd_sd *sd, const struct uetd_entry *entry,
		       struct uetd_diag *diag)
{
	const struct sd_key *key = sd_keys;
	const char *wrong;

	while (key->word && strcmp(key->word, entry->key))
		key++;
	if (!key->word) {
		uetd_conf_error(diag, sd->section, entry->key, "unknown key");
		return;
	}
	wrong = key->read(sd, entry->value);
	if (wrong)
		uetd_conf_error(diag, sd->section, entry->key,
				"must be %s, not \"%s\"", wrong, entry->value);
}

/**
 * uetd_conf_sd() - read a section [sd NAME]
 * @conf: the domain is added
 * @section: the section
 * @name: NAME
 * @diag: receives errors
 */
void uetd_conf_sd(struct uetd_conf *conf, const struct uetd_section *section,
		  const char *name, struct uetd_diag *diag)
{
	struct uetd_sd sd = { .section = section, .overlap = OVERLAP_DEFAULT };
	struct uetd_model *model = &conf->model;
	const char *wrong;
	size_t i;

	wrong = uetd_value_name(name, UET_NAME_LEN_MAX, sd.name);
	if (wrong) {
		uetd_conf_error(diag, section, NULL, "an sd must have %s",
				wrong);
		return;
	}
	uetd_conf_rules(&sd.rules, UET_SD_MODE_CLUSTER);
	for (i = 0; i < section->nr; i++)
		read_entry(&sd, &section->entries[i], diag);
	if (!uetd_raw_entry(section, "sdi"))
		uetd_conf_error(diag, section, NULL, "sdi is missing");
	if (sd.rules.mode != UET_SD_MODE_CLUSTER &&
	    !uetd_raw_entry(section, "rekey-mask"))
		sd.rules.rekey_mask = 0;
	model->sds = uetd_grow(model->sds, model->nr_sds, sizeof(sd));
	model->sds[model->nr_sds++] = sd;
}

/* Rules that the kernel would refuse. */
static void check_rules(const struct uetd_sd *sd, struct uetd_diag *diag)
{
	const struct uetd_rules *rules = &sd->rules;
	const struct uet_tss_cfg cfg = {
		.sdi = rules->sdi,
		.mode = rules->mode,
		.is_v6 = rules->is_v6,
		.is_client = rules->is_client,
		.has_ssi = rules->has_ssi,
		.ssi = rules->ssi,
		.rekey_mask = rules->rekey_mask,
		.rekey_shift = rules->rekey_shift,
		.epoch_age = rules->epoch_age,
		.seal_limit = rules->seal_limit,
		.fail_limit = rules->fail_limit,
	};
	const char *wrong = uet_tss_cfg_wrong(&cfg);

	if (wrong)
		uetd_conf_error(diag, sd->section, NULL, "%s",
				wrong + strlen("sd: "));
}

static void check_keys(const struct uetd_sd *sd, struct uetd_diag *diag)
{
	const struct uetd_section *section = sd->section;
	static const char *const with_key[] = { "rotation", "overlap", "epoch" };
	size_t i;

	if (*sd->key_file && *sd->credential)
		uetd_conf_error(diag, section, NULL,
				"there must be one of key-file and credential");
	for (i = 0; i < sizeof(with_key) / sizeof(with_key[0]); i++) {
		if (uetd_raw_entry(section, with_key[i]) &&
		    !*sd->key_file && !*sd->credential)
			uetd_conf_error(diag, section, with_key[i],
					"needs key-file or credential");
	}
	if (!sd->rotation)
		return;
	if (sd->rules.mode == UET_SD_MODE_SERVER)
		uetd_conf_error(diag, section, "rotation",
				"is not for mode server, whose clients have keys that are made elsewhere");
	if (sd->overlap > sd->rotation / 2)
		uetd_conf_error(diag, section, "rotation",
				"must be at least twice the overlap, which is %us",
				sd->overlap);
	if (uetd_raw_entry(section, "epoch"))
		uetd_conf_error(diag, section, "epoch",
				"is by the clock with rotation");
}

/**
 * uetd_conf_check_sd() - check a FEP against its domain
 * @lookup: all objects
 * @fep: the FEP
 * @diag: receives errors
 */
void uetd_conf_check_sd(const struct uetd_lookup *lookup,
			const struct uetd_fep *fep, struct uetd_diag *diag)
{
	const struct uetd_sd *sd = uetd_index_find(&lookup->sds, fep->sd);

	if (uetd_raw_entry(fep->section, "protect") &&
	    uetd_raw_entry(fep->section, "sd"))
		uetd_conf_error(diag, fep->section, "protect",
				"and sd exclude each other");
	if (!*fep->sd)
		return;
	if (!sd) {
		uetd_conf_error(diag, fep->section, "sd",
				"there is no [sd %s]", fep->sd);
		return;
	}
	if (fep->addr.family &&
	    sd->rules.is_v6 != (fep->addr.family == AF_INET6))
		uetd_conf_error(diag, fep->section, "sd",
				"[sd %s] is for %s addresses", sd->name,
				sd->rules.is_v6 ? "IPv6" : "IPv4");
}

/**
 * uetd_conf_check_sds() - check the domains
 * @model: all objects
 * @diag: receives errors
 */
void uetd_conf_check_sds(const struct uetd_model *model,
			 struct uetd_diag *diag)
{
	size_t i;

	for (i = 0; i < model->nr_sds; i++) {
		check_rules(&model->sds[i], diag);
		check_keys(&model->sds[i], diag);
	}
}

/*
 * Location of the key; false if there are no credentials.  Missing credentials
 * are an error, but not for a check only: even ExecReload= lacks the
 * credentials of its service.
 */
static bool key_path(char *path, size_t size, const struct uetd_sd *sd,
		     struct uetd_diag *diag)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");

	if (*sd->key_file) {
		snprintf(path, size, "%s", sd->key_file);
		return true;
	}
	if (!dir && diag->is_check)
		return false;
	if (!dir || *dir != '/') {
		uetd_conf_error(diag, sd->section, "credential",
				"the service manager has given none, see LoadCredential= in systemd.exec(5)");
		return false;
	}
	snprintf(path, size, "%s/%s", dir, sd->credential);
	return !diag->is_check || !access(path, R_OK) || errno != EACCES;
}

static void read_key(struct uetd_sd *sd, struct uetd_secret *secret,
		     struct uetd_diag *diag)
{
	const char *key = *sd->key_file ? "key-file" : "credential";
	size_t len = sd->rules.is_client ? UETD_SECRET_MAX : UETD_KEY_LEN;
	struct keyfile file;
	char path[4096];

	if (!key_path(path, sizeof(path), sd, diag))
		return;
	if (!keyfile_read(&file, path, *sd->key_file ? KEYFILE_FIXED :
			  KEYFILE_CREDENTIAL, secret->bytes, len)) {
		uetd_conf_error(diag, sd->section, key, "%s: %s", path,
				file.wrong);
		return;
	}
	if (sd->rotation && file.has_number)
		uetd_conf_error(diag, sd->section, key,
				"%s: has a number, which are those of the periods with rotation",
				path);
	if (!uetd_secret_check(secret, len, &sd->check))
		uetd_conf_error(diag, sd->section, key,
				"%s: libcrypto cannot derive keys", path);
	sd->number = file.number;
	sd->since = file.since;
	sd->secret = secret;
}

/*
 * The same key in two domains would be used twice for the same purpose.
 */
static void check_twins(struct uetd_index *checks, const struct uetd_sd *sd,
			struct uetd_diag *diag)
{
	const struct uetd_sd *first = sd->check ? uetd_index_add(checks, sd) :
						  sd;

	if (first != sd)
		uetd_conf_error(diag, sd->section,
				*sd->key_file ? "key-file" : "credential",
				"its key is that of [sd %s]", first->name);
}

/**
 * uetd_conf_read_keys() - read the key of each domain that has a file for it
 * @conf: configuration without an error
 * @diag: receives errors in the key files
 */
void uetd_conf_read_keys(struct uetd_conf *conf, struct uetd_diag *diag)
{
	struct uetd_index checks = UETD_INDEX(struct uetd_sd, check,
					      uetd_index_number);
	struct uetd_model *model = &conf->model;
	struct uetd_sd *sd;
	size_t i;

	for (i = 0; i < model->nr_sds; i++) {
		sd = &model->sds[i];
		if (!*sd->key_file && !*sd->credential)
			continue;
		conf->secrets = uetd_grow(conf->secrets, conf->nr_secrets,
					  sizeof(*conf->secrets));
		conf->secrets[conf->nr_secrets] = uetd_secret_new();
		read_key(sd, conf->secrets[conf->nr_secrets++], diag);
		check_twins(&checks, sd, diag);
	}
	uetd_index_free(&checks);
}

/**
 * uetd_conf_follow() - carry key times over from the replaced configuration
 * @conf: the new one
 * @before: the old one
 * @now: seconds since 1970
 *
 * A new key gets the time @now, however old its file is; an unchanged
 * key keeps its earlier time.
 */
void uetd_conf_follow(struct uetd_conf *conf, const struct uetd_conf *before,
		      uint64_t now)
{
	const struct uetd_sd *old;
	struct uetd_lookup lookup;
	struct uetd_sd *sd;
	size_t i;

	uetd_lookup_make(&lookup, &before->model);
	for (i = 0; i < conf->model.nr_sds; i++) {
		sd = &conf->model.sds[i];
		old = uetd_index_find(&lookup.sds, sd->name);
		sd->since = old && old->check == sd->check &&
			    old->number == sd->number ? old->since : now;
	}
	uetd_lookup_free(&lookup);
}
