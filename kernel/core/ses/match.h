/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Matching: the posted receive for a message, and the unexpected message for a
 * receive posted later.  A struct uet_match holds the posted receives and the
 * unexpected messages of one endpoint.  Matching uses keys and the order of
 * arrival; the contents of messages are not known here.
 *
 * Receives and messages are found by hash, at a cost independent of their
 * number: a search by each set of ignore bits that receives wait with.  If several
 * entries match, the earliest is taken.  One exception: messages are hashed for
 * the first sets of ignore bits that an endpoint uses, and compared one by one for
 * a receive with other ignore bits.
 *
 * No call takes more than UET_MATCH_BATCH steps that depend on the number of entries.
 * Longer work is a walk through the messages, in the order of their arrival: hashing
 * them for the first receive, or for further ignore bits, and comparing them one by one.
 * An endpoint has one walk at a time.  Between two calls messages come and go: a new one
 * is at the end of the list, so the walk finds it.  The table grows by a bucket with each
 * entry.
 *
 * Implements the matching rules of uet-wire 3.14 (UE 1.0.1 3.4.3.6): match bits
 * and initiator id, any source, ignore bits; tagged and untagged are separate.
 * Level: core L5, beside ses.
 *
 * A message can be claimed: only the number of the claim finds it then.
 *
 * Locking: the caller serialises per struct uet_match, and owns the memory of
 * receives, messages and the hash table.  It serialises walks as well.
 */
#ifndef UET_CORE_MATCH_H
#define UET_CORE_MATCH_H

#include "core/shim.h"
#include "core/wire/wire.h"

/* Size of a block of the hash table, bytes. */
#define UET_MATCH_BLOCK		4096

/*
 * Buckets of a block, and blocks of buckets at most: 261,632 buckets on a 64-bit machine.
 * A NULL follows the address of the last block.
 */
#define UET_MATCH_BUCKETS	((u32)(UET_MATCH_BLOCK / sizeof(struct hlist_head)))
#define UET_MATCH_BLOCKS	((u32)(UET_MATCH_BLOCK / sizeof(struct hlist_head *) - 1))

/* Messages that one call of a walk passes. */
#define UET_MATCH_BATCH		64

/*
 * Limit of the sets of ignore bits with which receives wait at a time, the empty set
 * included: each costs a search per message.  MPI libraries use two to four; all prefixes
 * and all suffixes of the match bits are 127.
 */
#define UET_MATCH_MASKS		128

/* Sets of ignore bits for which messages are hashed, the empty set included. */
#define UET_MATCH_INDEXES	4

/**
 * struct uet_match_key - key of a message
 * @bits: match bits; 0 in an untagged message
 * @initiator: initiator id of the sender
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
 * @bits: key: match bits without ignored bits, or a cookie
 * @source: key: initiator id, number of the peer, or 0
 * @kind: key: kind of the search, and whether tagged
 * @mask: key: index of the ignore bits in uet_match.masks
 */
struct uet_match_node {
	struct hlist_node link;
	struct list_head same;
	u64 bits;
	u32 source;
	u8 kind;
	u8 mask;
};

/**
 * struct uet_match_mask - a set of ignore bits; private
 * @ignore: match bits not to be compared
 * @nr_of_source: posted receives with @ignore for one source
 * @nr_of_any: posted receives with @ignore for any source
 * @nr_of_peer: posted receives with @ignore for one peer
 */
struct uet_match_mask {
	u64 ignore;
	u32 nr_of_source;
	u32 nr_of_any;
	u32 nr_of_peer;
};

/**
 * struct uet_match_recv - a posted receive
 * @want: key that matches; set by the caller, as @ignore, @cookie, @is_any_source and
 *	@is_of_peer
 * @ignore: match bits not to be compared
 * @cookie: cookie for cancelling the receive
 * @is_any_source: a message of any initiator matches
 * @is_of_peer: the peer is compared instead of the initiator id
 * @link: entry in uet_match.posted; for the caller's use when not posted
 * @by_key: entry for searches of messages
 * @by_cookie: entry for searches by @cookie
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

/**
 * struct uet_match_msg - an unexpected message
 * @match_key: key of the message; set by the caller, as @is_held
 * @is_held: no receive may take the message now; cleared by uet_match_release_msg()
 * @claim: number of the claim; 0: not claimed
 * @link: entry in uet_match.msgs; empty when not there, as after
 *	uet_match_msg_init()
 * @nr_indexed: sets of ignore bits for which it is hashed
 * @by_source: entries for receives from one source, by index of the ignore bits
 * @by_bits: entries for receives from any source, by index of the ignore bits; of a
 *	claimed message the first is the entry for searches by @claim
 * @by_peer: with a peer, entries for receives from it, by index of the ignore bits
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

/**
 * struct uet_match - the receives and unexpected messages of an endpoint
 * @blocks: hash table of struct uet_match_node: blocks of buckets; NULL before
 *	uet_match_add_block()
 * @nr_blocks: blocks of buckets
 * @nr_buckets: buckets in use
 * @nr_keys: different keys in the table
 * @nr_nodes: entries in the table
 * @seed: makes hashes unpredictable for peers
 * @posted: posted receives, in the order of posting
 * @masks: sets of ignore bits; the first is empty.  The first UET_MATCH_INDEXES
 *	stay, and messages are hashed for them.  Others are free without receives
 * @nr_masks: entries of @masks up to the last one in use
 * @nr_indexed: sets of ignore bits for which all of @msgs are hashed; 0: there never was a
 *	receive.  May be read without serialising
 * @walk: the last entry of @msgs that the walk has passed, or the head of the list; NULL
 *	before the first walk
 * @msgs: unexpected messages, in order of arrival
 * @nr_posted: posted receives; may be read without serialising
 * @next_seq: sequence number of the next receive
 * @last_claim: number of the last claim; 0: none yet
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

bool uet_match_key(const struct uet_ses_req *req,
		   struct uet_match_key *match_key);
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
void uet_match_set_peer(struct uet_match *m, struct uet_match_msg *msg,
			u32 peer);
void uet_match_release_msg(struct uet_match *m, struct uet_match_msg *msg);
bool uet_match_find_msg(struct uet_match *m, const struct uet_match_recv *recv,
			struct uet_match_msg **msg);
void uet_match_claim_msg(struct uet_match *m, struct uet_match_msg *msg);
struct uet_match_msg *uet_match_find_claim(struct uet_match *m, u64 claim);

#endif /* UET_CORE_MATCH_H */
