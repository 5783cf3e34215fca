// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the fabric simulator for many objects of the same size: address space that is
 * reserved at once and becomes memory on first use, in huge pages if the system has them.
 * With small pages most accesses to the state of a large network miss the TLB.
 * Level: test.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "fabric.h"

/**
 * fab_map() - reserve address space for a large array
 * @bytes: its size; memory is allocated on first use, and is zero
 *
 * Return: the array, to be freed by munmap().
 */
void *fab_map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		abort();
	/* Without huge pages it is only slower. */
	madvise(at, bytes, MADV_HUGEPAGE);
	return at;
}

/**
 * fab_arena_init() - make an arena without objects
 * @arena: result
 * @size: size of an object, bytes
 * @most: maximum number of objects
 */
void fab_arena_init(struct fab_arena *arena, size_t size, size_t most)
{
	size = round_up(max(size, sizeof(void *)), 64);
	*arena = (struct fab_arena) { .size = size, .space = size * most };
}

/**
 * fab_arena_get() - allocate an object
 * @arena: arena
 *
 * Return: memory of undefined contents.
 */
void *fab_arena_get(struct fab_arena *arena)
{
	void **object = arena->free;

	if (object) {
		arena->free = *object;
		return object;
	}
	if (!arena->base)
		arena->base = fab_map(arena->space);
	if (arena->used + arena->size > arena->space)
		abort();
	arena->used += arena->size;
	return arena->base + arena->used - arena->size;
}

/**
 * fab_arena_put() - free an object
 * @arena: arena
 * @object: the object, or NULL
 */
void fab_arena_put(struct fab_arena *arena, void *object)
{
	if (!object)
		return;
	*(void **)object = arena->free;
	arena->free = object;
}

/**
 * fab_arena_fini() - free all objects
 * @arena: arena
 */
void fab_arena_fini(struct fab_arena *arena)
{
	if (arena->base)
		munmap(arena->base, arena->space);
	arena->base = NULL;
}
