// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what may be done to memory: each way to its bytes is tried on each kind of
 * memory, by a user without privileges.  Memory that the user can only read keeps its bytes,
 * and memory that is read by peers has the bytes that the user sees.  Started by
 * sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/auxv.h>

#include "uet_sq.h"
#include "uetpost.h"

#define PAGE	4096
#define LEN	(4 * PAGE)
#define TAG	0x77
#define USER	65534

static const struct uet_atomic sum = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };

/**
 * struct memory - memory of one kind, made by root
 * @mem: LEN bytes, that the user sees
 * @again: the same bytes, mapped once more
 * @was: what they were when the memory was made
 */
struct memory {
	const uint8_t *mem, *again;
	uint8_t was[LEN];
};

static const uint8_t *map(int fd, int prot, int flags, off_t offset)
{
	const void *mem = mmap(NULL, LEN, prot, flags, fd, offset);

	ASSERT(mem != MAP_FAILED);
	return mem;
}

static void map_twice(struct memory *m, int fd, int prot, int flags)
{
	m->mem = map(fd, prot, flags, 0);
	m->again = map(fd, PROT_READ, flags & MAP_ANONYMOUS ? flags : MAP_SHARED, 0);
}

static int reopen(int fd)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY);
	ASSERT_SYS(again);
	return again;
}

static int make_memfd(int flags)
{
	int fd = memfd_create("rights", MFD_ALLOW_SEALING | flags);

	ASSERT_SYS(fd);
	for (int i = 0; i < LEN; i += PAGE)
		ASSERT_EQ(pwrite(fd, us_message(i, PAGE), PAGE, i), PAGE);
	return fd;
}

static int make_file(void)
{
	char path[] = "/tmp/sock_rights-XXXXXX";
	int fd = mkstemp(path);

	ASSERT_SYS(fd);
	ASSERT_EQ(write(fd, us_message(1, LEN), LEN), LEN);
	ASSERT_SYS(unlink(path));
	return fd;
}

/* ------------------------------------------------------------------- kinds */

static void make_file_shared(struct memory *m)
{
	map_twice(m, reopen(make_file()), PROT_READ, MAP_SHARED);
}

static void make_file_private(struct memory *m)
{
	map_twice(m, reopen(make_file()), PROT_READ, MAP_PRIVATE);
}

static void make_tmpfs(struct memory *m)
{
	map_twice(m, reopen(make_memfd(0)), PROT_READ, MAP_SHARED);
}

static void make_sealed(struct memory *m)
{
	int fd = make_memfd(0);

	ASSERT_SYS(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	map_twice(m, reopen(fd), PROT_READ, MAP_SHARED);
}

static void make_sealed_later(struct memory *m)
{
	int fd = make_memfd(0);

	ASSERT_SYS(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
	map_twice(m, fd, PROT_READ, MAP_SHARED);
}

static void make_huge(struct memory *m)
{
	static const char path[] = "/proc/sys/vm/nr_hugepages";
	int pages = open(path, O_WRONLY), fd = memfd_create("huge", MFD_HUGETLB);
	uint8_t *mem;

	if (pages < 0 || fd < 0)
		SKIP("the kernel has no huge pages");
	ASSERT_EQ(write(pages, "1", 1), 1);
	ASSERT_SYS(ftruncate(fd, 2 << 20));
	mem = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		SKIP("no huge page");
	memcpy(mem, us_message(1, LEN), LEN);
	m->again = mem;
	m->mem = mmap(NULL, 2 << 20, PROT_READ, MAP_SHARED, reopen(fd), 0);
	ASSERT(m->mem != MAP_FAILED);
}

static void make_anon(struct memory *m)
{
	map_twice(m, -1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
}

/* Read first, so that there is the page of zeroes. */
static void make_zeroes(struct memory *m)
{
	map_twice(m, -1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
}

static void make_code_of_kernel(struct memory *m)
{
	m->mem = (const void *)getauxval(AT_SYSINFO_EHDR);
	if (!m->mem)
		SKIP("no vDSO");
	m->again = m->mem;
}

static void make_data_of_kernel(struct memory *m)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start;
	char line[256];

	ASSERT(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[vvar]") && sscanf(line, "%lx", &start) == 1)
			m->mem = (const void *)start;
	fclose(maps);
	if (!m->mem)
		SKIP("no [vvar]");
}

static void make_device(struct memory *m)
{
	int fd = open("/dev/mem", O_RDONLY);

	if (fd < 0)
		SKIP("no /dev/mem");
	m->mem = map(fd, PROT_READ, MAP_SHARED, 0xf0000);
	m->again = m->mem;
}

/* -------------------------------------------------------------------- ways */

/**
 * struct ends - two endpoints that are connected with each other
 * @own: of the memory
 * @peer: of the other side
 * @theirs: key of memory of the peer
 * @sq: submission ring of @own
 */
struct ends {
	int own, peer;
	uint64_t theirs;
	struct uet_sq sq;
};

static struct ends make_ends(void)
{
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	struct sockaddr_uet back = us_name(p.tx);
	struct ends e = { .own = p.tx, .peer = p.rx };

	ASSERT_SYS(us_connect(e.peer, &back));
	e.theirs = us_reg(e.peer, us_map(LEN), LEN, UET_MR_READ | UET_MR_ATOMIC);
	ASSERT_SYS(uet_sq_open(&e.sq, e.own, 16));
	return e;
}

/* The error of a call, or of the operation that it began. */
static int error_of(int fd, ssize_t ret)
{
	return ret < 0 ? errno : (int)us_completion(fd).error;
}

/* Where the memory is: with a key, or else by its address. */
static uint8_t addr_flag(const struct uet_local *at)
{
	return at->key ? 0 : UET_OP_LOCAL_ADDR;
}

static struct uet_recv_post recv_to(const struct uet_local *at, uint32_t flags)
{
	return (struct uet_recv_post){
		.size = sizeof(struct uet_recv_post),
		.cookie = 3, .match = TAG, .key = at->key, .offset = at->offset,
		.length = at->length,
		.flags = UET_RECV_ANY_SOURCE | flags | (at->key ? 0 : UET_RECV_ADDR),
	};
}

/* A message for the receive that was just posted. */
static int fill(const struct ends *e)
{
	EXPECT_EQ(us_send_tag(e->peer, TAG, 4, NULL, us_message(4, 64), 64), 64);
	EXPECT_EQ(us_completion(e->peer).error, 0);
	return (int)us_completion(e->own).error;
}

static int by_recv(struct ends *e, const struct uet_local *at)
{
	struct uet_recv_post post = recv_to(at, UET_RECV_TAGGED);

	return us_recv_post(e->own, &post) ? errno : fill(e);
}

static int by_recvs(struct ends *e, const struct uet_local *at)
{
	struct uet_recv_post post = recv_to(at, UET_RECV_TAGGED);

	return us_recv_posts(e->own, &post, 1) < 0 ? errno : fill(e);
}

static int by_recv_untagged(struct ends *e, const struct uet_local *at)
{
	struct uet_recv_post post = recv_to(at, 0);

	post.match = 0;
	if (us_recv_post(e->own, &post))
		return errno;
	EXPECT_EQ(us_send(e->peer, 4, 64, 0), 64);
	return (int)us_completion(e->own).error;
}

/* The peer's tagged atomic goes where the receive says. */
static int by_tagged_atomic(struct ends *e, const struct uet_local *at)
{
	struct uet_recv_post post = recv_to(at, UET_RECV_TAGGED);
	struct uet_op op = us_op(UET_OP_TSEND_ATOMIC, 5);
	struct us_control c = { .len = 0 };
	uint64_t one = 1, tag = TAG;

	if (us_recv_post(e->own, &post))
		return errno;
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	us_add_cmsg(&c, UET_CMSG_ATOMIC, &sum, sizeof(sum));
	EXPECT_EQ(us_send_control(e->peer, &c, &one, 8), 8);
	EXPECT_EQ(us_completion(e->peer).error, 0);
	return (int)us_completion(e->own).error;
}

static int by_read(struct ends *e, const struct uet_local *at)
{
	struct us_rma rma = {
		.opcode = UET_OP_READ, .at = { e->theirs, 0 }, .local = at,
		.flags = addr_flag(at),
	};

	return error_of(e->own, us_rma(e->own, &rma, NULL, 0));
}

static int by_fetch(struct ends *e, const struct uet_local *at)
{
	const struct uet_local value = { at->key, at->offset, 8 };
	struct us_rma rma = {
		.opcode = UET_OP_FETCHING_ATOMIC, .at = { e->theirs, 0 },
		.local = &value, .atomic = &sum, .flags = addr_flag(at),
	};
	uint64_t one = 1;

	return error_of(e->own, us_rma(e->own, &rma, &one, 8));
}

static int by_tagged_fetch(struct ends *e, const struct uet_local *at)
{
	const struct uet_local value = { at->key, at->offset, 8 };
	struct uet_op op = us_op(UET_OP_TSEND_FETCH_ATOMIC, 5);
	struct us_mem mem = us_mem(e->peer, 8);
	struct uet_recv_post post = us_want(3, TAG, &mem);
	struct us_control c = { .len = 0 };
	uint64_t one = 1, tag = TAG;
	int error;

	op.flags |= addr_flag(at);
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	us_add_cmsg(&c, UET_CMSG_ATOMIC, &sum, sizeof(sum));
	us_add_cmsg(&c, UET_CMSG_LOCAL, &value, sizeof(value));
	ASSERT_SYS(us_recv_post(e->peer, &post));
	error = error_of(e->own, us_send_control(e->own, &c, &one, 8));
	if (error)
		ASSERT_SYS(us_recv_cancel(e->peer, 3));
	us_completion(e->peer);
	return error;
}

static int by_ring_recv(struct ends *e, const struct uet_local *at)
{
	struct uet_sq_entry *entry = uet_sq_next(&e->sq);
	struct uet_completion rec;

	entry->kind = UET_SQ_RECV;
	entry->recv = recv_to(at, UET_RECV_TAGGED);
	uet_sq_push(&e->sq);
	EXPECT_EQ(uet_sq_submit(&e->sq), 1);
	return us_read_cq(e->own, &rec, 1) == 1 ? (int)rec.error : fill(e);
}

static int by_ring_read(struct ends *e, const struct uet_local *at)
{
	struct uet_sq_entry *entry = uet_sq_next(&e->sq);

	entry->kind = UET_SQ_OP;
	entry->send.op = us_op(UET_OP_READ, 5);
	entry->send.op.flags |= addr_flag(at);
	entry->send.memory.rma.key = e->theirs;
	entry->send.memory.local = *at;
	uet_sq_push(&e->sq);
	EXPECT_EQ(uet_sq_submit(&e->sq), 1);
	return (int)us_completion(e->own).error;
}

/* The owner offers the memory, and the peer reads it. */
static int by_rendezvous(struct ends *e, const struct uet_local *at)
{
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, 5);
	struct us_mem mem = us_mem(e->peer, at->length);
	struct uet_recv_post post = us_want_plain(3, &mem);
	struct us_control c = { .len = 0 };
	int error;

	op.flags |= addr_flag(at);
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_LOCAL, at, sizeof(*at));
	ASSERT_SYS(us_recv_post(e->peer, &post));
	error = error_of(e->own, us_send_control(e->own, &c, NULL, 0));
	if (error)
		ASSERT_SYS(us_recv_cancel(e->peer, 3));
	us_completion(e->peer);
	if (!error && !at->key)
		EXPECT(!memcmp(mem.buf, (void *)at->offset, at->length));
	return error;
}

static int by_peer(struct ends *e, const struct uet_local *at, int opcode, size_t len)
{
	bool is_atomic = opcode != UET_OP_WRITE;
	const struct uet_local value = { 0, (uintptr_t)us_map(PAGE), 8 };
	bool is_fetch = opcode == UET_OP_FETCHING_ATOMIC;
	struct us_rma rma = {
		.opcode = opcode, .at = { at->key, 0 },
		.atomic = is_atomic ? &sum : NULL,
		.flags = is_fetch ? UET_OP_LOCAL_ADDR : 0,
		.local = is_fetch ? &value : NULL,
	};

	return error_of(e->peer, us_rma(e->peer, &rma, us_message(9, len), len));
}

static int by_peer_write(struct ends *e, const struct uet_local *at)
{
	return by_peer(e, at, UET_OP_WRITE, 8);
}

static int by_peer_long_write(struct ends *e, const struct uet_local *at)
{
	return by_peer(e, at, UET_OP_WRITE, at->length);
}

static int by_peer_atomic(struct ends *e, const struct uet_local *at)
{
	return by_peer(e, at, UET_OP_ATOMIC, 8);
}

static int by_peer_fetch(struct ends *e, const struct uet_local *at)
{
	return by_peer(e, at, UET_OP_FETCHING_ATOMIC, 8);
}

/* A peer reads the memory. */
static const uint8_t *peer_reads(struct ends *e, uint64_t key, size_t len, int *error)
{
	uint8_t *got = us_map(len);
	const struct uet_local to = { 0, (uintptr_t)got, len };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .at = { key, 0 }, .local = &to,
		.flags = UET_OP_LOCAL_ADDR,
	};

	*error = error_of(e->peer, us_rma(e->peer, &rma, NULL, 0));
	return got;
}

static int by_peer_read(struct ends *e, const struct uet_local *at)
{
	int error;

	peer_reads(e, at->key, at->length, &error);
	return error;
}

/**
 * struct way - a way to the bytes of memory
 * @go: goes it. Return: 0, or the error
 * @access: what the region has to permit to peers
 */
struct way {
	const char *name;
	int (*go)(struct ends *e, const struct uet_local *at);
	uint32_t access;
};

static const struct way stores[] = {
	{ "UET_IOC_RECV_POST", by_recv, 0 },
	{ "UET_IOC_RECV_POSTS", by_recvs, 0 },
	{ "UET_IOC_RECV_POST, untagged", by_recv_untagged, 0 },
	{ "tagged atomic", by_tagged_atomic, 0 },
	{ "result of READ", by_read, 0 },
	{ "result of FETCHING_ATOMIC", by_fetch, 0 },
	{ "result of TSEND_FETCH_ATOMIC", by_tagged_fetch, 0 },
	{ "result of READ, by the ring", by_ring_read, 0 },
	{ "receive, by the ring", by_ring_recv, 0 },
	{ NULL }
};

static const struct way peers[] = {
	{ "WRITE", by_peer_write, UET_MR_WRITE },
	{ "long WRITE", by_peer_long_write, UET_MR_WRITE },
	{ "ATOMIC", by_peer_atomic, UET_MR_ATOMIC },
	{ "FETCHING_ATOMIC", by_peer_fetch, UET_MR_ATOMIC },
	{ "READ", by_peer_read, UET_MR_READ },
	{ "rendezvous", by_rendezvous, UET_MR_READ },
	{ NULL }
};

/* ------------------------------------------------------ ways times memories */

static int reg(int fd, const void *mem, size_t len, uint32_t access, uint32_t flags,
	       __u64 *key)
{
	struct uet_mr_reg arg = {
		.addr = (uintptr_t)mem, .length = len, .access = access, .flags = flags,
	};

	if (uet_ioctl(fd, UET_IOC_MR_REG, &arg))
		return errno;
	*key = arg.key;
	return 0;
}

static void expect(const char *name, int error, int expected)
{
	HARNESS_CHECK(error == expected, "%s: error %d in place of %d", name, error,
		      expected);
}

/* Nobody else sees a change; the owner sees none if it may change nothing. */
static void expect_unchanged(const struct memory *m, size_t len, int refused)
{
	EXPECT(!m->again || !memcmp(m->again, m->was, len));
	EXPECT(!m->again || !refused || !memcmp(m->mem, m->was, len));
}

/* The owner names its memory by address, and registers it in each way. */
static void name_by_address(struct ends *e, const struct memory *m, size_t len, int refused,
			    int unreadable)
{
	const struct uet_local at = { 0, (uintptr_t)m->mem, len };
	__u64 key = 0;

	expect("rendezvous", by_rendezvous(e, &at), unreadable);
	for (uint32_t access = 0; access <= 7; access++) {
		expect("UET_IOC_MR_REG", reg(e->own, m->mem, len, access, 0, &key), refused);
		if (!refused)
			ASSERT_SYS(us_dereg(e->own, key));
	}
	expect_unchanged(m, len, refused);
	for (const struct way *way = stores; way->go; way++) {
		expect(way->name, way->go(e, &at), refused);
		expect_unchanged(m, len, refused);
	}
}

/* The memory is registered to be read, and its key is used for all else. */
static void name_by_key(struct ends *e, const struct memory *m, size_t len, int unreadable)
{
	struct uet_local at = { 0, 0, len };
	const uint8_t *got;
	int error;

	expect("UET_MR_READ_ONLY",
	       reg(e->own, m->mem, len, UET_MR_READ, UET_MR_READ_ONLY, &at.key), unreadable);
	if (unreadable)
		return;
	for (const struct way *way = stores; way->go; way++) {
		expect(way->name, way->go(e, &at), EACCES);
		expect_unchanged(m, len, EACCES);
	}
	for (const struct way *way = peers; way->go; way++) {
		expect(way->name, way->go(e, &at),
		       way->access == UET_MR_READ ? 0 : EACCES);
		expect_unchanged(m, len, EACCES);
	}
	got = peer_reads(e, at.key, len, &error);
	EXPECT_EQ(error, 0);
	EXPECT(!memcmp(got, m->mem, len));
	ASSERT_SYS(us_dereg(e->own, at.key));
	expect("READ afterwards", by_peer_read(e, &at), EFAULT);
}

/*
 * @refused: error of a call that would store there, 0: the user may; @unreadable: error of
 * a call by which peers would read, 0: they may
 */
static void try_all(void (*make)(struct memory *m), size_t len, int refused, int unreadable)
{
	static struct memory m;
	struct ends e;

	make(&m);
	if (m.again)
		memcpy(m.was, m.mem, len);
	e = make_ends();
	ASSERT_SYS(setresgid(USER, USER, USER));
	ASSERT_SYS(setresuid(USER, USER, USER));
	name_by_key(&e, &m, len, unreadable);
	name_by_address(&e, &m, len, refused, unreadable);
}

TEST(memory__of_a_file_that_is_read_stays_read_only)
{
	try_all(make_file_shared, LEN, EFAULT, 0);
}

TEST(memory__of_a_private_file_that_is_read_stays_read_only)
{
	try_all(make_file_private, LEN, EFAULT, 0);
}

TEST(memory__of_tmpfs_that_is_read_stays_read_only)
{
	try_all(make_tmpfs, LEN, EFAULT, 0);
}

TEST(memory__with_F_SEAL_WRITE_is_not_writable)
{
	try_all(make_sealed, LEN, EFAULT, 0);
}

TEST(memory__with_F_SEAL_FUTURE_WRITE_is_not_writable)
{
	try_all(make_sealed_later, LEN, EFAULT, 0);
}

TEST(memory__of_hugetlb_that_is_read_stays_read_only)
{
	try_all(make_huge, LEN, EFAULT, 0);
}

TEST(memory__that_is_anonymous_and_read_stays_read_only)
{
	try_all(make_anon, LEN, EFAULT, 0);
}

TEST(memory__of_zeroes_can_be_registered)
{
	try_all(make_zeroes, LEN, 0, 0);
}

TEST(memory__of_the_vdso_is_not_writable)
{
	try_all(make_code_of_kernel, PAGE, EFAULT, 0);
}

TEST(memory__of_vvar_is_refused)
{
	try_all(make_data_of_kernel, PAGE, EOPNOTSUPP, EOPNOTSUPP);
}

TEST(memory__of_a_device_is_refused)
{
	try_all(make_device, LEN, EOPNOTSUPP, EOPNOTSUPP);
}

/* ------------------------------------------------------------------ rights */

TEST(rights__are_those_of_the_registration)
{
	struct ends e = make_ends();
	struct uet_local at = { 0, 0, LEN };

	for (uint32_t access = 0; access <= 7; access++) {
		at.key = us_reg(e.own, us_map(LEN), LEN, access);
		for (const struct way *way = peers; way->go; way++)
			expect(way->name, way->go(&e, &at),
			       access & way->access ? 0 : EACCES);
		for (const struct way *way = stores; way->go; way++)
			expect(way->name, way->go(&e, &at), 0);
		ASSERT_SYS(us_dereg(e.own, at.key));
	}
}

TEST(rights__to_read_only_are_explained)
{
	struct ends e = make_ends();
	const uint8_t *mem = us_map(PAGE);
	struct uet_local at = { 0, 0, 8 };

	for (uint32_t access = 0; access <= 7; access++)
		if (access != UET_MR_READ)
			EXPECT_EQ(reg(e.own, mem, PAGE, access, UET_MR_READ_ONLY, &at.key),
				  EINVAL);
	EXPECT(us_explains(e.own, "access 0x7 of a region with UET_MR_READ_ONLY"));
	ASSERT_EQ(reg(e.own, mem, PAGE, UET_MR_READ, UET_MR_READ_ONLY, &at.key), 0);
	EXPECT_EQ(by_recv(&e, &at), EACCES);
	EXPECT(us_explains(e.own, "with UET_MR_READ_ONLY gets no data"));
	ASSERT_SYS(mprotect((void *)mem, PAGE, PROT_NONE));
	EXPECT_EQ(reg(e.own, mem, PAGE, UET_MR_READ, UET_MR_READ_ONLY, &at.key), EFAULT);
	EXPECT(us_explains(e.own, "cannot be read"));
}

/* The key of another socket, be it of this process, and of one that is closed. */
TEST(rights__are_of_one_socket)
{
	const uint32_t all = UET_MR_WRITE | UET_MR_READ | UET_MR_ATOMIC;
	struct ends e = make_ends(), other = make_ends();
	uint8_t *mem = us_map(LEN);
	struct uet_local at = { us_reg(other.own, mem, LEN, all), 0, LEN };

	for (int i = 0; i < 2; i++) {
		for (const struct way *way = stores; way->go; way++)
			expect(way->name, way->go(&e, &at), EFAULT);
		for (const struct way *way = peers; way->go; way++)
			expect(way->name, way->go(&e, &at), EFAULT);
		if (!i) {
			uet_sq_close(&other.sq);
			ASSERT_SYS(close(other.own));
		}
	}
	EXPECT(us_is_filled(mem, 0, LEN));
}

/* ------------------------------------------- what the owner writes afterwards */

/* Peers read what the owner has there, also after a write to each page. */
static void expect_fresh(struct ends *e, uint64_t key, uint8_t *mem)
{
	const uint8_t *got;
	int error;

	for (int i = 0; i < LEN; i += PAGE)
		mem[i + 7]++;
	got = peer_reads(e, key, LEN, &error);
	EXPECT_EQ(error, 0);
	EXPECT(!memcmp(got, mem, LEN));
}

/* Register memory to be read, then write to it, with and without a child that shares it. */
static void expect_fresh_always(const uint8_t *mem)
{
	struct ends e = make_ends();
	uint8_t *to = (uint8_t *)mem;
	__u64 key;
	pid_t pid;

	ASSERT_EQ(reg(e.own, mem, LEN, UET_MR_READ, UET_MR_READ_ONLY, &key), 0);
	ASSERT_SYS(mprotect(to, LEN, PROT_READ | PROT_WRITE));
	expect_fresh(&e, key, to);
	pid = CHILD(to[0] = 0x5a; pause());
	expect_fresh(&e, key, to);
	ASSERT_SYS(us_dereg(e.own, key));
	/* The child shares the pages when they are registered. */
	ASSERT_EQ(reg(e.own, mem, LEN, UET_MR_READ, UET_MR_READ_ONLY, &key), 0);
	expect_fresh(&e, key, to);
	ASSERT_SYS(kill(pid, SIGKILL));
	ASSERT_SYS(waitpid(pid, NULL, 0));
	expect_fresh(&e, key, to);
}

TEST(fresh__anonymous_memory_is_seen)
{
	expect_fresh_always(map(-1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0));
}

TEST(fresh__anonymous_memory_that_was_read_is_seen)
{
	const uint8_t *mem = map(-1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	EXPECT(us_is_filled(mem, 0, LEN));
	expect_fresh_always(mem);
}

/* The file keeps its bytes. */
TEST(fresh__private_file_is_seen)
{
	int file = make_file();
	uint8_t got[LEN];

	expect_fresh_always(map(file, PROT_READ, MAP_PRIVATE, 0));
	expect_fresh_always(map(file, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0));
	ASSERT_EQ(pread(file, got, LEN, 0), LEN);
	EXPECT(us_matches(got, 1, 0, LEN));
}

/* Mappings of several kinds behind each other, and a part of their pages. */
TEST(fresh__mappings_side_by_side_are_seen)
{
	uint8_t *mem = us_map(LEN);
	int file = make_memfd(0);

	ASSERT(mmap(mem + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) ==
	       mem + PAGE);
	ASSERT(mmap(mem + 2 * PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, file, PAGE) ==
	       mem + 2 * PAGE);
	expect_fresh_always(mem);
}

/* Another process writes to a file that this one can only read. */
TEST(fresh__shared_file_is_seen)
{
	struct ends e = make_ends();
	int file = make_memfd(0), error;
	const uint8_t *mem = map(reopen(file), PROT_READ, MAP_SHARED, 0);
	const uint8_t *got;
	__u64 key;

	ASSERT_EQ(reg(e.own, mem, LEN, UET_MR_READ, UET_MR_READ_ONLY, &key), 0);
	ASSERT_EQ(pwrite(file, us_message(5, LEN), LEN, 0), LEN);
	got = peer_reads(&e, key, LEN, &error);
	EXPECT_EQ(error, 0);
	EXPECT(us_matches(got, 5, 0, LEN));
}

HARNESS_MAIN()
