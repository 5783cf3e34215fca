/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for many objects of the same size.  Level: test.
 */
#ifndef UET_FABRIC_ARENA_H
#define UET_FABRIC_ARENA_H

#include "core/shim.h"

/**
 * struct fab_arena - objects of the same size
 * @size: size of an object, bytes
 * @space: bytes of address space
 * @base: first object; NULL: none yet
 * @used: bytes ever used
 * @free: first free object
 */
struct fab_arena {
	size_t size;
	size_t space;
	u8 *base;
	size_t used;
	void *free;
};

void fab_arena_init(struct fab_arena *arena, size_t size, size_t most);
void *fab_arena_get(struct fab_arena *arena);
void fab_arena_put(struct fab_arena *arena, void *object);
void fab_arena_fini(struct fab_arena *arena);
void *fab_map(size_t bytes);

#endif
