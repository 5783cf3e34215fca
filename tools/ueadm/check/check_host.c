// SPDX-License-Identifier: GPL-2.0
/*
 * The host below UET: state and speed of links, addresses, the reverse path
 * filter, the owner of the UDP port, and the clock.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <net/if_arp.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <unistd.h>

#include <linux/uet_nl.h>

#include "check.h"
#include "core/wire/wire_codes.h"

/**
 * uea_dev_ioctl() - an ioctl() of a netdev
 * @dev: its name
 * @request: SIOC*
 * @ifr: its argument, which gets the name
 *
 * Return: -1 if the netdev does not support it.
 */
int uea_dev_ioctl(const char *dev, unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	if (fd < 0)
		return -1;
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", dev);
	ret = ioctl(fd, request, ifr);
	close(fd);
	return ret;
}

/**
 * uea_mac_of() - the hardware address of a netdev
 * @dev: its name
 * @mac: filled in
 *
 * Return: false if it has none.
 */
bool uea_mac_of(const char *dev, uint8_t *mac)
{
	struct ifreq ifr = { .ifr_flags = 0 };

	if (uea_dev_ioctl(dev, SIOCGIFHWADDR, &ifr) ||
	    ifr.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return false;
	memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	return true;
}

/* The kind of the master, as IFLA_LINKINFO of its port has it. */
static void read_kind(const struct nlattr *info, char *kind)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, info) {
		if (mnl_attr_get_type(attr) == IFLA_INFO_SLAVE_KIND)
			snprintf(kind, IF_NAMESIZE, "%s", mnl_attr_get_str(attr));
	}
}

/* The netdev that a netdev is a port of; false: none, or unknown. */
static bool find_master(const char *dev, char *master, char *kind)
{
	char buf[8192];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct mnl_socket *nl = mnl_socket_open(NETLINK_ROUTE);
	struct ifinfomsg *info;
	const struct nlattr *attr;
	bool is_found = false;
	int size = -1;

	nlh->nlmsg_type = RTM_GETLINK;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));
	info->ifi_index = if_nametoindex(dev);
	if (nl && info->ifi_index && !mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) &&
	    mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0)
		size = mnl_socket_recvfrom(nl, buf, sizeof(buf));
	if (size > 0 && mnl_nlmsg_ok(nlh, size) &&
	    nlh->nlmsg_type == RTM_NEWLINK) {
		mnl_attr_for_each(attr, nlh, sizeof(*info)) {
			if (mnl_attr_get_type(attr) == IFLA_MASTER)
				is_found = if_indextoname(
					mnl_attr_get_u32(attr), master);
			if (mnl_attr_get_type(attr) == IFLA_LINKINFO)
				read_kind(attr, kind);
		}
	}
	if (nl)
		mnl_socket_close(nl);
	return is_found;
}

/**
 * uea_vrf_of() - the VRF of a netdev
 * @dev: its name
 * @master: filled in
 *
 * Return: false if it is in none.
 */
bool uea_vrf_of(const char *dev, char *master)
{
	char kind[IF_NAMESIZE] = "";

	return find_master(dev, master, kind) && !strcmp(kind, "vrf");
}

/**
 * uea_check_master() - check that no bridge or bond takes the packets of a rail
 * @check: run
 * @rail: the rail
 *
 * Return: true if one does.
 */
bool uea_check_master(struct uea_check *check, struct json_object *rail)
{
	const char *dev = uea_text_of(rail, "dev");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	char master[IF_NAMESIZE], kind[IF_NAMESIZE] = "";

	if (!find_master(dev, master, kind))
		return false;
	snprintf(object, sizeof(object), "rail %s", dev);
	snprintf(fix, sizeof(fix), "ip link set dev %s nomaster", dev);
	if (!strcmp(kind, "vrf")) {
		uea_found(check, UEA_ERROR, object, fix,
			  "the netdev is in the VRF %s: FEPs use rails and addresses outside of VRFs only",
			  master);
		return true;
	}
	uea_found(check, UEA_ERROR, object, fix,
		  "the netdev is a port of %s, which takes its packets: they do not reach the FEPs of this rail",
		  master);
	return true;
}

/**
 * uea_check_link() - check that the netdev of a rail and the other end are up
 * @check: run
 * @rail: the rail
 */
void uea_check_link(struct uea_check *check, struct json_object *rail)
{
	const char *dev = uea_text_of(rail, "dev");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct ifreq ifr = { .ifr_flags = 0 };

	if (json_object_get_boolean(json_object_object_get(rail, "usable")))
		return;
	snprintf(object, sizeof(object), "rail %s", dev);
	if (!uea_dev_ioctl(dev, SIOCGIFFLAGS, &ifr) && !(ifr.ifr_flags & IFF_UP)) {
		snprintf(fix, sizeof(fix), "ip link set dev %s up", dev);
		uea_found(check, UEA_ERROR, object, fix, "the netdev is down");
		return;
	}
	snprintf(fix, sizeof(fix), "ip link show dev %s", dev);
	uea_found(check, UEA_ERROR, object, fix,
		  "the netdev has no carrier: check cable, port and peer");
}

/* ------------------------------------------------------------------ address */

/**
 * uea_check_addr() - check that the address of a FEP belongs to this host
 * @check: run
 * @fep: the FEP
 */
void uea_check_addr(struct uea_check *check, struct json_object *fep)
{
	uint32_t scope = uea_number_of(fep, "scope-id");
	const char *addr = uea_text_of(fep, "addr");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	if (uea_is_local(addr, scope))
		return;
	snprintf(object, sizeof(object), "fep %s", uea_text_of(fep, "name"));
	uea_addr_command(fix, sizeof(fix), addr, scope);
	uea_found(check, UEA_ERROR, object, fix,
		  "its address %s is none of this host any more", addr);
}

/* ----------------------------------------------------------------- symmetry */

/* In Mb/s; 0: unknown. */
static uint32_t link_speed(const char *dev)
{
	struct ethtool_cmd cmd = { .cmd = ETHTOOL_GSET };
	struct ifreq ifr = { .ifr_data = (void *)&cmd };
	uint32_t speed;

	if (uea_dev_ioctl(dev, SIOCETHTOOL, &ifr))
		return 0;
	speed = ethtool_cmd_speed(&cmd);
	return speed == (uint32_t)SPEED_UNKNOWN ? 0 : speed;
}

/**
 * uea_check_symmetry() - check that the rails of a FEP are alike
 * @check: run
 * @fep: the FEP
 */
void uea_check_symmetry(struct uea_check *check, struct json_object *fep)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct json_object *rail[2];
	uint64_t mtu[2], speed[2];
	const char *dev[2];
	int i, low;

	snprintf(object, sizeof(object), "fep %s", uea_text_of(fep, "name"));
	for (i = 0; i < 2; i++) {
		rail[i] = uea_each(fep, "rails", i);
		dev[i] = rail[i] ? uea_text_of(rail[i], "dev") : "";
		rail[i] = uea_check_rail(check, dev[i]);
		if (!rail[i])
			return;
		mtu[i] = uea_number_of(rail[i], "mtu");
		speed[i] = link_speed(dev[i]);
	}
	low = mtu[0] > mtu[1];
	snprintf(fix, sizeof(fix), "ip link set dev %s mtu %" PRIu64,
		 dev[low], mtu[!low]);
	if (mtu[0] != mtu[1])
		uea_found(check, UEA_WARNING, object, fix,
			  "its rails are not alike: %s has MTU %" PRIu64 ", %s %" PRIu64,
			  dev[0], mtu[0], dev[1], mtu[1]);
	snprintf(fix, sizeof(fix), "ethtool %s", dev[speed[0] > speed[1]]);
	if (speed[0] && speed[1] && speed[0] != speed[1])
		uea_found(check, UEA_WARNING, object, fix,
			  "its rails are not alike, but get the same share: %s has %" PRIu64 " Mb/s, %s %" PRIu64,
			  dev[0], speed[0], dev[1], speed[1]);
}

/* ------------------------------------------------------ reverse path filter */

static int read_rp_filter(const char *dev)
{
	char path[UEA_CHECK_TEXT];
	int value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter",
		 dev);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%d", &value) != 1)
		value = 0;
	fclose(f);
	return value;
}

/**
 * uea_check_filter() - check that the reverse path filter permits several rails
 * @check: run
 * @fep: a FEP
 */
void uea_check_filter(struct uea_check *check, struct json_object *fep)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct json_object *rail;
	const char *dev;
	int all = read_rp_filter("all"), one;
	size_t i;

	if (strchr(uea_text_of(fep, "addr"), ':') || !uea_each(fep, "rails", 1))
		return;
	for (i = 0; (rail = uea_each(fep, "rails", i)); i++) {
		dev = uea_text_of(rail, "dev");
		one = read_rp_filter(dev);
		/* The larger value is in effect: 1 is strict, 2 loose. */
		if ((one > all ? one : all) != 1)
			continue;
		snprintf(object, sizeof(object), "rail %s", dev);
		snprintf(fix, sizeof(fix),
			 "sysctl net.ipv4.conf.%s.rp_filter=2", dev);
		uea_found(check, UEA_WARNING, object, fix,
			  "rp_filter is strict: packets that come over another rail than the route back are dropped silently");
	}
}

/* --------------------------------------------------------------------- port */

/* Sockets of programs; kernel sockets have no inode. */
static bool is_port_taken(const char *path, unsigned int port)
{
	unsigned long inode;
	unsigned int local;
	bool is_taken = false;
	char line[512];
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return false;
	while (!is_taken && fgets(line, sizeof(line), f))
		is_taken = sscanf(line, " %*d: %*[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu",
				  &local, &inode) == 2 &&
			   local == port && inode;
	fclose(f);
	return is_taken;
}

static bool has_udp_fep(const struct uea_check *check)
{
	struct json_object *fep;
	size_t i;

	for (i = 0; (fep = uea_nth(check->feps, i)); i++) {
		if (!strcmp(uea_text_of(fep, "encap"), "udp"))
			return true;
	}
	return false;
}

/**
 * uea_check_port() - check that a FEP can use the UDP port
 * @check: run
 */
void uea_check_port(struct uea_check *check)
{
	char fix[UEA_CHECK_TEXT];

	/* An existing FEP uses the port. */
	if (has_udp_fep(check) ||
	    (!is_port_taken("/proc/self/net/udp", UET_PORT_DEFAULT) &&
	     !is_port_taken("/proc/self/net/udp6", UET_PORT_DEFAULT)))
		return;
	snprintf(fix, sizeof(fix), "ss -ulnp sport = %d", UET_PORT_DEFAULT);
	uea_found(check, UEA_ERROR, "host", fix,
		  "a program has UDP port %d: a FEP cannot be added with it",
		  UET_PORT_DEFAULT);
}

/* -------------------------------------------------------------------- clock */

/* Has a secure domain a key of uetd, whose keys rotate by the clock? */
static bool rotates_keys(const struct uea_check *check)
{
	struct json_object *sd, *key;
	size_t i, k;

	for (i = 0; (sd = uea_nth(check->sds, i)); i++) {
		for (k = 0; (key = uea_each(sd, "keys", k)); k++) {
			if (uea_number_of(key, "check"))
				return true;
		}
	}
	return false;
}

/**
 * uea_check_clock() - check that the clock is synchronised where keys rotate by it
 * @check: run
 */
void uea_check_clock(struct uea_check *check)
{
	struct timex clock = { .modes = 0 };

	if (!rotates_keys(check) || adjtimex(&clock) < 0 ||
	    !(clock.status & STA_UNSYNC))
		return;
	uea_found(check, UEA_HINT, "host",
		  "systemctl enable --now systemd-timesyncd",
		  "the clock is not synchronised: hosts that rotate keys by time use different ones");
}
