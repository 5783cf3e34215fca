// SPDX-License-Identifier: GPL-2.0
/*
 * States of the explorer: copies, and hashes.  The state is always at the same address, so
 * its pointers need no translation, and equal bytes are equal states.  Some bytes differ
 * although the behaviour does not: times count from now, serial numbers from the next one,
 * and statistics do not count.  The order of packets in flight has no meaning.
 * Level: test.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "explore.h"

struct ex_state ex;
struct ex_run ex_run;

/**
 * ex_fail() - note that an invariant does not hold
 * @fmt: which one, as printf(); only the first one is kept
 */
void ex_fail(const char *fmt, ...)
{
	va_list ap;

	if (ex_run.failed)
		return;
	ex_run.failed = true;
	va_start(ap, fmt);
	vsnprintf(ex_run.why, sizeof(ex_run.why), fmt, ap);
	va_end(ap);
}

/**
 * ex_note() - print what happens, if wanted
 * @fmt: text, as printf()
 */
void ex_note(const char *fmt, ...)
{
	va_list ap;

	if (!ex_run.prints)
		return;
	printf("#       ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

static void state_cfg(const struct ex_world *world)
{
	struct uet_pdc_cfg *cfg = &ex_run.cfg;

	*cfg = uet_pdc_cfg_default;
	/* So small that a few packets fill it; a peer states such a window by MPR 0. */
	cfg->window = world->window ?: 4;
	cfg->mpr_zero = cfg->window;
	cfg->max_gtd = world->max_gtd;
	cfg->peer_timeout_ns = 0;
	cfg->rto_max_ns = 80 * EX_MS;
	cfg->idle_ns = EX_S;
	cfg->target_idle_ns = 3 * EX_S;
	cfg->new_pdc_ns = EX_S;
}

/**
 * ex_begin() - make the first state of a world, in which the first message was sent
 * @world: the world
 * @faults: faults that may happen
 */
void ex_begin(const struct ex_world *world, u8 faults)
{
	memset(&ex, 0, sizeof(ex));
	ex_run.world = world;
	ex_run.failed = false;
	ex_run.overflows = false;
	state_cfg(world);
	/* Not 0, so that an uninitialised time stamp is detected. */
	ex.now = EX_S;
	ex.next_id[0] = 0x100;
	ex.next_id[1] = 0x200;
	memcpy(ex.left, world->most, sizeof(ex.left));
	ex.faults = faults;
	if (world->is_secure)
		ex_secure_init();
	ex_do(&(struct ex_action) { .kind = EX_DO_SUBMIT });
}

/* ------------------------------------------------------------------------ copies */

/* The parts of the state that are used, one behind the other. */
struct ex_copy {
	size_t space;
	u8 bytes[];
};

/* Bytes before the secure domains, which only sealed packets need. */
static size_t state_head(void)
{
	return ex_run.world->is_secure ? offsetof(struct ex_state, pdc) :
					 offsetof(struct ex_state, sd);
}

static size_t state_pdc_len(const struct ex_pdc *p)
{
	return !p->is_used || p->is_dead ? offsetof(struct ex_pdc, block) :
	       offsetof(struct ex_pdc, early) + p->nr_early * sizeof(p->early[0]);
}

/* Each part of the state that is in use.  Return: the end of the copy. */
static u8 *state_walk(u8 *at, void (*step)(void *part, u8 *at, size_t len))
{
	struct ex_pdc *p;
	u32 n, i;

	step(&ex, at, state_head());
	at += state_head();
	for (n = 0; n < EX_NODES; n++) {
		for (i = 0; i < EX_PDCS; i++) {
			p = &ex.pdc[n][i];
			/* When a copy is taken back, this length comes with the first bytes. */
			step(p, at, offsetof(struct ex_pdc, block));
			step(p, at, state_pdc_len(p));
			at += state_pdc_len(p);
		}
	}
	step(ex.frame, at, ex.nr_frames * sizeof(ex.frame[0]));
	return at + ex.nr_frames * sizeof(ex.frame[0]);
}

static void state_out(void *part, u8 *at, size_t len)
{
	memcpy(at, part, len);
}

static void state_in(void *part, u8 *at, size_t len)
{
	memcpy(part, at, len);
}

static void state_len(void *part, u8 *at, size_t len)
{
	(void)part;
	(void)at;
	(void)len;
}

/**
 * ex_copy_take() - copy the present state
 * @old: copy that is no longer needed, or NULL
 *
 * Return: the copy.
 */
struct ex_copy *ex_copy_take(struct ex_copy *old)
{
	size_t len = state_walk(NULL, state_len) - (u8 *)NULL;

	if (!old || old->space < len) {
		old = realloc(old, sizeof(*old) + len);
		if (!old)
			abort();
		old->space = len;
	}
	state_walk(old->bytes, state_out);
	return old;
}

/**
 * ex_copy_back() - return to an earlier state
 * @copy: its copy
 */
void ex_copy_back(const struct ex_copy *copy)
{
	state_walk((u8 *)copy->bytes, state_in);
	ex_run.failed = false;
	ex_run.overflows = false;
	ex_run.refuse = 0;
}

/* ------------------------------------------------------------------------ hashes */

static u64 hash_mix(u64 a, u64 b)
{
	__uint128_t product = (__uint128_t)(a ^ 0x9e3779b97f4a7c15ULL) *
			      (b ^ 0xd1b54a32d192ed03ULL);

	return (u64)product ^ (u64)(product >> 64);
}

static u64 hash_bytes(u64 hash, const void *bytes, size_t len)
{
	const u8 *at = bytes;
	u64 word[2];

	for (; len >= sizeof(word); len -= sizeof(word), at += sizeof(word)) {
		memcpy(word, at, sizeof(word));
		hash = hash_mix(hash ^ word[0], word[1] + hash);
	}
	word[0] = len;
	word[1] = 0;
	memcpy(&word[1], at, min_t(size_t, len, 8));
	if (len > 8)
		memcpy(word, at + 8, len - 8);
	return hash_mix(hash ^ word[0], word[1] + hash);
}

/* A time as the distance from now; those that mean "none" stay. */
static void hash_time(u64 *at)
{
	if (*at && *at != UET_NEVER)
		*at -= ex.now;
}

static void hash_slots(struct uet_pdc *core, struct uet_pdc_slot *slots)
{
	const struct uet_pdc_txh *tx = &core->tx;
	u32 window = ex_run.cfg.window, i;
	struct uet_pdc_slot *slot;

	for (i = 0; i < window; i++) {
		slot = &slots[(tx->una_reported + i - core->start_psn) & (window - 1)];
		if (slot->state == UET_SLOT_FREE) {
			memset(slot, 0, sizeof(*slot));
			continue;
		}
		hash_time(&slot->sent_ns);
		hash_time(&slot->first_ns);
		slot->xmit = slot->sends ? slot->xmit - tx->xmit : 0;
		if (slot->state == UET_SLOT_DONE) {
			slot->answer -= (u32)core->stats.rx_ack;
		} else {
			hash_time(&slot->backoff_until);
			if (slot->nacks_in_row)
				slot->nacks_progress -= tx->progress;
		}
	}
}

static void hash_tx(struct uet_pdc_txh *tx)
{
	if (tx->rto_at == UET_NEVER)
		tx->silent_ns = 0;
	hash_time(&tx->rto_at);
	hash_time(&tx->silent_ns);
	hash_time(&tx->reorder_at);
	hash_time(&tx->backoff_at);
	hash_time(&tx->pause.until);
	hash_time(&tx->pause.since);
	hash_time(&tx->pause.refused_ns);
	hash_time(&tx->tail.at);
	if (!tx->tail.is_out)
		tx->tail.sent_ns = 0;
	hash_time(&tx->tail.sent_ns);
	tx->rack = tx->rack ? tx->rack - tx->xmit : 0;
	tx->tail.xmit = tx->tail.is_out ? tx->tail.xmit - tx->xmit : 0;
	tx->xmit = 0;
	tx->progress = 0;
}

static void hash_echo(struct uet_pdc_echo *echo)
{
	echo->at = uet_pdc_echo_at(ex.now) - echo->at;
}

/* Responses up to CACK_PSN are forgotten, and those behind the end are old. */
static void hash_rxslots(const struct uet_pdc *core, struct uet_pdc_rxslot *slots)
{
	const struct uet_pdc_rxh *rx = &core->rx;
	u32 window = ex_run.cfg.window, i;
	struct uet_pdc_rxslot *slot;

	for (i = 1; i <= window; i++) {
		slot = &slots[(rx->cack + i) & (window - 1)];
		if (i >= rx->end - rx->cack)
			memset(slot, 0, sizeof(*slot));
		else if (!rx->nr_own || !uet_psn_map_test(&rx->own, rx->cack + i))
			memset(&slot->echo, 0, sizeof(slot->echo));
		else
			hash_echo(&slot->echo);
	}
}

static void hash_answers(const struct uet_pdc_rxh *rx, struct uet_pdc_answers *answers)
{
	u32 i;

	if (rx->ack_now || rx->ack_at != UET_NEVER) {
		hash_echo(&answers->trigger);
	} else {
		memset(&answers->trigger, 0, sizeof(answers->trigger));
		memset(&answers->trigger_rsp, 0, sizeof(answers->trigger_rsp));
	}
	if (rx->probed)
		hash_echo(&answers->probe);
	else
		memset(&answers->probe, 0, sizeof(answers->probe));
	for (i = 0; i < UET_PDC_NACKS; i++)
		if ((i - rx->nack_first) % UET_PDC_NACKS < rx->nr_nacks)
			hash_echo(&answers->nacks[i].echo);
		else
			memset(&answers->nacks[i], 0, sizeof(answers->nacks[i]));
}

static void hash_rx(struct uet_pdc_rxh *rx)
{
	if (!rx->sack_pending) {
		rx->sack_first = 0;
		rx->sack_last = 0;
	}
	if (!rx->nr_nacks)
		rx->nack_first = 0;
	hash_time(&rx->ack_at);
	hash_time(&rx->gtd_at);
}

/* The statistics that the core itself uses. */
static void hash_stats(struct uet_pdc *core)
{
	struct uet_pdc_stats *stats = &core->stats;
	u64 heard = stats->rx_req + stats->rx_dup + stats->rx_ooo + stats->rx_ack +
		    stats->rx_nack + stats->rx_cp;
	bool acked = stats->rx_ack, nacked = stats->rx_nack;

	core->rival.heard = core->rival.until ? core->rival.heard - heard : 0;
	memset(stats, 0, sizeof(*stats));
	stats->rx_ack = acked;
	stats->rx_nack = nacked;
}

/* Offset in the block of what a pointer of the core points to. */
static size_t hash_offset(const struct ex_pdc *p, const void *part)
{
	return (const u8 *)part - p->block;
}

static u64 hash_pdc(u64 hash, const struct ex_pdc *p)
{
	struct ex_pdc copy;
	struct uet_pdc *core = ex_core(&copy);
	u32 i;

	memcpy(&copy, p, state_pdc_len(p));
	hash_time(&copy.gone_ns);
	if (p->is_dead || !p->is_used)
		return hash_bytes(hash, &copy, offsetof(struct ex_pdc, block));
	hash_slots(core, (void *)(copy.block + hash_offset(p, core->tx.slots)));
	hash_rxslots(core, (void *)(copy.block + hash_offset(p, core->rx.slots)));
	hash_answers(&core->rx, (void *)(copy.block + hash_offset(p, core->rx.answers)));
	hash_rx(&core->rx);
	hash_tx(&core->tx);
	hash_stats(core);
	hash_time(&core->new_at);
	hash_time(&core->active_ns);
	hash_time(&core->close_at);
	hash_time(&core->orphan_at);
	hash_time(&core->rival.until);
	core->opened_ns = 0;
	core->heard_ns = 0;
	memset(&core->ev, 0, sizeof(core->ev));
	hash_time(&copy.ses.read_at);
	hash_time(&copy.ses.gen.at);
	copy.ses.gen.now = 0;
	copy.ses.rx_psn = 0;
	for (i = 0; i < EX_RXS; i++)
		if (!copy.rx[i].is_used)
			memset(&copy.rx[i], 0, sizeof(copy.rx[i]));
	hash_time(&copy.ses.gen.since);
	for (i = 0; i < p->nr_early; i++)
		hash_time(&copy.early[i].born_ns);
	return hash_bytes(hash, &copy, state_pdc_len(p));
}

/* Nothing compares the sending state of a message that has ended, nor unset marks. */
static u64 hash_msg(u64 hash, const struct ex_msg *msg)
{
	struct ex_msg copy = *msg;

	if (msg->is_done) {
		memset(&copy.tx, 0, sizeof(copy.tx));
		copy.got = 0;
	}
	if (!copy.tx.none.is_set)
		memset(&copy.tx.told, 0, sizeof(copy.tx.told));
	return hash_bytes(hash, &copy, sizeof(copy));
}

/**
 * ex_frame_hash() - hash of a packet in flight
 * @frame: the packet
 *
 * Return: the same for packets that are alike.
 */
u64 ex_frame_hash(const struct ex_frame *frame)
{
	struct ex_frame copy;

	memcpy(&copy, frame, offsetof(struct ex_frame, data) + frame->len);
	hash_time(&copy.born_ns);
	return hash_bytes(1, &copy, offsetof(struct ex_frame, data) + frame->len);
}

/**
 * ex_hash() - hash of the present state, whatever faults are left
 *
 * Return: the hash, not 0.
 */
u64 ex_hash(void)
{
	u64 hash = hash_mix(ex.excuse, ex.submitted << 16 | ex.randoms), frames = 0;
	u32 n, i;

	hash = hash_bytes(hash, ex.next_id, sizeof(ex.next_id));
	hash = hash_bytes(hash, ex.proven, sizeof(ex.proven));
	if (ex_run.world->is_secure)
		hash = hash_bytes(hash, ex.sd, offsetof(struct ex_state, pdc) -
					       offsetof(struct ex_state, sd));
	for (i = 0; i < ex.submitted; i++)
		hash = hash_msg(hash, &ex.msg[i]);
	for (n = 0; n < EX_NODES; n++)
		for (i = 0; i < EX_PDCS; i++)
			if (ex.pdc[n][i].is_used)
				hash = hash_pdc(hash + i, &ex.pdc[n][i]);
	for (i = 0; i < ex.nr_frames; i++)
		frames += ex_frame_hash(&ex.frame[i]);
	return hash_mix(hash, frames) ?: 1;
}

/**
 * ex_hash_faults() - hash of the present state and of the faults that are left
 * @hash: from ex_hash()
 *
 * Return: the hash, not 0.
 */
u64 ex_hash_faults(u64 hash)
{
	return hash_bytes(hash + ex.faults, ex.left, sizeof(ex.left)) ?: 1;
}
