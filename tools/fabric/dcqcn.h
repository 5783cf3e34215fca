/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rate of a sender of RoCEv2 with DCQCN: decreased by CNPs, increased by a timer and
 * by sent bytes.
 *
 * Spec: Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015,
 * section 3.1, with the parameters of its section 6 (deployed).  Level: test.
 */
#ifndef UET_FABRIC_DCQCN_H
#define UET_FABRIC_DCQCN_H

#include "core/shim.h"

#define DCQCN_CNP_NS	50000ULL	/* least time between two CNPs of a connection */

/**
 * struct dcqcn - rate of a connection
 * @line: rate of the link, kb/s
 * @rate: current rate, kb/s
 * @target: rate before the last decrease, increased later, kb/s
 * @alpha: estimate of the congestion, 2^20 is 1
 * @timer_steps: increases by the timer since the last decrease
 * @byte_steps: increases by sent bytes since the last decrease
 * @bytes: bytes sent since the last of @byte_steps
 * @alpha_at: time of the next decrease of @alpha, ns
 * @timer_at: time of the next increase by the timer, ns
 */
struct dcqcn {
	u64 line;
	u64 rate;
	u64 target;
	u32 alpha;
	u32 timer_steps;
	u32 byte_steps;
	u64 bytes;
	u64 alpha_at;
	u64 timer_at;
};

void dcqcn_init(struct dcqcn *d, u64 line, u64 now);
void dcqcn_cnp(struct dcqcn *d, u64 now);
void dcqcn_sent(struct dcqcn *d, u32 bytes, u64 now);

#endif
