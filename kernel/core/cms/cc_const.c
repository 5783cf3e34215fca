// SPDX-License-Identifier: GPL-2.0
/*
 * Constant congestion window, for experiments: shows the behaviour of queues,
 * trimming and retransmission without any control.
 *
 * Spec: none; the send gate and the ACK request are those of NSCC (UE 1.0.1
 * 3.6.13).  Level: core L3.
 */
#include "ccc.h"

static void const_retune(struct uet_ccc *ccc)
{
	const struct uet_cc_param *param = ccc->param;

	ccc->cwnd = param->cfg.cwnd ? param->cfg.cwnd : param->max_wnd;
}

static void const_init(struct uet_ccc *ccc, u64 now)
{
	const_retune(ccc);
}

const struct uet_cc_ops uet_cc_const_ops = {
	.name = "const",
	.init = const_init,
	.retune = const_retune,
	.can_send = uet_cc_window_can_send,
	.wants_ack = uet_cc_window_wants_ack,
	.room = uet_cc_window_room,
};
