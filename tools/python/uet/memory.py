# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Registered memory, and parts of it that operations and receives name."""
from uet._uet import ffi, lib
from uet.failure import check


class Part:
    """Bytes of a Region: region[16:32]."""

    def __init__(self, region, offset, length):
        self.region = region
        self.offset = offset
        self.length = length

    @property
    def view(self):
        """The bytes as a memoryview."""
        return self.region.view[self.offset:self.offset + self.length]

    def __len__(self):
        return self.length


class Region:
    """Memory that is registered and pinned; see Endpoint.register().

    key: the key for peers and for operations
    view: the memory as a memoryview of bytes; None after close()
    """

    def __init__(self, endpoint, handle, memory, access, flags, key):
        if isinstance(memory, int):
            memory = bytearray(memory)
        # Holds the memory, so that it can be neither freed nor moved.
        self._chars = ffi.from_buffer("char[]", memory, require_writable=True)
        self._endpoint = endpoint
        self.view = memoryview(memory).cast("B")
        number = ffi.new("__u64 *", 0 if key is None else key)
        if key is not None:
            flags |= lib.UET_MR_FIXED_KEY
        check(handle, lib.uet_mem_reg(handle, self._chars, len(self._chars), access,
                                      flags, number))
        self.key = number[0]

    def __len__(self):
        return len(self.view)

    def __getitem__(self, at):
        start, stop, step = at.indices(len(self))
        if step != 1:
            raise ValueError("the bytes of a part are one behind the other")
        return Part(self, start, max(0, stop - start))

    def close(self):
        """Deregister the memory: no peer uses it afterwards."""
        self._endpoint.deregister(self)

    def let_go(self):
        """Hold the memory no longer."""
        self.view = None
        ffi.release(self._chars)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def local(where):
    """struct uet_local of a Region, a Part or None."""
    if where is None:
        return (0, 0, 0)
    if isinstance(where, Region):
        return (where.key, 0, len(where))
    return (where.region.key, where.offset, where.length)


def place(where):
    """struct uet_local of any memory, its flags, and what holds it until the end."""
    if where is None or isinstance(where, (Region, Part)):
        return local(where), 0, []
    memory = ffi.from_buffer("char[]", where, require_writable=True)
    address = int(ffi.cast("uintptr_t", memory))
    return (0, address, len(memory)), lib.UET_F_LOCAL_ADDR, [memory]
