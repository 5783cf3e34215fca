// SPDX-License-Identifier: GPL-2.0
/*
 * The requests that users may make for a job over the bus: a table of requests with
 * the job made for each, or the error and its text.
 */
#include "utest.h"

#include <linux/uet.h>

#include "uetdtest.h"
#include "bus/requested.h"

#define CONF "[uetd]\njobs-per-user=3\n[rail r0]\nplane=0\n" \
	     "[fep f]\naddr=10.0.0.1\nrails=r0\n[job 5]\nfeps=f\n"

#define ARGS "org.freedesktop.DBus.Error.InvalidArgs"
#define LIMIT "org.freedesktop.DBus.Error.LimitsExceeded"
#define OWN "org.ultraethernet.Uetd1.Error."

/**
 * struct row - a request
 * @job: the requested job
 * @error: name of the D-Bus error; NULL: it is made
 * @text: of the error; else names of its FEPs
 */
struct row {
	struct uetd_job job;
	const char *error;
	const char *text;
};

/* FEPs f and g, job 6, and two jobs of user 1001's made over the bus. */
static void make_world(struct uetd_conf *conf, struct uetd_model *kernel,
		       struct uetd_registry *registry)
{
	struct uetdtest_log log;

	memset(kernel, 0, sizeof(*kernel));
	memset(registry, 0, sizeof(*registry));
	if (!uetdtest_conf(conf, CONF, strlen(CONF), &log)) {
		printf("Bail out! bad configuration in a test: %s\n", log.text);
		exit(1);
	}
	kernel->feps = uetd_grow(NULL, 0, sizeof(*kernel->feps));
	kernel->feps = uetd_grow(kernel->feps, 1, sizeof(*kernel->feps));
	kernel->nr_feps = 2;
	strcpy(kernel->feps[0].name, "f");
	strcpy(kernel->feps[1].name, "g");
	kernel->jobs = uetd_grow(NULL, 0, sizeof(*kernel->jobs));
	kernel->nr_jobs = 1;
	kernel->jobs[0].id = 6;
	uetd_registry_add(registry, 100, 1001, ":1.1");
	uetd_registry_add(registry, 101, 1001, ":1.1");
	uetd_registry_add(registry, 102, 0, ":1.2");
}

static void feps_text(char *text, const struct uetd_job *job)
{
	unsigned int i;

	*text = 0;
	for (i = 0; i < job->nr_feps; i++) {
		strcat(text, i ? " " : "");
		strcat(text, job->fep[i]);
	}
}

static void run_row(const struct row *row, const struct uetd_world *world)
{
	struct uetd_refusal refusal = { .name = NULL };
	struct uetd_job job = row->job;
	char feps[UET_JOB_FEPS_MAX * 16];
	bool is_made = uetd_request_judge(&job, world, 0x12345, &refusal);

	EXPECT_EQ(is_made, !row->error);
	if (!row->error) {
		feps_text(feps, &job);
		EXPECT_STREQ(feps, row->text);
	} else {
		EXPECT_STREQ(refusal.name, row->error);
		EXPECT_STREQ(refusal.text, row->text);
	}
}

TEST(request__is_made_or_refused_with_a_reason)
{
	static const struct row rows[] = {
		{ { .uid = 1000 }, NULL, "f g" },
		{ { .name = "mpi-1", .pid_max = UET_PIDONFEP_MAX }, NULL, "f g" },
		{ { .id = UET_JOBID_MAX, .nr_feps = 1, .fep = { "g" } }, NULL, "g" },
		{ { .uid = 1001 }, NULL, "f g" },
		{ { .name = "a b" }, ARGS,
		  "name must be empty or a name of 1 to 15 letters, digits, \"-\", \"_\" or \".\"" },
		{ { .id = UET_JOBID_MAX + 1 }, ARGS,
		  "id must be a number from 1 to 16777215, or 0: any, not 16777216" },
		{ { .id = 6 }, OWN "JobExists", "there is a job 6" },
		{ { .id = 5 }, OWN "JobExists",
		  "job 5 is one of the configuration of uetd" },
		{ { .pid_min = 3, .pid_max = 2 }, ARGS,
		  "pids must be from 0 to 4095, the lower one first, not 3 and 2" },
		{ { .pid_max = UET_PIDONFEP_MAX + 1 }, ARGS,
		  "pids must be from 0 to 4095, the lower one first, not 0 and 4096" },
		{ { .nr_feps = 1, .fep = { "h" } }, OWN "NoSuchFep",
		  "there is no FEP \"h\" on this node" },
		{ { .nr_feps = 3, .fep = { "f", "g", "f" } }, ARGS,
		  "FEP \"f\" is named twice" },
	};
	struct uetd_model kernel;
	struct uetd_conf conf;
	struct uetd_registry registry;
	struct uetd_world world = {
		.conf = &conf, .kernel = &kernel, .registry = &registry,
	};
	size_t i;

	make_world(&conf, &kernel, &registry);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_row(&rows[i], &world);
	kernel.nr_feps = 0;
	run_row(&(struct row){ { .id = 0 }, OWN "NoSuchFep",
			       "there is no FEP on this node yet" }, &world);
	uetd_registry_close(&registry);
	uetd_model_free(&kernel);
	uetd_conf_free(&conf);
}

/* Sections [user NAME]: a JobID of another node's job is refused here, too. */
TEST(request__keeps_users_to_their_job_ids)
{
	static struct uetd_user users[] = {
		{ .uid = 1001, .first = 1000, .last = 1001 },
		{ .uid = 1002, .first = 0x800000, .last = UET_JOBID_MAX },
	};
	static const struct row rows[] = {
		{ { .uid = 1001, .id = 1000 }, NULL, "f g" },
		{ { .uid = 1001, .id = 7 }, OWN "JobReserved",
		  "JobIDs of user 1001 are 1000 to 1001, by uetd.conf" },
		{ { .uid = 1001, .id = 0x800000 }, OWN "JobReserved",
		  "JobIDs of user 1001 are 1000 to 1001, by uetd.conf" },
		{ { .uid = 1003, .id = 1001 }, OWN "JobReserved",
		  "job 1001 is one of user 1001, by uetd.conf" },
		{ { .uid = 1003, .id = 7 }, NULL, "f g" },
		{ { .uid = 0, .id = 1001 }, NULL, "f g" },
		{ { .uid = 1002 }, NULL, "f g" },
		{ { .uid = 1003 }, LIMIT,
		  "all JobIDs from 8388608 to 16777215 are taken" },
	};
	struct uetd_job first = { .uid = 1001 };
	struct uetd_refusal refusal;
	struct uetd_model kernel;
	struct uetd_conf conf;
	struct uetd_registry registry;
	struct uetd_world world = {
		.conf = &conf, .kernel = &kernel, .registry = &registry,
	};
	size_t i;

	make_world(&conf, &kernel, &registry);
	conf.users = users;
	conf.nr_users = 2;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_row(&rows[i], &world);
	/* Any of its own, until all are there. */
	EXPECT_TRUE(uetd_request_judge(&first, &world, 0x12345, &refusal));
	EXPECT_TRUE(first.id == 1000 || first.id == 1001);
	kernel.jobs[0].id = 2001 - first.id;
	EXPECT_TRUE(uetd_request_judge(&first, &world, 0x12345, &refusal));
	users[0].last = 1000;
	kernel.jobs[0].id = 1000;
	run_row(&(struct row){ { .uid = 1001 }, LIMIT,
			       "all JobIDs from 1000 to 1000 are taken" }, &world);
	users[0].last = 1001;
	conf.users = NULL;
	conf.nr_users = 0;
	uetd_registry_close(&registry);
	uetd_model_free(&kernel);
	uetd_conf_free(&conf);
}

TEST(request__stops_users_at_their_limit_but_not_root)
{
	struct uetd_job request = { .uid = 1001 }, root = { .uid = 0 };
	struct uetd_model kernel;
	struct uetd_conf conf;
	struct uetd_registry registry;
	struct uetd_world world = {
		.conf = &conf, .kernel = &kernel, .registry = &registry,
	};

	make_world(&conf, &kernel, &registry);
	uetd_registry_add(&registry, 103, 1001, UETD_MAKER_NONE);
	run_row(&(struct row){ request, LIMIT,
		"user 1001 has 3 jobs, jobs-per-user of uetd.conf is 3" },
		&world);
	conf.jobs_per_user = 0;
	run_row(&(struct row){ root, NULL, "f g" }, &world);
	request.uid = 1002;
	run_row(&(struct row){ request, LIMIT,
		"user 1002 has 0 jobs, jobs-per-user of uetd.conf is 0" },
		&world);
	uetd_registry_close(&registry);
	uetd_model_free(&kernel);
	uetd_conf_free(&conf);
}

TEST(request__request_gets_an_unused_number)
{
	struct uetd_job job = { .id = 0 };
	struct uetd_refusal refusal;
	struct uetd_model kernel;
	struct uetd_conf conf;
	struct uetd_registry registry;
	struct uetd_world world = {
		.conf = &conf, .kernel = &kernel, .registry = &registry,
	};

	make_world(&conf, &kernel, &registry);
	EXPECT_TRUE(uetd_request_judge(&job, &world, 0x12345, &refusal));
	EXPECT_EQ(job.id, 0x812345);
	kernel.jobs[0].id = UET_JOBID_MAX;
	job = (struct uetd_job){ .id = 0 };
	EXPECT_TRUE(uetd_request_judge(&job, &world, UINT32_MAX, &refusal));
	EXPECT_EQ(job.id, UETD_REQUESTED_ID_MIN);
	uetd_registry_close(&registry);
	uetd_model_free(&kernel);
	uetd_conf_free(&conf);
}
