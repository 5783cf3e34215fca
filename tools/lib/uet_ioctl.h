/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * ioctl() of an AF_UET socket with a struct, which begins with its size:
 *
 *	struct uet_mr_reg reg = { .addr = addr, .length = length };
 *
 *	if (uet_ioctl(fd, UET_IOC_MR_REG, &reg))
 *		err(1, "UET_IOC_MR_REG");
 *
 * A struct in memory that a call finds by an address, as those of UET_IOC_RECV_POSTS, or that
 * a library gets, has its size from the program that knows its type.
 */
#ifndef UET_IOCTL_H
#define UET_IOCTL_H

#include <sys/ioctl.h>

#include <linux/uet.h>

#define uet_ioctl(fd, request, arg) \
	((arg)->size = sizeof(*(arg)), ioctl(fd, request, arg))

#endif
