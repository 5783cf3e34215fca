/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UET CRC trailer on socket buffers: generation and verification.
 */
#ifndef UET_CRC_H
#define UET_CRC_H

#include <linux/skbuff.h>

#include "fabric/fabric.h"

u32 uet_crc_ip_len(const struct uet_fep *fep);
u32 uet_crc_addrs_len(const struct uet_fep *fep);
bool uet_crc_put(struct sk_buff *skb, const void *head, u32 addrs);
bool uet_crc_is_right(const struct uet_fep *fep, const struct uet_fa *from,
		      const struct sk_buff *skb);
enum uet_drop uet_crc_check(const struct uet_fep *fep,
			    const struct uet_fa *from, struct sk_buff *skb);

#endif
