// SPDX-License-Identifier: GPL-2.0
/*
 * Look-up of objects by a key.  A plan and a configuration look up each of their
 * objects, so a look-up must not walk all of them.  Level: tool.
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"

/**
 * uetd_index_number() - order of numbers
 * @a: uint32_t or int, not negative
 * @b: the same
 *
 * Return: as strcmp().
 */
int uetd_index_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * uetd_index_text() - order of names that are arrays in their objects
 * @a: name
 * @b: name
 *
 * Return: as strcmp().
 */
int uetd_index_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/**
 * uetd_index_addr() - order of addresses
 * @a: struct uetd_addr
 * @b: struct uetd_addr
 *
 * Return: as strcmp().
 */
int uetd_index_addr(const void *a, const void *b)
{
	const struct uetd_addr *x = a, *y = b;

	return x->family != y->family ? x->family - y->family :
	       memcmp(x->bytes, y->bytes, sizeof(x->bytes));
}

/* Order of FEPs by address; the same link-local one may be on several netdevs. */
static int order_feps(const void *a, const void *b)
{
	const struct uetd_fep *x = a, *y = b;
	int order = uetd_index_addr(&x->addr, &y->addr);

	return order ? order : uetd_index_number(&x->scope_id, &y->scope_id);
}

/**
 * uetd_index_add() - add an object, unless there is one with its key
 * @index: index
 * @object: stays at its address until the index is freed
 *
 * Without memory the program exits, as in uetd_grow().
 *
 * Return: @object; the earlier object with its key, if there is one.
 */
void *uetd_index_add(struct uetd_index *index, const void *object)
{
	const char **node = tsearch((const char *)object + index->key,
				    &index->root, index->order);

	if (!node) {
		fputs("uetd: out of memory\n", stderr);
		exit(1);
	}
	return (void *)(*node - index->key);
}

/**
 * uetd_index_find() - look up an object
 * @index: index
 * @key: its key
 *
 * Return: the object that was added first with this key, or NULL.
 */
void *uetd_index_find(const struct uetd_index *index, const void *key)
{
	const char **node = tfind(key, &index->root, index->order);

	return node ? (void *)(*node - index->key) : NULL;
}

static void keep_object(void *key)
{
	(void)key;
}

/**
 * uetd_index_free() - free an index; the objects stay
 * @index: emptied
 */
void uetd_index_free(struct uetd_index *index)
{
	tdestroy(index->root, keep_object);
	index->root = NULL;
}

/**
 * uetd_index_free_all() - free an index and its objects
 * @index: emptied; its keys begin the objects, which are from uetd_grow()
 */
void uetd_index_free_all(struct uetd_index *index)
{
	tdestroy(index->root, free);
	index->root = NULL;
}

/**
 * uetd_lookup_make() - prepare look-ups in a model
 * @lookup: filled in, to be freed
 * @model: objects, which stay as they are until @lookup is freed
 */
void uetd_lookup_make(struct uetd_lookup *lookup,
		      const struct uetd_model *model)
{
	size_t i;

	*lookup = (struct uetd_lookup){
		.rails = UETD_INDEX(struct uetd_rail, name, uetd_index_text),
		.netdevs = UETD_INDEX(struct uetd_rail, ifindex, uetd_index_number),
		.sds = UETD_INDEX(struct uetd_sd, name, uetd_index_text),
		.feps = UETD_INDEX(struct uetd_fep, name, uetd_index_text),
		.fep_addrs = { .order = order_feps },
		.jobs = UETD_INDEX(struct uetd_job, id, uetd_index_number),
	};
	for (i = 0; i < model->nr_rails; i++) {
		uetd_index_add(&lookup->rails, &model->rails[i]);
		uetd_index_add(&lookup->netdevs, &model->rails[i]);
	}
	for (i = 0; i < model->nr_sds; i++)
		uetd_index_add(&lookup->sds, &model->sds[i]);
	for (i = 0; i < model->nr_feps; i++) {
		uetd_index_add(&lookup->feps, &model->feps[i]);
		uetd_index_add(&lookup->fep_addrs, &model->feps[i]);
	}
	for (i = 0; i < model->nr_jobs; i++)
		uetd_index_add(&lookup->jobs, &model->jobs[i]);
}

/**
 * uetd_lookup_free() - free look-ups; the model stays
 * @lookup: emptied
 */
void uetd_lookup_free(struct uetd_lookup *lookup)
{
	uetd_index_free(&lookup->rails);
	uetd_index_free(&lookup->netdevs);
	uetd_index_free(&lookup->sds);
	uetd_index_free(&lookup->feps);
	uetd_index_free(&lookup->fep_addrs);
	uetd_index_free(&lookup->jobs);
}
