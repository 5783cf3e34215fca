// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY: messages that are sent from the pages of their sender.  They end
 * when they have been answered and no packet refers to these pages, whichever is
 * later.  Packets tell when they do not: a network device has sent them, or the
 * stack has put copies in the place of the pages, which it does for everybody
 * who could look at them later, such as a receiver on this host.  Which bytes are
 * where is tx_message.c's affair.
 * Spec: Documentation/networking/msg_zerocopy.rst of the kernel.  Level: shell.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "base/base.h"
#include "cms/cms.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "msg.h"
#include "zcopy.h"

/**
 * struct uet_zcopy - the pages of a message
 * @pages: what packets refer to; its reference count has one for the message,
 *	which uet_zcopy_put() drops, and one for each packet
 * @tm: the message; does not go before all references are dropped, once it was
 *	given to a PDC or to RUDI
 * @pin: whose RLIMIT_MEMLOCK they count for
 * @work: ends the message when the last reference is a packet's, which can be freed
 *	anywhere
 */
struct uet_zcopy {
	struct uet_ubuf pages;
	struct uet_tx_message *tm;
	struct mmpin pin;
	struct work_struct work;
};

static struct workqueue_struct *zcopy_wq;

/**
 * uet_zcopy_init() - make the work queue that ends messages
 *
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_zcopy_init(void)
{
	zcopy_wq = alloc_workqueue("uet_zcopy", WQ_UNBOUND, 0);
	return zcopy_wq ? 0 : -ENOMEM;
}

/**
 * uet_zcopy_fini() - wait until it has ended the last one
 *
 * Context: Process, module unload; no socket is left.
 */
void uet_zcopy_fini(void)
{
	destroy_workqueue(zcopy_wq);
}

static void zcopy_end(struct work_struct *work)
{
	uet_tx_message_end(container_of(work, struct uet_zcopy, work)->tm);
}

/* A packet does not refer to the pages any more. */
static void zcopy_complete(struct sk_buff *skb, struct ubuf_info *ubuf,
			   bool success)
{
	struct uet_zcopy *zc = container_of(ubuf, struct uet_zcopy, pages.ubuf);

	if (skb)
		uet_host_limit_leave(skb);
	if (!success)
		uet_mib_inc(uet_net(sock_net(&zc->tm->us->sk)),
			    UET_MIB_TX_ZEROCOPY_COPIED);
	if (uet_zcopy_put(zc))
		queue_work(zcopy_wq, &zc->work);
}

static const struct ubuf_info_ops zcopy_ops = {
	.complete = zcopy_complete,
};

/*
 * Is it worth it, and possible?  Of many small buffers a packet could not refer to
 * all it needs, and with highmem a page has no address.
 */
static bool zcopy_fits(const struct iov_iter *from, u32 length)
{
	return !IS_ENABLED(CONFIG_HIGHMEM) && length >= UET_ZEROCOPY_MIN &&
	       user_backed_iter(from) &&
	       iov_iter_single_seg_count(from) >= length;
}

/**
 * uet_zcopy_begin() - send a message from the pages of its sender, if it fits
 * @tm: message without bytes; its end frees what is made here
 * @from: all of its bytes
 * @length: how many
 *
 * Context: Process, may sleep.
 * Return: 0; -ENOMEM, also above RLIMIT_MEMLOCK.
 */
int uet_zcopy_begin(struct uet_tx_message *tm, const struct iov_iter *from,
		    u32 length)
{
	struct uet_zcopy *zc;

	if (!zcopy_fits(from, length))
		return 0;
	zc = kzalloc(sizeof(*zc), tm->us->sk.sk_allocation);
	if (!zc)
		return uet_sock_refuse(tm->us, -ENOMEM, "sendmsg: no memory");
	if (mm_account_pinned_pages(&zc->pin, length)) {
		kfree(zc);
		return uet_sock_refuse(tm->us, -ENOMEM, "sendmsg: %u bytes by MSG_ZEROCOPY are above RLIMIT_MEMLOCK",
				       length);
	}
	uet_ubuf_set_ops(&zc->pages.ubuf, &zcopy_ops);
	refcount_set(&zc->pages.ubuf.refcnt, 1);
	zc->pages.ubuf.flags = SKBFL_ZEROCOPY_FRAG;
	zc->tm = tm;
	INIT_WORK(&zc->work, zcopy_end);
	tm->zc = zc;
	return 0;
}

/**
 * uet_zcopy_add() - a packet refers to pages of the message
 * @zc: pages
 * @skb: packet, which nobody else knows yet
 *
 * Context: Lock of the PDC held; the message has not ended.
 */
void uet_zcopy_add(struct uet_zcopy *zc, struct sk_buff *skb)
{
	skb_zcopy_set(skb, &zc->pages.ubuf, NULL);
	uet_mib_inc(uet_net(sock_net(&zc->tm->us->sk)), UET_MIB_TX_ZEROCOPY);
}

/**
 * uet_zcopy_put() - drop a reference to the pages
 * @zc: pages
 *
 * Context: Any.
 * Return: true if it was the last one: the caller is to end the message.
 */
bool uet_zcopy_put(struct uet_zcopy *zc)
{
	return refcount_dec_and_test(&zc->pages.ubuf.refcnt);
}

/**
 * uet_zcopy_free() - nobody needs the pages
 * @zc: pages, to which no packet refers
 *
 * Context: Any.
 */
void uet_zcopy_free(struct uet_zcopy *zc)
{
	mm_unaccount_pinned_pages(&zc->pin);
	kfree(zc);
}
