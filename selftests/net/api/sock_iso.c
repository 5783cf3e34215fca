// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what keeps jobs, users and processes apart: Ann has a job with an
 * endpoint and memory, Bob has a job of his own on the same FEPs, knows all
 * addresses and keys, and reaches nothing of hers.  Started by isolation.sh, see
 * uetjob.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetjob.h"
#include "uetrma.h"

#define PAGE	4096

/* Return codes, UE 1.0.1 Table 3-19. */
#define RC_PERM_VIOLATION	0x17
#define RC_BAD_INDEX		0x19
#define RC_BAD_PID		0x1a

#define ANN_PID	21
#define ANN_RI	22

static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };

/**
 * struct victim - what Ann has
 * @fd: her endpoint, on the second FEP
 * @mem: her memory, a page of zeroes
 * @key: it may be written and changed
 * @safe_key: it may be written twice
 */
struct victim {
	int fd;
	uint8_t *mem;
	uint64_t key, safe_key;
};

static struct victim make_victim(bool is_absolute)
{
	struct sockaddr_uet addr = uj_addr(uj_job("UET_JOB_ANN"), 1, ANN_PID,
					   ANN_RI);
	struct uet_mr_reg reg = {
		.length = PAGE, .access = UET_MR_WRITE,
		.flags = UET_MR_IDEMPOTENT_SAFE,
	};
	struct victim v = { .fd = us_socket(), .mem = us_map(PAGE) };

	if (is_absolute)
		addr.suet_flags |= UET_ADDR_ABSOLUTE;
	uj_become(ANN, ANN);
	ASSERT_SYS(us_bind(v.fd, &addr));
	uj_become(0, 0);
	us_want_ctx(v.fd);
	v.key = us_reg(v.fd, v.mem, PAGE, UET_MR_WRITE | UET_MR_ATOMIC);
	reg.addr = (uintptr_t)v.mem;
	ASSERT_SYS(uet_ioctl(v.fd, UET_IOC_MR_REG, &reg));
	v.safe_key = reg.key;
	return v;
}

/* Nothing has come to her, and nothing was changed. */
static void expect_unharmed(const struct victim *v)
{
	char byte;

	EXPECT_FAILS(recv(v->fd, &byte, 1, MSG_DONTWAIT), EAGAIN);
	for (size_t i = 0; i < PAGE; i++)
		ASSERT_EQ(v->mem[i], 0);
}

static void expect_refused(int fd, uint8_t rc, int error)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.rc, rc);
	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.length, 0);
}

/* The operation on one byte with this cookie has succeeded. */
static void expect_done(int fd, uint64_t cookie)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, 1);
}

/* Write one byte, to be completed with cookie 2. */
static void put_byte(int fd, uint64_t key)
{
	struct us_rma put = { UET_OP_WRITE, 2, { key, 0 }, NULL, NULL, 0, NULL };

	EXPECT_EQ(us_rma(fd, &put, "x", 1), 1);
}

/*
 * All that a connected socket can do to its peer: messages of one packet and of
 * many, writes with and without a PDC, and atomic operations.
 */
static void try_all(int fd, const struct victim *v, uint8_t rc, int error)
{
	static const size_t lens[] = { 1, 3 * PAGE };
	const struct uet_atomic sum = {
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT64,
	};
	const uint64_t hdata = 5;
	struct us_rma put = { UET_OP_WRITE, 2, { v->key, 0 }, NULL, NULL, 0, NULL };
	struct us_rma amo = { UET_OP_ATOMIC, 3, { v->key, 0 }, NULL, &sum, 0, NULL };

	for (size_t i = 0; i < 2; i++) {
		EXPECT_EQ(us_post(fd, 1, lens[i], 0), lens[i]);
		expect_refused(fd, rc, error);
	}
	EXPECT_EQ(us_rma(fd, &put, "attack", 6), 6);
	expect_refused(fd, rc, error);
	put.hdata = &hdata;
	EXPECT_EQ(us_rma(fd, &put, "attack", 6), 6);
	expect_refused(fd, rc, error);
	put.hdata = NULL;
	put.at.key = v->safe_key;
	put.flags = UET_OP_RUDI;
	EXPECT_EQ(us_rma(fd, &put, "attack", 6), 6);
	expect_refused(fd, rc, error);
	EXPECT_EQ(us_rma(fd, &amo, "attack!!", 8), 8);
	expect_refused(fd, rc, error);
}

/* --------------------------------------------------------- another's job */

TEST(job__of_another_user_cannot_be_bound)
{
	uint32_t ann = uj_job("UET_JOB_ANN");
	struct sockaddr_uet to = uj_addr(ann, 1, ANN_PID, ANN_RI);
	struct victim v = make_victim(false);
	int fd = us_socket();

	uj_become(BOB, BOB);
	EXPECT_FAILS(uj_bind(fd, ann, 0, UET_PID_ANY, 0), EACCES);
	EXPECT_FAILS(us_connect(fd, &to), EACCES);
	EXPECT_FAILS(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), EACCES);
	EXPECT(us_explains(fd, "not the user or group of job"));
	EXPECT_EQ(us_name(fd).suet_job, 0);
	expect_unharmed(&v);
}

TEST(job__of_another_user_is_no_destination)
{
	static const int all[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	struct sockaddr_uet to = uj_addr(uj_job("UET_JOB_ANN"), 1, ANN_PID,
					 ANN_RI);
	uint32_t bob = uj_job("UET_JOB_BOB");
	struct uet_op op = us_op(UET_OP_SEND, 1);
	struct victim v = make_victim(false);
	int fd;

	for (size_t i = 0; i < 6; i++) {
		to.suet_flags = i < 3 ? 0 : UET_ADDR_ABSOLUTE;
		fd = uj_endpoint_of(all[i % 3], BOB, bob, 0, UET_PID_ANY, 0);
		uj_become(BOB, BOB);
		EXPECT_FAILS(us_connect(fd, &to), EACCES);
		EXPECT(us_explains(fd, "of the socket"));
		EXPECT_FAILS(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)),
			     EACCES);
		if (all[i % 3] != SOCK_DGRAM) {
			EXPECT_FAILS(us_send_op(fd, &op, &to, "x", 1, 0),
				     EACCES);
			us_expect_none(fd);
		}
		uj_become(0, 0);
	}
	expect_unharmed(&v);
}

/* In his own job her numbers are nobody's. */
TEST(relative__address_of_another_job_is_another_address)
{
	uint32_t bob = uj_job("UET_JOB_BOB");
	struct sockaddr_uet to = uj_addr(bob, 1, ANN_PID, ANN_RI);
	struct victim v = make_victim(false);
	int fd, own;

	for (size_t i = 0; i < 2; i++) {
		fd = uj_endpoint_of(types[i], BOB, bob, 0, UET_PID_ANY, 0);
		ASSERT_SYS(us_connect(fd, &to));
		try_all(fd, &v, RC_BAD_PID, ECONNREFUSED);
	}
	/* Or his: the key means nothing there. */
	own = uj_endpoint(BOB, bob, 1, ANN_PID, ANN_RI);
	EXPECT_EQ(us_post(fd, 9, 1, 0), 1);
	expect_done(fd, 9);
	put_byte(fd, v.key);
	expect_refused(fd, US_RC_BAD_MKEY, EFAULT);
	EXPECT_EQ(recv(own, &to, 1, 0), 1);
	expect_unharmed(&v);
}

/* An absolute address leads to her endpoint, with his JobID. */
TEST(absolute__address_of_another_job_is_refused)
{
	uint32_t bob = uj_job("UET_JOB_BOB");
	struct sockaddr_uet to = uj_addr(bob, 1, ANN_PID, ANN_RI);
	struct victim v = make_victim(true);
	int fd;

	to.suet_flags |= UET_ADDR_ABSOLUTE;
	for (size_t i = 0; i < 2; i++) {
		fd = uj_endpoint_of(types[i], BOB, bob, 0, UET_PID_ANY, 0);
		ASSERT_SYS(us_connect(fd, &to));
		try_all(fd, &v, RC_PERM_VIOLATION, EACCES);
		/* Without a completion it is a late error. */
		EXPECT_EQ(us_send(fd, 1, 100, 0), 100);
		EXPECT_FAILS(shutdown(fd, SHUT_WR), EACCES);
		EXPECT(us_explains(fd, "perm-violation"));
	}
	expect_unharmed(&v);
	/* With hers it is right: she writes as she likes. */
	to.suet_job = uj_job("UET_JOB_ANN");
	fd = uj_endpoint(ANN, to.suet_job, 0, UET_PID_ANY, 0);
	ASSERT_SYS(us_connect(fd, &to));
	put_byte(fd, v.key);
	expect_done(fd, 2);
	EXPECT_EQ(v.mem[0], 'x');
}

/* A datagram is not answered: the one behind it says when it has come. */
TEST(absolute__datagrams_of_another_job_are_dropped)
{
	uint32_t bob = uj_job("UET_JOB_BOB");
	struct sockaddr_uet to = uj_addr(bob, 1, ANN_PID, ANN_RI);
	int rx = uj_endpoint(BOB, bob, 1, 5, 5);
	struct sockaddr_uet own = us_name(rx);
	struct victim v = make_victim(true);
	int fd = uj_endpoint_of(SOCK_DGRAM, BOB, bob, 0, UET_PID_ANY, 0);
	char byte;

	to.suet_flags |= UET_ADDR_ABSOLUTE;
	EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(sendto(fd, "y", 1, 0, (void *)&own, sizeof(own)), 1);
	EXPECT_EQ(recv(rx, &byte, 1, 0), 1);
	EXPECT_EQ(byte, 'y');
	expect_unharmed(&v);
}

/* The JobID is that of the socket, whatever address the process binds. */
TEST(job_id__is_the_kernels)
{
	uint32_t ann = uj_job("UET_JOB_ANN"), bob = uj_job("UET_JOB_BOB");
	uint32_t alias = ANN_PID << 12 | ANN_RI;
	struct victim v = make_victim(false);
	int rx = uj_endpoint(BOB, bob, 1, 6, 6), fd;
	struct sockaddr_uet to = us_name(rx), from;
	struct us_ctx_msg m;
	struct uet_ctx ctx;
	char byte;

	us_want_ctx(rx);
	for (size_t i = 0; i < 3; i++) {
		fd = us_socket_of(i < 2 ? types[i] : SOCK_DGRAM);
		ASSERT_SYS(setsockopt(fd, SOL_UET, UET_INITIATOR, &alias, 4));
		uj_become(BOB, BOB);
		ASSERT_SYS(uj_bind(fd, bob, 0, UET_PID_ANY, 0));
		uj_become(0, 0);
		EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
		EXPECT_EQ(recvfrom(rx, &byte, 1, MSG_PEEK, (void *)&from,
				   &(socklen_t){ sizeof(from) }), 1);
		EXPECT_EQ(from.suet_job, bob);
		EXPECT_EQ(us_recv_ctx(rx, &m, &byte, 1, 0), 1);
		ctx = us_ctx(&m);
		EXPECT_EQ(ctx.job, bob);
		EXPECT_EQ(ctx.initiator, alias);
		EXPECT_NE(ctx.job, ann);
	}
	expect_unharmed(&v);
}

/* -------------------------------------------------- the same job, others */

TEST(address__of_another_process_cannot_be_bound)
{
	static const int all[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	uint32_t ann = uj_job("UET_JOB_ANN"), few = uj_job("UET_JOB_FEW");
	struct victim v = make_victim(false);
	struct sockaddr_uet addr = us_name(v.fd);
	int abs = us_socket();
	pid_t pid;

	pid = CHILD({
		uj_become(ANN, ANN);
		for (size_t i = 0; i < 3; i++)
			EXPECT_FAILS(us_bind(us_socket_of(all[i]), &addr),
				     EADDRINUSE);
	});
	harness_join(pid);
	/* Absolute ones are taken from all jobs. */
	addr = uj_addr(ann, 1, 101, ANN_RI);
	addr.suet_flags = UET_ADDR_ABSOLUTE;
	uj_become(ANN, ANN);
	ASSERT_SYS(us_bind(abs, &addr));
	pid = CHILD({
		addr.suet_job = few;
		EXPECT_FAILS(us_bind(us_socket(), &addr), EADDRINUSE);
		/* And nobody gets one outside the range of his job. */
		addr.suet_pid = 5;
		EXPECT_FAILS(us_bind(us_socket(), &addr), EADDRNOTAVAIL);
	});
	harness_join(pid);
}

/* A key is one of an endpoint: neither of its neighbours nor of the job. */
TEST(key__works_on_its_own_endpoint_only)
{
	static const struct { int pid, ri; uint8_t rc; int error; } near[] = {
		{ ANN_PID, ANN_RI + 1, US_RC_BAD_MKEY, EFAULT },
		{ ANN_PID + 1, ANN_RI, US_RC_BAD_MKEY, EFAULT },
		{ ANN_PID, ANN_RI + 2, RC_BAD_INDEX, ECONNREFUSED },
		{ ANN_PID + 2, ANN_RI, RC_BAD_PID, ECONNREFUSED },
	};
	uint32_t ann = uj_job("UET_JOB_ANN");
	struct victim v = make_victim(false);
	struct us_rma put = { UET_OP_WRITE, 2, { v.key, 0 }, NULL, NULL, 0, NULL };
	struct sockaddr_uet to;
	int fd;

	for (size_t i = 0; i < 2; i++)
		uj_endpoint(ANN, ann, 1, near[i].pid, near[i].ri);
	fd = uj_endpoint(ANN, ann, 0, UET_PID_ANY, 0);
	for (size_t i = 0; i < 4; i++) {
		to = uj_addr(ann, 1, near[i].pid, near[i].ri);
		ASSERT_SYS(us_connect(fd, &to));
		EXPECT_EQ(us_rma(fd, &put, "attack", 6), 6);
		expect_refused(fd, near[i].rc, near[i].error);
	}
	expect_unharmed(&v);
}

TEST(key__is_not_guessed)
{
	struct victim v = make_victim(false);
	struct us_rma put = { UET_OP_WRITE, 2, { 0, 0 }, NULL, NULL, 0, NULL };
	struct sockaddr_uet to = us_name(v.fd);
	int fd = uj_endpoint(ANN, to.suet_job, 0, UET_PID_ANY, 0);

	ASSERT_SYS(us_connect(fd, &to));
	for (int i = 0; i < 64; i++) {
		/* Each bit of it counts, those that no key has too. */
		put.at.key = v.key ^ 1ull << i;
		EXPECT_EQ(us_rma(fd, &put, "attack", 6), 6);
		expect_refused(fd, US_RC_BAD_MKEY, EFAULT);
	}
	expect_unharmed(&v);
}

/* A process without privilege cannot make its own packets. */
TEST(raw__sockets_are_for_the_privileged)
{
	uj_become(BOB, BOB);
	EXPECT_FAILS(socket(AF_INET, SOCK_RAW, 253), EPERM);
	EXPECT_FAILS(socket(AF_PACKET, SOCK_RAW, 0), EPERM);
}

HARNESS_MAIN()
