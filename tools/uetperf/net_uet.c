// SPDX-License-Identifier: GPL-2.0
/*
 * UET as a transport: two endpoints per rank, one for measured operations and
 * an ordered one for control messages, with adjacent Resource Indices.  Level:
 * tool.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "net_uet.h"
#include "uet_family.h"
#include "uet_ioctl.h"

/* The kernel's default, which suffices for shorter messages. */
#define BUFFER_DEFAULT	(4u << 20)
/* Completions per call; a range of cookies counts as one. */
#define RECORDS		16
/* Cookies and match bits count up in the low bits; the bits above hold the rank. */
#define COOKIE_RANK	48

/* ---------------------------------------------------------------- failures */

/**
 * uet_fail() - report a failure with the kernel's reason
 * @fd: socket
 * @what: what failed; errno tells how
 *
 * Return: -1.
 */
int uet_fail(int fd, const char *what)
{
	char why[256] = "";
	socklen_t len = sizeof(why) - 1;
	int err = errno;

	/* A time-out is no refusal, so the text would be from an earlier refusal. */
	if (err == EAGAIN)
		warn_user("uet: %s: nothing has moved for too long", what);
	else if (getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len) || !*why)
		warn_user("uet: %s: %s", what, strerror(err));
	else
		warn_user("uet: %s: %s (%s)", what, why, strerror(err));
	return -1;
}

/* --------------------------------------------------------------- endpoints */

/**
 * uet_address() - address of the measured endpoint of a rank
 * @o: command line; args.c has validated "10.0.0.1" or "fe80::1%eth0"
 * @rank: its number
 * @family: number of AF_UET
 * @addr: returns it
 *
 * Return: 0, or -1 after printing the reason.
 */
int uet_address(const struct options *o, int rank, int family, struct sockaddr_uet *addr)
{
	const char *fa = fa_of(o, rank), *dev = strchr(fa, '%');
	char host[INET6_ADDRSTRLEN];

	memset(addr, 0, sizeof(*addr));
	addr->suet_family = family;
	addr->suet_version = UET_ADDR_VERSION;
	addr->suet_job = o->job;
	addr->suet_pid = o->pid + rank;
	addr->suet_ri = o->ri;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(fa, "%"), fa);
	if (inet_pton(AF_INET, host, &addr->suet_fa4) == 1)
		return 0;
	addr->suet_flags = UET_ADDR_IPV6;
	inet_pton(AF_INET6, host, addr->suet_fa6);
	if (!dev)
		return 0;
	addr->suet_scope_id = if_nametoindex(dev + 1);
	if (addr->suet_scope_id)
		return 0;
	warn_user("%s: there is no network device %s", fa, dev + 1);
	return -1;
}

/* Messages longer than the buffers would be streamed instead of being in flight. */
static int buffers_fit(struct uet *u, int fd)
{
	static const int opts[][2] = {
		{ SO_SNDBUF, SO_SNDBUFFORCE }, { SO_RCVBUF, SO_RCVBUFFORCE },
	};
	int half = u->space, got = 0;
	socklen_t len;

	if (u->space <= BUFFER_DEFAULT)
		return 0;
	for (int i = 0; i < 2; i++) {
		len = sizeof(got);
		if (setsockopt(fd, SOL_SOCKET, opts[i][1], &half, sizeof(half)))
			setsockopt(fd, SOL_SOCKET, opts[i][0], &half,
				   sizeof(half));
		if (getsockopt(fd, SOL_SOCKET, opts[i][0], &got, &len) ||
		    (size_t)got < u->space) {
			warn_user("uet: messages of %zu bytes do not fit into a socket buffer of %d: net.core.[rw]mem_max",
				  u->space, got);
			return -1;
		}
	}
	return 0;
}

/**
 * uet_endpoint() - bind a socket
 * @o: command line
 * @type: of the socket
 * @addr: its address
 *
 * Return: descriptor, or -1 after printing the reason.
 */
int uet_endpoint(const struct options *o, int type, const struct sockaddr_uet *addr)
{
	struct timeval tv = { .tv_sec = o->timeout };
	int fd = socket(addr->suet_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return uet_fail(fd, "socket");
	if ((o->job_fd >= 0 && setsockopt(fd, SOL_UET, UET_JOB_FD, &o->job_fd,
					  sizeof(o->job_fd))) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) ||
	    bind(fd, (const struct sockaddr *)addr, sizeof(*addr))) {
		uet_fail(fd, "bind");
		close(fd);
		return -1;
	}
	return fd;
}

static int endpoint_open(struct uet *u, int type, uint32_t ri)
{
	struct sockaddr_uet me = u->peers[u->net.o->rank];

	me.suet_ri = ri;
	return uet_endpoint(u->net.o, type, &me);
}

/* The rank of an address, or -1. */
static int rank_of(const struct uet *u, const struct sockaddr_uet *addr)
{
	int rank = (int)addr->suet_pid - (int)u->net.o->pid;

	return rank >= 0 && rank < u->net.o->ranks ? rank : -1;
}

/**
 * uet_control_add() - add a control message
 * @c: there
 * @type: UET_CMSG_*
 * @data: what it says
 * @len: bytes of that
 */
void uet_control_add(struct uet_control *c, int type, const void *data,
		     size_t len)
{
	struct cmsghdr *cmsg = (void *)&c->bytes[c->len];

	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	c->len += CMSG_SPACE(len);
}

/* ------------------------------------------------------------- completions */

static int record_take(struct uet *u, const struct uet_completion *rec)
{
	unsigned int to = rec->cookie >> COOKIE_RANK;

	if (to >= (unsigned int)u->net.o->ranks) {
		warn_user("uet: a completion with cookie 0x%jx is not ours",
			  (uintmax_t)rec->cookie);
		return -1;
	}
	if (rec->error) {
		warn_user("uet: an operation to rank %u has failed: %s, return code 0x%x, NACK code 0x%x",
			  to, strerror(rec->error), rec->rc, rec->nack_code);
		return -1;
	}
	u->net.done[to] += rec->count;
	return 0;
}

/**
 * uet_records_read() - read some completions
 * @u: rank
 * @fd: one of its sockets
 * @error: returns the errno of the last; NULL: those of a phase, to be counted
 *
 * Return: how many, or -1 after printing the reason.
 */
int uet_records_read(struct uet *u, int fd, int *error)
{
	struct uet_completion rec;
	union {
		char bytes[RECORDS * CMSG_SPACE(sizeof(rec))];
		struct cmsghdr align;
	} space;
	struct msghdr msg = {
		.msg_control = &space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *cmsg;
	int nr = 0;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return errno == EAGAIN ? 0 : uet_fail(fd, "completions");
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		memcpy(&rec, CMSG_DATA(cmsg), sizeof(rec));
		if (error)
			*error = rec.error;
		else if (record_take(u, &rec))
			return -1;
		nr++;
	}
	return nr;
}

static int uet_reap(struct net *net)
{
	struct uet *u = uet_of(net);

	return uet_records_read(u, u->fd, NULL);
}

static void endpoint_close(int fd, bool is_clean)
{
	if (fd < 0)
		return;
	/* Return when everything was acknowledged. */
	if (is_clean && shutdown(fd, SHUT_WR))
		uet_fail(fd, "waiting for the last answers");
	close(fd);
}

static void uet_free(struct uet *u, bool is_clean)
{
	struct waiting *w;

	endpoint_close(u->fd, is_clean);
	endpoint_close(u->ctl, is_clean);
	for (int i = 0; i < RANKS_MAX; i++) {
		while ((w = u->waiting[i])) {
			u->waiting[i] = w->next;
			free(w);
		}
	}
	uet_counter_close(u);
	free(u->buf);
	free(u);
}

static void uet_close(struct net *net)
{
	uet_free(uet_of(net), true);
}

static int uet_prepare(struct uet *u)
{
	const struct options *o = u->net.o;
	socklen_t len = sizeof(u->net.packet);

	u->family = uet_family();
	if (!u->family) {
		warn_user("the uet module is not loaded (modprobe uet)");
		return -1;
	}
	for (int rank = 0; rank < o->ranks; rank++)
		if (uet_address(o, rank, u->family, &u->peers[rank]))
			return -1;
	u->fd = endpoint_open(u, o->is_rod ? SOCK_SEQPACKET : SOCK_RDM, o->ri);
	if (u->fd < 0)
		return -1;
	u->ctl = endpoint_open(u, SOCK_SEQPACKET, o->ri + 1);
	if (u->ctl < 0 || buffers_fit(u, u->fd))
		return -1;
	if (getsockopt(u->fd, SOL_UET, UET_PAYLOAD_MTU, &u->net.packet, &len))
		return uet_fail(u->fd, "UET_PAYLOAD_MTU");
	uet_counter_open(u);
	if (o->is_client && !o->rank && uet_servers_ask(u))
		return -1;
	return uet_ctl_start(u);
}

static struct net *uet_open(const struct options *o, size_t space)
{
	struct uet *u = calloc(1, sizeof(*u));

	if (u)
		u->buf = malloc(space);
	if (!u || !u->buf) {
		warn_user("no memory for messages of %zu bytes", space);
		free(u);
		return NULL;
	}
	u->net.ops = &net_uet;
	u->net.o = o;
	u->space = space;
	u->fd = u->ctl = -1;
	if (!uet_prepare(u))
		return &u->net;
	uet_free(u, false);
	return NULL;
}

/* -------------------------------------------------------- what is measured */

static int uet_begin(struct net *net, const struct phase *phase)
{
	struct uet *u = uet_of(net);
	int on = phase->is_tagged || phase->is_matched;

	u->phase = *phase;
	u->is_blocked = false;
	memset(u->posted, 0, sizeof(u->posted));
	memset(net->done, 0, sizeof(net->done));
	if (setsockopt(u->fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		return uet_fail(u->fd, "UET_RECV_CTX");
	return 0;
}

static void control_make(struct uet *u, const struct post *p, struct uet_control *c)
{
	const struct uet_op op = {
		.cookie = (uint64_t)p->to << COOKIE_RANK | u->posted[p->to],
		.opcode = p->op->opcode,
		.flags = u->phase.is_counted ? UET_OP_COMPLETE : 0,
	};
	const struct uet_rma rma = { .key = p->key, .offset = p->offset };
	const struct uet_local local = {
		.key = p->back_key, .offset = p->back_offset,
		.length = p->back_len,
	};
	const uint64_t match = (uint64_t)u->net.o->rank << COOKIE_RANK | p->tag;
	const struct uet_atomic sum = {
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT64,
	};

	if (u->phase.is_counted || op.opcode != UET_OP_SEND)
		uet_control_add(c, UET_CMSG_OP, &op, sizeof(op));
	if (p->op->is_memory)
		uet_control_add(c, UET_CMSG_RMA, &rma, sizeof(rma));
	if (p->op->is_sum)
		uet_control_add(c, UET_CMSG_ATOMIC, &sum, sizeof(sum));
	if (p->op->has_result)
		uet_control_add(c, UET_CMSG_LOCAL, &local, sizeof(local));
	if (p->op->has_tag)
		uet_control_add(c, UET_CMSG_TAG, &match, sizeof(match));
	if (u->phase.is_tagged)
		uet_control_add(c, UET_CMSG_HDATA, &p->tag, sizeof(p->tag));
}

static int uet_post(struct net *net, const struct post *p)
{
	struct uet *u = uet_of(net);
	struct uet_control control = { .len = 0 };
	struct iovec iov[] = {
		{ (void *)p->head, p->head_len },
		{ (void *)p->data, p->len - p->head_len },
	};
	struct msghdr msg = {
		.msg_name = &u->peers[p->to],
		.msg_namelen = sizeof(u->peers[p->to]),
		.msg_iov = p->head_len ? iov : iov + 1,
		.msg_iovlen = p->head_len ? 2 : 1,
	};

	control_make(u, p, &control);
	if (control.len) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = control.len;
	}
	u->is_blocked = sendmsg(u->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT |
				(p->has_more ? MSG_MORE : 0)) < 0;
	if (!u->is_blocked) {
		u->posted[p->to]++;
		return 0;
	}
	return errno == EAGAIN ? 1 : uet_fail(u->fd, "sending");
}

/* The match bits contain the sender and the number of the message. */
static int match_take(const struct uet_ctx *ctx, struct arrival *a)
{
	if (ctx->opcode != UET_OP_TAGGED_SEND ||
	    ctx->match >> COOKIE_RANK != (uint64_t)a->from) {
		warn_user("uet: a message from rank %d, opcode 0x%x, has match bits 0x%jx",
			  a->from, ctx->opcode, (uintmax_t)ctx->match);
		return -1;
	}
	a->has_tag = true;
	a->tag = ctx->match & ((1ull << COOKIE_RANK) - 1);
	return 0;
}

static int tag_take(const struct uet *u, const struct msghdr *msg,
		    struct arrival *a)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);
	struct uet_ctx ctx = { 0 };

	if (cmsg && cmsg->cmsg_len >= CMSG_LEN(sizeof(ctx)))
		memcpy(&ctx, CMSG_DATA(cmsg), sizeof(ctx));
	if (u->phase.is_matched)
		return match_take(&ctx, a);
	a->has_tag = ctx.flags & UET_CTX_HDATA;
	a->tag = ctx.header_data;
	return 0;
}

static int uet_recv(struct net *net, struct arrival *a, bool may_wait)
{
	struct uet *u = uet_of(net);
	struct sockaddr_uet from;
	union {
		char bytes[CMSG_SPACE(sizeof(struct uet_ctx))];
		struct cmsghdr align;
	} space;
	struct iovec iov = { u->buf, u->space };
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};
	ssize_t len;

	len = recvmsg(u->fd, &msg, MSG_TRUNC | (may_wait ? 0 : MSG_DONTWAIT));
	if (len < 0 && errno == EAGAIN && !may_wait)
		return 0;
	if (len < 0)
		return uet_fail(u->fd, "receiving");
	a->from = rank_of(u, &from);
	a->len = len;
	a->data = u->buf;
	if (a->from < 0 || (size_t)len > u->space) {
		warn_user("uet: a message of %zd bytes that is not uetperf's",
			  len);
		return -1;
	}
	return tag_take(u, &msg, a) ? -1 : 1;
}

static int uet_wait(struct net *net)
{
	struct uet *u = uet_of(net);
	struct pollfd pfd = {
		.fd = u->fd, .events = POLLIN | (u->is_blocked ? POLLOUT : 0),
	};
	int ret = poll(&pfd, 1, net->o->timeout * 1000);

	if (ret > 0)
		return 0;
	errno = ret ? errno : EAGAIN;
	return uet_fail(u->fd, "waiting");
}

/* ------------------------------------------------------------------ memory */

static int uet_reg(struct net *net, void *addr, size_t len, uint32_t access,
		   uint64_t *key)
{
	struct uet *u = uet_of(net);
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = len, .access = access,
	};

	if (uet_ioctl(u->fd, UET_IOC_MR_REG, &reg))
		return uet_fail(u->fd, "registering memory");
	*key = reg.key;
	return 0;
}

static int uet_dereg(struct net *net, uint64_t key)
{
	struct uet *u = uet_of(net);

	if (ioctl(u->fd, UET_IOC_MR_DEREG, &key))
		return uet_fail(u->fd, "deregistering memory");
	return 0;
}

const struct net_ops net_uet = {
	.name = "uet",
	.has_memory = true,
	.open = uet_open,
	.close = uet_close,
	.ctl_send = uet_ctl_send,
	.ctl_recv = uet_ctl_recv,
	.begin = uet_begin,
	.post = uet_post,
	.recv = uet_recv,
	.reap = uet_reap,
	.wait = uet_wait,
	.reg = uet_reg,
	.dereg = uet_dereg,
	.retransmissions = uet_retransmissions,
};
