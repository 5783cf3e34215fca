# SPDX-License-Identifier: GPL-2.0
"""Both ends of a PDC, in few lines: stop and wait, no congestion control.

An Initiator has one request in flight.  A Peer answers all requests that come,
by a function of its user.
"""
import select
import socket
import struct
import sys
import time

import wire

WAIT = 0.2          # for an answer, s
TRIES = 40


class Peer:
    """Sockets, and the PDCs that others have opened."""

    def __init__(self, here, there, domain=None, plain=False):
        self.here, self.there, self.domain = here, there, domain
        self.plain = plain          # neither a CRC nor sealed
        self.mirrors = False        # answers go to the source port
        self.there_port = wire.PORT
        self.serve = lambda pdc, packet: wire.DEFAULT
        self.admit = lambda packet, start: True     # may a PDC begin there?
        self.pdcs, self.initiators = {}, {}
        self.later = []     # what run() does between two packets
        self.inbox = self.open(wire.PORT)
        self.outbox = self.open(0)
        self.outbox.connect((there, wire.PORT))
        self.port = self.outbox.getsockname()[1]

    def open(self, port):
        fd = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        fd.setsockopt(socket.SOL_SOCKET, 11, 1)     # SO_NO_CHECK
        fd.bind((self.here, port))
        return fd

    def checked(self, source, target, port, to_port, body):
        head = socket.inet_aton(source) + socket.inet_aton(target)
        head += struct.pack(">HHHH", port, to_port, len(body) + 12, 0)
        return wire.crc32c(head + body)

    def send(self, body, clear=False):
        """Sealed where there is a domain, unless CLEAR, else with a CRC, or plain."""
        if self.plain:
            data = body
        elif self.domain and not clear:
            data = self.domain.seal(self.here, self.there,
                                    (self.port, wire.PORT), body)
        else:
            data = body + struct.pack(">I", self.checked(
                self.here, self.there, self.port, wire.PORT, body))
        try:
            if self.mirrors:
                self.inbox.sendto(data, (self.there, self.there_port))
            else:
                self.outbox.send(data)
        except ConnectionRefusedError:
            pass

    def unwrap(self, data, host, port):
        """The PDS packet in DATA, or None."""
        if self.domain:
            return self.domain.open(host, self.here, (port, wire.PORT), data)
        if self.plain:
            return data
        crc = self.checked(host, self.here, port, wire.PORT, data[:-4])
        return data[:-4] if crc == int.from_bytes(data[-4:], "big") else None

    def receive(self, seconds):
        """The next packet, which is not damaged, or None."""
        if not select.select([self.inbox], [], [], seconds)[0]:
            return None
        data, (host, port) = self.inbox.recvfrom(65536)
        if len(data) < 16 or host != self.there:
            return None
        self.there_port = port
        body = self.unwrap(data, host, port)
        return wire.Packet(body) if body else None

    def dispatch(self, packet):
        """A packet that no call waits for."""
        if packet.kind == wire.CP:
            self.control(packet)
        elif packet.is_request() and packet.dpdcid in self.initiators and \
                not packet.flags & wire.SYN:
            self.initiators[packet.dpdcid].returned(packet)
        elif packet.is_request():
            self.request(packet)

    def ack(self, pdc, packet, next_hdr=wire.NH_NONE, rest=b"", flags=0):
        head = wire.prologue(wire.ACK, next_hdr, packet.flags & wire.RETX | flags)
        self.send(struct.pack(">HHIHH", head,
                              (packet.psn - pdc.cack) & 0xffff, pdc.cack,
                              pdc.here, pdc.there) + rest)

    def nack(self, here, packet, code, payload, clear=False):
        head = wire.prologue(wire.NACK, wire.NH_NONE, packet.flags & wire.RETX)
        self.send(struct.pack(">HBBIHHI", head, code, 0, packet.psn, here,
                              packet.spdcid, payload), clear)

    def find(self, packet):
        pdc = self.pdcs.get(packet.spdcid)
        if packet.flags & wire.SYN:
            start = packet.psn - (packet.dpdcid & 0xfff) & 0xffffffff
            if not pdc or pdc.start != start:
                if not self.admit(packet, start):
                    return None
                pdc = Target(self, packet.spdcid, start)
                self.pdcs[packet.spdcid] = pdc
        return pdc

    def control(self, packet):
        pdc = self.find(packet)
        mine = self.initiators.get(packet.dpdcid)
        if not pdc and mine and mine.there == packet.spdcid:
            mine.returned_cp(packet)
        if pdc and packet.next_hdr in (wire.NOOP, wire.CLOSE_COMMAND,
                                       wire.ACK_REQUEST, wire.PROBE):
            if packet.next_hdr in (wire.NOOP, wire.CLOSE_COMMAND):
                pdc.take(packet)
            self.ack(pdc, packet)

    def request(self, packet):
        pdc = self.find(packet)
        if not pdc:
            return
        if packet.psn in pdc.answers:
            self.ack(pdc, packet, *pdc.answers[packet.psn])
            return
        answer = self.serve(pdc, packet)
        if answer is None:
            return
        if answer == wire.DEFAULT:
            req = wire.Request(packet.rest)
            answer = (wire.NH_RESPONSE,
                      wire.response(wire.DEFAULT, wire.RC_OK, req.mid, req.length))
        pdc.take(packet)
        pdc.answers[packet.psn] = answer
        self.ack(pdc, packet, *answer)

    def run(self, done, seconds=60):
        """Answer until DONE() or the time is over; return whether it is done."""
        end = time.monotonic() + seconds
        while not done() and time.monotonic() < end:
            packet = self.receive(0 if self.later else WAIT)
            if packet:
                self.dispatch(packet)
            elif self.later:
                self.later.pop(0)()
        return done()

    def linger(self):
        """Answer what still comes, above all the close of PDCs."""
        self.run(lambda: False, 1)


class Target:
    """A PDC that the other end has opened."""

    def __init__(self, peer, there, start):
        self.peer, self.there, self.start = peer, there, start
        self.here = there ^ 0x5a5a or 1
        self.cack, self.got, self.answers = start - 1 & 0xffffffff, set(), {}
        self.back = start

    def take(self, packet):
        self.got.add(packet.psn)
        while self.cack + 1 & 0xffffffff in self.got:
            self.cack = self.cack + 1 & 0xffffffff

    def give(self, body):
        """A request in the return direction; return the answer to it."""
        psn, self.back = self.back, self.back + 1 & 0xffffffff
        return exchange(self.peer, self.here, self.there, psn, wire.RUD_REQ,
                        wire.NH_DATA, 0, body)


class Initiator:
    """A PDC that this end opens."""

    def __init__(self, peer, pdcid, start, kind=wire.RUD_REQ):
        self.peer, self.here, self.start, self.kind = peer, pdcid, start, kind
        self.there, self.next, self.data, self.clear = 0, start, {}, -1
        self.cack, self.got = start - 1 & 0xffffffff, set()
        peer.initiators[pdcid] = self

    def transmit(self, psn, body, flags=0):
        """One packet, whatever became of those before; nothing is cleared."""
        is_open = self.there != 0
        send_request(self.peer, self.kind, wire.NH_STD,
                     flags | (0 if is_open else wire.SYN), psn, self.here,
                     self.there if is_open else psn - self.start & 0xfff, body,
                     self.start - 1 - psn)

    def call(self, body, tries=TRIES):
        """A request and the answer to it: an ACK, a NACK, or None."""
        psn, self.next = self.next, self.next + 1 & 0xffffffff
        answer = exchange(self.peer, self.here, self.there, psn, self.kind,
                          wire.NH_STD, self.start, body, tries, self.clear)
        if answer and answer.kind != wire.NACK:
            self.there = answer.spdcid
        return answer

    def returned_cp(self, packet):
        """A NOOP in the return direction, which shows that this end lives."""
        if packet.next_hdr == wire.NOOP:
            self.take(packet)
            self.peer.ack(self, packet)

    def take(self, packet):
        self.got.add(packet.psn)
        while self.cack + 1 & 0xffffffff in self.got:
            self.cack = self.cack + 1 & 0xffffffff

    def returned(self, packet):
        """Data in the return direction; the ACK is a default response."""
        rsp = wire.Response(packet.next_hdr, packet.rest)
        self.data.setdefault(rsp.mid, {})[rsp.offset] = rsp
        self.take(packet)
        self.there = packet.spdcid
        self.peer.ack(self, packet, wire.NH_RESPONSE,
                      wire.response(wire.DEFAULT, wire.RC_OK, rsp.mid,
                                    rsp.modified))


def send_request(peer, kind, next_hdr, flags, psn, here, last, body, clear=-1):
    # With -1 all that was sent before is answered, so all of it may be cleared.
    peer.send(struct.pack(">HHIHH", wire.prologue(kind, next_hdr,
                                                  flags | wire.AR),
                          clear & 0xffff, psn, here, last) + body)


def send_control(peer, kind, psn, here, payload=0, flags=0, there=0):
    """A control packet; THERE 0: of an initiator that has not learnt the PDCID."""
    peer.send(struct.pack(">HHIHHI", wire.prologue(wire.CP, kind, flags), 0, psn,
                          here, there, payload))


def exchange(peer, here, there, psn, kind, next_hdr, start, body, tries=TRIES,
             clear=-1):
    """Send until an answer to PSN comes; THERE 0: with SYN."""
    for number in range(tries):
        send_request(peer, kind, next_hdr,
                     (wire.RETX if number else 0) | (0 if there else wire.SYN),
                     psn, here, there or psn - start & 0xfff, body, clear)
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            packet = peer.receive(max(0, end - time.monotonic()))
            if not packet:
                continue
            if packet.kind in (wire.ACK, wire.ACK_CC, wire.ACK_CCX, wire.NACK) \
                    and packet.dpdcid == here and packet.psn == psn:
                return packet
            peer.dispatch(packet)
    return None


def say(**facts):
    print(" ".join(f"{name}={value}" for name, value in facts.items()))
    sys.stdout.flush()
