# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Ultra Ethernet Transport: messages, posted receives and remote memory, over libuet.

    import uet

    with uet.Endpoint() as u:           # a process of "ueadm job run"
        u.barrier()
        u.send(u.peer(1), b"hello")
        message = u.recv()

An Endpoint is a handle of libuet.  Payloads are objects with the buffer protocol: bytes,
bytearray, memoryview, array, arrays of numpy.  Addresses are strings, "FA/PID/RI".
Timeouts are seconds, None is no limit.  A call that fails raises OSError, or the subclass
of its errno, with the reason that uet_strerror() has.  A call that blocks lets other
threads run, but one Endpoint serves one thread at a time.

The constants of <uet.h> and <linux/uet.h> have their names without "UET_": uet.F_MORE,
uet.MR_READ, uet.AMO_SUM.  libuet(7) and Documentation/libuet.rst explain the calls.
"""
from uet._uet import lib as _lib
from uet.completion import Completion
from uet.endpoint import Endpoint
from uet.memory import Part, Region
from uet.message import Message, Unexpected
from uet.operation import rc_name
from uet.receive import Post
from uet.reader import Reader
from uet.remote import Remote

globals().update((name.removeprefix("UET_"), getattr(_lib, name))
                 for name in dir(_lib) if name.startswith("UET_"))

AF = _lib.uet_af()

__all__ = ["AF", "Completion", "Endpoint", "Message", "Part", "Post", "Reader", "Region",
           "Remote", "Unexpected", "rc_name"]
__all__ += (name.removeprefix("UET_") for name in dir(_lib) if name.startswith("UET_"))
