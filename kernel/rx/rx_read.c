// SPDX-License-Identifier: GPL-2.0
/*
 * Target side of reads: checks a packet that requests bytes of a memory region
 * and copies the bytes when the packet arrives. The copy keeps a retransmission
 * identical to the first transmission, and no region is read after its
 * deregistration. The copy costs memory: each endpoint may use as much as its
 * send buffer size, and each PDC UET_SES_READ_RSP_MAX packets.
 * Spec: UE 1.0.1 3.4.1, Table 3-19; uet-wire 2.32.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uet.h>

#include "fabric/fep.h"
#include "endpoint/mr.h"
#include "rx.h"
#include "socket/sock.h"

static u8 read_check_mr(struct uet_rx_read *rd, const struct uet_ses_req *req)
{
	rd->mr = uet_mr_find(rd->us, req->match);
	if (!rd->mr)
		return UET_RC_BAD_MKEY;
	return uet_mr_check(rd->mr, rd->offset, rd->len, UET_MR_READ);
}

/**
 * uet_rx_read_check() - check whether a packet may read the memory it requests
 * @fep: FEP that received the packet
 * @req: its request header, a supported READ, after uet_rx_resolve_small()
 * @rd: result, valid under RCU
 * @rc: return code of the error response if the read is refused
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the reason for the refusal.
 */
enum uet_drop uet_rx_read_check(struct uet_fep *fep,
				const struct uet_ses_req *req,
				struct uet_rx_read *rd, u8 *rc)
{
	enum uet_drop why;
	enum uet_rc no_ep;

	why = uet_ses_read_share(req, fep->cfg.mtu, &rd->offset, &rd->len, rc);
	if (why)
		return why;
	rd->us = uet_rx_endpoint(fep, req, &no_ep);
	if (!rd->us) {
		*rc = no_ep;
		return uet_rx_no_endpoint(no_ep);
	}
	*rc = read_check_mr(rd, req);
	if (*rc == UET_RC_OK)
		return UET_DROP_NONE;
	return *rc == UET_RC_BAD_ADDR ? UET_DROP_SES_BAD_RANGE :
					UET_DROP_SES_BAD_KEY;
}

/*
 * Charge memory to an endpoint; an endpoint without a charge may exceed the
 * limit.
 */
static bool read_book(struct uet_sock *us, u32 bytes)
{
	int booked = atomic_add_return(bytes, &us->back_bytes);

	if (booked <= uet_sock_sndbuf(us) || booked == bytes)
		return true;
	atomic_sub(bytes, &us->back_bytes);
	return false;
}

/**
 * uet_rx_read_copy() - copy the requested bytes
 * @rd: from uet_rx_read_check(), length not 0
 *
 * Context: Softirq, same RCU read side section.
 * Return: the data, the caller fills in its SES header; NULL if no memory is
 *	available now.
 */
struct uet_read_rsp_msg *uet_rx_read_copy(const struct uet_rx_read *rd)
{
	unsigned int order = get_order(rd->len);
	u32 bytes = (PAGE_SIZE << order) + sizeof(struct uet_read_rsp_msg);
	struct uet_read_rsp_msg *read_rsp;

	if (!read_book(rd->us, bytes))
		return NULL;
	read_rsp = kmalloc(sizeof(*read_rsp), GFP_ATOMIC | __GFP_NOWARN);
	if (!read_rsp)
		goto err_book;
	read_rsp->page =
		alloc_pages(GFP_ATOMIC | __GFP_NOWARN | __GFP_COMP, order);
	if (!read_rsp->page)
		goto err_free;
	sock_hold(&rd->us->sk);
	read_rsp->us = rd->us;
	read_rsp->bytes = bytes;
	uet_mr_read(rd->mr, rd->offset, page_address(read_rsp->page), rd->len);
	return read_rsp;

err_free:
	kfree(read_rsp);
err_book:
	atomic_sub(bytes, &rd->us->back_bytes);
	return NULL;
}

/**
 * uet_read_rsp_free() - free a read response
 * @read_rsp: response with or without data; packets that refer to the page keep
 *	it
 *
 * Context: Any.
 */
void uet_read_rsp_free(struct uet_read_rsp_msg *read_rsp)
{
	struct uet_sock *us = read_rsp->us;

	if (read_rsp->page)
		put_page(read_rsp->page);
	atomic_sub(read_rsp->bytes, &us->back_bytes);
	kfree(read_rsp);
	sock_put(&us->sk);
}

/**
 * uet_read_rsp_free_all() - free a list of read responses from
 *	uet_ses_take_read_rsp()
 * @read_rsps: uet_read_rsp_msg.ses.link
 *
 * Context: Any, no PDC lock held.
 */
void uet_read_rsp_free_all(struct list_head *read_rsps)
{
	struct uet_ses_read_rsp *read_rsp, *next;

	list_for_each_entry_safe(read_rsp, next, read_rsps, link)
		uet_read_rsp_free(
			container_of(read_rsp, struct uet_read_rsp_msg, ses));
}
