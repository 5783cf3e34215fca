// SPDX-License-Identifier: GPL-2.0
/*
 * The soak's program: makes the board, starts and kills senders and
 * receivers, waits for progress, and judges the outcome of each
 * message.  soak.h has the rules.
 * Level: test.
 *
 *	soak_flow make FILE CAPACITY SEED FLOW...	FLOW: FROM,TO,rud|rod
 *	soak_flow send|recv FILE N			be an end of flow N
 *	soak_flow kill FILE send|recv N			kill it
 *	soak_flow stop|quit FILE			end all senders|receivers
 *	soak_flow wait FILE MORE MSEC			operations to end, or so long
 *	soak_flow judge FILE				totals of all flows
 *	soak_flow faults FILE				what must not be, in words
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "crc32c.h"
#include "fuzz.h"
#include "soak.h"
#include "uet_ioctl.h"

#define PAGE	4096u
#define PER_MESSAGE	(sizeof(uint32_t) + 2)	/* note, mark, ticket */

struct soak_board *board;
static const char *role = "";

const char *const soak_kinds[KINDS] = {
	"send", "tagged", "rendezvous", "deferrable", "write", "read", "add",
	"fetch",
};

void soak_die(const char *fmt, ...)
{
	int error = errno;
	va_list args;

	fprintf(stderr, "soak_flow %s: ", role);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (%s)\n", strerror(error));
	exit(1);
}

void soak_note_fault(struct soak_flow *f, const char *fmt, ...)
{
	va_list args;

	if (f->fault[0])
		return;
	va_start(args, fmt);
	vsnprintf(f->fault, sizeof(f->fault), fmt, args);
	va_end(args);
}

/* ------------------------------------------------------------------- memory */

static size_t head_size(void)
{
	return (sizeof(*board) + PAGE - 1) / PAGE * PAGE;
}

static size_t board_size(uint32_t capacity, uint32_t flows)
{
	return head_size() + flows * (PAGE + PER_MESSAGE * (size_t)capacity);
}

uint64_t *soak_counters(uint32_t flow)
{
	return (void *)((uint8_t *)board + head_size() + flow * PAGE);
}

static uint8_t *arrays(void)
{
	return (uint8_t *)soak_counters(board->flows);
}

uint32_t *soak_note(uint32_t flow, uint32_t index)
{
	return (uint32_t *)arrays() + (size_t)flow * board->capacity + index;
}

uint8_t *soak_mark(uint32_t flow, uint32_t index)
{
	return (uint8_t *)soak_note(board->flows, 0) +
	       (size_t)flow * board->capacity + index;
}

uint8_t *soak_ticket(uint32_t flow, uint32_t value)
{
	return soak_mark(board->flows + flow, value);
}

static void map_board(int fd, size_t size)
{
	board = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (board == MAP_FAILED)
		soak_die("cannot map %zu bytes", size);
	close(fd);
}

static void open_board(const char *file)
{
	int fd = open(file, O_RDWR);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (size < 0)
		soak_die("%s", file);
	map_board(fd, size);
}

static void add_flow(struct soak_flow *f, char *words)
{
	for (int end = 0; end < 2; end++) {
		const char *fa = strsep(&words, ",");

		if (!words || strlen(fa) >= sizeof(f->fa[end]))
			soak_die("a flow is FROM,TO,rud|rod");
		strcpy(f->fa[end], fa);
	}
	f->is_ordered = !strcmp(words, "rod");
	f->is_away = true;
}

/* The file is sparse: unused entries take no memory. */
static void make(const char *file, uint32_t capacity, uint32_t seed, int flows,
		 char **flow)
{
	size_t size = board_size(capacity, flows);
	int fd = open(file, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct fuzz_rand rnd = fuzz_rand(seed);

	if (capacity > SOAK_CAPACITY || flows > SOAK_FLOWS)
		soak_die("too many messages or flows");
	if (fd < 0 || ftruncate(fd, size))
		soak_die("%s", file);
	map_board(fd, size);
	board->capacity = capacity;
	board->seed = seed;
	board->flows = flows;
	fuzz_fill(&rnd, board->pool, sizeof(board->pool));
	for (int i = 0; i < flows; i++)
		add_flow(&board->flow[i], flow[i]);
}

/* ----------------------------------------------------------------- messages */

uint32_t soak_offset(uint32_t flow, uint32_t index)
{
	return (flow * 0x9e3779b1u + index * 61) % (SOAK_POOL - SOAK_LONGEST);
}

uint64_t soak_label(uint32_t flow, uint32_t life, uint32_t index,
		    const uint8_t *bytes, uint32_t len)
{
	uint32_t head[] = { flow, life % SOAK_LIVES, index, len };
	uint32_t crc = crc32c_update_many(CRC32C_INIT, head, sizeof(head));

	crc = crc32c_final(crc32c_update_many(crc, bytes, len));
	return (uint64_t)crc << 32 | (life % SOAK_LIVES) << SOAK_INDEX_BITS |
	       index;
}

/* ------------------------------------------------------------------ sockets */

struct sockaddr_uet soak_address(uint32_t flow, int end)
{
	struct sockaddr_uet a = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = 1, .suet_pid = SOAK_RX_PID + flow, .suet_ri = 1,
	};

	if (!end) {
		a.suet_pid = UET_PID_ANY;
		a.suet_ri = 0;
	}
	if (inet_pton(AF_INET, board->flow[flow].fa[end], &a.suet_fa4) != 1)
		soak_die("%s is no address", board->flow[flow].fa[end]);
	return a;
}

int soak_socket(uint32_t flow, int end)
{
	struct sockaddr_uet a = soak_address(flow, end);
	int type = board->flow[flow].is_ordered ? SOCK_SEQPACKET : SOCK_RDM;
	int fd = socket(AF_UET, type, 0);

	if (fd < 0 || bind(fd, (void *)&a, sizeof(a)))
		soak_die("flow %u: no endpoint", flow);
	return fd;
}

void *soak_map(size_t len)
{
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		soak_die("no memory");
	return mem;
}

void soak_register(int fd, enum soak_key key, void *mem, size_t len,
		   uint32_t access)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)mem, .length = len, .key = key,
		.access = access, .flags = UET_MR_FIXED_KEY,
	};

	if (uet_ioctl(fd, UET_IOC_MR_REG, &reg))
		soak_die("no region %d", key);
}

/* ------------------------------------------------------------------ verdict */

/**
 * struct verdict - outcomes of the messages
 * @read: read, each counted once
 * @lost: lost, by the rule of soak.h
 * @under_way: not answered, or answered but not looked for long enough
 * @open_tx: open, because the sender was killed
 * @open_rx: open, because the receiver was killed
 * @worst: most open messages of one death of a receiver
 * @unread: refused, and not read
 */
struct verdict {
	uint64_t read, lost, under_way, open_tx, open_rx, worst, unread;
};

/*
 * The death of the receiver that may have taken a message acknowledged in this
 * round; -1: none.
 */
static int death_of(const struct soak_flow *f, uint32_t round)
{
	int lives = SOAK_GET(f->rx_life) - 1;

	for (int k = 0; k < lives; k++)
		if (f->death[k] >= round)
			return f->death[k] < round + 2 ? k : -1;
	return -1;
}

static void judge_unread(struct verdict *v, const struct soak_flow *f,
			 uint32_t index, uint32_t note, uint32_t *of_death)
{
	int k;

	switch (NOTE_OUTCOME(note)) {
	case UNDER_WAY:
		if (index < f->first)
			v->open_tx++;
		else
			v->under_way++;
		return;
	case REFUSED:
		v->unread++;
		return;
	case NOT_SENT:
		return;
	}
	if (note & NOTE_STRADDLES) {
		v->open_rx++;
		return;
	}
	k = death_of(f, NOTE_ROUND(note));
	if (k >= 0) {
		v->open_rx++;
		if (++of_death[k] > v->worst)
			v->worst = of_death[k];
	} else if (SOAK_GET(f->round) >= NOTE_ROUND(note) + 2) {
		v->lost++;
	} else {
		v->under_way++;
	}
}

static void judge_flow(struct verdict *v, uint32_t flow)
{
	const struct soak_flow *f = &board->flow[flow];
	uint32_t of_death[SOAK_DEATHS] = { 0 }, next = SOAK_GET(f->next);

	for (uint32_t i = 0; i < next; i++) {
		uint32_t note = SOAK_GET(*soak_note(flow, i));

		/* The mark is set before the round ends. */
		if (SOAK_GET(*soak_mark(flow, i)))
			v->read++;
		else
			judge_unread(v, f, i, note, of_death);
	}
}

/*
 * Atomic operations of a flow: executed at least as often as answered with success, at
 * most as often as begun.
 * Return: is that so?
 */
static bool sums_fit(uint32_t flow)
{
	const struct soak_flow *f = &board->flow[flow];
	const uint64_t *c = soak_counters(flow);

	if (c[C_ADDS] < f->ended[K_ADD] || c[C_ADDS] > f->begun[K_ADD] ||
	    c[C_SUM] < f->sum_ended || c[C_SUM] > f->sum_begun ||
	    c[C_FETCHES] < f->ended[K_FETCH] ||
	    c[C_FETCHES] > f->begun[K_FETCH])
		return false;
	/* If all executed operations were acknowledged, the sum is known. */
	return c[C_ADDS] != f->ended[K_ADD] || c[C_SUM] == f->sum_ended;
}

#define TOTAL(field) ({							\
	uint64_t _sum = 0;						\
	for (uint32_t _i = 0; _i < board->flows; _i++)			\
		_sum += SOAK_GET(board->flow[_i].field);		\
	_sum; })

static void show(const char *key, uint64_t value)
{
	printf("%s=%" PRIu64 " ", key, value);
}

static uint64_t total_of(size_t kinds, bool is_refused)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < kinds; k++)
		sum += is_refused ? TOTAL(refused[k]) : TOTAL(ended[k]);
	return sum;
}

static void judge(void)
{
	struct verdict v = { 0 };
	uint64_t unfit = 0;

	for (uint32_t i = 0; i < board->flows; i++) {
		judge_flow(&v, i);
		unfit += !sums_fit(i);
	}
	show("ended", total_of(KINDS, false));
	show("succeeded", total_of(NUMBERED, false));
	show("came", v.read);
	show("lost", v.lost);
	show("twice", TOTAL(twice) + TOTAL(tickets));
	show("changed", TOTAL(changed) + TOTAL(altered));
	show("late", TOTAL(late));
	show("under_way", v.under_way);
	show("open_tx", v.open_tx);
	show("open_rx", v.open_rx);
	show("worst", v.worst);
	show("refused", total_of(KINDS, true));
	show("unread", v.unread);
	show("wrong", TOTAL(wrong));
	show("unfit", unfit);
	show("broken", TOTAL(broken));
	show("flushed", TOTAL(is_flushed));
	show("left", TOTAL(has_left));
	show("bytes", TOTAL(bytes));
	for (int k = 0; k < KINDS; k++)
		show(soak_kinds[k], TOTAL(ended[k]));
	printf("\n");
}

/* ----------------------------------------------------------------- commands */

/* Print how many operations have ended, and whether enough did. */
static int wait_for(uint64_t more, long msec)
{
	struct timespec nap = { .tv_nsec = 20000000 };
	uint64_t begin = total_of(KINDS, false), now = begin;

	for (; now < begin + more && msec > 0; msec -= 20) {
		nanosleep(&nap, NULL);
		now = total_of(KINDS, false);
	}
	printf("%" PRIu64 "\n", now);
	return now >= begin + more ? 0 : 1;
}

/* The faults of all flows, in words. */
static void show_faults(void)
{
	for (uint32_t i = 0; i < board->flows; i++)
		if (board->flow[i].fault[0])
			printf("flow %u: %s\n", i, board->flow[i].fault);
}

/* The other end must see the kill count before the kill. */
static int kill_end(const char *end, uint32_t flow)
{
	struct soak_flow *f = &board->flow[flow];
	bool is_receiver = !strcmp(end, "recv");

	if (is_receiver)
		SOAK_SET(f->is_away, true);
	else
		SOAK_ADD(f->tx_kills, 1);
	return kill(is_receiver ? f->rx_pid : f->tx_pid, SIGKILL) ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: soak_flow make|send|recv|kill|stop|quit|wait|judge|"
		"faults FILE ...\n");
	return 2;
}

static uint32_t flow_number(const char *text)
{
	uint32_t flow = strtoul(text, NULL, 0);

	if (flow >= board->flows)
		soak_die("there is no flow %u", flow);
	return flow;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return usage();
	role = argv[1];
	if (!strcmp(role, "make") && argc > 5) {
		make(argv[2], strtoul(argv[3], NULL, 0),
		     strtoul(argv[4], NULL, 0), argc - 5, argv + 5);
		return 0;
	}
	open_board(argv[2]);
	if (!strcmp(role, "send") && argc == 4)
		soak_send(flow_number(argv[3]));
	else if (!strcmp(role, "recv") && argc == 4)
		soak_receive(flow_number(argv[3]));
	else if (!strcmp(role, "kill") && argc == 5)
		return kill_end(argv[3], flow_number(argv[4]));
	else if (!strcmp(role, "stop") && argc == 3)
		SOAK_SET(board->stop, true);
	else if (!strcmp(role, "quit") && argc == 3)
		SOAK_SET(board->quit, true);
	else if (!strcmp(role, "wait") && argc == 5)
		return wait_for(strtoull(argv[3], NULL, 0), atol(argv[4]));
	else if (!strcmp(role, "judge") && argc == 3)
		judge();
	else if (!strcmp(role, "faults") && argc == 3)
		show_faults();
	else
		return usage();
	return 0;
}
