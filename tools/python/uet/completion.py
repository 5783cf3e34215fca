# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Completions of operations and of posted receives."""
import os

from uet._uet import ffi, lib
from uet.failure import text


class Completion:
    """How operations, or a posted receive, have ended.

    The attributes are the fields of struct uet_completion: cookie, count, error, length,
    job, initiator, opcode, rc, nack_code, delivery, match, header_data, flags,
    msg_length, offset, peer.
    """

    __slots__ = ("_record", "_text")

    def __init__(self, record, handle=None):
        self._record = ffi.new("struct uet_completion *", record)
        self._text = None
        # Now: the peer, whose address is in the text, may be removed later.
        if record.error and handle:
            out = ffi.new("char[]", lib.UET_ERROR_SIZE)
            self._text = text(lib.uet_failure_text(handle, self._record, out, len(out)))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._record, name)

    @property
    def cookies(self):
        """The cookies of all operations: successful neighbours share a completion."""
        return range(self.cookie, self.cookie + self.count)

    @property
    def is_receive(self):
        return bool(self.flags & lib.UET_COMPLETION_RECV)

    def check(self):
        """Raise the error of the operation, if it has failed.  Return the completion."""
        if self.error:
            raise OSError(self.error, str(self))
        return self

    def __str__(self):
        if self._text:
            return self._text
        out = ffi.new("char[]", lib.UET_ERROR_SIZE)
        return text(lib.uet_completion_text(self._record, out, len(out)))

    def __repr__(self):
        error = os.strerror(self.error) if self.error else "no error"
        return f"<uet.Completion {self.cookie}: {self}, {error}>"
