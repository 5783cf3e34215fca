// SPDX-License-Identifier: GPL-2.0
/*
 * Tagged atomics: applies the operands of a packet to the memory of the posted
 * receive that matches it, at the place where a tagged message would be stored.
 * The message has one packet and ends with that packet. Memory changes only if
 * all operands fit. A packet without a matching receive is not kept, because
 * there is no memory to apply it to.
 * Spec: UE 1.0.1 Tables 3-17, 3-19, 3-21; uet-wire 3.14.
 */
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "rx.h"

/*
 * Check a tagged atomic, independently of the receive.
 * @ta: result: the operation, or the return code of the refusal
 *
 * Return: UET_DROP_NONE; SES_BAD_ATOMIC, with @ta->rc.
 */
enum uet_drop uet_rx_tagged_atomic_check(const struct uet_fep *fep,
					 const struct uet_ses_req *req, u32 len,
					 struct uet_rx_tagged_atomic *ta)
{
	ta->rc = UET_RC_AMO_UNSUPPORTED_SIZE;
	if (req->som && req->eom)
		ta->rc = uet_amo_prepare(&ta->op, &req->x.amo,
					 uet_fep_amo_form(fep),
					 uet_ses_is_fetching(req->opcode), len);
	return ta->rc == UET_RC_OK ? UET_DROP_NONE : UET_DROP_SES_BAD_ATOMIC;
}

/* The receive stops waiting; its completion is a message without bytes to read. */
static struct uet_posted_recv *tagged_take_recv(struct uet_rx_message *rm,
						const struct uet_ses_req *req,
						u32 length)
{
	struct uet_match_key *match_key = &rm->match_entry.match_key;
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv;

	uet_match_key(req, match_key);
	spin_lock_bh(&us->rx_lock);
	match_key->peer = uet_peer_find(us, &rm->from, req->initiator);
	recv = uet_posted_recv_take(us, match_key, length);
	spin_unlock_bh(&us->rx_lock);
	return recv;
}

/* The completion reports the length of the values in bytes. */
static void tagged_describe(struct uet_rx_message *rm,
			    const struct uet_ses_req *req,
			    const struct uet_rx_tagged_atomic *ta)
{
	rm->ses.req = *req;
	rm->ses.req.request_length = ta->op.count * ta->op.size;
	rm->ses.length = rm->ses.req.request_length;
	rm->delivery = ta->delivery;
	rm->is_placed = true;
	rm->length = rm->ses.length;
	rm->window = rm->length;
}

/* Return: 0, or the errno of the receive's completion. */
static int tagged_errno(u8 rc)
{
	switch (rc) {
	case UET_RC_OK:
		return 0;
	case UET_RC_TOO_LONG:
		return -EMSGSIZE;
	case UET_RC_AMO_UNALIGNED:
		return -EINVAL;
	case UET_RC_CANCELLED:
		return -EFAULT;
	default:
		return -EIO;
	}
}

/*
 * Execute a tagged atomic on the memory of a receive.
 * @ta: from uet_rx_tagged_atomic_check(), the caller fills in endpoint and
 *	delivery; result
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE: executed; SES_NO_SPACE: no memory, try again later;
 *	else the reason for the refusal, with @ta->rc: UET_RC_NO_MATCH without a
 *	receive; UET_RC_TOO_LONG, UET_RC_AMO_UNALIGNED and UET_RC_CANCELLED use
 *	up a receive.
 */
enum uet_drop uet_rx_tagged_atomic(struct uet_rx *rx,
				   const struct uet_ses_req *req,
				   struct uet_rx_tagged_atomic *ta,
				   struct uet_rx_up *up)
{
	struct uet_rx_message *rm = uet_rx_message_admit_rma(ta->us, &rx->from);
	struct uet_posted_recv *recv;

	if (!rm)
		return UET_DROP_SES_NO_SPACE;
	recv = tagged_take_recv(rm, req, ta->op.count * ta->op.size);
	if (!recv) {
		uet_rx_message_put(rm);
		ta->rc = UET_RC_NO_MATCH;
		return UET_DROP_SES_NO_MATCH;
	}
	tagged_describe(rm, req, ta);
	rm->recv = recv;
	up->rm = rm;
	/* Truncated operands would be other values. */
	ta->rc = rm->length > recv->length ? UET_RC_TOO_LONG :
		 uet_mr_apply(ta->us, &recv->place, &ta->op, rx->skb, &ta->old);
	up->error = tagged_errno(ta->rc);
	up->is_complete = !up->error;
	if (up->error)
		return UET_DROP_SES_BAD_ATOMIC;
	uet_mib_inc(rx->fep->un, UET_MIB_RX_POSTED);
	return UET_DROP_NONE;
}
