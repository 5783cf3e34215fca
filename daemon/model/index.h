/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Look-up of objects by a key: a balanced tree of libc (tsearch) over objects that
 * stay where they are.  Level: tool.
 */
#ifndef UETD_INDEX_H
#define UETD_INDEX_H

#include <stddef.h>

#include "model.h"

/* Compares two keys, as strcmp() does. */
typedef int (*uetd_index_order_t)(const void *a, const void *b);

/**
 * struct uetd_index - objects of one kind by a key
 * @root: root of the tree; NULL: empty
 * @order: order of the keys
 * @key: offset of the key in an object, bytes
 */
struct uetd_index {
	void *root;
	uetd_index_order_t order;
	size_t key;
};

/* An empty index of objects of @type by their @member. */
#define UETD_INDEX(type, member, _order) \
	((struct uetd_index){ .order = (_order), .key = offsetof(type, member) })

/**
 * struct uetd_lookup - the objects of a model by their names, numbers and addresses
 * @rails: by name
 * @netdevs: rails by ifindex
 * @sds: by name
 * @feps: by name
 * @fep_addrs: FEPs by address and scope
 * @jobs: by JobID
 */
struct uetd_lookup {
	struct uetd_index rails;
	struct uetd_index netdevs;
	struct uetd_index sds;
	struct uetd_index feps;
	struct uetd_index fep_addrs;
	struct uetd_index jobs;
};

int uetd_index_number(const void *a, const void *b);
int uetd_index_text(const void *a, const void *b);
int uetd_index_addr(const void *a, const void *b);

void *uetd_index_add(struct uetd_index *index, const void *object);
void *uetd_index_find(const struct uetd_index *index, const void *key);
void uetd_index_free(struct uetd_index *index);
void uetd_index_free_all(struct uetd_index *index);

void uetd_lookup_make(struct uetd_lookup *lookup,
		      const struct uetd_model *model);
void uetd_lookup_free(struct uetd_lookup *lookup);

#endif
