/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rendezvous messages of peers: a part of them comes with the request, the rest is
 * read when there is a place for it.  Those of our own sockets are messages as any
 * others.  Level: shell.
 */
#ifndef UET_RDV_H
#define UET_RDV_H

#include <linux/list.h>
#include <linux/workqueue.h>

#include "core/ses/ses.h"
#include "message/msg.h"

struct uet_back;
struct uet_kpdc;
struct uet_rx;
struct uet_sock;

/**
 * enum uet_rxrdv_state - how far a rendezvous message of a peer is
 * @UET_RXRDV_EAGER: packets of the part that is pushed are missing
 * @UET_RXRDV_WAITING: for a receive
 * @UET_RXRDV_READING: for the rest, or for the READ that asks for it
 * @UET_RXRDV_OVER: it has ended; its sender may not have been told yet
 */
enum uet_rxrdv_state {
	UET_RXRDV_EAGER,
	UET_RXRDV_WAITING,
	UET_RXRDV_READING,
	UET_RXRDV_OVER,
};

/**
 * struct uet_rxrdv - a rendezvous message of a peer, until its sender is told
 * @rm: the message, which has this
 * @kpdc: PDC it came on, one reference
 * @on_pdc: in uet_kpdc.rdvs until its sender was told, or that PDC has died; under
 *	the lock of @kpdc; one reference to @rm while it is linked
 * @back: the packet that tells; under the lock of @kpdc, which has it afterwards
 * @work: reads, or tells; has a reference to @rm while it is queued
 * @is_kept: the bytes go to the receive buffer; else to the memory of a receive,
 *	what was pushed too if that was there when the message began
 * @is_read_whole: what was pushed is not kept, and is read again; as @is_kept
 *	immutable once the message has begun
 * @end: bytes of the message that are wanted; set before the READ
 * @read_rc: with which code the READ was refused, UET_RC_NULL if it was not; set
 *	before the receive ends, which tells it
 * @until: when to stop trying to send that, ns; of @work
 * @link: in uet_sock.rdvs until it is OVER, in the order in which they came; one
 *	reference to @rm while it is linked
 * @state: enum uet_rxrdv_state
 * @rc: what its sender is to be told, enum uet_rc; set before it is OVER
 *
 * @link, @state and @rc are under uet_sock.rx_lock.
 */
struct uet_rxrdv {
	struct uet_rxmsg *rm;
	struct uet_kpdc *kpdc;
	struct list_head on_pdc;
	struct uet_back *back;
	struct delayed_work work;
	bool is_kept;
	bool is_read_whole;
	u32 end;
	u8 read_rc;
	u64 until;
	struct list_head link;
	u8 state;
	u8 rc;
};

/**
 * enum uet_rxrdv_how - what is to be done about the first packet of a message
 * @UET_RXRDV_TAKE: it begins the message
 * @UET_RXRDV_LATER: the packet is to come again: no room or memory
 * @UET_RXRDV_FULL: the message is refused: UET_RENDEZVOUS_LIMIT is reached
 * @UET_RXRDV_LONG: it is refused: it is longer than the receive buffer
 */
enum uet_rxrdv_how {
	UET_RXRDV_TAKE,
	UET_RXRDV_LATER,
	UET_RXRDV_FULL,
	UET_RXRDV_LONG,
};

/* By packets of the message, under the lock of its PDC. */
enum uet_rxrdv_how uet_rxrdv_admit(struct uet_sock *us,
				   const struct uet_ses_req *req,
				   const struct uet_fa *from,
				   struct uet_kpdc *kpdc, enum uet_turn turn,
				   struct uet_rxmsg **rm);
void uet_rxrdv_failed(struct uet_rxmsg *rm);

/* By messages, receives and sockets. */
void uet_rxrdv_pushed(struct uet_rxmsg *rm);
void uet_rxrdv_claim(struct uet_rxmsg *rm);
void uet_rxrdv_end(struct uet_rxmsg *rm);
void uet_rxrdv_drop_all(struct uet_sock *us);
void uet_rxrdv_free(struct uet_rxmsg *rm);

/* By PDCs: that it came on, and that its rest comes on. */
void uet_rxrdv_lose_all(struct list_head *rdvs);
bool uet_rxrdv_put(struct uet_txmsg *tm, struct uet_rx *rx, u32 offset, u32 len);
void uet_rxrdv_read_done(struct uet_txmsg *tm);

/**
 * uet_rxrdv_discards() - is what is pushed of a message of no use?
 * @rm: message of a peer that was begun
 *
 * Context: Any.
 * Return: true if it is only to be counted.
 */
static inline bool uet_rxrdv_discards(const struct uet_rxmsg *rm)
{
	return rm->rdv && (rm->rdv->is_read_whole ||
			   !rm->ses.req.x.rdv.eager_length);
}

#endif
