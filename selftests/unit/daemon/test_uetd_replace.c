// SPDX-License-Identifier: GPL-2.0
/*
 * Files that are replaced as a whole: text, mode, and what is left of an attempt that
 * fails.
 */
#include "utest.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/replace.h"

static char dir[64], path[80];

static void begin(void)
{
	snprintf(dir, sizeof(dir), "/tmp/uetd-replace.XXXXXX");
	if (!mkdtemp(dir)) {
		printf("Bail out! no directory\n");
		exit(1);
	}
	snprintf(path, sizeof(path), "%s/file", dir);
}

/* Nothing but the file is left. */
static void end(void)
{
	unlink(path);
	EXPECT_EQ(rmdir(dir), 0);
}

static void write_text(FILE *f, const void *arg)
{
	fputs(arg, f);
}

static bool refuse(const char *new, const void *arg)
{
	(void)arg;
	EXPECT_EQ(access(new, R_OK), 0);
	errno = EDOM;
	return false;
}

static void expect_text(const char *expected)
{
	char text[32] = "";
	FILE *f = fopen(path, "r");

	if (f) {
		EXPECT_TRUE(fgets(text, sizeof(text), f));
		fclose(f);
	}
	EXPECT_STREQ(text, expected);
}

static unsigned int mode(void)
{
	struct stat st = { .st_mode = 0 };

	stat(path, &st);
	return st.st_mode & 07777;
}

TEST(replace__new_file_has_the_mode)
{
	begin();
	EXPECT_TRUE(uetd_replace(path, 0604, write_text, NULL, "one"));
	expect_text("one");
	EXPECT_EQ(mode(), 0604);
	end();
}

TEST(replace__old_file_keeps_its_mode)
{
	begin();
	EXPECT_TRUE(uetd_replace(path, 0644, write_text, NULL, "a long text"));
	EXPECT_EQ(chmod(path, 0620), 0);
	EXPECT_TRUE(uetd_replace(path, 0644, write_text, NULL, "two"));
	expect_text("two");
	EXPECT_EQ(mode(), 0620);
	end();
}

TEST(replace__refused_text_leaves_the_old_one)
{
	begin();
	EXPECT_TRUE(uetd_replace(path, 0644, write_text, NULL, "one"));
	errno = 0;
	EXPECT_FALSE(uetd_replace(path, 0644, write_text, refuse, "two"));
	EXPECT_EQ(errno, EDOM);
	expect_text("one");
	end();
}

TEST(replace__needs_the_folder)
{
	EXPECT_FALSE(uetd_replace("/tmp/uetd-replace/no/file", 0644, write_text,
				  NULL, "one"));
	EXPECT_EQ(errno, ENOENT);
}
