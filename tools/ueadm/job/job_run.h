/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of "ueadm job run": job_run.c has the job and its processes on this host,
 * job_spawn.c the hosts of a job, job_agent.c what a host does for job_spawn.c.
 */
#ifndef UEADM_JOB_RUN_H
#define UEADM_JOB_RUN_H

#include "hosts.h"
#include "job_bus.h"
#include "ranks.h"
#include "ueadm.h"

#define UEA_RUN_PEER_MAX	64	/* FA/PID */
#define UEA_AGENT_HELLO		"uet-agent 1"	/* first word of an agent, its version */

/**
 * struct uea_run - a job and its processes on this host
 * @ctx: of the program
 * @args: requested properties, as attributes
 * @id: JobID
 * @is_ours: this run created the job
 * @is_bus: uetd created the job
 * @bus_job: connection to uetd
 * @job: its record, as the kernel has it
 * @feps: records of its FEPs
 * @fd: descriptor of the job
 * @first: rank of the first process on this host
 * @size: processes on all hosts
 * @peers: value of UET_PEERS
 * @ranks: the processes
 */
struct uea_run {
	struct uea_ctx *ctx;
	const struct nlmsghdr *args;
	uint32_t id;
	bool is_ours;
	bool is_bus;
	struct uea_bus_job bus_job;
	struct json_object *job;
	struct json_object *feps;
	int fd;
	unsigned int first;
	unsigned int size;
	char *peers;
	struct uea_ranks ranks;
};

/* job_run.c */
void uea_run_init(struct uea_run *run, struct uea_ctx *ctx);
int uea_run_read(struct uea_run *run, char **words, struct nlmsghdr *args);
int uea_run_begin(struct uea_run *run);
int uea_run_start(struct uea_run *run);
int uea_run_end(struct uea_run *run, int status);
const struct nlattr *uea_run_arg(const struct nlmsghdr *args, uint16_t type);

/* job_spawn.c */
int uea_run_spawn(struct uea_run *run, const struct uea_hosts *hosts, const char *shell,
		  char **words);

/* job_agent.c */
int uea_run_agent(struct uea_run *run);

#endif
