/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second PDC, made to be obviously right instead of fast: what one end of a
 * packet delivery context promises, written down from pds.h and the rules of
 * the specification, not from the core.  It keeps one record for every packet
 * there ever was and looks through all it needs each time.
 *
 * PSNs are counted, not compared: the first packet of a direction has number 1,
 * so 0 stands for Start_PSN - 1, and nothing ever wraps.
 *
 * The model is told every call that is made on a real PDC and says what that
 * call must have returned; it is shown every packet and outcome the real PDC
 * yields and says whether that was due.  Where the specification leaves a
 * choice, as when a packet counts as lost, the model only sets the limits.
 *
 *	model.c		state, opening and closing, time, comparison
 *	model_start.c	where the PSNs of a secure PDC begin
 *	model_rx.c	packets that arrive and the answers that are owed
 *	model_owe.c	these answers, when they are sent
 *	model_tx.c	packets handed down and the answers that arrive
 *	model_send.c	these packets, when they are sent
 *	model_cc.c	and whether congestion control lets them
 *	shadow.c	puts a model beside each PDC of a program
 *
 * Spec: UE 1.0.1 3.5.8 to 3.5.16.  Level: test.
 */
#ifndef UET_MODEL_H
#define UET_MODEL_H

#include <stdarg.h>
#include <stdio.h>

#include "core/cms/ccc.h"
#include "core/pds/pds.h"

/* NACKs that may be owed at once. */
#define MODEL_NACKS	16

/* No packet counts as lost sooner after it was sent, unless a NACK says so. */
#define MODEL_TIMEOUT	100000ULL

/* What model_out.kind says of a packet that SES handed down. */
#define MODEL_REQ	0xff

/**
 * struct model_echo - what an answer repeats
 * @nr: packet it answers
 * @ev: entropy value
 * @ce: packet carried CE
 * @retx: packet was a retransmission
 * @is_cp: packet was a control packet: no response
 */
struct model_echo {
	s64 nr;
	u16 ev;
	bool ce;
	bool retx;
	bool is_cp;
};

/**
 * struct model_in - a packet of the receive direction
 * @got: received
 * @stored: its response is kept until the peer clears it
 * @told: an ACK has said that it is received
 * @owed: it is owed an ACK of its own
 * @rsp: its response
 * @data: data of @rsp
 * @echo: for that ACK
 */
struct model_in {
	bool got;
	bool stored;
	bool told;
	bool owed;
	struct uet_ses_rsp rsp;
	u8 data[UET_PDC_ACK_DATA_MAX];
	struct model_echo echo;
};

/**
 * struct model_nack - a NACK that is owed
 * @echo: packet it refuses
 * @psn: PSN of that packet
 * @payload: by @code
 * @code: enum uet_nack_code
 * @any_ev: it answers no packet, so its entropy value is free
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
 * @in: records by number; [0] is not used
 * @space: records there is memory for
 * @cack: highest number up to which all is received and cleared
 * @end: highest number received
 * @clear: highest number the peer cleared
 * @asked: highest number received with AR
 * @bytes: nominal bytes accepted
 * @gen: of them, since the last coalesced ACK was due
 * @ack_now: a coalesced ACK is owed
 * @ack_at: when one will be; UET_NEVER
 * @last: packet it answers
 * @last_rsp: response of that packet
 * @news: highest number it has to tell of beyond @cack; 0 none
 * @ce_pending: a congestion mark was not reported yet
 * @nack: NACKs owed, oldest first
 * @nr_nacks: how many
 * @probed: the answer to a Probe is owed
 * @probe: the Probe; its number is where the SACK shall begin
 * @opaque: value to return
 * @uncleared: packet whose clear was asked for last
 * @requests: how often
 * @request_ns: when last
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
 * @pkt: as handed down
 * @kind: MODEL_REQ or the enum uet_ctl of a control packet
 * @sends: times it was sent
 * @sent_ns: last time
 * @has: the peer has it
 * @answered: its response is known
 * @opcode: of the response
 * @rc: of the response
 * @nacks: resource NACKs for it
 * @again: a NACK demands that it is sent again
 * @may: a NACK permits it
 * @reports: a NOOP whose outcome is told
 */
struct model_out {
	struct uet_pds_pkt pkt;
	u8 kind;
	u32 sends;
	u64 sent_ns;
	bool has;
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
 * @out: records by number; [0] is not used
 * @space: records there is memory for
 * @una_reported: first packet whose outcome was not reported
 * @una: first packet not answered
 * @nxt: first packet never sent
 * @write_seq: number of the next one
 * @cack: highest CACK_PSN received
 * @mpr: packets the peer tracks beyond it
 * @clear_told: highest CLEAR_PSN sent
 * @clear_pending: CLEAR_PSN must be sent
 * @progress_ns: when the peer last got anything done
 * @slow: the rate is reduced for reasons of its own; ends when all is answered
 * @quiet_until: a refusal forbids to send before
 * @opens: refusals to open the PDC in a row
 * @opens_ns: time of the first of them
 * @busy_ns: when a packet or a Probe was sent last
 * @probes: Probes since any answer came
 * @opaque: opaque value of the last one
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
 * @psn: its PSN
 * @spdcid: PDCID of the sender
 * @dpdcid: without SYN: that of the receiver
 * @psn_offset: with SYN: distance from Start_PSN
 * @flags: UET_F_*
 */
struct model_from {
	u32 psn;
	u16 spdcid;
	u16 dpdcid;
	u16 psn_offset;
	u8 flags;
};

/**
 * struct model_cc - leave of congestion control, whose contexts have no model
 * @quantum: packets left of a quantum
 * @may_send: as it was before the call
 * @had_probed: so was that
 * @wants_probe: the context wants a Probe
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
 * @open: identity; @open.start_psn is the one agreed on
 * @peer: PDCID of the peer; 0 unknown
 * @is_pending: target: no SYN had the right Start_PSN yet
 * @new_at: target: when it does not wait for one any longer; UET_NEVER
 * @shifts: initiator: times it was told of another Start_PSN
 * @over: it has ended, in order or not
 * @error: not in order: why
 * @nack_code: and by which NACK
 * @is_closing: somebody asked for the end
 * @late_close: somebody did before the peer was known
 * @will_close: our side did
 * @is_drained: initiator: all is sent and SES has no more
 * @close_nr: initiator: number of the CLOSE_COMMAND; 0 none
 * @heard_nosyn: target: the initiator knows us
 * @held: SES has work in progress
 * @active_ns: when anything last happened
 * @close_at: target: peer_timeout with its CLOSE_REQUEST ends; UET_NEVER
 * @cc: what congestion control says
 * @rx: receive direction
 * @tx: send direction
 * @stats: what the counters of the PDC must say; those of losses stay 0
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

/* model_start.c: where the PSNs of a secure PDC begin */
void model_start_init(struct model *m, u64 now);
enum uet_drop model_start_rx(struct model *m, const struct model_from *from,
			     const struct model_echo *echo, u64 now);
void model_start_tick(struct model *m, u64 now);
void model_start_obey(struct model *m, u32 start_psn, u64 now);

/* model_rx.c: packets that arrive and the answers that are owed */
s64 model_rx_base(const struct model *m);
bool model_has_answer(const struct model *m);
void model_pend_nack(struct model *m, const struct model_nack *nack);
enum uet_drop model_rx_trimmed(struct model *m, const struct uet_pds_hdr *hdr,
			       const struct uet_rx_info *in, u8 nack_code,
			       u64 now);
enum uet_drop model_rx_req(struct model *m, const struct uet_pds_hdr *hdr,
			   const struct uet_rx_info *in, u64 now);
void model_rx_accept(struct model *m, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in,
		     const struct uet_ses_rsp *rsp, u64 now);
void model_rx_refuse(struct model *m, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in, u8 nack_code, u64 now);
enum uet_drop model_rx_cp(struct model *m, const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, u64 now);

/* model_owe.c: these answers, when they are sent */
void model_see_ack(struct model *m, const struct uet_pdc_tx *tx);
void model_see_nack(struct model *m, const struct uet_pdc_tx *tx);
void model_rx_drained(const struct model *m);

/* model_tx.c: packets handed down and the answers that arrive */
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

/* model_cc.c: leave of congestion control */
void model_cc_before(struct model *m);
void model_cc_see_req(struct model *m, const struct model_out *out);
void model_cc_see_probe(struct model *m);
bool model_cc_holds(const struct model *m);

/* model_send.c: these packets, when they are sent */
void model_see_req(struct model *m, const struct uet_pdc_tx *tx, u64 now);
void model_see_cp(struct model *m, const struct uet_pdc_tx *tx, u64 now);
void model_tx_drained(const struct model *m);

/**
 * MODEL_EQ() - what the PDC says must be what the model says
 * @m: model
 * @what: name of it
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
 * MODEL_RULE() - a condition the PDC must keep
 * @m: model
 * @cond: condition
 * @rule: the rule in words
 */
#define MODEL_RULE(m, cond, ...) do {					\
	if (!(cond))							\
		model_diverged(m, __VA_ARGS__);				\
	} while (0)

#endif /* UET_MODEL_H */
