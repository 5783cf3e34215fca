/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PDC of the core and its window in one block of memory, for tests and simulators.
 */
#ifndef PDC_BLOCK_H
#define PDC_BLOCK_H

#include "core/pds/pds.h"

/* Memory of a PDC with its window, bytes. */
static inline size_t pdc_block_size(const struct uet_pdc_cfg *cfg)
{
	return uet_pdc_size() + uet_pdc_window_size(cfg);
}

/* As uet_pdc_init(), with a window.  @pdc has pdc_block_size() bytes. */
static inline void pdc_block_init(struct uet_pdc *pdc,
				  const struct uet_pdc_cfg *cfg,
				  const struct uet_pdc_open *open, u64 now)
{
	uet_pdc_init(pdc, cfg, open, now);
	uet_pdc_window_lend(pdc, (u8 *)pdc + uet_pdc_size());
}

/* If the window is idle, replace it by another one: what it held is lost. */
static inline void pdc_block_renew(struct uet_pdc *pdc)
{
	if (uet_pdc_window_idle_since(pdc) != UET_NEVER)
		uet_pdc_window_lend(pdc, uet_pdc_window_reclaim(pdc));
}

#endif /* PDC_BLOCK_H */
