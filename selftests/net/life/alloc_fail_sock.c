// SPDX-License-Identifier: GPL-2.0
/*
 * Socket calls with each allocation that they reach failing once: a call that
 * fails leaves the socket as it was, what it could not send does not arrive,
 * and what it says it has sent does, whole, whichever packet found no memory.
 * failnth.h has the sweep; started by alloc_fail.sh, see uetsock.h for what it
 * needs.  Level: test.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "failnth.h"
#include "genl.h"
#include "uetpost.h"
#include "uetrma.h"

#define KIB	1024
#define MIB	(1024 * KIB)

/* Nobody has to wait for longer than a test may take. */
#define PEER_TIMEOUT_MS	(HARNESS_SECONDS * 1000 * harness_scale())

static struct us_pair pair;
static int sock = -1, epoll;
static struct sockaddr_uet own, peer;
static uint8_t *sent, *got;
static size_t size;
static uint32_t seed;

static int result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static void close_sock(void)
{
	close(sock);
	sock = -1;
}

static int call_socket(void)
{
	sock = socket(AF_UET, SOCK_RDM, 0);
	return result(sock);
}

static void check_socket(int ret)
{
	if (ret >= 0)
		close_sock();
}

TEST(sock__socket)
{
	static const struct fail_op op = {
		.name = "socket", .call = call_socket, .check = check_socket,
		.also = ENFILE,
	};

	fail_open();
	fail_sweep(&op);
}

static void prepare_sock(void)
{
	sock = us_socket();
}

static int call_bind(void)
{
	return result(us_bind(sock, &own));
}

/* A socket that could not be bound is as it was, and can be. */
static void check_bound(int ret)
{
	EXPECT_EQ(us_name(sock).suet_job, ret ? 0 : own.suet_job);
	if (ret)
		EXPECT_EQ(us_bind(sock, &own), 0);
}

TEST(sock__bind)
{
	static const struct fail_op op = {
		.name = "bind", .prepare = prepare_sock, .call = call_bind,
		.check = check_bound, .undo = close_sock,
	};

	own = us_addr(0, 8, 8);
	fail_open();
	fail_sweep(&op);
}

static int call_connect(void)
{
	return result(us_connect(sock, &peer));
}

static void check_connected(int ret)
{
	EXPECT_EQ(us_name(sock).suet_job, ret ? 0 : peer.suet_job);
	if (ret)
		EXPECT_EQ(us_connect(sock, &peer), 0);
}

TEST(sock__connect)
{
	static const struct fail_op op = {
		.name = "connect", .prepare = prepare_sock,
		.call = call_connect, .check = check_connected,
		.undo = close_sock,
	};

	/* The other job has two FEPs, so the address would have to name one. */
	peer = us_addr(0, 9, 9);
	peer.suet_job = atoi(us_env("UET_JOB_ONE"));
	fail_open();
	fail_sweep(&op);
}

static void set_size(size_t bytes)
{
	size = bytes;
	sent = us_alloc(size);
	got = us_alloc(size);
	us_env("UET_JOB");
}

static void new_pair(void)
{
	pair = us_pair();
	us_set_timeout(pair.rx, SO_RCVTIMEO, PEER_TIMEOUT_MS);
}

static void close_pair(void)
{
	close(pair.tx);
	close(pair.rx);
}

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

TEST(sock__send_on_a_new_pdc)
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

TEST(sock__send_1_byte)
{
	sweep_send("send 1 byte", 1, 0, false);
}

TEST(sock__send_64_KiB)
{
	sweep_send("send 64 KiB", 64 * KIB, 0, false);
}

TEST(sock__send_1_MiB)
{
	sweep_send("send 1 MiB", MIB, 0, true);
}

TEST(sock__send_streamed)
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

TEST(sock__send_with_completion)
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

TEST(sock__read)
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

static int call_rendezvous(void)
{
	const struct uet_local local = { our_key, 0, size };
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, seed);
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	return result(us_send_control(pair.tx, &c, sent, size / 2));
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

TEST(sock__rendezvous)
{
	static const struct fail_op op = {
		.name = "rendezvous of 20 KiB", .prepare = compose,
		.call = call_rendezvous, .check = check_rendezvous,
	};

	set_size(20 * KIB);
	new_pair();
	our_key = us_reg(pair.tx, sent, size, UET_MR_READ);
	fail_open();
	fail_sweep(&op);
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

TEST(sock__sendmmsg)
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

TEST(sock__recv)
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
	char control[256];
	struct msghdr msg = {
		.msg_name = &peer, .msg_namelen = sizeof(peer),
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

TEST(sock__recvmsg)
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

TEST(sock__recv_post)
{
	static const struct fail_op ops[] = { {
		.name = "UET_IOC_RECV_POST, the first",
		.prepare = prepare_recv_post, .call = call_recv_post,
		.check = check_recv_posted, .undo = undo_recv_post,
	}, {
		.name = "UET_IOC_RECV_POST", .prepare = compose,
		.call = call_recv_post, .check = check_recv_posted,
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
}

static int call_discard(void)
{
	struct uet_recv_peek peek = {
		.flags = UET_RECV_ANY_SOURCE | UET_PEEK_DISCARD,
	};

	return result(ioctl(pair.rx, UET_IOC_RECV_PEEK, &peek));
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
	return result(ioctl(pair.tx, UET_IOC_PEER, &someone));
}

/* A peer that was not added can be, unless only its number was not returned. */
static void check_peer(int ret)
{
	int again = call_peer();

	if (ret != -EFAULT)
		EXPECT_EQ(again, ret ? 0 : -EEXIST);
	EXPECT_EQ(ioctl(pair.tx, UET_IOC_PEER_REMOVE, &someone.peer), 0);
}

TEST(sock__recv_peek_and_peer)
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

static int call_setsockopt(void)
{
	uint32_t value = 5;

	return result(setsockopt(sock, SOL_UET, UET_INITIATOR, &value,
				 sizeof(value)));
}

/* Also what the option is now: that call can fail as well. */
static int call_getsockopt(void)
{
	uint32_t value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(sock, SOL_UET, UET_INITIATOR, &value, &len))
		return -errno;
	return value == 0 && len == sizeof(value) ? 0 : -EPROTO;
}

static int call_last_error(void)
{
	char text[256];
	socklen_t len = sizeof(text);

	return result(getsockopt(sock, SOL_UET, UET_LAST_ERROR, text, &len));
}

static void sweep_sock(const char *name, int (*call)(void))
{
	const struct fail_op op = {
		.name = name, .prepare = prepare_sock, .call = call,
		.undo = close_sock,
	};

	fail_open();
	fail_sweep(&op);
}

TEST(sock__options)
{
	sweep_sock("setsockopt", call_setsockopt);
	sweep_sock("getsockopt", call_getsockopt);
	sweep_sock("UET_LAST_ERROR", call_last_error);
}

static int call_ring(void)
{
	struct uet_cq_ring ring = { .entries = 64 };
	void *at;

	if (ioctl(sock, UET_IOC_CQ_RING, &ring))
		return -errno;
	at = mmap(NULL, ring.size, PROT_READ, MAP_SHARED, sock, 0);
	if (at == MAP_FAILED)
		return -errno;
	return result(munmap(at, ring.size));
}

TEST(sock__completion_ring)
{
	sweep_sock("UET_IOC_CQ_RING", call_ring);
}

static int call_poll(void)
{
	struct pollfd fds = { .fd = sock, .events = POLLIN | POLLOUT };

	return result(poll(&fds, 1, 0));
}

static void prepare_epoll(void)
{
	prepare_sock();
	epoll = epoll_create1(0);
	ASSERT_SYS(epoll);
}

static int call_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT };

	return result(epoll_ctl(epoll, EPOLL_CTL_ADD, sock, &event));
}

static void check_epoll(int ret)
{
	struct epoll_event event;

	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), !ret);
}

static void undo_epoll(void)
{
	close(epoll);
	close_sock();
}

TEST(sock__poll)
{
	static const struct fail_op op = {
		.name = "epoll_ctl", .prepare = prepare_epoll,
		.call = call_epoll, .check = check_epoll, .undo = undo_epoll,
	};

	sweep_sock("poll", call_poll);
	fail_sweep(&op);
}

/* One message is unread, another one not even answered. */
static void prepare_close(void)
{
	new_pair();
	EXPECT_EQ(send(pair.tx, sent, size, 0), size);
	WAIT_FOR(us_queued(pair.rx, SIOCINQ) == (int)size);
	EXPECT_EQ(send(pair.tx, sent, size, 0), size);
}

static int call_shutdown(void)
{
	return result(shutdown(pair.tx, SHUT_RDWR));
}

static int call_close(void)
{
	if (close(pair.rx))
		return -errno;
	return result(close(pair.tx));
}

TEST(sock__shutdown_and_close)
{
	static const struct fail_op ops[] = { {
		.name = "shutdown", .prepare = prepare_close,
		.call = call_shutdown, .undo = close_pair,
		.may_have_none = true,
	}, {
		.name = "close", .prepare = prepare_close, .call = call_close,
		.may_have_none = true,
	} };

	set_size(64 * KIB);
	fail_open();
	fail_sweep(&ops[0]);
	fail_sweep(&ops[1]);
}

static int job_fd;

static int call_job_open(void)
{
	struct uet_job_open open = { .job = own.suet_job };

	job_fd = ioctl(sock, UET_IOC_JOB_OPEN, &open);
	return result(job_fd);
}

/* It is a descriptor by which one can bind. */
static void check_job_open(int ret)
{
	if (ret < 0)
		return;
	EXPECT_EQ(setsockopt(sock, SOL_UET, UET_JOB_FD, &job_fd, 4), 0);
	EXPECT_EQ(us_bind(sock, &own), 0);
	close(job_fd);
}

static void prepare_job_fd(void)
{
	prepare_sock();
	ASSERT_SYS(call_job_open());
}

static int call_job_fd(void)
{
	return result(setsockopt(sock, SOL_UET, UET_JOB_FD, &job_fd, 4));
}

/* A job that was not granted to the socket does not name its job. */
static void check_job_fd(int ret)
{
	struct sockaddr_uet any = own;

	any.suet_job = 0;
	if (ret < 0)
		EXPECT_FAILS(us_bind(sock, &any), EINVAL);
	else
		EXPECT_EQ(us_bind(sock, &any), 0);
	close(job_fd);
}

TEST(sock__job_descriptors)
{
	static const struct fail_op open = {
		.name = "UET_IOC_JOB_OPEN", .prepare = prepare_sock,
		.call = call_job_open, .check = check_job_open,
		.undo = close_sock, .also = ENFILE,
	};
	static const struct fail_op give = {
		.name = "UET_JOB_FD", .prepare = prepare_job_fd,
		.call = call_job_fd, .check = check_job_fd, .undo = close_sock,
	};

	own = us_addr(0, 8, 8);
	fail_open();
	fail_sweep(&open);
	fail_sweep(&give);
}

HARNESS_MAIN()
