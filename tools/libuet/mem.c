// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory regions of a handle: registering and deregistering.
 */
#include <errno.h>
#include <sys/ioctl.h>

#include "handle.h"

int uet_mem_reg(struct uet *u, void *addr, size_t length, uint32_t access, uint32_t flags,
		__u64 *key)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = length,
		.key = flags & UET_MR_FIXED_KEY ? *key : 0,
		.access = access, .flags = flags,
	};

	if (uet_ioctl(u->fd, UET_IOC_MR_REG, &reg))
		return libuet_failed(u, "UET_IOC_MR_REG");
	*key = reg.key;
	return 0;
}

int uet_mem_dereg(struct uet *u, uint64_t key)
{
	__u64 number = key;

	if (ioctl(u->fd, UET_IOC_MR_DEREG, &number))
		return libuet_failed(u, "UET_IOC_MR_DEREG");
	return 0;
}
