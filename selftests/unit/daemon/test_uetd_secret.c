// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of uetd: files that are taken and files that are refused, what is derived
 * from keys, against values computed by the CMAC of another program, and that
 * their memory is in no core file.
 */
#include "utest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/keyfile.h"
#include "model/secret.h"
#include "uetdtest.h"

#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define CLIENT "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+goaKjpKWmp6ipqqs="

static char dir[] = "/tmp/uetd-secret.XXXXXX";
static char path[64];

static void make_file(const char *text, mode_t mode)
{
	FILE *file;

	unlink(path);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fchmod(fileno(file), mode) ||
	    fclose(file)) {
		printf("Bail out! no file %s\n", path);
		exit(1);
	}
}

static void make_dir(void)
{
	snprintf(dir + strlen(dir) - 6, 7, "XXXXXX");
	if (!mkdtemp(dir)) {
		printf("Bail out! no directory\n");
		exit(1);
	}
	snprintf(path, sizeof(path), "%s/key", dir);
}

static void remove_dir(void)
{
	unlink(path);
	rmdir(dir);
}

TEST(keyfile__key_text_is_parsed)
{
	static const struct {
		const char *text;
		size_t len;
		bool is_good;
		bool has_number;
		uint32_t number;
	} rows[] = {
		{ KEY "\n", 32, true, false, 0 },
		{ KEY, 32, true, false, 0 },
		{ "0 " KEY "\n", 32, true, true, 0 },
		{ "4294967295 " KEY "\n", 32, true, true, UINT32_MAX },
		{ CLIENT "\n", 44, true, false, 0 },
		{ "4294967295 " CLIENT "\n", 44, true, true, UINT32_MAX },
		{ KEY, 44, false, false, 0 },
		{ CLIENT, 32, false, false, 0 },
		{ "4294967296 " KEY "\n", 32, false, false, 0 },
		{ "-1 " KEY "\n", 32, false, false, 0 },
		{ "1  " KEY "\n", 32, false, false, 0 },
		{ "1\t" KEY "\n", 32, false, false, 0 },
		{ " " KEY "\n", 32, false, false, 0 },
		{ KEY "\n\n", 32, false, false, 0 },
		{ KEY "\n" KEY "\n", 32, false, false, 0 },
		{ "", 32, false, false, 0 },
		{ "\n", 32, false, false, 0 },
		{ "1 ", 32, false, false, 0 },
		{ KEY CLIENT KEY, 32, false, false, 0 },
	};
	uint8_t key[KEYFILE_CLIENT];
	struct keyfile file;
	bool is_good;
	size_t i, k;

	make_dir();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_file(rows[i].text, 0600);
		memset(key, 0xff, sizeof(key));
		is_good = keyfile_read(&file, path, KEYFILE_FIXED, key,
				       rows[i].len);
		if (is_good != rows[i].is_good)
			printf("# row %zu: %s\n", i, file.wrong);
		EXPECT_EQ(is_good, rows[i].is_good);
		EXPECT_EQ(!*file.wrong, is_good);
		if (!is_good)
			continue;
		EXPECT_EQ(file.has_number, rows[i].has_number);
		EXPECT_EQ(file.number, rows[i].number);
		for (k = 0; k < 32; k++)
			EXPECT_EQ(key[k], k);
	}
	remove_dir();
}

TEST(keyfile__mode_must_be_private)
{
	static const struct {
		mode_t mode;
		bool is_fixed;
		bool is_credential;
	} rows[] = {
		{ 0600, true, true }, { 0400, true, true },
		{ 0700, true, true }, { 0440, false, true },
		{ 0640, false, true }, { 0604, false, false },
		{ 0620, false, false }, { 0602, false, false },
		{ 0601, false, false }, { 0610, false, false },
		{ 0644, false, false }, { 0666, false, false },
	};
	char wanted[64];
	struct keyfile file;
	uint8_t key[32];
	size_t i;

	make_dir();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_file(KEY, rows[i].mode);
		EXPECT_EQ(keyfile_read(&file, path, KEYFILE_FIXED, key, 32),
			  rows[i].is_fixed);
		snprintf(wanted, sizeof(wanted), "mode %04o",
			 (unsigned int)rows[i].mode);
		if (!rows[i].is_fixed)
			EXPECT_TRUE(strstr(file.wrong, wanted));
		EXPECT_EQ(keyfile_read(&file, path, KEYFILE_CREDENTIAL, key,
				       32), rows[i].is_credential);
		EXPECT_EQ(keyfile_read(&file, path, KEYFILE_WORD, key, 32),
			  rows[i].is_fixed);
	}
	remove_dir();
}

TEST(keyfile__other_things_are_no_key_files)
{
	char other[80];
	struct keyfile file;
	uint8_t key[32];

	make_dir();
	snprintf(other, sizeof(other), "%s.real", path);
	EXPECT_FALSE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
	EXPECT_STREQ(file.wrong, "No such file or directory");
	make_file(KEY, 0600);
	EXPECT_FALSE(rename(path, other));
	EXPECT_FALSE(symlink(other, path));
	EXPECT_FALSE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
	EXPECT_STREQ(file.wrong, "is a symbolic link");
	unlink(path);
	EXPECT_FALSE(mkfifo(path, 0600));
	EXPECT_FALSE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
	EXPECT_STREQ(file.wrong, "is no regular file");
	unlink(path);
	EXPECT_FALSE(mkdir(path, 0700));
	EXPECT_FALSE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
	EXPECT_STREQ(file.wrong, "is no regular file");
	rmdir(path);
	unlink(other);
	remove_dir();
}

TEST(keyfile__directory_must_not_be_writable_by_others)
{
	static const struct {
		mode_t mode;
		bool is_good;
	} rows[] = {
		{ 0700, true }, { 0755, true }, { 01777, true },
		{ 0770, false }, { 0777, false }, { 0702, false },
	};
	struct keyfile file;
	uint8_t key[32];
	size_t i;

	make_dir();
	make_file(KEY, 0600);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_FALSE(chmod(dir, rows[i].mode));
		EXPECT_EQ(keyfile_read(&file, path, KEYFILE_FIXED, key, 32),
			  rows[i].is_good);
		if (!rows[i].is_good)
			EXPECT_TRUE(strstr(file.wrong, "write to its directory"));
	}
	remove_dir();
}

TEST(keyfile__belongs_to_root_or_us)
{
	struct keyfile file;
	uint8_t key[32];

	make_dir();
	make_file(KEY, 0600);
	EXPECT_TRUE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
	/* Only root can make one of somebody else's. */
	if (!chown(path, 4711, 0)) {
		EXPECT_FALSE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
		EXPECT_TRUE(strstr(file.wrong,
				   "belongs to user 4711, not to root or user 0"));
	}
	remove_dir();
}

/* The owner of a directory can replace the file. */
TEST(keyfile__directory_belongs_to_root_or_us)
{
	struct keyfile file;
	uint8_t key[32];

	make_dir();
	make_file(KEY, 0600);
	if (!chown(dir, 4711, 0)) {
		EXPECT_FALSE(keyfile_read(&file, path, KEYFILE_FIXED, key, 32));
		EXPECT_TRUE(strstr(file.wrong, "directory belongs to user 4711"));
		EXPECT_TRUE(keyfile_read(&file, path, KEYFILE_CREDENTIAL, key, 32));
	}
	remove_dir();
}

TEST(secret__check_and_period_keys_are_exact)
{
	static const uint8_t period[UETD_KEY_LEN] = {
		0x27, 0xef, 0xd4, 0x97, 0x1d, 0x13, 0xef, 0xb1,
		0xfe, 0x73, 0xc4, 0x25, 0xda, 0xf1, 0xf5, 0xbf,
		0xdb, 0x89, 0x9d, 0x0c, 0x90, 0xcd, 0x01, 0x48,
		0xbe, 0x97, 0x90, 0xc0, 0xef, 0xe7, 0xdb, 0x3c,
	};
	struct uetd_secret *secret = uetd_secret_new();
	uint8_t key[UETD_KEY_LEN], other[UETD_KEY_LEN];
	uint32_t check = 0;
	size_t i;

	for (i = 0; i < UETD_KEY_LEN; i++)
		secret->bytes[i] = i;
	for (i = 0; i < UETD_MASK_LEN; i++)
		secret->bytes[UETD_KEY_LEN + i] = 0xa0 + i;
	EXPECT_TRUE(uetd_secret_check(secret, UETD_KEY_LEN, &check));
	EXPECT_EQ(check, 0x86c6762c);
	EXPECT_TRUE(uetd_secret_check(secret, UETD_SECRET_MAX, &check));
	EXPECT_EQ(check, 0xb1a71853);
	EXPECT_TRUE(uetd_secret_period(secret, 7, 18000000, key));
	EXPECT_TRUE(!memcmp(key, period, sizeof(key)));
	EXPECT_TRUE(uetd_secret_period(secret, 7, 18000001, other));
	EXPECT_TRUE(memcmp(key, other, sizeof(key)));
	EXPECT_TRUE(uetd_secret_period(secret, 8, 18000000, other));
	EXPECT_TRUE(memcmp(key, other, sizeof(key)));
	uetd_secret_free(secret);
	uetd_secret_free(NULL);
}

/* The flags of the mapping that @at is in, as the kernel lists them. */
static bool has_flag(const void *at, const char *flag)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long begin, end;
	bool is_in = false, has = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			is_in = begin <= (unsigned long)at &&
				(unsigned long)at < end;
		if (is_in && !strncmp(line, "VmFlags:", 8))
			has = strstr(line, flag);
	}
	if (maps)
		fclose(maps);
	return has;
}

TEST(secret__is_in_no_core_file)
{
	struct uetd_secret *secret = uetd_secret_new();
	char *ordinary = malloc(64);

	EXPECT_TRUE(has_flag(secret, " dd"));
	EXPECT_FALSE(has_flag(ordinary, " dd"));
	EXPECT_TRUE(has_flag(secret, " wf"));
	free(ordinary);
	uetd_secret_free(secret);
}

/* Keys of a configuration: read, told apart, and gone with it. */
TEST(secret__configuration_owns_its_keys)
{
	struct uetdtest_log log;
	struct uetd_conf conf, next;
	char text[256];

	make_dir();
	make_file("6 " KEY "\n", 0600);
	snprintf(text, sizeof(text), "[sd s]\nsdi=7\nkey-file=%s\n", path);
	ASSERT_TRUE(uetdtest_conf(&conf, text, strlen(text), &log));
	EXPECT_EQ(conf.model.sds[0].check, 0x86c6762c);
	EXPECT_EQ(conf.model.sds[0].number, 6);
	EXPECT_EQ(conf.model.sds[0].secret->bytes[31], 31);
	EXPECT_TRUE(conf.model.sds[0].since > 1700000000);
	conf.model.sds[0].since = 5;

	/* Read again it came when it did; another one has just come. */
	ASSERT_TRUE(uetdtest_conf(&next, text, strlen(text), &log));
	uetd_conf_follow(&next, &conf, 9);
	EXPECT_EQ(next.model.sds[0].since, 5);
	uetd_conf_free(&next);
	make_file("7 " KEY "\n", 0600);
	ASSERT_TRUE(uetdtest_conf(&next, text, strlen(text), &log));
	uetd_conf_follow(&next, &conf, 9);
	EXPECT_EQ(next.model.sds[0].since, 9);
	uetd_conf_free(&next);
	uetd_conf_free(&conf);
	EXPECT_EQ(conf.nr_secrets, 0);

	/* No word of the key in what is said of a bad file. */
	make_file("x " KEY "\n", 0600);
	EXPECT_FALSE(uetdtest_conf(&conf, text, strlen(text), &log));
	EXPECT_TRUE(strstr(log.text, "no key of this length in base64"));
	EXPECT_FALSE(strstr(log.text, "AAEC"));
	EXPECT_EQ(conf.nr_secrets, 0);
	remove_dir();
}
