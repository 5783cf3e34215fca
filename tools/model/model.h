/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second PDC implementation for tests, written for correctness instead of speed: the
 * required behaviour of one end of a PDC, derived from pds.h and the rules of the
 * specification, not from the core.  spec.h has the tables of the specification.  The
 * model keeps one record for every packet ever sent or received and searches all
 * records each time.
 *
 * Packets are numbered instead of compared by PSN: the first packet of a direction has
 * number 1, number 0 stands for Start_PSN - 1, and numbers never wrap.
 *
 * Every call on a real PDC is repeated on the model, which computes the required
 * return value.  Every packet and outcome that the real PDC yields is passed to the
 * model, which checks that the packet or outcome was due.  Where the specification
 * leaves a choice, such as when a packet counts as lost, the model checks limits only.
 *
 *	model.c		state, opening and closing, time, comparison
 *	model_start.c	start of the PSNs of a secure PDC
 *	model_rx.c	arriving packets, and the answers that become pending
 *	model_answer.c	check of these answers when they are sent
 *	model_tx.c	packets passed down by SES, and arriving answers
 *	model_send.c	check of these packets when they are sent
 *	model_cc.c	permission of congestion control
 *	model_wire.c	each sent header against the tables of spec.h
 *	shadow.c	attaches a model to each PDC of a program
 *
 * Spec: UE 1.0.1 3.5.8 to 3.5.16.  Level: test.
 */
#ifndef UET_MODEL_H
#define UET_MODEL_H

#include <stdarg.h>
#include <stdio.h>

#include "core/cms/ccc.h"
#include "core/pds/pds.h"
#include "spec.h"

/* Maximum number of pending NACKs. */
#define MODEL_NACKS	16

/* Earliest loss of a packet after its transmission, ns, unless a NACK reports it. */
#define MODEL_TIMEOUT	100000ULL

/* NACKs of one packet after which it may wait: choices.rst, "Limits of NACKs on a PDC". */
#define MODEL_NACKS_AT_ONCE	3

/* Value of model_out.kind for a packet of SES. */
#define MODEL_REQ	0xff

/**
 * struct model_echo - fields of a packet that its answer repeats
 * @nr: number of the packet
 * @ev: entropy value
 * @ce: packet carried CE
 * @retx: packet was a retransmission
 * @is_cp: packet was a control packet, which has no response
 * @is_foreign: packet of no PDC of this end
 */
struct model_echo {
	s64 nr;
	u16 ev;
	bool ce;
	bool retx;
	bool is_cp;
	bool is_foreign;
};

/**
 * struct model_in - a packet of the receive direction
 * @got: received
 * @early: ROD: kept until the packets before it arrive, and not taken yet
 * @stored: its response is stored until the peer clears it
 * @told: an ACK has reported the packet as received
 * @pending: an ACK for this packet is pending
 * @is_cp: it is a control packet
 * @rsp: response
 * @data: data of @rsp
 * @echo: fields for the pending ACK
 */
struct model_in {
	bool got;
	bool early;
	bool stored;
	bool told;
	bool pending;
	bool is_cp;
	struct uet_ses_rsp rsp;
	u8 data[UET_PDC_ACK_DATA_MAX];
	struct model_echo echo;
};

/**
 * struct model_nack - a pending NACK
 * @echo: refused packet
 * @psn: PSN of that packet
 * @payload: depends on @code
 * @code: enum uet_nack_code
 * @any_ev: the NACK answers no packet, so its entropy value is free
 */
struct model_nack {
	struct model_echo echo;
	u32 psn;
	u32 payload;
	u8 code;
	bool any_ev;
};

/**
 * struct model_rx - the receive direction
 * @in: records by number; [0] is unused
 * @space: allocated records
 * @cack: highest number up to which all packets are received and cleared
 * @end: highest number received
 * @clear: highest number that the peer cleared
 * @asked: highest number received with AR
 * @bytes: nominal bytes accepted
 * @gen: bytes accepted since the last coalesced ACK was due
 * @ack_now: a coalesced ACK is pending
 * @ack_at: time when a coalesced ACK becomes pending, ns; UET_NEVER
 * @last: packet that the coalesced ACK answers
 * @last_rsp: response of that packet
 * @news: highest number beyond @cack that an ACK must report; 0: none
 * @ce_pending: a congestion mark was not reported yet
 * @gap: ROD: first packet missing when a gap was last NACKed; 0: never
 * @gap_last: ROD: highest packet behind it, or latest one sent again
 * @nack: pending NACKs, oldest first
 * @nr_nacks: number of entries in @nack
 * @probed: the answer to a Probe is pending
 * @probe: the Probe; @probe.nr is where the SACK must begin
 * @opaque: value to return to the Probe
 * @uncleared: number of the packet for which a clear was requested last
 * @requests: number of these requests
 * @request_ns: time of the last request, ns
 */
struct model_rx {
	struct model_in *in;
	s64 space;
	s64 cack, end, clear, asked;
	u64 bytes;
	u32 gen;
	bool ack_now;
	u64 ack_at;
	struct model_echo last;
	struct uet_ses_rsp last_rsp;
	s64 news;
	bool ce_pending;
	s64 gap, gap_last;
	struct model_nack nack[MODEL_NACKS];
	u32 nr_nacks;
	bool probed;
	struct model_echo probe;
	u16 opaque;
	s64 uncleared;
	u32 requests;
	u64 request_ns;
};

/**
 * struct model_out - a packet of the send direction
 * @pkt: packet as passed down by SES
 * @kind: MODEL_REQ or the enum uet_ctl of a control packet
 * @sends: number of transmissions
 * @sent_ns: time of the last transmission, ns
 * @has: the peer has received the packet
 * @lacks: the peer expects the packet although it had received it
 * @answered: the response is known
 * @opcode: opcode of the response
 * @rc: return code of the response
 * @nacks: number of NACKs that cost a transmission, or could have
 * @again: a NACK demands a retransmission
 * @may: a NACK permits a retransmission
 * @reports: a NOOP whose outcome is reported
 */
struct model_out {
	struct uet_pds_pkt pkt;
	u8 kind;
	u32 sends;
	u64 sent_ns;
	bool has;
	bool lacks;
	bool answered;
	u8 opcode;
	u8 rc;
	u32 nacks;
	bool again;
	bool may;
	bool reports;
};

/**
 * struct model_tx - the send direction
 * @out: records by number; [0] is unused
 * @space: allocated records
 * @una_reported: first packet whose outcome was not reported
 * @una: first unacknowledged packet
 * @nxt: first packet never sent
 * @write_seq: number of the next packet from SES
 * @cack: highest CACK_PSN received
 * @mpr: packets beyond @cack that the peer tracks
 * @clear_told: highest CLEAR_PSN sent
 * @clear_pending: CLEAR_PSN must be sent
 * @progress_ns: time of the last progress at the peer, ns
 * @slow: the PDC may send less than permitted; ends when all packets are answered
 * @quiet_until: end of the pause after a refusal, ns
 * @opens: refusals to open the PDC in a row
 * @opens_ns: time of the first of these refusals, ns
 * @busy_ns: time of the last packet or Probe sent, ns
 * @probes: Probes since the last answer
 * @opaque: opaque value of the last Probe
 */
struct model_tx {
	struct model_out *out;
	s64 space;
	s64 una_reported, una, nxt, write_seq;
	s64 cack;
	u32 mpr;
	s64 clear_told;
	bool clear_pending;
	u64 progress_ns;
	bool slow;
	u64 quiet_until;
	u32 opens;
	u64 opens_ns;
	u64 busy_ns;
	u32 probes;
	u16 opaque;
};

/**
 * struct model_from - addressing of a request or control packet
 * @psn: PSN of the packet
 * @spdcid: PDCID of the sender
 * @dpdcid: without SYN: PDCID of the receiver
 * @psn_offset: with SYN: distance from Start_PSN
 * @flags: UET_F_*
 * @is_cp: a control packet
 */
struct model_from {
	u32 psn;
	u16 spdcid;
	u16 dpdcid;
	u16 psn_offset;
	u8 flags;
	bool is_cp;
};

/**
 * struct model_cc - permission of congestion control; the context itself has no model
 * @quantum: packets left of the quantum
 * @may_send: permission before the call
 * @had_probed: has_probed of the context before the call
 * @wants_probe: the context demands a Probe
 */
struct model_cc {
	u32 quantum;
	bool may_send;
	bool had_probed;
	bool wants_probe;
};

/**
 * struct model - one end of a PDC
 * @cfg: parameters
 * @open: identity; @open.start_psn is the agreed Start_PSN
 * @peer: PDCID of the peer; 0: unknown
 * @is_pending: target: no SYN had the right Start_PSN yet
 * @new_at: target: end of the wait for such a SYN, ns; UET_NEVER
 * @shifts: initiator: number of NACKs that demanded another Start_PSN
 * @over: the PDC has ended, with or without error
 * @error: reason, if the PDC ended in error
 * @nack_code: NACK code that caused the error
 * @is_closing: one of the ends requested the close
 * @late_close: the close was requested before the peer was known
 * @will_close: this end requested the close
 * @is_drained: initiator: all packets are sent and SES has no more
 * @close_nr: initiator: number of the CLOSE_COMMAND; 0: none
 * @heard_nosyn: target: a packet without SYN arrived, so the initiator has our PDCID
 * @held: SES has work in progress
 * @active_ns: time of the last activity, ns
 * @close_at: target: time-out of the wait after a CLOSE_REQUEST, ns; UET_NEVER
 * @cc: permission of congestion control
 * @rx: receive direction
 * @tx: send direction
 * @stats: expected counters of the PDC; those of losses stay 0
 */
struct model {
	struct uet_pdc_cfg cfg;
	struct uet_pdc_open open;
	u16 peer;
	bool is_pending;
	u64 new_at;
	u32 shifts;
	bool over;
	enum uet_pdc_error error;
	u8 nack_code;
	bool is_closing;
	bool late_close;
	bool will_close;
	bool is_drained;
	s64 close_nr;
	bool heard_nosyn;
	bool held;
	u64 active_ns;
	u64 close_at;
	struct model_cc cc;
	struct model_rx rx;
	struct model_tx tx;
	struct uet_pdc_stats stats;
};

/* model.c: state, opening and closing, time, comparison */
void model_init(struct model *m, const struct uet_pdc_cfg *cfg,
		const struct uet_pdc_open *open, u64 now);
void model_fini(struct model *m);
s64 model_nr(const struct model *m, u32 psn, s64 near);
u32 model_psn(const struct model *m, s64 nr);
enum uet_pdc_state model_state(const struct model *m);
bool model_takes_requests(const struct model *m);
void model_learn(struct model *m, u16 spdcid);
bool model_ask_close(struct model *m, u64 now);
void model_close(struct model *m, u64 now);
void model_hold(struct model *m, bool held, u64 now);
void model_finish(struct model *m);
void model_fail(struct model *m, enum uet_pdc_error error, u8 nack_code);
void model_fail_nack(struct model *m, enum uet_pdc_error error);
void model_close_later(struct model *m, u64 now);
void model_close_step(struct model *m, u64 now);
u64 model_deadline(const struct model *m);
void model_tick(struct model *m, u64 now, bool timed_out);
void model_compare(const struct model *m, const struct uet_pdc *pdc);
void model_diverged(const struct model *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* model_start.c: start of the PSNs of a secure PDC */
bool model_is_unlearnt(const struct model *m, const struct model_from *from);
void model_start_init(struct model *m, u64 now);
enum uet_drop model_start_rx(struct model *m, const struct model_from *from,
			     const struct model_echo *echo, u64 now);
void model_start_tick(struct model *m, u64 now);
void model_start_obey(struct model *m, u32 start_psn, u64 now);

/* model_rx.c: arriving packets, and the answers that become pending */
s64 model_rx_base(const struct model *m);
bool model_has_answer(const struct model *m);
void model_pend_nack(struct model *m, const struct model_nack *nack);
void model_raise_cack(struct model *m);
enum uet_drop model_rx_trimmed(struct model *m, const struct uet_pds_hdr *hdr,
			       const struct uet_rx_info *in, u8 nack_code,
			       u64 now);
enum uet_drop model_rx_req(struct model *m, const struct uet_pds_hdr *hdr,
			   const struct uet_rx_info *in, u64 now);
void model_rx_accept(struct model *m, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in,
		     const struct uet_ses_rsp *rsp, u64 now);
void model_rx_keep(struct model *m, const struct uet_pds_hdr *hdr,
		   const struct uet_rx_info *in, u64 now);
bool model_rx_is_due(const struct model *m);
void model_rx_unkeep(struct model *m);
void model_rx_refuse(struct model *m, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in, u8 nack_code, u64 now);
enum uet_drop model_rx_cp(struct model *m, const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, u64 now);

/* model_answer.c: check of these answers when they are sent */
void model_see_ack(struct model *m, const struct uet_pdc_tx *tx);
void model_see_nack(struct model *m, const struct uet_pdc_tx *tx);
void model_rx_drained(const struct model *m);

/* model_tx.c: packets passed down by SES, and arriving answers */
bool model_has_space(const struct model *m);
bool model_may_send(const struct model *m);
s64 model_tx_add(struct model *m, const struct uet_pds_pkt *pkt, u8 kind,
		 u64 now);
bool model_tx_is_stalled(const struct model *m);
bool model_may_time_out(const struct model *m, u64 now);
enum uet_drop model_rx_ack(struct model *m, const struct uet_pds_hdr *hdr,
			   const struct uet_ses_rsp *rsp, u64 now);
enum uet_drop model_rx_nack(struct model *m, const struct uet_pds_hdr *hdr,
			    bool has_failed, u64 now);
bool model_next_up(struct model *m, struct uet_pdc_up *up);
bool model_must_resend(const struct model_out *out);

/* model_cc.c: permission of congestion control */
void model_cc_before(struct model *m);
void model_cc_see_req(struct model *m, const struct model_out *out);
void model_cc_see_probe(struct model *m);
bool model_cc_holds(const struct model *m);

/* model_wire.c: each sent header against the tables of spec.h */
void model_see_wire(const struct model *m, const struct uet_pdc_tx *tx);

/* model_send.c: check of these packets when they are sent */
void model_see_req(struct model *m, const struct uet_pdc_tx *tx, u64 now);
void model_see_cp(struct model *m, const struct uet_pdc_tx *tx, u64 now);
void model_tx_drained(const struct model *m);

/**
 * MODEL_EQ() - check that a value of the PDC equals the value of the model
 * @m: model
 * @what: name of the value
 * @real: value of the PDC
 * @want: value of the model
 */
#define MODEL_EQ(m, what, real, want) do {				\
	s64 _real = (s64)(real), _want = (s64)(want);			\
	if (_real != _want)						\
		model_diverged(m, "%s is %lld, must be %lld", what,	\
			       (long long)_real, (long long)_want);	\
	} while (0)

/**
 * MODEL_RULE() - check a condition that the PDC must satisfy
 * @m: model
 * @cond: condition
 * @...: the condition in words, as printf()
 */
#define MODEL_RULE(m, cond, ...) do {					\
	if (!(cond))							\
		model_diverged(m, __VA_ARGS__);				\
	} while (0)

#endif /* UET_MODEL_H */
