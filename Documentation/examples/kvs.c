// SPDX-License-Identifier: GPL-2.0
/*
 * A key-value store over remote memory, with libuet: each rank has a part of the table,
 * and every rank stores and looks up entries while the owner of the memory does nothing.
 * An entry replaces another one with the same hash.
 *
 *	gcc -o kvs kvs.c -luet
 *	ueadm job run -n 3 -- ./kvs
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <uet.h>

#define SLOTS	1024
#define REGION	1	/* key of the table, the same at each rank */

static struct entry { char key[24], value[40]; } table[SLOTS + 1];

static void must(struct uet *u, int ret)
{
	if (ret < 0)
		errx(1, "rank %u: %s", uet_rank(u), uet_strerror(u));
}

/* The place of an entry: a rank, and an offset in its table. */
static uint32_t place(struct uet *u, const char *key, struct uet_rma *at)
{
	uint32_t hash = 5381;

	while (*key)
		hash = hash * 33 + (unsigned char)*key++;
	*at = (struct uet_rma){ REGION, hash / uet_size(u) % SLOTS * sizeof(*table) };
	return uet_peer(u, hash % uet_size(u));
}

static void store(struct uet *u, const struct entry *entry)
{
	struct uet_rma at;
	uint32_t peer = place(u, entry->key, &at);

	must(u, uet_put(u, peer, at, entry, sizeof(*entry), UET_F_WAIT, 0));
}

/* The last place of the own table is for results. */
static const char *look_up(struct uet *u, const char *key)
{
	struct uet_local to = { REGION, SLOTS * sizeof(*table), sizeof(*table) };
	struct uet_rma at;
	uint32_t peer = place(u, key, &at);

	must(u, uet_get(u, peer, at, to, UET_F_WAIT, 0));
	return strcmp(table[SLOTS].key, key) ? "not found" : table[SLOTS].value;
}

int main(void)
{
	char why[UET_ERROR_SIZE], key[24];
	struct entry mine = { "", "" };
	struct uet *u = uet_open(NULL, why);
	__u64 region = REGION;
	uint32_t rank;

	if (!u)
		errx(1, "%s", why);
	must(u, uet_mem_reg(u, table, sizeof(table), UET_MR_READ | UET_MR_WRITE,
			    UET_MR_FIXED_KEY, &region));
	must(u, uet_barrier(u, -1));		/* every table is there */
	snprintf(mine.key, sizeof(mine.key), "name%u", uet_rank(u));
	snprintf(mine.value, sizeof(mine.value), "rank %u", uet_rank(u));
	store(u, &mine);
	must(u, uet_barrier(u, -1));		/* every entry is stored */
	for (rank = 0; !uet_rank(u) && rank <= uet_size(u); rank++) {
		snprintf(key, sizeof(key), "name%u", rank);
		printf("%s: %s\n", key, look_up(u, key));
	}
	must(u, uet_barrier(u, -1));		/* tables are not needed any more */
	uet_close(u);
	return 0;
}
