/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon: rounds that read, plan and apply, and the events that begin a
 * round.  Level: tool.
 */
#ifndef UETD_DAEMON_H
#define UETD_DAEMON_H

#include "bus/bus.h"
#include "netlink/kernel.h"
#include "netlink/link.h"
#include "state/managed.h"
#include "notify.h"

struct sd_event;
struct sd_event_source;

/**
 * struct uetd - the daemon
 * @path: name of the configuration file
 * @conf: requested state
 * @kernel: connection to the module
 * @watch: the netdevs
 * @managed: the objects that its files name or named
 * @problems: problems of the last round
 * @delay: seconds until the next attempt
 * @event: event loop
 * @retry: begins a round after @delay
 * @rotation: begins a round at @next_rotation
 * @next_rotation: time of the next key rotation, seconds since 1970; 0: never
 * @is_settling: a round begins soon because something has changed
 * @bus: the system bus
 * @start_us: start time, microseconds since boot
 * @is_complete: some round has ended without problems
 */
struct uetd {
	const char *path;
	struct uetd_conf conf;
	struct uetd_kernel kernel;
	struct uetd_watch watch;
	struct uetd_managed managed;
	struct uetd_problems problems;
	unsigned int delay;
	struct sd_event *event;
	struct sd_event_source *retry;
	struct sd_event_source *rotation;
	uint64_t next_rotation;
	bool is_settling;
	struct uetd_bus bus;
	uint64_t start_us;
	bool is_complete;
};

bool uetd_open(struct uetd *uetd);
bool uetd_round(struct uetd *uetd);
int uetd_run(struct uetd *uetd);
void uetd_close(struct uetd *uetd);
int uetd_soon(struct uetd *uetd);
int uetd_later(struct uetd *uetd);

#endif
