/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spaces of memory regions: one socket, or the sockets of a domain, find the regions of a
 * space by their keys.
 */
#ifndef UET_MR_SPACE_H
#define UET_MR_SPACE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct uet_sock;

/**
 * struct uet_mr_space - the regions of a socket or of a domain
 * @mrs: registered regions, struct uet_mr by RKEY; added and removed by ioctl(), looked
 *	up under RCU
 * @nr_mrs: number of regions in @mrs
 * @sources: memory that peers read for one operation, struct uet_mr by a random RKEY.
 *	uet_mr_get() looks here for the READ of a peer only: no key that a process names
 *	reaches it
 * @lock: protects the fields below; taken with BH disabled
 * @socks: sockets that find the regions, uet_sock.on_space
 * @changed: struct uet_mr_watch of regions whose mapping has changed, until
 *	UET_IOC_MR_CHANGED returns them
 * @generation: number of such changes, modulo 2^32; read without the lock
 */
struct uet_mr_space {
	struct xarray mrs;
	atomic_t nr_mrs;
	struct xarray sources;
	spinlock_t lock;
	struct list_head socks;
	struct list_head changed;
	u32 generation;
};

void uet_mr_space_init(struct uet_mr_space *space);
void uet_mr_space_join(struct uet_mr_space *space, struct uet_sock *us);
void uet_mr_space_leave(struct uet_sock *us);
void uet_mr_space_bump(struct uet_mr_space *space);
void uet_mr_space_purge(struct uet_mr_space *space);

#endif
