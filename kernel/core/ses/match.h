/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Matching: the posted receive for a message, and the unexpected message for a
 * receive posted later.  A struct uet_match holds the posted receives and the
 * unexpected messages of one endpoint.  Matching uses keys and the order of
 * arrival; the contents of messages are not known here.
 *
 * Receives and messages are found by hash, at a cost independent of their
 * number.  There are two exceptions: receives with ignore bits are compared one
 * by one, and so are the unexpected messages when such a receive is posted.  If
 * several entries match, the earliest is taken.
 *
 * Implements the matching rules of uet-wire 3.14 (UE 1.0.1 3.4.3.6): match bits
 * and initiator id, any source, ignore bits; tagged and untagged are separate.
 * Level: core L5, beside ses.
 *
 * Locking: the caller serialises per struct uet_match, and owns the memory of
 * receives, messages and the hash table.
 */
#ifndef UET_CORE_MATCH_H
#define UET_CORE_MATCH_H

#include "core/shim.h"
#include "core/wire/wire.h"

/*
 * Limits of the number of buckets.  1024 buckets take 16 KiB and 65536 take 1
 * MiB on a 64-bit machine; more entries share buckets.
 */
#define UET_MATCH_BUCKETS_MIN	1024
#define UET_MATCH_BUCKETS_MAX	65536

/**
 * struct uet_match_key - key of a message
 * @bits: match bits; 0 in an untagged message
 * @initiator: initiator id of the sender
 * @is_tagged: the message matches tagged receives only
 */
struct uet_match_key {
	u64 bits;
	u32 initiator;
	bool is_tagged;
};

/**
 * struct uet_match_node - one entry of the hash table; private
 * @link: entry in the bucket if this is the first with its key, else empty
 * @same: ring of the entries with the same key, in order of arrival
 * @bits: key: match bits or a cookie
 * @source: key: initiator id or 0
 * @kind: key: kind of the search, and whether tagged
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
 * @want: key that matches; set by the caller, as @ignore, @cookie and
 *	@is_any_source
 * @ignore: match bits not to be compared
 * @cookie: cookie for cancelling the receive
 * @is_any_source: a message of any initiator matches
 * @link: entry in uet_match.posted; for the caller's use when not posted
 * @by_key: entry for searches of messages; with @ignore in uet_match.wild
 *	instead
 * @by_cookie: entry for searches by @cookie
 * @seq: sequence number among all receives ever posted
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
 * @match_key: key of the message; set by the caller, as @is_held
 * @is_held: no receive may take the message now
 * @link: entry in uet_match.msgs; empty when not in the table, as after
 *	uet_match_msg_init()
 * @by_source: entry for receives from one source
 * @by_bits: entry for receives from any source
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
 * @buckets: hash table of struct uet_match_node; NULL before the first
 *	uet_match_grow(): nothing is found then, and no message is added
 * @nr_buckets: number of buckets, a power of two
 * @nr_nodes: entries in the table
 * @seed: makes hashes unpredictable for peers
 * @posted: posted receives, in the order of posting
 * @wild: posted receives with ignore bits, in the order of posting, by_key.link
 * @msgs: unexpected messages, in order of arrival
 * @nr_posted: posted receives; may be read without serialising
 * @nr_wild: entries of @wild
 * @next_seq: sequence number of the next receive
 * @steps: entries compared so far
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

/* Hash table. */
u32 uet_match_wants(const struct uet_match *m);
struct list_head *uet_match_grow(struct uet_match *m, struct list_head *buckets,
				 u32 nr);

/* Posted receives. */
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
