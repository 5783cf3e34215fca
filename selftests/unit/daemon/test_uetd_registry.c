// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of jobs made over the bus: what it remembers over the death of uetd, of
 * makers, of jobs and of the bus, and what it does with a file that is none.
 */
#include "utest.h"

#include <unistd.h>

#include "state/registry.h"

static char dir[64];

/* An empty registry in a directory of its own. */
static void begin(struct uetd_registry *registry)
{
	snprintf(dir, sizeof(dir), "/tmp/uetd-registry.XXXXXX");
	if (!mkdtemp(dir) || rmdir(dir)) {
		printf("Bail out! no directory\n");
		exit(1);
	}
	EXPECT_TRUE(uetd_registry_open(registry, dir));
}

static void end(struct uetd_registry *registry)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/jobs", dir);
	uetd_registry_close(registry);
	unlink(path);
	EXPECT_EQ(rmdir(dir), 0);
}

/* uetd is killed, and another one reads the registry. */
static void again(struct uetd_registry *registry)
{
	uetd_registry_close(registry);
	EXPECT_TRUE(uetd_registry_open(registry, dir));
}

static void write_file(const char *text)
{
	char path[80];
	FILE *f;

	snprintf(path, sizeof(path), "%s/jobs", dir);
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void add_job(struct uetd_model *kernel, uint32_t id, uint32_t uid)
{
	struct uetd_job *job;

	kernel->jobs = uetd_grow(kernel->jobs, kernel->nr_jobs, sizeof(*job));
	job = &kernel->jobs[kernel->nr_jobs++];
	job->id = id;
	job->uid = uid;
}

static const char *maker_of(const struct uetd_registry *registry, uint32_t id)
{
	const struct uetd_record *record = uetd_registry_find(registry, id);

	return record ? record->maker : "none";
}

TEST(registry__survives_its_reader)
{
	struct uetd_registry registry;

	begin(&registry);
	EXPECT_EQ(registry.nr, 0);
	EXPECT_TRUE(uetd_registry_set_bus(&registry, "b1"));
	uetd_registry_add(&registry, 7, 1001, ":1.5");
	uetd_registry_add(&registry, 8, 1002, UETD_MAKER_NONE);
	EXPECT_TRUE(uetd_registry_save(&registry));
	again(&registry);
	EXPECT_EQ(registry.nr, 2);
	EXPECT_STREQ(registry.bus_id, "b1");
	EXPECT_STREQ(maker_of(&registry, 7), ":1.5");
	EXPECT_STREQ(maker_of(&registry, 8), UETD_MAKER_NONE);
	EXPECT_EQ(uetd_registry_find(&registry, 7)->uid, 1001);
	uetd_registry_drop(&registry, 7);
	EXPECT_TRUE(uetd_registry_save(&registry));
	again(&registry);
	EXPECT_STREQ(maker_of(&registry, 7), "none");
	EXPECT_STREQ(maker_of(&registry, 8), UETD_MAKER_NONE);
	end(&registry);
}

TEST(registry__counts_the_jobs_of_a_user)
{
	struct uetd_registry registry;

	begin(&registry);
	uetd_registry_add(&registry, 7, 1001, ":1.5");
	uetd_registry_add(&registry, 8, 1002, ":1.6");
	uetd_registry_add(&registry, 9, 1001, UETD_MAKER_NONE);
	EXPECT_EQ(uetd_registry_count(&registry, 1001), 2);
	EXPECT_EQ(uetd_registry_count(&registry, 1002), 1);
	EXPECT_EQ(uetd_registry_count(&registry, 0), 0);
	end(&registry);
}

TEST(registry__departed_makers_are_found)
{
	struct uetd_model kernel = { .nr_jobs = 0 };
	struct uetd_registry registry;

	begin(&registry);
	uetd_registry_add(&registry, 7, 1001, ":1.5");
	uetd_registry_add(&registry, 8, 1001, UETD_MAKER_NONE);
	uetd_registry_add(&registry, 9, 1001, ":1.6");
	add_job(&kernel, 7, 1001);
	add_job(&kernel, 8, 1001);
	add_job(&kernel, 9, 1001);
	add_job(&kernel, 10, 1001);
	uetd_registry_leave(uetd_registry_find(&registry, 7));
	uetd_registry_leave(uetd_registry_find(&registry, 8));
	EXPECT_TRUE(uetd_registry_save(&registry));
	again(&registry);
	EXPECT_FALSE(uetd_registry_see(&registry, &kernel));
	EXPECT_EQ(kernel.jobs[0].made, UETD_BUS_LEFT);
	EXPECT_EQ(kernel.jobs[1].made, UETD_BUS_KEPT);
	EXPECT_EQ(kernel.jobs[2].made, UETD_BUS_KEPT);
	EXPECT_EQ(kernel.jobs[3].made, UETD_BUS_NOT);
	uetd_model_free(&kernel);
	end(&registry);
}

TEST(registry__jobs_gone_or_of_other_users_are_removed)
{
	struct uetd_model kernel = { .nr_jobs = 0 };
	struct uetd_registry registry;

	begin(&registry);
	uetd_registry_add(&registry, 7, 1001, ":1.5");
	uetd_registry_add(&registry, 8, 1001, ":1.5");
	uetd_registry_add(&registry, 9, 1001, ":1.5");
	add_job(&kernel, 8, 1002);
	add_job(&kernel, 9, 1001);
	EXPECT_TRUE(uetd_registry_see(&registry, &kernel));
	EXPECT_EQ(registry.nr, 1);
	EXPECT_STREQ(maker_of(&registry, 9), ":1.5");
	EXPECT_EQ(kernel.jobs[0].made, UETD_BUS_NOT);
	EXPECT_EQ(kernel.jobs[1].made, UETD_BUS_KEPT);
	EXPECT_FALSE(uetd_registry_see(&registry, &kernel));
	uetd_model_free(&kernel);
	end(&registry);
}

TEST(registry__makers_of_another_bus_are_unknown)
{
	struct uetd_registry registry;

	begin(&registry);
	uetd_registry_add(&registry, 7, 1001, ":1.5");
	EXPECT_TRUE(uetd_registry_set_bus(&registry, "b1"));
	EXPECT_STREQ(maker_of(&registry, 7), ":1.5");
	EXPECT_FALSE(uetd_registry_set_bus(&registry, "b1"));
	uetd_registry_add(&registry, 8, 1001, UETD_MAKER_NONE);
	EXPECT_TRUE(uetd_registry_set_bus(&registry, "b2"));
	EXPECT_STREQ(maker_of(&registry, 7), UETD_MAKER_LEFT);
	EXPECT_STREQ(maker_of(&registry, 8), UETD_MAKER_NONE);
	end(&registry);
}

TEST(registry__invalid_lines_are_skipped)
{
	struct uetd_registry registry;

	begin(&registry);
	write_file("nonsense\njob 7\njob x 1001 :1.5\njob 8 1001 :1.5\n"
		   "job 8 1002 -\n\njob 9 1003 -");
	again(&registry);
	EXPECT_EQ(registry.nr, 2);
	EXPECT_EQ(uetd_registry_find(&registry, 8)->uid, 1001);
	EXPECT_EQ(uetd_registry_find(&registry, 9)->uid, 1003);
	end(&registry);
}

TEST(registry__says_why_it_cannot_be_kept)
{
	struct uetd_registry registry;

	EXPECT_FALSE(uetd_registry_open(&registry, "/proc/nonsense"));
	EXPECT_FALSE(uetd_registry_save(&registry));
	uetd_registry_close(&registry);
}
