/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Matching: the posted receive for a message, and the unexpected message for a receive posted
 * later, by keys and by the order of arrival.  A struct uet_match has those of one endpoint.
 *
 * Both are found by hash, at a cost independent of their number: a search by each set of
 * ignore bits that receives wait with.  Of several matching entries the earliest is taken.
 * One exception: messages are hashed for the first sets of ignore bits that an endpoint uses,
 * and compared one by one for a receive with other ignore bits.
 *
 * No call takes more than UET_MATCH_BATCH steps that depend on the number of entries.  Longer
 * work is a walk through the messages in the order of their arrival: hashing them for the
 * first receive or further ignore bits, and comparing them.  An endpoint has one walk at a
 * time.  A message that comes meanwhile is at the end of the list, so the walk finds it.
 * The table grows by a bucket with each entry.  Only the number of its claim finds a claimed
 * message.
 *
 * Any context; the caller serialises per struct uet_match, walks too, and owns the memory.
 * Spec: uet-wire 3.14 (UE 1.0.1 3.4.3.6): match bits and initiator id, any source, ignore
 * bits; tagged and untagged are separate.  Level: core L5, beside ses.
 */
#ifndef UET_CORE_MATCH_H
#define UET_CORE_MATCH_H

#include "core/shim.h"
#include "core/wire/wire.h"

/*
 * A block of the hash table, bytes; its buckets; and blocks at most, with a NULL behind them:
 * 261,632 buckets on a 64-bit machine.
 */
#define UET_MATCH_BLOCK		4096
#define UET_MATCH_BUCKETS	((u32)(UET_MATCH_BLOCK / sizeof(struct hlist_head)))
#define UET_MATCH_BLOCKS	((u32)(UET_MATCH_BLOCK / sizeof(struct hlist_head *) - 1))

/* Messages that one call of a walk passes. */
#define UET_MATCH_BATCH		64

/*
 * Sets of ignore bits with which receives wait at a time, the empty one included: each costs a
 * search per message.  MPI libraries use two to four; all prefixes and suffixes are 127.
 */
#define UET_MATCH_MASKS		128

/* Sets of ignore bits for which messages are hashed, the empty set included. */
#define UET_MATCH_INDEXES	4

/*
 * struct uet_match_key - key of a message
 * @is_tagged: the message matches tagged receives only
 * @peer: number by which the caller knows the sender; 0: the sender is not known
 */
struct uet_match_key {
	u64 bits;
	u32 initiator;
	bool is_tagged;
	u32 peer;
};

/**
 * struct uet_match_node - one entry of the hash table; private
 * @link: entry in the bucket if this is the first with its key, else unhashed
 * @same: ring of the entries with the same key, in order of arrival
 * @bits: match bits without ignored bits, or a cookie
 * @source: initiator id, number of the peer, or 0
 * @kind: kind of the search, and whether tagged
 * @mask: index of the ignore bits in uet_match.masks
 */
struct uet_match_node {
	struct hlist_node link;
	struct list_head same;
	u64 bits;
	u32 source;
	u8 kind;
	u8 mask;
};

/*
 * struct uet_match_mask - a set of ignore bits, and posted receives with it by source; private
 */
struct uet_match_mask {
	u64 ignore;
	u32 nr_of_source;
	u32 nr_of_any;
	u32 nr_of_peer;
};

/*
 * struct uet_match_recv - a posted receive; the caller sets the fields above the blank line
 * @ignore: match bits not to be compared
 * @is_any_source: a message of any initiator matches
 * @is_of_peer: the peer is compared instead of the initiator id
 *
 * @link: entry in uet_match.posted; for the caller's use when not posted
 * @seq: sequence number among all receives ever posted
 */
struct uet_match_recv {
	struct uet_match_key want;
	u64 ignore;
	u64 cookie;
	bool is_any_source;
	bool is_of_peer;

	struct list_head link;
	struct uet_match_node by_key;
	struct uet_match_node by_cookie;
	u64 seq;
};

/*
 * struct uet_match_msg - an unexpected message; the caller sets the fields above the blank line
 * @is_held: no receive may take the message now; cleared by uet_match_release_msg()
 * @claim: number of the claim; 0: not claimed
 *
 * @link: entry in uet_match.msgs; empty when not there, as after uet_match_msg_init()
 * @nr_indexed: sets of ignore bits for which it is hashed: the indexes of @by_source, of
 *	@by_bits for any source, and, with a peer, of @by_peer
 * @by_bits: of a claimed message the first is the entry for searches by @claim
 */
struct uet_match_msg {
	struct uet_match_key match_key;
	bool is_held;
	u64 claim;

	struct list_head link;
	u8 nr_indexed;
	struct uet_match_node by_source[UET_MATCH_INDEXES];
	struct uet_match_node by_bits[UET_MATCH_INDEXES];
	struct uet_match_node by_peer[UET_MATCH_INDEXES];
};

/*
 * struct uet_match - the receives and unexpected messages of an endpoint
 * @blocks: of buckets; NULL before uet_match_add_block()
 * @nr_buckets: buckets in use
 * @nr_keys: different keys in the table
 * @seed: makes hashes unpredictable for peers
 * @masks: the first is empty.  The first UET_MATCH_INDEXES stay, and messages are hashed for
 *	them.  Others are free without receives
 * @nr_masks: entries of @masks up to the last one in use
 * @nr_indexed: sets of ignore bits for which all of @msgs are hashed; 0: there never was a
 *	receive.  May be read without serialising
 * @walk: the last entry of @msgs that the walk has passed, or the head of the list; NULL
 *	before the first walk
 * @nr_posted: may be read without serialising
 * @steps: entries compared so far
 */
struct uet_match {
	struct hlist_head **blocks;
	u32 nr_blocks;
	u32 nr_buckets;
	u32 nr_keys;
	u32 nr_nodes;
	u64 seed;
	struct list_head posted;
	struct list_head msgs;
	struct uet_match_mask masks[UET_MATCH_MASKS];
	u32 nr_masks;
	u32 nr_indexed;
	struct list_head *walk;
	u32 nr_posted;
	u64 next_seq;
	u64 last_claim;
	u64 steps;
};

bool uet_match_key(const struct uet_ses_req *req, struct uet_match_key *match_key);
void uet_match_init(struct uet_match *m, u64 seed);

/* Hash table. */
bool uet_match_wants_block(const struct uet_match *m);
void uet_match_add_block(struct uet_match *m, void *block);
struct hlist_head **uet_match_close(struct uet_match *m);

/* Walks. */
void uet_match_walk(struct uet_match *m);
struct uet_match_msg *uet_match_walk_next(struct uet_match *m);
bool uet_match_must_index(const struct uet_match *m, u64 ignore);
void uet_match_index_begin(struct uet_match *m, u64 ignore);
bool uet_match_index(struct uet_match *m);
bool uet_match_is_scan(const struct uet_match *m, u64 ignore);

/* Posted receives. */
bool uet_match_may_post(const struct uet_match *m, u64 ignore);
void uet_match_post(struct uet_match *m, struct uet_match_recv *recv);
void uet_match_unpost(struct uet_match *m, struct uet_match_recv *recv);
struct uet_match_recv *
uet_match_find_recv(struct uet_match *m, const struct uet_match_key *match_key);
struct uet_match_recv *uet_match_find_cookie(struct uet_match *m, u64 cookie);

/* Unexpected messages. */
void uet_match_msg_init(struct uet_match_msg *msg);
void uet_match_add_msg(struct uet_match *m, struct uet_match_msg *msg);
void uet_match_del_msg(struct uet_match *m, struct uet_match_msg *msg);
void uet_match_set_peer(struct uet_match *m, struct uet_match_msg *msg, u32 peer);
void uet_match_release_msg(struct uet_match *m, struct uet_match_msg *msg);
bool uet_match_find_msg(struct uet_match *m, const struct uet_match_recv *recv,
			struct uet_match_msg **msg);
void uet_match_claim_msg(struct uet_match *m, struct uet_match_msg *msg);
struct uet_match_msg *uet_match_find_claim(struct uet_match *m, u64 claim);

#endif /* UET_CORE_MATCH_H */
