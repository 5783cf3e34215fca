/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration: lifetime of rails and FEPs, and of the UET state of a namespace.  This
 * folder calls each lower folder in order, so that no folder depends on a higher one.
 */
#ifndef UET_CONFIG_H
#define UET_CONFIG_H

#include <linux/types.h>

struct net_device;
struct netlink_ext_ack;
struct uet_fep;
struct uet_fep_cfg;
struct uet_fep_settings;
struct uet_net;

#define UET_VERSION		"0.1.0"
#define UET_WIRE_VERSION	"UE 1.0.1, with parts of 1.0.3"

int uet_config_add_fep(struct uet_net *un, const struct uet_fep_cfg *cfg,
		       const struct uet_fep_settings *settings, struct netlink_ext_ack *extack);
int uet_config_del_fep(struct uet_net *un, const char *name, struct netlink_ext_ack *extack);
int uet_config_set_fep(struct uet_fep *fep, const struct uet_fep_settings *settings,
		       struct netlink_ext_ack *extack);

int uet_config_add_rail(struct uet_net *un, struct net_device *dev, u32 plane, u32 speed_mbps,
			struct netlink_ext_ack *extack);
int uet_config_del_rail(struct uet_net *un, int ifindex, struct netlink_ext_ack *extack);
int uet_config_set_ingress(struct uet_net *un, int ifindex, bool on,
			   struct netlink_ext_ack *extack);
int uet_config_follow_netdevs(void);
void uet_config_ignore_netdevs(void);

const char *uet_features_capability(unsigned int index);
int uet_config_follow_netns(void);
void uet_config_ignore_netns(void);

#endif
