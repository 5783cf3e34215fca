// SPDX-License-Identifier: GPL-2.0
/*
 * The service manager and the journal as a service sees them, reversed: two datagram
 * sockets as these have them, from which all that a service says is printed, a line
 * each, with "notify" or "journal" in front.  Level: test.
 *
 * usage: notified NOTIFY-SOCKET JOURNAL-SOCKET		until killed
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int open_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void print_lines(const char *front, int fd)
{
	char buf[8192], *rest = buf, *line;
	ssize_t size = recv(fd, buf, sizeof(buf) - 1, 0);

	if (size < 0) {
		perror(front);
		exit(1);
	}
	buf[size] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			printf("%s %s\n", front, line);
	}
}

int main(int argc, char **argv)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };

	if (argc != 3) {
		fputs("usage: notified NOTIFY-SOCKET JOURNAL-SOCKET\n", stderr);
		return 2;
	}
	umask(0);	/* services are not root */
	setvbuf(stdout, NULL, _IOLBF, 0);
	fds[0].fd = open_socket(argv[1]);
	fds[1].fd = open_socket(argv[2]);
	puts("ready");
	for (;;) {
		if (poll(fds, 2, -1) < 0) {
			perror("poll");
			return 1;
		}
		if (fds[0].revents)
			print_lines("notify", fds[0].fd);
		if (fds[1].revents)
			print_lines("journal", fds[1].fd);
	}
}
