// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: the receiver gives a sender a number, by the address of the first message.  It
 * then answers by this number, and takes further messages of this sender only.
 *
 *	node2$ peers
 *	node1$ peers 10.0.0.2
 */
#include "common.h"

#define PID	43	/* PIDonFEP of the receiver */
#define SIZE	64

static void sender(int fd, const char *fa)
{
	char text[SIZE] = "";

	connect_to(fd, fa, PID);
	if (send(fd, "hello", 5, 0) < 0)
		fail(fd, "send");
	if (recv(fd, text, sizeof(text) - 1, 0) < 0)
		fail(fd, "receive the answer");
	if (send(fd, "more", 4, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "send");
	printf("answer: %s\n", text);
}

/* Read the first message. */
static struct uet_peer first_sender(int fd)
{
	struct uet_peer peer = { .reserved = 0 };
	socklen_t len = sizeof(peer.addr);
	char text[SIZE];

	if (recvfrom(fd, text, sizeof(text), 0, (struct sockaddr *)&peer.addr,
		     &len) < 0)
		fail(fd, "receive");
	return peer;
}

static void answer_peer(int fd, __u32 peer)
{
	struct message m;

	message_init(&m, "welcome", 7);
	add_control(&m, UET_CMSG_PEER, &peer, sizeof(peer));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "answer");
}

static void receiver(int fd)
{
	static char memory[SIZE];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct uet_recv_post post = {
		.length = SIZE, .flags = UET_RECV_PEER,
	};
	struct uet_completion done;
	struct uet_peer peer;

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	peer = first_sender(fd);
	if (ioctl(fd, UET_IOC_PEER, &peer))
		fail(fd, "add a peer");
	post.key = reg.key;
	post.initiator = peer.peer;
	if (ioctl(fd, UET_IOC_RECV_POST, &post))
		fail(fd, "post a receive");
	answer_peer(fd, peer.peer);
	done = must_complete(fd);
	printf("%s peer: %.*s\n", done.peer == peer.peer ? "known" : "unknown",
	       (int)done.length, memory);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_SEQPACKET);

	if (argc > 1)
		sender(fd, argv[1]);
	else
		receiver(fd);
	return 0;
}
