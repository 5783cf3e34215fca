#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""An all-reduce: every rank gets the sums of the values of all ranks, with python3-uet.

    ueadm job run -n 8 -- ./allreduce.py

The ranks are a ring, and the values are one chunk for each rank.  In size - 1 steps each
chunk goes round and is summed; in further size - 1 steps the sums go round.  The chunks
of each step go into memory that a receive with the number of the step has posted.
"""
import array

import uet

COUNT = 2000


def all_reduce(u, values):
    """Add up the values, array('d'), of all ranks, in place."""
    chunk = -(-len(values) // u.size)
    region = u.register(8 * chunk * (u.size - 1))   # a chunk for each step of the sum
    sums = u.register(values)
    own = [slice(chunk * i, min(chunk * (i + 1), len(values))) for i in range(u.size)]
    for step in range(u.size - 1):
        u.post(region[8 * chunk * step:8 * chunk * (step + 1)], tag=step, cookie=step)
        part = own[(u.rank - step) % u.size]
        u.post(sums[8 * part.start:8 * part.stop], tag=u.size + step,
               cookie=u.size + step)
    u.barrier()                                     # all receives are posted
    right = u.peer((u.rank + 1) % u.size)
    came = set()

    def exchange(step, part):
        u.send(right, memoryview(values)[part], tag=step)
        while step not in came:
            came.update(done.check().cookie for done in u.wait())

    for step in range(u.size - 1):
        exchange(step, own[(u.rank - step) % u.size])
        part = own[(u.rank - step - 1) % u.size]
        theirs = region[8 * chunk * step:8 * chunk * (step + 1)].view.cast("d")
        for i, value in zip(range(part.start, part.stop), theirs):
            values[i] += value
    for step in range(u.size - 1):
        exchange(u.size + step, own[(u.rank - step + 1) % u.size])
    u.barrier()
    region.close()
    sums.close()


with uet.Endpoint() as u:
    numbers = array.array("d", (u.rank + i for i in range(COUNT)))
    all_reduce(u, numbers)
    right = sum(numbers[i] == u.size * (u.size - 1) / 2 + u.size * i for i in range(COUNT))
    assert right == COUNT, f"rank {u.rank}: {right} sums are right"
    if u.rank == 0:
        print(f"{u.size} ranks: {right} sums are right")
    u.finish()
