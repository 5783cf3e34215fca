/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share: a check that ends the process where libFuzzer
 * can see it, numbers out of the input, and the entry point's prototype.  Input
 * bytes arrive in a heap block of exactly their size, so a read past the end is
 * a sanitizer report.  Level: test.
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
 * struct fuzz_input - bytes of the fuzzer that are left
 * @next: next one
 * @left: how many
 */
struct fuzz_input {
	const uint8_t *next;
	size_t left;
};

/* A number of so many bytes; zeros when there are no more. */
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
