// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without privilege can send to UDP ports: nothing to that of a FEP, in
 * whatever way, and anything to the others.  Root's sockets may, and keep that right
 * whoever uses them.  Started by local_users.sh.  Level: test.
 *
 * Environment: UET_TARGETS, IPv4 and IPv6 addresses with a space in between: FEPs of this
 * and of other hosts, and an address without a FEP; UET_RULE: "guarded", or "free" when no
 * FEP uses the port any more.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <grp.h>
#include <linux/udp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "harness.h"

#define PORT	4793
#define USER	1000

/* Be a user; root's saved id is kept. */
static void become(uid_t user)
{
	ASSERT_SYS(setresuid(0, 0, 0));
	ASSERT_SYS(setgroups(0, NULL));
	ASSERT_SYS(setresgid(user, user, 0));
	ASSERT_SYS(setresuid(user, user, 0));
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		SKIP("not started by local_users.sh");
	return value;
}

/* The next address of UET_TARGETS with this port; false after the last. */
static bool next_target(const char **list, int port, struct sockaddr_in6 *to)
{
	struct sockaddr_in *to4 = (struct sockaddr_in *)to;
	char text[64];
	int len;

	if (sscanf(*list, "%63s%n", text, &len) != 1)
		return false;
	*list += len;
	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET6, text, &to->sin6_addr) == 1) {
		to->sin6_family = AF_INET6;
		to->sin6_port = htons(port);
		return true;
	}
	ASSERT_EQ(inet_pton(AF_INET, text, &to4->sin_addr), 1);
	to4->sin_family = AF_INET;
	to4->sin_port = htons(port);
	return true;
}

static int udp_socket(int family)
{
	int fd = socket(family, SOCK_DGRAM, 0);

	ASSERT_SYS(fd);
	return fd;
}

static ssize_t send_to(int fd, const struct sockaddr_in6 *to)
{
	return sendto(fd, "forged", 6, 0, (const struct sockaddr *)to,
		      to->sin6_family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(*to));
}

static void expect_refused(long result)
{
	EXPECT_FAILS(result, EPERM);
}

/* A datagram to each target. */
static void expect_all(int port, bool is_refused)
{
	const char *list = env("UET_TARGETS");
	struct sockaddr_in6 to;
	int fd;

	while (next_target(&list, port, &to)) {
		fd = udp_socket(to.sin6_family);
		if (is_refused)
			expect_refused(send_to(fd, &to));
		else
			EXPECT_EQ(send_to(fd, &to), 6);
		close(fd);
	}
}

TEST(user__sends_to_the_port_only_without_feps)
{
	bool is_guarded = !strcmp(env("UET_RULE"), "guarded");

	become(USER);
	expect_all(PORT, is_guarded);
}

TEST(user__sends_to_other_ports)
{
	become(USER);
	expect_all(PORT + 1, false);
	expect_all(PORT - 1, false);
}

TEST(root__sends_to_the_port)
{
	expect_all(PORT, false);
}

static struct sockaddr_in6 first_target(void)
{
	const char *list = env("UET_TARGETS");
	struct sockaddr_in6 to;

	ASSERT(next_target(&list, PORT, &to));
	return to;
}

TEST(user__is_refused_in_each_way_to_send)
{
	struct sockaddr_in6 to = first_target();
	struct iovec iov = { .iov_base = "forged", .iov_len = 6 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	char bytes[3000] = "";
	int fd, size = 1000;

	become(USER);
	fd = udp_socket(AF_INET);
	ASSERT_SYS(connect(fd, (struct sockaddr *)&to, sizeof(struct sockaddr_in)));
	expect_refused(write(fd, "forged", 6));
	expect_refused(sendmsg(fd, &msg, 0));
	EXPECT_EQ(send(fd, "for", 3, MSG_MORE), 3);
	expect_refused(send(fd, "ged", 3, 0));
	/* Several packets for the device to cut. */
	ASSERT_SYS(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)));
	expect_refused(write(fd, bytes, sizeof(bytes)));
	close(fd);
	fd = udp_socket(AF_INET);
	expect_refused(sendto(fd, bytes, 1, MSG_CONFIRM, (struct sockaddr *)&to,
			      sizeof(struct sockaddr_in)));
	close(fd);
}

TEST(user__is_refused_over_an_ipv6_socket)
{
	struct sockaddr_in6 to = first_target(), mapped = {
		.sin6_family = AF_INET6, .sin6_port = htons(PORT),
	};
	int fd;

	become(USER);
	mapped.sin6_addr.s6_addr[10] = 0xff;
	mapped.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&mapped.sin6_addr.s6_addr[12],
	       &((struct sockaddr_in *)&to)->sin_addr, 4);
	fd = udp_socket(AF_INET6);
	expect_refused(send_to(fd, &mapped));
}

/* The privilege of a user namespace of one's own is none in the network namespace. */
TEST(user__gains_nothing_by_a_user_namespace)
{
	struct sockaddr_in6 to = first_target();

	become(USER);
	ASSERT_SYS(setresuid(USER, USER, USER));
	ASSERT_SYS(prctl(PR_SET_DUMPABLE, 1));
	if (unshare(CLONE_NEWUSER))
		SKIP("no user namespaces for users");
	expect_refused(send_to(udp_socket(AF_INET), &to));
	EXPECT_FAILS(socket(AF_INET, SOCK_RAW, 253), EPERM);
}

TEST(socket__has_the_right_of_its_opener)
{
	struct sockaddr_in6 to = first_target();
	int of_root = udp_socket(AF_INET), of_user;

	become(USER);
	of_user = udp_socket(AF_INET);
	EXPECT_EQ(send_to(of_root, &to), 6);
	expect_refused(send_to(of_user, &to));
	ASSERT_SYS(setresuid(0, 0, 0));
	expect_refused(send_to(of_user, &to));
}

/* Native IP: another protocol than UDP takes a raw socket. */
TEST(user__has_no_raw_socket)
{
	become(USER);
	EXPECT_FAILS(socket(AF_INET, SOCK_RAW, 253), EPERM);
	EXPECT_FAILS(socket(AF_INET6, SOCK_RAW, 253), EPERM);
	EXPECT_FAILS(socket(AF_PACKET, SOCK_RAW, 0), EPERM);
}

HARNESS_MAIN()
