/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PDS interface: one struct uet_pdc is one end of a packet delivery
 * context in RUD or ROD mode.  It assigns and tracks PSNs, detects loss,
 * filters duplicates, owes ACKs and NACKs, opens and closes.  It knows no
 * message, socket buffer, address or clock.  Level: core L4, above psn and
 * wire, below SES.
 *
 * Implements UE 1.0.1 3.5.8 (open and close), 3.5.11 (PSNs, guaranteed
 * delivery), 3.5.12 (ACK, NACK), 3.5.15 (loss) and 3.5.16 (control packets).
 *
 * Life of an object, and its locking
 * ----------------------------------
 * The caller provides uet_pdc_size() bytes, calls uet_pdc_init(), and from then
 * on serialises every call on the same object.  The object owns nothing and
 * needs no destructor: when uet_pdc_is_dead() says so, and everything that
 * uet_pdc_poll_up() still yields has been taken, the memory may go away.
 *
 * Each entry that can change what is owed must be followed by the run loop
 *
 *	while (uet_pdc_poll_up(pdc, &up))  ...tell SES...
 *	while (uet_pdc_tx_space(pdc))  ...uet_pdc_tx_req() what SES has...
 *	while (uet_pdc_poll_tx(pdc, &tx, now))  ...build and send...
 *	arm a timer for uet_pdc_deadline(pdc), then uet_pdc_tick(pdc, now)
 *
 * in which a caller may stop early (a budget) and come back later: debts stay.
 * Nothing here calls up, and the work of each call is bounded by the window.
 */
#ifndef UET_CORE_PDS_H
#define UET_CORE_PDS_H

#include "core/shim.h"
#include "core/wire/wire.h"

/** UET_NEVER - the deadline of an object that waits for nothing. */
#define UET_NEVER	U64_MAX

/* The windows: PSNs tracked per direction.  MPR counts in units of 128. */
#define UET_PDC_WINDOW_MIN	128
#define UET_PDC_WINDOW_MAX	1024
#define UET_PDC_WINDOW_DEFAULT	256

/* Features of UE 1.0.3 3.5.16.7.1.  We offer none, so all are off. */
#define UET_PDS_FEATURE_SYN_RETX_TRANSFER	0x1
#define UET_PDS_FEATURES_OFFERED		0x0

/* The largest Max_ACK_Data_Size: data of a stored response, bytes. */
#define UET_PDC_ACK_DATA_MAX		16

/* Max_NACK_Retx_Cnt that means no limit, UE 1.0.1 Table 3-28. */
#define UET_PDC_NACK_RETX_FOREVER	31

struct uet_ccc;

/**
 * enum uet_pdc_role - which end of the PDC this object is
 * @UET_PDC_INITIATOR: opened it, sends in the forward direction
 * @UET_PDC_TARGET: was created by a SYN, sends in the return direction
 */
enum uet_pdc_role {
	UET_PDC_INITIATOR,
	UET_PDC_TARGET,
};

/**
 * enum uet_pdc_mode - delivery mode, fixed for the life of a PDC
 * @UET_PDC_RUD: reliable unordered delivery
 * @UET_PDC_ROD: reliable ordered delivery
 */
enum uet_pdc_mode {
	UET_PDC_RUD,
	UET_PDC_ROD,
};

/**
 * enum uet_pdc_start - who decides where the PSNs begin
 * @UET_PDC_START_PLAIN: no security: the initiator
 * @UET_PDC_START_RANDOM: RANDOM_1RTT_START: the target, each time
 * @UET_PDC_START_EXPECTED: EXPECTED_0RTT_START: the initiator, but not below
 *	what the target expects
 *
 * An initiator obeys its target with either of the last two.
 */
enum uet_pdc_start {
	UET_PDC_START_PLAIN,
	UET_PDC_START_RANDOM,
	UET_PDC_START_EXPECTED,
};

/**
 * struct uet_pdc_cfg - parameters of a PDC (UE 1.0.1 Table 3-28)
 * @window: PSNs tracked per direction, a power of two,
 *	UET_PDC_WINDOW_MIN..UET_PDC_WINDOW_MAX; advertised as MPR
 * @default_mpr: Default_MPR, units of 128 PSNs, assumed until an ACK_CC came
 * @ack_gen_trigger: ACK_Gen_Trigger, bytes
 * @ack_gen_min_add: ACK_Gen_Min_Pkt_Add, bytes
 * @ack_delay_ns: longest time a coalesced ACK may stay owed
 * @rto_init_ns: RTO_Init_Time, also the lower bound of a measured RTO
 * @rto_max_ns: upper bound of a backed-off RTO
 * @max_rto_retx: Max_RTO_Retx_Cnt
 * @nack_retx_ns: NACK_Retx_Time, first pause after a resource NACK
 * @nack_retx_max_ns: longest pause after repeated resource NACKs
 * @max_nack_retx: Max_NACK_Retx_Cnt; 31 means no limit
 * @close_req_ns: Close_REQ_Time
 * @idle_ns: an established initiator without work for so long closes; 0 never
 * @target_idle_ns: a target that heard nothing for so long asks for a close
 *	(CLOSE_REQUEST) and, unanswered, dies; 0 never
 * @ack_on_ecn: ACK_On_ECN
 * @ack_per_pkt: Enb_ACK_Per_Pkt
 * @tail_loss_ns: Tail_Loss_Time; 0 no probing
 * @max_tail_loss_retx: Max_Tail_Loss_Retx; 0 no probing
 * @clear_ns: PDS_Clear_Time; 0 never ask for a clear
 * @max_gtd: guaranteed responses stored at most, up to @window; 0 @window
 * @new_pdc_ns: New_PDC_Time, life of a target whose Start_PSN is refused
 * @max_ack_data: Max_ACK_Data_Size, bytes of a read that are answered in the ACK, up
 *	to UET_PDC_ACK_DATA_MAX; what a fetching atomic returns always is
 * @cc_rate_mbps: of the context that the owner makes: line rate, Mb/s; 0: that of
 *	the ports
 * @cc_base_rtt_ns: of the context: round trip without queues
 * @cc_target_ns: of the context: queueing delay aimed at; 0: by @cc_base_rtt_ns
 * @cwnd: of the context: window that never changes, bytes; 0: 1.5 BDP
 * @ev_count: of the context: entropy values to choose from, a power of two
 * @ev_burst: of the context: packets in a row with one of them
 * @has_cc: there is a uet_pdc_open.ccc
 *
 * What is of the context, and @has_cc, is not of Table 3-28.
 */
struct uet_pdc_cfg {
	u16 window;
	u8 default_mpr;
	u32 ack_gen_trigger;
	u32 ack_gen_min_add;
	u64 ack_delay_ns;
	u64 rto_init_ns;
	u64 rto_max_ns;
	u8 max_rto_retx;
	u64 nack_retx_ns;
	u64 nack_retx_max_ns;
	u8 max_nack_retx;
	u64 close_req_ns;
	u64 idle_ns;
	u64 target_idle_ns;
	bool ack_on_ecn;
	bool ack_per_pkt;
	u64 tail_loss_ns;
	u8 max_tail_loss_retx;
	u64 clear_ns;
	u16 max_gtd;
	u64 new_pdc_ns;
	u8 max_ack_data;
	u32 cc_rate_mbps;
	u64 cc_base_rtt_ns;
	u64 cc_target_ns;
	u32 cwnd;
	u32 ev_count;
	u16 ev_burst;
	bool has_cc;
};

/* Parameters of a software endpoint; pdc_param.def says why these. */
extern const struct uet_pdc_cfg uet_pdc_cfg_default;

/**
 * struct uet_pdc_open - identity of a new PDC
 * @role: initiator or target
 * @mode: RUD or ROD
 * @local_pdcid: our PDCID, never 0
 * @peer_pdcid: target: spdcid of the SYN; initiator: 0, learnt from the answer
 * @start_psn: initiator: random; target: psn - psn_offset of the SYN
 * @seed: any number; seeds the entropy sequence, so a run can be repeated
 * @start: who decides on @start_psn
 * @expected_psn: target: RANDOM: a fresh random PSN, to begin with; EXPECTED:
 *	Expected_PSN of the security domain
 * @is_reserved: initiator: ask for a PDC of the target's reserved pool; target:
 *	the SYN asked for one
 * @ccc: with uet_pdc_cfg.has_cc: congestion control context, shared by PDCs to the
 *	same FEP; it outlives the PDC.  Else NULL: nothing but the window of PSNs and
 *	pauses limit what is sent
 * @overhead: with @ccc: bytes of a packet that are neither PDS nor SES header nor
 *	payload: UDP or entropy header, and what protection adds
 * @paces_credit: the owner has a pacer for those that send to this PDC, see
 *	uet_pdc_poll_demand()
 */
struct uet_pdc_open {
	enum uet_pdc_role role;
	enum uet_pdc_mode mode;
	u16 local_pdcid;
	u16 peer_pdcid;
	u32 start_psn;
	u32 seed;
	enum uet_pdc_start start;
	u32 expected_psn;
	bool is_reserved;
	struct uet_ccc *ccc;
	u16 overhead;
	bool paces_credit;
};

/**
 * struct uet_pds_pkt - one request packet as SES hands it down
 * @msg: the SES message it belongs to; opaque here, never dereferenced
 * @offset: message_offset of its first payload byte
 * @len: payload bytes, 0..Payload MTU
 * @next_hdr: enum uet_next_hdr of its SES header
 * @flags: UET_PKT_*, and UET_PKT_EXT() of the bytes of an extension header
 */
struct uet_pds_pkt {
	void *msg;
	u32 offset;
	u16 len;
	u8 next_hdr;
	u8 flags;
};

#define UET_PKT_SOM	0x01	/* first packet of its message */
#define UET_PKT_EOM	0x02	/* last packet of its message */
#define UET_PKT_TAIL	0x04	/* SES has nothing behind it: ask for an ACK now */
#define UET_PKT_BARE	0x08	/* it asks for @len bytes and has none */
#define UET_PKT_EXT(len)	((len) / 4 << 4)	/* up to 60 bytes */
#define UET_PKT_EXT_LEN(flags)	(((flags) >> 4) * 4)

/**
 * struct uet_rx_info - what the carrier knows of a received packet
 * @ev: its entropy value; the answer returns it
 * @ce: it carried IP CE
 * @bytes: nominal packet size in bytes, UE 1.0.1 3.6.12
 */
struct uet_rx_info {
	u16 ev;
	bool ce;
	u32 bytes;
};

/**
 * enum uet_pdc_tx_kind - what uet_pdc_poll_tx() wants sent
 * @UET_TX_REQ: a request: SES header and payload of @pkt follow; of a packet that
 *	returns data to the peer the header is a response
 * @UET_TX_ACK: an ACK: @rsp follows unless hdr.next_hdr is UET_NH_NONE
 * @UET_TX_NACK: a NACK, nothing follows
 * @UET_TX_CP: a control packet, nothing follows
 */
enum uet_pdc_tx_kind {
	UET_TX_REQ,
	UET_TX_ACK,
	UET_TX_NACK,
	UET_TX_CP,
};

/**
 * struct uet_pdc_tx - one packet to be built and sent now
 * @kind: what it is
 * @hdr: PDS header, complete, host order
 * @pkt: request only: which piece of which message
 * @rsp: ACK only: SES response to encode behind the header, and then its data;
 *	@rsp.data is valid until the next call on the PDC
 * @ev: entropy value to send it with
 * @is_retx: a retransmission
 */
struct uet_pdc_tx {
	enum uet_pdc_tx_kind kind;
	struct uet_pds_hdr hdr;
	struct uet_pds_pkt pkt;
	struct uet_ses_rsp rsp;
	u16 ev;
	bool is_retx;
};

/**
 * enum uet_pdc_up_kind - what uet_pdc_poll_up() tells SES
 * @UET_UP_ACKED: @pkt was answered; @rsp_opcode and @rc say how
 * @UET_UP_FAILED: @pkt will never be answered, the PDC died: @error
 * @UET_UP_NOOP_ACKED: so was a NOOP; @pkt.msg is the cookie given with it
 * @UET_UP_NOOP_FAILED: a NOOP will never be answered
 */
enum uet_pdc_up_kind {
	UET_UP_ACKED,
	UET_UP_FAILED,
	UET_UP_NOOP_ACKED,
	UET_UP_NOOP_FAILED,
};

/**
 * enum uet_pdc_error - why a PDC died
 * @UET_PDC_OK: it did not, or it was closed in order
 * @UET_PDC_ERR_TIMEOUT: Max_RTO_Retx_Cnt reached, the peer is silent
 * @UET_PDC_ERR_NACK: the peer refused with a fatal NACK code
 * @UET_PDC_ERR_NACK_RETX: Max_NACK_Retx_Cnt reached
 * @UET_PDC_ERR_PROTOCOL: the peer answered what was never asked
 * @UET_PDC_ERR_ABORT: uet_pdc_abort() was called
 * @UET_PDC_ERR_TOO_BIG: no path is wide enough for a packet: a time-out, as the
 *	shell explains it; the core never sets it
 * @UET_PDC_ERR_LOCAL: no PDC dies of it: the memory for the result of a message
 *	is gone, as the shell finds out
 */
enum uet_pdc_error {
	UET_PDC_OK,
	UET_PDC_ERR_TIMEOUT,
	UET_PDC_ERR_NACK,
	UET_PDC_ERR_NACK_RETX,
	UET_PDC_ERR_PROTOCOL,
	UET_PDC_ERR_ABORT,
	UET_PDC_ERR_TOO_BIG,
	UET_PDC_ERR_LOCAL,
};

/**
 * struct uet_pdc_up - one event for SES, in PSN order
 * @kind: acked or failed
 * @pkt: the packet as handed to uet_pdc_tx_req(), or a cookie in @pkt.msg
 * @rsp_opcode: enum uet_rsp of its response (DEFAULT if only a CACK came)
 * @rc: enum uet_rc of its response (OK if only a CACK came)
 * @ri_gen: generation, of its response; 0 if only a CACK came
 * @modified_length: bytes, of its response; U32_MAX if only a CACK came
 * @list: enum uet_list of its response (EXPECTED if only a CACK came)
 * @error: UET_UP_FAILED: why
 * @nack_code: UET_UP_FAILED with UET_PDC_ERR_NACK*: the code, else 0
 */
struct uet_pdc_up {
	enum uet_pdc_up_kind kind;
	struct uet_pds_pkt pkt;
	u8 rsp_opcode;
	u8 rc;
	u8 ri_gen;
	u32 modified_length;
	u8 list;
	enum uet_pdc_error error;
	u8 nack_code;
};

/* The states of UE 1.0.1 3.5.9 (uet-wire 2.29); names for people and dumps. */
enum uet_pdc_state {
	UET_PDC_ST_CLOSED,
	UET_PDC_ST_SYN_SENT,
	UET_PDC_ST_ESTABLISHED,
	UET_PDC_ST_QUIESCE,
	UET_PDC_ST_ACK_WAIT,
	UET_PDC_ST_CLOSE_ACK_WAIT,
	UET_PDC_ST_NEW_ESTABLISHED,
	UET_PDC_ST_CLOSE_WAIT,
	UET_PDC_ST_ERROR,
	UET_PDC_ST_PENDING,
	UET_PDC_ST_NR,
};

/**
 * struct uet_pdc_stats - counters of one PDC, all monotonic
 * @tx_req: requests sent for the first time
 * @tx_retx: requests sent again
 * @tx_ack: ACKs sent
 * @tx_nack: NACKs sent
 * @tx_cp: control packets sent, for the first time or again
 * @rx_req: requests accepted
 * @rx_dup: requests and control packets received before
 * @rx_ooo: requests accepted out of order, or in ROD refused for it
 * @rx_ack: ACKs that were believed
 * @rx_nack: NACKs that were believed
 * @rx_cp: control packets received
 * @tx_credit: Credit sent, among @tx_cp
 * @tx_credit_req: Credit Requests sent, among @tx_cp
 * @rx_credit: Credit obeyed, among @rx_cp
 * @rx_credit_req: Credit Requests heard, among @rx_cp
 * @rto_fired: time-outs
 * @sack_lost: packets found lost because later ones, or a Probe, arrived
 * @nack_lost: packets to be sent again because of a NACK
 * @held: times the send half was paused by a resource NACK
 * @nack_overflow: NACKs not sent because too many were owed
 * @tx_pend: ACKs sent that ask the peer for less, rcv_cwnd_pend
 * @start_expired: 1 if New_PDC_Time ran out
 *
 * Read through uet_pdc_stats(); the shell adds differences to its MIB.
 */
struct uet_pdc_stats {
	u64 tx_req, tx_retx, tx_ack, tx_nack, tx_cp;
	u64 rx_req, rx_dup, rx_ooo, rx_ack, rx_nack, rx_cp;
	u64 tx_credit, tx_credit_req, rx_credit, rx_credit_req;
	u64 rto_fired, sack_lost, nack_lost, held;
	u64 nack_overflow;
	u64 tx_pend;
	u64 start_expired;
};

/**
 * struct uet_pdc_info - a snapshot for dumps
 * @role: initiator or target
 * @mode: RUD or ROD
 * @state: state
 * @error: why, in state ERROR
 * @local_pdcid: our PDCID
 * @peer_pdcid: the peer's, 0 while unknown
 * @start_psn: first PSN of both directions
 * @next_psn: PSN of the next packet handed down
 * @tx_base_psn: first PSN not answered
 * @rx_cack_psn: CACK_PSN we report
 * @clear_psn: CLEAR_PSN we report
 * @inflight_pkts: packets sent and not known to be received
 * @peer_mpr_pkts: PSNs the peer tracks
 * @srtt_ns: smoothed round trip time, 0 before the first sample
 * @rto_ns: time-out in force
 * @stats: counters
 * @peer_features: PDS features the peer offered (NEGOTIATION), UET_PDS_FEATURE_*
 * @is_reserved: the SYN asks for a PDC of the reserved pool
 */
struct uet_pdc_info {
	enum uet_pdc_role role;
	enum uet_pdc_mode mode;
	enum uet_pdc_state state;
	enum uet_pdc_error error;
	u16 local_pdcid, peer_pdcid;
	u32 start_psn, next_psn, tx_base_psn, rx_cack_psn, clear_psn;
	u16 inflight_pkts, peer_mpr_pkts;
	u64 srtt_ns, rto_ns;
	struct uet_pdc_stats stats;
	u32 peer_features;
	bool is_reserved;
};

struct uet_pdc;

size_t uet_pdc_size(const struct uet_pdc_cfg *cfg);
int uet_pdc_cfg_check(const struct uet_pdc_cfg *cfg);
void uet_pdc_init(struct uet_pdc *pdc, const struct uet_pdc_cfg *cfg,
		  const struct uet_pdc_open *open, u64 now);

/* SES hands packets down. */
bool uet_pdc_tx_space(const struct uet_pdc *pdc);
u32 uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u64 now);
bool uet_pdc_takes_messages(const struct uet_pdc *pdc);

/*
 * Control packets of the owner; both may open the PDC.  Whoever sends NOOPs
 * takes their outcome from uet_pdc_poll_up(): SES bypass_cc over it.
 */
bool uet_pdc_tx_noop(struct uet_pdc *pdc, void *cookie, u64 now);
bool uet_pdc_tx_negotiate(struct uet_pdc *pdc, u64 now);

/* SES has messages in progress: do not close under them. */
void uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now);

/*
 * Packets come in.  uet_pdc_rx_req() sets *@deliver when SES must look at the
 * packet; the caller then answers with exactly one of uet_pdc_rx_accept() and
 * uet_pdc_rx_refuse() before any other call on this object, except
 * uet_pdc_rx_is_next().  When it is not set, the packet needs nothing more (a
 * duplicate, out of window, refused).
 */
enum uet_drop uet_pdc_rx_req(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_rx_info *in, u64 now,
			     bool *deliver);
bool uet_pdc_rx_is_next(const struct uet_pdc *pdc,
			const struct uet_pds_hdr *hdr);
void uet_pdc_rx_accept(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       const struct uet_rx_info *in,
		       const struct uet_ses_rsp *rsp, u64 now);
void uet_pdc_rx_refuse(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       const struct uet_rx_info *in, u8 nack_code, u64 now);
enum uet_drop uet_pdc_rx_ack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_ses_rsp *rsp,
			     const struct uet_rx_info *in, u64 now);
const struct uet_pds_pkt *uet_pdc_answered(const struct uet_pdc *pdc,
					   const struct uet_pds_hdr *hdr);
enum uet_drop uet_pdc_rx_nack(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in, u64 now);
enum uet_drop uet_pdc_rx_cp(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			    const struct uet_rx_info *in, u64 now);
enum uet_drop uet_pdc_rx_trimmed(struct uet_pdc *pdc,
				 const struct uet_pds_hdr *hdr,
				 const struct uet_rx_info *in, u8 nack_code,
				 u64 now);

/* What is owed. */
bool uet_pdc_poll_tx(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now);
bool uet_pdc_poll_up(struct uet_pdc *pdc, struct uet_pdc_up *up);
u64 uet_pdc_deadline(const struct uet_pdc *pdc);
u64 uet_pdc_peer_timeout(const struct uet_pdc *pdc);
u64 uet_pdc_rto_max(const struct uet_pdc *pdc);
bool uet_pdc_is_at_rest(const struct uet_pdc *pdc);
u32 uet_pdc_max_ack_data(const struct uet_pdc *pdc);
u64 uet_pdc_longer_pause(const struct uet_pdc *pdc, u64 last_ns);
u64 uet_pdc_cfg_peer_timeout(const struct uet_pdc_cfg *cfg);
void uet_pdc_tick(struct uet_pdc *pdc, u64 now);

/*
 * Congestion control.  What a PDC did may let others of its context send, and
 * nobody tells them: the owner keeps those that wait in an order, counts them in
 * uet_ccc.nr_waiting, and gives the first its turn when the context is READY.
 */
bool uet_pdc_cc_waits(const struct uet_pdc *pdc);
void uet_pdc_cc_give_quantum(struct uet_pdc *pdc, u32 packets);
void uet_pdc_cc_space(struct uet_pdc *pdc, u32 used, u32 size);

/**
 * struct uet_pdc_demand - what a source says of the credit it would like to have
 * @target: its credit_target, 24 bits
 * @ccc_id: which of its contexts it is
 * @was_trimmed: of a packet only the header came
 * @was_requested: a Credit Request came, which is to be answered in any case
 */
struct uet_pdc_demand {
	u32 target;
	u8 ccc_id;
	bool was_trimmed;
	bool was_requested;
};

/* Credit, at the destination: what the owner's pacer is told, and tells. */
bool uet_pdc_poll_demand(struct uet_pdc *pdc, struct uet_pdc_demand *demand);
void uet_pdc_grant_credit(struct uet_pdc *pdc, u32 value);

/* The end. */
void uet_pdc_close(struct uet_pdc *pdc, u64 now);
void uet_pdc_abort(struct uet_pdc *pdc, u64 now);
bool uet_pdc_is_dead(const struct uet_pdc *pdc);
u32 uet_pdc_next_expected_psn(const struct uet_pdc *pdc);
u32 uet_pdc_psn_left(const struct uet_pdc *pdc);

/* Looking at it. */
void uet_pdc_get_info(const struct uet_pdc *pdc, struct uet_pdc_info *info);
const struct uet_pdc_stats *uet_pdc_stats(const struct uet_pdc *pdc);
enum uet_pdc_state uet_pdc_state(const struct uet_pdc *pdc);
const char *uet_pdc_state_name(enum uet_pdc_state state);
const char *uet_pdc_error_name(enum uet_pdc_error error);
bool uet_pdc_check(const struct uet_pdc *pdc, const char **what);

/* Packets for which there is no PDC; pure functions of the header. */
bool uet_pds_reply_no_pdc(const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, u8 nack_code,
			  struct uet_pdc_tx *tx);
bool uet_pds_opens_pdc(const struct uet_pds_hdr *hdr, enum uet_pdc_mode *mode,
		       u16 *peer_pdcid, u32 *start_psn);
bool uet_pds_wants_reserved(const struct uet_pds_hdr *hdr);

/* Packets a switch has trimmed. */
#define UET_TRIM_LEN	16	/* bytes of PDS that are left, UE 1.0.1 4.1 */

enum uet_drop uet_pds_trimmed(const u8 *buf, size_t len,
			      struct uet_pds_hdr *hdr);

#endif
