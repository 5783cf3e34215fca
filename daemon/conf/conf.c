// SPDX-License-Identifier: GPL-2.0
/*
 * Sections to objects: each kind of section has a table of its keys, with a
 * function that reads each value.  Invalid values are reported with their line.
 * Reading continues after an error, so that one run reports all errors.  Level:
 * tool.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet.h>

#include "conf.h"
#include "model/secret.h"
#include "uet_names.h"
#include "uet_profiles.h"

#define IPPROTO_DEFAULT	253	/* the default of the kernel and of ueadm */

/* All keys are read into this structure; each kind of section uses its part. */
union target {
	struct uetd_conf conf;
	struct uetd_rail rail;
	struct uetd_fep fep;
	struct uetd_job job;
};

/**
 * struct conf_key - a key of a kind of section
 * @word: the key
 * @read: reads the value; returns NULL, or the expected form of an invalid value
 */
struct conf_key {
	const char *word;
	const char *(*read)(union target *target, const char *value);
};

/**
 * uetd_conf_error() - report an error in a file
 * @diag: receives the error
 * @section: section of the error
 * @key: key with the error, whose line is reported if present; may be NULL
 * @fmt: what is wrong
 */
void uetd_conf_error(struct uetd_diag *diag,
		     const struct uetd_section *section, const char *key,
		     const char *fmt, ...)
{
	const struct uetd_entry *entry = key ? uetd_raw_entry(section, key) :
					 NULL;
	struct uetd_conf_error error_text = {
		.file = entry ? entry->file : section->file,
		.line = entry ? entry->line : section->line,
		.section = section->name,
		.key = key,
	};
	char text[UETD_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_text.text = text;
	diag->nr++;
	diag->tell(diag->data, &error_text);
}

static const char *read_foreign(union target *target, const char *value)
{
	static const char *const words[] = {
		[UETD_FOREIGN_DELETE] = "delete",
		[UETD_FOREIGN_KEEP_JOBS] = "keep-jobs",
		[UETD_FOREIGN_KEEP] = "keep",
		NULL,
	};
	unsigned int number;
	const char *wrong = uetd_value_choice(value, words, &number);

	target->conf.foreign = number;
	target->conf.has_foreign = true;
	return wrong;
}

static const char *read_jobs_per_user(union target *target, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, UETD_JOBS_PER_USER_MAX,
					      &number);

	target->conf.jobs_per_user = number;
	return wrong;
}

static const struct conf_key uetd_keys[] = {
	{ "foreign", read_foreign },
	{ "jobs-per-user", read_jobs_per_user },
	{ NULL, NULL },
};

static const char *read_rail_dev(union target *target, const char *value)
{
	struct uetd_rail *rail = &target->rail;

	rail->match = UETD_MATCH_NAME;
	if (*value && strlen(value) < sizeof(rail->dev) &&
	    !strpbrk(value, "/: \t") && strcmp(value, ".") &&
	    strcmp(value, "..")) {
		strcpy(rail->dev, value);
		return NULL;
	}
	return "the name of a netdev, 1 to 15 characters";
}

static const char *read_rail_mac(union target *target, const char *value)
{
	target->rail.match = UETD_MATCH_MAC;
	return uetd_value_mac(value, target->rail.mac);
}

static const char *read_rail_addr(union target *target, const char *value)
{
	target->rail.match = UETD_MATCH_ADDR;
	return uetd_value_net(value, &target->rail.addr, &target->rail.prefix);
}

static const char *read_rail_plane(union target *target, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 0, UINT32_MAX, &number);

	target->rail.plane = number;
	return wrong;
}

static const char *read_switch(const char *value, bool *is_on)
{
	static const char *const words[] = { "off", "on", NULL };
	unsigned int number = 0;
	const char *wrong = uetd_value_choice(value, words, &number);

	*is_on = number;
	return wrong;
}

static const char *read_rail_ingress(union target *target, const char *value)
{
	return read_switch(value, &target->rail.is_ingress);
}

static const struct conf_key rail_keys[] = {
	{ "interface", read_rail_dev },
	{ "mac", read_rail_mac },
	{ "address", read_rail_addr },
	{ "plane", read_rail_plane },
	{ "ingress", read_rail_ingress },
	{ NULL, NULL },
};

static const char *read_fep_addr(union target *target, const char *value)
{
	return uetd_value_addr(value, &target->fep.addr);
}

static const char *read_fep_rails(union target *target, const char *value)
{
	struct uetd_fep *fep = &target->fep;

	return uetd_value_names(value, sizeof(fep->rail[0]), UET_FEP_RAILS_MAX,
				fep->rail[0], &fep->nr_rails);
}

static const char *read_fep_need(union target *target, const char *value)
{
	static const char *const words[] = { "any", "all", NULL };
	unsigned int number;
	const char *wrong = uetd_value_choice(value, words, &number);

	target->fep.needs_all = number;
	return wrong;
}

static const char *read_fep_mtu(union target *target, const char *value)
{
	uint64_t number;

	if (uetd_value_number(value, 1024, 8192, &number))
		return "a number from 1024 to 8192";
	target->fep.mtu = number;
	return NULL;
}

static const char *read_fep_protect(union target *target, const char *value)
{
	static const char *const words[] = {
		[UET_PROTECT_NONE] = "none",
		[UET_PROTECT_CRC] = "crc",
		NULL,
	};
	unsigned int number;
	const char *wrong = uetd_value_choice(value, words, &number);

	target->fep.protect = number;
	*target->fep.sd = 0;
	return wrong;
}

/* FEPs in the domain have no CRC. */
static const char *read_fep_sd(union target *target, const char *value)
{
	target->fep.protect = UET_PROTECT_TSS;
	return uetd_value_name(value, UET_NAME_LEN_MAX, target->fep.sd);
}

static const char *read_fep_encap(union target *target, const char *value)
{
	unsigned int number;
	const char *wrong = uetd_value_choice(value, uet_encap_names, &number);

	target->fep.encap = number;
	return wrong;
}

static const char *read_fep_port(union target *target, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 1, UINT16_MAX, &number);

	target->fep.port = number;
	return wrong;
}

static const char *read_fep_proto(union target *target, const char *value)
{
	uint64_t number = 0;
	const char *wrong = uetd_value_number(value, 1, UINT8_MAX, &number);

	target->fep.proto = number;
	return wrong;
}

/* read_profile() has used its settings. */
static const char *read_fep_profile(union target *target, const char *value)
{
	return uet_profile_find(value) ? NULL : UET_PROFILE_CHOICE;
}

static const struct conf_key fep_keys[] = {
	{ "addr", read_fep_addr },
	{ "rails", read_fep_rails },
	{ "profile", read_fep_profile },
	{ "rails-needed", read_fep_need },
	{ "mtu", read_fep_mtu },
	{ "protect", read_fep_protect },
	{ "encap", read_fep_encap },
	{ "port", read_fep_port },
	{ "proto", read_fep_proto },
	{ "sd", read_fep_sd },
	{ NULL, NULL },
};

/* [defaults] has all keys but the first three, which a FEP has for itself. */
static const struct conf_key *const defaults_keys = fep_keys + 3;

static const char *read_job_name(union target *target, const char *value)
{
	return uetd_value_name(value, UET_NAME_LEN_MAX, target->job.name);
}

static const char *read_job_feps(union target *target, const char *value)
{
	struct uetd_job *job = &target->job;

	return uetd_value_names(value, sizeof(job->fep[0]), UET_JOB_FEPS_MAX,
				job->fep[0], &job->nr_feps);
}

static const char *read_job_owner(union target *target, const char *value)
{
	return uetd_value_user(value, &target->job.uid);
}

static const char *read_job_group(union target *target, const char *value)
{
	return uetd_value_group(value, &target->job.gid);
}

static const char *read_job_pids(union target *target, const char *value)
{
	return uetd_value_pids(value, &target->job.pid_min,
			       &target->job.pid_max);
}

static const char *read_job_inet_only(union target *target, const char *value)
{
	return read_switch(value, &target->job.is_inet_only);
}

static const struct conf_key job_keys[] = {
	{ "name", read_job_name },
	{ "feps", read_job_feps },
	{ "owner", read_job_owner },
	{ "group", read_job_group },
	{ "pids", read_job_pids },
	{ "inet-only", read_job_inet_only },
	{ NULL, NULL },
};

/*
 * Reads a setting of a FEP; @wrong receives the expected form of a bad value.
 * Return: false if the key is no setting.
 */
static bool read_setting(struct uetd_fep *fep, const struct uetd_entry *entry,
			 const char **wrong)
{
	unsigned int i, number = 0;

	for (i = 0; i < UETD_P_NR; i++) {
		if (strcmp(uetd_params[i].word, entry->key))
			continue;
		*wrong = uetd_value_param(entry->value, i, &fep->param[i]);
		return true;
	}
	for (i = 0; i < UETD_DSCP_NR; i++) {
		if (strcmp(uetd_dscps[i].word, entry->key))
			continue;
		*wrong = uetd_value_dscp(entry->value, i, &fep->dscp[i]);
		return true;
	}
	for (i = 0; i < UETD_CHOICE_NR; i++) {
		if (strcmp(uetd_choices[i].word, entry->key))
			continue;
		*wrong = uetd_value_choice(entry->value, uetd_choices[i].names,
					   &number);
		fep->choice[i] = number;
		return true;
	}
	return false;
}

static void read_entry(const struct uetd_section *section,
		       const struct uetd_entry *entry,
		       const struct conf_key *keys, union target *target,
		       struct uetd_diag *diag)
{
	bool has_settings = keys == fep_keys || keys == defaults_keys;
	const char *wrong = NULL;

	while (keys->word && strcmp(keys->word, entry->key))
		keys++;
	if (keys->word) {
		wrong = keys->read(target, entry->value);
	} else if (!has_settings ||
		   !read_setting(&target->fep, entry, &wrong)) {
		uetd_conf_error(diag, section, entry->key, "unknown key");
		return;
	}
	if (wrong)
		uetd_conf_error(diag, section, entry->key,
				"must be %s, not \"%s\"", wrong, entry->value);
}

static void read_section(const struct uetd_section *section,
			 const struct conf_key *keys, union target *target,
			 struct uetd_diag *diag)
{
	size_t i;

	for (i = 0; i < section->nr; i++)
		read_entry(section, &section->entries[i], keys, target,
			   diag);
}

static void need(const struct uetd_section *section, const char *key,
		 struct uetd_diag *diag)
{
	if (!uetd_raw_entry(section, key))
		uetd_conf_error(diag, section, NULL, "%s is missing", key);
}

static void make_rail(struct uetd_conf *conf,
		      const struct uetd_section *section, const char *name,
		      struct uetd_diag *diag)
{
	struct uetd_model *model = &conf->model;
	union target target = { .rail = { .match = UETD_MATCH_NAME } };
	const char *wrong;

	wrong = uetd_value_name(name, UETD_RAIL_NAME_MAX, target.rail.name);
	if (wrong) {
		uetd_conf_error(diag, section, NULL, "a rail must have %s",
				wrong);
		return;
	}
	strcpy(target.rail.dev, name);
	target.rail.section = section;
	read_section(section, rail_keys, &target, diag);
	need(section, "plane", diag);
	if (!!uetd_raw_entry(section, "interface") +
	    !!uetd_raw_entry(section, "mac") +
	    !!uetd_raw_entry(section, "address") > 1)
		uetd_conf_error(diag, section, NULL,
				"there must be one of interface, mac and address");
	model->rails = uetd_grow(model->rails, model->nr_rails,
				 sizeof(*model->rails));
	model->rails[model->nr_rails++] = target.rail;
}

/* Defaults that follow from the given values. */
static void complete_fep(struct uetd_fep *fep)
{
	unsigned int i;

	for (i = UETD_DSCP_RETX; i <= UETD_DSCP_CONTROL; i++) {
		if (fep->dscp[i] == UETD_DSCP_AS_REQUEST)
			fep->dscp[i] = fep->dscp[UETD_DSCP_REQUEST];
	}
	if (fep->encap == UET_ENCAP_NATIVE)
		fep->port = 0;
	else
		fep->proto = 0;
}

/* The settings of a profile come before those of its section. */
static void read_profile(const struct uetd_section *section,
			 union target *target, struct uetd_diag *diag)
{
	const struct uetd_entry *entry = uetd_raw_entry(section, "profile");
	const struct uet_profile *profile =
		entry ? uet_profile_find(entry->value) : NULL;
	const struct uet_profile_setting *setting;
	struct uetd_entry of_profile;

	for (setting = profile ? profile->settings : NULL;
	     setting && setting->word; setting++) {
		of_profile = *entry;
		of_profile.key = (char *)setting->word;
		of_profile.value = (char *)setting->value;
		read_entry(section, &of_profile, fep_keys, target, diag);
	}
}

static void make_fep(struct uetd_conf *conf, const struct uetd_fep *defaults,
		     const struct uetd_section *section, const char *name,
		     struct uetd_diag *diag)
{
	struct uetd_model *model = &conf->model;
	union target target = { .fep = *defaults };
	const char *wrong;

	wrong = uetd_value_name(name, UET_NAME_LEN_MAX, target.fep.name);
	if (wrong) {
		uetd_conf_error(diag, section, NULL, "a FEP must have %s",
				wrong);
		return;
	}
	target.fep.section = section;
	read_profile(section, &target, diag);
	read_section(section, fep_keys, &target, diag);
	need(section, "addr", diag);
	need(section, "rails", diag);
	complete_fep(&target.fep);
	model->feps = uetd_grow(model->feps, model->nr_feps,
				sizeof(*model->feps));
	model->feps[model->nr_feps++] = target.fep;
}

static void make_job(struct uetd_conf *conf,
		     const struct uetd_section *section, const char *name,
		     struct uetd_diag *diag)
{
	struct uetd_model *model = &conf->model;
	union target target = { .job = {
		.gid = UETD_NO_GROUP, .pid_max = UET_PIDONFEP_MAX,
		.section = section,
	} };
	const char *wrong;
	uint64_t id;

	wrong = uetd_value_number(name, 1, UET_JOBID_MAX, &id);
	if (wrong) {
		uetd_conf_error(diag, section, NULL, "a JobID must be %s",
				wrong);
		return;
	}
	target.job.id = id;
	read_section(section, job_keys, &target, diag);
	need(section, "feps", diag);
	model->jobs = uetd_grow(model->jobs, model->nr_jobs,
				sizeof(*model->jobs));
	model->jobs[model->nr_jobs++] = target.job;
}

static void make_object(struct uetd_conf *conf, const struct uetd_fep *defaults,
			const struct uetd_section *section,
			struct uetd_diag *diag)
{
	if (!strncmp(section->name, "rail ", 5))
		make_rail(conf, section, section->name + 5, diag);
	else if (!strncmp(section->name, "sd ", 3))
		uetd_conf_sd(conf, section, section->name + 3, diag);
	else if (!strncmp(section->name, "fep ", 4))
		make_fep(conf, defaults, section, section->name + 4, diag);
	else if (!strncmp(section->name, "job ", 4))
		make_job(conf, section, section->name + 4, diag);
	else if (!strncmp(section->name, "peer ", 5))
		uetd_conf_peer(conf, section, section->name + 5, diag);
	else if (!strncmp(section->name, "user ", 5))
		uetd_conf_user(conf, section, section->name + 5, diag);
	else if (strcmp(section->name, "uetd") &&
		 strcmp(section->name, "defaults"))
		uetd_conf_error(diag, section, NULL,
				"a section is [uetd], [defaults], [rail NAME], [sd NAME], [fep NAME], [job ID], [peer NAME] or [user NAME]");
}

/* Sections that exist once, whatever their position in the files. */
static void make_defaults(struct uetd_conf *conf, struct uetd_fep *defaults,
			  const struct uetd_raw *raw,
			  struct uetd_diag *diag)
{
	union target target;
	size_t i;

	uetd_fep_init(defaults);
	defaults->proto = IPPROTO_DEFAULT;
	defaults->dscp[UETD_DSCP_RETX] = UETD_DSCP_AS_REQUEST;
	defaults->dscp[UETD_DSCP_CONTROL] = UETD_DSCP_AS_REQUEST;
	for (i = 0; i < raw->nr; i++) {
		if (!strcmp(raw->sections[i]->name, "uetd")) {
			target.conf = *conf;
			read_section(raw->sections[i], uetd_keys, &target,
				     diag);
			*conf = target.conf;
		}
		if (!strcmp(raw->sections[i]->name, "defaults")) {
			target.fep = *defaults;
			read_section(raw->sections[i], defaults_keys, &target,
				     diag);
			*defaults = target.fep;
		}
	}
}

static void forget_sections(struct uetd_conf *conf)
{
	struct uetd_model *model = &conf->model;
	size_t i;

	for (i = 0; i < conf->nr_users; i++)
		conf->users[i].section = NULL;

	for (i = 0; i < model->nr_rails; i++)
		model->rails[i].section = NULL;
	for (i = 0; i < model->nr_sds; i++)
		model->sds[i].section = NULL;
	for (i = 0; i < model->nr_feps; i++)
		model->feps[i].section = NULL;
	for (i = 0; i < model->nr_jobs; i++)
		model->jobs[i].section = NULL;
	for (i = 0; i < model->nr_peers; i++)
		model->peers[i].section = NULL;
}

/**
 * uetd_conf_make() - make a configuration from sections, and read its keys
 * @conf: filled in; empty after an error
 * @raw: the sections
 * @diag: receives errors; earlier errors count as well
 *
 * Return: true if there was no error.
 */
bool uetd_conf_make(struct uetd_conf *conf, const struct uetd_raw *raw,
		    struct uetd_diag *diag)
{
	struct uetd_fep defaults;
	size_t i;

	memset(conf, 0, sizeof(*conf));
	conf->jobs_per_user = UETD_JOBS_PER_USER;
	conf->foreign = UETD_FOREIGN_KEEP;
	make_defaults(conf, &defaults, raw, diag);
	conf->defaults = defaults;
	for (i = 0; i < raw->nr; i++)
		make_object(conf, &defaults, raw->sections[i], diag);
	uetd_conf_check(conf, diag);
	if (!diag->nr)
		uetd_conf_read_keys(conf, diag);
	forget_sections(conf);
	if (diag->nr)
		uetd_conf_free(conf);
	return !diag->nr;
}

/**
 * uetd_conf_load() - read a file and its PATH.d
 * @conf: filled in; empty after an error
 * @path: name of the file
 * @diag: receives errors
 *
 * Return: true if there was no error.
 */
bool uetd_conf_load(struct uetd_conf *conf, const char *path,
		    struct uetd_diag *diag)
{
	struct uetd_raw raw = { .nr = 0 };
	bool is_good;

	uetd_raw_main(&raw, path, diag);
	is_good = uetd_conf_make(conf, &raw, diag);
	uetd_raw_free(&raw);
	return is_good;
}

/**
 * uetd_conf_load_files() - read only these files, as one configuration
 * @conf: filled in; empty after an error
 * @paths: names of the files in order, NULL behind the last
 * @diag: receives errors
 *
 * Return: true if there was no error.
 */
bool uetd_conf_load_files(struct uetd_conf *conf, char **paths,
			  struct uetd_diag *diag)
{
	struct uetd_raw raw = { .nr = 0 };
	bool is_good;

	for (; *paths; paths++)
		uetd_raw_file(&raw, *paths, diag);
	is_good = uetd_conf_make(conf, &raw, diag);
	uetd_raw_free(&raw);
	return is_good;
}

/**
 * uetd_conf_free() - free a configuration
 * @conf: emptied
 */
void uetd_conf_free(struct uetd_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->nr_secrets; i++)
		uetd_secret_free(conf->secrets[i]);
	free(conf->secrets);
	free(conf->users);
	uetd_model_free(&conf->model);
	memset(conf, 0, sizeof(*conf));
}
