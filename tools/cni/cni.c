// SPDX-License-Identifier: GPL-2.0
/*
 * uet, a plugin of the Container Network Interface (CNI): makes a netdev of a container a rail,
 * and makes a FEP and a job in the network namespace of the container.  It stands in a list behind a plugin that makes the netdev
 * and its address.  ueadm does the work, so each setting of a FEP and a job is a key here.
 * Spec: CNI 1.1.0, chained plugins.
 */
#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONF_MAX	(1 << 20)
#define WORDS_MAX	160
#define OUTPUT_MAX	4096

/* Error codes of the CNI specification; those from 100 on are of the plugin. */
enum {
	CNI_INVALID_ENV = 4,
	CNI_IO = 5,
	CNI_DECODE = 6,
	CNI_INVALID_CONF = 7,
	CNI_UNAVAILABLE = 50,
	CNI_UEADM = 100,
	CNI_DIFFERS = 101,
};

static const char *const versions[] = { "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0" };

/**
 * struct attachment - a network of a container
 * @conf: configuration
 * @version: cniVersion of the configuration
 * @netns: path of the network namespace
 * @rail: netdev in it, which becomes a rail
 * @plane: number of its plane, as text
 * @fep: settings of the FEP, or NULL: none is made
 * @job: settings of the job, or NULL
 * @has_rail: the rail is there; @has_fep and @has_job likewise
 */
struct attachment {
	struct json_object *conf;
	const char *version;
	const char *netns;
	const char *rail;
	const char *plane;
	struct json_object *fep;
	struct json_object *job;
	bool has_rail, has_fep, has_job;
};

/**
 * struct words - the arguments of ueadm
 * @word: the words, with a NULL behind the last
 * @nr: their number
 */
struct words {
	const char *word[WORDS_MAX + 1];
	unsigned int nr;
};

static const char *version_now = "1.0.0";

/* Print the error as JSON, which is how a runtime learns of it, and end. */
static void __attribute__((noreturn, format(printf, 2, 3))) fail(int code, const char *format, ...)
{
	struct json_object *error = json_object_new_object();
	char text[OUTPUT_MAX + 512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_object_object_add(error, "cniVersion", json_object_new_string(version_now));
	json_object_object_add(error, "code", json_object_new_int(code));
	json_object_object_add(error, "msg", json_object_new_string(text));
	puts(json_object_to_json_string_ext(error, JSON_C_TO_STRING_NOSLASHESCAPE));
	exit(1);
}

static const char *needed_env(const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value)
		fail(CNI_INVALID_ENV, "uet: %s is missing", name);
	return value;
}

static struct json_object *read_conf(void)
{
	char *text = malloc(CONF_MAX + 1);
	struct json_object *conf;
	size_t len;

	if (!text)
		fail(CNI_IO, "uet: out of memory");
	len = fread(text, 1, CONF_MAX, stdin);
	text[len] = 0;
	conf = json_tokener_parse(text);
	free(text);
	if (!json_object_is_type(conf, json_type_object))
		fail(CNI_DECODE, "uet: the configuration is not a JSON object of less than %u bytes",
		     CONF_MAX);
	return conf;
}

/* The member of an object that must have this type; NULL: there is none. */
static struct json_object *member(struct json_object *object, const char *key,
				  enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !value)
		return NULL;
	if (!json_object_is_type(value, type))
		fail(CNI_INVALID_CONF, "uet: %s must be of type %s", key,
		     json_type_to_name(type));
	return value;
}

/* ------------------------------------------------------------------------- ueadm */

static void add_word(struct words *words, const char *word)
{
	if (words->nr == WORDS_MAX)
		fail(CNI_INVALID_CONF, "uet: more than %u settings", WORDS_MAX);
	words->word[words->nr++] = word;
	words->word[words->nr] = NULL;
}

#define WORDS(...) words_of((const char *const[]) { __VA_ARGS__, NULL })

static struct words words_of(const char *const *list)
{
	struct words words = { .nr = 0 };

	while (*list)
		add_word(&words, *list++);
	return words;
}

/* In the child.  A runtime has not always the directories of root in its PATH. */
static void __attribute__((noreturn)) exec_ueadm(const char *netns, int out, struct words *words)
{
	int fd = open(netns, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		dprintf(out, "the namespace %s: %s", netns, strerror(errno));
		_exit(1);
	}
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execvp("ueadm", (char *const *)words->word);
	execv(UEADM, (char *const *)words->word);
	dprintf(out, "ueadm cannot be started: %s", strerror(errno));
	_exit(1);
}

/*
 * Run ueadm in the namespace of the container.
 * Return: true if it succeeds; @output has the start of what it printed, without a newline.
 */
static bool ueadm(const struct attachment *to, struct words words, char output[OUTPUT_MAX])
{
	size_t len = 0;
	ssize_t got;
	int fds[2], status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		fail(CNI_IO, "uet: pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		fail(CNI_IO, "uet: fork: %s", strerror(errno));
	if (!pid)
		exec_ueadm(to->netns, fds[1], &words);
	close(fds[1]);
	while (len < OUTPUT_MAX - 1) {
		got = read(fds[0], output + len, OUTPUT_MAX - 1 - len);
		if (got <= 0)
			break;
		len += got;
	}
	close(fds[0]);
	while (len && output[len - 1] == '\n')
		len--;
	output[len] = 0;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* ----------------------------------------------------------------- configuration */

static void read_attachment(struct attachment *to, struct json_object *conf)
{
	struct json_object *plane;

	to->conf = conf;
	to->netns = getenv("CNI_NETNS");
	to->rail = needed_env("CNI_IFNAME");
	plane = member(conf, "plane", json_type_int);
	to->plane = plane ? json_object_get_string(plane) : "0";
	to->fep = member(conf, "fep", json_type_object);
	to->job = member(conf, "job", json_type_object);
	if (to->job && !to->fep)
		fail(CNI_INVALID_CONF, "uet: a job needs a fep");
	if (to->job && !member(to->job, "id", json_type_int))
		fail(CNI_INVALID_CONF, "uet: job: id is missing");
}

static const char *fep_name(const struct attachment *to)
{
	struct json_object *name = member(to->fep, "name", json_type_string);

	return name ? json_object_get_string(name) : "fep0";
}

static const char *job_id(const struct attachment *to)
{
	return json_object_get_string(member(to->job, "id", json_type_int));
}

/* The keys of @object but @first, which ueadm takes first, as words. */
static void add_settings(struct words *words, struct json_object *object, const char *first)
{
	json_object_object_foreach(object, key, value) {
		if (!strcmp(key, first))
			continue;
		if (!json_object_is_type(value, json_type_string) &&
		    !json_object_is_type(value, json_type_int))
			fail(CNI_INVALID_CONF, "uet: %s must be a string or a number", key);
		add_word(words, key);
		add_word(words, json_object_get_string(value));
	}
}

/* Is an address of a result that of the netdev? */
static bool is_ours(const struct attachment *to, struct json_object *result,
		    struct json_object *ip)
{
	struct json_object *index = member(ip, "interface", json_type_int), *list, *name;

	list = member(result, "interfaces", json_type_array);
	if (!index || !list)
		return true;
	list = json_object_array_get_idx(list, json_object_get_int64(index));
	name = list ? member(list, "name", json_type_string) : NULL;
	return name && !strcmp(json_object_get_string(name), to->rail);
}

/* The first address of the netdev. */
static const char *find_addr(const struct attachment *to, struct json_object *result)
{
	struct json_object *ips = member(result, "ips", json_type_array), *ip, *addr;
	char *text;
	size_t i;

	for (i = 0; ips && i < json_object_array_length(ips); i++) {
		ip = json_object_array_get_idx(ips, i);
		addr = member(ip, "address", json_type_string);
		if (!addr || !is_ours(to, result, ip))
			continue;
		text = strdup(json_object_get_string(addr));
		if (!text)
			fail(CNI_IO, "uet: out of memory");
		text[strcspn(text, "/")] = 0;
		return text;
	}
	fail(CNI_INVALID_CONF, "uet: the plugin before this one gave %s no address, and fep has no addr",
	     to->rail);
}

/* ----------------------------------------------------------------------- commands */

/*
 * Delete what was made, the last first.  What is not there, or went with the namespace, is no
 * error: a runtime may ask again and again.
 */
static void del(const struct attachment *to)
{
	char ignored[OUTPUT_MAX];

	if (!to->netns || !*to->netns || access(to->netns, F_OK))
		return;
	if (to->has_job)
		ueadm(to, WORDS("ueadm", "job", "del", job_id(to)), ignored);
	if (to->has_fep)
		ueadm(to, WORDS("ueadm", "fep", "del", fep_name(to)), ignored);
	if (to->has_rail)
		ueadm(to, WORDS("ueadm", "rail", "del", to->rail), ignored);
}

/* One step of ADD.  After a failure nothing is left that this ADD has made. */
static void make(const struct attachment *to, struct words words)
{
	char output[OUTPUT_MAX];

	if (ueadm(to, words, output))
		return;
	del(to);
	fail(CNI_UEADM, "uet: %s", output);
}

static struct words fep_words(const struct attachment *to, struct json_object *result)
{
	struct words words = WORDS("ueadm", "fep", "add", fep_name(to));

	if (!member(to->fep, "addr", json_type_string)) {
		add_word(&words, "addr");
		add_word(&words, find_addr(to, result));
	}
	if (!member(to->fep, "rails", json_type_string)) {
		add_word(&words, "rails");
		add_word(&words, to->rail);
	}
	add_settings(&words, to->fep, "name");
	return words;
}

static struct words job_words(const struct attachment *to)
{
	struct words words = WORDS("ueadm", "job", "add", job_id(to), "feps", fep_name(to));

	add_settings(&words, to->job, "id");
	return words;
}

static void add(struct attachment *to)
{
	struct json_object *result = member(to->conf, "prevResult", json_type_object);
	struct words fep, job;

	needed_env("CNI_NETNS");
	if (!result)
		fail(CNI_INVALID_CONF, "uet: no prevResult: the plugin must stand in a list, behind one that makes the netdev");
	/* A configuration that is wrong is refused before anything is made. */
	if (to->fep)
		fep = fep_words(to, result);
	if (to->job)
		job = job_words(to);
	make(to, WORDS("ueadm", "rail", "add", to->rail, "plane", to->plane));
	to->has_rail = true;
	if (to->fep)
		make(to, fep);
	to->has_fep = to->fep;
	if (to->job)
		make(to, job);
	json_object_object_add(result, "cniVersion", json_object_new_string(to->version));
	puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void need(const struct attachment *to, struct words words)
{
	char output[OUTPUT_MAX];

	if (!ueadm(to, words, output))
		fail(CNI_DIFFERS, "uet: %s", output);
}

static void check(const struct attachment *to)
{
	needed_env("CNI_NETNS");
	need(to, WORDS("ueadm", "rail", "show", to->rail));
	if (to->fep)
		need(to, WORDS("ueadm", "fep", "show", fep_name(to)));
	if (to->job)
		need(to, WORDS("ueadm", "job", "show", job_id(to)));
}

static void status(void)
{
	if (access("/sys/module/uet", F_OK))
		fail(CNI_UNAVAILABLE, "uet: the module uet is not loaded: modprobe uet");
}

static void show_versions(void)
{
	struct json_object *reply = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	for (i = 0; i < sizeof(versions) / sizeof(*versions); i++)
		json_object_array_add(list, json_object_new_string(versions[i]));
	json_object_object_add(reply, "cniVersion", json_object_new_string("1.1.0"));
	json_object_object_add(reply, "supportedVersions", list);
	puts(json_object_to_json_string_ext(reply, JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void check_version(struct attachment *to)
{
	struct json_object *version = member(to->conf, "cniVersion", json_type_string);
	size_t i;

	to->version = version ? json_object_get_string(version) : "0.3.0";
	for (i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		if (!strcmp(to->version, versions[i])) {
			version_now = versions[i];
			return;
		}
	}
	fail(1, "uet: cniVersion %s is not supported, these are: 0.3.0 to 1.1.0", to->version);
}

int main(void)
{
	struct attachment to = { .conf = NULL };
	const char *command = getenv("CNI_COMMAND");

	if (!command) {
		fprintf(stderr, "uet is a CNI plugin, see uet-cni(8)\n");
		return 1;
	}
	if (!strcmp(command, "VERSION")) {
		show_versions();
		return 0;
	}
	to.conf = read_conf();
	check_version(&to);
	/* What the plugin makes ends with the namespace, so nothing is left to collect. */
	if (!strcmp(command, "GC"))
		return 0;
	if (!strcmp(command, "STATUS")) {
		status();
		return 0;
	}
	read_attachment(&to, to.conf);
	if (!strcmp(command, "ADD")) {
		add(&to);
	} else if (!strcmp(command, "DEL")) {
		to.has_rail = true;
		to.has_fep = to.fep;
		to.has_job = to.job;
		del(&to);
	} else if (!strcmp(command, "CHECK")) {
		check(&to);
	} else {
		fail(CNI_INVALID_ENV, "uet: CNI_COMMAND %s is unknown", command);
	}
	return 0;
}
