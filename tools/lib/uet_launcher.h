/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Rank and size of a process as launchers give them, in variables.  A launcher that another
 * one has started comes first: mpirun in an allocation of Slurm starts its daemons by srun,
 * whose variables its processes inherit.  Level: tool.
 */
#ifndef UET_LAUNCHER_H
#define UET_LAUNCHER_H

#include <stdlib.h>
#include <string.h>

/**
 * struct uet_launcher - how a launcher tells rank and size
 * @name: its command
 * @rank: variable of the rank
 * @size: variables of the size, the better one first; none: it is not told
 * @space: beginning of PMIX_NAMESPACE, NULL: any or none
 */
struct uet_launcher {
	const char *name;
	const char *rank;
	const char *size[2];
	const char *space;
};

/* Return: the launcher of this process, or NULL. */
static inline const struct uet_launcher *uet_launcher(void)
{
	static const struct uet_launcher launchers[] = {
		{ "mpirun", "OMPI_COMM_WORLD_RANK", { "OMPI_COMM_WORLD_SIZE" }, NULL },
		{ "mpiexec", "PMI_RANK", { "PMI_SIZE" }, NULL },
		{ "srun", "PMIX_RANK", { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" }, "slurm." },
		{ "prun", "PMIX_RANK", { NULL }, NULL },
		{ "flux run", "FLUX_TASK_RANK", { "FLUX_JOB_SIZE" }, NULL },
		{ "srun", "SLURM_PROCID", { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" }, NULL },
	};
	const char *space = getenv("PMIX_NAMESPACE");
	const struct uet_launcher *l;
	size_t i;

	for (i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		l = &launchers[i];
		if (getenv(l->rank) && (!l->space || (space && !strncmp(space, l->space,
									strlen(l->space)))))
			return l;
	}
	return NULL;
}

/* Return: the variable that has the size, or NULL. */
static inline const char *uet_launcher_size(const struct uet_launcher *l)
{
	size_t i;

	for (i = 0; i < 2; i++)
		if (l->size[i] && getenv(l->size[i]))
			return l->size[i];
	return NULL;
}

#endif
