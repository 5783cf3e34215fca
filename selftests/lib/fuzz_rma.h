/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions for the socket fuzzer: registered and given up at random, and
 * control messages of operations on them.  For fuzz_sock.h's threads.
 * Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_RMA_H
#define UET_SELFTESTS_FUZZ_RMA_H

#include "fuzz_sock.h"

#define REGIONS	4

/* Another one, which nobody hits by chance: all of the pattern, to be read only. */
#define SOURCE_KEY	0x5eed5eedull

/* The region that peers may read and change: nobody looks at it. */
static uint8_t region[65536];

static inline uint64_t region_key(struct thread *t)
{
	uint64_t key = fuzz_below(&t->rand, REGIONS);

	if (fuzz_one_in(&t->rand, 3))
		key |= UET_MR_KEY_OPTIMIZED;
	return fuzz_one_in(&t->rand, 2) ? key | UET_MR_KEY_IDEMPOTENT_SAFE : key;
}

/* An address of the region that leaves half of it for the data. */
static inline uint64_t region_addr(struct thread *t)
{
	return (uintptr_t)region + fuzz_below(&t->rand, sizeof(region) / 2);
}

/* Only the region may be changed: the rest is this program. */
static inline bool is_in_region(uint64_t addr, uint64_t length)
{
	uint64_t at = addr - (uintptr_t)region;

	return at <= sizeof(region) && length <= sizeof(region) - at;
}

/* Append a control message to those of a call. */
static inline void add_control(struct thread *t, struct msghdr *msg, int type,
			void *data, size_t len)
{
	struct cmsghdr *cmsg = (void *)((char *)t->control +
					msg->msg_controllen);

	*cmsg = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(len), .cmsg_level = SOL_UET,
		.cmsg_type = type,
	};
	memcpy(CMSG_DATA(cmsg), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

/*
 * Memory, likely of a region of call_region(), and what to do with it.  A peer
 * that refuses it may be told to us as EFAULT.
 */
static inline void make_rma(struct thread *t, struct msghdr *msg,
			    uint8_t opcode)
{
	bool is_atomic = opcode == UET_OP_ATOMIC ||
			 opcode == UET_OP_FETCHING_ATOMIC;
	uint64_t hdata = fuzz_u32(&t->rand);
	struct uet_rma rma = {
		.key = region_key(t),
		.offset = fuzz_one_in(&t->rand, 4) ? fuzz_edge(&t->rand) :
			  fuzz_below(&t->rand, sizeof(region)) & ~7u,
	};
	struct uet_atomic atomic = {
		.op = fuzz_below(&t->rand, 0x15),
		.datatype = fuzz_below(&t->rand, 0x12),
		.compare = fuzz_below(&t->rand, 4),
	};

	struct uet_local local = {
		.key = region_key(t),
		.offset = fuzz_one_in(&t->rand, 8) ? fuzz_edge(&t->rand) :
			  fuzz_below(&t->rand, sizeof(region) / 2) & ~7u,
		.length = is_atomic ? 0 :
			  fuzz_below(&t->rand, sizeof(region) / 2),
	};

	t->is_bad = true;
	if (fuzz_one_in(&t->rand, 3)) {
		local.key = 0;
		local.offset = region_addr(t) & ~7ul;
	}
	if (fuzz_one_in(&t->rand, 16))
		fuzz_damage(&t->rand, (uint8_t *)&local, sizeof(local));
	if (local.offset > UINT32_MAX && !local.key &&
	    !is_in_region(local.offset, local.length))
		local.offset = -1ull;
	if (fuzz_one_in(&t->rand, 16))
		fuzz_damage(&t->rand, (uint8_t *)&atomic, sizeof(atomic));
	add_control(t, msg, UET_CMSG_RMA, &rma, sizeof(rma));
	if (is_atomic)
		add_control(t, msg, UET_CMSG_ATOMIC, &atomic, sizeof(atomic));
	else if (opcode == UET_OP_WRITE && fuzz_one_in(&t->rand, 4))
		add_control(t, msg, UET_CMSG_HDATA, &hdata, sizeof(hdata));
	if (opcode == UET_OP_READ || opcode == UET_OP_FETCHING_ATOMIC)
		add_control(t, msg, UET_CMSG_LOCAL, &local, sizeof(local));
	if (is_atomic)
		msg->msg_iov[0].iov_len = 8 * fuzz_below(&t->rand, 4);
}

/* Only the pattern may be read: the rest is this program. */
static inline bool is_in_pattern(uint64_t addr, uint64_t length)
{
	uint64_t at = addr - (uintptr_t)pattern;

	return at <= PATTERN && length <= PATTERN - at;
}

/*
 * The payload begins the message, in so many buffers at most; the region, if there is
 * one, or the pattern itself holds the rest, so that the message is a piece of the
 * pattern wherever it is cut.
 */
static inline void make_rendezvous(struct thread *t, struct msghdr *msg,
				   size_t max, bool by_addr)
{
	struct uet_local local = {
		.key = SOURCE_KEY,
		.offset = (uint8_t *)msg->msg_iov[0].iov_base - pattern,
	};
	size_t i;

	t->is_bad = true;
	for (i = 0; i < msg->msg_iovlen && i < max; i++)
		local.length += msg->msg_iov[i].iov_len;
	local.length += fuzz_below(&t->rand, 20000);
	if (fuzz_one_in(&t->rand, 16))
		local.length = fuzz_edge(&t->rand);
	if (by_addr) {
		local.key = 0;
		local.offset = (uintptr_t)msg->msg_iov[0].iov_base;
		if (!is_in_pattern(local.offset, local.length))
			local.offset = -1ull;
	}
	/* A key of the region, and an offset behind its end. */
	if (fuzz_one_in(&t->rand, 16) && local.offset >= sizeof(region))
		local.key = region_key(t);
	add_control(t, msg, UET_CMSG_LOCAL, &local, sizeof(local));
}

/*
 * The rest of a rendezvous follows its payload in the pattern.  Control messages are those
 * of the last message that has some, so the payload is, too.
 */
static inline void share_payload(struct mmsghdr *msgs, unsigned int nr)
{
	struct msghdr *msg, *last = NULL;

	while (nr--) {
		msg = &msgs[nr].msg_hdr;
		if (!msg->msg_controllen)
			continue;
		if (!last)
			last = msg;
		msg->msg_iov = last->msg_iov;
		msg->msg_iovlen = last->msg_iovlen;
	}
}

static inline void call_source(struct thread *t)
{
	static uint8_t *source;
	struct uet_mr_reg reg = {
		.size = sizeof(reg), .length = PATTERN, .key = SOURCE_KEY, .access = UET_MR_READ,
		.flags = UET_MR_FIXED_KEY,
	};

	/* Only what could be written can be pinned. */
	if (!source)
		source = mmap(NULL, PATTERN, PROT_READ | PROT_WRITE, MAP_SHARED,
			      pattern_fd, 0);
	if (source == MAP_FAILED)
		fuzz_fail("mmap: %s", strerror(errno));
	reg.addr = (uintptr_t)source;
	CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_MR_REG, &reg));
}

/* Mostly a good one, with one of a few keys, so that operations find it. */
static inline void call_region(struct thread *t)
{
	struct uet_mr_reg reg = {
		.size = sizeof(reg), .length = 1 + fuzz_below(&t->rand, sizeof(region)),
		.key = fuzz_below(&t->rand, REGIONS),
		.access = UET_MR_WRITE | UET_MR_READ,
		.flags = UET_MR_FIXED_KEY,
	};
	uint64_t key = fuzz_one_in(&t->rand, 8) ? SOURCE_KEY : region_key(t);

	if (fuzz_one_in(&t->rand, 3)) {
		call_source(t);
		return;
	}
	if (fuzz_one_in(&t->rand, 3)) {
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_MR_DEREG,
				     pointer(t, &key)));
		return;
	}
	if (fuzz_one_in(&t->rand, 2))
		reg.flags |= UET_MR_IDEMPOTENT_SAFE;
	else if (fuzz_one_in(&t->rand, 2))
		reg.access |= UET_MR_ATOMIC;
	if (fuzz_one_in(&t->rand, 3))
		reg.flags |= UET_MR_OPTIMIZED;
	if (fuzz_one_in(&t->rand, 3))
		reg.flags |= UET_MR_WATCH;
	if (fuzz_one_in(&t->rand, 8)) {
		reg.access = UET_MR_READ;
		reg.flags |= UET_MR_READ_ONLY;
	}
	reg.addr = (uintptr_t)region + fuzz_below(&t->rand, 64);
	reg.length -= reg.length > 64 ? 64 : 0;
	if (fuzz_one_in(&t->rand, 8)) {
		fuzz_damage(&t->rand, (uint8_t *)&reg, sizeof(reg));
		t->is_bad = true;
	}
	CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_MR_REG, pointer(t, &reg)));
}

/* The domain whose regions sockets share. */
static int domain_fd;

/* Before the threads begin. */
static inline void open_domain(void)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);

	domain_fd = ioctl(fd, UET_IOC_DOMAIN_OPEN, 0);
	if (domain_fd < 0)
		fuzz_fail("UET_IOC_DOMAIN_OPEN: %s", strerror(errno));
	close(fd);
}

/* A socket joins or leaves the domain; or regions change, and are asked for. */
static inline void call_domain(struct thread *t)
{
	int domain = fuzz_one_in(&t->rand, 4) ? -1 : domain_fd;
	struct uet_mr_counts counts = { .size = sizeof(counts), .key = UET_MR_ALL };
	uint64_t key;

	if (fuzz_one_in(&t->rand, 2)) {
		CALL(t, SETSOCKOPT, setsockopt(any_fd(t), SOL_UET, UET_DOMAIN_FD,
					       pointer(t, &domain), sizeof(domain)));
		return;
	}
	if (fuzz_one_in(&t->rand, 4))
		madvise((void *)((uintptr_t)(region + 4095) & ~4095ul), 4096,
			MADV_DONTNEED);
	CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_MR_CHANGED, pointer(t, &key)));
	if (fuzz_one_in(&t->rand, 2))
		counts.key = region_key(t);
	CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_MR_COUNTS, pointer(t, &counts)));
}

#endif
