// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of libuet against the module: two handles on two FEPs, their messages, posted
 * receives, remote memory and completions, waiting for endpoints, and the reasons of
 * failures.  Started by libuet.sh: UET_LOCAL, UET_REMOTE and UET_SILENT are the fabric
 * addresses, UET_JOB is the job, UET_JOB_NOBODY that of user 1002; the command UET_CUT
 * ends all traffic, UET_MEND restores it.  Level: test.
 */
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uet.h>

#include "harness.h"

#define TAG	0x1100

static struct sockaddr_uet addrs[2];
static struct uet *u[2];
static const struct uet_attr rdm = { .type = SOCK_RDM };

static struct sockaddr_uet addr_of(const char *variable, const char *rest)
{
	char text[UET_ADDR_SIZE], why[UET_ERROR_SIZE] = "";
	struct sockaddr_uet addr;

	snprintf(text, sizeof(text), "%s/%s", getenv(variable), rest);
	if (!EXPECT(!uet_addr_parse(&addr, text, why)))
		HARNESS_NOTE("%s", why);
	return addr;
}

static struct uet *open_with(struct uet_attr attr, uint32_t rank)
{
	char why[UET_ERROR_SIZE] = "";
	struct uet *handle;

	addrs[0] = addr_of("UET_LOCAL", "20");
	addrs[1] = addr_of("UET_REMOTE", "21");
	attr.rank = rank;
	attr.size = 2;
	attr.peers = addrs;
	handle = uet_open(&attr, why);
	if (!EXPECT(handle))
		HARNESS_NOTE("uet_open: %s", why);
	ASSERT(handle);
	return handle;
}

static void open_two(int type)
{
	const struct uet_attr attr = { .type = type };

	u[0] = open_with(attr, 0);
	u[1] = open_with(attr, 1);
}

/* A call of a handle that has to succeed, or to fail with a reason. */
#define MUST(handle, call) do {							\
	if ((call) < 0) {							\
		HARNESS_NOTE("%s: %s", #call, uet_strerror(handle));		\
		exit(1);							\
	}									\
} while (0)

static bool reason_has(struct uet *handle, const char *text)
{
	const char *reason = uet_strerror(handle);

	if (strstr(reason, text))
		return true;
	HARNESS_NOTE("\"%s\" has no \"%s\"", reason, text);
	return false;
}

#define FAILS(handle, call, error, text) do {					\
	EXPECT_FAILS(call, error);						\
	EXPECT(reason_has(handle, text));					\
} while (0)

static struct uet_completion one(struct uet *handle)
{
	struct uet_completion done = { .error = 9999 };

	MUST(handle, uet_wait(handle, &done, 1, -1));
	return done;
}

/* One that reports success. */
static struct uet_completion good(struct uet *handle)
{
	struct uet_completion done = one(handle);
	char text[96];

	if (!EXPECT_EQ(done.error, 0))
		HARNESS_NOTE("%s", uet_completion_text(&done, text, sizeof(text)));
	return done;
}

static uint64_t region(struct uet *handle, void *memory, size_t length, uint32_t access)
{
	__u64 key = 0;

	MUST(handle, uet_mem_reg(handle, memory, length, access, 0, &key));
	return key;
}

TEST(open__knows_itself_and_its_peers)
{
	struct sockaddr_uet me;
	char text[UET_ADDR_SIZE], expected[UET_ADDR_SIZE];

	open_two(SOCK_RDM);
	EXPECT_EQ(uet_rank(u[1]), 1);
	EXPECT_EQ(uet_size(u[1]), 2);
	EXPECT_EQ(uet_peer_rank(u[1], uet_peer(u[1], 0)), 0);
	ASSERT_SYS(uet_address(u[1], &me));
	EXPECT_EQ(me.suet_job, atoi(getenv("UET_JOB")));
	EXPECT_EQ(me.suet_family, uet_af());
	snprintf(expected, sizeof(expected), "%s/21/1", getenv("UET_REMOTE"));
	EXPECT(!strcmp(uet_addr_text(&me, text, sizeof(text)), expected));
	uet_close(u[0]);
	uet_close(u[1]);
	/* The addresses are free again. */
	open_two(SOCK_SEQPACKET);
}

static void opens_not(struct uet_attr attr, int error, const char *reason)
{
	char why[UET_ERROR_SIZE] = "";

	errno = 0;
	EXPECT(!uet_open(&attr, why));
	EXPECT_EQ(errno, error);
	if (!EXPECT(strstr(why, reason)))
		HARNESS_NOTE("\"%s\" has no \"%s\"", why, reason);
}

TEST(open__has_the_reason_of_the_kernel)
{
	struct sockaddr_uet nowhere = addr_of("UET_LOCAL", "20");

	opens_not((struct uet_attr){ .job = 4711 }, ENOENT,
		  "bind: there is no job 4711 in this network namespace");
	inet_pton(AF_INET, "10.9.9.9", &nowhere.suet_fa4);
	opens_not((struct uet_attr){ .local = &nowhere }, EADDRNOTAVAIL,
		  "bind: no FEP of job 1 has this fabric address");
	opens_not((struct uet_attr){ .job_fd = 1 }, EINVAL, "setsockopt");
	opens_not((struct uet_attr){ .generation = 9 }, EINVAL, "setsockopt: UET_GENERATION");
	open_two(SOCK_RDM);
	opens_not((struct uet_attr){ .local = &addrs[0] }, EADDRINUSE,
		  "bind: pid 20 ri 1 of job 1 is in use");
}

/* A handle may leave all to the kernel. */
TEST(open__finds_a_free_address)
{
	struct sockaddr_uet local = addr_of("UET_LOCAL", "*/*"), me;
	struct uet_attr attr = { .local = &local };
	struct uet *some = uet_open(&attr, NULL), *other = uet_open(&attr, NULL);
	char text[8];
	uint32_t peer;

	ASSERT(some && other);
	FAILS(some, uet_peer(some, 0) ? 0 : -1, EINVAL, "without peers");
	MUST(other, uet_address(other, &me));
	peer = uet_peer_add(some, &me);
	EXPECT_GT(peer, 0);
	EXPECT_EQ(uet_peer_add(some, &me), peer);
	MUST(some, uet_send(some, peer, "hello", 5, UET_F_WAIT, 0));
	EXPECT_EQ(uet_recv(other, text, sizeof(text), 0, NULL, NULL), 5);
	MUST(some, uet_peer_remove(some, peer));
	FAILS(some, uet_send(some, peer, "hello", 5, 0, 0), ENOENT, "is no peer of the socket");
	FAILS(some, uet_peer_remove(some, peer), ENOENT, "UET_IOC_PEER_REMOVE");
	uet_close(other);
	me.suet_job = 77;
	FAILS(some, uet_peer_add(some, &me) ? 0 : -1, EACCES, "UET_IOC_PEER: suet_job 77");
	uet_close(some);
}

TEST(recv__has_the_context_of_a_message)
{
	struct iovec iov[2] = { { "one ", 4 }, { "message", 7 } };
	struct uet_request r = {
		.opcode = UET_OP_TAGGED_SEND, .flags = UET_F_HDATA | UET_F_MORE,
		.tag = TAG, .header_data = 2026, .iov = iov, .iov_count = 2,
	};
	struct sockaddr_uet from;
	struct uet_ctx ctx;
	char text[16] = "";

	open_two(SOCK_SEQPACKET);
	r.peer = uet_peer(u[0], 1);
	MUST(u[0], uet_request(u[0], &r));
	EXPECT_EQ(uet_recv(u[1], text, 4, MSG_PEEK, &ctx, NULL), 4);
	EXPECT_EQ(uet_recv(u[1], text, sizeof(text), 0, &ctx, &from), 11);
	EXPECT(!strcmp(text, "one message"));
	EXPECT_EQ(ctx.length, 11);
	EXPECT_EQ(ctx.match, TAG);
	EXPECT_EQ(ctx.flags, UET_CTX_HDATA);
	EXPECT_EQ(ctx.header_data, 2026);
	EXPECT_EQ(ctx.peer, uet_peer(u[1], 0));
	EXPECT_EQ(from.suet_pid, 20);
	FAILS(u[1], uet_recv(u[1], text, sizeof(text), MSG_DONTWAIT, NULL, NULL), EAGAIN,
	      "recvmsg: Resource temporarily unavailable");
	/* A message of no bytes is one. */
	MUST(u[1], uet_send(u[1], uet_peer(u[1], 0), NULL, 0, 0, 0));
	EXPECT_EQ(uet_recv(u[0], text, sizeof(text), 0, &ctx, NULL), 0);
	EXPECT_EQ(ctx.length, 0);
	ASSERT_SYS(shutdown(uet_fd(u[0]), SHUT_RD));
	FAILS(u[0], uet_recv(u[0], text, sizeof(text), 0, NULL, NULL), ESHUTDOWN,
	      "shut down for reading");
}

/* The receive with the right bits gets each message, back and forth. */
TEST(post__matches_tags_and_ignores_bits)
{
	static char memory[2][256];
	uint64_t key[2];
	struct uet_completion done;
	int i;

	open_two(SOCK_SEQPACKET);
	for (i = 0; i < 2; i++)
		key[i] = region(u[i], memory[i], sizeof(memory[i]), 0);
	for (i = 0; i < 50; i++) {
		int to = (i + 1) % 2, from = i % 2;

		/* Only the second fits: the low byte is ignored. */
		MUST(u[to], uet_post(u[to], 0, TAG << 8, 0xff,
				     (struct uet_local){ key[to], 0, 64 },
				     UET_RECV_TAGGED, 1));
		MUST(u[to], uet_post(u[to], uet_peer(u[to], from), TAG, 0xff,
				     (struct uet_local){ key[to], 64, 64 },
				     UET_RECV_TAGGED, 2));
		MUST(u[from], uet_tsend(u[from], uet_peer(u[from], to), TAG + i, &i,
					sizeof(i), 0, 0));
		done = good(u[to]);
		EXPECT_EQ(done.cookie, 2);
		EXPECT_EQ(done.flags, UET_COMPLETION_RECV);
		EXPECT_EQ(done.match, TAG + i);
		EXPECT_EQ(done.length, sizeof(i));
		EXPECT_EQ(uet_peer_rank(u[to], done.peer), from);
		EXPECT(!memcmp(memory[to] + 64, &i, sizeof(i)));
		EXPECT_EQ(uet_cancel(u[to], 1), 1);
		done = one(u[to]);
		EXPECT_EQ(done.cookie, 1);
		EXPECT_EQ(done.error, ECANCELED);
	}
}

TEST(posts__take_many_messages)
{
	static char memory[4096];
	struct uet_recv_post posts[2] = {
		{ .size = sizeof(posts[0]), .cookie = 1, .length = 16, .match = TAG,
		  .flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE },
		{ .size = sizeof(posts[0]), .cookie = 2, .length = sizeof(memory) - 16,
		  .offset = 16,
		  .min_free = sizeof(memory) - 32,
		  .flags = UET_RECV_MULTI | UET_RECV_ANY_SOURCE },
	};
	struct uet_completion done[4];
	int count = 0;

	open_two(SOCK_SEQPACKET);
	posts[0].key = posts[1].key = region(u[1], memory, sizeof(memory), 0);
	EXPECT_EQ(uet_posts(u[1], posts, 2), 2);
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "first...", 8, UET_F_MORE, 0));
	MUST(u[0], uet_tsend(u[0], uet_peer(u[0], 1), TAG, "tagged", 6, UET_F_MORE, 0));
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "second...", 9, 0, 0));
	while (count < 3) {
		int ret = uet_wait(u[1], done + count, 4 - count, -1);

		MUST(u[1], ret);
		count += ret;
	}
	EXPECT_EQ(count, 3);
	EXPECT_EQ(done[0].cookie, 2);
	EXPECT_EQ(done[1].cookie, 1);
	EXPECT_EQ(done[2].cookie, 2);
	EXPECT_EQ(done[2].offset, 8);
	EXPECT(done[2].flags & UET_COMPLETION_LAST);
	EXPECT(!memcmp(memory + 16, "first...second...", 17));
	FAILS(u[1], uet_posts(u[1], posts, 0), EINVAL, "UET_IOC_RECV_POSTS: count 0");
	posts[0].offset = 4096;
	FAILS(u[1], uet_posts(u[1], posts, 1), EFAULT, "beyond the region");
}

TEST(peek__claims_a_message)
{
	static char memory[16];
	struct uet_recv_peek peek = {
		.size = sizeof(peek),
		.match = TAG, .ignore = 0xff,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE | UET_PEEK_CLAIM,
	};
	uint64_t key;

	open_two(SOCK_SEQPACKET);
	key = region(u[1], memory, sizeof(memory), 0);
	FAILS(u[1], uet_peek(u[1], &peek), ENOMSG, "no unexpected message fits");
	MUST(u[0], uet_tsend(u[0], uet_peer(u[0], 1), TAG + 7, "apple", 5, UET_F_WAIT, 0));
	MUST(u[1], uet_peek(u[1], &peek));
	EXPECT_EQ(peek.ctx.length, 5);
	EXPECT_EQ(peek.ctx.match, TAG + 7);
	MUST(u[1], uet_post(u[1], 0, peek.claim, 0, (struct uet_local){ key, 0, 5 },
			    UET_RECV_CLAIM, 3));
	EXPECT_EQ(good(u[1]).cookie, 3);
	EXPECT(!memcmp(memory, "apple", 5));
}

TEST(rma__puts_gets_and_fetches)
{
	static uint64_t far[8], near[8];
	struct uet_rma remote = { 0, 0 };
	uint64_t key, sum = 5, twelve = 12, seven = 7;
	uint32_t peer;

	open_two(SOCK_RDM);
	peer = uet_peer(u[0], 1);
	remote.key = region(u[1], far, sizeof(far),
			    UET_MR_READ | UET_MR_WRITE | UET_MR_ATOMIC);
	key = region(u[0], near, sizeof(near), 0);
	MUST(u[0], uet_put(u[0], peer, (struct uet_rma){ remote.key, 8 }, &seven, 8,
			   UET_F_WAIT, 0));
	EXPECT_EQ(far[1], 7);
	MUST(u[0], uet_get(u[0], peer, remote, (struct uet_local){ key, 0, 16 },
			   UET_F_WAIT, 0));
	EXPECT_EQ(near[1], 7);
	remote.offset = 8;
	MUST(u[0], uet_atomic(u[0], peer, remote, UET_AMO_SUM, UET_DT_UINT64, &sum, NULL, 1,
			      UET_F_WAIT, 0));
	EXPECT_EQ(far[1], 12);
	MUST(u[0], uet_fetch(u[0], peer, remote, UET_AMO_CSWAP, UET_DT_UINT64, &seven,
			     &twelve, (struct uet_local){ key, 16, 0 }, UET_F_WAIT, 0));
	EXPECT_EQ(near[2], 12);
	EXPECT_EQ(far[1], 7);
	MUST(u[0], uet_fetch(u[0], peer, remote, UET_AMO_READ, UET_DT_UINT64, NULL, NULL,
			     (struct uet_local){ 0, (uintptr_t)&near[3], 8 },
			     UET_F_COMPLETE | UET_F_LOCAL_ADDR, 99));
	EXPECT_EQ(good(u[0]).cookie, 99);
	EXPECT_EQ(near[3], 7);
	EXPECT_EQ(uet_poll(u[1], &(struct uet_completion){ 0 }, 1), 0);
}

TEST(rma__failures_have_the_return_code)
{
	static char far[64], near[64];
	struct uet_rma remote = { 0, 0 };
	struct uet_local local = { 0, 0, 64 };
	char text[96];
	struct uet_completion done;

	open_two(SOCK_RDM);
	remote.key = region(u[1], far, sizeof(far), UET_MR_WRITE);
	local.key = region(u[0], near, sizeof(near), 0);
	FAILS(u[0], uet_put(u[0], uet_peer(u[0], 1), (struct uet_rma){ 1, 0 }, far, 8,
			    UET_F_WAIT, 0), EFAULT, ": no memory region with that key (bad-mkey)");
	FAILS(u[0], uet_put(u[0], uet_peer(u[0], 1), (struct uet_rma){ remote.key, 60 }, far,
			    8, UET_F_WAIT, 0), EFAULT, "/1: beyond the memory region (bad-addr)");
	FAILS(u[0], uet_get(u[0], uet_peer(u[0], 1), remote, local, UET_F_WAIT, 0), EACCES,
	      ": the operation is not allowed there (op-violation)");
	local.offset = 1;
	FAILS(u[0], uet_get(u[0], uet_peer(u[0], 1), remote, local, UET_F_WAIT, 0), EFAULT,
	      "sendmsg: UET_CMSG_LOCAL: 64 bytes at 1 are beyond the region of 64");
	MUST(u[0], uet_put(u[0], uet_peer(u[0], 1), (struct uet_rma){ 1, 0 }, far, 8,
			   UET_F_COMPLETE, 5));
	done = one(u[0]);
	EXPECT_EQ(done.cookie, 5);
	EXPECT(strstr(uet_failure_text(u[0], &done, text, sizeof(text)),
		      "/21/1: no memory region with that key (bad-mkey)"));
	MUST(u[0], uet_mem_dereg(u[0], local.key));
	FAILS(u[0], uet_mem_dereg(u[0], local.key), ENOENT, "UET_IOC_MR_DEREG: key 0x");
	FAILS(u[0], uet_mem_reg(u[0], NULL, 0, 0, 0, &local.key), EINVAL,
	      "UET_IOC_MR_REG: length 0 is not in 1..");
	local.key = 1ULL << 48;
	FAILS(u[0], uet_mem_reg(u[0], near, 8, 0, UET_MR_FIXED_KEY, &local.key), EINVAL,
	      "UET_IOC_MR_REG: key 0x1000000000000 is above 0xffffffffffff");
}

/* Memory that is registered already, that is none, and operations that do not fit it. */
TEST(mem__is_refused_by_field)
{
	struct uet_recv_peek odd = { .size = sizeof(odd), .flags = 0x8000 };
	static uint64_t far[8], near[8];
	uint64_t one = 1, key;
	__u64 fixed = 77;
	struct uet_rma remote = { 77, 0 };

	open_two(SOCK_RDM);
	MUST(u[1], uet_mem_reg(u[1], far, sizeof(far), UET_MR_ATOMIC | UET_MR_READ,
			       UET_MR_FIXED_KEY, &fixed));
	EXPECT_EQ(fixed, 77);
	FAILS(u[1], uet_mem_reg(u[1], far, sizeof(far), 0, UET_MR_FIXED_KEY, &fixed), EEXIST,
	      "UET_IOC_MR_REG: key 0x4d");
	FAILS(u[1], uet_mem_reg(u[1], (void *)4096, 4096, 0, 0, &fixed), EFAULT,
	      "UET_IOC_MR_REG");
	FAILS(u[1], uet_mem_reg(u[1], far, sizeof(far), 0x100, 0, &fixed), EINVAL,
	      "UET_IOC_MR_REG: access 0x100");
	key = region(u[0], near, sizeof(near), 0);
	FAILS(u[0], uet_fetch(u[0], uet_peer(u[0], 1), remote, UET_AMO_SUM, UET_DT_UINT64,
			      &one, NULL, (struct uet_local){ key, 4, 8 }, 0, 0), EINVAL,
	      "sendmsg: UET_CMSG_LOCAL");
	FAILS(u[0], uet_get(u[0], uet_peer(u[0], 1), remote,
			    (struct uet_local){ key + 1, 0, 8 }, 0, 0), EFAULT,
	      "sendmsg: UET_CMSG_LOCAL");
	remote.offset = 4;
	FAILS(u[0], uet_atomic(u[0], uet_peer(u[0], 1), remote, UET_AMO_SUM, UET_DT_UINT64,
			       &one, NULL, 1, UET_F_WAIT, 0), EINVAL, "(amo-unaligned)");
	FAILS(u[0], uet_post(u[0], 0, 0, 0, (struct uet_local){ key, 60, 8 }, 0, 0), EFAULT,
	      "UET_IOC_RECV_POST: ");
	FAILS(u[0], uet_post(u[0], 4711, 0, 0, (struct uet_local){ key, 0, 8 }, 0, 0), ENOENT,
	      "UET_IOC_RECV_POST: ");
	FAILS(u[0], uet_peek(u[0], &odd), EINVAL, "UET_IOC_RECV_PEEK: flags 0x8000");
}

TEST(request__has_flags_for_the_way)
{
	static char far[20000], near[20000];
	struct uet_attr attr = { .type = SOCK_RDM };
	struct uet_rma remote = { 0, 0 };
	char text[4];
	__u64 key;
	uint32_t peer;

	u[0] = open_with(attr, 0);
	u[1] = open_with(attr, 1);
	peer = uet_peer(u[0], 1);
	MUST(u[1], uet_mem_reg(u[1], far, sizeof(far), UET_MR_READ | UET_MR_WRITE,
			       UET_MR_IDEMPOTENT_SAFE, &key));
	remote.key = key;
	memset(near, 'r', sizeof(near));
	MUST(u[0], uet_put(u[0], peer, remote, near, 1000, UET_F_WAIT | UET_F_RUDI, 0));
	EXPECT(!memcmp(far, near, 1000));
	memset(near, 'z', sizeof(near));
	MUST(u[0], uet_put(u[0], peer, remote, near, sizeof(near),
			   UET_F_COMPLETE | UET_F_ZEROCOPY, 6));
	EXPECT_EQ(good(u[0]).cookie, 6);
	EXPECT(!memcmp(far, near, sizeof(near)));
	MUST(u[0], uet_send(u[0], peer, "1", 1, UET_F_ROD | UET_F_MORE, 0));
	MUST(u[0], uet_send(u[0], peer, "2", 1, UET_F_ROD, 0));
	EXPECT_EQ(uet_recv(u[1], text, sizeof(text), 0, NULL, NULL), 1);
	EXPECT_EQ(*text, '1');
	EXPECT_EQ(uet_recv(u[1], text, sizeof(text), 0, NULL, NULL), 1);
	EXPECT_EQ(*text, '2');
	MUST(u[0], uet_send(u[0], peer, "3", 1, UET_F_RUD | UET_F_WAIT, 0));
	FAILS(u[0], uet_send(u[0], peer, "3", 1, UET_F_RUD | UET_F_ROD, 0), EINVAL,
	      "sendmsg: ");
	FAILS(u[0], uet_send(u[0], peer, "3", 1, UET_F_RUDI, 0), EINVAL, "sendmsg: ");
}

/* Messages that wait for an endpoint fill the send buffer. */
TEST(send__does_not_wait_if_told_so)
{
	const struct uet_attr attr = { .type = SOCK_RDM, .wait = 60000 };
	const struct timeval soon = { .tv_usec = 20000 };
	static char big[8192];
	int ret = 0, sent = 0, bytes = 16384;

	u[0] = open_with(attr, 0);
	ASSERT_SYS(setsockopt(uet_fd(u[0]), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)));
	while (!ret && sent++ < 1000)
		ret = uet_send(u[0], uet_peer(u[0], 1), big, sizeof(big), UET_F_NOWAIT, 0);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT(reason_has(u[0], "sendmsg: Resource temporarily unavailable"));
	ASSERT_SYS(setsockopt(uet_fd(u[0]), SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon)));
	FAILS(u[0], uet_finish(u[0]), EAGAIN, "shutdown: Resource temporarily unavailable");
	/* The endpoint comes, and with it the messages. */
	u[1] = open_with(attr, 1);
	while (--sent)
		EXPECT_EQ(uet_recv(u[1], big, sizeof(big), 0, NULL, NULL), sizeof(big));
}

static void open_alone(void)
{
	static struct sockaddr_uet addr;
	struct uet_attr attr = { .job = atoi(getenv("UET_JOB")), .local = &addr };
	char why[UET_ERROR_SIZE] = "";

	addr = addr_of("UET_LOCAL", "20");
	u[0] = uet_open(&attr, why);
	if (!EXPECT(u[0]))
		HARNESS_NOTE("uet_open: %s", why);
	ASSERT(u[0]);
}

TEST(peer_add__has_a_limit)
{
	struct sockaddr_uet far = addr_of("UET_REMOTE", "1");
	uint32_t i;

	open_alone();
	for (i = 0; i < UET_PEER_LIMIT; i++) {
		far.suet_ri = 1 + i % UET_RINDEX_MAX;
		far.suet_pid = 1 + i / UET_RINDEX_MAX;
		if (!uet_peer_add(u[0], &far))
			break;
	}
	EXPECT_EQ(i, UET_PEER_LIMIT);
	far.suet_pid = 100;
	FAILS(u[0], uet_peer_add(u[0], &far) ? 0 : -1, ENOSPC, "UET_IOC_PEER: ");
	far.suet_version = 9;
	FAILS(u[0], uet_peer_add(u[0], &far) ? 0 : -1, EINVAL, "UET_IOC_PEER: ");
}

/* One that waits disturbs no other, even with more completions than the ring holds. */
TEST(wait__leaves_other_completions)
{
	struct uet_completion done[64];
	uint32_t peer, seen = 0;
	struct uet_attr attr = { .completions = 2 };
	uint64_t i;
	int ret, k;

	u[0] = open_with(attr, 0);
	u[1] = open_with(attr, 1);
	peer = uet_peer(u[0], 1);
	for (i = 0; i < 20; i++) {
		/* Cookies with gaps are not reported together. */
		MUST(u[0], uet_send(u[0], peer, "x", 1, UET_F_COMPLETE, 2 * i));
		MUST(u[0], uet_send(u[0], peer, "y", 1, i % 5 ? 0 : UET_F_WAIT, 0));
	}
	while (seen < 20) {
		ret = uet_wait(u[0], done, 64, -1);
		MUST(u[0], ret);
		for (k = 0; k < ret; k++) {
			EXPECT_EQ(done[k].error, 0);
			EXPECT_EQ(done[k].cookie % 2, 0);
			EXPECT_EQ(done[k].count, 1);
		}
		seen += ret;
	}
	EXPECT_EQ(seen, 20);
	EXPECT_EQ(uet_wait(u[0], done, 1, 10), 0);
	EXPECT_EQ(uet_wait(u[0], done, 1, 0), 0);
}

TEST(wait__reports_a_late_error_once)
{
	struct sockaddr_uet nobody = addr_of("UET_REMOTE", "99");
	struct uet_completion done;
	uint32_t peer;

	open_two(SOCK_RDM);
	peer = uet_peer_add(u[0], &nobody);
	MUST(u[0], uet_send(u[0], peer, "x", 1, 0, 0));
	FAILS(u[0], uet_wait(u[0], &done, 1, -1), ECONNREFUSED, "bad-pid");
	EXPECT_EQ(uet_wait(u[0], &done, 1, 0), 0);
	/* The error of one message is not that of another one. */
	MUST(u[0], uet_send(u[0], peer, "x", 1, 0, 0));
	WAIT_FOR(poll(&(struct pollfd){ .fd = uet_fd(u[0]) }, 1, 0) == 1);
	FAILS(u[0], uet_finish(u[0]), ECONNREFUSED, "bad-pid");
}

TEST(fd__is_for_event_loops)
{
	struct pollfd p = { .events = POLLIN };
	struct uet_completion done;
	char text[8];

	open_two(SOCK_RDM);
	p.fd = uet_fd(u[1]);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "x", 1, UET_F_COMPLETE, 4));
	EXPECT_EQ(poll(&p, 1, -1), 1);
	EXPECT_EQ(p.revents, POLLIN);
	EXPECT_EQ(uet_recv(u[1], text, sizeof(text), MSG_DONTWAIT, NULL, NULL), 1);
	p.fd = uet_fd(u[0]);
	EXPECT_EQ(poll(&p, 1, -1), 1);
	EXPECT_EQ(p.revents, POLLERR);
	EXPECT_EQ(uet_poll(u[0], &done, 1), 1);
	EXPECT_EQ(done.cookie, 4);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	MUST(u[0], uet_finish(u[0]));
	FAILS(u[0], uet_send(u[0], uet_peer(u[0], 1), "x", 1, 0, 0), EPIPE, "sendmsg");
}

static void limit(int resource, rlim_t bytes)
{
	struct rlimit old;

	ASSERT_SYS(getrlimit(resource, &old));
	old.rlim_cur = bytes;
	ASSERT_SYS(setrlimit(resource, &old));
}

/* Regions of a plain user are within RLIMIT_MEMLOCK. The ring needs none of it. */
TEST(limits__hold_for_locked_memory)
{
	static char memory[32 * 1024];
	struct sockaddr_uet local = addr_of("UET_LOCAL", "*/*");
	struct uet_attr attr = {
		.local = &local, .job = atoi(getenv("UET_JOB_NOBODY")),
		.completions = 1024,
	};
	struct uet *some;
	__u64 key;

	ASSERT_SYS(setgid(1002));
	ASSERT_SYS(setuid(1002));
	limit(RLIMIT_MEMLOCK, 0);
	some = uet_open(&attr, NULL);
	ASSERT(some);
	FAILS(some, uet_mem_reg(some, memory, 4096, 0, 0, &key), ENOMEM,
	      "pages are above RLIMIT_MEMLOCK");
	limit(RLIMIT_MEMLOCK, 52 * 1024);
	MUST(some, uet_mem_reg(some, memory, 4096, 0, 0, &key));
	MUST(some, uet_mem_dereg(some, key));
	/* What was refused is not charged. */
	MUST(some, uet_mem_reg(some, memory, sizeof(memory), 0, 0, &key));
	uet_close(some);
}

#ifndef __SANITIZE_ADDRESS__
static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	ASSERT(statm && fscanf(statm, "%lu", &pages) == 1);
	fclose(statm);
	return pages * sysconf(_SC_PAGESIZE);
}

static void starve(void)
{
	size_t size;

	limit(RLIMIT_AS, address_space());
	for (size = 1 << 20; size >= 16; size /= 2)
		while (malloc(size))
			;
}

TEST(limits__of_memory_make_calls_fail)
{
	const struct uet_attr few = { .completions = 4 };
	struct sockaddr_uet *many = calloc(UET_PEER_LIMIT, sizeof(*many));
	struct uet_attr attr = { .size = UET_PEER_LIMIT, .peers = many };
	struct uet_completion done;

	open_two(SOCK_SEQPACKET);
	limit(RLIMIT_AS, address_space() + (1 << 20));
	opens_not(attr, ENOMEM, "no memory for 65536 peers");
	starve();
	opens_not(few, ENOMEM, "no memory for a handle");
	FAILS(u[0], uet_wait_peer(u[0], uet_peer(u[0], 1), -1), ENOMEM,
	      "uet_wait_peer: no memory for peer 2");
	/* The operation goes on, and its end is not that of the next one. */
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "x", 1, UET_F_COMPLETE, 5));
	FAILS(u[0], uet_send(u[0], uet_peer(u[0], 1), "y", 1, UET_F_WAIT, 0), ENOMEM,
	      "no memory for 1 completions of other operations");
	limit(RLIMIT_AS, RLIM_INFINITY);
	FAILS(u[0], uet_put(u[0], uet_peer(u[0], 1), (struct uet_rma){ 1, 0 }, "z", 1,
			    UET_F_WAIT, 0), EFAULT, "bad-mkey");
	EXPECT_EQ(uet_poll(u[0], &done, 1), 1);
	EXPECT_EQ(done.cookie, 5);
	EXPECT_EQ(uet_poll(u[0], &done, 1), 0);
}
#endif

TEST(cancel__takes_operations_back)
{
	static char memory[65536];
	struct uet_request r = {
		.opcode = UET_OP_RENDEZVOUS_TSEND, .flags = UET_F_COMPLETE, .cookie = 8,
		.tag = TAG,
	};

	open_two(SOCK_SEQPACKET);
	/* Only who posts receives leaves a rendezvous message where it is. */
	MUST(u[1], uet_post(u[1], 0, ~0ULL, 0, (struct uet_local){ 0, 0, 0 },
			    UET_RECV_TAGGED, 9));
	r.peer = uet_peer(u[0], 1);
	r.local.key = region(u[0], memory, sizeof(memory), UET_MR_READ);
	r.local.length = sizeof(memory);
	MUST(u[0], uet_request(u[0], &r));
	EXPECT_EQ(uet_cancel(u[0], 8), 1);
	EXPECT_EQ(one(u[0]).error, ECANCELED);
	FAILS(u[0], uet_cancel(u[0], 8), ENOENT,
	      "uet_cancel: no receive or operation with cookie 0x8 can be cancelled");
	EXPECT_EQ(uet_cancel(u[1], 9), 1);
	EXPECT_EQ(one(u[1]).error, ECANCELED);
}

TEST(datagrams__have_no_completions)
{
	char text[8];

	open_two(SOCK_DGRAM);
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "hello", 5, 0, 0));
	EXPECT_EQ(uet_recv(u[1], text, sizeof(text), 0, NULL, NULL), 5);
	FAILS(u[0], uet_send(u[0], uet_peer(u[0], 1), "x", 1, UET_F_WAIT, 0), EOPNOTSUPP,
	      "UET_OP_COMPLETE, but nobody answers a datagram");
	FAILS(u[0], uet_wait_peer(u[0], uet_peer(u[0], 1), 0), EOPNOTSUPP, "datagram");
}

TEST(wait_peer__waits_for_the_endpoint)
{
	struct uet_completion done;
	pid_t child;

	u[0] = open_with(rdm, 0);
	/* Without a wait, the answer may be lost: its reason is not known then. */
	FAILS(u[0], uet_wait_peer(u[0], uet_peer(u[0], 1), 0), ETIMEDOUT,
	      " has no endpoint after 0 ms: no ");
	FAILS(u[0], uet_wait_peer(u[0], uet_peer(u[0], 1), 1000), ETIMEDOUT,
	      "no endpoint after 1000 ms: no endpoint with that PIDonFEP");
	child = CHILD({
		char text[8];

		poll(NULL, 0, 50);
		u[1] = open_with(rdm, 1);
		EXPECT_EQ(uet_recv(u[1], text, sizeof(text), 0, NULL, NULL), 5);
	});
	MUST(u[0], uet_wait_peer(u[0], uet_peer(u[0], 1), -1));
	/* The first message that the peer sees is this one. */
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "hello", 5, UET_F_WAIT, 0));
	harness_join(child);
	EXPECT_EQ(uet_poll(u[0], &done, 1), 0);
	FAILS(u[0], uet_wait_peer(u[0], 4711, 0), ENOENT, "UET_CMSG_PEER: 4711 is no peer");
}

static int queued(struct uet *handle)
{
	int bytes = -1;

	EXPECT_EQ(ioctl(uet_fd(handle), SIOCOUTQ, &bytes), 0);
	return bytes;
}

/* A node that does not answer is asked once, however often somebody waits for it. */
TEST(wait_peer__ends_at_its_time_without_an_answer)
{
	struct sockaddr_uet silent = addr_of("UET_SILENT", "22");
	const struct uet_attr attr = { .local = &silent };
	struct uet_completion done;
	struct uet *far;
	char text[8];
	uint32_t peer, other;
	int i, bytes;

	open_two(SOCK_RDM);
	far = uet_open(&attr, NULL);
	ASSERT(far);
	peer = uet_peer_add(u[0], &silent);
	silent.suet_pid = 23;
	other = uet_peer_add(u[0], &silent);
	ASSERT_EQ(system(getenv("UET_CUT")), 0);
	FAILS(u[0], uet_wait_peer(u[0], peer, 20), ETIMEDOUT,
	      "has no endpoint after 20 ms: no answer");
	bytes = queued(u[0]);
	EXPECT_GT(bytes, 0);
	for (i = 0; i < 20; i++)
		FAILS(u[0], uet_wait_peer(u[0], peer, i % 3), ETIMEDOUT, "no answer");
	EXPECT_EQ(queued(u[0]), bytes);
	FAILS(u[0], uet_wait_peer(u[0], other, 5), ETIMEDOUT, "no answer");
	EXPECT_GT(queued(u[0]), bytes);
	MUST(u[0], uet_peer_remove(u[0], other));
	FAILS(u[0], uet_wait_peer(u[0], other, 0), ENOENT, "is no peer of the socket");

	/* Others have their own ends.  The answer comes; the node has noticed nothing. */
	ASSERT_EQ(system(getenv("UET_MEND")), 0);
	MUST(u[0], uet_send(u[0], uet_peer(u[0], 1), "x", 1, UET_F_WAIT, 0));
	MUST(u[0], uet_wait_peer(u[0], peer, -1));
	FAILS(far, uet_recv(far, text, sizeof(text), MSG_DONTWAIT, NULL, NULL), EAGAIN, "");
	MUST(u[0], uet_send(u[0], peer, "hello", 5, UET_F_WAIT, 0));
	EXPECT_EQ(uet_recv(far, text, sizeof(text), 0, NULL, NULL), 5);
	MUST(u[0], uet_finish(u[0]));
	EXPECT_EQ(uet_poll(u[0], &done, 1), 0);
	EXPECT_EQ(queued(u[0]), 0);
	uet_close(far);
}

/* A child of fork() has the descriptor of the handle, but not its endpoint. */
TEST(close__ends_the_endpoint_although_a_child_lives)
{
	open_two(SOCK_RDM);
	CHILD(pause());
	uet_close(u[1]);
	EXPECT_FAILS(uet_send(u[0], uet_peer(u[0], 1), "x", 1, UET_F_WAIT, 0), ECONNREFUSED);
	u[1] = open_with(rdm, 1);
}

TEST(barrier__ends_when_all_have_come)
{
	pid_t child;
	int i;

	u[0] = open_with(rdm, 0);
	/* Long enough for packets that are lost and sent again. */
	FAILS(u[0], uet_barrier(u[0], 1000), ETIMEDOUT,
	      "uet_barrier: rank 1 has no endpoint at ");
	child = CHILD({
		u[1] = open_with(rdm, 1);
		poll(NULL, 0, 50);
		for (i = 0; i < 20; i++)
			MUST(u[1], uet_barrier(u[1], -1));
		FAILS(u[1], uet_barrier(u[1], 1000), ETIMEDOUT,
		      "uet_barrier: no message of rank 0");
		/* A further call continues. */
		MUST(u[1], uet_barrier(u[1], -1));
	});
	for (i = 0; i < 20; i++)
		MUST(u[0], uet_barrier(u[0], -1));
	poll(NULL, 0, 2000);
	MUST(u[0], uet_barrier(u[0], -1));
	harness_join(child);
}

HARNESS_MAIN()
