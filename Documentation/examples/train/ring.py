# SPDX-License-Identifier: GPL-2.0
"""An all-reduce over a ring of ranks, with UET or with TCP below it.

Both links have begin(), which prepares the receives of one all-reduce, and
exchange(step, part), which sends a part to the right neighbour and returns the part that
the left neighbour sends in the same step.
"""
import os
import socket

import numpy

PORT = 5000     # of rank 0; TCP


class UetLink:
    """Tagged messages into posted receives; the tag is the number of the step."""

    def __init__(self, length):
        import uet
        self.endpoint = uet.Endpoint()
        self.rank, self.size = self.endpoint.rank, self.endpoint.size
        self.right = self.endpoint.peer((self.rank + 1) % self.size)
        self.steps = 2 * (self.size - 1)
        self.parts = numpy.zeros((self.steps, length // self.size))
        self.region = self.endpoint.register(self.parts)
        self.first = 0      # tag of the first step of this all-reduce
        self.endpoint.barrier()

    def begin(self):
        length = self.parts[0].nbytes
        for step in range(self.steps):
            self.endpoint.post(self.region[step * length:(step + 1) * length],
                               tag=self.first + step, cookie=step)
        self.came = set()

    def exchange(self, step, part):
        self.endpoint.send(self.right, part, tag=self.first + step)
        while step not in self.came:
            self.came.update(done.check().cookie for done in self.endpoint.wait())
        if step == self.steps - 1:
            self.first += self.steps
        return self.parts[step]

    def close(self):
        self.endpoint.barrier()
        self.region.close()
        self.endpoint.finish()
        self.endpoint.close()


class TcpLink:
    """A connection to the right neighbour, and one from the left neighbour."""

    def __init__(self, length):
        peers = [peer.split("/")[0] for peer in os.environ["UET_PEERS"].split(",")]
        self.rank, self.size = int(os.environ["UET_RANK"]), len(peers)
        right = (self.rank + 1) % self.size
        self.part = numpy.zeros(length // self.size)
        with socket.create_server((peers[self.rank], PORT + self.rank)) as server:
            self.right = self.connect((peers[right], PORT + right))
            self.left, _ = server.accept()
        self.right.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connect(self, address):
        while True:
            try:
                return socket.create_connection(address)
            except ConnectionRefusedError:
                pass        # that rank has not started yet

    def begin(self):
        pass

    def exchange(self, step, part):
        self.right.sendall(part)
        memory = memoryview(self.part).cast("B")
        while memory:
            count = self.left.recv_into(memory)
            if not count:
                raise ConnectionError(f"rank {self.rank}: the left neighbour is gone")
            memory = memory[count:]
        return self.part

    def close(self):
        self.right.close()
        self.left.close()


LINKS = {"uet": UetLink, "tcp": TcpLink}


def all_reduce(link, values):
    """Add up the values of all ranks, in place.  The length is a multiple of the ranks.

    The order of the additions depends on the ring only, so the sums are the same to the
    last bit, whatever carries the parts.
    """
    parts = values.reshape(link.size, -1)
    last = link.size - 1
    link.begin()
    for step in range(last):
        came = link.exchange(step, parts[(link.rank - step) % link.size])
        parts[(link.rank - step - 1) % link.size] += came
    for step in range(last):
        came = link.exchange(last + step, parts[(link.rank - step + 1) % link.size])
        parts[(link.rank - step) % link.size] = came
