/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/uet.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_UET_GEN_H
#define _LINUX_UET_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/uet_nl.h>

/* Ops table for uet */
extern const struct genl_ops uet_nl_ops[26];

int uet_nl_rail_new_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_rail_del_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_rail_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_rail_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_fep_new_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_fep_del_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_fep_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_fep_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_job_new_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_job_del_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_job_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_job_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_ep_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_ep_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_pdc_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_pdc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_features_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_fep_set_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_ping_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_rail_set_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_sd_new_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_sd_del_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_sd_set_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_sd_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_sd_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_ccc_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_ccc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_pdc_del_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_pdc_history_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_pdc_history_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int uet_nl_fep_traffic_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_fep_traffic_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int uet_nl_job_traffic_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_job_traffic_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int uet_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

enum {
	UET_NLGRP_MGMT,
	UET_NLGRP_RAIL,
	UET_NLGRP_PDC,
};

#endif /* _LINUX_UET_GEN_H */
