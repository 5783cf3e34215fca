/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capabilities of this module as words, for /proc/net/uet/features and for
 * netlink.
 */
#ifndef UET_FEATURES_H
#define UET_FEATURES_H

#include <linux/types.h>

struct net;

#define UET_VERSION		"0.1.0"
#define UET_WIRE_VERSION	"UE 1.0.1, with parts of 1.0.3"

const char *uet_features_capability(unsigned int index);
bool uet_features_has(const char *capability);
int uet_features_proc_add(struct net *net);
void uet_features_proc_del(struct net *net);

#endif
