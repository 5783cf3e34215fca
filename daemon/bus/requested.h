/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check of a user's request for a job.  The result is the job to create, or the
 * reason of a refusal.  A pure function.  Level: tool.
 */
#ifndef UETD_REQUESTED_H
#define UETD_REQUESTED_H

#include "state/registry.h"
#include "conf/conf.h"

/* JobIDs that no request names come from the half that "ueadm job run" uses. */
#define UETD_REQUESTED_ID_MIN	0x800000u

#define UETD_ERROR(name)	"org.ultraethernet.Uetd1.Error." name
#define UETD_ERROR_ARGS		"org.freedesktop.DBus.Error.InvalidArgs"
#define UETD_ERROR_LIMIT	"org.freedesktop.DBus.Error.LimitsExceeded"

/**
 * struct uetd_world - state that a request is checked against
 * @conf: configuration
 * @kernel: state of the kernel
 * @registry: the jobs made over the bus, compared with @kernel
 */
struct uetd_world {
	const struct uetd_conf *conf;
	const struct uetd_model *kernel;
	const struct uetd_registry *registry;
};

/**
 * struct uetd_refusal - reason of a refusal
 * @name: of the D-Bus error
 * @text: for people
 */
struct uetd_refusal {
	const char *name;
	char text[UETD_TEXT_MAX];
};

__attribute__((format(printf, 3, 4)))
bool uetd_refuse(struct uetd_refusal *refusal, const char *name,
		 const char *fmt, ...);
bool uetd_request_judge(struct uetd_job *job, const struct uetd_world *world,
			uint32_t random, struct uetd_refusal *refusal);

#endif
