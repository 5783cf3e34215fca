// SPDX-License-Identifier: GPL-2.0
/*
 * Write remote memory without a PDC (RUDI): the target registers memory that may be
 * written twice without harm, and keeps no state of the writer.  The writer waits
 * for the end of the operation and then reports to the target.
 *
 *	node2$ rma_rudi
 *	node1$ rma_rudi 10.0.0.2 "some text"
 */
#include "common.h"

#define PID	34	/* PIDonFEP of the target */

static void writer(const char *fa, const char *text)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	struct uet_rma to = { .offset = 0 };

	ask(u, peer, &to.key, sizeof(to.key));
	must(u, uet_put(u, peer, to, text, strlen(text), UET_F_RUDI | UET_F_WAIT, 0));
	printf("%zu bytes written\n", strlen(text));
	send_end(u, peer);
	finish(u);
}

static void target(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	static char memory[4096];
	__u64 key;

	must(u, uet_mem_reg(u, memory, sizeof(memory), UET_MR_WRITE,
			    UET_MR_IDEMPOTENT_SAFE, &key));
	/* The key has UET_MR_KEY_IDEMPOTENT_SAFE, which the writer needs. */
	answer(u, &key, sizeof(key));
	wait_for_end(u);
	printf("there is: %s\n", memory);
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		writer(argv[1], argv[2]);
	else
		target();
	return 0;
}
