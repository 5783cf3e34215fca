/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Matching: which posted receive takes a message, and which message that came
 * unexpected a receive takes that is posted later.  A struct uet_match holds the
 * receives that wait and the unexpected messages of one endpoint; it knows what
 * they are matched by and the order in which they came, not what they are.
 *
 * Receives and messages are found by hash: what ten cost, ten thousand cost.  The
 * exception are receives with ignore bits, which have to be compared one by one,
 * and the unexpected messages when such a receive is posted.  Of several that
 * fit, the one that came first is taken.
 *
 * Implements the matching rules of uet-wire 3.14 (UE 1.0.1 3.4.3.6): match bits
 * and initiator id, any source, ignore bits; tagged and untagged are apart.
 * Level: core L5, beside ses.
 *
 * Locking: the caller serialises per struct uet_match.  Receives, messages and
 * the hash table are the caller's memory.
 */
#ifndef UET_CORE_MATCH_H
#define UET_CORE_MATCH_H

#include "core/shim.h"
#include "core/wire/wire.h"

/* Buckets of a hash table: not less than the first, never more than the last. */
#define UET_MATCH_BUCKETS_MIN	1024
#define UET_MATCH_BUCKETS_MAX	65536

/**
 * struct uet_match_key - what a message is matched by
 * @bits: match bits; 0 in an untagged message
 * @initiator: initiator id of its sender
 * @is_tagged: it is for tagged receives
 */
struct uet_match_key {
	u64 bits;
	u32 initiator;
	bool is_tagged;
};

/**
 * struct uet_match_node - one entry of the hash table; private
 * @link: in its bucket if it is the first with its key, else empty
 * @same: ring of those with its key, in the order in which they came
 * @bits: the key: match bits or a cookie,
 * @source: initiator id or 0,
 * @kind: and what is looked for by it
 */
struct uet_match_node {
	struct list_head link;
	struct list_head same;
	u64 bits;
	u32 source;
	u8 kind;
};

/**
 * struct uet_match_recv - a posted receive
 * @want: what it takes, but for what follows; the caller's, as these are
 * @ignore: match bits that need not be alike
 * @cookie: what it can be cancelled by
 * @is_any_source: messages of any initiator fit
 * @link: in uet_match.posted; the caller's once it is not posted any more
 * @by_key: found by a message; with @ignore in uet_match.wild instead
 * @by_cookie: found by @cookie
 * @seq: which one it is of those ever posted
 */
struct uet_match_recv {
	struct uet_match_key want;
	u64 ignore;
	u64 cookie;
	bool is_any_source;

	struct list_head link;
	struct uet_match_node by_key;
	struct uet_match_node by_cookie;
	u64 seq;
};

/**
 * struct uet_match_msg - an unexpected message
 * @match_key: what it is matched by; the caller's, as @is_held is
 * @is_held: no receive can have it now
 * @link: in uet_match.msgs; empty when it is not there, to begin with by
 *	uet_match_msg_init()
 * @by_source: found by receives for its source
 * @by_bits: found by receives for any source
 */
struct uet_match_msg {
	struct uet_match_key match_key;
	bool is_held;

	struct list_head link;
	struct uet_match_node by_source;
	struct uet_match_node by_bits;
};

/**
 * struct uet_match - the receives and unexpected messages of an endpoint
 * @buckets: hash table of struct uet_match_node, NULL before the first
 *	uet_match_grow(): then nothing is found, and no message is added
 * @nr_buckets: its size, a power of two
 * @nr_nodes: entries in it
 * @seed: makes hashes unpredictable for peers
 * @posted: receives that wait, in the order in which they were posted
 * @wild: those of them with ignore bits, in that order, by_key.link
 * @msgs: unexpected messages, in the order in which they came
 * @nr_posted: receives that wait; may be read without serialising
 * @nr_wild: entries of @wild
 * @next_seq: of the next receive
 * @steps: entries looked at so far
 */
struct uet_match {
	struct list_head *buckets;
	u32 nr_buckets;
	u32 nr_nodes;
	u64 seed;
	struct list_head posted;
	struct list_head wild;
	struct list_head msgs;
	u32 nr_posted;
	u32 nr_wild;
	u64 next_seq;
	u64 steps;
};

bool uet_match_key(const struct uet_ses_req *req,
		   struct uet_match_key *match_key);
void uet_match_init(struct uet_match *m, u64 seed);

/* The hash table. */
u32 uet_match_wants(const struct uet_match *m);
struct list_head *uet_match_grow(struct uet_match *m, struct list_head *buckets,
				 u32 nr);

/* Receives. */
void uet_match_post(struct uet_match *m, struct uet_match_recv *recv);
void uet_match_unpost(struct uet_match *m, struct uet_match_recv *recv);
struct uet_match_recv *
uet_match_find_recv(struct uet_match *m, const struct uet_match_key *match_key);
struct uet_match_recv *uet_match_find_cookie(struct uet_match *m, u64 cookie);

/* Unexpected messages. */
void uet_match_msg_init(struct uet_match_msg *msg);
void uet_match_add_msg(struct uet_match *m, struct uet_match_msg *msg);
void uet_match_del_msg(struct uet_match *m, struct uet_match_msg *msg);
struct uet_match_msg *uet_match_find_msg(struct uet_match *m,
					 const struct uet_match_recv *recv);

#endif /* UET_CORE_MATCH_H */
