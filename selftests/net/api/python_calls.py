# SPDX-License-Identifier: GPL-2.0
"""The Python module against the module of the kernel: two endpoints on two FEPs, their
messages, posted receives, remote memory, completions, coroutines and failures.  Started
by python.sh: UET_LOCAL and UET_REMOTE are the fabric addresses, UET_JOB is the job.
Level: test."""
import array
import asyncio
import errno
import os
import signal
import socket
import struct
import threading
import time
import unittest

import uet

import pytap

try:
    import numpy
except ImportError:
    numpy = None

LOCAL, REMOTE = os.environ["UET_LOCAL"], os.environ["UET_REMOTE"]
PEERS = [LOCAL + "/20", REMOTE + "/21"]


class Case(unittest.TestCase):
    kind = socket.SOCK_RDM

    def setUp(self):
        self.a = self.open(0)
        self.b = self.open(1)
        self.to_b = self.a.peer(1)

    def open(self, rank, **more):
        endpoint = uet.Endpoint(type=self.kind, peers=PEERS, rank=rank, **more)
        self.addCleanup(endpoint.close)
        return endpoint

    def one(self, endpoint):
        done, = endpoint.wait(1)
        return done.check()

    def raises(self, error, reason, function, *args, **more):
        with self.assertRaises(OSError) as raised:
            function(*args, **more)
        self.assertEqual(errno.errorcode[raised.exception.errno], error)
        self.assertIn(reason, raised.exception.strerror)
        return raised.exception


class Endpoints(Case):
    def test_an_endpoint_knows_itself_and_its_peers(self):
        self.assertEqual((self.b.rank, self.b.size), (1, 2))
        self.assertEqual(self.b.address, REMOTE + "/21/1")
        self.assertEqual(self.b.job, int(os.environ["UET_JOB"]))
        self.assertEqual(self.b.peer_rank(self.b.peer(0)), 0)
        self.raises("EINVAL", "rank 2 is not below the size 2", self.b.peer, 2)
        self.raises("ENOENT", "has no rank", self.b.peer_rank, 77)

    def test_a_closed_endpoint_is_free_and_refuses_calls(self):
        self.a.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        self.raises("EADDRINUSE", "pid 20 ri 1 of job 1 is in use", self.open, 0)
        self.a.close()
        self.a.close()
        with self.assertRaises(ValueError):
            self.a.send(self.to_b, b"")
        with self.open(0) as again:
            again.send(again.peer(1), b"x", wait=True)
        with self.assertRaises(ValueError):
            again.fileno()

    def test_open_has_the_reason_of_the_kernel(self):
        error = self.raises("ENOENT", "bind: there is no job 4711", uet.Endpoint,
                            peers=PEERS, job=4711)
        self.assertIsInstance(error, FileNotFoundError)

    def test_peers_are_added_and_removed(self):
        with uet.Endpoint(local=LOCAL + "/*/*") as other:
            peer = other.add_peer(self.b.address)
            self.assertEqual(other.add_peer(self.b.address), peer)
            other.send(peer, b"hello", wait=True)
            message = self.b.recv()
            self.assertEqual((message.data, message.peer), (b"hello", 0))
            self.assertEqual(message.sender, other.address)
            other.request(uet.OP_SEND, self.b.address, b"by address", wait=True)
            self.assertEqual(self.b.recv().data, b"by address")
            other.remove_peer(peer)
            self.raises("ENOENT", "is no peer of the socket", other.send, peer, b"")

    def test_waiting_for_a_peer_ends_by_time(self):
        nobody = self.a.add_peer(REMOTE + "/99/9")
        self.a.wait_peer(self.to_b, timeout=20)
        error = self.raises("ETIMEDOUT", "has no endpoint", self.a.wait_peer, nobody, 0.05)
        self.assertIsInstance(error, TimeoutError)
        self.raises("ETIMEDOUT", "uet_barrier", self.a.barrier, 0.05)

    def test_two_threads_meet_at_a_barrier(self):
        other = threading.Thread(target=self.b.barrier)
        other.start()
        self.a.barrier()
        other.join()

    def test_options_are_those_of_the_socket(self):
        option = self.a.socket.getsockopt(290, 4, 4)
        self.assertEqual(struct.unpack("I", option)[0], 4096)

    def test_a_handler_of_a_signal_runs_while_a_call_waits(self):
        ran = []
        signal.signal(signal.SIGALRM, lambda *_: ran.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        self.assertEqual(self.a.wait(timeout=0.2), [])
        self.assertEqual(ran, [1])
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with self.assertRaises(TimeoutError):
            self.a.recv(timeout=0.2)
        self.assertEqual(ran, [1, 1])


class Messages(Case):
    kind = socket.SOCK_SEQPACKET

    def test_payloads_are_all_kinds_of_buffers(self):
        payloads = [b"bytes", bytearray(b"bytearray"), memoryview(b"a view")[2:],
                    array.array("d", [1.5, 2.5]), b"", [b"two ", bytearray(b"pieces")]]
        for payload in payloads:
            self.a.send(self.to_b, payload)
        for payload in payloads:
            expected = b"".join(payload) if isinstance(payload, list) else bytes(payload)
            self.assertEqual(self.b.recv().data, expected)

    def test_a_message_has_its_context(self):
        self.a.send(self.to_b, b"one message", tag=0x1100, header_data=2026)
        self.a.send(self.to_b, b"plain")
        peeked = self.b.recv(4, flags=socket.MSG_PEEK)
        self.assertEqual((peeked.data, peeked.length), (b"one ", 11))
        message = self.b.recv()
        self.assertEqual((message.tag, message.header_data), (0x1100, 2026))
        self.assertEqual(message.peer, self.b.peer(0))
        self.assertEqual(message.sender, LOCAL + "/20/1")
        self.assertIsNone(self.b.recv().header_data)

    def test_recv_into_fills_a_buffer(self):
        buffer = bytearray(b"." * 8)
        self.a.send(self.to_b, b"hello")
        message = self.b.recv_into(buffer)
        self.assertEqual(message.data, b"hello")
        self.assertEqual(buffer, b"hello...")
        with self.assertRaises(BufferError):
            self.b.recv_into(b"constant")

    def test_recv_without_a_message_waits_or_says_so(self):
        with self.assertRaises(BlockingIOError):
            self.b.recv(flags=socket.MSG_DONTWAIT)
        with self.assertRaises(TimeoutError):
            self.b.recv(timeout=0.02)
        self.a.send(self.to_b, b"after a timeout")
        self.assertEqual(self.b.recv().data, b"after a timeout")

    def test_the_end_is_reported_as_wanted(self):
        self.a.send(self.to_b, b"first", cookie=7)
        self.a.send(self.to_b, b"second", cookie=8)
        cookies = []
        while cookies != [7, 8]:
            for done in self.a.wait():
                cookies += done.check().cookies
        self.assertEqual(self.a.poll(), [])
        self.raises("EINVAL", "exclude each other", self.a.send, self.to_b, b"", wait=True,
                    cookie=1)

    def test_a_failure_is_an_exception_with_the_return_code(self):
        nobody = self.a.add_peer(REMOTE + "/99/9")
        error = self.raises("ECONNREFUSED", "/99/9: no endpoint with that PIDonFEP",
                            self.a.send, nobody, b"x", wait=True)
        self.assertIsInstance(error, ConnectionRefusedError)
        self.a.send(nobody, b"x", cookie=3)
        done, = self.a.wait()
        with self.assertRaisesRegex(ConnectionRefusedError, REMOTE + "/99/9: no endpoint"):
            done.check()
        self.a.send(nobody, b"x")
        with self.assertRaises(ConnectionRefusedError):
            self.a.wait(timeout=20)

    def test_finish_waits_for_the_answers(self):
        self.a.send(self.to_b, bytes(100000))
        self.a.finish()
        self.assertEqual(len(self.b.recv(200000).data), 100000)
        self.raises("EPIPE", "sendmsg", self.a.send, self.to_b, b"late")

    def test_a_payload_is_kept_until_the_kernel_has_sent_it(self):
        payload = bytearray(os.urandom(300000))
        self.a.send(self.to_b, payload, cookie=5, flags=uet.F_ZEROCOPY)
        with self.assertRaises(BufferError):
            payload.append(0)
        received = bytes(self.b.recv(400000).data)
        self.one(self.a)
        payload.append(0)
        self.assertEqual(received, payload[:-1])


class Posted(Case):
    def test_a_tag_selects_the_memory(self):
        memory = self.b.register(64)
        self.b.post(memory[:16], tag=1, cookie=101)
        self.b.post(memory[16:], tag=0x200, ignore=0xff, peer=self.b.peer(0), cookie=102)
        self.a.send(self.to_b, b"pears", tag=0x2aa, header_data=9)
        done = self.one(self.b)
        self.assertTrue(done.is_receive)
        self.assertEqual((done.cookie, done.match, done.header_data), (102, 0x2aa, 9))
        self.assertEqual(memory[16:21].view, b"pears")
        self.assertEqual(self.b.cancel(101), 1)
        done, = self.b.wait()
        self.assertEqual(done.error, errno.ECANCELED)
        self.raises("ENOENT", "can be cancelled", self.b.cancel, 101)

    def test_receives_are_posted_together(self):
        memory = self.b.register(bytearray(4096))
        self.assertEqual(self.b.posts([
            uet.Post(memory[:1024], tag=1, cookie=1), uet.Post(tag=2, cookie=2),
            uet.Post(memory[1024:], cookie=3, flags=uet.RECV_MULTI, min_free=2048)]), 3)
        for payload, tag in ((b"tagged", 1), (b"", 2), (b"x" * 100, None)):
            self.a.send(self.to_b, payload, tag=tag, wait=True)
        self.assertEqual({self.one(self.b).cookie for _ in range(3)}, {1, 2, 3})
        self.assertEqual(bytes(memory.view[:6]), b"tagged")
        self.assertEqual(bytes(memory.view[1024:1124]), b"x" * 100)

    def test_a_claimed_message_is_received(self):
        self.assertIsNone(self.b.peek(tag=5))
        self.a.send(self.to_b, b"claimed", tag=5, wait=True)
        self.assertEqual(self.b.peek(tag=5).claim, 0)
        found = self.b.peek(tag=4, ignore=1, flags=uet.PEEK_CLAIM)
        self.assertEqual((found.length, found.tag, found.sender),
                         (7, 5, LOCAL + "/20/1"))
        memory = self.b.register(found.length)
        self.b.post(memory, tag=found.claim, flags=uet.RECV_CLAIM, cookie=6)
        self.assertEqual(self.one(self.b).length, 7)
        self.assertEqual(memory.view, b"claimed")


class Memory(Case):
    def test_memory_is_written_and_read(self):
        theirs = bytearray(64)
        region = self.b.register(theirs, uet.MR_WRITE | uet.MR_READ, key=1)
        self.assertEqual(region.key, 1)
        result = self.a.register(64)
        self.a.put(self.to_b, 1, b"from afar", 10, wait=True)
        self.assertEqual(theirs[10:19], b"from afar")
        self.a.get(self.to_b, 1, result[32:36], 15, wait=True)
        self.assertEqual(result[32:36].view, b"afar")
        self.raises("EFAULT", "bad-mkey", self.a.put, self.to_b, 77, b"x", wait=True)

    def test_memory_is_held_while_it_is_registered(self):
        theirs = bytearray(16)
        with self.b.register(theirs, uet.MR_WRITE) as region:
            with self.assertRaises(BufferError):
                theirs.append(0)
            self.a.put(self.to_b, region.key, b"x", wait=True)
        region.close()
        theirs.append(0)
        self.raises("EFAULT", "bad-mkey", self.a.put, self.to_b, 1, b"x", wait=True)
        with self.assertRaises(BufferError):
            self.b.register(b"constant")

    def test_values_are_changed_and_fetched(self):
        values = array.array("Q", [5, 6])
        self.b.register(values, uet.MR_ATOMIC, key=2)
        old = self.a.register(8)
        self.a.atomic(self.to_b, 2, uet.AMO_SUM, array.array("Q", [10, 20]), wait=True)
        self.assertEqual(list(values), [15, 26])
        self.a.fetch(self.to_b, 2, uet.AMO_CSWAP, 99, compare=26, old=old, offset=8,
                     wait=True)
        self.assertEqual(struct.unpack("Q", old.view)[0], 26)
        self.assertEqual(values[1], 99)
        self.a.fetch(self.to_b, 2, uet.AMO_READ, old=old, wait=True)
        self.assertEqual(struct.unpack("Q", old.view)[0], 15)
        self.a.atomic(self.to_b, 2, uet.AMO_MIN, -4, type=uet.DT_INT64, cookie=1)
        self.one(self.a)
        self.assertEqual(values[0], 2**64 - 4)
        self.raises("EINVAL", "no operands", self.a.fetch, self.to_b, 2, uet.AMO_SUM,
                    old=old)


    def test_results_need_no_registration(self):
        values = array.array("Q", [5, 6])
        self.b.register(values, uet.MR_ATOMIC | uet.MR_READ, key=3)
        result = bytearray(10)
        self.assertIs(self.a.get(self.to_b, 3, result, 6, wait=True), result)
        self.assertEqual(result, bytes(values)[6:])
        self.assertEqual(self.a.get(self.to_b, 3, 8), bytes(values)[:8])
        self.assertEqual(self.a.fetch(self.to_b, 3, uet.AMO_SUM, 10), 5)
        old = array.array("q", [0])
        self.a.fetch(self.to_b, 3, uet.AMO_READ, old=old, type=uet.DT_INT64, wait=True)
        self.assertEqual(old[0], 15)
        self.raises("EINVAL", "UET_OP_COMPLETE", self.a.get, self.to_b, 3, bytearray(8))
        with self.assertRaises(BufferError):
            self.a.get(self.to_b, 3, b"constant", wait=True)

    def test_memory_of_a_result_is_held_until_the_end(self):
        self.b.register(bytearray(range(8)), uet.MR_READ, key=4)
        result = bytearray(8)
        self.a.get(self.to_b, 4, result, cookie=1)
        with self.assertRaises(BufferError):
            result.append(0)
        self.one(self.a)
        result.append(8)
        self.assertEqual(result, bytes(range(9)))

    def test_remote_memory_is_a_sequence_of_values(self):
        theirs = array.array("d", range(10))
        self.b.register(theirs, uet.MR_READ | uet.MR_WRITE, key=5)
        remote = self.a.remote(self.to_b, 5, "d", 8, offset=16)
        self.assertEqual((len(remote), remote[0], remote[-1]), (8, 2, 9))
        self.assertEqual(list(remote[2:5]), [4, 5, 6])
        self.assertEqual(remote[3:3].nbytes, 0)
        remote[0] = 1.5
        remote[6:] = array.array("d", [0.25, 0.5])
        self.assertEqual(list(theirs), [0, 1, 1.5, 3, 4, 5, 6, 7, 0.25, 0.5])
        with self.assertRaises(IndexError):
            remote[8]
        with self.assertRaisesRegex(ValueError, "16 bytes are not 3 values of 8"):
            remote[:3] = array.array("d", [1, 2])
        with self.assertRaises(ValueError):
            remote[::2]

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_memory_is_seen_by_numpy(self):
        theirs = numpy.arange(10.0)
        region = self.b.register(theirs, uet.MR_READ | uet.MR_WRITE, key=6)
        remote = self.a.remote(self.to_b, 6, "d", 10)
        self.assertEqual(numpy.asarray(remote).tolist(), theirs.tolist())
        remote[:2] = numpy.array([7.0, 8.0])
        view = numpy.frombuffer(region.view, dtype="d")
        self.assertEqual(view[:3].tolist(), [7, 8, 2])
        view[9] = 99
        self.assertEqual(remote[9], 99)


class Coroutines(Case):
    def test_operations_are_coroutines(self):
        async def run():
            theirs = self.b.register(bytearray(64), uet.MR_READ | uet.MR_WRITE |
                                     uet.MR_ATOMIC)
            inbox = self.b.register(64)
            with uet.Reader(self.a) as a, uet.Reader(self.b) as b:
                posted = [asyncio.create_task(b.post(inbox[i:i + 1], tag=i))
                          for i in range(32)]
                await asyncio.gather(*(a.send(self.to_b, bytes([i]), tag=i)
                                       for i in range(32)))
                ends = await asyncio.gather(*posted)
                self.assertEqual([done.match for done in ends], list(range(32)))
                self.assertEqual(inbox.view[:32], bytes(range(32)))
                await a.put(self.to_b, theirs.key, b"12345678")
                await a.atomic(self.to_b, theirs.key, uet.AMO_SUM, 1)
                result, old = bytearray(8), bytearray(8)
                await asyncio.gather(
                    a.get(self.to_b, theirs.key, result),
                    a.fetch(self.to_b, theirs.key, uet.AMO_READ, old=old))
                self.assertEqual((bytes(result), bytes(old)), (b"22345678",) * 2)
                with self.assertRaises(ConnectionRefusedError):
                    await a.send(self.a.add_peer(REMOTE + "/99/9"), b"x")

        asyncio.run(run())

    def test_an_operation_without_space_is_tried_again(self):
        async def run():
            self.a.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
            with uet.Reader(self.a) as reader:
                sent = asyncio.gather(*(reader.send(self.to_b, bytes(50000))
                                        for _ in range(40)))
                for _ in range(40):
                    while True:
                        try:
                            self.b.recv(flags=socket.MSG_DONTWAIT)
                            break
                        except BlockingIOError:
                            await asyncio.sleep(0.001)
                self.assertEqual(len(await sent), 40)

        asyncio.run(run())

    def test_a_cancelled_coroutine_cancels_its_operation(self):
        async def run():
            memory = self.b.register(8)
            with uet.Reader(self.b) as reader:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(reader.post(memory, tag=1), 0.02)
                self.a.send(self.to_b, b"next", tag=1)
                self.assertEqual((await reader.post(memory, tag=1)).length, 4)
                self.assertEqual(memory.view[:4], b"next")

        asyncio.run(run())

    def test_a_completion_of_others_is_left(self):
        async def run():
            with uet.Reader(self.a) as reader:
                self.a.send(self.to_b, b"x", cookie=7)
                await reader.send(self.to_b, b"y")
                self.assertEqual((await reader.completion()).cookie, 7)

        asyncio.run(run())

    def test_messages_are_read_in_a_coroutine(self):
        async def serve():
            with uet.Reader(self.b) as reader:
                async for message in reader:
                    if not message.data:
                        return
                    self.b.send(message.peer, message.data.upper())

        async def ask():
            with uet.Reader(self.a) as reader:
                for text in (b"one", b"two"):
                    self.a.send(self.to_b, text)
                    self.assertEqual((await reader.recv()).data, text.upper())
                self.a.send(self.to_b, b"")

        async def both():
            await asyncio.wait_for(asyncio.gather(serve(), ask()), 60)

        asyncio.run(both())

    def test_completions_come_while_another_coroutine_waits_for_messages(self):
        async def run():
            with uet.Reader(self.a) as reader:
                message = asyncio.create_task(reader.recv())
                for cookie in range(20):
                    self.a.send(self.to_b, b"x", cookie=cookie)
                    done = await asyncio.wait_for(reader.completion(), 60)
                    self.assertEqual(done.check().cookie, cookie)
                self.b.send(self.b.peer(0), b"at last")
                self.assertEqual((await message).data, b"at last")

        asyncio.run(run())

    def test_waiting_costs_no_time_of_the_processor(self):
        async def run():
            with uet.Reader(self.a) as reader:
                self.b.send(self.b.peer(0), b"not read")
                self.b.finish()
                turns = 0
                waits = asyncio.create_task(reader.completion())
                loop = asyncio.get_running_loop()
                select = loop._selector.select

                def counted(timeout):
                    nonlocal turns
                    turns += 1
                    return select(timeout)

                loop._selector.select = counted
                await asyncio.sleep(0.2)
                self.assertLess(turns, 10)
                waits.cancel()

        asyncio.run(run())

    def test_a_late_error_is_raised(self):
        async def run():
            with uet.Reader(self.a) as reader:
                self.a.send(self.a.add_peer(REMOTE + "/99/9"), b"x")
                with self.assertRaises(ConnectionRefusedError):
                    await asyncio.wait_for(reader.completion(), 60)

        asyncio.run(run())


pytap.main()
