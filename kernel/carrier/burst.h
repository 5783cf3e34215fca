/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bursts: packets to one peer over one rail that cross the stack as one socket buffer
 * (burst.c), whole or in one piece (burst_split.c), in a secure domain sealed (burst_seal.c).
 * A run is the part of a burst that continues a message (burst_run.c).
 */
#ifndef UET_BURST_H
#define UET_BURST_H

#include <linux/types.h>

struct sk_buff;
struct sk_buff_head;
struct uet_fep;
struct uet_fa;
struct uet_path;
struct uet_tss_op;

/* Most packets of a run. */
#define UET_BURST_RUN_MAX	63

void uet_burst_init(void);
struct sk_buff *uet_burst_next(struct uet_fep *fep, struct uet_path *path,
			       struct sk_buff_head *skbs, u32 most);
bool uet_burst_is(const struct sk_buff *skb);
u32 uet_burst_count(const struct sk_buff *skb);
bool uet_burst_make(struct sk_buff *skb, struct sk_buff *first, u32 count);
u32 uet_burst_bytes(const struct sk_buff *skb, u32 list);
u32 uet_burst_widest(const struct uet_fep *fep, const struct sk_buff *skb);
u32 uet_burst_list_len(const u8 *head);
void uet_burst_mark(struct sk_buff *skb, u32 head_len);
enum uet_drop uet_burst_seal(struct uet_fep *fep, const struct uet_fa *to,
			     struct sk_buff *skb);
struct sk_buff *uet_burst_open(struct uet_fep *fep, const struct uet_fa *from,
			       struct sk_buff *skb, const u8 **entries,
			       struct uet_tss_op *op);
struct sk_buff *uet_burst_packets(struct sk_buff *skb, u32 list,
				  const u8 **entries);
bool uet_burst_is_joined(const u8 *entries);
u16 uet_burst_entry_ev(const u8 *entries, u32 i);
u32 uet_burst_entry_index(const u8 *entries, const u8 *entry);
const u8 *uet_burst_entry_skip(const u8 *entries, u32 n);
bool uet_burst_sort(const struct uet_fep *fep, struct uet_path *path, u16 *ev,
		    u32 n);
u32 uet_burst_run_fit(const struct uet_fep *fep, struct uet_path *path,
		      const u16 *ev, u32 n, u32 headers, u32 unit);
u32 uet_burst_run_space(u32 nr);
void uet_burst_run_set(struct sk_buff *skb, const u16 *ev, u32 nr, u32 unit);
struct sk_buff *uet_burst_run_pop(struct sk_buff *run, const u8 *entries);

#endif
