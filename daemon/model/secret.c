// SPDX-License-Identifier: GPL-2.0
/*
 * Keys in memory and derived keys.  The key derivation function is that of NIST
 * SP 800-108 in counter mode with AES-256-CMAC, which UE 1.0.1 3.7 uses for the
 * keys of senders.  The labels are our own, so that no key derived here equals
 * a key derived on the wire.  Level: tool.
 */
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "secret.h"

/* Label for deriving the key of a period from a domain's key, SDI and number. */
#define LABEL_PERIOD	"uetd period"
/* Label for the check value of any key. */
#define LABEL_CHECK	"uetd check"

/**
 * uetd_secret_new() - memory for a key
 *
 * Without the right to lock memory, the key may be swapped.  The
 * process exits if there is no memory.
 *
 * Return: the memory, zero.
 */
struct uetd_secret *uetd_secret_new(void)
{
	void *page = mmap(NULL, sizeof(struct uetd_secret),
			  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED) {
		fputs("uetd: out of memory\n", stderr);
		exit(1);
	}
	madvise(page, sizeof(struct uetd_secret), MADV_DONTDUMP);
	madvise(page, sizeof(struct uetd_secret), MADV_WIPEONFORK);
	mlock(page, sizeof(struct uetd_secret));
	return page;
}

/**
 * uetd_secret_free() - overwrite and free a key
 * @secret: a key, or NULL
 */
void uetd_secret_free(struct uetd_secret *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, sizeof(*secret));
	munmap(secret, sizeof(*secret));
}

static void put_be32(uint8_t *buf, uint32_t value)
{
	buf[0] = value >> 24;
	buf[1] = value >> 16;
	buf[2] = value >> 8;
	buf[3] = value;
}

static bool derive(const uint8_t *key, const char *label,
		   const uint8_t *context, size_t context_len, uint8_t *out,
		   size_t out_len)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_MAC,
						 (char *)"CMAC", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_CIPHER,
						 (char *)"AES-256-CBC", 0),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY,
						  (void *)key, UETD_KEY_LEN),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT,
						  (void *)label,
						  strlen(label)),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO,
						  (void *)context,
						  context_len),
		OSSL_PARAM_construct_end(),
	};
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, "KBKDF", NULL);
	EVP_KDF_CTX *ctx = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
	bool is_good = ctx && EVP_KDF_derive(ctx, out, out_len, params) > 0;

	EVP_KDF_CTX_free(ctx);
	EVP_KDF_free(kdf);
	return is_good;
}

/**
 * uetd_secret_check() - check value that identifies a key without revealing it
 * @secret: the key
 * @len: length of the key with its mask, bytes
 * @check: result, never 0
 *
 * The check value only shows whether two keys are equal.
 *
 * Return: false if the library lacks the function.
 */
bool uetd_secret_check(const struct uetd_secret *secret, size_t len,
		       uint32_t *check)
{
	uint8_t out[4];

	if (!derive(secret->bytes, LABEL_CHECK, secret->bytes + UETD_KEY_LEN,
		    len - UETD_KEY_LEN, out, sizeof(out)))
		return false;
	*check = (uint32_t)out[0] << 24 | out[1] << 16 | out[2] << 8 | out[3];
	if (!*check)
		*check = 1;
	return true;
}

/**
 * uetd_secret_period() - the key of a domain in a period
 * @secret: that of its file
 * @sdi: of the domain, so that two domains never have the same keys
 * @number: of the period
 * @key: result, UETD_KEY_LEN bytes; the caller overwrites it
 *
 * Return: false if the library lacks the function.
 */
bool uetd_secret_period(const struct uetd_secret *secret, uint32_t sdi,
			uint32_t number, uint8_t *key)
{
	uint8_t context[8];

	put_be32(context, sdi);
	put_be32(context + 4, number);
	return derive(secret->bytes, LABEL_PERIOD, context, sizeof(context),
		      key, UETD_KEY_LEN);
}
