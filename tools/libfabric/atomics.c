// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The tables of atomic operations and types: numbers, sizes, combinations that exist.
 */
#include <linux/uet.h>
#include <rdma/fi_errno.h>
#include <stdbool.h>

#include "atomics.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

/* Numbers plus 1: 0 is none. */
static const uint8_t ops[] = {
	[FI_MIN] = UET_AMO_MIN + 1,
	[FI_MAX] = UET_AMO_MAX + 1,
	[FI_SUM] = UET_AMO_SUM + 1,
	[FI_PROD] = UET_AMO_PROD + 1,
	[FI_LOR] = UET_AMO_LOR + 1,
	[FI_LAND] = UET_AMO_LAND + 1,
	[FI_BOR] = UET_AMO_BOR + 1,
	[FI_BAND] = UET_AMO_BAND + 1,
	[FI_LXOR] = UET_AMO_LXOR + 1,
	[FI_BXOR] = UET_AMO_BXOR + 1,
	[FI_ATOMIC_READ] = UET_AMO_READ + 1,
	[FI_ATOMIC_WRITE] = UET_AMO_WRITE + 1,
	[FI_CSWAP] = UET_AMO_CSWAP + 1,
	[FI_CSWAP_NE] = UET_AMO_CSWAP_NE + 1,
	[FI_CSWAP_LE] = UET_AMO_CSWAP_LE + 1,
	[FI_CSWAP_LT] = UET_AMO_CSWAP_LT + 1,
	[FI_CSWAP_GE] = UET_AMO_CSWAP_GE + 1,
	[FI_CSWAP_GT] = UET_AMO_CSWAP_GT + 1,
	[FI_MSWAP] = UET_AMO_MSWAP + 1,
};

static const struct {
	uint8_t type;
	uint8_t size;
} types[] = {
	[FI_INT8] = { UET_DT_INT8, 1 },
	[FI_UINT8] = { UET_DT_UINT8, 1 },
	[FI_INT16] = { UET_DT_INT16, 2 },
	[FI_UINT16] = { UET_DT_UINT16, 2 },
	[FI_INT32] = { UET_DT_INT32, 4 },
	[FI_UINT32] = { UET_DT_UINT32, 4 },
	[FI_INT64] = { UET_DT_INT64, 8 },
	[FI_UINT64] = { UET_DT_UINT64, 8 },
	[FI_FLOAT] = { UET_DT_FLOAT, 4 },
	[FI_DOUBLE] = { UET_DT_DOUBLE, 8 },
};

int lf_atomic_op(enum fi_op op)
{
	return (size_t)op < NR(ops) ? ops[op] - 1 : -1;
}

size_t lf_atomic_size(enum fi_datatype type)
{
	return (size_t)type < NR(types) ? types[type].size : 0;
}

int lf_atomic_type(enum fi_datatype type)
{
	return lf_atomic_size(type) ? types[type].type : -1;
}

static bool is_compare(enum fi_op op)
{
	return op >= FI_CSWAP && op <= FI_MSWAP;
}

static bool is_possible(enum fi_datatype type, enum fi_op op)
{
	if (type != FI_FLOAT && type != FI_DOUBLE)
		return true;
	return op != FI_BOR && op != FI_BAND && op != FI_BXOR && op != FI_MSWAP;
}

int lf_atomic_query(enum fi_datatype type, enum fi_op op, enum lf_atomic_kind kind,
		    uint32_t mtu, struct fi_atomic_attr *attr)
{
	size_t size = lf_atomic_size(type);

	if (!size || lf_atomic_op(op) < 0 || !is_possible(type, op) ||
	    is_compare(op) != (kind == LF_ATOMIC_COMPARE) ||
	    (op == FI_ATOMIC_READ && kind != LF_ATOMIC_FETCH))
		return -FI_EOPNOTSUPP;
	attr->size = size;
	attr->count = kind == LF_ATOMIC_CHANGE ? mtu / size : 1;
	return 0;
}
