/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compatibility with the kernels that this module builds for.  No file checks the kernel
 * version: probes.def has a test of each interface that differs, and the build defines
 * UET_HAS_NAME if the kernel has it.  Each block provides the interface of newer kernels on
 * older kernels and names the version of Linux that made the block obsolete.
 */
#ifndef UET_COMPAT_H
#define UET_COMPAT_H

#include "features.h"

/* 6.10 moved the accounting of protocols to a header of its own. */
#ifdef UET_HAS_PROTO_MEMORY_H
#include <net/proto_memory.h>
#endif
#include "older.h"

/*
 * uet_extack_fmt(extack, constant, fmt, ...): set a formatted error text.  6.2 added
 * NL_SET_ERR_MSG_FMT().  On older kernels an extack stores no formatted text, so the
 * text is @constant.
 */
#include <linux/netlink.h>
#ifdef NL_SET_ERR_MSG_FMT
#define uet_extack_fmt(extack, constant, fmt, ...) \
	NL_SET_ERR_MSG_FMT(extack, fmt, ##__VA_ARGS__)
#else
#define uet_extack_fmt(extack, constant, fmt, ...) \
	NL_SET_ERR_MSG(extack, constant)
#endif

/*
 * uet_extack_value(extack, attr, text, value): set "TEXT, not VALUE" for an attribute,
 * with @text from a table.  Kernels before 6.2 report @text alone.
 */
#ifdef NL_SET_ERR_MSG_ATTR_FMT
#define uet_extack_value(extack, attr, text, value) \
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s, not %llu", text, value)
#else
#define uet_extack_value(extack, attr, text, value) do {	\
	(void)(value);						\
	NL_SET_BAD_ATTR(extack, attr);				\
	(extack)->_msg = (text);				\
} while (0)
#endif

/*
 * uet_simd_usable(): whether the ciphers "__gcm(aes)" may be called.  Before 6.16 the
 * fast ciphers of x86 are asynchronous through the public interface: they continue in a
 * thread while the vector registers are in use.  Only their internal, synchronous form
 * runs in softirq, and only the internal header says when it may.  From 6.16 on the
 * public ciphers are fast and synchronous, and nothing internal is used: the helper that made
 * synchronous ciphers asynchronous is gone.
 */
#ifdef UET_HAS_SIMD_SKCIPHERS
#include <asm/simd.h>
#include <crypto/internal/simd.h>
#define UET_HAS_INTERNAL_CIPHERS	true
static inline bool uet_simd_usable(void)
{
	return crypto_simd_usable();
}
#else
#define UET_HAS_INTERNAL_CIPHERS	false
static inline bool uet_simd_usable(void)
{
	return false;
}
#endif

/* 6.13 added hrtimer_setup(), which sets the callback along with the clock. */
#include <linux/hrtimer.h>
#ifndef UET_HAS_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/*
 * Until 6.14 each call of crc32c() clears the largest state that any digest may have.
 * 6.16 moved its declaration.
 */
#ifdef UET_HAS_CRC32C_OF_DIGEST
#define UET_CRC32C_IS_SLOW	true
#else
#define UET_CRC32C_IS_SLOW	false
#endif
#ifdef UET_HAS_CRC32C_H
#include <linux/crc32c.h>
#else
#include <linux/crc32.h>
#endif

/* 6.12 added memory of devices, which the kernel cannot read, to socket buffers. */
#include <linux/skbuff.h>
#ifndef UET_HAS_SKB_FRAGS_READABLE
#define skb_frags_readable(skb) true
#endif

/* 6.10 replaced the callback of a zero-copy buffer by a table of operations. */
#ifndef UET_HAS_UBUF_OPS
struct ubuf_info_ops {
	void (*complete)(struct sk_buff *skb, struct ubuf_info *ubuf, bool success);
};
#ifdef UET_HAS_UBUF_SKB
#define uet_ubuf_set_ops(ubuf, table) ((ubuf)->callback = (table)->complete)
#else
#define uet_ubuf_set_ops(ubuf, table) ((void)(ubuf), (void)(table))
#endif
#else
#define uet_ubuf_set_ops(ubuf, table) ((ubuf)->ops = (table))
#endif

/*
 * 6.8 and stable kernels named the flag of a multicast group that needs CAP_NET_ADMIN in the user
 * namespace of the socket's network namespace.  Older kernels test the flag of operations.
 */
#include <net/genetlink.h>
#ifndef GENL_MCAST_CAP_NET_ADMIN
#define GENL_MCAST_CAP_NET_ADMIN GENL_UNS_ADMIN_PERM
#endif

/* 6.3 made the flags of a mapping read-only. */
#include <linux/mm.h>
#ifndef UET_HAS_VM_FLAGS_SET
#define vm_flags_set(vma, flags) ((vma)->vm_flags |= (flags))
#endif

/* 6.5 moved the segmentation of socket buffers to a header of its own. */
#ifdef UET_HAS_GSO_H
#include <net/gso.h>
#endif

/* Since 7.0 a tunnel is set up with a struct sock. */
#include <net/udp_tunnel.h>
#ifndef UET_HAS_TUNNEL_OF_SOCK
#define setup_udp_tunnel_sock(net, sk, cfg) \
	(setup_udp_tunnel_sock)(net, (sk)->sk_socket, cfg)
#endif

/*
 * Since 7.2 some netdevs have a lock of their own, which the callers of the notifiers
 * NETDEV_UP and NETDEV_CHANGE hold.  __ethtool_get_link_ksettings() takes it,
 * netif_get_link_ksettings() wants it held.
 */
#include <linux/ethtool.h>
#ifndef UET_HAS_NETIF_LINK_KSETTINGS
#define netif_get_link_ksettings __ethtool_get_link_ksettings
#endif

/*
 * UET_SOCK_ACCEPT(name, accept): the function NAME of proto_ops, which calls accept(sock, newsock,
 * flags).  Since 6.10 the flags are in a structure.
 */
#ifndef UET_HAS_PROTO_ACCEPT_ARG
#define UET_SOCK_ACCEPT(name, accept_)						\
static int name(struct socket *sock, struct socket *newsock, int flags, bool kern)	\
{										\
	return accept_(sock, newsock, flags);					\
}
#else
#define UET_SOCK_ACCEPT(name, accept_)						\
static int name(struct socket *sock, struct socket *newsock, struct proto_accept_arg *arg)	\
{										\
	return accept_(sock, newsock, arg->flags);				\
}
#endif

/*
 * uet_register_sysctls(net, table): below net.uet.  The last entry of the array @table is empty:
 * it ends the table on kernels before 6.6, newer ones are told its length.
 */
#include <net/net_namespace.h>
#ifdef register_net_sysctl
#define uet_register_sysctls(net, table) \
	register_net_sysctl_sz(net, "net/uet", table, ARRAY_SIZE(table) - 1)
#else
#define uet_register_sysctls(net, table)	register_net_sysctl(net, "net/uet", table)
#endif

/* 6.6 made the place of the IPv6 part of a socket a field of its protocol. */
#ifndef UET_HAS_PROTO_PINFO6_OFFSET
#define UET_PROTO_PINFO6(type, member)
#else
#define UET_PROTO_PINFO6(type, member) \
	.ipv6_pinfo_offset = offsetof(type, member),
#endif

/*
 * uet_cgroup_run_addr(sk, addr, len, hook, source): let the BPF programs of the cgroup
 * see, change or refuse an address.  Since 6.7 the hooks know its length.  A kernel
 * without these programs ignores the arguments.
 */
#include <linux/bpf-cgroup.h>
#ifndef UET_HAS_BPF_ADDR_LEN
#define UET_CGROUP_RUN(sk, addr, len, hook, source) \
	BPF_CGROUP_RUN_SA_PROG_LOCK(sk, addr, hook, source)
#else
#define UET_CGROUP_RUN(sk, addr, len, hook, source) \
	BPF_CGROUP_RUN_SA_PROG_LOCK(sk, addr, len, hook, source)
#endif
#define uet_cgroup_run_addr(sk, addr, len, hook, source) ({		\
	(void)(addr);							\
	(void)(len);							\
	(void)(source);							\
	UET_CGROUP_RUN(sk, addr, len, hook, source);			\
})

/* Since 6.19 socket calls declare addresses of unknown size as struct sockaddr_unsized. */
#include <linux/socket.h>
#ifndef UET_HAS_SOCKADDR_UNSIZED
#define sockaddr_unsized sockaddr
#endif

/*
 * uet_get_remote_page(mm, addr, flags, page): get_user_pages_remote() of one page that is
 * not waited for.  6.5 dropped the argument for the mappings.
 */
#include <linux/mm.h>
#ifdef UET_HAS_GUP_REMOTE_VMAS
#define uet_get_remote_page(mm, addr, flags, page) \
	get_user_pages_remote(mm, addr, 1, flags, page, NULL, NULL)
#else
#define uet_get_remote_page(mm, addr, flags, page) \
	get_user_pages_remote(mm, addr, 1, flags, page, NULL)
#endif

/*
 * UET_FOLL_UNSHARE: pin memory of a private mapping that is only read, so that writes of the
 * process go to the pinned page.  From 6.2 on FOLL_LONGTERM does that on its own.
 */
#if defined(UET_HAS_GUP_UNSHARE_WITHOUT_VMA) || !defined(UET_HAS_FAULT_FLAG_UNSHARE)
#define UET_FOLL_UNSHARE	(FOLL_WRITE | FOLL_FORCE)
#else
#define UET_FOLL_UNSHARE	0
#endif

/*
 * copy_struct_from_sockptr() as it is meant: before 6.7 there is none, and later ones took a
 * longer struct of a user without a look at its end.
 */
#include <linux/sockptr.h>
static inline int uet_struct_from_sockptr(void *dst, size_t ksize, sockptr_t src, size_t usize)
{
	size_t size = min(ksize, usize), rest = max(ksize, usize) - size;

	if (!sockptr_is_kernel(src))
		return copy_struct_from_user(dst, ksize, src.user, usize);
	if (usize > ksize && memchr_inv(src.kernel + size, 0, rest))
		return -E2BIG;
	if (usize < ksize)
		memset(dst + size, 0, rest);
	memcpy(dst, src.kernel, size);
	return 0;
}

/*
 * UET_EXPORT(), UET_IMPORT(): symbols of uet.ko for modules of this repository.  Since 6.13 the
 * name of a namespace is a string.
 */
#include <linux/export.h>
#include <linux/module.h>
#ifdef UET_HAS_IMPORT_NS_TOKEN
#define UET_EXPORT(symbol)	EXPORT_SYMBOL_NS_GPL(symbol, UET)
#define UET_IMPORT()		MODULE_IMPORT_NS(UET)
#else
#define UET_EXPORT(symbol)	EXPORT_SYMBOL_NS_GPL(symbol, "UET")
#define UET_IMPORT()		MODULE_IMPORT_NS("UET")
#endif

/*
 * The operations of an ib_device.  6.11 gave create_cq() all attributes of its call, 6.17
 * reg_user_mr() hints for the fabric of the host.  Since 7.2 CQs of processes have operations of
 * their own.
 */
#ifdef UET_HAS_RDMA_CQ_BUNDLE
#define uet_rdma_create_arg	uverbs_attr_bundle
#else
#define uet_rdma_create_arg	ib_udata
#endif
#ifdef UET_HAS_RDMA_DMAH
#define UET_RDMA_DMAH		struct ib_dmah *dmah,
#else
#define UET_RDMA_DMAH
#endif
#ifdef UET_HAS_RDMA_USER_CQ
#define UET_RDMA_USER_CQ(create) .create_user_cq = create,
#else
#define UET_RDMA_USER_CQ(create)
#endif
#ifdef UET_HAS_RDMA_RESIZE_USER_CQ
#define uet_rdma_cqe_count	unsigned int
#define UET_RDMA_RESIZE_CQ(resize) .resize_user_cq = resize,
#else
#define uet_rdma_cqe_count	int
#define UET_RDMA_RESIZE_CQ(resize) .resize_cq = resize,
#endif

#endif
