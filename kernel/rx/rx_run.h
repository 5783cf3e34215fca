/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of runs only: rx_run.c, and rx_read_run.c with the two halves of a
 * READ.
 */
#ifndef UET_RX_RUN_H
#define UET_RX_RUN_H

#include "core/ses/ses.h"
#include "rx.h"

struct rx_run;
struct uet_tx_message;

/**
 * struct rx_run_ops - what a run does with its packets
 * @begin: prepare for packets that continue the latest one, set @mr and @space; false: they
 *	go singly, and @mr is not held
 * @fits: may the @nr packets of @skb, whose headers are not compared yet, be taken?
 * @place: take the @nr packets of @skb, starting at the payload; consumes @skb.  False: the
 *	packets go singly, and nothing has changed
 * @account: tell other layers of the packets, one at least; @psn is that of the last one
 */
struct rx_run_ops {
	bool (*begin)(struct rx_run *run);
	bool (*fits)(struct rx_run *run, struct sk_buff *skb, u32 nr);
	bool (*place)(struct rx_run *run, struct sk_buff *skb, u32 nr);
	void (*account)(struct rx_run *run, u32 psn);
};

/**
 * struct rx_run - a run; on the stack
 * @ops: what its packets are
 * @whole: the burst
 * @wire: what the next packet must be
 * @pe: PDC, locked
 * @rm: message that the packets continue
 * @mr: memory region that a WRITE changes, or that a READ reads; else NULL; released at the
 *	end
 * @at: offset of the message in @mr
 * @us: endpoint whose memory a READ reads
 * @req: header of the latest request of that READ
 * @tm: local READ that data is for
 * @n: packets so far
 * @space: most packets
 * @in: receive information of the latest packet
 */
struct rx_run {
	const struct rx_run_ops *ops;
	const struct uet_rx *whole;
	struct uet_wire_run *wire;
	struct uet_pdc_entry *pe;
	struct uet_rx_message *rm;
	struct uet_mr *mr;
	u64 at;
	struct uet_sock *us;
	struct uet_ses_req req;
	struct uet_tx_message *tm;
	u32 n;
	u32 space;
	struct uet_rx_info in;
};

/* Offset in the message of the first byte of the next packet. */
static inline u32 rx_run_next_offset(const struct rx_run *run)
{
	return run->wire->offset + run->wire->len;
}

/* Offset in the message of the first byte of the latest @nr packets. */
static inline u32 rx_run_offset(const struct rx_run *run, u32 nr)
{
	return rx_run_next_offset(run) - nr * run->wire->len;
}

extern const struct rx_run_ops uet_rx_run_read_ops;
extern const struct rx_run_ops uet_rx_run_data_ops;

#endif
