// SPDX-License-Identifier: GPL-2.0
/*
 * The receive queues of a NIC.  UET sprays the packets of a PDC over paths by their UDP source
 * port, so a NIC that chooses the queue by ports spreads the packets of one PDC over all CPUs:
 * they arrive out of order, one by one, and the CPUs wait for each other.
 */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>

#include "check.h"

/* Does the NIC have several queues, and choose by ports?  Return: their number, or 0. */
static unsigned int queues_by_ports(const char *dev, uint32_t flow)
{
	struct ethtool_rxnfc rings = { .cmd = ETHTOOL_GRXRINGS };
	struct ethtool_rxnfc hash = { .cmd = ETHTOOL_GRXFH, .flow_type = flow };
	struct ifreq ifr = { .ifr_data = (void *)&rings };

	if (uea_dev_ioctl(dev, SIOCETHTOOL, &ifr) || rings.data < 2)
		return 0;
	ifr.ifr_data = (void *)&hash;
	if (uea_dev_ioctl(dev, SIOCETHTOOL, &ifr) ||
	    !(hash.data & (RXH_L4_B_0_1 | RXH_L4_B_2_3)))
		return 0;
	return rings.data;
}

/**
 * uea_check_hash() - check that the NICs of a FEP receive the packets of a PDC in one queue
 * @check: run
 * @fep: the FEP
 */
void uea_check_hash(struct uea_check *check, struct json_object *fep)
{
	bool is_v6 = strchr(uea_text_of(fep, "addr"), ':');
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct json_object *rail;
	unsigned int queues;
	const char *dev;
	size_t i;

	if (strcmp(uea_text_of(fep, "encap"), "udp"))
		return;
	for (i = 0; (rail = uea_each(fep, "rails", i)); i++) {
		dev = uea_text_of(rail, "dev");
		queues = queues_by_ports(dev, is_v6 ? UDP_V6_FLOW : UDP_V4_FLOW);
		if (!queues)
			continue;
		snprintf(object, sizeof(object), "rail %s", dev);
		snprintf(fix, sizeof(fix), "ethtool -N %s rx-flow-hash udp%d sd", dev,
			 is_v6 ? 6 : 4);
		uea_found(check, UEA_WARNING, object, fix,
			  "its %u receive queues are chosen by UDP ports: the packets of one PDC come to several CPUs, out of order",
			  queues);
	}
}
