#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
A user fills streams that nobody reads, as far as it gets memory, prints how many pages all
streams have then, and waits. Started by stream_abuse.sh.
"""
import os
import signal
import socket

IPPROTO_UET = 260
STREAMS = 64


def stream():
	return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_UET)


def pages():
	with open("/proc/net/protocols") as lines:
		return next(words[3] for words in map(str.split, lines) if words[0] == "UETSTREAMv4")


server = stream()
server.bind((os.environ["UET_REMOTE"], 0))
server.listen(STREAMS)
kept = []
for _ in range(STREAMS):
	s = stream()
	s.connect(server.getsockname())
	kept.append((s, server.accept()[0]))
	s.setblocking(False)
	try:
		while s.send(bytes(65536)):
			pass
	except OSError:
		# There is no space, or no memory for what was received.
		pass
print(pages(), flush=True)
signal.pause()
