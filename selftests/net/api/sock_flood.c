// SPDX-License-Identifier: GPL-2.0
/*
 * Test of a flood of unexpected messages: 16 senders send all their messages before the
 * first receive is posted, and the receiver asks for the last ones first.  Short messages
 * are deferrable, long ones rendezvous, as an MPI library sends them.  UET_FLOOD is the
 * number of messages.  Started by flood.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#define HARNESS_SECONDS 3600
#include "uetpost.h"

#define MIB		(1024 * 1024)
#define SENDERS		16
#define WINDOW		64	/* receives that are posted at a time */
#define BUFFER		65536	/* for messages without a receive: few of them */

/**
 * struct sender - an endpoint that sends
 * @fd: its socket
 * @src: what it sends: each message is a part of it
 */
struct sender {
	int fd;
	struct us_mem src;
};

/* Of 100 messages one has up to 1 MiB, nine up to 64 KiB, the others up to 1.5 KiB. */
static size_t length_of(uint32_t i)
{
	uint32_t random = i * 2654435761u >> 8;

	if (i % 100 == 99)
		return i % 1000 == 999 ? MIB : random % MIB;
	return random % (i % 10 == 9 ? 65536 : 1536);
}

static size_t offset_of(uint32_t i)
{
	return MIB - length_of(i) < i % 4096 ? 0 : i % 4096;
}

static uint64_t tag_of(uint32_t s, uint32_t i)
{
	return (uint64_t)s << 32 | i;
}

static struct sender sender_to(const struct sockaddr_uet *to, int type, uint32_t s)
{
	struct sender snd = { .fd = us_endpoint_of(type, 0, UET_PID_ANY, 0) };
	int bytes = 256 * MIB;
	size_t i;

	ASSERT_SYS(us_connect(snd.fd, to));
	ASSERT_SYS(setsockopt(snd.fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes,
			      sizeof(bytes)));
	snd.src = (struct us_mem){ .buf = us_map(MIB), .len = MIB };
	for (i = 0; i < MIB; i++)
		snd.src.buf[i] = us_byte(s, i);
	snd.src.key = us_reg(snd.fd, snd.src.buf, MIB, UET_MR_READ);
	return snd;
}

static void send_one(const struct sender *snd, uint32_t s, uint32_t i)
{
	size_t len = length_of(i), from = offset_of(i), eager = len;
	struct uet_op op = us_op(UET_OP_DEFERRABLE_TSEND, i + 1);
	struct uet_local local = { snd->src.key, from, len };
	struct us_control c = { .len = 0 };
	uint64_t tag = tag_of(s, i);

	if (len >= 1536) {
		op.opcode = UET_OP_RENDEZVOUS_TSEND;
		us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
		eager = 0;
	}
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	ASSERT_EQ(us_send_control(snd->fd, &c, snd->src.buf + from, eager),
		  (ssize_t)eager);
}

/* Post the receives of one window, and check what they get, in any order. */
static void receive(int rx, const struct us_mem *mem, const struct sender *snd,
		    const uint64_t *tags, uint32_t count)
{
	struct uet_completion rec;
	uint32_t n, i;

	for (n = 0; n < count; n++) {
		struct uet_recv_post post = us_want(n, tags[n], mem);

		post.offset = (uint64_t)n * MIB;
		post.length = MIB;
		ASSERT_SYS(us_recv_post(rx, &post));
	}
	for (n = 0; n < count; n++) {
		rec = us_completion(rx);
		ASSERT_EQ(rec.error, 0);
		ASSERT(rec.cookie < count);
		ASSERT_EQ(rec.match, tags[rec.cookie]);
		i = (uint32_t)rec.match;
		ASSERT_EQ(rec.length, length_of(i));
		ASSERT(!memcmp(mem->buf + rec.cookie * MIB,
			       snd[rec.match >> 32].src.buf + offset_of(i),
			       rec.length));
	}
}

/* The last messages of all senders first. */
static void receive_all(int rx, const struct sender *snd, uint32_t each)
{
	struct us_mem mem = us_mem(rx, (size_t)WINDOW * MIB);
	uint64_t tags[WINDOW];
	uint32_t i, s, n = 0;

	for (i = each; i--; ) {
		for (s = 0; s < SENDERS; s++) {
			tags[n++] = tag_of(s, i);
			if (n == WINDOW) {
				receive(rx, &mem, snd, tags, n);
				n = 0;
			}
		}
	}
	receive(rx, &mem, snd, tags, n);
}

static void flood(int type)
{
	uint32_t each = atoi(us_env("UET_FLOOD")) / SENDERS / harness_scale();
	struct us_pair p = us_receiving_pair_of(type);
	struct sockaddr_uet to = us_name(p.rx);
	struct sender snd[SENDERS];
	struct uet_completion rec;
	uint32_t s, i, done, envelopes = UET_ENVELOPE_LIMIT;

	us_set_buf(p.rx, SO_RCVBUF, BUFFER);
	ASSERT_SYS(setsockopt(p.rx, SOL_UET, UET_ENVELOPES, &envelopes,
			      sizeof(envelopes)));
	for (s = 0; s < SENDERS; s++)
		snd[s] = sender_to(&to, type, s);
	for (i = 0; i < each; i++)
		for (s = 0; s < SENDERS; s++)
			send_one(&snd[s], s, i);
	receive_all(p.rx, snd, each);
	for (s = 0; s < SENDERS; s++) {
		for (done = 0; done < each; done += rec.count) {
			rec = us_completion(snd[s].fd);
			ASSERT_EQ(rec.error, 0);
		}
		EXPECT_EQ(done, each);
		us_expect_none(snd[s].fd);
	}
	us_expect_none(p.rx);
}

TEST(flood__of_ordered_messages_arrives)
{
	flood(SOCK_SEQPACKET);
}

TEST(flood__of_unordered_messages_arrives)
{
	flood(SOCK_RDM);
}

HARNESS_MAIN()
