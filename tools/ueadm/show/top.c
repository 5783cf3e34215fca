// SPDX-License-Identifier: GPL-2.0
/*
 * "ueadm top": PDCs, peers or rails with their rates, the busiest first, again and again: on
 * a terminal one screen that keys change, else one table behind the other.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "top.h"

/* Attributes of the words; none is for the kernel. */
enum {
	TOP_A_PDC = 1,
	TOP_A_PEER,
	TOP_A_RAIL,
	TOP_A_SORT,
	TOP_A_INTERVAL,
	TOP_A_COUNT,
	TOP_A_BATCH,
};

static const struct uea_param top_params[] = {
	{ .word = "pdc", .arg = UEA_ARG_FLAG, .attr = TOP_A_PDC },
	{ .word = "peer", .arg = UEA_ARG_FLAG, .attr = TOP_A_PEER },
	{ .word = "rail", .arg = UEA_ARG_FLAG, .attr = TOP_A_RAIL },
	{
		.word = "sort", .value = "tx|rx|loss|rtt|queue",
		.arg = UEA_ARG_CHOICE, .choices = top_sort_names,
		.attr = TOP_A_SORT,
	}, {
		.word = "-i", .value = "SECONDS", .arg = UEA_ARG_U32,
		.attr = TOP_A_INTERVAL, .min = 1, .max = 86400,
	}, {
		.word = "-n", .value = "N", .arg = UEA_ARG_U32,
		.attr = TOP_A_COUNT, .min = 1,
	},
	{ .word = "-b", .arg = UEA_ARG_FLAG, .attr = TOP_A_BATCH },
};

/**
 * struct top - a run
 * @view: what is shown
 * @sort: index in top_sort_names
 * @interval: seconds between two readings
 * @count: tables to print; 0: until interrupted
 * @is_batch: the output is no terminal
 */
struct top {
	enum top_view view;
	unsigned int sort;
	uint32_t interval;
	uint32_t count;
	bool is_batch;
};

static volatile sig_atomic_t is_ended;

static void end(int signal)
{
	(void)signal;
	is_ended = 1;
}

static void read_word(struct top *top, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case TOP_A_SORT:
		top->sort = mnl_attr_get_u8(attr);
		break;
	case TOP_A_INTERVAL:
		top->interval = mnl_attr_get_u32(attr);
		break;
	case TOP_A_COUNT:
		top->count = mnl_attr_get_u32(attr);
		break;
	case TOP_A_BATCH:
		top->is_batch = true;
		break;
	default:
		top->view = mnl_attr_get_type(attr) - TOP_A_PDC;
	}
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* What a key does: q ends, v shows something else, the others sort. */
static void obey(struct top *top, char key)
{
	static const char keys[] = "txlrm";
	const char *at = key ? strchr(keys, key) : NULL;

	if (key == 'q')
		is_ended = 1;
	else if (key == 'v')
		top->view = (top->view + 1) % TOP_VIEWS;
	else if (at)
		top->sort = at - keys;
}

/* Wait for the next reading, or less after a key. */
static void pause_until(struct top *top, uint64_t until_ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now;
	char key;

	while (!is_ended && (now = now_ms()) < until_ms) {
		if (poll(&in, !top->is_batch, until_ms - now) <= 0)
			continue;
		if (read(STDIN_FILENO, &key, 1) != 1)
			is_ended = 1;
		else
			obey(top, key);
		if (!is_ended && now_ms() + 1000 < until_ms)
			return;
	}
}

/* Rows that do not fit the screen are left out, the least of the order. */
static void cut(struct json_object *rows)
{
	struct winsize size = { .ws_row = 24 };
	size_t nr = json_object_array_length(rows);
	size_t space;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	space = size.ws_row > 4 ? size.ws_row - 4 : 1;
	if (nr > space)
		json_object_array_del_idx(rows, space, nr - space);
}

static void print_head(const struct top *top, const struct top_state *now)
{
	char clock[16];
	time_t seconds = time(NULL);
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (!top->is_batch)
		fputs("\033[H\033[J", stdout);
	printf("%s  %zu PDCs, %zu rails; by %s, packets, each %us%s\n", clock,
	       json_object_array_length(now->pdcs),
	       json_object_array_length(now->rails), top_sort_names[top->sort],
	       top->interval, top->is_batch ? "" :
	       "\nkeys: t tx, x rx, l loss, r rtt, m queue, v view, q quit");
}

static void show(const struct uea_ctx *ctx, const struct top *top,
		 const struct top_state *before, const struct top_state *now)
{
	struct json_object *rows;

	rows = top_rows(top->view, top_sort_names[top->sort], before, now);
	if (!ctx->is_json)
		print_head(top, now);
	if (!top->is_batch)
		cut(rows);
	uea_print(ctx, &top_objects[top->view], rows);
	fflush(stdout);
	json_object_put(rows);
}

static int loop(struct uea_ctx *ctx, struct top *top)
{
	struct top_state before, now;
	uint32_t nr = 0;
	int status = top_read(ctx, &before);

	while (!status && !is_ended && (!top->count || nr < top->count)) {
		pause_until(top, before.ns / 1000000 + top->interval * 1000ULL);
		if (is_ended)
			break;
		status = top_read(ctx, &now);
		if (!status && nr++ && top->is_batch && !ctx->is_json)
			putchar('\n');
		if (!status)
			show(ctx, top, &before, &now);
		top_put(&before);
		before = now;
	}
	top_put(&before);
	return status;
}

/* The terminal gives each key at once and does not show it, until the end. */
static int run_on_terminal(struct uea_ctx *ctx, struct top *top)
{
	struct sigaction on_end = { .sa_handler = end };
	struct termios normal, raw;
	int status;

	if (tcgetattr(STDIN_FILENO, &normal)) {
		top->is_batch = true;
		return loop(ctx, top);
	}
	sigaction(SIGINT, &on_end, NULL);
	sigaction(SIGTERM, &on_end, NULL);
	raw = normal;
	raw.c_lflag &= ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	/* Lines are cut at the edge, not broken. */
	fputs("\033[?7l", stdout);
	status = loop(ctx, top);
	fputs("\033[?7h", stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &normal);
	return status;
}

static int top_run(struct uea_ctx *ctx, const struct uea_object *object,
		   const struct uea_verb *verb, char **words)
{
	struct top top = { .interval = 1 };
	const struct nlattr *attr;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args;
	int status;

	(void)object;
	args = uea_nl_request(ctx, buf, verb->cmd);
	status = uea_args_open(ctx, words, args);
	if (status)
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr))
		read_word(&top, attr);
	if (!isatty(STDOUT_FILENO) || ctx->is_json)
		top.is_batch = true;
	return top.is_batch ? loop(ctx, &top) : run_on_terminal(ctx, &top);
}

static const struct uea_verb top_verbs[] = {
	{ .name = "top", .run = top_run, UEA_PARAMS(top_params) },
	{ .name = NULL },
};

const struct uea_object uea_top = {
	.name = "top",
	.verbs = top_verbs,
	.is_verb = true,
};
