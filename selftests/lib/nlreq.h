/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink requests written attribute by attribute, and their answers: enough of
 * rtnetlink and generic netlink to make links, addresses, routes and rails
 * without a process for each.  A request is acknowledged or refused, and that
 * is what nlreq_ask() returns.  It knows nothing about UET.  Level: test.
 */
#ifndef UET_SELFTESTS_NLREQ_H
#define UET_SELFTESTS_NLREQ_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <sys/socket.h>

#include "harness.h"

/* A request being written. */
struct nlreq {
	struct nlmsghdr nlh;
	char body[2048];
};

/* The reply: how many messages, and the last of them. */
struct nlreply {
	int messages;
	struct nlreq last;
};

static inline void nlreq_begin(struct nlreq *req, uint16_t type,
			       uint16_t flags, const void *head, size_t len)
{
	memset(req, 0, sizeof(*req));
	req->nlh.nlmsg_len = NLMSG_LENGTH(len);
	req->nlh.nlmsg_type = type;
	req->nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	memcpy(NLMSG_DATA(&req->nlh), head, len);
}

static inline void nlreq_begin_genl(struct nlreq *req, uint16_t family,
				    uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = 1 };

	nlreq_begin(req, family, flags, &genl, sizeof(genl));
}

/* Space at the end of the request; a header of a nested message, for instance. */
static inline void *nlreq_append(struct nlreq *req, const void *data,
				 size_t len)
{
	void *end = (char *)req + NLMSG_ALIGN(req->nlh.nlmsg_len);

	ASSERT(NLMSG_ALIGN(req->nlh.nlmsg_len) + len <= sizeof(*req));
	memcpy(end, data, len);
	req->nlh.nlmsg_len = NLMSG_ALIGN(req->nlh.nlmsg_len) + len;
	return end;
}

static inline void nlreq_put(struct nlreq *req, uint16_t type,
			     const void *data, size_t len)
{
	struct nlattr attr = {
		.nla_type = type, .nla_len = NLA_HDRLEN + len };

	nlreq_append(req, &attr, sizeof(attr));
	nlreq_append(req, data, len);
}

static inline void nlreq_put_u32(struct nlreq *req, uint16_t type,
				 uint32_t value)
{
	nlreq_put(req, type, &value, sizeof(value));
}

static inline void nlreq_put_u16(struct nlreq *req, uint16_t type,
				 uint16_t value)
{
	nlreq_put(req, type, &value, sizeof(value));
}

static inline void nlreq_put_string(struct nlreq *req, uint16_t type,
				    const char *text)
{
	nlreq_put(req, type, text, strlen(text) + 1);
}

/* Attributes from here to nlreq_nest_end() are inside this one. */
static inline struct nlattr *nlreq_nest(struct nlreq *req, uint16_t type)
{
	struct nlattr attr = { .nla_type = type, .nla_len = NLA_HDRLEN };

	return nlreq_append(req, &attr, sizeof(attr));
}

static inline void nlreq_nest_end(struct nlreq *req, struct nlattr *nest)
{
	nest->nla_len = (char *)req + req->nlh.nlmsg_len - (char *)nest;
}

static inline int nlreq_open(int protocol)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	ASSERT_SYS(fd);
	ASSERT_SYS(bind(fd, (void *)&addr, sizeof(addr)));
	return fd;
}

/* Return: the request was answered to its end; @error says how. */
static inline bool nlreq_take(const struct nlmsghdr *nlh,
			      struct nlreply *reply, int *error)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);

	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		*error = -err->error;
		return true;
	case NLMSG_DONE:
		*error = 0;
		return true;
	}
	if (reply) {
		reply->messages++;
		if (nlh->nlmsg_len <= sizeof(reply->last))
			memcpy(&reply->last, nlh, nlh->nlmsg_len);
	}
	return false;
}

/* Send a request and read its answer. Return: 0 or an errno. */
static inline int nlreq_ask(int fd, struct nlreq *req, struct nlreply *reply)
{
	static uint32_t seq;
	static char buf[65536];
	const struct nlmsghdr *nlh;
	ssize_t left;
	int error;

	req->nlh.nlmsg_seq = ++seq;
	if (reply)
		memset(reply, 0, sizeof(*reply));
	ASSERT_EQ(send(fd, req, req->nlh.nlmsg_len, 0), req->nlh.nlmsg_len);
	for (;;) {
		left = recv(fd, buf, sizeof(buf), 0);
		ASSERT_SYS(left);
		for (nlh = (void *)buf; NLMSG_OK(nlh, left);
		     nlh = NLMSG_NEXT(nlh, left))
			if (nlh->nlmsg_seq == seq &&
			    nlreq_take(nlh, reply, &error))
				return error;
	}
}

/* An attribute of a message that has a header of @head bytes, or NULL. */
static inline const void *nlreq_find(const struct nlmsghdr *nlh, size_t head,
				     uint16_t type)
{
	const char *pos = (const char *)NLMSG_DATA(nlh) + NLMSG_ALIGN(head);
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;

	while (pos + NLA_HDRLEN <= end) {
		attr = (const void *)pos;
		if (attr->nla_len < NLA_HDRLEN)
			break;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr + 1;
		pos += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

/* The number of a generic netlink family, 0 if there is none. */
static inline uint16_t nlreq_family(int fd, const char *name)
{
	struct nlreply reply;
	struct nlreq req;
	const uint16_t *id;

	nlreq_begin_genl(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	nlreq_put_string(&req, CTRL_ATTR_FAMILY_NAME, name);
	if (nlreq_ask(fd, &req, &reply))
		return 0;
	id = nlreq_find(&reply.last.nlh, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	return id ? *id : 0;
}

#endif
