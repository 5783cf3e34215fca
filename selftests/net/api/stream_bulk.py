#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
A program for TCP that knows nothing of UET: clients send random bytes, the server answers each
with the SHA-256 of what it got.

	serve HOST PORT STREAMS		accepts so many, then ends
	send HOST PORT STREAMS BYTES	ends with status 0 if all sums are right
"""
import hashlib
import random
import socket
import sys
import threading
import time

PART = 1 << 17


def serve_one(s):
	digest = hashlib.sha256()
	while part := s.recv(PART):
		digest.update(part)
	s.sendall(digest.hexdigest().encode())
	s.close()


def serve(host, port, streams):
	server = socket.create_server((host, port), backlog=64)
	print("ready", flush=True)
	threads = []
	for _ in range(streams):
		s, _name = server.accept()
		threads.append(threading.Thread(target=serve_one, args=(s,)))
		threads[-1].start()
	for thread in threads:
		thread.join()


def connect(host, port):
	for _ in range(100):
		try:
			return socket.create_connection((host, port))
		except ConnectionRefusedError:
			time.sleep(0.1)
	raise SystemExit("refused")


def send_one(host, port, size, seed, sums):
	source = random.Random(seed)
	digest = hashlib.sha256()
	s = connect(host, port)
	while size:
		part = source.randbytes(min(size, PART))
		digest.update(part)
		s.sendall(part)
		size -= len(part)
	s.shutdown(socket.SHUT_WR)
	answer = b""
	while part := s.recv(PART):
		answer += part
	sums.append(answer.decode() == digest.hexdigest())


def send(host, port, streams, size):
	sums = []
	threads = [threading.Thread(target=send_one, args=(host, port, size, seed, sums))
		   for seed in range(streams)]
	for thread in threads:
		thread.start()
	for thread in threads:
		thread.join()
	return sums.count(True) != streams


if sys.argv[1] == "serve":
	serve(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
	sys.exit(send(sys.argv[2], *(int(arg) for arg in sys.argv[3:6])))
