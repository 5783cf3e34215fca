// SPDX-License-Identifier: GPL-2.0
/*
 * Wrappers of the calls of pds.h, inserted by the linker: each wrapper calls the real
 * PDC, then its model, and compares first the results and then everything that a
 * snapshot shows.  The Makefile derives the linker options from the functions named
 * __wrap_NAME.
 *
 * UET_MODEL_TRACE=1 prints every call, with packet numbers from 1 for PSNs.
 * Level: test.
 */
#include "shadow.h"

#define SHADOW_BUCKETS	256

/**
 * struct shadow - a PDC and its model
 * @link: entry in the hash bucket
 * @pdc: the PDC
 * @m: model of the PDC
 */
struct shadow {
	struct list_head link;
	const struct uet_pdc *pdc;
	struct model m;
};

static struct list_head shadow_table[SHADOW_BUCKETS];

static struct list_head *shadow_bucket(const struct uet_pdc *pdc)
{
	struct list_head *bucket;

	bucket = &shadow_table[(uintptr_t)pdc / 64 % SHADOW_BUCKETS];
	if (!bucket->next)
		INIT_LIST_HEAD(bucket);
	return bucket;
}

static struct shadow *shadow_find(const struct uet_pdc *pdc)
{
	struct shadow *s;

	list_for_each_entry(s, shadow_bucket(pdc), link)
		if (s->pdc == pdc)
			return s;
	return NULL;
}

/**
 * shadow_forget() - release the model of a PDC that is freed
 * @pdc: the PDC
 */
void shadow_forget(const struct uet_pdc *pdc)
{
	struct shadow *s = shadow_find(pdc);

	if (!s)
		return;
	list_del(&s->link);
	model_fini(&s->m);
	free(s);
}

/**
 * shadow_model() - find the model of a PDC
 * @pdc: the PDC
 *
 * Return: the model; never NULL.
 */
const struct model *shadow_model(const struct uet_pdc *pdc)
{
	return &shadow_find(pdc)->m;
}

static struct model *shadow_of(const struct uet_pdc *pdc)
{
	return &shadow_find(pdc)->m;
}

/* ------------------------------------------------------------------ tracing */

static bool shadow_traces(void)
{
	static int on = -1;

	if (on < 0)
		on = getenv("UET_MODEL_TRACE") != NULL;
	return on;
}

__attribute__((format(printf, 3, 4)))
static void shadow_say(const struct model *m, u64 now, const char *fmt, ...)
{
	va_list ap;

	if (!shadow_traces())
		return;
	printf("# %12.3f us %s %04x %-15s ", (double)now / 1000,
	       m->open.role == UET_PDC_INITIATOR ? "ini" : "tgt",
	       m->open.local_pdcid, uet_pdc_state_name(model_state(m)));
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

static long long shadow_rx_nr(const struct model *m, u32 psn)
{
	return model_nr(m, psn, m->rx.cack);
}

static long long shadow_tx_nr(const struct model *m, u32 psn)
{
	return model_nr(m, psn, m->tx.una);
}

static void shadow_say_ack(const struct model *m, u64 now, const char *verb,
			   const struct uet_pds_hdr *hdr, u32 cack_nr)
{
	const struct uet_ack *ack = &hdr->u.ack;

	shadow_say(m, now, "%s ACK type %u flags %02x: cack %d own %+d mpr %u sack %+d %016llx",
		   verb, hdr->type, hdr->flags, (int)cack_nr, ack->ack_off,
		   ack->mpr, ack->sack_off,
		   (unsigned long long)ack->sack_bitmap);
}

static void shadow_say_tx(const struct model *m, u64 now,
			  const struct uet_pdc_tx *tx)
{
	const struct uet_pds_hdr *hdr = &tx->hdr;

	switch (tx->kind) {
	case UET_TX_REQ:
		shadow_say(m, now, "sends request %lld flags %02x clear %+d",
			   shadow_tx_nr(m, hdr->u.req.psn), hdr->flags,
			   hdr->u.req.clear_off);
		break;
	case UET_TX_ACK:
		shadow_say_ack(m, now, "sends", hdr,
			       shadow_rx_nr(m, hdr->u.ack.cack_psn));
		break;
	case UET_TX_NACK:
		shadow_say(m, now, "sends NACK %s for %lld",
			   uet_wire_nack(hdr->u.nack.code)->name,
			   shadow_rx_nr(m, hdr->u.nack.psn));
		break;
	case UET_TX_CP:
		shadow_say(m, now, "sends %s %lld flags %02x payload %08x",
			   uet_wire_ctl(hdr->next_hdr)->name,
			   shadow_tx_nr(m, hdr->u.cp.psn), hdr->flags,
			   hdr->u.cp.payload);
		break;
	}
}

/* ------------------------------------------------------------- wrapped calls */

static void shadow_why(const struct model *m, enum uet_drop real,
		       enum uet_drop want)
{
	if (real != want)
		model_diverged(m, "it says %s, must say %s",
			       uet_drop_name(real), uet_drop_name(want));
}

void __real_uet_pdc_init(struct uet_pdc *pdc, const struct uet_pdc_cfg *cfg,
			 const struct uet_pdc_open *open, u64 now);
void __wrap_uet_pdc_init(struct uet_pdc *pdc, const struct uet_pdc_cfg *cfg,
			 const struct uet_pdc_open *open, u64 now)
{
	struct shadow *s;

	shadow_forget(pdc);
	__real_uet_pdc_init(pdc, cfg, open, now);
	s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	s->pdc = pdc;
	model_init(&s->m, cfg, open, now);
	list_add(&s->link, shadow_bucket(pdc));
}

void __real_uet_pdc_window_lend(struct uet_pdc *pdc, void *window);
void __wrap_uet_pdc_window_lend(struct uet_pdc *pdc, void *window)
{
	struct model *m = shadow_of(pdc);

	__real_uet_pdc_window_lend(pdc, window);
	model_compare(m, pdc);
}

u32 __real_uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt,
			  u64 now);
u32 __wrap_uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt,
			  u64 now)
{
	struct model *m = shadow_of(pdc);
	u32 psn = __real_uet_pdc_tx_req(pdc, pkt, now);

	shadow_say(m, now, "is given request %lld, flags %02x",
		   (long long)m->tx.write_seq, pkt->flags);
	MODEL_EQ(m, "PSN", psn,
		 model_psn(m, model_tx_add(m, pkt, MODEL_REQ, now)));
	model_compare(m, pdc);
	return psn;
}

/* To the model a run is so many single steps. */
u32 __real_uet_pdc_tx_reqs(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt,
			   u32 n, u64 now);
u32 __wrap_uet_pdc_tx_reqs(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt,
			   u32 n, u64 now)
{
	struct uet_pds_pkt next = *pkt;
	struct model *m = shadow_of(pdc);
	u32 taken = __real_uet_pdc_tx_reqs(pdc, pkt, n, now);
	u32 i;

	shadow_say(m, now, "is given %u requests from %lld on", taken,
		   (long long)m->tx.write_seq);
	for (i = 0; i < taken; i++, next.offset += next.len) {
		MODEL_RULE(m, model_may_send(m) && model_has_space(m),
			   "it takes a request without space");
		model_tx_add(m, &next, MODEL_REQ, now);
	}
	model_compare(m, pdc);
	return taken;
}

bool __real_uet_pdc_tx_noop(struct uet_pdc *pdc, void *cookie, u64 now);
bool __wrap_uet_pdc_tx_noop(struct uet_pdc *pdc, void *cookie, u64 now)
{
	const struct uet_pds_pkt pkt = { .msg = cookie };
	struct model *m = shadow_of(pdc);
	bool sent = __real_uet_pdc_tx_noop(pdc, cookie, now);
	s64 nr;

	shadow_say(m, now, "is given a NOOP%s", sent ? "" : ", no space");
	MODEL_EQ(m, "space for a NOOP", sent,
		 model_may_send(m) && model_has_space(m));
	if (sent) {
		nr = model_tx_add(m, &pkt, UET_CP_NOOP, now);
		m->tx.out[nr].reports = true;
	}
	model_compare(m, pdc);
	return sent;
}

bool __real_uet_pdc_tx_negotiate(struct uet_pdc *pdc, u64 now);
bool __wrap_uet_pdc_tx_negotiate(struct uet_pdc *pdc, u64 now)
{
	static const struct uet_pds_pkt none;
	struct model *m = shadow_of(pdc);
	bool sent = __real_uet_pdc_tx_negotiate(pdc, now);

	shadow_say(m, now, "is to negotiate%s", sent ? "" : ", no space");
	MODEL_EQ(m, "space for a NEGOTIATION", sent,
		 model_may_send(m) && model_has_space(m));
	if (sent)
		model_tx_add(m, &none, UET_CP_NEGOTIATION, now);
	model_compare(m, pdc);
	return sent;
}

void __real_uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now);
void __wrap_uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now)
{
	struct model *m = shadow_of(pdc);

	if (m->held != held)
		shadow_say(m, now, "%s work", held ? "has" : "has no");
	__real_uet_pdc_hold(pdc, held, now);
	model_hold(m, held, now);
	model_compare(m, pdc);
}

enum uet_drop __real_uet_pdc_rx_req(struct uet_pdc *pdc,
				    const struct uet_pds_hdr *hdr,
				    const struct uet_rx_info *in, u64 now,
				    bool *deliver);
enum uet_drop __wrap_uet_pdc_rx_req(struct uet_pdc *pdc,
				    const struct uet_pds_hdr *hdr,
				    const struct uet_rx_info *in, u64 now,
				    bool *deliver)
{
	struct model *m = shadow_of(pdc);
	enum uet_drop why;

	why = __real_uet_pdc_rx_req(pdc, hdr, in, now, deliver);
	shadow_say(m, now, "gets request %lld flags %02x clear %+d%s: %s",
		   shadow_rx_nr(m, hdr->u.req.psn), hdr->flags,
		   hdr->u.req.clear_off, in->ce ? " CE" : "",
		   uet_drop_name(why));
	shadow_why(m, why, model_rx_req(m, hdr, in, now));
	MODEL_EQ(m, "deliver", *deliver, why == UET_DROP_NONE);
	model_compare(m, pdc);
	return why;
}

void __real_uet_pdc_rx_accept(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in,
			      const struct uet_ses_rsp *rsp, u64 now);
void __wrap_uet_pdc_rx_accept(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in,
			      const struct uet_ses_rsp *rsp, u64 now)
{
	struct model *m = shadow_of(pdc);

	__real_uet_pdc_rx_accept(pdc, hdr, in, rsp, now);
	shadow_say(m, now, "delivers %lld, response %u/%u",
		   shadow_rx_nr(m, hdr->u.req.psn), rsp->opcode, rsp->rc);
	model_rx_accept(m, hdr, in, rsp, now);
	model_compare(m, pdc);
}

void __real_uet_pdc_rx_refuse(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in, u8 nack_code,
			      u64 now);
void __wrap_uet_pdc_rx_refuse(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in, u8 nack_code,
			      u64 now)
{
	struct model *m = shadow_of(pdc);

	__real_uet_pdc_rx_refuse(pdc, hdr, in, nack_code, now);
	shadow_say(m, now, "refuses %lld: %s",
		   shadow_rx_nr(m, hdr->u.req.psn),
		   uet_wire_nack(nack_code)->name);
	model_rx_refuse(m, hdr, in, nack_code, now);
	model_compare(m, pdc);
}

void __real_uet_pdc_early_keep(struct uet_pdc *pdc,
			       const struct uet_pds_hdr *hdr,
			       const struct uet_rx_info *in, u64 now);
void __wrap_uet_pdc_early_keep(struct uet_pdc *pdc,
			       const struct uet_pds_hdr *hdr,
			       const struct uet_rx_info *in, u64 now)
{
	struct model *m = shadow_of(pdc);

	__real_uet_pdc_early_keep(pdc, hdr, in, now);
	shadow_say(m, now, "keeps %lld", shadow_rx_nr(m, hdr->u.req.psn));
	model_rx_keep(m, hdr, in, now);
	model_compare(m, pdc);
}

bool __real_uet_pdc_early_is_due(const struct uet_pdc *pdc);
bool __wrap_uet_pdc_early_is_due(const struct uet_pdc *pdc)
{
	struct model *m = shadow_of(pdc);
	bool is_due = __real_uet_pdc_early_is_due(pdc);

	MODEL_EQ(m, "a kept request is due", is_due, model_rx_is_due(m));
	return is_due;
}

void __real_uet_pdc_early_take(struct uet_pdc *pdc, struct uet_rx_info *in);
void __wrap_uet_pdc_early_take(struct uet_pdc *pdc, struct uet_rx_info *in)
{
	struct model *m = shadow_of(pdc);

	__real_uet_pdc_early_take(pdc, in);
	model_rx_unkeep(m);
	model_compare(m, pdc);
}

enum uet_drop __real_uet_pdc_rx_ack(struct uet_pdc *pdc,
				    const struct uet_pds_hdr *hdr,
				    const struct uet_ses_rsp *rsp,
				    const struct uet_rx_info *in, u64 now);
enum uet_drop __wrap_uet_pdc_rx_ack(struct uet_pdc *pdc,
				    const struct uet_pds_hdr *hdr,
				    const struct uet_ses_rsp *rsp,
				    const struct uet_rx_info *in, u64 now)
{
	struct model *m = shadow_of(pdc);
	enum uet_drop why = __real_uet_pdc_rx_ack(pdc, hdr, rsp, in, now);

	shadow_say_ack(m, now, "gets", hdr,
		       shadow_tx_nr(m, hdr->u.ack.cack_psn));
	shadow_why(m, why, model_rx_ack(m, hdr, rsp, now));
	model_compare(m, pdc);
	return why;
}

static bool shadow_has_failed(const struct uet_pdc *pdc,
			      enum uet_pdc_error error)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(pdc, &info);
	return info.state == UET_PDC_ST_ERROR && info.error == error;
}

enum uet_drop __real_uet_pdc_rx_nack(struct uet_pdc *pdc,
				     const struct uet_pds_hdr *hdr,
				     const struct uet_rx_info *in, u64 now);
enum uet_drop __wrap_uet_pdc_rx_nack(struct uet_pdc *pdc,
				     const struct uet_pds_hdr *hdr,
				     const struct uet_rx_info *in, u64 now)
{
	struct model *m = shadow_of(pdc);
	enum uet_drop why = __real_uet_pdc_rx_nack(pdc, hdr, in, now);

	shadow_say(m, now, "gets NACK %s for %lld flags %02x from %04x",
		   uet_wire_nack(hdr->u.nack.code)->name,
		   shadow_tx_nr(m, hdr->u.nack.psn), hdr->flags,
		   hdr->u.nack.spdcid);
	shadow_why(m, why,
		   model_rx_nack(m, hdr, shadow_has_failed(pdc,
					UET_PDC_ERR_NACK_RETX), now));
	model_compare(m, pdc);
	return why;
}

enum uet_drop __real_uet_pdc_rx_cp(struct uet_pdc *pdc,
				   const struct uet_pds_hdr *hdr,
				   const struct uet_rx_info *in, u64 now);
enum uet_drop __wrap_uet_pdc_rx_cp(struct uet_pdc *pdc,
				   const struct uet_pds_hdr *hdr,
				   const struct uet_rx_info *in, u64 now)
{
	struct model *m = shadow_of(pdc);
	enum uet_drop why = __real_uet_pdc_rx_cp(pdc, hdr, in, now);

	shadow_say(m, now, "gets %s %lld flags %02x payload %08x: %s",
		   uet_wire_ctl(hdr->next_hdr)->name,
		   shadow_rx_nr(m, hdr->u.cp.psn), hdr->flags,
		   hdr->u.cp.payload, uet_drop_name(why));
	shadow_why(m, why, model_rx_cp(m, hdr, in, now));
	model_compare(m, pdc);
	return why;
}

enum uet_drop __real_uet_pdc_rx_trimmed(struct uet_pdc *pdc,
					const struct uet_pds_hdr *hdr,
					const struct uet_rx_info *in,
					u8 nack_code, u64 now);
enum uet_drop __wrap_uet_pdc_rx_trimmed(struct uet_pdc *pdc,
					const struct uet_pds_hdr *hdr,
					const struct uet_rx_info *in,
					u8 nack_code, u64 now)
{
	struct model *m = shadow_of(pdc);
	enum uet_drop why = __real_uet_pdc_rx_trimmed(pdc, hdr, in, nack_code,
						      now);

	shadow_say(m, now, "gets request %lld flags %02x trimmed: %s",
		   shadow_rx_nr(m, hdr->u.req.psn), hdr->flags,
		   uet_drop_name(why));
	shadow_why(m, why, model_rx_trimmed(m, hdr, in, nack_code, now));
	model_compare(m, pdc);
	return why;
}

static void shadow_see(struct model *m, const struct uet_pdc_tx *tx, u64 now)
{
	shadow_say_tx(m, now, tx);
	model_see_wire(m, tx);
	switch (tx->kind) {
	case UET_TX_REQ:
		model_see_req(m, tx, now);
		break;
	case UET_TX_ACK:
		model_see_ack(m, tx);
		break;
	case UET_TX_NACK:
		model_see_nack(m, tx);
		break;
	case UET_TX_CP:
		model_see_cp(m, tx, now);
		break;
	}
}

bool __real_uet_pdc_poll_tx(struct uet_pdc *pdc, struct uet_pdc_tx *tx,
			    u64 now);
bool __wrap_uet_pdc_poll_tx(struct uet_pdc *pdc, struct uet_pdc_tx *tx,
			    u64 now)
{
	struct model *m = shadow_of(pdc);
	bool answers = model_has_answer(m);
	bool more;

	if (!answers) {
		model_close_step(m, now);
		answers = model_has_answer(m);
	}
	model_cc_before(m);
	more = __real_uet_pdc_poll_tx(pdc, tx, now);
	model_cc_see_probe(m);
	if (more) {
		MODEL_EQ(m, "answers first", tx->kind == UET_TX_ACK ||
			 tx->kind == UET_TX_NACK, answers);
		shadow_see(m, tx, now);
	} else {
		model_rx_drained(m);
		model_tx_drained(m);
	}
	model_compare(m, pdc);
	return more;
}

u32 __real_uet_pdc_poll_tx_run(struct uet_pdc *pdc, const struct uet_pdc_tx *tx,
			       u16 *ev, u32 max, u64 now);
u32 __wrap_uet_pdc_poll_tx_run(struct uet_pdc *pdc, const struct uet_pdc_tx *tx,
			       u16 *ev, u32 max, u64 now)
{
	struct model *m = shadow_of(pdc);
	u32 n = __real_uet_pdc_poll_tx_run(pdc, tx, ev, max, now);
	struct uet_pdc_tx step = *tx;
	u32 i;

	MODEL_RULE(m, !n || !model_has_answer(m), "a run goes before an answer");
	for (i = 0; i < n; i++) {
		model_close_step(m, now);
		model_cc_before(m);
		uet_pdc_tx_step(&step, ev[i]);
		model_cc_see_probe(m);
		shadow_see(m, &step, now);
	}
	model_compare(m, pdc);
	return n;
}

static void shadow_compare_up(const struct model *m,
			      const struct uet_pdc_up *real,
			      const struct uet_pdc_up *want)
{
	MODEL_EQ(m, "outcome", real->kind, want->kind);
	MODEL_RULE(m, real->pkt.msg == want->pkt.msg,
		   "an outcome is of another message");
	MODEL_EQ(m, "offset reported", real->pkt.offset, want->pkt.offset);
	MODEL_EQ(m, "len reported", real->pkt.len, want->pkt.len);
	MODEL_EQ(m, "response reported", real->rsp_opcode, want->rsp_opcode);
	MODEL_EQ(m, "return code reported", real->rc, want->rc);
	MODEL_EQ(m, "error reported", real->error, want->error);
	MODEL_EQ(m, "nack_code reported", real->nack_code, want->nack_code);
}

bool __real_uet_pdc_poll_up(struct uet_pdc *pdc, struct uet_pdc_up *up);
bool __wrap_uet_pdc_poll_up(struct uet_pdc *pdc, struct uet_pdc_up *up)
{
	struct model *m = shadow_of(pdc);
	bool more = __real_uet_pdc_poll_up(pdc, up);
	struct uet_pdc_up want;

	MODEL_EQ(m, "an outcome is there", more, model_next_up(m, &want));
	if (more)
		shadow_compare_up(m, up, &want);
	model_compare(m, pdc);
	return more;
}

u32 __real_uet_pdc_poll_up_run(struct uet_pdc *pdc, const struct uet_pdc_up *up);
u32 __wrap_uet_pdc_poll_up_run(struct uet_pdc *pdc, const struct uet_pdc_up *up)
{
	u32 n = __real_uet_pdc_poll_up_run(pdc, up);
	struct model *m = shadow_of(pdc);
	struct uet_pdc_up like = *up, want;
	u32 i;

	for (i = 0; i < n; i++) {
		MODEL_RULE(m, model_next_up(m, &want), "an outcome is not there");
		like.pkt.offset += like.pkt.len;
		shadow_compare_up(m, &like, &want);
	}
	model_compare(m, pdc);
	return n;
}

u64 __real_uet_pdc_deadline(const struct uet_pdc *pdc);
u64 __wrap_uet_pdc_deadline(const struct uet_pdc *pdc)
{
	const struct model *m = shadow_model(pdc);
	u64 at = __real_uet_pdc_deadline(pdc);

	MODEL_RULE(m, at <= model_deadline(m), "it wants to sleep too long");
	MODEL_RULE(m, m->over == (at == UET_NEVER) || at == UET_NEVER,
		   "it is over and wants to be woken");
	MODEL_RULE(m, at != UET_NEVER || m->over || m->tx.una == m->tx.nxt,
		   "it waits for an answer without a clock");
	return at;
}

void __real_uet_pdc_tick(struct uet_pdc *pdc, u64 now);
void __wrap_uet_pdc_tick(struct uet_pdc *pdc, u64 now)
{
	struct model *m = shadow_of(pdc);
	u64 fired = uet_pdc_stats(pdc)->rto_fired;
	bool timed_out;

	__real_uet_pdc_tick(pdc, now);
	fired = uet_pdc_stats(pdc)->rto_fired - fired;
	/* A close that timed out is an error too, but additionally sends a NACK. */
	timed_out = fired && uet_pdc_is_dead(pdc) &&
		    shadow_has_failed(pdc, UET_PDC_ERR_TIMEOUT);
	shadow_say(m, now, "tick%s", timed_out ? ": gives up" :
				     fired ? ": time-out" : "");
	m->tx.slow |= fired > 0;
	model_tick(m, now, timed_out);
	model_compare(m, pdc);
}

void __real_uet_pdc_cc_give_quantum(struct uet_pdc *pdc, u32 packets);
void __wrap_uet_pdc_cc_give_quantum(struct uet_pdc *pdc, u32 packets)
{
	struct model *m = shadow_of(pdc);

	if (packets)
		shadow_say(m, 0, "has a turn of %u packets", packets);
	__real_uet_pdc_cc_give_quantum(pdc, packets);
	m->cc.quantum = packets;
	model_compare(m, pdc);
}

void __real_uet_pdc_close(struct uet_pdc *pdc, u64 now);
void __wrap_uet_pdc_close(struct uet_pdc *pdc, u64 now)
{
	struct model *m = shadow_of(pdc);

	shadow_say(m, now, "is asked to close");
	__real_uet_pdc_close(pdc, now);
	model_close(m, now);
	model_compare(m, pdc);
}

void __real_uet_pdc_abort(struct uet_pdc *pdc, u64 now);
void __wrap_uet_pdc_abort(struct uet_pdc *pdc, u64 now)
{
	struct model *m = shadow_of(pdc);

	shadow_say(m, now, "is aborted");
	__real_uet_pdc_abort(pdc, now);
	model_fail(m, UET_PDC_ERR_ABORT, 0);
	model_compare(m, pdc);
}
