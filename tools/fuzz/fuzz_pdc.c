// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences of events on two PDCs that communicate over a wire controlled by
 * the input, with forged packets in between.  The reference model is simple
 * enough to be obviously right: a set of PSNs accepted, a set of PSNs answered.
 *
 * Input: a byte of options, then one byte per event, followed by its arguments.
 * Checked after every event: the invariants of both ends hold; no packet is
 * accepted twice; no outcome is reported twice, out of order or for a packet
 * that was not handed down; ROD keeps its order; polling ends; congestion
 * control is informed of the end of every packet.  Until the first forged
 * packet is sent: a packet reported as answered was accepted.
 * Spec: UE 1.0.1 3.5.8 to 3.5.16.  Level: test of core L4.
 */
#include "core/pds/pdc.h"
#include "fuzz.h"
#include "pdc_block.h"
#include "pdc_check.h"
#include "pdcwire.h"

#define FUZZ_EVENTS	4000
#define FUZZ_POLLS	4000
#define FUZZ_MODEL	0x4000		/* PSNs tracked per direction */
#define FUZZ_HANDED	0x2000		/* packets handed down per direction */

/* One direction: packets handed down at the sender, accepted at the receiver. */
struct model {
	u8 verdict[FUZZ_MODEL];
	u32 handed;		/* packets handed down so far */
	u32 reported;		/* of these, outcomes reported */
	u32 psn[FUZZ_HANDED];	/* PSN of the n-th packet handed down */
	u32 last_accepted;	/* ROD: PSN of the last packet */
};

struct world {
	struct fuzz_input in;
	struct uet_pdc_cfg cfg;
	struct uet_pdc *end[2];
	struct uet_cc_param param;
	struct uet_ccc ccc[2];	/* by end, with congestion control */
	u64 now;
	u32 start_psn;
	enum uet_pdc_mode mode;
	bool is_forged;		/* a forged packet was sent: only safety is checked */
	struct model dir[2];	/* by sender */
	struct pdcwire wire;
	struct pdckept kept[2];		/* by receiver */
};

static u32 take(struct world *w, u32 bytes)
{
	return fuzz_take(&w->in, bytes);
}

static void check(const struct world *w, int end)
{
	const char *what = "nothing";

	if (!uet_pdc_check(w->end[end], &what)) {
		fprintf(stderr, "end %d: %s\n", end, what);
		abort();
	}
}

static u8 *verdict(struct world *w, int sender, u32 psn)
{
	return &w->dir[sender].verdict[(psn - w->start_psn) % FUZZ_MODEL];
}

/* An outcome must be that of the oldest unreported packet. */
static void note_up(struct world *w, int end, const struct uet_pdc_up *up)
{
	struct model *m = &w->dir[end];

	FUZZ_CHECK(m->reported < m->handed);
	FUZZ_CHECK(up->pkt.offset == m->reported);
	FUZZ_CHECK(up->kind == UET_UP_ACKED || up->error != UET_PDC_OK);
	if (up->kind == UET_UP_ACKED && !w->is_forged)
		pdcwire_check_answer(up, *verdict(w, end,
						  m->psn[m->reported]));
	m->reported++;
}

static void run(struct world *w, int end)
{
	bool is_at_rest = uet_pdc_is_at_rest(w->end[end]);
	struct uet_pdc_tx tx;
	struct uet_pdc_up up;
	u32 n = 0;

	check(w, end);
	while (uet_pdc_poll_up(w->end[end], &up)) {
		FUZZ_CHECK(!is_at_rest);
		note_up(w, end, &up);
	}
	while (uet_pdc_poll_tx(w->end[end], &tx, w->now)) {
		FUZZ_CHECK(!is_at_rest && ++n < FUZZ_POLLS);
		pdcwire_put(&w->wire, !end, &tx);
	}
	check(w, end);
	pdc_block_renew(w->end[end]);
	check(w, end);
}

static void send_some(struct world *w, int end, u32 n)
{
	struct model *m = &w->dir[end];
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };

	while (n-- && m->handed < FUZZ_HANDED &&
	       uet_pdc_tx_space(w->end[end])) {
		pkt.offset = m->handed;
		pkt.flags = n ? 0 : UET_PKT_EOM | UET_PKT_TAIL;
		m->psn[m->handed++] = uet_pdc_tx_req(w->end[end], &pkt, w->now);
	}
	run(w, end);
}

static void note_accepted(struct world *w, int to, u32 psn, u8 given)
{
	struct model *m = &w->dir[!to];

	FUZZ_CHECK(*verdict(w, !to, psn) == UNSEEN);
	*verdict(w, !to, psn) = given;
	if (w->mode == UET_PDC_ROD)
		FUZZ_CHECK(uet_psn_after(psn, m->last_accepted));
	m->last_accepted = psn;
}

static void rx_req(struct world *w, const struct flight *f,
		   const struct uet_rx_info *in)
{
	const struct uet_pds_hdr *hdr = &f->tx.hdr;
	struct uet_pdc *pdc = w->end[f->to];
	struct uet_ses_rsp rsp = { 0 };
	enum given given;
	u8 nack_code;
	bool deliver;

	if (uet_pdc_rx_req(pdc, hdr, in, w->now, &deliver) ==
	    UET_DROP_ROD_OOO && take(w, 1) % 4)
		pdckept_put(&w->kept[f->to], pdc, f, in, w->now);
	if (!deliver)
		return;
	given = pdcwire_judge(take(w, 1), &rsp, &nack_code);
	if (given == UNSEEN) {
		if (nack_code == UET_NACK_UNEXP_EVENT)
			w->is_forged = true;
		uet_pdc_rx_refuse(pdc, hdr, in, nack_code, w->now);
		return;
	}
	note_accepted(w, f->to, hdr->u.req.psn, given);
	uet_pdc_rx_accept(pdc, hdr, in, &rsp, w->now);
}

static void arrive(struct world *w, const struct flight *f)
{
	struct uet_rx_info in = { .ev = f->tx.ev, .bytes = 1000 };
	struct flight kept;

	if (f->tx.kind == UET_TX_REQ)
		rx_req(w, f, &in);
	else
		pdcwire_arrive(w->end[f->to], f, &in, w->now);
	while (pdckept_take(&w->kept[f->to], w->end[f->to], &kept, &in))
		rx_req(w, &kept, &in);
	run(w, f->to);
}

/* Deliver a packet; it stays in flight if @twice. */
static void deliver_one(struct world *w, u32 pick, bool twice)
{
	struct flight f;

	if (!w->wire.nr)
		return;
	pick %= w->wire.nr;
	f = twice ? w->wire.flight[pick] : pdcwire_take(&w->wire, pick);
	arrive(w, &f);
}

static void lose_one(struct world *w, u32 pick)
{
	if (w->wire.nr)
		pdcwire_take(&w->wire, pick % w->wire.nr);
}

/* A PSN near a real one. */
static u32 forged_psn(struct world *w, int to)
{
	u32 how = take(w, 1);
	struct uet_pdc_info info;

	uet_pdc_get_info(w->end[to], &info);
	switch (how % 4) {
	case 0:
		return info.tx_base_psn + take(w, 1) - 128;
	case 1:
		return info.rx_cack_psn + take(w, 2) - 0x8000;
	case 2:
		return info.next_psn + (s8)take(w, 1);
	default:
		return take(w, 4);
	}
}

static void forge_ids(struct world *w, int to, u16 *spdcid, u16 *dpdcid)
{
	u32 how = take(w, 1);

	*spdcid = to == TGT ? 1 : 2;
	*dpdcid = to == TGT ? 2 : 1;
	if (how % 16 == 0)
		*spdcid = (u16)how;
	if (how % 16 == 1)
		*dpdcid = (u16)how;
	if (how % 16 == 2)
		*dpdcid = 0;	/* as before the PDCID is learnt */
}

static void forge_ack(struct world *w, int to, struct uet_pdc_tx *tx)
{
	struct uet_ack *ack = &tx->hdr.u.ack;

	tx->kind = UET_TX_ACK;
	tx->hdr.type = UET_TY_ACK + take(w, 1) % 3;
	tx->hdr.next_hdr = take(w, 1) & 1 ? UET_NH_RSP : UET_NH_NONE;
	ack->cack_psn = forged_psn(w, to);
	ack->ack_off = (s16)take(w, 2);
	ack->mpr = (u8)take(w, 1);
	ack->sack_off = (s16)take(w, 2);
	ack->sack_bitmap = (u64)take(w, 4) << 32 | take(w, 4);
	tx->rsp.opcode = take(w, 1) % 4;
	tx->rsp.rc = take(w, 1) % 64;
	forge_ids(w, to, &ack->spdcid, &ack->dpdcid);
}

static void forge_nack(struct world *w, int to, struct uet_pdc_tx *tx)
{
	struct uet_nack *nack = &tx->hdr.u.nack;

	tx->kind = UET_TX_NACK;
	tx->hdr.type = UET_TY_NACK;
	nack->code = (u8)take(w, 1);
	nack->psn = forged_psn(w, to);
	nack->payload = forged_psn(w, to);
	forge_ids(w, to, &nack->spdcid, &nack->dpdcid);
	if (take(w, 1) % 4 == 0)
		nack->spdcid = 0;
}

static void forge_cp(struct world *w, int to, struct uet_pdc_tx *tx)
{
	struct uet_cp *cp = &tx->hdr.u.cp;

	tx->kind = UET_TX_CP;
	tx->hdr.type = UET_TY_CP;
	tx->hdr.next_hdr = take(w, 1) % UET_CP_NR;
	cp->psn = forged_psn(w, to);
	cp->payload = forged_psn(w, to);
	cp->psn_offset = take(w, 2) & UET_PSN_OFFSET_MAX;
	cp->probe_opaque = (u16)take(w, 2);
	forge_ids(w, to, &cp->spdcid, &cp->dpdcid);
}

static void forge_req(struct world *w, int to, struct uet_pdc_tx *tx)
{
	struct uet_req *req = &tx->hdr.u.req;

	tx->kind = UET_TX_REQ;
	tx->hdr.type = take(w, 1) & 1 ? UET_TY_RUD_REQ : UET_TY_ROD_REQ;
	tx->hdr.next_hdr = UET_NH_REQ_STD;
	req->psn = forged_psn(w, to);
	req->clear_off = (s16)take(w, 2);
	req->psn_offset = take(w, 2) & UET_PSN_OFFSET_MAX;
	forge_ids(w, to, &req->spdcid, &req->dpdcid);
}

static void forge(struct world *w, int to)
{
	struct flight f = { .to = to, .is_forged = true };

	w->is_forged = true;
	switch (take(w, 1) % 4) {
	case 0:
		forge_ack(w, to, &f.tx);
		break;
	case 1:
		forge_nack(w, to, &f.tx);
		break;
	case 2:
		forge_cp(w, to, &f.tx);
		break;
	case 3:
		forge_req(w, to, &f.tx);
		break;
	}
	f.tx.hdr.flags = (u8)take(w, 1) & 0x7f;
	arrive(w, &f);
}

/* Advance the time to the next deadline, or by a little. */
static void pass_time(struct world *w, u32 how)
{
	u64 at = min(uet_pdc_deadline(w->end[INI]),
		     uet_pdc_deadline(w->end[TGT]));
	int i;

	if (how & 1 && at != UET_NEVER)
		w->now = max(w->now, at);
	else
		w->now += (u64)how * 1000;
	for (i = 0; i < 2; i++) {
		uet_pdc_tick(w->end[i], w->now);
		run(w, i);
	}
}

static void event(struct world *w)
{
	u32 what = take(w, 1);
	int end = what >> 7;

	switch (what % 16) {
	case 0 ... 2:
		send_some(w, end, take(w, 1));
		break;
	case 3 ... 6:
		deliver_one(w, 0, false);
		break;
	case 7:
		deliver_one(w, take(w, 1), false);
		break;
	case 8:
		deliver_one(w, take(w, 1), true);
		break;
	case 9:
		lose_one(w, take(w, 1));
		break;
	case 10 ... 11:
		pass_time(w, take(w, 1));
		break;
	case 12 ... 13:
		forge(w, end);
		break;
	case 14:
		uet_pdc_hold(w->end[end], take(w, 1) & 1, w->now);
		run(w, end);
		break;
	case 15:
		what = take(w, 1);
		if (what % 8 == 0)
			uet_pdc_close(w->end[end], w->now);
		else if (what == 1)
			uet_pdc_abort(w->end[end], w->now);
		run(w, end);
		break;
	}
}

/* A window of a few packets, which the other packets would fill. */
static void open_ccc(struct world *w)
{
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.window = UET_WINDOW_NSCC;
	cfg.mtu = 1000;
	cfg.rate_mbps = 10000;
	FUZZ_CHECK(!uet_cc_derive(&w->param, &cfg));
	uet_ccc_init(&w->ccc[INI], &w->param, NULL, w->now);
	uet_ccc_init(&w->ccc[TGT], &w->param, NULL, w->now);
}

/* Both ends are gone: the context must be empty. */
static void check_ccc(const struct uet_ccc *ccc)
{
	FUZZ_CHECK(!ccc->inflight_pkts && !ccc->waiting_rtx);
	FUZZ_CHECK(!ccc->backlog && !ccc->rtx_backlog);
	FUZZ_CHECK(ccc->state == UET_CCC_IDLE);
}

static void open_world(struct world *w)
{
	struct uet_pdc_open open = { 0 };
	u32 options = take(w, 1);
	int i;

	w->cfg = pdcwire_cfg(options);
	w->mode = options & 16 ? UET_PDC_ROD : UET_PDC_RUD;
	w->start_psn = options & 32 ? 0xffffff80 : 0x12345678;
	w->now = 1000000;
	open.mode = w->mode;
	open.start_psn = w->start_psn;
	open.seed = options;
	w->cfg.has_cc = options & 64;
	open_ccc(w);
	for (i = 0; i < 2; i++) {
		open.role = i == INI ? UET_PDC_INITIATOR : UET_PDC_TARGET;
		open.local_pdcid = 1 + i;
		open.peer_pdcid = i == INI ? 0 : 1;
		open.ccc = &w->ccc[i];
		w->dir[i].last_accepted = w->start_psn - 1;
		w->end[i] = malloc(pdc_block_size(&w->cfg));
		pdc_block_init(w->end[i], &w->cfg, &open, w->now);
		check(w, i);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = calloc(1, sizeof(*w));
	u32 n;

	w->in = (struct fuzz_input){ data, size };
	open_world(w);
	for (n = 0; n < FUZZ_EVENTS && w->in.left; n++)
		event(w);
	uet_pdc_abort(w->end[INI], w->now);
	uet_pdc_abort(w->end[TGT], w->now);
	run(w, INI);
	run(w, TGT);
	FUZZ_CHECK(w->dir[INI].reported == w->dir[INI].handed);
	FUZZ_CHECK(w->dir[TGT].reported == w->dir[TGT].handed);
	check_ccc(&w->ccc[INI]);
	check_ccc(&w->ccc[TGT]);
	free(w->end[INI]);
	free(w->end[TGT]);
	free(w);
	return 0;
}
