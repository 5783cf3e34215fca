/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The netdevs of the namespace and their addresses: read as a whole, and watched
 * for changes, over rtnetlink, as are our routes.  Level: tool.
 */
#ifndef UETD_LINK_H
#define UETD_LINK_H

#include "model/model.h"

#define UETD_RTPROT	93	/* of our routes: "ip route show proto 93" */

struct nl_sock;

/**
 * struct uetd_watch - netdevs that are watched
 * @sock: socket for requests
 * @events: socket for events, not blocking
 */
struct uetd_watch {
	struct nl_sock *sock;
	struct nl_sock *events;
};

int uetd_watch_open(struct uetd_watch *watch);
const char *uetd_watch_error(int status);
void uetd_watch_close(struct uetd_watch *watch);
int uetd_watch_fd(const struct uetd_watch *watch);
void uetd_watch_routes(struct uetd_watch *watch, bool is_on);
bool uetd_watch_drain(const struct uetd_watch *watch);
int uetd_watch_read(struct uetd_watch *watch, struct uetd_links *links);
void uetd_drain(int fd);

#endif
