// SPDX-License-Identifier: GPL-2.0
/*
 * Known senders of a secure domain: stores each sender of a packet with a valid
 * ICV, with its replay window and the start PSN for its next PDCs.
 * Spec: UE 1.0.1 3.7, 3.5.8.2.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "tss.h"

static const struct rhashtable_params sd_srcs_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_sd_src, fa),
	.head_offset = offsetof(struct uet_sd_src, node),
	.max_size = UET_SD_SRCS_MAX / 2,
	.automatic_shrinking = true,
};

/*
 * Initialise the senders of a domain.
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int uet_sd_srcs_init(struct uet_sd *sd)
{
	return rhashtable_init(&sd->srcs, &sd_srcs_params);
}

static void sd_src_free(void *ptr, void *arg)
{
	kfree(ptr);
}

/*
 * Free all senders of a domain.
 * @sd: domain that is unlisted, after a grace period
 *
 * Context: Process context, sleeps.
 */
void uet_sd_srcs_fini(struct uet_sd *sd)
{
	rhashtable_free_and_destroy(&sd->srcs, sd_src_free, NULL);
}

/*
 * Look up a sender.
 * Context: rcu_read_lock() held.
 * Return: the sender, valid as long as the domain; NULL: unknown.
 */
struct uet_sd_src *uet_sd_src(struct uet_sd *sd, const struct uet_fa *fa)
{
	return rhashtable_lookup(&sd->srcs, fa, sd_srcs_params);
}

/*
 * List the known senders.
 * Context: Process context.
 * Return: number of entries; while the table changes, a sender may be repeated
 *	or missing.
 */
unsigned int uet_sd_srcs_list(struct uet_sd *sd, struct uet_sd_peer *peers,
			      unsigned int space)
{
	struct rhashtable_iter iter;
	struct uet_sd_src *src;
	unsigned int nr = 0;
	u32 ssi;

	rhashtable_walk_enter(&sd->srcs, &iter);
	rhashtable_walk_start(&iter);
	while (nr < space && (src = rhashtable_walk_next(&iter))) {
		if (IS_ERR(src))
			continue;
		spin_lock_bh(&sd->lock);
		ssi = src->core.ssi;
		spin_unlock_bh(&sd->lock);
		peers[nr++] = (struct uet_sd_peer) {
			.fa = src->fa, .ssi = ssi,
		};
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	return nr;
}

/*
 * Add a sender.
 * Context: BH disabled, rcu_read_lock() held.
 * Return: the sender, possibly added by another CPU meanwhile; NULL: no memory,
 *	or the table is full.
 */
struct uet_sd_src *uet_sd_src_make(struct uet_sd *sd, const struct uet_fa *fa)
{
	struct uet_sd_src *src, *other;

	src = kzalloc(sizeof(*src), GFP_ATOMIC | __GFP_NOWARN);
	if (!src)
		return NULL;
	src->fa = *fa;
	other = rhashtable_lookup_get_insert_fast(&sd->srcs, &src->node,
						  sd_srcs_params);
	if (!other)
		return src;
	kfree(src);
	return IS_ERR(other) ? NULL : other;
}

/**
 * uet_sd_start() - start PSN for a PDC that a packet opens
 * @sd: domain
 * @from: fabric address of the sender
 * @op: security header of the opened packet
 * @open: result: UET_PDC_START_RANDOM or UET_PDC_START_EXPECTED, and the PSN
 *
 * Context: BH disabled, rcu_read_lock() held.
 * Spec: UE 1.0.1 3.5.8.2.
 */
void uet_sd_start(struct uet_sd *sd, const struct uet_fa *from,
		  const struct uet_tss_op *op, struct uet_pdc_open *open)
{
	struct uet_sd_src *src = uet_sd_src(sd, from);
	u32 random = get_random_u32();

	open->start = UET_PDC_START_RANDOM;
	open->expected_psn = random;
	if (!src)
		return;
	spin_lock(&sd->lock);
	if (!uet_tss_src_start(&src->core, op, random, &open->expected_psn))
		open->start = UET_PDC_START_EXPECTED;
	spin_unlock(&sd->lock);
}

/**
 * uet_sd_live() - record that a PDC started at the chosen PSN
 * @sd: domain
 * @from: fabric address of the initiator
 * @op: security header of the opened packet
 * @start_psn: start PSN of the PDC
 *
 * Context: BH disabled, rcu_read_lock() held.
 */
void uet_sd_live(struct uet_sd *sd, const struct uet_fa *from,
		 const struct uet_tss_op *op, u32 start_psn)
{
	struct uet_sd_src *src = uet_sd_src(sd, from);

	if (!src)
		return;
	spin_lock(&sd->lock);
	uet_tss_src_live(&src->core, op, start_psn);
	spin_unlock(&sd->lock);
}

/**
 * uet_sd_used() - record that a PDC of a sender has ended
 * @sd: domain
 * @from: fabric address of the initiator
 * @next_psn: from uet_pdc_next_expected_psn()
 *
 * Context: Any, BH disabled.
 */
void uet_sd_used(struct uet_sd *sd, const struct uet_fa *from, u32 next_psn)
{
	struct uet_sd_src *src;

	rcu_read_lock();
	src = uet_sd_src(sd, from);
	if (src) {
		spin_lock(&sd->lock);
		uet_tss_src_used(&src->core, next_psn);
		spin_unlock(&sd->lock);
	}
	rcu_read_unlock();
}
