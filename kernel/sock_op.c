// SPDX-License-Identifier: GPL-2.0
/*
 * Which operation a sendmsg() is: the control messages that say so, and what
 * they must not say.  A call without any never comes here.
 * Spec: UE 1.0.1 Table 3-17 (opcodes).  Level: shell.
 */
#include <net/sock.h>

#include "sock.h"

#define SOCKOP_FLAGS	UET_OP_COMPLETE

static int sockop_check_opcode(struct uet_sock *us, const struct uet_op *op)
{
	if (op->opcode != UET_OP_SEND && op->opcode != UET_OP_NO_OP)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: opcode %u (%s) cannot be sent",
				       op->opcode,
				       uet_wire_op(op->opcode)->name);
	if (us->sk.sk_type != SOCK_DGRAM)
		return 0;
	if (op->opcode == UET_OP_NO_OP)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: opcode 0 (NO_OP) is no datagram");
	if (op->flags & UET_OP_COMPLETE)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: UET_OP_COMPLETE, but nobody answers a datagram");
	return 0;
}

/* The data of a UET_CMSG_OP. */
static int sockop_take(struct uet_sock *us, struct cmsghdr *cmsg,
		       struct uet_op *op)
{
	size_t len = cmsg->cmsg_len - CMSG_LEN(0);

	if (len != sizeof(*op))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP has %zu bytes, not %zu",
				       len, sizeof(*op));
	/* In a 32-bit kernel it need not be aligned. */
	memcpy(op, CMSG_DATA(cmsg), sizeof(*op));
	if (op->flags & ~SOCKOP_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: flags 0x%x, known are 0x%x",
				       op->flags, SOCKOP_FLAGS);
	if (memchr_inv(op->reserved, 0, sizeof(op->reserved)))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: reserved is not 0");
	return 0;
}

/**
 * uet_sock_get_op() - read the control messages of a sendmsg()
 * @us: socket
 * @msg: the caller's; msg_controllen is not 0
 * @op: the operation it is without any; result
 *
 * Context: Process.
 * Return: 0; -EINVAL: malformed, unknown or doubled; -EOPNOTSUPP: an opcode or a
 *	flag that this socket does not serve.
 */
int uet_sock_get_op(struct uet_sock *us, struct msghdr *msg, struct uet_op *op)
{
	bool has_op = false;
	struct cmsghdr *cmsg;
	int err;

	if (!CMSG_FIRSTHDR(msg))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: %zu bytes are no control message",
				       (size_t)msg->msg_controllen);
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return uet_sock_refuse(us, -EINVAL, "sendmsg: a control message has length %zu",
					       (size_t)cmsg->cmsg_len);
		if (cmsg->cmsg_level != SOL_UET ||
		    cmsg->cmsg_type != UET_CMSG_OP)
			return uet_sock_refuse(us, -EINVAL, "sendmsg: control message of level %d type %d is not known",
					       cmsg->cmsg_level,
					       cmsg->cmsg_type);
		if (has_op)
			return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP is there twice");
		err = sockop_take(us, cmsg, op);
		if (err)
			return err;
		has_op = true;
	}
	return sockop_check_opcode(us, op);
}
