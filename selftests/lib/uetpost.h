/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tagged messages and posted receives for tests of sockets.  For uetsock.h's
 * endpoints, uetop.h's completions and uetrma.h's memory.  Level: test.
 */
#ifndef UET_SELFTESTS_UETPOST_H
#define UET_SELFTESTS_UETPOST_H

#include "uetrma.h"

#define US_RC_TOO_LONG	0x22
#define US_RC_CANCELLED	0x1e

/**
 * struct us_mem - memory of its own, registered for its socket only
 * @buf: its bytes
 * @len: how many
 * @key: its key
 */
struct us_mem {
	uint8_t *buf;
	size_t len;
	uint64_t key;
};

static inline struct us_mem us_mem(int fd, size_t len)
{
	struct us_mem mem = { us_map(len), len, 0 };

	mem.key = us_reg(fd, mem.buf, len, 0);
	return mem;
}

/* A receive for a tagged message of any source, into all of @mem. */
static inline struct uet_recv_post us_want(uint64_t cookie, uint64_t match,
					   const struct us_mem *mem)
{
	return (struct uet_recv_post){
		.cookie = cookie, .match = match, .key = mem->key,
		.length = mem->len,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};
}

/* The same for an untagged one. */
static inline struct uet_recv_post us_want_plain(uint64_t cookie,
						 const struct us_mem *mem)
{
	struct uet_recv_post post = us_want(cookie, 0, mem);

	post.flags = UET_RECV_ANY_SOURCE;
	return post;
}

static inline int us_recv_post(int fd, const struct uet_recv_post *post)
{
	struct uet_recv_post sized = *post;

	return uet_ioctl(fd, UET_IOC_RECV_POST, &sized);
}

static inline int us_recv_posts(int fd, const struct uet_recv_post *post,
				uint32_t count)
{
	struct uet_recv_posts posts = { .count = count };
	struct uet_recv_post *sized = calloc(count, sizeof(*sized));
	int ret;

	posts.posts = (uintptr_t)sized;
	for (uint32_t i = 0; i < count; i++) {
		sized[i] = post[i];
		sized[i].size = sizeof(sized[i]);
	}
	ret = uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts);
	free(sized);
	return ret;
}

static inline int us_recv_cancel(int fd, uint64_t cookie)
{
	return ioctl(fd, UET_IOC_RECV_CANCEL, &cookie);
}

/* Send @len bytes to the connected peer, tagged; @hdata may be NULL. */
static inline ssize_t us_send_tag(int fd, uint64_t tag, uint64_t cookie,
				  const uint64_t *hdata, const void *buf,
				  size_t len)
{
	struct uet_op op = us_op(UET_OP_TAGGED_SEND, cookie);
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	if (hdata)
		us_add_cmsg(&c, UET_CMSG_HDATA, hdata, sizeof(*hdata));
	return us_send_control(fd, &c, buf, len);
}

/* The message made from @cookie, tagged; it is there when this returns. */
static inline void us_tag(int fd, uint64_t tag, uint64_t cookie, size_t len)
{
	uint8_t *buf = us_message(cookie, len);
	struct uet_completion rec;

	EXPECT_EQ(us_send_tag(fd, tag, cookie, NULL, buf, len), len);
	free(buf);
	rec = us_completion(fd);
	us_expect_done(&rec, cookie, 1, len);
	EXPECT_EQ(rec.opcode, UET_OP_TAGGED_SEND);
}

/* A pair whose receiving end posts receives: one that nothing fits. */
static inline struct us_pair us_receiving_pair_of(int type)
{
	struct us_pair p = us_pair_of(type);
	struct uet_recv_post post = {
		.cookie = ~0ull, .match = ~0ull,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	ASSERT_SYS(us_recv_post(p.rx, &post));
	return p;
}

/* The answer to a NO_OP says that on ROD all before it has been answered, too. */
static inline void us_settle(int fd)
{
	struct uet_completion rec;

	EXPECT_EQ(us_post_no_op(fd, 0xabcdef, 0), 0);
	rec = us_completion(fd);
	EXPECT_EQ(rec.cookie, 0xabcdef);
}

/* Plain messages, so as to be read by recvmsg(), wait: @bytes of the next one. */
static inline void us_wait_unread(int fd, int bytes)
{
	WAIT_FOR(us_queued(fd, SIOCINQ) == bytes);
}

/* A claimed message fills the receive buffer: deferrable messages find no space. */
static inline struct us_pair us_full_pair_of(int type)
{
	enum { FILL = 16384 };	/* SO_RCVBUF counts at least so much */
	struct us_pair p = us_receiving_pair_of(type);
	struct uet_recv_peek peek = {
		.flags = UET_RECV_ANY_SOURCE | UET_PEEK_CLAIM,
	};

	us_set_buf(p.rx, SO_RCVBUF, FILL);
	EXPECT_EQ(us_send(p.tx, 1, FILL, 0), FILL);
	us_wait_unread(p.rx, FILL);
	ASSERT_SYS(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &peek));
	return p;
}

/* The next completion is of a receive that has what @seed makes, in @buf. */
static inline struct uet_completion us_expect_recv(int fd, uint64_t cookie,
						   const uint8_t *buf,
						   uint32_t seed, size_t len)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, len);
	EXPECT_EQ(rec.flags & UET_COMPLETION_RECV, UET_COMPLETION_RECV);
	EXPECT_EQ(rec.job, atoi(us_env("UET_JOB")));
	EXPECT(us_matches(buf, seed, 0, len));
	return rec;
}

/* The next completion is of a receive that ended with @error. */
static inline struct uet_completion us_expect_no_recv(int fd, uint64_t cookie,
						      uint32_t error)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.cookie, cookie);
	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.count, 1);
	EXPECT_EQ(rec.length, 0);
	EXPECT_EQ(rec.rc, 0);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV);
	return rec;
}

#endif
