/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PDS interface: one struct uet_pdc is one end of a packet delivery context in RUD or ROD
 * mode.  The PDC assigns and tracks PSNs, detects loss, filters duplicates, schedules ACKs and
 * NACKs, opens and closes.  It depends on no message, socket buffer, address or clock.
 * Level: core L4, above psn and wire, below SES.
 *
 * Implements UE 1.0.1 3.5.8 (open and close), 3.5.11 (PSNs, guaranteed
 * delivery), 3.5.12 (ACK, NACK), 3.5.15 (loss) and 3.5.16 (control packets).
 *
 * The caller provides uet_pdc_size() bytes, calls uet_pdc_init(), and from then on serialises
 * every call on the same object, in any context.  @now is monotonic time in ns, never less
 * than in an earlier call.  The caller lends the object a window, without which it handles
 * neither packets nor deadlines (pdc_life.c).  The object owns no other memory and needs no
 * destructor: the caller may free the memory when uet_pdc_is_dead() returns true and
 * uet_pdc_poll_up() yields nothing more.
 *
 * Each entry that can make a packet or an event pending must be followed by the run loop
 *
 *	while (uet_pdc_poll_up(pdc, &up))	...report to SES...
 *	while (uet_pdc_tx_space(pdc))		...uet_pdc_tx_req() what SES has...
 *	while (uet_pdc_poll_tx(pdc, &tx, now))	...build and send...
 *	arm a timer for uet_pdc_deadline(pdc), then uet_pdc_tick(pdc, now)
 *
 * The caller may stop the loop early (a budget) and resume it later: pending packets and
 * events stay pending.  Nothing here calls up.  The window bounds the work of each call.
 */
#ifndef UET_CORE_PDS_H
#define UET_CORE_PDS_H

#include "core/shim.h"
#include "core/wire/wire.h"

/* The deadline of an object that has no timer pending. */
#define UET_NEVER	U64_MAX

/*
 * uet_pds_runs_again() - must the caller go around its run loop at once again?
 * @rounds: rounds that the caller may still go, which bound its work
 *
 * A timer does the rest, or a worker if the object has ended and has no timer any more.
 */
static inline bool uet_pds_runs_again(bool has_work, int *rounds)
{
	return has_work && --*rounds > 0;
}

/* The windows: PSNs tracked per direction.  MPR counts in units of 128. */
#define UET_PDC_WINDOW_MIN	128
#define UET_PDC_WINDOW_MAX	1024
#define UET_PDC_WINDOW_DEFAULT	256

/* Features of UE 1.0.3 3.5.16.7.1.  We offer none, so all are off. */
#define UET_PDS_FEATURE_SYN_RETX_TRANSFER	0x1
#define UET_PDS_FEATURES_OFFERED		0x0

/* The largest Max_ACK_Data_Size: data of a stored response, bytes. */
#define UET_PDC_ACK_DATA_MAX		16

/* The value of Max_NACK_Retx_Cnt that means no limit, UE 1.0.1 Table 3-28. */
#define UET_PDC_NACK_RETX_FOREVER	31

struct uet_ccc;

/* The initiator sends in the forward direction.  A SYN creates the target. */
enum uet_pdc_role {
	UET_PDC_INITIATOR,
	UET_PDC_TARGET,
};

/* Reliable unordered or ordered delivery, fixed for the life of a PDC. */
enum uet_pdc_mode {
	UET_PDC_RUD,
	UET_PDC_ROD,
};

/**
 * enum uet_pdc_start - which end chooses the Start_PSN
 * @UET_PDC_START_PLAIN: without security: the initiator chooses
 * @UET_PDC_START_RANDOM: RANDOM_1RTT_START: the target chooses, for each PDC
 * @UET_PDC_START_EXPECTED: EXPECTED_0RTT_START: the initiator chooses, not
 *	below the target's Expected_PSN
 *
 * With RANDOM and EXPECTED the initiator adopts the Start_PSN its target
 * demands.
 */
enum uet_pdc_start {
	UET_PDC_START_PLAIN,
	UET_PDC_START_RANDOM,
	UET_PDC_START_EXPECTED,
};

/*
 * struct uet_pdc_cfg - parameters of a PDC (UE 1.0.1 Table 3-28)
 * @window: PSNs tracked per direction, a power of two,
 *	UET_PDC_WINDOW_MIN..UET_PDC_WINDOW_MAX; advertised as MPR
 * @default_mpr: Default_MPR, units of 128 PSNs, assumed until the first ACK_CC
 * @mpr_zero: Override_MPR_Zero_Value: PSNs that a peer tracks which advertises MPR 0; 0:
 *	MPR 0 states nothing
 * @rto_init_ns: RTO_Init_Time; also the lower bound of a measured RTO
 * @rto_max_ns: upper bound of a backed-off RTO
 * @peer_timeout_ns: silence of the peer after which the PDC fails; 0: it fails after
 *	@max_rto_retx time-outs in a row, as does a target that got nothing but a SYN
 * @nack_retx_ns: NACK_Retx_Time: first pause after a resource NACK
 * @nack_retx_max_ns: longest pause after repeated resource NACKs
 * @max_nack_retx: Max_NACK_Retx_Cnt; 31 means no limit
 * @idle_ns: an established initiator closes after this time without work; 0: never
 * @target_idle_ns: a target that received nothing for this time sends CLOSE_REQUEST and,
 *	unanswered, is closed; 0: never
 * @orphan_ns: time that the owner gives a PDC without a user, for uet_pdc_close_by()
 * @syn_retx_safety_ns: time that the owner keeps a closed target
 * @amo_host: SES: atomics have the byte order of this machine
 * @mswap_xor: SES: a masked swap is (target & mask) ^ operand
 * @fixed_port: FEP: the UDP source port is that of the FEP
 * @job_zero: SES: JobID of requests with JobID 0; 0: as it is
 * @reorder_min_ns: shortest delay after which an overtaken packet is lost, beyond a round
 *	trip; 0: 1.125 times the least round trip of late
 * @tail_loss_ns: Tail_Loss_Time; 0: no Probes
 * @max_tail_loss_retx: Max_Tail_Loss_Retx; 0: no Probes
 * @clear_ns: PDS_Clear_Time; 0: never request a clear
 * @max_gtd: stored guaranteed responses at most; 0: @window
 * @new_pdc_ns: life of a target whose Start_PSN is refused
 * @max_ack_data: a read of at most so many bytes is answered in the ACK; up to
 *	UET_PDC_ACK_DATA_MAX.  The result of a fetching atomic always is in the ACK
 * @cc_rate_mbps: line rate; 0: the rate of the ports
 * @cc_target_ns: target queueing delay; 0: derived from @cc_base_rtt_ns
 * @cc_strict: context: only the rules of the specification
 * @credit_run: bytes granted to a source in a turn; 0: four packets
 * @credit_rate: granted part of the rate, thousandths
 * @cwnd: fixed window, bytes; 0: 1.5 BDP
 * @ev_count: entropy values to choose from, a power of two
 * @ev_burst: consecutive packets with one entropy value
 * @burst: FEP: most bytes of packets that cross the stack as one; 0: none do
 * @has_cc: the PDC has a congestion control context, uet_pdc_open.ccc
 *
 * Times are in ns, the rest in bytes or packets.  The other fields are as in Table 3-28,
 * or, from @cc_rate_mbps on, those of a context that the owner creates.
 */
struct uet_pdc_cfg {
	u16 window;
	u8 default_mpr, mpr_zero;
	u32 ack_gen_trigger, ack_gen_min_add;
	u64 ack_delay_ns;
	u64 rto_init_ns, rto_max_ns;
	u8 max_rto_retx;
	u64 peer_timeout_ns;
	u64 nack_retx_ns, nack_retx_max_ns;
	u8 max_nack_retx;
	u64 close_req_ns, idle_ns, target_idle_ns, orphan_ns, syn_retx_safety_ns;
	bool ack_clears, amo_host, mswap_xor, fixed_port;
	u32 job_zero;
	bool ack_on_ecn, ack_per_pkt;
	u64 reorder_min_ns;
	u64 tail_loss_ns;
	u8 max_tail_loss_retx;
	u64 clear_ns;
	u16 max_gtd;
	u64 new_pdc_ns;
	u8 max_ack_data;
	u32 cc_rate_mbps;
	u64 cc_base_rtt_ns, cc_target_ns;
	bool cc_strict;
	u32 credit_run;
	u16 credit_rate;
	u32 cwnd, ev_count;
	u16 ev_burst;
	u32 burst;
	bool has_cc;
};

/* Parameters of a software endpoint; pdc_param.def has them. */
extern const struct uet_pdc_cfg uet_pdc_cfg_default;

/*
 * struct uet_pdc_open - identity of a new PDC
 * @local_pdcid: our PDCID, never 0
 * @peer_pdcid: target: spdcid of the SYN; initiator: 0, learnt from the first answer
 * @start_psn: initiator: random; target: psn - psn_offset of the SYN
 * @seed: any number; seeds the entropy sequence, so that a run is repeatable
 * @start: which end chooses @start_psn
 * @expected_psn: target: RANDOM: a fresh random PSN to start with; EXPECTED: Expected_PSN
 *	of the security domain
 * @is_reserved: initiator: request a PDC of the target's reserved pool; target: the SYN
 *	requested one
 * @is_answer: initiator: a packet of the peer, which may be forged, is why it is opened
 * @ccc: with uet_pdc_cfg.has_cc: congestion control context, shared by the PDCs to one FEP;
 *	it outlives the PDC.  Otherwise NULL: only the PSN window and pauses limit
 *	transmission
 * @overhead: with @ccc: bytes of a packet other than PDS header, SES header and payload:
 *	UDP or entropy header, and the overhead of TSS
 * @paces_credit: the owner runs a pacer for the senders to this PDC, see
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
	bool is_reserved, is_answer;
	struct uet_ccc *ccc;
	u16 overhead;
	bool paces_credit;
};

/**
 * struct uet_pds_pkt - one request packet as SES hands it down
 * @msg: the SES message of the packet; opaque here, never dereferenced
 * @offset: message_offset of its first payload byte
 * @len: payload bytes, 0..Payload MTU
 * @next_hdr: enum uet_nh of its SES header
 * @flags: UET_PKT_*, and UET_PKT_EXT() of the length of an extension header
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
#define UET_PKT_TAIL	0x04	/* last packet SES has: request an ACK now */
#define UET_PKT_BARE	0x08	/* read request: asks for @len bytes, carries none */
#define UET_PKT_MARKS	(UET_PKT_SOM | UET_PKT_EOM | UET_PKT_TAIL)
#define UET_PKT_EXT(len)	((len) / 4 << 4)	/* up to 60 bytes */
#define UET_PKT_EXT_LEN(flags)	(((flags) >> 4) * 4)

/*
 * struct uet_rx_info - reception attributes that the carrier provides
 * @ev: entropy value of the packet; the answer returns it
 * @in_burst: the packet came in a burst, so its sender has room for many more
 * @is_joined: with @in_burst, the packet came singly and was joined to others here, so its
 *	sender may be any
 * @bytes: nominal packet size in bytes, UE 1.0.1 3.6.12
 */
struct uet_rx_info {
	u16 ev;
	bool ce;
	bool in_burst, is_joined;
	u32 bytes;
};

/**
 * enum uet_pdc_tx_kind - kind of packet that uet_pdc_poll_tx() returns
 * @UET_TX_REQ: SES header and payload of @pkt follow; the SES header of a read response
 *	packet is a response
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

/*
 * struct uet_pdc_tx - one packet to be built and sent now
 * @hdr: complete, host order
 * @pkt: request only: the piece of the message to send
 * @rsp: ACK only: SES response to encode behind the header, followed by its data; @rsp.data
 *	is valid until the next call on the PDC
 * @lost_lane: request with @is_retx: uet_ev_lane() of the entropy value with which the
 *	packet was sent before
 */
struct uet_pdc_tx {
	enum uet_pdc_tx_kind kind;
	struct uet_pds_hdr hdr;
	struct uet_pds_pkt pkt;
	struct uet_ses_rsp rsp;
	u16 ev;
	bool is_retx;
	u8 lost_lane;
};

/**
 * enum uet_pdc_up_kind - kind of event that uet_pdc_poll_up() reports to SES
 * @UET_UP_ACKED: @pkt was answered; @rsp_opcode and @rc give the result
 * @UET_UP_FAILED: the PDC failed before @pkt was answered; the reason is @error
 * @UET_UP_NOOP_ACKED: a NOOP was answered; @pkt.msg is the cookie given with it
 * @UET_UP_NOOP_FAILED: the PDC failed before a NOOP was answered
 */
enum uet_pdc_up_kind {
	UET_UP_ACKED,
	UET_UP_FAILED,
	UET_UP_NOOP_ACKED,
	UET_UP_NOOP_FAILED,
};

/*
 * enum uet_pdc_error - why a PDC failed
 * @UET_PDC_OK: the PDC has not failed, or was closed in order
 * @UET_PDC_ERR_TIMEOUT: the peer is silent: for uet_pdc_cfg.peer_timeout_ns, or
 *	Max_RTO_Retx_Cnt reached
 * @UET_PDC_ERR_NACK: the peer refused with a fatal NACK code
 * @UET_PDC_ERR_PROTOCOL: the peer answered a packet that was never sent
 * @UET_PDC_ERR_TOO_BIG: MTU exceeded: no path carries packets of this size. The core
 *	reports a time-out; the shell substitutes this value
 * @UET_PDC_ERR_LOCAL: the memory for the result of a message is gone.  Set by the shell
 *	only; never the reason of a PDC
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

/*
 * struct uet_pdc_up - one event for SES, in PSN order
 * @pkt: the packet as handed to uet_pdc_tx_req(), or a cookie in @pkt.msg
 * @rsp_opcode: enum uet_rsp of the response (DEFAULT if only a CACK arrived)
 * @rc: enum uet_rc of the response (OK if only a CACK arrived)
 * @ri_gen: generation of the response; 0 if only a CACK arrived
 * @modified_length: modified length of the response, bytes; U32_MAX in a default response:
 *	only a CACK arrived
 * @list: enum uet_list of the response (EXPECTED if only a CACK arrived)
 * @xmit: serial number of the latest transmission of @pkt on this PDC
 * @answer: serial number of the ACK with the response, or that covered the packet
 * @error: UET_UP_FAILED: the reason
 * @nack_code: UET_UP_FAILED with UET_PDC_ERR_NACK*: the code, else 0
 * @is_unexecuted: UET_UP_FAILED: the peer cannot have executed @pkt: it was never
 *	transmitted, or once, and that transmission was not reported as received and was
 *	refused with the action RETRY
 */
struct uet_pdc_up {
	enum uet_pdc_up_kind kind;
	struct uet_pds_pkt pkt;
	u8 rsp_opcode;
	u8 rc;
	u8 ri_gen;
	u32 modified_length;
	u8 list;
	u32 xmit;
	u32 answer;
	enum uet_pdc_error error;
	u8 nack_code;
	bool is_unexecuted;
};

/* The states of UE 1.0.1 3.5.9 (uet-wire 2.29); uet_pdc_state_name() names them. */
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
 * struct uet_pdc_stats - counters of one PDC, all monotonic: those of pdc_stat.def
 * @start_expired: 1 if New_PDC_Time ran out
 *
 * Read through uet_pdc_stats(); the shell adds differences to its MIB.
 */
struct uet_pdc_stats {
#define UET_PDC_STAT(field, mib)	u64 field;
#define UET_PDC_SUM			UET_PDC_STAT
#include "core/pdc_stat.def"
#undef UET_PDC_STAT
#undef UET_PDC_SUM
	u64 start_expired;
};

/*
 * struct uet_pdc_info - a snapshot for dumps
 * @error: the reason, in state ERROR
 * @next_psn: PSN of the next packet handed down
 * @tx_base_psn: first PSN not acknowledged
 * @rx_cack_psn: CACK_PSN that this end reports
 * @clear_psn: CLEAR_PSN that this end reports
 * @inflight_pkts: packets sent and not reported as received
 * @peer_mpr_pkts: PSNs the peer tracks
 * @peer_features: PDS features the peer offered
 * @nack_code: code of the latest NACK; with @error: of the NACK that caused it, or 0
 * @heard_ns: when the last packet of the peer was accepted; 0: none was
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
	u8 nack_code;
	u64 opened_ns, heard_ns;
};

struct uet_pdc;

size_t uet_pdc_size(void);
void uet_pdc_init(struct uet_pdc *pdc, const struct uet_pdc_cfg *cfg,
		  const struct uet_pdc_open *open, u64 now);

/* The window: most of the memory, which an idle PDC does not need.  pdc_life.c */
size_t uet_pdc_window_size(const struct uet_pdc_cfg *cfg);
void uet_pdc_window_lend(struct uet_pdc *pdc, void *window);
u64 uet_pdc_window_idle_since(const struct uet_pdc *pdc);
void *uet_pdc_window_reclaim(struct uet_pdc *pdc);

/* Packets from SES. */
bool uet_pdc_tx_space(const struct uet_pdc *pdc);
u32 uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u64 now);
u32 uet_pdc_tx_reqs(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u32 n, u64 now);
bool uet_pdc_takes_messages(const struct uet_pdc *pdc);

/* Both may open the PDC.  The owner takes the outcome of a NOOP from uet_pdc_poll_up(). */
bool uet_pdc_tx_noop(struct uet_pdc *pdc, void *cookie, u64 now);
bool uet_pdc_tx_negotiate(struct uet_pdc *pdc, u64 now);

/* While held, SES has messages in progress: the PDC does not close. */
void uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now);

/*
 * Packets from the peer, with their decoded header; the PDC is found by its dpdcid.
 * uet_pdc_rx_req() sets *@deliver when SES must process the packet.  The caller then calls
 * exactly one of uet_pdc_rx_accept() and uet_pdc_rx_refuse(), with the same header and
 * attributes, before any other call on this object, except uet_pdc_rx_is_next().  A packet
 * without *@deliver needs no further call (a duplicate, out of window, refused).
 */
enum uet_drop uet_pdc_rx_req(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_rx_info *in, u64 now, bool *deliver);
bool uet_pdc_rx_is_next(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr);
void uet_pdc_rx_accept(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       const struct uet_rx_info *in, const struct uet_ses_rsp *rsp, u64 now);
void uet_pdc_rx_refuse(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       const struct uet_rx_info *in, u8 nack_code, u64 now);
void uet_pdc_early_keep(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			const struct uet_rx_info *in, u64 now);
bool uet_pdc_early_is_due(const struct uet_pdc *pdc);
void uet_pdc_early_take(struct uet_pdc *pdc, struct uet_rx_info *in);
bool uet_pdc_rx_may_run(const struct uet_pdc *pdc, u32 psn);
u32 uet_pdc_rx_run(struct uet_pdc *pdc, u32 n, u32 clear_psn, const struct uet_rx_info *in,
		   u64 now);
enum uet_drop uet_pdc_rx_ack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_ses_rsp *rsp, const struct uet_rx_info *in, u64 now);
const struct uet_pds_pkt *uet_pdc_pkt_of_nack(struct uet_pdc *pdc,
					      const struct uet_pds_hdr *hdr);
u32 uet_pdc_start_psn(enum uet_pdc_start start, u32 random, u32 former);
u32 uet_pdc_first_psn(const struct uet_pdc *pdc);
bool uet_pdc_start_retry(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u32 start_psn,
			 u64 now);
const struct uet_pds_pkt *uet_pdc_answered(struct uet_pdc *pdc,
					   const struct uet_pds_hdr *hdr);
enum uet_drop uet_pdc_rx_nack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in, u64 now);
enum uet_drop uet_pdc_rx_cp(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			    const struct uet_rx_info *in, u64 now);
enum uet_drop uet_pdc_rx_trimmed(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
				 const struct uet_rx_info *in, u8 code, u64 now);

/* A SYN with another Start_PSN: what becomes of it, and of the PDC. */
enum uet_rival {
	UET_RIVAL_WAIT,
	UET_RIVAL_REFUSE,
	UET_RIVAL_REPLACE,
};

enum uet_rival uet_pdc_rx_rival(struct uet_pdc *pdc, u64 now);

/* Pending packets, events and timers. */
bool uet_pdc_poll_tx(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now);
bool uet_pdc_poll_up(struct uet_pdc *pdc, struct uet_pdc_up *up);

/* Runs: consecutive packets of a message, in one step. */
u32 uet_pdc_poll_tx_run(struct uet_pdc *pdc, const struct uet_pdc_tx *tx, u16 *ev, u32 max,
			u64 now);
void uet_pdc_tx_step(struct uet_pdc_tx *tx, u16 ev);
u32 uet_pdc_poll_up_run(struct uet_pdc *pdc, const struct uet_pdc_up *up);
u64 uet_pdc_deadline(const struct uet_pdc *pdc);
u64 uet_pdc_peer_timeout(const struct uet_pdc *pdc);
u64 uet_pdc_rto_max(const struct uet_pdc *pdc);
bool uet_pdc_is_at_rest(const struct uet_pdc *pdc);
u32 uet_pdc_max_ack_data(const struct uet_pdc *pdc);
u64 uet_pdc_longer_pause(const struct uet_pdc *pdc, u64 last_ns, u64 refused_ns);
u64 uet_pdc_cfg_peer_timeout(const struct uet_pdc_cfg *cfg);
void uet_pdc_tick(struct uet_pdc *pdc, u64 now);

/*
 * Congestion control.  An event of one PDC may open the window of its context for other
 * PDCs, and no call reports this.  The owner keeps the waiting PDCs in order, counts them in
 * uet_ccc.nr_waiting, and gives the first one a quantum when the context is READY.
 */
bool uet_pdc_cc_waits(const struct uet_pdc *pdc);
void uet_pdc_cc_set_ev(struct uet_pdc *pdc, u32 psn, const u16 *ev, u32 n);
void uet_pdc_cc_give_quantum(struct uet_pdc *pdc, u32 packets);
void uet_pdc_cc_space(struct uet_pdc *pdc, u32 used, u32 size);

/**
 * struct uet_pdc_demand - credit that a source demands
 * @target: credit_target of the source, 24 bits
 * @ccc_id: context of the source
 * @was_trimmed: the packet was trimmed: only its header arrived
 * @was_requested: a Credit Request arrived, which must be answered in any case
 */
struct uet_pdc_demand {
	u32 target;
	u8 ccc_id;
	bool was_trimmed;
	bool was_requested;
};

/* Credit at the destination: between the PDC and the owner's pacer. */
bool uet_pdc_poll_demand(struct uet_pdc *pdc, struct uet_pdc_demand *demand);
void uet_pdc_grant_credit(struct uet_pdc *pdc, u32 value);

/* Close and free. */
void uet_pdc_close(struct uet_pdc *pdc, u64 now);
void uet_pdc_close_by(struct uet_pdc *pdc, u64 at);
void uet_pdc_abort(struct uet_pdc *pdc, u64 now);
bool uet_pdc_is_dead(const struct uet_pdc *pdc);
u32 uet_pdc_next_expected_psn(const struct uet_pdc *pdc);
bool uet_pdc_may_repeat(const struct uet_pdc *pdc);
bool uet_pdc_answers_can_wait(const struct uet_pdc *pdc);
u32 uet_pdc_psn_left(const struct uet_pdc *pdc);

/* Dumps. */
void uet_pdc_get_info(const struct uet_pdc *pdc, struct uet_pdc_info *info);
const struct uet_pdc_stats *uet_pdc_stats(const struct uet_pdc *pdc);
enum uet_pdc_state uet_pdc_state(const struct uet_pdc *pdc);
const char *uet_pdc_state_name(enum uet_pdc_state state);
const char *uet_pdc_error_name(enum uet_pdc_error error);

/* Answers to packets without a PDC; pure functions of the header. */
bool uet_pds_reply_no_pdc(const struct uet_pds_hdr *hdr, const struct uet_rx_info *in, u8 nack_code,
			  struct uet_pdc_tx *tx);
bool uet_pds_opens_pdc(const struct uet_pds_hdr *hdr, enum uet_pdc_mode *mode, u16 *peer_pdcid,
		       u32 *start_psn);
bool uet_pds_wants_reserved(const struct uet_pds_hdr *hdr);

/* Packets trimmed by a switch. */
#define UET_TRIM_LEN	16	/* bytes of PDS in a trimmed packet, UE 1.0.1 4.1 */

enum uet_drop uet_pds_trimmed(const u8 *buf, size_t len, struct uet_pds_hdr *hdr);

#endif
