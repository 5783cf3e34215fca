// SPDX-License-Identifier: GPL-2.0
/*
 * The application at this end of each script of tools/interop/uetpeer: an endpoint
 * that the peer writes to, reads from and sends to, or one that does so to the peer.
 * Started by interop.sh, one test at a time; see uetsock.h for what it needs.
 * UET_KEYFILE is the file that tells the peer the key.  Level: test.
 */
#include <unistd.h>

#include "uetpost.h"
#include "uetrma.h"

#define PAGE	4096
#define SIZE	100
#define LONG	10000
#define BUFFER	16384	/* for received messages, which counts twice */
#define DEFERRED	40000	/* as in uetpeer: longer than that */

/* An endpoint with memory that the peer may use. */
struct end {
	int fd;
	uint8_t *mem;
	uint64_t key;
};

static void write_key(uint64_t key)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s.new", us_env("UET_KEYFILE"));
	file = fopen(path, "w");
	ASSERT(file);
	fprintf(file, "%llx", (unsigned long long)key);
	fclose(file);
	ASSERT_SYS(rename(path, us_env("UET_KEYFILE")));
}

/* The peer starts when the key is there. */
static struct end serve_with(const void *bytes, size_t len)
{
	struct end e = { .fd = us_endpoint(0, 5, 1), .mem = us_map(PAGE) };

	e.key = us_reg(e.fd, e.mem, PAGE,
		       UET_MR_READ | UET_MR_WRITE | UET_MR_ATOMIC);
	memcpy(e.mem, bytes, len);
	write_key(e.key);
	return e;
}

/* Messages until the last one, which says that the script is over. */
static void expect_end(const struct end *e)
{
	char buf[SIZE];
	ssize_t len;

	us_set_timeout(e->fd, SO_RCVTIMEO, 120000);
	do {
		len = recv(e->fd, buf, sizeof(buf), 0);
		ASSERT_SYS(len);
	} while (len != 4 || memcmp(buf, "done", 4));
}

/* An endpoint that sends to that of the peer, which is a program. */
static struct end ask(void)
{
	struct end e = { .fd = us_endpoint(0, UET_PID_ANY, 0),
			 .mem = us_map(4 * PAGE) };
	struct sockaddr_uet to = us_addr(1, 5, 1);

	ASSERT_SYS(us_connect(e.fd, &to));
	e.key = us_reg(e.fd, e.mem, 4 * PAGE, 0);
	return e;
}

/* ------------------------------------------------------- the peer is initiator */

TEST(served__message_and_write_without_eom_arrive)
{
	struct end e = serve_with("", 0);
	char buf[2 * SIZE];

	EXPECT_EQ(recv(e.fd, buf, sizeof(buf), 0), SIZE);
	EXPECT(us_is_filled((uint8_t *)buf, 's', SIZE));
	expect_end(&e);
	EXPECT(us_is_filled(e.mem, 'w', SIZE));
	EXPECT_EQ(e.mem[SIZE], 0);
}

TEST(served__ordered_messages_arrive)
{
	struct end e = serve_with("", 0);
	char buf[2 * SIZE];
	int i;

	for (i = 0; i < 4; i++) {
		EXPECT_EQ(recv(e.fd, buf, sizeof(buf), 0), SIZE);
		EXPECT(us_is_filled((uint8_t *)buf, 'l', SIZE));
	}
	expect_end(&e);
}

/* The message comes in segments that are no Payload MTU of ours. */
TEST(served__message_and_counter_in_host_order_arrive)
{
	uint64_t value = 100;
	struct end e = serve_with(&value, sizeof(value));
	char buf[LONG];

	EXPECT_EQ(recv(e.fd, buf, sizeof(buf), 0), LONG / 2);
	EXPECT(us_is_filled((uint8_t *)buf, 's', LONG / 2));
	expect_end(&e);
	EXPECT_EQ(*(volatile uint64_t *)e.mem, 105);
}

TEST(served__reads_get_their_bytes)
{
	struct end e = serve_with("", 0);

	expect_end(&e);
}

TEST(served__counter_is_a_number_of_this_machine)
{
	uint64_t value = 100;
	struct end e = serve_with(&value, sizeof(value));

	expect_end(&e);
	/* 100 + 5 + 1 = 106, swapped for 7, swapped for 1000. */
	EXPECT_EQ(*(volatile uint64_t *)e.mem, 1000);
}

/* A deferrable message of the peer waits for a receive. */
static struct end serve_deferring(void)
{
	struct end e = serve_with("", 0);
	struct uet_recv_post other = {
		.cookie = ~0ull, .match = ~0ull,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};
	char path[200];

	/* What no receive takes is deferred if the buffer has no space for it. */
	us_set_buf(e.fd, SO_RCVBUF, BUFFER);
	ASSERT_SYS(us_recv_post(e.fd, &other));
	snprintf(path, sizeof(path), "%s.deferred", us_env("UET_KEYFILE"));
	WAIT_FOR(!access(path, F_OK));
	return e;
}

/* The last message goes to a receive as well. */
static void expect_end_received(const struct end *e)
{
	struct us_mem last = us_mem(e->fd, SIZE);
	struct uet_recv_post post = us_want_plain(2, &last);
	struct uet_completion rec;

	ASSERT_SYS(us_recv_post(e->fd, &post));
	rec = us_completion(e->fd);
	EXPECT_EQ(rec.cookie, 2);
	EXPECT_EQ(rec.length, 4);
}

TEST(served__deferred_message_is_restarted_under_its_old_id)
{
	struct end e = serve_deferring();
	struct us_mem mem = us_mem(e.fd, 10 * PAGE);
	struct uet_recv_post post = us_want_plain(1, &mem);
	struct uet_completion rec;

	ASSERT_SYS(us_recv_post(e.fd, &post));
	rec = us_completion(e.fd);
	EXPECT_EQ(rec.cookie, 1);
	EXPECT_EQ(rec.error, 0);
	EXPECT_EQ(rec.length, DEFERRED);
	EXPECT(us_is_filled(mem.buf, 'd', DEFERRED));
	EXPECT_EQ(mem.buf[DEFERRED], 0);
	expect_end_received(&e);
}

/* A receive for a message that its sender no longer has is told so. */
TEST(served__refused_restart_request_has_a_reason)
{
	struct end e = serve_deferring();
	struct us_mem mem = us_mem(e.fd, 10 * PAGE);
	struct uet_recv_post post = us_want_plain(1, &mem);

	ASSERT_SYS(us_recv_post(e.fd, &post));
	WAIT_FOR(us_explains(e.fd,
			     "its sender refused the restart request: no-match"));
}

/* ------------------------------------------------------- the peer is the target */

TEST(asked__read_of_several_packets_is_whole)
{
	struct end e = ask();
	const struct uet_local local = { .key = e.key, .length = LONG };
	const struct us_rma rma = {
		UET_OP_READ, 1, { 0x77, 0 }, NULL, NULL, 0, &local,
	};
	struct uet_completion rec;

	EXPECT_EQ(us_rma(e.fd, &rma, NULL, 0), 0);
	rec = us_completion(e.fd);
	us_expect_done(&rec, 1, 1, LONG);
	EXPECT(us_is_filled(e.mem, 't', LONG));
}

/* What an operation returns, which is in memory as a number of this machine. */
static uint64_t fetch(const struct end *e, const struct uet_atomic *atomic,
		      const void *operand, size_t len)
{
	const struct uet_local local = { .key = e->key };
	const struct us_rma rma = {
		UET_OP_FETCHING_ATOMIC, 1, { 0x77, 0 }, NULL, atomic, 0, &local,
	};
	struct uet_completion rec;

	EXPECT_EQ(us_rma(e->fd, &rma, operand, len), len);
	rec = us_completion(e->fd);
	EXPECT_EQ(rec.error, 0);
	return *(volatile uint64_t *)e->mem;
}

TEST(asked__counter_of_the_peer_is_a_number_of_this_machine)
{
	const struct uet_atomic sum = { .op = UET_AMO_SUM,
					.datatype = UET_DT_UINT64 };
	const struct uet_atomic swap = { .op = UET_AMO_CSWAP,
					 .datatype = UET_DT_UINT64,
					 .compare = 105, .swap = 258 };
	const uint64_t five = 5;
	struct end e = ask();

	EXPECT_EQ(fetch(&e, &sum, &five, sizeof(five)), 100);
	EXPECT_EQ(fetch(&e, &swap, NULL, 0), 105);
}

static void send_whole(int opcode, size_t len)
{
	struct uet_op op = us_op(opcode, 9);
	uint8_t *buf = us_message(9, len);
	struct uet_completion rec;
	struct end e = ask();

	EXPECT_EQ(us_send_op(e.fd, &op, NULL, buf, len, 0), len);
	rec = us_completion(e.fd);
	us_expect_done(&rec, 9, 1, len);
	free(buf);
}

/* One packet: a peer that seals in a script is slow. */
TEST(asked__message_is_answered)
{
	send_whole(UET_OP_SEND, SIZE);
}

TEST(asked__deferred_message_is_sent_when_the_peer_requests_it)
{
	send_whole(UET_OP_DEFERRABLE_SEND, LONG);
}

/* One packet of it is lost, and refused once with all that follow. */
TEST(asked__ordered_message_arrives_after_one_refusal)
{
	struct uet_op op = us_op(UET_OP_SEND, 9);
	uint8_t *buf = us_message(9, 6 * LONG);
	struct sockaddr_uet to = us_addr(1, 5, 1);
	int fd = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0);
	struct uet_completion rec;

	ASSERT_SYS(us_connect(fd, &to));
	EXPECT_EQ(us_send_op(fd, &op, NULL, buf, 6 * LONG, 0), 6 * LONG);
	rec = us_completion(fd);
	us_expect_done(&rec, 9, 1, 6 * LONG);
	free(buf);
}

TEST(asked__message_and_counter_in_host_order_are_answered)
{
	const struct uet_atomic sum = { .op = UET_AMO_SUM,
					.datatype = UET_DT_UINT64 };
	const struct us_rma rma = {
		UET_OP_ATOMIC, 2, { 0x77, 0 }, NULL, &sum, 0, NULL,
	};
	struct uet_op op = us_op(UET_OP_SEND, 9);
	uint8_t *buf = us_message(9, LONG / 2);
	struct sockaddr_uet to = us_addr(1, 5, 1);
	int fd = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0);
	struct uet_completion rec;
	const uint64_t seven = 7;

	ASSERT_SYS(us_connect(fd, &to));
	EXPECT_EQ(us_send_op(fd, &op, NULL, buf, LONG / 2, 0), LONG / 2);
	rec = us_completion(fd);
	us_expect_done(&rec, 9, 1, LONG / 2);
	EXPECT_EQ(us_rma(fd, &rma, &seven, sizeof(seven)), sizeof(seven));
	rec = us_completion(fd);
	us_expect_done(&rec, 2, 1, sizeof(seven));
	free(buf);
}

/* A message of one byte; with @key a WRITE. */
static struct uet_completion send_number(const struct end *e, uint8_t number,
					 uint64_t key)
{
	const struct us_rma rma = {
		UET_OP_WRITE, number, { key, 0 }, NULL, NULL, 0, NULL,
	};
	struct uet_op op = us_op(UET_OP_SEND, number);

	if (key)
		EXPECT_EQ(us_rma(e->fd, &rma, &number, 1), 1);
	else
		EXPECT_EQ(us_send_op(e->fd, &op, NULL, &number, 1, 0), 1);
	return us_completion(e->fd);
}

/* Nobody knows whether the message was executed. */
static void expect_unknown(const struct end *e, uint8_t number, uint64_t key)
{
	struct uet_completion rec = send_number(e, number, key);

	EXPECT_EQ(rec.cookie, number);
	EXPECT_EQ(rec.error, ECONNRESET);
}

/* A message goes on another PDC where a second execution cannot show. */
TEST(asked__message_to_a_forgotten_pdc_is_repeated)
{
	const uint64_t key = 0x77, safe_key = key | UET_MR_KEY_IDEMPOTENT_SAFE;
	struct end e = ask();
	struct uet_completion rec;
	uint8_t number;

	for (number = 0; number < 5; number++) {
		rec = send_number(&e, number, number == 4 ? safe_key : 0);
		us_expect_done(&rec, number, 1, 1);
	}
	expect_unknown(&e, 5, 0);
	rec = send_number(&e, 6, 0);
	us_expect_done(&rec, 6, 1, 1);
	expect_unknown(&e, 7, key);
	us_expect_none(e.fd);
}

/* ------------------------------------------- what a waiting application is told */

TEST(asked__read_that_waits_for_its_data_has_a_reason)
{
	struct end e = ask();
	const struct uet_local local = { .key = e.key, .length = LONG };
	const struct us_rma rma = {
		UET_OP_READ, 1, { 0x77, 0 }, NULL, NULL, 0, &local,
	};

	EXPECT_EQ(us_rma(e.fd, &rma, NULL, 0), 0);
	WAIT_FOR(us_explains(e.fd, "which is no request of this PDC"));
	EXPECT(us_explains(e.fd, "READ of 10000 bytes"));
	us_expect_none(e.fd);
}

TEST(asked__deferred_message_with_a_wrong_request_has_a_reason)
{
	struct uet_op op = us_op(UET_OP_DEFERRABLE_SEND, 9);
	struct end e = ask();

	EXPECT_EQ(us_send_op(e.fd, &op, NULL, "hello", 5, 0), 5);
	WAIT_FOR(us_explains(e.fd, "restart request of its target was refused"));
	EXPECT(us_explains(e.fd, "length 6"));
	us_expect_none(e.fd);
}

TEST(asked__message_refused_in_clear_has_a_reason)
{
	struct uet_op op = us_op(UET_OP_SEND, 9);
	struct end e = ask();

	EXPECT_EQ(us_send_op(e.fd, &op, NULL, "hello", 5, 0), 5);
	WAIT_FOR(us_explains(e.fd, "a NACK in clear, code NEW_START_PSN"));
	us_expect_none(e.fd);
}

HARNESS_MAIN()
