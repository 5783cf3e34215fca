// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Combining values: the operations of a reduction.  Integers wrap.
 */
#include "collective.h"

static const uint8_t sizes[] = {
	[UET_DT_INT8] = 1, [UET_DT_UINT8] = 1, [UET_DT_INT16] = 2, [UET_DT_UINT16] = 2,
	[UET_DT_INT32] = 4, [UET_DT_UINT32] = 4, [UET_DT_INT64] = 8, [UET_DT_UINT64] = 8,
	[UET_DT_FLOAT] = 4, [UET_DT_DOUBLE] = 8,
};

/* Return: bytes of a value; 0 for a type that has no reductions. */
size_t libuet_type_size(size_t type)
{
	return type < sizeof(sizes) ? sizes[type] : 0;
}

/* Whether values of the type have the operation. */
bool libuet_op_fits(size_t type, size_t op)
{
	switch (op) {
	case UET_AMO_MIN:
	case UET_AMO_MAX:
	case UET_AMO_SUM:
	case UET_AMO_PROD:
	case UET_AMO_LOR:
	case UET_AMO_LAND:
	case UET_AMO_LXOR:
		return true;
	case UET_AMO_BOR:
	case UET_AMO_BAND:
	case UET_AMO_BXOR:
		return type != UET_DT_FLOAT && type != UET_DT_DOUBLE;
	}
	return false;
}

#define EACH(op, value)	case op: for (i = 0; i < n; i++) a[i] = (value); break

/* @wide: a type in which sums and products do not overflow, or wrap */
#define COMMON(wide)						\
	EACH(UET_AMO_MIN, b[i] < a[i] ? b[i] : a[i]);		\
	EACH(UET_AMO_MAX, b[i] > a[i] ? b[i] : a[i]);		\
	EACH(UET_AMO_SUM, (wide)a[i] + (wide)b[i]);		\
	EACH(UET_AMO_PROD, (wide)a[i] * (wide)b[i]);		\
	EACH(UET_AMO_LOR, a[i] || b[i]);			\
	EACH(UET_AMO_LAND, a[i] && b[i]);			\
	EACH(UET_AMO_LXOR, !a[i] != !b[i])

#define BITS							\
	EACH(UET_AMO_BOR, a[i] | b[i]);				\
	EACH(UET_AMO_BAND, a[i] & b[i]);			\
	EACH(UET_AMO_BXOR, a[i] ^ b[i])

#define COMBINE(type, operations)					\
static void combine_##type(size_t op, type *a, const type *b, size_t n)	\
{									\
	size_t i;							\
									\
	switch (op) {							\
	operations;							\
	}								\
}

#define INTEGER(type)	COMBINE(type, COMMON(uint64_t); BITS)

INTEGER(int8_t)
INTEGER(uint8_t)
INTEGER(int16_t)
INTEGER(uint16_t)
INTEGER(int32_t)
INTEGER(uint32_t)
INTEGER(int64_t)
INTEGER(uint64_t)
COMBINE(float, COMMON(float))
COMBINE(double, COMMON(double))

/* @to op= @from, for all values in @length bytes. */
void libuet_combine(size_t type, size_t op, void *to, const void *from, size_t length)
{
	size_t n = length / libuet_type_size(type);

	switch (type) {
	case UET_DT_INT8:
		return combine_int8_t(op, to, from, n);
	case UET_DT_UINT8:
		return combine_uint8_t(op, to, from, n);
	case UET_DT_INT16:
		return combine_int16_t(op, to, from, n);
	case UET_DT_UINT16:
		return combine_uint16_t(op, to, from, n);
	case UET_DT_INT32:
		return combine_int32_t(op, to, from, n);
	case UET_DT_UINT32:
		return combine_uint32_t(op, to, from, n);
	case UET_DT_INT64:
		return combine_int64_t(op, to, from, n);
	case UET_DT_UINT64:
		return combine_uint64_t(op, to, from, n);
	case UET_DT_FLOAT:
		return combine_float(op, to, from, n);
	case UET_DT_DOUBLE:
		return combine_double(op, to, from, n);
	}
}
