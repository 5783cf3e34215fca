// SPDX-License-Identifier: GPL-2.0
/*
 * A user that takes as much as it gets: CHILDREN processes, each with one socket of the
 * user, send messages to DESTINATIONS endpoints of a fabric address until they are
 * refused or have sent all. Each prints one line "sent=N bytes=N errno=NAME", and ends
 * at once or waits for a signal. Level: test.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/uet.h>

#include "uet_family.h"

struct user {
	uid_t uid, sub;		/* 0: no subordinate user id */
	unsigned int children, destinations, messages, job, pid;
	size_t bytes;
	int linger;		/* s; -1: not set */
	bool waits, is_rudi;
	const char *fa;
};

static void fail(const char *what)
{
	fprintf(stderr, "user: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The user in a user namespace of its own, as one of its subordinate user ids. */
static void open_as_sub(const struct user *u, int ready, int mapped)
{
	char c;
	int fd;

	if (setresuid(u->uid, u->uid, u->uid) || unshare(CLONE_NEWUSER))
		fail("unshare");
	if (write(ready, "", 1) != 1 || read(mapped, &c, 1) != 1)
		fail("pipe");
	if (setresuid(0, 0, 0))
		fail("setresuid");
	fd = socket(uet_family(), SOCK_RDM, 0);
	if (fd < 0)
		fail("socket");
	_exit(fd);
}

/* As newuidmap does. */
static void map_sub(pid_t child, uid_t sub)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", child);
	map = fopen(path, "w");
	if (!map || fprintf(map, "0 %u 1\n", sub) < 0 || fclose(map))
		fail(path);
}

/* The child shares the descriptors, and its status is the number of the socket. */
static int open_sub(const struct user *u)
{
	int ready[2], mapped[2], status;
	pid_t child;
	char c;

	if (pipe(ready) || pipe(mapped))
		fail("pipe");
	fflush(stdout);
	child = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!child)
		open_as_sub(u, ready[1], mapped[0]);
	if (child < 0 || read(ready[0], &c, 1) != 1)
		fail("clone");
	map_sub(child, u->sub);
	if (write(mapped[1], "", 1) != 1 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status) || WEXITSTATUS(status) <= 2)
		fail("a subordinate user id");
	return WEXITSTATUS(status);
}

static int open_user(const struct user *u)
{
	int fd;

	if (seteuid(u->uid))
		fail("seteuid");
	fd = socket(uet_family(), SOCK_RDM, 0);
	if (fd < 0)
		fail("socket");
	if (seteuid(0))
		fail("seteuid");
	return fd;
}

/* The socket belongs to the user, and root binds it. */
static int open_socket(const struct user *u)
{
	struct linger linger = { .l_onoff = 1, .l_linger = u->linger };
	int fd = u->sub ? open_sub(u) : open_user(u);

	if (u->linger >= 0 && setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger,
					 sizeof(linger)))
		fail("SO_LINGER");
	return fd;
}

/* A write by RUDI needs no memory that exists. */
static ssize_t write_rudi(int fd, struct sockaddr_uet *to, void *data, size_t bytes)
{
	struct uet_op op = { .opcode = UET_OP_WRITE, .flags = UET_OP_RUDI };
	struct uet_rma rma = { .key = UET_MR_KEY_IDEMPOTENT_SAFE | 1 };
	struct iovec iov = { data, bytes };
	char control[CMSG_SPACE(sizeof(op)) + CMSG_SPACE(sizeof(rma))] = { 0 };
	struct msghdr msg = {
		.msg_name = to, .msg_namelen = sizeof(*to),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = UET_CMSG_OP;
	cmsg->cmsg_len = CMSG_LEN(sizeof(op));
	memcpy(CMSG_DATA(cmsg), &op, sizeof(op));
	cmsg = CMSG_NXTHDR(&msg, cmsg);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = UET_CMSG_RMA;
	cmsg->cmsg_len = CMSG_LEN(sizeof(rma));
	memcpy(CMSG_DATA(cmsg), &rma, sizeof(rma));
	return sendmsg(fd, &msg, MSG_DONTWAIT);
}

static ssize_t send_one(const struct user *u, int fd, struct sockaddr_uet *to, void *data,
			unsigned int destination)
{
	if (!u->is_rudi) {
		to->suet_pid = u->pid + destination;
		return sendto(fd, data, u->bytes, MSG_DONTWAIT, (struct sockaddr *)to,
			      sizeof(*to));
	}
	inet_pton(AF_INET, u->fa, &to->suet_fa4);
	to->suet_fa4 = htonl(ntohl(to->suet_fa4) + destination);
	return write_rudi(fd, to, data, u->bytes);
}

static void send_all(const struct user *u)
{
	struct sockaddr_uet to = {
		.suet_family = uet_family(),
		.suet_version = UET_ADDR_VERSION,
		.suet_job = u->job, .suet_ri = 1,
	};
	unsigned int i, sent = 0;
	int fd = open_socket(u), error = 0;
	char *data = calloc(1, u->bytes);

	if (inet_pton(AF_INET, u->fa, &to.suet_fa4) != 1 || !data)
		fail(u->fa);
	for (i = 0; i < u->destinations * u->messages && !error; i++) {
		if (send_one(u, fd, &to, data, i / u->messages) < 0)
			error = errno;
		else
			sent++;
	}
	printf("sent=%u bytes=%zu errno=%s\n", sent, sent * u->bytes,
	       error ? strerrorname_np(error) : "0");
	fflush(stdout);
	if (u->waits)
		pause();
}

static void usage(void)
{
	fprintf(stderr,
		"usage: user [OPTIONS] FA\n"
		"  -u UID  the user (0)\n"
		"  -s UID  a subordinate user id of the user, who takes it by a user namespace\n"
		"  -n CHILDREN  one after the other (0: the program itself)\n"
		"  -d DESTINATIONS  PIDonFEPs, from that of -p on (1)\n"
		"  -R  they are fabric addresses, from FA on, and get writes by RUDI\n"
		"  -m MESSAGES  to each (1)\n"
		"  -b BYTES  of a message (8)\n"
		"  -j JOB -p PID  of the first destination (1, 0)\n"
		"  -l SECONDS  SO_LINGER\n"
		"  -w  wait for a signal afterwards\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct user u = {
		.destinations = 1, .messages = 1, .bytes = 8, .job = 1,
		.linger = -1,
	};
	unsigned int i;
	int opt;

	while ((opt = getopt(argc, argv, "u:s:n:d:m:b:j:p:l:wR")) != -1) {
		switch (opt) {
		case 'u': u.uid = strtoul(optarg, NULL, 0); break;
		case 's': u.sub = strtoul(optarg, NULL, 0); break;
		case 'n': u.children = strtoul(optarg, NULL, 0); break;
		case 'd': u.destinations = strtoul(optarg, NULL, 0); break;
		case 'm': u.messages = strtoul(optarg, NULL, 0); break;
		case 'b': u.bytes = strtoul(optarg, NULL, 0); break;
		case 'j': u.job = strtoul(optarg, NULL, 0); break;
		case 'p': u.pid = strtoul(optarg, NULL, 0); break;
		case 'l': u.linger = strtoul(optarg, NULL, 0); break;
		case 'w': u.waits = true; break;
		case 'R': u.is_rudi = true; break;
		default: usage();
		}
	}
	if (argc - optind != 1)
		usage();
	u.fa = argv[optind];
	if (!u.children) {
		send_all(&u);
		return 0;
	}
	for (i = 0; i < u.children; i++) {
		if (!fork()) {
			send_all(&u);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
