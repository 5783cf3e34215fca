// SPDX-License-Identifier: GPL-2.0
/*
 * Storage of the managed objects.  The file has a line for each object, and is replaced
 * as a whole before the kernel is changed.  An entry is removed when no file of uetd
 * names the object and the kernel does not have it.  Both names have the cookie of the
 * network namespace, which is not used again until the next boot.  Level: tool.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "managed.h"
#include "replace.h"

static bool read_cookie(uint64_t *cookie)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;
	socklen_t size = sizeof(*cookie);

	if (fd < 0)
		return false;
	ret = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size);
	close(fd);
	return !ret;
}

static int order(const void *a, const void *b)
{
	const struct uetd_name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static bool has(const struct uetd_managed *managed, const struct uetd_name *name)
{
	return managed->nr && bsearch(name, managed->names, managed->nr,
				      sizeof(*name), order);
}

static void add(struct uetd_managed *managed, const struct uetd_name *name)
{
	managed->names = uetd_grow(managed->names, managed->nr, sizeof(*name));
	managed->names[managed->nr++] = *name;
}

static void put_in_order(struct uetd_managed *managed)
{
	size_t i, nr = 0;

	if (managed->nr)
		qsort(managed->names, managed->nr, sizeof(*managed->names),
		      order);
	for (i = 0; i < managed->nr; i++) {
		if (!nr || order(&managed->names[nr - 1], &managed->names[i]))
			managed->names[nr++] = managed->names[i];
	}
	managed->nr = nr;
}

static void read_names(struct uetd_managed *managed, FILE *f)
{
	struct uetd_name name;
	char line[64];

	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		/* A longer line is none of ours. */
		if (!*line || strlen(line) >= sizeof(name.text))
			continue;
		memset(&name, 0, sizeof(name));
		strcpy(name.text, line);
		add(managed, &name);
	}
	put_in_order(managed);
}

/**
 * uetd_managed_open() - read the managed objects of this network namespace
 * @managed: filled in; empty after an error
 * @dir: directory
 *
 * Return: true; false with an errno: the file cannot be read.
 */
bool uetd_managed_open(struct uetd_managed *managed, const char *dir)
{
	uint64_t cookie;
	FILE *f;

	*managed = (struct uetd_managed){ .lock = -1 };
	if (!read_cookie(&cookie))
		return false;
	if (asprintf(&managed->path, "%s/netns-%" PRIu64, dir, cookie) < 0) {
		managed->path = NULL;
		errno = ENOMEM;
		return false;
	}
	f = fopen(managed->path, "re");
	if (!f)
		return errno == ENOENT;
	read_names(managed, f);
	fclose(f);
	return true;
}

/**
 * uetd_managed_close() - free everything; the file stays, the lock ends
 * @managed: emptied
 */
void uetd_managed_close(struct uetd_managed *managed)
{
	if (managed->path && managed->lock >= 0)
		close(managed->lock);
	free(managed->path);
	free(managed->names);
	*managed = (struct uetd_managed){ .lock = -1 };
}

__attribute__((format(printf, 2, 3)))
static bool is_managed(const struct uetd_managed *managed, const char *fmt, ...)
{
	struct uetd_name name;
	va_list args;

	va_start(args, fmt);
	vsnprintf(name.text, sizeof(name.text), fmt, args);
	va_end(args);
	return has(managed, &name);
}

/**
 * uetd_managed_mark() - mark the managed objects of the kernel
 * @managed: the managed objects
 * @kernel: state of the kernel
 */
void uetd_managed_mark(const struct uetd_managed *managed,
		       struct uetd_model *kernel)
{
	size_t i;

	for (i = 0; i < kernel->nr_rails; i++)
		kernel->rails[i].is_managed = is_managed(managed, "rail %s",
							 kernel->rails[i].name);
	for (i = 0; i < kernel->nr_sds; i++)
		kernel->sds[i].is_managed = is_managed(managed, "sd %s",
						       kernel->sds[i].name);
	for (i = 0; i < kernel->nr_feps; i++)
		kernel->feps[i].is_managed = is_managed(managed, "fep %s",
							kernel->feps[i].name);
	for (i = 0; i < kernel->nr_jobs; i++)
		kernel->jobs[i].is_managed = is_managed(managed, "job %u",
							kernel->jobs[i].id);
}

__attribute__((format(printf, 3, 4)))
static void add_marked(struct uetd_managed *managed, bool is_marked,
		       const char *fmt, ...)
{
	struct uetd_name name = { .text = "" };
	va_list args;

	if (!is_marked)
		return;
	va_start(args, fmt);
	vsnprintf(name.text, sizeof(name.text), fmt, args);
	va_end(args);
	add(managed, &name);
}

static bool is_same(const struct uetd_managed *a, const struct uetd_managed *b)
{
	size_t i;

	for (i = 0; i < a->nr && i < b->nr; i++) {
		if (order(&a->names[i], &b->names[i]))
			return false;
	}
	return a->nr == b->nr;
}

static void write_names(FILE *f, const void *arg)
{
	const struct uetd_managed *managed = arg;
	size_t i;

	for (i = 0; i < managed->nr; i++)
		fprintf(f, "%s\n", managed->names[i].text);
}

/**
 * uetd_managed_take() - note which objects are managed from now on
 * @managed: the managed objects
 * @plan: names the objects of the files; not executed yet
 * @kernel: state of the kernel before, marked
 *
 * Managed objects that the files do not name any more stay managed until they are gone.
 *
 * Return: true; false with an errno: the file cannot be written.
 */
bool uetd_managed_take(struct uetd_managed *managed,
		       const struct uetd_plan *plan,
		       const struct uetd_model *kernel)
{
	struct uetd_managed next = { .path = managed->path };
	bool has_changed;
	size_t i;

	for (i = 0; i < plan->nr_names; i++)
		add(&next, &plan->names[i]);
	for (i = 0; i < kernel->nr_rails; i++)
		add_marked(&next, kernel->rails[i].is_managed, "rail %s",
			   kernel->rails[i].name);
	for (i = 0; i < kernel->nr_sds; i++)
		add_marked(&next, kernel->sds[i].is_managed, "sd %s",
			   kernel->sds[i].name);
	for (i = 0; i < kernel->nr_feps; i++)
		add_marked(&next, kernel->feps[i].is_managed, "fep %s",
			   kernel->feps[i].name);
	for (i = 0; i < kernel->nr_jobs; i++)
		add_marked(&next, kernel->jobs[i].is_managed, "job %u",
			   kernel->jobs[i].id);
	put_in_order(&next);
	has_changed = !is_same(managed, &next);
	free(managed->names);
	managed->names = next.names;
	managed->nr = next.nr;
	return !has_changed || !managed->path ||
	       uetd_replace(managed->path, 0600, write_names, NULL,
			    managed);
}

/* The name of the lock; NULL: no memory. */
static char *lock_path(const struct uetd_managed *managed)
{
	char *path;

	return asprintf(&path, "%s.uetd", managed->path) < 0 ? NULL : path;
}

/* The process that holds the lock, or 0. */
static pid_t holder_of(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

/**
 * uetd_managed_lock() - be the uetd of this network namespace
 * @managed: the managed objects, opened
 * @conf: name of the configuration file
 * @holder: set to the process that is it already, or 0
 *
 * Return: true; false with @holder or an errno.
 */
bool uetd_managed_lock(struct uetd_managed *managed, const char *conf,
		       pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *path = lock_path(managed), *full = realpath(conf, NULL);
	bool is_good = false;

	*holder = 0;
	managed->lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) :
			       -1;
	if (managed->lock >= 0 && fcntl(managed->lock, F_SETLK, &lock)) {
		*holder = holder_of(managed->lock);
	} else if (managed->lock >= 0) {
		is_good = !ftruncate(managed->lock, 0) &&
			  dprintf(managed->lock, "%s\n",
				  full ? full : conf) > 0;
	}
	free(path);
	free(full);
	return is_good;
}

/**
 * uetd_managed_by() - which uetd runs in this network namespace
 * @managed: the managed objects, opened
 * @conf: set to the name of its configuration file
 * @size: of @conf
 *
 * Return: its process; 0: none.
 */
pid_t uetd_managed_by(const struct uetd_managed *managed, char *conf,
		      size_t size)
{
	char *path = lock_path(managed);
	pid_t pid;
	FILE *f;

	f = path ? fopen(path, "re") : NULL;
	free(path);
	if (!f)
		return 0;
	pid = holder_of(fileno(f));
	if (pid && !fgets(conf, size, f))
		pid = 0;
	fclose(f);
	if (pid)
		conf[strcspn(conf, "\n")] = 0;
	return pid;
}
