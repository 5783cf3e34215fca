// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of ACK fields into bytes and nanoseconds, and destination flow control: how much a
 * source must reduce its data in flight.  Fields come from a peer and are not trusted:
 * implausible values count as absent.
 *
 * Implements UE 1.0.1 3.6.13, Table 3-74.  Level: core L3.
 */
#include "cc_pkt.h"

/*
 * uet_cc_rcvd_new() - bytes newly received according to an ACK; 0 for an ACK that was overtaken
 * @seen: highest rcvd_bytes of the PDC so far, units; updated
 */
u32 uet_cc_rcvd_new(u32 *seen, u32 field)
{
	s32 units = uet_cc_diff24(field, *seen);

	if (units <= 0)
		return 0;
	*seen = field & UET_CREDIT_MAX;
	return (u32)units * UET_CC_UNIT;
}

/*
 * uet_cc_service_time() - the service_time of an ACK, units of 128 ns; at least 1: 0 is "not known"
 */
u16 uet_cc_service_time(u64 service_ns)
{
	u64 units = service_ns / UET_SERVICE_TIME_NS;

	return (u16)clamp_t(u64, units, 1, UET_SERVICE_TIME_OVER);
}

/*
 * uet_cc_sample_ns() - round trip of the packet named by an ACK or NACK, ns; 0: none
 * @is_retx: the answer is to a retransmission
 * @service_ns: time spent in the destination
 *
 * A sample is taken only if it is certain which transmission was answered (UE 1.0.1 3.6.13).
 */
u64 uet_cc_sample_ns(const struct uet_cc_pkt *pkt, bool is_retx, u64 service_ns, u64 now)
{
	if (pkt->state == UET_CC_PKT_NONE || pkt->sends != (is_retx ? 2 : 1) ||
	    uet_ns_since(now, pkt->sent_ns) <= service_ns)
		return 0;
	return uet_ns_since(now, pkt->sent_ns) - service_ns;
}

/*
 * uet_cc_sample() - the same by the service_time of an ACK; 0 if the destination reports none
 */
u64 uet_cc_sample(const struct uet_cc_pkt *pkt, bool is_retx, u16 service_time, u64 now)
{
	if (service_time == UET_SERVICE_TIME_NONE || service_time == UET_SERVICE_TIME_OVER)
		return 0;
	return uet_cc_sample_ns(pkt, is_retx, service_time * UET_SERVICE_TIME_NS, now);
}

/* Largest rcv_cwnd_pend, 7 bits; and ACKs that repeat rc, because an ACK can get lost. */
#define DFC_PEND_MAX	127
#define DFC_RESTORES	4

/* Fill levels in per mille of the space; see Documentation/congestion.rst. */
#define DFC_LOW		250
#define DFC_BEGIN	500
#define DFC_END		950

/*
 * uet_dfc_ack() - rcv_cwnd_pend, 0..127, and rc of the next ACK
 * @used: used part of @size, in the same unit
 * @size: of the buffer or queue; 0: unlimited; below 2^54
 * @restore: result: rc
 *
 * UE 1.0.1 3.6.13 leaves the computation to the receiver: 0 up to 50 per cent of the space, 127
 * of 128 from 95 per cent on, linear in between; below 25 per cent the source may restore its
 * window.
 */
u8 uet_dfc_ack(struct uet_dfc *dfc, u64 used, u64 size, bool *restore)
{
	u32 fill = size ? (u32)div64_u64(min(used, size) * 1000, size) : 0;

	*restore = false;
	if (fill > DFC_BEGIN) {
		dfc->is_pending = true;
		dfc->restores = 0;
		fill = min_t(u32, fill, DFC_END) - DFC_BEGIN;
		return (u8)DIV_ROUND_UP(fill * DFC_PEND_MAX, DFC_END - DFC_BEGIN);
	}
	if (dfc->is_pending && fill < DFC_LOW) {
		dfc->is_pending = false;
		dfc->restores = DFC_RESTORES;
	}
	if (dfc->restores) {
		dfc->restores--;
		*restore = true;
	}
	return 0;
}
