/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The RUDI interface: reliable unordered delivery of idempotent operations.  A struct
 * uet_rudi_peer is the initiator's half of all such requests to one peer: it numbers the
 * requests, detects losses, retransmits, and reports each outcome once.  The target's half is
 * a pure function, because a target keeps no state: a request that arrives twice is executed
 * twice.  RUDI has no PDC, no PSN and no state that both ends share.
 *
 * Implements UE 1.0.1 3.5.10.9 (packets), 3.5.12.7 (NACKs with NT) and 3.5.15 (time-outs) for
 * RUDI.  Level: core L4, beside pds.
 *
 * Life, locking and @now are as in pds.h.  The caller finds the object by the source address
 * of an answer, so that no other address can answer, and round trips are those of one path.
 * The caller may free the memory when uet_rudi_is_idle() returns true: uet_rudi_abort()
 * followed by uet_rudi_poll_up() leads to this state.  Each entry that can make a packet or an
 * outcome pending must be followed by the run loop
 *
 *	while (uet_rudi_poll_up(rudi, &up))		...report to SES...
 *	while (uet_rudi_tx_space(rudi))			...uet_rudi_tx_req()...
 *	while (uet_rudi_poll_tx(rudi, &tx, now))	...build and send...
 *	arm a timer for uet_rudi_deadline(rudi), then uet_rudi_tick(rudi, now)
 *
 * The caller may stop the loop early and resume it later.
 */
#ifndef UET_CORE_RUDI_H
#define UET_CORE_RUDI_H

#include "core/shim.h"
#include "core/wire/wire.h"
#include "pds.h"

/* Requests that may be outstanding at the same time. */
#define UET_RUDI_WINDOW_MIN	1
#define UET_RUDI_WINDOW_MAX	1024
#define UET_RUDI_WINDOW_DEFAULT	256

/*
 * struct uet_rudi_cfg - parameters of RUDI towards one peer (Table 3-28)
 * @window: requests that may be outstanding, a power of two
 * @rto_init_ns: RTO_Init_Time; also the lower bound of a measured RTO
 * @rto_max_ns: upper bound of a backed-off RTO
 * @nack_retx_ns: NACK_Retx_Time: first pause of a refused request
 * @nack_retx_max_ns: longest pause after repeated refusals
 * @max_nack_retx: Max_NACK_Retx_Cnt, per request; UET_PDC_NACK_RETX_FOREVER means no limit
 */
struct uet_rudi_cfg {
	u16 window;
	u64 rto_init_ns;
	u64 rto_max_ns;
	u8 max_rto_retx;
	u64 nack_retx_ns;
	u64 nack_retx_max_ns;
	u8 max_nack_retx;
};

/* Parameters of a software endpoint; rudi_req.c gives the reasons. */
extern const struct uet_rudi_cfg uet_rudi_cfg_default;

/*
 * struct uet_rudi_up - the outcome of one request
 * @kind: UET_UP_ACKED: answered, see @rsp; UET_UP_FAILED: never answered, see @error
 * @rsp: UET_UP_ACKED: the decoded response
 * @error: UET_UP_FAILED: UET_PDC_ERR_TIMEOUT, _NACK, _NACK_RETX or _ABORT
 * @nack_code: UET_UP_FAILED with UET_PDC_ERR_NACK*: the code, else 0
 */
struct uet_rudi_up {
	enum uet_pdc_up_kind kind;
	struct uet_pds_pkt pkt;
	struct uet_ses_rsp rsp;
	enum uet_pdc_error error;
	u8 nack_code;
};

/*
 * struct uet_rudi_stats - counters, all monotonic
 * @nack_lost: requests retransmitted at once because of a NACK
 * @held: pauses of a request because of a NACK
 */
struct uet_rudi_stats {
	u64 tx_req, tx_retx;
	u64 rx_resp, rx_nack;
	u64 rto_fired, nack_lost, held;
};

/*
 * struct uet_rudi_info - a snapshot for dumps
 * @nr_open: requests whose outcome is not known
 * @nr_done: outcomes that uet_rudi_poll_up() has not yielded yet
 * @rto_ns: RTO of a request sent now
 */
struct uet_rudi_info {
	u16 nr_open;
	u16 nr_done;
	u64 srtt_ns;
	u64 rto_ns;
	struct uet_rudi_stats stats;
};

struct uet_rudi_peer;

size_t uet_rudi_size(const struct uet_rudi_cfg *cfg);
void uet_rudi_init(struct uet_rudi_peer *rudi, const struct uet_rudi_cfg *cfg, u32 first_id,
		   u32 seed);

/* Requests from SES. */
bool uet_rudi_tx_space(const struct uet_rudi_peer *rudi);
u32 uet_rudi_tx_req(struct uet_rudi_peer *rudi, const struct uet_pds_pkt *pkt);

/* Received answers. */
enum uet_drop uet_rudi_rx_resp(struct uet_rudi_peer *rudi, const struct uet_pds_hdr *hdr,
			       const struct uet_ses_rsp *rsp, u64 now, struct uet_pds_pkt *pkt);
enum uet_drop uet_rudi_rx_nack(struct uet_rudi_peer *rudi, const struct uet_pds_hdr *hdr, u64 now);

/* Pending packets, outcomes and timers. */
bool uet_rudi_poll_tx(struct uet_rudi_peer *rudi, struct uet_pdc_tx *tx, u64 now);
bool uet_rudi_poll_up(struct uet_rudi_peer *rudi, struct uet_rudi_up *up);
u64 uet_rudi_deadline(const struct uet_rudi_peer *rudi);
void uet_rudi_tick(struct uet_rudi_peer *rudi, u64 now);

/* Aborting and freeing. */
void uet_rudi_abort(struct uet_rudi_peer *rudi);
bool uet_rudi_is_idle(const struct uet_rudi_peer *rudi);

/* Dumps. */
void uet_rudi_get_info(const struct uet_rudi_peer *rudi, struct uet_rudi_info *info);

/* The target: a pure function of the request. */
bool uet_rudi_reply(const struct uet_pds_hdr *hdr, const struct uet_rx_info *in,
		    const struct uet_ses_rsp *rsp, u8 nack_code, struct uet_pdc_tx *tx);

#endif /* UET_CORE_RUDI_H */
