/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: received and sent packets, drops, PDC states and messages.  Each record
 * begins with the namespace cookie and the name of the FEP.  Names are recorded as text,
 * so that every tool can print them.  A dropped packet has type "-" if its prologue was
 * not read, and PSN 0 if its header was not.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet

#if !defined(UET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define UET_TRACE_H

#include <linux/tracepoint.h>

#include "core/cms/ccc.h"
#include "core/ses/ses.h"
#include "fep.h"
#include "net.h"

#ifndef UET_TRACE_TEXT
#define UET_TRACE_TEXT	32	/* longer than any name in drop.def */

/*
 * struct uet_trace_ids - identifiers of a packet; 0 for fields that its type lacks
 * @psn: PSN of the packet, or the PSN that the packet reports on
 */
struct uet_trace_ids {
	u32 psn;
	u16 spdcid;
	u16 dpdcid;
	bool is_retx;
};

struct uet_trace_ids uet_trace_ids(const struct uet_pds_hdr *hdr);
void uet_trace_addr(const struct uet_fa *fa, u8 *addr);
#endif

DECLARE_EVENT_CLASS(uet_pkt,
	TP_PROTO(const struct uet_fep *fep, const struct uet_fa *peer, const struct net_device *dev,
		 const struct uet_pds_hdr *hdr, u16 ev, u32 len),
	TP_ARGS(fep, peer, dev, hdr, ev, len),
	TP_STRUCT__entry(
		__field(u64, net)
		__array(char, fep, UET_NAME_MAX)
		__array(u8, peer, sizeof(struct in6_addr))
		__array(char, rail, IFNAMSIZ)
		__array(char, type, UET_TRACE_TEXT)
		__field(u32, psn)
		__field(u32, len)
		__field(u16, spdcid)
		__field(u16, dpdcid)
		__field(u16, ev)
		__field(u8, next_hdr)
		__field(u8, flags)
		__field(bool, is_retx)
	),
	TP_fast_assign(
		struct uet_trace_ids ids = uet_trace_ids(hdr);

		__entry->net = uet_net_cookie(fep->un->net);
		strscpy(__entry->fep, fep->cfg.name, UET_NAME_MAX);
		uet_trace_addr(peer, __entry->peer);
		strscpy(__entry->rail, dev ? dev->name : "-", IFNAMSIZ);
		strscpy(__entry->type, uet_wire_ty(hdr->type)->name, UET_TRACE_TEXT);
		__entry->psn = ids.psn;
		__entry->len = len;
		__entry->spdcid = ids.spdcid;
		__entry->dpdcid = ids.dpdcid;
		__entry->ev = ev;
		__entry->next_hdr = hdr->next_hdr;
		__entry->flags = hdr->flags;
		__entry->is_retx = ids.is_retx;
	),
	TP_printk("net=%llu fep=%s peer=%pI6c rail=%s type=%s psn=%u spdcid=%u dpdcid=%u ev=%u next_hdr=%u flags=0x%02x retx=%u len=%u",
		  __entry->net, __entry->fep, __entry->peer, __entry->rail, __entry->type,
		  __entry->psn, __entry->spdcid, __entry->dpdcid, __entry->ev, __entry->next_hdr,
		  __entry->flags, __entry->is_retx, __entry->len)
);

DEFINE_EVENT(uet_pkt, uet_pkt_rx,
	TP_PROTO(const struct uet_fep *fep, const struct uet_fa *peer, const struct net_device *dev,
		 const struct uet_pds_hdr *hdr, u16 ev, u32 len),
	TP_ARGS(fep, peer, dev, hdr, ev, len)
);

DEFINE_EVENT(uet_pkt, uet_pkt_tx,
	TP_PROTO(const struct uet_fep *fep, const struct uet_fa *peer, const struct net_device *dev,
		 const struct uet_pds_hdr *hdr, u16 ev, u32 len),
	TP_ARGS(fep, peer, dev, hdr, ev, len)
);

TRACE_EVENT(uet_drop,
	TP_PROTO(const struct uet_fep *fep, const struct uet_fa *peer, const struct net_device *dev,
		 const struct uet_pds_hdr *hdr, enum uet_drop why, u32 len, bool is_tx),
	TP_ARGS(fep, peer, dev, hdr, why, len, is_tx),
	TP_STRUCT__entry(
		__field(u64, net)
		__array(char, fep, UET_NAME_MAX)
		__array(char, text, UET_TRACE_TEXT)
		__array(u8, peer, sizeof(struct in6_addr))
		__array(char, rail, IFNAMSIZ)
		__array(char, type, UET_TRACE_TEXT)
		__field(u32, why)
		__field(u32, len)
		__field(u32, psn)
		__field(u16, spdcid)
		__field(u16, dpdcid)
		__field(bool, is_tx)
	),
	TP_fast_assign(
		struct uet_trace_ids ids = uet_trace_ids(hdr);

		__entry->net = uet_net_cookie(fep->un->net);
		strscpy(__entry->fep, fep->cfg.name, UET_NAME_MAX);
		strscpy(__entry->text, uet_drop_name(why), UET_TRACE_TEXT);
		uet_trace_addr(peer, __entry->peer);
		strscpy(__entry->rail, dev ? dev->name : "-", IFNAMSIZ);
		strscpy(__entry->type, hdr->type ?
			uet_wire_ty(hdr->type)->name : "-", UET_TRACE_TEXT);
		__entry->why = why;
		__entry->len = len;
		__entry->psn = ids.psn;
		__entry->spdcid = ids.spdcid;
		__entry->dpdcid = ids.dpdcid;
		__entry->is_tx = is_tx;
	),
	TP_printk("net=%llu fep=%s dir=%s why=%s len=%u peer=%pI6c rail=%s type=%s psn=%u spdcid=%u dpdcid=%u",
		  __entry->net, __entry->fep, __entry->is_tx ? "tx" : "rx", __entry->text,
		  __entry->len, __entry->peer, __entry->rail, __entry->type, __entry->psn,
		  __entry->spdcid, __entry->dpdcid)
);

TRACE_EVENT(uet_pdc_state,
	TP_PROTO(const struct uet_fep *fep, enum uet_pdc_state old,
		 const struct uet_pdc_info *info),
	TP_ARGS(fep, old, info),
	TP_STRUCT__entry(
		__field(u64, net)
		__array(char, fep, UET_NAME_MAX)
		__array(char, old, UET_TRACE_TEXT)
		__array(char, new, UET_TRACE_TEXT)
		__array(char, error, UET_TRACE_TEXT)
		__field(u16, pdcid)
		__field(u16, peer_pdcid)
		__field(bool, is_target)
	),
	TP_fast_assign(
		__entry->net = uet_net_cookie(fep->un->net);
		strscpy(__entry->fep, fep->cfg.name, UET_NAME_MAX);
		strscpy(__entry->old, uet_pdc_state_name(old), UET_TRACE_TEXT);
		strscpy(__entry->new, uet_pdc_state_name(info->state), UET_TRACE_TEXT);
		strscpy(__entry->error, uet_pdc_error_name(info->error), UET_TRACE_TEXT);
		__entry->pdcid = info->local_pdcid;
		__entry->peer_pdcid = info->peer_pdcid;
		__entry->is_target = info->role == UET_PDC_TARGET;
	),
	TP_printk("net=%llu fep=%s pdcid=%u peer_pdcid=%u role=%s old=%s new=%s error=%s",
		  __entry->net, __entry->fep, __entry->pdcid, __entry->peer_pdcid,
		  __entry->is_target ? "target" : "initiator", __entry->old, __entry->new,
		  __entry->error)
);

TRACE_EVENT(uet_ccc_window,
	TP_PROTO(const struct uet_fep *fep, const struct uet_fa *peer,
		 const struct uet_ccc *ccc, u64 old),
	TP_ARGS(fep, peer, ccc, old),
	TP_STRUCT__entry(
		__field(u64, net)
		__array(char, fep, UET_NAME_MAX)
		__array(u8, peer, sizeof(struct in6_addr))
		__field(u64, old)
		__field(u64, cwnd)
		__field(s64, inflight)
		__field(u32, base_ns)
		__field(u32, delay_ns)
	),
	TP_fast_assign(
		__entry->net = uet_net_cookie(fep->un->net);
		strscpy(__entry->fep, fep->cfg.name, UET_NAME_MAX);
		uet_trace_addr(peer, __entry->peer);
		__entry->old = old;
		__entry->cwnd = ccc->cwnd;
		__entry->inflight = ccc->inflight;
		__entry->base_ns = ccc->nscc.base_ns;
		__entry->delay_ns = uet_cc_avg_ns(ccc);
	),
	TP_printk("net=%llu fep=%s peer=%pI6c old=%llu cwnd=%llu inflight=%lld base_ns=%u delay_ns=%u",
		  __entry->net, __entry->fep, __entry->peer, __entry->old, __entry->cwnd,
		  __entry->inflight, __entry->base_ns, __entry->delay_ns)
);

TRACE_EVENT(uet_msg_tx_done,
	TP_PROTO(const struct uet_fep *fep, u16 pdcid, const struct uet_ses_tx *tx, int error),
	TP_ARGS(fep, pdcid, tx, error),
	TP_STRUCT__entry(
		__field(u64, net)
		__array(char, fep, UET_NAME_MAX)
		__field(u32, job)
		__field(u32, length)
		__field(int, error)
		__field(u16, pdcid)
		__field(u16, msg_id)
		__field(u16, pid)
		__field(u16, ri)
		__array(char, rc, UET_TRACE_TEXT)
	),
	TP_fast_assign(
		__entry->net = uet_net_cookie(fep->un->net);
		strscpy(__entry->fep, fep->cfg.name, UET_NAME_MAX);
		__entry->job = tx->to.job;
		__entry->length = tx->length;
		__entry->error = error;
		__entry->pdcid = pdcid;
		__entry->msg_id = tx->msg_id;
		__entry->pid = tx->to.pid;
		__entry->ri = tx->to.ri;
		strscpy(__entry->rc, uet_ses_rc_name(tx->rc), UET_TRACE_TEXT);
	),
	TP_printk("net=%llu fep=%s pdcid=%u msg_id=%u job=%u pid=%u ri=%u length=%u rc=%s error=%d",
		  __entry->net, __entry->fep, __entry->pdcid, __entry->msg_id,
		  __entry->job, __entry->pid, __entry->ri, __entry->length,
		  __entry->rc, __entry->error)
);

TRACE_EVENT(uet_msg_rx_done,
	TP_PROTO(const struct uet_fep *fep, const struct uet_ses_rx *rx),
	TP_ARGS(fep, rx),
	TP_STRUCT__entry(
		__field(u64, net)
		__array(char, fep, UET_NAME_MAX)
		__field(u32, job)
		__field(u32, initiator)
		__field(u32, length)
		__field(u16, msg_id)
		__field(u16, pid)
		__field(u16, ri)
	),
	TP_fast_assign(
		__entry->net = uet_net_cookie(fep->un->net);
		strscpy(__entry->fep, fep->cfg.name, UET_NAME_MAX);
		__entry->job = rx->req.job;
		__entry->initiator = rx->req.initiator;
		__entry->length = rx->req.request_length;
		__entry->msg_id = rx->req.msg_id;
		__entry->pid = rx->req.pid;
		__entry->ri = rx->req.ri;
	),
	TP_printk("net=%llu fep=%s msg_id=%u job=%u pid=%u ri=%u initiator=0x%x length=%u",
		  __entry->net, __entry->fep, __entry->msg_id, __entry->job,
		  __entry->pid, __entry->ri, __entry->initiator,
		  __entry->length)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH fabric
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
