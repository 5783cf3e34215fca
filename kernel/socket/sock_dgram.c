// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg() of SOCK_DGRAM sockets: a message is one packet without a PDC and
 * without an answer (UUD). The packet is charged to the send buffer until the
 * device has sent it.
 * Spec: UE 1.0.1 3.5.10.12, Table 3-17 (UET_DATAGRAM_SEND).
 */
#include <net/sock.h>

#include "pdc/pdc.h"
#include "socket.h"

static int dgram_check(struct uet_sock *us, size_t len)
{
	u32 mtu = us->fep->cfg.mtu;

	if (len > mtu)
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: datagram of %zu bytes is longer than the Payload MTU %u",
				       len, mtu);
	return 0;
}

/* Return: an skb for a datagram, charged to the send buffer, or an error. */
static struct sk_buff *dgram_alloc(struct uet_sock *us, size_t len, bool nowait)
{
	struct sk_buff *skb;
	int err;

	uet_sock_wait_begin(us);
	skb = sock_alloc_send_pskb(&us->sk, UET_TX_LINEAR, len, nowait, &err,
				   PAGE_ALLOC_COSTLY_ORDER);
	uet_sock_wait_end(us);
	if (!skb && err == -EAGAIN && uet_sock_note_full(us))
		us->sk.sk_write_space(&us->sk);
	if (skb)
		return skb;
	if (err == -EPIPE)
		uet_sock_refuse(us, err, "sendmsg: the socket was shut down for writing");
	return ERR_PTR(err);
}

static int dgram_fill(struct uet_sock *us, const struct uet_sock_dest *dest,
		      const struct uet_sock_op *sop, struct msghdr *msg,
		      struct sk_buff *skb, size_t len)
{
	struct uet_ses_tx ses = { .length = len, .mtu = us->fep->cfg.mtu };
	u32 headers;

	uet_sock_op_apply(us, sop, dest, &ses);
	ses.opcode = UET_OP_DATAGRAM_SEND;
	uet_sock_op_form(us, &ses);
	if (!uet_tx_dgram_begin(skb, &ses))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: the datagram cannot be encoded");
	headers = skb->len;
	skb->data_len = len;
	skb->len += len;
	if (skb_copy_datagram_from_iter(skb, headers, &msg->msg_iter, len))
		return uet_sock_refuse(us, -EFAULT, "sendmsg: the buffer cannot be read");
	return 0;
}

static int dgram_error(struct uet_sock *us, enum uet_drop why)
{
	switch (why) {
	case UET_DROP_NONE:
		return 0;
	case UET_DROP_TX_NO_RAIL:
		return uet_sock_refuse(us, -ENETDOWN, "sendmsg: no rail of FEP %s is usable",
				       us->fep->cfg.name);
	case UET_DROP_TX_NO_ROUTE:
		return uet_sock_refuse(us, -EHOSTUNREACH, "sendmsg: FEP %s has no route to the fabric address",
				       us->fep->cfg.name);
	case UET_DROP_TX_TOO_BIG:
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: no path is wide enough, FEP %s needs MTU %u",
				       us->fep->cfg.name,
				       READ_ONCE(us->fep->min_mtu));
	case UET_DROP_TX_QUEUE:
		return uet_sock_refuse(us, -ENOBUFS, "sendmsg: the queue of a rail of FEP %s is full",
				       us->fep->cfg.name);
	case UET_DROP_TX_REFUSED:
		return uet_sock_refuse(us, -EPERM, "sendmsg: this host refused the packet: a firewall, an IPsec policy, or IP");
	default:
		return uet_sock_refuse(us, -ENOBUFS, "sendmsg: no memory");
	}
}

static int dgram_xmit(struct uet_sock *us, const struct uet_sock_dest *dest,
		      struct sk_buff *skb, size_t len)
{
	enum uet_drop why;

	local_bh_disable();
	rcu_read_lock();
	why = uet_tx_dgram_send(us->fep, &dest->fa, skb);
	rcu_read_unlock();
	local_bh_enable();
	if (!why) {
		uet_traffic_sent(&us->fep->traffic, len);
		uet_traffic_sent(&us->job->traffic, len);
	}
	return dgram_error(us, why);
}

static int dgram_send(struct uet_sock *us, struct msghdr *msg, size_t len)
{
	struct uet_sock_op sop = { .op = { .opcode = UET_OP_SEND } };
	struct uet_sock_dest dest;
	struct sk_buff *skb;
	int err;

	err = uet_sock_check_msg(us, msg, &sop);
	if (err)
		return err;
	lock_sock(&us->sk);
	err = uet_sock_get_dest(us, msg, &sop, &dest);
	if (!err)
		err = dgram_check(us, len);
	release_sock(&us->sk);
	if (err)
		return err;

	skb = dgram_alloc(us, len, msg->msg_flags & MSG_DONTWAIT);
	if (IS_ERR(skb)) {
		err = PTR_ERR(skb);
		if (err == -EPIPE && !(msg->msg_flags & MSG_NOSIGNAL))
			send_sig(SIGPIPE, current, 0);
		return err;
	}
	err = dgram_fill(us, &dest, &sop, msg, skb, len);
	if (err) {
		kfree_skb(skb);
		return err;
	}
	err = dgram_xmit(us, &dest, skb, len);
	return err ? err : len;
}

/*
 * sendmsg() of a SOCK_DGRAM socket.
 * @msg: destination (optional when connected), data, flags
 *
 * Documentation/uapi.rst describes the behaviour and all errors.
 *
 * Context: Process; waits for space in the send buffer.
 * Return: @len, or negative errno.
 */
int uet_sock_send_dgram(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun, dgram_send(us, msg, len));
}
