// SPDX-License-Identifier: GPL-2.0
/*
 * UET state of a network namespace: look-up, and the counter of configuration changes.
 * config/netns.c creates and destroys the state.
 */
#include <net/netns/generic.h>

#include "net.h"

/* The place of struct uet_net in a namespace; config/netns.c registers it. */
unsigned int uet_net_id __read_mostly;

/**
 * uet_net() - the UET state of a namespace
 * @net: the namespace
 *
 * Context: Any, while the module is loaded and @net is referenced.
 * Return: the UET state; NULL while @net is being created or after its creation
 *	failed.  Only the netdev notifier can get NULL.
 */
struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, uet_net_id);
}

/**
 * uet_net_changed() - count a change of the configuration
 * @un: namespace
 *
 * Context: Any.
 */
void uet_net_changed(struct uet_net *un)
{
	/*
	 * Pairs with the atomic_read() in uet_nl_dump_begin().  An odd number is never
	 * 0, which would disable the consistency check of dumps.
	 */
	atomic_add(2, &un->cfg_seq);
}
