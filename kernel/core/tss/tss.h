/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Security: secure domains, their keys and counters, and what has to be true of
 * a sealed packet.  Here is decided which key, which IV and which bytes; the
 * ciphers are the caller's, who seals or opens between a begin and an end.
 *
 *	tss_sd.c	a domain: its rules, two association numbers, rotation
 *	tss_kdf.c	keys from the base key
 *	tss_form.c	IV and additional data of a packet
 *	tss_seal.c	a packet leaves: counter, header, key
 *	tss_open.c	a packet comes: what is refused, before and after its ICV
 *	tss_src.c	a sender as its receiver knows it: replay, Start_PSN
 *
 * Implements UE 1.0.1 3.7 and the Expected_PSN of 3.5.8.2.
 * Level: core L2, beside psn.
 *
 * Locking: the caller serialises per struct uet_tss_sd and per struct
 * uet_tss_src.  Between begin and end it need not: an end finds out that the
 * key was changed.
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

/* Counters of a key, 48 bits; the last one is not used. */
#define UET_TSS_TSC_END		(1ULL << 48)
/* Server mode with SSI: those of the server begin here, those of clients end. */
#define UET_TSS_TSC_SERVER	(1ULL << 47)

/* Counters that a receiver tells apart; older ones are taken for replayed. */
#define UET_TSS_WINDOW		2048

/* PSNs of a PDC under security: Limit_PSN_Range. */
#define UET_TSS_PSN_RANGE	(1U << 31)

/**
 * enum uet_tss_mode - where the keys of a domain come from
 * @UET_TSS_DIRECT: the key of the domain is used as it is
 * @UET_TSS_CLUSTER: each sender has a key, derived from that of the domain
 * @UET_TSS_SERVER: each client has a key, for both directions, which the server
 *	derives from that of the domain, and of which the client has no other
 * @UET_TSS_MODE_NR: how many there are
 *
 * Spec: UE 1.0.1 3.7.
 */
enum uet_tss_mode {
	UET_TSS_DIRECT,
	UET_TSS_CLUSTER,
	UET_TSS_SERVER,
	UET_TSS_MODE_NR,
};

/**
 * struct uet_tss_cfg - the rules of a secure domain
 * @sdi: secure domain identifier, 24 bits
 * @mode: enum uet_tss_mode
 * @is_v6: its fabric addresses are of IPv6
 * @is_client: mode server: this end is a client
 * @has_ssi: packets tell their source by an SSI
 * @ssi: ours; with @has_ssi, but of no use to a server
 * @rekey_mask: mode cluster: bits of the counter that make another key; 0: none
 * @rekey_shift: by how many they are shifted to the right
 * @epoch_age: epochs that a packet may be older than ours, at most
 * @seal_limit: packets that are sealed under one key of the domain, at most
 * @fail_limit: packets whose ICV is wrong, after which all are dropped
 *
 * Spec: UE 1.0.1 3.7.
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
 * struct uet_tss_key - what the cipher needs
 * @key: of AES-256-GCM
 * @mask: laid over the IV; 0 in mode direct
 */
struct uet_tss_key {
	u8 key[UET_TSS_KEY_LEN];
	u8 mask[UET_TSS_IV_LEN];
};

/**
 * struct uet_tss_sa - an association number: a key and its counters
 * @is_set: there is a key
 * @base: key of the domain; of a client, its own derived key
 * @number: by which its owner knows it; shown, unlike the key
 * @check: by which its owner knows what it was made of; shown; 0: not told
 * @serial: of this key, never used again in the domain
 * @epoch: ours
 * @tsc: next counter
 * @sealed: packets sealed
 * @opened: packets opened
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

/**
 * struct uet_tss_stats - what a domain counts
 * @auth_fails: packets whose ICV is wrong
 * @replays: packets that had been received, or are older than can be told
 * @refused: packets refused for what their security header says
 */
struct uet_tss_stats {
	u64 auth_fails;
	u64 replays;
	u64 refused;
};

/**
 * struct uet_tss_sd - a secure domain
 * @cfg: its rules; immutable
 * @sa: by association number
 * @an: of packets that leave; UET_TSS_AN_NR: none may
 * @serials: keys set so far
 * @revoked: checks of the keys that were revoked last, by association number;
 *	0: none.  No key with one of these is set again.
 * @is_shut: cfg.fail_limit was reached: nothing leaves, nothing is taken
 * @stats: counters
 *
 * Keys are in it and nowhere else in the core: who frees its memory calls
 * uet_tss_sd_fini() first.
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

/**
 * struct uet_tss_kid - which key a packet is sealed with
 * @serial: of the key of the domain
 * @an: its association number
 * @epoch: derived keys: of the packet
 * @rekey: mode cluster: what its counter adds
 * @id_len: derived keys: bytes of @id, 4 or 16
 * @id: whose key: SSI or address, network order
 *
 * Without padding and with zeros where nothing is said, so that equal bytes
 * mean an equal key: callers look up derived keys by it.
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

/**
 * struct uet_tss_ends - the addresses of a packet, as its IP header has them
 * @src: source; 4 bytes, or 16 in a domain of IPv6
 * @dst: destination
 */
struct uet_tss_ends {
	const u8 *src;
	const u8 *dst;
};

/**
 * struct uet_tss_op - a packet between begin and end
 * @hdr: its security header
 * @kid: its key
 * @iv_id: the part of its IV that tells senders apart
 */
struct uet_tss_op {
	struct uet_tss_hdr hdr;
	struct uet_tss_kid kid;
	u32 iv_id;
};

/**
 * struct uet_tss_seen - what has come from a sender under one key
 * @serial: of the key; 0: nothing has come
 * @epoch: latest
 * @top: highest counter of @epoch
 * @floor: counters of @epoch below it are refused, whatever @bits says
 * @is_live: its sender has answered what a recording could not
 * @bits: the last UET_TSS_WINDOW counters up to @top, by their low bits
 */
struct uet_tss_seen {
	u32 serial;
	u16 epoch;
	u64 top;
	u64 floor;
	bool is_live;
	DECLARE_BITMAP(bits, UET_TSS_WINDOW);
};

/**
 * struct uet_tss_src - a sender, as a receiver knows it; zeroed at first
 * @seen: by association number
 * @expected_psn: no PDC from it starts below this, once one has started
 * @has_ssi: a packet with an SSI has come from it
 * @ssi: that SSI
 *
 * The caller keeps one per domain and source address.
 */
struct uet_tss_src {
	struct uet_tss_seen seen[UET_TSS_AN_NR];
	u32 expected_psn;
	bool has_ssi;
	u32 ssi;
};

/**
 * struct uet_tss_ops - the one primitive that the core asks for
 * @cmac: AES-256-CMAC of @len bytes at @msg, written to @mac; 0 or a negative
 *	errno
 */
struct uet_tss_ops {
	int (*cmac)(void *ctx, const u8 *key, const u8 *msg, size_t len,
		    u8 *mac);
};

/* tss_sd.c */
void uet_tss_cfg_init(struct uet_tss_cfg *cfg);
const char *uet_tss_cfg_wrong(const struct uet_tss_cfg *cfg);
void uet_tss_sd_init(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg);
void uet_tss_sd_fini(struct uet_tss_sd *sd);
int uet_tss_key_set(struct uet_tss_sd *sd, u8 an, const struct uet_tss_key *key,
		    u16 epoch, u64 tsc);
void uet_tss_key_tag(struct uet_tss_sd *sd, u8 an, u32 number, u32 check);
int uet_tss_key_use(struct uet_tss_sd *sd, u8 an);
int uet_tss_key_del(struct uet_tss_sd *sd, u8 an);
void uet_tss_revoke(struct uet_tss_sd *sd);
bool uet_tss_is_revoked(const struct uet_tss_sd *sd, u32 check);
int uet_tss_set_epoch(struct uet_tss_sd *sd, u16 epoch);
u64 uet_tss_left(const struct uet_tss_sd *sd);
enum uet_drop uet_tss_policy(bool is_sealed_fep, u8 type, bool is_trimmed);

/* tss_kdf.c */
size_t uet_tss_kdf_input(enum uet_tss_mode mode, const struct uet_tss_kid *kid,
			 u8 round, u8 *buf);
int uet_tss_derive(const struct uet_tss_sd *sd, const struct uet_tss_kid *kid,
		   const struct uet_tss_ops *ops, void *ctx,
		   struct uet_tss_key *key);

/* tss_form.c */
bool uet_tss_is_derived(const struct uet_tss_cfg *cfg);
size_t uet_tss_addr_len(const struct uet_tss_cfg *cfg);
void uet_tss_op_init(const struct uet_tss_cfg *cfg, u32 serial,
		     const struct uet_tss_ends *ends, const u8 *client,
		     struct uet_tss_op *op);
void uet_tss_iv(const struct uet_tss_op *op, const struct uet_tss_key *key,
		u8 *iv);
size_t uet_tss_aad(const struct uet_tss_cfg *cfg,
		   const struct uet_tss_ends *ends, const u8 *l4, size_t l4_len,
		   const u8 *tss, size_t tss_len, u8 *aad);

/* tss_seal.c */
size_t uet_tss_hdr_len(const struct uet_tss_cfg *cfg);
enum uet_drop uet_tss_seal(struct uet_tss_sd *sd,
			   const struct uet_tss_ends *ends,
			   const struct uet_tss_src *to,
			   struct uet_tss_op *op);

/* tss_open.c */
enum uet_drop uet_tss_open_begin(struct uet_tss_sd *sd,
				 const struct uet_tss_ends *ends,
				 const u8 *buf, size_t len,
				 const struct uet_tss_src *src,
				 struct uet_tss_op *op, size_t *consumed);
enum uet_drop uet_tss_open_end(struct uet_tss_sd *sd,
			       const struct uet_tss_op *op,
			       struct uet_tss_src *src, bool is_authentic);

/* tss_src.c */
bool uet_tss_src_is_new(const struct uet_tss_src *src,
			const struct uet_tss_op *op);
bool uet_tss_src_is_its_ssi(const struct uet_tss_cfg *cfg,
			    const struct uet_tss_src *src,
			    const struct uet_tss_op *op);
bool uet_tss_src_take(struct uet_tss_src *src, const struct uet_tss_op *op);
bool uet_tss_src_start(const struct uet_tss_src *src,
		       const struct uet_tss_op *op, u32 random, u32 *psn);
void uet_tss_src_live(struct uet_tss_src *src, const struct uet_tss_op *op,
		      u32 start_psn);
void uet_tss_src_used(struct uet_tss_src *src, u32 next_psn);
u32 uet_tss_psn_left(u32 start_psn, u32 next_psn);

#endif /* UET_CORE_TSS_H */
