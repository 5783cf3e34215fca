// SPDX-License-Identifier: GPL-2.0
/*
 * Messages with each allocation that their calls reach failing once: what could not be
 * sent does not arrive, what the call says it has sent does, whole, whichever packet
 * found no memory, and what could not be received is still there.  failnth.h has the
 * sweep; started by alloc_fail.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "failsock.h"
#include "genl.h"
#include "uet_sq.h"
#include "uetlock.h"
#include "uetpost.h"
#include "uetrma.h"

static uint32_t seed;

static void compose(void)
{
	seed++;
	for (size_t i = 0; i < size; i++)
		sent[i] = us_byte(seed, i);
}

static void prepare_new_pdc(void)
{
	new_pair();
	compose();
}

static int call_send(void)
{
	return result(send(pair.tx, sent, size, MSG_NOSIGNAL));
}

/*
 * The sent messages come next, and unsent messages do not come: the message behind it
 * does.
 */
static void check_sent(int ret)
{
	if (ret >= 0) {
		EXPECT_EQ(ret, size);
		EXPECT_EQ(recv(pair.rx, got, size, 0), size);
		EXPECT(!memcmp(got, sent, size));
	}
	EXPECT_EQ(us_send(pair.tx, ~seed, 100, 0), 100);
	us_expect(pair.rx, ~seed, 100);
}

TEST(message__send_on_a_new_pdc_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "send on a new PDC", .prepare = prepare_new_pdc,
		.call = call_send, .check = check_sent, .undo = close_pair,
	};

	int fd = nlreq_open(NETLINK_GENERIC);

	/* Somebody listens: that it is opened is told, if there is memory. */
	genl_resolve(fd);
	close(fd);
	genl_listen();
	set_size(1);
	fail_open();
	fail_sweep(&op);
}

static void sweep_send(const char *name, size_t bytes, int sndbuf, bool is_long)
{
	const struct fail_op op = {
		.name = name, .prepare = compose, .call = call_send,
		.check = check_sent, .is_long = is_long,
	};

	set_size(bytes);
	new_pair();
	if (sndbuf)
		us_set_buf(pair.tx, SO_SNDBUF, sndbuf);
	fail_open();
	fail_sweep(&op);
	EXPECT_EQ(shutdown(pair.tx, SHUT_WR), 0);
}

TEST(message__send_1_byte_survives_no_memory)
{
	sweep_send("send 1 byte", 1, 0, false);
}

TEST(message__send_64_KiB_survives_no_memory)
{
	sweep_send("send 64 KiB", 64 * KIB, 0, false);
}

TEST(message__send_1_MiB_survives_no_memory)
{
	sweep_send("send 1 MiB", MIB, 0, true);
}

TEST(message__send_streamed_survives_no_memory)
{
	sweep_send("send 1 MiB, streamed", MIB, 64 * KIB, true);
}

static int call_post(void)
{
	struct uet_op op = { .cookie = seed, .opcode = UET_OP_SEND,
			     .flags = UET_OP_COMPLETE };

	return result(us_send_op(pair.tx, &op, NULL, sent, size, 0));
}

/* It completes once if it was sent, and else not at all. */
static void check_posted(int ret)
{
	struct uet_completion rec;

	check_sent(ret);
	if (ret >= 0) {
		rec = us_completion(pair.tx);
		us_expect_done(&rec, seed, 1, size);
	}
	us_expect_none(pair.tx);
}

TEST(message__send_with_completion_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "send with completion", .prepare = compose,
		.call = call_post, .check = check_posted,
	};

	set_size(1);
	new_pair();
	fail_open();
	fail_sweep(&op);
	EXPECT_EQ(shutdown(pair.tx, SHUT_WR), 0);
}

static struct uet_sq sq;

/* An entry that could not be reported is still in the ring. */
static void prepare_submit(void)
{
	struct uet_sq_entry *entry;

	compose();
	EXPECT_EQ(uet_sq_waiting(&sq), 0);
	entry = uet_sq_next(&sq);
	entry->kind = UET_SQ_OP;
	entry->send.op = us_op(UET_OP_SEND, seed);
	entry->send.addr = (uintptr_t)sent;
	entry->send.length = size;
	uet_sq_push(&sq);
}

static int call_submit(void)
{
	return result(uet_sq_submit(&sq));
}

/* The entry completes once, and its message arrives if it did not fail. */
static void check_submitted(int ret)
{
	struct uet_completion rec;

	if (ret < 0)
		EXPECT_EQ(call_submit(), 1);
	rec = us_completion(pair.tx);
	EXPECT_EQ(rec.cookie, seed);
	EXPECT(!rec.error || rec.error == ENOMEM || rec.error == EFAULT);
	check_sent(rec.error ? -1 : (int)size);
	us_expect_none(pair.tx);
}

TEST(message__submit_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "UET_IOC_SUBMIT", .prepare = prepare_submit,
		.call = call_submit, .check = check_submitted,
	};

	set_size(9000);
	new_pair();
	ASSERT_SYS(uet_sq_open(&sq, pair.tx, 4));
	fail_open();
	fail_sweep(&op);
}

/* Memory of the peer to read, and ours. */
static uint64_t their_key, our_key;

static int call_read(void)
{
	const struct uet_local local = { our_key, 0, size };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .cookie = seed, .at = { their_key, 0 },
		.local = &local,
	};

	return result(us_rma(pair.tx, &rma, NULL, 0));
}

static void check_read(int ret)
{
	struct uet_completion rec;

	if (ret >= 0) {
		rec = us_completion(pair.tx);
		us_expect_done(&rec, seed, 1, size);
		EXPECT(!memcmp(got, sent, size));
	}
	us_expect_none(pair.tx);
}

TEST(message__read_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "read 20 KiB", .prepare = compose,
		.call = call_read, .check = check_read,
	};

	set_size(20 * KIB);
	new_pair();
	their_key = us_reg(pair.rx, sent, size, UET_MR_READ);
	our_key = us_reg(pair.tx, got, size, 0);
	fail_open();
	fail_sweep(&op);
	EXPECT_EQ(shutdown(pair.tx, SHUT_WR), 0);
}

static int rendezvous_of(const struct uet_local *local, uint8_t flags)
{
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, seed);
	struct us_control c = { .len = 0 };

	op.flags |= flags;
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_LOCAL, local, sizeof(*local));
	return result(us_send_control(pair.tx, &c, sent, size / 2));
}

static int call_rendezvous(void)
{
	const struct uet_local local = { our_key, 0, size };

	return rendezvous_of(&local, 0);
}

static int call_rendezvous_addr(void)
{
	const struct uet_local local = { 0, (uintptr_t)sent, size };

	return rendezvous_of(&local, UET_OP_LOCAL_ADDR);
}

static void check_rendezvous(int ret)
{
	struct uet_completion rec;

	if (ret >= 0) {
		EXPECT_EQ(recv(pair.rx, got, size, 0), size);
		EXPECT(!memcmp(got, sent, size));
		rec = us_completion(pair.tx);
		us_expect_done(&rec, seed, 1, size);
	}
	us_expect_none(pair.tx);
}

TEST(message__rendezvous_survives_no_memory)
{
	static const struct fail_op ops[] = { {
		.name = "rendezvous of 20 KiB", .prepare = compose,
		.call = call_rendezvous, .check = check_rendezvous,
	}, {
		.name = "rendezvous of 20 KiB, UET_OP_LOCAL_ADDR",
		.prepare = compose, .call = call_rendezvous_addr,
		.check = check_rendezvous,
	} };

	set_size(20 * KIB);
	new_pair();
	our_key = us_reg(pair.tx, sent, size, UET_MR_READ);
	fail_open();
	fail_sweep(&ops[0]);
	fail_sweep(&ops[1]);
	EXPECT_EQ(shutdown(pair.tx, SHUT_WR), 0);
}

enum { BATCH = 3 };

static int call_sendmmsg(void)
{
	struct iovec iov = { sent, size };
	struct mmsghdr msgs[BATCH] = {};

	for (int i = 0; i < BATCH; i++) {
		msgs[i].msg_hdr.msg_iov = &iov;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return result(sendmmsg(pair.tx, msgs, BATCH, 0));
}

/* As many as it says. */
static void check_batch(int ret)
{
	for (int i = 0; i < ret; i++) {
		EXPECT_EQ(recv(pair.rx, got, size, 0), size);
		EXPECT(!memcmp(got, sent, size));
	}
	check_sent(-1);
}

TEST(message__sendmmsg_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "sendmmsg", .prepare = compose, .call = call_sendmmsg,
		.check = check_batch,
	};

	set_size(5000);
	new_pair();
	fail_open();
	fail_sweep(&op);
}

static void prepare_recv(void)
{
	compose();
	EXPECT_EQ(send(pair.tx, sent, size, 0), size);
	WAIT_FOR(us_queued(pair.rx, SIOCINQ) == (int)size);
}

static int call_recv(void)
{
	return result(recv(pair.rx, got, size, 0));
}

/* A message that could not be copied is still there. */
static void check_received(int ret)
{
	if (ret < 0)
		ret = recv(pair.rx, got, size, 0);
	EXPECT_EQ(ret, size);
	EXPECT(!memcmp(got, sent, size));
	EXPECT_FAILS(recv(pair.rx, got, size, MSG_DONTWAIT), EAGAIN);
}

TEST(message__recv_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "recv", .prepare = prepare_recv, .call = call_recv,
		.check = check_received,
	};

	set_size(64 * KIB);
	new_pair();
	fail_open();
	fail_sweep(&op);
}

static int call_recvmsg(void)
{
	struct iovec iov = { got, size };
	struct sockaddr_uet from;
	char control[256];
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};

	return result(recvmsg(pair.rx, &msg, 0));
}

/* The kernel copies the address when the message was read: then it is lost. */
static void check_received_msg(int ret)
{
	if (ret < 0)
		ret = recv(pair.rx, got, size, MSG_DONTWAIT);
	if (ret >= 0) {
		EXPECT_EQ(ret, size);
		EXPECT(!memcmp(got, sent, size));
	}
	EXPECT_FAILS(recv(pair.rx, got, size, MSG_DONTWAIT), EAGAIN);
}

TEST(message__recvmsg_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "recvmsg", .prepare = prepare_recv,
		.call = call_recvmsg, .check = check_received_msg,
	};
	int on = 1;

	set_size(9000);
	new_pair();
	ASSERT_SYS(setsockopt(pair.rx, SOL_UET, UET_RECV_CTX, &on, sizeof(on)));
	fail_open();
	fail_sweep(&op);
}

static struct us_mem mem;

static int call_recv_post_addr(void)
{
	struct uet_recv_post post = us_want_plain(seed, &mem);

	post.key = 0;
	post.offset = (uintptr_t)mem.buf;
	post.flags |= UET_RECV_ADDR;
	return result(us_recv_post(pair.rx, &post));
}

static int call_recv_post(void)
{
	struct uet_recv_post post = us_want_plain(seed, &mem);

	return result(us_recv_post(pair.rx, &post));
}

/* The message uses it up. */
static int call_recv_multi(void)
{
	struct uet_recv_post post = us_want_plain(seed, &mem);

	post.flags |= UET_RECV_MULTI;
	post.min_free = 1;
	return result(us_recv_post(pair.rx, &post));
}

/* It gets the next message, or, if it was not posted, recv() does. */
static void check_recv_posted(int ret)
{
	EXPECT_EQ(send(pair.tx, sent, size, 0), size);
	if (ret) {
		check_received(-1);
	} else {
		us_expect_recv(pair.rx, seed, mem.buf, seed, size);
		EXPECT_FAILS(recv(pair.rx, got, size, MSG_DONTWAIT), EAGAIN);
	}
	us_expect_none(pair.rx);
}

/* The first one of its socket. */
static void prepare_recv_post(void)
{
	prepare_new_pdc();
	mem = us_mem(pair.rx, size);
}

static void undo_recv_post(void)
{
	munmap(mem.buf, mem.len);
	close_pair();
}

TEST(message__recv_post_survives_no_memory)
{
	static const struct fail_op ops[] = { {
		.name = "UET_IOC_RECV_POST, the first",
		.prepare = prepare_recv_post, .call = call_recv_post,
		.check = check_recv_posted, .undo = undo_recv_post,
	}, {
		.name = "UET_IOC_RECV_POST", .prepare = compose,
		.call = call_recv_post, .check = check_recv_posted,
	}, {
		.name = "UET_IOC_RECV_POST, UET_RECV_ADDR", .prepare = compose,
		.call = call_recv_post_addr, .check = check_recv_posted,
	}, {
		.name = "UET_IOC_RECV_POST, for several messages",
		.prepare = compose, .call = call_recv_multi,
		.check = check_recv_posted,
	} };

	set_size(9000);
	fail_open();
	fail_sweep(&ops[0]);
	prepare_recv_post();
	EXPECT_EQ(call_recv_post(), 0);
	check_recv_posted(0);
	fail_sweep(&ops[1]);
	fail_sweep(&ops[2]);
	fail_sweep(&ops[3]);
}

/* Nothing may be pinned: the memory is copied. */
TEST(message__recv_post_copied_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "UET_IOC_RECV_POST, UET_RECV_ADDR, copied",
		.prepare = compose, .call = call_recv_post_addr,
		.check = check_recv_posted,
	};

	set_size(9000);
	fail_open();
	prepare_recv_post();
	EXPECT_EQ(call_recv_post(), 0);
	check_recv_posted(0);
	us_limit_memlock(0);
	fail_sweep(&op);
}

static int call_discard(void)
{
	struct uet_recv_peek peek = {
		.flags = UET_RECV_ANY_SOURCE | UET_PEEK_DISCARD,
	};

	return result(uet_ioctl(pair.rx, UET_IOC_RECV_PEEK, &peek));
}

/* It is there if it was not discarded; its description may not be returned. */
static void check_discarded(int ret)
{
	if (ret && (ret != -EFAULT || us_queued(pair.rx, SIOCINQ)))
		check_received(-1);
	EXPECT_FAILS(recv(pair.rx, got, size, MSG_DONTWAIT), EAGAIN);
}

/* The first one of its socket. */
static void prepare_discard(void)
{
	new_pair();
	prepare_recv();
}

static struct uet_peer someone;

static void prepare_peer(void)
{
	new_pair();
	someone = (struct uet_peer){ .addr = us_name(pair.rx) };
}

static int call_peer(void)
{
	return result(uet_ioctl(pair.tx, UET_IOC_PEER, &someone));
}

/* A peer that was not added can be, unless only its number was not returned. */
static void check_peer(int ret)
{
	int again = call_peer();

	if (ret != -EFAULT)
		EXPECT_EQ(again, ret ? 0 : -EEXIST);
	EXPECT_EQ(ioctl(pair.tx, UET_IOC_PEER_REMOVE, &someone.peer), 0);
}

TEST(message__recv_peek_and_peer_survives_no_memory)
{
	static const struct fail_op ops[] = { {
		.name = "UET_IOC_RECV_PEEK, the first", .prepare = prepare_discard,
		.call = call_discard, .check = check_discarded,
		.undo = close_pair,
	}, {
		.name = "UET_IOC_PEER, the first", .prepare = prepare_peer,
		.call = call_peer, .check = check_peer, .undo = close_pair,
	} };

	set_size(9000);
	fail_open();
	fail_sweep(&ops[0]);
	fail_sweep(&ops[1]);
}

HARNESS_MAIN()
