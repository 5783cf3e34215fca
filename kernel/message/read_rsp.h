/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of a read response, from the moment it is copied until no packet refers to
 * it.
 */
#ifndef UET_READ_RSP_H
#define UET_READ_RSP_H

#include <linux/list.h>

#include "core/ses/ses.h"

struct page;
struct uet_mr;
struct uet_sock;

/**
 * struct uet_read_rsp_msg - data on its way to a peer that reads
 * @ses: what SES knows; under the lock of the PDC while it has it
 * @us: endpoint whose memory it is a copy of, one sock reference
 * @page: the bytes, from the start of an allocation; NULL: a response without data
 * @bytes: charged on uet_sock.read_rsp_bytes
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
