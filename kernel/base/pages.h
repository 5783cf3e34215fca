/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes that depend on the size of a page, which is 4, 16 or 64 KiB.  A unit test computes them
 * for each of the three, so this file needs only PAGE_SHIFT and PAGE_SIZE of the kernel.
 */
#ifndef UET_PAGES_H
#define UET_PAGES_H

#include "core/wire/wire_codes.h"

/* Piece of memory for long data: 32 KiB, as other sockets have, or one page that is larger. */
#define UET_PIECE_ORDER		(PAGE_SHIFT < 15 ? 15 - PAGE_SHIFT : 0)
#define UET_PIECE		(PAGE_SIZE << UET_PIECE_ORDER)

/* Smallest piece of data that does not end there: the smallest page. */
#define UET_PIECE_MIN		4096

/* Pieces of a packet at most: the data may begin and end within a piece. */
#define UET_PIECES_PER_PACKET	(UET_MTU_MAX / UET_PIECE_MIN + 2)

/* Memory of a PDC with the default window and congestion control, bytes and whole pages. */
#define UET_PDC_MEM_UNIT	(40 * 1024)
#define UET_PDC_MEM_PAGES	((UET_PDC_MEM_UNIT + PAGE_SIZE - 1) / PAGE_SIZE)

#endif
