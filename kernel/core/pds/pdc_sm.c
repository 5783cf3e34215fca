// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of a PDC: one table per role, the only function that changes the state,
 * and the side effects of each transition.  The code where an event occurs decides that it
 * occurred.  Documentation/spec/pdc-states.rst has the tables in print; a check compares both.
 *
 * Implements UE 1.0.1 3.5.8 and 3.5.9.  Level: core L4.
 */
#include "pdc.h"

#define SM_GO(act_, next_) \
	{ .act = UET_PDC_ACT_##act_, .next = UET_PDC_ST_##next_ }

/*
 * An empty cell is illegal: the packet is counted and dropped, or the call has no effect.
 * CLOSED and ERROR are final, except that an object starts in CLOSED and uet_pdc_init()
 * opens it.
 */
static const struct uet_pdc_tr sm_initiator[UET_PDC_ST_NR][UET_PDC_EV_NR] = {
	[UET_PDC_ST_CLOSED] = {
		[UET_PDC_EV_OPEN]	= SM_GO(NONE, SYN_SENT),
	},
	[UET_PDC_ST_SYN_SENT] = {
		[UET_PDC_EV_TX]		= SM_GO(NONE, SYN_SENT),
		[UET_PDC_EV_LEARN]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, SYN_SENT),
		[UET_PDC_EV_CLOSE]	= SM_GO(LATE_CLOSE, SYN_SENT),
		[UET_PDC_EV_UNUSED]	= SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	[UET_PDC_ST_ESTABLISHED] = {
		[UET_PDC_EV_TX]		= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_NEW]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_CLOSE]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_PEER_CLOSE]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	/* SES still hands down the packets of messages in progress. */
	[UET_PDC_ST_QUIESCE] = {
		[UET_PDC_EV_TX]		= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_RX_NEW]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_CLOSE]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_PEER_CLOSE]	= SM_GO(NONE, QUIESCE),
		[UET_PDC_EV_DRAINED]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_ALL_ACKED]	= SM_GO(CLOSE_COMMAND, CLOSE_ACK_WAIT),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	[UET_PDC_ST_ACK_WAIT] = {
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_RX_NEW]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_CLOSE]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_PEER_CLOSE]	= SM_GO(NONE, ACK_WAIT),
		[UET_PDC_EV_ALL_ACKED]	= SM_GO(CLOSE_COMMAND, CLOSE_ACK_WAIT),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	/*
	 * A CLOSE_REQUEST repeated by the target is still acknowledged.  New
	 * requests are refused: the PDC would be closed before it could answer
	 * them.
	 */
	[UET_PDC_ST_CLOSE_ACK_WAIT] = {
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, CLOSE_ACK_WAIT),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, CLOSE_ACK_WAIT),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, CLOSE_ACK_WAIT),
		[UET_PDC_EV_CLOSE]	= SM_GO(NONE, CLOSE_ACK_WAIT),
		[UET_PDC_EV_PEER_CLOSE]	= SM_GO(NONE, CLOSE_ACK_WAIT),
		[UET_PDC_EV_CLOSE_ACKED] = SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
};

static const struct uet_pdc_tr sm_target[UET_PDC_ST_NR][UET_PDC_EV_NR] = {
	[UET_PDC_ST_CLOSED] = {
		[UET_PDC_EV_OPEN]	= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_OPEN_PENDING] = SM_GO(WAIT_START, PENDING),
	},
	/* Only the SYN is evaluated; a valid Start_PSN opens the PDC. */
	[UET_PDC_ST_PENDING] = {
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, PENDING),
		[UET_PDC_EV_CLOSE]	= SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_STARTED]	= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_NEW_TIME]	= SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	[UET_PDC_ST_NEW_ESTABLISHED] = {
		[UET_PDC_EV_TX]		= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_RX_NEW]	= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_RX_NOSYN]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, NEW_ESTABLISHED),
		[UET_PDC_EV_CLOSE]	= SM_GO(CLOSE_REQUEST, CLOSE_WAIT),
		[UET_PDC_EV_CLOSE_CMD]	= SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_CLOSE_BUSY]	= SM_GO(FAIL_NACK, ERROR),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	[UET_PDC_ST_ESTABLISHED] = {
		[UET_PDC_EV_TX]		= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_NEW]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_NOSYN]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, ESTABLISHED),
		[UET_PDC_EV_CLOSE]	= SM_GO(CLOSE_REQUEST, CLOSE_WAIT),
		[UET_PDC_EV_CLOSE_CMD]	= SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_CLOSE_BUSY]	= SM_GO(FAIL_NACK, ERROR),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
	[UET_PDC_ST_CLOSE_WAIT] = {
		[UET_PDC_EV_TX]		= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_RX_PSN]	= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_RX_NEW]	= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_RX_NOSYN]	= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_RX_CP]	= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_RX_ANSWER]	= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_CLOSE]	= SM_GO(NONE, CLOSE_WAIT),
		[UET_PDC_EV_CLOSE_CMD]	= SM_GO(FINISH, CLOSED),
		[UET_PDC_EV_CLOSE_BUSY]	= SM_GO(FAIL_NACK, ERROR),
		[UET_PDC_EV_CLOSE_TIME]	= SM_GO(FAIL_NACK, ERROR),
		[UET_PDC_EV_FATAL]	= SM_GO(FAIL, ERROR),
	},
};

static const char * const sm_state_names[UET_PDC_ST_NR] = {
	[UET_PDC_ST_CLOSED]		= "CLOSED",
	[UET_PDC_ST_SYN_SENT]		= "SYN_SENT",
	[UET_PDC_ST_ESTABLISHED]	= "ESTABLISHED",
	[UET_PDC_ST_QUIESCE]		= "QUIESCE",
	[UET_PDC_ST_ACK_WAIT]		= "ACK_WAIT",
	[UET_PDC_ST_CLOSE_ACK_WAIT]	= "CLOSE_ACK_WAIT",
	[UET_PDC_ST_NEW_ESTABLISHED]	= "NEW_ESTABLISHED",
	[UET_PDC_ST_CLOSE_WAIT]		= "CLOSE_WAIT",
	[UET_PDC_ST_ERROR]		= "ERROR",
	[UET_PDC_ST_PENDING]		= "PENDING",
};

/* A cell of the state tables, never NULL. */
const struct uet_pdc_tr *uet_pdc_transition(enum uet_pdc_role role, enum uet_pdc_state state,
					    enum uet_pdc_event event)
{
	return role == UET_PDC_INITIATOR ? &sm_initiator[state][event] : &sm_target[state][event];
}

/*
 * uet_pdc_state_name() - name of a state, "unknown" if out of range
 */
const char *uet_pdc_state_name(enum uet_pdc_state state)
{
	return (u32)state < UET_PDC_ST_NR ? sm_state_names[state] : "unknown";
}

bool uet_pdc_allows(const struct uet_pdc *pdc, enum uet_pdc_event event)
{
	return uet_pdc_transition(pdc->role, pdc->state, event)->act != UET_PDC_ACT_ILLEGAL;
}

static void sm_stop_clocks(struct uet_pdc *pdc)
{
	pdc->close_at = UET_NEVER;
	pdc->new_at = UET_NEVER;
	pdc->tx.rto_at = UET_NEVER;
	pdc->tx.reorder_at = UET_NEVER;
	pdc->tx.backoff_at = UET_NEVER;
	pdc->tx.tail.at = UET_NEVER;
	pdc->tx.pause.on = false;
	pdc->tx.pause.until = 0;
	pdc->rx.ack_at = UET_NEVER;
	pdc->rx.gtd_at = UET_NEVER;
}

/* The peer may have packets in flight. */
static void sm_pend_closing_in_err(struct uet_pdc *pdc)
{
	struct uet_pdc_echo echo = { .psn = pdc->rx.base, .ev = pdc->ev.last };

	uet_pdc_pend_nack(pdc, &echo, UET_NACK_CLOSING_IN_ERR, 0);
}

static void sm_act(struct uet_pdc *pdc, enum uet_pdc_act act, u64 now)
{
	switch (act) {
	case UET_PDC_ACT_LATE_CLOSE:
		pdc->close_wanted = true;
		break;
	case UET_PDC_ACT_CLOSE_COMMAND:
		/* A target with return data outstanding refuses CLOSE_COMMAND. */
		uet_pdc_pend_delayed(pdc);
		uet_pdc_tx_add_cp(pdc, UET_CP_CLOSE_COMMAND, now);
		break;
	case UET_PDC_ACT_CLOSE_REQUEST:
		/* If the window is full, REQ_CLOSE in our ACKs takes its place. */
		uet_pdc_tx_add_cp(pdc, UET_CP_CLOSE_REQUEST, now);
		pdc->close_at = now + pdc->cfg->close_req_ns;
		break;
	case UET_PDC_ACT_FINISH:
		sm_stop_clocks(pdc);
		break;
	case UET_PDC_ACT_FAIL:
	case UET_PDC_ACT_FAIL_NACK:
		sm_stop_clocks(pdc);
		uet_pdc_cancel_answers(pdc);
		if (act == UET_PDC_ACT_FAIL_NACK)
			sm_pend_closing_in_err(pdc);
		break;
	case UET_PDC_ACT_WAIT_START:
		pdc->new_at = now + pdc->cfg->new_pdc_ns;
		break;
	case UET_PDC_ACT_ILLEGAL:
	case UET_PDC_ACT_NONE:
	case UET_PDC_ACT_NR:
		break;
	}
}

/*
 * Apply an event to the state; no other function changes the state.
 * Return: false if the event is illegal in this state; nothing changed then.
 */
bool uet_pdc_event(struct uet_pdc *pdc, enum uet_pdc_event event, u64 now)
{
	const struct uet_pdc_tr *tr;

	tr = uet_pdc_transition(pdc->role, pdc->state, event);
	if (tr->act == UET_PDC_ACT_ILLEGAL)
		return false;
	pdc->state = tr->next;
	sm_act(pdc, tr->act, now);
	return true;
}

/*
 * UE 1.0.1 3.5.9: every outstanding packet is reported to SES.  A PDC that is over is
 * unchanged.
 */
void uet_pdc_fail(struct uet_pdc *pdc, enum uet_pdc_error error, u8 nack_code, u64 now)
{
	if (!uet_pdc_event(pdc, UET_PDC_EV_FATAL, now))
		return;
	pdc->error = error;
	pdc->nack_code = nack_code;
}
