# SPDX-License-Identifier: GPL-2.0
"""Messages and collectives of MPI with results that each rank checks: probes, claims, any
source, any tag, long unregistered buffers, truncation.  The argument is how often.  Run by
openmpi.sh and others.
"""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


def pattern(seed, length):
    """Bytes that depend on the seed."""
    return bytes((seed * 31 + i * 7) & 255 for i in range(256)) * (length // 256 + 1)


def ring():
    """Each length to the next rank, from the one before."""
    for length in (0, 1, 64, 65, 4096, 65536, 65537, 1 << 20, 5 << 20):
        data = bytearray(pattern(rank, length)[:length])
        got = bytearray(length)
        status = MPI.Status()
        comm.Sendrecv([data, MPI.BYTE], (rank + 1) % size, 5,
                      [got, MPI.BYTE], (rank - 1) % size, 5, status)
        assert status.Get_count(MPI.BYTE) == length, length
        assert got == pattern((rank - 1) % size, length)[:length], length


def probes():
    """Messages are looked for, claimed, and received in another order."""
    if rank == 0:
        seen = {}
        for _ in range(2 * (size - 1)):
            status = MPI.Status()
            message = comm.Mprobe(MPI.ANY_SOURCE, MPI.ANY_TAG, status)
            length = status.Get_count(MPI.BYTE)
            data = bytearray(length)
            message.Recv([data, MPI.BYTE])
            source, tag = status.Get_source(), status.Get_tag()
            assert data == pattern(source + tag, length)[:length]
            seen[source, tag] = length
        assert seen == {(s, t): 100 * s + t for s in range(1, size) for t in (1, 70000)}
        assert not comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)
    else:
        for tag in (70000, 1):
            length = 100 * rank + tag
            comm.Send([pattern(rank + tag, length)[:length], MPI.BYTE], 0, tag)
    comm.Barrier()


def order():
    """Many messages with one tag keep their order."""
    count = 200
    if rank == size - 1:
        for i in range(count):
            comm.Send([bytes([i]) * (i * 97 + 1), MPI.BYTE], 0, 9)
    elif rank == 0:
        for i in range(count):
            data = bytearray(count * 97)
            status = MPI.Status()
            comm.Recv([data, MPI.BYTE], size - 1, 9, status)
            assert status.Get_count(MPI.BYTE) == i * 97 + 1, i
            assert data[0] == i
    comm.Barrier()


def collectives():
    """Sums and exchanges."""
    assert comm.allreduce(rank) == size * (size - 1) // 2
    assert comm.allgather(rank * rank) == [r * r for r in range(size)]
    assert comm.alltoall([rank * size + i for i in range(size)]) == \
        [i * size + rank for i in range(size)]
    assert comm.bcast(pattern(3, 300000) if rank == 1 else None, 1) == pattern(3, 300000)


for step in (ring, probes, order, collectives) * int(sys.argv[1]):
    step()
    if rank == 0:
        print(step.__name__, "ok")
        sys.stdout.flush()
