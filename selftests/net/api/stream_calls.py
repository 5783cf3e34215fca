#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Calls on sockets of streams, SOCK_STREAM with IPPROTO_UET, against what TCP does. Started by
stream.sh in a node with two FEPs that reach each other: the server is UET_REMOTE, clients are on
any FEP. Prints TAP.
"""
import array
import ctypes
import errno
import fcntl
import hashlib
import os
import select
import signal
import socket
import struct
import sys
import termios
import threading

IPPROTO_UET = 260
SOL_UET, UET_JOB = 290, 20
LOCAL, REMOTE, SIX = os.environ["UET_LOCAL"], os.environ["UET_REMOTE"], os.environ["UET_SIX"]
SIOCOUTQ = 0x5411
libc = ctypes.CDLL(None, use_errno=True)

facts = []


def fact(text):
	"""The function below states a fact."""
	def note(function):
		facts.append((text, function))
		return function
	return note


def stream(family=socket.AF_INET):
	s = socket.socket(family, socket.SOCK_STREAM, IPPROTO_UET)
	s.settimeout(20)
	return s


def listener(address=(REMOTE, 0), backlog=8, family=socket.AF_INET):
	s = stream(family)
	s.bind(address)
	s.listen(backlog)
	return s


def pair(family=socket.AF_INET, address=(REMOTE, 0)):
	server = listener(address, family=family)
	client = stream(family)
	client.connect(server.getsockname())
	peer, _ = server.accept()
	peer.settimeout(20)
	server.close()
	return client, peer


def read_family():
	"""The number of AF_UET on this host."""
	with open("/proc/net/uet/features", encoding="ascii") as features:
		return next(int(line.split()[1]) for line in features if line.startswith("family"))


AF_UET = read_family()


def uet_address(fa="", port=0, job=1, family=AF_UET, version=1, flags=0, pid=0, initiator=0):
	"""A struct sockaddr_uet."""
	numbers = socket.inet_pton(socket.AF_INET6 if ":" in fa else socket.AF_INET,
				   fa or "0.0.0.0")
	return struct.pack("HBBIHHII16sI", family, version, flags | (":" in fa) << 1, job, pid,
			   port, initiator, 0, numbers, 0)


def call(name, s, address):
	"""bind() or connect() with an address of a family that this language does not know."""
	if getattr(libc, name)(s.fileno(), address, len(address)):
		raise OSError(ctypes.get_errno(), name)


def answers(name, s):
	"""What getsockname(), getpeername() or accept() returns, and an address as they write it."""
	address, length = ctypes.create_string_buffer(128), ctypes.c_int(128)
	got = getattr(libc, name)(s.fileno(), address, ctypes.byref(length))
	if got < 0:
		raise OSError(ctypes.get_errno(), name)
	return got, address.raw[:length.value]


def uet_stream(fd=None):
	s = socket.socket(AF_UET, socket.SOCK_STREAM, 0, fd)
	s.setblocking(True)
	return s


def uet_listener(address):
	"""A socket that listens, and its port."""
	s = uet_stream()
	call("bind", s, address)
	s.listen()
	return s, struct.unpack_from("H", answers("getsockname", s)[1], 10)[0]


def fails(number, function, *args):
	try:
		function(*args)
	except OSError as error:
		assert error.errno == number, f"{error}, not {errno.errorcode[number]}"
		return
	raise AssertionError(f"no error, not {errno.errorcode[number]}")


def read_all(s):
	parts = []
	while part := s.recv(1 << 16):
		parts.append(part)
	return b"".join(parts)


def count(s, request):
	value = array.array("i", [0])
	fcntl.ioctl(s, request, value)
	return value[0]


def waits_until(function):
	for _ in range(2000):
		if function():
			return
		select.select([], [], [], 0.005)
	raise AssertionError("never so")


def events(s, mask=select.POLLIN | select.POLLOUT | 0x2000, ms=0):
	p = select.poll()
	p.register(s, mask)
	got = p.poll(ms)
	return got[0][1] if got else 0


def carries_bytes(a, b):
	a.sendall(b"question")
	assert b.recv(100) == b"question"
	b.sendall(b"answer")
	assert a.recv(100) == b"answer"


@fact("a stream carries bytes in both directions")
def echoes():
	carries_bytes(*pair())


@fact("names are the addresses of both ends")
def names():
	a, b = pair()
	assert a.getpeername() == b.getsockname()
	assert b.getpeername() == a.getsockname()
	assert b.getsockname()[0] == REMOTE


@fact("a stream of IPv6 carries bytes")
def six():
	a, b = pair(socket.AF_INET6, (SIX, 0))
	a.sendall(b"six")
	assert b.recv(10) == b"six"
	assert a.getpeername()[0] == SIX


@fact("a server of IPv6 accepts streams of IPv4")
def mapped():
	server = listener(("::", 0), family=socket.AF_INET6)
	client = stream()
	client.connect((REMOTE, server.getsockname()[1]))
	peer, name = server.accept()
	assert name[0].startswith("::ffff:10."), name
	client.sendall(b"x")
	assert peer.recv(1) == b"x"


@fact("a server of IPv6 only refuses streams of IPv4")
def only_six():
	server = stream(socket.AF_INET6)
	server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
	server.bind(("::", 0))
	server.listen()
	fails(errno.ECONNREFUSED, stream().connect, (REMOTE, server.getsockname()[1]))


@fact("a socket that is bound to any address accepts on each FEP")
def wildcard():
	server = listener(("", 0))
	for address in LOCAL, REMOTE:
		client = stream()
		client.connect((address, server.getsockname()[1]))
		peer, _ = server.accept()
		assert peer.getsockname()[0] == address


@fact("a stream of AF_UET carries bytes, its Resource Index is the port, and names tell the job")
def uet_family():
	for address in REMOTE, SIX:
		server, port = uet_listener(uet_address(address))
		client = uet_stream()
		call("connect", client, uet_address(address, port, job=0))
		fd, name = answers("accept", server)
		peer = uet_stream(fd)
		assert answers("getpeername", client)[1] == uet_address(address, port)
		assert answers("getsockname", client)[1] == name
		carries_bytes(client, peer)


@fact("a server of AF_UET for any address accepts streams of IPv4 and IPv6, which share its ports")
def uet_any():
	server, port = uet_listener(uet_address())
	for family, address in (socket.AF_INET, REMOTE), (socket.AF_INET6, SIX):
		fails(errno.EADDRINUSE, stream(family).bind, (address, port))
		client = stream(family)
		client.connect((address, port))
		client.sendall(b"x")
		assert uet_stream(answers("accept", server)[0]).recv(1) == b"x"
	client = uet_stream()
	other = listener()
	call("connect", client, uet_address(*other.getsockname()))
	assert other.accept()[1][0] in (LOCAL, REMOTE)


@fact("an address of AF_UET that is none of a stream, or of a job for IP only, is refused")
def uet_refused():
	s = uet_stream()
	for wrong in ({"version": 2}, {"flags": 1}, {"pid": 1}, {"initiator": 1},
		      {"job": 1 << 24}):
		fails(errno.EINVAL, call, "bind", s, uet_address(REMOTE, **wrong))
	fails(errno.EINVAL, call, "bind", s, uet_address(REMOTE)[:-1])
	fails(errno.EAFNOSUPPORT, call, "bind", s, uet_address(REMOTE, family=socket.AF_INET))
	fails(errno.ENOENT, call, "bind", s, uet_address(REMOTE, job=77))
	fails(errno.EACCES, call, "bind", s, uet_address(job=7))
	fails(errno.EADDRNOTAVAIL, call, "bind", s, uet_address("10.9.9.9"))
	call("bind", s, uet_address())
	fails(errno.EINVAL, call, "connect", s, uet_address(REMOTE, 9, job=2))
	fails(errno.ECONNREFUSED, call, "connect", s, uet_address(REMOTE, 9))
	fails(errno.EPROTONOSUPPORT, socket.socket, AF_UET, socket.SOCK_STREAM, 6)
	of_ip = stream()
	of_ip.setsockopt(SOL_UET, UET_JOB, 7)
	of_ip.bind(("", 0))


@fact("a port without a listener is refused, and the socket may try another one")
def refused():
	client = stream()
	client.setblocking(True)
	fails(errno.ECONNREFUSED, client.connect, (REMOTE, 9))
	server = listener()
	client.connect(server.getsockname())
	server.accept()[0].sendall(b"x")
	assert client.recv(1) == b"x"


@fact("an address that is no FEP's is refused")
def no_fep():
	fails(errno.EADDRNOTAVAIL, stream().bind, ("10.9.9.9", 0))
	fails(errno.ENETUNREACH, stream().connect, ("127.0.0.1", 9))


@fact("connect returns at once without waiting, and poll reports the connection")
def nonblocking():
	server = listener()
	client = stream()
	client.setblocking(False)
	assert client.connect_ex(server.getsockname()) == errno.EINPROGRESS
	assert events(client, select.POLLOUT, 20000) == select.POLLOUT
	assert client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
	assert client.connect_ex(server.getsockname()) in (0, errno.EISCONN)


@fact("poll and SO_ERROR report a refused connection")
def nonblocking_refused():
	client = stream()
	client.setblocking(False)
	assert client.connect_ex((REMOTE, 9)) == errno.EINPROGRESS
	assert events(client, select.POLLOUT, 20000) & select.POLLERR
	assert client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNREFUSED


@fact("accept without waiting says that nobody is there")
def accept_again():
	server = listener()
	server.setblocking(False)
	fails(errno.EAGAIN, server.accept)
	assert events(server) == 0


@fact("the end of one direction leaves the other one open")
def half_close():
	a, b = pair()
	a.sendall(b"last")
	a.shutdown(socket.SHUT_WR)
	assert read_all(b) == b"last"
	assert events(b) & 0x2000
	b.sendall(b"more")
	b.close()
	assert read_all(a) == b"more"


@fact("a send behind the own end fails with EPIPE")
def epipe():
	a, _b = pair()
	a.shutdown(socket.SHUT_WR)
	signal.signal(signal.SIGPIPE, signal.SIG_IGN)
	fails(errno.EPIPE, a.send, b"x")


@fact("close with unread bytes resets the peer")
def unread():
	a, b = pair()
	a.sendall(b"unread")
	waits_until(lambda: count(b, termios.FIONREAD) == 6)
	b.close()
	waits_until(lambda: events(a) & select.POLLHUP)
	fails(errno.ECONNRESET, a.recv, 1)


@fact("SO_LINGER of no time resets the peer")
def linger():
	a, b = pair()
	a.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
	a.close()
	fails(errno.ECONNRESET, b.recv, 1)


@fact("SO_LINGER with a time waits until the peer has all")
def linger_waits():
	a, b = pair()
	a.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 20))
	a.sendall(b"z" * 100000)
	reader = threading.Thread(target=lambda: b.got.append(read_all(b)))
	b = Box(b)
	reader.start()
	a.close()
	reader.join()
	assert b.got[0] == b"z" * 100000


class Box:
	"""A socket with what was read from it."""
	def __init__(self, s):
		self.recv, self.got = s.recv, []


@fact("bytes that were sent before close arrive")
def close_delivers():
	a, b = pair()
	data = os.urandom(300000)
	writer = threading.Thread(target=lambda: (a.sendall(data), a.close()))
	writer.start()
	got = read_all(b)
	writer.join()
	assert hashlib.sha256(got).digest() == hashlib.sha256(data).digest()


@fact("8 MiB arrive as they were sent while the reader is slow")
def window():
	a, b = pair()
	b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
	data = os.urandom(8 << 20)
	writer = threading.Thread(target=lambda: (a.sendall(data), a.shutdown(socket.SHUT_WR)))
	writer.start()
	select.select([], [], [], 0.2)
	digest = hashlib.sha256()
	while part := b.recv(100003):
		digest.update(part)
	writer.join()
	assert digest.digest() == hashlib.sha256(data).digest()


@fact("a writer without a reader stops, and the reader lets it go on")
def no_reader():
	a, b = pair()
	a.setblocking(False)
	sent = 0
	quiet = 0
	while quiet < 20:
		try:
			sent += a.send(b"w" * 65536)
			quiet = 0
		except BlockingIOError:
			quiet += 1
			select.select([], [], [], 0.01)
	assert sent < 64 << 20, sent
	assert not events(a, select.POLLOUT)
	got = 0
	while got < sent:
		got += len(b.recv(1 << 20))
	waits_until(lambda: events(a, select.POLLOUT))
	assert count(b, termios.FIONREAD) == 0


@fact("20000 writes of one byte arrive in order")
def tiny():
	a, b = pair()
	a.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
	data = os.urandom(20000)
	writer = threading.Thread(target=lambda: [a.send(data[i:i + 1]) for i in range(len(data))])
	writer.start()
	got = b""
	while len(got) < len(data):
		got += b.recv(4096)
	writer.join()
	assert got == data


@fact("MSG_PEEK leaves the bytes")
def peek():
	a, b = pair()
	a.sendall(b"peeked")
	assert b.recv(3, socket.MSG_PEEK) == b"pee"
	assert b.recv(10, socket.MSG_PEEK) == b"peeked"
	assert b.recv(10) == b"peeked"


@fact("MSG_WAITALL waits for all bytes")
def waitall():
	a, b = pair()
	b.setblocking(True)
	threading.Timer(0.1, lambda: a.sendall(b"second")).start()
	a.sendall(b"first")
	assert b.recv(11, socket.MSG_WAITALL) == b"firstsecond"


@fact("MSG_DONTWAIT returns EAGAIN")
def dontwait():
	_a, b = pair()
	b.setblocking(True)
	fails(errno.EAGAIN, b.recv, 1, socket.MSG_DONTWAIT)


@fact("MSG_TRUNC discards bytes")
def trunc():
	a, b = pair()
	a.sendall(b"discarded")
	waits_until(lambda: count(b, termios.FIONREAD) == 9)
	b.recv(4, socket.MSG_TRUNC)
	assert b.recv(10) == b"arded"


@fact("MSG_MORE holds bytes back until the next send")
def more():
	a, b = pair()
	a.send(b"held", socket.MSG_MORE)
	a.send(b"gone")
	assert b.recv(8, socket.MSG_WAITALL) == b"heldgone"


@fact("TCP_CORK holds bytes back for 200 ms")
def cork():
	a, b = pair()
	a.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
	a.send(b"cork")
	assert count(b, termios.FIONREAD) == 0
	assert b.recv(4) == b"cork"
	a.send(b"pulled")
	a.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
	assert b.recv(6, socket.MSG_WAITALL) == b"pulled"


@fact("MSG_OOB is refused")
def oob():
	a, _b = pair()
	fails(errno.EOPNOTSUPP, a.send, b"x", socket.MSG_OOB)


@fact("SO_RCVLOWAT decides when poll reports bytes")
def lowat():
	a, b = pair()
	b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 6)
	a.sendall(b"abc")
	waits_until(lambda: count(b, termios.FIONREAD) == 3)
	assert not events(b, select.POLLIN)
	a.sendall(b"def")
	waits_until(lambda: events(b, select.POLLIN))


@fact("SO_RCVTIMEO ends a wait")
def rcvtimeo():
	_a, b = pair()
	b.setblocking(True)
	b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 50000))
	fails(errno.EAGAIN, b.recv, 1)


@fact("edge triggered epoll reports each arrival")
def edge():
	a, b = pair()
	ep = select.epoll()
	ep.register(b, select.EPOLLIN | select.EPOLLET)
	a.sendall(b"1")
	assert ep.poll(20) and not ep.poll(0)
	a.sendall(b"2")
	assert ep.poll(20)
	assert b.recv(2, socket.MSG_WAITALL) == b"12"


@fact("FIONREAD and SIOCOUTQ count bytes")
def ioctls():
	a, b = pair()
	a.sendall(b"x" * 1000)
	waits_until(lambda: count(b, termios.FIONREAD) == 1000)
	waits_until(lambda: count(a, SIOCOUTQ) == 0)


@fact("sendfile sends a file")
def sendfile():
	a, b = pair()
	with open(sys.argv[0], "rb") as f:
		data = f.read()
		threading.Thread(target=lambda: (a.sendfile(f, 0), a.close())).start()
		assert read_all(b) == data


@fact("a port in use is refused without SO_REUSEADDR and while somebody listens")
def reuse():
	one = listener()
	two = stream()
	fails(errno.EADDRINUSE, two.bind, one.getsockname())
	a, b = stream(), stream()
	for s in a, b:
		s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	a.bind((REMOTE, 0))
	b.bind(a.getsockname())
	a.listen()
	fails(errno.EADDRINUSE, b.listen)


@fact("SO_REUSEPORT lets two sockets listen on a port")
def reuseport():
	a, b = stream(), stream()
	for s in a, b:
		s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
	a.bind((REMOTE, 0))
	b.bind(a.getsockname())
	a.listen()
	b.listen()
	client = stream()
	client.connect(a.getsockname())
	assert events(a) or events(b)


@fact("64 sockets share a port, and one more is refused")
def many_reuseport():
	sharers = []
	for _ in range(65):
		s = stream()
		s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
		sharers.append(s)
	sharers[0].bind((REMOTE, 0))
	name = sharers[0].getsockname()
	for s in sharers[1:64]:
		s.bind(name)
	fails(errno.EADDRINUSE, sharers[64].bind, name)
	sharers[0].close()
	sharers[64].bind(name)


@fact("the backlog bounds connections, and a place that becomes free is used")
def backlog():
	server = listener(backlog=1)
	clients = []
	for _ in range(4):
		s = stream()
		s.setblocking(False)
		s.connect_ex(server.getsockname())
		clients.append(s)
	waits_until(lambda: sum(bool(events(s, select.POLLOUT)) for s in clients) == 2)
	for _ in range(4):
		server.accept()
	waits_until(lambda: sum(bool(events(s, select.POLLOUT)) for s in clients) == 4)


@fact("a listener that closes resets those in its queue")
def listener_closes():
	server = listener()
	client = stream()
	client.connect(server.getsockname())
	waits_until(lambda: events(server))
	server.close()
	fails(errno.ECONNRESET, client.recv, 1)


@fact("a socket that connects to itself is refused")
def self_connect():
	s = stream()
	s.bind((LOCAL, 0))
	fails(errno.ECONNREFUSED, s.connect, s.getsockname())


@fact("options of TCP with a meaning are kept, others are refused")
def options():
	a, _b = pair()
	for name, value in ((socket.TCP_NODELAY, 1), (socket.TCP_KEEPIDLE, 7),
			    (socket.TCP_KEEPINTVL, 8), (socket.TCP_KEEPCNT, 5),
			    (socket.TCP_USER_TIMEOUT, 9000)):
		a.setsockopt(socket.IPPROTO_TCP, name, value)
		assert a.getsockopt(socket.IPPROTO_TCP, name) == value
	assert a.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG) == 4096
	assert a.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).startswith(b"uet")
	assert a.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)[0] == 1
	fails(errno.EOPNOTSUPP, a.setsockopt, socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 1)
	fails(errno.EINVAL, a.setsockopt, socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 0)


@fact("options of a family are those of the socket")
def options_of_family():
	for s in stream(), stream(socket.AF_INET6), uet_stream():
		is_six = s.family == socket.AF_INET6
		s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0x20)
		assert s.getsockopt(socket.IPPROTO_IP, socket.IP_TOS) == 0x20
		for name, value in (socket.IPV6_TCLASS, 0x20), (socket.IPV6_V6ONLY, 1):
			if is_six:
				s.setsockopt(socket.IPPROTO_IPV6, name, value)
				assert s.getsockopt(socket.IPPROTO_IPV6, name) == value
			else:
				fails(errno.ENOPROTOOPT, s.setsockopt, socket.IPPROTO_IPV6, name,
				      value)
				fails(errno.ENOPROTOOPT, s.getsockopt, socket.IPPROTO_IPV6, name)


@fact("a keepalive of a healthy connection ends nothing")
def keepalive():
	a, b = pair()
	a.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
	a.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
	a.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
	a.send(b"1")
	select.select([], [], [], 3)
	b.sendall(b"alive")
	assert a.recv(10) == b"alive"


@fact("a child that inherits a stream goes on with it")
def forks():
	a, b = pair()
	pid = os.fork()
	if not pid:
		a.sendall(b"child")
		os._exit(0)
	a.close()
	assert read_all(b) == b"child"
	os.waitpid(pid, 0)


def main():
	wanted = sys.argv[1:]
	failed = 0
	chosen = [f for f in facts if not wanted or f[1].__name__ in wanted]
	for number, (text, function) in enumerate(chosen, 1):
		try:
			function()
			print(f"ok {number} - {text}", flush=True)
		except Exception as error:
			failed += 1
			at = error.__traceback__.tb_next
			print(f"not ok {number} - {text}\n# {error!r} line {at.tb_lineno}", flush=True)
	print(f"1..{len(chosen)}")
	return failed != 0


sys.exit(main())
