// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that use one stream, or one socket that listens, at the same time, while the peer
 * changes what they look at.  UET_REMOTE: address of the FEP.  Level: test.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/uet.h>

#include "harness.h"

#define THREADS		3
#define BYTES		256

static struct sockaddr_in address;
static int listener;
static atomic_int nr_left;

static int open_stream(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_UET);
}

static void open_listener(int flags)
{
	socklen_t len = sizeof(address);

	address = (struct sockaddr_in){ .sin_family = AF_INET };
	ASSERT_EQ(inet_pton(AF_INET, getenv("UET_REMOTE"), &address.sin_addr), 1);
	listener = socket(AF_INET, SOCK_STREAM | flags, IPPROTO_UET);
	ASSERT_SYS(listener);
	ASSERT_SYS(bind(listener, (struct sockaddr *)&address, sizeof(address)));
	ASSERT_SYS(getsockname(listener, (struct sockaddr *)&address, &len));
	ASSERT_SYS(listen(listener, 64));
}

/* ------------------------------------------------- accept() beside resets */

/* Connect, and reset the connection at once. */
static void *connect_and_reset(void *arg)
{
	const struct linger linger = { .l_onoff = 1 };
	int *count = arg;

	for (int i = *count; i; i--) {
		int fd = open_stream();

		EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
		EXPECT_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		close(fd);
	}
	atomic_fetch_sub(&nr_left, 1);
	return NULL;
}

static void *accept_all(void *arg)
{
	while (atomic_load(&nr_left)) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			EXPECT_EQ(errno, EAGAIN);
		else
			close(fd);
	}
	return NULL;
}

TEST(stream__is_accepted_while_its_peer_resets_it)
{
	pthread_t clients[THREADS], servers[THREADS];
	int count = 200 / harness_scale();

	open_listener(SOCK_NONBLOCK);
	nr_left = THREADS;
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(pthread_create(&clients[i], NULL, connect_and_reset, &count), 0);
		ASSERT_EQ(pthread_create(&servers[i], NULL, accept_all, NULL), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(clients[i], NULL);
		pthread_join(servers[i], NULL);
	}
	close(listener);
}

/* -------------------------------------------------------- a look beside a reader */

static int reader;
static atomic_int nr_read;

/* Each byte that the stream has is the same. */
static void *read_all(void *arg)
{
	int flags = arg ? MSG_PEEK : 0;
	uint8_t bytes[BYTES];
	ssize_t got;

	while ((got = recv(reader, bytes, sizeof(bytes), flags)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			ASSERT_EQ(bytes[i], 0x5a);
		if (!flags)
			atomic_fetch_add(&nr_read, got);
	}
	EXPECT_EQ(got, 0);
	return NULL;
}

TEST(stream__shows_its_next_byte_to_who_looks_while_another_reads)
{
	int rounds = 300 / harness_scale(), fd = open_stream();
	pthread_t threads[2];
	uint8_t bytes[BYTES];

	open_listener(0);
	ASSERT_SYS(connect(fd, (struct sockaddr *)&address, sizeof(address)));
	reader = accept(listener, NULL, NULL);
	ASSERT_SYS(reader);
	ASSERT_EQ(pthread_create(&threads[0], NULL, read_all, NULL), 0);
	ASSERT_EQ(pthread_create(&threads[1], NULL, read_all, &reader), 0);
	memset(bytes, 0x5a, sizeof(bytes));
	for (int i = 1; i <= rounds; i++) {
		ASSERT_EQ(send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL), BYTES);
		WAIT_FOR(atomic_load(&nr_read) == i * BYTES);
	}
	ASSERT_SYS(shutdown(fd, SHUT_WR));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(fd);
	close(reader);
	close(listener);
}

HARNESS_MAIN()
