/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys in the memory of uetd.  Keys are in separate pages that are excluded
 * from core files and swap space and overwritten when freed.  Also derives
 * keys, and values that identify keys.  Level: tool.
 */
#ifndef UETD_SECRET_H
#define UETD_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UETD_KEY_LEN	32	/* AES-256 */
#define UETD_MASK_LEN	12
#define UETD_SECRET_MAX	(UETD_KEY_LEN + UETD_MASK_LEN)

/**
 * struct uetd_secret - a key
 * @bytes: key of UETD_KEY_LEN bytes; a client's key is followed by its mask
 */
struct uetd_secret {
	uint8_t bytes[UETD_SECRET_MAX];
};

struct uetd_secret *uetd_secret_new(void);
void uetd_secret_free(struct uetd_secret *secret);
bool uetd_secret_check(const struct uetd_secret *secret, size_t len,
		       uint32_t *check);
bool uetd_secret_period(const struct uetd_secret *secret, uint32_t sdi,
			uint32_t number, uint8_t *key);

#endif
