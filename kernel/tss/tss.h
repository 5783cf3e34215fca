/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Secure domains in the kernel: the core's domain under one lock, with its derived keys, its
 * known senders, and the ciphers for packets. A domain belongs to a network namespace and
 * FEPs use it.
 *
 * Functions for configuration run in process context with uet_net.cfg_mutex held, sleep, and
 * set extack on errors. Functions for packets run with BH disabled under rcu_read_lock().
 */
#ifndef UET_TSS_H
#define UET_TSS_H

#include <linux/rhashtable.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>
#include <crypto/aead.h>

#include "base/base.h"
#include "core/pds/pds.h"
#include "core/tss/tss.h"
#include "fabric/fabric.h"

struct crypto_shash;
struct netlink_ext_ack;
struct sk_buff;

/* Pending key derivations, and derived keys, at most. */
#define UET_SD_WANTS		16
#define UET_SD_KEYS_MAX		4096
/* Known senders, at most. */
#define UET_SD_SRCS_MAX		65536
/* Senders whose keys are derived when the key of the domain is set, at most. */
#define UET_SD_PEERS_MAX	1024
/*
 * Pieces of a packet that is sealed or opened in place, at most; a packet with
 * more is linearised.
 */
#define UET_SD_PIECES		4
/* Ciphers copy bytes that are not aligned to so many. */
#define UET_SD_ALIGN		16

/*
 * struct uet_sd_key - a derived key for packets
 * @node: in uet_sd.keys, RCU
 * @key: IV mask; the cipher holds the key itself
 * @tfm: AES-256-GCM under this key
 * @fast: the same in the CPU's vector registers, which are not always usable; or NULL
 * @is_proven: a packet was sealed or found authentic with the key; READ_ONCE
 * @next: list of keys that are being removed
 */
struct uet_sd_key {
	struct rhash_head node;
	struct uet_tss_kid kid;
	struct uet_tss_key key;
	struct crypto_aead *tfm;
	struct crypto_aead *fast;
	bool is_proven;
	struct uet_sd_key *next;
};

/*
 * struct uet_sd_src - a known sender
 * @node: in uet_sd.srcs, RCU
 * @core: the core's state of the sender; under uet_sd.lock
 */
struct uet_sd_src {
	struct rhash_head node;
	struct uet_fa fa;
	struct uet_tss_src core;
};

/*
 * struct uet_sd_peer - a sender for key derivation, with its SSI, if it has one
 */
struct uet_sd_peer {
	struct uet_fa fa;
	u32 ssi;
};

/*
 * struct uet_sd_cpu - per-CPU cipher state, used with BH disabled
 * @iv: aligned, else the ciphers would allocate a copy
 * @sg: scatter list: @aad, then the pieces of the packet
 * @to: the same of the result, for packets that are not opened in place
 * @req: request, followed by the state of the cipher
 */
struct uet_sd_cpu {
	u8 aad[UET_TSS_AAD_MAX];
	u8 iv[UET_TSS_IV_LEN] __aligned(UET_SD_ALIGN);
	struct scatterlist sg[1 + UET_SD_PIECES];
	struct scatterlist to[2];
	struct aead_request req;
};

/*
 * struct uet_sd - a secure domain
 * @number: index in uet_net.sds; not used again soon
 * @name: unique in the namespace; immutable
 * @nr_feps: number of FEPs that use the domain, under uet_net.cfg_mutex
 * @lock: protects @core, @wants and the contents of @srcs; taken with BH disabled; leaf, a
 *	PDC's lock may be held outside it
 * @wants: ring of keys to be derived by @work
 * @first_want: index of the oldest entry of @wants
 * @nr_wants: number of entries in @wants
 * @keys_mutex: serialises changes of @keys
 * @keys: struct uet_sd_key by kid; read under RCU
 * @srcs: struct uet_sd_src by address; read under RCU, added to in softirq
 * @cmac: AES-256-CMAC; under @keys_mutex
 * @reqsize: size of the cipher state after a request, bytes
 * @has_fast: keys have a fast cipher
 * @cpu: per-CPU state
 *
 * Removal: by uet_sd_del() when no FEP uses the domain, or with the namespace after its FEPs.
 * The domain is unlisted, and freed with all keys after a grace period.
 */
struct uet_sd {
	u32 number;
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

/*
 * struct uet_sd_run - packets that are sealed or opened under one key; on the stack
 * @src: their sender; only when they are opened
 * @key: valid under RCU
 * @op: sealing: the next packet; opening: the first one
 * @tss_len: length of the security header, bytes
 * @nr: sealing: number of packets that may follow
 */
struct uet_sd_run {
	struct uet_sd *sd;
	struct uet_tss_ends ends;
	struct uet_sd_src *src;
	struct uet_sd_key *key;
	struct uet_tss_op op;
	u32 tss_len;
	u32 nr;
};

/*
 * struct uet_sd_new - a key to be set
 * @an: association number
 * @epoch: first epoch
 * @tsc: first counter
 * @has_tsc: @tsc is given; else the counter starts from the clock
 * @number: number that the owner assigned to the key
 * @check: value that identifies the source of the key without revealing the key; 0: not given
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

/* Configuration. */
int uet_sd_add(struct uet_net *un, const char *name,
	       const struct uet_tss_cfg *cfg, struct netlink_ext_ack *extack);
int uet_sd_del(struct uet_net *un, const char *name, struct netlink_ext_ack *extack);
struct uet_sd *uet_sd_find(struct uet_net *un, const char *name);
void uet_sd_flush(struct uet_net *un);
int uet_sd_key_set(struct uet_sd *sd, const struct uet_sd_new *new,
		   struct netlink_ext_ack *extack);
int uet_sd_key_use(struct uet_sd *sd, u8 an, struct netlink_ext_ack *extack);
int uet_sd_key_del(struct uet_sd *sd, u8 an, struct netlink_ext_ack *extack);
void uet_sd_revoke(struct uet_sd *sd);
int uet_sd_set_epoch(struct uet_sd *sd, u16 epoch, struct netlink_ext_ack *extack);
void uet_sd_unuse_fep(struct uet_sd *sd);
void uet_sd_use_fep(struct uet_sd *sd, const struct uet_fep *fep);

/* Global for probes: selftests/net/tss/tss_keys.sh. */
int uet_sd_key_make(struct uet_sd *sd, const struct uet_tss_kid *kid);

/* Between sd.c and sd_crypt.c. */
void uet_sd_key_first(const struct uet_sd *sd, u8 an, const struct uet_fa *of,
		      u32 ssi, struct uet_tss_kid *kid);
struct uet_sd_key *uet_sd_key_get(struct uet_sd *sd, const struct uet_tss_kid *kid);
int uet_sd_srcs_init(struct uet_sd *sd);
void uet_sd_srcs_fini(struct uet_sd *sd);
unsigned int uet_sd_srcs_list(struct uet_sd *sd, struct uet_sd_peer *peers, unsigned int space);

/* Packets. */
void uet_sd_start(struct uet_sd *sd, const struct uet_fa *from,
		  const struct uet_tss_op *op, struct uet_pdc_open *open);
void uet_sd_live(struct uet_sd *sd, const struct uet_fa *from,
		 const struct uet_tss_op *op, u32 start_psn);
void uet_sd_used(struct uet_sd *sd, const struct uet_fa *from, u32 next_psn);
u32 uet_sd_overhead(const struct uet_sd *sd);
enum uet_drop uet_sd_seal_head(struct uet_fep *fep, const struct uet_fa *to,
			       struct sk_buff *skb, struct uet_tss_op *op);
enum uet_drop uet_sd_seal(struct uet_fep *fep, const struct uet_fa *to,
			  struct sk_buff *skb, const struct uet_tss_op *op);
enum uet_drop uet_sd_open(struct uet_fep *fep, const struct uet_fa *from,
			  struct sk_buff *skb, struct uet_tss_op *op);

/* Packets of a burst. */
enum uet_drop uet_sd_seal_begin(struct uet_fep *fep, const struct uet_fa *to, u32 nr,
				struct uet_sd_run *run);
bool uet_sd_seal_next(struct uet_sd_run *run, const void *head, u32 head_len, u8 *buf, u32 len);
bool uet_sd_open_begin(struct uet_fep *fep, const struct uet_fa *from, const u8 *buf,
		       u32 len, struct uet_sd_run *run);
bool uet_sd_open_continues(const struct uet_sd_run *run, u32 i, const u8 *buf, u32 len);
bool uet_sd_open_next(const struct uet_sd_run *run, u32 i, const void *head,
		      u32 head_len, const u8 *buf, u32 len, u8 *to);
bool uet_sd_open_end(struct uet_sd_run *run, u32 nr);

#endif
