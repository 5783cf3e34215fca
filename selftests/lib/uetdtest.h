/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the tests of uetd: a configuration from a string, a host with four
 * netdevs, and a kernel that is a model and refuses what the real one refuses.  Level:
 * test.
 */
#ifndef UET_SELFTESTS_UETDTEST_H
#define UET_SELFTESTS_UETDTEST_H

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plan/plan.h"

#define UETDTEST_SPACE	8192
#define UETDTEST_NOW	1800000000	/* seconds since 1970 */

/* The reported errors, one line each: "LINE [SECTION] KEY: TEXT". */
struct uetdtest_log {
	char text[UETDTEST_SPACE];
	size_t size;
};

static void uetdtest_tell(void *data, const struct uetd_conf_error *mistake)
{
	struct uetdtest_log *log = data;

	log->size += snprintf(log->text + log->size,
			      sizeof(log->text) - log->size, "%u%s%s%s%s%s: %s\n",
			      mistake->line, mistake->section ? " [" : "",
			      mistake->section ? mistake->section : "",
			      mistake->section ? "]" : "",
			      mistake->key ? " " : "",
			      mistake->key ? mistake->key : "", mistake->text);
	if (log->size >= sizeof(log->text))
		log->size = sizeof(log->text) - 1;
}

/* The configuration in @text of @size bytes; false with the mistakes in @log. */
static inline bool uetdtest_conf(struct uetd_conf *conf, const char *text,
				 size_t size, struct uetdtest_log *log)
{
	struct uetd_diag diag = { .tell = uetdtest_tell, .data = log };
	char path[32], *paths[] = { path, NULL };
	int fd = memfd_create("conf", MFD_CLOEXEC);
	bool is_good;

	if (fd < 0 || write(fd, text, size) != (ssize_t)size) {
		printf("Bail out! no memory file\n");
		exit(1);
	}
	memset(log, 0, sizeof(*log));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	is_good = uetd_conf_load_files(conf, paths, &diag);
	close(fd);
	return is_good;
}

/* The host: eth0 and eth1 for rails, fa0 with fabric addresses. */
enum { UETDTEST_LO = 1, UETDTEST_ETH0, UETDTEST_ETH1, UETDTEST_FA0 };

static inline void uetdtest_link(struct uetd_links *links, int ifindex,
				 const char *name, uint32_t mtu)
{
	struct uetd_link *link;

	links->links = uetd_grow(links->links, links->nr_links, sizeof(*link));
	link = &links->links[links->nr_links++];
	link->ifindex = ifindex;
	snprintf(link->name, sizeof(link->name), "%s", name);
	link->mtu = mtu;
	link->has_mac = true;
	link->mac[0] = 2;
	link->mac[5] = ifindex;
}

static inline void uetdtest_addr(struct uetd_links *links, int ifindex,
				 const char *text)
{
	struct uetd_link_addr *addr;

	links->addrs = uetd_grow(links->addrs, links->nr_addrs, sizeof(*addr));
	addr = &links->addrs[links->nr_addrs++];
	addr->ifindex = ifindex;
	uetd_value_addr(text, &addr->addr);
}

/* @without: ifindex of a netdev that is not there, or 0 */
static inline void uetdtest_host(struct uetd_links *links, int without)
{
	memset(links, 0, sizeof(*links));
	uetdtest_link(links, UETDTEST_LO, "lo", 65536);
	if (without != UETDTEST_ETH0) {
		uetdtest_link(links, UETDTEST_ETH0, "eth0", 4500);
		uetdtest_addr(links, UETDTEST_ETH0, "10.64.0.1");
		uetdtest_addr(links, UETDTEST_ETH0, "fe80::1");
	}
	if (without != UETDTEST_ETH1) {
		uetdtest_link(links, UETDTEST_ETH1, "eth1", 4500);
		uetdtest_addr(links, UETDTEST_ETH1, "10.65.0.1");
		uetdtest_addr(links, UETDTEST_ETH1, "fe80::1");
	}
	if (without != UETDTEST_FA0) {
		uetdtest_link(links, UETDTEST_FA0, "fa0", 1500);
		uetdtest_addr(links, UETDTEST_FA0, "10.0.0.1");
		uetdtest_addr(links, UETDTEST_FA0, "10.0.0.2");
		uetdtest_addr(links, UETDTEST_FA0, "fd00::1");
	}
}

/* The rail of a netdev, or NULL. */
static inline struct uetd_rail *uetdtest_rail(const struct uetd_model *kernel,
					      int ifindex)
{
	size_t i;

	for (i = 0; i < kernel->nr_rails; i++) {
		if (kernel->rails[i].ifindex == ifindex)
			return &kernel->rails[i];
	}
	return NULL;
}

/* The domain of a name, or NULL. */
static inline struct uetd_sd *uetdtest_sd(const struct uetd_model *kernel,
					  const char *name)
{
	size_t i;

	for (i = 0; i < kernel->nr_sds; i++) {
		if (!strcmp(kernel->sds[i].name, name))
			return &kernel->sds[i];
	}
	return NULL;
}

/* A netdev goes away: its rail does, too. */
static inline void uetdtest_unplug(struct uetd_model *kernel, int ifindex)
{
	struct uetd_rail *rail = uetdtest_rail(kernel, ifindex);
	struct uetd_fep *fep;
	size_t i;

	if (rail) {
		*rail = kernel->rails[kernel->nr_rails - 1];
		kernel->nr_rails--;
	}
	for (i = 0; i < kernel->nr_feps; i++) {
		fep = &kernel->feps[i];
		if (!uetd_fep_has_ifindex(fep, ifindex))
			continue;
		if (fep->ifindex[0] == ifindex)
			fep->ifindex[0] = fep->ifindex[1];
		fep->ifindex[1] = 0;
		fep->nr_rails--;
	}
}

static inline const char *uetdtest_del_rail(struct uetd_model *kernel,
					    int ifindex)
{
	struct uetd_rail *rail = uetdtest_rail(kernel, ifindex);
	size_t i;

	if (!rail)
		return "no such rail";
	for (i = 0; i < kernel->nr_feps; i++) {
		if (uetd_fep_has_ifindex(&kernel->feps[i], ifindex))
			return "a fep uses it";
	}
	*rail = kernel->rails[--kernel->nr_rails];
	return NULL;
}

static inline const char *uetdtest_add_rail(struct uetd_model *kernel,
					    const struct uetd_rail *rail)
{
	struct uetd_rail *added;

	if (uetdtest_rail(kernel, rail->ifindex))
		return "is a rail already";
	kernel->rails = uetd_grow(kernel->rails, kernel->nr_rails,
				  sizeof(*added));
	added = &kernel->rails[kernel->nr_rails++];
	snprintf(added->name, sizeof(added->name), "%s", rail->dev);
	added->ifindex = rail->ifindex;
	added->plane = rail->plane;
	added->is_managed = true;
	return NULL;
}

static inline const char *uetdtest_set_rail(struct uetd_model *kernel,
					    const struct uetd_rail *rail)
{
	struct uetd_rail *set = uetdtest_rail(kernel, rail->ifindex);

	if (!set)
		return "netdev is not a rail";
	set->is_ingress = rail->is_ingress;
	return NULL;
}

static inline const char *uetdtest_del_fep(struct uetd_model *kernel,
					   const char *name)
{
	struct uetd_fep *fep = uetd_model_fep(kernel, name);
	size_t i;

	if (!fep)
		return "no such fep";
	for (i = 0; i < kernel->nr_jobs; i++) {
		if (uetd_job_has_fep(&kernel->jobs[i], name))
			return "a job uses it";
	}
	*fep = kernel->feps[--kernel->nr_feps];
	return NULL;
}

static inline const char *uetdtest_add_fep(struct uetd_model *kernel,
					   const struct uetd_fep *fep)
{
	struct uetd_rail *rails[UET_FEP_RAILS_MAX];
	struct uetd_fep *added;
	unsigned int i;

	if (uetd_model_fep(kernel, fep->name))
		return "name is taken";
	for (i = 0; i < kernel->nr_feps; i++) {
		if (uetd_addr_equal(&kernel->feps[i].addr, &fep->addr) &&
		    kernel->feps[i].scope_id == fep->scope_id)
			return "another fep has this addr";
	}
	for (i = 0; i < fep->nr_rails; i++) {
		rails[i] = uetdtest_rail(kernel, fep->ifindex[i]);
		if (!rails[i])
			return "netdev is not a rail";
		if (i && rails[0]->plane == rails[i]->plane)
			return "its rails must be on different planes";
	}
	if (!fep->nr_rails)
		return "needs a rail";
	if (*fep->sd && !uetdtest_sd(kernel, fep->sd))
		return "no such sd";
	kernel->feps = uetd_grow(kernel->feps, kernel->nr_feps, sizeof(*fep));
	added = &kernel->feps[kernel->nr_feps++];
	*added = *fep;
	for (i = fep->nr_rails; i < UET_FEP_RAILS_MAX; i++)
		added->ifindex[i] = 0;
	added->is_managed = true;
	return NULL;
}

static inline const char *uetdtest_del_sd(struct uetd_model *kernel,
					  const char *name)
{
	struct uetd_sd *sd = uetdtest_sd(kernel, name);
	size_t i;

	if (!sd)
		return "no such sd";
	for (i = 0; i < kernel->nr_feps; i++) {
		if (!strcmp(kernel->feps[i].sd, name))
			return "a fep uses it";
	}
	*sd = kernel->sds[--kernel->nr_sds];
	return NULL;
}

static inline const char *uetdtest_add_sd(struct uetd_model *kernel,
					  const struct uetd_sd *sd)
{
	struct uetd_sd *added;

	if (uetdtest_sd(kernel, sd->name))
		return "name is taken";
	kernel->sds = uetd_grow(kernel->sds, kernel->nr_sds, sizeof(*sd));
	added = &kernel->sds[kernel->nr_sds++];
	memcpy(added->name, sd->name, sizeof(added->name));
	added->rules = sd->rules;
	added->is_managed = true;
	return NULL;
}

static inline const char *uetdtest_set_key(struct uetd_sd *sd,
					   const struct uetd_step *step,
					   uint32_t check)
{
	struct uetd_sa *sa = &sd->sa[step->an], *other = &sd->sa[!step->an];

	if (check && (sd->revoked[0] == check || sd->revoked[1] == check))
		return "keys of this check are revoked";
	if ((sa->is_set && sa->check == check && sa->number == step->number) ||
	    (other->is_set && other->check == check &&
	     other->number == step->number))
		return "the sd has this key";
	if (sa->is_used)
		return "an is in use";
	*sa = (struct uetd_sa) {
		.is_set = true, .number = step->number, .check = check,
		.epoch = step->epoch,
	};
	return NULL;
}

/* Carries out a step on the keys of a domain of the kernel. */
static inline const char *uetdtest_step(struct uetd_sd *sd,
					const struct uetd_step *step,
					uint32_t check)
{
	struct uetd_sa *sa = &sd->sa[step->an];

	if (step->kind == UETD_STEP_KEY)
		return uetdtest_set_key(sd, step, check);
	if (!sa->is_set)
		return "no key is set behind this an";
	if (step->kind == UETD_STEP_FORGET) {
		memset(sa, 0, sizeof(*sa));
	} else {
		sd->sa[!step->an].is_used = false;
		sa->is_used = true;
	}
	return NULL;
}

static inline const char *uetdtest_keys(struct uetd_model *kernel,
					const struct uetd_op *op)
{
	struct uetd_sd *sd = uetdtest_sd(kernel, op->sd.name);

	return sd ? uetdtest_step(sd, &op->step, op->sd.check) : "no such sd";
}

static inline const char *uetdtest_del_job(struct uetd_model *kernel,
					   uint32_t id)
{
	struct uetd_job *job = uetd_model_job(kernel, id);

	if (!job)
		return "no such job";
	if (job->endpoints)
		return "endpoints are bound under it";
	*job = kernel->jobs[--kernel->nr_jobs];
	return NULL;
}

static inline const char *uetdtest_add_job(struct uetd_model *kernel,
					   const struct uetd_job *job)
{
	unsigned int i;

	if (uetd_model_job(kernel, job->id))
		return "id is taken";
	for (i = 0; i < job->nr_feps; i++) {
		if (!uetd_model_fep(kernel, job->fep[i]))
			return "no such fep";
	}
	kernel->jobs = uetd_grow(kernel->jobs, kernel->nr_jobs, sizeof(*job));
	kernel->jobs[kernel->nr_jobs] = *job;
	kernel->jobs[kernel->nr_jobs++].is_managed = true;
	return NULL;
}

/* Why the kernel refuses; NULL if it does not, and the change is made. */
static inline const char *uetdtest_change(struct uetd_model *kernel,
					  const struct uetd_op *op)
{
	struct uetd_fep *fep;

	switch (op->kind) {
	case UETD_OP_JOB_DEL:
		return uetdtest_del_job(kernel, op->job.id);
	case UETD_OP_FEP_DEL:
		return uetdtest_del_fep(kernel, op->fep.name);
	case UETD_OP_RAIL_DEL:
		return uetdtest_del_rail(kernel, op->rail.ifindex);
	case UETD_OP_RAIL_ADD:
		return uetdtest_add_rail(kernel, &op->rail);
	case UETD_OP_RAIL_SET:
		return uetdtest_set_rail(kernel, &op->rail);
	case UETD_OP_SD_DEL:
		return uetdtest_del_sd(kernel, op->sd.name);
	case UETD_OP_SD_ADD:
		return uetdtest_add_sd(kernel, &op->sd);
	case UETD_OP_SD_KEYS:
		return uetdtest_keys(kernel, op);
	case UETD_OP_FEP_ADD:
		return uetdtest_add_fep(kernel, &op->fep);
	case UETD_OP_JOB_ADD:
		return uetdtest_add_job(kernel, &op->job);
	case UETD_OP_FEP_SET:
		break;
	}
	fep = uetd_model_fep(kernel, op->fep.name);
	if (!fep)
		return "no such fep";
	memcpy(fep->choice, op->fep.choice, sizeof(fep->choice));
	memcpy(fep->dscp, op->fep.dscp, sizeof(fep->dscp));
	memcpy(fep->param, op->fep.param, sizeof(fep->param));
	return NULL;
}

#endif /* UET_SELFTESTS_UETDTEST_H */
