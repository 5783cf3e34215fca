# SPDX-License-Identifier: GPL-2.0
"""One-sided communication of MPI with results that each rank checks: puts, gets, atomics,
locks.  Run by onesided.sh.
"""
import struct
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
WORDS = 4096


def numbers(memory):
    """The 64-bit numbers of memory."""
    return list(struct.unpack(f"{len(memory) // 8}q", memory))


def puts_and_gets(win, memory):
    """Each rank writes to the next one, and reads from the one before."""
    mine = struct.pack(f"{WORDS}q", *(rank * WORDS + i for i in range(WORDS)))
    win.Fence()
    win.Put([mine, MPI.BYTE], (rank + 1) % size)
    win.Fence()
    before = (rank - 1) % size
    assert numbers(memory) == [before * WORDS + i for i in range(WORDS)]
    got = bytearray(len(mine))
    win.Get([got, MPI.BYTE], before)
    win.Fence()
    assert numbers(got) == [(before - 1) % size * WORDS + i for i in range(WORDS)]


def atomics(win, memory):
    """All ranks count at rank 0, by two operations."""
    if rank == 0:
        memory[:] = bytes(len(memory))
    comm.Barrier()
    one, old = bytearray(struct.pack("q", 1)), bytearray(8)
    seen = []
    win.Lock_all()
    for _ in range(20):
        win.Fetch_and_op([one, MPI.INT64_T], [old, MPI.INT64_T], 0, 0, MPI.SUM)
        win.Flush(0)
        seen += numbers(old)
        win.Accumulate([one, MPI.INT64_T], 0, target=(8, 1, MPI.INT64_T), op=MPI.SUM)
    win.Unlock_all()
    assert seen == sorted(set(seen))
    everyone = comm.gather(seen, 0)
    comm.Barrier()
    if rank == 0:
        assert sorted(sum(everyone, [])) == list(range(20 * size))
        assert numbers(memory[:16]) == [20 * size, 20 * size]


def locks(win, memory):
    """Ranks count at rank 0 under a lock."""
    if rank == 0:
        memory[:] = bytes(len(memory))
    comm.Barrier()
    value = bytearray(8)
    for _ in range(10):
        win.Lock(0, MPI.LOCK_EXCLUSIVE)
        win.Get([value, MPI.BYTE], 0)
        win.Flush(0)
        win.Put([struct.pack("q", numbers(value)[0] + 1), MPI.BYTE], 0)
        win.Unlock(0)
    comm.Barrier()
    if rank == 0:
        assert numbers(memory[:8]) == [10 * size], numbers(memory[:8])


window = MPI.Win.Allocate(8 * WORDS, 1, comm=comm)
for step in (puts_and_gets, atomics, locks):
    step(window, window.tomemory())
    if rank == 0:
        print(step.__name__, "ok")
        sys.stdout.flush()
window.Free()
