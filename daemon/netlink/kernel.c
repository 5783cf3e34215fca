// SPDX-License-Identifier: GPL-2.0
/*
 * Communication with the module by libnl: the family, dumps, requests, and the
 * message that accompanies a refusal.  kernel_msg.c knows the contents of
 * messages.  Level: tool.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel.h"
#include "kernel_msg.h"

#define DUMP_TRIES	10

/* Result of a dump. */
struct dump {
	struct uetd_model *model;
	bool is_bad;
};

__attribute__((format(printf, 3, 4)))
static bool fail(struct uetd_kernel *kernel, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(kernel->error, sizeof(kernel->error), fmt, args);
	va_end(args);
	kernel->code = code;
	return false;
}

/* Where the extended acknowledgement of an error message begins. */
static int refusal_offset(const struct nlmsghdr *nlh,
			  const struct nlmsgerr *err)
{
	int offset = sizeof(*err);

	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	return offset;
}

/* An error message: keep its text. */
static int take_refusal(struct sockaddr_nl *from, struct nlmsgerr *err,
			void *data)
{
	struct nlmsghdr *nlh = (void *)((char *)err - NLMSG_HDRLEN);
	struct uetd_kernel *kernel = data;
	const char *text = NULL;
	struct nlattr *attr;
	int offset, rest;

	(void)from;
	offset = refusal_offset(nlh, err);
	rest = nlmsg_datalen(nlh) - offset;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && rest > 0) {
		nla_for_each_attr(attr, (void *)((char *)err + offset), rest,
				  rest) {
			if (nla_type(attr) == NLMSGERR_ATTR_MSG)
				text = nla_get_string(attr);
		}
	}
	if (!text && err->error == -EPERM)
		text = "changes need CAP_NET_ADMIN";
	fail(kernel, -err->error, "%s%s%s", text ? text : "",
	     text ? ": " : "", strerror(-err->error));
	return NL_STOP;
}

static int set_option(struct nl_sock *sock, int option)
{
	int on = 1;

	return setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, option, &on,
			  sizeof(on)) ? -nl_syserr2nlerr(errno) : 0;
}

/*
 * Events of the generic netlink controller report that the module was loaded,
 * possibly another version.
 */
static int open_events(struct uetd_kernel *kernel)
{
	int status;

	kernel->events = nl_socket_alloc();
	if (!kernel->events)
		return -NLE_NOMEM;
	status = genl_connect(kernel->events);
	if (status >= 0)
		status = genl_ctrl_resolve_grp(kernel->sock, "nlctrl", "notify");
	if (status >= 0)
		status = nl_socket_add_membership(kernel->events, status);
	if (status >= 0)
		status = nl_socket_set_nonblocking(kernel->events);
	return status;
}

/* Return: 0 or a negative libnl error. */
static int open_sockets(struct uetd_kernel *kernel)
{
	int status;

	kernel->sock = nl_socket_alloc();
	if (!kernel->sock)
		return -NLE_NOMEM;
	status = genl_connect(kernel->sock);
	if (status >= 0)
		status = set_option(kernel->sock, NETLINK_EXT_ACK);
	if (status >= 0)
		status = set_option(kernel->sock, NETLINK_CAP_ACK);
	return status < 0 ? status : open_events(kernel);
}

/**
 * uetd_kernel_open() - connect
 * @kernel: connection
 *
 * The module need not be there yet.
 *
 * Return: true; false, with an error.
 */
bool uetd_kernel_open(struct uetd_kernel *kernel)
{
	int status;

	memset(kernel, 0, sizeof(*kernel));
	status = open_sockets(kernel);
	if (status < 0)
		return fail(kernel, EIO, "opening a netlink socket: %s",
			    nl_geterror(status));
	nl_socket_modify_err_cb(kernel->sock, NL_CB_CUSTOM, take_refusal,
				kernel);
	return true;
}

/**
 * uetd_kernel_close() - disconnect
 * @kernel: connection
 */
void uetd_kernel_close(struct uetd_kernel *kernel)
{
	nl_socket_free(kernel->sock);
	nl_socket_free(kernel->events);
	nl_socket_free(kernel->changes);
	kernel->sock = NULL;
	kernel->events = NULL;
	kernel->changes = NULL;
}

/**
 * uetd_kernel_fd() - descriptor that is readable when the module is
 * loaded or unloaded
 * @kernel: connection
 *
 * Return: descriptor, for uetd_drain().
 */
int uetd_kernel_fd(const struct uetd_kernel *kernel)
{
	return nl_socket_get_fd(kernel->events);
}

/**
 * uetd_kernel_follow() - subscribe to changes of rails, FEPs and jobs
 * @kernel: connection
 *
 * Return: descriptor, for uetd_drain(); a negative errno.
 */
int uetd_kernel_follow(struct uetd_kernel *kernel)
{
	kernel->changes = nl_socket_alloc();
	if (!kernel->changes || genl_connect(kernel->changes) ||
	    nl_socket_set_nonblocking(kernel->changes))
		return -ENOMEM;
	nl_socket_disable_seq_check(kernel->changes);
	return nl_socket_get_fd(kernel->changes);
}

/*
 * Memberships end when the module is unloaded; subscribing again is harmless.
 * The group of PDC events is left out, because thousands of events per second
 * are possible.
 */
static void join_changes(struct uetd_kernel *kernel)
{
	static const char *const groups[] = { UET_MCGRP_MGMT, UET_MCGRP_RAIL };
	int group;
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		group = genl_ctrl_resolve_grp(kernel->sock, UET_FAMILY_NAME,
					      groups[i]);
		if (group >= 0)
			nl_socket_add_membership(kernel->changes, group);
	}
}

/* The family number may change each time the module is loaded. */
static bool find_family(struct uetd_kernel *kernel)
{
	kernel->family = genl_ctrl_resolve(kernel->sock, UET_FAMILY_NAME);
	if (kernel->family >= 0 && kernel->changes)
		join_changes(kernel);
	if (kernel->family >= 0)
		return true;
	return fail(kernel, ENOENT,
		    "the uet module is not loaded (modprobe uet)");
}

static struct nl_msg *new_request(struct uetd_kernel *kernel, int flags,
				  uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, kernel->family,
			       0, flags, cmd, UET_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	fail(kernel, ENOMEM, "no memory for a request");
	return NULL;
}

/* The message may contain a key, so it is overwritten. */
static void free_request(struct nl_msg *msg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	explicit_bzero(nlh, nlh->nlmsg_len);
	nlmsg_free(msg);
}

static int take_object(struct nl_msg *msg, void *data)
{
	struct dump *dump = data;

	if (!uetd_msg_read(dump->model, nlmsg_hdr(msg)))
		dump->is_bad = true;
	return NL_OK;
}

/* @take receives each answer; a dump may have been interrupted. */
static bool ask(struct uetd_kernel *kernel, int flags, uint8_t cmd,
		nl_recvmsg_msg_cb_t take, void *data, int *status)
{
	struct nl_msg *msg = new_request(kernel, flags, cmd);

	if (!msg)
		return false;
	kernel->code = 0;
	nl_socket_modify_cb(kernel->sock, NL_CB_VALID, NL_CB_CUSTOM, take,
			    data);
	*status = nl_send_auto(kernel->sock, msg);
	nlmsg_free(msg);
	if (*status >= 0)
		*status = nl_recvmsgs_default(kernel->sock);
	if (*status >= 0 || *status == -NLE_DUMP_INTR)
		return true;
	if (!kernel->code)
		fail(kernel, EIO, "asking the kernel: %s",
		     nl_geterror(*status));
	return false;
}

static bool dump_all(struct uetd_kernel *kernel, struct uetd_model *model,
		     bool *is_whole)
{
	static const uint8_t cmds[] = {
		UET_CMD_RAIL_GET, UET_CMD_SD_GET, UET_CMD_FEP_GET,
		UET_CMD_JOB_GET,
	};
	struct dump dump = { .model = model };
	int status;
	size_t i;

	for (i = 0; i < sizeof(cmds); i++) {
		if (!ask(kernel, NLM_F_DUMP, cmds[i], take_object, &dump,
			 &status))
			return false;
		if (status == -NLE_DUMP_INTR) {
			*is_whole = false;
			return true;
		}
	}
	*is_whole = true;
	return !dump.is_bad ||
	       fail(kernel, EBADMSG, "an answer of the kernel is not understood");
}

/**
 * uetd_kernel_read() - read the objects of the kernel
 * @kernel: connection
 * @model: filled in; empty after an error
 *
 * Return: true; false, with an error.
 */
bool uetd_kernel_read(struct uetd_kernel *kernel, struct uetd_model *model)
{
	bool is_whole = false;
	int tries;

	memset(model, 0, sizeof(*model));
	if (!find_family(kernel))
		return false;
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		if (!dump_all(kernel, model, &is_whole))
			break;
		if (is_whole)
			return true;
		uetd_model_free(model);
	}
	uetd_model_free(model);
	return tries < DUMP_TRIES ? false :
	       fail(kernel, EINTR, "the configuration changes faster than it can be read");
}

/**
 * uetd_kernel_change() - make one change
 * @kernel: connection
 * @op: the change
 *
 * Return: true; false, with an error.
 */
bool uetd_kernel_change(struct uetd_kernel *kernel, const struct uetd_op *op)
{
	struct nl_msg *msg = new_request(kernel, 0, uetd_msg_cmd(op->kind));
	int status;

	if (!msg)
		return false;
	if (!uetd_msg_write(msg, op)) {
		free_request(msg);
		return fail(kernel, EMSGSIZE, "a request does not fit a message");
	}
	kernel->code = 0;
	status = nl_send_auto(kernel->sock, msg);
	free_request(msg);
	if (status >= 0)
		status = nl_wait_for_ack(kernel->sock);
	if (status >= 0)
		return true;
	if (!kernel->code)
		fail(kernel, EIO, "asking the kernel: %s", nl_geterror(status));
	return false;
}

static int take_socket_family(struct nl_msg *msg, void *data)
{
	struct nlattr *attr = nlmsg_find_attr(nlmsg_hdr(msg), GENL_HDRLEN,
					      UET_A_FEATURES_FAMILY);
	int *family = data;

	if (attr && nla_len(attr) >= (int)sizeof(uint32_t))
		*family = nla_get_u32(attr);
	return NL_OK;
}

/**
 * uetd_kernel_socket_family() - number of AF_UET
 * @kernel: connection
 *
 * /proc has the number as well, but the service's /proc shows processes only.
 *
 * Return: the number; 0, with an error.
 */
int uetd_kernel_socket_family(struct uetd_kernel *kernel)
{
	int family = 0, status;

	if (!find_family(kernel) ||
	    !ask(kernel, 0, UET_CMD_FEATURES_GET, take_socket_family, &family,
		 &status))
		return 0;
	nl_wait_for_ack(kernel->sock);
	if (!family)
		fail(kernel, EBADMSG, "the kernel does not say which family AF_UET is");
	return family;
}
