#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A rank of "ueadm job run" that executes the collective operations of the module uet, and
compares the results with local ones: rank 0 prints the number of ranks."""
import array

import uet


def of(rank, count, code="d"):
    """What a rank contributes."""
    return array.array(code, ((rank + 1) * (k % 100) for k in range(count)))


def same(result, expected):
    assert list(result) == list(expected), f"rank {u.rank}: {result[:9]}, {expected[:9]}"


def added(count):
    return [sum(values) for values in zip(*(of(rank, count) for rank in range(u.size)))]


def reductions(count):
    for code in "iIlLfd":
        values = of(u.rank, count, code)
        total = u.reduce(values, array.array(code, values), root=u.size - 1)
        if u.rank == u.size - 1:
            same(total, added(count))
        else:
            assert total is None
        assert u.all_reduce(values) is values
        same(values, added(count))
    same(u.all_reduce(of(u.rank, count), op=uet.AMO_MAX), of(u.size - 1, count))
    view = memoryview(of(u.rank, count)).cast("B")
    same(u.all_reduce(view, op=uet.AMO_MIN, type=uet.DT_DOUBLE).cast("d"), of(0, count))


def blocks(count):
    data = of(u.rank, count)
    into = u.all_gather(data, array.array("d", bytes(8 * count * u.size)))
    for rank in range(u.size):
        same(into[rank * count:(rank + 1) * count], of(rank, count))
    exchanged = u.all_to_all(of(u.rank, count * u.size))
    for rank in range(u.size):
        same(exchanged[rank * count:(rank + 1) * count],
             of(rank, count * u.size)[u.rank * count:(u.rank + 1) * count])
    root = u.size // 2
    data = bytes(of(root, count)) if u.rank == root else bytearray(8 * count)
    same(bytes(u.broadcast(data, root)), bytes(of(root, count)))


def refused(kind, call, *arguments, **others):
    try:
        call(*arguments, **others)
    except kind:
        return
    raise AssertionError(f"rank {u.rank}: no {kind.__name__}")


def refusals():
    refused(TypeError, u.all_reduce, memoryview(bytearray(8)).cast("?"))
    refused(BufferError, u.all_reduce, bytes(8))
    refused(ValueError, u.all_gather, bytes(8), bytearray(8 * u.size - 1))
    refused(ValueError, u.all_to_all, bytearray(u.size + 1))
    refused(ValueError, u.all_reduce, bytearray(9), type=uet.DT_DOUBLE)
    refused(OSError, u.broadcast, bytearray(8), u.size)
    u.barrier()
    if u.rank:
        u.recv()        # rank 0 has waited in vain
    else:
        refused(TimeoutError, u.barrier, timeout=0.02)
        for rank in range(1, u.size):
            u.send(u.peer(rank), b"")
    u.barrier()


with uet.Endpoint() as u:
    for number in (0, 1, 1000, 20001):
        reductions(number)
        blocks(number)
    if u.size > 1:
        refusals()
    if u.rank == 0:
        print(f"{u.size} ranks: all results are right")
    u.finish()
