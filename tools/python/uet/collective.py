# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Collective operations: all ranks call the same ones in the same order."""
import errno

from uet._uet import ffi, lib
from uet.failure import check_until
from uet.operation import FORMATS, SIZES, chars

# Sizes of C types differ between machines: a type is named by its kind and its size.
KINDS = {"f": "fd", "i": "bhilqn", "u": "BHILQN"}
TYPES = {(kind, SIZES[type]): type for type, form in FORMATS.items()
         for kind, forms in KINDS.items() if form in forms}
# Errors after which an operation that was begun goes on.
GOES_ON = (errno.ETIMEDOUT, errno.EBUSY, errno.EINVAL)


def writable(buffer):
    return ffi.from_buffer("char[]", buffer, require_writable=True)


def same(memory, length):
    """The memory, if it has the length."""
    if len(memory) != length:
        raise ValueError(f"the result has {len(memory)} bytes, not {length}")
    return memory


def type_of(values):
    """The DT_* of the values in a buffer."""
    view = memoryview(values)
    for kind, forms in KINDS.items():
        if view.format.lstrip("@=") in forms and (kind, view.itemsize) in TYPES:
            return TYPES[kind, view.itemsize]
    raise TypeError(f"values of format '{view.format}' have no reductions: give the type")


class Collectives:
    """The collective operations of an Endpoint.

    They block until the end, or raise TimeoutError: a further call with the same arguments
    continues.  The memory may be reused after the call.  Any other error ends them for
    all ranks.

    data: an object with the buffer protocol; into: a writable one for the result, by
        default data itself, which is returned
    op: AMO_SUM, AMO_PROD, AMO_MIN, AMO_MAX, AMO_LOR, AMO_LAND, AMO_LXOR, AMO_BOR,
        AMO_BAND, AMO_BXOR
    type: DT_INT8 to DT_DOUBLE; by default that of data: array.array, arrays of numpy,
        memoryview.cast()
    """

    def _together(self, timeout, function, *arguments):
        # The memory must not go before the end, which a further call may reach.
        self._in_use.append(arguments)
        try:
            check_until(self._handle, timeout, function, *arguments)
        except OSError as error:
            if error.errno not in GOES_ON:
                self._in_use.clear()
            raise
        self._in_use.clear()

    def barrier(self, timeout=None):
        """Wait until all ranks have called it."""
        self._together(timeout, lib.uet_barrier)

    def broadcast(self, data, root=0, *, timeout=None):
        """Copy the bytes of the rank root to all ranks."""
        memory = chars(data) if self.rank == root else writable(data)
        self._together(timeout, lib.uet_broadcast, memory, len(memory), root)
        return data

    def _reduce(self, function, data, into, op, type, root, timeout):
        type = type_of(data) if type is None else type
        memory = chars(data)
        result = ffi.NULL if into is None else same(writable(into), len(memory))
        count, rest = divmod(len(memory), SIZES.get(type, 1))
        if rest:
            raise ValueError(f"{len(memory)} bytes are no number of values of the type")
        self._together(timeout, function, memory, result, count, type, op, *root)
        return into

    def reduce(self, data, into=None, *, op=lib.UET_AMO_SUM, type=None, root=0,
               timeout=None):
        """Combine the values of all ranks; the rank root has the result, others None."""
        if self.rank != root:
            into = None
        elif into is None:
            into = data
        return self._reduce(lib.uet_reduce, data, into, op, type, (root,), timeout)

    def all_reduce(self, data, into=None, *, op=lib.UET_AMO_SUM, type=None, timeout=None):
        """Combine the values of all ranks; all have the result."""
        into = data if into is None else into
        return self._reduce(lib.uet_allreduce, data, into, op, type, (), timeout)

    def all_gather(self, data, into, *, timeout=None):
        """Store the bytes of all ranks, by rank; data may be its own place in into."""
        memory = chars(data)
        result = same(writable(into), len(memory) * self.size)
        self._together(timeout, lib.uet_allgather, memory, result, len(memory))
        return into

    def all_to_all(self, data, into=None, *, timeout=None):
        """Exchange blocks: data has one for each rank, into gets one of each rank."""
        into = data if into is None else into
        memory = chars(data)
        result = same(writable(into), len(memory))
        length, rest = divmod(len(memory), self.size)
        if rest:
            raise ValueError(f"{len(memory)} bytes are no blocks for {self.size} ranks")
        self._together(timeout, lib.uet_alltoall, memory, result, length)
        return into
