// SPDX-License-Identifier: GPL-2.0
/*
 * The command: options, usage text, the namespace, exit status.
 */
#define _GNU_SOURCE	/* setns() */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "ueadm.h"
#include "version.h"

/**
 * struct options - options that are not part of a run
 * @netns: network namespace to work in, NULL: this one
 * @batch: file of commands, NULL: none
 * @is_forced: a batch goes on behind failures
 * @completes: complete the words, do not execute them
 */
struct options {
	const char *netns;
	const char *batch;
	bool is_forced;
	bool completes;
};

/* Long options that have no letter. */
enum {
	OPTION_COMPLETE = 256,
	OPTION_SAVE,
};

/**
 * uea_usage_all() - print the usage text of the program
 * @out: where to
 */
void uea_usage_all(FILE *out)
{
	const struct uea_object *object;
	size_t i;

	fputs("Usage: ueadm [OPTIONS] OBJECT VERB [ARGUMENTS]\n"
	      "       ueadm [OPTIONS] -batch FILE\n", out);
	for (i = 0; (object = uea_object_at(i)); i++)
		uea_words_usage(out, object);
	fputs("Options:\n"
	      "       -b, -batch FILE    do what FILE says, a command a line; - is stdin\n"
	      "       -f, -force         a batch goes on behind what fails\n"
	      "       -c, -color[=WHEN]  colours: auto, the default, always, never\n"
	      "       -d, -details       print all there is, a line each\n"
	      "       -o, -oneline       print all there is, a line for each object\n"
	      "       -s, -statistics    print all counters\n"
	      "       -save              write what is changed to the file of uetd, too\n"
	      "       -t, -timestamp     print when an event came\n"
	      "       -j, -json          print JSON\n"
	      "       -p, -pretty        print JSON with line breaks\n"
	      "       -n, -netns NETNS   work in this network namespace\n"
	      "       -V, -version       print the version\n"
	      "       -h, -help          print this text\n", out);
}

static int version_run(struct uea_ctx *ctx, const struct uea_object *object,
		       const struct uea_verb *verb, char **words)
{
	struct json_object *record;

	(void)object;
	(void)verb;
	if (*words)
		return uea_usage(ctx, "unknown word: \"%s\"", *words);
	if (ctx->is_json) {
		record = json_object_new_object();
		json_object_object_add(record, "version",
				       json_object_new_string(UET_TOOLS_VERSION));
		uea_print_json(ctx, record);
		json_object_put(record);
		return UEA_OK;
	}
	puts("ueadm " UET_TOOLS_VERSION);
	return UEA_OK;
}

static const struct uea_verb version_verbs[] = {
	{ .name = "version", .run = version_run },
	{ .name = NULL },
};

const struct uea_object uea_version = {
	.name = "version",
	.verbs = version_verbs,
	.is_verb = true,
};

static int enter_netns(const char *name)
{
	char path[256];
	int fd;

	if (snprintf(path, sizeof(path), "%s%s",
		     strchr(name, '/') ? "" : "/run/netns/", name) >=
	    (int)sizeof(path))
		return uea_fail(ENAMETOOLONG, "network namespace \"%s\"", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return uea_fail(errno, "network namespace \"%s\"", name);
	if (setns(fd, CLONE_NEWNET)) {
		int error = errno;

		close(fd);
		return uea_fail(error, "network namespace \"%s\"", name);
	}
	close(fd);
	return UEA_OK;
}

static const struct option long_options[] = {
	{ "batch", required_argument, NULL, 'b' },
	{ "color", optional_argument, NULL, 'c' },
	{ "complete", no_argument, NULL, OPTION_COMPLETE },
	{ "details", no_argument, NULL, 'd' },
	{ "force", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'j' },
	{ "netns", required_argument, NULL, 'n' },
	{ "oneline", no_argument, NULL, 'o' },
	{ "pretty", no_argument, NULL, 'p' },
	{ "save", no_argument, NULL, OPTION_SAVE },
	{ "statistics", no_argument, NULL, 's' },
	{ "timestamp", no_argument, NULL, 't' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* Options for the output format; false if @c is none of them. */
static bool read_look(struct uea_ctx *ctx, int c)
{
	switch (c) {
	case 'd':
		ctx->is_detailed = true;
		return true;
	case 'o':
		ctx->is_oneline = true;
		return true;
	case 's':
		ctx->has_statistics = true;
		return true;
	case 't':
		ctx->is_stamped = true;
		return true;
	case 'p':
		ctx->is_pretty = true;
		/* fall through */
	case 'j':
		ctx->is_json = true;
		return true;
	}
	return false;
}

/* Returns -1 to go on, or the exit status. */
static int read_option(struct uea_ctx *ctx, struct options *options, int c)
{
	if (read_look(ctx, c))
		return -1;
	switch (c) {
	case 'b':
		options->batch = optarg;
		return -1;
	case 'f':
		options->is_forced = true;
		return -1;
	case 'n':
		options->netns = optarg;
		return -1;
	case 'c':
		if (uea_colour_init(optarg ? optarg : "always"))
			return -1;
		return uea_usage(ctx, "-color must be auto, always or never, not \"%s\"",
				 optarg);
	case OPTION_SAVE:
		ctx->is_saving = true;
		return -1;
	case OPTION_COMPLETE:
		options->completes = true;
		return -1;
	case 'V':
		puts("ueadm " UET_TOOLS_VERSION);
		return UEA_OK;
	case 'h':
		uea_usage_all(stdout);
		return UEA_OK;
	}
	fputs("ueadm: see ueadm help\n", stderr);
	return UEA_USAGE;
}

/* Options that may also stand behind the object; the words of values have none of them. */
static const struct {
	const char *word;
	int option;
} late_options[] = {
	{ "c", 'c' }, { "color", 'c' },
	{ "d", 'd' }, { "details", 'd' },
	{ "j", 'j' }, { "json", 'j' },
	{ "o", 'o' }, { "oneline", 'o' },
	{ "p", 'p' }, { "pretty", 'p' },
	{ "s", 's' }, { "statistics", 's' },
	{ "t", 't' }, { "timestamp", 't' },
	{ "save", OPTION_SAVE },
};

/* A value stands behind '=', in optarg. */
static int late_option(char *word)
{
	size_t i, length;

	if (*word != '-' || !strcmp(word, "--"))
		return 0;
	word += word[1] == '-' ? 2 : 1;
	optarg = strchr(word, '=');
	length = optarg ? (size_t)(optarg++ - word) : strlen(word);
	for (i = 0; i < sizeof(late_options) / sizeof(late_options[0]); i++) {
		if (length != strlen(late_options[i].word) ||
		    strncmp(word, late_options[i].word, length))
			continue;
		if (!optarg || late_options[i].option == 'c')
			return late_options[i].option;
	}
	return 0;
}

/*
 * Take the options out of the words, up to "--", behind which all are names.  Returns -1 to
 * go on, or the exit status.
 */
static int read_late_options(struct uea_ctx *ctx, struct options *options,
			     char **words)
{
	char **out = words;
	int option, status;

	for (; *words && strcmp(*words, "--"); words++) {
		option = late_option(*words);
		status = option ? read_option(ctx, options, option) : -1;
		if (status >= 0)
			return status;
		if (!option)
			*out++ = *words;
	}
	while (*words)
		*out++ = *words++;
	*out = NULL;
	return -1;
}

/* "-c=WHEN" is "-color=WHEN", as ip has it. */
static void write_out_colour(char **argv)
{
	static char word[32];

	for (; *argv && strcmp(*argv, "--"); argv++) {
		if (strncmp(*argv, "-c=", 3) ||
		    snprintf(word, sizeof(word), "-color=%s", *argv + 3) >=
			    (int)sizeof(word))
			continue;
		*argv = word;
		return;
	}
}

static int read_options(struct uea_ctx *ctx, struct options *options, int argc,
			char **argv)
{
	int c, status = -1;

	/*
	 * Options with values stand in front of the object, because the words of
	 * a command may begin with '-', too.  Long options need only one '-',
	 * like those of ip.
	 */
	while (status < 0 &&
	       (c = getopt_long_only(argc, argv, "+b:cdfhjn:opstV",
				     long_options, NULL)) != -1)
		status = read_option(ctx, options, c);
	return status;
}

static int run(struct uea_ctx *ctx, const struct options *options, char **words)
{
	int status;

	if (options->batch && *words)
		return uea_usage(ctx, "words on the command line are none of -batch: \"%s\"",
				 *words);
	if (options->netns) {
		status = enter_netns(options->netns);
		if (status)
			return status;
	}
	if (options->completes)
		return uea_complete(ctx, words);
	if (options->batch)
		return uea_batch(ctx, options->batch, options->is_forced);
	return uea_command(ctx, words);
}

/**
 * main() - ueadm
 * @argc: number of words
 * @argv: words
 *
 * Return: UEA_OK, UEA_FAILED or UEA_USAGE.
 */
int main(int argc, char **argv)
{
	struct options options = { .netns = NULL };
	struct uea_ctx ctx = { .nl = NULL };
	int status;

	/* Lines stay whole beside those of other processes, as in "job run". */
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	uea_colour_init("auto");
	write_out_colour(argv);
	status = read_options(&ctx, &options, argc, argv);
	if (status >= 0)
		return status;
	if (!options.completes) {
		status = read_late_options(&ctx, &options, argv + optind);
		if (status >= 0)
			return status;
	}
	status = run(&ctx, &options, argv + optind);
	uea_nl_close(&ctx);
	if (fflush(stdout) && !status)
		return uea_fail(errno, "writing the output");
	return status;
}
