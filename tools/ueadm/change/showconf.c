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

#include "conf/conf.h"
#include "model/index.h"
#include "netlink/kernel.h"
#include "model/model.h"
#include "syncconf.h"
#include "ueadm.h"
#include "uet_names.h"

/**
 * uea_conf_rail_name() - name of a rail in a file
 * @name: set to the name of its netdev, if that is a valid name of a rail
 * @rail: rail of the kernel
 */
void uea_conf_rail_name(char *name, const struct uetd_rail *rail)
{
	if (uetd_value_name(rail->name, UETD_RAIL_NAME_MAX, name))
		snprintf(name, UETD_RAIL_NAME_MAX + 1, "rail-%d",
			 rail->ifindex);
}

static void put_match(FILE *out, const struct uetd_rail *rail)
{
	char addr[UETD_TEXT_MAX];

	switch (rail->match) {
	case UETD_MATCH_NAME:
		if (strcmp(rail->name, rail->dev))
			fprintf(out, "interface = %s\n", rail->dev);
		return;
	case UETD_MATCH_MAC:
		fprintf(out, "mac = %02x:%02x:%02x:%02x:%02x:%02x\n",
			rail->mac[0], rail->mac[1], rail->mac[2], rail->mac[3],
			rail->mac[4], rail->mac[5]);
		return;
	case UETD_MATCH_ADDR:
		uetd_addr_text(addr, sizeof(addr), &rail->addr);
		fprintf(out, "address = %s/%u\n", addr, rail->prefix);
	}
}

/**
 * uea_conf_put_rail() - print the section of a rail
 * @out: where to
 * @rail: rail, in the form of a file
 */
void uea_conf_put_rail(FILE *out, const struct uetd_rail *rail)
{
	fprintf(out, "[rail %s]\n", rail->name);
	put_match(out, rail);
	fprintf(out, "plane = %u\n", rail->plane);
	if (rail->is_ingress)
		fputs("ingress = on\n", out);
}

static void put_fep_rails(FILE *out, const struct uetd_fep *fep)
{
	unsigned int i;

	for (i = 0; i < fep->nr_rails; i++)
		fprintf(out, "%s%s", i ? ", " : "rails = ", fep->rail[i]);
	fputc('\n', out);
}

static void put_param(FILE *out, const struct uetd_param_row *row,
		      uint64_t value)
{
	char time[32];

	fprintf(out, "%s = ", row->word);
	switch (row->kind) {
	case UETD_KIND_TIME:
		uea_format_time(time, sizeof(time), value);
		fprintf(out, "%s\n", time);
		break;
	case UETD_KIND_SWITCH:
		fputs(value ? "yes\n" : "no\n", out);
		break;
	default:
		fprintf(out, "%" PRIu64 "\n", value);
	}
}

static void put_settings(FILE *out, const struct uetd_fep *fep,
			 const struct uetd_fep *usual)
{
	const char *name;
	uint8_t dscp;
	unsigned int i;

	for (i = 0; i < UETD_DSCP_NR; i++) {
		dscp = usual->dscp[i] == UETD_DSCP_AS_REQUEST ?
		       fep->dscp[UETD_DSCP_REQUEST] : usual->dscp[i];
		if (fep->dscp[i] == dscp)
			continue;
		if (fep->dscp[i] == UET_DSCP_NONE)
			fprintf(out, "%s = none\n", uetd_dscps[i].word);
		else
			fprintf(out, "%s = %u\n", uetd_dscps[i].word,
				fep->dscp[i]);
	}
	for (i = 0; i < UETD_CHOICE_NR; i++) {
		name = uetd_choice_name(i, fep->choice[i]);
		if (name && fep->choice[i] != usual->choice[i])
			fprintf(out, "%s = %s\n", uetd_choices[i].word, name);
	}
	for (i = 0; i < UETD_P_NR; i++) {
		if (fep->param[i] != usual->param[i])
			put_param(out, &uetd_params[i], fep->param[i]);
	}
}

static void put_key(FILE *out, const struct uetd_sd *sd)
{
	if (*sd->key_file)
		fprintf(out, "key-file = %s\n", sd->key_file);
	else if (*sd->credential)
		fprintf(out, "credential = %s\n", sd->credential);
	else
		fputs("# key-file: where its key is, no kernel knows\n", out);
	if (sd->rotation)
		fprintf(out, "rotation = %us\noverlap = %us\n", sd->rotation,
			sd->overlap);
	if (sd->epoch)
		fprintf(out, "epoch = %u\n", sd->epoch);
}

/**
 * uea_conf_put_sd() - print the section of a secure domain
 * @out: where to
 * @sd: domain
 */
void uea_conf_put_sd(FILE *out, const struct uetd_sd *sd)
{
	const struct uetd_rules *rules = &sd->rules;
	struct uetd_rules usual;

	uetd_conf_rules(&usual, rules->mode);
	fprintf(out, "[sd %s]\nsdi = %u\n", sd->name, rules->sdi);
	if (rules->mode != UET_SD_MODE_CLUSTER)
		fprintf(out, "mode = %s\n", uet_sd_mode_names[rules->mode]);
	if (rules->is_client)
		fputs("client = yes\n", out);
	if (rules->is_v6)
		fputs("ipv6 = yes\n", out);
	if (rules->has_ssi)
		fprintf(out, "ssi = %u\n", rules->ssi);
	if (rules->rekey_mask != usual.rekey_mask)
		fprintf(out, "rekey-mask = %" PRIu64 "\n", rules->rekey_mask);
	if (rules->rekey_shift != usual.rekey_shift)
		fprintf(out, "rekey-shift = %u\n", rules->rekey_shift);
	if (rules->epoch_age != usual.epoch_age)
		fprintf(out, "epoch-age = %u\n", rules->epoch_age);
	if (rules->seal_limit != usual.seal_limit)
		fprintf(out, "seal-limit = %" PRIu64 "\n", rules->seal_limit);
	if (rules->fail_limit != usual.fail_limit)
		fprintf(out, "fail-limit = %" PRIu64 "\n", rules->fail_limit);
	put_key(out, sd);
}

static const char *const protect_words[] = {
	[UET_PROTECT_NONE] = "none",
	[UET_PROTECT_CRC] = "crc",
};

/**
 * uea_conf_put_fep() - print the section of a FEP
 * @out: where to
 * @fep: FEP, with names of its rails
 * @usual: its defaults, which are left out
 */
void uea_conf_put_fep(FILE *out, const struct uetd_fep *fep,
		      const struct uetd_fep *usual)
{
	char addr[UETD_TEXT_MAX];

	uetd_addr_text(addr, sizeof(addr), &fep->addr);
	fprintf(out, "[fep %s]\naddr = %s\n", fep->name, addr);
	put_fep_rails(out, fep);
	if (fep->needs_all != usual->needs_all)
		fprintf(out, "rails-needed = %s\n",
			fep->needs_all ? "all" : "any");
	if (fep->mtu != usual->mtu)
		fprintf(out, "mtu = %u\n", fep->mtu);
	if (fep->protect == UET_PROTECT_TSS)
		fprintf(out, "sd = %s\n", fep->sd);
	else if (fep->protect != usual->protect)
		fprintf(out, "protect = %s\n", protect_words[fep->protect]);
	if (fep->encap != usual->encap)
		fprintf(out, "encap = %s\n", uet_encap_names[fep->encap]);
	if (fep->encap == UET_ENCAP_NATIVE)
		fprintf(out, "proto = %u\n", fep->proto);
	else if (fep->port != usual->port)
		fprintf(out, "port = %u\n", fep->port);
	put_settings(out, fep, usual);
}

/**
 * uea_conf_put_job() - print the section of a job
 * @out: where to
 * @job: job
 */
void uea_conf_put_job(FILE *out, const struct uetd_job *job)
{
	const struct passwd *user = getpwuid(job->uid);
	const struct group *group = NULL;
	unsigned int i;

	fprintf(out, "[job %u]\n", job->id);
	if (*job->name)
		fprintf(out, "name = %s\n", job->name);
	for (i = 0; i < job->nr_feps; i++)
		fprintf(out, "%s%s", i ? ", " : "feps = ", job->fep[i]);
	fputc('\n', out);
	if (user)
		fprintf(out, "owner = %s\n", user->pw_name);
	else
		fprintf(out, "owner = %u\n", job->uid);
	if (job->gid != UETD_NO_GROUP)
		group = getgrgid(job->gid);
	if (group)
		fprintf(out, "group = %s\n", group->gr_name);
	else if (job->gid != UETD_NO_GROUP)
		fprintf(out, "group = %u\n", job->gid);
	if (job->pid_min || job->pid_max != UET_PIDONFEP_MAX)
		fprintf(out, "pids = %u-%u\n", job->pid_min, job->pid_max);
	if (job->is_inet_only)
		fputs("inet-only = on\n", out);
}

/**
 * uea_conf_usual() - the defaults of a FEP where no file has any
 * @usual: filled in
 */
void uea_conf_usual(struct uetd_fep *usual)
{
	uetd_fep_init(usual);
	usual->dscp[UETD_DSCP_RETX] = UETD_DSCP_AS_REQUEST;
	usual->dscp[UETD_DSCP_CONTROL] = UETD_DSCP_AS_REQUEST;
	usual->needs_all = true;
}

/* The names of the rails that a FEP of the kernel has, and of those that are gone. */
static void name_rails(struct uetd_fep *fep, const struct uetd_lookup *lookup)
{
	const struct uetd_rail *rail;
	unsigned int i, nr = 0;

	for (i = 0; i < fep->nr_rails; i++) {
		rail = uetd_index_find(&lookup->netdevs, &fep->ifindex[i]);
		if (rail)
			uea_conf_rail_name(fep->rail[nr++], rail);
	}
	for (i = 0; i < fep->nr_gone; i++)
		uea_conf_rail_name(fep->rail[nr++], &fep->gone[i]);
	fep->nr_rails = nr;
	fep->needs_all = true;
}

static void print_rail(const struct uetd_rail *of)
{
	struct uetd_rail rail = *of;

	uea_conf_rail_name(rail.name, of);
	uea_conf_put_rail(stdout, &rail);
}

/* The rails, and once each those that are gone: their FEPs have them still. */
static void print_rails(const struct uetd_model *model,
			struct uetd_lookup *lookup)
{
	const struct uetd_rail *gone;
	bool is_first = true;
	unsigned int k;
	size_t i;

	for (i = 0; i < model->nr_rails; i++, is_first = false) {
		if (!is_first)
			putchar('\n');
		print_rail(&model->rails[i]);
	}
	for (i = 0; i < model->nr_feps; i++) {
		for (k = 0; k < model->feps[i].nr_gone; k++) {
			gone = &model->feps[i].gone[k];
			if (uetd_index_add(&lookup->rails, gone) != gone)
				continue;
			if (!is_first)
				putchar('\n');
			print_rail(gone);
			is_first = false;
		}
	}
}

static void print_model(const struct uetd_model *model)
{
	struct uetd_lookup lookup;
	struct uetd_fep fep, usual;
	size_t i;

	uetd_lookup_make(&lookup, model);
	print_rails(model, &lookup);
	for (i = 0; i < model->nr_sds; i++) {
		putchar('\n');
		uea_conf_put_sd(stdout, &model->sds[i]);
	}
	uea_conf_usual(&usual);
	for (i = 0; i < model->nr_feps; i++) {
		fep = model->feps[i];
		name_rails(&fep, &lookup);
		putchar('\n');
		uea_conf_put_fep(stdout, &fep, &usual);
	}
	for (i = 0; i < model->nr_jobs; i++) {
		putchar('\n');
		uea_conf_put_job(stdout, &model->jobs[i]);
	}
	uetd_lookup_free(&lookup);
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
	{ .name = "showconf", .is_text = true, .run = showconf_run },
	{ .name = NULL },
};

const struct uea_object uea_showconf = {
	.name = "showconf",
	.verbs = showconf_verbs,
	.is_verb = true,
};
