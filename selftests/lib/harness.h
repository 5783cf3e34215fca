/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test harness for programs that talk to the kernel: each test runs in a
 * process of its own, so that one that hangs, crashes or leaves descriptors
 * behind spoils no other.  Results are TAP on stdout, in source order.
 * It knows nothing about UET.  Level: test.
 *
 *	TEST(pipe__carries_a_byte)
 *	{
 *		int fd[2];
 *
 *		ASSERT_SYS(pipe(fd));
 *		EXPECT_EQ(write(fd[1], "x", 1), 1);
 *	}
 *	HARNESS_MAIN()
 *
 * EXPECT_* notes a failure and goes on, ASSERT_* ends the test; both say where
 * and what, in child processes of a test too.  A test that checks nothing fails.
 * SKIP() ends a test that cannot be done here.  A test may take 20 seconds, times
 * $UET_TEST_SCALE on a slow kernel.  "prog TEXT..." runs the tests whose names
 * contain one of the texts.
 */
#ifndef UET_SELFTESTS_HARNESS_H
#define UET_SELFTESTS_HARNESS_H

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef HARNESS_SECONDS
#define HARNESS_SECONDS		20
#endif
#define HARNESS_SKIP		4

struct harness_case {
	const char *name;
	void (*body)(void);
	struct harness_case *next;
};

static struct {
	struct harness_case *first;
	struct harness_case **tail;
	int checks, failures;
} harness;

static inline void harness_add(struct harness_case *c)
{
	if (!harness.tail)
		harness.tail = &harness.first;
	*harness.tail = c;
	harness.tail = &c->next;
}

#define TEST(fn)							\
	static void harness_body_##fn(void);				\
	static struct harness_case harness_case_##fn = {		\
		.name = #fn, .body = harness_body_##fn };		\
	__attribute__((constructor)) static void harness_add_##fn(void)	\
	{								\
		harness_add(&harness_case_##fn);			\
	}								\
	static void harness_body_##fn(void)

/* One line in one write: processes of a test may talk at the same time. */
#define HARNESS_NOTE(fmt, ...) do {					\
	char _line[512];						\
	int _n = snprintf(_line, sizeof(_line), "# %s:%d: " fmt "\n",	\
			  __FILE__, __LINE__, ##__VA_ARGS__);		\
	if (_n > (int)sizeof(_line) - 1)				\
		_n = sizeof(_line) - 1;					\
	if (write(STDOUT_FILENO, _line, _n) != _n)			\
		abort();						\
} while (0)

#define HARNESS_CHECK(ok, fmt, ...) ({					\
	bool _ok = (ok);						\
	__atomic_fetch_add(&harness.checks, 1, __ATOMIC_RELAXED);	\
	if (!_ok) {							\
		harness.failures++;					\
		HARNESS_NOTE(fmt, ##__VA_ARGS__);			\
	}								\
	_ok; })

#define HARNESS_CMP(a, op, b) ({					\
	long long _a = (a), _b = (b);					\
	HARNESS_CHECK(_a op _b, "%s %s %s: %lld against %lld (errno %d: %s)", \
		      #a, #op, #b, _a, _b, errno, strerror(errno)); })

/* A system call that has to fail, with this errno. */
#define HARNESS_FAILS(call, error) ({					\
	long long _r = (call);						\
	HARNESS_CHECK(_r < 0 && errno == (error),			\
		      "%s: returned %lld (errno %d: %s), not %s", #call, _r, \
		      _r < 0 ? errno : 0, _r < 0 ? strerror(errno) : "none", \
		      #error); })

#define EXPECT(x)		HARNESS_CHECK(x, "%s is false", #x)
#define EXPECT_EQ(a, b)		HARNESS_CMP(a, ==, b)
#define EXPECT_NE(a, b)		HARNESS_CMP(a, !=, b)
#define EXPECT_LE(a, b)		HARNESS_CMP(a, <=, b)
#define EXPECT_GE(a, b)		HARNESS_CMP(a, >=, b)
#define EXPECT_GT(a, b)		HARNESS_CMP(a, >, b)
#define EXPECT_FAILS(call, error) HARNESS_FAILS(call, error)

#define ASSERT(x)		do { if (!EXPECT(x)) exit(1); } while (0)
#define ASSERT_EQ(a, b)		do { if (!EXPECT_EQ(a, b)) exit(1); } while (0)
/* A system call that has to succeed. */
#define ASSERT_SYS(call)	do { if (!EXPECT_GE(call, 0)) exit(1); } while (0)

#define SKIP(why) do {							\
	HARNESS_NOTE("SKIP %s", why);					\
	exit(HARNESS_SKIP);						\
} while (0)

/* How many times slower than a stock kernel this one is. */
static inline int harness_scale(void)
{
	const char *scale = getenv("UET_TEST_SCALE");

	return scale && atoi(scale) > 0 ? atoi(scale) : 1;
}

/* Wait for a fact by looking, for as long as a test may take. */
#define WAIT_FOR(x) ({							\
	int _left = HARNESS_SECONDS * harness_scale() * 200;		\
	bool _seen;							\
	while (!(_seen = !!(x)) && _left--)				\
		nanosleep(&(struct timespec) { .tv_nsec = 5000000 }, NULL); \
	HARNESS_CHECK(_seen, "%s has not become true", #x); })

/* A child process of a test; it ends with the test and passes by returning. */
#define CHILD(...) ({							\
	pid_t _pid = fork();						\
	if (!_pid) {							\
		harness.failures = 0;					\
		__VA_ARGS__;						\
		exit(harness.failures ? 1 : 0);				\
	}								\
	if (_pid < 0)							\
		err(1, "fork");						\
	_pid; })

/* Wait for a child process; its failures are ours. */
static inline void harness_join(pid_t pid)
{
	int status = -1;

	harness.checks++;
	if (waitpid(pid, &status, 0) != pid || status) {
		harness.failures++;
		HARNESS_NOTE("child process %d ended with status 0x%x", pid,
			     status);
	}
}

static void harness_run_body(const struct harness_case *c)
{
	/* A group of its own, so that nothing it starts outlives it. */
	setpgid(0, 0);
	alarm(HARNESS_SECONDS * harness_scale());
	c->body();
	if (!harness.checks) {
		harness.failures++;
		HARNESS_NOTE("%s checks nothing", c->name);
	}
	exit(harness.failures ? 1 : 0);
}

/* Return: did it fail? */
static bool harness_run(const struct harness_case *c, int number)
{
	const char *result = "ok", *why = "";
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		harness_run_body(c);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("Bail out! cannot run a process\n");
		exit(1);
	}
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("# takes too long\n");
	else if (WIFSIGNALED(status))
		printf("# killed by signal %d\n", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == HARNESS_SKIP)
		why = " # SKIP see above";
	else if (status)
		result = "not ok";
	printf("%s %d - %s%s\n", result, number, c->name, why);
	return result[0] == 'n';
}

static bool harness_is_wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc < 2;
}

static inline int harness_main(int argc, char **argv)
{
	struct harness_case *c;
	int number = 0, failed = 0;

	for (c = harness.first; c; c = c->next)
		if (harness_is_wanted(c->name, argc, argv))
			failed += harness_run(c, ++number);
	printf("1..%d\n", number);
	return number && !failed ? 0 : 1;
}

#define HARNESS_MAIN()							\
	int main(int argc, char **argv)					\
	{								\
		return harness_main(argc, argv);			\
	}

#endif
