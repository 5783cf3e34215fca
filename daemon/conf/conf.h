/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration files to the requested state.  conf_read.c parses files into
 * sections; conf.c, conf_sd.c, conf_peer.c and conf_user.c convert sections;
 * conf_value.c converts words into values; conf_check.c checks that the objects
 * are consistent.  Every error is reported, and any error invalidates the
 * configuration.  Level: tool.
 */
#ifndef UETD_CONF_H
#define UETD_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "model/index.h"
#include "model/model.h"

#define UETD_CONF_DEFAULT	"/etc/uet/uetd.conf"
#define UETD_DSCP_AS_REQUEST	254	/* of [defaults]: the same as dscp-request */
#define UETD_JOBS_PER_USER	16	/* default */
#define UETD_JOBS_PER_USER_MAX	4096

/* Policy for objects that the configuration does not name and did not name before. */
enum uetd_foreign {
	UETD_FOREIGN_DELETE,
	UETD_FOREIGN_KEEP_JOBS,
	UETD_FOREIGN_KEEP,
};

/**
 * struct uetd_user - the JobIDs of a user, for jobs made over the bus
 * @uid: the user
 * @first: first of them
 * @last: last of them
 * @section: while the configuration is made: its section; else NULL
 */
struct uetd_user {
	uint32_t uid;
	uint32_t first, last;
	const struct uetd_section *section;
};

/**
 * struct uetd_conf - the requested state
 * @model: the objects
 * @secrets: keys of its domains, array of pointers
 * @nr_secrets: its length
 * @defaults: a FEP of which the files say nothing but [defaults]
 * @foreign: policy for objects that are not configured
 * @has_foreign: a file says so
 * @jobs_per_user: limit of jobs made over the bus, per user
 * @users: users with JobIDs of their own, array
 * @nr_users: its length
 */
struct uetd_conf {
	struct uetd_model model;
	struct uetd_secret **secrets;
	size_t nr_secrets;
	struct uetd_fep defaults;
	enum uetd_foreign foreign;
	bool has_foreign;
	unsigned int jobs_per_user;
	struct uetd_user *users;
	size_t nr_users;
};

/**
 * struct uetd_conf_error - an error in a file
 * @file: name of the file
 * @line: line number, from 1; 0: the error concerns the whole file
 * @section: section of the error, or NULL
 * @key: key with the error, or NULL
 * @text: description, with the value and its limit
 */
struct uetd_conf_error {
	const char *file;
	unsigned int line;
	const char *section;
	const char *key;
	const char *text;
};

/**
 * struct uetd_diag - receiver of errors
 * @tell: called for each error
 * @data: for @tell
 * @nr: number of errors
 * @is_check: the configuration is only checked, so credentials, which
 *	only the service can read, may be missing
 */
struct uetd_diag {
	void (*tell)(void *data, const struct uetd_conf_error *error_text);
	void *data;
	unsigned int nr;
	bool is_check;
};

/**
 * struct uetd_entry - KEY = VALUE
 * @key: in front of the equals sign
 * @value: behind the equals sign
 * @file: file of the entry
 * @line: line in @file
 */
struct uetd_entry {
	char *key;
	char *value;
	const char *file;
	unsigned int line;
};

/**
 * struct uetd_section - [NAME] and what is below it
 * @name: with single blanks inside
 * @file: file of the section; the last file, if in several
 * @line: line in @file
 * @entries: array
 * @nr: its length
 */
struct uetd_section {
	char *name;
	const char *file;
	unsigned int line;
	struct uetd_entry *entries;
	size_t nr;
};

/**
 * struct uetd_raw - all sections of some files
 * @sections: array of pointers, which stay where they are
 * @nr: its length
 * @by_name: sections by name
 * @files: names of the files, array
 * @nr_files: its length
 */
struct uetd_raw {
	struct uetd_section **sections;
	size_t nr;
	struct uetd_index by_name;
	char **files;
	size_t nr_files;
};

/* conf_read.c */
bool uetd_raw_file(struct uetd_raw *raw, const char *path,
		   struct uetd_diag *diag);
bool uetd_raw_main(struct uetd_raw *raw, const char *path,
		   struct uetd_diag *diag);
void uetd_raw_free(struct uetd_raw *raw);
const struct uetd_entry *uetd_raw_entry(const struct uetd_section *section,
					const char *key);

/* conf_value.c: each reads a word; returns NULL, or the expected form */
const char *uetd_value_number(const char *word, uint64_t min, uint64_t max,
			      uint64_t *value);
const char *uetd_value_param(const char *word, enum uetd_param param,
			     uint64_t *value);
const char *uetd_value_dscp(const char *word, enum uetd_dscp dscp,
			    uint8_t *value);
const char *uetd_value_choice(const char *word, const char *const *choices,
			      unsigned int *value);
const char *uetd_value_name(const char *word, size_t max, char *name);
const char *uetd_value_mac(const char *word, uint8_t *mac);
const char *uetd_value_addr(const char *word, struct uetd_addr *addr);
const char *uetd_value_net(const char *word, struct uetd_addr *addr,
			   unsigned int *prefix);
const char *uetd_value_user(const char *word, uint32_t *uid);
const char *uetd_value_group(const char *word, uint32_t *gid);
const char *uetd_value_pids(const char *word, uint16_t *min, uint16_t *max);
const char *uetd_value_names(const char *word, size_t size, unsigned int most,
			     char *names, unsigned int *nr);

/* conf_peer.c */
void uetd_conf_peer(struct uetd_conf *conf, const struct uetd_section *section,
		    const char *name, struct uetd_diag *diag);
void uetd_conf_check_peers(const struct uetd_model *model,
			   const struct uetd_lookup *lookup,
			   struct uetd_diag *diag);

/* conf_user.c */
void uetd_conf_user(struct uetd_conf *conf, const struct uetd_section *section,
		    const char *name, struct uetd_diag *diag);

/* conf_sd.c */
void uetd_conf_rules(struct uetd_rules *rules, uint8_t mode);
void uetd_conf_sd(struct uetd_conf *conf, const struct uetd_section *section,
		  const char *name, struct uetd_diag *diag);
void uetd_conf_check_sd(const struct uetd_lookup *lookup,
			const struct uetd_fep *fep, struct uetd_diag *diag);
void uetd_conf_check_sds(const struct uetd_model *model,
			 struct uetd_diag *diag);
void uetd_conf_read_keys(struct uetd_conf *conf, struct uetd_diag *diag);
void uetd_conf_follow(struct uetd_conf *conf, const struct uetd_conf *before,
		      uint64_t now);

/* conf_check.c */
void uetd_conf_check(const struct uetd_conf *conf, struct uetd_diag *diag);

/* conf.c */
__attribute__((format(printf, 4, 5)))
void uetd_conf_error(struct uetd_diag *diag,
		     const struct uetd_section *section, const char *key,
		     const char *fmt, ...);
bool uetd_conf_make(struct uetd_conf *conf, const struct uetd_raw *raw,
		    struct uetd_diag *diag);
bool uetd_conf_load(struct uetd_conf *conf, const char *path,
		    struct uetd_diag *diag);
bool uetd_conf_load_files(struct uetd_conf *conf, char **paths,
			  struct uetd_diag *diag);
void uetd_conf_free(struct uetd_conf *conf);

#endif
