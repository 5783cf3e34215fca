/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outgoing and incoming messages, posted receives, peers, generations and read
 * responses.
 */
#ifndef UET_MESSAGE_H
#define UET_MESSAGE_H

#include "chunk.h"
#include "gen.h"
#include "msg.h"
#include "peer.h"
#include "posted_recv.h"
#include "read_rsp.h"
#include "rx_match.h"
#include "zcopy.h"

#endif
