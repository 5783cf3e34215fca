/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC-32C as the tests compute it: bit by bit from the polynomial, so that it
 * shares neither table nor code with the kernel's version it is held against.
 * Spec: UE 1.0.1 3.5.25; RFC 3720 B.4.  Level: test.
 */
#ifndef UET_SELFTESTS_CRC32C_H
#define UET_SELFTESTS_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CRC32C_INIT	0xffffffffU
#define CRC32C_POLY	0x82f63b78U	/* 0x1edc6f41 reflected */

/* Continue a CRC over @n more bytes; start with CRC32C_INIT. */
static inline uint32_t crc32c_update(uint32_t crc, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n--) {
		crc ^= *b++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? CRC32C_POLY : 0);
	}
	return crc;
}

/*
 * The same, eight bytes at a time, by tables that the above makes.  For programs that
 * have many bytes to check.
 */
static inline uint32_t crc32c_update_many(uint32_t crc, const void *p, size_t n)
{
	static uint32_t table[8][256];
	const uint8_t *b = p;
	uint64_t word;

	for (int i = 0; !table[7][255] && i < 256; i++) {
		table[0][i] = crc32c_update(i, "", 1);
		for (int t = 1; t < 8; t++)
			table[t][i] = crc32c_update(table[t - 1][i], "", 1);
	}
	for (; n >= sizeof(word); b += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, b, sizeof(word));
		word ^= crc;
		crc = 0;
		for (int t = 0; t < 8; t++)
			crc ^= table[7 - t][word >> 8 * t & 0xff];
	}
	while (n--)
		crc = crc >> 8 ^ table[0][(crc ^ *b++) & 0xff];
	return crc;
}

/* The value for the trailer. */
static inline uint32_t crc32c_final(uint32_t crc)
{
	return ~crc;
}

#endif /* UET_SELFTESTS_CRC32C_H */
