/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Places for endpoints: the FEPs of this network namespace, each with the jobs that may
 * use it.  Level: tool.
 */
#ifndef UET_LF_PLACE_H
#define UET_LF_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#define LF_PLACE_NAME	32

/**
 * struct lf_place - a FEP and a job of it
 * @fep: name of the FEP
 * @is_ipv6: its fabric address is IPv6
 * @scope_id: interface of a link-local one, else 0
 * @fa: fabric address, network order, IPv4 in the first bytes
 * @mtu: largest payload of a packet, bytes
 * @job: JobID
 * @pid_min: first PIDonFEP of the job
 * @pid_max: last one
 * @next: in the list
 */
struct lf_place {
	char fep[LF_PLACE_NAME];
	bool is_ipv6;
	uint32_t scope_id;
	uint8_t fa[16];
	uint32_t mtu;
	uint32_t job;
	uint16_t pid_min;
	uint16_t pid_max;
	struct lf_place *next;
};

/*
 * List the places.  Return: 0, or a negative errno: ENOENT, the module is not loaded.
 * lf_places_free() frees the list.
 */
int lf_places(struct lf_place **list);
void lf_places_free(struct lf_place *list);

/* The PIDonFEP of addresses by node and service. */
uint16_t lf_place_pid(const struct lf_place *place);

/* The job that variables choose, 0: none does.  Return: 0, or a negative FI_* error. */
int lf_chosen_job(uint32_t *job);
/* The descriptor of it, -1: none. */
int lf_job_fd(void);

#endif
