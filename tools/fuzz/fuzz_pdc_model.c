// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of events on two PDCs, each with a model (see tools/model/)
 * that is compared after every call.  In addition the guarantees of both PDCs
 * to SES are checked: every packet reported as answered was delivered once,
 * with this answer, and in ROD in order.
 *
 * Input: a byte of options, then one byte per event, followed by its arguments.
 * The length of the input is an option, too: it selects the ending, whether
 * packets are forged, whether there is space for the target, and whether the
 * target demands another Start_PSN.  As in the kernel, the target is created
 * when a SYN arrives, and again if it has waited in vain for the right
 * Start_PSN.
 *
 * There are four endings.  In two the wire becomes perfect: everything must
 * arrive, and the PDC must close in order, initiated by either end.  In the
 * third the wire fails: all unanswered packets must fail.  In the fourth both
 * ends are aborted.  From the first forged packet on delivery is not
 * guaranteed, but the model still applies, and each packet still has an
 * outcome.
 *
 * UET_MODEL_TRACE=1 prints every event.  Spec: UE 1.0.1 3.5.8 to 3.5.16.
 * Level: test of core L4.
 */
#include "../model/shadow.h"
#include "forge.h"
#include "fuzz.h"
#include "pdc_block.h"
#include "pdcwire.h"

#define FUZZ_EVENTS	3000
#define FUZZ_HANDED	0x2000		/* packets handed down per direction */
#define FUZZ_STEPS	100000		/* steps of an ending */
#define FUZZ_STEPS_FEW	500		/* steps of an ending that may not complete */
#define FUZZ_POLLS	4000

/* One direction, by its sender. */
struct flow {
	u32 handed;
	u32 reported;
	u32 failed;
	u32 delivered;
	u8 given[FUZZ_HANDED];
};

struct world {
	struct fuzz_input in;
	struct uet_pdc_cfg cfg;
	enum uet_pdc_mode mode;
	u32 start_psn;
	enum uet_pdc_start start;	/* which end chooses Start_PSN */
	u32 expected_psn;		/* EXPECTED: the least Start_PSN */
	struct uet_pdc *end[2];		/* NULL: not created yet */
	u32 budget[2];			/* packets taken per run; 0: none */
	u64 now;
	bool is_kind;			/* SES refuses no more packets */
	bool is_full;			/* no space for a target PDC */
	bool is_forged;
	struct flow flow[2];
	struct pdcwire wire;
	struct pdckept kept[2];		/* by receiver */
};

static bool is_alive(const struct world *w, int end)
{
	return w->end[end] && !uet_pdc_is_dead(w->end[end]);
}

static bool has_error(const struct world *w, int end)
{
	return w->end[end] &&
	       model_state(shadow_model(w->end[end])) == UET_PDC_ST_ERROR;
}

static void note_up(struct world *w, int end, const struct uet_pdc_up *up)
{
	struct flow *f = &w->flow[end];

	if (up->kind == UET_UP_NOOP_ACKED || up->kind == UET_UP_NOOP_FAILED) {
		FUZZ_CHECK(up->pkt.msg == w);
		return;
	}
	FUZZ_CHECK(up->pkt.offset == f->reported && f->reported < f->handed);
	if (up->kind == UET_UP_FAILED)
		f->failed++;
	else if (!w->is_forged)
		pdcwire_check_answer(up, f->given[f->reported]);
	f->reported++;
}

static void note_delivered(struct world *w, int to, u32 offset, u8 given)
{
	struct flow *f = &w->flow[!to];

	FUZZ_CHECK(offset < f->handed);
	FUZZ_CHECK(w->is_forged || f->given[offset] == UNSEEN);
	if (w->mode == UET_PDC_ROD && !w->is_forged)
		FUZZ_CHECK(offset == f->delivered);
	f->delivered++;
	f->given[offset] = given;
}

static void run(struct world *w, int end)
{
	u32 budget = w->budget[end], n = 0;
	struct uet_pdc *pdc = w->end[end];
	struct uet_pdc_tx tx;
	struct uet_pdc_up up;

	if (!pdc || !budget)
		return;
	while (uet_pdc_poll_up(pdc, &up))
		note_up(w, end, &up);
	while (n++ < budget && uet_pdc_poll_tx(pdc, &tx, w->now))
		pdcwire_put(&w->wire, !end, &tx);
	FUZZ_CHECK(n < FUZZ_POLLS);
	uet_pdc_deadline(pdc);
	pdc_block_renew(pdc);
}

static void open_end(struct world *w, int end, u16 peer_pdcid, u32 start_psn)
{
	struct uet_pdc_open open = {
		.role = end == INI ? UET_PDC_INITIATOR : UET_PDC_TARGET,
		.mode = w->mode,
		.local_pdcid = end == INI ? 0x1001 : 0x2002,
		.peer_pdcid = peer_pdcid,
		.start_psn = start_psn,
		.seed = 1,
		.start = w->start,
		.expected_psn = w->expected_psn,
	};

	/* A new random PSN each time: a recorded Start_PSN must not be valid again. */
	if (end == TGT && w->start == UET_PDC_START_RANDOM)
		open.expected_psn = fuzz_take(&w->in, 4);
	w->kept[end].nr = 0;
	w->end[end] = malloc(pdc_block_size(&w->cfg));
	pdc_block_init(w->end[end], &w->cfg, &open, w->now);
}

static void refuse_unknown_peer(struct world *w, const struct flight *f,
				u8 code, const struct uet_rx_info *in)
{
	struct uet_pdc_tx tx;

	if (uet_pds_reply_no_pdc(&f->tx.hdr, in, code, &tx))
		pdcwire_put(&w->wire, !f->to, &tx);
}

static void forget_end(struct world *w, int end)
{
	if (!w->end[end])
		return;
	shadow_forget(w->end[end]);
	free(w->end[end]);
	w->end[end] = NULL;
}

/* Free a target that never accepted a Start_PSN: it has received nothing. */
static bool forget_expired(struct world *w)
{
	if (!uet_pdc_stats(w->end[TGT])->start_expired)
		return false;
	forget_end(w, TGT);
	return true;
}

/* A packet without PDC: the first SYN opens one, if there is space. */
static bool opens(struct world *w, const struct flight *f,
		  const struct uet_rx_info *in)
{
	static const u8 full[] = {
		UET_NACK_NO_PDC_AVAIL, UET_NACK_NO_RESOURCE,
		UET_NACK_NO_BITMAP, UET_NACK_NO_CCC_AVAIL,
	};
	enum uet_pdc_mode mode;
	u32 start_psn, mood;
	u16 peer;

	if (!uet_pds_opens_pdc(&f->tx.hdr, &mode, &peer, &start_psn)) {
		refuse_unknown_peer(w, f, UET_NACK_INV_DPDCID, in);
		return false;
	}
	/* Late copies are recognised, and forged packets open no PDC here. */
	if (f->to != TGT || mode != w->mode || peer != 0x1001 ||
	    (f->is_forged && start_psn != w->start_psn) ||
	    (w->end[TGT] && !forget_expired(w)))
		return false;
	mood = w->is_kind ? 0 : fuzz_take(&w->in, 1);
	if (w->is_full || mood % 8 == 7) {
		refuse_unknown_peer(w, f, full[mood / 8 % 4], in);
		return false;
	}
	open_end(w, TGT, peer, start_psn);
	return true;
}

/* Keep some of the requests of a ROD PDC that come before others. */
static void keep(struct world *w, const struct flight *f,
		 const struct uet_rx_info *in)
{
	if (w->is_kind || fuzz_take(&w->in, 1) % 4)
		pdckept_put(&w->kept[f->to], w->end[f->to], f, in, w->now);
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
	    UET_DROP_ROD_OOO)
		keep(w, f, in);
	if (!deliver)
		return;
	given = pdcwire_judge(w->is_kind ? 0 : fuzz_take(&w->in, 1), &rsp,
			      &nack_code);
	if (given == UNSEEN) {
		uet_pdc_rx_refuse(pdc, hdr, in, nack_code, w->now);
		return;
	}
	rsp.msg_id = (u16)f->tx.pkt.offset;
	if (!f->is_forged)
		note_delivered(w, f->to, f->tx.pkt.offset, given);
	uet_pdc_rx_accept(pdc, hdr, in, &rsp, w->now);
}

static void arrive(struct world *w, const struct flight *f)
{
	struct uet_rx_info in = { .ev = f->tx.ev, .ce = f->ce, .bytes = 1100 };
	struct flight kept;

	if (!is_alive(w, f->to) && !opens(w, f, &in))
		return;
	if (f->tx.kind == UET_TX_REQ)
		rx_req(w, f, &in);
	else
		pdcwire_arrive(w->end[f->to], f, &in, w->now);
	while (pdckept_take(&w->kept[f->to], w->end[f->to], &kept, &in))
		rx_req(w, &kept, &in);
	run(w, f->to);
}

/* Forge a packet by changing a packet in flight. */
static void forge(struct world *w)
{
	u32 pick = fuzz_take(&w->in, 1);
	struct flight f;

	if (!w->wire.nr)
		return;
	w->is_forged = true;
	f = w->wire.flight[pick % w->wire.nr];
	f.is_forged = true;
	if (forge_packet(&w->in, &f.tx, w->cfg.window))
		f.to = !f.to;
	arrive(w, &f);
}

static void send_some(struct world *w, int end, u32 n)
{
	struct flow *f = &w->flow[end];
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD, .len = 1000 };

	while (is_alive(w, end) && n-- && f->handed < FUZZ_HANDED &&
	       uet_pdc_tx_space(w->end[end])) {
		pkt.offset = f->handed++;
		pkt.flags = n ? 0 : UET_PKT_EOM | UET_PKT_TAIL;
		uet_pdc_tx_req(w->end[end], &pkt, w->now);
	}
	run(w, end);
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

static void deliver_all(struct world *w)
{
	u32 n = w->wire.nr;

	while (n-- && w->wire.nr)
		deliver_one(w, 0, false);
}

/* A switch without space trims a packet, or drops it. */
static void trim_one(struct world *w, u32 pick, bool is_lost)
{
	u8 buf[UET_PDS_MAX_LEN];
	struct uet_pds_hdr hdr;
	struct uet_rx_info in;
	struct flight f;
	size_t len;

	if (!w->wire.nr)
		return;
	f = pdcwire_take(&w->wire, pick % w->wire.nr);
	len = uet_wire_pds_encode(&f.tx.hdr, buf, sizeof(buf));
	if (is_lost || !is_alive(w, f.to) ||
	    uet_pds_trimmed(buf, min(len, (size_t)UET_TRIM_LEN), &hdr))
		return;
	in = (struct uet_rx_info) { .ev = f.tx.ev, .ce = f.ce };
	uet_pdc_rx_trimmed(w->end[f.to], &hdr, &in,
			   pick & 128 ? UET_NACK_TRIMMED :
					UET_NACK_TRIMMED_LASTHOP, w->now);
	run(w, f.to);
}

static void lose_way(struct world *w, int to)
{
	u32 i = 0;

	while (i < w->wire.nr) {
		if (w->wire.flight[i].to == to)
			pdcwire_take(&w->wire, i);
		else
			i++;
	}
}

/* Congestion: mark some of the packets in flight. */
static void mark(struct world *w, u32 from, u32 every)
{
	for (; from < w->wire.nr; from += 1 + every % 4)
		w->wire.flight[from].ce = true;
}

static u64 next_deadline(const struct world *w)
{
	u64 at = UET_NEVER;
	int i;

	for (i = 0; i < 2; i++)
		if (w->end[i])
			at = min(at, uet_pdc_deadline(w->end[i]));
	return at;
}

static void pass_time_to(struct world *w, u64 at)
{
	int i;

	w->now = max(w->now, at);
	for (i = 0; i < 2; i++) {
		if (w->end[i])
			uet_pdc_tick(w->end[i], w->now);
		run(w, i);
	}
}

/*
 * Advance the time: to the next deadline, by some microseconds, or by some tens
 * of milliseconds.
 */
static void pass_time(struct world *w, u32 how)
{
	u64 at = next_deadline(w);

	if (how % 4 == 0 && at != UET_NEVER)
		pass_time_to(w, at);
	else if (how % 4 == 1)
		pass_time_to(w, w->now + how * 250000ULL);
	else
		pass_time_to(w, w->now + how * 1000ULL);
}

static void rare_event(struct world *w, int end, u32 how)
{
	if (!is_alive(w, end))
		return;
	switch (how % 16) {
	case 0:
		uet_pdc_close(w->end[end], w->now);
		break;
	case 1:
		if (how < 32)
			uet_pdc_abort(w->end[end], w->now);
		break;
	case 2 ... 7:
		uet_pdc_hold(w->end[end], how & 1, w->now);
		break;
	case 8:
		w->is_full = false;
		break;
	case 9 ... 12:
		w->budget[end] = how / 32;
		break;
	case 13:
		if (how < 128)
			uet_pdc_tx_noop(w->end[end], w, w->now);
		else
			uet_pdc_tx_negotiate(w->end[end], w->now);
		break;
	default:
		w->budget[end] = FUZZ_POLLS;
		break;
	}
	run(w, end);
}

static void event(struct world *w, bool may_forge)
{
	u32 what = fuzz_take(&w->in, 1), pick;
	int end = what >> 7;

	switch (what % 32) {
	case 0 ... 4:
		send_some(w, what % 32 < 3 ? INI : end,
			  fuzz_take(&w->in, 1) % 64);
		break;
	case 5 ... 12:
		deliver_one(w, 0, false);
		break;
	case 13 ... 15:
		deliver_one(w, fuzz_take(&w->in, 1), false);
		break;
	case 16 ... 18:
		deliver_all(w);
		break;
	case 19:
		deliver_one(w, fuzz_take(&w->in, 1), true);
		break;
	case 20 ... 21:
		pick = fuzz_take(&w->in, 1);
		trim_one(w, pick, !end);
		break;
	case 22:
		lose_way(w, end);
		break;
	case 23:
		mark(w, what >> 5, fuzz_take(&w->in, 1));
		break;
	case 24 ... 27:
		pass_time(w, fuzz_take(&w->in, 1));
		break;
	case 28 ... 29:
		if (may_forge)
			forge(w);
		break;
	default:
		rare_event(w, end, fuzz_take(&w->in, 1));
		break;
	}
}

static bool is_settled(const struct world *w)
{
	return w->flow[INI].reported == w->flow[INI].handed &&
	       w->flow[TGT].reported == w->flow[TGT].handed;
}

static bool is_finished(const struct world *w)
{
	return !is_alive(w, INI) && !is_alive(w, TGT);
}

/* Keep the wire perfect until @is_there, or for a limited number of steps. */
static bool heal_until(struct world *w, bool (*is_there)(const struct world *))
{
	u32 limit = w->is_forged ? FUZZ_STEPS_FEW : FUZZ_STEPS, n;

	for (n = 0; n < limit && !is_there(w); n++) {
		if (w->wire.nr)
			deliver_one(w, 0, false);
		else if (next_deadline(w) != UET_NEVER)
			pass_time_to(w, next_deadline(w));
		else
			break;
	}
	return is_there(w);
}

static void let_go(struct world *w)
{
	int i;

	w->is_kind = true;
	for (i = 0; i < 2; i++) {
		w->budget[i] = FUZZ_POLLS;
		if (w->end[i])
			uet_pdc_hold(w->end[i], false, w->now);
		run(w, i);
	}
}

static void check_success(const struct world *w)
{
	int i;

	for (i = 0; i < 2; i++) {
		FUZZ_CHECK(!w->flow[i].failed);
		FUZZ_CHECK(w->flow[i].delivered == w->flow[i].handed);
	}
}

static void end_healed(struct world *w, int who)
{
	bool settled;

	let_go(w);
	settled = heal_until(w, is_settled);
	FUZZ_CHECK(settled || w->is_forged);
	if (!is_alive(w, who))
		who = INI;
	uet_pdc_close(w->end[who], w->now);
	run(w, who);
	settled = heal_until(w, is_finished);
	if (w->is_forged)
		return;
	FUZZ_CHECK(settled);
	if (!has_error(w, INI) && !has_error(w, TGT))
		check_success(w);
}

/*
 * No packet arrives any more: both ends must detect this, and each packet must
 * have an outcome.
 */
static void end_dead_wire(struct world *w)
{
	u64 peer_timeout = w->cfg.target_idle_ns + w->cfg.close_req_ns +
		       3 * (w->cfg.max_rto_retx + 1) * w->cfg.rto_max_ns;
	u64 until = w->now + peer_timeout;

	let_go(w);
	while (!is_finished(w)) {
		w->wire.nr = 0;
		FUZZ_CHECK(next_deadline(w) <= until);
		pass_time_to(w, next_deadline(w));
	}
	FUZZ_CHECK(is_settled(w));
}

static void end_aborted(struct world *w)
{
	int i;

	let_go(w);
	for (i = 0; i < 2; i++) {
		if (w->end[i])
			uet_pdc_abort(w->end[i], w->now);
		run(w, i);
	}
	FUZZ_CHECK(is_settled(w));
}

/* @how selects no security, a random Start_PSN, or a lower bound of the Start_PSN. */
static void secure_world(struct world *w, u32 how)
{
	if (how < 2)
		return;
	w->start = how == 2 ? UET_PDC_START_RANDOM : UET_PDC_START_EXPECTED;
	w->cfg.new_pdc_ns = 1000000ULL << fuzz_take(&w->in, 1) % 8;
	w->expected_psn = w->start_psn + (s16)fuzz_take(&w->in, 2);
}

static void open_world(struct world *w, u32 options, u32 security)
{
	w->cfg = pdcwire_cfg(options);
	w->cfg.ack_on_ecn = !(options & 0x10);
	/* Sometimes few stored responses, without an option of their own. */
	w->cfg.max_gtd = options & 8 ? 1 + options % 8 : 0;
	w->mode = options & 0x20 ? UET_PDC_ROD : UET_PDC_RUD;
	w->start_psn = options & 0x40 ? 0xffffff80 : 0x12345678;
	secure_world(w, security);
	w->now = 1000000;
	w->budget[INI] = FUZZ_POLLS;
	w->budget[TGT] = FUZZ_POLLS;
	open_end(w, INI, 0, w->start_psn);
	if (options & 0x80)
		send_some(w, INI, 1);
}

/* Number of events of all inputs; "make fuzz-long" adds them up. */
static u64 events;

__attribute__((destructor)) static void tell_events(void)
{
	fprintf(stderr, "%llu events\n", (unsigned long long)events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = calloc(1, sizeof(*w));
	u32 ending = size % 32, n;

	w->in.next = data;
	w->in.left = size;
	open_world(w, fuzz_take(&w->in, 1), size / 32 % 4);
	w->is_full = ending / 8 == 3;
	for (n = 0; n < FUZZ_EVENTS && w->in.left; n++)
		event(w, ending & 4);
	events += n;
	if (ending % 4 == 0)
		end_dead_wire(w);
	else if (ending % 4 < 3)
		end_healed(w, ending % 4 == 1 ? INI : TGT);
	end_aborted(w);
	forget_end(w, INI);
	forget_end(w, TGT);
	free(w);
	return 0;
}
