// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the configuration of the kernel to the file of uetd: sections that differ are
 * replaced, added or removed; everything else in the file stays, comments included.  The
 * new text is checked before the file is replaced.
 */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <linux/genetlink.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/plan.h"
#include "state/replace.h"
#include "syncconf.h"
#include "ueadm.h"

/* Attributes that are not for the kernel. */
enum {
	SAVE_A_FILE = 1,
	SAVE_A_DRY_RUN,
};

static const struct uea_param save_params[] = {
	{
		.word = "file", .value = "FILE", .arg = UEA_ARG_STRING,
		.attr = SAVE_A_FILE, .max = 255,
	},
	{ .word = "dry-run", .arg = UEA_ARG_FLAG, .attr = SAVE_A_DRY_RUN },
};

/**
 * struct save - a run
 * @requested: the files, and the kernel
 * @only: object to save, "KIND NAME"; NULL: all
 * @is_dry: print the changes without making them
 * @text: text of the file, to be freed
 * @nr: number of sections changed
 */
struct save {
	struct uea_requested requested;
	const char *only;
	bool is_dry;
	char *text;
	unsigned int nr;
};

/* ---------------------------------------------------------- text of the file */

/* A heading "[KIND NAME]" with any blanks; returns whether it is @section. */
static bool is_heading_of(const char *line, const char *section)
{
	line += strspn(line, " \t");
	if (*line++ != '[')
		return false;
	line += strspn(line, " \t");
	for (; *section; section++) {
		if (*section != ' ') {
			if (*line++ != *section)
				return false;
			continue;
		}
		if (!isblank(*line))
			return false;
		line += strspn(line, " \t");
	}
	line += strspn(line, " \t");
	return *line == ']';
}

static bool is_heading(const char *line)
{
	return line[strspn(line, " \t")] == '[';
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* Comments and blank lines in front of the next heading belong to that. */
static const char *end_of_section(const char *heading)
{
	const char *line = next_line(heading), *end = line;

	for (; *line && !is_heading(line); line = next_line(line)) {
		if (!strchr("#;\n", line[strspn(line, " \t\r")]))
			end = next_line(line);
	}
	return end;
}

/* The heading of a section, or the end of the text. */
static const char *find_heading(const char *text, const char *section)
{
	while (*text && !is_heading_of(text, section))
		text = next_line(text);
	return text;
}

/* Replaces a section of the text, adds it, or with empty text removes it. */
static void put_section(struct save *save, const char *section, const char *text)
{
	const char *from = find_heading(save->text, section), *rest;
	size_t size = 0;
	char *out;
	FILE *f = open_memstream(&out, &size);

	rest = *from ? end_of_section(from) : from;
	fwrite(save->text, from - save->text, 1, f);
	if (from == rest && from > save->text) {
		/* A new one, at the end. */
		if (from[-1] != '\n')
			fputc('\n', f);
		fputc('\n', f);
	}
	if (!*text)
		rest += strspn(rest, "\n");
	fprintf(f, "%s%s", text, rest);
	fclose(f);
	free(save->text);
	save->text = out;
}

static int read_text(struct save *save)
{
	FILE *f = fopen(save->requested.path, "re"), *out;
	char buf[4096];
	size_t size;

	if (!f && errno != ENOENT)
		return uea_fail(errno, "%s", save->requested.path);
	out = open_memstream(&save->text, &size);
	while (f && (size = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, size, 1, out);
	fclose(out);
	if (f)
		fclose(f);
	return UEA_OK;
}

/* ---------------------------------------------------------------- sections */

static const struct uetd_rail *rail_of(const struct uea_requested *requested,
				       int ifindex)
{
	size_t i;

	for (i = 0; i < requested->kernel.nr_rails; i++) {
		if (requested->kernel.rails[i].ifindex == ifindex)
			return &requested->kernel.rails[i];
	}
	return NULL;
}

/* The rail of the files that is this netdev, found on this host. */
static const struct uetd_rail *wanted_rail(const struct uetd_model *target,
					   int ifindex)
{
	size_t i;

	for (i = 0; i < target->nr_rails; i++) {
		if (target->rails[i].ifindex == ifindex)
			return &target->rails[i];
	}
	return NULL;
}

static void rail_name(char *name, const struct uea_requested *requested,
		      const struct uetd_model *target, int ifindex)
{
	const struct uetd_rail *wanted = wanted_rail(target, ifindex);
	const struct uetd_rail *rail = rail_of(requested, ifindex);

	if (wanted)
		strcpy(name, wanted->name);
	else if (rail)
		uea_conf_rail_name(name, rail);
	else
		snprintf(name, UETD_RAIL_NAME_MAX + 1, "rail-%d", ifindex);
}

static bool has_rail(const struct uetd_fep *fep, const char *name)
{
	unsigned int i;

	for (i = 0; fep && i < fep->nr_rails; i++) {
		if (!strcmp(fep->rail[i], name))
			return true;
	}
	return false;
}

/*
 * The name of a rail of a FEP whose netdev is gone: that of the files' rail with the
 * name of the netdev, or of the FEP's rail on this plane without a netdev.
 */
static void gone_name(char *name, const struct uetd_model *target,
		      const struct uetd_fep *wanted,
		      const struct uetd_rail *gone)
{
	const struct uetd_rail *rail;
	size_t i;

	uea_conf_rail_name(name, gone);
	for (i = 0; i < target->nr_rails; i++) {
		rail = &target->rails[i];
		if (!strcmp(rail->dev, gone->dev)) {
			strcpy(name, rail->name);
			return;
		}
		if (!rail->ifindex && rail->plane == gone->plane &&
		    has_rail(wanted, rail->name))
			strcpy(name, rail->name);
	}
}

static void put_rail(FILE *out, const struct uea_requested *requested,
		     const struct uetd_model *target, int ifindex)
{
	const struct uetd_rail *wanted = wanted_rail(target, ifindex);
	const struct uetd_rail *has = rail_of(requested, ifindex);
	struct uetd_rail rail;

	if (!has)
		return;
	rail = wanted ? *wanted : *has;
	if (!wanted)
		uea_conf_rail_name(rail.name, has);
	rail.plane = has->plane;
	rail.is_ingress = has->is_ingress;
	uea_conf_put_rail(out, &rail);
}

static void put_sd(FILE *out, const struct uea_requested *requested,
		   const char *name)
{
	const struct uetd_model *conf = &requested->conf.model;
	struct uetd_sd sd, *has = NULL;
	size_t i;

	for (i = 0; i < requested->kernel.nr_sds; i++) {
		if (!strcmp(requested->kernel.sds[i].name, name))
			has = &requested->kernel.sds[i];
	}
	if (!has)
		return;
	sd = *has;
	for (i = 0; i < conf->nr_sds; i++) {
		if (strcmp(conf->sds[i].name, name))
			continue;
		sd = conf->sds[i];
		sd.rules = has->rules;
	}
	uea_conf_put_sd(out, &sd);
}

static void put_fep(FILE *out, const struct uea_requested *requested,
		    const struct uetd_model *target, const char *name)
{
	const struct uetd_fep *wanted =
		uetd_model_fep(&requested->conf.model, name);
	const struct uetd_fep *has = uetd_model_fep(&requested->kernel, name);
	struct uetd_fep fep;
	unsigned int i;

	if (!has)
		return;
	fep = *has;
	fep.needs_all = !wanted || wanted->needs_all;
	for (i = 0; i < fep.nr_rails; i++)
		rail_name(fep.rail[i], requested, target, fep.ifindex[i]);
	for (i = 0; i < fep.nr_gone; i++)
		gone_name(fep.rail[fep.nr_rails++], target, wanted,
			  &fep.gone[i]);
	uea_conf_put_fep(out, &fep, &requested->conf.defaults);
}

static void put_job(FILE *out, const struct uea_requested *requested,
		    uint32_t id)
{
	const struct uetd_job *job = uetd_model_job(&requested->kernel, id);

	if (job)
		uea_conf_put_job(out, job);
}

/* The section of the object of a change, and its text; empty: the kernel has none. */
static void section_of(char *section, size_t size, char **text,
		       const struct save *save, const struct uetd_model *target,
		       const struct uetd_op *op)
{
	char name[UETD_RAIL_NAME_MAX + 1];
	size_t length = 0;
	FILE *out = open_memstream(text, &length);

	uetd_op_object(section, size, op);
	switch (op->kind) {
	case UETD_OP_RAIL_DEL:
	case UETD_OP_RAIL_ADD:
	case UETD_OP_RAIL_SET:
		rail_name(name, &save->requested, target, op->rail.ifindex);
		snprintf(section, size, "rail %s", name);
		put_rail(out, &save->requested, target, op->rail.ifindex);
		break;
	case UETD_OP_SD_DEL:
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		put_sd(out, &save->requested, op->sd.name);
		break;
	case UETD_OP_JOB_DEL:
	case UETD_OP_JOB_ADD:
		put_job(out, &save->requested, op->job.id);
		break;
	default:
		put_fep(out, &save->requested, target, op->fep.name);
	}
	fclose(out);
}

static const struct uetd_section *find_section(const struct uetd_raw *raw,
					       const char *name)
{
	size_t i;

	for (i = 0; i < raw->nr; i++) {
		if (!strcmp(raw->sections[i]->name, name))
			return raw->sections[i];
	}
	return NULL;
}

static int save_section(struct save *save, const char *section, const char *text)
{
	const struct uetd_section *in =
		find_section(&save->requested.raw, section);

	if (in && strcmp(in->file, save->requested.path))
		return uea_fail(0, "%s: [%s] is in %s:%u; change it there",
				save->requested.path, section, in->file,
				in->line);
	put_section(save, section, text);
	save->nr++;
	printf("%s: [%s] %s\n", save->requested.path, section,
	       !*text ? "removed" : in ? "changed" : "added");
	return UEA_OK;
}

/* The rails of a FEP that are gone, unless the files or this text have them. */
static int save_gone(struct save *save, const struct uetd_model *target,
		     const char *name)
{
	const struct uea_requested *requested = &save->requested;
	const struct uetd_fep *fep = uetd_model_fep(&requested->kernel, name);
	char section[UETD_TEXT_MAX], *text;
	struct uetd_rail rail;
	int status = UEA_OK;
	unsigned int i;
	size_t size;
	FILE *out;

	for (i = 0; fep && i < fep->nr_gone; i++) {
		rail = fep->gone[i];
		gone_name(rail.name, target,
			  uetd_model_fep(&requested->conf.model, name),
			  &fep->gone[i]);
		snprintf(section, sizeof(section), "rail %s", rail.name);
		if (find_section(&requested->raw, section) ||
		    *find_heading(save->text, section))
			continue;
		out = open_memstream(&text, &size);
		uea_conf_put_rail(out, &rail);
		fclose(out);
		status |= save_section(save, section, text);
		free(text);
	}
	return status;
}

/* Whether an earlier change is of the same object. */
static bool is_repeated(const struct uetd_plan *plan, size_t nr)
{
	char name[UETD_TEXT_MAX], other[UETD_TEXT_MAX];
	size_t i;

	uea_op_name(name, sizeof(name), &plan->ops[nr]);
	for (i = 0; i < nr; i++) {
		uea_op_name(other, sizeof(other), &plan->ops[i]);
		if (plan->ops[i].kind != UETD_OP_SD_KEYS && !strcmp(name, other))
			return true;
	}
	return false;
}

/* Saves the changes whose object is of this kind, "KIND ". */
static int save_kind(struct save *save, const struct uetd_model *target,
		     const char *kind)
{
	const struct uetd_plan *plan = &save->requested.plan;
	char section[UETD_TEXT_MAX], name[UETD_TEXT_MAX], *text;
	int status = UEA_OK;
	size_t i;

	for (i = 0; i < plan->nr_ops; i++) {
		uea_op_name(name, sizeof(name), &plan->ops[i]);
		if (strncmp(name, kind, strlen(kind)) ||
		    plan->ops[i].kind == UETD_OP_SD_KEYS ||
		    (save->only && strcmp(name, save->only)) ||
		    is_repeated(plan, i))
			continue;
		if (!strncmp(name, "fep ", 4))
			status |= save_gone(save, target, name + 4);
		section_of(section, sizeof(section), &text, save, target,
			   &plan->ops[i]);
		status |= save_section(save, section, text);
		free(text);
	}
	return status;
}

static int save_sections(struct save *save)
{
	static const char *const kinds[] = { "rail ", "sd ", "fep ", "job " };
	struct uetd_plan waits = { .nr_ops = 0 };
	struct uetd_model target;
	int status = UEA_OK;
	size_t i;

	uetd_target_make(&target, &waits, &save->requested.conf,
			 &save->requested.links);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		status |= save_kind(save, &target, kinds[i]);
	uetd_model_free(&target);
	uetd_plan_free(&waits);
	return status;
}

/* ------------------------------------------------------------------ the file */

/* Read the new text as uetd would, with the other files. */
static int check_text(const struct save *save, const char *path)
{
	struct uetd_diag diag = { .tell = uea_conf_error, .is_check = true };
	const struct uetd_raw *before = &save->requested.raw;
	struct uetd_raw raw = { .nr = 0 };
	struct uetd_conf conf;
	bool is_good;
	size_t i;

	uetd_raw_file(&raw, path, &diag);
	for (i = 0; i < before->nr_files; i++) {
		if (strcmp(before->files[i], save->requested.path))
			uetd_raw_file(&raw, before->files[i], &diag);
	}
	is_good = uetd_conf_make(&conf, &raw, &diag);
	if (is_good)
		uetd_conf_free(&conf);
	uetd_raw_free(&raw);
	return is_good ? UEA_OK : UEA_FAILED;
}

static void write_text(FILE *f, const void *arg)
{
	const struct save *save = arg;

	fputs(save->text, f);
}

/* errno 0: the errors in the text are printed; ECANCELED: the run is dry. */
static bool may_replace(const char *new, const void *arg)
{
	const struct save *save = arg;
	bool is_good = !check_text(save, new);

	errno = is_good ? ECANCELED : 0;
	return is_good && !save->is_dry;
}

static int replace_file(struct save *save)
{
	char path[UEA_CONF_PATH], *dir;

	snprintf(path, sizeof(path), "%s", save->requested.path);
	dir = dirname(path);
	/* uetd, which is not root, reads the directory whatever the umask is. */
	if ((mkdir(dir, 0755) || chmod(dir, 0755)) && errno != EEXIST)
		return uea_fail(errno, "%s", dir);
	if (uetd_replace(save->requested.path, 0644, write_text, may_replace,
			 save) ||
	    errno == ECANCELED)
		return UEA_OK;
	return errno ? uea_fail(errno, "%s", save->requested.path) : UEA_FAILED;
}

static int save_all(struct save *save)
{
	struct uetd_diag diag = { .tell = uea_conf_error };
	struct uea_requested *requested = &save->requested;
	int status = uea_requested_read(requested, &diag);

	if (!status)
		status = read_text(save);
	requested->conf.foreign = UETD_FOREIGN_DELETE;
	if (!status)
		status = uea_requested_plan(requested);
	if (!status)
		status = save_sections(save);
	if (!status && save->nr)
		status = replace_file(save);
	if (status || !save->nr || save->is_dry || !requested->uetd)
		return status;
	if (kill(requested->uetd, SIGHUP))
		return uea_fail(errno, "telling uetd, process %d, to read the file again",
				requested->uetd);
	return UEA_OK;
}

/* A link is followed: the file behind it is replaced. */
static void set_path(struct uea_requested *requested, const char *file)
{
	char *full;

	if (file)
		snprintf(requested->path, sizeof(requested->path), "%s", file);
	full = realpath(requested->path, NULL);
	if (full)
		snprintf(requested->path, sizeof(requested->path), "%s", full);
	free(full);
}

/**
 * uea_save() - write an object that was changed to the file of uetd
 * @ctx: run
 * @kind: kind of the object
 * @name: its name
 *
 * Return: exit status.
 */
int uea_save(struct uea_ctx *ctx, const char *kind, const char *name)
{
	char object[UETD_TEXT_MAX];
	struct save save = { .only = object };
	int status;

	snprintf(object, sizeof(object), "%s %s", kind, name);
	uea_requested_find(&save.requested, ctx);
	set_path(&save.requested, NULL);
	status = save_all(&save);
	uea_requested_free(&save.requested);
	free(save.text);
	return status;
}

static int save_run(struct uea_ctx *ctx, const struct uea_object *object,
		    const struct uea_verb *verb, char **words)
{
	struct save save = { .only = NULL };
	const char *file = NULL;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args = uea_nl_request(ctx, buf, verb->cmd);
	const struct nlattr *attr;
	int status = uea_args(ctx, words, args);

	(void)object;
	if (status)
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == SAVE_A_FILE)
			file = mnl_attr_get_str(attr);
		else
			save.is_dry = true;
	}
	uea_requested_find(&save.requested, ctx);
	/* A file of another name is none that uetd reads. */
	if (file)
		save.requested.uetd = 0;
	set_path(&save.requested, file);
	status = save_all(&save);
	uea_requested_free(&save.requested);
	free(save.text);
	return status;
}

static const struct uea_verb config_verbs[] = {
	{ .name = "save", .is_text = true, .run = save_run,
	  UEA_PARAMS(save_params) },
	{ .name = NULL },
};

const struct uea_object uea_config = {
	.name = "config",
	.verbs = config_verbs,
};
