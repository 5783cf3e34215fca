# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Failures of libuet as exceptions, and calls that go on after a signal."""
import errno
import math
import time

from uet._uet import ffi, lib


def text(chars):
    return ffi.string(chars).decode(errors="replace")


def failure(handle):
    """The exception for the call that has just failed."""
    error = ffi.errno
    return OSError(error, text(lib.uet_strerror(handle)))


def check(handle, result):
    """The result of a call, if it is not that of a failure."""
    if result < 0:
        raise failure(handle)
    return result


def milliseconds(seconds):
    return -1 if seconds is None else max(0, math.ceil(seconds * 1000))


def check_until(handle, timeout, function, *args):
    """The same for a function whose last argument is its time-out.

    A signal interrupts the function: its handler in Python runs, and the call goes on.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        result = function(handle, *args, milliseconds(timeout))
        if result >= 0 or ffi.errno != errno.EINTR:
            return check(handle, result)
        if end is not None:
            timeout = end - time.monotonic()
