/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts of congestion control in the simulator: who shares one, and whose turn it
 * is.  Level: test.
 */
#ifndef UET_SIM_CC_H
#define UET_SIM_CC_H

#include "sim.h"

/**
 * struct sim_ccc - a context of congestion control and its line
 * @link: in the list of the run, until that ends
 * @node: where it is
 * @peer: node at the other end
 * @pdcs: that have it; 0: it is of the past
 * @param: what it believes of the network
 * @ccc: core object
 * @sel: its choice of paths
 * @waiting: PDCs that found its window full, struct sim_pdc.cc_wait
 * @turns: given so far
 * @looks: how often it was looked at
 * @is_kicked: turns are being given
 * @penalty: for @sel
 */
struct sim_ccc {
	struct list_head link;
	u8 node;
	u8 peer;
	u32 pdcs;
	struct uet_cc_param param;
	struct uet_ccc ccc;
	struct uet_ev_sel sel;
	struct list_head waiting;
	u64 turns;
	u32 looks;
	bool is_kicked;
	u8 penalty[];
};

void sim_cc_join(struct sim_pdc *p, struct uet_pdc_open *open);
void sim_cc_leave(struct sim_pdc *p);
void sim_cc_note(struct sim_pdc *p);
void sim_cc_run_waiters(struct sim *sim, struct sim_ccc *ccc);
void sim_cc_fini(struct sim *sim);

#endif
