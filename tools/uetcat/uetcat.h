/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uetcat in four parts: uetcat.c parses the command line, endpoint.c opens
 * sockets and explains refusals, send.c and listen.c move the bytes.  This
 * header has the shared declarations and the header of each message.  Level:
 * tool.
 */
#ifndef UETCAT_H
#define UETCAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <linux/uet.h>

/**
 * struct options - the command line
 * @listen: -l: receive
 * @keep: -k: take one stream after another
 * @raw: -R: messages carry no position
 * @verbose: -v: statistics
 * @local: -a: own fabric address, NULL: the job's only one
 * @remote: ADDR
 * @file: -i or -o, NULL: stdin or stdout
 * @job: -j
 * @pid: -p, the listener's
 * @ri: -r, the listener's
 * @size: -s: bytes of data in a message
 * @count: -c or -n: end after so many messages, 0: no limit
 * @timeout: -w: seconds, 0: wait for ever
 * @buffer: -b: socket buffer, bytes, 0: the kernel's default
 */
struct options {
	bool listen, keep, raw, verbose;
	const char *local, *remote, *file;
	uint32_t job, pid, ri;
	uint32_t size;
	uint64_t count;
	uint32_t timeout;
	uint32_t buffer;
};

/* Data of a message: the default, and the most that -s takes. */
#define SIZE_DEFAULT	(1u << 20)
#define SIZE_MAX_DATA	(1u << 30)

/*
 * What a message has behind its head: data; nothing, the stream ends at the offset; the
 * reason why the sender gives up; nothing, the sender waits for input.
 */
enum head_kind { HEAD_DATA, HEAD_END, HEAD_FAILED, HEAD_IDLE };

/**
 * struct head - in front of the data of each message; network order
 * @magic: HEAD_MAGIC: this is uetcat
 * @kind: enum head_kind
 * @offset: position of the data in the stream, bytes
 *
 * Messages are delivered in any order, so each carries its position.
 */
struct head {
	uint32_t magic;
	uint32_t kind;
	uint64_t offset;
};

/* A sender without input says so; a listener gives up after several of these, seconds. */
#define SENDER_IDLE	15
#define SENDER_SILENT	60

#define HEAD_MAGIC	0x75636174u	/* "ucat" */

/**
 * struct tally - count of moved data
 * @messages: with data
 * @bytes: of data
 * @started: when the first came or went, seconds
 */
struct tally {
	uint64_t messages;
	uint64_t bytes;
	double started;
};

/* uetcat.c */
void warn_user(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *last_warning(void);
void tally_message(struct tally *tally, uint64_t bytes);
void tally_print(const struct tally *tally, const char *verb);

/* endpoint.c */
int endpoint_open(const struct options *o);
int endpoint_bind(int fd, const struct options *o);
int endpoint_connect(int fd, const struct options *o);
bool endpoint_is_same(const struct sockaddr_uet *a,
		      const struct sockaddr_uet *b);
int endpoint_fail(int fd, const char *what);
int endpoint_set_wait(int fd, int option, uint32_t seconds);

int send_stream(const struct options *o);
int listen_streams(const struct options *o);

#endif
