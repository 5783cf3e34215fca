/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UET CRC trailer on socket buffers: generation and verification.
 */
#ifndef UET_CRC_H
#define UET_CRC_H

#include <linux/skbuff.h>

#include "fabric/fabric.h"

bool uet_crc_append(const struct uet_fep *fep, struct sk_buff *skb);
enum uet_drop uet_crc_check(const struct uet_fep *fep,
			    const struct uet_fa *from, struct sk_buff *skb);

#endif
