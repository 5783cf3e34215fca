/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AES-256-CMAC and AES-256-GCM for who tests the core of secure domains in user
 * space: from libcrypto, which shares nothing with ours.  Level: test.
 */
#ifndef UET_SELFTESTS_TSSCIPHER_H
#define UET_SELFTESTS_TSSCIPHER_H

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tss/tss.h"

__maybe_unused static void tsst_die(const char *what)
{
	printf("Bail out! libcrypto: %s\n", what);
	exit(1);
}

/* For struct uet_tss_ops; @ctx counts the calls, if it is there. */
__maybe_unused static int tsst_cmac(void *ctx, const u8 *key, const u8 *msg,
				    size_t len, u8 *mac)
{
	EVP_MAC *cmac = EVP_MAC_fetch(NULL, "CMAC", NULL);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(cmac);
	char name[] = "AES-256-CBC";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0),
		OSSL_PARAM_construct_end(),
	};
	size_t n = 0;

	if (ctx)
		(*(unsigned int *)ctx)++;
	if (!c || !EVP_MAC_init(c, key, UET_TSS_KEY_LEN, params) ||
	    !EVP_MAC_update(c, msg, len) ||
	    !EVP_MAC_final(c, mac, &n, UET_TSS_MAC_LEN) || n != UET_TSS_MAC_LEN)
		tsst_die("CMAC");
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(cmac);
	return 0;
}

__maybe_unused static const struct uet_tss_ops tsst_ops = { .cmac = tsst_cmac };

/* AES-256-GCM in place, the ICV behind @len bytes. Return: the ICV is right. */
__maybe_unused static bool tsst_gcm(bool seal, const u8 *key, const u8 *iv,
				    const u8 *aad, size_t aad_len, u8 *text,
				    size_t len)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool ok;
	int n;

	if (!c || !EVP_CipherInit_ex(c, EVP_aes_256_gcm(), NULL, key, iv, seal) ||
	    !EVP_CipherUpdate(c, NULL, &n, aad, (int)aad_len) ||
	    !EVP_CipherUpdate(c, text, &n, text, (int)len))
		tsst_die("GCM");
	if (!seal)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, UET_ICV_LEN,
				    text + len);
	ok = EVP_CipherFinal_ex(c, text + len, &n) > 0;
	if (seal)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, UET_ICV_LEN,
				    text + len);
	EVP_CIPHER_CTX_free(c);
	return ok;
}

#endif /* UET_SELFTESTS_TSSCIPHER_H */
