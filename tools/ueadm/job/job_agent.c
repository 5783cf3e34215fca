// SPDX-License-Identifier: GPL-2.0
/*
 * "ueadm job run --agent": one host of a job over several hosts, started by the remote
 * shell of job_spawn.c.  Standard input has texts, each with a zero behind it: first the
 * words about the job; then, when the agent has made the job and printed its PIDonFEPs
 * and fabric addresses, what to run.  From then on each byte is a signal for the
 * processes.  The end of the input, also when the launcher dies, ends the processes, and
 * the job with them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/uet_nl.h>

#include "job_run.h"

#define WORDS_MAX	65536

/* Return: the next text, to be freed; NULL: the launcher is gone. */
static char *get(void)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, 0, stdin) > 0 && feof(stdin) == 0)
		return text;
	free(text);
	return NULL;
}

static bool get_number(unsigned int *number)
{
	char *text = get();

	if (!text)
		return false;
	*number = strtoul(text, NULL, 10);
	free(text);
	return true;
}

/* Return: a number of texts and these texts, NULL behind the last; NULL on failure. */
static char **get_words(void)
{
	unsigned int nr, i;
	char **words;

	if (!get_number(&nr) || nr > WORDS_MAX)
		return NULL;
	words = calloc(nr + 1, sizeof(*words));
	for (i = 0; words && i < nr; i++) {
		words[i] = get();
		if (!words[i]) {
			while (i--)
				free(words[i]);
			free(words);
			return NULL;
		}
	}
	return words;
}

static void free_words(char **words)
{
	char **word;

	for (word = words; word && *word; word++)
		free(*word);
	free(words);
}

static void say_hello(const struct uea_run *run)
{
	size_t i;

	printf(UEA_AGENT_HELLO " %u %" PRIu64 " %" PRIu64 " ", run->id,
	       uea_number_of(run->job, "pid-min"), uea_number_of(run->job, "pid-max"));
	for (i = 0; i < json_object_array_length(run->feps); i++)
		printf("%s%s", i ? "," : "",
		       uea_text_of(json_object_array_get_idx(run->feps, i), "addr"));
	printf("\n");
	fflush(stdout);
}

/* Variables that this host sets stay, except the path to programs. */
static void take_variables(char **variables)
{
	char *value;

	for (; *variables; variables++) {
		value = strchr(*variables, '=');
		if (!value)
			continue;
		*value = 0;
		setenv(*variables, value + 1, !strcmp(*variables, "PATH"));
	}
}

/* Read what to run, and run it. */
static int obey(struct uea_run *run)
{
	char *directory = NULL, **variables = NULL;
	int status = UEA_FAILED;

	if (get_number(&run->first) && get_number(&run->ranks.nr) &&
	    get_number(&run->size) && (run->peers = get()) && (directory = get()) &&
	    (variables = get_words()) && (run->ranks.argv = get_words())) {
		take_variables(variables);
		status = chdir(directory) ?
			 uea_fail(errno, "job: directory \"%s\"", directory) :
			 uea_run_start(run);
	}
	free(directory);
	free_words(variables);
	free_words(run->ranks.argv);
	return status;
}

/**
 * uea_run_agent() - do one host's part of a job over several hosts
 * @run: run, initialised
 *
 * Return: exit status; of the first process that failed, if one did.
 */
int uea_run_agent(struct uea_run *run)
{
	char buf[UEA_NL_BUF], **words;
	int status;

	/* Bytes behind the texts are for the processes. */
	setvbuf(stdin, NULL, _IONBF, 0);
	words = get_words();
	if (!words)
		return uea_fail(0, "job: --agent is for the use of ueadm job run");
	run->ranks.control = STDIN_FILENO;
	status = uea_run_read(run, words,
			      uea_nl_request(run->ctx, buf, UET_CMD_JOB_NEW));
	if (!status)
		status = uea_run_begin(run);
	if (!status) {
		say_hello(run);
		status = obey(run);
	}
	free_words(words);
	return uea_run_end(run, status);
}
