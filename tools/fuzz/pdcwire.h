/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the fuzzers of two PDCs share: the packets in flight, the
 * decision of SES about a request, and the check that answers are reported as
 * they were given.  Each fuzzer selects the events itself, and checks further
 * properties.
 * Level: test.
 */
#ifndef UET_TOOLS_PDCWIRE_H
#define UET_TOOLS_PDCWIRE_H

#include "core/pds/pds.h"
#include "core/wire/psn.h"
#include "fuzz.h"

#define PDCWIRE_MAX	256

/* The ends of a PDC. */
enum { INI, TGT };

/* The answer of the receiver's SES to a packet. */
enum given {
	UNSEEN,
	TAKEN,			/* default response */
	TAKEN_SILENT,		/* no response */
	TAKEN_BAD,		/* error response */
	TAKEN_DATA,		/* response with data */
};

/**
 * struct flight - a packet in flight between two PDCs
 * @to: INI or TGT
 * @ce: marked CE
 * @is_forged: sent by neither PDC
 * @tx: the packet
 */
struct flight {
	int to;
	bool ce;
	bool is_forged;
	struct uet_pdc_tx tx;
};

/**
 * struct pdcwire - all packets in flight, in the order of transmission
 * @flight: packets
 * @nr: number of packets; packets beyond PDCWIRE_MAX are lost
 */
struct pdcwire {
	struct flight flight[PDCWIRE_MAX];
	u32 nr;
};

static inline void pdcwire_put(struct pdcwire *wire, int to,
			       const struct uet_pdc_tx *tx)
{
	if (wire->nr == PDCWIRE_MAX)
		return;
	wire->flight[wire->nr++] = (struct flight) { .to = to, .tx = *tx };
}

/* @pick is below @wire->nr. */
static inline struct flight pdcwire_take(struct pdcwire *wire, u32 pick)
{
	struct flight f = wire->flight[pick];

	wire->nr--;
	memmove(&wire->flight[pick], &wire->flight[pick + 1],
		(wire->nr - pick) * sizeof(wire->flight[0]));
	return f;
}

/**
 * struct pdckept - requests that an end keeps, because they came before others
 * @flight: the requests, in no order
 * @in: how they came
 * @nr: number of requests
 */
struct pdckept {
	struct flight flight[UET_PDC_WINDOW_MAX];
	struct uet_rx_info in[UET_PDC_WINDOW_MAX];
	u32 nr;
};

static inline void pdckept_put(struct pdckept *kept, struct uet_pdc *pdc,
			       const struct flight *f,
			       const struct uet_rx_info *in, u64 now)
{
	FUZZ_CHECK(kept->nr < UET_PDC_WINDOW_MAX);
	kept->flight[kept->nr] = *f;
	kept->in[kept->nr++] = *in;
	uet_pdc_early_keep(pdc, &f->tx.hdr, in, now);
}

/* Take the request that is due. Return: false if none is. */
static inline bool pdckept_take(struct pdckept *kept, struct uet_pdc *pdc,
				struct flight *f, struct uet_rx_info *in)
{
	u32 i, first = 0;

	if (!uet_pdc_early_is_due(pdc))
		return false;
	FUZZ_CHECK(kept->nr);
	for (i = 1; i < kept->nr; i++)
		if (uet_psn_before(kept->flight[i].tx.hdr.u.req.psn,
				   kept->flight[first].tx.hdr.u.req.psn))
			first = i;
	*f = kept->flight[first];
	*in = kept->in[first];
	kept->flight[first] = kept->flight[--kept->nr];
	kept->in[first] = kept->in[kept->nr];
	uet_pdc_early_take(pdc, in);
	return true;
}

/* Deliver an ACK, NACK or control packet, which SES does not decide about. */
static inline void pdcwire_arrive(struct uet_pdc *pdc, const struct flight *f,
				  const struct uet_rx_info *in, u64 now)
{
	const struct uet_pds_hdr *hdr = &f->tx.hdr;

	switch (f->tx.kind) {
	case UET_TX_REQ:
		break;
	case UET_TX_ACK:
		uet_pdc_rx_ack(pdc, hdr, hdr->next_hdr ? &f->tx.rsp : NULL, in,
			       now);
		break;
	case UET_TX_NACK:
		uet_pdc_rx_nack(pdc, hdr, in, now);
		break;
	case UET_TX_CP:
		uet_pdc_rx_cp(pdc, hdr, in, now);
		break;
	}
}

/**
 * pdcwire_judge() - accept a packet, accept it with an error response, or refuse it
 * @mood: a byte of the input; 0 accepts
 * @rsp: result if accepted: the response, zeroed by the caller
 * @nack_code: result if refused: the reason
 *
 * Return: the answer; UNSEEN means refused.
 */
static inline enum given pdcwire_judge(u32 mood, struct uet_ses_rsp *rsp,
				       u8 *nack_code)
{
	static const u8 refusals[] = {
		UET_NACK_NO_PKT_BUFFER, UET_NACK_NO_SES_MSG_AVAIL,
		UET_NACK_NO_RESOURCE, UET_NACK_NO_GTD_DEL_AVAIL,
	};

	static const u8 data[UET_PDC_ACK_DATA_MAX] = "what was read...";

	rsp->rc = UET_RC_OK;
	switch (mood % 8) {
	case 4:
		rsp->form = mood & 0x80 ? UET_RSP_FORM_SMALL :
					  UET_RSP_FORM_DATA;
		rsp->opcode = UET_RSP_W_DATA;
		rsp->read_msg_id = mood;
		rsp->payload_length = mood % (UET_PDC_ACK_DATA_MAX + 1);
		rsp->data = data;
		return TAKEN_DATA;
	case 5:
		rsp->opcode = UET_RSP_RESPONSE;
		rsp->rc = UET_RC_NO_MATCH;
		return TAKEN_BAD;
	case 6:
		rsp->opcode = UET_RSP_NO_RESPONSE;
		return TAKEN_SILENT;
	case 7:
		*nack_code = mood == 0xff ? UET_NACK_UNEXP_EVENT :
					    refusals[mood / 8 % 4];
		return UNSEEN;
	}
	return TAKEN;
}

/* Answers must be reported as given, and only if one was given. */
static inline void pdcwire_check_answer(const struct uet_pdc_up *up, u8 given)
{
	bool is_bad = up->rsp_opcode == UET_RSP_RESPONSE &&
		      up->rc == UET_RC_NO_MATCH;

	FUZZ_CHECK(given != UNSEEN);
	FUZZ_CHECK(is_bad == (given == TAKEN_BAD));
	FUZZ_CHECK(given == TAKEN_BAD || up->rc == UET_RC_OK);
	FUZZ_CHECK(given != TAKEN || up->rsp_opcode == UET_RSP_DEFAULT);
	FUZZ_CHECK((given == TAKEN_DATA) == (up->rsp_opcode == UET_RSP_W_DATA));
}

/* Four bits of the input select the parameters of both PDCs. */
static inline struct uet_pdc_cfg pdcwire_cfg(u32 options)
{
	static const u16 windows[] = { 128, 128, 256, 1024 };
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	cfg.window = windows[options & 3];
	cfg.peer_timeout_ns = (options & 3) == 1 ? 3000000000 : 0;
	cfg.ack_per_pkt = options & 4;
	cfg.max_nack_retx = options & 8 ? 2 : UET_PDC_NACK_RETX_FOREVER;
	return cfg;
}

#endif /* UET_TOOLS_PDCWIRE_H */
