// SPDX-License-Identifier: GPL-2.0
/*
 * SES, what comes read_rsp for a message: which packets of data a READ or a fetching
 * atomic has asked for, which of them have come, and how long the rest is waited
 * for.  Data may come with the answer to its request or behind it, in any order;
 * what was not asked for, or came before, is a contradiction that ends the
 * message.  It is told by message, offset and length: the bytes never get here.
 *
 * A message asks for one packet of data with each packet of its own, each but the
 * last for one Payload MTU.  How much is asked for ahead of what has come is
 * limited, so that a peer need not refuse it for lack of space.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the initiator.
 * Level: core L5.
 */
#include "ses_tx.h"

/* The data of packet @index. */
static u32 read_share(const struct uet_ses_tx *tx, u32 index)
{
	return min_t(u32, tx->mtu, tx->read.want - index * tx->mtu);
}

/**
 * uet_ses_read_init() - nothing was asked for
 * @read: of a message that is being queued
 *
 * Context: Any.
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

/**
 * uet_ses_read_may_ask() - may another packet ask for data?
 * @ses: SES
 * @tx: message to be cut next, with something to come read_rsp
 *
 * Context: Any; the caller serialises per SES.
 * Return: false while too much is awaited, by this message or by all.
 */
bool uet_ses_read_may_ask(const struct uet_ses *ses,
			  const struct uet_ses_tx *tx)
{
	return ses->nr_requested < UET_SES_READ_AHEAD &&
	       tx->read.asked - tx->read.base < UET_SES_READ_AHEAD;
}

/**
 * uet_ses_read_ask() - a packet that asks for data is handed to PDS
 * @ses: SES
 * @tx: its message
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_read_ask(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->read.asked++)
		list_add_tail(&tx->read.link, &ses->reads);
	ses->nr_requested++;
}

/**
 * uet_ses_read_has() - has the data come that a packet asked for?
 * @tx: message
 * @offset: of the packet
 *
 * Context: Any; the caller serialises per SES.
 * Return: true if so.
 */
bool uet_ses_read_has(const struct uet_ses_tx *tx, u32 offset)
{
	const struct uet_ses_read *read = &tx->read;
	u32 index = offset / tx->mtu;

	return index < read->base || (index < read->asked &&
				      uet_psn_map_test(&read->map, index));
}

/**
 * uet_ses_read_await() - a message waits for nothing else any more
 * @ses: SES
 * @tx: message, in uet_ses.waitq from now on
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_read_await(struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	if (!tx->read.want)
		return;
	ses->nr_reads++;
	ses->read_moved = true;
}

/**
 * uet_ses_read_forget() - a message has ended: no data is taken for it
 * @ses: SES
 * @tx: message, any
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_read_forget(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	struct uet_ses_read *read = &tx->read;

	uet_ses_rdv_forget(tx);
	if (!read->want)
		return;
	ses->nr_requested -= read->asked - read->come;
	read->come = read->asked;
	list_del_init(&read->link);
}

/* Is this what a packet of data calls the message? */
static bool read_is_named(const struct uet_ses_tx *tx,
			  const struct uet_ses_rsp *rsp)
{
	if (rsp->form == UET_RSP_FORM_SMALL)
		return uet_ses_form_is_for(tx, rsp->orig_psn);
	return rsp->form == UET_RSP_FORM_DATA && rsp->read_msg_id &&
	       tx->msg_id == rsp->read_msg_id;
}

/**
 * uet_ses_read_find() - the message that data in a request packet is for
 * @ses: SES of the PDC it came on
 * @rsp: decoded header of the data
 *
 * A request without a message id is named by its PSN.
 *
 * Context: Any; the caller serialises per SES.  As many steps as messages with
 *	data to come, the oldest first.
 * Return: the message; NULL if there is none.
 * Spec: uet-wire 2.32.
 */
struct uet_ses_tx *uet_ses_read_find(struct uet_ses *ses,
				     const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->reads, read.link)
		if (read_is_named(tx, rsp))
			return tx;
	return NULL;
}

/**
 * uet_ses_read_check() - was this data asked for?
 * @tx: its message, from uet_ses_read_find() or uet_pdc_answered()
 * @rsp: its header
 * @offset: of the data in the message; where the header does not tell, that of
 *	the packet it answers
 * @len: bytes
 *
 * Context: Any; the caller serialises per SES.
 * Return: UET_DROP_NONE; READ_WRONG; SES_OVERLAP: it came before.
 */
enum uet_drop uet_ses_read_check(const struct uet_ses_tx *tx,
				 const struct uet_ses_rsp *rsp, u32 offset,
				 u32 len)
{
	u32 index = offset / tx->mtu;

	if (rsp->form == UET_RSP_FORM_DATA &&
	    (rsp->read_msg_id != tx->msg_id || rsp->message_offset != offset))
		return UET_DROP_READ_WRONG;
	if (rsp->form == UET_RSP_FORM_SMALL && tx->has_psn &&
	    uet_ses_is_short(tx) && !uet_ses_form_is_for(tx, rsp->orig_psn))
		return UET_DROP_READ_WRONG;
	if (offset % tx->mtu || index >= tx->read.asked ||
	    len != read_share(tx, index))
		return UET_DROP_READ_WRONG;
	return uet_ses_read_has(tx, offset) ? UET_DROP_SES_OVERLAP :
					      UET_DROP_NONE;
}

/**
 * uet_ses_read_take() - data has been put where it belongs
 * @ses: SES
 * @tx: its message
 * @offset: of the data
 * @len: bytes; uet_ses_read_check() said nothing against them
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_read_take(struct uet_ses *ses, struct uet_ses_tx *tx, u32 offset,
		       u32 len)
{
	struct uet_ses_read *read = &tx->read;
	bool was_waiting = uet_ses_tx_is_waiting(tx);

	uet_psn_map_set(&read->map, offset / tx->mtu);
	while (read->base != read->asked &&
	       uet_psn_map_clear(&read->map, read->base))
		read->base++;
	read->got += len;
	read->come++;
	ses->nr_requested--;
	ses->read_moved = true;
	if (was_waiting && !uet_ses_tx_is_waiting(tx))
		uet_ses_tx_stop_waiting(ses, tx);
}

/**
 * uet_ses_read_fail() - what came read_rsp ends a message
 * @ses: SES
 * @tx: message that data was found to be for
 * @error: UET_PDC_ERR_PROTOCOL, UET_PDC_ERR_LOCAL; UET_PDC_OK if @rc tells why
 * @rc: enum uet_rc of the response with the data; UET_RC_OK with an error
 *
 * The first reason stays.  It comes read_rsp by uet_ses_reap() when its packets are
 * answered.
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

/**
 * uet_ses_read_hold() - say to the PDC whether it is needed
 * @ses: SES
 * @pdc: its PDC
 * @now: monotonic time, ns
 *
 * A PDC is not closed under a read, nor under a rendezvous.
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

/**
 * uet_ses_read_tick() - time has passed
 * @ses: SES
 * @pdc: its PDC, alive
 * @now: monotonic time, ns
 *
 * A peer that has acknowledged requests for data, lives, and sends none for
 * uet_pdc_peer_timeout() will not send it: what waits for it ends as if the peer had
 * not answered.  The PDC takes no new messages, so that data which comes all the
 * same finds no other message by the same id.
 *
 * Context: Any; the caller serialises per SES and PDC, reaps and pumps next.
 */
void uet_ses_read_tick(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_tx *tx, *next;

	if (uet_ses_read_deadline(ses) > now)
		return;
	list_for_each_entry_safe(tx, next, &ses->reads, read.link)
		if (uet_ses_tx_is_waiting(tx))
			uet_ses_read_fail(ses, tx, UET_PDC_ERR_TIMEOUT,
					  UET_RC_OK);
	uet_pdc_close(pdc, now);
}

/**
 * uet_ses_read_deadline() - when does uet_ses_read_tick() have to be called?
 * @ses: SES, after uet_ses_pump()
 *
 * Context: Any; the caller serialises per SES.
 * Return: monotonic time, ns; UET_NEVER if nothing is waited for.
 */
u64 uet_ses_read_deadline(const struct uet_ses *ses)
{
	return ses->nr_reads && !ses->read_moved ? ses->read_at : UET_NEVER;
}
