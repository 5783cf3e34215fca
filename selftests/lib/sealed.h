/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sealed packets of a capture, as somebody on the network has them: where their
 * parts are, and, for who has the key of the domain, how they are opened and sealed.
 * By what the specification says, with libcrypto, and without our code.  Frames are
 * Ethernet, IPv4 or IPv6, UDP or native, with SSI or without.  Level: test.
 *
 * Spec: UE 1.0.1 3.7.
 */
#ifndef UET_SELFTESTS_SEALED_H
#define UET_SELFTESTS_SEALED_H

#include <arpa/inet.h>
#include <err.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAX	16384
#define ETH_LEN		14
#define UDP_LEN		8
#define ICV_LEN		16
#define KEY_LEN		32
#define DERIVED_LEN	44
#define SDI_AT		1	/* of a security header */
#define TYPE_TSS	1
#define EPOCH_LEN	8	/* with the counter */

enum sealed_mode { MODE_DIRECT, MODE_CLUSTER, MODE_SERVER };

/* A key of a domain; in mode server, @client says which end a packet is from. */
struct sealed_key {
	uint8_t base[KEY_LEN + 1];
	enum sealed_mode mode;
	bool from_server;
};

/* A frame: its parts, as offsets; @epoch is where epoch and counter are. */
struct frame {
	uint8_t bytes[FRAME_MAX];
	size_t len;
	bool is_v6, is_udp, has_ssi;
	size_t src, dst, addr_len, l4, tss, epoch, text;
};

struct capture_head {
	uint32_t magic, version, zone, accuracy, snaplen, link;
};

struct capture_record {
	uint32_t sec, usec, captured, length;
};

static FILE *sealed_open_file(const char *name)
{
	struct capture_head head;
	FILE *file = fopen(name, "r");

	if (!file || fread(&head, sizeof(head), 1, file) != 1 ||
	    head.magic != 0xa1b2c3d4)
		errx(1, "%s: no pcap file of this byte order", name);
	return file;
}

/* Return: it is sealed; what it says, it says. */
static bool frame_is_sealed(const struct frame *f)
{
	return f->len > f->tss && f->bytes[f->tss] >> 3 == TYPE_TSS;
}

static void frame_parse(struct frame *f)
{
	size_t ip = ETH_LEN;

	f->is_v6 = f->bytes[12] == 0x86;
	f->addr_len = f->is_v6 ? 16 : 4;
	f->src = ip + (f->is_v6 ? 8 : 12);
	f->dst = f->src + f->addr_len;
	f->l4 = f->dst + f->addr_len;
	f->is_udp = f->bytes[ip + (f->is_v6 ? 6 : 9)] == IPPROTO_UDP;
	f->tss = f->l4 + (f->is_udp ? UDP_LEN : 4);
	f->has_ssi = f->bytes[f->tss] & 4;
	f->epoch = f->tss + (f->has_ssi ? 8 : 4);
	f->text = f->epoch + EPOCH_LEN;
}

/* Return: there is one more. */
static bool frame_next(FILE *file, struct frame *f)
{
	struct capture_record record;

	if (fread(&record, sizeof(record), 1, file) != 1)
		return false;
	if (record.captured > FRAME_MAX || record.captured < ETH_LEN + 60 ||
	    fread(f->bytes, record.captured, 1, file) != 1)
		errx(1, "a frame is cut short");
	f->len = record.captured;
	frame_parse(f);
	return true;
}

static inline void frame_put(struct frame *f, size_t at, uint64_t value,
			     unsigned int bytes)
{
	while (bytes--)
		f->bytes[at++] = value >> 8 * bytes;
}

static inline uint64_t frame_get(const struct frame *f, size_t at,
				 unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | f->bytes[at++];
	return value;
}

static void frame_ip_checksum(struct frame *f)
{
	uint32_t sum = 0;
	size_t i;

	frame_put(f, ETH_LEN + 10, 0, 2);
	for (i = ETH_LEN; i < ETH_LEN + 20; i += 2)
		sum += frame_get(f, i, 2);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	frame_put(f, ETH_LEN + 10, ~sum & 0xffff, 2);
}

/* Lengths and checksums of what is there now; UET's UDP checksum is 0. */
static inline void frame_finish(struct frame *f)
{
	if (f->is_v6) {
		frame_put(f, ETH_LEN + 4, f->len - ETH_LEN - 40, 2);
	} else {
		frame_put(f, ETH_LEN + 2, f->len - ETH_LEN, 2);
		frame_ip_checksum(f);
	}
	if (f->is_udp && f->len >= f->l4 + UDP_LEN) {
		frame_put(f, f->l4 + 4, f->len - f->l4, 2);
		frame_put(f, f->l4 + 6, 0, 2);
	}
}

/* ----------------------------------------------------------------- ciphers */

/* A key as a file of ueadm has it: 32 bytes in base64. */
static inline void sealed_key_parse(struct sealed_key *key, const char *text)
{
	if (strlen(text) != 44 ||
	    EVP_DecodeBlock(key->base, (const uint8_t *)text, 44) != KEY_LEN + 1)
		errx(1, "a key is not 32 bytes in base64");
}

static void sealed_cmac(const uint8_t *key, const uint8_t *msg, size_t len,
			uint8_t *out)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "CMAC", NULL);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);
	char name[] = "AES-256-CBC";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0),
		OSSL_PARAM_construct_end(),
	};
	size_t n;

	if (!EVP_MAC_init(c, key, KEY_LEN, params) ||
	    !EVP_MAC_update(c, msg, len) || !EVP_MAC_final(c, out, &n, 16))
		errx(1, "libcrypto: CMAC");
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(mac);
}

/* SP 800-108 in counter mode; @id is an SSI or an address, 4 or 16 bytes. */
static inline void sealed_kdf(const struct sealed_key *key, uint16_t epoch,
			      uint32_t rekey, const uint8_t *id, size_t id_len,
			      uint8_t *out)
{
	uint8_t msg[64] = { 0, 'U', key->mode == MODE_SERVER ? '2' : '1' };
	size_t n = id_len == 16 ? 8 : 4;
	uint8_t round[16];
	int i;

	msg[n++] = epoch >> 8;
	msg[n++] = epoch;
	for (i = 24; i >= 0; i -= 8)
		msg[n++] = rekey >> i;
	memcpy(msg + n, id, id_len);
	n += id_len;
	msg[n++] = 8 * DERIVED_LEN >> 8;
	msg[n++] = 8 * DERIVED_LEN & 0xff;
	for (i = 0; i < 3; i++) {
		msg[0] = i + 1;
		sealed_cmac(key->base, msg, n, round);
		memcpy(out + 16 * i, round, i < 2 ? 16 : DERIVED_LEN - 32);
	}
}

/* The key of a frame, with what is laid over its IV; a domain's rekey-mask is
 * that of who says nothing.
 */
static void frame_derive(const struct frame *f, const struct sealed_key *key,
			 uint8_t *out)
{
	size_t who = key->from_server ? f->dst : f->src;
	uint32_t rekey = key->mode == MODE_CLUSTER ?
			 frame_get(f, f->epoch + 2, 2) : 0;

	if (key->mode == MODE_DIRECT) {
		memset(out, 0, DERIVED_LEN);
		memcpy(out, key->base, KEY_LEN);
		return;
	}
	sealed_kdf(key, frame_get(f, f->epoch, 2), rekey,
		   f->bytes + (f->has_ssi ? f->tss + 4 : who),
		   f->has_ssi ? 4 : f->addr_len, out);
}

static void frame_iv(const struct frame *f, const uint8_t *mask, uint8_t *iv)
{
	int i;

	if (f->has_ssi) {
		memcpy(iv, f->bytes + f->tss + 4, 4);
	} else if (f->is_v6) {
		iv[0] = 0;
		memcpy(iv + 1, f->bytes + f->tss + SDI_AT, 3);
	} else {
		memcpy(iv, f->bytes + f->src, 4);
	}
	memcpy(iv + 4, f->bytes + f->epoch, EPOCH_LEN);
	for (i = 0; i < 12; i++)
		iv[i] ^= mask[i];
}

/* Addresses, header of the carrier with a checksum of 0, security header. */
static size_t frame_aad(const struct frame *f, uint8_t *aad)
{
	size_t n = f->text - f->src;

	memcpy(aad, f->bytes + f->src, n);
	if (f->is_udp)
		memset(aad + (f->l4 - f->src) + 6, 0, 2);
	return n;
}

/* In place; the ICV is there, or space for it.  Return: the ICV is right. */
static inline bool frame_crypt(struct frame *f, const struct sealed_key *key,
			       bool seals)
{
	uint8_t derived[DERIVED_LEN], iv[12], aad[64];
	uint8_t *text = f->bytes + f->text, *icv = f->bytes + f->len - ICV_LEN;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	size_t aad_len = frame_aad(f, aad);
	bool ok;
	int n;

	frame_derive(f, key, derived);
	frame_iv(f, derived + KEY_LEN, iv);
	if (!EVP_CipherInit_ex(c, EVP_aes_256_gcm(), NULL, derived, iv, seals) ||
	    !EVP_CipherUpdate(c, NULL, &n, aad, (int)aad_len) ||
	    !EVP_CipherUpdate(c, text, &n, text, (int)(icv - text)))
		errx(1, "libcrypto: GCM");
	if (!seals)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, ICV_LEN, icv);
	ok = EVP_CipherFinal_ex(c, iv, &n) > 0;
	if (seals)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, ICV_LEN, icv);
	EVP_CIPHER_CTX_free(c);
	return ok;
}

#endif /* UET_SELFTESTS_SEALED_H */
