// SPDX-License-Identifier: GPL-2.0
/*
 * AF_INET and AF_INET6 sockets with IPPROTO_UET: the sockets of AF_UET behind the
 * addresses of IP, which any language has, and which BPF programs of a cgroup and
 * security modules know. Here are the protocols, the operations and the options;
 * sock_inet_addr.c converts the addresses.
 *
 * The IP layer creates these sockets, so each begins as a struct inet_sock, and one of
 * AF_INET6 ends with a struct ipv6_pinfo. The IP layer ends them, too, and sees them as
 * owners of packets. Options at its levels are refused.
 */
#include <linux/in.h>
#include <net/inet_common.h>
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
	ret = uet_sock_inet_dest(uet_sk(sock->sk), msg, &to);
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

static int sinet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
			 int flags)
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
		uet_sock_inet_sender(uet_sk(sock->sk), msg, &from);
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
		us->inet_job = value;
	else
		us->inet_pid = value;
	release_sock(&us->sk);
	return err;
}

static int sinet_setsockopt(struct socket *sock, int level, int optname,
			    sockptr_t optval, unsigned int optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 value;

	if (level != SOL_UET || (optname != UET_JOB && optname != UET_PIDONFEP))
		return uet_sock_setsockopt(sock, level, optname, optval, optlen);
	if (optlen < sizeof(value))
		return uet_sock_refuse(us, -EINVAL, "setsockopt: value of %u bytes is shorter than %zu",
				       optlen, sizeof(value));
	if (copy_from_sockptr(&value, optval, sizeof(value)))
		return uet_sock_refuse(us, -EFAULT, "setsockopt: the value cannot be read");
	return sinet_set(us, optname, value);
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
		value = is_bound ? us->addr.job : us->inet_job;
	else
		value = is_bound ? us->addr.pid : us->inet_pid;
	release_sock(&us->sk);
	if (optname == UET_PIDONFEP && value == UET_PID_FIRST)
		return uet_sock_refuse(us, -ENOTCONN, "getsockopt: UET_PIDONFEP is known once it was set or the socket is bound");
	return uet_sock_opt_put(&value, sizeof(value), optval, optlen);
}

/* ------------------------------------------------------------ registration */

#define SINET_OPS(family_, release_, send_)			\
	{							\
		.family = family_,				\
		.owner = THIS_MODULE,				\
		.release = release_,				\
		.bind = uet_sock_inet_bind,			\
		.connect = uet_sock_inet_connect,		\
		.socketpair = sock_no_socketpair,		\
		.accept = sock_no_accept,			\
		.getname = uet_sock_inet_getname,		\
		.poll = uet_sock_poll,				\
		.ioctl = uet_sock_ioctl,			\
		UET_SOCK_COMPAT_IOCTL				\
		.gettstamp = sock_gettstamp,			\
		.listen = sock_no_listen,			\
		.shutdown = uet_sock_shutdown,			\
		.setsockopt = sinet_setsockopt,			\
		.getsockopt = sinet_getsockopt,			\
		.sendmsg = send_,				\
		.recvmsg = sinet_recvmsg,			\
		.mmap = uet_sock_mmap,				\
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

/*
 * Register UET with AF_INET and AF_INET6.
 * Context: Process context, module load.
 * Return: 0; -ENOMEM; an error of inet6_register_protosw().
 */
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

/*
 * Unregister UET with AF_INET and AF_INET6.
 * Context: Process context, module unload; no socket is left.
 */
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
