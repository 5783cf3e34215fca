// SPDX-License-Identifier: GPL-2.0
/*
 * A QP is connected to one address. Processes of the same job may have the number that the QP
 * of its peer has, on another host.  Level: test.
 *
 *	other_peer qp DEVICE PEER-FA GID
 *		make a QP that is connected to QP number PEER_QPN of PEER-FA, print its number, a
 *		key and an address; after SIGUSR1, print the first two bytes there
 *	other_peer write OWN-FA FA QPN KEY ADDRESS VALUE
 *		as an endpoint with the number PEER_QPN: write one byte, print 0 or an errno
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>

#include <infiniband/verbs.h>

#include "uetcmsg.h"

#define JOB		1
#define PEER_PID	1
#define PEER_RI		77
#define PEER_QPN	UET_INITIATOR_ID(PEER_PID, PEER_RI)

/* ------------------------------------------------------------------------------- qp */

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	int i;

	for (i = 0; list && list[i] && strcmp(ibv_get_device_name(list[i]), name); i++)
		;
	context = list && list[i] ? ibv_open_device(list[i]) : NULL;
	if (!context)
		err(1, "cannot open the device %s", name);
	return context;
}

static void connect_qp(struct ibv_qp *qp, const char *peer, int gid)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = PEER_QPN,
		.max_dest_rd_atomic = 1,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .sgid_index = gid, .hop_limit = 64 },
		},
	};

	/* An IPv4 address, mapped. */
	memset(attr.ah_attr.grh.dgid.raw + 10, 0xff, 2);
	if (inet_pton(AF_INET, peer, attr.ah_attr.grh.dgid.raw + 12) != 1)
		errx(1, "%s is no address", peer);
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		err(1, "the QP is not initialised");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		err(1, "the QP does not become ready to receive");
}

static int be_qp(const char *device, const char *peer, int gid)
{
	struct ibv_context *context = open_device(device);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	static uint8_t memory[4096];
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	sigset_t end;
	int number;

	sigemptyset(&end);
	sigaddset(&end, SIGUSR1);
	sigprocmask(SIG_BLOCK, &end, NULL);
	if (!pd || !cq)
		err(1, "no PD or CQ");
	qp = ibv_create_qp(pd, &init);
	mr = ibv_reg_mr(pd, memory, sizeof(memory),
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!qp || !mr)
		err(1, "no QP or region");
	connect_qp(qp, peer, gid);
	printf("%u %u %ju\n", qp->qp_num, mr->rkey, (uintmax_t)(uintptr_t)memory);
	fflush(stdout);
	sigwait(&end, &number);
	printf("%u %u\n", memory[0], memory[1]);
	return 0;
}

/* ---------------------------------------------------------------------------- write */

static struct sockaddr_uet address(const char *fa, uint32_t qpn)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET,
		.suet_version = UET_ADDR_VERSION,
		.suet_job = JOB,
		.suet_pid = UET_INITIATOR_PID(qpn),
		.suet_ri = UET_INITIATOR_RI(qpn),
	};

	if (inet_pton(AF_INET, fa, &addr.suet_fa4) != 1)
		errx(1, "%s is no address", fa);
	return addr;
}

/* Wait for the completion of the only operation. Return: 0, or its errno. */
static int result(int fd)
{
	struct pollfd wait = { .fd = fd };
	uint64_t control[32] = { 0 };
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct uet_completion rec;

	if (poll(&wait, 1, 60000) != 1)
		errx(1, "the write does not end");
	if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return errno;
	memcpy(&rec, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(rec));
	return rec.error;
}

static int be_writer(char **args)
{
	struct sockaddr_uet own = address(args[0], PEER_QPN);
	struct sockaddr_uet peer = address(args[1], strtoul(args[2], NULL, 10));
	uint8_t value = atoi(args[5]);
	struct uet_op op = { .opcode = UET_OP_WRITE, .flags = UET_OP_COMPLETE | UET_OP_ROD };
	struct uet_rma rma = {
		.key = strtoull(args[3], NULL, 10),
		.offset = strtoull(args[4], NULL, 10),
	};
	uint64_t control[32] = { 0 };
	struct iovec iov = { &value, 1 };
	struct msghdr msg = {
		.msg_name = &peer, .msg_namelen = sizeof(peer),
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (bind(fd, (struct sockaddr *)&own, sizeof(own)))
		err(1, "cannot bind to %s", args[0]);
	add_cmsg(&msg, UET_CMSG_OP, &op, sizeof(op));
	add_cmsg(&msg, UET_CMSG_RMA, &rma, sizeof(rma));
	if (sendmsg(fd, &msg, 0) != 1)
		err(1, "cannot write");
	printf("%s\n", strerrorname_np(result(fd)));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "qp"))
		return be_qp(argv[2], argv[3], atoi(argv[4]));
	if (argc == 8 && !strcmp(argv[1], "write"))
		return be_writer(argv + 2);
	errx(2, "usage: other_peer qp DEVICE PEER-FA GID | other_peer write OWN-FA FA QPN KEY ADDRESS VALUE");
}
