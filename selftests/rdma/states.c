// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a QP changes while a message is under way, on a link so slow that the message takes
 * a while.  Level: test.
 *
 *	states write DEVICE GID DEVICE GID
 *		a QP fails while its peer writes: its memory stays as it is
 *	states read DEVICE GID DEVICE GID
 *		a QP is destroyed while it reads: its memory stays as it is
 *	states reconnect DEVICE GID DEVICE GID
 *		a QP is connected to another peer while the former one sends: it receives only what
 *		the new peer sends
 *
 * GID is an index.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "verbs.h"

#define LENGTH	(256 << 10)	/* one message of UET */
#define SILENCE	(500 * 1000)	/* microseconds, many times as long as a message takes */
#define BEGIN	(50 * 1000)	/* half of a message, microseconds */
#define SHORT	64

static struct end near_end, far_end;

static void connect_ends(void)
{
	if (!connect_to(&far_end, &near_end) || !connect_to(&near_end, &far_end))
		err(1, "a QP does not become ready to send");
}

/* Post an operation on all of the memory of both ends, or its first @length bytes. */
static void post(enum ibv_wr_opcode opcode, uint32_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)near_end.memory,
		.length = length,
		.lkey = near_end.mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.rdma = {
			.remote_addr = (uintptr_t)far_end.memory,
			.rkey = far_end.mr->rkey,
		},
	};

	if (ibv_post_send(near_end.qp, &wr, &bad))
		errx(1, "an operation cannot be posted");
}

static void post_receive(void)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)far_end.memory,
		.length = LENGTH,
		.lkey = far_end.mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_recv(far_end.qp, &wr, &bad))
		errx(1, "a receive cannot be posted");
}

static struct ibv_wc poll_one(const struct end *end)
{
	struct ibv_wc wc;
	int nr;

	while (!(nr = ibv_poll_cq(end->cq, 1, &wc)))
		usleep(1000);
	if (nr < 0)
		errx(1, "the completion queue fails");
	return wc;
}

/* Connect the QPs, and exchange the first packets, which are not like those that follow. */
static void connect_both(void)
{
	connect_ends();
	post(IBV_WR_RDMA_WRITE, SHORT);
	if (poll_one(&near_end).status != IBV_WC_SUCCESS)
		errx(1, "the QPs are not connected");
}

/* Wait for the first bytes of a message. Return: memory for a copy of what has arrived. */
static void *await_begin(const struct end *end, uint8_t value)
{
	const volatile uint8_t *memory = end->memory;

	while (memory[0] != value)
		usleep(100);
	if (memory[LENGTH - 1] == value)
		errx(1, "the message has arrived already");
	return malloc(LENGTH);
}

static bool is_same(const struct end *end, const void *copy)
{
	size_t i, other = 0;

	for (i = 0; i < LENGTH; i++)
		other += end->memory[i] != ((const uint8_t *)copy)[i];
	if (other)
		printf("# %zu bytes have changed\n", other);
	return !other;
}

static bool test_write(void)
{
	struct ibv_wc wc;
	void *copy;

	connect_both();
	memset(near_end.memory, 0xaa, LENGTH);
	post(IBV_WR_RDMA_WRITE, LENGTH);
	copy = await_begin(&far_end, 0xaa);
	if (!set_state(far_end.qp, IBV_QPS_ERR))
		errx(1, "the QP cannot fail");
	memcpy(copy, far_end.memory, LENGTH);
	wc = poll_one(&near_end);
	printf("# the write ends with: %s\n", ibv_wc_status_str(wc.status));
	return wc.status == IBV_WC_REM_INV_REQ_ERR && is_same(&far_end, copy);
}

static bool test_read(void)
{
	void *copy;

	connect_both();
	memset(far_end.memory, 0xbb, LENGTH);
	post(IBV_WR_RDMA_READ, LENGTH);
	copy = await_begin(&near_end, 0xbb);
	if (ibv_destroy_qp(near_end.qp))
		errx(1, "the QP cannot be destroyed");
	near_end.qp = NULL;
	memcpy(copy, near_end.memory, LENGTH);
	usleep(SILENCE);
	return is_same(&near_end, copy);
}

static bool test_reconnect(void)
{
	struct ibv_qp *former = near_end.qp;
	struct ibv_wc wc;

	connect_both();
	post(IBV_WR_SEND, LENGTH);
	usleep(BEGIN);
	if (ibv_poll_cq(near_end.cq, 1, &wc))
		errx(1, "the message has ended already");
	near_end.qp = make_qp(&near_end);
	if (!set_state(far_end.qp, IBV_QPS_RESET) || !init_qp(far_end.qp))
		err(1, "the QP cannot be reset");
	connect_ends();
	post_receive();
	if (poll_one(&near_end).qp_num != former->qp_num)
		errx(1, "the message of the former QP does not end");
	post(IBV_WR_SEND, SHORT);
	wc = poll_one(&far_end);
	if (wc.byte_len != SHORT)
		printf("# a message of %u bytes has arrived\n", wc.byte_len);
	return wc.status == IBV_WC_SUCCESS && wc.byte_len == SHORT && !ibv_destroy_qp(former);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool (*run)(void);
	} tests[] = { { "write", test_write }, { "read", test_read },
		      { "reconnect", test_reconnect } };
	size_t i;

	if (argc != 6)
		errx(2, "usage: states write|read|reconnect DEVICE GID DEVICE GID");
	open_end(&near_end, argv[2], 16, LENGTH);
	near_end.gid = atoi(argv[3]);
	open_end(&far_end, argv[4], 16, LENGTH);
	far_end.gid = atoi(argv[5]);
	near_end.qp = make_qp(&near_end);
	far_end.qp = make_qp(&far_end);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(argv[1], tests[i].name))
			return !tests[i].run();
	errx(2, "unknown word %s", argv[1]);
}
