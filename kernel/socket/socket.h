/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system calls of sockets, in process context. sock.c has the family AF_UET and the life of
 * a socket, sock_addr.c its address and its job, sock_inet.c the families AF_INET and AF_INET6;
 * sock_io.c and sock_recv.c move messages, sock_op.c reads operations, sock_submit.c takes them
 * from the submission ring, sock_opt.c has the options, sock_ioctl.c the ioctls.
 *
 * @call and @what name the call in the text of UET_LAST_ERROR. The pages uapi*.rst in
 * Documentation/ have the errors of each call.
 */
#ifndef UET_SOCKET_H
#define UET_SOCKET_H

#include <linux/uet.h>

#include "endpoint/endpoint.h"

struct poll_table_struct;
struct uet_mr_ref;
struct vm_area_struct;

/**
 * struct uet_sock_op - the operation of a sendmsg(), from its control messages
 * @seen: BIT(UET_CMSG_*) of each control message present; the other fields are zero
 * @op: UET_CMSG_OP; SEND if absent
 * @rma: UET_CMSG_RMA
 * @header_data: UET_CMSG_HDATA
 * @atomic: UET_CMSG_ATOMIC
 * @tag: UET_CMSG_TAG
 * @local: UET_CMSG_LOCAL
 * @is_kernel: with UET_OP_LOCAL_ADDR, the address of @local is one of the kernel
 * @peer: UET_CMSG_PEER
 */
struct uet_sock_op {
	u32 seen;
	struct uet_op op;
	struct uet_rma rma;
	u64 header_data;
	struct uet_atomic atomic;
	u64 tag;
	struct uet_local local;
	bool is_kernel;
	u32 peer;
};

/* sock.c */
int uet_sock_init(void);
void uet_sock_fini(void);
void uet_sock_set_stream(struct proto *prot, const struct proto_ops *ops);
int uet_sock_open(struct sock *sk);
void uet_sock_unhash(struct sock *sk);
void uet_sock_close(struct sock *sk, long timeout);
int uet_sock_shutdown(struct socket *sock, int how);
__poll_t uet_sock_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait);

/* sock_addr.c */
int uet_sock_family(void);
int uet_sock_bind_to(struct uet_sock *us, const char *call, const struct uet_sock_dest *want,
		     u32 initiator);
int uet_sock_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len);
int uet_sock_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len, int flags);
int uet_sock_getname(struct socket *sock, struct sockaddr *uaddr, int peer);
int uet_sock_refuse_device(struct uet_sock *us, const char *call);
int uet_sock_check_dest(struct uet_sock *us, const char *call, const struct uet_sock_dest *dest);
struct uet_fa uet_sock_addr_fa(const struct sockaddr_uet *addr);
int uet_sock_addr_dest(struct uet_sock *us, const char *call, const struct sockaddr_uet *addr,
		       int len, struct uet_sock_dest *dest);
void uet_sock_addr_fill(struct sockaddr_uet *addr, const struct uet_fa *fa);
void uet_sock_dest_fill(struct sockaddr_uet *addr, const struct uet_sock_dest *dest);
int uet_sock_set_job_fd(struct uet_sock *us, int fd);
int uet_sock_ioctl_job_open(struct uet_sock *us, void *arg);

/* sock_inet.c */
int uet_sock_inet_init(void);
void uet_sock_inet_fini(void);
int uet_sock_inet_peer(struct uet_sock *us, struct uet_sock_dest *dest);

/* sock_io.c */
int uet_sock_send_op(struct uet_sock *us, const struct uet_sock_op *sop, struct msghdr *msg,
		     size_t len);
int uet_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int uet_sock_send_dgram(struct socket *sock, struct msghdr *msg, size_t len);
int uet_sock_flush(struct uet_sock *us, long timeo);

/* sock_op.c */
int uet_sock_get_op(struct uet_sock *us, struct msghdr *msg, struct uet_sock_op *sop);
int uet_sock_entry_op(struct uet_sock *us, const struct uet_sq_entry *entry,
		      struct uet_sock_op *sop);
int uet_sock_op_amo(struct uet_sock *us, const struct uet_sock_op *sop, size_t len,
		    struct uet_ses_amo *amo, u8 *size);
int uet_sock_op_local(struct uet_sock *us, const struct uet_sock_op *sop, u8 size,
		      struct uet_mr_ref *ref);
int uet_sock_op_rdv(struct uet_sock *us, const struct uet_sock_op *sop,
		    const struct uet_sock_dest *dest, size_t len,
		    struct uet_ses_rdv_tx *rdv, struct uet_mr_ref *ref);

/* sock_submit.c */
int uet_sq_ioctl_ring(struct uet_sock *us, void *arg);
int uet_sock_ioctl_submit(struct uet_sock *us, unsigned long count);
int uet_sock_ioctl_sq_poll(struct uet_sock *us, unsigned long idle);
int uet_sock_mmap(struct file *file, struct socket *sock, struct vm_area_struct *vma);

/* sock_recv.c */
int uet_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
int uet_sock_ioctl_peek(struct uet_sock *us, void *arg);
int uet_sock_inq(struct uet_sock *us);
bool uet_sock_is_readable(struct uet_sock *us);
void uet_sock_purge(struct uet_sock *us);

/* sock_opt.c */
int uet_sock_setsockopt(struct socket *sock, int level, int optname, sockptr_t optval,
			unsigned int optlen);
int uet_sock_getsockopt(struct socket *sock, int level, int optname, char __user *optval,
			int __user *optlen);
int uet_sock_opt_take(struct uet_sock *us, u32 *value, sockptr_t optval, unsigned int optlen);
int uet_sock_opt_put(const void *value, int size, char __user *optval, int __user *optlen);

/* sock_ioctl.c */
int uet_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int uet_sock_compat_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);

#ifdef CONFIG_COMPAT
#define UET_SOCK_COMPAT_IOCTL	.compat_ioctl = uet_sock_compat_ioctl,
#else
#define UET_SOCK_COMPAT_IOCTL
#endif

/* Operations that are the same for all families. */
#define UET_SOCK_OPS					\
		.owner = THIS_MODULE,			\
		.socketpair = sock_no_socketpair,	\
		.accept = sock_no_accept,		\
		.poll = uet_sock_poll,			\
		.ioctl = uet_sock_ioctl,		\
		UET_SOCK_COMPAT_IOCTL			\
		.gettstamp = sock_gettstamp,		\
		.listen = sock_no_listen,		\
		.shutdown = uet_sock_shutdown,		\
		.mmap = uet_sock_mmap,

#endif
