// SPDX-License-Identifier: GPL-2.0
/*
 * The planted errors of the explorer, in the order of planted.txt, and the worlds that find
 * them.
 * Level: test.
 */
#include "explore.h"

const struct ex_plant ex_plants[] = {
	{ "write-repeated", "forget" },
	{ "sent-twice", "forget" },
	{ "half-repeated", "forget" },
	{ "duplicate", "rud" },
	{ "uncleared", "responses" },
	{ "too-many-stored", "responses" },
	{ "slot-too-many", "rud-window" },
	{ "peer-window", "responses-window" },
	{ "not-resent", "rud" },
	{ "cack-beyond", "rud" },
	{ "sack-shifted", "rud-window" },
	{ "clear-beyond", "responses" },
	{ "answered-again", "responses" },
	{ "refused-received", "full" },
	{ "early-counted", "rod" },
	{ "marked-twice", "mark-rod" },
	{ "disorder", "rod" },
	{ "close-unknown", "rud" },
	{ "window-stores", "responses" },
	{ "pdcid-without-pdc", "secure" },
	{ "replay", "secure" },
	{ "liveness", "secure-keys" },
	{ "not-authentic", "secure" },
	{ "message-id", "rud" },
	{ "message-counted", "rud" },
	{ "bytes-twice", "rud-window" },
	{ "closes-reading", "close-read" },
	{}
};
