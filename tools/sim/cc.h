/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control contexts in the simulator: the PDCs that share a context,
 * and the queue of waiting PDCs.  Level: test.
 */
#ifndef UET_SIM_CC_H
#define UET_SIM_CC_H

#include "sim.h"

/**
 * struct sim_ccc - a congestion control context and its waiting queue
 * @link: entry in the list of the run, until the run ends
 * @node: node of this end
 * @peer: node at the other end
 * @pdcs: number of PDCs; 0: the context is no longer used
 * @param: network parameters
 * @ccc: core object
 * @sel: path selection
 * @waiting: PDCs blocked on the window, by struct sim_pdc.cc_wait
 * @turns: quanta given so far
 * @looks: number of accesses
 * @is_kicked: quanta are being given
 * @penalty: memory of @sel
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
