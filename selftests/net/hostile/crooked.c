// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the place of a peer and answers a sender's requests as no honest target would:
 * windows and acknowledgments of any value, refusals of every code, wishes nobody has,
 * responses to other messages, answers again and late; then silence.  It delivers
 * nothing.  Violations by the sender are counted, whatever the answers: a request
 * beyond the window that it was granted.  One line of key=value tells at SIGTERM.
 * Level: test.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 3.4 (SES), windows: 3.5.12.2.
 */
#include <err.h>
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "rawpkt.h"

#define MPR_UNIT	128
#define OUR_PDCID(id)	((id) ^ 0x5a5a ?: 1)
#define KEPT_MAX	1024
#define SEEN_MAX	1024	/* PSNs; more than any window of a sender */
#define REQ_BYTES	12
#define SES_BYTES	44
#define READ_MTU	4096
#define NH_DATA		5
#define NACK_NO_RESOURCE 0x0a
#define NACK_ROD_OOO	0x0d
#define SES_DEFERRABLE	8
#define LATE		8	/* transmissions of a packet until it is answered late */
#define MSGS_MAGIC	0x55455431u	/* see msgs.c */

enum { REQ_CLEAR = 2, REQ_CLOSE = 4 };
enum { CTL_CLEAR_REQUEST = 3, CTL_CLOSE_COMMAND = 4, CTL_CLOSE_REQUEST = 5,
       CTL_CREDIT = 7 };

/* The known state of a PDC, by the PDCID its initiator gave it. */
struct pdc {
	bool used;
	uint32_t start;
	uint32_t top;		/* highest PSN seen */
	uint32_t base;		/* first PSN not seen */
	bool seen[SEEN_MAX];	/* from base on, at psn % SEEN_MAX */
	uint32_t told;		/* highest CACK_PSN told that can be believed */
	uint32_t window;	/* widest that was granted */
	bool closes;		/* a CLOSE_REQUEST was sent */
	uint32_t back;		/* requests sent in the return direction */
	uint32_t waits;		/* deferrable sends that were not answered */
};

/* The message of msgs: how many messages began, how many not in their turn. */
static uint64_t nr_messages, nr_disorder;

/* A packet that came. */
struct came {
	struct pdc *pdc;
	uint16_t id;
	uint32_t psn;
	bool retx, is_cp, is_rod;
	unsigned int ctl, opcode;
	uint16_t mid;
	uint32_t length;
	uint32_t token;		/* of who sent a deferrable message */
};

static struct pdc pdcs[65536];
static struct packet kept[KEPT_MAX];
static unsigned int nr_kept, next_code;
static struct sockaddr_storage self, peer, from;
static int in_fd, out_fd;
static struct fuzz_rand rnd;
static uint64_t nr_requests, nr_answers, nr_beyond, nr_pdcs, nr_closed;
static uint32_t most;		/* packets of a PDC not acknowledged */
static uint32_t limit = 1000, default_mpr = 1;
static volatile sig_atomic_t over;

/* ---------------------------------------------------------------- answers */

static void transmit(const struct packet *p)
{
	while (send(out_fd, p->bytes, p->len, 0) < 0)
		if (errno != ENOBUFS && errno != ECONNREFUSED)
			err(1, "send");
	nr_answers++;
}

static void emit(struct packet *p)
{
	put(p, raw_crc(&from, &peer, NULL, p), CRC_BYTES);
	transmit(p);
	kept[nr_kept++ % KEPT_MAX] = *p;
}

static void put_ack(struct packet *p, const struct came *c, unsigned int type,
		    unsigned int next_hdr, unsigned int flags, uint32_t cack)
{
	p->len = 0;
	put_prologue(p, type, next_hdr, flags | (c->retx ? F_RETX : 0));
	put(p, (c->psn - cack) & 0xffff, 2);
	put(p, cack, 4);
	put(p, OUR_PDCID(c->id), 2);
	put(p, c->id, 2);
}

static void put_cc(struct packet *p, uint8_t mpr, uint16_t offset,
		   uint64_t bitmap)
{
	put(p, 0, 1);
	put(p, mpr, 1);
	put(p, offset, 2);
	put(p, bitmap, 8);
	put(p, 0, 8);
}

static void put_cp(struct packet *p, const struct came *c, unsigned int ctl,
		   uint32_t psn, uint32_t payload)
{
	p->len = 0;
	put_prologue(p, CP, ctl, F_AR);
	put(p, 0, 2);
	put(p, psn, 4);
	put(p, OUR_PDCID(c->id), 2);
	put(p, c->id, 2);
	put(p, payload, 4);
}

static void put_nack(struct packet *p, const struct came *c, uint8_t code,
		     uint32_t payload)
{
	p->len = 0;
	put_prologue(p, NACK, NH_NONE, c->retx ? F_RETX : 0);
	put(p, code, 1);
	put(p, 0, 1);
	put(p, c->psn, 4);
	put(p, OUR_PDCID(c->id), 2);
	put(p, c->id, 2);
	put(p, payload, 4);
}

/* what of the 64 PSNs from base on was seen: bit i is base + i */
static uint64_t sack_bitmap(const struct pdc *pdc)
{
	uint64_t bitmap = 0;
	unsigned int i;

	for (i = 0; i < 64; i++)
		bitmap |= (uint64_t)pdc->seen[(pdc->base + i) % SEEN_MAX] << i;
	return bitmap;
}

/* honest_flags - an ACK_CC of all that came, with these flags */
static void honest_flags(const struct came *c, unsigned int flags)
{
	struct packet p;
	uint32_t cack = c->pdc->base - 1;

	put_ack(&p, c, ACK_CC, NH_NONE, flags, cack);
	put_cc(&p, 1, 1, sack_bitmap(c->pdc));
	c->pdc->told = cack;
	emit(&p);
}

/* nothing - an ACK_CC of this packet alone, whose CACK_PSN stays behind */
static void nothing(const struct came *c, uint8_t mpr, uint16_t offset,
		    uint64_t bitmap)
{
	struct packet p;

	put_ack(&p, c, ACK_CC, NH_NONE, 0, c->pdc->start - 1);
	put_cc(&p, mpr, offset, bitmap);
	if (mpr * MPR_UNIT > c->pdc->window)
		c->pdc->window = mpr * MPR_UNIT;
	emit(&p);
}

static uint32_t noise(void)
{
	return fuzz_u32(&rnd);
}

/* -------------------------------------------------------------- behaviours */

static void how_honest(const struct came *c)
{
	honest_flags(c, 0);
}

static void how_mpr_0(const struct came *c)
{
	nothing(c, 0, 1, 0);
}

static void how_mpr_255(const struct came *c)
{
	nothing(c, 255, 1, 0);
}

/* cack_ahead - of all that a window allows */
static void how_cack_ahead(const struct came *c)
{
	struct packet p;

	put_ack(&p, c, ACK, NH_NONE, 0, c->pdc->top + 2000 + noise() % 1000000);
	emit(&p);
}

static void how_cack_behind(const struct came *c)
{
	struct packet p;

	put_ack(&p, c, ACK, NH_NONE, 0, c->pdc->start - 0x10000 - noise() % 1000000);
	emit(&p);
}

static void how_sack_never(const struct came *c)
{
	nothing(c, 1, 2000 + noise() % 10000, ~0ull);
}

static void how_sack_base(const struct came *c)
{
	nothing(c, 1, noise(), (uint64_t)noise() << 32 | noise());
}

/*
 * others - what would be right for another PDC, or came from one.  The first that
 * is for this one is believed, and tells which PDCID is ours.
 */
static void how_others(const struct came *c)
{
	struct came other = *c;
	struct packet p;

	other.id = noise();
	put_ack(&p, &other, ACK, NH_NONE, 0, c->pdc->base - 1);
	emit(&p);
	put_ack(&p, c, ACK, NH_NONE, 0, c->pdc->base - 1);
	p.bytes[8] = noise();
	c->pdc->told = c->pdc->base - 1;
	emit(&p);
}

/* req_clear - of what was sent, and of what never was */
static void how_req_clear(const struct came *c)
{
	uint32_t ahead = noise() % 2 ? noise() % 3 : 2000 + noise() % 1000;
	struct packet p;

	honest_flags(c, REQ_CLEAR);
	put_cp(&p, c, CTL_CLEAR_REQUEST, noise(), c->pdc->told + ahead);
	emit(&p);
}

static void how_req_close(const struct came *c)
{
	honest_flags(c, REQ_CLOSE);
}

/* ask_close - once */
static void ask_close(const struct came *c)
{
	struct packet p;

	if (c->pdc->closes)
		return;
	c->pdc->closes = true;
	put_cp(&p, c, CTL_CLOSE_REQUEST, c->pdc->start, 0);
	emit(&p);
}

/* close_request - once, soon; then the close is waited for */
static void how_close_request(const struct came *c)
{
	if (c->psn - c->pdc->start >= 8)
		ask_close(c);
	honest_flags(c, 0);
}

static void how_credit(const struct came *c)
{
	struct packet p;

	put_cp(&p, c, CTL_CREDIT, 0, noise());
	emit(&p);
	put_ack(&p, c, ACK_CC, NH_NONE, 0, c->pdc->base - 1);
	put(&p, 0x10, 1);
	put(&p, noise() % 3, 1);
	put(&p, 1, 2);
	put(&p, 0, 8);
	put(&p, (uint64_t)noise() << 32 | noise(), 8);
	c->pdc->told = c->pdc->base - 1;
	c->pdc->window = 2 * MPR_UNIT;
	emit(&p);
}

/* nack - each code in turn */
static void how_nack(const struct came *c)
{
	struct packet p;

	put_nack(&p, c, next_code++, noise() % 2 ? noise() : c->pdc->start);
	emit(&p);
}

/* full - no resources, for ever */
static void how_full(const struct came *c)
{
	struct packet p;

	put_nack(&p, c, NACK_NO_RESOURCE, 0);
	emit(&p);
}

/* response - to any message, of any code and length */
static void how_response(const struct came *c)
{
	struct packet p;

	put_ack(&p, c, ACK, NH_RESPONSE, 0, c->pdc->base - 1);
	put(&p, noise() % 4, 1);
	put(&p, noise() % 64, 1);
	put(&p, noise() % 2 ? c->mid : noise(), 2);
	put(&p, noise(), 4);
	put(&p, noise(), 4);
	if (!(noise() % 4))
		p.len -= noise() % 12;
	c->pdc->told = c->pdc->base - 1;
	emit(&p);
}

/* unread - a response of an opcode that is reserved, to each packet */
static void how_unread(const struct came *c)
{
	struct packet p;

	put_ack(&p, c, ACK, NH_RESPONSE, 0, c->pdc->base - 1);
	put(&p, 0x2a01, 2);
	put(&p, c->mid, 2);
	put(&p, 1, 4);
	put(&p, 0, 4);
	c->pdc->told = c->pdc->base - 1;
	emit(&p);
}

/*
 * put_data - a response with @len bytes of data, which it says are @said at @offset
 * of the message that is asked for
 */
static void put_data(struct packet *p, const struct came *c, uint32_t offset,
		     uint32_t said, size_t len)
{
	put(p, 0x0201, 2);
	put(p, 0, 6);
	put(p, noise() % 8 ? c->mid : noise(), 2);
	put(p, said & 0x3fff, 2);
	put(p, len, 4);
	put(p, offset, 4);
	memset(p->bytes + p->len, 0x5a, len);
	p->len += len;
}

/* put_back - a request in the return direction, that brings data */
static void put_back(struct packet *p, const struct came *c)
{
	p->len = 0;
	put_prologue(p, RUD_REQ, NH_DATA, F_AR);
	put(p, 0xffff, 2);
	put(p, c->pdc->start + c->pdc->back++, 4);
	put(p, OUR_PDCID(c->id), 2);
	put(p, c->id, 2);
}

static uint32_t any_offset(void)
{
	static const uint32_t edges[] = { 0, 1, READ_MTU, 2 * READ_MTU,
					  0x7fffffff, 0xfffff000 };

	return noise() % 4 ? edges[noise() % 6] : noise();
}

static uint32_t any_length(const struct came *c)
{
	const uint32_t edges[] = { 0, 1, 16, 17, READ_MTU, READ_MTU + 1,
				   c->length, c->length + 1 };

	return edges[noise() % 8] % (2 * READ_MTU);
}

/* data_any - of any place and length, in ACKs and behind them */
static void how_data_any(const struct came *c)
{
	uint32_t len = any_length(c);
	struct packet p;

	if (noise() % 2) {
		put_ack(&p, c, ACK, NH_DATA, 0, c->pdc->base - 1);
		c->pdc->told = c->pdc->base - 1;
	} else {
		honest_flags(c, 0);
		put_back(&p, c);
	}
	put_data(&p, c, any_offset(), noise() % 8 ? len : noise(), len);
	emit(&p);
}

/* data_twice - the first packet of what is asked for, again and again */
static void how_data_twice(const struct came *c)
{
	uint32_t len = c->length < READ_MTU ? c->length : READ_MTU;
	struct packet p;
	int i;

	honest_flags(c, 0);
	for (i = 0; i < 2; i++) {
		put_back(&p, c);
		put_data(&p, c, 0, len, len);
		emit(&p);
	}
}

/* put_off - a deferrable send is deferred, whatever it says */
static void how_put_off(const struct came *c)
{
	struct packet p;

	put_ack(&p, c, ACK, NH_RESPONSE, 0, c->pdc->base - 1);
	put(&p, 0x4101, 2);		/* OVERFLOW, RESPONSE, OK */
	put(&p, c->mid, 2);
	put(&p, 1, 4);
	put(&p, 0, 4);
	c->pdc->told = c->pdc->base - 1;
	emit(&p);
}

/* put_rtr - ask for a message, on a PDC of its own */
static void put_rtr(uint32_t token, uint32_t job, uint32_t length)
{
	static uint16_t id = 0x100;
	struct packet p = { .len = 0 };

	put_prologue(&p, RUD_REQ, NH_STD, F_SYN | F_AR);
	put(&p, 0xffff, 2);
	put(&p, 1000, 4);
	put(&p, id++, 2);
	put(&p, 0, 2);
	put(&p, 0x0c, 1);
	put(&p, SES_REL | SES_SOM | SES_EOM, 1);
	put(&p, 1, 2);
	put(&p, job, 4);
	put(&p, 0x00050001, 4);		/* PIDonFEP, Resource Index */
	put(&p, 0, 8);
	put(&p, 0x1001, 4);
	put(&p, token, 4);
	put(&p, 7, 4);			/* our token */
	put(&p, 0, 8);
	put(&p, length, 4);
	emit(&p);
}

/* restart - defers, asks for what it has no right to, and defers again */
static void how_restart(const struct came *c)
{
	static bool has_asked;

	how_put_off(c);
	if (c->is_cp || has_asked)
		return;
	has_asked = true;
	put_rtr(c->token ^ 1, 1, c->length);
	put_rtr(c->token ^ 0x1000, 1, c->length);
	put_rtr(c->token, 2, c->length);
	put_rtr(c->token, 1, c->length + 1);
	put_rtr(c->token, 1, c->length);
}

/* defer_late - asks for a close, and defers the message in progress long after it */
static void how_defer_late(const struct came *c)
{
	if (c->is_cp || c->opcode != SES_DEFERRABLE)
		how_honest(c);
	else if (++c->pdc->waits == LATE)
		how_put_off(c);
	else if (c->pdc->waits < LATE)
		ask_close(c);
}

/* again - every answer many times, and others of long ago */
static void how_again(const struct came *c)
{
	int i;

	honest_flags(c, 0);
	for (i = 0; i < 4; i++)
		transmit(&kept[(nr_kept - 1) % KEPT_MAX]);
	for (i = 0; i < 4; i++)
		transmit(&kept[noise() % (nr_kept < KEPT_MAX ? nr_kept : KEPT_MAX)]);
}

static void how_mixed(const struct came *c);

static const struct {
	const char *name;
	void (*answer)(const struct came *c);
	const char *what;
} hows[] = {
	{ "honest", how_honest, "all that came, at once" },
	{ "mpr_0", how_mpr_0, "a window of 0, CACK_PSN never moves" },
	{ "mpr_255", how_mpr_255, "the widest window, CACK_PSN never moves" },
	{ "cack_ahead", how_cack_ahead, "CACK_PSN of what was never sent" },
	{ "cack_behind", how_cack_behind, "CACK_PSN of long ago" },
	{ "sack_never", how_sack_never, "SACK of what was never sent" },
	{ "sack_base", how_sack_base, "SACK of anything" },
	{ "others", how_others, "ACKs for other PDCs" },
	{ "req_clear", how_req_clear, "wants a clear with everything" },
	{ "req_close", how_req_close, "wants a close with everything" },
	{ "close_request", how_close_request, "CLOSE_REQUEST in the middle" },
	{ "credit", how_credit, "credits" },
	{ "nack", how_nack, "NACKs of every code" },
	{ "response", how_response, "responses of any kind" },
	{ "unread", how_unread, "responses that cannot be read" },
	{ "data_any", how_data_any, "data of any place and length" },
	{ "data_twice", how_data_twice, "the same data twice" },
	{ "put_off", how_put_off, "defers everything" },
	{ "again", how_again, "answers again and again" },
	{ "mixed", how_mixed, "any of these" },
	/*
	 * Answers that open PDCs of their own are not for the mix: they end after a
	 * minute.  Nor are those that keep a PDC for long, or for ever.
	 */
	{ "restart", how_restart, "defers, asks for it, and defers again" },
	{ "defer_late", how_defer_late, "CLOSE_REQUEST, and defers what it interrupts" },
	{ "full", how_full, "refuses everything for lack of resources" },
};

#define NR_HOWS (sizeof(hows) / sizeof(hows[0]))

static void how_mixed(const struct came *c)
{
	hows[noise() % (NR_HOWS - 4)].answer(c);
}

/* ------------------------------------------------------------- what comes */

/* Is it beyond the window that was granted?  UE 1.0.1 3.5.12.2. */
static void judge(const struct came *c)
{
	int32_t ahead = c->psn - c->pdc->told;

	nr_requests++;
	if (ahead > (int32_t)c->pdc->window)
		nr_beyond++;
	if (ahead > (int32_t)most)
		most = ahead;
}

/* The first packet of a message by msgs, which numbers them. */
static void note_message(const uint8_t *b, size_t len)
{
	uint32_t head[3];

	if (len < REQ_BYTES + SES_BYTES + sizeof(head) ||
	    !(b[REQ_BYTES + 1] & SES_SOM))
		return;
	memcpy(head, b + REQ_BYTES + SES_BYTES, sizeof(head));
	if (head[0] != MSGS_MAGIC)
		return;
	nr_disorder += head[2] != nr_messages;
	nr_messages++;
}

static void take(struct came *c, const uint8_t *b, size_t len)
{
	struct pdc *pdc = c->pdc;
	bool *seen = &pdc->seen[c->psn % SEEN_MAX];
	uint32_t ahead = c->psn - pdc->base;

	if ((int32_t)(c->psn - pdc->top) > 0)
		pdc->top = c->psn;
	if (ahead >= SEEN_MAX || *seen)
		return;
	if (!c->is_cp)
		note_message(b, len);
	*seen = true;
	while (pdc->seen[pdc->base % SEEN_MAX])
		pdc->seen[pdc->base++ % SEEN_MAX] = false;
}

static void open_pdc(struct pdc *pdc, uint32_t start)
{
	if (pdc->used && pdc->start == start)
		return;
	*pdc = (struct pdc){
		.used = true, .start = start, .top = start - 1, .base = start,
		.told = start - 1, .window = default_mpr * MPR_UNIT,
	};
	nr_pdcs++;
}

/* Return: false if it is nothing that has to be answered. */
static bool parse(const uint8_t *b, size_t len, struct came *c)
{
	unsigned int type = b[0] >> 3, flags;

	if (len < REQ_BYTES + CRC_BYTES)
		return false;
	c->is_cp = type == CP;
	c->is_rod = type == ROD_REQ;
	c->ctl = (b[0] & 7) << 1 | b[1] >> 7;
	if (type != RUD_REQ && type != ROD_REQ && !c->is_cp)
		return false;
	/* A CLOSE_COMMAND has a PSN, and so has a NOOP. */
	if (c->is_cp && c->ctl && c->ctl != CTL_CLOSE_COMMAND)
		return false;
	flags = b[1] & 0x7f;
	c->retx = flags & F_RETX;
	c->psn = get_be(b + 4, 4);
	c->id = get_be(b + 8, 2);
	c->mid = len > REQ_BYTES + 4 ? get_be(b + REQ_BYTES + 2, 2) : 0;
	c->opcode = len > REQ_BYTES + 4 ? b[REQ_BYTES] & 0x3f : 0;
	c->length = len >= REQ_BYTES + SES_BYTES ?
		    get_be(b + REQ_BYTES + 40, 4) : 0;
	c->token = len >= REQ_BYTES + SES_BYTES ?
		   get_be(b + REQ_BYTES + 12, 4) : 0;
	c->pdc = &pdcs[c->id];
	if (flags & F_SYN)
		open_pdc(c->pdc, c->psn - (get_be(b + 10, 2) & 0xfff));
	return c->pdc->used;
}

/* A close is answered whatever else is done, or the test would wait for it. */
static void answer(const struct came *c, void (*how)(const struct came *c))
{
	if (c->is_cp && c->ctl == CTL_CLOSE_COMMAND && how != how_mixed) {
		nr_closed++;
		honest_flags(c, 0);
	} else {
		how(c);
	}
}

/* Ordered packets out of their turn are refused whatever else is done. */
static bool is_refused(const struct came *c)
{
	struct packet p;

	if (!c->is_rod || (int32_t)(c->psn - c->pdc->base) <= 0)
		return false;
	put_nack(&p, c, NACK_ROD_OOO, c->pdc->base);
	emit(&p);
	return true;
}

static void serve(void (*how)(const struct came *c))
{
	static uint8_t buf[PACKET_MAX];
	struct pollfd pfd = { in_fd, POLLIN, 0 };
	struct came c;
	ssize_t len;

	while (!over) {
		if (poll(&pfd, 1, -1) < 0)
			continue;
		len = recv(in_fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (len <= 0 || !parse(buf, len, &c))
			continue;
		judge(&c);
		if (is_refused(&c))
			continue;
		take(&c, buf, len);
		if (nr_requests <= limit)
			answer(&c, how);
	}
}

/* ----------------------------------------------------------- the program */

static socklen_t parse_address(struct sockaddr_storage *ss, const char *text,
			       uint16_t port)
{
	struct sockaddr_in *sa = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, text, &sa->sin_addr) != 1)
		errx(1, "'%s' is no IPv4 address", text);
	sa->sin_family = AF_INET;
	sa->sin_port = htons(port);
	return sizeof(*sa);
}

static int open_socket(const char *fa, uint16_t port,
		       struct sockaddr_storage *name)
{
	socklen_t len = parse_address(name, fa, port);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1, size = 16 << 20;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(fd, (const void *)name, len))
		err(1, "%s", fa);
	return fd;
}

static void end(int sig)
{
	(void)sig;
	over = 1;
}

static void usage(void)
{
	size_t i;

	fprintf(stderr,
		"usage: crooked [OPTIONS] HOW FA PEER\n"
		"  -n COUNT   requests that are answered, then silence (1000)\n"
		"  -c CODE    nack: the first one (0)\n"
		"  -m MPR     window the sender assumes at first, x 128 (1)\n"
		"  -S SEED    of all that is random (1)\n"
		"how:\n");
	for (i = 0; i < NR_HOWS; i++)
		fprintf(stderr, "  %-14s %s\n", hows[i].name, hows[i].what);
	exit(2);
}

static size_t find_how(const char *name)
{
	size_t i;

	for (i = 0; i < NR_HOWS; i++)
		if (!strcmp(hows[i].name, name))
			return i;
	usage();
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	socklen_t len = sizeof(from);
	uint32_t seed = 1;
	size_t how;
	int opt;

	while ((opt = getopt(argc, argv, "n:m:S:c:")) != -1) {
		switch (opt) {
		case 'n': limit = strtoul(optarg, NULL, 0); break;
		case 'm': default_mpr = strtoul(optarg, NULL, 0); break;
		case 'c': next_code = strtoul(optarg, NULL, 0); break;
		case 'S': seed = strtoul(optarg, NULL, 0); break;
		default: usage();
		}
	}
	if (argc - optind != 3)
		usage();
	how = find_how(argv[optind]);
	rnd = fuzz_rand(seed);
	in_fd = open_socket(argv[optind + 1], PORT, &self);
	out_fd = open_socket(argv[optind + 1], 0, &from);
	if (connect(out_fd, (void *)&peer,
		    parse_address(&peer, argv[optind + 2], PORT)) ||
	    getsockname(out_fd, (void *)&from, &len))
		err(1, "%s", argv[optind + 2]);
	sigaction(SIGTERM, &action, NULL);
	printf("ready\n");
	fflush(stdout);
	serve(hows[how].answer);
	printf("requests=%llu answers=%llu beyond=%llu most=%u pdcs=%llu closed=%llu messages=%llu disorder=%llu\n",
	       (unsigned long long)nr_requests, (unsigned long long)nr_answers,
	       (unsigned long long)nr_beyond, most, (unsigned long long)nr_pdcs,
	       (unsigned long long)nr_closed, (unsigned long long)nr_messages,
	       (unsigned long long)nr_disorder);
	return 0;
}
