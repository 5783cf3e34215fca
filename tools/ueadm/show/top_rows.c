// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of "ueadm top": rates between two readings of the kernel, and the present state
 * of PDCs, peers and rails.
 */
#include <string.h>
#include <time.h>

#include "top.h"

/* Words of "sort"; each is a key of the rows. */
const char *const top_sort_names[] = {
	"tx", "rx", "loss", "rtt", "queue", NULL,
};

/* A number with up to four digits and a unit. */
static void format_short(char *buf, size_t size, struct json_object *value,
			 struct json_object *record)
{
	static const char units[] = " kMGT";
	double number = json_object_get_double(value);
	size_t i = 0;

	(void)record;
	for (; number >= 9999.5 && units[i + 1]; i++)
		number /= 1000;
	if (i)
		snprintf(buf, size, "%.0f%c", number, units[i]);
	else
		snprintf(buf, size, "%.0f", number);
}

static void format_loss(char *buf, size_t size, struct json_object *value,
			struct json_object *record)
{
	(void)record;
	snprintf(buf, size, "%.1f", json_object_get_double(value));
}

/* Packets in flight, of those that the peer grants. */
static void format_window(char *buf, size_t size, struct json_object *value,
			  struct json_object *record)
{
	snprintf(buf, size, "%s/%s", json_object_get_string(value),
		 uea_text_of(record, "window"));
}

#define COLUMN_FEP	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL)
#define COLUMN_PEER	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "peer", NULL)
#define COLUMNS_TRAFFIC \
	UEA_COLUMN("TX/s", "tx", format_short), \
	UEA_COLUMN("RX/s", "rx", format_short), \
	UEA_COLUMN("LOSS%", "loss", format_loss), \
	UEA_COLUMN("RTT", "rtt", uea_format_us), \
	UEA_COLUMN("WINDOW", "inflight", format_window), \
	UEA_COLUMN("CWND", "cwnd", format_short), \
	UEA_COLUMN("QUEUE", "queue", format_short)

static const struct uea_column pdc_columns[] = {
	COLUMN_FEP,
	UEA_COLUMN("PDCID", "pdcid", NULL),
	COLUMN_PEER,
	COLUMNS_TRAFFIC,
	{ .head = NULL },
};

static const struct uea_column peer_columns[] = {
	COLUMN_FEP,
	COLUMN_PEER,
	UEA_COLUMN("PDCS", "pdcs", NULL),
	COLUMNS_TRAFFIC,
	UEA_COLUMN("LAST-RX", "silent", uea_format_ago),
	{ .head = NULL },
};

static const struct uea_column rail_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "RAIL", "dev", NULL),
	UEA_COLUMN("USABLE", "usable", NULL),
	UEA_COLUMN("TX/s", "tx", format_short),
	UEA_COLUMN("RX/s", "rx", format_short),
	UEA_COLUMN("RETX%", "loss", format_loss),
	UEA_COLUMN("TX-BYTES/s", "tx-bytes", format_short),
	UEA_COLUMN("RX-BYTES/s", "rx-bytes", format_short),
	{ .head = NULL },
};

const struct uea_object top_objects[TOP_VIEWS] = {
	[TOP_PDC] = { .name = "pdc", .columns = pdc_columns },
	[TOP_PEER] = { .name = "peer", .columns = peer_columns },
	[TOP_RAIL] = { .name = "rail", .columns = rail_columns },
};

/**
 * top_read() - read the state of the kernel
 * @ctx: run; the module has been found
 * @state: result, for top_put(), also after an error
 *
 * Return: exit status.
 */
int top_read(struct uea_ctx *ctx, struct top_state *state)
{
	struct timespec now;
	int status;

	memset(state, 0, sizeof(*state));
	clock_gettime(CLOCK_MONOTONIC, &now);
	state->ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	status = uea_dump(ctx, &uea_pdc, &state->pdcs);
	if (!status)
		status = uea_dump(ctx, &uea_ccc, &state->cccs);
	if (!status)
		status = uea_dump(ctx, &uea_rail, &state->rails);
	return status;
}

/**
 * top_put() - free what top_read() has read
 * @state: the reading
 */
void top_put(struct top_state *state)
{
	json_object_put(state->pdcs);
	json_object_put(state->cccs);
	json_object_put(state->rails);
	memset(state, 0, sizeof(*state));
}

/* The record of @all that has the values of @like under these keys. */
static struct json_object *find_like(struct json_object *all,
				     struct json_object *like,
				     const char *const *keys)
{
	struct json_object *one;
	size_t i, k;

	for (i = 0; i < json_object_array_length(all); i++) {
		one = json_object_array_get_idx(all, i);
		for (k = 0; keys[k] && !strcmp(uea_text_of(one, keys[k]),
					       uea_text_of(like, keys[k])); k++)
			;
		if (!keys[k])
			return one;
	}
	return NULL;
}

static void set_number(struct json_object *row, const char *key, uint64_t value)
{
	json_object_object_add(row, key, json_object_new_uint64(value));
}

static void set_rate(struct json_object *row, const char *key, double value)
{
	json_object_object_add(row, key, json_object_new_double(value));
}

static double real_of(struct json_object *row, const char *key)
{
	return json_object_get_double(json_object_object_get(row, key));
}

/* How much a counter has grown: of a new object, all of it. */
static double growth(struct json_object *now, struct json_object *before,
		     const char *key)
{
	return (double)(uea_number_of(now, key) - uea_number_of(before, key));
}

static void set_loss(struct json_object *row)
{
	double again = real_of(row, "again");
	double sent = real_of(row, "tx");

	set_rate(row, "loss", sent > 0 ? 100 * again / sent : 0);
}

/* What PDC and peer have in common. */
static void set_traffic(struct json_object *row, struct json_object *pdc,
			const struct top_state *before, double seconds)
{
	static const char *const same[] = { "fep", "pdcid", "start-psn", NULL };
	struct json_object *now = json_object_object_get(pdc, "counters");
	struct json_object *old, *then = NULL;
	double again;

	old = find_like(before->pdcs, pdc, same);
	if (old)
		then = json_object_object_get(old, "counters");
	again = growth(now, then, "tx-retx");
	set_rate(row, "tx", real_of(row, "tx") +
			    (growth(now, then, "tx-req") + again) / seconds);
	set_rate(row, "rx", real_of(row, "rx") +
			    (growth(now, then, "rx-req") +
			     growth(now, then, "rx-dup")) / seconds);
	set_rate(row, "again", real_of(row, "again") + again / seconds);
	if (uea_number_of(pdc, "srtt-ns") > uea_number_of(row, "rtt"))
		set_number(row, "rtt", uea_number_of(pdc, "srtt-ns"));
	set_number(row, "inflight", uea_number_of(row, "inflight") +
				    uea_number_of(pdc, "inflight"));
	set_number(row, "window", uea_number_of(row, "window") +
				  uea_number_of(pdc, "peer-mpr"));
	set_number(row, "queue", uea_number_of(row, "queue") +
				 uea_number_of(pdc, "messages"));
	set_loss(row);
}

static void copy(struct json_object *row, struct json_object *from,
		 const char *key)
{
	if (uea_has(from, key))
		json_object_object_add(row, key,
			json_object_get(json_object_object_get(from, key)));
}

/* The window of the congestion control context, if there is one. */
static void set_cwnd(struct json_object *row, struct json_object *pdc,
		     const struct top_state *now)
{
	static const char *const same[] = { "fep", "peer", "mode", NULL };
	struct json_object *ccc = find_like(now->cccs, pdc, same);

	if (ccc)
		copy(row, ccc, "cwnd");
}

static void add_pdc(struct json_object *rows, struct json_object *pdc,
		    const struct top_state *before,
		    const struct top_state *now, double seconds)
{
	struct json_object *row = json_object_new_object();

	copy(row, pdc, "fep");
	copy(row, pdc, "pdcid");
	copy(row, pdc, "peer");
	copy(row, pdc, "role");
	copy(row, pdc, "state");
	set_traffic(row, pdc, before, seconds);
	set_cwnd(row, pdc, now);
	json_object_array_add(rows, row);
}

static void add_peer(struct json_object *rows, struct json_object *pdc,
		     const struct top_state *before,
		     const struct top_state *now, double seconds)
{
	static const char *const same[] = { "fep", "peer", NULL };
	struct json_object *row = find_like(rows, pdc, same);
	uint64_t silent = uea_number_of(pdc, "silent-ns");

	if (!row) {
		row = json_object_new_object();
		copy(row, pdc, "fep");
		copy(row, pdc, "peer");
		json_object_array_add(rows, row);
	}
	set_number(row, "pdcs", uea_number_of(row, "pdcs") + 1);
	set_traffic(row, pdc, before, seconds);
	set_cwnd(row, pdc, now);
	if (uea_has(pdc, "silent-ns") &&
	    (!uea_has(row, "silent") || silent < uea_number_of(row, "silent")))
		set_number(row, "silent", silent);
}

static void add_rail(struct json_object *rows, struct json_object *rail,
		     const struct top_state *before, double seconds)
{
	static const char *const same[] = { "dev", NULL };
	struct json_object *row = json_object_new_object();
	struct json_object *then = find_like(before->rails, rail, same);

	copy(row, rail, "dev");
	copy(row, rail, "usable");
	set_rate(row, "tx", growth(rail, then, "tx-packets") / seconds);
	set_rate(row, "rx", growth(rail, then, "rx-packets") / seconds);
	set_rate(row, "again", growth(rail, then, "tx-retx") / seconds);
	set_loss(row);
	set_rate(row, "tx-bytes", growth(rail, then, "tx-bytes") / seconds);
	set_rate(row, "rx-bytes", growth(rail, then, "rx-bytes") / seconds);
	json_object_array_add(rows, row);
}

/* What the rows are compared by; set for the time of the sorting. */
static const char *sort_key;

static int compare_rows(const void *a, const void *b)
{
	double x = real_of(*(struct json_object *const *)a, sort_key);
	double y = real_of(*(struct json_object *const *)b, sort_key);

	return (x < y) - (x > y);
}

/**
 * top_rows() - the rows of a view
 * @view: what a row is
 * @sort: key by which the largest is first
 * @before: earlier reading
 * @now: later reading
 *
 * Return: JSON array, to be put.
 */
struct json_object *top_rows(enum top_view view, const char *sort,
			     const struct top_state *before,
			     const struct top_state *now)
{
	struct json_object *all = view == TOP_RAIL ? now->rails : now->pdcs;
	struct json_object *rows = json_object_new_array(), *one;
	double seconds = (double)(now->ns - before->ns) / 1e9;
	size_t i;

	for (i = 0; i < json_object_array_length(all); i++) {
		one = json_object_array_get_idx(all, i);
		if (view == TOP_PDC)
			add_pdc(rows, one, before, now, seconds);
		else if (view == TOP_PEER)
			add_peer(rows, one, before, now, seconds);
		else
			add_rail(rows, one, before, seconds);
	}
	sort_key = sort;
	json_object_array_sort(rows, compare_rows);
	return rows;
}
