// SPDX-License-Identifier: GPL-2.0
/*
 * Read remote memory: the owner registers memory and sends its key and length to
 * the reader.  The reader reads the bytes, and a completion reports that the bytes
 * are in the memory of the reader.
 *
 *	node2$ rma_get
 *	node1$ rma_get 10.0.0.2
 */
#include "common.h"

#define PID	27	/* PIDonFEP of the owner */

/* Read from memory of the connected peer into the memory of @local. */
static void get(int fd, __u64 key, const struct uet_local *local)
{
	const struct uet_rma rma = { .key = key };
	struct message m;

	message_init(&m, NULL, 0);
	add_op(&m, UET_OP_READ, UET_OP_COMPLETE, 0);
	add_control(&m, UET_CMSG_RMA, &rma, sizeof(rma));
	add_control(&m, UET_CMSG_LOCAL, local, sizeof(*local));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "read");
}

static void reader(int fd, const char *fa)
{
	static char memory[1 << 16];
	/* Access 0: no peer can access the region. */
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct uet_local local = { 0 };
	__u64 where[2];		/* key and length, in host byte order */
	unsigned int len;

	connect_to(fd, fa, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	ask(fd, where, sizeof(where));
	local.key = reg.key;
	local.length = where[1];
	get(fd, where[0], &local);
	len = must_complete(fd).length;
	printf("%u bytes read: %.*s\n", len, (int)len, memory);
	if (send(fd, "thank you", 9, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void owner(int fd)
{
	static char memory[] = "kept far away";
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = strlen(memory),
		.access = UET_MR_READ,
	};
	__u64 where[2];

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	where[0] = reg.key;
	where[1] = reg.length;
	answer(fd, where, sizeof(where));
	/* The memory has to stay until the reader sends its last message. */
	if (recv(fd, NULL, 0, 0) < 0)
		fail(fd, "receive");
	printf("it was read\n");
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		reader(fd, argv[1]);
	else
		owner(fd);
	return 0;
}
