/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the fuzz targets share: a check that ends the process where
 * libFuzzer detects it, numbers from the input, and the prototype of the entry
 * point.  The input is in a heap block of its exact size, so that a read past
 * the end is a sanitizer report.  Level: test.
 */
#ifndef UET_TOOLS_FUZZ_H
#define UET_TOOLS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_CHECK(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s does not hold\n",		\
			__FILE__, __LINE__, #cond);			\
		abort();						\
	} } while (0)

/**
 * struct fuzz_input - unread bytes of the input
 * @next: next byte
 * @left: number of bytes
 */
struct fuzz_input {
	const uint8_t *next;
	size_t left;
};

/* A number of @bytes bytes; zeros after the end of the input. */
static inline uint32_t fuzz_take(struct fuzz_input *in, uint32_t bytes)
{
	uint32_t v = 0;

	while (bytes--) {
		v = v << 8 | (in->left ? *in->next : 0);
		if (in->left) {
			in->next++;
			in->left--;
		}
	}
	return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* UET_TOOLS_FUZZ_H */
