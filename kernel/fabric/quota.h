/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the user namespaces of a host may create, and how much memory peers may fill by
 * PDCs with their FEPs.
 */
#ifndef UET_QUOTA_H
#define UET_QUOTA_H

#include <linux/types.h>

struct netlink_ext_ack;
struct uet_net;
struct uet_quota;

/* Kinds of objects with a limit. */
enum uet_quota_kind {
	UET_QUOTA_FEP,
	UET_QUOTA_RAIL,
	UET_QUOTA_JOB,
	UET_QUOTA_SD,
	UET_QUOTA_KINDS
};

int uet_quota_init(void);
void uet_quota_fini(void);

int uet_quota_open(struct uet_net *un);
void uet_quota_close(struct uet_net *un);
int uet_quota_take(struct uet_net *un, enum uet_quota_kind kind,
		   struct netlink_ext_ack *extack);
void uet_quota_give(struct uet_net *un, enum uet_quota_kind kind);
bool uet_quota_take_pages(struct uet_net *un, u32 pages);
void uet_quota_give_pages(struct uet_net *un, u32 pages);
void uet_quota_free_pages(u32 pages);

#endif
