# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The endpoint: a handle of libuet, its peers, its memory and its completions."""
import os
import socket
from functools import cached_property

from uet._uet import ffi, lib
from uet.address import form, parse, parse_all
from uet.collective import Collectives
from uet.completion import Completion
from uet.failure import check, check_until, failure, text
from uet.memory import Region
from uet.operation import Operations
from uet.receive import Receives
from uet.remote import Remote

BATCH = 64


class Endpoint(Operations, Receives, Collectives):
    """An endpoint with its completions, and the peers that it knows.

    type: socket.SOCK_RDM, SOCK_SEQPACKET for messages in order, SOCK_DGRAM
    local: own address; None: entry rank of peers, or any free address of the job
    peers, rank: addresses of all ranks, and the number of this one; without them those
        of "ueadm job run"
    job, job_fd: JobID and descriptor; 0: those of "ueadm job run"
    wait: seconds that a message waits for an endpoint that does not exist yet; None:
        those of "ueadm job run"
    ri: Resource Index of this endpoint and of its peers, 1..2045; 0: 1 with peers
    completions: records that the completion ring holds; 0: 1024
    generation: GEN_*
    env: False ignores the variables of "ueadm job run"
    barrier: False: no collective operations are needed
    """

    def __init__(self, *, type=socket.SOCK_RDM, local=None, peers=(), rank=0, job=0,
                 job_fd=0, wait=None, ri=0, completions=0, generation=0, env=True,
                 barrier=True):
        addresses = parse_all(peers)
        own = ffi.NULL if local is None else parse(local)
        attr = ffi.new("struct uet_attr *", {
            "type": type, "job": job, "job_fd": job_fd, "ri": ri, "local": own,
            "wait": int((wait or 0) * 1000), "rank": rank, "size": len(peers),
            "peers": addresses,
            "completions": completions, "generation": generation,
            "flags": (0 if env else lib.UET_OPEN_NO_ENV) |
                     (0 if barrier else lib.UET_OPEN_NO_BARRIER)})
        why = ffi.new("char[]", lib.UET_ERROR_SIZE)
        handle = lib.uet_open(attr, why)
        if not handle:
            raise OSError(ffi.errno, text(why))
        self._open = ffi.gc(handle, lib.uet_close)
        self._records = ffi.new("struct uet_completion[]", BATCH)
        self._regions = {}
        self._held = {}
        self._in_use = []
        self._recv_timeout = -1
        self._type = type
        self.job = self._address().suet_job

    @property
    def _handle(self):
        if self._open is None:
            raise ValueError("the endpoint is closed")
        return self._open

    def close(self):
        """Close the endpoint; messages in flight are still sent, see finish()."""
        if self._open is None:
            return
        if "socket" in self.__dict__:
            self.socket.close()
        ffi.release(self._open)
        self._open = None
        for region in self._regions.values():
            region.let_go()
        self._regions.clear()
        self._held.clear()
        self._in_use.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @cached_property
    def socket(self):
        """A socket of Python for the same endpoint, for options."""
        return socket.socket(lib.uet_af(), self._type, 0, fileno=os.dup(self.fileno()))

    def fileno(self):
        """The descriptor, for select and its kin."""
        return lib.uet_fd(self._handle)

    def finish(self):
        """Wait until all messages were answered, and end the sending."""
        check(self._handle, lib.uet_finish(self._handle))

    # ------------------------------------------------------------------- peers

    @property
    def rank(self):
        return lib.uet_rank(self._handle)

    @property
    def size(self):
        """Number of ranks."""
        return lib.uet_size(self._handle)

    def _address(self):
        address = ffi.new("struct sockaddr_uet *")
        check(self._handle, lib.uet_address(self._handle, address))
        return address

    @property
    def address(self):
        """Own address, "FA/PID/RI"."""
        return form(self._address())

    def _number(self, number):
        if not number:
            raise failure(self._handle)
        return number

    def peer(self, rank):
        """The number of the peer with a rank, for operations."""
        return self._number(lib.uet_peer(self._handle, rank))

    def peer_rank(self, peer):
        """The rank of a peer, as messages and completions name it."""
        return check(self._handle, lib.uet_peer_rank(self._handle, peer))

    def add_peer(self, address):
        """The number for an address."""
        return self._number(lib.uet_peer_add(self._handle, parse(address)))

    def remove_peer(self, peer):
        check(self._handle, lib.uet_peer_remove(self._handle, peer))

    def wait_peer(self, peer, timeout=None):
        """Wait until the peer has an endpoint."""
        check_until(self._handle, timeout, lib.uet_wait_peer, peer)

    # ------------------------------------------------------------------ memory

    def register(self, memory, access=0, *, key=None, flags=0):
        """Register memory: a writable buffer, or a number of bytes.

        access: MR_WRITE, MR_READ, MR_ATOMIC for peers; 0: for receives and results;
        key: the kernel chooses one without it; flags: MR_*
        """
        region = Region(self, self._handle, memory, access, flags, key)
        # The memory must not go while peers may use it.
        self._regions[region.key] = region
        return region

    def remote(self, peer, key, format="B", count=1, offset=0):
        """Values in the region of the peer with the key: see Remote."""
        return Remote(self, peer, key, format, count, offset)

    def deregister(self, region):
        if self._open is not None and self._regions.get(region.key) is region:
            check(self._handle, lib.uet_mem_dereg(self._handle, region.key))
            self._regions.pop(region.key).let_go()

    # -------------------------------------------------------------- completions

    def _hold(self, cookie, pieces):
        """Keep a payload that the kernel refers to until its completion."""
        self._held.setdefault(cookie, []).append(pieces)

    def _let_go(self, completion):
        if not self._held or completion.is_receive:
            return
        for cookie in completion.cookies:
            pieces = self._held.pop(cookie, ())
            if pieces[1:]:
                self._held[cookie] = pieces[1:]

    def _take(self, count):
        done = [Completion(self._records[index], self._handle) for index in range(count)]
        for completion in done:
            self._let_go(completion)
        return done

    def poll(self, most=BATCH):
        """Completions, in the order in which the operations ended; [] if there is none."""
        return self._take(lib.uet_poll(self._handle, self._records, min(most, BATCH)))

    def wait(self, most=BATCH, timeout=None):
        """The same, but wait for one; [] after the timeout."""
        return self._take(check_until(self._handle, timeout, lib.uet_wait, self._records,
                                      min(most, BATCH)))
