/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of AF_UET on this machine: the number in the header, unless the
 * module was loaded with another one.  Level: tool.
 */
#ifndef UET_FAMILY_H
#define UET_FAMILY_H

#include <stdio.h>

#define UET_FEATURES	"/proc/net/uet/features"

/*
 * Return: the number; 0 if the module is not loaded, or /proc shows processes
 * only.
 */
static inline int uet_family(void)
{
	FILE *f = fopen(UET_FEATURES, "r");
	int family = 0;
	char line[256];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "family: %d", &family) == 1)
			break;
	fclose(f);
	return family;
}

#endif
