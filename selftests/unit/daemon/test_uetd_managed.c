// SPDX-License-Identifier: GPL-2.0
/*
 * The objects that uetd manages: what the files named stays managed until it is gone,
 * over the death of uetd; what was made by hand is not; and which uetd runs.
 */
#include "utest.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state/managed.h"
#include "uetdplan.h"

static char dir[64];

static void begin(struct uetd_managed *managed)
{
	snprintf(dir, sizeof(dir), "/tmp/uetd-managed.XXXXXX");
	if (!mkdtemp(dir)) {
		printf("Bail out! no directory\n");
		exit(1);
	}
	EXPECT_TRUE(uetd_managed_open(managed, dir));
}

static void end(struct uetd_managed *managed)
{
	struct dirent *entry;
	DIR *d = opendir(dir);

	uetd_managed_close(managed);
	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	EXPECT_EQ(rmdir(dir), 0);
}

/* Another uetd reads what the last one wrote. */
static void again(struct uetd_managed *managed)
{
	uetd_managed_close(managed);
	EXPECT_TRUE(uetd_managed_open(managed, dir));
}

/* A round with these files; @ops: its changes. */
static void run_round(struct uetd_managed *managed, struct uetd_model *kernel,
		      const char *text, const char *ops)
{
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;
	char made[1024];

	load(&conf, text);
	uetdtest_host(&links, 0);
	uetd_managed_mark(managed, kernel);
	uetd_plan_make(&plan, &conf, &links, kernel, UETDTEST_NOW);
	EXPECT_TRUE(uetd_managed_take(managed, &plan, kernel));
	ops_text(made, sizeof(made), &plan);
	EXPECT_STREQ(made, ops);
	EXPECT_TRUE(carry_out(kernel, &plan));
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
}

TEST(managed__what_files_named_goes_and_what_was_made_by_hand_stays)
{
	struct uetd_managed managed;
	struct uetd_model kernel;

	begin(&managed);
	make_kernel(&kernel, RAILS FEP JOB);
	/* By hand; the files say nothing. */
	run_round(&managed, &kernel, "", "");
	/* The files name two of four. */
	run_round(&managed, &kernel, RAILS FEP_G,
		  "fep g add\n");
	again(&managed);
	run_round(&managed, &kernel, RAILS, "fep g delete\n");
	EXPECT_EQ(kernel.nr_feps, 1);
	EXPECT_EQ(kernel.nr_jobs, 1);
	end(&managed);
	uetd_model_free(&kernel);
}

TEST(managed__an_object_made_again_by_hand_is_not_managed)
{
	struct uetd_managed managed;
	struct uetd_model kernel, by_hand;

	begin(&managed);
	make_kernel(&kernel, "");
	run_round(&managed, &kernel, RAILS FEP JOB,
		  "rail r0 add\nrail r1 add\nfep f add\njob 1 add\n");
	run_round(&managed, &kernel, RAILS FEP, "job 1 delete\n");
	/* The round behind the deletion forgets the job. */
	run_round(&managed, &kernel, RAILS FEP, "");
	make_kernel(&by_hand, RAILS FEP JOB);
	again(&managed);
	run_round(&managed, &by_hand, RAILS FEP, "");
	EXPECT_EQ(by_hand.nr_jobs, 1);
	end(&managed);
	uetd_model_free(&kernel);
	uetd_model_free(&by_hand);
}

TEST(managed__a_file_that_is_none_is_read_without_harm)
{
	struct uetd_managed managed;
	char line[300];
	FILE *f;

	begin(&managed);
	f = fopen(managed.path, "w");
	ASSERT_TRUE(f);
	memset(line, 'x', sizeof(line));
	fwrite(line, sizeof(line), 1, f);
	fputs("\n\nfep f\nfep f\nrail", f);
	fclose(f);
	again(&managed);
	EXPECT_STREQ(managed.names[0].text, "fep f");
	end(&managed);
}

/* Another process asks, because a process does not see its own lock. */
static bool other_sees(pid_t pid, const char *conf)
{
	struct uetd_managed managed;
	char seen[256] = "";
	int status;
	pid_t child, by, holder;

	child = fork();
	if (!child) {
		uetd_managed_open(&managed, dir);
		by = uetd_managed_by(&managed, seen, sizeof(seen));
		status = by == pid && !strcmp(seen, conf) &&
			 uetd_managed_lock(&managed, conf, &holder) == !pid &&
			 holder == pid;
		uetd_managed_close(&managed);
		_exit(!status);
	}
	return waitpid(child, &status, 0) == child && !status;
}

TEST(managed__one_uetd_runs_in_a_namespace_and_is_known_with_its_file)
{
	struct uetd_managed managed;
	pid_t holder;

	begin(&managed);
	EXPECT_TRUE(other_sees(0, ""));
	EXPECT_TRUE(uetd_managed_lock(&managed, "/etc/none.conf", &holder));
	EXPECT_TRUE(other_sees(getpid(), "/etc/none.conf"));
	again(&managed);
	EXPECT_TRUE(other_sees(0, ""));
	end(&managed);
}
