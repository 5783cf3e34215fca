// SPDX-License-Identifier: GPL-2.0
/*
 * Many operations that wait for the peer: receives that are posted before anything is sent,
 * and messages that are sent before any receive and received from the last to the first.
 * None keeps another one out, and a limit is an error that ends.  All endpoints are here.
 *
 * With "endpoints" many endpoints, as of the ranks of a node, exchange messages in a ring.
 *
 * usage: waits_calls receives|short|middle|long|injected|masks|limit|endpoints
 */
#include <err.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "side.h"

#define MANY		20000
#define LIMIT		131072	/* UET_CQ_LIMIT */
#define MASKS		127	/* UET_RECV_IGNORE_LIMIT */
#define SAME		(1ULL << 62)
#define LONGEST		60000
#define RANKS		256

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct side sides[2], ranks[RANKS];
static struct fi_context2 contexts[2][LIMIT + 1];
static char out[LONGEST + MANY], in[LONGEST];

static void open_domain(void)
{
	struct fi_info *hints = fi_allocinfo();

	hints->caps = FI_MSG | FI_TAGGED;
	hints->ep_attr->type = FI_EP_RDM;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->fabric_attr->prov_name = strdup("uet");
	MUST(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	fi_freeinfo(hints);
	MUST(fi_fabric(info->fabric_attr, &fabric, NULL));
	MUST(fi_domain(fabric, info, &domain, NULL));
}

static void open_enabled(struct side *side)
{
	open_side(side, domain, info, (struct fi_cq_attr){ .format = FI_CQ_FORMAT_TAGGED });
	MUST(fi_enable(side->ep));
}

/* Read completions of operations that succeed. */
static void progress(struct side *side)
{
	struct fi_cq_tagged_entry entries[64];
	ssize_t got = fi_cq_read(side->cq, entries, 64);

	if (got == -FI_EAGAIN)
		return;
	MUST(got);
	side->ended += (unsigned int)got;
}

static void finish(struct side *side, unsigned int count)
{
	while (side->ended < count)
		progress(side);
	if (side->ended != count)
		errx(1, "%u operations have ended, not %u", side->ended, count);
}

/* The bytes of message @i. */
static const char *bytes_of(unsigned int i)
{
	return out + i % MANY;
}

static void post(struct side *side, unsigned int i, char *buf, size_t length)
{
	MUST(fi_trecv(side->ep, buf, length, NULL, FI_ADDR_UNSPEC, i, 0, &contexts[0][i]));
}

static void send_one(struct side *side, unsigned int i, size_t length, bool is_injected)
{
	ssize_t ret;

	do {
		ret = is_injected ?
		      fi_tinject(side->ep, bytes_of(i), length, side->peer, i) :
		      fi_tsend(side->ep, bytes_of(i), length, NULL, side->peer, i,
			       &contexts[1][i]);
		if (ret == -FI_EAGAIN)
			progress(side);
	} while (ret == -FI_EAGAIN);
	MUST(ret);
}

/* More receives than messages, which come in the opposite order. */
static void test_receives(void)
{
	static int got[MANY];
	unsigned int i;

	for (i = 0; i < MANY; i++)
		post(&sides[0], i, (char *)&got[i], sizeof(got[i]));
	for (i = MANY; i--; )
		send_one(&sides[1], i, sizeof(got[i]), false);
	finish(&sides[0], MANY);
	finish(&sides[1], MANY);
	for (i = 0; i < MANY; i++)
		if (memcmp(&got[i], bytes_of(i), sizeof(got[i])))
			errx(1, "message %u is not in its receive", i);
}

/* Each side sends @count messages before any receive.  The last is received first. */
static void test_unexpected(unsigned int count, size_t length, bool is_injected)
{
	unsigned int i, side, sends = is_injected ? 0 : count;

	for (i = 0; i < count; i++)
		for (side = 0; side < 2; side++)
			send_one(&sides[side], i, length, is_injected);
	for (side = 0; side < 2; side++) {
		for (i = count; i--; ) {
			unsigned int before;

			progress(&sides[side]);
			before = sides[side].ended;
			memset(in, 0, length);
			post(&sides[side], i, in, length);
			/* Completions of sends may come as well. */
			while (memcmp(in, bytes_of(i), length) ||
			       sides[side].ended == before)
				progress(&sides[side]);
		}
	}
	for (side = 0; side < 2; side++)
		finish(&sides[side], sends + count);
}

static ssize_t post_mask(unsigned int i)
{
	return fi_trecv(sides[0].ep, in, 1, NULL, FI_ADDR_UNSPEC, SAME, i, &contexts[0][i]);
}

/* With as many masks as may be a message meets the first; one more is an error. */
static void test_masks(void)
{
	struct fi_cq_err_entry error = {};
	struct fi_cq_tagged_entry entry;
	unsigned int i;
	ssize_t got;

	for (i = 1; i <= MASKS; i++)
		MUST(post_mask(i));
	progress(&sides[0]);
	MUST(post_mask(MASKS + 1));
	do
		got = fi_cq_read(sides[0].cq, &entry, 1);
	while (got == -FI_EAGAIN);
	if (got != -FI_EAVAIL)
		errx(1, "a receive has ended without a message");
	MUST(fi_cq_readerr(sides[0].cq, &error, 0));
	if (error.err != FI_ENOSPC || error.op_context != &contexts[0][MASKS + 1])
		errx(1, "one mask more: %s", fi_strerror(error.err));
	for (i = 1; i <= MASKS; i++) {
		MUST(fi_tinject(sides[1].ep, out, 1, sides[1].peer, SAME));
		finish(&sides[0], i);
	}
}

static void test_limit(void)
{
	unsigned int i;
	ssize_t ret;

	for (i = 0; i < LIMIT; i++)
		post(&sides[0], i, NULL, 0);
	ret = fi_trecv(sides[0].ep, NULL, 0, NULL, FI_ADDR_UNSPEC, i, 0, &contexts[0][i]);
	if (ret != -FI_ENOMEM)
		errx(1, "one receive more: %zd", ret);
	MUST(fi_tinject(sides[1].ep, out, 0, sides[1].peer, 5));
	finish(&sides[0], 1);
	post(&sides[0], 5, NULL, 0);
}

static void test_endpoints(void)
{
	static char got[RANKS][LONGEST];
	unsigned int i;

	for (i = 0; i < RANKS; i++)
		open_enabled(&ranks[i]);
	for (i = 0; i < RANKS; i++) {
		insert_peer(&ranks[i], &ranks[(i + 1) % RANKS]);
		post(&ranks[i], i, got[i], LONGEST);
		MUST(fi_trecv(ranks[i].ep, NULL, 0, NULL, FI_ADDR_UNSPEC, RANKS, 0,
			      &contexts[0][RANKS + i]));
	}
	for (i = 0; i < RANKS; i++) {
		send_one(&ranks[i], (i + 1) % RANKS, LONGEST, false);
		MUST(fi_tinject(ranks[i].ep, NULL, 0, ranks[i].peer, RANKS));
	}
	for (i = 0; i < RANKS; i++) {
		finish(&ranks[i], 3);
		if (memcmp(got[i], bytes_of(i), LONGEST))
			errx(1, "the message for endpoint %u is wrong", i);
	}
	for (i = 0; i < RANKS; i++)
		close_side(&ranks[i]);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	size_t i;

	for (i = 0; i < sizeof(out); i++)
		out[i] = (char)(1 + i * 7 % 251);
	open_domain();
	open_enabled(&sides[0]);
	open_enabled(&sides[1]);
	insert_peer(&sides[0], &sides[1]);
	insert_peer(&sides[1], &sides[0]);
	if (!strcmp(what, "receives"))
		test_receives();
	else if (!strcmp(what, "short"))
		test_unexpected(MANY, 4, false);
	else if (!strcmp(what, "middle"))
		test_unexpected(4000, 2000, false);
	else if (!strcmp(what, "long"))
		test_unexpected(150, LONGEST, false);
	else if (!strcmp(what, "injected"))
		test_unexpected(150, LONGEST, true);
	else if (!strcmp(what, "masks"))
		test_masks();
	else if (!strcmp(what, "limit"))
		test_limit();
	else if (!strcmp(what, "endpoints"))
		test_endpoints();
	else
		errx(2, "usage: waits_calls receives|short|middle|long|injected|masks|limit|endpoints");
	close_side(&sides[0]);
	close_side(&sides[1]);
	MUST(fi_close(&domain->fid));
	MUST(fi_close(&fabric->fid));
	fi_freeinfo(info);
	return 0;
}
