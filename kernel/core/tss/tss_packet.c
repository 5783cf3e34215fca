// SPDX-License-Identifier: GPL-2.0
/*
 * A sealed packet: the identity of its key, IV and additional data, key derivation, the counter
 * and header of a sent packet, the checks of a received one, and what is known of its sender.
 *
 * Receive: the checks on the security header come first, because they cost little.  State of
 * the sender changes only after the ICV was verified.  The counters of a sender only
 * increase, for all destinations together, and epochs follow one another.  A window behind
 * the latest counter therefore distinguishes new from replayed packets of any type.  A
 * packet that is too late for the window is refused like a replay; its sender retransmits it
 * under another counter.
 *
 * Implements UE 1.0.1 3.7, 3.7.11, 3.5.8.2 (Expected_PSN), Limit_PSN_Range of Table 3-28.
 * Level: core L2.
 */
#include "core/wire/psn.h"
#include "tss.h"

#define FORM_V4_LEN	4
#define FORM_V6_LEN	16
#define FORM_UDP_LEN	8
#define FORM_UDP_CHECK	6	/* offset of the UDP checksum */

/*
 * uet_tss_is_derived() - does this end derive packet keys, or use the configured key directly?
 */
bool uet_tss_is_derived(const struct uet_tss_cfg *cfg)
{
	return cfg->mode == UET_TSS_CLUSTER || (cfg->mode == UET_TSS_SERVER && !cfg->is_client);
}

static size_t form_addr_len(const struct uet_tss_cfg *cfg)
{
	return cfg->is_v6 ? FORM_V6_LEN : FORM_V4_LEN;
}

/* Part of the counter @tsc that selects the derived key. */
static u32 form_rekey(const struct uet_tss_cfg *cfg, u64 tsc)
{
	if (cfg->mode != UET_TSS_CLUSTER)
		return 0;
	return (tsc & cfg->rekey_mask) >> cfg->rekey_shift;
}

/* Number of packets in a row, 1 to @max, that have one key. */
static u32 form_run_len(const struct uet_tss_cfg *cfg, u64 tsc, u32 max)
{
	u32 rekey = form_rekey(cfg, tsc), n = 1;

	while (n < max && form_rekey(cfg, tsc + n) == rekey)
		n++;
	return n;
}

/*
 * uet_tss_op_step() - lead from a packet of a run to one @n packets later
 */
void uet_tss_op_step(struct uet_tss_op *op, u32 n)
{
	op->hdr.tsc += n;
}

static void form_kid(const struct uet_tss_cfg *cfg, const u8 *owner, struct uet_tss_op *op)
{
	struct uet_tss_kid *kid = &op->kid;

	if (!uet_tss_is_derived(cfg))
		return;
	kid->epoch = op->hdr.epoch;
	kid->rekey = form_rekey(cfg, op->hdr.tsc);
	if (op->hdr.has_ssi) {
		kid->id_len = sizeof(op->hdr.ssi);
		put_unaligned_be32(op->hdr.ssi, kid->id);
		return;
	}
	kid->id_len = form_addr_len(cfg);
	memcpy(kid->id, owner, kid->id_len);
}

/*
 * uet_tss_op_init() - derive key identity and IV of a packet from its header, @op->hdr
 * @client: mode server: the client's address among @ends
 *
 * The id in the IV is the SSI, else the IPv4 source, else the SDI.  The key belongs to the
 * sender, in mode server to the client (UE 1.0.1 3.7).
 */
void uet_tss_op_init(const struct uet_tss_cfg *cfg, u32 serial, const struct uet_tss_ends *ends,
		     const u8 *client, struct uet_tss_op *op)
{
	memset(&op->kid, 0, sizeof(op->kid));
	op->kid.serial = serial;
	op->kid.an = op->hdr.an;
	form_kid(cfg, cfg->mode == UET_TSS_SERVER ? client : ends->src, op);
	if (op->hdr.has_ssi)
		op->iv_id = op->hdr.ssi;
	else if (cfg->is_v6)
		op->iv_id = cfg->sdi;
	else
		op->iv_id = get_unaligned_be32(ends->src);
}

/*
 * uet_tss_iv() - IV of a packet: id, epoch and counter, XORed with the mask of its key
 */
void uet_tss_iv(const struct uet_tss_op *op, const struct uet_tss_key *key, u8 *iv)
{
	int i;

	put_unaligned_be32(op->iv_id, iv);
	put_unaligned_be16(op->hdr.epoch, iv + 4);
	put_unaligned_be48(op->hdr.tsc, iv + 6);
	for (i = 0; i < UET_TSS_IV_LEN; i++)
		iv[i] ^= key->mask[i];
}

/*
 * uet_tss_aad() - collect the additional authenticated data of a packet (UE 1.0.1 3.7.11.1.3)
 * @l4: UDP header, with its final length, or entropy header
 * @tss: security header as sent in the packet
 * @aad: result, space for UET_TSS_AAD_MAX bytes
 *
 * Return: bytes written.  The UDP checksum counts as 0.
 */
size_t uet_tss_aad(const struct uet_tss_cfg *cfg, const struct uet_tss_ends *ends, const u8 *l4,
		   size_t l4_len, const u8 *tss, size_t tss_len, u8 *aad)
{
	size_t addr_len = form_addr_len(cfg);
	u8 *p = aad;

	memcpy(p, ends->src, addr_len);
	memcpy(p + addr_len, ends->dst, addr_len);
	p += 2 * addr_len;
	memcpy(p, l4, l4_len);
	if (l4_len == FORM_UDP_LEN)
		put_unaligned_be16(0, p + FORM_UDP_CHECK);
	p += l4_len;
	memcpy(p, tss, tss_len);
	return p + tss_len - aad;
}

/* Number of derived bits, as encoded in the KDF input. */
#define KDF_BITS	(8 * UET_TSS_DERIVED_LEN)

/* KDF rounds needed for UET_TSS_DERIVED_LEN bytes. */
#define KDF_ROUNDS	DIV_ROUND_UP(UET_TSS_DERIVED_LEN, UET_TSS_MAC_LEN)

/*
 * The input of one KDF round: round, label, 0, context, number of bits.  The context holds
 * epoch, rekey and id; 32 zero bits precede the id if it is an IPv6 address (UE 1.0.1 3.7).
 */
size_t uet_tss_kdf_input(enum uet_tss_mode mode, const struct uet_tss_kid *kid, u8 round, u8 *buf)
{
	u8 *p = buf;

	*p++ = round;
	*p++ = 'U';
	*p++ = mode == UET_TSS_SERVER ? '2' : '1';
	*p++ = 0;
	if (kid->id_len == UET_TSS_ID_MAX) {
		put_unaligned_be32(0, p);
		p += 4;
	}
	put_unaligned_be16(kid->epoch, p);
	put_unaligned_be32(kid->rekey, p + 2);
	memcpy(p + 6, kid->id, kid->id_len);
	p += 6 + kid->id_len;
	put_unaligned_be16(KDF_BITS, p);
	return p + 2 - buf;
}

/*
 * uet_tss_derive() - derive the key of a packet: NIST SP 800-108 in counter mode with
 * AES-256-CMAC
 * @ops: used only if uet_tss_is_derived()
 * @key: result; zero on error
 *
 * Return: 0; -ENOKEY: the key of the domain was replaced meanwhile; or the error of @ops.
 */
int uet_tss_derive(const struct uet_tss_sd *sd, const struct uet_tss_kid *kid,
		   const struct uet_tss_ops *ops, void *ctx, struct uet_tss_key *key)
{
	const struct uet_tss_sa *sa = &sd->sa[kid->an];
	u8 out[KDF_ROUNDS * UET_TSS_MAC_LEN] = { 0 };
	u8 buf[UET_TSS_KDF_MAX];
	int i, err = 0;
	size_t len;

	memset(key, 0, sizeof(*key));
	if (!sa->is_set || sa->serial != kid->serial)
		return -ENOKEY;
	if (!uet_tss_is_derived(&sd->cfg)) {
		*key = sa->base;
		return 0;
	}
	for (i = 0; i < KDF_ROUNDS && !err; i++) {
		len = uet_tss_kdf_input(sd->cfg.mode, kid, i + 1, buf);
		err = ops->cmac(ctx, sa->base.key, buf, len, out + i * UET_TSS_MAC_LEN);
	}
	if (!err) {
		memcpy(key->key, out, sizeof(key->key));
		memcpy(key->mask, out + sizeof(key->key), sizeof(key->mask));
	}
	memzero_explicit(out, sizeof(out));
	return err;
}

/*
 * uet_tss_hdr_len() - length of the security header of sent packets: 12, or 16 with SSI
 */
size_t uet_tss_hdr_len(const struct uet_tss_cfg *cfg)
{
	return cfg->has_ssi ? UET_TSS_SSI_LEN : UET_TSS_LEN;
}

/* A server's packets carry the SSI of the client that they are sent to. */
static bool seal_ssi(const struct uet_tss_cfg *cfg, const struct uet_tss_src *to, u32 *ssi)
{
	*ssi = cfg->ssi;
	if (!cfg->has_ssi || cfg->mode != UET_TSS_SERVER || cfg->is_client)
		return true;
	if (!to || !to->has_ssi)
		return false;
	*ssi = to->ssi;
	return true;
}

/*
 * uet_tss_seal_run() - as so many uet_tss_seal(), for packets in a row
 * @to: the receiving peer; required at a server with SSIs, else may be NULL
 * @nr: number of packets, at least 1; result: the first @nr of them have this key
 * @op: result: the first one, for uet_tss_op_step(); unchanged on error
 *
 * TSS_SHUT; TSS_TX_NO_KEY: no key is in use; TSS_TX_SPENT: all counters are used; TSS_TX_NO_SSI:
 * the SSI of the client is unknown.
 */
enum uet_drop uet_tss_seal_run(struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
			       const struct uet_tss_src *to, u32 *nr, struct uet_tss_op *op)
{
	u64 left = uet_tss_left(sd);
	struct uet_tss_sa *sa;
	u32 ssi;

	if (sd->is_shut)
		return UET_DROP_TSS_SHUT;
	if (sd->an == UET_TSS_AN_NR)
		return UET_DROP_TSS_TX_NO_KEY;
	if (!left)
		return UET_DROP_TSS_TX_SPENT;
	if (!seal_ssi(&sd->cfg, to, &ssi))
		return UET_DROP_TSS_TX_NO_SSI;
	sa = &sd->sa[sd->an];
	op->hdr = (struct uet_tss_hdr) {
		.has_ssi = sd->cfg.has_ssi,
		.an = sd->an,
		.sdi = sd->cfg.sdi,
		.ssi = sd->cfg.has_ssi ? ssi : 0,
		.epoch = sa->epoch,
		.tsc = sa->tsc,
	};
	*nr = form_run_len(&sd->cfg, sa->tsc, min_t(u64, *nr, left));
	sa->tsc += *nr;
	sa->sealed += *nr;
	uet_tss_op_init(&sd->cfg, sa->serial, ends,
			sd->cfg.is_client ? ends->src : ends->dst, op);
	return UET_DROP_NONE;
}

/*
 * uet_tss_seal() - assign a counter, header and key to a packet, as uet_tss_seal_run()
 * The caller encodes @op->hdr in front of the PDS header, and seals all bytes behind it, with
 * the ICV last.  The counter is consumed even if sealing fails: it is used only once under a
 * key.  A retransmission is sealed again.
 */
enum uet_drop uet_tss_seal(struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
			   const struct uet_tss_src *to, struct uet_tss_op *op)
{
	u32 nr = 1;

	return uet_tss_seal_run(sd, ends, to, &nr, op);
}

/* Is @tsc a counter not yet received, in the current epoch of the sender? */
static bool src_fits(const struct uet_tss_seen *seen, u64 tsc)
{
	if (tsc < seen->floor)
		return false;
	if (tsc > seen->top)
		return true;
	return seen->top - tsc < UET_TSS_WINDOW && !test_bit(tsc % UET_TSS_WINDOW, seen->bits);
}

/* Is a packet of no older epoch, not received before, and not too old for the window? */
bool uet_tss_src_is_new(const struct uet_tss_src *src, const struct uet_tss_op *op)
{
	const struct uet_tss_seen *seen = &src->seen[op->hdr.an];
	s16 ahead = op->hdr.epoch - seen->epoch;

	if (seen->serial != op->kid.serial || ahead > 0)
		return true;
	return !ahead && src_fits(seen, op->hdr.tsc);
}

/* Advance the window so that @tsc is its last counter. */
static void src_slide(struct uet_tss_seen *seen, u64 tsc)
{
	u64 i;

	if (tsc - seen->top >= UET_TSS_WINDOW)
		bitmap_zero(seen->bits, UET_TSS_WINDOW);
	else
		for (i = seen->top + 1; i < tsc; i++)
			__clear_bit(i % UET_TSS_WINDOW, seen->bits);
	seen->top = tsc;
}

/* Start over for another key or epoch; liveness holds for the key, across epochs. */
static void src_restart(struct uet_tss_seen *seen, const struct uet_tss_op *op)
{
	bool is_live = seen->is_live && seen->serial == op->kid.serial;

	*seen = (struct uet_tss_seen) {
		.serial = op->kid.serial,
		.epoch = op->hdr.epoch,
		.top = op->hdr.tsc,
		.is_live = is_live,
	};
}

/*
 * Was no other SSI received from this address?  To a server, a packet proves the identity of
 * its SSI but not of its address: another client could send under the address of this client
 * and receive its responses.  An address therefore keeps the SSI it used first.  In the other
 * modes, any member of the domain can forge packets anyway.
 */
static bool src_is_its_ssi(const struct uet_tss_cfg *cfg, const struct uet_tss_src *src,
			   const struct uet_tss_op *op)
{
	return cfg->mode != UET_TSS_SERVER || !src->has_ssi || src->ssi == op->hdr.ssi;
}

/* Record a packet whose ICV is correct.  Return: false, without effect, if it is not new. */
bool uet_tss_src_take(struct uet_tss_src *src, const struct uet_tss_op *op)
{
	struct uet_tss_seen *seen = &src->seen[op->hdr.an];
	u64 tsc = op->hdr.tsc;

	if (!uet_tss_src_is_new(src, op))
		return false;
	if (seen->serial != op->kid.serial || seen->epoch != op->hdr.epoch)
		src_restart(seen, op);
	else if (tsc > seen->top)
		src_slide(seen, tsc);
	__set_bit(tsc % UET_TSS_WINDOW, seen->bits);
	if (op->hdr.has_ssi) {
		src->has_ssi = true;
		src->ssi = op->hdr.ssi;
	}
	return true;
}

/* Record @nr packets in a row, if all are new. */
static bool src_take_run(struct uet_tss_src *src, const struct uet_tss_op *op, u32 nr)
{
	struct uet_tss_op step = *op;
	u32 i;

	for (i = 0; i < nr; i++, uet_tss_op_step(&step, 1))
		if (!uet_tss_src_is_new(src, &step))
			return false;
	step = *op;
	for (i = 0; i < nr; i++, uet_tss_op_step(&step, 1))
		uet_tss_src_take(src, &step);
	return true;
}

/*
 * uet_tss_src_start() - permitted Start_PSN of a PDC that a sender opens (UE 1.0.1 3.5.8.2)
 * @op: the packet that opens the PDC, recorded
 *
 * Return: true: *@psn is @random, and Start_PSN must be that, which costs a round trip and proves
 * that the sender is live (RANDOM_1RTT_START); false: Start_PSN must not be below *@psn
 * (EXPECTED_0RTT_START).  A receiver that restarted has no counters, so recorded packets
 * would pass; but a recording cannot open a PDC at a random PSN.
 */
bool uet_tss_src_start(const struct uet_tss_src *src,
		       const struct uet_tss_op *op, u32 random, u32 *psn)
{
	const struct uet_tss_seen *seen = &src->seen[op->hdr.an];
	bool is_live = seen->is_live && seen->serial == op->kid.serial;

	*psn = is_live ? src->expected_psn : random;
	return !is_live;
}

/*
 * uet_tss_src_live() - a sender opened a PDC at the demanded Start_PSN (UE 1.0.1 3.5.8.2)
 * @op: the packet that opened the PDC, recorded
 *
 * Packets recorded earlier have a lower counter and are refused from now on.  So are packets
 * that this packet has overtaken: they are lost, once per key.
 */
void uet_tss_src_live(struct uet_tss_src *src, const struct uet_tss_op *op, u32 start_psn)
{
	struct uet_tss_seen *seen = &src->seen[op->hdr.an];

	if (seen->serial != op->kid.serial || seen->is_live)
		return;
	seen->is_live = true;
	src->expected_psn = start_psn + 1;
	if (seen->epoch == op->hdr.epoch)
		seen->floor = op->hdr.tsc;
}

/*
 * uet_tss_src_used() - a PDC of a sender has ended; @next_psn is the one after the last accepted
 * PSN
 */
void uet_tss_src_used(struct uet_tss_src *src, u32 next_psn)
{
	src->expected_psn = uet_psn_later(src->expected_psn, next_psn);
}

/*
 * uet_tss_psn_left() - number of PSNs that a secure PDC may still use; at 0 it must be closed
 * Spec: UE 1.0.1 Table 3-28, Limit_PSN_Range: 2^31.
 */
u32 uet_tss_psn_left(u32 start_psn, u32 next_psn)
{
	u32 used = next_psn - start_psn;

	return used < UET_TSS_PSN_RANGE ? UET_TSS_PSN_RANGE - used : 0;
}

/* Minimum length behind the security header: a PDS prologue and the ICV. */
#define OPEN_MIN_LEN	(UET_PROLOGUE_LEN + UET_ICV_LEN)

/* Server mode with SSI: both ends seal with one key and id, so counters have halves. */
static bool open_is_half_wrong(const struct uet_tss_cfg *cfg, u64 tsc)
{
	if (cfg->mode != UET_TSS_SERVER || !cfg->has_ssi)
		return false;
	return cfg->is_client != (tsc >= UET_TSS_TSC_SERVER);
}

static bool open_is_ssi_wrong(const struct uet_tss_cfg *cfg, const struct uet_tss_hdr *hdr)
{
	return hdr->has_ssi != cfg->has_ssi ||
	       (cfg->is_client && hdr->has_ssi && hdr->ssi != cfg->ssi);
}

/* A client has only the derived key of one epoch. */
static bool open_is_epoch_wrong(const struct uet_tss_cfg *cfg,
				const struct uet_tss_sa *sa, u16 epoch)
{
	if (cfg->is_client)
		return epoch != sa->epoch;
	return (s16)(sa->epoch - epoch) > (s16)cfg->epoch_age;
}

static enum uet_drop open_judge(const struct uet_tss_sd *sd, const struct uet_tss_hdr *hdr)
{
	const struct uet_tss_sa *sa = &sd->sa[hdr->an];

	if (hdr->sdi != sd->cfg.sdi)
		return UET_DROP_TSS_NO_SD;
	if (sd->is_shut)
		return UET_DROP_TSS_SHUT;
	if (!sa->is_set)
		return UET_DROP_TSS_NO_KEY;
	if (open_is_ssi_wrong(&sd->cfg, hdr))
		return UET_DROP_TSS_BAD_SSI;
	if (open_is_half_wrong(&sd->cfg, hdr->tsc))
		return UET_DROP_TSS_REFLECTED;
	if (open_is_epoch_wrong(&sd->cfg, sa, hdr->epoch))
		return UET_DROP_TSS_EPOCH;
	return UET_DROP_NONE;
}

static enum uet_drop open_judge_src(const struct uet_tss_sd *sd, const struct uet_tss_src *src,
				    const struct uet_tss_op *op)
{
	if (!src_is_its_ssi(&sd->cfg, src, op))
		return UET_DROP_TSS_BAD_SSI;
	return uet_tss_src_is_new(src, op) ? UET_DROP_NONE : UET_DROP_TSS_REPLAY;
}

/* Is the key of @op still there, and in use? */
static enum uet_drop open_judge_key(const struct uet_tss_sd *sd, const struct uet_tss_op *op)
{
	const struct uet_tss_sa *sa = &sd->sa[op->hdr.an];

	if (sd->is_shut)
		return UET_DROP_TSS_SHUT;
	return sa->is_set && sa->serial == op->kid.serial ? UET_DROP_NONE : UET_DROP_TSS_NO_KEY;
}

/* Count a packet that is refused although its ICV may be correct. */
static enum uet_drop open_refuse(struct uet_tss_sd *sd, enum uet_drop why)
{
	if (why == UET_DROP_TSS_REPLAY)
		sd->stats.replays++;
	else
		sd->stats.refused++;
	return why;
}

/*
 * uet_tss_open_run_begin() - as uet_tss_open_begin() for several; a refusal is not counted
 * The caller passes each packet to uet_tss_open_begin() then.
 */
enum uet_drop uet_tss_open_run_begin(const struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
				     const u8 *buf, size_t len, const struct uet_tss_src *src,
				     struct uet_tss_op *op, size_t *consumed)
{
	enum uet_drop why;

	why = uet_wire_tss_decode(buf, len, &op->hdr, consumed);
	if (!why && len - *consumed < OPEN_MIN_LEN)
		why = UET_DROP_TSS_NO_ICV;
	if (!why)
		why = open_judge(sd, &op->hdr);
	if (why)
		return why;
	uet_tss_op_init(&sd->cfg, sd->sa[op->hdr.an].serial, ends,
			sd->cfg.is_client ? ends->dst : ends->src, op);
	return src ? open_judge_src(sd, src, op) : UET_DROP_NONE;
}

/*
 * uet_tss_open_run_next() - does packet @i, from 0, pass the checks of the first, but for replays?
 * Its counter is @i behind, and all else is the same; those before it have passed.
 */
bool uet_tss_open_run_next(const struct uet_tss_cfg *cfg, const struct uet_tss_op *op,
			   u32 i, const u8 *buf, size_t len)
{
	u64 tsc = op->hdr.tsc + i;
	struct uet_tss_hdr hdr;
	size_t used;

	if (uet_wire_tss_decode(buf, len, &hdr, &used) || len - used < OPEN_MIN_LEN)
		return false;
	return hdr.tsc == tsc && hdr.epoch == op->hdr.epoch &&
	       hdr.sdi == op->hdr.sdi && hdr.an == op->hdr.an &&
	       hdr.has_ssi == op->hdr.has_ssi && hdr.ssi == op->hdr.ssi &&
	       (op->hdr.tsc ^ tsc) < UET_TSS_TSC_SERVER &&
	       (!i || form_run_len(cfg, tsc - 1, 2) == 2);
}

/*
 * uet_tss_open_run_end() - as @nr times uet_tss_open_end(), after the ICVs were verified
 * Return: false: one is not new, nothing has changed, and each goes to uet_tss_open_begin().
 */
bool uet_tss_open_run_end(struct uet_tss_sd *sd, const struct uet_tss_op *op, u32 nr,
			  struct uet_tss_src *src)
{
	if (open_judge_key(sd, op) || !src_is_its_ssi(&sd->cfg, src, op) ||
	    !src_take_run(src, op, nr))
		return false;
	sd->sa[op->hdr.an].opened += nr;
	return true;
}

/*
 * uet_tss_open_begin() - check a sealed packet and find its key
 * @buf: security header of the packet, @len bytes before its end
 * @src: sender, or NULL if unknown
 * @consumed: result: bytes of the security header; the bytes behind it are sealed
 *
 * No field of the packet may be trusted before the ICV is verified.
 */
enum uet_drop uet_tss_open_begin(struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
				 const u8 *buf, size_t len, const struct uet_tss_src *src,
				 struct uet_tss_op *op, size_t *consumed)
{
	enum uet_drop why = uet_tss_open_run_begin(sd, ends, buf, len, src, op, consumed);

	return why ? open_refuse(sd, why) : UET_DROP_NONE;
}

/*
 * uet_tss_open_end() - conclude after the ICV was verified; UET_DROP_NONE: authentic and new
 * @src: sender, zeroed if unknown; the caller keeps the struct if the packet is accepted
 *
 * TSS_BAD_SSI: the source address is bound to another SSI; TSS_NO_KEY: the key was replaced
 * meanwhile.  cfg.fail_limit wrong ICVs shut the domain.
 */
enum uet_drop uet_tss_open_end(struct uet_tss_sd *sd, const struct uet_tss_op *op,
			       struct uet_tss_src *src, bool is_authentic)
{
	enum uet_drop why;

	if (!is_authentic) {
		sd->stats.auth_fails++;
		if (sd->stats.auth_fails >= sd->cfg.fail_limit)
			sd->is_shut = true;
		return UET_DROP_TSS_AUTH;
	}
	why = open_judge_key(sd, op);
	if (!why)
		why = open_judge_src(sd, src, op);
	if (why)
		return open_refuse(sd, why);
	uet_tss_src_take(src, op);
	sd->sa[op->hdr.an].opened++;
	return UET_DROP_NONE;
}
