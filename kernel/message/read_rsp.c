// SPDX-License-Identifier: GPL-2.0
/*
 * Read responses: copies of memory regions for a peer that reads, charged to the endpoint of
 * the region.  They exist until no packet refers to the data.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "message.h"

/* An endpoint without a charge accepts a packet of any size. */
static bool read_rsp_charge(struct uet_sock *us, u32 bytes, bool is_single)
{
	int charged = atomic_add_return(bytes, &us->read_rsp_bytes);

	if ((charged <= uet_sock_sndbuf(us) ||
	     (is_single && charged == bytes)) &&
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

static void read_rsp_free_pages(struct uet_read_rsp_msg *read_rsp)
{
	while (read_rsp->nr_pages)
		put_page(read_rsp->pages[--read_rsp->nr_pages]);
}

static bool read_rsp_alloc_pages(struct uet_read_rsp_msg *read_rsp, u32 nr, unsigned int order)
{
	struct page *page;

	while (read_rsp->nr_pages < nr) {
		page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN | __GFP_COMP, order);
		if (!page) {
			read_rsp_free_pages(read_rsp);
			return false;
		}
		read_rsp->pages[read_rsp->nr_pages++] = page;
	}
	return true;
}

/*
 * Memory for @nr packets of @len bytes in pages of @order, each with whole packets; charged.
 * Return: NULL: out of memory, or the limit of the endpoint is reached.
 */
static struct uet_read_rsp_msg *read_rsp_alloc(struct uet_sock *us, u32 len,
					       u32 nr, unsigned int order)
{
	u32 page_bytes = rounddown(PAGE_SIZE << order, len);
	u32 nr_pages = DIV_ROUND_UP(nr * len, page_bytes);
	struct uet_read_rsp_msg *read_rsp;
	size_t size = struct_size(read_rsp, pages, nr_pages);
	u32 bytes = nr_pages * (PAGE_SIZE << order) + size;

	if (!read_rsp_charge(us, bytes, nr == 1))
		return NULL;
	read_rsp = kmalloc(size, GFP_ATOMIC | __GFP_NOWARN);
	if (!read_rsp)
		goto err_uncharge;
	read_rsp->us = us;
	read_rsp->bytes = bytes;
	read_rsp->page_bytes = page_bytes;
	read_rsp->nr_pages = 0;
	if (read_rsp_alloc_pages(read_rsp, nr_pages, order))
		return read_rsp;
	kfree(read_rsp);
err_uncharge:
	read_rsp_uncharge(us, bytes);
	return NULL;
}

/*
 * uet_read_rsp_copy() - copy memory for a peer that reads, for the caller to fill in the SES
 *	header
 * @len: length of the data of a packet, bytes, not 0
 * @nr: number of packets, 1 to UET_SES_READ_RSP_MAX
 * Return: NULL: the limit of the endpoint is reached, out of memory, or the socket is being
 *	freed: a region of a domain outlives it.
 */
struct uet_read_rsp_msg *uet_read_rsp_copy(struct uet_sock *us, const struct uet_mr *mr,
					   u64 offset, u32 len, u32 nr)
{
	unsigned int least = get_order(len);
	unsigned int order = min_t(unsigned int, get_order(nr * len), UET_PIECE_ORDER);
	struct uet_read_rsp_msg *read_rsp = NULL;
	u32 left = nr * len, here, i;

	if (!refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	/* Several packets are in few pages, or else in pages of the size that a packet needs. */
	if (order > least)
		read_rsp = read_rsp_alloc(us, len, nr, order);
	if (!read_rsp)
		read_rsp = read_rsp_alloc(us, len, nr, least);
	if (!read_rsp) {
		sock_put(&us->sk);
		return NULL;
	}
	for (i = 0; i < read_rsp->nr_pages; i++) {
		here = min(left, read_rsp->page_bytes);
		uet_mr_read(mr, offset, page_address(read_rsp->pages[i]), here);
		offset += here;
		left -= here;
	}
	return read_rsp;
}

/*
 * uet_read_rsp_put_bytes() - add data to a packet, or to a run of packets
 * @skb: short data of one packet is copied behind its headers if it fits, other data is
 *	referenced
 * @at: offset of the data from that of the first packet, bytes
 * Return: number of bytes added: fewer if @skb can refer to no more pages.
 */
u32 uet_read_rsp_put_bytes(const struct uet_read_rsp_msg *read_rsp,
			   struct sk_buff *skb, u32 at, u32 len)
{
	u32 done, here, from;
	struct page *page;

	for (done = 0; done < len; done += here) {
		page = read_rsp->pages[(at + done) / read_rsp->page_bytes];
		from = (at + done) % read_rsp->page_bytes;
		here = min(len - done, read_rsp->page_bytes - from);
		if (here <= UET_TX_COPY && uet_tx_has_space(skb, here)) {
			skb_put_data(skb, page_address(page) + from, here);
			continue;
		}
		if (skb_shinfo(skb)->nr_frags == MAX_SKB_FRAGS)
			break;
		get_page(page);
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, from, here, here);
	}
	return done;
}

/*
 * uet_read_rsp_free() - free read responses; packets hold their own references to the pages
 */
void uet_read_rsp_free(struct uet_read_rsp_msg *read_rsp)
{
	struct uet_sock *us = read_rsp->us;

	read_rsp_free_pages(read_rsp);
	read_rsp_uncharge(us, read_rsp->bytes);
	kfree(read_rsp);
	sock_put(&us->sk);
}

/*
 * uet_read_rsp_free_all() - free the list of uet_ses_take_read_rsp(), uet_read_rsp_msg.ses.link
 */
void uet_read_rsp_free_all(struct list_head *read_rsps)
{
	struct uet_ses_read_rsp *read_rsp, *next;

	list_for_each_entry_safe(read_rsp, next, read_rsps, link)
		uet_read_rsp_free(container_of(read_rsp, struct uet_read_rsp_msg, ses));
}
