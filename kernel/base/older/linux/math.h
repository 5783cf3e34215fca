/* SPDX-License-Identifier: GPL-2.0 */
/* 5.11 gave arithmetic a header of its own. */
#ifndef UET_OLDER_MATH_H
#define UET_OLDER_MATH_H

#include <linux/kernel.h>

#endif
