/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credit of a PDC: what pdc_credit.c offers the other parts of a PDC.
 *
 * Implements UE 1.0.1 3.6.14 and Tables 3-64 and 3-65.  Level: core L4.
 */
#ifndef UET_CORE_PDC_CREDIT_H
#define UET_CORE_PDC_CREDIT_H

#include "pdc.h"

void uet_pdc_credit_rx_target(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr, bool was_trimmed);
enum uet_drop uet_pdc_credit_rx_request(struct uet_pdc *pdc, u32 payload);
bool uet_pdc_credit_poll(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now);

#endif /* UET_CORE_PDC_CREDIT_H */
