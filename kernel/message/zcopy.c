// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY: messages that are sent from the pages of their sender. Such a
 * message ends when it is answered and no packet refers to the pages, whichever
 * is later. A packet releases the pages when a network device has sent it, or
 * when the stack replaces the pages by copies. The stack copies for every
 * consumer that could read the pages later, such as a receiver on this host.
 * tx_message.c maps bytes to pages.
 * Spec: Documentation/networking/msg_zerocopy.rst of the kernel.
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
 * struct uet_zcopy - the pinned pages of a message
 * @pages: referred to by packets, with the context that counts these packets.
 *	The reference count has one reference of the message, which
 *	uet_zcopy_put() drops, and one of each packet
 * @tm: the message; once given to a PDC or to RUDI, it exists until all
 *	references are dropped
 * @pin: account charged for RLIMIT_MEMLOCK
 * @work: ends the message when a packet drops the last reference, which may
 *	happen in any context
 */
struct uet_zcopy {
	struct uet_ubuf pages;
	struct uet_tx_message *tm;
	struct mmpin pin;
	struct work_struct work;
};

static struct workqueue_struct *zcopy_wq;

/**
 * uet_zcopy_init() - create the work queue that ends messages
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
 * uet_zcopy_fini() - wait for the work queue and destroy it
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

/* A packet releases the pages. */
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
 * Check whether zero copy pays and is possible. With many small buffers a
 * packet would need too many fragments.
 */
static bool zcopy_fits(const struct iov_iter *from, u32 length)
{
	return length >= UET_ZEROCOPY_MIN && user_backed_iter(from) &&
	       iov_iter_single_seg_count(from) >= length;
}

/**
 * uet_zcopy_begin() - send a message from the pages of its sender, if possible
 * @tm: message without data; the state allocated here is freed at its end
 * @from: all of its data
 * @length: length, bytes
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

/*
 * Add a packet that refers to the pages of a message.
 * Context: Lock of the PDC held; the message has not ended.
 */
void uet_zcopy_add(struct uet_zcopy *zc, struct sk_buff *skb, u32 nr)
{
	skb_zcopy_set(skb, &zc->pages.ubuf, NULL);
	uet_mib_add(uet_net(sock_net(&zc->tm->us->sk)), UET_MIB_TX_ZEROCOPY, nr);
}

/*
 * Drop a reference to the pages.
 * Return: true if it was the last one: the caller must end the message.
 */
bool uet_zcopy_put(struct uet_zcopy *zc)
{
	return refcount_dec_and_test(&zc->pages.ubuf.refcnt);
}

/*
 * Free the state of the pages.
 * @zc: pages without a packet that refers to them
 */
void uet_zcopy_free(struct uet_zcopy *zc)
{
	mm_unaccount_pinned_pages(&zc->pin);
	kfree(zc);
}
