// SPDX-License-Identifier: GPL-2.0
/*
 * What FEPs, jobs and peers have sent and received: "fep show -s", "job show -s" and the
 * object "peer".
 */
#include <linux/uet_nl.h>

#include "ueadm.h"

#define TRAFFIC_COUNTERS \
	UEA_FIELD(UET_A_TRAFFIC_PDCS, UEA_U64, "pdcs"), \
	UEA_FIELD(UET_A_TRAFFIC_FAILED_PDCS, UEA_U64, "failed-pdcs"), \
	UEA_FIELD(UET_A_TRAFFIC_TX_MESSAGES, UEA_U64, "tx-messages"), \
	UEA_FIELD(UET_A_TRAFFIC_FAILED_MESSAGES, UEA_U64, "failed-messages"), \
	UEA_FIELD(UET_A_TRAFFIC_TX_BYTES, UEA_U64, "tx-bytes"), \
	UEA_FIELD(UET_A_TRAFFIC_TX_PACKETS, UEA_U64, "tx-packets"), \
	UEA_FIELD(UET_A_TRAFFIC_TX_RETX, UEA_U64, "tx-retx"), \
	UEA_FIELD(UET_A_TRAFFIC_RX_MESSAGES, UEA_U64, "rx-messages"), \
	UEA_FIELD(UET_A_TRAFFIC_RX_BYTES, UEA_U64, "rx-bytes"), \
	UEA_FIELD(UET_A_TRAFFIC_RX_PACKETS, UEA_U64, "rx-packets"), \
	UEA_FIELD(UET_A_TRAFFIC_RX_DUPS, UEA_U64, "rx-dups"), \
	UEA_FIELD(UET_A_TRAFFIC_TIMEOUTS, UEA_U64, "timeouts"), \
	UEA_FIELD(UET_A_TRAFFIC_DROPS, UEA_U64, "drops")

/* The columns of the counters, whose keys begin with @at. */
#define TRAFFIC_COLUMNS(at) \
	UEA_COLUMN("PDCS", at "pdcs", NULL), \
	UEA_COLUMN("FAILED", at "failed-pdcs", NULL), \
	UEA_COLUMN("TX-MSGS", at "tx-messages", NULL), \
	UEA_COLUMN("LOST", at "failed-messages", NULL), \
	UEA_COLUMN("TX-BYTES", at "tx-bytes", NULL), \
	UEA_COLUMN("TX-PKTS", at "tx-packets", NULL), \
	UEA_COLUMN("RETX", at "tx-retx", NULL), \
	UEA_COLUMN("RTO", at "timeouts", NULL), \
	UEA_COLUMN("RX-MSGS", at "rx-messages", NULL), \
	UEA_COLUMN("RX-BYTES", at "rx-bytes", NULL), \
	UEA_COLUMN("RX-PKTS", at "rx-packets", NULL), \
	UEA_COLUMN("DUPS", at "rx-dups", NULL)

static const struct uea_field fep_fields[] = {
	UEA_FIELD(UET_A_TRAFFIC_FEP, UEA_STRING, "fep"),
	TRAFFIC_COUNTERS,
	{ .attr = 0 },
};

static const struct uea_field job_fields[] = {
	UEA_FIELD(UET_A_TRAFFIC_JOB, UEA_U32, "job"),
	TRAFFIC_COUNTERS,
	{ .attr = 0 },
};

static const struct uea_verb fep_verbs[] = {
	{ .name = "show", .cmd = UET_CMD_FEP_TRAFFIC_GET },
	{ .name = NULL },
};

static const struct uea_verb job_verbs[] = {
	{ .name = "show", .cmd = UET_CMD_JOB_TRAFFIC_GET },
	{ .name = NULL },
};

const struct uea_object uea_fep_traffic = {
	.name = "fep",
	.fields = fep_fields,
	.verbs = fep_verbs,
};

const struct uea_object uea_job_traffic = {
	.name = "job",
	.fields = job_fields,
	.verbs = job_verbs,
};

const struct uea_column uea_fep_traffic_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "name", NULL),
	TRAFFIC_COLUMNS("counters."),
	UEA_COLUMN("DROPS", "counters.drops", NULL),
	{ .head = NULL },
};

const struct uea_column uea_job_traffic_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "JOB", "id", NULL),
	UEA_COLUMN("NAME", "name", NULL),
	TRAFFIC_COLUMNS("counters."),
	{ .head = NULL },
};

/* Add the counters of @all to the records of the same name. */
static void add_counters(struct json_object *records, const char *key,
			 struct json_object *all, const char *name)
{
	struct json_object *by_name = json_object_new_object();
	struct json_object *record, *counters;
	size_t i;

	for (i = 0; i < json_object_array_length(all); i++) {
		record = json_object_array_get_idx(all, i);
		json_object_object_add(by_name, uea_text_of(record, name),
				       json_object_get(record));
		json_object_object_del(record, name);
	}
	for (i = 0; i < json_object_array_length(records); i++) {
		record = json_object_array_get_idx(records, i);
		if (json_object_object_get_ex(by_name, uea_text_of(record, key),
					      &counters))
			json_object_object_add(record, "counters",
					       json_object_get(counters));
	}
	json_object_put(by_name);
}

/**
 * uea_traffic_add() - add the counters to FEPs or jobs, if statistics are requested
 * @ctx: run; the module has been found
 * @object: uea_fep or uea_job
 * @records: JSON array of them; each gets "counters"
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_traffic_add(struct uea_ctx *ctx, const struct uea_object *object,
		    struct json_object *records)
{
	const bool is_fep = object == &uea_fep;
	struct json_object *all;
	int status;

	if (!ctx->has_statistics)
		return UEA_OK;
	status = uea_dump(ctx, is_fep ? &uea_fep_traffic : &uea_job_traffic,
			  &all);
	if (!status)
		add_counters(records, is_fep ? "name" : "id", all,
			     is_fep ? "fep" : "job");
	json_object_put(all);
	return status;
}

static const struct uea_field peer_fields[] = {
	UEA_FIELD(UET_A_TRAFFIC_FEP, UEA_STRING, "fep"),
	UEA_FIELD(UET_A_TRAFFIC_PEER4, UEA_IPV4, "addr"),
	UEA_FIELD(UET_A_TRAFFIC_PEER6, UEA_IPV6, "addr"),
	UEA_FIELD(UET_A_TRAFFIC_OPEN_PDCS, UEA_U32, "open-pdcs"),
	UEA_FIELD(UET_A_TRAFFIC_SILENT_NS, UEA_TIME, "silent-ns"),
	UEA_FIELD(UET_A_TRAFFIC_SRTT_NS, UEA_TIME, "srtt-ns"),
	TRAFFIC_COUNTERS,
	{ .attr = 0 },
};

static const struct uea_column peer_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "addr", NULL),
	UEA_COLUMN("OPEN", "open-pdcs", NULL),
	UEA_COLUMN("LAST-RX", "silent-ns", uea_format_ago),
	UEA_COLUMN("RTT", "srtt-ns", uea_format_us),
	TRAFFIC_COLUMNS(""),
	{ .head = NULL },
};

static const struct uea_param peer_params[] = {
	{
		.word = "fep", .value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_TRAFFIC_FEP, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	}, {
		.word = "addr", .value = "FA", .arg = UEA_ARG_ADDR,
		.attr = UET_A_TRAFFIC_PEER4, .is_needed = true,
	},
};

static const struct uea_verb peer_verbs[] = {
	{
		.name = "show", .cmd = UET_CMD_PEER_GET, .run = uea_run_show,
		.filters = true, UEA_PARAMS(peer_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_peer = {
	.name = "peer",
	.fields = peer_fields,
	.columns = peer_columns,
	.verbs = peer_verbs,
};
