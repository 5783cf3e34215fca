// SPDX-License-Identifier: GPL-2.0
/*
 * The life of the objects of libfabric: which of them keeps which from closing, what an
 * operation may name, that a closed endpoint has ended although a child of fork() has its
 * descriptors, and that failures have the address of the other end and the reason.
 *
 * usage: object_calls pairs|lengths|child|failures
 */
#include <err.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "side.h"

#define TIMEOUT		60000		/* ms */

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *eq;
static struct fid_cntr *cntr;
static struct side side;
static char memory[4096];

static void open_endpoint(void)
{
	open_side(&side, domain, info, (struct fi_cq_attr){ .wait_obj = FI_WAIT_UNSPEC });
	MUST(fi_cntr_open(domain, NULL, &cntr, NULL));
	MUST(fi_ep_bind(side.ep, &eq->fid, 0));
	MUST(fi_ep_bind(side.ep, &cntr->fid, FI_SEND));
	MUST(fi_enable(side.ep));
}

static void open_all(void)
{
	struct fi_info *hints = fi_allocinfo();
	struct fi_eq_attr eq_attr = {};

	hints->caps = FI_MSG | FI_RMA | FI_ATOMIC;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->fabric_attr->prov_name = strdup("uet");
	MUST(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	fi_freeinfo(hints);
	MUST(fi_fabric(info->fabric_attr, &fabric, NULL));
	MUST(fi_eq_open(fabric, &eq_attr, &eq, NULL));
	FAILS(fi_close(&fabric->fid), FI_EBUSY);
	MUST(fi_domain(fabric, info, &domain, NULL));
	MUST(fi_domain_bind(domain, &eq->fid, 0));
	open_endpoint();
}

static void close_endpoint(void)
{
	close_side(&side);
	MUST(fi_close(&cntr->fid));
}

static void close_all(void)
{
	close_endpoint();
	FAILS(fi_close(&eq->fid), FI_EBUSY);
	MUST(fi_close(&domain->fid));
	FAILS(fi_close(&fabric->fid), FI_EBUSY);
	MUST(fi_close(&eq->fid));
	MUST(fi_close(&fabric->fid));
	fi_freeinfo(info);
}

static void test_members(void)
{
	struct fid_poll *set;

	MUST(fi_poll_open(domain, NULL, &set));
	FAILS(fi_close(&domain->fid), FI_EBUSY);
	open_endpoint();
	MUST(fi_close(&side.ep->fid));
	MUST(fi_poll_add(set, &side.cq->fid, 0));
	MUST(fi_poll_add(set, &cntr->fid, 0));
	FAILS(fi_close(&side.cq->fid), FI_EBUSY);
	FAILS(fi_close(&cntr->fid), FI_EBUSY);
	FAILS(fi_close(&set->fid), FI_EBUSY);
	MUST(fi_poll_del(set, &cntr->fid, 0));
	MUST(fi_close(&cntr->fid));
	FAILS(fi_close(&set->fid), FI_EBUSY);
	MUST(fi_poll_del(set, &side.cq->fid, 0));
	MUST(fi_close(&side.cq->fid));
	MUST(fi_close(&side.av->fid));
	MUST(fi_close(&set->fid));
}

static void test_vector(void)
{
	struct fi_av_attr av_attr = { .flags = FI_EVENT };
	struct fi_eq_attr eq_attr = {};
	struct fid_eq *own;
	struct fid_av *av;

	MUST(fi_eq_open(fabric, &eq_attr, &own, NULL));
	MUST(fi_av_open(domain, &av_attr, &av, NULL));
	MUST(fi_av_bind(av, &own->fid, 0));
	FAILS(fi_close(&own->fid), FI_EBUSY);
	MUST(fi_close(&av->fid));
	MUST(fi_close(&own->fid));
}

static void test_pairs(void)
{
	struct fid_mr *mr;

	FAILS(fi_close(&side.cq->fid), FI_EBUSY);
	FAILS(fi_close(&side.av->fid), FI_EBUSY);
	FAILS(fi_close(&cntr->fid), FI_EBUSY);
	FAILS(fi_close(&eq->fid), FI_EBUSY);
	FAILS(fi_close(&domain->fid), FI_EBUSY);
	FAILS(fi_close(&fabric->fid), FI_EBUSY);
	close_endpoint();

	test_members();
	test_vector();
	MUST(fi_mr_reg(domain, memory, sizeof(memory), FI_REMOTE_WRITE, 0, 0, 0, &mr, NULL));
	FAILS(fi_close(&domain->fid), FI_EBUSY);
	MUST(fi_close(&mr->fid));
	open_endpoint();
}

static fi_addr_t address_of(const void *name)
{
	fi_addr_t addr;

	if (fi_av_insert(side.av, name, 1, &addr, 0, NULL) != 1)
		errx(1, "fi_av_insert");
	return addr;
}

static void own_name(char *name, size_t length)
{
	MUST(fi_getname(&side.ep->fid, name, &length));
}

static void test_lengths(void)
{
	static char local[sizeof(memory)];
	struct iovec iov = { local, sizeof(local) };
	struct fi_rma_iov remote = { .len = 100 };
	struct fi_msg_rma msg = {
		.msg_iov = &iov, .iov_count = 1, .rma_iov = &remote, .rma_iov_count = 1,
	};
	struct fi_ioc ioc = { local, 1 }, result = { local + 8, 1 };
	struct fi_rma_ioc changed = { .count = 2 };
	struct fi_msg_atomic atomic = {
		.msg_iov = &ioc, .iov_count = 1, .rma_iov = &changed, .rma_iov_count = 1,
		.datatype = FI_UINT64, .op = FI_SUM,
	};
	struct fi_cq_entry entry;
	struct fid_mr *mr;
	char name[64];

	own_name(name, sizeof(name));
	msg.addr = atomic.addr = address_of(name);
	MUST(fi_mr_reg(domain, memory, sizeof(memory), FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0,
		       0, &mr, NULL));
	remote.key = changed.key = fi_mr_key(mr);
	memset(local, 1, sizeof(local));
	FAILS(fi_writemsg(side.ep, &msg, 0), FI_EINVAL);
	FAILS(fi_readmsg(side.ep, &msg, 0), FI_EINVAL);
	FAILS(fi_atomicmsg(side.ep, &atomic, 0), FI_EINVAL);
	FAILS(fi_fetch_atomicmsg(side.ep, &atomic, &result, NULL, 1, 0), FI_EINVAL);
	iov.iov_len = remote.len;
	MUST(fi_writemsg(side.ep, &msg, 0));
	MUST(fi_cq_sread(side.cq, &entry, 1, NULL, TIMEOUT));
	if (memory[99] != 1 || memory[100])
		errx(1, "the write has changed other bytes");
	changed.count = 1;
	MUST(fi_atomicmsg(side.ep, &atomic, 0));
	MUST(fi_cq_sread(side.cq, &entry, 1, NULL, TIMEOUT));
	MUST(fi_close(&mr->fid));
}

/* The closed endpoint cannot be reached, and another may have its address. */
static void test_child(void)
{
	struct fi_cq_err_entry failure = {};
	struct fi_cq_entry entry;
	struct fid_ep *heir;
	char name[64];
	pid_t child;

	own_name(name, sizeof(name));
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child)
		for (;;)
			pause();
	close_endpoint();

	open_endpoint();
	MUST(fi_send(side.ep, memory, 1, NULL, address_of(name), NULL));
	FAILS(fi_cq_sread(side.cq, &entry, 1, NULL, TIMEOUT), FI_EAVAIL);
	MUST(fi_cq_readerr(side.cq, &failure, 0));
	if (failure.err != FI_ECONNREFUSED)
		errx(1, "the send has failed with %s", fi_strerror(failure.err));
	MUST(fi_endpoint(domain, info, &heir, NULL));
	MUST(fi_setname(&heir->fid, name, info->src_addrlen));
	MUST(fi_ep_bind(heir, &side.cq->fid, FI_TRANSMIT | FI_RECV));
	MUST(fi_ep_bind(heir, &side.av->fid, 0));
	MUST(fi_enable(heir));
	MUST(fi_close(&heir->fid));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A text that begins with the address of a peer, as fi_av_straddr() has it. */
static void expect_text(const char *got, fi_addr_t peer, const char *reason)
{
	char name[64], want[256];
	size_t length = sizeof(name);

	MUST(fi_av_lookup(side.av, peer, name, &length));
	length = sizeof(want) - 128;
	fi_av_straddr(side.av, name, want, &length);
	strcat(strcat(want, ": "), reason);
	if (strcmp(got, want))
		errx(1, "the error is \"%s\", not \"%s\"", got, want);
}

/* The next completion that is no success is this error. */
static void expect_failure(int error, fi_addr_t peer, const char *reason)
{
	struct fi_cq_err_entry failure = {};
	struct fi_cq_entry entry;
	char text[256];

	while (fi_cq_sread(side.cq, &entry, 1, NULL, TIMEOUT) == 1)
		;
	MUST(fi_cq_readerr(side.cq, &failure, 0));
	if (failure.err != error)
		errx(1, "the error is %s, not %s", fi_strerror(failure.err),
		     fi_strerror(error));
	expect_text(failure.err_data, peer, reason);
	expect_text(fi_cq_strerror(side.cq, failure.prov_errno, failure.err_data, text,
				   sizeof(text)), peer, reason);
}

/* Injected operations have no completion. */
static void expect_event(fi_addr_t peer, const char *reason)
{
	struct fi_eq_err_entry failure = {};
	struct fi_cq_entry entry;
	uint32_t event;
	int i;

	for (i = 0; i < TIMEOUT; i++) {
		FAILS(fi_cq_sread(side.cq, &entry, 1, NULL, 1), FI_EAGAIN);
		if (fi_eq_read(eq, &event, &entry, sizeof(entry), 0) == -FI_EAVAIL)
			break;
	}
	MUST(fi_eq_readerr(eq, &failure, 0));
	expect_text(failure.err_data, peer, reason);
	expect_text(fi_eq_strerror(eq, failure.prov_errno, failure.err_data, NULL, 0), peer,
		    reason);
}

/*
 * The own address with another number at some offset: PIDonFEP is at 2, Resource Index at 4.
 * It has another initiator id, too, at 12: else it would be the same peer.
 */
static fi_addr_t another(size_t offset, uint16_t number)
{
	char name[64];

	own_name(name, sizeof(name));
	name[offset] = (char)(number >> 8);
	name[offset + 1] = (char)number;
	name[15] ^= (char)number;
	return address_of(name);
}

static void test_failures(void)
{
	fi_addr_t no_pid = another(2, 99), no_index = another(4, 77), self;
	char name[64];

	own_name(name, sizeof(name));
	self = address_of(name);
	MUST(fi_send(side.ep, memory, 1, NULL, no_pid, NULL));
	expect_failure(FI_ECONNREFUSED, no_pid, "no endpoint with that PIDonFEP");
	MUST(fi_send(side.ep, memory, 1, NULL, no_index, NULL));
	expect_failure(FI_ECONNREFUSED, no_index, "no endpoint with that Resource Index");
	MUST(fi_write(side.ep, memory, 1, NULL, no_pid, 0, 1, NULL));
	expect_failure(FI_ECONNREFUSED, no_pid, "no endpoint with that PIDonFEP");
	MUST(fi_write(side.ep, memory, 1, NULL, self, 0, 4711, NULL));
	expect_failure(FI_ENOKEY, self, "no memory region with that key");
	MUST(fi_inject(side.ep, memory, 1, no_pid));
	expect_event(no_pid, "no endpoint with that PIDonFEP");
	MUST(fi_recv(side.ep, memory, 10, NULL, FI_ADDR_UNSPEC, NULL));
	MUST(fi_send(side.ep, memory + 100, 25, NULL, self, NULL));
	expect_failure(FI_ETRUNC, self, "the message has 25 bytes, its receive 10");
}

int main(int argc, char **argv)
{
	const char *test = argc == 2 ? argv[1] : "";

	open_all();
	if (!strcmp(test, "pairs"))
		test_pairs();
	else if (!strcmp(test, "lengths"))
		test_lengths();
	else if (!strcmp(test, "child"))
		test_child();
	else if (!strcmp(test, "failures"))
		test_failures();
	else
		errx(2, "usage: object_calls pairs|lengths|child|failures");
	close_all();
	return 0;
}
