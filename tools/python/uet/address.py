# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Addresses: strings in Python, struct sockaddr_uet in C."""
import errno

from uet._uet import ffi, lib
from uet.failure import text


def parse(address, into=None):
    """The address as struct sockaddr_uet."""
    into = into or ffi.new("struct sockaddr_uet *")
    why = ffi.new("char[]", lib.UET_ERROR_SIZE)
    if lib.uet_addr_parse(into, address.encode(), why):
        raise OSError(errno.EINVAL, text(why))
    return into


def parse_all(addresses):
    """An array of struct sockaddr_uet, or NULL."""
    array = ffi.new("struct sockaddr_uet[]", len(addresses))
    for index, address in enumerate(addresses):
        parse(address, array + index)
    return array if len(array) else ffi.NULL


def form(address):
    """The address as a string."""
    out = ffi.new("char[]", lib.UET_ADDR_SIZE)
    if not lib.uet_addr_text(address, out, len(out)):
        raise OSError(ffi.errno, "the address is none of AF_UET")
    return text(out)
