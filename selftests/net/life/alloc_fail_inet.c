// SPDX-License-Identifier: GPL-2.0
/*
 * Calls on AF_INET and AF_INET6 sockets with each allocation that they reach failing
 * once: a call that fails leaves the socket as it was.  What is behind the addresses
 * is that of AF_UET, which alloc_fail_sock has.  failnth.h has the sweep; started by
 * alloc_fail.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <netinet/in.h>

#include "failsock.h"

static int sock = -1, family;
static struct sockaddr_in own, peer;

static void close_sock(void)
{
	close(sock);
	sock = -1;
}

static int call_socket(void)
{
	sock = socket(family, SOCK_RDM, IPPROTO_UET);
	/* That of the IP layer, depending on the kernel. */
	return sock < 0 && errno == ENOBUFS ? -ENOMEM : result(sock);
}

static void check_socket(int ret)
{
	if (ret >= 0)
		close_sock();
}

static const struct fail_op open_op = {
	.name = "socket", .call = call_socket, .check = check_socket,
	.also = ENFILE,
};

TEST(inet__socket_survives_no_memory)
{
	family = AF_INET;
	fail_open();
	fail_sweep(&open_op);
}

TEST(inet__socket6_survives_no_memory)
{
	family = AF_INET6;
	fail_open();
	fail_sweep(&open_op);
}

static void prepare_sock(void)
{
	uint32_t job = atoi(us_env("UET_JOB_ONE"));

	sock = socket(AF_INET, SOCK_RDM, IPPROTO_UET);
	ASSERT_SYS(sock);
	ASSERT_SYS(setsockopt(sock, SOL_UET, UET_JOB, &job, sizeof(job)));
}

static int port(void)
{
	struct sockaddr_in name;
	socklen_t len = sizeof(name);

	ASSERT_SYS(getsockname(sock, (struct sockaddr *)&name, &len));
	return ntohs(name.sin_port);
}

static int call_bind(void)
{
	return result(bind(sock, (struct sockaddr *)&own, sizeof(own)));
}

static void check_bound(int ret)
{
	EXPECT_EQ(port(), ret ? 0 : 8);
	if (ret)
		EXPECT_EQ(bind(sock, (struct sockaddr *)&own, sizeof(own)), 0);
}

static struct sockaddr_in address(int number)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(number),
	};

	inet_pton(AF_INET, us_env("UET_LOCAL"), &addr.sin_addr);
	return addr;
}

TEST(inet__bind_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "bind", .prepare = prepare_sock, .call = call_bind,
		.check = check_bound, .undo = close_sock,
	};

	own = address(8);
	fail_open();
	fail_sweep(&op);
}

static int call_connect(void)
{
	return result(connect(sock, (struct sockaddr *)&peer, sizeof(peer)));
}

static void check_connected(int ret)
{
	EXPECT_EQ(!port(), !!ret);
	if (ret)
		EXPECT_EQ(connect(sock, (struct sockaddr *)&peer, sizeof(peer)),
			  0);
}

TEST(inet__connect_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "connect", .prepare = prepare_sock,
		.call = call_connect, .check = check_connected,
		.undo = close_sock,
	};

	peer = address(9);
	fail_open();
	fail_sweep(&op);
}

HARNESS_MAIN()
