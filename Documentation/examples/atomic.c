// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic operations: the owner registers a counter, and the client adds 1 to the
 * counter several times.  Each operation returns the value that the counter had
 * before, so that many clients could draw numbers without a conflict.
 *
 *	node2$ atomic
 *	node1$ atomic 10.0.0.2
 */
#include "common.h"

#define PID	33	/* PIDonFEP of the owner */
#define COUNT	10

static void add_one(int fd, __u64 key, __u64 local_key)
{
	const struct uet_rma rma = { .key = key };
	const struct uet_atomic sum = {
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT64,
	};
	const struct uet_local local = { .key = local_key };
	const __u64 one = 1;	/* the operand is the payload */
	struct message m;

	message_init(&m, &one, sizeof(one));
	add_op(&m, UET_OP_FETCHING_ATOMIC, UET_OP_COMPLETE, 0);
	add_control(&m, UET_CMSG_RMA, &rma, sizeof(rma));
	add_control(&m, UET_CMSG_ATOMIC, &sum, sizeof(sum));
	add_control(&m, UET_CMSG_LOCAL, &local, sizeof(local));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "add");
	must_complete(fd);
}

static __u64 register_value(int fd, volatile __u64 *value, __u32 access)
{
	struct uet_mr_reg reg = {
		.addr = (unsigned long)value, .length = sizeof(*value),
		.access = access,
	};

	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	return reg.key;
}

static void client(int fd, const char *fa)
{
	static volatile __u64 ticket;
	__u64 key, local_key;
	int i;

	connect_to(fd, fa, PID);
	local_key = register_value(fd, &ticket, 0);
	ask(fd, &key, sizeof(key));
	for (i = 0; i < COUNT; i++)
		add_one(fd, key, local_key);
	printf("the last ticket is %llu\n", ticket);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void owner(int fd)
{
	static volatile __u64 counter;
	__u64 key;

	bind_to(fd, NULL, PID);
	key = register_value(fd, &counter, UET_MR_ATOMIC);
	answer(fd, &key, sizeof(key));
	if (recv(fd, NULL, 0, 0) < 0)	/* until the client has ended */
		fail(fd, "receive");
	printf("the counter is %llu\n", counter);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		client(fd, argv[1]);
	else
		owner(fd);
	return 0;
}
