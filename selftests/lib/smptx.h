/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending end of a flow of smp_ops: two threads begin operations, one takes their
 * completions and notes their outcomes, one may poll the submission ring.  Level: test.
 */
#ifndef UET_SELFTESTS_SMPTX_H
#define UET_SELFTESTS_SMPTX_H

#include <inttypes.h>
#include <semaphore.h>

#include "smpboard.h"
#include "uet_sq.h"
#include "uetcmsg.h"

enum state { FREE, READY, FLYING, WRITTEN, READING };

/**
 * struct slot - an operation under way
 * @state: of it; issuers change FREE, READY and WRITTEN, the others who takes completions
 * @kind: which
 * @place: of a write
 * @number: in its flow
 * @len: bytes
 * @rx_life: of the receiver when it began
 * @issuer: thread that began it
 */
struct slot {
	enum state state;
	enum kind kind;
	uint32_t place, number, len, rx_life, issuer;
};

/* An operation with all that goes with it. */
struct request {
	struct uet_op op;
	bool has_tag, has_hdata, has_rma, has_local, has_atomic, zerocopy;
	uint64_t tag, hdata;
	struct uet_rma rma;
	struct uet_local local;
	struct uet_atomic atomic;
	const uint8_t *buf;
	size_t len;
};

static struct {
	int fd;
	struct uet_cq cq;
	struct uet_sq sq;
	uint8_t *out, *back;
	struct slot slot[SLOTS];
	struct fuzz_rand rnd[BOARD_ISSUERS];
	uint32_t share, rudi, last, limit;
	bool is_broken;
	sem_t news[BOARD_ISSUERS];
} tx = { .fd = -1 };

/* Return: 0, or an errno. */
static inline int issue_call(const struct request *r)
{
	union {
		char bytes[320];
		struct cmsghdr align;
	} control;
	struct iovec iov = { (void *)r->buf, r->len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control };

	add_cmsg(&msg, UET_CMSG_OP, &r->op, sizeof(r->op));
	if (r->has_tag)
		add_cmsg(&msg, UET_CMSG_TAG, &r->tag, sizeof(r->tag));
	if (r->has_hdata)
		add_cmsg(&msg, UET_CMSG_HDATA, &r->hdata, sizeof(r->hdata));
	if (r->has_rma)
		add_cmsg(&msg, UET_CMSG_RMA, &r->rma, sizeof(r->rma));
	if (r->has_local)
		add_cmsg(&msg, UET_CMSG_LOCAL, &r->local, sizeof(r->local));
	if (r->has_atomic)
		add_cmsg(&msg, UET_CMSG_ATOMIC, &r->atomic, sizeof(r->atomic));
	if (sendmsg(tx.fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL |
		    (r->zerocopy ? MSG_ZEROCOPY : 0)) < 0)
		return errno;
	return 0;
}

/* Entries without space stay in the ring. */
static inline void submit(void)
{
	if (uet_sq_submit(&tx.sq) >= 0 || errno == EAGAIN)
		return;
	if (!f->wild)
		FAULT(f, wrong, "submission fails: %s", strerror(errno));
	SET(tx.is_broken, true);
}

static inline int issue_ring(const struct request *r)
{
	struct uet_sq_entry *entry = uet_sq_next(&tx.sq);

	if (!entry)
		return EAGAIN;
	entry->kind = UET_SQ_OP;
	entry->flags = (r->has_hdata ? UET_SQ_HDATA : 0) | (r->zerocopy ? UET_SQ_ZEROCOPY : 0);
	entry->send.op = r->op;
	entry->send.tag = r->tag;
	entry->send.header_data = r->hdata;
	entry->send.addr = (uintptr_t)r->buf;
	entry->send.length = r->len;
	entry->send.memory.rma = r->rma;
	entry->send.memory.local = r->local;
	entry->send.memory.atomic = r->atomic;
	uet_sq_push(&tx.sq);
	submit();
	return 0;
}

static inline uint8_t *slot_out(const struct slot *s)
{
	return tx.out + (s - tx.slot) * BOARD_LONGEST;
}

static inline uint64_t slot_back(const struct slot *s)
{
	return (s - tx.slot) * PLACE;
}

static inline void make_message(struct request *r, struct slot *s, struct fuzz_rand *rnd)
{
	static const uint8_t tags[SEEN_KINDS] = {
		[K_TAGGED] = TAG_SMALL, [K_MULTI] = TAG_MULTI, [K_DEFER] = TAG_BIG,
		[K_MEET] = TAG_BIG,
	};
	union label label = {
		.number = s->number, .place = s->place, .kind = s->kind, .flow = this_flow,
		.life = f->tx_life % BOARD_LIVES, .issuer = s->issuer,
	};

	r->has_hdata = true;
	r->hdata = label.value;
	r->has_tag = tags[s->kind];
	r->tag = tags[s->kind];
	if (s->kind == K_MEET) {
		r->has_local = true;
		r->local = (struct uet_local){ KEY_OUT, slot_out(s) - tx.out, s->len };
		r->len = fuzz_below(rnd, s->len + 1);
	} else if (s->kind == K_NOTIFY) {
		r->has_rma = true;
		r->rma = (struct uet_rma){ KEY_NOTIFY, s->place * NOTIFY_PLACE };
	}
}

static inline void make_atomic(struct request *r, const struct slot *s)
{
	uint64_t *operand = (void *)slot_out(s);
	bool is_fetch = s->kind == K_FETCH;

	operand[0] = 1;
	operand[1] = s->number;
	r->has_rma = r->has_atomic = true;
	r->rma = (struct uet_rma){ KEY_COUNTERS, (is_fetch ? C_FETCHES : C_ADDS) * 8 };
	r->atomic = (struct uet_atomic){ .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	if (is_fetch) {
		r->has_local = true;
		r->local = (struct uet_local){ KEY_BACK, slot_back(s), 8 };
	}
}

/* A write, or the read of what it has written. */
static inline void make_rma(struct request *r, const struct slot *s, bool is_read)
{
	bool is_rudi = s->kind == K_RUDI;

	r->has_rma = true;
	r->rma = (struct uet_rma){ KEY_WRITE, s->place * PLACE };
	if (is_rudi) {
		r->op.flags |= UET_OP_RUDI;
		r->rma = (struct uet_rma){ KEY_RUDI | UET_MR_KEY_IDEMPOTENT_SAFE,
					   s->place * RUDI_PLACE };
	}
	if (!is_read)
		return;
	r->op.opcode = UET_OP_READ;
	r->has_local = true;
	r->local = (struct uet_local){ KEY_BACK, slot_back(s), s->len };
	r->len = 0;
	memset(tx.back + slot_back(s), 0xa5, s->len);
}

/* Return: 0, or an errno. */
static inline int issue(struct slot *s, bool is_read, struct fuzz_rand *rnd)
{
	static const uint8_t opcodes[KINDS] = {
		UET_OP_SEND, UET_OP_WRITE, UET_OP_TAGGED_SEND, UET_OP_TAGGED_SEND,
		UET_OP_DEFERRABLE_TSEND, UET_OP_RENDEZVOUS_TSEND, UET_OP_WRITE, UET_OP_WRITE,
		UET_OP_ATOMIC, UET_OP_FETCHING_ATOMIC, UET_OP_NO_OP,
	};
	struct request r = {
		.op = { .cookie = s - tx.slot, .opcode = opcodes[s->kind],
			.flags = UET_OP_COMPLETE },
		.buf = slot_out(s), .len = s->len, .zerocopy = fuzz_one_in(rnd, 2),
	};

	if (s->kind < SEEN_KINDS)
		make_message(&r, s, rnd);
	else if (s->kind == K_WRITE || s->kind == K_RUDI)
		make_rma(&r, s, is_read);
	else if (s->kind != K_NO_OP)
		make_atomic(&r, s);
	return f->ring && !s->issuer ? issue_ring(&r) : issue_call(&r);
}

/* A place for a write that is announced, -1: all are in use. */
static inline int take_notify(struct fuzz_rand *rnd)
{
	uint32_t first = fuzz_u32(rnd);

	for (int i = 0; i < BOARD_NOTIFY; i++) {
		int place = (first + i) % BOARD_NOTIFY;

		if (!__atomic_exchange_n(&f->notify[place], true, __ATOMIC_SEQ_CST))
			return place;
	}
	return -1;
}

/* Choose an operation.  Return: false if none shall begin now. */
static inline bool choose(struct slot *s, uint32_t issuer)
{
	struct fuzz_rand *rnd = &tx.rnd[issuer];
	int place;

	s->rx_life = GET(f->rx_life);
	if (GET(board->stop) || GET(tx.is_broken) ||
	    (!(s->rx_life & 1) && !fuzz_one_in(rnd, 64)))
		return false;
	s->number = ADD(f->next, 1);
	if (s->number >= BOARD_OPS) {
		SET(f->next, BOARD_OPS);
		return false;
	}
	s->issuer = issuer;
	s->kind = fuzz_below(rnd, KINDS);
	s->place = 0;
	if (s->kind == K_NOTIFY) {
		place = take_notify(rnd);
		if (place < 0)
			s->kind = K_WRITE;
		else
			s->place = place;
	}
	if (s->kind == K_WRITE)
		s->place = GET(tx.share) % SHARES * SLOTS + (s - tx.slot);
	else if (s->kind == K_RUDI)
		s->place = ADD(tx.rudi, 1) % RUDI_PLACES;
	f->kind[s->number] = s->kind;
	f->outcome[s->number] = UNKNOWN;
	s->len = s->kind == K_ADD ? 16 : s->kind == K_FETCH ? 8 :
		 op_length(this_flow, s->number, s->kind);
	op_fill(slot_out(s), s->len, op_key(this_flow, s->number));
	return true;
}

/* The issuer of the slot can do something. */
static inline void set_state(struct slot *s, enum state state)
{
	SET(s->state, state);
	sem_post(&tx.news[(s - tx.slot) % BOARD_ISSUERS]);
}

static inline void end(struct slot *s, enum outcome outcome)
{
	f->outcome[s->number] = outcome;
	if (outcome == UNKNOWN && s->kind == K_WRITE)
		ADD(tx.share, 1);
	ADD(f->ended, 1);
	set_state(s, FREE);
}

/* Return: false if the slot can do nothing now. */
static inline bool step(struct slot *s, uint32_t issuer)
{
	enum state state = GET(s->state);
	int error;

	if (state == FREE) {
		if (!choose(s, issuer))
			return false;
		state = READY;
	}
	if (state != READY && state != WRITTEN)
		return false;
	SET(s->state, state == READY ? FLYING : READING);
	error = issue(s, state == WRITTEN, &tx.rnd[issuer]);
	if (!error)
		return true;
	if (error == EAGAIN) {
		SET(s->state, state);
		return false;
	}
	if (!f->wild)
		FAULT(f, wrong, "%s of %u bytes cannot be issued: %s", kind_names[s->kind],
		      s->len, strerror(error));
	SET(tx.is_broken, true);
	end(s, UNKNOWN);
	return false;
}

/* Return: false if the FEP is away. */
static inline bool open_sender(void)
{
	tx.fd = flow_socket(f, 0);
	if (tx.fd < 0)
		return false;
	if (!add_region(tx.fd, KEY_OUT, tx.out, SLOTS * BOARD_LONGEST, UET_MR_READ, 0) ||
	    !add_region(tx.fd, KEY_BACK, tx.back, SLOTS * PLACE, 0, 0) ||
	    (f->ring && (uet_cq_open(&tx.cq, tx.fd, RING) ||
			 uet_sq_open(&tx.sq, tx.fd, RING)))) {
		if (!f->wild)
			err(1, "sender of flow %u", this_flow);
		close(tx.fd);
		tx.fd = -1;
		return false;
	}
	tx.last = GET(f->next);
	tx.limit = 100 + fuzz_below(&tx.rnd[0], 500);
	SET(f->tx_life, f->tx_life + 1);
	ADD(tx.share, 1);
	SET(tx.is_broken, false);
	return true;
}

/* Memory of its own for each life: messages of the last one may still be sent from theirs. */
static inline void be_born(void)
{
	tx.out = map_memory(SLOTS * BOARD_LONGEST);
	tx.back = map_memory(SLOTS * PLACE);
	while (must_leave() || !open_sender())
		rest_us(5000);
}

static inline void die(void)
{
	struct linger now = { 1, 0 };

	if (fuzz_one_in(&tx.rnd[0], 3))
		shutdown(tx.fd, SHUT_RDWR);
	else if (fuzz_one_in(&tx.rnd[0], 2))
		setsockopt(tx.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (f->ring) {
		uet_cq_close(&tx.cq);
		uet_sq_close(&tx.sq);
	}
	close(tx.fd);
	munmap(tx.out, SLOTS * BOARD_LONGEST);
	munmap(tx.back, SLOTS * PLACE);
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &tx.slot[i];

		if (s->state != FREE) {
			ADD(f->closed, 1);
			end(s, UNKNOWN);
		}
	}
}

static inline bool all_free(void)
{
	for (int i = 0; i < SLOTS; i++)
		if (GET(tx.slot[i].state) != FREE)
			return false;
	return true;
}

/* The first issuer ends the sender, or replaces its socket. */
static inline void manage_sender(void)
{
	bool is_stopped = GET(board->stop);

	if (f->ring && !GET(tx.is_broken) && uet_sq_waiting(&tx.sq))
		submit();
	if (is_stopped && all_free()) {
		SET(is_done, true);
		return;
	}
	if (!GET(tx.is_broken) && !must_leave() &&
	    (!f->churn || is_stopped || GET(f->next) - tx.last < tx.limit))
		return;
	gate_shut();
	die();
	be_born();
	gate_open();
}

/*
 * An operation that the socket did not take goes first, and no other overtakes it.  Return:
 * has anything moved?
 */
static inline bool step_all(uint32_t issuer)
{
	bool has_moved = false;
	struct slot *s;

	for (s = tx.slot + issuer; s < tx.slot + SLOTS; s += BOARD_ISSUERS)
		if (GET(s->state) == READY && !step(s, issuer))
			return false;
	for (s = tx.slot + issuer; s < tx.slot + SLOTS && !GET(tx.is_broken);
	     s += BOARD_ISSUERS) {
		has_moved |= step(s, issuer);
		if (GET(s->state) == READY)
			break;
	}
	return has_moved;
}

static inline void wait_for_news(uint32_t issuer)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 5000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	sem_timedwait(&tx.news[issuer], &until);
}

static inline void *issue_all(void *arg)
{
	uint32_t me = (uintptr_t)arg;

	while (!GET(is_done)) {
		bool has_moved;

		gate_pass();
		has_moved = step_all(me);
		if (!me)
			manage_sender();
		if (!has_moved)
			wait_for_news(me);
	}
	return NULL;
}

static inline void mark_ticket(const struct slot *s)
{
	uint64_t value;

	memcpy(&value, tx.back + slot_back(s), sizeof(value));
	if (value >= BOARD_OPS)
		FAULT(f, changed, "a fetching atomic returned %" PRIu64, value);
	else if (ADD(f->ticket[value], 1))
		FAULT(f, twice, "two fetching atomics returned %" PRIu64, value);
}

static inline void end_well(struct slot *s, bool stayed)
{
	uint32_t at;

	if (s->state == READING) {
		at = op_compare(tx.back + slot_back(s), s->len, op_key(this_flow, s->number));
		if (stayed && at < s->len)
			FAULT(f, changed, "%s %u of %u bytes: byte %u is another when read",
			      kind_names[s->kind], s->number, s->len, at);
	} else if (s->kind == K_WRITE || s->kind == K_RUDI) {
		set_state(s, WRITTEN);
		return;
	} else if (s->kind == K_FETCH) {
		mark_ticket(s);
	}
	end(s, stayed ? SUCCEEDED : STRADDLED);
}

static inline void end_badly(struct slot *s, const struct uet_completion *rec, bool stayed)
{
	bool explained = !stayed && (rec->error == ECONNREFUSED || rec->error == ECANCELED ||
				     rec->error == EFAULT);

	if (!f->wild && !explained)
		FAULT(f, wrong, "%s %u of %u bytes: %s, return code 0x%x, NACK 0x%x, "
		      "receiver %s", kind_names[s->kind], s->number, s->len,
		      strerror(rec->error), rec->rc, rec->nack_code,
		      stayed ? "stayed" : "has changed");
	end(s, UNKNOWN);
}

static inline void judge_completion(const struct uet_completion *rec)
{
	uint64_t length = 0;

	for (uint32_t i = 0; i < rec->count; i++) {
		struct slot *s = &tx.slot[(rec->cookie + i) % SLOTS];
		enum state state = GET(s->state);
		uint32_t now = GET(f->rx_life);
		bool stayed = s->rx_life == now && (now & 1);

		if (rec->cookie + i >= SLOTS || (state != FLYING && state != READING)) {
			FAULT(f, wrong, "cookie %" PRIu64 " ends twice",
			      (uint64_t)rec->cookie + i);
			continue;
		}
		length += s->len;
		if (rec->error)
			end_badly(s, rec, stayed);
		else
			end_well(s, stayed);
	}
	if (!rec->error && rec->length != length)
		FAULT(f, wrong, "%u bytes of cookie %" PRIu64 " were executed, not %" PRIu64,
		      rec->length, (uint64_t)rec->cookie, length);
}

static inline void *take_all(void *arg)
{
	struct uet_completion rec;

	(void)arg;
	while (!GET(is_done)) {
		gate_pass();
		if (GET(tx.is_broken)) {
			rest_us(1000);
			continue;
		}
		if (!take_completion(tx.fd, f->ring ? &tx.cq : NULL, &rec)) {
			poll(&(struct pollfd){ tx.fd, 0, 0 }, 1, 20);
			continue;
		}
		judge_completion(&rec);
	}
	return NULL;
}

static inline void *poll_ring(void *arg)
{
	(void)arg;
	while (!GET(is_done)) {
		gate_pass();
		if (!GET(tx.is_broken))
			uet_sq_poll(&tx.sq, 300);
		rest_us(5000);
	}
	return NULL;
}

/* Datagrams, whose label is in front: nothing is said about their arrival. */
static inline void send_datagrams(void)
{
	uint8_t buf[DGRAM_LONGEST];
	int fd = flow_socket(f, 0);

	while (!GET(board->stop) && f->next < BOARD_OPS) {
		union label label = { .number = f->next, .flow = this_flow };
		uint64_t key = op_key(this_flow, label.number);
		size_t len = sizeof(label) + key % (DGRAM_LONGEST - sizeof(label));

		memcpy(buf, &label, sizeof(label));
		op_fill(buf + sizeof(label), len - sizeof(label), key);
		f->outcome[label.number] = UNKNOWN;
		SET(f->next, label.number + 1);
		/* Without a route for a moment it fails. */
		if (send(fd, buf, len, MSG_NOSIGNAL) == (ssize_t)len)
			ADD(f->ended, 1);
		rest_us(2000);
	}
	close(fd);
}

static inline void do_send(void)
{
	if (f->type == SOCK_DGRAM) {
		send_datagrams();
	} else {
		for (int i = 0; i < BOARD_ISSUERS; i++)
			tx.rnd[i] = fuzz_rand(board->seed + this_flow * BOARD_ISSUERS + i);
		be_born();
		run(f->poll ? 4 : 3,
		    (void *(*const[])(void *)){ issue_all, issue_all, take_all, poll_ring },
		    (void *const[]){ (void *)0, (void *)1, NULL, NULL });
	}
	SET(f->is_flushed, true);
}

#endif
