// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of MPI's test suite, one after another in the same ranks: starting ranks is most of
 * the work of a short program when it is emulated.  Each program is a shared object whose
 * main() is called; mpicc-shared builds them.  MPI begins before the first program and ends
 * after the last one.  What programs ask about that is answered here.  Run by mpitests.sh.
 *
 * usage: mpi_suite DIR FILE FIRST SECONDS single|multiple
 *	DIR	of the programs
 *	FILE	a program and its arguments per line
 *	FIRST	the line that begins, from 0
 *	SECONDS	of one program
 *	single	or multiple: the level of threads
 * The rank 0 prints "# begins N" before a program and "# ends N" behind it, any rank
 * "# status N" of a program that returns other than 0 or exits.
 */
#include <dlfcn.h>
#include <err.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGS_MAX	64

typedef int main_function(int argc, char **argv);

static int rank, has_begun, has_ended;
static pthread_t main_thread;
static jmp_buf *way_out;	/* of the program that runs */

int MPI_Initialized(int *flag)
{
	*flag = has_begun;
	return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
	*flag = has_ended;
	return MPI_SUCCESS;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	(void)argc, (void)argv, (void)required;
	has_begun = 1;
	return PMPI_Query_thread(provided);
}

int MPI_Init(int *argc, char ***argv)
{
	int provided;

	return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int MPI_Finalize(void)
{
	has_ended = 1;
	return PMPI_Barrier(MPI_COMM_WORLD);
}

/* The program ends, its process does not. */
void exit(int status)
{
	fflush(NULL);
	if (!way_out || !pthread_equal(main_thread, pthread_self()))
		_exit(status);
	longjmp(*way_out, (status & 0xff) + 1);
}

static void is_late(int signal)
{
	static const char text[] = "mpi_suite: the program takes too long\n";

	(void)signal;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 1 : 124);
}

static void run_program(main_function *program, int argc, char **argv)
{
	jmp_buf here;
	int status;

	has_begun = has_ended = 0;
	optind = 1;
	status = setjmp(here);
	if (!status) {
		way_out = &here;
		status = program(argc, argv);
	} else {
		status--;
	}
	way_out = NULL;
	fflush(NULL);
	if (status)
		printf("# status %d\n", status);
}

/* It stays loaded: MPI may keep addresses of its functions. */
static main_function *load(const char *name)
{
	char path[256];
	void *object;
	main_function *program;

	snprintf(path, sizeof(path), "./%s", name);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		errx(1, "%s", dlerror());
	program = (main_function *)dlsym(object, "main");
	if (!program)
		errx(1, "%s", dlerror());
	return program;
}

static void run_line(char *line, int number, unsigned int seconds)
{
	char *argv[ARGS_MAX + 1], *word;
	int argc = 0;

	for (word = strtok(line, "\n "); word && argc < ARGS_MAX; word = strtok(NULL, "\n "))
		argv[argc++] = word;
	argv[argc] = NULL;
	if (!argc)
		errx(1, "line %d has no program", number);
	if (!rank)
		printf("# begins %d\n", number);
	alarm(seconds);
	run_program(load(argv[0]), argc, argv);
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
	PMPI_Barrier(MPI_COMM_WORLD);
	alarm(0);
	if (!rank)
		printf("# ends %d\n", number);
}

int main(int argc, char **argv)
{
	int provided, number, level = MPI_THREAD_SINGLE;
	char line[512];
	FILE *file;

	if (argc != 6)
		errx(2, "usage: mpi_suite DIR FILE FIRST SECONDS single|multiple");
	file = fopen(argv[2], "r");
	if (!file)
		err(1, "%s", argv[2]);
	if (chdir(argv[1]))
		err(1, "%s", argv[1]);
	if (!strcmp(argv[5], "multiple"))
		level = MPI_THREAD_MULTIPLE;
	PMPI_Init_thread(NULL, NULL, level, &provided);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	main_thread = pthread_self();
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, is_late);
	for (number = 0; fgets(line, sizeof(line), file); number++)
		if (number >= atoi(argv[3]))
			run_line(line, number, atoi(argv[4]));
	fclose(file);
	PMPI_Finalize();
	return 0;
}
