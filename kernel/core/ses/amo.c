// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic memory operations.  Integers wrap around.  Floating-point numbers follow the defaults
 * of IEEE 754, so no operation returns a code AMO_FP_*.  Types of 16 bytes and complex numbers
 * are not executed: not every machine can replace them in one step.  Level: core L5.
 */
#include "amo.h"
#include "ieee.h"

/* Kinds of types; a set of bits. */
enum amo_kind {
	AMO_UNSIGNED	= 0x1,
	AMO_SIGNED	= 0x2,
	AMO_REAL	= 0x4,
	AMO_INTEGER	= AMO_UNSIGNED | AMO_SIGNED,
	AMO_ANY		= AMO_INTEGER | AMO_REAL,
};

/* A supported type; in the row of another @size is 0. */
struct amo_type {
	u8 size;
	u8 kind;
	const struct uet_ieee *real;
};

static const struct amo_type amo_types[UET_DT_NR] = {
	[UET_DT_INT8]	= { 1, AMO_SIGNED, NULL },
	[UET_DT_UINT8]	= { 1, AMO_UNSIGNED, NULL },
	[UET_DT_INT16]	= { 2, AMO_SIGNED, NULL },
	[UET_DT_UINT16]	= { 2, AMO_UNSIGNED, NULL },
	[UET_DT_INT32]	= { 4, AMO_SIGNED, NULL },
	[UET_DT_UINT32]	= { 4, AMO_UNSIGNED, NULL },
	[UET_DT_INT64]	= { 8, AMO_SIGNED, NULL },
	[UET_DT_UINT64]	= { 8, AMO_UNSIGNED, NULL },
	[UET_DT_FLOAT]	= { 4, AMO_REAL, &uet_ieee_single },
	[UET_DT_DOUBLE]	= { 8, AMO_REAL, &uet_ieee_double },
	[UET_DT_BF16]	= { 2, AMO_REAL, &uet_ieee_bfloat16 },
	[UET_DT_FP16]	= { 2, AMO_REAL, &uet_ieee_half },
};

/* The kinds of types that each operation supports; 0: not executed. */
static const u8 amo_kinds[UET_AMO_NR] = {
	[UET_AMO_MIN]		= AMO_ANY,
	[UET_AMO_MAX]		= AMO_ANY,
	[UET_AMO_SUM]		= AMO_ANY,
	[UET_AMO_DIFF]		= AMO_ANY,
	[UET_AMO_PROD]		= AMO_ANY,
	[UET_AMO_LOR]		= AMO_ANY,
	[UET_AMO_LAND]		= AMO_ANY,
	[UET_AMO_BOR]		= AMO_INTEGER,
	[UET_AMO_BAND]		= AMO_INTEGER,
	[UET_AMO_LXOR]		= AMO_ANY,
	[UET_AMO_BXOR]		= AMO_INTEGER,
	[UET_AMO_READ]		= AMO_ANY,
	[UET_AMO_WRITE]		= AMO_ANY,
	[UET_AMO_CSWAP]		= AMO_ANY,
	[UET_AMO_CSWAP_NE]	= AMO_ANY,
	[UET_AMO_CSWAP_LE]	= AMO_ANY,
	[UET_AMO_CSWAP_LT]	= AMO_ANY,
	[UET_AMO_CSWAP_GE]	= AMO_ANY,
	[UET_AMO_CSWAP_GT]	= AMO_ANY,
	[UET_AMO_MSWAP]		= AMO_INTEGER,
};

/* A value of the byte order of this machine at @at, which may be unaligned. */
static u64 amo_load(const u8 *at, u8 size)
{
	u16 half;
	u32 word;
	u64 value;

	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&half, at, sizeof(half));
		return half;
	case 4:
		memcpy(&word, at, sizeof(word));
		return word;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

static void amo_store(u8 *at, u64 value, u8 size)
{
	u16 half = (u16)value;
	u32 word = (u32)value;

	switch (size) {
	case 1:
		*at = (u8)value;
		break;
	case 2:
		memcpy(at, &half, sizeof(half));
		break;
	case 4:
		memcpy(at, &word, sizeof(word));
		break;
	default:
		memcpy(at, &value, sizeof(value));
	}
}

static u64 amo_get_net(const u8 *wire, u8 size)
{
	u64 value = 0;
	u8 i;

	for (i = 0; i < size; i++)
		value = value << 8 | wire[i];
	return value;
}

/*
 * uet_amo_get() - read an operand or a result of a packet
 */
u64 uet_amo_get(const u8 *wire, u8 size, struct uet_amo_form form)
{
	return form.is_host ? amo_load(wire, size) : amo_get_net(wire, size);
}

/*
 * uet_amo_put() - write an operand or a result; bits of @value above @size are ignored
 */
void uet_amo_put(u8 *wire, u64 value, u8 size, struct uet_amo_form form)
{
	if (form.is_host) {
		amo_store(wire, value, size);
		return;
	}
	while (size--) {
		wire[size] = value;
		value >>= 8;
	}
}

/*
 * uet_amo_to_wire() - convert the operands of a process to those of a packet
 * @len: bytes, a multiple of @size
 */
void uet_amo_to_wire(void *operands, u32 len, u8 size, struct uet_amo_form form)
{
	u8 *at = operands;
	u32 done;

	for (done = 0; done < len; done += size)
		uet_amo_put(at + done, amo_load(at + done, size), size, form);
}

/*
 * uet_amo_set_mask() - write the mask and operand of a masked swap of a process
 * @op: the bits of @op->compare are taken from @op->swap
 *
 * Spec: UE 1.0.1 Table 3-21; choices.rst has both readings.
 */
void uet_amo_set_mask(struct uet_ses_amo *amo, const struct uet_amo_op *op)
{
	u64 bits = U64_MAX >> (64 - 8 * op->size);

	if (op->opcode != UET_AMO_MSWAP || !op->form.is_xor)
		return;
	put_unaligned_be64(~op->compare & bits, &amo->compare[8]);
	put_unaligned_be64(op->swap & op->compare, &amo->swap[8]);
}

/* The value of a 16-byte field of the extension: its last @size bytes. */
static u64 amo_field(const u8 *field, u8 size)
{
	return amo_get_net(field + 16 - size, size);
}

/* Number of elements of a request with @len bytes of payload; 0: invalid. */
static u32 amo_count(const struct uet_amo_op *op, bool is_fetching, u32 len)
{
	if (op->has_operand || (op->opcode == UET_AMO_READ && !len))
		return len ? 0 : 1;
	if (len % op->size || (is_fetching && len != op->size))
		return 0;
	return len / op->size;
}

/*
 * uet_amo_prepare() - check an operation and prepare its execution
 * @amo: extension of the request, as decoded
 * @is_fetching: the old value is requested; one element only
 * @len: payload, bytes
 *
 * Return: UET_RC_OK, or that of the error response (UE 1.0.1 Table 3-19, uet-wire 3.6):
 *	UET_RC_AMO_UNSUPPORTED_OP, also for a READ that is not fetching, _DT or _SIZE.
 */
u8 uet_amo_prepare(struct uet_amo_op *op, const struct uet_ses_amo *amo,
		   struct uet_amo_form form, bool is_fetching, u32 len)
{
	const struct amo_type *type;

	if (amo->opcode >= UET_AMO_NR || !amo_kinds[amo->opcode] ||
	    (amo->opcode == UET_AMO_READ && !is_fetching))
		return UET_RC_AMO_UNSUPPORTED_OP;
	if (amo->datatype >= UET_DT_NR || !amo_types[amo->datatype].size)
		return UET_RC_AMO_UNSUPPORTED_DT;
	type = &amo_types[amo->datatype];
	if (!(amo_kinds[amo->opcode] & type->kind))
		return UET_RC_AMO_UNSUPPORTED_OP;

	*op = (struct uet_amo_op){
		.opcode = amo->opcode,
		.datatype = amo->datatype,
		.size = type->size,
		.form = form,
		.has_operand = uet_wire_amo_ext(amo->opcode) == UET_EXT_CSWAP,
	};
	op->count = amo_count(op, is_fetching, len);
	if (!op->count)
		return UET_RC_AMO_UNSUPPORTED_SIZE;
	if (op->has_operand) {
		op->compare = amo_field(amo->compare, op->size);
		op->swap = amo_field(amo->swap, op->size);
	}
	return UET_RC_OK;
}

static s64 amo_extend(const struct amo_type *type, u64 a)
{
	u32 unused = 64 - 8 * type->size;

	return (s64)(a << unused) >> unused;
}

static enum uet_ieee_order amo_cmp(const struct amo_type *type, u64 a, u64 b)
{
	bool less = a < b;

	if (type->kind == AMO_REAL)
		return uet_ieee_cmp(type->real, a, b);
	if (a == b)
		return UET_IEEE_EQUAL;
	if (type->kind == AMO_SIGNED)
		less = amo_extend(type, a) < amo_extend(type, b);
	return less ? UET_IEEE_LESS : UET_IEEE_GREATER;
}

/* The relations of the compare value to the value in memory that permit the swap. */
static u8 amo_condition(u8 opcode)
{
	switch (opcode) {
	case UET_AMO_CSWAP:
		return UET_IEEE_EQUAL;
	case UET_AMO_CSWAP_NE:
		return UET_IEEE_LESS | UET_IEEE_GREATER | UET_IEEE_UNORDERED;
	case UET_AMO_CSWAP_LE:
		return UET_IEEE_LESS | UET_IEEE_EQUAL;
	case UET_AMO_CSWAP_LT:
		return UET_IEEE_LESS;
	case UET_AMO_CSWAP_GE:
		return UET_IEEE_GREATER | UET_IEEE_EQUAL;
	default:
		return UET_IEEE_GREATER;
	}
}

static bool amo_is_true(const struct amo_type *type, u64 a)
{
	return amo_cmp(type, a, 0) != UET_IEEE_EQUAL;
}

static u64 amo_logical(const struct amo_type *type, u8 opcode, u64 a, u64 b)
{
	const bool x = amo_is_true(type, a), y = amo_is_true(type, b);
	bool value;

	if (opcode == UET_AMO_LOR)
		value = x || y;
	else if (opcode == UET_AMO_LAND)
		value = x && y;
	else
		value = x != y;
	return type->real ? uet_ieee_bool(type->real, value) : value;
}

static u64 amo_arithmetic(const struct amo_type *type, u8 opcode, u64 a, u64 b)
{
	const struct uet_ieee *f = type->real;

	switch (opcode) {
	case UET_AMO_SUM:
		return f ? uet_ieee_add(f, a, b) : a + b;
	case UET_AMO_DIFF:
		return f ? uet_ieee_add(f, a, uet_ieee_neg(f, b)) : a - b;
	default:
		return f ? uet_ieee_mul(f, a, b) : a * b;
	}
}

/* The result; bits above the size of the type are undefined. */
static u64 amo_result(const struct amo_type *type, const struct uet_amo_op *op, u64 a, u64 b)
{
	switch (op->opcode) {
	case UET_AMO_MIN:
		return amo_cmp(type, a, b) == UET_IEEE_GREATER ? b : a;
	case UET_AMO_MAX:
		return amo_cmp(type, a, b) == UET_IEEE_LESS ? b : a;
	case UET_AMO_SUM:
	case UET_AMO_DIFF:
	case UET_AMO_PROD:
		return amo_arithmetic(type, op->opcode, a, b);
	case UET_AMO_LOR:
	case UET_AMO_LAND:
	case UET_AMO_LXOR:
		return amo_logical(type, op->opcode, a, b);
	case UET_AMO_BOR:
		return a | b;
	case UET_AMO_BAND:
		return a & b;
	case UET_AMO_BXOR:
		return a ^ b;
	case UET_AMO_READ:
		return a;
	case UET_AMO_WRITE:
		return b;
	case UET_AMO_MSWAP:
		return op->form.is_xor ? (a & op->compare) ^ b :
					 (a & ~op->compare) | (b & op->compare);
	default:
		return amo_cmp(type, op->compare, a) & amo_condition(op->opcode) ? b : a;
	}
}

/*
 * uet_amo_exec() - compute the value to store, possibly equal to @target (UE 1.0.1 Table 3-21)
 * @operand: of this element; ignored if @op has it
 *
 * A minimum or maximum with a NaN does not change the value.
 */
u64 uet_amo_exec(const struct uet_amo_op *op, u64 target, u64 operand)
{
	const struct amo_type *type = &amo_types[op->datatype];
	u64 value;

	value = amo_result(type, op, target, op->has_operand ? op->swap : operand);
	return value & U64_MAX >> (64 - 8 * type->size);
}
