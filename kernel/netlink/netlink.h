/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal netlink interface: declarations shared by the handler files, and the
 * subscription to the events of fabric/event.h. Handler prototypes are in the
 * generated nl_gen.h.
 */
#ifndef UET_NETLINK_H
#define UET_NETLINK_H

#include <linux/xarray.h>
#include <net/genetlink.h>
#include <uapi/linux/uet_nl.h>

#include "base/base.h"

struct uet_fep;
struct uet_fep_settings;
struct uet_job;
struct uet_pdc_entry;
struct uet_net;
struct uet_pdc_info;
struct uet_rail;

/**
 * struct uet_nl_out - a message being written
 * @skb: destination buffer
 * @user_ns: user namespace for the ids of users and groups
 * @is_admin: the receiver has CAP_NET_ADMIN and may see what all users do; only in
 *	messages about endpoints, and for uet_nl_kind.is_visible
 * @uid: user who receives the message; as @is_admin
 * @un: namespace; as @is_admin
 */
struct uet_nl_out {
	struct sk_buff *skb;
	struct user_namespace *user_ns;
	bool is_admin;
	kuid_t uid;
	const struct uet_net *un;
};

/*
 * Writes the attributes of an object after an existing header. Under
 * rcu_read_lock() or uet_net.cfg_mutex. Returns 0, or -EMSGSIZE if the
 * attributes do not fit.
 */
typedef int (*uet_nl_fill_t)(const struct uet_nl_out *out, const void *object);

/**
 * struct uet_nl_kind - how one kind of configured object is written
 * @cmd: command of its messages, UET_CMD_*_GET
 * @fill: writes one object
 * @is_visible: may the receiver see the object; NULL: everybody may
 */
struct uet_nl_kind {
	u8 cmd;
	uet_nl_fill_t fill;
	bool (*is_visible)(const struct uet_nl_out *out, const void *object);
};

extern struct genl_family uet_nl_family;
/*
 * Dumps the objects of one FEP from position cb->args[1], which it advances.
 * Under rcu_read_lock(). Returns 0 after the last object, -EMSGSIZE when @out
 * is full.
 */
typedef int (*uet_nl_dump_fep_t)(const struct uet_nl_out *out,
				 struct netlink_callback *cb,
				 struct uet_fep *fep);

struct uet_net *uet_nl_net(struct genl_info *info);
int uet_nl_get_name(struct genl_info *info, const struct nlattr *attr,
		    char *name);
int uet_nl_put_fa(struct sk_buff *skb, const struct uet_fa *fa,
		  int attr4, int attr6);
struct sk_buff *uet_nl_reply_begin(struct genl_info *info, u8 cmd, void **hdr);
int uet_nl_reply_end(struct genl_info *info, struct sk_buff *skb, void *hdr,
		     int err);
struct uet_nl_out uet_nl_out_to(struct sk_buff *request, const struct uet_net *un);
int uet_nl_reply(struct genl_info *info, struct sk_buff *request,
		 const struct uet_nl_kind *kind, const void *object);
struct uet_net *uet_nl_dump_begin(struct netlink_callback *cb);
void *uet_nl_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
int uet_nl_dump_xa(struct sk_buff *skb, struct netlink_callback *cb,
		   const struct uet_nl_kind *kind, struct xarray *objects);

/* nl_dump.c */
int uet_nl_put_pdc(struct sk_buff *skb, const char *fep,
		   const struct uet_fa *peer, const struct uet_pdc_info *info);
int uet_nl_put_pdc_times(struct sk_buff *skb, const struct uet_pdc_info *info,
			 u32 messages, u64 now);
int uet_nl_dump_feps(struct sk_buff *skb, struct netlink_callback *cb,
		     uet_nl_dump_fep_t dump);
struct uet_fep *uet_nl_dump_find_fep(struct genl_info *info,
				     const struct nlattr *name);
struct uet_fa uet_nl_get_peer(const struct nlattr *addr4,
			      const struct nlattr *addr6,
			      const struct uet_fep *fep);

/* nl_fep_set.c */
int uet_nl_put_settings(struct sk_buff *skb,
			const struct uet_fep_settings *settings);
int uet_nl_get_settings(struct genl_info *info,
			struct uet_fep_settings *settings);

/* nl_event.c */
void uet_nl_notify(struct uet_net *un, u8 cmd, uet_nl_fill_t fill,
		   const void *object, gfp_t gfp);

void uet_nl_notify_rail(u8 cmd, const struct uet_rail *rail);
void uet_nl_notify_fep(u8 cmd, const struct uet_fep *fep);
void uet_nl_notify_job(u8 cmd, const struct uet_job *job);

int uet_nl_init(void);
void uet_nl_fini(void);

#endif
