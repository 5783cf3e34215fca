// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes the operation of a sendmsg() from its control messages and checks
 * their combination. A call without control messages does not reach this file.
 * Spec: UE 1.0.1 Table 3-17 (opcodes).
 */
#include <linux/nospec.h>
#include <net/sock.h>

#include "core/ses/amo.h"
#include "endpoint/endpoint.h"
#include "message/message.h"
#include "socket.h"

#define SOCKOP_FLAGS	(UET_OP_COMPLETE | UET_OP_RUDI | UET_OP_LOCAL_ADDR | \
			 UET_OP_RUD | UET_OP_ROD)

/**
 * struct sockop_cmsg - a control message of sendmsg()
 * @name: name in the uapi header
 * @len: length of its data, bytes
 * @at: offset of its data in struct uet_sock_op
 */
struct sockop_cmsg {
	const char *name;
	size_t len;
	size_t at;
};

#define SOCKOP_CMSG(type, member)					\
	[type] = { #type, sizeof_field(struct uet_sock_op, member),	\
		   offsetof(struct uet_sock_op, member) }

static const struct sockop_cmsg sockop_cmsgs[] = {
	SOCKOP_CMSG(UET_CMSG_OP, op),
	SOCKOP_CMSG(UET_CMSG_RMA, rma),
	SOCKOP_CMSG(UET_CMSG_HDATA, header_data),
	SOCKOP_CMSG(UET_CMSG_ATOMIC, atomic),
	SOCKOP_CMSG(UET_CMSG_TAG, tag),
	SOCKOP_CMSG(UET_CMSG_PEER, peer),
	SOCKOP_CMSG(UET_CMSG_LOCAL, local),
};

/**
 * struct sockop_rule - control messages that an opcode requires and permits
 * @must: BIT(UET_CMSG_*) required, besides UET_CMSG_OP
 * @may: BIT(UET_CMSG_*) permitted
 * @is_sent: a socket can send the opcode
 * @on_dgram: a SOCK_DGRAM socket can send it
 */
struct sockop_rule {
	u32 must;
	u32 may;
	bool is_sent;
	bool on_dgram;
};

#define SOCKOP_RULE(opcode, must_have, may_have)			\
	[UET_OP_##opcode] = {						\
		.is_sent = true, .must = (must_have), .may = (may_have), \
		.on_dgram = UET_OP_##opcode == UET_OP_SEND,		\
	}

static const struct sockop_rule sockop_rules[] = {
	SOCKOP_RULE(NO_OP, 0, 0),
	SOCKOP_RULE(SEND, 0, BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(WRITE, BIT(UET_CMSG_RMA), BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(ATOMIC, BIT(UET_CMSG_RMA) | BIT(UET_CMSG_ATOMIC), 0),
	SOCKOP_RULE(TAGGED_SEND, BIT(UET_CMSG_TAG), BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(READ, BIT(UET_CMSG_RMA) | BIT(UET_CMSG_LOCAL), 0),
	SOCKOP_RULE(FETCHING_ATOMIC, BIT(UET_CMSG_RMA) | BIT(UET_CMSG_ATOMIC) |
				     BIT(UET_CMSG_LOCAL), 0),
	SOCKOP_RULE(TSEND_ATOMIC, BIT(UET_CMSG_TAG) | BIT(UET_CMSG_ATOMIC),
		    BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(TSEND_FETCH_ATOMIC, BIT(UET_CMSG_TAG) |
					BIT(UET_CMSG_ATOMIC) |
					BIT(UET_CMSG_LOCAL),
		    BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(DEFERRABLE_SEND, 0, BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(DEFERRABLE_TSEND, BIT(UET_CMSG_TAG), BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(RENDEZVOUS_SEND, BIT(UET_CMSG_LOCAL), BIT(UET_CMSG_HDATA)),
	SOCKOP_RULE(RENDEZVOUS_TSEND, BIT(UET_CMSG_TAG) | BIT(UET_CMSG_LOCAL),
		    BIT(UET_CMSG_HDATA)),
};

/* Return: NULL for an opcode that cannot be sent. */
static const struct sockop_rule *sockop_rule(u8 opcode)
{
	if (opcode >= ARRAY_SIZE(sockop_rules) || !sockop_rules[opcode].is_sent)
		return NULL;
	return &sockop_rules[array_index_nospec(opcode,
						ARRAY_SIZE(sockop_rules))];
}

static int sockop_check_opcode(struct uet_sock *us, const struct uet_op *op,
			       const struct sockop_rule *rule)
{
	if (!rule)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: opcode %u (%s) cannot be sent",
				       op->opcode,
				       uet_wire_op(op->opcode)->name);
	if (us->sk.sk_type != SOCK_DGRAM)
		return 0;
	if (!rule->on_dgram)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: opcode %u (%s) is no datagram",
				       op->opcode,
				       uet_wire_op(op->opcode)->name);
	if (op->flags & UET_OP_COMPLETE)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: UET_OP_COMPLETE, but nobody answers a datagram");
	return 0;
}

/* The name of the first control message of a non-empty set. */
static const char *sockop_name(u32 set)
{
	return sockop_cmsgs[__ffs(set)].name;
}

/* Check the combination of control messages. */
static int sockop_check_set(struct uet_sock *us, const struct uet_sock_op *sop,
			    const struct sockop_rule *rule)
{
	const char *name = uet_wire_op(sop->op.opcode)->name;
	u32 seen = sop->seen & ~(BIT(UET_CMSG_OP) | BIT(UET_CMSG_PEER));

	if (rule->must & ~seen)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: opcode %u (%s) without %s",
				       sop->op.opcode, name,
				       sockop_name(rule->must & ~seen));
	seen &= ~(rule->must | rule->may);
	if (seen)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: opcode %u (%s) with %s",
				       sop->op.opcode, name, sockop_name(seen));
	return 0;
}

/* RUDI: the bytes may be written or read twice, and no notification is sent. */
static int sockop_check_rudi(struct uet_sock *us, const struct uet_sock_op *sop)
{
	if (!(sop->op.flags & UET_OP_RUDI))
		return 0;
	if ((sop->op.opcode != UET_OP_WRITE &&
	     sop->op.opcode != UET_OP_READ) ||
	    sop->seen & BIT(UET_CMSG_HDATA))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: UET_OP_RUDI is for UET_OP_READ, and UET_OP_WRITE without UET_CMSG_HDATA");
	if (!(sop->rma.key & UET_MR_KEY_IDEMPOTENT_SAFE))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_RMA: key 0x%llx without UET_MR_KEY_IDEMPOTENT_SAFE, as UET_OP_RUDI needs",
				       sop->rma.key);
	return 0;
}

/* One delivery for each operation. */
static int sockop_check_delivery(struct uet_sock *us, const struct uet_op *op)
{
	if (!(op->flags & (UET_OP_RUD | UET_OP_ROD)))
		return 0;
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_OP: UET_OP_RUD and UET_OP_ROD are not for SOCK_DGRAM");
	if (hweight8(op->flags & (UET_OP_RUD | UET_OP_ROD | UET_OP_RUDI)) > 1)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: flags 0x%x have more than one of UET_OP_RUD, UET_OP_ROD and UET_OP_RUDI",
				       op->flags);
	return 0;
}

/* Without a completion the process cannot know when its memory is unpinned. */
static int sockop_check_addr(struct uet_sock *us, const struct uet_sock_op *sop)
{
	if (!(sop->op.flags & UET_OP_LOCAL_ADDR))
		return 0;
	if (!(sop->op.flags & UET_OP_COMPLETE))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: UET_OP_LOCAL_ADDR without UET_OP_COMPLETE");
	if (!(sop->seen & BIT(UET_CMSG_LOCAL)))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: UET_OP_LOCAL_ADDR with opcode %u (%s), which has no UET_CMSG_LOCAL",
				       sop->op.opcode,
				       uet_wire_op(sop->op.opcode)->name);
	if (sop->local.key)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_LOCAL: key 0x%llx is not 0, with UET_OP_LOCAL_ADDR",
				       sop->local.key);
	return 0;
}

static int sockop_check(struct uet_sock *us, const struct uet_sock_op *sop)
{
	const struct sockop_rule *rule = sockop_rule(sop->op.opcode);
	int err;

	if (sop->op.flags & ~SOCKOP_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: flags 0x%x, known are 0x%x",
				       sop->op.flags, SOCKOP_FLAGS);
	if (memchr_inv(sop->op.reserved, 0, sizeof(sop->op.reserved)))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_OP: reserved is not 0");
	if (memchr_inv(sop->atomic.reserved, 0, sizeof(sop->atomic.reserved)))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_ATOMIC: reserved is not 0");
	err = sockop_check_opcode(us, &sop->op, rule);
	if (!err)
		err = sockop_check_set(us, sop, rule);
	if (!err)
		err = sockop_check_delivery(us, &sop->op);
	if (!err)
		err = sockop_check_addr(us, sop);
	return err ? err : sockop_check_rudi(us, sop);
}

static int sockop_take(struct uet_sock *us, struct cmsghdr *cmsg, struct uet_sock_op *sop)
{
	size_t len = cmsg->cmsg_len - CMSG_LEN(0);
	u32 type = cmsg->cmsg_type;
	const struct sockop_cmsg *known = NULL;

	if (cmsg->cmsg_level == SOL_UET && type < ARRAY_SIZE(sockop_cmsgs))
		known = &sockop_cmsgs[array_index_nospec(type,
							 ARRAY_SIZE(sockop_cmsgs))];
	if (!known || !known->name)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: control message of level %d type %d is not known",
				       cmsg->cmsg_level, cmsg->cmsg_type);
	if (sop->seen & BIT(type))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: %s is there twice",
				       known->name);
	if (len < known->len)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: %s has %zu bytes, not %zu",
				       known->name, len, known->len);
	if (memchr_inv(CMSG_DATA(cmsg) + known->len, 0, len - known->len))
		return uet_sock_refuse(us, -E2BIG, "sendmsg: %s has %zu bytes, and those behind %zu are not 0",
				       known->name, len, known->len);
	memcpy((void *)sop + known->at, CMSG_DATA(cmsg), known->len);
	sop->seen |= BIT(type);
	return 0;
}

/* Decode the control messages of a sendmsg(); @sop holds the default operation. */
int uet_sock_get_op(struct uet_sock *us, struct msghdr *msg, struct uet_sock_op *sop)
{
	struct cmsghdr *cmsg;
	int err;

	if (!CMSG_FIRSTHDR(msg))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: %zu bytes are no control message",
				       (size_t)msg->msg_controllen);
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return uet_sock_refuse(us, -EINVAL, "sendmsg: a control message has length %zu",
					       (size_t)cmsg->cmsg_len);
		err = sockop_take(us, cmsg, sop);
		if (err)
			return err;
	}
	return sockop_check(us, sop);
}

/* The control messages that an entry stands for. */
static u32 sockop_entry_set(const struct uet_sq_entry *entry)
{
	const struct sockop_rule *rule = sockop_rule(entry->send.op.opcode);
	u32 set = BIT(UET_CMSG_OP);

	if (rule)
		set |= rule->must;
	if (entry->flags & UET_SQ_HDATA)
		set |= BIT(UET_CMSG_HDATA);
	return entry->peer ? set | BIT(UET_CMSG_PEER) : set;
}

/* An entry has nothing that its operation, of the control messages @set, does not use. */
static int sockop_check_unused(struct uet_sock *us, const struct uet_sq_entry *entry, u32 set)
{
	const struct uet_sq_send *send = &entry->send;
	const char *name = NULL;
	u32 used = 0;

	if (entry->flags & UET_SQ_INLINE) {
		used = min_t(u64, send->length, UET_SQ_INLINE_MAX);
		if (send->addr)
			name = "addr";
		else if (memchr_inv(send->data + used, 0, UET_SQ_INLINE_MAX - used))
			name = "data";
	} else if (!(set & BIT(UET_CMSG_RMA)) &&
		   memchr_inv(&send->memory.rma, 0, sizeof(send->memory.rma))) {
		name = "memory.rma";
	} else if (!(set & BIT(UET_CMSG_LOCAL)) &&
		   memchr_inv(&send->memory.local, 0, sizeof(send->memory.local))) {
		name = "memory.local";
	} else if (!(set & BIT(UET_CMSG_ATOMIC)) &&
		   memchr_inv(&send->memory.atomic, 0, sizeof(send->memory.atomic))) {
		name = "memory.atomic";
	}
	if (!(set & BIT(UET_CMSG_HDATA)) && send->header_data)
		name = "header_data";
	if (!(set & BIT(UET_CMSG_TAG)) && send->tag)
		name = "tag";
	return name ? uet_sock_refuse(us, -EINVAL, "submission ring: %s is not 0, unused with opcode %u (%s)",
				      name, send->op.opcode,
				      uet_wire_op(send->op.opcode)->name) : 0;
}

/* Decode the operation of an entry of the submission ring. */
int uet_sock_entry_op(struct uet_sock *us, const struct uet_sq_entry *entry,
		      struct uet_sock_op *sop)
{
	const struct uet_sq_send *send = &entry->send;
	u32 set = sockop_entry_set(entry);
	int err;

	*sop = (struct uet_sock_op){
		.seen = set,
		.op = send->op,
		.header_data = send->header_data,
		.tag = send->tag,
		.peer = entry->peer,
	};
	if (set & (BIT(UET_CMSG_RMA) | BIT(UET_CMSG_LOCAL) | BIT(UET_CMSG_ATOMIC)) &&
	    entry->flags & UET_SQ_INLINE)
		return uet_sock_refuse(us, -EINVAL, "submission ring: UET_SQ_INLINE with opcode %u (%s)",
				       send->op.opcode,
				       uet_wire_op(send->op.opcode)->name);
	if (set & BIT(UET_CMSG_RMA))
		sop->rma = send->memory.rma;
	if (set & BIT(UET_CMSG_LOCAL))
		sop->local = send->memory.local;
	if (set & BIT(UET_CMSG_ATOMIC))
		sop->atomic = send->memory.atomic;
	err = sockop_check(us, sop);
	return err ? err : sockop_check_unused(us, entry, set);
}

/* An operation that a peer with this implementation would refuse is not sent. */
int uet_sock_op_amo(struct uet_sock *us, const struct uet_sock_op *sop,
		    size_t len, struct uet_ses_amo *amo, u8 *size)
{
	bool is_fetching = uet_ses_is_fetching(sop->op.opcode);
	const struct uet_atomic *atomic = &sop->atomic;
	struct uet_amo_op op;

	*amo = (struct uet_ses_amo){
		.opcode = atomic->op,
		.datatype = atomic->datatype,
	};
	put_unaligned_be64(atomic->compare, &amo->compare[8]);
	put_unaligned_be64(atomic->swap, &amo->swap[8]);
	switch (uet_amo_prepare(&op, amo, uet_fep_amo_form(us->fep), is_fetching,
				len)) {
	case UET_RC_OK:
		uet_amo_set_mask(amo, &op);
		*size = op.size;
		return 0;
	case UET_RC_AMO_UNSUPPORTED_OP:
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_ATOMIC: op %u is not executed on datatype %u",
				       atomic->op, atomic->datatype);
	case UET_RC_AMO_UNSUPPORTED_DT:
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: UET_CMSG_ATOMIC: datatype %u is not known",
				       atomic->datatype);
	default:
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_ATOMIC: %zu bytes are no operands of op %u and datatype %u",
				       len, atomic->op, atomic->datatype);
	}
}

static int sockop_check_length(struct uet_sock *us, const struct uet_local *local)
{
	if (local->length <= U32_MAX)
		return 0;
	return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_LOCAL: length %llu is above %u",
			       local->length, U32_MAX);
}

/* Pin the memory of an operation; none for a READ of no bytes. */
static int sockop_pin(struct uet_sock *us, const struct uet_sock_op *sop,
		      u64 len, u8 align, struct uet_mr_ref *ref)
{
	const struct uet_local *local = &sop->local;

	if (!IS_ALIGNED(local->offset, align))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_LOCAL: address 0x%llx is not aligned to the value of %u bytes",
				       local->offset, align);
	if (!len)
		return 0;
	if (sop->is_kernel)
		return uet_mr_own_kernel(us, "sendmsg: UET_CMSG_LOCAL", local->offset, len, ref);
	return uet_mr_own(us, "sendmsg: UET_CMSG_LOCAL", local->offset, len,
			  ref);
}

/*
 * Local memory for the data that an operation returns; @size: of the value of a fetching
 * atomic, bytes; else 0.
 */
int uet_sock_op_local(struct uet_sock *us, const struct uet_sock_op *sop,
		      u8 size, struct uet_mr_ref *ref)
{
	const struct uet_local *local = &sop->local;
	int err;

	if (size && local->length && local->length != size)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: UET_CMSG_LOCAL: length %llu is neither 0 nor that of the value, %u",
				       local->length, size);
	err = sockop_check_length(us, local);
	if (err)
		return err;
	*ref = (struct uet_mr_ref){ .key = local->key, .offset = local->offset };
	if (sop->op.flags & UET_OP_LOCAL_ADDR)
		return sockop_pin(us, sop, size ? : local->length, size ? : 1,
				  ref);
	return uet_mr_refer(us, "sendmsg: UET_CMSG_LOCAL", UET_MR_LOCAL_WRITE,
			    size ? size : local->length, size ? size : 1, ref);
}

static int sockop_find_source(struct uet_sock *us, const struct uet_sock_op *sop,
			      struct uet_mr_ref *ref)
{
	const struct uet_local *local = &sop->local;
	int err = sockop_check_length(us, local);

	if (err)
		return err;
	if (sop->op.flags & UET_OP_LOCAL_ADDR)
		return local->length ?
		       uet_mr_own_source(us, "sendmsg: UET_CMSG_LOCAL", local->offset,
					 local->length, ref) : 0;
	*ref = (struct uet_mr_ref){ .key = local->key, .offset = local->offset };
	return uet_mr_refer(us, "sendmsg: UET_CMSG_LOCAL", UET_MR_READ, local->length, 1,
			    ref);
}

/*
 * Memory of a rendezvous message that the receiver reads; @len: length of the eager payload,
 * bytes.
 */
int uet_sock_op_rdv(struct uet_sock *us, const struct uet_sock_op *sop,
		    const struct uet_sock_dest *dest, size_t len,
		    struct uet_ses_rdv_tx *rdv, struct uet_mr_ref *ref)
{
	const struct uet_local *local = &sop->local;
	int err;

	if (len > local->length)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: %s: payload of %zu bytes is longer than the message, %llu by UET_CMSG_LOCAL",
				       uet_wire_op(sop->op.opcode)->name, len,
				       local->length);
	if (dest->rel != us->addr.rel)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: %s: the socket and its destination are not both relative or absolute",
				       uet_wire_op(sop->op.opcode)->name);
	err = sockop_find_source(us, sop, ref);
	if (err)
		return err;
	rdv->length = local->length;
	rdv->at = (struct uet_ses_rdv){
		.ri_gen = uet_gen_get(us) & ~UET_RI_DISABLED,
		.pid = us->addr.pid,
		.ri = us->addr.ri,
		.offset = ref->offset,
		.key = ref->key,
	};
	return 0;
}
