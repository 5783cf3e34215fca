// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The variables by which a launcher, such as "ueadm job run", describes the job to a
 * process: UET_JOB, UET_JOB_FD, UET_RANK, UET_SIZE, UET_PEERS and UET_WAIT.  Rank and
 * size may have the names of PMI or of Slurm instead.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"

/* Return: 0, and @number has not changed without the variable; -1 with errno. */
static int number(struct uet *u, const char *name, unsigned long max, uint32_t *value)
{
	const char *text = getenv(name);
	unsigned long n;
	char *end;

	if (!text)
		return 0;
	n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n > max)
		return libuet_refuse(u, EINVAL, "%s='%s' is not a number 0..%lu", name,
				     text, max);
	*value = n;
	return 0;
}

int libuet_env_job(struct uet *u, uint32_t *job, uint32_t *job_fd)
{
	return number(u, "UET_JOB", UET_JOBID_MAX, job) ||
	       number(u, "UET_JOB_FD", INT_MAX, job_fd) ? -1 : 0;
}

int libuet_env_wait(struct uet *u, uint32_t *wait)
{
	return number(u, "UET_WAIT", UET_ENDPOINT_WAIT_MAX, wait);
}

/* The first launcher that has given a rank gives the size as well. */
static int rank_and_size(struct uet *u)
{
	static const char *const names[][2] = {
		{ "UET_RANK", "UET_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
		{ "SLURM_PROCID", "SLURM_NTASKS" },
	};
	const char *const *name = names[0];

	while (name != names[2] && !getenv(name[0]) && getenv("UET_PEERS"))
		name += 2;
	if (number(u, name[0], INT_MAX, &u->rank) ||
	    number(u, name[1], UET_PEER_LIMIT, &u->size))
		return -1;
	if (u->rank >= u->size)
		return libuet_refuse(u, EINVAL, "%s=%u is not below %s=%u", name[0],
				     u->rank, name[1], u->size);
	return 0;
}

/* One element of UET_PEERS.  Return: its end, or NULL with errno. */
static const char *peer(struct uet *u, const char *at, int family, uint32_t ri,
			struct sockaddr_uet *addr)
{
	size_t length = strcspn(at, ",");
	char text[UET_ADDR_SIZE] = "", error[UET_ERROR_SIZE - 16];

	if (length < sizeof(text))
		memcpy(text, at, length);
	if (libuet_addr_parse(addr, text, family, error)) {
		libuet_refuse(u, EINVAL, "UET_PEERS: %s", error);
		return NULL;
	}
	addr->suet_ri = ri;
	return at + length;
}

static int peers(struct uet *u, const char *at, int family, uint32_t ri)
{
	uint32_t rank;

	u->addrs = calloc(u->size, sizeof(*u->addrs));
	if (!u->addrs)
		return libuet_refuse(u, ENOMEM, "no memory for %u peers", u->size);
	for (rank = 0; rank < u->size; rank++) {
		at = peer(u, at, family, ri, &u->addrs[rank]);
		if (!at)
			return -1;
		if (*at != (rank + 1 < u->size ? ',' : 0))
			return libuet_refuse(u, EINVAL,
					     "UET_PEERS does not have as many addresses as UET_SIZE=%u",
					     u->size);
		at++;
	}
	return 0;
}

int libuet_env_ranks(struct uet *u, int family, uint32_t ri)
{
	const char *list = getenv("UET_PEERS");

	if (rank_and_size(u))
		return -1;
	if (list)
		return peers(u, list, family, ri);
	if (u->size > 1)
		return libuet_refuse(u, EINVAL, "UET_SIZE=%u, but there is no UET_PEERS",
				     u->size);
	return 0;
}
