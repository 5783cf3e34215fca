/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Assigns messages to posted receives: when a message starts, when it becomes
 * readable, and when a receive is posted.
 */
#ifndef UET_RX_MATCH_H
#define UET_RX_MATCH_H

#include <linux/list.h>
#include <linux/skbuff.h>

struct uet_fa;
struct uet_match_recv;
struct uet_posted_recv;
struct uet_rx_message;
struct uet_ses_req;
struct uet_sock;

/**
 * struct uet_rx_take - work to be done without rx_lock; on the stack
 * @rm: message, one reference; NULL: no receive takes or refuses a message
 * @skbs: delivered packets of the message, for its receive or to be freed
 * @refused: receives too short for the message, struct uet_match_recv.link
 * @is_placing: a receive has taken the message, and waits for
 *	uet_rx_match_take()
 *
 * Rule for references: @rm owns exactly one reference, from
 * uet_rx_match_offer(), uet_rx_match_use() or uet_rx_match_go_on() until
 * uet_rx_match_take(), which drops it. The reference is independent of the
 * reference of the caller, and of the reference of the list that the message
 * leaves.
 */
struct uet_rx_take {
	struct uet_rx_message *rm;
	struct sk_buff_head skbs;
	struct list_head refused;
	bool is_placing;
};

/* For packets. */
struct uet_rx_message *uet_rx_match_admit(struct uet_sock *us,
					  const struct uet_ses_req *req,
					  const struct uet_fa *from);
void uet_rx_match_placed(struct uet_rx_message *rm);

/* Under rx_lock. */
void uet_rx_take_init(struct uet_rx_take *take);
bool uet_rx_match_offer(struct uet_rx_message *rm, struct uet_rx_take *take);
void uet_rx_match_go_on(struct uet_rx_message *rm, struct uet_rx_take *take);
bool uet_rx_match_find(struct uet_sock *us, const struct uet_match_recv *at,
		       struct uet_rx_message **rm);
struct uet_rx_message *uet_rx_match_find_claim(struct uet_sock *us, u64 claim);
struct uet_posted_recv *uet_rx_match_use(struct uet_rx_message *rm,
					 struct uet_posted_recv *recv,
					 struct uet_rx_take *take);
void uet_rx_match_feed(struct uet_sock *us);
void uet_rx_match_add(struct uet_rx_message *rm);
void uet_rx_match_list(struct uet_rx_message *rm);
struct uet_posted_recv *uet_rx_match_settle(struct uet_rx_message *rm);

/* Afterwards, without rx_lock. */
void uet_rx_match_take(struct uet_rx_take *take);

#endif
