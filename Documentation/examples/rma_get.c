// SPDX-License-Identifier: GPL-2.0
/*
 * Read remote memory: the owner registers memory and sends its key and length to
 * the reader.  The reader waits until the bytes are in its own memory.
 *
 *	node2$ rma_get
 *	node1$ rma_get 10.0.0.2
 */
#include "common.h"

#define PID	27	/* PIDonFEP of the owner */

static void reader(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	static char memory[1 << 16];
	/* Access 0: no peer can access the region. */
	struct uet_local to = { .key = mem_reg(u, memory, sizeof(memory), 0) };
	__u64 where[2];		/* key and length, in host byte order */

	ask(u, peer, where, sizeof(where));
	to.length = where[1];
	must(u, uet_get(u, peer, (struct uet_rma){ .key = where[0] }, to, UET_F_WAIT, 0));
	printf("%u bytes read: %s\n", (unsigned int)to.length, memory);
	send_end(u, peer);
	finish(u);
}

static void owner(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	static char memory[] = "kept far away";
	const __u64 where[2] = {
		mem_reg(u, memory, strlen(memory), UET_MR_READ), strlen(memory),
	};

	answer(u, where, sizeof(where));
	wait_for_end(u);	/* the memory has to stay until then */
	printf("it was read\n");
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		reader(argv[1]);
	else
		owner();
	return 0;
}
