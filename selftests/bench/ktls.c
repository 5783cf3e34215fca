// SPDX-License-Identifier: GPL-2.0
/*
 * A library for LD_PRELOAD that seals TCP connections by kernel TLS:
 * AES-256-GCM, the cipher of UET's security, under a public test key.  There is
 * no handshake, because the handshake is not measured.  Level: test.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void seal(int fd)
{
	struct tls12_crypto_info_aes_gcm_256 info = {
		.info = {
			.version = TLS_1_3_VERSION,
			.cipher_type = TLS_CIPHER_AES_GCM_256,
		},
		.key = "this is a key for the benchmark",
	};

	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) ||
	    setsockopt(fd, SOL_TLS, TLS_TX, &info, sizeof(info)) ||
	    setsockopt(fd, SOL_TLS, TLS_RX, &info, sizeof(info))) {
		fprintf(stderr, "ktls: %s\n", strerror(errno));
		exit(1);
	}
}

int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	int (*next)(int, const struct sockaddr *, socklen_t) =
		dlsym(RTLD_NEXT, "connect");
	int ret = next(fd, addr, len);

	if (!ret && (addr->sa_family == AF_INET || addr->sa_family == AF_INET6))
		seal(fd);
	return ret;
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	int (*next)(int, struct sockaddr *, socklen_t *, int) =
		dlsym(RTLD_NEXT, "accept4");
	int ret = next(fd, addr, len, flags);

	if (ret >= 0)
		seal(ret);
	return ret;
}
