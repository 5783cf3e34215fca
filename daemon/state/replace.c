// SPDX-License-Identifier: GPL-2.0
/*
 * Replacing a file as a whole.  Level: tool.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replace.h"

/* Give the new file owner, group and mode of the old one; without one, @mode. */
static bool keep_owner(int fd, const char *path, mode_t mode)
{
	struct stat old, new;

	if (stat(path, &old))
		return errno == ENOENT && !fchmod(fd, mode);
	if (fstat(fd, &new))
		return false;
	/* Who may replace the file need not be able to give it away, but to share it. */
	if (old.st_uid != new.st_uid && fchown(fd, old.st_uid, -1) && errno != EPERM)
		return false;
	if (old.st_gid != new.st_gid && fchown(fd, -1, old.st_gid))
		return false;
	return !fchmod(fd, old.st_mode & 07777);
}

static bool write_and_sync(FILE *f, void (*write)(FILE *f, const void *arg),
			   const void *arg)
{
	write(f, arg);
	return !fflush(f) && !ferror(f) && !fsync(fileno(f));
}

/**
 * uetd_replace() - replace a file
 * @path: the file; its group and mode stay, and its owner if the caller may set it
 * @mode: its mode, if it is not there yet
 * @write: writes the text
 * @accept: called with the name of the new file, before that takes the place of the
 *	old one; false, with an errno or 0: the old one stays.  NULL: always
 * @arg: last argument of both
 *
 * A crash leaves the old text or the new one.
 *
 * Return: true; false with an errno, and the file is as it was.
 */
bool uetd_replace(const char *path, mode_t mode,
		  void (*write)(FILE *f, const void *arg),
		  bool (*accept)(const char *new, const void *arg),
		  const void *arg)
{
	int error, fd;
	bool is_good;
	char *new;
	FILE *f;

	if (asprintf(&new, "%s.%d", path, getpid()) < 0) {
		errno = ENOMEM;
		return false;
	}
	/* That of a process which has ended. */
	unlink(new);
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	is_good = f && keep_owner(fd, path, mode) &&
		  write_and_sync(f, write, arg) &&
		  (!accept || accept(new, arg)) && !rename(new, path);
	error = errno;
	if (fd >= 0 && !is_good)
		unlink(new);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	free(new);
	errno = error;
	return is_good;
}
