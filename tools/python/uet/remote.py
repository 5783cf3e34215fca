# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Memory of a peer as a sequence of values."""
import struct

from uet.operation import chars


class Remote:
    """Values in a region of a peer, see Endpoint.remote().

        remote = u.remote(peer, key, "d", 1000)
        remote[7], remote[:100], numpy.asarray(remote)      # read
        remote[7] = 1.5; remote[:100] = values              # write

    A slice is read into new local memory, a memoryview that numpy takes without a copy.
    Each access is one operation, and waits for its end.

    format: of a value, as for the module struct
    """

    def __init__(self, endpoint, peer, key, format, count, offset):
        self._endpoint = endpoint
        self._peer = peer
        self._key = key
        self._format = format
        self._size = struct.calcsize(format)
        self._count = count
        self._offset = offset

    def __len__(self):
        return self._count

    def _range(self, at):
        """The first value, and the number of values."""
        if isinstance(at, slice):
            start, stop, step = at.indices(self._count)
            if step != 1:
                raise ValueError("the values of a slice are one behind the other")
            return start, max(0, stop - start)
        if not -self._count <= at < self._count:
            raise IndexError(f"{at} is not within {self._count} values")
        return at % self._count, 1

    def __getitem__(self, at):
        start, count = self._range(at)
        values = bytearray(count * self._size)
        if count:
            self._endpoint.get(self._peer, self._key, values,
                               self._offset + start * self._size, wait=True)
        values = memoryview(values).cast(self._format)
        return values if isinstance(at, slice) else values[0]

    def __setitem__(self, at, values):
        start, count = self._range(at)
        if not isinstance(at, slice):
            values = struct.pack(self._format, values)
        data = chars(values)
        if len(data) != count * self._size:
            raise ValueError(f"{len(data)} bytes are not {count} values of {self._size}")
        if count:
            self._endpoint.put(self._peer, self._key, values,
                               self._offset + start * self._size, wait=True)

    def __array__(self, *arguments, **how):
        import numpy
        return numpy.asarray(self[:]).__array__(*arguments, **how)
