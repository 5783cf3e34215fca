// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files of uetd: what good ones mean, what defaults and later
 * files do, that one mistake does not hide another, and that no text whatever
 * does more than be refused.  Bad values one by one are in test_uetd_check.sh.
 */
#include "utest.h"

#include <sys/stat.h>

#include "uetdtest.h"

static const char node[] =
	"# a comment\n"
	"; another\n"
	"\xc3\xa9 = 1\n";

static bool load(struct uetd_conf *conf, const char *text)
{
	struct uetdtest_log log;
	bool is_good = uetdtest_conf(conf, text, strlen(text), &log);

	if (!is_good)
		printf("# %s", log.text);
	return is_good;
}

static const struct uetd_fep *fep_of(struct uetd_conf *conf, const char *lines)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		 "[rail a]\nplane=0\n[rail b]\nplane=1\n%s", lines);
	if (!load(conf, text) || conf->model.nr_feps != 1) {
		printf("Bail out! no FEP made of %s\n", lines);
		exit(1);
	}
	return &conf->model.feps[0];
}

TEST(conf__empty_wants_nothing)
{
	struct uetd_conf conf;

	ASSERT_TRUE(load(&conf, ""));
	EXPECT_EQ(conf.model.nr_rails + conf.model.nr_feps +
		  conf.model.nr_jobs, 0);
	EXPECT_EQ(conf.foreign, UETD_FOREIGN_KEEP);
	EXPECT_FALSE(conf.has_foreign);
	uetd_conf_free(&conf);
}

TEST(conf__has_rails_by_name_mac_and_address)
{
	struct uetd_conf conf;
	const struct uetd_rail *rails;

	ASSERT_TRUE(load(&conf, "[rail eth0]\nplane=4294967295\n"
			 "[ rail   b ]\n  mac = 02:aB:00:00:00:01\n plane : 1\n"
			 "[rail c]\naddress=fd00::/64 ; comment\nplane=2\ningress=on\n"
			 "[rail d]\naddress=10.1.2.3\nplane=2\ningress=off\n"
			 "[rail e]\ninterface=en0.7@x\nplane=2\n"));
	rails = conf.model.rails;
	EXPECT_EQ(conf.model.nr_rails, 5);
	EXPECT_STREQ(rails[0].dev, "eth0");
	EXPECT_EQ(rails[0].plane, UINT32_MAX);
	EXPECT_FALSE(rails[0].is_ingress);
	EXPECT_STREQ(rails[1].name, "b");
	EXPECT_EQ(rails[1].match, UETD_MATCH_MAC);
	EXPECT_EQ(rails[1].mac[1], 0xab);
	EXPECT_EQ(rails[2].match, UETD_MATCH_ADDR);
	EXPECT_EQ(rails[2].prefix, 64);
	EXPECT_TRUE(rails[2].is_ingress);
	EXPECT_FALSE(rails[3].is_ingress);
	EXPECT_EQ(rails[3].prefix, 32);
	EXPECT_STREQ(rails[4].dev, "en0.7@x");
	uetd_conf_free(&conf);
}

TEST(conf__fep_has_the_defaults_of_the_kernel)
{
	struct uetd_conf conf;
	const struct uetd_fep *fep;

	fep = fep_of(&conf, "[fep f]\naddr=10.0.0.1\nrails=a,b\n");
	EXPECT_EQ(fep->mtu, 4096);
	EXPECT_EQ(fep->port, 4793);
	EXPECT_EQ(fep->proto, 0);
	EXPECT_EQ(fep->encap, UET_ENCAP_UDP);
	EXPECT_EQ(fep->protect, UET_PROTECT_CRC);
	EXPECT_EQ(fep->choice[UETD_HEADERS], UET_HEADERS_STANDARD);
	EXPECT_EQ(fep->param[UETD_P_WINDOW], 256);
	EXPECT_EQ(fep->param[UETD_P_RTO_INIT_NS], 20000000);
	EXPECT_EQ(fep->dscp[UETD_DSCP_CONTROL], 0);
	EXPECT_EQ(fep->dscp[UETD_DSCP_TRIMMED], UET_DSCP_NONE);
	EXPECT_TRUE(fep->needs_all);
	uetd_conf_free(&conf);
}

TEST(conf__profile_is_between_the_defaults_and_the_keys_of_a_fep)
{
	struct uetd_conf conf;
	const struct uetd_fep *fep;

	fep = fep_of(&conf, "[defaults]\nheaders=optimized\nproto=200\n"
		     "[fep f]\naddr=10.0.0.1\nrails=a\nmtu=2048\n"
		     "profile=reference\n");
	EXPECT_EQ(fep->encap, UET_ENCAP_NATIVE);
	EXPECT_EQ(fep->proto, 200);
	EXPECT_EQ(fep->choice[UETD_HEADERS], UET_HEADERS_STANDARD);
	EXPECT_EQ(fep->mtu, 2048);
	uetd_conf_free(&conf);
}

TEST(conf__fep_takes_defaults_and_overrides_them)
{
	struct uetd_conf conf;
	const struct uetd_fep *fep;

	fep = fep_of(&conf, "[fep f]\naddr=fd00::1\nrails = b a\nmtu=1024\n"
		     "dscp-request=12\nidle=0\nack-on-ecn=no\n"
		     "[defaults]\nmtu=2048\nencap=native\nproto=200\nport=7\n"
		     "dscp-request=10\ndscp-control=46\nidle=5s\n"
		     "rails-needed=any\nprotect=none\nheaders=optimized\n");
	EXPECT_EQ(fep->mtu, 1024);
	EXPECT_EQ(fep->encap, UET_ENCAP_NATIVE);
	EXPECT_EQ(fep->proto, 200);
	EXPECT_EQ(fep->port, 0);
	EXPECT_EQ(fep->dscp[UETD_DSCP_REQUEST], 12);
	EXPECT_EQ(fep->dscp[UETD_DSCP_RETX], 12);
	EXPECT_EQ(fep->dscp[UETD_DSCP_CONTROL], 46);
	EXPECT_EQ(fep->param[UETD_P_IDLE_NS], 0);
	EXPECT_EQ(fep->param[UETD_P_ACK_ON_ECN], 0);
	EXPECT_EQ(fep->protect, UET_PROTECT_NONE);
	EXPECT_EQ(fep->choice[UETD_HEADERS], UET_HEADERS_OPTIMIZED);
	EXPECT_FALSE(fep->needs_all);
	EXPECT_STREQ(fep->rail[0], "b");
	EXPECT_STREQ(fep->rail[1], "a");
	uetd_conf_free(&conf);

	fep = fep_of(&conf, "[defaults]\nheaders=optimized\n"
		     "[fep f]\naddr=fd00::1\nrails=a\nheaders=standard\n");
	EXPECT_EQ(fep->choice[UETD_HEADERS], UET_HEADERS_STANDARD);
	uetd_conf_free(&conf);
}

/* It takes the place of the CRC. */
TEST(conf__secure_domain_replaces_the_crc)
{
	const struct uetd_fep *fep;
	struct uetd_conf conf;
	struct uetd_fep other;

	fep = fep_of(&conf, "[sd blue]\nsdi=1\n"
		     "[fep f]\naddr=10.0.0.1\nrails=a\nsd=blue\n");
	EXPECT_EQ(fep->protect, UET_PROTECT_TSS);
	EXPECT_STREQ(fep->sd, "blue");
	EXPECT_EQ(uetd_fep_need_mtu(fep), 4096 + 84 + 32);
	other = *fep;
	other.choice[UETD_CC] = UET_CC_ALGO_RCCC;
	EXPECT_EQ(uetd_fep_need_mtu(&other), 4096 + 84 + 32 + 4);
	other = *fep;
	EXPECT_TRUE(uetd_fep_is_same_fixed(fep, &other));
	other.sd[0] = 'g';
	EXPECT_FALSE(uetd_fep_is_same_fixed(fep, &other));
	uetd_conf_free(&conf);

	fep = fep_of(&conf, "[sd blue]\nsdi=1\n[defaults]\nsd=blue\n"
		     "[fep f]\naddr=10.0.0.1\nrails=a\nprotect=none\n");
	EXPECT_EQ(fep->protect, UET_PROTECT_NONE);
	EXPECT_STREQ(fep->sd, "");
	uetd_conf_free(&conf);
}

TEST(conf__domain_has_the_defaults_of_the_kernel)
{
	struct uetd_conf conf;
	const struct uetd_sd *sd;

	ASSERT_TRUE(load(&conf, "[sd s]\nsdi=16777215\n"
			 "[sd t]\nsdi=0\nmode=server\nclient=yes\nssi=0\n"
			 "[sd u]\nsdi=5\nipv6=yes\nrekey-mask=65280\n"
			 "rekey-shift=8\nepoch-age=32767\n"
			 "seal-limit=281474976710656\nfail-limit=1\n"));
	sd = &conf.model.sds[0];
	EXPECT_EQ(sd->rules.sdi, 16777215);
	EXPECT_EQ(sd->rules.mode, UET_SD_MODE_CLUSTER);
	EXPECT_FALSE(sd->rules.has_ssi || sd->rules.is_v6);
	EXPECT_EQ(sd->rules.rekey_mask, 0xffff00000000);
	EXPECT_EQ(sd->rules.rekey_shift, 32);
	EXPECT_EQ(sd->rules.epoch_age, 16);
	EXPECT_EQ(sd->rules.seal_limit, 1ULL << 48);
	EXPECT_EQ(sd->rules.fail_limit, 1ULL << 36);
	EXPECT_EQ(sd->check, 0);
	sd = &conf.model.sds[1];
	EXPECT_TRUE(sd->rules.has_ssi && sd->rules.is_client);
	EXPECT_EQ(sd->rules.rekey_mask, 0);
	sd = &conf.model.sds[2];
	EXPECT_TRUE(sd->rules.is_v6);
	EXPECT_EQ(sd->rules.rekey_mask, 0xff00);
	EXPECT_EQ(sd->rules.epoch_age, 32767);
	uetd_conf_free(&conf);
}

TEST(conf__fep_takes_every_setting_at_its_limits)
{
	static const char *const units[] = {
		[UETD_KIND_TIME] = "ns", [UETD_KIND_COUNT] = "",
		[UETD_KIND_POW2] = "", [UETD_KIND_BYTES] = "",
	};
	const struct uetd_param_row *row;
	uint64_t value;
	char word[64];
	unsigned int i;

	for (i = 0; i < UETD_P_NR; i++) {
		row = &uetd_params[i];
		if (row->kind == UETD_KIND_SWITCH)
			continue;
		snprintf(word, sizeof(word), "%" PRIu64 "%s", row->max,
			 units[row->kind]);
		EXPECT_NULL(uetd_value_param(word, i, &value));
		EXPECT_EQ(value, row->max);
		snprintf(word, sizeof(word), "%" PRIu64 "%s", row->max + 1,
			 units[row->kind]);
		EXPECT_TRUE(uetd_value_param(word, i, &value));
		if (!row->min)
			continue;
		snprintf(word, sizeof(word), "%" PRIu64 "%s", row->min - 1,
			 units[row->kind]);
		EXPECT_TRUE(uetd_value_param(word, i, &value));
	}
}

TEST(conf__jobs_have_their_settings)
{
	struct uetd_conf conf;
	const struct uetd_job *job;

	ASSERT_TRUE(load(&conf, "[rail a]\nplane=0\n"
			 "[fep f]\naddr=10.0.0.1\nrails=a\n"
			 "[job 16777215]\nfeps=f\n"
			 "[job 7]\nname=train\nfeps=f\nowner=root\ngroup=0\npids=5-4095\n"
			 "[job 8]\nfeps=f\nowner=4294967294\npids=9\n"
			 "inet-only=on\n"));
	job = &conf.model.jobs[0];
	EXPECT_EQ(job->id, 16777215);
	EXPECT_EQ(job->uid, 0);
	EXPECT_EQ(job->gid, UETD_NO_GROUP);
	EXPECT_EQ(job->pid_min, 0);
	EXPECT_EQ(job->pid_max, 4095);
	job = &conf.model.jobs[1];
	EXPECT_STREQ(job->name, "train");
	EXPECT_EQ(job->gid, 0);
	EXPECT_EQ(job->pid_min, 5);
	EXPECT_FALSE(job->is_inet_only);
	job = &conf.model.jobs[2];
	EXPECT_EQ(job->uid, UINT32_MAX - 1);
	EXPECT_EQ(job->pid_min, 9);
	EXPECT_EQ(job->pid_max, 9);
	EXPECT_TRUE(job->is_inet_only);
	uetd_conf_free(&conf);
}

TEST(conf__reports_all_errors_with_their_lines)
{
	static const char text[] =
		"[fep f]\n"		/* 1 */
		"addr = nowhere\n"	/* 2 */
		"rails = a\n"		/* 3: no such rail */
		"mtu = 9000\n"		/* 4 */
		"[job 1]\n"		/* 5: no feps */
		"pids = 9-8\n";		/* 6 */
	struct uetdtest_log log;
	struct uetd_conf conf;

	EXPECT_FALSE(uetdtest_conf(&conf, text, strlen(text), &log));
	EXPECT_STREQ(log.text,
		     "2 [fep f] addr: must be an IPv4 or IPv6 address, not \"nowhere\"\n"
		     "4 [fep f] mtu: must be a number from 1024 to 8192, not \"9000\"\n"
		     "6 [job 1] pids: must be N or MIN-MAX within 0-4095, not \"9-8\"\n"
		     "5 [job 1]: feps is missing\n"
		     "3 [fep f] rails: there is no [rail a]\n");
	EXPECT_EQ(conf.model.nr_feps, 0);
}

TEST(conf__takes_comments_only_where_they_stand_alone)
{
	struct uetdtest_log log;
	struct uetd_conf conf;

	EXPECT_FALSE(uetdtest_conf(&conf, node, strlen(node), &log));
	EXPECT_STREQ(log.text, "3 \xc3\xa9: stands in front of the first section\n");
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* Later files add and replace, key by key; others than *.conf are not read. */
TEST(conf__later_files_replace_keys)
{
	struct uetd_diag diag = { .tell = uetdtest_tell };
	struct uetdtest_log log = { .size = 0 };
	char dir[] = "/tmp/uetdtest.XXXXXX", path[64], name[64];
	struct uetd_conf conf;
	size_t i;
	static const char *const files[][2] = {
		{ "u", "[rail a]\nplane=0\n[fep f]\naddr=10.0.0.1\nrails=a\nmtu=1024\n" },
		{ "u.d/20.conf", "[fep f]\nmtu=4096\nidle=2s\n" },
		{ "u.d/10.conf", "[fep f]\nmtu=2048\n[job 1]\nfeps=f\n" },
		{ "u.d/30.conf~", "[fep f]\nmtu=8192\n" },
		{ "u.d/.conf", "[fep f]\nmtu=8192\n" },
	};

	ASSERT_TRUE(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/u.d", dir);
	mkdir(path, 0700);
	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, files[i][0]);
		put_file(name, files[i][1]);
	}
	snprintf(path, sizeof(path), "%s/u", dir);
	diag.data = &log;
	EXPECT_TRUE(uetd_conf_load(&conf, path, &diag));
	EXPECT_STREQ(log.text, "");
	EXPECT_EQ(conf.model.nr_jobs, 1);
	EXPECT_EQ(conf.model.feps[0].mtu, 4096);
	EXPECT_EQ(conf.model.feps[0].param[UETD_P_IDLE_NS], 2000000000);
	uetd_conf_free(&conf);

	/* One mistake in any of them, and there is nothing. */
	snprintf(name, sizeof(name), "%s/u.d/20.conf", dir);
	put_file(name, "[fep f]\nmtu=1\n");
	EXPECT_FALSE(uetd_conf_load(&conf, path, &diag));
	EXPECT_EQ(conf.model.nr_feps, 0);
	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, files[i][0]);
		unlink(name);
	}
	snprintf(path, sizeof(path), "%s/u.d", dir);
	rmdir(path);
	rmdir(dir);
}

/* Damaged files: whatever becomes of them, nothing bad does. */
TEST(conf__damage_is_refused_or_good)
{
	static const char good[] =
		"\xef\xbb\xbf[uetd]\nforeign=keep\n[defaults]\nrto-init=5ms\n"
		"[rail r0]\ninterface=eth0\nplane=0\n[rail r1]\nmac=02:00:00:00:00:01\n"
		"plane=1\n[fep f]\naddr=10.0.0.1\nrails=r0, r1\nwindow=512\n"
		"dscp-trimmed=20\n[job 1]\nfeps=f\nowner=0\npids=1-9\n";
	static const char other[] = "[]=;#:,/-\n \t0xz\r\0\xff%";
	char text[sizeof(good)];
	struct uetdtest_log log;
	struct uetd_conf conf;
	int i, k, nr_good = 0;

	EXPECT_TRUE(uetdtest_conf(&conf, good, sizeof(good) - 1, &log));
	uetd_conf_free(&conf);
	for (i = 0; i < 5000; i++) {
		memcpy(text, good, sizeof(good));
		for (k = utest_rand() % 6; k >= 0; k--)
			text[utest_rand() % (sizeof(good) - 1)] =
				other[utest_rand() % (sizeof(other) - 1)];
		if (uetdtest_conf(&conf, text, sizeof(good) - 1, &log)) {
			nr_good++;
			EXPECT_EQ(log.size, 0);
		} else {
			EXPECT_GT(log.size, 0);
			EXPECT_NULL(conf.model.rails);
		}
		uetd_conf_free(&conf);
	}
	EXPECT_GT(nr_good, 0);
	EXPECT_LT(nr_good, 2500);
}
