// SPDX-License-Identifier: GPL-2.0
/*
 * A window that never changes, for experiments: what queues, trimming and
 * retransmission do without any control.
 *
 * Spec: none; the gate and the request for ACKs are those of NSCC (UE 1.0.1
 * 3.6.13).  Level: core L3.
 */
#include "ccc.h"

static void const_init(struct uet_ccc *ccc, u64 now)
{
	if (ccc->param->cfg.cwnd)
		ccc->cwnd = ccc->param->cfg.cwnd;
}

const struct uet_cc_ops uet_cc_const_ops = {
	.name = "const",
	.init = const_init,
	.can_send = uet_cc_window_can_send,
	.wants_ack = uet_cc_window_wants_ack,
};
