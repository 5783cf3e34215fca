// SPDX-License-Identifier: GPL-2.0
/*
 * The state of UET in a network namespace: how it is found, and the count of its
 * changes.  config/netns.c makes it and takes it down.
 */
#include <net/netns/generic.h>

#include "net.h"

static unsigned int net_id __read_mostly;

/**
 * uet_net() - the UET state of a namespace
 * @net: the namespace
 *
 * Context: Any, while the module is loaded and @net is referenced.
 * Return: its state; NULL only while @net is being made or could not be made,
 *	which netdev events see and nobody else.
 */
struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, net_id);
}

/**
 * uet_net_changed() - note that the configuration has changed
 * @un: namespace
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_net_changed(struct uet_net *un)
{
	unsigned int seq = un->cfg_seq + 1;

	lockdep_assert_held(&un->cfg_mutex);

	/* Pairs with the READ_ONCE() in uet_nl_dump_begin(); 0 would switch
	 * the check off.
	 */
	WRITE_ONCE(un->cfg_seq, seq ? seq : 1);
}

/**
 * uet_net_register() - begin to follow namespaces
 * @ops: init and exit of a struct uet_net
 *
 * A pernet device: a namespace that ends calls exit before its netdevs go.
 *
 * Context: Process context, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_net_register(struct pernet_operations *ops)
{
	ops->id = &net_id;
	ops->size = sizeof(struct uet_net);
	return register_pernet_device(ops);
}
