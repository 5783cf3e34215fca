// SPDX-License-Identifier: GPL-2.0
/*
 * SES, sending half: what comes back on its own: the packets of data that a READ or a
 * fetching atomic has requested, and the result of a rendezvous; and at the target the queue
 * of read responses.
 *
 * Data may arrive with the answer to its request or after it, in any order.  Data that was
 * not requested, or arrived before, is a protocol violation that ends the message.  Each
 * packet of a message requests one packet of data: one Payload MTU, except for the last.  The
 * number of requests ahead of the data received is limited, so that a peer need not refuse
 * requests for lack of space.  Requests that waited for this limit go out in batches.
 *
 * A rendezvous sends its eager part, with a header that contains where the target can read
 * the rest.  The target reads the rest when it has a place for the message, on any PDC, and
 * then reports the result.  This may take any time.  The message therefore keeps its PDC
 * open, and the PDC detects a peer that is gone.  A closing PDC does not detect this; there
 * the message waits no longer than uet_pdc_peer_timeout().  The final response arrives in the
 * return direction of the PDC, like data for a READ: a late ACK would not be sent again after
 * a loss.  A final response in an ACK is accepted as well.
 *
 * Rendezvous messages are found by message id in a digital search tree: the bits of an id, the
 * lowest first, say the way to its message, which is no longer than an id.
 *
 * The queue of a target has one packet of data for each request for more than an ACK carries,
 * in the order of the requests.  Packets whose requests were a run are one entry of the queue.
 *
 * Implements UE 1.0.1 3.5.12.1, 3.5.20, Figure 3-15, and uet-wire 2.32 and 3.14 (rendezvous, no
 * answer yet).  Level: core L5.
 */
#include "ses_tx.h"

/* Return: where the tree refers to the message, or would. */
static struct uet_ses_tx **rdv_place(struct uet_ses_tx **at, u16 msg_id)
{
	u16 bits;

	for (bits = msg_id; *at && (*at)->msg_id != msg_id; bits >>= 1)
		at = &(*at)->rdv.child[bits & 1];
	return at;
}

struct uet_ses_tx *uet_ses_rdv_find(struct uet_ses *ses, u16 msg_id)
{
	return *rdv_place(&ses->rdv_ids, msg_id);
}

void uet_ses_rdv_add(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	list_add_tail(&tx->rdv.link, &ses->rdvs);
	*rdv_place(&ses->rdv_ids, tx->msg_id) = tx;
}

/* A leaf of the branch that begins at the message takes its place. */
static void rdv_del(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	struct uet_ses_tx **at = rdv_place(&ses->rdv_ids, tx->msg_id);
	struct uet_ses_tx **end = at, *leaf;

	list_del_init(&tx->rdv.link);
	if (*at != tx)
		return;
	while ((*end)->rdv.child[0] || (*end)->rdv.child[1])
		end = &(*end)->rdv.child[!(*end)->rdv.child[0]];
	leaf = *end;
	*end = NULL;
	if (leaf == tx)
		return;
	leaf->rdv.child[0] = tx->rdv.child[0];
	leaf->rdv.child[1] = tx->rdv.child[1];
	*at = leaf;
}

/*
 * uet_ses_rdv_answer() - process a response without data in the return direction; reap next
 * It may arrive before the ACKs of the packets.  READ_UNKNOWN: no message waits for it.
 */
enum uet_drop uet_ses_rdv_answer(struct uet_ses *ses, const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx = NULL;

	if (rsp->form == UET_RSP_FORM_DATA && rsp->read_msg_id)
		tx = uet_ses_rdv_find(ses, rsp->read_msg_id);
	if (!tx || !tx->awaits_rsp)
		return UET_DROP_READ_UNKNOWN;
	uet_ses_tx_note_final(ses, tx, rsp->rc, rsp->modified_length);
	return UET_DROP_NONE;
}

/*
 * uet_ses_rdv_shut() - the bytes of all rendezvous messages are gone: none waits from now on
 * None is started any more.  Those with packets in flight are aborted when these are answered.
 * The caller aborts the others, by a walk.
 */
void uet_ses_rdv_shut(struct uet_ses *ses)
{
	ses->rdv_shut = true;
}

/*
 * uet_ses_rdv_tick() - end some messages on a closing PDC as if the peer had not answered
 * The deadline stays until none is left.
 */
void uet_ses_rdv_tick(struct uet_ses *ses, u64 now)
{
	struct uet_ses_tx *tx;
	u32 left;

	if (uet_ses_rdv_deadline(ses) > now)
		return;
	for (left = UET_SES_FAIL_MAX; left && !list_empty(&ses->rdv_waitq); left--) {
		tx = list_first_entry(&ses->rdv_waitq, struct uet_ses_tx, link);
		uet_ses_read_fail(ses, tx, UET_PDC_ERR_TIMEOUT, UET_RC_OK);
	}
	if (list_empty(&ses->rdv_waitq))
		ses->rdv_at = 0;
}

/*
 * uet_ses_rdv_deadline() - when must uet_ses_rdv_tick() be called? ns; UET_NEVER without a limit
 */
u64 uet_ses_rdv_deadline(const struct uet_ses *ses)
{
	return ses->rdv_at ? ses->rdv_at : UET_NEVER;
}

/* Bytes of data that packet @index requests. */
static u32 read_share(const struct uet_ses_tx *tx, u32 index)
{
	return min_t(u32, tx->mtu, tx->read.want - index * tx->mtu);
}

u32 uet_ses_read_may_ask(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	u32 asked = tx->read.asked - tx->read.base;

	if (ses->reads_are_full)
		return 0;
	return UET_SES_READ_AHEAD - max(asked, ses->nr_requested);
}

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

bool uet_ses_read_has(const struct uet_ses_tx *tx, u32 offset)
{
	const struct uet_ses_read *read = &tx->read;
	u32 index = offset / tx->mtu;

	return index < read->base || (index < read->asked && uet_psn_map_test(&read->map, index));
}

void uet_ses_read_forget(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	struct uet_ses_read *read = &tx->read;

	if (uet_ses_is_rendezvous(tx->opcode))
		rdv_del(ses, tx);
	if (!read->want)
		return;
	read_uncount(ses, read->asked - read->come);
	read->come = read->asked;
	list_del_init(&read->link);
}

/* The PSN identifies a request without a message id. */
static bool read_is_named(const struct uet_ses *ses, const struct uet_ses_tx *tx,
			  const struct uet_ses_rsp *rsp)
{
	if (rsp->form == UET_RSP_FORM_SMALL)
		return uet_ses_form_is_for(ses, tx, rsp->orig_psn);
	return rsp->form == UET_RSP_FORM_DATA && rsp->read_msg_id &&
	       tx->msg_id == rsp->read_msg_id;
}

/*
 * uet_ses_read_find() - the message that data in a request packet is for, or NULL
 * Steps: the messages waiting for data, oldest first.
 */
struct uet_ses_tx *uet_ses_read_find(struct uet_ses *ses, const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->reads, read.link)
		if (read_is_named(ses, tx, rsp))
			return tx;
	return NULL;
}

/*
 * uet_ses_read_check() - was this data requested?
 * @offset: in the message; without an offset in the header, that of the packet that it answers
 *
 * Return: UET_DROP_NONE; READ_WRONG; SES_OVERLAP: the data arrived before.
 */
enum uet_drop uet_ses_read_check(const struct uet_ses *ses, const struct uet_ses_tx *tx,
				 const struct uet_ses_rsp *rsp, u32 offset, u32 len)
{
	u32 index = offset / tx->mtu;

	if (rsp->form == UET_RSP_FORM_DATA &&
	    (rsp->read_msg_id != tx->msg_id || rsp->message_offset != offset))
		return UET_DROP_READ_WRONG;
	if (rsp->form == UET_RSP_FORM_SMALL && tx->has_psn &&
	    uet_ses_is_short(tx) && !uet_ses_form_is_for(ses, tx, rsp->orig_psn))
		return UET_DROP_READ_WRONG;
	if (offset % tx->mtu || index >= tx->read.asked || len != read_share(tx, index))
		return UET_DROP_READ_WRONG;
	return uet_ses_read_has(tx, offset) ? UET_DROP_SES_OVERLAP : UET_DROP_NONE;
}

/*
 * uet_ses_read_run_begin() - as uet_ses_read_find(), for consecutive packets of @len bytes
 * @msg_id: message id in the header of the packet before, not 0
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

/*
 * uet_ses_read_run_fits() - would uet_ses_read_check() accept @nr packets, at most
 * UET_SES_READ_AHEAD?
 */
bool uet_ses_read_run_fits(const struct uet_ses_tx *tx, u32 offset, u32 nr)
{
	const struct uet_ses_read *read = &tx->read;
	u32 index = offset / tx->mtu, end = index + nr;

	return offset % tx->mtu == 0 && index >= read->base && end <= read->asked &&
	       (u64)end * tx->mtu <= read->want &&
	       uet_psn_map_next_set(&read->map, index, end) == end;
}

static void read_mark(struct uet_ses_read *read, u32 index, u32 nr)
{
	u32 i;

	if (index == read->base)
		read->base += nr;
	else
		for (i = 0; i < nr; i++)
			uet_psn_map_set(&read->map, index + i);
	while (read->base != read->asked && uet_psn_map_clear(&read->map, read->base))
		read->base++;
}

/*
 * uet_ses_read_take() - count @nr packets of @len bytes that were placed; pump and reap next
 */
void uet_ses_read_take(struct uet_ses *ses, struct uet_ses_tx *tx, u32 offset, u32 len, u32 nr)
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

/*
 * uet_ses_read_fail() - fail a message because of its read data; pump and reap next
 * @error: UET_PDC_ERR_PROTOCOL, UET_PDC_ERR_LOCAL; UET_PDC_OK if @rc is the reason
 * @rc: of the response with the data; UET_RC_OK with an error
 *
 * The first reason is kept.  uet_ses_reap() returns the message when its packets are answered.
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
	uet_ses_tx_cut(ses, tx);
	if (!was_cut)
		uet_ses_tx_settle(ses, tx);
}

void uet_ses_read_hold(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	if (ses->read_moved)
		ses->read_at = now + uet_pdc_peer_timeout(pdc);
	ses->read_moved = false;
	if (list_empty(&ses->rdvs) || uet_pdc_takes_messages(pdc))
		ses->rdv_at = 0;
	else if (!ses->rdv_at)
		ses->rdv_at = now + uet_pdc_peer_timeout(pdc);
	uet_pdc_hold(pdc, !list_empty(&ses->rdvs) || ses->nr_read_rsps ||
		     ses->nr_tx != ses->nr_wait || ses->nr_reads, now);
}

/* Only data can continue the message: its requests are done, or wait for a gap. */
static bool read_needs_data(const struct uet_ses_tx *tx)
{
	return uet_ses_tx_is_waiting(tx) || tx->read.asked - tx->read.base >= UET_SES_READ_AHEAD;
}

/*
 * uet_ses_read_tick() - end the reads that waited too long; reap and pump next
 * A peer that acknowledged requests, is alive, and sends no data for uet_pdc_peer_timeout() will
 * not send it.  The PDC accepts no new messages then, so that late data cannot match another
 * message with the same id.
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

/*
 * uet_ses_read_deadline() - when to call uet_ses_read_tick(), ns; UET_NEVER if none waits
 */
u64 uet_ses_read_deadline(const struct uet_ses *ses)
{
	return (ses->nr_reads || ses->nr_requested) && !ses->read_moved ?
	       ses->read_at : UET_NEVER;
}

/*
 * uet_ses_read_rsp_space() - how many more packets of read data may be queued?
 * Without space the request is refused with a resource NACK.
 */
u32 uet_ses_read_rsp_space(const struct uet_ses *ses)
{
	return UET_SES_READ_RSP_MAX - min_t(u32, ses->nr_read_rsps, UET_SES_READ_RSP_MAX);
}

/*
 * uet_ses_read_rsp_queue() - queue read responses, or a final one, which needs no space; pump next
 */
void uet_ses_read_rsp_queue(struct uet_ses *ses, struct uet_ses_read_rsp *read_rsp, u32 nr)
{
	read_rsp->nr = nr;
	read_rsp->next = 0;
	read_rsp->open = nr;
	list_add_tail(&read_rsp->link, &ses->read_rsp_queue);
	ses->nr_read_rsps += nr;
}

/*
 * Hand down a packet of the oldest responses, and those behind it that are like it.  The last
 * one of all requests an ACK.
 */
static void read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_read_rsp *read_rsp = list_first_entry(&ses->read_rsp_queue,
							     struct uet_ses_read_rsp, link);
	const struct uet_ses_rsp *rsp = &read_rsp->rsp;
	bool has_tail = list_is_singular(&ses->read_rsp_queue);
	struct uet_pds_pkt pkt = {
		.msg = read_rsp,
		.offset = rsp->message_offset + read_rsp->next * rsp->payload_length,
		.len = rsp->payload_length,
		.next_hdr = uet_wire_ses_rsp_nh(rsp),
	};
	u32 left;

	if (has_tail && read_rsp->next + 1 == read_rsp->nr)
		pkt.flags = UET_PKT_TAIL;
	uet_pdc_tx_req(pdc, &pkt, now);
	left = read_rsp->nr - ++read_rsp->next;
	if (left > has_tail) {
		pkt.offset += pkt.len;
		read_rsp->next += uet_pdc_tx_reqs(pdc, &pkt, left - has_tail, now);
	}
	if (read_rsp->next == read_rsp->nr)
		list_del_init(&read_rsp->link);
}

void uet_ses_read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	while (!list_empty(&ses->read_rsp_queue) && uet_pdc_tx_space(pdc))
		read_rsp_pump(ses, pdc, now);
}

void uet_ses_read_rsp_done(struct uet_ses *ses, struct uet_ses_read_rsp *read_rsp, u32 nr)
{
	read_rsp->open -= nr;
	ses->nr_read_rsps -= nr;
	if (!read_rsp->open)
		list_add_tail(&read_rsp->link, &ses->read_rsps);
}

bool uet_ses_read_rsp_fail(struct uet_ses *ses)
{
	struct uet_ses_read_rsp *read_rsp, *next;
	u32 left = UET_SES_FAIL_MAX;

	list_for_each_entry_safe(read_rsp, next, &ses->read_rsp_queue, link) {
		if (!left--)
			return false;
		list_del_init(&read_rsp->link);
		uet_ses_read_rsp_done(ses, read_rsp, read_rsp->nr - read_rsp->next);
	}
	return true;
}

/*
 * uet_ses_take_read_rsp() - take read responses that were sent or dropped, after reap and fail
 */
void uet_ses_take_read_rsp(struct uet_ses *ses, struct list_head *read_rsps)
{
	list_splice_tail_init(&ses->read_rsps, read_rsps);
}
