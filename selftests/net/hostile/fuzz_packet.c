// SPDX-License-Identifier: GPL-2.0
/*
 * Listens on a rail to what its node sends, damages copies of these frames, and
 * sends them after the originals: bits, fields with values at a boundary,
 * lengths of IP, UDP and the frame, pieces of two frames, the same frame again
 * or much later, fragments.  Frames that are still UDP are marked Congestion
 * Experienced, which nothing else here is, so that the receiver's counter of
 * such packets tells how many of them arrived.  With -c every other frame has
 * the right CRC again.
 *
 * "talk" is the other half of a run: an endpoint that sends to another, posts
 * receives and reads, whatever happens to it, so that there is something to listen
 * to.
 *
 * The IP header checksum is right unless an IP header is what was damaged.
 * Frames never pretend to come from the address given with -k, whose traffic
 * has to stay whole.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 3.4 (SES), 3.5.25 (CRC).  Level: test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/if.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crc32c.h"
#include "fuzz.h"
#include "uet_ioctl.h"

#define PORT		4793
#define LINK_MAX	(4500 + ETH_HLEN)	/* of --mtu 4096 */
#define FRAME_MAX	(2 * LINK_MAX)
#define FRAMES		256
#define BURST		4
#define LISTEN_SECONDS	20
#define CRC_BYTES	4
#define ECN_CE		3
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/**
 * struct frame - a frame and where its parts begin
 * @len: bytes
 * @udp: offset of the UDP header
 * @is_dirty: not UDP from Ethernet to the length any more: it may not arrive
 * @bytes: from the Ethernet header on
 */
struct frame {
	size_t len, udp;
	bool is_dirty;
	uint8_t bytes[FRAME_MAX];
};

static struct fuzz_rand rnd;
static struct frame kept[FRAMES];
static unsigned int nr_kept;
static bool with_crc;
static uint8_t spared[16];
static unsigned int spared_bytes;
static unsigned long nr_clean, nr_dirty, nr_wrong, nr_seen[32];

/* ------------------------------------------------------------------- frames */

static bool is_v6(const struct frame *f)
{
	return f->bytes[12] == 0x86;
}

static uint8_t *ip_of(struct frame *f)
{
	return f->bytes + ETH_HLEN;
}

static uint8_t *pds_of(struct frame *f)
{
	return f->bytes + f->udp + sizeof(struct udphdr);
}

static size_t pds_bytes(const struct frame *f)
{
	return f->len - f->udp - sizeof(struct udphdr);
}

static uint8_t *source_of(struct frame *f)
{
	return ip_of(f) + (is_v6(f) ? offsetof(struct ipv6hdr, saddr) :
				      offsetof(struct iphdr, saddr));
}

/* Does it carry UET, all headers in their places? */
static bool parse(struct frame *f)
{
	const struct udphdr *udp;
	uint8_t *ip = ip_of(f);

	if (f->len < ETH_HLEN + sizeof(struct ipv6hdr) + sizeof(*udp))
		return false;
	if (is_v6(f) ? ip[6] != IPPROTO_UDP : ip[0] != 0x45 ||
					      ip[9] != IPPROTO_UDP)
		return false;
	f->udp = ETH_HLEN + (is_v6(f) ? sizeof(struct ipv6hdr) :
					sizeof(struct iphdr));
	udp = (const void *)(f->bytes + f->udp);
	return udp->dest == htons(PORT) &&
	       ntohs(udp->len) == f->len - f->udp &&
	       pds_bytes(f) >= 12 + CRC_BYTES;
}

/* ---------------------------------------------------------- right once more */

static void set_lengths(struct frame *f)
{
	uint8_t *ip = ip_of(f);

	fuzz_put_be(f->bytes + f->udp + 4, f->len - f->udp, 2);
	if (is_v6(f))
		fuzz_put_be(ip + 4, f->len - f->udp, 2);
	else
		fuzz_put_be(ip + 2, f->len - ETH_HLEN, 2);
}

static void set_ip_checksum(struct frame *f)
{
	uint8_t *ip = ip_of(f);
	uint32_t sum = 0;
	int i;

	if (is_v6(f))
		return;
	fuzz_put_be(ip + 10, 0, 2);
	for (i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	fuzz_put_be(ip + 10, ~(sum + (sum >> 16)), 2);
}

/* Over addresses, UDP header with checksum 0, and what follows. */
static uint32_t crc_of(struct frame *f)
{
	uint8_t udp[sizeof(struct udphdr)];
	size_t len = pds_bytes(f) - CRC_BYTES;
	uint32_t crc = CRC32C_INIT;

	memcpy(udp, f->bytes + f->udp, sizeof(udp));
	memset(udp + 6, 0, 2);
	crc = crc32c_update(crc, source_of(f), is_v6(f) ? 32 : 8);
	crc = crc32c_update(crc, udp, sizeof(udp));
	return crc32c_final(crc32c_update(crc, pds_of(f), len));
}

static uint8_t *trailer_of(struct frame *f)
{
	return f->bytes + f->len - CRC_BYTES;
}

/* Make the CRC right, or see whether it is. */
static void set_crc(struct frame *f)
{
	uint8_t crc[CRC_BYTES];

	fuzz_put_be(crc, crc_of(f), CRC_BYTES);
	if (with_crc && fuzz_one_in(&rnd, 2))
		memcpy(trailer_of(f), crc, CRC_BYTES);
	if (!f->is_dirty && memcmp(trailer_of(f), crc, CRC_BYTES))
		nr_wrong++;
}

/* The mark that the receiver counts. */
static void set_ce(struct frame *f)
{
	ip_of(f)[1] |= is_v6(f) ? ECN_CE << 4 : ECN_CE;
}

/* ------------------------------------------------------------------- damage */

static struct frame *any_kept(void)
{
	return &kept[fuzz_below(&rnd, nr_kept < FRAMES ? nr_kept : FRAMES)];
}

/* A field of a PDS or SES header: where it begins, and its bytes. */
static const struct {
	uint8_t at, bytes;
} fields[] = {
	{ 0, 1 }, { 0, 2 }, { 1, 1 },		/* type, next_hdr, flags */
	{ 2, 2 },				/* CLEAR_PSN or probe offset */
	{ 4, 4 }, { 7, 1 },			/* PSN, CACK_PSN */
	{ 8, 2 }, { 10, 2 },			/* SPDCID, DPDCID */
	{ 12, 1 }, { 13, 1 }, { 14, 2 },	/* SES opcode, flags, id */
	{ 17, 3 }, { 20, 2 }, { 22, 2 },	/* job, PIDonFEP, RI */
	{ 24, 8 }, { 32, 4 }, { 36, 8 },	/* buffer, initiator, match */
	{ 44, 4 }, { 48, 4 }, { 52, 4 },	/* lengths and offset */
};

static void damage_field(struct frame *f)
{
	unsigned int i = fuzz_below(&rnd, NR(fields));
	unsigned int bytes = fields[i].bytes > 4 ? 4 : fields[i].bytes;
	uint8_t *at = pds_of(f) + fields[i].at;
	uint32_t value = 0;
	unsigned int k;

	if (pds_bytes(f) < (size_t)fields[i].at + bytes)
		return;
	for (k = 0; k < bytes; k++)
		value = value << 8 | at[k];
	switch (fuzz_below(&rnd, 3)) {
	case 0:
		value = fuzz_edge(&rnd);
		break;
	case 1:
		value += fuzz_below(&rnd, 9) - 4;
		break;
	default:
		value ^= 1u << fuzz_below(&rnd, 8 * bytes);
	}
	fuzz_put_be(at, value, bytes);
}

static void damage_bytes(struct frame *f)
{
	size_t len = pds_bytes(f);

	/* Headers matter more than payload. */
	if (!fuzz_one_in(&rnd, 4) && len > 64)
		len = 64;
	fuzz_damage(&rnd, pds_of(f), len);
}

/* At least one byte of PDS header and a trailer stay. */
static void damage_length(struct frame *f)
{
	size_t least = f->udp + sizeof(struct udphdr) + CRC_BYTES;
	size_t len = f->len;

	switch (fuzz_below(&rnd, 3)) {
	case 0:
		len = least + fuzz_below(&rnd, f->len - least + 1);
		break;
	case 1:
		len = least + fuzz_below(&rnd, 64);
		break;
	default:
		len += fuzz_below(&rnd, 64);
	}
	if (len > LINK_MAX)
		return;
	if (len > f->len)
		fuzz_fill(&rnd, f->bytes + f->len, len - f->len);
	f->len = len;
	set_lengths(f);
}

/* The beginning of one and the end of another. */
static void damage_splice(struct frame *f)
{
	struct frame *other = any_kept();
	size_t at = fuzz_below(&rnd, 72), from = fuzz_below(&rnd, 72);

	if (at >= pds_bytes(f) || from + CRC_BYTES >= pds_bytes(other))
		return;
	f->len -= pds_bytes(f) - at;
	memcpy(f->bytes + f->len, pds_of(other) + from,
	       pds_bytes(other) - from);
	f->len += pds_bytes(other) - from;
	if (f->len > LINK_MAX)
		f->len = LINK_MAX;
	set_lengths(f);
}

/* IP and UDP headers, and pieces of a datagram: IP decides what arrives. */
static void damage_carrier(struct frame *f)
{
	size_t headers = f->udp + sizeof(struct udphdr) - ETH_HLEN;
	uint8_t *ip = ip_of(f);

	f->is_dirty = true;
	switch (fuzz_below(&rnd, 4)) {
	case 0:
		fuzz_damage(&rnd, ip, headers);
		break;
	case 1:
		fuzz_put_be(f->bytes + f->udp + 4, fuzz_one_in(&rnd, 2) ?
			    fuzz_edge(&rnd) : fuzz_below(&rnd, f->len), 2);
		break;
	case 2:
		fuzz_put_be(ip + (is_v6(f) ? 4 : 2), fuzz_one_in(&rnd, 2) ?
			    fuzz_edge(&rnd) : fuzz_below(&rnd, f->len), 2);
		break;
	default:
		if (!is_v6(f))
			fuzz_put_be(ip + 6, fuzz_below(&rnd, 2) << 13 |
				    fuzz_below(&rnd, 64), 2);
	}
}

static void damage(struct frame *f)
{
	unsigned int times = fuzz_below(&rnd, 4);

	while (times--) {
		switch (fuzz_below(&rnd, 8)) {
		case 0:
			damage_length(f);
			break;
		case 1:
			damage_splice(f);
			break;
		case 2:
			if (fuzz_one_in(&rnd, 3))
				damage_carrier(f);
			break;
		case 3:
		case 4:
			damage_bytes(f);
			break;
		default:
			damage_field(f);
		}
	}
}

/* ------------------------------------------------------------ in and out */

/* Take what the node sends, not what we have sent; the newest frames stay. */
static void listen_to(int fd)
{
	static struct frame f;
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	ssize_t got;

	while ((got = recvfrom(fd, f.bytes, LINK_MAX, MSG_DONTWAIT | MSG_TRUNC,
			       (void *)&from, &len)) >= 0) {
		f.len = got;
		if (from.sll_pkttype != PACKET_OUTGOING || got > LINK_MAX ||
		    !parse(&f))
			continue;
		nr_seen[*pds_of(&f) >> 3]++;
		kept[nr_kept++ % FRAMES] = f;
	}
}

/* Let the node send something before we go on, if it has something. */
static void let_it_send(int fd, int msec)
{
	struct pollfd pfd = { fd, POLLIN, 0 };

	poll(&pfd, 1, msec);
	listen_to(fd);
}

static void inject(int fd, const struct sockaddr_ll *rail)
{
	static struct frame f;

	f = *any_kept();
	damage(&f);
	if (spared_bytes && !memcmp(source_of(&f), spared, spared_bytes))
		source_of(&f)[spared_bytes - 1] ^= 0x40;
	set_crc(&f);
	if (!f.is_dirty)
		set_ce(&f);
	if (!f.is_dirty || fuzz_one_in(&rnd, 2))
		set_ip_checksum(&f);
	*(f.is_dirty ? &nr_dirty : &nr_clean) += 1;
	while (sendto(fd, f.bytes, f.len, 0, (const void *)rail,
		      sizeof(*rail)) < 0)
		if (errno != ENOBUFS)
			fuzz_fail("sendto: %s", strerror(errno));
}

static int open_rail(const char *name, struct sockaddr_ll *rail)
{
	/* No protocol until it is bound: it would receive from all rails. */
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	*rail = (struct sockaddr_ll){
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(name),
	};
	if (fd < 0 || !rail->sll_ifindex ||
	    bind(fd, (const void *)rail, sizeof(*rail)))
		fuzz_fail("cannot open %s: %s", name, strerror(errno));
	return fd;
}

static int fuzz_rail(const char *name)
{
	struct sockaddr_ll rail;
	int fd = open_rail(name, &rail), peer_timeout = LISTEN_SECONDS * 100;

	peer_timeout *= fuzz_setting("UET_TEST_SCALE", 1);
	while (nr_kept < BURST) {
		if (!peer_timeout--)
			fuzz_fail("%s: nothing to listen to", name);
		let_it_send(fd, 10);
	}
	while (fuzz_go_on()) {
		inject(fd, &rail);
		if (!(fuzz.done % BURST))
			let_it_send(fd, 2);
	}
	printf("clean=%lu dirty=%lu wrong=%lu requests=%lu acks=%lu nacks=%lu controls=%lu\n",
	       nr_clean, nr_dirty, nr_wrong, nr_seen[2],
	       nr_seen[7] + nr_seen[8] + nr_seen[9], nr_seen[10], nr_seen[11]);
	return 0;
}

/* --------------------------------------------------------------------- talk */

static struct sockaddr_uet endpoint(const char *fa, const char *pid)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = 1, .suet_pid = atoi(pid), .suet_ri = 1,
	};

	if (strchr(fa, ':')) {
		addr.suet_flags = UET_ADDR_IPV6;
		inet_pton(AF_INET6, fa, addr.suet_fa6);
	} else {
		inet_pton(AF_INET, fa, &addr.suet_fa4);
	}
	return addr;
}

/*
 * A small receive buffer, so that senders are told to wait; and PDCs of both
 * pools.
 */
static int open_endpoint(const struct sockaddr_uet *own)
{
	int fd = socket(AF_UET, SOCK_RDM, 0), buf = 65536;
	uint32_t reserved = fuzz_below(&rnd, 2);

	if (fd < 0 || bind(fd, (const void *)own, sizeof(*own)))
		fuzz_fail("bind: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buf, sizeof(buf));
	if (setsockopt(fd, SOL_UET, UET_RESERVED_PDC, &reserved,
		       sizeof(reserved)))
		fuzz_fail("UET_RESERVED_PDC: %s", strerror(errno));
	return fd;
}

/*
 * A failed operation was damaged by an injected packet: the next message is another
 * chance.
 */
/* Where tagged messages go, some cut, some refused; nobody looks at it. */
static uint8_t region[65536];

static void post_receives(int fd)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)region, .length = sizeof(region), .key = 1,
		.flags = UET_MR_FIXED_KEY,
	};
	struct uet_recv_post post = {
		.key = 1, .ignore = -1ull, .length = 10000,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};
	char control[1024];
	struct msghdr msg = { .msg_control = control };

	if (fuzz_one_in(&rnd, 2))
		post.flags |= UET_RECV_TRUNC;
	uet_ioctl(fd, UET_IOC_MR_REG, &reg);
	if (fuzz_one_in(&rnd, 16))
		ioctl(fd, UET_IOC_MR_DEREG, &reg.key);
	if (fuzz_one_in(&rnd, 2))
		uet_ioctl(fd, UET_IOC_RECV_POST, &post);
	do {
		msg.msg_controllen = sizeof(control);
	} while (!recvmsg(fd, &msg, MSG_ERRQUEUE));
}

static void send_tagged(int fd, struct sockaddr_uet *to, void *buf, size_t len)
{
	const struct uet_op op = { .opcode = UET_OP_TAGGED_SEND };
	struct iovec iov = { buf, len };
	union {
		char bytes[CMSG_SPACE(sizeof(op)) + CMSG_SPACE(8)];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct msghdr msg = {
		.msg_name = to, .msg_namelen = sizeof(*to),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = &control.align;

	*cmsg = (struct cmsghdr){ CMSG_LEN(sizeof(op)), SOL_UET, UET_CMSG_OP };
	memcpy(CMSG_DATA(cmsg), &op, sizeof(op));
	cmsg = CMSG_NXTHDR(&msg, cmsg);
	*cmsg = (struct cmsghdr){ CMSG_LEN(8), SOL_UET, UET_CMSG_TAG };
	sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void talk(char **argv)
{
	static const uint32_t sizes[] = { 64, 4096, 9000, 20000, 200000 };
	static uint8_t buf[200000];
	struct sockaddr_uet own = endpoint(argv[0], argv[1]);
	struct sockaddr_uet peer = endpoint(argv[2], argv[3]);
	int fd = open_endpoint(&own);
	struct pollfd pfd;
	uint32_t size;

	for (;;) {
		if (fuzz_one_in(&rnd, 500)) {
			close(fd);
			fd = open_endpoint(&own);
		}
		size = fuzz_below(&rnd, sizes[fuzz_below(&rnd, NR(sizes))]);
		if (fuzz_one_in(&rnd, 2))
			send_tagged(fd, &peer, buf, size);
		else
			sendto(fd, buf, size, MSG_DONTWAIT | MSG_NOSIGNAL,
			       (void *)&peer, sizeof(peer));
		post_receives(fd);
		pfd = (struct pollfd){ fd, POLLIN, 0 };
		poll(&pfd, 1, 2);
		while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			;
	}
}

static void usage(void)
{
	fprintf(stderr,
		"usage: fuzz_packet [-c] [-k FA] NETDEV\n"
		"       fuzz_packet talk OWN_FA OWN_PID PEER_FA PEER_PID\n"
		"  -c     make every other CRC right\n"
		"  -k FA  never pretend to be this one\n");
	exit(2);
}

int main(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "ck:")) != -1) {
		switch (opt) {
		case 'c': with_crc = true; break;
		case 'k':
			spared_bytes = strchr(optarg, ':') ? 16 : 4;
			inet_pton(spared_bytes == 4 ? AF_INET : AF_INET6,
				  optarg, spared);
			break;
		default: usage();
		}
	}
	argv += optind;
	argc -= optind;
	fuzz_begin("fuzz_packet");
	rnd = fuzz_rand(fuzz.seed);
	if (argc == 5 && !strcmp(argv[0], "talk"))
		talk(argv + 1);
	if (argc != 1)
		usage();
	return fuzz_rail(argv[0]);
}
