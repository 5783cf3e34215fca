// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of sockets of AF_UET, AF_INET and AF_INET6: threads that share a few descriptors and make
 * random calls on them, among them many good ones, so that messages flow
 * between two such programs and within each.  Signals come all the time.
 *
 * Facts: no call hangs, each fails with an errno it may have, EFAULT only with
 * a bad pointer or for an earlier operation; whatever is received is what
 * somebody has sent.  The first violation ends the program with 1 and names the
 * call.
 *
 * All messages are pieces of one pattern, in which each word tells its place:
 * so any piece of any of them can be checked.  Nothing but sockets is opened
 * and closed while the threads run: a descriptor is never something else, of
 * which the call would be strange.  fuzz_sock.h knows the calls and their
 * errnos.  UET_SEED repeats the calls, but not their order among threads.
 * Level: test.
 *
 * usage: fuzz_sock OWN_FA PEER_FA
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <signal.h>

#include "fuzz_calls.h"

#define THREADS		3

static void *run_thread(void *arg)
{
	struct thread *t = arg;

	while (fuzz_go_on())
		any_call(t);
	atomic_store(&t->has_ended, true);
	return NULL;
}

/* Interrupt the threads again and again, and see that each call ends. */
static void watch(struct thread *threads, struct fuzz_rand *rand)
{
	struct thread *t = &threads[fuzz_below(rand, THREADS)];
	int i, running = THREADS;

	while (running) {
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		t = &threads[fuzz_below(rand, THREADS)];
		if (!atomic_load(&t->has_ended))
			pthread_kill(t->id, SIGUSR1);
		for (i = 0, running = 0; i < THREADS; i++) {
			if (atomic_load(&threads[i].has_ended))
				continue;
			running++;
			check_progress(&threads[i]);
		}
	}
}

static void see_signal(int number)
{
}

int main(int argc, char **argv)
{
	static struct thread threads[THREADS];
	struct sigaction act = { .sa_handler = see_signal };
	struct fuzz_rand rand;
	int i;

	if (argc != 3 || inet_pton(AF_INET, argv[1], &own_fa) != 1 ||
	    inet_pton(AF_INET, argv[2], &peer_fa) != 1) {
		fprintf(stderr, "usage: fuzz_sock OWN_FA PEER_FA\n");
		return 2;
	}
	fuzz_begin("fuzz_sock");
	sigaction(SIGUSR1, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	make_pattern();
	open_jobs();
	open_domain();
	for (i = 0; i < SLOTS; i++)
		slots[i] = -1;
	for (i = 0; i < THREADS; i++) {
		set_up_thread(&threads[i], fuzz.seed * 8 + i);
		pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
	}
	rand = fuzz_rand(fuzz.seed * 8 + THREADS);
	watch(threads, &rand);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	printf("calls=%lu succeeded=%lu received=%lu checked=%lu completed=%lu\n",
	       nr_calls, nr_done, nr_received, nr_checked, nr_completed);
	return 0;
}
