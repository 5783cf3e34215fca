# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Messages that were received, and messages that no receive has taken yet."""
from uet._uet import ffi, lib
from uet.address import form


class Context:
    """Where a message comes from.

    The attributes are the fields of struct uet_ctx: job, initiator, length, offset,
    match, opcode, flags, delivery, peer.
    """

    __slots__ = ("_context", "_sender")

    def __init__(self, context, sender):
        self._context = context
        self._sender = sender

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._context, name)

    @property
    def tag(self):
        """The match bits."""
        return self._context.match

    @property
    def header_data(self):
        """The completion data, or None."""
        has = self._context.flags & lib.UET_CTX_HDATA
        return self._context.header_data if has else None

    @property
    def sender(self):
        """The address of the sender, "FA/PID/RI"."""
        return form(self._sender)


class Message(Context):
    """A message of Endpoint.recv(), with its context.

    data: bytes, or the filled part of the buffer of Endpoint.recv_into()
    """

    __slots__ = ("data",)

    def __init__(self, data, context, sender):
        super().__init__(context, sender)
        self.data = data


class Unexpected(Context):
    """A message that Endpoint.peek() has found.

    claim: its number for a receive with RECV_CLAIM, or 0
    """

    __slots__ = ("_peek",)

    def __init__(self, peek):
        super().__init__(ffi.addressof(peek, "ctx"), ffi.addressof(peek, "from"))
        self._peek = peek  # has the two

    @property
    def claim(self):
        return self._peek.claim
