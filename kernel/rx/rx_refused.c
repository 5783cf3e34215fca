// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a peer that are refused while an application waits for that peer.
 * The application would otherwise wait without a sign until a time-out: the
 * reason becomes the UET_LAST_ERROR of its socket. Such a packet may be forged, so
 * nothing else follows from it but one new Start_PSN of a PDC that opens.
 * Spec: uet-wire 2.16, 2.32, 4.4.
 */
#include <linux/skbuff.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"

/* The code of a packet in clear is a hint for a person, and no more. */
static void refused_explain(const struct uet_rx *rx,
			    const struct uet_pds_pkt *pkt, u8 code)
{
	struct uet_tx_message *tm;
	struct uet_ses_tx *tx;

	if (!pkt || uet_ses_is_read_rsp(pkt))
		return;
	tx = pkt->msg;
	tm = container_of(tx, struct uet_tx_message, ses);
	uet_sock_explain(tm->us, 0, "message of %u bytes waits: a NACK in clear, code %s, came from the address of its target, and FEP %s accepts sealed packets only",
			 uet_ses_tx_length(tx), uet_wire_nack(code)->name,
			 rx->fep->cfg.name);
}

static void refused_retry(const struct uet_rx *rx, struct uet_pdc_entry *pe,
			  const struct uet_pds_hdr *hdr)
	__must_hold(&pe->lock)
{
	u32 start_psn;

	if (pe->role != UET_PDC_INITIATOR)
		return;
	start_psn = uet_pdc_table_start_psn(rx->fep->pdcs, &pe->key,
					    UET_PDC_START_EXPECTED);
	uet_pdc_start_retry(pe->pdc, hdr, start_psn, rx->now);
}

/*
 * Note a NACK in clear.
 * @rx: packet of a FEP with security, starting at the carrier header, in clear;
 *	the PDS header is in the linear part
 *
 * A peer that cannot open or does not accept a sealed SYN has no other way to
 * say so. The packet is dropped. The first one for a PDC that opens makes this
 * PDC begin at another PSN.
 *
 * Context: Softirq, rcu_read_lock() held.
 */
void uet_rx_clear_nack(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct uet_pdc_entry *pe;
	struct uet_pds_hdr hdr;
	size_t used;

	if (uet_wire_pds_decode(rx->skb->data + head_len,
				skb_headlen(rx->skb) - head_len, &hdr, &used) ||
	    uet_wire_ty(hdr.type)->kind != UET_TK_NACK ||
	    hdr.flags & UET_F_NT)
		return;
	uet_mib_inc(rx->fep->un, UET_MIB_RX_CLEAR_NACK);
	pe = uet_pdc_table_find(rx->fep->pdcs, hdr.u.nack.dpdcid);
	if (!pe || !uet_fa_equal(&pe->peer, &rx->from))
		return;
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	if (!pe->dead && uet_pdc_entry_awake(pe)) {
		refused_explain(rx, uet_pdc_pkt_of_nack(pe->pdc, &hdr),
				hdr.u.nack.code);
		refused_retry(rx, pe, &hdr);
	}
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/*
 * Note data for no READ while READs wait.
 * @ses: SES of the PDC that received the data
 *
 * Context: Softirq, lock of @ses held.
 */
void uet_rx_unknown_data(struct uet_ses *ses,
			 const struct uet_ses_rsp *data)
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
