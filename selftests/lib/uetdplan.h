/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of plans of uetd: what there is, made of one configuration, what is
 * wanted, which is another one, and the changes and waits between the two.  Each
 * plan is carried out on the model of a kernel in uetdtest.h, and must then be
 * empty.  Level: test.
 */
#ifndef UET_SELFTESTS_UETDPLAN_H
#define UET_SELFTESTS_UETDPLAN_H

#include "uetdtest.h"
#include "utest.h"

#define RAILS "[rail r0]\ninterface=eth0\nplane=0\n" \
	      "[rail r1]\ninterface=eth1\nplane=1\n"
#define RAILS_INGRESS "[rail r0]\ninterface=eth0\nplane=0\n" \
		      "[rail r1]\ninterface=eth1\nplane=1\ningress=on\n"
#define FEP "[fep f]\naddr=10.0.0.1\nrails=r0,r1\n"
#define FEP_G "[fep g]\naddr=10.0.0.2\nrails=r1\n"
#define JOB "[job 1]\nfeps=f\n"

/* Which job of the kernel is in use, and how. */
enum use { IDLE, ENDPOINTS, DESCRIPTORS };

/**
 * struct row - a case
 * @name: says what is special
 * @has: configuration that the kernel was made by
 * @is_by_hand: the objects of the kernel were never in a file
 * @use: of job 1
 * @wanted: configuration
 * @without: ifindex of a netdev that is not there any more
 * @ops: changes, one line each
 * @waits: what waits, one line each
 */
struct row {
	const char *name;
	const char *has;
	bool is_by_hand;
	enum use use;
	const char *wanted;
	int without;
	const char *ops;
	const char *waits;
};

static inline void load(struct uetd_conf *conf, const char *text)
{
	struct uetdtest_log log;

	if (!uetdtest_conf(conf, text, strlen(text), &log)) {
		printf("Bail out! bad configuration in a test: %s\n", log.text);
		exit(1);
	}
}

/* Carry it out; false if the kernel would refuse. */
static inline bool carry_out(struct uetd_model *kernel, const struct uetd_plan *plan)
{
	char object[32], verb[256];
	const char *refusal;
	size_t i;

	for (i = 0; i < plan->nr_ops; i++) {
		refusal = uetdtest_change(kernel, &plan->ops[i]);
		if (!refusal)
			continue;
		uetd_op_object(object, sizeof(object), &plan->ops[i]);
		uetd_op_verb(verb, sizeof(verb), &plan->ops[i]);
		printf("# %s %s: %s\n", object, verb, refusal);
		return false;
	}
	return true;
}

static inline void ops_text(char *buf, size_t size, const struct uetd_plan *plan)
{
	char object[32], verb[256];
	size_t used = 0, i;

	*buf = 0;
	for (i = 0; i < plan->nr_ops; i++) {
		uetd_op_object(object, sizeof(object), &plan->ops[i]);
		uetd_op_verb(verb, sizeof(verb), &plan->ops[i]);
		used += snprintf(buf + used, size - used, "%s %s\n", object,
				 verb);
	}
}

static inline void waits_text(char *buf, size_t size, const struct uetd_plan *plan)
{
	size_t used = 0, i;

	*buf = 0;
	for (i = 0; i < plan->nr_waits; i++)
		used += snprintf(buf + used, size - used, "%s: %s\n",
				 plan->waits[i].object, plan->waits[i].reason);
}

static inline void make_kernel(struct uetd_model *kernel, const char *text)
{
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;

	memset(kernel, 0, sizeof(*kernel));
	load(&conf, text);
	uetdtest_host(&links, 0);
	uetd_plan_make(&plan, &conf, &links, kernel, UETDTEST_NOW);
	EXPECT_TRUE(carry_out(kernel, &plan));
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
}

/* Objects that were never in a file. */
static inline void make_by_hand(struct uetd_model *kernel)
{
	size_t i;

	for (i = 0; i < kernel->nr_rails; i++)
		kernel->rails[i].is_managed = false;
	for (i = 0; i < kernel->nr_sds; i++)
		kernel->sds[i].is_managed = false;
	for (i = 0; i < kernel->nr_feps; i++)
		kernel->feps[i].is_managed = false;
	for (i = 0; i < kernel->nr_jobs; i++)
		kernel->jobs[i].is_managed = false;
}

static inline void use_job(struct uetd_model *kernel, uint32_t id, enum use use)
{
	struct uetd_job *job = uetd_model_job(kernel, id);

	if (!job)
		return;
	job->endpoints = use == ENDPOINTS ? 3 : 0;
	job->descriptors = use == DESCRIPTORS ? 1 : 0;
}

static inline void run_row(const struct row *row)
{
	char ops[2048], waits[2048];
	struct uetd_model kernel;
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;

	printf("# %s\n", row->name);
	make_kernel(&kernel, row->has);
	if (row->is_by_hand)
		make_by_hand(&kernel);
	use_job(&kernel, 1, row->use);
	if (row->without)
		uetdtest_unplug(&kernel, row->without);
	load(&conf, row->wanted);
	uetdtest_host(&links, row->without);

	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	ops_text(ops, sizeof(ops), &plan);
	waits_text(waits, sizeof(waits), &plan);
	EXPECT_STREQ(ops, row->ops);
	EXPECT_STREQ(waits, row->waits ? row->waits : "");
	EXPECT_TRUE(carry_out(&kernel, &plan));
	uetd_plan_free(&plan);

	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	ops_text(ops, sizeof(ops), &plan);
	EXPECT_STREQ(ops, "");
	uetd_plan_free(&plan);

	uetd_links_free(&links);
	uetd_conf_free(&conf);
	uetd_model_free(&kernel);
}

#define RUN(rows) do { \
		size_t _i; \
		for (_i = 0; _i < sizeof(rows) / sizeof((rows)[0]); _i++) \
			run_row(&(rows)[_i]); \
	} while (0)

#endif /* UET_SELFTESTS_UETDPLAN_H */
