// SPDX-License-Identifier: GPL-2.0
/*
 * What a new FEP collides with, or what a setting does not fit: the text of the kernel does
 * not name the other FEP, the rails or the port.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "core/wire/wire_codes.h"
#include "check/check.h"

static const struct nlattr *find_attr(const struct nlmsghdr *request,
				      uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == type)
			return attr;
	}
	return NULL;
}

static const char *name_of(const struct nlmsghdr *request)
{
	const struct nlattr *attr = find_attr(request, UET_A_FEP_NAME);

	return attr ? mnl_attr_get_str(attr) : "?";
}

static void addr_of(char *buf, size_t size, const struct nlmsghdr *request)
{
	const struct nlattr *v4 = find_attr(request, UET_A_FEP_ADDR4);
	const struct nlattr *v6 = find_attr(request, UET_A_FEP_ADDR6);

	if (v4)
		inet_ntop(AF_INET, mnl_attr_get_payload(v4), buf, size);
	else if (v6)
		inet_ntop(AF_INET6, mnl_attr_get_payload(v6), buf, size);
	else
		snprintf(buf, size, "?");
}

/* The FEP that has the address. */
static bool explain_addr(const struct nlmsghdr *request,
			 struct json_object *feps)
{
	char addr[INET6_ADDRSTRLEN];
	struct json_object *fep;
	size_t i;

	addr_of(addr, sizeof(addr), request);
	for (i = 0; i < json_object_array_length(feps); i++) {
		fep = json_object_array_get_idx(feps, i);
		if (strcmp(uea_text_of(fep, "addr"), addr))
			continue;
		uea_fail(0, "fep %s: fep %s has addr %s", name_of(request),
			 uea_text_of(fep, "name"), addr);
		return true;
	}
	return false;
}

static bool wants_rail(const struct nlmsghdr *request, struct json_object *rail)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == UET_A_FEP_IFINDEX &&
		    mnl_attr_get_u32(attr) == uea_number_of(rail, "ifindex"))
			return true;
	}
	return false;
}

/* The two rails that are on one plane. */
static bool explain_planes(const struct nlmsghdr *request,
			   struct json_object *rails)
{
	size_t nr = json_object_array_length(rails), i, k;
	struct json_object *a, *b;

	for (i = 0; i < nr; i++) {
		a = json_object_array_get_idx(rails, i);
		for (k = i + 1; wants_rail(request, a) && k < nr; k++) {
			b = json_object_array_get_idx(rails, k);
			if (!wants_rail(request, b) ||
			    uea_number_of(a, "plane") != uea_number_of(b, "plane"))
				continue;
			uea_fail(0, "fep %s: rails %s and %s are both on plane %s, they must be on different planes",
				 name_of(request), uea_text_of(a, "dev"),
				 uea_text_of(b, "dev"), uea_text_of(a, "plane"));
			return true;
		}
	}
	return false;
}

/* The VRF of the netdev that has an address. Return: false if it is in none. */
static bool find_vrf(const char *addr, char *dev, char *vrf)
{
	char text[INET6_ADDRSTRLEN];
	struct ifaddrs *all, *one;
	bool is_found = false;

	if (getifaddrs(&all))
		return false;
	for (one = all; one && !is_found; one = one->ifa_next) {
		if (!one->ifa_addr ||
		    getnameinfo(one->ifa_addr, sizeof(struct sockaddr_in6), text,
				sizeof(text), NULL, 0, NI_NUMERICHOST) ||
		    strcmp(text, addr))
			continue;
		snprintf(dev, IF_NAMESIZE, "%s", one->ifa_name);
		is_found = uea_vrf_of(dev, vrf);
	}
	freeifaddrs(all);
	return is_found;
}

/* An address that no netdev has, or that one cannot use yet. */
static bool explain_foreign(const struct nlmsghdr *request)
{
	char dev[IF_NAMESIZE], vrf[IF_NAMESIZE];
	const struct nlattr *attr = find_attr(request, UET_A_FEP_SCOPE_ID);
	uint32_t scope = attr ? mnl_attr_get_u32(attr) : 0;
	char addr[INET6_ADDRSTRLEN], command[128];

	addr_of(addr, sizeof(addr), request);
	uea_addr_command(command, sizeof(command), addr, scope);
	if (find_vrf(addr, dev, vrf))
		uea_fail(0, "fep %s: addr %s is in the VRF %s, and FEPs are outside of VRFs only: ip link set dev %s nomaster",
			 name_of(request), addr, vrf, dev);
	else if (uea_is_local(addr, scope))
		uea_fail(0, "fep %s: addr %s is tentative, or another host has it: ip address show to %s",
			 name_of(request), addr, addr);
	else
		uea_fail(0, "fep %s: addr %s is no address of this namespace: %s",
			 name_of(request), addr, command);
	return true;
}

static bool explain_port(const struct nlmsghdr *request)
{
	const struct nlattr *attr = find_attr(request, UET_A_FEP_PORT);
	unsigned int port = attr ? mnl_attr_get_u16(attr) : UET_PORT_DEFAULT;
	char addr[INET6_ADDRSTRLEN];

	addr_of(addr, sizeof(addr), request);
	uea_fail(0, "fep %s: another socket has UDP port %u of %s: ss -ulnp sport = %u",
		 name_of(request), port, addr, port);
	return true;
}

/* The rail that has no space for longer headers. */
static bool explain_credit(const struct nlmsghdr *request,
			   struct json_object *feps, struct json_object *rails)
{
	struct json_object *fep = NULL, *rail;
	uint64_t need;
	size_t i;

	for (i = 0; i < json_object_array_length(feps); i++) {
		fep = json_object_array_get_idx(feps, i);
		if (!strcmp(uea_text_of(fep, "name"), name_of(request)))
			break;
		fep = NULL;
	}
	need = fep ? uea_number_of(fep, "need-mtu") + UET_REQ_CC_LEN -
		     UET_REQ_LEN : 0;
	for (i = 0; fep && i < json_object_array_length(rails); i++) {
		rail = json_object_array_get_idx(rails, i);
		if (!uea_has_name(fep, "rails", "dev",
				  uea_text_of(rail, "dev")) ||
		    uea_number_of(rail, "mtu") >= need ||
		    uea_number_of(rail, "mtu") < uea_number_of(fep, "need-mtu"))
			continue;
		uea_fail(0, "fep %s: cc with rccc adds 4 bytes to packets: rail %s has MTU %s, they need %u: ip link set dev %s mtu %u",
			 name_of(request), uea_text_of(rail, "dev"),
			 uea_text_of(rail, "mtu"), (unsigned int)need,
			 uea_text_of(rail, "dev"), (unsigned int)need);
		return true;
	}
	return false;
}

/**
 * uea_conflict_explain() - name what a FEP collides with
 * @ctx: run
 * @request: what was refused
 * @text: text of the kernel
 *
 * Return: whether a message was printed instead of @text.
 */
bool uea_conflict_explain(struct uea_ctx *ctx, const struct nlmsghdr *request,
			  const char *text)
{
	struct json_object *feps = NULL, *rails = NULL;
	bool is_explained = false;

	if (strstr(text, "addr and port"))
		return explain_port(request);
	if (strstr(text, "addr is no address"))
		return explain_foreign(request);
	if (!strstr(text, "has this addr") && !strstr(text, "different planes") &&
	    !strstr(text, "cc with rccc"))
		return false;
	if (uea_dump(ctx, &uea_fep, &feps) || uea_dump(ctx, &uea_rail, &rails))
		goto out;
	if (strstr(text, "has this addr"))
		is_explained = explain_addr(request, feps);
	else if (strstr(text, "different planes"))
		is_explained = explain_planes(request, rails);
	else
		is_explained = explain_credit(request, feps, rails);
out:
	json_object_put(feps);
	json_object_put(rails);
	return is_explained;
}
