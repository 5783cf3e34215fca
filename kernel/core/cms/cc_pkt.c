// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of ACK fields into bytes and nanoseconds.  The fields come from a peer
 * and are not trusted: implausible values count as absent.
 *
 * Implements UE 1.0.1 3.6.13 (RTT samples, newly received bytes), Table 3-74.
 * Level: core L3.
 */
#include "cc_pkt.h"

/**
 * uet_cc_rcvd_new() - bytes newly received according to an ACK
 * @seen: highest rcvd_bytes of the PDC so far, units; updated
 * @field: rcvd_bytes of the ACK, 24 bits
 *
 * Return: bytes since the previous ACK; 0 for an ACK that was overtaken.
 * Spec: UE 1.0.1 Table 3-74: modulo 2^24.
 */
u32 uet_cc_rcvd_new(u32 *seen, u32 field)
{
	s32 units = uet_cc_diff24(field, *seen);

	if (units <= 0)
		return 0;
	*seen = field & UET_CREDIT_MAX;
	return (u32)units * UET_CC_UNIT;
}

/**
 * uet_cc_service_time() - encode the service_time field of an ACK
 * @service_ns: time from the arrival of a packet to the departure of its ACK, ns
 *
 * Return: units of 128 ns, at least 1; UET_SERVICE_TIME_OVER.
 * Spec: UE 1.0.1 Table 3-74: 0 would mean "not known".
 */
u16 uet_cc_service_time(u64 service_ns)
{
	u64 units = service_ns / UET_SERVICE_TIME_NS;

	return (u16)clamp_t(u64, units, 1, UET_SERVICE_TIME_OVER);
}

/**
 * uet_cc_sample_ns() - round trip of a packet in the network
 * @pkt: packet named by the ACK
 * @is_retx: the ACK or NACK answers a retransmission
 * @service_ns: time spent in the destination, ns
 * @now: arrival of the answer, ns
 *
 * A sample is taken only if it is certain which transmission was answered.
 *
 * Return: ns, 0 for none.
 * Spec: UE 1.0.1 3.6.13.
 */
u64 uet_cc_sample_ns(const struct uet_cc_pkt *pkt, bool is_retx, u64 service_ns,
		     u64 now)
{
	if (pkt->state == UET_CC_PKT_NONE || pkt->sends != (is_retx ? 2 : 1) ||
	    uet_ns_since(now, pkt->sent_ns) <= service_ns)
		return 0;
	return uet_ns_since(now, pkt->sent_ns) - service_ns;
}

/**
 * uet_cc_sample() - round trip of a packet, from the fields of an ACK
 * @pkt: packet named by the ACK
 * @is_retx: RETX of the ACK
 * @service_time: units of 128 ns; UET_SERVICE_TIME_*
 * @now: arrival of the ACK, ns
 *
 * Return: ns, 0 for no sample; always 0 if the destination reports no service time.
 * Spec: UE 1.0.1 3.6.13, Table 3-74.
 */
u64 uet_cc_sample(const struct uet_cc_pkt *pkt, bool is_retx, u16 service_time,
		  u64 now)
{
	if (service_time == UET_SERVICE_TIME_NONE ||
	    service_time == UET_SERVICE_TIME_OVER)
		return 0;
	return uet_cc_sample_ns(pkt, is_retx,
				service_time * UET_SERVICE_TIME_NS, now);
}
