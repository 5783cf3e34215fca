// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that sockets hold. The kernel's socket accounting charges it to the memory cgroup of
 * the socket and compares its sum over all sockets with net.uet.uet_mem. SO_RCVBUF and SO_SNDBUF
 * limit each socket beside that: see rx_message.c and tx_message.c. Streams have a second account
 * of the same form, net.uet.stream_mem: whoever fills it keeps out no message of other sockets.
 *
 * Received memory
 * ---------------
 * The receive path has no process to charge: the owner of the socket pays for its packets and
 * messages, by __sk_mem_schedule(). The receive path charges without lock_sock(), but
 * SO_RESERVE_MEM changes sk_forward_alloc of any accounted socket under lock_sock(). Therefore
 * the account is a second struct sock, which no system call reaches, and the AF_UET socket
 * itself has no account.
 *
 * In softirq the kernel charges a memory cgroup beyond its limit rather than fail. So the limit
 * is compared here before: above it a socket is charged only while it holds less than the first
 * value of net.uet.uet_rmem. A cgroup that is full of page cache can then still receive, and its
 * next allocation in process context reclaims the excess.
 *
 * Memory to send
 * --------------
 * A sender allocates its messages in process context with GFP_KERNEL_ACCOUNT, so its memory
 * cgroup is charged, reclaims, and fails by the allocations themselves. Only the sum over all
 * sockets is counted here.
 *
 * Shares
 * ------
 * Both count for the share that the user of the socket has of net.uet.uet_mem, so no user takes
 * all of it from others. So do the buffers of streams, for a share of net.uet.stream_mem.
 */
#include <linux/hashtable.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/percpu_counter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/swap.h>
#include <linux/sysctl.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "endpoint.h"

/*
 * Default SO_SNDBUF and SO_RCVBUF. A PDC has at most UET_PDC_WINDOW_DEFAULT
 * packets of at most UET_MTU_MAX bytes in flight, 2 MiB. Twice that size lets
 * one window be copied while the previous window is in flight.
 */
#define MEM_BUF_DEFAULT	(2 * UET_PDC_WINDOW_DEFAULT * UET_MTU_MAX)

/* What each socket may hold under memory pressure: some packets in flight. */
#define MEM_BUF_MIN	(8 * UET_MTU_MAX)

/* A window of two packets: one is in flight while the other is read. */
static int mem_lowest = 2 * UET_MTU_MAX;
static int mem_highest = UET_SOCK_BUF_MAX;
int uet_mem_rmem[3] = { MEM_BUF_MIN, MEM_BUF_DEFAULT, UET_SOCK_BUF_MAX };
UET_EXPORT(uet_mem_rmem);
int uet_mem_wmem[3] = { MEM_BUF_MIN, MEM_BUF_DEFAULT, UET_SOCK_BUF_MAX };

/* What the kernel's socket accounting wants of a protocol, for messages and for streams. */
static struct mem_account {
	long limits[3];
	atomic_long_t allocated;
	struct percpu_counter sockets;
	unsigned long is_pressed;
} mem_accounts[UET_MEM_KINDS];
static DEFINE_PER_CPU(int [UET_MEM_KINDS], mem_per_cpu);

static void mem_press(struct sock *sk)
{
	WRITE_ONCE(*sk->sk_prot->memory_pressure, 1);
}

static struct proto mem_proto = {
	.name = "UET-MEM",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct sock),
};

static struct ctl_table_header *mem_sysctls;
static struct ctl_table mem_table[] = {
	{
		.procname = "uet_mem",
		.data = mem_accounts[UET_MEM_MESSAGES].limits,
		.maxlen = sizeof(mem_accounts->limits),
		.mode = 0644,
		.proc_handler = proc_doulongvec_minmax,
	},
	{
		.procname = "stream_mem",
		.data = mem_accounts[UET_MEM_STREAMS].limits,
		.maxlen = sizeof(mem_accounts->limits),
		.mode = 0644,
		.proc_handler = proc_doulongvec_minmax,
	},
	{
		.procname = "uet_rmem",
		.data = uet_mem_rmem,
		.maxlen = sizeof(uet_mem_rmem),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &mem_lowest,
		.extra2 = &mem_highest,
	},
	{
		.procname = "uet_wmem",
		.data = uet_mem_wmem,
		.maxlen = sizeof(uet_mem_wmem),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &mem_lowest,
		.extra2 = &mem_highest,
	},
	{ }
};

/**
 * uet_mem_share() - let the sockets of a protocol count in an account
 * @prot: protocol, not registered yet
 * @kind: the account
 */
void __init uet_mem_share(struct proto *prot, enum uet_mem_kind kind)
{
	struct mem_account *account = &mem_accounts[kind];

	prot->memory_allocated = &account->allocated;
	uet_proto_set_fw_alloc(prot, &mem_per_cpu[kind]);
	prot->sockets_allocated = &account->sockets;
	prot->memory_pressure = &account->is_pressed;
	prot->enter_memory_pressure = mem_press;
	prot->sysctl_mem = account->limits;
	prot->sysctl_rmem = uet_mem_rmem;
	prot->sysctl_wmem = uet_mem_wmem;
}

static void mem_fini_accounts(int nr)
{
	while (nr--)
		percpu_counter_destroy(&mem_accounts[nr].sockets);
}

/* As SCTP: pressure from an eighth of the memory on, no more than 3/16 of it. */
static int __init mem_init_accounts(void)
{
	unsigned long limit = max(nr_free_buffer_pages() / 8, 128UL);
	struct mem_account *account;
	int i, err;

	for (i = 0; i < UET_MEM_KINDS; i++) {
		account = &mem_accounts[i];
		account->limits[0] = limit / 4 * 3;
		account->limits[1] = limit;
		account->limits[2] = account->limits[0] * 2;
		err = percpu_counter_init(&account->sockets, 0, GFP_KERNEL);
		if (err) {
			mem_fini_accounts(i);
			return err;
		}
	}
	return 0;
}

/**
 * uet_mem_init() - register the accounting and its sysctls
 */
int __init uet_mem_init(void)
{
	int err = mem_init_accounts();

	if (err)
		return err;
	uet_mem_share(&mem_proto, UET_MEM_MESSAGES);
	err = proto_register(&mem_proto, 1);
	if (err)
		goto err_accounts;
	mem_sysctls = uet_register_sysctls(&init_net, mem_table);
	err = -ENOMEM;
	if (!mem_sysctls)
		goto err_proto;
	return 0;

err_proto:
	proto_unregister(&mem_proto);
err_accounts:
	mem_fini_accounts(UET_MEM_KINDS);
	return err;
}

/**
 * uet_mem_fini() - unregister the accounting and its sysctls; no socket is left
 */
void uet_mem_fini(void)
{
	unregister_net_sysctl_table(mem_sysctls);
	proto_unregister(&mem_proto);
	mem_fini_accounts(UET_MEM_KINDS);
}

/* ---------------------------------------------------------------------- users */

/* A CPU adds its count to the sum when it has this many bytes. */
#define UET_MEM_USER_BATCH	(64 << 10)

/**
 * struct uet_mem_user - the memory of all sockets of a user in an account
 * @node: entry of the table of users, under its lock
 * @uid: user of the host, by uet_share_user()
 * @kind: the account
 * @refs: sockets, under the lock of the table
 * @bytes: memory that is charged to the sockets
 */
struct uet_mem_user {
	struct hlist_node node;
	kuid_t uid;
	enum uet_mem_kind kind;
	unsigned int refs;
	struct percpu_counter bytes;
};

/**
 * uet_mem_user_add() - count memory of a user
 * @user: user, referenced
 * @bytes: more bytes, or fewer
 */
void uet_mem_user_add(struct uet_mem_user *user, s64 bytes)
{
	percpu_counter_add_batch(&user->bytes, bytes, UET_MEM_USER_BATCH);
}

/*
 * A user with less than this gets more whatever is free: some messages in flight for a
 * socket or two.  The hard limit of net.uet.uet_mem still counts.
 */
#define MEM_USER_MIN	(128 * UET_MTU_MAX)

static DEFINE_HASHTABLE(mem_users, 8);
static DEFINE_SPINLOCK(mem_users_lock);

/* Return: the user with one more reference, or NULL. */
static struct uet_mem_user *mem_user_find(kuid_t uid, enum uet_mem_kind kind)
{
	struct uet_mem_user *user;

	lockdep_assert_held(&mem_users_lock);
	hash_for_each_possible(mem_users, user, node, __kuid_val(uid)) {
		if (!uid_eq(user->uid, uid) || user->kind != kind)
			continue;
		user->refs++;
		return user;
	}
	return NULL;
}

static void mem_user_free(struct uet_mem_user *user)
{
	percpu_counter_destroy(&user->bytes);
	kfree(user);
}

/* Return: a user with one reference, not in the table; NULL: out of memory. */
static struct uet_mem_user *mem_user_alloc(kuid_t uid, enum uet_mem_kind kind)
{
	struct uet_mem_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->uid = uid;
	user->kind = kind;
	user->refs = 1;
	if (!percpu_counter_init(&user->bytes, 0, GFP_KERNEL_ACCOUNT))
		return user;
	kfree(user);
	return NULL;
}

/**
 * uet_mem_user_get() - a user of an account, with one reference, in process context
 * @uid: user of the host, by uet_share_user()
 * @kind: the account
 * Return: NULL: out of memory.
 */
struct uet_mem_user *uet_mem_user_get(kuid_t uid, enum uet_mem_kind kind)
{
	struct uet_mem_user *user, *new;

	spin_lock_bh(&mem_users_lock);
	user = mem_user_find(uid, kind);
	spin_unlock_bh(&mem_users_lock);
	if (user)
		return user;
	new = mem_user_alloc(uid, kind);
	if (!new)
		return NULL;
	spin_lock_bh(&mem_users_lock);
	user = mem_user_find(uid, kind);
	if (!user)
		hash_add(mem_users, &new->node, __kuid_val(uid));
	spin_unlock_bh(&mem_users_lock);
	if (!user)
		return new;
	mem_user_free(new);
	return user;
}

/**
 * uet_mem_user_hold() - another reference
 * @user: user, referenced
 */
void uet_mem_user_hold(struct uet_mem_user *user)
{
	spin_lock_bh(&mem_users_lock);
	user->refs++;
	spin_unlock_bh(&mem_users_lock);
}

/**
 * uet_mem_user_put() - drop the reference of a socket
 * @user: user, referenced
 */
void uet_mem_user_put(struct uet_mem_user *user)
{
	bool is_last;

	spin_lock_bh(&mem_users_lock);
	is_last = !--user->refs;
	if (is_last)
		hash_del(&user->node);
	spin_unlock_bh(&mem_users_lock);
	if (is_last)
		mem_user_free(user);
}

/**
 * uet_mem_user_may_grow() - may a user have more memory, by its share?
 * @user: user, referenced
 * @prot: protocol of uet_mem_share()
 * @old: what the new memory stands in place of, bytes
 * @bytes: new memory
 */
bool uet_mem_user_may_grow(struct uet_mem_user *user, struct proto *prot, s64 old, s64 bytes)
{
	s64 used = percpu_counter_read_positive(&user->bytes) - old;
	/* Negative above the limit. */
	s64 free = (READ_ONCE(prot->sysctl_mem[1]) - proto_memory_allocated(prot)) * PAGE_SIZE;

	return used < MEM_USER_MIN ||
	       used + bytes <= UET_SHARES_FACTOR * (free + old - bytes);
}

/* -------------------------------------------------------------------- sockets */

/**
 * uet_mem_open() - open the account of a socket; its creator's memory cgroup pays
 * @us: new socket with its host_user
 * Return: 0; -ENOMEM: the destructor of the socket calls uet_mem_close().
 */
int uet_mem_open(struct uet_sock *us)
{
	struct sock *sk = &us->sk;
	struct sock *ledger;

	us->mem.user = uet_mem_user_get(us->host_user, UET_MEM_MESSAGES);
	if (!us->mem.user)
		return -ENOMEM;
	ledger = sk_alloc(sock_net(sk), sk->sk_family, GFP_KERNEL_ACCOUNT,
			  &mem_proto, 1);
	if (!ledger)
		return -ENOMEM;
	sock_init_data(NULL, ledger);
	sk_sockets_allocated_inc(ledger);
	spin_lock_init(&us->mem.lock);
	us->mem.ledger = ledger;
	return 0;
}

/**
 * uet_mem_close() - close the account of a socket
 * @us: socket without messages, in its destructor; uet_mem_open() may have failed
 */
void uet_mem_close(struct uet_sock *us)
{
	struct sock *ledger = us->mem.ledger;

	if (us->mem.user)
		uet_mem_user_put(us->mem.user);
	if (!ledger)
		return;
	WARN_ON_ONCE(us->mem.tx_bytes || atomic_read(&ledger->sk_rmem_alloc));
	sk_mem_reclaim_final(ledger);
	sk_sockets_allocated_dec(ledger);
	sock_put(ledger);
}

/* Would @bytes exceed the limit of the memory cgroup, or of one above it? */
static bool mem_fills_cgroup(const struct sock *ledger, u32 bytes)
{
#ifdef CONFIG_MEMCG
	unsigned long pages = DIV_ROUND_UP(bytes, PAGE_SIZE);
	struct mem_cgroup *memcg;

	/* Version 1 has a limit of its own for sockets, which the kernel checks. */
	if (!mem_cgroup_sockets_enabled ||
	    !cgroup_subsys_on_dfl(memory_cgrp_subsys))
		return false;
	for (memcg = ledger->sk_memcg; memcg; memcg = parent_mem_cgroup(memcg))
		if (page_counter_read(&memcg->memory) + pages >
		    READ_ONCE(memcg->memory.max))
			return true;
#endif
	return false;
}

/* Bytes of received memory more, or less.  Its lock orders the changes, so none is atomic. */
static void mem_hold(const struct uet_mem *mem, int bytes)
{
	atomic_t *held = &mem->ledger->sk_rmem_alloc;

	lockdep_assert_held(&mem->lock);
	atomic_set(held, atomic_read(held) + bytes);
}

/* @old bytes are in sk_forward_alloc for the time being. */
static bool mem_schedule_rx(const struct uet_mem *mem, u32 old, u32 bytes)
{
	struct sock *ledger = mem->ledger;
	u32 held = atomic_read(&ledger->sk_rmem_alloc);
	s64 missing;

	/* The kernel counts in int. */
	if (bytes > INT_MAX - held)
		return false;
	missing = (s64)bytes - ledger->sk_forward_alloc;
	if (missing <= 0)
		return true;
	if (!uet_mem_user_may_grow(mem->user, &mem_proto, old, bytes))
		return false;
	if (held >= READ_ONCE(uet_mem_rmem[UET_MEM_MIN]) &&
	    mem_fills_cgroup(ledger, missing))
		return false;
	return __sk_mem_schedule(ledger, missing, SK_MEM_RECV);
}

/**
 * uet_mem_change_rx() - change what is charged to a socket for a message
 * @us: socket, referenced
 * @old: what is charged for the message, bytes; 0: it is new
 * @bytes: what is to be charged instead, not less
 * @most: what will be charged when all of the message is there, not less
 *
 * All of @most must find a place, as if the message were new. So the message that was granted
 * something last can always be finished first, and then the one before it.
 * Return: false if the memory cgroup of the socket, net.uet.uet_mem, or the share of
 *	the user has no place: nothing is changed, retry later.
 */
bool uet_mem_change_rx(struct uet_sock *us, u32 old, u32 bytes, u32 most)
{
	struct sock *ledger = us->mem.ledger;
	bool is_charged;

	spin_lock_bh(&us->mem.lock);
	mem_hold(&us->mem, -(int)old);
	/* sk_mem_uncharge() would give the pages away. */
	sk_mem_charge(ledger, -(int)old);
	is_charged = mem_schedule_rx(&us->mem, old, most);
	if (!is_charged)
		bytes = old;
	sk_mem_charge(ledger, bytes);
	mem_hold(&us->mem, bytes);
	uet_mem_user_add(us->mem.user, (s64)bytes - old);
	/* Give away what is not needed yet. */
	uet_sk_mem_uncharge(ledger, 0);
	WRITE_ONCE(us->mem.is_short, !is_charged);
	spin_unlock_bh(&us->mem.lock);
	if (!is_charged)
		uet_mib_inc(uet_net(sock_net(&us->sk)), UET_MIB_RX_NO_MEM);
	return is_charged;
}

/**
 * uet_mem_uncharge_rx() - uncharge memory of uet_mem_charge_rx()
 * @us: socket, referenced
 * @bytes: number of bytes
 */
void uet_mem_uncharge_rx(struct uet_sock *us, u32 bytes)
{
	struct sock *ledger = us->mem.ledger;

	spin_lock_bh(&us->mem.lock);
	mem_hold(&us->mem, -(int)bytes);
	uet_mem_user_add(us->mem.user, -(s64)bytes);
	uet_sk_mem_uncharge(ledger, bytes);
	spin_unlock_bh(&us->mem.lock);
}

/* By how many pages the sum grows with @bytes to send. */
static int mem_tx_pages(const struct uet_mem *mem, u64 bytes)
{
	return DIV_ROUND_UP_ULL(bytes, PAGE_SIZE) -
	       DIV_ROUND_UP_ULL(mem->tx_bytes, PAGE_SIZE);
}

static void mem_set_tx(struct uet_mem *mem, u64 bytes)
{
	int pages = mem_tx_pages(mem, bytes);

	uet_mem_user_add(mem->user, (s64)(bytes - mem->tx_bytes));
	mem->tx_bytes = bytes;
	if (pages)
		uet_proto_add_pages(&mem_proto, pages);
}

/*
 * May the bytes to send become @bytes?  Under pressure each socket may hold a little, at
 * the limit none may hold more.
 */
static bool mem_has_place(const struct uet_mem *mem, u64 bytes)
{
	int pages = mem_tx_pages(mem, bytes);
	long allocated;

	if (pages <= 0)
		return true;
	if (!uet_mem_user_may_grow(mem->user, &mem_proto, 0, bytes - mem->tx_bytes))
		return false;
	allocated = sk_memory_allocated(mem->ledger) + pages;
	if (allocated <= READ_ONCE(mem_proto.sysctl_mem[1]))
		return true;
	mem_press(mem->ledger);
	return allocated <= READ_ONCE(mem_proto.sysctl_mem[2]) &&
	       bytes <= READ_ONCE(uet_mem_wmem[UET_MEM_MIN]);
}

/**
 * uet_mem_charge_tx() - charge memory to send to a socket
 * @us: socket, referenced
 * @bytes: memory that was or will be allocated with GFP_KERNEL_ACCOUNT, bytes
 * Return: false if net.uet.uet_mem or the share of the user has no place.
 */
bool uet_mem_charge_tx(struct uet_sock *us, u32 bytes)
{
	struct uet_mem *mem = &us->mem;
	bool is_charged;

	spin_lock_bh(&mem->lock);
	is_charged = mem_has_place(mem, mem->tx_bytes + bytes);
	if (is_charged)
		mem_set_tx(mem, mem->tx_bytes + bytes);
	spin_unlock_bh(&mem->lock);
	if (!is_charged)
		uet_mib_inc(uet_net(sock_net(&us->sk)), UET_MIB_TX_NO_MEM);
	return is_charged;
}

/**
 * uet_mem_uncharge_tx() - uncharge memory of uet_mem_charge_tx()
 * @us: socket, referenced
 * @bytes: number of bytes
 */
void uet_mem_uncharge_tx(struct uet_sock *us, u32 bytes)
{
	spin_lock_bh(&us->mem.lock);
	mem_set_tx(&us->mem, us->mem.tx_bytes - bytes);
	spin_unlock_bh(&us->mem.lock);
}
