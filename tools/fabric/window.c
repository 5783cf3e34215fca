// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control of the fabric simulator that controls nothing: a constant
 * window, and none at all.  With these a comparison is one of networks and
 * PDCs. Anything that keeps the interface may take their place.
 *
 * Spec: UE 1.0.1 3.6.12 (nominal bytes in flight).  Level: test.
 */
#include "fabric.h"

static void window_init(struct fab *fab, struct fab_cc *cc, u32 psn, u64 now)
{
	cc->window = fab->bdp * fab->par.window_pct / 100;
}

static bool window_may_send(const struct fab *fab, const struct fab_cc *cc)
{
	return cc->inflight + fab->par.packet <= (s64)cc->window;
}

static bool window_none_may_send(const struct fab *fab,
				 const struct fab_cc *cc)
{
	return true;
}

/* UE 1.0.1 3.6.13: ask for an ACK if the window is full behind this packet. */
static bool window_sent(const struct fab *fab, struct fab_cc *cc, u32 psn,
			u32 bytes, u64 now)
{
	cc->inflight += bytes;
	return !window_may_send(fab, cc);
}

static void window_acked(struct fab_cc *cc, const struct fab_ack *ack, u64 now)
{
	cc->inflight -= ack->bytes;
}

static void window_nacked(struct fab_cc *cc, const struct uet_nack *nack,
			  u32 bytes, u64 now)
{
	cc->inflight -= bytes;
}

static void window_lost(struct fab_cc *cc, u32 psn, u32 bytes, u64 now)
{
	cc->inflight -= bytes;
}

static void window_idle(struct fab_cc *cc)
{
	cc->inflight = 0;
}

static const struct fab_cc_ops window_ops[] = {
	{
		.name = "constant",
		.init = window_init,
		.may_send = window_may_send,
		.sent = window_sent,
		.acked = window_acked,
		.nacked = window_nacked,
		.lost = window_lost,
		.idle = window_idle,
	},
	{
		.name = "none",
		.init = window_init,
		.may_send = window_none_may_send,
		.sent = window_sent,
		.acked = window_acked,
		.nacked = window_nacked,
		.lost = window_lost,
		.idle = window_idle,
	},
};

/**
 * fab_cc_find() - an algorithm of congestion control
 * @name: its name
 *
 * Return: it, or NULL.
 */
const struct fab_cc_ops *fab_cc_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(window_ops); i++)
		if (!strcmp(window_ops[i].name, name))
			return &window_ops[i];
	return NULL;
}
