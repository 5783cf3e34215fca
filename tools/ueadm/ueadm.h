/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ueadm inside: commands are tables.  A verb says which words it takes and to
 * which netlink attributes they go (args.c); an object says which attributes
 * come back and under which keys (view.c); records are json-c objects, printed
 * as they are or as aligned columns (print.c).  netlink.c talks to the kernel
 * and knows no object.
 */
#ifndef UEADM_H
#define UEADM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/genetlink.h>

#include <json-c/json.h>
#include <libmnl/libmnl.h>

struct uea_object;

#define UEA_OK		0
#define UEA_FAILED	1	/* the kernel or the system refused */
#define UEA_USAGE	2	/* wrong arguments; nothing was changed */

#define UEA_LIST_MAX	16
#define UEA_GROUPS_MAX	8

/**
 * enum uea_arg - how a word becomes attributes
 * @UEA_ARG_U8: number
 * @UEA_ARG_U16: number
 * @UEA_ARG_U32: number
 * @UEA_ARG_STRING: string
 * @UEA_ARG_STRINGS: strings with commas between, one attribute each
 * @UEA_ARG_DEV: name of a netdev, sent as its index
 * @UEA_ARG_DEVS: names with commas between, one attribute each
 * @UEA_ARG_ADDR: IPv4 or IPv6 address, %DEV behind a link-local one; three
 *	attributes from @attr on: IPv4, IPv6, scope
 * @UEA_ARG_CHOICE: one of @choices, sent as its position
 * @UEA_ARG_RANGE: N or N-M; two attributes from @attr on
 * @UEA_ARG_USER: name or number of a user
 * @UEA_ARG_GROUP: name or number of a group
 * @UEA_ARG_FLAG: the word alone
 * @UEA_ARG_TIME: number with a unit, ns, us, ms or s; sent in nanoseconds
 * @UEA_ARG_DSCP: number or "none"
 * @UEA_ARG_FIXED: something the verb cannot change
 * @UEA_ARG_U64: number
 * @UEA_ARG_PROFILE: name of a profile, whose settings are sent unless they are given
 */
enum uea_arg {
	UEA_ARG_U8,
	UEA_ARG_U16,
	UEA_ARG_U32,
	UEA_ARG_STRING,
	UEA_ARG_STRINGS,
	UEA_ARG_DEV,
	UEA_ARG_DEVS,
	UEA_ARG_ADDR,
	UEA_ARG_CHOICE,
	UEA_ARG_RANGE,
	UEA_ARG_USER,
	UEA_ARG_GROUP,
	UEA_ARG_FLAG,
	UEA_ARG_TIME,
	UEA_ARG_DSCP,
	UEA_ARG_FIXED,
	UEA_ARG_U64,
	UEA_ARG_PROFILE,
};

/**
 * struct uea_param - one argument of a verb
 * @word: the word in front of the value; NULL: the value stands alone, in the
 *	order of the table and in front of all words
 * @value: how usage text calls the value
 * @arg: how it is read
 * @attr: attribute it becomes
 * @min: smallest number, of times in nanoseconds
 * @max: largest number, or longest string; 0: what the attribute can hold
 * @is_pow2: a power of two
 * @choices: words to choose from, NULL behind the last
 * @is_needed: must be there
 * @names: kind of object that the value names, for completion; NULL: none
 */
struct uea_param {
	const char *word;
	const char *value;
	enum uea_arg arg;
	uint16_t attr;
	uint64_t min;
	uint64_t max;
	bool is_pow2;
	const char *const *choices;
	bool is_needed;
	const struct uea_object *names;
};

/**
 * enum uea_type - how an attribute becomes JSON
 * @UEA_U8: number
 * @UEA_U16: number
 * @UEA_U32: number
 * @UEA_U64: number
 * @UEA_STRING: string
 * @UEA_BOOL: u8, true unless 0
 * @UEA_FLAG: true when there
 * @UEA_IPV4: string
 * @UEA_IPV6: string
 * @UEA_NAMED: u8, one of @names
 * @UEA_NEST: object of @nest
 * @UEA_U32S: repeated attribute, array of numbers
 * @UEA_STRINGS: repeated attribute, array of strings
 * @UEA_NESTS: repeated attribute, array of objects of @nest
 * @UEA_TIME: u64, nanoseconds; its key ends in "-ns"
 * @UEA_DSCP: u8, null when there is none
 */
enum uea_type {
	UEA_U8,
	UEA_U16,
	UEA_U32,
	UEA_U64,
	UEA_STRING,
	UEA_BOOL,
	UEA_FLAG,
	UEA_IPV4,
	UEA_IPV6,
	UEA_NAMED,
	UEA_NEST,
	UEA_U32S,
	UEA_STRINGS,
	UEA_NESTS,
	UEA_TIME,
	UEA_DSCP,
};

/**
 * struct uea_field - an attribute that comes back
 * @attr: its number; 0 ends a table
 * @type: how it is read
 * @key: JSON key
 * @names: UEA_NAMED: by number, NULL behind the last
 * @nest: UEA_NEST, UEA_NESTS: its fields
 * @unit: for people, NULL for none
 */
struct uea_field {
	uint16_t attr;
	enum uea_type type;
	const char *key;
	const char *const *names;
	const struct uea_field *nest;
	const char *unit;
};

#define UEA_FIELD(_attr, _type, _key) \
	{ .attr = (_attr), .type = (_type), .key = (_key) }
#define UEA_NAMED_FIELD(_attr, _key, _names) \
	{ .attr = (_attr), .type = UEA_NAMED, .key = (_key), .names = (_names) }
#define UEA_NEST_FIELD(_attr, _type, _key, _nest) \
	{ .attr = (_attr), .type = (_type), .key = (_key), .nest = (_nest) }

/**
 * enum uea_colour - what a piece of text is, for terminals
 * @UEA_PLAIN: nothing special
 * @UEA_HEAD: title of a column
 * @UEA_NAME: name of an object
 * @UEA_ADDRESS: an address
 * @UEA_GOOD: works
 * @UEA_BAD: does not
 * @UEA_STATE: of a column: UEA_GOOD or UEA_BAD, as the value says
 */
enum uea_colour {
	UEA_PLAIN,
	UEA_HEAD,
	UEA_NAME,
	UEA_ADDRESS,
	UEA_GOOD,
	UEA_BAD,
	UEA_STATE,
};

/**
 * struct uea_column - a column of the text form
 * @head: its title; NULL ends a table
 * @key: key of the record, dots lead into nested objects
 * @format: makes the text of @value, which may be NULL; NULL: plain.  The
 *	whole @record is there for columns of more than one key
 * @colour: of its values
 */
struct uea_column {
	const char *head;
	const char *key;
	void (*format)(char *buf, size_t size, struct json_object *value,
		       struct json_object *record);
	enum uea_colour colour;
};

#define UEA_COLUMN(_head, _key, _format) \
	{ .head = (_head), .key = (_key), .format = (_format) }
#define UEA_COLUMN_IN(_colour, _head, _key, _format) \
	{ .head = (_head), .key = (_key), .format = (_format), \
	  .colour = (_colour) }

struct uea_ctx;

/**
 * struct uea_verb - something that can be done to an object
 * @name: the word
 * @cmd: UET_CMD_*
 * @params: arguments
 * @nr_params: their number, at most 64
 * @tail: words after the parameters, for usage text; NULL: none
 * @run: does it
 * @is_text: its output has no JSON form
 * @filters: without a needed parameter, show those that fit the others
 * @explain: prints why the kernel refused, if it knows more than @text; may be NULL
 */
struct uea_verb {
	const char *name;
	uint8_t cmd;
	const struct uea_param *params;
	unsigned int nr_params;
	const char *tail;
	int (*run)(struct uea_ctx *ctx, const struct uea_object *object,
		   const struct uea_verb *verb, char **words);
	bool is_text;
	bool filters;
	bool (*explain)(struct uea_ctx *ctx, const struct nlmsghdr *request,
			const char *text);
};

#define UEA_PARAMS(table) .params = (table), \
	.nr_params = sizeof(table) / sizeof((table)[0])

/**
 * struct uea_object - a kind of thing
 * @name: the word
 * @fields: attributes of its messages
 * @columns: of its text form; NULL: one "key: value" per line
 * @counters: columns instead of @columns if statistics are requested; NULL: none
 * @verbs: actions, NULL name behind the last
 * @complete: adds to records what their messages do not say; NULL: nothing.  Returns an
 *	exit status, with a message printed
 * @has_default: without a verb the first is meant
 * @is_verb: the word names the action: the first verb is meant, and has no word
 */
struct uea_object {
	const char *name;
	const struct uea_field *fields;
	const struct uea_column *columns;
	const struct uea_column *counters;
	const struct uea_verb *verbs;
	int (*complete)(struct uea_ctx *ctx, const struct uea_object *object,
			struct json_object *records);
	bool has_default;
	bool is_verb;
};

/**
 * struct uea_group - a multicast group of the family
 * @id: its number
 * @name: its name
 */
struct uea_group {
	uint32_t id;
	char name[GENL_NAMSIZ];
};

/**
 * struct uea_ctx - a run of the program
 * @nl: socket
 * @family: number of the genl family
 * @groups: its multicast groups
 * @nr_groups: how many
 * @seq: of the last request
 * @is_json: print JSON
 * @is_pretty: with line breaks
 * @is_detailed: print every key, not the columns
 * @is_oneline: print every key, a line for each record
 * @has_statistics: print all counters
 * @is_stamped: print when an event came
 * @is_saving: what is changed is written to the file of uetd
 * @object: for messages about wrong words
 * @verb: for messages about wrong words
 */
struct uea_ctx {
	struct mnl_socket *nl;
	uint16_t family;
	struct uea_group groups[UEA_GROUPS_MAX];
	unsigned int nr_groups;
	uint32_t seq;
	bool is_json;
	bool is_pretty;
	bool is_detailed;
	bool is_oneline;
	bool has_statistics;
	bool is_stamped;
	bool is_saving;
	const struct uea_object *object;
	const struct uea_verb *verb;
};

extern const struct uea_object uea_rail;
extern const struct uea_object uea_fep;
extern const struct uea_object uea_job;
extern const struct uea_object uea_ep;
extern const struct uea_object uea_pdc;
extern const struct uea_object uea_pdc_history;
extern const struct uea_object uea_ccc;
extern const struct uea_object uea_peer;
extern const struct uea_object uea_stats;
extern const struct uea_object uea_features;
extern const struct uea_object uea_monitor;
extern const struct uea_object uea_ping;
extern const struct uea_object uea_check_object;
extern const struct uea_object uea_showconf;
extern const struct uea_object uea_syncconf;
extern const struct uea_object uea_reset;
extern const struct uea_object uea_config;
extern const struct uea_object uea_help;
extern const struct uea_object uea_version;
extern const struct uea_object uea_sd;
extern const struct uea_object uea_top;

/* ueadm.c */
void uea_usage_all(FILE *out);

/* message.c */
__attribute__((format(printf, 2, 3)))
int uea_usage(const struct uea_ctx *ctx, const char *fmt, ...);
__attribute__((format(printf, 2, 3)))
int uea_fail(int error, const char *fmt, ...);
__attribute__((format(printf, 1, 2)))
void uea_note(const char *fmt, ...);
void uea_quiet(bool quiet);
void uea_place(const char *file, unsigned int line);

/* fep_add.c */
bool uea_fep_explain(struct uea_ctx *ctx, const struct nlmsghdr *request,
		     const char *text);
int uea_fep_run_add(struct uea_ctx *ctx, const struct uea_object *object,
		    const struct uea_verb *verb, char **words);

/* conflict.c */
bool uea_conflict_explain(struct uea_ctx *ctx, const struct nlmsghdr *request,
			  const char *text);

/* in_use.c */
bool uea_has_name(struct json_object *record, const char *key,
		  const char *sub_key, const char *name);
bool uea_in_use_explain(struct uea_ctx *ctx, const struct nlmsghdr *request,
			const char *text);

/* host_addr.c */
bool uea_is_local(const char *addr, uint32_t scope);
void uea_addr_command(char *buf, size_t size, const char *addr, uint32_t scope);

/* subject.c */
const struct uea_param *uea_param_of(const struct uea_verb *verb,
				     const struct nlattr *attr);
void uea_subject(char *buf, size_t size, const struct uea_ctx *ctx,
		 const struct nlmsghdr *request, const struct nlattr *attr);

/* process.c */
void uea_find_processes(struct json_object *eps);
int uea_add_processes(struct uea_ctx *ctx, const struct uea_object *object,
		      struct json_object *eps);

/* traffic.c */
extern const struct uea_object uea_fep_traffic;
extern const struct uea_object uea_job_traffic;
extern const struct uea_column uea_fep_traffic_columns[];
extern const struct uea_column uea_job_traffic_columns[];
int uea_traffic_add(struct uea_ctx *ctx, const struct uea_object *object,
		    struct json_object *records);

/* requested.c */
void uea_warn_undo(struct uea_ctx *ctx, const char *kind, const char *name);

/* save.c */
int uea_save(struct uea_ctx *ctx, const char *kind, const char *name);

/* words.c */
#define UEA_NO_WORD	(-1)	/* uea_word_find(): no word matches */
int uea_word_find(const struct uea_ctx *ctx, const char *what, const char *word,
		  const char *(*name_at)(const void *table, size_t i),
		  const void *table, int *found);
int uea_word_first(const char *word,
		   const char *(*name_at)(const void *table, size_t i),
		   const void *table);
int uea_word_unknown(const struct uea_ctx *ctx, const char *what,
		     const char *word,
		     const char *(*name_at)(const void *table, size_t i),
		     const void *table);
int uea_command(struct uea_ctx *ctx, char **words);
const struct uea_object *uea_object_at(size_t i);
const char *uea_object_name(const void *table, size_t i);
const char *uea_verb_name(const void *table, size_t i);
void uea_words_usage(FILE *out, const struct uea_object *object);

/* batch.c */
int uea_batch(struct uea_ctx *ctx, const char *path, bool is_forced);

/* complete.c */
int uea_complete(struct uea_ctx *ctx, char **words);

/* colour.c */
bool uea_colour_init(const char *when);
enum uea_colour uea_colour_of(const struct uea_column *column,
			      const char *text);
void uea_colour_print(enum uea_colour colour, const char *text, int width);

/*
 * job_run.c; attributes that are not for the kernel have numbers behind the
 * kernel's.
 */
enum {
	UEA_JOB_A_RANKS = 64,
	UEA_JOB_A_TAKE,
	UEA_JOB_A_BUS,
	UEA_JOB_A_HOSTS,
	UEA_JOB_A_HOSTFILE,
	UEA_JOB_A_SSH,
};

#define UEA_JOB_TEXT_MAX	768	/* of UEA_JOB_A_HOSTS and other texts */

int uea_job_run(struct uea_ctx *ctx, const struct uea_object *object,
		const struct uea_verb *verb, char **words);

/* openmetrics.c */
int uea_openmetrics(struct uea_ctx *ctx);

/* stats_watch.c */
int uea_stats_watch(struct uea_ctx *ctx, uint32_t interval, uint32_t count);

/* args.c */
const char *uea_param_word(const void *verb, size_t i);
int uea_args(const struct uea_ctx *ctx, char **words, struct nlmsghdr *nlh);
int uea_args_open(struct uea_ctx *ctx, char **words, struct nlmsghdr *nlh);
void uea_args_usage(FILE *out, const struct uea_object *object,
		    const struct uea_verb *verb);

/* netlink.c */
int uea_nl_open(struct uea_ctx *ctx);
void uea_nl_close(struct uea_ctx *ctx);
struct nlmsghdr *uea_nl_request(struct uea_ctx *ctx, char *buf, uint8_t cmd);
int uea_nl_talk(struct uea_ctx *ctx, struct nlmsghdr *nlh, mnl_cb_t cb,
		void *data);
int uea_nl_watch(struct uea_ctx *ctx,
		 bool (*is_wanted)(const char *group, void *data),
		 mnl_cb_t cb, void *data);
int uea_nl_send(struct uea_ctx *ctx, struct nlmsghdr *nlh);
int uea_nl_take(struct uea_ctx *ctx, const struct nlmsghdr *request,
		void (*cb)(const struct nlmsghdr *nlh, bool is_refused,
			   void *data), void *data);
#define UEA_NL_BUF	4096	/* a request: at most 16 names and 16 numbers */

/* view.c */
struct json_object *uea_record(const struct uea_field *fields,
			       const struct nlmsghdr *nlh);
int uea_ask(struct uea_ctx *ctx, const struct uea_object *object,
	    struct nlmsghdr *nlh, struct json_object **records);
int uea_dump(struct uea_ctx *ctx, const struct uea_object *object,
	     struct json_object **records);
int uea_get(struct uea_ctx *ctx, const struct uea_object *object,
	    struct json_object **records);
uint64_t uea_number_of(struct json_object *record, const char *key);
const char *uea_text_of(struct json_object *record, const char *key);
bool uea_has(struct json_object *record, const char *key);
int uea_run_change(struct uea_ctx *ctx, const struct uea_object *object,
		   const struct uea_verb *verb, char **words);
int uea_run_show(struct uea_ctx *ctx, const struct uea_object *object,
		 const struct uea_verb *verb, char **words);
int uea_run_get(struct uea_ctx *ctx, const struct uea_object *object,
		const struct uea_verb *verb, char **words);

/* print.c */
void uea_print(const struct uea_ctx *ctx, const struct uea_object *object,
	       struct json_object *records);
void uea_print_json(const struct uea_ctx *ctx, struct json_object *json);
void uea_print_columns(const struct uea_column *columns,
		       struct json_object *records);
void uea_print_line(const char *what, struct json_object *record);
void uea_format_value(char *buf, size_t size, struct json_object *value);
int uea_format_field(char *buf, size_t size, const struct uea_field *fields,
		     const char *key, struct json_object *value);
void uea_format_addr(char *buf, size_t size, struct json_object *value,
		     struct json_object *record);
void uea_format_time(char *buf, size_t size, uint64_t ns);
void uea_format_us(char *buf, size_t size, struct json_object *value,
		   struct json_object *record);
void uea_format_user(char *buf, size_t size, struct json_object *value,
		     struct json_object *record);
void uea_format_group(char *buf, size_t size, struct json_object *value,
		      struct json_object *record);
void uea_format_ago(char *buf, size_t size, struct json_object *value,
		    struct json_object *record);
void uea_format_pids(char *buf, size_t size, struct json_object *value,
		     struct json_object *record);

/* show.c */
const char *uea_nack_name(uint64_t code);

#endif
