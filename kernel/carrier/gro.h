/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that come one by one from a wire become bursts (gro.c).
 */
#ifndef UET_GRO_H
#define UET_GRO_H

struct list_head;
struct sk_buff;
struct sock;

struct sk_buff *uet_gro_receive(struct sock *sk, struct list_head *held,
				struct sk_buff *skb);
int uet_gro_complete(struct sock *sk, struct sk_buff *skb, int offset);

#endif
