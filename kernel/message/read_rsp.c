// SPDX-License-Identifier: GPL-2.0
/*
 * Read responses: copies of memory regions for a peer that reads, charged to the endpoint
 * of the region.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "endpoint/endpoint.h"
#include "read_rsp.h"

/* Charge memory to an endpoint.  An endpoint without a charge accepts any amount. */
static bool read_rsp_charge(struct uet_sock *us, u32 bytes)
{
	int charged = atomic_add_return(bytes, &us->read_rsp_bytes);

	if ((charged <= uet_sock_sndbuf(us) || charged == bytes) &&
	    uet_mem_charge_rx(us, bytes))
		return true;
	atomic_sub(bytes, &us->read_rsp_bytes);
	return false;
}

static void read_rsp_uncharge(struct uet_sock *us, u32 bytes)
{
	uet_mem_uncharge_rx(us, bytes);
	atomic_sub(bytes, &us->read_rsp_bytes);
}

/**
 * uet_read_rsp_copy() - copy memory for a peer that reads
 * @us: endpoint of the memory
 * @mr: memory region, from uet_mr_get()
 * @offset: offset of the first byte in the region, bytes
 * @len: length, bytes, not 0
 *
 * Context: Softirq.
 * Return: the data; the caller fills in the SES header.  NULL: the limit of the
 *	endpoint is reached, out of memory, or the socket is being freed: a region of a
 *	domain outlives it.
 */
struct uet_read_rsp_msg *uet_read_rsp_copy(struct uet_sock *us,
					   const struct uet_mr *mr, u64 offset,
					   u32 len)
{
	unsigned int order = get_order(len);
	u32 bytes = (PAGE_SIZE << order) + sizeof(struct uet_read_rsp_msg);
	struct uet_read_rsp_msg *read_rsp;

	if (!refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	if (!read_rsp_charge(us, bytes))
		goto err_put;
	read_rsp = kmalloc(sizeof(*read_rsp), GFP_ATOMIC | __GFP_NOWARN);
	if (!read_rsp)
		goto err_uncharge;
	read_rsp->page =
		alloc_pages(GFP_ATOMIC | __GFP_NOWARN | __GFP_COMP, order);
	if (!read_rsp->page)
		goto err_free;
	read_rsp->us = us;
	read_rsp->bytes = bytes;
	uet_mr_read(mr, offset, page_address(read_rsp->page), len);
	return read_rsp;

err_free:
	kfree(read_rsp);
err_uncharge:
	read_rsp_uncharge(us, bytes);
err_put:
	sock_put(&us->sk);
	return NULL;
}

/**
 * uet_read_rsp_free() - free a read response
 * @read_rsp: read response, with or without data; packets hold their own references to
 *	its page
 *
 * Context: Any.
 */
void uet_read_rsp_free(struct uet_read_rsp_msg *read_rsp)
{
	struct uet_sock *us = read_rsp->us;

	if (read_rsp->page)
		put_page(read_rsp->page);
	read_rsp_uncharge(us, read_rsp->bytes);
	kfree(read_rsp);
	sock_put(&us->sk);
}

/**
 * uet_read_rsp_free_all() - free the read responses of uet_ses_take_read_rsp()
 * @read_rsps: list of uet_read_rsp_msg.ses.link
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
