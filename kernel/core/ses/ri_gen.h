/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generation of a Resource Index at its target decides whether an ordered
 * message may start there.  A receiver without resources for a message disables
 * the index, which then refuses all messages.  Enabling it again changes the
 * generation: messages sent before the sender learnt the new generation could
 * be out of order.
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
 * @value: 1..255; 0: the index uses no generations
 * @is_disabled: the index refuses all messages
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
