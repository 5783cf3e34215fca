/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaches a model to each PDC of a program without changes to the program: the linker
 * redirects every call of pds.h to shadow.c (--wrap).  Only the release of a PDC's
 * memory must be reported by the program.  Level: test.
 */
#ifndef UET_SHADOW_H
#define UET_SHADOW_H

#include "model.h"

void shadow_forget(const struct uet_pdc *pdc);
const struct model *shadow_model(const struct uet_pdc *pdc);

#endif /* UET_SHADOW_H */
