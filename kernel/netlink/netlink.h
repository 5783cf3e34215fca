/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal netlink interface: what the files of the operations share.  The prototypes of the
 * operations are in the generated nl_gen.h.  Operations run in process context; they return 0, a
 * negative errno with an extack message, or, of a dump, the length of its message.
 */
#ifndef UET_NETLINK_H
#define UET_NETLINK_H

#include <linux/xarray.h>
#include <net/genetlink.h>
#include <uapi/linux/uet_nl.h>

#include "base/base.h"

struct uet_fep;
struct uet_fep_settings;
struct uet_net;

/*
 * struct uet_nl_out - a message being written
 * @user_ns: user namespace for the ids of users and groups
 * @un: namespace
 * @fep: the FEP of the object, if it is one of a FEP
 * @is_admin: the receiver has CAP_NET_ADMIN and may see what all users do; only with
 *	uet_nl_kind.is_visible
 * @uid: user who receives the message; as @is_admin
 */
struct uet_nl_out {
	struct sk_buff *skb;
	struct user_namespace *user_ns;
	struct uet_net *un;
	const struct uet_fep *fep;
	bool is_admin;
	kuid_t uid;
};

/*
 * Writes the attributes of an object after an existing header.  Under rcu_read_lock() or the
 * lock of the object.  Returns 0, or -EMSGSIZE if the attributes do not fit.
 */
typedef int (*uet_nl_fill_t)(const struct uet_nl_out *out, const void *object);

/**
 * struct uet_nl_kind - how one kind of objects is found and written
 * @cmd: command of its messages, UET_CMD_*_GET
 * @keys: attributes that name one object, up to a 0
 * @missing: error text of a request without one of @keys
 * @permit: may the requester see any?  0, or an errno with an extack message; NULL: yes
 * @prepare: called before a request, and once before a dump; NULL: nothing
 * @find: the object that a request names, or ERR_PTR() with an extack message; sets out->fep
 * @fill: writes one object
 * @is_visible: may the receiver see the object; NULL: yes
 * @in_net: offset in struct uet_net of the array of all objects; or 0, and
 * @in_fep: the array of the objects of a FEP; or NULL, and
 * @dump_fep: dumps the objects of a FEP from position cb->args[1], which it advances.  0 after
 *	the last one, -EMSGSIZE when @out is full
 *
 * @find, @fill, @is_visible, @in_fep and @dump_fep are called under rcu_read_lock().
 */
struct uet_nl_kind {
	u8 cmd;
	u8 keys[5];
	const char *missing;
	int (*permit)(const struct sk_buff *request, const struct uet_net *un,
		      struct netlink_ext_ack *extack);
	void (*prepare)(const struct sk_buff *request, struct uet_net *un);
	void *(*find)(struct genl_info *info, struct uet_nl_out *out);
	uet_nl_fill_t fill;
	bool (*is_visible)(const struct uet_nl_out *out, const void *object);
	size_t in_net;
	struct xarray *(*in_fep)(const struct uet_fep *fep);
	int (*dump_fep)(const struct uet_nl_out *out, struct netlink_callback *cb);
};

/* The operations GET on a kind of objects, as nl_gen.c calls them. */
#define UET_NL_GET(name)							\
int uet_nl_##name##_get_doit(struct sk_buff *skb, struct genl_info *info)	\
{										\
	return uet_nl_get(skb, info, &nl_##name##_kind);			\
}										\
int uet_nl_##name##_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb) \
{										\
	return uet_nl_dump(skb, cb, &nl_##name##_kind);				\
}

/* Refuse a request because of an attribute, or NULL, with a constant text. */
#define uet_nl_refuse(info, attr, err, text) ({					\
	NL_SET_ERR_MSG_ATTR((info)->extack, attr, text);			\
	(err);									\
})

extern struct genl_family uet_nl_family;

struct uet_net *uet_nl_net(struct genl_info *info);
int uet_nl_check_keys(struct genl_info *info, const struct uet_nl_kind *kind);
int uet_nl_get_name(struct genl_info *info, const struct nlattr *attr, char *name);
struct uet_fep *uet_nl_find_fep(struct genl_info *info, const struct nlattr *name);
struct uet_fa uet_nl_get_peer(const struct nlattr *addr4, const struct nlattr *addr6,
			      const struct uet_fep *fep);
int uet_nl_put_fa(struct sk_buff *skb, const struct uet_fa *fa, int attr4, int attr6);
struct sk_buff *uet_nl_reply_begin(struct genl_info *info, u8 cmd, void **hdr);
int uet_nl_reply(struct genl_info *info, u8 cmd, uet_nl_fill_t fill, const void *object);
int uet_nl_get(struct sk_buff *skb, struct genl_info *info, const struct uet_nl_kind *kind);
struct uet_net *uet_nl_dump_begin(struct netlink_callback *cb);
int uet_nl_dump_one(const struct uet_nl_out *out, struct netlink_callback *cb, u8 cmd,
		    uet_nl_fill_t fill, const void *object);
int uet_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, const struct uet_nl_kind *kind);

/* nl_rail.c, nl_fep.c, nl_job.c, nl_show.c */
int uet_nl_fill_rail(const struct uet_nl_out *out, const void *object);
int uet_nl_fill_fep(const struct uet_nl_out *out, const void *object);
int uet_nl_fill_job(const struct uet_nl_out *out, const void *object);
int uet_nl_fill_pdc_event(const struct uet_nl_out *out, const void *object);

int uet_nl_init(void);
void uet_nl_fini(void);

#endif
