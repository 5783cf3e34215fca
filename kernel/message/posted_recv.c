// SPDX-License-Identifier: GPL-2.0
/*
 * Posted receives of a socket: posting, cancelling and ending them. A waiting receive is in
 * uet_sock.match. rx_match.c removes the receive from there for a message and returns it here
 * when the message has ended.
 *
 * A receive allocates its completion when it is posted, and counts against UET_CQ_LIMIT, so its
 * result can always be reported. Its memory region is looked up when the receive is posted, so
 * that errors are reported then. The region is looked up again for each packet, so that a
 * deregistration need not wait for receives. Memory that is named by its address is pinned until
 * the receive ends.
 * Spec: uet-wire 3.14 (UE 1.0.1 3.4.3.6).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uet.h>

#include "message.h"

#define RECV_FLAGS	(UET_RECV_TAGGED | UET_RECV_ANY_SOURCE | UET_RECV_TRUNC | \
			 UET_RECV_ADDR | UET_RECV_CLAIM | UET_RECV_MULTI | \
			 UET_RECV_PEER)

/* Flags that select messages by their fields. */
#define RECV_BY_FIELDS	(UET_RECV_TAGGED | UET_RECV_ANY_SOURCE | UET_RECV_PEER)

/* ----------------------------------------------------------- checking requests */

static int recv_check_source(struct uet_sock *us, const char *call,
			     const struct uet_recv_post *want)
{
	if (want->flags & UET_RECV_ANY_SOURCE && want->flags & UET_RECV_PEER)
		return uet_sock_refuse(us, -EINVAL, "%s: flags UET_RECV_ANY_SOURCE and UET_RECV_PEER exclude each other",
				       call);
	if (want->flags & UET_RECV_ANY_SOURCE && want->initiator)
		return uet_sock_refuse(us, -EINVAL, "%s: initiator 0x%x is not 0, with UET_RECV_ANY_SOURCE",
				       call, want->initiator);
	if (want->flags & UET_RECV_PEER && !uet_peer_exists(us, want->initiator))
		return uet_sock_refuse(us, -ENOENT, "%s: initiator %u is no peer of the socket, with UET_RECV_PEER",
				       call, want->initiator);
	return 0;
}

/*
 * uet_posted_recv_check() - check the fields that select messages: 0; -EINVAL; -ENOENT: no such
 *	peer
 * @call: name of the system call, for UET_LAST_ERROR
 * @flags: UET_RECV_* that the call knows
 */
int uet_posted_recv_check(struct uet_sock *us, const char *call, u32 flags,
			  const struct uet_recv_post *want)
{
	if (want->flags & ~flags)
		return uet_sock_refuse(us, -EINVAL, "%s: flags 0x%x are unknown",
				       call, want->flags & ~flags);
	if (!(want->flags & UET_RECV_TAGGED) && (want->match || want->ignore))
		return uet_sock_refuse(us, -EINVAL, "%s: match 0x%llx and ignore 0x%llx are not 0, without UET_RECV_TAGGED",
				       call, want->match, want->ignore);
	return recv_check_source(us, call, want);
}

/* A claim selects its message alone. */
static int recv_check_claim(struct uet_sock *us, const struct uet_recv_post *post)
{
	struct uet_recv_post rest = *post;

	if (post->flags & (RECV_BY_FIELDS | UET_RECV_MULTI))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POST: flags 0x%x cannot be combined with UET_RECV_CLAIM",
				       post->flags & ~UET_RECV_CLAIM);
	if (post->initiator)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POST: initiator 0x%x is not 0, with UET_RECV_CLAIM",
				       post->initiator);
	rest.match = 0;
	return uet_posted_recv_check(us, "UET_IOC_RECV_POST", RECV_FLAGS, &rest);
}

static int recv_check_multi(struct uet_sock *us, const struct uet_recv_post *post)
{
	if (!(post->flags & UET_RECV_MULTI))
		return !post->min_free ? 0 :
		       uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POST: min_free %u is not 0, without UET_RECV_MULTI",
				       post->min_free);
	if (post->length > U32_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POST: length %llu is above %u, with UET_RECV_MULTI",
				       post->length, U32_MAX);
	if (!post->min_free || post->min_free > post->length)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POST: min_free %u is not in 1..%llu, the length",
				       post->min_free, post->length);
	return 0;
}

/*
 * uet_posted_recv_want() - the search for the messages that a call with checked fields selects
 * @at: result; zero before
 */
void uet_posted_recv_want(struct uet_match_recv *at, const struct uet_recv_post *want)
{
	at->want.bits = want->match;
	at->is_of_peer = want->flags & UET_RECV_PEER;
	if (at->is_of_peer)
		at->want.peer = want->initiator;
	else
		at->want.initiator = want->initiator;
	at->want.is_tagged = want->flags & UET_RECV_TAGGED;
	at->is_any_source = want->flags & UET_RECV_ANY_SOURCE;
	at->ignore = want->ignore;
}

static int recv_find_place(struct uet_sock *us, const struct uet_recv_post *post,
			   struct uet_mr_ref *place)
{
	*place = (struct uet_mr_ref){
		.key = post->key,
		.offset = post->offset,
	};
	if (post->flags & UET_RECV_ADDR && post->key)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POST: key 0x%llx is not 0, with UET_RECV_ADDR",
				       post->key);
	if (!post->length)
		return 0;
	if (post->flags & UET_RECV_ADDR)
		return uet_mr_own(us, "UET_IOC_RECV_POST", post->offset, post->length, place);
	return uet_mr_refer(us, "UET_IOC_RECV_POST", UET_MR_LOCAL_WRITE, post->length, 1,
			    place);
}

/* ---------------------------------------------------------------------- posting */

static void recv_free(struct uet_sock *us, struct uet_posted_recv *recv)
{
	if (recv->cqe)
		uet_cqe_free(us, recv->cqe);
	kfree(recv);
}

/* Return: the receive, still private, or an ERR_PTR(). */
static struct uet_posted_recv *recv_make(struct uet_sock *us, const struct uet_recv_post *post,
					 const struct uet_mr_ref *place)
{
	struct uet_posted_recv *recv = kzalloc(sizeof(*recv), us->sk.sk_allocation);
	int err;

	if (!recv)
		return ERR_PTR(-ENOMEM);
	if (post->flags & UET_RECV_CLAIM)
		recv->claim = post->match;
	else
		uet_posted_recv_want(&recv->at, post);
	recv->at.cookie = post->cookie;
	recv->place = *place;
	recv->length = post->length;
	recv->min_free = post->min_free;
	recv->may_cut = post->flags & UET_RECV_TRUNC;
	recv->cqe = uet_cqe_alloc_recv(us, post->cookie);
	err = -ENOMEM;
	if (!recv->cqe || (recv->min_free && !uet_cqe_make_group(recv->cqe)))
		goto err_free;
	err = uet_cqe_admit(us, recv->cqe);
	if (err)
		goto err_free;
	return recv;

err_free:
	recv_free(us, recv);
	if (err == -EAGAIN)
		uet_sock_refuse(us, err, "UET_IOC_RECV_POST: %d receives and operations are to complete or were not read",
				UET_CQ_LIMIT);
	return ERR_PTR(err);
}

/*
 * Hash messages for the receives of @ignore, a batch under each rx_lock. Return: 0; -ENOMEM
 * without a table.
 */
static int recv_index(struct uet_sock *us, u64 ignore)
{
	bool is_done;
	int err = 0;

	mutex_lock(&us->walk_mutex);
	spin_lock_bh(&us->rx_lock);
	while (uet_match_must_index(&us->match, ignore)) {
		uet_match_index_begin(&us->match, ignore);
		do {
			/* The first time one block for addresses, one of buckets. */
			uet_rx_match_feed(us);
			uet_rx_match_feed(us);
			err = us->match.nr_blocks ? 0 : -ENOMEM;
			is_done = err || uet_match_index(&us->match);
			spin_unlock_bh(&us->rx_lock);
			cond_resched();
			spin_lock_bh(&us->rx_lock);
		} while (!is_done);
		if (err)
			break;
	}
	spin_unlock_bh(&us->rx_lock);
	mutex_unlock(&us->walk_mutex);
	return err;
}

/*
 * uet_posted_recv_prepare() - make unexpected messages known to receives;
 *	uet_posted_recv_unprepare() follows
 * @ignore: match bits that a receive does not compare
 * Return: 0; 1: the receive compares messages one by one, and no other receive does until then;
 *	-ENOMEM.
 */
int uet_posted_recv_prepare(struct uet_sock *us, u64 ignore)
{
	bool is_scan, must_index;
	int err = 0;

	spin_lock_bh(&us->rx_lock);
	must_index = uet_match_must_index(&us->match, ignore);
	is_scan = uet_match_is_scan(&us->match, ignore);
	spin_unlock_bh(&us->rx_lock);
	if (must_index)
		err = recv_index(us, ignore);
	if (err || !is_scan)
		return err;
	mutex_lock(&us->walk_mutex);
	spin_lock_bh(&us->rx_lock);
	uet_match_walk(&us->match);
	spin_unlock_bh(&us->rx_lock);
	return 1;
}

/*
 * uet_posted_recv_unprepare() - end of uet_posted_recv_prepare(), with its result
 */
void uet_posted_recv_unprepare(struct uet_sock *us, int prepared)
{
	if (prepared)
		mutex_unlock(&us->walk_mutex);
}

/*
 * Match the receive with an existing message, or let it wait. Return: 0, negative errno, or 1:
 * call again, the receive takes more messages or was not compared with all.
 */
static int recv_match_or_wait(struct uet_sock *us, struct uet_posted_recv *recv,
			      struct uet_rx_take *take)
{
	struct uet_rx_message *rm;
	bool is_over = true;

	lockdep_assert_held(&us->rx_lock);
	BUILD_BUG_ON(UET_RECV_IGNORE_LIMIT != UET_MATCH_MASKS - 1);
	if (!uet_sock_is_receiving(us))
		return -ESHUTDOWN;
	if (!uet_match_may_post(&us->match, recv->at.ignore))
		return -ENOSPC;
	if (recv->claim)
		rm = uet_rx_match_find_claim(us, recv->claim);
	else
		is_over = uet_rx_match_find(us, &recv->at, &rm);
	if (rm)
		return uet_rx_match_use(rm, recv, take) != recv;
	if (!is_over)
		return fatal_signal_pending(current) ? -EINTR : 1;
	if (recv->claim)
		return -ENOENT;
	uet_rx_match_feed(us);
	uet_match_post(&us->match, &recv->at);
	/* The receive enables the endpoint. */
	if (!us->is_paused)
		uet_ri_gen_enable(&us->gen);
	return 0;
}

static void recv_explain(struct uet_sock *us, u64 claim, int err)
{
	switch (err) {
	case -ESHUTDOWN:
		uet_sock_refuse(us, err, "UET_IOC_RECV_POST: the socket was shut down for reading");
		break;
	case -ENOSPC:
		uet_sock_refuse(us, err, "UET_IOC_RECV_POST: receives with %d other values of ignore wait",
				UET_RECV_IGNORE_LIMIT);
		break;
	case -ENOENT:
		uet_sock_refuse(us, err, "UET_IOC_RECV_POST: no message has claim %llu: never claimed, received, or gone with its sender",
				claim);
		break;
	}
}

static int posted_recv_begin(struct uet_sock *us, struct uet_posted_recv *recv)
{
	u64 claim = recv->claim;
	struct uet_rx_take take;
	bool has_taken = false;
	int err, prepared;

	prepared = uet_posted_recv_prepare(us, recv->at.ignore);
	if (prepared < 0)
		return prepared;
	for (;;) {
		uet_rx_take_init(&take);
		spin_lock_bh(&us->rx_lock);
		err = recv_match_or_wait(us, recv, &take);
		spin_unlock_bh(&us->rx_lock);
		has_taken |= !!take.rm;
		uet_rx_match_take(&take);
		if (err <= 0)
			break;
		cond_resched();
	}
	uet_posted_recv_unprepare(us, prepared);
	/* The receive is known by then. */
	if (err && has_taken) {
		uet_posted_recv_end(us, recv, NULL, -ECANCELED);
		return 0;
	}
	recv_explain(us, claim, err);
	return err;
}

/*
 * uet_posted_recv_discard() - a receive without memory and completion, which truncates its
 *	message
 * Return: the receive, for uet_rx_match_use() or kfree(); NULL without memory.
 */
struct uet_posted_recv *uet_posted_recv_discard(const struct uet_match_recv *at)
{
	struct uet_posted_recv *recv = kzalloc(sizeof(*recv), GFP_KERNEL_ACCOUNT);

	if (!recv)
		return NULL;
	recv->at = *at;
	recv->may_cut = true;
	return recv;
}

/*
 * uet_posted_recv_again() - return a receive, with unchanged memory, whose message failed
 *
 * The receive waits as if it had just been posted.  A receive for a claim ends, and so does the
 * part of a receive that takes several messages.
 */
void uet_posted_recv_again(struct uet_sock *us, struct uet_posted_recv *recv)
{
	if (recv->claim || recv->min_free || !recv->cqe)
		uet_posted_recv_end(us, recv, NULL, -EIO);
	else if (posted_recv_begin(us, recv))
		uet_posted_recv_end(us, recv, NULL, -ECANCELED);
}

/*
 * uet_posted_recv_post() - post a receive, which is not checked
 *
 * An existing message that fits is copied before this function returns.
 * Return: 0; -EFAULT: missing or too short region; -EACCES: region that is only read; -EINVAL;
 *	-ENOTCONN; -EAGAIN at UET_CQ_LIMIT; -ENOSPC at UET_RECV_IGNORE_LIMIT; -ENOENT: no message
 *	has the claim, or there is no such peer; -ESHUTDOWN; -ENOMEM, also above RLIMIT_MEMLOCK;
 *	-EOPNOTSUPP: see uet_mr_check_map().
 */
int uet_posted_recv_post(struct uet_sock *us, const struct uet_recv_post *post)
{
	struct uet_mr_ref place;
	struct uet_posted_recv *recv;
	int err;

	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_RECV_POST: the socket is not bound");
	err = post->flags & UET_RECV_CLAIM ? recv_check_claim(us, post) :
	      uet_posted_recv_check(us, "UET_IOC_RECV_POST", RECV_FLAGS, post);
	if (!err)
		err = recv_check_multi(us, post);
	if (!err)
		err = recv_find_place(us, post, &place);
	if (err)
		return err;
	recv = recv_make(us, post, &place);
	if (IS_ERR(recv)) {
		uet_mr_own_put(us, &place, NULL);
		return PTR_ERR(recv);
	}
	err = posted_recv_begin(us, recv);
	if (err) {
		recv_free(us, recv);
		uet_mr_own_put(us, &place, NULL);
	}
	return err;
}

/*
 * uet_posted_recv_ioctl_post() - UET_IOC_RECV_POST: as uet_posted_recv_post()
 */
int uet_posted_recv_ioctl_post(struct uet_sock *us, void *arg)
{
	return uet_posted_recv_post(us, arg);
}

/* Post the receive at @user. Return: its size, or an errno. */
static int recv_post_next(struct uet_sock *us, const void __user *user)
{
	struct uet_recv_post post;
	int err, size;

	size = uet_sock_take_struct(us, "UET_IOC_RECV_POSTS", &post, sizeof(post), sizeof(post),
				    user);
	err = size < 0 ? size : uet_posted_recv_post(us, &post);
	return err ? err : size;
}

/*
 * uet_posted_recv_ioctl_posts() - UET_IOC_RECV_POSTS: post receives in order
 * Return: number of posted receives; the error of the first if that failed.
 */
int uet_posted_recv_ioctl_posts(struct uet_sock *us, void *arg)
{
	const struct uet_recv_posts *posts = arg;
	u64 at = posts->posts;
	u32 done;
	int size;

	if (!posts->count || posts->count > UET_CQ_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_POSTS: count %u is not in 1..%d",
				       posts->count, UET_CQ_LIMIT);
	for (done = 0; done < posts->count; done++, at += size) {
		size = recv_post_next(us, u64_to_user_ptr(at));
		if (size < 0)
			return done ? done : size;
		cond_resched();
	}
	return done;
}

/* ----------------------------------------------------------------------- ending */

/*
 * uet_posted_recv_ioctl_cancel() - UET_IOC_RECV_CANCEL: cancel the receive with a cookie that
 *	was posted first
 * Return: 0: the receive completes with ECANCELED; -ENOENT: no such receive waits, its
 *	completion reports or will report the reason.
 */
int uet_posted_recv_ioctl_cancel(struct uet_sock *us, void *arg)
{
	u64 cookie = *(u64 *)arg;
	struct uet_match_recv *at;

	spin_lock_bh(&us->rx_lock);
	at = uet_match_find_cookie(&us->match, cookie);
	if (at)
		uet_match_unpost(&us->match, at);
	spin_unlock_bh(&us->rx_lock);
	if (!at)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_RECV_CANCEL: no receive with cookie 0x%llx waits for a message",
				       cookie);
	uet_posted_recv_end(us, container_of(at, struct uet_posted_recv, at), NULL, -ECANCELED);
	return 0;
}

static struct uet_posted_recv *recv_take_first(struct uet_sock *us)
{
	struct uet_match_recv *at;

	spin_lock_bh(&us->rx_lock);
	at = list_first_entry_or_null(&us->match.posted, struct uet_match_recv, link);
	if (at)
		uet_match_unpost(&us->match, at);
	spin_unlock_bh(&us->rx_lock);
	return at ? container_of(at, struct uet_posted_recv, at) : NULL;
}

/*
 * uet_posted_recv_cancel_all() - cancel all waiting receives of a socket that was shut down for
 *	reading
 *
 * A message in progress still goes to its receive.
 */
void uet_posted_recv_cancel_all(struct uet_sock *us)
{
	struct uet_posted_recv *recv;

	while ((recv = recv_take_first(us))) {
		uet_posted_recv_end(us, recv, NULL, -ECANCELED);
		cond_resched();
	}
}

/*
 * uet_posted_recv_close() - free the receives of a socket in close(), after uet_sock_purge()
 */
void uet_posted_recv_close(struct uet_sock *us)
{
	struct hlist_head **blocks;
	u32 i;

	uet_posted_recv_cancel_all(us);
	spin_lock_bh(&us->rx_lock);
	blocks = uet_match_close(&us->match);
	spin_unlock_bh(&us->rx_lock);
	if (!blocks)
		return;
	for (i = 0; blocks[i]; i++)
		kfree(blocks[i]);
	kfree(blocks);
	uet_mem_uncharge_rx(us, (i + 1) * UET_MATCH_BLOCK);
}

/*
 * The receive, @recv or a new one, for the next message of @recv.
 *
 * With UET_RECV_MULTI the message gets a receive of its own, with the first free bytes of
 * @recv. If @recv has less than min_free bytes left then, or if no further completion can be
 * made, because of UET_CQ_LIMIT or without memory, @recv itself takes the message and is used
 * up. So a message never waits for a completion.
 */
struct uet_posted_recv *uet_posted_recv_part(struct uet_sock *us, struct uet_posted_recv *recv,
					     u32 length)
{
	struct uet_posted_recv *part;

	lockdep_assert_held(&us->rx_lock);
	if (!recv->min_free || length > recv->length || recv->length - length < recv->min_free)
		return recv;
	part = kzalloc(sizeof(*part), GFP_ATOMIC | __GFP_NOWARN);
	if (!part)
		return recv;
	part->cqe = uet_cqe_alloc_next(us, recv->cqe, sizeof(*part));
	if (!part->cqe) {
		kfree(part);
		return recv;
	}
	part->place = recv->place;
	uet_mr_own_share(&part->place);
	part->length = length;
	part->start = recv->start;
	part->min_free = recv->min_free;
	part->may_cut = recv->may_cut;
	recv->place.offset += length;
	recv->length -= length;
	recv->start += length;
	return part;
}

/*
 * uet_posted_recv_take() - take the receive that matches a message of @length bytes; rx_lock
 *	held
 * Return: the receive for this message alone, not waiting, or NULL.
 */
struct uet_posted_recv *
uet_posted_recv_take(struct uet_sock *us, const struct uet_match_key *match_key, u32 length)
{
	struct uet_posted_recv *recv, *part;
	struct uet_match_recv *at;

	lockdep_assert_held(&us->rx_lock);
	at = uet_match_find_recv(&us->match, match_key);
	if (!at)
		return NULL;
	recv = container_of(at, struct uet_posted_recv, at);
	part = uet_posted_recv_part(us, recv, length);
	if (part == recv)
		uet_match_unpost(&us->match, at);
	return part;
}

/*
 * uet_posted_recv_put() - copy payload of a message to the memory of the receive that has taken
 *	it
 * @len: length, bytes; bytes beyond the receive are dropped
 * Return: 0, or -EFAULT if the region was deregistered.
 */
int uet_posted_recv_put(struct uet_sock *us, const struct uet_posted_recv *recv,
			u32 offset, const struct sk_buff *skb, u32 len)
{
	bool is_there;

	if (offset >= recv->length)
		return 0;
	len = min_t(u64, len, recv->length - offset);
	is_there = uet_mr_put(us, &recv->place, offset, skb, len, false);
	return is_there ? 0 : -EFAULT;
}

static void recv_complete(struct uet_sock *us, struct uet_posted_recv *recv,
			  const struct uet_rx_message *rm, int error)
{
	struct uet_completion *rec = &recv->cqe->rec;
	struct uet_match_key match_key;
	const struct uet_ses_req *req;

	rec->error = -error;
	rec->offset = recv->start;
	if (rm) {
		req = &rm->ses.req;
		uet_match_key(req, &match_key);
		rec->match = match_key.bits;
		rec->initiator = match_key.initiator;
		rec->peer = rm->match_entry.match_key.peer;
		rec->job = req->job;
		rec->opcode = req->opcode;
		rec->delivery = rm->delivery;
		rec->msg_length = req->request_length;
		rec->rc = rm->read_rc;
	}
	if (!error) {
		rec->rc = UET_RC_OK;
		rec->length = min_t(u64, rec->msg_length, recv->length);
		if (rec->length < rec->msg_length)
			rec->flags |= UET_COMPLETION_TRUNC;
	}
	/* Until the message is complete, its first packet may be missing. */
	if (!error && rm->ses.req.hd) {
		rec->flags |= UET_COMPLETION_HDATA;
		rec->header_data = rm->ses.req.header_data;
	}
	uet_mr_own_put(us, &recv->place, recv->cqe);
}

/*
 * uet_posted_recv_end() - end a receive that does not wait, and whose memory no CPU writes
 * @rm: message that the receive took or could not take; NULL: none
 * @error: negative errno; 0: the message is complete
 *
 * The lock of a PDC may be held, in ROD and in bursts.
 */
void uet_posted_recv_end(struct uet_sock *us, struct uet_posted_recv *recv,
			 const struct uet_rx_message *rm, int error)
{
	if (recv->cqe)
		recv_complete(us, recv, rm, error);
	kfree(recv);
}
