/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deferrable sends: messages that their target requests when it has a receive
 * or space for them. tx_deferrable.c keeps the suspended messages of local
 * sockets, rx_deferrable.c the deferred messages of peers.
 */
#ifndef UET_DEFERRABLE_H
#define UET_DEFERRABLE_H

#include <linux/list.h>
#include <linux/rhashtable-types.h>
#include <linux/workqueue.h>

#include "admission.h"
#include "base/base.h"
#include "core/ses/ses.h"
#include "message/message.h"
#include "pdc_table.h"

struct uet_fep;
struct uet_sock;

/* Delay before a retry after a failure to get a PDC or memory, ns. */
#define UET_DEFER_RETRY_NS	(10 * NSEC_PER_MSEC)

/*
 * The delay before a suspended message is sent again doubles at most this many
 * times.
 */
#define UET_DEFER_BACKOFF_MAX	6

/**
 * enum uet_tx_deferrable_state - owner of an outgoing deferrable message
 * @UET_TX_DEFER_OWNED: a PDC, or the function that prepares, sends or ends the
 *	message
 * @UET_TX_DEFER_SUSPENDED: none: SES has returned the message as deferred. The
 *	first of @work, close() and cancellation takes the message
 * @UET_TX_DEFER_CLOSED: as OWNED, and the socket is closed: the message is not
 *	suspended again. Final
 *
 * One reference to the message moves with the ownership. While the message is
 * SUSPENDED, the state holds the reference.
 */
enum uet_tx_deferrable_state {
	UET_TX_DEFER_OWNED,
	UET_TX_DEFER_SUSPENDED,
	UET_TX_DEFER_CLOSED,
};

/**
 * struct uet_tx_deferrable - state of an outgoing deferrable message
 * @tm: the message, which owns this structure
 * @on_ep: position in uet_ep_links.deferrables, under uet_ep_links.lock
 * @fep: its FEP, one reference: the token is in the FEP's table
 * @key: key of its PDC
 * @work: sends the message again; holds a reference to @tm while queued
 * @backoff: number of times the delay before sending again was doubled; only
 *	written by the owner of the message, which is about to suspend it
 * @lock: protects the fields below; taken with BH disabled, leaf
 * @tgt_token: with @is_requested, token of the target that has requested the
 *	message; may be 0
 * @is_requested: a target has requested the message
 * @state: enum uet_tx_deferrable_state
 */
struct uet_tx_deferrable {
	struct uet_tx_message *tm;
	struct list_head on_ep;
	struct uet_fep *fep;
	struct uet_peer_key key;
	struct delayed_work work;
	u8 backoff;
	spinlock_t lock;
	u32 tgt_token;
	bool is_requested;
	u8 state;
};

/**
 * enum uet_rx_deferrable_state - state of a peer's deferred message
 * @UET_RX_DEFER_WAITING: waits for a receive or space
 * @UET_RX_DEFER_READY: has its receive or space; the peer is asked to restart it
 * @UET_RX_DEFER_OVER: was restarted, or will not be
 */
enum uet_rx_deferrable_state {
	UET_RX_DEFER_WAITING,
	UET_RX_DEFER_READY,
	UET_RX_DEFER_OVER,
};

/**
 * struct uet_rx_defer_key - identifies a deferred message of a peer
 * @from: fabric address of its sender
 * @match: its match bits
 * @cookie: uet_sock.cookie of its endpoint
 * @token: restart token of the sender
 * @initiator: initiator id of the sender
 * @job: JobID
 * @length: its length, bytes
 * @opcode: its opcode
 *
 * A key of a hash table: no unnamed padding.
 */
struct uet_rx_defer_key {
	struct uet_fa from;
	u64 match;
	u64 cookie;
	u32 token;
	u32 initiator;
	u32 job;
	u32 length;
	u64 opcode;
};

/**
 * struct uet_rx_deferrable - state of a peer's deferred message
 * @link: entry in uet_sock.deferred while WAITING, in order of arrival; in
 *	uet_sock.restarting while READY
 * @node: entry in the table of deferred messages, with @link
 * @key: its key there
 * @rm: the message, which owns this structure; one reference while linked
 * @fep: FEP of the socket, one reference
 * @work: asks the peer to restart the message, or gives it up; holds a reference to @rm
 *	while queued
 * @token: local restart token of the message
 * @state: enum uet_rx_deferrable_state
 * @is_lost: the peer no longer has the message; set once, READ_ONCE
 * @rcu: for kfree_rcu()
 *
 * uet_sock.rx_lock protects @link, @node and @state.
 */
struct uet_rx_deferrable {
	struct list_head link;
	struct rhash_head node;
	struct uet_rx_defer_key key;
	struct uet_rx_message *rm;
	struct uet_fep *fep;
	struct delayed_work work;
	u32 token;
	u8 state;
	bool is_lost;
	struct rcu_head rcu;
};

/* For both directions: tx_deferrable.c */
int uet_defer_init(void);
void uet_defer_fini(void);
bool uet_defer_queue(struct delayed_work *work, u64 delay_ns);
bool uet_defer_queue_rx(struct uet_sock *us, struct delayed_work *work,
			u64 delay_ns);
void uet_defer_done(struct uet_sock *us);
void uet_defer_flush(struct uet_sock *us);
u64 uet_defer_peer_timeout(const struct uet_fep *fep);

/* Is this message, whose PDC has the given key, to be cancelled? */
typedef bool uet_tx_deferrable_wants_fn(const struct uet_tx_message *tm,
					const struct uet_peer_key *key,
					const void *arg);

/* For the sender. */
int uet_tx_deferrable_begin(struct uet_tx_message *tm,
			    const struct uet_peer_key *key);
void uet_tx_deferrable_close(struct uet_sock *us);
u32 uet_tx_deferrable_cancel(struct uet_sock *us,
			     uet_tx_deferrable_wants_fn *wants,
			     const void *arg);

/* For PDCs, in softirq. */
bool uet_tx_deferrable_suspend(struct uet_tx_message *tm);
u8 uet_tx_deferrable_restart(struct uet_fep *fep, const struct uet_fa *from,
			     const struct uet_ses_req *req);

/* For packets. */
int uet_rx_deferrable_init(void);
void uet_rx_deferrable_fini(void);
enum uet_admission
uet_rx_deferrable_admit(struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from, u8 delivery,
			enum uet_order order, struct uet_rx_message **rm);
void uet_rx_deferrable_rtr_done(struct uet_tx_message *rtr);

/* By sockets. */
void uet_rx_deferrable_drop_all(struct uet_sock *us);

#endif
