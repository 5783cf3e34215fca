/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a FEP, a job or a peer has sent and received.  PDCs count under their locks, and
 * add what is new when somebody asks and when they end, see pdc/pdc_traffic.h.
 */
#ifndef UET_TRAFFIC_H
#define UET_TRAFFIC_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * enum uet_traffic_counter - counters of a FEP, a job or a peer
 * @UET_TRAFFIC_PDCS: PDCs opened or accepted
 * @UET_TRAFFIC_FAILED_PDCS: PDCs that ended in error
 * @UET_TRAFFIC_TX_MESSAGES: messages sent and answered with success
 * @UET_TRAFFIC_FAILED_MESSAGES: messages sent that ended in error
 * @UET_TRAFFIC_TX_BYTES: bytes of the former
 * @UET_TRAFFIC_TX_PACKETS: requests sent for the first time
 * @UET_TRAFFIC_TX_RETX: requests sent again
 * @UET_TRAFFIC_RX_MESSAGES: messages delivered to a socket
 * @UET_TRAFFIC_RX_BYTES: payload of the requests accepted, and what was read from peers
 * @UET_TRAFFIC_RX_PACKETS: new requests received
 * @UET_TRAFFIC_RX_DUPS: requests received again
 * @UET_TRAFFIC_TIMEOUTS: retransmission time-outs
 * @UET_TRAFFIC_DROPS: packets not used and packets that could not be sent; FEPs only
 * @UET_TRAFFIC_NR: number of counters
 */
enum uet_traffic_counter {
	UET_TRAFFIC_PDCS,
	UET_TRAFFIC_FAILED_PDCS,
	UET_TRAFFIC_TX_MESSAGES,
	UET_TRAFFIC_FAILED_MESSAGES,
	UET_TRAFFIC_TX_BYTES,
	UET_TRAFFIC_TX_PACKETS,
	UET_TRAFFIC_TX_RETX,
	UET_TRAFFIC_RX_MESSAGES,
	UET_TRAFFIC_RX_BYTES,
	UET_TRAFFIC_RX_PACKETS,
	UET_TRAFFIC_RX_DUPS,
	UET_TRAFFIC_TIMEOUTS,
	UET_TRAFFIC_DROPS,
	UET_TRAFFIC_NR,
};

/**
 * struct uet_traffic - the counters of a FEP, a job or a peer
 * @n: by enum uet_traffic_counter
 */
struct uet_traffic {
	atomic64_t n[UET_TRAFFIC_NR];
};

/**
 * uet_traffic_add() - increase a counter
 * @traffic: counters
 * @which: counter
 * @n: increment
 */
static inline void uet_traffic_add(struct uet_traffic *traffic,
				   enum uet_traffic_counter which, u64 n)
{
	atomic64_add(n, &traffic->n[which]);
}

/**
 * uet_traffic_sent() - count a message sent without a PDC
 * @traffic: counters
 * @bytes: its length
 */
static inline void uet_traffic_sent(struct uet_traffic *traffic, u32 bytes)
{
	uet_traffic_add(traffic, UET_TRAFFIC_TX_MESSAGES, 1);
	uet_traffic_add(traffic, UET_TRAFFIC_TX_BYTES, bytes);
}

/**
 * uet_traffic_received() - count a message received without a PDC
 * @traffic: counters
 * @bytes: its length
 */
static inline void uet_traffic_received(struct uet_traffic *traffic, u32 bytes)
{
	uet_traffic_add(traffic, UET_TRAFFIC_RX_MESSAGES, 1);
	uet_traffic_add(traffic, UET_TRAFFIC_RX_BYTES, bytes);
}

#endif
