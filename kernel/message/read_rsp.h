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
struct uet_mr;
struct uet_sock;

/**
 * struct uet_read_rsp_msg - a read response
 * @ses: SES state; under the lock of the PDC while SES has the response
 * @us: endpoint of the memory region, one sock reference
 * @page: data, from the start of the allocation; NULL: a response without data
 * @bytes: memory charged to uet_sock.read_rsp_bytes, bytes
 */
struct uet_read_rsp_msg {
	struct uet_ses_read_rsp ses;
	struct uet_sock *us;
	struct page *page;
	u32 bytes;
};

struct uet_read_rsp_msg *uet_read_rsp_copy(struct uet_sock *us,
					   const struct uet_mr *mr, u64 offset,
					   u32 len);
void uet_read_rsp_free(struct uet_read_rsp_msg *read_rsp);
void uet_read_rsp_free_all(struct list_head *read_rsps);

#endif
