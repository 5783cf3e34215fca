// SPDX-License-Identifier: GPL-2.0
/*
 * Key files: a key as one line of base64, as genkey writes it, with or without
 * a number in front.  Other users who can read the file have the key, and other
 * users who can write the file know the next key; such files are refused.
 * Level: tool.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keyfile.h"

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * keyfile_write() - a key as text
 * @key: the key
 * @len: its bytes
 * @text: space for KEYFILE_TEXT characters
 */
void keyfile_write(const uint8_t *key, size_t len, char *text)
{
	uint32_t bits;
	size_t i, j;

	for (i = 0; i < len; i += 3) {
		bits = key[i] << 16;
		bits |= i + 1 < len ? key[i + 1] << 8 : 0;
		bits |= i + 2 < len ? key[i + 2] : 0;
		for (j = 0; j < 4; j++)
			*text++ = i + j <= len ?
				  digits[bits >> (18 - 6 * j) & 63] : '=';
	}
	*text = 0;
}

/* Decoded bytes of a group of four characters; 0: invalid. */
static size_t read_four(const char *text, uint8_t *bytes)
{
	size_t i, nr = 3;
	uint32_t bits = 0;
	const char *at;

	for (i = 0; i < 4; i++) {
		at = text[i] ? strchr(digits, text[i]) : NULL;
		if (!at && text[i] == '=' && i > 1 &&
		    (i == 3 || text[3] == '=')) {
			nr--;
			at = digits;
		}
		if (!at)
			return 0;
		bits = bits << 6 | (uint32_t)(at - digits);
	}
	for (i = 0; i < nr; i++)
		bytes[i] = (uint8_t)(bits >> (16 - 8 * i));
	return nr;
}

/* The text behind "N ", if @text begins so; base64 has no blanks. */
static const char *skip_number(const char *text, uint32_t *number,
			       bool *has_number)
{
	size_t size = strspn(text, "0123456789");
	unsigned long long value;

	*number = 0;
	*has_number = size && size <= 10 && text[size] == ' ';
	if (!*has_number)
		return text;
	value = strtoull(text, NULL, 10);
	*has_number = value <= UINT32_MAX;
	*number = value;
	return *has_number ? text + size + 1 : text;
}

/**
 * keyfile_decode() - a key from text
 * @text: base64, and a newline or not
 * @key: space for @len bytes
 * @len: bytes it must have
 *
 * Return: false if @text is no such key.
 */
bool keyfile_decode(const char *text, uint8_t *key, size_t len)
{
	uint8_t bytes[3];
	size_t used = 0, nr;
	bool ok = false;

	while (*text && *text != '\n') {
		nr = read_four(text, bytes);
		if (!nr || used + nr > len)
			goto out;
		memcpy(key + used, bytes, nr);
		used += nr;
		text += 4;
		if (nr < 3)
			break;
	}
	ok = used == len && (!*text || !strcmp(text, "\n"));
out:
	explicit_bzero(bytes, sizeof(bytes));
	return ok;
}

__attribute__((format(printf, 2, 3)))
static bool refuse(struct keyfile *file, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(file->wrong, sizeof(file->wrong), fmt, args);
	va_end(args);
	return false;
}

/* Read the whole file into @text, zero-terminated; false also if it is too long. */
static bool read_text(struct keyfile *file, int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	do {
		n = read(fd, text + used, size - used);
		if (n < 0)
			return refuse(file, "%s", strerror(errno));
		used += n;
		if (used == size)
			return refuse(file, "more than %zu bytes are no key",
				      size - 1);
	} while (n);
	text[used] = 0;
	return true;
}

static bool read_key(struct keyfile *file, int fd, uint8_t *key, size_t len)
{
	char text[KEYFILE_LINE + 1];
	bool is_good = read_text(file, fd, text, sizeof(text));

	if (is_good && !keyfile_decode(skip_number(text, &file->number,
						   &file->has_number),
				       key, len))
		is_good = refuse(file, "no key of this length in base64, of %zu bytes",
				 len);
	explicit_bzero(text, sizeof(text));
	return is_good;
}

/*
 * The directory restricts a credential to the service.  Its mode has group bits
 * when an access control list grants the service access.
 */
static bool is_private(struct keyfile *file, int fd, enum keyfile_kind kind)
{
	mode_t forbidden = kind == KEYFILE_CREDENTIAL ?
			   S_IRWXO | S_IWGRP | S_IXGRP : S_IRWXO | S_IRWXG;
	struct stat st;

	if (fstat(fd, &st))
		return refuse(file, "%s", strerror(errno));
	file->since = st.st_ctim.tv_sec;
	if (kind == KEYFILE_WORD && !S_ISREG(st.st_mode))
		return true;
	if (!S_ISREG(st.st_mode))
		return refuse(file, "is no regular file");
	if (st.st_mode & forbidden)
		return refuse(file, "users other than its owner have access, mode %04o: chmod 600 it",
			      (unsigned int)st.st_mode & 07777);
	if (kind == KEYFILE_FIXED && st.st_uid && st.st_uid != geteuid())
		return refuse(file, "belongs to user %u, not to root or user %u",
			      (unsigned int)st.st_uid,
			      (unsigned int)geteuid());
	return true;
}

/* A user who can replace the file also knows the key.  A credential is the service manager's. */
static bool is_safe_dir(struct keyfile *file, const struct stat *st,
			enum keyfile_kind kind)
{
	if (st->st_mode & (S_IWGRP | S_IWOTH) && !(st->st_mode & S_ISVTX))
		return refuse(file, "users other than its owner may write to its directory, mode %04o",
			      (unsigned int)st->st_mode & 07777);
	if (kind == KEYFILE_FIXED && st->st_uid && st->st_uid != geteuid())
		return refuse(file, "its directory belongs to user %u, not to root or user %u",
			      (unsigned int)st->st_uid,
			      (unsigned int)geteuid());
	return true;
}

static int open_fixed(struct keyfile *file, const char *path,
		      enum keyfile_kind kind)
{
	const char *slash = strrchr(path, '/');
	char dir[4096];
	struct stat st;
	int at, fd;

	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path) + 1, path);
	at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0 || fstat(at, &st)) {
		refuse(file, "%s", strerror(errno));
		return at;
	}
	fd = -1;
	if (is_safe_dir(file, &st, kind))
		fd = openat(at, slash + 1, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
			    O_NONBLOCK);
	if (fd < 0 && !*file->wrong)
		refuse(file, "%s", errno == ELOOP ? "is a symbolic link" :
						    strerror(errno));
	close(at);
	return fd;
}

static int open_file(struct keyfile *file, const char *path,
		     enum keyfile_kind kind)
{
	int fd;

	if (kind != KEYFILE_WORD)
		return open_fixed(file, path, kind);
	fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				 fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		refuse(file, "%s", strerror(errno));
	return fd;
}

/**
 * keyfile_read() - a key from a file
 * @file: filled in
 * @path: name of the file; absolute unless @kind is KEYFILE_WORD
 * @kind: source of the file name, which decides the permission checks
 * @key: space for @len bytes, which the caller overwrites
 * @len: bytes it must have
 *
 * Return: false, with the reason in @file.
 */
bool keyfile_read(struct keyfile *file, const char *path,
		  enum keyfile_kind kind, uint8_t *key, size_t len)
{
	bool is_good;
	int fd;

	memset(file, 0, sizeof(*file));
	fd = open_file(file, path, kind);
	if (fd < 0)
		return false;
	is_good = is_private(file, fd, kind) && read_key(file, fd, key, len);
	close(fd);
	return is_good;
}
