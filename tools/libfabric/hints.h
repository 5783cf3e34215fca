/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The hints of an application, and the answer: whether the provider supports them, and
 * its attributes.  No kernel is needed.  Level: tool.
 */
#ifndef UET_LF_HINTS_H
#define UET_LF_HINTS_H

#include <rdma/fabric.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether all of @hints can be met, for an application of API @version.
 * Return: NULL, or the reason why not.
 */
const char *lf_hints_refused(uint32_t version, const struct fi_info *hints);

/* Fill in all attributes but names and addresses.  @hints have been accepted; or NULL. */
void lf_hints_answer(uint32_t version, const struct fi_info *hints, struct fi_info *info);

/* The format of addresses.  FI_SOCKADDR, any with a family, is FI_SOCKADDR_IN here. */
uint32_t lf_hints_format(const struct fi_info *hints);

/* Whether the provider chooses keys, from mr_mode of an answer. */
bool lf_mr_is_provider_key(int mr_mode);

#endif
