/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Atomic memory operations as functions of values.  The caller reads and replaces the value
 * in memory atomically, in practice by compare-and-exchange until it succeeds.  Operands and
 * results in a packet are as uet-wire 3.6 says.
 *
 * Implements UE 1.0.1 Tables 3-21 and 3-22, Figures 3-16 and 3-17.  Level: core L5.
 */
#ifndef UET_CORE_AMO_H
#define UET_CORE_AMO_H

#include "core/shim.h"
#include "core/wire/wire.h"

/**
 * struct uet_amo_form - what implementations disagree on; zero is the form of the specification
 * @is_host: operands and results are in the byte order of this machine
 * @is_xor: a masked swap is (target & mask) ^ operand
 */
struct uet_amo_form {
	bool is_host;
	bool is_xor;
};

/*
 * struct uet_amo_op - a checked operation; values in the byte order of this machine, bits above
 * @size 0
 * @opcode: enum uet_amo
 * @datatype: enum uet_dt
 * @size: size and alignment of an element: 1, 2, 4 or 8 bytes
 * @count: number of elements, at least 1
 * @has_operand: CSWAP* and MSWAP: the operand is @swap, not in the payload
 * @compare: CSWAP*: value to compare with; MSWAP: mask
 */
struct uet_amo_op {
	u8 opcode;
	u8 datatype;
	u8 size;
	bool has_operand;
	u32 count;
	u64 compare;
	u64 swap;
	struct uet_amo_form form;
};

u64 uet_amo_get(const u8 *wire, u8 size, struct uet_amo_form form);
void uet_amo_put(u8 *wire, u64 value, u8 size, struct uet_amo_form form);
void uet_amo_to_wire(void *operands, u32 len, u8 size, struct uet_amo_form form);
u8 uet_amo_prepare(struct uet_amo_op *op, const struct uet_ses_amo *amo,
		   struct uet_amo_form form, bool is_fetching, u32 len);
void uet_amo_set_mask(struct uet_ses_amo *amo, const struct uet_amo_op *op);
u64 uet_amo_exec(const struct uet_amo_op *op, u64 target, u64 operand);

#endif /* UET_CORE_AMO_H */
