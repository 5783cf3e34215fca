// SPDX-License-Identifier: GPL-2.0
/*
 * Judging a request: words and numbers, FEPs, JobID, and the number of jobs of
 * a user.  Requests that the kernel would refuse are refused here, with the
 * name of the bad value and its limit.  Level: tool.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/uet.h>

#include "requested.h"

/**
 * uetd_refuse() - fill in a refusal
 * @refusal: filled in
 * @name: of the D-Bus error
 * @fmt: for people
 *
 * Return: false.
 */
bool uetd_refuse(struct uetd_refusal *refusal, const char *name,
		 const char *fmt, ...)
{
	va_list args;

	refusal->name = name;
	va_start(args, fmt);
	vsnprintf(refusal->text, sizeof(refusal->text), fmt, args);
	va_end(args);
	return false;
}

static bool judge_words(const struct uetd_job *job,
			struct uetd_refusal *refusal)
{
	char name[UET_NAME_LEN_MAX + 1];
	const char *wrong = *job->name ?
			    uetd_value_name(job->name, UET_NAME_LEN_MAX, name) :
			    NULL;

	if (wrong)
		return uetd_refuse(refusal, UETD_ERROR_ARGS,
				   "name must be empty or %s", wrong);
	if (job->id > UET_JOBID_MAX)
		return uetd_refuse(refusal, UETD_ERROR_ARGS,
				   "id must be a number from 1 to %u, or 0: any, not %u",
				   UET_JOBID_MAX, job->id);
	if (job->pid_min > job->pid_max || job->pid_max > UET_PIDONFEP_MAX)
		return uetd_refuse(refusal, UETD_ERROR_ARGS,
				   "pids must be from 0 to %u, the lower one first, not %u and %u",
				   UET_PIDONFEP_MAX, job->pid_min,
				   job->pid_max);
	return true;
}

/* Without named FEPs, as many FEPs as a job can have. */
static bool take_all_feps(struct uetd_job *job, const struct uetd_model *kernel,
			  struct uetd_refusal *refusal)
{
	while (job->nr_feps < kernel->nr_feps &&
	       job->nr_feps < UET_JOB_FEPS_MAX) {
		strcpy(job->fep[job->nr_feps],
		       kernel->feps[job->nr_feps].name);
		job->nr_feps++;
	}
	return job->nr_feps ||
	       uetd_refuse(refusal, UETD_ERROR("NoSuchFep"),
			   "there is no FEP on this node yet");
}

static bool judge_feps(struct uetd_job *job, const struct uetd_model *kernel,
		       struct uetd_refusal *refusal)
{
	unsigned int i, k;

	if (!job->nr_feps)
		return take_all_feps(job, kernel, refusal);
	for (i = 0; i < job->nr_feps; i++) {
		if (!uetd_model_fep(kernel, job->fep[i]))
			return uetd_refuse(refusal, UETD_ERROR("NoSuchFep"),
					   "there is no FEP \"%s\" on this node",
					   job->fep[i]);
		for (k = 0; k < i; k++) {
			if (!strcmp(job->fep[k], job->fep[i]))
				return uetd_refuse(refusal, UETD_ERROR_ARGS,
						   "FEP \"%s\" is named twice",
						   job->fep[i]);
		}
	}
	return true;
}

static bool is_taken(const struct uetd_world *world, uint32_t id)
{
	return uetd_model_job(world->kernel, id) ||
	       uetd_model_job(&world->conf->model, id);
}

static const struct uetd_user *user_of_id(const struct uetd_conf *conf,
					  uint32_t id)
{
	size_t i;

	for (i = 0; i < conf->nr_users; i++)
		if (id >= conf->users[i].first && id <= conf->users[i].last)
			return &conf->users[i];
	return NULL;
}

static const struct uetd_user *user_of_uid(const struct uetd_conf *conf,
					   uint32_t uid)
{
	size_t i;

	for (i = 0; i < conf->nr_users; i++)
		if (conf->users[i].uid == uid)
			return &conf->users[i];
	return NULL;
}

/* A free JobID of the user, or one that is of no user.  Those in use are rare. */
static bool choose_id(struct uetd_job *job, const struct uetd_world *world,
		      uint32_t random, struct uetd_refusal *refusal)
{
	const struct uetd_user *user = user_of_uid(world->conf, job->uid);
	uint32_t first = user ? user->first : UETD_REQUESTED_ID_MIN;
	uint32_t nr = (user ? user->last : UET_JOBID_MAX) - first + 1, i;

	for (i = 0; i < nr; i++) {
		job->id = first + (random + i) % nr;
		if (!is_taken(world, job->id) &&
		    user_of_id(world->conf, job->id) == user)
			return true;
	}
	return uetd_refuse(refusal, UETD_ERROR_LIMIT,
			   "all JobIDs from %u to %u are taken", first,
			   first + nr - 1);
}

/* Jobs of other nodes are not known here: a JobID may be one of theirs. */
static bool judge_user(const struct uetd_job *job, const struct uetd_conf *conf,
		       struct uetd_refusal *refusal)
{
	const struct uetd_user *user = user_of_uid(conf, job->uid);
	const struct uetd_user *other = user_of_id(conf, job->id);

	if (!job->uid || user == other)
		return true;
	if (user)
		return uetd_refuse(refusal, UETD_ERROR("JobReserved"),
				   "JobIDs of user %u are %u to %u, by uetd.conf",
				   user->uid, user->first, user->last);
	return uetd_refuse(refusal, UETD_ERROR("JobReserved"),
			   "job %u is one of user %u, by uetd.conf", job->id,
			   other->uid);
}

static bool judge_id(struct uetd_job *job, const struct uetd_world *world,
		     uint32_t random, struct uetd_refusal *refusal)
{
	if (!job->id)
		return choose_id(job, world, random, refusal);
	if (!judge_user(job, world->conf, refusal))
		return false;
	if (uetd_model_job(&world->conf->model, job->id))
		return uetd_refuse(refusal, UETD_ERROR("JobExists"),
				   "job %u is one of the configuration of uetd",
				   job->id);
	return !is_taken(world, job->id) ||
	       uetd_refuse(refusal, UETD_ERROR("JobExists"),
			   "there is a job %u", job->id);
}

static bool judge_limit(const struct uetd_job *job,
			const struct uetd_world *world,
			struct uetd_refusal *refusal)
{
	unsigned int limit = world->conf->jobs_per_user;
	unsigned int count = uetd_registry_count(world->registry, job->uid);

	return !job->uid || count < limit ||
	       uetd_refuse(refusal, UETD_ERROR_LIMIT,
			   "user %u has %u jobs, jobs-per-user of uetd.conf is %u",
			   job->uid, count, limit);
}

/**
 * uetd_request_judge() - check and complete a request
 * @job: requested job; a missing number or missing FEPs are filled in
 * @world: state to check against
 * @random: random number for the JobID
 * @refusal: filled in on refusal
 *
 * Return: true if the job can be created.
 */
bool uetd_request_judge(struct uetd_job *job, const struct uetd_world *world,
			uint32_t random, struct uetd_refusal *refusal)
{
	return judge_words(job, refusal) &&
	       judge_feps(job, world->kernel, refusal) &&
	       judge_id(job, world, random, refusal) &&
	       judge_limit(job, world, refusal);
}
