/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiving end of a flow of smp_ops: one thread reads messages, one takes the
 * completions of posted receives; both check each byte.  Level: test.
 */
#ifndef UET_SELFTESTS_SMPRX_H
#define UET_SELFTESTS_SMPRX_H

#include <inttypes.h>

#include "smpboard.h"

#define TAGGED_POSTS	8
#define MULTI_POSTS	3
#define BIG_POSTS	2
#define POSTS		(TAGGED_POSTS + MULTI_POSTS + BIG_POSTS)

static struct {
	int fd;
	struct uet_cq cq;
	uint8_t *write, *rudi, *notify, *posts, *buf;
	struct fuzz_rand rnd;
	uint32_t read, limit, last[BOARD_LIVES][BOARD_ISSUERS];
	bool is_broken;
} rx;

static inline uint64_t post_offset(int i)
{
	return (uint64_t)i * BOARD_LONGEST;
}

/* Receives of a tag, each for one message or for many. */
static inline bool post(int i)
{
	struct uet_recv_post post = {
		.cookie = i, .match = TAG_BIG, .key = KEY_POST, .offset = post_offset(i),
		.length = BOARD_LONGEST, .flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	if (i < TAGGED_POSTS) {
		post.match = TAG_SMALL;
	} else if (i < TAGGED_POSTS + MULTI_POSTS) {
		post.match = TAG_MULTI;
		post.flags |= UET_RECV_MULTI;
		post.min_free = 16384;
	}
	if (!uet_ioctl(rx.fd, UET_IOC_RECV_POST, &post))
		return true;
	if (!f->wild)
		err(1, "flow %u: receive %d cannot be posted", this_flow, i);
	return false;
}

/* Is it what was sent with that label? */
static inline void accept_bytes(union label label, const uint8_t *buf, size_t len, enum kind from,
			 enum kind to)
{
	uint32_t at, expected;

	if (label.flow != this_flow || label.number >= BOARD_OPS || label.kind < from ||
	    label.kind > to || f->outcome[label.number] == NOT_BEGUN) {
		FAULT(f, changed, "label 0x%" PRIx64 " of %zu bytes", label.value, len);
		return;
	}
	expected = op_length(this_flow, label.number, label.kind);
	at = len == expected ? op_compare(buf, len, op_key(this_flow, label.number)) : 0;
	if (at < expected || len != expected)
		FAULT(f, changed, "%s %u of %u bytes: %zu came, byte %u is another",
		      kind_names[label.kind], label.number, expected, len, at);
	ADD(f->came[label.number], 1);
}

static inline void check_order(union label label)
{
	uint32_t *last = &rx.last[label.life % BOARD_LIVES][label.issuer % BOARD_ISSUERS];

	if (f->type != SOCK_SEQPACKET)
		return;
	if (label.number < *last)
		FAULT(f, late, "message %u comes behind %u", label.number, *last);
	*last = label.number;
}

static inline void accept_message(size_t len, const struct uet_ctx *ctx)
{
	union label label = { .value = ctx->header_data };

	if (f->type == SOCK_DGRAM) {
		uint64_t key;

		memcpy(&label, rx.buf, len < sizeof(label) ? 0 : sizeof(label));
		key = op_key(this_flow, label.number);
		if (label.flow != this_flow || label.number >= BOARD_OPS ||
		    len != sizeof(label) + key % (DGRAM_LONGEST - sizeof(label)) ||
		    op_compare(rx.buf + sizeof(label), len - sizeof(label), key) <
		    len - sizeof(label))
			FAULT(f, changed, "datagram of %zu bytes", len);
		else
			ADD(f->came[label.number], 1);
	} else if (ctx->opcode == UET_OP_WRITE) {
		accept_bytes(label, rx.notify + label.place * NOTIFY_PLACE, ctx->length,
			     K_NOTIFY, K_NOTIFY);
		SET(f->notify[label.place], false);
	} else {
		/* Tagged ones come so, too, if no receive waits for them. */
		accept_bytes(label, rx.buf, len, K_SEND, K_MEET);
		if (label.kind == K_SEND)
			check_order(label);
	}
}

/* Return: false if there was none. */
static inline bool read_message(void)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct uet_ctx))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { rx.buf, BOARD_LONGEST };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(rx.fd, &msg, MSG_DONTWAIT);
	struct uet_ctx ctx;

	if (len < 0 || !CMSG_FIRSTHDR(&msg)) {
		if (len < 0 && errno == EAGAIN)
			return false;
		if (!f->wild)
			FAULT(f, wrong, "receiving fails: %s", strerror(errno));
		rx.is_broken = true;
		return false;
	}
	memcpy(&ctx, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(ctx));
	accept_message(len, &ctx);
	rx.read++;
	return true;
}

/* Return: false if there was none. */
static inline bool read_completion(void)
{
	struct uet_completion rec;
	uint64_t i;

	if (!take_completion(rx.fd, f->ring ? &rx.cq : NULL, &rec))
		return false;
	i = rec.cookie;
	if (rec.error) {
		/* The sender may have gone in the middle of it. */
		if (!f->churn && !f->wild)
			FAULT(f, wrong, "receive %" PRIu64 ": %s, return code 0x%x", i,
			      strerror(rec.error), rec.rc);
	} else {
		accept_bytes((union label){ .value = rec.header_data },
			     rx.posts + post_offset(i) + rec.offset, rec.length,
			     K_TAGGED, K_MEET);
	}
	if (i < TAGGED_POSTS || i >= TAGGED_POSTS + MULTI_POSTS ||
	    (rec.flags & UET_COMPLETION_LAST))
		post(i);
	return true;
}

static inline void read_all(void)
{
	while (read_message() || read_completion())
		;
}

static inline bool open_receiver(void)
{
	rx.fd = flow_socket(f, 1);
	if (rx.fd < 0)
		return false;
	rx.is_broken = false;
	if (f->type != SOCK_DGRAM) {
		if (!add_region(rx.fd, KEY_WRITE, rx.write, SHARES * SLOTS * PLACE,
				UET_MR_WRITE | UET_MR_READ, 0) ||
		    !add_region(rx.fd, KEY_RUDI, rx.rudi, RUDI_PLACES * RUDI_PLACE,
				UET_MR_WRITE | UET_MR_READ, UET_MR_IDEMPOTENT_SAFE) ||
		    !add_region(rx.fd, KEY_NOTIFY, rx.notify, BOARD_NOTIFY * NOTIFY_PLACE,
				UET_MR_WRITE, 0) ||
		    !add_region(rx.fd, KEY_COUNTERS, f->counter, sizeof(f->counter),
				UET_MR_ATOMIC, 0) ||
		    !add_region(rx.fd, KEY_POST, rx.posts, post_offset(POSTS), 0, 0))
			rx.is_broken = true;
		if (f->ring && uet_cq_open(&rx.cq, rx.fd, RING))
			rx.is_broken = true;
		for (int i = 0; i < POSTS && !rx.is_broken; i++)
			rx.is_broken = !post(i);
	}
	if (rx.is_broken && !f->wild)
		err(1, "receiver of flow %u", this_flow);
	rx.read = 0;
	rx.limit = 50 + fuzz_below(&rx.rnd, 300);
	ADD(f->rx_life, 1);
	return true;
}

/* The socket goes, with all that was read for the last time. */
static inline void close_receiver(void)
{
	struct uet_mr_counts counts = { .key = UET_MR_ALL };

	read_all();
	if (!uet_ioctl(rx.fd, UET_IOC_MR_COUNTS, &counts)) {
		f->writes += counts.writes;
		f->fetches += counts.fetches;
		f->reads += counts.reads;
	}
	if (f->ring)
		uet_cq_close(&rx.cq);
	close(rx.fd);
}

static inline void be_born_again(void)
{
	while (must_leave() || !open_receiver())
		rest_us(5000);
}

/* Replace the socket, as smpboard.h says. */
static inline void replace_receiver(void)
{
	gate_shut();
	read_all();
	ADD(f->rx_life, 1);
	close_receiver();
	rest_us(fuzz_below(&rx.rnd, 20000));
	be_born_again();
	gate_open();
}

static inline void *receive_messages(void *arg)
{
	struct pollfd news;

	(void)arg;
	while (!GET(board->quit)) {
		if (rx.is_broken || must_leave() || (f->churn && rx.read >= rx.limit))
			replace_receiver();
		if (read_message())
			continue;
		news = (struct pollfd){ rx.fd, POLLIN, 0 };
		/* Completions are for the other thread. */
		if (poll(&news, 1, 20) > 0 && !(news.revents & POLLIN))
			rest_us(1000);
	}
	gate_shut();
	SET(is_done, true);
	gate_open();
	return NULL;
}

static inline void *receive_completions(void *arg)
{
	(void)arg;
	while (!GET(is_done)) {
		gate_pass();
		if (!read_completion())
			poll(&(struct pollfd){ rx.fd, 0, 0 }, 1, 20);
	}
	return NULL;
}

static inline void do_receive(void)
{
	rx.rnd = fuzz_rand(board->seed + 1000 + this_flow);
	rx.buf = map_memory(BOARD_LONGEST);
	rx.write = map_memory(SHARES * SLOTS * PLACE);
	rx.rudi = map_memory(RUDI_PLACES * RUDI_PLACE);
	rx.notify = map_memory(BOARD_NOTIFY * NOTIFY_PLACE);
	rx.posts = map_memory(post_offset(POSTS));
	be_born_again();
	printf("ready\n");
	fflush(stdout);
	run(2, (void *(*const[])(void *)){ receive_messages, receive_completions },
	    (void *const[]){ NULL, NULL });
	close_receiver();
	SET(f->has_left, true);
}

#endif
