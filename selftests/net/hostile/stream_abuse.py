#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
A process of the job sends whatever it likes to the endpoint of the streams; connections of others
go on. Started by stream_abuse.sh in a node with two FEPs that reach each other. Prints TAP.
"""
import errno
import os
import random
import resource
import socket
import struct
import sys
import time

IPPROTO_UET = 260
SOL_UET = 290
CMSG_OP, CMSG_HDATA, CMSG_TAG = 2, 5, 8
OP_SEND, OP_TAGGED_SEND = 0x01, 0x09
STREAM_RI = 4094
OPEN, TYPES = 1, 16
LOCAL, REMOTE = os.environ["UET_LOCAL"], os.environ["UET_REMOTE"]
COUNT = int(sys.argv[1])

results = []


def fact(text, is_true):
	results.append(is_true)
	print(f"{'ok' if is_true else 'not ok'} {len(results)} - {text}", flush=True)


def stream():
	return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_UET)


def echoes(a, b):
	a.sendall(b"question")
	got = b.recv(8, socket.MSG_WAITALL)
	b.sendall(b"answer")
	return got == b"question" and a.recv(6, socket.MSG_WAITALL) == b"answer"


def is_reset(s):
	try:
		while s.recv(1 << 20):
			pass
	except ConnectionResetError:
		return True
	return False


def pages(protocol):
	"""Memory of all sockets of a protocol."""
	with open("/proc/net/protocols") as lines:
		return next(int(words[3]) for words in map(str.split, lines) if words[0] == protocol)


def backlog_of(s):
	"""Connections that nobody has accepted: tcpi_unacked."""
	return struct.unpack_from("I", s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 32), 24)[0]


class Raw:
	"""An endpoint from which messages go to the streams of REMOTE."""
	def __init__(self, ri=0):
		self.sock = socket.socket(socket.AF_INET, socket.SOCK_RDM, IPPROTO_UET)
		self.sock.bind((LOCAL, ri))

	def send(self, match, hdata, payload=b"", opcode=OP_TAGGED_SEND):
		control = [(SOL_UET, CMSG_OP, struct.pack("QBB6x", 0, opcode, 0))]
		if opcode == OP_TAGGED_SEND:
			control.append((SOL_UET, CMSG_TAG, struct.pack("Q", match)))
		if hdata is not None:
			control.append((SOL_UET, CMSG_HDATA, struct.pack("Q", hdata)))
		try:
			self.sock.sendmsg([payload], control, 0, (REMOTE, STREAM_RI))
		except OSError:
			# The error of an earlier message.
			pass


def match(kind, dst, src, version=1):
	return version << 60 | kind << 56 | dst << 28 | src


def refuses_streams_ri():
	try:
		Raw(STREAM_RI)
	except OSError as error:
		return error.errno == errno.EADDRNOTAVAIL
	return False


fact("no process binds the Resource Index of the streams", refuses_streams_ri())
server = stream()
server.bind((REMOTE, 0))
server.listen(16)
port = server.getsockname()[1]
a = stream()
a.bind((LOCAL, 0))
a.connect((REMOTE, port))
b, _ = server.accept()
raw = Raw()
source = random.Random(1)

for _ in range(COUNT):
	kind = source.randrange(TYPES)
	# No connection to the port of the listener: that is the next fact.
	hdata = source.getrandbits(64) & ~(0xffff << 32)
	raw.send(match(kind, source.getrandbits(28), source.getrandbits(28),
		       source.choice((1, 1, 1, source.randrange(16)))),
		 source.choice((None, hdata, hdata, hdata)), bytes(source.choice((0, 1, 5000))),
		 source.choice((OP_TAGGED_SEND, OP_TAGGED_SEND, OP_TAGGED_SEND, OP_SEND)))
fact("a stream goes on beside random messages", echoes(a, b))
raw.send(match(3, 1, 1), 0, bytes(524289))
fact("a stream goes on beside a message that is too long", echoes(a, b))

for _ in range(COUNT):
	raw.send(match(OPEN, 0, 1 + source.getrandbits(27)), port << 32 | 1 << 16)
c = stream()
c.connect((REMOTE, port))
server.settimeout(60)
d, name = server.accept()
fact("a client connects behind a flood of forged OPENs",
     name == c.getsockname() and echoes(c, d))
for _ in range(600):
	if not backlog_of(server):
		break
	time.sleep(0.1)
fact("forged OPENs leave the backlog before anybody accepts them", backlog_of(server) == 0)
fact("a stream goes on beside the flood", echoes(a, b))

resource.setrlimit(resource.RLIMIT_NOFILE, (4 * COUNT + 100, 4 * COUNT + 100))
pairs = []
for _ in range(COUNT):
	x = stream()
	x.connect((REMOTE, port))
	pairs.append((x, server.accept()[0]))
fact(f"{COUNT} streams carry bytes at a time", all(echoes(x, y) for x, y in pairs))
full = pairs[:64]
for x, _y in full:
	x.setblocking(False)
	try:
		while x.send(bytes(65536)):
			pass
	except BlockingIOError:
		pass
fact("unread bytes of streams count in the memory of streams",
     pages("UETSTREAMv4") >= len(full) * 256 > pages("UET-MEM"))
for x, y in pairs:
	x.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
	x.close()
fact("resets of all of them end their peers", all(is_reset(y) for _x, y in pairs))
fact("a stream goes on beside the resets", echoes(a, b))
print(f"1..{len(results)}")
sys.exit(not all(results))
