// SPDX-License-Identifier: GPL-2.0
/*
 * All operations at once, in random order and size, between two endpoints, for as long
 * as one likes, with every byte checked end to end: the one that drives knows the
 * CRC-32C of what it has sent, the one that serves computes that of what has come and
 * says it.  Written bytes are read back and compared, atomic operations are added up,
 * and at the end both ends have counted the same.  Level: test.
 *
 *	mixed serve [-o] ADDR PID PEER-ADDR
 *	mixed drive [-o] [-P FILE] ADDR PID PEER-ADDR OPERATIONS SEED
 *
 * PIDs are the same at both ends, -o is for a SOCK_SEQPACKET, FILE tells how many
 * operations have ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "crc32c.h"
#include "fuzz.h"
#include "uet_ioctl.h"
#include "uetarg.h"

#define SLOTS		8		/* operations under way */
#define LEN_MAX		(1u << 20)
#define COUNTERS	64
#define ADDENDS_MAX	16

enum kind {
	K_SEND, K_TAGGED, K_NOTIFY, K_DEFER, K_MEET, K_WRITE, K_RUDI, K_ADD,
	K_FETCH, K_NO_OP,
	KINDS,
	K_BYE = KINDS,
};

static const char *const kind_names[KINDS] = {
	"send", "tagged", "notify", "deferrable", "rendezvous", "write", "rudi",
	"add", "fetch", "no-op",
};

/* Keys of regions: RECEIVES or SLOTS times LEN_MAX bytes each but for the counters. */
enum key {
	KEY_WRITE = 1, KEY_RUDI, KEY_POST, KEY_COUNTERS, KEY_OUT, KEY_BACK, KEYS,
};

/* Receives, by tag: each slot has one that waits, and one that is posted late. */
#define RECEIVES	(2 * SLOTS)

/* The completion data of a message or write. */
struct label {
	uint32_t crc;
	uint8_t slot, kind;
	uint16_t reserved;
};

/* The answer of the server. */
struct echo {
	struct label label;
	uint64_t length;
};

/* The counts of both ends for answered messages. */
struct tally {
	uint64_t messages[KINDS];
	uint64_t bytes;
};

/**
 * struct slot - an operation under way
 * @kind: which
 * @is_busy: it is under way
 * @is_back: K_WRITE, K_RUDI: it is being read back
 * @flags: UET_OP_RUDI or 0
 * @len: bytes
 * @crc: of these
 * @open: what has to come before it ends: completion, echo
 * @data: its bytes
 * @amount: K_FETCH: what is added
 */
struct slot {
	enum kind kind;
	bool is_busy, is_back;
	uint8_t flags;
	uint32_t len, crc;
	int open;
	uint8_t *data;
	uint64_t amount;
};

static struct {
	int fd;
	const char *role;
	uint8_t *mem[KEYS];
	struct tally tally;
	/* of who drives */
	struct fuzz_rand rnd;
	uint32_t begun, ended, limit;
	int progress;
	struct slot slot[SLOTS];
	uint64_t sum[COUNTERS];
	uint64_t of_kind[KINDS];
} me = { .progress = -1 };

static void fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *fmt, ...)
{
	char text[256] = "";
	socklen_t len = sizeof(text);
	va_list args;

	fprintf(stderr, "mixed %s: ", me.role);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	getsockopt(me.fd, SOL_UET, UET_LAST_ERROR, text, &len);
	fprintf(stderr, " (%s; %s)\n", strerror(errno), text);
	exit(1);
}

/* -------------------------------------------------------------- both sides */

static uint32_t crc_of(const uint8_t *p, size_t n)
{
	return crc32c_final(crc32c_update_many(CRC32C_INIT, p, n));
}

static void open_endpoint(int type, const char *addr, const char *pid)
{
	struct sockaddr_uet a = arg_address(addr, atoi(pid), 1);
	int on = 1;

	me.fd = socket(AF_UET, type, 0);
	if (me.fd < 0 || bind(me.fd, (void *)&a, sizeof(a)) ||
	    setsockopt(me.fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		fail("no endpoint");
}

static void add_region(enum key key, size_t len, uint32_t access, uint32_t flags)
{
	struct uet_mr_reg reg = {
		.length = len, .key = key, .access = access,
		.flags = UET_MR_FIXED_KEY | flags,
	};

	me.mem[key] = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.addr = (uintptr_t)me.mem[key];
	if (me.mem[key] == MAP_FAILED || uet_ioctl(me.fd, UET_IOC_MR_REG, &reg))
		fail("no region %d", key);
}

/* The received message and its sender.  Return: false if nothing is there. */
static bool receive(void *buf, size_t space, size_t *len, struct uet_ctx *ctx,
		    struct sockaddr_uet *from)
{
	union {
		char bytes[CMSG_SPACE(sizeof(*ctx))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { buf, space };
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = sizeof(*from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(me.fd, &msg, MSG_DONTWAIT);

	if (got < 0 && errno == EAGAIN)
		return false;
	if (got < 0 || !(msg.msg_flags & MSG_EOR) || !CMSG_FIRSTHDR(&msg))
		fail("recvmsg: %zd, flags 0x%x", got, msg.msg_flags);
	*len = got;
	memcpy(ctx, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(*ctx));
	return true;
}

/* One record of the error queue. Return: false if there is none. */
static bool complete(struct uet_completion *rec)
{
	union {
		char bytes[CMSG_SPACE(sizeof(*rec))];
		struct cmsghdr align;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	if (recvmsg(me.fd, &msg, MSG_ERRQUEUE) < 0) {
		if (errno != EAGAIN)
			fail("completions");
		return false;
	}
	memcpy(rec, CMSG_DATA(&control.align), sizeof(*rec));
	if (rec->error)
		errno = rec->error;
	if (rec->error)
		fail("cookie %llu, opcode %u, rc 0x%x, nack 0x%x",
		     (unsigned long long)rec->cookie, rec->opcode, rec->rc,
		     rec->nack_code);
	return true;
}

/* Messages that are for the receive that is posted late, and wait for it. */
static bool is_late(enum kind kind)
{
	return kind == K_DEFER || kind == K_MEET;
}

/* ----------------------------------------------------------------- serving */

static void post_receive(int tag)
{
	struct uet_recv_post post = {
		.cookie = tag, .match = tag, .key = KEY_POST,
		.offset = (uint64_t)tag * LEN_MAX, .length = LEN_MAX,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	if (uet_ioctl(me.fd, UET_IOC_RECV_POST, &post))
		fail("receive %d cannot be posted", tag);
}

static struct label label_of(uint64_t header_data)
{
	struct label label;

	memcpy(&label, &header_data, sizeof(label));
	return label;
}

/* Tell what has come. */
static void answer(const struct sockaddr_uet *to, struct label label,
		   const uint8_t *bytes, uint64_t length)
{
	struct echo echo = { .label = label, .length = length };

	echo.label.crc = crc_of(bytes, length);
	me.tally.messages[label.kind]++;
	me.tally.bytes += length;
	if (sendto(me.fd, &echo, sizeof(echo), 0, (void *)to,
		   sizeof(*to)) != sizeof(echo))
		fail("no answer");
}

/* Have both counted the same?  There is nothing behind it. */
static void end_serving(const void *buf, size_t len)
{
	const struct tally *theirs = buf;

	if (len != sizeof(*theirs) || memcmp(theirs, &me.tally, len))
		fail("other counts: %llu bytes instead of %llu",
		     (unsigned long long)me.tally.bytes,
		     len == sizeof(*theirs) ?
		     (unsigned long long)theirs->bytes : 0);
	if (shutdown(me.fd, SHUT_WR))
		fail("shutdown");
	printf("served bytes=%llu\n", (unsigned long long)me.tally.bytes);
	exit(0);
}

static void serve_message(const uint8_t *buf, size_t len,
			  const struct uet_ctx *ctx,
			  const struct sockaddr_uet *from)
{
	struct label label = label_of(ctx->header_data);
	const uint8_t *written;

	if (!(ctx->flags & UET_CTX_HDATA) || label.slot >= SLOTS)
		fail("message of %zu bytes without a label", len);
	if (label.kind == K_BYE)
		end_serving(buf, len);
	written = me.mem[KEY_WRITE] + (size_t)label.slot * LEN_MAX;
	if (label.kind == K_NOTIFY && ctx->opcode == UET_OP_WRITE)
		answer(from, label, written, ctx->length);
	else if (label.kind == K_SEND && ctx->opcode == UET_OP_SEND)
		answer(from, label, buf, len);
	else
		fail("opcode %u is labelled %u", ctx->opcode, label.kind);
}

static void serve_receive(const struct uet_completion *rec,
			  const struct sockaddr_uet *to)
{
	struct label label = label_of(rec->header_data);
	bool late = rec->cookie >= SLOTS;

	if (!(rec->flags & UET_COMPLETION_HDATA) || rec->match != rec->cookie ||
	    label.slot != rec->cookie % SLOTS ||
	    (late ? !is_late(label.kind) : label.kind != K_TAGGED))
		fail("receive %llu has what is not for it",
		     (unsigned long long)rec->cookie);
	/* The next one may come as soon as this is answered. */
	if (!late)
		post_receive(rec->cookie);
	answer(to, label, me.mem[KEY_POST] + rec->cookie * LEN_MAX,
	       rec->length);
	if (late)
		post_receive(rec->cookie);
}

static void serve(int type, char **argv)
{
	struct sockaddr_uet from, to;
	static uint8_t buf[LEN_MAX];
	struct uet_completion rec;
	struct uet_ctx ctx;
	struct pollfd pfd;
	size_t len;

	open_endpoint(type, argv[0], argv[1]);
	to = arg_address(argv[2], atoi(argv[1]), 1);
	add_region(KEY_WRITE, SLOTS * LEN_MAX, UET_MR_WRITE | UET_MR_READ, 0);
	add_region(KEY_RUDI, SLOTS * LEN_MAX, UET_MR_WRITE | UET_MR_READ,
		   UET_MR_IDEMPOTENT_SAFE);
	add_region(KEY_POST, RECEIVES * LEN_MAX, 0, 0);
	add_region(KEY_COUNTERS, COUNTERS * sizeof(uint64_t),
		   UET_MR_ATOMIC | UET_MR_READ, 0);
	for (int i = 0; i < RECEIVES; i++)
		post_receive(i);
	printf("ready\n");
	fflush(stdout);
	pfd = (struct pollfd){ me.fd, POLLIN, 0 };
	for (;;) {
		poll(&pfd, 1, -1);
		while (complete(&rec))
			serve_receive(&rec, &to);
		while (receive(buf, sizeof(buf), &len, &ctx, &from))
			serve_message(buf, len, &ctx, &from);
	}
}

/* ----------------------------------------------------------------- driving */

struct control {
	union {
		char bytes[320];
		struct cmsghdr align;
	} space;
	size_t len;
};

static void add_cmsg(struct control *c, int type, const void *data, size_t len)
{
	struct cmsghdr *cmsg = (void *)&c->space.bytes[c->len];

	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	c->len += CMSG_SPACE(len);
}

/* Control messages of an operation, with the cookie of its slot. */
static struct control control_of(int slot, int opcode, uint8_t flags)
{
	struct uet_op op = {
		.cookie = slot, .opcode = opcode,
		.flags = UET_OP_COMPLETE | flags,
	};
	struct control c = { .len = 0 };

	add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	return c;
}

static void issue(struct control *c, const void *buf, size_t len)
{
	int flags = fuzz_one_in(&me.rnd, 2) ? MSG_ZEROCOPY : 0;
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &c->space, .msg_controllen = c->len,
	};

	if (sendmsg(me.fd, &msg, flags) != (ssize_t)len)
		fail("an operation of %zu bytes cannot be sent", len);
}

static uint32_t any_length(void)
{
	static const struct { uint32_t percent, limit; } parts[] = {
		{ 15, 17 }, { 60, 8193 }, { 90, 65537 }, { 98, 262145 },
		{ 100, LEN_MAX + 1 },
	};
	uint32_t dice = fuzz_below(&me.rnd, 100);

	for (int i = 0;; i++)
		if (dice < parts[i].percent)
			return fuzz_below(&me.rnd, parts[i].limit);
}

static void make_bytes(struct slot *s)
{
	uint32_t i, word;

	s->len = any_length();
	for (i = 0; i < s->len; i += sizeof(word)) {
		word = fuzz_u32(&me.rnd);
		memcpy(s->data + i, &word, sizeof(word));
	}
	s->crc = crc_of(s->data, s->len);
}

/* To be answered: all kinds of sends, and WRITE with completion data. */
static void begin_message(int slot)
{
	static const uint8_t opcodes[] = {
		UET_OP_SEND, UET_OP_TAGGED_SEND, UET_OP_WRITE,
		UET_OP_DEFERRABLE_TSEND, UET_OP_RENDEZVOUS_TSEND,
	};
	struct slot *s = &me.slot[slot];
	struct label label = { .crc = s->crc, .slot = slot, .kind = s->kind };
	struct control c = control_of(slot, opcodes[s->kind], 0);
	struct uet_rma at = { KEY_WRITE, (uint64_t)slot * LEN_MAX };
	struct uet_local all = { KEY_OUT, (uint64_t)slot * LEN_MAX, s->len };
	uint64_t match = is_late(s->kind) ? SLOTS + slot : slot;
	uint32_t len = s->len;

	add_cmsg(&c, UET_CMSG_HDATA, &label, sizeof(label));
	if (s->kind == K_NOTIFY)
		add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	else if (s->kind != K_SEND)
		add_cmsg(&c, UET_CMSG_TAG, &match, sizeof(match));
	if (s->kind == K_MEET) {
		add_cmsg(&c, UET_CMSG_LOCAL, &all, sizeof(all));
		len = fuzz_below(&me.rnd, s->len + 1);
	}
	s->open = 2;
	me.tally.messages[s->kind]++;
	me.tally.bytes += s->len;
	issue(&c, s->data, len);
}

/* Where a slot writes to and reads from. */
static struct uet_rma place_of(int slot)
{
	bool is_rudi = me.slot[slot].kind == K_RUDI;

	return (struct uet_rma){
		is_rudi ? KEY_RUDI | UET_MR_KEY_IDEMPOTENT_SAFE : KEY_WRITE,
		(uint64_t)slot * LEN_MAX,
	};
}

static void begin_write(int slot)
{
	struct slot *s = &me.slot[slot];
	struct control c = control_of(slot, UET_OP_WRITE, s->flags);
	struct uet_rma at = place_of(slot);

	add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	issue(&c, s->data, s->len);
}

static void begin_read_back(int slot)
{
	struct slot *s = &me.slot[slot];
	struct control c = control_of(slot, UET_OP_READ, s->flags);
	struct uet_local local = { KEY_BACK, (uint64_t)slot * LEN_MAX, s->len };
	struct uet_rma at = place_of(slot);

	s->is_back = true;
	s->open = 1;
	memset(me.mem[KEY_BACK] + local.offset, 0xa5, s->len);
	add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	issue(&c, NULL, 0);
}

/* Add to some counters, or to one and be told what was there. */
static void begin_atomic(int slot)
{
	struct slot *s = &me.slot[slot];
	bool is_fetch = s->kind == K_FETCH;
	struct control c = control_of(slot, is_fetch ? UET_OP_FETCHING_ATOMIC :
						       UET_OP_ATOMIC, 0);
	struct uet_atomic amo = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	struct uet_local local = { KEY_BACK, (uint64_t)slot * LEN_MAX, 8 };
	uint32_t n = is_fetch ? 1 : 1 + fuzz_below(&me.rnd, ADDENDS_MAX);
	uint32_t first = fuzz_below(&me.rnd, COUNTERS - n + 1), i;
	struct uet_rma at = { KEY_COUNTERS, first * sizeof(uint64_t) };
	uint64_t *addend = (void *)s->data;

	for (i = 0; i < n; i++) {
		addend[i] = fuzz_u32(&me.rnd);
		me.sum[first + i] += addend[i];
	}
	s->len = n * sizeof(*addend);
	add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	add_cmsg(&c, UET_CMSG_ATOMIC, &amo, sizeof(amo));
	if (is_fetch)
		add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	issue(&c, s->data, s->len);
}

static void begin(int slot)
{
	struct slot *s = &me.slot[slot];
	struct control c;

	s->kind = fuzz_below(&me.rnd, KINDS);
	s->is_busy = true;
	s->is_back = false;
	s->flags = s->kind == K_RUDI ? UET_OP_RUDI : 0;
	s->open = 1;
	me.begun++;
	me.of_kind[s->kind]++;
	switch (s->kind) {
	case K_ADD:
	case K_FETCH:
		begin_atomic(slot);
		return;
	case K_NO_OP:
		s->len = 0;
		c = control_of(slot, UET_OP_NO_OP, 0);
		issue(&c, NULL, 0);
		return;
	default:
		make_bytes(s);
	}
	if (s->kind == K_WRITE || s->kind == K_RUDI)
		begin_write(slot);
	else
		begin_message(slot);
}

/* A part of what it waits for has come. */
static void advance(int slot)
{
	struct slot *s = &me.slot[slot];
	char text[16];

	if (!s->is_busy || !s->open)
		fail("slot %d (%s) ends twice", slot, kind_names[s->kind]);
	if (--s->open)
		return;
	if ((s->kind == K_WRITE || s->kind == K_RUDI) && !s->is_back) {
		begin_read_back(slot);
		return;
	}
	if (s->is_back && memcmp(me.mem[KEY_BACK] + (size_t)slot * LEN_MAX,
				 s->data, s->len))
		fail("slot %d (%s): %u bytes are not what was written", slot,
		     kind_names[s->kind], s->len);
	s->is_busy = false;
	me.ended++;
	if (me.progress >= 0 &&
	    pwrite(me.progress, text, sprintf(text, "%u\n", me.ended), 0) < 0)
		fail("progress");
}

static void take_completions(void)
{
	struct uet_completion rec;
	uint64_t length;

	while (complete(&rec)) {
		length = 0;
		for (uint32_t i = 0; i < rec.count; i++) {
			if (rec.cookie + i >= SLOTS)
				fail("cookie %llu", (unsigned long long)rec.cookie);
			length += me.slot[rec.cookie + i].len;
		}
		if (rec.length != length)
			fail("%u bytes were executed, not %llu", rec.length,
			     (unsigned long long)length);
		for (uint32_t i = 0; i < rec.count; i++)
			advance(rec.cookie + i);
	}
}

static void take_answers(void)
{
	struct sockaddr_uet from;
	struct uet_ctx ctx;
	struct echo echo;
	struct slot *s;
	size_t len;

	while (receive(&echo, sizeof(echo), &len, &ctx, &from)) {
		s = &me.slot[echo.label.slot % SLOTS];
		if (len != sizeof(echo) || echo.label.slot >= SLOTS ||
		    echo.label.kind != s->kind || echo.length != s->len)
			fail("answer about %s of %llu bytes, not %s of %u",
			     kind_names[echo.label.kind % KINDS],
			     (unsigned long long)echo.length,
			     kind_names[s->kind], s->len);
		if (echo.label.crc != s->crc)
			fail("%s of %u bytes: CRC 0x%08x, not 0x%08x",
			     kind_names[s->kind], s->len, echo.label.crc,
			     s->crc);
		advance(echo.label.slot);
	}
}

static void wait_for_news(int msec)
{
	struct pollfd pfd = { me.fd, POLLIN, 0 };

	if (poll(&pfd, 1, msec) > 0)
		return;
	for (int i = 0; i < SLOTS; i++)
		if (me.slot[i].is_busy)
			fprintf(stderr, "slot %d: %s of %u bytes%s, %d open\n",
				i, kind_names[me.slot[i].kind], me.slot[i].len,
				me.slot[i].is_back ? ", read back" : "",
				me.slot[i].open);
	fail("nothing happens any more");
}

/* The counters of the peer are what was added to them. */
static void check_sums(int msec)
{
	struct uet_local local = { KEY_BACK, 0, sizeof(me.sum) };
	struct uet_rma at = { KEY_COUNTERS, 0 };
	struct control c = control_of(0, UET_OP_READ, 0);

	add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	me.slot[0] = (struct slot){ .kind = K_NO_OP, .is_busy = true, .open = 1,
				    .len = sizeof(me.sum) };
	issue(&c, NULL, 0);
	while (me.slot[0].is_busy) {
		wait_for_news(msec);
		take_completions();
	}
	if (memcmp(me.mem[KEY_BACK], me.sum, sizeof(me.sum)))
		fail("the counters are not what was added to them");
}

static void say_bye(void)
{
	struct label label = { .kind = K_BYE };
	struct control c = { .len = 0 };

	add_cmsg(&c, UET_CMSG_HDATA, &label, sizeof(label));
	issue(&c, &me.tally, sizeof(me.tally));
	if (shutdown(me.fd, SHUT_WR))
		fail("shutdown");
	printf("drove operations=%u bytes=%llu", me.limit,
	       (unsigned long long)me.tally.bytes);
	for (int i = 0; i < KINDS; i++)
		printf(" %s=%llu", kind_names[i],
		       (unsigned long long)me.of_kind[i]);
	printf("\n");
}

static void drive(int type, char **argv)
{
	struct sockaddr_uet to = arg_address(argv[2], atoi(argv[1]), 1);
	const char *scale = getenv("UET_TEST_SCALE");
	int i, msec = 60000 * (scale ? atoi(scale) : 1);

	me.limit = strtoul(argv[3], NULL, 0);
	me.rnd = fuzz_rand(strtoul(argv[4], NULL, 0));
	open_endpoint(type, argv[0], argv[1]);
	if (connect(me.fd, (void *)&to, sizeof(to)))
		fail("connect");
	add_region(KEY_OUT, SLOTS * LEN_MAX, UET_MR_READ, 0);
	add_region(KEY_BACK, SLOTS * LEN_MAX, 0, 0);
	for (i = 0; i < SLOTS; i++)
		me.slot[i].data = me.mem[KEY_OUT] + (size_t)i * LEN_MAX;
	while (me.ended < me.limit) {
		for (i = 0; i < SLOTS; i++)
			if (!me.slot[i].is_busy && me.begun < me.limit)
				begin(i);
		wait_for_news(msec);
		take_completions();
		take_answers();
	}
	check_sums(msec);
	say_bye();
}

static int usage(void)
{
	fprintf(stderr, "usage: mixed serve [-o] ADDR PID PEER-ADDR\n"
			"       mixed drive [-o] [-P FILE] ADDR PID PEER-ADDR OPERATIONS SEED\n");
	return 2;
}

int main(int argc, char **argv)
{
	int type = SOCK_RDM, opt;

	if (argc < 2)
		return usage();
	me.role = *++argv;
	argc--;
	while ((opt = getopt(argc, argv, "oP:")) != -1) {
		if (opt == 'o')
			type = SOCK_SEQPACKET;
		else if (opt == 'P')
			me.progress = open(optarg, O_WRONLY | O_CREAT, 0600);
		else
			return usage();
	}
	argv += optind;
	argc -= optind;
	if (!strcmp(me.role, "serve") && argc == 3)
		serve(type, argv);
	else if (!strcmp(me.role, "drive") && argc == 5)
		drive(type, argv);
	else
		return usage();
	return 0;
}
