/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bench of the tests of ses_tx.c: a sender of messages on a double of a PDC, whose
 * answers the test states.
 */
#ifndef UET_SELFTESTS_SESTX_H
#define UET_SELFTESTS_SESTX_H

#include "sesdouble.h"
#include "utest.h"

#define MTU	1024

struct bench {
	struct uet_pdc pdc;
	struct uet_ses ses;
	struct list_head done;
};

static inline void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, ARRAY_SIZE(b->pdc.pkt));
}

static inline void msg_init(struct uet_ses_tx *tx, u32 length)
{
	double_msg(tx, UET_OP_SEND, length, MTU);
	tx->to.rel = true;
	tx->to.initiator = 99;
	tx->has_hdata = true;
	tx->header_data = 0x1122334455667788ULL;
}

static inline void bench_send(struct bench *b, struct uet_ses_tx *tx, u32 length)
{
	msg_init(tx, length);
	uet_ses_tx_queue(&b->ses, tx);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

/* A bench on which a message is sent. */
static inline void bench_start(struct bench *b, struct uet_ses_tx *tx, u32 length)
{
	bench_init(b);
	bench_send(b, tx, length);
}

static inline void bench_answer(struct bench *b, unsigned int i, u8 opcode, u8 rc)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b->pdc.pkt[i],
		.rsp_opcode = opcode, .rc = rc,
		.xmit = i, .answer = b->pdc.up_nr,
	};
}

/* Packets @i and @j are answered by @opcode and @other, whose ACK is the later. */
static inline void bench_answer_both(struct bench *b, unsigned int i, u8 opcode,
			      unsigned int j, u8 other)
{
	bench_answer(b, min(i, j), i < j ? opcode : other, UET_RC_OK);
	bench_answer(b, max(i, j), i < j ? other : opcode, UET_RC_OK);
	b->pdc.up[b->pdc.up_nr - 2].answer = i < j ? 1 : 2;
	b->pdc.up[b->pdc.up_nr - 1].answer = i < j ? 2 : 1;
}

/* Packet @i is covered by CACK_PSN, and its own answer did not arrive. */
static inline void bench_cover(struct bench *b, unsigned int i)
{
	bench_answer(b, i, UET_RSP_DEFAULT, UET_RC_OK);
	b->pdc.up[b->pdc.up_nr - 1].modified_length = U32_MAX;
}

static inline void bench_lose(struct bench *b, unsigned int i,
		       enum uet_pdc_error error, u8 nack_code)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_FAILED, .pkt = b->pdc.pkt[i],
		.error = error, .nack_code = nack_code,
	};
}

static inline void bench_reap(struct bench *b)
{
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

static inline bool bench_is_done(const struct bench *b, const struct uet_ses_tx *tx)
{
	return double_returned(&b->done, tx);
}

#endif
