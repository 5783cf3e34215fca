// SPDX-License-Identifier: GPL-2.0
/*
 * A job descriptor: a privileged process opens a descriptor of job 1, gives up its
 * user id, and opens an endpoint by the authority of the descriptor.  A launcher does
 * the same, but passes the descriptor on to other processes.
 *
 *	node1# job_fd
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "common.h"

#define NOBODY	65534	/* a user who has no job */

int main(void)
{
	const struct uet_job_open open = {
		.size = sizeof(open), .flags = UET_JOB_CLOEXEC, .job = JOB,
	};
	struct uet_attr attr = { .flags = UET_OPEN_NO_ENV };
	int fd = socket(uet_af(), SOCK_RDM, 0);
	char why[UET_ERROR_SIZE];
	struct sockaddr_uet me;
	struct uet *u;

	attr.job_fd = ioctl(fd, UET_IOC_JOB_OPEN, &open);
	if (attr.job_fd < 0)
		err(1, "open the job");
	if (setgid(NOBODY) || setuid(NOBODY))
		err(1, "become nobody");

	u = uet_open(&attr, why);	/* the job is that of the descriptor */
	if (!u)
		errx(1, "%s", why);
	close(attr.job_fd);		/* the endpoint keeps the authority */
	must(u, uet_address(u, &me));
	printf("user %u is an endpoint of job %u\n", getuid(), me.suet_job);
	uet_close(u);
	return 0;
}
