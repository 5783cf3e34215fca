#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# A decoder of UET captures that is typed from the text of the specification.  It shares
# no table and no code with the core, so a field that the core misreads differs here.
# It is strict: reserved bits must be 0, codes must be defined, lengths must fit, and
# the CRC must be right.
#
# usage: wire_spec.py [OPTION]... CAPTURE FIELDS SEEN
#   --crc on|off|auto  packets have a CRC trailer; auto: those have one that end with it
#   --fields-only      no line about packets that are not legal
#   --port N, --proto N
#   CAPTURE  a pcap file of Ethernet frames or IP packets
#   FIELDS   result: a line "NUMBER FIELD VALUE" for each field, in the notation of
#            wire_core.c; "NUMBER malformed REASON" for each packet that is not legal
#   SEEN     result: a line "KIND NAME" for each type and code in a legal packet
#
# Spec: UE 1.0.1 3.4, 3.5.10, 3.5.12.7, 3.5.16, 3.5.25, 3.6.9, 3.7.11.

import argparse
import struct
import sys


class Malformed(Exception):
    pass


# Table 3-32: name and bytes of the header.
TYPES = {
    2: ("RUD_REQ", 12), 3: ("ROD_REQ", 12), 4: ("RUDI_REQ", 8), 5: ("RUDI_RESP", 8),
    6: ("UUD_REQ", 4), 7: ("ACK", 12), 8: ("ACK_CC", 32), 9: ("ACK_CCX", 40),
    10: ("NACK", 16), 11: ("CP", 16), 12: ("NACK_CCX", 32), 13: ("RUD_CC_REQ", 16),
    14: ("ROD_CC_REQ", 16),
}
REQUESTS = (2, 3, 13, 14)
ACKS = (7, 8, 9)
NACKS = (10, 12)

# 3.5.10.2: the flags of each type; the other bits are reserved.
FLAGS_REQUEST = (("retx", 0x10), ("ar", 0x08), ("syn", 0x04))
FLAGS_ACK = (("m", 0x20), ("retx", 0x10), ("p", 0x08), ("req", 0x06))
FLAGS_NACK = (("m", 0x20), ("retx", 0x10), ("nt", 0x08))
FLAGS_CP = (("isrod", 0x20), ("retx", 0x10), ("ar", 0x08), ("syn", 0x04))
FLAGS = {2: FLAGS_REQUEST, 3: FLAGS_REQUEST, 13: FLAGS_REQUEST, 14: FLAGS_REQUEST,
         4: (("retx", 0x10),), 5: (("m", 0x20), ("retx", 0x10)), 6: (),
         7: FLAGS_ACK, 8: FLAGS_ACK, 9: FLAGS_ACK, 10: FLAGS_NACK, 12: FLAGS_NACK,
         11: FLAGS_CP}

# Table 3-16
NEXT_HEADERS = {
    0: "NONE", 1: "REQUEST_SMALL", 2: "REQUEST_MEDIUM", 3: "REQUEST_STD", 4: "RESPONSE",
    5: "RESPONSE_DATA", 6: "RESPONSE_DATA_SMALL",
}

# Table 3-66: name, AR, may carry SYN, the PSN field is 0.
CONTROLS = {
    0: ("NOOP", 1, True, False), 1: ("ACK_REQUEST", 1, False, False),
    2: ("CLEAR_COMMAND", 0, False, True), 3: ("CLEAR_REQUEST", 0, False, True),
    4: ("CLOSE_COMMAND", 1, False, False), 5: ("CLOSE_REQUEST", 1, False, False),
    6: ("PROBE", 1, False, True), 7: ("CREDIT", 0, False, True),
    8: ("CREDIT_REQUEST", 0, False, True), 9: ("NEGOTIATION", 1, True, False),
}

# Tables 3-58 and 3-59
NACK_CODES = {
    0x01: ("TRIMMED", "NORMAL"), 0x02: ("TRIMMED_LASTHOP", "NORMAL"),
    0x03: ("TRIMMED_ACK", "NORMAL"), 0x04: ("NO_PDC_AVAIL", "NORMAL"),
    0x05: ("NO_CCC_AVAIL", "NORMAL"), 0x06: ("NO_BITMAP", "NORMAL"),
    0x07: ("NO_PKT_BUFFER", "NORMAL"), 0x08: ("NO_GTD_DEL_AVAIL", "NORMAL"),
    0x09: ("NO_SES_MSG_AVAIL", "NORMAL"), 0x0a: ("NO_RESOURCE", "NORMAL"),
    0x0b: ("PSN_OOR_WINDOW", "NORMAL"), 0x0d: ("ROD_OOO", "NORMAL"),
    0x0e: ("INV_DPDCID", "PDC_FATAL"), 0x0f: ("PDC_HDR_MISMATCH", "PDC_FATAL"),
    0x10: ("CLOSING", "PDC_FATAL"), 0x11: ("CLOSING_IN_ERR", "PDC_FATAL"),
    0x12: ("PKT_NOT_RCVD", "NORMAL"), 0x13: ("GTD_RESP_UNAVAIL", "PDC_FATAL"),
    0x14: ("ACK_WITH_DATA", "NORMAL"), 0x15: ("INVALID_SYN", "PDC_ERR"),
    0x16: ("PDC_MODE_MISMATCH", "PDC_FATAL"), 0x17: ("NEW_START_PSN", "NORMAL"),
    0x18: ("RCVD_SES_PROCG", "NORMAL"), 0x19: ("UNEXP_EVENT", "PDC_FATAL"),
    0x1a: ("RCVR_INFER_LOSS", "NORMAL"), 0xfd: ("EXP_NACK_NORMAL", "NORMAL"),
    0xfe: ("EXP_NACK_ERR", "PDC_ERR"), 0xff: ("EXP_NACK_FATAL", "PDC_FATAL"),
}
# Table 3-58: no PDC exists for the refused packet, so spdcid is 0.
NACKS_WITHOUT_PDC = (0x04, 0x05, 0x06, 0x0e)
ROD_OOO, NEW_START_PSN = 0x0d, 0x17

# Table 3-17
OPCODES = {
    0x00: "NO_OP", 0x01: "WRITE", 0x02: "READ", 0x03: "ATOMIC",
    0x04: "FETCHING_ATOMIC", 0x05: "SEND", 0x06: "RENDEZVOUS_SEND",
    0x07: "DATAGRAM_SEND", 0x08: "DEFERRABLE_SEND", 0x09: "TAGGED_SEND",
    0x0a: "RENDEZVOUS_TSEND", 0x0b: "DEFERRABLE_TSEND", 0x0c: "DEFERRABLE_RTR",
    0x0d: "TSEND_ATOMIC", 0x0e: "TSEND_FETCH_ATOMIC", 0x0f: "MSG_ERROR",
}
RMA = (0x01, 0x02, 0x03, 0x04)
ATOMICS = (0x03, 0x04, 0x0d, 0x0e)
RENDEZVOUS = (0x06, 0x0a)
DEFERRABLE = (0x08, 0x0b)
RTR, MSG_ERROR, READ, NO_OP = 0x0c, 0x0f, 0x02, 0x00
DATAGRAM = 0x07

# Table 3-18
RESPONSES = {0: "DEFAULT", 1: "RESPONSE", 2: "RESPONSE_W_DATA", 3: "NO_RESPONSE"}

# Table 3-19
RETURN_CODES = (
    "NULL OK BAD_GENERATION DISABLED DISABLED_GEN NO_MATCH UNSUPPORTED_OP "
    "UNSUPPORTED_SIZE AT_INVALID AT_PERM AT_ATS_ERROR AT_NO_TRANS AT_OUT_OF_RANGE "
    "HOST_POISONED HOST_UNSUCCESS_CMPL AMO_UNSUPPORTED_OP AMO_UNSUPPORTED_DT "
    "AMO_UNSUPPORTED_SIZE AMO_UNALIGNED AMO_FP_NAN AMO_FP_UNDERFLOW AMO_FP_OVERFLOW "
    "AMO_FP_INEXACT PERM_VIOLATION OP_VIOLATION BAD_INDEX BAD_PID BAD_JOB_ID BAD_MKEY "
    "BAD_ADDR CANCELLED UNDELIVERABLE UNCOR UNCOR_TRNSNT TOO_LONG INITIATOR_ERROR "
    "DROPPED").split()

# Table 3-21; the last operations before INVAL have both operands in the extension.
AMO_OPS = ("MIN MAX SUM DIFF PROD LOR LAND BOR BAND LXOR BXOR READ WRITE CSWAP CSWAP_NE "
           "CSWAP_LE CSWAP_LT CSWAP_GE CSWAP_GT MSWAP INVAL").split()
# Table 3-22
DATATYPES = ("INT8 UINT8 INT16 UINT16 INT32 UINT32 INT64 UINT64 INT128 UINT128 FLOAT "
             "DOUBLE FLOAT_COMPLEX DOUBLE_COMPLEX LONG_DOUBLE LONG_DOUBLE_COMPLEX BF16 "
             "FP16").split()
# Bytes of the datatypes that are one number of at most 64 bits.
NUMBER_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 8, 7: 8, 10: 4, 11: 8, 16: 2, 17: 2}

PAYLOAD_MTU_MAX = 8192


# 3.5.25: CRC-32C, reflected polynomial 0x82f63b78.
def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def signed16(value):
    return value - 0x10000 if value & 0x8000 else value


class Packet:
    """One packet: its bytes, the position of the reader, and the results."""

    def __init__(self, number, data):
        self.number = number
        self.data = data
        self.at = 0
        self.fields = []
        self.seen = []
        self.faults = []

    def need(self, length, what):
        if len(self.data) - self.at < length:
            raise Malformed("%s is cut short" % what)

    def uint(self, offset, length):
        start = self.at + offset
        return int.from_bytes(self.data[start:start + length], "big")

    def bytes(self, offset, length):
        return self.data[self.at + offset:self.at + offset + length]

    # The packet is not legal, but its fields can be read.
    def fault(self, why):
        self.faults.append(why)

    def zero(self, value, what):
        if value:
            self.fault("%s is %#x, not 0" % (what, value))

    def dec(self, name, value):
        self.fields.append("uet.%s %d" % (name, value))

    def hex(self, name, digits, value):
        self.fields.append("uet.%s 0x%0*x" % (name, digits, value))

    def text(self, name, value):
        self.fields.append("uet.%s %s" % (name, value))

    def saw(self, kind, name):
        self.seen.append("%s %s" % (kind, name))

    def rest(self):
        return len(self.data) - self.at


def name_of(p, names, code, what):
    if code < len(names):
        return names[code]
    p.fault("%s %#x is reserved" % (what, code))
    return "reserved"


# ------------------------------------------------------------------------- PDS

# Tables 3-33 and 3-38: the 16 bits behind spdcid.
def read_destination(p, syn, psn):
    word = p.uint(10, 2)
    if not syn:
        p.dec("pds.dpdcid", word)
        return
    p.zero(word >> 12 & 7, "reserved bits of pdc_info")
    p.hex("pds.pdc_info", 4, word >> 12)
    p.dec("pds.use_rsv_pdc", word >> 15)
    p.dec("pds.psn_offset", word & 0xfff)
    p.dec("pds.start_psn", psn - (word & 0xfff) & 0xffffffff)


# Tables 3-33 and 3-34
def read_request(p, kind, flags):
    clear, psn = signed16(p.uint(2, 2)), p.uint(4, 4)
    if clear > 0:
        p.fault("clear_psn_offset %d is positive" % clear)
    if not p.uint(8, 2):
        p.fault("spdcid 0 is reserved")
    p.dec("pds.clear_psn_offset", clear)
    p.dec("pds.clear_psn", psn + clear & 0xffffffff)
    p.dec("pds.psn", psn)
    p.dec("pds.spdcid", p.uint(8, 2))
    read_destination(p, flags & 0x04, psn)
    if kind in (13, 14):
        p.dec("pds.ccc_id", p.uint(12, 1))
        p.dec("pds.credit_target", p.uint(13, 3))


# Table 3-74
def read_nscc(p):
    time = p.uint(24, 2)
    p.dec("pds.service_time", time)
    if time not in (0, 0xffff):
        p.dec("pds.service_time_ns", time * 128)
    p.dec("pds.restore_cwnd", p.uint(26, 1) >> 7)
    p.dec("pds.rcv_cwnd_pend", p.uint(26, 1) & 0x7f)
    p.dec("pds.rcvd_bytes", p.uint(27, 3))
    p.dec("pds.ooo_count", p.uint(30, 2))


# Table 3-75
def read_credit(p):
    p.zero(p.uint(27, 3), "reserved bits of the credit state")
    p.dec("pds.credit", p.uint(24, 3))
    p.dec("pds.ooo_count", p.uint(30, 2))


# Tables 3-36 and 3-37
def read_ack_cc(p, kind, cack):
    cc_type, base = p.uint(12, 1) >> 4, cack + signed16(p.uint(14, 2)) & 0xffffffff
    bitmap = p.uint(16, 8)
    p.zero(p.uint(12, 1) & 0xf, "cc_flags")
    p.dec("pds.ccx_type" if kind == 9 else "pds.cc_type", cc_type)
    p.hex("pds.cc_flags", 2, p.uint(12, 1) & 0xf)
    p.dec("pds.mpr", p.uint(13, 1))
    p.dec("pds.mpr_psns", p.uint(13, 1) * 128)
    p.dec("pds.sack_psn_offset", signed16(p.uint(14, 2)))
    p.dec("pds.sack_psn", base)
    p.hex("pds.sack_bitmap", 16, bitmap)
    bits = [base + bit & 0xffffffff for bit in range(64) if bitmap >> bit & 1]
    if bits:
        p.text("pds.sacked_psn", ",".join(str(psn) for psn in bits))
    if kind == 9:
        p.text("pds.cc_state", p.bytes(24, 16).hex())
    elif cc_type == 0:
        p.saw("cc_type", "NSCC")
        read_nscc(p)
    elif cc_type == 1:
        p.saw("cc_type", "CREDIT")
        read_credit(p)
    else:
        p.fault("cc_type %d is reserved" % cc_type)
        p.text("pds.cc_state", p.bytes(24, 8).hex())


# Table 3-35
def read_ack(p, kind, flags):
    cack = p.uint(4, 4)
    if not p.uint(8, 2) or not p.uint(10, 2):
        p.fault("PDCID 0 is reserved")
    if flags & 0x08:
        p.saw("ack", "PROBE")
        p.hex("pds.probe_opaque", 4, p.uint(2, 2))
    else:
        p.dec("pds.ack_psn_offset", signed16(p.uint(2, 2)))
        p.dec("pds.ack_psn", cack + signed16(p.uint(2, 2)) & 0xffffffff)
    # Table 3-44
    p.saw("req", name_of(p, ("NO_REQUEST", "REQ_CLEAR", "REQ_CLOSE"), flags >> 1 & 3,
                         "REQ"))
    p.dec("pds.cack_psn", cack)
    p.dec("pds.spdcid", p.uint(8, 2))
    p.dec("pds.dpdcid", p.uint(10, 2))
    if kind != 7:
        read_ack_cc(p, kind, cack)


# Tables 3-40 and 3-41
def read_nack(p, kind, flags):
    code, payload = p.uint(2, 1), p.uint(12, 4)
    if code not in NACK_CODES:
        p.fault("NACK code %#x is reserved" % code)
    name, error = NACK_CODES.get(code, ("reserved", "reserved"))
    is_rudi = flags & 0x08
    if code in NACKS_WITHOUT_PDC or is_rudi:
        p.zero(p.uint(8, 2), "spdcid of %s" % name)
    if is_rudi:
        p.zero(p.uint(10, 2), "dpdcid of a RUDI NACK")
    if code not in (ROD_OOO, NEW_START_PSN):
        p.zero(payload, "payload of %s" % name)
    p.zero(p.uint(3, 1), "vendor_code")
    p.saw("nack", name)
    p.hex("pds.nack_code", 2, code)
    p.text("pds.nack_class", error)
    p.hex("pds.vendor_code", 2, p.uint(3, 1))
    p.dec("pds.nack_pkt_id" if is_rudi else "pds.nack_psn", p.uint(4, 4))
    p.dec("pds.spdcid", p.uint(8, 2))
    p.dec("pds.dpdcid", p.uint(10, 2))
    p.hex("pds.nack_payload", 8, payload)
    if code == ROD_OOO:
        p.dec("pds.expected_psn", payload)
    if code == NEW_START_PSN:
        p.dec("pds.start_psn", payload)
    if kind == 12:
        p.dec("pds.nccx_type", p.uint(16, 1) >> 4)
        p.text("pds.nccx_state", p.bytes(16, 16).hex())


# Tables 3-64 to 3-66
def read_cp_payload(p, ctl):
    payload = p.uint(12, 4)
    p.hex("pds.cp_payload", 8, payload)
    if ctl in (0, 4, 5):
        p.zero(payload, "payload of %s" % CONTROLS[ctl][0])
    elif ctl == 1:
        p.zero(payload >> 16, "bits above the message id of ACK_REQUEST")
        p.dec("pds.message_id", payload & 0xffff)
    elif ctl in (2, 3):
        p.dec("pds.clear_psn", payload)
    elif ctl == 6:
        p.dec("pds.sack_psn", payload)
    elif ctl == 7:
        p.zero(payload & 0xff, "reserved bits of CREDIT")
        p.dec("pds.credit", payload >> 8)
    elif ctl == 8:
        p.dec("pds.ccc_id", payload >> 24)
        p.dec("pds.credit_target", payload & 0xffffff)
    elif payload >> 16 == 0x0102:
        # 3.5.16.7.1 of 1.0.3: type 1, length 2, a mask of features behind.
        p.need(20, "PDS_NEG_ON_OFF")
        p.dec("pds.neg_type", 1)
        p.dec("pds.neg_length", 2)
        p.hex("pds.neg_mask", 8, p.uint(16, 4))
        return 20
    return 16


# Table 3-38
def read_cp(p, ctl, flags):
    if ctl not in CONTROLS:
        raise Malformed("control type %d is reserved" % ctl)
    name, ar, may_syn, no_psn = CONTROLS[ctl]
    if bool(flags & 0x08) != bool(ar):
        p.fault("AR of %s must be %d" % (name, ar))
    if flags & 0x24 and not may_syn:
        p.fault("%s cannot open a PDC, flags %#x" % (name, flags))
    if no_psn:
        p.zero(p.uint(4, 4), "psn of %s" % name)
    if ctl != 6:
        p.zero(p.uint(2, 2), "probe_opaque of %s" % name)
    if not p.uint(8, 2):
        p.fault("spdcid 0 is reserved")
    p.saw("cp", name)
    p.hex("pds.probe_opaque", 4, p.uint(2, 2))
    p.dec("pds.psn", p.uint(4, 4))
    p.dec("pds.spdcid", p.uint(8, 2))
    read_destination(p, flags & 0x04, p.uint(4, 4))
    return read_cp_payload(p, ctl)


# Table 3-39
def read_rudi(p):
    p.zero(p.uint(2, 2), "reserved bits of a RUDI header")
    p.dec("pds.pkt_id", p.uint(4, 4))


# 3.5.10.2: the header that next_hdr announces must suit the packet type, Table 3-16.
def check_next_header(kind, next_hdr):
    if next_hdr not in NEXT_HEADERS:
        raise Malformed("next_hdr %d is reserved" % next_hdr)
    allowed = {4: (1, 2, 3), 5: (4, 5, 6), 6: (2, 3), 10: (0,), 12: (0,)}
    if kind in REQUESTS:
        legal = (1, 2, 3, 5, 6)
    elif kind in ACKS:
        legal = (0, 4, 5, 6)
    else:
        legal = allowed[kind]
    if next_hdr not in legal:
        raise Malformed("next_hdr %d in a %s" % (next_hdr, TYPES[kind][0]))


# Table 3-32; returns next_hdr.
def read_pds(p):
    p.need(2, "prologue")
    word = p.uint(0, 2)
    kind, next_hdr, flags = word >> 11, word >> 7 & 0xf, word & 0x7f
    if kind not in TYPES:
        raise Malformed("packet type %d is reserved" % kind)
    name, length = TYPES[kind]
    p.need(length, name)
    p.saw("type", name)
    p.dec("pds.type", kind)
    p.dec("pds.ctl_type" if kind == 11 else "pds.next_hdr", next_hdr)
    p.hex("pds.flags", 4, flags)
    known = 0
    for flag, mask in FLAGS[kind]:
        value = flags & mask
        known |= mask
        p.dec("pds.flags." + flag, value >> 1 if flag == "req" else bool(value))
        if value and flag != "req":
            p.saw("flag", "%s.%s" % (name, flag))
    p.zero(flags & ~known, "reserved flags of %s" % name)
    if kind == 11:
        length = read_cp(p, next_hdr, flags)
        next_hdr = 0
    else:
        check_next_header(kind, next_hdr)
        p.saw("next_hdr", "%s.%s" % (name, NEXT_HEADERS[next_hdr]))
    if kind in REQUESTS:
        read_request(p, kind, flags)
    elif kind in ACKS:
        read_ack(p, kind, flags)
    elif kind in NACKS:
        read_nack(p, kind, flags)
    elif kind in (4, 5):
        read_rudi(p)
    elif kind == 6:
        p.zero(p.uint(2, 2), "reserved bits of a UUD header")
    p.at += length
    return next_hdr


# ------------------------------------------------------------------------- SES

# The part that all requests have in common, 3.4.
def read_common(p, next_hdr):
    opcode, flags = p.uint(0, 1), p.uint(1, 1)
    p.zero(opcode >> 6, "reserved bits above the opcode")
    p.zero(flags >> 6, "version")
    if opcode not in OPCODES:
        raise Malformed("opcode %#x is reserved" % opcode)
    if next_hdr == 1:
        p.zero(flags & 0x04, "reserved flag of a small request")
    p.zero(p.uint(8, 2) >> 12, "reserved bits above PIDonFEP")
    p.zero(p.uint(10, 2) >> 12, "reserved bits above resource_index")
    p.saw("opcode", OPCODES[opcode])
    p.hex("ses.opcode", 2, opcode)
    p.dec("ses.version", flags >> 6)
    p.dec("ses.dc", flags >> 5 & 1)
    p.dec("ses.ie", flags >> 4 & 1)
    p.dec("ses.rel", flags >> 3 & 1)
    if next_hdr != 1:
        p.dec("ses.hd", flags >> 2 & 1)
    p.dec("ses.eom", flags >> 1 & 1)
    p.dec("ses.som", flags & 1)
    if next_hdr == 3:
        p.dec("ses.message_id", p.uint(2, 2))
    else:
        p.zero(p.uint(2, 2) >> 14, "reserved bits above request_length")
        p.dec("ses.request_length", p.uint(2, 2) & 0x3fff)
        if flags & 3 != 3:
            p.fault("a short header without som and eom")
    p.dec("ses.ri_generation", p.uint(4, 1))
    p.dec("ses.job", p.uint(5, 3))
    p.dec("ses.pid", p.uint(8, 2) & 0xfff)
    p.dec("ses.ri", p.uint(10, 2) & 0xfff)
    return opcode, flags


# Figure 3-13
def read_small(p, opcode):
    if opcode not in (0x01, 0x02, 0x03, 0x04):
        p.fault("a small request of %s" % OPCODES[opcode])
    p.hex("ses.buffer_offset", 16, p.uint(12, 8))


# Figure 3-14
def read_medium(p, opcode, flags):
    if opcode in RENDEZVOUS + DEFERRABLE + (RTR, MSG_ERROR, NO_OP):
        p.fault("a medium request of %s" % OPCODES[opcode])
    p.hex("ses.header_data" if flags & 0x04 else "ses.buffer_offset", 16, p.uint(12, 8))
    p.dec("ses.initiator", p.uint(20, 4))
    p.hex("ses.memory_key" if opcode in RMA else "ses.match_bits", 16, p.uint(24, 8))


# Figures 3-9 to 3-12; returns payload_length and message_offset of a later packet.
def read_standard(p, opcode, flags):
    som = flags & 1
    if opcode in DEFERRABLE:
        p.hex("ses.initiator_token", 8, p.uint(12, 4))
        p.hex("ses.target_token", 8, p.uint(16, 4))
    else:
        p.hex("ses.buffer_offset", 16, p.uint(12, 8))
    p.dec("ses.initiator", p.uint(20, 4))
    if opcode == RTR:
        p.hex("ses.initiator_token", 8, p.uint(24, 4))
        p.hex("ses.target_token", 8, p.uint(28, 4))
    else:
        p.hex("ses.memory_key" if opcode in RMA else "ses.match_bits", 16, p.uint(24, 8))
    p.dec("ses.request_length", p.uint(40, 4))
    if som or opcode == RTR:
        p.hex("ses.header_data", 16, p.uint(32, 8))
        return None
    p.zero(p.uint(32, 4) >> 14, "reserved bits above payload_length")
    p.dec("ses.payload_length", p.uint(34, 2) & 0x3fff)
    p.dec("ses.message_offset", p.uint(36, 4))
    return p.uint(34, 2) & 0x3fff, p.uint(36, 4)


# Figure 3-15
def read_rendezvous(p):
    p.need(24, "rendezvous extension")
    p.dec("ses.rdv.eager_length", p.uint(0, 4))
    p.dec("ses.rdv.ri_generation", p.uint(4, 1))
    p.dec("ses.rdv.pid", p.uint(5, 3) >> 12)
    p.dec("ses.rdv.ri", p.uint(5, 3) & 0xfff)
    p.hex("ses.rdv.offset", 16, p.uint(8, 8))
    p.hex("ses.rdv.key", 16, p.uint(16, 8))
    eager = p.uint(0, 4)
    p.at += 24
    return eager


# Figures 3-16 and 3-17; returns whether operands follow. The first operand is shown as
# a number in network order.
def read_atomic(p):
    p.need(4, "atomic extension")
    opcode, datatype, control = p.uint(0, 1), p.uint(1, 1), p.uint(2, 1)
    if opcode >= len(AMO_OPS):
        raise Malformed("atomic opcode %#x is reserved" % opcode)
    datatype_name = name_of(p, DATATYPES, datatype, "datatype")
    p.zero(control & ~3, "reserved bits of semantic control")
    p.zero(p.uint(3, 1), "reserved byte of the atomic extension")
    p.saw("amo", AMO_OPS[opcode])
    p.saw("datatype", datatype_name)
    p.hex("ses.amo.opcode", 2, opcode)
    p.hex("ses.amo.datatype", 2, datatype)
    p.hex("ses.amo.control", 2, control)
    p.dec("ses.amo.cacheable", control & 1)
    p.dec("ses.amo.coherent", control >> 1 & 1)
    if "SWAP" not in AMO_OPS[opcode]:
        p.at += 4
        size = NUMBER_SIZES.get(datatype)
        if size and size <= p.rest():
            p.hex("ses.amo.operand", 16, p.uint(0, size))
        return True
    p.need(36, "compare and swap extension")
    p.text("ses.amo.compare", p.bytes(4, 16).hex())
    p.text("ses.amo.swap", p.bytes(20, 16).hex())
    p.at += 36
    return False


# Bytes of the message in this packet against the lengths of its header.
def check_data(p, opcode, flags, length, segment, eager, has_data):
    data = p.rest()
    if data > PAYLOAD_MTU_MAX:
        p.fault("%d bytes of payload" % data)
    if not has_data:
        p.zero(data, "bytes behind a %s" % OPCODES[opcode])
        return
    total = length if eager is None else eager
    offset = segment[1] if segment else 0
    if segment and segment[0] != data:
        p.fault("payload_length %d, %d bytes" % (segment[0], data))
    if offset + data > total:
        p.fault("%d bytes at %d of %d" % (data, offset, total))
    ends = offset + data == total
    if flags & 2 and not ends and opcode not in DEFERRABLE + ATOMICS + (MSG_ERROR,):
        p.fault("eom before the last byte")


def read_ses_request(p, next_hdr):
    size = {1: 20, 2: 32, 3: 44}[next_hdr]
    p.need(size, "request header")
    opcode, flags = read_common(p, next_hdr)
    segment, eager = None, None
    length = p.uint(2, 2) & 0x3fff if next_hdr != 3 else p.uint(40, 4)
    if next_hdr == 1:
        read_small(p, opcode)
    elif next_hdr == 2:
        read_medium(p, opcode, flags)
    else:
        segment = read_standard(p, opcode, flags)
    p.at += size
    has_data = opcode not in (NO_OP, READ, RTR, MSG_ERROR)
    if opcode in RENDEZVOUS:
        eager = read_rendezvous(p)
    elif opcode in ATOMICS:
        has_data = read_atomic(p)
    check_data(p, opcode, flags, length, segment, eager, has_data)


# Tables 3-11 to 3-13
def read_ses_response(p, next_hdr):
    size = {4: 12, 5: 20, 6: 12}[next_hdr]
    p.need(size, "response header")
    opcode, code = p.uint(0, 1) & 0x3f, p.uint(1, 1) & 0x3f
    if opcode not in RESPONSES:
        raise Malformed("response opcode %#x is reserved" % opcode)
    if (opcode == 2) != (next_hdr != 4):
        raise Malformed("%s under next_hdr %d" % (RESPONSES[opcode], next_hdr))
    code_name = name_of(p, RETURN_CODES, code, "return code")
    list_name = name_of(p, ("EXPECTED", "OVERFLOW"), p.uint(0, 1) >> 6, "list")
    p.zero(p.uint(1, 1) >> 6, "version of a response")
    p.saw("response", RESPONSES[opcode])
    p.saw("list", list_name)
    p.saw("rc", code_name)
    p.dec("ses.rsp.list", p.uint(0, 1) >> 6)
    p.hex("ses.rsp.opcode", 2, opcode)
    p.dec("ses.version", p.uint(1, 1) >> 6)
    p.hex("ses.rsp.return_code", 2, code)
    p.dec("ses.job", p.uint(5, 3))
    stated = None
    if next_hdr == 4:
        p.dec("ses.message_id", p.uint(2, 2))
        p.dec("ses.ri_generation", p.uint(4, 1))
        p.dec("ses.rsp.modified_length", p.uint(8, 4))
    elif next_hdr == 5:
        p.zero(p.uint(4, 1), "reserved byte of a response with data")
        p.zero(p.uint(10, 2) >> 14, "reserved bits above payload_length")
        stated = p.uint(10, 2) & 0x3fff
        p.dec("ses.message_id", p.uint(2, 2))
        p.dec("ses.rsp.read_message_id", p.uint(8, 2))
        p.dec("ses.payload_length", stated)
        p.dec("ses.rsp.modified_length", p.uint(12, 4))
        p.dec("ses.message_offset", p.uint(16, 4))
    else:
        p.zero(p.uint(2, 2) >> 14, "reserved bits above payload_length")
        p.zero(p.uint(4, 1), "reserved byte of a small response")
        stated = p.uint(2, 2) & 0x3fff
        p.dec("ses.payload_length", stated)
        p.dec("ses.rsp.original_psn", p.uint(8, 4))
    p.at += size
    if (stated or 0) != p.rest():
        p.fault("payload_length %s, %d bytes" % (stated, p.rest()))


# ------------------------------------------------------------------------- TSS

# Table 3-90; the packet behind it is ciphertext with an ICV of 16 bytes.
def read_tss(p):
    has_ssi = p.uint(0, 1) >> 2 & 1
    size = 16 if has_ssi else 12
    p.need(size + 16, "security header and ICV")
    p.zero(p.uint(0, 1) & 0x02, "reserved bit of the security header")
    p.saw("type", "TSS")
    p.dec("tss.type", 1)
    p.dec("tss.sp", has_ssi)
    p.dec("tss.an", p.uint(0, 1) & 1)
    p.dec("tss.sdi", p.uint(1, 3))
    if has_ssi:
        p.dec("tss.ssi", p.uint(4, 4))
    p.dec("tss.epoch", p.uint(size - 8, 2))
    p.dec("tss.tsc", p.uint(size - 6, 6))


# --------------------------------------------------------------- encapsulation

def has_crc(addresses, carried):
    want = crc32c(addresses + carried[:-4])
    return int.from_bytes(carried[-4:], "big") == want


def read_packet(p, addresses, carried, head, crc):
    p.data = carried[head:]
    p.need(1, "packet")
    is_secure = p.data[0] >> 3 == 1
    if crc != "off" and not is_secure:
        if has_crc(addresses, carried):
            p.data = p.data[:-4]
        elif crc == "on":
            raise Malformed("the CRC is wrong")
    if is_secure:
        read_tss(p)
        return
    next_hdr = read_pds(p)
    if next_hdr in (1, 2, 3):
        read_ses_request(p, next_hdr)
    elif next_hdr in (4, 5, 6):
        read_ses_response(p, next_hdr)
    elif p.rest():
        p.fault("%d bytes behind the last header" % p.rest())


# Returns the addresses and the payload of an IP packet, and its protocol number.
def read_ip(ip):
    if ip[0] >> 4 == 4:
        length = int.from_bytes(ip[2:4], "big")
        return ip[12:20], ip[20:length], ip[9]
    length = int.from_bytes(ip[4:6], "big")
    return ip[8:40], ip[40:40 + length], ip[6]


# Returns the packet behind an IP header, or None if the packet is not UET.
def read_frame(number, ip, options):
    addresses, carried, protocol = read_ip(ip)
    p = Packet(number, b"")
    if protocol == 17 and int.from_bytes(carried[2:4], "big") == options.port:
        head = 8
    elif protocol == options.proto:
        head = 4
    else:
        return None
    try:
        if head == 8 and int.from_bytes(carried[4:6], "big") != len(carried):
            raise Malformed("UDP length")
        p.zero(int.from_bytes(carried[6:8], "big") if head == 8 else
               int.from_bytes(carried[2:4], "big"),
               "UDP checksum" if head == 8 else "reserved bits of the entropy header")
        read_packet(p, addresses, carried, head, options.crc)
    except Malformed as why:
        p.fault(str(why))
    return p


ETHERNET, RAW_IP = 1, 101
IP_TYPES = (b"\x08\x00", b"\x86\xdd")


# The frames of a pcap file: number, and the bytes from the IP header on.
def frames(path):
    with open(path, "rb") as file:
        magic, link = struct.unpack("=I16xI", file.read(24))
        if magic != 0xa1b2c3d4 or link not in (ETHERNET, RAW_IP):
            sys.exit("wire_spec.py: %s: not a pcap file of this machine" % path)
        number = 0
        while True:
            record = file.read(16)
            if len(record) < 16:
                return
            number += 1
            captured, full = struct.unpack("=8xII", record)
            frame = file.read(captured)
            if captured != full or len(frame) != captured:
                sys.exit("wire_spec.py: frame %d is cut short" % number)
            if link == RAW_IP:
                yield number, frame
            elif frame[12:14] in IP_TYPES:
                yield number, frame[14:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crc", choices=("on", "off", "auto"), default="on")
    parser.add_argument("--fields-only", action="store_true")
    parser.add_argument("--port", type=int, default=4793)
    parser.add_argument("--proto", type=int, default=253)
    parser.add_argument("capture")
    parser.add_argument("fields")
    parser.add_argument("seen")
    options = parser.parse_args()
    seen = set()
    with open(options.fields, "w") as fields:
        for number, frame in frames(options.capture):
            p = read_frame(number, frame, options)
            if not p:
                continue
            if p.faults and not options.fields_only:
                p.fields.append("malformed %s" % p.faults[0])
                p.seen = []
            for line in p.fields:
                fields.write("%d %s\n" % (number, line))
            seen.update(p.seen)
    with open(options.seen, "a") as file:
        file.writelines("%s\n" % line for line in sorted(seen))


main()
