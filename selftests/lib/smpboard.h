/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The board of smp_ops: memory that the two ends of each flow share.  An operation has a
 * number in its flow.  Its length and its bytes follow from flow, kind and number, so each
 * end can compute them.  The sender notes the outcome of each operation and the receiver
 * counts how often it came; the judge compares the two.  Level: test.
 *
 * Is an operation lost?  It has succeeded and has not come, although the same socket was
 * there to receive it from its beginning to its completion.  The receiver makes its life
 * number even before it reads for the last time, and odd when the next socket is ready.
 * The completion of an operation that began and ended in one odd life was sent before that
 * last reading, which must have found it.  All other operations may have come or not.
 */
#ifndef UET_SELFTESTS_SMPBOARD_H
#define UET_SELFTESTS_SMPBOARD_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "uet_cq.h"
#include "uetarg.h"

#define BOARD_FLOWS	16
#define BOARD_OPS	(1u << 18)	/* of a flow, at most */
#define BOARD_ISSUERS	2		/* threads of a sender that begin operations */
#define BOARD_LIVES	16		/* of a sender, that a label tells apart */
#define BOARD_NOTIFY	256		/* places of writes that are announced */
#define BOARD_COUNTERS	512		/* a page */
#define BOARD_LONGEST	(128u << 10)

#define SLOTS		16		/* operations of a sender under way */
#define RING		256
#define PLACE		32768		/* bytes of a write */
#define SHARES		16		/* memory for writes of each life of a sender */
#define RUDI_PLACES	64
#define RUDI_PLACE	8192
#define NOTIFY_PLACE	4096
#define DGRAM_LONGEST	1000

enum tag { TAG_SMALL = 1, TAG_MULTI, TAG_BIG };

enum kind {
	K_SEND, K_NOTIFY, K_TAGGED, K_MULTI, K_DEFER, K_MEET,	/* the receiver sees them */
	K_WRITE, K_RUDI, K_ADD, K_FETCH, K_NO_OP,
	KINDS,
	SEEN_KINDS = K_WRITE,
	K_READ = KINDS,		/* the second part of K_WRITE and K_RUDI */
};

static const char *const kind_names[KINDS] = {
	"send", "notify", "tagged", "multi", "deferrable", "rendezvous", "write", "rudi",
	"add", "fetch", "no-op",
};

enum counter { C_ADDS, C_SUM, C_FETCHES };

/* Straddled: succeeded, but the receiver has changed its socket meanwhile. */
enum outcome { NOT_BEGUN, UNKNOWN, STRADDLED, SUCCEEDED };

/**
 * struct flow - a sender and a receiver
 * @fa: of both
 * @job: of both
 * @pid: PIDonFEP of the receiver
 * @type: of the sockets
 * @churn: both replace their sockets again and again
 * @ring: completions and half of the operations go through rings
 * @poll: a thread polls the submission ring
 * @wild: its FEP comes and goes, so that any operation may fail
 * @next: number of the next operation
 * @ended: operations that have ended
 * @tx_life, @rx_life: of the sockets
 * @is_flushed, @has_left: the ends have ended in order
 * @wrong: operations that ended with an errno that nothing explains
 * @changed: messages and reads with other bytes than were sent or written
 * @twice: values that a second fetching atomic operation returned
 * @late: ordered messages that came behind later ones
 * @closed: sockets closed with operations under way
 * @writes, @fetches, @reads: of struct uet_mr_counts, summed up
 * @notify: places of announced writes that are in use
 * @counter: what atomic operations change
 * @fault: the first thing that must not be, in words
 * @outcome, @kind, @came, @ticket: of each operation
 */
struct flow {
	char fa[2][16];
	int job, pid, type;
	bool churn, ring, poll, wild;
	uint32_t next, ended, tx_life, rx_life;
	bool is_flushed, has_left;
	uint32_t wrong, changed, twice, late, closed;
	uint64_t writes, fetches, reads;
	bool notify[BOARD_NOTIFY];
	uint64_t counter[BOARD_COUNTERS] __attribute__((aligned(4096)));
	char fault[240];
	uint8_t outcome[BOARD_OPS], kind[BOARD_OPS], came[BOARD_OPS], ticket[BOARD_OPS];
};

struct board {
	uint32_t seed, flows;
	bool stop, quit, leave;
	struct flow flow[BOARD_FLOWS];
};

#define GET(field)	__atomic_load_n(&(field), __ATOMIC_SEQ_CST)
#define SET(field, v)	__atomic_store_n(&(field), v, __ATOMIC_SEQ_CST)
#define ADD(field, n)	__atomic_fetch_add(&(field), n, __ATOMIC_SEQ_CST)

/* Of the process, which is one end of a flow. */
static struct board *board;
static struct flow *f;
static uint32_t this_flow;

static inline void board_open(const char *file, int flags)
{
	int fd = open(file, O_RDWR | flags, 0600);

	if (fd < 0 || (flags && ftruncate(fd, sizeof(*board))))
		err(1, "%s", file);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (board == MAP_FAILED)
		err(1, "no memory");
	close(fd);
}

/* Keep the first fault of a flow. */
#define FAULT(f, count, ...) do {						\
	if (!ADD((f)->count, 1) && !(f)->fault[0])				\
		snprintf((f)->fault, sizeof((f)->fault), __VA_ARGS__);		\
} while (0)

/* ------------------------------------------------------------ operations */

/* The completion data: which operation it is, and which thread of which life began it. */
union label {
	uint64_t value;
	struct {
		uint32_t number : 24, place : 8;
		uint8_t kind, flow, life, issuer;
	};
};

static inline uint64_t op_key(uint32_t flow, uint32_t number)
{
	return flow * 0xbf58476d1ce4e5b9u + (number + 1) * 0x94d049bb133111ebu;
}

static inline uint32_t op_length(uint32_t flow, uint32_t number, enum kind kind)
{
	static const uint32_t limit[KINDS] = {
		[K_SEND] = BOARD_LONGEST, [K_NOTIFY] = 4096, [K_TAGGED] = 32768,
		[K_MULTI] = 16384, [K_DEFER] = BOARD_LONGEST, [K_MEET] = BOARD_LONGEST,
		[K_WRITE] = 32768, [K_RUDI] = 8192,
	};
	struct fuzz_rand rnd = { op_key(flow, number) | 1 };
	uint32_t most = limit[kind];

	fuzz_u32(&rnd);
	/* Most are short. */
	if (most > 8192 && !fuzz_one_in(&rnd, 4))
		most = fuzz_one_in(&rnd, 3) ? 64 : 8192;
	return most ? fuzz_below(&rnd, most + 1) : 0;
}

static inline uint64_t op_word(uint64_t key, uint32_t i)
{
	uint64_t word = (key + i) * 0x9e3779b97f4a7c15u;

	return word ^ word >> 29;
}

static inline void op_fill(uint8_t *buf, uint32_t len, uint64_t key)
{
	for (uint32_t at = 0; at < len; at += sizeof(key)) {
		uint64_t word = op_word(key, at / sizeof(key));

		memcpy(buf + at, &word, len - at < sizeof(word) ? len - at : sizeof(word));
	}
}

/* The offset of the first byte that is not as it should be, @len: none. */
static inline uint32_t op_compare(const uint8_t *buf, uint32_t len, uint64_t key)
{
	for (uint32_t at = 0; at < len; at += sizeof(key)) {
		uint64_t word = op_word(key, at / sizeof(key));
		uint32_t n = len - at < sizeof(word) ? len - at : sizeof(word);

		if (memcmp(buf + at, &word, n))
			return at;
	}
	return len;
}

/* --------------------------------------------------------------- sockets */

enum key {
	KEY_WRITE = 1, KEY_RUDI, KEY_NOTIFY, KEY_COUNTERS, KEY_POST, KEY_OUT, KEY_BACK,
};

/* Must the sockets of this flow go, so that its FEP can go? */
static inline bool must_leave(void)
{
	return f->wild && GET(board->leave);
}

static inline uint8_t *map_memory(size_t len)
{
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);

	if (mem == MAP_FAILED)
		err(1, "no memory");
	return mem;
}

/* Return: false if it cannot be, because the FEP has gone. */
static inline bool add_region(int fd, enum key key, void *mem, size_t len, uint32_t access,
			      uint32_t flags)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)mem, .length = len, .key = key, .access = access,
		.flags = UET_MR_FIXED_KEY | flags,
	};

	return !uet_ioctl(fd, UET_IOC_MR_REG, &reg);
}

static inline struct sockaddr_uet flow_address(const struct flow *f, int end)
{
	struct sockaddr_uet addr = arg_address(f->fa[end], end ? f->pid : UET_PID_ANY, !!end);

	addr.suet_job = f->job;
	return addr;
}

/* A bound socket of an end, -1: the FEP is away. */
static inline int flow_socket(const struct flow *f, int end)
{
	struct sockaddr_uet addr = flow_address(f, end), to = flow_address(f, 1);
	int fd = socket(AF_UET, f->type, 0), on = 1;

	if (fd < 0)
		err(1, "socket");
	if (!bind(fd, (void *)&addr, sizeof(addr)) &&
	    !setsockopt(fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)) &&
	    (end || !connect(fd, (void *)&to, sizeof(to))))
		return fd;
	if (!f->wild)
		err(1, "no endpoint at %s", f->fa[end]);
	close(fd);
	return -1;
}

/*
 * Threads of an end that stop at a gate while one of them replaces the socket: the one that
 * shuts it waits until all are there.
 */
struct gate {
	pthread_barrier_t barrier;
	bool is_shut;
};

static struct gate gate;
static bool is_done;

static inline void gate_pass(void)
{
	if (!GET(gate.is_shut))
		return;
	pthread_barrier_wait(&gate.barrier);
	pthread_barrier_wait(&gate.barrier);
}

static inline void gate_shut(void)
{
	SET(gate.is_shut, true);
	pthread_barrier_wait(&gate.barrier);
}

static inline void gate_open(void)
{
	SET(gate.is_shut, false);
	pthread_barrier_wait(&gate.barrier);
}

/* Run the threads of an end, the last one here. */
static inline void run(int n, void *(*const body[])(void *), void *const arg[])
{
	pthread_t thread[4];

	pthread_barrier_init(&gate.barrier, NULL, n);
	for (int i = 1; i < n; i++)
		if (pthread_create(&thread[i], NULL, body[i], arg[i]))
			err(1, "no thread");
	body[0](arg[0]);
	for (int i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
}

static inline void rest_us(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

/* One completion of the ring, or of the error queue.  Return: false if there is none. */
static inline bool take_completion(int fd, struct uet_cq *cq, struct uet_completion *rec)
{
	union {
		char bytes[CMSG_SPACE(sizeof(*rec))];
		struct cmsghdr align;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	if (cq) {
		const struct uet_completion *first = uet_cq_peek(cq);

		if (!first)
			return false;
		*rec = *first;
		uet_cq_next(cq);
		return true;
	}
	if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	memcpy(rec, CMSG_DATA(&control.align), sizeof(*rec));
	return true;
}

#endif
