/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The soak's board: memory that all processes of a run share, and that outlives those
 * that are killed.  It has, for each flow, an outcome that the sender notes and a mark
 * that the receiver sets for each message, counters, and a log of the receiver's
 * deaths.  board.c makes and judges it, tx.c and rx.c are sender and receiver of a
 * flow.  Level: test.
 *
 * A flow is a sender and a receiver, each with one socket.  Messages of a flow are
 * numbered.  The completion data of a message is its label: the number, the life of the
 * sender, and a CRC-32C of flow, life, number, length and all bytes.
 *
 * When is a message lost?  Its completion said success, nobody has read it, and no
 * death of the receiver explains that.  The receiver counts its rounds; a round looks
 * at all that can be read.  The sender notes with each success the round that the
 * receiver was in.  A whole round that began after that note must have found the
 * message: if two rounds more have ended in the same life, the message is lost.  If the
 * receiver died before, or between the beginning and the end of the send, the message
 * is open: it may have been in the receive buffer of the dead socket.  A message that
 * had no completion when its sender died is open as well.
 */
#ifndef UET_SELFTESTS_SOAK_H
#define UET_SELFTESTS_SOAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOAK_FLOWS	32	/* at most */
#define SOAK_DEATHS	4096	/* of a receiver, that are remembered */
#define SOAK_LIVES	64	/* of a sender, that a label tells apart */
#define SOAK_INDEX_BITS	26
#define SOAK_CAPACITY	(1u << SOAK_INDEX_BITS)
#define SOAK_RX_PID	100	/* PIDonFEP of the first receiver; +1 for each flow */

#define SOAK_WINDOW	128	/* operations of a sender under way */
#define SOAK_ORDERED	32	/* if in order: retransmission repeats packets behind a lost one */
#define SOAK_LONGEST	(1u << 20)
#define SOAK_POOL	(SOAK_LONGEST + 4096)	/* random bytes that are sent */

/*
 * Memory of a receiver that its sender writes to.  Another share of it is used after the
 * death of a sender and after each write that has failed: packets of such a write may
 * still arrive.
 */
#define SOAK_PLACES	8	/* writes of a sender under way */
#define SOAK_PLACE	16384	/* bytes of each */
#define SOAK_SHARES	32

#define SOAK_POSTS	32	/* receives for tagged messages */
#define SOAK_POST	65536	/* bytes of each */
#define SOAK_BIG_POSTS	4	/* receives for rendezvous and deferrable messages */

enum soak_key { KEY_PLACES = 1, KEY_COUNTERS, KEY_POSTS, KEY_POOL, KEY_BACK };
enum soak_tag { TAG_SMALL = 1, TAG_BIG };

enum soak_kind {
	K_SEND, K_TAGGED, K_RENDEZVOUS, K_DEFERRABLE,	/* numbered */
	K_WRITE, K_READ, K_ADD, K_FETCH,
	KINDS,
	NUMBERED = K_WRITE,
};

/* A sender notes the outcome of a message, and with success the receiver's round. */
enum soak_outcome { NOT_SENT, UNDER_WAY, SUCCEEDED, REFUSED };

#define NOTE_OUTCOME(note)	((note) >> 30)
#define NOTE_STRADDLES		(1u << 29)	/* the receiver changed meanwhile */
#define NOTE_ROUND(note)	((note) & (NOTE_STRADDLES - 1))

/* The counters that atomic operations change, in memory that outlives receivers. */
enum soak_counter { C_ADDS, C_SUM, C_FETCHES, COUNTERS };

/**
 * struct soak_flow - a sender and a receiver
 * @fa: of the sender and the receiver
 * @is_ordered: SOCK_SEQPACKET
 * @tx_pid: of the sender process
 * @tx_life: senders so far
 * @tx_kills: and how many of them were killed, counted before that
 * @first: number of the first message of this sender
 * @next: number of the next message
 * @begun: operations begun, by kind
 * @ended: and ended with success
 * @refused: and ended with an errno that the receiver's absence explains
 * @bytes: of those that succeeded
 * @wrong: operations that ended with any other errno
 * @sum_begun: of the addends of K_ADD begun
 * @sum_ended: of those that succeeded
 * @share: where writes that begin go to
 * @altered: reads that returned other bytes than were written
 * @is_flushed: the sender has ended in order
 * @rx_pid: of the receiver process
 * @rx_life: receivers so far
 * @is_away: there is no receiver, or it is not ready
 * @round: rounds of all receivers; goes on by three with each life
 * @death: @round when each life ended
 * @has_left: the receiver has ended in order
 * @read: messages by kind that came whole
 * @twice: of those: that had come before
 * @changed: messages that are not what was sent
 * @late: messages read behind later ones of the same SOCK_SEQPACKET
 * @broken: posted receives that ended because the sender was killed
 * @last: by life of the sender, one more than the number read last
 * @tickets: values that two fetching atomics have returned
 * @fault: the first thing that must not be, in words
 */
struct soak_flow {
	char fa[2][64];
	bool is_ordered;

	pid_t tx_pid;
	uint32_t tx_life, tx_kills, first, next;
	uint64_t begun[KINDS], ended[KINDS], refused[KINDS], bytes;
	uint64_t wrong;
	uint64_t sum_begun, sum_ended, altered, tickets;
	uint32_t share;
	bool is_flushed;

	pid_t rx_pid;
	uint32_t rx_life;
	bool is_away;
	uint32_t round, death[SOAK_DEATHS];
	bool has_left;
	uint64_t read[NUMBERED], twice, changed, late, broken;
	uint32_t last[SOAK_LIVES];
	char fault[200];
};

/**
 * struct soak_board - what all processes share
 * @capacity: messages that each flow may have
 * @seed: of all that is random
 * @flows: how many
 * @stop: senders shall end
 * @quit: receivers shall end
 * @pool: random bytes; each message is a part of them
 * @flow: the flows
 *
 * Behind it: for each flow a page of counters, then notes, marks and tickets.
 */
struct soak_board {
	uint32_t capacity, seed, flows;
	bool stop, quit;
	uint8_t pool[SOAK_POOL];
	struct soak_flow flow[SOAK_FLOWS];
};

#define SOAK_GET(field)		__atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define SOAK_SET(field, v)	__atomic_store_n(&(field), v, __ATOMIC_RELEASE)
#define SOAK_ADD(field, n)	SOAK_SET(field, (field) + (n))

extern struct soak_board *board;
extern const char *const soak_kinds[KINDS];

/* The arrays of a flow, behind the board. */
uint64_t *soak_counters(uint32_t flow);
uint32_t *soak_note(uint32_t flow, uint32_t index);
uint8_t *soak_mark(uint32_t flow, uint32_t index);
uint8_t *soak_ticket(uint32_t flow, uint32_t value);

/* Where the bytes of a message begin in the pool. */
uint32_t soak_offset(uint32_t flow, uint32_t index);
/* The label of a message with these bytes. */
uint64_t soak_label(uint32_t flow, uint32_t life, uint32_t index,
		    const uint8_t *bytes, uint32_t len);

/* Keep the first fault of a flow. */
void soak_note_fault(struct soak_flow *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void soak_die(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* The processes. */
void soak_send(uint32_t flow);
void soak_receive(uint32_t flow);
/* A socket of a flow, bound; @end: 0 the sender's, 1 the receiver's. */
int soak_socket(uint32_t flow, int end);
/* The address of an end of a flow. */
struct sockaddr_uet soak_address(uint32_t flow, int end);
/* Register memory of a socket under a fixed key. */
void soak_register(int fd, enum soak_key key, void *mem, size_t len,
		   uint32_t access);
void *soak_map(size_t len);

#endif
