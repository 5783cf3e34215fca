// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that another fabric address is reachable: sends one request to the
 * kernel after the other, and prints a line for each outcome and a summary.
 * The kernel reports the outcome of each request once.  This file keeps the
 * clock and the sums.  Level: tool.
 */
#define _GNU_SOURCE	/* ppoll() */
#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "ping_sum.h"
#include "ueadm.h"

#define PING_S		1000000000ULL
#define PING_DAY	(86400 * PING_S)

/* The kernel limits requests per FEP; leave a part for other users. */
#define PING_PENDING	64

/* Attributes that are not for the kernel have numbers behind the kernel's. */
enum {
	PING_A_COUNT = UET_A_PING_MAX + 1,
	PING_A_INTERVAL,
	PING_A_EACH,
};

static const struct uea_param ping_params[] = {
	{
		.value = "FEP", .arg = UEA_ARG_STRING, .attr = UET_A_PING_FEP,
		.max = UET_NAME_LEN_MAX, .is_needed = true,
		.names = &uea_fep,
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
		.names = &uea_job,
	}, {
		.word = "rail", .value = "NETDEV", .arg = UEA_ARG_DEV,
		.attr = UET_A_PING_IFINDEX, .names = &uea_rail,
	}, {
		.word = "each-rail", .arg = UEA_ARG_FLAG, .attr = PING_A_EACH,
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
	UEA_FIELD(UET_A_PING_IFINDEX, UEA_U32, "ifindex"),
	{ .attr = 0 },
};

/**
 * struct ping - a run
 * @ctx: of the program
 * @nlh: the request, the same each time but for the rail
 * @rail: in it, the rail; only with @is_each
 * @is_each: use the rails of the FEP round-robin
 * @fep: name of the FEP
 * @addr: fabric address to ping
 * @count: number of requests, 0: until interrupted
 * @interval_ns: between two requests; 0: the next when the last was answered
 * @next_ns: time of the next request
 * @first: sequence number of the first request
 * @tries: requests so far
 * @pending: of them, those without an outcome
 * @refused: those the kernel did not send
 * @lost: requests without an answer, at the end
 * @retx: requests sent again, all transmissions
 * @all: the answers
 * @rails: of them, those by each rail of the FEP
 * @nr_rails: how many it has
 * @answers: JSON array of the outcomes; NULL: they are printed
 */
struct ping {
	struct uea_ctx *ctx;
	struct nlmsghdr *nlh;
	struct nlattr *rail;
	bool is_each;
	const char *fep;
	const char *addr;
	uint32_t count;
	uint64_t interval_ns;
	uint64_t next_ns;
	uint32_t first;
	uint64_t tries, pending, refused, lost, retx;
	struct ping_sum all;
	struct ping_sum rails[UET_FEP_RAILS_MAX];
	unsigned int nr_rails;
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

/* ---------------------------------------------------------------- outcomes */

static void print_answer(const struct ping *ping, uint32_t nr,
			 struct json_object *record)
{
	printf("answer from %s: seq=%u time=%.3fms", ping->addr, nr,
	       uea_number_of(record, "rtt-ns") / 1e6);
	if (uea_number_of(record, "retx"))
		printf(" retx=%u", (unsigned int)uea_number_of(record, "retx"));
	if (uea_has(record, "rail"))
		printf(" rail=%s", uea_text_of(record, "rail"));
	if (json_object_get_boolean(json_object_object_get(record, "ce")))
		fputs(" ce", stdout);
	if (uea_has(record, "errno"))
		printf(" refused: %s (%s)", uea_text_of(record, "rc"),
		       strerror(uea_number_of(record, "errno")));
	putchar('\n');
}

static void print_failure(const struct ping *ping, uint32_t nr,
			  struct json_object *record)
{
	printf("no answer from %s: seq=%u retx=%u", ping->addr, nr,
	       (unsigned int)uea_number_of(record, "retx"));
	if (uea_has(record, "rail"))
		printf(" rail=%s", uea_text_of(record, "rail"));
	printf(" %s", uea_text_of(record, "reason"));
	if (uea_has(record, "nack-code"))
		printf(", NACK 0x%02x",
		       (unsigned int)uea_number_of(record, "nack-code"));
	printf(" (%s)\n", strerror(uea_number_of(record, "errno")));
}

static void tell(struct ping *ping, uint32_t nr, struct json_object *record)
{
	bool is_answer = uea_has(record, "rtt-ns");

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

/* The rail of an outcome; NULL: of none that we know. */
static struct ping_sum *rail_of(struct ping *ping, struct json_object *record)
{
	unsigned int i;

	for (i = 0; i < ping->nr_rails; i++) {
		if (ping->rails[i].ifindex == uea_number_of(record, "ifindex"))
			return &ping->rails[i];
	}
	return NULL;
}

static void add_up(struct ping *ping, struct json_object *record)
{
	struct ping_sum *rail = rail_of(ping, record);
	uint64_t ns = uea_number_of(record, "rtt-ns");

	json_object_object_del(record, "ifindex");
	if (rail)
		json_object_object_add(record, "rail",
				       json_object_new_string(rail->dev));
	ping->retx += uea_number_of(record, "retx");
	if (!uea_has(record, "rtt-ns"))
		return;
	/* Omit keys without a value. */
	if (!uea_has(record, "ce"))
		json_object_object_add(record, "ce",
				       json_object_new_boolean(false));
	uea_ping_add(&ping->all, ns);
	if (rail)
		uea_ping_add(rail, ns);
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

static struct json_object *rails_json(const struct ping *ping)
{
	struct json_object *rails = json_object_new_array(), *rail;
	unsigned int i;

	for (i = 0; i < ping->nr_rails; i++) {
		rail = json_object_new_object();
		json_object_object_add(rail, "dev",
			json_object_new_string(ping->rails[i].dev));
		json_object_object_add(rail, "answered",
			json_object_new_uint64(ping->rails[i].answered));
		uea_ping_numbers(rail, &ping->rails[i]);
		json_object_array_add(rails, rail);
	}
	return rails;
}

static void summary_json(const struct ping *ping)
{
	struct json_object *all = json_object_new_object();
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "sent", ping->tries - ping->refused },
		{ "answered", ping->all.answered },
		{ "lost", ping->lost },
		{ "refused", ping->refused },
		{ "retx", ping->retx },
	};
	size_t i;

	json_object_object_add(all, "fep", json_object_new_string(ping->fep));
	json_object_object_add(all, "addr", json_object_new_string(ping->addr));
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_object_add(all, numbers[i].key,
				json_object_new_uint64(numbers[i].value));
	uea_ping_numbers(all, &ping->all);
	json_object_object_add(all, "answers", json_object_get(ping->answers));
	json_object_object_add(all, "rails", rails_json(ping));
	uea_print_json(ping->ctx, all);
	json_object_put(all);
}

static void summary_text(const struct ping *ping)
{
	unsigned int i;

	printf("--- %s from %s ---\n%llu sent, %llu answered, %llu lost, %llu sent again",
	       ping->addr, ping->fep,
	       (unsigned long long)(ping->tries - ping->refused),
	       (unsigned long long)ping->all.answered,
	       (unsigned long long)ping->lost,
	       (unsigned long long)ping->retx);
	if (ping->refused)
		printf(", %llu not sent", (unsigned long long)ping->refused);
	putchar('\n');
	if (ping->all.answered)
		uea_ping_print(&ping->all);
	for (i = 0; i < ping->nr_rails; i++) {
		if (!ping->rails[i].answered)
			continue;
		printf("rail %s: %llu answered, ", ping->rails[i].dev,
		       (unsigned long long)ping->rails[i].answered);
		uea_ping_print(&ping->rails[i]);
	}
}

/* The exit status, with advice for the user. */
static int verdict(const struct ping *ping)
{
	if (ping->all.answered)
		return UEA_OK;
	if (ping->lost)
		uea_fail(0, "ping: no answer from %s: does it have a fep with this addr, and the same encap, port or proto and protect as %s? do routes and firewalls let packets through, both ways? see ueadm stats there and here",
			 ping->addr, ping->fep);
	return UEA_FAILED;
}

static int finish(struct ping *ping)
{
	/* If no request was sent, the reason was already printed. */
	if (ping->tries == ping->refused)
		return UEA_FAILED;
	/* Requests that an interrupt did not wait for count as lost. */
	ping->lost = ping->tries - ping->refused - ping->all.answered;
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
	const struct ping_sum *rail;
	int status;

	if (ping->is_each) {
		rail = &ping->rails[ping->tries % ping->nr_rails];
		memcpy(mnl_attr_get_payload(ping->rail), &rail->ifindex,
		       sizeof(rail->ifindex));
	}
	status = uea_nl_send(ping->ctx, ping->nlh);
	if (status)
		return status;
	if (!ping->tries++)
		ping->first = ping->nlh->nlmsg_seq;
	ping->pending++;
	/* A late request does not shorten the next interval. */
	ping->next_ns = now_ns() + ping->interval_ns;
	return UEA_OK;
}

/* Wait until the next message, the next request, or a signal. */
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
	struct sigaction was;
	sigset_t blocked, before;
	int status = UEA_OK;

	/* Interrupts are only delivered while waiting. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	is_interrupted = 0;
	sigaction(SIGINT, &action, &was);
	while (!status && !is_interrupted &&
	       (ping->pending || has_more(ping))) {
		if (may_send(ping))
			status = send_one(ping);
		else
			status = wait_for(ping, &before);
	}
	/* Further commands of a batch may follow. */
	sigaction(SIGINT, &was, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
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
		case PING_A_EACH:
			ping->is_each = true;
			break;
		default:
			mnl_attr_put(ping->nlh, mnl_attr_get_type(attr),
				     mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
		}
	}
}

static bool has_rail(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == UET_A_PING_IFINDEX)
			return true;
	}
	return false;
}

/* The FEP that sends; NULL: the kernel will report that there is none. */
static struct json_object *find_fep(const struct ping *ping,
				    struct json_object *feps)
{
	struct json_object *fep;
	size_t i;

	for (i = 0; i < json_object_array_length(feps); i++) {
		fep = json_object_array_get_idx(feps, i);
		if (!strcmp(uea_text_of(fep, "name"), ping->fep))
			return fep;
	}
	return NULL;
}

static void add_rail(struct ping *ping, struct json_object *rail)
{
	struct ping_sum *sum = &ping->rails[ping->nr_rails];

	sum->ifindex = uea_number_of(rail, "ifindex");
	if (ping->is_each && strcmp(uea_text_of(rail, "state"), "usable"))
		return;
	if (if_indextoname(sum->ifindex, sum->dev))
		ping->nr_rails++;
}

/* The rails of the FEP, for the summary of each. */
static int find_rails(struct ping *ping)
{
	struct json_object *feps, *fep, *rails;
	int status = uea_dump(ping->ctx, &uea_fep, &feps);
	size_t i;

	fep = status ? NULL : find_fep(ping, feps);
	if (!fep)
		ping->is_each = false;
	if (fep && json_object_object_get_ex(fep, "rails", &rails)) {
		for (i = 0; i < json_object_array_length(rails) &&
		     i < UET_FEP_RAILS_MAX; i++)
			add_rail(ping, json_object_array_get_idx(rails, i));
	}
	json_object_put(feps);
	return status;
}

/* The first rail comes first. */
static int prepare_turns(struct ping *ping)
{
	struct nlmsghdr *nlh = ping->nlh;

	if (!ping->is_each)
		return UEA_OK;
	if (!ping->nr_rails)
		return uea_fail(0, "ping: no rail of fep %s is usable, see fep show",
				ping->fep);
	ping->rail = mnl_nlmsg_get_payload_tail(nlh);
	mnl_attr_put_u32(nlh, UET_A_PING_IFINDEX, ping->rails[0].ifindex);
	return UEA_OK;
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
	/* Options stand in front of all other words. */
	ping.fep = words[0];
	ping.addr = words[1];
	ping.nlh = uea_nl_request(ctx, buf, verb->cmd);
	sort_args(&ping, args);
	if (ping.is_each && has_rail(ping.nlh))
		return uea_usage(ctx, "rail and each-rail exclude each other");
	status = uea_nl_open(ctx);
	if (!status)
		status = find_rails(&ping);
	if (!status)
		status = prepare_turns(&ping);
	if (status)
		return status;
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
