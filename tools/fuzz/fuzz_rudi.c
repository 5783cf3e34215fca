// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences of events on the initiator of RUDI and a target without state, over
 * a wire controlled by the input, with forged answers in between.  The
 * reference model is simple enough to be obviously right: per request the
 * numbers of transmissions, executions, refusals and reports.
 *
 * Input: a byte of options, then one byte per event, followed by its arguments.
 * Checked after every event: the invariants hold; no pkt_id is used by two
 * requests; no outcome is reported twice or without its reason; no request is
 * sent more often than the limits allow; an answer to a request that is not
 * outstanding changes nothing.  At the end the wire loses nothing, and all
 * outstanding requests must be answered within the longest time-out.
 * Spec: UE 1.0.1 3.5.10.9, 3.5.12.7, 3.5.15.  Level: test of core L4.
 */
#include "core/pds/rudi.h"
#include "fuzz.h"
#include "rudi_check.h"

#define FUZZ_WIRE	256		/* more than the largest window */
#define FUZZ_EVENTS	4000
#define FUZZ_HANDED	0x2000

/* State of a request in the model. */
struct request {
	u32 id;
	u32 sent;
	u32 executed;
	u32 refused;		/* NACKs received, including copies */
	bool is_condemned;	/* a fatal NACK was sent */
	bool is_reported;
};

struct world {
	struct fuzz_input in;
	struct uet_rudi_cfg cfg;
	struct uet_rudi_peer *rudi;
	u64 now;
	bool is_forged;		/* a request got a forged answer */
	bool is_aborted;
	bool is_kind;		/* the target accepts everything */
	struct request req[FUZZ_HANDED];
	u32 handed, reported;
	u32 oldest;		/* all requests before it are reported */
	struct {
		bool is_answer;
		struct uet_pdc_tx tx;
	} wire[FUZZ_WIRE];
	u32 nr_wire;
};

static u32 take(struct world *w, u32 bytes)
{
	return fuzz_take(&w->in, bytes);
}

static void check(const struct world *w)
{
	const char *what = "nothing";
	struct uet_rudi_info info;

	if (!uet_rudi_check(w->rudi, &what)) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
	uet_rudi_get_info(w->rudi, &info);
	FUZZ_CHECK(info.nr_open + info.nr_done == w->handed - w->reported);
	FUZZ_CHECK(uet_rudi_is_idle(w->rudi) == (w->handed == w->reported));
}

/* The history of the request must explain its failure. */
static void check_failed(const struct world *w, const struct request *req,
			 const struct uet_rudi_up *up)
{
	switch (up->error) {
	case UET_PDC_ERR_TIMEOUT:
		FUZZ_CHECK(req->sent > w->cfg.max_rto_retx);
		break;
	case UET_PDC_ERR_NACK_RETX:
		FUZZ_CHECK(w->is_forged ||
			   req->refused > w->cfg.max_nack_retx);
		break;
	case UET_PDC_ERR_NACK:
		FUZZ_CHECK(w->is_forged || req->is_condemned);
		break;
	default:
		FUZZ_CHECK(up->error == UET_PDC_ERR_ABORT && w->is_aborted);
	}
}

static void note_up(struct world *w, const struct uet_rudi_up *up)
{
	struct request *req = &w->req[up->pkt.offset];

	FUZZ_CHECK(up->pkt.offset < w->handed && !req->is_reported);
	req->is_reported = true;
	w->reported++;
	while (w->oldest < w->handed && w->req[w->oldest].is_reported)
		w->oldest++;
	if (up->kind == UET_UP_FAILED) {
		check_failed(w, req, up);
	} else if (!w->is_forged) {
		FUZZ_CHECK(req->executed);
		FUZZ_CHECK(up->rsp.msg_id == (u16)up->pkt.offset);
	}
}

static void note_sent(struct world *w, const struct uet_pdc_tx *tx)
{
	struct request *req = &w->req[tx->pkt.offset];
	u32 limit = 1 + w->cfg.max_rto_retx + w->cfg.max_nack_retx;

	FUZZ_CHECK(!req->is_reported);
	FUZZ_CHECK(tx->hdr.u.rudi.pkt_id == req->id);
	FUZZ_CHECK(tx->is_retx == !!req->sent);
	FUZZ_CHECK(!(tx->hdr.flags & UET_F_RETX) == !req->sent);
	req->sent++;
	FUZZ_CHECK(req->sent <= limit ||
		   w->cfg.max_nack_retx == UET_PDC_NACK_RETX_FOREVER);
}

static void put_wire(struct world *w, const struct uet_pdc_tx *tx,
		     bool is_answer)
{
	if (w->nr_wire == FUZZ_WIRE)
		return;
	w->wire[w->nr_wire].is_answer = is_answer;
	w->wire[w->nr_wire++].tx = *tx;
}

static void run(struct world *w)
{
	struct uet_rudi_up up;
	struct uet_pdc_tx tx;
	u32 n = 0;

	while (uet_rudi_poll_up(w->rudi, &up))
		note_up(w, &up);
	while (uet_rudi_poll_tx(w->rudi, &tx, w->now)) {
		FUZZ_CHECK(++n <= w->cfg.window);
		note_sent(w, &tx);
		put_wire(w, &tx, false);
	}
	check(w);
}

static void check_id(const struct world *w, u32 nr)
{
	u32 i;

	for (i = w->oldest; i < nr; i++)
		FUZZ_CHECK(w->req[i].is_reported ||
			   w->req[i].id != w->req[nr].id);
}

static void send_some(struct world *w, u32 n)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };

	while (n-- && w->handed < FUZZ_HANDED && uet_rudi_tx_space(w->rudi)) {
		pkt.offset = w->handed;
		w->req[w->handed].id = uet_rudi_tx_req(w->rudi, &pkt);
		check_id(w, w->handed);
		w->handed++;
	}
	run(w);
}

/* The target executes a request, or refuses it with any code. */
static void serve(struct world *w, const struct uet_pdc_tx *tx,
		  const struct uet_rx_info *in)
{
	struct request *req = &w->req[tx->pkt.offset];
	u32 mood = w->is_kind ? 0 : take(w, 1);
	struct uet_ses_rsp rsp = {
		.form = mood % UET_RSP_FORM_NR,
		.rc = UET_RC_OK,
		.msg_id = (u16)tx->pkt.offset,
	};
	struct uet_pdc_tx answer;
	u8 code = 0;

	if (mood % 4 == 3)
		code = (u8)take(w, 1) % 32;
	if (uet_wire_nack(code)->class == UET_NC_PDC_FATAL)
		req->is_condemned = true;
	if (!code)
		req->executed++;
	FUZZ_CHECK(uet_rudi_reply(&tx->hdr, in, &rsp, code, &answer));
	FUZZ_CHECK(answer.ev == tx->ev);
	answer.pkt = tx->pkt;
	put_wire(w, &answer, true);
}

static void arrive(struct world *w, const struct uet_pdc_tx *tx,
		   bool is_answer)
{
	struct uet_rx_info in = { .ev = tx->ev, .ce = w->now & 1 };
	struct uet_pds_pkt pkt;

	if (!is_answer) {
		serve(w, tx, &in);
	} else if (tx->kind == UET_TX_NACK) {
		w->req[tx->pkt.offset].refused++;
		uet_rudi_rx_nack(w->rudi, &tx->hdr, w->now);
	} else {
		uet_rudi_rx_resp(w->rudi, &tx->hdr, &tx->rsp, w->now, &pkt);
	}
	run(w);
}

/* Deliver a packet: it stays in flight if @twice, and is dropped if @lost. */
static void deliver_one(struct world *w, u32 pick, bool twice, bool lost)
{
	struct uet_pdc_tx tx;
	bool is_answer;

	if (!w->nr_wire)
		return;
	pick %= w->nr_wire;
	tx = w->wire[pick].tx;
	is_answer = w->wire[pick].is_answer;
	if (!twice) {
		w->nr_wire--;
		memmove(&w->wire[pick], &w->wire[pick + 1],
			(w->nr_wire - pick) * sizeof(w->wire[0]));
	}
	if (!lost)
		arrive(w, &tx, is_answer);
}

static bool is_outstanding(const struct world *w, u32 id)
{
	u32 i;

	for (i = w->oldest; i < w->handed; i++)
		if (!w->req[i].is_reported && w->req[i].sent &&
		    w->req[i].id == id)
			return true;
	return false;
}

/* A pkt_id near one in use, or anywhere. */
static u32 forged_id(struct world *w)
{
	u32 how = take(w, 1), id = 0;

	if (w->handed)
		id = w->req[take(w, 2) % w->handed].id;
	switch (how % 4) {
	case 0:
		return id;
	case 1:
		return id + w->cfg.window;
	case 2:
		return id + (s8)take(w, 1);
	default:
		return take(w, 4);
	}
}

/*
 * Forge an answer; an answer to a request that is not outstanding must change
 * nothing.
 */
static void forge(struct world *w)
{
	struct uet_pds_hdr hdr = { .flags = (u8)take(w, 1) & UET_F_RETX };
	struct uet_ses_rsp rsp = { .rc = take(w, 1) & UET_RC_MAX };
	bool is_nack = take(w, 1) & 1, is_real;
	struct uet_rudi_info before, after;
	u64 at = uet_rudi_deadline(w->rudi);
	u32 id = forged_id(w);
	struct uet_pds_pkt pkt;
	enum uet_drop why;

	is_real = is_outstanding(w, id);
	w->is_forged |= is_real;
	uet_rudi_get_info(w->rudi, &before);
	if (is_nack) {
		hdr.type = UET_TY_NACK;
		hdr.flags |= UET_F_NT;
		hdr.u.nack.code = (u8)take(w, 1);
		hdr.u.nack.psn = id;
		why = uet_rudi_rx_nack(w->rudi, &hdr, w->now);
	} else {
		hdr.type = UET_TY_RUDI_RESP;
		hdr.u.rudi.pkt_id = id;
		why = uet_rudi_rx_resp(w->rudi, &hdr, &rsp, w->now, &pkt);
	}
	uet_rudi_get_info(w->rudi, &after);
	if (!is_real)
		FUZZ_CHECK(why == (is_nack ? UET_DROP_BAD_NACK_ID :
					     UET_DROP_BAD_RUDI_ID));
	if (why) {
		FUZZ_CHECK(!memcmp(&before, &after, sizeof(before)));
		FUZZ_CHECK(at == uet_rudi_deadline(w->rudi));
	}
	run(w);
}

/* Advance the time to the next deadline, or by a little. */
static void pass_time(struct world *w, u32 how)
{
	u64 at = uet_rudi_deadline(w->rudi);

	if (how & 1 && at != UET_NEVER)
		w->now = max(w->now, at);
	else
		w->now += (u64)how * 1000;
	uet_rudi_tick(w->rudi, w->now);
	FUZZ_CHECK(uet_rudi_deadline(w->rudi) > w->now);
	run(w);
}

static void event(struct world *w)
{
	u32 what = take(w, 1);

	switch (what % 16) {
	case 0 ... 2:
		send_some(w, take(w, 1));
		break;
	case 3 ... 6:
		deliver_one(w, 0, false, false);
		break;
	case 7:
		deliver_one(w, take(w, 1), false, false);
		break;
	case 8:
		deliver_one(w, take(w, 1), true, false);
		break;
	case 9:
		deliver_one(w, take(w, 1), false, true);
		break;
	case 10 ... 12:
		pass_time(w, take(w, 1));
		break;
	case 13 ... 14:
		forge(w);
		break;
	case 15:
		if (take(w, 1) != 1)
			break;
		w->is_aborted = true;
		uet_rudi_abort(w->rudi);
		run(w);
		break;
	}
}

static void open_world(struct world *w)
{
	static const u16 windows[] = { 1, 8, 32, 128 };
	u32 options = take(w, 1);

	w->cfg = uet_rudi_cfg_default;
	w->cfg.window = windows[options & 3];
	if (options & 4)
		w->cfg.max_rto_retx = 2;
	if (options & 8)
		w->cfg.max_nack_retx = options & 16 ?
				       UET_PDC_NACK_RETX_FOREVER : 2;
	FUZZ_CHECK(!uet_rudi_cfg_check(&w->cfg));
	w->now = 1000000;
	w->rudi = malloc(uet_rudi_size(&w->cfg));
	memset(w->rudi, 0xa5, uet_rudi_size(&w->cfg));
	uet_rudi_init(w->rudi, &w->cfg,
		      options & 32 ? 0xfffffff0 : 0x12345678, options);
	run(w);
}

/*
 * From now on no packet is lost, and the target accepts everything.  All
 * packets in flight are answered before the time advances, so each request is
 * answered after at most one more transmission.
 */
static void finish(struct world *w)
{
	u64 until = w->now + w->cfg.rto_max_ns + w->cfg.nack_retx_max_ns;

	w->is_kind = true;
	for (;;) {
		while (w->nr_wire)
			deliver_one(w, w->nr_wire - 1, false, false);
		if (w->reported == w->handed)
			break;
		pass_time(w, 1);
	}
	FUZZ_CHECK(w->now <= until);
	FUZZ_CHECK(uet_rudi_deadline(w->rudi) == UET_NEVER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = calloc(1, sizeof(*w));
	u32 n;

	w->in = (struct fuzz_input){ data, size };
	open_world(w);
	for (n = 0; n < FUZZ_EVENTS && w->in.left; n++)
		event(w);
	finish(w);
	free(w->rudi);
	free(w);
	return 0;
}
