// SPDX-License-Identifier: GPL-2.0
/*
 * A cable between two netdevs that behaves like a switch without space: of the
 * UET packets of one kind it trims every so many, that is, it cuts them behind
 * 24 bytes of IP payload, gives them another DSCP, adjusts the IP header and
 * leaves the UDP header as it is.  All other frames pass.  Or it is a switch with
 * ports of some speed (-r): packets of that kind queue there, are marked while the
 * queue is long and trimmed when it is full; all other frames, and what is left of
 * those that were trimmed, go first.  It ends on SIGTERM and prints how many it
 * trimmed.  Level: test.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 4.1 (trimming).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT		4793
#define FRAME_MAX	16384
#define TRIM_LEFT	24	/* UDP header and 16 bytes of PDS */
#define UDP_BYTES	8
#define ENTROPY_BYTES	4
#define BUFFER		(64 << 20)

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING	23
#endif

/* The kinds of packets that are trimmed. */
enum kind { KIND_REQ, KIND_SYN, KIND_ACK, KIND_NACK, KIND_CP, KIND_NR };

static const char *const kinds[KIND_NR] = { "req", "syn", "ack", "nack", "cp" };

static struct {
	enum kind kind;
	uint32_t every, most;
	uint8_t dscp;
	bool with_ce;
	uint8_t proto;		/* IP protocol number of the native form */
	uint32_t kbit;		/* speed of a port, 0: no queues */
	uint32_t space;		/* bytes in the queue of a port */
	uint32_t mark;		/* bytes from which on packets are marked */
} how = {
	.kind = KIND_REQ, .every = 1, .most = UINT32_MAX, .dscp = 20, .proto = 17,
	.space = 65536, .mark = UINT32_MAX,
};

struct frame {
	struct frame *next;
	size_t len;
	uint8_t bytes[];
};

struct queue {
	struct frame *first, **last;
	size_t bytes;
};

/* In a switch with queues, FIRST is served before REST. */
enum { FIRST, REST, QUEUES };

struct port {
	int fd;
	struct queue queue[QUEUES];
	uint64_t free_ns;	/* when it has sent what it is sending */
};

static uint64_t nr_kind, nr_trimmed, nr_passed, nr_marked, longest;
static volatile sig_atomic_t over;

static uint16_t be16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static void put_be16(uint8_t *p, uint16_t value)
{
	p[0] = value >> 8;
	p[1] = value;
}

/* Where UDP or entropy header begin, 0 if it is not that over IP without options. */
static size_t head_offset(const uint8_t *frame, size_t len)
{
	const uint8_t *ip = frame + ETH_HLEN;

	if (len < ETH_HLEN + 40)
		return 0;
	if (be16(frame + 12) == ETH_P_IP && ip[0] == 0x45 && ip[9] == how.proto)
		return ETH_HLEN + 20;
	if (be16(frame + 12) == ETH_P_IPV6 && ip[6] == how.proto)
		return ETH_HLEN + 40;
	return 0;
}

static bool is_kind(const uint8_t *pds, enum kind kind)
{
	unsigned int type = pds[0] >> 3;
	bool syn = pds[1] & 4;

	switch (type) {
	case 2: case 3: case 13: case 14:
		return kind == (syn ? KIND_SYN : KIND_REQ);
	case 7: case 8: case 9:
		return kind == KIND_ACK;
	case 10: case 12:
		return kind == KIND_NACK;
	case 11:
		return kind == KIND_CP;
	default:
		return false;
	}
}

/* A UET packet of the kind that may be trimmed. */
static bool is_ours(const uint8_t *frame, size_t len, size_t head)
{
	bool is_udp = how.proto == 17;

	return head && len >= head + TRIM_LEFT &&
	       (!is_udp || be16(frame + head + 2) == PORT) &&
	       is_kind(frame + head + (is_udp ? UDP_BYTES : ENTROPY_BYTES),
		       how.kind);
}

static bool is_chosen(const uint8_t *frame, size_t len, size_t head)
{
	return is_ours(frame, len, head) && nr_trimmed < how.most &&
	       nr_kind++ % how.every == 0;
}

static void set_checksum(uint8_t *ip)
{
	uint32_t sum = 0;
	int i;

	put_be16(ip + 10, 0);
	for (i = 0; i < 20; i += 2)
		sum += be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(ip + 10, ~(sum + (sum >> 16)));
}

/* Return: the length of the frame now. */
static size_t trim(uint8_t *frame, size_t head)
{
	uint8_t *ip = frame + ETH_HLEN;
	bool is_v4 = head == ETH_HLEN + 20;
	uint8_t field = is_v4 ? ip[1] : be16(ip) >> 4;

	field = how.dscp << 2 | (how.with_ce ? 3 : field & 3);
	if (is_v4) {
		ip[1] = field;
		put_be16(ip + 2, 20 + TRIM_LEFT);
		set_checksum(ip);
	} else {
		put_be16(ip, 0x6000 | field << 4 | (ip[1] & 15));
		put_be16(ip + 4, TRIM_LEFT);
	}
	nr_trimmed++;
	return head + TRIM_LEFT;
}

static void put_out(const struct port *to, const uint8_t *frame, size_t len)
{
	while (send(to->fd, frame, len, 0) < 0)
		if (errno != ENOBUFS && errno != EAGAIN)
			return;
}

/*--------------------------------------------------------------------- queues */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* With Congestion Experienced, if its ends know what that is. */
static void mark(uint8_t *frame, size_t head)
{
	uint8_t *ip = frame + ETH_HLEN;
	bool is_v4 = head == ETH_HLEN + 20;
	uint8_t field = is_v4 ? ip[1] : be16(ip) >> 4;

	if (!(field & 3))
		return;
	if (is_v4) {
		ip[1] |= 3;
		set_checksum(ip);
	} else {
		ip[1] |= 3 << 4;
	}
	nr_marked++;
}

static void enqueue(struct port *to, int i, const uint8_t *bytes, size_t len)
{
	struct frame *frame = malloc(sizeof(*frame) + len);
	struct queue *queue = &to->queue[i];

	if (!frame)
		errx(1, "out of memory");
	memcpy(frame->bytes, bytes, len);
	frame->len = len;
	frame->next = NULL;
	if (!queue->first)
		queue->last = &queue->first;
	*queue->last = frame;
	queue->last = &frame->next;
	queue->bytes += len;
	if (i == REST && queue->bytes > longest)
		longest = queue->bytes;
}

static void wait_in_line(struct port *to, uint8_t *frame, size_t len)
{
	size_t head = head_offset(frame, len), ahead = to->queue[REST].bytes;
	int i = REST;

	if (!to->queue[FIRST].first && !to->queue[REST].first &&
	    to->free_ns < now_ns())
		to->free_ns = now_ns();
	if (!is_ours(frame, len, head)) {
		i = FIRST;
		nr_passed++;
	} else if (ahead + len > how.space) {
		i = FIRST;
		len = trim(frame, head);
	} else {
		nr_passed++;
		if (ahead >= how.mark)
			mark(frame, head);
	}
	enqueue(to, i, frame, len);
}

/* Send what is due.  Return: ns until something is, at most a second. */
static uint64_t serve(struct port *to)
{
	uint64_t now = now_ns();
	struct queue *queue;
	struct frame *frame;

	while (to->free_ns <= now) {
		queue = &to->queue[to->queue[FIRST].first ? FIRST : REST];
		frame = queue->first;
		if (!frame)
			return 1000000000;
		queue->first = frame->next;
		queue->bytes -= frame->len;
		to->free_ns += frame->len * 8000000ull / how.kbit;
		put_out(to, frame->bytes, frame->len);
		free(frame);
	}
	return to->free_ns - now;
}

/*----------------------------------------------------------------------- ports */

static void relay(const struct port *from, struct port *to)
{
	static uint8_t frame[FRAME_MAX];
	ssize_t len = recv(from->fd, frame, sizeof(frame),
			   MSG_DONTWAIT | MSG_TRUNC);
	size_t head;

	if (len <= 0 || len > FRAME_MAX)
		return;
	if (how.kbit) {
		wait_in_line(to, frame, len);
		return;
	}
	head = head_offset(frame, len);
	if (is_chosen(frame, len, head))
		len = trim(frame, head);
	else
		nr_passed++;
	put_out(to, frame, len);
}

/* Wait until a frame arrives or one that waits is due. */
static void turn(struct port *ports)
{
	struct pollfd fds[2] = {
		{ .fd = ports[0].fd, .events = POLLIN },
		{ .fd = ports[1].fd, .events = POLLIN },
	};
	uint64_t ns[2] = { serve(&ports[0]), serve(&ports[1]) };
	struct timespec ts = { .tv_nsec = ns[0] < ns[1] ? ns[0] : ns[1] };
	int i;

	if (ts.tv_nsec == 1000000000)
		ts = (struct timespec){ .tv_sec = 1 };
	if (ppoll(fds, 2, &ts, NULL) < 0)
		return;
	for (i = 0; i < 2; i++)
		if (fds[i].revents)
			relay(&ports[i], &ports[!i]);
}

static int open_port(const char *name)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(name),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1, size = BUFFER;

	if (!addr.sll_ifindex || fd < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
		       sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "%s", name);
	return fd;
}

static void end(int sig)
{
	(void)sig;
	over = 1;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: trimswitch [OPTIONS] NETDEV NETDEV\n"
		"  -k KIND   req, syn, ack, nack, cp: what is trimmed (req)\n"
		"  -e N      every Nth of these (1)\n"
		"  -m N      so many at most\n"
		"  -d DSCP   of a trimmed packet (20)\n"
		"  -c        with Congestion Experienced\n"
		"  -N PROTO  native IP under this protocol number, not UDP\n"
		"  -r KBIT   speed of a port, in kbit/s: packets of that kind queue\n"
		"  -q BYTES  in such a queue, then they are trimmed (65536)\n"
		"  -M BYTES  in such a queue from which on they are marked (never)\n");
	exit(2);
}

static void parse_options(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "k:e:m:d:cN:r:q:M:")) != -1) {
		switch (opt) {
		case 'k':
			for (how.kind = 0; how.kind < KIND_NR &&
			     strcmp(kinds[how.kind], optarg); how.kind++)
				;
			break;
		case 'e': how.every = strtoul(optarg, NULL, 0); break;
		case 'm': how.most = strtoul(optarg, NULL, 0); break;
		case 'd': how.dscp = strtoul(optarg, NULL, 0); break;
		case 'c': how.with_ce = true; break;
		case 'N': how.proto = strtoul(optarg, NULL, 0); break;
		case 'r': how.kbit = strtoul(optarg, NULL, 0); break;
		case 'q': how.space = strtoul(optarg, NULL, 0); break;
		case 'M': how.mark = strtoul(optarg, NULL, 0); break;
		default: usage();
		}
	}
	if (argc - optind != 2 || how.kind == KIND_NR || !how.every ||
	    how.dscp > 63)
		usage();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	struct port ports[2] = { 0 };
	int i;

	parse_options(argc, argv);
	for (i = 0; i < 2; i++)
		ports[i].fd = open_port(argv[optind + i]);
	sigaction(SIGTERM, &action, NULL);
	printf("ready\n");
	fflush(stdout);
	while (!over)
		turn(ports);
	printf("trimmed=%llu passed=%llu marked=%llu longest=%llu\n",
	       (unsigned long long)nr_trimmed, (unsigned long long)nr_passed,
	       (unsigned long long)nr_marked, (unsigned long long)longest);
	return 0;
}
