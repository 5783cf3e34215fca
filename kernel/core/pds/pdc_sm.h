/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state table of a packet delivery context: its events, the actions of its
 * transitions, and a cell.  pdc_sm.c has the table.
 *
 * Implements UE 1.0.1 3.5.9.  Level: core L4.
 */
#ifndef UET_CORE_PDC_SM_H
#define UET_CORE_PDC_SM_H

#include "core/shim.h"

/**
 * enum uet_pdc_event - events of the state table of a PDC
 * @UET_PDC_EV_OPEN: the object was initialised
 * @UET_PDC_EV_TX: SES hands a packet down
 * @UET_PDC_EV_LEARN: initiator: the first answer contained the peer's PDCID
 * @UET_PDC_EV_RX_PSN: a request or a control packet with a PSN arrived
 * @UET_PDC_EV_RX_NEW: a request not received before is to be accepted
 * @UET_PDC_EV_RX_NOSYN: target: the first packet without SYN arrived
 * @UET_PDC_EV_RX_CP: a control packet without a PSN arrived
 * @UET_PDC_EV_RX_ANSWER: an ACK or a NACK arrived
 * @UET_PDC_EV_CLOSE: the owner, idleness or the PSN range requires a close
 * @UET_PDC_EV_PEER_CLOSE: initiator: the target requested a close
 * @UET_PDC_EV_UNUSED: initiator: a close was requested before the first
 *	transmission
 * @UET_PDC_EV_DRAINED: initiator: SES hands down no more packets
 * @UET_PDC_EV_ALL_ACKED: initiator: every packet was answered and reported
 * @UET_PDC_EV_CLOSE_ACKED: initiator: CLOSE_COMMAND was answered
 * @UET_PDC_EV_CLOSE_CMD: target: CLOSE_COMMAND arrived, return direction idle
 * @UET_PDC_EV_CLOSE_BUSY: target: CLOSE_COMMAND arrived, return packets
 *	outstanding
 * @UET_PDC_EV_CLOSE_TIME: target: CLOSE_REQUEST was not answered in
 *	Close_REQ_Time
 * @UET_PDC_EV_FATAL: fatal NACK, retry limit or abort
 * @UET_PDC_EV_OPEN_PENDING: target: opened, but not with the SYN's Start_PSN
 * @UET_PDC_EV_STARTED: target: a SYN with a valid Start_PSN arrived
 * @UET_PDC_EV_NEW_TIME: target: New_PDC_Time ran out before such a SYN
 * @UET_PDC_EV_NR: number of events
 */
enum uet_pdc_event {
	UET_PDC_EV_OPEN,
	UET_PDC_EV_TX,
	UET_PDC_EV_LEARN,
	UET_PDC_EV_RX_PSN,
	UET_PDC_EV_RX_NEW,
	UET_PDC_EV_RX_NOSYN,
	UET_PDC_EV_RX_CP,
	UET_PDC_EV_RX_ANSWER,
	UET_PDC_EV_CLOSE,
	UET_PDC_EV_PEER_CLOSE,
	UET_PDC_EV_UNUSED,
	UET_PDC_EV_DRAINED,
	UET_PDC_EV_ALL_ACKED,
	UET_PDC_EV_CLOSE_ACKED,
	UET_PDC_EV_CLOSE_CMD,
	UET_PDC_EV_CLOSE_BUSY,
	UET_PDC_EV_CLOSE_TIME,
	UET_PDC_EV_FATAL,
	UET_PDC_EV_OPEN_PENDING,
	UET_PDC_EV_STARTED,
	UET_PDC_EV_NEW_TIME,
	UET_PDC_EV_NR,
};

/**
 * enum uet_pdc_act - side effect of a state transition
 * @UET_PDC_ACT_ILLEGAL: there is no such transition
 * @UET_PDC_ACT_NONE: nothing
 * @UET_PDC_ACT_LATE_CLOSE: record the close request until the peer's PDCID is
 *	known
 * @UET_PDC_ACT_CLOSE_COMMAND: queue a CLOSE_COMMAND
 * @UET_PDC_ACT_CLOSE_REQUEST: queue a CLOSE_REQUEST, start Close_REQ_Time
 * @UET_PDC_ACT_FINISH: stop all timers; a pending ACK is still sent
 * @UET_PDC_ACT_FAIL: stop all timers, cancel all answers
 * @UET_PDC_ACT_FAIL_NACK: as FAIL, and queue a CLOSING_IN_ERR
 * @UET_PDC_ACT_WAIT_START: start New_PDC_Time
 * @UET_PDC_ACT_NR: number of actions
 */
enum uet_pdc_act {
	UET_PDC_ACT_ILLEGAL,
	UET_PDC_ACT_NONE,
	UET_PDC_ACT_LATE_CLOSE,
	UET_PDC_ACT_CLOSE_COMMAND,
	UET_PDC_ACT_CLOSE_REQUEST,
	UET_PDC_ACT_FINISH,
	UET_PDC_ACT_FAIL,
	UET_PDC_ACT_FAIL_NACK,
	UET_PDC_ACT_WAIT_START,
	UET_PDC_ACT_NR,
};

/**
 * struct uet_pdc_tr - one cell of a state table
 * @act: enum uet_pdc_act; an empty cell is ILLEGAL
 * @next: enum uet_pdc_state after it
 */
struct uet_pdc_tr {
	u8 act;
	u8 next;
};

#endif /* UET_CORE_PDC_SM_H */
