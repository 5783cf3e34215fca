/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that sockets hold, charged by the socket accounting of the kernel: to the memory
 * cgroup of the socket, and to net.uet.uet_mem.
 */
#ifndef UET_MEM_H
#define UET_MEM_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "mem_user.h"

struct net;
struct sock;
struct uet_sock;

/**
 * struct uet_mem - memory that is charged to a socket
 * @ledger: the account, a struct sock that no process can reach: its sk_rmem_alloc are
 *	bytes of received packets and messages, its sk_forward_alloc the unused rest of
 *	charged pages
 * @user: user whose share of net.uet.uet_mem counts; immutable
 * @lock: protects @ledger and @tx_bytes; taken with BH disabled, leaf
 * @tx_bytes: bytes of messages to send
 * @is_short: received memory found no place the last time; written under @lock
 */
struct uet_mem {
	struct sock *ledger;
	struct uet_mem_user *user;
	spinlock_t lock;
	u64 tx_bytes;
	bool is_short;
};

int uet_mem_init(void);
void uet_mem_fini(void);

int uet_mem_open(struct uet_sock *us);
void uet_mem_close(struct uet_sock *us);
bool uet_mem_change_rx(struct uet_sock *us, u32 old, u32 bytes, u32 most);
void uet_mem_uncharge_rx(struct uet_sock *us, u32 bytes);
bool uet_mem_charge_tx(struct uet_sock *us, u32 bytes);
void uet_mem_uncharge_tx(struct uet_sock *us, u32 bytes);

/**
 * uet_mem_charge_rx() - charge received memory to a socket
 * @us: socket, referenced
 * @bytes: memory that packets and structures take, bytes
 *
 * Return: as of uet_mem_change_rx().
 */
static inline bool uet_mem_charge_rx(struct uet_sock *us, u32 bytes)
{
	return uet_mem_change_rx(us, 0, bytes, bytes);
}

u32 uet_mem_rcvbuf_default(void);
u32 uet_mem_rcvbuf_max(void);
u32 uet_mem_sndbuf_default(void);
u32 uet_mem_sndbuf_max(void);

#endif
