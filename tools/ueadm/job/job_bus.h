/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job that uetd creates for an unprivileged user, over
 * org.ultraethernet.Uetd1 on the system bus.
 */
#ifndef UEADM_JOB_BUS_H
#define UEADM_JOB_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

struct sd_bus;

/**
 * struct uea_bus_job - a job made by uetd
 * @bus: connection of the request; uetd deletes the job when the connection ends
 * @id: JobID
 * @fd: descriptor of the job, that programs inherit
 */
struct uea_bus_job {
	struct sd_bus *bus;
	uint32_t id;
	int fd;
};

bool uea_is_admin(void);
bool uea_sees_peers(void);
int uea_bus_create(struct uea_bus_job *job, const struct nlmsghdr *args);
int uea_bus_destroy(struct uea_bus_job *job);

#endif
