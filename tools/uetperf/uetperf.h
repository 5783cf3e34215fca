/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uetperf in parts: uetperf.c starts ranks, server.c does so for clients, args.c
 * understands the command line, run.c leads one rank through sizes and transports,
 * measure.c counts and times, flow.c, lat.c and ring.c are the patterns, payload.c and
 * region.c the bytes that are moved, net_uet.c and net_tcp.c the transports,
 * interval.c, stats.c and output.c the figures.  Here is what they share.
 * Level: tool.
 */
#ifndef UETPERF_H
#define UETPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include <linux/uet.h>

/* Exit status of a wrong command line. */
#define EXIT_USAGE	2

#define RANKS_MAX	256
#define SIZES_MAX	64
#define SIZE_MAX_BYTES	(256u << 20)
#define WINDOW_MAX	8192
#define ITERATIONS_MAX	(1ull << 40)
#define PARALLEL_MAX	128
#define INTERVAL_MAX	3600
/* The command line of a client, which its servers get. */
#define WORDS_MAX	16384
/* Patterns that keep the time of each iteration keep no more of them. */
#define SAMPLES_MAX	(1u << 24)

struct bench;
struct net;

/* -------------------------------------------------------- the command line */

/**
 * struct op_kind - an operation, a row of op_kinds[]
 * @name: for --op
 * @opcode: UET_OP_*
 * @is_memory: the operation accesses memory of the target without a
 *	completion there; else it is a message
 * @access: UET_MR_* that the memory needs
 * @unit: its size is a multiple of that, bytes
 * @is_one_packet: it is no longer than a packet
 * @only: the only size it has, bytes, 0: any
 * @is_sum: it adds to values of the memory
 * @has_result: a result returns to memory of the initiator
 * @has_tag: it has match bits
 */
struct op_kind {
	const char *name;
	uint8_t opcode;
	bool is_memory;
	uint32_t access;
	uint32_t unit;
	bool is_one_packet;
	uint32_t only;
	bool is_sum, has_result, has_tag;
};

/**
 * struct pattern - a traffic pattern, a row of patterns[]
 * @name: the first word of the command line
 * @text: for the usage
 * @sends: does rank @from send to rank @to?  NULL: not a matter of flows
 * @run: so many iterations of it, on each rank; 0, or -1 and it was said why
 * @ranks_min: ranks it takes, at least
 * @ranks_max: at most
 * @is_paired: it takes an even number of ranks
 * @is_sampled: the time of each iteration is kept
 * @is_ring: over messages only, 8 bytes for each rank at least
 * @size: default size, bytes
 * @window: default window, of short messages
 * @iterations: default iterations; 0: so many that some MiB are moved
 */
struct pattern {
	const char *name, *text;
	bool (*sends)(int from, int to);
	int (*run)(struct bench *b, uint64_t iterations);
	int ranks_min, ranks_max;
	bool is_paired, is_sampled, is_ring;
	uint32_t size, window;
	uint64_t iterations;
};

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/**
 * struct moved - what a rank has moved so far, for other processes
 * @sent: bytes of operations begun
 * @received: bytes of messages that came
 * @messages: operations begun
 */
struct moved {
	uint64_t sent, received, messages;
};

/**
 * struct options - the command line
 * @pattern: what to do
 * @op: operation
 * @rank: of this process, -1: the ranks in @is_here are started here
 * @ranks: how many
 * @places: ranks without parallel streams: @ranks / @parallel; rank i is at the place
 *	numbered i modulo @places
 * @parallel: streams between two places
 * @is_here: ranks that are started here
 * @is_server: serve clients
 * @is_client: the servers at the other addresses start their ranks
 * @is_served: started by a server
 * @words: command line of a client, each word with its zero
 * @words_len: bytes of it
 * @moved: by rank, shared by those that are started here; NULL: nobody asks
 * @fas: fabric addresses, place i has the one numbered i modulo @nr_fas
 * @nr_fas: how many
 * @job: JobID
 * @job_fd: descriptor of the job, -1: none
 * @pid: PIDonFEP of rank 0; rank i has that plus i
 * @ri: Resource Index of messages; that of control messages is one more
 * @port: TCP port of rank 0, as @pid
 * @is_rod: --rod
 * @is_more: --more
 * @has_uet: UET is measured
 * @has_tcp: TCP is measured
 * @sizes: bytes
 * @nr_sizes: how many
 * @window: operations in flight to one peer, 0: by pattern and size
 * @iterations: how many, 0: see @bytes, @seconds
 * @bytes: so many bytes instead, 0: not given
 * @seconds: for so long instead, 0: not given
 * @interval: seconds between two lines about what moves, 0: none
 * @warmup: iterations that do not count; UINT64_MAX: not given
 * @timeout: seconds without progress that end it
 * @seed: of the bytes
 * @is_verified: every byte is compared
 * @has_histogram: latencies are shown as a histogram, too
 * @format: of the output
 */
struct options {
	const struct pattern *pattern;
	const struct op_kind *op;
	int rank, ranks, places, parallel;
	bool is_here[RANKS_MAX];
	bool is_server, is_client, is_served;
	char words[WORDS_MAX];
	size_t words_len;
	struct moved *moved;
	const char *fas[RANKS_MAX];
	int nr_fas;
	uint32_t job, pid, ri, port;
	int job_fd;
	bool is_rod, is_more, has_uet, has_tcp;
	uint32_t sizes[SIZES_MAX];
	int nr_sizes;
	uint32_t window;
	uint64_t iterations, bytes;
	uint32_t seconds, interval;
	uint64_t warmup;
	uint32_t timeout;
	uint64_t seed;
	bool is_verified, has_histogram;
	enum format format;
};

extern const struct op_kind op_kinds[];
extern const struct pattern patterns[];

/* args.c */
void parse_arguments(struct options *o, int argc, char **argv);
const char *fa_of(const struct options *o, int rank);

/* server.c */
int serve(const struct options *o);

/* uetperf.c */
int run_here(const struct options *o);
void warn_user(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warn_as(int rank);
uint64_t now_ns(void);

/* -------------------------------------------------------------- transports */

#define CTL_MAGIC	0x75657470u	/* "uetp" */
#define CTL_VALUES	8

/**
 * struct ctl - a control message between ranks
 * @magic: CTL_MAGIC
 * @from: rank
 * @kind: CTL_*
 * @reserved: zero
 * @value: by @kind
 *
 * Both ends are the same program, on machines of the same byte order.
 */
struct ctl {
	uint32_t magic;
	uint32_t from;
	uint32_t kind;
	uint32_t reserved;
	uint64_t value[CTL_VALUES];
};

enum {
	CTL_HELLO = 1,		/* the rank is ready; fingerprint of the options */
	CTL_READY,		/* the rank has reached the barrier */
	CTL_GO,			/* all ranks have; value[0] is rank 0's */
	CTL_KEY,		/* memory for you: key */
	CTL_RESULT,		/* struct tally */
	CTL_ALIVE,		/* no content, probes a rank that does not answer */
	CTL_FAILED,		/* from a server: it could not start the rank */
	CTL_BUSY,		/* from a server: it has another client, as text */
};

/**
 * struct post - an operation to begin
 * @to: rank
 * @head: first bytes, @head_len of them
 * @head_len: 0 if there are none
 * @data: the other bytes; must not change before post() is called again or all
 *	of them were received
 * @len: bytes of both
 * @op: which operation
 * @key: of memory
 * @offset: in memory
 * @tag: delivered to the receiver in a tagged phase, or by an operation with a tag
 * @back_key: of own memory, for what comes back
 * @back_offset: in that
 * @back_len: bytes that come back, 0: none
 * @has_more: another one to the same rank follows at once
 */
struct post {
	int to;
	const void *head;
	size_t head_len;
	const void *data;
	size_t len;
	const struct op_kind *op;
	uint64_t key, offset, tag;
	uint64_t back_key, back_offset, back_len;
	bool has_more;
};

/**
 * struct arrival - a message that came
 * @from: rank; where the caller has to say it, whose message it waits for
 * @want: length that the caller expects, bytes
 * @len: length of the message, bytes
 * @data: the message, until the next is received
 * @tag: of the message
 * @has_tag: it is known; without, messages come in order
 */
struct arrival {
	int from;
	size_t want, len;
	const void *data;
	uint64_t tag;
	bool has_tag;
};

/**
 * struct phase - properties of the traffic until the next phase begins
 * @is_counted: each operation has a completion
 * @is_tagged: messages have tags
 * @is_matched: messages are tagged sends, whose match bits are the tags
 * @window: operations in flight to one peer
 * @expected: messages that come from each rank that sends to this one
 */
struct phase {
	bool is_counted, is_tagged, is_matched;
	uint32_t window;
	uint64_t expected;
};

/**
 * struct net_ops - a transport
 * @name: in the output
 * @has_memory: operations on memory; without, all are messages
 * @open: endpoint of this rank, with space for messages of so many bytes; it
 *	returns when all ranks have theirs.  NULL after printing the reason
 * @close: end it, when everything sent was received
 * @ctl_send: control message, waits for space
 * @ctl_recv: receive the next control message of a rank
 * @begin: a phase
 * @post: 0: begun; 1: not now, wait() says when
 * @recv: 1: there is a message; 0: there is none, if it must not wait
 * @reap: take completions: net.done
 * @wait: until something may have changed
 * @reg: register memory of the process, return its key
 * @dereg: end that
 * @retransmissions: returns how many there were so far, and whose the number is: 0: of
 *	this rank, else of all ranks that return the same
 *
 * Functions that return int return -1 on failure, after printing the reason.
 */
struct net_ops {
	const char *name;
	bool has_memory;
	struct net *(*open)(const struct options *o, size_t space);
	void (*close)(struct net *net);
	int (*ctl_send)(struct net *net, int to, const struct ctl *ctl);
	int (*ctl_recv)(struct net *net, int from, struct ctl *ctl);
	int (*begin)(struct net *net, const struct phase *phase);
	int (*post)(struct net *net, const struct post *post);
	int (*recv)(struct net *net, struct arrival *a, bool may_wait);
	int (*reap)(struct net *net);
	int (*wait)(struct net *net);
	int (*reg)(struct net *net, void *addr, size_t len, uint32_t access,
		   uint64_t *key);
	int (*dereg)(struct net *net, uint64_t key);
	uint64_t (*retransmissions)(struct net *net, uint64_t *whose);
};

/**
 * struct net - the endpoint of a rank in a transport
 * @ops: which
 * @o: command line
 * @done: operations completed in this phase, by peer
 * @packet: longest message of one packet, bytes, UINT32_MAX if irrelevant
 */
struct net {
	const struct net_ops *ops;
	const struct options *o;
	uint64_t done[RANKS_MAX];
	uint32_t packet;
};

extern const struct net_ops net_uet, net_tcp;

/* ------------------------------------------------------------- measurement */

/**
 * struct tally - totals of a rank over the measured iterations
 * @ns: time it took
 * @bytes: payload sent
 * @messages: operations begun
 * @verified: bytes compared, of what it received
 * @received: bytes of messages that came
 * @retransmissions: meanwhile
 * @whose: the ranks that they belong to, see struct net_ops
 */
struct tally {
	uint64_t ns, bytes, messages, verified, received;
	uint64_t retransmissions, whose;
};

/**
 * struct interval - what the ranks of this process have moved in some seconds
 * @from_ns: since the start of the measurement
 * @to_ns: the same
 * @moved: meanwhile
 * @retransmissions: meanwhile
 */
struct interval {
	uint64_t from_ns, to_ns;
	struct moved moved;
	uint64_t retransmissions;
};

/**
 * struct intervals - all of a measurement
 * @list: of them
 * @nr: how many
 */
struct intervals {
	struct interval *list;
	size_t nr;
};

/**
 * struct region - memory for operations of the others on this rank
 * @base: each rank has @slots of the size for itself
 * @len: bytes
 * @slots: places that operations of one rank take in turn
 * @back: memory for results, laid out as @base, by the rank that they come from
 * @key: of this rank's
 * @back_key: of @back
 * @peers: keys of the others', by rank
 * @executed: operations that each of the others has done on it
 */
struct region {
	char *base;
	size_t len;
	uint64_t slots;
	char *back;
	uint64_t key, back_key;
	uint64_t peers[RANKS_MAX];
	uint64_t executed;
};

/**
 * struct bench - measuring one size over one transport
 * @o: command line
 * @net: transport
 * @op: operation, a message if the transport knows nothing else
 * @size: bytes
 * @window: operations in flight to one peer
 * @iterations: measured ones
 * @payload: bytes to send, see payload.c
 * @region: see region.c
 * @mine: of this rank
 * @samples: time of each iteration, ns, if the pattern keeps them
 * @nr_samples: how many
 * @samples_size: for how many there is space
 * @idle_ns: how long the CPUs of this machine had nothing to do
 * @is_measured: not warming up
 * @intervals: of rank 0
 * @progress: of the progress line, see stats.c
 */
struct bench {
	const struct options *o;
	struct net *net;
	const struct op_kind *op;
	uint32_t size, window;
	uint64_t iterations;
	char *payload;
	struct region region;
	struct tally mine;
	uint64_t *samples;
	uint64_t nr_samples, samples_size;
	uint64_t idle_ns;
	bool is_measured;
	struct intervals intervals;
	uint64_t progress;
};

/**
 * struct latency - of sorted samples, ns
 * @min: the shortest
 * @mean: of all
 * @p50: half of them are shorter or as long; the others accordingly
 * @max: the longest
 */
struct latency {
	uint64_t min, mean, p50, p90, p99, p999, max;
};

/**
 * struct row - one line of the output
 * @transport: name
 * @op: name
 * @size: bytes
 * @window: operations in flight to one peer
 * @iterations: of each flow
 * @total: of all ranks: sums, and the longest time
 * @tallies: of each rank
 * @intervals: of the ranks of rank 0's process
 * @idle_ns: of all CPUs of rank 0's machine together
 * @rate: bits in a second
 * @mps: messages in a second
 * @latency: if the pattern has samples
 * @ratio: this row's figure in units of TCP's, 0 if there is none
 * @samples: sorted, rank 0's
 * @nr_samples: how many
 */
struct row {
	const char *transport, *op;
	uint32_t size, window;
	uint64_t iterations;
	struct tally total;
	struct tally *tallies;
	struct intervals intervals;
	uint64_t idle_ns;
	double rate, mps;
	struct latency latency;
	double ratio;
	uint64_t *samples;
	uint64_t nr_samples;
};

/* run.c */
int run_rank(const struct options *o);
int barrier(struct net *net, uint64_t *value);
int ctl_expect(struct net *net, int from, uint32_t kind, struct ctl *ctl);

/* measure.c */
int calibrate(struct bench *b);
int measure(struct bench *b);

/* interval.c */
int moved_share(struct options *o);
void moved_show(const struct bench *b);
int intervals_begin(struct bench *b);
void intervals_end(struct bench *b);

/* flow.c */
bool is_paired(int from, int to);
bool is_forth(int from, int to);
bool is_to_zero(int from, int to);
bool is_to_all(int from, int to);
int run_flows(struct bench *b, uint64_t iterations);

/* lat.c */
int run_latency(struct bench *b, uint64_t iterations);

/* ring.c */
int run_allreduce(struct bench *b, uint64_t iterations);
int run_allgather(struct bench *b, uint64_t iterations);
int run_reducescatter(struct bench *b, uint64_t iterations);

/* payload.c */
#define PAYLOAD_HEAD	16
int payload_make(struct bench *b);
void payload_fill(const struct bench *b, struct post *post, char *head,
		  uint64_t seq);
bool payload_is_right(const struct bench *b, const char *data, int from,
		      uint64_t seq);
int payload_seq(const struct bench *b, const char *data, int from,
		uint64_t *seq);

/* region.c */
int region_open(struct bench *b);
int region_close(struct bench *b);
void region_place(const struct bench *b, struct post *post, uint64_t seq);
int region_check(struct bench *b, uint64_t first, uint64_t count);

/* stats.c */
void sample(struct bench *b, uint64_t ns);
void latency_of(struct row *row);
uint64_t idle_ns(void);
int bucket_of(uint64_t ns);
uint64_t bucket_start(int bucket);
void progress(struct bench *b, uint64_t done);
void progress_end(void);

/* output.c */
void output_begin(const struct options *o);
void output_interval(const struct bench *b, const struct interval *i);
void output_rows(const struct options *o, struct row *rows, int nr);
void output_end(const struct options *o);

#endif
