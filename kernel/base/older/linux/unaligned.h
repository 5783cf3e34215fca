/* SPDX-License-Identifier: GPL-2.0 */
/* 6.12 moved the accessors of unaligned numbers from asm/; 5.11 added those of 48 bits. */
#ifndef UET_OLDER_UNALIGNED_H
#define UET_OLDER_UNALIGNED_H

#include <asm/unaligned.h>

#include "base/features.h"

#ifndef UET_HAS_UNALIGNED_BE48
static inline u64 get_unaligned_be48(const void *from)
{
	return (u64)get_unaligned_be16(from) << 32 | get_unaligned_be32(from + 2);
}

static inline void put_unaligned_be48(u64 value, void *to)
{
	put_unaligned_be16(value >> 32, to);
	put_unaligned_be32(value, to + 2);
}
#endif

#endif
