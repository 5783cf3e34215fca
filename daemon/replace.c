// SPDX-License-Identifier: GPL-2.0
/*
 * Replacing a file as a whole.  Level: tool.
 */
#include <errno.h>
#include <stdlib.h>

#include "replace.h"

static bool write_and_close(FILE *f, void (*write)(FILE *f, const void *arg),
			    const void *arg)
{
	int error;

	write(f, arg);
	if (!fflush(f) && !ferror(f))
		return !fclose(f);
	error = errno;
	fclose(f);
	errno = error;
	return false;
}

/**
 * uetd_replace() - replace a file
 * @path: the file
 * @write: writes the text
 * @arg: its last argument
 *
 * Return: true; false with an errno, and the file is as it was.
 */
bool uetd_replace(const char *path, void (*write)(FILE *f, const void *arg),
		  const void *arg)
{
	bool is_good;
	char *new;
	int error;
	FILE *f;

	if (asprintf(&new, "%s.new", path) < 0) {
		errno = ENOMEM;
		return false;
	}
	f = fopen(new, "we");
	is_good = f && write_and_close(f, write, arg) && !rename(new, path);
	error = errno;
	free(new);
	errno = error;
	return is_good;
}
