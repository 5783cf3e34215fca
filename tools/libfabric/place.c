// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Asks the kernel, by generic netlink, for FEPs and jobs, and joins them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "place.h"
#include "provider.h"

#define DUMP_BUF	65536
#define DUMP_TRIES	10

/**
 * struct job - what a job adds to a FEP
 * @id: JobID
 * @pid_min: first PIDonFEP
 * @pid_max: last one
 * @nr_feps: names in @feps
 * @feps: names of its FEPs
 */
struct job {
	uint32_t id;
	uint16_t pid_min;
	uint16_t pid_max;
	unsigned int nr_feps;
	char feps[UET_JOB_FEPS_MAX][LF_PLACE_NAME];
};

/**
 * struct ask - a conversation with the kernel
 * @nl: socket
 * @family: number of the family "uet"
 * @feps: FEPs found, in the order of the kernel
 * @last_fep: end of that list
 * @places: FEPs with jobs, the same
 * @last_place: end of that list
 */
struct ask {
	struct mnl_socket *nl;
	uint16_t family;
	struct lf_place *feps;
	struct lf_place **last_fep;
	struct lf_place *places;
	struct lf_place **last_place;
};

static int talk(struct ask *ask, struct nlmsghdr *nlh, mnl_cb_t seen)
{
	unsigned int port = mnl_socket_get_portid(ask->nl);
	unsigned int seq = (unsigned int)time(NULL);
	char *buf = malloc(DUMP_BUF);
	int ret = MNL_CB_ERROR;
	ssize_t len;

	nlh->nlmsg_seq = seq;
	if (!buf || mnl_socket_sendto(ask->nl, nlh, nlh->nlmsg_len) < 0)
		goto out;
	do {
		len = mnl_socket_recvfrom(ask->nl, buf, DUMP_BUF);
		if (len < 0) {
			ret = MNL_CB_ERROR;
			break;
		}
		ret = mnl_cb_run(buf, (size_t)len, seq, port, seen, ask);
	} while (ret > MNL_CB_STOP);
out:
	ret = ret < 0 ? -errno : 0;
	free(buf);
	return ret;
}

static struct nlmsghdr *request(void *buf, uint16_t type, uint16_t flags, uint8_t cmd,
				uint8_t version)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = version;
	return nlh;
}

static int see_family(const struct nlmsghdr *nlh, void *data)
{
	struct ask *ask = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			ask->family = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static void copy_name(char *name, const struct nlattr *attr)
{
	strncpy(name, mnl_attr_get_str(attr), LF_PLACE_NAME - 1);
}

static void fep_attr(struct lf_place *place, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case UET_A_FEP_NAME:
		copy_name(place->fep, attr);
		break;
	case UET_A_FEP_ADDR4:
		memcpy(place->fa, mnl_attr_get_payload(attr), 4);
		break;
	case UET_A_FEP_ADDR6:
		memcpy(place->fa, mnl_attr_get_payload(attr), 16);
		place->is_ipv6 = true;
		break;
	case UET_A_FEP_SCOPE_ID:
		place->scope_id = mnl_attr_get_u32(attr);
		break;
	case UET_A_FEP_MTU:
		place->mtu = mnl_attr_get_u32(attr);
		break;
	}
}

static int see_fep(const struct nlmsghdr *nlh, void *data)
{
	struct lf_place *place = calloc(1, sizeof(*place));
	struct ask *ask = data;
	const struct nlattr *attr;

	if (!place)
		return MNL_CB_ERROR;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		fep_attr(place, attr);
	*ask->last_fep = place;
	ask->last_fep = &place->next;
	return MNL_CB_OK;
}

static void job_attr(struct job *job, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case UET_A_JOB_ID:
		job->id = mnl_attr_get_u32(attr);
		break;
	case UET_A_JOB_PID_MIN:
		job->pid_min = mnl_attr_get_u16(attr);
		break;
	case UET_A_JOB_PID_MAX:
		job->pid_max = mnl_attr_get_u16(attr);
		break;
	case UET_A_JOB_FEP:
		if (job->nr_feps < UET_JOB_FEPS_MAX)
			copy_name(job->feps[job->nr_feps++], attr);
		break;
	}
}

static bool job_has(const struct job *job, const char *fep)
{
	unsigned int i;

	for (i = 0; i < job->nr_feps; i++)
		if (!strcmp(job->feps[i], fep))
			return true;
	return false;
}

/* A job has a place on each of its FEPs. */
static int see_job(const struct nlmsghdr *nlh, void *data)
{
	struct job job = { .pid_max = 4095 };
	const struct lf_place *fep;
	const struct nlattr *attr;
	struct ask *ask = data;
	struct lf_place *place;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		job_attr(&job, attr);
	for (fep = ask->feps; fep; fep = fep->next) {
		if (!job_has(&job, fep->fep))
			continue;
		place = malloc(sizeof(*place));
		if (!place)
			return MNL_CB_ERROR;
		*place = *fep;
		place->job = job.id;
		place->pid_min = job.pid_min;
		place->pid_max = job.pid_max;
		place->next = NULL;
		*ask->last_place = place;
		ask->last_place = &place->next;
	}
	return MNL_CB_OK;
}

static int dump(struct ask *ask, uint8_t cmd, mnl_cb_t seen)
{
	char buf[256];

	return talk(ask, request(buf, ask->family, NLM_F_DUMP, cmd, UET_FAMILY_VERSION),
		    seen);
}

static int ask_all(struct ask *ask)
{
	char buf[256];
	struct nlmsghdr *nlh = request(buf, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY, 1);
	int ret;

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME);
	ret = talk(ask, nlh, see_family);
	if (!ret)
		ret = dump(ask, UET_CMD_FEP_GET, see_fep);
	if (!ret)
		ret = dump(ask, UET_CMD_JOB_GET, see_job);
	return ret;
}

static int list_places(struct lf_place **list)
{
	struct ask ask = { .nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC) };
	int ret;

	*list = NULL;
	if (!ask.nl)
		return -errno;
	ask.last_fep = &ask.feps;
	ask.last_place = &ask.places;
	ret = mnl_socket_bind(ask.nl, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : ask_all(&ask);
	mnl_socket_close(ask.nl);
	lf_places_free(ask.feps);
	if (ret)
		lf_places_free(ask.places);
	else
		*list = ask.places;
	return ret;
}

/* EINTR: objects of the kernel changed during a dump. */
int lf_places(struct lf_place **list)
{
	int i, ret = -EINTR;

	for (i = 0; i < DUMP_TRIES && ret == -EINTR; i++)
		ret = list_places(list);
	return ret;
}

void lf_places_free(struct lf_place *list)
{
	struct lf_place *next;

	for (; list; list = next) {
		next = list->next;
		free(list);
	}
}

uint16_t lf_place_pid(const struct lf_place *place)
{
	return lf_params.pid >= 0 ? (uint16_t)lf_params.pid : place->pid_min;
}

int lf_chosen_job(uint32_t *job)
{
	long number = lf_params.job;
	int ret = 0;

	if (!number)
		ret = lf_number("UET_JOB", getenv("UET_JOB"), 1, UET_JOBID_MAX, &number);
	*job = (uint32_t)number;
	return ret;
}

/* A launcher between may have closed the descriptor: then it has no authority. */
int lf_job_fd(void)
{
	long fd = -1;

	if (lf_number("UET_JOB_FD", getenv("UET_JOB_FD"), 0, INT_MAX, &fd))
		return -1;
	return fd >= 0 && fcntl((int)fd, F_GETFD) >= 0 ? (int)fd : -1;
}
