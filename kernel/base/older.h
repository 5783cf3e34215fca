/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernels before 6.1 lack, for compat.h: there, too, each block provides an interface of
 * newer kernels and names the version of Linux that made the block obsolete.
 */
#ifndef UET_OLDER_H
#define UET_OLDER_H

#include <linux/bpf-cgroup.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/uio.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/sock.h>

#include "features.h"

/* 6.2 and stable kernels named the random number below a limit. */
#ifndef UET_HAS_RANDOM_U32_BELOW
#define get_random_u32_below(ceiling) reciprocal_scale(get_random_u32(), ceiling)
#endif

/* 6.1 added the check for an attribute that a request must have. */
#ifndef GENL_REQ_ATTR_CHECK
#define GENL_REQ_ATTR_CHECK(info, attr) (!(info)->attrs[attr])
#endif

/* 5.11 added the copy of a name that says if the name is too long. */
#ifndef UET_HAS_NLA_STRSCPY
static inline ssize_t nla_strscpy(char *to, const struct nlattr *attr, size_t size)
{
	size_t length = nla_strlcpy(to, attr, size);

	return length < size ? length : -E2BIG;
}
#endif

/*
 * 6.0 split the memory that sockets of a protocol have allocated between CPUs.  Before it,
 * a socket kept up to 2 MiB that it did not use.
 */
#ifdef UET_HAS_PER_CPU_FORWARD_ALLOC
#define uet_proto_set_fw_alloc(proto, per_cpu)	((proto)->per_cpu_fw_alloc = (per_cpu))
#define uet_sk_mem_uncharge(sk, bytes)		sk_mem_uncharge(sk, bytes)
#else
#define uet_proto_set_fw_alloc(proto, per_cpu)	((void)(per_cpu))
#define uet_sk_mem_uncharge(sk, bytes) do {		\
	sk_mem_uncharge(sk, bytes);			\
	sk_mem_reclaim_partial(sk);			\
} while (0)
#endif

/*
 * uet_proto_add_pages(): as sk_memory_allocated_add(), which modules cannot use on all kernels: a
 * part of the sum stays with each CPU.
 */
static inline void uet_proto_add_pages(struct proto *proto, int pages)
{
#ifdef UET_HAS_PER_CPU_FORWARD_ALLOC
	int here = this_cpu_add_return(*proto->per_cpu_fw_alloc, pages);

	if (abs(here) < SK_MEMORY_PCPU_RESERVE)
		return;
	pages = this_cpu_xchg(*proto->per_cpu_fw_alloc, 0);
#endif
	atomic_long_add(pages, proto->memory_allocated);
}

/* 5.16 named the return of all memory of a socket. */
#ifndef UET_HAS_SK_MEM_RECLAIM_FINAL
#define sk_mem_reclaim_final(sk) sk_mem_reclaim(sk)
#endif

/* 6.0 named the trackers of references to netdevs, which came with 5.17. */
#ifndef UET_HAS_NETDEV_HOLD
#define netdevice_tracker struct { }
#define netdev_hold(dev, tracker, gfp)	dev_hold(dev)
#define netdev_put(dev, tracker)	dev_put(dev)
#endif

/*
 * 6.0 added iterators of one buffer of a process, and moved an iterator behind the pages that it
 * gets.  On older kernels an iterator refers to the struct iovec @storage.
 */
#ifdef UET_HAS_ITER_UBUF
#define uet_iov_iter_user(iter, way, addr, bytes, storage) iov_iter_ubuf(iter, way, addr, bytes)
#else
#define uet_iov_iter_user(iter, way, addr, bytes, storage) do {		\
	*(storage) = (struct iovec){ addr, bytes };			\
	iov_iter_init(iter, way, storage, 1, bytes);			\
} while (0)
#define user_backed_iter(iter) iter_is_iovec(iter)
static inline ssize_t iov_iter_get_pages2(struct iov_iter *iter, struct page **pages, size_t bytes,
					  unsigned int most, size_t *start)
{
	ssize_t got = iov_iter_get_pages(iter, pages, bytes, most, start);

	if (got > 0)
		iov_iter_advance(iter, got);
	return got;
}
#endif

/* 5.12 builds the buffer of a fragment of the CPU from the cache of the CPU. */
#ifndef UET_HAS_NAPI_BUILD_SKB
#define napi_build_skb(data, size) build_skb(data, size)
#endif

/* 5.15 marks packets that have what few have; 5.14 gives pages back to the pool of a driver. */
#ifdef UET_HAS_SKB_SLOW_GRO
#define uet_skb_is_slow_gro(skb) ((skb)->slow_gro)
#else
#define uet_skb_is_slow_gro(skb) true
#endif
#ifdef UET_HAS_SKB_PP_RECYCLE
#define uet_skb_share_pool(to, from) ((to)->pp_recycle = (from)->pp_recycle)
#else
#define uet_skb_share_pool(to, from) ((void)(to), (void)(from))
#endif

/*
 * 5.12 tells the owner of the pages of a packet which packet releases them, and separates flags
 * of pages from those of time stamps.  Without that, MSG_ZEROCOPY is a hint that is not taken.
 */
#if defined(UET_HAS_UBUF_OPS) || defined(UET_HAS_UBUF_SKB)
#define UET_HAS_ZEROCOPY		true
#define uet_ubuf_set_flags(ubuf)	((ubuf)->flags = SKBFL_ZEROCOPY_FRAG)
#define uet_shinfo_flags		flags
#else
#define UET_HAS_ZEROCOPY		false
#define uet_ubuf_set_flags(ubuf)	((void)(ubuf))
#define uet_shinfo_flags		tx_flags
#define SKBFL_ALL_ZEROCOPY		SKBTX_ZEROCOPY_FRAG
#define SKBFL_SHARED_FRAG		SKBTX_SHARED_FRAG
#define skb_zcopy_init(skb, ubuf)	((void)(skb), (void)(ubuf))
#endif

/* 5.14 made the report of an error to a socket a function. */
#ifndef UET_HAS_SK_ERROR_REPORT
static inline void sk_error_report(struct sock *sk)
{
	sk->sk_error_report(sk);
}
#endif

/* uet_net_cookie(): 5.12 gave each namespace a number for good; before, live ones differ. */
#ifdef UET_HAS_NET_COOKIE
#define uet_net_cookie(net) ((net)->net_cookie)
#else
#define uet_net_cookie(net) ((u64)(net)->ns.inum)
#endif

/* 5.11 added short mappings of pages; a 64-bit kernel has all pages mapped. */
#ifndef UET_HAS_KMAP_LOCAL
#define kmap_local_page(page)	page_address(page)
#define kunmap_local(addr)	((void)(addr))
#endif

/* 5.13 named mappings whose pages are copied before a write. */
#ifndef UET_HAS_COW_MAPPING
#define is_cow_mapping(flags) (((flags) & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)
#endif

/* 5.16 named the first page of an allocation. */
#ifdef UET_HAS_FOLIO
#define uet_folio_mapping(folio) ((folio)->mapping)
#else
struct folio {
	struct page page;
};
#define page_folio(page_)		((struct folio *)compound_head(page_))
#define uet_folio_mapping(folio)	((folio)->page.mapping)
#define folio_test_anon(folio)		PageAnon(&(folio)->page)
#define folio_test_swapbacked(folio)	PageSwapBacked(&(folio)->page)
#define folio_test_dirty(folio)		PageDirty(&(folio)->page)
#define folio_lock(folio)		lock_page(&(folio)->page)
#define folio_unlock(folio)		unlock_page(&(folio)->page)
#endif

/* 5.16 added memset() from a member on. */
#ifndef memset_startat
#define memset_startat(object, value, member)				\
	memset((u8 *)(object) + offsetof(typeof(*(object)), member), value,	\
	       sizeof(*(object)) - offsetof(typeof(*(object)), member))
#endif

/* 5.16 numbered the hooks of cgroups that the kernel was built with. */
#ifndef UET_HAS_CGROUP_HOOKS
#define CGROUP_INET4_BIND		BPF_CGROUP_INET4_BIND
#define CGROUP_INET6_BIND		BPF_CGROUP_INET6_BIND
#define CGROUP_INET4_CONNECT		BPF_CGROUP_INET4_CONNECT
#define CGROUP_INET6_CONNECT		BPF_CGROUP_INET6_CONNECT
#define CGROUP_INET4_GETPEERNAME	BPF_CGROUP_INET4_GETPEERNAME
#define CGROUP_INET6_GETPEERNAME	BPF_CGROUP_INET6_GETPEERNAME
#define CGROUP_INET4_GETSOCKNAME	BPF_CGROUP_INET4_GETSOCKNAME
#define CGROUP_INET6_GETSOCKNAME	BPF_CGROUP_INET6_GETSOCKNAME
#define CGROUP_UDP4_SENDMSG		BPF_CGROUP_UDP4_SENDMSG
#define CGROUP_UDP6_SENDMSG		BPF_CGROUP_UDP6_SENDMSG
#define CGROUP_UDP4_RECVMSG		BPF_CGROUP_UDP4_RECVMSG
#define CGROUP_UDP6_RECVMSG		BPF_CGROUP_UDP6_RECVMSG
#endif

#endif
