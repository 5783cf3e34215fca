/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State that congestion control keeps for each packet in flight, the arithmetic of the ACK
 * fields, and flow control by the destination.
 *
 * Implements UE 1.0.1 3.6.12.2 (nominal packet size), 3.6.13 (RTT samples, received bytes,
 * rcv_cwnd_pend, rc), Tables 3-74 and 3-75 (units).  Level: core L3.
 */
#ifndef UET_CORE_CC_PKT_H
#define UET_CORE_CC_PKT_H

#include "core/shim.h"
#include "core/wire/wire_codes.h"

/* Bytes added for headers in front of UDP or entropy header, the same for all packets. */
#define UET_CC_NOMINAL_ADD	40

/* Unit of rcvd_bytes, credit and credit_target, bytes. */
#define UET_CC_UNIT		256

/* State of a packet at its source. */
enum uet_cc_pkt_state {
	UET_CC_PKT_NONE,	/* not sent, or acknowledged */
	UET_CC_PKT_OUT,		/* in flight */
	UET_CC_PKT_WAITS,	/* lost or refused, waits for retransmission */
};

/*
 * struct uet_cc_pkt - record of a packet, one for each PSN of a window; all zero: not sent
 * @sent_ns: start of the latest transmission
 * @sends: number of transmissions, saturates at UET_CC_SENDS_MAX
 */
struct uet_cc_pkt {
	u64 sent_ns;
	u16 ev;
	u16 size;
	u8 sends;
	u8 state;
};

#define UET_CC_SENDS_MAX	3

/*
 * The size that both ends use to account for a packet (UE 1.0.1 3.6.12.2).  @len: bytes from the
 * UDP header, or from the entropy header without UDP, to the end of the packet, as sent.
 */
static inline u16 uet_cc_nominal(u32 len)
{
	return (u16)min_t(u32, len + UET_CC_NOMINAL_ADD, U16_MAX);
}

/*
 * The rcvd_bytes field of an ACK, 24 bits (UE 1.0.1 Table 3-74).  Rounded up; otherwise a small
 * last packet would stay in flight for ever.
 */
static inline u32 uet_cc_rcvd_units(u64 rcvd_bytes)
{
	return (u32)((rcvd_bytes + UET_CC_UNIT - 1) / UET_CC_UNIT) & UET_CREDIT_MAX;
}

/* Signed distance between two 24-bit counters. */
static inline s32 uet_cc_diff24(u32 a, u32 b)
{
	return sign_extend32((a - b) & UET_CREDIT_MAX, 23);
}

u32 uet_cc_rcvd_new(u32 *seen, u32 field);
u16 uet_cc_service_time(u64 service_ns);
u64 uet_cc_sample(const struct uet_cc_pkt *pkt, bool is_retx, u16 service_time, u64 now);
u64 uet_cc_sample_ns(const struct uet_cc_pkt *pkt, bool is_retx, u64 service_ns, u64 now);

/**
 * struct uet_dfc - flow control of a destination towards one source; all zero initially
 * @is_pending: a reduction was demanded and not yet withdrawn
 * @restores: further ACKs that carry the permission to restore the window
 */
struct uet_dfc {
	bool is_pending;
	u8 restores;
};

u8 uet_dfc_ack(struct uet_dfc *dfc, u64 used, u64 size, bool *restore);

#endif /* UET_CORE_CC_PKT_H */
