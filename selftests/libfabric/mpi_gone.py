# SPDX-License-Identifier: GPL-2.0
"""The last rank shuts its sockets down and lives on.  The others send to it: messages that MPI
injects, whose errors no call returns, and then one that MPI waits for, which fails.  A file
of each rank in HOME says that it is done.  Run by faults.sh.
"""
import os
import socket
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
last = size - 1


def shut_down():
    """All sockets of UET.  Return: how many."""
    with open("/proc/net/uet/features", encoding="ascii") as lines:
        uet = int(dict(line.strip().split(": ", 1) for line in lines)["family"])
    count = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as copy:
                if copy.getsockopt(socket.SOL_SOCKET, socket.SO_DOMAIN) == uet:
                    copy.shutdown(socket.SHUT_RDWR)
                    count += 1
        except OSError:
            pass
    return count


def finished(of_rank):
    """The file of a rank."""
    return f"{os.environ['HOME']}/done{of_rank}"


def finish():
    """All end together: MPI_Finalize() would wait for the last rank."""
    with open(finished(rank), "w", encoding="ascii"):
        pass
    while not all(os.path.exists(finished(other)) for other in range(size)):
        time.sleep(0.02)
    if rank == 0:
        comm.Abort(1)
    time.sleep(60)


comm.Barrier()
if rank == last:
    print("shut down:", shut_down(), flush=True)
    finish()
comm.Set_errhandler(MPI.ERRORS_RETURN)
while not os.path.exists(finished(last)):
    time.sleep(0.02)
for _ in range(50):
    comm.Send([bytes(64), MPI.BYTE], last, 7)
    comm.Iprobe(MPI.ANY_SOURCE, 5)
    time.sleep(0.002)
try:
    comm.Send([bytes(1 << 20), MPI.BYTE], last, 7)
except MPI.Exception as error:
    print(f"rank {rank}: {error}", flush=True)
finish()
