// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of tools/ueadm/check/check_hash.c, with a double of the driver that answers about
 * queues and hashes.  Level: test.
 */
#include <linux/ethtool.h>
#include <net/if.h>
#include <stdarg.h>
#include <string.h>

#include "utest.h"
#include "check/check.h"

static struct {
	unsigned int queues;
	uint32_t flow;
	uint64_t fields;
	bool has_no_hash;
} nic;

static char found[512];

int uea_dev_ioctl(const char *dev, unsigned long request, struct ifreq *ifr)
{
	struct ethtool_rxnfc *ask = (void *)ifr->ifr_data;

	(void)dev;
	(void)request;
	if (ask->cmd == ETHTOOL_GRXRINGS) {
		ask->data = nic.queues;
		return 0;
	}
	nic.flow = ask->flow_type;
	ask->data = nic.fields;
	return nic.has_no_hash ? -1 : 0;
}

const char *uea_text_of(struct json_object *record, const char *key)
{
	return json_object_get_string(json_object_object_get(record, key));
}

void uea_found(struct uea_check *check, enum uea_weight severity, const char *object,
	       const char *fix, const char *fmt, ...)
{
	size_t used;
	va_list args;

	(void)check;
	(void)severity;
	used = snprintf(found, sizeof(found), "%s: %s: ", object, fix);
	va_start(args, fmt);
	vsnprintf(found + used, sizeof(found) - used, fmt, args);
	va_end(args);
}

/* Runs the check of a FEP with this address on a NIC, and returns its text. */
static const char *check_fep(const char *addr, const char *encap)
{
	struct json_object *fep = json_object_new_object(), *rail = json_object_new_object();
	struct json_object *rails = json_object_new_array();

	json_object_object_add(rail, "dev", json_object_new_string("r0"));
	json_object_array_add(rails, rail);
	json_object_object_add(fep, "addr", json_object_new_string(addr));
	json_object_object_add(fep, "encap", json_object_new_string(encap));
	json_object_object_add(fep, "rails", rails);
	found[0] = 0;
	uea_check_hash(NULL, fep);
	json_object_put(fep);
	return found;
}

static void nic_has(unsigned int queues, uint64_t fields)
{
	nic.queues = queues;
	nic.fields = fields;
	nic.has_no_hash = false;
}

#define ADDRESSES	(RXH_IP_SRC | RXH_IP_DST)
#define PORTS		(RXH_L4_B_0_1 | RXH_L4_B_2_3)

TEST(hash__ports_choose_one_of_several_queues)
{
	nic_has(4, ADDRESSES | PORTS);

	ASSERT_EQ(strcmp(check_fep("10.0.0.1", "udp"),
			 "rail r0: ethtool -N r0 rx-flow-hash udp4 sd: its 4 receive queues are chosen by UDP ports: the packets of one PDC come to several CPUs, out of order"), 0);
	ASSERT_EQ(nic.flow, UDP_V4_FLOW);
}

TEST(hash__the_source_port_alone_is_enough)
{
	nic_has(2, ADDRESSES | RXH_L4_B_0_1);

	ASSERT_TRUE(check_fep("10.0.0.1", "udp")[0]);
}

TEST(hash__ipv6_has_a_hash_of_its_own)
{
	nic_has(4, ADDRESSES | PORTS);

	ASSERT_TRUE(check_fep("fd00::1", "udp")[0]);
	ASSERT_EQ(nic.flow, UDP_V6_FLOW);
	ASSERT_TRUE(strstr(found, "udp6 sd"));
}

TEST(hash__addresses_alone_are_fine)
{
	nic_has(4, ADDRESSES);

	ASSERT_FALSE(check_fep("10.0.0.1", "udp")[0]);
}

TEST(hash__one_queue_is_fine)
{
	nic_has(1, ADDRESSES | PORTS);

	ASSERT_FALSE(check_fep("10.0.0.1", "udp")[0]);
}

TEST(hash__a_driver_without_an_answer_is_fine)
{
	nic_has(4, ADDRESSES | PORTS);
	nic.has_no_hash = true;

	ASSERT_FALSE(check_fep("10.0.0.1", "udp")[0]);
}

TEST(hash__native_ip_has_no_ports)
{
	nic_has(4, ADDRESSES | PORTS);

	ASSERT_FALSE(check_fep("10.0.0.1", "native")[0]);
}
