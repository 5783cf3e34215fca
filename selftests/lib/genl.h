/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of the genetlink family "uet" and their answers, for tests in which
 * a system call may fail for want of memory: a failure is an answer, too, and
 * nothing here allocates.  How requests are written is nlreq.h's.  Level: test.
 */
#ifndef UET_SELFTESTS_GENL_H
#define UET_SELFTESTS_GENL_H

#include <linux/uet_nl.h>

#include "nlreq.h"

/**
 * struct genl_answer - what came back
 * @error: errno, 0 if the request was granted
 * @is_unknown: it is the reading of the answer that failed: the request may
 *	have been granted all the same
 * @messages: that came before the end
 */
struct genl_answer {
	int error;
	bool is_unknown;
	int messages;
};

static uint16_t genl_family;
/* Its groups, and how many there are. */
static uint32_t genl_groups[8];
static unsigned int genl_nr_groups;

/* Begin a request that is acknowledged only if @flags say so. */
static inline void genl_begin(struct nlreq *req, uint16_t family, uint8_t cmd,
			      uint16_t flags)
{
	nlreq_begin_genl(req, family, cmd, 0);
	req->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
}

/*
 * Look for an attribute among those in @len bytes.  Return: NULL if it is not
 * there.
 */
static inline const struct nlattr *genl_find(const void *attrs, size_t len,
					     uint16_t type)
{
	const struct nlattr *attr = attrs;
	size_t step;

	while (len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN &&
	       attr->nla_len <= len) {
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		step = NLA_ALIGN(attr->nla_len);
		len = len > step ? len - step : 0;
		attr = (const void *)((const char *)attr + step);
	}
	return NULL;
}

/* The same in a message of a family. */
static inline const struct nlattr *genl_find_in(const struct nlmsghdr *nlh,
						uint16_t type)
{
	const char *attrs = (const char *)NLMSG_DATA(nlh) + GENL_HDRLEN;

	return genl_find(attrs, nlh->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN),
			 type);
}

static inline uint32_t genl_u32(const struct nlattr *attr)
{
	return *(const uint32_t *)(attr + 1);
}

/* Read the messages of one recv(). Return: the last one was among them. */
static inline bool genl_read(const char *buf, ssize_t left,
			     struct genl_answer *answer,
			     void (*seen)(const struct nlmsghdr *nlh))
{
	const struct nlmsghdr *nlh = (const void *)buf;

	for (; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left)) {
		/* Both begin with a number that is 0 or a negative errno. */
		if (nlh->nlmsg_type == NLMSG_ERROR ||
		    nlh->nlmsg_type == NLMSG_DONE) {
			answer->error = -*(const int *)NLMSG_DATA(nlh);
			return true;
		}
		answer->messages++;
		if (seen)
			seen(nlh);
	}
	return false;
}

/* Send a request and read all that comes back; a message per @seen, if any. */
static inline struct genl_answer
genl_ask(int fd, struct nlreq *req,
	 void (*seen)(const struct nlmsghdr *nlh))
{
	static char buf[65536];
	struct genl_answer answer = { .error = 0 };
	ssize_t len;

	if (send(fd, req, req->nlh.nlmsg_len, 0) < 0) {
		answer.error = errno;
		return answer;
	}
	do {
		len = recv(fd, buf, sizeof(buf), 0);
		if (len < 0) {
			answer.error = errno;
			answer.is_unknown = true;
			return answer;
		}
	} while (!genl_read(buf, len, &answer, seen));
	return answer;
}

static inline void genl_family_seen(const struct nlmsghdr *nlh)
{
	const struct nlattr *id = genl_find_in(nlh, CTRL_ATTR_FAMILY_ID);
	const struct nlattr *groups = genl_find_in(nlh, CTRL_ATTR_MCAST_GROUPS);
	const struct nlattr *one;
	size_t left, step;

	if (!id || !groups)
		return;
	genl_family = *(const uint16_t *)(id + 1);
	left = groups->nla_len - NLA_HDRLEN;
	for (one = groups + 1; left >= NLA_HDRLEN; left -= step) {
		ASSERT(genl_nr_groups < sizeof(genl_groups) / sizeof(uint32_t));
		genl_groups[genl_nr_groups++] =
			genl_u32(genl_find(one + 1, one->nla_len - NLA_HDRLEN,
					   CTRL_ATTR_MCAST_GRP_ID));
		step = NLA_ALIGN(one->nla_len);
		ASSERT(step && step <= left);
		one = (const void *)((const char *)one + step);
	}
}

/* Learn the numbers of the family. */
static inline void genl_resolve(int fd)
{
	struct nlreq req;

	genl_nr_groups = 0;
	genl_begin(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	nlreq_put_string(&req, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME);
	if (genl_ask(fd, &req, genl_family_seen).error == ENOENT)
		SKIP("the uet module is not loaded");
	ASSERT(genl_family);
	ASSERT(genl_nr_groups);
}

/* Return: a socket that receives all events, after genl_resolve(). */
static inline int genl_listen(void)
{
	int fd = nlreq_open(NETLINK_GENERIC);
	unsigned int i;

	for (i = 0; i < genl_nr_groups; i++)
		ASSERT_SYS(setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
				      &genl_groups[i], sizeof(genl_groups[i])));
	return fd;
}

#endif
