// SPDX-License-Identifier: GPL-2.0
/*
 * Reads from a peer that answers them as no honest one would: each ends, once, and
 * no byte outside of where they may go is changed.  Started by crooked.sh, which
 * has such a peer, see uetsock.h for what it needs.  Level: test.
 */
#include "uetrma.h"

#define PAGE	4096
#define AREA	(32 * PAGE)

/* Read from a peer that need not exist, and return how it ended. */
static struct uet_completion try_read(int fd, uint64_t key, uint64_t len)
{
	const struct uet_local local = { key, PAGE, len };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .cookie = len, .at = { 5, 0 },
		.local = &local,
	};
	struct uet_completion rec;

	EXPECT_EQ(us_rma(fd, &rma, NULL, 0), 0);
	rec = us_completion(fd);
	EXPECT_EQ(rec.cookie, len);
	EXPECT_EQ(rec.count, 1);
	us_expect_none(fd);
	return rec;
}

static int crooked_peer(void)
{
	struct sockaddr_uet to = us_addr(1, 5, 1);
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	ASSERT_SYS(us_connect(fd, &to));
	return fd;
}

TEST(read__of_a_peer_that_lies_stays_in_its_memory)
{
	static const size_t lens[] = { 1, 16, 17, PAGE, PAGE + 1, 20 * PAGE };
	uint8_t *area = us_map(AREA);
	struct uet_completion rec;
	uint64_t key;
	int fd;

	memset(area, 0xa5, AREA);
	for (int round = 0; round < 4; round++) {
		fd = crooked_peer();
		key = us_reg(fd, area, AREA, 0);
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			rec = try_read(fd, key, lens[i]);
			/* EREMOTEIO: an answer that cannot be decoded. */
			EXPECT(!rec.error || rec.error == EPROTO ||
			       rec.error == EREMOTEIO ||
			       rec.error == ETIMEDOUT ||
			       rec.error == ECONNRESET);
			EXPECT(us_is_filled(area, 0xa5, PAGE));
			EXPECT(us_is_filled(area + PAGE + lens[i], 0xa5,
					    AREA - PAGE - lens[i]));
			memset(area, 0xa5, AREA);
		}
		ASSERT_SYS(close(fd));
	}
}

TEST(read__of_a_peer_that_repeats_itself_fails)
{
	uint8_t *area = us_map(AREA);
	int fd = crooked_peer();
	uint64_t key = us_reg(fd, area, AREA, 0);

	EXPECT_EQ(try_read(fd, key, 20 * PAGE).error, EPROTO);
	EXPECT(us_is_filled(area, 0, PAGE));
	EXPECT(us_is_filled(area + 2 * PAGE, 0, AREA - 2 * PAGE));
}

/* It acknowledges everything and sends nothing. */
TEST(read__of_a_peer_that_never_answers_times_out)
{
	uint8_t *area = us_map(AREA);
	int fd = crooked_peer();
	uint64_t key = us_reg(fd, area, AREA, 0);

	EXPECT_EQ(try_read(fd, key, PAGE).error, ETIMEDOUT);
	EXPECT_EQ(try_read(fd, key, 20 * PAGE).error, ETIMEDOUT);
	EXPECT(us_is_filled(area, 0, AREA));
}

HARNESS_MAIN()
