// SPDX-License-Identifier: GPL-2.0
/*
 * Communication with the kernel: the genl family, requests, dumps, events, and
 * messages for refusals (NLMSGERR_ATTR_MSG and NLMSGERR_ATTR_OFFS).
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK	270
#endif

#define NL_RECV_BUF	65536	/* size of the kernel's dump messages */
#define NL_DUMP_TRIES	10
#define REFUSAL_TEXT_MAX 256	/* the kernel has less */

/* Besides an exit status, reading an answer can end in these. */
#define NL_MORE		(-1)	/* there is more to read */
#define NL_AGAIN	(-2)	/* the dump was interrupted, ask again */

/**
 * uea_nl_request() - begin a request
 * @ctx: run
 * @buf: UEA_NL_BUF bytes
 * @cmd: UET_CMD_*
 *
 * Return: message to add attributes to.
 */
struct nlmsghdr *uea_nl_request(struct uea_ctx *ctx, char *buf, uint8_t cmd)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = UET_FAMILY_VERSION;
	return nlh;
}

struct refusal {
	const char *text;
	const struct nlattr *attr;
};

/* Where the extended acknowledgement of an error message begins. */
static size_t refusal_offset(const struct nlmsghdr *nlh,
			     const struct nlmsgerr *err)
{
	size_t offset = sizeof(*err);

	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += mnl_nlmsg_get_payload_len(&err->msg);
	return offset;
}

static void refusal_read(const struct nlmsghdr *nlh,
			 const struct nlmsghdr *request,
			 struct refusal *refusal)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	uint32_t offset;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	mnl_attr_for_each(attr, nlh, refusal_offset(nlh, err)) {
		switch (mnl_attr_get_type(attr)) {
		case NLMSGERR_ATTR_MSG:
			if (!mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
				refusal->text = mnl_attr_get_str(attr);
			break;
		case NLMSGERR_ATTR_OFFS:
			if (mnl_attr_validate(attr, MNL_TYPE_U32))
				break;
			offset = mnl_attr_get_u32(attr);
			if (offset + sizeof(*attr) <= request->nlmsg_len)
				refusal->attr = (const void *)
						((const char *)request + offset);
			break;
		}
	}
}

static bool is_change(const struct uea_ctx *ctx)
{
	return !ctx->object->is_verb &&
	       !(ctx->verb && !strcmp(ctx->verb->name, "show"));
}

/* Name the object, which is missing or exists.  The text may begin with its kind. */
static int refuse_named(const struct uea_ctx *ctx,
			  const struct nlmsghdr *request,
			  const struct refusal *refusal)
{
	size_t length = strlen(ctx->object->name);
	const char *text = refusal->text;
	char subject[256];

	if (!strncmp(text, ctx->object->name, length) && text[length] == ':')
		text += length + strspn(text + length, ": ");
	uea_subject(subject, sizeof(subject), ctx, request, refusal->attr);
	return uea_fail(0, "%s: %s", subject, text);
}

static int refuse(struct uea_ctx *ctx, const struct nlmsghdr *nlh,
		  const struct nlmsghdr *request)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	struct refusal refusal = { .text = NULL };
	const char *object = ctx->object->name;
	const struct uea_param *param;
	char text[REFUSAL_TEXT_MAX];
	int error;

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(*err)))
		return uea_fail(EBADMSG, "%s", object);
	refusal_read(nlh, request, &refusal);
	error = -err->error;
	/* An explanation asks the kernel, whose answers take the place of this one. */
	if (refusal.text) {
		snprintf(text, sizeof(text), "%s", refusal.text);
		refusal.text = text;
	}
	if (refusal.text && ctx->verb && ctx->verb->explain &&
	    ctx->verb->explain(ctx, request, refusal.text))
		return UEA_FAILED;
	param = uea_param_of(ctx->verb, refusal.attr);
	/* The one refusal by genetlink itself, before the module is called. */
	if (!refusal.text && error == EPERM)
		refusal.text = is_change(ctx) ? "changes need CAP_NET_ADMIN" :
						"it needs CAP_NET_ADMIN";
	if (!refusal.text)
		return uea_fail(error, "%s", object);
	if (error == ENOENT || error == ENODEV || error == EEXIST)
		return refuse_named(ctx, request, &refusal);
	if (!strncmp(refusal.text, object, strlen(object)))
		return uea_fail(error, "%s", refusal.text);
	if (param)
		return uea_fail(error, "%s: %s: %s", object,
				param->word ? param->word : param->value,
				refusal.text);
	return uea_fail(error, "%s: %s", object, refusal.text);
}

static int dump_end(const struct uea_ctx *ctx, const struct nlmsghdr *nlh)
{
	const char *text = ctx->object->name;
	const struct nlattr *attr;
	int error = 0;

	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_for_each(attr, nlh, sizeof(error))
			if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
			    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
				text = mnl_attr_get_str(attr);
	return error < 0 ? uea_fail(-error, "%s", text) : UEA_OK;
}

/* One message of an answer. */
static int answer_read(struct uea_ctx *ctx, const struct nlmsghdr *nlh,
		       const struct nlmsghdr *request, mnl_cb_t cb, void *data)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		return NL_AGAIN;
	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		return err->error ? refuse(ctx, nlh, request) : UEA_OK;
	case NLMSG_DONE:
		return dump_end(ctx, nlh);
	}
	if (cb && cb(nlh, data) == MNL_CB_ERROR)
		return uea_fail(EBADMSG, "%s: answer not understood",
				ctx->object->name);
	return NL_MORE;
}

static int answers_read(struct uea_ctx *ctx, const struct nlmsghdr *request,
			mnl_cb_t cb, void *data)
{
	static char buf[NL_RECV_BUF];
	const struct nlmsghdr *nlh;
	int left, status;

	for (;;) {
		left = mnl_socket_recvfrom(ctx->nl, buf, sizeof(buf));
		if (left < 0)
			return uea_fail(errno, "reading from the kernel");
		for (nlh = (const struct nlmsghdr *)buf;
		     mnl_nlmsg_ok(nlh, left);
		     nlh = mnl_nlmsg_next(nlh, &left)) {
			if (nlh->nlmsg_seq != request->nlmsg_seq)
				continue;
			status = answer_read(ctx, nlh, request, cb, data);
			if (status != NL_MORE)
				return status;
		}
	}
}

/**
 * uea_nl_send() - send a request without waiting for the answer
 * @ctx: run
 * @nlh: request, which may have been begun before the socket was opened; gets the
 *	family and the next sequence number
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_nl_send(struct uea_ctx *ctx, struct nlmsghdr *nlh)
{
	nlh->nlmsg_type = ctx->family;
	nlh->nlmsg_seq = ++ctx->seq;
	if (mnl_socket_sendto(ctx->nl, nlh, nlh->nlmsg_len) < 0)
		return uea_fail(errno, "writing to the kernel");
	return UEA_OK;
}

static int talk_once(struct uea_ctx *ctx, struct nlmsghdr *nlh, mnl_cb_t cb,
		     void *data)
{
	int status = uea_nl_send(ctx, nlh);

	return status ? status : answers_read(ctx, nlh, cb, data);
}

/**
 * uea_nl_take() - read the kernel's answers to requests
 * @ctx: run; there is something to read on its socket
 * @request: one of those that were sent, all with the same attributes
 * @cb: gets each message that is no acknowledgment; of a refusal, which has been
 *	printed, it gets the error message
 * @data: for @cb
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_nl_take(struct uea_ctx *ctx, const struct nlmsghdr *request,
		void (*cb)(const struct nlmsghdr *nlh, bool is_refused,
			   void *data), void *data)
{
	static char buf[NL_RECV_BUF];
	const struct nlmsghdr *nlh;
	const struct nlmsgerr *err;
	int left;

	left = mnl_socket_recvfrom(ctx->nl, buf, sizeof(buf));
	if (left < 0)
		return uea_fail(errno, "reading from the kernel");
	for (nlh = (const struct nlmsghdr *)buf; mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left)) {
		err = mnl_nlmsg_get_payload(nlh);
		if (nlh->nlmsg_type != NLMSG_ERROR) {
			cb(nlh, false, data);
		} else if (err->error) {
			refuse(ctx, nlh, request);
			cb(nlh, true, data);
		}
	}
	return UEA_OK;
}

/**
 * uea_nl_talk() - send a request and read all answers
 * @ctx: run
 * @nlh: request; with NLM_F_DUMP, a dump
 * @cb: receives each message; nlh NULL means that all earlier messages
 *	are void, because the configuration has changed and the dump begins again
 * @data: for @cb
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_nl_talk(struct uea_ctx *ctx, struct nlmsghdr *nlh, mnl_cb_t cb,
		void *data)
{
	int tries, status;

	for (tries = 0; tries < NL_DUMP_TRIES; tries++) {
		status = talk_once(ctx, nlh, cb, data);
		if (status != NL_AGAIN)
			return status;
		if (cb)
			cb(NULL, data);
	}
	return uea_fail(EINTR, "%s: changes faster than it can be shown",
			ctx->object->name);
}

static int group_cb(const struct nlattr *attr, void *data)
{
	struct uea_group group = { .name = "" };
	struct uea_ctx *ctx = data;
	const struct nlattr *one;

	mnl_attr_for_each_nested(one, attr) {
		if (mnl_attr_get_type(one) == CTRL_ATTR_MCAST_GRP_ID)
			group.id = mnl_attr_get_u32(one);
		if (mnl_attr_get_type(one) == CTRL_ATTR_MCAST_GRP_NAME)
			snprintf(group.name, sizeof(group.name), "%s",
				 mnl_attr_get_str(one));
	}
	if (ctx->nr_groups < UEA_GROUPS_MAX)
		ctx->groups[ctx->nr_groups++] = group;
	return MNL_CB_OK;
}

static int family_cb(const struct nlmsghdr *nlh, void *data)
{
	struct uea_ctx *ctx = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			ctx->family = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_parse_nested(attr, group_cb, ctx);
	}
	return MNL_CB_STOP;
}

static int family_find(struct uea_ctx *ctx)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;
	int size, status;

	ctx->family = GENL_ID_CTRL;
	ctx->nr_groups = 0;
	nlh = uea_nl_request(ctx, buf, CTRL_CMD_GETFAMILY);
	nlh->nlmsg_flags = NLM_F_REQUEST;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME);
	status = uea_nl_send(ctx, nlh);
	if (status)
		return status;

	size = mnl_socket_recvfrom(ctx->nl, buf, sizeof(buf));
	if (size < 0)
		return uea_fail(errno, "reading from the kernel");
	if (mnl_cb_run(buf, size, ctx->seq, mnl_socket_get_portid(ctx->nl),
		       family_cb, ctx) < 0)
		return errno == ENOENT ?
		       uea_fail(0, "the uet module is not loaded (modprobe uet)") :
		       uea_fail(errno, "asking for the netlink family \"%s\"",
				UET_FAMILY_NAME);
	return UEA_OK;
}

static int nl_open(struct uea_ctx *ctx)
{
	static const int options[] = {
		NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK,
	};
	int on = 1;
	size_t i;

	ctx->nl = mnl_socket_open(NETLINK_GENERIC);
	if (!ctx->nl || mnl_socket_bind(ctx->nl, 0, MNL_SOCKET_AUTOPID) < 0)
		return uea_fail(errno, "opening a netlink socket");
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (mnl_socket_setsockopt(ctx->nl, options[i], &on,
					  sizeof(on)) < 0)
			return uea_fail(errno, "setting up a netlink socket");
	}
	ctx->seq = time(NULL);
	return family_find(ctx);
}

/**
 * uea_nl_close() - the next request looks for the module again
 * @ctx: run
 */
void uea_nl_close(struct uea_ctx *ctx)
{
	if (ctx->nl)
		mnl_socket_close(ctx->nl);
	ctx->nl = NULL;
}

/**
 * uea_nl_open() - find the module, unless already done
 * @ctx: run; its socket and numbers are set
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_nl_open(struct uea_ctx *ctx)
{
	int status;

	if (ctx->nl)
		return UEA_OK;
	status = nl_open(ctx);
	if (status)
		uea_nl_close(ctx);
	return status;
}

static int join_groups(struct uea_ctx *ctx,
		       bool (*is_wanted)(const char *group, void *data),
		       void *data)
{
	const struct uea_group *group;
	bool is_any = false;
	unsigned int i;

	for (i = 0; i < ctx->nr_groups; i++) {
		group = &ctx->groups[i];
		if (!is_wanted(group->name, data))
			continue;
		is_any = true;
		if (mnl_socket_setsockopt(ctx->nl, NETLINK_ADD_MEMBERSHIP,
					  (void *)&group->id,
					  sizeof(group->id)) >= 0)
			continue;
		return errno == EPERM ?
		       uea_fail(0, "monitor: events of group %s need CAP_NET_ADMIN; without it, name the other kinds: monitor rail fep job",
				group->name) :
		       uea_fail(errno, "joining the event group %s",
				group->name);
	}
	return is_any ? UEA_OK :
	       uea_fail(0, "monitor: the module does not report these events");
}

/**
 * uea_nl_watch() - read events, for ever
 * @ctx: run
 * @is_wanted: whether to listen to a group of this name
 * @cb: gets each message
 * @data: for @is_wanted and @cb
 *
 * Return: UEA_FAILED with a message printed.
 */
int uea_nl_watch(struct uea_ctx *ctx,
		 bool (*is_wanted)(const char *group, void *data),
		 mnl_cb_t cb, void *data)
{
	static char buf[NL_RECV_BUF];
	int size, status;

	status = join_groups(ctx, is_wanted, data);
	if (status)
		return status;
	for (;;) {
		size = mnl_socket_recvfrom(ctx->nl, buf, sizeof(buf));
		if (size < 0 && errno == ENOBUFS) {
			uea_fail(0, "events were lost");
			continue;
		}
		if (size < 0)
			return uea_fail(errno, "reading from the kernel");
		if (mnl_cb_run(buf, size, 0, 0, cb, data) < 0)
			return uea_fail(errno, "event not understood");
	}
}
