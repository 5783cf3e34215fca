// SPDX-License-Identifier: GPL-2.0
/*
 * Completions: the sender gives each message a cookie and takes completions when the
 * receiver has answered the messages.  The sender uses that to keep at most WINDOW
 * messages in flight.  The receiver takes messages until an empty message comes.
 *
 *	node2$ completions
 *	node1$ completions 10.0.0.2
 */
#include "common.h"

#define PID	22	/* PIDonFEP of the receiver */
#define COUNT	1000
#define WINDOW	16
#define SIZE	10000

/* Wait for completions.  Return: number of operations that they report. */
static unsigned int completions(struct uet *u)
{
	struct uet_completion done[8];
	char text[UET_ERROR_SIZE];
	unsigned int count = 0;
	int i, records = uet_wait(u, done, 8, -1);

	must(u, records);
	for (i = 0; i < records; i++) {
		if (done[i].error)
			errx(1, "message %llu: %s", done[i].cookie,
			     uet_completion_text(&done[i], text, sizeof(text)));
		/* One record covers operations with consecutive cookies. */
		count += done[i].count;
	}
	return count;
}

static void send_all(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	unsigned int sent, done = 0;
	static char buf[SIZE];

	for (sent = 0; sent < COUNT; sent++) {
		while (sent - done == WINDOW)
			done += completions(u);
		must(u, uet_send(u, peer, buf, sizeof(buf), UET_F_COMPLETE, sent));
	}
	while (done < sent)
		done += completions(u);
	printf("%u messages completed\n", done);
	send_end(u, peer);
	finish(u);
}

static void receive_all(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	unsigned int count = 0;
	char buf[SIZE];
	ssize_t len;

	while ((len = uet_recv(u, buf, sizeof(buf), 0, NULL, NULL)) > 0)
		count++;
	must(u, len);
	printf("%u messages received\n", count);
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		send_all(argv[1]);
	else
		receive_all();
	return 0;
}
