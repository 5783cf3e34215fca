/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events between a PDC and its congestion control context.  A PDC without a context does
 * nothing; what is called for each packet checks that inline, and __uet_pdc_cc_*() does the
 * rest for a PDC with one.
 * Level: core L4.
 */
#ifndef UET_CORE_PDC_CC_H
#define UET_CORE_PDC_CC_H

#include "pdc.h"

void uet_pdc_cc_init(struct uet_pdc *pdc, const struct uet_pdc_open *open);
void uet_pdc_cc_read_nack(const struct uet_pdc *pdc,
			  const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in,
			  struct uet_cc_nack *nack, u64 now);
void uet_pdc_cc_nacked(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		       const struct uet_cc_nack *nack, u64 now);
void uet_pdc_cc_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
		     enum uet_cc_loss why, u64 now);
void uet_pdc_cc_credit(struct uet_pdc *pdc, u32 credit, u64 now);
void uet_pdc_cc_probed(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       u64 rtt_ns, u64 now);
const char *uet_pdc_cc_check(const struct uet_pdc *pdc,
			     const struct uet_pdc_slot *slot);

void __uet_pdc_cc_queue(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			u32 n, u64 now);
bool __uet_pdc_cc_send(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		       u64 now, struct uet_cc_send *send);
u32 __uet_pdc_cc_send_run(struct uet_pdc *pdc, u32 psn, u32 n, u16 *ev, u64 now);
void __uet_pdc_cc_ack_begin(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			    const struct uet_rx_info *in, u64 now);
void __uet_pdc_cc_acked(struct uet_pdc *pdc, const struct uet_pdc_slot *slot);
void __uet_pdc_cc_ack_end(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			  u64 now);
void __uet_pdc_cc_forget(struct uet_pdc *pdc, const struct uet_pdc_slot *slot);
bool __uet_pdc_cc_awaits_credit(struct uet_pdc *pdc);
bool __uet_pdc_cc_wants_credit(struct uet_pdc *pdc, u32 *target, u64 now);
u64 __uet_pdc_cc_deadline(const struct uet_pdc *pdc);
void __uet_pdc_cc_advertise_space(struct uet_pdc *pdc,
				  struct uet_ack_nscc *nscc);

/*
 * The congestion control record of a packet.
 * Return: the record.
 */
static inline struct uet_cc_pkt *
uet_pdc_cc_pkt(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return &pdc->cc.pkts[slot - pdc->tx.slots];
}

/*
 * Report @n packets to be sent, @slot and others like it.
 * Spec: UE 1.0.1 3.6.12.4 (new data).
 */
static inline void uet_pdc_cc_queue(struct uet_pdc *pdc,
				    const struct uet_pdc_slot *slot, u32 n,
				    u64 now)
{
	if (pdc->cc.ccc)
		__uet_pdc_cc_queue(pdc, slot, n, now);
}

/*
 * Send a request now, if the context permits.
 * @slot: slot of the request, READY or LOST
 * @send: result: attributes of the transmission
 *
 * Return: false if the request is not sent; nothing changed then.
 * Spec: UE 1.0.1 3.6.12.4 (OnSend, GetSendParams), 3.5.15.
 */
static inline bool uet_pdc_cc_send(struct uet_pdc *pdc,
				   const struct uet_pdc_slot *slot, u64 now,
				   struct uet_cc_send *send)
{
	if (pdc->cc.ccc)
		return __uet_pdc_cc_send(pdc, slot, now, send);
	*send = (struct uet_cc_send){ .ev = uet_ev_next(&pdc->ev) };
	return true;
}

/*
 * Send new requests that continue the one just sent, as far as the context permits.
 * @psn: the first; they are alike
 * @n: number of packets
 * @ev: result: their entropy values
 *
 * Return: number of packets, at most @n.
 * Spec: as uet_pdc_cc_send().
 */
static inline u32 uet_pdc_cc_send_run(struct uet_pdc *pdc, u32 psn, u32 n,
				      u16 *ev, u64 now)
{
	u32 i;

	if (pdc->cc.ccc && n)
		return __uet_pdc_cc_send_run(pdc, psn, n, ev, now);
	for (i = 0; i < n; i++)
		ev[i] = uet_ev_next(&pdc->ev);
	return n;
}

/*
 * Prepare for an ACK about to be applied.
 * Spec: UE 1.0.1 3.6.13: the round trip is that of the packet the ACK names.
 */
static inline void uet_pdc_cc_ack_begin(struct uet_pdc *pdc,
					const struct uet_pds_hdr *hdr,
					const struct uet_rx_info *in, u64 now)
{
	if (pdc->cc.ccc)
		__uet_pdc_cc_ack_begin(pdc, hdr, in, now);
}

/*
 * Report a packet newly covered by an ACK.
 * @pdc: PDC, between ack_begin() and ack_end()
 * @slot: slot of the packet, before its state changes
 */
static inline void uet_pdc_cc_acked(struct uet_pdc *pdc,
				    const struct uet_pdc_slot *slot)
{
	struct uet_cc_pkt *pkt;

	if (!pdc->cc.ccc)
		return;
	pkt = uet_pdc_cc_pkt(pdc, slot);
	if (pkt->state == UET_CC_PKT_NONE) {
		__uet_pdc_cc_acked(pdc, slot);
		return;
	}
	pdc->cc.ack_bytes += pkt->size;
	uet_cc_ack_pkt(pdc->cc.ack, pkt);
}

/*
 * Report an applied ACK.
 * Spec: UE 1.0.1 3.6.12.4 (ACK).
 */
static inline void uet_pdc_cc_ack_end(struct uet_pdc *pdc,
				      const struct uet_pds_hdr *hdr, u64 now)
{
	if (pdc->cc.ccc)
		__uet_pdc_cc_ack_end(pdc, hdr, now);
}

/*
 * Remove a packet from the context, answered or not.
 * @slot: slot of the packet, before it becomes FREE
 */
static inline void uet_pdc_cc_forget(struct uet_pdc *pdc,
				     const struct uet_pdc_slot *slot)
{
	if (pdc->cc.ccc && slot->state != UET_SLOT_DONE)
		__uet_pdc_cc_forget(pdc, slot);
}

/*
 * Does this PDC wait only for credit of its peer?
 * Return: true if it does, and will send Credit Requests.
 */
static inline bool uet_pdc_cc_awaits_credit(struct uet_pdc *pdc)
{
	return pdc->cc.waits && pdc->peer_pdcid &&
	       __uet_pdc_cc_awaits_credit(pdc);
}

/*
 * Must a Credit Request be sent now?
 * @target: result: credit_target of the request, 24 bits
 *
 * The context may request a Probe instead; the request is kept for
 * uet_pdc_cc_wants_probe().
 *
 * Return: true, once per request of the context.
 * Spec: UE 1.0.1 3.6.13 (base RTT), 3.6.14.
 */
static inline bool uet_pdc_cc_wants_credit(struct uet_pdc *pdc, u32 *target,
					   u64 now)
{
	return pdc->cc.ccc && __uet_pdc_cc_wants_credit(pdc, target, now);
}

/*
 * Does the context request a Probe?
 * Return: true, once per request, if a Probe is to be sent now to measure the
 *	base round trip.
 * Spec: UE 1.0.1 3.6.13.
 */
static inline bool uet_pdc_cc_wants_probe(struct uet_pdc *pdc)
{
	bool wants = pdc->cc.wants_probe;

	pdc->cc.wants_probe = false;
	return wants;
}

/*
 * Does the context want nothing of this PDC?
 * Return: true if it has no control packet, and the PDC does not wait for it.
 */
static inline bool uet_pdc_cc_is_quiet(const struct uet_pdc *pdc)
{
	return !pdc->cc.ccc || (!pdc->cc.waits && !pdc->cc.wants_probe &&
				!uet_ccc_may_have_cp(pdc->cc.ccc));
}

/*
 * When must the context be polled for control packets?
 * Return: monotonic time, ns; UET_NEVER unless this PDC waits for the context.
 */
static inline u64 uet_pdc_cc_deadline(const struct uet_pdc *pdc)
{
	return pdc->cc.waits && pdc->peer_pdcid ? __uet_pdc_cc_deadline(pdc) :
						  UET_NEVER;
}

/*
 * The service time that an ACK reports.
 * @at: when the packet arrived, uet_pdc_echo_at()
 * @now: when its ACK leaves; monotonic time, ns
 *
 * The source may have congestion control although this end has none.
 *
 * Return: units of 128 ns.
 * Spec: UE 1.0.1 Table 3-74.
 */
static inline u16 uet_pdc_cc_service_time(u32 at, u64 now)
{
	u32 units = uet_pdc_echo_at(now) - at;

	return uet_cc_service_time((u64)units * UET_SERVICE_TIME_NS);
}

/*
 * Fill in the space for messages that an ACK advertises.
 * @nscc: state in the ACK: rcv_cwnd_pend and rc are set here; both are zero
 *	before
 *
 * Spec: UE 1.0.1 3.6.13 (DFC).
 */
static inline void uet_pdc_cc_advertise_space(struct uet_pdc *pdc,
					      struct uet_ack_nscc *nscc)
{
	if (pdc->cc.space_size)
		__uet_pdc_cc_advertise_space(pdc, nscc);
}

#endif /* UET_CORE_PDC_CC_H */
