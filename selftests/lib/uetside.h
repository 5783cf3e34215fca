/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A region at one end of a pair of endpoints, written and read from the other end.
 * For uetrma.h's operations.  Level: test.
 */
#ifndef UET_SELFTESTS_UETSIDE_H
#define UET_SELFTESTS_UETSIDE_H

#include "uetrma.h"

#define ANY_ACCESS	(UET_MR_WRITE | UET_MR_READ)

static inline int try_reg(int fd, void *mem, size_t len)
{
	uint64_t key;

	return us_try_reg(fd, mem, len, 0, &key);
}

/**
 * struct side - a region of the receiving end of a pair, seen from the other
 * @p: the pair
 * @key: of the region
 * @local: key of @back
 * @back: memory of the sending end for what it reads
 */
struct side {
	struct us_pair p;
	uint64_t key;
	uint64_t local;
	uint8_t *back;
};

/* Register memory on the receiving end of a new pair. */
static inline struct side side_of(void *mem, size_t len)
{
	struct side s = { .p = us_pair(), .back = us_map(len) };

	s.key = us_reg(s.p.rx, mem, len, ANY_ACCESS);
	s.local = us_reg(s.p.tx, s.back, len, 0);
	return s;
}

static inline void side_close(struct side *s, size_t len)
{
	close(s->p.tx);
	close(s->p.rx);
	munmap(s->back, len);
}

/* Begin to write what is made from @seed. */
static inline void put(const struct side *s, uint64_t offset, uint32_t seed,
		size_t len)
{
	struct us_rma rma = {
		.opcode = UET_OP_WRITE, .cookie = seed, .at = { s->key, offset },
	};
	uint8_t *buf = us_message(seed, len);

	EXPECT_EQ(us_rma(s->p.tx, &rma, buf, len), len);
	free(buf);
}

/* The same, and wait until it is there. */
static inline void put_now(const struct side *s, uint64_t offset, uint32_t seed,
		    size_t len)
{
	struct uet_completion rec;

	put(s, offset, seed, len);
	rec = us_completion(s->p.tx);
	us_expect_done(&rec, seed, 1, len);
}

/* Begin to read to the same place in @s->back. */
static inline void get(const struct side *s, uint64_t offset, size_t len)
{
	const struct uet_local local = { s->local, offset, len };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .at = { s->key, offset }, .local = &local,
	};

	EXPECT_EQ(us_rma(s->p.tx, &rma, NULL, 0), 0);
}

static inline void get_now(const struct side *s, uint64_t offset, size_t len)
{
	struct uet_completion rec;

	get(s, offset, len);
	rec = us_completion(s->p.tx);
	us_expect_done(&rec, 0, 1, len);
}

#endif
