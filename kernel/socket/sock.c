// SPDX-License-Identifier: GPL-2.0
/*
 * AF_UET socket family, and the lifetime of sockets of any family: creation, poll(), shutdown()
 * and close(). The socket type selects the delivery mode of sent messages; a socket of any type
 * receives messages of all modes.
 *
 * A closed socket exists until its last message was answered, and a peer that refuses packets
 * for lack of resources can delay that for ever. The PDCs of a closed socket therefore end
 * after a time: the setting "orphan" of the FEP, or the time of SO_LINGER if that is shorter.
 * Until then the bytes of the messages are charged to the user of the socket, whose share of a
 * limit bounds them. Without a share the PDCs end at once.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/random.h>
#include <net/sock.h>

#include "base/base.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "socket.h"

/* The next uet_sock.cookie. */
static atomic64_t usock_cookies = ATOMIC64_INIT(0);

/* For IPv6, which sees the sockets as owners of packets: ignore a learned path MTU. */
static struct ipv6_pinfo usock_inet6 = { .pmtudisc = IPV6_PMTUDISC_INTERFACE };

static struct proto usock_proto = {
	.name = "UET",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct uet_sock),
	.init = uet_sock_open,
	.unhash = uet_sock_unhash,
};

/* Sockets of SOCK_STREAM, which are no endpoints; a later folder has them. */
static struct proto *usock_stream_proto;
static const struct proto_ops *usock_stream_ops;

/*
 * Wakes earlier than sock_def_write_space(), which waits until half of the buffer is free:
 * messages to a slow receiver can hold more than half of it for a long time.
 */
static void usock_write_space(struct sock *sk)
{
	struct uet_sock *us = uet_sk(sk);

	if (!uet_sock_has_space(us))
		return;
	/*
	 * After the space, which an atomic operation has given: pairs with uet_sock_note_full()
	 * and uet_sock_wait_begin().
	 */
	smp_mb__after_atomic();
	if (!READ_ONCE(us->tx.wants_space) && !atomic_read(&us->tx.waiters))
		return;
	WRITE_ONCE(us->tx.wants_space, false);
	uet_sock_wake(sk, EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND);
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
}

/* ------------------------------------------------- messages of closed sockets */

/* The messages of closed sockets may use this fraction of the memory, and no less. */
#define ORPHAN_MEMORY_SHARE	32
#define ORPHAN_BYTES_MIN	(64UL << 20)

/* Longest time of SO_LINGER that has an effect, s: the longest "orphan". */
#define ORPHAN_TIME_MAX		86400

/* Bytes of closed sockets, by user. One limit for all namespaces: memory is common. */
static struct uet_shares orphan_shares;

/* Time that the messages of a socket have after close(), ns. */
static u64 orphan_time(const struct uet_sock *us)
{
	const struct sock *sk = &us->sk;
	struct uet_pdc_cfg cfg;
	unsigned long linger;

	uet_fep_pdc_cfg(us->fep, &cfg);
	if (!sock_flag(sk, SOCK_LINGER))
		return cfg.orphan_ns;
	linger = min_t(unsigned long, READ_ONCE(sk->sk_lingertime),
		       ORPHAN_TIME_MAX * HZ);
	return min_t(u64, cfg.orphan_ns, jiffies_to_nsecs(linger));
}

/* Charge the unanswered messages to their user. Return: false above its share. */
static bool orphan_charge(struct uet_sock *us)
{
	const struct uet_share_owner owner = { .uid = us->host_user };
	u32 bytes = sk_wmem_alloc_get(&us->sk);

	if (!bytes)
		return true;
	if (uet_shares_take(&orphan_shares, &owner, bytes))
		return false;
	us->orphan.owner = owner;
	us->orphan.bytes = bytes;
	return true;
}

/* Return: monotonic time at which the PDCs of a closed socket end, ns. */
static u64 orphan_until(struct uet_sock *us)
{
	u64 time_ns = orphan_time(us);

	if (time_ns && !orphan_charge(us)) {
		uet_mib_inc(us->fep->un, UET_MIB_ORPHAN_LIMIT);
		time_ns = 0;
	}
	return uet_now_ns() + time_ns;
}

static void usock_unbind(struct uet_sock *us)
{
	struct uet_net *un = uet_net(sock_net(&us->sk));

	uet_ep_table_del(us->fep->eps, us);
	uet_pdc_entry_release_ep(us, orphan_until(us));
	mutex_lock(&un->cfg_mutex);
	WRITE_ONCE(us->job->nr_eps, us->job->nr_eps - 1);
	mutex_unlock(&un->cfg_mutex);
	uet_job_put(us->job);
	uet_fep_put(us->fep);
}

/* ---------------------------------------------------------------------- calls */

void uet_sock_unhash(struct sock *sk)
{
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
}

/*
 * @timeout is SO_LINGER, jiffies. Queued messages are still sent, for a time: their references
 * keep @sk alive until they are answered. For one grace period softirq may still find the
 * socket in the tables; messages to it are refused then.
 */
void uet_sock_close(struct sock *sk, long timeout)
{
	struct uet_sock *us = uet_sk(sk);

	uet_sock_flush(us, timeout);

	lock_sock(sk);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	release_sock(sk);
	uet_sock_purge(us);
	if (uet_sock_is_bound(us)) {
		uet_rx_deferrable_drop_all(us);
		uet_rx_rdv_drop_all(us);
		/* Work of a message that has ended meanwhile may still use the FEP. */
		uet_defer_flush(us);
		uet_tx_deferrable_close(us);
	}
	uet_posted_recv_close(us);
	uet_peers_close(us);
	uet_mr_space_leave(us);
	uet_cq_close(&us->cq);
	uet_ring_free(us->sq.ring);
	uet_spares_close(us);
	if (uet_sock_is_bound(us)) {
		uet_mr_key_purge(us);
		usock_unbind(us);
	}
	if (us->grant)
		uet_job_put(us->grant);
	us->grant = NULL;
	uet_domain_leave(us);
	sk_common_release(sk);
}

static int usock_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	long timeout = 0;

	if (!sk)
		return 0;
	if (sock_flag(sk, SOCK_LINGER) && !(current->flags & PF_EXITING))
		timeout = READ_ONCE(sk->sk_lingertime);
	uet_sock_close(sk, timeout);
	sock->sk = NULL;
	return 0;
}

static int usock_shutdown(struct socket *sock, int how)
{
	struct uet_sock *us = uet_sk(sock->sk);
	struct sock *sk = sock->sk;
	long timeo;
	u8 mask;

	if (how < SHUT_RD || how > SHUT_RDWR)
		return uet_sock_refuse(us, -EINVAL, "shutdown: how %d is not in %d..%d",
				       how, SHUT_RD, SHUT_RDWR);
	mask = how + 1;
	lock_sock(sk);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | mask);
	sk->sk_state_change(sk);
	timeo = sock_sndtimeo(sk, sock->file &&
			      (sock->file->f_flags & O_NONBLOCK));
	release_sock(sk);
	if (mask & RCV_SHUTDOWN) {
		uet_posted_recv_cancel_all(us);
		if (uet_sock_is_bound(us)) {
			uet_rx_deferrable_drop_all(us);
			uet_rx_rdv_drop_all(us);
		}
	}
	if (READ_ONCE(sk->sk_shutdown) == SHUTDOWN_MASK && uet_sock_is_bound(us))
		uet_ep_table_del(us->fep->eps, us);

	return mask & SEND_SHUTDOWN ? uet_sock_flush(us, timeo) : 0;
}

/*
 * SHUT_WR ends sending and waits, at most SO_SNDTIMEO, until all sent messages are answered.
 * The end of both directions frees the address: close() would not while another process, which
 * fork() made, has a descriptor.
 */
int uet_sock_shutdown(struct socket *sock, int how)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun, usock_shutdown(sock, how));
}

__poll_t uet_sock_poll(struct file *file, struct socket *sock,
		       struct poll_table_struct *wait)
{
	struct sock *sk = sock->sk;
	__poll_t mask = 0;
	u8 shut;

	sock_poll_wait(file, sock, wait);
	uet_cq_refill(uet_sk(sk));
	uet_pdc_entry_uncork(uet_sk(sk));

	shut = READ_ONCE(sk->sk_shutdown);
	if (READ_ONCE(sk->sk_err) || uet_cq_is_readable(&uet_sk(sk)->cq))
		mask |= EPOLLERR;
	if (shut == SHUTDOWN_MASK)
		mask |= EPOLLHUP;
	if (shut & RCV_SHUTDOWN)
		mask |= EPOLLRDHUP | EPOLLIN | EPOLLRDNORM;
	if (uet_sock_is_readable(uet_sk(sk)))
		mask |= EPOLLIN | EPOLLRDNORM;
	/* Pairs with the xchg() in mr_access.c. */
	if (READ_ONCE(uet_sk(sk)->mr.has_uses))
		mask |= EPOLLPRI;
	if (uet_sock_is_writable(uet_sk(sk)) || uet_sock_note_full(uet_sk(sk)))
		mask |= EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
	return mask;
}

/*
 * The kernel compares the family of an operations table with PF_UNIX only; the real number is
 * in sk_family.
 */
#define USOCK_OPS(send_)				\
	{						\
		.family = PF_UET,			\
		UET_SOCK_OPS				\
		.release = usock_release,		\
		.bind = uet_sock_bind,			\
		.connect = uet_sock_connect,		\
		.getname = uet_sock_getname,		\
		.setsockopt = uet_sock_setsockopt,	\
		.getsockopt = uet_sock_getsockopt,	\
		.sendmsg = send_,			\
		.recvmsg = uet_sock_recvmsg,		\
	}

static const struct proto_ops usock_reliable_ops = USOCK_OPS(uet_sock_sendmsg);
static const struct proto_ops usock_dgram_ops = USOCK_OPS(uet_sock_send_dgram);

/* The last message is gone, and softirq does not find the socket any more. */
static void usock_destruct(struct sock *sk)
{
	struct uet_sock *us = uet_sk(sk);

	if (us->orphan.bytes)
		uet_shares_give(&orphan_shares, &us->orphan.owner, us->orphan.bytes);
	uet_domain_put(us->mr.domain);
	uet_mem_close(us);
	us->destruct(sk);
}

/*
 * Initialise the endpoint of a new socket, after sock_init_data() and after the family has set
 * sk_destruct. On error the caller ends the socket with sk_common_release().
 */
int uet_sock_open(struct sock *sk)
{
	struct uet_sock *us = uet_sk(sk);

	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, 1);
	sock_set_flag(sk, SOCK_RCU_FREE);
	sk->sk_allocation = GFP_KERNEL_ACCOUNT;
	sk->sk_write_space = usock_write_space;
	sk->sk_state = UET_SOCK_UNBOUND;
	us->inet.pmtudisc = IP_PMTUDISC_INTERFACE;
	WRITE_ONCE(sk->sk_sndbuf, READ_ONCE(uet_mem_wmem[UET_MEM_DEFAULT]));
	WRITE_ONCE(sk->sk_rcvbuf, READ_ONCE(uet_mem_rmem[UET_MEM_DEFAULT]));
	us->destruct = sk->sk_destruct;
	sk->sk_destruct = usock_destruct;

	us->cookie = atomic64_inc_return(&usock_cookies);
	us->user = uet_share_user(current_cred(), sock_net(sk)->user_ns);
	us->host_user = uet_share_user(current_cred(), &init_user_ns);
	us->opt.inet_pid = UET_PID_FIRST;
	us->env.max = UET_ENVELOPES_DEFAULT;
	spin_lock_init(&us->links.lock);
	INIT_LIST_HEAD(&us->links.pdcs);
	INIT_LIST_HEAD(&us->links.deferrables);
	INIT_LIST_HEAD(&us->links.arriving);
	spin_lock_init(&us->rx_lock);
	mutex_init(&us->walk_mutex);
	INIT_LIST_HEAD(&us->rx.ready);
	INIT_LIST_HEAD(&us->rx.claimed);
	INIT_LIST_HEAD(&us->rx.done);
	INIT_LIST_HEAD(&us->env.deferred);
	INIT_LIST_HEAD(&us->env.restarting);
	INIT_LIST_HEAD(&us->env.rdvs);
	atomic_set(&us->env.nr_works, 0);
	uet_match_init(&us->match, get_random_u64());
	atomic_set(&us->tx.pending, 0);
	atomic_set(&us->tx.waiters, 0);
	uet_spares_open(us);
	spin_lock_init(&us->cq.lock);
	INIT_LIST_HEAD(&us->cq.done);
	mutex_init(&us->sq.lock);
	uet_mr_space_init(&us->mr.own);
	uet_mr_space_join(&us->mr.own, us);
	return uet_mem_open(us);
}

/**
 * uet_sock_set_stream() - let AF_UET have sockets of SOCK_STREAM, at module load
 * @prot: of the sockets, which begin with a struct inet_sock; its init() sets them up
 * @ops: their system calls
 */
void uet_sock_set_stream(struct proto *prot, const struct proto_ops *ops)
{
	usock_stream_ops = ops;
	/* Pairs with the acquire in usock_create(). */
	smp_store_release(&usock_stream_proto, prot);
}

static int usock_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct proto *prot = &usock_proto;
	struct sock *sk;
	int err;

	if (sock->type == SOCK_RDM || sock->type == SOCK_SEQPACKET) {
		sock->ops = &usock_reliable_ops;
	} else if (sock->type == SOCK_DGRAM) {
		sock->ops = &usock_dgram_ops;
	} else {
		/* Pairs with the release in uet_sock_set_stream(). */
		prot = smp_load_acquire(&usock_stream_proto);
		if (sock->type != SOCK_STREAM || !prot)
			return -ESOCKTNOSUPPORT;
		sock->ops = usock_stream_ops;
	}
	if (protocol)
		return -EPROTONOSUPPORT;

	sk = sk_alloc(net, uet_sock_family(), GFP_KERNEL_ACCOUNT, prot, kern);
	if (!sk)
		return -ENOMEM;
	sock_init_data(sock, sk);
	inet_sk(sk)->pinet6 = &usock_inet6;
	err = prot->init(sk);
	if (err) {
		sk_common_release(sk);
		sock->sk = NULL;
	}
	return err;
}

static struct net_proto_family usock_family __ro_after_init = {
	.owner = THIS_MODULE,
	.create = usock_create,
};

/**
 * uet_sock_init() - register the AF_UET socket family, and UET with AF_INET and AF_INET6
 */
int __init uet_sock_init(void)
{
	unsigned long orphans = (totalram_pages() / ORPHAN_MEMORY_SHARE) << PAGE_SHIFT;
	const int family = uet_sock_family();
	int err;

	if (family <= AF_UNSPEC || family >= AF_MAX) {
		pr_err("uet: family %d is not in 1..%d\n", family, AF_MAX - 1);
		return -EINVAL;
	}
	usock_family.family = family;

	err = uet_shares_init(&orphan_shares, max(orphans, ORPHAN_BYTES_MIN));
	if (err)
		return err;
	err = proto_register(&usock_proto, 1);
	if (err)
		goto err_orphan;
	err = sock_register(&usock_family);
	if (err == -EEXIST) {
		pr_err("uet: family %d belongs to another protocol, choose one with family=N\n",
		       family);
		/* modprobe takes -EEXIST as "module already loaded". */
		err = -EBUSY;
	}
	if (err)
		goto err_proto;
	err = uet_sock_inet_init();
	if (err)
		goto err_family;
	return 0;

err_family:
	sock_unregister(uet_sock_family());
err_proto:
	proto_unregister(&usock_proto);
err_orphan:
	uet_shares_fini(&orphan_shares);
	return err;
}

/**
 * uet_sock_fini() - unregister the socket families; each socket holds a reference to the module
 */
void uet_sock_fini(void)
{
	uet_sock_inet_fini();
	sock_unregister(uet_sock_family());
	proto_unregister(&usock_proto);
	uet_shares_fini(&orphan_shares);
}
