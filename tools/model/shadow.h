/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model beside each PDC of a program, without the program's doing: the linker
 * leads every call of pds.h through shadow.c (--wrap).  What is left to do by
 * hand is to say when the memory of a PDC goes away.  Level: test.
 */
#ifndef UET_SHADOW_H
#define UET_SHADOW_H

#include "model.h"

void shadow_forget(const struct uet_pdc *pdc);
const struct model *shadow_model(const struct uet_pdc *pdc);

#endif /* UET_SHADOW_H */
