/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive path of packets and requests, in softirq under rcu_read_lock(). rx.c leads from a
 * packet on a FEP's carrier to a PDC, rx_packet.c has what all packets need.
 * rx_request.c leads from an accepted request to a message of a socket or to memory
 * (rx_target.c), rx_data.c from a response to the local read. rx_no_pdc.c takes packets without
 * a PDC. rx_burst.c takes several packets at once, and rx_run.c those that continue a message.
 * Functions return UET_DROP_NONE or the reason why the packet was not used.
 */
#ifndef UET_RX_H
#define UET_RX_H

#include <linux/list.h>
#include <linux/types.h>

#include "base/base.h"
#include "core/ses/amo.h"
#include "core/ses/ses.h"
#include "core/tss/tss.h"

struct net_device;
struct sk_buff;
struct uet_fep;
struct uet_fep_rcv;
struct uet_pdc_entry;
struct uet_mr;
struct uet_rx_message;
struct uet_sock;

/* uet-wire 1.6: nominal_pktsize is the transport size plus 40 bytes. */
#define UET_RX_NOMINAL	40

/**
 * struct uet_rx_burst - a burst in the receive path; on the stack
 * @pe: PDC of the packet before, locked; or NULL
 * @entries: entries of the packets that are left, for uet_burst_entry_ev()
 * @begin: those of all packets
 * @tss: security header of the first packet; only for a FEP in a secure domain
 */
struct uet_rx_burst {
	struct uet_pdc_entry *pe;
	const u8 *entries;
	const u8 *begin;
	struct uet_tss_op tss;
};

/**
 * struct uet_rx - a packet in the receive path; on the stack
 * @fep: FEP that received the packet
 * @skb: the packet; decoded headers have been pulled
 * @dev: netdev that received the packet
 * @from: fabric address of the sender
 * @hdr: its PDS header
 * @in: receive information for the core
 * @now: arrival time, monotonic ns; no earlier than the last event of a PDC that was
 *	locked for the packet
 * @ip_len: bytes after the IP header, including the carrier header
 * @count: number of packets that @skb holds
 * @burst: the burst that held @skb, or NULL
 * @is_kept: @skb has another owner now
 * @tss: security header of an opened packet; only for a FEP in a secure domain
 */
struct uet_rx {
	struct uet_fep *fep;
	struct sk_buff *skb;
	const struct net_device *dev;
	struct uet_fa from;
	struct uet_pds_hdr hdr;
	struct uet_rx_info in;
	u64 now;
	u32 ip_len;
	u32 count;
	struct uet_rx_burst *burst;
	bool is_kept;
	struct uet_tss_op *tss;
};

/**
 * struct uet_rx_up - effect of a packet on a socket
 * @rm: message, one reference; NULL: no effect
 * @segs: pieces to deliver, uet_ses_seg.link
 * @is_complete: @segs complete the message
 * @is_silent: the message has ended and the socket is not notified
 * @is_pushed: the eager part of a rendezvous is complete
 * @error: negative errno if the message failed, else 0
 * @full: endpoint without space or memory for the message, valid under RCU; NULL: none
 */
struct uet_rx_up {
	struct uet_rx_message *rm;
	struct list_head segs;
	bool is_complete;
	bool is_silent;
	bool is_pushed;
	int error;
	struct uet_sock *full;
};

/**
 * struct uet_rx_rma - a packet that has passed the checks for accessing memory
 * @us: destination endpoint
 * @mr: memory region, for uet_mr_release(), or NULL
 * @offset: offset of the first byte in the region
 * @len: UET_OP_READ: length, bytes
 * @op: operation of UET_OP_ATOMIC and UET_OP_FETCHING_ATOMIC
 */
struct uet_rx_rma {
	struct uet_sock *us;
	struct uet_mr *mr;
	u64 offset;
	u32 len;
	struct uet_amo_op op;
};

/**
 * struct uet_rx_tagged_atomic - a tagged atomic operation for a posted receive
 * @us: destination endpoint
 * @delivery: UET_DELIVERY_*
 * @op: the operation
 * @rc: return code of the error response if the operation is refused
 * @old: previous value, for a fetching operation
 */
struct uet_rx_tagged_atomic {
	struct uet_sock *us;
	u8 delivery;
	struct uet_amo_op op;
	u8 rc;
	u64 old;
};

/* rx.c */
extern const struct uet_fep_rcv uet_rx_rcv;

enum uet_drop uet_rx_input(struct uet_rx *rx);
void uet_rx_burst_release(struct uet_rx_burst *burst);

/* rx_packet.c */
void uet_rx_set_origin(struct uet_rx *rx);
struct uet_rail *uet_rx_find_rail(const struct uet_fep *fep, const struct net_device *dev,
				  int *slot);
enum uet_drop uet_rx_check_origin(const struct uet_rx *rx);
enum uet_drop uet_rx_check_framing(struct uet_rx *rx, u32 bytes);
enum uet_drop uet_rx_check(struct uet_rx *rx);
enum uet_drop uet_rx_open(struct uet_rx *rx);
bool uet_rx_pull_ses(const struct uet_rx *rx);
enum uet_drop uet_rx_request(struct uet_rx *rx, struct uet_ses_req *req, size_t *len);
enum uet_drop uet_rx_response(struct uet_rx *rx, struct uet_ses_rsp *space,
			      struct uet_ses_rsp **rsp, size_t *len);
enum uet_drop uet_rx_reply(struct uet_rx *rx, const struct uet_pdc_tx *tx,
			   u32 len, enum uet_drop why);
void uet_rx_end(struct uet_rx *rx, enum uet_drop why);
void uet_rx_keep(struct uet_rx *rx);

/* rx_burst.c, rx_run.c */
void uet_rx_burst(struct uet_fep *fep, struct sk_buff *skb);
void uet_rx_run_note(struct uet_pdc_entry *pe, const struct uet_rx *rx,
		     const struct uet_ses_req *req, u32 payload);
void uet_rx_run_note_data(struct uet_pdc_entry *pe, const struct uet_rx *rx,
			  const struct uet_ses_rsp *rsp, u32 total);
struct sk_buff *uet_rx_run(struct uet_rx *whole, struct uet_rx_burst *burst,
			   struct sk_buff *packet);
bool uet_rx_run_single(struct uet_rx *rx);

/* rx_request.c */
enum uet_drop uet_rx_request_msg(struct uet_pdc_entry *pe, struct uet_rx *rx,
				 struct uet_rx_up *up);
void uet_rx_request_deliver(struct uet_fep *fep, struct uet_rx_up *up);

/* rx_target.c */
enum uet_rc uet_rx_may_get(const struct uet_rx *rx, const struct uet_sock *us,
			   const struct uet_ses_req *req);
struct uet_sock *uet_rx_endpoint(const struct uet_rx *rx, const struct uet_ses_req *req,
				 enum uet_rc *rc);
enum uet_drop uet_rx_no_endpoint(enum uet_rc rc);
enum uet_drop uet_rx_resolve_small(struct uet_fep *fep, struct uet_ses_req *req, u8 *rc);
enum uet_drop uet_rx_rma_check(const struct uet_rx *rx, const struct uet_ses_req *req, u32 len,
			       struct uet_rx_rma *rma, u8 *rc);
void uet_rx_rma_exec(const struct uet_rx *rx, const struct uet_ses_req *req, u32 len,
		     const struct uet_rx_rma *rma, u8 *old);
enum uet_drop uet_rx_read_check(const struct uet_rx *rx, const struct uet_ses_req *req,
				struct uet_rx_rma *rd, u8 *rc);
enum uet_drop uet_rx_tagged_atomic_check(const struct uet_fep *fep, const struct uet_ses_req *req,
					 u32 len, struct uet_rx_tagged_atomic *ta);
enum uet_drop uet_rx_tagged_atomic(struct uet_rx *rx, const struct uet_ses_req *req,
				   struct uet_rx_tagged_atomic *ta, struct uet_rx_up *up);

/* rx_data.c, rx_no_pdc.c */
enum uet_drop uet_rx_data_req(struct uet_pdc_entry *pe, struct uet_rx *rx,
			      struct uet_ses_rsp *rsp);
enum uet_drop uet_rx_data_answer(struct uet_fep *fep, struct uet_ses *ses, struct uet_rx *rx,
				 const struct uet_ses_rsp *rsp, const struct uet_pds_pkt *pkt,
				 u32 len);
enum uet_drop uet_rx_no_pdc(struct uet_rx *rx);

#endif
