# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Operations of an endpoint: their arguments as records of libuet, and their ends."""
import struct

from uet._uet import ffi, lib
from uet.address import parse
from uet.failure import check, text
from uet.memory import place

# Values of a type as Python numbers; bfloat16 has no format and comes as bytes.
FORMATS = {
    lib.UET_DT_INT8: "b", lib.UET_DT_UINT8: "B", lib.UET_DT_INT16: "h",
    lib.UET_DT_UINT16: "H", lib.UET_DT_INT32: "i", lib.UET_DT_UINT32: "I",
    lib.UET_DT_INT64: "q", lib.UET_DT_UINT64: "Q", lib.UET_DT_FLOAT: "f",
    lib.UET_DT_DOUBLE: "d", lib.UET_DT_FP16: "e",
}
SIZES = {**{name: struct.calcsize(form) for name, form in FORMATS.items()},
         lib.UET_DT_BF16: 2}


def rc_name(rc):
    """The name of an SES return code."""
    return text(lib.uet_rc_name(rc))


def chars(data):
    """The bytes of an object with the buffer protocol."""
    return ffi.from_buffer("char[]", data)


def operand(value, kind):
    """Memory with a value of the type, or with those of a buffer; NULL for None."""
    if value is None:
        return ffi.NULL
    if isinstance(value, (int, float)):
        value = struct.pack(FORMATS[kind], value)
    memory = chars(value)
    if len(memory) < SIZES.get(kind, 1):
        raise ValueError(f"an operand of {len(memory)} bytes is shorter than its type")
    return memory


def end_flags(wait, cookie, flags):
    """Flags of the operation: how its end is reported."""
    if flags & lib.UET_F_ZEROCOPY and not wait and cookie is None:
        raise ValueError("F_ZEROCOPY without wait and cookie: nobody knows for how long "
                         "the payload is in use")
    return (flags | (lib.UET_F_WAIT if wait else 0) |
            (0 if cookie is None else lib.UET_F_COMPLETE))


class Operations:
    """The operations of an Endpoint.

    peer: a number of peer() or add_peer(); for request() also an address
    data: the payload, an object with the buffer protocol, or a list of them
    wait: return at the end of the operation, and raise its error
    cookie: a number: a Completion reports the end.  With neither, a failure is raised
        by a later call, once
    flags: F_NOWAIT, F_MORE, F_ZEROCOPY, F_RUDI

    A payload is copied by the call, and may be reused, unless the flag F_ZEROCOPY is set.
    Memory for results, a Region, a Part or another writable buffer, is in use until the
    end.  A buffer that is none needs wait or cookie; no other operation in progress has
    the same cookie.
    """

    def request(self, opcode, peer, data=(), *, tag=0, header_data=None, key=0, offset=0,
                into=None, wait=False, cookie=None, flags=0):
        """Begin an operation, OP_*; the arguments that it does not have are ignored.

        tag: match bits; header_data: completion data for the receiver; key, offset:
        memory of the peer; into: a Region of this endpoint, a Part, or a writable buffer
        """
        own, own_flags, held = place(into)
        pieces = [chars(piece) for piece in
                  (data if isinstance(data, (list, tuple)) else (data,))]
        vector = ffi.new("struct iovec[]", [(piece, len(piece)) for piece in pieces])
        request = ffi.new("struct uet_request *", {
            "opcode": opcode, "flags": end_flags(wait, cookie, flags) | own_flags,
            "cookie": cookie or 0, "tag": tag, "rma": (key, offset),
            "local": own, "iov": vector, "iov_count": len(vector)})
        if header_data is not None:
            request.flags |= lib.UET_F_HDATA
            request.header_data = header_data
        address = parse(peer) if isinstance(peer, str) else None
        if address:
            address.suet_job = self.job
            request.to = address
        else:
            request.peer = peer
        check(self._handle, lib.uet_request(self._handle, request))
        if request.flags & lib.UET_F_ZEROCOPY:
            held += pieces
        if held and not wait:
            self._hold(cookie, held)

    def send(self, peer, data, *, tag=None, **how):
        """Send a message; with a tag for a receive with these match bits.

        One of more than 1024 bytes that nobody receives fills the buffer of its receiver;
        request() with OP_DEFERRABLE_SEND or OP_DEFERRABLE_TSEND keeps it here until then.
        """
        opcode = lib.UET_OP_SEND if tag is None else lib.UET_OP_TAGGED_SEND
        self.request(opcode, peer, data, tag=tag or 0, **how)

    def put(self, peer, key, data, offset=0, **how):
        """Write to the region of the peer with the key."""
        self.request(lib.UET_OP_WRITE, peer, data, key=key, offset=offset, **how)

    def get(self, peer, key, into, offset=0, **how):
        """Read from the region of the peer into a Region, a Part or a writable buffer.

        into: or a number of bytes: the call waits, and returns them as a bytearray
        """
        if isinstance(into, int):
            into = bytearray(into)
            how["wait"] = True
        self.request(lib.UET_OP_READ, peer, key=key, offset=offset, into=into, **how)
        return into

    def atomic(self, peer, key, op, operands, *, type=lib.UET_DT_UINT64, compare=None,
               offset=0, wait=False, cookie=None, flags=0):
        """Change values in the region of the peer: op AMO_*, type DT_*.

        operands: a number, or an object with the buffer protocol that has one or more
        """
        values = operand(operands, type)
        count = len(values) // SIZES.get(type, 1) if values else 1
        check(self._handle, lib.uet_atomic(
            self._handle, peer, (key, offset), op, type, values, operand(compare, type),
            count, end_flags(wait, cookie, flags), cookie or 0))

    def fetch(self, peer, key, op, operand_=None, *, old=None, type=lib.UET_DT_UINT64,
              compare=None, offset=0, wait=False, cookie=None, flags=0):
        """Change one value, and read the old one into a Region, a Part or a buffer.

        old: None: the call waits, and returns the old value
        """
        value = bytearray(SIZES.get(type, 8)) if old is None else None
        own, own_flags, held = place(old if value is None else value)
        wait = wait or value is not None
        check(self._handle, lib.uet_fetch(
            self._handle, peer, (key, offset), op, type, operand(operand_, type),
            operand(compare, type), own, end_flags(wait, cookie, flags) | own_flags,
            cookie or 0))
        if held and not wait:
            self._hold(cookie, held)
        if value is None:
            return old
        return struct.unpack(FORMATS[type], value)[0] if type in FORMATS else bytes(value)
