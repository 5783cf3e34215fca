// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that plugins of collective libraries for accelerators make, without one:
 * registered buffers with descriptors, eight requests under way in each direction, and
 * writes with four bytes of data.
 *
 * usage: nccl_calls FILE FILE-OF-PEER
 *	writes its address and key to FILE and waits for the other one
 */
#include <err.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"

#define REQUESTS	8
#define BYTES		(1UL << 20)
#define ROUNDS		4
#define TAG		0x100UL
#define TAG_MEET	0x1UL

/* The first message of each side: its address, and its memory for writes. */
struct hello {
	char name[64];
	size_t name_length;
	uint64_t key;
	uint64_t base;
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_av *av;
static struct fid_mr *tx_mr, *rx_mr;
static struct fi_context2 contexts[2 * REQUESTS];
static char *tx_buf, *rx_buf;
static fi_addr_t peer;
static uint64_t peer_key, peer_base;

static void open_all(void)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_info *hints = fi_allocinfo();
	struct fi_av_attr av_attr = {};

	hints->caps = FI_MSG | FI_TAGGED | FI_RMA | FI_LOCAL_COMM | FI_REMOTE_COMM;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ENDPOINT | FI_MR_VIRT_ADDR |
				      FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->domain_attr->threading = FI_THREAD_SAFE;
	hints->domain_attr->cq_data_size = 4;
	hints->fabric_attr->prov_name = strdup("uet");
	MUST(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	fi_freeinfo(hints);
	MUST(fi_fabric(info->fabric_attr, &fabric, NULL));
	MUST(fi_domain(fabric, info, &domain, NULL));
	MUST(fi_endpoint(domain, info, &ep, NULL));
	MUST(fi_cq_open(domain, &cq_attr, &cq, NULL));
	MUST(fi_av_open(domain, &av_attr, &av, NULL));
	MUST(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	MUST(fi_ep_bind(ep, &av->fid, 0));
	MUST(fi_enable(ep));
}

static void register_buffers(void)
{
	tx_buf = aligned_alloc(4096, REQUESTS * BYTES);
	rx_buf = aligned_alloc(4096, REQUESTS * BYTES);
	if (!tx_buf || !rx_buf)
		err(1, "aligned_alloc");
	MUST(fi_mr_reg(domain, tx_buf, REQUESTS * BYTES, FI_SEND | FI_WRITE, 0, 0, 0, &tx_mr,
		       NULL));
	MUST(fi_mr_reg(domain, rx_buf, REQUESTS * BYTES, FI_RECV | FI_REMOTE_WRITE, 0, 1, 0,
		       &rx_mr, NULL));
}

/* Wait for @count events, each of which has one of @flags.  Return: the sum of their data. */
static uint64_t wait_for(unsigned int count, uint64_t flags)
{
	struct fi_cq_tagged_entry entry[4];
	uint64_t sum = 0;
	ssize_t i, n;

	while (count) {
		n = fi_cq_read(cq, entry, count < 4 ? count : 4);
		if (n == -FI_EAGAIN)
			continue;
		MUST(n);
		for (i = 0; i < n; i++) {
			if (!(entry[i].flags & flags))
				errx(1, "an event with flags 0x%lx", entry[i].flags);
			if (entry[i].flags & FI_REMOTE_CQ_DATA)
				sum += entry[i].data;
		}
		count -= (unsigned int)n;
	}
	return sum;
}

static void write_file(const char *file)
{
	struct hello hello = { .name_length = sizeof(hello.name), .key = fi_mr_key(rx_mr) };
	bool is_by_address = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
	char part[4096];
	FILE *out;

	hello.base = is_by_address ? (uintptr_t)rx_buf : 0;
	MUST(fi_getname(&ep->fid, hello.name, &hello.name_length));
	snprintf(part, sizeof(part), "%s.part", file);
	out = fopen(part, "w");
	if (!out || fwrite(&hello, sizeof(hello), 1, out) != 1 || fclose(out) ||
	    rename(part, file))
		err(1, "%s", file);
}

static void read_file(const char *file)
{
	struct hello hello;
	FILE *in;

	while (!(in = fopen(file, "r")))
		usleep(20000);
	if (fread(&hello, sizeof(hello), 1, in) != 1)
		err(1, "%s", file);
	fclose(in);
	if (fi_av_insert(av, hello.name, 1, &peer, 0, NULL) != 1)
		errx(1, "fi_av_insert");
	peer_key = hello.key;
	peer_base = hello.base;
}

static void fill(unsigned int round)
{
	size_t i;

	for (i = 0; i < REQUESTS * BYTES; i++)
		tx_buf[i] = (char)(i * 7 + i / BYTES + round * 31);
	memset(rx_buf, 0, REQUESTS * BYTES);
}

static void check(unsigned int round)
{
	size_t i;

	for (i = 0; i < REQUESTS * BYTES; i++)
		if (rx_buf[i] != (char)(i * 7 + i / BYTES + round * 31))
			errx(1, "round %u: byte %zu is wrong", round, i);
}

/* Neither side goes on before both are here. */
static void meet(void)
{
	MUST(fi_trecv(ep, rx_buf, 0, fi_mr_desc(rx_mr), peer, TAG_MEET, 0, &contexts[0]));
	MUST(fi_tsend(ep, tx_buf, 0, fi_mr_desc(tx_mr), peer, TAG_MEET, &contexts[1]));
	wait_for(2, FI_SEND | FI_RECV);
}

static void exchange_messages(unsigned int round)
{
	unsigned int i;

	for (i = 0; i < REQUESTS; i++)
		MUST(fi_trecv(ep, rx_buf + i * BYTES, BYTES, fi_mr_desc(rx_mr), peer, TAG + i,
			      0, &contexts[i]));
	for (i = 0; i < REQUESTS; i++)
		MUST(fi_tsend(ep, tx_buf + i * BYTES, BYTES, fi_mr_desc(tx_mr), peer, TAG + i,
			      &contexts[REQUESTS + i]));
	wait_for(2 * REQUESTS, FI_SEND | FI_RECV);
	check(round);
}

static void exchange_writes(unsigned int round)
{
	uint64_t sum;
	unsigned int i;

	for (i = 0; i < REQUESTS; i++)
		MUST(fi_writedata(ep, tx_buf + i * BYTES, BYTES, fi_mr_desc(tx_mr),
				  0xfffffff0U + i, peer, peer_base + i * BYTES, peer_key,
				  &contexts[i]));
	sum = wait_for(2 * REQUESTS, FI_WRITE | FI_REMOTE_WRITE);
	if (sum != REQUESTS * 0xfffffff0ULL + REQUESTS * (REQUESTS - 1) / 2)
		errx(1, "the data of the writes adds up to 0x%lx", sum);
	check(round);
}

int main(int argc, char **argv)
{
	unsigned int round;

	if (argc != 3)
		errx(2, "usage: nccl_calls FILE FILE-OF-PEER");
	open_all();
	register_buffers();
	write_file(argv[1]);
	read_file(argv[2]);
	for (round = 0; round < ROUNDS; round++) {
		fill(round);
		meet();
		exchange_messages(round);
		fill(round + ROUNDS);
		meet();
		exchange_writes(round + ROUNDS);
	}
	meet();
	printf("%d rounds\n", ROUNDS);
	return 0;
}
