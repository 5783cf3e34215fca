# SPDX-License-Identifier: GPL-2.0
"""Secure domains of mode direct over IPv4: AES-256-GCM under the key itself.

The cipher is that of openssl(1), GHASH is written out.  Slow, and for tests only:
nothing here hides a key from other users of the machine.
Layouts: UE 1.0.1 3.7, Table 3-90.
"""
import base64
import socket
import struct
import subprocess
import time

TSS = 1
HEADER, ICV = 12, 16


def openssl(cipher, key, data, *options):
    return subprocess.run(["openssl", "enc", "-e", cipher, "-K", key.hex(),
                           *options], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


def multiply(x, y):
    """In the field of GCM."""
    z = 0
    for bit in range(127, -1, -1):
        if y >> bit & 1:
            z ^= x
        x = x >> 1 ^ (0xe1 << 120 if x & 1 else 0)
    return z


class Domain:
    """A key, and a counter of packets that this end has sealed under it."""

    def __init__(self, path, sdi):
        with open(path, encoding="ascii") as file:
            self.key = base64.b64decode(file.read().split()[-1])
        self.sdi = sdi
        # No counter of an earlier run: packets would be taken for recorded ones.
        self.counter = time.time_ns() // 1000000
        self.hash_key = self.block(bytes(16))

    def block(self, data):
        return int.from_bytes(openssl("-aes-256-ecb", self.key, data, "-nopad"),
                              "big")

    def ctr(self, nonce, data):
        return openssl("-aes-256-ctr", self.key, data, "-iv",
                       (nonce + struct.pack(">I", 2)).hex())

    def icv(self, nonce, clear, sealed):
        state = 0
        lengths = struct.pack(">QQ", 8 * len(clear), 8 * len(sealed))
        for part in (clear, sealed, lengths):
            for at in range(0, len(part), 16):
                word = part[at:at + 16].ljust(16, b"\0")
                state = multiply(state ^ int.from_bytes(word, "big"),
                                 self.hash_key)
        mask = self.block(nonce + struct.pack(">I", 1))
        return (state ^ mask).to_bytes(16, "big")

    @staticmethod
    def clear_part(source, target, ports, size, header):
        return socket.inet_aton(source) + socket.inet_aton(target) + \
            struct.pack(">HHHH", *ports, 8 + size, 0) + header

    def seal(self, source, target, ports, body):
        self.counter += 1
        header = struct.pack(">B3sHHI", TSS << 3, self.sdi.to_bytes(3, "big"), 0,
                             self.counter >> 32, self.counter & 0xffffffff)
        nonce = socket.inet_aton(source) + header[4:]
        sealed = self.ctr(nonce, body)
        size = HEADER + len(body) + ICV
        clear = self.clear_part(source, target, ports, size, header)
        return header + sealed + self.icv(nonce, clear, sealed)

    def open(self, source, target, ports, data):
        """The PDS packet, or None if it is not from a member."""
        if len(data) < HEADER + ICV or data[0] >> 3 != TSS:
            return None
        header, sealed = data[:HEADER], data[HEADER:-ICV]
        nonce = socket.inet_aton(source) + header[4:]
        clear = self.clear_part(source, target, ports, len(data), header)
        if self.icv(nonce, clear, sealed) != data[-ICV:]:
            return None
        return self.ctr(nonce, sealed)
