// SPDX-License-Identifier: GPL-2.0
/*
 * A SYN with another Start_PSN from the address and PDCID of a target that lives.
 * Its sender may have restarted and forgotten the PDC, or the SYN may be late or
 * forged.  The peer of the PDC decides: a NOOP is sent, retransmitted as any packet.
 * A peer that still has the PDC answers it, and the SYN is refused.  A PDC without a
 * packet from its peer for several time-outs is replaced.
 *
 * Implements UE 1.0.1 3.5.8.2, INVALID_SYN of 3.5.12.7.  Level: core L4.
 */
#include "pdc.h"

/*
 * The NOOP leaves at once, after one RTO and after three.  All three and their answers
 * have to be lost before a forged SYN replaces a PDC whose peer lives.
 */
#define RIVAL_RTOS	4

/* Packets of the peer that were accepted as packets of this PDC. */
static u64 rival_heard(const struct uet_pdc *pdc)
{
	const struct uet_pdc_stats *stats = &pdc->stats;

	return stats->rx_req + stats->rx_dup + stats->rx_ooo + stats->rx_ack +
	       stats->rx_nack + stats->rx_cp;
}

/* Packets in flight are retransmitted, and ask as well as a NOOP does. */
static void rival_probe(struct uet_pdc *pdc, u64 now)
{
	pdc->rival.until = now + RIVAL_RTOS * uet_pdc_rto(pdc);
	pdc->rival.heard = rival_heard(pdc);
	if (pdc->tx.una == pdc->tx.write_seq &&
	    uet_pdc_allows(pdc, UET_PDC_EV_TX))
		uet_pdc_tx_add_cp(pdc, UET_CP_NOOP, now);
}

/**
 * uet_pdc_rx_rival() - a SYN with another Start_PSN than this PDC arrived
 * @pdc: target that was opened and is not over
 * @now: monotonic time, ns
 *
 * The caller runs the run loop next.
 *
 * Return: UET_RIVAL_WAIT: drop the SYN, its sender repeats it; UET_RIVAL_REFUSE: the
 *	peer of @pdc lives, the SYN gets its NACK from uet_pdc_rx_req();
 *	UET_RIVAL_REPLACE: abort @pdc and open another PDC.
 * Spec: UE 1.0.1 3.5.8.2.
 */
enum uet_rival uet_pdc_rx_rival(struct uet_pdc *pdc, u64 now)
{
	if (!uet_pdc_has_window(pdc))
		return UET_RIVAL_WAIT;
	if (!pdc->rival.until) {
		rival_probe(pdc, now);
		return UET_RIVAL_WAIT;
	}
	if (rival_heard(pdc) != pdc->rival.heard) {
		pdc->rival.until = 0;
		return UET_RIVAL_REFUSE;
	}
	return now < pdc->rival.until ? UET_RIVAL_WAIT : UET_RIVAL_REPLACE;
}
