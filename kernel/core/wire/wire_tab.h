/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts about wire codes: the header of each packet type, the forms of each opcode, the action
 * that a NACK code demands, and the drop reasons.  A zero row means illegal.  A look-up never
 * fails: it returns an illegal row for an unknown code.  Names are as in the specification, and
 * never NULL.
 *
 * Spec: UE 1.0.1 3.4, 3.5.10, 3.5.12.7, 3.5.16.  Level: core L1.
 */
#ifndef UET_CORE_WIRE_TAB_H
#define UET_CORE_WIRE_TAB_H

#include "core/shim.h"
#include "wire_codes.h"

/* Reason for dropping a packet; 0 (UET_DROP_NONE) is success. See drop.def. */
enum uet_drop {
#define UET_DROP(name, text, doc) UET_DROP_##name,
#include "core/drop.def"
#undef UET_DROP
	UET_DROP_NR,
};

const char *uet_drop_name(enum uet_drop why);

/* Family of packet types with one layout; zero is illegal. */
enum uet_ty_kind {
	UET_TK_ILLEGAL,
	UET_TK_REQ,
	UET_TK_ACK,
	UET_TK_NACK,
	UET_TK_CP,
	UET_TK_RUDI,
	UET_TK_UUD,
};

/*
 * struct uet_ty_prop - facts about a packet type
 * @flags: prologue flags that are not reserved
 * @nh_mask: bit per next_hdr the type may carry
 * @is_rod: the packet belongs to a ROD PDC
 * @truncated: drop reason of a header cut short
 */
struct uet_ty_prop {
	const char *name;
	u8 kind;
	u8 len;
	u8 flags;
	u16 nh_mask;
	bool is_rod;
	bool has_cc;
	enum uet_drop truncated;
};

/* Kind of header that a next_hdr selects; zero is illegal. */
enum uet_nh_kind {
	UET_NK_ILLEGAL,
	UET_NK_NONE,
	UET_NK_REQ,
	UET_NK_RSP,
};

/*
 * struct uet_nh_prop - facts about a next_hdr
 * @form: enum uet_rsp_form, or the enum uet_ses_form of a request with som
 * @len: header bytes without extension
 * @truncated: drop reason of a header cut short
 */
struct uet_nh_prop {
	const char *name;
	u8 kind;
	u8 form;
	u8 len;
	enum uet_drop truncated;
};

/*
 * struct uet_ctl_prop - facts about a control packet type
 * @may_syn: may open a PDC
 * @takes_psn: consumes a PSN of its direction
 * @wants_ack: the receiver answers with an ACK or a NACK
 */
struct uet_ctl_prop {
	const char *name;
	bool is_legal;
	bool may_syn;
	bool takes_psn;
	bool wants_ack;
};

/* Properties of a SES opcode. */
enum uet_op_flag {
	UET_OPF_DATA	= 0x01,	/* message bytes follow the header */
	UET_OPF_SINGLE	= 0x02,	/* always one packet */
	UET_OPF_PARTIAL	= 0x04,	/* may end before request_length bytes */
	UET_OPF_TAGGED	= 0x08,	/* uses the tagged queue */
	UET_OPF_RETURNS	= 0x10,	/* answered with data */
	UET_OPF_RECV	= 0x20,	/* goes to a receive of the target */
	UET_OPF_RMA	= 0x40,	/* changes memory that a key names */
};

/*
 * struct uet_op_prop - facts about a SES request opcode
 * @forms: bit per enum uet_ses_form it may use; 0 is an illegal opcode
 * @ext: enum uet_ses_ext; UET_EXT_AMO stands for UET_EXT_CSWAP too
 */
struct uet_op_prop {
	const char *name;
	u8 forms;
	u8 ext;
	u8 flags;
};

/* Error class of a NACK, UE 1.0.1 Table 3-59; zero is a reserved code. */
enum uet_nack_class {
	UET_NC_ILLEGAL,
	UET_NC_NORMAL,
	UET_NC_PDC_ERR,
	UET_NC_PDC_FATAL,
};

/* Reaction of the sender of the refused packet; zero is a reserved code. */
enum uet_nack_action {
	UET_NA_UNKNOWN,		/* nothing: reserved, or not for this sender */
	UET_NA_IGNORE,		/* nothing, the time-out covers it */
	UET_NA_ALIVE,		/* restart the time-out: the peer works on it */
	UET_NA_RESEND,		/* send it again: it was lost */
	UET_NA_GO_BACK,		/* and everything from the PSN expected on */
	UET_NA_PAUSE,		/* later: the peer has no space for it */
	UET_NA_REOPEN,		/* later: the peer has no space for the PDC */
	UET_NA_RESTART,		/* begin at the Start_PSN that the peer names */
	UET_NA_RETRY,		/* end the PDC in error: requests may use another */
	UET_NA_FATAL,		/* end the PDC, or the RUDI request, in error */
	UET_NA_AS_RUD,		/* of a ROD PDC: as a RUD PDC */
};

/*
 * struct uet_nack_prop - facts about a NACK code, see nack.def
 * @syn_sent: enum uet_nack_action of an initiator in SYN_SENT; @open: in any later state
 * @rod: of a ROD PDC in any state, or UET_NA_AS_RUD
 * @rudi: of a RUDI requester
 */
struct uet_nack_prop {
	const char *name;
	u8 class;
	u8 syn_sent;
	u8 open;
	u8 rod;
	u8 rudi;
};

const struct uet_ty_prop *uet_wire_ty(u8 type);
const struct uet_nh_prop *uet_wire_nh(u8 next_hdr);
const struct uet_ctl_prop *uet_wire_ctl(u8 ctl_type);
const struct uet_op_prop *uet_wire_op(u8 opcode);
const struct uet_nack_prop *uet_wire_nack(u8 code);

#endif /* UET_CORE_WIRE_TAB_H */
