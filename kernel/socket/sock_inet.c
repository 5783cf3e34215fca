// SPDX-License-Identifier: GPL-2.0
/*
 * AF_INET and AF_INET6 sockets with IPPROTO_UET: the sockets of AF_UET behind the addresses of
 * IP, which any language has, and which BPF programs of a cgroup and security modules know. The
 * IP address is the fabric address, and the port is the Resource Index. The rest is the
 * socket's: all addresses are relative, of its job and of its PIDonFEP.
 *
 * The IP layer creates these sockets, so each begins as a struct inet_sock, and one of AF_INET6
 * ends with a struct ipv6_pinfo. The IP layer ends them, too, and sees them as owners of
 * packets. Options at its levels are refused.
 *
 * BPF programs of the cgroup see each address before it is decoded, as they do for UDP.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/udp.h>
#include <net/inet_common.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/protocol.h>

#include "base/base.h"
#include "fabric/fabric.h"
#include "socket.h"

static_assert(IPPROTO_UET < IPPROTO_MAX);

/**
 * struct uet6_sock - an AF_INET6 socket
 * @us: must be first
 * @inet6: must be last
 */
struct uet6_sock {
	struct uet_sock us;
	struct ipv6_pinfo inet6;
};

/*
 * Lock classes of their own. A socket of UDP is locked under rtnl, and the lock of
 * a UET socket is outside the configuration mutex.
 */
static struct lock_class_key sinet_lock_keys[2], sinet_slock_keys[2];

static int sinet_init(struct sock *sk)
{
	if (sk->sk_family == AF_INET) {
		sock_lock_init_class_and_name(sk, "slock-AF_INET-UET",
					      &sinet_slock_keys[0],
					      "sk_lock-AF_INET-UET",
					      &sinet_lock_keys[0]);
	} else {
		sock_lock_init_class_and_name(sk, "slock-AF_INET6-UET",
					      &sinet_slock_keys[1],
					      "sk_lock-AF_INET6-UET",
					      &sinet_lock_keys[1]);
		inet6_sk(sk)->pmtudisc = IPV6_PMTUDISC_INTERFACE;
	}
	return uet_sock_open(sk);
}

/* A BPF program cannot bind the socket in connect(): the job is missing. */
static int sinet_get_port(struct sock *sk, unsigned short port)
{
	return -EOPNOTSUPP;
}

static struct proto sinet_proto = {
	.name = "UETv4",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct uet_sock),
	.init = sinet_init,
	.close = uet_sock_close,
	.unhash = uet_sock_unhash,
	.get_port = sinet_get_port,
};

static struct proto sinet6_proto = {
	.name = "UETv6",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct uet6_sock),
	UET_PROTO_PINFO6(struct uet6_sock, inet6)
	.init = sinet_init,
	.close = uet_sock_close,
	.unhash = uet_sock_unhash,
	.get_port = sinet_get_port,
};

/* ------------------------------------------------------------------ addresses */

/* A call on @us_ has the programs of two hooks, one for each family. */
#define IADDR_RUN(us_, addr_, hook4_, hook6_, source_) ({			\
	struct sockaddr_unsized *addr__ = (void *)(addr_);		\
	struct sock *sk__ = &(us_)->sk;					\
	int len__ = iaddr_size(us_);					\
									\
	sk__->sk_family == AF_INET ?					\
	uet_cgroup_run_addr(sk__, addr__, &len__, hook4_, source_) :	\
	uet_cgroup_run_addr(sk__, addr__, &len__, hook6_, source_);	\
})

static int iaddr_size(const struct uet_sock *us)
{
	return us->sk.sk_family == AF_INET ? sizeof(struct sockaddr_in) :
					     sizeof(struct sockaddr_in6);
}

static int iaddr_check(struct uet_sock *us, const char *call, const void *uaddr, int len)
{
	const struct sockaddr *addr = uaddr;

	if (len < iaddr_size(us))
		return uet_sock_refuse(us, -EINVAL, "%s: address of %d bytes is shorter than %d",
				       call, len, iaddr_size(us));
	if (addr->sa_family != us->sk.sk_family)
		return uet_sock_refuse(us, -EAFNOSUPPORT, "%s: address family %u is not %u",
				       call, addr->sa_family, us->sk.sk_family);
	return 0;
}

/* Decode a checked address into fabric address and Resource Index. */
static int iaddr_read(struct uet_sock *us, const char *call, const void *uaddr,
		      u16 min_port, struct uet_sock_dest *dest)
{
	const struct sockaddr_in6 *in6 = uaddr;
	const struct sockaddr_in *in = uaddr;
	u16 port;

	/* The port is at the same place in both. */
	port = ntohs(in->sin_port);
	if (port < min_port || port > UET_RINDEX_MAX)
		return uet_sock_refuse(us, -EINVAL, "%s: port %u is not in %u..%u",
				       call, port, min_port, UET_RINDEX_MAX);
	if (in->sin_family == AF_INET) {
		dest->fa = uet_fa_v4(in->sin_addr.s_addr);
	} else if (ipv6_addr_v4mapped(&in6->sin6_addr)) {
		return uet_sock_refuse(us, -EINVAL, "%s: an IPv4 address needs a socket of AF_INET",
				       call);
	} else {
		dest->fa = uet_fa_v6(&in6->sin6_addr, in6->sin6_scope_id);
	}
	dest->ri = port;
	dest->rel = true;
	return 0;
}

/* Return: length of the address, bytes. */
static int iaddr_write(const struct uet_sock *us, const struct uet_fa *fa,
		       u16 port, void *uaddr)
{
	struct sockaddr_in6 *in6 = uaddr;
	struct sockaddr_in *in = uaddr;

	memset(uaddr, 0, iaddr_size(us));
	in->sin_family = us->sk.sk_family;
	in->sin_port = htons(port);
	if (us->sk.sk_family == AF_INET) {
		in->sin_addr.s_addr = fa->v4;
	} else {
		in6->sin6_addr = fa->v6;
		in6->sin6_scope_id = fa->scope_id;
	}
	return iaddr_size(us);
}

/* Store the addresses where security modules, BPF programs and the IP layer look for them. */
static void iaddr_publish(struct uet_sock *us)
{
	struct inet_sock *inet = &us->inet;
	struct sock *sk = &us->sk;

	lock_sock(sk);
	if (uet_sock_is_bound(us)) {
		inet->inet_num = us->addr.ri;
		inet->inet_sport = htons(us->addr.ri);
		if (sk->sk_family == AF_INET) {
			inet->inet_saddr = us->fep->cfg.fa.v4;
			inet->inet_rcv_saddr = us->fep->cfg.fa.v4;
		} else {
			inet6_sk(sk)->saddr = us->fep->cfg.fa.v6;
			sk->sk_v6_rcv_saddr = us->fep->cfg.fa.v6;
		}
	}
	inet->inet_dport = htons(us->peer.ri);
	if (sk->sk_family == AF_INET)
		inet->inet_daddr = us->peer.fa.v4;
	else
		sk->sk_v6_daddr = us->peer.fa.v6;
	release_sock(sk);
}

/* ------------------------------------------------- becoming an endpoint */

/* Bind to @want with the job and the PIDonFEP of the socket. */
static int iaddr_bind(struct uet_sock *us, const char *call, struct uet_sock_dest *want)
{
	u32 by_default = READ_ONCE(uet_net(sock_net(&us->sk))->default_job);
	bool is_granted;
	int err;

	lock_sock(&us->sk);
	is_granted = us->grant;
	want->job = us->opt.inet_job;
	want->pid = us->opt.inet_pid;
	release_sock(&us->sk);
	if (!want->job && !is_granted)
		want->job = by_default;
	if (!want->job && !is_granted)
		return uet_sock_refuse(us, -ENOENT, "%s: no job: neither UET_JOB nor UET_JOB_FD is set, and net.uet.default_job is 0",
				       call);
	err = uet_sock_bind_to(us, call, want, 0);
	if (!err)
		iaddr_publish(us);
	return err;
}

/* Bind an unbound socket to the only FEP of its family, and to any port. */
static int iaddr_autobind(struct uet_sock *us, const char *call)
{
	struct uet_sock_dest want = {
		.fa.family = us->sk.sk_family,
		.rel = true,
	};
	int err;

	if (uet_sock_is_bound(us))
		return 0;
	err = iaddr_bind(us, call, &want);
	/* Another thread may have been faster. */
	return uet_sock_is_bound(us) ? 0 : err;
}

static int iaddr_refused(struct uet_sock *us, const char *call, int err)
{
	return uet_sock_refuse(us, err, "%s: a BPF program of the cgroup refuses the address",
			       call);
}

/* Address and port may be left open (0); a BPF program may change them. */
static int iaddr_sock_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len)
{
	struct uet_sock *us = uet_sk(sock->sk);
	struct uet_sock_dest want;
	int err;

	err = iaddr_check(us, "bind", uaddr, len);
	if (err)
		return err;
	err = IADDR_RUN(us, uaddr, CGROUP_INET4_BIND, CGROUP_INET6_BIND, NULL);
	if (err)
		return iaddr_refused(us, "bind", err);
	err = iaddr_read(us, "bind", uaddr, 0, &want);
	return err ? : iaddr_bind(us, "bind", &want);
}

/* ------------------------------------------------------------ destinations */

/* Decode a checked address into a destination, and bind an unbound socket. */
static int iaddr_dest(struct uet_sock *us, const char *call, const void *uaddr,
		      struct sockaddr_uet *to)
{
	struct uet_sock_dest dest;
	int err;

	err = iaddr_read(us, call, uaddr, 1, &dest);
	if (!err)
		err = iaddr_autobind(us, call);
	if (err)
		return err;
	uet_sock_addr_fill(to, &dest.fa);
	to->suet_job = us->addr.job;
	to->suet_pid = us->addr.pid;
	to->suet_ri = dest.ri;
	return 0;
}

static int iaddr_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len,
			 int flags)
{
	const struct sockaddr *addr = (const struct sockaddr *)uaddr;
	struct uet_sock *us = uet_sk(sock->sk);
	struct sockaddr_uet to = { .suet_family = AF_UNSPEC };
	int err;

	if (len < (int)sizeof(addr->sa_family) || addr->sa_family != AF_UNSPEC) {
		err = iaddr_check(us, "connect", uaddr, len);
		if (err)
			return err;
		err = IADDR_RUN(us, uaddr, CGROUP_INET4_CONNECT,
				CGROUP_INET6_CONNECT, NULL);
		if (err)
			return iaddr_refused(us, "connect", err);
		err = iaddr_dest(us, "connect", uaddr, &to);
		if (err)
			return err;
	}
	err = uet_sock_connect(sock, (struct sockaddr_unsized *)&to, sizeof(to),
			       flags);
	if (!err)
		iaddr_publish(us);
	return err;
}

/* Destination of a message with an address, which a BPF program may change. */
static int iaddr_msg_dest(struct uet_sock *us, struct msghdr *msg, struct sockaddr_uet *to)
{
	/* A program may choose a source, too. Here that is the FEP. */
	struct in6_addr source = {};
	int err;

	err = iaddr_check(us, "sendmsg", msg->msg_name, msg->msg_namelen);
	if (err)
		return err;
	if (uet_sock_is_bound(us))
		source = us->fep->cfg.fa.v6;
	err = IADDR_RUN(us, msg->msg_name, CGROUP_UDP4_SENDMSG,
			CGROUP_UDP6_SENDMSG, &source);
	if (err)
		return iaddr_refused(us, "sendmsg", err);
	return iaddr_dest(us, "sendmsg", msg->msg_name, to);
}

/* Let BPF programs see, and change, the destination of UET_IOC_PEER. */
int uet_sock_inet_peer(struct uet_sock *us, struct uet_sock_dest *dest)
{
	bool is_relative = dest->rel;
	struct sockaddr_in6 addr;
	int err;

	if (us->sk.sk_family != dest->fa.family)
		return 0;
	iaddr_write(us, &dest->fa, dest->ri, &addr);
	err = IADDR_RUN(us, &addr, CGROUP_INET4_CONNECT, CGROUP_INET6_CONNECT,
			NULL);
	if (err)
		return iaddr_refused(us, "UET_IOC_PEER", err);
	err = iaddr_read(us, "UET_IOC_PEER", &addr, 1, dest);
	dest->rel = is_relative;
	return err;
}

/* ------------------------------------------------------------------- names */

static int iaddr_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct uet_sock *us = uet_sk(sock->sk);
	struct sockaddr_uet name;
	struct uet_fa fa;
	int ret;

	ret = uet_sock_getname(sock, (struct sockaddr *)&name, peer);
	if (ret < 0)
		return ret;
	fa = uet_sock_addr_fa(&name);
	ret = iaddr_write(us, &fa, name.suet_ri, uaddr);
	if (peer)
		IADDR_RUN(us, uaddr, CGROUP_INET4_GETPEERNAME,
			  CGROUP_INET6_GETPEERNAME, NULL);
	else
		IADDR_RUN(us, uaddr, CGROUP_INET4_GETSOCKNAME,
			  CGROUP_INET6_GETSOCKNAME, NULL);
	return ret;
}

/*
 * Report the sender of a message. Its port is 0 if the sender has another PIDonFEP than the
 * socket or an initiator id of its own: no address of IP names it then.
 */
static void iaddr_sender(struct uet_sock *us, struct msghdr *msg,
			 const struct sockaddr_uet *from)
{
	struct uet_fa fa = uet_sock_addr_fa(from);
	u16 port = 0;

	if (from->suet_initiator == UET_INITIATOR_ID(us->addr.pid, from->suet_ri))
		port = from->suet_ri;
	msg->msg_namelen = iaddr_write(us, &fa, port, msg->msg_name);
	IADDR_RUN(us, msg->msg_name, CGROUP_UDP4_RECVMSG, CGROUP_UDP6_RECVMSG,
		  NULL);
}

/* ---------------------------------------------------------------- messages */

static int sinet_send(struct socket *sock, struct msghdr *msg, size_t len,
		      int (*send)(struct socket *, struct msghdr *, size_t))
{
	void *name = msg->msg_name;
	int namelen = msg->msg_namelen;
	struct sockaddr_uet to;
	int ret;

	if (!name)
		return send(sock, msg, len);
	ret = iaddr_msg_dest(uet_sk(sock->sk), msg, &to);
	if (ret)
		return ret;
	msg->msg_name = &to;
	msg->msg_namelen = sizeof(to);
	ret = send(sock, msg, len);
	msg->msg_name = name;
	msg->msg_namelen = namelen;
	return ret;
}

static int sinet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	return sinet_send(sock, msg, len, uet_sock_sendmsg);
}

static int sinet_send_dgram(struct socket *sock, struct msghdr *msg, size_t len)
{
	return sinet_send(sock, msg, len, uet_sock_send_dgram);
}

static int sinet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sockaddr_uet from = {};
	void *name = msg->msg_name;
	int ret;

	if (!name)
		return uet_sock_recvmsg(sock, msg, len, flags);
	msg->msg_name = &from;
	ret = uet_sock_recvmsg(sock, msg, len, flags);
	msg->msg_name = name;
	if (from.suet_family)
		iaddr_sender(uet_sk(sock->sk), msg, &from);
	return ret;
}

/* ----------------------------------------------------------------- options */

static int sinet_set(struct uet_sock *us, int optname, u32 value)
{
	u32 max = optname == UET_JOB ? UET_JOBID_MAX : UET_PIDONFEP_MAX;
	const char *name = optname == UET_JOB ? "UET_JOB" : "UET_PIDONFEP";
	int err = 0;

	if (value > max)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: %s %u is above %u",
				       name, value, max);
	lock_sock(&us->sk);
	if (uet_sock_is_bound(us))
		err = uet_sock_refuse(us, -EINVAL, "setsockopt: %s cannot change once the socket is bound",
				      name);
	else if (optname == UET_JOB)
		us->opt.inet_job = value;
	else
		us->opt.inet_pid = value;
	release_sock(&us->sk);
	return err;
}

static int sinet_setsockopt(struct socket *sock, int level, int optname,
			    sockptr_t optval, unsigned int optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 value;
	int err;

	if (level != SOL_UET || (optname != UET_JOB && optname != UET_PIDONFEP))
		return uet_sock_setsockopt(sock, level, optname, optval, optlen);
	err = uet_sock_opt_take(us, &value, optval, optlen);
	return err ? err : sinet_set(us, optname, value);
}

static int sinet_getsockopt(struct socket *sock, int level, int optname,
			    char __user *optval, int __user *optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	bool is_bound;
	u32 value;

	if (level != SOL_UET || (optname != UET_JOB && optname != UET_PIDONFEP))
		return uet_sock_getsockopt(sock, level, optname, optval, optlen);
	lock_sock(&us->sk);
	is_bound = uet_sock_is_bound(us);
	if (optname == UET_JOB)
		value = is_bound ? us->addr.job : us->opt.inet_job;
	else
		value = is_bound ? us->addr.pid : us->opt.inet_pid;
	release_sock(&us->sk);
	if (optname == UET_PIDONFEP && value == UET_PID_FIRST)
		return uet_sock_refuse(us, -ENOTCONN, "getsockopt: UET_PIDONFEP is known once it was set or the socket is bound");
	return uet_sock_opt_put(&value, sizeof(value), optval, optlen);
}

/* ------------------------------------------------------------ registration */

#define SINET_OPS(family_, release_, send_)			\
	{							\
		.family = family_,				\
		UET_SOCK_OPS					\
		.release = release_,				\
		.bind = iaddr_sock_bind,			\
		.connect = iaddr_connect,		\
		.getname = iaddr_getname,		\
		.setsockopt = sinet_setsockopt,			\
		.getsockopt = sinet_getsockopt,			\
		.sendmsg = send_,				\
		.recvmsg = sinet_recvmsg,			\
	}

static const struct proto_ops sinet_ops =
	SINET_OPS(PF_INET, inet_release, sinet_sendmsg);
static const struct proto_ops sinet_dgram_ops =
	SINET_OPS(PF_INET, inet_release, sinet_send_dgram);
static const struct proto_ops sinet6_ops =
	SINET_OPS(PF_INET6, inet6_release, sinet_sendmsg);
static const struct proto_ops sinet6_dgram_ops =
	SINET_OPS(PF_INET6, inet6_release, sinet_send_dgram);

#define SINET_SW(type_, prot_, ops_)				\
	{							\
		.type = type_,					\
		.protocol = IPPROTO_UET,			\
		.prot = prot_,					\
		.ops = ops_,					\
	}

static struct inet_protosw sinet_sws[] = {
	SINET_SW(SOCK_RDM, &sinet_proto, &sinet_ops),
	SINET_SW(SOCK_SEQPACKET, &sinet_proto, &sinet_ops),
	SINET_SW(SOCK_DGRAM, &sinet_proto, &sinet_dgram_ops),
};

static struct inet_protosw sinet6_sws[] = {
	SINET_SW(SOCK_RDM, &sinet6_proto, &sinet6_ops),
	SINET_SW(SOCK_SEQPACKET, &sinet6_proto, &sinet6_ops),
	SINET_SW(SOCK_DGRAM, &sinet6_proto, &sinet6_dgram_ops),
};

/* Without IPv6 ("ipv6.disable=1") the entries of AF_INET6 exist, and no socket. */
static int __init sinet_register6(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sinet6_sws); i++) {
		err = inet6_register_protosw(&sinet6_sws[i]);
		if (err)
			goto err_registered;
	}
	return 0;

err_registered:
	while (i--)
		inet6_unregister_protosw(&sinet6_sws[i]);
	return err;
}

int __init uet_sock_inet_init(void)
{
	unsigned int i;
	int err;

	err = proto_register(&sinet_proto, 1);
	if (err)
		return err;
	err = proto_register(&sinet6_proto, 1);
	if (err)
		goto err_proto;
	err = sinet_register6();
	if (err)
		goto err_proto6;
	for (i = 0; i < ARRAY_SIZE(sinet_sws); i++)
		inet_register_protosw(&sinet_sws[i]);
	return 0;

err_proto6:
	proto_unregister(&sinet6_proto);
err_proto:
	proto_unregister(&sinet_proto);
	return err;
}

void uet_sock_inet_fini(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sinet_sws); i++)
		inet_unregister_protosw(&sinet_sws[i]);
	for (i = 0; i < ARRAY_SIZE(sinet6_sws); i++)
		inet6_unregister_protosw(&sinet6_sws[i]);
	proto_unregister(&sinet6_proto);
	proto_unregister(&sinet_proto);
}
