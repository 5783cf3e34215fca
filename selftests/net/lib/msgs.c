// SPDX-License-Identifier: GPL-2.0
/*
 * A source and a sink of messages that can be checked.  The source sends
 * messages whose bytes follow from a key, an index and a length; the sink
 * recomputes them and knows for each key which indexes came, and in what order:
 * a lost, doubled, late, cut or damaged message is told apart.  Both print one
 * line of key=value at their end and exit 0 only if all was well by what the
 * type of the socket promises.  File transfer is uetcat's work, corner cases of
 * the socket calls are those of sock_*.c.  Level: test.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/uet.h>

#define MAGIC		0x55455431u
#define MAGIC_END	0x55455432u	/* index: how many there were */
#define KEYS_MAX	256
#define INDEX_MAX	(1u << 20)
#define SIZES_MAX	16

/* In front of every message that is long enough, host order: one machine. */
struct head {
	uint32_t magic;
	uint32_t key;
	uint32_t index;
	uint32_t length;
};

struct options {
	uint32_t job, pid, ri, key;
	uint32_t count;
	uint32_t sizes[SIZES_MAX];
	unsigned int nr_sizes;
	int buffer;
	int seconds;
	uint32_t gap_ms;
	const char *progress;
	const char *from;
	const char *to;
	int type;
	bool no_flush, hold, with_end, until_told, is_deferrable;
	int reserved;
	uint32_t sockets;
	int mark, priority;
};

/* Which indexes of a key came: the only memory the sink has. */
struct seen {
	bool used;
	uint32_t key;
	uint32_t next;
	uint8_t *map;
};

struct tally {
	uint64_t messages, bytes, anonymous, doubled, late, damaged, cut;
	struct seen seen[KEYS_MAX];
};

/* SIGTERM came to a sink with -U, which lets it in only while it waits. */
static volatile sig_atomic_t told;

static void be_told(int sig)
{
	told = sig;
}

/* die_socket - what failed, errno, and what the kernel says about it */
static void die_socket(int fd, const char *what)
{
	char text[256] = "";
	socklen_t len = sizeof(text) - 1;
	int error = errno;

	if (getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &len))
		text[0] = '\0';
	errx(1, "%s: %s%s%s", what, strerror(error), *text ? ": " : "", text);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: msgs recv [OPTIONS]\n"
		"       msgs send [OPTIONS] FA\n"
		"  -j JOB -p PID -r RI  of the sink (1, 0, 1)\n"
		"  -a FA      own fabric address (the job's only one)\n"
		"  -n COUNT   messages (1)\n"
		"  -s SIZE[,SIZE...]  send: lengths, used in turn (64)\n"
		"  -k KEY     send: what the bytes follow from (1)\n"
		"  -m MODE    rud, rod or uud (rud); the sink wants them in order\n"
		"             with rod, and with uud no more than whole\n"
		"  -b BYTES   socket buffer\n"
		"  -t S       give up when a call takes longer\n"
		"  -P FILE    send: keep the number of messages sent there\n"
		"  -g MS      send: a gap after each message (0)\n"
		"  -Q         send: close without waiting for answers\n"
		"  -E         the source ends at SIGTERM and tells the sink how many\n"
		"             messages there were; the sink waits for just these, of\n"
		"             COUNT sources\n"
		"  -H         send: then keep the socket open until killed\n"
		"  -U         recv: until SIGTERM, then what is there\n"
		"  -R         send: on PDCs of the reserved pool\n"
		"  -D         send: as deferrable messages\n"
		"  -M N       send: all that N times at once, from a socket each, under\n"
		"             the keys from KEY on\n"
		"  -X MARK    SO_MARK\n"
		"  -O PRIO    SO_PRIORITY\n");
	exit(2);
}

static uint32_t number(const char *text)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || value > UINT32_MAX)
		errx(1, "'%s' is not a 32-bit number", text);
	return value;
}

static void parse_sizes(struct options *o, char *list)
{
	char *word;

	o->nr_sizes = 0;
	while ((word = strsep(&list, ","))) {
		if (o->nr_sizes == SIZES_MAX)
			errx(1, "more than %d sizes", SIZES_MAX);
		o->sizes[o->nr_sizes++] = number(word);
	}
}

static int socket_type(const char *mode)
{
	if (!strcmp(mode, "rud"))
		return SOCK_RDM;
	if (!strcmp(mode, "rod"))
		return SOCK_SEQPACKET;
	if (!strcmp(mode, "uud"))
		return SOCK_DGRAM;
	errx(1, "'%s' is not rud, rod or uud", mode);
	return 0;
}

static void parse_options(struct options *o, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "j:p:r:a:n:s:k:b:t:m:P:g:QHEURDM:X:O:")) != -1) {
		switch (opt) {
		case 'j': o->job = number(optarg); break;
		case 'p': o->pid = number(optarg); break;
		case 'r': o->ri = number(optarg); break;
		case 'a': o->from = optarg; break;
		case 'n': o->count = number(optarg); break;
		case 's': parse_sizes(o, optarg); break;
		case 'k': o->key = number(optarg); break;
		case 'b': o->buffer = number(optarg); break;
		case 't': o->seconds = number(optarg); break;
		case 'm': o->type = socket_type(optarg); break;
		case 'P': o->progress = optarg; break;
		case 'g': o->gap_ms = number(optarg); break;
		case 'Q': o->no_flush = true; break;
		case 'H': o->hold = true; break;
		case 'E': o->with_end = true; break;
		case 'U': o->until_told = true; break;
		case 'R': o->reserved = 1; break;
		case 'D': o->is_deferrable = true; break;
		case 'M': o->sockets = number(optarg); break;
		case 'X': o->mark = number(optarg); break;
		case 'O': o->priority = number(optarg); break;
		default: usage();
		}
	}
	if (o->count > INDEX_MAX)
		errx(1, "more than %u messages", INDEX_MAX);
	if (!o->sockets || o->sockets > KEYS_MAX)
		errx(1, "not 1..%d sockets", KEYS_MAX);
}

static struct sockaddr_uet address(const struct options *o, const char *fa)
{
	struct sockaddr_uet sa = {
		.suet_family = AF_UET,
		.suet_version = UET_ADDR_VERSION,
		.suet_job = o->job,
		.suet_pid = o->pid,
		.suet_ri = o->ri,
	};

	if (fa && strchr(fa, ':')) {
		sa.suet_flags |= UET_ADDR_IPV6;
		if (inet_pton(AF_INET6, fa, sa.suet_fa6) != 1)
			errx(1, "'%s' is no address", fa);
	} else if (fa && inet_pton(AF_INET, fa, &sa.suet_fa4) != 1) {
		errx(1, "'%s' is no address", fa);
	}
	return sa;
}

static int open_socket(const struct options *o, int bufopt, int timeopt)
{
	struct timeval tv = { .tv_sec = o->seconds };
	int fd = socket(AF_UET, o->type, 0);

	if (fd < 0)
		err(1, "socket");
	if (o->buffer &&
	    setsockopt(fd, SOL_SOCKET, bufopt, &o->buffer, sizeof(o->buffer)))
		die_socket(fd, "SO_SNDBUF/SO_RCVBUF");
	if (o->seconds &&
	    setsockopt(fd, SOL_SOCKET, timeopt, &tv, sizeof(tv)))
		die_socket(fd, "SO_SNDTIMEO/SO_RCVTIMEO");
	if (o->mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &o->mark, sizeof(o->mark)))
		die_socket(fd, "SO_MARK");
	if (o->priority && setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &o->priority,
				      sizeof(o->priority)))
		die_socket(fd, "SO_PRIORITY");
	if (o->reserved &&
	    setsockopt(fd, SOL_UET, UET_RESERVED_PDC, &o->reserved,
		       sizeof(o->reserved)))
		die_socket(fd, "UET_RESERVED_PDC");
	return fd;
}

/* fill - bytes that follow from (key, index); xorshift64* */
static void fill(uint8_t *p, size_t len, uint32_t key, uint32_t index)
{
	uint64_t x = ((uint64_t)key << 32 | index) ^ 0x9e3779b97f4a7c15u;
	uint64_t word;
	size_t n;

	for (; len; p += n, len -= n) {
		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		word = x * 0x2545f4914f6cdd1du;
		n = len < sizeof(word) ? len : sizeof(word);
		memcpy(p, &word, n);
	}
}

/* compose - one message; too short for a head, it follows from its length */
static void compose(uint8_t *p, uint32_t len, uint32_t key, uint32_t index)
{
	struct head head = { MAGIC, key, index, len };

	if (len < sizeof(head)) {
		fill(p, len, 0, len);
		return;
	}
	memcpy(p, &head, sizeof(head));
	fill(p + sizeof(head), len - sizeof(head), key, index);
}

static uint32_t largest(const struct options *o)
{
	uint32_t max = 0;
	unsigned int i;

	for (i = 0; i < o->nr_sizes; i++)
		if (o->sizes[i] > max)
			max = o->sizes[i];
	return max;
}

static void *allocate(size_t len)
{
	void *p = malloc(len ? len : 1);

	if (!p)
		errx(1, "out of memory");
	return p;
}

/* told_to_end - SIGTERM is kept pending, so that it interrupts no call */
static bool told_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGTERM);
}

static void send_one(const struct options *o, int fd, struct sockaddr_uet *to, void *p,
		     uint32_t len)
{
	struct uet_op op = { .opcode = UET_OP_DEFERRABLE_SEND };
	union {
		char bytes[CMSG_SPACE(sizeof(op))];
		struct cmsghdr cmsg;
	} control = { .cmsg = { CMSG_LEN(sizeof(op)), SOL_UET, UET_CMSG_OP } };
	struct iovec iov = { p, len };
	struct msghdr msg = {
		.msg_name = to, .msg_namelen = sizeof(*to),
		.msg_iov = &iov, .msg_iovlen = 1,
	};

	if (o->is_deferrable) {
		memcpy(CMSG_DATA(&control.cmsg), &op, sizeof(op));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
	}
	if (sendmsg(fd, &msg, 0) != (ssize_t)len)
		die_socket(fd, "sendmsg");
}

static void keep_progress(int fd, uint32_t count)
{
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		dprintf(fd, "%u\n", count);
}

/* send_all - the messages of the options; returns how many */
static uint32_t send_all(const struct options *o, int fd, uint64_t *bytes)
{
	struct sockaddr_uet to = address(o, o->to);
	uint8_t *message = allocate(largest(o));
	struct head end = { MAGIC_END, o->key, 0, sizeof(end) };
	int progress = -1;
	uint32_t i, len;

	if (o->progress) {
		progress = open(o->progress, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (progress < 0)
			err(1, "%s", o->progress);
	}
	for (i = 0; i < o->count && !(o->with_end && told_to_end()); i++) {
		len = o->sizes[i % o->nr_sizes];
		compose(message, len, o->key, i);
		send_one(o, fd, &to, message, len);
		*bytes += len;
		keep_progress(progress, i + 1);
		if (o->gap_ms)
			poll(NULL, 0, o->gap_ms);
	}
	end.index = i;
	if (o->with_end)
		send_one(o, fd, &to, &end, sizeof(end));
	free(message);
	return i;
}

static int open_source(const struct options *o)
{
	struct sockaddr_uet from = address(o, o->from);
	int fd = open_socket(o, SO_SNDBUF, SO_SNDTIMEO);

	from.suet_pid = UET_PID_ANY;
	from.suet_ri = 0;
	if (o->from && bind(fd, (struct sockaddr *)&from, sizeof(from)))
		die_socket(fd, "bind");
	return fd;
}

static int msgs_send(const struct options *o)
{
	struct options one = *o;
	uint64_t bytes = 0;
	uint32_t count = 0, i;
	int fds[KEYS_MAX];

	for (i = 0; i < o->sockets; i++, one.key++) {
		fds[i] = open_source(o);
		count += send_all(&one, fds[i], &bytes);
	}
	for (i = 0; i < o->sockets; i++)
		if (!o->no_flush && shutdown(fds[i], SHUT_WR))
			die_socket(fds[i], "shutdown");
	printf("sent=%u bytes=%" PRIu64 "\n", count, bytes);
	fflush(stdout);
	if (o->hold)
		pause();
	for (i = 0; i < o->sockets; i++)
		close(fds[i]);
	return 0;
}

static struct seen *find_key(struct tally *t, uint32_t key)
{
	struct seen *s;

	for (s = t->seen; s < t->seen + KEYS_MAX; s++) {
		if (s->used && s->key == key)
			return s;
		if (!s->used) {
			s->used = true;
			s->key = key;
			s->map = calloc(INDEX_MAX / 8, 1);
			if (!s->map)
				errx(1, "out of memory");
			return s;
		}
	}
	errx(1, "more than %d keys", KEYS_MAX);
	return NULL;
}

static void mark_seen(struct tally *t, const struct head *head)
{
	struct seen *s = find_key(t, head->key);
	uint8_t bit = 1u << head->index % 8;
	uint8_t *byte = &s->map[head->index / 8];

	if (*byte & bit)
		t->doubled++;
	else if (head->index < s->next)
		t->late++;
	*byte |= bit;
	if (head->index >= s->next)
		s->next = head->index + 1;
}

static void check_message(struct tally *t, const uint8_t *msg, uint8_t *copy,
			  size_t len)
{
	struct head head = { 0 };

	t->messages++;
	t->bytes += len;
	if (len < sizeof(head)) {
		t->anonymous++;
	} else {
		memcpy(&head, msg, sizeof(head));
		if (head.magic != MAGIC || head.length != len ||
		    head.index >= INDEX_MAX) {
			t->damaged++;
			return;
		}
		mark_seen(t, &head);
	}
	compose(copy, len, head.key, head.index);
	if (memcmp(copy, msg, len))
		t->damaged++;
}

/* missing - indexes below the highest seen of each key that never came */
static uint64_t missing(const struct tally *t, unsigned int *keys)
{
	const struct seen *s;
	uint64_t count = 0;
	uint32_t i;

	*keys = 0;
	for (s = t->seen; s < t->seen + KEYS_MAX && s->used; s++, (*keys)++)
		for (i = 0; i < s->next; i++)
			if (!(s->map[i / 8] & 1u << i % 8))
				count++;
	return count;
}

static int report(const struct options *o, const struct tally *t)
{
	unsigned int keys;
	uint64_t gone = missing(t, &keys), wrong = t->damaged + t->cut;

	/* Messages without a head leave gaps in the indexes of their key. */
	if (t->anonymous)
		gone = gone > t->anonymous ? gone - t->anonymous : 0;
	printf("received=%" PRIu64 " bytes=%" PRIu64 " keys=%u anonymous=%" PRIu64
	       " doubled=%" PRIu64 " late=%" PRIu64 " damaged=%" PRIu64
	       " cut=%" PRIu64 " missing=%" PRIu64 "\n", t->messages, t->bytes,
	       keys, t->anonymous, t->doubled, t->late, t->damaged, t->cut,
	       gone);
	if (o->type != SOCK_DGRAM)
		wrong += t->doubled + gone;
	if (o->type == SOCK_SEQPACKET)
		wrong += t->late;
	return wrong != 0;
}

/* wait_for_news - until there is something to read; false if told to end */
static bool wait_for_news(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	sigset_t none;
	int news;

	sigemptyset(&none);
	do {
		news = ppoll(&pfd, 1, NULL, &none);
	} while (news <= 0 && !told);
	return news > 0;
}

/* receive_one - returns its length */
static size_t receive_one(const struct options *o, struct tally *t, int fd,
			  void *space, size_t size)
{
	struct iovec iov = { .iov_base = space, .iov_len = size };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t len;

	do {
		len = recvmsg(fd, &mh, 0);
	} while (len < 0 && errno == EINTR);	/* SIGCONT */
	if (len < 0) {
		report(o, t);
		die_socket(fd, "recvmsg");
	}
	if (mh.msg_flags & MSG_TRUNC || !(mh.msg_flags & MSG_EOR))
		t->cut++;
	return len;
}

static int msgs_recv(const struct options *o)
{
	const size_t space = 64u << 20;
	struct sockaddr_uet self = address(o, o->from);
	int fd = open_socket(o, SO_RCVBUF, SO_RCVTIMEO);
	uint8_t *message = allocate(space), *copy = allocate(space);
	bool has_count = !o->with_end && !o->until_told;
	uint64_t wanted = has_count ? o->count : UINT64_MAX, told_of = 0;
	static struct tally tally;
	uint32_t ends = 0;
	struct head head;
	size_t len;

	if (bind(fd, (struct sockaddr *)&self, sizeof(self)))
		die_socket(fd, "bind");
	while (tally.messages < wanted) {
		if (o->until_told && !wait_for_news(fd))
			break;
		len = receive_one(o, &tally, fd, message, space);
		memcpy(&head, message, sizeof(head));
		if (len != sizeof(head) || head.magic != MAGIC_END) {
			check_message(&tally, message, copy, len);
			continue;
		}
		told_of += head.index;
		if (++ends == o->count)
			wanted = told_of;
	}
	close(fd);
	return report(o, &tally);
}

int main(int argc, char **argv)
{
	struct options o = {
		.job = 1, .ri = 1, .key = 1, .count = 1,
		.sizes = { 64 }, .nr_sizes = 1, .type = SOCK_RDM, .sockets = 1,
	};
	sigset_t term;
	bool is_send;

	if (argc < 2)
		usage();
	is_send = !strcmp(argv[1], "send");
	if (!is_send && strcmp(argv[1], "recv"))
		usage();
	signal(SIGPIPE, SIG_IGN);
	parse_options(&o, argc - 1, argv + 1);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	if (o.until_told)
		signal(SIGTERM, be_told);
	if (is_send ? o.with_end : o.until_told)
		sigprocmask(SIG_BLOCK, &term, NULL);
	argc -= 1 + optind;
	argv += 1 + optind;
	if (argc != is_send)
		usage();
	o.to = is_send ? argv[0] : NULL;
	return is_send ? msgs_send(&o) : msgs_recv(&o);
}
