// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The parameters of the provider, and what all its objects refuse alike.
 */
#include <errno.h>
#include <limits.h>
#include <linux/uet.h>
#include <stdlib.h>

#include "provider.h"

struct lf_params lf_params = {
	.pid = -1, .deferrable = UET_KEPT_MAX, .rendezvous = 1048576,
};

int lf_number(const char *name, const char *text, long min, long max, long *number)
{
	char *end;
	long n;

	if (!text || !*text)
		return 0;
	errno = 0;
	n = strtol(text, &end, 10);
	if (*end || errno || n < min || n > max) {
		LF_WARN(CORE, "%s '%s' is not a number %ld..%ld\n", name, text, min, max);
		return -FI_EINVAL;
	}
	*number = n;
	return 0;
}

/* The variables begin with FI_UET_, whatever the name of the provider. */
static struct fi_provider named = { .name = "uet" };

/* As a string: libfabric takes any text for a number. */
static void read_number(const char *name, const char *variable, long min, long max,
			long *number)
{
	char *text = NULL;

	fi_param_get_str(&named, name, &text);
	if (lf_number(variable, text, min, max, number))
		lf_params.is_wrong = true;
}

void lf_cleanup(void)
{
}

void lf_read_params(void)
{
	fi_param_define(&named, "job", FI_PARAM_STRING,
			"JobID of the endpoints (default: UET_JOB, else the only job)");
	fi_param_define(&named, "pid", FI_PARAM_STRING,
			"PIDonFEP of addresses by node and service (default: the first of the job)");
	fi_param_define(&named, "deferrable", FI_PARAM_STRING,
			"Messages above this many bytes may be deferred by their receiver (default: 1024)");
	fi_param_define(&named, "rendezvous", FI_PARAM_STRING,
			"Messages above this many bytes are read by their receiver (default: 1048576)");
	read_number("job", "FI_UET_JOB", 1, UET_JOBID_MAX, &lf_params.job);
	read_number("pid", "FI_UET_PID", 0, UET_PIDONFEP_MAX, &lf_params.pid);
	read_number("deferrable", "FI_UET_DEFERRABLE", 0, LONG_MAX, &lf_params.deferrable);
	read_number("rendezvous", "FI_UET_RENDEZVOUS", 0, LONG_MAX, &lf_params.rendezvous);
}

int lf_no_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
	return -FI_ENOSYS;
}

int lf_no_control(struct fid *fid, int command, void *arg)
{
	return -FI_ENOSYS;
}

int lf_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		   void *context)
{
	return -FI_ENOSYS;
}
