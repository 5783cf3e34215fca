// SPDX-License-Identifier: GPL-2.0
/*
 * Output of rank 0: a table for people, one JSON object, or CSV.  Level: tool.
 */
#include <json-c/json.h>
#include <string.h>

#include "uetperf.h"

static const char *delivery_of(const struct options *o, const struct row *row)
{
	if (strcmp(row->transport, "uet"))
		return "stream";
	return o->is_rod ? "rod" : "rud";
}

/* -------------------------------------------------------------------- text */

static void text_begin(const struct options *o)
{
	printf("%s, %d ranks%s%s\n", o->pattern->name, o->ranks,
	       o->is_rod ? ", in order" : "",
	       o->is_verified ? ", every byte compared" : "");
	printf("%-9s %-6s %9s %6s %10s %9s %11s %11s", "transport", "op",
	       "size", "window", "iterations", "seconds", "Mbit/s",
	       "messages/s");
	if (o->pattern->is_sampled)
		printf(" %9s %9s %9s %9s %9s", "p50 us", "p90 us", "p99 us",
		       "p99.9 us", "max us");
	printf(" %8s", "retransm");
	if (o->has_uet && o->has_tcp)
		printf(" %7s", "ratio");
	putchar('\n');
}

/* One line for each stream, in the columns of text_begin(). */
static void text_streams(const struct options *o, const struct row *row)
{
	const struct tally *t;
	double seconds;

	for (int rank = 0; rank < o->ranks; rank++) {
		t = &row->tallies[rank];
		seconds = (t->ns ? t->ns : 1) / 1e9;
		if (t->bytes)
			printf("  rank %-17d %6s %10s %9.3f %11.2f %11.0f\n", rank, "",
			       "", seconds, t->bytes * 8 / seconds / 1e6,
			       t->messages / seconds);
	}
}

static void text_histogram(const struct row *row)
{
	static const char bar[] =
		"##################################################";
	uint64_t i, next;
	int bucket;

	for (i = 0; i < row->nr_samples; i = next) {
		bucket = bucket_of(row->samples[i]);
		for (next = i; next < row->nr_samples &&
		     bucket_of(row->samples[next]) == bucket; next++)
			;
		printf("%12.3f us.. %8ju  ", bucket_start(bucket) / 1e3,
		       (uintmax_t)(next - i));
		printf("%.*s\n", (int)((next - i) * strlen(bar) / row->nr_samples),
		       bar);
	}
}

static void text_row(const struct options *o, const struct row *row)
{
	const struct latency *l = &row->latency;

	printf("%-9s %-6s %9u %6u %10ju %9.3f %11.2f %11.0f", row->transport,
	       row->op, row->size, row->window, (uintmax_t)row->iterations,
	       row->total.ns / 1e9, row->rate / 1e6, row->mps);
	if (o->pattern->is_sampled)
		printf(" %9.1f %9.1f %9.1f %9.1f %9.1f", l->p50 / 1e3,
		       l->p90 / 1e3, l->p99 / 1e3, l->p999 / 1e3, l->max / 1e3);
	printf(" %8ju", (uintmax_t)row->total.retransmissions);
	if (o->has_uet && o->has_tcp)
		printf(" %7.3f", row->ratio);
	putchar('\n');
	if (o->parallel > 1)
		text_streams(o, row);
	if (o->has_histogram)
		text_histogram(row);
}

/* --------------------------------------------------------------------- CSV */

static void csv_row(const struct options *o, const struct row *row)
{
	const struct latency *l = &row->latency;

	printf("%s,%s,%s,%s,%d,%u,%u,%ju,%ju,%ju,%ju,%ju,%.0f,%.0f,",
	       o->pattern->name, row->transport, row->op, delivery_of(o, row),
	       o->ranks, row->window, row->size, (uintmax_t)row->iterations,
	       (uintmax_t)row->total.ns, (uintmax_t)row->total.bytes,
	       (uintmax_t)row->total.messages, (uintmax_t)row->total.verified,
	       row->rate, row->mps);
	if (o->pattern->is_sampled)
		printf("%ju,%ju,%ju,%ju,%ju,%ju,%ju,", (uintmax_t)l->min,
		       (uintmax_t)l->mean, (uintmax_t)l->p50, (uintmax_t)l->p90,
		       (uintmax_t)l->p99, (uintmax_t)l->p999,
		       (uintmax_t)l->max);
	else
		fputs(",,,,,,,", stdout);
	if (row->ratio > 0)
		printf("%.4f", row->ratio);
	printf(",%ju,%ju\n", (uintmax_t)row->idle_ns,
	       (uintmax_t)row->total.retransmissions);
}

static const char csv_head[] =
	"pattern,transport,op,delivery,ranks,window,size,iterations,ns,bytes,"
	"messages,verified_bytes,bits_per_second,messages_per_second,min_ns,"
	"mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max_ns,ratio,idle_ns,"
	"retransmissions";

/* -------------------------------------------------------------------- JSON */

static struct json_object *json_results;

static void put_u64(struct json_object *obj, const char *key, uint64_t value)
{
	json_object_object_add(obj, key, json_object_new_uint64(value));
}

static void put_double(struct json_object *obj, const char *key, double value)
{
	json_object_object_add(obj, key, json_object_new_double(value));
}

static void put_text(struct json_object *obj, const char *key, const char *text)
{
	json_object_object_add(obj, key, json_object_new_string(text));
}

static struct json_object *json_latency(const struct latency *l)
{
	struct json_object *obj = json_object_new_object();

	put_u64(obj, "min", l->min);
	put_u64(obj, "mean", l->mean);
	put_u64(obj, "p50", l->p50);
	put_u64(obj, "p90", l->p90);
	put_u64(obj, "p99", l->p99);
	put_u64(obj, "p99.9", l->p999);
	put_u64(obj, "max", l->max);
	return obj;
}

static struct json_object *json_histogram(const struct row *row)
{
	struct json_object *list = json_object_new_array(), *obj;
	uint64_t i, next;
	int bucket;

	for (i = 0; i < row->nr_samples; i = next) {
		bucket = bucket_of(row->samples[i]);
		for (next = i; next < row->nr_samples &&
		     bucket_of(row->samples[next]) == bucket; next++)
			;
		obj = json_object_new_object();
		put_u64(obj, "from_ns", bucket_start(bucket));
		put_u64(obj, "count", next - i);
		json_object_array_add(list, obj);
	}
	return list;
}

static struct json_object *json_intervals(const struct intervals *all)
{
	struct json_object *list = json_object_new_array(), *obj;
	const struct interval *i;

	for (i = all->list; i < all->list + all->nr; i++) {
		obj = json_object_new_object();
		put_u64(obj, "from_ns", i->from_ns);
		put_u64(obj, "to_ns", i->to_ns);
		put_u64(obj, "sent_bytes", i->moved.sent);
		put_u64(obj, "received_bytes", i->moved.received);
		put_u64(obj, "messages", i->moved.messages);
		put_u64(obj, "retransmissions", i->retransmissions);
		json_object_array_add(list, obj);
	}
	return list;
}

static struct json_object *json_ranks(const struct row *row, int ranks)
{
	struct json_object *list = json_object_new_array(), *obj;

	for (int rank = 0; rank < ranks; rank++) {
		obj = json_object_new_object();
		put_u64(obj, "rank", rank);
		put_u64(obj, "ns", row->tallies[rank].ns);
		put_u64(obj, "bytes", row->tallies[rank].bytes);
		put_u64(obj, "messages", row->tallies[rank].messages);
		put_u64(obj, "verified_bytes", row->tallies[rank].verified);
		json_object_array_add(list, obj);
	}
	return list;
}

static void json_row(const struct options *o, const struct row *row)
{
	struct json_object *obj = json_object_new_object();

	put_text(obj, "transport", row->transport);
	put_text(obj, "op", row->op);
	put_text(obj, "delivery", delivery_of(o, row));
	put_u64(obj, "size", row->size);
	put_u64(obj, "window", row->window);
	put_u64(obj, "iterations", row->iterations);
	put_u64(obj, "ns", row->total.ns);
	put_u64(obj, "bytes", row->total.bytes);
	put_u64(obj, "idle_ns", row->idle_ns);
	put_u64(obj, "messages", row->total.messages);
	put_u64(obj, "verified_bytes", row->total.verified);
	put_u64(obj, "retransmissions", row->total.retransmissions);
	put_double(obj, "bits_per_second", row->rate);
	put_double(obj, "messages_per_second", row->mps);
	json_object_object_add(obj, "ranks", json_ranks(row, o->ranks));
	if (o->interval)
		json_object_object_add(obj, "intervals",
				       json_intervals(&row->intervals));
	if (row->nr_samples)
		json_object_object_add(obj, "latency_ns",
				       json_latency(&row->latency));
	if (o->has_histogram)
		json_object_object_add(obj, "histogram", json_histogram(row));
	if (row->ratio > 0)
		put_double(obj, "ratio", row->ratio);
	json_object_array_add(json_results, obj);
}

static void json_end(const struct options *o)
{
	struct json_object *obj = json_object_new_object();

	put_text(obj, "pattern", o->pattern->name);
	put_u64(obj, "ranks", o->ranks);
	put_u64(obj, "parallel", o->parallel);
	json_object_object_add(obj, "verified",
			       json_object_new_boolean(o->is_verified));
	json_object_object_add(obj, "results", json_results);
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN));
	json_object_put(obj);
}

/* ------------------------------------------------------------- all of them */

/**
 * output_begin() - print the header above the rows
 * @o: command line
 */
void output_begin(const struct options *o)
{
	switch (o->format) {
	case FORMAT_TEXT: text_begin(o); break;
	case FORMAT_CSV: puts(csv_head); break;
	case FORMAT_JSON: json_results = json_object_new_array(); break;
	}
	fflush(stdout);
}

/**
 * output_interval() - print a line about an interval, before the row
 * @b: measurement
 * @i: interval
 */
void output_interval(const struct bench *b, const struct interval *i)
{
	double seconds = (i->to_ns - i->from_ns + 1) / 1e9;

	printf("%-9s %-6s %9u %8.3f..%.3f s: sent %.2f Mbit/s, received %.2f Mbit/s, %.0f messages/s, %ju retransmissions\n",
	       b->net->ops->name, b->op->name, b->size, i->from_ns / 1e9,
	       i->to_ns / 1e9, i->moved.sent * 8 / seconds / 1e6,
	       i->moved.received * 8 / seconds / 1e6, i->moved.messages / seconds,
	       (uintmax_t)i->retransmissions);
	fflush(stdout);
}

/**
 * output_rows() - print the rows of one size
 * @o: command line
 * @rows: one for each transport
 * @nr: number
 */
void output_rows(const struct options *o, struct row *rows, int nr)
{
	for (int i = 0; i < nr; i++) {
		switch (o->format) {
		case FORMAT_TEXT: text_row(o, &rows[i]); break;
		case FORMAT_CSV: csv_row(o, &rows[i]); break;
		case FORMAT_JSON: json_row(o, &rows[i]); break;
		}
	}
	fflush(stdout);
}

/**
 * output_end() - print the end below the rows
 * @o: command line
 */
void output_end(const struct options *o)
{
	if (o->format == FORMAT_JSON)
		json_end(o);
	fflush(stdout);
}
