// SPDX-License-Identifier: GPL-2.0
/*
 * Sends the frames of a capture again, in their order, on a netdev.  They have
 * to be Ethernet frames in a file of the host's byte order, as tcpdump writes
 * them.  It prints how many there were.  Level: test.
 */
#include <err.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define FRAME_MAX	16384

struct file_head {
	uint32_t magic, version, zone, accuracy, snaplen, link;
};

struct record_head {
	uint32_t sec, usec, captured, length;
};

static int open_netdev(const char *name, struct sockaddr_ll *to)
{
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	*to = (struct sockaddr_ll){
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(name),
	};
	if (fd < 0 || !to->sll_ifindex)
		err(1, "%s", name);
	return fd;
}

int main(int argc, char **argv)
{
	static uint8_t frame[FRAME_MAX];
	struct record_head record;
	struct sockaddr_ll to;
	struct file_head head;
	uint64_t sent = 0;
	FILE *file;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: replay FILE NETDEV\n");
		return 2;
	}
	file = fopen(argv[1], "r");
	if (!file || fread(&head, sizeof(head), 1, file) != 1 ||
	    head.magic != 0xa1b2c3d4)
		errx(1, "%s: no pcap file of this byte order", argv[1]);
	fd = open_netdev(argv[2], &to);
	while (fread(&record, sizeof(record), 1, file) == 1) {
		if (record.captured > FRAME_MAX ||
		    fread(frame, record.captured, 1, file) != 1)
			errx(1, "%s: a frame is cut short", argv[1]);
		while (sendto(fd, frame, record.captured, 0, (void *)&to,
			      sizeof(to)) < 0)
			if (errno != ENOBUFS)
				err(1, "sendto");
		sent++;
	}
	printf("sent=%llu\n", (unsigned long long)sent);
	return 0;
}
