// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that make random calls of all kinds at the same time: on sockets of
 * AF_UET, AF_INET and AF_INET6, streams among them, on their rings and memory, on generic
 * netlink and network namespaces.  They are killed and replaced all the time.
 *
 * Some run as user 1000 without any privilege in the namespace of the program, some as
 * root of a user namespace, some as root of the machine, these two in network namespaces
 * of their own with rails, FEPs and jobs that they make and delete.  They pass sockets to
 * one another.
 *
 * No call is judged (fuzz_sock and fuzz_genl do that).  Facts: each process makes calls,
 * and each can be killed at the end.  What the kernel says, and what is left, is for
 * chaos.sh.
 *
 * usage: chaos SECONDS OWN_FA PEER_FA
 *
 * UET_SEED repeats the calls of each process, not their order among processes.
 * Level: test.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "chaos_calls.h"

#define USER		1000
#define THREADS		2
#define END_SECONDS	60

enum role { USERS, NS_ROOTS, ROOTS };

/* The processes of the program. */
static const enum role roles[] = { USERS, USERS, NS_ROOTS, ROOTS };

#define WORKERS		NR(roles)

/**
 * struct worker - one that calls, and its successors
 * @pid: of the process and of its process group
 * @life: how many there were
 */
static struct worker {
	pid_t pid;
	unsigned int life;
} workers[WORKERS];

/* What each has done, in memory that all share; two threads may count a message twice. */
static struct count {
	atomic_ulong calls, received, accepted;
} *counts;
/* Sockets in transit between all of them. */
static int passing[2];

/* ---------------------------------------------------------------- a worker */

static struct count *own;

static void *run_thread(void *arg)
{
	struct thread *t = arg;
	unsigned long before, accepted;

	rnd = fuzz_rand(fuzz_u32(&t->rand));
	for (;;) {
		before = atomic_load(&nr_received);
		accepted = atomic_load(&nr_accepted);
		if (fuzz_one_in(&t->rand, 3))
			call_around(t);
		else
			any_call(t);
		atomic_fetch_add(&own->calls, 1);
		atomic_fetch_add(&own->received, atomic_load(&nr_received) - before);
		atomic_fetch_add(&own->accepted, atomic_load(&nr_accepted) - accepted);
	}
	return NULL;
}

/* Memory that is gone, or a full cgroup: the process ends without a line in the log. */
static void see_fault(int number)
{
	_exit(1);
}

static void see_alarm(int number)
{
}

/* Calls that block are interrupted, and none begins again by itself. */
static void set_signals(void)
{
	struct sigaction fault = { .sa_handler = see_fault };
	struct sigaction alarm = { .sa_handler = see_alarm };

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGALRM, &alarm, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	signal(SIGURG, SIG_IGN);
	interrupt_often();
}

static void set_limit(int resource, rlim_t value)
{
	struct rlimit limit = { value, value };

	setrlimit(resource, &limit);
}

static void set_limits(void)
{
	set_limit(RLIMIT_AS, 256ul << 20);
	set_limit(RLIMIT_NOFILE, 256);
	set_limit(RLIMIT_NPROC, 100);
	set_limit(RLIMIT_MEMLOCK, 4ul << 20);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 8ul << 20);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(2);
	close(fd);
}

static void become_user(void)
{
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) ||
	    setresuid(USER, USER, USER))
		_exit(2);
	/* Its files in /proc are its own. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void become_ns_root(void)
{
	become_user();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		_exit(2);
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", "0 1000 1");
	write_file("/proc/self/gid_map", "0 1000 1");
}

/* FEPs there reach themselves and each other. */
static void set_up_net(void)
{
	inet_pton(AF_INET, "127.0.0.1", &own_fa);
	peer_fa = own_fa;
	uetns_loopback_up();
	make_net();
	for (unsigned int i = 0; i < NR(netdev); i++)
		netdev[i] = UETNS_LO_IFINDEX;
}

static void run_worker(unsigned int at, uint32_t seed)
{
	static struct thread threads[THREADS];
	unsigned int i;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fuzz.seed = seed;
	own = &counts[at];
	set_limits();
	if (roles[at] == USERS)
		become_user();
	else if (roles[at] == NS_ROOTS)
		become_ns_root();
	else if (unshare(CLONE_NEWNET))
		_exit(2);
	if (roles[at] != USERS)
		set_up_net();
	make_pattern();
	open_arena();
	open_jobs();
	open_domain();
	for (i = 0; i < SLOTS; i++)
		slots[i] = -1;
	set_signals();
	for (i = 0; i < THREADS; i++) {
		set_up_thread(&threads[i], seed * THREADS + i);
		threads[i].unix_pair[0] = passing[0];
		threads[i].unix_pair[1] = passing[1];
	}
	for (i = 1; i < THREADS; i++)
		pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
	run_thread(&threads[0]);
}

/* -------------------------------------------------------------- all of them */

static void start(unsigned int at)
{
	struct worker *w = &workers[at];
	uint32_t seed = fuzz.seed + at + WORKERS * w->life++;

	w->pid = fork();
	if (w->pid < 0)
		w->pid = 0;
	if (w->pid) {
		setpgid(w->pid, w->pid);
		return;
	}
	run_worker(at, seed);
	_exit(0);
}

/* Those that have ended are replaced; their children become ours, and end, too. */
static void reap(void)
{
	unsigned int i;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		for (i = 0; i < WORKERS; i++) {
			if (workers[i].pid != pid)
				continue;
			workers[i].pid = 0;
			kill(-pid, SIGKILL);
		}
	}
	for (i = 0; i < WORKERS; i++)
		if (!workers[i].pid)
			start(i);
}

/* In the middle of whatever they do, with their children or without. */
static void kill_one(struct fuzz_rand *rand)
{
	pid_t pid = workers[fuzz_below(rand, WORKERS)].pid;

	if (pid)
		kill(fuzz_one_in(rand, 2) ? pid : -pid, SIGKILL);
}

/* Print the kernel stacks of the threads of a process group, as comments. */
static void show_group(pid_t group)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "for t in /proc/[0-9]*/task/[0-9]*; do "
		 "[ \"$(cut -d' ' -f5 $t/stat)\" = %d ] || continue; "
		 "echo \"# $(cut -d' ' -f1-5 $t/stat)\"; sed 's/^/# /' $t/stack; done 2> /dev/null",
		 group);
	fflush(stdout);
	if (system(line))
		printf("# its threads have gone\n");
}

/* Return: how many processes are still there. */
static unsigned int kill_all(void)
{
	long end = now_seconds() + END_SECONDS * fuzz_setting("UET_TEST_SCALE", 1);
	unsigned int left = 0, i;
	pid_t pid;

	for (i = 0; i < WORKERS; i++)
		if (workers[i].pid)
			kill(-workers[i].pid, SIGKILL);
	for (;;) {
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid < 0 && errno == ECHILD)
			return 0;
		if (!pid && now_seconds() >= end)
			break;
		if (!pid)
			nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	for (i = 0; i < WORKERS; i++) {
		if (!workers[i].pid || kill(-workers[i].pid, 0))
			continue;
		printf("# group %d is still there\n", workers[i].pid);
		show_group(workers[i].pid);
		left++;
	}
	return left ? left : 1;
}

int main(int argc, char **argv)
{
	struct fuzz_rand rand;
	unsigned long sum = 0, least = -1ul, accepted = 0, calls;
	unsigned int i, lives = 0, left;
	long end;

	if (argc != 4 || inet_pton(AF_INET, argv[2], &own_fa) != 1 ||
	    inet_pton(AF_INET, argv[3], &peer_fa) != 1) {
		fprintf(stderr, "usage: chaos SECONDS OWN_FA PEER_FA\n");
		return 2;
	}
	end = now_seconds() + atol(argv[1]);
	fuzz_begin("chaos");
	fuzz.is_unjudged = true;
	rand = fuzz_rand(fuzz.seed);
	family = nlreq_family(nlreq_open(NETLINK_GENERIC), UET_FAMILY_NAME);
	netdev[0] = if_nametoindex("lo");
	netdev[1] = if_nametoindex("r0");
	netdev[2] = if_nametoindex("r1");
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (counts == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) ||
	    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, passing))
		return 2;
	while (now_seconds() < end) {
		reap();
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		if (fuzz_one_in(&rand, 100))
			kill_one(&rand);
	}
	left = kill_all();
	for (i = 0; i < WORKERS; i++) {
		calls = counts[i].calls;
		sum += calls;
		accepted += counts[i].accepted;
		lives += workers[i].life;
		if (calls < least)
			least = calls;
		printf("# worker %u: calls=%lu received=%lu accepted=%lu lives=%u\n", i, calls,
		       (unsigned long)counts[i].received, (unsigned long)counts[i].accepted,
		       workers[i].life);
	}
	printf("calls=%lu least=%lu accepted=%lu lives=%u left=%u\n", sum, least, accepted,
	       lives, left);
	return left != 0;
}
