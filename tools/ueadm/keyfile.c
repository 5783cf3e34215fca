// SPDX-License-Identifier: GPL-2.0
/*
 * Key files: a key as one line of base64, as genkey writes it.  Who else could
 * read the file has the key, so such files are refused.
 */
#include <errno.h>
#include <fcntl.h>
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
 * @text: room for KEYFILE_TEXT characters
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

/* Bytes of a text of four characters; 0: it is none. */
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

/**
 * keyfile_decode() - a key from text
 * @text: base64, and a newline or not
 * @key: room for @len bytes
 * @len: bytes it must have
 *
 * Return: false if it is not that.
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

/* Return: NULL, or what is wrong with it. */
static const char *wrong_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (S_ISREG(st.st_mode) && st.st_mode & (S_IRWXG | S_IRWXO))
		return "others than its owner may use it: chmod 600 it";
	return NULL;
}

/**
 * keyfile_read() - a key from a file
 * @path: the file; "-": stdin
 * @key: room for @len bytes
 * @len: bytes it must have
 *
 * Return: NULL, or what is wrong with it.
 */
const char *keyfile_read(const char *path, uint8_t *key, size_t len)
{
	char text[KEYFILE_TEXT + 2] = "";
	const char *wrong;
	size_t used = 0;
	ssize_t n;
	int fd;

	fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0)
		return strerror(errno);
	wrong = wrong_file(fd);
	while (!wrong && used + 1 < sizeof(text)) {
		n = read(fd, text + used, sizeof(text) - 1 - used);
		if (n < 0)
			wrong = strerror(errno);
		if (n <= 0)
			break;
		used += n;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	if (!wrong && !keyfile_decode(text, key, len))
		wrong = "no key of this length in base64";
	explicit_bzero(text, sizeof(text));
	return wrong;
}
