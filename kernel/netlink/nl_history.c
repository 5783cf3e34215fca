// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on the PDCs that failed last.  Like those that live, they are for
 * CAP_NET_ADMIN.
 */
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

static int nl_history_fill(struct sk_buff *skb,
			   const struct uet_history_rec *rec)
{
	if (uet_nl_put_pdc(skb, rec->fep, &rec->peer, &rec->info) ||
	    uet_nl_put_pdc_times(skb, &rec->info, rec->messages,
				 rec->ended_ns) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_FAILED_NS, rec->real_ns,
			      UET_A_PDC_PAD))
		return -EMSGSIZE;
	return 0;
}

/*
 * UET_CMD_PDC_HISTORY_GET, all of them.
 * @cb: dump; args[0] is the number of the next record
 *
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_pdc_history_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);
	struct uet_history_rec rec;
	u64 number = cb->args[0];
	void *hdr;

	for (; uet_history_read(un, &number, &rec); number++) {
		hdr = uet_nl_dump_put(skb, cb, UET_CMD_PDC_HISTORY_GET);
		if (!hdr)
			break;
		if (nl_history_fill(skb, &rec)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	cb->args[0] = number;
	return skb->len;
}

static int nl_history_find(struct genl_info *info, struct uet_history_rec *rec)
{
	u32 id = nla_get_u32(info->attrs[UET_A_PDC_ID]);
	struct uet_history_rec one;
	bool is_found = false;
	u64 number;

	for (number = 0; uet_history_read(uet_nl_net(info), &number, &one);
	     number++) {
		if (one.info.local_pdcid != id ||
		    nla_strcmp(info->attrs[UET_A_PDC_FEP], one.fep))
			continue;
		*rec = one;
		is_found = true;
	}
	if (is_found)
		return 0;
	GENL_SET_ERR_MSG(info, "pdc: none of this fep and id failed lately");
	return -ENOENT;
}

/*
 * UET_CMD_PDC_HISTORY_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_pdc_history_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_history_rec rec;
	struct sk_buff *reply;
	void *hdr = NULL;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_PDC_FEP) ||
	    GENL_REQ_ATTR_CHECK(info, UET_A_PDC_ID)) {
		GENL_SET_ERR_MSG(info, "pdc: fep or id is missing");
		return -EINVAL;
	}
	err = nl_history_find(info, &rec);
	if (err)
		return err;
	reply = uet_nl_reply_begin(info, UET_CMD_PDC_HISTORY_GET, &hdr);
	if (reply)
		err = nl_history_fill(reply, &rec);
	return uet_nl_reply_end(info, reply, hdr, err);
}
