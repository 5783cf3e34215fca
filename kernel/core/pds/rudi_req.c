// SPDX-License-Identifier: GPL-2.0
/*
 * The initiator of RUDI: requests to one peer from admission to the report of their outcome, with
 * time-outs and pauses.  A response to any transmission of a request completes it, because its
 * operation may be executed any number of times.
 *
 * Implements UE 1.0.1 3.5.10.9 (pkt_id), 3.5.15 (time-outs), 3.5.12.7 and Tables 3-58 and 3-59
 * for NACKs with NT, and the sampling rule of 3.5.12.2.  Level: core L4.
 */
#include "rudi_req.h"

#define REQ_MS		1000000ULL
#define REQ_S		(1000 * REQ_MS)

/*
 * UE 1.0.1 Table 3-28 gives names and ranges, few defaults.  The times are those of a PDC, see
 * pdc_param.def.  max_nack_retx is 30, the largest limit there is (31 means no limit): no slow
 * reader is involved here, and a target that cannot serve a request for half a second will not
 * serve it at all.
 */
const struct uet_rudi_cfg uet_rudi_cfg_default = {
	.window			= UET_RUDI_WINDOW_DEFAULT,
	.rto_init_ns		= 20 * REQ_MS,
	.rto_max_ns		= 2 * REQ_S,
	.max_rto_retx		= 8,
	.nack_retx_ns		= 1 * REQ_MS,
	.nack_retx_max_ns	= 16 * REQ_MS,
	.max_nack_retx		= 30,
};

/*
 * uet_rudi_size() - memory of one object, bytes
 *
 * The block needs the alignment of a pointer or u64.
 */
size_t uet_rudi_size(const struct uet_rudi_cfg *cfg)
{
	return sizeof(struct uet_rudi_peer) + cfg->window * sizeof(struct uet_rudi_slot);
}

/*
 * uet_rudi_init() - initialise the requests to a peer
 * @cfg: valid parameters; copied
 * @first_id: random, so that an answer to an earlier object does not match a request of
 *	this one
 * @seed: of the entropy sequence; a run is repeatable
 */
void uet_rudi_init(struct uet_rudi_peer *rudi, const struct uet_rudi_cfg *cfg, u32 first_id,
		   u32 seed)
{
	struct uet_rudi_slot *slot;
	u32 i;

	memset(rudi, 0, uet_rudi_size(cfg));
	rudi->cfg = *cfg;
	uet_ev_init(&rudi->ev, seed, true);
	for (i = 0; i < UET_RUDI_STATES; i++)
		INIT_LIST_HEAD(&rudi->list[i]);
	for (i = 0; i < UET_RUDI_LEVELS; i++) {
		INIT_LIST_HEAD(&rudi->sent[i]);
		INIT_LIST_HEAD(&rudi->held[i]);
	}
	for (i = 0; i < cfg->window; i++) {
		slot = uet_rudi_slot(rudi, first_id + i);
		slot->id = first_id + i;
		list_add_tail(&slot->link, &rudi->list[UET_RUDI_FREE]);
	}
	rudi->nr[UET_RUDI_FREE] = cfg->window;
}

static struct list_head *req_list(struct uet_rudi_peer *rudi, const struct uet_rudi_slot *slot)
{
	if (slot->state == UET_RUDI_SENT)
		return &rudi->sent[slot->rtos];
	if (slot->state == UET_RUDI_HELD)
		return &rudi->held[uet_rudi_nack_level(slot)];
	return &rudi->list[slot->state];
}

/* The fields that select the list of @state are set. */
static void req_move(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot,
		     enum uet_rudi_state state)
{
	rudi->nr[slot->state]--;
	slot->state = state;
	rudi->nr[state]++;
	list_move_tail(&slot->link, req_list(rudi, slot));
}

/* UE 1.0.1 3.5.15: RTO_Init_Time x 2^retry, here up to rto_max_ns. */
static u64 req_rto(const struct uet_rudi_peer *rudi, u32 level)
{
	return uet_rtt_rto(&rudi->rtt, level, rudi->cfg.rto_init_ns, rudi->cfg.rto_max_ns);
}

/* NACK_Retx_Time, doubled for each refusal of the same request. */
static u64 req_pause(const struct uet_rudi_peer *rudi, u32 level)
{
	return min(rudi->cfg.nack_retx_ns << level, rudi->cfg.nack_retx_max_ns);
}

/* The first request of a list, or NULL, and the time when its wait ends. */
static struct uet_rudi_slot *req_first(const struct list_head *list, u64 wait_ns, u64 *at)
{
	struct uet_rudi_slot *slot;

	*at = UET_NEVER;
	if (list_empty(list))
		return NULL;
	slot = list_first_entry(list, struct uet_rudi_slot, link);
	*at = slot->since_ns + wait_ns;
	return slot;
}

static void req_fail(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot,
		     enum uet_pdc_error error, u8 nack_code)
{
	slot->error = error;
	slot->nack_code = nack_code;
	req_move(rudi, slot, UET_RUDI_DONE);
}

/*
 * uet_rudi_tx_space() - would uet_rudi_tx_req() accept a request now?
 */
bool uet_rudi_tx_space(const struct uet_rudi_peer *rudi)
{
	return rudi->nr[UET_RUDI_FREE];
}

/*
 * uet_rudi_tx_req() - accept a request from SES, for which uet_rudi_tx_space() is true
 * @pkt: copied; its flags are ignored
 *
 * Free slots are used in the order in which they became free, so that a pkt_id and its slot
 * are reused as late as possible.  Return: pkt_id of the request.
 */
u32 uet_rudi_tx_req(struct uet_rudi_peer *rudi, const struct uet_pds_pkt *pkt)
{
	struct uet_rudi_slot *slot;

	slot = list_first_entry_or_null(&rudi->list[UET_RUDI_FREE], struct uet_rudi_slot, link);
	UET_ASSERT(slot);
	if (!slot)
		return 0;
	slot->pkt = *pkt;
	slot->sends = 0;
	slot->rtos = 0;
	slot->nacks = 0;
	slot->error = UET_PDC_OK;
	slot->nack_code = 0;
	req_move(rudi, slot, UET_RUDI_FRESH);
	return slot->id;
}

static void req_send(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot, struct uet_pdc_tx *tx,
		     u64 now)
{
	memset(tx, 0, sizeof(*tx));
	tx->kind = UET_TX_REQ;
	tx->is_retx = slot->state == UET_RUDI_AGAIN;
	tx->hdr.type = UET_TY_RUDI_REQ;
	tx->hdr.next_hdr = slot->pkt.next_hdr;
	tx->hdr.flags = tx->is_retx ? UET_F_RETX : 0;
	tx->hdr.u.rudi.pkt_id = slot->id;
	tx->pkt = slot->pkt;
	tx->ev = uet_ev_next(&rudi->ev);
	if (tx->is_retx)
		rudi->stats.tx_retx++;
	else
		rudi->stats.tx_req++;
	if (slot->sends < U8_MAX)
		slot->sends++;
	slot->since_ns = now;
	req_move(rudi, slot, UET_RUDI_SENT);
}

/*
 * uet_rudi_poll_tx() - build the next pending request, retransmissions first
 *
 * A request returned counts as sent: the RTO covers a request that the caller drops.
 * Return: false if nothing is pending; the contents of @tx are undefined then.
 */
bool uet_rudi_poll_tx(struct uet_rudi_peer *rudi, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_rudi_slot *slot;

	slot = list_first_entry_or_null(&rudi->list[UET_RUDI_AGAIN], struct uet_rudi_slot, link);
	if (!slot)
		slot = list_first_entry_or_null(&rudi->list[UET_RUDI_FRESH],
						struct uet_rudi_slot, link);
	if (!slot)
		return false;
	req_send(rudi, slot, tx, now);
	return true;
}

/*
 * uet_rudi_poll_up() - take the next outcome for SES, the oldest first
 *
 * Return: false if there is none; the contents of @up are undefined then.
 */
bool uet_rudi_poll_up(struct uet_rudi_peer *rudi, struct uet_rudi_up *up)
{
	struct uet_rudi_slot *slot;

	slot = list_first_entry_or_null(&rudi->list[UET_RUDI_DONE], struct uet_rudi_slot, link);
	if (!slot)
		return false;
	memset(up, 0, sizeof(*up));
	up->kind = slot->error ? UET_UP_FAILED : UET_UP_ACKED;
	up->pkt = slot->pkt;
	up->error = slot->error;
	up->nack_code = slot->nack_code;
	if (!slot->error)
		up->rsp = slot->rsp;
	slot->id += rudi->cfg.window;
	req_move(rudi, slot, UET_RUDI_FREE);
	return true;
}

/*
 * uet_rudi_abort() - fail every request without an outcome with UET_PDC_ERR_ABORT
 *
 * New requests may follow: there is no connection to close.
 */
void uet_rudi_abort(struct uet_rudi_peer *rudi)
{
	struct uet_rudi_slot *slot;
	u32 i;

	for (i = 0; i < rudi->cfg.window; i++) {
		slot = &rudi->slots[i];
		if (slot->state != UET_RUDI_FREE && slot->state != UET_RUDI_DONE)
			req_fail(rudi, slot, UET_PDC_ERR_ABORT, 0);
	}
}

/*
 * uet_rudi_is_idle() - was the outcome of every request taken?
 */
bool uet_rudi_is_idle(const struct uet_rudi_peer *rudi)
{
	return rudi->nr[UET_RUDI_FREE] == rudi->cfg.window;
}

/*
 * uet_rudi_deadline() - when must uet_rudi_tick() be called?
 *
 * Return: ns, possibly in the past; UET_NEVER if no timer is pending.
 */
u64 uet_rudi_deadline(const struct uet_rudi_peer *rudi)
{
	u64 at, first = UET_NEVER;
	u32 i;

	for (i = 0; i < UET_RUDI_LEVELS; i++) {
		req_first(&rudi->sent[i], req_rto(rudi, i), &at);
		first = min(first, at);
		req_first(&rudi->held[i], req_pause(rudi, i), &at);
		first = min(first, at);
	}
	return first;
}

static void req_time_out(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot)
{
	rudi->stats.rto_fired++;
	if (slot->rtos == rudi->cfg.max_rto_retx) {
		req_fail(rudi, slot, UET_PDC_ERR_TIMEOUT, 0);
		return;
	}
	slot->rtos++;
	req_move(rudi, slot, UET_RUDI_AGAIN);
}

/*
 * uet_rudi_tick() - run the timers that are due; may be called at any time
 */
void uet_rudi_tick(struct uet_rudi_peer *rudi, u64 now)
{
	struct uet_rudi_slot *slot;
	u64 at;
	u32 i;

	for (i = 0; i < UET_RUDI_LEVELS; i++) {
		while ((slot = req_first(&rudi->held[i], req_pause(rudi, i), &at)) && at <= now)
			req_move(rudi, slot, UET_RUDI_AGAIN);
		while ((slot = req_first(&rudi->sent[i], req_rto(rudi, i), &at)) && at <= now)
			req_time_out(rudi, slot);
	}
}

/* The request with this pkt_id that was sent and is not answered, or NULL. */
static struct uet_rudi_slot *rrx_find(struct uet_rudi_peer *rudi, u32 id)
{
	struct uet_rudi_slot *slot = uet_rudi_slot(rudi, id);

	if (slot->id != id)
		return NULL;
	switch (slot->state) {
	case UET_RUDI_AGAIN:
	case UET_RUDI_SENT:
	case UET_RUDI_HELD:
		return slot;
	default:
		return NULL;
	}
}

/*
 * Karn's rule, as 3.5.12.2 has it for a PDC: the transmission that was answered is known if
 * there was one and the answer is to an original, or two and it is to a retransmission.
 */
static void rrx_sample_rtt(struct uet_rudi_peer *rudi, const struct uet_rudi_slot *slot, bool retx,
			   u64 now)
{
	if (slot->state == UET_RUDI_SENT && slot->sends == 1 + retx)
		uet_rtt_sample(&rudi->rtt, uet_ns_since(now, slot->since_ns));
}

/*
 * uet_rudi_rx_resp() - a RUDI_RESP arrived
 * @rsp: in any form
 * @pkt: result: the request, for a caller that has to place the data behind the response
 *
 * Return: UET_DROP_NONE, or BAD_RUDI_ID if no such request is outstanding, as after another
 * copy of the response; nothing changed then.
 */
enum uet_drop uet_rudi_rx_resp(struct uet_rudi_peer *rudi, const struct uet_pds_hdr *hdr,
			       const struct uet_ses_rsp *rsp, u64 now, struct uet_pds_pkt *pkt)
{
	struct uet_rudi_slot *slot = rrx_find(rudi, hdr->u.rudi.pkt_id);

	if (!slot)
		return UET_DROP_BAD_RUDI_ID;
	rudi->stats.rx_resp++;
	rrx_sample_rtt(rudi, slot, hdr->flags & UET_F_RETX, now);
	slot->rsp = *rsp;
	*pkt = slot->pkt;
	req_move(rudi, slot, UET_RUDI_DONE);
	return UET_DROP_NONE;
}

/*
 * A NACK of the latest transmission.  A request lost once is retransmitted at once.  After
 * a second refusal, or if the peer has no space, the request waits.  A NACK of an earlier
 * transmission is ignored: the request is in flight again.  From the third transmission on,
 * RETX does not identify the transmission, and a late copy of a NACK may cause one needless
 * retransmission.
 */
static void rrx_refused(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot,
			const struct uet_pds_hdr *hdr, bool pause, u64 now)
{
	bool retx = hdr->flags & UET_F_RETX;

	if (slot->state != UET_RUDI_SENT || (slot->sends > 1) != retx)
		return;
	if (slot->nacks < U8_MAX)
		slot->nacks++;
	if (rudi->cfg.max_nack_retx != UET_PDC_NACK_RETX_FOREVER &&
	    slot->nacks > rudi->cfg.max_nack_retx) {
		req_fail(rudi, slot, UET_PDC_ERR_NACK_RETX, hdr->u.nack.code);
		return;
	}
	if (pause || slot->nacks > 1) {
		rudi->stats.held++;
		slot->since_ns = now;
		req_move(rudi, slot, UET_RUDI_HELD);
		return;
	}
	rudi->stats.nack_lost++;
	req_move(rudi, slot, UET_RUDI_AGAIN);
}

/*
 * uet_rudi_rx_nack() - a NACK or NACK_CCX with NT arrived
 *
 * Return: UET_DROP_NONE, BAD_NACK_ID, or UNSUPPORTED for a reserved code or NEW_START_PSN.
 */
enum uet_drop uet_rudi_rx_nack(struct uet_rudi_peer *rudi, const struct uet_pds_hdr *hdr, u64 now)
{
	const struct uet_nack *nack = &hdr->u.nack;
	struct uet_rudi_slot *slot = rrx_find(rudi, nack->psn);
	enum uet_nack_action action = uet_wire_nack(nack->code)->rudi;

	if (!slot || !(hdr->flags & UET_F_NT))
		return UET_DROP_BAD_NACK_ID;
	if (action == UET_NA_UNKNOWN)
		return UET_DROP_UNSUPPORTED;
	rudi->stats.rx_nack++;
	if (action == UET_NA_FATAL)
		req_fail(rudi, slot, UET_PDC_ERR_NACK, nack->code);
	else if (action != UET_NA_IGNORE)
		rrx_refused(rudi, slot, hdr, action == UET_NA_PAUSE, now);
	return UET_DROP_NONE;
}

/*
 * uet_rudi_get_info() - take a snapshot
 */
void uet_rudi_get_info(const struct uet_rudi_peer *rudi, struct uet_rudi_info *info)
{
	memset(info, 0, sizeof(*info));
	info->nr_done = rudi->nr[UET_RUDI_DONE];
	info->nr_open = rudi->cfg.window - rudi->nr[UET_RUDI_FREE] - info->nr_done;
	info->srtt_ns = rudi->rtt.srtt_ns;
	info->rto_ns = req_rto(rudi, 0);
	info->stats = rudi->stats;
}
