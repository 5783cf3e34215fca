/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that come one by one from a wire become bursts (gro.c).
 */
#ifndef UET_GRO_H
#define UET_GRO_H

struct list_head;
struct sk_buff;
struct sock;

struct sk_buff *uet_gro_receive(struct sock *sk, struct list_head *list,
				struct sk_buff *skb);
int uet_gro_complete(struct sock *sk, struct sk_buff *held, int offset);
struct sk_buff *uet_gro_receive_v4(struct list_head *list, struct sk_buff *skb);
struct sk_buff *uet_gro_receive_v6(struct list_head *list, struct sk_buff *skb);
int uet_gro_complete_v4(struct sk_buff *held, int offset);
int uet_gro_complete_v6(struct sk_buff *held, int offset);
void uet_gro_add_native(void);
void uet_gro_remove_native(void);
void uet_gro_drain(void);

#endif
