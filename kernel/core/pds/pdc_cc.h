/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events between a PDC and its congestion control context.  Most PDCs have no
 * context, and several of these functions are called for each packet.
 * uet_pdc_cc_*() does nothing without a context; the frequently called ones
 * check this inline.  uet_pdc_ccc_*() requires a PDC with a context.
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

void uet_pdc_ccc_queue(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		       u64 now);
bool uet_pdc_ccc_send(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		      bool is_plain, u64 now, struct uet_cc_send *send);
void uet_pdc_ccc_ack_begin(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			   const struct uet_rx_info *in, u64 now);
void uet_pdc_ccc_acked(struct uet_pdc *pdc, const struct uet_pdc_slot *slot);
void uet_pdc_ccc_ack_end(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			 u64 now);
void uet_pdc_ccc_forget(struct uet_pdc *pdc, const struct uet_pdc_slot *slot);
bool uet_pdc_ccc_awaits_credit(struct uet_pdc *pdc);
bool uet_pdc_ccc_wants_credit(struct uet_pdc *pdc, u32 *target, u64 now);
u64 uet_pdc_ccc_deadline(const struct uet_pdc *pdc);
void uet_pdc_ccc_advertise_space(struct uet_pdc *pdc,
				 struct uet_ack_nscc *nscc);

/**
 * uet_pdc_cc_pkt() - the congestion control record of a packet
 * @pdc: PDC with a context
 * @slot: slot of the packet
 *
 * Return: the record.
 */
static inline struct uet_cc_pkt *
uet_pdc_cc_pkt(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return &pdc->cc.pkts[slot - pdc->tx.slots];
}

/**
 * uet_pdc_cc_queue() - report a packet to be sent
 * @pdc: PDC
 * @slot: slot of the packet
 * @now: monotonic time, ns
 *
 * Spec: UE 1.0.1 3.6.12.4 (new data).
 */
static inline void uet_pdc_cc_queue(struct uet_pdc *pdc,
				    const struct uet_pdc_slot *slot, u64 now)
{
	if (pdc->cc.ccc)
		uet_pdc_ccc_queue(pdc, slot, now);
}

/**
 * uet_pdc_cc_send() - send a request now, if the context permits
 * @pdc: PDC
 * @slot: slot of the request, READY or LOST
 * @is_plain: only if the context adds no flag or field to the packet, whose headers then
 *	follow from those of the packet before it
 * @now: monotonic time, ns
 * @send: result: attributes of the transmission
 *
 * Return: false if the request is not sent; nothing changed then.
 * Spec: UE 1.0.1 3.6.12.4 (OnSend, GetSendParams), 3.5.15.
 */
static inline bool uet_pdc_cc_send(struct uet_pdc *pdc,
				   const struct uet_pdc_slot *slot,
				   bool is_plain, u64 now,
				   struct uet_cc_send *send)
{
	if (pdc->cc.ccc)
		return uet_pdc_ccc_send(pdc, slot, is_plain, now, send);
	*send = (struct uet_cc_send){ .ev = uet_ev_next(&pdc->ev) };
	return true;
}

/**
 * uet_pdc_cc_ack_begin() - prepare for an ACK about to be applied
 * @pdc: PDC
 * @hdr: header of the ACK
 * @in: reception attributes
 * @now: monotonic time, ns
 *
 * Spec: UE 1.0.1 3.6.13: the round trip is that of the packet the ACK names.
 */
static inline void uet_pdc_cc_ack_begin(struct uet_pdc *pdc,
					const struct uet_pds_hdr *hdr,
					const struct uet_rx_info *in, u64 now)
{
	if (pdc->cc.ccc)
		uet_pdc_ccc_ack_begin(pdc, hdr, in, now);
}

/**
 * uet_pdc_cc_acked() - report a packet newly covered by an ACK
 * @pdc: PDC, between ack_begin() and ack_end()
 * @slot: slot of the packet, before its state changes
 */
static inline void uet_pdc_cc_acked(struct uet_pdc *pdc,
				    const struct uet_pdc_slot *slot)
{
	if (pdc->cc.ccc)
		uet_pdc_ccc_acked(pdc, slot);
}

/**
 * uet_pdc_cc_ack_end() - report an applied ACK
 * @pdc: PDC
 * @hdr: header of the ACK
 * @now: monotonic time, ns
 *
 * Spec: UE 1.0.1 3.6.12.4 (ACK).
 */
static inline void uet_pdc_cc_ack_end(struct uet_pdc *pdc,
				      const struct uet_pds_hdr *hdr, u64 now)
{
	if (pdc->cc.ccc)
		uet_pdc_ccc_ack_end(pdc, hdr, now);
}

/**
 * uet_pdc_cc_forget() - remove a packet from the context, answered or not
 * @pdc: PDC
 * @slot: slot of the packet, before it becomes FREE
 */
static inline void uet_pdc_cc_forget(struct uet_pdc *pdc,
				     const struct uet_pdc_slot *slot)
{
	if (pdc->cc.ccc)
		uet_pdc_ccc_forget(pdc, slot);
}

/**
 * uet_pdc_cc_awaits_credit() - does this PDC wait only for credit of its peer?
 * @pdc: PDC
 *
 * Return: true if it does, and will send Credit Requests.
 */
static inline bool uet_pdc_cc_awaits_credit(struct uet_pdc *pdc)
{
	return pdc->cc.waits && pdc->peer_pdcid &&
	       uet_pdc_ccc_awaits_credit(pdc);
}

/**
 * uet_pdc_cc_wants_credit() - must a Credit Request be sent now?
 * @pdc: PDC whose peer's PDCID is known
 * @target: result: credit_target of the request, 24 bits
 * @now: monotonic time, ns
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
	return pdc->cc.ccc && uet_pdc_ccc_wants_credit(pdc, target, now);
}

/**
 * uet_pdc_cc_wants_probe() - does the context request a Probe?
 * @pdc: PDC
 *
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

/**
 * uet_pdc_cc_deadline() - when must the context be polled for control packets?
 * @pdc: PDC
 *
 * Return: monotonic time, ns; UET_NEVER unless this PDC waits for the context.
 */
static inline u64 uet_pdc_cc_deadline(const struct uet_pdc *pdc)
{
	return pdc->cc.waits && pdc->peer_pdcid ? uet_pdc_ccc_deadline(pdc) :
						  UET_NEVER;
}

/**
 * uet_pdc_cc_service_time() - the service time that an ACK reports
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

/**
 * uet_pdc_cc_advertise_space() - fill in the space for messages that an ACK advertises
 * @pdc: PDC
 * @nscc: state in the ACK: rcv_cwnd_pend and rc are set here; both are zero
 *	before
 *
 * Spec: UE 1.0.1 3.6.13 (DFC).
 */
static inline void uet_pdc_cc_advertise_space(struct uet_pdc *pdc,
					      struct uet_ack_nscc *nscc)
{
	if (pdc->cc.space_size)
		uet_pdc_ccc_advertise_space(pdc, nscc);
}

#endif /* UET_CORE_PDC_CC_H */
