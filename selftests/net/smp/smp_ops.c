// SPDX-License-Identifier: GPL-2.0
/*
 * All operations of all modes at once between flows of two ends each, on several CPUs: two
 * threads of a sender begin operations, a third takes completions, a fourth may poll the
 * submission ring; two threads of a receiver read messages and completions.  Ends replace
 * their sockets with operations under way.  Each byte is checked, each operation is
 * accounted for: smpboard.h has the rules.  Level: test.
 *
 *	smp_ops make FILE SEED FLOW...	FLOW: FROM,TO,JOB,PID,rud|rod|uud[,churn][,ring]
 *					[,poll][,wild]
 *	smp_ops send|recv FILE N	be an end of flow N
 *	smp_ops stop|quit FILE		end all senders|receivers
 *	smp_ops leave|return FILE	close the sockets of wild flows|open them again
 *	smp_ops judge FILE		counts of all flows, by class
 */
#define _GNU_SOURCE
#include "smprx.h"
#include "smptx.h"

enum class { CALM, CHURN, WILD, UUD, CLASSES };

/**
 * struct verdict - counts of the flows of a class
 * @begun, @succeeded, @straddled, @unknown: operations by outcome
 * @came: messages that came, each counted once
 * @lost, @twice: messages that have not come or have come again
 * @unfit: flows whose counts of memory operations or sums of atomics are wrong
 */
struct verdict {
	uint64_t begun, succeeded, straddled, unknown, came, lost, twice, unfit;
	uint64_t ended, wrong, changed, late, closed, lives, flushed, left;
	uint64_t kind[KINDS];
};

static enum class class_of(const struct flow *flow)
{
	if (flow->type == SOCK_DGRAM)
		return UUD;
	return flow->wild ? WILD : flow->churn ? CHURN : CALM;
}

/* Counts by kind and outcome; the highest kind is the sum of the addends. */
struct sums {
	uint64_t least[KINDS + 1], most[KINDS + 1];
};

static void judge_op(struct verdict *v, struct sums *sums, const struct flow *flow, uint32_t i)
{
	enum kind kind = flow->kind[i];
	bool is_atomic = kind == K_ADD || kind == K_FETCH;
	uint8_t outcome = flow->outcome[i], came = flow->came[i];

	if (outcome == NOT_BEGUN)
		return;
	v->begun++;
	v->succeeded += outcome == SUCCEEDED;
	v->straddled += outcome == STRADDLED;
	v->unknown += outcome == UNKNOWN;
	v->kind[kind] += outcome >= STRADDLED;
	v->came += came > 0;
	v->twice += came > 1 && flow->type != SOCK_DGRAM;
	v->lost += kind < SEEN_KINDS && outcome == SUCCEEDED && !came && !flow->wild;
	sums->most[kind]++;
	/* The memory of atomic operations outlives the socket. */
	if (outcome == SUCCEEDED || (outcome == STRADDLED && is_atomic))
		sums->least[kind]++;
	if (kind == K_ADD) {
		sums->most[KINDS] += i;
		sums->least[KINDS] += outcome >= STRADDLED ? i : 0;
	}
}

static bool is_between(uint64_t value, uint64_t least, uint64_t most)
{
	return least <= value && value <= most;
}

/* Have the regions and counters of the receiver seen what the sender has? */
static bool is_fit(const struct flow *flow, const struct sums *s)
{
	const uint64_t *least = s->least, *most = s->most;
	bool has_counts = flow->wild ||
		(is_between(flow->writes, least[K_WRITE] + least[K_NOTIFY],
			    most[K_WRITE] + most[K_NOTIFY] + most[K_ADD]) &&
		 is_between(flow->reads, least[K_WRITE], most[K_WRITE]));

	if (!flow->churn && !flow->wild)
		has_counts = flow->writes == least[K_WRITE] + least[K_NOTIFY] + least[K_ADD] &&
			     flow->reads == least[K_WRITE] && flow->fetches == least[K_FETCH];
	return has_counts &&
	       is_between(flow->counter[C_ADDS], least[K_ADD], most[K_ADD]) &&
	       is_between(flow->counter[C_SUM], least[KINDS], most[KINDS]) &&
	       is_between(flow->counter[C_FETCHES], least[K_FETCH], most[K_FETCH]);
}

static void judge_flow(struct verdict *v, struct flow *flow, uint32_t number)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < GET(flow->next) && i < BOARD_OPS; i++)
		judge_op(v, &sums, flow, i);
	if (flow->has_left && flow->type != SOCK_DGRAM && !is_fit(flow, &sums)) {
		v->unfit++;
		printf("# flow %u: %" PRIu64 " writes, %" PRIu64 " fetches, %" PRIu64
		       " reads; counters %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", number,
		       flow->writes, flow->fetches, flow->reads, flow->counter[C_ADDS],
		       flow->counter[C_SUM], flow->counter[C_FETCHES]);
		for (int k = K_NOTIFY; k <= KINDS; k++)
			printf("# flow %u: kind %d: %" PRIu64 " to %" PRIu64 "\n", number, k,
			       sums.least[k], sums.most[k]);
	}
	v->ended += flow->ended;
	v->wrong += flow->wrong;
	v->changed += flow->changed;
	v->twice += flow->twice;
	v->late += flow->late;
	v->closed += flow->closed;
	v->lives += flow->tx_life + flow->rx_life / 2;
	v->flushed += flow->is_flushed;
	v->left += flow->has_left;
	if (flow->fault[0])
		printf("# flow %u: %s\n", number, flow->fault);
}

static void judge(void)
{
	static const char *const names[CLASSES] = { "calm", "churn", "wild", "uud" };
	struct verdict all[CLASSES] = { 0 };
	uint64_t ended = 0, flushed = 0, left = 0;

	for (uint32_t i = 0; i < board->flows; i++)
		judge_flow(&all[class_of(&board->flow[i])], &board->flow[i], i);
	for (int c = 0; c < CLASSES; c++) {
		const struct verdict *v = &all[c];
		const struct { const char *name; uint64_t value; } counts[] = {
			{ "begun", v->begun }, { "succeeded", v->succeeded },
			{ "straddled", v->straddled }, { "unknown", v->unknown },
			{ "came", v->came }, { "lost", v->lost }, { "twice", v->twice },
			{ "changed", v->changed }, { "late", v->late }, { "wrong", v->wrong },
			{ "unfit", v->unfit }, { "closed", v->closed }, { "lives", v->lives },
		};

		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			printf("%s_%s=%" PRIu64 " ", names[c], counts[i].name, counts[i].value);
		for (int k = 0; k < KINDS && c != UUD; k++)
			printf("%s_%s=%" PRIu64 " ", names[c], kind_names[k], v->kind[k]);
		printf("\n");
		ended += v->ended;
		flushed += v->flushed;
		left += v->left;
	}
	printf("ended=%" PRIu64 " flushed=%" PRIu64 " left=%" PRIu64 "\n", ended, flushed, left);
}

/* -------------------------------------------------------------- the program */

static void add_flow(struct flow *flow, char *words)
{
	for (int end = 0; end < 2; end++)
		snprintf(flow->fa[end], sizeof(flow->fa[end]), "%s", strsep(&words, ","));
	flow->job = atoi(strsep(&words, ","));
	flow->pid = atoi(strsep(&words, ","));
	flow->type = strstr(words, "rod") ? SOCK_SEQPACKET :
		     strstr(words, "uud") ? SOCK_DGRAM : SOCK_RDM;
	flow->churn = strstr(words, "churn");
	flow->ring = strstr(words, "ring");
	flow->poll = strstr(words, "poll");
	flow->wild = strstr(words, "wild");
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	bool is_make = !strcmp(what, "make");

	if (argc < 3 || (is_make && (argc < 5 || argc > 4 + BOARD_FLOWS)))
		errx(2, "usage: smp_ops make|send|recv|stop|quit|leave|return|judge FILE ...");
	board_open(argv[2], is_make ? O_CREAT | O_EXCL : 0);
	this_flow = argc > 3 ? atoi(argv[3]) : 0;
	f = &board->flow[this_flow % BOARD_FLOWS];
	if (is_make) {
		board->seed = atoi(argv[3]);
		for (int i = 4; i < argc; i++)
			add_flow(&board->flow[board->flows++], argv[i]);
	} else if (!strcmp(what, "send")) {
		do_send();
	} else if (!strcmp(what, "recv")) {
		do_receive();
	} else if (!strcmp(what, "stop")) {
		SET(board->stop, true);
	} else if (!strcmp(what, "leave") || !strcmp(what, "return")) {
		SET(board->leave, what[0] == 'l');
	} else if (!strcmp(what, "quit")) {
		SET(board->quit, true);
	} else {
		judge();
	}
	return 0;
}
