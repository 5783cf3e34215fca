// SPDX-License-Identifier: GPL-2.0
/*
 * Read responses: a packet with data that a local message requested, either as the answer to one
 * of its packets or in a later packet. The data is copied once, to the memory region that the
 * sender of the message named or, for a peer's rendezvous message, to the receive buffer.
 * Unsolicited data fails the message it names and changes no memory. A response without data
 * reports how a local rendezvous message ended.
 * Spec: UE 1.0.1 Tables 3-12, 3-13; uet-wire 2.32, 3.14.
 */
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "rx.h"

/* The message is @tx. Return: UET_DROP_NONE, or the reason why the message fails. */
static enum uet_drop data_put(struct uet_fep *fep, struct uet_ses *ses,
			      struct uet_ses_tx *tx, struct uet_rx *rx,
			      const struct uet_ses_rsp *rsp, u32 offset, u32 len)
{
	struct uet_tx_message *tm =
		container_of(tx, struct uet_tx_message, ses);
	enum uet_drop why;

	if (rsp->rc != UET_RC_OK && rsp->rc != UET_RC_NULL) {
		uet_ses_read_fail(ses, tx, UET_PDC_OK, rsp->rc);
		return UET_DROP_NONE;
	}
	why = uet_ses_read_check(ses, tx, rsp, offset, len);
	if (why) {
		uet_ses_read_fail(ses, tx, UET_PDC_ERR_PROTOCOL, UET_RC_OK);
		return why;
	}
	if (uet_rx_rdv_put(tm, rx->skb, offset, len, 1)) {
		rx->is_kept = true;
	} else if (!uet_mr_put(tm->us, &tm->local, offset, rx->skb, len,
			       uet_ses_is_fetching(tx->opcode))) {
		uet_ses_read_fail(ses, tx, UET_PDC_ERR_LOCAL, UET_RC_OK);
		return UET_DROP_READ_GONE;
	}
	uet_ses_read_take(ses, tx, offset, len, 1);
	uet_mib_inc(fep->un, UET_MIB_RX_DATA);
	return UET_DROP_NONE;
}

/* A response is repeated if its ACK was lost or delayed. */
static enum uet_drop data_put_late(struct uet_fep *fep, struct uet_ses *ses, struct uet_rx *rx,
				   const struct uet_ses_rsp *rsp, u32 len)
{
	struct uet_ses_tx *tx = uet_ses_read_find(ses, rsp);

	if (!tx ||
	    uet_ses_read_check(ses, tx, rsp, rsp->message_offset, len))
		return UET_DROP_DUPLICATE;
	return data_put(fep, ses, tx, rx, rsp, rsp->message_offset, len);
}

/*
 * Process the data of an ACK. @ses: of its PDC, or of RUDI requests, locked; the caller pumps
 * and reaps it next. @pkt: packet that this ACK answers first; NULL: none.
 */
enum uet_drop uet_rx_data_answer(struct uet_fep *fep, struct uet_ses *ses,
				 struct uet_rx *rx, const struct uet_ses_rsp *rsp,
				 const struct uet_pds_pkt *pkt, u32 len)
{
	struct uet_ses_tx *tx;

	if (!pkt)
		return data_put_late(fep, ses, rx, rsp, len);
	/* A read response is not answered with data, nor is a packet that requested none. */
	if (uet_ses_is_read_rsp(pkt))
		return UET_DROP_READ_UNKNOWN;
	tx = pkt->msg;
	if (!tx->read.want)
		return len ? UET_DROP_READ_UNKNOWN : UET_DROP_NONE;
	return data_put(fep, ses, tx, rx, rsp, pkt->offset, len);
}

/*
 * Note data for no READ while READs wait, for the application that waits for this peer. The
 * packet may be forged, so nothing else follows from it.
 */
static void data_unknown(struct uet_ses *ses, const struct uet_ses_rsp *data)
{
	struct uet_ses_tx *tx =
		list_first_entry_or_null(&ses->reads, struct uet_ses_tx,
					 read.link);
	struct uet_tx_message *tm;

	if (!tx)
		return;
	tm = container_of(tx, struct uet_tx_message, ses);
	uet_sock_explain(tm->us, 0, "%s of %u bytes, message id %u, waits: its target sent data for message id %u, which is no request of this PDC",
			 uet_wire_op(tx->opcode)->name, tx->read.want,
			 tx->msg_id, data->read_msg_id);
}

/* Process data in the return direction of a PDC; @rsp gets the response that accepts the packet. */
enum uet_drop uet_rx_data_req(struct uet_pdc_entry *pe, struct uet_rx *rx,
			      struct uet_ses_rsp *rsp)
	__must_hold(&pe->lock)
{
	struct sk_buff *skb = rx->skb;
	struct uet_ses_rsp data;
	struct uet_ses_tx *tx;
	enum uet_drop why;
	size_t used, len;

	lockdep_assert_held(&pe->lock);
	memset(&data, 0, sizeof(data));
	why = uet_wire_ses_rsp_decode(rx->hdr.next_hdr, skb->data,
				      skb_headlen(skb), &data, &used);
	if (!why)
		why = uet_wire_ses_rsp_payload(&data, skb->len - used, &len);
	tx = why ? NULL : uet_ses_read_find(&pe->ses, &data);
	uet_ses_rsp_taken(rsp, &data, tx);
	if (why)
		return why;
	__skb_pull(skb, used);
	if (!tx && !len)
		return uet_ses_rdv_answer(&pe->ses, &data);
	if (!tx) {
		data_unknown(&pe->ses, &data);
		return UET_DROP_READ_UNKNOWN;
	}
	uet_rx_run_note_data(pe, rx, &data, tx->read.want);
	why = data_put(pe->fep, &pe->ses, tx, rx, &data, data.message_offset, len);
	if (why)
		pe->window->run.len = 0;
	return why;
}
