// SPDX-License-Identifier: GPL-2.0
/*
 * Spaces of memory regions: one socket, or the sockets of a domain, find the regions of a
 * space by their keys. Their completion rings count the changes of watched regions.
 */
#include "cq.h"
#include "ep.h"
#include "mr_space.h"

/**
 * uet_mr_space_init() - initialise a space without regions
 * @space: memory of the caller
 */
void uet_mr_space_init(struct uet_mr_space *space)
{
	xa_init_flags(&space->mrs, XA_FLAGS_ACCOUNT);
	atomic_set(&space->nr_mrs, 0);
	xa_init_flags(&space->sources, XA_FLAGS_ACCOUNT);
	spin_lock_init(&space->lock);
	INIT_LIST_HEAD(&space->socks);
	INIT_LIST_HEAD(&space->changed);
	space->generation = 0;
}

/**
 * uet_mr_space_join() - let a socket find the regions of a space
 * @space: the space, as long as the socket exists
 * @us: socket that is not bound, in no space or in another one
 *
 * Context: Process; lock_sock() held once the socket has a file.
 */
void uet_mr_space_join(struct uet_mr_space *space, struct uet_sock *us)
{
	/* Who makes the completion ring meanwhile reads the generation of either. */
	spin_lock_bh(&us->cq.lock);
	us->space = space;
	spin_unlock_bh(&us->cq.lock);
	spin_lock_bh(&space->lock);
	list_add_tail(&us->on_space, &space->socks);
	spin_unlock_bh(&space->lock);
	uet_cq_note_generation(&us->cq, READ_ONCE(space->generation));
}

/**
 * uet_mr_space_leave() - tell a socket of no more changes
 * @us: socket in a space; it finds the regions until it joins another space
 *
 * Context: Process; lock_sock() held unless the socket is closed. The completion ring
 *	still exists.
 */
void uet_mr_space_leave(struct uet_sock *us)
{
	spin_lock_bh(&us->space->lock);
	list_del_init(&us->on_space);
	spin_unlock_bh(&us->space->lock);
}

/*
 * Count a change of a watched region.
 * Context: Any, uet_mr_space.lock held.
 */
void uet_mr_space_bump(struct uet_mr_space *space)
{
	struct uet_sock *us;

	lockdep_assert_held(&space->lock);
	/* Pairs with the READ_ONCE() for a new ring, under uet_cq.lock. */
	WRITE_ONCE(space->generation, space->generation + 1);
	list_for_each_entry(us, &space->socks, on_space)
		uet_cq_note_generation(&us->cq, space->generation);
}
