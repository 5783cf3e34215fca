// SPDX-License-Identifier: GPL-2.0
/*
 * The endpoints behind PDs and QPs: sockets of the kernel that no system call reaches. They are
 * made with the rights of the calling process, which must be allowed to use the job, and they
 * count in its shares.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "rdma.h"
#include "socket/socket.h"

/* A QP number below names one of two special QPs. */
#define EP_QPN_MIN	2

static int ep_bind(struct uet_rdma_dev *dev, struct uet_sock *us, u16 ri)
{
	const struct uet_sock_dest want = {
		.fa = dev->cfg.fa,
		.job = dev->job,
		.pid = UET_PID_FIRST,
		.ri = ri,
		.rel = true,
	};
	int err = uet_sock_bind_to(us, "bind", &want, 0);

	if (err)
		ibdev_dbg(&dev->ib, "%s\n", us->err.text);
	return err;
}

static struct socket *ep_try(struct uet_rdma_dev *dev, const struct uet_ep_ops *ops, void *owner,
			     struct uet_domain *domain, u16 ri)
{
	struct socket *sock;
	struct uet_sock *us;
	int err;

	err = sock_create_kern(dev->net, uet_sock_family(), SOCK_RDM, 0, &sock);
	if (err)
		return ERR_PTR(err);
	us = uet_sk(sock->sk);
	WRITE_ONCE(us->sk.sk_rcvbuf, min(UET_RDMA_BUF, READ_ONCE(uet_mem_rmem[UET_MEM_MAX])));
	/* Within net.uet.uet_wmem, as of each socket. */
	WRITE_ONCE(us->sk.sk_sndbuf, UET_RDMA_BUF);
	us->ops = ops;
	us->owner = owner;
	err = uet_domain_use(domain, us);
	if (!err)
		err = ep_bind(dev, us, ri);
	if (!err)
		return sock;
	sock_release(sock);
	return ERR_PTR(err);
}

/**
 * uet_rdma_ep_make() - make an endpoint
 * @dev: device, on whose FEP and in whose job it is
 * @ops: what the endpoint does
 * @owner: object that @ops find
 * @domain: memory regions that peers may access
 * @ri: Resource Index; 0: any
 * Return: the socket, for sock_release(); or an ERR_PTR().
 */
struct socket *uet_rdma_ep_make(struct uet_rdma_dev *dev, const struct uet_ep_ops *ops,
				void *owner, struct uet_domain *domain, u16 ri)
{
	struct socket *sock, *special = NULL;

	sock = ep_try(dev, ops, owner, domain, ri);
	if (!IS_ERR(sock) && !ri && uet_rdma_ep_qpn(uet_sk(sock->sk)) < EP_QPN_MIN) {
		special = sock;
		sock = ep_try(dev, ops, owner, domain, ri);
		sock_release(special);
		/* Softirq may have found it, and @owner. */
		synchronize_rcu();
	}
	return sock;
}

/**
 * uet_rdma_ep_qpn() - the number of a QP
 * @us: its endpoint
 */
u32 uet_rdma_ep_qpn(const struct uet_sock *us)
{
	const struct uet_ses_addr *addr = &us->addr;

	return addr->ri == UET_RINDEX_CM ? 1 : UET_INITIATOR_ID(addr->pid, addr->ri);
}

/**
 * uet_rdma_ep_dest() - the address of an endpoint for sendmsg()
 * @us: endpoint that sends
 * @to: fabric address and QP number
 * @addr: result
 */
void uet_rdma_ep_dest(const struct uet_sock *us, const struct uet_rdma_dest *to,
		      struct sockaddr_uet *addr)
{
	const struct uet_ses_addr *own = &us->addr;
	const struct uet_sock_dest dest = {
		.fa = to->fa,
		.job = own->job,
		.pid = to->qpn == 1 ? own->pid : UET_INITIATOR_PID(to->qpn),
		.ri = to->qpn == 1 ? UET_RINDEX_CM : UET_INITIATOR_RI(to->qpn),
		.rel = true,
	};

	uet_sock_dest_fill(addr, &dest);
}
