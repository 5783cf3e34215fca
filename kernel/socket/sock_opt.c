// SPDX-License-Identifier: GPL-2.0
/*
 * Options at level SOL_UET and ioctls. The ioctls that cancel sends and number peers are here,
 * others where their objects are. A send by the number of a peer needs no address: the address
 * was checked when the peer was added, and socket and job stay the same from bind() on.
 */
#include <asm/ioctls.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/sockios.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "socket.h"

static int sockopt_set_initiator(struct uet_sock *us, u32 value)
{
	int err = 0;

	lock_sock(&us->sk);
	if (uet_sock_is_bound(us))
		err = uet_sock_refuse(us, -EINVAL, "setsockopt: UET_INITIATOR cannot change once the socket is bound");
	else
		/* Pairs with the READ_ONCE() in uet_sock_getsockopt(). */
		WRITE_ONCE(us->opt.initiator, value);
	release_sock(&us->sk);
	return err;
}

/*
 * The pool is part of the key of a PDC. If it changed later, messages to one endpoint would use
 * two PDCs and be delivered out of order.
 */
static int sockopt_set_reserved(struct uet_sock *us, u32 value)
{
	int err = 0;

	if (!ns_capable(sock_net(&us->sk)->user_ns, CAP_NET_ADMIN))
		return uet_sock_refuse(us, -EPERM, "setsockopt: UET_RESERVED_PDC needs CAP_NET_ADMIN");
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "setsockopt: UET_RESERVED_PDC: a datagram socket has no PDCs");
	if (value > 1)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_RESERVED_PDC must be 0 or 1, not %u",
				       value);
	lock_sock(&us->sk);
	if (us->opt.has_sent)
		err = uet_sock_refuse(us, -EBUSY, "setsockopt: UET_RESERVED_PDC cannot change once the socket has sent");
	else
		WRITE_ONCE(us->opt.reserved_pdc, value);
	release_sock(&us->sk);
	return err;
}

/* Messages that are under way keep the time that they were sent with. */
static int sockopt_set_endpoint_wait(struct uet_sock *us, u32 value)
{
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "setsockopt: UET_ENDPOINT_WAIT: nobody answers a datagram");
	if (value > UET_ENDPOINT_WAIT_MAX)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_ENDPOINT_WAIT must be 0 to %u ms, not %u",
				       UET_ENDPOINT_WAIT_MAX, value);
	/* Pairs with the READ_ONCE() in sockio_wait_until(). */
	WRITE_ONCE(us->opt.endpoint_wait_ms, value);
	return 0;
}

static int sockopt_set_envelopes(struct uet_sock *us, u32 value)
{
	if (!value || value > UET_ENVELOPE_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_ENVELOPES %u is not in 1..%d",
				       value, UET_ENVELOPE_LIMIT);
	/* Pairs with the READ_ONCE() where a message would wait. */
	WRITE_ONCE(us->env.max, value);
	return 0;
}

static int sockopt_set(struct uet_sock *us, int level, int optname,
		       sockptr_t optval, unsigned int optlen)
{
	u32 value;

	if (level != SOL_UET ||
	    (optname != UET_INITIATOR && optname != UET_RECV_CTX &&
	     optname != UET_RESERVED_PDC && optname != UET_JOB_FD &&
	     optname != UET_GENERATION && optname != UET_PAUSE &&
	     optname != UET_ENDPOINT_WAIT && optname != UET_DOMAIN_FD &&
	     optname != UET_ENVELOPES))
		return uet_sock_refuse(us, -ENOPROTOOPT, "setsockopt: no option %d at level %d can be set",
				       optname, level);
	if (optlen < sizeof(value))
		return uet_sock_refuse(us, -EINVAL, "setsockopt: value of %u bytes is shorter than %zu",
				       optlen, sizeof(value));
	if (copy_from_sockptr(&value, optval, sizeof(value)))
		return -EFAULT;

	if (optname == UET_INITIATOR)
		return sockopt_set_initiator(us, value);
	if (optname == UET_RESERVED_PDC)
		return sockopt_set_reserved(us, value);
	if (optname == UET_JOB_FD)
		return uet_sock_set_job_fd(us, value);
	if (optname == UET_GENERATION)
		return uet_gen_set(us, value);
	if (optname == UET_DOMAIN_FD)
		return uet_domain_join(us, value);
	if (optname == UET_ENVELOPES)
		return sockopt_set_envelopes(us, value);
	if (optname == UET_PAUSE)
		return uet_gen_set_pause(us, value);
	if (optname == UET_ENDPOINT_WAIT)
		return sockopt_set_endpoint_wait(us, value);
	/* Pairs with the READ_ONCE() in sock_recv.c. */
	WRITE_ONCE(us->opt.recv_ctx, value);
	return 0;
}

int uet_sock_setsockopt(struct socket *sock, int level, int optname,
			sockptr_t optval, unsigned int optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun,
				 sockopt_set(us, level, optname, optval, optlen));
}

int uet_sock_opt_put(const void *value, int size, char __user *optval, int __user *optlen)
{
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	len = min(len, size);
	if (put_user(len, optlen) || copy_to_user(optval, value, len))
		return -EFAULT;
	return 0;
}

static int sockopt_get_error(struct uet_sock *us, char __user *optval, int __user *optlen)
{
	char text[UET_SOCK_ERROR_MAX];

	spin_lock_bh(&us->rx_lock);
	memcpy(text, us->err.text, sizeof(text));
	us->err.late = 0;
	spin_unlock_bh(&us->rx_lock);
	return uet_sock_opt_put(text, strlen(text) + 1, optval, optlen);
}

static int sockopt_get(struct uet_sock *us, int level, int optname,
		       char __user *optval, int __user *optlen)
{
	u32 value;

	if (level != SOL_UET)
		optname = 0;
	switch (optname) {
	case UET_INITIATOR:
		value = uet_sock_is_bound(us) ? us->addr.initiator :
						READ_ONCE(us->opt.initiator);
		break;
	case UET_RECV_CTX:
		value = READ_ONCE(us->opt.recv_ctx);
		break;
	case UET_PAYLOAD_MTU:
		if (!uet_sock_is_bound(us))
			return uet_sock_refuse(us, -ENOTCONN, "getsockopt: UET_PAYLOAD_MTU is known once the socket is bound");
		value = us->fep->cfg.mtu;
		break;
	case UET_RESERVED_PDC:
		value = READ_ONCE(us->opt.reserved_pdc);
		break;
	case UET_GENERATION:
		value = READ_ONCE(us->gen_policy);
		break;
	case UET_RI_GENERATION:
		value = uet_gen_get(us);
		break;
	case UET_ENVELOPES:
		value = READ_ONCE(us->env.max);
		break;
	case UET_PAUSE:
		value = READ_ONCE(us->is_paused);
		break;
	case UET_ENDPOINT_WAIT:
		value = READ_ONCE(us->opt.endpoint_wait_ms);
		break;
	default:
		return uet_sock_refuse(us, -ENOPROTOOPT, "getsockopt: no such option at level %d",
				       level);
	}
	return uet_sock_opt_put(&value, sizeof(value), optval, optlen);
}

int uet_sock_getsockopt(struct socket *sock, int level, int optname,
			char __user *optval, int __user *optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	if (level == SOL_UET && optname == UET_LAST_ERROR)
		return sockopt_get_error(us, optval, optlen);
	return uet_sock_end_call(us, begun,
				 sockopt_get(us, level, optname, optval, optlen));
}

/* -------------------------------------------------------- UET_IOC_SEND_CANCEL */

#define CANCEL_FLAGS	(UET_CANCEL_COOKIE | UET_CANCEL_PEER)

/* A cancel request, with the decoded address, and the number of operations cancelled so far. */
struct cancel {
	struct uet_send_cancel ask;
	struct uet_sock_dest dest;
	u32 count;
};

static int cancel_check(struct uet_sock *us, const struct uet_send_cancel *ask)
{
	if (!ask->flags || ask->flags & ~CANCEL_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: flags 0x%x are not of 0x%x, or none",
				       ask->flags, CANCEL_FLAGS);
	if (ask->reserved)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: reserved is not 0");
	if (!(ask->flags & UET_CANCEL_COOKIE) && ask->cookie)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: cookie 0x%llx is not 0, without UET_CANCEL_COOKIE",
				       ask->cookie);
	if (!(ask->flags & UET_CANCEL_PEER) &&
	    memchr_inv(&ask->addr, 0, sizeof(ask->addr)))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: addr is not 0, without UET_CANCEL_PEER");
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_SEND_CANCEL: the socket is not bound");
	return 0;
}

static bool cancel_wants_peer(const struct cancel *c, const struct uet_peer_key *key)
{
	const struct uet_sock_dest *dest = &c->dest;

	if (!(c->ask.flags & UET_CANCEL_PEER))
		return true;
	return uet_fa_equal(&key->peer, &dest->fa) && key->job == dest->job &&
	       key->pid == dest->pid && key->ri == dest->ri &&
	       key->rel == dest->rel;
}

static bool cancel_wants(const struct cancel *c, const struct uet_tx_message *tm)
{
	if (tm->ses.is_aborted)
		return false;
	return !(c->ask.flags & UET_CANCEL_COOKIE) ||
	       (tm->cqe && tm->cqe->rec.cookie == c->ask.cookie);
}

static bool cancel_wants_deferred(const struct uet_tx_message *tm,
				  const struct uet_peer_key *key, const void *arg)
{
	return cancel_wants_peer(arg, key) && cancel_wants(arg, tm);
}

/* Messages that are not yet packetised, that wait for an answer, or that are to be sent again. */
static void cancel_list(struct cancel *c, struct uet_ses *ses, struct list_head *list)
{
	struct uet_ses_tx *tx, *next;

	list_for_each_entry_safe(tx, next, list, link) {
		if (!cancel_wants(c,
				  container_of(tx, struct uet_tx_message, ses)))
			continue;
		uet_ses_tx_abort(ses, tx);
		c->count++;
	}
}

static void cancel_pdc(struct cancel *c, struct uet_pdc_entry *pe)
{
	struct uet_ses *ses = &pe->ses;

	uet_pdc_entry_lock(pe);
	if (!pe->dead) {
		cancel_list(c, ses, &ses->txq);
		cancel_list(c, ses, &ses->waitq);
		cancel_list(c, ses, &ses->rdv_waitq);
		cancel_list(c, ses, &ses->gen.refused);
	}
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/*
 * A message that is not completely sent is still in a list of SES. A PDC serves one pair of
 * endpoints, so the lists of the socket's own PDCs are searched. Deferred messages are on no
 * PDC: see tx_deferrable.c. Spec: UE 1.0.1 Table 3-17 (UET_MSG_ERROR).
 */
static int cancel_ioctl(struct uet_sock *us, const void __user *arg)
{
	struct cancel c = {};
	struct uet_pdc_entry *pe;
	int err;

	if (copy_from_user(&c.ask, arg, sizeof(c.ask)))
		return -EFAULT;
	err = cancel_check(us, &c.ask);
	if (!err && c.ask.flags & UET_CANCEL_PEER)
		err = uet_sock_addr_dest(us, "UET_IOC_SEND_CANCEL", &c.ask.addr,
					 sizeof(c.ask.addr), &c.dest);
	if (err)
		return err;
	rcu_read_lock();
	list_for_each_entry_rcu(pe, &us->links.pdcs, on_ep)
		if (cancel_wants_peer(&c, &pe->key))
			cancel_pdc(&c, pe);
	rcu_read_unlock();
	c.count += uet_tx_deferrable_cancel(us, cancel_wants_deferred, &c);
	if (!c.count)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_SEND_CANCEL: no such operation can be taken back any more");
	return min_t(u32, c.count, INT_MAX);
}

/* -------------------------------------------------------------- UET_IOC_PEER* */

/* The initiator id that messages of the endpoint carry. */
static u32 peer_initiator(const struct sockaddr_uet *addr)
{
	return addr->suet_initiator ? :
	       UET_INITIATOR_ID(addr->suet_pid, addr->suet_ri);
}

static int peer_add(struct uet_sock *us, struct uet_peer *peer)
{
	struct uet_sock_dest dest = {};
	int err;

	if (peer->reserved)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_PEER: reserved is not 0");
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_PEER: the socket is not bound");
	err = uet_sock_addr_dest(us, "UET_IOC_PEER", &peer->addr,
				 sizeof(peer->addr), &dest);
	if (!err)
		err = uet_sock_inet_peer(us, &dest);
	if (err)
		return err;
	lock_sock(&us->sk);
	err = uet_sock_check_dest(us, "UET_IOC_PEER", &dest);
	if (!err)
		err = uet_peer_add(us, &dest, peer_initiator(&peer->addr),
				   &peer->peer);
	release_sock(&us->sk);
	if (err == -EEXIST)
		uet_sock_refuse(us, err, "UET_IOC_PEER: peer %u has this fabric address and initiator 0x%x",
				peer->peer, peer_initiator(&peer->addr));
	else if (err == -ENOSPC)
		uet_sock_refuse(us, err, "UET_IOC_PEER: the socket has %d peers",
				UET_PEER_LIMIT);
	return err;
}

static int peer_ioctl_add(struct uet_sock *us, void __user *arg)
{
	struct uet_peer __user *user = arg;
	struct uet_peer peer;
	int err;

	if (copy_from_user(&peer, arg, sizeof(peer)))
		return -EFAULT;
	err = peer_add(us, &peer);
	if (err && err != -EEXIST)
		return err;
	/* The peer is there, even if the number cannot be stored. */
	return put_user(peer.peer, &user->peer) ? -EFAULT : err;
}

static int peer_ioctl_remove(struct uet_sock *us, const void __user *arg)
{
	u32 number;
	int err;

	if (copy_from_user(&number, arg, sizeof(number)))
		return -EFAULT;
	lock_sock(&us->sk);
	err = uet_peer_remove(us, number);
	release_sock(&us->sk);
	if (err)
		uet_sock_refuse(us, err, "UET_IOC_PEER_REMOVE: %u is no peer of the socket",
				number);
	return err;
}

static int peer_ioctl_addr(struct uet_sock *us, void __user *arg)
{
	struct uet_sock_dest dest;
	struct uet_peer peer;
	bool is_peer;

	if (copy_from_user(&peer, arg, sizeof(peer)))
		return -EFAULT;
	if (peer.reserved)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_PEER_ADDR: reserved is not 0");
	lock_sock(&us->sk);
	is_peer = uet_peer_dest(us, peer.peer, &dest);
	release_sock(&us->sk);
	if (!is_peer)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_PEER_ADDR: %u is no peer of the socket",
				       peer.peer);
	uet_sock_dest_fill(&peer.addr, &dest);
	return copy_to_user(arg, &peer, sizeof(peer)) ? -EFAULT : 0;
}

/* ---------------------------------------------------------------------- ioctl */

/* UET_IOC_DOMAIN_OPEN. Return: the descriptor, or an errno. */
static int sockopt_open_domain(struct uet_sock *us, unsigned long flags)
{
	int fd;

	if (flags & ~(unsigned long)UET_DOMAIN_CLOEXEC)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_DOMAIN_OPEN: flags 0x%lx are unknown",
				       flags & ~(unsigned long)UET_DOMAIN_CLOEXEC);
	fd = uet_domain_fd_make(flags & UET_DOMAIN_CLOEXEC);
	if (fd < 0)
		uet_sock_refuse(us, fd, "UET_IOC_DOMAIN_OPEN: no descriptor or memory is left");
	return fd;
}

static int sockopt_ioctl(struct uet_sock *us, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	int amount;

	switch (cmd) {
	case UET_IOC_MR_REG:
		return uet_mr_ioctl_reg(us, user);
	case UET_IOC_MR_DEREG:
		return uet_mr_ioctl_dereg(us, user);
	case UET_IOC_MR_CHANGED:
		return uet_mr_ioctl_changed(us, user);
	case UET_IOC_MR_COUNTS:
		return uet_mr_ioctl_counts(us, user);
	case UET_IOC_DOMAIN_OPEN:
		return sockopt_open_domain(us, arg);
	case UET_IOC_CQ_RING:
		return uet_sock_ioctl_ring(us, user);
	case UET_IOC_SQ_RING:
		return uet_sq_ioctl_ring(us, user);
	case UET_IOC_SUBMIT:
		return uet_sock_ioctl_submit(us, arg);
	case UET_IOC_SQ_POLL:
		return uet_sock_ioctl_sq_poll(us, arg);
	case UET_IOC_JOB_OPEN:
		return uet_sock_ioctl_job_open(us, user);
	case UET_IOC_RECV_POST:
		return uet_posted_recv_ioctl_post(us, user);
	case UET_IOC_RECV_POSTS:
		return uet_posted_recv_ioctl_posts(us, user);
	case UET_IOC_RECV_CANCEL:
		return uet_posted_recv_ioctl_cancel(us, user);
	case UET_IOC_RECV_PEEK:
		return uet_sock_ioctl_peek(us, user);
	case UET_IOC_PEER:
		return peer_ioctl_add(us, user);
	case UET_IOC_PEER_REMOVE:
		return peer_ioctl_remove(us, user);
	case UET_IOC_PEER_ADDR:
		return peer_ioctl_addr(us, user);
	case UET_IOC_SEND_CANCEL:
		return cancel_ioctl(us, user);
	case SIOCINQ:
		amount = uet_sock_inq(us);
		break;
	case SIOCOUTQ:
		amount = sk_wmem_alloc_get(&us->sk);
		break;
	default:
		return -ENOIOCTLCMD;
	}
	return put_user(amount, (int __user *)user);
}

int uet_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun,
				 sockopt_ioctl(us, cmd, arg));
}

int uet_sock_compat_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	return uet_sock_ioctl(sock, cmd, (unsigned long)compat_ptr(arg));
}
