#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""An echo server and its client, with nothing but Python's own sockets.

usage: inet_echo.py serve|ask rdm|seqpacket|dgram FA PORT COUNT

Messages have 0 bytes, 1 byte, ... up to one packet.  The client leaves its own address to
the kernel: job and PIDonFEP are those of the namespace's default job.
"""
import select
import socket
import sys

IPPROTO_UET = 260
TYPES = {
    "rdm": socket.SOCK_RDM,
    "seqpacket": socket.SOCK_SEQPACKET,
    "dgram": socket.SOCK_DGRAM,
}


def message(index):
    return bytes([index % 256]) * (index * 113 % 4097)


def serve(sock, address, count):
    sock.bind(address)
    for _ in range(count):
        data, sender = sock.recvfrom(8192)
        sock.sendto(data, sender)


def ask(sock, address, count):
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    for index in range(count):
        if index == count // 2:
            sock.connect(address)
            assert sock.getpeername()[:2] == address, sock.getpeername()
        if index < count // 2:
            sock.sendto(message(index), address)
        else:
            sock.send(message(index))
        assert poll.poll(20000), f"no answer to message {index}"
        data, sender = sock.recvfrom(8192)
        assert data == message(index), f"answer {index} differs"
        assert sender[:2] == address, sender
    assert 1 <= sock.getsockname()[1] <= 4095, sock.getsockname()


def main():
    role, kind, host, port, count = sys.argv[1:]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, TYPES[kind], IPPROTO_UET) as sock:
        {"serve": serve, "ask": ask}[role](sock, (host, int(port)), int(count))


main()
