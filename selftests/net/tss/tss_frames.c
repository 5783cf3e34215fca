// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed packets of a capture, seen from outside: opened with libcrypto, by what
 * the specification says and without our code; or sent again, whole, with one
 * bit wrong, with another counter, cut, or in clear.
 *
 *	tss_frames open FILE KEY	prints frames, opened and clear
 *	tss_frames replay|flip|forge|cut|clear FILE NETDEV [SEED]	prints sent
 *
 * Spec: UE 1.0.1 3.7.  Level: test.
 */
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include "sealed.h"

static int run_open(FILE *file, const char *text)
{
	struct sealed_key key = { .mode = MODE_CLUSTER };
	unsigned int nr = 0, opened = 0, clear = 0;
	static struct frame f;

	sealed_key_parse(&key, text);
	while (frame_next(file, &f)) {
		nr++;
		if (frame_is_sealed(&f))
			opened += frame_crypt(&f, &key, false);
		else
			clear++;
	}
	printf("frames=%u opened=%u clear=%u\n", nr, opened, clear);
	return 0;
}

static void spoil(const char *how, struct frame *f)
{
	size_t bit;

	if (!strcmp(how, "flip")) {
		bit = 8 * f->tss + random() % (8 * (f->len - f->tss));
		f->bytes[bit / 8] ^= 1 << bit % 8;
	} else if (!strcmp(how, "forge")) {
		/* A counter that has not come, or the receiver looks no further. */
		frame_put(f, f->epoch + 2, frame_get(f, f->epoch + 2, 6) +
			  ((1 + random() % 100) << 24 | (random() & 0xffffff)), 6);
	} else if (!strcmp(how, "cut")) {
		f->len = f->tss + 1 + random() % (f->len - f->tss - 1);
		frame_finish(f);
	} else if (!strcmp(how, "clear")) {
		/* A RUD request with SYN, or another type. */
		f->bytes[f->tss] = (2 + random() % 13) << 3 | 1;
	} else if (strcmp(how, "replay")) {
		errx(1, "%s: no way to spoil a frame", how);
	}
}

static int run_send(const char *how, FILE *file, const char *netdev)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(netdev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	static struct frame f;
	unsigned int sent = 0;

	if (fd < 0 || !to.sll_ifindex)
		err(1, "%s", netdev);
	while (frame_next(file, &f)) {
		spoil(how, &f);
		if (sendto(fd, f.bytes, f.len, 0, (struct sockaddr *)&to,
			   sizeof(to)) != (ssize_t)f.len)
			err(1, "sendto");
		sent++;
	}
	printf("sent=%u\n", sent);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: tss_frames open FILE KEY | replay|flip|forge|cut|clear FILE NETDEV [SEED]\n");
		return 2;
	}
	srandom(argc > 4 ? atoi(argv[4]) : 1);
	if (!strcmp(argv[1], "open"))
		return run_open(sealed_open_file(argv[2]), argv[3]);
	return run_send(argv[1], sealed_open_file(argv[2]), argv[3]);
}
