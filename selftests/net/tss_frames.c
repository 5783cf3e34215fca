// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed packets of a capture, seen from outside: opened with libcrypto, by what
 * the specification says and without our code; or sent again, whole, with one
 * bit wrong, with another counter, cut, or in clear.  Frames are Ethernet, IPv4, UDP, mode cluster,
 * without SSI.
 *
 *	tss_frames open FILE KEY	prints frames, opened and clear
 *	tss_frames replay|flip|forge|cut|clear FILE NETDEV [SEED]	prints sent
 *
 * Spec: UE 1.0.1 3.7.  Level: test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define FRAME_MAX	16384
#define ETH_LEN		14
#define UDP_AT		(ETH_LEN + 20)
#define TSS_AT		(UDP_AT + 8)
#define TEXT_AT		(TSS_AT + 12)
#define ICV_LEN		16

struct file_head {
	uint32_t magic, version, zone, accuracy, snaplen, link;
};

struct record_head {
	uint32_t sec, usec, captured, length;
};

static void die(const char *what)
{
	fprintf(stderr, "tss_frames: %s: %s\n", what, strerror(errno));
	exit(1);
}

static FILE *open_file(const char *name)
{
	struct file_head head;
	FILE *file = fopen(name, "r");

	if (!file || fread(&head, sizeof(head), 1, file) != 1 ||
	    head.magic != 0xa1b2c3d4)
		die(name);
	return file;
}

/* Return: bytes of the next frame, 0 at the end. */
static size_t next_frame(FILE *file, uint8_t *frame)
{
	struct record_head record;

	if (fread(&record, sizeof(record), 1, file) != 1)
		return 0;
	if (record.captured > FRAME_MAX || record.captured < TEXT_AT ||
	    fread(frame, record.captured, 1, file) != 1)
		die("frame");
	return record.captured;
}

/* Bytes of the security header that make the key: epoch, and counter 47..32. */
static void derive(const uint8_t *base, const uint8_t *frame, uint8_t *out)
{
	const uint8_t *tss = frame + TSS_AT;
	uint8_t msg[16] = { 0, 'U', '1', 0, tss[4], tss[5], 0, 0, tss[6], tss[7] };
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "CMAC", NULL);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);
	char name[] = "AES-256-CBC";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0),
		OSSL_PARAM_construct_end(),
	};
	size_t n;
	int i;

	memcpy(msg + 10, frame + ETH_LEN + 12, 4);
	msg[14] = 0x01;
	msg[15] = 0x60;
	for (i = 0; i < 3; i++) {
		msg[0] = i + 1;
		if (!EVP_MAC_init(c, base, 32, params) ||
		    !EVP_MAC_update(c, msg, sizeof(msg)) ||
		    !EVP_MAC_final(c, out + 16 * i, &n, 16))
			die("CMAC");
	}
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(mac);
}

/* Return: its ICV is right. */
static bool open_frame(const uint8_t *base, uint8_t *frame, size_t len)
{
	uint8_t derived[48], iv[12], aad[8 + 8 + 12];
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool ok;
	int i, n;

	derive(base, frame, derived);
	memcpy(iv, frame + ETH_LEN + 12, 4);
	memcpy(iv + 4, frame + TSS_AT + 4, 8);
	for (i = 0; i < 12; i++)
		iv[i] ^= derived[32 + i];
	memcpy(aad, frame + ETH_LEN + 12, 8);
	memcpy(aad + 8, frame + UDP_AT, 8);
	aad[8 + 6] = 0;
	aad[8 + 7] = 0;
	memcpy(aad + 16, frame + TSS_AT, 12);
	if (!EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, derived, iv) ||
	    !EVP_DecryptUpdate(c, NULL, &n, aad, sizeof(aad)) ||
	    !EVP_DecryptUpdate(c, frame + TEXT_AT, &n, frame + TEXT_AT,
			       len - TEXT_AT - ICV_LEN))
		die("GCM");
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, ICV_LEN,
			    frame + len - ICV_LEN);
	ok = EVP_DecryptFinal_ex(c, iv, &n) > 0;
	EVP_CIPHER_CTX_free(c);
	return ok;
}

static int run_open(FILE *file, const char *text)
{
	unsigned int nr = 0, opened = 0, clear = 0;
	static uint8_t frame[FRAME_MAX];
	uint8_t base[33];
	size_t len;

	/* 32 bytes in base64: 44 characters, the last of them '='. */
	if (strlen(text) != 44 ||
	    EVP_DecodeBlock(base, (const uint8_t *)text, 44) != 33)
		die("key");
	while ((len = next_frame(file, frame))) {
		nr++;
		if (frame[TSS_AT] >> 3 != 1)
			clear++;
		else
			opened += open_frame(base, frame, len);
	}
	printf("frames=%u opened=%u clear=%u\n", nr, opened, clear);
	return 0;
}

static void put16(uint8_t *at, size_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static void ip_checksum(uint8_t *ip)
{
	uint32_t sum = 0;
	int i;

	put16(ip + 10, 0);
	for (i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~sum & 0xffff);
}

/* The counter of a security header, 48 bits, becomes greater by @n. */
static void raise_counter(uint8_t *frame, uint64_t n)
{
	int i;

	for (i = TSS_AT + 11; i >= TSS_AT + 6; i--) {
		n += frame[i];
		frame[i] = n;
		n >>= 8;
	}
}

/* Return: its length now. */
static size_t spoil(const char *how, uint8_t *frame, size_t len)
{
	size_t bit;

	if (!strcmp(how, "flip")) {
		bit = 8 * TSS_AT + random() % (8 * (len - TSS_AT));
		frame[bit / 8] ^= 1 << bit % 8;
	} else if (!strcmp(how, "forge")) {
		/* A counter that has not come, or the receiver looks no further. */
		raise_counter(frame, (1 + random() % 100) << 24 |
				     (random() & 0xffffff));
	} else if (!strcmp(how, "cut")) {
		len = TSS_AT + 1 + random() % (len - TSS_AT - 1);
		put16(frame + ETH_LEN + 2, len - ETH_LEN);
		ip_checksum(frame + ETH_LEN);
		put16(frame + UDP_AT + 4, len - UDP_AT);
	} else if (!strcmp(how, "clear")) {
		/* A RUD request with SYN, or another type. */
		frame[TSS_AT] = (2 + random() % 13) << 3 | 1;
	} else if (strcmp(how, "replay")) {
		die(how);
	}
	return len;
}

static int run_send(const char *how, FILE *file, const char *netdev)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(netdev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	static uint8_t frame[FRAME_MAX];
	unsigned int sent = 0;
	size_t len;

	if (fd < 0 || !to.sll_ifindex)
		die(netdev);
	while ((len = next_frame(file, frame))) {
		len = spoil(how, frame, len);
		if (sendto(fd, frame, len, 0, (struct sockaddr *)&to,
			   sizeof(to)) != (ssize_t)len)
			die("sendto");
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
		return run_open(open_file(argv[2]), argv[3]);
	return run_send(argv[1], open_file(argv[2]), argv[3]);
}
