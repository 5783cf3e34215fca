// SPDX-License-Identifier: GPL-2.0
/*
 * All 256 NACK codes in each state that takes a NACK: each is reacted to as its
 * type says, and none is answered, whatever it says of which packet.
 * Spec: UE 1.0.1 3.5.12.7, Tables 3-58 and 3-59.  Level: test of core L4.
 */
#include "pdctest.h"

/* The effect of a code on a packet that is in flight, and on the PDC. */
enum effect {
	UNKNOWN,	/* counted, no more */
	NOTHING,
	AGAIN,		/* the packet is sent again at once */
	LATER,		/* nothing is sent for a while, then the packet is */
	FATAL,
};

static const u8 effects[256] = {
	[UET_NACK_TRIMMED] = AGAIN,
	[UET_NACK_TRIMMED_LASTHOP] = AGAIN,
	[UET_NACK_TRIMMED_ACK] = NOTHING,
	[UET_NACK_NO_PDC_AVAIL] = NOTHING,
	[UET_NACK_NO_CCC_AVAIL] = NOTHING,
	[UET_NACK_NO_BITMAP] = NOTHING,
	[UET_NACK_NO_PKT_BUFFER] = LATER,
	[UET_NACK_NO_GTD_DEL_AVAIL] = LATER,
	[UET_NACK_NO_SES_MSG_AVAIL] = LATER,
	[UET_NACK_NO_RESOURCE] = LATER,
	[UET_NACK_PSN_OOR_WINDOW] = LATER,
	[UET_NACK_ROD_OOO] = AGAIN,
	[UET_NACK_INV_DPDCID] = FATAL,
	[UET_NACK_PDC_HDR_MISMATCH] = FATAL,
	[UET_NACK_CLOSING] = FATAL,
	[UET_NACK_CLOSING_IN_ERR] = FATAL,
	[UET_NACK_PKT_NOT_RCVD] = AGAIN,
	[UET_NACK_GTD_RESP_UNAVAIL] = FATAL,
	[UET_NACK_ACK_WITH_DATA] = AGAIN,
	[UET_NACK_INVALID_SYN] = NOTHING,
	[UET_NACK_PDC_MODE_MISMATCH] = FATAL,
	[UET_NACK_RCVD_SES_PROCG] = NOTHING,
	[UET_NACK_UNEXP_EVENT] = FATAL,
	[UET_NACK_RCVR_INFER_LOSS] = AGAIN,
	[UET_NACK_EXP_NACK_NORMAL] = AGAIN,
	[UET_NACK_EXP_NACK_ERR] = AGAIN,
	[UET_NACK_EXP_NACK_FATAL] = FATAL,
};

/* Each with one packet in flight, and no answer pending. */
static void reach(struct pdctest *t, enum uet_pdc_role role,
		  enum uet_pdc_state state)
{
	if (role == UET_PDC_TARGET) {
		pt_accepted(t);
		if (state != UET_PDC_ST_NEW_ESTABLISHED)
			pt_rx_req(t, pt_req(START + 1, UET_F_AR));
		pt_send(t, 1);
		if (state == UET_PDC_ST_CLOSE_WAIT)
			uet_pdc_close(t->pdc, t->now);
	} else if (state == UET_PDC_ST_SYN_SENT) {
		pt_open(t, role);
		pt_send(t, 1);
	} else {
		pt_established(t, state != UET_PDC_ST_CLOSE_ACK_WAIT);
		uet_pdc_hold(t->pdc, state == UET_PDC_ST_QUIESCE, t->now);
		if (state != UET_PDC_ST_ESTABLISHED)
			uet_pdc_close(t->pdc, t->now);
	}
	pt_run(t);
	t->now += 100 * US;
	UTEST_CHECK(pt_state(t) == state, "%s was not reached",
		    uet_pdc_state_name(state));
}

/* A target that sends this code has no PDC for us, whatever its spdcid is. */
static bool is_no_pdc(u8 code)
{
	return code == UET_NACK_INVALID_SYN || code == UET_NACK_NO_PDC_AVAIL ||
	       code == UET_NACK_NO_CCC_AVAIL || code == UET_NACK_NO_BITMAP;
}

/* The same codes mean more while the target has no PDC for us. */
static enum effect effect_of(enum uet_pdc_state state, u8 code, u16 spdcid)
{
	if (state == UET_PDC_ST_SYN_SENT &&
	    (is_no_pdc(code) || (effects[code] == LATER && !spdcid)))
		return LATER;
	if (!spdcid && effects[code] == LATER)
		return NOTHING;
	/* Each other code with a PDCID is from the PDC of the target. */
	return effects[code];
}

static bool is_again(const struct uet_pdc_tx *tx)
{
	return (tx->kind == UET_TX_REQ || tx->kind == UET_TX_CP) && tx->is_retx;
}

static u32 count_again(const struct pdctest *t, const char *at, u32 code)
{
	u32 i, n = 0;

	for (i = 0; i < t->nr_tx; i++) {
		n += is_again(&t->tx[i]);
		UTEST_CHECK(t->tx[i].kind == UET_TX_REQ ||
			    t->tx[i].kind == UET_TX_CP,
			    "%s, code %02x: is answered", at, code);
	}
	return n;
}

/* CLOSE_COMMAND to a target that has forgotten us: closed, and in order. */
static bool is_closed_by(enum uet_pdc_state state, u32 code)
{
	return state == UET_PDC_ST_CLOSE_ACK_WAIT &&
	       code == UET_NACK_INV_DPDCID;
}

static void try_code(enum uet_pdc_role role, enum uet_pdc_state state,
		     u32 code, u16 spdcid)
{
	const char *at = uet_pdc_state_name(state);
	struct pdctest *t = malloc(sizeof(*t));
	enum effect effect = effect_of(state, code, spdcid);
	bool is_pause = effect == LATER;
	enum uet_pdc_state after;
	struct uet_pds_hdr hdr;
	enum uet_drop why;
	u32 again;

	reach(t, role, state);
	hdr = pt_nack(code, t->pdc->tx.una);
	hdr.u.nack.spdcid = spdcid;
	why = pt_rx_nack(t, hdr);
	again = count_again(t, at, code);
	after = pt_state(t);

	UTEST_CHECK(why == (effect == UNKNOWN ? UET_DROP_UNSUPPORTED :
						UET_DROP_NONE),
		    "%s, code %02x: drop reason %u", at, code, why);
	UTEST_CHECK(again == (effect == AGAIN), "%s, code %02x: %u sent again",
		    at, code, again);
	UTEST_CHECK(!!t->pdc->tx.pause.until == is_pause,
		    "%s, code %02x: pause", at, code);
	if (is_closed_by(state, code))
		EXPECT_EQ(after, UET_PDC_ST_CLOSED);
	else if (effect == FATAL)
		EXPECT_EQ(after, UET_PDC_ST_ERROR);
	else if (state == UET_PDC_ST_SYN_SENT && spdcid && !is_no_pdc(code))
		EXPECT_EQ(after, UET_PDC_ST_ESTABLISHED);
	else
		EXPECT_EQ(after, state);
	if (is_pause) {
		pt_expire(t);
		EXPECT_EQ(count_again(t, at, code), 1);
	}
	pt_close(t);
	free(t);
}

static void try_all(enum uet_pdc_role role, enum uet_pdc_state state)
{
	u32 code;

	for (code = 0; code < 256; code++) {
		try_code(role, state, code, PEER_ID);
		try_code(role, state, code, 0);
	}
}

TEST(pdc_codes__initiator_handles_every_nack_code)
{
	try_all(UET_PDC_INITIATOR, UET_PDC_ST_SYN_SENT);
	try_all(UET_PDC_INITIATOR, UET_PDC_ST_ESTABLISHED);
	try_all(UET_PDC_INITIATOR, UET_PDC_ST_QUIESCE);
	try_all(UET_PDC_INITIATOR, UET_PDC_ST_ACK_WAIT);
	try_all(UET_PDC_INITIATOR, UET_PDC_ST_CLOSE_ACK_WAIT);
}

TEST(pdc_codes__target_handles_every_nack_code)
{
	try_all(UET_PDC_TARGET, UET_PDC_ST_NEW_ESTABLISHED);
	try_all(UET_PDC_TARGET, UET_PDC_ST_ESTABLISHED);
	try_all(UET_PDC_TARGET, UET_PDC_ST_CLOSE_WAIT);
}

/* In no state, and for no PSN, does a NACK make a NACK or an ACK. */
TEST(pdc_codes__a_nack_is_never_answered)
{
	u32 code, psn;
	struct pdctest t;

	for (code = 0; code < 256; code++)
		for (psn = START - 2; psn != START + 4; psn++) {
			pt_accepted(&t);
			pt_send(&t, 2);
			pt_rx_nack(&t, pt_nack(code, psn));
			count_again(&t, "target", code);
			pt_close(&t);
		}
}
