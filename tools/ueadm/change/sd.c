// SPDX-License-Identifier: GPL-2.0
/*
 * Secure domains: creating, showing, and changing keys.  Keys come from files
 * and go to the kernel; no command can show a key.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "conf/keyfile.h"
#include "ueadm.h"
#include "uet_names.h"

#define SD_SDI_MAX	0xffffff

static const struct uea_field sa_fields[] = {
	UEA_FIELD(UET_A_SD_SA_AN, UEA_U8, "an"),
	UEA_FIELD(UET_A_SD_SA_USED, UEA_FLAG, "used"),
	UEA_FIELD(UET_A_SD_SA_NUMBER, UEA_U32, "number"),
	UEA_FIELD(UET_A_SD_SA_CHECK, UEA_U32, "check"),
	UEA_FIELD(UET_A_SD_SA_EPOCH, UEA_U16, "epoch"),
	UEA_FIELD(UET_A_SD_SA_TSC, UEA_U64, "tsc"),
	UEA_FIELD(UET_A_SD_SA_SEALED, UEA_U64, "sealed"),
	UEA_FIELD(UET_A_SD_SA_OPENED, UEA_U64, "opened"),
	{ .attr = 0 },
};

static const struct uea_field sd_fields[] = {
	UEA_FIELD(UET_A_SD_NAME, UEA_STRING, "name"),
	UEA_FIELD(UET_A_SD_SDI, UEA_U32, "sdi"),
	UEA_NAMED_FIELD(UET_A_SD_MODE, "mode", uet_sd_mode_names),
	UEA_FIELD(UET_A_SD_CLIENT, UEA_FLAG, "client"),
	UEA_FIELD(UET_A_SD_IPV6, UEA_FLAG, "ipv6"),
	UEA_FIELD(UET_A_SD_SSI, UEA_U32, "ssi"),
	UEA_FIELD(UET_A_SD_REKEY_MASK, UEA_U64, "rekey-mask"),
	UEA_FIELD(UET_A_SD_REKEY_SHIFT, UEA_U8, "rekey-shift"),
	UEA_FIELD(UET_A_SD_EPOCH_AGE, UEA_U16, "epoch-age"),
	UEA_FIELD(UET_A_SD_SEAL_LIMIT, UEA_U64, "seal-limit"),
	UEA_FIELD(UET_A_SD_FAIL_LIMIT, UEA_U64, "fail-limit"),
	UEA_NEST_FIELD(UET_A_SD_SA, UEA_NESTS, "keys", sa_fields),
	UEA_FIELD(UET_A_SD_REVOKED, UEA_U32S, "revoked"),
	UEA_FIELD(UET_A_SD_LEFT, UEA_U64, "left"),
	UEA_FIELD(UET_A_SD_SHUT, UEA_FLAG, "shut"),
	UEA_FIELD(UET_A_SD_AUTH_FAILS, UEA_U64, "auth-fails"),
	UEA_FIELD(UET_A_SD_REPLAYS, UEA_U64, "replays"),
	UEA_FIELD(UET_A_SD_REFUSED, UEA_U64, "refused"),
	UEA_FIELD(UET_A_SD_FEPS, UEA_U32, "feps"),
	UEA_FIELD(UET_A_SD_SENDERS, UEA_U32, "senders"),
	{ .attr = 0 },
};

/* "0,1*": the set keys, and the key in use; ":N" is the number, if uetd set it. */
static void format_keys(char *buf, size_t size, struct json_object *value,
			struct json_object *record)
{
	size_t nr = value ? json_object_array_length(value) : 0;
	struct json_object *sa;
	char number[16];
	size_t i, used = 0;

	snprintf(buf, size, uea_has(record, "revoked") ? "revoked" : "-");
	for (i = 0; i < nr && used < size; i++) {
		sa = json_object_array_get_idx(value, i);
		*number = 0;
		if (uea_number_of(sa, "check"))
			snprintf(number, sizeof(number), ":%u",
				 (unsigned int)uea_number_of(sa, "number"));
		used += snprintf(buf + used, size - used, "%s%d%s%s",
				 i ? "," : "", (int)uea_number_of(sa, "an"),
				 number, uea_has(sa, "used") ? "*" : "");
	}
}

static const struct uea_column sd_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "SD", "name", NULL),
	UEA_COLUMN("SDI", "sdi", NULL),
	UEA_COLUMN("MODE", "mode", NULL),
	UEA_COLUMN("SSI", "ssi", NULL),
	UEA_COLUMN("KEYS", "keys", format_keys),
	UEA_COLUMN("FEPS", "feps", NULL),
	UEA_COLUMN("SENDERS", "senders", NULL),
	UEA_COLUMN("AUTH-FAILS", "auth-fails", NULL),
	UEA_COLUMN("REPLAYS", "replays", NULL),
	UEA_COLUMN("REFUSED", "refused", NULL),
	{ .head = NULL },
};

/* [number N] */
static int sd_genkey(struct uea_ctx *ctx, const struct uea_object *object,
		     const struct uea_verb *verb, char **words)
{
	char buf[UEA_NL_BUF], text[KEYFILE_TEXT];
	struct nlmsghdr *args = uea_nl_request(ctx, buf, verb->cmd);
	uint8_t key[KEYFILE_KEY];
	const struct nlattr *attr;
	struct stat st;
	int status;

	(void)object;
	status = uea_args(ctx, words, args);
	if (status)
		return status;
	prctl(PR_SET_DUMPABLE, 0);
	if (!fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode) &&
	    st.st_mode & (S_IRWXG | S_IRWXO))
		fputs("ueadm: others than you may use this file; umask 077 first\n",
		      stderr);
	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return uea_fail(errno, "sd: random numbers");
	keyfile_write(key, sizeof(key), text);
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr))
		printf("%u ", mnl_attr_get_u32(attr));
	puts(text);
	explicit_bzero(key, sizeof(key));
	explicit_bzero(text, sizeof(text));
	return UEA_OK;
}

/* The domain as the kernel shows it, to be freed; NULL with a message printed. */
static struct json_object *sd_get(struct uea_ctx *ctx, const char *name)
{
	struct json_object *records, *one = NULL;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;

	nlh = uea_nl_request(ctx, buf, UET_CMD_SD_GET);
	mnl_attr_put_strz(nlh, UET_A_SD_NAME, name);
	if (!uea_ask(ctx, ctx->object, nlh, &records))
		one = json_object_get(json_object_array_get_idx(records, 0));
	json_object_put(records);
	return one;
}

/* A key into a request: 0, or an exit status with a message printed. */
static int put_key(struct nlmsghdr *nlh, const char *path, bool is_client)
{
	uint8_t key[KEYFILE_CLIENT];
	struct keyfile file;

	prctl(PR_SET_DUMPABLE, 0);
	if (!keyfile_read(&file, path, KEYFILE_WORD, key,
			  is_client ? KEYFILE_CLIENT : KEYFILE_KEY))
		return uea_fail(0, "sd: key \"%s\": %s", path, file.wrong);
	mnl_attr_put(nlh, UET_A_SD_KEY, KEYFILE_KEY, key);
	if (is_client)
		mnl_attr_put(nlh, UET_A_SD_MASK, KEYFILE_CLIENT - KEYFILE_KEY,
			     key + KEYFILE_KEY);
	explicit_bzero(key, sizeof(key));
	return UEA_OK;
}

static const char *attr_text(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == type)
			return mnl_attr_get_str(attr);
	return "";
}

/* Behind all attributes for the kernel: the name of the file. */
enum {
	SD_A_FILE = 64,
};

/* NAME an N file PATH [epoch N] [tsc N] */
static int sd_key(struct uea_ctx *ctx, const struct uea_object *object,
		  const struct uea_verb *verb, char **words)
{
	char words_buf[UEA_NL_BUF], buf[UEA_NL_BUF];
	struct nlmsghdr *said, *nlh;
	const struct nlattr *attr;
	struct json_object *sd;
	int status;

	(void)object;
	said = uea_nl_request(ctx, words_buf, verb->cmd);
	status = uea_args_open(ctx, words, said);
	if (status)
		return status;
	sd = sd_get(ctx, attr_text(said, UET_A_SD_NAME));
	if (!sd)
		return UEA_FAILED;
	nlh = uea_nl_request(ctx, buf, verb->cmd);
	mnl_attr_for_each(attr, said, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) != SD_A_FILE)
			mnl_attr_put(nlh, mnl_attr_get_type(attr),
				     mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
	status = put_key(nlh, attr_text(said, SD_A_FILE),
			 uea_has(sd, "client"));
	json_object_put(sd);
	if (!status)
		status = uea_nl_talk(ctx, nlh, NULL, NULL);
	explicit_bzero(buf, sizeof(buf));
	return status;
}

/* The association number that is not in use. */
static int free_an(struct json_object *sd)
{
	struct json_object *keys, *sa;
	size_t i;

	if (!json_object_object_get_ex(sd, "keys", &keys))
		return 0;
	for (i = 0; i < json_object_array_length(keys); i++) {
		sa = json_object_array_get_idx(keys, i);
		if (uea_has(sa, "used"))
			return !uea_number_of(sa, "an");
	}
	return 0;
}

static int sd_tell(struct uea_ctx *ctx, const char *name, uint16_t type, int an)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh = uea_nl_request(ctx, buf, UET_CMD_SD_SET);

	mnl_attr_put_strz(nlh, UET_A_SD_NAME, name);
	mnl_attr_put_u8(nlh, type, an);
	return uea_nl_talk(ctx, nlh, NULL, NULL);
}

/* NAME: forget all keys, and refuse keys from the same source */
static int sd_revoke(struct uea_ctx *ctx, const struct uea_object *object,
		     const struct uea_verb *verb, char **words)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh = uea_nl_request(ctx, buf, verb->cmd);
	int status = uea_args_open(ctx, words, nlh);

	(void)object;
	if (status)
		return status;
	mnl_attr_put(nlh, UET_A_SD_REVOKE, 0, NULL);
	return uea_nl_talk(ctx, nlh, NULL, NULL);
}

/* NAME file PATH: set the key at the unused association number, and use it. */
static int sd_rotate(struct uea_ctx *ctx, const struct uea_object *object,
		     const struct uea_verb *verb, char **words)
{
	char words_buf[UEA_NL_BUF], buf[UEA_NL_BUF];
	struct nlmsghdr *said, *nlh;
	struct json_object *sd;
	const char *name;
	int status, an;

	(void)object;
	said = uea_nl_request(ctx, words_buf, verb->cmd);
	status = uea_args_open(ctx, words, said);
	if (status)
		return status;
	name = attr_text(said, UET_A_SD_NAME);
	sd = sd_get(ctx, name);
	if (!sd)
		return UEA_FAILED;
	an = free_an(sd);
	nlh = uea_nl_request(ctx, buf, UET_CMD_SD_SET);
	mnl_attr_put_strz(nlh, UET_A_SD_NAME, name);
	mnl_attr_put_u8(nlh, UET_A_SD_AN, an);
	status = put_key(nlh, attr_text(said, SD_A_FILE),
			 uea_has(sd, "client"));
	json_object_put(sd);
	if (!status)
		status = uea_nl_talk(ctx, nlh, NULL, NULL);
	explicit_bzero(buf, sizeof(buf));
	return status ? status : sd_tell(ctx, name, UET_A_SD_USE, an);
}

#define SD_NAME { \
		.value = "NAME", .arg = UEA_ARG_STRING, \
		.attr = UET_A_SD_NAME, .max = UET_NAME_LEN_MAX, \
		.is_needed = true, .names = &uea_sd, \
	}
#define SD_FILE { \
		.word = "file", .value = "FILE|-", .arg = UEA_ARG_STRING, \
		.attr = SD_A_FILE, .max = 255, .is_needed = true, \
	}
#define SD_AN(_attr) { \
		.word = "an", .value = "0|1", .arg = UEA_ARG_U8, \
		.attr = (_attr), .max = 1, .is_needed = true, \
	}

static const struct uea_param sd_add_params[] = {
	{
		.value = "NAME", .arg = UEA_ARG_STRING, .attr = UET_A_SD_NAME,
		.max = UET_NAME_LEN_MAX, .is_needed = true,
	}, {
		.word = "sdi", .value = "N", .arg = UEA_ARG_U32,
		.attr = UET_A_SD_SDI, .max = SD_SDI_MAX, .is_needed = true,
	}, {
		.word = "mode", .value = "direct|cluster|server",
		.arg = UEA_ARG_CHOICE, .attr = UET_A_SD_MODE,
		.choices = uet_sd_mode_names,
	},
	{ .word = "client", .arg = UEA_ARG_FLAG, .attr = UET_A_SD_CLIENT },
	{ .word = "ipv6", .arg = UEA_ARG_FLAG, .attr = UET_A_SD_IPV6 },
	{
		.word = "ssi", .value = "N", .arg = UEA_ARG_U32,
		.attr = UET_A_SD_SSI,
	}, {
		.word = "rekey-mask", .value = "N", .arg = UEA_ARG_U64,
		.attr = UET_A_SD_REKEY_MASK, .max = UINT64_MAX,
	}, {
		.word = "rekey-shift", .value = "N", .arg = UEA_ARG_U8,
		.attr = UET_A_SD_REKEY_SHIFT, .max = 47,
	}, {
		.word = "epoch-age", .value = "N", .arg = UEA_ARG_U16,
		.attr = UET_A_SD_EPOCH_AGE, .max = INT16_MAX,
	}, {
		.word = "seal-limit", .value = "N", .arg = UEA_ARG_U64,
		.attr = UET_A_SD_SEAL_LIMIT, .min = 1, .max = 1ULL << 48,
	}, {
		.word = "fail-limit", .value = "N", .arg = UEA_ARG_U64,
		.attr = UET_A_SD_FAIL_LIMIT, .min = 1, .max = UINT64_MAX,
	},
};

static const struct uea_param sd_genkey_params[] = {
	{
		.word = "number", .value = "N", .arg = UEA_ARG_U32,
		.attr = UET_A_SD_NUMBER,
	},
};

static const struct uea_param sd_name_params[] = { SD_NAME };
static const struct uea_param sd_rotate_params[] = { SD_NAME, SD_FILE };
static const struct uea_param sd_use_params[] = {
	SD_NAME, SD_AN(UET_A_SD_USE),
};

static const struct uea_param sd_forget_params[] = {
	SD_NAME, SD_AN(UET_A_SD_FORGET),
};

static const struct uea_param sd_epoch_params[] = {
	SD_NAME,
	{
		.word = "to", .value = "N", .arg = UEA_ARG_U16,
		.attr = UET_A_SD_EPOCH, .is_needed = true,
	},
};

static const struct uea_param sd_key_params[] = {
	SD_NAME, SD_AN(UET_A_SD_AN), SD_FILE,
	{
		.word = "epoch", .value = "N", .arg = UEA_ARG_U16,
		.attr = UET_A_SD_EPOCH,
	}, {
		.word = "tsc", .value = "N", .arg = UEA_ARG_U64,
		.attr = UET_A_SD_TSC, .max = (1ULL << 48) - 1,
	},
};

static const struct uea_verb sd_verbs[] = {
	{
		.name = "add", .cmd = UET_CMD_SD_NEW, .run = uea_run_change,
		UEA_PARAMS(sd_add_params),
	}, {
		.name = "del", .cmd = UET_CMD_SD_DEL, .run = uea_run_change,
		.explain = uea_in_use_explain,
		UEA_PARAMS(sd_name_params),
	}, {
		.name = "show", .cmd = UET_CMD_SD_GET, .run = uea_run_show,
		UEA_PARAMS(sd_name_params),
	}, {
		.name = "genkey", .run = sd_genkey, .is_text = true,
		UEA_PARAMS(sd_genkey_params),
	}, {
		.name = "key", .cmd = UET_CMD_SD_SET, .run = sd_key,
		UEA_PARAMS(sd_key_params),
	}, {
		.name = "use", .cmd = UET_CMD_SD_SET, .run = uea_run_change,
		UEA_PARAMS(sd_use_params),
	}, {
		.name = "forget", .cmd = UET_CMD_SD_SET, .run = uea_run_change,
		UEA_PARAMS(sd_forget_params),
	}, {
		.name = "revoke", .cmd = UET_CMD_SD_SET, .run = sd_revoke,
		UEA_PARAMS(sd_name_params),
	}, {
		.name = "epoch", .cmd = UET_CMD_SD_SET, .run = uea_run_change,
		UEA_PARAMS(sd_epoch_params),
	}, {
		.name = "rotate", .cmd = UET_CMD_SD_SET, .run = sd_rotate,
		UEA_PARAMS(sd_rotate_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_sd = {
	.name = "sd",
	.fields = sd_fields,
	.columns = sd_columns,
	.verbs = sd_verbs,
};
