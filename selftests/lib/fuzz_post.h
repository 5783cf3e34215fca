/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Posted receives and match bits for the socket fuzzer: posted at random into the
 * regions of fuzz_rma.h, cancelled, and control messages of tagged sends.
 * Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_POST_H
#define UET_SELFTESTS_FUZZ_POST_H

#include <stddef.h>

#include "fuzz_rma.h"

/* A few, so that they meet. */
static inline uint64_t any_tag(struct thread *t)
{
	return fuzz_below(&t->rand, 3);
}

static inline void make_tag(struct thread *t, struct msghdr *msg)
{
	uint64_t tag = any_tag(t);

	add_control(t, msg, UET_CMSG_TAG, &tag, sizeof(tag));
}

/* Likely one that a message has: the numbers of a socket count up. */
static inline uint64_t any_claim(struct thread *t)
{
	return fuzz_one_in(&t->rand, 8) ? fuzz_edge(&t->rand) :
					  fuzz_below(&t->rand, 40);
}

static inline void call_peek(struct thread *t)
{
	struct uet_recv_peek peek = {
		.size = sizeof(peek),
		.flags = fuzz_below(&t->rand, 4),
	};

	if (fuzz_one_in(&t->rand, 2))
		peek.flags |= fuzz_one_in(&t->rand, 2) ? UET_PEEK_CLAIM :
							 UET_PEEK_DISCARD;
	if (peek.flags & UET_RECV_TAGGED) {
		peek.match = any_tag(t);
		peek.ignore = any_tag(t);
	}
	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, (uint8_t *)&peek, sizeof(peek));
	CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_RECV_PEEK, pointer(t, &peek)));
}

/* Mostly a good one, if the region is there: else it is EFAULT. */
static inline struct uet_recv_post make_post(struct thread *t)
{
	struct uet_recv_post post = {
		.size = sizeof(post),
		.cookie = fuzz_below(&t->rand, 4),
		.key = region_key(t),
		.length = fuzz_one_in(&t->rand, 4) ? 0 :
			  fuzz_below(&t->rand, 4096),
		.flags = fuzz_below(&t->rand, 8),
	};

	if (fuzz_one_in(&t->rand, 8)) {
		post.flags = UET_RECV_CLAIM |
			     (fuzz_one_in(&t->rand, 2) ? UET_RECV_TRUNC : 0);
		post.match = any_claim(t);
	} else if (fuzz_one_in(&t->rand, 8)) {
		post.flags = (post.flags & ~UET_RECV_ANY_SOURCE) | UET_RECV_PEER;
		post.initiator = any_claim(t);
	} else if (fuzz_one_in(&t->rand, 4)) {
		post.flags |= UET_RECV_MULTI;
		post.min_free = fuzz_below(&t->rand, 200);
	}
	if (fuzz_one_in(&t->rand, 3)) {
		post.flags |= UET_RECV_ADDR;
		post.key = 0;
		post.offset = region_addr(t);
	}

	if (post.flags & UET_RECV_TAGGED) {
		post.match = any_tag(t);
		if (fuzz_one_in(&t->rand, 3))
			post.ignore = any_tag(t);
	}
	t->is_bad = true;
	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, (uint8_t *)&post.match,
			    sizeof(post) - offsetof(struct uet_recv_post, match));
	if (post.flags & UET_RECV_ADDR &&
	    !is_in_region(post.offset, post.length))
		post.offset = fuzz_one_in(&t->rand, 2) ? 0 : -1ull;
	return post;
}

/* An address is added, removed or asked for: numbers of a socket count up. */
static inline void call_peer(struct thread *t)
{
	uint32_t number = any_claim(t);
	bool is_asked = fuzz_one_in(&t->rand, 4);
	struct uet_peer peer = {
		.size = sizeof(peer),
		.peer = is_asked ? number : 0,
		.addr = {
			.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
			.suet_job = 1, .suet_pid = fuzz_below(&t->rand, 4),
			.suet_ri = 1,
			.suet_fa4 = fuzz_one_in(&t->rand, 2) ? own_fa : peer_fa,
		},
	};

	if (fuzz_one_in(&t->rand, 4)) {
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_PEER_REMOVE,
				     pointer(t, &number)));
		return;
	}
	if (is_asked)
		memset(&peer.addr, 0, sizeof(peer.addr));
	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, (uint8_t *)&peer, sizeof(peer));
	CALL(t, IOCTL, ioctl(any_fd(t), is_asked ? UET_IOC_PEER_ADDR : UET_IOC_PEER,
			     pointer(t, &peer)));
}

static inline void make_peer(struct thread *t, struct msghdr *msg)
{
	uint32_t number = any_claim(t);

	add_control(t, msg, UET_CMSG_PEER, &number, sizeof(number));
}

#define POSTS	3

static inline void call_post(struct thread *t)
{
	uint64_t cookie = fuzz_below(&t->rand, 4);
	struct uet_recv_post post[POSTS];
	struct uet_recv_posts posts = {
		.size = sizeof(posts), .posts = (uintptr_t)post, .count = POSTS,
	};
	struct uet_send_cancel cancel = {
		.size = sizeof(cancel), .cookie = cookie, .flags = UET_CANCEL_COOKIE,
	};

	if (fuzz_one_in(&t->rand, 4))
		fuzz_damage(&t->rand, (uint8_t *)&cancel, sizeof(cancel));

	for (unsigned int i = 0; i < POSTS; i++)
		post[i] = make_post(t);
	switch (fuzz_below(&t->rand, 7)) {
	case 4:
		call_peer(t);
		break;
	case 3:
		call_peek(t);
		break;
	case 2:
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_SEND_CANCEL,
				     pointer(t, &cancel)));
		break;
	case 0:
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_RECV_CANCEL,
				     pointer(t, &cookie)));
		break;
	case 1:
		if (fuzz_one_in(&t->rand, 8))
			fuzz_damage(&t->rand, (uint8_t *)&posts.count,
				    sizeof(posts) - offsetof(struct uet_recv_posts, count));
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_RECV_POSTS,
				     pointer(t, &posts)));
		break;
	default:
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_RECV_POST,
				     pointer(t, post)));
		break;
	}
}

/* Does a completion say nothing that it must not? */
static inline bool is_sound(const struct uet_completion *rec)
{
	if (!rec->count || rec->cookie + rec->count > 4 ||
	    (rec->error && rec->count > 1))
		return false;
	if (rec->flags & UET_COMPLETION_REFUSED && (!rec->error || rec->length))
		return false;
	/* Only an operation that failed has the number of its destination. */
	if (!(rec->flags & UET_COMPLETION_RECV))
		return !(rec->flags & ~UET_COMPLETION_REFUSED) && !rec->match &&
		       !rec->msg_length && !rec->offset && (rec->error || !rec->peer);
	return rec->count == 1 && rec->length <= rec->msg_length &&
	       !(rec->flags & ~(UET_COMPLETION_RECV | UET_COMPLETION_HDATA |
				UET_COMPLETION_TRUNC | UET_COMPLETION_LAST |
				UET_COMPLETION_REFUSED)) &&
	       !(rec->flags & UET_COMPLETION_TRUNC) ==
	       (rec->error || rec->length == rec->msg_length);
}

#endif
