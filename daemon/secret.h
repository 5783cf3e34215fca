/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys in the memory of uetd: in pages of their own that go into no core file and
 * no swap space, and are overwritten when they are given back; what is derived
 * from them, and by what they are told apart.  Level: tool.
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
 * @bytes: UETD_KEY_LEN of a domain; of a client, with its mask behind
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
