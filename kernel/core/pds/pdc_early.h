/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of a ROD PDC that arrive before an earlier one: what pdc_*.c offer each other.
 *
 * Implements UE 1.0.1 3.5.21.  Level: core L4.
 */
#ifndef UET_CORE_PDC_EARLY_H
#define UET_CORE_PDC_EARLY_H

#include "pdc.h"

/* pdc_early.c */
bool uet_pdc_early_has(const struct uet_pdc *pdc, u32 psn);
void uet_pdc_early_arrived(struct uet_pdc *pdc, const struct uet_pdc_echo *echo);
void uet_pdc_early_again(struct uet_pdc *pdc, const struct uet_pdc_echo *echo);

/* pdc_rx.c */
struct uet_pdc_echo uet_pdc_echo_of(const struct uet_pds_hdr *hdr,
				    const struct uet_rx_info *in, u64 now);
enum uet_drop uet_pdc_rx_admit_any(struct uet_pdc *pdc,
				   const struct uet_pdc_echo *echo, bool syn);
void uet_pdc_rx_count(struct uet_pdc *pdc, const struct uet_rx_info *in);

/* pdc_ack_sched.c */
void uet_pdc_pend_sack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo);
void uet_pdc_pend_sack_delayed(struct uet_pdc *pdc,
			       const struct uet_pdc_echo *echo, u64 now);

#endif /* UET_CORE_PDC_EARLY_H */
