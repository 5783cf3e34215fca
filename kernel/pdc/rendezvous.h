/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rendezvous messages of peers: the eager part arrives with the request, and
 * the rest is read when there is a receive or space for it. Rendezvous messages
 * of local sockets are ordinary outgoing messages.
 */
#ifndef UET_RENDEZVOUS_H
#define UET_RENDEZVOUS_H

#include <linux/list.h>
#include <linux/workqueue.h>

#include "admission.h"
#include "core/ses/ses.h"
#include "message/message.h"

struct uet_read_rsp_msg;
struct uet_pdc_entry;
struct uet_sock;

/**
 * enum uet_rx_rdv_state - progress of a peer's rendezvous message
 * @UET_RX_RDV_EAGER: packets of the eager part are missing
 * @UET_RX_RDV_WAITING: waits for a receive
 * @UET_RX_RDV_READING: waits for the rest, or for its READ to be sent
 * @UET_RX_RDV_OVER: ended; the final response may not be sent yet
 */
enum uet_rx_rdv_state {
	UET_RX_RDV_EAGER,
	UET_RX_RDV_WAITING,
	UET_RX_RDV_READING,
	UET_RX_RDV_OVER,
};

/**
 * struct uet_rx_rdv - a rendezvous message of a peer, until its final response
 * @rm: the message, which owns this object
 * @pe: PDC that received the message, one reference
 * @on_pdc: entry in uet_pdc_entry.rdvs until the final response is sent or @pe is
 *	closed; under the lock of @pe; one reference to @rm while linked
 * @read_rsp: packet of the final response; under the lock of @pe, which owns the packet
 *	once it is queued
 * @work: sends the READ or the final response; one reference to @rm while queued
 * @is_kept: the bytes go to the receive buffer; false: to the memory of a receive,
 *	including the eager part if the receive was posted at the start of the message;
 *	immutable once the message has started
 * @is_read_whole: the eager part is dropped and read again; immutable once the message
 *	has started
 * @is_counted: in uet_sock.nr_envelopes
 * @end: bytes of the message to be read; set before the READ
 * @until: time of the last attempt to send the READ, ns; used by @work only
 * @link: entry in uet_sock.rdvs until OVER, in order of arrival; one reference to @rm
 *	while linked
 * @state: enum uet_rx_rdv_state
 * @rc: return code of the final response, enum uet_rc; set before OVER
 *
 * uet_sock.rx_lock protects @link, @state, @rc and @is_counted.
 */
struct uet_rx_rdv {
	struct uet_rx_message *rm;
	struct uet_pdc_entry *pe;
	struct list_head on_pdc;
	struct uet_read_rsp_msg *read_rsp;
	struct delayed_work work;
	bool is_kept;
	bool is_read_whole;
	bool is_counted;
	u32 end;
	u64 until;
	struct list_head link;
	u8 state;
	u8 rc;
};

/* For packets of the message, under the lock of its PDC. */
enum uet_admission
uet_rx_rdv_admit(struct uet_sock *us, const struct uet_ses_req *req,
		 const struct uet_fa *from, struct uet_pdc_entry *pe,
		 enum uet_order order, struct uet_rx_message **rm);
void uet_rx_rdv_failed(struct uet_rx_message *rm);

/* For messages, receives and sockets. */
void uet_rx_rdv_pushed(struct uet_rx_message *rm);
void uet_rx_rdv_drop_all(struct uet_sock *us);

/* For PDCs: the PDC of the request, and the PDC of the READ. */
void uet_rx_rdv_lose_all(struct list_head *rdvs);
bool uet_rx_rdv_may_put_run(const struct uet_tx_message *tm,
			    const struct sk_buff *skb, u32 nr);
bool uet_rx_rdv_put(struct uet_tx_message *tm, struct sk_buff *skb, u32 offset,
		    u32 len, u32 nr);
void uet_rx_rdv_read_done(struct uet_tx_message *tm);

/**
 * uet_rx_rdv_discards() - check whether the eager part of a message is
 *	discarded
 * @rm: message of a peer that has started
 *
 * Return: true if its bytes are only counted.
 */
static inline bool uet_rx_rdv_discards(const struct uet_rx_message *rm)
{
	return rm->rdv && (rm->rdv->is_read_whole ||
			   !rm->ses.req.x.rdv.eager_length);
}

#endif
