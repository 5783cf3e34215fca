# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Messages and completions of an Endpoint for asyncio."""
import asyncio
import select
import socket
from collections import deque


class Reader:
    """Reads an Endpoint in coroutines.

        reader = uet.Reader(endpoint)
        message = await reader.recv()
        completion = await reader.completion()
        async for message in reader: ...

    One coroutine at a time waits for messages, and one for completions.  A Reader takes
    the completions of its endpoint.  The error of an operation without a completion is
    raised by completion(), or by recv() if nobody waits for completions.
    """

    def __init__(self, endpoint):
        self._endpoint = endpoint
        self._done = deque()
        self._waits = None  # the future of completion()
        # Completions and errors are EPOLLERR, without EPOLLIN of messages that wait.
        self._errors = select.epoll()
        self._errors.register(endpoint.fileno(), 0)

    def close(self):
        self._errors.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    async def _ready(self, descriptor, future):
        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, lambda: future.done() or future.set_result(None))
        try:
            await future
        finally:
            loop.remove_reader(descriptor)

    def _take(self):
        """Take what is there: the descriptor is ready until it is taken."""
        while done := self._endpoint.wait(timeout=0):
            self._done.extend(done)
        if self._done and self._waits and not self._waits.done():
            self._waits.set_result(None)

    async def recv(self, size=65536):
        """The next message, as Endpoint.recv()."""
        while True:
            try:
                return self._endpoint.recv(size, flags=socket.MSG_DONTWAIT)
            except BlockingIOError:
                await self._ready(self._endpoint.fileno(),
                                  asyncio.get_running_loop().create_future())
                self._take()

    async def completion(self):
        """The next completion."""
        while True:
            self._take()
            if self._done:
                return self._done.popleft()
            self._waits = asyncio.get_running_loop().create_future()
            await self._ready(self._errors.fileno(), self._waits)

    def __aiter__(self):
        return self

    async def __anext__(self):
        return await self.recv()
