// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the addresses of AF_UET sockets: creation, bind(), connect(), names,
 * options, permissions, and what the kernel says about wrong ones.  Started by
 * sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <poll.h>

#include "uetsock.h"

static int try_bind(int fd, struct sockaddr_uet addr)
{
	return us_bind(fd, &addr);
}

TEST(socket__has_four_types_and_protocol_0)
{
	EXPECT_FAILS(socket(AF_UET, SOCK_RAW, 0), ESOCKTNOSUPPORT);
	EXPECT_FAILS(socket(AF_UET, SOCK_STREAM, 17), EPROTONOSUPPORT);
	EXPECT_FAILS(socket(AF_UET, SOCK_RDM, 17), EPROTONOSUPPORT);
	EXPECT_FAILS(socket(AF_UET, SOCK_DGRAM, 17), EPROTONOSUPPORT);
	EXPECT_GE(socket(AF_UET, SOCK_RDM, 0), 0);
	EXPECT_GE(socket(AF_UET, SOCK_SEQPACKET, 0), 0);
	EXPECT_GE(socket(AF_UET, SOCK_DGRAM, 0), 0);
	EXPECT_GE(socket(AF_UET, SOCK_STREAM, 0), 0);
}

TEST(socket__has_no_streams)
{
	int fd = us_socket(), pair[2];

	EXPECT_FAILS(listen(fd, 1), EOPNOTSUPP);
	EXPECT_FAILS(accept(fd, NULL, NULL), EOPNOTSUPP);
	EXPECT_FAILS(socketpair(AF_UET, SOCK_RDM, 0, pair), EOPNOTSUPP);
}

TEST(bind__checks_the_form_of_an_address)
{
	struct sockaddr_uet good = us_addr(0, 1, 1), bad;
	int fd = us_socket();

	EXPECT_FAILS(bind(fd, (void *)&good, sizeof(good) - 1), EINVAL);
	EXPECT(us_explains(fd, "bind: address of 39 bytes"));
	bad = good;
	bad.suet_family = AF_INET;
	EXPECT_FAILS(us_bind(fd, &bad), EAFNOSUPPORT);
	EXPECT(us_explains(fd, "suet_family 2"));
	bad = good;
	bad.suet_version = 9;
	EXPECT_FAILS(us_bind(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "suet_version 9"));
	bad = good;
	bad.suet_flags = 0x80;
	EXPECT_FAILS(us_bind(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "suet_flags 0x80"));
	bad = good;
	bad.suet_reserved = 1;
	EXPECT_FAILS(us_bind(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "suet_reserved"));
	EXPECT_EQ(us_bind(fd, &good), 0);
}

TEST(bind__checks_the_range_of_each_field)
{
	struct sockaddr_uet bad;
	int fd = us_socket();

	bad = us_addr(0, 1, 1);
	bad.suet_job = 0;
	EXPECT_FAILS(us_bind(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "suet_job 0"));
	bad.suet_job = UET_JOBID_MAX + 1;
	EXPECT_FAILS(us_bind(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "16777215"));
	EXPECT_FAILS(try_bind(fd, us_addr(0, UET_PIDONFEP_MAX + 1, 1)), EINVAL);
	EXPECT(us_explains(fd, "suet_pid 4096"));
	EXPECT_FAILS(try_bind(fd, us_addr(0, 1, UET_RINDEX_MAX + 1)), EINVAL);
	EXPECT(us_explains(fd, "suet_ri 4096"));
}

TEST(bind__knows_jobs_feps_and_pids)
{
	struct sockaddr_uet addr = us_addr(0, 1, 1);
	int fd = us_socket();

	addr.suet_job = 999;
	EXPECT_FAILS(us_bind(fd, &addr), ENOENT);
	EXPECT(us_explains(fd, "no job 999"));
	addr = us_addr(0, 1, 1);
	addr.suet_fa4 = htonl(0x7f090909);
	EXPECT_FAILS(us_bind(fd, &addr), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "no FEP of job"));
	addr = us_addr(0, 7, 1);
	addr.suet_job = atoi(us_env("UET_JOB_ONE"));
	EXPECT_FAILS(us_bind(fd, &addr), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "suet_pid 7 is not in 5..6"));
	addr.suet_pid = 5;
	addr.suet_ri = UET_RINDEX_STREAM;
	EXPECT_FAILS(us_bind(fd, &addr), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "that of the streams of job"));
	addr.suet_ri = UET_RINDEX_CM;
	EXPECT_FAILS(us_bind(fd, &addr), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "that of the connection managers of job"));
}

TEST(bind__takes_an_address_once)
{
	struct sockaddr_uet addr = us_addr(0, 3, 9);
	int a = us_socket(), b = us_socket();

	ASSERT_SYS(us_bind(a, &addr));
	EXPECT_FAILS(us_bind(b, &addr), EADDRINUSE);
	EXPECT(us_explains(b, "pid 3 ri 9 of job 1 is in use on FEP fep1"));
	EXPECT_FAILS(try_bind(a, us_addr(0, 3, 10)), EINVAL);
	EXPECT(us_explains(a, "bound already"));
	/* Another FEP, Resource Index or form of addressing is another address. */
	EXPECT_EQ(us_endpoint(1, 3, 9) < 0, 0);
	EXPECT_EQ(us_endpoint(0, 3, 10) < 0, 0);
	addr.suet_flags |= UET_ADDR_ABSOLUTE;
	EXPECT_EQ(us_bind(b, &addr), 0);
	close(a);
	EXPECT_GE(us_endpoint(0, 3, 9), 0);
}

TEST(bind__chooses_fields_left_open)
{
	struct sockaddr_uet want = us_addr(0, UET_PID_ANY, 0), got;
	int fd = us_socket();

	want.suet_job = atoi(us_env("UET_JOB_ONE"));
	want.suet_fa4 = 0;
	ASSERT_SYS(us_bind(fd, &want));
	got = us_name(fd);
	EXPECT_EQ(got.suet_fa4, us_addr(0, 0, 0).suet_fa4);
	EXPECT(got.suet_pid == 5 || got.suet_pid == 6);
	EXPECT_GE(got.suet_ri, 1);
	EXPECT_LE(got.suet_ri, UET_RINDEX_MAX);
	EXPECT_EQ(got.suet_initiator, UET_INITIATOR_ID(got.suet_pid, got.suet_ri));
	EXPECT_EQ(got.suet_initiator, got.suet_pid << 12 | got.suet_ri);
	EXPECT_EQ(UET_INITIATOR_PID(got.suet_initiator), got.suet_pid);
	EXPECT_EQ(UET_INITIATOR_RI(got.suet_initiator), got.suet_ri);
	EXPECT_EQ(got.suet_job, want.suet_job);

	want.suet_job = atoi(us_env("UET_JOB"));
	fd = us_socket();
	EXPECT_FAILS(us_bind(fd, &want), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "several FEPs"));
}

TEST(bind__runs_out_of_pids)
{
	struct sockaddr_uet want = us_addr(0, UET_PID_ANY, 77);
	int a = us_socket(), b = us_socket(), c = us_socket();

	want.suet_job = atoi(us_env("UET_JOB_ONE"));
	ASSERT_SYS(us_bind(a, &want));
	ASSERT_SYS(us_bind(b, &want));
	EXPECT_NE(us_name(a).suet_pid, us_name(b).suet_pid);
	EXPECT_FAILS(us_bind(c, &want), EADDRINUSE);
	EXPECT(us_explains(c, "all that fit are in use"));
	close(a);
	EXPECT_EQ(us_bind(c, &want), 0);
}

TEST(bind__needs_the_owner_of_the_job)
{
	pid_t pid = CHILD({
		struct sockaddr_uet addr = us_addr(0, 1, 1);
		int fd;

		ASSERT_SYS(setgroups(0, NULL));
		ASSERT_SYS(setgid(65534));
		ASSERT_SYS(setuid(65534));
		fd = us_socket();
		EXPECT_FAILS(us_bind(fd, &addr), EACCES);
		EXPECT(us_explains(fd, "not the user or group of job"));
		EXPECT_FAILS(us_connect(fd, &addr), EACCES);
	});

	harness_join(pid);
}

TEST(connect__checks_the_destination)
{
	struct sockaddr_uet bad;
	int fd = us_socket();

	bad = us_addr(1, 1, 0);
	EXPECT_FAILS(us_connect(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "connect: suet_ri 0"));
	bad = us_addr(1, UET_PID_ANY, 1);
	EXPECT_FAILS(us_connect(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "suet_pid 65535"));
	bad = us_addr(1, 1, 1);
	bad.suet_fa4 = 0;
	EXPECT_FAILS(us_connect(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "not a unicast address"));
	bad.suet_fa4 = htonl(0xe0000001);
	EXPECT_FAILS(us_connect(fd, &bad), EINVAL);
	EXPECT_FAILS(connect(fd, (void *)&bad, 1), EINVAL);
	/* The FEP knows which address is a broadcast address. */
	fd = us_endpoint(0, UET_PID_ANY, 0);
	bad.suet_fa4 = htonl(0x7fffffff);
	EXPECT_FAILS(us_connect(fd, &bad), EINVAL);
	EXPECT(us_explains(fd, "broadcast address of a subnet"));
}

TEST(connect__stays_within_the_job_and_family)
{
	struct sockaddr_uet addr = us_addr(1, 1, 1);
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	addr.suet_job = atoi(us_env("UET_JOB_ONE"));
	EXPECT_FAILS(us_connect(fd, &addr), EACCES);
	EXPECT(us_explains(fd, "of the socket"));
	addr = us_addr(1, 1, 1);
	addr.suet_flags |= UET_ADDR_IPV6;
	memset(addr.suet_fa6, 0xfd, sizeof(addr.suet_fa6));
	EXPECT_FAILS(us_connect(fd, &addr), EAFNOSUPPORT);
	EXPECT(us_explains(fd, "family of FEP"));
}

TEST(connect__binds_remembers_and_forgets)
{
	struct sockaddr_uet addr = us_addr(1, 4, 5), got;
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	socklen_t len = sizeof(got);
	int fd = us_socket();

	addr.suet_job = atoi(us_env("UET_JOB_ONE"));
	EXPECT_FAILS(getpeername(fd, (void *)&got, &len), ENOTCONN);
	EXPECT_EQ(us_name(fd).suet_job, 0);
	ASSERT_SYS(us_connect(fd, &addr));
	EXPECT_EQ(us_name(fd).suet_job, addr.suet_job);
	ASSERT_SYS(getpeername(fd, (void *)&got, &len));
	EXPECT_EQ(memcmp(&got, &addr, sizeof(addr)), 0);
	ASSERT_SYS(connect(fd, &none, sizeof(none)));
	EXPECT_FAILS(getpeername(fd, (void *)&got, &len), ENOTCONN);
	EXPECT_FAILS(send(fd, "x", 1, 0), EDESTADDRREQ);
	EXPECT(us_explains(fd, "neither a destination"));
}

TEST(sendto__binds_automatically)
{
	int rx = us_socket(), tx = us_socket();
	struct sockaddr_uet to = us_addr(0, 5, 3);

	to.suet_job = atoi(us_env("UET_JOB_ONE"));
	ASSERT_SYS(us_bind(rx, &to));
	EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(us_name(tx).suet_job, to.suet_job);
	EXPECT_EQ(recv(rx, &to, 1, 0), 1);
}

TEST(sendto__reaches_an_absolute_address)
{
	struct sockaddr_uet to = us_addr(1, 11, 12), from;
	socklen_t len = sizeof(from);
	int rx = us_socket(), tx = us_endpoint(0, UET_PID_ANY, 0);
	char byte;

	to.suet_flags |= UET_ADDR_ABSOLUTE;
	ASSERT_SYS(us_bind(rx, &to));
	EXPECT_EQ(us_name(rx).suet_flags, UET_ADDR_ABSOLUTE);
	EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(recvfrom(rx, &byte, 1, 0, (void *)&from, &len), 1);
	EXPECT_EQ(from.suet_initiator, us_name(tx).suet_initiator);
	/* A relative address with the same numbers is somebody else. */
	to.suet_flags = 0;
	EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_FAILS(shutdown(tx, SHUT_WR), ECONNREFUSED);
}

TEST(sendto__works_with_ipv6)
{
	struct sockaddr_uet to = {
		.suet_family = AF_UET,
		.suet_version = UET_ADDR_VERSION,
		.suet_flags = UET_ADDR_IPV6,
		.suet_job = atoi(us_env("UET_JOB_SIX")),
		.suet_pid = 1,
		.suet_ri = 2,
	};
	int rx = us_socket(), tx = us_socket(), any = us_socket();
	struct sockaddr_uet from, me, no;
	socklen_t len = sizeof(from);
	char byte;

	inet_pton(AF_INET6, us_env("UET_SIX"), to.suet_fa6);
	ASSERT_SYS(us_bind(rx, &to));
	EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(recvfrom(rx, &byte, 1, 0, (void *)&from, &len), 1);
	me = us_name(tx);
	EXPECT_EQ(memcmp(&from, &me, sizeof(me)), 0);
	EXPECT_EQ(me.suet_flags, UET_ADDR_IPV6);
	EXPECT_EQ(memcmp(me.suet_fa6, to.suet_fa6, sizeof(to.suet_fa6)), 0);
	/* Without an address, any FEP will do if it is the only one. */
	no = us_addr(0, UET_PID_ANY, 0);
	no.suet_job = to.suet_job;
	no.suet_fa4 = 0;
	EXPECT_EQ(us_bind(any, &no), 0);
	EXPECT_EQ(us_name(any).suet_flags, UET_ADDR_IPV6);
	no = us_addr(0, 1, 1);
	no.suet_job = to.suet_job;
	EXPECT_FAILS(us_connect(tx, &no), EAFNOSUPPORT);
	EXPECT_FAILS(us_connect(us_socket(), &no), EADDRNOTAVAIL);
}

TEST(option__initiator_is_set_before_bind_only)
{
	struct sockaddr_uet from;
	socklen_t len = sizeof(from);
	int rx = us_endpoint(1, UET_PID_ANY, 0), tx = us_socket();
	uint32_t id = 0xcafe1234, got = 0;
	struct sockaddr_uet to = us_name(rx);
	char byte;

	ASSERT_SYS(setsockopt(tx, SOL_UET, UET_INITIATOR, &id, sizeof(id)));
	EXPECT_EQ(try_bind(tx, us_addr(0, UET_PID_ANY, 0)), 0);
	EXPECT_EQ(us_name(tx).suet_initiator, id);
	EXPECT_FAILS(setsockopt(tx, SOL_UET, UET_INITIATOR, &id, sizeof(id)),
		     EINVAL);
	EXPECT(us_explains(tx, "UET_INITIATOR"));
	EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(recvfrom(rx, &byte, 1, 0, (void *)&from, &len), 1);
	EXPECT_EQ(from.suet_initiator, id);
	len = sizeof(got);
	ASSERT_SYS(getsockopt(tx, SOL_UET, UET_INITIATOR, &got, &len));
	EXPECT_EQ(got, id);
}

TEST(option__a_failed_bind_changes_no_initiator)
{
	struct sockaddr_uet addr = us_addr(0, 1, 1);
	uint32_t got = 1;
	socklen_t len = sizeof(got);
	int fd = us_socket();

	addr.suet_job = 999;
	addr.suet_initiator = 5;
	EXPECT_FAILS(us_bind(fd, &addr), ENOENT);
	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_INITIATOR, &got, &len));
	EXPECT_EQ(got, 0);
}

TEST(option__payload_mtu_is_known_once_bound)
{
	uint32_t mtu = 0;
	socklen_t len = sizeof(mtu);
	int fd = us_socket();

	EXPECT_FAILS(getsockopt(fd, SOL_UET, UET_PAYLOAD_MTU, &mtu, &len),
		     ENOTCONN);
	ASSERT_SYS(try_bind(fd, us_addr(0, UET_PID_ANY, 0)));
	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_PAYLOAD_MTU, &mtu, &len));
	EXPECT(mtu == 1024 || mtu == 2048 || mtu == 4096 || mtu == 8192);
	EXPECT_EQ(len, sizeof(mtu));
}

static uint32_t reserved_pdc(int fd)
{
	uint32_t value = 99;
	socklen_t len = sizeof(value);

	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_RESERVED_PDC, &value, &len));
	ASSERT_EQ(len, sizeof(value));
	return value;
}

static int set_reserved_pdc(int fd, uint32_t value)
{
	return setsockopt(fd, SOL_UET, UET_RESERVED_PDC, &value, sizeof(value));
}

TEST(option__reserved_pdc_is_kept)
{
	int fd = us_socket();

	EXPECT_EQ(reserved_pdc(fd), 0);
	ASSERT_SYS(set_reserved_pdc(fd, 1));
	EXPECT_EQ(reserved_pdc(fd), 1);
	EXPECT_FAILS(set_reserved_pdc(fd, 2), EINVAL);
	EXPECT(us_explains(fd, "UET_RESERVED_PDC must be 0 or 1, not 2"));
	EXPECT_EQ(reserved_pdc(fd), 1);
	ASSERT_SYS(set_reserved_pdc(fd, 0));
	EXPECT_EQ(reserved_pdc(fd), 0);
}

TEST(option__reserved_pdc_is_chosen_before_sending)
{
	int rx = us_endpoint(1, UET_PID_ANY, 0), tx = us_socket();
	struct sockaddr_uet to = us_name(rx);

	ASSERT_SYS(try_bind(tx, us_addr(0, UET_PID_ANY, 0)));
	ASSERT_SYS(set_reserved_pdc(tx, 1));
	EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_FAILS(set_reserved_pdc(tx, 0), EBUSY);
	EXPECT(us_explains(tx, "once the socket has sent"));
	EXPECT_EQ(reserved_pdc(tx), 1);
}

TEST(option__reserved_pdc_is_not_for_datagrams)
{
	int fd = us_socket_of(SOCK_DGRAM);

	EXPECT_FAILS(set_reserved_pdc(fd, 1), EOPNOTSUPP);
	EXPECT(us_explains(fd, "has no PDCs"));
	EXPECT_EQ(reserved_pdc(fd), 0);
}

TEST(option__unknown_and_short_ones_are_refused)
{
	uint32_t value = 1;
	socklen_t len = sizeof(value);
	int fd = us_socket();

	EXPECT_FAILS(setsockopt(fd, SOL_UET, 99, &value, len), ENOPROTOOPT);
	EXPECT_FAILS(setsockopt(fd, SOL_UET, UET_LAST_ERROR, &value, len),
		     ENOPROTOOPT);
	EXPECT(us_explains(fd, "no option 1"));
	EXPECT_FAILS(setsockopt(fd, SOL_UET, UET_RECV_CTX, &value, 3), EINVAL);
	EXPECT_FAILS(getsockopt(fd, SOL_UET, 99, &value, &len), ENOPROTOOPT);
	EXPECT_FAILS(getsockopt(fd, IPPROTO_TCP, 1, &value, &len), ENOPROTOOPT);
	EXPECT_FAILS(setsockopt(fd, SOL_UET, UET_RECV_CTX, NULL, 4), EFAULT);
}

/* Options that the socket layer stores for any socket. */
TEST(option__reuse_does_not_share_an_address)
{
	int on = 1, fd = us_socket(), other = us_socket();
	struct sockaddr_uet addr = us_addr(0, 33, 3);

	ASSERT_SYS(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	ASSERT_SYS(setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	ASSERT_SYS(us_bind(fd, &addr));
	EXPECT_FAILS(us_bind(other, &addr), EADDRINUSE);
	/* Nothing remains of a socket that is closed. */
	close(fd);
	ASSERT_SYS(us_bind(other, &addr));
}

static const char *text_of(int fd)
{
	static char text[256];
	socklen_t len = sizeof(text);

	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &len));
	return text;
}

/* The socket layer stores a device; the socket that has one neither binds nor sends. */
TEST(option__device_is_refused)
{
	static const char why[] = "SO_BINDTODEVICE or SO_BINDTOIFINDEX, but the FEP chooses the rails; use a FEP with this rail only";
	int device = 1, none = 0, fd = us_socket();
	struct sockaddr_uet addr = us_addr(0, 33, 3), to = us_addr(1, 34, 3);
	struct us_pair p = us_pair();
	char byte;

	ASSERT_SYS(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
	EXPECT_FAILS(us_bind(fd, &addr), EOPNOTSUPP);
	EXPECT(us_explains(fd, "bind: the socket has "));
	EXPECT(us_explains(fd, why));
	EXPECT_FAILS(us_connect(fd, &to), EOPNOTSUPP);
	EXPECT(us_explains(fd, "connect: the socket has "));
	ASSERT_SYS(setsockopt(p.tx, SOL_SOCKET, SO_BINDTOIFINDEX, &device,
			      sizeof(device)));
	EXPECT_FAILS(send(p.tx, "x", 1, 0), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "sendmsg: the socket has "));
	EXPECT(us_explains(p.tx, why));
	ASSERT_SYS(setsockopt(p.tx, SOL_SOCKET, SO_BINDTOIFINDEX, &none, sizeof(none)));
	EXPECT_EQ(send(p.tx, "x", 1, 0), 1);
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 1);
}

/* A call that is refused with a text, before one that fails without. */
static void refuse_one(int fd)
{
	EXPECT_FAILS(setsockopt(fd, SOL_UET, 99, &fd, sizeof(fd)), ENOPROTOOPT);
}

#define IS_STALE(fd)	strstr(text_of(fd), "no option 99")

TEST(option__last_error_is_not_that_of_an_earlier_call)
{
	struct us_pair p = us_pair();
	struct uet_recv_peek peek = { .flags = UET_RECV_ANY_SOURCE };
	char byte;

	refuse_one(p.rx);
	EXPECT_FAILS(setsockopt(p.rx, SOL_UET, UET_RECV_CTX, NULL, 4), EFAULT);
	EXPECT(!IS_STALE(p.rx));
	refuse_one(p.rx);
	EXPECT_FAILS(getsockopt(p.rx, SOL_UET, UET_RECV_CTX, NULL, NULL), EFAULT);
	EXPECT(!IS_STALE(p.rx));
	refuse_one(p.rx);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT(!IS_STALE(p.rx));
	refuse_one(p.rx);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT | MSG_ERRQUEUE), EAGAIN);
	EXPECT(!IS_STALE(p.rx));
	refuse_one(p.rx);
	EXPECT_FAILS(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &peek), ENOMSG);
	EXPECT(!IS_STALE(p.rx));
	refuse_one(p.rx);
	EXPECT_FAILS(ioctl(p.rx, UET_IOC_MR_REG, NULL), EFAULT);
	EXPECT(!IS_STALE(p.rx));
	refuse_one(p.tx);
	EXPECT_FAILS(send(p.tx, NULL, 1, MSG_NOSIGNAL), EFAULT);
	EXPECT(!IS_STALE(p.tx));
	/* A call that succeeds keeps the text, and so does reading it. */
	refuse_one(p.rx);
	EXPECT_FAILS(getsockopt(p.rx, SOL_UET, UET_LAST_ERROR, NULL, NULL), EFAULT);
	us_want_ctx(p.rx);
	EXPECT(us_explains(p.rx, "no option 99"));
	EXPECT(us_explains(p.rx, "no option 99"));
}

/* The text of a message that has failed waits for the call that reports the error. */
TEST(option__last_error_of_a_message_stays_until_it_is_reported)
{
	struct sockaddr_uet nobody = us_addr(1, 99, 9);
	struct us_pair p = us_pair();
	struct pollfd pfd = { .fd = p.tx };
	char byte;

	ASSERT_SYS(sendto(p.tx, "x", 1, 0, (struct sockaddr *)&nobody, sizeof(nobody)));
	EXPECT_EQ(poll(&pfd, 1, -1), 1);
	EXPECT_EQ(pfd.revents & POLLERR, POLLERR);
	EXPECT_FAILS(getsockopt(p.tx, SOL_UET, UET_RECV_CTX, NULL, NULL), EFAULT);
	EXPECT_FAILS(recv(p.tx, &byte, 1, MSG_DONTWAIT), ECONNREFUSED);
	EXPECT(us_explains(p.tx, "message of 1 bytes"));
	EXPECT_FAILS(recv(p.tx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT_EQ(strlen(text_of(p.tx)), 0);
}

TEST(option__last_error_fits_the_callers_space)
{
	char text[8] = "1234567";
	socklen_t len = 4;
	int fd = us_socket();

	EXPECT_FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EDESTADDRREQ);
	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &len));
	EXPECT_EQ(len, 4);
	EXPECT_EQ(memcmp(text, "send567", 7), 0);
}

TEST(proc__counts_sockets)
{
	int fds[] = { us_socket(), us_socket(), us_socket() };
	FILE *f = fopen("/proc/net/protocols", "r");
	int sockets = -1;
	char line[256];

	ASSERT(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "UET ", 4))
			sscanf(line, "UET %*d %d", &sockets);
	fclose(f);
	EXPECT_GE(sockets, (int)(sizeof(fds) / sizeof(fds[0])));
}

HARNESS_MAIN()
