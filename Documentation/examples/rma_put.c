// SPDX-License-Identifier: GPL-2.0
/*
 * Write remote memory: the target registers memory and sends its key to the writer.
 * The writer puts bytes into the memory, and completion data reports to the target
 * that all bytes are there.
 *
 *	node2$ rma_put
 *	node1$ rma_put 10.0.0.2 "some text"
 */
#include "common.h"

#define PID	23	/* PIDonFEP of the target */
#define OFFSET	100	/* offset of the text in the region, bytes */

static void writer(const char *fa, const char *text)
{
	const struct iovec iov = { (char *)text, strlen(text) };
	struct uet_request put = {
		.opcode = UET_OP_WRITE, .flags = UET_F_HDATA | UET_F_WAIT,
		.iov = &iov, .iov_count = 1, .header_data = 2026,
		.rma = { .offset = OFFSET },
	};
	struct uet *u = open_to(SOCK_RDM, fa, PID, &put.peer);

	ask(u, put.peer, &put.rma.key, sizeof(put.rma.key));
	/* uet_put() is the short form, without completion data. */
	must(u, uet_request(u, &put));
	printf("written\n");
	finish(u);
}

static void target(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	static char memory[1 << 16];
	__u64 key = mem_reg(u, memory, sizeof(memory), UET_MR_WRITE);
	struct uet_ctx ctx;

	answer(u, &key, sizeof(key));
	/* The completion data of a write comes as a message without bytes. */
	must(u, uet_recv(u, NULL, 0, 0, &ctx, NULL));
	printf("%u bytes, completion data %llu: %s\n", ctx.length,
	       ctx.header_data, memory + OFFSET);
	finish(u);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		writer(argv[1], argv[2]);
	else
		target();
	return 0;
}
