/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every file of the module may use: kernel versions, fabric addresses, rate limits.
 */
#ifndef UET_BASE_H
#define UET_BASE_H

#include "compat.h"
#include "fa.h"
#include "limit.h"

#endif
