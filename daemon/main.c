// SPDX-License-Identifier: GPL-2.0
/*
 * uetd: keeps the rails, domains, FEPs and jobs of a network namespace as
 * configuration files request.  Owns the command line.  Level: tool.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "daemon.h"
#include "version.h"

#define STATUS_FAILED	1
#define STATUS_USAGE	2

static const char help_text[] =
"Usage: uetd [-c FILE] [--bus]       keep the configuration, until ended\n"
"       uetd [-c FILE] --once        bring it about and end\n"
"       uetd [-c FILE] --check       see whether the files are good\n"
"       uetd --check FILE...         the same of these files alone, together\n"
"       uetd --help | --version\n"
"\n"
"FILE is " UETD_CONF_DEFAULT " unless given; FILE.d/*.conf belong to it.\n"
"With --bus, programs can have jobs made over the system bus.\n";

struct options {
	const char *path;
	bool is_check;
	bool is_once;
	bool is_bus;
	char **files;
};

static int usage(const char *why, const char *word)
{
	fprintf(stderr, "uetd: %s%s%s%s\n%s", why, word ? ": \"" : "",
		word ? word : "", word ? "\"" : "", help_text);
	return STATUS_USAGE;
}

/* Return: -1 to continue, else an exit status. */
static int read_options(struct options *options, int argc, char **argv)
{
	static const struct option words[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "check", no_argument, NULL, 'k' },
		{ "once", no_argument, NULL, '1' },
		{ "bus", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int word;

	opterr = 0;
	while ((word = getopt_long(argc, argv, "+:c:hV", words, NULL)) != -1) {
		switch (word) {
		case 'c':
			options->path = optarg;
			break;
		case 'k':
			options->is_check = true;
			break;
		case '1':
			options->is_once = true;
			break;
		case 'b':
			options->is_bus = true;
			break;
		case 'h':
			fputs(help_text, stdout);
			return 0;
		case 'V':
			puts("uetd " UET_TOOLS_VERSION);
			return 0;
		case ':':
			return usage("a value is missing", argv[optind - 1]);
		default:
			return usage("unknown option", argv[optind - 1]);
		}
	}
	options->files = argv + optind;
	return -1;
}

static int check_options(const struct options *options)
{
	if (*options->files && !options->is_check)
		return usage("unknown word", *options->files);
	if (*options->files && options->path)
		return usage("--config and files exclude each other", NULL);
	if (options->is_check && options->is_once)
		return usage("--check and --once exclude each other", NULL);
	if (options->is_check && options->is_bus)
		return usage("--check and --bus exclude each other", NULL);
	return -1;
}

static bool load(struct uetd *uetd, const struct options *options)
{
	struct uetd_diag diag = {
		.tell = uetd_log_conf_error, .is_check = options->is_check,
	};

	if (*options->files)
		return uetd_conf_load_files(&uetd->conf, options->files,
					    &diag);
	return uetd_conf_load(&uetd->conf, uetd->path, &diag);
}

/* Block signals first, so that an early signal is not lost. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	struct options options = { .path = NULL };
	struct uetd uetd;
	int status;

	status = read_options(&options, argc, argv);
	if (status < 0)
		status = check_options(&options);
	if (status >= 0)
		return status;

	if (!options.is_check && !options.is_once)
		block_signals();
	/*
	 * The process will hold keys: no core files, and no debugger of the
	 * same user.
	 */
	prctl(PR_SET_DUMPABLE, 0);
	memset(&uetd, 0, sizeof(uetd));
	uetd.path = options.path ? options.path : UETD_CONF_DEFAULT;
	uetd.bus.is_wanted = options.is_bus;
	if (!load(&uetd, &options))
		return STATUS_FAILED;
	if (options.is_check) {
		uetd_conf_free(&uetd.conf);
		return 0;
	}
	if (!uetd_open(&uetd))
		return STATUS_FAILED;
	if (options.is_once)
		status = uetd_round(&uetd) ? 0 : STATUS_FAILED;
	else
		status = uetd_run(&uetd);
	uetd_close(&uetd);
	return status;
}
