# SPDX-License-Identifier: GPL-2.0
"""Messages go round until the last rank kills itself.  Run by faults.sh."""
import os
import signal

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
small, large = bytearray(64), bytearray(200000)
turn = 0
while True:
    if rank == size - 1 and turn == 20:
        print("a rank kills itself", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    for data in (small, large):
        comm.Sendrecv([bytes(data), MPI.BYTE], (rank + 1) % size, 5,
                      [data, MPI.BYTE], (rank - 1) % size, 5)
    turn += 1
