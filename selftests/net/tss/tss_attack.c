// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks on secure domains with the sealed packets of a capture: sent again,
 * damaged, cut, turned round, led elsewhere, sealed under another key or with a
 * header that lies, and control packets of the attacker's own.  It prints how many
 * were sent; whoever starts it knows what should have become of them.  Frames go
 * out as they are, so the attacker may be anybody.  Level: test.
 *
 * Spec: UE 1.0.1 3.7; layouts of NACK and CP: 3.5.10.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rawpkt.h"
#include "sealed.h"

#define FRAMES_MAX	2048
#define IDS_MAX		16
/* Bytes behind the security header in which each bit is turned. */
#define HEADERS_MAX	80

enum { CTL_CLOSE = 4, CTL_CREDIT = 7, CODE_INV_DPDCID = 0x0e };

struct options {
	struct sealed_key key;		/* of the domain */
	struct sealed_key forger;	/* of who forges */
	uint8_t to[16];
	int to_len;
	unsigned int ids[IDS_MAX], nr_ids, first, count, pause_us;
	long sdi, ssi, an, epoch, add;
};

struct attacker {
	struct options o;
	struct frame *frames;
	unsigned int nr;
	int fd;
	struct sockaddr_ll to;
	unsigned long sent;
};

/* It comes from nobody that a switch should know. */
static void transmit(struct attacker *a, struct frame *f)
{
	static const uint8_t nobody[6] = { 2, 0, 0, 0, 0, 0x66 };

	memcpy(f->bytes + 6, nobody, sizeof(nobody));
	while (sendto(a->fd, f->bytes, f->len, 0, (void *)&a->to,
		      sizeof(a->to)) < 0)
		if (errno != ENOBUFS)
			err(1, "sendto");
	a->sent++;
	if (a->o.pause_us)
		usleep(a->o.pause_us);
}

/* The counter of a security header, 48 bits, becomes greater. */
static void raise_counter(struct frame *f, uint64_t by)
{
	frame_put(f, f->epoch + 2, frame_get(f, f->epoch + 2, 6) + by, 6);
}

static void attack_replay(struct attacker *a, const struct frame *from)
{
	struct frame f = *from;

	transmit(a, &f);
}

static void turn_bits(struct attacker *a, const struct frame *from, size_t at,
		      size_t end)
{
	struct frame f;
	size_t bit;

	for (bit = 8 * at; bit < 8 * end; bit++) {
		f = *from;
		f.bytes[bit / 8] ^= 1 << bit % 8;
		/* IP takes nothing from a group of hosts. */
		if (f.is_v6 && f.bytes[f.src] == 0xff)
			continue;
		if (!f.is_v6)
			frame_ip_checksum(&f);
		transmit(a, &f);
	}
}

/* Entropy, security header, what is behind it, ICV. */
static void attack_bits(struct attacker *a, const struct frame *f)
{
	size_t icv = f->len - ICV_LEN, end = f->text + HEADERS_MAX;

	turn_bits(a, f, f->l4, f->l4 + (f->is_udp ? 2 : 4));
	turn_bits(a, f, f->tss, end < icv ? end : icv);
	turn_bits(a, f, icv, f->len);
}

static void attack_source(struct attacker *a, const struct frame *f)
{
	turn_bits(a, f, f->src, f->dst);
}

/* All that IP hands on, down to a header of the carrier and nothing behind it. */
static void attack_lengths(struct attacker *a, const struct frame *from)
{
	struct frame f;
	size_t len;

	for (len = from->tss; len < from->len; len++) {
		f = *from;
		f.len = len;
		frame_finish(&f);
		transmit(a, &f);
	}
}

static void attack_forge(struct attacker *a, const struct frame *from)
{
	struct frame f;
	unsigned int i;

	for (i = 0; i < a->o.count; i++) {
		f = *from;
		raise_counter(&f, 1 + random() % 0xffffff);
		transmit(a, &f);
	}
}

/*
 * From unused addresses, so that a key is wanted for each.  The addresses of the
 * nodes are lower: IP takes nothing from the victim's own, and the address of a
 * member is no unknown peer.
 */
static void attack_unknown_peers(struct attacker *a, const struct frame *from)
{
	struct frame f;
	unsigned int i;

	for (i = 0; i < a->o.count; i++) {
		f = *from;
		frame_put(&f, f.dst - 2, 0x8000 + random() % 0x7fff, 2);
		if (!f.is_v6)
			frame_ip_checksum(&f);
		transmit(a, &f);
	}
}

/* Back to who has sealed it, as if its receiver had. */
static void attack_reflect(struct attacker *a, const struct frame *from)
{
	struct frame f = *from;

	memcpy(f.bytes, from->bytes + 6, 6);
	memcpy(f.bytes + f.src, from->bytes + f.dst, f.addr_len);
	memcpy(f.bytes + f.dst, from->bytes + f.src, f.addr_len);
	transmit(a, &f);
}

/* To another FEP of its receiver. */
static void attack_redirect(struct attacker *a, const struct frame *from)
{
	struct frame f = *from;

	if (a->o.to_len != (int)f.addr_len)
		errx(1, "-d: an address of another family");
	memcpy(f.bytes + f.dst, a->o.to, f.addr_len);
	if (!f.is_v6)
		frame_ip_checksum(&f);
	transmit(a, &f);
}

/* The header of a packet says what -D, -S, -a and -e want. */
static void put_lies(struct frame *f, const struct options *o)
{
	size_t grow = o->ssi >= 0 && !f->has_ssi ? 4 : 0;

	if (grow) {
		memmove(f->bytes + f->epoch + 4, f->bytes + f->epoch,
			f->len - f->epoch);
		f->len += 4;
		f->bytes[f->tss] |= 4;
		frame_parse(f);
	}
	if (o->ssi >= 0)
		frame_put(f, f->tss + 4, o->ssi, 4);
	if (o->sdi >= 0)
		frame_put(f, f->tss + SDI_AT, o->sdi, 3);
	if (o->an >= 0)
		f->bytes[f->tss] = (f->bytes[f->tss] & ~1) | o->an;
	if (o->epoch >= 0)
		frame_put(f, f->epoch, o->epoch, 2);
	raise_counter(f, o->add);
}

/* A member's packet, with what it says changed, and sealed again. */
static void attack_reseal(struct attacker *a, const struct frame *from)
{
	struct frame f = *from;

	if (!frame_crypt(&f, &a->o.key, false))
		errx(1, "the key opens no frame");
	put_lies(&f, &a->o);
	frame_finish(&f);
	frame_crypt(&f, &a->o.forger, true);
	transmit(a, &f);
}

/* A NACK or CP, 16 bytes, for a PDC. */
static void put_control(struct packet *p, unsigned int kind, unsigned int id)
{
	p->len = 0;
	if (!kind) {
		put_prologue(p, NACK, 0, 0);
		put(p, CODE_INV_DPDCID, 1);
		put(p, 0, 1);
		put(p, 0, 4);
	} else {
		put_prologue(p, CP, kind, F_AR);
		put(p, 0, 2);
		put(p, 0, 4);
	}
	put(p, id + 1, 2);
	put(p, id, 2);
	put(p, 0xffffffff, 4);
}

/* Behind the header of a packet, or without it. */
static void send_control(struct attacker *a, const struct frame *from,
			 const struct packet *p, bool seals)
{
	struct frame f = *from;
	size_t at = seals ? f.text : f.tss;

	memcpy(f.bytes + at, p->bytes, p->len);
	f.len = at + p->len + (seals ? ICV_LEN : 0);
	raise_counter(&f, seals ? 1 + a->sent + a->o.add : 0);
	frame_finish(&f);
	if (seals)
		frame_crypt(&f, &a->o.forger, true);
	transmit(a, &f);
}

static void put_controls(struct attacker *a, const struct frame *f, bool seals)
{
	static const unsigned int kinds[] = { 0, CTL_CLOSE, CTL_CREDIT };
	struct packet p;
	unsigned int i, k;

	for (i = 0; i < a->o.nr_ids; i++)
		for (k = 0; k < 3; k++) {
			put_control(&p, kinds[k], a->o.ids[i]);
			send_control(a, f, &p, seals);
		}
}

static void attack_control(struct attacker *a, const struct frame *f)
{
	put_controls(a, f, true);
}

static void attack_clear(struct attacker *a, const struct frame *f)
{
	put_controls(a, f, false);
}

static const struct {
	const char *name;
	void (*attack)(struct attacker *a, const struct frame *f);
	const char *what;
} attacks[] = {
	{ "replay", attack_replay, "as they are" },
	{ "bits", attack_bits, "each bit of headers and ICV turned" },
	{ "source", attack_source, "each bit of the source address turned" },
	{ "lengths", attack_lengths, "cut to each length" },
	{ "forge", attack_forge, "COUNT times with another counter" },
	{ "unknown-peers", attack_unknown_peers,
	  "COUNT times from other addresses" },
	{ "reflect", attack_reflect, "back to the sender, ends swapped" },
	{ "redirect", attack_redirect, "to another address" },
	{ "reseal", attack_reseal, "sealed again by a member who lies" },
	{ "control", attack_control, "NACK, CLOSE, CREDIT for PDCs, sealed" },
	{ "clear", attack_clear, "the same in clear" },
};

static void usage(void)
{
	size_t i;

	fprintf(stderr,
		"usage: tss_attack [OPTIONS] ATTACK FILE NETDEV\n"
		"       tss_attack -k KEY client-key SSI|ADDRESS\n"
		"  -k KEY    of the domain, as ueadm has it\n"
		"  -K KEY    to forge with (that of -k)\n"
		"  -M MODE   direct, cluster (the default), server or client: whose\n"
		"            packets the capture has\n"
		"  -f N      the first N frames only\n"
		"  -n COUNT  how many (1000)\n"
		"  -s SEED   of all that is random (1)\n"
		"  -w US     wait so long after each frame (0)\n"
		"  -d ADDR   redirect: where to\n"
		"  -i PDCID  control, clear: a PDC, may be repeated\n"
		"  -D SDI -S SSI -a AN -e EPOCH -c ADD  reseal: what to say\n"
		"attacks:\n");
	for (i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		fprintf(stderr, "  %-10s %s\n", attacks[i].name, attacks[i].what);
	exit(2);
}

static void set_mode(struct sealed_key *key, const char *name)
{
	if (!strcmp(name, "direct"))
		key->mode = MODE_DIRECT;
	else if (!strcmp(name, "cluster"))
		key->mode = MODE_CLUSTER;
	else if (!strcmp(name, "server") || !strcmp(name, "client"))
		key->mode = MODE_SERVER;
	else
		usage();
	key->from_server = !strcmp(name, "server");
}

static void set_address(struct options *o, const char *text)
{
	o->to_len = 4;
	if (inet_pton(AF_INET, text, o->to) == 1)
		return;
	o->to_len = 16;
	if (inet_pton(AF_INET6, text, o->to) != 1)
		usage();
}

static void parse_options(struct options *o, int argc, char **argv)
{
	const char *mode = "cluster", *forger = NULL, *key = NULL;
	int opt;

	*o = (struct options){
		.count = 1000, .first = FRAMES_MAX,
		.sdi = -1, .ssi = -1, .an = -1, .epoch = -1,
	};
	while ((opt = getopt(argc, argv, "k:K:M:f:n:s:w:d:i:D:S:a:e:c:")) != -1) {
		switch (opt) {
		case 'k': key = optarg; break;
		case 'K': forger = optarg; break;
		case 'M': mode = optarg; break;
		case 'f': o->first = atoi(optarg); break;
		case 'n': o->count = atoi(optarg); break;
		case 's': srandom(atoi(optarg)); break;
		case 'w': o->pause_us = atoi(optarg); break;
		case 'd': set_address(o, optarg); break;
		case 'D': o->sdi = atol(optarg); break;
		case 'S': o->ssi = atol(optarg); break;
		case 'a': o->an = atol(optarg); break;
		case 'e': o->epoch = atol(optarg); break;
		case 'c': o->add = atol(optarg); break;
		case 'i':
			if (o->nr_ids < IDS_MAX)
				o->ids[o->nr_ids++] = atoi(optarg);
			break;
		default: usage();
		}
	}
	if (key)
		sealed_key_parse(&o->key, key);
	set_mode(&o->key, mode);
	o->forger = o->key;
	if (forger)
		sealed_key_parse(&o->forger, forger);
}

static void read_frames(struct attacker *a, const char *name)
{
	FILE *file = sealed_open_file(name);

	a->frames = calloc(FRAMES_MAX, sizeof(*a->frames));
	if (!a->frames)
		err(1, "frames");
	while (a->nr < a->o.first && a->nr < FRAMES_MAX &&
	       frame_next(file, &a->frames[a->nr]))
		a->nr += frame_is_sealed(&a->frames[a->nr]);
	fclose(file);
}

static int run(struct attacker *a, char **argv)
{
	unsigned int i, n;

	for (i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		if (!strcmp(attacks[i].name, argv[0]))
			break;
	if (i == sizeof(attacks) / sizeof(attacks[0]))
		usage();
	read_frames(a, argv[1]);
	a->fd = socket(AF_PACKET, SOCK_RAW, 0);
	a->to = (struct sockaddr_ll) {
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(argv[2]),
	};
	if (a->fd < 0 || !a->to.sll_ifindex)
		err(1, "%s", argv[2]);
	for (n = 0; n < a->nr; n++)
		attacks[i].attack(a, &a->frames[n]);
	printf("sent=%lu frames=%u\n", a->sent, a->nr);
	return 0;
}

/* The key of a client in mode server, for epoch 0, as ueadm reads it. */
static int client_key(const struct sealed_key *key, const char *who)
{
	uint8_t id[16], out[DERIVED_LEN], text[2 * DERIVED_LEN];
	size_t len = 4;

	if (inet_pton(AF_INET6, who, id) == 1)
		len = 16;
	else if (inet_pton(AF_INET, who, id) != 1)
		for (int i = 0; i < 4; i++)
			id[i] = atol(who) >> 8 * (3 - i);
	sealed_kdf(key, 0, 0, id, len, out);
	EVP_EncodeBlock(text, out, DERIVED_LEN);
	puts((char *)text);
	return 0;
}

int main(int argc, char **argv)
{
	static struct attacker a;

	srandom(1);
	parse_options(&a.o, argc, argv);
	argv += optind;
	argc -= optind;
	if (argc == 2 && !strcmp(argv[0], "client-key"))
		return client_key(&a.o.key, argv[1]);
	if (argc != 3)
		usage();
	return run(&a, argv);
}
