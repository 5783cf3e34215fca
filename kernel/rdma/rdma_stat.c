// SPDX-License-Identifier: GPL-2.0
/* The counters of a device that "rdma statistic" shows: those of its FEP, for all of its jobs. */
#include <linux/capability.h>
#include <rdma/ib_verbs.h>

#include "pdc/pdc.h"
#include "rdma.h"

static const struct rdma_stat_desc stat_descs[UET_TRAFFIC_NR] = {
	[UET_TRAFFIC_PDCS].name = "pdcs",
	[UET_TRAFFIC_FAILED_PDCS].name = "failed_pdcs",
	[UET_TRAFFIC_TX_MESSAGES].name = "tx_messages",
	[UET_TRAFFIC_FAILED_MESSAGES].name = "failed_messages",
	[UET_TRAFFIC_TX_BYTES].name = "tx_bytes",
	[UET_TRAFFIC_TX_PACKETS].name = "tx_packets",
	[UET_TRAFFIC_TX_RETX].name = "tx_retx",
	[UET_TRAFFIC_RX_MESSAGES].name = "rx_messages",
	[UET_TRAFFIC_RX_BYTES].name = "rx_bytes",
	[UET_TRAFFIC_RX_PACKETS].name = "rx_packets",
	[UET_TRAFFIC_RX_DUPS].name = "rx_dups",
	[UET_TRAFFIC_TIMEOUTS].name = "timeouts",
	[UET_TRAFFIC_DROPS].name = "drops",
};

static struct rdma_hw_stats *stat_alloc(struct ib_device *ib, u32 port)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(stat_descs, ARRAY_SIZE(stat_descs),
								 RDMA_HW_STATS_DEFAULT_LIFESPAN);

	/* In the past: the core keeps no values, which the next user may not be allowed to see. */
	if (stats)
		stats->lifespan = -HZ;
	return stats;
}

/* With net.uet.private_traffic only an administrator sees the counters of all jobs. */
static int stat_get(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct uet_rdma_dev *dev = uet_rdma_dev(ib);
	bool is_admin = ns_capable(dev->net->user_ns, CAP_NET_ADMIN);
	struct uet_net *un = uet_net(dev->net);
	struct uet_fep *fep;
	int i;

	if (!is_admin && READ_ONCE(un->private_traffic))
		return -EPERM;
	uet_pdc_traffic_collect(un, is_admin);
	rcu_read_lock();
	fep = uet_fep_find_fa(un, &dev->cfg.fa);
	for (i = 0; fep && i < ARRAY_SIZE(stat_descs); i++)
		stats->value[i] = atomic64_read(&fep->traffic.n[i]);
	rcu_read_unlock();
	return fep ? ARRAY_SIZE(stat_descs) : -ENODEV;
}

const struct ib_device_ops uet_rdma_stat_ops = {
	.alloc_hw_port_stats = stat_alloc,
	.get_hw_stats = stat_get,
};
