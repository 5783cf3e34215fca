/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From messages to the posted receives that take them: when a message begins,
 * when it becomes readable, and when a receive is posted.  Level: shell.
 */
#ifndef UET_RXRECV_H
#define UET_RXRECV_H

#include <linux/list.h>
#include <linux/skbuff.h>

struct uet_fa;
struct uet_recv;
struct uet_rxmsg;
struct uet_ses_req;
struct uet_sock;

/**
 * struct uet_rxtake - what is to be done without rx_lock; on the stack
 * @skbs: delivered packets of the message, for the receive that has taken it, or
 *	for nobody
 * @refused: receives that the message is too long for, struct uet_match_recv.link
 * @is_placing: a receive has taken it, and waits for uet_rxmsg_take()
 */
struct uet_rxtake {
	struct sk_buff_head skbs;
	struct list_head refused;
	bool is_placing;
};

/* By packets. */
struct uet_rxmsg *uet_rxmsg_admit_recv(struct uet_sock *us,
				       const struct uet_ses_req *req,
				       const struct uet_fa *from);
void uet_rxmsg_placed(struct uet_rxmsg *rm);

/* Under rx_lock. */
void uet_rxtake_init(struct uet_rxtake *take);
bool uet_rxmsg_offer(struct uet_rxmsg *rm, struct uet_rxtake *take);
void uet_rxmsg_go_on(struct uet_rxmsg *rm, struct uet_rxtake *take);
struct uet_rxmsg *uet_rxmsg_seek(struct uet_sock *us, struct uet_recv *recv,
				 struct uet_rxtake *take);
void uet_rxmsg_list(struct uet_rxmsg *rm);
void uet_rxmsg_list_all(struct uet_sock *us);
struct uet_recv *uet_rxmsg_settle(struct uet_rxmsg *rm);

/* Afterwards, without it. */
void uet_rxmsg_take(struct uet_rxmsg *rm, struct uet_rxtake *take);

#endif
