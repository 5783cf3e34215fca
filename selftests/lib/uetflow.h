/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traffic between the nodes of a pair: a sender and a receiver, processes of their own
 * that may be killed at any time and be replaced.  The counts of sent and received
 * messages are in memory that the processes share with the test, so that the counts
 * outlive the processes: a message that comes twice, damaged or not at all is found,
 * whoever read it.  Level: test.
 */
#ifndef UET_SELFTESTS_UETFLOW_H
#define UET_SELFTESTS_UETFLOW_H

#include <sys/mman.h>

#include "uetpair.h"
#include "uetsock.h"

#define FLOW_RX_PID	5
#define FLOW_TX_PID	6
#define FLOW_MESSAGES	(1u << 20)
#define FLOW_LONGEST	70000

/**
 * struct flow_tally - what sender, receiver and test share
 * @next: sender: index of the next message
 * @tx_error: sender: errno it ended with; the test resets it for the next one
 * @is_flushed: sender: everything was answered
 * @stop: test: the sender shall end in order
 * @received: receiver: messages as they should be
 * @doubled: receiver: how many of them had come before
 * @damaged: receiver: messages that are not what was sent
 * @rx_error: receiver: errno of a call that should not have failed
 * @is_bound: receiver: messages may come
 * @quit: test: the receiver shall end when nothing is left to read
 * @is_resizing: test: the receiver shall change SO_RCVBUF all the time
 * @seen: receiver: a bit for each index
 */
struct flow_tally {
	uint32_t next;
	int tx_error;
	bool is_flushed, stop;
	uint32_t received, doubled, damaged;
	int rx_error;
	bool is_bound, quit, is_resizing;
	uint8_t seen[FLOW_MESSAGES / 8];
};

#define FLOW_GET(p, field) \
	__atomic_load_n(&(p)->tally->field, __ATOMIC_ACQUIRE)
#define FLOW_SET(t, field, v) \
	__atomic_store_n(&(t)->field, v, __ATOMIC_RELEASE)

/*
 * How often something is done: $UET_CHURN_LOOPS, or if it takes long one in
 * @share of them, but @least, which is also how often without the variable.
 */
static inline int flow_loops(int share, int least)
{
	const char *setting = getenv("UET_CHURN_LOOPS");
	int wanted = setting ? atoi(setting) : 0;

	if (wanted <= 0)
		return least;
	if (wanted / share >= least)
		return wanted / share;
	return wanted < least ? wanted : least;
}

/* In front of each message; the rest follows from the index. */
struct flow_head {
	uint32_t index;
	uint32_t length;
};

static inline struct sockaddr_uet flow_addr(int n, int pid)
{
	return (struct sockaddr_uet) {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = 1, .suet_pid = pid, .suet_ri = 1,
		.suet_fa4 = pair_fa(n) };
}

/* Bound; a call that takes so long that it hangs ends with EAGAIN. */
static inline int flow_socket(struct pair *p, int n, int pid)
{
	struct sockaddr_uet self = flow_addr(n, pid);
	int msec = HARNESS_SECONDS * harness_scale() * 1000, fd;

	ASSERT_SYS(setns(p->node[n].ns, CLONE_NEWNET));
	/* The namespace shall live no longer for this process than for others. */
	for (int i = 0; i < 2; i++)
		pair_drop_node(&p->node[i]);
	fd = us_socket();
	us_set_timeout(fd, SO_SNDTIMEO, msec);
	us_set_buf(fd, SO_SNDBUF, 4 * FLOW_LONGEST);
	ASSERT_SYS(us_bind(fd, &self));
	return fd;
}

static inline uint32_t flow_length(uint32_t index)
{
	static const uint32_t lengths[] = { 64, 4096, 20000, FLOW_LONGEST };

	return lengths[index % 4];
}

static inline void flow_send_one(struct flow_tally *t, int fd, uint32_t index)
{
	struct flow_head head = { index, flow_length(index) };
	uint8_t *msg = us_message(index, head.length);

	memcpy(msg, &head, sizeof(head));
	if (send(fd, msg, head.length, MSG_NOSIGNAL) < 0)
		FLOW_SET(t, tx_error, errno);
	free(msg);
}

static inline void flow_sender(struct pair *p)
{
	struct sockaddr_uet to = flow_addr(1, FLOW_RX_PID);
	int fd = flow_socket(p, 0, FLOW_TX_PID);
	struct flow_tally *t = p->tally;

	ASSERT_SYS(us_connect(fd, &to));
	while (!FLOW_GET(p, stop) && !FLOW_GET(p, tx_error)) {
		/* Taken before it is used: the next sender has another one. */
		uint32_t index = FLOW_GET(p, next);

		ASSERT(index < FLOW_MESSAGES);
		FLOW_SET(t, next, index + 1);
		flow_send_one(t, fd, index);
	}
	if (FLOW_GET(p, tx_error))
		return;
	if (shutdown(fd, SHUT_WR))
		FLOW_SET(t, tx_error, errno);
	else
		FLOW_SET(t, is_flushed, true);
}

static inline void flow_check(struct flow_tally *t, uint8_t *msg, size_t len)
{
	struct flow_head head;
	uint8_t bit;

	memcpy(&head, msg, sizeof(head));
	if (len < sizeof(head) || head.length != len ||
	    head.index >= FLOW_MESSAGES || len != flow_length(head.index) ||
	    !us_matches(msg + sizeof(head), head.index, sizeof(head),
			len - sizeof(head))) {
		FLOW_SET(t, damaged, t->damaged + 1);
		return;
	}
	bit = 1u << head.index % 8;
	if (t->seen[head.index / 8] & bit)
		FLOW_SET(t, doubled, t->doubled + 1);
	t->seen[head.index / 8] |= bit;
	FLOW_SET(t, received, t->received + 1);
}

/*
 * A message longer than the buffer may come in pieces, @have is what came of it.
 * Return: there may be more to read.
 */
static inline bool flow_receive(struct flow_tally *t, int fd, uint8_t *msg,
				size_t *have)
{
	struct iovec iov = { msg + *have, FLOW_LONGEST + 1 - *have };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t len = recvmsg(fd, &mh, 0);

	if (len < 0 && errno == EAGAIN)
		return *have;
	if (len < 0) {
		FLOW_SET(t, rx_error, errno);
		*have = 0;
		return false;
	}
	*have += len;
	if (mh.msg_flags & MSG_EOR) {
		flow_check(t, msg, *have);
		*have = 0;
	}
	return true;
}

static inline void flow_receiver(struct pair *p)
{
	static const int sizes[] = { 8 << 20, 4096, 100000, 30000 };
	int fd = flow_socket(p, 1, FLOW_RX_PID);
	uint8_t *msg = us_alloc(FLOW_LONGEST + 1);
	struct flow_tally *t = p->tally;
	bool is_last, is_more;
	size_t have = 0;

	/* Only to look whether it shall end. */
	us_set_timeout(fd, SO_RCVTIMEO, 100);
	FLOW_SET(t, is_bound, true);
	do {
		if (FLOW_GET(p, is_resizing))
			us_set_buf(fd, SO_RCVBUF, sizes[t->received % 4]);
		/* Messages answered before this can be read after it. */
		is_last = FLOW_GET(p, quit);
		is_more = flow_receive(t, fd, msg, &have);
	} while (is_more || !is_last);
}

static inline void flow_start_receiver(struct pair *p)
{
	FLOW_SET(p->tally, is_bound, false);
	FLOW_SET(p->tally, quit, false);
	p->rx = CHILD(flow_receiver(p));
	if (!WAIT_FOR(FLOW_GET(p, is_bound)))
		exit(1);
}

static inline void flow_start_sender(struct pair *p)
{
	FLOW_SET(p->tally, tx_error, 0);
	FLOW_SET(p->tally, stop, false);
	FLOW_SET(p->tally, is_flushed, false);
	p->tx = CHILD(flow_sender(p));
}

/* Traffic goes on at least until so many messages have arrived. */
static inline void flow_reaches(struct pair *p, uint32_t messages)
{
	if (WAIT_FOR(FLOW_GET(p, received) >= messages))
		return;
	HARNESS_NOTE("%u sent, %u received, sender %d, receiver %d",
		     FLOW_GET(p, next), FLOW_GET(p, received),
		     FLOW_GET(p, tx_error), FLOW_GET(p, rx_error));
	exit(1);
}

/* @more messages arrive from now on: traffic flows. */
static inline void flow_goes_on(struct pair *p, uint32_t more)
{
	flow_reaches(p, FLOW_GET(p, received) + more);
}

/*
 * No message arrives any more: time-outs pass and none came between them.  Messages in
 * flight when the traffic was stopped may come first.
 */
static inline void flow_stops(struct pair *p)
{
	uint32_t received;
	uint64_t late;

	do {
		received = FLOW_GET(p, received);
		late = pair_counter(p, 0, "rto") + 3;
		if (!WAIT_FOR(pair_counter(p, 0, "rto") >= late))
			exit(1);
	} while (FLOW_GET(p, received) != received);
}

static inline void flow_start(struct pair *p, uint32_t messages)
{
	flow_start_receiver(p);
	flow_start_sender(p);
	flow_goes_on(p, messages);
}

static inline void flow_kill(pid_t *pid)
{
	if (!*pid)
		return;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

/* These facts hold for every traffic, however it ended. */
static inline void flow_expect_sane(struct pair *p)
{
	EXPECT_EQ(FLOW_GET(p, doubled), 0);
	EXPECT_EQ(FLOW_GET(p, damaged), 0);
	EXPECT_EQ(FLOW_GET(p, rx_error), 0);
}

/* The sender ends in order and the receiver after it has everything. */
static inline void flow_finish(struct pair *p)
{
	FLOW_SET(p->tally, stop, true);
	harness_join(p->tx);
	EXPECT_EQ(FLOW_GET(p, tx_error), 0);
	EXPECT(FLOW_GET(p, is_flushed));
	FLOW_SET(p->tally, quit, true);
	harness_join(p->rx);
	p->tx = 0;
	p->rx = 0;
	flow_expect_sane(p);
}

/* Nothing was killed: what was sent is what was received. */
static inline void flow_expect_all(struct pair *p)
{
	EXPECT_EQ(FLOW_GET(p, received), FLOW_GET(p, next));
}

/* A pair without traffic yet. */
static inline void pair_make(struct pair *p, enum pair_end end)
{
	pair_make_nodes(p, end);
	p->tally = mmap(NULL, sizeof(*p->tally), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT(p->tally != MAP_FAILED);
}

static inline void pair_unmap(struct pair *p)
{
	munmap(p->tally, sizeof(*p->tally));
}

static inline void pair_drop(struct pair *p)
{
	for (int n = 0; n < 2; n++)
		pair_drop_node(&p->node[n]);
	pair_unmap(p);
}

#endif
