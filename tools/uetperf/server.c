// SPDX-License-Identifier: GPL-2.0
/*
 * A server stays, and starts ranks for clients, one client after the other.  A client
 * sends its command line to the endpoint of the server; a child of the server is all
 * ranks at this address until they end.  Level: tool.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net_uet.h"
#include "uet_family.h"

#define ARGS_MAX	256

/* Words with their zeros.  Return: how many, or 0 if they are too many or not whole. */
static int words_split(char *words, size_t len, char **argv)
{
	int argc = 1;

	argv[0] = (char *)"uetperf";
	if (!len || words[len - 1])
		return 0;
	for (size_t at = 0; at < len; at += strlen(words + at) + 1) {
		if (argc == ARGS_MAX)
			return 0;
		argv[argc++] = words + at;
	}
	argv[argc] = NULL;
	return argc;
}

/* The ranks at this address, in the job of the server. */
static int ranks_choose(const struct options *server, const struct request *r,
			struct options *o)
{
	int rank, nr = 0;

	if (!o->is_client || r->rank >= (uint32_t)o->ranks) {
		warn_user("rank %u is not one of a client", r->rank);
		return -1;
	}
	o->is_served = true;
	o->job = server->job;
	o->job_fd = server->job_fd;
	for (rank = 0; rank < o->ranks; rank++) {
		o->is_here[rank] = rank && !strcmp(fa_of(o, rank), fa_of(o, r->rank));
		nr += o->is_here[rank];
	}
	o->rank = nr == 1 ? (int)r->rank : -1;
	return nr ? 0 : -1;
}

/* The child: its exit status. */
static int request_run(const struct options *server, struct request *r)
{
	struct options o;
	char *argv[ARGS_MAX + 1];
	int argc = words_split(r->words, r->words_len, argv);

	if (!argc) {
		warn_user("a request has no command line");
		return EXIT_FAILURE;
	}
	parse_arguments(&o, argc, argv);
	if (ranks_choose(server, r, &o) || run_here(&o))
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

static pid_t request_start(const struct options *o, int fd, struct request *r)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close(fd);
	exit(request_run(o, r));
}

/* The client does not wait for ranks that will never come. */
static void failure_tell(int fd, const struct sockaddr_uet *client, uint32_t rank)
{
	const struct ctl ctl = {
		.magic = CTL_MAGIC, .from = rank, .kind = CTL_FAILED,
	};

	/* It may be gone, which is no failure of the server. */
	(void)!sendto(fd, &ctl, sizeof(ctl), MSG_NOSIGNAL | MSG_DONTWAIT,
		      (const struct sockaddr *)client, sizeof(*client));
}

static void request_serve(const struct options *o, int fd, struct request *r,
			  const struct sockaddr_uet *client)
{
	uint32_t rank = r->rank;
	int status = -1;
	pid_t pid = request_start(o, fd, r);

	if (pid < 0)
		warn_user("fork: %s", strerror(errno));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		failure_tell(fd, client, rank);
	printf("a client at PIDonFEP %u: %s\n", client->suet_pid,
	       status ? "failed" : "served");
	fflush(stdout);
}

/* Return: 1: a request, 0: a message that is none, or a time-out, -1: failed. */
static int request_take(int fd, struct request *r, struct sockaddr_uet *client)
{
	const size_t head = offsetof(struct request, words);
	socklen_t client_len = sizeof(*client);
	ssize_t len = recvfrom(fd, r, sizeof(*r), MSG_TRUNC,
			       (struct sockaddr *)client, &client_len);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if ((size_t)len >= head && (size_t)len <= sizeof(*r) &&
	    r->magic == CTL_MAGIC && r->words_len == len - head)
		return 1;
	/* A rank that misses its client asks whether it is still there. */
	if (len != sizeof(struct ctl))
		warn_user("a message of %zd bytes that is not uetperf's was ignored",
			  len);
	return 0;
}

/**
 * serve() - start ranks for clients, until a signal ends it
 * @o: command line; its rank is the one whose address the server has
 *
 * Return: -1 after printing the reason.
 */
int serve(const struct options *o)
{
	static struct request request;
	struct sockaddr_uet me, client;
	int family = uet_family(), fd, ret, failures = 0;

	if (!family) {
		warn_user("the uet module is not loaded (modprobe uet)");
		return -1;
	}
	if (uet_address(o, o->rank, family, &me))
		return -1;
	me.suet_pid = o->pid;
	me.suet_ri = SERVER_RI(o);
	fd = uet_endpoint(o, SOCK_SEQPACKET, &me);
	if (fd < 0)
		return -1;
	printf("serving at %s, job %u, PIDonFEP %u, Resource Index %u\n",
	       fa_of(o, o->rank), o->job, o->pid, SERVER_RI(o));
	fflush(stdout);
	/* A client that is gone is one failure; another one is of the endpoint. */
	while (failures < 2) {
		ret = request_take(fd, &request, &client);
		if (ret > 0)
			request_serve(o, fd, &request, &client);
		failures = ret < 0 ? failures + 1 : 0;
	}
	uet_fail(fd, "waiting for a client");
	close(fd);
	return -1;
}
