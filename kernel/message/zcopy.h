/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages that are sent from the pages of their sender: memory accounting of
 * the pages, and release when no packet uses them.
 */
#ifndef UET_ZCOPY_H
#define UET_ZCOPY_H

#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/uio.h>

struct ubuf_info;
struct uet_tx_message;
struct uet_zcopy;

int uet_zcopy_init(void);
void uet_zcopy_fini(void);
int uet_zcopy_begin(struct uet_tx_message *tm, const struct iov_iter *from,
		    u32 length);
void uet_zcopy_add(struct uet_zcopy *zc, struct sk_buff *skb, u32 nr);
bool uet_zcopy_put(struct uet_zcopy *zc);
void uet_zcopy_free(struct uet_zcopy *zc);

#endif
