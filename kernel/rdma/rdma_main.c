// SPDX-License-Identifier: GPL-2.0
/*
 * The module: "rdma link add NAME type uet netdev NETDEV" makes a device on the FEP that has the
 * netdev as a rail, in the job net.uet.default_job. The device goes with "rdma link delete", with
 * the netdev, with its namespace, and with the module.
 */
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "rdma.h"

static DEFINE_MUTEX(rmain_mutex);
static LIST_HEAD(rmain_devs);
static DECLARE_WAIT_QUEUE_HEAD(rmain_gone);

/* ------------------------------------------------------------------------ devices */

/* The core frees the device behind this. */
static void rmain_dealloc(struct ib_device *ib)
{
	unsigned long qpn;
	struct ib_qp *shown;

	xa_for_each(&uet_rdma_dev(ib)->shown, qpn, shown)
		kfree(shown);
	xa_destroy(&uet_rdma_dev(ib)->shown);
	mutex_lock(&rmain_mutex);
	list_del(&uet_rdma_dev(ib)->link);
	mutex_unlock(&rmain_mutex);
	wake_up_all(&rmain_gone);
}

static const struct ib_device_ops rmain_ops = {
	.dealloc_driver = rmain_dealloc,
};

static void rmain_setup(struct uet_rdma_dev *dev, struct net_device *ndev)
{
	struct ib_device *ib = &dev->ib;

	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = num_possible_cpus();
	ib->local_dma_lkey = UET_RDMA_DMA_KEY;
	strscpy(ib->node_desc, "uet", sizeof(ib->node_desc));
	addrconf_addr_eui48((u8 *)&ib->node_guid, ndev->dev_addr);
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ib_set_device_ops(ib, &uet_rdma_dev_ops);
	ib_set_device_ops(ib, &uet_rdma_stat_ops);
	ib_set_device_ops(ib, &uet_rdma_cq_ops);
	ib_set_device_ops(ib, &uet_rdma_mr_ops);
	ib_set_device_ops(ib, &uet_rdma_fast_ops);
	ib_set_device_ops(ib, &uet_rdma_rq_ops);
	ib_set_device_ops(ib, &uet_rdma_qp_ops);
	ib_set_device_ops(ib, &rmain_ops);
}

static int rmain_register(struct uet_rdma_dev *dev, const char *name, struct net_device *ndev)
{
	int err = ib_device_set_netdev(&dev->ib, ndev, 1);

	return err ? : ib_register_device(&dev->ib, name, NULL);
}

/*
 * A registered device, with a reference, or NULL: of @net if that is not NULL, on the netdev
 * @ifindex if that is not 0.
 */
static struct ib_device *rmain_get(const struct net *net, int ifindex)
{
	struct uet_rdma_dev *dev;
	struct ib_device *ib = NULL;

	mutex_lock(&rmain_mutex);
	list_for_each_entry(dev, &rmain_devs, link) {
		if ((!net || net_eq(dev->net, net)) && (!ifindex || dev->ifindex == ifindex) &&
		    ib_device_try_get(&dev->ib)) {
			ib = &dev->ib;
			break;
		}
	}
	mutex_unlock(&rmain_mutex);
	return ib;
}

/* The GIDs of a device are the addresses of its netdev. */
static bool rmain_has_address(struct net_device *ndev, const struct uet_fa *fa)
{
	bool has;

	if (fa->family == AF_INET6)
		return ipv6_chk_addr(dev_net(ndev), &fa->v6, ndev, 1);
	rcu_read_lock();
	has = __ip_dev_find(dev_net(ndev), fa->v4, false) == ndev;
	rcu_read_unlock();
	return has;
}

/* Find the FEP and the job of a new device. */
static int rmain_configure(struct uet_rdma_dev *dev, struct net_device *ndev)
{
	struct ib_device *other = rmain_get(dev_net(ndev), ndev->ifindex);

	if (other) {
		netdev_err(ndev, "uet_rdma: the netdev has the device %s already\n",
			   dev_name(&other->dev));
		ib_device_put(other);
		return -EEXIST;
	}
	if (uet_fep_cfg_of_dev(ndev, &dev->cfg)) {
		netdev_err(ndev, "uet_rdma: no FEP has the netdev as a rail: ueadm fep add\n");
		return -ENODEV;
	}
	if (!rmain_has_address(ndev, &dev->cfg.fa)) {
		netdev_err(ndev, "uet_rdma: the fabric address of FEP %s is not one of the netdev\n",
			   dev->cfg.name);
		return -EADDRNOTAVAIL;
	}
	dev->job = READ_ONCE(uet_net(dev_net(ndev))->default_job);
	if (!dev->job) {
		netdev_err(ndev, "uet_rdma: net.uet.default_job is 0: it names the job of the device\n");
		return -ENOENT;
	}
	return 0;
}

static int rmain_newlink(const char *name, struct net_device *ndev)
{
	struct uet_rdma_dev *dev;
	int err;

	dev = ib_alloc_device(uet_rdma_dev, ib);
	if (!dev)
		return -ENOMEM;
	dev->net = dev_net(ndev);
	dev->ifindex = ndev->ifindex;
	INIT_LIST_HEAD(&dev->link);
	xa_init(&dev->shown);
	rmain_setup(dev, ndev);
	err = rmain_configure(dev, ndev);
	if (!err) {
		mutex_lock(&rmain_mutex);
		list_add_tail(&dev->link, &rmain_devs);
		mutex_unlock(&rmain_mutex);
		err = rmain_register(dev, name, ndev);
	}
	if (err)
		ib_dealloc_device(&dev->ib);
	return err;
}

static struct rdma_link_ops rmain_link_ops = {
	.type = "uet",
	.newlink = rmain_newlink,
};

static bool rmain_has(const struct net *net)
{
	struct uet_rdma_dev *dev;
	bool has = false;

	mutex_lock(&rmain_mutex);
	list_for_each_entry(dev, &rmain_devs, link)
		has |= !net || net_eq(dev->net, net);
	mutex_unlock(&rmain_mutex);
	return has;
}

/* Others may be about to unregister a device, too. */
static void rmain_remove_all(const struct net *net)
{
	struct ib_device *ib;

	while ((ib = rmain_get(net, 0)))
		ib_unregister_device_and_put(ib);
	wait_event(rmain_gone, !rmain_has(net));
}

/* ---------------------------------------------------------------------- followers */

static int rmain_netdev_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);
	struct ib_device *ib;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	ib = rmain_get(dev_net(ndev), ndev->ifindex);
	if (!ib)
		return NOTIFY_DONE;
	ib_unregister_device_queued(ib);
	ib_device_put(ib);
	return NOTIFY_OK;
}

static struct notifier_block rmain_notifier = {
	.notifier_call = rmain_netdev_event,
};

static void __net_exit rmain_net_exit(struct net *net)
{
	rmain_remove_all(net);
}

static struct pernet_operations rmain_pernet_ops = {
	.exit = rmain_net_exit,
};

static int __init rmain_init(void)
{
	int err;

	/* Storage waits for it. */
	uet_rdma_wq = alloc_workqueue("uet_rdma", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!uet_rdma_wq)
		return -ENOMEM;
	/* As a device: it ends before the netdevs of the namespace, and the sockets of uet.ko. */
	err = register_pernet_device(&rmain_pernet_ops);
	if (err)
		goto err_wq;
	err = register_netdevice_notifier(&rmain_notifier);
	if (err)
		goto err_pernet;
	rdma_link_register(&rmain_link_ops);
	return 0;

err_pernet:
	unregister_pernet_device(&rmain_pernet_ops);
err_wq:
	destroy_workqueue(uet_rdma_wq);
	return err;
}

static void __exit rmain_exit(void)
{
	rdma_link_unregister(&rmain_link_ops);
	unregister_netdevice_notifier(&rmain_notifier);
	rmain_remove_all(NULL);
	unregister_pernet_device(&rmain_pernet_ops);
	destroy_workqueue(uet_rdma_wq);
}

module_init(rmain_init);
module_exit(rmain_exit);

MODULE_DESCRIPTION("RDMA devices over Ultra Ethernet Transport");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("uet");
UET_IMPORT();
