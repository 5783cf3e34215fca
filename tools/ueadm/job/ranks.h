/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes of a job that one command starts: all run one program, and their
 * environment distinguishes them.
 */
#ifndef UEADM_RANKS_H
#define UEADM_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define UEA_RANKS_MAX	1024

/**
 * struct uea_ranks - processes
 * @nr: number of processes
 * @argv: program and arguments
 * @prepare: called in each process, with its number, in front of the program;
 *	sets the environment
 * @data: for @prepare
 * @control: descriptor whose bytes are signals for the processes, and whose end ends
 *	them; -1: none.  With one no process reads standard input
 * @pids: of those that run; 0: has ended
 * @running: number of running processes
 * @status: of the first that failed, as a shell has it; 0 if none did
 */
struct uea_ranks {
	unsigned int nr;
	char **argv;
	void (*prepare)(unsigned int rank, void *data);
	void *data;
	int control;
	pid_t pids[UEA_RANKS_MAX];
	unsigned int running;
	int status;
};

int uea_ranks_run(struct uea_ranks *ranks);

#endif
