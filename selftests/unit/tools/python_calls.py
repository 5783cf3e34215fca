# SPDX-License-Identifier: GPL-2.0
"""The Python module without a kernel that knows UET: that it has all of libuet, how it
refuses wrong arguments, addresses, and the records that it gives to libuet."""
import errno
import glob
import os
import re
import unittest

import uet
from uet import address, memory, operation
from uet._uet import ffi, lib

import pytap

SOURCES = os.path.dirname(uet.__file__)
HEADERS = ("tools/libuet/uet.h", "uapi/linux/uet.h")


def text_of(*names):
    return "".join(open(name, encoding="utf-8").read() for name in names)


class Interface(unittest.TestCase):
    def test_each_function_of_the_header_is_declared(self):
        declared = set(re.findall(r"^UET_API.*?\b(uet_\w+)\(", text_of(HEADERS[0]), re.M))
        self.assertGreater(len(declared), 30)
        self.assertLessEqual(declared, set(dir(lib)))

    def test_each_function_is_used_or_a_short_form_of_uet_request(self):
        used = set(re.findall(r"lib\.(uet_\w+)", text_of(*glob.glob(SOURCES + "/*.py"))))
        functions = {name for name in dir(lib) if name.startswith("uet_")}
        self.assertEqual(functions - used, {"uet_send", "uet_tsend", "uet_put", "uet_get"})

    def test_each_number_of_the_headers_has_its_name(self):
        names = set(re.findall(r"^#define UET_([A-Z]\w*)\s+\S", text_of(*HEADERS), re.M))
        names |= set(re.findall(r"^\tUET_(\w+) = ", text_of(*HEADERS), re.M))
        self.assertEqual({name for name in names if not hasattr(uet, name)}, {"API"})

    def test_records_have_the_sizes_of_the_interface(self):
        self.assertEqual(ffi.sizeof("struct sockaddr_uet"), 40)
        self.assertEqual(ffi.sizeof("struct uet_completion"), 64)
        self.assertEqual(ffi.sizeof("struct uet_recv_post"), 64)


class Addresses(unittest.TestCase):
    def test_addresses_are_strings(self):
        for text in ("10.0.0.1/20/3", "fd00::1/4095/4095", "*/*/*",
                     "10.0.0.1/20/3/absolute"):
            self.assertEqual(address.form(address.parse(text)), text)

    def test_a_wrong_address_is_refused_with_field_and_limit(self):
        with self.assertRaises(OSError) as raised:
            address.parse("10.0.0.1/4096")
        self.assertEqual(raised.exception.errno, errno.EINVAL)
        self.assertEqual(raised.exception.strerror,
                         "PIDonFEP '4096' is neither a number 0..4095 nor *")

    def test_an_array_has_all_addresses(self):
        array = address.parse_all(["10.0.0.1/1", "10.0.0.1/2"])
        self.assertEqual([array[0].suet_pid, array[1].suet_pid], [1, 2])
        self.assertEqual(address.parse_all([]), ffi.NULL)


class Opening(unittest.TestCase):
    def refused(self, reason, **arguments):
        with self.assertRaises(OSError) as raised:
            uet.Endpoint(**arguments)
        self.assertEqual(raised.exception.errno, errno.EINVAL)
        self.assertIn(reason, raised.exception.strerror)

    def test_open_has_the_reason_of_a_refusal(self):
        self.refused("no job: neither uet_attr.job, UET_JOB nor UET_JOB_FD")
        self.refused("uet_attr.type 1 is not SOCK_RDM", type=1)
        self.refused("uet_attr.ri 2046 is above 2045", ri=2046)
        self.refused("uet_attr.rank 2 is not below size 1", rank=2, peers=["*/1"])
        self.refused("'here' is not FA/PID", local="here")

    def test_open_reads_the_environment_unless_told_not_to(self):
        os.environ["UET_JOB"] = "many"
        try:
            self.refused("UET_JOB='many' is not a number")
            self.refused("no job", env=False)
        finally:
            del os.environ["UET_JOB"]


class Arguments(unittest.TestCase):
    def test_the_end_of_an_operation_is_a_flag(self):
        self.assertEqual(operation.end_flags(False, None, uet.F_MORE), uet.F_MORE)
        self.assertEqual(operation.end_flags(True, None, 0), uet.F_WAIT)
        self.assertEqual(operation.end_flags(False, 0, 0), uet.F_COMPLETE)

    def test_zerocopy_needs_an_end(self):
        with self.assertRaisesRegex(ValueError, "F_ZEROCOPY without wait and cookie"):
            operation.end_flags(False, None, uet.F_ZEROCOPY)
        operation.end_flags(False, 1, uet.F_ZEROCOPY)

    def test_operands_are_numbers_or_buffers(self):
        self.assertEqual(ffi.buffer(operation.operand(-2, uet.DT_INT16))[:],
                         b"\xfe\xff")
        self.assertEqual(len(operation.operand(1.5, uet.DT_DOUBLE)), 8)
        self.assertEqual(len(operation.operand(bytes(24), uet.DT_UINT64)), 24)
        self.assertEqual(operation.operand(None, uet.DT_UINT64), ffi.NULL)
        with self.assertRaisesRegex(ValueError, "4 bytes is shorter"):
            operation.operand(bytes(4), uet.DT_UINT64)

    def test_a_string_is_no_payload(self):
        with self.assertRaises(TypeError):
            operation.chars("text")

    def test_memory_is_named_by_key_offset_and_length(self):
        region = memory.Region.__new__(memory.Region)
        region.key, region.view = 7, memoryview(bytearray(100))
        self.assertEqual(memory.local(region), (7, 0, 100))
        self.assertEqual(memory.local(region[10:]), (7, 10, 90))
        self.assertEqual(memory.local(region[90:200]), (7, 90, 10))
        self.assertEqual(memory.local(None), (0, 0, 0))
        with self.assertRaises(ValueError):
            region[::2]

    def test_a_receive_has_a_source_unless_it_has_a_claim(self):
        self.assertEqual(uet.Post().record()["flags"], uet.RECV_ANY_SOURCE)
        self.assertEqual(uet.Post(tag=0, peer=3).record()["flags"],
                         uet.RECV_TAGGED | uet.RECV_PEER)
        self.assertEqual(uet.Post(flags=uet.RECV_CLAIM, tag=5).record()["flags"],
                         uet.RECV_CLAIM)


class Completions(unittest.TestCase):
    def completion(self, **fields):
        return uet.Completion(ffi.new("struct uet_completion *", fields)[0])

    def test_a_completion_has_the_fields_and_a_text(self):
        done = self.completion(cookie=5, count=3, length=30, opcode=uet.OP_WRITE, rc=1)
        self.assertEqual(list(done.cookies), [5, 6, 7])
        self.assertEqual(str(done), "WRITE of 30 bytes")
        self.assertEqual(done.length, 30)
        self.assertIs(done.check(), done)
        with self.assertRaises(AttributeError):
            done.colour

    def test_a_failed_operation_raises_its_error(self):
        done = self.completion(error=errno.ECONNREFUSED, opcode=uet.OP_SEND, rc=4)
        with self.assertRaises(ConnectionRefusedError) as raised:
            done.check()
        self.assertIn(uet.rc_name(4), raised.exception.strerror)


pytap.main()
