/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State that congestion control keeps for each packet in flight, and the arithmetic
 * of the ACK fields: nominal sizes, received bytes and credit modulo 2^24, service
 * times, round trips.  The functions handle one packet and one field at a time and do
 * not depend on a window.
 *
 * Implements UE 1.0.1 3.6.12.2 (nominal packet size), 3.6.13 (RTT samples,
 * received bytes), Tables 3-74 and 3-75 (units).
 * Level: core L3.
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

/**
 * struct uet_cc_pkt - congestion control record of a packet
 * @sent_ns: start of the latest transmission, ns
 * @ev: entropy value of the latest transmission
 * @size: nominal size, bytes
 * @sends: number of transmissions, saturates at UET_CC_SENDS_MAX
 * @state: enum uet_cc_pkt_state
 *
 * All zero: not sent yet.  The PDC owns the record, one for each PSN of the window.
 */
struct uet_cc_pkt {
	u64 sent_ns;
	u16 ev;
	u16 size;
	u8 sends;
	u8 state;
};

#define UET_CC_SENDS_MAX	3

/**
 * uet_cc_nominal() - size that both ends use to account for a packet
 * @len: bytes from the UDP header, or from the entropy header without UDP, to the
 *	end of the packet, as sent by the source
 *
 * Return: bytes.
 * Spec: UE 1.0.1 3.6.12.2.
 */
static inline u16 uet_cc_nominal(u32 len)
{
	return (u16)min_t(u32, len + UET_CC_NOMINAL_ADD, U16_MAX);
}

/**
 * uet_cc_rcvd_units() - encode the rcvd_bytes field of an ACK
 * @rcvd_bytes: nominal bytes of new data that the PDC received
 *
 * Rounded up; otherwise a small last packet would stay in flight for ever.
 *
 * Return: 24 bits.
 * Spec: UE 1.0.1 Table 3-74.
 */
static inline u32 uet_cc_rcvd_units(u64 rcvd_bytes)
{
	return (u32)((rcvd_bytes + UET_CC_UNIT - 1) / UET_CC_UNIT) &
	       UET_CREDIT_MAX;
}

/*
 * Signed distance between two 24-bit counters.
 * Return: @a - @b, -2^23 .. 2^23 - 1.
 */
static inline s32 uet_cc_diff24(u32 a, u32 b)
{
	return sign_extend32((a - b) & UET_CREDIT_MAX, 23);
}

u32 uet_cc_rcvd_new(u32 *seen, u32 field);
u16 uet_cc_service_time(u64 service_ns);
u64 uet_cc_sample(const struct uet_cc_pkt *pkt, bool is_retx, u16 service_time,
		  u64 now);
u64 uet_cc_sample_ns(const struct uet_cc_pkt *pkt, bool is_retx, u64 service_ns,
		     u64 now);

#endif /* UET_CORE_CC_PKT_H */
