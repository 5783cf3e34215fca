// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver of a flow: reads messages, has receives posted for tagged, deferrable
 * and rendezvous ones, and lends memory for writes and atomic operations.  It checks
 * each message and marks it on the board.  Level: test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soak.h"
#include "uet_cq.h"

#define BATCH		16	/* messages read at once */
#define RING		256	/* more than the posted receives, so no message has to wait */

/**
 * struct receiver - a life of it
 * @flow: its number
 * @f: on the board
 * @fd: its socket
 * @cq: completions of its receives
 * @posts: memory of these
 * @space: memory for messages that are read
 * @control: for their contexts
 * @msg: for recvmmsg()
 */
struct receiver {
	uint32_t flow;
	struct soak_flow *f;
	int fd;
	struct uet_cq cq;
	uint8_t *posts, *space;
	union {
		char bytes[CMSG_SPACE(sizeof(struct uet_ctx))];
		struct cmsghdr align;
	} control[BATCH];
	struct iovec iov[BATCH];
	struct mmsghdr msg[BATCH];
};

/* ----------------------------------------------------------------- messages */

/* A SOCK_SEQPACKET keeps the sending order of messages returned by recvmsg(). */
static void check_order(struct soak_flow *f, uint32_t life, uint32_t index)
{
	if (f->is_ordered && index < f->last[life]) {
		SOAK_ADD(f->late, 1);
		soak_note_fault(f, "message %u behind %u, life %u", index,
				f->last[life] - 1, life);
	}
	if (f->last[life] <= index)
		f->last[life] = index + 1;
}

static enum soak_kind kind_of(uint8_t opcode)
{
	switch (opcode) {
	case UET_OP_SEND: return K_SEND;
	case UET_OP_TAGGED_SEND: return K_TAGGED;
	case UET_OP_RENDEZVOUS_TSEND: return K_RENDEZVOUS;
	case UET_OP_DEFERRABLE_TSEND: return K_DEFERRABLE;
	default: return KINDS;
	}
}

static void take_message(struct receiver *r, uint64_t label, uint8_t opcode,
			 const uint8_t *bytes, uint32_t len)
{
	uint32_t index = label % SOAK_CAPACITY;
	uint32_t life = label >> SOAK_INDEX_BITS & (SOAK_LIVES - 1);
	enum soak_kind kind = kind_of(opcode);
	struct soak_flow *f = r->f;
	uint8_t *mark;

	if (kind == KINDS || index >= SOAK_GET(f->next) ||
	    label != soak_label(r->flow, life, index, bytes, len)) {
		SOAK_ADD(f->changed, 1);
		soak_note_fault(f, "opcode %u, label 0x%llx of message %u, life"
				" %u: %u bytes are not those that were sent",
				opcode, (unsigned long long)label, index, life,
				len);
		return;
	}
	mark = soak_mark(r->flow, index);
	if (*mark) {
		SOAK_ADD(f->twice, 1);
		soak_note_fault(f, "opcode %u, message %u, life %u: twice",
				opcode, index, life);
	}
	SOAK_SET(*mark, 1);
	SOAK_ADD(f->read[kind], 1);
	if (kind == K_SEND)
		check_order(f, life, index);
}

static void take_read(struct receiver *r, int i)
{
	struct msghdr *mh = &r->msg[i].msg_hdr;
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(mh);
	struct uet_ctx ctx;

	if (!cmsg || !(mh->msg_flags & MSG_EOR) || mh->msg_flags & MSG_TRUNC)
		soak_die("message with flags 0x%x", mh->msg_flags);
	memcpy(&ctx, CMSG_DATA(cmsg), sizeof(ctx));
	take_message(r, ctx.flags & UET_CTX_HDATA ? ctx.header_data : 0,
		     ctx.opcode, r->iov[i].iov_base, r->msg[i].msg_len);
}

/* Read until no message is left. */
static void read_messages(struct receiver *r)
{
	int n;

	do {
		for (int i = 0; i < BATCH; i++)
			r->msg[i].msg_hdr.msg_controllen = sizeof(r->control[i]);
		n = recvmmsg(r->fd, r->msg, BATCH, MSG_DONTWAIT, NULL);
		for (int i = 0; i < n; i++)
			take_read(r, i);
	} while (n > 0);
	if (errno != EAGAIN)
		soak_die("flow %u: recvmmsg", r->flow);
}

/* ----------------------------------------------------------------- receives */

/* Post the small receives first. */
static size_t post_offset(uint64_t number)
{
	if (number < SOAK_POSTS)
		return number * SOAK_POST;
	return (size_t)SOAK_POSTS * SOAK_POST +
	       (number - SOAK_POSTS) * SOAK_LONGEST;
}

static void post(struct receiver *r, uint64_t number)
{
	struct uet_recv_post p = {
		.cookie = number, .key = KEY_POSTS,
		.match = number < SOAK_POSTS ? TAG_SMALL : TAG_BIG,
		.offset = post_offset(number),
		.length = post_offset(number + 1) - post_offset(number),
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	if (uet_ioctl(r->fd, UET_IOC_RECV_POST, &p))
		soak_die("flow %u: receive %d", r->flow, (int)number);
}

/* A killed sender may leave a partly filled receive behind. */
static void take_broken(struct receiver *r, const struct uet_completion *rec)
{
	if (!SOAK_GET(r->f->tx_kills)) {
		errno = rec->error;
		soak_die("flow %u: receive %d", r->flow, (int)rec->cookie);
	}
	SOAK_ADD(r->f->broken, 1);
}

static void take_completions(struct receiver *r)
{
	const struct uet_completion *rec;

	while ((rec = uet_cq_peek(&r->cq))) {
		uint64_t number = rec->cookie;

		if (number >= SOAK_POSTS + SOAK_BIG_POSTS)
			soak_die("flow %u: no such receive", r->flow);
		if (rec->error)
			take_broken(r, rec);
		else
			take_message(r, rec->flags & UET_COMPLETION_HDATA ?
					rec->header_data : 0, rec->opcode,
				     r->posts + post_offset(number),
				     rec->length);
		uet_cq_next(&r->cq);
		post(r, number);
	}
}

/*
 * Look at all that can be read.  Receives are posted only behind the reading, so a
 * message that a new receive takes away from recvmsg() is found in the ring.
 */
static void do_round(struct receiver *r)
{
	read_messages(r);
	take_completions(r);
	SOAK_ADD(r->f->round, 1);
}

/* ---------------------------------------------------------------- beginning */

static void be_born(struct receiver *r)
{
	struct soak_flow *f = r->f;
	uint32_t life = f->rx_life;

	SOAK_SET(f->is_away, true);
	SOAK_SET(f->rx_pid, getpid());
	if (life > SOAK_DEATHS)
		soak_die("too many lives");
	if (life)
		f->death[life - 1] = f->round;
	SOAK_ADD(f->round, 3);
	SOAK_SET(f->rx_life, life + 1);
}

static void prepare_reading(struct receiver *r)
{
	int on = 1;

	if (setsockopt(r->fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		soak_die("UET_RECV_CTX");
	r->space = soak_map((size_t)BATCH * SOAK_LONGEST);
	for (int i = 0; i < BATCH; i++) {
		r->iov[i].iov_base = r->space + (size_t)i * SOAK_LONGEST;
		r->iov[i].iov_len = SOAK_LONGEST;
		r->msg[i].msg_hdr = (struct msghdr){
			.msg_iov = &r->iov[i], .msg_iovlen = 1,
			.msg_control = &r->control[i],
		};
	}
}

static void lend_memory(struct receiver *r)
{
	size_t places = SOAK_SHARES * SOAK_PLACES * SOAK_PLACE;
	size_t posts = post_offset(SOAK_POSTS + SOAK_BIG_POSTS);

	r->posts = soak_map(posts);
	soak_register(r->fd, KEY_POSTS, r->posts, posts, 0);
	soak_register(r->fd, KEY_PLACES, soak_map(places), places,
		      UET_MR_WRITE | UET_MR_READ);
	soak_register(r->fd, KEY_COUNTERS, soak_counters(r->flow),
		      COUNTERS * sizeof(uint64_t), UET_MR_ATOMIC);
	if (uet_cq_open(&r->cq, r->fd, RING))
		soak_die("no ring");
	for (int i = 0; i < SOAK_POSTS + SOAK_BIG_POSTS; i++)
		post(r, i);
}

void soak_receive(uint32_t flow)
{
	static struct receiver r;
	struct pollfd pfd = { .events = POLLIN };
	int rest = 3;

	r.flow = flow;
	r.f = &board->flow[flow];
	be_born(&r);
	r.fd = soak_socket(flow, 1);
	prepare_reading(&r);
	lend_memory(&r);
	SOAK_SET(r.f->is_away, false);
	pfd.fd = r.fd;
	/* Messages acknowledged before the end are found in the last rounds. */
	while (rest > 0) {
		if (SOAK_GET(board->quit))
			rest--;
		else
			poll(&pfd, 1, 100);
		do_round(&r);
	}
	SOAK_SET(r.f->has_left, true);
}
