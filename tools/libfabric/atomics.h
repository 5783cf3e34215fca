/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Which atomic operations there are, and their numbers on the wire.  Level: tool.
 */
#ifndef UET_LF_ATOMICS_H
#define UET_LF_ATOMICS_H

#include <rdma/fi_atomic.h>
#include <stddef.h>
#include <stdint.h>

/* An atomic operation changes values; it may also return them, or compare first. */
enum lf_atomic_kind {
	LF_ATOMIC_CHANGE,
	LF_ATOMIC_FETCH,
	LF_ATOMIC_COMPARE,
};

/* UET_AMO_* or UET_DT_*; -1: there is none. */
int lf_atomic_op(enum fi_op op);
int lf_atomic_type(enum fi_datatype type);
/* Bytes of a value, 0: the type is not supported. */
size_t lf_atomic_size(enum fi_datatype type);

/*
 * Whether there is the operation, and on how many values.  @mtu: payload of a packet,
 * bytes.  Return: 0 or -FI_EOPNOTSUPP.
 */
int lf_atomic_query(enum fi_datatype type, enum fi_op op, enum lf_atomic_kind kind,
		    uint32_t mtu, struct fi_atomic_attr *attr);

#endif
