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

#define SMALL		8
#define LARGE		256
#define TOO_LARGE	(1 << 20)

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context)
		err(1, "cannot open the device %s", name);
	return context;
}

/* A QP that has failed: each of its receives ends at once. */
static struct ibv_qp *failed_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = LARGE, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_ACCESS_FLAGS))
		err(1, "no QP");
	attr.qp_state = IBV_QPS_ERR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		err(1, "the QP does not fail");
	return qp;
}

static void post(struct ibv_qp *qp, uint64_t first, uint64_t end)
{
	struct ibv_recv_wr wr = { .wr_id = first }, *bad;

	for (; wr.wr_id < end; wr.wr_id++)
		if (ibv_post_recv(qp, &wr, &bad))
			err(1, "receive %ju is not posted", (uintmax_t)wr.wr_id);
}

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

static int grow(struct ibv_qp *qp, struct ibv_cq *cq)
{
	post(qp, 0, SMALL);
	if (!are_next(cq, 0, SMALL / 2))
		return 1;
	if (ibv_resize_cq(cq, LARGE) || cq->cqe < LARGE)
		err(1, "the queue does not grow, it has %d", cq->cqe);
	post(qp, SMALL, LARGE);
	return !are_next(cq, SMALL / 2, LARGE);
}

static int shrink(struct ibv_qp *qp, struct ibv_cq *cq)
{
	if (ibv_resize_cq(cq, LARGE))
		err(1, "the queue does not grow");
	post(qp, 0, 2 * SMALL);
	/* The last one is there. */
	if (!are_next(cq, 0, 1))
		return 1;
	usleep(100 * 1000);
	if (ibv_resize_cq(cq, SMALL) != EINVAL || cq->cqe < LARGE)
		errx(1, "the queue shrinks below its completions, to %d", cq->cqe);
	if (!are_next(cq, 1, 2 * SMALL))
		return 1;
	if (ibv_resize_cq(cq, SMALL) || cq->cqe >= LARGE)
		errx(1, "an empty queue does not shrink, it has %d", cq->cqe);
	post(qp, 2 * SMALL, 3 * SMALL);
	return !are_next(cq, 2 * SMALL, 3 * SMALL);
}

static int refuse(struct ibv_qp *qp, struct ibv_cq *cq)
{
	return !(ibv_resize_cq(cq, 0) == EINVAL && ibv_resize_cq(cq, TOO_LARGE) == EINVAL &&
		 cq->cqe == SMALL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct ibv_qp *qp, struct ibv_cq *cq);
	} tests[] = { { "grow", grow }, { "shrink", shrink }, { "refuse", refuse } };
	struct ibv_context *context;
	struct ibv_cq *cq;
	struct ibv_pd *pd;
	size_t i;

	if (argc != 3)
		errx(2, "usage: resize grow|shrink|refuse DEVICE");
	context = open_device(argv[2]);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, SMALL, NULL, NULL, 0);
	if (!pd || !cq)
		err(1, "no PD or completion queue");
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(argv[1], tests[i].name))
			return tests[i].run(failed_qp(pd, cq), cq);
	errx(2, "unknown word %s", argv[1]);
}
