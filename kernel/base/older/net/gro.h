/* SPDX-License-Identifier: GPL-2.0 */
/* 5.16 gave the joining of received packets a header of its own. */
#ifndef UET_OLDER_GRO_H
#define UET_OLDER_GRO_H

#include <linux/netdevice.h>

#endif
