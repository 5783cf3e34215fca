/* SPDX-License-Identifier: GPL-2.0 */
/* 5.17 gave the search for bits a header of its own. */
#ifndef UET_OLDER_FIND_H
#define UET_OLDER_FIND_H

#include <linux/bitops.h>

#endif
