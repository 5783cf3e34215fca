// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that an administrator creates: rails, FEPs, jobs.
 */
#include <net/if.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "check/check.h"
#include "job/ranks.h"
#include "uet_names.h"
#include "uet_profiles.h"

static const char *const protect_names[] = {
	[UET_PROTECT_NONE] = "none",
	[UET_PROTECT_CRC] = "crc",
	[UET_PROTECT_TSS] = "tss",
	NULL,
};

static const char *const rail_state_names[] = {
	[UET_RAIL_STATE_USABLE] = "usable",
	[UET_RAIL_STATE_DOWN] = "down",
	[UET_RAIL_STATE_MTU] = "mtu",
	[UET_RAIL_STATE_GONE] = "gone",
	NULL,
};

static const char *const on_names[] = { "off", "on", NULL };

static const struct uea_field rail_fields[] = {
	UEA_FIELD(UET_A_RAIL_IFNAME, UEA_STRING, "dev"),
	UEA_FIELD(UET_A_RAIL_IFINDEX, UEA_U32, "ifindex"),
	UEA_FIELD(UET_A_RAIL_PLANE, UEA_U32, "plane"),
	UEA_FIELD(UET_A_RAIL_USABLE, UEA_BOOL, "usable"),
	UEA_FIELD(UET_A_RAIL_MTU, UEA_U32, "mtu"),
	UEA_FIELD(UET_A_RAIL_RX_PACKETS, UEA_U64, "rx-packets"),
	UEA_FIELD(UET_A_RAIL_RX_BYTES, UEA_U64, "rx-bytes"),
	UEA_FIELD(UET_A_RAIL_TX_PACKETS, UEA_U64, "tx-packets"),
	UEA_FIELD(UET_A_RAIL_TX_BYTES, UEA_U64, "tx-bytes"),
	UEA_FIELD(UET_A_RAIL_TX_RETX, UEA_U64, "tx-retx"),
	UEA_NAMED_FIELD(UET_A_RAIL_INGRESS, "ingress", on_names),
	{ .attr = 0 },
};

static const struct uea_column rail_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "NETDEV", "dev", NULL),
	UEA_COLUMN("PLANE", "plane", NULL),
	UEA_COLUMN_IN(UEA_STATE, "USABLE", "usable", NULL),
	UEA_COLUMN("MTU", "mtu", NULL),
	UEA_COLUMN("RX-PACKETS", "rx-packets", NULL),
	UEA_COLUMN("RX-BYTES", "rx-bytes", NULL),
	UEA_COLUMN("TX-PACKETS", "tx-packets", NULL),
	UEA_COLUMN("TX-BYTES", "tx-bytes", NULL),
	UEA_COLUMN("INGRESS", "ingress", NULL),
	{ .head = NULL },
};

static const struct uea_param rail_add_params[] = {
	{
		.value = "NETDEV", .arg = UEA_ARG_DEV,
		.attr = UET_A_RAIL_IFINDEX, .is_needed = true,
	}, {
		.word = "plane", .value = "N", .arg = UEA_ARG_U32,
		.attr = UET_A_RAIL_PLANE, .is_needed = true,
	},
};

static const struct uea_param rail_key_params[] = {
	{
		.value = "NETDEV", .arg = UEA_ARG_DEV,
		.attr = UET_A_RAIL_IFINDEX, .is_needed = true,
		.names = &uea_rail,
	},
};

static const struct uea_param rail_set_params[] = {
	{
		.value = "NETDEV", .arg = UEA_ARG_DEV,
		.attr = UET_A_RAIL_IFINDEX, .is_needed = true,
	}, {
		.word = "ingress", .value = "off|on", .arg = UEA_ARG_CHOICE,
		.choices = on_names, .attr = UET_A_RAIL_INGRESS,
		.is_needed = true,
	},
};

static int rail_run_add(struct uea_ctx *ctx, const struct uea_object *object,
			const struct uea_verb *verb, char **words)
{
	int status = uea_run_change(ctx, object, verb, words);
	char vrf[IF_NAMESIZE];

	if (!status && *words && uea_vrf_of(*words, vrf))
		uea_note("rail %s: it is in the VRF %s, and FEPs use rails and addresses outside of VRFs only: ip link set dev %s nomaster",
			 *words, vrf, *words);
	return status;
}

static const struct uea_verb rail_verbs[] = {
	{
		.name = "add", .cmd = UET_CMD_RAIL_NEW, .run = rail_run_add,
		UEA_PARAMS(rail_add_params),
	}, {
		.name = "del", .cmd = UET_CMD_RAIL_DEL, .run = uea_run_change,
		.explain = uea_in_use_explain,
		UEA_PARAMS(rail_key_params),
	}, {
		.name = "show", .cmd = UET_CMD_RAIL_GET, .run = uea_run_show,
		UEA_PARAMS(rail_key_params),
	}, {
		.name = "set", .cmd = UET_CMD_RAIL_SET, .run = uea_run_change,
		UEA_PARAMS(rail_set_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_rail = {
	.name = "rail",
	.fields = rail_fields,
	.columns = rail_columns,
	.verbs = rail_verbs,
};

static const struct uea_field fep_rail_fields[] = {
	UEA_FIELD(UET_A_FEP_RAIL_IFNAME, UEA_STRING, "dev"),
	UEA_FIELD(UET_A_FEP_RAIL_IFINDEX, UEA_U32, "ifindex"),
	UEA_FIELD(UET_A_FEP_RAIL_PLANE, UEA_U32, "plane"),
	UEA_NAMED_FIELD(UET_A_FEP_RAIL_STATE, "state", rail_state_names),
	{ .attr = 0 },
};

/*
 * Parameters of PDCs, from the table that the kernel uses as well: parsing and
 * formatting of each kind.
 */
#define FEP_ARG_COUNT	.value = "N", .arg = UEA_ARG_U32
#define FEP_ARG_POW2	.value = "N", .arg = UEA_ARG_U32, .is_pow2 = true
#define FEP_ARG_BYTES	.value = "BYTES", .arg = UEA_ARG_U32
#define FEP_ARG_TIME	.value = "TIME", .arg = UEA_ARG_TIME
#define FEP_ARG_SWITCH	.value = "no|yes", .arg = UEA_ARG_CHOICE, \
	.choices = switch_names

#define FEP_FIELD_COUNT(word)	.type = UEA_U32, .key = (word)
/* Only the window counts packets. */
#define FEP_FIELD_POW2(word)	.type = UEA_U32, .key = (word), \
	.unit = __builtin_strcmp(word, "window") ? NULL : "packets"
#define FEP_FIELD_BYTES(word)	.type = UEA_U32, .key = (word), \
	.unit = "bytes"
#define FEP_FIELD_TIME(word)	.type = UEA_TIME, .key = word "-ns"
#define FEP_FIELD_SWITCH(word)	.type = UEA_BOOL, .key = (word)

static const char *const switch_names[] = { "no", "yes", NULL };

static const struct uea_field fep_fields[] = {
	UEA_FIELD(UET_A_FEP_NAME, UEA_STRING, "name"),
	UEA_FIELD(UET_A_FEP_ADDR4, UEA_IPV4, "addr"),
	UEA_FIELD(UET_A_FEP_ADDR6, UEA_IPV6, "addr"),
	UEA_FIELD(UET_A_FEP_SCOPE_ID, UEA_U32, "scope-id"),
	UEA_FIELD(UET_A_FEP_MTU, UEA_U32, "mtu"),
	UEA_FIELD(UET_A_FEP_NEED_MTU, UEA_U32, "need-mtu"),
	UEA_FIELD(UET_A_FEP_PORT, UEA_U16, "port"),
	UEA_NAMED_FIELD(UET_A_FEP_PROTECT, "protect", protect_names),
	UEA_FIELD(UET_A_FEP_DSCP_REQUEST, UEA_U8, "dscp-request"),
	UEA_FIELD(UET_A_FEP_DSCP_RETX, UEA_U8, "dscp-retx"),
	UEA_FIELD(UET_A_FEP_DSCP_CONTROL, UEA_U8, "dscp-control"),
	UEA_FIELD(UET_A_FEP_DSCP_TRIMMED, UEA_DSCP, "dscp-trimmed"),
	UEA_FIELD(UET_A_FEP_DSCP_TRIMMED_LASTHOP, UEA_DSCP,
		  "dscp-trimmed-lasthop"),
#define UET_PDC_PARAM(name, field, word, kind, low, high, dflt, doc) \
	{ .attr = UET_A_FEP_##name, FEP_FIELD_##kind(word) },
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
	UEA_NEST_FIELD(UET_A_FEP_RAIL, UEA_NESTS, "rails", fep_rail_fields),
	UEA_NAMED_FIELD(UET_A_FEP_ENCAP, "encap", uet_encap_names),
	UEA_FIELD(UET_A_FEP_PROTO, UEA_U8, "proto"),
	UEA_NAMED_FIELD(UET_A_FEP_HEADERS, "headers", uet_headers_names),
	UEA_NAMED_FIELD(UET_A_FEP_CC, "cc", uet_cc_names),
	UEA_NAMED_FIELD(UET_A_FEP_PATHS, "paths", uet_paths_names),
	UEA_FIELD(UET_A_FEP_SD, UEA_STRING, "sd"),
	{ .attr = 0 },
};

static const struct uea_column fep_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "name", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "ADDR", "addr", uea_format_addr),
	UEA_COLUMN_IN(UEA_STATE, "RAILS", "rails", NULL),
	UEA_COLUMN("MTU", "mtu", NULL),
	UEA_COLUMN("PORT", "port", NULL),
	UEA_COLUMN("PROTECT", "protect", NULL),
	UEA_COLUMN("DSCP", "dscp-request", NULL),
	UEA_COLUMN("DSCP-RETX", "dscp-retx", NULL),
	UEA_COLUMN("DSCP-CONTROL", "dscp-control", NULL),
	UEA_COLUMN("ENCAP", "encap", NULL),
	UEA_COLUMN("PROTO", "proto", NULL),
	{ .head = NULL },
};

/* Settings of both new and existing FEPs. */
#define FEP_DSCP(_word, _arg, _value, _attr) { \
		.word = (_word), .value = (_value), .arg = (_arg), \
		.attr = (_attr), .max = 63, \
	}
#define FEP_DSCPS \
	FEP_DSCP("dscp-request", UEA_ARG_U8, "N", UET_A_FEP_DSCP_REQUEST), \
	FEP_DSCP("dscp-retx", UEA_ARG_U8, "N", UET_A_FEP_DSCP_RETX), \
	FEP_DSCP("dscp-control", UEA_ARG_U8, "N", UET_A_FEP_DSCP_CONTROL), \
	FEP_DSCP("dscp-trimmed", UEA_ARG_DSCP, "N|none", \
		 UET_A_FEP_DSCP_TRIMMED), \
	FEP_DSCP("dscp-trimmed-lasthop", UEA_ARG_DSCP, "N|none", \
		 UET_A_FEP_DSCP_TRIMMED_LASTHOP)
#define FEP_CHOICE(_word, _value, _attr, _names) { \
		.word = (_word), .value = (_value), .arg = UEA_ARG_CHOICE, \
		.attr = (_attr), .choices = (_names), \
	}
#define FEP_CHOICES \
	FEP_CHOICE("headers", "standard|optimized", UET_A_FEP_HEADERS, \
		   uet_headers_names), \
	FEP_CHOICE("cc", "none|const|nscc|rccc|nscc-rccc", UET_A_FEP_CC, \
		   uet_cc_names), \
	FEP_CHOICE("paths", "auto|single|oblivious|reps|map|mixed", \
		   UET_A_FEP_PATHS, uet_paths_names)
#define FEP_PARAM(_name, _word, _kind, _min, _max) { \
		.word = (_word), FEP_ARG_##_kind, \
		.attr = UET_A_FEP_##_name, .min = (_min), .max = (_max), \
	},

static const struct uea_param fep_add_params[] = {
	{
		.value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_FEP_NAME, .max = UET_NAME_LEN_MAX,
		.is_needed = true,
	}, {
		.word = "addr", .value = "FA", .arg = UEA_ARG_ADDR,
		.attr = UET_A_FEP_ADDR4, .is_needed = true,
	}, {
		.word = "rails", .value = "NETDEV[,NETDEV]",
		.arg = UEA_ARG_DEVS, .attr = UET_A_FEP_IFINDEX,
		.is_needed = true, .names = &uea_rail,
	}, {
		.word = "mtu", .value = "1024|2048|4096|8192|N",
		.arg = UEA_ARG_U32, .attr = UET_A_FEP_MTU,
		.min = 1024, .max = 8192,
	}, {
		.word = "port", .value = "N", .arg = UEA_ARG_U16,
		.attr = UET_A_FEP_PORT, .min = 1,
	}, {
		.word = "protect", .value = "none|crc|tss", .arg = UEA_ARG_CHOICE,
		.attr = UET_A_FEP_PROTECT, .choices = protect_names,
	}, {
		.word = "encap", .value = "udp|native", .arg = UEA_ARG_CHOICE,
		.attr = UET_A_FEP_ENCAP, .choices = uet_encap_names,
	}, {
		.word = "proto", .value = "N", .arg = UEA_ARG_U8,
		.attr = UET_A_FEP_PROTO, .min = 1,
	}, {
		.word = "sd", .value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_FEP_SD, .max = UET_NAME_LEN_MAX,
		.names = &uea_sd,
	}, {
		.word = "profile", .value = UET_PROFILE_NAMES,
		.arg = UEA_ARG_PROFILE,
	},
	FEP_DSCPS,
	FEP_CHOICES,
#define UET_PDC_PARAM(name, field, word, kind, low, high, dflt, doc) \
	FEP_PARAM(name, word, kind, low, high)
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

static const struct uea_param fep_set_params[] = {
	{
		.value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_FEP_NAME, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	},
	{ .word = "addr", .arg = UEA_ARG_FIXED },
	{ .word = "rails", .arg = UEA_ARG_FIXED },
	{ .word = "mtu", .arg = UEA_ARG_FIXED },
	{ .word = "port", .arg = UEA_ARG_FIXED },
	{ .word = "protect", .arg = UEA_ARG_FIXED },
	{ .word = "encap", .arg = UEA_ARG_FIXED },
	{ .word = "profile", .arg = UEA_ARG_FIXED },
	{ .word = "proto", .arg = UEA_ARG_FIXED },
	{ .word = "sd", .arg = UEA_ARG_FIXED },
	FEP_DSCPS,
	FEP_CHOICES,
#define UET_PDC_PARAM(name, field, word, kind, low, high, dflt, doc) \
	FEP_PARAM(name, word, kind, low, high)
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

static const struct uea_param fep_key_params[] = {
	{
		.value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_FEP_NAME, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	},
};

static const struct uea_verb fep_verbs[] = {
	{
		.name = "add", .cmd = UET_CMD_FEP_NEW,
		.run = uea_fep_run_add, .explain = uea_fep_explain,
		UEA_PARAMS(fep_add_params),
	}, {
		.name = "del", .cmd = UET_CMD_FEP_DEL, .run = uea_run_change,
		.explain = uea_in_use_explain,
		UEA_PARAMS(fep_key_params),
	}, {
		.name = "show", .cmd = UET_CMD_FEP_GET, .run = uea_run_show,
		UEA_PARAMS(fep_key_params),
	}, {
		.name = "set", .cmd = UET_CMD_FEP_SET, .run = uea_run_change,
		.explain = uea_conflict_explain,
		UEA_PARAMS(fep_set_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_fep = {
	.name = "fep",
	.fields = fep_fields,
	.columns = fep_columns,
	.counters = uea_fep_traffic_columns,
	.verbs = fep_verbs,
	.complete = uea_traffic_add,
};

static const struct uea_field job_fields[] = {
	UEA_FIELD(UET_A_JOB_ID, UEA_U32, "id"),
	UEA_FIELD(UET_A_JOB_NAME, UEA_STRING, "name"),
	UEA_FIELD(UET_A_JOB_UID, UEA_U32, "uid"),
	UEA_FIELD(UET_A_JOB_GID, UEA_U32, "gid"),
	UEA_FIELD(UET_A_JOB_PID_MIN, UEA_U16, "pid-min"),
	UEA_FIELD(UET_A_JOB_PID_MAX, UEA_U16, "pid-max"),
	UEA_FIELD(UET_A_JOB_FEP, UEA_STRINGS, "feps"),
	UEA_FIELD(UET_A_JOB_ENDPOINTS, UEA_U32, "endpoints"),
	UEA_FIELD(UET_A_JOB_DESCRIPTORS, UEA_U32, "descriptors"),
	UEA_NAMED_FIELD(UET_A_JOB_INET_ONLY, "inet-only", on_names),
	{ .attr = 0 },
};

static const struct uea_column job_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "JOB", "id", NULL),
	UEA_COLUMN("NAME", "name", NULL),
	UEA_COLUMN("FEPS", "feps", NULL),
	UEA_COLUMN("USER", "uid", uea_format_user),
	UEA_COLUMN("GROUP", "gid", uea_format_group),
	UEA_COLUMN("PIDS", "pid-min", uea_format_pids),
	UEA_COLUMN("ENDPOINTS", "endpoints", NULL),
	UEA_COLUMN("DESCRIPTORS", "descriptors", NULL),
	{ .head = NULL },
};

/* Settings of a new job besides its number and its FEPs. */
#define JOB_OPTIONS \
	{ \
		.word = "name", .value = "NAME", .arg = UEA_ARG_STRING, \
		.attr = UET_A_JOB_NAME, .max = UET_NAME_LEN_MAX, \
	}, { \
		.word = "uid", .value = "USER", .arg = UEA_ARG_USER, \
		.attr = UET_A_JOB_UID, \
	}, { \
		.word = "gid", .value = "GROUP", .arg = UEA_ARG_GROUP, \
		.attr = UET_A_JOB_GID, \
	}, { \
		.word = "pids", .value = "MIN-MAX", .arg = UEA_ARG_RANGE, \
		.attr = UET_A_JOB_PID_MIN, .max = UET_PIDONFEP_MAX, \
	}

static const struct uea_param job_add_params[] = {
	{
		.value = "ID", .arg = UEA_ARG_U32, .attr = UET_A_JOB_ID,
		.min = 1, .max = UET_JOBID_MAX, .is_needed = true,
	}, {
		.word = "feps", .value = "NAME[,NAME...]",
		.arg = UEA_ARG_STRINGS, .attr = UET_A_JOB_FEP,
		.max = UET_NAME_LEN_MAX, .is_needed = true,
		.names = &uea_fep,
	},
	JOB_OPTIONS,
	{
		.word = "inet-only", .value = "off|on", .arg = UEA_ARG_CHOICE,
		.attr = UET_A_JOB_INET_ONLY, .choices = on_names,
	},
};

static const struct uea_param job_run_params[] = {
	{
		.word = "-n", .value = "N", .arg = UEA_ARG_U32,
		.attr = UEA_JOB_A_RANKS, .min = 1, .max = UEA_RANKS_MAX,
	}, {
		.word = "job", .value = "ID", .arg = UEA_ARG_U32,
		.attr = UEA_JOB_A_TAKE, .min = 1, .max = UET_JOBID_MAX,
		.names = &uea_job,
	}, {
		.word = "--bus", .arg = UEA_ARG_FLAG, .attr = UEA_JOB_A_BUS,
	}, {
		.word = "--hosts", .value = "HOST[:N][,...]", .arg = UEA_ARG_STRING,
		.attr = UEA_JOB_A_HOSTS, .max = UEA_JOB_TEXT_MAX,
	}, {
		.word = "--hostfile", .value = "FILE", .arg = UEA_ARG_STRING,
		.attr = UEA_JOB_A_HOSTFILE, .max = UEA_JOB_TEXT_MAX,
	}, {
		.word = "--ssh", .value = "CMD", .arg = UEA_ARG_STRING,
		.attr = UEA_JOB_A_SSH, .max = UEA_JOB_TEXT_MAX,
	}, {
		.word = "id", .value = "ID", .arg = UEA_ARG_U32,
		.attr = UET_A_JOB_ID, .min = 1, .max = UET_JOBID_MAX,
	}, {
		.word = "feps", .value = "NAME[,NAME...]",
		.arg = UEA_ARG_STRINGS, .attr = UET_A_JOB_FEP,
		.max = UET_NAME_LEN_MAX, .names = &uea_fep,
	},
	JOB_OPTIONS,
};

static const struct uea_param job_key_params[] = {
	{
		.value = "ID", .arg = UEA_ARG_U32, .attr = UET_A_JOB_ID,
		.min = 1, .max = UET_JOBID_MAX, .is_needed = true,
		.names = &uea_job,
	},
};

static const struct uea_verb job_verbs[] = {
	{
		.name = "add", .cmd = UET_CMD_JOB_NEW, .run = uea_run_change,
		UEA_PARAMS(job_add_params),
	}, {
		.name = "del", .cmd = UET_CMD_JOB_DEL, .run = uea_run_change,
		.explain = uea_in_use_explain,
		UEA_PARAMS(job_key_params),
	}, {
		.name = "show", .cmd = UET_CMD_JOB_GET, .run = uea_run_show,
		UEA_PARAMS(job_key_params),
	}, {
		.name = "run", .cmd = UET_CMD_JOB_NEW, .run = uea_job_run,
		UEA_PARAMS(job_run_params), .tail = "-- CMD [ARG...]",
	},
	{ .name = NULL },
};

const struct uea_object uea_job = {
	.name = "job",
	.fields = job_fields,
	.columns = job_columns,
	.counters = uea_job_traffic_columns,
	.verbs = job_verbs,
	.complete = uea_traffic_add,
};
