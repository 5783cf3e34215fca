// SPDX-License-Identifier: GPL-2.0
/*
 * The sender of a flow: keeps many operations of all kinds under way, sends them in
 * batches, and notes the outcome of each on the board.  Writes are read back and
 * compared, values that fetching atomics return are marked.  Level: test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>

#include "fuzz.h"
#include "soak.h"
#include "uet_cq.h"

#define BATCH		32	/* operations sent at once */
#define RING		1024
#define AWAY_WINDOW	4	/* under way while there is no receiver */
#define BIG_LIMIT	8	/* rendezvous and deferrable messages under way */

/**
 * struct op - an operation under way
 * @kind: which
 * @is_busy: it is under way
 * @was_away: there was no receiver when it began
 * @place: K_WRITE, K_READ, K_FETCH: where, 0 to SOAK_PLACES - 1
 * @share: K_WRITE, K_READ: of the receiver's memory, 0 to SOAK_SHARES - 1
 * @index: its number, if it has one
 * @offset: of its bytes in the pool
 * @len: bytes
 * @life: the receiver's, when it began
 * @write_life: K_READ: the receiver's, when the write began
 * @addend: K_ADD
 */
struct op {
	enum soak_kind kind;
	bool is_busy, was_away;
	uint8_t place, share;
	uint32_t index, offset, len, life, write_life, addend;
};

/* An operation as sendmmsg() takes it. */
struct request {
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
	struct iovec iov;
	uint64_t operand[2];
};

/**
 * struct sender - a life of it
 * @flow: its number
 * @f: on the board
 * @life: which
 * @fd: its socket
 * @cq: completions
 * @rnd: of all that is random
 * @back: memory for what reads and fetching atomics return
 * @op: operations by cookie
 * @cookie: of the next operation
 * @busy: operations under way
 * @big: of them: rendezvous and deferrable messages
 * @places: those in use, a bit each, of writes and of fetching atomics
 * @written: a write that is to be read back, @reads of them
 * @request, @msg: operations to be sent, from @sent to @ready
 */
struct sender {
	uint32_t flow;
	struct soak_flow *f;
	uint32_t life;
	int fd;
	struct uet_cq cq;
	struct fuzz_rand rnd;
	uint8_t *back;
	struct op op[SOAK_WINDOW];
	uint64_t cookie;
	uint32_t busy, big;
	uint8_t places[2];
	struct op written[SOAK_PLACES];
	int reads;
	struct request request[BATCH];
	struct mmsghdr msg[BATCH];
	int sent, ready;
};

/* ------------------------------------------------------------------ choices */

struct share {
	uint32_t limit, value;
};

/* The value of the share that a number below 1000 falls into. */
static uint32_t pick(struct sender *s, const struct share *share)
{
	uint32_t dice = fuzz_below(&s->rnd, 1000);

	while (dice >= share->limit)
		share++;
	return share->value;
}

static enum soak_kind any_kind(struct sender *s)
{
	static const struct share kinds[] = {
		{ 740, K_SEND }, { 920, K_TAGGED }, { 925, K_RENDEZVOUS },
		{ 930, K_DEFERRABLE }, { 950, K_WRITE }, { 980, K_ADD },
		{ 1000, K_FETCH },
	};

	return pick(s, kinds);
}

/* Most messages are short. */
static uint32_t any_length(struct sender *s, enum soak_kind kind)
{
	static const struct share small[] = {
		{ 960, 201 }, { 995, 8193 }, { 1000, SOAK_POST + 1 },
	};
	static const struct share big[] = {
		{ 700, 8193 }, { 980, 65537 }, { 1000, SOAK_LONGEST + 1 },
	};
	uint32_t limit;

	if (kind == K_RENDEZVOUS || kind == K_DEFERRABLE)
		limit = pick(s, big);
	else
		limit = pick(s, small);
	if (kind == K_SEND && fuzz_one_in(&s->rnd, 5000))
		limit = SOAK_LONGEST + 1;
	if (kind == K_WRITE && limit > SOAK_PLACE)
		limit = SOAK_PLACE + 1;
	return fuzz_below(&s->rnd, limit);
}

/* A place that is not in use, -1 if all are. */
static int take_place(uint8_t *places)
{
	for (int i = 0; i < SOAK_PLACES; i++) {
		if (*places & 1u << i)
			continue;
		*places |= 1u << i;
		return i;
	}
	return -1;
}

static uint8_t *places_of(struct sender *s, enum soak_kind kind)
{
	return &s->places[kind == K_FETCH];
}

/* ----------------------------------------------------------------- requests */

static void add_cmsg(struct msghdr *mh, int type, const void *data, size_t len)
{
	struct cmsghdr *cmsg = (void *)((char *)mh->msg_control +
					mh->msg_controllen);

	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	mh->msg_controllen += CMSG_SPACE(len);
}

static void set_payload(struct msghdr *mh, const void *bytes, size_t len)
{
	mh->msg_iov->iov_base = (void *)bytes;
	mh->msg_iov->iov_len = len;
}

/* A message with a number: of a rendezvous message a part is pushed. */
static void make_message(struct sender *s, struct op *o, struct msghdr *mh)
{
	const uint8_t *bytes = board->pool + o->offset;
	uint64_t label = soak_label(s->flow, s->life, o->index, bytes, o->len);
	uint64_t tag = o->kind == K_TAGGED ? TAG_SMALL : TAG_BIG;
	struct uet_local all = { KEY_POOL, o->offset, o->len };

	add_cmsg(mh, UET_CMSG_HDATA, &label, sizeof(label));
	if (o->kind != K_SEND)
		add_cmsg(mh, UET_CMSG_TAG, &tag, sizeof(tag));
	set_payload(mh, bytes, o->len);
	if (o->kind == K_RENDEZVOUS) {
		add_cmsg(mh, UET_CMSG_LOCAL, &all, sizeof(all));
		set_payload(mh, bytes, fuzz_below(&s->rnd, o->len + 1));
	}
}

static void make_write(struct sender *s, struct op *o, struct msghdr *mh)
{
	uint64_t at = (o->share * SOAK_PLACES + o->place) *
		      (uint64_t)SOAK_PLACE;
	struct uet_rma rma = { KEY_PLACES, at };
	struct uet_local local = { KEY_BACK, o->place * SOAK_PLACE, o->len };

	add_cmsg(mh, UET_CMSG_RMA, &rma, sizeof(rma));
	if (o->kind == K_WRITE)
		set_payload(mh, board->pool + o->offset, o->len);
	else
		add_cmsg(mh, UET_CMSG_LOCAL, &local, sizeof(local));
}

/* The result of a fetching atomic operation lies behind the places of reads. */
static size_t ticket_offset(const struct op *o)
{
	return SOAK_PLACES * SOAK_PLACE + o->place * sizeof(uint64_t);
}

static void make_atomic(struct op *o, struct request *r, struct msghdr *mh)
{
	bool is_fetch = o->kind == K_FETCH;
	struct uet_rma rma = {
		KEY_COUNTERS,
		(is_fetch ? C_FETCHES : C_ADDS) * sizeof(uint64_t),
	};
	struct uet_atomic amo = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	struct uet_local local = { KEY_BACK, ticket_offset(o), 8 };

	r->operand[0] = 1;
	r->operand[1] = o->addend;
	add_cmsg(mh, UET_CMSG_RMA, &rma, sizeof(rma));
	add_cmsg(mh, UET_CMSG_ATOMIC, &amo, sizeof(amo));
	if (is_fetch)
		add_cmsg(mh, UET_CMSG_LOCAL, &local, sizeof(local));
	set_payload(mh, r->operand, o->len);
}

static void make_request(struct sender *s, struct op *o)
{
	static const uint8_t opcodes[KINDS] = {
		UET_OP_SEND, UET_OP_TAGGED_SEND, UET_OP_RENDEZVOUS_TSEND,
		UET_OP_DEFERRABLE_TSEND, UET_OP_WRITE, UET_OP_READ,
		UET_OP_ATOMIC, UET_OP_FETCHING_ATOMIC,
	};
	struct request *r = &s->request[s->ready];
	struct msghdr *mh = &s->msg[s->ready].msg_hdr;
	struct uet_op op = {
		.cookie = s->cookie - 1, .opcode = opcodes[o->kind],
		.flags = UET_OP_COMPLETE,
	};

	s->ready++;
	*mh = (struct msghdr){ .msg_iov = &r->iov, .msg_iovlen = 1,
			       .msg_control = &r->control };
	set_payload(mh, NULL, 0);
	add_cmsg(mh, UET_CMSG_OP, &op, sizeof(op));
	if (o->kind < NUMBERED)
		make_message(s, o, mh);
	else if (o->kind == K_WRITE || o->kind == K_READ)
		make_write(s, o, mh);
	else
		make_atomic(o, r, mh);
}

/* -------------------------------------------------------------------- begin */

static void take_number(struct sender *s, struct op *o)
{
	o->index = s->f->next;
	o->offset = soak_offset(s->flow, o->index);
	SOAK_SET(*soak_note(s->flow, o->index), (uint32_t)UNDER_WAY << 30);
	SOAK_SET(s->f->next, o->index + 1);
}

/* Return: false if there is no place for such an operation now. */
static bool choose(struct sender *s, struct op *o)
{
	int place = 0;

	o->kind = any_kind(s);
	if (o->kind == K_WRITE || o->kind == K_FETCH)
		place = take_place(places_of(s, o->kind));
	if (place < 0)
		return false;
	o->place = place;
	o->len = o->kind == K_ADD ? 16 : 8;
	if (o->kind < K_ADD)
		o->len = any_length(s, o->kind);
	if (o->kind == K_WRITE)
		o->offset = fuzz_below(&s->rnd, SOAK_POOL - SOAK_PLACE);
	o->share = s->f->share % SOAK_SHARES;
	if (o->kind == K_RENDEZVOUS || o->kind == K_DEFERRABLE) {
		if (s->big == BIG_LIMIT)
			return false;
		s->big++;
	}
	return true;
}

/* Begin an operation, first of all a read of what was written. */
static void begin(struct sender *s)
{
	struct op *o = &s->op[s->cookie % SOAK_WINDOW];

	if (s->reads)
		*o = s->written[--s->reads];
	else if (!choose(s, o))
		return;
	o->was_away = SOAK_GET(s->f->is_away);
	o->life = SOAK_GET(s->f->rx_life);
	o->addend = 0;
	if (o->kind == K_ADD)
		o->addend = fuzz_u32(&s->rnd);
	SOAK_ADD(s->f->begun[o->kind], 1);
	SOAK_ADD(s->f->sum_begun, o->addend);
	if (o->kind < NUMBERED)
		take_number(s, o);
	o->is_busy = true;
	s->busy++;
	s->cookie++;
	make_request(s, o);
}

static uint32_t window_of(const struct sender *s)
{
	if (SOAK_GET(s->f->is_away))
		return AWAY_WINDOW;
	return s->f->is_ordered ? SOAK_ORDERED : SOAK_WINDOW;
}

static bool may_begin(const struct sender *s)
{
	if (s->op[s->cookie % SOAK_WINDOW].is_busy ||
	    s->busy >= window_of(s))
		return false;
	return s->reads || (!SOAK_GET(board->stop) &&
			    s->f->next < board->capacity);
}

static void fill_batch(struct sender *s)
{
	s->sent = 0;
	s->ready = 0;
	for (int tries = 0; tries < BATCH && may_begin(s); tries++)
		begin(s);
}

/* Return: false if the socket takes no more now. */
static bool send_batch(struct sender *s)
{
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL, n;

	if (fuzz_one_in(&s->rnd, 2))
		flags |= MSG_ZEROCOPY;
	while (s->sent < s->ready) {
		n = sendmmsg(s->fd, s->msg + s->sent, s->ready - s->sent, flags);
		if (n < 0 && errno != EAGAIN)
			soak_die("flow %u: sendmmsg", s->flow);
		if (n < 0)
			return false;
		s->sent += n;
	}
	return true;
}

/* ---------------------------------------------------------------------- end */

/*
 * Check that the same receiver lived from the beginning to the end.  The round
 * is read first, because a new receiver continues the count.
 */
static bool receiver_stayed(const struct sender *s, const struct op *o,
			    uint32_t *round)
{
	*round = SOAK_GET(s->f->round);
	return !o->was_away && !SOAK_GET(s->f->is_away) &&
	       o->life == SOAK_GET(s->f->rx_life);
}

/*
 * An errno that uapi.rst defines for operations that a killed receiver did not
 * take.
 */
static bool is_explained(uint32_t error, bool stayed)
{
	return !stayed && (error == ECONNREFUSED || error == ECANCELED ||
			   error == EFAULT);
}

static void end_badly(struct sender *s, const struct op *o,
		      const struct uet_completion *rec, bool stayed)
{
	if (o->kind < NUMBERED)
		SOAK_SET(*soak_note(s->flow, o->index), (uint32_t)REFUSED << 30);
	if (o->kind == K_WRITE)
		SOAK_ADD(s->f->share, 1);
	if (is_explained(rec->error, stayed)) {
		SOAK_ADD(s->f->refused[o->kind], 1);
		return;
	}
	soak_note_fault(s->f, "%s of %u bytes: %s, return code 0x%x, NACK 0x%x,"
			" receiver %s", soak_kinds[o->kind], o->len,
			strerror(rec->error), rec->rc, rec->nack_code,
			stayed ? "stayed" : "was away");
	SOAK_ADD(s->f->wrong, 1);
}

static void note_success(struct sender *s, const struct op *o, uint32_t round,
			 bool stayed)
{
	uint32_t note = (uint32_t)SUCCEEDED << 30 | NOTE_ROUND(round);

	if (!stayed)
		note |= NOTE_STRADDLES;
	SOAK_SET(*soak_note(s->flow, o->index), note);
}

/* A write is complete: read it back.  The place stays in use. */
static void read_back(struct sender *s, const struct op *o, bool stayed)
{
	struct op *r = &s->written[s->reads++];

	*r = *o;
	r->kind = K_READ;
	/* A life number that never occurs: the read data cannot be judged. */
	r->write_life = stayed ? o->life : 0;
	memset(s->back + o->place * SOAK_PLACE, 0xa5, o->len);
}

static void compare(struct sender *s, const struct op *o, bool stayed)
{
	const uint8_t *is = s->back + o->place * SOAK_PLACE;
	const uint8_t *was = board->pool + o->offset;
	uint32_t i = 0;

	if (!stayed || o->write_life != o->life)
		return;
	while (i < o->len && is[i] == was[i])
		i++;
	if (i == o->len)
		return;
	SOAK_ADD(s->f->altered, 1);
	soak_note_fault(s->f, "write of %u bytes to place %u, life %u of %u: byte"
			" %u is 0x%02x, not 0x%02x", o->len, o->place, s->life,
			o->life, i, is[i], was[i]);
}

/* Two fetching atomics must not return the same value. */
static void mark_ticket(struct sender *s, const struct op *o)
{
	uint64_t value;
	uint8_t *mark;

	memcpy(&value, s->back + ticket_offset(o), sizeof(value));
	if (value >= board->capacity) {
		SOAK_ADD(s->f->altered, 1);
		soak_note_fault(s->f, "a fetching atomic returned %llu",
				(unsigned long long)value);
		return;
	}
	mark = soak_ticket(s->flow, value);
	if (*mark)
		SOAK_ADD(s->f->tickets, 1);
	*mark = 1;
}

static void end_well(struct sender *s, const struct op *o, uint32_t round,
		     bool stayed)
{
	if (o->kind < NUMBERED)
		note_success(s, o, round, stayed);
	else if (o->kind == K_READ)
		compare(s, o, stayed);
	else if (o->kind == K_FETCH)
		mark_ticket(s, o);
	SOAK_ADD(s->f->sum_ended, o->addend);
	SOAK_ADD(s->f->bytes, o->len);
	SOAK_ADD(s->f->ended[o->kind], 1);
}

static void end(struct sender *s, uint64_t cookie,
		const struct uet_completion *rec)
{
	struct op *o = &s->op[cookie % SOAK_WINDOW];
	uint32_t round;
	bool stayed;

	if (!o->is_busy || cookie >= s->cookie)
		soak_die("flow %u: cookie %llu ends twice", s->flow,
			 (unsigned long long)cookie);
	stayed = receiver_stayed(s, o, &round);
	if (rec->error)
		end_badly(s, o, rec, stayed);
	else
		end_well(s, o, round, stayed);
	o->is_busy = false;
	s->busy--;
	s->big -= o->kind == K_RENDEZVOUS || o->kind == K_DEFERRABLE;
	if (o->kind == K_WRITE && !rec->error)
		read_back(s, o, stayed);
	else if (o->kind >= K_WRITE && o->kind != K_ADD)
		*places_of(s, o->kind) &= ~(1u << o->place);
}

static uint32_t length_of(struct sender *s, const struct uet_completion *rec)
{
	uint32_t len = 0;

	for (uint32_t i = 0; i < rec->count; i++)
		len += s->op[(rec->cookie + i) % SOAK_WINDOW].len;
	return len;
}

static void take_completions(struct sender *s)
{
	const struct uet_completion *rec;

	while ((rec = uet_cq_peek(&s->cq))) {
		if (!rec->error && rec->length != length_of(s, rec))
			soak_die("flow %u: %u bytes of cookie %llu were executed",
				 s->flow, rec->length,
				 (unsigned long long)rec->cookie);
		for (uint32_t i = 0; i < rec->count; i++)
			end(s, rec->cookie + i, rec);
		uet_cq_next(&s->cq);
	}
}

/* ----------------------------------------------------------------- all of it */

static void be_born(struct sender *s, uint32_t flow)
{
	struct sockaddr_uet to = soak_address(flow, 1);
	size_t back = (SOAK_PLACE + sizeof(uint64_t)) * SOAK_PLACES;

	s->flow = flow;
	s->f = &board->flow[flow];
	SOAK_SET(s->f->tx_pid, getpid());
	SOAK_SET(s->f->first, s->f->next);
	SOAK_ADD(s->f->share, 1);
	s->life = s->f->tx_life + 1;
	SOAK_SET(s->f->tx_life, s->life);
	s->rnd = fuzz_rand(board->seed + flow * 7919 + s->life);
	s->fd = soak_socket(flow, 0);
	if (connect(s->fd, (void *)&to, sizeof(to)))
		soak_die("flow %u: connect", flow);
	s->back = soak_map(back);
	soak_register(s->fd, KEY_BACK, s->back, back, 0);
	soak_register(s->fd, KEY_POOL, board->pool, sizeof(board->pool),
		      UET_MR_READ);
	if (uet_cq_open(&s->cq, s->fd, RING))
		soak_die("no ring");
}

/* Wait until an operation has ended, or the socket takes more if @is_full. */
static void wait_for_news(struct sender *s, bool is_full)
{
	struct pollfd pfd = { s->fd, is_full ? POLLOUT : 0, 0 };

	if (!uet_cq_peek(&s->cq))
		poll(&pfd, 1, 20);
}

void soak_send(uint32_t flow)
{
	static struct sender s;
	bool is_full;

	be_born(&s, flow);
	do {
		if (s.sent == s.ready)
			fill_batch(&s);
		is_full = !send_batch(&s);
		if (is_full || !may_begin(&s))
			wait_for_news(&s, is_full);
		take_completions(&s);
	} while (s.busy || s.reads || !SOAK_GET(board->stop));
	if (shutdown(s.fd, SHUT_WR))
		soak_die("flow %u: shutdown", flow);
	SOAK_SET(s.f->is_flushed, true);
}
