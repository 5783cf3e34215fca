// SPDX-License-Identifier: GPL-2.0
/*
 * private FILE: read a file as root, and at once as another user; print both results, 0 or the name
 * of an errno.  Level: test.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOBODY	65534

static int result_of_read(const char *path)
{
	int fd = open(path, O_RDONLY);
	int error;
	char data;

	if (fd < 0)
		err(1, "%s", path);
	error = read(fd, &data, 1) < 0 ? errno : 0;
	close(fd);
	return error;
}

int main(int argc, char **argv)
{
	int error;

	if (argc != 2)
		errx(2, "usage: private FILE");
	error = result_of_read(argv[1]);
	if (seteuid(NOBODY))
		err(1, "cannot become another user");
	printf("%s %s\n", strerrorname_np(error), strerrorname_np(result_of_read(argv[1])));
	return 0;
}
