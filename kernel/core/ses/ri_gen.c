// SPDX-License-Identifier: GPL-2.0
/*
 * The generation of a Resource Index at its target.  A message without a
 * generation is from a sender that does not use generations, or has not learnt
 * this one yet.  Such a message is accepted until the first message of its PDC
 * is refused: until then no message can be missing before it.
 *
 * Implements UE 1.0.1 3.4.1, Table 3-19; uet-wire 3.14 (RI generation).
 * Level: core L5.
 */
#include "ri_gen.h"

/**
 * uet_ri_gen_init() - initialise an enabled index
 * @gen: memory of the caller
 * @is_used: the index uses generations
 */
void uet_ri_gen_init(struct uet_ri_gen *gen, bool is_used)
{
	gen->value = is_used;
	gen->is_disabled = false;
}

/**
 * uet_ri_gen_check() - may an ordered message start?
 * @gen: generation of the index that the message is for
 * @said: generation in the request
 * @is_strict: state of the PDC: a message was refused here; set if this one is
 *
 * Return: UET_RC_OK, UET_RC_DISABLED_GEN or UET_RC_BAD_GENERATION; an error
 *	response carries @gen->value.
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
 * uet_ri_gen_disable() - disable the index: refuse all messages
 * @gen: generation, in use
 */
void uet_ri_gen_disable(struct uet_ri_gen *gen)
{
	WRITE_ONCE(gen->is_disabled, true);
}

/**
 * uet_ri_gen_enable() - enable the index again, with the next generation
 * @gen: generation, in use; nothing happens unless the index is disabled
 *
 * Spec: UE 1.0.1 3.4.1: 8 bits; 0 means none.
 */
void uet_ri_gen_enable(struct uet_ri_gen *gen)
{
	if (!gen->is_disabled)
		return;
	WRITE_ONCE(gen->is_disabled, false);
	gen->value = gen->value == U8_MAX ? 1 : gen->value + 1;
}
