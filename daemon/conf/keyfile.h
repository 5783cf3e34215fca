/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys in files and on their way to files: one line of base64 with 32 bytes, or
 * with 44 bytes for a client, whose key includes a mask.  Level: tool.
 */
#ifndef UETD_KEYFILE_H
#define UETD_KEYFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYFILE_KEY	32
#define KEYFILE_CLIENT	44
#define KEYFILE_TEXT	61	/* with the zero */
#define KEYFILE_LINE	(KEYFILE_TEXT + 12)	/* with a number and newline */

/* Source of the file name, which decides the expectations of the file. */
enum keyfile_kind {
	KEYFILE_WORD,		/* a word of a command; "-" is stdin */
	KEYFILE_FIXED,		/* a configuration */
	KEYFILE_CREDENTIAL,	/* the service manager */
};

/**
 * struct keyfile - contents of a key file besides its key
 * @number: number of the key, 0 unless @has_number
 * @has_number: the file has a number
 * @since: when the file was last changed or arrived, seconds since 1970
 * @wrong: reason of a refusal, for people
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
