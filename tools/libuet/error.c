// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Reasons of failures: those that the library finds, and those of the kernel, which are
 * read only when the application asks for the text.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "handle.h"

/* Fail with a reason of the library.  Return: -1. */
int libuet_refuse(struct uet *u, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(u->text, sizeof(u->text), fmt, args);
	va_end(args);
	u->call = NULL;
	u->error = error;
	errno = error;
	return -1;
}

/* Fail with the errno of a system call.  @call: the name the kernel has for it. */
int libuet_failed(struct uet *u, const char *call)
{
	u->call = call;
	u->error = errno;
	return -1;
}

static void last_error(int fd, char *text)
{
	socklen_t length = UET_ERROR_SIZE;

	if (getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &length))
		*text = 0;
	text[UET_ERROR_SIZE - 1] = 0;
}

/*
 * Take the error of an operation without completion from the socket, to be reported
 * later.  Return: whether there was one.
 */
bool libuet_take_late(struct uet *u)
{
	socklen_t length = sizeof(int);
	int error = 0;

	if (getsockopt(u->fd, SOL_SOCKET, SO_ERROR, &error, &length) || !error)
		return false;
	if (!u->late) {
		u->late = error;
		last_error(u->fd, u->late_text);
	}
	return true;
}

/* Report the error that was taken, if any.  Return: 0, or -1 with errno. */
int libuet_late(struct uet *u)
{
	int error = u->late;

	if (!error)
		return 0;
	u->late = 0;
	return libuet_refuse(u, error, "%s",
			     *u->late_text ? u->late_text : "an operation has failed");
}

/* Calls that may return the error of an earlier message. */
static bool may_be_late(const char *call)
{
	return !strcmp(call, "sendmsg") || !strcmp(call, "recvmsg") ||
	       !strcmp(call, "shutdown");
}

/*
 * The text of the kernel may be that of an earlier call: some refusals, such as EAGAIN,
 * have none.  It belongs to this failure if it begins with the call, or with a message
 * that failed.
 */
static bool is_of(const struct uet *u, const char *text)
{
	if (u->error == EAGAIN || u->error == EINTR)
		return false;
	return !strncmp(text, u->call, strlen(u->call)) ||
	       (may_be_late(u->call) && (!strncmp(text, "message of ", 11) ||
					 !strncmp(text, "deferred message ", 17)));
}

const char *uet_strerror(struct uet *u)
{
	char kernel[UET_ERROR_SIZE];
	int error = errno;

	if (u->call) {
		last_error(u->fd, kernel);
		if (is_of(u, kernel))
			memcpy(u->text, kernel, sizeof(u->text));
		else
			snprintf(u->text, sizeof(u->text), "%s: %s", u->call,
				 strerror(u->error));
		u->call = NULL;
	}
	errno = error;
	return u->text;
}
