// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of one process that use the same objects of libibverbs at the same time, and an object
 * that is used beyond its size.  Level: test.
 *
 *	threads post DEVICE GID DEVICE GID
 *		some post sends to one QP, inline and from memory, others receives to the SRQ of
 *		its peer: each send completes once and arrives once, with its bytes
 *	threads destroy DEVICE
 *		some make and destroy QPs with completions, others poll for these: each completion
 *		has the number of a QP that was made
 *	threads reset DEVICE GID DEVICE GID
 *		each resets and connects the same two QPs, and sends what nobody receives
 *	threads overrun DEVICE
 *		completions for which the queue has no space are one event
 *
 * GID is an index.  On kernels that are UET_TEST_SCALE times slower there are fewer of all.
 */
#define _GNU_SOURCE
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "verbs.h"

#define THREADS		4		/* of each kind */
#define OPS		2000		/* of a thread that posts, at most */
#define ALL		(THREADS * OPS)
#define CQES		4096
#define SLOT		512		/* longest message */
#define QPS		200		/* of a thread that makes and destroys them, at most */
#define FLUSHED		32		/* operations of such a QP */
#define RESETS		200		/* by a thread, at most */
#define SILENCE		(200 * 1000)	/* microseconds in which nothing more arrives */

static struct end near_end, far_end;
static uint64_t nr_ops, nr_qps, nr_resets;
static atomic_uint completed[ALL], arrived[ALL];
static atomic_uint nr_completed, nr_arrived, nr_flushed;
static atomic_bool is_over;
static atomic_uchar made[1 << 24];

/* Start THREADS threads: the argument of each is its number. */
static void start(pthread_t *threads, void *(*function)(void *))
{
	uintptr_t i;

	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, function, (void *)i))
			errx(1, "no thread");
	}
}

static void join(pthread_t *threads)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ------------------------------------------------------------------------ posting */

/* Every other message is short enough to be inline. */
static uint32_t length_of(uint64_t id)
{
	return id % 2 ? 8 + id * 7 % (VERBS_INLINE - 7) : VERBS_INLINE + 1 + id * 13 % (SLOT - VERBS_INLINE);
}

static void fill(uint8_t *to, uint64_t id)
{
	memset(to, (int)(id * 31 + 7), length_of(id));
	memcpy(to, &id, sizeof(id));
}

static void *post_sends(void *arg)
{
	uint64_t id = (uintptr_t)arg * nr_ops, end = id + nr_ops;
	uint8_t *at;

	for (; id < end; id++) {
		struct ibv_sge sge = { .length = length_of(id), .lkey = near_end.mr->lkey };
		struct ibv_send_wr *bad, wr = {
			.wr_id = id,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_SEND,
			.send_flags = id % 2 ? IBV_SEND_INLINE : 0,
		};
		int error;

		at = near_end.memory + id * SLOT;
		fill(at, id);
		sge.addr = (uintptr_t)at;
		while ((error = ibv_post_send(near_end.qp, &wr, &bad)) == ENOMEM)
			sched_yield();
		if (error)
			errx(1, "a send cannot be posted: %s", strerror(error));
		if (wr.send_flags)
			memset(at, 0xee, SLOT);
	}
	return NULL;
}

static void post_receive(uint64_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(far_end.memory + slot * SLOT),
		.length = SLOT,
		.lkey = far_end.mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_srq_recv(far_end.srq, &wr, &bad))
		errx(1, "a receive cannot be posted");
}

/* Poll one completion, or see the end. */
static bool poll_one(struct ibv_cq *cq, struct ibv_wc *wc)
{
	int nr;

	while (!(nr = ibv_poll_cq(cq, 1, wc))) {
		if (atomic_load(&is_over))
			return false;
		sched_yield();
	}
	if (nr < 0)
		errx(1, "the completion queue fails");
	return true;
}

static void *poll_sends(void *arg)
{
	struct ibv_wc wc;

	while (poll_one(near_end.cq, &wc)) {
		if (wc.status || wc.opcode != IBV_WC_SEND || wc.wr_id >= ALL ||
		    wc.qp_num != near_end.qp->qp_num)
			errx(1, "a send completes with %s, as number %llu",
			     ibv_wc_status_str(wc.status), (unsigned long long)wc.wr_id);
		completed[wc.wr_id]++;
		nr_completed++;
	}
	return NULL;
}

static void *poll_receives(void *arg)
{
	uint8_t want[SLOT], *at;
	struct ibv_wc wc;
	uint64_t id;

	while (poll_one(far_end.cq, &wc)) {
		if (wc.status || wc.opcode != IBV_WC_RECV || wc.wr_id >= VERBS_RECEIVES)
			errx(1, "a receive completes with %s", ibv_wc_status_str(wc.status));
		at = far_end.memory + wc.wr_id * SLOT;
		memcpy(&id, at, sizeof(id));
		if (id >= ALL || wc.byte_len != length_of(id))
			errx(1, "message %#llx has %u bytes", (unsigned long long)id, wc.byte_len);
		fill(want, id);
		if (memcmp(at, want, wc.byte_len))
			errx(1, "message %llu has other bytes", (unsigned long long)id);
		arrived[id]++;
		nr_arrived++;
		post_receive(wc.wr_id);
	}
	return NULL;
}

static void test_post(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = VERBS_RECEIVES, .max_sge = 1 } };
	pthread_t posters[THREADS], pollers[2][THREADS];
	uint64_t i;

	far_end.srq = ibv_create_srq(far_end.pd, &init);
	if (!far_end.srq)
		err(1, "no SRQ");
	near_end.qp = make_qp(&near_end);
	far_end.qp = make_qp(&far_end);
	if (!connect_to(&far_end, &near_end) || !connect_to(&near_end, &far_end))
		err(1, "a QP does not become ready to send");
	for (i = 0; i < VERBS_RECEIVES; i++)
		post_receive(i);
	start(pollers[0], poll_sends);
	start(pollers[1], poll_receives);
	start(posters, post_sends);
	join(posters);
	while (nr_completed < THREADS * nr_ops || nr_arrived < THREADS * nr_ops)
		usleep(1000);
	usleep(SILENCE);
	is_over = true;
	join(pollers[0]);
	join(pollers[1]);
	for (i = 0; i < THREADS * nr_ops; i++) {
		if (completed[i] != 1 || arrived[i] != 1)
			errx(1, "send %llu completes %u times and arrives %u times",
			     (unsigned long long)i, completed[i], arrived[i]);
	}
	if (ibv_destroy_qp(near_end.qp) || ibv_destroy_qp(far_end.qp) ||
	    ibv_destroy_srq(far_end.srq))
		errx(1, "a QP or the SRQ cannot be destroyed");
}

/* --------------------------------------------------------------------- destroying */

/* A QP that has failed ends what is posted to it at once. */
static void *make_and_destroy(void *arg)
{
	struct ibv_qp *qp;
	uint64_t i;

	for (i = 0; i < nr_qps; i++) {
		qp = make_qp(&near_end);
		made[qp->qp_num] = 1;
		post_empty(qp, 0, FLUSHED);
		if (!set_state(qp, IBV_QPS_ERR) || ibv_destroy_qp(qp))
			errx(1, "a QP cannot be destroyed");
	}
	return NULL;
}

static void *poll_flushed(void *arg)
{
	const struct sched_param param = {};
	struct ibv_wc wc;

	/* Whoever is woken takes the CPU, also between the poll of the device and its use. */
	pthread_setschedparam(pthread_self(), SCHED_IDLE, &param);
	while (poll_one(near_end.cq, &wc)) {
		if (wc.status != IBV_WC_WR_FLUSH_ERR || wc.qp_num >= sizeof(made) ||
		    !made[wc.qp_num])
			errx(1, "a completion has QP number %#x and status %d", wc.qp_num,
			     wc.status);
		nr_flushed++;
	}
	return NULL;
}

static void *wake_up(void *arg)
{
	const struct timespec nap = { .tv_nsec = 50 * 1000 };

	while (!is_over)
		nanosleep(&nap, NULL);
	return NULL;
}

static void test_destroy(void)
{
	pthread_t makers[THREADS], pollers[THREADS], wakers[THREADS];

	start(pollers, poll_flushed);
	start(wakers, wake_up);
	start(makers, make_and_destroy);
	join(makers);
	is_over = true;
	join(wakers);
	join(pollers);
	if (!nr_flushed)
		errx(1, "no operation was flushed");
	printf("# %u operations were flushed\n", nr_flushed);
}

/* ---------------------------------------------------------------------- resetting */

static void restart(struct end *end, const struct end *peer)
{
	/* Another thread may have changed the state between two of these calls. */
	set_state(end->qp, IBV_QPS_RESET);
	if (init_qp(end->qp))
		connect_to(end, peer);
}

static void *reset_and_send(void *arg)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)near_end.memory,
		.length = SLOT,
		.lkey = near_end.mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
	};
	struct ibv_wc wc;
	uint64_t i;
	int k;

	for (i = 0; i < nr_resets; i++) {
		restart(&far_end, &near_end);
		restart(&near_end, &far_end);
		for (k = 0; k < 8; k++)
			ibv_post_send(near_end.qp, &wr, &bad);
		while (ibv_poll_cq(near_end.cq, 1, &wc) > 0)
			;
	}
	return NULL;
}

static void test_reset(void)
{
	pthread_t threads[THREADS];

	near_end.qp = make_qp(&near_end);
	far_end.qp = make_qp(&far_end);
	start(threads, reset_and_send);
	join(threads);
	if (ibv_destroy_qp(near_end.qp) || ibv_destroy_qp(far_end.qp))
		errx(1, "a QP cannot be destroyed");
}

/* ------------------------------------------------------------------------ overrun */

/* Wait for an event of the device. Return: 0: none; 1: of the queue; 2: another one. */
static int read_event(struct end *end, int timeout_ms)
{
	struct pollfd fd = { .fd = end->context->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int is_ours;

	if (poll(&fd, 1, timeout_ms) < 1 || ibv_get_async_event(end->context, &event))
		return 0;
	is_ours = event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == end->cq;
	ibv_ack_async_event(&event);
	return is_ours ? 1 : 2;
}

/* The queue has space for one completion of FLUSHED. */
static void test_overrun(void)
{
	if (ibv_destroy_cq(near_end.cq))
		errx(1, "the queue cannot be destroyed");
	near_end.cq = ibv_create_cq(near_end.context, 1, NULL, NULL, 0);
	if (!near_end.cq)
		err(1, "no CQ");
	near_end.qp = make_qp(&near_end);
	post_empty(near_end.qp, 0, FLUSHED);
	if (!set_state(near_end.qp, IBV_QPS_ERR))
		errx(1, "the QP cannot fail");
	if (read_event(&near_end, -1) != 1)
		errx(1, "another event comes first");
	if (read_event(&near_end, SILENCE / 1000))
		errx(1, "there is more than one event");
	if (ibv_destroy_qp(near_end.qp))
		errx(1, "the QP cannot be destroyed");
}

int main(int argc, char **argv)
{
	bool posts = argc == 6 && !strcmp(argv[1], "post");
	bool resets = argc == 6 && !strcmp(argv[1], "reset");
	bool destroys = argc == 3 && !strcmp(argv[1], "destroy");
	bool overruns = argc == 3 && !strcmp(argv[1], "overrun");
	const char *scale = getenv("UET_TEST_SCALE");

	nr_ops = OPS / (scale ? atoi(scale) : 1);
	nr_qps = QPS / (scale ? atoi(scale) : 1);
	nr_resets = RESETS / (scale ? atoi(scale) : 1);
	if (!posts && !resets && !destroys && !overruns)
		errx(2, "usage: threads post|reset DEVICE GID DEVICE GID | destroy|overrun DEVICE");
	open_end(&near_end, argv[2], CQES, ALL * SLOT);
	if (posts || resets) {
		near_end.gid = atoi(argv[3]);
		open_end(&far_end, argv[4], CQES, VERBS_RECEIVES * SLOT);
		far_end.gid = atoi(argv[5]);
		if (posts)
			test_post();
		else
			test_reset();
		close_end(&far_end);
	} else if (destroys) {
		test_destroy();
	} else {
		test_overrun();
	}
	close_end(&near_end);
	return 0;
}
