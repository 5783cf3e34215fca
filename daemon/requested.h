/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a user wishes of a job, judged: the job that is to be made, or why it is
 * not.  A pure function.  Level: tool.
 */
#ifndef UETD_WISH_H
#define UETD_WISH_H

#include "registry.h"
#include "conf.h"

/* Numbers that nobody asked for come from the half that "ueadm job run" uses. */
#define UETD_WISH_ID_MIN	0x800000u

#define UETD_ERROR(name)	"org.ultraethernet.Uetd1.Error." name
#define UETD_ERROR_ARGS		"org.freedesktop.DBus.Error.InvalidArgs"
#define UETD_ERROR_LIMIT	"org.freedesktop.DBus.Error.LimitsExceeded"

/**
 * struct uetd_world - what a request is judged by
 * @conf: configuration
 * @kernel: what there is
 * @registry: the jobs made over the bus, compared with @kernel
 */
struct uetd_world {
	const struct uetd_conf *conf;
	const struct uetd_model *kernel;
	const struct uetd_registry *registry;
};

/**
 * struct uetd_refusal - why not
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
