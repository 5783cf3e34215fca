// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Atomic operations on remote memory: where the operands go.  Compare-and-swap and
 * masked swap have them in struct uet_atomic, all others in the payload.
 */
#include <errno.h>
#include <string.h>

#include "handle.h"

static const uint8_t sizes[] = {
	[UET_DT_INT8] = 1, [UET_DT_UINT8] = 1, [UET_DT_INT16] = 2, [UET_DT_UINT16] = 2,
	[UET_DT_INT32] = 4, [UET_DT_UINT32] = 4, [UET_DT_INT64] = 8, [UET_DT_UINT64] = 8,
	[UET_DT_FLOAT] = 4, [UET_DT_DOUBLE] = 8, [UET_DT_BF16] = 2, [UET_DT_FP16] = 2,
};

static bool is_swap(uint32_t op)
{
	return op >= UET_AMO_CSWAP && op <= UET_AMO_MSWAP;
}

/* A value of @size bytes in the least significant bytes of the field. */
static uint64_t field(const void *value, size_t size)
{
	uint64_t wide = 0;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((char *)&wide + sizeof(wide) - size, value, size);
#else
	memcpy(&wide, value, size);
#endif
	return wide;
}

static int check(struct uet *u, uint32_t op, uint32_t type, const void *operands,
		 const void *compare, uint32_t count)
{
	if (op > UET_AMO_MSWAP)
		return libuet_refuse(u, EINVAL, "atomic: op %u is above %u", op,
				     UET_AMO_MSWAP);
	if (type >= sizeof(sizes) || !sizes[type])
		return libuet_refuse(u, EINVAL, "atomic: type %u is not one of UET_DT_*",
				     type);
	if (!operands != (op == UET_AMO_READ))
		return libuet_refuse(u, EINVAL, operands ?
				     "atomic: an operand with UET_AMO_READ" :
				     "atomic: no operands with op %u", op);
	if (!compare == is_swap(op))
		return libuet_refuse(u, EINVAL, compare ?
				     "atomic: compare is not NULL with op %u" :
				     "atomic: compare is NULL with op %u", op);
	if (!count || (is_swap(op) && count > 1))
		return libuet_refuse(u, EINVAL, "atomic: count %u is not 1%s with op %u",
				     count, is_swap(op) ? "" : " or more", op);
	return 0;
}

static int begin(struct uet *u, struct uet_request *r, const void *operands,
		 const void *compare, uint32_t count)
{
	struct iovec iov = { (void *)operands, 0 };
	uint32_t op = r->atomic.op;

	if (is_swap(op)) {
		r->atomic.swap = field(operands, sizes[r->atomic.datatype]);
		r->atomic.compare = field(compare, sizes[r->atomic.datatype]);
	} else if (operands) {
		iov.iov_len = (size_t)count * sizes[r->atomic.datatype];
		r->iov = &iov;
		r->iov_count = 1;
	}
	return uet_request(u, r);
}

int uet_atomic(struct uet *u, uint32_t peer, struct uet_rma at, uint32_t op, uint32_t type,
	       const void *operands, const void *compare, uint32_t count, uint32_t flags,
	       uint64_t cookie)
{
	struct uet_request r = {
		.peer = peer, .opcode = UET_OP_ATOMIC, .flags = flags, .cookie = cookie,
		.rma = at, .atomic = { .op = op, .datatype = type },
	};

	if (check(u, op, type, operands, compare, count))
		return -1;
	return begin(u, &r, operands, compare, count);
}

int uet_fetch(struct uet *u, uint32_t peer, struct uet_rma at, uint32_t op, uint32_t type,
	      const void *operand, const void *compare, struct uet_local old,
	      uint32_t flags, uint64_t cookie)
{
	struct uet_request r = {
		.peer = peer, .opcode = UET_OP_FETCHING_ATOMIC, .flags = flags,
		.cookie = cookie, .rma = at, .local = old,
		.atomic = { .op = op, .datatype = type },
	};

	if (check(u, op, type, operand, compare, 1))
		return -1;
	return begin(u, &r, operand, compare, 1);
}
