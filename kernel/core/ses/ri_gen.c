// SPDX-License-Identifier: GPL-2.0
/*
 * The generation of a Resource Index at its target.  A message that names none is
 * from a sender that does not know of generations, or not yet of this one: it is
 * taken while no message of its PDC was refused, for then none can be missing
 * before it.
 *
 * Implements UE 1.0.1 3.4.1, Table 3-19; uet-wire 3.14 (RI generation).
 * Level: core L5.
 */
#include "ri_gen.h"

/**
 * uet_ri_gen_init() - make an index that takes messages
 * @gen: memory of the caller
 * @is_used: it uses generations
 *
 * Context: Any.
 */
void uet_ri_gen_init(struct uet_ri_gen *gen, bool is_used)
{
	gen->value = is_used;
	gen->is_disabled = false;
}

/**
 * uet_ri_gen_check() - may an ordered message begin?
 * @gen: of the index it is for
 * @said: generation that its request names
 * @is_strict: of its PDC: a message was refused here; set when this one is
 *
 * Context: Any; the caller serialises.
 * Return: UET_RC_OK, UET_RC_DISABLED_GEN or UET_RC_BAD_GENERATION; the answer
 *	names @gen->value then.
 * Spec: UE 1.0.1 Table 3-19.
 */
u8 uet_ri_gen_check(const struct uet_ri_gen *gen, u8 said, bool *is_strict)
{
	if (!gen->value)
		return UET_RC_OK;
	if (!gen->is_disabled &&
	    (said == gen->value || (!said && !*is_strict)))
		return UET_RC_OK;
	*is_strict = true;
	return gen->is_disabled ? UET_RC_DISABLED_GEN : UET_RC_BAD_GENERATION;
}

/**
 * uet_ri_gen_disable() - refuse all messages
 * @gen: generation, used
 *
 * Context: Any; the caller serialises.
 */
void uet_ri_gen_disable(struct uet_ri_gen *gen)
{
	WRITE_ONCE(gen->is_disabled, true);
}

/**
 * uet_ri_gen_enable() - take messages again, under the next generation
 * @gen: generation, used; nothing happens unless it is disabled
 *
 * Context: Any; the caller serialises.
 * Spec: UE 1.0.1 3.4.1: 8 bits, and 0 means none.
 */
void uet_ri_gen_enable(struct uet_ri_gen *gen)
{
	if (!gen->is_disabled)
		return;
	WRITE_ONCE(gen->is_disabled, false);
	gen->value = gen->value == U8_MAX ? 1 : gen->value + 1;
}
