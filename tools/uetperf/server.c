// SPDX-License-Identifier: GPL-2.0
/*
 * A server stays, and starts ranks for clients, one client after the other, so that no
 * measurement disturbs another.  A client sends its command line to the endpoint of the
 * server; a child of the server is all ranks at this address until they end.  Clients
 * that come meanwhile are told for whom they wait.  Level: tool.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net_uet.h"
#include "uet_family.h"

#define ARGS_MAX	256
/* Clients at a time; the requests of others stay in the socket. */
#define CLIENTS_MAX	16

/**
 * struct client - a client that was not served yet
 * @addr: its address
 * @request: what it wants
 */
struct client {
	struct sockaddr_uet addr;
	struct request request;
};

/**
 * struct server - a server
 * @o: command line
 * @fd: endpoint
 * @pid: child that is the ranks for @clients[0]
 * @pidfd: descriptor of the child, -1: there is none
 * @clients: in the order of their requests
 * @nr: how many
 */
struct server {
	const struct options *o;
	int fd;
	pid_t pid;
	int pidfd;
	struct client clients[CLIENTS_MAX];
	int nr;
};

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

static void client_tell(int fd, const struct client *client, struct ctl *ctl)
{
	ctl->magic = CTL_MAGIC;
	ctl->from = client->request.rank;
	/* It may be gone, which is no failure of the server. */
	(void)!sendto(fd, ctl, sizeof(*ctl), MSG_NOSIGNAL | MSG_DONTWAIT,
		      (const struct sockaddr *)&client->addr, sizeof(client->addr));
}

/* For whom it waits. */
static void client_tell_busy(const struct server *s, const struct client *client)
{
	const struct sockaddr_uet *first = &s->clients->addr;
	bool is_six = first->suet_flags & UET_ADDR_IPV6;
	struct ctl ctl = { .kind = CTL_BUSY };

	inet_ntop(is_six ? AF_INET6 : AF_INET,
		  is_six ? (const void *)first->suet_fa6 : &first->suet_fa4,
		  (char *)ctl.value, sizeof(ctl.value));
	client_tell(s->fd, client, &ctl);
}

/* The first client has been served, or not. */
static void client_end(struct server *s, int status)
{
	struct ctl failed = { .kind = CTL_FAILED };

	/* The client does not wait for ranks that will never come. */
	if (status)
		client_tell(s->fd, s->clients, &failed);
	printf("a client at PIDonFEP %u: %s\n", s->clients->addr.suet_pid,
	       status ? "failed" : "served");
	fflush(stdout);
	s->nr--;
	memmove(s->clients, s->clients + 1, s->nr * sizeof(*s->clients));
}

static void client_begin(struct server *s)
{
	s->pid = request_start(s->o, s->fd, &s->clients->request);
	s->pidfd = s->pid > 0 ? pidfd_open(s->pid, 0) : -1;
	if (s->pidfd >= 0)
		return;
	warn_user("starting ranks: %s", strerror(errno));
	if (s->pid > 0 && !kill(s->pid, SIGKILL))
		waitpid(s->pid, NULL, 0);
	client_end(s, -1);
}

static void child_reap(struct server *s)
{
	int status = -1;

	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(s->pidfd);
	s->pidfd = -1;
	client_end(s, status);
}

/* One that was started again, with its old address, does not wait twice. */
static void client_add(struct server *s)
{
	const struct client *last = &s->clients[s->nr];
	int i;

	for (i = 1; i < s->nr; i++)
		if (!memcmp(&s->clients[i].addr, &last->addr, sizeof(last->addr)))
			break;
	if (i < s->nr)
		s->clients[i] = *last;
	else
		i = s->nr++;
	if (i)
		client_tell_busy(s, &s->clients[i]);
}

/* Return: 1: a request, 0: a message that is none, -1: failed. */
static int request_take(int fd, struct client *client)
{
	const size_t head = offsetof(struct request, words);
	socklen_t addr_len = sizeof(client->addr);
	struct request *r = &client->request;
	ssize_t len;

	memset(&client->addr, 0, sizeof(client->addr));
	len = recvfrom(fd, r, sizeof(*r), MSG_TRUNC | MSG_DONTWAIT,
		       (struct sockaddr *)&client->addr, &addr_len);
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

/* Return: 0, or -1 after a failure of the endpoint, or of a message to a client. */
static int serve_once(struct server *s)
{
	struct pollfd p[2] = {
		{ .fd = s->nr < CLIENTS_MAX ? s->fd : -1, .events = POLLIN },
		{ .fd = s->pidfd, .events = POLLIN },
	};
	int ret;

	if (poll(p, 2, -1) < 0)
		return errno == EINTR ? 0 : -1;
	if (p[1].revents)
		child_reap(s);
	ret = p[0].revents ? request_take(s->fd, &s->clients[s->nr]) : 0;
	if (ret > 0)
		client_add(s);
	while (s->nr && s->pidfd < 0)
		client_begin(s);
	return ret < 0 ? -1 : 0;
}

/**
 * serve() - start ranks for clients, until a signal ends it
 * @o: command line; its rank is the one whose address the server has
 *
 * Return: -1 after printing the reason.
 */
int serve(const struct options *o)
{
	static struct server s;
	struct sockaddr_uet me;
	int family = uet_family(), failures = 0;

	if (!family) {
		warn_user("the uet module is not loaded (modprobe uet)");
		return -1;
	}
	if (uet_address(o, o->rank, family, &me))
		return -1;
	me.suet_pid = o->pid;
	me.suet_ri = SERVER_RI(o);
	s.o = o;
	s.pidfd = -1;
	s.fd = uet_endpoint(o, SOCK_SEQPACKET, &me);
	if (s.fd < 0)
		return -1;
	printf("serving at %s, job %u, PIDonFEP %u, Resource Index %u\n",
	       fa_of(o, o->rank), o->job, o->pid, SERVER_RI(o));
	fflush(stdout);
	/* A client that is gone makes two messages fail; more are of the endpoint. */
	while (failures <= 2 * CLIENTS_MAX)
		failures = serve_once(&s) ? failures + 1 : 0;
	uet_fail(s.fd, "waiting for a client");
	close(s.fd);
	return -1;
}
