// SPDX-License-Identifier: GPL-2.0
/*
 * The endpoint that all streams of a job on a FEP share. So two hosts need one PDC in each
 * direction however many connections they have, and a connection costs no Resource Index. It
 * exists while a stream uses it, and belongs to the kernel: no system call reaches it.
 *
 * Messages arrive with the lock of a PDC held, and are acknowledged inside a run loop, where
 * nothing may be sent. Both only note what there is to do; a tasklet does it. If a process has
 * the lock of the stream, it does the rest when it releases the lock.
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "socket/socket.h"
#include "stream.h"

/* Bytes in flight of all streams of an endpoint, at most.  They count in net.uet.uet_mem, too. */
#define SEP_IN_FLIGHT	SZ_64M

static DEFINE_MUTEX(sep_mutex);
static LIST_HEAD(sep_list);
static struct workqueue_struct *sep_wq;

/* Handles what has arrived; in stream_demux.c. */
static void (*sep_run)(struct tasklet_struct *tasklet);

/* ------------------------------------------------------------------ connections */

static const struct rhashtable_params sep_conn_params = {
	.key_len = sizeof_field(struct uet_stream, id),
	.key_offset = offsetof(struct uet_stream, id),
	.head_offset = offsetof(struct uet_stream, on_conn),
	.automatic_shrinking = true,
};

/*
 * uet_stream_ep_find() - a stream by its connection id, or NULL; under RCU
 */
struct uet_stream *uet_stream_ep_find(struct uet_stream_ep *ep, u32 id)
{
	return rhashtable_lookup(&ep->conns, &id, sep_conn_params);
}

/*
 * uet_stream_ep_hash() - give a stream a connection id, and let messages find it
 * Return: 0; -ENOBUFS: no id was free, or no memory.
 */
int uet_stream_ep_hash(struct uet_stream *st)
{
	int tries, err = -EEXIST;

	for (tries = 0; err == -EEXIST && tries < UET_STREAM_BUDGET; tries++) {
		st->id = 1 + get_random_u32_below(UET_STREAM_ID_MASK);
		err = rhashtable_lookup_insert_fast(&st->ep->conns, &st->on_conn, sep_conn_params);
	}
	if (err)
		return -ENOBUFS;
	st->is_hashed = true;
	sock_hold(&st->inet.sk);
	return 0;
}

/*
 * uet_stream_ep_unhash() - let messages not find a stream any more; the caller has a reference
 */
void uet_stream_ep_unhash(struct uet_stream *st)
{
	if (!st->is_hashed)
		return;
	rhashtable_remove_fast(&st->ep->conns, &st->on_conn, sep_conn_params);
	st->is_hashed = false;
	sock_put(&st->inet.sk);
}

/* ------------------------------------------------------------------ to be done */

/*
 * uet_stream_ep_kick() - let uet_stream_work() run soon, in any context but hard interrupt
 */
void uet_stream_ep_kick(struct uet_stream *st)
{
	struct uet_stream_ep *ep = st->ep;

	spin_lock_bh(&ep->lock);
	if (list_empty(&st->on_ready)) {
		sock_hold(&st->inet.sk);
		list_add_tail(&st->on_ready, &ep->ready);
	}
	spin_unlock_bh(&ep->lock);
	tasklet_schedule(&ep->tasklet);
}

/*
 * uet_stream_ep_next_message() - a message that has arrived, with its reference, or NULL; BH
 *	disabled
 */
struct uet_rx_message *uet_stream_ep_next_message(struct uet_stream_ep *ep)
{
	struct uet_rx_message *rm;

	spin_lock(&ep->lock);
	rm = list_first_entry_or_null(&ep->rx, struct uet_rx_message, link);
	if (rm)
		list_del_init(&rm->link);
	spin_unlock(&ep->lock);
	return rm;
}

/*
 * uet_stream_ep_next_ready() - a stream with something to do, with a reference, or NULL; BH
 *	disabled
 */
struct sock *uet_stream_ep_next_ready(struct uet_stream_ep *ep)
{
	struct uet_stream *st;

	spin_lock(&ep->lock);
	st = list_first_entry_or_null(&ep->ready, struct uet_stream, on_ready);
	if (st)
		list_del_init(&st->on_ready);
	spin_unlock(&ep->lock);
	return st ? &st->inet.sk : NULL;
}

/* -------------------------------------------------------------------- messages */

/* A message that is no tagged send with header data is none of a stream. */
static bool sep_accepts(const struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from)
{
	return req->opcode == UET_OP_TAGGED_SEND && (!req->som || req->hd) &&
	       req->request_length <= UET_STREAM_MESSAGE_MAX;
}

/* With one reference; the lock of a PDC may be held. */
static void sep_deliver(struct uet_sock *us, struct uet_rx_message *rm)
{
	struct uet_stream_ep *ep = us->owner;

	spin_lock_bh(&ep->lock);
	list_add_tail(&rm->link, &ep->rx);
	spin_unlock_bh(&ep->lock);
	tasklet_schedule(&ep->tasklet);
}

static const struct uet_ep_ops sep_ops = {
	.accepts = sep_accepts,
	.deliver = sep_deliver,
};

static bool sep_ended(struct uet_tx_message *tm)
{
	return false;
}

/* The message was acknowledged, or has failed. */
static void sep_free(struct uet_tx_message *tm)
{
	struct uet_stream *st = uet_stream(tm->owner);
	int err = uet_ses_errno(&tm->ses);
	struct uet_stream_head head;

	if (tm->owner == &tm->us->sk)
		return;
	uet_stream_head_read(&head, tm->ses.match, 0);
	if (err)
		WRITE_ONCE(st->tx_error, -err);
	if (tm->skb) {
		/* Pairs with the acquire in uet_stream_free_acked(). */
		smp_store_release(&uet_stream_cb(tm->skb)->is_acked, true);
	} else {
		set_bit(head.type, &st->ended);
		clear_bit(head.type, &st->flying);
	}
	uet_stream_ep_kick(st);
	sock_put(&st->inet.sk);
}

static const struct uet_tx_message_ops sep_tx_ops = {
	.ended = sep_ended,
	.free = sep_free,
};

static int sep_hand_over(struct uet_stream_ep *ep, struct uet_tx_message *tm)
{
	struct uet_sock *us = ep->us;
	struct uet_peer_key key;
	int err;

	memset(&key, 0, sizeof(key));
	key.peer = tm->fa;
	key.job = ep->job;
	key.pid = us->addr.pid;
	key.ri = UET_RINDEX_STREAM;
	key.rel = true;
	key.mode = UET_PDC_RUD;
	key.cookie = us->cookie;
	atomic_inc(&us->tx.pending);
	err = uet_pdc_entry_send_again(us->fep, &key, tm, false, us->sk.sk_allocation);
	if (err)
		atomic_dec(&us->tx.pending);
	return err;
}

/*
 * uet_stream_ep_send() - send a message of a stream
 * @st: stream that is told the end of the message; NULL: none
 * @skb: its bytes, page fragments, which stay unchanged until then; NULL: none
 * Return: 0; or an errno, of memory as a rule: nothing was sent.
 */
int uet_stream_ep_send(struct uet_stream_ep *ep, const struct uet_fa *to,
		       const struct uet_stream_head *head, struct uet_stream *st,
		       struct sk_buff *skb)
{
	u32 length = skb ? skb->len : 0;
	struct uet_sock *us = ep->us;
	struct uet_tx_message *tm;
	int err;

	tm = uet_tx_message_alloc(us, length);
	if (!tm)
		return -ENOBUFS;
	tm->fa = *to;
	tm->ses.to = us->addr;
	tm->ses.to.ri = UET_RINDEX_STREAM;
	tm->ses.opcode = UET_OP_TAGGED_SEND;
	tm->ses.match = uet_stream_match(head);
	tm->ses.has_hdata = true;
	tm->ses.header_data = uet_stream_hdata(head);
	tm->ses.has_more = st && skb && st->opt.nodelay && length < us->fep->cfg.mtu;
	err = skb ? uet_tx_message_refer(tm, skb) : 0;
	if (err)
		goto err_message;
	tm->ops = &sep_tx_ops;
	tm->skb = skb;
	if (st) {
		tm->owner = &st->inet.sk;
		sock_hold(tm->owner);
	}
	err = sep_hand_over(ep, tm);
	if (!err)
		return 0;
	if (st)
		sock_put(tm->owner);
	tm->ops = NULL;

err_message:
	uet_tx_message_put(tm);
	return err;
}

/* -------------------------------------------------------------------- lifetime */

/* Bind the endpoint with the rights of the kernel: those of the caller were checked. */
static int sep_bind(struct uet_stream_ep *ep, struct uet_fep *fep)
{
	const struct uet_sock_dest want = {
		.fa = fep->cfg.fa,
		.job = ep->job,
		.pid = UET_PID_FIRST,
		.ri = UET_RINDEX_STREAM,
		.rel = true,
	};
	struct uet_sock *us = ep->us;

	us->sk.sk_allocation = GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT;
	WRITE_ONCE(us->sk.sk_rcvbuf, READ_ONCE(uet_mem_rmem[UET_MEM_MAX]));
	WRITE_ONCE(us->sk.sk_sndbuf, min(SEP_IN_FLIGHT, READ_ONCE(uet_mem_wmem[UET_MEM_MAX])));
	us->ops = &sep_ops;
	us->owner = ep;
	return uet_sock_bind_to(us, "stream", &want, 0);
}

static int sep_make_socket(struct uet_stream_ep *ep, struct net *net, struct uet_fep *fep)
{
	const struct cred *old;
	struct cred *cred;
	int err;

	cred = prepare_kernel_cred(&init_task);
	if (!cred)
		return -ENOMEM;
	old = override_creds(cred);
	err = sock_create_kern(net, fep->cfg.fa.family, SOCK_RDM, IPPROTO_UET, &ep->sock);
	if (!err) {
		ep->us = uet_sk(ep->sock->sk);
		err = sep_bind(ep, fep);
		if (err)
			sock_release(ep->sock);
	}
	revert_creds(old);
	put_cred(cred);
	return err;
}

/* The last stream has gone. */
static void sep_work(struct work_struct *work)
{
	struct uet_stream_ep *ep = container_of(work, struct uet_stream_ep, work);
	struct uet_rx_message *rm;

	mutex_lock(&sep_mutex);
	if (atomic_read(&ep->users)) {
		mutex_unlock(&sep_mutex);
		return;
	}
	list_del(&ep->link);
	cancel_work(&ep->work);
	sock_release(ep->sock);
	mutex_unlock(&sep_mutex);
	/* For senders that have found the endpoint. */
	synchronize_rcu();
	tasklet_kill(&ep->tasklet);
	while (!list_empty(&ep->rx)) {
		rm = list_first_entry(&ep->rx, struct uet_rx_message, link);
		list_del_init(&rm->link);
		uet_rx_message_put(rm);
		cond_resched();
	}
	rhashtable_destroy(&ep->conns);
	kfree(ep);
}

/* Under sep_mutex. */
static struct uet_stream_ep *sep_make(struct net *net, struct uet_fep *fep, u32 job)
{
	struct uet_stream_ep *ep = kzalloc(sizeof(*ep), GFP_KERNEL);
	int err;

	if (!ep)
		return ERR_PTR(-ENOMEM);
	err = rhashtable_init(&ep->conns, &sep_conn_params);
	if (err)
		goto err_ep;
	ep->job = job;
	spin_lock_init(&ep->lock);
	INIT_LIST_HEAD(&ep->rx);
	INIT_LIST_HEAD(&ep->ready);
	INIT_WORK(&ep->work, sep_work);
	tasklet_setup(&ep->tasklet, sep_run);
	err = sep_make_socket(ep, net, fep);
	if (err)
		goto err_conns;
	list_add(&ep->link, &sep_list);
	return ep;

err_conns:
	rhashtable_destroy(&ep->conns);
err_ep:
	kfree(ep);
	return ERR_PTR(err);
}

/*
 * uet_stream_ep_get() - the endpoint of a job on a FEP, with one more use
 *
 * The caller may use the job.
 */
struct uet_stream_ep *uet_stream_ep_get(struct net *net, struct uet_fep *fep, u32 job)
{
	struct uet_stream_ep *ep, *found = NULL;

	mutex_lock(&sep_mutex);
	list_for_each_entry(ep, &sep_list, link)
		if (ep->us->fep == fep && ep->job == job)
			found = ep;
	if (!found)
		found = sep_make(net, fep, job);
	if (!IS_ERR(found))
		atomic_inc(&found->users);
	mutex_unlock(&sep_mutex);
	return found;
}

/*
 * uet_stream_ep_put() - end a use, in any context but hard interrupt
 */
void uet_stream_ep_put(struct uet_stream_ep *ep)
{
	if (atomic_dec_and_test(&ep->users))
		queue_work(sep_wq, &ep->work);
}

/**
 * uet_stream_ep_init() - at module load, before namespaces are followed: 0 or -ENOMEM
 * @run: handles what has arrived at an endpoint
 */
int __init uet_stream_ep_init(void (*run)(struct tasklet_struct *tasklet))
{
	sep_run = run;
	sep_wq = alloc_workqueue("uet_stream", WQ_UNBOUND, 0);
	return sep_wq ? 0 : -ENOMEM;
}

/**
 * uet_stream_ep_wait() - wait until endpoints without streams are closed, in process context
 */
void uet_stream_ep_wait(void)
{
	flush_workqueue(sep_wq);
}

/**
 * uet_stream_ep_fini() - at module unload, without streams and namespaces
 */
void uet_stream_ep_fini(void)
{
	destroy_workqueue(sep_wq);
}
