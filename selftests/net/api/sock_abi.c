// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what may grow: the struct of each ioctl, the value of each option, each control
 * message and the entries of the submission ring.  A size that is too small, a byte or a flag
 * that the kernel does not know and a field that has to be 0 are refused, and nothing has
 * changed then; zeroes behind the end are taken.  Started by sock_api.sh, see uetsock.h for
 * what it needs.  Level: test.
 *
 * The tables here name each ioctl, option and control message: tools/check/source ioctls.
 */
#define _GNU_SOURCE
#include "uetpost.h"
#include "uet_sq.h"

#define PAGE	4096
#define ROOM	256	/* for any struct, and zeroes behind it */
#define DONE	0	/* the call succeeds; else its errno */

/* ------------------------------------------------------------------ structs */

/**
 * union any - argument of an ioctl, with bytes behind it
 * @bytes: all of it
 * @head: what each struct begins with
 */
union any {
	uint8_t bytes[ROOM];
	struct {
		uint32_t size, flags;
	} head;
	struct uet_mr_reg mr_reg;
	struct uet_mr_counts mr_counts;
	struct uet_job_open job_open;
	struct uet_recv_post recv_post;
	struct uet_recv_posts recv_posts;
	struct uet_recv_peek recv_peek;
	struct uet_send_cancel send_cancel;
	struct uet_peer peer;
	struct uet_cq_ring cq_ring;
	struct uet_sq_ring sq_ring;
};

static void fill_mr_reg(int fd, union any *arg)
{
	arg->mr_reg.addr = (uintptr_t)us_map(PAGE);
	arg->mr_reg.length = PAGE;
	arg->mr_reg.access = UET_MR_WRITE;
}

static void fill_mr_counts(int fd, union any *arg)
{
	arg->mr_counts.key = UET_MR_ALL;
}

static void fill_job_open(int fd, union any *arg)
{
	arg->job_open.job = atoi(us_env("UET_JOB"));
}

static void fill_recv_post(int fd, union any *arg)
{
	arg->recv_post.flags = UET_RECV_ANY_SOURCE;
}

static void fill_recv_posts(int fd, union any *arg)
{
	static struct uet_recv_post post = {
		.size = sizeof(post), .flags = UET_RECV_ANY_SOURCE,
	};

	arg->recv_posts.posts = (uintptr_t)&post;
	arg->recv_posts.count = 1;
}

static void fill_recv_peek(int fd, union any *arg)
{
	arg->recv_peek.flags = UET_RECV_ANY_SOURCE;
}

static void fill_send_cancel(int fd, union any *arg)
{
	arg->send_cancel.flags = UET_CANCEL_COOKIE;
	arg->send_cancel.cookie = 1;
}

static void fill_peer(int fd, union any *arg)
{
	arg->peer.addr = us_name(fd);
}

static void fill_peer_addr(int fd, union any *arg)
{
	struct uet_peer peer = { .addr = us_name(fd) };

	ASSERT_SYS(uet_ioctl(fd, UET_IOC_PEER, &peer));
	arg->peer.peer = peer.peer;
}

static void fill_cq_ring(int fd, union any *arg)
{
	arg->cq_ring.entries = 16;
}

static void fill_sq_ring(int fd, union any *arg)
{
	arg->sq_ring.entries = 16;
}

/**
 * struct call - an ioctl whose argument is a struct
 * @name: of the ioctl
 * @request: its number
 * @fill: makes the argument of a call that succeeds, or fails with @error
 * @size: length of the struct, bytes
 * @flags: the flags that exist
 * @zero: offset of the first field that must be 0
 * @end: offset behind the last of these fields
 * @error: DONE, or the errno of a good call
 */
struct call {
	const char *name;
	unsigned long request;
	void (*fill)(int fd, union any *arg);
	uint32_t size, flags, zero, end;
	int error;
};

#define CALL(ioc, fill_, type, flags_, from, to, error_) {		\
		.name = #ioc, .request = ioc, .fill = fill_,		\
		.size = sizeof(struct type), .flags = flags_,		\
		.zero = offsetof(struct type, from),			\
		.end = offsetof(struct type, to) +			\
		       sizeof(((struct type *)0)->to),			\
		.error = error_,					\
	}
#define CALL_ALL(ioc, fill_, type, flags_, error_) {			\
		.name = #ioc, .request = ioc, .fill = fill_,		\
		.size = sizeof(struct type), .flags = flags_,		\
		.error = error_,					\
	}

static const struct call calls[] = {
	CALL(UET_IOC_MR_REG, fill_mr_reg, uet_mr_reg, 0x1f, reserved, reserved, DONE),
	CALL(UET_IOC_MR_COUNTS, fill_mr_counts, uet_mr_counts, 0, writes, reads, DONE),
	CALL(UET_IOC_JOB_OPEN, fill_job_open, uet_job_open, 0x1, reserved, reserved, DONE),
	CALL_ALL(UET_IOC_RECV_POST, fill_recv_post, uet_recv_post, 0x7f, DONE),
	CALL(UET_IOC_RECV_POSTS, fill_recv_posts, uet_recv_posts, 0, reserved, reserved, DONE),
	CALL(UET_IOC_RECV_PEEK, fill_recv_peek, uet_recv_peek, 0x343, reserved, ctx, ENOMSG),
	CALL_ALL(UET_IOC_SEND_CANCEL, fill_send_cancel, uet_send_cancel, 0x3, ENOENT),
	CALL(UET_IOC_PEER, fill_peer, uet_peer, 0, peer, reserved, DONE),
	CALL(UET_IOC_PEER_ADDR, fill_peer_addr, uet_peer, 0, reserved, addr, DONE),
	CALL(UET_IOC_CQ_RING, fill_cq_ring, uet_cq_ring, 0, entry_size, length, DONE),
	CALL(UET_IOC_SQ_RING, fill_sq_ring, uet_sq_ring, 0, entry_size, offset, DONE),
};

#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))

/* A call is refused, for that reason, and its argument is as it was. */
static void expect_refused(int fd, const struct call *call, union any *arg, int error)
{
	const union any before = *arg;

	if (!EXPECT_FAILS(ioctl(fd, call->request, arg), error))
		HARNESS_NOTE("%s, size %u", call->name, arg->head.size);
	EXPECT(!memcmp(arg, &before, sizeof(before)));
	EXPECT(us_explains(fd, call->name));
}

static void expect_good(int fd, const struct call *call, union any *arg)
{
	if (call->error)
		EXPECT_FAILS(ioctl(fd, call->request, arg), call->error);
	else if (!EXPECT_GE(ioctl(fd, call->request, arg), 0))
		HARNESS_NOTE("%s, size %u", call->name, arg->head.size);
}

static union any good(int fd, const struct call *call)
{
	union any arg = {};

	arg.head.size = call->size;
	call->fill(fd, &arg);
	return arg;
}

static void expect_sizes_refused(int fd, const struct call *call, const union any *good)
{
	static const uint32_t bad[] = { 0, 4, 8 };
	union any arg;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		arg = *good;
		arg.head.size = bad[i];
		expect_refused(fd, call, &arg, EINVAL);
	}
	arg = *good;
	arg.head.size = call->size - 1;
	expect_refused(fd, call, &arg, EINVAL);
	for (i = call->size; i < ROOM; i += 7) {
		arg = *good;
		arg.head.size = ROOM;
		arg.bytes[i] = 1;
		expect_refused(fd, call, &arg, E2BIG);
	}
	arg = *good;
	arg.head.size = PAGE + 1;
	expect_refused(fd, call, &arg, E2BIG);
}

static void expect_unknown_refused(int fd, const struct call *call, const union any *good)
{
	union any arg;
	uint32_t i;

	for (i = 0; i < 32; i++) {
		if (call->flags & 1u << i)
			continue;
		arg = *good;
		arg.head.flags |= 1u << i;
		expect_refused(fd, call, &arg, EINVAL);
	}
	for (i = call->zero; i < call->end; i++) {
		arg = *good;
		arg.bytes[i] = 0x80;
		expect_refused(fd, call, &arg, EINVAL);
	}
}

/* Of rings and peers the first call shows that the refused ones have made none. */
TEST(ioctl__refuses_what_it_does_not_know)
{
	const struct call *call;
	union any arg;
	int fd;

	for (call = calls; call < calls + NR_CALLS; call++) {
		fd = us_endpoint(0, UET_PID_ANY, 0);
		arg = good(fd, call);
		expect_sizes_refused(fd, call, &arg);
		expect_unknown_refused(fd, call, &arg);
		expect_good(fd, call, &arg);
		close(fd);
	}
}

TEST(ioctl__takes_zeroes_behind_the_end)
{
	const struct call *call;
	union any arg, zero = {};
	int fd;

	for (call = calls; call < calls + NR_CALLS; call++) {
		fd = us_endpoint(0, UET_PID_ANY, 0);
		arg = good(fd, call);
		arg.head.size = ROOM;
		expect_good(fd, call, &arg);
		EXPECT_EQ(arg.head.size, ROOM);
		EXPECT(!memcmp(arg.bytes + call->size, zero.bytes, ROOM - call->size));
		close(fd);
	}
}

/* Each receive of a list has its own size. */
TEST(ioctl__posts_receives_of_several_sizes)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint8_t list[2 * sizeof(struct uet_recv_post) + 40] = { 0 };
	struct uet_recv_post *first = (void *)list, *second = (void *)(list + 104);
	struct uet_recv_posts posts = { .posts = (uintptr_t)list, .count = 2 };

	first->size = 104;
	second->size = sizeof(*second);
	first->flags = second->flags = UET_RECV_ANY_SOURCE;
	EXPECT_EQ(uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts), 2);
	list[103] = 1;
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts), E2BIG);
	first->size = 0;
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts), EINVAL);
}

/* ------------------------------------------------------- numbers and values */

/* Arguments that are numbers have neither a size nor flags. */
TEST(ioctl__takes_numbers)
{
	static const struct {
		unsigned long request;
		int error;
	} numbers[] = {
		{ UET_IOC_MR_DEREG, ENOENT },
		{ UET_IOC_MR_CHANGED, ENOENT },
		{ UET_IOC_RECV_CANCEL, ENOENT },
		{ UET_IOC_PEER_REMOVE, ENOENT },
	};
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint64_t number = 7;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		EXPECT_FAILS(ioctl(fd, numbers[i].request, &number), numbers[i].error);
		EXPECT_FAILS(ioctl(fd, numbers[i].request, NULL), EFAULT);
	}
	for (int bit = 1; bit < 64; bit++)
		EXPECT_FAILS(ioctl(fd, UET_IOC_DOMAIN_OPEN, 1ul << bit), EINVAL);
	EXPECT_FAILS(ioctl(fd, UET_IOC_SUBMIT, 1), ENXIO);
	EXPECT_FAILS(ioctl(fd, UET_IOC_SQ_POLL, UET_SQ_POLL_MAX + 1ul), EINVAL);
	EXPECT_FAILS(ioctl(fd, UET_IOC(18), 0), ENOTTY);
	EXPECT_FAILS(ioctl(fd, UET_IOC(-1), 0), ENOTTY);
}

/* ------------------------------------------------------------------ options */

/**
 * struct option - an option that is set
 * @name: UET_*
 * @value: one that is taken
 * @is_written: it cannot be read
 * @is_inet: of AF_INET sockets
 */
struct option {
	int name;
	uint32_t value;
	bool is_written, is_inet;
};

static const struct option options[] = {
	{ .name = UET_INITIATOR, .value = 7 },
	{ .name = UET_RECV_CTX, .value = 1 },
	{ .name = UET_RESERVED_PDC, .value = 1 },
	{ .name = UET_JOB_FD, .value = -1u, .is_written = true },
	{ .name = UET_GENERATION, .value = UET_GEN_BUFFER },
	{ .name = UET_PAUSE, .value = 1 },
	{ .name = UET_ENDPOINT_WAIT, .value = 5 },
	{ .name = UET_JOB, .value = 1, .is_inet = true },
	{ .name = UET_PIDONFEP, .value = 3, .is_inet = true },
	{ .name = UET_DOMAIN_FD, .value = -1u, .is_written = true },
	{ .name = UET_ENVELOPES, .value = 9 },
};

static uint32_t option_of(int fd, const struct option *o)
{
	uint32_t value = 0;
	socklen_t len = sizeof(value);

	if (!o->is_written)
		getsockopt(fd, SOL_UET, o->name, &value, &len);
	return value;
}

static void expect_option(int fd, const struct option *o)
{
	uint32_t value[3] = { o->value }, before = option_of(fd, o);
	socklen_t len;

	for (len = 0; len < 4; len++)
		EXPECT_FAILS(setsockopt(fd, SOL_UET, o->name, value, len), EINVAL);
	for (int i = 4; i < 12; i++) {
		((uint8_t *)value)[i] = 1;
		EXPECT_FAILS(setsockopt(fd, SOL_UET, o->name, value, 12), E2BIG);
		((uint8_t *)value)[i] = 0;
	}
	EXPECT_EQ(option_of(fd, o), before);
	EXPECT_EQ(setsockopt(fd, SOL_UET, o->name, value, 12), 0);
	EXPECT_EQ(setsockopt(fd, SOL_UET, o->name, value, 4), 0);
	if (!o->is_written)
		EXPECT_EQ(option_of(fd, o), o->value);
}

TEST(option__has_four_bytes_or_zeroes_behind)
{
	static const int read_only[] = {
		UET_LAST_ERROR, UET_PAYLOAD_MTU, UET_RI_GENERATION,
	};
	uint32_t value = 0;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		fd = options[i].is_inet ? socket(AF_INET, SOCK_RDM, IPPROTO_UET) :
					  us_socket();
		ASSERT_SYS(fd);
		expect_option(fd, &options[i]);
		close(fd);
	}
	fd = us_socket();
	for (i = 0; i < sizeof(read_only) / sizeof(read_only[0]); i++)
		EXPECT_FAILS(setsockopt(fd, SOL_UET, read_only[i], &value, 4),
			     ENOPROTOOPT);
}

/* --------------------------------------------------------- control messages */

/**
 * struct message - the control messages of a sendmsg(), one of which is tested
 * @opcode: UET_OP_*
 * @type: the tested one
 * @len: length of its data, bytes
 * @zero: offset of its reserved bytes
 */
struct message {
	uint8_t opcode;
	int type;
	size_t len, zero;
};

#define NONE	64	/* no reserved bytes */

static const struct message messages[] = {
	{ UET_OP_SEND, UET_CMSG_OP, sizeof(struct uet_op), offsetof(struct uet_op, reserved) },
	{ UET_OP_WRITE, UET_CMSG_RMA, sizeof(struct uet_rma), NONE },
	{ UET_OP_SEND, UET_CMSG_HDATA, sizeof(uint64_t), NONE },
	{ UET_OP_ATOMIC, UET_CMSG_ATOMIC, sizeof(struct uet_atomic),
	  offsetof(struct uet_atomic, reserved) },
	{ UET_OP_READ, UET_CMSG_LOCAL, sizeof(struct uet_local), NONE },
	{ UET_OP_TAGGED_SEND, UET_CMSG_TAG, sizeof(uint64_t), NONE },
	{ UET_OP_SEND, UET_CMSG_PEER, sizeof(uint32_t), NONE },
};

/* Return: the errno of a sendmsg() with @len bytes of the tested control message. */
static int send_error(int fd, const struct message *m, const uint8_t *data, size_t len)
{
	struct uet_op op = { .opcode = m->opcode };
	struct us_control c = { .len = 0 };

	if (m->type != UET_CMSG_OP)
		us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, m->type, data, len);
	return us_send_control(fd, &c, "", 0) < 0 ? errno : 0;
}

TEST(cmsg__may_have_zeroes_behind)
{
	struct us_pair p = us_pair();
	const struct message *m;
	uint8_t data[64];
	size_t i;

	for (m = messages; m < messages + sizeof(messages) / sizeof(messages[0]); m++) {
		memset(data, 0, sizeof(data));
		if (m->type == UET_CMSG_OP)
			((struct uet_op *)data)->opcode = m->opcode;
		for (i = 0; i < m->len; i++)
			EXPECT_EQ(send_error(p.tx, m, data, i), EINVAL);
		for (i = m->zero; i < m->len; i++) {
			data[i] = 1;
			EXPECT_EQ(send_error(p.tx, m, data, m->len), EINVAL);
			data[i] = 0;
		}
		for (i = m->len; i < sizeof(data); i++) {
			data[i] = 1;
			EXPECT_EQ(send_error(p.tx, m, data, sizeof(data)), E2BIG);
			data[i] = 0;
		}
		/* The rest of the operation may be wrong. */
		EXPECT(send_error(p.tx, m, data, sizeof(data)) != E2BIG);
	}
	for (int bit = 5; bit < 8; bit++) {
		struct uet_op op = { .opcode = UET_OP_SEND, .flags = 1 << bit };

		EXPECT_EQ(send_error(p.tx, messages, (void *)&op, sizeof(op)), EINVAL);
	}
}

/* -------------------------------------------------------------------- rings */

/* Submit a copy of an entry.  Return: its error. */
static uint32_t submit(int fd, struct uet_sq *sq, const struct uet_sq_entry *entry)
{
	struct uet_completion rec;

	*uet_sq_next(sq) = *entry;
	uet_sq_push(sq);
	EXPECT_EQ(uet_sq_submit(sq), 1);
	rec = us_completion(fd);
	return rec.error;
}

/* Each byte of the range is refused unless it is 0. */
static void expect_zero(int fd, struct uet_sq *sq, struct uet_sq_entry *entry, size_t from,
			size_t to)
{
	uint8_t *bytes = (uint8_t *)entry;

	for (size_t i = from; i < to; i++) {
		bytes[i] = 1;
		if (!EXPECT_EQ(submit(fd, sq, entry), EINVAL))
			HARNESS_NOTE("byte %zu of an entry", i);
		bytes[i] = 0;
	}
}

#define AT(member)	offsetof(struct uet_sq_entry, member)

TEST(entry__has_no_byte_that_is_not_used)
{
	struct us_pair p = us_pair();
	struct uet_sq_entry send = { .kind = UET_SQ_OP }, recv = { .kind = UET_SQ_RECV };
	struct uet_sq sq;

	ASSERT_SYS(uet_sq_open(&sq, p.tx, 16));
	EXPECT_EQ(sq.shared->entry_size, sizeof(struct uet_sq_entry));
	send.send.op = us_op(UET_OP_SEND, 1);
	expect_zero(p.tx, &sq, &send, AT(reserved), AT(peer));
	expect_zero(p.tx, &sq, &send, AT(send.op.reserved), AT(send.addr));
	expect_zero(p.tx, &sq, &send, AT(send.data), sizeof(send));
	send.flags = UET_SQ_INLINE;
	send.send.length = 5;
	expect_zero(p.tx, &sq, &send, AT(send.addr), AT(send.length));
	expect_zero(p.tx, &sq, &send, AT(send.data) + 5, sizeof(send));
	EXPECT_EQ(submit(p.tx, &sq, &send), 0);
	for (int bit = 4; bit < 8; bit++) {
		send.flags = 1 << bit;
		EXPECT_EQ(submit(p.tx, &sq, &send), EINVAL);
	}

	recv.recv = (struct uet_recv_post){ .size = sizeof(recv.recv), .flags = UET_RECV_ANY_SOURCE };
	expect_zero(p.tx, &sq, &recv, AT(flags), AT(recv));
	expect_zero(p.tx, &sq, &recv, AT(recv) + sizeof(recv.recv), sizeof(recv));
	recv.recv.size--;
	EXPECT_EQ(submit(p.tx, &sq, &recv), EINVAL);
	recv.recv.size = sizeof(recv.send) + 1;
	EXPECT_EQ(submit(p.tx, &sq, &recv), EINVAL);
	uet_sq_close(&sq);
}

/* Programs go from record to record by what the ring says. */
TEST(ring__says_how_long_its_records_are)
{
	struct uet_cq_ring ring = { .entries = 16 };
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_cq_ring_head *head;

	ASSERT_SYS(uet_ioctl(fd, UET_IOC_CQ_RING, &ring));
	EXPECT_EQ(ring.entry_size, sizeof(struct uet_completion));
	head = mmap(NULL, ring.length, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT(head != MAP_FAILED);
	EXPECT_EQ(head->entry_size, ring.entry_size);
	EXPECT_GE(ring.length, sizeof(*head) + ring.entries * ring.entry_size);
}

HARNESS_MAIN()
