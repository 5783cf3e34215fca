// SPDX-License-Identifier: GPL-2.0
/*
 * Matching of messages and posted receives.  One hash table serves all searches; the kind of
 * a search is part of the key.  Entries with the same key form a ring, and only the first is
 * in a bucket: ten thousand receives for one tag cost a search for another tag one step, and
 * removal takes constant time.
 *
 * A receive has one entry, with the key {match bits, source}, {match bits, peer} or {match
 * bits}, without the bits that it ignores.  A message needs up to three searches for each set
 * of ignore bits that receives wait with; the sequence number selects among the results.  A
 * message has all entries for each of the first sets, so a receive needs one search.
 *
 * The table is a linear hash table: it grows by one bucket, which takes its entries from one
 * other bucket.  Buckets are in blocks, because a block can be allocated at any time.
 * Level: core L5.
 */
#include "match.h"

/* Kinds of searches: even, because the lowest bit of uet_match_node.kind means tagged. */
enum match_kind {
	MATCH_RECV_OF_SOURCE = 0,
	MATCH_RECV_OF_ANY = 2,
	MATCH_RECV_BY_COOKIE = 4,
	MATCH_MSG_BY_SOURCE = 6,
	MATCH_MSG_BY_BITS = 8,
	MATCH_MSG_BY_CLAIM = 10,
	MATCH_RECV_OF_PEER = 12,
	MATCH_MSG_BY_PEER = 14,
};

static struct hlist_head *match_bucket_at(const struct uet_match *m, u32 i)
{
	return &m->blocks[i / UET_MATCH_BUCKETS][i % UET_MATCH_BUCKETS];
}

static struct hlist_head *match_bucket(const struct uet_match *m,
				       const struct uet_match_node *key)
{
	u64 hash = key->bits ^ m->seed;
	u32 mask = roundup_pow_of_two(m->nr_buckets) - 1;

	/* The finaliser of MurmurHash3; source and kind are mixed in half way. */
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
	hash ^= (u64)key->source << 16 | key->mask << 8 | key->kind;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	hash ^= hash >> 33;
	/* A bucket that does not exist yet has its entries in the one it will split. */
	return match_bucket_at(m, (hash & mask) < m->nr_buckets ? hash & mask : hash & mask >> 1);
}

static struct uet_match_node *match_first(struct uet_match *m, const struct uet_match_node *key)
{
	struct uet_match_node *node;

	hlist_for_each_entry(node, match_bucket(m, key), link) {
		m->steps++;
		if (node->bits == key->bits && node->source == key->source &&
		    node->kind == key->kind && node->mask == key->mask)
			return node;
	}
	return NULL;
}

/* One more bucket, if fewer than two buckets are there for each key. */
static void match_split(struct uet_match *m)
{
	struct uet_match_node *node;
	struct hlist_node *next;
	struct hlist_head *old;
	u32 nr = m->nr_buckets;

	if (m->nr_keys < nr / 2 || nr == m->nr_blocks * UET_MATCH_BUCKETS)
		return;
	old = match_bucket_at(m, nr - (roundup_pow_of_two(nr + 1) >> 1));
	m->nr_buckets++;
	hlist_for_each_entry_safe(node, next, old, link) {
		hlist_del_init(&node->link);
		hlist_add_head(&node->link, match_bucket(m, node));
	}
}

static void match_add_key(struct uet_match *m, struct uet_match_node *node)
{
	u32 left;

	hlist_add_head(&node->link, match_bucket(m, node));
	m->nr_keys++;
	/* More than two, to catch up after times without memory for a block. */
	for (left = 4; left; left--)
		match_split(m);
}

static void match_add(struct uet_match *m, struct uet_match_node *node)
{
	struct uet_match_node *first = match_first(m, node);

	INIT_HLIST_NODE(&node->link);
	INIT_LIST_HEAD(&node->same);
	if (first)
		list_add_tail(&node->same, &first->same);
	else
		match_add_key(m, node);
	m->nr_nodes++;
}

static void match_del(struct uet_match *m, struct uet_match_node *node)
{
	struct uet_match_node *next;

	m->nr_nodes--;
	if (!hlist_unhashed(&node->link)) {
		hlist_del_init(&node->link);
		m->nr_keys--;
		if (!list_empty(&node->same)) {
			next = list_first_entry(&node->same, struct uet_match_node, same);
			hlist_add_head(&next->link, match_bucket(m, next));
			m->nr_keys++;
		}
	}
	list_del_init(&node->same);
}

static u32 match_source(enum match_kind kind, const struct uet_match_key *match_key)
{
	switch (kind) {
	case MATCH_RECV_OF_SOURCE:
	case MATCH_MSG_BY_SOURCE:
		return match_key->initiator;
	case MATCH_RECV_OF_PEER:
	case MATCH_MSG_BY_PEER:
		return match_key->peer;
	default:
		return 0;
	}
}

/* The key for a search of a kind, without the ignore bits @mask. */
static struct uet_match_node
match_mask_key(const struct uet_match *m, enum match_kind kind, u32 mask,
	       const struct uet_match_key *match_key)
{
	return (struct uet_match_node){
		.bits = match_key->bits & ~m->masks[mask].ignore,
		.source = match_source(kind, match_key),
		.kind = kind | match_key->is_tagged,
		.mask = mask,
	};
}

static struct uet_match_node match_cookie_key(u64 cookie)
{
	return (struct uet_match_node){
		.bits = cookie, .kind = MATCH_RECV_BY_COOKIE,
	};
}

static struct uet_match_node match_claim_key(u64 claim)
{
	return (struct uet_match_node){
		.bits = claim, .kind = MATCH_MSG_BY_CLAIM,
	};
}

/*
 * uet_match_key() - the key that a message is matched by; false: no send, so no receive matches
 * Spec: uet-wire 3.14 (tag match), UE 1.0.1 Table 3-17.
 */
bool uet_match_key(const struct uet_ses_req *req, struct uet_match_key *match_key)
{
	u8 flags = uet_wire_op(req->opcode)->flags;

	*match_key = (struct uet_match_key){ .initiator = req->initiator };
	if (!(flags & UET_OPF_RECV))
		return false;
	if (flags & UET_OPF_TAGGED) {
		match_key->is_tagged = true;
		match_key->bits = req->match;
	}
	return true;
}

/*
 * uet_match_init() - initialise an endpoint without receives and messages
 * @seed: a number unknown to peers
 */
void uet_match_init(struct uet_match *m, u64 seed)
{
	memset(m, 0, sizeof(*m));
	m->seed = seed;
	INIT_LIST_HEAD(&m->posted);
	INIT_LIST_HEAD(&m->msgs);
	m->nr_masks = 1;
}

/*
 * uet_match_wants_block() - does the hash table need another block?
 * Without it a table with buckets works, but its buckets are fuller.
 */
bool uet_match_wants_block(const struct uet_match *m)
{
	return !m->nr_blocks ||
	       (m->nr_keys + UET_MATCH_BUCKETS / 4 >=
			m->nr_blocks * (UET_MATCH_BUCKETS / 2) &&
		m->nr_blocks < UET_MATCH_BLOCKS);
}

/*
 * uet_match_add_block() - give UET_MATCH_BLOCK zeroed bytes to the hash table
 * The first block has the addresses of the others, so the table needs two.
 */
void uet_match_add_block(struct uet_match *m, void *block)
{
	if (!m->blocks) {
		m->blocks = block;
		return;
	}
	m->blocks[m->nr_blocks++] = block;
	if (m->nr_blocks == 1)
		m->nr_buckets = UET_MATCH_BUCKETS;
}

/*
 * uet_match_close() - take the memory of the hash table back, when no entry will come
 * Return: the first block, with the addresses of the others and a NULL; NULL without any.
 */
struct hlist_head **uet_match_close(struct uet_match *m)
{
	struct hlist_head **blocks = m->blocks;

	WRITE_ONCE(m->nr_indexed, 0);
	m->blocks = NULL;
	m->nr_blocks = 0;
	m->nr_buckets = 0;
	return blocks;
}

static bool match_mask_is_used(const struct uet_match_mask *mask)
{
	return mask->nr_of_source || mask->nr_of_any || mask->nr_of_peer;
}

/* The index of the entry for ignore bits, or of an entry to be used for them; -1 without one. */
static int match_mask(const struct uet_match *m, u64 ignore)
{
	int i, nr = m->nr_masks, unused = nr < UET_MATCH_MASKS ? nr : -1;

	for (i = 0; i < nr; i++) {
		if (m->masks[i].ignore == ignore)
			return i;
		if (i >= UET_MATCH_INDEXES && !match_mask_is_used(&m->masks[i]))
			unused = i;
	}
	return unused;
}

static void match_index_peer(struct uet_match *m, struct uet_match_msg *msg, u32 mask)
{
	msg->by_peer[mask] = match_mask_key(m, MATCH_MSG_BY_PEER, mask, &msg->match_key);
	match_add(m, &msg->by_peer[mask]);
}

static void match_index_msg(struct uet_match *m, struct uet_match_msg *msg, u32 mask)
{
	const struct uet_match_key *match_key = &msg->match_key;

	msg->by_source[mask] = match_mask_key(m, MATCH_MSG_BY_SOURCE, mask, match_key);
	msg->by_bits[mask] = match_mask_key(m, MATCH_MSG_BY_BITS, mask, match_key);
	match_add(m, &msg->by_source[mask]);
	match_add(m, &msg->by_bits[mask]);
	if (match_key->peer)
		match_index_peer(m, msg, mask);
}

static void match_mask_use(struct uet_match *m, u32 i, u64 ignore)
{
	m->masks[i].ignore = ignore;
	m->nr_masks = max(m->nr_masks, i + 1);
}

/* ----------------------------------------------------------------------- walks */

/*
 * uet_match_walk() - begin a walk through the unexpected messages; another has ended
 */
void uet_match_walk(struct uet_match *m)
{
	m->walk = &m->msgs;
}

/*
 * uet_match_walk_next() - the next message of the walk; NULL if it has passed all
 */
struct uet_match_msg *uet_match_walk_next(struct uet_match *m)
{
	m->steps++;
	if (list_is_last(m->walk, &m->msgs))
		return NULL;
	m->walk = m->walk->next;
	return list_entry(m->walk, struct uet_match_msg, link);
}

/*
 * uet_match_must_index() - are messages to be hashed before a receive with these bits is used?
 * If so: uet_match_index_begin() and uet_match_index(), until this is false.
 */
bool uet_match_must_index(const struct uet_match *m, u64 ignore)
{
	int mask = match_mask(m, ignore);

	return !m->nr_indexed || (mask >= (int)m->nr_indexed && mask < UET_MATCH_INDEXES);
}

/*
 * uet_match_index_begin() - begin a walk that hashes messages for further ignore bits
 */
void uet_match_index_begin(struct uet_match *m, u64 ignore)
{
	int mask = match_mask(m, ignore);

	if (mask >= 0 && mask < UET_MATCH_INDEXES)
		match_mask_use(m, mask, ignore);
	uet_match_walk(m);
}

/*
 * uet_match_index() - hash some messages; true: all are hashed for one more set of ignore bits
 * Messages that arrive meanwhile are hashed by a later call, in their order.
 */
bool uet_match_index(struct uet_match *m)
{
	struct uet_match_msg *msg;
	u32 left;

	for (left = UET_MATCH_BATCH; left; left--) {
		msg = uet_match_walk_next(m);
		if (!msg) {
			/* Pairs with the READ_ONCE() of those who look without lock. */
			WRITE_ONCE(m->nr_indexed, m->nr_indexed + 1);
			return true;
		}
		/* An earlier walk may have been given up. */
		if (msg->nr_indexed == m->nr_indexed)
			match_index_msg(m, msg, msg->nr_indexed++);
	}
	return false;
}

/*
 * uet_match_is_scan() - does a receive compare messages one by one, behind uet_match_walk()?
 * @ignore: not uet_match_must_index(); the answer does not change
 */
bool uet_match_is_scan(const struct uet_match *m, u64 ignore)
{
	int mask = match_mask(m, ignore);

	return mask < 0 || mask >= UET_MATCH_INDEXES;
}

/* -------------------------------------------------------------------- receives */

static void match_mask_count(struct uet_match *m, const struct uet_match_recv *recv, s32 by)
{
	struct uet_match_mask *mask = &m->masks[recv->by_key.mask];

	if (recv->is_any_source)
		mask->nr_of_any += by;
	else if (recv->is_of_peer)
		mask->nr_of_peer += by;
	else
		mask->nr_of_source += by;
}

/*
 * uet_match_may_post() - can a receive with these ignore bits be posted?
 * False if receives wait with UET_MATCH_MASKS other sets of ignore bits.
 */
bool uet_match_may_post(const struct uet_match *m, u64 ignore)
{
	return match_mask(m, ignore) >= 0;
}

static enum match_kind match_recv_kind(const struct uet_match_recv *recv)
{
	if (recv->is_any_source)
		return MATCH_RECV_OF_ANY;
	return recv->is_of_peer ? MATCH_RECV_OF_PEER : MATCH_RECV_OF_SOURCE;
}

/*
 * uet_match_post() - add a posted receive, with uet_match_may_post(), not uet_match_must_index()
 * @recv: in use until uet_match_unpost()
 */
void uet_match_post(struct uet_match *m, struct uet_match_recv *recv)
{
	u32 mask = match_mask(m, recv->ignore);

	match_mask_use(m, mask, recv->ignore);
	recv->seq = m->next_seq++;
	recv->by_key = match_mask_key(m, match_recv_kind(recv), mask, &recv->want);
	match_add(m, &recv->by_key);
	match_mask_count(m, recv, 1);
	recv->by_cookie = match_cookie_key(recv->cookie);
	match_add(m, &recv->by_cookie);
	list_add_tail(&recv->link, &m->posted);
	WRITE_ONCE(m->nr_posted, m->nr_posted + 1);
}

/*
 * uet_match_unpost() - remove a posted receive
 */
void uet_match_unpost(struct uet_match *m, struct uet_match_recv *recv)
{
	match_del(m, &recv->by_key);
	match_mask_count(m, recv, -1);
	while (m->nr_masks > UET_MATCH_INDEXES && !match_mask_is_used(&m->masks[m->nr_masks - 1]))
		m->nr_masks--;
	match_del(m, &recv->by_cookie);
	list_del_init(&recv->link);
	WRITE_ONCE(m->nr_posted, m->nr_posted - 1);
}

static bool match_fits(const struct uet_match_recv *recv, const struct uet_match_key *match_key)
{
	if (recv->want.is_tagged != match_key->is_tagged ||
	    (recv->want.bits ^ match_key->bits) & ~recv->ignore)
		return false;
	if (recv->is_of_peer)
		return recv->want.peer == match_key->peer;
	return recv->is_any_source || recv->want.initiator == match_key->initiator;
}

static struct uet_match_recv *match_earlier(struct uet_match_recv *a, struct uet_match_node *node)
{
	struct uet_match_recv *b;

	if (!node)
		return a;
	b = container_of(node, struct uet_match_recv, by_key);
	return a && a->seq < b->seq ? a : b;
}

/* The earlier of @best and the first receive with ignore bits @mask that matches. */
static struct uet_match_recv *
match_by_mask(struct uet_match *m, u32 mask, const struct uet_match_key *match_key,
	      struct uet_match_recv *best)
{
	struct uet_match_node key;

	if (m->masks[mask].nr_of_source) {
		key = match_mask_key(m, MATCH_RECV_OF_SOURCE, mask, match_key);
		best = match_earlier(best, match_first(m, &key));
	}
	if (m->masks[mask].nr_of_any) {
		key = match_mask_key(m, MATCH_RECV_OF_ANY, mask, match_key);
		best = match_earlier(best, match_first(m, &key));
	}
	if (m->masks[mask].nr_of_peer && match_key->peer) {
		key = match_mask_key(m, MATCH_RECV_OF_PEER, mask, match_key);
		best = match_earlier(best, match_first(m, &key));
	}
	return best;
}

/*
 * uet_match_find_recv() - the first posted of the receives that match, still posted; or NULL
 * Takes a few steps for each set of ignore bits that receives wait with.
 */
struct uet_match_recv *
uet_match_find_recv(struct uet_match *m, const struct uet_match_key *match_key)
{
	struct uet_match_recv *best = NULL;
	u32 i;

	if (!m->nr_posted)
		return NULL;
	for (i = 0; i < m->nr_masks; i++)
		best = match_by_mask(m, i, match_key, best);
	return best;
}

/*
 * uet_match_find_cookie() - the first posted receive with this cookie, or NULL
 */
struct uet_match_recv *uet_match_find_cookie(struct uet_match *m, u64 cookie)
{
	struct uet_match_node key = match_cookie_key(cookie);
	struct uet_match_node *node = m->nr_posted ? match_first(m, &key) : NULL;

	return node ? container_of(node, struct uet_match_recv, by_cookie) : NULL;
}

/*
 * uet_match_msg_init() - initialise a message that is not in the table
 */
void uet_match_msg_init(struct uet_match_msg *msg)
{
	msg->match_key = (struct uet_match_key){};
	msg->is_held = false;
	msg->claim = 0;
	msg->nr_indexed = 0;
	INIT_LIST_HEAD(&msg->link);
}

/*
 * uet_match_add_msg() - add an unexpected message
 */
void uet_match_add_msg(struct uet_match *m, struct uet_match_msg *msg)
{
	for (msg->nr_indexed = 0; msg->nr_indexed < m->nr_indexed;
	     msg->nr_indexed++)
		match_index_msg(m, msg, msg->nr_indexed);
	list_add_tail(&msg->link, &m->msgs);
}

/*
 * uet_match_del_msg() - remove an unexpected message that is in the table, claimed, or neither
 */
void uet_match_del_msg(struct uet_match *m, struct uet_match_msg *msg)
{
	u32 i;

	if (msg->claim)
		match_del(m, &msg->by_bits[0]);
	msg->claim = 0;
	if (list_empty(&msg->link))
		return;
	for (i = 0; i < msg->nr_indexed; i++) {
		match_del(m, &msg->by_source[i]);
		match_del(m, &msg->by_bits[i]);
		if (msg->match_key.peer)
			match_del(m, &msg->by_peer[i]);
	}
	msg->nr_indexed = 0;
	if (m->walk == &msg->link)
		m->walk = msg->link.prev;
	list_del_init(&msg->link);
}

/*
 * uet_match_set_peer() - change the peer of an unexpected message; 0: not known
 * If messages of the peer are in the table, all of them arrived before @msg.
 */
void uet_match_set_peer(struct uet_match *m, struct uet_match_msg *msg, u32 peer)
{
	u32 i;

	if (msg->match_key.peer == peer)
		return;
	for (i = 0; msg->match_key.peer && i < msg->nr_indexed; i++)
		match_del(m, &msg->by_peer[i]);
	msg->match_key.peer = peer;
	for (i = 0; peer && i < msg->nr_indexed; i++)
		match_index_peer(m, msg, i);
}

/*
 * uet_match_release_msg() - let receives take a message that was held, in the table or not
 */
void uet_match_release_msg(struct uet_match *m, struct uet_match_msg *msg)
{
	msg->is_held = false;
	/* A receive that is compared just now may have passed it. */
	if (m->walk && !list_empty(&msg->link))
		uet_match_walk(m);
}

static struct uet_match_msg *match_msg(struct uet_match_node *node)
{
	struct uet_match_node *first = node - node->mask;

	if ((node->kind & ~1) == MATCH_MSG_BY_SOURCE)
		return container_of(first, struct uet_match_msg, by_source[0]);
	if ((node->kind & ~1) == MATCH_MSG_BY_PEER)
		return container_of(first, struct uet_match_msg, by_peer[0]);
	return container_of(first, struct uet_match_msg, by_bits[0]);
}

/* The first message with the key of @first that is not held. */
static struct uet_match_msg *match_free_msg(struct uet_match *m, struct uet_match_node *first)
{
	struct uet_match_node *node = first;
	struct uet_match_msg *msg;

	do {
		m->steps++;
		msg = match_msg(node);
		if (!msg->is_held)
			return msg;
		node = list_first_entry(&node->same, struct uet_match_node, same);
	} while (node != first);
	return NULL;
}

/* As uet_match_find_msg(), by comparing one after the other. */
static bool match_scan_msgs(struct uet_match *m, const struct uet_match_recv *recv,
			    struct uet_match_msg **msg)
{
	u32 left;

	for (left = UET_MATCH_BATCH; left; left--) {
		*msg = uet_match_walk_next(m);
		if (!*msg || (!(*msg)->is_held && match_fits(recv, &(*msg)->match_key)))
			return true;
	}
	*msg = NULL;
	return false;
}

static enum match_kind match_msg_kind(const struct uet_match_recv *recv)
{
	if (recv->is_any_source)
		return MATCH_MSG_BY_BITS;
	return recv->is_of_peer ? MATCH_MSG_BY_PEER : MATCH_MSG_BY_SOURCE;
}

/*
 * uet_match_find_msg() - find the first to arrive of the messages that match and are not held
 * @recv: uet_match_must_index() is false for it
 * @msg: result, still in the table; or NULL
 *
 * Takes a few steps plus the number of held messages.  Return: false, with
 * uet_match_is_scan(): call again to compare the next UET_MATCH_BATCH messages.
 */
bool uet_match_find_msg(struct uet_match *m, const struct uet_match_recv *recv,
			struct uet_match_msg **msg)
{
	int mask = match_mask(m, recv->ignore);
	struct uet_match_node key, *node;

	if (mask < 0 || mask >= UET_MATCH_INDEXES)
		return match_scan_msgs(m, recv, msg);
	key = match_mask_key(m, match_msg_kind(recv), mask, &recv->want);
	node = match_first(m, &key);
	*msg = node ? match_free_msg(m, node) : NULL;
	return true;
}

/*
 * uet_match_claim_msg() - take a message out of searches of receives, until uet_match_del_msg()
 * @msg: gets the number of its claim, which no other message of the endpoint ever has
 */
void uet_match_claim_msg(struct uet_match *m, struct uet_match_msg *msg)
{
	uet_match_del_msg(m, msg);
	msg->claim = ++m->last_claim;
	msg->by_bits[0] = match_claim_key(msg->claim);
	match_add(m, &msg->by_bits[0]);
}

/*
 * uet_match_find_claim() - the message that has this claim, or NULL
 */
struct uet_match_msg *uet_match_find_claim(struct uet_match *m, u64 claim)
{
	struct uet_match_node key = match_claim_key(claim);
	struct uet_match_node *node = m->last_claim ? match_first(m, &key) : NULL;

	return node ? container_of(node, struct uet_match_msg, by_bits[0]) : NULL;
}
