// SPDX-License-Identifier: GPL-2.0
/*
 * READs as runs.  At the target, requests that follow each other are checked once, and the
 * bytes of those in one socket buffer are copied in one piece, for read responses that leave
 * as a run.  At the initiator, the READ is looked up once, and the data in one socket buffer
 * is placed in one piece.  A run refuses nothing: what is unusual takes the way of a single
 * packet.
 * Spec: none; UE 1.0.1 3.4.1 and uet-wire 2.32 for each packet.
 */
#include <linux/skbuff.h>
#include <linux/uet.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "rx_run.h"

/* Is the endpoint of the latest request ready for more of them? */
static bool read_find_endpoint(struct rx_run *run)
{
	bool *is_strict = run->pe->mode == UET_PDC_ROD ?
			  &run->pe->ses.gen.is_strict : NULL;
	enum uet_rc rc;
	u8 ri_gen;

	run->us = uet_rx_endpoint(run->whole->fep, &run->req, &rc);
	return run->us &&
	       uet_gen_check(run->us, &run->req, is_strict, &ri_gen) == UET_RC_OK;
}

/* A READ whose message fits its region. */
static bool read_begin(struct rx_run *run)
{
	const struct uet_wire_run *wire = run->wire;
	u32 length = wire->request_length;
	size_t used;
	u64 end;
	u8 rc;

	if (uet_wire_ses_req_decode(wire->next_hdr, wire->head + wire->pds_len,
				    UET_SES_STD_LEN, &run->req, &used) ||
	    !read_find_endpoint(run))
		return false;
	run->space = uet_ses_read_rsp_space(&run->pe->ses);
	run->at = run->req.offset;
	if (check_add_overflow(run->at, (u64)length, &end))
		return false;
	run->mr = uet_mr_get(run->us, run->req.match, UET_MR_READ, run->at, length, &rc);
	return run->mr;
}

static bool read_fits(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	return true;
}

/* Without memory for all responses each request is answered or refused by itself. */
static bool read_place(struct rx_run *run, struct sk_buff *skb, u32 nr)
	__must_hold(&run->pe->lock)
{
	u32 offset = rx_run_offset(run, nr), len = run->wire->len;
	struct uet_read_rsp_msg *read_rsp;

	read_rsp = uet_read_rsp_copy(run->us, run->mr, run->at + offset, len, nr);
	if (!read_rsp)
		return false;
	run->req.message_offset = offset;
	uet_ses_rsp_data(&read_rsp->ses.rsp, &run->req, 0, len);
	uet_ses_read_rsp_queue(&run->pe->ses, &read_rsp->ses, nr);
	consume_skb(skb);
	return true;
}

static void read_account(struct rx_run *run, u32 psn)
{
	uet_mib_add(run->whole->fep->un, UET_MIB_RX_READ, run->n);
}

const struct rx_run_ops uet_rx_run_read_ops = {
	.begin = read_begin,
	.fits = read_fits,
	.place = read_place,
	.account = read_account,
};

static bool data_begin(struct rx_run *run)
{
	struct uet_ses_tx *tx;

	tx = uet_ses_read_run_begin(&run->pe->ses, run->wire->msg_id, run->wire->len);
	if (!tx)
		return false;
	run->tm = container_of(tx, struct uet_tx_message, ses);
	run->space = UET_SES_READ_AHEAD;
	return true;
}

static bool data_fits(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	return uet_ses_read_run_fits(&run->tm->ses, rx_run_next_offset(run), nr) &&
	       uet_rx_rdv_may_put_run(run->tm, skb, nr);
}

/* Put data where it belongs. Return: false if its memory is gone. */
static bool data_place(struct rx_run *run, struct sk_buff *skb, u32 nr)
	__must_hold(&run->pe->lock)
{
	u32 offset = rx_run_offset(run, nr), len = nr * run->wire->len;
	struct uet_tx_message *tm = run->tm;

	if (!uet_rx_rdv_put(tm, skb, offset, len, nr)) {
		if (!uet_mr_put(tm->us, &tm->local, offset, skb, len, false))
			return false;
		consume_skb(skb);
	}
	uet_ses_read_take(&run->pe->ses, &tm->ses, offset, run->wire->len, nr);
	return true;
}

static void data_account(struct rx_run *run, u32 psn)
{
	uet_mib_add(run->whole->fep->un, UET_MIB_RX_DATA, run->n);
}

const struct rx_run_ops uet_rx_run_data_ops = {
	.begin = data_begin,
	.fits = data_fits,
	.place = data_place,
	.account = data_account,
};
