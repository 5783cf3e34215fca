// SPDX-License-Identifier: GPL-2.0
/*
 * A set of hashes of the explorer, each with the least depth at which its state was seen.
 * Level: test.
 */
#include <stdlib.h>

#include "explore.h"

#define TABLE_FIRST	4096

/* Open addressing; a key is never 0. */
struct ex_table {
	u64 *key;
	u16 *depth;
	u64 space, nr;
};

static void table_alloc(struct ex_table *table, u64 space)
{
	table->key = calloc(space, sizeof(*table->key));
	table->depth = calloc(space, sizeof(*table->depth));
	if (!table->key || !table->depth)
		abort();
	table->space = space;
}

/**
 * ex_table_new() - make an empty set
 *
 * Return: the set.
 */
struct ex_table *ex_table_new(void)
{
	struct ex_table *table = calloc(1, sizeof(*table));

	if (!table)
		abort();
	table_alloc(table, TABLE_FIRST);
	return table;
}

/**
 * ex_table_free() - free a set
 * @table: the set
 */
void ex_table_free(struct ex_table *table)
{
	free(table->key);
	free(table->depth);
	free(table);
}

/**
 * ex_table_clear() - empty a set
 * @table: the set
 */
void ex_table_clear(struct ex_table *table)
{
	memset(table->key, 0, table->space * sizeof(*table->key));
	memset(table->depth, 0, table->space * sizeof(*table->depth));
	table->nr = 0;
}

static u64 table_find(const struct ex_table *table, u64 key)
{
	u64 i = key & (table->space - 1);

	while (table->key[i] && table->key[i] != key)
		i = (i + 1) & (table->space - 1);
	return i;
}

static void table_grow(struct ex_table *table)
{
	const struct ex_table old = *table;
	u64 i, at;

	table_alloc(table, 2 * old.space);
	for (i = 0; i < old.space; i++) {
		if (!old.key[i])
			continue;
		at = table_find(table, old.key[i]);
		table->key[at] = old.key[i];
		table->depth[at] = old.depth[i];
	}
	free(old.key);
	free(old.depth);
}

/**
 * ex_table_has() - is a key in the set?
 * @table: the set
 * @key: the key
 *
 * Return: true if it is.
 */
bool ex_table_has(const struct ex_table *table, u64 key)
{
	return table->key[table_find(table, key)];
}

/**
 * ex_table_add() - add a key
 * @table: the set
 * @key: the key
 * @depth: depth at which its state was reached
 *
 * Return: true if the key is new, or was added at a larger depth before.
 */
bool ex_table_add(struct ex_table *table, u64 key, u16 depth)
{
	u64 i = table_find(table, key);

	if (table->key[i]) {
		if (table->depth[i] <= depth)
			return false;
		table->depth[i] = depth;
		return true;
	}
	table->key[i] = key;
	table->depth[i] = depth;
	if (++table->nr * 3 > table->space * 2)
		table_grow(table);
	return true;
}
