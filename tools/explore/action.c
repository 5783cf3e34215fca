// SPDX-License-Identifier: GPL-2.0
/*
 * The actions of the explorer in a state: packets arrive in any order, timers expire,
 * messages are sent, and faults happen as often as the world permits.  A timer expires
 * when its time comes; time passes only so.
 * Level: test.
 */
#include <setjmp.h>
#include <signal.h>

#include "explore.h"

/* A reserved NACK code. */
#define ACTION_NO_CODE	0x0c

static bool action_is_living(const struct ex_pdc *p)
{
	return p->is_used && !p->is_dead;
}

static u32 action_messages(void)
{
	u32 n = 0;

	while (n < EX_MSGS && ex_run.world->msg[n].opcode)
		n++;
	return n;
}

/* The earliest deadline of all PDCs. */
static u64 action_first(void)
{
	u64 first = UET_NEVER;
	u32 n, i;

	for (n = 0; n < EX_NODES; n++)
		for (i = 0; i < EX_PDCS; i++)
			first = min(first, ex_pdc_deadline(&ex.pdc[n][i]));
	return first;
}

/* No packet in flight outlives @at. */
static bool action_outlives(u64 at)
{
	u32 i;

	for (i = 0; i < ex.nr_frames; i++)
		if (uet_ns_since(at, ex.frame[i].born_ns) > EX_LIFE_NS)
			return false;
	return true;
}

static bool action_decode(const struct ex_frame *frame, struct uet_pds_hdr *hdr)
{
	size_t at = ex_run.world->is_secure ? UET_TSS_LEN : 0, used;

	return !uet_wire_pds_decode(frame->data + at, frame->len - at, hdr, &used);
}

static bool action_is_req(const struct uet_pds_hdr *hdr)
{
	return uet_wire_ty(hdr->type)->kind == UET_TK_REQ;
}

/* The PDC of node 1 that a packet without SYN belongs to. */
static struct ex_pdc *action_target(const struct uet_pds_hdr *hdr)
{
	struct ex_pdc *p;

	for (p = ex.pdc[1]; p != ex.pdc[1] + EX_PDCS; p++)
		if (action_is_living(p) && p->id == hdr->u.req.dpdcid)
			return p;
	return NULL;
}

/* Requests behind this one are kept. */
static bool action_fills_gap(const struct uet_pds_hdr *hdr)
{
	const struct ex_pdc *p = hdr->flags & UET_F_SYN ? NULL : action_target(hdr);

	return p && p->nr_early;
}

/* The PDC may go: its initiator does not open it any more, and no SYN is in flight. */
static bool action_may_forget(const struct ex_pdc *p)
{
	struct uet_pds_hdr hdr;
	struct ex_pdc *peer;
	u32 i;

	if (uet_pdc_state(ex_core((struct ex_pdc *)p)) != UET_PDC_ST_ESTABLISHED)
		return false;
	for (peer = ex.pdc[0]; peer != ex.pdc[0] + EX_PDCS; peer++)
		if (action_is_living(peer) && peer->id == p->peer_id &&
		    uet_pdc_state(ex_core(peer)) == UET_PDC_ST_SYN_SENT)
			return false;
	for (i = 0; i < ex.nr_frames; i++)
		if (!ex.frame[i].from && action_decode(&ex.frame[i], &hdr) &&
		    uet_wire_ty(hdr.type)->kind != UET_TK_ACK &&
		    uet_wire_ty(hdr.type)->kind != UET_TK_NACK &&
		    hdr.flags & UET_F_SYN)
			return false;
	return true;
}

static bool action_may(enum ex_fault fault)
{
	return ex.faults && ex.left[fault];
}

static void action_spend(enum ex_fault fault)
{
	ex.faults--;
	ex.left[fault]--;
}

static void action_add(struct ex_action *a, u32 *n, struct ex_action what)
{
	if (*n < EX_ACTIONS)
		a[(*n)++] = what;
}

static void action_add_fault(struct ex_action *a, u32 *n, enum ex_fault fault, u8 node,
			     u8 index, u8 code)
{
	if (action_may(fault))
		action_add(a, n, (struct ex_action) {
			.kind = EX_DO_FAULT, .fault = fault, .node = node,
			.index = index, .code = code,
		});
}

/* The same packet is earlier among those in flight. */
static bool action_is_again(u32 i)
{
	u64 hash = ex_frame_hash(&ex.frame[i]);
	u32 k;

	for (k = 0; k < i; k++)
		if (ex_frame_hash(&ex.frame[k]) == hash)
			return true;
	return false;
}

/* Codes that nack.def knows, and one that it does not. */
static bool action_is_code(u8 code)
{
	const struct uet_nack_prop *prop = uet_wire_nack(code);

	return code == ACTION_NO_CODE || prop->open != UET_NA_UNKNOWN ||
	       prop->syn_sent != UET_NA_UNKNOWN;
}

/* With the action RETRY a target states that it has no such PDC, so it must not have one. */
static bool action_is_honest(const struct uet_pds_hdr *hdr, u8 code)
{
	const struct ex_pdc *p;

	if (uet_wire_nack(code)->open != UET_NA_RETRY)
		return true;
	p = hdr->flags & UET_F_SYN ? NULL : action_target(hdr);
	return p && action_may_forget(p);
}

static void action_add_frame(struct ex_action *a, u32 *n, u32 i)
{
	const struct ex_frame *frame = &ex.frame[i];
	struct uet_pds_hdr hdr = {};
	u32 code;

	if (action_is_again(i))
		return;
	action_add(a, n, (struct ex_action) { .kind = EX_DO_DELIVER, .index = i });
	action_add_fault(a, n, EX_LOSE, frame->from, i, 0);
	action_add_fault(a, n, EX_DUP, frame->from, i, 0);
	action_add_fault(a, n, EX_MARK, frame->from, i, 0);
	if (ex_run.world->is_secure)
		action_add_fault(a, n, EX_CORRUPT, frame->from, i, 0);
	if (!action_decode(frame, &hdr) || !action_is_req(&hdr))
		return;
	if (!(hdr.flags & UET_F_SYN) && !ex_run.world->is_secure)
		action_add_fault(a, n, EX_TRIM, frame->from, i, 0);
	if (frame->from)
		return;
	action_add_fault(a, n, EX_REFUSE, frame->from, i, UET_NACK_NO_RESOURCE);
	if (action_may(EX_REFUSE) && action_fills_gap(&hdr)) {
		action_add_fault(a, n, EX_REFUSE, frame->from, i, UET_NACK_NO_RESOURCE);
		a[*n - 1].is_kept = true;
	}
	for (code = 1; code <= U8_MAX && action_may(EX_NACK); code++)
		if (action_is_code(code) && action_is_honest(&hdr, code))
			action_add_fault(a, n, EX_NACK, frame->from, i, code);
}

static void action_add_pdc(struct ex_action *a, u32 *n, struct ex_pdc *p, u64 first)
{
	u8 index = p - ex.pdc[p->node];
	u64 at = ex_pdc_deadline(p);
	bool is_early = ex.nr_frames || at != first;

	if (!action_is_living(p))
		return;
	if (at != UET_NEVER && at - first <= EX_SLACK_NS && action_outlives(at) &&
	    (!is_early || action_may(EX_EARLY)))
		action_add(a, n, (struct ex_action) {
			.kind = EX_DO_TICK, .node = p->node, .index = index,
		});
	if (uet_pdc_allows(ex_core(p), UET_PDC_EV_CLOSE) && !ex_core(p)->will_close)
		action_add_fault(a, n, EX_CLOSE, p->node, index, 0);
	if (p->role != UET_PDC_TARGET)
		return;
	action_add_fault(a, n, EX_ABORT, p->node, index, 0);
	if (action_may(EX_FORGET) && action_may_forget(p))
		action_add_fault(a, n, EX_FORGET, p->node, index, 0);
}

/**
 * ex_actions() - all that can happen in the present state
 * @a: result, EX_ACTIONS at most
 *
 * Return: their number.
 */
u32 ex_actions(struct ex_action *a)
{
	u64 first = action_first();
	u32 n = 0, i, k;

	for (i = 0; i < ex.nr_frames; i++)
		action_add_frame(a, &n, i);
	action_add_fault(a, &n, EX_REKEY, 0, 0, 0);
	if (ex.submitted < action_messages())
		action_add(a, &n, (struct ex_action) { .kind = EX_DO_SUBMIT });
	for (k = 0; k < EX_NODES; k++)
		for (i = 0; i < EX_PDCS; i++)
			if (ex.pdc[k][i].is_used)
				action_add_pdc(a, &n, &ex.pdc[k][i], first);
	return n;
}

/**
 * ex_action_fair() - what happens next if nothing goes wrong any more
 * @a: result
 *
 * The order depends only on the state, so alike states continue alike.
 *
 * Return: false at the end of the world.
 */
bool ex_action_fair(struct ex_action *a)
{
	u64 first = action_first(), hash, least = U64_MAX;
	u32 i, k;

	memset(a, 0, sizeof(*a));
	a->kind = EX_DO_DELIVER;
	for (i = 0; i < ex.nr_frames; i++) {
		hash = ex_frame_hash(&ex.frame[i]);
		if (hash <= least) {
			least = hash;
			a->index = i;
		}
	}
	if (ex.nr_frames)
		return true;
	if (ex.submitted < action_messages()) {
		a->kind = EX_DO_SUBMIT;
		return true;
	}
	a->kind = EX_DO_TICK;
	for (k = 0; k < EX_NODES; k++)
		for (i = 0; i < EX_PDCS; i++)
			if (first != UET_NEVER &&
			    ex_pdc_deadline(&ex.pdc[k][i]) == first) {
				a->node = k;
				a->index = i;
				return true;
			}
	return false;
}

/* ------------------------------------------------------------------------ execution */

/* An assertion of the core, or an access that the memory does not allow. */
static sigjmp_buf action_crash;

static void action_on_crash(int signo)
{
	(void)signo;
	siglongjmp(action_crash, 1);
}

/**
 * ex_catch() - let crashes of the core be violations
 */
void ex_catch(void)
{
	struct sigaction act = { .sa_handler = action_on_crash, .sa_flags = SA_NODEFER };

	sigaction(SIGABRT, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
}

static void action_tick(struct ex_pdc *p)
{
	u64 at = ex_pdc_deadline(p);

	if (ex.nr_frames || at != action_first())
		action_spend(EX_EARLY);
	ex.now = at;
	if (uet_pdc_deadline(ex_core(p)) <= ex.now)
		uet_pdc_tick(ex_core(p), ex.now);
	ex_pdc_run(p);
}

/* Whether a NACK with this code may end messages. */
static bool action_is_fatal(u8 code)
{
	const struct uet_nack_prop *prop = uet_wire_nack(code);

	return prop->open == UET_NA_FATAL || prop->open == UET_NA_RETRY ||
	       prop->syn_sent == UET_NA_FATAL;
}

static void action_deliver(const struct ex_action *a)
{
	struct ex_frame frame = ex.frame[a->index];
	bool is_fault = a->kind == EX_DO_FAULT;
	struct ex_pdc *gone = NULL;
	struct uet_pds_hdr hdr;

	if (!is_fault || a->fault != EX_DUP)
		ex_frame_drop(a->index);
	if (is_fault && a->fault == EX_LOSE)
		return;
	if (is_fault && a->fault == EX_TRIM) {
		ex_receive_trimmed(&frame);
		return;
	}
	frame.is_touched = is_fault && a->fault == EX_CORRUPT;
	frame.is_marked = is_fault && a->fault == EX_MARK;
	ex_run.refuse = is_fault ? a->code : 0;
	ex_run.refuses_kept = a->is_kept;
	if (is_fault && a->fault == EX_NACK && action_is_fatal(a->code))
		ex.excuse = true;
	if (is_fault && a->fault == EX_NACK && action_decode(&frame, &hdr) &&
	    uet_wire_nack(a->code)->open == UET_NA_RETRY)
		gone = action_target(&hdr);
	ex_receive(&frame);
	ex_run.refuse = 0;
	if (gone && action_is_living(gone))
		ex_pdc_forget(gone);
}

static void action_fault_pdc(const struct ex_action *a)
{
	struct ex_pdc *p = &ex.pdc[a->node][a->index];

	if (p->role == UET_PDC_TARGET)
		ex.excuse = true;
	if (a->fault == EX_FORGET) {
		ex_pdc_forget(p);
		return;
	}
	if (a->fault == EX_ABORT)
		uet_pdc_abort(ex_core(p), ex.now);
	else
		uet_pdc_close(ex_core(p), ex.now);
	ex_pdc_run(p);
}

/* TIME_WAIT has ended. */
static void action_expire(void)
{
	struct ex_pdc *p;
	u32 n;

	for (n = 0; n < EX_NODES; n++)
		for (p = ex.pdc[n]; p != ex.pdc[n] + EX_PDCS; p++)
			if (p->is_dead && ex.now >= p->gone_ns)
				memset(p, 0, sizeof(*p));
}

/**
 * ex_do() - let something happen
 * @a: what
 */
void ex_do(const struct ex_action *a)
{
	if (sigsetjmp(action_crash, 0)) {
		ex_fail("the core crashes: see the line above, or a debugger");
		return;
	}
	switch (a->kind) {
	case EX_DO_SUBMIT:
		ex_app_submit();
		break;
	case EX_DO_TICK:
		action_tick(&ex.pdc[a->node][a->index]);
		break;
	case EX_DO_DELIVER:
		action_deliver(a);
		break;
	case EX_DO_FAULT:
		action_spend(a->fault);
		if (a->fault == EX_REKEY)
			ex_secure_rekey();
		else if (a->fault == EX_CLOSE || a->fault == EX_ABORT ||
		    a->fault == EX_FORGET)
			action_fault_pdc(a);
		else
			action_deliver(a);
		break;
	}
	action_expire();
	ex_check();
}

/* -------------------------------------------------------------------------- output */

static void action_print_frame(const struct ex_frame *frame, FILE *out)
{
	struct uet_pds_hdr hdr = {};

	fprintf(out, "%u->%u ", frame->from, !frame->from);
	if (!action_decode(frame, &hdr)) {
		fprintf(out, "?");
		return;
	}
	switch (uet_wire_ty(hdr.type)->kind) {
	case UET_TK_REQ:
		fprintf(out, "request PSN %x%s%s", hdr.u.req.psn,
			hdr.flags & UET_F_SYN ? " SYN" : "",
			hdr.flags & UET_F_RETX ? " again" : "");
		break;
	case UET_TK_ACK:
		fprintf(out, "ACK of %x, CACK %x, SACK %llx from %x",
			hdr.u.ack.cack_psn + (u32)hdr.u.ack.ack_off, hdr.u.ack.cack_psn,
			(unsigned long long)hdr.u.ack.sack_bitmap,
			hdr.u.ack.cack_psn + (u32)hdr.u.ack.sack_off);
		break;
	case UET_TK_NACK:
		fprintf(out, "NACK %s of %x", uet_wire_nack(hdr.u.nack.code)->name,
			hdr.u.nack.psn);
		break;
	default:
		fprintf(out, "control %s PSN %x%s%s", uet_wire_ctl(hdr.next_hdr)->name,
			hdr.u.cp.psn, hdr.flags & UET_F_SYN ? " SYN" : "",
			hdr.flags & UET_F_RETX ? " again" : "");
	}
}

/**
 * ex_action_print() - print what is about to happen in the present state
 * @a: action
 * @out: output file
 */
void ex_action_print(const struct ex_action *a, FILE *out)
{
	static const char * const names[EX_FAULTS] = {
		[EX_LOSE] = "lose", [EX_DUP] = "duplicate", [EX_TRIM] = "trim",
		[EX_CORRUPT] = "corrupt", [EX_CLOSE] = "close", [EX_ABORT] = "abort",
		[EX_MARK] = "mark", [EX_FORGET] = "forget", [EX_REFUSE] = "refuse", [EX_NACK] = "refuse",
	};
	const struct ex_pdc *p = &ex.pdc[a->node][a->index];

	switch (a->kind) {
	case EX_DO_SUBMIT:
		fprintf(out, "send message %u", ex.submitted + 1);
		return;
	case EX_DO_TICK:
		fprintf(out, "timer of node %u PDC %x after %.3f ms", a->node, p->id,
			(double)(ex_pdc_deadline((struct ex_pdc *)p) - ex.now) / EX_MS);
		return;
	case EX_DO_DELIVER:
		fprintf(out, "deliver ");
		break;
	case EX_DO_FAULT:
		if (a->fault == EX_REKEY) {
			fprintf(out, "both nodes use another key");
			return;
		}
		fprintf(out, "%s ", names[a->fault]);
		if (a->fault == EX_CLOSE || a->fault == EX_ABORT ||
		    a->fault == EX_FORGET) {
			fprintf(out, "node %u PDC %x", a->node, p->id);
			return;
		}
	}
	action_print_frame(&ex.frame[a->index], out);
	if (a->kind == EX_DO_FAULT && a->code)
		fprintf(out, "%s with %s", a->is_kept ? ", the one behind it" : "",
			uet_wire_nack(a->code)->name);
}

/**
 * ex_action_write() - write an action so that ex_action_read() reads it
 * @a: action
 * @out: output file
 */
void ex_action_write(const struct ex_action *a, FILE *out)
{
	fprintf(out, "%x.%x.%x.%x.%x.%x ", a->kind, a->fault, a->node, a->index, a->code,
		a->is_kept);
}

/* Can it happen in the present state? */
static bool action_is_possible(const struct ex_action *a)
{
	struct ex_action all[EX_ACTIONS];
	u32 n = ex_actions(all), i;

	for (i = 0; i < n; i++)
		if (all[i].kind == a->kind && all[i].fault == a->fault &&
		    all[i].node == a->node && all[i].index == a->index &&
		    all[i].code == a->code && all[i].is_kept == a->is_kept)
			return true;
	return false;
}

/**
 * ex_action_read() - read an action that can happen in the present state
 * @a: result
 * @text: text of actions; result: behind the action
 *
 * Return: false at the end of the text; a wrong text is a violation.
 */
bool ex_action_read(struct ex_action *a, const char **text)
{
	unsigned int kind, fault, node, index, code, is_kept;
	int len;

	if (sscanf(*text, " %x.%x.%x.%x.%x.%x%n", &kind, &fault, &node, &index, &code,
		   &is_kept, &len) != 6)
		return false;
	*text += len;
	*a = (struct ex_action) {
		.kind = kind, .fault = fault, .node = node, .index = index,
		.code = code, .is_kept = is_kept,
	};
	if (action_is_possible(a))
		return true;
	ex_fail("the trace does not fit the world");
	return false;
}
