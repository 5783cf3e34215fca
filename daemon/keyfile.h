/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys in files, and on the way there: one line of base64 with 32 bytes, or with
 * 44 for a client, who has a mask as well.  Level: tool.
 */
#ifndef UETD_KEYFILE_H
#define UETD_KEYFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYFILE_KEY	32
#define KEYFILE_CLIENT	44
#define KEYFILE_TEXT	61	/* with the zero */
#define KEYFILE_LINE	(KEYFILE_TEXT + 12)	/* a number and newline, too */

/* Who says which file it is, and what is expected of it. */
enum keyfile_kind {
	KEYFILE_WORD,		/* a word of a command; "-" is stdin */
	KEYFILE_FIXED,		/* a configuration */
	KEYFILE_CREDENTIAL,	/* the service manager */
};

/**
 * struct keyfile - what a key file says besides its key
 * @number: of the key, 0 unless @has_number
 * @has_number: it has one
 * @since: when it was last changed, or came here; seconds since 1970
 * @wrong: what is wrong with it, for people
 */
struct keyfile {
	uint32_t number;
	bool has_number;
	uint64_t since;
	char wrong[160];
};

void keyfile_write(const uint8_t *key, size_t len, char *text);
bool keyfile_decode(const char *text, uint8_t *key, size_t len);
bool keyfile_read(struct keyfile *file, const char *path,
		  enum keyfile_kind kind, uint8_t *key, size_t len);

#endif
