// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of operations of a peer on memory (FI_RMA_EVENT): each operation counts once, for
 * its region and for its endpoint, a write not before its bytes are there.  Memory that
 * cannot be written can be read by the peer.  Both endpoints are here.
 *
 * usage: event_calls
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "side.h"

#define BYTES		(1UL << 20)	/* the longest write */
#define WRITES		8
#define TIMEOUT		60000		/* ms */

/* Memory of the target, and its counter. */
struct region {
	struct fid_mr *mr;
	struct fid_cntr *cntr;
	char *buf;
	uint64_t value;
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct side initiator, target;
static struct fid_cntr *writes, *reads;
static char *tx_buf;

static void open_domain(void)
{
	struct fi_info *hints = fi_allocinfo();

	hints->caps = FI_MSG | FI_RMA | FI_ATOMIC | FI_RMA_EVENT;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->fabric_attr->prov_name = strdup("uet");
	MUST(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	fi_freeinfo(hints);
	if (!(info->caps & FI_RMA_EVENT) || info->ep_attr->max_msg_size != BYTES)
		errx(1, "FI_RMA_EVENT is not answered as documented");
	MUST(fi_fabric(info->fabric_attr, &fabric, NULL));
	MUST(fi_domain(fabric, info, &domain, NULL));
	MUST(fi_cntr_open(domain, NULL, &writes, NULL));
	MUST(fi_cntr_open(domain, NULL, &reads, NULL));
}

static void open_sides(void)
{
	const struct fi_cq_attr cq_attr = { .wait_obj = FI_WAIT_UNSPEC };

	open_side(&initiator, domain, info, cq_attr);
	open_side(&target, domain, info, cq_attr);
	MUST(fi_ep_bind(target.ep, &writes->fid, FI_REMOTE_WRITE));
	MUST(fi_ep_bind(target.ep, &reads->fid, FI_REMOTE_READ));
	MUST(fi_enable(initiator.ep));
	MUST(fi_enable(target.ep));
	insert_peer(&initiator, &target);
	insert_peer(&target, &initiator);
}

static void open_region(struct region *r)
{
	r->buf = calloc(WRITES, BYTES);
	if (!r->buf)
		err(1, "calloc");
	MUST(fi_cntr_open(domain, NULL, &r->cntr, NULL));
	MUST(fi_mr_reg(domain, r->buf, WRITES * BYTES, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0,
		       FI_RMA_EVENT, &r->mr, NULL));
	FAILS(fi_mr_bind(r->mr, &r->cntr->fid, FI_REMOTE_READ), FI_EBADFLAGS);
	MUST(fi_mr_bind(r->mr, &r->cntr->fid, FI_REMOTE_WRITE));
	FAILS(fi_mr_bind(r->mr, &r->cntr->fid, FI_REMOTE_WRITE), FI_EINVAL);
	FAILS(fi_close(&r->cntr->fid), FI_EBUSY);
	r->value = 0;
}

/* Wait for @count operations of the initiator to end. */
static void finish(unsigned int count)
{
	struct fi_cq_entry entry;

	for (; count; count--)
		MUST(fi_cq_sread(initiator.cq, &entry, 1, NULL, TIMEOUT));
}

/* The counter of a region has @more than at the last call, and no more than that. */
static void expect_more(struct region *r, uint64_t more)
{
	r->value += more;
	MUST(fi_cntr_wait(r->cntr, r->value, TIMEOUT));
	if (fi_cntr_read(r->cntr) != r->value)
		errx(1, "the counter of a region is %lu, not %lu", fi_cntr_read(r->cntr),
		     r->value);
}

static void expect_bytes(const struct region *r, size_t offset, size_t length)
{
	if (memcmp(r->buf + offset, tx_buf, length))
		errx(1, "a write is counted, but not there");
}

static void write_at(const struct region *r, size_t offset, size_t length)
{
	ssize_t ret;

	while ((ret = fi_write(initiator.ep, tx_buf, length, NULL, initiator.peer, offset,
			       fi_mr_key(r->mr), NULL)) == -FI_EAGAIN)
		fi_cq_read(initiator.cq, NULL, 0);
	MUST(ret);
}

static void test_writes(struct region *r)
{
	static const size_t lengths[] = { 1, 4096, 4097, 65536, BYTES };
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(r->buf, 0, BYTES);
		write_at(r, 0, lengths[i]);
		expect_more(r, 1);
		expect_bytes(r, 0, lengths[i]);
		finish(1);
	}
	for (i = 0; i < WRITES; i++)
		write_at(r, i * BYTES, BYTES);
	expect_more(r, WRITES);
	for (i = 0; i < WRITES; i++)
		expect_bytes(r, i * BYTES, BYTES);
	finish(WRITES);
	FAILS(fi_write(initiator.ep, tx_buf, BYTES + 1, NULL, initiator.peer, 0,
		       fi_mr_key(r->mr), NULL), FI_EMSGSIZE);
}

static void *write_later(void *arg)
{
	usleep(20000);
	write_at(arg, 0, 100);
	return NULL;
}

/* A counter wakes a thread that waits for it. */
static void test_sleep(struct region *r)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_later, r))
		errx(1, "pthread_create");
	expect_more(r, 1);
	pthread_join(thread, NULL);
	finish(1);
}

/* A read is no write; an atomic operation is one, with and without a result. */
static void test_others(struct region *r)
{
	uint64_t value = 5, result;

	MUST(fi_read(initiator.ep, tx_buf, BYTES, NULL, initiator.peer, 0, fi_mr_key(r->mr),
		     NULL));
	finish(1);
	MUST(fi_atomic(initiator.ep, &value, 1, NULL, initiator.peer, 0, fi_mr_key(r->mr),
		       FI_UINT64, FI_SUM, NULL));
	finish(1);
	expect_more(r, 1);
	MUST(fi_fetch_atomic(initiator.ep, &value, 1, NULL, &result, NULL, initiator.peer, 0,
			     fi_mr_key(r->mr), FI_UINT64, FI_SUM, NULL));
	finish(1);
	expect_more(r, 1);
}

/* A counter keeps the operations on a region that was closed. */
static void test_close(struct region *r)
{
	write_at(r, 0, 100);
	finish(1);
	MUST(fi_close(&r->mr->fid));
	expect_more(r, 1);
	MUST(fi_close(&r->cntr->fid));
	free(r->buf);
}

/* The peer reads memory that this process cannot write. */
static void read_peer(void *memory, size_t length)
{
	char *got = malloc(length);
	struct fid_mr *mr;

	if (memory == MAP_FAILED || !got)
		err(1, "no memory");
	MUST(fi_mr_reg(domain, memory, length, FI_SEND | FI_REMOTE_READ, 0, 0, 0, &mr, NULL));
	MUST(fi_read(initiator.ep, got, length, NULL, initiator.peer, 0, fi_mr_key(mr), NULL));
	finish(1);
	if (memcmp(got, memory, length))
		errx(1, "the peer has read other bytes");
	MUST(fi_close(&mr->fid));
	munmap(memory, length);
	free(got);
}

static void test_read_only(void)
{
	const unsigned int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
	int file = open("/proc/self/exe", O_RDONLY);
	int sealed = memfd_create("event", MFD_ALLOW_SEALING);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", sealed);
	if (file < 0 || write(sealed, tx_buf, 8192) != 8192 ||
	    fcntl(sealed, F_ADD_SEALS, seals))
		err(1, "files");
	read_peer(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
	read_peer(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, file, 0), 8192);
	read_peer(mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0), 8192);
	close(file);
	file = open(path, O_RDONLY);
	read_peer(mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0), 8192);
	close(file);
	close(sealed);
}

static void close_all(void)
{
	close_side(&initiator);
	close_side(&target);
	MUST(fi_close(&writes->fid));
	MUST(fi_close(&reads->fid));
	MUST(fi_close(&domain->fid));
	MUST(fi_close(&fabric->fid));
	fi_freeinfo(info);
}

int main(void)
{
	struct region first, second;
	size_t i;

	tx_buf = malloc(BYTES + 1);
	if (!tx_buf)
		err(1, "malloc");
	for (i = 0; i <= BYTES; i++)
		tx_buf[i] = (char)(i * 7 + i / 4096 + 1);
	open_domain();
	open_region(&first);
	open_sides();
	open_region(&second);
	test_writes(&first);
	test_writes(&second);
	test_sleep(&first);
	test_others(&second);
	/* In both regions: the writes and the atomic operation; the read and the fetch. */
	MUST(fi_cntr_wait(writes, first.value + second.value - 1, TIMEOUT));
	MUST(fi_cntr_wait(reads, 2, TIMEOUT));
	if (fi_cntr_read(writes) != first.value + second.value - 1 || fi_cntr_read(reads) != 2)
		errx(1, "the counters of the endpoint are %lu and %lu", fi_cntr_read(writes),
		     fi_cntr_read(reads));
	test_close(&first);
	test_close(&second);
	test_read_only();
	close_all();
	free(tx_buf);
	return 0;
}
