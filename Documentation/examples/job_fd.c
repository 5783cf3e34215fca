// SPDX-License-Identifier: GPL-2.0
/*
 * A job descriptor: a privileged process opens a descriptor of job 1, gives up its
 * user id, and binds a socket by the authority of the descriptor.  A launcher does
 * the same, but passes the descriptor on to other processes.
 *
 *	node1# job_fd
 */
#include <unistd.h>

#include "common.h"

#define NOBODY	65534	/* a user who has no job */

int main(void)
{
	struct uet_job_open open = { .job = JOB, .flags = UET_JOB_CLOEXEC };
	struct sockaddr_uet me = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = 0,			/* the job of the descriptor */
		.suet_pid = UET_PID_ANY,	/* the kernel chooses */
	};
	socklen_t len = sizeof(me);
	int fd = open_socket(SOCK_RDM);
	int job = ioctl(fd, UET_IOC_JOB_OPEN, &open);

	if (job < 0)
		fail(fd, "open the job");
	if (setgid(NOBODY) || setuid(NOBODY))
		fail(-1, "become nobody");

	fd = open_socket(SOCK_RDM);
	if (setsockopt(fd, SOL_UET, UET_JOB_FD, &job, sizeof(job)))
		fail(fd, "take the authority");
	close(job);			/* the socket keeps the authority */
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) ||
	    getsockname(fd, (struct sockaddr *)&me, &len))
		fail(fd, "bind");
	printf("user %u is an endpoint of job %u\n", getuid(), me.suet_job);
	return 0;
}
