// SPDX-License-Identifier: GPL-2.0
/*
 * Retransmissions over UET: the counter of the network namespace, over generic netlink,
 * which anybody may read.  Level: tool.
 */
#include <inttypes.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "net_uet.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE	71
#endif

#define BUF_SIZE	8192

/**
 * struct question - a request, and the value that the answer has
 * @cmd: command
 * @name_attr: attribute of @name
 * @name: of the object
 * @kind_attr: attribute of @kind, 0: none
 * @kind: of the object
 * @value_attr: attribute of @value
 * @value: the answer, 0 without
 */
struct question {
	uint8_t cmd;
	int name_attr;
	const char *name;
	int kind_attr;
	uint8_t kind;
	int value_attr;
	uint64_t value;
};

static int answer_take(const struct nlmsghdr *nlh, void *data)
{
	struct question *q = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != q->value_attr)
			continue;
		q->value = mnl_attr_get_payload_len(attr) == sizeof(uint64_t) ?
			   mnl_attr_get_u64(attr) : mnl_attr_get_u16(attr);
	}
	return MNL_CB_OK;
}

/* Return: the value, or 0. */
static uint64_t ask(struct mnl_socket *nl, uint16_t family, struct question q)
{
	char buf[BUF_SIZE];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;
	ssize_t len;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = q.cmd;
	genl->version = 1;
	mnl_attr_put_strz(nlh, q.name_attr, q.name);
	if (q.kind_attr)
		mnl_attr_put_u8(nlh, q.kind_attr, q.kind);
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return 0;
	do {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
	} while (len > 0 && mnl_cb_run(buf, len, 0, 0, answer_take, &q) > 0);
	return q.value;
}

/**
 * uet_counter_open() - be ready to read it
 * @u: rank
 *
 * A rank without it reports no retransmissions.
 */
void uet_counter_open(struct uet *u)
{
	u->nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!u->nl || mnl_socket_bind(u->nl, 0, MNL_SOCKET_AUTOPID))
		return;
	u->genl = ask(u->nl, GENL_ID_CTRL, (struct question){
			.cmd = CTRL_CMD_GETFAMILY,
			.name_attr = CTRL_ATTR_FAMILY_NAME, .name = UET_FAMILY_NAME,
			.value_attr = CTRL_ATTR_FAMILY_ID,
		      });
}

/**
 * uet_counter_close() - end that
 * @u: rank
 */
void uet_counter_close(struct uet *u)
{
	if (u->nl)
		mnl_socket_close(u->nl);
}

/* A number of this boot of this machine. */
static uint64_t machine(void)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	uint64_t id = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%" SCNx64, &id) != 1)
		id = 0;
	fclose(f);
	return id << 32;
}

/**
 * uet_retransmissions() - packets that this namespace has sent again
 * @net: rank
 * @whose: returns a number of the namespace
 *
 * Return: number since the namespace was made.
 */
uint64_t uet_retransmissions(struct net *net, uint64_t *whose)
{
	struct uet *u = uet_of(net);
	socklen_t len = sizeof(*whose);

	*whose = 0;
	if (!u->genl)
		return 0;
	if (getsockopt(u->fd, SOL_SOCKET, SO_NETNS_COOKIE, whose, &len))
		*whose = 0;
	else
		*whose += machine();
	return ask(u->nl, u->genl, (struct question){
			.cmd = UET_CMD_STATS_GET,
			.name_attr = UET_A_STATS_NAME, .name = "tx-retx",
			.kind_attr = UET_A_STATS_KIND, .kind = UET_COUNTER_KIND_MIB,
			.value_attr = UET_A_STATS_VALUE,
		   });
}
