/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Secure domains in the kernel: the core's domain under one lock, with the keys
 * that were derived in it (sd_key.c), the senders that have shown themselves
 * (sd_src.c), and the ciphers for packets (sd_crypt.c).  A domain belongs to a
 * network namespace; FEPs use it.  Level: shell.
 */
#ifndef UET_SD_H
#define UET_SD_H

#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <crypto/aead.h>

#include "base/base.h"
#include "core/pds/pds.h"
#include "core/tss/tss.h"
#include "fabric/fabric.h"

struct crypto_shash;
struct netlink_ext_ack;
struct sk_buff;
struct uet_net;

/* Keys asked for at one time, and keys kept. */
#define UET_SD_WANTS		16
#define UET_SD_KEYS_MAX		4096
/* Senders remembered. */
#define UET_SD_SRCS_MAX		65536
/* Senders whose keys are made when the key of the domain is set. */
#define UET_SD_PEERS_MAX	1024
/* Pieces of a packet that is ciphered in place; with more it is made one. */
#define UET_SD_PIECES		4

/**
 * struct uet_sd_key - a key that packets are sealed with
 * @node: in uet_sd.keys, RCU
 * @kid: which one
 * @key: its mask; the cipher has the rest
 * @tfm: AES-256-GCM under this key
 * @fast: the same in the CPU's vector registers, which are not always free; or
 *	NULL
 * @next: among those that are being removed
 */
struct uet_sd_key {
	struct rhash_head node;
	struct uet_tss_kid kid;
	struct uet_tss_key key;
	struct crypto_aead *tfm;
	struct crypto_aead *fast;
	struct uet_sd_key *next;
};

/**
 * struct uet_sd_src - a sender
 * @node: in uet_sd.srcs, RCU
 * @fa: its address
 * @core: what the core knows of it; under uet_sd.lock
 */
struct uet_sd_src {
	struct rhash_head node;
	struct uet_fa fa;
	struct uet_tss_src core;
};

/**
 * struct uet_sd_peer - a sender, to make a key for
 * @fa: its address
 * @ssi: its SSI, if it has one
 */
struct uet_sd_peer {
	struct uet_fa fa;
	u32 ssi;
};

/**
 * struct uet_sd_cpu - what a CPU ciphers with, BH disabled
 * @aad: additional data
 * @iv: IV
 * @sg: @aad, then the pieces of the packet
 * @req: request; what the cipher needs follows
 */
struct uet_sd_cpu {
	u8 aad[UET_TSS_AAD_MAX];
	u8 iv[UET_TSS_IV_LEN];
	struct scatterlist sg[1 + UET_SD_PIECES];
	struct aead_request req;
};

/**
 * struct uet_sd - a secure domain
 * @list: in uet_net.sds, RCU
 * @un: namespace
 * @name: for people, unique in the namespace; immutable
 * @nr_feps: FEPs that use it, under uet_net.cfg_mutex
 * @lock: protects @core, @wants and what is in @srcs; taken with BH disabled,
 *	a leaf, except that a PDC's lock may be held around it
 * @core: the domain
 * @wants: keys to be derived, a ring
 * @first_want: oldest of them
 * @nr_wants: how many
 * @work: derives them
 * @wq: where it runs
 * @keys_mutex: held while @keys is changed
 * @keys: struct uet_sd_key by kid; read under RCU
 * @srcs: struct uet_sd_src by address; read under RCU, added to in softirq
 * @cmac: AES-256-CMAC; under @keys_mutex
 * @reqsize: bytes that the ciphers want behind a request
 * @has_fast: keys have a fast cipher
 * @cpu: per CPU, or NULL
 *
 * Death: by uet_sd_del(), when no FEP uses it, or with the namespace, behind
 * the FEPs: unlisted, and after a grace period freed, with all keys.
 */
struct uet_sd {
	struct list_head list;
	struct uet_net *un;
	char name[UET_NAME_MAX];
	unsigned int nr_feps;
	spinlock_t lock;
	struct uet_tss_sd core;
	struct uet_tss_kid wants[UET_SD_WANTS];
	u8 first_want;
	u8 nr_wants;
	struct work_struct work;
	struct workqueue_struct *wq;
	struct mutex keys_mutex;
	struct rhashtable keys;
	struct rhashtable srcs;
	struct crypto_shash *cmac;
	unsigned int reqsize;
	bool has_fast;
	struct uet_sd_cpu **cpu;
};

/**
 * struct uet_sd_new - a key to be set
 * @an: association number
 * @key: the key
 * @epoch: to begin with
 * @tsc: counter to begin with
 * @has_tsc: there is one, else it is that of the clock
 * @number: what its owner calls it
 * @check: what it is made of, told by a value that does not tell the key; 0: not
 *	told
 */
struct uet_sd_new {
	u8 an;
	struct uet_tss_key key;
	u16 epoch;
	u64 tsc;
	bool has_tsc;
	u32 number;
	u32 check;
};

/* sd.c: life and configuration */
int uet_sd_add(struct uet_net *un, const char *name,
	       const struct uet_tss_cfg *cfg, struct netlink_ext_ack *extack);
int uet_sd_del(struct uet_net *un, const char *name,
	       struct netlink_ext_ack *extack);
struct uet_sd *uet_sd_find(struct uet_net *un, const char *name);
void uet_sd_flush(struct uet_net *un);
int uet_sd_key_set(struct uet_sd *sd, const struct uet_sd_new *new,
		   struct netlink_ext_ack *extack);
int uet_sd_key_use(struct uet_sd *sd, u8 an, struct netlink_ext_ack *extack);
int uet_sd_key_del(struct uet_sd *sd, u8 an, struct netlink_ext_ack *extack);
void uet_sd_revoke(struct uet_sd *sd);
int uet_sd_set_epoch(struct uet_sd *sd, u16 epoch,
		     struct netlink_ext_ack *extack);
void uet_sd_unuse_fep(struct uet_sd *sd);
void uet_sd_use_fep(struct uet_sd *sd, const struct uet_fep *fep);

/* sd_key.c: derived keys */
int uet_sd_keys_init(struct uet_sd *sd);
void uet_sd_keys_fini(struct uet_sd *sd);
void uet_sd_key_first(const struct uet_sd *sd, u8 an, const struct uet_fa *of,
		      u32 ssi, struct uet_tss_kid *kid);
const struct uet_sd_key *uet_sd_key_get(struct uet_sd *sd,
					const struct uet_tss_kid *kid);
int uet_sd_key_make(struct uet_sd *sd, const struct uet_tss_kid *kid);
void uet_sd_keys_drop(struct uet_sd *sd, u8 an);

/* sd_src.c: senders */
int uet_sd_srcs_init(struct uet_sd *sd);
void uet_sd_srcs_fini(struct uet_sd *sd);
struct uet_sd_src *uet_sd_src(struct uet_sd *sd, const struct uet_fa *fa);
unsigned int uet_sd_srcs_list(struct uet_sd *sd, struct uet_sd_peer *peers,
			      unsigned int space);
struct uet_sd_src *uet_sd_src_make(struct uet_sd *sd, const struct uet_fa *fa);
void uet_sd_start(struct uet_sd *sd, const struct uet_fa *from,
		  const struct uet_tss_op *op, struct uet_pdc_open *open);
void uet_sd_live(struct uet_sd *sd, const struct uet_fa *from,
		 const struct uet_tss_op *op, u32 start_psn);
void uet_sd_used(struct uet_sd *sd, const struct uet_fa *from, u32 next_psn);

/* sd_crypt.c: packets */
u32 uet_sd_overhead(const struct uet_sd *sd);

enum uet_drop uet_sd_seal_head(struct uet_fep *fep, const struct uet_fa *to,
			       struct sk_buff *skb, struct uet_tss_op *op);
enum uet_drop uet_sd_seal(struct uet_fep *fep, const struct uet_fa *to,
			  struct sk_buff *skb, const struct uet_tss_op *op);
enum uet_drop uet_sd_open(struct uet_fep *fep, const struct uet_fa *from,
			  struct sk_buff *skb, struct uet_tss_op *op);

#endif
