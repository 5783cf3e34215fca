/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read responses: data copied from a memory region, which exists until no packet refers
 * to the data.
 */
#ifndef UET_READ_RSP_H
#define UET_READ_RSP_H

#include <linux/list.h>

#include "core/ses/ses.h"

struct page;
struct sk_buff;
struct uet_mr;
struct uet_sock;

/**
 * struct uet_read_rsp_msg - read responses whose requests followed each other
 * @ses: SES state; under the lock of the PDC while SES has the responses
 * @us: endpoint of the memory region, one sock reference
 * @bytes: memory charged to uet_sock.read_rsp_bytes, bytes
 * @page_bytes: data in each page but the last, bytes: that of whole packets
 * @nr_pages: number of pages; 0: a response without data
 * @pages: compound pages with the data
 */
struct uet_read_rsp_msg {
	struct uet_ses_read_rsp ses;
	struct uet_sock *us;
	u32 bytes;
	u32 page_bytes;
	u32 nr_pages;
	struct page *pages[];
};

struct uet_read_rsp_msg *uet_read_rsp_copy(struct uet_sock *us,
					   const struct uet_mr *mr, u64 offset,
					   u32 len, u32 nr);
u32 uet_read_rsp_put_bytes(const struct uet_read_rsp_msg *read_rsp,
			   struct sk_buff *skb, u32 at, u32 len);
void uet_read_rsp_free(struct uet_read_rsp_msg *read_rsp);
void uet_read_rsp_free_all(struct list_head *read_rsps);

#endif
