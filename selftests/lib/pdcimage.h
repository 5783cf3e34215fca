/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a PDC under test, to compare what two ways to the same state leave.  A PDC
 * holds packets of its send half as runs or singly; the bytes are those of single packets.
 * Level: test of core L4.
 */
#ifndef UET_SELFTESTS_PDCIMAGE_H
#define UET_SELFTESTS_PDCIMAGE_H

#include "pdctest.h"

/* The bytes of a PDC.  Its lists point into itself, so it is compared in its place. */
struct image {
	size_t len;
	u8 *bytes;
};

static inline struct image image_of(const struct pdctest *t)
{
	struct image image = { .len = pdc_block_size(&t->cfg) };

	image.bytes = malloc(image.len);
	memcpy(image.bytes, t->pdc, image.len);
	return image;
}

/* Clear what a slot is left with from an earlier packet, and nobody reads. */
static inline void image_clean_slot(struct uet_pdc_slot *slot)
{
	struct list_head link = slot->link;

	if (slot->state == UET_SLOT_FREE) {
		memset(slot, 0, sizeof(*slot));
		slot->link = link;
		return;
	}
	if (slot->state == UET_SLOT_READY) {
		slot->sent_ns = 0;
		slot->first_ns = 0;
		slot->xmit = 0;
	}
	if (slot->state == UET_SLOT_READY || slot->state == UET_SLOT_DONE)
		slot->lane = 0;
	if (slot->state != UET_SLOT_DONE && !slot->nacks_in_row)
		slot->nacks_progress = 0;
}

/* Give each packet a slot of its own. */
static inline void image_expand(struct pdctest *t)
{
	struct uet_pdc_txh *tx = &t->pdc->tx;
	u32 i;

	uet_pdc_slot_expand(t->pdc, tx->una_reported, tx->write_seq);
	for (i = 0; i < t->cfg.window; i++) {
		image_clean_slot(&tx->slots[i]);
		if (t->pdc->cc.pkts && t->pdc->cc.pkts[i].state == UET_CC_PKT_NONE)
			t->pdc->cc.pkts[i].ev = 0;
	}
}

/* Put a PDC back, and return the image that it had, of single packets. */
static inline struct image image_swap(struct pdctest *t, const struct image *back)
{
	struct image image;

	image_expand(t);
	image = image_of(t);
	memcpy(t->pdc, back->bytes, back->len);
	return image;
}

/* The PDC has single packets then. */
static inline bool image_is(const struct image *image, struct pdctest *t)
{
	image_expand(t);
	return !memcmp(image->bytes, t->pdc, image->len);
}

#endif /* UET_SELFTESTS_PDCIMAGE_H */
