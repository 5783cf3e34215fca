/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base layer: the clock, kernel version differences, fabric addresses, rate limits and
 * shares of limits, for every file of the module.
 */
#ifndef UET_BASE_H
#define UET_BASE_H

#include "clock.h"
#include "compat.h"
#include "fa.h"
#include "limit.h"
#include "shares.h"

#endif
