// SPDX-License-Identifier: GPL-2.0
/*
 * Matching of messages and posted receives.  One hash table serves all
 * searches; the kind of a search is part of the key.  Entries with the same key
 * form a ring, and only the first entry of a ring is in a bucket.  Ten thousand
 * receives for one tag thus cost a search for another tag one step, and removal
 * takes constant time.
 *
 * A receive has one entry, with the key {match bits, source} or {match bits}.
 * A message therefore needs two searches, and a third in the list of receives
 * with ignore bits; the sequence number selects among the three results.  A
 * message has both entries, so a receive needs one search.
 *
 * Implements the matching rules of uet-wire 3.14 (UE 1.0.1 3.4.3.6).
 * Level: core L5.
 */
#include "match.h"

/*
 * Kinds of searches.  Kinds are even: the lowest bit of uet_match_node.kind
 * means tagged.
 */
enum match_kind {
	MATCH_RECV_OF_SOURCE = 0,
	MATCH_RECV_OF_ANY = 2,
	MATCH_RECV_BY_COOKIE = 4,
	MATCH_MSG_BY_SOURCE = 6,
	MATCH_MSG_BY_BITS = 8,
};

static struct list_head *match_bucket(const struct uet_match *m,
				      const struct uet_match_node *key)
{
	u64 hash = key->bits ^ m->seed;

	/* The finaliser of MurmurHash3; source and kind are mixed in half way. */
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
	hash ^= (u64)key->source << 8 | key->kind;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	hash ^= hash >> 33;
	return &m->buckets[hash & (m->nr_buckets - 1)];
}

/* The first entry with the key of @key, or NULL. */
static struct uet_match_node *match_first(struct uet_match *m,
					  const struct uet_match_node *key)
{
	struct uet_match_node *node;

	list_for_each_entry(node, match_bucket(m, key), link) {
		m->steps++;
		if (node->bits == key->bits && node->source == key->source &&
		    node->kind == key->kind)
			return node;
	}
	return NULL;
}

static void match_add(struct uet_match *m, struct uet_match_node *node)
{
	struct uet_match_node *first = match_first(m, node);

	INIT_LIST_HEAD(&node->link);
	INIT_LIST_HEAD(&node->same);
	if (first)
		list_add_tail(&node->same, &first->same);
	else
		list_add_tail(&node->link, match_bucket(m, node));
	m->nr_nodes++;
}

static void match_del(struct uet_match *m, struct uet_match_node *node)
{
	struct uet_match_node *next;

	if (!list_empty(&node->link) && !list_empty(&node->same)) {
		next = list_first_entry(&node->same, struct uet_match_node,
					same);
		list_add(&next->link, &node->link);
	}
	list_del_init(&node->link);
	list_del_init(&node->same);
	m->nr_nodes--;
}

static struct uet_match_node
match_bucket_key(enum match_kind kind, bool is_tagged, u64 bits, u32 source)
{
	return (struct uet_match_node){
		.bits = bits, .source = source, .kind = kind | is_tagged,
	};
}

/**
 * uet_match_key() - the key that a message is matched by
 * @req: request header of the message, supported
 * @match_key: result
 *
 * Context: Any.
 * Return: false if the request is no send: no receive matches.
 * Spec: uet-wire 3.14 (tag match), UE 1.0.1 Table 3-17.
 */
bool uet_match_key(const struct uet_ses_req *req,
		   struct uet_match_key *match_key)
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

/**
 * uet_match_init() - initialise an endpoint without receives and messages
 * @m: memory of the caller
 * @seed: a number unknown to peers
 *
 * Context: Any.
 */
void uet_match_init(struct uet_match *m, u64 seed)
{
	memset(m, 0, sizeof(*m));
	m->seed = seed;
	INIT_LIST_HEAD(&m->posted);
	INIT_LIST_HEAD(&m->wild);
	INIT_LIST_HEAD(&m->msgs);
}

/**
 * uet_match_wants() - does the hash table need more buckets?
 * @m: endpoint
 *
 * Context: Any; the caller serialises.
 * Return: number of buckets for uet_match_grow(), a power of two; 0 if the
 *	table is large enough.
 */
u32 uet_match_wants(const struct uet_match *m)
{
	if (!m->nr_buckets)
		return UET_MATCH_BUCKETS_MIN;
	if (m->nr_nodes < m->nr_buckets ||
	    m->nr_buckets >= UET_MATCH_BUCKETS_MAX)
		return 0;
	/* A table of twice the size would soon be full again. */
	return min_t(u32, 4 * m->nr_buckets, UET_MATCH_BUCKETS_MAX);
}

/**
 * uet_match_grow() - replace the hash table
 * @m: endpoint
 * @buckets: memory of the caller; NULL: none, allowed once the table is empty
 * @nr: number of @buckets, a power of two
 *
 * Context: Any; the caller serialises.  The number of steps is that of the
 *	keys.
 * Return: the previous table, or NULL; the caller owns the memory again.
 */
struct list_head *uet_match_grow(struct uet_match *m, struct list_head *buckets,
				 u32 nr)
{
	struct list_head *old = m->buckets;
	struct uet_match_node *node, *next;
	u32 i, nr_old = m->nr_buckets;

	for (i = 0; i < nr; i++)
		INIT_LIST_HEAD(&buckets[i]);
	WRITE_ONCE(m->buckets, buckets);
	m->nr_buckets = nr;
	for (i = 0; nr && i < nr_old; i++)
		list_for_each_entry_safe(node, next, &old[i], link)
			list_move_tail(&node->link, match_bucket(m, node));
	return old;
}

/**
 * uet_match_post() - add a posted receive
 * @m: endpoint with a hash table
 * @recv: memory of the caller, caller's fields set; in use until
 *	uet_match_unpost()
 *
 * Context: Any; the caller serialises.
 */
void uet_match_post(struct uet_match *m, struct uet_match_recv *recv)
{
	const struct uet_match_key *want = &recv->want;

	recv->seq = m->next_seq++;
	recv->by_key =
		recv->is_any_source
			? match_bucket_key(MATCH_RECV_OF_ANY, want->is_tagged,
					   want->bits, 0)
			: match_bucket_key(MATCH_RECV_OF_SOURCE,
					   want->is_tagged, want->bits,
					   want->initiator);
	if (recv->ignore) {
		INIT_LIST_HEAD(&recv->by_key.same);
		list_add_tail(&recv->by_key.link, &m->wild);
		m->nr_wild++;
	} else {
		match_add(m, &recv->by_key);
	}
	recv->by_cookie =
		match_bucket_key(MATCH_RECV_BY_COOKIE, false, recv->cookie, 0);
	match_add(m, &recv->by_cookie);
	list_add_tail(&recv->link, &m->posted);
	WRITE_ONCE(m->nr_posted, m->nr_posted + 1);
}

/**
 * uet_match_unpost() - remove a posted receive
 * @m: endpoint
 * @recv: posted receive; afterwards the caller owns the memory
 *
 * Context: Any; the caller serialises.
 */
void uet_match_unpost(struct uet_match *m, struct uet_match_recv *recv)
{
	if (recv->ignore) {
		list_del_init(&recv->by_key.link);
		m->nr_wild--;
	} else {
		match_del(m, &recv->by_key);
	}
	match_del(m, &recv->by_cookie);
	list_del_init(&recv->link);
	WRITE_ONCE(m->nr_posted, m->nr_posted - 1);
}

/* The receive matches a message with this key. */
static bool match_fits(const struct uet_match_recv *recv,
		       const struct uet_match_key *match_key)
{
	return recv->want.is_tagged == match_key->is_tagged &&
	       !((recv->want.bits ^ match_key->bits) & ~recv->ignore) &&
	       (recv->is_any_source ||
		recv->want.initiator == match_key->initiator);
}

static struct uet_match_recv *match_earlier(struct uet_match_recv *a,
					    struct uet_match_node *node)
{
	struct uet_match_recv *b;

	if (!node)
		return a;
	b = container_of(node, struct uet_match_recv, by_key);
	return a && a->seq < b->seq ? a : b;
}

/**
 * uet_match_find_recv() - the receive that matches a message
 * @m: endpoint
 * @match_key: key of the message
 *
 * Context: Any; the caller serialises.  The steps are a few, plus the number of
 *	receives with ignore bits before the result.
 * Return: the first posted of the matching receives, still posted; or NULL.
 * Spec: uet-wire 3.14 (tag match).
 */
struct uet_match_recv *
uet_match_find_recv(struct uet_match *m, const struct uet_match_key *match_key)
{
	struct uet_match_recv *best = NULL, *wild;
	struct uet_match_node key;

	if (!m->nr_posted)
		return NULL;
	key = match_bucket_key(MATCH_RECV_OF_SOURCE, match_key->is_tagged,
			       match_key->bits, match_key->initiator);
	best = match_earlier(best, match_first(m, &key));
	key = match_bucket_key(MATCH_RECV_OF_ANY, match_key->is_tagged,
			       match_key->bits, 0);
	best = match_earlier(best, match_first(m, &key));
	list_for_each_entry(wild, &m->wild, by_key.link) {
		m->steps++;
		if (best && best->seq < wild->seq)
			break;
		if (match_fits(wild, match_key))
			return wild;
	}
	return best;
}

/**
 * uet_match_find_cookie() - find a receive by its cookie
 * @m: endpoint
 * @cookie: cookie
 *
 * Context: Any; the caller serialises.
 * Return: the first posted receive with this cookie, or NULL.
 */
struct uet_match_recv *uet_match_find_cookie(struct uet_match *m, u64 cookie)
{
	struct uet_match_node key =
		match_bucket_key(MATCH_RECV_BY_COOKIE, false, cookie, 0);
	struct uet_match_node *node = m->nr_posted ? match_first(m, &key) : NULL;

	return node ? container_of(node, struct uet_match_recv, by_cookie) :
		      NULL;
}

/**
 * uet_match_msg_init() - initialise a message that is not in the table
 * @msg: memory of the caller
 *
 * Context: Any.
 */
void uet_match_msg_init(struct uet_match_msg *msg)
{
	memset(msg, 0, sizeof(*msg));
	INIT_LIST_HEAD(&msg->link);
}

/**
 * uet_match_add_msg() - add an unexpected message
 * @m: endpoint; without a hash table nothing is added
 * @msg: message, not in the table
 *
 * Context: Any; the caller serialises.
 */
void uet_match_add_msg(struct uet_match *m, struct uet_match_msg *msg)
{
	const struct uet_match_key *match_key = &msg->match_key;

	if (!m->buckets)
		return;
	msg->by_source =
		match_bucket_key(MATCH_MSG_BY_SOURCE, match_key->is_tagged,
				 match_key->bits, match_key->initiator);
	msg->by_bits = match_bucket_key(MATCH_MSG_BY_BITS, match_key->is_tagged,
					match_key->bits, 0);
	match_add(m, &msg->by_source);
	match_add(m, &msg->by_bits);
	list_add_tail(&msg->link, &m->msgs);
}

/**
 * uet_match_del_msg() - remove an unexpected message
 * @m: endpoint
 * @msg: message, in the table or not
 *
 * Context: Any; the caller serialises.
 */
void uet_match_del_msg(struct uet_match *m, struct uet_match_msg *msg)
{
	if (list_empty(&msg->link))
		return;
	match_del(m, &msg->by_source);
	match_del(m, &msg->by_bits);
	list_del_init(&msg->link);
}

static struct uet_match_msg *match_msg(struct uet_match_node *node)
{
	if ((node->kind & ~1) == MATCH_MSG_BY_SOURCE)
		return container_of(node, struct uet_match_msg, by_source);
	return container_of(node, struct uet_match_msg, by_bits);
}

/* The first message with the key of @first that is not held. */
static struct uet_match_msg *match_free_msg(struct uet_match *m,
					    struct uet_match_node *first)
{
	struct uet_match_node *node = first;
	struct uet_match_msg *msg;

	do {
		m->steps++;
		msg = match_msg(node);
		if (!msg->is_held)
			return msg;
		node = list_first_entry(&node->same, struct uet_match_node,
					same);
	} while (node != first);
	return NULL;
}

static struct uet_match_msg *match_wild_msg(struct uet_match *m,
					    const struct uet_match_recv *recv)
{
	struct uet_match_msg *msg;

	list_for_each_entry(msg, &m->msgs, link) {
		m->steps++;
		if (!msg->is_held && match_fits(recv, &msg->match_key))
			return msg;
	}
	return NULL;
}

/**
 * uet_match_find_msg() - the message that matches a receive
 * @m: endpoint
 * @recv: receive, caller's fields set
 *
 * Context: Any; the caller serialises.  With ignore bits the steps are the
 *	number of messages, otherwise a few plus the number of held messages.
 * Return: the first to arrive of the matching unexpected messages that are not
 *	held, still in the table; or NULL.
 * Spec: uet-wire 3.14 (unexpected message).
 */
struct uet_match_msg *uet_match_find_msg(struct uet_match *m,
					 const struct uet_match_recv *recv)
{
	const struct uet_match_key *want = &recv->want;
	struct uet_match_node key, *node;

	if (list_empty(&m->msgs))
		return NULL;
	if (recv->ignore)
		return match_wild_msg(m, recv);
	key = recv->is_any_source
		      ? match_bucket_key(MATCH_MSG_BY_BITS, want->is_tagged,
					 want->bits, 0)
		      : match_bucket_key(MATCH_MSG_BY_SOURCE, want->is_tagged,
					 want->bits, want->initiator);
	node = match_first(m, &key);
	return node ? match_free_msg(m, node) : NULL;
}
