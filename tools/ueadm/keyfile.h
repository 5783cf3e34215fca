/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys in files, and on the way there: one line of base64 with 32 bytes, or with
 * 44 for a client, who has a mask as well.
 */
#ifndef UEADM_KEYFILE_H
#define UEADM_KEYFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYFILE_KEY	32
#define KEYFILE_CLIENT	44
#define KEYFILE_TEXT	61	/* with the zero */

void keyfile_write(const uint8_t *key, size_t len, char *text);
bool keyfile_decode(const char *text, uint8_t *key, size_t len);
const char *keyfile_read(const char *path, uint8_t *key, size_t len);

#endif
