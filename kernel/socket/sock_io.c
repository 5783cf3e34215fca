// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg(): from a user's buffer to a message on a PDC, or to a datagram.
 *
 * A message of up to SO_SNDBUF bytes is copied whole and then sent. A longer message is
 * streamed: it is sent while it is copied, in pieces, as acknowledgements free the send buffer.
 * A streaming sender may always have one piece in flight, even when other messages fill the
 * send buffer: those messages may be queued behind the streamed message and wait for its end.
 *
 * All checks that can refuse a message run before its first byte is handed to the PDC;
 * afterwards the sender can only cancel the whole message.
 *
 * A datagram (SOCK_DGRAM) is one packet without a PDC and without an answer (UUD). The packet
 * is charged to the send buffer until the device has sent it.
 * Spec: UE 1.0.1 3.5.10.12, Table 3-17 (UET_DATAGRAM_SEND).
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "socket.h"

/*
 * Bytes of a streamed message per piece: a multiple of every Payload MTU, as
 * uet_tx_message_fill() requires, and long enough to keep the link busy while
 * the sender is woken for the next piece.
 */
#define SOCKIO_PIECE		(32 * UET_MTU_MAX)

/* Longest message that waits for others: a longer one is worth a burst of its own. */
#define SOCKIO_CORK_MAX		SZ_8K

/* A PDC can close between look-up and use; eight times in a row is unlikely. */
#define SOCKIO_PDC_TRIES	8

/*
 * Most bytes of one call: the kernel truncates a longer buffer, and a truncated
 * message must not be sent.
 */
#define SOCKIO_LENGTH_MAX	(MAX_RW_COUNT - 1)

/**
 * struct sockio_send - a sendmsg() call
 * @us: socket
 * @msg: the caller's
 * @dest: destination
 * @tm: the message
 * @pe: PDC of the message; NULL with RUDI
 * @sop: the operation
 * @amo: the atomic operation, if the opcode is one
 * @operand_size: bytes of one of its operands
 * @want: bytes that the target returns
 * @local: local memory for the returned bytes, or of a rendezvous message, until the
 *	message has it
 * @rdv: rendezvous: memory that the receiver reads
 * @cqe: completion that no message owns yet; NULL if none is wanted
 * @timeo: remaining SO_SNDTIMEO, jiffies; 0: do not wait
 * @sndbuf: SO_SNDBUF at the start of the call, which decides whether to stream
 * @is_excluded: a rendezvous message without payload, which needs no space in the send
 *	buffer; UET_CQ_LIMIT limits the number of them
 * @is_entry: of the submission ring: the error of an earlier message is not its error
 */
struct sockio_send {
	struct uet_sock *us;
	struct msghdr *msg;
	struct uet_sock_dest dest;
	struct uet_tx_message *tm;
	struct uet_pdc_entry *pe;
	struct uet_sock_op sop;
	struct uet_ses_amo amo;
	u8 operand_size;
	u32 want;
	struct uet_mr_ref local;
	struct uet_ses_rdv_tx rdv;
	struct uet_cqe *cqe;
	long timeo;
	u32 sndbuf;
	bool is_excluded;
	bool is_entry;
};

/* ------------------------------------------------------------------ waiting */

/* Is a streaming sender below its one piece? See the top of the file. */
static bool sockio_is_entitled(const struct uet_tx_message *tm)
{
	/*
	 * Pairs with the count of acknowledged bytes in SES; may be stale,
	 * because a wake-up follows every change.
	 */
	return tm->ses.avail - READ_ONCE(tm->ses.acked) < SOCKIO_PIECE;
}

/* Is there space for the completion, if one is wanted? */
static bool sockio_may_complete(const struct sockio_send *snd)
{
	return !snd->cqe || snd->cqe->is_counted || uet_cq_has_space(&snd->us->cq);
}

static bool sockio_may_go_on(const struct sockio_send *snd)
{
	const struct sock *sk = &snd->us->sk;

	if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN)
		return true;
	if (uet_sock_has_space(snd->us) || snd->is_excluded)
		return sockio_may_complete(snd) || READ_ONCE(sk->sk_err);
	if (!snd->tm)
		return READ_ONCE(sk->sk_err);
	return uet_tx_message_is_done(snd->tm) || sockio_is_entitled(snd->tm);
}

/*
 * Error that stops a sender: a new message fails with the error of an earlier message, a
 * message in progress only with its own.
 */
static int sockio_error(const struct sockio_send *snd)
{
	struct uet_sock *us = snd->us;
	int err = 0;

	if (!snd->tm)
		err = snd->is_entry ? 0 : sock_error(&us->sk);
	else if (uet_tx_message_is_done(snd->tm))
		err = -ECONNABORTED;
	if (err)
		return err;
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return uet_sock_refuse(us, -EPIPE, "sendmsg: the socket was shut down for writing");
	return 0;
}

/* Refuse to wait on behalf of a non-blocking caller. */
static int sockio_would_wait(const struct sockio_send *snd)
{
	struct uet_sock *us = snd->us;

	if (uet_sock_note_full(us))
		us->sk.sk_write_space(&us->sk);
	if (!sockio_may_complete(snd))
		return uet_sock_refuse(us, -EAGAIN, "sendmsg: %d operations are to complete or were not read",
				       UET_CQ_LIMIT);
	return -EAGAIN;
}

/*
 * Charge @bytes to the send buffer and reserve the completion; wait for both if necessary.
 * lock_sock() is released while waiting.
 */
static int sockio_charge(struct sockio_send *snd, u32 bytes)
{
	struct sock *sk = &snd->us->sk;
	long left;
	int err;

	for (;;) {
		err = sockio_error(snd);
		if (err)
			return err;
		err = snd->cqe ? uet_cqe_admit(snd->us, snd->cqe) : 0;
		if (!err)
			err = uet_tx_message_charge(snd->us, bytes, snd->tm ?
						    sockio_is_entitled(snd->tm) :
						    snd->is_excluded);
		if (err != -EAGAIN)
			return err;
		if (!snd->timeo)
			return sockio_would_wait(snd);
		release_sock(sk);
		uet_pdc_entry_uncork(snd->us);
		uet_sock_wait_begin(snd->us);
		left = wait_event_interruptible_timeout(*sk_sleep(sk),
							sockio_may_go_on(snd),
							snd->timeo);
		uet_sock_wait_end(snd->us);
		lock_sock(sk);
		if (left < 0)
			return sock_intr_errno(snd->timeo);
		snd->timeo = left;
	}
}

/*
 * Wait until all sent messages are answered. Return: 0; the error of a failed message; -EAGAIN
 * after the time; an error of a signal.
 */
int uet_sock_flush(struct uet_sock *us, long timeo)
{
	struct sock *sk = &us->sk;
	long left = timeo;

	uet_pdc_entry_uncork(us);
	if (timeo) {
		uet_sock_wait_begin(us);
		left = wait_event_interruptible_timeout(*sk_sleep(sk),
							!atomic_read(&us->tx.pending),
							timeo);
		uet_sock_wait_end(us);
	}
	if (left < 0)
		return sock_intr_errno(timeo);
	if (atomic_read(&us->tx.pending))
		return -EAGAIN;
	return sock_error(sk);
}

/* ------------------------------------------------------------------ sending */

static int sockio_check_msg(struct uet_sock *us, struct msghdr *msg, struct uet_sock_op *sop)
{
	if (msg->msg_flags & MSG_OOB)
		return uet_sock_refuse(us, -EOPNOTSUPP, "sendmsg: there are no out-of-band messages");
	return msg->msg_controllen ? uet_sock_get_op(us, msg, sop) : 0;
}

static int sockio_peer_dest(struct uet_sock *us, const struct msghdr *msg, u32 number,
			    struct uet_sock_dest *dest)
{
	if (msg->msg_name)
		return uet_sock_refuse(us, -EINVAL, "sendmsg: both a destination and UET_CMSG_PEER");
	if (!uet_peer_dest(us, number, dest))
		return uet_sock_refuse(us, -ENOENT, "sendmsg: UET_CMSG_PEER: %u is no peer of the socket",
				       number);
	return 0;
}

/*
 * Destination of a message: UET_CMSG_PEER or msg_name, else the connected peer. Under
 * lock_sock().
 */
static int sockio_get_dest(struct uet_sock *us, const struct msghdr *msg,
			   const struct uet_sock_op *sop, struct uet_sock_dest *dest)
{
	int err;

	if (unlikely(READ_ONCE(us->sk.sk_bound_dev_if)))
		return uet_sock_refuse_device(us, "sendmsg");
	if (sop->seen & BIT(UET_CMSG_PEER))
		return sockio_peer_dest(us, msg, sop->peer, dest);
	if (msg->msg_name) {
		err = uet_sock_addr_dest(us, "sendmsg", msg->msg_name,
					 msg->msg_namelen, dest);
		if (err)
			return err;
	} else if (us->peer.fa.family) {
		*dest = us->peer;
	} else {
		return uet_sock_refuse(us, -EDESTADDRREQ, "sendmsg: neither a destination nor a connected peer");
	}
	return uet_sock_check_dest(us, "sendmsg", dest);
}

/* Set operation and destination of a message. */
static void sockio_apply(const struct uet_sock *us, const struct uet_sock_op *sop,
			 const struct uet_sock_dest *dest, struct uet_ses_tx *ses)
{
	ses->to = us->addr;
	ses->to.pid = dest->pid;
	ses->to.ri = dest->ri;
	ses->to.rel = dest->rel;
	ses->opcode = sop->op.opcode;
	ses->match = sop->seen & BIT(UET_CMSG_TAG) ? sop->tag : sop->rma.key;
	ses->offset = sop->rma.offset;
	ses->has_hdata = sop->seen & BIT(UET_CMSG_HDATA);
	ses->header_data = sop->header_data;
}

/* Choose the header form of a message. */
static void sockio_form(const struct uet_sock *us, struct uet_ses_tx *ses)
{
	if (uet_fep_has_short_headers(us->fep))
		ses->form = uet_ses_form(ses);
}

static int sockio_check(struct sockio_send *snd, size_t len)
{
	const struct msghdr *msg = snd->msg;
	struct uet_sock *us = snd->us;

	if (len && (snd->sop.op.opcode == UET_OP_NO_OP || snd->sop.op.opcode == UET_OP_READ))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: a %s has no payload, not %zu bytes",
				       uet_wire_op(snd->sop.op.opcode)->name,
				       len);
	if (len > SOCKIO_LENGTH_MAX)
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: message is longer than %lu bytes",
				       (unsigned long)SOCKIO_LENGTH_MAX);
	if (len <= snd->sndbuf)
		return 0;
	if (snd->sop.op.flags & UET_OP_RUDI)
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: message of %zu bytes by RUDI is longer than SO_SNDBUF %u",
				       len, snd->sndbuf);
	if (uet_ses_is_deferrable(snd->sop.op.opcode))
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: deferrable message of %zu bytes is longer than SO_SNDBUF %u",
				       len, snd->sndbuf);
	if (msg->msg_flags & MSG_DONTWAIT)
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: message of %zu bytes is longer than SO_SNDBUF %u and may not wait",
				       len, snd->sndbuf);
	return 0;
}

/* Checks that need the endpoint: an atomic operation is one packet. */
static int sockio_check_atomic(struct sockio_send *snd, u32 length, u8 *size)
{
	struct uet_sock *us = snd->us;
	int err;

	*size = 0;
	if (!(snd->sop.seen & BIT(UET_CMSG_ATOMIC)))
		return 0;
	if (length > us->fep->cfg.mtu)
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: operands of %u bytes are longer than the Payload MTU of FEP %s, %u",
				       length, us->fep->cfg.name,
				       us->fep->cfg.mtu);
	err = uet_sock_op_amo(us, &snd->sop, length, &snd->amo, size);
	snd->operand_size = *size;
	return err;
}

/* The same for operations on memory, remote and local. */
static int sockio_check_rma(struct sockio_send *snd, u32 length)
{
	u8 size;
	int err;

	if (uet_ses_is_rendezvous(snd->sop.op.opcode))
		return uet_sock_op_rdv(snd->us, &snd->sop, &snd->dest, length,
				       &snd->rdv, &snd->local);
	err = sockio_check_atomic(snd, length, &size);
	if (err || !(snd->sop.seen & BIT(UET_CMSG_LOCAL)))
		return err;
	err = uet_sock_op_local(snd->us, &snd->sop, size, &snd->local);
	snd->want = size ? size : snd->sop.local.length;
	return err;
}

/* Set the fields of an operation on memory, beside its payload. */
static void sockio_apply_rma(struct sockio_send *snd, struct uet_tx_message *tm)
{
	if (snd->sop.seen & BIT(UET_CMSG_ATOMIC)) {
		tm->amo = snd->amo;
		tm->ses.amo = &tm->amo;
	}
	tm->local = snd->local;
	snd->local.own = NULL;
	tm->ses.rdv = snd->rdv;
	tm->ses.read.want = snd->want;
	if (snd->sop.op.opcode == UET_OP_READ) {
		tm->ses.length = snd->want;
		tm->ses.avail = snd->want;
	}
}

/*
 * The operands of an atomic operation, at most one packet: in the message they have the byte
 * order of the packet.
 */
static int sockio_fill_operands(struct sockio_send *snd, struct uet_tx_message *tm, u32 bytes)
{
	struct kvec kvec = { .iov_len = bytes };
	struct iov_iter iter;
	LIST_HEAD(chunks);
	int err = -ENOMEM;

	kvec.iov_base = kmalloc(bytes, snd->us->sk.sk_allocation);
	if (!kvec.iov_base)
		goto out_refund;
	err = -EFAULT;
	if (!copy_from_iter_full(kvec.iov_base, bytes, &snd->msg->msg_iter))
		goto out_refund;
	uet_amo_to_wire(kvec.iov_base, bytes, snd->operand_size,
			uet_fep_amo_form(snd->us->fep));
	iov_iter_kvec(&iter, ITER_SOURCE, &kvec, 1, bytes);
	err = uet_tx_message_fill(tm, &iter, bytes, &chunks);
	if (!err)
		uet_tx_message_append(tm, &chunks);
	kfree(kvec.iov_base);
	return err;

out_refund:
	kfree(kvec.iov_base);
	uet_tx_message_refund(snd->us, bytes);
	if (err == -ENOMEM)
		return uet_sock_refuse(snd->us, err, "sendmsg: no memory for %u bytes",
				       bytes);
	return uet_sock_refuse(snd->us, err, "sendmsg: the buffer cannot be read");
}

/* Copy the first @bytes bytes to the message; on error they are uncharged. */
static int sockio_fill(struct sockio_send *snd, struct uet_tx_message *tm,
		       u32 length, u32 bytes)
{
	LIST_HEAD(chunks);
	int err;

	if (tm->ses.amo && bytes)
		return sockio_fill_operands(snd, tm, bytes);
	/*
	 * Without a completion the caller cannot know when the buffer is free. A deferrable
	 * message is copied: it may wait without limit, and its pages would stay locked.
	 */
	if (snd->msg->msg_flags & MSG_ZEROCOPY && snd->cqe &&
	    !uet_ses_is_deferrable(tm->ses.opcode)) {
		err = uet_zcopy_begin(tm, &snd->msg->msg_iter, length);
		if (err) {
			uet_tx_message_refund(snd->us, bytes);
			return err;
		}
	}
	err = uet_tx_message_fill(tm, &snd->msg->msg_iter, bytes, &chunks);
	if (!err)
		uet_tx_message_append(tm, &chunks);
	return err;
}

/*
 * Need the ACK of the message not come at once? The sender says that others follow, or it waits
 * for no completion and has space to go on.
 */
static bool sockio_can_wait(const struct sockio_send *snd, u32 length, u32 bytes)
{
	if (snd->msg->msg_flags & (MSG_MORE | MSG_BATCH))
		return true;
	return !snd->cqe && bytes == length && uet_sock_has_space(snd->us);
}

static bool sockio_is_rudi(const struct sockio_send *snd)
{
	return snd->sop.op.flags & UET_OP_RUDI;
}

/* Until when does the message wait for its endpoint? A RUDI request is tried once. */
static u64 sockio_wait_until(const struct sockio_send *snd)
{
	u32 ms = READ_ONCE(snd->us->opt.endpoint_wait_ms);

	if (!ms || sockio_is_rudi(snd))
		return 0;
	return uet_now_ns() + (u64)ms * NSEC_PER_MSEC;
}

/* Create the message with its first @bytes bytes, which are charged. */
static int sockio_make(struct sockio_send *snd, u32 length, u32 bytes)
{
	struct uet_sock *us = snd->us;
	struct uet_tx_message *tm;
	int err;

	tm = uet_tx_message_alloc(us, length);
	if (!tm) {
		uet_tx_message_refund(us, bytes);
		return uet_sock_refuse(us, -ENOMEM, "sendmsg: no memory");
	}
	tm->fa = snd->dest.fa;
	sockio_apply(us, &snd->sop, &snd->dest, &tm->ses);
	tm->ses.has_more = sockio_can_wait(snd, length, bytes);
	tm->ses.wait_until = sockio_wait_until(snd);
	tm->is_ordered = uet_sock_mode(us, &snd->sop.op) == UET_PDC_ROD;
	sockio_apply_rma(snd, tm);
	if (snd->is_excluded)
		uet_tx_message_exclude(tm);
	sockio_form(us, &tm->ses);
	err = sockio_fill(snd, tm, length, bytes);
	if (err) {
		uet_tx_message_put(tm);
		return err;
	}
	tm->cqe = snd->cqe;
	snd->cqe = NULL;
	snd->tm = tm;
	return 0;
}

static void sockio_peer_key(const struct sockio_send *snd, struct uet_peer_key *key)
{
	memset(key, 0, sizeof(*key));
	key->peer = snd->dest.fa;
	key->job = snd->dest.job;
	key->pid = snd->dest.pid;
	key->ri = snd->dest.ri;
	key->rel = snd->dest.rel;
	key->mode = uet_sock_mode(snd->us, &snd->sop.op);
	key->is_reserved = READ_ONCE(snd->us->opt.reserved_pdc);
	key->cookie = snd->us->cookie;
}

/* An ordered message waits until the closing PDC is closed: see uet_pdc_entry_send(). */
static int sockio_wait_drained(struct sockio_send *snd, struct uet_pdc_entry *pe)
{
	struct uet_sock *us = snd->us;
	long left;

	uet_sock_wait_begin(us);
	left = wait_event_interruptible_timeout(*sk_sleep(&us->sk),
						uet_pdc_entry_is_drained(pe),
						snd->timeo);
	uet_sock_wait_end(us);
	if (left < 0)
		return uet_sock_refuse(us, sock_intr_errno(snd->timeo), "sendmsg: a signal came while the PDC was closing");
	if (!left)
		return uet_sock_refuse(us, -EAGAIN, "sendmsg: messages before this one are still on a PDC that closes");
	snd->timeo = left;
	return 0;
}

/*
 * May the message wait for others? A process that looks for its completions in memory would not
 * end the wait by a system call, and FEPs without bursts gain little.
 */
static enum uet_cork_hint sockio_cork(const struct sockio_send *snd)
{
	const struct uet_ses_tx *tx = &snd->tm->ses;
	struct uet_sock *us = snd->us;

	if (tx->avail < tx->length || tx->length > SOCKIO_CORK_MAX)
		return UET_CORK_NEVER;
	if (snd->msg->msg_flags & (MSG_MORE | MSG_BATCH))
		return UET_CORK_MORE;
	if (uet_cq_ring(&us->cq) || !uet_fep_has_bursts(us->fep))
		return UET_CORK_NEVER;
	return UET_CORK_STREAM;
}

/* Hand the message to a PDC; if that PDC closes meanwhile, to another PDC. */
static int sockio_hand_over(struct sockio_send *snd)
{
	struct uet_sock *us = snd->us;
	int tries, err = -ESHUTDOWN;
	struct uet_peer_key key;
	struct uet_pdc_entry *pe;

	sockio_peer_key(snd, &key);
	if (uet_ses_is_deferrable(snd->tm->ses.opcode)) {
		err = uet_tx_deferrable_begin(snd->tm, &key);
		if (err)
			return uet_sock_refuse(us, err, "sendmsg: no place for another deferrable message on FEP %s",
					       us->fep->cfg.name);
	}
	for (tries = 0; tries < SOCKIO_PDC_TRIES; tries++) {
		pe = uet_pdc_entry_get_initiator(us->fep, &key, us,
						 us->sk.sk_allocation);
		if (IS_ERR(pe)) {
			err = PTR_ERR(pe);
			break;
		}
		uet_pdc_entry_set_latest(pe, us);
		err = uet_pdc_entry_send(pe, snd->tm, sockio_cork(snd));
		if (!err) {
			snd->pe = pe;
			return 0;
		}
		if (err == -EBUSY)
			err = sockio_wait_drained(snd, pe) ? : -ESHUTDOWN;
		uet_pdc_entry_put(pe);
		if (err != -ESHUTDOWN)
			return err;
	}
	if (err == -ENOSPC)
		return uet_sock_refuse(us, err, "sendmsg: no PDC can be opened on FEP %s: the share of job %u or of its user is used up",
				       us->fep->cfg.name, us->addr.job);
	return uet_sock_refuse(us, err, "sendmsg: no PDC can be opened on FEP %s",
			       us->fep->cfg.name);
}

/* Without a PDC there is no window to wait for, and no bytes are supplied later. */
static int sockio_hand_to_rudi(struct sockio_send *snd)
{
	struct uet_sock *us = snd->us;
	int err;

	err = uet_rudi_entry_send(us->fep, &snd->dest.fa, snd->tm);
	if (err == -ENOSPC)
		return uet_sock_refuse(us, err, "sendmsg: FEP %s has asked many fabric addresses by RUDI: the share of job %u or of its user is used up",
				       us->fep->cfg.name, us->addr.job);
	if (err)
		return uet_sock_refuse(us, err, "sendmsg: FEP %s cannot send by RUDI now",
				       us->fep->cfg.name);
	return 0;
}

/* Hand the message to the PDC of its pair of endpoints, or to RUDI. */
static int sockio_start(struct sockio_send *snd)
{
	struct uet_sock *us = snd->us;
	int err;

	atomic_inc(&us->tx.pending);
	err = sockio_is_rudi(snd) ? sockio_hand_to_rudi(snd) :
				    sockio_hand_over(snd);
	if (err && atomic_dec_and_test(&us->tx.pending))
		uet_sock_wake_senders(us);
	return err;
}

static int sockio_supply(struct sockio_send *snd)
{
	struct uet_tx_message *tm = snd->tm;
	LIST_HEAD(chunks);
	u32 bytes;
	int err;

	bytes = min_t(u32, tm->ses.length - tm->ses.avail, SOCKIO_PIECE);
	lock_sock(&snd->us->sk);
	err = sockio_charge(snd, bytes);
	release_sock(&snd->us->sk);
	if (err)
		return err;
	err = uet_tx_message_fill(tm, &snd->msg->msg_iter, bytes, &chunks);
	if (err)
		return err;
	err = uet_pdc_entry_supply(snd->pe, tm, &chunks);
	if (err)
		uet_tx_message_uncharge(tm, &chunks);
	return err;
}

/* Abort a message that is sent in part. */
static int sockio_give_up(struct sockio_send *snd, int err)
{
	struct uet_tx_message *tm = snd->tm;

	uet_pdc_entry_abort_msg(snd->pe, tm);
	/* A restarted call would send the whole message again. */
	return uet_sock_refuse(snd->us, err == -ERESTARTSYS ? -EINTR : err, "sendmsg: given up after %u of %u bytes",
			       tm->ses.avail, tm->ses.length);
}

/* Supply the rest of a message whose first piece has been sent. */
static int sockio_stream(struct sockio_send *snd)
{
	struct uet_tx_message *tm = snd->tm;
	int err;

	while (tm->ses.avail < tm->ses.length) {
		err = sockio_supply(snd);
		if (!err)
			continue;
		/* It ended before all of its bytes were supplied. */
		if (uet_tx_message_is_done(tm))
			return uet_tx_message_explain(tm, uet_ses_errno(&tm->ses) ? : -EPROTO);
		return sockio_give_up(snd, err);
	}
	return 0;
}

static int sockio_send(struct sockio_send *snd, u32 length)
{
	struct sock *sk = &snd->us->sk;
	u32 bytes = length;
	bool pins;
	int err;

	if (length > snd->sndbuf)
		bytes = min_t(u32, length, SOCKIO_PIECE);
	snd->is_excluded = uet_ses_is_rendezvous(snd->sop.op.opcode) && !length &&
			   snd->cqe;

	lock_sock(sk);
	err = sockio_get_dest(snd->us, snd->msg, &snd->sop, &snd->dest);
	/* Pinning may wait for a disk, or for the process that serves a page. */
	pins = !err && snd->sop.op.flags & UET_OP_LOCAL_ADDR;
	if (pins)
		release_sock(sk);
	if (!err)
		err = sockio_check_rma(snd, length);
	if (pins)
		lock_sock(sk);
	if (!err)
		err = sockio_charge(snd, bytes);
	/* The pool of the socket's PDCs is fixed from here on. */
	if (!err)
		snd->us->opt.has_sent = true;
	release_sock(sk);
	if (err)
		return err;

	err = sockio_make(snd, length, bytes);
	if (err)
		return err;
	uet_tx_message_get(snd->tm);
	err = sockio_start(snd);
	if (err) {
		uet_tx_message_put(snd->tm);
	} else if (snd->pe) {
		err = sockio_stream(snd);
		uet_pdc_entry_put(snd->pe);
	}
	uet_tx_message_put(snd->tm);
	return err;
}

/* Allocate the completion of an operation before the message starts. */
static int sockio_reserve(struct sockio_send *snd)
{
	if (!(snd->sop.op.flags & UET_OP_COMPLETE))
		return 0;
	snd->cqe = uet_cqe_alloc(snd->us, &snd->sop.op);
	if (!snd->cqe)
		return uet_sock_refuse(snd->us, -ENOMEM, "sendmsg: no memory for the completion");
	snd->cqe->rec.peer = snd->sop.peer;
	return 0;
}

static int sockio_run(struct sockio_send *snd, size_t len)
{
	int err;

	snd->sndbuf = uet_sock_sndbuf(snd->us);
	err = sockio_check(snd, len);
	if (!err)
		err = sockio_reserve(snd);
	if (!err)
		err = sockio_send(snd, len);
	uet_mr_own_put(snd->us, &snd->local, NULL);
	if (snd->cqe)
		uet_cqe_free(snd->us, snd->cqe);
	return err;
}

/*
 * uet_sock_send_op() - begin an operation without waiting: of the submission ring, or of a QP
 * Return: -EAGAIN: nothing was begun; or an error of uet_sock_sendmsg(), but not that of an
 *	earlier message.
 */
int uet_sock_send_op(struct uet_sock *us, const struct uet_sock_op *sop,
		     struct msghdr *msg, size_t len)
{
	struct sockio_send snd = {
		.us = us,
		.msg = msg,
		.sop = *sop,
		.is_entry = true,
	};

	return sockio_run(&snd, len);
}
UET_EXPORT(uet_sock_send_op);

int uet_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sockio_send snd = {
		.us = uet_sk(sock->sk),
		.msg = msg,
		.sop = { .op = { .opcode = UET_OP_SEND } },
		.timeo = sock_sndtimeo(sock->sk,
				       msg->msg_flags & MSG_DONTWAIT),
	};
	u32 begun = uet_sock_begin_call(snd.us);
	int err;

	err = sockio_check_msg(snd.us, msg, &snd.sop);
	if (!err)
		err = sockio_run(&snd, len);
	if (err == -EPIPE && !(msg->msg_flags & MSG_NOSIGNAL))
		send_sig(SIGPIPE, current, 0);
	return uet_sock_end_call(snd.us, begun, err ? err : len);
}

/* ------------------------------------------------------------------ datagrams */

/* Return: an skb for a datagram, charged to the send buffer, or an error. */
static struct sk_buff *dgram_alloc(struct uet_sock *us, size_t len, bool nowait)
{
	struct sk_buff *skb;
	int err;

	uet_sock_wait_begin(us);
	skb = sock_alloc_send_pskb(&us->sk, UET_TX_LINEAR, len, nowait, &err,
				   PAGE_ALLOC_COSTLY_ORDER);
	uet_sock_wait_end(us);
	if (!skb && err == -EAGAIN && uet_sock_note_full(us))
		us->sk.sk_write_space(&us->sk);
	if (skb)
		return skb;
	if (err == -EPIPE)
		uet_sock_refuse(us, err, "sendmsg: the socket was shut down for writing");
	return ERR_PTR(err);
}

static int dgram_fill(struct uet_sock *us, const struct uet_sock_dest *dest,
		      const struct uet_sock_op *sop, struct msghdr *msg,
		      struct sk_buff *skb, size_t len)
{
	struct uet_ses_tx ses = { .length = len, .mtu = us->fep->cfg.mtu };
	u32 headers;

	sockio_apply(us, sop, dest, &ses);
	ses.opcode = UET_OP_DATAGRAM_SEND;
	sockio_form(us, &ses);
	if (!uet_tx_dgram_begin(skb, &ses))
		return uet_sock_refuse(us, -EINVAL, "sendmsg: the datagram cannot be encoded");
	headers = skb->len;
	skb->data_len = len;
	skb->len += len;
	if (skb_copy_datagram_from_iter(skb, headers, &msg->msg_iter, len))
		return uet_sock_refuse(us, -EFAULT, "sendmsg: the buffer cannot be read");
	return 0;
}

static int dgram_error(struct uet_sock *us, enum uet_drop why)
{
	switch (why) {
	case UET_DROP_NONE:
		return 0;
	case UET_DROP_TX_NO_RAIL:
		return uet_sock_refuse(us, -ENETDOWN, "sendmsg: no rail of FEP %s is usable",
				       us->fep->cfg.name);
	case UET_DROP_TX_NO_ROUTE:
		return uet_sock_refuse(us, -EHOSTUNREACH, "sendmsg: FEP %s has no route to the fabric address",
				       us->fep->cfg.name);
	case UET_DROP_TX_TOO_BIG:
		return uet_sock_refuse(us, -EMSGSIZE, "sendmsg: no path is wide enough, FEP %s needs MTU %u",
				       us->fep->cfg.name,
				       READ_ONCE(us->fep->min_mtu));
	case UET_DROP_TX_QUEUE:
		return uet_sock_refuse(us, -ENOBUFS, "sendmsg: the queue of a rail of FEP %s is full",
				       us->fep->cfg.name);
	case UET_DROP_TX_REFUSED:
		return uet_sock_refuse(us, -EPERM, "sendmsg: this host refused the packet: a firewall, an IPsec policy, or IP");
	default:
		return uet_sock_refuse(us, -ENOBUFS, "sendmsg: no memory");
	}
}

static int dgram_xmit(struct uet_sock *us, const struct uet_sock_dest *dest,
		      struct sk_buff *skb, size_t len)
{
	enum uet_drop why;

	local_bh_disable();
	rcu_read_lock();
	why = uet_tx_dgram_send(us->fep, &dest->fa, skb);
	rcu_read_unlock();
	local_bh_enable();
	if (!why) {
		uet_traffic_sent(&us->fep->traffic, len);
		uet_traffic_sent(&us->job->traffic, len);
	}
	return dgram_error(us, why);
}

static int dgram_send(struct uet_sock *us, struct msghdr *msg, size_t len)
{
	struct uet_sock_op sop = { .op = { .opcode = UET_OP_SEND } };
	struct uet_sock_dest dest;
	struct sk_buff *skb;
	int err;

	err = sockio_check_msg(us, msg, &sop);
	if (err)
		return err;
	lock_sock(&us->sk);
	err = sockio_get_dest(us, msg, &sop, &dest);
	if (!err && len > us->fep->cfg.mtu)
		err = uet_sock_refuse(us, -EMSGSIZE, "sendmsg: datagram of %zu bytes is longer than the Payload MTU %u",
				      len, us->fep->cfg.mtu);
	release_sock(&us->sk);
	if (err)
		return err;

	skb = dgram_alloc(us, len, msg->msg_flags & MSG_DONTWAIT);
	if (IS_ERR(skb)) {
		err = PTR_ERR(skb);
		if (err == -EPIPE && !(msg->msg_flags & MSG_NOSIGNAL))
			send_sig(SIGPIPE, current, 0);
		return err;
	}
	err = dgram_fill(us, &dest, &sop, msg, skb, len);
	if (err) {
		kfree_skb(skb);
		return err;
	}
	err = dgram_xmit(us, &dest, skb, len);
	return err ? err : len;
}

int uet_sock_send_dgram(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun, dgram_send(us, msg, len));
}
