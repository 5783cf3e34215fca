/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions and operations on them for tests of sockets.  For uetsock.h's
 * endpoints and uetop.h's completions.  Level: test.
 */
#ifndef UET_SELFTESTS_UETRMA_H
#define UET_SELFTESTS_UETRMA_H

#include <sys/mman.h>

#include "uetop.h"

/* Return codes, UE 1.0.1 Table 3-19. */
#define US_RC_AMO_UNALIGNED	0x12
#define US_RC_OP_VIOLATION	0x18
#define US_RC_BAD_MKEY		0x1c
#define US_RC_BAD_ADDR		0x1d

/**
 * struct us_rma - an operation on memory, and what goes with it
 * @opcode: UET_OP_WRITE, UET_OP_READ, UET_OP_ATOMIC or UET_OP_FETCHING_ATOMIC
 * @cookie: of its completion
 * @at: where
 * @hdata: completion data, NULL for none
 * @atomic: which atomic operation, NULL for none
 * @flags: besides UET_OP_COMPLETE
 * @local: where what comes back goes, NULL for nowhere
 */
struct us_rma {
	int opcode;
	uint64_t cookie;
	struct uet_rma at;
	const uint64_t *hdata;
	const struct uet_atomic *atomic;
	uint8_t flags;
	const struct uet_local *local;
};

/* Control messages that are put together. */
struct us_control {
	union {
		char bytes[320];
		struct cmsghdr align;
	} space;
	size_t len;
};

static inline void us_add_cmsg(struct us_control *c, int type, const void *data,
			       size_t len)
{
	struct cmsghdr *cmsg = (void *)&c->space.bytes[c->len];

	memset(cmsg, 0, CMSG_SPACE(len));
	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	c->len += CMSG_SPACE(len);
}

static inline ssize_t us_send_control(int fd, struct us_control *c,
				      const void *buf, size_t len)
{
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &c->space, .msg_controllen = c->len,
	};

	return sendmsg(fd, &msg, MSG_NOSIGNAL);
}

/* Begin an operation on the memory of the connected peer. */
static inline ssize_t us_rma(int fd, const struct us_rma *rma, const void *buf,
			     size_t len)
{
	struct uet_op op = us_op(rma->opcode, rma->cookie);
	struct us_control c = { .len = 0 };

	op.flags |= rma->flags;
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_RMA, &rma->at, sizeof(rma->at));
	if (rma->hdata)
		us_add_cmsg(&c, UET_CMSG_HDATA, rma->hdata, sizeof(uint64_t));
	if (rma->atomic)
		us_add_cmsg(&c, UET_CMSG_ATOMIC, rma->atomic,
			    sizeof(*rma->atomic));
	if (rma->local)
		us_add_cmsg(&c, UET_CMSG_LOCAL, rma->local,
			    sizeof(*rma->local));
	return us_send_control(fd, &c, buf, len);
}

/* Register memory; returns 0, -1 with errno. */
static inline int us_try_reg(int fd, void *addr, size_t len, uint32_t access,
			     uint64_t *key)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = len, .access = access,
	};

	if (uet_ioctl(fd, UET_IOC_MR_REG, &reg))
		return -1;
	*key = reg.key;
	return 0;
}

static inline uint64_t us_reg(int fd, void *addr, size_t len, uint32_t access)
{
	uint64_t key = 0;

	ASSERT_SYS(us_try_reg(fd, addr, len, access, &key));
	return key;
}

static inline int us_dereg(int fd, uint64_t key)
{
	return ioctl(fd, UET_IOC_MR_DEREG, &key);
}

/* Does every byte have that value? */
static inline bool us_is_filled(const uint8_t *buf, uint8_t byte, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != byte)
			return false;
	return true;
}

/* Memory of its own pages, zeroes. */
static inline uint8_t *us_map(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT(p != MAP_FAILED);
	return p;
}

#endif
