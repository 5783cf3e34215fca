/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transmit path: from a packet descriptor of the core to a socket buffer on a
 * rail.
 */
#ifndef UET_TX_H
#define UET_TX_H

#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"

struct uet_read_rsp_msg;

/*
 * Linear part: space for the outer headers, then the UET headers, then the
 * trailer.
 */
#define UET_TX_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(union uet_carrier_head) + UET_TSS_SSI_LEN)
#define UET_TX_LINEAR	(UET_TX_HEADROOM + UET_PDS_MAX_LEN + \
			 UET_SES_REQ_MAX_LEN + UET_ICV_LEN)

struct sk_buff *uet_tx_build(struct uet_fep *fep, const struct uet_pdc_tx *tx);
bool uet_tx_build_run(struct uet_fep *fep, struct uet_path *path,
		      struct uet_pdc_tx *tx, const struct sk_buff *like,
		      u16 *ev, u32 n, struct sk_buff_head *skbs);
void uet_tx_send(struct uet_fep *fep, const struct uet_fa *to,
		 struct uet_path *path, struct sk_buff_head *skbs, u32 burst);
bool uet_tx_dgram_begin(struct sk_buff *skb, const struct uet_ses_tx *msg);
enum uet_drop uet_tx_dgram_send(struct uet_fep *fep, const struct uet_fa *to,
				struct sk_buff *skb);
void uet_tx_reply(struct uet_fep *fep, const struct uet_fa *to,
		  const struct uet_pdc_tx *tx,
		  struct uet_read_rsp_msg *read_rsp);

#endif
