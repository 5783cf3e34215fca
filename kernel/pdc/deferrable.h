/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deferrable sends: messages that their target asks for when it has a place for
 * them.  tx_deferrable.c has those of our sockets that wait to be asked for, rx_deferrable.c
 * those of peers that wait for a receive, or for space.  Level: shell.
 */
#ifndef UET_DEFER_H
#define UET_DEFER_H

#include <linux/list.h>
#include <linux/workqueue.h>

#include "base/base.h"
#include "core/ses/ses.h"
#include "message/message.h"
#include "pdc_table.h"

struct uet_fep;
struct uet_sock;

/* How long to wait before that which found no PDC or memory is tried again, ns. */
#define UET_DEFER_RETRY_NS	(10 * NSEC_PER_MSEC)

/* Each time a message waits twice as long before it is sent again, so often. */
#define UET_DEFER_BACKOFF_MAX	6

/**
 * struct uet_tx_deferrable - a deferrable message of ours, while it lives
 * @tm: the message, which has this
 * @fep: its FEP, one reference: the token is in its table
 * @key: the PDC it goes by
 * @work: sends it again; has a reference to @tm while it is queued
 * @backoff: how often that was doubled which it waits before it is sent again; of
 *	who is about to park it
 * @lock: protects what follows; taken with BH disabled, leaf
 * @tgt_token: token of the target that has asked for it, 0: none has
 * @is_suspended: SES has returned it as deferred; nobody else has it
 * @is_closed: its socket is: it is sent no more
 */
struct uet_tx_deferrable {
	struct uet_tx_message *tm;
	struct uet_fep *fep;
	struct uet_peer_key key;
	struct delayed_work work;
	u8 backoff;
	spinlock_t lock;
	u32 tgt_token;
	bool is_suspended;
	bool is_closed;
};

/**
 * enum uet_rx_deferrable_state - what a deferred message of a peer waits for
 * @UET_RXDEFER_WAITING: a receive, or space
 * @UET_RXDEFER_READY: to be restarted: it has its place, the peer is told
 * @UET_RXDEFER_OVER: nothing: it was restarted, or never will be
 */
enum uet_rx_deferrable_state {
	UET_RXDEFER_WAITING,
	UET_RXDEFER_READY,
	UET_RXDEFER_OVER,
};

/**
 * struct uet_rx_deferrable - what a message of a peer has besides when it was deferred
 * @link: in uet_sock.deferred until it is OVER, in the order in which they came
 * @rm: the message, which has this; one reference while it is linked
 * @fep: FEP of the socket, one reference
 * @work: asks the peer to restart it; has a reference to @rm while it is queued
 * @token: restart token that we have given it
 * @state: enum uet_rx_deferrable_state
 *
 * @link and @state are under uet_sock.rx_lock.
 */
struct uet_rx_deferrable {
	struct list_head link;
	struct uet_rx_message *rm;
	struct uet_fep *fep;
	struct delayed_work work;
	u32 token;
	u8 state;
};

/**
 * enum uet_rx_deferrable_how - what is to be done about the first packet of a message
 * @UET_RXDEFER_TAKE: it begins the message
 * @UET_RXDEFER_WAIT: the message is deferred
 * @UET_RXDEFER_LATER: the packet is to come again: no space or memory
 * @UET_RXDEFER_FULL: the message is refused: UET_DEFER_LIMIT is reached
 * @UET_RXDEFER_STALE: it is refused: it was not asked for
 */
enum uet_rx_deferrable_how {
	UET_RXDEFER_TAKE,
	UET_RXDEFER_WAIT,
	UET_RXDEFER_LATER,
	UET_RXDEFER_FULL,
	UET_RXDEFER_STALE,
};

/* Both: tx_deferrable.c */
int uet_defer_init(void);
void uet_defer_fini(void);
bool uet_defer_queue(struct delayed_work *work, u64 delay_ns);
void uet_defer_flush(void);
u64 uet_defer_peer_timeout(const struct uet_fep *fep);

/* Is this message, which goes by a PDC with that key, one to be given up? */
typedef bool uet_tx_deferrable_wants_fn(const struct uet_tx_message *tm,
					const struct uet_peer_key *key,
					const void *arg);

/* By the sender. */
int uet_tx_deferrable_begin(struct uet_tx_message *tm,
			    const struct uet_peer_key *key);
void uet_tx_deferrable_close(struct uet_sock *us);
u32 uet_tx_deferrable_cancel(struct uet_sock *us,
			     uet_tx_deferrable_wants_fn *wants,
			     const void *arg);

/* By PDCs, in softirq. */
bool uet_tx_deferrable_suspend(struct uet_tx_message *tm);
u8 uet_tx_deferrable_restart(struct uet_fep *fep, const struct uet_fa *from,
			     const struct uet_ses_req *req);

/* By packets. */
enum uet_rx_deferrable_how
uet_rx_deferrable_admit(struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from, u8 delivery,
			enum uet_order order, struct uet_rx_message **rm);
void uet_rx_deferrable_rtr_done(struct uet_tx_message *rtr);

/* By sockets. */
void uet_rx_deferrable_drop_all(struct uet_sock *us);

#endif
