// SPDX-License-Identifier: GPL-2.0
/*
 * SES, reading, initiator: the packets of data that a READ or a fetching atomic
 * has requested, the packets that arrived, and the time limit for the rest.
 * Data may arrive with the answer to its request or after it, in any order.
 * Data that was not requested, or arrived before, is a protocol violation that
 * ends the message.  Data is identified by message, offset and length: the
 * bytes are not handled here.
 *
 * Each packet of a message requests one packet of data: one Payload MTU, except
 * for the last.  The number of requests ahead of the data received is limited,
 * so that a peer need not refuse requests for lack of space.  Requests that waited
 * for this limit go out in batches.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the initiator.
 * Level: core L5.
 */
#include "ses_tx.h"

/* Bytes of data that packet @index requests. */
static u32 read_share(const struct uet_ses_tx *tx, u32 index)
{
	return min_t(u32, tx->mtu, tx->read.want - index * tx->mtu);
}

/*
 * Initialise the read state of a message.
 * @read: read state of a message that is being queued
 */
void uet_ses_read_init(struct uet_ses_read *read)
{
	INIT_LIST_HEAD(&read->link);
	read->got = 0;
	read->asked = 0;
	read->come = 0;
	read->base = 0;
	memset(read->bits, 0, sizeof(read->bits));
	uet_psn_map_init(&read->map, read->bits, UET_SES_READ_AHEAD);
}

/*
 * How many more packets may request data?
 * @tx: message to be segmented next, which requests data
 *
 * Return: packets; 0 while too much data is outstanding, for this message or in
 *	total, or a batch does not fit yet.
 */
u32 uet_ses_read_may_ask(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	u32 asked = tx->read.asked - tx->read.base;

	if (ses->reads_are_full)
		return 0;
	return UET_SES_READ_AHEAD - max(asked, ses->nr_requested);
}

/*
 * Count packets that request data.
 * @nr: number of packets, 1 to uet_ses_read_may_ask()
 */
void uet_ses_read_ask(struct uet_ses *ses, struct uet_ses_tx *tx, u32 nr)
{
	if (!tx->read.asked)
		list_add_tail(&tx->read.link, &ses->reads);
	tx->read.asked += nr;
	ses->nr_requested += nr;
	if (ses->nr_requested == UET_SES_READ_AHEAD)
		ses->reads_are_full = true;
	ses->read_moved = true;
}

/* @nr packets of data need not be waited for any more. */
static void read_uncount(struct uet_ses *ses, u32 nr)
{
	ses->nr_requested -= nr;
	if (ses->nr_requested <= UET_SES_READ_AHEAD - UET_SES_READ_BATCH)
		ses->reads_are_full = false;
}

/*
 * Did the data that a packet requested arrive?
 * Return: true if it arrived.
 */
bool uet_ses_read_has(const struct uet_ses_tx *tx, u32 offset)
{
	const struct uet_ses_read *read = &tx->read;
	u32 index = offset / tx->mtu;

	return index < read->base || (index < read->asked &&
				      uet_psn_map_test(&read->map, index));
}

/*
 * Start to wait for read data only.
 * @tx: message that was just moved to uet_ses.waitq
 */
void uet_ses_read_await(struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	if (!tx->read.want)
		return;
	ses->nr_reads++;
	ses->read_moved = true;
}

/* Accept no more data for a message that has ended. */
void uet_ses_read_forget(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	struct uet_ses_read *read = &tx->read;

	uet_ses_rdv_forget(tx);
	if (!read->want)
		return;
	read_uncount(ses, read->asked - read->come);
	read->come = read->asked;
	list_del_init(&read->link);
}

/* The header of a packet of data identifies this message. */
static bool read_is_named(const struct uet_ses *ses,
			  const struct uet_ses_tx *tx,
			  const struct uet_ses_rsp *rsp)
{
	if (rsp->form == UET_RSP_FORM_SMALL)
		return uet_ses_form_is_for(ses, tx, rsp->orig_psn);
	return rsp->form == UET_RSP_FORM_DATA && rsp->read_msg_id &&
	       tx->msg_id == rsp->read_msg_id;
}

/**
 * uet_ses_read_find() - the message that data in a request packet is for
 * @ses: SES of the PDC that received the packet
 * @rsp: decoded header of the data
 *
 * The PSN identifies a request without a message id.
 *
 * Context: Any; the caller serialises per SES.  The number of steps is that of
 *	the messages waiting for data, oldest first.
 * Return: the message; NULL if there is none.
 * Spec: uet-wire 2.32.
 */
struct uet_ses_tx *uet_ses_read_find(struct uet_ses *ses,
				     const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->reads, read.link)
		if (read_is_named(ses, tx, rsp))
			return tx;
	return NULL;
}

/**
 * uet_ses_read_check() - was this data requested?
 * @ses: SES
 * @tx: message of the data, from uet_ses_read_find() or uet_pdc_answered()
 * @rsp: header of the data
 * @offset: offset of the data in the message; without an offset in the header,
 *	that of the packet that the data answers
 * @len: bytes
 *
 * Return: UET_DROP_NONE; READ_WRONG; SES_OVERLAP: the data arrived before.
 */
enum uet_drop uet_ses_read_check(const struct uet_ses *ses,
				 const struct uet_ses_tx *tx,
				 const struct uet_ses_rsp *rsp, u32 offset,
				 u32 len)
{
	u32 index = offset / tx->mtu;

	if (rsp->form == UET_RSP_FORM_DATA &&
	    (rsp->read_msg_id != tx->msg_id || rsp->message_offset != offset))
		return UET_DROP_READ_WRONG;
	if (rsp->form == UET_RSP_FORM_SMALL && tx->has_psn &&
	    uet_ses_is_short(tx) && !uet_ses_form_is_for(ses, tx, rsp->orig_psn))
		return UET_DROP_READ_WRONG;
	if (offset % tx->mtu || index >= tx->read.asked ||
	    len != read_share(tx, index))
		return UET_DROP_READ_WRONG;
	return uet_ses_read_has(tx, offset) ? UET_DROP_SES_OVERLAP :
					      UET_DROP_NONE;
}

/**
 * uet_ses_read_run_begin() - find the READ that packets of data continue
 * @ses: SES
 * @msg_id: message id in the header of the packet before, not 0
 * @len: data of each packet, bytes
 *
 * Return: the message, as from uet_ses_read_find(); NULL if it has failed, or packets of it
 *	have another length.
 */
struct uet_ses_tx *uet_ses_read_run_begin(struct uet_ses *ses, u16 msg_id, u32 len)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->reads, read.link) {
		if (tx->msg_id != msg_id)
			continue;
		return tx->opcode == UET_OP_READ && tx->mtu == len && !tx->error &&
		       tx->rc == UET_RC_OK ? tx : NULL;
	}
	return NULL;
}

/**
 * uet_ses_read_run_fits() - was the data of packets that follow each other requested?
 * @tx: message, from uet_ses_read_run_begin()
 * @offset: offset of the first packet
 * @nr: number of packets, at most UET_SES_READ_AHEAD
 *
 * Return: true if uet_ses_read_check() accepts each of them.
 */
bool uet_ses_read_run_fits(const struct uet_ses_tx *tx, u32 offset, u32 nr)
{
	const struct uet_ses_read *read = &tx->read;
	u32 index = offset / tx->mtu, end = index + nr;

	return offset % tx->mtu == 0 && index >= read->base && end <= read->asked &&
	       (u64)end * tx->mtu <= read->want &&
	       uet_psn_map_next_set(&read->map, index, end) == end;
}

/* Note that packets of data have arrived. */
static void read_mark(struct uet_ses_read *read, u32 index, u32 nr)
{
	u32 i;

	if (index == read->base)
		read->base += nr;
	else
		for (i = 0; i < nr; i++)
			uet_psn_map_set(&read->map, index + i);
	while (read->base != read->asked &&
	       uet_psn_map_clear(&read->map, read->base))
		read->base++;
}

/**
 * uet_ses_read_take() - count data that was placed
 * @ses: SES
 * @tx: message of the data
 * @offset: offset of the data
 * @len: bytes of each packet
 * @nr: number of packets that follow each other; uet_ses_read_check() or
 *	uet_ses_read_run_fits() accepted them
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_read_take(struct uet_ses *ses, struct uet_ses_tx *tx, u32 offset,
		       u32 len, u32 nr)
{
	struct uet_ses_read *read = &tx->read;
	bool was_waiting = uet_ses_tx_is_waiting(tx);

	read_mark(read, offset / tx->mtu, nr);
	read->got += nr * len;
	read->come += nr;
	read_uncount(ses, nr);
	ses->read_moved = true;
	if (was_waiting && !uet_ses_tx_is_waiting(tx))
		uet_ses_tx_stop_waiting(ses, tx);
}

/**
 * uet_ses_read_fail() - fail a message because of its read data
 * @ses: SES
 * @tx: message that the data is for
 * @error: UET_PDC_ERR_PROTOCOL, UET_PDC_ERR_LOCAL; UET_PDC_OK if @rc is the
 *	reason
 * @rc: enum uet_rc of the response with the data; UET_RC_OK with an error
 *
 * The first reason is kept.  uet_ses_reap() returns the message when its
 * packets are answered.
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_read_fail(struct uet_ses *ses, struct uet_ses_tx *tx,
		       enum uet_pdc_error error, u8 rc)
{
	bool was_waiting = uet_ses_tx_is_waiting(tx);
	bool was_cut = tx->is_cut;

	if (tx->error || tx->rc != UET_RC_OK)
		return;
	tx->error = error;
	tx->rc = rc;
	tx->awaits_rsp = false;
	if (was_waiting) {
		uet_ses_tx_stop_waiting(ses, tx);
		return;
	}
	uet_ses_tx_cut(tx);
	if (!was_cut)
		uet_ses_tx_settle(ses, tx);
}

/*
 * Inform the PDC whether it must stay open.
 *
 * A PDC does not close while a read or a rendezvous is in progress.
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Spec: uet-wire 2.18.
 */
void uet_ses_read_hold(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	if (ses->read_moved)
		ses->read_at = now + uet_pdc_peer_timeout(pdc);
	ses->read_moved = false;
	uet_pdc_hold(pdc, uet_ses_rdv_watch(ses, pdc, now) ||
			  ses->nr_tx != ses->nr_wait || ses->nr_reads ||
			  ses->nr_read_rsps, now);
}

/* Only data can continue the message: its requests are done, or wait for a gap. */
static bool read_needs_data(const struct uet_ses_tx *tx)
{
	return uet_ses_tx_is_waiting(tx) ||
	       tx->read.asked - tx->read.base >= UET_SES_READ_AHEAD;
}

/**
 * uet_ses_read_tick() - end the reads that waited too long
 * @ses: SES
 * @pdc: PDC of the SES, not over
 * @now: monotonic time, ns
 *
 * A peer that acknowledged requests for data, is alive, and sends no data for
 * uet_pdc_peer_timeout() will not send it.  The messages that only data can continue end
 * as if the peer had not answered.  The PDC accepts no new messages, so that late data
 * cannot match another message with the same id.
 *
 * Context: Any; the caller serialises per SES and PDC, reaps and pumps next.
 */
void uet_ses_read_tick(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_tx *tx, *next;
	bool has_failed = false;

	if (uet_ses_read_deadline(ses) > now)
		return;
	ses->read_at = now + uet_pdc_peer_timeout(pdc);
	list_for_each_entry_safe(tx, next, &ses->reads, read.link) {
		if (!read_needs_data(tx))
			continue;
		uet_ses_read_fail(ses, tx, UET_PDC_ERR_TIMEOUT, UET_RC_OK);
		has_failed = true;
	}
	if (has_failed)
		uet_pdc_close(pdc, now);
}

/**
 * uet_ses_read_deadline() - when must uet_ses_read_tick() be called?
 * @ses: SES, after uet_ses_pump()
 *
 * Return: monotonic time, ns; UET_NEVER if no message waits for data.
 */
u64 uet_ses_read_deadline(const struct uet_ses *ses)
{
	return (ses->nr_reads || ses->nr_requested) && !ses->read_moved ?
	       ses->read_at : UET_NEVER;
}
