// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that traffic creates: endpoints and PDCs; and the features of the
 * module.
 */
#include <string.h>
#include <time.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "ueadm.h"
#include "uet_names.h"

static const char *const role_names[] = {
	[UET_ROLE_INITIATOR] = "initiator",
	[UET_ROLE_TARGET] = "target",
	NULL,
};

static const char *const ep_type_names[] = {
	[UET_EP_TYPE_RDM] = "rdm",
	[UET_EP_TYPE_SEQPACKET] = "seqpacket",
	[UET_EP_TYPE_DGRAM] = "dgram",
	NULL,
};

static const struct uea_field ep_fields[] = {
	UEA_FIELD(UET_A_EP_FEP, UEA_STRING, "fep"),
	UEA_FIELD(UET_A_EP_ADDR4, UEA_IPV4, "addr"),
	UEA_FIELD(UET_A_EP_ADDR6, UEA_IPV6, "addr"),
	UEA_FIELD(UET_A_EP_JOB, UEA_U32, "job"),
	UEA_FIELD(UET_A_EP_PID, UEA_U16, "pid"),
	UEA_FIELD(UET_A_EP_RI, UEA_U16, "ri"),
	UEA_FIELD(UET_A_EP_ABSOLUTE, UEA_FLAG, "absolute"),
	UEA_FIELD(UET_A_EP_INITIATOR, UEA_U32, "initiator"),
	UEA_FIELD(UET_A_EP_UID, UEA_U32, "uid"),
	UEA_FIELD(UET_A_EP_INODE, UEA_U32, "inode"),
	UEA_FIELD(UET_A_EP_RMEM, UEA_U32, "rmem"),
	UEA_FIELD(UET_A_EP_RCVBUF, UEA_U32, "rcvbuf"),
	UEA_FIELD(UET_A_EP_WMEM, UEA_U32, "wmem"),
	UEA_FIELD(UET_A_EP_SNDBUF, UEA_U32, "sndbuf"),
	UEA_FIELD(UET_A_EP_TX_MESSAGES, UEA_U32, "tx-messages"),
	UEA_FIELD(UET_A_EP_GENERATION, UEA_U32, "generation"),
	UEA_FIELD(UET_A_EP_DISABLED, UEA_FLAG, "disabled"),
	UEA_NAMED_FIELD(UET_A_EP_TYPE, "type", ep_type_names),
	UEA_FIELD(UET_A_EP_UNREAD, UEA_U32, "unread"),
	UEA_FIELD(UET_A_EP_POSTED, UEA_U32, "posted"),
	UEA_FIELD(UET_A_EP_COMPLETIONS, UEA_U32, "completions"),
	UEA_FIELD(UET_A_EP_REGIONS, UEA_U32, "regions"),
	{ .attr = 0 },
};

/* The process that has the socket open, and its name, as top(1) calls it. */
static void format_process(char *buf, size_t size, struct json_object *value,
			   struct json_object *record)
{
	if (value)
		snprintf(buf, size, "%s/%s", json_object_get_string(value),
			 uea_text_of(record, "command"));
	else
		snprintf(buf, size, "-");
}

static const struct uea_column ep_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "ADDR", "addr", NULL),
	UEA_COLUMN("JOB", "job", NULL),
	UEA_COLUMN("PID", "pid", NULL),
	UEA_COLUMN("RI", "ri", NULL),
	UEA_COLUMN("TYPE", "type", NULL),
	UEA_COLUMN("INITIATOR", "initiator", NULL),
	UEA_COLUMN("USER", "uid", uea_format_user),
	UEA_COLUMN("PROCESS", "process", format_process),
	UEA_COLUMN("UNREAD", "unread", NULL),
	UEA_COLUMN("POSTED", "posted", NULL),
	UEA_COLUMN("REGIONS", "regions", NULL),
	UEA_COLUMN("RMEM", "rmem", NULL),
	UEA_COLUMN("RCVBUF", "rcvbuf", NULL),
	UEA_COLUMN("WMEM", "wmem", NULL),
	UEA_COLUMN("SNDBUF", "sndbuf", NULL),
	UEA_COLUMN("TX-MESSAGES", "tx-messages", NULL),
	UEA_COLUMN("GENERATION", "generation", NULL),
	UEA_COLUMN("DISABLED", "disabled", NULL),
	{ .head = NULL },
};

static const struct uea_param ep_params[] = {
	{
		.word = "fep", .value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_EP_FEP, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	}, {
		.word = "job", .value = "ID", .arg = UEA_ARG_U32,
		.attr = UET_A_EP_JOB, .min = 1, .max = UET_JOBID_MAX,
		.is_needed = true, .names = &uea_job,
	}, {
		.word = "pid", .value = "N", .arg = UEA_ARG_U16,
		.attr = UET_A_EP_PID, .max = UET_PIDONFEP_MAX,
		.is_needed = true,
	}, {
		.word = "ri", .value = "N", .arg = UEA_ARG_U16,
		.attr = UET_A_EP_RI, .max = UET_RINDEX_MAX,
		.is_needed = true,
	}, {
		.word = "absolute", .arg = UEA_ARG_FLAG,
		.attr = UET_A_EP_ABSOLUTE,
	},
};

static const struct uea_verb ep_verbs[] = {
	{
		.name = "show", .cmd = UET_CMD_EP_GET, .run = uea_run_show,
		.filters = true,
		UEA_PARAMS(ep_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_ep = {
	.name = "ep",
	.fields = ep_fields,
	.columns = ep_columns,
	.verbs = ep_verbs,
	.complete = uea_add_processes,
};

static const struct uea_field pdc_counter_fields[] = {
	UEA_FIELD(UET_A_PDC_COUNTERS_TX_REQ, UEA_U64, "tx-req"),
	UEA_FIELD(UET_A_PDC_COUNTERS_TX_RETX, UEA_U64, "tx-retx"),
	UEA_FIELD(UET_A_PDC_COUNTERS_TX_ACK, UEA_U64, "tx-ack"),
	UEA_FIELD(UET_A_PDC_COUNTERS_TX_NACK, UEA_U64, "tx-nack"),
	UEA_FIELD(UET_A_PDC_COUNTERS_TX_CP, UEA_U64, "tx-cp"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RX_REQ, UEA_U64, "rx-req"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RX_DUP, UEA_U64, "rx-dup"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RX_OOO, UEA_U64, "rx-ooo"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RX_ACK, UEA_U64, "rx-ack"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RX_NACK, UEA_U64, "rx-nack"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RX_CP, UEA_U64, "rx-cp"),
	UEA_FIELD(UET_A_PDC_COUNTERS_RTO, UEA_U64, "rto"),
	UEA_FIELD(UET_A_PDC_COUNTERS_LOSS_SACK, UEA_U64, "loss-sack"),
	UEA_FIELD(UET_A_PDC_COUNTERS_LOSS_NACK, UEA_U64, "loss-nack"),
	UEA_FIELD(UET_A_PDC_COUNTERS_HELD, UEA_U64, "held"),
	UEA_FIELD(UET_A_PDC_COUNTERS_NACK_OVERFLOW, UEA_U64,
		  "nack-overflow"),
	{ .attr = 0 },
};

/**
 * uea_nack_name() - the name of a NACK code
 * @code: the code
 *
 * Return: the name in the specification.
 */
const char *uea_nack_name(uint64_t code)
{
	switch (code) {
#define UET_NACK(name, code, class, syn_sent, open, rod, rudi) \
	case code: return #name;
#include "core/nack.def"
#undef UET_NACK
	}
	return "an unknown NACK";
}

static const struct uea_field pdc_fields[] = {
	UEA_FIELD(UET_A_PDC_FEP, UEA_STRING, "fep"),
	UEA_FIELD(UET_A_PDC_ID, UEA_U32, "pdcid"),
	UEA_FIELD(UET_A_PDC_PEER4, UEA_IPV4, "peer"),
	UEA_FIELD(UET_A_PDC_PEER6, UEA_IPV6, "peer"),
	UEA_FIELD(UET_A_PDC_PEER_ID, UEA_U32, "peer-pdcid"),
	UEA_NAMED_FIELD(UET_A_PDC_ROLE, "role", role_names),
	UEA_NAMED_FIELD(UET_A_PDC_MODE, "mode", uet_mode_names),
	UEA_FIELD(UET_A_PDC_RESERVED, UEA_FLAG, "reserved"),
	UEA_FIELD(UET_A_PDC_STATE, UEA_STRING, "state"),
	UEA_FIELD(UET_A_PDC_ERROR, UEA_STRING, "error"),
	UEA_FIELD(UET_A_PDC_START_PSN, UEA_U32, "start-psn"),
	UEA_FIELD(UET_A_PDC_NEXT_PSN, UEA_U32, "next-psn"),
	UEA_FIELD(UET_A_PDC_TX_BASE_PSN, UEA_U32, "tx-base-psn"),
	UEA_FIELD(UET_A_PDC_RX_CACK_PSN, UEA_U32, "rx-cack-psn"),
	UEA_FIELD(UET_A_PDC_CLEAR_PSN, UEA_U32, "clear-psn"),
	UEA_FIELD(UET_A_PDC_INFLIGHT, UEA_U32, "inflight"),
	UEA_FIELD(UET_A_PDC_PEER_MPR, UEA_U32, "peer-mpr"),
	UEA_FIELD(UET_A_PDC_SRTT_NS, UEA_TIME, "srtt-ns"),
	UEA_FIELD(UET_A_PDC_RTO_NS, UEA_TIME, "rto-ns"),
	UEA_NEST_FIELD(UET_A_PDC_COUNTERS, UEA_NEST, "counters",
		       pdc_counter_fields),
	UEA_FIELD(UET_A_PDC_MESSAGES, UEA_U32, "messages"),
	UEA_FIELD(UET_A_PDC_SILENT_NS, UEA_TIME, "silent-ns"),
	UEA_FIELD(UET_A_PDC_AGE_NS, UEA_TIME, "age-ns"),
	UEA_FIELD(UET_A_PDC_FAILED_NS, UEA_U64, "failed-ns"),
	UEA_FIELD(UET_A_PDC_NACK_CODE, UEA_U8, "nack-code"),
	{ .attr = 0 },
};

/* When it failed, in local time. */
static void format_when(char *buf, size_t size, struct json_object *value,
			struct json_object *record)
{
	time_t seconds = json_object_get_uint64(value) / 1000000000;
	struct tm tm;

	(void)record;
	localtime_r(&seconds, &tm);
	strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
}

/* Why it failed: the error, and the NACK that was the cause. */
static void format_reason(char *buf, size_t size, struct json_object *value,
			  struct json_object *record)
{
	bool has_nack = uea_has(record, "nack-code");

	snprintf(buf, size, "%s%s%s",
		 value ? json_object_get_string(value) : "-",
		 has_nack ? " " : "",
		 has_nack ? uea_nack_name(uea_number_of(record, "nack-code")) : "");
}

static const struct uea_column pdc_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN("PDCID", "pdcid", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "peer", NULL),
	UEA_COLUMN("PEER-PDCID", "peer-pdcid", NULL),
	UEA_COLUMN("ROLE", "role", NULL),
	UEA_COLUMN("MODE", "mode", NULL),
	UEA_COLUMN("RESERVED", "reserved", NULL),
	UEA_COLUMN("STATE", "state", NULL),
	UEA_COLUMN("INFLIGHT", "inflight", NULL),
	UEA_COLUMN("MESSAGES", "messages", NULL),
	UEA_COLUMN("SRTT", "srtt-ns", uea_format_us),
	UEA_COLUMN("LAST-RX", "silent-ns", uea_format_ago),
	UEA_COLUMN("TX", "counters.tx-req", NULL),
	UEA_COLUMN("RETX", "counters.tx-retx", NULL),
	UEA_COLUMN("RX", "counters.rx-req", NULL),
	UEA_COLUMN("DUP", "counters.rx-dup", NULL),
	UEA_COLUMN("OOO", "counters.rx-ooo", NULL),
	{ .head = NULL },
};

/* All counters, in addition to the PDC's identity. */
static const struct uea_column pdc_counters[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN("PDCID", "pdcid", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "peer", NULL),
	UEA_COLUMN("TX-REQ", "counters.tx-req", NULL),
	UEA_COLUMN("TX-RETX", "counters.tx-retx", NULL),
	UEA_COLUMN("TX-ACK", "counters.tx-ack", NULL),
	UEA_COLUMN("TX-NACK", "counters.tx-nack", NULL),
	UEA_COLUMN("TX-CP", "counters.tx-cp", NULL),
	UEA_COLUMN("RX-REQ", "counters.rx-req", NULL),
	UEA_COLUMN("RX-DUP", "counters.rx-dup", NULL),
	UEA_COLUMN("RX-OOO", "counters.rx-ooo", NULL),
	UEA_COLUMN("RX-ACK", "counters.rx-ack", NULL),
	UEA_COLUMN("RX-NACK", "counters.rx-nack", NULL),
	UEA_COLUMN("RX-CP", "counters.rx-cp", NULL),
	UEA_COLUMN("RTO", "counters.rto", NULL),
	UEA_COLUMN("LOSS-SACK", "counters.loss-sack", NULL),
	UEA_COLUMN("LOSS-NACK", "counters.loss-nack", NULL),
	UEA_COLUMN("HELD", "counters.held", NULL),
	UEA_COLUMN("NACK-OVERFLOW", "counters.nack-overflow", NULL),
	{ .head = NULL },
};

static const struct uea_param pdc_params[] = {
	{
		.word = "fep", .value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_PDC_FEP, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	}, {
		.word = "id", .value = "PDCID", .arg = UEA_ARG_U32,
		.attr = UET_A_PDC_ID, .min = 1, .max = UINT16_MAX,
		.is_needed = true,
	},
};

static const struct uea_param pdc_show_params[] = {
	{
		.word = "fep", .value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_PDC_FEP, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	}, {
		.word = "id", .value = "PDCID", .arg = UEA_ARG_U32,
		.attr = UET_A_PDC_ID, .min = 1, .max = UINT16_MAX,
		.is_needed = true,
	}, {
		.word = "peer", .value = "FA", .arg = UEA_ARG_ADDR,
		.attr = UET_A_PDC_PEER4,
	},
};

static const struct uea_column history_columns[] = {
	UEA_COLUMN("FAILED", "failed-ns", format_when),
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN("PDCID", "pdcid", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "peer", NULL),
	UEA_COLUMN("ROLE", "role", NULL),
	UEA_COLUMN_IN(UEA_BAD, "REASON", "error", format_reason),
	UEA_COLUMN("LOST", "messages", NULL),
	UEA_COLUMN("AGE", "age-ns", uea_format_ago),
	UEA_COLUMN("SILENT", "silent-ns", uea_format_ago),
	UEA_COLUMN("TX", "counters.tx-req", NULL),
	UEA_COLUMN("RETX", "counters.tx-retx", NULL),
	UEA_COLUMN("RX", "counters.rx-req", NULL),
	{ .head = NULL },
};

static const struct uea_verb history_verbs[] = {
	{ .name = "show", .cmd = UET_CMD_PDC_HISTORY_GET },
	{ .name = NULL },
};

const struct uea_object uea_pdc_history = {
	.name = "pdc",
	.fields = pdc_fields,
	.columns = history_columns,
	.counters = pdc_counters,
	.verbs = history_verbs,
};

static int history_run(struct uea_ctx *ctx, const struct uea_object *object,
		       const struct uea_verb *verb, char **words)
{
	(void)object;
	return uea_run_show(ctx, &uea_pdc_history, verb, words);
}

static const struct uea_verb pdc_verbs[] = {
	{
		.name = "show", .cmd = UET_CMD_PDC_GET, .run = uea_run_show,
		.filters = true, UEA_PARAMS(pdc_show_params),
	}, {
		.name = "del", .cmd = UET_CMD_PDC_DEL, .run = uea_run_change,
		UEA_PARAMS(pdc_params),
	}, {
		.name = "history", .cmd = UET_CMD_PDC_HISTORY_GET,
		.run = history_run, .filters = true,
		UEA_PARAMS(pdc_show_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_pdc = {
	.name = "pdc",
	.fields = pdc_fields,
	.columns = pdc_columns,
	.counters = pdc_counters,
	.verbs = pdc_verbs,
};

static const struct uea_field features_fields[] = {
	UEA_FIELD(UET_A_FEATURES_VERSION, UEA_STRING, "version"),
	UEA_FIELD(UET_A_FEATURES_FAMILY, UEA_U32, "family"),
	UEA_FIELD(UET_A_FEATURES_SOL, UEA_U32, "sol"),
	UEA_FIELD(UET_A_FEATURES_WIRE_VERSION, UEA_STRING, "wire-version"),
	UEA_FIELD(UET_A_FEATURES_PORT, UEA_U16, "port"),
	UEA_FIELD(UET_A_FEATURES_CAPABILITY, UEA_STRINGS, "capabilities"),
	{ .attr = 0 },
};

static const struct uea_param features_params[] = {
	{
		.word = "has", .value = "CAPABILITY", .arg = UEA_ARG_STRING,
		.attr = UET_A_FEATURES_CAPABILITY, .max = 32,
	},
};

static const struct uea_verb features_verbs[] = {
	{
		.name = "show", .cmd = UET_CMD_FEATURES_GET,
		.run = uea_run_get, UEA_PARAMS(features_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_features = {
	.name = "features",
	.fields = features_fields,
	.verbs = features_verbs,
	.has_default = true,
};
