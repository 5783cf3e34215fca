# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Messages, operations and completions of an Endpoint for asyncio."""
import asyncio
import contextlib
import itertools
import select
import socket
from collections import deque

from uet._uet import lib

COOKIES = 1 << 63   # first cookie of operations that coroutines wait for
PAUSE = 0.01        # seconds until an operation that had no space is tried again


def until_end(name):
    """The method of an Endpoint as a coroutine of a Reader."""
    async def call(self, *arguments, flags=0, **how):
        return await self._operation(getattr(self._endpoint, name), arguments,
                                     {**how, "flags": flags | lib.UET_F_NOWAIT})

    call.__name__ = name
    call.__doc__ = f"Endpoint.{name}() until the end of the operation."
    return call


class Reader:
    """Reads an Endpoint in coroutines.

        reader = uet.Reader(endpoint)
        message = await reader.recv()
        await reader.put(peer, key, data)
        await asyncio.gather(*(reader.send(peer, b"hello") for peer in peers))
        completion = await reader.completion()
        async for message in reader: ...

    request(), send(), put(), get(), atomic(), fetch() and post() have the arguments of the
    Endpoint, without wait and cookie.  They end with the operation, return its Completion,
    or raise its error.  Any number of them may be in progress.  A coroutine that is
    cancelled cancels its operation.  A message is shorter than the send buffer.

    One coroutine at a time waits for messages, and one for completions.  A Reader takes
    the completions of its endpoint: make no calls with wait beside it.  The error of an
    operation without a completion is raised by completion(), or by recv() if nobody waits
    for completions.
    """

    def __init__(self, endpoint):
        self._endpoint = endpoint
        self._done = deque()
        self._waits = None  # the future of completion()
        self._cookies = itertools.count(COOKIES)
        self._futures = {}
        self._watchers = 0
        self._late = None
        # Completions and errors are EPOLLERR, without EPOLLIN of messages that wait.
        self._errors = select.epoll()
        self._errors.register(endpoint.fileno(), 0)
        self._ready = self._errors.fileno()

    def close(self):
        self._errors.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _end(self, completion):
        """Give a completion to those who wait for it."""
        for cookie in completion.cookies:
            future = self._futures.pop(cookie, None)
            if future is None:
                self._done.append(completion)
                break
            if not future.done():
                future.set_result(completion)

    def _take(self):
        """Take what is there: the descriptor is ready until it is taken."""
        while done := self._endpoint.wait(timeout=0):
            for completion in done:
                self._end(completion)
        if self._done and self._waits and not self._waits.done():
            self._waits.set_result(None)

    def _take_ready(self):
        try:
            self._take()
        except OSError as error:
            self._late = error
            if self._waits and not self._waits.done():
                self._waits.set_result(None)

    def _raise_late(self):
        late, self._late = self._late, None
        if late:
            raise late

    @contextlib.contextmanager
    def _watching(self):
        """Take completions while somebody waits for one."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._ready, self._take_ready)
        self._watchers += 1
        try:
            self._take_ready()
            yield
        finally:
            self._watchers -= 1
            if not self._watchers:
                loop.remove_reader(self._ready)

    async def recv(self, size=65536):
        """The next message, as Endpoint.recv()."""
        loop = asyncio.get_running_loop()
        while True:
            if not self._waits:
                self._raise_late()
            try:
                return self._endpoint.recv(size, flags=socket.MSG_DONTWAIT)
            except BlockingIOError:
                ready = loop.create_future()
                loop.add_reader(self._endpoint.fileno(),
                                lambda: ready.done() or ready.set_result(None))
                try:
                    await ready
                finally:
                    loop.remove_reader(self._endpoint.fileno())
                self._take_ready()

    async def completion(self):
        """The next completion of an operation that no coroutine waits for."""
        while True:
            self._take_ready()
            self._raise_late()
            if self._done:
                return self._done.popleft()
            self._waits = asyncio.get_running_loop().create_future()
            with self._watching():
                try:
                    await self._waits
                finally:
                    self._waits = None

    async def _operation(self, method, arguments, how):
        cookie = next(self._cookies)
        while True:
            try:
                method(*arguments, cookie=cookie, **how)
                break
            except BlockingIOError:
                await asyncio.sleep(PAUSE)
        future = self._futures[cookie] = asyncio.get_running_loop().create_future()
        with self._watching():
            try:
                return (await future).check()
            except asyncio.CancelledError:
                with contextlib.suppress(FileNotFoundError):
                    self._endpoint.cancel(cookie)
                raise

    request, send, put, get, atomic, fetch = map(until_end, (
        "request", "send", "put", "get", "atomic", "fetch"))

    async def post(self, *arguments, **how):
        """Endpoint.post() until a message has come."""
        return await self._operation(self._endpoint.post, arguments, how)

    def __aiter__(self):
        return self

    async def __anext__(self):
        return await self.recv()
