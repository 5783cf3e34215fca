/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the sweeps of failnth.h over socket calls: a pair of endpoints, and the bytes that
 * one sends to the other.  Level: test.
 */
#ifndef UET_SELFTESTS_FAILSOCK_H
#define UET_SELFTESTS_FAILSOCK_H

#include "failnth.h"
#include "uetsock.h"

#define KIB	1024
#define MIB	(1024 * KIB)

/* Limits for calls that would wait longer than a test may take. */
#define PEER_TIMEOUT_MS	(HARNESS_SECONDS * 1000 * harness_scale())

static struct us_pair pair;
static uint8_t *sent, *got;
static size_t size;

static inline int result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline void set_size(size_t bytes)
{
	size = bytes;
	sent = us_alloc(size);
	got = us_alloc(size);
	us_env("UET_JOB");
}

static inline void new_pair(void)
{
	pair = us_pair();
	us_set_timeout(pair.rx, SO_RCVTIMEO, PEER_TIMEOUT_MS);
}

static inline void close_pair(void)
{
	close(pair.tx);
	close(pair.rx);
}

#endif
