// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The functions for collective operations: they check the arguments, and name the plan by
 * which the operation is executed.
 */
#include <errno.h>

#include "collective.h"

static int check_root(struct uet *u, const char *name, uint32_t root)
{
	if (root < u->size)
		return 0;
	return libuet_refuse(u, EINVAL, "%s: root %u is not below the size %u", name, root,
			     u->size);
}

/* The blocks of all ranks fit into memory, and none is missing. */
static int check_blocks(struct uet *u, const struct call *call, size_t blocks)
{
	if (call->length > PTRDIFF_MAX / blocks)
		return libuet_refuse(u, EINVAL, "%s: a length of %zu bytes is too large",
				     call->name, call->length);
	if (call->length && (!call->from || !call->to))
		return libuet_refuse(u, EINVAL, "%s: '%s' is NULL", call->name,
				     call->from ? "to" : "from");
	return 0;
}

static int check_values(struct uet *u, struct call *call, size_t count)
{
	size_t size = libuet_type_size(call->type);

	if (!size)
		return libuet_refuse(u, EINVAL,
				     "%s: type %zu is not an integer, float or double",
				     call->name, call->type);
	if (!libuet_op_fits(call->type, call->op))
		return libuet_refuse(u, EINVAL, "%s: type %zu has no op %zu", call->name,
				     call->type, call->op);
	if (count && ((uintptr_t)call->from | (uintptr_t)call->to) % size)
		return libuet_refuse(u, EINVAL, "%s: values of %zu bytes are not aligned",
				     call->name, size);
	if (count > PTRDIFF_MAX / size)
		return libuet_refuse(u, EINVAL, "%s: a count of %zu is too large",
				     call->name, count);
	call->length = count * size;
	return 0;
}

int uet_barrier(struct uet *u, int timeout)
{
	const struct call call = { .name = "uet_barrier", .plan = libuet_plan_barrier };

	return libuet_collective(u, &call, timeout);
}

int uet_broadcast(struct uet *u, void *buf, size_t length, uint32_t root, int timeout)
{
	const struct call call = {
		.name = "uet_broadcast", .plan = libuet_plan_broadcast, .from = buf,
		.to = buf, .length = length, .root = root,
	};

	if (check_root(u, call.name, root) || check_blocks(u, &call, 1))
		return -1;
	return libuet_collective(u, &call, timeout);
}

int uet_reduce(struct uet *u, const void *from, void *to, size_t count, uint32_t type,
	       uint32_t op, uint32_t root, int timeout)
{
	struct call call = {
		.name = "uet_reduce", .plan = libuet_plan_reduce, .from = from,
		.to = u->rank == root ? to : (void *)from, .type = type, .op = op,
		.root = root,
	};

	if (check_root(u, call.name, root) || check_values(u, &call, count) ||
	    check_blocks(u, &call, 1))
		return -1;
	return libuet_collective(u, &call, timeout);
}

int uet_allreduce(struct uet *u, const void *from, void *to, size_t count, uint32_t type,
		  uint32_t op, int timeout)
{
	struct call call = {
		.name = "uet_allreduce", .plan = libuet_plan_allreduce, .from = from,
		.to = to, .type = type, .op = op,
	};

	if (check_values(u, &call, count) || check_blocks(u, &call, 1))
		return -1;
	return libuet_collective(u, &call, timeout);
}

int uet_allgather(struct uet *u, const void *from, void *to, size_t length, int timeout)
{
	const struct call call = {
		.name = "uet_allgather", .plan = libuet_plan_allgather, .from = from,
		.to = to, .length = length,
	};

	if (check_blocks(u, &call, u->size))
		return -1;
	return libuet_collective(u, &call, timeout);
}

int uet_alltoall(struct uet *u, const void *from, void *to, size_t length, int timeout)
{
	const struct call call = {
		.name = "uet_alltoall", .plan = libuet_plan_alltoall, .from = from,
		.to = to, .length = length,
	};

	if (check_blocks(u, &call, u->size))
		return -1;
	return libuet_collective(u, &call, timeout);
}
