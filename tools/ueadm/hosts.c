// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the hosts of a job: "a:2,b" of the command line, lines "a slots=2" of a file as
 * mpirun has them, and the nodes of a Slurm allocation, "n[01-03,7],login" with
 * "2(x3),1" tasks.  A name goes to the remote shell as one word, so it has letters,
 * digits and few other characters only.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts.h"
#include "ueadm.h"

#define LIST	"SLURM_JOB_NODELIST"
#define TASKS	"SLURM_TASKS_PER_NODE"

/* Return: does @name name a host, and is it no option of the remote shell? */
static bool is_name(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("._-@", name[i]))
			return false;
	}
	return length && length <= UEA_HOST_NAME_MAX && *name != '-';
}

/* @where: of the list, for messages. */
static int add(struct uea_hosts *hosts, const char *name, size_t length,
	       unsigned int slots, const char *where)
{
	struct uea_host *host = &hosts->host[hosts->nr];

	if (!is_name(name, length))
		return uea_fail(0, "job: %s: \"%.*s\" is not the name of a host", where,
				(int)length, name);
	if (hosts->nr == UEA_HOSTS_MAX)
		return uea_fail(0, "job: %s: there are more than %u hosts", where,
				UEA_HOSTS_MAX);
	memcpy(host->name, name, length);
	host->name[length] = 0;
	host->slots = slots;
	hosts->nr++;
	return UEA_OK;
}

/* Return: a number of processes behind @text, and its end in @end; 0: there is none. */
static unsigned int read_slots(const char *text, const char **end)
{
	unsigned long slots;
	char *last;

	if (!isdigit((unsigned char)*text))
		return 0;
	slots = strtoul(text, &last, 10);
	*end = last;
	return slots <= UEA_SLOTS_MAX ? slots : 0;
}

static int bad_slots(const char *where, const char *name, size_t length)
{
	return uea_fail(0, "job: %s: host \"%.*s\": the number of processes must be 1 to %u",
			where, (int)length, name, UEA_SLOTS_MAX);
}

/**
 * uea_hosts_of_list() - read HOST[:N],...
 * @hosts: filled in
 * @list: text; N is 1 without a number
 *
 * Return: exit status, with a message printed.
 */
int uea_hosts_of_list(struct uea_hosts *hosts, const char *list)
{
	const char *end;
	unsigned int slots;
	size_t length;
	int status;

	hosts->nr = 0;
	for (;;) {
		length = strcspn(list, ":,");
		end = list + length;
		slots = *end == ':' ? read_slots(end + 1, &end) : 1;
		if (!slots || (*end && *end != ','))
			return bad_slots("--hosts", list, length);
		status = add(hosts, list, length, slots, "--hosts");
		if (status || !*end)
			return status;
		list = end + 1;
	}
}

static int read_line(struct uea_hosts *hosts, char *line, const char *where)
{
	static const char blanks[] = " \t\r\n";
	const char *name, *word, *end = "";
	unsigned int slots = 1;
	char *rest = NULL;

	line[strcspn(line, "#")] = 0;
	name = strtok_r(line, blanks, &rest);
	if (!name)
		return UEA_OK;
	while ((word = strtok_r(NULL, blanks, &rest))) {
		if (strncmp(word, "slots=", 6))
			return uea_fail(0, "job: %s: \"%s\" is not slots=N", where, word);
		slots = read_slots(word + 6, &end);
		if (!slots || *end)
			return bad_slots(where, name, strlen(name));
	}
	return add(hosts, name, strlen(name), slots, where);
}

/**
 * uea_hosts_of_file() - read lines HOST [slots=N]; # begins a comment
 * @hosts: filled in
 * @path: name of the file
 *
 * Return: exit status, with a message printed.
 */
int uea_hosts_of_file(struct uea_hosts *hosts, const char *path)
{
	unsigned int number = 0;
	char line[1024], where[320];
	int status = UEA_OK;
	FILE *f = fopen(path, "re");

	hosts->nr = 0;
	if (!f)
		return uea_fail(errno, "job: --hostfile %s", path);
	while (!status && fgets(line, sizeof(line), f)) {
		snprintf(where, sizeof(where), "%.255s:%u", path, ++number);
		status = read_line(hosts, line, where);
	}
	fclose(f);
	if (!status && !hosts->nr)
		status = uea_fail(0, "job: --hostfile %s: it names no host", path);
	return status;
}

/* ---------------------------------------------------------------------- Slurm */

/* The end of one element of a node list: a comma outside of brackets, or the end. */
static size_t element(const char *list)
{
	const char *at = list;
	bool is_inside = false;

	for (; *at && (is_inside || *at != ','); at++) {
		if (*at == '[')
			is_inside = true;
		else if (*at == ']')
			is_inside = false;
	}
	return at - list;
}

/* Names front + FROM..TO + back, with as many digits as FROM has. */
static int add_range(struct uea_hosts *hosts, const char *front, int front_length,
		     const char *range, const char *back, int back_length)
{
	char name[2 * UEA_HOST_NAME_MAX];
	unsigned long from, to;
	int digits, status = UEA_OK;
	char *end;

	from = strtoul(range, &end, 10);
	digits = end - range;
	to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
	if (!digits || digits > 9 || to < from || !strchr(",]", *end) || !*end)
		return uea_fail(0, "job: " LIST ": no range of numbers at \"%s\"", range);
	for (; from <= to && !status; from++) {
		snprintf(name, sizeof(name), "%.*s%0*lu%.*s", front_length, front,
			 digits, from, back_length, back);
		status = add(hosts, name, strlen(name), 1, LIST);
	}
	return status;
}

static int add_element(struct uea_hosts *hosts, const char *text, size_t length)
{
	const char *open = memchr(text, '[', length);
	const char *close = open ? memchr(open, ']', length - (open - text)) : NULL;
	const char *range;
	int status;

	if (!open)
		return add(hosts, text, length, 1, LIST);
	if (!close || memchr(close, '[', length - (close - text)))
		return uea_fail(0, "job: " LIST ": \"%.*s\" is not NAME[RANGES]",
				(int)length, text);
	range = open;
	do {
		status = add_range(hosts, text, open - text, range + 1, close + 1,
				   length - (close + 1 - text));
		range += 1 + strcspn(range + 1, ",]");
	} while (!status && *range == ',');
	return status;
}

/* "2(x3),1": the tasks of each node in order. */
static int read_tasks(struct uea_hosts *hosts, const char *tasks)
{
	unsigned int i = 0, slots, times;
	const char *end = "";

	while (i < hosts->nr) {
		slots = read_slots(tasks, &end);
		times = 1;
		if (slots && !strncmp(end, "(x", 2)) {
			times = read_slots(end + 2, &end);
			end += *end == ')';
		}
		if (!slots || !times || (*end && *end != ','))
			return uea_fail(0, "job: " TASKS "=\"%s\" is not N(xM),... for %u nodes",
					getenv(TASKS), hosts->nr);
		while (times-- && i < hosts->nr)
			hosts->host[i++].slots = slots;
		tasks = end + (*end == ',');
	}
	return UEA_OK;
}

/**
 * uea_hosts_has_slurm() - is this an allocation of Slurm, and no task of a step?
 *
 * Return: true if so.
 */
bool uea_hosts_has_slurm(void)
{
	const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

	return getenv(LIST) && (!tasks || !strcmp(tasks, "1"));
}

/**
 * uea_hosts_of_slurm() - read the nodes of a Slurm allocation
 * @hosts: filled in
 *
 * Return: exit status, with a message printed.
 */
int uea_hosts_of_slurm(struct uea_hosts *hosts)
{
	const char *list = getenv(LIST), *tasks = getenv(TASKS);
	size_t length;
	int status;

	hosts->nr = 0;
	do {
		length = element(list);
		status = add_element(hosts, list, length);
		list += length;
	} while (!status && *list++);
	if (!status && tasks)
		status = read_tasks(hosts, tasks);
	return status;
}

/**
 * uea_hosts_slots() - count the processes that all hosts may have
 * @hosts: hosts
 *
 * Return: number.
 */
unsigned int uea_hosts_slots(const struct uea_hosts *hosts)
{
	unsigned int i, slots = 0;

	for (i = 0; i < hosts->nr; i++)
		slots += hosts->host[i].slots;
	return slots;
}
