// SPDX-License-Identifier: GPL-2.0
/*
 * The book of jobs made over the bus: what it remembers over the death of uetd, of
 * makers, of jobs and of the bus, and what it does with a file that is none.
 */
#include "utest.h"

#include <unistd.h>

#include "book.h"

static char dir[64];

/* An empty book in a directory of its own. */
static void begin(struct uetd_book *book)
{
	snprintf(dir, sizeof(dir), "/tmp/uetd-book.XXXXXX");
	if (!mkdtemp(dir) || rmdir(dir)) {
		printf("Bail out! no directory\n");
		exit(1);
	}
	EXPECT_TRUE(uetd_book_open(book, dir));
}

static void end(struct uetd_book *book)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/jobs", dir);
	uetd_book_close(book);
	unlink(path);
	EXPECT_EQ(rmdir(dir), 0);
}

/* uetd dies, and another one reads the book. */
static void again(struct uetd_book *book)
{
	uetd_book_close(book);
	EXPECT_TRUE(uetd_book_open(book, dir));
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

static const char *maker_of(const struct uetd_book *book, uint32_t id)
{
	const struct uetd_record *record = uetd_book_find(book, id);

	return record ? record->maker : "none";
}

TEST(book__survives_its_reader)
{
	struct uetd_book book;

	begin(&book);
	EXPECT_EQ(book.nr, 0);
	EXPECT_TRUE(uetd_book_set_bus(&book, "b1"));
	uetd_book_add(&book, 7, 1001, ":1.5");
	uetd_book_add(&book, 8, 1002, UETD_MAKER_NONE);
	EXPECT_TRUE(uetd_book_save(&book));
	again(&book);
	EXPECT_EQ(book.nr, 2);
	EXPECT_STREQ(book.bus_id, "b1");
	EXPECT_STREQ(maker_of(&book, 7), ":1.5");
	EXPECT_STREQ(maker_of(&book, 8), UETD_MAKER_NONE);
	EXPECT_EQ(uetd_book_find(&book, 7)->uid, 1001);
	uetd_book_drop(&book, 7);
	EXPECT_TRUE(uetd_book_save(&book));
	again(&book);
	EXPECT_STREQ(maker_of(&book, 7), "none");
	EXPECT_STREQ(maker_of(&book, 8), UETD_MAKER_NONE);
	end(&book);
}

TEST(book__counts_the_jobs_of_a_user)
{
	struct uetd_book book;

	begin(&book);
	uetd_book_add(&book, 7, 1001, ":1.5");
	uetd_book_add(&book, 8, 1002, ":1.6");
	uetd_book_add(&book, 9, 1001, UETD_MAKER_NONE);
	EXPECT_EQ(uetd_book_count(&book, 1001), 2);
	EXPECT_EQ(uetd_book_count(&book, 1002), 1);
	EXPECT_EQ(uetd_book_count(&book, 0), 0);
	end(&book);
}

TEST(book__knows_who_has_left)
{
	struct uetd_model kernel = { .nr_jobs = 0 };
	struct uetd_book book;

	begin(&book);
	uetd_book_add(&book, 7, 1001, ":1.5");
	uetd_book_add(&book, 8, 1001, UETD_MAKER_NONE);
	uetd_book_add(&book, 9, 1001, ":1.6");
	add_job(&kernel, 7, 1001);
	add_job(&kernel, 8, 1001);
	add_job(&kernel, 9, 1001);
	add_job(&kernel, 10, 1001);
	uetd_book_leave(uetd_book_find(&book, 7));
	uetd_book_leave(uetd_book_find(&book, 8));
	EXPECT_TRUE(uetd_book_save(&book));
	again(&book);
	EXPECT_FALSE(uetd_book_see(&book, &kernel));
	EXPECT_EQ(kernel.jobs[0].made, UETD_BUS_LEFT);
	EXPECT_EQ(kernel.jobs[1].made, UETD_BUS_KEPT);
	EXPECT_EQ(kernel.jobs[2].made, UETD_BUS_KEPT);
	EXPECT_EQ(kernel.jobs[3].made, UETD_BUS_NOT);
	uetd_model_free(&kernel);
	end(&book);
}

TEST(book__strikes_out_what_is_gone_or_somebody_elses)
{
	struct uetd_model kernel = { .nr_jobs = 0 };
	struct uetd_book book;

	begin(&book);
	uetd_book_add(&book, 7, 1001, ":1.5");
	uetd_book_add(&book, 8, 1001, ":1.5");
	uetd_book_add(&book, 9, 1001, ":1.5");
	add_job(&kernel, 8, 1002);
	add_job(&kernel, 9, 1001);
	EXPECT_TRUE(uetd_book_see(&book, &kernel));
	EXPECT_EQ(book.nr, 1);
	EXPECT_STREQ(maker_of(&book, 9), ":1.5");
	EXPECT_EQ(kernel.jobs[0].made, UETD_BUS_NOT);
	EXPECT_EQ(kernel.jobs[1].made, UETD_BUS_KEPT);
	EXPECT_FALSE(uetd_book_see(&book, &kernel));
	uetd_model_free(&kernel);
	end(&book);
}

TEST(book__takes_nobody_of_another_bus_for_a_maker)
{
	struct uetd_book book;

	begin(&book);
	uetd_book_add(&book, 7, 1001, ":1.5");
	EXPECT_TRUE(uetd_book_set_bus(&book, "b1"));
	EXPECT_STREQ(maker_of(&book, 7), ":1.5");
	EXPECT_FALSE(uetd_book_set_bus(&book, "b1"));
	uetd_book_add(&book, 8, 1001, UETD_MAKER_NONE);
	EXPECT_TRUE(uetd_book_set_bus(&book, "b2"));
	EXPECT_STREQ(maker_of(&book, 7), UETD_MAKER_LEFT);
	EXPECT_STREQ(maker_of(&book, 8), UETD_MAKER_NONE);
	end(&book);
}

TEST(book__passes_over_what_is_no_record)
{
	struct uetd_book book;

	begin(&book);
	write_file("nonsense\njob 7\njob x 1001 :1.5\njob 8 1001 :1.5\n"
		   "job 8 1002 -\n\njob 9 1003 -");
	again(&book);
	EXPECT_EQ(book.nr, 2);
	EXPECT_EQ(uetd_book_find(&book, 8)->uid, 1001);
	EXPECT_EQ(uetd_book_find(&book, 9)->uid, 1003);
	end(&book);
}

TEST(book__says_why_it_cannot_be_kept)
{
	struct uetd_book book;

	EXPECT_FALSE(uetd_book_open(&book, "/proc/nonsense"));
	EXPECT_FALSE(uetd_book_save(&book));
	uetd_book_close(&book);
}
