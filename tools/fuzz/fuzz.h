/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share: a check that ends the process where libFuzzer
 * can see it, and the entry point's prototype.  Input bytes arrive in a heap
 * block of exactly their size, so a read past the end is a sanitizer report.
 * Level: test.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* UET_TOOLS_FUZZ_H */
