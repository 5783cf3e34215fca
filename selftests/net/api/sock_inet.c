// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of AF_INET and AF_INET6 sockets with IPPROTO_UET: addresses, job and PIDonFEP,
 * names, messages to and from AF_UET sockets, and BPF programs of a cgroup.  Started by
 * inet_sock.sh with what uetsock.h needs, and UET_CGROUP, the root of a cgroup2.
 * Level: test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "cgrouphook.h"
#include "uetrma.h"

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static socklen_t size(const union address *a)
{
	return a->any.sa_family == AF_INET ? sizeof(a->in) : sizeof(a->in6);
}

static union address address(const char *host, int port)
{
	union address a = { .in.sin_port = htons(port) };

	a.any.sa_family = strchr(host, ':') ? AF_INET6 : AF_INET;
	ASSERT_EQ(inet_pton(a.any.sa_family, host,
			    a.any.sa_family == AF_INET ?
			    (void *)&a.in.sin_addr :
			    (void *)&a.in6.sin6_addr), 1);
	return a;
}

/* On the first (0), the second (1) or the IPv6 FEP (6). */
static union address on_fep(int which, int port)
{
	return address(us_env(which == 6 ? "UET_SIX" : which ? "UET_REMOTE" :
			      "UET_LOCAL"), port);
}

static void set_default_job(const char *job)
{
	int fd = open("/proc/sys/net/uet/default_job", O_WRONLY);

	ASSERT_SYS(fd);
	ASSERT_EQ(write(fd, job, strlen(job)), (ssize_t)strlen(job));
	close(fd);
}

static int set(int fd, int name, uint32_t value)
{
	return setsockopt(fd, SOL_UET, name, &value, sizeof(value));
}

static int get(int fd, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	ASSERT_SYS(getsockopt(fd, SOL_UET, name, &value, &len));
	return value;
}

/* A socket of UET_JOB, or of UET_JOB_SIX with AF_INET6. */
static int inet_socket_of(int family, int type)
{
	int fd = socket(family, type, IPPROTO_UET);

	ASSERT_SYS(fd);
	us_set_timeout(fd, SO_RCVTIMEO, 10000);
	ASSERT_SYS(set(fd, UET_JOB, atoi(us_env(family == AF_INET ? "UET_JOB" :
							"UET_JOB_SIX"))));
	return fd;
}

static int inet_socket(void)
{
	return inet_socket_of(AF_INET, SOCK_RDM);
}

static int try_bind(int fd, union address a)
{
	return bind(fd, &a.any, size(&a));
}

static int try_connect(int fd, union address a)
{
	return connect(fd, &a.any, size(&a));
}

static ssize_t try_send(int fd, union address a, const char *text)
{
	return sendto(fd, text, strlen(text), MSG_NOSIGNAL, &a.any, size(&a));
}

static int endpoint(int which, int port)
{
	int fd = inet_socket_of(which == 6 ? AF_INET6 : AF_INET, SOCK_RDM);

	ASSERT_SYS(try_bind(fd, on_fep(which, port)));
	return fd;
}

static int port_of(int fd)
{
	union address a;
	socklen_t len = sizeof(a);

	ASSERT_SYS(getsockname(fd, &a.any, &len));
	ASSERT_EQ(len, size(&a));
	return ntohs(a.in.sin_port);
}

/* The next message is @text. Return: the port of its sender. */
static int receives(int fd, const char *text)
{
	union address from = {};
	socklen_t len = sizeof(from);
	char buf[64] = "";

	ASSERT_EQ(recvfrom(fd, buf, sizeof(buf) - 1, 0, &from.any, &len),
		  (ssize_t)strlen(text));
	EXPECT(!strcmp(buf, text));
	EXPECT_EQ(len, size(&from));
	return ntohs(from.in.sin_port);
}

/* ----------------------------------------------------- sockets and options */

TEST(socket__of_messages_has_three_types_in_two_families)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	socklen_t len = sizeof(int);
	int i, fd, protocol;

	for (i = 0; i < 6; i++) {
		fd = socket(i % 2 ? AF_INET : AF_INET6, types[i / 2], IPPROTO_UET);
		ASSERT_SYS(fd);
		ASSERT_SYS(getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol,
				      &len));
		EXPECT_EQ(protocol, IPPROTO_UET);
	}
	EXPECT_FAILS(socket(AF_INET, SOCK_DCCP, IPPROTO_UET), ESOCKTNOSUPPORT);
	EXPECT_FAILS(listen(fd, 1), EOPNOTSUPP);
	EXPECT_FAILS(accept(fd, NULL, NULL), EOPNOTSUPP);
}

TEST(options__of_ip_are_refused)
{
	int four = inet_socket(), on = 1;
	int six = inet_socket_of(AF_INET6, SOCK_RDM);

	EXPECT_FAILS(setsockopt(four, IPPROTO_IP, IP_TOS, &on, sizeof(on)),
		     ENOPROTOOPT);
	EXPECT_FAILS(setsockopt(six, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)),
		     ENOPROTOOPT);
}

/* As on a socket of AF_UET. */
TEST(options__device_is_refused)
{
	int four = inet_socket(), six = inet_socket_of(AF_INET6, SOCK_RDM);

	ASSERT_SYS(setsockopt(four, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
	EXPECT_FAILS(try_bind(four, on_fep(0, 5)), EOPNOTSUPP);
	EXPECT(us_explains(four, "bind: the socket has SO_BINDTODEVICE"));
	ASSERT_SYS(try_bind(six, on_fep(6, 5)));
	ASSERT_SYS(setsockopt(six, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
	EXPECT_FAILS(try_send(six, on_fep(6, 6), "x"), EOPNOTSUPP);
	EXPECT(us_explains(six, "sendmsg: the socket has SO_BINDTODEVICE"));
}

TEST(options__job_and_pid_are_of_inet)
{
	int fd = socket(AF_INET, SOCK_RDM, IPPROTO_UET);
	uint32_t value;
	socklen_t len = sizeof(value);

	ASSERT_SYS(fd);
	EXPECT_EQ(get(fd, UET_JOB), 0);
	EXPECT_FAILS(getsockopt(fd, SOL_UET, UET_PIDONFEP, &value, &len),
		     ENOTCONN);
	EXPECT_FAILS(set(fd, UET_JOB, UET_JOBID_MAX + 1), EINVAL);
	EXPECT(us_explains(fd, "UET_JOB 16777216 is above 16777215"));
	EXPECT_FAILS(set(fd, UET_PIDONFEP, UET_PIDONFEP_MAX + 1), EINVAL);
	EXPECT(us_explains(fd, "UET_PIDONFEP 4096 is above 4095"));
	EXPECT_FAILS(setsockopt(fd, SOL_UET, UET_JOB, &value, 3), EINVAL);
	ASSERT_SYS(set(fd, UET_JOB, 7));
	ASSERT_SYS(set(fd, UET_PIDONFEP, 8));
	EXPECT_EQ(get(fd, UET_JOB), 7);
	EXPECT_EQ(get(fd, UET_PIDONFEP), 8);
	EXPECT_FAILS(set(us_socket(), UET_JOB, 7), ENOPROTOOPT);
}

/* -------------------------------------------------------------------- bind */

TEST(bind__needs_a_job)
{
	int fd = socket(AF_INET, SOCK_RDM, IPPROTO_UET);

	ASSERT_SYS(fd);
	EXPECT_FAILS(try_bind(fd, on_fep(0, 5)), ENOENT);
	EXPECT(us_explains(fd, "bind: no job"));
	EXPECT(us_explains(fd, "net.uet.default_job"));
	EXPECT_FAILS(try_connect(fd, on_fep(0, 5)), ENOENT);
	EXPECT_FAILS(try_send(fd, on_fep(0, 5), "x"), ENOENT);
	ASSERT_SYS(set(fd, UET_JOB, 99));
	EXPECT_FAILS(try_bind(fd, on_fep(0, 5)), ENOENT);
	EXPECT(us_explains(fd, "no job 99"));
}

TEST(bind__takes_the_default_job)
{
	int file = open("/proc/sys/net/uet/default_job", O_WRONLY);
	int fd = socket(AF_INET, SOCK_RDM, IPPROTO_UET);

	set_default_job(us_env("UET_JOB"));
	EXPECT_EQ(try_bind(fd, on_fep(0, 5)), 0);
	EXPECT_EQ(get(fd, UET_JOB), atoi(us_env("UET_JOB")));
	EXPECT_EQ(get(fd, UET_PIDONFEP), 0);
	EXPECT_FAILS(write(file, "16777216", 8), EINVAL);
	set_default_job("0");
}

TEST(bind__takes_job_and_pid_of_the_options)
{
	int fd = inet_socket();

	ASSERT_SYS(set(fd, UET_JOB, atoi(us_env("UET_JOB_ONE"))));
	ASSERT_SYS(set(fd, UET_PIDONFEP, 9));
	EXPECT_FAILS(try_bind(fd, on_fep(0, 5)), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "9 is not in 5..6"));
	ASSERT_SYS(set(fd, UET_PIDONFEP, 6));
	EXPECT_EQ(try_bind(fd, on_fep(0, 5)), 0);
	EXPECT_EQ(get(fd, UET_PIDONFEP), 6);
	EXPECT_FAILS(set(fd, UET_PIDONFEP, 5), EINVAL);
	EXPECT_FAILS(set(fd, UET_JOB, 1), EINVAL);
	EXPECT(us_explains(fd, "UET_JOB cannot change"));

	fd = inet_socket();
	ASSERT_SYS(set(fd, UET_JOB, atoi(us_env("UET_JOB_ONE"))));
	EXPECT_EQ(try_bind(fd, on_fep(0, 0)), 0);
	EXPECT_EQ(get(fd, UET_PIDONFEP), 5);
}

TEST(bind__takes_the_job_of_a_descriptor)
{
	struct uet_job_open open = { .job = atoi(us_env("UET_JOB_ONE")) };
	int fd = socket(AF_INET, SOCK_RDM, IPPROTO_UET);
	int job = uet_ioctl(fd, UET_IOC_JOB_OPEN, &open);

	ASSERT_SYS(job);
	ASSERT_SYS(setsockopt(fd, SOL_UET, UET_JOB_FD, &job, sizeof(job)));
	ASSERT_SYS(set(fd, UET_JOB, atoi(us_env("UET_JOB"))));
	EXPECT_FAILS(try_bind(fd, on_fep(0, 5)), EACCES);
	ASSERT_SYS(set(fd, UET_JOB, 0));
	EXPECT_EQ(try_bind(fd, on_fep(0, 5)), 0);
	EXPECT_EQ(get(fd, UET_JOB), (int)open.job);
}

TEST(bind__checks_the_address)
{
	union address bad = on_fep(0, 5);
	int fd = inet_socket(), six = inet_socket_of(AF_INET6, SOCK_RDM);

	EXPECT_FAILS(bind(fd, &bad.any, sizeof(bad.in) - 1), EINVAL);
	EXPECT(us_explains(fd, "bind: address of 15 bytes is shorter than 16"));
	bad.any.sa_family = AF_UET;
	EXPECT_FAILS(bind(fd, &bad.any, sizeof(bad)), EAFNOSUPPORT);
	EXPECT(us_explains(fd, "address family 25 is not 2"));
	EXPECT_FAILS(try_bind(six, on_fep(0, 5)), EINVAL);
	EXPECT_FAILS(try_bind(six, address("::ffff:10.0.1.1", 5)), EINVAL);
	EXPECT(us_explains(six, "needs a socket of AF_INET"));
	EXPECT_FAILS(try_bind(fd, on_fep(6, 5)), EAFNOSUPPORT);
	EXPECT_FAILS(try_bind(fd, on_fep(0, 4096)), EINVAL);
	EXPECT(us_explains(fd, "port 4096 is not in 0..4095"));
	EXPECT_FAILS(try_bind(fd, address("10.0.1.99", 5)), EADDRNOTAVAIL);
	EXPECT_FAILS(try_bind(six, address("fd01::99", 5)), EADDRNOTAVAIL);
	EXPECT_FAILS(try_bind(fd, address("0.0.0.0", 5)), EADDRNOTAVAIL);
	EXPECT(us_explains(fd, "several FEPs"));
}

TEST(bind__an_address_is_of_one_socket)
{
	struct sockaddr_uet same = us_addr(0, 0, 5);
	int first = endpoint(0, 5), fd = inet_socket();

	EXPECT_FAILS(try_bind(first, on_fep(0, 6)), EINVAL);
	EXPECT_FAILS(try_bind(fd, on_fep(0, 5)), EADDRINUSE);
	EXPECT_FAILS(us_bind(us_socket(), &same), EADDRINUSE);
	close(first);
	EXPECT_EQ(try_bind(fd, on_fep(0, 5)), 0);
}

/* ---------------------------------------------------- names and destinations */

TEST(names__are_those_of_ip)
{
	int fd = inet_socket(), six = inet_socket_of(AF_INET6, SOCK_RDM);
	union address name, peer = on_fep(1, 7);
	socklen_t len = sizeof(name);

	EXPECT_EQ(port_of(fd), 0);
	EXPECT_EQ(port_of(six), 0);
	EXPECT_FAILS(getpeername(fd, &name.any, &len), ENOTCONN);
	ASSERT_SYS(try_bind(fd, on_fep(0, 0)));
	EXPECT_GE(port_of(fd), 1);
	EXPECT_LE(port_of(fd), UET_RINDEX_MAX);
	ASSERT_SYS(try_connect(fd, peer));
	len = sizeof(name);
	ASSERT_SYS(getpeername(fd, &name.any, &len));
	EXPECT_EQ(len, sizeof(name.in));
	EXPECT(!memcmp(&name.in, &peer.in, len));
	name.any.sa_family = AF_UNSPEC;
	EXPECT_EQ(connect(fd, &name.any, sizeof(name.in)), 0);
	EXPECT_FAILS(getpeername(fd, &name.any, &len), ENOTCONN);

	peer = on_fep(6, 7);
	ASSERT_SYS(try_bind(six, address("::", 0)));
	ASSERT_SYS(try_connect(six, peer));
	len = sizeof(name);
	ASSERT_SYS(getpeername(six, &name.any, &len));
	EXPECT_EQ(len, sizeof(name.in6));
	EXPECT(!memcmp(&name.in6, &peer.in6, len));
	EXPECT_GE(port_of(six), 1);
}

TEST(connect__checks_the_address)
{
	union address bad = on_fep(1, 5);
	int fd = endpoint(0, 0);

	EXPECT_FAILS(connect(fd, &bad.any, 1), EINVAL);
	EXPECT_FAILS(connect(fd, &bad.any, sizeof(bad.in) - 1), EINVAL);
	EXPECT_FAILS(try_connect(fd, on_fep(6, 5)), EAFNOSUPPORT);
	EXPECT_FAILS(try_connect(fd, on_fep(1, 0)), EINVAL);
	EXPECT(us_explains(fd, "connect: port 0 is not in 1..4095"));
	EXPECT_FAILS(try_connect(fd, on_fep(1, 65535)), EINVAL);
	EXPECT_FAILS(try_connect(fd, address("224.0.0.1", 5)), EINVAL);
	EXPECT(us_explains(fd, "unicast"));
	EXPECT_FAILS(send(fd, "x", 1, 0), EDESTADDRREQ);
	EXPECT_FAILS(sendto(fd, "x", 1, 0, &bad.any, 4), EINVAL);
	EXPECT_FAILS(try_send(fd, on_fep(6, 5), "x"), EAFNOSUPPORT);
	EXPECT_FAILS(try_send(fd, on_fep(1, 4096), "x"), EINVAL);
	EXPECT(us_explains(fd, "sendmsg: port 4096"));
}

/* ---------------------------------------------------------------- messages */

TEST(messages__of_all_types_and_families_arrive)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	int i, tx, rx, which;

	for (i = 0; i < 6; i++) {
		which = i < 3 ? 1 : 6;
		rx = endpoint(which, 7);
		tx = inet_socket_of(i < 3 ? AF_INET : AF_INET6, types[i % 3]);
		ASSERT_SYS(try_bind(tx, on_fep(i < 3 ? 0 : 6, 0)));
		EXPECT_EQ(try_send(tx, on_fep(which, 7), "there"), 5);
		EXPECT_EQ(receives(rx, "there"), port_of(tx));
		EXPECT_EQ(try_send(rx, on_fep(i < 3 ? 0 : 6, port_of(tx)), "back"),
			  4);
		EXPECT_EQ(receives(tx, "back"), 7);
		close(rx);
		close(tx);
	}
}

TEST(messages__pass_to_and_from_uet_sockets)
{
	int inet = endpoint(0, 7), uet = us_endpoint(1, 0, 9);
	struct sockaddr_uet from;
	socklen_t len = sizeof(from);
	char buf[16];

	EXPECT_EQ(try_send(inet, on_fep(1, 9), "question"), 8);
	EXPECT_EQ(recvfrom(uet, buf, sizeof(buf), 0, (void *)&from, &len), 8);
	EXPECT_EQ(from.suet_family, AF_UET);
	EXPECT_EQ(from.suet_pid, 0);
	EXPECT_EQ(from.suet_ri, 7);
	EXPECT_EQ(sendto(uet, "answer", 6, 0, (void *)&from, len), 6);
	EXPECT_EQ(receives(inet, "answer"), 9);
}

TEST(messages__of_a_sender_that_ip_cannot_name_have_port_0)
{
	int inet = endpoint(0, 7), uet = us_endpoint(1, 3, 9);
	struct sockaddr_uet to = us_addr(0, 0, 7);

	EXPECT_EQ(sendto(uet, "hello", 5, 0, (void *)&to, sizeof(to)), 5);
	EXPECT_EQ(receives(inet, "hello"), 0);
	EXPECT_FAILS(try_send(inet, on_fep(1, 0), "x"), EINVAL);
}

TEST(peers__have_the_full_form)
{
	struct uet_peer peer = { .addr = us_addr(1, 3, 9) };
	int inet = endpoint(0, 7), uet = us_endpoint(1, 3, 9);
	struct us_control c = { .len = 0 };
	char buf[16];

	ASSERT_SYS(uet_ioctl(inet, UET_IOC_PEER, &peer));
	us_add_cmsg(&c, UET_CMSG_PEER, &peer.peer, sizeof(peer.peer));
	EXPECT_EQ(us_send_control(inet, &c, "by number", 9), 9);
	EXPECT_EQ(recv(uet, buf, sizeof(buf), 0), 9);
	/* By its absolute address, which no job translates. */
	peer.addr = us_addr(1, 3, 10);
	peer.addr.suet_flags |= UET_ADDR_ABSOLUTE;
	uet = us_socket();
	ASSERT_SYS(us_bind(uet, &peer.addr));
	peer.peer = 0;
	ASSERT_SYS(uet_ioctl(inet, UET_IOC_PEER, &peer));
	c.len = 0;
	us_add_cmsg(&c, UET_CMSG_PEER, &peer.peer, sizeof(peer.peer));
	EXPECT_EQ(us_send_control(inet, &c, "absolute", 8), 8);
	EXPECT_EQ(recv(uet, buf, sizeof(buf), 0), 8);
	peer.addr.suet_family = AF_INET;
	peer.peer = 0;
	EXPECT_FAILS(uet_ioctl(inet, UET_IOC_PEER, &peer), EAFNOSUPPORT);
}

/* ----------------------------------------------------- programs of a cgroup */

TEST(cgroup__refuses_connect)
{
	struct uet_peer peer = { .addr = us_addr(1, 0, 9) };
	struct bpf_insn code[] = { HOOK_REFUSE_PORT(9) };
	int fd;

	hook_attach(BPF_CGROUP_INET4_CONNECT, HOOK_CODE(code));
	hook_attach(BPF_CGROUP_UDP4_SENDMSG, HOOK_CODE(code));
	fd = endpoint(0, 7);
	EXPECT_FAILS(try_connect(fd, on_fep(1, 9)), EPERM);
	EXPECT(us_explains(fd, "connect: a BPF program of the cgroup"));
	EXPECT_FAILS(send(fd, "x", 1, 0), EDESTADDRREQ);
	EXPECT_FAILS(try_send(fd, on_fep(1, 9), "x"), EPERM);
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_PEER, &peer), EPERM);
	EXPECT_EQ(try_connect(fd, on_fep(1, 8)), 0);
}

TEST(cgroup__refuses_connect_and_leaves_the_socket_unbound)
{
	struct bpf_insn code[] = { HOOK_REFUSE_PORT(9) };
	int fd;

	hook_attach(BPF_CGROUP_INET6_CONNECT, HOOK_CODE(code));
	fd = inet_socket_of(AF_INET6, SOCK_RDM);
	EXPECT_FAILS(try_connect(fd, on_fep(6, 9)), EPERM);
	EXPECT_EQ(port_of(fd), 0);
	EXPECT_EQ(try_connect(fd, on_fep(6, 8)), 0);
}

TEST(cgroup__refuses_bind)
{
	struct bpf_insn code[] = { HOOK_REFUSE_PORT(9) };
	int fd;

	hook_attach(BPF_CGROUP_INET4_BIND, HOOK_CODE(code));
	fd = inet_socket();
	EXPECT_FAILS(try_bind(fd, on_fep(0, 9)), EPERM);
	EXPECT_EQ(try_bind(fd, on_fep(0, 8)), 0);
}

TEST(cgroup__refuses_socket)
{
	struct bpf_insn code[] = { HOOK_REFUSE_ALL };

	hook_attach(BPF_CGROUP_INET_SOCK_CREATE, HOOK_CODE(code));
	EXPECT_FAILS(socket(AF_INET, SOCK_RDM, IPPROTO_UET), EPERM);
	EXPECT_FAILS(socket(AF_INET6, SOCK_DGRAM, IPPROTO_UET), EPERM);
	EXPECT_GE(us_socket(), 0);
}

TEST(cgroup__refuses_packets)
{
	struct linger at_once = { .l_onoff = 1 };
	struct bpf_insn code[] = { HOOK_REFUSE_ALL };
	int fd;

	hook_attach(BPF_CGROUP_INET_EGRESS, HOOK_CODE(code));
	fd = inet_socket_of(AF_INET, SOCK_DGRAM);
	ASSERT_SYS(try_bind(fd, on_fep(0, 7)));
	EXPECT_FAILS(try_send(fd, on_fep(1, 9), "x"), EPERM);
	fd = inet_socket_of(AF_INET6, SOCK_DGRAM);
	EXPECT_FAILS(try_send(fd, on_fep(6, 9), "x"), EPERM);

	/* A message is sent again and again. */
	fd = endpoint(0, 8);
	us_set_timeout(fd, SO_SNDTIMEO, 300);
	ASSERT_SYS(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
	EXPECT_EQ(try_send(fd, on_fep(1, 9), "x"), 1);
	EXPECT_FAILS(shutdown(fd, SHUT_WR), EAGAIN);
}

TEST(cgroup__changes_a_destination)
{
	struct bpf_insn code[] = { HOOK_MAP_PORT(9, 8) };
	int fd, rx;

	hook_attach(BPF_CGROUP_INET4_CONNECT, HOOK_CODE(code));
	hook_attach(BPF_CGROUP_UDP4_SENDMSG, HOOK_CODE(code));
	fd = endpoint(0, 7);
	rx = endpoint(1, 8);
	EXPECT_EQ(try_send(fd, on_fep(1, 9), "one"), 3);
	EXPECT_EQ(receives(rx, "one"), 7);
	ASSERT_SYS(try_connect(fd, on_fep(1, 9)));
	EXPECT_EQ(send(fd, "two", 3, 0), 3);
	EXPECT_EQ(receives(rx, "two"), 7);
}

TEST(cgroup__cannot_choose_an_invalid_destination)
{
	struct bpf_insn code[] = { HOOK_MAP_PORT(9, 5000) };
	int fd;

	hook_attach(BPF_CGROUP_UDP4_SENDMSG, HOOK_CODE(code));
	fd = endpoint(0, 7);
	EXPECT_FAILS(try_send(fd, on_fep(1, 9), "x"), EINVAL);
}

TEST(cgroup__changes_the_sender_and_names)
{
	struct bpf_insn code[] = { HOOK_MAP_PORT(7, 70) };
	int fd, rx;

	hook_attach(BPF_CGROUP_UDP4_RECVMSG, HOOK_CODE(code));
	hook_attach(BPF_CGROUP_INET4_GETSOCKNAME, HOOK_CODE(code));
	fd = endpoint(0, 7);
	rx = endpoint(1, 8);
	EXPECT_EQ(port_of(fd), 70);
	EXPECT_EQ(try_send(fd, on_fep(1, 8), "one"), 3);
	EXPECT_EQ(receives(rx, "one"), 70);
}

/* A job whose endpoints the programs of a cgroup see, and no others. */
TEST(job__inet_only_refuses_the_family_uet)
{
	uint32_t job = atoi(us_env("UET_JOB_INET"));
	struct sockaddr_uet sa = us_addr(0, 0, 9);
	struct uet_job_open req = { .job = job };
	int fd = us_socket(), grant;

	sa.suet_job = job;
	EXPECT_FAILS(us_bind(fd, &sa), EACCES);
	EXPECT(us_explains(fd, "inet-only"));
	grant = uet_ioctl(fd, UET_IOC_JOB_OPEN, &req);
	ASSERT_SYS(grant);
	ASSERT_SYS(set(fd, UET_JOB_FD, grant));
	EXPECT_FAILS(us_bind(fd, &sa), EACCES);

	fd = inet_socket();
	ASSERT_SYS(set(fd, UET_JOB, job));
	EXPECT_EQ(try_bind(fd, on_fep(0, 9)), 0);
}

/* A program made for TCP and UDP may try to bind the socket in connect(). */
TEST(cgroup__cannot_bind_in_connect)
{
	union address at = on_fep(0, 77);
	struct bpf_insn code[] = { HOOK_BIND(at.in.sin_addr.s_addr, 77) };
	int fd;

	hook_attach(BPF_CGROUP_INET4_CONNECT, HOOK_CODE(code));
	fd = inet_socket();
	ASSERT_SYS(set(fd, UET_JOB, atoi(us_env("UET_JOB_ONE"))));
	EXPECT_EQ(try_connect(fd, on_fep(0, 9)), 0);
	EXPECT_NE(port_of(fd), 77);
}

TEST(cgroup__sees_the_addresses_of_the_socket)
{
	struct bpf_insn code[] = { HOOK_REFUSE_SOURCE(7) };
	int fd;

	hook_attach(BPF_CGROUP_INET4_CONNECT, HOOK_CODE(code));
	fd = endpoint(0, 7);
	EXPECT_FAILS(try_connect(fd, on_fep(1, 9)), EPERM);
	fd = endpoint(0, 8);
	EXPECT_EQ(try_connect(fd, on_fep(1, 9)), 0);
}

HARNESS_MAIN()
