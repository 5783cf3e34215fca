/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The double of a PDC for tests of SES: it records what it is given and says what
 * a test has told it to.  It defines the functions of the core that SES calls, so
 * a program that includes it is linked with no PDC.  Level: test.
 */
#ifndef UET_SELFTESTS_SESDOUBLE_H
#define UET_SELFTESTS_SESDOUBLE_H

#include "core/ses/ses.h"

/* Values of uet_pdc_peer_timeout(), and of uet_pdc_longer_pause() at first, ns. */
#define DOUBLE_TIMEOUT	1000
#define DOUBLE_PAUSE	100

/* The header of an ACK of a packet that was sent once. */
static const struct uet_pds_hdr double_ack = { .type = UET_TY_ACK };

/**
 * struct uet_pdc - a PDC that only records
 * @space: packets it will take
 * @pkt: packets taken
 * @nr: how many
 * @up: events to report
 * @up_nr: how many
 * @up_next: next to report
 * @is_held: last word of uet_pdc_hold()
 * @is_closing: uet_pdc_close() was called
 * @first_psn: Start_PSN
 * @takes_no_runs: it takes packets one by one only
 */
struct uet_pdc {
	unsigned int space;
	struct uet_pds_pkt pkt[64];
	unsigned int nr;
	struct uet_pdc_up up[64];
	unsigned int up_nr;
	unsigned int up_next;
	bool is_held;
	bool is_closing;
	u32 first_psn;
	bool takes_no_runs;
};

bool uet_pdc_tx_space(const struct uet_pdc *pdc)
{
	return pdc->nr < pdc->space;
}

u32 uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u64 now)
{
	(void)now;
	pdc->pkt[pdc->nr] = *pkt;
	return pdc->first_psn + pdc->nr++;
}

u32 uet_pdc_tx_reqs(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u32 n, u64 now)
{
	struct uet_pds_pkt next = *pkt;
	u32 i;

	if (pdc->takes_no_runs)
		return 0;
	for (i = 0; i < n && uet_pdc_tx_space(pdc); i++) {
		uet_pdc_tx_req(pdc, &next, now);
		next.offset += next.len;
	}
	return i;
}

/* The outcomes of a test come one by one. */
u32 uet_pdc_poll_up_run(struct uet_pdc *pdc, const struct uet_pdc_up *up)
{
	(void)pdc;
	(void)up;
	return 0;
}

u32 uet_pdc_first_psn(const struct uet_pdc *pdc)
{
	return pdc->first_psn;
}

bool uet_pdc_poll_up(struct uet_pdc *pdc, struct uet_pdc_up *up)
{
	if (pdc->up_next == pdc->up_nr)
		return false;
	*up = pdc->up[pdc->up_next++];
	return true;
}

bool uet_pdc_is_dead(const struct uet_pdc *pdc)
{
	(void)pdc;
	return false;
}

void uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now)
{
	(void)now;
	pdc->is_held = held;
}

u64 uet_pdc_peer_timeout(const struct uet_pdc *pdc)
{
	(void)pdc;
	return DOUBLE_TIMEOUT;
}

u64 uet_pdc_longer_pause(const struct uet_pdc *pdc, u64 last_ns, u64 refused_ns)
{
	(void)pdc;
	(void)refused_ns;
	return last_ns ? 2 * last_ns : DOUBLE_PAUSE;
}

void uet_pdc_close(struct uet_pdc *pdc, u64 now)
{
	(void)now;
	pdc->is_closing = true;
}

bool uet_pdc_takes_messages(const struct uet_pdc *pdc)
{
	return !pdc->is_closing;
}

/* A PDC that takes @space packets, SES on it, and the messages that SES returns. */
static inline void double_open(struct uet_pdc *pdc, struct uet_ses *ses,
			       struct list_head *done, unsigned int space)
{
	memset(pdc, 0, sizeof(*pdc));
	pdc->space = space;
	uet_ses_init(ses);
	INIT_LIST_HEAD(done);
}

/* A message of @length bytes with nothing special.  @opcode: UET_OP_... */
static inline void double_msg(struct uet_ses_tx *tx, u8 opcode, u32 length,
			      u16 mtu)
{
	/* Fields that SES must reset are not 0 before. */
	memset(tx, 0x5a, sizeof(*tx));
	tx->to = (struct uet_ses_addr){ .job = 7, .pid = 3, .ri = 2 };
	tx->length = length;
	tx->avail = length;
	tx->mtu = mtu;
	tx->offset = 0;
	tx->amo = NULL;
	tx->match = 0;
	tx->opcode = opcode;
	tx->has_hdata = false;
	tx->has_more = false;
	tx->is_repeat = false;
	tx->wait_until = 0;
	tx->read.want = opcode == UET_OP_READ ? length : 0;
}

/* Is a message among those that SES has returned? */
static inline bool double_returned(const struct list_head *done,
				   const struct uet_ses_tx *tx)
{
	const struct uet_ses_tx *at;

	list_for_each_entry(at, done, link)
		if (at == tx)
			return true;
	return false;
}

#endif /* UET_SELFTESTS_SESDOUBLE_H */
