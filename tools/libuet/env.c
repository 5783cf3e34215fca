// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The variables by which a launcher, such as "ueadm job run", describes the job to a
 * process: UET_JOB, UET_JOB_FD, UET_RANK, UET_SIZE, UET_PEERS and UET_WAIT.  Rank and
 * size may come from another launcher instead.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "uet_launcher.h"

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

static uint32_t count(const char *list)
{
	uint32_t n = 1;

	while (n < UET_PEER_LIMIT && (list = strchr(list, ','))) {
		list++;
		n++;
	}
	return n;
}

/*
 * The launcher that has given the rank gives the size as well.  One that does not tell it has
 * a process for each address.  @list: UET_PEERS, or NULL; @size_variable: returns the
 * variable that has the size
 */
static int rank_and_size(struct uet *u, const char *list, const char **size_variable)
{
	const char *rank = "UET_RANK", *size = "UET_SIZE";
	const struct uet_launcher *l = getenv(rank) || !list ? NULL : uet_launcher();

	if (l) {
		rank = l->rank;
		size = uet_launcher_size(l);
	}
	if (!size) {
		size = "addresses in UET_PEERS";
		u->size = count(list);
	}
	*size_variable = size;
	if (number(u, rank, INT_MAX, &u->rank) ||
	    number(u, size, UET_PEER_LIMIT, &u->size))
		return -1;
	if (u->rank >= u->size)
		return libuet_refuse(u, EINVAL, "%s=%u is not below %s=%u", rank, u->rank,
				     size, u->size);
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

/* @size: the variable that has the size */
static int peers(struct uet *u, const char *at, const char *size, int family, uint32_t ri)
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
					     "UET_PEERS does not have as many addresses as %s=%u",
					     size, u->size);
		at++;
	}
	return 0;
}

int libuet_env_ranks(struct uet *u, int family, uint32_t ri)
{
	const char *list = getenv("UET_PEERS"), *size;

	if (rank_and_size(u, list, &size))
		return -1;
	if (list)
		return peers(u, list, size, family, ri);
	if (u->size > 1)
		return libuet_refuse(u, EINVAL, "UET_SIZE=%u, but there is no UET_PEERS",
				     u->size);
	return 0;
}
