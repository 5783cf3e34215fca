/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disabling and enabling of an endpoint for incoming messages: its generation
 * (struct uet_ri_gen), the space that ordered messages need, and pausing.
 */
#ifndef UET_GEN_H
#define UET_GEN_H

#include <linux/types.h>

#include "endpoint/endpoint.h"

struct uet_ses_req;

/* For packets. */
u8 uet_gen_check(struct uet_sock *us, const struct uet_ses_req *req,
		 bool *is_strict, u8 *ri_gen);
bool uet_gen_wants_recv(const struct uet_sock *us,
			const struct uet_ses_req *req);
bool uet_gen_disable(struct uet_sock *us, const struct uet_ses_req *req,
		     bool *is_strict, u8 *ri_gen);

/* When space is free again. */
void uet_gen_freed(struct uet_sock *us);
void uet_gen_posted(struct uet_sock *us);

/*
 * Note that receive buffer was freed.
 * Context: Any, after the atomic operation that freed the space; no rx_lock
 *	held.
 */
static inline void uet_gen_note_freed(struct uet_sock *us)
{
	/*
	 * Pairs with the barrier in uet_gen_disable(): at least one side sees
	 * the other.
	 */
	smp_mb__after_atomic();
	/* And with the WRITE_ONCE()s in uet_ri_gen_enable(). */
	if (READ_ONCE(us->gen.is_disabled))
		uet_gen_freed(us);
}

/* For the owner of the socket. */
int uet_gen_set(struct uet_sock *us, u32 value);
int uet_gen_set_pause(struct uet_sock *us, u32 value);
u32 uet_gen_get(struct uet_sock *us);

#endif
