# SPDX-License-Identifier: GPL-2.0
"""UET packets, byte by byte from the tables of the specification.

Nothing here is shared with the module: a second reading of the same text finds
errors of the first.  Layouts: UE 1.0.1 3.5.10 (PDS), 3.4 (SES), 3.5.25 (CRC).
All values are integers; a 24-bit field is 3 bytes.
"""
import struct

PORT = 4793

RUD_REQ, ROD_REQ = 2, 3
ACK, ACK_CC, ACK_CCX, NACK, CP, NACK_CCX = 7, 8, 9, 10, 11, 12
RETX, AR, SYN, P, REQ_CLEAR = 0x10, 0x08, 0x04, 0x08, 0x02
NH_NONE, NH_STD, NH_RESPONSE, NH_DATA = 0, 3, 4, 5
NOOP, ACK_REQUEST, CLEAR_COMMAND, CLOSE_COMMAND, PROBE = 0, 1, 2, 4, 6

WRITE, READ, ATOMIC, FETCHING_ATOMIC, SEND = 1, 2, 3, 4, 5
DEFERRABLE_SEND, RTR = 8, 12
IE, REL, HD, EOM, SOM = 0x10, 0x08, 0x04, 0x02, 0x01
DEFAULT, RESPONSE, W_DATA, NO_RESPONSE = 0, 1, 2, 3
RC_OK, RC_NO_MATCH, OVERFLOW = 1, 5, 1
SUM, CSWAP, UINT64 = 2, 13, 7
INVALID_SYN, NEW_START_PSN, ROD_OOO = 0x15, 0x17, 0x0d
INV_DPDCID, PDC_HDR_MISMATCH, CLOSING = 0x0e, 0x0f, 0x10

REQUEST = struct.Struct(">BBHB3sHHQIQQI")


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def prologue(kind, next_hdr, flags):
    return kind << 11 | next_hdr << 7 | flags


def signed16(value):
    return value - 0x10000 if value & 0x8000 else value


def request(opcode, flags, mid, length, offset=0, match=0, data=0, job=1,
            pid=5, ri=1, initiator=16):
    """An SES request in the standard form; DATA is header_data or the segment."""
    return REQUEST.pack(opcode, flags | REL, mid, 0, job.to_bytes(3, "big"),
                        pid, ri, offset, initiator, match, data, length)


def segment(length, offset):
    """The words of a packet without som in the place of header_data."""
    return length << 32 | offset


def atomic(opcode, datatype, compare=None, swap=None):
    """The extension of an atomic; with operands that of a swap."""
    ext = bytes((opcode, datatype, 0, 0))
    if compare is not None:
        ext += compare.to_bytes(16, "big") + swap.to_bytes(16, "big")
    return ext


def response(opcode, rc, mid, modified, which=0, job=1):
    return struct.pack(">BBHB3sI", which << 6 | opcode, rc, mid, 0,
                       job.to_bytes(3, "big"), modified)


def response_data(mid, length, modified, offset, data, job=1):
    return struct.pack(">BBHB3sHHII", W_DATA, RC_OK, mid, 0,
                       job.to_bytes(3, "big"), mid, length, modified,
                       offset) + data


class Packet:
    """A received packet: the PDS header, and the SES header behind it."""

    def __init__(self, data):
        word, = struct.unpack_from(">H", data)
        self.kind, self.next_hdr, self.flags = word >> 11, word >> 7 & 15, word & 0x7f
        self.rest = b""
        if self.kind in (RUD_REQ, ROD_REQ, CP):
            self.clear, self.psn, self.spdcid, self.dpdcid = \
                struct.unpack_from(">HIHH", data, 2)
            self.rest = data[16 if self.kind == CP else 12:]
        elif self.kind in (ACK, ACK_CC, ACK_CCX):
            offset, self.cack, self.spdcid, self.dpdcid = \
                struct.unpack_from(">HIHH", data, 2)
            self.psn = self.cack + signed16(offset) & 0xffffffff
            self.rest = data[{ACK: 12, ACK_CC: 32, ACK_CCX: 40}[self.kind]:]
        elif self.kind in (NACK, NACK_CCX):
            self.code, _, self.psn, self.spdcid, self.dpdcid, self.payload = \
                struct.unpack_from(">BBIHHI", data, 2)

    def is_request(self):
        return self.kind in (RUD_REQ, ROD_REQ)


class Request:
    """The SES request of a packet."""

    def __init__(self, data):
        (self.opcode, self.flags, self.mid, _, job, self.pid, self.ri,
         self.offset, self.initiator, self.match, self.data,
         self.length) = REQUEST.unpack_from(data)
        self.opcode &= 0x3f
        self.job = int.from_bytes(job, "big")
        self.payload = data[REQUEST.size:]
        self.at = 0 if self.flags & SOM else self.data & 0xffffffff


class Response:
    """The SES response of a packet, with data or without."""

    def __init__(self, next_hdr, data):
        self.list, self.opcode = data[0] >> 6, data[0] & 0x3f
        self.rc = data[1] & 0x3f
        self.mid, = struct.unpack_from(">H", data, 2)
        self.data = b""
        if next_hdr == NH_DATA:
            self.read_mid, length, self.modified, self.offset = \
                struct.unpack_from(">HHII", data, 8)
            self.data = data[20:20 + (length & 0x3fff)]
        else:
            self.modified, = struct.unpack_from(">I", data, 8)
