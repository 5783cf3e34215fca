// SPDX-License-Identifier: GPL-2.0
/*
 * The worlds of the explorer.  Each is small enough that faults in every order fit into a
 * few million states, and each has another part of the protocol at its centre.
 * Level: test.
 */
#include "explore.h"

#define SEND(n)		{ .opcode = UET_OP_SEND, .packets = (n) }
#define WRITE(n)	{ .opcode = UET_OP_WRITE, .packets = (n) }

const struct ex_world ex_worlds[] = {
	{
		.name = "rud",
		.doc = "two messages by RUD through a network that loses and duplicates",
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_LOSE] = 2, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "rud-window",
		.doc = "six packets, more than the window",
		.msg = { SEND(6) },
		.most = { [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "rud-run",
		.doc = "packets that leave as a run",
		.window = 8,
		.msg = { WRITE(1), SEND(5) },
		.most = { [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "rod",
		.doc = "two messages by ROD to a target that keeps early requests",
		.mode = UET_PDC_ROD,
		.msg = { WRITE(1), SEND(2) },
		.most = { [EX_LOSE] = 2, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "rod-back",
		.doc = "ROD, go-back-N",
		.mode = UET_PDC_ROD,
		.drops_early = true,
		.msg = { SEND(2), WRITE(1) },
		.most = { [EX_LOSE] = 2, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "trim",
		.doc = "switches trim requests",
		.msg = { WRITE(3) },
		.most = { [EX_LOSE] = 1, [EX_TRIM] = 3, [EX_EARLY] = 1 },
	}, {
		.name = "responses",
		.doc = "responses that must be cleared, and at most two of them stored",
		.max_gtd = 2,
		.msg = {
			{ .opcode = UET_OP_FETCHING_ATOMIC },
			{ .opcode = UET_OP_SEND, .packets = 1, .is_bad = true },
			{ .opcode = UET_OP_READ, .bytes = 8 },
			{ .opcode = UET_OP_FETCHING_ATOMIC },
		},
		.most = { [EX_LOSE] = 2, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "responses-rod",
		.doc = "the same by ROD",
		.mode = UET_PDC_ROD,
		.msg = {
			{ .opcode = UET_OP_FETCHING_ATOMIC },
			{ .opcode = UET_OP_READ, .bytes = 8 },
			{ .opcode = UET_OP_FETCHING_ATOMIC },
		},
		.most = { [EX_LOSE] = 2, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "responses-window",
		.doc = "more such responses than the window has PSNs",
		.msg = {
			{ .opcode = UET_OP_FETCHING_ATOMIC },
			{ .opcode = UET_OP_SEND, .packets = 5, .is_bad = true },
		},
		.most = { [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "read",
		.doc = "data in the return direction",
		.msg = { { .opcode = UET_OP_READ, .packets = 2 }, WRITE(1) },
		.most = { [EX_LOSE] = 2, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "full",
		.doc = "a target without resources",
		.msg = { SEND(2), WRITE(1) },
		.most = { [EX_REFUSE] = 4, [EX_LOSE] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "full-rod",
		.doc = "the same by ROD: kept requests may find no resources",
		.mode = UET_PDC_ROD,
		.msg = { SEND(2), WRITE(1) },
		.most = { [EX_REFUSE] = 3, [EX_LOSE] = 2, [EX_EARLY] = 1 },
	}, {
		.name = "nacks",
		.doc = "a target that refuses a request with any code",
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_NACK] = 2, [EX_LOSE] = 1 },
	}, {
		.name = "nacks-rod",
		.doc = "the same by ROD",
		.mode = UET_PDC_ROD,
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_NACK] = 2, [EX_LOSE] = 1 },
	}, {
		.name = "close",
		.doc = "either end closes",
		.msg = { SEND(2), WRITE(1), SEND(1) },
		.most = { [EX_CLOSE] = 2, [EX_LOSE] = 1, [EX_DUP] = 1 },
	}, {
		.name = "close-read",
		.doc = "either end closes during a read",
		.msg = { { .opcode = UET_OP_READ, .packets = 2 }, WRITE(1) },
		.most = { [EX_CLOSE] = 1, [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "abort",
		.doc = "an administrator removes the PDC of the target",
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_ABORT] = 1, [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "forget",
		.doc = "the target loses the state of its PDC",
		.msg = { WRITE(1), WRITE(2) },
		.most = { [EX_FORGET] = 1, [EX_LOSE] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "forget-others",
		.doc = "the same with messages that may be repeated, and a send",
		.msg = {
			SEND(1), { .opcode = UET_OP_READ, .packets = 1 },
			{ .opcode = UET_OP_WRITE, .packets = 1, .is_idempotent = true },
			SEND(1),
		},
		.most = { [EX_FORGET] = 1, [EX_LOSE] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "secure",
		.doc = "sealed packets that are changed and repeated",
		.is_secure = true,
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_LOSE] = 1, [EX_DUP] = 1, [EX_CORRUPT] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "secure-rod",
		.doc = "the same by ROD",
		.mode = UET_PDC_ROD,
		.is_secure = true,
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_LOSE] = 1, [EX_DUP] = 1, [EX_CORRUPT] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "secure-forget",
		.doc = "sealed packets to a target that loses the state of its PDC",
		.is_secure = true,
		.msg = { WRITE(1), WRITE(1), SEND(1) },
		.most = { [EX_FORGET] = 1, [EX_LOSE] = 1, [EX_DUP] = 1 },
	}, {
		.name = "secure-read",
		.doc = "sealed data in the return direction",
		.is_secure = true,
		.msg = { { .opcode = UET_OP_READ, .packets = 2 }, WRITE(1) },
		.most = { [EX_LOSE] = 1, [EX_DUP] = 1, [EX_CORRUPT] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "secure-abort",
		.doc = "an administrator removes the PDC of a secure target",
		.is_secure = true,
		.msg = { WRITE(1), SEND(1) },
		.most = { [EX_ABORT] = 1, [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "trim-rod",
		.doc = "switches trim requests of ROD",
		.mode = UET_PDC_ROD,
		.msg = { WRITE(3) },
		.most = { [EX_LOSE] = 1, [EX_TRIM] = 2, [EX_EARLY] = 1 },
	}, {
		.name = "close-responses",
		.doc = "either end closes while responses are stored",
		.msg = {
			{ .opcode = UET_OP_FETCHING_ATOMIC },
			{ .opcode = UET_OP_FETCHING_ATOMIC },
		},
		.most = { [EX_CLOSE] = 2, [EX_LOSE] = 1, [EX_DUP] = 1 },
	}, {
		.name = "stored-rod",
		.doc = "ROD with one stored response at most",
		.mode = UET_PDC_ROD,
		.max_gtd = 1,
		.msg = {
			{ .opcode = UET_OP_FETCHING_ATOMIC }, SEND(1),
			{ .opcode = UET_OP_FETCHING_ATOMIC },
		},
		.most = { [EX_LOSE] = 2, [EX_EARLY] = 1 },
	}, {
		.name = "abort-read",
		.doc = "an administrator removes the PDC of a target that sends data",
		.msg = { { .opcode = UET_OP_READ, .packets = 2 }, WRITE(1) },
		.most = { [EX_ABORT] = 1, [EX_FORGET] = 1, [EX_LOSE] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "forget-rod",
		.doc = "a ROD target loses the state of its PDC",
		.mode = UET_PDC_ROD,
		.msg = { WRITE(1), SEND(2) },
		.most = { [EX_FORGET] = 1, [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "mark",
		.doc = "switches mark packets",
		.msg = { WRITE(2), SEND(1) },
		.most = { [EX_MARK] = 2, [EX_LOSE] = 1, [EX_DUP] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "mark-rod",
		.doc = "switches mark packets of ROD",
		.mode = UET_PDC_ROD,
		.msg = { WRITE(1), SEND(2) },
		.most = { [EX_MARK] = 2, [EX_LOSE] = 1, [EX_EARLY] = 1 },
	}, {
		.name = "secure-keys",
		.doc = "nodes that change their keys",
		.is_secure = true,
		.msg = { WRITE(1), WRITE(1) },
		.most = { [EX_REKEY] = 2, [EX_CLOSE] = 1, [EX_LOSE] = 1 },
	}, {}
};
