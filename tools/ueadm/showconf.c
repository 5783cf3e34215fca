// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the kernel's state as a configuration file for uetd and syncconf: only
 * non-default values, for readability.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>

#include <linux/uet.h>

#include "conf.h"
#include "index.h"
#include "kernel.h"
#include "model.h"
#include "syncconf.h"
#include "ueadm.h"
#include "uet_names.h"

/* A rail is named like its netdev, if that is a valid name of a rail. */
static void rail_name(char *name, const struct uetd_rail *rail)
{
	if (uetd_value_name(rail->name, UETD_RAIL_NAME_MAX, name))
		snprintf(name, UETD_RAIL_NAME_MAX + 1, "rail-%d",
			 rail->ifindex);
}

static void print_rail(const struct uetd_rail *rail)
{
	char name[UETD_RAIL_NAME_MAX + 1];

	rail_name(name, rail);
	printf("[rail %s]\n", name);
	if (strcmp(name, rail->name))
		printf("interface = %s\n", rail->name);
	printf("plane = %u\n", rail->plane);
	if (rail->is_ingress)
		puts("ingress = on");
}

static void print_fep_rails(const struct uetd_lookup *lookup,
			    const struct uetd_fep *fep)
{
	char name[UETD_RAIL_NAME_MAX + 1];
	const struct uetd_rail *rail;
	const char *mark = "rails = ";
	unsigned int i;

	for (i = 0; i < fep->nr_rails; i++) {
		rail = uetd_index_find(&lookup->netdevs, &fep->ifindex[i]);
		if (!rail)
			continue;
		rail_name(name, rail);
		printf("%s%s", mark, name);
		mark = ", ";
	}
	if (strcmp(mark, ", "))
		printf("# rails: the netdevs of all are gone");
	putchar('\n');
}

static void print_param(const struct uetd_param_row *row, uint64_t value)
{
	char time[32];

	printf("%s = ", row->word);
	switch (row->kind) {
	case UETD_KIND_TIME:
		uea_format_time(time, sizeof(time), value);
		puts(time);
		break;
	case UETD_KIND_SWITCH:
		puts(value ? "yes" : "no");
		break;
	default:
		printf("%" PRIu64 "\n", value);
	}
}

static void print_settings(const struct uetd_fep *fep)
{
	const char *name;
	uint8_t usual;
	unsigned int i;

	for (i = 0; i < UETD_DSCP_NR; i++) {
		usual = uetd_dscps[i].may_be_none ? UET_DSCP_NONE :
			i == UETD_DSCP_REQUEST ? 0 :
						 fep->dscp[UETD_DSCP_REQUEST];
		if (fep->dscp[i] == usual)
			continue;
		if (fep->dscp[i] == UET_DSCP_NONE)
			printf("%s = none\n", uetd_dscps[i].word);
		else
			printf("%s = %u\n", uetd_dscps[i].word, fep->dscp[i]);
	}
	for (i = 0; i < UETD_CHOICE_NR; i++) {
		name = uetd_choice_name(i, fep->choice[i]);
		if (name && fep->choice[i] != uetd_choices[i].usual)
			printf("%s = %s\n", uetd_choices[i].word, name);
	}
	for (i = 0; i < UETD_P_NR; i++) {
		if (fep->param[i] != uetd_param_default(i))
			print_param(&uetd_params[i], fep->param[i]);
	}
}

static void print_sd(const struct uetd_sd *sd)
{
	const struct uetd_rules *rules = &sd->rules;
	struct uetd_rules usual;

	uetd_conf_rules(&usual, rules->mode);
	printf("\n[sd %s]\nsdi = %u\n", sd->name, rules->sdi);
	if (rules->mode != UET_SD_MODE_CLUSTER)
		printf("mode = %s\n", uet_sd_mode_names[rules->mode]);
	if (rules->is_client)
		puts("client = yes");
	if (rules->is_v6)
		puts("ipv6 = yes");
	if (rules->has_ssi)
		printf("ssi = %u\n", rules->ssi);
	if (rules->rekey_mask != usual.rekey_mask)
		printf("rekey-mask = %" PRIu64 "\n", rules->rekey_mask);
	if (rules->rekey_shift != usual.rekey_shift)
		printf("rekey-shift = %u\n", rules->rekey_shift);
	if (rules->epoch_age != usual.epoch_age)
		printf("epoch-age = %u\n", rules->epoch_age);
	if (rules->seal_limit != usual.seal_limit)
		printf("seal-limit = %" PRIu64 "\n", rules->seal_limit);
	if (rules->fail_limit != usual.fail_limit)
		printf("fail-limit = %" PRIu64 "\n", rules->fail_limit);
	puts("# key-file: where its key is, no kernel knows");
}

static void print_fep(const struct uetd_lookup *lookup,
		      const struct uetd_fep *fep)
{
	struct uetd_fep usual;
	char addr[UETD_TEXT_MAX];

	uetd_fep_init(&usual);
	uetd_addr_text(addr, sizeof(addr), &fep->addr);
	printf("\n[fep %s]\naddr = %s\n", fep->name, addr);
	print_fep_rails(lookup, fep);
	if (fep->mtu != usual.mtu)
		printf("mtu = %u\n", fep->mtu);
	if (fep->protect == UET_PROTECT_TSS)
		printf("sd = %s\n", fep->sd);
	else if (fep->protect != usual.protect)
		puts("protect = none");
	if (fep->encap == UET_ENCAP_NATIVE)
		printf("encap = native\nproto = %u\n", fep->proto);
	else if (fep->port != usual.port)
		printf("port = %u\n", fep->port);
	print_settings(fep);
}

static void print_job(const struct uetd_job *job)
{
	const struct passwd *user = getpwuid(job->uid);
	const struct group *group = NULL;
	unsigned int i;

	printf("\n[job %u]\n", job->id);
	if (*job->name)
		printf("name = %s\n", job->name);
	for (i = 0; i < job->nr_feps; i++)
		printf("%s%s", i ? ", " : "feps = ", job->fep[i]);
	putchar('\n');
	if (user)
		printf("owner = %s\n", user->pw_name);
	else
		printf("owner = %u\n", job->uid);
	if (job->gid != UETD_NO_GROUP)
		group = getgrgid(job->gid);
	if (group)
		printf("group = %s\n", group->gr_name);
	else if (job->gid != UETD_NO_GROUP)
		printf("group = %u\n", job->gid);
	if (job->pid_min || job->pid_max != UET_PIDONFEP_MAX)
		printf("pids = %u-%u\n", job->pid_min, job->pid_max);
}

static void print_model(const struct uetd_model *model)
{
	struct uetd_lookup lookup;
	size_t i;

	for (i = 0; i < model->nr_rails; i++) {
		if (i)
			putchar('\n');
		print_rail(&model->rails[i]);
	}
	for (i = 0; i < model->nr_sds; i++)
		print_sd(&model->sds[i]);
	uetd_lookup_make(&lookup, model);
	for (i = 0; i < model->nr_feps; i++)
		print_fep(&lookup, &model->feps[i]);
	uetd_lookup_free(&lookup);
	for (i = 0; i < model->nr_jobs; i++)
		print_job(&model->jobs[i]);
}

static int showconf_run(struct uea_ctx *ctx, const struct uea_object *object,
			const struct uea_verb *verb, char **words)
{
	struct uetd_model model = { .rails = NULL };
	struct uetd_kernel kernel;
	int status;

	(void)object;
	(void)verb;
	if (*words)
		return uea_usage(ctx, "unknown word: \"%s\"", *words);
	status = uea_conf_kernel(ctx, &kernel, &model);
	if (!status)
		print_model(&model);
	uetd_model_free(&model);
	uetd_kernel_close(&kernel);
	return status;
}

static const struct uea_verb showconf_verbs[] = {
	{ .name = "showconf", .run = showconf_run },
	{ .name = NULL },
};

const struct uea_object uea_showconf = {
	.name = "showconf",
	.verbs = showconf_verbs,
	.is_verb = true,
};
