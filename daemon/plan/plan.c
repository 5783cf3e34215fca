// SPDX-License-Identifier: GPL-2.0
/*
 * The plan: each object of the kernel is first judged by itself.  Objects that
 * have to stay then keep the objects they depend on, until nothing changes.
 * The remaining changes are put in order.  Pure.  Level: tool.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/index.h"
#include "plan.h"

/**
 * struct verdict - decision about an object of the kernel
 * @has_to_go: judged by itself, the object should be deleted, to be
 *	recreated or not
 * @is_forced: an object below it should be deleted
 * @is_kept: the object has to stay nevertheless
 * @why: the reason; empty if it was already reported
 */
struct verdict {
	bool has_to_go;
	bool is_forced;
	bool is_kept;
	char why[UETD_TEXT_MAX];
};

/**
 * struct planner - a plan in the making
 * @plan: result
 * @foreign: policy for objects that are not configured
 * @target: requested state
 * @kernel: present state of the kernel
 * @wanted: look-ups in @target
 * @present: look-ups in @kernel
 * @now: seconds since 1970
 * @rails: verdicts, in the order of @kernel
 * @sds: the same
 * @feps: the same
 * @jobs: the same
 * @has_changed: a verdict has changed
 */
struct planner {
	struct uetd_plan *plan;
	enum uetd_foreign foreign;
	const struct uetd_model *target;
	const struct uetd_model *kernel;
	struct uetd_lookup wanted;
	struct uetd_lookup present;
	uint64_t now;
	struct verdict *rails;
	struct verdict *sds;
	struct verdict *feps;
	struct verdict *jobs;
	bool has_changed;
};

static bool should_go(const struct verdict *verdict)
{
	return verdict->has_to_go || verdict->is_forced;
}

static bool will_go(const struct verdict *verdict)
{
	return should_go(verdict) && !verdict->is_kept;
}

__attribute__((format(printf, 3, 4)))
static void keep(struct planner *planner, struct verdict *verdict,
		 const char *fmt, ...)
{
	va_list args;

	if (verdict->is_kept)
		return;
	va_start(args, fmt);
	vsnprintf(verdict->why, sizeof(verdict->why), fmt, args);
	va_end(args);
	verdict->is_kept = true;
	planner->has_changed = true;
}

/* An object that no file names goes if files named it before, or if the policy says so. */
static bool is_unwanted(const struct planner *planner, bool is_managed)
{
	return is_managed || planner->foreign != UETD_FOREIGN_KEEP;
}

static void judge_rails(struct planner *planner)
{
	const struct uetd_rail *rail, *wanted;
	size_t i;

	for (i = 0; i < planner->kernel->nr_rails; i++) {
		rail = &planner->kernel->rails[i];
		wanted = uetd_index_find(&planner->wanted.netdevs,
					 &rail->ifindex);
		planner->rails[i].has_to_go =
			wanted ? wanted->plane != rail->plane :
				 is_unwanted(planner, rail->is_managed);
	}
}

static void judge_sds(struct planner *planner)
{
	const struct uetd_sd *sd, *wanted;
	size_t i;

	for (i = 0; i < planner->kernel->nr_sds; i++) {
		sd = &planner->kernel->sds[i];
		wanted = uetd_index_find(&planner->wanted.sds, sd->name);
		planner->sds[i].has_to_go =
			wanted ? !uetd_rules_equal(&wanted->rules, &sd->rules) :
				 is_unwanted(planner, sd->is_managed);
	}
}

static void judge_feps(struct planner *planner)
{
	const struct uetd_fep *fep, *wanted;
	struct verdict *verdict;
	size_t i;

	for (i = 0; i < planner->kernel->nr_feps; i++) {
		fep = &planner->kernel->feps[i];
		verdict = &planner->feps[i];
		wanted = uetd_index_find(&planner->wanted.feps, fep->name);
		if (wanted) {
			verdict->has_to_go =
				!uetd_fep_is_same_fixed(wanted, fep);
			verdict->is_kept = !wanted->is_ready;
		} else {
			verdict->has_to_go =
				is_unwanted(planner, fep->is_managed);
			verdict->is_kept = !verdict->has_to_go;
		}
	}
}

/* A job that no file names: jobs made over the bus end with their makers. */
static bool is_left_alone(const struct planner *planner,
			  const struct uetd_job *job)
{
	switch (job->made) {
	case UETD_BUS_KEPT:
		return true;
	case UETD_BUS_LEFT:
		return false;
	default:
		return planner->foreign != UETD_FOREIGN_DELETE &&
		       !job->is_managed;
	}
}

static void judge_jobs(struct planner *planner)
{
	const struct uetd_job *job, *wanted;
	struct verdict *verdict;
	size_t i;

	for (i = 0; i < planner->kernel->nr_jobs; i++) {
		job = &planner->kernel->jobs[i];
		verdict = &planner->jobs[i];
		wanted = uetd_index_find(&planner->wanted.jobs, &job->id);
		if (wanted) {
			verdict->has_to_go = !uetd_job_is_same(wanted, job);
		} else {
			verdict->is_kept = is_left_alone(planner, job);
			verdict->has_to_go = !verdict->is_kept;
		}
		if (job->endpoints || job->descriptors)
			keep(planner, verdict,
			     "%sit is in use: endpoints %u, descriptors %u",
			     job->made == UETD_BUS_LEFT ?
			     "its maker has left the bus, " : "",
			     job->endpoints, job->descriptors);
	}
}

/* The verdict on a rail of the kernel, by its netdev, or NULL. */
static struct verdict *rail_verdict(const struct planner *planner,
				    const int *ifindex)
{
	const struct uetd_rail *rail =
		uetd_index_find(&planner->present.netdevs, ifindex);

	return rail ? &planner->rails[rail - planner->kernel->rails] : NULL;
}

/* The verdict on a domain of the kernel, or NULL. */
static struct verdict *sd_verdict(const struct planner *planner,
				  const char *name)
{
	const struct uetd_sd *sd =
		uetd_index_find(&planner->present.sds, name);

	return sd ? &planner->sds[sd - planner->kernel->sds] : NULL;
}

/* The verdict on a FEP of the kernel, or NULL. */
static struct verdict *fep_verdict(const struct planner *planner,
				   const char *name)
{
	const struct uetd_fep *fep =
		uetd_index_find(&planner->present.feps, name);

	return fep ? &planner->feps[fep - planner->kernel->feps] : NULL;
}

/* Checks whether a rail or domain of the FEP will be deleted. */
static bool is_fep_forced(const struct planner *planner,
			  const struct uetd_fep *fep)
{
	const struct verdict *verdict;
	unsigned int i;

	for (i = 0; i < fep->nr_rails; i++) {
		verdict = rail_verdict(planner, &fep->ifindex[i]);
		if (verdict && will_go(verdict))
			return true;
	}
	verdict = sd_verdict(planner, fep->sd);
	return verdict && will_go(verdict);
}

/* Checks whether a FEP of the job will be deleted. */
static bool is_job_forced(const struct planner *planner,
			  const struct uetd_job *job)
{
	const struct verdict *verdict;
	unsigned int i;

	for (i = 0; i < job->nr_feps; i++) {
		verdict = fep_verdict(planner, job->fep[i]);
		if (verdict && will_go(verdict))
			return true;
	}
	return false;
}

/* Objects on top of a deleted object have to be deleted as well. */
static void force_up(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	size_t i;

	for (i = 0; i < kernel->nr_feps; i++)
		planner->feps[i].is_forced =
			is_fep_forced(planner, &kernel->feps[i]);
	for (i = 0; i < kernel->nr_jobs; i++)
		planner->jobs[i].is_forced =
			is_job_forced(planner, &kernel->jobs[i]);
}

/* The FEPs of a job that has to stay have to stay as well. */
static void keep_feps_of(struct planner *planner, size_t nr)
{
	const struct uetd_job *job = &planner->kernel->jobs[nr];
	bool is_used = job->endpoints || job->descriptors;
	struct verdict *verdict;
	unsigned int i;

	for (i = 0; i < job->nr_feps; i++) {
		verdict = fep_verdict(planner, job->fep[i]);
		if (verdict && should_go(verdict))
			keep(planner, verdict, "job %u has it, which %s",
			     job->id, is_used ? "is in use" : "has to stay");
	}
}

/* Rails and domains of a FEP that has to stay have to stay as well. */
static void keep_below(struct planner *planner, size_t nr)
{
	const struct uetd_fep *fep = &planner->kernel->feps[nr];
	struct verdict *verdict;
	unsigned int i;

	for (i = 0; i < fep->nr_rails; i++) {
		verdict = rail_verdict(planner, &fep->ifindex[i]);
		if (verdict && should_go(verdict))
			keep(planner, verdict,
			     "fep %s has it, which has to stay", fep->name);
	}
	verdict = sd_verdict(planner, fep->sd);
	if (verdict && should_go(verdict))
		keep(planner, verdict, "fep %s has it, which has to stay",
		     fep->name);
}

static void keep_down(struct planner *planner)
{
	size_t i;

	for (i = 0; i < planner->kernel->nr_jobs; i++) {
		if (should_go(&planner->jobs[i]) && planner->jobs[i].is_kept)
			keep_feps_of(planner, i);
	}
	for (i = 0; i < planner->kernel->nr_feps; i++) {
		if (should_go(&planner->feps[i]) && planner->feps[i].is_kept)
			keep_below(planner, i);
	}
}

/* The FEP that stays and has the address of the wanted FEP, or NULL. */
static const struct uetd_fep *find_rival(const struct planner *planner,
					 const struct uetd_fep *wanted)
{
	const struct uetd_fep *fep =
		uetd_index_find(&planner->present.fep_addrs, wanted);

	if (!fep || !strcmp(fep->name, wanted->name) ||
	    will_go(&planner->feps[fep - planner->kernel->feps]))
		return NULL;
	return fep;
}

/* Checks whether the kernel has a FEP and will keep it. */
static bool fep_will_stay(const struct planner *planner, const char *name)
{
	const struct verdict *verdict = fep_verdict(planner, name);

	return verdict && !will_go(verdict);
}

/* The first FEP that a job needs and that will not exist, or NULL. */
static const char *find_missing(const struct planner *planner,
				const struct uetd_job *wanted)
{
	const struct uetd_fep *fep;
	unsigned int i;

	for (i = 0; i < wanted->nr_feps; i++) {
		if (fep_will_stay(planner, wanted->fep[i]))
			continue;
		fep = uetd_index_find(&planner->wanted.feps, wanted->fep[i]);
		if (!fep->is_ready || find_rival(planner, fep))
			return wanted->fep[i];
	}
	return NULL;
}

/* Keeps objects that should be recreated but could not be. */
static void keep_irreplaceable(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	const struct uetd_fep *fep, *rival;
	const struct uetd_job *job;
	const char *missing;
	size_t i;

	for (i = 0; i < kernel->nr_feps; i++) {
		fep = uetd_index_find(&planner->wanted.feps,
				      kernel->feps[i].name);
		rival = fep ? find_rival(planner, fep) : NULL;
		if (rival && should_go(&planner->feps[i]))
			keep(planner, &planner->feps[i],
			     "fep %s, which has to stay, has its address",
			     rival->name);
	}
	for (i = 0; i < kernel->nr_jobs; i++) {
		job = uetd_index_find(&planner->wanted.jobs,
				      &kernel->jobs[i].id);
		missing = job ? find_missing(planner, job) : NULL;
		if (missing && should_go(&planner->jobs[i]))
			keep(planner, &planner->jobs[i],
			     "fep %s is not there", missing);
	}
}

static void judge(struct planner *planner)
{
	judge_rails(planner);
	judge_sds(planner);
	judge_feps(planner);
	judge_jobs(planner);
	/* The set of kept objects only grows, so the loop terminates. */
	do {
		planner->has_changed = false;
		force_up(planner);
		keep_down(planner);
		keep_irreplaceable(planner);
	} while (planner->has_changed);
}

static void tell_waits(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	const struct verdict *verdict;
	char id[16];
	size_t i;

	for (i = 0; i < kernel->nr_rails; i++) {
		verdict = &planner->rails[i];
		if (verdict->has_to_go && verdict->is_kept)
			uetd_plan_wait(planner->plan, "rail",
				       kernel->rails[i].name, "%s",
				       verdict->why);
	}
	for (i = 0; i < kernel->nr_sds; i++) {
		verdict = &planner->sds[i];
		if (verdict->has_to_go && verdict->is_kept)
			uetd_plan_wait(planner->plan, "sd",
				       kernel->sds[i].name, "%s",
				       verdict->why);
	}
	for (i = 0; i < kernel->nr_feps; i++) {
		verdict = &planner->feps[i];
		if (verdict->has_to_go && verdict->is_kept && *verdict->why)
			uetd_plan_wait(planner->plan, "fep",
				       kernel->feps[i].name, "%s",
				       verdict->why);
	}
	for (i = 0; i < kernel->nr_jobs; i++) {
		verdict = &planner->jobs[i];
		snprintf(id, sizeof(id), "%u", kernel->jobs[i].id);
		if (verdict->has_to_go && verdict->is_kept)
			uetd_plan_wait(planner->plan, "job", id, "%s",
				       verdict->why);
	}
}

/**
 * uetd_plan_op() - add a change
 * @plan: the change is added at the end
 * @kind: of the change
 *
 * Return: the change, for the caller to fill in.
 */
struct uetd_op *uetd_plan_op(struct uetd_plan *plan, enum uetd_op_kind kind)
{
	plan->ops = uetd_grow(plan->ops, plan->nr_ops, sizeof(*plan->ops));
	plan->ops[plan->nr_ops].kind = kind;
	return &plan->ops[plan->nr_ops++];
}

static struct uetd_op *add_op(struct planner *planner, enum uetd_op_kind kind)
{
	return uetd_plan_op(planner->plan, kind);
}

static void plan_deletions(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	size_t i;

	for (i = 0; i < kernel->nr_jobs; i++) {
		if (will_go(&planner->jobs[i]))
			add_op(planner, UETD_OP_JOB_DEL)->job =
				kernel->jobs[i];
	}
	for (i = 0; i < kernel->nr_feps; i++) {
		if (will_go(&planner->feps[i]))
			add_op(planner, UETD_OP_FEP_DEL)->fep =
				kernel->feps[i];
	}
	for (i = 0; i < kernel->nr_rails; i++) {
		if (will_go(&planner->rails[i]))
			add_op(planner, UETD_OP_RAIL_DEL)->rail =
				kernel->rails[i];
	}
	for (i = 0; i < kernel->nr_sds; i++) {
		if (will_go(&planner->sds[i]))
			add_op(planner, UETD_OP_SD_DEL)->sd = kernel->sds[i];
	}
}

static void plan_rails(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	const struct uetd_rail *wanted, *rail;
	size_t i;

	for (i = 0; i < planner->target->nr_rails; i++) {
		wanted = &planner->target->rails[i];
		rail = uetd_index_find(&planner->present.netdevs,
				       &wanted->ifindex);
		if (wanted->ifindex &&
		    (!rail || will_go(&planner->rails[rail - kernel->rails])))
			add_op(planner, UETD_OP_RAIL_ADD)->rail = *wanted;
	}
}

/*
 * A new rail starts without ingress; the flag of an existing rail is set in
 * place, in use or not.
 */
static void plan_ingress(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	const struct uetd_rail *wanted, *rail;
	bool is_ingress;
	size_t i;

	for (i = 0; i < planner->target->nr_rails; i++) {
		wanted = &planner->target->rails[i];
		rail = uetd_index_find(&planner->present.netdevs,
				       &wanted->ifindex);
		is_ingress = rail && rail->is_ingress &&
			     !will_go(&planner->rails[rail - kernel->rails]);
		if (wanted->ifindex && wanted->is_ingress != is_ingress)
			add_op(planner, UETD_OP_RAIL_SET)->rail = *wanted;
	}
}

static void plan_sds(struct planner *planner)
{
	const struct uetd_sd *wanted, *sd;
	size_t i;

	for (i = 0; i < planner->target->nr_sds; i++) {
		wanted = &planner->target->sds[i];
		sd = uetd_index_find(&planner->present.sds, wanted->name);
		if (sd && will_go(&planner->sds[sd - planner->kernel->sds]))
			sd = NULL;
		if (!sd)
			add_op(planner, UETD_OP_SD_ADD)->sd = *wanted;
		uetd_plan_keys(planner->plan, wanted, sd, planner->now);
	}
}

static void plan_sets(struct planner *planner)
{
	const struct uetd_fep *wanted, *fep;
	struct uetd_op *op;
	size_t i;

	for (i = 0; i < planner->kernel->nr_feps; i++) {
		fep = &planner->kernel->feps[i];
		wanted = uetd_index_find(&planner->wanted.feps, fep->name);
		if (!wanted || will_go(&planner->feps[i]) ||
		    uetd_fep_is_same_settings(wanted, fep))
			continue;
		op = add_op(planner, UETD_OP_FEP_SET);
		op->fep = *wanted;
		op->was = *fep;
	}
}

static void plan_feps(struct planner *planner)
{
	const struct uetd_fep *wanted, *rival;
	size_t i;

	for (i = 0; i < planner->target->nr_feps; i++) {
		wanted = &planner->target->feps[i];
		if (!wanted->is_ready ||
		    fep_will_stay(planner, wanted->name))
			continue;
		rival = find_rival(planner, wanted);
		if (rival)
			uetd_plan_wait(planner->plan, "fep", wanted->name,
				       "fep %s, which has to stay, has its address",
				       rival->name);
		else
			add_op(planner, UETD_OP_FEP_ADD)->fep = *wanted;
	}
}

static void plan_jobs(struct planner *planner)
{
	const struct uetd_model *kernel = planner->kernel;
	const struct uetd_job *wanted, *job;
	const char *missing;
	char id[16];
	size_t i;

	for (i = 0; i < planner->target->nr_jobs; i++) {
		wanted = &planner->target->jobs[i];
		job = uetd_index_find(&planner->present.jobs, &wanted->id);
		if (job && !will_go(&planner->jobs[job - kernel->jobs]))
			continue;
		missing = find_missing(planner, wanted);
		snprintf(id, sizeof(id), "%u", wanted->id);
		if (missing)
			uetd_plan_wait(planner->plan, "job", id,
				       "fep %s is not there", missing);
		else
			add_op(planner, UETD_OP_JOB_ADD)->job = *wanted;
	}
}

static void add_name(struct uetd_plan *plan, const char *kind, const char *name)
{
	struct uetd_name *one;

	plan->names = uetd_grow(plan->names, plan->nr_names, sizeof(*one));
	one = &plan->names[plan->nr_names++];
	snprintf(one->text, sizeof(one->text), "%s %s", kind, name);
}

/* Which objects the files name, as the kernel calls them. */
static void name_all(struct uetd_plan *plan, const struct uetd_model *target)
{
	char id[16];
	size_t i;

	for (i = 0; i < target->nr_rails; i++) {
		if (target->rails[i].ifindex)
			add_name(plan, "rail", target->rails[i].dev);
	}
	for (i = 0; i < target->nr_sds; i++)
		add_name(plan, "sd", target->sds[i].name);
	for (i = 0; i < target->nr_feps; i++)
		add_name(plan, "fep", target->feps[i].name);
	for (i = 0; i < target->nr_jobs; i++) {
		snprintf(id, sizeof(id), "%u", target->jobs[i].id);
		add_name(plan, "job", id);
	}
}

static struct verdict *new_verdicts(size_t nr)
{
	return uetd_grow(NULL, 0, nr * sizeof(struct verdict));
}

/**
 * uetd_plan_make() - plan the changes from the present to the requested state
 * @plan: filled in
 * @conf: requested state
 * @links: the netdevs of the host
 * @kernel: present state of the kernel
 * @now: seconds since 1970
 */
void uetd_plan_make(struct uetd_plan *plan, const struct uetd_conf *conf,
		    const struct uetd_links *links,
		    const struct uetd_model *kernel, uint64_t now)
{
	struct uetd_model target;
	struct planner planner = {
		.plan = plan,
		.foreign = conf->foreign,
		.target = &target,
		.kernel = kernel,
		.now = now,
		.rails = new_verdicts(kernel->nr_rails),
		.sds = new_verdicts(kernel->nr_sds),
		.feps = new_verdicts(kernel->nr_feps),
		.jobs = new_verdicts(kernel->nr_jobs),
	};

	memset(plan, 0, sizeof(*plan));
	uetd_target_make(&target, plan, conf, links);
	name_all(plan, &target);
	uetd_lookup_make(&planner.wanted, &target);
	uetd_lookup_make(&planner.present, kernel);
	judge(&planner);
	tell_waits(&planner);
	plan_deletions(&planner);
	plan_rails(&planner);
	plan_ingress(&planner);
	plan_sds(&planner);
	plan_sets(&planner);
	plan_feps(&planner);
	plan_jobs(&planner);
	uetd_lookup_free(&planner.wanted);
	uetd_lookup_free(&planner.present);
	uetd_model_free(&target);
	free(planner.rails);
	free(planner.sds);
	free(planner.feps);
	free(planner.jobs);
}

/**
 * uetd_plan_free() - free a plan
 * @plan: emptied
 */
void uetd_plan_free(struct uetd_plan *plan)
{
	free(plan->ops);
	free(plan->waits);
	free(plan->names);
	memset(plan, 0, sizeof(*plan));
}
