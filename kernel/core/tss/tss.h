/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport security: secure domains, their keys and packet counters, and the validity rules
 * of a sealed packet.  The core chooses the key, the IV and the authenticated bytes.  The
 * caller runs the ciphers between a begin and an end call, and removes derived keys when a
 * key of the domain changes.
 *
 * Any context; the caller serialises per struct uet_tss_sd and per struct uet_tss_src.  The
 * lock may be released between begin and end: end detects that the key was replaced.
 *
 * Implements UE 1.0.1 3.7 and the Expected_PSN of 3.5.8.2.  Level: core L2, beside psn.
 */
#ifndef UET_CORE_TSS_H
#define UET_CORE_TSS_H

#include "core/shim.h"
#include "core/wire/wire.h"

#define UET_TSS_KEY_LEN		32	/* AES-256 */
#define UET_TSS_IV_LEN		12
#define UET_TSS_DERIVED_LEN	(UET_TSS_KEY_LEN + UET_TSS_IV_LEN)
#define UET_TSS_MAC_LEN		16	/* AES-256-CMAC */
#define UET_TSS_AN_NR		2
#define UET_TSS_ID_MAX		16	/* an IPv6 address */

/* IPv6 addresses, UDP header, security header with SSI. */
#define UET_TSS_AAD_MAX		(2 * 16 + 8 + UET_TSS_SSI_LEN)
/* One round of the KDF over an IPv6 address: counter, label, 0, context, L. */
#define UET_TSS_KDF_MAX		(1 + 2 + 1 + 26 + 2)

/* Counters of a key have 48 bits; the last value is not used. */
#define UET_TSS_TSC_END		(1ULL << 48)
/* Server mode with SSI: counters of the server start here, those of clients end here. */
#define UET_TSS_TSC_SERVER	(1ULL << 47)

/* Replay window in counters per sender and key; older counters are refused. */
#define UET_TSS_WINDOW		2048

/* PSNs that a PDC may use under security: Limit_PSN_Range. */
#define UET_TSS_PSN_RANGE	(1U << 31)

/*
 * enum uet_tss_mode - origin of the keys of a domain (UE 1.0.1 3.7)
 * @UET_TSS_DIRECT: packets are sealed with the key of the domain itself
 * @UET_TSS_CLUSTER: each sender has a key derived from the key of the domain
 * @UET_TSS_SERVER: each client has a key, used in both directions.  The server derives the
 *	key from the key of the domain; the client holds only its derived key
 */
enum uet_tss_mode {
	UET_TSS_DIRECT,
	UET_TSS_CLUSTER,
	UET_TSS_SERVER,
	UET_TSS_MODE_NR,
};

/*
 * struct uet_tss_cfg - the rules of a secure domain
 * @is_client: mode server: this end is a client
 * @has_ssi: packets carry an SSI that identifies their source
 * @ssi: SSI of this end; with @has_ssi; unused by a server
 * @rekey_mask: mode cluster: counter bits that select a derived key; 0: none
 * @rekey_shift: right shift of the masked counter, in bits
 * @epoch_age: maximum age of a packet, in epochs before the epoch of this end
 * @seal_limit: maximum number of packets sealed under one key of the domain
 * @fail_limit: number of packets with a wrong ICV after which the domain is shut
 */
struct uet_tss_cfg {
	u32 sdi;
	u8 mode;
	bool is_v6;
	bool is_client;
	bool has_ssi;
	u32 ssi;
	u64 rekey_mask;
	u8 rekey_shift;
	u16 epoch_age;
	u64 seal_limit;
	u64 fail_limit;
};

/**
 * struct uet_tss_key - key material of the cipher
 * @key: key of AES-256-GCM
 * @mask: XORed into the IV; 0 in mode direct
 */
struct uet_tss_key {
	u8 key[UET_TSS_KEY_LEN];
	u8 mask[UET_TSS_IV_LEN];
};

/*
 * struct uet_tss_sa - an association number: a key and its counters
 * @base: key of the domain; at a client, the derived key of the client
 * @number: given by the owner; unlike the key, it may be shown
 * @check: check value of the key's origin, given by the owner; may be shown; 0: none
 * @serial: unique within the domain
 * @tsc: next counter
 */
struct uet_tss_sa {
	bool is_set;
	struct uet_tss_key base;
	u32 number;
	u32 check;
	u32 serial;
	u16 epoch;
	u64 tsc;
	u64 sealed;
	u64 opened;
};

/*
 * struct uet_tss_stats - counters of a domain
 * @auth_fails: packets whose ICV is wrong
 * @replays: packets received before, or too old for the replay window
 */
struct uet_tss_stats {
	u64 auth_fails;
	u64 replays;
	u64 refused;
};

/*
 * struct uet_tss_sd - a secure domain: the only place in the core that holds keys
 * @cfg: immutable
 * @an: association number used for sending; UET_TSS_AN_NR: sending is not possible
 * @revoked: check values of the keys revoked last; 0: none.  They cannot be set again
 * @is_shut: cfg.fail_limit was reached; packets are neither sent nor accepted
 */
struct uet_tss_sd {
	struct uet_tss_cfg cfg;
	struct uet_tss_sa sa[UET_TSS_AN_NR];
	u8 an;
	u32 serials;
	u32 revoked[UET_TSS_AN_NR];
	bool is_shut;
	struct uet_tss_stats stats;
};

/*
 * struct uet_tss_kid - identifies the key of a packet
 * @rekey: mode cluster: contribution of the packet's counter to the key derivation
 * @an: association number of the domain's key
 * @id_len: derived keys: bytes of @id, 4 or 16
 * @id: derived keys: SSI or address of the key's owner, network byte order
 *
 * No padding, and unused fields are zero: callers look derived keys up by these bytes.
 */
struct uet_tss_kid {
	u32 serial;
	u32 rekey;
	u16 epoch;
	u8 an;
	u8 id_len;
	u8 id[UET_TSS_ID_MAX];
};

static_assert(sizeof(struct uet_tss_kid) == 12 + UET_TSS_ID_MAX);

/*
 * struct uet_tss_ends - addresses of a packet, 4 or 16 bytes, as in its IP header
 */
struct uet_tss_ends {
	const u8 *src;
	const u8 *dst;
};

/*
 * struct uet_tss_op - a packet between begin and end
 * @iv_id: part of the IV that distinguishes senders
 */
struct uet_tss_op {
	struct uet_tss_hdr hdr;
	struct uet_tss_kid kid;
	u32 iv_id;
};

/*
 * struct uet_tss_seen - packets received from a sender under one key
 * @serial: of the key; 0: no packet received yet
 * @top: highest counter received in @epoch
 * @floor: counters of @epoch below @floor are refused, regardless of @bits
 * @is_live: the sender has proven liveness by opening a PDC at a random Start_PSN
 * @bits: received counters among the last UET_TSS_WINDOW up to @top, index modulo size
 */
struct uet_tss_seen {
	u32 serial;
	u16 epoch;
	u64 top;
	u64 floor;
	bool is_live;
	DECLARE_BITMAP(bits, UET_TSS_WINDOW);
};

/*
 * struct uet_tss_src - state of a sender, per domain and source address; zeroed initially
 * @expected_psn: lower bound for the Start_PSN of a new PDC, once one PDC was opened
 * @has_ssi: a packet with an SSI was received from this sender
 */
struct uet_tss_src {
	struct uet_tss_seen seen[UET_TSS_AN_NR];
	u32 expected_psn;
	bool has_ssi;
	u32 ssi;
};

/**
 * struct uet_tss_ops - cryptographic primitive that the caller provides
 * @cmac: AES-256-CMAC of @len bytes at @msg, written to @mac; 0 or a negative errno
 */
struct uet_tss_ops {
	int (*cmac)(void *ctx, const u8 *key, const u8 *msg, size_t len, u8 *mac);
};

/* A domain: tss_sd.c */
void uet_tss_cfg_init(struct uet_tss_cfg *cfg);
const char *uet_tss_cfg_wrong(const struct uet_tss_cfg *cfg);
void uet_tss_sd_init(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg);
void uet_tss_sd_fini(struct uet_tss_sd *sd);
int uet_tss_key_set(struct uet_tss_sd *sd, u8 an, const struct uet_tss_key *key, u16 epoch,
		    u64 tsc);
void uet_tss_key_tag(struct uet_tss_sd *sd, u8 an, u32 number, u32 check);
int uet_tss_key_use(struct uet_tss_sd *sd, u8 an);
int uet_tss_key_del(struct uet_tss_sd *sd, u8 an);
void uet_tss_revoke(struct uet_tss_sd *sd);
bool uet_tss_is_revoked(const struct uet_tss_sd *sd, u32 check);
int uet_tss_set_epoch(struct uet_tss_sd *sd, u16 epoch);
u64 uet_tss_left(const struct uet_tss_sd *sd);
enum uet_drop uet_tss_policy(bool is_sealed_fep, u8 type, bool is_trimmed);

/* A packet: tss_packet.c */
bool uet_tss_is_derived(const struct uet_tss_cfg *cfg);
size_t uet_tss_kdf_input(enum uet_tss_mode mode, const struct uet_tss_kid *kid, u8 round, u8 *buf);
int uet_tss_derive(const struct uet_tss_sd *sd, const struct uet_tss_kid *kid,
		   const struct uet_tss_ops *ops, void *ctx, struct uet_tss_key *key);
void uet_tss_op_init(const struct uet_tss_cfg *cfg, u32 serial, const struct uet_tss_ends *ends,
		     const u8 *client, struct uet_tss_op *op);
void uet_tss_op_step(struct uet_tss_op *op, u32 n);
void uet_tss_iv(const struct uet_tss_op *op, const struct uet_tss_key *key, u8 *iv);
size_t uet_tss_aad(const struct uet_tss_cfg *cfg, const struct uet_tss_ends *ends, const u8 *l4,
		   size_t l4_len, const u8 *tss, size_t tss_len, u8 *aad);

size_t uet_tss_hdr_len(const struct uet_tss_cfg *cfg);
enum uet_drop uet_tss_seal_run(struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
			       const struct uet_tss_src *to, u32 *nr, struct uet_tss_op *op);
enum uet_drop uet_tss_seal(struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
			   const struct uet_tss_src *to, struct uet_tss_op *op);

enum uet_drop uet_tss_open_run_begin(const struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
				     const u8 *buf, size_t len, const struct uet_tss_src *src,
				     struct uet_tss_op *op, size_t *consumed);
bool uet_tss_open_run_next(const struct uet_tss_cfg *cfg, const struct uet_tss_op *op,
			   u32 i, const u8 *buf, size_t len);
bool uet_tss_open_run_end(struct uet_tss_sd *sd, const struct uet_tss_op *op, u32 nr,
			  struct uet_tss_src *src);
enum uet_drop uet_tss_open_begin(struct uet_tss_sd *sd, const struct uet_tss_ends *ends,
				 const u8 *buf, size_t len, const struct uet_tss_src *src,
				 struct uet_tss_op *op, size_t *consumed);
enum uet_drop uet_tss_open_end(struct uet_tss_sd *sd, const struct uet_tss_op *op,
			       struct uet_tss_src *src, bool is_authentic);

bool uet_tss_src_is_new(const struct uet_tss_src *src, const struct uet_tss_op *op);
bool uet_tss_src_take(struct uet_tss_src *src, const struct uet_tss_op *op);
bool uet_tss_src_start(const struct uet_tss_src *src, const struct uet_tss_op *op, u32 random,
		       u32 *psn);
void uet_tss_src_live(struct uet_tss_src *src, const struct uet_tss_op *op, u32 start_psn);
void uet_tss_src_used(struct uet_tss_src *src, u32 next_psn);
u32 uet_tss_psn_left(u32 start_psn, u32 next_psn);

#endif /* UET_CORE_TSS_H */
