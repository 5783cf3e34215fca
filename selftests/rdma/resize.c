// SPDX-License-Identifier: GPL-2.0
/*
 * A completion queue gets another size while it has completions, which are those of receives of a
 * QP that has failed.  Level: test.
 *
 *	resize grow DEVICE
 *		completions before and after it are polled in order, more than it had space for
 *	resize shrink DEVICE
 *		it is refused with more completions than the new size, which stay, and not without
 *	resize refuse DEVICE
 *		no size, and one above all limits
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "verbs.h"

#define SMALL		8
#define LARGE		256
#define TOO_LARGE	(1 << 20)

/* Do the next completions have these numbers? */
static bool are_next(struct ibv_cq *cq, uint64_t first, uint64_t end)
{
	struct ibv_wc wc;
	int nr;

	for (; first < end; first++) {
		while (!(nr = ibv_poll_cq(cq, 1, &wc)))
			;
		if (nr != 1 || wc.wr_id != first || wc.status != IBV_WC_WR_FLUSH_ERR) {
			printf("# completion %ju is %ju, status %d\n", (uintmax_t)first,
			       (uintmax_t)wc.wr_id, wc.status);
			return false;
		}
	}
	return true;
}

static bool grow(const struct end *end)
{
	struct ibv_cq *cq = end->cq;

	post_empty(end->qp, 0, SMALL);
	if (!are_next(cq, 0, SMALL / 2))
		return false;
	if (ibv_resize_cq(cq, LARGE) || cq->cqe < LARGE)
		err(1, "the queue does not grow, it has %d", cq->cqe);
	post_empty(end->qp, SMALL, LARGE);
	return are_next(cq, SMALL / 2, LARGE);
}

static bool shrink(const struct end *end)
{
	struct ibv_cq *cq = end->cq;

	if (ibv_resize_cq(cq, LARGE))
		err(1, "the queue does not grow");
	post_empty(end->qp, 0, 2 * SMALL);
	/* The last one is there. */
	if (!are_next(cq, 0, 1))
		return false;
	usleep(100 * 1000);
	if (ibv_resize_cq(cq, SMALL) != EINVAL || cq->cqe < LARGE)
		errx(1, "the queue shrinks below its completions, to %d", cq->cqe);
	if (!are_next(cq, 1, 2 * SMALL))
		return false;
	if (ibv_resize_cq(cq, SMALL) || cq->cqe >= LARGE)
		errx(1, "an empty queue does not shrink, it has %d", cq->cqe);
	post_empty(end->qp, 2 * SMALL, 3 * SMALL);
	return are_next(cq, 2 * SMALL, 3 * SMALL);
}

static bool refuse(const struct end *end)
{
	struct ibv_cq *cq = end->cq;

	return ibv_resize_cq(cq, 0) == EINVAL && ibv_resize_cq(cq, TOO_LARGE) == EINVAL &&
	       cq->cqe == SMALL;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool (*run)(const struct end *end);
	} tests[] = { { "grow", grow }, { "shrink", shrink }, { "refuse", refuse } };
	struct end end = {};
	size_t i;

	if (argc != 3)
		errx(2, "usage: resize grow|shrink|refuse DEVICE");
	open_end(&end, argv[2], SMALL, 1);
	end.qp = make_qp(&end);
	if (!set_state(end.qp, IBV_QPS_ERR))
		err(1, "the QP does not fail");
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(argv[1], tests[i].name))
			return !tests[i].run(&end);
	errx(2, "unknown word %s", argv[1]);
}
