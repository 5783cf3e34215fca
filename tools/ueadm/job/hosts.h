/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hosts of a job and the processes that each may have: from a list, a file, or the
 * environment of Slurm.
 */
#ifndef UEADM_HOSTS_H
#define UEADM_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#define UEA_HOSTS_MAX		256
#define UEA_HOST_NAME_MAX	255	/* bytes of a name */
#define UEA_SLOTS_MAX		1024

/**
 * struct uea_host - a host
 * @name: as the remote shell understands it
 * @slots: processes that it may have
 */
struct uea_host {
	char name[UEA_HOST_NAME_MAX + 1];
	unsigned int slots;
};

/**
 * struct uea_hosts - hosts in the order of the ranks
 * @host: the hosts
 * @nr: their number
 */
struct uea_hosts {
	struct uea_host host[UEA_HOSTS_MAX];
	unsigned int nr;
};

int uea_hosts_of_list(struct uea_hosts *hosts, const char *list);
int uea_hosts_of_file(struct uea_hosts *hosts, const char *path);
bool uea_hosts_has_slurm(void);
int uea_hosts_of_slurm(struct uea_hosts *hosts);
unsigned int uea_hosts_slots(const struct uea_hosts *hosts);

#endif
