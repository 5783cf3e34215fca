/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generation of a Resource Index at its target: whether an ordered message may
 * begin there.  Who has too little for one disables the index, which refuses all
 * that comes until it is enabled again, under another generation: what was sent
 * without knowing of that could be out of order.
 *
 * Implements UE 1.0.1 3.4.1 (ri_generation), Table 3-19 (BAD_GENERATION,
 * DISABLED_GEN) and uet-wire 3.14 (RI generation), the target.
 * Level: core L5, beside ses.
 *
 * Locking: the caller serialises per struct uet_ri_gen.
 */
#ifndef UET_CORE_RI_GEN_H
#define UET_CORE_RI_GEN_H

#include "core/shim.h"
#include "core/wire/wire.h"

/**
 * struct uet_ri_gen - the generation of a Resource Index
 * @value: 1..255; 0: it uses none
 * @is_disabled: all messages are refused
 */
struct uet_ri_gen {
	u8 value;
	bool is_disabled;
};

void uet_ri_gen_init(struct uet_ri_gen *gen, bool is_used);
u8 uet_ri_gen_check(const struct uet_ri_gen *gen, u8 said, bool *is_strict);
void uet_ri_gen_disable(struct uet_ri_gen *gen);
void uet_ri_gen_enable(struct uet_ri_gen *gen);

#endif /* UET_CORE_RI_GEN_H */
