// SPDX-License-Identifier: GPL-2.0
/*
 * libuet without a kernel that knows UET: addresses as text, names of codes, refusals of
 * wrong arguments by name, the environment of a launcher, and completions from a ring
 * that the test fills.  Level: test.
 */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "env.h"
#include "utest.h"

#define ENTRIES	4

/* Of the core, whose headers define the opcodes once more. */
const char *uet_ses_rc_name(uint8_t rc);

static char why[UET_ERROR_SIZE];

static void parses(const char *text, const char *again)
{
	struct sockaddr_uet addr;
	char out[UET_ADDR_SIZE];

	ASSERT_EQ(uet_addr_parse(&addr, text, why), 0);
	EXPECT_STREQ(uet_addr_text(&addr, out, sizeof(out)), again);
}

TEST(addr__is_text_and_back)
{
	parses("10.0.0.1/20/3", "10.0.0.1/20/3");
	parses("10.0.0.1/20", "10.0.0.1/20/1");
	parses("*/*/*", "*/*/*");
	parses("fd00::1/4095/4095", "fd00::1/4095/4095");
	parses("fe80::1%lo/0/1", "fe80::1%lo/0/1");
	parses("10.0.0.1/20/3/absolute", "10.0.0.1/20/3/absolute");
}

TEST(addr__has_the_fields)
{
	struct sockaddr_uet addr;

	ASSERT_EQ(uet_addr_parse(&addr, "10.1.2.3/7/9", NULL), 0);
	EXPECT_EQ(addr.suet_family, uet_af());
	EXPECT_EQ(addr.suet_version, UET_ADDR_VERSION);
	EXPECT_EQ(addr.suet_flags, 0);
	EXPECT_EQ(addr.suet_job, 0);
	EXPECT_MEMEQ(&addr.suet_fa4, "\x0a\x01\x02\x03", 4);
	EXPECT_EQ(addr.suet_pid, 7);
	EXPECT_EQ(addr.suet_ri, 9);
	ASSERT_EQ(uet_addr_parse(&addr, "::1/*/*", NULL), 0);
	EXPECT_EQ(addr.suet_flags, UET_ADDR_IPV6);
	EXPECT_EQ(addr.suet_pid, UET_PID_ANY);
	EXPECT_EQ(addr.suet_ri, 0);
}

static void is_refused(const char *text, const char *reason)
{
	struct sockaddr_uet addr;

	errno = 0;
	EXPECT_EQ(uet_addr_parse(&addr, text, why), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_STREQ(why, reason);
}

TEST(addr__is_refused_by_field_and_limit)
{
	char longer[200];

	is_refused("10.0.0.1", "'10.0.0.1' is not FA/PID, FA/PID/RI or FA/PID/RI/absolute");
	is_refused("10.0.0.1/1/2/x",
		   "'10.0.0.1/1/2/x' is not FA/PID, FA/PID/RI or FA/PID/RI/absolute");
	is_refused("10.0.0/1", "'10.0.0' is not an IPv4 or IPv6 fabric address");
	is_refused("10.0.0.1/4096", "PIDonFEP '4096' is neither a number 0..4095 nor *");
	is_refused("10.0.0.1/-1", "PIDonFEP '-1' is neither a number 0..4095 nor *");
	is_refused("10.0.0.1/", "PIDonFEP '' is neither a number 0..4095 nor *");
	is_refused("10.0.0.1/1/0", "Resource Index '0' is neither a number 1..4095 nor *");
	is_refused("10.0.0.1/1/1x", "Resource Index '1x' is neither a number 1..4095 nor *");
	is_refused("fe80::1%nosuch/1", "'nosuch' is not an interface of this host");
	memset(longer, '1', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	is_refused(longer, "an address of 199 bytes is longer than 95");
}

TEST(addr__text_needs_space)
{
	struct sockaddr_uet addr;
	char out[UET_ADDR_SIZE];

	ASSERT_EQ(uet_addr_parse(&addr, "10.0.0.1/20/3", NULL), 0);
	EXPECT_STREQ(uet_addr_text(&addr, out, sizeof("10.0.0.1/20/3")), "10.0.0.1/20/3");
	EXPECT_NULL(uet_addr_text(&addr, out, sizeof("10.0.0.1/20/3") - 1));
	EXPECT_EQ(errno, ENOSPC);
	addr.suet_version = 9;
	EXPECT_NULL(uet_addr_text(&addr, out, sizeof(out)));
	EXPECT_EQ(errno, EINVAL);
}

TEST(names__are_those_of_the_core)
{
	unsigned int rc;

	for (rc = 0; rc < 256; rc++)
		EXPECT_STREQ(uet_rc_name(rc), uet_ses_rc_name(rc));
}

TEST(names__describe_completions)
{
	struct uet_completion done = { .opcode = UET_OP_WRITE, .rc = 1, .length = 5 };
	char text[96];

	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)), "WRITE of 5 bytes");
	done.error = EFAULT;
	done.rc = 0x1c;
	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)),
		     "WRITE: no memory region with that key (bad-mkey)");
	EXPECT_STREQ(libuet_describe(&done, "10.0.0.2/20/1", text, sizeof(text)),
		     "WRITE to 10.0.0.2/20/1: no memory region with that key (bad-mkey)");
	done.rc = 0x31;
	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)),
		     "WRITE: unknown return code 0x31 (reserved)");
	done.rc = 0;
	done.error = ETIMEDOUT;
	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)),
		     "WRITE: no answer for as long as peer-timeout");
	done.error = ECONNRESET;
	done.nack_code = 0x10;
	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)),
		     "WRITE: the connection was refused, NACK code 0x10");
	done.error = EMSGSIZE;
	done.flags = UET_COMPLETION_REFUSED;
	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)),
		     "WRITE: refused here: Message too long");
	done = (struct uet_completion){ .error = ECANCELED, .flags = UET_COMPLETION_RECV };
	EXPECT_STREQ(uet_completion_text(&done, text, sizeof(text)),
		     "receive: Operation canceled");
	EXPECT_STREQ(libuet_describe(&done, "10.0.0.2/20/1", text, sizeof(text)),
		     "receive from 10.0.0.2/20/1: Operation canceled");
	EXPECT_STREQ(uet_completion_text(&done, text, 8), "receive");
}

/* A module that cannot tell the address: the number of the peer stands for it. */
TEST(names__describe_failures_of_peers)
{
	struct uet_completion done = { .opcode = UET_OP_SEND, .rc = 0x1a, .peer = 7,
				       .error = ECONNREFUSED };
	struct uet u = { .fd = -1 };
	char text[96];

	EXPECT_STREQ(uet_failure_text(&u, &done, text, sizeof(text)),
		     "SEND to peer 7: no endpoint with that PIDonFEP (bad-pid)");
	done.peer = 0;
	EXPECT_STREQ(uet_failure_text(&u, &done, text, sizeof(text)),
		     "SEND: no endpoint with that PIDonFEP (bad-pid)");
}

/* uet_open() fails with the reason. */
static void opens_not(const struct uet_attr *attr, int error, const char *reason)
{
	errno = 0;
	*why = 0;
	EXPECT_NULL(uet_open(attr, why));
	EXPECT_EQ(errno, error);
	EXPECT_STREQ(why, reason);
}

#define REFUSED(reason, ...)	do {						\
	const struct uet_attr _attr = { __VA_ARGS__ };				\
	opens_not(&_attr, EINVAL, reason);					\
} while (0)

TEST(open__refuses_attributes_by_name)
{
	struct sockaddr_uet peer;

	ASSERT_EQ(uet_addr_parse(&peer, "10.0.0.1/1", NULL), 0);
	REFUSED("uet_attr.type 1 is not SOCK_RDM, SOCK_SEQPACKET or SOCK_DGRAM",
		.type = SOCK_STREAM);
	REFUSED("uet_attr.flags 0x4, known are 0x3", .flags = 4);
	REFUSED("uet_attr.job 16777216 is above 16777215", .job = UET_JOBID_MAX + 1);
	REFUSED("uet_attr.job_fd -1 is below 0", .job_fd = -1);
	REFUSED("uet_attr.ri 2046 is above 2045", .ri = 2046);
	REFUSED("uet_attr.wait 3600001 is above 3600000", .wait = 3600001);
	REFUSED("uet_attr.size 65537 is above 65536", .size = 65537, .peers = &peer);
	REFUSED("uet_attr.peers is NULL with size 2", .size = 2);
	REFUSED("uet_attr.peers is not NULL with size 0", .peers = &peer);
	REFUSED("uet_attr.rank 1 is not below size 1", .rank = 1, .size = 1,
		.peers = &peer);
	REFUSED("uet_attr.completions 16385 is above 16384", .completions = 16385);
	REFUSED("uet_attr.reserved is not 0", .reserved = { 0, 0, 0, 1 });
	REFUSED("no job: neither uet_attr.job, UET_JOB nor UET_JOB_FD; start with \"ueadm job run\"",
		.flags = UET_OPEN_NO_ENV);
}

static void variables(const char *rank, const char *size, const char *peers)
{
	setenv("UET_JOB", "5", 1);
	setenv("UET_RANK", rank, 1);
	setenv("UET_SIZE", size, 1);
	setenv("UET_PEERS", peers, 1);
}

TEST(open__refuses_variables_by_name)
{
	setenv("UET_JOB", "x", 1);
	opens_not(NULL, EINVAL, "UET_JOB='x' is not a number 0..16777215");
	variables("2", "2", "10.0.0.1/1,10.0.0.1/2");
	opens_not(NULL, EINVAL, "UET_RANK=2 is not below UET_SIZE=2");
	variables("0", "2", "10.0.0.1/1");
	opens_not(NULL, EINVAL, "UET_PEERS does not have as many addresses as UET_SIZE=2");
	variables("0", "1", "10.0.0.1/1,10.0.0.1/2");
	opens_not(NULL, EINVAL, "UET_PEERS does not have as many addresses as UET_SIZE=1");
	variables("0", "2", "10.0.0.1/1,here/2");
	opens_not(NULL, EINVAL,
		  "UET_PEERS: 'here' is not an IPv4 or IPv6 fabric address");
	variables("0", "99999", "");
	opens_not(NULL, EINVAL, "UET_SIZE='99999' is not a number 0..65536");
	variables("0", "2", "");
	unsetenv("UET_PEERS");
	opens_not(NULL, EINVAL, "UET_SIZE=2, but there is no UET_PEERS");
	unsetenv("UET_JOB");
	unsetenv("UET_RANK");
	unsetenv("UET_SIZE");
}

/* The variables NAME=VALUE... of a launcher, with two addresses: what the reader finds. */
static void ranks_are(uint32_t rank, uint32_t size, const char *reason, ...)
{
	struct uet u = { .fd = -1, .size = 1 };
	const char *variable;
	char name[64];
	va_list args;
	int ret;

	setenv("UET_PEERS", "10.0.0.1/1,10.0.0.1/2", 1);
	va_start(args, reason);
	while ((variable = va_arg(args, const char *)))
		putenv((char *)variable);
	va_end(args);
	ret = libuet_env_ranks(&u, 25, 1);
	EXPECT_EQ(ret, *reason ? -1 : 0);
	EXPECT_STREQ(uet_strerror(&u), reason);
	if (!ret) {
		EXPECT_EQ(u.rank, rank);
		EXPECT_EQ(u.size, size);
	}
	free(u.addrs);
	va_start(args, reason);
	while ((variable = va_arg(args, const char *))) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(variable, "="), variable);
		unsetenv(name);
	}
	va_end(args);
	unsetenv("UET_PEERS");
}

#define RANKS(rank, size, reason, ...)	ranks_are(rank, size, reason, __VA_ARGS__, NULL)

TEST(env__takes_the_rank_of_each_launcher)
{
	RANKS(1, 2, "", "UET_RANK=1", "UET_SIZE=2", "PMI_RANK=0", "PMI_SIZE=2");
	/* mpirun of Open MPI 4.1, by itself, and in an allocation of Slurm */
	RANKS(1, 2, "", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2", "PMIX_RANK=1",
	      "PMIX_NAMESPACE=2037579777");
	RANKS(1, 2, "", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2", "PMIX_RANK=1",
	      "PMIX_NAMESPACE=2037579777", "SLURM_PROCID=0", "SLURM_NTASKS=9",
	      "SLURM_STEP_NUM_TASKS=9");
	/* Hydra of MPICH, srun --mpi=pmi2 */
	RANKS(1, 2, "", "PMI_RANK=1", "PMI_SIZE=2", "SLURM_PROCID=0", "SLURM_NTASKS=9");
	/* srun --mpi=pmix: a step has fewer tasks than its allocation */
	RANKS(1, 2, "", "PMIX_RANK=1", "PMIX_NAMESPACE=slurm.pmix.12.0", "SLURM_PROCID=1",
	      "SLURM_NTASKS=8", "SLURM_STEP_NUM_TASKS=2");
	RANKS(1, 2, "", "PMIX_RANK=1", "PMIX_NAMESPACE=slurm.pmix.12.0", "SLURM_NTASKS=2");
	/* prun of PRRTE tells no size, and what it inherits is not its own */
	RANKS(1, 2, "", "PMIX_RANK=1", "PMIX_NAMESPACE=prterun-h1-99@1", "SLURM_PROCID=0",
	      "SLURM_NTASKS=9");
	RANKS(0, 0, "PMIX_RANK=2 is not below addresses in UET_PEERS=2", "PMIX_RANK=2");
	RANKS(1, 2, "", "FLUX_TASK_RANK=1", "FLUX_JOB_SIZE=2");
	/* srun */
	RANKS(1, 2, "", "SLURM_PROCID=1", "SLURM_NTASKS=2");
	RANKS(1, 2, "", "SLURM_PROCID=1", "SLURM_NTASKS=8", "SLURM_STEP_NUM_TASKS=2");
	RANKS(0, 0, "UET_PEERS does not have as many addresses as OMPI_COMM_WORLD_SIZE=3",
	      "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=3");
	RANKS(0, 0, "PMI_RANK='x' is not a number 0..2147483647", "PMI_RANK=x", "PMI_SIZE=2");
}

/* Without UET_PEERS they are those of an MPI that uses this library for one process. */
TEST(env__without_addresses_no_launcher_counts)
{
	struct uet u = { .fd = -1, .size = 1 };

	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	EXPECT_EQ(libuet_env_ranks(&u, 25, 1), 0);
	EXPECT_EQ(u.rank, 0);
	EXPECT_EQ(u.size, 1);
	unsetenv("OMPI_COMM_WORLD_RANK");
	unsetenv("OMPI_COMM_WORLD_SIZE");
}

TEST(open__names_a_missing_module)
{
	const struct uet_attr attr = { .job = 1, .flags = UET_OPEN_NO_ENV };

	if (!access("/proc/net/uet/features", F_OK)) {
		EXPECT_TRUE(true);
		return;
	}
	opens_not(&attr, EAFNOSUPPORT,
		  "socket: there is no AF_UET 25: the module uet is not loaded");
}

/* A handle without a kernel: arguments are checked before any call. */
static struct {
	struct uet_cq_ring_head head;
	struct uet_completion records[ENTRIES];
} ring;

static struct uet handle(void)
{
	memset(&ring, 0, sizeof(ring));
	ring.head.entries = ENTRIES;
	ring.head.entry_size = sizeof(struct uet_completion);
	return (struct uet){
		.fd = -1, .control = -1, .size = 1,
		.cq = { .fd = -1, .shared = &ring.head },
	};
}

static void fails(struct uet *u, int ret, int error, const char *reason)
{
	EXPECT_EQ(ret, -1);
	EXPECT_EQ(errno, error);
	EXPECT_STREQ(uet_strerror(u), reason);
}

TEST(request__refuses_arguments_by_name)
{
	struct uet u = handle();
	struct uet_request r = { .peer = 1, .opcode = 16 };

	EXPECT_STREQ(uet_strerror(&u), "");
	fails(&u, uet_send(&u, 0, "", 0, 0, 0), EINVAL,
	      "uet_request: peer is 0, not a number of uet_peer() or uet_peer_add()");
	fails(&u, uet_send(&u, 1, "", 0, 0x400, 0), EINVAL,
	      "uet_request: flags 0x400, known are 0x3ff");
	fails(&u, uet_send(&u, 1, "", 0, UET_F_COMPLETE | UET_F_WAIT, 0), EINVAL,
	      "uet_request: flags UET_F_COMPLETE and UET_F_WAIT exclude each other");
	fails(&u, uet_send(&u, 1, "", 0, UET_F_COMPLETE, UET_COOKIE_MAX + 1), EINVAL,
	      "uet_request: cookie 0xffffffff00000000 is above 0xfffffffeffffffff");
	fails(&u, uet_request(&u, &r), EINVAL, "uet_request: opcode 16 is above 15");
	r = (struct uet_request){ .peer = 1, .to = (void *)&u };
	fails(&u, uet_request(&u, &r), EINVAL, "uet_request: both peer 1 and an address");
	r = (struct uet_request){ .peer = 1, .reserved = 1 };
	fails(&u, uet_request(&u, &r), EINVAL, "uet_request: reserved is not 0");
	fails(&u, uet_send(&u, 1, "", 0, 0, 0), EBADF, "sendmsg: Bad file descriptor");
}

TEST(atomic__refuses_arguments_by_name)
{
	const struct uet_rma at = { .key = 1 };
	const struct uet_local old = { .key = 1 };
	struct uet u = handle();
	uint64_t one = 1;

#define AMO(op, type, operands, compare, count) \
	uet_atomic(&u, 1, at, op, type, operands, compare, count, 0, 0)
	fails(&u, AMO(20, UET_DT_UINT64, &one, NULL, 1), EINVAL, "atomic: op 20 is above 19");
	fails(&u, AMO(UET_AMO_SUM, 8, &one, NULL, 1), EINVAL,
	      "atomic: type 8 is not one of UET_DT_*");
	fails(&u, AMO(UET_AMO_SUM, 18, &one, NULL, 1), EINVAL,
	      "atomic: type 18 is not one of UET_DT_*");
	fails(&u, AMO(UET_AMO_SUM, UET_DT_UINT64, NULL, NULL, 1), EINVAL,
	      "atomic: no operands with op 2");
	fails(&u, AMO(UET_AMO_SUM, UET_DT_UINT64, &one, &one, 1), EINVAL,
	      "atomic: compare is not NULL with op 2");
	fails(&u, AMO(UET_AMO_CSWAP, UET_DT_UINT64, &one, NULL, 1), EINVAL,
	      "atomic: compare is NULL with op 13");
	fails(&u, AMO(UET_AMO_CSWAP, UET_DT_UINT64, &one, &one, 2), EINVAL,
	      "atomic: count 2 is not 1 with op 13");
	fails(&u, AMO(UET_AMO_SUM, UET_DT_UINT64, &one, NULL, 0), EINVAL,
	      "atomic: count 0 is not 1 or more with op 2");
	fails(&u, uet_fetch(&u, 1, at, UET_AMO_READ, UET_DT_UINT64, &one, NULL, old, 0, 0),
	      EINVAL, "atomic: an operand with UET_AMO_READ");
#undef AMO
}

TEST(calls__refuse_arguments_by_name)
{
	const struct uet_local to = { .length = 0 };
	struct uet_recv_post post = {
		.size = sizeof(post), .cookie = UET_COOKIE_MAX + 1,
	};
	struct uet u = handle();

	fails(&u, uet_recv(&u, NULL, 0, MSG_ERRQUEUE, NULL, NULL), EINVAL,
	      "uet_recv: flags 0x2000 are not of MSG_DONTWAIT, MSG_PEEK");
	fails(&u, uet_post(&u, 0, 1, 0, to, UET_RECV_MULTI, 0), EINVAL,
	      "uet_post: flags 0x20 are not of UET_RECV_TAGGED, _TRUNC, _CLAIM");
	fails(&u, uet_post(&u, 0, 1, 0, to, UET_RECV_TAGGED, UET_COOKIE_MAX + 1), EINVAL,
	      "uet_post: cookie 0xffffffff00000000 is above 0xfffffffeffffffff");
	fails(&u, uet_posts(&u, &post, 1), EINVAL,
	      "uet_post: cookie 0xffffffff00000000 is above 0xfffffffeffffffff");
	fails(&u, uet_wait(&u, NULL, 0, 0), EINVAL, "uet_wait: max is 0");
	fails(&u, uet_peer(&u, 0) ? 0 : -1, EINVAL,
	      "uet_peer: rank 0: the handle was opened without peers, size 1");
	fails(&u, uet_peer_rank(&u, 3), ENOENT, "uet_peer_rank: peer 3 has no rank");
	EXPECT_EQ(uet_barrier(&u, 0), 0);
	u.size = 2;
	fails(&u, uet_barrier(&u, 0), EOPNOTSUPP,
	      "uet_barrier: the handle was opened with UET_OPEN_NO_BARRIER");
	uet_close(NULL);
}

TEST(peer__has_a_rank)
{
	uint32_t in_order[] = { 5, 6, 7 }, mixed[] = { 5, 9, 6 };
	struct uet u = handle();

	u.size = 3;
	u.peers = in_order;
	EXPECT_EQ(uet_peer(&u, 2), 7);
	EXPECT_EQ(uet_peer_rank(&u, 7), 2);
	fails(&u, uet_peer_rank(&u, 8), ENOENT, "uet_peer_rank: peer 8 has no rank");
	fails(&u, uet_peer(&u, 3) ? 0 : -1, EINVAL,
	      "uet_peer: rank 3 is not below the size 3");
	u.peers = mixed;
	EXPECT_EQ(uet_peer_rank(&u, 9), 1);
	EXPECT_EQ(uet_peer_rank(&u, 6), 2);
	fails(&u, uet_peer_rank(&u, 7), ENOENT, "uet_peer_rank: peer 7 has no rank");
}

/* The kernel writes a record. */
static void completes(uint64_t cookie, uint32_t flags)
{
	ring.records[ring.head.tail++ % ENTRIES] = (struct uet_completion){
		.cookie = cookie, .count = 1, .flags = flags,
	};
}

TEST(poll__takes_batches_from_the_ring)
{
	struct uet u = handle();
	struct uet_completion done[8];

	EXPECT_EQ(uet_poll(&u, done, 8), 0);
	completes(1, 0);
	completes(2, 0);
	completes(3, 0);
	EXPECT_EQ(uet_poll(&u, done, 2), 2);
	EXPECT_EQ(done[1].cookie, 2);
	completes(4, 0);
	completes(5, 0);
	EXPECT_EQ(uet_wait(&u, done, 8, 0), 3);
	EXPECT_EQ(done[0].cookie, 3);
	EXPECT_EQ(done[2].cookie, 5);
	EXPECT_EQ(ring.head.head, 5);
}

TEST(poll__leaves_out_what_nobody_waits_for)
{
	struct uet u = handle();
	struct uet_completion done[8];

	completes(COOKIE_OWN, 0);
	completes(2, 0);
	EXPECT_EQ(uet_poll(&u, done, 8), 1);
	EXPECT_EQ(done[0].cookie, 2);
}

TEST(await__keeps_the_records_of_others_in_order)
{
	struct uet u = handle();
	struct uet_completion done[8], mine;

	completes(1, 0);
	completes(2, UET_COMPLETION_RECV);
	completes(COOKIE_OWN, 0);
	completes(3, 0);
	ASSERT_EQ(libuet_await(&u, COOKIE_OWN, -1, &mine), 1);
	EXPECT_EQ(mine.cookie, COOKIE_OWN);
	EXPECT_EQ(uet_poll(&u, done, 1), 1);
	EXPECT_EQ(done[0].cookie, 1);
	EXPECT_EQ(uet_poll(&u, done, 8), 2);
	EXPECT_EQ(done[0].cookie, 2);
	EXPECT_EQ(done[1].cookie, 3);
	EXPECT_EQ(uet_poll(&u, done, 8), 0);
	free(u.backlog);
}

TEST(await__keeps_many_records)
{
	struct uet u = handle();
	struct uet_completion done, mine;
	uint64_t i;

	for (i = 0; i < 300; i++) {
		completes(i, 0);
		completes(COOKIE_OWN, 0);
		ASSERT_EQ(libuet_await(&u, COOKIE_OWN, -1, &mine), 1);
	}
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(uet_poll(&u, &done, 1), 1);
		ASSERT_EQ(done.cookie, i);
	}
	free(u.backlog);
}

/* A record that comes too late is not that of the next operation. */
TEST(await__ends_at_the_deadline)
{
	struct uet u = handle();
	struct uet_completion done, mine;

	completes(1, 0);
	EXPECT_EQ(libuet_await(&u, COOKIE_OWN, libuet_deadline(0), &mine), 0);
	completes(COOKIE_OWN, 0);
	completes(COOKIE_OWN + 2, 0);
	ASSERT_EQ(libuet_await(&u, COOKIE_OWN + 2, -1, &mine), 1);
	EXPECT_EQ(mine.cookie, COOKIE_OWN + 2);
	EXPECT_EQ(uet_poll(&u, &done, 1), 1);
	EXPECT_EQ(done.cookie, 1);
	EXPECT_EQ(uet_poll(&u, &done, 1), 0);
	free(u.backlog);
}

/* No cookie of the library is beside another one, or one of the application. */
TEST(await__cookies_have_no_neighbours)
{
	struct uet u = handle();

	EXPECT_EQ(libuet_own_cookie(&u), UET_COOKIE_MAX + 2);
	EXPECT_EQ(libuet_own_cookie(&u), UET_COOKIE_MAX + 4);
	u.awaited = UINT32_MAX;
	EXPECT_EQ(libuet_own_cookie(&u), UINT64_MAX);
	EXPECT_EQ(libuet_own_cookie(&u), UET_COOKIE_MAX + 2);
}

TEST(probe__is_forgotten_with_its_record)
{
	struct probe probes[] = { { COOKIE_OWN, 1 }, { COOKIE_OWN + 2, 2 } };
	struct uet u = handle();
	struct uet_completion done;

	u.probes = probes;
	u.nr_probes = 2;
	completes(COOKIE_OWN, 0);
	EXPECT_EQ(uet_poll(&u, &done, 1), 0);
	EXPECT_EQ(u.nr_probes, 1);
	EXPECT_EQ(probes[0].peer, 2);
	completes(COOKIE_OWN + 2, 0);
	EXPECT_EQ(libuet_await(&u, COOKIE_OWN + 2, -1, &done), 1);
	EXPECT_EQ(u.nr_probes, 0);
}

TEST(late__errors_are_reported_once)
{
	struct uet u = handle();
	struct uet_completion done;

	u.late = ECONNREFUSED;
	fails(&u, uet_wait(&u, &done, 1, 0), ECONNREFUSED, "an operation has failed");
	u.late = ECONNREFUSED;
	strcpy(u.late_text, "message of 5 bytes failed: bad-index");
	fails(&u, uet_send(&u, 1, "", 0, 0, 0), ECONNREFUSED,
	      "message of 5 bytes failed: bad-index");
	fails(&u, uet_send(&u, 1, "", 0, 0, 0), EBADF, "sendmsg: Bad file descriptor");
}
