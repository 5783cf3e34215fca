# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Receiving: messages from the receive buffer, and posted receives."""
import errno
import socket
import struct
from dataclasses import dataclass

from uet._uet import ffi, lib
from uet.failure import check, check_until, failure
from uet.memory import local
from uet.message import Message, Unexpected


@dataclass
class Post:
    """A receive for Endpoint.posts(): the arguments of Endpoint.post(), and min_free.

    min_free: with RECV_MULTI in flags, the receive ends when fewer bytes are free
    """

    into: object = None
    tag: int = None
    ignore: int = 0
    peer: int = 0
    cookie: int = 0
    flags: int = 0
    min_free: int = 0

    def match_flags(self):
        if self.tag is None or self.flags & lib.UET_RECV_CLAIM:
            return self.flags
        return self.flags | lib.UET_RECV_TAGGED

    def all_flags(self):
        if self.flags & lib.UET_RECV_CLAIM:
            return self.match_flags()
        source = lib.UET_RECV_PEER if self.peer else lib.UET_RECV_ANY_SOURCE
        return self.match_flags() | source

    def record(self):
        key, offset, length = local(self.into)
        return {"size": ffi.sizeof("struct uet_recv_post"), "cookie": self.cookie, "match": self.tag or 0, "ignore": self.ignore,
                "key": key, "offset": offset, "length": length, "initiator": self.peer,
                "flags": self.all_flags(), "min_free": self.min_free}


class Receives:
    """The receiving of an Endpoint."""

    def _recv_within(self, handle, *arguments):
        *arguments, timeout = arguments
        if timeout != self._recv_timeout:
            value = struct.pack("ll", *divmod(max(1, timeout) * 1000, 1000000))
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO,
                                   bytes(len(value)) if timeout < 0 else value)
            self._recv_timeout = timeout
        return lib.uet_recv(handle, *arguments)

    def _recv(self, buffer, length, flags, timeout):
        context = ffi.new("struct uet_ctx *")
        sender = ffi.new("struct sockaddr_uet *")
        try:
            count = check_until(self._handle, timeout, self._recv_within, buffer, length,
                                flags, context, sender)
        except BlockingIOError as error:
            if timeout is None:
                raise
            raise TimeoutError(errno.ETIMEDOUT,
                               f"no message after {timeout} s") from error
        return count, context, sender

    def recv(self, size=65536, *, flags=0, timeout=None):
        """The next message that no posted receive takes, cut to size bytes.

        flags: socket.MSG_DONTWAIT, socket.MSG_PEEK
        """
        buffer = ffi.new("char[]", size)
        count, context, sender = self._recv(buffer, size, flags, timeout)
        return Message(ffi.buffer(buffer, count)[:], context, sender)

    def recv_into(self, buffer, *, flags=0, timeout=None):
        """The same into a writable buffer, without a copy."""
        memory = ffi.from_buffer("char[]", buffer, require_writable=True)
        count, context, sender = self._recv(memory, len(memory), flags, timeout)
        return Message(memoryview(buffer).cast("B")[:count], context, sender)

    def post(self, into=None, *, tag=None, ignore=0, peer=0, cookie=0, flags=0):
        """Post a receive into a Region, a Part, or None for an empty message.

        tag: match bits, None for untagged messages; ignore: bits of it that are not
        compared; peer: number of the sender, 0: any; flags: RECV_TRUNC, RECV_CLAIM with
        the claim as tag
        """
        flags = Post(tag=tag, flags=flags).match_flags()
        check(self._handle, lib.uet_post(self._handle, peer, tag or 0, ignore,
                                         local(into), flags, cookie))

    def posts(self, posts):
        """Post several receives; return how many were posted, at least 1."""
        records = ffi.new("struct uet_recv_post[]", [post.record() for post in posts])
        return check(self._handle, lib.uet_posts(self._handle, records, len(records)))

    def peek(self, *, tag=None, ignore=0, peer=0, flags=0):
        """A message that no receive has taken, or None.

        flags: PEEK_CLAIM, PEEK_DISCARD; the others as for post()
        """
        post = Post(tag=tag, ignore=ignore, peer=peer, flags=flags)
        peek = ffi.new("struct uet_recv_peek *", {
            "size": ffi.sizeof("struct uet_recv_peek"), "match": tag or 0, "ignore": ignore, "initiator": peer,
            "flags": post.all_flags()})
        if lib.uet_peek(self._handle, peek) == 0:
            return Unexpected(peek)
        if ffi.errno == errno.ENOMSG:
            return None
        raise failure(self._handle)

    def cancel(self, cookie):
        """Cancel a receive or operations; return their number."""
        return check(self._handle, lib.uet_cancel(self._handle, cookie))
