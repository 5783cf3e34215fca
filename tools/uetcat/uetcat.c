// SPDX-License-Identifier: GPL-2.0
/*
 * uetcat: copies standard input or a file to a UET endpoint, and data received
 * by an endpoint to standard output or a file.  This part parses the command
 * line and counts.  See uetcat(1).  Level: tool.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "number.h"
#include "uetcat.h"
#include "version.h"

/* Exit status of a wrong command line. */
#define EXIT_USAGE	2

static char warning[512];

static const char usage_text[] =
	"usage: uetcat -l [OPTIONS]       receive a stream\n"
	"       uetcat [OPTIONS] ADDR     send a stream to fabric address ADDR\n"
	"endpoint:\n"
	"  -j JOB    JobID, 1..16777215 (1)\n"
	"  -p PID    PIDonFEP of the listener, 0..4095 (0)\n"
	"  -r RI     Resource Index of the listener, 1..4095 (1)\n"
	"  -a FA     own fabric address (that of the only FEP of the job)\n"
	"  -b BYTES  socket buffer\n"
	"  -w SECS   give up when no data moves for SECS seconds\n"
	"receiving:\n"
	"  -l        listen\n"
	"  -o FILE   write to FILE instead of standard output\n"
	"  -n COUNT  end after COUNT messages\n"
	"  -k        continue after the end of a stream\n"
	"sending:\n"
	"  -i FILE   read FILE instead of standard input\n"
	"  -s SIZE   bytes of data in a message, K, M, G allowed (1M)\n"
	"  -c COUNT  end after COUNT messages\n"
	"both:\n"
	"  -R        raw: messages contain only data\n"
	"  -v        print statistics\n"
	"  -h, --help     this text\n"
	"  -V, --version  the version\n";

/**
 * warn_user() - print a message on standard error
 * @fmt: printf format, without newline
 */
void warn_user(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(warning, sizeof(warning), fmt, args);
	va_end(args);
	fprintf(stderr, "uetcat: %s\n", warning);
}

/**
 * last_warning() - what warn_user() printed last
 *
 * Return: text; empty if there was none.
 */
const char *last_warning(void)
{
	return warning;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/**
 * tally_message() - count a message
 * @tally: the count
 * @bytes: of data in it
 */
void tally_message(struct tally *tally, uint64_t bytes)
{
	if (!tally->messages)
		tally->started = now();
	tally->messages++;
	tally->bytes += bytes;
}

/**
 * tally_print() - print the count and the rate
 * @tally: the count
 * @verb: "sent" or "received"
 */
void tally_print(const struct tally *tally, const char *verb)
{
	double seconds = tally->messages ? now() - tally->started : 0;

	fprintf(stderr, "uetcat: %s %" PRIu64 " bytes in %" PRIu64
		" messages in %.3f s, %.1f Mbit/s\n", verb, tally->bytes,
		tally->messages, seconds,
		seconds > 0 ? tally->bytes * 8 / seconds / 1e6 : 0.0);
}

static void usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("uetcat: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("\n", stderr);
	va_end(args);
	fputs(usage_text, stderr);
	exit(EXIT_USAGE);
}

/* A number within min..max; with a unit if @opt is about bytes. */
static uint64_t number(int opt, const char *text, uint64_t min, uint64_t max)
{
	uint64_t value;

	if (!number_read(text, opt == 's' || opt == 'b', min, max, &value))
		usage_error("-%c %s: not a number in %" PRIu64 "..%" PRIu64,
			    opt, text, min, max);
	return value;
}

static void parse_option(struct options *o, int opt, const char *word)
{
	switch (opt) {
	case 'l': o->listen = true; break;
	case 'k': o->keep = true; break;
	case 'R': o->raw = true; break;
	case 'v': o->verbose = true; break;
	case 'a': o->local = optarg; break;
	case 'i':
	case 'o': o->file = optarg; break;
	case 'j': o->job = number(opt, optarg, 1, UET_JOBID_MAX); break;
	case 'p': o->pid = number(opt, optarg, 0, UET_PIDONFEP_MAX); break;
	case 'r': o->ri = number(opt, optarg, 1, UET_RINDEX_MAX); break;
	case 's': o->size = number(opt, optarg, 1, SIZE_MAX_DATA); break;
	case 'c':
	case 'n': o->count = number(opt, optarg, 1, UINT64_MAX); break;
	case 'w': o->timeout = number(opt, optarg, 1, INT32_MAX); break;
	case 'b': o->buffer = number(opt, optarg, 1, INT32_MAX / 2); break;
	case 'h':
		fputs(usage_text, stdout);
		exit(EXIT_SUCCESS);
	case 'V':
		puts("uetcat " UET_TOOLS_VERSION);
		exit(EXIT_SUCCESS);
	case ':': usage_error("-%c needs a value", optopt);
	default:
		if (optopt)
			usage_error("-%c is not an option", optopt);
		usage_error("%s is not an option", word);
	}
}

/* Options of one direction only. */
static void check_direction(const struct options *o, const char *given)
{
	const char *wrong = o->listen ? "isc" : "onk";

	for (; *wrong; wrong++)
		for (const char *p = given; *p; p++)
			if (*p == *wrong)
				usage_error("-%c does not go %s -l", *p,
					    o->listen ? "with" : "without");
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option words[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	char given[64] = "";
	unsigned int n = 0;
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":lkRvhVa:i:o:j:p:r:s:c:n:w:b:", words,
				  NULL)) != -1) {
		parse_option(o, opt, argv[optind - 1]);
		if (n < sizeof(given) - 1)
			given[n++] = opt;
	}
	check_direction(o, given);
	if (o->listen && optind < argc)
		usage_error("'%s': -l takes no address, -a gives the own one",
			    argv[optind]);
	if (!o->listen && optind == argc)
		usage_error("the destination address is missing");
	if (!o->listen)
		o->remote = argv[optind++];
	if (optind < argc)
		usage_error("'%s' is one word too many", argv[optind]);
}

int main(int argc, char **argv)
{
	struct options o = {
		.job = 1,
		.pid = 0,
		.ri = 1,
		.size = SIZE_DEFAULT,
	};

	parse(&o, argc, argv);
	if (o.listen ? listen_streams(&o) : send_stream(&o))
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
