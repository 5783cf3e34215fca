/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a NO_OP.  The core and the headers of the system define the same types, so
 * this header has neither.
 */
#ifndef UEADM_CHECK_NOOP_H
#define UEADM_CHECK_NOOP_H

#include <stddef.h>
#include <stdint.h>

size_t uea_noop_encode(uint8_t *buf, size_t space, unsigned int nr);

#endif
