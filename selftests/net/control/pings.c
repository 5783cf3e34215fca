// SPDX-License-Identifier: GPL-2.0
/*
 * Many requests of netlink's ping from one port, a window of them without an
 * outcome at any time, and a look whether the kernel reports each that it took
 * once and no other.  Prints what they came to, one "key=value" each; ends with
 * 1 if an outcome is missing, comes twice or was not asked for.  For ping.sh.
 * Level: test.
 */
#include <arpa/inet.h>
#include <err.h>
#include <getopt.h>
#include <sys/time.h>

#include "genl.h"

#define FIRST_SEQ	1000

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

static void send_one(struct pings *p)
{
	struct nlreq req;
	uint8_t addr[16];
	uint32_t low;

	memcpy(addr, p->addr, sizeof(addr));
	memcpy(&low, addr + p->addr_len - 4, 4);
	low = htonl(ntohl(low) + p->sent % p->addrs);
	memcpy(addr + p->addr_len - 4, &low, 4);

	genl_begin(&req, p->family, UET_CMD_PING, 0);
	req.nlh.nlmsg_seq = FIRST_SEQ + p->sent;
	nlreq_put_string(&req, UET_A_PING_FEP, p->fep);
	nlreq_put(&req, p->addr_len == 4 ? UET_A_PING_ADDR4 : UET_A_PING_ADDR6, addr,
	    p->addr_len);
	if (send(p->fd, &req, req.nlh.nlmsg_len, 0) < 0)
		err(1, "send");
	p->sent++;
}

static uint32_t u32_of(const struct nlmsghdr *nlh, uint16_t type)
{
	const uint32_t *value = nlreq_find(nlh, GENL_HDRLEN, type);

	return value ? *value : 0;
}

static void take_outcome(struct pings *p, const struct nlmsghdr *nlh)
{
	uint32_t error = u32_of(nlh, UET_A_PING_ERROR);

	p->retx += u32_of(nlh, UET_A_PING_RETX);
	p->ce += !!nlreq_find(nlh, GENL_HDRLEN, UET_A_PING_CE);
	if (nlreq_find(nlh, GENL_HDRLEN, UET_A_PING_RTT_NS)) {
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
		err(1, "recv");
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

static void open_netlink(struct pings *p)
{
	struct timeval limit = { .tv_sec = p->seconds };
	int space = 1 << 22;

	p->fd = nlreq_open(NETLINK_GENERIC);
	p->family = nlreq_family(p->fd, UET_FAMILY_NAME);
	if (!p->family)
		errx(1, "there is no family " UET_FAMILY_NAME);
	if (setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &space,
		       sizeof(space)))
		err(1, "setsockopt");
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
		err(1, "calloc");
	open_netlink(&p);
	run(&p);
	printf("sent=%lu answered=%lu failed=%lu refused=%lu retx=%lu ce=%lu twice=%lu strange=%lu error=%d\n",
	       p.sent, p.answered, p.failed, p.refused, p.retx, p.ce, p.twice,
	       p.strange, p.error);
	free(p.seen);
	return p.twice || p.strange;
}
