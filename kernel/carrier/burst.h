/* SPDX-License-Identifier: GPL-2.0 */
/* Bursts: packets to one peer over one rail that cross the stack as one socket buffer. */
#ifndef UET_BURST_H
#define UET_BURST_H

#include <linux/types.h>

struct sk_buff;
struct sk_buff_head;
struct uet_fep;
struct uet_path;

int uet_burst_init(void);
void uet_burst_fini(void);
struct sk_buff *uet_burst_next(struct uet_fep *fep, struct uet_path *path,
			       struct sk_buff_head *skbs, u32 most);
bool uet_burst_is(const struct sk_buff *skb);
u32 uet_burst_count(const struct sk_buff *skb);
u32 uet_burst_bytes(const struct sk_buff *skb);
u32 uet_burst_widest(const struct uet_fep *fep, const struct sk_buff *skb);
u32 uet_burst_list_len(const u8 *head);
void uet_burst_mark(struct sk_buff *skb);
struct sk_buff *uet_burst_packets(struct sk_buff *skb, u32 list);

#endif
