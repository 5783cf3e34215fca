// SPDX-License-Identifier: GPL-2.0
/*
 * Many requests of netlink's ping from one port, a window of them without an
 * outcome at any time, and a look whether the kernel reports each that it took
 * once and no other.  Prints what they came to, one "key=value" each; ends with
 * 1 if an outcome is missing, comes twice or was not asked for.  For ping.sh.
 * Level: test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/uet_nl.h>

#define FIRST_SEQ	1000

/* A request being written. */
struct request {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char attrs[256];
};

struct pings {
	int fd;
	uint16_t family;
	const char *fep;
	uint8_t addr[16];
	size_t addr_len;
	unsigned long count, window, addrs, seconds;
	bool is_quitting;
	/* by request: how often it was refused or reported */
	unsigned char *seen;
	unsigned long sent, settled, answered, failed, refused, retx, ce;
	unsigned long twice, strange;
	int error;		/* of the last that failed or was refused */
};

static void die(const char *what)
{
	fprintf(stderr, "pings: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: pings [OPTIONS] FEP FA\n"
		"  -n COUNT    requests (100)\n"
		"  -w WINDOW   of them without an outcome (64)\n"
		"  -a ADDRS    to FA and those behind it, in turn (1)\n"
		"  -t SECONDS  wait so long for an outcome (60)\n"
		"  -q          quit when all are sent\n");
	exit(2);
}

static void begin(struct request *req, uint16_t family, uint8_t cmd,
		  uint32_t seq)
{
	memset(req, 0, sizeof(*req));
	req->nlh.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	req->nlh.nlmsg_type = family;
	req->nlh.nlmsg_flags = NLM_F_REQUEST;
	req->nlh.nlmsg_seq = seq;
	req->genl.cmd = cmd;
	req->genl.version = UET_FAMILY_VERSION;
}

static void put(struct request *req, uint16_t type, const void *data,
		size_t len)
{
	struct nlattr *attr = (void *)((char *)req + req->nlh.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy(attr + 1, data, len);
	req->nlh.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

/* The contents of an attribute, or NULL. */
static const void *find(const struct nlmsghdr *nlh, uint16_t type)
{
	const char *pos = (const char *)NLMSG_DATA(nlh) + GENL_HDRLEN;
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;

	for (; pos + NLA_HDRLEN <= end; pos += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)pos;
		if (attr->nla_len < NLA_HDRLEN)
			break;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr + 1;
	}
	return NULL;
}

static void send_one(struct pings *p)
{
	struct request req;
	uint8_t addr[16];
	uint32_t low;

	memcpy(addr, p->addr, sizeof(addr));
	memcpy(&low, addr + p->addr_len - 4, 4);
	low = htonl(ntohl(low) + p->sent % p->addrs);
	memcpy(addr + p->addr_len - 4, &low, 4);

	begin(&req, p->family, UET_CMD_PING, FIRST_SEQ + p->sent);
	put(&req, UET_A_PING_FEP, p->fep, strlen(p->fep) + 1);
	put(&req, p->addr_len == 4 ? UET_A_PING_ADDR4 : UET_A_PING_ADDR6, addr,
	    p->addr_len);
	if (send(p->fd, &req, req.nlh.nlmsg_len, 0) < 0)
		die("send");
	p->sent++;
}

static uint32_t u32_of(const struct nlmsghdr *nlh, uint16_t type)
{
	const uint32_t *value = find(nlh, type);

	return value ? *value : 0;
}

static void take_outcome(struct pings *p, const struct nlmsghdr *nlh)
{
	uint32_t error = u32_of(nlh, UET_A_PING_ERROR);

	p->retx += u32_of(nlh, UET_A_PING_RETX);
	p->ce += !!find(nlh, UET_A_PING_CE);
	if (find(nlh, UET_A_PING_RTT_NS)) {
		p->answered++;
	} else {
		p->failed++;
		p->error = error;
	}
}

static void take(struct pings *p, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	uint32_t nr = nlh->nlmsg_seq - FIRST_SEQ;

	if (nr >= p->sent) {
		p->strange++;
		return;
	}
	if (p->seen[nr]++) {
		p->twice++;
		return;
	}
	p->settled++;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		p->refused++;
		p->error = -err->error;
	} else {
		take_outcome(p, nlh);
	}
}

/* Return: false if there was nothing to read. */
static bool read_some(struct pings *p, int flags)
{
	static char buf[65536];
	const struct nlmsghdr *nlh;
	ssize_t left = recv(p->fd, buf, sizeof(buf), flags);

	if (left < 0 && errno == EAGAIN)
		return false;
	if (left < 0)
		die("recv");
	for (nlh = (void *)buf; NLMSG_OK(nlh, left);
	     nlh = NLMSG_NEXT(nlh, left))
		take(p, nlh);
	return true;
}

static void run(struct pings *p)
{
	while (p->settled < p->count) {
		while (p->sent < p->count &&
		       p->sent - p->settled < p->window)
			send_one(p);
		if (p->is_quitting && p->sent == p->count)
			return;
		if (!read_some(p, 0)) {
			fprintf(stderr, "pings: %lu have no outcome\n",
				p->sent - p->settled);
			exit(1);
		}
	}
	while (read_some(p, MSG_DONTWAIT))
		;
}

static void find_family(struct pings *p)
{
	char answer[8192];
	const uint16_t *id;
	struct request req;

	begin(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	put(&req, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME,
	    sizeof(UET_FAMILY_NAME));
	if (send(p->fd, &req, req.nlh.nlmsg_len, 0) < 0 ||
	    recv(p->fd, answer, sizeof(answer), 0) < 0)
		die("asking for the family " UET_FAMILY_NAME);
	id = find((void *)answer, CTRL_ATTR_FAMILY_ID);
	if (((struct nlmsghdr *)answer)->nlmsg_type == NLMSG_ERROR || !id) {
		errno = ENOENT;
		die("the family " UET_FAMILY_NAME);
	}
	p->family = *id;
}

static void open_netlink(struct pings *p)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	struct timeval limit = { .tv_sec = p->seconds };
	int room = 1 << 22;

	p->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (p->fd < 0 || bind(p->fd, (void *)&addr, sizeof(addr)))
		die("netlink");
	find_family(p);
	if (setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		die("setsockopt");
}

static void parse(struct pings *p, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "n:w:a:t:q")) != -1) {
		switch (opt) {
		case 'n':
			p->count = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			p->window = strtoul(optarg, NULL, 0);
			break;
		case 'a':
			p->addrs = strtoul(optarg, NULL, 0);
			break;
		case 't':
			p->seconds = strtoul(optarg, NULL, 0);
			break;
		case 'q':
			p->is_quitting = true;
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 2 || !p->count || !p->window || !p->addrs)
		usage();
	p->fep = argv[optind];
	p->addr_len = strchr(argv[optind + 1], ':') ? 16 : 4;
	if (inet_pton(p->addr_len == 4 ? AF_INET : AF_INET6, argv[optind + 1],
		      p->addr) != 1)
		usage();
}

int main(int argc, char **argv)
{
	struct pings p = {
		.count = 100, .window = 64, .addrs = 1, .seconds = 60,
	};

	parse(&p, argc, argv);
	p.seen = calloc(p.count, 1);
	if (!p.seen)
		die("calloc");
	open_netlink(&p);
	run(&p);
	printf("sent=%lu answered=%lu failed=%lu refused=%lu retx=%lu ce=%lu twice=%lu strange=%lu error=%d\n",
	       p.sent, p.answered, p.failed, p.refused, p.retx, p.ce, p.twice,
	       p.strange, p.error);
	free(p.seen);
	return p.twice || p.strange;
}
