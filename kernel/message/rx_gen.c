// SPDX-License-Identifier: GPL-2.0
/*
 * Generations of an endpoint for ordered messages, and its pause: what the receive path asks and
 * what the socket sets. rx_message.c disables and enables the endpoint by the space in its
 * receive buffer.
 * Spec: UE 1.0.1 3.4.1 (ri_generation), Table 3-19; uet-wire 3.14.
 */
#include <linux/uet.h>

#include "message.h"

/*
 * uet_gen_check() - check whether an endpoint accepts a new message
 * @is_strict: for an ordered message: uet_ses_gen.is_strict of its PDC; else NULL
 * @ri_gen: result: generation for the answer, or 0
 * Return: UET_RC_OK, or the return code of the error response to send: UET_RC_DISABLED,
 *	UET_RC_DISABLED_GEN, UET_RC_BAD_GENERATION.
 * Spec: UE 1.0.1 Table 3-19.
 */
u8 uet_gen_check(struct uet_sock *us, const struct uet_ses_req *req,
		 bool *is_strict, u8 *ri_gen)
{
	struct uet_match_key match_key;
	u8 rc = UET_RC_OK;

	*ri_gen = 0;
	if (!us->gen_policy && !READ_ONCE(us->is_paused))
		return UET_RC_OK;
	spin_lock_bh(&us->rx_lock);
	if (is_strict && us->gen_policy) {
		rc = uet_ri_gen_check(&us->gen, req->ri_gen, is_strict);
		*ri_gen = us->gen.value;
	} else if (us->is_paused && uet_match_key(req, &match_key)) {
		rc = UET_RC_DISABLED;
	}
	spin_unlock_bh(&us->rx_lock);
	return rc;
}

/*
 * uet_gen_wants_recv() - may an ordered message go to a posted receive only, not to the receive
 *	buffer?
 */
bool uet_gen_wants_recv(const struct uet_sock *us, const struct uet_ses_req *req)
{
	struct uet_match_key match_key;

	return us->gen_policy == UET_GEN_POSTED && uet_match_key(req, &match_key);
}

/*
 * uet_gen_set() - UET_GENERATION: set the generation policy
 * Return: 0; -EINVAL: not a policy, or the socket is bound.
 */
int uet_gen_set(struct uet_sock *us, u32 value)
{
	bool is_bound;

	if (value > UET_GEN_POSTED)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_GENERATION must be 0 to %d, not %u",
				       UET_GEN_POSTED, value);
	lock_sock(&us->sk);
	is_bound = uet_sock_is_bound(us);
	if (!is_bound) {
		spin_lock_bh(&us->rx_lock);
		/* Pairs with the READ_ONCE() in uet_sock_getsockopt(). */
		WRITE_ONCE(us->gen_policy, value);
		uet_ri_gen_init(&us->gen, value != UET_GEN_NONE);
		us->gen.is_disabled = value && us->is_paused;
		spin_unlock_bh(&us->rx_lock);
	}
	release_sock(&us->sk);
	if (is_bound)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_GENERATION cannot change once the socket is bound");
	return 0;
}

/*
 * uet_gen_set_pause() - UET_PAUSE: refuse new messages with 1, accept them with 0
 * Return: 0 or -EINVAL.
 */
int uet_gen_set_pause(struct uet_sock *us, u32 value)
{
	if (value > 1)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_PAUSE must be 0 or 1, not %u",
				       value);
	spin_lock_bh(&us->rx_lock);
	/* Pairs with the READ_ONCE() in uet_gen_check(). */
	WRITE_ONCE(us->is_paused, value);
	if (value && us->gen_policy)
		uet_ri_gen_disable(&us->gen);
	else if (!value)
		uet_ri_gen_enable(&us->gen);
	spin_unlock_bh(&us->rx_lock);
	return 0;
}

/*
 * uet_gen_get() - UET_RI_GENERATION: the current generation
 * Return: 0 without generations; else the generation, with UET_RI_DISABLED while the endpoint
 *	is disabled.
 */
u32 uet_gen_get(struct uet_sock *us)
{
	u32 value;

	spin_lock_bh(&us->rx_lock);
	value = us->gen.value;
	if (us->gen.is_disabled)
		value |= UET_RI_DISABLED;
	spin_unlock_bh(&us->rx_lock);
	return value;
}
