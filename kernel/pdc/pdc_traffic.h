/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a PDC has counted for its FEP, its job and its peer.  It counts without atomics,
 * under its lock, and adds what is new when somebody asks, when its job changes, and when
 * it ends.  So nothing is counted twice or lost, and no sum ever falls.
 */
#ifndef UET_PDC_TRAFFIC_H
#define UET_PDC_TRAFFIC_H

#include "fabric/fabric.h"

struct uet_fep;
struct uet_net;
struct uet_pdc_entry;
struct uet_pdc_peer;
struct uet_ses_tx;

/**
 * struct uet_pdc_traffic - what a PDC has counted and not added yet
 * @peer: its peer, one reference
 * @job: JobID of its messages; target: of the latest one, 0: none yet
 * @tx_messages: UET_TRAFFIC_TX_MESSAGES
 * @failed_messages: UET_TRAFFIC_FAILED_MESSAGES
 * @tx_bytes: UET_TRAFFIC_TX_BYTES
 * @rx_messages: UET_TRAFFIC_RX_MESSAGES
 * @rx_bytes: UET_TRAFFIC_RX_BYTES
 * @tx_req: uet_pdc_stats.tx_req as added; likewise the statistics below
 * @tx_retx: as @tx_req
 * @rx_req: as @tx_req
 * @rx_dup: as @tx_req
 * @rto_fired: as @tx_req
 */
struct uet_pdc_traffic {
	struct uet_pdc_peer *peer;
	u32 job;
	u64 tx_messages, failed_messages, tx_bytes, rx_messages, rx_bytes;
	u64 tx_req, tx_retx, rx_req, rx_dup, rto_fired;
};

/**
 * struct uet_pdc_ended - messages of a PDC that have ended in a round
 * @sent: with success
 * @failed: in error
 * @sent_bytes: bytes of @sent
 * @read_bytes: bytes that were read from the peer
 */
struct uet_pdc_ended {
	u32 sent, failed;
	u64 sent_bytes, read_bytes;
};

void uet_pdc_traffic_sum(struct uet_pdc_entry *pe);
void uet_pdc_traffic_count(struct uet_pdc_ended *ended,
			   const struct uet_ses_tx *tx, int err);
void uet_pdc_traffic_read(struct uet_pdc_ended *ended,
			  const struct uet_ses_tx *tx);
void uet_pdc_traffic_ended(struct uet_pdc_entry *pe,
			   const struct uet_pdc_ended *ended);
void uet_pdc_traffic_open(struct uet_pdc_entry *pe);
void uet_pdc_traffic_serve(struct uet_pdc_entry *pe, u32 job);
void uet_pdc_traffic_delivered(struct uet_pdc_entry *pe);
void uet_pdc_traffic_retx(struct uet_pdc_entry *pe, const struct uet_pdc_tx *tx);
void uet_pdc_traffic_collect(struct uet_net *un, bool is_admin);

#endif
