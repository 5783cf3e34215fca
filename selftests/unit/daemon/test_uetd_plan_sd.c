// SPDX-License-Identifier: GPL-2.0
/*
 * Secure domains and their keys in the plan of uetd, by tables.  Which keys there
 * should be at a time is in test_uetd_rotation.c.
 */
#include "utest.h"

#include <sys/stat.h>

#include "uetdplan.h"

#define SD "[sd s]\nsdi=7\n"
#define SD_FEP "[fep f]\naddr=10.0.0.1\nrails=r0,r1\nsd=s\n"
#define KEY "credential=one\nrotation=100s\noverlap=20s\n"

/* For the credentials "one" and "two", and so that a test needs no file. */
static void make_credentials(const char *dir)
{
	static const char *const names[] = { "one", "two" };
	char path[64];
	FILE *file;
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		file = fopen(path, "w");
		if (!file || fprintf(file, "%s\n", i ?
				     "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" :
				     "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=") < 0 ||
		    fchmod(fileno(file), 0600) || fclose(file)) {
			printf("Bail out! no credential\n");
			exit(1);
		}
	}
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
}

static void remove_credentials(const char *dir)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/one", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/two", dir);
	unlink(path);
	rmdir(dir);
	unsetenv("CREDENTIALS_DIRECTORY");
}

TEST(plan__makes_domains_below_their_feps)
{
	static const struct row rows[] = {
		{
			.name = "all is new", .has = "",
			.wanted = RAILS SD_FEP SD JOB,
			.ops = "rail r0 add\nrail r1 add\nsd s add\nfep f add\njob 1 add\n",
		}, {
			.name = "all is there", .has = RAILS SD SD_FEP JOB,
			.wanted = RAILS SD SD_FEP JOB, .ops = "",
		}, {
			.name = "all goes", .has = RAILS SD SD_FEP, .wanted = "",
			.ops = "fep f delete\nrail eth0 delete\nrail eth1 delete\nsd s delete\n",
		}, {
			.name = "other rules, and what is on it",
			.has = RAILS SD SD_FEP JOB FEP_G,
			.wanted = RAILS SD "mode=direct\n" SD_FEP JOB FEP_G,
			.ops = "job 1 delete\nfep f delete\nsd s delete\nsd s add\nfep f add\njob 1 add\n",
		}, {
			.name = "in use it has to stay", .use = ENDPOINTS,
			.has = RAILS SD SD_FEP JOB,
			.wanted = RAILS SD "epoch-age=3\n" SD_FEP JOB,
			.ops = "",
			.waits = "sd s: fep f has it, which has to stay\n",
		}, {
			.name = "another domain for a fep",
			.has = RAILS SD SD_FEP,
			.wanted = RAILS SD "[sd t]\nsdi=8\n"
				"[fep f]\naddr=10.0.0.1\nrails=r0,r1\nsd=t\n",
			.ops = "fep f delete\nsd t add\nfep f add\n",
		}, {
			.name = "none any more",
			.has = RAILS SD SD_FEP, .wanted = RAILS FEP,
			.ops = "fep f delete\nsd s delete\nfep f add\n",
		}, {
			.name = "of others", .is_by_hand = true, .has = RAILS SD,
			.wanted = "[uetd]\nforeign=keep\n" RAILS, .ops = "",
		}, {
			.name = "of others, with jobs",
			.is_by_hand = true, .has = RAILS SD SD_FEP JOB,
			.wanted = "[uetd]\nforeign=keep-jobs\n" RAILS,
			.ops = "",
			.waits = "sd s: fep f has it, which has to stay\n"
				"fep f: job 1 has it, which has to stay\n",
		},
	};

	RUN(rows);
}

/* UETDTEST_NOW is the beginning of period 18000000. */
TEST(plan__sets_keys_before_they_are_needed)
{
	static const struct row rows[] = {
		{
			.name = "all is new", .has = "",
			.wanted = RAILS SD KEY SD_FEP,
			.ops = "rail r0 add\nrail r1 add\nsd s add\n"
				"sd s set key 18000000\nsd s use key 18000000\n"
				"sd s set key 17999999\nfep f add\n",
		}, {
			.name = "all is there", .has = RAILS SD KEY SD_FEP,
			.wanted = RAILS SD KEY SD_FEP, .ops = "",
		}, {
			.name = "another file waits for its rotation",
			.has = RAILS SD KEY SD_FEP,
			.wanted = RAILS SD "credential=two\nrotation=100s\noverlap=20s\n"
				SD_FEP, .ops = "",
		}, {
			.name = "without a file keys are no business of ours",
			.has = RAILS SD KEY SD_FEP,
			.wanted = RAILS SD SD_FEP, .ops = "",
		}, {
			.name = "of one that should be another", .use = ENDPOINTS,
			.has = RAILS SD SD_FEP JOB,
			.wanted = RAILS SD KEY "epoch-age=3\n" SD_FEP JOB,
			.ops = "sd s set key 18000000\nsd s use key 18000000\n"
				"sd s set key 17999999\n",
			.waits = "sd s: fep f has it, which has to stay\n",
		},
	};
	char dir[] = "/tmp/uetd-plan.XXXXXX";

	ASSERT_TRUE(mkdtemp(dir));
	make_credentials(dir);
	RUN(rows);
	remove_credentials(dir);
}

TEST(plan__says_when_there_will_be_more)
{
	char dir[] = "/tmp/uetd-plan.XXXXXX";
	struct uetd_model kernel;
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;

	ASSERT_TRUE(mkdtemp(dir));
	make_credentials(dir);
	memset(&kernel, 0, sizeof(kernel));
	uetdtest_host(&links, 0);
	load(&conf, SD KEY "[sd t]\nsdi=8\ncredential=two\nrotation=1000s\noverlap=5s\n");
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	EXPECT_EQ(plan.next, UETDTEST_NOW + 5);
	uetd_plan_free(&plan);
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW + 30);
	EXPECT_EQ(plan.next, UETDTEST_NOW + 80);
	uetd_plan_free(&plan);
	uetd_conf_free(&conf);
	load(&conf, SD "credential=one\n");
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	EXPECT_EQ(plan.next, 0);
	uetd_plan_free(&plan);
	uetd_conf_free(&conf);
	uetd_links_free(&links);
	remove_credentials(dir);
}

TEST(plan__names_all_objects_of_the_files)
{
	static const char *const names[] = { "rail eth0", "rail eth1", "sd s", "fep f", "job 1" };
	const size_t nr = sizeof(names) / sizeof(names[0]);
	struct uetd_model kernel = { 0 };
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;
	size_t i;

	load(&conf, RAILS SD SD_FEP JOB);
	uetdtest_host(&links, 0);
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	EXPECT_EQ(plan.nr_names, nr);
	for (i = 0; i < plan.nr_names && i < nr; i++)
		EXPECT_STREQ(plan.names[i].text, names[i]);
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
}
