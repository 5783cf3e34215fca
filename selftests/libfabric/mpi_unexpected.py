# SPDX-License-Identifier: GPL-2.0
"""Rank 0 sends more long messages than its send buffer has space for, and then a short one,
which rank 1 receives before it asks for any of the long ones.  Run by openmpi.sh.
"""
import signal

from mpi4py import MPI

COUNT, LENGTH = 12, 1 << 20
TAG_LONG, TAG_SHORT = 7, 8

comm = MPI.COMM_WORLD
# MPI tries a send for ever that finds no space.
signal.alarm(120)


def message(number):
    """Bytes of a long message."""
    return bytes((number * 17 + i) & 255 for i in range(256)) * (LENGTH // 256)


if comm.rank == 0:
    sends = [comm.Isend([message(i), MPI.BYTE], 1, TAG_LONG) for i in range(COUNT)]
    comm.Send([b"short", MPI.BYTE], 1, TAG_SHORT)
    MPI.Request.Waitall(sends)
else:
    short = bytearray(5)
    comm.Recv([short, MPI.BYTE], 0, TAG_SHORT)
    assert short == b"short"
    print("the short message is there", flush=True)
    for i in range(COUNT):
        got = bytearray(LENGTH)
        comm.Recv([got, MPI.BYTE], 0, TAG_LONG)
        assert got == message(i), i
    print("the long messages are right", flush=True)
