/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC-32C of bytes and of socket buffers (crc32c.c).
 */
#ifndef UET_CRC32C_H
#define UET_CRC32C_H

#include <linux/types.h>

struct sk_buff;

int uet_crc32c_init(void);
void uet_crc32c_fini(void);
u32 uet_crc32c(u32 crc, const void *data, u32 len);
u32 uet_crc32c_skb(u32 crc, const struct sk_buff *skb, u32 skip, u32 len);

#endif
