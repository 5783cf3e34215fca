/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UET as a transport of uetperf: the endpoints of a rank, for net_uet.c
 * (measured operations) and uet_ctl.c (control messages).  Level: tool.
 */
#ifndef UETPERF_NET_UET_H
#define UETPERF_NET_UET_H

#include "uetperf.h"

/**
 * struct uet - the endpoints of a rank
 * @net: the generic part
 * @fd: what is measured
 * @ctl: control messages
 * @family: number of AF_UET here
 * @peers: endpoints of all ranks, Resource Index of messages
 * @phase: present one
 * @posted: operations begun in this phase, by peer
 * @is_blocked: the last post() was refused
 * @has_met: all ranks whose greeting is required have sent it
 * @nr_servers: servers that were asked to start ranks
 * @busy: rank of the server that has told us to wait, 0: none has
 * @space: of @buf, bytes
 * @buf: the last message
 * @nl: socket for the counter of retransmissions, or NULL
 * @genl: number of the netlink family of the module, 0: unknown
 * @waiting: control messages received early, by sender
 */
struct uet {
	struct net net;
	int fd, ctl, family;
	struct sockaddr_uet peers[RANKS_MAX];
	struct phase phase;
	uint64_t posted[RANKS_MAX];
	bool is_blocked, has_met;
	int nr_servers, busy;
	size_t space;
	char *buf;
	struct mnl_socket *nl;
	uint16_t genl;
	struct waiting {
		struct waiting *next;
		struct ctl ctl;
	} *waiting[RANKS_MAX];
};

/**
 * struct uet_control - space for the control messages of an operation
 * @bytes: the control messages
 * @len: of them
 */
struct uet_control {
	union {
		char bytes[CMSG_SPACE(sizeof(struct uet_op)) +
			   CMSG_SPACE(sizeof(struct uet_rma)) +
			   CMSG_SPACE(sizeof(struct uet_atomic)) +
			   CMSG_SPACE(sizeof(struct uet_local)) +
			   CMSG_SPACE(sizeof(uint64_t))];
		struct cmsghdr align;
	};
	size_t len;
};

/* Resource Index of a server, above those of the ranks. */
#define SERVER_RI(o)	((o)->ri + 2)

/**
 * struct request - from rank 0 to a server: start the ranks at your address
 * @magic: CTL_MAGIC
 * @rank: the first of them
 * @words_len: bytes of @words
 * @words: command line, each word with its zero
 */
struct request {
	uint32_t magic, rank, words_len;
	char words[WORDS_MAX];
};

static inline struct uet *uet_of(struct net *net)
{
	return (struct uet *)net;
}

/* net_uet.c */
int uet_fail(int fd, const char *what);
int uet_address(const struct options *o, int rank, int family, struct sockaddr_uet *addr);
int uet_endpoint(const struct options *o, int type, const struct sockaddr_uet *addr);
void uet_control_add(struct uet_control *c, int type, const void *data,
		     size_t len);
int uet_records_read(struct uet *u, int fd, int *error);

/* uet_ctl.c */
int uet_ctl_send(struct net *net, int to, const struct ctl *ctl);
int uet_ctl_recv(struct net *net, int from, struct ctl *ctl);
int uet_ctl_start(struct uet *u);

/* uet_request.c */
int uet_servers_ask(struct uet *u);
int uet_server_probe(struct uet *u);

/* uet_counter.c */
void uet_counter_open(struct uet *u);
void uet_counter_close(struct uet *u);
uint64_t uet_retransmissions(struct net *net, uint64_t *whose);

#endif
