// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the hosts of a job: "a:2,n[01-03]" of the command line, lines "a slots=2" or "a:2"
 * of a file as launchers of MPI have them, and the nodes of a Slurm allocation,
 * "n[01-03,7],login", with "2(x3),1" tasks.  A name goes to the remote shell as one word,
 * so it has letters, digits and few other characters only.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts.h"
#include "ueadm.h"

#define LIST	"SLURM_JOB_NODELIST"
#define TASKS	"SLURM_TASKS_PER_NODE"

/* Return: is @text an IPv6 address, possibly with a zone? */
static bool is_ipv6(const char *text, size_t length)
{
	size_t digits = strcspn(text, "%");
	char address[INET6_ADDRSTRLEN];
	struct in6_addr in6;

	if (digits > length)
		digits = length;
	if (digits >= sizeof(address))
		return false;
	memcpy(address, text, digits);
	address[digits] = 0;
	return inet_pton(AF_INET6, address, &in6) == 1;
}

/* Return: does @name name a host, and is it no option of the remote shell? */
static bool is_name(const char *name)
{
	const char *user = strchr(name, '@'), *host = user ? user + 1 : name;
	const char *others = is_ipv6(host, strlen(host)) ? "._-@:%" : "._-@";
	size_t length = strlen(name), i;

	for (i = 0; i < length; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr(others, name[i]))
			return false;
	}
	return length && length <= UEA_HOST_NAME_MAX && *name != '-';
}

static struct uea_host *find(struct uea_hosts *hosts, const char *name)
{
	unsigned int i;

	for (i = 0; i < hosts->nr; i++)
		if (!strcmp(hosts->host[i].name, name))
			return &hosts->host[i];
	return NULL;
}

/* A host that comes again has more slots.  @where: of the list, for messages. */
static int add(struct uea_hosts *hosts, const char *name, unsigned int slots,
	       const char *where)
{
	struct uea_host *host = find(hosts, name);

	if (host) {
		host->slots += slots;
		return UEA_OK;
	}
	if (!is_name(name))
		return uea_fail(0, "job: %s: \"%s\" is not the name of a host", where, name);
	if (hosts->nr == UEA_HOSTS_MAX)
		return uea_fail(0, "job: %s: there are more than %u hosts", where,
				UEA_HOSTS_MAX);
	host = &hosts->host[hosts->nr++];
	strcpy(host->name, name);
	host->slots = slots;
	return UEA_OK;
}

/* Read "FROM-TO" or "FROM".  Return: its digits, 0: it is neither. */
static int read_range(const char *text, unsigned long *from, unsigned long *to)
{
	char *end;
	int digits;

	if (!isdigit((unsigned char)*text))
		return 0;
	*from = strtoul(text, &end, 10);
	digits = end - text;
	*to = *end == '-' ? strtoul(end + 1, &end, 10) : *from;
	return digits <= 9 && *to >= *from && *end && strchr(",]", *end) ? digits : 0;
}

/*
 * Add the hosts @front + @text, in which [01-03,7] stands for numbers with as many digits
 * as the first has.
 */
static int expand(struct uea_hosts *hosts, const char *front, const char *text,
		  unsigned int slots, const char *where)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	char name[2 * UEA_HOST_NAME_MAX];
	int digits, status = UEA_OK;
	unsigned long i, to;
	const char *range;

	if (!open) {
		snprintf(name, sizeof(name), "%s%s", front, text);
		return add(hosts, name, slots, where);
	}
	if (!close)
		return uea_fail(0, "job: %s: \"%s\" is not NAME[RANGES]", where, text);
	for (range = open; range != close && !status; range += 1 + strcspn(range + 1, ",]")) {
		digits = read_range(range + 1, &i, &to);
		if (!digits)
			return uea_fail(0, "job: %s: no range of numbers at \"%s\"", where,
					range + 1);
		for (; i <= to && !status; i++) {
			snprintf(name, sizeof(name), "%s%.*s%0*lu", front,
				 (int)(open - text), text, digits, i);
			status = expand(hosts, name, close + 1, slots, where);
		}
	}
	return status;
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

/* Where the name of HOST[:N] ends; an IPv6 address has colons of its own. */
static size_t name_length(const char *text, size_t length)
{
	const char *user = memchr(text, '@', length), *host = user ? user + 1 : text;
	const char *close = *text == '[' ? memchr(text, ']', length) : NULL;
	size_t name = length;

	if (close && is_ipv6(text + 1, close - text - 1))
		return close + 1 - text;
	if (is_ipv6(host, text + length - host))
		return length;
	while (name && text[name - 1] != ':')
		name--;
	return name ? name - 1 : length;
}

/* Add HOST[:N], of which HOST may be [IPv6].  @slots: without N. */
static int add_element(struct uea_hosts *hosts, const char *text, size_t length,
		       unsigned int slots, const char *where)
{
	size_t name = name_length(text, length);
	const char *end = text + name;
	char host[2 * UEA_HOST_NAME_MAX];

	if (name < length)
		slots = text[name] == ':' ? read_slots(text + name + 1, &end) : 0;
	if (!slots || end != text + length)
		return bad_slots(where, text, name);
	if (name > 2 && *text == '[' && text[name - 1] == ']' && is_ipv6(text + 1, name - 2)) {
		text++;
		name -= 2;
	}
	snprintf(host, sizeof(host), "%.*s", (int)name, text);
	return expand(hosts, "", host, slots, where);
}

/* The end of one element of a list: a comma outside of brackets, or the end. */
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

static int add_list(struct uea_hosts *hosts, const char *list, const char *where)
{
	size_t length;
	int status;

	hosts->nr = 0;
	do {
		length = element(list);
		status = add_element(hosts, list, length, 1, where);
		list += length;
	} while (!status && *list++);
	return status;
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
	return add_list(hosts, list, "--hosts");
}

/* Words of a line behind the host.  Open MPI's max_slots allows what is not done here. */
static int read_words(char **rest, const char *blanks, unsigned int *slots,
		      const char *name, const char *where)
{
	const char *word, *end;
	unsigned int number;

	while ((word = strtok_r(NULL, blanks, rest))) {
		if (strncmp(word, "slots=", 6) && strncmp(word, "max_slots=", 10) &&
		    strncmp(word, "max-slots=", 10))
			return uea_fail(0, "job: %s: \"%s\" is not slots=N", where, word);
		number = read_slots(strchr(word, '=') + 1, &end);
		if (!number || *end)
			return bad_slots(where, name, strlen(name));
		if (*word == 's')
			*slots = number;
	}
	return UEA_OK;
}

static int read_line(struct uea_hosts *hosts, char *line, const char *where)
{
	static const char blanks[] = " \t\r\n", bom[] = "\xef\xbb\xbf";
	unsigned int slots = 1;
	char *rest = NULL;
	const char *name;
	int status;

	if (!strncmp(line, bom, strlen(bom)))
		line += strlen(bom);
	line[strcspn(line, "#")] = 0;
	name = strtok_r(line, blanks, &rest);
	if (!name)
		return UEA_OK;
	status = read_words(&rest, blanks, &slots, name, where);
	return status ?: add_element(hosts, name, strlen(name), slots, where);
}

/**
 * uea_hosts_of_file() - read lines HOST[:N] [slots=N] [max_slots=N]; # begins a comment
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
	int status = add_list(hosts, list, LIST);

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
