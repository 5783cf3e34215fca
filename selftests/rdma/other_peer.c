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
 *	other_peer datagrams OWN-FA FA QPN LENGTH HEADER-DATA
 *		send more datagrams with the Q_Key of QP 1 than a QP of connection managers has
 *		receives
 *	other_peer all DEVICE FA
 *		bind all addresses that a QP of the device may have: then there is no QP
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>

#include <infiniband/verbs.h>

#include "uetcmsg.h"
#include "verbs.h"

#define JOB		1
#define DATAGRAMS	1000
#define DATAGRAM_MAX	1024
#define GSI_QKEY	0x80010000ULL
#define MEMORY		4096
#define PEER_PID	1
#define PEER_RI		77
#define PEER_QPN	UET_INITIATOR_ID(PEER_PID, PEER_RI)

/* ------------------------------------------------------------------------------- qp */

static int be_qp(const char *device, const char *peer, int gid)
{
	struct end end = { .gid = gid };
	union ibv_gid to = {};
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	open_end(&end, device, 16, MEMORY);
	end.qp = make_qp(&end);
	/* An IPv4 address, mapped. */
	memset(to.raw + 10, 0xff, 2);
	if (inet_pton(AF_INET, peer, to.raw + 12) != 1)
		errx(1, "%s is no address", peer);
	if (!connect_qp(end.qp, gid, &to, PEER_QPN))
		err(1, "the QP does not become ready to send");
	printf("%u %u %ju\n", end.qp->qp_num, end.mr->rkey, (uintmax_t)(uintptr_t)end.memory);
	fflush(stdout);
	sigwait(&set, &number);
	printf("%u %u\n", end.memory[0], end.memory[1]);
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

/* Send one message by an operation; @control has its other control messages. Return: as result() */
static int send_one(int fd, const struct sockaddr_uet *to, uint8_t opcode, uint8_t flags,
		    struct iovec *iov, struct msghdr *msg)
{
	struct uet_op op = { .opcode = opcode, .flags = flags | UET_OP_COMPLETE };

	msg->msg_name = (void *)to;
	msg->msg_namelen = sizeof(*to);
	msg->msg_iov = iov;
	msg->msg_iovlen = 1;
	add_cmsg(msg, UET_CMSG_OP, &op, sizeof(op));
	if (sendmsg(fd, msg, 0) != (ssize_t)iov->iov_len)
		err(1, "cannot send");
	return result(fd);
}

static int endpoint(const struct sockaddr_uet *own)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (bind(fd, (const struct sockaddr *)own, sizeof(*own)))
		err(1, "cannot bind");
	return fd;
}

static int be_writer(char **args)
{
	struct sockaddr_uet own = address(args[0], PEER_QPN);
	struct sockaddr_uet peer = address(args[1], strtoul(args[2], NULL, 10));
	uint8_t value = atoi(args[5]);
	struct uet_rma rma = {
		.key = strtoull(args[3], NULL, 10),
		.offset = strtoull(args[4], NULL, 10),
	};
	uint64_t control[32] = { 0 };
	struct msghdr msg = { .msg_control = control };

	add_cmsg(&msg, UET_CMSG_RMA, &rma, sizeof(rma));
	printf("%s\n", strerrorname_np(send_one(endpoint(&own), &peer, UET_OP_WRITE, UET_OP_ROD,
						&(struct iovec){ &value, 1 }, &msg)));
	return 0;
}

static int be_sender(char **args)
{
	struct sockaddr_uet own = address(args[0], PEER_QPN);
	struct sockaddr_uet peer = address(args[1], strtoul(args[2], NULL, 0));
	uint64_t tag = GSI_QKEY, header_data = strtoull(args[4], NULL, 0);
	static uint8_t data[DATAGRAM_MAX];
	struct iovec iov = { data, strtoul(args[3], NULL, 0) };
	int i, error, fd = endpoint(&own);

	for (i = 0; i < DATAGRAMS; i++) {
		uint64_t control[32] = { 0 };
		struct msghdr msg = { .msg_control = control };

		add_cmsg(&msg, UET_CMSG_TAG, &tag, sizeof(tag));
		add_cmsg(&msg, UET_CMSG_HDATA, &header_data, sizeof(header_data));
		error = send_one(fd, &peer, UET_OP_TAGGED_SEND, UET_OP_RUD, &iov, &msg);
		if (error)
			errx(1, "datagram %d ends with %s", i, strerrorname_np(error));
	}
	return 0;
}

/* ----------------------------------------------------------------------------- all */

/* Take all Resource Indices of the QPs of a device but those that only the kernel binds. */
static int be_all(const char *device, const char *fa)
{
	struct rlimit files = { UET_RINDEX_MAX + 100, UET_RINDEX_MAX + 100 };
	struct sockaddr_uet own;
	struct end end = {};
	int ri;

	open_end(&end, device, 16, MEMORY);
	end.qp = make_qp(&end);
	own = address(fa, end.qp->qp_num);
	if (setrlimit(RLIMIT_NOFILE, &files))
		err(1, "not enough files");
	for (ri = 1; ri <= UET_RINDEX_MAX; ri++) {
		own.suet_ri = ri;
		if (bind(socket(AF_UET, SOCK_RDM, 0), (struct sockaddr *)&own, sizeof(own)) &&
		    errno != EADDRINUSE && errno != EADDRNOTAVAIL)
			err(1, "cannot bind to %d", ri);
	}
	end.qp = create_qp(&end);
	if (end.qp)
		printf("# a QP has number %#x\n", end.qp->qp_num);
	return !!end.qp;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "qp"))
		return be_qp(argv[2], argv[3], atoi(argv[4]));
	if (argc == 8 && !strcmp(argv[1], "write"))
		return be_writer(argv + 2);
	if (argc == 7 && !strcmp(argv[1], "datagrams"))
		return be_sender(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "all"))
		return be_all(argv[2], argv[3]);
	errx(2, "usage: other_peer qp DEVICE PEER-FA GID | other_peer write OWN-FA FA QPN KEY ADDRESS VALUE | other_peer datagrams OWN-FA FA QPN LENGTH HEADER-DATA | other_peer all DEVICE FA");
}
