// SPDX-License-Identifier: GPL-2.0
/*
 * Counters and objects as OpenMetrics text (1.0), for Prometheus and similar
 * tools.  A family is printed as a whole: its description, then its samples.
 * Names of counters come from the kernel, descriptions from the tables that the
 * kernel is built from.
 */
#include <inttypes.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "job/job_bus.h"
#include "ueadm.h"

#define METRIC_NAME_MAX	64
#define METRIC_LABELS_MAX	4

/**
 * struct metric - a family whose samples are records of one kind
 * @name: of the family; ends in its unit, if it has one
 * @type: "counter", "gauge" or "info"
 * @unit: NULL: none
 * @help: description
 * @key: of the value in a record; NULL: it is 1
 * @labels: keys of the labels, NULL behind the last
 */
struct metric {
	const char *name;
	const char *type;
	const char *unit;
	const char *help;
	const char *key;
	const char *labels[METRIC_LABELS_MAX + 1];
};

static const struct {
	const char *name;
	const char *help;
} mib_help[] = {
#define UET_MIB(name, text, doc) { text, doc },
#include "core/mib.def"
#undef UET_MIB
};

static const struct metric module_metrics[] = {
	{ "uet_module", "info", NULL, "the uet kernel module", NULL,
	  { "version", "wire-version" } },
	{ .name = NULL },
};

static const struct metric drop_metrics[] = {
	{ "uet_dropped_packets", "counter", "packets",
	  "received packets that were not used, by the reason", "value",
	  { "name" } },
	{ .name = NULL },
};

static const struct metric rail_metrics[] = {
	{ "uet_rail_usable", "gauge", NULL,
	  "whether the netdev is running and has carrier", "usable",
	  { "dev", "plane" } },
	{ "uet_rail_mtu_bytes", "gauge", "bytes", "MTU of the netdev", "mtu",
	  { "dev", "plane" } },
	{ "uet_rail_rx_packets", "counter", "packets",
	  "UET packets received over the rail", "rx-packets",
	  { "dev", "plane" } },
	{ "uet_rail_rx_bytes", "counter", "bytes",
	  "bytes of UET packets received over the rail", "rx-bytes",
	  { "dev", "plane" } },
	{ "uet_rail_tx_packets", "counter", "packets",
	  "UET packets sent over the rail", "tx-packets",
	  { "dev", "plane" } },
	{ "uet_rail_tx_bytes", "counter", "bytes",
	  "bytes of UET packets sent over the rail", "tx-bytes",
	  { "dev", "plane" } },
	{ "uet_rail_tx_retx", "counter", NULL,
	  "requests sent again that had left over the rail", "tx-retx",
	  { "dev", "plane" } },
	{ .name = NULL },
};

static const struct metric fep_metrics[] = {
	{ "uet_fep", "info", NULL, "fabric endpoints", NULL,
	  { "fep", "addr", "encap", "protect" } },
	{ "uet_fep_mtu_bytes", "gauge", "bytes", "Payload MTU of the FEP",
	  "mtu", { "fep" } },
	{ .name = NULL },
};

static const struct metric fep_rail_metrics[] = {
	{ "uet_fep_rail_usable", "gauge", NULL,
	  "whether the FEP sends over the rail", "usable",
	  { "fep", "dev", "plane", "state" } },
	{ .name = NULL },
};

static const struct metric job_metrics[] = {
	{ "uet_job_endpoints", "gauge", NULL, "endpoints bound under the job",
	  "endpoints", { "job", "job-name" } },
	{ "uet_job_descriptors", "gauge", NULL,
	  "open descriptors of the job", "descriptors",
	  { "job", "job-name" } },
	{ .name = NULL },
};

/* What a FEP or a job has sent and received; @of is the label, too. */
#define TRAFFIC_METRICS(of) \
	{ "uet_" of "_pdcs", "counter", NULL, \
	  "PDCs opened or accepted, by " of, "pdcs", { of } }, \
	{ "uet_" of "_failed_pdcs", "counter", NULL, \
	  "PDCs that ended in error, by " of, "failed-pdcs", { of } }, \
	{ "uet_" of "_tx_messages", "counter", NULL, \
	  "messages sent and answered with success, by " of, "tx-messages", { of } }, \
	{ "uet_" of "_failed_messages", "counter", NULL, \
	  "messages sent that ended in error, by " of, "failed-messages", { of } }, \
	{ "uet_" of "_tx_message_bytes", "counter", "bytes", \
	  "bytes of messages sent, by " of, "tx-bytes", { of } }, \
	{ "uet_" of "_tx_requests", "counter", NULL, \
	  "requests sent for the first time, by " of, "tx-packets", { of } }, \
	{ "uet_" of "_tx_retx", "counter", NULL, \
	  "requests sent again, by " of, "tx-retx", { of } }, \
	{ "uet_" of "_rx_messages", "counter", NULL, \
	  "messages delivered to a socket, by " of, "rx-messages", { of } }, \
	{ "uet_" of "_rx_message_bytes", "counter", "bytes", \
	  "payload of requests accepted, and bytes read from peers, by " of, "rx-bytes", { of } }, \
	{ "uet_" of "_rx_requests", "counter", NULL, \
	  "new requests received, by " of, "rx-packets", { of } }, \
	{ "uet_" of "_rx_dups", "counter", NULL, \
	  "requests received again, by " of, "rx-dups", { of } }, \
	{ "uet_" of "_timeouts", "counter", NULL, \
	  "retransmission time-outs, by " of, "timeouts", { of } }

static const struct metric fep_traffic_metrics[] = {
	TRAFFIC_METRICS("fep"),
	{ "uet_fep_dropped_packets", "counter", "packets",
	  "packets received and not used, and packets that could not be sent, by fep",
	  "drops", { "fep" } },
	{ .name = NULL },
};

static const struct metric job_traffic_metrics[] = {
	TRAFFIC_METRICS("job"),
	{ .name = NULL },
};

static const struct metric peer_metrics[] = {
	{ "uet_peer_tx_requests", "counter", NULL,
	  "requests sent for the first time to a peer that needed some again",
	  "tx-packets", { "fep", "addr" } },
	{ "uet_peer_tx_retx", "counter", NULL, "requests sent again to a peer",
	  "tx-retx", { "fep", "addr" } },
	{ .name = NULL },
};

static const struct metric pdc_metrics[] = {
	{ "uet_pdcs", "gauge", NULL, "packet delivery contexts", "count",
	  { "fep", "role", "mode", "state" } },
	{ .name = NULL },
};

/* Names may have letters, digits and '_'. */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == '-' ? '_' : *name);
}

static void print_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", stdout);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static void print_head(const struct metric *metric)
{
	printf("# TYPE %s %s\n", metric->name, metric->type);
	if (metric->unit)
		printf("# UNIT %s %s\n", metric->name, metric->unit);
	printf("# HELP %s ", metric->name);
	print_escaped(metric->help);
	putchar('\n');
}

static void print_labels(const struct metric *metric,
			 struct json_object *record)
{
	struct json_object *value;
	char mark = '{';
	int i;

	for (i = 0; metric->labels[i]; i++) {
		if (!json_object_object_get_ex(record, metric->labels[i],
					       &value))
			continue;
		putchar(mark);
		mark = ',';
		/* The label of a reason is the key "name" of records. */
		print_name(strcmp(metric->labels[i], "name") ?
			   metric->labels[i] : "reason");
		fputs("=\"", stdout);
		print_escaped(json_object_get_string(value));
		putchar('"');
	}
	if (mark == ',')
		putchar('}');
}

static void print_sample(const struct metric *metric,
			 struct json_object *record)
{
	struct json_object *value = NULL;
	const char *suffix = "";

	if (!strcmp(metric->type, "counter"))
		suffix = "_total";
	else if (!strcmp(metric->type, "info"))
		suffix = "_info";
	if (metric->key &&
	    !json_object_object_get_ex(record, metric->key, &value))
		return;
	printf("%s%s", metric->name, suffix);
	print_labels(metric, record);
	printf(" %" PRIu64 "\n",
	       metric->key ? json_object_get_uint64(value) : 1);
}

/* Print each family, with a sample for each record. */
static void print_families(const struct metric *metric,
			   struct json_object *records)
{
	size_t i;

	for (; metric->name; metric++) {
		print_head(metric);
		for (i = 0; i < json_object_array_length(records); i++)
			print_sample(metric,
				     json_object_array_get_idx(records, i));
	}
}

static const char *help_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(mib_help) / sizeof(mib_help[0]); i++) {
		if (!strcmp(mib_help[i].name, name))
			return mib_help[i].help;
	}
	/* A newer kernel may have further counters. */
	return name;
}

static const char *unit_of(const char *name)
{
	const char *last = strrchr(name, '-');

	if (last && (!strcmp(last, "-bytes") || !strcmp(last, "-packets")))
		return last + 1;
	return NULL;
}

static void print_counter(struct json_object *counter, const char *name)
{
	char family[METRIC_NAME_MAX], *c;
	struct metric metric = {
		.name = family, .type = "counter", .unit = unit_of(name),
		.help = help_of(name), .key = "value",
	};

	snprintf(family, sizeof(family), "uet_%s", name);
	for (c = family; *c; c++)
		*c = *c == '-' ? '_' : *c;
	print_head(&metric);
	print_sample(&metric, counter);
}

/* Each MIB counter is a family; all drops are one. */
static void print_counters(struct json_object *counters)
{
	struct json_object *drops = json_object_new_array();
	struct json_object *counter;
	size_t i;

	for (i = 0; i < json_object_array_length(counters); i++) {
		counter = json_object_array_get_idx(counters, i);
		if (!strcmp(uea_text_of(counter, "kind"), "mib"))
			print_counter(counter, uea_text_of(counter, "name"));
		else
			json_object_array_add(drops, json_object_get(counter));
	}
	print_families(drop_metrics, drops);
	json_object_put(drops);
}

/* The name of a FEP is the label "fep", as for objects on the FEP. */
static void print_feps(struct json_object *feps)
{
	struct json_object *all = json_object_new_array();
	struct json_object *fep, *rails, *rail, *name;
	size_t i, j;

	for (i = 0; i < json_object_array_length(feps); i++) {
		fep = json_object_array_get_idx(feps, i);
		name = json_object_object_get(fep, "name");
		json_object_object_add(fep, "fep", json_object_get(name));
		if (!json_object_object_get_ex(fep, "rails", &rails))
			continue;
		for (j = 0; j < json_object_array_length(rails); j++) {
			rail = json_object_array_get_idx(rails, j);
			json_object_object_add(rail, "fep",
					       json_object_get(name));
			json_object_object_add(rail, "usable",
				json_object_new_boolean(!strcmp(
					uea_text_of(rail, "state"), "usable")));
			json_object_array_add(all, json_object_get(rail));
		}
	}
	print_families(fep_metrics, feps);
	print_families(fep_rail_metrics, all);
	json_object_put(all);
}

static void print_jobs(struct json_object *jobs)
{
	struct json_object *job, *value;
	size_t i;

	for (i = 0; i < json_object_array_length(jobs); i++) {
		job = json_object_array_get_idx(jobs, i);
		value = json_object_object_get(job, "id");
		json_object_object_add(job, "job", json_object_get(value));
		if (json_object_object_get_ex(job, "name", &value))
			json_object_object_add(job, "job-name",
					       json_object_get(value));
	}
	print_families(job_metrics, jobs);
}

/* Number of objects of each kind: a series for each object would be too many. */
static void print_pdcs(struct json_object *pdcs)
{
	struct json_object *kinds = json_object_new_object();
	struct json_object *all = json_object_new_array();
	struct json_object *pdc, *kind, *count;
	char key[128];
	size_t i;

	for (i = 0; i < json_object_array_length(pdcs); i++) {
		pdc = json_object_array_get_idx(pdcs, i);
		snprintf(key, sizeof(key), "%s %s %s %s",
			 uea_text_of(pdc, "fep"), uea_text_of(pdc, "role"),
			 uea_text_of(pdc, "mode"), uea_text_of(pdc, "state"));
		if (!json_object_object_get_ex(kinds, key, &kind)) {
			kind = json_object_get(pdc);
			json_object_object_add(kind, "count",
					       json_object_new_int(0));
			json_object_object_add(kinds, key, kind);
			json_object_array_add(all, json_object_get(kind));
		}
		count = json_object_object_get(kind, "count");
		json_object_set_int(count, json_object_get_int(count) + 1);
	}
	print_families(pdc_metrics, all);
	json_object_put(all);
	json_object_put(kinds);
}

static void print_rails(struct json_object *rails)
{
	print_families(rail_metrics, rails);
}

/* Peers without a retransmission have no series: a fabric has thousands of them. */
static void print_peers(struct json_object *peers)
{
	struct json_object *some = json_object_new_array(), *peer;
	size_t i;

	for (i = 0; i < json_object_array_length(peers); i++) {
		peer = json_object_array_get_idx(peers, i);
		if (uea_number_of(peer, "tx-retx"))
			json_object_array_add(some, json_object_get(peer));
	}
	print_families(peer_metrics, some);
	json_object_put(some);
}

static void print_fep_traffic(struct json_object *feps)
{
	print_families(fep_traffic_metrics, feps);
}

static void print_job_traffic(struct json_object *jobs)
{
	print_families(job_traffic_metrics, jobs);
}

/**
 * uea_openmetrics() - print all counters as OpenMetrics text
 * @ctx: run; the module has been found
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed; then the text lacks its
 *	end, "# EOF".
 */
int uea_openmetrics(struct uea_ctx *ctx)
{
	static const struct {
		const struct uea_object *object;
		void (*print)(struct json_object *records);
		bool (*is_shown)(void);	/* by the kernel; NULL: to all */
	} parts[] = {
		{ &uea_stats, print_counters, NULL },
		{ &uea_rail, print_rails, NULL },
		{ &uea_fep, print_feps, NULL },
		{ &uea_job, print_jobs, NULL },
		{ &uea_fep_traffic, print_fep_traffic, NULL },
		{ &uea_job_traffic, print_job_traffic, NULL },
		{ &uea_pdc, print_pdcs, uea_is_admin },
		{ &uea_peer, print_peers, uea_sees_peers },
	};
	struct json_object *records;
	int status;
	size_t i;

	status = uea_get(ctx, &uea_features, &records);
	if (!status)
		print_families(module_metrics, records);
	json_object_put(records);
	for (i = 0; !status && i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].is_shown && !parts[i].is_shown())
			continue;
		status = uea_dump(ctx, parts[i].object, &records);
		if (!status)
			parts[i].print(records);
		json_object_put(records);
	}
	if (!status)
		puts("# EOF");
	return status;
}
