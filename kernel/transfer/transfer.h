/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages whose bytes come later, or stop coming.
 *
 * Deferrable sends: messages that their target requests when it has a receive or space for
 * them; tx_deferrable.c keeps the suspended messages of local sockets, rx_deferrable.c the
 * deferred messages of peers. Rendezvous messages of peers: the eager part arrives with the
 * request, and the rest is read when there is a receive or space for it; those of local sockets
 * are ordinary outgoing messages. Stalled messages: their senders do not go on.
 */
#ifndef UET_TRANSFER_H
#define UET_TRANSFER_H

#include "message/message.h"
#include "pdc/pdc.h"

/**
 * enum uet_admission - outcome for the first packet of a deferrable or rendezvous message
 * @UET_ADMIT_START: the packet starts the message; only then the caller gets one
 * @UET_ADMIT_DEFER: defer the message; its sender keeps the message
 * @UET_ADMIT_NO_SPACE: no space or memory, or UET_ENVELOPES is reached: NACK, the packet is
 *	retransmitted
 * @UET_ADMIT_BAD_TOKEN: a restart that was not requested: refuse the message
 * @UET_ADMIT_RDV_LONG: rendezvous longer than the receive buffer: refuse the message
 */
enum uet_admission {
	UET_ADMIT_START,
	UET_ADMIT_DEFER,
	UET_ADMIT_NO_SPACE,
	UET_ADMIT_BAD_TOKEN,
	UET_ADMIT_RDV_LONG,
};

/* Delay before a retry after a failure to get a PDC or memory, ns. */
#define UET_DEFER_RETRY_NS	(10 * NSEC_PER_MSEC)

int uet_defer_init(void);
void uet_defer_fini(void);
void uet_defer_flush(struct uet_sock *us);

/* Work of incoming messages, and the messages that are sent for them. */
void uet_defer_queue_rx(struct uet_rx_message *rm, struct delayed_work *work, u64 delay_ns);
void uet_defer_done_rx(struct uet_rx_message *rm);
struct uet_tx_message *uet_defer_alloc_for(struct uet_rx_message *rm,
					   const struct uet_tx_message_ops *ops);
void uet_defer_free_for(struct uet_tx_message *tm);
int uet_defer_send_for(struct uet_fep *fep, const struct uet_peer_key *key,
		       struct uet_tx_message *tm);
u64 uet_defer_peer_timeout(const struct uet_fep *fep);

/* For the sender. */
int uet_tx_deferrable_begin(struct uet_tx_message *tm, const struct uet_peer_key *key);
void uet_tx_deferrable_close(struct uet_sock *us);
u32 uet_tx_deferrable_cancel(struct uet_sock *us, uet_tx_wants_fn *wants, const void *arg);

/* For packets, in softirq; the lock of a PDC may be held. */
u8 uet_tx_deferrable_restart(struct uet_fep *fep, const struct uet_fa *from,
			     const struct uet_ses_req *req);
enum uet_admission
uet_rx_deferrable_admit(struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from, u8 delivery,
			enum uet_order order, struct uet_rx_message **rm);

/* For sockets. */
int uet_rx_deferrable_init(void);
void uet_rx_deferrable_fini(void);
void uet_rx_deferrable_drop_all(struct uet_sock *us);

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

/*
 * struct uet_rx_rdv - a rendezvous message of a peer, until its final response
 * @rm: the message, which owns this object
 * @pe: PDC that received the message, one reference
 * @on_pdc: entry in uet_pdc_entry.rdvs until the final response is sent or @pe is
 *	closed; one reference to @rm while linked
 * @read_rsp: packet of the final response; under the lock of @pe, which owns the packet
 *	once it is queued
 * @work: sends the READ or the final response
 * @is_kept: the bytes go to the receive buffer; false: to the memory of a receive,
 *	including the eager part if the receive was posted at the start of the message;
 *	immutable once the message has started
 * @is_read_whole: the eager part is dropped and read again; immutable once the message
 *	has started
 * @is_counted: in uet_sock.env.nr
 * @end: bytes of the message to be read; set before the READ
 * @until: time of the last attempt to send the READ, ns; used by @work only
 * @link: entry in uet_sock.env.rdvs until OVER, in order of arrival; one reference to @rm
 *	while linked
 * @rc: return code of the final response, enum uet_rc; set before OVER
 *
 * uet_sock.rx_lock protects @link, @state, @rc and @is_counted.
 */
struct uet_rx_rdv {
	struct uet_rx_message *rm;
	struct uet_pdc_entry *pe;
	struct uet_pdc_dependent on_pdc;
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
uet_rx_rdv_admit(struct uet_sock *us, const struct uet_ses_req *req, const struct uet_fa *from,
		 struct uet_pdc_entry *pe, enum uet_order order, struct uet_rx_message **rm);
void uet_rx_rdv_failed(struct uet_rx_message *rm);
bool uet_rx_rdv_may_put_run(const struct uet_tx_message *tm, const struct sk_buff *skb, u32 nr);
bool uet_rx_rdv_put(struct uet_tx_message *tm, struct sk_buff *skb, u32 offset,
		    u32 len, u32 nr);

/* In softirq; the lock of the PDC is held in ROD and in bursts. */
void uet_rx_rdv_pushed(struct uet_rx_message *rm);

/* For sockets. */
void uet_rx_rdv_drop_all(struct uet_sock *us);

/* Is the eager part of a message that has started only counted? */
static inline bool uet_rx_rdv_discards(const struct uet_rx_message *rm)
{
	return rm->rdv && (rm->rdv->is_read_whole || !rm->ses.req.x.rdv.eager_length);
}

void uet_rx_stalled_drop(struct uet_sock *us, u64 now);

#endif
