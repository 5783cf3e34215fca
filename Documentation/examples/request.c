// SPDX-License-Identifier: GPL-2.0
/*
 * A server and its clients, with libuet: rank 0 answers requests in the order in which
 * they come.  Each other rank sends requests and waits for the answers; an empty message
 * says that it has ended.
 *
 *	gcc -o request request.c -luet
 *	ueadm job run -n 4 -- ./request
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <uet.h>

static void must(struct uet *u, long ret)
{
	if (ret < 0)
		errx(1, "rank %u: %s", uet_rank(u), uet_strerror(u));
}

static void serve(struct uet *u)
{
	unsigned int answered = 0, clients = uet_size(u) - 1;
	struct uet_ctx ctx;
	char text[128];
	ssize_t len, i;

	while (clients) {
		len = uet_recv(u, text, sizeof(text), 0, &ctx, NULL);
		must(u, len);
		for (i = 0; i < len; i++)
			text[i] = toupper(text[i]);
		if (len)
			must(u, uet_send(u, ctx.peer, text, len, 0, 0));
		answered += !!len;
		clients -= !len;
	}
	printf("%u requests answered\n", answered);
}

static void request(struct uet *u, int number)
{
	char text[128], answer[128] = "";

	snprintf(text, sizeof(text), "request %d of rank %u", number, uet_rank(u));
	must(u, uet_send(u, uet_peer(u, 0), text, strlen(text), 0, 0));
	must(u, uet_recv(u, answer, sizeof(answer) - 1, 0, NULL, NULL));
	if (strcasecmp(answer, text) || *answer != 'R')
		errx(1, "rank %u: the answer is %s", uet_rank(u), answer);
}

int main(void)
{
	char why[UET_ERROR_SIZE];
	struct uet *u = uet_open(NULL, why);
	int i;

	if (!u)
		errx(1, "%s", why);
	must(u, uet_barrier(u, -1));
	if (!uet_rank(u))
		serve(u);
	for (i = 0; uet_rank(u) && i < 3; i++)
		request(u, i);
	if (uet_rank(u))
		must(u, uet_send(u, uet_peer(u, 0), NULL, 0, 0, 0));
	must(u, uet_finish(u));
	uet_close(u);
	return 0;
}
