// SPDX-License-Identifier: GPL-2.0
/*
 * UET_IOC_PEER: endpoints get numbers. A send by number needs no address: the address
 * was checked when the peer was added, and socket and job stay the same from bind() on.
 */
#include <linux/uaccess.h>

#include "message/message.h"
#include "socket.h"

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

/*
 * UET_IOC_PEER: add a peer.
 * @arg: user's struct uet_peer; gets the number
 *
 * Context: Process, sleeps.
 * Return: 0; -EEXIST, and the number is that of the peer; -ENOSPC; -EFAULT; -ENOTCONN;
 *	-ENOMEM; or an error of uet_sock_addr_dest(), uet_sock_inet_peer() or
 *	uet_sock_check_dest().
 */
int uet_sock_ioctl_peer(struct uet_sock *us, void __user *arg)
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

/*
 * UET_IOC_PEER_REMOVE: remove a peer.
 * Context: Process.
 * Return: 0; -EFAULT; -ENOENT.
 */
int uet_sock_ioctl_peer_remove(struct uet_sock *us, const void __user *arg)
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

/*
 * UET_IOC_PEER_ADDR: the address of a peer.
 * @arg: user's struct uet_peer with the number; gets the address
 *
 * Context: Process.
 * Return: 0; -EFAULT; -EINVAL; -ENOENT.
 */
int uet_sock_ioctl_peer_addr(struct uet_sock *us, void __user *arg)
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

/*
 * The destination of a message with UET_CMSG_PEER.
 * Context: Process, lock_sock() held.
 * Return: 0; -EINVAL: the message has an address, too; -ENOENT: no such peer.
 */
int uet_sock_peer_dest(struct uet_sock *us, const struct msghdr *msg, u32 number,
		       struct uet_sock_dest *dest)
{
	if (msg->msg_name)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: both a destination and UET_CMSG_PEER");
	if (!uet_peer_dest(us, number, dest))
		return uet_sock_refuse(us, -ENOENT, "sendmsg: UET_CMSG_PEER: %u is no peer of the socket",
				       number);
	return 0;
}
