// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink messages to records, by the field table of an object; and the two
 * things most verbs do: change something, show something.
 */
#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

static const size_t type_sizes[] = {
	[UEA_U8] = 1,
	[UEA_U16] = 2,
	[UEA_U32] = 4,
	[UEA_U64] = 8,
	[UEA_U32S] = 4,
	[UEA_BOOL] = 1,
	[UEA_IPV4] = 4,
	[UEA_IPV6] = 16,
	[UEA_NAMED] = 1,
	[UEA_NESTS] = 0,
	[UEA_TIME] = 8,
	[UEA_DSCP] = 1,
};

static struct json_object *record_of(const struct uea_field *fields,
				     const struct nlattr *first, size_t size);

static struct json_object *named(const struct uea_field *field, uint8_t number)
{
	unsigned int i;

	for (i = 0; field->names[i]; i++) {
		if (i == number)
			return json_object_new_string(field->names[i]);
	}
	/* A newer kernel may use values that are unknown here. */
	return json_object_new_int(number);
}

static struct json_object *address(int family, const void *addr)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(family, addr, text, sizeof(text));
	return json_object_new_string(text);
}

/* One value; NULL if the attribute is malformed. */
static struct json_object *value_of(const struct uea_field *field,
				    const struct nlattr *attr)
{
	const void *payload = mnl_attr_get_payload(attr);
	size_t size = mnl_attr_get_payload_len(attr);

	if (size < type_sizes[field->type])
		return NULL;
	switch (field->type) {
	case UEA_U8:
		return json_object_new_int(mnl_attr_get_u8(attr));
	case UEA_U16:
		return json_object_new_int(mnl_attr_get_u16(attr));
	case UEA_U32:
	case UEA_U32S:
		return json_object_new_int64(mnl_attr_get_u32(attr));
	case UEA_U64:
	case UEA_TIME:
		return json_object_new_uint64(mnl_attr_get_u64(attr));
	case UEA_BOOL:
		return json_object_new_boolean(mnl_attr_get_u8(attr));
	case UEA_FLAG:
		return json_object_new_boolean(true);
	case UEA_STRING:
	case UEA_STRINGS:
		return json_object_new_string_len(payload,
						  strnlen(payload, size));
	case UEA_IPV4:
		return address(AF_INET, payload);
	case UEA_IPV6:
		return address(AF_INET6, payload);
	case UEA_NAMED:
		return named(field, mnl_attr_get_u8(attr));
	case UEA_DSCP:
		/* NULL is a JSON value, too. */
		return mnl_attr_get_u8(attr) == UET_DSCP_NONE ? NULL :
		       json_object_new_int(mnl_attr_get_u8(attr));
	case UEA_NEST:
	case UEA_NESTS:
		return record_of(field->nest, payload, size);
	}
	return NULL;
}

static void record_add(struct json_object *record,
		       const struct uea_field *field, const struct nlattr *attr)
{
	struct json_object *value = value_of(field, attr);
	struct json_object *list;

	if (field->type != UEA_U32S && field->type != UEA_STRINGS &&
	    field->type != UEA_NESTS) {
		json_object_object_add(record, field->key, value);
		return;
	}
	if (!json_object_object_get_ex(record, field->key, &list)) {
		list = json_object_new_array();
		json_object_object_add(record, field->key, list);
	}
	json_object_array_add(list, value);
}

static struct json_object *record_of(const struct uea_field *fields,
				     const struct nlattr *first, size_t size)
{
	struct json_object *record = json_object_new_object();
	const struct uea_field *field;
	const struct nlattr *attr;

	/* In the order of the table, which is the order for people. */
	for (field = fields; field->attr; field++) {
		mnl_attr_for_each_payload(first, size) {
			if (mnl_attr_get_type(attr) == field->attr)
				record_add(record, field, attr);
		}
	}
	return record;
}

/**
 * uea_record() - decode a message
 * @fields: what may be in it
 * @nlh: the message
 *
 * Return: a JSON object, to be put.
 */
struct json_object *uea_record(const struct uea_field *fields,
			       const struct nlmsghdr *nlh)
{
	size_t header = MNL_ALIGN(sizeof(struct genlmsghdr));

	return record_of(fields, mnl_nlmsg_get_payload_offset(nlh, header),
			 mnl_nlmsg_get_payload_len(nlh) - header);
}

struct answer {
	const struct uea_object *object;
	struct json_object *records;
};

static int answer_cb(const struct nlmsghdr *nlh, void *data)
{
	struct answer *answer = data;
	size_t nr = json_object_array_length(answer->records);

	if (!nlh)
		json_object_array_del_idx(answer->records, 0, nr);
	else
		json_object_array_add(answer->records,
				      uea_record(answer->object->fields, nlh));
	return MNL_CB_OK;
}

/**
 * uea_ask() - ask the kernel for objects
 * @ctx: run
 * @object: kind of the objects
 * @nlh: request
 * @records: JSON array of the answers, to be put, also after an error
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_ask(struct uea_ctx *ctx, const struct uea_object *object,
	    struct nlmsghdr *nlh, struct json_object **records)
{
	struct answer answer = { .object = object };
	int status;

	answer.records = json_object_new_array();
	status = uea_nl_talk(ctx, nlh, answer_cb, &answer);
	*records = answer.records;
	return status;
}

/* Query for all objects of a kind. */
static uint8_t show_cmd(const struct uea_object *object)
{
	const struct uea_verb *verb;

	for (verb = object->verbs; strcmp(verb->name, "show"); verb++)
		;
	return verb->cmd;
}

static int ask_all(struct uea_ctx *ctx, const struct uea_object *object,
		   uint16_t flags, struct json_object **records)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;

	nlh = uea_nl_request(ctx, buf, show_cmd(object));
	nlh->nlmsg_flags |= flags;
	return uea_ask(ctx, object, nlh, records);
}

/**
 * uea_dump() - ask the kernel for all objects of a kind
 * @ctx: run; the module has been found
 * @object: kind of the objects; has a verb "show"
 * @records: JSON array of them, to be put, also after an error
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_dump(struct uea_ctx *ctx, const struct uea_object *object,
	     struct json_object **records)
{
	return ask_all(ctx, object, NLM_F_DUMP, records);
}

/**
 * uea_get() - read a singleton object
 * @ctx: run; the module has been found
 * @object: what it is; has a verb "show"
 * @records: JSON array with it, to be put, also after an error
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_get(struct uea_ctx *ctx, const struct uea_object *object,
	    struct json_object **records)
{
	return ask_all(ctx, object, 0, records);
}

/**
 * uea_number_of() - a number of a record
 * @record: the record
 * @key: of the number
 *
 * Return: the number, 0 if there is none.
 */
uint64_t uea_number_of(struct json_object *record, const char *key)
{
	return json_object_get_uint64(json_object_object_get(record, key));
}

/**
 * uea_text_of() - a text of a record
 * @record: the record
 * @key: of the text
 *
 * Return: the text, "?" if there is none.
 */
const char *uea_text_of(struct json_object *record, const char *key)
{
	const char *text;

	text = json_object_get_string(json_object_object_get(record, key));
	return text ? text : "?";
}

/**
 * uea_has() - is something in a record?
 * @record: the record
 * @key: what is looked for
 *
 * Return: whether it is there.
 */
bool uea_has(struct json_object *record, const char *key)
{
	return json_object_object_get_ex(record, key, NULL);
}

/**
 * uea_run_change() - a verb that changes something
 * @ctx: run
 * @object: what is changed
 * @verb: how
 * @words: arguments
 *
 * Return: exit status.
 */
int uea_run_change(struct uea_ctx *ctx, const struct uea_object *object,
		   const struct uea_verb *verb, char **words)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;
	int status;

	nlh = uea_nl_request(ctx, buf, verb->cmd);
	status = uea_args_open(ctx, words, nlh);
	if (!status)
		status = uea_nl_talk(ctx, nlh, NULL, NULL);
	if (status)
		return status;
	if (object != &uea_rail && object != &uea_fep && object != &uea_job &&
	    object != &uea_sd)
		return UEA_OK;
	/* Behind "--" stands a name that looks like a word. */
	if (!strcmp(*words, "--"))
		words++;
	if (ctx->is_saving)
		return uea_save(ctx, object->name, *words);
	uea_warn_undo(ctx, object->name, *words);
	return UEA_OK;
}

/* Whether the field of an attribute has the value of the attribute. */
static bool has_value(const struct uea_object *object,
		      struct json_object *record, const struct nlattr *attr)
{
	const struct uea_field *field = object->fields;
	struct json_object *value, *wanted;
	bool is_equal;

	while (field->attr && field->attr != mnl_attr_get_type(attr))
		field++;
	if (!field->attr || !json_object_object_get_ex(record, field->key, &value))
		return false;
	wanted = value_of(field, attr);
	is_equal = json_object_equal(value, wanted);
	json_object_put(wanted);
	return is_equal;
}

/* Keep the records that have all values of the request. */
static void filter(const struct uea_object *object, const struct nlmsghdr *nlh,
		   struct json_object **records)
{
	struct json_object *some = json_object_new_array(), *record;
	const struct nlattr *attr;
	bool fits;
	size_t i;

	for (i = 0; i < json_object_array_length(*records); i++) {
		record = json_object_array_get_idx(*records, i);
		fits = true;
		mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
			fits = fits && has_value(object, record, attr);
		if (fits)
			json_object_array_add(some, json_object_get(record));
	}
	json_object_put(*records);
	*records = some;
}

static int print_all(struct uea_ctx *ctx, const struct uea_object *object,
		     struct json_object *records)
{
	int status = UEA_OK;

	if (object->complete)
		status = object->complete(ctx, object, records);
	if (!status)
		uea_print(ctx, object, records);
	return status;
}

/* Some of the words that name one object: all objects that fit. */
static int run_filter(struct uea_ctx *ctx, const struct uea_object *object,
		      const struct nlmsghdr *args)
{
	struct json_object *records;
	int status = uea_nl_open(ctx);

	if (status)
		return status;
	status = uea_dump(ctx, object, &records);
	if (!status) {
		filter(object, args, &records);
		status = print_all(ctx, object, records);
	}
	json_object_put(records);
	return status;
}

/* Whether the words name one object, with all that is needed for that. */
static bool is_one(const struct uea_verb *verb, const struct nlmsghdr *args)
{
	const struct nlattr *attr;
	unsigned int i, nr = 0, needed = 0, others = 0;

	for (i = 0; i < verb->nr_params; i++)
		needed += verb->params[i].is_needed;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		for (i = 0; i < verb->nr_params; i++) {
			if (verb->params[i].attr != mnl_attr_get_type(attr))
				continue;
			nr += verb->params[i].is_needed;
			others += !verb->params[i].is_needed &&
				  verb->params[i].arg != UEA_ARG_FLAG;
		}
	}
	/* Of an IPv6 address, the attribute is that behind the parameter's. */
	return nr == needed && !others;
}

static int run_query(struct uea_ctx *ctx, const struct uea_object *object,
		     char **words, uint8_t cmd, uint16_t flags)
{
	struct json_object *records;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;
	int status;

	nlh = uea_nl_request(ctx, buf, cmd);
	nlh->nlmsg_flags |= flags;
	if (*words) {
		status = uea_args(ctx, words, nlh);
		if (status)
			return status;
		if (ctx->verb->filters && !is_one(ctx->verb, nlh))
			return run_filter(ctx, object, nlh);
	}
	status = uea_nl_open(ctx);
	if (status)
		return status;
	status = uea_ask(ctx, object, nlh, &records);
	if (!status)
		status = print_all(ctx, object, records);
	json_object_put(records);
	return status;
}

/**
 * uea_run_show() - a verb that shows one object, or without arguments all
 * @ctx: run
 * @object: what is shown
 * @verb: how
 * @words: arguments
 *
 * Return: exit status.
 */
int uea_run_show(struct uea_ctx *ctx, const struct uea_object *object,
		 const struct uea_verb *verb, char **words)
{
	return run_query(ctx, object, words, verb->cmd,
			 *words ? 0 : NLM_F_DUMP);
}

/**
 * uea_run_get() - a verb that shows a singleton object
 * @ctx: run
 * @object: what is shown
 * @verb: how
 * @words: arguments
 *
 * Return: exit status.
 */
int uea_run_get(struct uea_ctx *ctx, const struct uea_object *object,
		const struct uea_verb *verb, char **words)
{
	return run_query(ctx, object, words, verb->cmd, 0);
}
