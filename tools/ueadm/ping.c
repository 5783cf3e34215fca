// SPDX-License-Identifier: GPL-2.0
/*
 * Asking another fabric address whether it is there: one request to the kernel
 * after the other, a line for each outcome, and a summary.  The kernel says
 * what became of each request once, whenever it knows; here is only the clock,
 * and the sums.
 */
#define _GNU_SOURCE	/* ppoll() */
#include <errno.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "ueadm.h"

#define PING_S		1000000000ULL
#define PING_DAY	(86400 * PING_S)

/* The kernel has a limit for each FEP, which others may want a part of. */
#define PING_PENDING	64

/* What is not for the kernel has numbers behind its attributes. */
enum {
	PING_A_COUNT = UET_A_PING_MAX + 1,
	PING_A_INTERVAL,
};

static const struct uea_param ping_params[] = {
	{
		.value = "FEP", .arg = UEA_ARG_STRING, .attr = UET_A_PING_FEP,
		.max = UET_NAME_LEN_MAX, .is_needed = true,
	}, {
		.value = "FA", .arg = UEA_ARG_ADDR, .attr = UET_A_PING_ADDR4,
		.is_needed = true,
	}, {
		.word = "count", .value = "N", .arg = UEA_ARG_U32,
		.attr = PING_A_COUNT, .min = 1,
	}, {
		.word = "interval", .value = "TIME", .arg = UEA_ARG_TIME,
		.attr = PING_A_INTERVAL, .max = PING_DAY,
	}, {
		.word = "job", .value = "ID", .arg = UEA_ARG_U32,
		.attr = UET_A_PING_JOB, .max = UET_JOBID_MAX,
	},
};

static const struct uea_field ping_fields[] = {
	UEA_FIELD(UET_A_PING_RTT_NS, UEA_TIME, "rtt-ns"),
	UEA_FIELD(UET_A_PING_RETX, UEA_U32, "retx"),
	UEA_FIELD(UET_A_PING_CE, UEA_FLAG, "ce"),
	UEA_FIELD(UET_A_PING_RC, UEA_STRING, "rc"),
	UEA_FIELD(UET_A_PING_ERROR, UEA_U32, "errno"),
	UEA_FIELD(UET_A_PING_REASON, UEA_STRING, "reason"),
	UEA_FIELD(UET_A_PING_NACK_CODE, UEA_U8, "nack-code"),
	{ .attr = 0 },
};

/**
 * struct ping - a run
 * @ctx: of the program
 * @nlh: the request, the same each time
 * @fep: name of the FEP
 * @addr: who is to answer
 * @count: how often to ask, 0: until interrupted
 * @interval_ns: between two requests; 0: the next when the last was answered
 * @next_ns: when to ask next
 * @first: sequence number of the first request
 * @tries: requests so far
 * @pending: of them, those without an outcome
 * @refused: those the kernel did not send
 * @answered: those with an answer
 * @lost: those without, once all is over
 * @retx: requests sent again, all transmissions
 * @sum_ns: of round trips
 * @min_ns: shortest round trip
 * @max_ns: longest round trip
 * @answers: JSON array of the outcomes; NULL: they are printed
 */
struct ping {
	struct uea_ctx *ctx;
	struct nlmsghdr *nlh;
	const char *fep;
	const char *addr;
	uint32_t count;
	uint64_t interval_ns;
	uint64_t next_ns;
	uint32_t first;
	uint64_t tries, pending, refused, answered, lost, retx;
	uint64_t sum_ns, min_ns, max_ns;
	struct json_object *answers;
};

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * PING_S + now.tv_nsec;
}

static double ms(uint64_t ns)
{
	return ns / 1e6;
}

/* ---------------------------------------------------------------- outcomes */

static uint64_t number_of(struct json_object *record, const char *key)
{
	return json_object_get_uint64(json_object_object_get(record, key));
}

static const char *text_of(struct json_object *record, const char *key)
{
	const char *text;

	text = json_object_get_string(json_object_object_get(record, key));
	return text ? text : "?";
}

static bool has(struct json_object *record, const char *key)
{
	return json_object_object_get_ex(record, key, NULL);
}

static void print_answer(const struct ping *ping, uint32_t nr,
			 struct json_object *record)
{
	printf("answer from %s: seq=%u time=%.3fms", ping->addr, nr,
	       ms(number_of(record, "rtt-ns")));
	if (number_of(record, "retx"))
		printf(" retx=%u", (unsigned int)number_of(record, "retx"));
	if (json_object_get_boolean(json_object_object_get(record, "ce")))
		fputs(" ce", stdout);
	if (has(record, "errno"))
		printf(" refused: %s (%s)", text_of(record, "rc"),
		       strerror(number_of(record, "errno")));
	putchar('\n');
}

static void print_failure(const struct ping *ping, uint32_t nr,
			  struct json_object *record)
{
	printf("no answer from %s: seq=%u retx=%u %s", ping->addr, nr,
	       (unsigned int)number_of(record, "retx"),
	       text_of(record, "reason"));
	if (has(record, "nack-code"))
		printf(", NACK 0x%02x",
		       (unsigned int)number_of(record, "nack-code"));
	printf(" (%s)\n", strerror(number_of(record, "errno")));
}

static void tell(struct ping *ping, uint32_t nr, struct json_object *record)
{
	bool is_answer = has(record, "rtt-ns");

	if (ping->answers) {
		json_object_object_add(record, "seq",
				       json_object_new_int64(nr));
		json_object_array_add(ping->answers, json_object_get(record));
		return;
	}
	if (is_answer)
		print_answer(ping, nr, record);
	else
		print_failure(ping, nr, record);
	fflush(stdout);
}

static void add_up(struct ping *ping, struct json_object *record)
{
	uint64_t ns = number_of(record, "rtt-ns");

	ping->retx += number_of(record, "retx");
	if (!has(record, "rtt-ns"))
		return;
	/* A key for programs, whatever its value. */
	if (!has(record, "ce"))
		json_object_object_add(record, "ce",
				       json_object_new_boolean(false));
	if (!ping->answered || ns < ping->min_ns)
		ping->min_ns = ns;
	if (ns > ping->max_ns)
		ping->max_ns = ns;
	ping->sum_ns += ns;
	ping->answered++;
}

static void outcome_cb(const struct nlmsghdr *nlh, bool is_refused, void *data)
{
	struct ping *ping = data;
	uint32_t nr = nlh->nlmsg_seq - ping->first;
	struct json_object *record;

	if (nr >= ping->tries || !ping->pending)
		return;
	ping->pending--;
	if (is_refused) {
		ping->refused++;
		return;
	}
	record = uea_record(ping_fields, nlh);
	add_up(ping, record);
	tell(ping, nr + 1, record);
	json_object_put(record);
}

/* ----------------------------------------------------------------- summary */

static void summary_json(const struct ping *ping)
{
	struct json_object *all = json_object_new_object();
	const struct {
		const char *key;
		uint64_t value;
		bool is_there;
	} numbers[] = {
		{ "sent", ping->tries - ping->refused, true },
		{ "answered", ping->answered, true },
		{ "lost", ping->lost, true },
		{ "refused", ping->refused, true },
		{ "retx", ping->retx, true },
		{ "rtt-min-ns", ping->min_ns, ping->answered },
		{ "rtt-avg-ns", ping->answered ?
		  ping->sum_ns / ping->answered : 0, ping->answered },
		{ "rtt-max-ns", ping->max_ns, ping->answered },
	};
	size_t i;

	json_object_object_add(all, "fep", json_object_new_string(ping->fep));
	json_object_object_add(all, "addr", json_object_new_string(ping->addr));
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].is_there)
			json_object_object_add(all, numbers[i].key,
				json_object_new_uint64(numbers[i].value));
	}
	json_object_object_add(all, "answers", json_object_get(ping->answers));
	uea_print_json(ping->ctx, all);
	json_object_put(all);
}

static void summary_text(const struct ping *ping)
{
	printf("--- %s from %s ---\n%llu sent, %llu answered, %llu lost, %llu sent again",
	       ping->addr, ping->fep,
	       (unsigned long long)(ping->tries - ping->refused),
	       (unsigned long long)ping->answered,
	       (unsigned long long)ping->lost,
	       (unsigned long long)ping->retx);
	if (ping->refused)
		printf(", %llu not sent", (unsigned long long)ping->refused);
	putchar('\n');
	if (ping->answered)
		printf("rtt min/avg/max = %.3f/%.3f/%.3f ms\n",
		       ms(ping->min_ns), ms(ping->sum_ns / ping->answered),
		       ms(ping->max_ns));
}

/* What the exit status says, and what to do about it. */
static int verdict(const struct ping *ping)
{
	if (ping->answered)
		return UEA_OK;
	if (ping->lost)
		uea_fail(0, "ping: no answer from %s: does it have a fep with this addr, and the same encap, port or proto and protect as %s? do routes and firewalls let packets through, both ways? see ueadm stats there and here",
			 ping->addr, ping->fep);
	return UEA_FAILED;
}

static int finish(struct ping *ping)
{
	/* If nothing was sent it was said why. */
	if (ping->tries == ping->refused)
		return UEA_FAILED;
	/* What an interrupt did not wait for is lost, too. */
	ping->lost = ping->tries - ping->refused - ping->answered;
	if (ping->answers)
		summary_json(ping);
	else
		summary_text(ping);
	return verdict(ping);
}

/* ----------------------------------------------------------------- the run */

static bool has_more(const struct ping *ping)
{
	return (!ping->count || ping->tries < ping->count) &&
	       !(ping->tries == 1 && ping->refused);
}

static bool may_send(const struct ping *ping)
{
	if (!has_more(ping))
		return false;
	if (!ping->interval_ns)
		return !ping->pending;
	return ping->pending < PING_PENDING && now_ns() >= ping->next_ns;
}

static int send_one(struct ping *ping)
{
	int status = uea_nl_send(ping->ctx, ping->nlh);

	if (status)
		return status;
	if (!ping->tries++)
		ping->first = ping->nlh->nlmsg_seq;
	ping->pending++;
	/* A late one does not make the next one early. */
	ping->next_ns = now_ns() + ping->interval_ns;
	return UEA_OK;
}

/* Until the next message, the next request, or a signal. */
static int wait_for(struct ping *ping, const sigset_t *signals)
{
	struct pollfd fd = {
		.fd = mnl_socket_get_fd(ping->ctx->nl), .events = POLLIN,
	};
	struct timespec wait, *until = NULL;
	uint64_t ns, now = now_ns();
	int ready;

	if (has_more(ping) && ping->interval_ns &&
	    ping->pending < PING_PENDING) {
		ns = ping->next_ns > now ? ping->next_ns - now : 0;
		wait.tv_sec = ns / PING_S;
		wait.tv_nsec = ns % PING_S;
		until = &wait;
	}
	ready = ppoll(&fd, 1, until, signals);
	if (ready < 0 && errno != EINTR)
		return uea_fail(errno, "waiting for the kernel");
	if (ready <= 0)
		return UEA_OK;
	return uea_nl_take(ping->ctx, ping->nlh, outcome_cb, ping);
}

static int ask(struct ping *ping)
{
	struct sigaction action = { .sa_handler = interrupt };
	sigset_t blocked, before;
	int status = UEA_OK;

	/* An interrupt is seen while waiting, and at no other time. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGINT, &action, NULL);
	while (!status && !is_interrupted &&
	       (ping->pending || has_more(ping))) {
		if (may_send(ping))
			status = send_one(ping);
		else
			status = wait_for(ping, &before);
	}
	return status;
}

/* The words for the kernel into the request, the others into @ping. */
static void sort_args(struct ping *ping, const struct nlmsghdr *args)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case PING_A_COUNT:
			ping->count = mnl_attr_get_u32(attr);
			break;
		case PING_A_INTERVAL:
			ping->interval_ns = mnl_attr_get_u64(attr);
			break;
		default:
			mnl_attr_put(ping->nlh, mnl_attr_get_type(attr),
				     mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
		}
	}
}

static int ping_run(struct uea_ctx *ctx, const struct uea_object *object,
		    const struct uea_verb *verb, char **words)
{
	struct ping ping = { .ctx = ctx, .interval_ns = PING_S };
	char words_buf[UEA_NL_BUF], buf[UEA_NL_BUF];
	struct nlmsghdr *args;
	int status;

	(void)object;
	args = uea_nl_request(ctx, words_buf, verb->cmd);
	status = uea_args(ctx, words, args);
	if (status)
		return status;
	status = uea_nl_open(ctx);
	if (status)
		return status;
	/* They stand in front of all other words. */
	ping.fep = words[0];
	ping.addr = words[1];
	ping.nlh = uea_nl_request(ctx, buf, verb->cmd);
	sort_args(&ping, args);
	if (ctx->is_json)
		ping.answers = json_object_new_array();
	status = ask(&ping);
	if (!status)
		status = finish(&ping);
	json_object_put(ping.answers);
	return status;
}

static const struct uea_verb ping_verbs[] = {
	{
		.name = "ping", .cmd = UET_CMD_PING, .run = ping_run,
		UEA_PARAMS(ping_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_ping = {
	.name = "ping",
	.fields = ping_fields,
	.verbs = ping_verbs,
	.is_verb = true,
};
